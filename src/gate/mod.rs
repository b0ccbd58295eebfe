//! The rules: pure, total, and the only place where a verdict or a decision comes from.
//!
//! `judge(&Dossier, &Policy) -> Judgment` has no `Result`, clock, environment, IO or hash order.
//! Nothing here may learn how a fact was obtained; facts arrive in a [`dossier::Dossier`].

pub mod carry;
pub mod chains;
pub mod control;
pub mod decide;
pub mod dossier;
pub mod exit;
pub mod floor;
pub mod gatekeep;
pub mod handoff;
pub mod hedge;
mod items;
pub mod judge;
pub mod kept;
pub mod marks;
pub mod menu;
mod outlook;
pub mod own_work;
pub mod permit;
pub mod policy;
pub mod report;
pub mod request;
pub mod spec;
pub mod standing;
mod standing_facts;
mod tally;
mod trace;
mod trace_review;
pub mod verify;
pub mod wave;

pub use kept::same;
