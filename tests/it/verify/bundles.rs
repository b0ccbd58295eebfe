//! Every bundle of the corpus and every variant of it: the inputs are laid out, the decisions go
//! through the one door and into a ledger, and the built program prints the verdict.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use countersign::adapters::folders::Folders;
use countersign::adapters::ledger_store::{LedgerStore, Writer, new_id};
use countersign::cli::verify::{Gathered, Given, gather, inputs};
use countersign::gate::decide::replayed::{self, RulingFields};
use countersign::gate::decide::{Act, Answer, Seen, SignOff, decide, rule};
use countersign::gate::dossier::{Raised, Recorded, RunFact, Subject};
use countersign::gate::judge::judge;
use countersign::gate::policy::Policy;
use countersign::gate::verify::minor::{Logins, Tag};
use countersign::ledger::entry::{Body, Opened};
use countersign::model::evidence::Evidence;
use countersign::model::id::{CriterionId, Digest, Oid, RepoPath};
use countersign::model::oracle::{Ended, Isolation, MarkerAt, Outcome, RunPlace, Stream};
use countersign::model::ruling::{Assurance, Cause, RootCause, Verdict};
use countersign::model::text::Foreign;
use serde_json::{Value as Json, json};
use toml::{Table, Value};

use super::build::{Laid, corpus, number, tables, text, texts};
use super::compare;
use crate::support::countersign;

const NAME: &str = "Mara";

/// Where a variant and a ruling of ours differ, with what comes out.
const OTHERWISE: &[(&str, &str)] = &[
    // a criterion that is still open may be called wrong, and that is ESCALATE in round 1 (K03);
    // `tests/truth/ruling.md` has this row
    (
        "reroll-blocker-open: a criterion more left open changes nothing",
        "UNDECIDED",
    ),
    // a criterion that was ratified on another head is stale, and stale prints as MISSING until it
    // is ruled again (A2); the variant takes it for open
    (
        "second-round-after-force-push: evidence of the old branch",
        "ESCALATE",
    ),
];

/// One bundle with one variant of it, or none.
struct Case {
    folder: PathBuf,
    bundle: Table,
    variant: Option<Table>,
    name: String,
}

impl Case {
    fn all() -> Vec<Self> {
        let mut out = Vec::new();
        let mut folders: Vec<PathBuf> = fs::read_dir(corpus())
            .expect("the corpus")
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.join("bundle.toml").exists())
            .collect();
        folders.sort();
        for folder in folders {
            let told = fs::read_to_string(folder.join("bundle.toml")).expect("a bundle");
            let bundle: Table = told.parse().expect("toml");
            let short = folder
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let variants = tables(&bundle, "variant").into_iter().cloned().map(Some);
            for variant in std::iter::once(None).chain(variants) {
                let name = match &variant {
                    Some(variant) => format!("{short}: {}", text(variant, "name")),
                    None => short.clone(),
                };
                out.push(Self {
                    folder: folder.clone(),
                    bundle: bundle.clone(),
                    variant,
                    name,
                });
            }
        }
        assert!(out.len() > 35, "the corpus has {} cases", out.len());
        out
    }

    fn input(&self, key: &str) -> Option<&Value> {
        let of = |table: &'_ Table| table.get("inputs").and_then(Value::as_table).cloned();
        let own = self.variant.as_ref().and_then(of);
        if own.is_some_and(|own| own.contains_key(key)) {
            let variant = self.variant.as_ref()?;
            return variant["inputs"].as_table()?.get(key);
        }
        self.bundle.get("inputs")?.as_table()?.get(key)
    }

    fn word(&self, key: &str) -> String {
        let found = self.input(key).and_then(Value::as_str);
        found.unwrap_or_default().to_owned()
    }

    fn pr(&self) -> Table {
        let mut pr = self.bundle["pr"].as_table().expect("a request").clone();
        if let Some(body) = self.variant.as_ref().and_then(|v| v.get("pr_body")) {
            pr.insert("body".into(), body.clone());
        }
        pr
    }

    fn both(&self, key: &str) -> Vec<Table> {
        let own = self.variant.iter().flat_map(|v| tables(v, key));
        tables(&self.bundle, key)
            .into_iter()
            .chain(own)
            .cloned()
            .collect()
    }

    fn decisions(&self) -> Vec<Table> {
        let without = self
            .variant
            .as_ref()
            .map(|v| texts(v, "without"))
            .unwrap_or_default();
        let on = |one: &Table| {
            let on = format!("{} {}", text(one, "on"), text(one, "id"));
            on.trim().to_owned()
        };
        let base = tables(&self.bundle, "decision");
        let kept = base.into_iter().filter(|one| !without.contains(&on(one)));
        let own = self.variant.iter().flat_map(|v| tables(v, "decision"));
        kept.chain(own).cloned().collect()
    }

    fn ruling(&self) -> Option<Table> {
        let variant = self.variant.as_ref();
        if variant.is_some_and(|v| v.get("unsigned").and_then(Value::as_bool) == Some(true)) {
            return None;
        }
        let own = variant.and_then(|v| v.get("ruling"));
        let found = own.or_else(|| self.bundle.get("ruling"));
        found.and_then(Value::as_table).cloned()
    }

    fn expect(&self) -> Table {
        let of = self.variant.as_ref().unwrap_or(&self.bundle);
        of["expect"].as_table().expect("an expectation").clone()
    }
}

