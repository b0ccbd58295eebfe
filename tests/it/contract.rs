//! What the readers make of contracts: `tests/truth/contract-*.md`.

use std::fs;
use std::path::{Path, PathBuf};

use countersign::adapters::contract::{FORMATS, read};
use countersign::cli::contract::json::state;
use countersign::model::contract::{Contract, Format, ScopeSays, Severity};
use countersign::model::id::RepoPath;
use countersign::model::oracle::Expect;
use countersign::model::text::{Foreign, Place};

use crate::support::countersign;
use crate::truth::{self, Case};

/// The frame around a snippet of criteria: complete, so that only the snippet can be wrong.
pub(crate) const FRAME: &str = "# CONTRACT — ferry-fares
- date: 2026-11-02 | flow: onboard | branch: fares
- status: active

## REQUEST (verbatim — IMMUTABLE)
Charge the right fare.

## CLARIFICATIONS
none — request complete

## FILE SCOPE
src/

## ACCEPTANCE CRITERIA
";
pub(crate) const NAME: &str = ".claude/tasks/contracts/2026-11-02-ferry-fares-0915.md";

fn text(foreign: &Foreign) -> String {
    foreign.shown(Place::Strict).plain()
}

/// `\r`, `\t`, `\0`, `\u{..}` and `\x..` of an input stand for those bytes; `\e` ends the file
/// without a line end.
pub(crate) fn bytes(input: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = input;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let after = &rest[at + 1..];
        let (byte, length): (Vec<u8>, usize) = match after.as_bytes().first() {
            Some(b'r') => (vec![b'\r'], 1),
            Some(b't') => (vec![b'\t'], 1),
            Some(b'0') => (vec![0], 1),
            Some(b'e') => return out,
            Some(b'u') => {
                let close = after.find('}').unwrap();
                let code = u32::from_str_radix(&after[2..close], 16).unwrap();
                let character = char::from_u32(code).unwrap();
                (character.to_string().into_bytes(), close + 1)
            }
            Some(b'x') => (vec![u8::from_str_radix(&after[1..3], 16).unwrap()], 3),
            _ => (vec![b'\\'], 0),
        };
        out.extend(byte);
        rest = &after[length..];
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

fn rendered(contract: &Contract, offset: u32) -> String {
    let line = |line: u32| if line == 0 { 0 } else { line - offset };
    let mut out = vec![state(contract.state).to_owned()];
    for criterion in &contract.criteria {
        let mut row = format!(
            "{} {:?} {}-{}: {}",
            criterion.id,
            criterion.kind,
            line(criterion.line),
            line(criterion.end_line),
            text(&criterion.text)
        );
        if let Some(ticked) = criterion.ticked {
            row.push_str(if ticked { " [x]" } else { " [ ]" });
        }
        for (flag, word) in [
            (criterion.optional, " optional"),
            (criterion.post_merge, " post-merge"),
            (!criterion.gated.is_empty(), " gated"),
        ] {
            if flag {
                row.push_str(word);
            }
        }
        if let Some(said) = &criterion.disposition {
            let (token, says) = (said.token.word(), text(&said.says));
            row.push_str(&format!(" <{token} {} {says}>", said.line));
        }
        out.push(row);
        if let Some(oracle) = &criterion.oracle {
            let expect = match &oracle.expect {
                Expect::Plain(marker) => text(marker),
                Expect::Regex { source, flags } => format!("/{}/{}", text(source), text(flags)),
                Expect::ExitOnly => "(exit 0)".into(),
            };
            out.push(format!("  {} -> {expect}", text(&oracle.check)));
        }
        if let Some(slot) = &criterion.evidence {
            out.push(format!("  {:?}: {}", slot.claim, text(&slot.value)));
        }
    }
    for abandonment in &contract.abandonments {
        let id = abandonment.id.as_ref().map_or("-", |id| id.as_str());
        out.push(format!("abandon {id}: {}", text(&abandonment.reason)));
    }
    if matches!(contract.format, Format::Checklist | Format::Heading) {
        for entry in &contract.scope {
            let says = match &entry.says {
                ScopeSays::Glob(glob) => text(glob),
                ScopeSays::Outside(glob) => format!("not {}", text(glob)),
                ScopeSays::RepoWide(_) => "repo-wide".to_owned(),
                ScopeSays::Unread => "not understood".to_owned(),
            };
            out.push(format!("scope {}: {says}", entry.line));
        }
    }
    for complaint in &contract.complaints {
        let word = match complaint.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        out.push(format!(
            "{word} {} {}",
            line(complaint.line),
            complaint.code
        ));
    }
    out.join("\n")
}

fn case(case: &Case) -> String {
    let (form, path) = case.form.split_once(' ').unwrap_or((&case.form, ""));
    let body = bytes(&case.input);
    match form {
        "criteria" => {
            let mut all = FRAME.as_bytes().to_vec();
            all.extend(body);
            let offset = u32::try_from(FRAME.lines().count()).unwrap();
            rendered(&read(&RepoPath::from(NAME), &all, None), offset)
        }
        "file" => {
            let path = if path.is_empty() { NAME } else { path };
            rendered(&read(&RepoPath::from(path), &body, None), 0)
        }
        name => {
            let format = Format::parse(name).expect("a format");
            rendered(&read(&RepoPath::from("x.md"), &body, Some(format)), 0)
        }
    }
}

/// What was detected, then what was read.
fn detected(case: &Case) -> String {
    let (form, path) = case.form.split_once(' ').expect("a path");
    let forced = Format::parse(form);
    let contract = read(&RepoPath::from(path), &bytes(&case.input), forced);
    let name = contract.format.name();
    let head = format!("{name} {:?}: {}", contract.confidence, contract.why);
    format!("{head}\n{}", rendered(&contract, 0))
}

#[test]
fn formats_of_others_are_detected_and_read_as_documented() {
    truth::check("contract-formats.md", detected);
}

#[test]
fn interview_contracts_read_as_documented() {
    truth::check("contract-interview.md", case);
}

#[test]
fn gate_files_read_as_documented() {
    truth::check("contract-unlazy.md", case);
}

#[test]
fn task_lists_bullets_and_prose_read_as_documented() {
    truth::check("contract-generic.md", case);
}

fn show(dir: &Path, words: &[&str]) -> (Option<i32>, String) {
    show_in(dir, dir, words)
}

fn show_in(home: &Path, dir: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = countersign(home)
        .current_dir(dir)
        .arg("contract")
        .args(words)
        .output()
        .expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("text");
    (output.status.code(), text)
}

#[test]
fn show_exits_by_what_was_found() {
    let rows: [(&str, &[u8], i32, &str); 8] = [
        ("found", b"## Acceptance criteria\n- a\n", 0, "found"),
        ("prose", b"## Done when\nit works\n", 0, "prose"),
        ("empty", b"## Acceptance criteria\n\n## Plan\n", 1, "empty"),
        ("absent", b"# Notes\n", 1, "absent"),
        (
            "near miss",
            b"## Acceptance criteria traceability\n",
            1,
            "near-miss",
        ),
        (
            "errors",
            b"# CONTRACT - x\n\n## ACCEPTANCE CRITERIA\n1. a\n1. b\n",
            2,
            "found",
        ),
        (
            "unclosed fence",
            b"## Acceptance criteria\n- a\n```\n",
            10,
            "unreadable",
        ),
        ("binary", b"\x00\x01", 10, "unreadable"),
    ];
    for (name, bytes, code, state) in rows {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("x.md"), bytes).unwrap();
        let (got, text) = show(home.path(), &["show", "x.md"]);
        assert_eq!(got, Some(code), "{name}: {text}");
        assert!(text.contains(&format!("state {state}")), "{name}: {text}");
        let (got, json) = show(home.path(), &["show", "x.md", "--json"]);
        assert_eq!(got, Some(code), "{name}");
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["schema"], "countersign/contract/1");
        assert_eq!(value["contract"]["state"], state, "{name}");
    }
}

