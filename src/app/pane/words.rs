//! Words and glyphs that more than one pane shows: standings, edits, numbers, ages.

use crate::app::row::{Role, Span};
use crate::gate::chains::AuditVerdict;
use crate::gate::dossier::{EditTarget, Subject};
use crate::gate::floor::verdict::{FloorToken, FloorVerdict};
use crate::gate::judge::{Item, Pane};
use crate::model::contract::EditKind;
use crate::model::id::Oid;
use crate::model::known::Known;
use crate::model::oracle::{Ended, Isolation};
use crate::model::standing::Standing;
use crate::model::text::{Foreign, Place};

/// Foreign text made visible; in ASCII mode everything else becomes a mark as well (TUI-6).
#[must_use]
pub fn shown(ascii: bool, text: &Foreign, place: Place, role: Role) -> Vec<Span> {
    let mut out = Vec::new();
    for piece in text.shown(place).pieces() {
        let role = if piece.mark { Role::Foreign } else { role };
        if ascii && !piece.text.is_ascii() {
            ascii_only(&piece.text, role, &mut out);
        } else {
            out.push(Span::ours(piece.text.clone(), role));
        }
    }
    out
}

/// Every character that is not ASCII as its code point.
pub fn ascii_only(text: &str, role: Role, out: &mut Vec<Span>) {
    for character in text.chars() {
        let (text, role) = if character.is_ascii() {
            (character.to_string(), role)
        } else {
            (format!("<U+{:04X}>", u32::from(character)), Role::Foreign)
        };
        match out.last_mut() {
            Some(last) if last.role == role => last.text.push_str(&text),
            Some(_) | None => out.push(Span::ours(text, role)),
        }
    }
}

/// Glyph and role of a standing (screens.md, visual language).
#[must_use]
pub fn standing(standing: Standing) -> (&'static str, Role) {
    match standing {
        Standing::Unproven => ("□", Role::Warn),
        Standing::Pending => ("○", Role::Text),
        Standing::Failing => ("✗", Role::Bad),
        Standing::Passing => ("●", Role::Text),
        Standing::Ratified => ("✓", Role::Good),
        Standing::Carried => ("⇢", Role::Moved),
        Standing::Stale => ("~", Role::Moved),
        Standing::KickedBack => ("←", Role::Bad),
        Standing::Abandoned => ("⊘", Role::Warn),
        Standing::Overridden => ("⊕", Role::Warn),
        Standing::NotApplicable => ("−", Role::Muted),
        Standing::Error => ("▲", Role::Bad),
    }
}

/// Glyph and role of an item: its standing, except where the kind of the item says more.
#[must_use]
pub fn glyph(item: &Item) -> (&'static str, Role) {
    match (&item.subject, item.owed) {
        (Subject::ContractEdit(_), true) => ("≠", Role::Bad),
        (
            Subject::ScopeFile(_) | Subject::Chain(_) | Subject::Assertion(_) | Subject::Message(_),
            true,
        ) => ("◆", Role::Warn),
        // what informs and stops nothing
        (Subject::Review(_), false) if item.standing == Standing::NotApplicable && !item.blocks => {
            ("·", Role::Muted)
        }
        (Subject::ScopeFile(_) | Subject::ContractEdit(_), false)
            if item.standing == Standing::Unproven =>
        {
            ("◇", Role::Muted)
        }
        (Subject::Criterion(_), _) if item.word == "weak" => ("●", Role::Warn),
        (
            Subject::ContractEdit(_)
            | Subject::ScopeFile(_)
            | Subject::Chain(_)
            | Subject::Assertion(_)
            | Subject::Review(_)
            | Subject::Message(_)
            | Subject::Criterion(_),
            _,
        ) => standing(item.standing),
    }
}

/// The floor gate: its token, and how much could be run where nothing can. An empty floor is never
/// green: nothing was measured (ruling A7).
#[must_use]
pub fn floor(verdict: &Known<FloorVerdict>) -> (String, Role) {
    match verdict {
        Known::Is(floor) if floor.token == FloorToken::Met && floor.floor_empty() => {
            let (_, all) = floor.runnable;
            (format!("empty 0 of {all}"), Role::Warn)
        }
        Known::Is(floor) => {
            let met = floor.token == FloorToken::Met;
            let role = if met { Role::Good } else { Role::Text };
            (floor.token.to_string(), role)
        }
        Known::Unknown(_) => ("…".to_owned(), Role::Muted),
        Known::NotApplicable(_) | Known::NotSupplied => ("–".to_owned(), Role::Muted),
    }
}

