//! Which file is the contract, which version of it is judged, and why (choices.md, H27, H36).

use countersign::model::contract::{ContractOfRecord, EditKind, Source, WorktreeCopy};
use countersign::model::id::RepoPath;
use countersign::model::known::Known;

use super::repo::{Asker, Repo};

/// A gate file.
pub(crate) const GATES: &str = "# Gates\n\n- [ ] G1: the ferry sails\n  - CHECK: `true`\n  - EXPECT: ok\n  - EVIDENCE: pending\n";

fn interview(slug: &str, branch: &str, more: &str) -> String {
    format!(
        "# CONTRACT — {slug}\n\n- date: 2026-10-12\n- flow: feature\n- branch: {branch}\n- status: active\n{more}\n\
         ## REQUEST\n\n> Let the ferry sail {slug}.\n\n## ACCEPTANCE CRITERIA\n\n1. The ferry {slug} sails.\n   - CHECK: `true`\n   - EXPECT: ok\n   - EVIDENCE: pending\n"
    )
}

const FOLDER: &str = ".claude/tasks/contracts";

fn contract(repo: &Repo) -> Known<ContractOfRecord> {
    contract_named(repo, &[])
}

fn contract_named(repo: &Repo, named: &[&str]) -> Known<ContractOfRecord> {
    let mut order = repo.order();
    order.base = Some("main".to_owned());
    order.contracts = named.iter().map(Into::into).collect();
    Asker::new().open(order).expect("it opens").contract
}

fn one(repo: &Repo) -> ContractOfRecord {
    match contract(repo) {
        Known::Is(contract) => contract,
        other => panic!("{other:?}"),
    }
}

fn kinds(contract: &ContractOfRecord) -> Vec<EditKind> {
    contract.edits.iter().map(|e| e.kind).collect()
}

#[test]
fn a_contract_of_the_merge_base_is_judged_there() {
    let repo = Repo::new();
    repo.write("GATES.md", GATES);
    repo.commit("start");
    let blob = repo.id("main:GATES.md");
    repo.git(&["checkout", "-q", "-b", "change"]);
    repo.write("src.rs", "fn a() {}\n");
    repo.commit("untouched");
    let record = one(&repo);
    assert_eq!(record.contract.path, RepoPath::from("GATES.md"));
    assert_eq!(
        (record.source.clone(), record.blob),
        (Source::Base, Some(blob))
    );
    assert_eq!(record.bytes.raw(), GATES.as_bytes());
    assert_eq!(
        record
            .head_bytes
            .as_ref()
            .map(countersign::model::text::Foreign::raw),
        Some(GATES.as_bytes())
    );
    assert_eq!((record.edits.len(), record.touched_by.len()), (0, 0));
    assert_eq!(record.worktree, WorktreeCopy::AsHead);
    assert_eq!(record.contract.criteria.len(), 1);
    repo.write("GATES.md", GATES.replace("sails", "sinks"));
    let touched = repo.commit("reworded");
    let record = one(&repo);
    assert_eq!(record.bytes.raw(), GATES.as_bytes());
    assert!(
        record
            .head_bytes
            .unwrap()
            .raw_str()
            .unwrap()
            .contains("sinks")
    );
    assert_eq!(record.touched_by, [touched]);
    assert!(
        record.why.contains("changed by the change"),
        "{}",
        record.why
    );
    repo.write("GATES.md", "dirt\n");
    let dirty = one(&repo);
    assert_eq!(dirty.worktree, WorktreeCopy::Differs);
    assert_eq!(kinds(&dirty).last(), Some(&EditKind::Uncommitted));
    std::fs::remove_file(repo.top.join("GATES.md")).unwrap();
    assert_eq!(one(&repo).worktree, WorktreeCopy::Missing);
    repo.commit("removed");
    let record = one(&repo);
    assert_eq!(kinds(&record)[0], EditKind::ContractRemoved);
    assert_eq!((record.source, record.head_bytes), (Source::Base, None));
}

#[test]
fn a_contract_that_is_new_in_the_change_is_judged_as_first_committed() {
    let repo = Repo::with_change();
    let path = format!("{FOLDER}/2026-10-12-ferry.md");
    let text = interview("ferry", "change", "");
    repo.write(&path, &text);
    let first = repo.commit("contract");
    repo.write("src.rs", "fn a() {}\n");
    repo.commit("work");
    repo.write(&path, text.replace("sails.", "may sail."));
    let second = repo.commit("reworded");
    let record = one(&repo);
    assert_eq!(record.source, Source::FirstCommit(first));
    assert_eq!(record.bytes.raw(), text.as_bytes());
    assert_eq!(record.touched_by, [second]);
    assert!(kinds(&record).contains(&EditKind::NewInChange));
    // the same after the file got another name
    let renamed = format!("{FOLDER}/2026-10-12-ship.md");
    repo.git(&["mv", &path, &renamed]);
    let third = repo.commit("renamed");
    let record = one(&repo);
    assert_eq!(record.contract.path, RepoPath::from(renamed.as_str()));
    assert_eq!(record.source, Source::FirstCommit(first));
    assert_eq!(record.bytes.raw(), text.as_bytes());
    assert_eq!(record.touched_by, [second, third]);
}

#[test]
fn a_contract_that_the_change_renames_is_still_judged_at_the_merge_base() {
    let repo = Repo::new();
    repo.write("gates/a.md", GATES.repeat(3));
    repo.commit("start");
    repo.git(&["checkout", "-q", "-b", "change"]);
    repo.git(&["mv", "gates/a.md", "gates/b.md"]);
    let renamed = repo.commit("renamed");
    let record = one(&repo);
    assert_eq!(record.contract.path, RepoPath::from("gates/b.md"));
    assert_eq!(record.source, Source::Base);
    assert_eq!(record.touched_by, [renamed]);
}