/// A case laid out on disk.
struct Stage<'a> {
    case: &'a Case,
    home: tempfile::TempDir,
    laid: Laid,
    policy: Policy,
    head: String,
}

impl<'a> Stage<'a> {
    fn new(case: &'a Case) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let contract = fs::read_to_string(case.folder.join("contract.md")).unwrap_or_default();
        let absent = case
            .variant
            .as_ref()
            .map(|v| texts(v, "absent"))
            .unwrap_or_default();
        // what was judged before is still there while it is judged
        let laid = Laid::new(&home.path().join("w"), &case.bundle, &contract, &absent);
        let pr = case.pr();
        let refs = case.bundle["refs"].as_table().expect("refs");
        let head = laid.made[text(refs, text(&pr, "head"))].to_string();
        let mut logins = Logins::default();
        let mut lines = format!("name = \"{NAME}\"\n");
        for (class, key, list) in [
            ("panel", "panel-logins", &mut logins.panel),
            (
                "builtin-review",
                "builtin-review-logins",
                &mut logins.builtin_review,
            ),
            ("bot", "bot-logins", &mut logins.bot),
        ] {
            let actors = case.bundle.get("policy").and_then(|p| p.get("actors"));
            let actors = actors.and_then(Value::as_table).into_iter().flatten();
            for (login, given) in actors {
                if given.as_str() == Some(class) {
                    list.push(login.clone());
                }
            }
            if !list.is_empty() {
                lines.push_str(&format!("{key} = {list:?}\n"));
            }
        }
        let config = home.path().join("countersign/config");
        fs::create_dir_all(&config).expect("a folder");
        fs::write(config.join("config.toml"), lines).expect("written");
        Self {
            case,
            home,
            laid,
            policy: Policy {
                logins,
                ..Policy::default()
            },
            head,
        }
    }

    fn folders(&self) -> Folders {
        let home = self.home.path().join("countersign");
        Folders {
            config: home.join("config"),
            state: home.join("state"),
            cache: home.join("cache"),
        }
    }

    /// What the forge says of the request, in the shape of `gh pr view`.
    fn pull(&self, head: &str) -> Json {
        let pr = self.case.pr();
        json!({
            "number": number(&pr, "number"),
            "title": text(&pr, "title"),
            "body": self.laid.filled(text(&pr, "body")),
            "state": text(&pr, "state"),
            "mergeable": text(&pr, "mergeable"),
            "author": {"login": text(&pr, "author")},
            "baseRefName": text(&pr, "base"),
            "headRefName": text(&pr, "head"),
            "headRefOid": head,
        })
    }

