//! The bytes of what is selected: every character that is hidden, or no ASCII, with its offset.
//! It reads the state and changes nothing.

use crate::gate::dossier::{EditTarget, Raised, Subject};
use crate::model::contract::ContractEdit;
use crate::model::finding::SimplifyState;
use crate::model::oracle::Expect;
use crate::model::text::{Foreign, Place, is_hidden};

use super::super::msg::Side;
use super::super::pane::card_edit::target_of;
use super::super::state::{Focus, Row, State};
use super::super::subject::name_of;

/// Most characters that are listed.
const MOST: usize = 500;

/// One row: which text, at which byte, what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Odd {
    /// The text it stands in (`CHECK`, `line 57`).
    pub text: String,
    /// 0-based byte offset in it.
    pub at: usize,
    /// The bytes, in hexadecimal.
    pub bytes: String,
    /// The code point; `None` for bytes that are not UTF-8.
    pub code: Option<u32>,
    /// What it is drawn as.
    pub drawn: String,
    /// Whether a terminal would obey, swallow or draw nothing for it.
    pub hidden: bool,
}

/// What was looked at, in words, and what is odd in it.
#[must_use]
pub fn rows(state: &State) -> (String, Vec<Odd>) {
    let (what, texts) = texts(state);
    let mut out = Vec::new();
    for (name, text) in &texts {
        odd(name, text, &mut out);
    }
    out.truncate(MOST);
    (what, out)
}

fn odd(name: &str, text: &Foreign, out: &mut Vec<Odd>) {
    let mut at = 0;
    for chunk in text.raw().utf8_chunks() {
        for character in chunk.valid().chars() {
            let ours = character == '\n' || (character == '\t' && !name.starts_with("CHECK"));
            if (!character.is_ascii() || is_hidden(character)) && !ours {
                let mut bytes = [0; 4];
                let bytes = character.encode_utf8(&mut bytes).as_bytes();
                out.push(of(name, at, bytes, Some(character)));
            }
            at += character.len_utf8();
        }
        if !chunk.invalid().is_empty() {
            out.push(of(name, at, chunk.invalid(), None));
            at += chunk.invalid().len();
        }
    }
}

fn of(name: &str, at: usize, bytes: &[u8], character: Option<char>) -> Odd {
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Odd {
        text: name.to_owned(),
        at,
        bytes: hex.join(" "),
        code: character.map(u32::from),
        drawn: Foreign::new(bytes).shown(Place::Strict).plain(),
        hidden: character.is_none_or(is_hidden),
    }
}

/// The texts of what is selected, each with its name.
fn texts(state: &State) -> (String, Vec<(String, Foreign)>) {
    if state.nav.focus == Focus::Diff
        && let Some(found) = lines(state)
    {
        return found;
    }
    match &state.nav.selected {
        Some(Row::Item(subject)) => (name_of(subject), of_item(state, subject)),
        Some(Row::File(path)) => (
            "the file's name".into(),
            vec![("path".into(), path.foreign())],
        ),
        Some(Row::Verdict) | None => ("nothing is selected".into(), Vec::new()),
    }
}

/// The lines of the shown file that have come, both sides.
fn lines(state: &State) -> Option<(String, Vec<(String, Foreign)>)> {
    let path = state.seen.measured.diff.as_ref()?.path.clone()?;
    let view = state.diff.files.get(&path)?;
    let mut keys: Vec<_> = view.lines.keys().copied().collect();
    keys.sort_by_key(|(side, line)| (*line, *side == Side::Head));
    let texts = keys.into_iter().filter_map(|key| {
        let (side, line) = key;
        let side = if side == Side::Head { "head" } else { "base" };
        let text = view.lines.get(&key)?.text.clone();
        Some((format!("{side} {}", line + 1), text))
    });
    let name = path.foreign().shown(Place::Strict).plain();
    Some((
        format!("the lines of {name} that were read"),
        texts.collect(),
    ))
}

