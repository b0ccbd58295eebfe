//! The card: everything that decides the selected item, and what its evidence does not show.
//!
//! Each row that decides carries its label. The set of labels belongs to the item and is the
//! same at every size; only how many rows a label takes differs.

use crate::app::row::{Role, Row, Span, cut, width_of};
use crate::app::scene::Title;
use crate::app::state::{self, Mode};
use crate::app::subject::key_of;
use crate::gate::dossier::{Raised, Subject};
use crate::gate::judge::Item;
use crate::gate::permit::{Permit, Verb};
use crate::model::id::CriterionId;
use crate::model::text::Place;

use super::facts::Facts;
use super::list_row::one_line;
use super::sheet::{Sheet, Value, chunk_labels};
use super::{card_chain, card_criterion, card_edit, card_message, card_review, card_scope, words};

/// How much air a card has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Blank rows between blocks.
    Airy,
    /// None.
    Dense,
    /// What decides first, under a list.
    Peek,
}

/// All rows of the card of the selection.
#[must_use]
pub fn rows(facts: &Facts<'_>, width: u16, depth: Depth) -> Vec<Row> {
    let ascii = facts.state.screen.ascii;
    let mut sheet = Sheet::new(width, ascii, depth != Depth::Airy);
    let Some(item) = facts.item() else {
        no_item(facts, &mut sheet);
        return sheet.rows;
    };
    if depth == Depth::Airy {
        sheet.push(Row::default());
    }
    match &item.subject {
        Subject::Criterion(id) => card_criterion::fill(facts, item, id, depth, &mut sheet),
        Subject::ContractEdit(target) => card_edit::fill(facts, item, target, depth, &mut sheet),
        Subject::ScopeFile(path) => card_scope::fill(facts, item, path, &mut sheet),
        Subject::Chain(id) => card_chain::fill(facts, item, id, &mut sheet),
        Subject::Assertion(entry) => assertion(facts, item, *entry, &mut sheet),
        Subject::Review(raised) => card_review::fill(facts, item, raised, &mut sheet),
        Subject::Message(id) => card_message::fill(facts, item, id, &mut sheet),
    }
    drafts(facts, item, &mut sheet);
    sheet.rows
}

/// Texts for this item that were typed and never recorded, the first words of each.
fn drafts(facts: &Facts<'_>, item: &Item, sheet: &mut Sheet) {
    if let Mode::Note(_) = facts.state.mode {
        return;
    }
    let begins = format!("{} | ", key_of(&item.subject));
    let kept = facts.state.drafts.iter();
    for (key, text) in kept.filter(|(key, _)| key.starts_with(&begins)) {
        let verb = key.split(" | ").nth(1).unwrap_or_default().to_owned();
        let first = text.lines().next().unwrap_or_default();
        let mut spans = vec![Span::ours(format!("{verb}: "), Role::Warn)];
        spans.extend(facts.shown(&first.into(), Place::Prose, Role::Muted));
        let room = sheet.width.saturating_sub(sheet.indent + 1);
        sheet.spans("DRAFT", None, &cut(&spans, room), None);
    }
}

/// The title of the card: the item, and its standing.
#[must_use]
pub fn title(facts: &Facts<'_>, width: usize) -> Title {
    let Some(item) = facts.item() else {
        return Title {
            left: Row::ours("Selection", Role::Strong),
            ..Title::default()
        };
    };
    let (_, role) = words::glyph(item);
    let right = title_right(facts, item, role);
    let left = match &item.subject {
        Subject::Criterion(id) => {
            let text = facts
                .criterion(id, usize::MAX)
                .map(|criterion| one_line(&criterion.text))
                .unwrap_or_default();
            let room = width.saturating_sub(width_of(&right.left) + 10);
            let mut spans = vec![Span::ours(format!("{id}  "), Role::Strong)];
            spans.extend(facts.shown(&text, Place::Prose, Role::Strong));
            let mut row = Row::default().spans(cut(&spans, room));
            if title_tells(facts, id, width) {
                row.decides = chunk_labels("TEXT", 0, text.raw().len());
            }
            row
        }
        Subject::ContractEdit(_) => Row::ours("This change edits its own contract", Role::Strong),
        Subject::ScopeFile(path) => {
            Row::default().spans(facts.shown(&path.foreign(), Place::Strict, Role::Strong))
        }
        Subject::Chain(id) => {
            Row::default().spans(facts.shown(&id.shown().into(), Place::Strict, Role::Strong))
        }
        Subject::Assertion(_) => Row::ours("Asserted by an agent", Role::Strong),
        Subject::Review(raised) => card_review::heading(facts, raised),
        Subject::Message(id) => Row::ours(id.words(), Role::Strong),
    };
    Title {
        left,
        right,
        focused: false,
    }
}

