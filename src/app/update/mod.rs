//! `update`: the only thing that changes a [`State`].
//!
//! Linear and total: every message is answered with effects, nothing panics, nothing reads a
//! clock, a file or the terminal. An answer whose ticket is not waited for is dropped; nothing
//! says "recorded" before the disk did.

mod answer;
mod candidates;
pub mod carry;
mod decide;
mod diff;
mod files;
pub mod footer;
pub mod inspect;
mod keys;
pub mod menus;
mod moves;
mod needs;
mod note;
mod note_kind;
mod paste;
pub mod picker;
mod prefix;
mod rows;
mod run;
mod search;
pub mod seen;
mod session;
pub mod sign;
mod suite;
pub mod triage;
mod trust;
pub mod writes;

use std::collections::BTreeMap;

use crate::gate::judge::judge;
use crate::gate::policy::Policy;
use crate::model::id::Ticket;
use crate::model::known::Known;

use super::claims::Claims;
use super::effect::{Effect, Leave};
use super::keymap::Keymap;
use super::msg::{Answer, Msg};
use super::scene::Scene;
use super::state::{
    DiffStore, Focus, Mode, Nav, Purpose, RunBoard, ScreenFacts, SeenBoard, Stage, State, Status,
    Waiting, World,
};

/// Milliseconds after the terminal got its focus back in which deciding keys are dropped.
pub const DEAF_MS: u64 = 300;
/// The smallest screen on which anything is decided.
pub const SMALLEST: (u16, u16) = (40, 10);

/// What a session starts with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Columns and rows.
    pub size: (u16, u16),
    /// Monotonic milliseconds.
    pub now_ms: u64,
    /// The knobs.
    pub policy: Policy,
    /// The keys.
    pub keys: Keymap,
    /// Whether this is the built-in sample.
    pub sample: bool,
    /// Glyphs in ASCII.
    pub ascii: bool,
    /// Mouse on.
    pub mouse: bool,
    /// Whether pages are printed as lines.
    pub plain: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            size: (100, 30),
            now_ms: 0,
            policy: Policy::default(),
            keys: Keymap::default(),
            sample: false,
            ascii: false,
            mouse: true,
            plain: false,
        }
    }
}

/// A session that has just begun, and the question it begins with.
#[must_use]
pub fn start(setup: Setup) -> (State, Vec<Effect>) {
    let mut state = State {
        world: World {
            spec: super::state::SpecPage::Unasked,
            carrying: super::state::Carrying::default(),
            gates: Vec::new(),
            dossier: None,
            judgment: None,
            policy: setup.policy,
            since: Known::NotSupplied,
            trouble: None,
            picked: BTreeMap::new(),
            sample: setup.sample,
            sitting: Vec::new(),
            ruled: None,
            claims: Claims::default(),
            confirmed: false,
            others: None,
            streamed: None,
            rereading: false,
        },
        diff: DiffStore {
            wrap: true,
            context: 3,
            ..DiffStore::default()
        },
        runs: RunBoard::default(),
        nav: Nav::default(),
        seen: SeenBoard::default(),
        mode: Mode::Browse,
        drafts: BTreeMap::new(),
        status: Status {
            says: "reading the contract at the base · nothing is run on opening".into(),
            refusal: false,
        },
        screen: ScreenFacts {
            size: setup.size,
            now_ms: setup.now_ms,
            deaf_until_ms: setup.now_ms,
            focused: true,
            ascii: setup.ascii,
            mouse: setup.mouse,
            plain: setup.plain,
        },
        waiting: Waiting::default(),
        keys: setup.keys,
    };
    let ticket = state.ask(Purpose::Open);
    (state, vec![Effect::Open(ticket)])
}

/// Keeps what was composed: call it with each scene, before it is drawn. Once the frame is out,
/// [`Msg::Drawn`] makes it count.
pub fn drew(state: &mut State, scene: &Scene) {
    state.seen.drawn.clone_from(&scene.deciding);
    if scene.deciding.is_some() {
        state.seen.last.clone_from(&scene.deciding);
    }
    state.seen.measured.clone_from(&scene.measured);
    state.seen.composed = Some(stage(state));
    moves::settle(state);
}

