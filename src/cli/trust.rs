//! `countersign trust`: approvals of oracles. Granting one is a matter of a person's words on the
//! controlling terminal; there is no flag, variable or pipe for it (RUN-3).

use std::io::{self, BufRead as _, Write as _};
use std::path::Path;

use serde_json::{Value, json};

use super::args::TrustCommand;
use super::config::user_settings;
use super::exit::Exit;
use super::json::print_json;
use super::oracles::{Site, approvals, place_of, settings, trouble};
use super::report::Report;
use super::{Context, place};
use crate::adapters::checkout::AlsoRuns;
use crate::adapters::trust::{Approval, Approvals, Before, Binding, Consent, place_word, wrapped};
use crate::app::pane::words::open_at;
use crate::model::contract::{Criterion, Severity};
use crate::model::oracle::{Expect, Oracle, RunPlace};
use crate::model::text::{Foreign, Place};
use crate::runtime::lines;

/// Columns of a command on the card.
const COLUMNS: usize = 64;

/// Runs it.
///
/// # Errors
/// A [`Report`].
pub fn run(context: &Context, args: TrustCommand) -> Result<Exit, Report> {
    match args {
        TrustCommand::List => list(context),
        TrustCommand::Show {
            path,
            live,
            isolation,
        } => show(context, &path, place_of(live), isolation),
        TrustCommand::Revoke { what } => revoke(context, &what),
    }
}

fn list(context: &Context) -> Result<Exit, Report> {
    let all = approvals(&place::folders()?)?;
    if context.json {
        let approvals: Vec<_> = all.list().iter().map(approval_json).collect();
        print_json(&json!({
            "schema": "countersign/trust/1",
            "approvals": approvals,
            "pending": [],
        }));
        return Ok(Exit::Clear);
    }
    let mut lines = Vec::new();
    for approval in all.list() {
        lines.push(format!(
            "{}  {}  {}  tree {}  {}, level {}  {}",
            approval.id,
            approval.contract.foreign().shown(Place::Strict),
            Foreign::from(approval.criterion.as_str()).shown(Place::Strict),
            approval.tree.short(),
            approval.place,
            approval.isolation,
            approval.granted,
        ));
    }
    if lines.is_empty() {
        lines.push("no approvals".into());
    }
    print(&lines);
    Ok(Exit::Clear)
}

fn revoke(context: &Context, what: &str) -> Result<Exit, Report> {
    let mut all = approvals(&place::folders()?)?;
    let path = context.dir.join(what);
    let inside = super::contract::file::given(&context.dir, Path::new(what))
        .ok()
        .map(|given| given.path);
    let repository = path
        .parent()
        .and_then(|folder| place::here(folder).ok())
        .map(|here| here.repository);
    let names = |approval: &Approval| {
        let by_id = what.len() >= 6 && approval.id.starts_with(what);
        let by_path = inside.as_ref() == Some(&approval.contract)
            && repository.is_none_or(|repository| repository == approval.repository);
        by_id || by_path
    };
    let count = all.revoke(names).map_err(|error| trouble(&error))?;
    if count == 0 {
        let shown = Foreign::from(what).shown(Place::Strict);
        let message = format!("no approval is called {shown}");
        return Err(Report::new(Exit::Usage, "no-approval", message)
            .hint("name an id of `countersign trust list`, or the path of a contract"));
    }
    if context.json {
        print_json(&json!({"schema": "countersign/trust/1", "revoked": count}));
    } else {
        let plural = if count == 1 { "" } else { "s" };
        print(&[format!("{count} approval{plural} taken back")]);
    }
    Ok(Exit::Clear)
}

