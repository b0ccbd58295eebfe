//! Oracles of one session: a queue, one worker for each checkout, news as they happen. Nothing
//! here blocks the caller; dropping it ends every run.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::adapters::checkout::{self, Pinned};
use crate::adapters::evidence_store::EvidenceStore;
use crate::adapters::folders::Folders;
use crate::adapters::trust::{Approvals, Binding};
use crate::model::id::{CriterionId, Digest, Oid};
use crate::model::oracle::{Ground, Isolation, Oracle, RunPlace};

use super::environment;
use super::outcome::{Interferences, RunDone};
use super::slot::{Finished, Progress, Sight, Slot, SlotError, SlotSetup, Stopper};

/// The default limit of a CHECK (RUN-14).
pub const LIMIT: Duration = Duration::from_secs(120);

/// What the person's configuration says about runs; a repository has no say in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The level of isolation: this one, or nothing runs.
    pub isolation: Isolation,
    /// How long a CHECK may take.
    pub limit: Duration,
    /// How many checkouts run at once.
    pub jobs: usize,
    /// Names of further variables that pass.
    pub pass: Vec<String>,
    /// Further folders that may be written to at level 2.
    pub caches: Vec<PathBuf>,
    /// Whether checkouts are emptied first.
    pub cold: bool,
}

impl Settings {
    /// The defaults: the best isolation up to 2 that this host offers, 120 seconds, one checkout,
    /// the usual tool caches of this home.
    #[must_use]
    pub fn of_host() -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let below = |name: &str| home.as_ref().map(|home| home.join(name));
        let caches = [
            ".cargo/registry",
            ".cargo/git",
            ".npm",
            ".cache/pip",
            ".cache/go-build",
            "go/pkg/mod",
        ];
        Self {
            isolation: super::wall::best(),
            limit: LIMIT,
            jobs: 1,
            pass: Vec::new(),
            caches: caches.into_iter().filter_map(below).collect(),
            cold: false,
        }
    }
}

/// What all runs of a session share.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The program that serves the hidden roles ([`SlotSetup::own`]).
    pub program: PathBuf,
    /// Our folders.
    pub folders: Folders,
    /// The settings.
    pub settings: Settings,
    /// The pinned objects.
    pub pinned: Pinned,
    /// The merge base, whose tree a control runs on.
    pub merge_base: Oid,
    /// Where oracles run.
    pub place: RunPlace,
    /// The person's worktree.
    pub worktree: PathBuf,
    /// Names the checkout of this change: repository and change.
    pub key: Digest,
    /// The contract file in the worktree.
    pub contract: PathBuf,
}

impl Bench {
    /// The objects that a run on this ground is of. Where head and base stand is looked up by
    /// those of the head for both.
    #[must_use]
    pub fn pinned_on(&self, ground: Ground) -> Pinned {
        match ground {
            Ground::Head => self.pinned.clone(),
            Ground::Base => Pinned {
                head: self.merge_base,
                tree: self.pinned.base_tree,
                ..self.pinned.clone()
            },
        }
    }

    /// Where a run on this ground takes place: the person's worktree never holds the base.
    #[must_use]
    pub fn place_on(&self, ground: Ground) -> RunPlace {
        match ground {
            Ground::Head => self.place,
            Ground::Base => RunPlace::Checkout,
        }
    }

    /// Names the checkout of this ground.
    fn key_on(&self, ground: Ground) -> String {
        match ground {
            Ground::Head => self.key.short(),
            Ground::Base => Digest::of_fields(&[&self.key.0, b"base"]).short(),
        }
    }
}

/// One run that is asked for.
#[derive(Clone, Debug)]
pub struct RunOrder {
    /// The oracle.
    pub oracle: Oracle,
    /// What the approval must bind; it names the criterion.
    pub binding: Binding,
    /// On which tree. The approval is that for the head: the base holds less of the change.
    pub ground: Ground,
}

impl RunOrder {
    fn criterion(&self) -> &CriterionId {
        &self.binding.criterion
    }
}

/// What a run says while it lives.
#[derive(Clone, Debug)]
pub enum News {
    /// Waiting for its turn.
    Queued(CriterionId),
    /// Started, with its limit.
    Started(CriterionId, Duration),
    /// More output.
    Output(CriterionId, Progress),
    /// Launcher or supervisor died in the middle of a run.
    Lost,
    /// Over; its output is stored.
    Ended(Box<RunDone>),
}

type Tell = Arc<dyn Fn(News) + Send + Sync>;

/// The runs of one session.
pub struct Oracles {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

impl std::fmt::Debug for Oracles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Oracles").finish_non_exhaustive()
    }
}

struct Shared {
    bench: Bench,
    tell: Tell,
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<RunOrder>,
    running: Vec<Running>,
    closed: bool,
}

struct Running {
    criterion: CriterionId,
    stopper: Option<Stopper>,
    stopped: bool,
}

