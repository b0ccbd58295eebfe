//! The picture of the queue screen: the table over what the selected row says; an opened row on
//! a page of its own (screens.md, queue).

use std::ops::Range;

use crate::app::pane::words;
use crate::app::row::{Ground, Role, Row, Span, cut, width, wrap_prose};
use crate::app::scene::{Panel, Scene, Title};
use crate::model::standing::Standing;

use super::{Became, Item, Line, Mode, Opens, Page, Queue, Tone, boxes};

/// Rows above, and below.
const HEAD: usize = 1;
const FOOT: usize = 2;

/// What the screen has room for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// Rows of the opened page, or of the plan, altogether.
    pub total: usize,
    /// Rows there is room for.
    pub room: usize,
    /// Those on the screen.
    pub rows: Range<usize>,
    /// The line that each row is of.
    pub of_line: Vec<usize>,
}

/// How the opened page, or the plan over it, is laid out.
#[must_use]
pub fn layout(queue: &Queue) -> Layout {
    let height = usize::from(queue.size.1);
    let (lines, columns, room, scroll) = match (&queue.mode, &queue.page) {
        (Mode::Confirm(plan), _) => (
            &plan.lines,
            boxes::columns(queue),
            boxes::room(queue),
            plan.scroll,
        ),
        (_, Some(page)) => (
            &page.lines,
            usize::from(queue.size.0).saturating_sub(2),
            height.saturating_sub(HEAD + FOOT + 1),
            page.scroll,
        ),
        (_, None) => return Layout::default(),
    };
    let rows = wrapped(queue.ascii, lines, columns);
    let total = rows.len();
    let from = scroll.min(total.saturating_sub(room));
    Layout {
        total,
        room,
        rows: from..(from + room).min(total),
        of_line: rows.into_iter().map(|(line, _)| line).collect(),
    }
}

/// Text of ours or made visible, in ASCII where only that may be drawn.
pub(super) fn told(ascii: bool, text: &str, role: Role) -> Vec<Span> {
    if !ascii || text.is_ascii() {
        return vec![Span::ours(text, role)];
    }
    let mut out = Vec::new();
    words::ascii_only(text, role, &mut out);
    out
}

/// Lines as rows of at most `columns`, each with the line it is of.
#[must_use]
pub fn wrapped(ascii: bool, lines: &[Line], columns: usize) -> Vec<(usize, Row)> {
    let columns = columns.max(8);
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let (role, ground) = match line.tone {
            Tone::Plain => (Role::Text, Ground::Plain),
            Tone::Head => (Role::Strong, Ground::Plain),
            Tone::Bad => (Role::Bad, Ground::Plain),
            Tone::Warn => (Role::Warn, Ground::Plain),
            Tone::Gone => (Role::Text, Ground::Removed),
            Tone::Come => (Role::Text, Ground::Added),
        };
        let text = line.text.trim_start_matches(' ');
        let indent = (line.text.len() - text.len()).min(columns / 3);
        let spans = told(ascii, text, role);
        let mut parts = wrap_prose(&spans, columns - indent);
        if parts.is_empty() {
            parts.push(Vec::new());
        }
        for part in parts {
            let row = Row::ours(" ".repeat(indent + 1), Role::Text).spans(part);
            out.push((at, row.on(ground)));
        }
    }
    out
}

/// The whole screen.
#[must_use]
pub fn compose(queue: &Queue) -> Scene {
    let mut scene = Scene {
        size: queue.size,
        ascii: queue.ascii,
        ..Scene::default()
    };
    if queue.too_small() {
        let says = format!("{} waiting; 40x10 to decide, q leaves", queue.waiting());
        scene.head = vec![Row::ours(says, Role::Text)];
        return scene;
    }
    scene.head = vec![head(queue)];
    match &queue.page {
        Some(page) if queue.mode != Mode::List => opened(queue, page, &mut scene),
        _ => table(queue, &mut scene),
    }
    scene.foot = foot(queue);
    match &queue.mode {
        Mode::List | Mode::Page => {}
        Mode::Words(text, cause) => scene.overlay = Some(boxes::words(queue, text, *cause)),
        Mode::Confirm(plan) => scene.overlay = Some(boxes::confirm(queue, plan)),
    }
    scene
}