fn show(
    context: &Context,
    path: &Path,
    place: RunPlace,
    isolation: Option<u8>,
) -> Result<Exit, Report> {
    let settings = settings(&user_settings()?.settings, isolation)?;
    let site = Site::read(context, path, settings, place)?;
    refuse_errors(&site)?;
    if context.json {
        return show_json(&site);
    }
    let consent = Consent::at_terminal(&[&io::stdin(), &io::stdout()]);
    let mut all = approvals(&site.folders)?;
    let oracles: Vec<_> = site.oracles().collect();
    let total = oracles.len();
    let mut open = 0;
    let mut number = 0;
    'all: for some in oracles.chunks(AT_ONCE) {
        for (criterion, oracle, binding, before, also) in looked_at(&site, &all, some)? {
            number += 1;
            print(&card(
                &site,
                criterion,
                oracle,
                &before,
                &also,
                (number, total),
            ));
            if matches!(before, Before::This(_)) {
                continue;
            }
            open += 1;
            let Ok(consent) = &consent else { continue };
            if site.refused(oracle).is_some() {
                continue;
            }
            match ask(criterion, &before, &also) {
                Answer::Trust => {
                    let approval = all
                        .grant(&binding, consent)
                        .map_err(|error| trouble(&error))?;
                    open -= 1;
                    print(&[format!(" trusted as {}", approval.id), String::new()]);
                }
                Answer::No => print(&[" not trusted".into(), String::new()]),
                Answer::Leave => break 'all,
            }
        }
    }
    if total == 0 {
        print(&["no criterion has an oracle: there is nothing to trust".into()]);
    } else if open > 0 && consent.is_err() {
        print(&[format!(
            "{open} of {total} not trusted; granting needs a person: run this on a terminal"
        )]);
    }
    Ok(if open > 0 {
        Exit::PersonNeeded
    } else {
        Exit::Clear
    })
}

/// How many oracles one child of ours looks at.
const AT_ONCE: usize = 250;

/// An oracle with what an approval of it would bind, what was approved before, and what else it
/// runs.
type Looked<'a> = (&'a Criterion, &'a Oracle, Binding, Before, AlsoRuns);

/// Looks at some oracles of a contract.
fn looked_at<'a>(
    site: &Site,
    all: &Approvals,
    oracles: &[(&'a Criterion, &'a Oracle)],
) -> Result<Vec<Looked<'a>>, Report> {
    let bound: Vec<_> = oracles
        .iter()
        .map(|(criterion, oracle)| {
            let binding = site.binding(criterion, oracle);
            let before = all.before(&binding);
            (*criterion, *oracle, binding, before)
        })
        .collect();
    let asked = bound.iter();
    let asked: Vec<_> = asked
        .map(|(_, oracle, _, before)| (*oracle, before))
        .collect();
    let also = site.also_runs(&asked)?;
    let looked = bound.into_iter().zip(also);
    Ok(looked
        .map(|((criterion, oracle, binding, before), also)| {
            (criterion, oracle, binding, before, also)
        })
        .collect())
}

/// A contract with errors runs nothing, so nothing of it can be approved.
///
/// # Errors
/// A [`Report`] with every error.
pub(super) fn refuse_errors(site: &Site) -> Result<(), Report> {
    let errors: Vec<_> = site.contract.errors().collect();
    if errors.is_empty() {
        return Ok(());
    }
    let plural = if errors.len() == 1 { "" } else { "s" };
    let message = format!(
        "the contract has {} error{plural}: nothing of it runs",
        errors.len()
    );
    let mut report = Report::new(Exit::Usage, "contract-errors", message);
    for error in errors {
        debug_assert_eq!(error.severity, Severity::Error);
        report.positions.push((error.line, error.message.clone()));
        if !error.hint.is_empty() && !report.hints.contains(&error.hint) {
            report.hints.push(error.hint.clone());
        }
    }
    Err(report)
}

