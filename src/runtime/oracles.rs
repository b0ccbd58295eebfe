//! Oracles of a session: what may run, the card that is read before it may, the queue, and the
//! entry for each run that ended. Works on the desk's thread; nothing runs without an approval
//! that was made on the terminal for exactly these bytes (RUN-1, RUN-2).

use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Weak;

use crate::adapters::checkout::{self, Pinned};
use crate::adapters::evidence_store::{EvidenceStore, StoredLine};
use crate::adapters::oracle::client::{Bench, News, Oracles, RunOrder, Settings};
use crate::adapters::oracle::environment::{self, Environment};
use crate::adapters::oracle::outcome::RunDone;
use crate::adapters::oracle::slot::SlotSetup;
use crate::adapters::trust::{self, Approvals, Before, Binding, Consent};
use crate::app::msg::{Answer, Msg, RunNews, Trouble, TrustCard};
use crate::gate::dossier::Recorded;
use crate::ledger::entry::Body;
use crate::model::contract::ContractOfRecord;
use crate::model::id::{CriterionId, Digest, EntryId, Ticket};
use crate::model::oracle::{Ended, Expect, Ground, Oracle, RunPlace};
use crate::model::text::{Foreign, Place};

use super::clerk::{Clerk, Pins};
use super::clock::Clock;
use super::worker::Worker;

/// What oracles of this session run with.
#[derive(Debug)]
pub struct Runs {
    oracles: Oracles,
    bench: Bench,
    /// What approvals bind of the contract: one digest for all of its criteria.
    contract_blob: Digest,
}

impl Runs {
    /// Ready to run, with nothing running. `None` when the contract's oracles cannot be bound:
    /// there is no contract, or no wall that the settings ask for.
    #[must_use]
    pub fn new(
        clerk: &Clerk,
        pins: &Pins,
        back: Weak<Worker<Clerk>>,
        clock: Clock,
    ) -> Option<Self> {
        let record = pins.opened.contract.known()?;
        let mut settings = clerk.seat.oracles.clone().ok()?;
        // A wall that the host cannot give ends the run before anything of it started.
        settings.isolation = settings.isolation.max(pins.isolation_floor);
        let bench = bench(clerk, settings, pins, record);
        let hub = clerk.hub.clone();
        let tell = move |news: News| match news {
            News::Queued(criterion) => hub.say(Msg::Run(RunNews::Queued(criterion))),
            News::Started(criterion, limit) => hub.say(Msg::Run(RunNews::Started {
                criterion,
                at_ms: clock.now_ms(),
                limit_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
            })),
            News::Output(criterion, progress) => {
                let tail = last_lines(&progress.tail);
                hub.hint(super::hub::News::Msg(Msg::Run(RunNews::Output {
                    criterion,
                    lines: progress.lines,
                    bytes: progress.bytes,
                    tail,
                })));
            }
            News::Lost => hub.say(Msg::ChildLost("the runner of oracles")),
            News::Ended(done) => {
                if let Some(worker) = back.upgrade() {
                    worker.ask(move |clerk| clerk.run_ended(&done));
                }
            }
        };
        Some(Self {
            oracles: Oracles::start(bench.clone(), tell),
            bench,
            contract_blob: trust::contract_without_evidence(&record.contract, record.bytes.raw()),
        })
    }
}

/// Most lines of a live run that are shown.
const TAIL: usize = 12;

fn last_lines(text: &Foreign) -> Vec<Foreign> {
    let raw = text.raw();
    let raw = raw.strip_suffix(b"\n").unwrap_or(raw);
    let lines: Vec<&[u8]> = raw.split(|byte| *byte == b'\n').collect();
    let from = lines.len().saturating_sub(TAIL);
    let last = lines.get(from..).unwrap_or_default();
    last.iter().map(|line| Foreign::new(*line)).collect()
}

fn bench(clerk: &Clerk, settings: Settings, pins: &Pins, record: &ContractOfRecord) -> Bench {
    let opened = &pins.opened;
    let snapshot = &opened.snapshot;
    let base_name = opened.change.base.name.raw();
    Bench {
        program: SlotSetup::own(),
        folders: clerk.seat.folders.clone(),
        settings,
        pinned: Pinned {
            gitdir: opened.gitdir.clone(),
            head: snapshot.head,
            tree: snapshot.tree,
            base: snapshot.base,
            base_name: String::from_utf8_lossy(base_name).into_owned(),
            base_tree: snapshot.base_tree,
        },
        merge_base: snapshot.merge_base,
        place: if clerk.seat.live {
            RunPlace::Live
        } else {
            RunPlace::Checkout
        },
        worktree: opened.worktree.clone(),
        key: Digest::of_fields(&[&opened.change.repository.0, opened.change.key.as_bytes()]),
        contract: in_worktree(&opened.worktree, record.contract.path.as_bytes()),
    }
}

