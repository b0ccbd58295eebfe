//! `countersign chains`: the return-path audit, with its calibration before anything else.

mod json;
mod markdown;
mod rulings;
mod text;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use self::rulings::Rulings;
use super::Context;
use super::args::{ChainsArgs, ChainsFormat};
use super::config::user_settings;
use super::exit::Exit;
use super::json::print_json;
use super::place;
use super::report::Report;
use crate::adapters::chains::cache::Cache;
use crate::adapters::chains::gather::{Gathered, gather};
use crate::adapters::chains::kept::Results;
use crate::adapters::chains::profile;
use crate::adapters::chains::scope::{self, Scope, Scoped, State};
use crate::adapters::git::skills::{Listed, Wanted};
use crate::adapters::git::{GitError, regular};
use crate::adapters::reader::{Question, Reader, Reply};
use crate::gate::chains::{
    Audit, AuditVerdict, Calibration, Counts, Profile, Shape, counts, shape, verdict,
};
use crate::model::chain::Chain;
use crate::model::id::Ticket;
use crate::model::text::{Foreign, Place};
use crate::runtime::lines;

/// Largest profile that is read, in bytes.
const PROFILE: u64 = 1 << 20;
/// How long the reader may take to list a scope.
const PATIENCE: Duration = Duration::from_secs(30);

/// Everything that a report says.
pub(super) struct Findings {
    scope: Scope,
    root: String,
    base: Option<String>,
    scoped: Scoped,
    gathered: Gathered,
    calibration: Calibration,
    audit: Audit,
    shape: Shape,
    counts: Counts,
    rulings: Rulings,
    unread: usize,
    verdict: Option<AuditVerdict>,
    profile: Profile,
}

impl Findings {
    /// The chains, nothing of them when the calibration failed.
    fn chains(&self) -> &[Chain] {
        if self.calibration.ok() {
            &self.audit.chains
        } else {
            &[]
        }
    }

    /// The numbers of the skills that were audited.
    fn audited(&self) -> Vec<u32> {
        match &self.scoped.skills {
            Some(numbers) => numbers.clone(),
            None => (0u32..).take(self.audit.skills.len()).collect(),
        }
    }

    /// The name of a skill, fit to be shown.
    fn name(&self, number: u32) -> String {
        let skill = self.audit.skills.get(number as usize);
        skill.map_or_else(String::new, |skill| shown(&skill.name))
    }
}

/// The source's line for an empty scope.
const SKIPPED: &str = "No SKILL.md files in scope — audit skipped (control: git rev-parse OK).";
/// The source's beginning of a line for a scope that could not be measured.
const UNAVAILABLE: &str =
    "HARNESS_ERROR: git unavailable — scope could NOT be measured (not an empty scope)";

