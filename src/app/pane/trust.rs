//! The trust page of one oracle: every byte that would run, where, and with what.
//!
//! There is no "trust all unseen": the letter that trusts is locked until every row of this
//! page was on screen, at every size.

use crate::app::msg::TrustCard;
use crate::app::row::{Role, Row, Span};
use crate::app::scene::{Area, Scene, Title};
use crate::app::state::{Focus, Mode, State, TrustPage};
use crate::model::oracle::RunPlace;
use crate::model::text::Place;

use super::facts::Facts;
use super::sheet::{Sheet, Value};
use super::{scroll, words};

/// Draws the page.
pub fn draw(facts: &Facts<'_>, area: Area, scene: &mut Scene) {
    let Mode::Trust(page) = &facts.state.mode else {
        return;
    };
    let rows = match &page.card {
        Some(card) => rows(facts, card, area.width),
        None => vec![Row::ours(" … reading what would run", Role::Muted)],
    };
    let rest = page.rest.len();
    let right = if rest == 0 {
        Row::ours("nothing of it has run", Role::Muted)
    } else {
        let text = format!(
            "{} more wait · nothing of it has run",
            words::number(rest as u64)
        );
        Row::ours(text, Role::Muted)
    };
    let title = Title {
        left: Row::ours(
            format!("Trust the oracle of {}?", page.criterion),
            Role::Strong,
        ),
        right,
        focused: true,
    };
    scroll(facts.state, Focus::Trust, area, title, &rows, scene);
}

/// What the status row says: whether the trusting letters are open.
#[must_use]
pub fn may(state: &State, page: &TrustPage) -> (String, Role) {
    let Some(card) = &page.card else {
        return ("t locked: the card has not come".to_owned(), Role::Warn);
    };
    if let Some(why) = &card.refused {
        return (format!("t closed: {why}"), Role::Bad);
    }
    match page.unseen() {
        Some(0) if page.shown_for(state) < state.world.policy.seen_ms => {
            ("t opens in a moment".to_owned(), Role::Warn)
        }
        Some(0) => ("whole page shown · t open".to_owned(), Role::Good),
        Some(rows) => (
            format!(
                "t locked: {} not on your screen yet",
                words::count(rows, "row")
            ),
            Role::Warn,
        ),
        None => ("t locked: not on your screen yet".to_owned(), Role::Warn),
    }
}

fn rows(facts: &Facts<'_>, card: &TrustCard, width: u16) -> Vec<Row> {
    let airy = facts.state.screen.size.1 >= 30;
    let mut sheet = Sheet::new(width, facts.state.screen.ascii, !airy);
    let text = format!(
        "These bytes would run as you, on the tree of {}. Read them to the end.",
        words::short(&card.head)
    );
    let indent = std::mem::replace(&mut sheet.indent, 1);
    sheet.say("", &text, Role::Strong);
    sheet.indent = indent.max(14).min(usize::from(width) / 3);
    sheet.gap();
    if let Some(why) = &card.refused {
        sheet.say_marked("REFUSED", Some(("▲", Role::Bad)), why, Role::Bad, None);
    }
    sheet.value("CHECK", None, Value::strict(&card.check).with_offsets());
    let ascii = if card.check.raw().is_ascii() {
        "ASCII"
    } else {
        "not only ASCII"
    };
    let size = words::bytes(card.check.raw().len() as u64);
    sheet.say("", &format!("{size}, {ascii}"), Role::Muted);
    sheet.value("EXPECT", None, Value::strict(&card.expect));
    sheet.say("", card.expect_kind, Role::Muted);
    let place = match card.place {
        RunPlace::Checkout => "private checkout of the pinned tree",
        RunPlace::Live => "your own worktree",
    };
    let level = card.isolation.level();
    let open = words::open_at(card.isolation);
    sheet.say(
        "WHERE",
        &format!("{place} · level {level}: {open}"),
        Role::Text,
    );
    sheet.say(
        "GIVEN",
        &format!(
            "{} · {} · no tokens, no stdin, no terminal · {} s",
            card.shell,
            card.environment.join(", "),
            card.limit_ms / 1000
        ),
        Role::Text,
    );
    also(facts, card, &mut sheet);
    sheet.say(
        "BEFORE",
        &format!(
            "{}. Any byte above changes: you are asked again.",
            card.before
        ),
        Role::Text,
    );
    sheet.rows
}

/// Files that the command would run as well.
fn also(facts: &Facts<'_>, card: &TrustCard, sheet: &mut Sheet) {
    if card.also_runs.is_empty() {
        sheet.say(
            "ALSO RUNS",
            "no file of the repository that it names",
            Role::Text,
        );
    }
    for (at, (path, counts)) in card.also_runs.iter().enumerate() {
        let mut spans = facts.shown(&path.foreign(), Place::Strict, Role::Text);
        match counts {
            Some(counts) if counts.is_nothing() => {
                spans.push(Span::ours("  another mode in this change", Role::Warn));
            }
            Some(counts) => {
                spans.push(Span::ours(format!("  +{}", counts.added), Role::Good));
                spans.push(Span::ours(format!(" −{}", counts.removed), Role::Bad));
                spans.push(Span::ours(" in this change", Role::Warn));
            }
            None => spans.push(Span::ours("  unchanged since base", Role::Muted)),
        }
        sheet.spans(if at == 0 { "ALSO RUNS" } else { "" }, None, &spans, None);
    }
    sheet.say("", "trusting the line trusts these", Role::Muted);
}
