//! `tests/truth/spec-clearance.md`: marks, proofs, grants and ceilings; and that only an act at a
//! terminal makes them count.

use countersign::adapters::spec::{edits, judge};
use countersign::gate::spec::bar::{self, Allowed, Semver};
use countersign::gate::spec::clearance::{Said, Spoken, Word, apply, ceiling, of_all, of_part};
use countersign::gate::spec::edit_class::{Edit, classify};
use countersign::gate::spec::judge_report;
use countersign::model::id::{Digest, RepoPath};
use countersign::model::known::Known;
use countersign::model::text::Foreign;

use super::queue::{PLAIN, asserted, at_terminal, grown};
use crate::git::repo::Repo;
use crate::support::countersign;
use crate::truth::{self, Case};

const JUDGE: &[u8] = b"STATUS: complete\nPREFLIGHT: { result: pass }\nLENS: { oracle: pass, builder: pass, architect: pass }\nALIGNED: true\n";

/// The suite after these acts of the change.
fn changed<'a>(acts: impl Iterator<Item = &'a str>) -> String {
    let mut text = grown();
    for act in acts {
        let (verb, name) = act.split_once(' ').unwrap_or((act, ""));
        let (from, to) = match verb {
            "changes" if name == "leaves" => ("board is ", "board is not ".to_owned()),
            "changes" => ("board names it", "board names the boat".to_owned()),
            "renames" => ("Scenario: leaves", "Scenario: sails".to_owned()),
            "thaws" => ("@frozen\n", String::new()),
            "adds" => {
                text.push_str(&format!(
                    "  Scenario: {name}\n    When it returns\n    Then the board says so\n"
                ));
                continue;
            }
            "drops" => {
                let from = text.find("  Scenario: leaves").expect("it is there");
                let to = text.find("  Scenario: arrives").expect("it is there");
                text.replace_range(from..to, "");
                continue;
            }
            _ => panic!("{act}"),
        };
        assert!(text.contains(from), "{act}");
        text = text.replacen(from, &to, 1);
    }
    text
}

fn edit(head: &str) -> Vec<Edit> {
    let path = RepoPath::from("n.feature");
    let side = |text: &str| edits::side(&path, Some(&Ok(text.as_bytes().to_vec())));
    vec![classify(&path, None, &side(&grown()), &side(head))]
}

fn said(edits: &[Edit], line: &str) -> Option<Said> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let part = |name: &str| -> Digest {
        let found = edits[0]
            .changes
            .iter()
            .find(|c| c.name.raw() == name.as_bytes() && c.may_narrow());
        of_part(&edits[0], found.expect("a part"))
    };
    let (binds, is) = match words.as_slice() {
        ["means", name, is] => (part(name), Word::parse("means", Some(is))),
        ["proof", name, is] => (part(name), Word::parse("pre-repair-proof", Some(is))),
        ["grant"] => (of_all(edits), Word::parse("grant", None)),
        ["ceiling", class] => (of_all(edits), Word::parse("ceiling", Some(class))),
        _ => return None,
    };
    Some(Said {
        binds,
        word: Spoken {
            is: is.expect("a word"),
            by: Foreign::from("Ada"),
            why: Foreign::from("seen"),
        },
    })
}

fn cleared(case: &Case) -> String {
    let lines = || case.input.lines();
    let is_act = |line: &&str| {
        let verbs = ["changes", "drops", "renames", "adds", "thaws"];
        line.split(' ')
            .next()
            .is_some_and(|verb| verbs.contains(&verb))
    };
    let first = edit(&changed(lines().filter(is_act)));
    let words: Vec<Said> = lines().filter_map(|line| said(&first, line)).collect();
    let later = lines().filter_map(|line| line.strip_prefix("later "));
    let mut now = edit(&changed(lines().filter(is_act).chain(later)));
    apply(&mut now, &words);
    let mut allowed = Allowed {
        clearance: case
            .input
            .contains("plan\n")
            .then(|| String::from("the plan at the merge base")),
        ..Allowed::default()
    };
    allowed.ceiling = ceiling(&now, &words).map(|said| said.is);
    let class = bar::semver(&now, false);
    let floors = bar::floors(&now, class, &[], &allowed);
    let report = Known::Is(judge_report::read(&judge::fields(JUDGE)));
    let closed = bar::closed(&[], 0, &now, &report, &floors);
    let confirmed = match now[0].confirmed() {
        None => "unmarked",
        Some(true) => "confirmed",
        Some(false) => "not",
    };
    let needed = if now[0].needs_a_person() {
        ", a person is needed"
    } else {
        ""
    };
    let mut out = format!(
        "{}, {confirmed} -> {}{needed}\nclass {}\n",
        now[0].class.word(),
        now[0].route().word(),
        class.map_or("not known", Semver::word)
    );
    for floor in &floors {
        let word = if floor.fires { "fires" } else { "shown" };
        out.push_str(&format!("{} {word}\n", floor.name));
    }
    let short = |why: &String| match why.split_once(": ") {
        Some((floor @ ("Clearance" | "Compatibility"), _)) => floor.to_owned(),
        _ => why.clone(),
    };
    let closed: Vec<String> = closed.iter().map(short).collect();
    if closed.is_empty() {
        out + "open\n"
    } else {
        out + &format!("closed: {}\n", closed.join(", "))
    }
}

