//! The sign-off: read back, what is written into files, and the typed page. Nothing is signed by `Enter` alone, by a paste, by
//! a held key, or before the page was drawn (LED-13).

use crate::gate::decide;
use crate::model::ruling::{RootCause, Verdict};

use super::super::command::Command;
use super::super::edit::EditPlan;
use super::super::effect::Effect;
use super::super::key::{Code, Key};
use super::super::state::{Mode, Purpose, SignOff, State};
use super::{menus, note, writes};

/// How many characters of the head are typed.
pub const CHALLENGE: usize = decide::TYPED;

/// The key of the draft of the strongest remaining attack.
fn draft_key(state: &State) -> String {
    let head = state
        .dossier()
        .map(|dossier| dossier.snapshot.head.short())
        .unwrap_or_default();
    format!("ruling | strongest remaining attack | 0 | {head}")
}

/// Opens the first page for a verdict.
pub(super) fn open(state: &mut State, verdict: Verdict, fx: &mut Vec<Effect>) {
    if !super::decide::may_act(state) {
        return;
    }
    if let Some(why) = menus::closed_verdict(state, verdict) {
        return state.refuse(why);
    }
    let key = draft_key(state);
    let attack = state.drafts.get(&key).cloned().unwrap_or_default();
    let orders = writes::chosen(state);
    let planned = writes::ask(state, &orders, fx);
    let root_cause = match (state.dossier(), state.world.judgment.as_ref()) {
        (Some(dossier), Some(judgment)) if verdict != Verdict::Approved => {
            decide::suggested_cause(dossier, judgment, &state.world.policy)
        }
        _ => None,
    };
    state.mode = Mode::SignOne(Box::new(SignOff {
        verdict,
        root_cause,
        attack: note::field(&attack),
        at: usize::from(verdict == Verdict::Approved || root_cause.is_some()),
        typed: String::new(),
        writes: planned,
    }));
}

/// A command on either page.
pub(super) fn command(state: &mut State, command: Command, fx: &mut Vec<Effect>) {
    match command {
        Command::NoteDone => go_on(state),
        Command::NoteField | Command::NoteFieldBack => {
            if let Mode::SignOne(sign) = &mut state.mode
                && sign.verdict != Verdict::Approved
            {
                sign.at = 1 - sign.at.min(1);
            }
        }
        Command::NoteEditor => {
            if let Mode::SignOne(sign) = &state.mode {
                let text = note::text_of(&sign.attack);
                let ticket = state.ask(Purpose::Editor);
                fx.push(Effect::Editor(ticket, text));
            }
        }
        Command::NoteDrop => {
            if let Mode::SignOne(sign) = &mut state.mode {
                sign.attack = note::field("");
                changed(state, fx);
                state.say("thrown away, on disk as well");
            }
        }
        Command::SignNow => sign(state, fx),
        Command::SignBack => back(state),
        _ => {
            state.mode = Mode::Browse;
            state.say("not signed; your texts are kept");
        }
    }
}

fn back(state: &mut State) {
    if let Mode::SignTwo(sign) = &mut state.mode {
        let mut kept = std::mem::take(sign);
        kept.typed.clear();
        state.mode = Mode::SignOne(kept);
    }
}

/// `Ctrl-s` on the first page.
fn go_on(state: &mut State) {
    let Mode::SignOne(sign) = &state.mode else {
        return;
    };
    let class = sign.verdict == Verdict::Approved || sign.root_cause.is_some();
    let typed = sign_off(sign);
    let (Some(dossier), Some(judgment)) = (state.dossier(), state.world.judgment.as_ref()) else {
        return;
    };
    let first = decide::first_page(dossier, judgment, &typed);
    let Mode::SignOne(sign) = &mut state.mode else {
        return;
    };
    if let Err(refusal) = first {
        sign.at = usize::from(class);
        return state.refuse(refusal.sentence());
    }
    let kept = std::mem::take(sign);
    state.mode = if kept.writes.is_some() {
        Mode::SignEdits(kept)
    } else {
        Mode::SignTwo(kept)
    };
}

