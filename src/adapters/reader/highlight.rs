//! Colors for the lines that are looked at, and no others.
//!
//! A grammar is compiled when its first file is shown. The state of the parser is kept every few
//! lines, so that a jump into the middle of a file does not start at its top again. Long lines
//! and large files stay plain (GIT-16).

use std::collections::VecDeque;
use std::ops::Range;

use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

use super::client::TokenKind;
use super::gherkin;
use crate::adapters::git::lines::Text;
use crate::model::id::Oid;

/// Largest file that is colored.
pub const LARGEST: usize = 512 << 10;
/// Longest line that is colored.
pub const LONGEST: usize = 2 << 10;
/// Lines between two kept states.
const EVERY: u32 = 64;
/// Files whose states are kept.
const KEPT: usize = 16;

/// Tokens of one line: start, end, and the index of the kind.
pub type Tokens = Vec<(u32, u32, u8)>;

/// Grammars and states.
#[derive(Debug)]
pub struct Highlighter {
    grammars: SyntaxSet,
    kinds: Vec<(Scope, Option<TokenKind>)>,
    files: VecDeque<FileState>,
}

#[derive(Debug)]
struct FileState {
    blob: Oid,
    grammar: String,
    /// State before line 0, `EVERY`, 2 x `EVERY` and so on.
    states: Vec<(ParseState, ScopeStack)>,
}

impl Default for Highlighter {
    fn default() -> Self {
        Self::new()
    }
}

impl Highlighter {
    /// Loads the grammars (about a millisecond); none is compiled yet.
    #[must_use]
    pub fn new() -> Self {
        let kinds = SCOPES
            .iter()
            .filter_map(|(name, kind)| Some((Scope::new(name).ok()?, *kind)));
        Self {
            kinds: kinds.collect(),
            grammars: two_face::syntax::extra_newlines(),
            files: VecDeque::new(),
        }
    }

    /// Tokens of a range of lines of a file with this name; fewer rows, or empty ones, where
    /// nothing is known.
    pub fn color(&mut self, blob: Oid, name: &[u8], text: &Text, range: Range<u32>) -> Vec<Tokens> {
        if text.bytes().len() > LARGEST {
            return Vec::new();
        }
        if name.ends_with(b".feature") {
            return gherkin::color(text, range);
        }
        let first = text
            .whole(0)
            .and_then(|line| std::str::from_utf8(line).ok());
        let Some(grammar) = grammar(&self.grammars, name, first.unwrap_or("")) else {
            return Vec::new();
        };
        let wanted = self
            .files
            .iter()
            .position(|f| f.blob == blob && f.grammar == grammar.name);
        let mut file = wanted
            .and_then(|at| self.files.remove(at))
            .unwrap_or_else(|| FileState {
                blob,
                grammar: grammar.name.clone(),
                states: vec![(ParseState::new(grammar), ScopeStack::new())],
            });
        let out = self.run(&mut file, text, range);
        self.files.push_back(file);
        if self.files.len() > KEPT {
            self.files.pop_front();
        }
        out
    }

    fn run(&self, file: &mut FileState, text: &Text, range: Range<u32>) -> Vec<Tokens> {
        let known = file.states.len().saturating_sub(1);
        let wanted = usize::try_from(range.start / EVERY).unwrap_or(0);
        let at = known.min(wanted);
        let Some((mut parser, mut stack)) = file.states.get(at).cloned() else {
            return Vec::new();
        };
        let mut out = Vec::new();
        let mut number = u32::try_from(at).unwrap_or(0) * EVERY;
        while number < range.end {
            let slot = usize::try_from(number / EVERY).unwrap_or(0);
            if number.is_multiple_of(EVERY) && slot == file.states.len() {
                file.states.push((parser.clone(), stack.clone()));
            }
            let Some(line) = text.whole(number) else {
                break;
            };
            let tokens = self.line(&mut parser, &mut stack, line);
            if number >= range.start {
                out.push(tokens);
            }
            number += 1;
        }
        out
    }

