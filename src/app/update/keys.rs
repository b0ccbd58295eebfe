//! A key press, by mode: command or text. A held key moves and types, and never decides; a key
//! that came before what it acts on was drawn is dropped.

use crate::gate::dossier::Subject;
use crate::gate::permit::Verb;

use super::super::command::Command;
use super::super::effect::Effect;
use super::super::key::Key;
use super::super::state::{Confirm, Field, Focus, Mode, Palette, Row, State};
use super::super::walk;
use super::menus::{self, VerdictAct};
use super::moves::{self, By};
use super::{
    carry, decide, diff, footer, note, picker, prefix, rows, search, session, sign, suite, triage,
    trust, writes,
};

/// One key.
pub(super) fn key(state: &mut State, key: Key, repeat: bool, fx: &mut Vec<Effect>) {
    let command = state.keys.command(state.mode.contexts(), key);
    if state.too_small() {
        if matches!(command, Some(Command::Leave | Command::Quit)) && !repeat {
            session::end(state, state.ending(), fx);
        }
        return;
    }
    if matches!(state.mode, Mode::Confirm(Confirm::Seen(_))) && key.typed().is_some() {
        return;
    }
    if let Mode::Prefix(prefix) = state.mode {
        if !repeat {
            prefix::key(state, prefix, key, command, fx);
        }
        return;
    }
    let Some(command) = command else {
        let digit = key.typed().and_then(|typed| typed.to_digit(10));
        if let (Mode::Browse, Focus::Triage, Some(n)) = (&state.mode, state.nav.focus, digit) {
            return triage::select(state, n);
        }
        if repeat && matches!(state.mode, Mode::SignTwo(_)) {
            return state.refuse("too fast: the characters are typed one by one here");
        }
        return text(state, key, fx);
    };
    if repeat && !command.repeats() {
        return;
    }
    let acts =
        command.decides() || (command == Command::PickEvidence && state.nav.focus == Focus::Triage);
    if acts && decide::deaf(state) {
        return state.refuse("dropped: the key came before its row was on screen · press it again");
    }
    run(state, command, fx);
}

/// A key that is no command: text where there is a field.
fn text(state: &mut State, key: Key, fx: &mut Vec<Effect>) {
    match &mut state.mode {
        Mode::Note(_) => note::typed(state, key, fx),
        Mode::SignOne(_) | Mode::SignTwo(_) => sign::typed(state, key, fx),
        Mode::Search(field) => {
            note::write(&mut field.0, key, false);
        }
        Mode::Palette(palette) => {
            if note::write(&mut palette.input, key, false) {
                palette.at = 0;
            }
        }
        Mode::Browse
        | Mode::Prefix(_)
        | Mode::Matches { .. }
        | Mode::Picker(_)
        | Mode::Rulings(_)
        | Mode::Contracts(_)
        | Mode::Formats(_)
        | Mode::Confirm(_)
        | Mode::Trust(_)
        | Mode::Carry(_)
        | Mode::SignEdits(_)
        | Mode::Help(_)
        | Mode::Inspect(_) => {}
    }
}