    fn fill(&self, told: &str) -> String {
        let session = self.case.word("session");
        let session = if session.is_empty() {
            "{any}"
        } else {
            &session
        };
        let pr = self.case.pr();
        let body = json!(self.laid.filled(text(&pr, "body"))).to_string();
        let body = body.trim_matches('"');
        self.laid
            .filled(told)
            .replace("{pr.body}", body)
            .replace("{head}", &self.head)
            .replace("{session}", session)
            .replace("{worktree}", "w")
    }

    /// Writes the files that are given and returns the words of the command line.
    fn words(&self) -> Vec<String> {
        let home = self.home.path();
        let mut words = Vec::new();
        let mut give = |flag: &str, name: &str, text: String| {
            fs::write(home.join(name), text).expect("written");
            words.push(format!("--{flag}"));
            words.push(name.to_owned());
        };
        let threads = self.case.word("threads");
        let told = fs::read_to_string(self.case.folder.join("threads.json")).expect("threads");
        let whole = told.contains("\"headRefOid\"") && !told.contains("\"recorded\"");
        if threads.is_empty() || !whole {
            give("threads", "pull.json", self.pull(&self.head).to_string());
        }
        if !threads.is_empty() {
            give("threads", "threads.json", self.fill(&told));
        }
        let findings = self.case.word("findings");
        if !findings.is_empty() {
            let told = fs::read_to_string(self.case.folder.join(&findings)).expect("findings");
            give("findings", "findings.json", self.fill(&told));
        }
        if self.case.word("caller") == "gaze" {
            let phases: Vec<Json> = (2..=5)
                .map(|phase| json!({"phase": phase, "result": "skipped"}))
                .collect();
            let bundle = json!({
                "schema": "countersign/bundle/1", "caller": "gaze", "phases": phases,
                "gate_session_id": self.case.word("session"),
                "pr": number(&self.case.pr(), "number"),
            });
            give("bundle", "bundle.json", bundle.to_string());
        } else if !self.case.word("session").is_empty() {
            words.push("--session-id".into());
            words.push(self.case.word("session"));
        }
        if let Some(round) = self.case.input("round").and_then(Value::as_integer) {
            words.push("--round".into());
            words.push(round.to_string());
        }
        words
    }

    fn gather(&self, words: &[String]) -> Gathered {
        let of = |flag: &str| -> Vec<String> {
            let pairs = words
                .windows(2)
                .filter(|pair| pair[0] == format!("--{flag}"));
            pairs.map(|pair| pair[1].clone()).collect()
        };
        let path = |flag: &str| of(flag).first().map(PathBuf::from);
        let given = Given {
            dir: self.home.path().join("w"),
            base: None,
            contracts: Vec::new(),
            format: None,
            inputs: inputs(
                self.home.path(),
                &of("threads"),
                path("findings").as_deref(),
                path("bundle").as_deref(),
                of("round").first().and_then(|n| n.parse().ok()),
            )
            .expect("readable inputs"),
            policy: self.policy.clone(),
            name: Some(NAME.to_owned()),
            folders: self.folders(),
            reader: Some(env!("CARGO_BIN_EXE_countersign").into()),
            pull: None,
        };
        gather(&given).expect("a change")
    }

    /// Sits down, decides and signs.
    fn sit(&self, words: &[String]) {
        let mut gathered = self.gather(words);
        let mut book = Book::open(self, &gathered);
        for run in tables(&self.case.bundle, "run") {
            book.run(&mut gathered, &self.laid, run);
        }
        if self.case.word("threads").is_empty() {
            // the variant says nothing of it; without it no decision is open (FRG-1)
            let acknowledge: Table = "on = 'comments'\nact = 'acknowledge'"
                .parse()
                .expect("toml");
            self.decide(&mut book, &mut gathered, &acknowledge);
        }
        for one in self.case.decisions() {
            // nobody decides on a thread that was not read
            if self.case.word("threads").is_empty() && text(&one, "on") == "thread" {
                continue;
            }
            self.decide(&mut book, &mut gathered, &one);
        }
        if let Some(ruling) = self.case.ruling() {
            let judgment = judge(&gathered.dossier, &self.policy);
            let open = judgment.signing.iter().find(|row| row.closed.is_none());
            let verdict = open.expect("something can be signed").verdict;
            let class = RootCause::ALL
                .into_iter()
                .find(|class| class.word() == text(&ruling, "root_cause_class"));
            let sign_off = SignOff {
                verdict,
                root_cause: (verdict != Verdict::Approved)
                    .then(|| class.unwrap_or(RootCause::AgentError)),
                attack: text(&ruling, "rationale").to_owned(),
                typed: gathered.dossier.snapshot.head.abbreviated(6),
                edits: Vec::new(),
            };
            let ruled = rule(&gathered.dossier, &judgment, &self.policy, sign_off);
            book.append(Body::Ruling(ruled.expect("it is signed")));
        }
    }

