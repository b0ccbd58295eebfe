//! The machine with its hands: messages go in, effects are done, and what only a face can do
//! (terminal, script) is handed to it.

use std::collections::BTreeSet;

use crate::app::effect::{Effect, Leave};
use crate::app::msg::{Answer, Msg, RunNews};
use crate::app::pane::facts::Facts;
use crate::app::scene::Scene;
use crate::app::state::{State, Status};
use crate::app::{pane, update};
use crate::gate::dossier::Dossier;
use crate::gate::judge::Judgment;
use crate::model::id::{EntryId, RepoPath, Ticket};

use super::clerk::Signed;
use super::clock::Clock;
use super::desk::Desk;
use super::seal::What;

/// What only a face can do.
#[derive(Clone, PartialEq, Debug)]
pub enum Wish {
    /// Hand the terminal to the editor with this text.
    Editor(Ticket, String),
    /// Hand the terminal to the editor with the person's copy of a file, at a line.
    Edit(RepoPath, u32),
    /// Put text on the clipboard.
    Copy(String),
    /// Draw everything again.
    Repaint,
    /// Stop like any program.
    Suspend,
}

/// State, hands and clock of one session.
#[derive(Debug)]
pub struct Core {
    /// The session's memory.
    pub state: State,
    /// The hands.
    pub desk: Desk,
    /// The clock.
    pub clock: Clock,
    first: Vec<Effect>,
    /// Every time that it wants to be woken at: one does not stand for a later one.
    wakes: BTreeSet<u64>,
    left: Option<Leave>,
    /// The judgment that was signed: the ruling itself changes the next one.
    signed_on: Option<Box<Judgment>>,
}

impl Core {
    /// A session that was not started yet.
    #[must_use]
    pub fn new(state: State, first: Vec<Effect>, desk: Desk, clock: Clock) -> Self {
        Self {
            state,
            desk,
            clock,
            first,
            wakes: BTreeSet::new(),
            left: None,
            signed_on: None,
        }
    }

    /// Feeds messages, the clock first; returns what the face has to do.
    pub fn feed(&mut self, messages: impl IntoIterator<Item = Msg>) -> Vec<Wish> {
        let now = self.clock.now_ms();
        let mut wishes = self.one(Msg::Clock(now));
        for message in messages {
            wishes.extend(self.one(message));
        }
        wishes
    }

