//! Bug log, row 9: a verification that was overtaken by a push.

use super::Talk;
use crate::pty::seat::Seat;

/// The oracle takes seconds; meanwhile somebody pushes. Its run passes and proves nothing: it is
/// recorded with both heads, and nothing can be ratified on it.
#[test]
fn row_9_a_run_that_a_push_overtook_names_both_heads_and_proves_nothing() {
    let seat = Seat::new();
    let git = |words: &[&str]| {
        let before = ["-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null"];
        let all: Vec<&str> = before.iter().chain(words).copied().collect();
        crate::git::repo::run(&seat.worktree(), &all)
    };
    let from = git(&["rev-parse", "HEAD"]);
    let mut talk = Talk::open(&seat);
    drop(talk.types("6"));
    drop(talk.types("x 6"));
    drop(talk.types("trust 6"));
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !talk.types("6").contains("RUNNING") {
        assert!(std::time::Instant::now() < end, "{}", talk.text());
    }
    git(&["commit", "-q", "--allow-empty", "-m", "pushed meanwhile"]);
    let to = git(&["rev-parse", "HEAD"]);
    let short = |oid: &str| oid.get(..7).unwrap_or_default().to_owned();
    let said = format!(
        "told: 6 overtaken: started on {}, head is {}",
        short(&from),
        short(&to)
    );
    talk.told(&said);
    let both = format!("\"overtaken\":[\"{from}\",\"{to}\"]");
    let lines = seat.ledger();
    let run = lines.iter().find(|line| line.contains(&both));
    let run = run.expect("it is recorded with both heads");
    assert!(run.contains(&format!("\"head\":\"{from}\"")), "{run}");

    // On the old head as on the new one it is no evidence.
    drop(talk.types("F5"));
    let shown = talk.types("6");
    let words: Vec<&str> = shown.split_whitespace().collect();
    let shown = words.join(" ");
    assert!(!shown.contains("criterion 6, passing"), "{shown}");
    assert!(shown.contains("overtaken"), "{shown}");
    talk.says("r 6", "Closed: 6 ");
}