    fn decide(&self, book: &mut Book, gathered: &mut Gathered, one: &Table) {
        let judgment = judge(&gathered.dossier, &self.policy);
        let subject = self.subject(gathered, one);
        let act = self.act(gathered, one);
        let seen = Seen {
            subject: subject.clone(),
            snapshot: gathered.dossier.snapshot.clone(),
            for_ms: 1_000,
            rows: vec!["TEXT".into()],
        };
        let dossier = &gathered.dossier;
        let decided = decide(dossier, &judgment, &self.policy, &subject, act, Some(seen));
        let refused = one.get("refused").and_then(Value::as_bool) == Some(true);
        match decided {
            Ok(decision) => {
                assert!(!refused, "{}: taken, not refused: {one:?}", self.case.name);
                let recorded = book.append(Body::Decision(decision.clone()));
                gathered.dossier.decisions.push(Recorded {
                    entry: recorded.0,
                    number: recorded.1,
                    value: decision,
                });
            }
            Err(why) => assert!(refused, "{}: {one:?}: {}", self.case.name, why.sentence()),
        }
    }

    fn subject(&self, gathered: &Gathered, one: &Table) -> Subject {
        let id = text(one, "id");
        let request = &gathered.dossier.request;
        match text(one, "on") {
            "criterion" => Subject::Criterion(CriterionId::new(id).expect("an id")),
            "scope" => Subject::ScopeFile(RepoPath::from(id)),
            "comments" => {
                let facts = request.threads.known().expect("threads");
                Subject::Review(Raised::Incomplete(facts.threads.digest))
            }
            "thread" => {
                let facts = request.threads.known().expect("threads");
                let named = |value: &str| {
                    value
                        .split(|c: char| !c.is_alphanumeric())
                        .any(|p| p == id || p.strip_prefix('r') == Some(id))
                };
                let at = facts.threads.threads.iter().position(|thread| {
                    let url = thread
                        .first
                        .url
                        .as_ref()
                        .and_then(|u| u.raw_str().map(str::to_owned));
                    named(&thread.id) || named(&thread.first.id) || url.is_some_and(|u| named(&u))
                });
                let at = at.unwrap_or_else(|| panic!("{}: no thread {id}", self.case.name));
                Subject::Review(facts.raised(at).expect("a thread"))
            }
            "finding" => {
                let (list, number) = id.split_once(' ').expect("a list and a number");
                assert_eq!(list, "simplify");
                let number: usize = number.parse().expect("a number");
                let findings = request.findings.known().expect("findings");
                Subject::Review(Raised::Finding(findings.simplify[number - 1].id()))
            }
            other => panic!("{other}"),
        }
    }

