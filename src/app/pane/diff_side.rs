//! The narrow column beside a diff that is a page: files, what the selected item claims, and
//! what the marks mean. Only from 140 columns up.

use crate::app::row::{Ground, Role, Row, cut, cut_path};
use crate::app::scene::{Area, Panel, Scene, Title};
use crate::app::state;
use crate::model::known::Known;
use crate::model::text::Place;

use super::diff_line::Gutter;
use super::diff_plan::Plan;
use super::facts::Facts;
use super::layout::{Class, class};
use super::{list_row, words};

/// Columns of the side.
const SIDE: u16 = 30;

/// The diff's own area, and the side's, where there is room for one.
#[must_use]
pub fn columns(facts: &Facts<'_>, area: Area) -> (Area, Option<Area>) {
    let (width, height) = facts.state.screen.size;
    if class(width, height) != Class::Wide {
        return (area, None);
    }
    let (side, _, diff) = super::layout::beside(area, SIDE);
    (diff, Some(side))
}

/// The map of a file: a column as high as the diff, the whole file from top to bottom. A changed
/// part has the mark of its claim, what is on screen is lit.
#[must_use]
pub(super) fn map(
    plan: &Plan<'_>,
    mark: &Gutter,
    (top, view, total): (usize, usize, usize),
) -> Vec<Row> {
    let extra = total - plan.total();
    let changed = plan.changed_rows();
    let height = view.min(total).max(1);
    let slice = |y: usize| (y * total / height)..((y + 1) * total / height);
    let row = |y: usize| {
        let part = slice(y);
        let hit = changed
            .iter()
            .any(|rows| rows.start + extra < part.end && part.start < rows.end + extra);
        let Gutter(glyph, role) = mark;
        let row = match (hit, glyph.as_str()) {
            (true, " ") => Row::ours("▎", Role::Text),
            (true, glyph) => Row::ours(glyph, *role),
            (false, _) => Row::ours("·", Role::Muted),
        };
        if part.start < top + view && top < part.end {
            row.on(Ground::Selected)
        } else {
            row
        }
    };
    (0..height).map(row).collect()
}

/// Draws the side.
pub fn draw(facts: &Facts<'_>, area: Area, scene: &mut Scene) {
    let width = usize::from(area.width);
    let mut y = area.y;
    let mut place = |title: Title, rows: Vec<Row>, scene: &mut Scene| {
        let left = (area.y + area.height).saturating_sub(y);
        let height = u16::try_from(rows.len() + 1).unwrap_or(u16::MAX).min(left);
        let area = Area { y, height, ..area };
        if height == 0 {
            return area;
        }
        scene.panels.push(Panel {
            area,
            title: Some(title),
            rows: rows.into_iter().take(usize::from(height) - 1).collect(),
            more: (0, 0),
        });
        y = (y + height + 1).min(area.y.saturating_add(u16::MAX / 2));
        area
    };
    let most = usize::from(area.height) / 2;
    let files = facts.files();
    let at = facts.shown_file().and_then(|path| facts.place_of(path));
    let top = at.unwrap_or(0).saturating_sub(most.saturating_sub(2));
    let rows: Vec<Row> = files
        .iter()
        .enumerate()
        .skip(top)
        .take(most)
        .map(|(number, file)| {
            let lit = Some(number) == at;
            let row = list_row::file_row(facts, file, width, false);
            if !lit {
                return row;
            }
            let mut row = row.on(Ground::Selected);
            if let Some(first) = row.left.first_mut() {
                "▹".clone_into(&mut first.text);
                first.role = Role::Accent;
            }
            row
        })
        .collect();
    let shown = place(
        title("Files", words::number(files.len() as u64)),
        rows,
        scene,
    );
    for (y, file) in (shown.y + 1..).zip(files.iter().skip(top).take(most)) {
        let row = state::Row::File(file.path.clone());
        let height = 1;
        scene
            .measured
            .targets
            .push((Area { y, height, ..area }, row));
    }
    if let Some(id) = facts.claimant() {
        let mut rows: Vec<Row> = Vec::new();
        let most = usize::from(area.height);
        for file in facts.claimed(&id).take(most) {
            let name = facts.shown(&file.path.foreign(), Place::Strict, Role::Text);
            let view = facts.state.diff.files.get(&file.path);
            let hunks = match view.map(|view| &view.hunks) {
                Some(Known::Is(hunks)) => words::count(hunks.hunks.len(), "hunk"),
                Some(Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied) | None => {
                    "…".to_owned()
                }
            };
            let row = Row::ours("  ", Role::Text).spans(cut_path(&name, 18));
            rows.push(row.at_right(format!("{hunks} "), Role::Muted));
        }
        if rows.is_empty() {
            rows.push(Row::ours("  nothing in this change", Role::Warn));
        }
        place(
            title(&format!("Claims of {id}"), String::new()),
            rows,
            scene,
        );
    }
    let marks = [
        ("▎", Role::Accent, "claimed by the selected"),
        ("1", Role::Muted, "claimed by criterion 1"),
        ("◆", Role::Warn, "claimed by nothing"),
        ("≠", Role::Bad, "the contract itself"),
        ("·", Role::Muted, "folded, unchanged"),
    ];
    let rows = marks
        .map(|(glyph, role, says)| {
            Row::ours("  ", Role::Text)
                .and(glyph, role)
                .and(" ", Role::Text)
                .spans(cut(
                    &[crate::app::row::Span::ours(says, Role::Muted)],
                    width - 4,
                ))
        })
        .to_vec();
    place(title("Marks", String::new()), rows, scene);
}

fn title(left: &str, right: String) -> Title {
    Title {
        left: Row::ours(left, Role::Text),
        right: if right.is_empty() {
            Row::default()
        } else {
            Row::ours(right, Role::Muted)
        },
        focused: false,
    }
}
