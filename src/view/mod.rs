//! Drawing: a [`Scene`](crate::app::scene::Scene) and a [`theme::Theme`] become cells.
//!
//! Nothing here decides, remembers or measures anything: two draws of one scene are equal. What
//! a row says was settled in `app::pane`; here roles become looks, glyphs may become ASCII, and
//! a last sweep makes sure that no cell holds something a terminal would obey.

pub mod draw;
pub mod glyphs;
pub mod sweep;
pub mod theme;

pub use draw::{draw, paint};
pub use sweep::sweep;
pub use theme::{Depth, Theme};
