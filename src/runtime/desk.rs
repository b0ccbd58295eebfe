//! The hands of a session: every effect that touches the world ends in one call here, and none
//! of them waits. Answers come back through the hub, with their tickets.

use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::adapters::folders::Folders;
use crate::adapters::git::place;
use crate::adapters::oracle::client::Settings;
use crate::adapters::reader::{Order, Question, Reader};
use crate::app::edit::EditOrder;
use crate::app::msg::{Answer, Msg, Side, Trouble};
use crate::app::spec::SpecLook;
use crate::gate::chains::Profile;
use crate::gate::decide::{Decision, Ruling, Undo};
use crate::gate::dossier::RunFact;
use crate::gate::handoff::EditToCommit;
use crate::gate::policy::Policy;
use crate::model::format::Format;
use crate::model::id::{CriterionId, Digest, RepoPath, Ticket};
use crate::model::known::Known;

use super::clerk::{Clerk, Signed};
use super::clock::Clock;
use super::deliver::{Asked, Deliver};
use super::hub::Hub;
use super::lister::Lister;
use super::messages::Handed;
use super::request::Inputs;
use super::seal::What;
use super::typist::Typist;
use super::worker::Worker;

/// The ticket of the watch's question; no session gets so far.
pub const HEADS: Ticket = Ticket(u64::MAX);
/// The ticket of the question under the ledger's lock.
pub const HEADS_NOW: Ticket = Ticket(u64::MAX - 1);

/// The ticket of the questions for what lies beside the change.
pub const BESIDE: Ticket = Ticket(u64::MAX - 2);

/// The ticket of the questions about earlier heads.
pub const SINCE: Ticket = Ticket(u64::MAX - 3);

/// How long leaving waits for what was begun.
const CLOSING: Duration = Duration::from_millis(1500);

/// What reads the page of the spec gate.
pub type SpecReader = fn(&Path, Option<&str>) -> Result<SpecLook, String>;

/// What reads the record of a run, for people.
pub type RecordReader = fn(&Path) -> Known<Vec<String>>;

/// Where a session takes place, and what was said on the command line.
#[derive(Clone, Debug)]
pub struct Seat {
    /// A folder of the worktree.
    pub dir: PathBuf,
    /// Our folders.
    pub folders: Folders,
    /// Whether it is the built-in sample.
    pub sample: bool,
    /// `--contract`.
    pub contracts: Vec<PathBuf>,
    /// `--contract-format`, or what was picked since.
    pub format: Option<Format>,
    /// `--base`.
    pub base: Option<String>,
    /// `--live`.
    pub live: bool,
    /// `--handoff`.
    pub handoff: Option<PathBuf>,
    /// Whether a script presses the keys; in the sample only.
    pub scripted: bool,
    /// The person's name in our own config.
    pub name: Option<String>,
    /// The signing key in our own config.
    pub signing_key: Option<String>,
    /// The list of signers in our own config.
    pub allowed_signers: Option<String>,
    /// The person's own knobs; the repository's may tighten them.
    pub policy: Policy,
    /// The words and tiers of the chain audit.
    pub chains: Profile,
    /// How oracles run, or why none can.
    pub oracles: Result<Settings, String>,
    /// Reads the page of the spec gate: of this folder, against this base.
    pub spec: SpecReader,
    /// Threads, findings and a caller, as far as they were handed in.
    pub inputs: Inputs,
    /// Gate messages, as far as they were handed in.
    pub messages: Vec<Handed>,
    /// The record of the run that they belong to.
    pub record: Option<PathBuf>,
    /// Reads that record.
    pub read_record: RecordReader,
}

/// What a session left behind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Left {
    /// Files of the hand-off.
    pub handoff: Vec<String>,
    /// Confirmed edits that were written and wait to be committed.
    pub edits: Vec<EditToCommit>,
    /// What was not done, in sentences.
    pub undone: Vec<String>,
}

/// The hands.
#[derive(Debug)]
pub struct Desk {
    seat: Arc<Seat>,
    hub: Hub,
    clock: Clock,
    typist: Typist,
    started: Option<Started>,
    asked: Arc<Mutex<Asked>>,
}

#[derive(Debug)]
struct Started {
    reader: Arc<Reader>,
    clerk: Arc<Worker<Clerk>>,
}

impl Desk {
    /// Reads the page of the spec gate, beside everything else.
    pub fn read_spec(&self) {
        let (seat, hub) = (Arc::clone(&self.seat), self.hub.clone());
        let read = move || {
            let page = (seat.spec)(&seat.dir, seat.base.as_deref());
            hub.say(Msg::Spec(page.map(Arc::new)));
        };
        let spawned = std::thread::Builder::new().name("spec".into()).spawn(read);
        if let Err(error) = spawned {
            self.hub.say(Msg::Spec(Err(error.to_string())));
        }
    }

