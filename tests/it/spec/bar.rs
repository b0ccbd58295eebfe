//! `tests/truth/spec-bar.md`, `spec-judge.md` and `spec-provenance.md`.

use countersign::adapters::spec::{judge, markdown};
use countersign::gate::spec::bar::{self, Allowed, Leash, Reach, Semver};
use countersign::gate::spec::edit_class::{Class, Edit};
use countersign::gate::spec::{judge_report, provenance};
use countersign::model::id::RepoPath;
use countersign::model::text::Place;

use super::told;
use crate::truth::{self, Case};

fn field<'a>(case: &'a Case, name: &str) -> Option<&'a str> {
    let mut lines = case.input.lines();
    lines.find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
}

fn edit(word: &str) -> Edit {
    let all = [
        Class::UnfrozenSkip,
        Class::NoContentChange,
        Class::Additive,
        Class::Narrowing,
        Class::Mixed,
        Class::Unclassifiable,
    ];
    Edit {
        path: RepoPath::from("n.feature"),
        old_path: None,
        class: all
            .into_iter()
            .find(|class| class.word() == word)
            .expect("a class"),
        changes: Vec::new(),
        events: Vec::new(),
        reason: None,
        granted: None,
    }
}

fn barred(case: &Case) -> String {
    if case.form == "blast" {
        return blasted(case);
    }
    let edits: Vec<Edit> = field(case, "edits")
        .unwrap_or("")
        .split_whitespace()
        .map(edit)
        .collect();
    let allowed = Allowed {
        clearance: field(case, "clearance").map(str::to_owned),
        claimed: field(case, "claimed").map(str::to_owned),
        ceiling: field(case, "ceiling").map(|word| Semver::parse(word).expect("a class")),
        ceiling_from: String::from("the case"),
    };
    let class = bar::semver(&edits, field(case, "added").is_some());
    let conflicts: Vec<String> = field(case, "conflict")
        .map(str::to_owned)
        .into_iter()
        .collect();
    let floors = bar::floors(&edits, class, &conflicts, &allowed);
    let closed: Vec<String> = field(case, "closed")
        .map(str::to_owned)
        .into_iter()
        .collect();
    let user =
        field(case, "user").map_or(Leash::AutoAll, |word| Leash::parse(word).expect("a leash"));
    let leash = bar::leash(&floors, &closed, user);
    let mut out = format!("class {}\n", class.map_or("not known", Semver::word));
    for floor in floors {
        let word = if floor.fires { "fires" } else { "shown" };
        out.push_str(&format!("{} {word}\n", floor.name));
    }
    out + &format!("leash {}, {}\n", leash.effective.word(), leash.driver)
}

fn blasted(case: &Case) -> String {
    let count = |name: &str| field(case, name).map_or(0, |n| n.parse().expect("a number"));
    let blast = bar::blast(&Reach {
        areas: count("areas"),
        of: count("of"),
        fan_in: count("fan-in"),
        sensitive: match field(case, "sensitive") {
            Some("yes") => Some(true),
            Some("unread") => None,
            _ => Some(false),
        },
        declared: field(case, "declared").map(str::to_owned),
    });
    let level = blast.level.unwrap_or("unknown");
    let (breadth, centrality, sensitive) = (blast.breadth, blast.centrality, blast.sensitive);
    format!(
        "{level} {breadth}+{centrality}+{sensitive} {}\n",
        blast.line_up
    )
}

#[test]
fn floors_leash_class_and_blast_follow_the_table() {
    truth::check("spec-bar.md", barred);
}

#[test]
fn judge_reports_are_read_by_the_table() {
    truth::check("spec-judge.md", |case| {
        let report = judge_report::read(&judge::fields(case.input.as_bytes()));
        let mut out = String::new();
        for (line, what) in &report.faults {
            out.push_str(&format!("fault {line} {what}\n"));
        }
        for (line, key) in &report.unknown {
            out.push_str(&format!("unknown {line} {}\n", key.shown(Place::Strict)));
        }
        let blocks = report.blocks();
        if blocks.is_empty() {
            out.push_str("advances\n");
        }
        for why in blocks {
            out.push_str(&format!("blocks {why}\n"));
        }
        out
    });
}

const REGISTRY: &[u8] = br#"{"sdd-plugins": [{"name": "aced"}, {"name": "quill"}]}"#;

#[test]
fn provenance_is_judged_by_the_table() {
    let place = RepoPath::from(".agents/universal-plugin.json");
    truth::check("spec-provenance.md", |case| {
        let mut notes = Vec::new();
        if case.form == "registry" {
            let registry = judge::registry(&place, Some(Ok(case.input.clone().into_bytes())));
            provenance::registry(&registry, &place, &mut notes);
        } else {
            let by: String = case
                .input
                .lines()
                .map(|line| format!("  {line}\n"))
                .collect();
            let text = format!("---\nstatus: draft\nproduced-by:\n{by}---\n");
            let path = RepoPath::from("spec.md");
            let document = markdown::read(&path, text.as_bytes()).expect("text");
            let registry = judge::registry(&place, Some(Ok(REGISTRY.to_vec())));
            provenance::document(&document, &registry, &mut notes);
        }
        notes.sort();
        let said = told(&notes);
        said.replace("spec.md:", "")
            .replace(".agents/universal-plugin.json:", "")
    });
    let mut notes = Vec::new();
    let document = markdown::read(
        &RepoPath::from("spec.md"),
        b"---\nproduced-by: { spec-judge: a:b }\n---\n",
    );
    let unread = judge::registry(&place, Some(Err(String::from("no right to"))));
    provenance::document(&document.expect("text"), &unread, &mut notes);
    assert_eq!(told(&notes), "! spec.md:2 provenance-unknown\n");
}
