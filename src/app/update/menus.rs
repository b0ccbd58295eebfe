//! Menus made from permits, judgment, table and keymap: rulings of an item, the verdict page,
//! help and palette. They read the state; `keys` acts on them.

use std::collections::BTreeSet;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::gate::decide::Act;
use crate::gate::dossier::Subject;
use crate::gate::menu::levers::Lever;
use crate::gate::permit::{Permit, Verb};
use crate::model::contract::{Contract, ContractOfRecord};
use crate::model::evidence::Evidence;
use crate::model::format::{FORMATS, Format};
use crate::model::id::{CriterionId, RepoPath};
use crate::model::ruling::Verdict;

use super::super::command::{Command, Context, TABLE};
use super::super::edit::EditOrder;
use super::super::state::{Mode, State};
use super::footer::{Live, closed};
use super::seen::Ready;

/// A row of the rulings menu.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RulingRow {
    /// Which verb.
    pub verb: Verb,
    /// The lever of a gate message, where it is one.
    pub lever: Option<Lever>,
    /// The verb's own key; empty when it has none outside this menu.
    pub key: String,
    /// What it does here.
    pub says: &'static str,
    /// Why not, when it is closed.
    pub closed: Option<String>,
}

/// All permits of the selected item, closed ones too.
#[must_use]
pub fn rulings(state: &State) -> Vec<RulingRow> {
    let Some(item) = state.item() else {
        return Vec::new();
    };
    let message = match &item.subject {
        Subject::Message(id) => state.gate_of(id).map(|gate| &gate.message),
        _ => None,
    };
    let verbs = Verb::ALL.iter();
    // what a person can do beside a pick says more than the verb that it is an instance of
    let verbs = verbs.filter(|verb| message.is_none() || **verb != Verb::SetAside);
    let rows = verbs.filter_map(|verb| {
        let (says, closed) = match item.permits.of(*verb) {
            Permit::Absent => return None,
            Permit::Locked(says) if *verb == Verb::Affirm => (*says, not_ready(state)),
            Permit::Open(says) | Permit::Locked(says) => (*says, None),
            Permit::Closed { does, because } => {
                (*does, Some(format!("{} ({})", because.why, because.rule)))
            }
        };
        let command = match verb {
            Verb::Affirm => Some(Command::Ratify),
            Verb::SendBack => Some(Command::KickBack),
            Verb::SetAside => Some(Command::Abandon),
            Verb::Run => Some(Command::Run),
            Verb::Escalate | Verb::NotApplicable | Verb::Override | Verb::Tag => None,
        };
        Some(RulingRow {
            verb: *verb,
            lever: None,
            key: command.map_or_else(String::new, |command| state.keys.shown(command)),
            says,
            closed,
        })
    });
    let settled = item.permits.of(Verb::SendBack);
    let settled = match settled {
        Permit::Closed { because, .. } => Some(format!("{} ({})", because.why, because.rule)),
        _ => None,
    };
    let levers = message.into_iter().flat_map(|message| {
        let settled = settled.clone();
        Lever::ALL.into_iter().map(move |lever| RulingRow {
            verb: Verb::SetAside,
            lever: Some(lever),
            key: String::new(),
            says: lever.words(),
            closed: lever
                .closed(message)
                .map(str::to_owned)
                .or_else(|| settled.clone()),
        })
    });
    rows.chain(levers).collect()
}

/// Why what is locked could not even be opened by reading on.
fn not_ready(state: &State) -> Option<String> {
    match state.ready() {
        Ready::Closed(sentence) => {
            let why = sentence.strip_prefix("Closed: ").unwrap_or(&sentence);
            Some(why.to_owned())
        }
        Ready::Nothing | Ready::Open(_) | Ready::Soon(_) | Ready::Locked(_) => None,
    }
}

/// Files that could be the contract while none of them is taken.
#[must_use]
pub fn contracts(state: &State) -> &[(RepoPath, String)] {
    state.dossier().map_or(&[], |dossier| &dossier.candidates)
}

/// The contract that is judged.
#[must_use]
pub fn record(state: &State) -> Option<&ContractOfRecord> {
    state.dossier()?.contract.known()
}

/// Formats that a contract could be read as: the name, `None` to detect it, and what it reads.
#[must_use]
pub fn formats() -> Vec<(Option<Format>, &'static str)> {
    let named = FORMATS
        .iter()
        .map(|row| (Some(row.format), row.description));
    let detect = (
        None,
        "as its bytes say; the reason stands on the contract page",
    );
    std::iter::once(detect).chain(named).collect()
}

