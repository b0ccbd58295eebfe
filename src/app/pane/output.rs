//! The whole output of a run, as stored: numbered lines, the deciding ones marked.
//!
//! Only lines on screen are built; those that have not come are asked for and shown as `…`.

use crate::app::row::{Ground, Role, Row};
use crate::app::scene::{Area, Extent, Need, Panel, Scene, Title};
use crate::app::state::Focus;
use crate::gate::dossier::Subject;

use super::card_criterion::output_line;
use super::facts::Facts;
use super::sheet::Sheet;
use super::{clamp, search, words};

/// Draws the page.
pub fn draw(facts: &Facts<'_>, area: Area, scene: &mut Scene) {
    let run = match facts.subject() {
        Some(Subject::Criterion(id)) => facts.run(id).map(|run| (id, run)),
        Some(
            Subject::ContractEdit(_)
            | Subject::ScopeFile(_)
            | Subject::Chain(_)
            | Subject::Assertion(_)
            | Subject::Review(_)
            | Subject::Message(_),
        )
        | None => None,
    };
    let Some((id, run)) = run else {
        scene.panels.push(Panel {
            area,
            title: Some(Title {
                left: Row::ours("Output", Role::Strong),
                focused: true,
                ..Title::default()
            }),
            rows: vec![Row::ours(
                " no run: the selected item has no oracle, or it was never run. x runs it, Esc goes back",
                Role::Muted,
            )],
            more: (0, 0),
        });
        return;
    };
    let [stdout, _] = &run.output;
    let lines = facts.state.runs.outputs.get(stdout);
    let known = lines
        .and_then(|lines| lines.keys().next_back())
        .map_or(0, |last| last + 1);
    let named = run.excerpt.iter().map(|(number, _, _)| *number).max();
    let total = usize::try_from(known.max(named.unwrap_or(0))).unwrap_or(usize::MAX);
    let view = usize::from(area.height.saturating_sub(1));
    let top = clamp(facts.top(Focus::Output), total, view);
    let mut sheet = Sheet::new(area.width, facts.state.screen.ascii, true);
    for at in top..(top + view).min(total) {
        let number = at as u64 + 1;
        let excerpt = run.excerpt.iter().find(|(line, _, _)| *line == number);
        let text = lines
            .and_then(|lines| lines.get(&(number - 1)))
            .or_else(|| excerpt.map(|(_, text, _)| text));
        let decides = excerpt.is_some_and(|(_, _, decides)| *decides);
        let from = sheet.rows.len();
        match text {
            Some(text) => output_line(facts, number, text, decides, &mut sheet),
            None => sheet.push(Row::ours(format!(" {number:>6}  …"), Role::Muted)),
        }
        if let Some(text) = text
            && at == facts.state.nav.cursor
        {
            let text = text.shown(crate::model::text::Place::Prose).plain();
            scene.measured.under = Some((text, format!("output of {id}:{number}")));
        }
        if at == facts.state.nav.cursor
            && let Some(row) = sheet.rows.get_mut(from)
        {
            row.ground = Ground::Selected;
        }
    }
    let range = top as u64..(top + view * 2) as u64;
    let missing = lines.is_none_or(|lines| {
        (range.start..range.end.min(known)).any(|line| !lines.contains_key(&line))
    });
    if missing || known < range.end {
        scene.measured.needs.push(Need::Output(*stdout, range));
    }
    let mut rows = sheet.rows;
    rows.truncate(view);
    search::mark(facts.state, &mut rows);
    if let (Some(words), Some(lines)) = (search::words(facts.state), lines) {
        let needle = words.to_lowercase();
        let found = lines
            .iter()
            .filter(|(_, line)| search::hits(line.raw(), &needle));
        let found = found.filter_map(|(at, _)| usize::try_from(*at).ok());
        scene.measured.hits = found.collect();
    }
    let extent = Extent {
        area: super::below_title(area),
        top,
        rows: view.min(total - top),
        total,
    };
    scene.measured.parts.insert(Focus::Output, extent);
    let more = (top, total.saturating_sub(top + view));
    let title = Title {
        left: Row::ours(format!("Output of {id}"), Role::Strong).and(
            format!(
                "  stdout, {} · run {}",
                words::bytes(run.output_bytes),
                run.number
            ),
            Role::Muted,
        ),
        right: Row::ours("Esc back", Role::Muted),
        focused: true,
    };
    scene.panels.push(Panel {
        area,
        title: Some(super::counted(title, more)),
        rows,
        more,
    });
}