/// The chain gate: its verdict, `…` while it is read, `–` where it does not apply.
#[must_use]
pub fn chains(verdict: &Known<AuditVerdict>) -> (&'static str, Role) {
    match verdict {
        Known::Is(verdict) => (
            verdict.word(),
            match verdict {
                AuditVerdict::Pass => Role::Good,
                AuditVerdict::ConditionalPass => Role::Warn,
                AuditVerdict::Fail | AuditVerdict::HarnessError => Role::Bad,
            },
        ),
        Known::Unknown(_) => ("unknown", Role::Warn),
        Known::NotSupplied => ("…", Role::Muted),
        Known::NotApplicable(_) => ("–", Role::Muted),
    }
}

/// The spec gate in the list of gates.
#[must_use]
pub fn spec(word: &Known<&'static str>) -> (&'static str, Role) {
    match word {
        Known::Is("clear") => ("clear", Role::Good),
        Known::Is(word) => (word, Role::Bad),
        Known::Unknown(_) => ("unknown", Role::Warn),
        Known::NotSupplied => ("…", Role::Muted),
        Known::NotApplicable(_) => ("–", Role::Muted),
    }
}

/// Name of a pane as its title says it, number first.
#[must_use]
pub fn pane(pane: Pane) -> &'static str {
    match pane {
        Pane::Contract => "0 Contract",
        Pane::Criteria => "1 Criteria",
        Pane::Comments => "2 Comments",
        Pane::Scope => "3 Scope",
        Pane::Chains => "4 Chains",
        Pane::Spec => "5 Spec",
        Pane::Triage => "6 Triage",
        Pane::Verdict => "7 Verdict",
    }
}

/// Who is meant, as short as a list needs it.
#[must_use]
pub fn target(target: &EditTarget) -> String {
    match target {
        EditTarget::Whole => "the whole contract".to_owned(),
        EditTarget::Request => "REQUEST".to_owned(),
        EditTarget::Criterion(id) => id.to_string(),
        EditTarget::Scope => "FILE SCOPE".to_owned(),
        EditTarget::Header => "header".to_owned(),
    }
}

/// The name of the part that an edit changed.
#[must_use]
pub fn edit_part(kind: EditKind) -> &'static str {
    match kind {
        EditKind::ContractRemoved
        | EditKind::NewInChange
        | EditKind::Untracked
        | EditKind::Uncommitted => "contract",
        EditKind::RequestChanged => "REQUEST",
        EditKind::CriterionRemoved | EditKind::CriterionReworded | EditKind::CriterionAdded => {
            "text"
        }
        EditKind::CheckChanged => "CHECK",
        EditKind::ExpectChanged => "EXPECT",
        EditKind::AbandonAdded | EditKind::AbandonRemoved => "ABANDON",
        EditKind::ScopeAdded | EditKind::ScopeRemoved => "SCOPE",
        EditKind::EvidencePrefilled | EditKind::EvidenceChanged => "EVIDENCE",
        EditKind::BoxTicked => "box",
        EditKind::HeaderChanged => "header",
    }
}

/// What happened to that part, one or two words.
#[must_use]
pub fn edit_happened(kind: EditKind) -> &'static str {
    match kind {
        EditKind::ContractRemoved
        | EditKind::CriterionRemoved
        | EditKind::AbandonRemoved
        | EditKind::ScopeRemoved => "removed",
        EditKind::CriterionAdded | EditKind::AbandonAdded | EditKind::ScopeAdded => "added",
        EditKind::RequestChanged
        | EditKind::CheckChanged
        | EditKind::ExpectChanged
        | EditKind::EvidenceChanged
        | EditKind::HeaderChanged => "edited",
        EditKind::CriterionReworded => "reworded",
        EditKind::EvidencePrefilled => "pre-filled",
        EditKind::BoxTicked => "ticked",
        EditKind::NewInChange => "new",
        EditKind::Untracked => "in no commit",
        EditKind::Uncommitted => "uncommitted",
    }
}