    /// A desk whose children do not run yet.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn new(seat: Seat, hub: Hub, clock: Clock) -> std::io::Result<Self> {
        Ok(Self {
            seat: Arc::new(seat),
            hub,
            clock,
            typist: Typist::start(clock)?,
            started: None,
            asked: Arc::default(),
        })
    }

    /// Starts reader and clerk, each on a thread of its own.
    ///
    /// # Errors
    /// When no thread or child can be started.
    pub fn start(&mut self) -> std::io::Result<()> {
        let (clerk, ears) = Clerk::new(
            Arc::clone(&self.seat),
            self.hub.clone(),
            self.typist.clone(),
            self.clock,
        );
        let clerk = Arc::new(Worker::start("desk", move || clerk)?);
        let deliver = Deliver {
            hub: self.hub.clone(),
            clerk: Arc::clone(&clerk),
            lister: Lister::start(self.hub.clone(), Arc::clone(&self.asked))?,
            ears,
            seat: Arc::clone(&self.seat),
            asked: Arc::clone(&self.asked),
        };
        let reader = Arc::new(Reader::spawn(move |ticket, reply| {
            deliver.reply(ticket, reply);
        })?);
        let (known, back) = (Arc::clone(&reader), Arc::downgrade(&clerk));
        clerk.ask(move |clerk| clerk.meet(known, back));
        self.started = Some(Started { reader, clerk });
        Ok(())
    }

    /// Where typed texts go.
    #[must_use]
    pub fn drafts(&self) -> Typist {
        self.typist.clone()
    }

    /// The folder for texts on their way through an editor.
    #[must_use]
    pub fn texts(&self) -> PathBuf {
        self.seat.folders.state.join("editing")
    }

    /// The person's own copy of a file of the change.
    ///
    /// # Errors
    /// A file that is gone, no regular one, or a link that leads out of the worktree.
    pub fn copy_of(&self, path: &RepoPath) -> std::io::Result<PathBuf> {
        let fault = std::io::Error::other;
        let place = place::find(&self.seat.dir).map_err(|error| fault(error.says()))?;
        let file = place.worktree.join(OsStr::from_bytes(path.as_bytes()));
        let real = std::fs::canonicalize(&file)
            .map_err(|_| fault("your worktree does not hold it".to_owned()))?;
        if !real.starts_with(&place.worktree) || !real.is_file() {
            return Err(fault("it is a link, or no regular file".to_owned()));
        }
        Ok(real)
    }

    /// Finishes what was begun, ends the children and says what was left.
    pub fn close(&mut self) -> Left {
        let Some(started) = self.started.take() else {
            self.typist.close();
            return Left::default();
        };
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        started.clerk.ask(move |clerk| {
            clerk.stop(None);
            let _ = tell.send(Left {
                handoff: std::mem::take(&mut clerk.handoff),
                edits: std::mem::take(&mut clerk.edits),
                undone: std::mem::take(&mut clerk.undone),
            });
        });
        let left = told.recv_timeout(CLOSING).unwrap_or_else(|_| Left {
            undone: vec![
                "the disk did not answer in time: look at `countersign ledger log`".into(),
            ],
            ..Left::default()
        });
        self.typist.close();
        left
    }
}

/// The effects, one method each.
impl Desk {
    /// Opens (or re-reads) the change.
    pub fn open(&mut self, ticket: Ticket) {
        self.open_with(ticket, None);
    }

    /// Opens the change with one of several files as its contract.
    pub fn take(&mut self, ticket: Ticket, path: RepoPath) {
        self.open_with(ticket, Some(path));
    }

    /// Opens the change with its contract read as another format.
    pub fn read_as(&mut self, ticket: Ticket, format: Option<Format>) {
        Arc::make_mut(&mut self.seat).format = format;
        self.open_with(ticket, None);
    }

    fn open_with(&mut self, ticket: Ticket, take: Option<RepoPath>) {
        let order = Order {
            dir: self.seat.dir.clone(),
            base: self.seat.base.clone(),
            pull_request_base: self.seat.inputs.base(),
            contracts: self.seat.contracts.clone(),
            picked: None,
            format: self.seat.format.map(|format| format.name().to_owned()),
            memory: Some(self.seat.folders.state.join("known")),
            request: self.seat.inputs.asked(),
        };
        self.asked().opening = Some(Instant::now());
        match &self.started {
            Some(started) => {
                started
                    .clerk
                    .ask(move |clerk| clerk.ask_open(ticket, order, take));
            }
            None => self.say(ticket, Answer::Opened(Err(not_started()))),
        }
    }

    /// Hunks of one file.
    pub fn hunks(&mut self, ticket: Ticket, path: RepoPath) {
        let sides = self
            .asked()
            .files
            .get(&path)
            .map(|file| (file.old, file.new));
        let (Some(started), Some((old, new))) = (&self.started, sides) else {
            return;
        };
        started
            .reader
            .ask(ticket, Question::Hunks { path, old, new });
    }