fn show_json(site: &Site) -> Result<Exit, Report> {
    let all = approvals(&site.folders)?;
    let (mut approved, mut pending) = (Vec::new(), Vec::new());
    let oracles: Vec<_> = site.oracles().collect();
    let mut looked = Vec::with_capacity(oracles.len());
    for some in oracles.chunks(AT_ONCE) {
        looked.extend(looked_at(site, &all, some)?);
    }
    for (criterion, oracle, binding, before, also) in looked {
        if let Before::This(approval) = &before {
            approved.push(approval_json(approval));
            continue;
        }
        let also: Vec<_> = also
            .iter()
            .map(|(path, counts, same)| {
                let (path, lossy) = path.json();
                json!({
                    "path": path,
                    "lossy": lossy,
                    "added": counts.map(|c| c.added),
                    "removed": counts.map(|c| c.removed),
                    "same_as_approved": same,
                })
            })
            .collect();
        pending.push(json!({
            "criterion": criterion.id.as_str(),
            "command": String::from_utf8_lossy(oracle.check.raw()),
            "expect": expect_words(oracle).0,
            "why": before_words(&before, &[]),
            "refused": site.refused(oracle),
            "binds": binding.digest().to_string(),
            "also_runs": also,
            "isolation": site.settings.isolation.level(),
            "place": place_word(site.place),
            "shell": site.shell(),
            "environment": site.environment(),
            "limit_ms": site.settings.limit.as_millis() as u64,
        }));
    }
    let exit = if pending.is_empty() {
        Exit::Clear
    } else {
        Exit::PersonNeeded
    };
    print_json(&json!({
        "schema": "countersign/trust/1",
        "approvals": approved,
        "pending": pending,
    }));
    Ok(exit)
}

fn approval_json(approval: &Approval) -> Value {
    let (contract, lossy) = approval.contract.json();
    json!({
        "id": approval.id,
        "repository": approval.repository.to_string(),
        "contract": contract,
        "lossy": lossy,
        "criterion": approval.criterion,
        "command_digest": approval.command.to_string(),
        "expect_digest": approval.expect.to_string(),
        "contract_blob": approval.contract_blob.to_string(),
        "tree": approval.tree.to_string(),
        "place": approval.place,
        "isolation": approval.isolation,
        "granted": approval.granted,
    })
}

/// The trust card: everything that the approval binds, nothing cut.
fn card(
    site: &Site,
    criterion: &Criterion,
    oracle: &Oracle,
    before: &Before,
    also: &AlsoRuns,
    (number, total): (usize, usize),
) -> Vec<String> {
    let id = &criterion.id;
    let title = match before {
        Before::This(approval) => format!("━ The oracle of {id} is trusted as {}", approval.id),
        _ => format!("━ Trust the oracle of {id}?"),
    };
    let mut lines = vec![format!("{title} ━━━ {number} of {total}")];
    for line in criterion.text.shown_lines(Place::Prose) {
        lines.push(format!(" {line}"));
    }
    lines.push(format!(
        " These bytes would run as you, on the tree of {}. Read them to the end.",
        site.here.snapshot.head.short()
    ));
    for (index, (at, row)) in wrapped(&oracle.check, COLUMNS).into_iter().enumerate() {
        let label = if index == 0 { "CHECK" } else { "" };
        lines.push(format!(" {label:<9} {at:>6}  {row}"));
    }
    let bytes = oracle.check.raw().len();
    let ascii = if oracle.check.raw().is_ascii() {
        "ASCII"
    } else {
        "not only ASCII"
    };
    lines.push(format!(
        " {:<9} {:>6}  {bytes} bytes, {ascii}, shown whole",
        "", ""
    ));
    let (expect, kind) = expect_words(oracle);
    lines.push(format!(" {:<9} {expect}   {kind}", "EXPECT"));
    lines.push(format!(
        " {:<9} {}, level {}: {}",
        "WHERE",
        match site.place {
            RunPlace::Checkout => "private checkout, kept warm",
            RunPlace::Live => "your own worktree",
        },
        site.settings.isolation.level(),
        open_at(site.settings.isolation)
    ));
    lines.push(format!(
        " {:<9} {} · {} · no stdin, no terminal · {} s, 1 GiB",
        "GIVEN",
        site.shell().unwrap_or("no bash"),
        site.environment().join(" "),
        site.settings.limit.as_secs()
    ));
    lines.extend(also_lines(also));
    lines.push(format!(" {:<9} {}", "BEFORE", before_words(before, also)));
    if let Some(why) = site.refused(oracle) {
        lines.push(format!(" {:<9} {why}: it cannot be trusted", "REFUSED"));
    }
    lines.push(String::new());
    lines
}

