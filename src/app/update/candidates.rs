//! What the picker lists for a criterion: the best lines, tests and removals of the change by the
//! rules of [`crate::gate::verify::evidence`], then every hunk, then the person's own words.

use std::collections::BTreeSet;

use crate::gate::verify::evidence::{self, Offer, Offered, Text, is_test_file};
use crate::model::change::{ChangeKind, Hunk};
use crate::model::evidence::Evidence;
use crate::model::id::{CriterionId, RepoPath};
use crate::model::text::{Foreign, Place};

use super::super::effect::Effect;
use super::super::msg::Side;
use super::super::state::{Candidate, FileView, Mode, Purpose, State};
use super::picker::{hunk_evidence, lines_of};

/// Most hunks that are listed of files that the criterion does not name.
const OTHERS: usize = 40;
/// Most candidates that the rules put before the list of hunks.
const BEST: usize = 12;
/// Most lines of the change that are read for the picker.
const LINES: u32 = 6000;
/// Most lines of a test file that are read for test ids.
const TEST_LINES: u32 = 2000;

/// Changed files in the order the picker asks for them, those first that the criterion names.
pub(super) fn ranked(state: &State, id: &CriterionId) -> Vec<(RepoPath, bool)> {
    let Some(files) = state.dossier().and_then(|dossier| dossier.files.known()) else {
        return Vec::new();
    };
    let claimed = state.claimed_files(id);
    let naming = state.criterion(id).map(evidence::Named::of);
    let contract = state
        .dossier()
        .and_then(|dossier| dossier.contract.known())
        .map(|record| &record.contract.path);
    let named = |path: &RepoPath| {
        claimed.contains(path) || naming.as_ref().is_some_and(|naming| naming.has(path))
    };
    let (mut first, mut rest): (Vec<_>, Vec<_>) = files
        .iter()
        .map(|file| file.path.clone())
        .filter(|path| Some(path) != contract)
        .map(|path| {
            let named = named(&path);
            (path, named)
        })
        .partition(|(_, named)| *named);
    rest.truncate(OTHERS);
    first.append(&mut rest);
    first
}

/// Asks for the lines that the rules look at: what the hunks of a file hold, and a test file whole.
/// What was asked for once is not asked for again.
pub(super) fn read(state: &mut State, path: &RepoPath, fx: &mut Vec<Effect>) {
    if !matches!(state.mode, Mode::Picker(_)) {
        return;
    }
    let Some(view) = state.diff.files.get(path) else {
        return;
    };
    let Some(hunks) = view.hunks.known() else {
        return;
    };
    let known = state
        .diff
        .files
        .values()
        .map(|view| view.lines.len())
        .sum::<usize>();
    let mut left = LINES.saturating_sub(u32::try_from(known).unwrap_or(u32::MAX));
    let mut wanted: Vec<(Side, u32, u32)> = Vec::new();
    if is_test_file(path) && hunks.after_lines > 0 {
        wanted.push((Side::Head, 0, hunks.after_lines.min(TEST_LINES)));
    }
    for hunk in &hunks.hunks {
        wanted.push((Side::Base, hunk.before.start, hunk.before.end));
        wanted.push((Side::Head, hunk.after.start, hunk.after.end));
    }
    let mut asks = Vec::new();
    for (side, from, to) in wanted {
        let to = to.min(from.saturating_add(left));
        let lacks = |line: &u32| !view.lines.contains_key(&(side, *line));
        let (Some(first), Some(last)) = ((from..to).find(lacks), (from..to).rev().find(lacks))
        else {
            continue;
        };
        left = left.saturating_sub(last + 1 - first);
        asks.push((side, first..last + 1));
    }
    for (side, lines) in asks {
        let ticket = state.ask(Purpose::Text(path.clone(), side));
        fx.push(Effect::Text {
            ticket,
            path: path.clone(),
            side,
            lines,
            tokens: false,
        });
    }
}

/// Everything that could be picked, best first, refused ones last.
pub(super) fn of(state: &State, id: &CriterionId) -> Vec<Candidate> {
    let ranked = ranked(state, id);
    let mut out = best(state, id, &ranked);
    let (named, others): (Vec<_>, Vec<_>) = ranked.iter().partition(|(_, named)| *named);
    let hunks = |files: Vec<&(RepoPath, bool)>| -> Vec<Candidate> {
        files
            .into_iter()
            .filter_map(|(path, named)| of_file(state, path, *named))
            .flatten()
            .collect()
    };
    let known: BTreeSet<String> = out.iter().map(|candidate| candidate.says.clone()).collect();
    let fresh = |candidate: &Candidate| !known.contains(&candidate.says);
    let mut named = hunks(named);
    named.retain(fresh);
    let mut others = hunks(others);
    others.retain(fresh);
    others.truncate(OTHERS);
    out.extend(named);
    out.extend(unknown_tests(state, id, &out));
    out.extend(others);
    out.push(Candidate {
        evidence: None,
        place: None,
        says: "+     your own words: what you looked at, and what it shows".into(),
        grade: "words",
        why: "Enter opens a note".into(),
    });
    out.push(Candidate {
        evidence: None,
        place: None,
        says: "CI    all checks green".into(),
        grade: "refused",
        why: format!("\"CI is green\" says nothing about {id}"),
    });
    out
}