    /// Lines of one side of one file.
    pub fn text(
        &mut self,
        ticket: Ticket,
        path: RepoPath,
        side: Side,
        lines: Range<u32>,
        tokens: bool,
    ) {
        let blob = {
            let mut asked = self.asked();
            asked.sides.insert(ticket, side);
            let file = asked.files.get(&path);
            let entry = file.and_then(|file| match side {
                Side::Base => file.old,
                Side::Head => file.new,
            });
            entry.map(|entry| entry.oid)
        };
        let (Some(started), Some(blob)) = (&self.started, blob) else {
            return;
        };
        let question = Question::Lines {
            path,
            blob,
            lines,
            tokens,
        };
        started.reader.ask(ticket, question);
    }

    /// Lines of a stored output.
    pub fn output(&mut self, ticket: Ticket, digest: Digest, lines: Range<u64>) {
        self.clerk(ticket, move |clerk| clerk.output(ticket, digest, lines));
    }

    /// What an oracle would run.
    pub fn trust_card(&mut self, ticket: Ticket, criterion: CriterionId) {
        self.clerk(ticket, move |clerk| clerk.trust_card(ticket, &criterion));
    }

    /// Stores an approval.
    pub fn trust(&mut self, ticket: Ticket, criterion: CriterionId, binds: Digest) {
        self.clerk(ticket, move |clerk| clerk.trust(ticket, &criterion, binds));
    }

    /// Queues runs.
    pub fn run(&mut self, criteria: Vec<CriterionId>) {
        if let Some(started) = &self.started {
            started.clerk.ask(move |clerk| clerk.run(&criteria));
        }
    }

    /// Queues a run on base.
    pub fn run_base(&mut self, criterion: CriterionId) {
        if let Some(started) = &self.started {
            started.clerk.ask(move |clerk| clerk.run_base(&criterion));
        }
    }

    /// Stops runs.
    pub fn stop(&mut self, criterion: Option<CriterionId>) {
        if let Some(started) = &self.started {
            started
                .clerk
                .ask(move |clerk| clerk.stop(criterion.as_ref()));
        }
    }

    /// Keeps that the person confirmed their name.
    pub fn confirm_who(&mut self) {
        if let Some(started) = &self.started {
            started.clerk.ask(|clerk| clerk.confirm_who());
        }
    }

    /// Records a decision.
    pub fn decide(&mut self, ticket: Ticket, decision: Decision) {
        self.clerk(ticket, move |clerk| clerk.decide(ticket, decision));
    }

    /// Records an undo.
    pub fn undo(&mut self, ticket: Ticket, undo: Undo) {
        self.clerk(ticket, move |clerk| clerk.undo(ticket, undo));
    }

    /// Works out what edits come to.
    pub fn plan(&mut self, ticket: Ticket, orders: Vec<EditOrder>, runs: Vec<RunFact>) {
        self.clerk(ticket, move |clerk| clerk.plan(ticket, &orders, &runs));
    }

    /// Records a ruling; writes confirmed edits after it, never before.
    pub fn rule(&mut self, ticket: Ticket, ruling: Ruling) {
        self.clerk(ticket, move |clerk| clerk.rule(ticket, &ruling));
    }

    /// Seals what was recorded last.
    pub fn seal(&mut self, ticket: Ticket, what: What) {
        self.clerk(ticket, move |clerk| clerk.seal(ticket, what));
    }

    /// A signature was made on the terminal, or was not.
    pub fn sealed(&mut self, ticket: Ticket, signature: Result<String, String>) {
        self.clerk(ticket, move |clerk| clerk.sealed(ticket, signature));
    }

    /// Writes the hand-off of a ruling.
    pub fn hand_off(&mut self, ticket: Ticket, signed: Option<Signed>) {
        self.clerk(ticket, move |clerk| clerk.hand_off(ticket, signed));
    }

    /// Keeps a typed text.
    pub fn draft(&mut self, key: String, text: String) {
        self.typist.put(key, text);
    }

    /// Forgets one.
    pub fn drop_draft(&mut self, key: String) {
        self.typist.drop_text(key);
    }

    /// A job for the clerk; the question is answered with a trouble when there is no room.
    fn clerk(&self, ticket: Ticket, job: impl FnOnce(&mut Clerk) + Send + 'static) {
        let taken = self.started.as_ref().is_some_and(|s| s.clerk.ask(job));
        if !taken {
            self.say(ticket, Answer::Recorded(Err(not_started())));
        }
    }

    fn say(&self, ticket: Ticket, answer: Answer) {
        self.hub
            .hint(super::hub::News::Msg(Msg::Answer(ticket, Box::new(answer))));
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn not_started() -> Trouble {
    Trouble {
        says: "Nothing was done: the session is busy or not open yet.".into(),
        hint: "Press the key again.".into(),
    }
}