/// Why an edit of this kind is listed first, a whole fragment.
#[must_use]
pub fn edit_why(kind: EditKind) -> &'static str {
    match kind {
        EditKind::ContractRemoved => "the change takes away the contract it is judged by",
        EditKind::RequestChanged => "the request is immutable for the life of the contract",
        EditKind::CriterionRemoved => "what is gone at head is not asked for any more",
        EditKind::CheckChanged => "the command that decides is another one at head",
        EditKind::ExpectChanged => "what counts as a pass is another text at head",
        EditKind::CriterionReworded => "the sentence that is ratified is another one at head",
        EditKind::AbandonAdded => "the change declares a criterion impossible by itself",
        EditKind::AbandonRemoved => "an abandonment of record is gone at head",
        EditKind::CriterionAdded => "a criterion may be added only at a human gate",
        EditKind::ScopeAdded => "the change widens what it may touch",
        EditKind::ScopeRemoved => "what was in scope is not any more",
        EditKind::EvidencePrefilled => "EVIDENCE claims a result; a claim is not a recorded run",
        EditKind::EvidenceChanged => "EVIDENCE says something else than at base",
        EditKind::BoxTicked => "a ticked box proves nothing",
        EditKind::HeaderChanged => "header or clarifications differ",
        EditKind::NewInChange => "the contract was written by those it judges",
        EditKind::Untracked => "a contract is committed, never left in the worktree alone",
        EditKind::Uncommitted => "the worktree holds other bytes of it; they are not judged",
    }
}

/// Where a criterion's run took place, in words.
#[must_use]
pub fn isolation(level: Isolation) -> &'static str {
    match level {
        Isolation::None => "level 0: no wall at all",
        Isolation::Session => "level 1: own session, scrubbed environment",
        Isolation::Files => "level 2: writes limited",
        Isolation::Network => "level 3: writes limited, no network",
    }
}

/// What a level leaves open.
#[must_use]
pub fn open_at(level: Isolation) -> &'static str {
    match level {
        Isolation::None => "no wall at all",
        Isolation::Session => {
            "own session, no terminal; it can write your files, reach the network and local sockets"
        }
        Isolation::Files => {
            "writes limited to the checkout; network and local sockets open (tmux is one)"
        }
        Isolation::Network => "no network, own process table",
    }
}

/// How a run ended.
#[must_use]
pub fn ended(ended: &Ended) -> String {
    match ended {
        Ended::Exited(status) => format!("exit {status}"),
        Ended::Signalled(signal) => format!("killed by signal {signal}"),
        Ended::TimedOut => "stopped at its time limit".to_owned(),
        Ended::Interrupted => "interrupted".to_owned(),
        Ended::NotStarted(why) => format!("not started: {why}"),
    }
}

/// `41 ms`, `0.3 s`, `2 m 05 s`.
#[must_use]
pub fn duration(ms: u64) -> String {
    match ms {
        0..100 => format!("{ms} ms"),
        100..60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        _ => format!("{} m {:02} s", ms / 60_000, ms / 1000 % 60),
    }
}

/// `1,204`.
#[must_use]
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1.9 KB` is never written: `64 MiB`, `1,204 bytes`.
#[must_use]
pub fn bytes(value: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    match value {
        0..10_240 => format!("{} bytes", number(value)),
        10_240..MIB => format!("{} KiB", number(value / 1024)),
        _ => format!("{} MiB", number(value / MIB)),
    }
}

/// `1 hunk`, `2 hunks`.
#[must_use]
pub fn count(value: usize, noun: &str) -> String {
    let plural = if value == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", number(value as u64))
}

/// The head as lists show it.
#[must_use]
pub fn short(oid: &Oid) -> String {
    oid.short()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_as_the_style_says() {
        assert_eq!(number(1204), "1,204");
        assert_eq!(number(1_204_567), "1,204,567");
        assert_eq!(number(0), "0");
        assert_eq!(duration(41), "41 ms");
        assert_eq!(duration(320), "0.3 s");
        assert_eq!(duration(125_000), "2 m 05 s");
        assert_eq!(bytes(64 * 1024 * 1024), "64 MiB");
        assert_eq!(count(1, "hunk"), "1 hunk");
        assert_eq!(count(2, "hunk"), "2 hunks");
    }

    #[test]
    fn ascii_mode_leaves_nothing_else() {
        let spans = shown(
            true,
            &Foreign::from("né\u{202e}"),
            Place::Strict,
            Role::Text,
        );
        let text: String = spans.iter().map(|span| span.text.as_str()).collect();
        assert_eq!(text, "n<U+00E9><U+202E>");
    }
}