/// Each hunk of a file.
fn of_file(state: &State, path: &RepoPath, named: bool) -> Option<Vec<Candidate>> {
    let view = state.diff.files.get(path)?;
    let hunks = view.hunks.known()?;
    let all = hunks.hunks.iter().map(|hunk| {
        let (first, last) = lines_of(hunk);
        Candidate {
            says: format!("hunk  {}:{first}-{last}", shown(path)),
            evidence: hunk_evidence(state, path, view, hunk),
            place: Some((path.clone(), hunk.clone())),
            grade: if named { "ok" } else { "weak" },
            why: if named {
                "in this change, in a file that the criterion names".into()
            } else {
                "in this change; the criterion does not name the file".into()
            },
        }
    });
    Some(all.collect())
}

/// The best that the rules find in what was read.
fn best(state: &State, id: &CriterionId, ranked: &[(RepoPath, bool)]) -> Vec<Candidate> {
    let Some(criterion) = state.criterion(id) else {
        return Vec::new();
    };
    let files = state.dossier().and_then(|dossier| dossier.files.known());
    let gone = |path: &RepoPath| {
        let file = files.and_then(|files| files.iter().find(|file| &file.path == path));
        file.is_some_and(|file| file.kind == ChangeKind::Deleted)
    };
    let read: Vec<(&RepoPath, &FileView)> = ranked
        .iter()
        .filter_map(|(path, _)| Some((path, state.diff.files.get(path)?)))
        .collect();
    let texts: Vec<Text<'_>> = read
        .iter()
        .map(|(path, view)| text(path, view, gone(path)))
        .collect();
    let pull = state.dossier().and_then(|dossier| dossier.request.pull());
    let body = pull.and_then(|pull| pull.body.as_ref());
    let body = body.and_then(Foreign::raw_str).unwrap_or_default();
    let mut out: Vec<Candidate> = Vec::new();
    for offer in evidence::candidates(criterion, &texts, body)
        .into_iter()
        .take(BEST)
    {
        let file = offer.file.and_then(|at| read.get(at).copied());
        let Some(candidate) = offered(state, &offer, file, body) else {
            continue;
        };
        if !out.iter().any(|other| other.says == candidate.says) {
            out.push(candidate);
        }
    }
    out
}

fn text<'a>(path: &'a RepoPath, view: &'a FileView, gone: bool) -> Text<'a> {
    let of = |side: Side, line: u32| {
        let line = view.lines.get(&(side, line))?;
        line.text.raw_str()
    };
    let hunks = view.hunks.known().map_or(&[][..], |hunks| &hunks.hunks);
    let lines = |side: Side, pick: fn(&Hunk) -> std::ops::Range<u32>| -> Vec<(u32, &'a str)> {
        hunks
            .iter()
            .flat_map(pick)
            .filter_map(|line| Some((line + 1, of(side, line)?)))
            .collect()
    };
    let mut whole: Vec<(u32, &str)> = view
        .lines
        .iter()
        .filter(|((side, _), _)| *side == Side::Head)
        .filter_map(|((_, line), text)| Some((line + 1, text.text.raw_str()?)))
        .collect();
    whole.sort_unstable_by_key(|(line, _)| *line);
    Text {
        path,
        added: lines(Side::Head, |hunk| hunk.after.clone()),
        removed: lines(Side::Base, |hunk| hunk.before.clone()),
        gone,
        whole,
        commits: Vec::new(),
    }
}

