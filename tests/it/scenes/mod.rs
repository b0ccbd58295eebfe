//! What the screen shows, for the built-in sample at several sizes: text and roles compared with
//! what is committed, and pictures of the same cells in `screenshots/`.
//!
//! `UPDATE_SCENES=1` writes both anew.

mod messages;
mod picture;
mod properties;
mod sample;
mod shots;
mod text;
