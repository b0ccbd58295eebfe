//! The session as a whole: focus, a moved world, leaving, hang-up.

use std::sync::Arc;

use crate::gate::chains::session::ChainFacts;
use crate::gate::dossier::Moved;
use crate::model::id::Ticket;
use crate::model::known::{Known, Reason};
use crate::model::snapshot::RepositoryNote;
use crate::model::text::Place;

use super::super::command::Command;
use super::super::effect::{Effect, Leave};
use super::super::msg::{Others, Trouble};
use super::super::spec::SpecLook;
use super::super::state::{Confirm, Focus, Mode, Purpose, SpecPage, State};
use super::{DEAF_MS, menus};

/// The terminal got or lost the focus.
pub(super) fn focus(state: &mut State, focused: bool) {
    state.screen.focused = focused;
    if focused {
        deafen(state);
    } else if let Mode::Prefix(_) = state.mode {
        state.mode = Mode::Browse;
    } else if let Mode::SignTwo(sign) = &mut state.mode {
        sign.typed.clear();
    }
}

/// Deciding keys are dropped for a moment.
pub(super) fn deafen(state: &mut State) {
    state.screen.deaf_until_ms = state.screen.now_ms.saturating_add(DEAF_MS);
}

/// The pins were compared with the world.
pub(super) fn moved(state: &mut State, moved: Moved) {
    let Some(dossier) = &mut state.world.dossier else {
        return;
    };
    let before = dossier.moved.known().is_some_and(Moved::any);
    let any = moved.any();
    if dossier.moved == Known::Is(moved.clone()) {
        return;
    }
    dossier.moved = Known::Is(moved);
    state.rejudge();
    if !any {
        if before {
            state.say("head, base and contract are as they were pinned again");
        }
        return;
    }
    match &state.mode {
        Mode::SignOne(_) | Mode::SignEdits(_) | Mode::SignTwo(_) => {
            state.mode = Mode::Browse;
            let key = state.keys.shown(Command::ReRead);
            state.refuse(format!(
                "Not signed: something moved as you wrote. Your texts are kept. {key} reads again."
            ));
        }
        Mode::Carry(_)
        | Mode::Confirm(
            Confirm::Lock(_) | Confirm::Seen(_) | Confirm::Weak(_) | Confirm::Reply(_),
        ) => {
            state.mode = Mode::Browse;
            let key = state.keys.shown(Command::ReRead);
            state.refuse(format!(
                "closed: something moved; nothing was done · {key} reads again"
            ));
        }
        Mode::Confirm(Confirm::Leave | Confirm::Who)
        | Mode::Browse
        | Mode::Prefix(_)
        | Mode::Search(_)
        | Mode::Matches { .. }
        | Mode::Note(_)
        | Mode::Picker(_)
        | Mode::Rulings(_)
        | Mode::Contracts(_)
        | Mode::Formats(_)
        | Mode::Trust(_)
        | Mode::Help(_)
        | Mode::Inspect(_)
        | Mode::Palette(_) => {
            if let Some(why) = state.world_closed() {
                state.refuse(why);
            }
        }
    }
}

/// Another console recorded something: said, and read with the next look. What is being signed
/// here did not count it, so the sign-off ends; texts are kept.
pub(super) fn others(state: &mut State, others: Others) {
    if state.world.others.as_ref() == Some(&others) {
        return;
    }
    let key = state.keys.shown(Command::ReRead);
    let says = others.says();
    state.world.others = Some(others);
    if let Mode::SignOne(_) | Mode::SignEdits(_) | Mode::SignTwo(_) = &state.mode {
        state.mode = Mode::Browse;
        state.refuse(format!(
            "Not signed: {says}. Your texts are kept. {key} reads it."
        ));
    } else {
        state.refuse(format!("{says} · {key} reads it"));
    }
}

/// `F5`: everything is read again; answers to older questions are dropped.
pub(super) fn re_read(state: &mut State, fx: &mut Vec<Effect>) {
    if let Some(ticket) = open_again(state) {
        state.say("reading repository, contract and ledger again");
        fx.push(Effect::Open(ticket));
    }
}

/// A file is taken as the contract: everything is read again, with it.
pub(super) fn take(state: &mut State, at: usize, fx: &mut Vec<Effect>) {
    let Some((path, _)) = menus::contracts(state).get(at).cloned() else {
        return;
    };
    state.mode = Mode::Browse;
    if let Some(ticket) = open_again(state) {
        let name = path.foreign().shown(Place::Strict).plain();
        // another contract has other items: the session begins at the first owed one
        state.nav.selected = None;
        state.nav.focus = Focus::List;
        state.say(format!("reading {name} as the contract"));
        fx.push(Effect::Take(ticket, path));
    }
}

/// Lists the formats that the contract could be read as, where there is one.
pub(super) fn formats(state: &mut State) {
    if menus::record(state).is_none() {
        return state.refuse("Closed: there is no contract to read in another way.");
    }
    state.mode = Mode::Formats(menus::format_now(state));
}

