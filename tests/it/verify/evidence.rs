//! Fifty criteria with the evidence a person picks for each (`tests/corpus/verify/evidence.toml`):
//! how often it is among the first three that the picker lists. The share is printed.

use std::collections::BTreeMap;
use std::io::Write as _;

use countersign::adapters::contract;
use countersign::gate::verify::evidence::{Offer, Offered, Text, candidates};
use countersign::model::contract::{Criterion, Format};
use countersign::model::id::RepoPath;
use serde::Deserialize;

#[derive(Deserialize)]
struct Corpus {
    pr: Request,
    commit: Vec<Commit>,
    criterion: Vec<Labelled>,
}

#[derive(Deserialize)]
struct Request {
    body: String,
}

#[derive(Deserialize)]
struct Commit {
    message: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    delete: Vec<String>,
}

#[derive(Deserialize)]
struct Labelled {
    text: String,
    names: String,
    right: Vec<Right>,
}

#[derive(Deserialize)]
struct Right {
    path: Option<String>,
    holds: Option<String>,
    gone: Option<String>,
    test: Option<String>,
    body: Option<String>,
}

/// One file of the change, both sides.
struct File {
    path: RepoPath,
    old: String,
    new: String,
    gone: bool,
    subjects: Vec<String>,
}

fn corpus() -> Corpus {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/corpus/verify/evidence.toml"
    );
    toml::from_str(&std::fs::read_to_string(path).expect("the corpus")).expect("it is well formed")
}

fn files(corpus: &Corpus) -> Vec<File> {
    let (base, rest) = corpus.commit.split_first().expect("a base");
    let mut out: BTreeMap<String, File> = BTreeMap::new();
    let of = |path: &str| File {
        path: RepoPath::from(path),
        old: base.files.get(path).cloned().unwrap_or_default(),
        new: String::new(),
        gone: false,
        subjects: Vec::new(),
    };
    for commit in rest {
        let subject = commit.message.lines().next().unwrap_or_default();
        for (path, text) in &commit.files {
            let file = out.entry(path.clone()).or_insert_with(|| of(path));
            file.new.clone_from(text);
            file.subjects.push(subject.to_owned());
        }
        for path in &commit.delete {
            let file = out.entry(path.clone()).or_insert_with(|| of(path));
            file.gone = true;
            file.subjects.push(subject.to_owned());
        }
    }
    out.into_values().collect()
}

fn text(file: &File) -> Text<'_> {
    let diff = similar::TextDiff::from_lines(&file.old, &file.new);
    let mut added = Vec::new();
    let mut removed = Vec::new();
    for change in diff.iter_all_changes() {
        let number = |at: usize| u32::try_from(at + 1).expect("a line");
        if let (None, Some(at)) = (change.old_index(), change.new_index()) {
            added.push((number(at), file.new.lines().nth(at).expect("a line")));
        } else if let (Some(at), None) = (change.old_index(), change.new_index()) {
            removed.push((number(at), file.old.lines().nth(at).expect("a line")));
        }
    }
    Text {
        path: &file.path,
        added,
        removed,
        gone: file.gone,
        whole: (1..).zip(file.new.lines()).collect(),
        commits: file.subjects.iter().map(String::as_str).collect(),
    }
}

fn criterion(text: &str) -> Criterion {
    let body = format!("## Acceptance criteria\n\n- {text}\n");
    let read = contract::read(
        &RepoPath::from("c.md"),
        body.as_bytes(),
        Some(Format::Heading),
    );
    read.criteria.into_iter().next().expect("a criterion")
}

/// Whether a candidate is one that a person picks. A whole file is none.
fn is_right(offer: &Offered, right: &Right, files: &[File], body: &str) -> bool {
    let file = offer.file.and_then(|at| files.get(at));
    let lines = |text: &str, first: u32, last: u32, holds: &str| {
        let all: Vec<&str> = text.lines().collect();
        let (first, last) = (first as usize - 1, (last as usize).min(all.len()));
        last - first < all.len().max(4) && all[first..last].iter().any(|line| line.contains(holds))
    };
    let path = |file: &File| String::from_utf8_lossy(file.path.as_bytes()).into_owned();
    match (&offer.what, file) {
        (Offer::Lines(first, last), Some(file)) => {
            right.path.as_deref() == Some(&path(file))
                && lines(
                    &file.new,
                    *first,
                    *last,
                    right.holds.as_deref().unwrap_or("\0"),
                )
        }
        (Offer::Removed(..) | Offer::Gone(..), Some(file)) => {
            right.gone.as_deref() == Some(&path(file))
        }
        (Offer::Test(id, _), Some(_)) => right.test.as_ref().is_some_and(|test| id.ends_with(test)),
        (Offer::Body(line), None) => right.body.as_ref().is_some_and(|holds| {
            let at = *line as usize - 1;
            body.lines()
                .nth(at)
                .is_some_and(|line| line.contains(holds))
        }),
        _ => false,
    }
}

#[test]
fn the_right_evidence_is_among_the_first_three() {
    let corpus = corpus();
    let files = files(&corpus);
    let texts: Vec<_> = files.iter().map(text).collect();
    let mut all = (0, 0);
    let mut nothing = (0, 0);
    let mut missed = Vec::new();
    for labelled in &corpus.criterion {
        let offers = candidates(&criterion(&labelled.text), &texts, &corpus.pr.body);
        let found = offers.iter().take(3).any(|offer| {
            let mut right = labelled.right.iter();
            right.any(|right| is_right(offer, right, &files, &corpus.pr.body))
        });
        all = (all.0 + u32::from(found), all.1 + 1);
        if labelled.names == "nothing" {
            nothing = (nothing.0 + u32::from(found), nothing.1 + 1);
        }
        if !found {
            let first = offers.iter().take(3).map(|offer| {
                let file = offer.file.and_then(|at| files.get(at));
                format!(
                    "{:?} {:?} {:.1}",
                    file.map(|f| &f.path),
                    offer.what,
                    offer.score
                )
            });
            missed.push(format!(
                "{}\n    {}",
                labelled.text,
                first.collect::<Vec<_>>().join("\n    ")
            ));
        }
    }
    let mut out = std::io::stdout().lock();
    let said = [
        format!(
            "{} of {} criteria have their evidence among the first three",
            all.0, all.1
        ),
        format!("{} of {} of those that name nothing", nothing.0, nothing.1),
    ];
    for line in said.iter().chain(&missed) {
        writeln!(out, "{line}").expect("written");
    }
    // not how many, but that the list is of use: fewer would be worse than the order of the diff
    assert!(all.0 * 2 > all.1, "{} of {}", all.0, all.1);
    let again = candidates(
        &criterion(&corpus.criterion[0].text),
        &texts,
        &corpus.pr.body,
    );
    let first = candidates(
        &criterion(&corpus.criterion[0].text),
        &texts,
        &corpus.pr.body,
    );
    assert_eq!(again, first, "the order is the same every time");
}