/// Changes the state by one message.
pub fn update(state: &mut State, msg: Msg) -> Vec<Effect> {
    let mut fx = Vec::new();
    match msg {
        Msg::Key { key, repeat } => keys::key(state, key, repeat, &mut fx),
        Msg::Paste(text) => paste::paste(state, &text, &mut fx),
        Msg::Wheel(x, y, lines) => moves::wheel(state, x, y, lines),
        Msg::Click(x, y, double) => moves::click(state, x, y, double, &mut fx),
        Msg::Resize(width, height) => state.screen.size = (width, height),
        Msg::Focus(focused) => session::focus(state, focused),
        Msg::Clock(now) => state.screen.now_ms = state.screen.now_ms.max(now),
        Msg::Drawn(now) => {
            state.screen.now_ms = state.screen.now_ms.max(now);
            seen::drawn(state, &mut fx);
            needs::ask(state, &mut fx);
            needs::ahead(state, &mut fx);
        }
        Msg::Answer(ticket, answer) => {
            let lists = matches!(&*answer, Answer::Opened(_) | Answer::Files { .. });
            answer::answer(state, ticket, *answer, &mut fx);
            if lists {
                needs::early(state, &mut fx);
            }
        }
        Msg::Run(news) => run::news(state, news),
        Msg::World(moved) => session::moved(state, moved),
        Msg::Message(id, why) => triage::gone(state, &id, why),
        Msg::Others(others) => session::others(state, others),
        Msg::Notes(notes) => session::noted(state, notes),
        Msg::Chains(read) => session::chains(state, read),
        Msg::Spec(read) => session::spec(state, read),
        Msg::Hangup => session::hang_up(state, &mut fx),
        Msg::ChildLost(what) => state.refuse(format!(
            "{what} stopped and is started again when it is needed. Nothing else is affected."
        )),
    }
    session::read_spec(state, &mut fx);
    fx
}

/// What a deciding key would act on now.
#[must_use]
pub fn stage(state: &State) -> Stage {
    let detail = match &state.mode {
        Mode::Browse if state.nav.focus == Focus::Triage => triage::under(state),
        Mode::Browse
        | Mode::Search(_)
        | Mode::Matches { .. }
        | Mode::Help(_)
        | Mode::Inspect(_)
        | Mode::Note(_)
        | Mode::SignOne(_) => String::new(),
        Mode::SignEdits(sign) => sign
            .plan()
            .map(|plan| plan.after.to_string())
            .unwrap_or_default(),
        Mode::Prefix(character) => character.to_string(),
        Mode::Picker(picker) => picker.criterion.to_string(),
        Mode::Rulings(row) | Mode::Contracts(row) | Mode::Formats(row) => row.to_string(),
        Mode::Confirm(confirm) => format!("{confirm:?}"),
        Mode::Trust(page) => format!("{} {}", page.criterion, page.card.is_some()),
        Mode::Carry(page) => format!("{} {:?}", page.offers.len(), page.out),
        Mode::SignTwo(sign) => sign.verdict.word().to_owned(),
        Mode::Palette(palette) => format!("{} {:?}", palette.at, palette.input.lines()),
    };
    Stage {
        mode: state.mode.name(),
        focus: state.nav.focus,
        selected: state.nav.selected.clone(),
        detail,
    }
}

impl State {
    /// Takes a ticket for a question.
    pub(super) fn ask(&mut self, purpose: Purpose) -> Ticket {
        let ticket = self.waiting.next;
        self.waiting.next = ticket.next();
        self.waiting.open.insert(ticket, purpose);
        ticket
    }

    /// Says what just happened.
    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.status = Status {
            says: text.into(),
            refusal: false,
        };
    }

    /// Says why something was not done.
    pub(super) fn refuse(&mut self, text: impl Into<String>) {
        self.status = Status {
            says: text.into(),
            refusal: true,
        };
    }

    /// Whether the screen is too small for anything to be decided.
    #[must_use]
    pub fn too_small(&self) -> bool {
        self.screen.size.0 < SMALLEST.0 || self.screen.size.1 < SMALLEST.1
    }

    /// Judges the facts anew; called after each change of a fact. What was signed stays on the
    /// screen as it was signed: with the ruling among the facts it would be the next round.
    pub(super) fn rejudge(&mut self) {
        if self.world.ruled.is_none() {
            self.judge();
        }
    }

    /// Judges the facts as they are.
    pub(super) fn judge(&mut self) {
        let dossier = self.world.dossier.as_deref();
        self.world.judgment = dossier.map(|dossier| Box::new(judge(dossier, &self.world.policy)));
        triage::judged(self);
    }

    /// Whether something moved since the pins were taken.
    #[must_use]
    pub fn stale(&self) -> bool {
        self.world
            .dossier
            .as_ref()
            .and_then(|dossier| dossier.moved.known())
            .is_some_and(crate::gate::dossier::Moved::any)
    }

    /// How the session would end now.
    #[must_use]
    pub fn ending(&self) -> Leave {
        if self.world.ruled.is_some() {
            Leave::Ruled
        } else if self.world.dossier.is_none() {
            Leave::CouldNotMeasure
        } else if self.stale() {
            Leave::Stale
        } else {
            Leave::Undecided
        }
    }
}
