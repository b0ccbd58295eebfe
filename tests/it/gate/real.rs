//! The same sequences on a real repository: git makes the commits, the reader finds the snapshots
//! and what lies between them, and the rules say what the account of the words says.

use std::cell::RefCell;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use countersign::adapters::reader::{Order, Question, Reply};
use countersign::gate::dossier::Subject;
use countersign::model::oracle::Outcome;
use countersign::model::snapshot::Snapshot;
use countersign::model::text::Foreign;
use countersign::runtime::earlier::earlier_heads;

use super::sequences::{account, sequences};
use super::world::*;
use crate::git::repo::{Asker, Repo, run};

/// One of so many sequences of three and four events is tried; all shorter ones are.
const ONE_IN: usize = 23;

/// The file that a commit of the branch sets, and what stood there before.
#[derive(Clone)]
struct Made {
    file: String,
    now: Option<String>,
    before: Option<String>,
}

struct Branch {
    repo: Repo,
    /// A worktree of `main`.
    base: PathBuf,
    base_start: String,
    start: String,
    fresh: u32,
    commits: Vec<Made>,
}

impl Branch {
    /// `main` with one commit, `change` with two on it, A and B.
    fn new() -> Self {
        let repo = Repo::new();
        repo.write("own.txt", "winter\n");
        repo.commit("start");
        let base_start = repo.git(&["rev-parse", "HEAD"]);
        repo.git(&["checkout", "-q", "-b", "change"]);
        let base = repo.home().canonicalize().expect("a folder").join("main");
        repo.git(&[
            "worktree",
            "add",
            "-q",
            base.to_str().expect("a name"),
            "main",
        ]);
        let mut branch = Self {
            repo,
            base,
            base_start,
            start: String::new(),
            fresh: 0,
            commits: Vec::new(),
        };
        branch.happens("push");
        branch.happens("push");
        branch.start = branch.repo.git(&["rev-parse", "HEAD"]);
        branch
    }

    fn next(&mut self) -> String {
        self.fresh += 1;
        self.fresh.to_string()
    }

    /// Back to where every sequence begins.
    fn begin(&mut self) {
        self.happens("force-back");
        run(&self.base, &["reset", "-q", "--hard", &self.base_start]);
    }

    fn write(&self, dir: &Path, file: &str, text: Option<&str>) {
        match text {
            Some(text) => std::fs::write(dir.join(file), format!("{text}\n")).expect("written"),
            None => std::fs::remove_file(dir.join(file)).expect("removed"),
        }
    }

    fn happens(&mut self, what: &str) {
        let top = self.repo.top.clone();
        let last = self.commits.last().cloned();
        match (what, last) {
            ("push", _) => {
                let (file, now) = (format!("f{}", self.next()), self.next());
                self.write(&top, &file, Some(&now));
                self.repo.git(&["add", "-A"]);
                self.repo
                    .git(&["commit", "-q", "-m", &format!("sets {file}")]);
                self.commits.push(Made {
                    file,
                    now: Some(now),
                    before: None,
                });
            }
            ("amend", Some(last)) => {
                let now = self.next();
                self.write(&top, &last.file, Some(&now));
                self.repo.git(&["add", "-A"]);
                self.repo.git(&["commit", "-q", "--amend", "--no-edit"]);
                self.commits.last_mut().expect("one").now = Some(now);
            }
            ("drop", Some(_)) => {
                self.repo.git(&["reset", "-q", "--hard", "HEAD^"]);
                self.commits.pop();
            }
            ("revert", Some(last)) => {
                self.repo.git(&["revert", "--no-edit", "HEAD"]);
                self.commits.push(Made {
                    now: last.before,
                    before: last.now,
                    file: last.file,
                });
            }
            ("rebase", _) => drop(self.repo.git(&["rebase", "-q", "main"])),
            ("force-back", _) => {
                let start = self.start.clone();
                self.repo.git(&["reset", "-q", "--hard", &start]);
                self.commits.truncate(0);
                for at in [1, 3] {
                    self.commits.push(Made {
                        file: format!("f{at}"),
                        now: Some((at + 1).to_string()),
                        before: None,
                    });
                }
            }
            ("base move", _) => {
                let file = format!("base{}", self.next());
                self.write(&self.base, &file, Some("moved"));
                run(&self.base, &["add", "-A"]);
                run(
                    &self.base,
                    &["commit", "-q", "-m", &format!("base: {file}")],
                );
            }
            // nothing of the branch is left that could be amended, dropped or reverted
            ("amend" | "drop" | "revert", None) => {}
            (other, _) => panic!("nothing is known of {other:?}"),
        }
    }

    fn snapshot(&self, asker: &mut Asker) -> Snapshot {
        let order = Order {
            base: Some("main".to_owned()),
            ..self.repo.order()
        };
        let opened = asker.open(order).expect("it opens");
        asker.files();
        opened.snapshot
    }
}