fn in_worktree(worktree: &Path, path: &[u8]) -> PathBuf {
    worktree.join(std::ffi::OsStr::from_bytes(path))
}

impl Clerk {
    /// Criteria whose oracle a person allowed to run, byte for byte, on this tree.
    #[must_use]
    pub fn trusted(&self) -> Vec<CriterionId> {
        let Ok(approvals) = Approvals::open(&self.seat.folders.state) else {
            return Vec::new();
        };
        let covered = |criterion: &CriterionId| {
            let order = self.order(criterion).ok()?;
            approvals.covers(&order.binding).map(|_| criterion.clone())
        };
        let record = self.pins.as_ref().and_then(|p| p.opened.contract.known());
        let criteria = record.map(|r| r.contract.criteria.as_slice());
        let criteria = criteria.unwrap_or_default().iter();
        let named = approvals.criteria();
        criteria
            .filter(|c| named.contains(c.id.as_str()))
            .filter_map(|c| covered(&c.id))
            .collect()
    }

    /// What would run, and what an approval of it binds.
    fn order(&self, criterion: &CriterionId) -> Result<RunOrder, String> {
        let pins = self.pins.as_ref().ok_or("nothing is open")?;
        let record = pins.opened.contract.known().ok_or("there is no contract")?;
        let runs = match (&self.seat.oracles, &pins.runs) {
            (Err(why), _) => return Err(why.clone()),
            (Ok(_), None) => return Err("there is no contract".into()),
            (Ok(_), Some(runs)) => runs,
        };
        if record.contract.errors().next().is_some() {
            return Err("the contract has errors: nothing of it may run".into());
        }
        let found = record.contract.criterion(criterion);
        let oracle = found.and_then(|c| c.oracle.as_ref());
        let oracle = oracle.ok_or("the criterion has no oracle")?.clone();
        let shell =
            environment::shell().ok_or("bash is not installed, and no other shell will do")?;
        let settings = &runs.bench.settings;
        let names = Environment::from_process(&settings.pass, Path::new("/")).names();
        let binding = Binding {
            repository: pins.opened.change.repository,
            contract: record.contract.path.clone(),
            criterion: criterion.clone(),
            command: oracle.command_digest(),
            expect: oracle.expect_digest(),
            contract_blob: runs.contract_blob,
            tree: pins.opened.snapshot.tree,
            place: runs.bench.place,
            shell: shell.to_string_lossy().into_owned(),
            environment: names,
            isolation: settings.isolation,
        };
        Ok(RunOrder {
            oracle,
            binding,
            ground: Ground::Head,
        })
    }

    /// Answers with the card of an oracle: all of what would run, before any of it may.
    pub fn trust_card(&self, ticket: Ticket, criterion: &CriterionId) {
        let card = self.card(criterion).map(Box::new);
        self.answer(
            ticket,
            Answer::Trust(card.map_err(|why| no_card(criterion, &why))),
        );
    }

    fn card(&self, criterion: &CriterionId) -> Result<TrustCard, String> {
        let RunOrder {
            oracle, binding, ..
        } = self.order(criterion)?;
        let pins = self.pins.as_ref().ok_or("nothing is open")?;
        let bench = &pins.runs.as_ref().ok_or("there is no contract")?.bench;
        let approvals = Approvals::open(&self.seat.folders.state).map_err(|e| e.to_string())?;
        let before = approvals.before(&binding);
        let since = match &before {
            Before::OtherTree(approval) => Some(approval.tree),
            Before::This(_) | Before::OtherBytes(_) | Before::Never => None,
        };
        let also = checkout::also_runs(&bench.program, &bench.pinned, since, &oracle.check)
            .map_err(|error| error.to_string())?;
        let (expect, expect_kind) = expected(&oracle);
        Ok(TrustCard {
            criterion: criterion.clone(),
            refused: trust::refusal(&oracle.check),
            check: oracle.check,
            expect,
            expect_kind,
            head: pins.opened.snapshot.head,
            place: binding.place,
            isolation: binding.isolation,
            shell: binding.shell.clone(),
            limit_ms: u64::try_from(bench.settings.limit.as_millis()).unwrap_or(u64::MAX),
            before: before_words(
                &before,
                also.iter().any(|(_, _, same)| *same == Some(false)),
            ),
            also_runs: also
                .into_iter()
                .map(|(path, counts, _)| (path, counts))
                .collect(),
            binds: binding.digest(),
            environment: binding.environment,
        })
    }

    /// Stores the approval of the card with this digest, when it still is what would run.
    pub fn trust(&self, ticket: Ticket, criterion: &CriterionId, binds: Digest) {
        let granted = self.order(criterion).and_then(|order| {
            if order.binding.digest() != binds {
                return Err("something changed since the card was shown".into());
            }
            let consent = self.consent()?;
            let mut approvals =
                Approvals::open(&self.seat.folders.state).map_err(|e| e.to_string())?;
            let granted = approvals.grant(&order.binding, &consent);
            granted.map_err(|e| e.to_string())
        });
        let answer = match granted {
            Ok(_) => Ok(criterion.clone()),
            Err(why) => Err(Trouble {
                says: format!("Not trusted: {why}."),
                hint: "x shows the command again.".into(),
            }),
        };
        self.answer(ticket, Answer::Trusted(answer));
    }

