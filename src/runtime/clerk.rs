//! What the desk's own thread works with: the pins of the session, the ledger, the approvals.
//! It may block; the loop never waits for it.
//!
//! Before any entry of a person the heads are read again under the ledger's lock, and an entry
//! is refused when they are not what the person looked at (GIT-11).

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use serde_bytes::ByteBuf;

use crate::adapters::drafts::Drafts;
use crate::adapters::folders;
use crate::adapters::git::record::Opened;
use crate::adapters::git::{heads, keep, threads, watch};
use crate::adapters::handoff as written;
use crate::adapters::ledger_store::{LedgerStore, NotRecorded, Writer};
use crate::adapters::reader::{Order, Question, Reader};
use crate::adapters::who;
use crate::app::msg::{Answer, Appended, Msg, Opening, Trouble};
use crate::gate::decide::{Decision, Ruling, Undo};
use crate::gate::dossier::{Dossier, Moved, Recorded, Subject};
use crate::gate::handoff::{self, EditToCommit};
use crate::gate::judge::Judgment;
use crate::gate::policy::Policy;
use crate::ledger::entry::{self, Body};
use crate::ledger::replay::History;
use crate::model::id::{Digest, Oid, RepoPath, Ticket};
use crate::model::known::Known;
use crate::model::menu::Message;
use crate::model::oracle::Isolation;
use crate::model::ruling::Principal;

use super::clock::Clock;
use super::desk::{BESIDE, HEADS, Seat};
use super::edits::PlannedFile;
use super::hub::Hub;
use super::messages;
use super::opening;
use super::oracles::Runs;
use super::others;
use super::policy;
use super::request;
use super::seal::{self, Sealing};
use super::since::{RoundReply, SinceReply};
use super::typist::Typist;
use super::worker::Worker;

/// How long the lock of a private ref is waited for (GIT-14).
const LOCK_PATIENCE: Duration = Duration::from_secs(5);

/// What a hand-off is made of.
#[derive(Debug)]
pub struct Signed {
    /// The facts that were signed.
    pub dossier: Dossier,
    /// Their judgment.
    pub judgment: Judgment,
    /// The knobs.
    pub policy: Policy,
    /// The ruling.
    pub ruling: Recorded<Ruling>,
}

/// An answer about the heads, from the reader.
pub type HeadsReply = Result<Box<heads::Answer>, crate::adapters::git::GitError>;

/// An answer about the places of threads, from the reader.
pub type ThreadsReply = Result<Vec<threads::Found>, crate::adapters::git::GitError>;

/// Where single answers of the reader go that the clerk waits for.
#[derive(Clone, Debug)]
pub struct Ears {
    /// Heads under a lock.
    pub heads: SyncSender<HeadsReply>,
    /// What differs from an earlier head.
    pub since: SyncSender<SinceReply>,
    /// What became of the change since an earlier head.
    pub rounds: SyncSender<RoundReply>,
    /// Where threads point.
    pub threads: SyncSender<ThreadsReply>,
}

/// The tools.
#[derive(Debug)]
pub struct Clerk {
    /// Where the session takes place.
    pub seat: Arc<Seat>,
    /// Where answers go.
    pub hub: Hub,
    typist: Typist,
    pub(super) reader: Option<Arc<Reader>>,
    pub(super) heads: Receiver<HeadsReply>,
    pub(super) since: Receiver<SinceReply>,
    pub(super) rounds: Receiver<RoundReply>,
    pub(super) threads: Receiver<ThreadsReply>,
    pub(super) back: Weak<Worker<Self>>,
    clock: Clock,
    order: Option<Order>,
    /// The file that a person took as the contract, and whether that still has to be recorded.
    taken: Option<(RepoPath, bool)>,
    /// What is pinned.
    pub pins: Option<Pins>,
    /// Files of the hand-off that were written.
    pub handoff: Vec<String>,
    /// Confirmed edits that were written.
    pub edits: Vec<EditToCommit>,
    /// What was not done, in sentences.
    pub undone: Vec<String>,
    /// What was shown of the edits of the contract, not written.
    pub(super) planned: Option<PlannedFile>,
    /// A seal that waits for its signature.
    pub(super) sealing: Option<seal::Waiting>,
    /// The gate messages as they were read last.
    pub(super) messages: Vec<Arc<Message>>,
}