    fn act(&self, gathered: &Gathered, one: &Table) -> Act {
        let word = |key: &str| text(one, key).to_owned();
        match (text(one, "on"), text(one, "act")) {
            (_, "ratify") => Act::Ratify {
                evidence: self.evidence(gathered, one),
            },
            (_, "kick-back") => Act::KickBack {
                cause: Cause::ALL
                    .into_iter()
                    .find(|cause| cause.word() == text(one, "cause"))
                    .unwrap_or(Cause::Implementation),
                text: word("text"),
            },
            (_, "accept-partial") => Act::AcceptPartial {
                reason: word("reason"),
            },
            (_, "acknowledge") => Act::Acknowledge,
            ("scope", "accept") => Act::ScopeAccept,
            ("scope", "ticket") => Act::ScopeTicket { text: word("ref") },
            ("scope", "escalate") => Act::ScopeEscalate {
                text: "Who allows it?".into(),
            },
            ("scope", "decline") => Act::ScopeDecline { text: word("text") },
            ("thread", "addressed") => Act::Answer(Answer::Addressed {
                commit: Some(self.oid(text(one, "commit"))),
                at: number(one, "line").map(|line| {
                    (
                        RepoPath::from(text(one, "path")),
                        u32::try_from(line).expect("a line"),
                    )
                }),
            }),
            ("thread", "not-actionable") => Act::Answer(Answer::NotActionable {
                why: word("reason"),
            }),
            ("thread", "ticketed") => Act::Answer(Answer::Ticketed { text: word("ref") }),
            ("thread", "tag") => {
                Act::Answer(Answer::Tagged(Tag::parse(text(one, "tag")).expect("a tag")))
            }
            ("finding", "accept-waiver") => Act::Answer(Answer::WaiverHolds { why: word("text") }),
            ("finding", "refuse-waiver") => {
                Act::Answer(Answer::WaiverRefused { why: word("text") })
            }
            (on, act) => panic!("{on} {act}"),
        }
    }

    fn oid(&self, name: &str) -> Oid {
        Oid::parse(&self.laid.made[name].to_string()).expect("an id")
    }

    fn evidence(&self, gathered: &Gathered, one: &Table) -> Vec<Evidence> {
        let of = one["evidence"].as_table().expect("evidence");
        vec![match text(of, "kind") {
            "change" => Evidence::Change {
                commit: self.oid(text(of, "commit")),
                path: RepoPath::from(text(of, "path")),
                line: u32::try_from(number(of, "line").expect("a line")).expect("small"),
            },
            "test" => {
                let id = text(of, "id");
                let (path, line) = self.test(gathered, id);
                Evidence::Test {
                    id: Foreign::from(id),
                    path,
                    line,
                }
            }
            "oracle" => {
                let run = gathered.dossier.runs.iter().rev();
                let id = CriterionId::new(text(one, "id")).expect("an id");
                let mut runs = run.filter(|run| run.criterion == id);
                Evidence::Run(runs.next().expect("a run").entry)
            }
            "rationale" => Evidence::Rationale(text(of, "ref").to_owned()),
            other => panic!("{other}"),
        }]
    }

    /// Where a test stands at the head: the file and line that hold its name.
    fn test(&self, gathered: &Gathered, id: &str) -> (RepoPath, u32) {
        let name = id.rsplit("::").next().expect("a name");
        for file in gathered.dossier.files.known().expect("files") {
            let path = String::from_utf8_lossy(file.path.as_bytes()).into_owned();
            let text = fs::read_to_string(self.home.path().join("w").join(&path));
            let text = text.unwrap_or_default();
            let line = text.lines().position(|line| line.contains(name));
            if let (Some(line), true) = (line, path.contains("test")) {
                return (file.path.clone(), u32::try_from(line + 1).expect("small"));
            }
        }
        panic!("{}: no test {id}", self.case.name)
    }

    /// What earlier sittings recorded: their decisions through the door, their rulings as told.
    fn earlier(&self) {
        let pr = self.case.pr();
        let now = self.case.bundle["refs"][text(&pr, "head")]
            .as_str()
            .expect("a commit");
        for one in self.case.both("earlier") {
            self.laid.stand_at(text(&pr, "head"), text(&one, "head"));
            let head = self.laid.made[text(&one, "head")].to_string();
            let mut pull = json!({
                "number": number(&pr, "number"), "title": text(&pr, "title"),
                "body": self.laid.filled(text(&pr, "body")), "author": text(&pr, "author"),
            });
            pull["head"] = json!(head);
            let threads = json!({"schema": "countersign/threads/1", "complete": true,
                "threads": [], "pull": pull});
            fs::write(self.home.path().join("then.json"), threads.to_string()).expect("written");
            let words = ["--threads".to_owned(), "then.json".to_owned()];
            let mut gathered = self.gather(&words);
            let mut book = Book::open(self, &gathered);
            for decision in tables(&one, "decision") {
                self.decide(&mut book, &mut gathered, decision);
            }
            let verdict = [Verdict::Approved, Verdict::Reroll, Verdict::Escalate]
                .into_iter()
                .find(|verdict| verdict.word() == text(&one, "verdict"))
                .expect("a verdict");
            let decided = gathered.dossier.decisions.iter().map(|d| d.entry);
            book.append(Body::Ruling(replayed::ruling(RulingFields {
                verdict,
                snapshot: gathered.dossier.snapshot.clone(),
                by: NAME.to_owned(),
                assurance: Assurance::Present,
                round: u32::try_from(number(&one, "round").expect("a round")).expect("small"),
                root_cause: (verdict != Verdict::Approved).then_some(RootCause::AgentError),
                attack: "As told.".to_owned(),
                trace: Vec::new(),
                decisions: decided.collect(),
                edits: Vec::new(),
                partial: false,
                floor_bounce: false,
            })));
        }
        self.laid.stand_at(text(&pr, "head"), now);
    }

