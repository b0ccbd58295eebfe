//! Noticing that head, base, contract or worktree moved (GIT-10, GIT-15), and keeping what was
//! judged.

use std::sync::mpsc::channel;
use std::time::Duration;

use countersign::adapters::git::heads::Answer;
use countersign::adapters::git::keep::keep;
use countersign::adapters::git::watch::{EVERY, watch};
use countersign::adapters::reader::{Question, Reply};
use countersign::model::id::Digest;

use super::repo::{PATIENCE, Repo, Review};

fn heads(review: &mut Review) -> Answer {
    let question = review.opened.heads();
    let ticket = review.asker.ask(Question::Heads(question));
    match review.asker.reply(ticket) {
        Reply::Heads(Ok(answer)) => *answer,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_movement_is_noticed_and_named() {
    let repo = Repo::with_change();
    repo.write("GATES.md", super::contracts::GATES);
    let first = repo.commit("work");
    let mut review = repo.review();
    let contract = review.opened.snapshot.contract.expect("a contract");
    let start = heads(&mut review);
    assert_eq!(start.head, Some(first.0));
    assert_eq!(start.base, Some(repo.id("main").0));
    assert_eq!(
        start.branch.as_deref().map(Vec::as_slice),
        Some(&b"refs/heads/change"[..])
    );
    assert_eq!(start.contract, Some(contract.0));
    assert!(!start.worktree_gone);

    let (moved, news) = channel();
    let _watch = watch(review.opened.watched(), EVERY, move || {
        let _ = moved.send(());
    })
    .unwrap();
    let noticed = |what: &str| {
        news.recv_timeout(PATIENCE)
            .unwrap_or_else(|_| panic!("{what}"));
    };

    let second = repo.commit("more work");
    noticed("a commit");
    assert_eq!(heads(&mut review).head, Some(second.0));
    repo.git(&["branch", "-f", "main", "change"]);
    noticed("a moved base");
    assert_eq!(heads(&mut review).base, Some(second.0));
    repo.write("GATES.md", "# Gates\n");
    noticed("an edited contract");
    assert_eq!(
        heads(&mut review).contract,
        Some(Digest::of(b"# Gates\n").0)
    );
    repo.git(&["pack-refs", "--all"]);
    noticed("packed refs");
    assert_eq!(heads(&mut review).head, Some(second.0));
    repo.git(&["update-ref", "-d", "refs/heads/main"]);
    noticed("a deleted base");
    assert_eq!(heads(&mut review).base, None);
    repo.git(&["update-ref", "-d", "refs/heads/change"]);
    noticed("a deleted branch");
    assert_eq!(heads(&mut review).head, None);
    std::fs::rename(&repo.top, repo.home().join("elsewhere")).unwrap();
    noticed("a worktree that went away");
    assert!(heads(&mut review).worktree_gone);
}

#[test]
fn nothing_moves_at_rest() {
    let repo = Repo::with_change();
    repo.commit("work");
    let review = repo.review();
    let watched = review.opened.watched();
    let before = watched.stamp();
    assert!(before.iter().any(Option::is_some));
    for _ in 0..100 {
        assert_eq!(watched.stamp(), before);
    }
    let (moved, news) = channel::<()>();
    let running = watch(watched, Duration::from_millis(1), move || {
        let _ = moved.send(());
    });
    // a second passes, because no watch looks more often
    assert!(news.recv_timeout(EVERY + EVERY / 2).is_err());
    drop(running);
}

/// No waiting for a lock.
const NOW: Duration = Duration::ZERO;

#[test]
fn judged_objects_outlive_their_branch() {
    let repo = Repo::with_change();
    repo.write("a.txt", "kept\n");
    let head = repo.commit("work");
    let subject = Digest::of(b"a change");
    let name = keep(&repo.top.join(".git"), &subject, head, NOW).unwrap();
    assert_eq!(name, format!("refs/countersign/keep/{}", subject.short()));
    assert_eq!(repo.id(&name), head);
    assert_eq!(
        keep(&repo.top.join(".git"), &subject, head, NOW).unwrap(),
        name
    );
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["branch", "-q", "-D", "change"]);
    repo.git(&["reflog", "expire", "--expire=now", "--all"]);
    repo.git(&["gc", "-q", "--prune=now"]);
    assert_eq!(
        repo.git(&["cat-file", "-p", &format!("{head}:a.txt")]),
        "kept"
    );
}

#[test]
fn a_planted_link_does_not_lead_the_ref_away() {
    let repo = Repo::with_change();
    let head = repo.commit("work");
    let outside = repo.home().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, repo.top.join(".git/refs/countersign")).unwrap();
    let error = keep(&repo.top.join(".git"), &Digest::of(b"x"), head, NOW).unwrap_err();
    assert!(error.says().contains("cannot be written"), "{error}");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    std::fs::remove_file(repo.top.join(".git/refs/countersign")).unwrap();
    let digest = Digest::of(b"x");
    let lock = format!(".git/refs/countersign/keep/{}.lock", digest.short());
    repo.write(&lock, "");
    let held = keep(&repo.top.join(".git"), &digest, head, NOW).unwrap_err();
    assert!(
        held.says().contains(".lock is held by another writer"),
        "{held}"
    );
    assert!(
        repo.top.join(&lock).exists(),
        "no lock of another is removed"
    );
}

#[test]
fn the_lock_of_another_is_waited_for_and_its_end_taken_up() {
    let repo = Repo::with_change();
    let head = repo.commit("work");
    let digest = Digest::of(b"x");
    let lock = repo.top.join(format!(
        ".git/refs/countersign/keep/{}.lock",
        digest.short()
    ));
    std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
    std::fs::write(&lock, "").unwrap();
    let other = {
        let lock = lock.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(60));
            std::fs::remove_file(lock).unwrap();
        })
    };
    let name = keep(
        &repo.top.join(".git"),
        &digest,
        head,
        Duration::from_secs(20),
    )
    .unwrap();
    other.join().unwrap();
    assert_eq!(repo.id(&name), head);
    assert!(!lock.exists());
}
