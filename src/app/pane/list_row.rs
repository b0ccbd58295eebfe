//! One row of the list: pointer, unseen dot, glyph, id, text, word; or a changed file.
//! Only rows on screen come here.

use crate::app::row::{Ground, Role, Row, Span, cut, cut_path, width_of};
use crate::app::state::Focus;
use crate::gate::dossier::{EditTarget, Subject};
use crate::gate::judge::Item;
use crate::model::change::{ChangeKind, FileChange, Shape};
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::text::{Foreign, Place};

use super::facts::{self, Facts};
use super::list::Line;
use super::{card_message, card_review, guide, list_empty, list_tree, notes, words};

/// Column widths that all rows of one list share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    all: usize,
    id: usize,
    word: usize,
}

impl Columns {
    pub(super) fn of(facts: &Facts<'_>, all: usize) -> Self {
        let (mut id, mut word) = (1, 9);
        for item in &facts.judgment.items {
            word = word.max(item.word.len());
            if let Subject::Criterion(criterion) = &item.subject {
                id = id.max(criterion.as_str().len());
            }
        }
        let word = word.min(if all >= 50 { 14 } else { 11 });
        Self {
            all,
            id: id.min(all / 5),
            word,
        }
    }
}

pub(super) fn row(facts: &Facts<'_>, line: Line, columns: &Columns, selected: bool) -> Row {
    let row = match line {
        Line::Title(_) | Line::Blank => Row::default(),
        Line::Item(at, place) => facts
            .judgment
            .items
            .get(at)
            .map(|item| item_row(facts, item, place, columns, selected))
            .unwrap_or_default(),
        Line::Caller(at) => list_tree::caller(facts, at),
        Line::Way(at) => list_tree::way(facts, at, columns.all),
        Line::Why(section) => list_empty::why(facts, section, columns.all),
        Line::File(at) => facts
            .files()
            .get(at)
            .map(|file| file_row(facts, file, columns.all, selected))
            .unwrap_or_default(),
        Line::Note(at) => facts
            .dossier
            .notes
            .get(at)
            .map(|note| notes::row(facts, note, columns.all))
            .unwrap_or_default(),
        Line::Guide(at) => guide::strip(facts)
            .and_then(|strip| strip.get(usize::from(at)).copied())
            .map(|text| Row::ours(format!("    {text}"), Role::Text))
            .unwrap_or_default(),
    };
    if selected {
        row.on(Ground::Selected)
    } else {
        row
    }
}

/// The mark of the selected row: full while the list has the keys.
pub(super) fn pointer(facts: &Facts<'_>, selected: bool) -> Span {
    match (selected, facts.state.nav.focus == Focus::List) {
        (true, true) => Span::ours("▸", Role::Accent),
        (true, false) => Span::ours("▹", Role::Accent),
        (false, _) => Span::ours(" ", Role::Text),
    }
}

fn item_row(
    facts: &Facts<'_>,
    item: &Item,
    place: usize,
    columns: &Columns,
    selected: bool,
) -> Row {
    let unseen = item.owed && !facts.seen(&item.subject);
    let role = match (item.owed, unseen) {
        (true, true) => Role::Strong,
        (true, false) => Role::Text,
        (false, _) => Role::Muted,
    };
    let (glyph, glyph_role) =
        running(facts, item).map_or_else(|| words::glyph(item), |(glyph, _)| (glyph, Role::Accent));
    let dot = if unseen { "•" } else { " " };
    let id = id_of(item);
    let mut row = Row::default()
        .spans([pointer(facts, selected)])
        .and(dot, Role::Strong)
        .and(glyph, glyph_role)
        .and(" ", Role::Text);
    let word = running(facts, item).map_or_else(|| item.word.to_owned(), |(_, word)| word);
    let word_at = columns.all.saturating_sub(columns.word + 1);
    if let Subject::ScopeFile(path) = &item.subject {
        let room = word_at.saturating_sub(width_of(&row.left) + 1);
        let counts = facts.file(path).map(counts).unwrap_or_default();
        let counts_wide = if room > 24 { width_of(&counts) + 1 } else { 0 };
        let badge = badges(facts, item);
        let name = facts.shown(&path.foreign(), Place::Strict, role);
        let taken = counts_wide + width_of(&badge);
        row = row.spans(cut_path(&name, room.saturating_sub(taken)));
        row = row.spans(badge);
        if counts_wide > 0 {
            row = row.to(word_at - counts_wide, false).spans(counts);
        }
    } else {
        // a chain and a message have no id, their names take the room
        if !matches!(item.subject, Subject::Chain(_) | Subject::Message(_)) {
            row = row
                .and(cut_word(&id, columns.id), role)
                .to(4 + columns.id + 2, false);
        }
        let badge = badges(facts, item);
        let room = word_at.saturating_sub(width_of(&row.left) + width_of(&badge) + 1);
        let branch = match &item.subject {
            Subject::Chain(id) => list_tree::branch(facts, id),
            _ => None,
        };
        let text = match branch {
            Some(branch) => list_tree::text(facts, branch, columns.all, role),
            None => text_of(facts, item, place, role),
        };
        row = row.spans(cut(&text, room));
        row = row.spans(badge);
    }
    row.to(word_at, true).and(
        cut_word(&word, columns.word),
        glyph_role_for_word(item, glyph_role),
    )
}