fn head(queue: &Queue) -> Row {
    let wide = queue.size.0 >= 80;
    let row = Row::ours(" queue  ", Role::Strong);
    let row = if wide {
        row.and("asserted by agents, waiting for a person", Role::Text)
    } else {
        row
    };
    let says = format!(
        "{} in {} ",
        queue.waiting(),
        words::count(queue.repositories, "worktree")
    );
    row.at_right(says, Role::Accent)
}

/// Widths of the columns of the table: repository, change, asserted; the reason has the rest.
struct Columns {
    repo: usize,
    change: usize,
    asserted: usize,
    why: bool,
}

fn columns(queue: &Queue) -> Columns {
    let longest = |of: fn(&Item) -> &str, most: usize| {
        let all = queue.items.iter().map(|item| width(of(item)));
        all.max().unwrap_or(0).clamp(4, most)
    };
    let room = usize::from(queue.size.0);
    let why = room >= 90;
    let repo = longest(|item| &item.repo, room / 5);
    let change = if room < 70 {
        0
    } else {
        longest(|item| &item.change, room / 6)
    };
    let left = room.saturating_sub(10 + repo + change + 4);
    let asserted = if why {
        longest(|item| &item.asserted, left * 3 / 5)
    } else {
        left
    };
    Columns {
        repo,
        change,
        asserted,
        why,
    }
}

fn mark(item: &Item) -> (&'static str, Role) {
    match (&item.became, item.risk, item.opens) {
        (Became::Answered("ratified"), ..) => words::standing(Standing::Ratified),
        (Became::Answered(_), ..) => words::standing(Standing::KickedBack),
        (Became::Moved, ..) => words::standing(Standing::Stale),
        (_, "?", _) | (_, _, Opens::Nowhere) => words::standing(Standing::Error),
        (Became::Waits, ..) => ("\u{25c6}", Role::Warn),
    }
}

fn row_of(queue: &Queue, at: usize, item: &Item, columns: &Columns) -> Row {
    let selected = at == queue.at;
    let (glyph, role) = mark(item);
    let text = match (&item.became, item.risk) {
        (Became::Answered(_), _) => Role::Muted,
        (_, "high") => Role::Strong,
        _ => Role::Text,
    };
    let risk = match (item.risk, &item.became) {
        (_, Became::Answered(_)) => Role::Muted,
        ("high", _) => Role::Bad,
        ("med", _) => Role::Warn,
        _ => Role::Text,
    };
    let cell =
        |text_of: &str, columns: usize, role: Role| cut(&told(queue.ascii, text_of, role), columns);
    let mut row = Row::ours(if selected { "\u{25b8}" } else { " " }, Role::Accent)
        .and(glyph, role)
        .and(" ", Role::Text)
        .and(item.risk, risk)
        .to(9, true)
        .spans(cell(&item.repo, columns.repo, text))
        .to(9 + columns.repo + 2, true);
    let mut at = 9 + columns.repo + 2;
    if columns.change > 0 {
        row = row.spans(cell(&item.change, columns.change, text));
        at += columns.change + 2;
        row = row.to(at, true);
    }
    row = row.spans(cell(&item.asserted, columns.asserted, text));
    if columns.why {
        at += columns.asserted + 2;
        let rest = usize::from(queue.size.0).saturating_sub(at);
        let why = match &item.became {
            Became::Waits => item.why.clone(),
            Became::Answered(how) => format!("{how} by you"),
            Became::Moved => String::from("moved since it was shown"),
        };
        row = row.to(at, true).spans(cell(&why, rest, Role::Muted));
    }
    row.on(if selected {
        Ground::Selected
    } else {
        Ground::Plain
    })
}