/// A command in the mode that listens to it.
fn run(state: &mut State, command: Command, fx: &mut Vec<Effect>) {
    match command {
        Command::Quit | Command::Redraw | Command::Suspend => return always(state, command, fx),
        Command::Down => return step(state, By::Rows(1), fx),
        Command::Up => return step(state, By::Rows(-1), fx),
        Command::HalfDown => return step(state, By::Halves(1), fx),
        Command::HalfUp => return step(state, By::Halves(-1), fx),
        Command::PageDown => return step(state, By::Halves(2), fx),
        Command::PageUp => return step(state, By::Halves(-2), fx),
        Command::Top => return step(state, By::Top, fx),
        Command::Bottom => return step(state, By::Bottom, fx),
        _ => {}
    }
    match &mut state.mode {
        Mode::Browse | Mode::Matches { .. } | Mode::Prefix(_) => browse(state, command, fx),
        Mode::Search(_) => search::command(state, command),
        Mode::Note(_) => note::command(state, command, fx),
        Mode::Picker(_) => match command {
            Command::Ratify => decide::verb(state, Verb::Affirm, fx),
            Command::PickMark => picker::mark(state, fx),
            Command::GoIn => picker::show(state, fx),
            _ => picker::leave(state),
        },
        Mode::Rulings(_)
        | Mode::Contracts(_)
        | Mode::Formats(_)
        | Mode::Help(_)
        | Mode::Inspect(_) => {
            menu(state, command, fx);
        }
        Mode::Confirm(confirm) => {
            let confirm = confirm.clone();
            question(state, confirm, command, fx);
        }
        Mode::Trust(_) => trust::command(state, command, fx),
        Mode::Carry(_) => carry::command(state, command, fx),
        Mode::SignEdits(_) => writes::command(state, command),
        Mode::SignOne(_) | Mode::SignTwo(_) => sign::command(state, command, fx),
        Mode::Palette(_) => palette(state, command, fx),
    }
}

pub(super) fn always(state: &mut State, command: Command, fx: &mut Vec<Effect>) {
    match command {
        Command::Quit => session::leave(state, fx),
        Command::Redraw => {
            session::deafen(state);
            fx.push(Effect::Repaint);
        }
        _ => {
            session::deafen(state);
            fx.push(Effect::Suspend);
        }
    }
}

fn step(state: &mut State, by: By, fx: &mut Vec<Effect>) {
    if matches!(state.mode, Mode::Browse) && state.nav.focus == Focus::Triage {
        return triage::step(state, by);
    }
    moves::go(state, by);
    if matches!(state.mode, Mode::Picker(_)) {
        picker::follow(state, fx);
    }
}

/// Commands of lists, card, diff and pages.
pub(super) fn browse(state: &mut State, command: Command, fx: &mut Vec<Effect>) {
    if let Mode::Matches { .. } = state.mode {
        match command {
            Command::OwedNext => return search::hit(state, true),
            Command::OwedPrev => return search::hit(state, false),
            Command::GoOut => {
                state.mode = Mode::Browse;
                return;
            }
            _ => {}
        }
    }
    if command.needs_item() && !state.on_item() {
        let key = state.keys.shown(Command::GoOut);
        return state.refuse(format!(
            "Closed: no item is on this page. {key} goes back to the list."
        ));
    }
    if state.nav.focus == Focus::Triage && triage::command(state, command, fx) {
        return;
    }
    if let Some(digit) = command.digit() {
        if state.nav.focus == Focus::Verdict {
            numbered(state, digit);
        } else {
            moves::pane(state, digit);
        }
        return;
    }
    match command {
        Command::OwedNext => moves::owed(state, true),
        Command::OwedPrev => moves::owed(state, false),
        Command::GoIn => go_in(state, fx),
        Command::GoOut => go_out(state),
        Command::Ratify => decide::verb(state, Verb::Affirm, fx),
        Command::KickBack => decide::verb(state, Verb::SendBack, fx),
        Command::Abandon if triage::selected(state) => triage::silent(state),
        Command::Abandon => decide::verb(state, Verb::SetAside, fx),
        Command::RatifyUnseen => decide::unseen(state),
        Command::Rulings => {
            if state.item().is_some() {
                state.mode = Mode::Rulings(0);
            } else {
                state.say("no item is selected: its rulings would be listed here");
            }
        }
        Command::Run => decide::run(state, fx),
        Command::RunAll => decide::run_all(state, fx),
        Command::RunBase => decide::run_base(state, fx),
        Command::Trust => match state.criterion_id().cloned() {
            Some(id) if state.criterion(&id).is_some_and(|c| c.oracle.is_some()) => {
                trust::open(state, id, Vec::new(), fx);
            }
            Some(id) => {
                let key = state.keys.shown(Command::PickEvidence);
                state.refuse(format!("Closed: {id} has no oracle. {key} picks evidence."));
            }
            None => decide::no_criterion(state, "only criteria have oracles"),
        },
        Command::PickEvidence if !menus::contracts(state).is_empty() => {
            state.mode = Mode::Contracts(0);
        }
        Command::PickEvidence => match state.subject().cloned() {
            Some(Subject::Criterion(id)) => picker::open(state, id, fx),
            Some(_) | None => decide::no_criterion(state, "evidence belongs to one"),
        },
        Command::Undo => decide::undo(state, fx),
        Command::Carry => carry::open(state),
        Command::ReRead => session::re_read(state, fx),
        Command::Leave => session::leave(state, fx),
        Command::Sign => match menus::signable(state) {
            Some(verdict) => sign::open(state, verdict, fx),
            None => {
                let why = footer::closed(state, Command::Sign).unwrap_or_default();
                state.refuse(why);
            }
        },
        Command::Palette => {
            state.mode = Mode::Palette(Box::new(Palette {
                input: note::field(""),
                at: 0,
            }));
        }
        Command::Help => state.mode = Mode::Help(0),
        Command::Search => {
            state.nav.before_search = Some((state.nav.focus, state.nav.cursor));
            state.mode = Mode::Search(Box::new(Field(note::field(""))));
        }
        Command::Open => state.mode = Mode::Prefix('o'),
        Command::Mark => state.mode = Mode::Prefix('M'),
        Command::Jump => state.mode = Mode::Prefix('\''),
        _ => view(state, command, fx),
    }
}

