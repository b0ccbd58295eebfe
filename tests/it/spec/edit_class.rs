//! `tests/truth/spec-edit-class.md`: every edit of the source's table, with its class and ours.

use std::collections::BTreeMap;

use countersign::adapters::spec::edits::{Bytes, pairs};
use countersign::gate::spec::edit_class::{Class, Edit, classify};
use countersign::model::id::RepoPath;
use countersign::model::text::{Foreign, Place};

use crate::truth::{self, Case};

const TABLE: &str = include_str!("../../truth/spec-edit-class.md");

/// The suite that the edits of the table are made to.
fn suite() -> &'static str {
    let start = TABLE.find("```feature\n").expect("the suite") + 11;
    let end = TABLE[start..].find("```\n\n|").expect("its end") + start;
    &TABLE[start..end]
}

/// Applies an edit: lines after `-` give way to those after `+`.
fn edited(edit: &str) -> String {
    let mut text = suite().to_owned();
    for hunk in edit.split("..\n") {
        let side = |mark: &str| -> String {
            let mine = hunk.lines().filter_map(|line| line.strip_prefix(mark));
            mine.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
                .collect()
        };
        let (old, new) = (side("-"), side("+"));
        assert!(text.contains(&old), "{old}");
        text = text.replacen(&old, &new, 1);
    }
    text
}

type Side = BTreeMap<RepoPath, Bytes>;

fn sides(case: &Case) -> (Side, Side) {
    let one = |text: &str| {
        let path = RepoPath::from("a.feature");
        BTreeMap::from([(path, Ok(text.as_bytes().to_vec()))])
    };
    match case.form.as_str() {
        "edit" => (one(suite()), one(&edited(&case.input))),
        "crlf" => (one(suite()), one(&suite().replace('\n', "\r\n"))),
        _ => {
            let files = super::files(&case.input).all;
            let side = |name: &str| -> Side {
                let mine = files.iter().filter_map(|(path, read)| {
                    let path = path.as_bytes().strip_prefix(name.as_bytes())?;
                    Some((RepoPath::new(path), read.clone()))
                });
                mine.collect()
            };
            (side("base "), side("head "))
        }
    }
}

fn plain(text: &Foreign) -> String {
    text.shown(Place::Prose).plain()
}

fn told(edit: &Edit, named: bool) -> String {
    let mut out = String::new();
    if named {
        out.push_str(&plain(&edit.path.foreign()));
        if let Some(old) = &edit.old_path {
            out.push_str(&format!(" was {}", plain(&old.foreign())));
        }
        out.push(' ');
    }
    let class = edit.class;
    out.push_str(&format!("{} -> {}", class.word(), class.route().word()));
    out.extend(edit.events.iter().map(|event| format!(", {event}")));
    out.push('\n');
    assert_eq!(edit.reason.is_some(), class == Class::Unclassifiable);
    for change in &edit.changes {
        out.push_str(&format!(
            "{} {} {}",
            change.how.word(),
            change.part,
            plain(&change.name)
        ));
        if let Some(rule) = &change.rule {
            out.push_str(&format!(" in {}", plain(rule)));
        }
        out.extend(change.hint.map(|hint| format!(" ({hint})")));
        out.push_str(if change.pinned { " pinned\n" } else { "\n" });
    }
    out
}

fn edits(case: &Case) -> Vec<Edit> {
    let (base, head) = sides(case);
    let pairs = pairs(&base, &head, &[]);
    pairs
        .iter()
        .map(|pair| classify(&pair.path, pair.old_path.as_ref(), &pair.base, &pair.head))
        .collect()
}

#[test]
fn every_edit_has_its_class() {
    truth::check("spec-edit-class.md", |case| {
        let original = case.says.lines().next().unwrap_or_default();
        let named = case.form == "files";
        let ours: String = edits(case).iter().map(|edit| told(edit, named)).collect();
        format!("{original}\n{ours}").replace("background \n", "background\n")
    });
}

