//! Menus made from permits, judgment, table and keymap: rulings of an item, the verdict page,
//! footer, help and palette. They read the state; `keys` acts on them.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::gate::decide::Act;
use crate::gate::dossier::Subject;
use crate::gate::judge::TraceResult;
use crate::gate::permit::{Permit, Verb};
use crate::model::evidence::Evidence;
use crate::model::id::CriterionId;
use crate::model::ruling::Verdict;

use super::super::command::{Command, Context, TABLE};
use super::super::msg::EditOrder;
use super::super::state::{Confirm, Focus, Mode, State};
use super::seen::Ready;

/// A row of the rulings menu.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RulingRow {
    /// Which verb.
    pub verb: Verb,
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
    Verb::ALL
        .iter()
        .filter_map(|verb| {
            let (says, closed) = match item.permits.of(*verb) {
                Permit::Absent => return None,
                Permit::Open(says) | Permit::Locked(says) => (*says, None),
                Permit::Closed {
                    does, why, rule, ..
                } => (*does, Some(format!("{why} ({rule})"))),
            };
            let command = match verb {
                Verb::Affirm => Some(Command::Ratify),
                Verb::SendBack => Some(Command::KickBack),
                Verb::SetAside => Some(Command::Abandon),
                Verb::Run => Some(Command::Run),
                Verb::Escalate | Verb::NotApplicable | Verb::Override => None,
            };
            Some(RulingRow {
                verb: *verb,
                key: command.map_or_else(String::new, |command| state.keys.shown(command)),
                says,
                closed,
            })
        })
        .collect()
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
    /// Switches a write on or off, by its place in [`orders`]; whether it is on.
    Write(usize, bool),
}

/// The menu of the verdict page.
#[must_use]
pub fn verdict(state: &State) -> Vec<VerdictRow> {
    let mut rows: Vec<VerdictRow> = [Verdict::Approved, Verdict::Reroll, Verdict::Escalate]
        .into_iter()
        .map(|verdict| VerdictRow {
            number: None,
            says: format!("sign {}", verdict.word()),
            detail: String::new(),
            closed: closed_verdict(state, verdict),
            act: VerdictAct::Sign(verdict),
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
    if state.world.ruled.is_none() {
        rows.push(VerdictRow {
            number: None,
            says: "leave undecided".into(),
            detail: "keeps every decision and draft, exit code 5".into(),
            closed: None,
            act: VerdictAct::Leave,
        });
        for (at, order) in orders(state).iter().enumerate() {
            rows.push(VerdictRow {
                number: None,
                says: order.says(),
                detail: "shown as a diff first; written when you sign".into(),
                closed: None,
                act: VerdictAct::Write(at, state.nav.writes.contains(&at)),
            });
        }
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
    let Some(judgment) = &state.world.judgment else {
        return Some("Closed: nothing is known yet.".into());
    };
    let word = judgment.ruling.word();
    match judgment.ruling {
        Verdict::Undecided => Some(format!(
            "Closed: {} owed could still change it. {} goes there.",
            judgment.owed,
            state.keys.shown(Command::OwedNext)
        )),
        Verdict::Stale | Verdict::CouldNotMeasure => Some(format!(
            "Closed: {word}. {} reads it again.",
            state.keys.shown(Command::ReRead)
        )),
        Verdict::Approved | Verdict::Reroll | Verdict::Escalate if verdict < judgment.ruling => {
            let fires: Vec<&str> = judgment
                .trace
                .iter()
                .filter(|row| row.result == TraceResult::Fires)
                .map(|row| row.says.as_str())
                .collect();
            let because = if fires.is_empty() {
                format!("the rules say {word}")
            } else {
                fires.join("; ")
            };
            Some(format!("Closed: {}, because {because}.", verdict.word()))
        }
        Verdict::Approved | Verdict::Reroll | Verdict::Escalate => None,
    }
}

/// Edits that the decisions of this change would write, in the order they are written.
#[must_use]
pub fn orders(state: &State) -> Vec<EditOrder> {
    let Some(dossier) = state.dossier() else {
        return Vec::new();
    };
    let mut last: Vec<(&Subject, &Act)> = Vec::new();
    for decision in &dossier.decisions {
        let (subject, act) = (decision.value.subject(), decision.value.act());
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
            (Subject::Criterion(id), Act::Lift { .. }) => rest.push(EditOrder::Lift(id.clone())),
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
                | Subject::Assertion(_),
                _,
            ) => {}
        }
    }
    if !evidence.is_empty() {
        rest.insert(0, EditOrder::Evidence(evidence));
    }
    rest
}

/// A command with its keys and words, as footer, help and palette show it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Live {
    /// Which.
    pub command: Command,
    /// Its key, or the keys of a pair (`[ ]`).
    pub keys: String,
    /// What it does here and now.
    pub label: String,
    /// Why not, when it is closed or locked; a whole sentence.
    pub closed: Option<String>,
}