/// Commands that only change what is looked at.
fn view(state: &mut State, command: Command, fx: &mut Vec<Effect>) {
    match command {
        Command::Verdict | Command::OpenVerdict => {
            moves::focus(state, Focus::Verdict);
        }
        Command::OpenLedger => moves::focus(state, Focus::Ledger),
        Command::Diff | Command::OpenDiff => moves::focus(state, Focus::Diff),
        Command::OpenOutput => output(state),
        Command::OpenCriteria => moves::pane(state, 1),
        Command::OpenScope => moves::pane(state, 3),
        Command::OpenFiles => {
            let first = walk::rows(state)
                .into_iter()
                .find(|row| matches!(row, Row::File(_)));
            match first {
                Some(row) => moves::jump(state, row),
                None => state.say("no changed file is known yet"),
            }
        }
        Command::OpenFormat => session::formats(state),
        Command::OpenGuide => {
            state.nav.guide_done = if state.nav.guide_done == u8::MAX {
                0
            } else {
                u8::MAX
            };
        }
        Command::PaneNext => moves::next_part(state, true),
        Command::PanePrev => moves::next_part(state, false),
        Command::HunkNext => diff::hunk(state, true, false),
        Command::HunkPrev => diff::hunk(state, false, false),
        Command::ClaimedNext => diff::hunk(state, true, true),
        Command::ClaimedPrev => diff::hunk(state, false, true),
        Command::FileNext => diff::file(state, true),
        Command::FilePrev => diff::file(state, false),
        Command::Split if state.nav.focus == Focus::List => rows::sort(state),
        Command::Split => state.diff.split = !state.diff.split,
        Command::Wrap => state.diff.wrap = !state.diff.wrap,
        Command::Fold if rows::on_chains(state) => rows::tree(state),
        Command::Fold => diff::fold(state),
        Command::MoreContext => diff::context(state, true),
        Command::LessContext => diff::context(state, false),
        Command::MarkEvidence => picker::mark_hunk(state),
        Command::Filter => rows::filter(state),
        Command::MarkLines => diff::mark_lines(state),
        Command::Inspect => state.mode = Mode::Inspect(0),
        Command::Editor => diff::edit(state, fx),
        Command::OpenComments => moves::pane(state, 2),
        Command::OpenChains => moves::pane(state, 4),
        Command::OpenSpec => moves::pane(state, 5),
        Command::OpenTriage => moves::pane(state, 6),
        Command::OpenKickBacks => rows::narrow(state, "kicked back"),
        Command::OpenQueue => {
            let why = footer::closed(state, command).unwrap_or_default();
            state.refuse(why);
        }
        Command::JumpBack => match state.nav.back.pop() {
            Some(row) => {
                moves::focus(state, Focus::List);
                moves::point(state, row);
            }
            None => state.say("there is nowhere to go back to"),
        },
        Command::Copy => diff::copy(state, false, fx),
        Command::CopyWithPlace => diff::copy(state, true, fx),
        _ => {}
    }
}

