//! The session as a pure machine: messages in, effects and a scene out.
//!
//! `update(&mut State, Msg) -> Vec<Effect>` is the only thing that changes a [`state::State`];
//! `compose(&State) -> Scene` (in [`pane`]) says what the screen shows, row by row. Because the
//! same rows decide what counts as seen and what is drawn, they are built here and not in
//! `view`. Nothing here draws, blocks, reads a clock or touches a disk.

pub mod claims;
pub mod command;
pub mod edit;
pub mod effect;
#[doc(hidden)]
pub mod fixture;
pub mod key;
pub mod keymap;
pub mod msg;
pub mod page;
pub mod pane;
pub mod queue;
pub mod row;
pub mod scene;
pub mod spec;
pub mod state;
pub mod subject;
pub mod tree;
pub mod triage;
pub mod update;
pub mod walk;
