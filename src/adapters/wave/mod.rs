//! The files of a fix wave: the run record, the derived spec, the findings ledger, a reviewer's
//! report, the event log; and the facts that the menus of a run are drawn from.

pub mod chase;
mod checks;
mod complaints;
mod fields;
pub mod gatekeep;
pub mod json;
pub mod ledger;
mod ledger_rows;
pub mod log;
pub mod record;
pub mod report;
pub mod session;
pub mod spec;
