//! The files of a fix wave: the run record, the derived spec, the findings ledger, a reviewer's
//! report, the event log.

mod complaints;
pub mod json;
pub mod ledger;
pub mod log;
pub mod record;
pub mod report;
pub mod session;
pub mod spec;
