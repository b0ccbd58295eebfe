//! Weak oracles and unhelpful criteria: a table of lints that never executes anything
//! (contract-gates 1.13, H34, RUN-19).

use crate::model::contract::{Contract, Criterion, Format, Severity};
use crate::model::oracle::{Expect, Oracle};

use super::shell::{self, Simple};
use super::{vacuity, wording};

/// One finding about an oracle or a criterion. Advisory unless the severity is an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lint {
    /// A stable code (`tautological-check`).
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is weak, fit to be shown.
    pub message: String,
    /// Whether it makes a pass `weak` on screen.
    pub weakens: bool,
}

/// One rule of the table.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The code of its findings.
    pub code: &'static str,
    /// How bad they are.
    pub severity: Severity,
    /// Whether they make a pass `weak`.
    pub weakens: bool,
    /// One line on what it looks for.
    pub description: &'static str,
    look: Look,
}

#[derive(Clone, Copy, Debug)]
enum Look {
    /// At the oracle.
    Oracle(fn(&Seen<'_>) -> Option<String>),
    /// At the criterion, with or without an oracle.
    Criterion(fn(&Contract, &Criterion) -> Option<String>),
    /// At the whole contract.
    Contract(fn(&Contract) -> Option<String>),
}

/// An oracle as the rules look at it.
pub(super) struct Seen<'a> {
    /// The contract.
    pub contract: &'a Contract,
    /// Its criterion.
    pub criterion: &'a Criterion,
    /// The command.
    pub check: &'a str,
    /// The simple commands of the command.
    pub commands: Vec<Simple>,
    /// The marker, where it is plain text.
    pub marker: Option<&'a str>,
    /// The oracle.
    pub oracle: &'a Oracle,
}

const fn weak(
    code: &'static str,
    description: &'static str,
    look: fn(&Seen<'_>) -> Option<String>,
) -> Rule {
    Rule {
        code,
        severity: Severity::Warning,
        weakens: true,
        description,
        look: Look::Oracle(look),
    }
}

const fn note(code: &'static str, description: &'static str, look: Look) -> Rule {
    Rule {
        code,
        severity: Severity::Warning,
        weakens: false,
        description,
        look,
    }
}

/// Every lint, in the order in which findings are listed.
pub const LINTS: [Rule; 24] = [
    Rule {
        code: "tautological-check",
        severity: Severity::Error,
        weakens: true,
        description: "the command only prints or compares constants, so it cannot fail",
        look: Look::Oracle(vacuity::tautological),
    },
    weak(
        "marker-on-failure",
        "the marker is printed on the branch that is taken when a command fails",
        vacuity::marker_on_failure,
    ),
    weak(
        "status-forgiven",
        "|| true, || : or || exit 0 turns every failure into a pass",
        vacuity::forgiven,
    ),
    weak(
        "status-of-last",
        "; or & goes on whatever the command before it did",
        vacuity::status_of_last,
    ),
    weak(
        "pipe-hides-status",
        "a pipeline has the status of its last command",
        vacuity::pipe,
    ),
    weak(
        "filter-may-match-nothing",
        "a test filter that matches no test passes",
        vacuity::filter,
    ),
    weak(
        "absence-without-control",
        "an absence check passes on a missing file or a wrong pattern; show that it can go red",
        vacuity::absence,
    ),
    weak(
        "expect-echoes-check",
        "the marker stands in the command other than as && echo MARKER",
        vacuity::echoes,
    ),
    weak(
        "weak-expect",
        "the marker is a word that many outputs hold, or shorter than four characters",
        vacuity::weak_marker,
    ),
    weak(
        "copied-figure",
        "a figure of the request or the criterion is copied into the marker",
        vacuity::copied_figure,
    ),
    weak(
        "names-no-artifact",
        "the command names nothing of what the criterion names",
        vacuity::names_no_artifact,
    ),
    weak(
        "no-marker",
        "no marker is asked for; exit 0 alone passes",
        vacuity::no_marker,
    ),
    note(
        "exit-as-text",
        "the marker reads like an exit code and is searched for as text",
        Look::Oracle(vacuity::exit_as_text),
    ),
    note(
        "path-read-as-regex",
        "the marker looks like a path and is read as a regular expression",
        Look::Oracle(vacuity::path_as_regex),
    ),
    note(
        "machine-path",
        "the command names a folder of one machine",
        Look::Oracle(vacuity::machine_path),
    ),
    note(
        "writes-tree",
        "the command changes files of the tree",
        Look::Oracle(vacuity::writes_tree),
    ),
    note(
        "needs-network",
        "the command fetches something from the network",
        Look::Oracle(vacuity::network),
    ),
    note(
        "shell-syntax",
        "the command has an open quote",
        Look::Oracle(vacuity::open_quote),
    ),
    note(
        "manual-gate",
        "no command decides it; a person must",
        Look::Criterion(wording::manual),
    ),
    note(
        "unmeasured-number",
        "it states a figure that no command measures",
        Look::Criterion(wording::unmeasured_number),
    ),
    note(
        "activity-not-outcome",
        "it opens with an activity, not with what will be true",
        Look::Criterion(wording::activity),
    ),
    note(
        "few-gates",
        "a gate file of unlazy has fewer than five gates",
        Look::Contract(wording::few),
    ),
    note(
        "many-gates",
        "a gate file of unlazy has more than twelve gates",
        Look::Contract(wording::many),
    ),
    note(
        "mostly-manual",
        "fewer than half of the criteria carry an oracle",
        Look::Contract(wording::mostly_manual),
    ),
];

/// The lints of one criterion, in table order.
#[must_use]
pub fn lint(contract: &Contract, criterion: &Criterion) -> Vec<Lint> {
    let seen = criterion
        .oracle
        .as_ref()
        .and_then(|oracle| seen(contract, criterion, oracle));
    LINTS
        .iter()
        .filter_map(|rule| {
            let message = match rule.look {
                Look::Oracle(look) => look(seen.as_ref()?)?,
                Look::Criterion(look) => look(contract, criterion)?,
                Look::Contract(_) => return None,
            };
            Some(found(rule, message))
        })
        .collect()
}

/// The lints of the contract as a whole, in table order.
#[must_use]
pub fn lint_whole(contract: &Contract) -> Vec<Lint> {
    LINTS
        .iter()
        .filter_map(|rule| match rule.look {
            Look::Contract(look) => look(contract).map(|message| found(rule, message)),
            Look::Oracle(_) | Look::Criterion(_) => None,
        })
        .collect()
}

fn found(rule: &Rule, message: String) -> Lint {
    Lint {
        code: rule.code,
        severity: rule.severity,
        message,
        weakens: rule.weakens,
    }
}

fn seen<'a>(
    contract: &'a Contract,
    criterion: &'a Criterion,
    oracle: &'a Oracle,
) -> Option<Seen<'a>> {
    let check = oracle.check.raw_str()?;
    let marker = match &oracle.expect {
        Expect::Plain(text) => text.raw_str(),
        Expect::Regex { .. } | Expect::ExitOnly => None,
    };
    Some(Seen {
        contract,
        criterion,
        check,
        commands: shell::commands(check),
        marker,
        oracle,
    })
}

/// Whether the contract is a gate file of unlazy.
pub(super) fn is_unlazy(contract: &Contract) -> bool {
    contract.format == Format::Unlazy
}
