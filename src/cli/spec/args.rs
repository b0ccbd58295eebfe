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
    /// Check what touched documents refer to, and that their use cases are covered.
    Refs {
        /// Where to look.
        #[command(flatten)]
        at: At,
        /// The ref to compare with, by its merge base.
        #[arg(long, value_name = "REF")]
        base: Option<String>,
    },
    /// Print everything the gate computes about the change, and which acts are open.
    Gate {
        /// Where to look.
        #[command(flatten)]
        at: At,
        /// Which change.
        #[command(flatten)]
        change: Change,
    },
    /// Run the judge of your configuration, cold, over the spec that the change touches.
    ///
    /// It needs an approval of exactly these bytes, granted at a terminal. Exit codes: 0 it lets
    /// the change advance; 1 it does not, or structure is not clean; 2 there is no judge, or it
    /// can never run; 3 nobody approved it; 10 no report, or one that is refused.
    Judge {
        /// Where to look.
        #[command(flatten)]
        at: At,
        /// Which change.
        #[command(flatten)]
        change: Named,
    },
    /// Print the digest of the change above the report of the gate.
    Digest {
        /// Where to look.
        #[command(flatten)]
        at: At,
        /// Which change.
        #[command(flatten)]
        change: Change,
    },
    /// List what agents approved and no person answered: `queue --gate spec`.
    Queue {
        /// Worktrees; default the current one and all that the state folder knows.
        dirs: Vec<PathBuf>,
        /// Prompts and numbered lines instead of the screen.
        #[arg(long)]
        plain: bool,
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

/// Which change, and what is known about it.
#[derive(Args, Debug, Default, Clone)]
pub struct Change {
    /// The ref to compare with, by its merge base.
    #[arg(long, value_name = "REF")]
    pub base: Option<String>,
    /// The change request; default the plan or shard that the change adds, else the branch.
    #[arg(long, value_name = "REF")]
    pub cr: Option<String>,
    /// The report of the judge.
    #[arg(long, value_name = "FILE")]
    pub judge: Option<PathBuf>,
    /// The highest class of change that needs no person: patch, minor, major, or a run mode.
    #[arg(long, value_name = "C")]
    pub ceiling: Option<String>,
}

/// Which change, for the judge.
#[derive(Args, Debug, Default, Clone)]
pub struct Named {
    /// The ref to compare with, by its merge base.
    #[arg(long, value_name = "REF")]
    pub base: Option<String>,
    /// The change request; default the plan or shard that the change adds, else the branch.
    #[arg(long, value_name = "REF")]
    pub cr: Option<String>,
}

impl Named {
    pub(super) fn given(&self) -> super::facts::Given<'_> {
        super::facts::Given {
            base: self.base.as_deref(),
            cr: self.cr.as_deref(),
            ..super::facts::Given::default()
        }
    }
}

impl Change {
    pub(super) fn given(&self) -> super::facts::Given<'_> {
        super::facts::Given {
            base: self.base.as_deref(),
            cr: self.cr.as_deref(),
            judge: self.judge.as_deref(),
            ceiling: self.ceiling.as_deref(),
            focus: None,
        }
    }
}