/// The pins and everything that hangs on them.
#[derive(Debug)]
pub struct Pins {
    /// What the reader found.
    pub opened: Opened,
    /// The ledger of the repository.
    pub store: LedgerStore,
    /// What it knew when it was read last.
    pub history: History,
    /// Who sits here.
    pub who: Known<Principal>,
    /// Key and signers.
    pub(super) sealing: Sealing,
    /// What oracles run with; `None` while there is no contract.
    pub runs: Option<Runs>,
    pub(super) writer: Option<Writer>,
    /// SHA-256 of the contract in the worktree when it was looked at first.
    contract_then: Option<Option<Digest>>,
    /// The weakest wall that oracles of this change may run behind.
    pub(super) isolation_floor: Isolation,
    /// Whether the judged commits are held.
    kept: bool,
    _watch: Option<watch::Watch>,
    pub(super) ledger_watch: Option<watch::Watch>,
}

impl Clerk {
    /// A clerk that has seen nothing yet, and where the reader's single answers go.
    #[must_use]
    pub fn new(seat: Arc<Seat>, hub: Hub, typist: Typist, clock: Clock) -> (Self, Ears) {
        let (tell, heads) = sync_channel(8);
        let (tell_since, since) = sync_channel(8);
        let (tell_rounds, rounds) = sync_channel(8);
        let (tell_threads, threads) = sync_channel(8);
        let clerk = Self {
            seat,
            hub,
            typist,
            reader: None,
            heads,
            since,
            rounds,
            threads,
            back: Weak::new(),
            clock,
            order: None,
            taken: None,
            pins: None,
            handoff: Vec::new(),
            edits: Vec::new(),
            undone: Vec::new(),
            planned: None,
            sealing: None,
            messages: Vec::new(),
        };
        let ears = Ears {
            heads: tell,
            since: tell_since,
            rounds: tell_rounds,
            threads: tell_threads,
        };
        (clerk, ears)
    }

    /// The reader to ask about heads, and the clerk's own thread for those who report to it.
    pub fn meet(&mut self, reader: Arc<Reader>, back: Weak<Worker<Self>>) {
        self.reader = Some(reader);
        self.back = back;
    }

    /// Asks the reader to open the change; `take` is what a person picked just now.
    pub fn ask_open(&mut self, ticket: Ticket, mut order: Order, take: Option<RepoPath>) {
        if let Some(path) = take {
            self.taken = Some((path, true));
        }
        let bytes = |(path, _): &(RepoPath, bool)| ByteBuf::from(path.as_bytes().to_vec());
        order.picked = self.taken.as_ref().map(bytes);
        self.order = Some(order.clone());
        if let Some(reader) = &self.reader {
            reader.ask(ticket, Question::Open(order));
        }
    }

    /// What an earlier sitting took, while it is still one of several (choices.md, discovery).
    fn remembered(&self, opened: &Opened, history: &History) -> Option<RepoPath> {
        if self.taken.is_some() || opened.candidates.is_empty() {
            return None;
        }
        let people = history.openings.iter().rev();
        let mut people = people.filter(|opening| opening.value.by.is_some());
        let last = people.find_map(|opening| opening.value.contract.clone())?;
        let still = opened.candidates.iter().any(|(path, _)| *path == last);
        still.then_some(last)
    }

    /// A pick is recorded at once: the shard of this sitting opens with it.
    fn record_pick(&mut self) {
        let Some((_, due @ true)) = &mut self.taken else {
            return;
        };
        let Some(pins) = self.pins.as_mut() else {
            return;
        };
        if pins.opened.contract.known().is_none() {
            return;
        }
        *due = false;
        if let Err(error) = pins.writer() {
            self.undone
                .push(format!("the pick of the contract: {error}"));
        }
    }