/// The row of the format that the contract is read as now.
#[must_use]
pub fn format_now(state: &State) -> usize {
    let now = record(state).map(|record| record.contract.format);
    let rows = formats();
    let at = rows
        .iter()
        .position(|(format, _)| format.is_some() && *format == now);
    at.unwrap_or(0)
}

/// A row of the verdict page's menu.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerdictRow {
    /// Its number; `None` for closed rows.
    pub number: Option<u8>,
    /// What it does.
    pub says: String,
    /// More about it; empty when there is nothing more to say.
    pub detail: String,
    /// Why it is closed.
    pub closed: Option<String>,
    /// What `Enter` does.
    pub act: VerdictAct,
}

/// What a row of the verdict page does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VerdictAct {
    /// Opens the sign-off for this verdict.
    Sign(Verdict),
    /// Leaves undecided.
    Leave,
    /// Switches an edit on or off, by its name; whether it is on.
    Write(String, bool),
}

/// The menu of the verdict page.
#[must_use]
pub fn verdict(state: &State) -> Vec<VerdictRow> {
    if let (Some(entry), Some(judgment)) = (state.world.ruled, &state.world.judgment) {
        return vec![VerdictRow {
            number: Some(1),
            says: "leave".into(),
            detail: format!(
                "{} is recorded as {}; a correction is a new session",
                judgment.ruling.word(),
                entry.short()
            ),
            closed: None,
            act: VerdictAct::Leave,
        }];
    }
    let mut rows: Vec<VerdictRow> = state
        .world
        .judgment
        .iter()
        .flat_map(|judgment| &judgment.signing)
        .map(|row| VerdictRow {
            number: None,
            says: format!("sign {}", row.verdict.word()),
            detail: String::new(),
            closed: closed_verdict(state, row.verdict),
            act: VerdictAct::Sign(row.verdict),
        })
        .collect();
    // The judgment's own verdict stands first, closed rows last.
    let own = state
        .world
        .judgment
        .as_ref()
        .map(|judgment| judgment.ruling);
    rows.sort_by_key(|row| {
        (
            row.closed.is_some(),
            row.act != own.map_or(VerdictAct::Leave, VerdictAct::Sign),
        )
    });
    rows.push(VerdictRow {
        number: None,
        says: "leave undecided".into(),
        detail: "keeps every decision and draft, exit code 5".into(),
        closed: None,
        act: VerdictAct::Leave,
    });
    for order in orders(state) {
        let name = order.name();
        rows.push(VerdictRow {
            number: None,
            says: order.says(),
            detail: "shown as a diff first; written when you sign".into(),
            closed: None,
            act: VerdictAct::Write(name.clone(), state.nav.writes.contains(&name)),
        });
    }
    let mut number = 0;
    for row in rows.iter_mut().filter(|row| row.closed.is_none()) {
        number += 1;
        row.number = (number <= 9).then_some(number);
    }
    rows
}

/// Why a verdict cannot be signed now, as a whole sentence.
#[must_use]
pub fn closed_verdict(state: &State, verdict: Verdict) -> Option<String> {
    if let Some(why) = state.world_closed() {
        return Some(why);
    }
    if let Some(others) = &state.world.others {
        let key = state.keys.shown(Command::ReRead);
        return Some(format!("Closed: {}. {key} reads it.", others.says()));
    }
    let Some(judgment) = &state.world.judgment else {
        return Some("Closed: nothing is known yet.".into());
    };
    match judgment.signing.iter().find(|row| row.verdict == verdict) {
        Some(row) => row
            .closed
            .as_ref()
            .and_then(|closure| closure.clone().of("sign").refusal()),
        None => Some(format!("Closed: {} is never signed.", verdict.word())),
    }
}

/// What `S` signs: the ruling of the rules; while it is undecided, the laxest that is open.
#[must_use]
pub fn signable(state: &State) -> Option<Verdict> {
    let judgment = state.world.judgment.as_ref()?;
    let open = |verdict: &Verdict| closed_verdict(state, *verdict).is_none();
    Some(judgment.ruling)
        .filter(open)
        .or_else(|| judgment.signing.iter().map(|row| row.verdict).find(open))
}