/// ` conflict` where people differ, ` bidi` for what hides, in the style that content cannot have.
fn badges(facts: &Facts<'_>, item: &Item) -> Vec<Span> {
    let mut disputed = facts.judgment.disputed.iter();
    let differ = disputed.any(|(subject, _)| subject == &item.subject);
    let conflict = differ.then(|| Span::ours(" conflict", Role::Warn));
    conflict.into_iter().chain(badge(item.badge)).collect()
}

fn badge(word: Option<&'static str>) -> Vec<Span> {
    let spans = word.map(|word| Span::ours(format!(" {word}"), Role::Foreign));
    spans.into_iter().collect()
}

fn glyph_role_for_word(item: &Item, role: Role) -> Role {
    if item.owed { role } else { Role::Muted }
}

fn cut_word(text: &str, columns: usize) -> String {
    let spans = [Span::ours(text, Role::Text)];
    cut(&spans, columns)
        .into_iter()
        .map(|span| span.text)
        .collect()
}

/// Glyph and word of a criterion whose oracle is queued or running.
fn running(facts: &Facts<'_>, item: &Item) -> Option<(&'static str, String)> {
    let Subject::Criterion(id) = &item.subject else {
        return None;
    };
    let runs = &facts.state.runs;
    if let Some(run) = runs.running.get(id) {
        let seconds = facts.state.screen.now_ms.saturating_sub(run.since_ms) / 1000;
        let word = if runs.control.contains(id) {
            "base"
        } else {
            "run"
        };
        return Some(("◐", format!("{word} {seconds} s")));
    }
    runs.queued.contains(id).then(|| ("○", "queued".to_owned()))
}

fn id_of(item: &Item) -> String {
    match &item.subject {
        Subject::Criterion(id) | Subject::ContractEdit(EditTarget::Criterion(id)) => id.to_string(),
        Subject::ContractEdit(
            EditTarget::Whole | EditTarget::Request | EditTarget::Scope | EditTarget::Header,
        )
        | Subject::ScopeFile(_)
        | Subject::Chain(_)
        | Subject::Assertion(_)
        | Subject::Review(_)
        | Subject::Message(_) => String::new(),
    }
}

/// The text of an item's row.
fn text_of(facts: &Facts<'_>, item: &Item, place: usize, role: Role) -> Vec<Span> {
    match &item.subject {
        Subject::Criterion(id) => match facts.criterion(id, place) {
            Some(criterion) => facts.shown(&one_line(&criterion.text), Place::Prose, role),
            None => vec![Span::ours("not in the contract of record", Role::Warn)],
        },
        Subject::ContractEdit(target) => vec![Span::ours(edit_text(facts, target), role)],
        Subject::ScopeFile(path) => facts.shown(&path.foreign(), Place::Strict, role),
        Subject::Chain(id) => {
            let mut out = facts.shown(&id.caller, Place::Strict, role);
            out.push(Span::ours(" → ", Role::Muted));
            out.extend(facts.shown(&id.callee, Place::Strict, role));
            out.extend(list_tree::missing(facts, id));
            out
        }
        Subject::Review(raised) => card_review::line(facts, raised, role),
        Subject::Message(id) => card_message::line(facts, id, role),
        Subject::Assertion(entry) => {
            let found = facts.dossier.assertions.iter().find(|a| &a.entry == entry);
            match found {
                Some(assertion) => {
                    let said = &assertion.value;
                    let mut out = vec![Span::ours(format!("{} ", said.gate), role)];
                    out = out
                        .into_iter()
                        .flat_map(|span| facts.shown(&span.text.into(), Place::Strict, role))
                        .collect();
                    out.extend(facts.shown(&said.verdict, Place::Strict, role));
                    out.push(Span::ours(" for ", Role::Muted));
                    out.extend(facts.shown(&one_line(&said.subject), Place::Prose, role));
                    out
                }
                None => vec![Span::ours(format!("assertion {}", entry.short()), role)],
            }
        }
    }
}

