//! The spec gate of this change: its digest above the report, changed scenarios line by line. It
//! is read anew at each opening and decides nothing; `queue` and `spec gate` take the verdict.

use crate::app::queue::scene::wrapped;
use crate::app::row::{Role, Row};
use crate::app::scene::{Area, Scene, Title};
use crate::app::state::{Focus, SpecPage};

use super::facts::Facts;
use super::scroll;

/// Draws the page.
pub(super) fn draw(facts: &Facts<'_>, area: Area, scene: &mut Scene) {
    let state = facts.state;
    let columns = usize::from(area.width).saturating_sub(2);
    let (rows, right) = match &state.world.spec {
        SpecPage::Unasked | SpecPage::Reading => (
            vec![Row::ours(
                " The specs of this change are being read.",
                Role::Muted,
            )],
            "not read yet",
        ),
        SpecPage::Failed(why) => (
            vec![Row::ours(
                format!(" could not be looked at: {why}"),
                Role::Bad,
            )],
            "unknown",
        ),
        SpecPage::Read(lines) => (
            wrapped(state.screen.ascii, lines, columns)
                .into_iter()
                .map(|(_, row)| row)
                .collect(),
            "`countersign spec gate` or `queue` takes the verdict",
        ),
    };
    let title = Title {
        left: Row::ours("5 Spec", Role::Strong).and(" digest, report", Role::Muted),
        right: Row::ours(right, Role::Muted),
        focused: state.nav.focus == Focus::Spec,
    };
    scroll(state, Focus::Spec, area, title, &rows, scene);
}