#[test]
fn show_begins_with_the_line_of_the_interview() {
    let home = tempfile::tempdir().unwrap();
    let text = format!("{FRAME}1. a\n2. b\n");
    fs::write(home.path().join("c.md"), text).unwrap();
    let (_, shown) = show(home.path(), &["show", "c.md"]);
    assert_eq!(
        shown.lines().next(),
        Some("CONTRACT: c.md — 2 criteria, scope files, 0 questions asked")
    );
}

#[test]
fn an_unknown_format_names_the_known_ones() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("c.md"), "x").unwrap();
    let output = countersign(home.path())
        .current_dir(home.path())
        .args(["contract", "show", "c.md", "--format", "erq"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    for reader in FORMATS {
        assert!(text.contains(reader.name), "{text}");
        assert!(!reader.description.is_empty());
        assert_eq!(Format::parse(reader.name), Some(reader.format));
    }
}

/// A repository with a commit for each version of `c.md`; the first is also the branch `main`.
fn repository(dir: &Path, versions: &[Option<&str>]) {
    let repository = git2::Repository::init(dir).unwrap();
    let who = git2::Signature::new("Ada", "ada@example.org", &git2::Time::new(0, 0)).unwrap();
    let mut parent: Option<git2::Oid> = None;
    for version in versions {
        let mut tree = repository.treebuilder(None).unwrap();
        if let Some(text) = version {
            let blob = repository.blob(text.as_bytes()).unwrap();
            tree.insert("c.md", blob, 0o100_644).unwrap();
        }
        let tree = repository.find_tree(tree.write().unwrap()).unwrap();
        let parents: Vec<_> = parent
            .iter()
            .map(|id| repository.find_commit(*id).unwrap())
            .collect();
        let parents: Vec<_> = parents.iter().collect();
        let id = repository
            .commit(None, &who, &who, "x", &tree, &parents)
            .unwrap();
        if parent.is_none() {
            repository
                .reference("refs/heads/main", id, true, "x")
                .unwrap();
        }
        parent = Some(id);
    }
    let head = parent.unwrap();
    repository
        .reference("refs/heads/work", head, true, "x")
        .unwrap();
    repository.set_head("refs/heads/work").unwrap();
    let last = versions.last().copied().flatten().unwrap();
    fs::write(dir.join("c.md"), last).unwrap();
}

/// A folder for a repository: our own folders may not lie inside of what is reviewed.
fn beside(home: &tempfile::TempDir) -> PathBuf {
    let top = home.path().join("repo");
    fs::create_dir(&top).unwrap();
    top
}

/// Versions of the contract, then what `contract diff` makes of the last one.
type Row<'a> = (&'a [Option<&'a str>], i32, &'a str, &'a [&'a str]);