    fn line(&self, parser: &mut ParseState, stack: &mut ScopeStack, line: &[u8]) -> Tokens {
        let Some(text) = std::str::from_utf8(line)
            .ok()
            .filter(|l| l.len() <= LONGEST)
        else {
            return Vec::new();
        };
        let Ok(operations) = parser.parse_line(text, &self.grammars) else {
            return Vec::new();
        };
        let body = text.trim_end_matches(['\n', '\r']).len();
        let mut tokens = Tokens::new();
        let mut from = 0;
        for (at, operation) in operations {
            self.push(&mut tokens, from..at.min(body), stack);
            from = at.min(body);
            let _ = stack.apply(&operation);
        }
        self.push(&mut tokens, from..body, stack);
        tokens
    }

    fn push(&self, tokens: &mut Tokens, range: Range<usize>, stack: &ScopeStack) {
        let Some(kind) = (!range.is_empty()).then(|| self.kind(stack)).flatten() else {
            return;
        };
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (start, end) = (number(range.start), number(range.end));
        match tokens.last_mut() {
            Some(last) if last.1 == start && last.2 == kind.index() => last.1 = end,
            _ => tokens.push((start, end, kind.index())),
        }
    }

    /// The kind of the innermost scope that has one. Punctuation counts only where nothing
    /// around it says more, so that the quotes of a string are part of it.
    fn kind(&self, stack: &ScopeStack) -> Option<TokenKind> {
        let mut mark = None;
        for scope in stack.as_slice().iter().rev() {
            let row = self
                .kinds
                .iter()
                .find(|(prefix, _)| prefix.is_prefix_of(*scope));
            match row {
                Some((_, Some(TokenKind::Punctuation))) => mark = Some(TokenKind::Punctuation),
                Some((_, kind)) => return *kind,
                None => {}
            }
        }
        mark
    }
}

/// Kinds by scope; the first row that fits counts. A row without a kind ends the search.
const SCOPES: [(&str, Option<TokenKind>); 27] = [
    ("comment", Some(TokenKind::Comment)),
    ("meta.interpolation", None),
    ("string", Some(TokenKind::String)),
    ("constant.numeric", Some(TokenKind::Number)),
    ("constant", Some(TokenKind::Constant)),
    ("variable.language", Some(TokenKind::Constant)),
    ("keyword.operator", Some(TokenKind::Punctuation)),
    ("keyword", Some(TokenKind::Keyword)),
    ("storage", Some(TokenKind::Keyword)),
    ("entity.name.function", Some(TokenKind::Function)),
    ("variable.function", Some(TokenKind::Function)),
    ("support.function", Some(TokenKind::Function)),
    ("support.macro", Some(TokenKind::Function)),
    ("entity.name.tag", Some(TokenKind::Keyword)),
    ("entity.name.section", Some(TokenKind::Keyword)),
    ("entity.name.constant", Some(TokenKind::Constant)),
    ("entity.name", Some(TokenKind::Type)),
    ("entity.other.inherited-class", Some(TokenKind::Type)),
    ("entity.other.attribute-name", Some(TokenKind::Type)),
    ("support.type", Some(TokenKind::Type)),
    ("support.class", Some(TokenKind::Type)),
    ("support.constant", Some(TokenKind::Constant)),
    ("markup.heading", Some(TokenKind::Keyword)),
    ("markup.raw", Some(TokenKind::String)),
    ("markup.underline.link", Some(TokenKind::Constant)),
    ("markup.list", None),
    ("punctuation", Some(TokenKind::Punctuation)),
];

/// Names whose grammar goes by another name.
const ALIASES: [(&str, &str); 7] = [
    ("jsx", "tsx"),
    ("mjs", "js"),
    ("cjs", "js"),
    ("jsonc", "json"),
    ("jsonl", "json"),
    ("mdx", "md"),
    ("pyi", "py"),
];

fn grammar<'a>(set: &'a SyntaxSet, path: &[u8], first: &str) -> Option<&'a SyntaxReference> {
    let name = path.rsplit(|b| *b == b'/').next().unwrap_or(path);
    let name = std::str::from_utf8(name).ok()?;
    let ending = name.rsplit_once('.').map_or("", |(_, e)| e);
    let ending = ALIASES
        .iter()
        .find(|(alias, _)| *alias == ending)
        .map_or(ending, |a| a.1);
    let by_name = set.find_syntax_by_extension(name);
    let found = by_name.or_else(|| {
        set.find_syntax_by_extension(ending)
            .filter(|_| !ending.is_empty())
    });
    let found = found.or_else(|| set.find_syntax_by_first_line(first));
    found.filter(|s| s.name != "Plain Text")
}
