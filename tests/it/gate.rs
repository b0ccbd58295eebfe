//! The rules, through their public door: facts in, judgment, decisions and rulings out.

mod carry;
mod control;
mod handoff;
mod laws;
mod marks;
mod messages;
mod real;
mod refusals;
mod sequences;
mod sitting;
mod stale;
mod truth;
mod words;
pub(crate) mod world;