#[test]
fn diff_compares_with_the_base_or_the_first_commit() {
    let first = format!("{FRAME}1. a\n2. b\n");
    let second = format!("{FRAME}1. a\n3. c\n");
    let reworded = first.replace("Charge the right fare.", "Charge a fare.");
    let rows: [Row<'_>; 4] = [
        (&[Some(&first), Some(&first)], 0, "base ", &[]),
        (
            &[Some(&first), Some(&second)],
            3,
            "base ",
            &["criterion-removed", "criterion-added"],
        ),
        (
            &[None, Some(&first)],
            3,
            "first-commit ",
            &["new-in-change"],
        ),
        (
            &[None, Some(&first), Some(&reworded)],
            3,
            "first-commit ",
            &["request-changed", "new-in-change"],
        ),
    ];
    for (versions, code, against, codes) in rows {
        let home = tempfile::tempdir().unwrap();
        let top = beside(&home);
        repository(&top, versions);
        let (got, json) = show_in(home.path(), &top, &["diff", "c.md", "--json"]);
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(got, Some(code), "{json}");
        assert_eq!(value["schema"], "countersign/contract-diff/1");
        assert!(
            value["against"].as_str().unwrap().starts_with(against),
            "{json}"
        );
        let found: Vec<_> = value["findings"].as_array().unwrap().iter().collect();
        let found: Vec<_> = found.iter().map(|f| f["code"].as_str().unwrap()).collect();
        assert_eq!(found, codes, "{json}");
        let (got, text) = show_in(home.path(), &top, &["diff", "c.md"]);
        assert_eq!(got, Some(code), "{text}");
        for code in codes {
            assert!(text.contains(code), "{text}");
        }
    }
    let home = tempfile::tempdir().unwrap();
    let top = beside(&home);
    repository(&top, &[Some(&first), Some(&second)]);
    let (got, _) = show_in(home.path(), &top, &["diff", "c.md", "--base", "nope"]);
    assert_eq!(got, Some(10));
    let (got, text) = show_in(home.path(), &top, &["diff", "c.md", "--base", "main"]);
    assert_eq!(got, Some(3));
    assert!(text.contains("base main (--base), merge base "), "{text}");
    let (_, text) = show_in(home.path(), &top, &["diff", "c.md"]);
    assert!(text.contains("base main (only one), merge base "), "{text}");
    // what no commit holds, or not so, is a finding of its own (H36)
    fs::write(top.join("c.md"), format!("{second}\n")).unwrap();
    let (got, text) = show_in(home.path(), &top, &["diff", "c.md"]);
    assert!(
        got == Some(3) && text.contains("line 0: uncommitted"),
        "{text}"
    );
    fs::write(top.join("d.md"), &first).unwrap();
    let (got, text) = show_in(home.path(), &top, &["diff", "d.md"]);
    assert!(
        got == Some(3) && text.contains("line 0: untracked"),
        "{text}"
    );
    let long = format!("{second}\n## NOTES\n{}\n", "x".repeat(10_000_000));
    let home = tempfile::tempdir().unwrap();
    let top = beside(&home);
    repository(&top, &[Some(&first), Some(&long)]);
    let (got, text) = show_in(home.path(), &top, &["diff", "c.md"]);
    assert_eq!(got, Some(3), "10 MB are read: {text}");
    // Nothing of the base can be read: that is said, and is no empty list of findings.
    let objects = top.join(".git/objects");
    fs::remove_dir_all(&objects).unwrap();
    fs::create_dir(&objects).unwrap();
    let (got, text) = show_in(home.path(), &top, &["diff", "c.md"]);
    assert_eq!((got, text.as_str()), (Some(10), ""));
}

#[test]
fn a_criterion_that_nobody_reads_to_its_end_is_an_error() {
    for (text, check) in [
        ("x".repeat(70_000), String::new()),
        ("x".into(), "y".repeat(70_000)),
    ] {
        let source = format!(
            "# CONTRACT — x\n\n## ACCEPTANCE CRITERIA\n1. {text}\n   CHECK: echo {check}\n   EXPECT: y\n   EVIDENCE: pending\n"
        );
        let contract = read(&RepoPath::from("x.md"), source.as_bytes(), None);
        let codes: Vec<_> = contract.errors().map(|error| error.code).collect();
        assert!(codes.contains(&"criterion-too-long"), "{codes:?}");
    }
}
