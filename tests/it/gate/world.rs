//! A small world of facts, built word by word, for the tests of the rules.

use countersign::gate::decide::{self, Act, Decision, Refusal, Ruling, Seen, SignOff};
use countersign::gate::dossier::{
    Assertion, Dossier, EditTarget, LedgerHealth, Recorded, RunFact, Subject,
};
use countersign::gate::floor::lint::Lint;
use countersign::gate::judge::{Judgment, judge};
use countersign::gate::policy::Policy;
use countersign::model::change::{ChangeKind, Commit, FileChange};
use countersign::model::contract::{
    Abandonment, Anchors, Confidence, Contract, ContractEdit, ContractOfRecord, Criterion,
    EditKind, Format, Header, Kind, Severity, Source, State, WorktreeCopy,
};
use countersign::model::id::{CriterionId, Digest, EntryId, Oid, RepoPath};
use countersign::model::known::{Known, Reason};
use countersign::model::oracle::{
    Ended, Expect, Isolation, MarkerAt, Oracle, Outcome, RunPlace, Stream,
};
use countersign::model::ruling::{Assurance, NameSource, Principal, RootCause, Verdict};
use countersign::model::scope::{Risk, Scope, ScopedFile, Trace};
use countersign::model::snapshot::{BaseChoice, BaseWhy, ChangeName, RepositoryBy, Snapshot};
use countersign::model::text::Foreign;

/// Facts, and the number of the next entry.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) dossier: Dossier,
    pub(crate) policy: Policy,
    next: u64,
}

pub(crate) fn id(text: &str) -> CriterionId {
    CriterionId::new(text).expect("a plain id")
}

pub(crate) fn oid(byte: u8) -> Oid {
    Oid([byte; 20])
}

pub(crate) fn criterion(name: &str) -> Subject {
    Subject::Criterion(id(name))
}

pub(crate) fn file(path: &str) -> Subject {
    Subject::ScopeFile(RepoPath::from(path))
}

pub(crate) fn edit_of(name: &str) -> Subject {
    Subject::ContractEdit(EditTarget::Criterion(id(name)))
}

fn snapshot() -> Snapshot {
    Snapshot {
        base: oid(0xb0),
        merge_base: oid(0xb0),
        base_tree: oid(0xb1),
        head: oid(0xaa),
        tree: oid(0xa1),
        contract: Some(Digest([7; 32])),
    }
}

fn contract() -> Contract {
    Contract {
        path: RepoPath::from("GATES.md"),
        format: Format::Interview,
        confidence: Confidence::High,
        why: "its title".into(),
        digest: Digest([7; 32]),
        state: State::Found,
        header: Header::default(),
        request: None,
        clarifications: Vec::new(),
        criteria: Vec::new(),
        scope: Vec::new(),
        abandonments: Vec::new(),
        complaints: Vec::new(),
        abandon_at: None,
        scope_at: None,
    }
}

pub(super) fn change(path: &str) -> FileChange {
    FileChange {
        path: RepoPath::from(path),
        old_path: None,
        kind: ChangeKind::Modified,
        old: None,
        new: None,
        shape: Known::NotSupplied,
        counts: Known::NotSupplied,
        marks: Known::NotSupplied,
    }
}

impl World {
    /// A change with one file in scope, a contract without criteria, and Ada at the terminal.
    pub(crate) fn new() -> Self {
        let who = Principal::new("Ada Osei", NameSource::Config, Assurance::Present);
        Self {
            policy: Policy::default(),
            next: 1,
            dossier: Dossier {
                change: ChangeName {
                    repository: Digest([1; 32]),
                    repository_by: RepositoryBy::Remote,
                    key: "feat/winter".into(),
                    repository_name: Foreign::from("harbor/ferry"),
                    branch: Some(Foreign::from("feat/winter")),
                    base: BaseChoice {
                        name: Foreign::from("main"),
                        why: BaseWhy::Flag,
                    },
                },
                snapshot: snapshot(),
                moved: Known::Is(Default::default()),
                kept: Vec::new(),
                earlier: Vec::new(),
                policy_faults: Vec::new(),
                notes: Vec::new(),
                contract: Known::Is(ContractOfRecord {
                    contract: contract(),
                    bytes: Foreign::from(""),
                    source: Source::Base,
                    blob: Some(oid(0xcc)),
                    head_bytes: None,
                    edits: Vec::new(),
                    touched_by: Vec::new(),
                    candidates: Vec::new(),
                    why: "named by the change".into(),
                    worktree: WorktreeCopy::AsHead,
                }),
                candidates: Vec::new(),
                lints: Vec::new(),
                files: Known::Is(vec![change("bin/ferry")]),
                scope: Known::Is(Scope::default()),
                chains: Known::NotSupplied,
                spec: Known::NotSupplied,
                commits: Known::Is(vec![Commit {
                    oid: oid(0xaa),
                    author: Foreign::from("builder-3 <b3@harbor.example>"),
                    subject: Foreign::from("winter table"),
                }]),
                runs: Vec::new(),
                decisions: Vec::new(),
                disputes: Vec::new(),
                replaced: Vec::new(),
                assertions: Vec::new(),
                rulings: Vec::new(),
                ledger: LedgerHealth::Ok,
                first_request: None,
                self_ratified: Known::Is(false),
                who: who.map_or(Known::NotSupplied, Known::Is),
                request: Default::default(),
                messages: Vec::new(),
                run_record: Known::NotSupplied,
                round: Known::Is(1),
            },
        }
    }