/// A key that is no command: class, text, or the typed characters.
pub(super) fn typed(state: &mut State, key: Key, fx: &mut Vec<Effect>) {
    match &mut state.mode {
        Mode::SignOne(sign) if sign.at == 0 => class(sign, key),
        Mode::SignOne(sign) => {
            let full = note::text_of(&sign.attack).len() >= decide::TEXT_LIMIT;
            if !(full && key.typed().is_some()) && note::write(&mut sign.attack, key, true) {
                changed(state, fx);
            }
        }
        Mode::SignTwo(sign) => match (key.code, key.typed()) {
            (Code::Backspace, _) => {
                sign.typed.pop();
            }
            (_, Some(character))
                if character.is_ascii_hexdigit() && sign.typed.len() < CHALLENGE =>
            {
                sign.typed.push(character.to_ascii_lowercase());
            }
            (_, Some(_) | None) => {}
        },
        _ => {}
    }
}

fn class(sign: &mut SignOff, key: Key) {
    let here = sign
        .root_cause
        .and_then(|class| RootCause::ALL.iter().position(|other| *other == class));
    let next = match (key.code, key.typed()) {
        (Code::Left, _) => Some(here.unwrap_or(1).saturating_sub(1)),
        (Code::Right, _) => Some(here.map_or(0, |at| at + 1)),
        (Code::Enter, _) => {
            sign.at = 1;
            None
        }
        (_, Some(digit)) => digit
            .to_digit(10)
            .and_then(|digit| usize::try_from(digit).ok())
            .and_then(|digit| digit.checked_sub(1)),
        (_, None) => None,
    };
    if let Some(class) = next.and_then(|at| RootCause::ALL.get(at)) {
        sign.root_cause = Some(*class);
        if key.typed().is_some() {
            sign.at = 1;
        }
    }
}

/// The attack's draft, after a change.
pub(super) fn changed(state: &mut State, fx: &mut Vec<Effect>) {
    let Mode::SignOne(sign) = &state.mode else {
        return;
    };
    let text = note::text_of(&sign.attack);
    let key = draft_key(state);
    note::keep(state, key, text, fx);
}

/// What was typed on both pages, as the gate takes it.
fn sign_off(sign: &SignOff) -> decide::SignOff {
    decide::SignOff {
        verdict: sign.verdict,
        root_cause: sign.root_cause,
        attack: note::text_of(&sign.attack),
        typed: sign.typed.clone(),
        edits: sign.plan().map(EditPlan::files).unwrap_or_default(),
    }
}

/// `Enter` on the second page.
fn sign(state: &mut State, fx: &mut Vec<Effect>) {
    if !super::decide::may_act(state) {
        return;
    }
    let draft = draft_key(state);
    let Mode::SignTwo(sign) = &state.mode else {
        return;
    };
    let (Some(dossier), Some(judgment)) = (state.dossier(), state.world.judgment.as_ref()) else {
        return;
    };
    if sign.typed.len() < CHALLENGE {
        let left = CHALLENGE - sign.typed.len();
        let characters = if left == 1 { "character" } else { "characters" };
        return state.refuse(format!("Enter signs (closed: {left} {characters} missing)"));
    }
    let typed = sign_off(sign);
    match decide::rule(dossier, judgment, &state.world.policy, typed) {
        Ok(ruling) => {
            let edits = writes::draft_key(state);
            let ticket = state.ask(Purpose::Record(vec![draft, edits]));
            state.mode = Mode::Browse;
            state.say(format!(
                "recording: {}; until \"recorded\" appears nothing is signed",
                ruling.verdict().word()
            ));
            fx.push(Effect::Rule(ticket, Box::new(ruling)));
        }
        Err(refusal) => state.refuse(refusal.sentence()),
    }
}
