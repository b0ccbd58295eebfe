//! The parts of a gate message that every screen shows alike: the report above, the menu below.
//!
//! Each row that decides carries its label: a line of the message, a row of the menu. A line that
//! is wrapped into several rows has a label for each of them, so that it can be read at any size.

use crate::app::command::Command;
use crate::app::keymap::Keymap;
use crate::app::pane::words;
use crate::app::row::{Ground, Role, Row, Span, width_of, wrap_prose};
use crate::app::scene::Title;
use crate::gate::menu::reply::{Scope, sent};
use crate::gate::report::{CHECKLIST, Severity};
use crate::model::known::Known;
use crate::model::menu::{Reply, Row as MenuRow};
use crate::model::text::{Foreign, Place};

use super::{Answered, Gate, View};

/// How the parts are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// Only ASCII may be drawn.
    pub ascii: bool,
    /// Columns.
    pub columns: u16,
    /// Blank rows between the sections of a report.
    pub airy: bool,
    /// Printed as lines: keys of the screen are not named.
    pub plain: bool,
    /// Which key is which command.
    pub keys: &'a Keymap,
}

/// The upper part never has fewer rows.
const LEAST: usize = 3;

/// How the rows between the two rules are shared out: of the upper part, of the menu.
#[must_use]
pub fn share(room: usize, wanted: usize) -> (usize, usize) {
    let menu = wanted.min(room.saturating_sub(LEAST));
    (room.saturating_sub(menu), menu)
}

/// What a gate is called.
#[must_use]
pub fn name(gate: &Gate) -> String {
    let named = gate.message.gate().map(crate::model::menu::GateLine::name);
    named.unwrap_or_else(|| match Scope::of(&gate.message) {
        Scope::Draft => "a draft".into(),
        Scope::Done => "a run that is done".into(),
        _ => "a message without a marker".into(),
    })
}

/// The rule above the upper part: its views, the head, the linter.
#[must_use]
pub fn title(look: &Look<'_>, gate: &Gate) -> Title {
    let mut left = Row::ours(" ", Role::Text);
    let whole = look.columns >= 78;
    for view in gate
        .views()
        .iter()
        .filter(|view| whole || **view == gate.view)
    {
        let words = match view {
            View::Report => "report",
            View::Lint => "lint",
            View::Raw => "raw message",
            View::Record => "run record",
        };
        let role = if *view == gate.view {
            Role::Strong
        } else {
            Role::Muted
        };
        left = left.and(words, role).and("  ", Role::Text);
    }
    let mut right = Row::default();
    if let Some((at, all)) = gate.place.filter(|(_, all)| *all > 1) {
        right = right.and(format!(" gate {at} of {all} "), Role::Text);
    }
    if let Some(head) = gate.head.as_ref().filter(|_| whole || gate.place.is_none()) {
        let short = head.get(..7).unwrap_or(head).to_owned();
        right = right.and(format!(" for head {short} "), Role::Text);
    }
    if let Some(linted) = &gate.linted {
        let errors = linted
            .findings
            .iter()
            .filter(|f| f.severity == Severity::Error);
        let errors = errors.count();
        let role = if errors > 0 { Role::Bad } else { Role::Text };
        if !whole && errors == 0 && gate.place.is_some() {
            return Title {
                left,
                right,
                focused: false,
            };
        }
        right = right.and(format!(" lint: {} ", words::count(errors, "error")), role);
    }
    Title {
        left,
        right,
        focused: false,
    }
}

/// The rule above the menu.
#[must_use]
pub fn menu_title(gate: &Gate) -> Title {
    let right = match gate.message.recommended() {
        Some(row) => Row::ours(format!(" recommended {} ", row.n), Role::Text),
        None => Row::default(),
    };
    let digest = gate.message.digest.short();
    Title {
        left: Row::ours(format!(" {} ", name(gate)), Role::Strong)
            .and(format!("message {digest} "), Role::Muted),
        right,
        focused: true,
    }
}

/// Wrapped rows; each carries the label, with its number where there are several.
fn labelled(out: &mut Vec<Row>, lines: Vec<Vec<Span>>, label: Option<&str>) {
    let all = lines.len();
    for (line, number) in lines.into_iter().zip(1_usize..) {
        let row = Row::ours(" ", Role::Text).spans(line);
        out.push(match label {
            None => row,
            Some(label) if all == 1 => row.decides(label),
            Some(label) => row.decides(format!("{label} part {number} of {all}")),
        });
    }
}

