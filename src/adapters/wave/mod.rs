//! The files of a fix wave: the run record, the derived spec, the findings ledger.

mod complaints;
pub mod json;
pub mod ledger;
pub mod record;
pub mod spec;