    fn print(&self, words: &[String], form: &str) -> (i32, String) {
        let mut command = countersign(self.home.path());
        command
            .current_dir(self.home.path())
            .args(["verify", "w", "--format", form]);
        let out = command.args(words).output().expect("it runs");
        let printed = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(
            !printed.is_empty(),
            "{}: {}",
            self.case.name,
            String::from_utf8_lossy(&out.stderr)
        );
        (out.status.code().unwrap_or(-1), printed)
    }
}

/// The ledger of one sitting.
struct Book {
    writer: Writer,
    number: u64,
}

impl Book {
    fn open(stage: &Stage<'_>, gathered: &Gathered) -> Self {
        let opened = &gathered.opened;
        let store = LedgerStore::new(&stage.folders(), opened.change.repository);
        let contract = opened.contract.known();
        let begun = Opened {
            own_work: false,
            repository: opened.change.repository,
            change: opened.change.key.clone(),
            snapshot: opened.snapshot.clone(),
            contract: contract.map(|record| record.contract.path.clone()),
            request: None,
            by: Some(NAME.to_owned()),
            agent_marks: Vec::new(),
        };
        let number = gathered.history.log.len() as u64 + 1;
        Self {
            writer: store.writer(&gathered.history, begun).expect("a shard"),
            number,
        }
    }

    fn append(&mut self, body: Body) -> (countersign::model::id::EntryId, u64) {
        let id = new_id().expect("an id");
        self.writer.append(id, body, || Ok(())).expect("recorded");
        self.number += 1;
        (id, self.number)
    }