/// Whether the title of a criterion's card holds its whole text.
#[must_use]
pub fn title_tells(facts: &Facts<'_>, id: &CriterionId, width: usize) -> bool {
    let (Some(item), Some(criterion)) = (facts.item(), facts.criterion(id, usize::MAX)) else {
        return false;
    };
    if criterion.text.raw().contains(&b'\n') || criterion.text.raw().len() > 1024 {
        return false;
    }
    let right = width_of(&title_right(facts, item, Role::Text).left);
    let text = width_of(&facts.shown(&criterion.text, Place::Prose, Role::Text));
    id.as_str().len() + 2 + text + right + HIDDEN_ROWS <= width
}

/// Columns that the rule of a title, and its count of hidden rows, need.
const HIDDEN_ROWS: usize = 26;

fn title_right(facts: &Facts<'_>, item: &Item, role: Role) -> Row {
    let kind = match &item.subject {
        Subject::Criterion(id) => {
            if let Some(run) = facts.state.runs.running.get(id) {
                let now = facts.state.screen.now_ms;
                let seconds = now.saturating_sub(run.since_ms) / 1000;
                let text = format!("running {seconds} s of {} s", run.limit_ms / 1000);
                return Row::ours(text, Role::Accent);
            }
            match facts.criterion(id, usize::MAX) {
                Some(criterion) if criterion.oracle.is_some() => "oracle",
                Some(_) | None => "a person judges",
            }
        }
        Subject::ContractEdit(_) => {
            let gated = card_edit::edits(facts, target_of(item))
                .iter()
                .all(|edit| edit.gated);
            if gated {
                "marked [gated]"
            } else {
                "not [gated]"
            }
        }
        Subject::ScopeFile(_) => "scope",
        Subject::Chain(id) => match facts.state.chain(id).map(|chain| chain.strength) {
            Some(strength) => strength.word(),
            None => "chain",
        },
        Subject::Assertion(_) => "a claim",
        Subject::Review(Raised::Thread { .. }) => "thread",
        Subject::Review(Raised::Finding(_)) => "simplify",
        Subject::Review(Raised::Incomplete(_)) => "comments",
        Subject::Message(_) => "gate message",
    };
    if item.word == kind {
        return Row::ours(kind, role);
    }
    Row::ours(item.word, role).and(format!(" · {kind}"), Role::Muted)
}

fn target_of(item: &Item) -> &crate::gate::dossier::EditTarget {
    match &item.subject {
        Subject::ContractEdit(target) => target,
        Subject::Criterion(_)
        | Subject::ScopeFile(_)
        | Subject::Chain(_)
        | Subject::Assertion(_)
        | Subject::Review(_)
        | Subject::Message(_) => &crate::gate::dossier::EditTarget::Whole,
    }
}

fn no_item(facts: &Facts<'_>, sheet: &mut Sheet) {
    match facts.selected() {
        Some(state::Row::File(path)) => {
            card_scope::file(facts, &path, sheet);
        }
        Some(state::Row::Verdict) => sheet.say("", "the verdict: v opens it", Role::Muted),
        Some(state::Row::Item(_)) => {
            sheet.say(
                "",
                "this item is gone since the last reading: F5 reads again",
                Role::Warn,
            );
        }
        None => sheet.say(
            "",
            "nothing is listed: no contract was found and no file is changed",
            Role::Muted,
        ),
    }
}

