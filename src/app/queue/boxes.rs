//! The two boxes of the queue screen: cause and words of a kick-back, and what would be written.

use crate::app::row::{Role, Row, Span, width_of, wrap, wrap_prose};
use crate::app::scene::{Area, Overlay, Title};
use crate::app::triage::text::Text;

use super::scene::{layout, told, wrapped};
use super::{Act, Plan, Queue};

/// Widest box.
const WIDE: u16 = 96;
/// Rows of a box beside its lines: border, challenge.
const CHROME: usize = 6;

/// Columns inside of a box.
pub(super) fn columns(queue: &Queue) -> usize {
    usize::from(queue.size.0.min(WIDE)).saturating_sub(4).max(8)
}

/// Rows of a plan that there is room for.
pub(super) fn room(queue: &Queue) -> usize {
    usize::from(queue.size.1).saturating_sub(CHROME + 2).max(1)
}

fn boxed(queue: &Queue, rows: usize) -> Area {
    let columns = queue.size.0.min(WIDE);
    let height = u16::try_from(rows + 2)
        .unwrap_or(u16::MAX)
        .min(queue.size.1);
    Area {
        x: (queue.size.0 - columns) / 2,
        y: (queue.size.1 - height) / 2,
        width: columns,
        height,
    }
}

/// Words as rows of the box.
fn pieces(queue: &Queue, line: &str) -> Vec<Row> {
    let text = crate::model::text::Foreign::from(line);
    let spans = crate::app::pane::words::shown(
        queue.ascii,
        &text,
        crate::model::text::Place::Prose,
        Role::Text,
    );
    let mut rows: Vec<Row> = wrap(&spans, columns(queue))
        .into_iter()
        .map(|part| Row::ours(" ", Role::Text).spans(part))
        .collect();
    if rows.is_empty() {
        rows.push(Row::ours(" ", Role::Text));
    }
    rows
}

pub(super) fn words(queue: &Queue, text: &Text, cause: Option<usize>) -> Overlay {
    let mut rows = Vec::new();
    let words = queue.causes.iter().map(|(word, _)| word.len());
    let longest = words.max().unwrap_or(0);
    for (at, (word, means)) in queue.causes.iter().enumerate() {
        let picked = cause == Some(at);
        let mark = if picked { " \u{25b8} " } else { "   " };
        let role = if picked { Role::Strong } else { Role::Text };
        let mut row = Row::ours(mark, Role::Accent)
            .and(*word, role)
            .to(3 + longest, false);
        let rest = columns(queue).saturating_sub(width_of(&row.left) + 2);
        if crate::app::row::width(means) <= rest {
            row = row.and(format!("  {means}"), Role::Muted);
        }
        rows.push(row);
    }
    let above = rows.len();
    let most = usize::from(queue.size.1)
        .saturating_sub(above + 5)
        .clamp(1, 8);
    let mut lines: Vec<Row> = Vec::new();
    for line in text.text.split('\n') {
        lines.extend(pieces(queue, line));
    }
    let before = text.text.get(..text.cursor).unwrap_or_default();
    let ahead: Vec<&str> = before.split('\n').collect();
    let mut y = 0;
    for line in ahead.iter().take(ahead.len() - 1) {
        y += pieces(queue, line).len();
    }
    let own = pieces(queue, ahead.last().copied().unwrap_or_default());
    y += own.len() - 1;
    let x = own.last().map_or(0, |row| width_of(&row.left));
    let from = y.saturating_sub(most - 1);
    let mut shown: Vec<Row> = lines.into_iter().skip(from).take(most).collect();
    shown.resize(shown.len().max(most.min(3)), Row::default());
    rows.extend(shown);
    rows.push(
        Row::ours(" Tab", Role::Accent)
            .and(" cause  ", Role::Text)
            .and("Ctrl-s", Role::Accent)
            .and(" shows what it writes  ", Role::Text)
            .and("Esc", Role::Accent)
            .and(" leaves it", Role::Text),
    );
    let cell = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    Overlay {
        area: boxed(queue, rows.len()),
        title: Title {
            left: Row::ours("Kick back: cause, and what has to change", Role::Strong),
            right: Row::default(),
            focused: true,
        },
        rows,
        cursor: Some((cell(x.min(columns(queue) + 1)), cell(above + (y - from)))),
    }
}

pub(super) fn confirm(queue: &Queue, plan: &Plan) -> Overlay {
    let layout = layout(queue);
    let all = wrapped(queue.ascii, &plan.lines, columns(queue));
    let mut rows: Vec<Row> = all
        .into_iter()
        .skip(layout.rows.start)
        .take(layout.rows.len())
        .map(|(_, row)| row)
        .collect();
    let below = layout.total.saturating_sub(layout.rows.end);
    rows.push(if below > 0 || layout.rows.start > 0 {
        Row::ours(format!(" {below} more below, PgDn"), Role::Muted)
    } else {
        Row::default()
    });
    let by = queue.by.as_deref().unwrap_or("nobody");
    let ask = vec![
        Span::ours("type ", Role::Text),
        Span::ours(plan.wanted.clone(), Role::Strong),
        Span::ours(" and Enter to record it as ", Role::Text),
    ];
    let mut ask = ask;
    ask.extend(told(queue.ascii, by, Role::Strong));
    for part in wrap_prose(&ask, columns(queue)) {
        rows.push(Row::ours(" ", Role::Text).spans(part));
    }
    let y = rows.len();
    rows.push(Row::ours(" > ", Role::Accent).and(plan.typed.clone(), Role::Strong));
    let says = match plan.act {
        Act::Ratify => "Ratify: what is written",
        Act::SendBack(_) => "Kick back: what is written",
    };
    let cell = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    Overlay {
        area: boxed(queue, rows.len()),
        title: Title {
            left: Row::ours(says, Role::Strong),
            right: Row::default(),
            focused: true,
        },
        rows,
        cursor: Some((cell(3 + plan.typed.chars().count()), cell(y))),
    }
}