/// The upper part, wrapped.
#[must_use]
pub fn upper(look: &Look<'_>, gate: &Gate) -> Vec<Row> {
    let room = usize::from(look.columns).saturating_sub(3).max(8);
    let mut rows = Vec::new();
    let mut put = |spans: &[Span], label: Option<&str>| {
        labelled(&mut rows, wrap_prose(spans, room), label);
    };
    match gate.view {
        View::Lint => lint_rows(gate, &mut |spans| put(spans, None)),
        View::Record => record_rows(gate, &mut |spans| put(spans, None)),
        View::Report | View::Raw => {
            let lines = gate.message.text.raw().split(|byte| *byte == b'\n');
            let menu = match (gate.message.separator, gate.message.rows.first()) {
                (Some(line), _) => line,
                (None, Some(row)) => row.line,
                (None, None) => u32::MAX,
            };
            let marked = gate.message.gate().is_some();
            let mut put_any = false;
            for (line, number) in lines.zip(1_u32..) {
                let above = number < menu && !(marked && number == 1);
                if gate.view == View::Report && !above {
                    continue;
                }
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                if line.is_empty() {
                    if gate.view == View::Raw {
                        put(&[Span::ours(" ", Role::Text)], None);
                    }
                    continue;
                }
                let heads = line.starts_with(b"#");
                if heads && gate.view == View::Report && put_any && look.airy {
                    put(&[Span::ours(" ", Role::Text)], None);
                }
                put_any = true;
                let role = if heads { Role::Strong } else { Role::Text };
                let line = Foreign::new(line);
                let spans = words::shown(look.ascii, &line, Place::Prose, role);
                let label = format!("line {number}");
                put(&spans, above.then_some(label.as_str()));
            }
        }
    }
    rows
}

/// What the record of the run says; it is read, and never written.
fn record_rows(gate: &Gate, put: &mut dyn FnMut(&[Span])) {
    match &gate.record {
        Known::Is(lines) => {
            for line in lines {
                put(&[Span::ours(line.clone(), Role::Text)]);
            }
        }
        Known::Unknown(why) | Known::NotApplicable(why) => {
            put(&[Span::ours(
                format!("The run record could not be read: {why}"),
                Role::Bad,
            )]);
        }
        Known::NotSupplied => {}
    }
}

fn lint_rows(gate: &Gate, put: &mut dyn FnMut(&[Span])) {
    for fault in &gate.message.violations {
        let says = format!(
            "menu, line {}: {} ({})",
            fault.line, fault.message, fault.code
        );
        put(&[Span::ours(says, Role::Bad)]);
    }
    let Some(linted) = &gate.linted else {
        put(&[Span::ours(
            "This message is no verdict report; only its menu is checked.",
            Role::Muted,
        )]);
        return;
    };
    for finding in &linted.findings {
        let role = match finding.severity {
            Severity::Error => Role::Bad,
            Severity::Warning => Role::Warn,
        };
        let line = finding.span.line;
        put(&[
            Span::ours(
                format!("{} line {line}: {}", finding.id, finding.message),
                role,
            ),
            Span::ours(format!("; {}", finding.hint()), Role::Muted),
        ]);
    }
    put(&[Span::ours(
        format!("{} words. For you to look at, no linter can:", linted.words),
        Role::Text,
    )]);
    for line in CHECKLIST {
        put(&[Span::ours(format!("- {line}"), Role::Muted)]);
    }
}

/// The menu, wrapped, each row with the index of what it belongs to.
#[must_use]
pub fn menu(look: &Look<'_>, gate: &Gate) -> Vec<(Option<usize>, Row)> {
    let room = usize::from(look.columns).saturating_sub(1);
    let labels = gate.message.rows.iter().map(|row| label(look, row));
    let widest = labels.map(|spans| width_of(&spans)).max().unwrap_or(0);
    let column = (7 + widest + 2).min(room / 2);
    let mut rows = Vec::new();
    for (at, row) in gate.message.rows.iter().enumerate() {
        rows.extend(menu_row(look, gate, row, at, column, room));
    }
    let mut say = |spans: Vec<Span>, label: Option<&str>| {
        let mut wrapped = Vec::new();
        let lines = wrap_prose(&spans, room.saturating_sub(1).max(8));
        labelled(&mut wrapped, lines, label);
        rows.extend(wrapped.into_iter().map(|row| (None, row)));
    };
    if let Some(line) = &gate.message.eligibility {
        let role = if line.eligible {
            Role::Good
        } else {
            Role::Warn
        };
        let spans = words::shown(look.ascii, &line.text, Place::Prose, role);
        say(spans, Some("eligibility"));
    }
    for (line, number) in gate.message.tail.iter().zip(1_usize..) {
        let spans = words::shown(look.ascii, line, Place::Prose, Role::Muted);
        say(spans, Some(&format!("hint {number}")));
    }
    if gate.message.rows.is_empty() {
        say(vec![Span::ours(asked(look, gate), Role::Text)], None);
    }
    if let Some(answered) = &gate.answer {
        let spans = vec![
            Span::ours("answered  ", Role::Good),
            Span::ours(means(gate, answered), Role::Text),
        ];
        say(spans, None);
    }
    rows
}