/// Runs it.
///
/// # Errors
/// A [`Report`]: a profile that is not good, a root that is no folder, a name nobody carries.
pub fn run(context: &Context, args: &ChainsArgs) -> Result<Exit, Report> {
    let profile = match &args.profile {
        Some(name) => profile_of(name)?,
        None => profile_of(&user_settings()?.settings.chain_profile)?,
    };
    let scope = match (&args.skill, args.all, args.pr) {
        (Some(name), _, _) => Scope::Skill(name.clone()),
        (None, true, _) => Scope::All,
        (None, false, true) => Scope::Pr(args.base.clone()),
        (None, false, false) => match &args.base {
            Some(base) => Scope::Pr(Some(base.clone())),
            None => Scope::Changed,
        },
    };
    let dir = std::path::absolute(&context.dir).map_err(|error| unmeasured(&error.to_string()))?;
    let wanted = match &scope {
        Scope::Changed => Wanted::Changed,
        Scope::Pr(base) => Wanted::Since(base.clone()),
        Scope::All | Scope::Skill(_) => Wanted::Place,
    };
    let listed = listed(&dir, wanted);
    let listed = match (listed, &scope) {
        (Ok(listed), _) => Some(listed),
        // files can be listed without git as well
        (Err(GitError::NotRepository(_) | GitError::Bare(_)), Scope::All | Scope::Skill(_)) => None,
        (Err(error), _) => return Ok(not_measured(context, &scope, &profile, &error)),
    };
    let top = listed
        .as_ref()
        .map_or_else(|| dir.clone(), |listed| listed.top.clone());
    let root = root(&dir, &top, args.root.as_deref())?;
    let top = if root.starts_with(&top) {
        top
    } else {
        root.clone()
    };
    let now = jiff::Timestamp::now().as_second();
    let cache = place::folders()
        .ok()
        .map(|f| Cache::open(&f.cache, &root, &profile, now));
    let mut gathered = gather(&top, &root, &profile, cache.as_ref());
    let scoped = match (&scope, &listed) {
        (Scope::Skill(name), _) => scope::named(name, &gathered),
        (Scope::Changed | Scope::Pr(_), Some(listed)) => {
            scope::listed(listed, &root, &mut gathered, &profile)
        }
        (Scope::All, _) | (_, None) => scope::all(&gathered),
    };
    if let State::Unknown(near) = &scoped.state {
        return Err(unknown(scope_name(&scope), near));
    }
    if scope == Scope::All && scoped.state == State::Empty && listed.is_none() {
        // nothing was found, and no control says that it was looked for in the right place
        let error = GitError::NotRepository(dir.to_string_lossy().into_owned().into_bytes());
        return Ok(not_measured(context, &scope, &profile, &error));
    }
    let rulings = match &listed {
        Some(_) => Rulings::read(&dir),
        None => Rulings::default(),
    };
    let results = gathered.audit(&top, scoped.numbers(), &profile, cache.as_ref());
    let found = findings(
        scope,
        (&root, &top),
        listed,
        scoped,
        gathered,
        results,
        profile,
        rulings,
    );
    print(context, args, &found);
    let verdict = found.verdict;
    // the program ends here: thousands of texts need not be given back one by one
    std::mem::forget(found);
    Ok(match verdict {
        None | Some(AuditVerdict::Pass) => Exit::Clear,
        Some(AuditVerdict::ConditionalPass | AuditVerdict::Fail) => Exit::NotClear,
        Some(AuditVerdict::HarnessError) => Exit::CouldNotMeasure,
    })
}

#[allow(
    clippy::too_many_arguments,
    reason = "everything that was looked at, gathered once"
)]
fn findings(
    scope: Scope,
    (root, top): (&Path, &Path),
    listed: Option<Box<Listed>>,
    scoped: Scoped,
    gathered: Gathered,
    results: Results,
    profile: Profile,
    rulings: Rulings,
) -> Findings {
    let Results {
        calibration, audit, ..
    } = results;
    let counts = counts(
        audit
            .chains
            .iter()
            .map(|chain| (chain, rulings.said(chain))),
    );
    let unread = scope::unread(&scoped, &gathered);
    let shape = shape(&audit, scoped.skills.is_none(), &profile);
    let measured = scoped.state == State::Measured || !calibration.ok() || unread > 0;
    let below = root
        .strip_prefix(top)
        .unwrap_or(root)
        .to_string_lossy()
        .into_owned();
    Findings {
        verdict: measured.then(|| verdict(calibration.ok(), &counts, unread)),
        scope,
        root: if below.is_empty() {
            ".".to_owned()
        } else {
            below
        },
        base: listed.and_then(|listed| listed.base),
        scoped,
        gathered,
        calibration,
        audit,
        shape,
        counts,
        rulings,
        unread,
        profile,
    }
}

fn print(context: &Context, args: &ChainsArgs, found: &Findings) {
    if context.json {
        print_json(&json::document(found));
        return;
    }
    let lines = match (found.scoped.state == State::Measured, args.format) {
        (false, _) if found.verdict.is_none() => text::nothing(found),
        (_, ChainsFormat::Text) => text::report(found),
        (_, ChainsFormat::Md) => markdown::report(found),
        (_, ChainsFormat::Map) => text::map_only(found),
    };
    lines_out(&lines);
}

fn lines_out(lines: &[String]) {
    let mut out = lines::stdout();
    for line in lines {
        if writeln!(out, "{line}").is_err() {
            return;
        }
    }
}

/// Text from outside, on one line, fit to be shown.
pub(super) fn shown(text: &Foreign) -> String {
    text.shown(Place::Strict).plain()
}

fn scope_name(scope: &Scope) -> &str {
    match scope {
        Scope::Skill(name) => name,
        Scope::Changed | Scope::Pr(_) | Scope::All => "",
    }
}

