//! `countersign verify`: the verdict of the verify gate as it stands, from the change, its
//! threads, findings of earlier phases, and what the ledger says that people decided. It runs and
//! writes nothing, and asks a forge only for a pull request that is the target.

mod comment;
mod gather;
mod json;
mod yaml;

use super::Context;
use super::args::{VerifyArgs, VerifyFormat};
use super::contract::print;
use super::exit::Exit;
use super::json::print_json;
use super::report::Report;
use crate::gate::verify::VerdictState;
use crate::gate::verify::document::{Document, document};
use crate::model::ruling::Verdict;

pub use gather::{Gathered, Given, gather, inputs};

/// Runs it.
///
/// # Errors
/// A [`Report`]: what was given cannot be read, or the change cannot be looked at.
pub fn run(context: &Context, args: &VerifyArgs) -> Result<Exit, Report> {
    let given = Given::read(context, args)?;
    let gathered = gather(&given)?;
    let verdict = document(&gathered.dossier, &gathered.policy);
    let wrong = verdict.disagreements();
    if !wrong.is_empty() {
        let message = format!("the counters disagree with the lists: {}", wrong.join("; "));
        return Err(Report::new(Exit::CouldNotMeasure, "counters", message)
            .hint("report this: it is a mistake of the program"));
    }
    let audit = Audit::of(&gathered, &verdict, args);
    let format = match (context.json, args.format) {
        (true, None) => VerifyFormat::Json,
        (_, Some(format)) => format,
        (false, None) => VerifyFormat::Comment,
    };
    match format {
        VerifyFormat::Json => print_json(&json::render(&gathered, &verdict, &audit)),
        VerifyFormat::Yaml => print(&yaml::render(&verdict)),
        VerifyFormat::Comment => print(&comment::render(&verdict, &audit)),
    }
    Ok(exit(&verdict))
}

/// The verdict, and the lines of its comment.
#[must_use]
pub fn comment(gathered: &Gathered) -> (Document, Vec<String>) {
    let verdict = document(&gathered.dossier, &gathered.policy);
    let audit = Audit::of(gathered, &verdict, &VerifyArgs::default());
    let lines = comment::render(&verdict, &audit);
    (verdict, lines)
}

/// The lines of a verdict that say where it comes from.
#[derive(Clone, Debug)]
pub(super) struct Audit {
    /// The session: the caller's, else one that the ruling fixes; `None` while nobody ruled.
    pub(super) session: Option<String>,
    /// The review worktree: its last part, or the whole path on request.
    pub(super) worktree: String,
}

impl Audit {
    fn of(gathered: &Gathered, verdict: &Document, args: &VerifyArgs) -> Self {
        use crate::gate::verify::document::{one_line, session_of};
        let whole = gathered.worktree.to_string_lossy().into_owned();
        let last = gathered.worktree.file_name();
        let last = last.map_or(whole.clone(), |name| name.to_string_lossy().into_owned());
        Self {
            session: args
                .session_id
                .as_deref()
                .map(one_line)
                .or_else(|| verdict.session.clone())
                .or_else(|| verdict.ruled.as_ref().map(session_of)),
            worktree: one_line(if args.absolute { &whole } else { &last }),
        }
    }
}

fn exit(verdict: &Document) -> Exit {
    match (verdict.state, verdict.verdict) {
        (VerdictState::Stale, _) => Exit::Stale,
        (VerdictState::CouldNotMeasure, _) => Exit::CouldNotMeasure,
        (VerdictState::Overridden, _) => Exit::PersonNeeded,
        (_, Some(Verdict::Approved)) if verdict.partial => Exit::PersonNeeded,
        (_, Some(Verdict::Approved)) => Exit::Clear,
        (_, Some(Verdict::Reroll)) => Exit::NotClear,
        (_, Some(Verdict::Escalate)) => Exit::PersonNeeded,
        (_, _) => Exit::Undecided,
    }
}

/// The word of the verdict: one of the source's three, or that it is none.
pub(super) fn word(verdict: &Document) -> &'static str {
    match verdict.verdict {
        Some(verdict) => verdict.word(),
        None => "UNDECIDED",
    }
}