    pub(crate) fn record(&mut self) -> &mut ContractOfRecord {
        match &mut self.dossier.contract {
            Known::Is(record) => record,
            other => panic!("no contract: {other:?}"),
        }
    }

    pub(crate) fn number(&mut self) -> (EntryId, u64) {
        let number = self.next;
        self.next += 1;
        let mut bytes = [0; 16];
        bytes[8..].copy_from_slice(&number.to_be_bytes());
        (EntryId(bytes), number)
    }

    /// A criterion a person judges.
    pub(crate) fn manual(mut self, name: &str) -> Self {
        self.push(name, None);
        self
    }

    /// A criterion with an oracle that was never run.
    pub(crate) fn runnable(mut self, name: &str) -> Self {
        self.push(name, Some(oracle(name)));
        self
    }

    fn push(&mut self, name: &str, oracle: Option<Oracle>) {
        let line = self.record().contract.criteria.len() as u32 + 1;
        self.record().contract.criteria.push(Criterion {
            id: id(name),
            text: Foreign::from(format!("criterion {name} holds").as_str()),
            line,
            end_line: line,
            kind: if oracle.is_some() {
                Kind::Runnable
            } else {
                Kind::Manual
            },
            ticked: None,
            box_at: None,
            oracle,
            evidence: None,
            gated: Vec::new(),
            optional: false,
            post_merge: false,
            disposition: None,
            anchors: Anchors::default(),
        });
    }

    /// The last criterion never blocks.
    pub(crate) fn optional(mut self) -> Self {
        if let Some(last) = self.record().contract.criteria.last_mut() {
            last.optional = true;
        }
        self
    }

    /// The last criterion is for after the merge.
    pub(crate) fn post_merge(mut self) -> Self {
        if let Some(last) = self.record().contract.criteria.last_mut() {
            last.post_merge = true;
        }
        self
    }

    /// The contract abandons a criterion.
    pub(crate) fn abandoned(mut self, name: &str) -> Self {
        self.record().contract.abandonments.push(Abandonment {
            id: Some(id(name)),
            reason: Foreign::from("no such kiosk left, HB-311"),
            line: 90,
            span: 0..1,
        });
        self
    }

    /// The change edited a criterion of its contract.
    pub(crate) fn edited(mut self, kind: EditKind, name: Option<&str>) -> Self {
        self.record().edits.push(ContractEdit {
            kind,
            id: name.map(id),
            line: 1,
            old: None,
            new: None,
            gated: false,
        });
        self
    }

    /// A lint that makes a pass weak.
    pub(crate) fn weak(mut self, name: &str) -> Self {
        self.dossier.lints.push((
            id(name),
            Lint {
                code: "tautological-check",
                severity: Severity::Warning,
                message: "the marker is printed by the failing branch too".into(),
                weakens: true,
            },
        ));
        self
    }

    /// A changed file that nothing accounts for.
    pub(crate) fn overflow(mut self, path: &str) -> Self {
        if let Known::Is(files) = &mut self.dossier.files {
            files.push(change(path));
        }
        self.scoped(path, vec![Trace::Untraced], true)
    }

    /// A changed file with its traces.
    pub(crate) fn scoped(mut self, path: &str, traces: Vec<Trace>, overflow: bool) -> Self {
        if let Known::Is(scope) = &mut self.dossier.scope {
            scope.files.push(ScopedFile {
                path: RepoPath::from(path),
                traces,
                risk: Risk::Plain,
                overflow,
            });
        }
        self
    }

    /// A run of the criterion's oracle on the tree under review.
    pub(crate) fn ran(self, name: &str, outcome: Outcome) -> Self {
        let tree = self.dossier.snapshot.tree;
        self.ran_on(name, outcome, tree)
    }

    /// A run of the criterion's oracle on some tree.
    pub(crate) fn ran_on(mut self, name: &str, outcome: Outcome, tree: Oid) -> Self {
        let run = self.run(name, outcome, tree);
        self.dossier.runs.push(run);
        self
    }