/// `Enter`: one level in. In a list it never decides.
pub(super) fn go_in(state: &mut State, fx: &mut Vec<Effect>) {
    match state.nav.focus {
        Focus::List => match state.nav.selected.clone() {
            Some(Row::Item(Subject::Criterion(id))) if decide::needs_pick(state, &id) => {
                picker::open(state, id, fx);
            }
            Some(Row::Item(Subject::Message(_))) => triage::open(state),
            Some(Row::Item(_)) => moves::to_card(state),
            Some(Row::File(_)) => moves::focus(state, Focus::Diff),
            Some(Row::Verdict) => moves::focus(state, Focus::Verdict),
            None => {}
        },
        Focus::Card if triage::selected(state) => triage::open(state),
        Focus::Card => {
            if moves::show_missing(state) {
                return;
            }
            let runs = state
                .criterion_id()
                .is_some_and(|id| state.run_of(id).is_some());
            if runs {
                moves::focus(state, Focus::Output);
            } else {
                moves::focus(state, Focus::Diff);
            }
        }
        Focus::Verdict => {
            let row = menus::verdict(state).get(state.nav.cursor).cloned();
            match row {
                Some(row) => verdict_row(state, &row, fx),
                None => {
                    let key = state.keys.shown(Command::Top);
                    state.say(format!("the menu is above · {key} goes to its first row"));
                }
            }
        }
        Focus::Spec => suite::text(state),
        Focus::Diff
        | Focus::Output
        | Focus::Ledger
        | Focus::Triage
        | Focus::Trust
        | Focus::Carry
        | Focus::Writes => {}
    }
}

fn output(state: &mut State) {
    let run = state
        .criterion_id()
        .is_some_and(|id| state.run_of(id).is_some() || state.runs.running.contains_key(id));
    if run {
        moves::focus(state, Focus::Output);
    } else {
        state.say("no run of the selected item on this tree · x runs its oracle");
    }
}

/// `Esc`: one level out, at last to the list.
fn go_out(state: &mut State) {
    if suite::back(state) {
        return;
    }
    let part = match (state.nav.focus, &state.nav.selected) {
        (Focus::Output, _) => Focus::Card,
        (Focus::Diff, Some(Row::Item(_))) if state.nav.cursors.contains_key(&Focus::Card) => {
            Focus::Card
        }
        (Focus::List, _) => {
            let key = state.keys.shown(Command::Leave);
            return state.say(format!("nothing further out · {key} leaves"));
        }
        // every other part lies beside the list
        (_, _) => Focus::List,
    };
    moves::focus(state, part);
}

/// A digit in a numbered menu: it selects, `Enter` does it.
fn numbered(state: &mut State, digit: u8) {
    let at = menus::verdict(state)
        .iter()
        .position(|row| row.number == Some(digit));
    match at {
        Some(at) => state.nav.cursor = at,
        None => state.say(format!("no row {digit} is open")),
    }
}

fn verdict_row(state: &mut State, row: &menus::VerdictRow, fx: &mut Vec<Effect>) {
    if let Some(why) = &row.closed {
        return state.refuse(why.clone());
    }
    match row.act {
        VerdictAct::Sign(verdict) => sign::open(state, verdict, fx),
        VerdictAct::Leave => session::leave(state, fx),
        VerdictAct::Write(ref name, _) => writes::switch(state, name.clone(), fx),
    }
}