/// A criterion's text with its wrapped lines joined by blanks, for one row.
#[must_use]
pub fn one_line(text: &Foreign) -> Foreign {
    let bytes: Vec<u8> = text
        .raw()
        .iter()
        .take(2048)
        .map(|byte| if *byte == b'\n' { b' ' } else { *byte })
        .collect();
    Foreign::new(bytes)
}

/// `CHECK and EXPECT edited by the change`.
#[must_use]
pub fn edit_text(facts: &Facts<'_>, target: &EditTarget) -> String {
    use crate::model::contract::EditKind;
    let edits = super::card_edit::edits(facts, target);
    let mut parts: Vec<&str> = Vec::new();
    for edit in &edits {
        let part = words::edit_part(edit.kind);
        let claim = matches!(
            edit.kind,
            EditKind::EvidencePrefilled | EditKind::EvidenceChanged | EditKind::BoxTicked
        );
        if !parts.contains(&part) && (!claim || parts.is_empty()) {
            parts.push(part);
        }
    }
    let happened = edits
        .first()
        .map_or("edited", |edit| words::edit_happened(edit.kind));
    match (target, parts.as_slice()) {
        (EditTarget::Whole, _)
            if edits
                .first()
                .is_some_and(|e| matches!(e.kind, EditKind::Untracked | EditKind::Uncommitted)) =>
        {
            match edits.first().map(|edit| edit.kind) {
                Some(EditKind::Uncommitted) => "your worktree has other bytes of it".to_owned(),
                _ => format!("the contract is {happened}"),
            }
        }
        (EditTarget::Whole, _) => format!("the contract is {happened} in the change"),
        (_, []) => format!("{} edited by the change", words::target(target)),
        (_, [one]) => format!("{one} {happened} by the change"),
        (_, [first @ .., last]) => {
            format!("{} and {last} {happened} by the change", first.join(", "))
        }
    }
}

/// What a change holds that is not made of lines; counts of lines would say that it is nothing.
fn without_lines(file: &FileChange) -> Option<(&'static str, Role)> {
    let no_line = file
        .counts
        .known()
        .is_some_and(|counts| counts.is_nothing());
    match (file.shape.known()?, file.kind) {
        (Shape::Missing(_), _) => Some(("unreadable", Role::Bad)),
        (Shape::Binary(..), _) => Some(("bin", Role::Muted)),
        (Shape::Symlink(..), _) => Some(("link", Role::Warn)),
        (Shape::Submodule(..), _) => Some(("sub", Role::Warn)),
        (Shape::Huge(..), _) => Some(("huge", Role::Warn)),
        (Shape::Text | Shape::Empty, ChangeKind::Mode) if no_line => Some(("mode", Role::Warn)),
        (Shape::Text | Shape::Empty, ChangeKind::Renamed) if no_line => Some(("same", Role::Muted)),
        (Shape::Text | Shape::Empty, _) => None,
    }
}

/// `+12 −4`; a word where the change is not one of lines; `…` while unknown.
#[must_use]
pub fn counts(file: &FileChange) -> Vec<Span> {
    if let Some((word, role)) = without_lines(file) {
        return vec![Span::ours(word, role)];
    }
    match &file.counts {
        Known::Is(counts) => {
            let mut out = Vec::new();
            if counts.added > 0 || counts.removed == 0 {
                let text = format!("+{}", words::number(counts.added.into()));
                out.push(Span::ours(text, Role::Good));
            }
            if counts.removed > 0 {
                let gap = if out.is_empty() { "" } else { " " };
                let text = format!("{gap}−{}", words::number(counts.removed.into()));
                out.push(Span::ours(text, Role::Bad));
            }
            out
        }
        Known::Unknown(_) => vec![Span::ours("…", Role::Muted)],
        Known::NotApplicable(_) | Known::NotSupplied => vec![Span::ours("–", Role::Muted)],
    }
}

fn kind_letter(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "A",
        ChangeKind::Deleted => "D",
        ChangeKind::Modified => "M",
        ChangeKind::Renamed => "R",
        ChangeKind::Mode => "m",
        ChangeKind::Type => "T",
    }
}

