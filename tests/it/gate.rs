//! The rules, through their public door: facts in, judgment, decisions and rulings out.

mod handoff;
mod sitting;
pub(crate) mod world;