#[test]
fn what_was_said_counts_for_what_it_was_said_over() {
    truth::check("spec-clearance.md", cleared);
}

fn gate(repo: &Repo) -> serde_json::Value {
    let out = countersign(repo.home())
        .current_dir(&repo.top)
        .args(["--json", "spec", "gate"])
        .output()
        .expect("it runs");
    serde_json::from_slice(&out.stdout).expect("JSON")
}

fn typed(repo: &Repo) -> String {
    let spec = std::fs::read(repo.top.join(".agents/specs/harbor/spec.md")).expect("read");
    Digest::of(&spec).to_string()[..6].to_owned()
}

/// The lines that were written, without the agent's own shard.
fn lines(repo: &Repo) -> Vec<(std::path::PathBuf, String)> {
    let dir = repo.top.join(".agents/specs/harbor/ledger");
    let all = std::fs::read_dir(dir).expect("a folder").map(|entry| {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("read");
        (path, text)
    });
    all.filter(|(_, text)| text.contains("\"clearance\""))
        .collect()
}

#[test]
fn a_person_grants_proves_and_sets_the_ceiling_and_only_then_is_it_open() {
    let repo = asserted(PLAIN, &PLAIN.replace("a boat", "a ship"));
    let typed = typed(&repo);
    let said = at_terminal(
        &repo,
        &["spec", "gate"],
        &[
            ("gate> ", "w"),
            ("why> ", "the harbor has no boats any more"),
            ("leave it> ", &typed),
            ("gate> ", "l major"),
            ("why> ", "a breaking release is due"),
            ("leave it> ", &typed),
            ("gate> ", "p 1"),
            ("(1 or 2)> ", "1"),
            ("was seen> ", "run on base, 1 of 1 fails"),
            ("leave it> ", &typed),
            ("gate> ", "q"),
        ],
        |_| {},
    );
    assert!(said.contains("unmarked, counts as narrowing"), "{said}");
    assert!(said.contains("1 repair has no proof"), "{said}");
    assert!(
        said.contains("failed before its repair, says Ada Osei"),
        "{said}"
    );
    let now = gate(&repo);
    assert_eq!(now["closed"], serde_json::json!([]), "{said}");
    let edit = &now["edits"][0];
    assert_eq!(
        (&edit["granted"], &edit["confirmed"]),
        (&"Ada Osei".into(), &serde_json::Value::Null)
    );
    assert_eq!(edit["scenarios"][0]["pre_repair_proof"]["is"], "failed");
    assert_eq!(now["semver"]["ceiling"], "major");
    let written = lines(&repo);
    assert_eq!(written.len(), 3);
    assert!(written.iter().any(|(_, line)| line.contains(
        "\"act\":\"pre-repair-proof\",\"is\":\"failed\",\"suite\":\".agents/specs/harbor/n/n.feature\""
    )));
    // the suite changes once more: nothing that was said holds
    repo.write(
        ".agents/specs/harbor/n/n.feature",
        PLAIN.replace("a boat", "a big ship"),
    );
    let closed = gate(&repo)["closed"].to_string();
    assert!(
        closed.contains("Clearance") && closed.contains("Compatibility"),
        "{closed}"
    );
}

#[test]
fn a_mark_takes_the_edit_out_of_clearance_and_a_forged_word_counts_for_nothing() {
    let repo = asserted(PLAIN, &PLAIN.replace("a boat", "a ship"));
    let typed = typed(&repo);
    let said = at_terminal(
        &repo,
        &["spec", "gate"],
        &[
            ("gate> ", "m 1"),
            ("(1 to 4)> ", "4"),
            ("why> ", "boats are called ships now"),
            ("leave it> ", &typed),
            ("gate> ", "q"),
        ],
        |_| {},
    );
    assert!(said.contains("said not to narrow -> clear"), "{said}");
    assert_eq!(gate(&repo)["closed"], serde_json::json!([]), "{said}");
    let out = countersign(repo.home())
        .current_dir(&repo.top)
        .args(["spec", "edit-class"])
        .output()
        .expect("it runs");
    assert_eq!(out.status.code(), Some(0));
    // the same word in a shard that nobody wrote at a terminal
    let (path, line) = lines(&repo).pop().expect("a shard");
    std::fs::remove_file(&path).expect("gone");
    let forged = path.with_file_name("c7.ffffff.jsonl");
    std::fs::write(&forged, &line).expect("written");
    let now = gate(&repo);
    assert!(now["closed"].to_string().contains("Clearance"), "{now:#}");
    let findings = now["structural"]["findings"].to_string();
    assert!(
        findings.contains("no act of a person stands behind"),
        "{findings}"
    );
    // and in the place of the old one, with other bytes
    std::fs::rename(&forged, &path).expect("moved");
    assert_eq!(
        gate(&repo)["closed"],
        serde_json::json!([]),
        "put back, it counts"
    );
    std::fs::write(&path, line.replace("reworded", "widened")).expect("written");
    assert!(gate(&repo)["closed"].to_string().contains("Clearance"));
}
