//! The verdict page: the rule trace is the explanation, the permits are the menu. Closed rows
//! stay, with the rule that closes them.

use crate::app::row::{Ground, Role, Row, Span, cut, wrap_prose};
use crate::app::scene::{Area, Extent, Panel, Scene, Title};
use crate::app::state::Focus;
use crate::app::update::menus::{self, VerdictAct, VerdictRow};
use crate::gate::decide::Act;
use crate::gate::dossier::Subject;
use crate::gate::judge::{Pane, TraceResult};
use crate::model::known::Known;
use crate::model::text::Place;

use super::chrome::verdict_role;
use super::facts::Facts;
use super::list_row::one_line;
use super::{clamp, layout, slice, words};

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
    let rows = why(facts, usize::from(why_area.width));
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
}

fn round(facts: &Facts<'_>) -> String {
    match &facts.dossier.round {
        Known::Is(round) => format!("round {round} of 2"),
        Known::Unknown(_) => "round …".to_owned(),
        Known::NotApplicable(_) | Known::NotSupplied => String::new(),
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
            let text = text.strip_prefix("Closed: ").unwrap_or(text);
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

/// The explanation: rules, criteria, gates, what is still to know, the nearest other verdict.
fn why(facts: &Facts<'_>, width: usize) -> Vec<Row> {
    let airy = facts.state.screen.size.1 >= 30;
    let mut out = Vec::new();
    let gap = |out: &mut Vec<Row>| {
        if airy {
            out.push(Row::default());
        }
    };
    gap(&mut out);
    out.push(Row::ours(" WHY", Role::Muted));
    for row in &facts.judgment.trace {
        let (word, role) = match row.result {
            TraceResult::Clear => ("clear", Role::Muted),
            TraceResult::Fires => ("FIRES", Role::Bad),
            TraceResult::Nit => ("nit", Role::Muted),
            TraceResult::Unknown => ("unknown", Role::Warn),
            TraceResult::Absent => ("–", Role::Muted),
            TraceResult::Decides(verdict) => (verdict.word(), verdict_role(verdict)),
        };
        let room = width.saturating_sub(14 + word.len() + 3).max(8);
        let text = facts.shown(&row.says.as_str().into(), Place::Prose, Role::Text);
        for (at, line) in wrap_prose(&text, room).into_iter().enumerate() {
            let mut drawn = Row::ours(
                if at == 0 {
                    format!("   {}", row.rule)
                } else {
                    String::new()
                },
                Role::Muted,
            )
            .to(13, true)
            .spans(line);
            if at == 0 {
                drawn = drawn.at_right(format!("{word} "), role);
            }
            out.push(drawn);
        }
    }
    gap(&mut out);
    criteria(facts, width, &mut out);
    gap(&mut out);
    gates(facts, &mut out);
    let know = still_to_know(facts);
    if !know.is_empty() {
        gap(&mut out);
        out.push(Row::ours(" STILL TO KNOW", Role::Muted));
        for line in know {
            for line in wrap_prose(
                &[Span::ours(line, Role::Text)],
                width.saturating_sub(5).max(8),
            ) {
                out.push(Row::ours("   ", Role::Text).spans(line));
            }
        }
    }
    if !facts.judgment.nearest.is_empty() {
        gap(&mut out);
        out.push(Row::ours(" NEAREST OTHER", Role::Muted));
        let text = facts.shown(
            &facts.judgment.nearest.as_str().into(),
            Place::Prose,
            Role::Text,
        );
        for line in wrap_prose(&text, width.saturating_sub(5).max(8)) {
            out.push(Row::ours("   ", Role::Text).spans(line));
        }
    }
    out
}

fn criteria(facts: &Facts<'_>, width: usize, out: &mut Vec<Row>) {
    out.push(
        Row::ours(" CRITERIA", Role::Muted)
            .to(13, true)
            .and("where each stands", Role::Muted),
    );
    let items = facts
        .judgment
        .items
        .iter()
        .filter(|item| item.pane == Pane::Criteria);
    for (place, item) in items.enumerate() {
        let Subject::Criterion(id) = &item.subject else {
            continue;
        };
        let (glyph, role) = words::glyph(item);
        let text = facts
            .criterion(id, place)
            .map(|c| one_line(&c.text))
            .unwrap_or_default();
        let text = facts.shown(&text, Place::Prose, Role::Muted);
        let row = Row::ours(format!("   {id}"), Role::Text)
            .to(13, true)
            .and(glyph, role)
            .and(format!(" {:<14} ", item.word), Role::Text)
            .spans(cut(&text, width.saturating_sub(32)));
        out.push(row);
    }
}

fn gates(facts: &Facts<'_>, out: &mut Vec<Row>) {
    out.push(
        Row::ours(" GATES", Role::Muted)
            .to(13, true)
            .and("the strictest of them is the ruling", Role::Muted),
    );
    let floor = match &facts.judgment.floor {
        Known::Is(floor) => floor.token.to_string(),
        Known::Unknown(why) => format!("unknown: {why}"),
        Known::NotApplicable(why) => format!("does not apply: {why}"),
        Known::NotSupplied => "does not apply: no contract".to_owned(),
    };
    let rows = [
        ("floor", floor, Role::Text),
        (
            "verify",
            facts.judgment.verify.word().to_owned(),
            verdict_role(facts.judgment.verify),
        ),
        (
            "chains",
            "does not apply: no SKILL.md in the change".to_owned(),
            Role::Muted,
        ),
        (
            "spec",
            "does not apply: no spec tree".to_owned(),
            Role::Muted,
        ),
        (
            "triage",
            "does not apply: no gate message".to_owned(),
            Role::Muted,
        ),
    ];
    for (gate, says, role) in rows {
        out.push(
            Row::ours(format!("   {gate}"), Role::Muted)
                .to(13, true)
                .and(says, role),
        );
    }
}

/// What a person should know before they sign, whole fragments.
#[must_use]
pub fn still_to_know(facts: &Facts<'_>) -> Vec<String> {
    let mut out = Vec::new();
    let weak: Vec<&str> = facts
        .dossier
        .lints
        .iter()
        .filter(|(_, lint)| lint.weakens)
        .map(|(id, _)| id.as_str())
        .collect();
    if !weak.is_empty() {
        out.push(format!("weak oracle: {}", weak.join(" ")));
    }
    let unseen = facts
        .dossier
        .decisions
        .iter()
        .filter(|decision| matches!(decision.value.act(), Act::RatifyUnseen { .. }))
        .count();
    if unseen > 0 {
        out.push(format!("ratified unseen: {unseen}"));
    }
    let mut hidden = 0;
    for file in facts.files() {
        let Known::Is(counts) = &file.counts else {
            hidden += 1;
            continue;
        };
        let seen = facts.state.seen.file_lines.get(&file.path);
        let seen = seen.map_or(0, std::collections::BTreeSet::len);
        if seen < counts.added as usize {
            hidden += 1;
        }
    }
    if hidden > 0 {
        let files = words::count(hidden, "file");
        out.push(format!(
            "not all of it was on screen: {files} of the change"
        ));
    }
    out
}
