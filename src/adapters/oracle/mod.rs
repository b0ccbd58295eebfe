//! Running oracles: the only place that executes anything a change brought along.
//!
//! ```text
//! session ── socket ──> supervisor (subreaper; one for each checkout in use)
//!    └──────────────────── socket ──> launcher (restricts itself once, serves CHECK after CHECK)
//!                  (at level 3 inside bubblewrap)
//!                                         └── bash -c -- BYTES   (own process group)
//! ```
//!
//! A supervisor ends everything below it when the session is gone, whatever ended the session. It
//! must never run anything that no person approved, never in the process that reads git, and
//! never at a lower level of isolation than was asked for.

mod bubblewrap;
pub mod capture;
pub mod client;
pub mod environment;
pub(in crate::adapters) mod frame;
pub mod judge;
mod launcher;
pub mod matcher;
pub mod outcome;
pub mod roles;
mod run;
pub mod sgr;
pub mod slot;
mod supervisor;
mod sweep;
pub mod wall;
mod wire;