fn unknown(name: &str, near: &[String]) -> Report {
    let name = shown(&Foreign::from(name));
    let report = Report::new(
        Exit::CouldNotMeasure,
        "no-such-skill",
        format!("there is no skill called {name}"),
    );
    if near.is_empty() {
        return report.hint("list all with --all");
    }
    let near: Vec<String> = near
        .iter()
        .map(|one| shown(&Foreign::from(one.as_str())))
        .collect();
    report.hint(format!("try one of: {}", near.join(", ")))
}

fn unmeasured(why: &str) -> Report {
    Report::new(
        Exit::CouldNotMeasure,
        "not-measured",
        format!("could not look: {why}"),
    )
}

/// A scope that failed: the source's line, never "skipped".
fn not_measured(context: &Context, scope: &Scope, profile: &Profile, error: &GitError) -> Exit {
    let says = error.says();
    let line = match error {
        GitError::NotRepository(_) | GitError::Bare(_) | GitError::NoReader(_) => {
            UNAVAILABLE.to_owned()
        }
        _ => format!("HARNESS_ERROR: scope command failed (rc=1): {says}"),
    };
    if context.json {
        print_json(&json::failed(scope, profile, &line, error));
    } else {
        lines_out(std::slice::from_ref(&line));
    }
    let mut out = lines::stderr();
    let _ = writeln!(out, "countersign: {says}");
    if !error.hint().is_empty() {
        let _ = writeln!(out, "  {}", error.hint());
    }
    Exit::CouldNotMeasure
}

/// The folder whose skills are audited.
fn root(dir: &Path, top: &Path, given: Option<&Path>) -> Result<PathBuf, Report> {
    let Some(given) = given else {
        return Ok(scope::root(top));
    };
    let place = std::fs::canonicalize(dir.join(given));
    place.ok().filter(|place| place.is_dir()).ok_or_else(|| {
        let name = shown(&Foreign::from(given.to_string_lossy().into_owned()));
        Report::new(
            Exit::Usage,
            "no-such-folder",
            format!("{name} is no folder"),
        )
        .hint("name the folder that holds the skills with --root")
    })
}

/// A built-in profile, else `profiles/NAME.toml` of the person.
///
/// # Errors
/// A [`Report`]: nobody calls a profile so, or what it says is wrong, all of it at once.
pub(super) fn profile_of(name: &str) -> Result<Profile, Report> {
    let folder = place::folders()
        .ok()
        .map(|folders| folders.config.join("profiles"));
    let own = |name: &str| -> Option<String> {
        let plain = name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        let file = folder
            .as_ref()
            .filter(|_| plain)?
            .join(format!("{name}.toml"));
        let bytes = regular::read(&file, PROFILE).ok()??;
        String::from_utf8(bytes).ok()
    };
    let text = profile::built_in(name)
        .map(str::to_owned)
        .or_else(|| own(name));
    let Some(text) = text else {
        let all: Vec<&str> = profile::names().collect();
        let name = shown(&Foreign::from(name));
        return Err(Report::new(
            Exit::Usage,
            "no-such-profile",
            format!("there is no profile called {name}"),
        )
        .hint(format!(
            "use one of {}, or write profiles/{name}.toml in the configuration folder",
            all.join(", ")
        )));
    };
    profile::read(name, &text, &own).map_err(|bad| {
        let mut report = Report::new(
            Exit::Usage,
            "bad-profile",
            format!("the profile has {} faults", bad.0.len()),
        );
        for fault in &bad.0 {
            report = report.hint(shown(&Foreign::from(fault.as_str())));
        }
        report
    })
}

/// The files that a scope names, read by a child that can be killed.
fn listed(dir: &Path, wanted: Wanted) -> Result<Box<Listed>, GitError> {
    let (send, answers) = mpsc::channel();
    let reader = Reader::spawn(move |_, reply| {
        if let Reply::Listed(listed) = reply {
            let _ = send.send(listed);
        }
    })
    .map_err(|error| GitError::NoReader(error.to_string()))?;
    reader.ask(Ticket(1), Question::Listed(dir.to_owned(), wanted));
    let limit = u64::try_from(PATIENCE.as_millis()).unwrap_or(u64::MAX);
    answers.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        Err(GitError::TooSlow(
            "the files of the scope".to_owned(),
            limit,
        ))
    })
}