fn of_item(state: &State, subject: &Subject) -> Vec<(String, Foreign)> {
    match subject {
        Subject::Criterion(id) => {
            let Some(criterion) = state.criterion(id) else {
                return Vec::new();
            };
            let mut out = vec![("text".to_owned(), criterion.text.clone())];
            if let Some(oracle) = &criterion.oracle {
                out.push(("CHECK".into(), oracle.check.clone()));
                match &oracle.expect {
                    Expect::Plain(text) => out.push(("EXPECT".into(), text.clone())),
                    Expect::Regex { source, .. } => out.push(("EXPECT".into(), source.clone())),
                    Expect::ExitOnly => {}
                }
            }
            if let Some(slot) = &criterion.evidence {
                out.push(("EVIDENCE".into(), slot.value.clone()));
            }
            out
        }
        Subject::ContractEdit(target) => edits(state, target),
        Subject::ScopeFile(path) => vec![("path".into(), path.foreign())],
        Subject::Message(id) => {
            let found = state.dossier().and_then(|dossier| dossier.message(id));
            let text = found.map(|waiting| waiting.message.text.clone());
            text.map(|text| ("message".to_owned(), text))
                .into_iter()
                .collect()
        }
        Subject::Chain(id) => {
            let mut out = vec![
                ("caller".into(), id.caller.clone()),
                ("callee".into(), id.callee.clone()),
            ];
            if let Some(chain) = state.chain(id) {
                let texts = [
                    ("pass A", &chain.wait_text),
                    ("pass B", &chain.verdict_text),
                ];
                let there = texts
                    .into_iter()
                    .filter_map(|(name, text)| Some((name, text.clone()?)));
                out.extend(there.map(|(name, text)| (name.to_owned(), text)));
            }
            out
        }
        Subject::Review(raised) => raised_texts(state, raised),
        Subject::Assertion(entry) => {
            let all = state.dossier().map(|dossier| &dossier.assertions);
            let found = all.into_iter().flatten().find(|said| said.entry == *entry);
            found.map_or_else(Vec::new, |said| {
                vec![
                    ("subject".into(), said.value.subject.clone()),
                    ("verdict".into(), said.value.verdict.clone()),
                    ("why".into(), said.value.why.clone()),
                ]
            })
        }
    }
}

/// The texts of something that a review raised: every comment, or a finding and its waiver.
fn raised_texts(state: &State, raised: &Raised) -> Vec<(String, Foreign)> {
    let Some(request) = state.dossier().map(|dossier| &dossier.request) else {
        return Vec::new();
    };
    match raised {
        Raised::Thread { .. } => {
            let found = request.threads.known().and_then(|all| all.find(raised));
            let comments = found.into_iter().flat_map(|(_, thread)| thread.comments());
            let named = comments.enumerate().map(|(at, comment)| {
                let name = match at {
                    0 => "comment".to_owned(),
                    at => format!("reply {at}"),
                };
                (name, comment.body.clone())
            });
            named.collect()
        }
        Raised::Finding(id) => {
            let findings = request.findings.known();
            let Some(finding) = findings.and_then(|findings| findings.simplify_of(id)) else {
                return Vec::new();
            };
            let mut out = vec![("finding".to_owned(), finding.finding.clone())];
            if let SimplifyState::Waived(why) = &finding.state {
                out.push(("waiver".to_owned(), why.clone()));
            }
            out
        }
        Raised::Incomplete(_) => Vec::new(),
    }
}

fn edits(state: &State, target: &EditTarget) -> Vec<(String, Foreign)> {
    let record = state.dossier().and_then(|dossier| dossier.contract.known());
    let edits = record.into_iter().flat_map(|record| &record.edits);
    let mine = edits.filter(|edit| target_of(edit) == *target);
    let sides = |edit: &ContractEdit| {
        let part = super::super::pane::words::edit_part(edit.kind);
        let old = edit.old.clone().map(|text| (format!("{part} base"), text));
        let new = edit.new.clone().map(|text| (format!("{part} head"), text));
        [old, new]
    };
    mine.flat_map(sides).flatten().collect()
}