    /// Answers an opening: ledger, person, lints, trust and drafts beside what the reader found.
    pub fn open(&mut self, ticket: Ticket, mut opened: Opened, begun: Instant) {
        let (sealing, faults_of_signing) = Sealing::find(&self.seat, &opened);
        let store = LedgerStore::new(&self.seat.folders, opened.change.repository)
            .with_signers(Arc::clone(&sealing.signers));
        let history = store.load(&opened.change.key);
        if let (Some(path), Some(order)) = (self.remembered(&opened, &history), self.order.clone())
        {
            self.taken = Some((path, false));
            return self.ask_open(ticket, order, None);
        }
        let who = sealing.with_key(who::find(self.seat.name.as_deref()));
        let kept = self.keep_decisions(&mut opened, &history);
        let (policy, faults) = policy::in_force(&self.seat.policy, &opened.policy);
        let mut dossier = opening::dossier(&opened, &history, kept, who.clone());
        dossier.policy_faults = faults;
        dossier.self_ratified = seal::own_work(&who, &opened);
        dossier.messages = messages::waiting(&self.seat.messages, &mut self.messages);
        if let Some(record) = &self.seat.record {
            dossier.run_record = (self.seat.read_record)(record);
        }
        let looked = self.look(&opened);
        let beside = request::request(&self.seat.inputs, &opened, &looked, &policy);
        request::put(&mut dossier, beside, &policy);
        dossier.earlier = self.compare_earlier(&dossier);
        let since = self.since_judged(&dossier);
        let drafts = self.take_drafts(&opened);
        let confirmed = who
            .known()
            .is_some_and(|who| who::is_confirmed(&self.seat.folders, who));
        let name = opened
            .change
            .repository_name
            .shown(crate::model::text::Place::Strict);
        let _ = store.remember(&name.plain(), &opened.change.key, &opened.worktree);
        let watch = self.watch(&opened);
        let ledger_watch = others::watch(&store, &opened.change.key, &self.back);
        let again = self.pins.take();
        let same = again.filter(|pins| pins.opened.snapshot == opened.snapshot);
        let mut pins = Pins {
            writer: same.and_then(|pins| pins.writer),
            runs: None,
            opened,
            store,
            history,
            who,
            sealing,
            contract_then: None,
            kept: false,
            isolation_floor: policy.isolation_floor,
            _watch: watch,
            ledger_watch,
        };
        if let Some(writer) = &mut pins.writer {
            writer.has_read(&pins.history);
        }
        pins.runs = Runs::new(self, &pins, self.back.clone(), self.clock);
        self.pins = Some(pins);
        self.record_pick();
        let trusted = self.trusted();
        let took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let opening = Opening {
            dossier,
            since,
            policy: policy.clone(),
            trusted,
            drafts,
            confirmed,
            signing: faults_of_signing,
            took_ms,
        };
        self.answer(ticket, Answer::Opened(Ok(Box::new(opening))));
        self.ask_heads();
    }

    /// Typed texts of sessions that ended without recording them.
    fn take_drafts(&self, opened: &Opened) -> Vec<(String, String)> {
        let head = opened.snapshot.head.to_string();
        let repository = opened.change.repository;
        match Drafts::open(&self.seat.folders, repository, &opened.change.key) {
            Ok(drafts) => {
                let kept = drafts.list().iter();
                let kept = kept.map(|d| (d.key.clone(), d.text.clone())).collect();
                self.typist.open(drafts, head);
                kept
            }
            Err(_) => Vec::new(),
        }
    }

    /// Looks once a second whether something moved; never with a process, never in git.
    fn watch(&self, opened: &Opened) -> Option<watch::Watch> {
        let reader = Arc::clone(self.reader.as_ref()?);
        let question = opened.heads();
        let moved = move || reader.ask(HEADS, Question::Heads(question.clone()));
        watch::watch(opened.watched(), watch::EVERY, moved).ok()
    }

