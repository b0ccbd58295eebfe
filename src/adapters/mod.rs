//! The edges: files, git, processes, the terminal's neighbours. One error enum each. Nothing
//! here knows the app or the screen.

pub mod chains;
pub mod checkout;
pub mod contract;
pub mod drafts;
pub mod evidence_store;
pub mod folders;
pub mod forge;
pub mod git;
pub mod handoff;
pub mod ledger_store;
pub mod mailbox;
pub mod oracle;
pub mod papers;
pub mod pulls;
pub mod reader;
pub mod sample;
pub mod signer;
pub mod spec;
pub mod splice;
pub mod sync;
pub mod trust;
pub mod wave;
pub mod who;

/// What this process does instead of reading a command line, when one of ours started it.
#[must_use]
pub fn role_of_this_process() -> Option<fn() -> std::process::ExitCode> {
    let first = std::env::args_os().nth(1)?;
    if first == reader::ROLE {
        return Some(reader::child::run);
    }
    oracle::roles::role(&first)
}