    fn run(&mut self, gathered: &mut Gathered, laid: &Laid, one: &Table) {
        let dossier = &gathered.dossier;
        let id = CriterionId::new(text(one, "criterion")).expect("an id");
        let contract = &dossier.contract.known().expect("a contract").contract;
        let oracle = contract
            .criterion(&id)
            .expect("a criterion")
            .oracle
            .as_ref();
        let head = laid.made[text(one, "commit")].to_string();
        let head = Oid::parse(&head).expect("an id");
        assert_eq!(head, dossier.snapshot.head);
        let mut fact = RunFact {
            entry: new_id().expect("an id"),
            number: 0,
            criterion: id,
            oracle: oracle.expect("an oracle").digest(),
            head,
            tree: dossier.snapshot.tree,
            outcome: Outcome::Met,
            ended: Ended::Exited(i32::try_from(number(one, "exit").expect("exit")).expect("small")),
            marker: one["marker"]
                .as_bool()
                .expect("a flag")
                .then_some(MarkerAt {
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
        };
        self.writer
            .append(fact.entry, Body::Run(fact.clone()), || Ok(()))
            .expect("recorded");
        self.number += 1;
        fact.number = self.number;
        gathered.dossier.runs.push(fact);
    }
}

fn listed(value: &Json) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items
        .filter_map(|one| one.as_str().map(str::to_owned))
        .collect()
}

/// What a table of expectations says against the printed JSON.
fn expected(expect: &Table, printed: &Json, code: i32, wrong: &mut Vec<String>) {
    for (key, wanted) in expect {
        let got = &printed[key.as_str()];
        let ok = match (key.as_str(), wanted) {
            ("exit", Value::Integer(exit)) => i64::from(code) == *exit,
            ("never", Value::Array(words)) => {
                words.iter().all(|word| got_word(printed) != word.as_str())
            }
            ("triggers", Value::Array(words)) => {
                let mut wanted: Vec<String> = words
                    .iter()
                    .filter_map(|w| w.as_str().map(str::to_owned))
                    .collect();
                let mut got = listed(got);
                wanted.sort();
                got.sort();
                wanted == got
            }
            (_, Value::String(word)) => got.as_str() == Some(word),
            (_, Value::Integer(n)) => got.as_i64() == Some(*n),
            (_, Value::Boolean(is)) => got.as_bool() == Some(*is),
            (key, wanted) => panic!("{key} = {wanted}"),
        };
        if !ok {
            wrong.push(format!("{key}: {got} (exit {code}), not {wanted}"));
        }
    }
}

fn got_word(printed: &Json) -> Option<&str> {
    printed["verdict"].as_str()
}

fn check(case: &Case) -> Vec<String> {
    let stage = Stage::new(case);
    let mut wrong = Vec::new();
    stage.earlier();
    stage.laid.lose();
    let words = stage.words();
    stage.sit(&words);
    if let Some(push) = case
        .variant
        .as_ref()
        .map(|v| text(v, "push"))
        .filter(|p| !p.is_empty())
    {
        stage.laid.stand_at(text(&case.pr(), "head"), push);
    }
    let (code, printed) = stage.print(&words, "json");
    let json: Json = serde_json::from_str(&printed).expect("JSON");
    match OTHERWISE.iter().find(|(name, _)| *name == case.name) {
        Some((_, verdict)) => assert_eq!(got_word(&json), Some(*verdict), "{}", case.name),
        None => expected(&case.expect(), &json, code, &mut wrong),
    }
    if case.variant.is_none() {
        whole(&stage, &words, &json, code, &mut wrong);
    }
    if !wrong.is_empty() {
        wrong.push(format!(
            "breakers {} undecided {} trace {:#}",
            json["breakers"], json["undecided"], json["trace"]
        ));
    }
    wrong
}

/// All three forms of the case itself.
fn whole(stage: &Stage<'_>, words: &[String], json: &Json, code: i32, wrong: &mut Vec<String>) {
    let told = |name: &str| {
        let path = stage.case.folder.join(name);
        stage.fill(&fs::read_to_string(path).expect("an expectation"))
    };
    let wanted: Json = serde_json::from_str(&told("expected.json")).expect("JSON");
    compare::part("json", &wanted, json, wrong);
    let (yaml_code, yaml) = stage.print(words, "yaml");
    assert_eq!(yaml_code, code);
    let wanted = super::given::yaml(&told("expected.yaml"));
    compare::whole("yaml", &wanted, &super::given::yaml(&yaml), wrong);
    let (_, comment) = stage.print(words, "comment");
    compare::comment(&told("expected.md"), &comment, wrong);
}

#[test]
fn every_bundle_and_variant_gives_its_verdict() {
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let only = std::env::var("BUNDLE").unwrap_or_default();
    for case in Case::all().iter().filter(|case| case.name.contains(&only)) {
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(case)));
        let found = found.unwrap_or_else(|_| vec!["it could not be played".to_owned()]);
        if !found.is_empty() {
            wrong.insert(case.name.clone(), found);
        }
    }
    let told: Vec<String> = wrong
        .iter()
        .map(|(name, found)| format!("## {name}\n{}", found.join("\n")))
        .collect();
    assert!(
        told.is_empty(),
        "{} differ\n{}",
        told.len(),
        told.join("\n\n")
    );
}

/// A folder of the corpus without a test would be an expectation nobody looks at.
#[test]
fn every_folder_has_all_its_files() {
    for case in Case::all() {
        for name in [
            "expected.yaml",
            "expected.md",
            "expected.json",
            "threads.json",
            "why.md",
        ] {
            assert!(
                Path::new(&case.folder).join(name).exists(),
                "{} {name}",
                case.name
            );
        }
    }
}
