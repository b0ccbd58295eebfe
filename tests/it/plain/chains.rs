//! Every act on a chain in lines, from the tree that the reader reads to the ledger, and back out
//! through `countersign chains`.

use serde_json::Value;

use super::{Talk, review};
use crate::chains::session::DOCK;
use crate::git::repo::Repo;
use crate::support::{countersign_as_other_user, hand_over, known_person};

/// The dock on `main`, one of its skills edited in the change, and a contract.
pub(crate) fn dock() -> Repo {
    let repo = Repo::new();
    for (name, text) in DOCK {
        repo.write(&format!("skills/{name}/SKILL.md"), text);
    }
    repo.commit("the dock");
    repo.git(&["checkout", "-q", "-b", "change"]);
    let (_, text) = DOCK[0];
    repo.write(
        "skills/dock-plan/SKILL.md",
        format!("{text}\n## Notes\n\nA page.\n"),
    );
    repo.write(
        "contract.md",
        "# The dock\n\n## Acceptance criteria\n\n- [ ] the dock is planned\n",
    );
    repo.commit("a page of notes");
    known_person(&repo.home().join("own"));
    hand_over(repo.home());
    repo
}

pub(crate) fn audited(repo: &Repo) -> Value {
    let mut command = countersign_as_other_user(repo.home());
    command
        .args(["chains", "--all", "--json"])
        .env("COUNTERSIGN_HOME", repo.home().join("own"))
        .current_dir(&repo.top);
    let out = command.output().expect("it runs");
    serde_json::from_slice(&out.stdout).expect("JSON")
}

pub(crate) fn ruling<'v>(document: &'v Value, callee: &str) -> &'v Value {
    let chains = document["chains"].as_array().expect("chains");
    let of = chains
        .iter()
        .find(|chain| chain["caller"] == "dock-plan" && chain["callee"] == callee);
    &of.expect("the chain")["ruling"]
}

const BERTH: &str = "chain:dock-plan>berth-audit";
const SHIP: &str = "chain:dock-plan>ship-note";
const LOG: &str = "chain:dock-plan>log-keeper";

/// A verb once its evidence was shown for long enough: again while it was not.
fn asks(talk: &mut Talk, line: &str, wanted: &str) {
    talk.affirms(line, wanted);
}

#[test]
fn chains_are_closed_left_open_and_sent_back_in_lines() {
    let repo = dock();
    let before = audited(&repo);
    assert_eq!(before["verdict"], "FAIL");
    assert_eq!(ruling(&before, "berth-audit"), &Value::Null);
    let mut talk = Talk::with(&review(&repo));
    // the tree is read while the first prompt waits
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !talk.types("l").contains(BERTH) {
        assert!(std::time::Instant::now() < end, "{}", talk.text());
    }
    talk.says("v", "chains: FAIL: 3 of 4 chains open, 1 HIGH");

    // closed by a line that is there, and by no other
    talk.says(BERTH, "A");
    asks(&mut talk, &format!("r {BERTH}"), "FILE:LINE");
    talk.writes(
        &["skills/dock-plan/SKILL.md:999", "."],
        "nothing was decided",
    );
    talk.says(BERTH, "A");
    asks(&mut talk, &format!("r {BERTH}"), "FILE:LINE");
    talk.writes(&["skills/dock-plan/SKILL.md:13", "."], "marked closed");

    // a declared one is left open, with a reason; a HIGH one never is
    drop(talk.types(LOG));
    talk.says(&format!("a {LOG}"), "why it stays open");
    talk.writes(&["The log is for people.", "."], "accepted open");

    // the prescription goes back as it is
    drop(talk.types(SHIP));
    talk.says(&format!("b {SHIP}"), "cause");
    let said = talk.types("1");
    assert!(said.contains("Mandatory next (ship-note)"), "{said}");
    talk.says(".", "kicked back");
    talk.says("v", "1 closed by a person, 1 accepted as declared");

    let after = audited(&repo);
    let closed = ruling(&after, "berth-audit");
    assert_eq!(closed["kind"], "closed");
    assert_eq!(closed["ref"], "skills/dock-plan/SKILL.md:13");
    assert!(closed["by"].as_str().is_some_and(|by| !by.is_empty()));
    assert_eq!(ruling(&after, "log-keeper")["kind"], "left-open");
    assert_eq!(ruling(&after, "ship-note")["kind"], "kicked-back");
    assert_eq!(ruling(&after, "tide-check"), &Value::Null);
    assert_eq!(after["summary"]["countersigned"], 1);
    assert_eq!(after["summary"]["accepted"], 1);
    assert_eq!(after["verdict"], "CONDITIONAL_PASS");

    // an edit of the callee takes away what was said of the chain to it, and of no other
    std::fs::write(
        repo.top.join("skills/berth-audit/SKILL.md"),
        format!("{}\nmore\n", DOCK[2].1),
    )
    .expect("written");
    let edited = audited(&repo);
    assert_eq!(ruling(&edited, "berth-audit"), &Value::Null);
    assert_eq!(ruling(&edited, "log-keeper")["kind"], "left-open");
    assert_eq!(edited["verdict"], "FAIL");

    // what was taken back is gone
    talk.says("u", "undone");
    let undone = audited(&repo);
    assert_eq!(ruling(&undone, "ship-note"), &Value::Null);
}

/// What the person's own file says.
fn configured(repo: &Repo, text: &str) {
    let folder = repo.home().join("own/config");
    std::fs::create_dir_all(folder.join("profiles")).expect("a folder");
    std::fs::write(folder.join("config.toml"), text).expect("written");
    let own = "extends = \"forge\"\n[tiers]\ncore = [\"dock-*\"]\n";
    std::fs::write(folder.join("profiles/mine.toml"), own).expect("written");
    hand_over(repo.home());
}

#[test]
fn a_session_audits_under_the_profile_of_the_person() {
    let repo = dock();
    configured(&repo, "chain-profile = \"mine\"\n");
    let mut talk = Talk::with(&review(&repo));
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !talk.types("l").contains(BERTH) {
        assert!(std::time::Instant::now() < end, "{}", talk.text());
    }
    talk.says("v", "chains: FAIL: 3 of 4 chains open, 3 HIGH");
    talk.says(BERTH, "known pairs are right · profile mine");
    drop(talk);

    // a name that nobody carries, and a profile that is not good: said before anything is read
    for (profile, says) in [
        ("nobody", "there is no profile called nobody"),
        ("bad", "the profile has 1 faults"),
    ] {
        configured(&repo, &format!("chain-profile = \"{profile}\"\n"));
        let bad = repo.home().join("own/config/profiles/bad.toml");
        std::fs::write(bad, "extends = \"forge\"\n[waits]\nbinding = \"loose\"\n")
            .expect("written");
        hand_over(repo.home());
        let out = review(&repo).output().expect("it runs");
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{said}");
        assert!(said.contains(says), "{said}");
    }
}
