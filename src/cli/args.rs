//! The command line as clap reads it; names and flags are the public interface.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};

use super::exit;

/// The terminal where a person puts the last signature under work that coding agents did.
#[derive(Parser, Debug)]
#[command(name = "countersign", version, args_conflicts_with_subcommands = false)]
pub struct Cli {
    /// Run as if started in this folder.
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub dir: Option<PathBuf>,
    /// Print exactly one JSON document on stdout.
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colors.
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto")]
    pub color: When,
    /// What to do; without one, `review`.
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// What a line without any word says: building the parser costs more than the first frame.
    #[must_use]
    pub fn bare() -> Self {
        Self {
            dir: None,
            json: false,
            color: When::Auto,
            command: None,
        }
    }
}

/// The command line with the exit codes in the help of every command, its own rows first.
#[must_use]
pub fn definition() -> clap::Command {
    with_codes(Cli::command(), "")
}

fn with_codes(command: clap::Command, path: &str) -> clap::Command {
    let table = exit::table();
    let help = match exit::finer(path) {
        Some(rows) => format!("{table}\nHere: {rows}.\n"),
        None => table,
    };
    command.after_help(help).mut_subcommands(|sub| {
        let path = format!("{path} {}", sub.get_name());
        with_codes(sub, path.trim_start())
    })
}