/// Rulings menu and help.
fn menu(state: &mut State, command: Command, fx: &mut Vec<Effect>) {
    if let (Mode::Rulings(at) | Mode::Contracts(at) | Mode::Formats(at), Some(digit)) =
        (&mut state.mode, command.digit())
    {
        *at = usize::from(digit).saturating_sub(1);
        return;
    }
    let at = match &state.mode {
        Mode::Rulings(at) if command == Command::MenuDo => *at,
        Mode::Help(_) | Mode::Inspect(_) if command == Command::MenuDo => return,
        Mode::Contracts(at) if command == Command::MenuDo => {
            return session::take(state, *at, fx);
        }
        Mode::Formats(at) if command == Command::MenuDo => {
            return session::read_as(state, *at, fx);
        }
        _ => {
            state.mode = Mode::Browse;
            return;
        }
    };
    let Some(row) = menus::rulings(state).get(at).cloned() else {
        return;
    };
    if let Some(why) = row.closed {
        return state.refuse(format!("Closed: {}, because {why}.", row.says));
    }
    state.mode = Mode::Browse;
    if let Some(lever) = row.lever {
        return triage::pull(state, lever);
    }
    if row.verb == Verb::Run {
        decide::run(state, fx);
    } else {
        decide::verb(state, row.verb, fx);
    }
}

/// Named letters of a question.
fn question(state: &mut State, confirm: Confirm, command: Command, fx: &mut Vec<Effect>) {
    match (confirm, command) {
        (Confirm::Reply(replying), Command::GoOut) => triage::back(state, *replying),
        (Confirm::Reply(replying), pressed) if pressed == triage::gives(&replying) => {
            triage::confirmed(state, *replying, fx);
        }
        (_, Command::GoOut) => state.mode = Mode::Browse,
        (Confirm::Lock(_), Command::ConfirmShow) => {
            state.mode = Mode::Browse;
            moves::to_card(state);
        }
        (Confirm::Lock(_), Command::RatifyUnseen) => decide::unseen(state),
        (Confirm::Weak(_), Command::Ratify) => decide::all_the_same(state, fx),
        (Confirm::Weak(_), Command::KickBack) => {
            state.mode = Mode::Browse;
            decide::verb(state, Verb::SendBack, fx);
        }
        (Confirm::Who, Command::ConfirmLeave) => decide::it_is_me(state, fx),
        (Confirm::Leave, Command::ConfirmLeave) => session::end(state, state.ending(), fx),
        (Confirm::Leave, Command::OwedNext) => {
            state.mode = Mode::Browse;
            moves::owed(state, true);
        }
        (Confirm::Leave, Command::Verdict) => {
            state.mode = Mode::Browse;
            moves::focus(state, Focus::Verdict);
        }
        (
            Confirm::Lock(_)
            | Confirm::Seen(_)
            | Confirm::Weak(_)
            | Confirm::Leave
            | Confirm::Who
            | Confirm::Reply(_),
            _,
        ) => {}
    }
}

fn palette(state: &mut State, command: Command, fx: &mut Vec<Effect>) {
    let row = match &state.mode {
        Mode::Palette(palette) => menus::palette(state).get(palette.at).cloned(),
        _ => None,
    };
    match command {
        Command::PaletteDown => moves::go(state, By::Rows(1)),
        Command::PaletteUp => moves::go(state, By::Rows(-1)),
        Command::PaletteComplete => {
            if let (Mode::Palette(palette), Some(row)) = (&mut state.mode, row) {
                palette.input = note::field(row.command.id());
                palette.at = 0;
            }
        }
        Command::PaletteDo => {
            let Some(row) = row else {
                return state.say("no command has that name");
            };
            state.mode = Mode::Browse;
            run(state, row.command, fx);
        }
        _ => state.mode = Mode::Browse,
    }
}
