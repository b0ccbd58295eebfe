//! Looks for the marker in one stream while the bytes come in (RUN-17, RUN-18).
//!
//! SGR sequences are taken out before matching, every other byte stays; the answer never depends
//! on where a read ended or on how much of the output is kept. It must never call something a
//! match that it could not decide: an expectation that cannot be decided is `Unverifiable` before
//! anything runs.

use memchr::memmem;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, nfa::thompson};

use crate::model::oracle::{Expect, MarkerAt, Stream};

use super::sgr::{Stripped, Stripper};

/// Most bytes that a pattern may have.
pub const PATTERN_BYTES: usize = 1000;

/// Why an expectation can never be decided; a lower-case fragment.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unverifiable: {0}")]
pub struct Unverifiable(pub String);

/// An expectation that was compiled once and serves both streams.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// A plain substring.
    Plain(Box<memmem::Finder<'static>>),
    /// A pattern, as a lazy automaton (linear time, bounded memory).
    Regex(Box<DFA>),
    /// Nothing is looked for.
    None,
}

impl Pattern {
    /// Compiles an expectation.
    ///
    /// Flags follow one written rule: `i`, `m` and `s` mean what they mean in JavaScript; `g` and
    /// `d` change nothing about whether there is a match; `u`, `v` and `y` are unverifiable.
    /// Classes and word borders are ASCII, as in JavaScript without `u`.
    ///
    /// # Errors
    /// When the expectation is blank, matches the empty string, is over its limits or uses syntax
    /// that a linear-time engine does not have.
    pub fn compile(expect: &Expect) -> Result<Self, Unverifiable> {
        match expect {
            Expect::Plain(text) if text.is_blank() => Err(Unverifiable("EXPECT is blank".into())),
            Expect::Plain(text) => Ok(Self::Plain(Box::new(
                memmem::Finder::new(text.raw()).into_owned(),
            ))),
            Expect::ExitOnly => Ok(Self::None),
            Expect::Regex { source, flags } => {
                let source = source
                    .raw_str()
                    .ok_or_else(|| Unverifiable("the pattern is not UTF-8".into()))?;
                let flags = flags
                    .raw_str()
                    .ok_or_else(|| Unverifiable("the flags are not UTF-8".into()))?;
                compile_regex(source, flags)
            }
        }
    }
}

fn compile_regex(source: &str, flags: &str) -> Result<Pattern, Unverifiable> {
    if source.len() > PATTERN_BYTES {
        return Err(Unverifiable(format!(
            "the pattern has {} bytes, at most {PATTERN_BYTES} are allowed",
            source.len()
        )));
    }
    let mut config = syntax::Config::new()
        .unicode(false)
        .utf8(false)
        .nest_limit(100);
    let mut seen = String::new();
    for flag in flags.chars() {
        if seen.contains(flag) {
            return Err(Unverifiable(format!("the flag {flag:?} stands twice")));
        }
        seen.push(flag);
        config = match flag {
            'i' => config.case_insensitive(true),
            'm' => config.multi_line(true),
            's' => config.dot_matches_new_line(true),
            'g' | 'd' => config,
            other => {
                return Err(Unverifiable(format!("the flag {other:?} is not supported")));
            }
        };
    }
    let hir = syntax::parse_with(source, &config)
        .map_err(|error| Unverifiable(first_cause(&error.to_string())))?;
    if hir.properties().minimum_len().unwrap_or(0) == 0 {
        return Err(Unverifiable("the pattern matches the empty string".into()));
    }
    let nfa = thompson::Compiler::new()
        .configure(
            thompson::Config::new()
                .utf8(false)
                .nfa_size_limit(Some(1 << 20)),
        )
        .build_from_hir(&hir)
        .map_err(|error| Unverifiable(first_cause(&error.to_string())))?;
    let dfa = DFA::builder()
        .configure(
            Config::new()
                .cache_capacity(4 << 20)
                .skip_cache_capacity_check(true),
        )
        .build_from_nfa(nfa)
        .map_err(|error| Unverifiable(first_cause(&error.to_string())))?;
    Ok(Pattern::Regex(Box::new(dfa)))
}

