//! The footer never lies: which keys work here and now, what each does, and why not. Made from
//! the command table, the keymap and the permits; the palette takes its reasons from here too.

use crate::gate::dossier::Subject;
use crate::gate::permit::{Permit, Verb};

use super::super::command::Command;
use super::super::state::{Confirm, Focus, Mode, State};
use super::menus::{closed_verdict, signable};
use super::seen::Ready;

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
        .filter(|(command, _)| applies(state, *command))
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

/// Whether a verb can ever apply, to the selected item and at all; a key for nothing is not
/// listed.
fn applies(state: &State, command: Command) -> bool {
    if let (Command::RatifyUnseen, Some(subject)) = (command, state.subject()) {
        return state.ratifies(subject);
    }
    if state.world.ruled.is_some() && matches!(command, Command::Sign | Command::Undo) {
        return false;
    }
    if let (Focus::Triage, Mode::Browse) = (state.nav.focus, &state.mode) {
        let gate = state.open_gate().map(|(_, gate)| gate);
        match command {
            Command::PickEvidence => return gate.is_some_and(super::super::triage::Gate::takes_pr),
            Command::Undo => return gate.is_some_and(|gate| gate.answer.is_some()),
            // until all of it was read
            Command::GoIn => {
                return state
                    .subject()
                    .is_some_and(|subject| state.seen_of(subject).is_none());
            }
            Command::Ratify => {
                let open = |gate: &super::super::triage::Gate| {
                    gate.answer.is_none() && gate.would_type().is_some()
                };
                return gate.is_some_and(open);
            }
            _ => {}
        }
    }
    if command == Command::Abandon && super::triage::selected(state) {
        let gate = state.open_gate().map(|(_, gate)| gate);
        return gate.is_some_and(|gate| gate.silent().is_some());
    }
    let verb = match command {
        Command::KickBack => Verb::SendBack,
        Command::Abandon => Verb::SetAside,
        Command::Run | Command::RunBase => Verb::Run,
        _ => return true,
    };
    state
        .item()
        .is_none_or(|item| *item.permits.of(verb) != Permit::Absent)
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
    const CHAIN: Keys = &[
        (C::OwedNext, None),
        (C::GoIn, None),
        (C::Ratify, None),
        (C::KickBack, None),
        (C::Abandon, None),
        (C::Rulings, None),
        (C::Fold, None),
        (C::Editor, None),
        (C::Filter, None),
        (C::Verdict, None),
        (C::Palette, None),
        (C::Help, None),
    ];
    const MESSAGE: Keys = &[
        (C::OwedNext, None),
        (C::GoIn, None),
        (C::KickBack, None),
        (C::Rulings, None),
        (C::Undo, None),
        (C::Verdict, None),
        (C::Search, None),
        (C::Palette, None),
        (C::Help, None),
    ];
    const TRIAGE: Keys = &[
        (C::Ratify, None),
        (C::GoIn, None),
        (C::Undo, None),
        (C::KickBack, None),
        (C::PickEvidence, None),
        (C::OwedNext, None),
        (C::Abandon, None),
        (C::PaneNext, None),
        (C::Rulings, None),
        (C::GoOut, None),
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
        (C::Inspect, None),
        (C::MarkEvidence, None),
        (C::MarkLines, None),
        (C::Editor, None),
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
    const SPEC: Keys = &[
        (C::Down, Some(C::Up)),
        (C::GoIn, None),
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
                Some(
                    Subject::Criterion(_)
                    | Subject::ScopeFile(_)
                    | Subject::Assertion(_)
                    | Subject::Review(_),
                )
                | None => LIST,
                Some(Subject::Chain(_)) => CHAIN,
                Some(Subject::Message(_)) => MESSAGE,
            },
            Focus::Triage => TRIAGE,
            Focus::Diff => DIFF,
            Focus::Spec => SPEC,
            Focus::Output | Focus::Ledger | Focus::Trust | Focus::Carry | Focus::Writes => PAGE,
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
            (C::OpenComments, None),
            (C::OpenChains, None),
            (C::OpenSpec, None),
            (C::OpenTriage, None),
            (C::OpenQueue, None),
            (C::OpenKickBacks, None),
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
            (C::NoteDrop, None),
            (C::NoteLeave, None),
        ],
        Mode::Picker(_) => &[
            (C::Ratify, None),
            (C::PickMark, None),
            (C::GoIn, None),
            (C::GoOut, None),
        ],
        Mode::Rulings(_) | Mode::Contracts(_) | Mode::Formats(_) => {
            &[(C::MenuDo, None), (C::Down, Some(C::Up)), (C::GoOut, None)]
        }
        Mode::Confirm(Confirm::Lock(_)) => &[
            (C::ConfirmShow, None),
            (C::RatifyUnseen, None),
            (C::GoOut, None),
        ],
        Mode::Confirm(Confirm::Seen(_)) => &[(C::GoOut, None)],
        Mode::Confirm(Confirm::Who) => &[(C::ConfirmLeave, None), (C::GoOut, None)],
        Mode::Confirm(Confirm::Leave) => &[
            (C::ConfirmLeave, None),
            (C::OwedNext, None),
            (C::Verdict, None),
            (C::GoOut, None),
        ],
        Mode::Confirm(Confirm::Reply(replying)) => {
            if super::triage::gives(replying) == C::Abandon {
                &[(C::Abandon, None), (C::GoOut, None)]
            } else {
                &[(C::Ratify, None), (C::GoOut, None)]
            }
        }
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
        Mode::Carry(_) => &[
            (C::Carry, None),
            (C::CarryMark, None),
            (C::Down, Some(C::Up)),
            (C::GoOut, None),
        ],
        Mode::SignEdits(_) => &[
            (C::SignNow, None),
            (C::Down, Some(C::Up)),
            (C::SignBack, None),
        ],
        Mode::SignTwo(_) => &[(C::SignNow, None), (C::SignBack, None)],
        Mode::Help(_) | Mode::Inspect(_) => &[(C::Down, Some(C::Up)), (C::GoOut, None)],
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
        Command::Ratify | Command::Abandon
            if matches!(state.mode, Mode::Confirm(Confirm::Reply(_))) =>
        {
            Some("send it".into())
        }
        Command::Abandon if super::triage::selected(state) => Some("finish without".into()),
        Command::Ratify if state.nav.focus == Focus::Triage => {
            let gate = state.open_gate().map(|(_, gate)| gate);
            let typed = gate.and_then(super::super::triage::Gate::would_type);
            typed.map(|typed| match typed.parse::<u32>() {
                Ok(n) => format!("send {n}"),
                Err(_) => typed,
            })
        }
        Command::KickBack if super::triage::selected(state) => Some("in your words".into()),
        Command::PickEvidence if state.nav.focus == Focus::Triage => Some("as a PR".into()),
        Command::Rulings if state.nav.focus == Focus::Triage => Some("more".into()),
        Command::PaneNext if state.nav.focus == Focus::Triage => Some("lint, raw".into()),
        Command::Undo if state.nav.focus == Focus::Triage => Some("take back".into()),
        Command::Fold if super::rows::on_chains(state) => {
            Some(if state.nav.as_tree { "table" } else { "tree" }.into())
        }
        Command::ConfirmLeave if state.mode.asks_who() => Some("that is me".into()),
        Command::Ratify => of(Verb::Affirm),
        Command::KickBack => of(Verb::SendBack),
        Command::Abandon => of(Verb::SetAside),
        Command::Run | Command::RunBase
            if state
                .criterion_id()
                .is_some_and(|id| state.runs.running.contains_key(id)) =>
        {
            Some("stop".into())
        }
        Command::GoIn => Some(match (&state.mode, state.nav.focus) {
            (Mode::Picker(_), _) => "whole".into(),
            (_, Focus::Verdict) => "do it".into(),
            (_, Focus::Spec) => "text diff".into(),
            (_, Focus::List)
                if matches!(state.subject(), Some(Subject::Criterion(id))
                    if super::decide::needs_pick(state, id)) =>
            {
                "pick evidence".into()
            }
            (_, Focus::List | Focus::Card) if super::triage::selected(state) => "open".into(),
            (_, Focus::Triage) => "read on".into(),
            (_, Focus::List) => "evidence".into(),
            (
                _,
                Focus::Card
                | Focus::Diff
                | Focus::Output
                | Focus::Ledger
                | Focus::Trust
                | Focus::Carry
                | Focus::Writes,
            ) => "go in".into(),
        }),
        Command::OwedNext if matches!(state.mode, Mode::Matches { .. }) => Some("hit".into()),
        Command::HunkNext => Some("hunk".into()),
        Command::ClaimedNext => Some("claimed hunk".into()),
        Command::FileNext => Some("file".into()),
        Command::Down => Some("row".into()),
        Command::Split if state.nav.focus == Focus::List => Some("sort".into()),
        Command::Split if state.diff.split => Some("unified".into()),
        Command::SignNow if matches!(state.mode, Mode::SignEdits(_)) => Some("goes on".into()),
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
        Some(closed @ Permit::Closed { .. }) => closed.refusal(),
        Some(Permit::Absent) => Some("Closed: that does not apply to this item.".into()),
        Some(Permit::Open(_) | Permit::Locked(_)) => None,
        None => Some("Closed: no item is selected.".into()),
    };
    if command.needs_item() && !state.on_item() {
        return Some("Closed: no item is on this page.".into());
    }
    let deciding = |of: Verb| state.world_closed().or_else(|| verb(of));
    match command {
        Command::Ratify => match state.ready() {
            Ready::Open(_) => None,
            Ready::Nothing => Some("Closed: no item is selected.".into()),
            Ready::Soon(why) | Ready::Locked(why) | Ready::Closed(why) => Some(why),
        },
        Command::KickBack => deciding(Verb::SendBack),
        Command::Abandon if super::triage::selected(state) => None,
        Command::Abandon => deciding(Verb::SetAside),
        Command::RatifyUnseen => deciding(Verb::Affirm),
        Command::Rulings => state
            .item()
            .is_none()
            .then(|| "Closed: no item is selected.".into()),
        Command::Run | Command::Trust => verb(Verb::Run),
        Command::RunBase => verb(Verb::Run).or_else(|| super::decide::no_base(state)),
        Command::OpenQueue => {
            Some("Closed: the queue spans repositories. `countersign queue` lists it.".into())
        }
        Command::Undo | Command::Sign if state.world.ruled.is_some() => state.world_closed(),
        Command::Undo if super::decide::last(state).is_none() => {
            Some("Closed: nothing of yours to take back.".into())
        }
        Command::Sign if signable(state).is_none() => {
            let own = state
                .world
                .judgment
                .as_ref()
                .map(|judgment| judgment.ruling);
            Some(
                own.and_then(|verdict| closed_verdict(state, verdict))
                    .unwrap_or_else(|| "Closed: nothing is known yet.".into()),
            )
        }
        Command::PickEvidence if state.nav.focus == Focus::Triage => match state.ready() {
            Ready::Open(_) | Ready::Nothing => None,
            Ready::Soon(why) | Ready::Locked(why) | Ready::Closed(why) => Some(why),
        },
        Command::PickEvidence if !super::menus::contracts(state).is_empty() => None,
        Command::PickEvidence | Command::MarkEvidence => match state.criterion_id() {
            Some(id) if state.criterion(id).is_some_and(|c| c.oracle.is_some()) => Some(format!(
                "Closed: {id} has an oracle; its run is the evidence. {} runs it.",
                state.keys.shown(Command::Run)
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
        Command::Carry => match &state.mode {
            Mode::Carry(page) => page.closed(state),
            _ if super::carry::offers(state).is_empty() => {
                Some("Closed: no earlier decision waits to be carried over.".into())
            }
            _ => None,
        },
        Command::SignNow => match &state.mode {
            Mode::SignEdits(_) => super::writes::closed(state).map(|why| format!("closed: {why}")),
            Mode::SignTwo(sign) if sign.typed.len() < super::sign::CHALLENGE => Some(format!(
                "closed: {} characters missing",
                super::sign::CHALLENGE - sign.typed.len()
            )),
            _ => None,
        },
        _ => None,
    }
}