/// The footer: what can be pressed here and now, most wanted first, help last.
#[must_use]
pub fn live_commands(state: &State) -> Vec<Live> {
    footer_of(state)
        .iter()
        .map(|(command, pair)| {
            let mut keys = state.keys.shown(*command);
            if let Some(pair) = pair {
                keys = format!("{} {keys}", state.keys.shown(*pair));
            }
            Live {
                command: *command,
                keys,
                label: label(state, *command),
                closed: closed(state, *command),
            }
        })
        .collect()
}

type Keys = &'static [(Command, Option<Command>)];

fn footer_of(state: &State) -> Keys {
    use Command as C;
    const LIST: Keys = &[
        (C::OwedNext, None),
        (C::GoIn, None),
        (C::Ratify, None),
        (C::KickBack, None),
        (C::Abandon, None),
        (C::Rulings, None),
        (C::Run, None),
        (C::Verdict, None),
        (C::Search, None),
        (C::Palette, None),
        (C::Help, None),
    ];
    const EDIT: Keys = &[
        (C::Ratify, None),
        (C::KickBack, None),
        (C::Abandon, None),
        (C::Rulings, None),
        (C::OwedNext, None),
        (C::Verdict, None),
        (C::Search, None),
        (C::Palette, None),
        (C::Help, None),
    ];
    const DIFF: Keys = &[
        (C::ClaimedNext, Some(C::ClaimedPrev)),
        (C::HunkNext, Some(C::HunkPrev)),
        (C::FileNext, Some(C::FilePrev)),
        (C::Split, None),
        (C::Fold, None),
        (C::MarkEvidence, None),
        (C::GoOut, None),
        (C::Help, None),
    ];
    const PAGE: Keys = &[
        (C::Down, Some(C::Up)),
        (C::Copy, None),
        (C::GoOut, None),
        (C::Search, None),
        (C::Palette, None),
        (C::Help, None),
    ];
    const VERDICT: Keys = &[
        (C::Down, Some(C::Up)),
        (C::GoIn, None),
        (C::Sign, None),
        (C::Undo, None),
        (C::Copy, None),
        (C::GoOut, None),
        (C::Search, None),
        (C::Palette, None),
        (C::Help, None),
    ];
    const UNREAD: Keys = &[(C::Leave, None), (C::Help, None)];
    const CAUSES: Keys = &[
        (C::NoteField, None),
        (C::NoteDone, None),
        (C::NoteLeave, None),
    ];
    match &state.mode {
        Mode::Browse if state.dossier().is_none() => UNREAD,
        Mode::Browse => match state.nav.focus {
            Focus::List | Focus::Card => match state.subject() {
                Some(Subject::ContractEdit(_)) => EDIT,
                Some(Subject::Criterion(_) | Subject::ScopeFile(_) | Subject::Assertion(_))
                | None => LIST,
            },
            Focus::Diff => DIFF,
            Focus::Output | Focus::Ledger | Focus::Trust => PAGE,
            Focus::Verdict => VERDICT,
        },
        Mode::Matches { .. } => &[(C::OwedNext, Some(C::OwedPrev)), (C::GoOut, None)],
        Mode::Prefix('o') => &[
            (C::OpenCriteria, None),
            (C::OpenScope, None),
            (C::OpenVerdict, None),
            (C::OpenLedger, None),
            (C::OpenDiff, None),
            (C::OpenOutput, None),
            (C::OpenFiles, None),
            (C::OpenGuide, None),
            (C::GoOut, None),
        ],
        Mode::Prefix(_) => &[],
        Mode::Search(_) => &[
            (C::SearchDone, None),
            (C::SearchOlder, None),
            (C::SearchLeave, None),
        ],
        Mode::Note(note) if note.on_cause => CAUSES,
        Mode::Note(_) | Mode::SignOne(_) => &[
            (C::NoteDone, None),
            (C::NoteField, None),
            (C::NoteEditor, None),
            (C::NoteLeave, None),
        ],
        Mode::Picker(_) => &[
            (C::Ratify, None),
            (C::PickMark, None),
            (C::GoIn, None),
            (C::GoOut, None),
        ],
        Mode::Rulings(_) => &[(C::MenuDo, None), (C::Down, Some(C::Up)), (C::GoOut, None)],
        Mode::Confirm(Confirm::Lock(_)) => &[
            (C::ConfirmShow, None),
            (C::RatifyUnseen, None),
            (C::GoOut, None),
        ],
        Mode::Confirm(Confirm::Leave) => &[
            (C::ConfirmLeave, None),
            (C::OwedNext, None),
            (C::Verdict, None),
            (C::GoOut, None),
        ],
        Mode::Confirm(Confirm::Weak(_)) => {
            &[(C::Ratify, None), (C::KickBack, None), (C::GoOut, None)]
        }
        Mode::Trust(_) => &[
            (C::TrustRun, None),
            (C::TrustLater, None),
            (C::Diff, None),
            (C::Copy, None),
            (C::TrustNext, None),
            (C::GoOut, None),
        ],
        Mode::SignTwo(_) => &[(C::SignNow, None), (C::SignBack, None)],
        Mode::Help(_) => &[(C::Down, Some(C::Up)), (C::GoOut, None)],
        Mode::Palette(_) => &[
            (C::PaletteDo, None),
            (C::PaletteDown, Some(C::PaletteUp)),
            (C::PaletteComplete, None),
            (C::PaletteLeave, None),
        ],
    }
}