/// The table at the top says what the cases say, and a frozen suite never clears where the
/// source's classifier would not.
#[test]
fn the_printed_table_is_the_cases_and_ours_is_never_laxer() {
    let strict = |word: &str| {
        [
            "unfrozen-skip",
            "no-content-change",
            "additive",
            "narrowing",
            "mixed",
            "unclassifiable",
        ]
        .iter()
        .position(|known| *known == word)
        .expect("a class")
    };
    let mut rows = TABLE.lines().filter(|line| line.starts_with("| ")).skip(1);
    for case in truth::cases("spec-edit-class.md") {
        let original = case
            .says
            .lines()
            .next()
            .and_then(|l| l.strip_prefix("original: "));
        let original = original.expect("the original's class");
        let ours: Vec<String> = edits(&case)
            .iter()
            .map(|edit| {
                let events: String = edit.events.iter().map(|e| format!(", {e}")).collect();
                format!("{}{events}", edit.class.word())
            })
            .collect();
        let row = format!("| {} | {original} | {} |", case.title, ours.join("; "));
        assert_eq!(rows.next(), Some(row.as_str()));
        // what follows a rename is compared with the old file, which may clear it
        let worst = edits(&case)
            .iter()
            .map(|edit| strict(edit.class.word()))
            .max();
        let renamed = case.title.contains("rename, staged");
        assert!(renamed || worst >= Some(strict(original)), "{row}");
    }
    assert_eq!(rows.next(), None);
}

#[test]
fn named_paths_are_told_under_the_name_they_have_now() {
    let files = |name: &str, text: &str| -> Side {
        BTreeMap::from([(RepoPath::from(name), Ok(text.as_bytes().to_vec()))])
    };
    let (base, head) = (files("a.feature", suite()), files("b.feature", suite()));
    for named in ["a.feature", "b.feature"] {
        let pairs = pairs(&base, &head, &[RepoPath::from(named)]);
        let told: Vec<_> = pairs
            .iter()
            .map(|p| (p.path.clone(), p.old_path.clone()))
            .collect();
        let wanted = (
            RepoPath::from("b.feature"),
            Some(RepoPath::from("a.feature")),
        );
        assert_eq!(told, [wanted], "{named}");
    }
    let pairs = pairs(&base, &head, &[RepoPath::from("nowhere.feature")]);
    let pair = pairs.first().expect("a pair");
    let edit = classify(&pair.path, None, &pair.base, &pair.head);
    assert_eq!(edit.class, Class::UnfrozenSkip);
}

#[test]
fn a_changed_scenario_is_compared_line_by_line() {
    let head = edited(
        "-     And a crew\n+     And a good crew\n..\n-       {\"a\": 1}\n+       {\"a\": 2}\n..\n-       | 1 | 2 |\n",
    );
    let path = RepoPath::from("a.feature");
    let side = |text: &str| {
        countersign::adapters::spec::edits::side(&path, Some(&Ok(text.as_bytes().to_vec())))
    };
    let edit = classify(&path, None, &side(suite()), &side(&head));
    let [change] = edit.changes.as_slice() else {
        panic!("{edit:?}")
    };
    let lines: Vec<String> = change
        .lines
        .iter()
        .map(|(sign, line)| format!("{}{}", sign.mark(), plain(line)))
        .collect();
    assert_eq!(
        lines,
        [
            " Given a boat",
            "-And a crew",
            "+And a good crew",
            " When it leaves",
            "   \"\"\"json",
            "-  {\"a\": 1}",
            "+  {\"a\": 2}",
            "   \"\"\"",
            " Then the board is empty",
            "   | a | b |",
            "-  | 1 | 2 |",
        ]
    );
    let gone = edited("-     Scenario: ice\n-       Given ice\n-       Then it waits");
    let edit = classify(&path, None, &side(suite()), &side(&gone));
    let signs: Vec<&str> = edit.changes[0]
        .lines
        .iter()
        .map(|(sign, _)| sign.mark())
        .collect();
    assert_eq!(signs, ["-", "-"]);
}