/// What the evidence does not show: every limit decides, because it is read or it is not.
pub fn limits(item: &Item, sheet: &mut Sheet) {
    if item.limits.is_empty() {
        return;
    }
    sheet.gap();
    sheet.push(Row::ours(" DOES NOT SHOW", Role::Muted));
    let indent = std::mem::replace(&mut sheet.indent, 3);
    for (at, limit) in item.limits.iter().enumerate() {
        let label = format!("limit {}", at + 1);
        sheet.say_marked("", None, limit, Role::Text, Some(&label));
    }
    sheet.indent = indent;
}

/// What can be done, each verb with its key; closed rows stay, with the reason.
pub fn rulings(item: &Item, sheet: &mut Sheet) {
    let keys = [
        (Verb::Affirm, "r"),
        (Verb::SendBack, "b"),
        (Verb::SetAside, "a"),
    ];
    sheet.gap();
    sheet.push(Row::ours(" RULINGS", Role::Muted));
    for (verb, key) in keys {
        let (key, does, why) = match item.permits.of(verb) {
            Permit::Open(does) | Permit::Locked(does) => (key, *does, None),
            Permit::Closed { does, because } => ("–", *does, Some(&because.why)),
            Permit::Absent => continue,
        };
        let live = why.is_none();
        let mut row = Row::ours("   ", Role::Text)
            .and(key, if live { Role::Accent } else { Role::Muted })
            .and("   ", Role::Text)
            .and(does, if live { Role::Text } else { Role::Muted });
        if let Some(why) = why {
            row = row.to(28, true).and(format!("closed: {why}"), Role::Muted);
        }
        sheet.push(row);
    }
    sheet.push(
        Row::ours("   ", Role::Text)
            .and("Space", Role::Accent)
            .and(" all rulings", Role::Muted),
    );
}

/// What a person decided on this item, newest last.
pub fn decided(facts: &Facts<'_>, item: &Item, sheet: &mut Sheet) {
    let decisions = &facts.dossier.decisions;
    let mut first = true;
    for recorded in decisions
        .iter()
        .filter(|d| d.value.subject() == &item.subject)
    {
        if first {
            sheet.gap();
            first = false;
        }
        let decision = &recorded.value;
        let old = decision.snapshot().head != facts.dossier.snapshot.head;
        let mut spans = vec![Span::ours(decision.word(), Role::Text)];
        if let Some(origin) = decision.carried() {
            let from = format!(" from {}", words::short(&origin.head));
            spans.push(Span::ours(from, Role::Moved));
        }
        spans.push(Span::ours(" by ", Role::Muted));
        spans.extend(facts.shown(&decision.by().into(), Place::Strict, Role::Text));
        let head = words::short(&decision.snapshot().head);
        let role = if old { Role::Moved } else { Role::Muted };
        spans.push(Span::ours(format!(" at {head}"), role));
        spans.push(Span::ours(
            format!(" · entry {}", recorded.number),
            Role::Muted,
        ));
        sheet.spans("DECIDED", None, &spans, None);
    }
}

fn assertion(facts: &Facts<'_>, item: &Item, entry: crate::model::id::EntryId, sheet: &mut Sheet) {
    let found = facts.dossier.assertions.iter().find(|a| a.entry == entry);
    let Some(recorded) = found else {
        sheet.say(
            "",
            "this assertion is not in the ledger any more",
            Role::Warn,
        );
        return;
    };
    let said = &recorded.value;
    let gate = said.gate.as_str().into();
    sheet.say(
        "",
        "An agent gave itself this verdict. It is a claim, no decision.",
        Role::Text,
    );
    sheet.gap();
    sheet.value("GATE", None, Value::strict(&gate));
    sheet.value(
        "SUBJECT",
        None,
        Value::strict(&said.subject).decides("SUBJECT"),
    );
    sheet.value("SAYS", None, Value::strict(&said.verdict).decides("SAYS"));
    sheet.value("WHY", None, Value::strict(&said.why).decides("WHY"));
    let same = said.head == facts.dossier.snapshot.head;
    let (text, role) = if same {
        ("the head under review", Role::Text)
    } else {
        ("another head", Role::Moved)
    };
    let head = format!("{} · {text}", words::short(&said.head));
    sheet.say_marked("AT", None, &head, role, Some("AT"));
    limits(item, sheet);
    decided(facts, item, sheet);
    rulings(item, sheet);
}