/// Where 1 and 2 stand, and what is offered, by the rules over what the reader found.
fn by_rule(start: &Snapshot, now: Snapshot, asker: Asker) -> ((String, String, String), Asker) {
    let mut world = World::new();
    world.dossier.snapshot = start.clone();
    let mut world = world.runnable("1").manual("2").runnable("3");
    let third = &mut world.record().contract.criteria[2];
    let oracle = third.oracle.as_mut().expect("an oracle");
    oracle.check = Foreign::from("grep -q winter own.txt && echo 3-ok");
    let digest = oracle.digest();
    let mut world = world.ran("1", Outcome::Met).ran("3", Outcome::Met);
    world.dossier.runs[1].oracle = digest;
    let world = world.decided(&criterion("1"), ratify());
    let world = world.decided(&criterion("2"), because("bin/ferry does it"));
    let mut world = world.decided(&criterion("3"), ratify());
    world.dossier.snapshot = now;
    let asker = RefCell::new(asker);
    world.dossier.earlier = earlier_heads(&world.dossier, |question| {
        let mut asker = asker.borrow_mut();
        let ticket = asker.ask(Question::Round(question));
        match asker.reply(ticket) {
            Reply::Round(Ok(answer)) => Ok(*answer),
            other => panic!("{other:?}"),
        }
    });
    let judgment = world.judge();
    let word = |name: &str| judgment.item(&criterion(name)).expect("an item").word;
    let offers = judgment.offers.iter().filter(|o| o.carries.is_offered());
    let offers = offers.map(|offer| match &offer.subject {
        Subject::Criterion(id) => id.to_string(),
        other => panic!("{other:?}"),
    });
    let offers: Vec<String> = offers.collect();
    let found = (word("1").to_owned(), word("2").to_owned(), offers.join(" "));
    (found, asker.into_inner())
}

#[test]
fn a_sample_of_the_sequences_on_a_real_repository_is_as_the_words_say() {
    let mut branch = Branch::new();
    let mut asker = Asker::new();
    let start = branch.snapshot(&mut asker);
    let all = sequences(4);
    let short = |at: usize, events: &Vec<&str>| events.len() < 3 || at.is_multiple_of(ONE_IN);
    let sample = all.iter().enumerate().filter(|(at, one)| short(*at, one));
    let (mut tried, mut offered) = (0, 0);
    for (_, events) in sample {
        branch.begin();
        for what in events {
            branch.happens(what);
        }
        let now = branch.snapshot(&mut asker);
        let found;
        (found, asker) = by_rule(&start, now, asker);
        let (one, two, offers) = account(events);
        assert_eq!(found, (one.into(), two.into(), offers), "{events:?}");
        tried += 1;
        offered += usize::from(!found.2.is_empty());
    }
    let says = format!("sequences on a real repository: {tried} agree, {offered} with offers");
    writeln!(std::io::stdout().lock(), "{says}").expect("written");
    assert!(tried > 150 && offered > 15, "{tried} {offered}");
}

/// The comparison itself: what is gone comes first, commits stand beside their twins, the base's
/// own files are named apart, and a file that the base changed under the branch is not the same.
#[test]
fn a_rebase_is_read_commit_by_commit_and_file_by_file() {
    let repo = Repo::new();
    repo.write("shared.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    repo.write("own.txt", "winter\n");
    repo.commit("start");
    repo.git(&["checkout", "-q", "-b", "change"]);
    repo.write("shared.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    let kept = repo.commit("keeps");
    repo.write("gone.txt", "x\n");
    let dropped = repo.commit("dropped");
    repo.write("b.txt", "1\n");
    repo.commit("reworked");
    let mut review = repo.review();
    let then = review.opened.snapshot.clone();
    repo.git(&["checkout", "-q", "main"]);
    repo.write("shared.txt", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    repo.commit("base");
    repo.git(&["checkout", "-q", "change"]);
    repo.git(&["rebase", "-q", "--onto", "main", "main~1", "HEAD~2"]);
    repo.write("b.txt", "2\n");
    repo.commit("reworked");
    repo.write("new.txt", "1\n");
    repo.commit("new");
    repo.git(&["branch", "-q", "-f", "change"]);
    repo.git(&["checkout", "-q", "change"]);
    let order = Order {
        base: Some("main".to_owned()),
        ..repo.order()
    };
    let opened = review.asker.open(order).expect("it opens");
    let mut world = World::new();
    world.dossier.snapshot = then;
    let world = world.manual("1");
    let mut world = world.decided(&criterion("1"), because("bin/ferry does it"));
    world.dossier.snapshot = opened.snapshot;
    let asker = RefCell::new(review.asker);
    let earlier = earlier_heads(&world.dossier, |mut question| {
        question.named = ["shared.txt", "own.txt", "not-there.txt"]
            .map(serde_bytes::ByteBuf::from)
            .to_vec();
        let mut asker = asker.borrow_mut();
        let ticket = asker.ask(Question::Round(question));
        match asker.reply(ticket) {
            Reply::Round(Ok(answer)) => Ok(*answer),
            other => panic!("{other:?}"),
        }
    });
    let between = earlier[0].between.known().expect("compared");
    let names = |all: &[countersign::model::id::RepoPath]| {
        let all = all.iter();
        let all: Vec<_> = all
            .map(|path| String::from_utf8_lossy(path.as_bytes()).into_owned())
            .collect();
        all.join(" ")
    };
    assert_eq!(names(&between.gone), "gone.txt");
    assert_eq!(names(&between.changed), "b.txt new.txt");
    assert_eq!(
        (names(&between.base), between.base_total),
        ("shared.txt".into(), 1)
    );
    assert_eq!(names(&between.same), "own.txt");
    let pairs: Vec<_> = between
        .pairs()
        .iter()
        .map(|pair| {
            let subject = String::from_utf8_lossy(pair.subject.raw()).into_owned();
            (subject, pair.then, pair.now.is_some(), pair.same)
        })
        .collect();
    assert_eq!(pairs.len(), 4, "{pairs:?}");
    assert_eq!(pairs[0], ("dropped".into(), Some(dropped), false, false));
    assert_eq!(pairs[1], ("keeps".into(), Some(kept), true, true));
    assert_eq!((pairs[2].0.as_str(), pairs[2].3), ("reworked", false));
    assert!(
        pairs[2].1.is_some() && pairs[2].2,
        "beside each other by name"
    );
    assert_eq!(pairs[3], ("new".into(), None, true, false));
}