#[test]
fn of_several_the_person_picks_unless_one_is_plainly_meant() {
    let repo = Repo::with_change();
    let path = |name: &str| format!("{FOLDER}/2026-10-12-{name}.md");
    repo.write(&path("a"), interview("a", "other", ""));
    repo.write(&path("b"), interview("b", "another", ""));
    repo.commit("two contracts");
    let mut order = repo.order();
    order.base = Some("main".to_owned());
    let opened = Asker::new().open(order).unwrap();
    let Known::Unknown(why) = &opened.contract else {
        panic!("{:?}", opened.contract)
    };
    assert!(
        why.0.contains("2 files") && why.0.contains("--contract"),
        "{why}"
    );
    assert_eq!(opened.candidates.len(), 2);
    assert_eq!(opened.snapshot.contract, None);
    // a pick counts while it is one of them, and only then
    for (picked, taken) in [("b", true), ("z", false)] {
        let mut order = repo.order();
        order.base = Some("main".to_owned());
        order.picked = Some(serde_bytes::ByteBuf::from(path(picked)));
        let found = Asker::new().open(order).unwrap().contract;
        assert_eq!(found.known().is_some(), taken, "{picked}: {found:?}");
        if let Known::Is(record) = found {
            assert_eq!(record.contract.path, RepoPath::from(path("b").as_str()));
            assert!(
                record.why.starts_with("picked by a person among 2"),
                "{}",
                record.why
            );
            assert_eq!(record.candidates[0].1, "another one was picked");
        }
    }
    let Known::Is(named) = contract_named(&repo, &[&path("b")]) else {
        panic!("named")
    };
    assert_eq!(named.contract.path, RepoPath::from(path("b").as_str()));
    assert_eq!(named.why, "named with --contract");
    repo.write(&path("c"), interview("c", "change", ""));
    repo.commit("one for this branch");
    let record = one(&repo);
    assert_eq!(record.contract.path, RepoPath::from(path("c").as_str()));
    assert_eq!(record.candidates.len(), 2);
    let supersedes = format!("- supersedes: {}\n", path("c"));
    repo.write(&path("d"), interview("d", "change", &supersedes));
    repo.commit("superseded");
    let record = one(&repo);
    assert_eq!(record.contract.path, RepoPath::from(path("d").as_str()));
    assert!(record.candidates.iter().any(|(p, why)| {
        *p == RepoPath::from(path("c").as_str()) && why.contains("superseded")
    }));
}

#[test]
fn no_contract_is_said_and_an_untracked_one_is_marked() {
    let repo = Repo::with_change();
    repo.write("notes.md", "nothing to see\n");
    repo.commit("work");
    assert_eq!(contract(&repo), Known::NotSupplied);
    repo.write("GATES.md", GATES);
    let record = one(&repo);
    assert_eq!(record.source, Source::File);
    assert_eq!(record.worktree, WorktreeCopy::Untracked);
    assert_eq!(kinds(&record), [EditKind::Untracked]);
    assert!(record.why.contains("no commit holds it"), "{}", record.why);
    let outside = repo.home().join("contract.md");
    std::fs::write(&outside, interview("x", "change", "")).unwrap();
    let Known::Is(record) = contract_named(&repo, &[outside.to_str().unwrap()]) else {
        panic!("a file outside")
    };
    assert_eq!(record.source, Source::File);
    let Known::Unknown(why) = contract_named(&repo, &["none.md"]) else {
        panic!("none")
    };
    assert!(why.0.contains("there is no file"), "{why}");
}

#[test]
fn of_many_specs_the_one_in_the_folder_of_the_branch_is_meant() {
    let scenario = "## Requirements\n\n- **FR-001**: The ferry MUST sail.\n";
    for (name, branch, file) in [
        (
            "specs/002-winter/spec.md",
            "002-winter",
            "# Feature Specification: winter\n\n",
        ),
        (
            ".kiro/specs/winter/tasks.md",
            "feat/winter",
            "- [ ] 1. sail\n  - [ ] 1.1 in winter\n",
        ),
        (
            "openspec/changes/winter/tasks.md",
            "winter",
            "- [ ] 1.1 sail in winter\n",
        ),
    ] {
        let repo = Repo::new();
        let other = name.replace("winter", "summer");
        repo.write(name, format!("{file}{scenario}"));
        repo.write(&other, format!("{file}{scenario}"));
        repo.commit("start");
        repo.git(&["checkout", "-q", "-b", branch]);
        repo.write("src.rs", "fn a() {}\n");
        repo.commit("work");
        assert_eq!(one(&repo).contract.path, RepoPath::from(name), "{branch}");
        repo.git(&["checkout", "-q", "-b", "autumn"]);
        let found = contract(&repo);
        assert!(found.known().is_none(), "{branch}: the person picks");
    }
}

#[test]
fn a_contract_that_is_a_link_is_never_followed() {
    let repo = Repo::with_change();
    std::fs::write(repo.home().join("secret.md"), GATES).unwrap();
    std::os::unix::fs::symlink("../secret.md", repo.top.join("GATES.md")).unwrap();
    repo.commit("work");
    for found in [contract(&repo), contract_named(&repo, &["GATES.md"])] {
        let Known::Unknown(why) = found else {
            panic!("a link is no contract, and no absence of one: {found:?}")
        };
        assert!(why.0.contains("symbolic link"), "{why}");
    }
}
