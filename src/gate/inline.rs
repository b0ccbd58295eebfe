//! What of a ruling can stand beside a line of the change: where each thing that goes back is to
//! be said, and whether a forge has that line in its diff. Only the person's own words are posted
//! in their name; what others wrote is named, never repeated.

use crate::model::change::{FileChange, FileHunks, Hunk};
use crate::model::contract::Source;
use crate::model::id::RepoPath;
use crate::model::thread::Side;

use super::dossier::{Dossier, EditTarget};
use super::handoff::{About, Handoff, HandoffItem};
use super::verify::threads::Confidence;

/// Lines around a hunk that a forge shows, and takes comments at.
const CONTEXT: u32 = 3;

/// Something to be said at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The changed file: its path at head, at base for one that was removed.
    pub path: RepoPath,
    /// Which side `line` counts on.
    pub side: Side,
    /// The line, from 1; `None` for the first line that changed.
    pub line: Option<u32>,
    /// What is said.
    pub text: String,
}

/// A remark at a line that the diff has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inline {
    /// The path at head, at base for a file that was removed.
    pub path: RepoPath,
    /// The path at base.
    pub old_path: RepoPath,
    /// The line at base, from 1; `None` for an added line.
    pub old: Option<u32>,
    /// The line at head, from 1; `None` for a removed line.
    pub new: Option<u32>,
    /// What is said.
    pub text: String,
}

/// What goes back with a ruling, each at its place. First row that fits:
///
/// | what goes back | place |
/// |---|---|
/// | a comment that an earlier try of this ruling left | none |
/// | a review thread that is anchored exactly or moved | its line as it is today |
/// | a finding with a file | its line, else the file |
/// | the edit of a criterion in a contract judged at the head | where its statement begins |
/// | any other edit of the contract | the contract |
/// | a criterion with traced files | the first of them |
/// | a file that nobody asked for | the file |
/// | everything else | none: it is in the comment alone |
#[must_use]
pub fn remarks(dossier: &Dossier, handoff: &Handoff) -> Vec<Remark> {
    let at = |item| place(dossier, handoff, item);
    let items = handoff.items.iter();
    items
        .filter_map(|item| {
            let (path, side, line) = at(item)?;
            let text = text(item);
            Some(Remark {
                path,
                side,
                line,
                text,
            })
        })
        .collect()
}

type Spot = (RepoPath, Side, Option<u32>);

fn place(dossier: &Dossier, handoff: &Handoff, item: &HandoffItem) -> Option<Spot> {
    let file = |path: &RepoPath| (path.clone(), Side::Right, None);
    match &item.about {
        About::Thread(id) => {
            let threads = dossier.request.threads.known()?;
            let mut cases = threads.cases.iter();
            let case = cases.find(|case| {
                let thread = threads.threads.threads.get(case.at);
                thread.is_some_and(|thread| &thread.id == id)
            })?;
            let thread = threads.threads.threads.get(case.at)?;
            let own = format!("<!-- countersign ruling={} ", handoff.ruling.0);
            if thread
                .first
                .body
                .raw_str()
                .is_some_and(|said| said.contains(&own))
            {
                return None;
            }
            let spot = thread.spot.as_ref()?;
            let anchor = case.looked.anchor.known()?;
            let sure = matches!(anchor.grade, Confidence::Exact | Confidence::Moved);
            let line = anchor.lines.filter(|_| sure).map(|(_, last)| last)?;
            Some((anchor.path.clone(), spot.side, Some(line)))
        }
        About::Finding(id) => {
            let findings = dossier.request.findings.known()?;
            let found = findings.simplify_of(id)?;
            Some((found.file.clone()?, Side::Right, found.line))
        }
        About::ContractEdit(target) => {
            let contract = handoff.contract.as_ref()?;
            let record = dossier.contract.known()?;
            let line = match target {
                EditTarget::Criterion(id) if contract.source == Source::Head => {
                    let mut all = record.contract.criteria.iter();
                    all.find(|one| &one.id == id).map(|one| one.line)
                }
                _ => None,
            };
            Some((contract.path.clone(), Side::Right, line))
        }
        About::Criterion(_) => item.files.first().map(file),
        About::File(path) => Some(file(path)),
        About::Chain(_) | About::Assertion(_) => None,
    }
}

fn text(item: &HandoffItem) -> String {
    let what = match &item.about {
        About::Criterion(id) => id.to_string(),
        About::ContractEdit(EditTarget::Criterion(id)) => format!("the edit of {id}"),
        About::ContractEdit(
            EditTarget::Whole | EditTarget::Request | EditTarget::Scope | EditTarget::Header,
        ) => "the edit of the contract".to_owned(),
        About::File(_) => "this file".to_owned(),
        About::Thread(_) => "the comment here".to_owned(),
        About::Finding(_) => "the finding here".to_owned(),
        About::Chain(_) | About::Assertion(_) => "this".to_owned(),
    };
    let cause = item.cause.unwrap_or("not met");
    match item.text.trim() {
        "" => format!("{what}: {cause}"),
        words => format!("{what}: {cause}\n\n{words}"),
    }
}

