//! The event-sourced record: entries, their lines, verification and replay. No file is opened
//! here; `adapters::ledger_store` does that.

pub mod codec;
pub mod entry;
pub mod replay;
pub mod seal;
pub mod verify;