/// What a command is called here and now.
#[must_use]
pub fn label(state: &State, command: Command) -> String {
    let of = |verb: Verb| {
        state.item().and_then(|item| match item.permits.of(verb) {
            Permit::Open(does) | Permit::Locked(does) | Permit::Closed { does, .. } => {
                Some((*does).to_owned())
            }
            Permit::Absent => None,
        })
    };
    let own = match command {
        Command::Ratify if matches!(state.mode, Mode::Confirm(Confirm::Weak(_))) => {
            Some("ratify all the same".into())
        }
        Command::Ratify => of(Verb::Affirm),
        Command::KickBack => of(Verb::SendBack),
        Command::Abandon => of(Verb::SetAside),
        Command::Run
            if state
                .criterion_id()
                .is_some_and(|id| state.runs.running.contains_key(id)) =>
        {
            Some("stop".into())
        }
        Command::GoIn => Some(match (&state.mode, state.nav.focus) {
            (Mode::Picker(_), _) => "whole".into(),
            (_, Focus::Verdict) => "do it".into(),
            (_, Focus::List)
                if matches!(state.subject(), Some(Subject::Criterion(id))
                    if super::decide::needs_pick(state, id)) =>
            {
                "pick evidence".into()
            }
            (_, Focus::List) => "evidence".into(),
            (_, Focus::Card | Focus::Diff | Focus::Output | Focus::Ledger | Focus::Trust) => {
                "go in".into()
            }
        }),
        Command::OwedNext if matches!(state.mode, Mode::Matches { .. }) => Some("hit".into()),
        Command::HunkNext => Some("hunk".into()),
        Command::ClaimedNext => Some("claimed hunk".into()),
        Command::FileNext => Some("file".into()),
        Command::Down => Some("row".into()),
        Command::Split if state.diff.split => Some("unified".into()),
        Command::NoteDone => match &state.mode {
            Mode::Note(note) => Some(note.kind.word().into()),
            Mode::SignOne(_) => Some("goes on".into()),
            _ => None,
        },
        _ => None,
    };
    own.unwrap_or_else(|| command.entry().label.to_owned())
}

/// Why a command is closed here and now; `None` when it does what it says.
#[must_use]
pub fn closed(state: &State, command: Command) -> Option<String> {
    let verb = |verb: Verb| match state.item().map(|item| item.permits.of(verb)) {
        Some(Permit::Closed { why, .. }) => Some(format!("Closed: {why}.")),
        Some(Permit::Absent) => Some("Closed: that does not apply to this item.".into()),
        Some(Permit::Open(_) | Permit::Locked(_)) => None,
        None => Some("Closed: no item is selected.".into()),
    };
    let deciding = |of: Verb| state.world_closed().or_else(|| verb(of));
    match command {
        Command::Ratify => match state.ready() {
            Ready::Open(_) => None,
            Ready::Nothing => Some("Closed: no item is selected.".into()),
            Ready::Soon(why) | Ready::Locked(why) | Ready::Closed(why) => Some(why),
        },
        Command::KickBack => deciding(Verb::SendBack),
        Command::Abandon => deciding(Verb::SetAside),
        Command::RatifyUnseen => deciding(Verb::Affirm),
        Command::Rulings => state
            .item()
            .is_none()
            .then(|| "Closed: no item is selected.".into()),
        Command::Run | Command::Trust => verb(Verb::Run),
        Command::RunBase => Some("Closed: running on the base is not built yet.".into()),
        Command::Undo if state.world.sitting.is_empty() => {
            Some("Closed: nothing was decided in this sitting.".into())
        }
        Command::Sign => state
            .world
            .judgment
            .as_ref()
            .and_then(|judgment| closed_verdict(state, judgment.ruling)),
        Command::PickEvidence | Command::MarkEvidence => match state.criterion_id() {
            Some(id) if state.criterion(id).is_some_and(|c| c.oracle.is_some()) => Some(format!(
                "Closed: {id} has an oracle; its run is the evidence."
            )),
            Some(_) => None,
            None => Some("Closed: no criterion is selected.".into()),
        },
        Command::NoteDone => match &state.mode {
            Mode::Note(note) => note
                .blank()
                .first()
                .map(|title| format!("closed: a text is needed: {title}")),
            _ => None,
        },
        Command::TrustRun | Command::TrustLater => match &state.mode {
            Mode::Trust(page) => match page.unseen() {
                Some(0) => None,
                Some(rows) => Some(format!("locked: {rows} rows were not on your screen yet")),
                None => Some("locked: the page was not on your screen yet".into()),
            },
            _ => None,
        },
        Command::SignNow => match &state.mode {
            Mode::SignTwo(sign) if sign.typed.len() < super::sign::CHALLENGE => Some(format!(
                "closed: {} characters missing",
                super::sign::CHALLENGE - sign.typed.len()
            )),
            _ => None,
        },
        _ => None,
    }
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