impl Oracles {
    /// Starts with nothing to do; `tell` is called from the workers.
    #[must_use]
    pub fn start(bench: Bench, tell: impl Fn(News) + Send + Sync + 'static) -> Self {
        let jobs = match bench.place {
            RunPlace::Checkout => bench.settings.jobs.clamp(1, 64),
            RunPlace::Live => 1,
        };
        let shared = Arc::new(Shared {
            bench,
            tell: Arc::new(tell),
            state: Mutex::default(),
            wake: Condvar::new(),
        });
        let workers = (0..jobs)
            .map(|_| {
                let shared = Arc::clone(&shared);
                let worker = Worker {
                    shared,
                    site: None,
                    control: None,
                };
                std::thread::spawn(move || worker.serve())
            })
            .collect();
        Self { shared, workers }
    }

    /// Queues runs, in this order.
    pub fn run(&self, orders: Vec<RunOrder>) {
        for order in &orders {
            (self.shared.tell)(News::Queued(order.criterion().clone()));
        }
        self.shared.lock().queue.extend(orders);
        self.shared.wake.notify_all();
    }

    /// Ends a run, or takes it out of the queue; `None` means all.
    pub fn stop(&self, which: Option<&CriterionId>) {
        let named = |criterion: &CriterionId| which.is_none_or(|w| w == criterion);
        let mut state = self.shared.lock();
        let (gone, kept) = std::mem::take(&mut state.queue)
            .into_iter()
            .partition(|order| named(order.criterion()));
        state.queue = kept;
        for running in state.running.iter_mut().filter(|r| named(&r.criterion)) {
            running.stopped = true;
            if let Some(stopper) = &running.stopper {
                stopper.stop();
            }
        }
        drop(state);
        let gone: VecDeque<RunOrder> = gone;
        for order in gone {
            self.shared
                .ended(&order, Finished::interrupted(), Interferences::default());
        }
    }

    /// Whether nothing runs and nothing waits.
    #[must_use]
    pub fn idle(&self) -> bool {
        let state = self.shared.lock();
        state.queue.is_empty() && state.running.is_empty()
    }
}

