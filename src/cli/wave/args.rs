//! The command line of `wave`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `wave`.
#[derive(Subcommand, Debug)]
pub enum WaveCommand {
    /// Say where every row of a findings ledger stands and what may run next. Writes nothing.
    Status {
        /// The ledger.
        ledger: PathBuf,
        /// What else is read.
        #[command(flatten)]
        books: BooksArgs,
        /// What the failed command resolves to now, for the no-progress checkpoint.
        #[arg(long, value_name = "CMD")]
        command: Option<String>,
        /// What another input of the checkpoint is observed as now; may be given more than once.
        #[arg(long, value_name = "NAME=VALUE")]
        observed: Vec<String>,
        /// The setting loopEngine.escalateAfter; 3 when it is not an integer.
        #[arg(long, value_name = "N", allow_hyphen_values = true)]
        escalate_after: Option<String>,
        /// The setting escalationLoop.implModel.
        #[arg(long, value_name = "NAME", conflicts_with = "no_impl_model")]
        impl_model: Option<String>,
        /// escalationLoop.implModel is undefined.
        #[arg(long)]
        no_impl_model: bool,
    },
    /// Judge the result commit of a dispatch: admit it, count a miss, or stop the round. Reads
    /// git, runs nothing, writes nothing.
    Admit {
        /// The ledger, as it was written before the dispatch.
        ledger: PathBuf,
        /// The row that was dispatched.
        #[arg(long, value_name = "N")]
        row: u32,
        /// The head before the dispatch, 40 hex digits.
        #[arg(long, value_name = "SHA")]
        head_before: String,
        /// A scoped test command of the task; may be given more than once.
        #[arg(long, value_name = "CMD")]
        scoped: Vec<String>,
        /// What else is read.
        #[command(flatten)]
        books: BooksArgs,
    },
    /// Judge a worker's return on a harness without a ledger: one commit, none, or stop the round.
    Native {
        /// The head before the dispatch, 40 hex digits.
        #[arg(long, value_name = "SHA")]
        head_before: String,
        /// What the worker said of itself.
        #[arg(long, value_name = "WORD", value_parser = ["done", "open"])]
        said: Option<String>,
    },
    /// Book a description repair: compare head and body before, what was read back after, and the
    /// claim then. Writes nothing.
    Repair {
        /// The proposal, JSON by the source's field names, with `claim_ids` for those of
        /// `contributor_ids` that are claims.
        file: PathBuf,
        /// The head right before the write.
        #[arg(long, value_name = "SHA", requires = "body")]
        head: Option<String>,
        /// The description right before the write.
        #[arg(long, value_name = "FILE", requires = "head")]
        body: Option<PathBuf>,
        /// The description read back after the write.
        #[arg(long, value_name = "FILE", requires = "body")]
        readback: Option<PathBuf>,
        /// Whether the claim holds by its source in the new description.
        #[arg(long, value_name = "WORD", requires = "readback",
              value_parser = ["resolved", "open", "unknown"])]
        claim: Option<String>,
        /// The event log of the run; the steps that were reached are appended.
        #[arg(long, value_name = "FILE")]
        log: Option<PathBuf>,
    },
    /// Fold a reviewer's report over the books: what stays open, which rows reopen, whether a push
    /// is allowed.
    Closure {
        /// The ledger.
        ledger: PathBuf,
        /// The report.
        file: PathBuf,
        /// The pushed head, or the one recorded after a rewrite; prints the range and fix delta.
        #[arg(long, value_name = "SHA")]
        pushed_head: Option<String>,
        /// What else is read.
        #[command(flatten)]
        books: BooksArgs,
    },
    /// Say what the guards of the verify phase say to the calls of a session log, and how many fix
    /// rounds are left.
    Guard {
        /// The session log, JSON Lines.
        file: PathBuf,
        /// The settings file that holds piGauntlet.closureReview.
        #[arg(long, value_name = "FILE")]
        settings: Option<PathBuf>,
        /// The setting closureReview.maxFixRounds; 5 when it is not an integer.
        #[arg(long, value_name = "N", allow_hyphen_values = true)]
        max_fix_rounds: Option<String>,
        /// The log is of a subagent's own session, which is not guarded.
        #[arg(long)]
        child: bool,
    },
    /// Validate a run record. Never resets, never repairs, never looks for another.
    Record {
        /// The record.
        file: PathBuf,
        /// The repository it has to belong to, owner/repo.
        #[arg(long, value_name = "OWNER/REPO")]
        repo: Option<String>,
        /// The pull request it has to belong to.
        #[arg(long, value_name = "N")]
        pr: Option<u32>,
        /// The exact base branch it has to name.
        #[arg(long, value_name = "NAME")]
        base: Option<String>,
        /// An earlier copy: what was lost or reset since is a fault.
        #[arg(long, value_name = "FILE")]
        before: Option<PathBuf>,
        /// The setting closureReview.maxFixRounds; one `deliver` adds twice that to a cap.
        #[arg(long, value_name = "N")]
        max_fix_rounds: Option<u32>,
    },
}

/// What is read beside a ledger.
#[derive(Args, Debug, Clone, Default)]
pub struct BooksArgs {
    /// The derived spec; default the one that the ledger names.
    #[arg(long, value_name = "FILE")]
    pub spec: Option<PathBuf>,
    /// The run record.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// The event log of the run; `admit` and `closure` append what they find, `status` reads.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}