/// The mark of a file: not accounted for, the contract, claimed by the selected criterion.
fn file_mark(facts: &Facts<'_>, path: &RepoPath) -> Span {
    if facts
        .record()
        .is_some_and(|record| &record.contract.path == path)
    {
        return Span::ours("≠", Role::Bad);
    }
    let Some(scoped) = facts.scoped(path) else {
        return Span::ours(" ", Role::Text);
    };
    if scoped.overflow {
        return Span::ours("◆", Role::Warn);
    }
    match facts.claimant() {
        Some(id) if facts::claims(scoped, &id) => Span::ours("▎", Role::Accent),
        Some(_) | None => Span::ours(" ", Role::Text),
    }
}

/// A row of the file list.
#[must_use]
pub fn file_row(facts: &Facts<'_>, file: &FileChange, all: usize, selected: bool) -> Row {
    let claim = facts.scoped(&file.path).map(facts::claimants);
    let claim = claim.unwrap_or_else(|| "…".to_owned());
    let claim_wide = match all {
        0..30 => 0,
        30..50 => 6,
        _ => 11,
    };
    let claim = match claim_wide {
        6 if claim.contains(|letter: char| letter.is_ascii_lowercase()) => String::new(),
        _ => claim,
    };
    let counts = counts(file);
    let counts_wide = match all {
        0..30 => 4,
        30..50 => 7,
        _ => 9,
    };
    let mut row = Row::default()
        .spans([pointer(facts, selected), file_mark(facts, &file.path)])
        .and(kind_letter(file.kind), Role::Muted)
        .and(" ", Role::Text);
    let counts_at = all.saturating_sub(claim_wide + counts_wide + 1);
    let badge = badge(file.marks.known().and_then(|marks| marks.badge()));
    let room = counts_at.saturating_sub(width_of(&row.left) + width_of(&badge) + 1);
    let name = facts.shown(&file.path.foreign(), Place::Strict, Role::Text);
    row = row.spans(cut_path(&name, room)).spans(badge);
    let counts = cut(&counts, counts_wide);
    row = row
        .to(
            (counts_at + counts_wide).saturating_sub(width_of(&counts)),
            true,
        )
        .spans(counts);
    if claim_wide > 0 {
        let role = if claim == "untraced" {
            Role::Warn
        } else {
            Role::Muted
        };
        row = row
            .to(all.saturating_sub(claim_wide), true)
            .and(cut_word(&claim, claim_wide.saturating_sub(1)), role);
    }
    row
}

/// The text of what a review raised, in one line.
#[must_use]
pub fn subject_line(facts: &Facts<'_>, subject: &Subject) -> Vec<Span> {
    match subject {
        Subject::Review(raised) => card_review::line(facts, raised, Role::Text),
        Subject::Message(id) => card_message::line(facts, id, Role::Text),
        Subject::Criterion(_)
        | Subject::ContractEdit(_)
        | Subject::ScopeFile(_)
        | Subject::Chain(_)
        | Subject::Assertion(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::change::Counts;
    use crate::model::known::Reason;

    #[test]
    fn a_change_without_lines_is_named_and_never_a_count_of_nothing() {
        use ChangeKind::{Added, Mode, Modified, Renamed};
        let lines = |added, removed| Known::Is(Counts { added, removed });
        let table = [
            (Shape::Binary(10, 12), Modified, lines(0, 0), "bin"),
            (Shape::Symlink(None, None), Modified, lines(1, 1), "link"),
            (Shape::Submodule(None, None), Modified, lines(0, 0), "sub"),
            (Shape::Huge(1, 2), Modified, lines(0, 0), "huge"),
            (
                Shape::Missing("gone".to_owned()),
                Modified,
                lines(0, 0),
                "unreadable",
            ),
            (Shape::Text, Mode, lines(0, 0), "mode"),
            (Shape::Text, Renamed, lines(0, 0), "same"),
            (Shape::Empty, Renamed, lines(0, 0), "same"),
            (Shape::Empty, Added, lines(0, 0), "+0"),
            (Shape::Text, Renamed, lines(2, 0), "+2"),
            (Shape::Text, Mode, lines(0, 3), "−3"),
            (
                Shape::Text,
                Modified,
                Known::Unknown(Reason::new("later")),
                "…",
            ),
        ];
        for (shape, kind, counts, says) in table {
            let file = FileChange {
                path: RepoPath::new(b"a".to_vec()),
                old_path: None,
                kind,
                old: None,
                new: None,
                shape: Known::Is(shape.clone()),
                counts,
                marks: Known::NotSupplied,
            };
            let got: String = super::counts(&file).into_iter().map(|s| s.text).collect();
            assert_eq!(got, says, "{shape:?} {kind:?}");
        }
    }
}
