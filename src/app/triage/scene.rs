//! The picture of the triage screen: report above, menu below, whole at every size that decides
//! (screens.md, triage).

use crate::app::pane::words;
use crate::app::row::{Ground, Role, Row, Span, width, wrap_prose};
use crate::app::scene::{Panel, Scene, Title};
use crate::gate::menu::reply::{Scope, sent};
use crate::gate::report::{CHECKLIST, Severity};
use crate::model::menu::{Reply, Row as MenuRow};
use crate::model::text::{Foreign, Place};

use super::{Answered, Gate, Mode, Triage, View, boxes};

/// Rows that the screen has for its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// Of the upper part on screen, its rule left out.
    pub upper: usize,
    /// Of the upper part altogether.
    pub total: usize,
    /// Of the menu on screen, its rule left out.
    pub menu: usize,
}

/// Rows above, and below.
const HEAD: usize = 1;
const FOOT: usize = 2;
/// The upper part never has fewer rows.
const LEAST: usize = 3;

/// How the rows are shared out.
#[must_use]
pub fn layout(triage: &Triage) -> Layout {
    let Some(gate) = triage.gate() else {
        return Layout::default();
    };
    share(triage, upper(triage, gate).len(), menu(triage, gate).len())
}

fn share(triage: &Triage, total: usize, wanted: usize) -> Layout {
    let banner = usize::from(triage.gate().is_some_and(|gate| gate.stale.is_some()));
    let room = usize::from(triage.size.1).saturating_sub(HEAD + banner + FOOT + 2);
    let menu = wanted.min(room.saturating_sub(LEAST));
    Layout {
        upper: room.saturating_sub(menu),
        total,
        menu,
    }
}

/// The whole screen.
#[must_use]
pub fn compose(triage: &Triage) -> Scene {
    let mut scene = Scene {
        size: triage.size,
        ascii: triage.ascii,
        ..Scene::default()
    };
    let Some(gate) = triage.gate() else {
        return scene;
    };
    if triage.too_small() {
        let says = format!("{} waiting; 40x10 to decide, q leaves", triage.gates.len());
        scene.head = vec![Row::ours(says, Role::Text)];
        return scene;
    }
    scene.head = vec![head(triage, gate)];
    scene.banner = gate.stale.as_ref().map(|why| {
        let row = Row::ours(" STALE  ", Role::Moved);
        row.and(format!("{why}. Nothing can be sent here."), Role::Text)
    });
    let above = upper(triage, gate);
    let below = menu(triage, gate);
    let layout = share(triage, above.len(), below.len());
    let top = HEAD + usize::from(scene.banner.is_some());
    scene.panels.push(Panel::across(
        triage.size.0,
        top,
        title(gate),
        slice(
            &above,
            gate.scroll.min(above.len().saturating_sub(layout.upper)),
            layout.upper,
        ),
        (
            gate.scroll,
            above.len().saturating_sub(gate.scroll + layout.upper),
        ),
    ));
    let selected = below.iter().position(|(at, _)| *at == Some(gate.selected));
    let rows: Vec<Row> = below.into_iter().map(|(_, row)| row).collect();
    let last = rows.len().saturating_sub(layout.menu);
    let from = selected
        .map_or(0, |at| at.saturating_sub(layout.menu / 2))
        .min(last);
    scene.panels.push(Panel::across(
        triage.size.0,
        top + 1 + layout.upper,
        menu_title(gate),
        slice(&rows, from, layout.menu),
        (from, rows.len().saturating_sub(from + layout.menu)),
    ));
    scene.foot = foot(triage, gate);
    match &triage.mode {
        Mode::Browse => {}
        Mode::Write(text) => scene.overlay = Some(boxes::writing(triage, gate, text)),
        Mode::Levers => scene.overlay = Some(boxes::levers(triage, gate)),
        Mode::Confirm(answered) => scene.overlay = Some(boxes::confirming(triage, gate, answered)),
    }
    scene
}