fn table(queue: &Queue, scene: &mut Scene) {
    let height = usize::from(queue.size.1);
    let room = height.saturating_sub(HEAD + FOOT + 1);
    let columns = columns(queue);
    let detail = detail(queue);
    // the table takes what it needs and leaves the detail three rows with its rule
    let least = (detail.len() + 1).min(room / 2);
    let rows = (queue.items.len() + 1).min(room.saturating_sub(least).max(2));
    let shown = rows.saturating_sub(1);
    let last = queue.items.len().saturating_sub(shown);
    let from = queue.at.saturating_sub(shown / 2).min(last);
    let mut out = vec![header(&columns)];
    let all = queue.items.iter().enumerate().skip(from).take(shown);
    out.extend(all.map(|(at, item)| row_of(queue, at, item, &columns)));
    if queue.items.is_empty() {
        out.push(Row::ours(
            format!(
                " nothing waits in {}",
                words::count(queue.repositories, "worktree")
            ),
            Role::Text,
        ));
    }
    let used = out.len();
    let left = Row::ours("Queue ", Role::Strong).and("sorted by risk", Role::Muted);
    let title = Title {
        left,
        right: Row::default(),
        focused: true,
    };
    let more = (
        from,
        queue
            .items
            .len()
            .saturating_sub(from + shown.min(queue.items.len())),
    );
    scene
        .panels
        .push(Panel::across(queue.size.0, HEAD, title, out, more));
    if let Some(item) = queue.item() {
        let left = Row::default().spans(cut(
            &told(queue.ascii, &item.asserted, Role::Strong),
            usize::from(queue.size.0).saturating_sub(6),
        ));
        let title = Title {
            left,
            right: Row::default(),
            focused: false,
        };
        let room = room.saturating_sub(used + 1);
        let below = detail.len().saturating_sub(room);
        let rows = detail.into_iter().take(room).collect();
        scene.panels.push(Panel::across(
            queue.size.0,
            HEAD + 1 + used,
            title,
            rows,
            (0, below),
        ));
    }
}

fn header(columns: &Columns) -> Row {
    let mut row = Row::ours("   risk", Role::Muted)
        .to(9, true)
        .and("worktree", Role::Muted)
        .to(9 + columns.repo + 2, true);
    let mut at = 9 + columns.repo + 2;
    if columns.change > 0 {
        row = row.and("change", Role::Muted);
        at += columns.change + 2;
        row = row.to(at, true);
    }
    row = row.and("asserted", Role::Muted);
    if columns.why {
        at += columns.asserted + 2;
        row = row.to(at, true).and("why here", Role::Muted);
    }
    row
}

/// What the selected row says, wrapped.
fn detail(queue: &Queue) -> Vec<Row> {
    let Some(item) = queue.item() else {
        return Vec::new();
    };
    let columns = usize::from(queue.size.0).saturating_sub(2).max(8);
    let mut out = Vec::new();
    let mut say = |text: &str, role: Role| {
        for part in wrap_prose(&told(queue.ascii, text, role), columns) {
            out.push(Row::ours(" ", Role::Text).spans(part));
        }
    };
    say(
        &format!("{} {}  {}", item.repo, item.change, item.why),
        Role::Text,
    );
    for line in &item.says {
        say(&format!("the agent says  {line}"), Role::Muted);
    }
    for why in &item.closed {
        say(&format!("ratify is never offered  {why}"), Role::Warn);
    }
    match (&item.became, item.opens) {
        (Became::Answered(how), _) => say(&format!("{how} by you"), Role::Good),
        (Became::Moved, _) => say(
            "It moved since it was shown: nothing was written. Enter opens it as it is now.",
            Role::Moved,
        ),
        (Became::Waits, Opens::Session) => say("Enter opens its session.", Role::Text),
        (Became::Waits, Opens::Here) => say(
            "Enter opens it: digest, report, what changed by scenario.",
            Role::Text,
        ),
        (Became::Waits, Opens::Nowhere) => say("It cannot be opened from here.", Role::Warn),
    }
    out
}

