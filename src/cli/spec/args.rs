//! The command line of `spec`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `spec`.
#[derive(Subcommand, Debug)]
pub enum SpecCommand {
    /// Judge roots and nodes: status, approvals, ledger, spec types.
    State {
        /// Where to look.
        #[command(flatten)]
        at: At,
        /// The change request whose verdicts count.
        #[arg(long, value_name = "REF")]
        cr: Option<String>,
    },
    /// Classify what a change did to frozen suites.
    EditClass {
        /// Where to look.
        #[command(flatten)]
        at: At,
        /// The ref to compare with, by its merge base; `HEAD` for what is not committed yet.
        #[arg(long, value_name = "REF")]
        base: Option<String>,
    },
    /// Judge the form of suites, and bind them to the scenario maps beside them.
    Suite {
        /// Where to look.
        #[command(flatten)]
        at: At,
    },
}

/// Where a part of the spec gate looks.
#[derive(Args, Debug, Default, Clone)]
pub struct At {
    /// A folder of specs; default every `.agents/spec` and `.agents/specs` of the worktree.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Only these files.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub files: Vec<PathBuf>,
    /// Finding nothing to look at is no failure.
    #[arg(long)]
    pub allow_empty: bool,
}