pub(super) fn slice(rows: &[Row], from: usize, count: usize) -> Vec<Row> {
    rows.iter().skip(from).take(count).cloned().collect()
}

fn head(triage: &Triage, gate: &Gate) -> Row {
    let mut row = Row::ours(" triage  ", Role::Strong);
    row.left.extend(words::shown(
        triage.ascii,
        &gate.name,
        Place::Strict,
        Role::Text,
    ));
    let at = triage.at + 1;
    let all = triage.gates.len();
    let answered = triage.answered();
    if all > 1 {
        row = row.at_right(
            format!("gate {at} of {all}, {answered} answered "),
            Role::Accent,
        );
    }
    row
}

pub(super) fn name(gate: &Gate) -> String {
    let named = gate.message.gate().map(crate::model::menu::GateLine::name);
    named.unwrap_or_else(|| match Scope::of(&gate.message) {
        Scope::Draft => "a draft".into(),
        Scope::Done => "a run that is done".into(),
        _ => "a message without a marker".into(),
    })
}

fn title(gate: &Gate) -> Title {
    let mut left = Row::ours(" ", Role::Text);
    for (view, words) in [
        (View::Report, "report"),
        (View::Lint, "lint"),
        (View::Raw, "raw message"),
    ] {
        let role = if view == gate.view {
            Role::Strong
        } else {
            Role::Muted
        };
        left = left.and(words, role).and("  ", Role::Text);
    }
    let mut right = Row::default();
    if let Some(head) = &gate.head {
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
        right = right.and(format!(" lint: {} ", words::count(errors, "error")), role);
    }
    Title {
        left,
        right,
        focused: false,
    }
}

fn menu_title(gate: &Gate) -> Title {
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

/// The upper part, wrapped.
fn upper(triage: &Triage, gate: &Gate) -> Vec<Row> {
    let room = usize::from(triage.size.0).saturating_sub(3).max(8);
    let mut rows = Vec::new();
    let mut put = |spans: &[Span]| {
        for line in wrap_prose(spans, room) {
            rows.push(Row::ours(" ", Role::Text).spans(line));
        }
    };
    match gate.view {
        View::Lint => lint_rows(gate, &mut put),
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
                let own = gate.view == View::Raw || number < menu && !(marked && number == 1);
                if !own {
                    continue;
                }
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                if line.is_empty() {
                    if gate.view == View::Raw {
                        put(&[Span::ours(" ", Role::Text)]);
                    }
                    continue;
                }
                let heads = line.starts_with(b"#");
                if heads && gate.view == View::Report && put_any && triage.size.1 >= 24 {
                    put(&[Span::ours(" ", Role::Text)]);
                }
                put_any = true;
                let role = if heads { Role::Strong } else { Role::Text };
                put(&words::shown(
                    triage.ascii,
                    &Foreign::new(line),
                    Place::Prose,
                    role,
                ));
            }
        }
    }
    rows
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
fn menu(triage: &Triage, gate: &Gate) -> Vec<(Option<usize>, Row)> {
    let room = usize::from(triage.size.0).saturating_sub(1);
    let labels = gate.message.rows.iter().map(|row| label(triage, row));
    let widest = labels.map(|spans| span_width(&spans)).max().unwrap_or(0);
    let column = (7 + widest + 2).min(room / 2);
    let mut rows = Vec::new();
    for (at, row) in gate.message.rows.iter().enumerate() {
        rows.extend(menu_row(triage, gate, row, at, column, room));
    }
    let mut say = |spans: Vec<Span>| {
        for line in wrap_prose(&spans, room.saturating_sub(1).max(8)) {
            rows.push((None, Row::ours(" ", Role::Text).spans(line)));
        }
    };
    if let Some(line) = &gate.message.eligibility {
        let role = if line.eligible {
            Role::Good
        } else {
            Role::Warn
        };
        say(words::shown(triage.ascii, &line.text, Place::Prose, role));
    }
    for line in &gate.message.tail {
        say(words::shown(triage.ascii, line, Place::Prose, Role::Muted));
    }
    if gate.message.rows.is_empty() {
        say(vec![Span::ours(asked(gate), Role::Text)]);
    }
    if let Some(answered) = &gate.answer {
        say(vec![
            Span::ours("answered  ", Role::Good),
            Span::ours(means(gate, answered), Role::Text),
        ]);
    }
    rows
}