/// One offer as a row of the picker.
fn offered(
    state: &State,
    offer: &Offered,
    file: Option<(&RepoPath, &FileView)>,
    body: &str,
) -> Option<Candidate> {
    let shares = if offer.shares.is_empty() {
        String::new()
    } else {
        format!("shares {}", offer.shares.join(", "))
    };
    if let Offer::Body(line) = offer.what {
        let text = body
            .lines()
            .nth(usize::try_from(line).ok()?.checked_sub(1)?)?;
        let text = Foreign::from(text.trim()).shown(Place::Strict);
        return Some(Candidate {
            evidence: None,
            place: None,
            says: format!("said  {text}"),
            grade: "words",
            why: "the request's own word supports and proves nothing; Enter opens a note".into(),
        });
    }
    let (path, view) = file?;
    let hunks = &view.hunks.known()?.hunks;
    let (mut hunk, head) = match offer.what {
        Offer::Lines(first, last) => (within(hunks, first, last, true)?, true),
        Offer::Removed(first, last) | Offer::Gone(first, last) => {
            (within(hunks, first, last, false)?, false)
        }
        Offer::Test(_, line) => match within(hunks, line, line, true) {
            Some(hunk) => (hunk, true),
            None => (hunks.first()?.clone(), true),
        },
        Offer::Body(_) => return None,
    };
    if let Offer::Gone(..) = offer.what {
        hunk = hunks.first()?.clone();
    }
    let (first, last) = lines_of(&hunk);
    let place = shown(path);
    let (says, evidence) = match &offer.what {
        Offer::Test(id, line) => {
            let id = Foreign::from(id.as_str());
            let evidence = Evidence::Test {
                id: id.clone(),
                path: path.clone(),
                line: *line,
            };
            let says = format!("test  {} at {place}:{line}", id.shown(Place::Strict));
            (says, Some(evidence))
        }
        Offer::Gone(..) => (
            format!("gone  {place}"),
            hunk_evidence(state, path, view, &hunk),
        ),
        Offer::Lines(..) | Offer::Removed(..) | Offer::Body(_) => {
            let word = if head { "lines" } else { "minus" };
            let says = format!("{word} {place}:{first}-{last}");
            (says, hunk_evidence(state, path, view, &hunk))
        }
    };
    let named = match (offer.named, &offer.what) {
        (true, Offer::Test(..)) => "named by the criterion; nothing ran it here",
        (false, Offer::Test(..)) => "nothing ran it here",
        (true, _) => "in a file that the criterion names",
        (false, _) => "the criterion does not name the file",
    };
    let why = if shares.is_empty() {
        named.to_owned()
    } else {
        format!("{named}; {shares}")
    };
    let sure = offer.named && !matches!(offer.what, Offer::Test(..));
    Some(Candidate {
        evidence,
        place: Some((path.clone(), hunk)),
        says,
        grade: if sure { "ok" } else { "weak" },
        why,
    })
}

/// The part of a hunk that holds these lines, 1-based.
fn within(hunks: &[Hunk], first: u32, last: u32, head: bool) -> Option<Hunk> {
    let of = |hunk: &Hunk| {
        if head {
            hunk.after.clone()
        } else {
            hunk.before.clone()
        }
    };
    let wanted = first.saturating_sub(1)..last;
    let meets = |hunk: &&Hunk| {
        let lines = of(hunk);
        lines.start < wanted.end && wanted.start < lines.end
    };
    let hunk = hunks.iter().find(meets)?;
    let lines = of(hunk);
    let part = lines.start.max(wanted.start)..lines.end.min(wanted.end);
    Some(if head {
        let at = hunk.before.start;
        Hunk {
            before: at..at,
            after: part,
        }
    } else {
        let at = hunk.after.start;
        Hunk {
            before: part,
            after: at..at,
        }
    })
}

/// Tests that the criterion names and that no scan found.
fn unknown_tests(state: &State, id: &CriterionId, listed: &[Candidate]) -> Vec<Candidate> {
    let Some(criterion) = state.criterion(id) else {
        return Vec::new();
    };
    let found = |test: &Foreign| {
        listed.iter().any(|candidate| match &candidate.evidence {
            Some(Evidence::Test { id, .. }) => {
                let name = test.raw_str().unwrap_or_default();
                id.raw_str().is_some_and(|id| evidence::is_named(name, id))
            }
            _ => false,
        })
    };
    criterion
        .anchors
        .tests
        .iter()
        .filter(|test| !found(test))
        .map(|test| {
            let shown = test.shown(Place::Strict);
            if let Some((path, line)) = mentioned(state, test) {
                return Candidate {
                    evidence: Some(Evidence::Test {
                        id: test.clone(),
                        path: path.clone(),
                        line,
                    }),
                    place: None,
                    says: format!("test  {shown} at {}:{line}", self::shown(path)),
                    grade: "weak",
                    why: "named by the criterion; nothing ran it here".into(),
                };
            }
            Candidate {
                evidence: None,
                place: None,
                says: format!("test  {shown}"),
                grade: "refused",
                why: format!("no changed line that was read holds a test \"{shown}\""),
            }
        })
        .collect()
}

/// The first changed line that was read and holds the last part of a test's id: for languages
/// that no scan knows.
fn mentioned<'a>(state: &'a State, test: &Foreign) -> Option<(&'a RepoPath, u32)> {
    let name = test.raw_str()?;
    let simple = name
        .rsplit([':', '.', '#', '/'])
        .find(|part| !part.is_empty())
        .unwrap_or(name);
    let files = state.diff.files.iter();
    let lines = files.flat_map(|(path, view)| {
        let lines = view.lines.iter();
        let head = lines.filter(|((side, _), _)| *side == Side::Head);
        head.filter(|(_, line)| {
            line.text
                .raw_str()
                .is_some_and(|text| has_word(text, simple))
        })
        .map(move |((_, line), _)| (path, line + 1))
    });
    lines.min()
}

fn has_word(text: &str, word: &str) -> bool {
    let inside = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text
            .get(at + word.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(inside) && !after.is_some_and(inside)
    })
}

fn shown(path: &RepoPath) -> String {
    path.foreign().shown(Place::Strict).plain()
}