/// When to use colors.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
#[expect(missing_docs, reason = "the names say it; clap prints them")]
pub enum When {
    Auto,
    Always,
    Never,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Open a gate session on a worktree.
    Review(ReviewArgs),
    /// Open a gate session on the built-in sample, offline.
    Demo(DemoArgs),
    /// Read contracts.
    #[command(subcommand)]
    Contract(ContractCommand),
    /// The floor gate: what the oracles of a contract say.
    #[command(subcommand)]
    Floor(FloorCommand),
    /// Print every review thread with what it weighs and what it rests on.
    Threads(ThreadsArgs),
    /// The verify gate as it stands; undecided stays undecided. Asks a forge for a pull request
    /// alone.
    Verify(VerifyArgs),
    /// Post the ruling of a pull request, as a comment or as a review with comments at lines, on a
    /// terminal: the address and every byte are shown, and a word is typed. Done once for each
    /// ruling, and only at the head that was ruled.
    Post(PostArgs),
    /// Approvals of oracles.
    #[command(subcommand)]
    Trust(TrustCommand),
    /// Gate messages: what they ask, and what a reply means.
    #[command(subcommand)]
    Menu(MenuCommand),
    /// Verdict reports: the linter.
    #[command(subcommand)]
    Report(ReportCommand),
    /// Audit which skills wait for the verdict they asked for. Never writes a file of the tree.
    Chains(ChainsArgs),
    /// Record an agent's own verdict: provisional, never a decision.
    Assert(AssertArgs),
    /// List what agents asserted and no person answered, across repositories.
    Queue(QueueArgs),
    /// The spec gate: spec trees, suites, edits of frozen suites.
    #[command(subcommand)]
    Spec(super::spec::args::SpecCommand),
    /// The record.
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// The books of a fix wave: what may run next, what a result is worth, what stays open.
    #[command(subcommand)]
    Wave(super::wave::args::WaveCommand),
    /// The configuration.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Say what this machine offers and what is missing.
    Doctor,
    /// Print a completion script.
    Completions {
        /// For which shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

/// What a target that is a pull request is read with.
#[derive(Args, Debug, Default, Clone)]
pub struct PullArgs {
    /// Ask nobody: of a pull request take what was read before, and say how old it is.
    #[arg(long)]
    pub offline: bool,
    /// Leave the private worktree of a pull request where it is.
    #[arg(long)]
    pub keep: bool,
}

/// `review`.
#[derive(Args, Debug, Default, Clone)]
pub struct ReviewArgs {
    /// The worktree; default `.`. Or a pull request: 128, owner/name#128, the address of its page.
    pub target: Option<PathBuf>,
    /// How a pull request is read.
    #[command(flatten)]
    pub pull: PullArgs,
    /// The contract; may be given more than once, then the person picks.
    #[arg(long, value_name = "PATH")]
    pub contract: Vec<PathBuf>,
    /// The format to read the contract as, instead of detecting it.
    #[arg(long, value_name = "NAME")]
    pub contract_format: Option<String>,
    /// The ref that the change is compared with.
    #[arg(long, value_name = "REF")]
    pub base: Option<String>,
    /// The same session as prompts and lines.
    #[arg(long)]
    pub plain: bool,
    /// Where the hand-off is written (`.json`; the `.md` stands beside it).
    #[arg(long, value_name = "FILE")]
    pub handoff: Option<PathBuf>,
    /// Run oracles in the worktree itself instead of a private checkout; labelled everywhere.
    #[arg(long)]
    pub live: bool,
    /// A file with review threads, as of `threads`. May be given more than once.
    #[arg(long, value_name = "FILE")]
    pub threads: Vec<String>,
    /// Findings of simplify and adherence (`findings/1`, JSON or YAML).
    #[arg(long, value_name = "FILE")]
    pub findings: Option<PathBuf>,
    /// What a caller hands over (`bundle/1`, JSON or YAML).
    #[arg(long, value_name = "FILE")]
    pub bundle: Option<PathBuf>,
    /// A gate message that waits for a reply, alone in a file. May be given more than once.
    #[arg(long, value_name = "FILE")]
    pub menu: Vec<PathBuf>,
    /// Where its reply is written, once, when you leave; one for each --menu, in the same order.
    #[arg(long, value_name = "FILE", requires = "menu")]
    pub reply: Vec<PathBuf>,
    /// A number that goes into the reply unchanged; one for each --menu.
    #[arg(long, value_name = "N", requires = "menu")]
    pub sequence: Vec<u64>,
    /// The record of the run that asks; it is shown beside its messages and never written.
    #[arg(long, value_name = "FILE", requires = "menu")]
    pub record: Option<PathBuf>,
    /// No mouse.
    #[arg(long)]
    pub no_mouse: bool,
    /// The theme: `dark`, `light` or `mono`.
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
}

/// `demo`.
#[derive(Args, Debug)]
pub struct DemoArgs {
    /// Keys to play into the session, one line each; see the manual page.
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// Lay the sample out in this folder, where it stays; without a script, only that.
    #[arg(long, value_name = "DIR")]
    pub lay_out: Option<PathBuf>,
    /// As of `review`.
    #[command(flatten)]
    pub review: ReviewArgs,
}

/// `contract`.
#[derive(Subcommand, Debug)]
pub enum ContractCommand {
    /// Print the criteria of a contract.
    Show {
        /// The file.
        path: PathBuf,
        /// Force a format.
        #[arg(long, value_name = "NAME")]
        format: Option<String>,
    },
    /// Print what the change did to its own contract.
    Diff {
        /// The file.
        path: PathBuf,
        /// The ref to compare with.
        #[arg(long, value_name = "REF")]
        base: Option<String>,
    },
}

/// `floor`.
#[derive(Subcommand, Debug)]
pub enum FloorCommand {
    /// Say where every criterion stands. Never executes, never writes.
    Status {
        /// The contract.
        path: PathBuf,
    },
    /// Run approved oracles and write evidence.
    Run {
        /// The contract.
        path: PathBuf,
        /// In the worktree itself instead of a private checkout.
        #[arg(long)]
        live: bool,
        /// Empty the private checkout first.
        #[arg(long)]
        cold: bool,
        /// The isolation level, 1 to 3.
        #[arg(long, value_name = "N")]
        isolation: Option<u8>,
        /// How many checkouts to run in at once.
        #[arg(long, value_name = "N")]
        jobs: Option<usize>,
        /// Only these criteria.
        #[arg(long, value_name = "ID")]
        only: Vec<String>,
        /// Leave the EVIDENCE lines alone.
        #[arg(long)]
        no_write: bool,
    },
}

/// `threads`.
#[derive(Args, Debug)]
pub struct ThreadsArgs {
    /// The worktree that the threads are about; default `.`. Or a pull request, as of `review`.
    pub target: Option<PathBuf>,
    /// How a pull request is read.
    #[command(flatten)]
    pub pull: PullArgs,
    /// A file with threads: what a forge answered, what `gh pr view --json` printed, or our own
    /// JSON. `inline=`, `review=` or `issue=` before the name says what a list holds. May be
    /// given more than once. Without a pull request at least one is needed.
    #[arg(long, value_name = "FILE")]
    pub threads: Vec<String>,
    /// The ref that the change is compared with.
    #[arg(long, value_name = "REF")]
    pub base: Option<String>,
}

/// `verify`.
#[derive(Args, Debug, Default, Clone)]
pub struct VerifyArgs {
    /// The worktree; default `.`. Or a pull request, as of `review`.
    pub target: Option<PathBuf>,
    /// How a pull request is read.
    #[command(flatten)]
    pub pull: PullArgs,
    /// A file with threads, as of `threads`. May be given more than once.
    #[arg(long, value_name = "FILE")]
    pub threads: Vec<String>,
    /// Findings of simplify and adherence (`findings/1`, JSON or YAML).
    #[arg(long, value_name = "FILE")]
    pub findings: Option<PathBuf>,
    /// What a caller hands over (`bundle/1`, JSON or YAML).
    #[arg(long, value_name = "FILE")]
    pub bundle: Option<PathBuf>,
    /// The caller's session, for the audit lines.
    #[arg(long, value_name = "ID")]
    pub session_id: Option<String>,
    /// The round it has to be; another one is a breaker.
    #[arg(long, value_name = "N")]
    pub round: Option<u32>,
    /// The contract.
    #[arg(long, value_name = "PATH")]
    pub contract: Vec<PathBuf>,
    /// The format to read the contract as, instead of detecting it.
    #[arg(long, value_name = "NAME")]
    pub contract_format: Option<String>,
    /// The ref that the change is compared with.
    #[arg(long, value_name = "REF")]
    pub base: Option<String>,
    /// The form; `comment`, or `json` with `--json`.
    #[arg(long, value_name = "FORM")]
    pub format: Option<VerifyFormat>,
    /// Print the whole path of the review worktree, not its last part alone.
    #[arg(long)]
    pub absolute: bool,
}

/// `post`.
#[derive(Args, Debug)]
pub struct PostArgs {
    /// The pull request: 128, owner/name#128, the address of its page.
    pub target: PathBuf,
}

/// Forms of a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum VerifyFormat {
    /// The source's YAML.
    Yaml,
    /// `verify/1`.
    Json,
    /// The comment for the pull request.
    Comment,
}

/// `trust`.
#[derive(Subcommand, Debug)]
pub enum TrustCommand {
    /// List approvals.
    List,
    /// Show what a contract's oracles would run, and grant approvals on a terminal.
    Show {
        /// The contract.
        path: PathBuf,
        /// For runs in the worktree itself, not in a private checkout.
        #[arg(long)]
        live: bool,
        /// For runs at this isolation level, 1 to 3.
        #[arg(long, value_name = "N")]
        isolation: Option<u8>,
    },
    /// Take approvals back: by id, or all of a contract.
    Revoke {
        /// An approval id, or a contract path.
        what: String,
    },
}

/// `menu`.
#[derive(Subcommand, Debug)]
pub enum MenuCommand {
    /// Print marker, rows, recommendation, and what the menu must not do.
    Parse {
        /// The message, alone in a file.
        file: PathBuf,
    },
    /// Draw the message of a gate from facts: report, menu, what is not offered and why. Picks
    /// nothing, merges nothing.
    Draw {
        /// The facts, one JSON document; `gate` says of which gate.
        file: PathBuf,
        /// What it rests on instead: merge preconditions, checks, comments, criteria.
        #[arg(long)]
        evidence: bool,
    },
    /// Look at the six checks of a hotfix again on the real change: what names of files can tell
    /// speaks against a check, never for it.
    Recheck {
        /// The message that declares them; without one, only the change is looked at.
        file: Option<PathBuf>,
        /// The ref that the change is compared with.
        #[arg(long, value_name = "REF")]
        base: Option<String>,
    },
    /// Show messages as menus on the terminal and print the reply on stdout: a blocking gate for
    /// hooks and scripts. Stale replies are refused.
    Ask(AskArgs),
    /// Print what a reply means at that gate. Sends nothing.
    Reply {
        /// The message, alone in a file.
        file: PathBuf,
        /// The reply.
        #[arg(allow_hyphen_values = true)]
        text: String,
        /// What the reply is bound to.
        #[command(flatten)]
        bound: BoundArgs,
    },
}

/// `menu ask`.
#[derive(Args, Debug)]
pub struct AskArgs {
    /// The messages, each alone in a file; several are a batch.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// What the replies are bound to, beside the files and the head as they are now.
    #[command(flatten)]
    pub bound: BoundArgs,
    /// Write the reply there as well, once; never over a file that exists.
    #[arg(long, value_name = "FILE")]
    pub reply: Option<PathBuf>,
    /// A number that goes into that file unchanged.
    #[arg(long, value_name = "N")]
    pub sequence: Option<u64>,
}

/// What a reply is bound to; a difference refuses it as stale.
#[derive(Args, Debug, Default, Clone)]
pub struct BoundArgs {
    /// The gate, SKILL/MENU.
    #[arg(long, value_name = "ID")]
    pub gate: Option<String>,
    /// The digest of the message, or at least 8 of its hex digits.
    #[arg(long, value_name = "D")]
    pub digest: Option<String>,
    /// The head that the message is about, or at least 7 of its hex digits.
    #[arg(long, value_name = "SHA")]
    pub head: Option<String>,
}

/// `report`.
#[derive(Subcommand, Debug)]
pub enum ReportCommand {
    /// Check a verdict report against V01 to V31, every finding with its place and a hint. A word
    /// is what stands between blanks and holds a letter or a digit.
    Lint(ReportLintArgs),
}

/// `report lint`. What is not given is inferred, or left unchecked.
#[derive(Args, Debug)]
pub struct ReportLintArgs {
    /// The report, alone in a file.
    pub file: PathBuf,
    /// Where it stands: gate, draft-gated, draft, summary.
    #[arg(long, value_name = "NAME")]
    pub variant: Option<String>,
    /// The verdict: real, not-a-bug, intended-behavior, cannot-replicate, already-addressed,
    /// already-reported.
    #[arg(long, value_name = "NAME")]
    pub class: Option<String>,
    /// Where the bug's report came from: tracked, untracked.
    #[arg(long, value_name = "NAME")]
    pub origin: Option<String>,
    /// Whether there is somebody to answer: yes, no.
    #[arg(long, value_name = "ANSWER")]
    pub addressable: Option<String>,
    /// How a hotfix came back: none, aborted, returned, unpushed.
    #[arg(long, value_name = "STATE")]
    pub hotfix: Option<String>,
}

/// `chains`.
#[derive(Args, Debug, Default)]
pub struct ChainsArgs {
    /// Every skill below the root.
    #[arg(long, conflicts_with_all = ["pr", "skill", "base"])]
    pub all: bool,
    /// What the head changed since it left `origin/main`, or the base that is given.
    #[arg(long, conflicts_with = "skill")]
    pub pr: bool,
    /// One skill, by its whole name.
    #[arg(long, value_name = "NAME", conflicts_with = "base")]
    pub skill: Option<String>,
    /// The folder that holds the skills; default `plugins/` when it is there, else the repository.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// The words and tiers: `forge`, `literal`, `generic`, or one of your own; default
    /// `chain-profile` of your configuration, else `forge`.
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
    /// The ref to compare with; as `--pr`.
    #[arg(long, value_name = "REF")]
    pub base: Option<String>,
    /// The form of the report.
    #[arg(long, value_name = "FORM", default_value = "text")]
    pub format: ChainsFormat,
}

/// Forms of the chain report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum ChainsFormat {
    /// Four steps.
    #[default]
    Text,
    /// Markdown for a comment.
    Md,
    /// Who dispatches whom, and what the shape of that shows.
    Map,
}