/// The part of a pattern error that says what is wrong, as one line.
fn first_cause(message: &str) -> String {
    let line = message
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("the pattern cannot be read");
    line.trim().trim_start_matches("error: ").to_owned()
}

/// The search in one stream.
#[derive(Debug)]
pub struct Matcher<'p> {
    stream: Stream,
    stripper: Stripper,
    search: Search<'p>,
    /// LFs in everything that has left the window.
    lines_before: u64,
    found: Option<MarkerAt>,
    after: After,
}

/// What stands on the marker's line after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum After {
    /// Still on its line, the last byte was no CR.
    Open,
    /// Still on its line, the last byte was a CR.
    Returned,
    /// The line is over, or the overwriting was seen.
    Closed,
}

#[derive(Debug)]
enum Search<'p> {
    Plain {
        finder: &'p memmem::Finder<'static>,
        window: Stripped,
    },
    Regex(Box<Automaton<'p>>),
    Off,
}

#[derive(Debug)]
struct Automaton<'p> {
    dfa: &'p DFA,
    cache: Cache,
    state: LazyStateID,
    window: Stripped,
}

impl<'p> Matcher<'p> {
    /// A search that has seen nothing yet.
    #[must_use]
    pub fn new(pattern: &'p Pattern, stream: Stream) -> Self {
        let search = match pattern {
            Pattern::None => Search::Off,
            Pattern::Plain(finder) => Search::Plain {
                finder,
                window: Stripped::default(),
            },
            Pattern::Regex(dfa) => {
                let mut cache = dfa.create_cache();
                let config = start::Config::new().anchored(Anchored::No);
                match dfa.start_state(&mut cache, &config) {
                    Ok(state) => Search::Regex(Box::new(Automaton {
                        dfa,
                        cache,
                        state,
                        window: Stripped::default(),
                    })),
                    Err(_) => Search::Off,
                }
            }
        };
        Self {
            stream,
            stripper: Stripper::default(),
            search,
            lines_before: 0,
            found: None,
            after: After::Closed,
        }
    }

    /// Takes the next bytes of the stream.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.found.is_some() {
            if self.after != After::Closed {
                let mut rest = Stripped::default();
                self.stripper.feed(bytes, &mut rest);
                self.watch(&rest.bytes);
            }
            return;
        }
        match &mut self.search {
            Search::Off => {}
            Search::Plain { finder, window } => {
                self.stripper.feed(bytes, window);
                match finder.find(&window.bytes) {
                    Some(at) => {
                        let end = at + finder.needle().len();
                        self.hit(at, end);
                    }
                    None => {
                        let keep = finder.needle().len().saturating_sub(1);
                        self.lines_before += window.keep_last(keep);
                    }
                }
            }
            Search::Regex(automaton) => {
                let from = automaton.window.bytes.len();
                self.stripper.feed(bytes, &mut automaton.window);
                match automaton.step(from) {
                    Some(end) => self.hit(end.saturating_sub(1), end),
                    // The window serves only to name a place. A match is reported one byte late,
                    // so the last byte may still be that place.
                    None => self.lines_before += automaton.window.keep_last(1),
                }
            }
        }
    }

    /// The stream is over: what was found in it.
    #[must_use]
    pub fn finish(mut self) -> Option<MarkerAt> {
        if self.found.is_none() {
            match &mut self.search {
                Search::Off => {}
                Search::Plain { finder, window } => {
                    self.stripper.finish(window);
                    if let Some(at) = finder.find(&window.bytes) {
                        let end = at + finder.needle().len();
                        self.hit(at, end);
                    }
                }
                Search::Regex(automaton) => {
                    let from = automaton.window.bytes.len();
                    self.stripper.finish(&mut automaton.window);
                    if let Some(end) = automaton.step(from).or_else(|| automaton.end()) {
                        self.hit(end.saturating_sub(1), end);
                    }
                }
            }
        }
        self.found
    }

    /// Records a match in `start..end` of the window and looks at what follows it there.
    fn hit(&mut self, start: usize, end: usize) {
        let window = match &mut self.search {
            Search::Plain { window, .. } => std::mem::take(window),
            Search::Regex(automaton) => std::mem::take(&mut automaton.window),
            Search::Off => return,
        };
        let before = window.bytes.get(..start).unwrap_or_default();
        self.found = Some(MarkerAt {
            stream: self.stream,
            offset: window.raw_offset(start),
            line: self.lines_before + memchr::memchr_iter(b'\n', before).count() as u64 + 1,
            overwritten: false,
        });
        self.after = After::Open;
        let marker_ends_line = window
            .bytes
            .get(start..end)
            .is_some_and(|m| m.ends_with(b"\n"));
        if marker_ends_line {
            self.after = After::Closed;
        }
        self.watch(window.bytes.get(end..).unwrap_or_default());
    }

    /// Looks for a CR that brings the cursor back over the marker and a byte that is drawn there.
    fn watch(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.after = match (self.after, byte) {
                (After::Closed, _) => return,
                (_, b'\n') => After::Closed,
                (_, b'\r') => After::Returned,
                (After::Open, _) => After::Open,
                (After::Returned, _) => {
                    if let Some(found) = &mut self.found {
                        found.overwritten = true;
                    }
                    After::Closed
                }
            };
        }
    }
}