impl Remark {
    /// The lines of the diff that it stands at; `None` when the diff does not have them.
    #[must_use]
    pub fn at(&self, file: &FileChange, hunks: &FileHunks) -> Option<Inline> {
        let (old, new) = match (self.line, self.side) {
            (None, _) => first(hunks.hunks.first()?),
            (Some(line), Side::Right) if line <= hunks.after_lines => {
                let at = |hunk: &Hunk| (hunk.after.clone(), hunk.before.clone());
                let (new, old) = pair(hunks, line, at)?;
                (old, Some(new))
            }
            (Some(line), Side::Left) if line <= hunks.before_lines => {
                let at = |hunk: &Hunk| (hunk.before.clone(), hunk.after.clone());
                let (old, new) = pair(hunks, line, at)?;
                (Some(old), new)
            }
            (Some(_), _) => return None,
        };
        Some(Inline {
            path: file.path.clone(),
            old_path: file.old_path.clone().unwrap_or_else(|| file.path.clone()),
            old,
            new,
            text: self.text.clone(),
        })
    }
}

/// The first line that a hunk changes: an added one, else a removed one.
fn first(hunk: &Hunk) -> (Option<u32>, Option<u32>) {
    if hunk.after.is_empty() {
        (Some(hunk.before.start + 1), None)
    } else {
        (None, Some(hunk.after.start + 1))
    }
}

/// A line of one side, and its twin on the other where nothing changed; `None` outside of what
/// the diff shows.
fn pair(
    hunks: &FileHunks,
    line: u32,
    sides: impl Fn(&Hunk) -> (std::ops::Range<u32>, std::ops::Range<u32>),
) -> Option<(u32, Option<u32>)> {
    let row = line.checked_sub(1)?;
    // of an unchanged line: how far it is from a hunk, and where it is on the other side
    let mut near = None;
    for hunk in &hunks.hunks {
        let (own, other) = sides(hunk);
        if own.contains(&row) {
            return Some((line, None));
        }
        if row < own.start {
            let before = own.start - row;
            if near.is_none() && before <= CONTEXT {
                near = other.start.checked_sub(before);
            }
            break;
        }
        let after = row - own.end;
        near = (after < CONTEXT).then(|| other.end + after);
    }
    near.map(|twin| (line, Some(twin + 1)))
}

impl Inline {
    /// Which side a forge that knows only one of them is told, and the line there.
    #[must_use]
    pub fn side(&self) -> (Side, u32) {
        match (self.new, self.old) {
            (Some(new), _) => (Side::Right, new),
            (None, old) => (Side::Left, old.unwrap_or(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::change::{ChangeKind, HunkMethod};
    use crate::model::known::Known;

    fn hunks(rows: &[(std::ops::Range<u32>, std::ops::Range<u32>)]) -> FileHunks {
        let hunk = |(before, after): &(std::ops::Range<u32>, std::ops::Range<u32>)| Hunk {
            before: before.clone(),
            after: after.clone(),
        };
        FileHunks {
            hunks: rows.iter().map(hunk).collect(),
            before_lines: 30,
            after_lines: 32,
            method: HunkMethod::Histogram,
        }
    }

    /// Side, line, and the lines at base and head where it stands.
    type Row = (Side, Option<u32>, Option<(Option<u32>, Option<u32>)>);

    #[test]
    fn a_remark_stands_at_lines_that_the_diff_has() {
        // line 5 became 5 and 6, line 9 changed to 10, line 20 (now 21) went, line 30 is new
        let hunks = hunks(&[
            (4..5, 4..6),
            (8..9, 9..10),
            (19..20, 20..20),
            (29..29, 29..31),
        ]);
        let file = FileChange {
            path: RepoPath::from("new"),
            old_path: Some(RepoPath::from("old")),
            kind: ChangeKind::Modified,
            old: None,
            new: None,
            shape: Known::NotSupplied,
            counts: Known::NotSupplied,
            marks: Known::NotSupplied,
        };
        let (left, right) = (Side::Left, Side::Right);
        let rows: [Row; 21] = [
            (right, None, Some((None, Some(5)))),
            (right, Some(1), None),
            (right, Some(2), Some((Some(2), Some(2)))),
            (right, Some(4), Some((Some(4), Some(4)))),
            (right, Some(5), Some((None, Some(5)))),
            (right, Some(6), Some((None, Some(6)))),
            (right, Some(7), Some((Some(6), Some(7)))),
            (right, Some(9), Some((Some(8), Some(9)))),
            (right, Some(10), Some((None, Some(10)))),
            (right, Some(13), Some((Some(12), Some(13)))),
            (right, Some(14), None),
            (right, Some(18), Some((Some(17), Some(18)))),
            (right, Some(21), Some((Some(21), Some(21)))),
            (right, Some(31), Some((None, Some(31)))),
            (right, Some(32), Some((Some(30), Some(32)))),
            (right, Some(33), None),
            (right, Some(0), None),
            (left, Some(5), Some((Some(5), None))),
            (left, Some(6), Some((Some(6), Some(7)))),
            (left, Some(20), Some((Some(20), None))),
            (left, Some(14), None),
        ];
        for (side, line, wanted) in rows {
            let remark = Remark {
                path: RepoPath::from("new"),
                side,
                line,
                text: "said".into(),
            };
            let got = remark.at(&file, &hunks);
            let lines = got.as_ref().map(|one| (one.old, one.new));
            assert_eq!(lines, wanted, "{side:?} {line:?}");
            assert!(got.is_none_or(|one| one.old_path == RepoPath::from("old")));
        }
    }
}