/// `assert`.
#[derive(Args, Debug)]
pub struct AssertArgs {
    /// The gate.
    #[arg(long)]
    pub gate: String,
    /// What it is about.
    #[arg(long)]
    pub subject: String,
    /// The verdict.
    #[arg(long)]
    pub verdict: String,
    /// Why.
    #[arg(long)]
    pub why: String,
}

/// `queue`.
#[derive(Args, Debug)]
pub struct QueueArgs {
    /// Repositories; default the current one and all that the state folder knows.
    pub dirs: Vec<PathBuf>,
    /// Only this gate.
    #[arg(long)]
    pub gate: Option<String>,
    /// Prompts and numbered lines instead of the screen.
    #[arg(long)]
    pub plain: bool,
}

/// `ledger`.
#[derive(Subcommand, Debug)]
pub enum LedgerCommand {
    /// List the entries.
    Log,
    /// Print one entry whole.
    Show {
        /// Its id, or enough of it.
        id: String,
    },
    /// Check chain and anchors.
    Verify,
    /// Rebuild every past verdict and explain it.
    Replay,
    /// Print the record in a form that travels without this program.
    Export {
        /// `jsonl`: every stored line; `md`: one page; `in-toto`: the last ruling as a statement.
        #[arg(long, value_name = "NAME", default_value = "jsonl")]
        format: ExportFormat,
    },
    /// Share the ledger of this repository with others through a git remote.
    Sync {
        /// A remote of this repository or an address (`ssh://`, `https://`, `git://`, `file://`,
        /// `host:path`, a folder); default: the remote that the base comes from.
        remote: Option<String>,
    },
}

/// The forms of `ledger export`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
#[expect(missing_docs, reason = "the help of `--format` says it")]
pub enum ExportFormat {
    Jsonl,
    Md,
    InToto,
}

/// `config`.
#[derive(Subcommand, Debug)]
pub enum ConfigCommand {
    /// Print the paths that are read.
    Path,
    /// Print every setting with its value and where it comes from.
    Print,
    /// Report what is wrong with the files.
    Check,
}
