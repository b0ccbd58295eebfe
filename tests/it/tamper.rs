//! What a change did to its contract, and its files against FILE SCOPE:
//! `tests/truth/contract-edits.md` and `tests/truth/scope.md`.

use countersign::adapters::contract::read;
use countersign::gate::floor::{scope, tamper};
use countersign::model::change::{ChangeKind, FileChange};
use countersign::model::contract::{Contract, Format};
use countersign::model::id::RepoPath;
use countersign::model::known::Known;
use countersign::model::text::{Foreign, Place};

use crate::contract::{FRAME, NAME, bytes};
use crate::truth::{self, Case};

fn halves(case: &Case) -> (&str, &str) {
    case.input.split_once("=====\n").expect("two halves")
}

fn version(form: &str, text: &str) -> Contract {
    let mut all = Vec::new();
    if form == "criteria" {
        all.extend_from_slice(FRAME.as_bytes());
    }
    all.extend(bytes(text));
    let format = Format::parse(form).unwrap_or(Format::Interview);
    read(&RepoPath::from(NAME), &all, Some(format))
}

fn edits(case: &Case) -> String {
    let (before, after) = halves(case);
    let offset = if case.form == "criteria" {
        u32::try_from(FRAME.lines().count()).unwrap()
    } else {
        0
    };
    tamper::edits(&version(&case.form, before), &version(&case.form, after))
        .iter()
        .map(|edit| {
            let id = edit.id.as_ref().map_or("-", |id| id.as_str());
            let gated = if edit.gated { " gated" } else { "" };
            format!("{:?} {id} {}{gated}\n", edit.kind, edit.line - offset)
        })
        .collect()
}

fn change(line: &str) -> FileChange {
    let mut words = line.split(' ');
    let kind = match words.next() {
        Some("A") => ChangeKind::Added,
        Some("D") => ChangeKind::Deleted,
        Some("R") => ChangeKind::Renamed,
        _ => ChangeKind::Modified,
    };
    let first = RepoPath::from(words.next().unwrap());
    let (path, old_path) = match words.next() {
        Some(second) => (RepoPath::from(second), Some(first)),
        None => (first, None),
    };
    FileChange {
        path,
        old_path,
        kind,
        old: None,
        new: None,
        shape: Known::NotSupplied,
        counts: Known::NotSupplied,
        marks: Known::NotSupplied,
    }
}

fn traced(case: &Case) -> String {
    let (entries, files) = halves(case);
    let text = format!(
        "# CONTRACT — x\n\n## ACCEPTANCE CRITERIA\n1. `src/fares.rs` rounds up\n2. Zones hold\n   CHECK: sh tests/zones.sh -v --of=data/zones.csv | grep -c 1.5\n   EXPECT: zones-ok\n   EVIDENCE: pending\n\n## FILE SCOPE\n{entries}"
    );
    let offset = 10;
    let contract = read(&RepoPath::from(NAME), text.as_bytes(), None);
    let files: Vec<_> = files.lines().map(change).collect();
    let scope = scope::trace(&contract, &files);
    let shown = |text: &Foreign| text.shown(Place::Strict).plain();
    let mut out = String::new();
    for file in &scope.files {
        let traces: Vec<_> = file
            .traces
            .iter()
            .map(|trace| {
                use countersign::model::scope::Trace;
                match trace {
                    Trace::Scope(line) => format!("Scope({})", line - offset),
                    Trace::NamedOutside(line) => format!("NamedOutside({})", line - offset),
                    Trace::Criterion(id) => format!("Criterion({id})"),
                    Trace::Contract => "Contract".into(),
                    Trace::RepoWide => "RepoWide".into(),
                    Trace::Untraced => "Untraced".into(),
                }
            })
            .collect();
        let mark = if file.overflow { "! " } else { "" };
        let path = shown(&file.path.foreign());
        out.push_str(&format!(
            "{mark}{path} {:?} {}\n",
            file.risk,
            traces.join(" ")
        ));
    }
    for (_, text) in &scope.unread {
        out.push_str(&format!("unread {}\n", shown(text)));
    }
    for (_, text) in &scope.unmatched {
        out.push_str(&format!("unmatched {}\n", shown(text)));
    }
    out
}

#[test]
fn edits_of_a_contract_are_told_worst_first() {
    truth::check("contract-edits.md", edits);
}

#[test]
fn changed_files_are_traced_to_the_contract() {
    truth::check("scope.md", traced);
}