/// The contract is read as another format: everything is read again, with it.
pub(super) fn read_as(state: &mut State, at: usize, fx: &mut Vec<Effect>) {
    let Some((format, _)) = menus::formats().get(at).copied() else {
        return;
    };
    state.mode = Mode::Browse;
    if let Some(ticket) = open_again(state) {
        // another reading has other items: the session begins at the first owed one
        state.nav.selected = None;
        state.nav.focus = Focus::List;
        state.say(match format {
            Some(format) => format!("reading the contract as {}", format.name()),
            None => "reading the contract as its bytes say".to_owned(),
        });
        fx.push(Effect::ReadAs(ticket, format));
    }
}

/// The ticket of a new opening, unless something forbids one now.
fn open_again(state: &mut State) -> Option<Ticket> {
    if state.waiting.recording() {
        state.refuse("still recording: read again when it is done");
        return None;
    }
    if let Some(entry) = state.world.ruled {
        state.refuse(format!(
            "Closed: the ruling is recorded as {}. A new session reads again.",
            entry.short()
        ));
        return None;
    }
    state.waiting.open.retain(|_, purpose| match purpose {
        Purpose::Open
        | Purpose::Hunks(_)
        | Purpose::Text(..)
        | Purpose::Output(_)
        | Purpose::TrustCard(_)
        | Purpose::Plan => false,
        Purpose::Trust(..)
        | Purpose::Record(_)
        | Purpose::HandOff
        | Purpose::Editor
        | Purpose::Seal => true,
    });
    state.runs.asked.clear();
    state.world.streamed = None;
    state.world.rereading = true;
    Some(state.ask(Purpose::Open))
}

/// `q`: asks while something is owed or drafted.
pub(super) fn leave(state: &mut State, fx: &mut Vec<Effect>) {
    if state.waiting.recording() {
        return state.refuse("still recording the last one: leave when it says recorded");
    }
    let owed = state
        .world
        .judgment
        .as_ref()
        .is_some_and(|judgment| judgment.owed > 0);
    let open = state.world.ruled.is_none() && state.dossier().is_some();
    if (open && owed) || !state.drafts.is_empty() {
        if let Mode::Note(_) = state.mode {
            super::note::leave(state);
        }
        state.mode = Mode::Confirm(Confirm::Leave);
    } else {
        end(state, state.ending(), fx);
    }
}

/// The end, with every draft handed over once more.
pub(super) fn end(state: &mut State, leave: Leave, fx: &mut Vec<Effect>) {
    for (key, text) in &state.drafts {
        fx.push(Effect::Draft {
            key: key.clone(),
            text: text.clone(),
        });
    }
    fx.push(Effect::Leave(leave));
}

/// The terminal went away, or a signal came.
pub(super) fn hang_up(state: &mut State, fx: &mut Vec<Effect>) {
    end(state, Leave::HungUp, fx);
}

/// What lies beside the change: said, never judged (GIT-6). The newest look of a kind counts.
/// The chains came, of the tree that is reviewed; others are dropped.
pub(super) fn chains(state: &mut State, read: Result<Arc<ChainFacts>, Trouble>) {
    let Some(dossier) = &mut state.world.dossier else {
        return;
    };
    match read {
        Ok(facts) if facts.tree != dossier.snapshot.tree => return,
        Ok(facts) => dossier.chains = Known::Is(facts),
        Err(trouble) => dossier.chains = Known::Unknown(Reason::new(trouble.says)),
    }
    state.rejudge();
    if state.nav.as_tree {
        state.arrange();
    }
}

/// The page of the spec gate came.
pub(super) fn spec(state: &mut State, read: Result<Arc<SpecLook>, String>) {
    if let Some(dossier) = &mut state.world.dossier {
        let here = dossier.snapshot.head;
        match &read {
            Ok(look) => match &look.sum {
                // of another head: the change moved meanwhile, and that is said by itself
                Some(sum) if sum.head != here => {}
                Some(sum) => dossier.spec = Known::Is(Arc::clone(sum)),
                None => {
                    let why = "what changed lies outside of every place of specs";
                    dossier.spec = Known::NotApplicable(Reason::new(why));
                }
            },
            Err(why) => dossier.spec = Known::Unknown(Reason::new(why.clone())),
        }
        state.rejudge();
    }
    state.world.spec = match read {
        Ok(look) => SpecPage::Read(look),
        Err(why) => SpecPage::Failed(why),
    };
}

/// Asks for the page of the spec gate when it is open, or enters the ruling, and was not read.
pub(super) fn read_spec(state: &mut State, fx: &mut Vec<Effect>) {
    let wanted = state.nav.focus == Focus::Spec || state.touches_spec() == Some(true);
    if wanted && state.world.spec == SpecPage::Unasked {
        state.world.spec = SpecPage::Reading;
        fx.push(Effect::ReadSpec);
    }
}

pub(super) fn noted(state: &mut State, notes: Vec<RepositoryNote>) {
    if let Some(dossier) = &mut state.world.dossier {
        for note in notes {
            dossier.notes.retain(|known| known.code() != note.code());
            dossier.notes.push(note);
        }
    }
}