/// Edits that the decisions of this change would write, in the order they are written.
#[must_use]
pub fn orders(state: &State) -> Vec<EditOrder> {
    let Some(dossier) = state.dossier().filter(|_| !only_read(state)) else {
        return Vec::new();
    };
    let contract = dossier.contract.known().map(|record| &record.contract);
    if contract.is_some_and(Contract::is_read_only) {
        return Vec::new();
    }
    let mut last: Vec<(&Subject, &Act)> = Vec::new();
    // A criterion whose abandonment was lifted is ruled on again; its line goes all the same.
    let mut lifted: BTreeSet<&CriterionId> = BTreeSet::new();
    for decision in &dossier.decisions {
        let (subject, act) = (decision.value.subject(), decision.value.act());
        match (subject, act) {
            (Subject::Criterion(id), Act::Lift { .. }) => {
                lifted.insert(id);
            }
            (Subject::Criterion(id), Act::Abandon { .. } | Act::AcceptPartial { .. }) => {
                lifted.remove(id);
            }
            (_, _) => {}
        }
        last.retain(|(other, _)| *other != subject);
        last.push((subject, act));
    }
    last.sort_by_key(|(subject, _)| (*subject).clone());
    let mut evidence: Vec<CriterionId> = Vec::new();
    let mut rest = Vec::new();
    for (subject, act) in last {
        match (subject, act) {
            (Subject::Criterion(id), Act::Ratify { evidence: on })
                if on.iter().any(|one| matches!(one, Evidence::Run(_)))
                    && state
                        .criterion(id)
                        .is_some_and(|criterion| criterion.evidence.is_some()) =>
            {
                evidence.push(id.clone());
            }
            (Subject::Criterion(id), Act::Abandon { reason, handoff }) => {
                rest.push(EditOrder::Abandon {
                    criterion: id.clone(),
                    text: format!("{reason}; {handoff}"),
                });
            }
            (Subject::ScopeFile(path), Act::ScopeAccept) => {
                rest.push(EditOrder::Scope(path.clone()));
            }
            (Subject::ContractEdit(target), Act::AcceptEdit { .. }) => {
                rest.push(EditOrder::Gate(target.clone()));
            }
            (
                Subject::Criterion(_)
                | Subject::ContractEdit(_)
                | Subject::ScopeFile(_)
                | Subject::Chain(_)
                | Subject::Assertion(_)
                | Subject::Review(_)
                | Subject::Message(_),
                _,
            ) => {}
        }
    }
    rest.splice(0..0, lifted.into_iter().cloned().map(EditOrder::Lift));
    if !evidence.is_empty() {
        rest.insert(0, EditOrder::Evidence(evidence));
    }
    rest
}

/// Whether the contract belongs to a ticket system: what is decided about it stays in the ledger
/// (rulings H01).
#[must_use]
pub fn only_read(state: &State) -> bool {
    let record = state.dossier().and_then(|d| d.contract.known());
    record.is_some_and(|record| record.contract.path.is_ticket())
}

/// A row of the help page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HelpRow {
    /// A heading.
    Heading(&'static str),
    /// A command.
    Keys {
        /// All its keys.
        keys: String,
        /// Its id.
        id: &'static str,
        /// What it does.
        does: &'static str,
    },
}

/// The help page: the whole table with the keys as they are now.
#[must_use]
pub fn help_rows(state: &State) -> Vec<HelpRow> {
    let mut rows = Vec::new();
    for context in Context::ALL {
        rows.push(HelpRow::Heading(context.title()));
        rows.extend(
            TABLE
                .iter()
                .filter(|row| row.contexts.first() == Some(&context))
                .map(|row| HelpRow::Keys {
                    keys: state
                        .keys
                        .keys(row.command)
                        .iter()
                        .map(ToString::to_string)
                        .collect::<Vec<_>>()
                        .join(" "),
                    id: row.id,
                    does: row.does,
                }),
        );
    }
    rows
}

/// The palette: every command of lists and pages that fits what was typed, best first, closed
/// ones with their reason.
#[must_use]
pub fn palette(state: &State) -> Vec<Live> {
    let Mode::Palette(palette) = &state.mode else {
        return Vec::new();
    };
    let typed = palette.input.lines().join(" ");
    let pattern = Pattern::parse(&typed, CaseMatching::Ignore, Normalization::Smart);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let mut rows: Vec<(u32, Live)> = TABLE
        .iter()
        .filter(|row| {
            row.contexts
                .iter()
                .any(|context| matches!(context, Context::Browse | Context::Open | Context::Always))
                && row.command != Command::GoOut
        })
        .filter_map(|row| {
            let text = format!("{} {}", row.id, row.does);
            let score = pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher)?;
            let prefix = if row.contexts.contains(&Context::Open) {
                format!("{} ", state.keys.shown(Command::Open))
            } else {
                String::new()
            };
            Some((
                score,
                Live {
                    command: row.command,
                    keys: format!("{prefix}{}", state.keys.shown(row.command)),
                    label: row.does.to_owned(),
                    closed: closed(state, row.command),
                },
            ))
        })
        .collect();
    rows.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    rows.into_iter().map(|(_, live)| live).collect()
}
