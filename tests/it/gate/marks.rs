//! What a change hides: totals by place and kind, and the badge beside each item.

use countersign::gate::dossier::Subject;
use countersign::model::hidden::Marks;
use countersign::model::id::RepoPath;
use countersign::model::known::{Known, Reason};
use countersign::model::oracle::Expect;
use countersign::model::text::Foreign;

use super::world::*;

fn with_marks(mut world: World, path: &str, marks: Known<Marks>) -> World {
    if let Known::Is(files) = &mut world.dossier.files {
        let file = files.iter_mut().find(|f| f.path == RepoPath::from(path));
        file.expect("a changed file").marks = marks;
    }
    world
}

fn badge(world: &World, subject: &Subject) -> (Option<&'static str>, Vec<String>) {
    let judgment = world.judge();
    let item = judgment.item(subject).expect("an item");
    let says = item.limits.iter().filter(|limit| {
        ["hides", "reads like", "mixes", "drawn like"]
            .iter()
            .any(|word| limit.contains(word))
    });
    (item.badge, says.cloned().collect())
}

#[test]
fn totals_are_told_by_place_and_kind() {
    let mut world = World::new().manual("1").overflow("lib/b.rs");
    assert_eq!(world.judge().hidden.says(), None);
    world = with_marks(
        world,
        "bin/ferry",
        Known::Is(Marks::of("a\u{202e}b\u{2066}\u{200b}".as_bytes(), true)),
    );
    world.record().bytes = Foreign::from("# Tide\u{e0041}\n");
    world.dossier.change.branch = Some(Foreign::from("fix/p\u{430}y\u{200b}"));
    let hidden = world.judge().hidden;
    assert_eq!(
        hidden.says().as_deref(),
        Some(
            "hidden characters: 2 bidi, 1 zero-width in the change, 1 tag in the contract, \
             1 zero-width, 1 look-alike word in names"
        )
    );
    assert!(hidden.all().is_loud());
    assert_eq!(hidden.all().hidden.total(), 5);
}

#[test]
fn what_was_not_looked_at_is_said_and_is_not_none() {
    let world = with_marks(
        World::new().overflow("lib/b.rs"),
        "lib/b.rs",
        Known::Unknown(Reason::new("over 64 MiB, it was not read")),
    );
    let hidden = world.judge().hidden;
    assert_eq!(
        hidden.says().as_deref(),
        Some("hidden characters: 1 file not looked at")
    );
    assert!(!hidden.all().is_loud());
}

#[test]
fn a_badge_stands_beside_the_criterion_and_names_the_text() {
    let mut world = World::new().runnable("1").runnable("2");
    let criteria = &mut world.record().contract.criteria;
    criteria[0].text = Foreign::from("the tide \u{202e}nwod si");
    let oracle = criteria[0].oracle.as_mut().expect("an oracle");
    oracle.check = Foreign::from("sh tests/\u{200b}tide.sh");
    oracle.expect = Expect::Plain(Foreign::from("tide\u{fe0f}-ok"));
    assert_eq!(
        badge(&world, &criterion("1")),
        (
            Some("bidi"),
            vec![
                "the text hides 1 bidi".to_owned(),
                "CHECK hides 1 zero-width".to_owned(),
                "EXPECT hides 1 selector".to_owned(),
            ]
        )
    );
    assert_eq!(badge(&world, &criterion("2")), (None, Vec::new()));
}

#[test]
fn names_that_read_like_others_have_a_badge_and_so_have_their_twins() {
    let world = World::new()
        .overflow("src/p\u{430}y.rs")
        .overflow("src/pay.rs")
        .overflow("src/\u{445}\u{443}z\u{436}.rs")
        .overflow("src/größe.rs");
    let of = |path: &str| badge(&world, &file(path));
    assert_eq!(
        of("src/p\u{430}y.rs"),
        (
            Some("look-alike"),
            vec![
                "the path reads like \"pay\" and is other letters".to_owned(),
                "the path is drawn like src/pay.rs, which is another".to_owned(),
            ]
        )
    );
    assert_eq!(
        of("src/pay.rs").0,
        Some("look-alike"),
        "the honest one is told as well"
    );
    assert_eq!(
        of("src/\u{445}\u{443}z\u{436}.rs"),
        (
            Some("mixed"),
            vec!["the path mixes Cyrillic and Latin letters".to_owned()]
        )
    );
    assert_eq!(of("src/größe.rs"), (None, Vec::new()));
}

#[test]
fn what_a_file_adds_gives_its_item_a_badge() {
    let world = with_marks(
        World::new().overflow("lib/b.rs"),
        "lib/b.rs",
        Known::Is(Marks::of("let p\u{430}y = 1;\u{a0}".as_bytes(), true)),
    );
    assert_eq!(
        badge(&world, &file("lib/b.rs")),
        (
            Some("look-alike"),
            vec!["what it adds hides 1 look-alike word".to_owned()]
        )
    );
}