impl Drop for Oracles {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.stop(None);
        self.shared.wake.notify_all();
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next order; `None` when the session is over.
    fn next(&self) -> Option<RunOrder> {
        let mut state = self.lock();
        loop {
            if let Some(order) = state.queue.pop_front() {
                state.running.push(Running {
                    criterion: order.criterion().clone(),
                    stopper: None,
                    stopped: false,
                });
                return Some(order);
            }
            if state.closed {
                return None;
            }
            state = self
                .wake
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes how a run is ended; whether somebody asked for that already.
    fn arm(&self, criterion: &CriterionId, stopper: Stopper) -> bool {
        let mut state = self.lock();
        stopper.reset();
        let running = state.running.iter_mut().find(|r| &r.criterion == criterion);
        running.is_some_and(|running| {
            running.stopper = Some(stopper);
            running.stopped
        })
    }

    fn ended(&self, order: &RunOrder, finished: Finished, spoiled: Interferences) {
        let bench = &self.bench;
        let done = RunDone::new(bench, order, finished, spoiled);
        let store = EvidenceStore::new(&bench.folders.state);
        let stored = store.put(&done.stdout).and(store.put(&done.stderr));
        let done = match stored {
            Ok(()) => done,
            Err(error) => done.not_stored(&error),
        };
        (self.tell)(News::Ended(Box::new(done)));
    }
}

/// Where a worker runs: its checkout and its children.
struct Site {
    checkout: Option<checkout::Slot>,
    slot: Option<Slot>,
    /// Whether the checkout is the pinned tree.
    brought: bool,
    /// Whether it is still to be emptied.
    cold: bool,
}

struct Worker {
    shared: Arc<Shared>,
    /// Of the head.
    site: Option<Site>,
    /// Of the base, once it was asked for.
    control: Option<Site>,
}

impl Worker {
    fn serve(mut self) {
        while let Some(order) = self.shared.next() {
            let (finished, spoiled) = match self.one(&order) {
                Ok(result) => result,
                Err(why) => (Finished::not_started(why), Interferences::default()),
            };
            let criterion = order.criterion().clone();
            self.shared.ended(&order, finished, spoiled);
            self.shared
                .lock()
                .running
                .retain(|r| r.criterion != criterion);
        }
    }

    /// Runs one order; the error says why it never started.
    fn one(&mut self, order: &RunOrder) -> Result<(Finished, Interferences), String> {
        let shared = Arc::clone(&self.shared);
        let bench = &shared.bench;
        approved(bench, order)?;
        let ground = order.ground;
        let before = self.prepare(ground)?;
        let Some(site) = self.site_on(ground) else {
            return Err("there is no checkout".into());
        };
        let contract = super::outcome::fingerprint(&bench.contract);
        let Some(slot) = &mut site.slot else {
            return Err("there is no launcher".into());
        };
        if shared.arm(order.criterion(), slot.stopper()) {
            return Ok((Finished::interrupted(), Interferences::default()));
        }
        let limit = bench.settings.limit;
        let criterion = order.criterion();
        (shared.tell)(News::Started(criterion.clone(), limit));
        let ran = slot.run(&order.oracle, limit, |progress| {
            (shared.tell)(News::Output(criterion.clone(), progress));
        });
        let finished = match ran {
            Ok(finished) => finished,
            Err(error) => {
                (shared.tell)(News::Lost);
                site.slot = None;
                site.brought = false;
                return Err(error.to_string());
            }
        };
        if finished.alive > 0 {
            site.slot = None;
        }
        let after = match &site.checkout {
            Some(checkout) => checkout.scan(&bench.pinned),
            None => checkout::scan_live(
                &bench.program,
                &bench.pinned,
                &bench.worktree,
                &bench.contract,
            ),
        };
        let spoiled = Interferences::between(bench, &before, after, contract);
        site.brought = site.checkout.is_none() || spoiled.clean_tree;
        if let Some(checkout) = &site.checkout {
            let _ = checkout.empty_tmp();
        }
        Ok((finished, spoiled))
    }

    fn site_on(&mut self, ground: Ground) -> &mut Option<Site> {
        match ground {
            Ground::Head => &mut self.site,
            Ground::Base => &mut self.control,
        }
    }

    /// A checkout at the pinned tree with a launcher; where the heads were before the run.
    fn prepare(&mut self, ground: Ground) -> Result<checkout::Scanned, String> {
        let shared = Arc::clone(&self.shared);
        let bench = &shared.bench;
        let said = |error: &dyn std::fmt::Display| error.to_string();
        let place = self.site_on(ground);
        if place.is_none() {
            let key = bench.key_on(ground);
            let checkout = match bench.place_on(ground) {
                RunPlace::Live => None,
                RunPlace::Checkout => Some(
                    checkout::Slot::take(&bench.program, &bench.folders.cache, &key)
                        .map_err(|e| said(&e))?,
                ),
            };
            *place = Some(Site {
                checkout,
                slot: None,
                brought: false,
                cold: bench.settings.cold,
            });
        }
        let Some(site) = place else {
            return Err("there is no checkout".into());
        };
        if let Some(checkout) = &site.checkout
            && !site.brought
        {
            checkout
                .bring(&bench.pinned_on(ground), site.cold)
                .map_err(|e| said(&e))?;
            site.cold = false;
            site.brought = true;
        }
        if site.slot.is_none() {
            let setup = setup(bench, site.checkout.as_ref()).map_err(|e| said(&e))?;
            site.slot = Some(Slot::start(&setup).map_err(|e: SlotError| said(&e))?);
        }
        let before = checkout::heads(&bench.program, &bench.pinned).map_err(|e| said(&e))?;
        if before.head.is_some_and(|head| head != bench.pinned.head) {
            return Err("the head has moved since it was looked at".into());
        }
        Ok(before)
    }
}

/// Whether a person approved exactly this; read anew for every run.
fn approved(bench: &Bench, order: &RunOrder) -> Result<(), String> {
    if let Some(why) = crate::adapters::trust::refusal(&order.oracle.check) {
        return Err(why);
    }
    let binding = order.binding.clone().of_oracle(&order.oracle);
    let same = binding == order.binding
        && binding.tree == bench.pinned.tree
        && binding.place == bench.place
        && binding.isolation == bench.settings.isolation;
    let approvals = Approvals::open(&bench.folders.state).map_err(|error| error.to_string())?;
    if same && approvals.covers(&binding).is_some() {
        Ok(())
    } else {
        Err("not approved".into())
    }
}

fn setup(bench: &Bench, checkout: Option<&checkout::Slot>) -> std::io::Result<SlotSetup> {
    let shell = environment::shell().ok_or_else(|| {
        std::io::Error::other("bash is not installed, and no other shell will do")
    })?;
    let (tree, tmp) = match checkout {
        Some(checkout) => (checkout.tree(), checkout.tmp()),
        None => {
            let tmp = bench.folders.cache.join("tmp");
            crate::adapters::folders::private(&tmp)?;
            (bench.worktree.clone(), tmp)
        }
    };
    let mut reads = bench.pinned.object_folders();
    match checkout {
        Some(checkout) => reads.push(checkout.repository()),
        None => reads.push(bench.pinned.gitdir.clone()),
    }
    Ok(SlotSetup {
        program: bench.program.clone(),
        isolation: bench.settings.isolation,
        environment: environment::Environment::from_process(&bench.settings.pass, &tmp),
        tree,
        tmp,
        reads,
        caches: bench.settings.caches.clone(),
        shell,
        sight: Sight::Host,
    })
}
