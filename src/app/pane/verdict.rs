//! The verdict page: the rule trace is the explanation, the permits are the menu. Closed rows
//! stay, with the rule that closes them.

use crate::app::row::{Ground, Role, Row, Span, cut, wrap_prose};
use crate::app::scene::{Area, Extent, Panel, Scene, Title};
use crate::app::state::Focus;
use crate::app::update::menus::{self, VerdictAct, VerdictRow};
use crate::model::known::Known;

use super::chrome::verdict_role;
use super::facts::Facts;
use super::verdict_why::{before, why};
use super::{clamp, layout, slice};

/// Draws the page.
pub fn draw(facts: &Facts<'_>, area: Area, scene: &mut Scene) {
    let menu = menus::verdict(facts.state);
    let cursor = facts.state.nav.cursor;
    let wide = area.width >= 140;
    let (why_area, menu_area) = if wide {
        let (left, divider, right) = layout::beside(area, area.width / 2);
        scene.dividers.push((divider, area.y, area.height));
        (left, right)
    } else {
        let rows = menu_rows(&menu, cursor, usize::from(area.width), false);
        let needs = u16::try_from(rows.len() + 1).unwrap_or(u16::MAX);
        let menu_height = needs.min(area.height.saturating_sub(5));
        layout::above(area, area.height - menu_height)
    };
    let mut rows = why(facts, usize::from(why_area.width));
    let below = before(facts, usize::from(menu_area.width));
    let mut report: Vec<String> = rows.iter().chain(&below).map(Row::plain).collect();
    report.retain(|line| !line.trim().is_empty());
    scene.measured.under = Some((report.join("\n").trim().to_owned(), String::new()));
    let beside = wide && menu_area.height >= 24;
    if !beside {
        rows.extend(below.iter().cloned());
    }
    let view = usize::from(why_area.height.saturating_sub(1));
    // Past the menu the cursor scrolls the explanation, so that its last row can be reached.
    let past = cursor.saturating_sub(menu.len().saturating_sub(1));
    let top = clamp(past, rows.len(), view);
    let more = (top, rows.len().saturating_sub(top + view));
    scene.measured.parts.insert(
        Focus::Verdict,
        Extent {
            area: super::below_title(why_area),
            top,
            rows: view.min(rows.len()),
            total: menu.len() + rows.len().saturating_sub(view),
        },
    );
    let ruling = facts.judgment.ruling;
    let left = Row::ours("Verdict ", Role::Strong)
        .and(ruling.word(), verdict_role(ruling))
        .and(", by rule", Role::Strong);
    let title = Title {
        left,
        right: Row::ours(round(facts), Role::Muted),
        focused: true,
    };
    scene.panels.push(Panel {
        area: why_area,
        title: Some(super::counted(title, more)),
        rows: slice(&rows, top, view),
        more,
    });
    let rows = menu_rows(&menu, cursor, usize::from(menu_area.width), wide);
    let needs = u16::try_from(rows.len() + 1).unwrap_or(u16::MAX);
    let (menu_area, below_area) = if beside {
        layout::above(menu_area, needs.min(menu_area.height / 2))
    } else {
        layout::above(menu_area, menu_area.height)
    };
    let view = usize::from(menu_area.height.saturating_sub(1));
    let lit = rows.iter().position(|row| row.ground == Ground::Selected);
    let top = clamp(lit.unwrap_or(0).saturating_sub(view / 2), rows.len(), view);
    let more = (top, rows.len().saturating_sub(top + view));
    scene.panels.push(Panel {
        area: menu_area,
        title: Some(super::counted(
            Title {
                left: Row::ours("What you can do", Role::Text),
                right: Row::ours("from the permits of each gate", Role::Muted),
                focused: false,
            },
            more,
        )),
        rows: slice(&rows, top, view),
        more,
    });
    if beside {
        let view = usize::from(below_area.height.saturating_sub(1));
        let more = (0, below.len().saturating_sub(view));
        let left = if facts.state.world.ruled.is_some() {
            "Ruled"
        } else {
            "Before you sign"
        };
        let title = Title {
            left: Row::ours(left, Role::Text),
            ..Title::default()
        };
        scene.panels.push(Panel {
            area: below_area,
            title: Some(super::counted(title, more)),
            rows: slice(&below, 0, view),
            more,
        });
    }
}

fn round(facts: &Facts<'_>) -> String {
    match &facts.dossier.round {
        Known::Is(round) => format!("round {round} of 2"),
        Known::Unknown(_) => "round …".to_owned(),
        Known::NotApplicable(_) | Known::NotSupplied => String::new(),
    }
}

/// Why a row is closed, without what the row and this page say already.
fn reason<'a>(text: &'a str, row: &VerdictRow) -> &'a str {
    let text = text.strip_prefix("Closed: ").unwrap_or(text);
    let text = text.strip_suffix(" v shows the rule.").unwrap_or(text);
    match row.act {
        VerdictAct::Sign(verdict) => text
            .strip_prefix(verdict.word())
            .and_then(|rest| rest.strip_prefix(", "))
            .unwrap_or(text),
        VerdictAct::Leave | VerdictAct::Write(..) => text,
    }
}

/// The menu, closed rows with their reason; details only where there is room.
fn menu_rows(menu: &[VerdictRow], cursor: usize, width: usize, details: bool) -> Vec<Row> {
    let mut out = Vec::new();
    if details {
        out.push(Row::default());
    }
    for (at, item) in menu.iter().enumerate() {
        let live = item.closed.is_none();
        let number = match item.number {
            Some(number) if live => number.to_string(),
            Some(_) | None => "–".to_owned(),
        };
        let mark = if at == cursor { "▸" } else { " " };
        let role = if live { Role::Text } else { Role::Muted };
        let state = match (&item.act, live) {
            (VerdictAct::Write(_, true), _) => ("[x] on ", Role::Good),
            (VerdictAct::Write(_, false), _) => ("[ ] off ", Role::Muted),
            (VerdictAct::Sign(_) | VerdictAct::Leave, true) => ("open ", Role::Good),
            (VerdictAct::Sign(_) | VerdictAct::Leave, false) => ("closed ", Role::Bad),
        };
        let row = Row::ours(format!(" {mark} "), Role::Accent)
            .and(
                format!("{number}  "),
                if live { Role::Accent } else { Role::Muted },
            )
            .spans(cut(
                &[Span::ours(item.says.clone(), role)],
                width.saturating_sub(16),
            ))
            .at_right(state.0, state.1);
        out.push(if at == cursor {
            row.on(Ground::Selected)
        } else {
            row
        });
        let below = match &item.closed {
            Some(why) => Some(why.as_str()),
            None if details && !item.detail.is_empty() => Some(item.detail.as_str()),
            None => None,
        };
        if let Some(text) = below {
            let text = reason(text, item);
            for line in wrap_prose(
                &[Span::ours(text, Role::Muted)],
                width.saturating_sub(8).max(8),
            ) {
                out.push(Row::ours("      ", Role::Text).spans(line));
            }
        }
        if details {
            out.push(Row::default());
        }
    }
    out
}
