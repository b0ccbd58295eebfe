//! The two boxes of the triage screen: words being written, and a reply as it would be sent.

use crate::app::command::Command;
use crate::app::pane::words;
use crate::app::row::{Role, Row, Span, width_of, wrap, wrap_prose};
use crate::app::scene::{Area, Overlay, Title};
use crate::gate::menu::levers::Lever;
use crate::gate::menu::reply::sent;
use crate::model::menu::{Answer, Reply, Token};
use crate::model::text::{Foreign, Place};

use super::parts::name;
use super::scene::slice;
use super::text::Text;
use super::{Answered, Gate, Triage};

fn boxed(triage: &Triage, rows: usize) -> Area {
    let columns = triage.size.0.min(84);
    let height = u16::try_from(rows + 2)
        .unwrap_or(u16::MAX)
        .min(triage.size.1);
    Area {
        x: (triage.size.0 - columns) / 2,
        y: (triage.size.1 - height) / 2,
        width: columns,
        height,
    }
}

pub(super) fn writing(triage: &Triage, gate: &Gate, text: &Text) -> Overlay {
    let room = usize::from(triage.size.0.min(84)).saturating_sub(4).max(8);
    let most = usize::from(triage.size.1).saturating_sub(6).clamp(1, 8);
    let before = text.text.get(..text.cursor).unwrap_or_default();
    let mut lines: Vec<Row> = Vec::new();
    for line in text.text.split('\n') {
        lines.extend(pieces(triage, line, room));
    }
    let ahead: Vec<&str> = before.split('\n').collect();
    let mut y = 0;
    for line in ahead.iter().take(ahead.len() - 1) {
        y += pieces(triage, line, room).len();
    }
    let own = pieces(triage, ahead.last().copied().unwrap_or_default(), room);
    y += own.len() - 1;
    let x = own.last().map_or(0, |row| width_of(&row.left));
    let from = y.saturating_sub(most - 1);
    let mut rows = slice(&lines, from, most);
    rows.resize(rows.len().max(2), Row::default());
    let shown = rows.len();
    rows.push(Row::default());
    rows.push(
        Row::ours(
            format!(" {}", triage.keys.shown(Command::NoteDone)),
            Role::Accent,
        )
        .and(" shows what it means  ", Role::Text)
        .and(triage.keys.shown(Command::NoteLeave), Role::Accent)
        .and(" back, nothing sent", Role::Text),
    );
    let cell = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    Overlay {
        area: boxed(triage, rows.len()),
        title: Title {
            left: Row::ours(" In your words ", Role::Strong),
            right: Row::ours(format!(" to {} ", name(gate)), Role::Muted),
            focused: true,
        },
        rows,
        cursor: Some((cell(x.min(room + 1)), cell((y - from).min(shown - 1)))),
    }
}

/// A line of the box in pieces of equal width.
fn pieces(triage: &Triage, line: &str, room: usize) -> Vec<Row> {
    let spans = words::shown(triage.ascii, &Foreign::from(line), Place::Prose, Role::Text);
    let mut rows: Vec<Row> = wrap(&spans, room)
        .into_iter()
        .map(|line| Row::ours(" ", Role::Text).spans(line))
        .collect();
    if rows.is_empty() {
        rows.push(Row::ours(" ", Role::Text));
    }
    rows
}

pub(super) fn confirming(triage: &Triage, gate: &Gate, answered: &Answered) -> Overlay {
    let most = usize::from(triage.size.1).saturating_sub(7).max(1);
    let mut rows = told(answered, usize::from(triage.size.0.min(84)), most);
    let out = triage.keys.shown(Command::GoOut);
    rows.push(Row::default());
    rows.push(
        Row::ours(
            format!(" {}", triage.keys.shown(answered.sends())),
            Role::Accent,
        )
        .and(format!(" sends it to {}  ", name(gate)), Role::Text)
        .and(out, Role::Accent)
        .and(" back", Role::Text),
    );
    Overlay {
        area: boxed(triage, rows.len()),
        title: Title {
            left: Row::ours(" What will be sent ", Role::Strong),
            right: Row::ours(
                format!(" message {} ", gate.message.digest.short()),
                Role::Muted,
            ),
            focused: true,
        },
        rows,
        cursor: None,
    }
}

/// What a reply is, and the words that go out, in at most so many rows of a box.
#[must_use]
pub fn told(answered: &Answered, columns: usize, most: usize) -> Vec<Row> {
    let room = columns.saturating_sub(4).max(8);
    let mut rows = Vec::new();
    let mut say = |text: &str, role: Role| {
        for line in wrap_prose(&[Span::ours(text, role)], room) {
            rows.push(Row::ours(" ", Role::Text).spans(line));
        }
    };
    let kind = match &answered.reply {
        Reply::ChangeRequest(why) => format!("It goes as a change request: {why}."),
        Reply::Pick { n, .. } => format!("It picks row {n}."),
        Reply::Token(Token::Abandon { criterion, .. }) => format!(
            "It gives up criterion {criterion} and edits the contract; nothing is ticked by it."
        ),
        Reply::Token(_) => "It is the exact token, and acts.".to_owned(),
        Reply::Answer(Answer::Rounds { rounds, .. }) => {
            format!("It grants {rounds} more fix rounds, with these words as the reason.")
        }
        Reply::Answer(Answer::Contract(_)) => {
            "It decides about the contract; the run changes it, not this program.".to_owned()
        }
        other => format!("It is read as {}.", other.kind()),
    };
    say(&kind, Role::Strong);
    let text = sent(&answered.reply, &answered.typed).unwrap_or_default();
    for line in Foreign::from(text).shown_lines(Place::Prose) {
        say(&format!("> {line}"), Role::Text);
    }
    if rows.len() > most {
        rows.truncate(most.saturating_sub(1));
        rows.push(Row::ours(
            " \u{2026} and more; Esc shows it in the box",
            Role::Muted,
        ));
    }
    rows
}

/// What can be done beside a pick; what is closed stays, with its reason.
pub(super) fn levers(triage: &Triage, gate: &Gate) -> Overlay {
    let room = usize::from(triage.size.0.min(84)).saturating_sub(8).max(8);
    let mut rows = Vec::new();
    for (at, lever) in Lever::ALL.into_iter().enumerate() {
        let closed = lever.closed(&gate.message);
        let (mark, role) = match closed {
            None => (format!(" {} ", at + 1), Role::Text),
            Some(_) => (" \u{2013} ".to_owned(), Role::Muted),
        };
        let mut spans = vec![Span::ours(lever.words(), role)];
        if let Some(why) = closed {
            spans.push(Span::ours(format!("  {why}"), Role::Warn));
        }
        for (index, line) in wrap_prose(&spans, room).into_iter().enumerate() {
            let lead = if index == 0 { mark.as_str() } else { "   " };
            rows.push(Row::ours(lead, Role::Accent).spans(line));
        }
    }
    rows.push(Row::default());
    rows.push(
        Row::ours(" a digit", Role::Accent)
            .and(" begins the words, you finish them  ", Role::Text)
            .and(triage.keys.shown(Command::GoOut), Role::Accent)
            .and(" back", Role::Text),
    );
    Overlay {
        area: boxed(triage, rows.len()),
        title: Title {
            left: Row::ours(" Beside a pick ", Role::Strong),
            right: Row::ours(format!(" at {} ", name(gate)), Role::Muted),
            focused: true,
        },
        rows,
        cursor: None,
    }
}
