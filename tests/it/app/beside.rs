//! What lies beside the change stands in the list and before the signature, and is never owed.

use countersign::app::fixture;
use countersign::app::msg::Msg;
use countersign::app::pane::compose;
use countersign::app::row::Row;
use countersign::model::id::RepoPath;
use countersign::model::known::Reason;
use countersign::model::snapshot::{Look, RepositoryNote, SomePaths};

use super::sitting::Sitting;

fn text(row: &Row) -> String {
    let spans = row.left.iter().chain(&row.right);
    spans.map(|span| span.text.as_str()).collect()
}

fn screen(sitting: &Sitting) -> String {
    let scene = compose(&sitting.state);
    let titles = scene.panels.iter().filter_map(|p| p.title.as_ref());
    let rows = scene.panels.iter().flat_map(|panel| &panel.rows);
    let titles = titles.map(|title| text(&title.left));
    let all: Vec<String> = titles.chain(rows.map(text)).collect();
    all.join("\n")
}

fn untracked(names: &[&str], total: u32) -> RepositoryNote {
    RepositoryNote::Untracked(SomePaths {
        first: names.iter().map(|name| RepoPath::from(*name)).collect(),
        total,
    })
}

#[test]
fn notes_are_named_in_the_list_and_before_the_signature() {
    let mut sitting = Sitting::at(fixture::green(2));
    let owed = sitting.state.world.judgment.as_ref().map(|j| j.owed);
    assert!(!screen(&sitting).contains("Beside the change"));
    let why = Reason::new("the reader stopped");
    sitting.tell(Msg::Notes(vec![
        RepositoryNote::Shallow,
        untracked(&["a.rs"], 1),
        RepositoryNote::NotLooked(Look::Tree, why),
    ]));
    // the newest look of a kind counts
    sitting.tell(Msg::Notes(vec![untracked(&["b\u{202e}.rs", "c.rs"], 9)]));
    let list = screen(&sitting);
    assert!(list.contains("Beside the change"), "{list}");
    assert!(list.contains("◇ shallow clone: a merge"), "{list}");
    assert!(list.contains("◇ untracked: b<U+202E>.rs, c.rs"), "{list}");
    assert!(list.contains("▲ names in the tree: could not"), "{list}");
    assert!(!list.contains("a.rs"), "{list}");
    sitting.tell(Msg::Resize(160, 60));
    sitting.keys("v");
    let verdict = screen(&sitting);
    let whole = "in no commit, so not what is judged: b<U+202E>.rs, c.rs and 7 more";
    assert!(verdict.contains(whole), "{verdict}");
    assert_eq!(sitting.state.world.judgment.as_ref().map(|j| j.owed), owed);
    // the filter "owed" leaves them out, they never are
    sitting.keys("Esc f");
    assert!(!screen(&sitting).contains("Beside the change"));
}
