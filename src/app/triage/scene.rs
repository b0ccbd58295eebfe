//! The picture of the triage screen: report above, menu below, whole at every size that decides
//! (screens.md, triage).

use crate::app::command::Command;
use crate::app::pane::words;
use crate::app::row::{Role, Row};
use crate::app::scene::{Panel, Scene};
use crate::gate::menu::reply::Scope;
use crate::model::text::Place;

use super::parts::{self, Look, menu, menu_title, title, upper};
use super::{Gate, Mode, Triage, boxes};

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

/// How the rows are shared out.
#[must_use]
pub fn layout(triage: &Triage) -> Layout {
    let Some(gate) = triage.gate() else {
        return Layout::default();
    };
    let look = look(triage);
    share(triage, upper(&look, gate).len(), menu(&look, gate).len())
}

fn look(triage: &Triage) -> Look<'_> {
    Look {
        ascii: triage.ascii,
        columns: triage.size.0,
        airy: triage.size.1 >= 24,
        plain: false,
        keys: &triage.keys,
    }
}

fn share(triage: &Triage, total: usize, wanted: usize) -> Layout {
    let banner = usize::from(triage.gate().is_some_and(|gate| gate.stale.is_some()));
    let room = usize::from(triage.size.1).saturating_sub(HEAD + banner + FOOT + 2);
    let (upper, menu) = parts::share(room, wanted);
    Layout { upper, total, menu }
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
        let says = format!(
            "{} waiting; 40x10 to decide, {} leaves",
            triage.gates.len(),
            triage.keys.shown(Command::Leave)
        );
        scene.head = vec![Row::ours(says, Role::Text)];
        return scene;
    }
    scene.head = vec![head(triage, gate)];
    scene.banner = gate.stale.as_ref().map(|why| {
        let row = Row::ours(" STALE  ", Role::Moved);
        row.and(format!("{why}. Nothing can be sent here."), Role::Text)
    });
    let look = look(triage);
    let above = upper(&look, gate);
    let below = menu(&look, gate);
    let layout = share(triage, above.len(), below.len());
    let top = HEAD + usize::from(scene.banner.is_some());
    scene.panels.push(Panel::across(
        triage.size.0,
        top,
        title(&look, gate),
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

fn foot(triage: &Triage, gate: &Gate) -> Vec<Row> {
    let notice = triage.notice.as_deref().unwrap_or_default();
    let what = match gate.message.rows.get(gate.selected) {
        Some(row) if row.unavailable.is_none() => format!("send {}", row.n),
        Some(_) => "closed".to_owned(),
        None if Scope::of(&gate.message) == Scope::Draft => "send it".to_owned(),
        None => String::new(),
    };
    let mut keys = vec![
        (Command::Ratify, what),
        (Command::KickBack, "in your words".into()),
    ];
    keys.retain(|(_, does)| !does.is_empty());
    if gate.takes_pr() {
        keys.push((Command::PickEvidence, "as a PR".into()));
    }
    if gate.levers() {
        keys.push((Command::Rulings, "more".into()));
    }
    keys.push((Command::Leave, "leave".into()));
    if triage.gates.len() > 1 {
        keys.push((Command::OwedNext, "next".into()));
        keys.push((Command::Undo, "take back".into()));
    }
    keys.push((Command::PaneNext, "lint, raw".into()));
    let mut row = Row::ours(" ", Role::Text);
    for (command, does) in keys {
        row = row
            .and(triage.keys.shown(command), Role::Accent)
            .and(format!(" {does}  "), Role::Text);
    }
    row = row.and("1-9", Role::Accent).and(" row", Role::Text);
    vec![Row::ours(format!(" {notice}"), Role::Warn), row]
}