fn opened(queue: &Queue, page: &Page, scene: &mut Scene) {
    // behind a box the page stays as it was
    let base = Queue {
        mode: Mode::Page,
        ..queue.clone()
    };
    let layout = layout(&base);
    let rows = wrapped(
        queue.ascii,
        &page.lines,
        usize::from(queue.size.0).saturating_sub(2),
    );
    let rows: Vec<Row> = rows
        .into_iter()
        .skip(layout.rows.start)
        .take(layout.rows.len())
        .map(|(_, row)| row)
        .collect();
    let room = usize::from(queue.size.0).saturating_sub(16);
    let left = Row::default().spans(cut(&told(queue.ascii, &page.title, Role::Strong), room));
    let right = if layout.total > layout.room {
        format!("{} of {}", layout.rows.end, layout.total)
    } else {
        String::new()
    };
    let title = Title {
        left,
        right: Row::ours(right, Role::Muted),
        focused: true,
    };
    let more = (
        layout.rows.start,
        layout.total.saturating_sub(layout.rows.end),
    );
    scene
        .panels
        .push(Panel::across(queue.size.0, HEAD, title, rows, more));
}

fn foot(queue: &Queue) -> Vec<Row> {
    let room = usize::from(queue.size.0).saturating_sub(2);
    let first = match (&queue.notice, &queue.mode) {
        (Some(notice), _) => {
            Row::ours(" ", Role::Text).spans(cut(&told(queue.ascii, notice, Role::Warn), room))
        }
        (None, Mode::Page) if queue.page.as_ref().is_some_and(|page| !page.is_done) => {
            let (word, why) = queue.state_of_ratify();
            let role = if word == "open" {
                Role::Good
            } else {
                Role::Warn
            };
            let mut spans = vec![Span::ours("r ", Role::Accent), Span::ours(word, role)];
            if !why.is_empty() {
                spans.push(Span::ours(": ", Role::Text));
                spans.extend(told(queue.ascii, &why, Role::Text));
            }
            Row::ours(" ", Role::Text).spans(cut(&spans, room))
        }
        (None, _) => {
            let says = match &queue.by {
                Ok(name) => format!("you decide as {name}"),
                Err(why) => format!("nothing can be decided: {why}"),
            };
            Row::ours(" ", Role::Text).spans(cut(&told(queue.ascii, &says, Role::Muted), room))
        }
    };
    let opens = queue.item().map_or("opens", |item| match item.opens {
        Opens::Session => "session",
        Opens::Here | Opens::Nowhere => "opens",
    });
    let keys: &[(&str, &str)] = match &queue.mode {
        Mode::List => &[
            ("Enter", opens),
            ("n", "next"),
            ("j k", "row"),
            ("R", "read again"),
            ("q", "leave"),
        ],
        Mode::Page if queue.page.as_ref().is_some_and(|page| page.is_done) => {
            &[("n", "next"), ("Esc", "list"), ("j k", "scroll")]
        }
        Mode::Page => &[
            ("r", "ratify"),
            ("b", "kick back"),
            ("Esc", "list"),
            ("PgDn", "more"),
            ("n", "next"),
            ("R", "read again"),
        ],
        Mode::Words(..) => &[
            ("Ctrl-s", "shows what it writes"),
            ("Tab", "cause"),
            ("Esc", "leaves it"),
        ],
        Mode::Confirm(_) => &[("Enter", "writes it"), ("Esc", "leaves it")],
    };
    let mut row = Row::ours(" ", Role::Text);
    for (key, does) in keys {
        let next = row
            .clone()
            .and(*key, Role::Accent)
            .and(format!(" {does}  "), Role::Text);
        if crate::app::row::width_of(&next.left) > room + 2 {
            break;
        }
        row = next;
    }
    vec![first, row]
}