    fn consent(&self) -> Result<Consent, String> {
        let consent = if self.seat.sample && self.seat.scripted {
            Consent::in_sample(&self.seat.folders)
        } else {
            Consent::at_terminal(&[&std::io::stdin()])
        };
        consent.map_err(|error| error.to_string())
    }

    /// Queues runs.
    pub fn run(&self, criteria: &[CriterionId]) {
        self.queue(criteria, Ground::Head);
    }

    /// Queues a run on base, under the approval of these bytes for the head (RUN-20).
    pub fn run_base(&self, criterion: &CriterionId) {
        self.queue(std::slice::from_ref(criterion), Ground::Base);
    }

    fn queue(&self, criteria: &[CriterionId], ground: Ground) {
        let mut orders = Vec::new();
        for criterion in criteria {
            match self.order(criterion) {
                Ok(order) => orders.push(RunOrder { ground, ..order }),
                Err(why) => self.hub.say(Msg::Run(RunNews::Ended {
                    criterion: criterion.clone(),
                    result: Err(no_card(criterion, &why)),
                })),
            }
        }
        if let Some(runs) = self.pins.as_ref().and_then(|pins| pins.runs.as_ref()) {
            runs.oracles.run(orders);
        }
    }

    /// Stops runs.
    pub fn stop(&self, criterion: Option<&CriterionId>) {
        if let Some(runs) = self.pins.as_ref().and_then(|pins| pins.runs.as_ref()) {
            runs.oracles.stop(criterion);
        }
    }

    /// Records a run that ended, and says so only then.
    pub fn run_ended(&mut self, done: &RunDone) {
        let criterion = done.criterion.clone();
        let never_began = done.ended == Ended::Interrupted && done.duration_ms == 0;
        let result = if never_began {
            let fact = done.fact(EntryId([0; 16]), 0);
            Ok(Box::new(Recorded {
                entry: fact.entry,
                number: 0,
                value: fact,
            }))
        } else {
            let fact = done.fact(EntryId([0; 16]), 0);
            self.append_fact(Body::Run(fact)).map(|receipt| {
                Box::new(Recorded {
                    entry: receipt.entry,
                    number: receipt.number,
                    value: done.fact(receipt.entry, receipt.number),
                })
            })
        };
        self.hub.say(Msg::Run(RunNews::Ended { criterion, result }));
    }

    /// Answers with lines of a stored output.
    pub fn output(&self, ticket: Ticket, digest: Digest, range: Range<u64>) {
        let store = EvidenceStore::new(&self.seat.folders.state);
        let from = range.start;
        let lines = store.lines(&digest, range).map(|lines| {
            let text = |line| match line {
                StoredLine::Line(text) => text,
                StoredLine::NotKept => Foreign::from("(counted and hashed, not kept)"),
            };
            lines.into_iter().map(text).collect()
        });
        let lines = lines.map_err(|error| Trouble {
            says: format!("The output cannot be read: {error}."),
            hint: "x runs it again.".into(),
        });
        self.answer(
            ticket,
            Answer::Output {
                digest,
                from,
                lines,
            },
        );
    }
}

fn expected(oracle: &Oracle) -> (Foreign, &'static str) {
    match &oracle.expect {
        Expect::Plain(text) => (text.clone(), "plain text"),
        Expect::Regex { source, flags } => {
            let mut text = b"/".to_vec();
            text.extend_from_slice(source.raw());
            text.push(b'/');
            text.extend_from_slice(flags.raw());
            (Foreign::new(text), "regular expression")
        }
        Expect::ExitOnly => (Foreign::from("exit 0"), "exit 0 only"),
    }
}

fn before_words(before: &Before, differs: bool) -> String {
    match before {
        Before::This(approval) => format!("trusted, these bytes, on {}", approval.granted),
        Before::OtherTree(approval) if differs => format!(
            "trusted on {} for another tree; files that it runs differ since",
            approval.granted
        ),
        Before::OtherTree(approval) => format!(
            "trusted on {} for another tree; no file that it runs differs since",
            approval.granted
        ),
        Before::OtherBytes(approval) => format!(
            "other bytes were trusted under this name on {}",
            approval.granted
        ),
        Before::Never => "never trusted".into(),
    }
}

fn no_card(criterion: &CriterionId, why: &str) -> Trouble {
    Trouble {
        says: format!(
            "{} cannot run: {}.",
            Foreign::from(criterion.as_str()).shown(Place::Strict),
            why
        ),
        hint: String::new(),
    }
}