    pub(crate) fn run(&mut self, name: &str, outcome: Outcome, tree: Oid) -> RunFact {
        let (entry, number) = self.number();
        let head = if tree == self.dossier.snapshot.tree {
            self.dossier.snapshot.head
        } else {
            oid(0x5e)
        };
        RunFact {
            entry,
            number,
            criterion: id(name),
            oracle: oracle(name).digest(),
            head,
            tree,
            outcome,
            ended: match outcome {
                Outcome::Met => Ended::Exited(0),
                Outcome::NotMet => Ended::Exited(1),
                Outcome::Error => Ended::NotStarted("no bash".into()),
            },
            marker: (outcome == Outcome::Met).then_some(MarkerAt {
                stream: Stream::Stdout,
                offset: 0,
                line: 1,
                overwritten: false,
            }),
            interference: Vec::new(),
            survivors: Vec::new(),
            isolation: Isolation::Files,
            place: RunPlace::Checkout,
            duration_ms: 200,
            limit_ms: None,
            shell: None,
            output_bytes: 10,
            output: [Digest([1; 32]), Digest([2; 32])],
            excerpt: Vec::new(),
            from_sample: false,
        }
    }

    /// An agent's own verdict.
    pub(crate) fn asserted(mut self, head: Oid) -> (Self, Subject) {
        let (entry, number) = self.number();
        self.dossier.assertions.push(Recorded {
            entry,
            number,
            value: Assertion {
                gate: "verify".into(),
                subject: Foreign::from("all criteria"),
                verdict: Foreign::from("met"),
                why: Foreign::from("tests are green"),
                head,
            },
        });
        (self, Subject::Assertion(entry))
    }

    pub(crate) fn judge(&self) -> Judgment {
        judge(&self.dossier, &self.policy)
    }

    pub(crate) fn seen(&self, subject: &Subject) -> Option<Seen> {
        Some(Seen {
            subject: subject.clone(),
            snapshot: self.dossier.snapshot.clone(),
            for_ms: 1_000,
            rows: vec!["RESULT".into()],
        })
    }

    /// Decides with everything seen, and does not record it.
    pub(crate) fn ask(&self, subject: &Subject, act: Act) -> Result<Decision, Refusal> {
        let judgment = self.judge();
        let seen = self.seen(subject);
        decide::decide(&self.dossier, &judgment, &self.policy, subject, act, seen)
    }

    /// Decides with everything seen, and records it.
    pub(crate) fn decided(mut self, subject: &Subject, act: Act) -> Self {
        let word = act.word();
        let value = match self.ask(subject, act) {
            Ok(value) => value,
            Err(refusal) => panic!("{subject:?} {word}: {refusal:?}"),
        };
        self.stand(value);
        self
    }

    pub(crate) fn stand(&mut self, value: Decision) -> EntryId {
        let (entry, number) = self.number();
        self.dossier.decisions.push(Recorded {
            entry,
            number,
            value,
        });
        entry
    }

    /// The pages of a sign-off, filled in.
    pub(crate) fn pages(&self, verdict: Verdict) -> SignOff {
        SignOff {
            verdict,
            root_cause: (verdict != Verdict::Approved).then_some(RootCause::AgentError),
            attack: "The winter table has 108 rows: 4 departures are gone.".into(),
            typed: self.dossier.snapshot.head.abbreviated(6),
            edits: Vec::new(),
        }
    }

    pub(crate) fn rule(&self, verdict: Verdict) -> Result<Ruling, Refusal> {
        let judgment = self.judge();
        decide::rule(&self.dossier, &judgment, &self.policy, self.pages(verdict))
    }

    /// Signs, and records the ruling.
    pub(crate) fn ruled(mut self, verdict: Verdict) -> Self {
        let value = match self.rule(verdict) {
            Ok(value) => value,
            Err(refusal) => panic!("{verdict:?}: {refusal:?}"),
        };
        let (entry, number) = self.number();
        self.dossier.rulings.push(Recorded {
            entry,
            number,
            value,
        });
        self
    }

    /// Somebody pushed.
    pub(crate) fn pushed(mut self) -> Self {
        self.dossier.snapshot.head = oid(0xab);
        self.dossier.snapshot.tree = oid(0xa2);
        self
    }
}

pub(crate) fn oracle(name: &str) -> Oracle {
    Oracle {
        check: Foreign::from(format!("sh tests/{name}.sh").as_str()),
        check_line: 1,
        check_span: 0..1,
        expect: Expect::Plain(Foreign::from(format!("{name}-ok").as_str())),
        expect_line: 2,
        expect_span: 2..3,
    }
}

pub(crate) fn ratify() -> Act {
    Act::Ratify {
        evidence: Vec::new(),
    }
}

pub(crate) fn because(text: &str) -> Act {
    use countersign::model::evidence::Evidence;
    Act::Ratify {
        evidence: vec![Evidence::Rationale(text.into())],
    }
}

pub(crate) fn back(cause: countersign::model::ruling::Cause) -> Act {
    Act::KickBack {
        cause,
        text: "Repeat the hour, not the boat.".into(),
    }
}

pub(crate) fn unknown<T>() -> Known<T> {
    Known::Unknown(Reason::new("it could not be read"))
}