/// What a message without rows waits for.
fn asked(look: &Look<'_>, gate: &Gate) -> String {
    let key = |command: Command, name: &str| {
        if look.plain {
            format!("{name} with its name")
        } else {
            look.keys.shown(command)
        }
    };
    let (send, words) = (key(Command::Ratify, "r"), key(Command::KickBack, "b"));
    match Scope::of(&gate.message) {
        Scope::Draft => {
            format!("The draft waits: {send} sends it after one more look, {words} changes it.")
        }
        Scope::FixRounds => {
            format!("It asks for more fix rounds: {words}, then for example `2 more rounds`.")
        }
        Scope::Done => "The run is over: nothing waits for a reply.".to_owned(),
        _ => format!("It has no rows: {words} answers in words."),
    }
}

fn label(look: &Look<'_>, row: &MenuRow) -> Vec<Span> {
    words::shown(look.ascii, &row.label, Place::Prose, Role::Text)
}

fn menu_row(
    look: &Look<'_>,
    gate: &Gate,
    row: &MenuRow,
    at: usize,
    column: usize,
    room: usize,
) -> Vec<(Option<usize>, Row)> {
    let selected = gate.selected == at;
    let closed = row.unavailable.is_some();
    let mark = match (selected, closed) {
        (true, _) => " \u{25b8} ",
        (false, true) => " \u{2013} ",
        (false, false) => "   ",
    };
    let role = match (closed, row.recommended) {
        (true, _) => Role::Muted,
        (false, true) => Role::Strong,
        (false, false) => Role::Text,
    };
    let tag = if row.recommended { " recommended" } else { "" };
    let width = room.saturating_sub(7 + tag.len() + 1).max(8);
    let said = if closed { Role::Warn } else { Role::Muted };
    let rest = words::shown(look.ascii, &row.consequence, Place::Prose, said);
    let mut text = words::shown(look.ascii, &row.label, Place::Prose, role);
    let gap = column.saturating_sub(7 + width_of(&text)).max(2);
    let blank = row.consequence.is_blank();
    // beside each other where there is room for both, else one text
    let beside = !blank && 7 + width_of(&text) + gap == column && room >= column + 40;
    let (lines, indent) = if beside {
        let mut wrapped = wrap_prose(&rest, room.saturating_sub(column + tag.len() + 1));
        text.push(Span::ours(" ".repeat(gap), Role::Text));
        if let Some(first) = wrapped.first_mut() {
            text.append(first);
            *first = text;
        }
        (wrapped, column)
    } else {
        if !blank {
            text.push(Span::ours(" ".repeat(gap), Role::Text));
            text.extend(rest);
        }
        (wrap_prose(&text, width), 9)
    };
    let ground = if selected {
        Ground::Selected
    } else {
        Ground::Plain
    };
    let all = lines.len();
    lines
        .into_iter()
        .enumerate()
        .map(|(index, line)| {
            let out = if index == 0 {
                Row::ours(mark, Role::Accent)
                    .and(format!("{:>2}  ", row.n), role)
                    .spans(line)
                    .at_right(tag.trim_start(), Role::Accent)
            } else {
                Row::ours(" ".repeat(indent), Role::Text).spans(line)
            };
            let n = row.n;
            let out = if all == 1 {
                out.decides(format!("row {n}"))
            } else {
                out.decides(format!("row {n} part {} of {all}", index + 1))
            };
            (Some(at), out.on(ground))
        })
        .collect()
}

/// What a reply means and sends, in a sentence.
#[must_use]
pub fn means(gate: &Gate, answered: &Answered) -> String {
    let text = sent(&answered.reply, &answered.typed).unwrap_or_default();
    let text = Foreign::from(text).shown(Place::Strict).plain();
    match &answered.reply {
        Reply::Pick { n, .. } => {
            let label = gate
                .message
                .row(*n)
                .map(|row| row.label.shown(Place::Strict).plain());
            format!("{text}, {}", label.unwrap_or_default())
        }
        other => format!("{}: {text}", other.kind()),
    }
}
