//! Which file is the contract, and what lies beside the change. What lies beside the change stands in the list and before the signature, and is never owed.

use countersign::app::effect::Effect;
use countersign::app::fixture;
use countersign::app::msg::Msg;
use countersign::app::pane::compose;
use countersign::gate::dossier::Subject;
use countersign::model::format::Format;
use countersign::model::id::RepoPath;
use countersign::model::known::{Known, Reason};
use countersign::model::snapshot::{Look, RepositoryNote, SomePaths};

use super::sitting::{Sitting, text};

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
    assert!(!sitting.screen().contains("Beside the change"));
    let why = Reason::new("the reader stopped");
    sitting.tell(Msg::Notes(vec![
        RepositoryNote::Shallow,
        untracked(&["a.rs"], 1),
        RepositoryNote::NotLooked(Look::Tree, why),
    ]));
    // the newest look of a kind counts
    sitting.tell(Msg::Notes(vec![untracked(&["b\u{202e}.rs", "c.rs"], 9)]));
    let list = sitting.screen();
    assert!(list.contains("Beside the change"), "{list}");
    assert!(list.contains("◇ shallow clone: a merge"), "{list}");
    assert!(list.contains("◇ untracked: b<U+202E>.rs, c.rs"), "{list}");
    assert!(list.contains("▲ names in the tree: could not"), "{list}");
    assert!(!list.contains("a.rs"), "{list}");
    sitting.tell(Msg::Resize(160, 60));
    sitting.keys("v");
    let verdict = sitting.screen();
    let whole = "in no commit, so not what is judged: b<U+202E>.rs, c.rs and 7 more";
    assert!(verdict.contains(whole), "{verdict}");
    assert_eq!(sitting.state.world.judgment.as_ref().map(|j| j.owed), owed);
    // the filter "owed" leaves them out, they never are
    sitting.keys("Esc f");
    assert!(!sitting.screen().contains("Beside the change"));
}

#[test]
fn several_contracts_are_the_first_question_and_one_is_taken() {
    let mut dossier = fixture::green(2);
    dossier.contract = Known::Unknown(Reason::new("2 files could be the contract"));
    dossier.candidates = vec![
        (RepoPath::from("gates/a.md"), "added by the change".into()),
        (
            RepoPath::from("gates/b.md"),
            "added by the change too".into(),
        ),
    ];
    let mut sitting = Sitting::at(dossier);
    assert_eq!(sitting.mode(), "contracts");
    let boxed = compose(&sitting.state).overlay.expect("a box");
    let rows: Vec<String> = boxed.rows.iter().map(text).collect();
    let rows = rows.join("\n");
    assert!(
        rows.contains("▸ 1  gates/a.md") && rows.contains("added by the change too"),
        "{rows}"
    );
    sitting.keys("Esc");
    assert!(
        sitting
            .screen()
            .contains("2 files could be the contract: p picks")
    );
    sitting.keys("p j Enter");
    let Some(Effect::Take(ticket, path)) = sitting.effects.last().cloned() else {
        panic!("{:?}", sitting.effects)
    };
    assert_eq!(path, RepoPath::from("gates/b.md"));
    assert_eq!(
        (sitting.mode(), sitting.status()),
        ("browse", "reading gates/b.md as the contract")
    );
    sitting.tell(fixture::opened(ticket, fixture::green(2)));
    let first = Subject::Criterion(fixture::id(1));
    assert_eq!(sitting.subject(), Some(first), "at the first owed item");
}

#[test]
fn the_contract_is_read_as_another_format() {
    let mut sitting = Sitting::at(fixture::green(2));
    sitting.keys("o F");
    assert_eq!(sitting.mode(), "formats");
    let boxed = compose(&sitting.state).overlay.expect("a box");
    let rows: Vec<String> = boxed.rows.iter().map(text).collect();
    let rows = rows.join("\n");
    for name in ["detect it", "▸ interview", "spec-kit", "gherkin", "heading"] {
        assert!(rows.contains(name), "{name}: {rows}");
    }
    let title = format!("{:?}", boxed.title.right);
    assert!(title.contains("now interview, "), "{title}");
    sitting.keys("g j j Enter");
    let Some(Effect::ReadAs(ticket, format)) = sitting.effects.last().cloned() else {
        panic!("{:?}", sitting.effects)
    };
    assert_eq!(format, Some(Format::Unlazy));
    assert_eq!(
        (sitting.mode(), sitting.status()),
        ("browse", "reading the contract as unlazy")
    );
    sitting.tell(fixture::opened(ticket, fixture::green(2)));
    sitting.keys("o F g Enter");
    let last = sitting.effects.last().cloned();
    assert!(matches!(last, Some(Effect::ReadAs(_, None))), "{last:?}");
    let mut dossier = fixture::green(2);
    dossier.contract = Known::NotSupplied;
    let mut sitting = Sitting::at(dossier);
    sitting.keys("o F");
    assert_eq!(
        (sitting.mode(), sitting.status()),
        (
            "browse",
            "Closed: there is no contract to read in another way."
        )
    );
}