impl Automaton<'_> {
    /// Steps over the window from `from`; the end of the first match, as a place in the window.
    fn step(&mut self, from: usize) -> Option<usize> {
        for (at, byte) in self.window.bytes.iter().enumerate().skip(from) {
            self.state = self
                .dfa
                .next_state(&mut self.cache, self.state, *byte)
                .ok()?;
            // A lazy automaton reports a match one byte late.
            if self.state.is_match() {
                return Some(at);
            }
        }
        None
    }

    /// Whether the end of the stream completes a match.
    fn end(&mut self) -> Option<usize> {
        let state = self.dfa.next_eoi_state(&mut self.cache, self.state).ok()?;
        state.is_match().then_some(self.window.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::text::Foreign;

    fn plain(text: &str) -> Pattern {
        Pattern::compile(&Expect::Plain(Foreign::from(text))).expect("compiles")
    }

    fn regex(source: &str, flags: &str) -> Result<Pattern, Unverifiable> {
        Pattern::compile(&Expect::Regex {
            source: Foreign::from(source),
            flags: Foreign::from(flags),
        })
    }

    fn look(pattern: &Pattern, parts: &[&[u8]]) -> Option<MarkerAt> {
        let mut matcher = Matcher::new(pattern, Stream::Stdout);
        for part in parts {
            matcher.feed(part);
        }
        matcher.finish()
    }

    fn at(offset: u64, line: u64, overwritten: bool) -> MarkerAt {
        MarkerAt {
            stream: Stream::Stdout,
            offset,
            line,
            overwritten,
        }
    }

    #[test]
    fn the_answer_does_not_depend_on_where_a_read_ends() {
        let text = "one\n\u{1b}[31mtwo\u{1b}[0m größe-\u{1b}[1mok\nthree".as_bytes();
        let wanted = Some(at(17, 2, false));
        for pattern in [plain("größe-ok"), regex("gr.+e-ok", "").expect("compiles")] {
            for first in 0..=text.len() {
                for second in [first, first + 1, first + 7] {
                    let second = second.min(text.len());
                    let parts = [&text[..first], &text[first..second], &text[second..]];
                    let found = look(&pattern, &parts);
                    match pattern {
                        Pattern::Plain(_) => assert_eq!(found, wanted, "{first} {second}"),
                        _ => assert_eq!(found.map(|m| m.line), Some(2), "{first} {second}"),
                    }
                }
            }
        }
    }

    #[test]
    fn a_marker_after_anything_is_found_and_only_sgr_is_taken_out() {
        let marker = plain("all-ok");
        let rows: [(&[u8], bool); 8] = [
            (b"\0\xff\x9b all-ok", true),
            (b"all-\x1b[1;31mok", true),
            (b"all-\x1b[Kok", false),
            (b"all-\0ok", false),
            (b"ALL-OK", false),
            (b"all-\nok", false),
            (b"all-o\x1b[0m", false),
            (b"all-ok", true),
        ];
        for (bytes, wanted) in rows {
            assert_eq!(look(&marker, &[bytes]).is_some(), wanted, "{bytes:?}");
        }
    }

    /// A lazy automaton says so only once it is told that nothing follows.
    #[test]
    fn a_pattern_is_found_in_the_last_bytes_of_a_stream() {
        for source in ["all-ok", "all-o.$", "ok\\z"] {
            let pattern = regex(source, "").expect("compiles");
            for parts in [&[&b"so: all-ok"[..]][..], &[b"so: all-", b"o", b"k"]] {
                let found = look(&pattern, parts);
                assert_eq!(found.map(|m| m.line), Some(1), "{source}");
            }
            assert!(look(&pattern, &[b"so: all-"]).is_none(), "{source}");
        }
    }

    #[test]
    fn a_marker_that_a_terminal_would_overwrite_is_reported() {
        let marker = plain("ok");
        let rows: [(&[u8], bool); 6] = [
            (b"ok\rno", true),
            (b"ok\r\nno", false),
            (b"ok\nno\rx", false),
            (b"ok\r", false),
            (b"10%\rok\n", false),
            (b"ok tail\r\r99%\n", true),
        ];
        for (bytes, wanted) in rows {
            for cut in 0..=bytes.len() {
                let found = look(&marker, &[&bytes[..cut], &bytes[cut..]]);
                assert_eq!(
                    found.map(|m| m.overwritten),
                    Some(wanted),
                    "{bytes:?} {cut}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_be_decided_is_unverifiable() {
        let deep = format!("{}a{}", "(".repeat(300), ")".repeat(300));
        let long = "a".repeat(PATTERN_BYTES + 1);
        let rows = [
            "a{1000}{1000}{1000}",
            deep.as_str(),
            "[",
            "(?=a)b",
            "(?<!a)b",
            "(a)\\1",
            "",
            "x*",
            ".*",
            "^$",
            "a|",
            "\\bx*\\b",
            long.as_str(),
        ];
        for source in rows {
            assert!(regex(source, "").is_err(), "{source}");
        }
        for flags in ["y", "u", "v", "ii", "z"] {
            assert!(regex("ok", flags).is_err(), "{flags}");
        }
        assert!(Pattern::compile(&Expect::Plain(Foreign::from(" \t"))).is_err());
    }

    #[test]
    fn patterns_mean_what_they_mean_in_the_original() {
        let rows = [
            ("^all ok$", "", "all ok", true),
            ("^all ok$", "", "all ok\n", false),
            ("^all ok$", "m", "x\nall ok\ny", true),
            ("ALL", "i", "all", true),
            ("a.b", "", "a\nb", false),
            ("a.b", "s", "a\nb", true),
            (r"passed: \d+\/\d+", "", "passed: 3/3", true),
            (r"\bok\b", "", "tok", false),
            (r"\bok\b", "g", "is ok", true),
            (r"ok$", "", "ok", true),
        ];
        for (source, flags, text, wanted) in rows {
            let pattern = regex(source, flags).expect("compiles");
            for cut in 0..=text.len() {
                let (one, two) = text.as_bytes().split_at(cut);
                let found = look(&pattern, &[one, two]).is_some();
                assert_eq!(found, wanted, "/{source}/{flags} on {text:?} at {cut}");
            }
        }
    }

    #[test]
    fn a_hostile_pattern_is_linear() {
        let pattern = regex("^(a+)+$b", "").or_else(|_| regex("^(a+)+b", ""));
        let text = vec![b'a'; 1 << 20];
        if let Ok(pattern) = pattern {
            assert_eq!(look(&pattern, &[&text]), None);
        }
        let pattern = regex("(a|aa)+b", "").expect("compiles");
        assert_eq!(look(&pattern, &[&text]), None);
    }
}