    fn ask_heads(&self) {
        if let (Some(reader), Some(pins)) = (&self.reader, &self.pins) {
            reader.ask(HEADS, Question::Heads(pins.opened.heads()));
        }
    }

    /// Asks for the skills of the tree: their chains are judged together.
    pub fn ask_skills(&self) {
        if let (Some(reader), Some(pins)) = (&self.reader, &self.pins) {
            let (top, tree) = (pins.opened.worktree.clone(), pins.opened.snapshot.tree);
            reader.ask(BESIDE, Question::Held(top, tree));
        }
    }

    /// Asks what lies beside the change: after its files, which a person waits for.
    pub fn look_around(&self) {
        if let (Some(reader), Some(pins)) = (&self.reader, &self.pins) {
            let top = &pins.opened.worktree;
            reader.ask(BESIDE, Question::Worktree(top.clone()));
            let tree = pins.opened.snapshot.tree;
            reader.ask(BESIDE, Question::Names(top.clone(), tree));
        }
    }

    /// Compares what the reader saw with the pins and says so when anything differs.
    pub fn heads_seen(&mut self, reply: &HeadsReply) {
        let Some(pins) = &mut self.pins else {
            return;
        };
        if let Ok(answer) = reply {
            let moved = pins.moved(answer);
            self.hub.say(Msg::World(moved));
        }
    }

    /// Keeps that the person confirmed their name; where that fails, they are asked again.
    pub fn confirm_who(&self) {
        if let Some(Known::Is(person)) = self.pins.as_ref().map(|pins| &pins.who) {
            let _ = who::confirm(&self.seat.folders, person);
        }
    }

    /// Records a decision.
    pub fn decide(&mut self, ticket: Ticket, decision: Decision) {
        let body = Body::Decision(decision.clone());
        let message = match decision.subject() {
            Subject::Message(id) => Some(id.clone()),
            _ => None,
        };
        let appended = self
            .append_with(body, true, message.as_ref())
            .map(|receipt| {
                Appended::Decision(Box::new(Recorded {
                    entry: receipt.entry,
                    number: receipt.number,
                    value: decision,
                }))
            });
        self.answer(ticket, Answer::Recorded(appended.map(Box::new)));
    }

    /// Records an undo.
    pub fn undo(&mut self, ticket: Ticket, undo: Undo) {
        let of = undo.entry();
        let appended = self.append(Body::Undo(undo)).map(|receipt| Appended::Undo {
            entry: receipt.entry,
            number: receipt.number,
            of,
        });
        self.answer(ticket, Answer::Recorded(appended.map(Box::new)));
    }

    /// Records a ruling and writes the edits that it names, after it and never before.
    pub fn rule(&mut self, ticket: Ticket, ruling: &Ruling) {
        if let Err(trouble) = self.as_shown(ruling).and_then(|()| self.all_read()) {
            return self.answer(ticket, Answer::Recorded(Err(trouble)));
        }
        let appended = self.append(Body::Ruling(ruling.clone())).map(|receipt| {
            Appended::Ruling(Box::new(Recorded {
                entry: receipt.entry,
                number: receipt.number,
                value: ruling.clone(),
            }))
        });
        let recorded = appended.is_ok();
        self.answer(ticket, Answer::Recorded(appended.map(Box::new)));
        if recorded {
            self.write_edits(ticket, ruling);
        }
    }