    /// Whether a message can change nothing that a person waits for: it may be drawn a moment
    /// later, with what follows it.
    #[must_use]
    pub fn can_wait(&self, message: &Msg) -> bool {
        let shown = || {
            let facts = Facts::of(&self.state)?;
            facts.shown_file().cloned()
        };
        match message {
            Msg::Run(RunNews::Output { .. }) | Msg::Notes(_) => true,
            Msg::Answer(_, answer) => match &**answer {
                Answer::Files { .. } => self
                    .state
                    .dossier()
                    .is_some_and(|dossier| dossier.files.known().is_some()),
                Answer::Hunks { path, .. } | Answer::Text { path, .. } => {
                    shown().as_ref() != Some(path)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Feeds an answer.
    pub fn answer(&mut self, ticket: Ticket, answer: Answer) -> Vec<Wish> {
        self.feed([Msg::Answer(ticket, Box::new(answer))])
    }

    fn one(&mut self, message: Msg) -> Vec<Wish> {
        let effects = update::update(&mut self.state, message);
        effects
            .into_iter()
            .filter_map(|effect| self.perform(effect))
            .collect()
    }

    /// Starts the reader and does the first effects, on threads of their own: the first frame waits
    /// for none of it.
    ///
    /// # Errors
    /// When a child or thread cannot be started.
    pub fn start(&mut self) -> std::io::Result<Vec<Wish>> {
        self.desk.start()?;
        let first = std::mem::take(&mut self.first);
        let wishes = first.into_iter().filter_map(|effect| self.perform(effect));
        Ok(wishes.collect())
    }

    /// The screen as it should be, noted as the one that is drawn next.
    pub fn scene(&mut self) -> Scene {
        let scene = pane::compose(&self.state);
        update::drew(&mut self.state, &scene);
        scene
    }

    /// Milliseconds until the session wants to be woken; `None` for never.
    #[must_use]
    pub fn sleep_ms(&self) -> Option<u64> {
        let at = self.wakes.first()?;
        Some(at.saturating_sub(self.clock.now_ms()))
    }

    /// Time has passed: a wanted time that has come is not waited for any more.
    pub fn woken(&mut self) {
        let now = self.clock.now_ms();
        self.wakes = self.wakes.split_off(&now.saturating_add(1));
    }

    /// How the session ended, once it did.
    #[must_use]
    pub fn left(&self) -> Option<Leave> {
        self.left
    }

    /// Ends it whatever the state says: the terminal is gone, or a signal came.
    pub fn end(&mut self, leave: Leave) {
        self.left.get_or_insert(leave);
    }

    /// The ruling of this sitting with the facts it was signed on.
    fn signed(&self) -> Option<Signed> {
        let world = &self.state.world;
        let dossier = world.dossier.as_deref()?;
        let id = world.ruled?;
        let ruling = dossier.rulings.iter().find(|r| r.entry == id)?;
        Some(Signed {
            dossier: dossier.clone(),
            judgment: self.signed_on.as_deref()?.clone(),
            policy: world.policy.clone(),
            ruling: ruling.clone(),
        })
    }

    /// What was recorded under this id in this sitting.
    fn recorded(&self, entry: EntryId) -> Option<What> {
        let dossier = self.state.dossier()?;
        let ruling = dossier.rulings.iter().find(|one| one.entry == entry);
        let decision = || dossier.decisions.iter().find(|one| one.entry == entry);
        match ruling {
            Some(ruling) => Some(What::Ruling(Box::new(ruling.clone()))),
            None => decision().map(|one| What::Decision(Box::new(one.clone()))),
        }
    }

    /// The facts at the end, and the judgment of them: the one that was signed, when one was.
    pub fn take_facts(&mut self) -> Option<(Box<Dossier>, Box<Judgment>)> {
        let ruled = self.state.world.ruled.is_some();
        let last = self.state.world.judgment.take();
        let judgment = self.signed_on.take().filter(|_| ruled).or(last);
        self.state.world.dossier.take().zip(judgment)
    }

    /// Says why something was not done.
    pub fn refuse(&mut self, says: String) {
        self.state.status = Status {
            says,
            refusal: true,
        };
    }

    /// The one match on effects.
    fn perform(&mut self, effect: Effect) -> Option<Wish> {
        match effect {
            Effect::Open(ticket) => self.desk.open(ticket),
            Effect::Take(ticket, path) => self.desk.take(ticket, path),
            Effect::ReadAs(ticket, format) => self.desk.read_as(ticket, format),
            Effect::Hunks(ticket, path) => self.desk.hunks(ticket, path),
            Effect::Text {
                ticket,
                path,
                side,
                lines,
                tokens,
            } => self.desk.text(ticket, path, side, lines, tokens),
            Effect::Output {
                ticket,
                digest,
                lines,
            } => self.desk.output(ticket, digest, lines),
            Effect::ReadSpec => self.desk.read_spec(),
            Effect::TrustCard(ticket, criterion) => self.desk.trust_card(ticket, criterion),
            Effect::Trust(ticket, criterion, binds) => self.desk.trust(ticket, criterion, binds),
            Effect::Run(criteria) => self.desk.run(criteria),
            Effect::RunBase(criterion) => self.desk.run_base(criterion),
            Effect::Stop(criterion) => self.desk.stop(criterion),
            Effect::ConfirmWho => self.desk.confirm_who(),
            Effect::Decide(ticket, decision) => self.desk.decide(ticket, *decision),
            Effect::Undo(ticket, undo) => self.desk.undo(ticket, undo),
            Effect::Plan(ticket, orders) => {
                let runs = self.state.world.dossier.as_ref();
                let runs = runs.map(|dossier| dossier.runs.clone());
                self.desk.plan(ticket, orders, runs.unwrap_or_default());
            }
            Effect::Rule(ticket, ruling) => {
                self.signed_on.clone_from(&self.state.world.judgment);
                self.desk.rule(ticket, *ruling);
            }
            Effect::HandOff(ticket) => {
                let signed = self.signed();
                self.desk.hand_off(ticket, signed);
            }
            Effect::Seal(ticket, entry) => {
                if let Some(what) = self.recorded(entry) {
                    self.desk.seal(ticket, what);
                }
            }
            Effect::Draft { key, text } => self.desk.draft(key, text),
            Effect::DropDraft(key) => self.desk.drop_draft(key),
            Effect::Wake(at) => {
                self.wakes.insert(at);
            }
            Effect::Leave(leave) => self.end(leave),
            Effect::Editor(ticket, text) => return Some(Wish::Editor(ticket, text)),
            Effect::Edit(path, line) => return Some(Wish::Edit(path, line)),
            Effect::Copy(text) => return Some(Wish::Copy(text)),
            Effect::Repaint => return Some(Wish::Repaint),
            Effect::Suspend => return Some(Wish::Suspend),
        }
        None
    }
}