fn also_lines(also: &AlsoRuns) -> Vec<String> {
    if also.is_empty() {
        return vec![format!(" {:<9} no file of this tree by name", "ALSO RUNS")];
    }
    let line = |(index, (path, counts, _)): (usize, &(_, Option<_>, Option<bool>))| {
        let label = if index == 0 { "ALSO RUNS" } else { "" };
        let path: &crate::model::id::RepoPath = path;
        let counts: &Option<crate::model::change::Counts> = counts;
        let said = match counts {
            None => "unchanged since base".to_owned(),
            Some(c) if c.is_nothing() => "another mode in this change".to_owned(),
            Some(c) => format!("+{} −{} in this change", c.added, c.removed),
        };
        let path = path.foreign().shown(Place::Strict).plain();
        format!(" {label:<9} {path:<32} {said}")
    };
    also.iter().enumerate().map(line).collect()
}

fn expect_words(oracle: &Oracle) -> (String, &'static str) {
    let shown = |text: &Foreign| text.shown(Place::Strict).plain();
    match &oracle.expect {
        Expect::Plain(text) => (shown(text), "plain text"),
        Expect::Regex { source, flags } => (
            format!("/{}/{}", shown(source), shown(flags)),
            "regular expression",
        ),
        Expect::ExitOnly => ("exit 0 alone".into(), "no marker"),
    }
}

fn before_words(
    before: &Before,
    also: &[(
        crate::model::id::RepoPath,
        Option<crate::model::change::Counts>,
        Option<bool>,
    )],
) -> String {
    match before {
        Before::This(approval) => format!("these bytes, by you, {}", approval.granted),
        Before::Never => "never trusted. Any byte above changes: you are asked again.".into(),
        Before::OtherBytes(approval) => format!(
            "other bytes or another setting, by you, {} (tree {})",
            approval.granted,
            approval.tree.short()
        ),
        Before::OtherTree(approval) => {
            let differ = also
                .iter()
                .filter(|(_, _, same)| *same != Some(true))
                .count();
            let files = if differ == 0 {
                "none of the files above differs".to_owned()
            } else {
                format!("{differ} of the files above differ")
            };
            format!(
                "the same bytes on tree {}, by you, {}; {files}",
                approval.tree.short(),
                approval.granted
            )
        }
    }
}

enum Answer {
    Trust,
    No,
    Leave,
}

/// Asks for the words. At a new head one key renews an approval when nothing that the command
/// also runs differs (K15); otherwise the criterion must be named.
fn ask(criterion: &Criterion, before: &Before, also: &AlsoRuns) -> Answer {
    let renews = matches!(before, Before::OtherTree(_))
        && also.iter().all(|(_, _, same)| *same == Some(true));
    let words = format!("trust {}", criterion.id);
    let mut out = lines::stdout();
    let prompt = if renews {
        String::from(" type  t  to renew it, Enter to skip, q to leave: ")
    } else {
        format!(" type  {words}  to trust it, Enter to skip, q to leave: ")
    };
    let _ = write!(out, "{prompt}");
    let _ = out.flush();
    drop(out);
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => Answer::Leave,
        Ok(_) => match line.trim_end_matches(['\n', '\r']) {
            "q" => Answer::Leave,
            "t" if renews => Answer::Trust,
            typed if typed == words => Answer::Trust,
            _ => Answer::No,
        },
    }
}

fn print(lines: &[String]) {
    let mut out = lines::stdout();
    for line in lines {
        let _ = writeln!(out, "{line}");
    }
}