/// What a message without rows waits for.
fn asked(gate: &Gate) -> String {
    match Scope::of(&gate.message) {
        Scope::Draft => "The draft waits: r sends it after one more look, b changes it in words.",
        Scope::FixRounds => "It asks for more fix rounds: b, then for example `2 more rounds`.",
        Scope::Done => "The run is over. q leaves.",
        _ => "It has no rows: b answers in words.",
    }
    .to_owned()
}

fn label(triage: &Triage, row: &MenuRow) -> Vec<Span> {
    words::shown(triage.ascii, &row.label, Place::Prose, Role::Text)
}

pub(super) fn span_width(spans: &[Span]) -> usize {
    spans.iter().map(|span| width(&span.text)).sum()
}

fn menu_row(
    triage: &Triage,
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
    let mut text = words::shown(triage.ascii, &row.label, Place::Prose, role);
    let gap = column.saturating_sub(7 + span_width(&text)).max(2);
    if !row.consequence.is_blank() {
        text.push(Span::ours(" ".repeat(gap), Role::Text));
        let role = if closed { Role::Warn } else { Role::Muted };
        text.extend(words::shown(
            triage.ascii,
            &row.consequence,
            Place::Prose,
            role,
        ));
    }
    let width = room.saturating_sub(7 + tag.len() + 1).max(8);
    let ground = if selected {
        Ground::Selected
    } else {
        Ground::Plain
    };
    wrap_prose(&text, width)
        .into_iter()
        .enumerate()
        .map(|(index, line)| {
            let out = if index == 0 {
                Row::ours(mark, Role::Accent)
                    .and(format!("{:>2}  ", row.n), role)
                    .spans(line)
                    .at_right(tag.trim_start(), Role::Accent)
            } else {
                Row::ours(" ".repeat(9), Role::Text).spans(line)
            };
            (Some(at), out.on(ground))
        })
        .collect()
}

/// What a reply means and sends, in a sentence.
fn means(gate: &Gate, answered: &Answered) -> String {
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

fn foot(triage: &Triage, gate: &Gate) -> Vec<Row> {
    let notice = triage.notice.as_deref().unwrap_or_default();
    let what = match gate.message.rows.get(gate.selected) {
        Some(row) if row.unavailable.is_none() => format!("send {}", row.n),
        Some(_) => "closed".to_owned(),
        None if Scope::of(&gate.message) == Scope::Draft => "send it".to_owned(),
        None => String::new(),
    };
    let mut keys = vec![("r", what), ("b", "in your words".into())];
    keys.retain(|(_, does)| !does.is_empty());
    let hotfix = crate::gate::menu::HOTFIX.as_bytes();
    let mut rows = gate.message.rows.iter();
    if rows.any(|row| row.label.raw().eq_ignore_ascii_case(hotfix) && row.unavailable.is_none()) {
        keys.push(("p", "as a PR".into()));
    }
    let levers = crate::gate::menu::levers::Lever::ALL;
    if levers
        .iter()
        .any(|lever| lever.closed(&gate.message).is_none())
    {
        keys.push(("m", "more".into()));
    }
    keys.push(("q", "leave".into()));
    if triage.gates.len() > 1 {
        keys.push(("n", "next".into()));
        keys.push(("u", "take back".into()));
    }
    keys.push(("Tab", "lint, raw".into()));
    keys.push(("1-9", "row".into()));
    let mut row = Row::ours(" ", Role::Text);
    for (key, does) in keys {
        row = row
            .and(key, Role::Accent)
            .and(format!(" {does}  "), Role::Text);
    }
    vec![Row::ours(format!(" {notice}"), Role::Warn), row]
}
