//! Two people, two clones, one remote: from two decisions against each other to one that settles
//! them, in the words of both sessions and of the commands around them.

use super::{Talk, kinds};
use crate::pty::seat::Seat;
use crate::support::hand_over;

/// A bare repository that both may write to.
fn remote() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    git2::Repository::init_bare(folder.path().join("team.git")).expect("a bare repository");
    hand_over(folder.path());
    folder
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn said(seat: &Seat, words: &[&str]) -> String {
    let output = seat.command(words).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{words:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn two_peoples_sessions_on_two_clones_are_merged_and_settled() {
    let shared = remote();
    let url = shared.path().join("team.git");
    let sync = ["ledger", "sync", url.to_str().expect("text")];
    let (ada, bo) = (Seat::new(), Seat::new());

    // Neither knows of the other.
    let mut of_ada = Talk::open(&ada);
    drop(of_ada.types("1"));
    of_ada.affirms("r 1", "ratified 1 on run");
    let mut of_bo = Talk::open(&bo);
    drop(of_bo.types("1"));
    of_bo.writes(&["b 1", "1", "Not the 25th.", "."], "kicked back 1");

    // Bo's kick back reaches Ada's running session, and Ada's yes reaches Bo's.
    said(&bo, &sync);
    let text = said(&ada, &sync);
    let conflict =
        "CONFLICT criterion 1: ratified by nobody and kicked back by nobody (claimed) differ";
    let turned =
        "CONFLICT criterion 1: kicked back by nobody (claimed) and ratified by nobody differ";
    assert!(text.contains(conflict) || text.contains(turned), "{text}");
    assert!(
        text.contains("the stricter") && text.contains("ledger ok"),
        "{text}"
    );
    of_ada.told("told: another console recorded");
    of_ada.says("S", "Closed: another console recorded");
    drop(of_ada.types("F5"));
    let shown = flat(&of_ada.types("1"));
    for words in [
        "criterion 1, kicked back",
        "conflict: ",
        "ratified by",
        "kicked back by",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    said(&bo, &sync);
    of_bo.told("told: another console recorded");
    drop(of_bo.types("F5"));
    let shown = flat(&of_bo.types("1"));
    for words in ["criterion 1, kicked back", "conflict: ", "ratified by"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    for seat in [&ada, &bo] {
        let log = said(seat, &["ledger", "log"]);
        assert!(log.contains("CONFLICT criterion 1: "), "{log}");
        assert!(log.contains("counts, the stricter"), "{log}");
    }

    // A session that is opened only now shows it as well.
    let mut later = Talk::open(&ada);
    let shown = flat(&later.types("1"));
    assert!(shown.contains("conflict: "), "{shown}");
    drop(later);

    // Bo has read both and agrees with Ada: his entry settles it, there and here.
    of_bo.affirms("r 1", "ratified 1 on run");
    said(&bo, &sync);
    said(&ada, &sync);
    let log = said(&bo, &["ledger", "log"]);
    assert!(!log.contains("CONFLICT"), "{log}");
    of_ada.told("told: another console recorded");
    drop(of_ada.types("F5"));
    drop(of_ada.types("1"));
    of_ada.affirms("r 1", "ratified 1 on run");
    said(&ada, &sync);
    said(&bo, &sync);
    for seat in [&ada, &bo] {
        let log = said(seat, &["ledger", "log"]);
        assert!(!log.contains("CONFLICT"), "{log}");
        assert_eq!(
            said(seat, &["ledger", "verify"]).matches("tamper").count(),
            0
        );
    }
    assert_eq!(
        (kinds(&ada, "decision"), kinds(&bo, "decision")),
        (2, 2),
        "each keeps its own"
    );

    // A third clone that never decided anything reads all of it.
    let cy = Seat::new();
    let text = said(&cy, &sync);
    assert!(text.contains("from 2 other writers"), "{text}");
    let log = said(&cy, &["ledger", "log"]);
    let decided = |word: &str| {
        let lines = log.lines().filter(|line| line.contains(" decision "));
        lines.filter(|line| line.contains(word)).count()
    };
    assert_eq!(decided("criterion 1: kicked back"), 1, "{log}");
    assert_eq!(decided("criterion 1: ratified"), 3, "{log}");
}