    /// Writes the hand-off of a ruling and says where it lies.
    pub fn hand_off(&mut self, ticket: Ticket, signed: Option<Signed>) {
        let Some((signed, pins)) = signed.zip(self.pins.as_ref()) else {
            return self.not_handed_off(ticket, "there is no ruling");
        };
        let edits = self.edits.clone();
        let Signed {
            dossier,
            judgment,
            policy,
            ruling,
        } = signed;
        let found = handoff::handoff(&dossier, &judgment, &policy, &ruling, edits);
        let (folder, stem) = match &self.seat.handoff {
            Some(path) => (folder_of(path), stem_of(path)),
            None => (
                pins.store.folder().join("handoff"),
                written::file_stem(&found),
            ),
        };
        let made = match &self.seat.handoff {
            Some(_) => Ok(()),
            None => folders::private(&folder),
        };
        match made.and_then(|()| written::write(&found, &folder, &stem)) {
            Ok(paths) => {
                let paths: Vec<String> = paths
                    .iter()
                    .map(|path| path.to_string_lossy().into_owned())
                    .collect();
                self.handoff.clone_from(&paths);
                self.answer(ticket, Answer::HandedOff(Ok(paths)));
            }
            Err(error) => self.not_handed_off(ticket, &error.to_string()),
        }
    }

    fn not_handed_off(&mut self, ticket: Ticket, why: &str) {
        self.undone.push(format!("the hand-off: {why}"));
        let trouble = Trouble {
            says: format!("The hand-off was not written: {why}."),
            hint: "The ruling stands; the ledger holds all of it.".into(),
        };
        self.answer(ticket, Answer::HandedOff(Err(trouble)));
    }

    /// Sends an answer.
    pub fn answer(&self, ticket: Ticket, answer: Answer) {
        self.hub.say(Msg::Answer(ticket, Box::new(answer)));
    }
}

impl Pins {
    /// Our shard, opened with its first entry.
    pub(super) fn writer(&mut self) -> Result<&mut Writer, NotRecorded> {
        if self.writer.is_none() {
            let record = self.opened.contract.known();
            let request = record.and_then(|r| r.contract.request.as_ref());
            let opened = entry::Opened {
                repository: self.opened.change.repository,
                change: self.opened.change.key.clone(),
                snapshot: self.opened.snapshot.clone(),
                contract: record.map(|r| r.contract.path.clone()),
                request: request.map(|r| Digest::of(r.text.raw())),
                by: self.who.known().map(|who| who.name().to_owned()),
                agent_marks: who::agent_marks(),
                own_work: seal::own_work(&self.who, &self.opened).known() == Some(&true),
            };
            self.writer = Some(self.store.writer(&self.history, opened)?);
        }
        self.writer
            .as_mut()
            .ok_or(NotRecorded::Changed("not opened"))
    }

    /// The contract in the worktree is this now, by an edit of ours: nothing moved.
    pub fn contract_is(&mut self, digest: Digest) {
        self.contract_then = Some(Some(digest));
    }

    /// Holds the judged commits by private refs, once for each sitting and pins (GIT-15): what was
    /// decided on can be read again after the branch is gone. Says what could not be held.
    pub(super) fn keep(&mut self) -> Option<String> {
        if std::mem::replace(&mut self.kept, true) {
            return None;
        }
        let snapshot = &self.opened.snapshot;
        let change = &self.opened.change.key;
        for commit in [snapshot.head, snapshot.merge_base] {
            let subject = Digest::of(format!("{change}\0{commit}").as_bytes());
            let held = keep::keep(&self.opened.commondir, &subject, commit, LOCK_PATIENCE);
            if let Err(error) = held {
                return Some(format!(
                    "the private ref of the judged commit: {}",
                    error.says()
                ));
            }
        }
        None
    }

    /// What differs from the pins.
    pub(super) fn moved(&mut self, answer: &heads::Answer) -> Moved {
        let contract = answer.contract.map(Digest);
        let then = *self.contract_then.get_or_insert(contract);
        let differs = |now: Option<[u8; 20]>, pin: Oid| now.map(Oid).filter(|now| *now != pin);
        Moved {
            head: differs(answer.head, self.opened.snapshot.head),
            base: differs(answer.base, self.opened.snapshot.base),
            contract: contract.filter(|now| then != Some(*now)),
            worktree_gone: answer.worktree_gone,
        }
    }
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        Some(_) | None => PathBuf::from("."),
    }
}

/// The name without its ending; both files carry their own.
fn stem_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or(path.as_os_str());
    stem.to_string_lossy().into_owned()
}
