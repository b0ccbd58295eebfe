//! `countersign spec gate`: everything the gate can compute about a change, and which acts are
//! open. It decides nothing and writes nothing.

use serde_json::{Value, json};

use super::args::At;
use super::facts::{Facts, Given};
use super::page::Mark;
use super::verdict;
use super::{edit_class, note_lines, notes_json, print};
use crate::cli::Context;
use crate::cli::config::user_settings;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::report::Report;
use crate::gate::spec::bar::Semver;
use crate::gate::spec::judge_report::LENSES;
use crate::model::known::Known;
use crate::model::spec::Weight;
use crate::model::text::{Foreign, Place};

/// The acts of a person at the spec gate.
const ACTS: [&str; 5] = ["approve", "ratify", "change", "reject", "kick back"];

/// Runs it.
pub(super) fn run(context: &Context, at: &At, given: &Given<'_>) -> Result<Exit, Report> {
    let mut facts = Facts::gather(context, at, given)?;
    if context.json {
        print_json(&document(&facts));
        return Ok(exit(&facts));
    }
    let name = user_settings().ok().and_then(|read| read.settings.name);
    loop {
        print(&lines(&facts));
        if !verdict::sit(&facts, name.as_deref()) {
            return Ok(exit(&facts));
        }
        facts = Facts::gather(context, at, given)?;
    }
}

/// Work for the agent first, then what needs a person.
fn exit(facts: &Facts) -> Exit {
    let violations = facts
        .structural
        .iter()
        .any(|note| note.weight == Weight::Violation);
    let refused = facts
        .judge
        .known()
        .is_some_and(|report| !report.blocks().is_empty());
    match (
        violations || refused || facts.open > 0,
        facts.closed.is_empty(),
    ) {
        (true, _) => Exit::NotClear,
        (false, true) => Exit::Clear,
        (false, false) => Exit::PersonNeeded,
    }
}

/// Whether an act is open.
fn is_open(act: &str, facts: &Facts) -> bool {
    !matches!(act, "approve" | "ratify") || facts.closed.is_empty()
}

fn plain(text: &Foreign) -> String {
    text.shown(Place::Strict).plain()
}

fn document(facts: &Facts) -> Value {
    let acts = ACTS.iter().filter(|act| is_open(act, facts));
    let closed = ACTS
        .iter()
        .filter(|act| !is_open(act, facts))
        .flat_map(|act| {
            facts
                .closed
                .iter()
                .map(move |reason| json!({"act": act, "reason": reason}))
        });
    let floors = facts
        .floors
        .iter()
        .map(|floor| json!({"name": floor.name, "fires": floor.fires, "why": floor.why}));
    json!({
        "schema": "countersign/spec-gate/1",
        "cr": {"id": facts.cr.as_ref().map(plain), "from": facts.cr_from},
        "base": facts.compared.base_json(),
        "structural": {
            "violations": notes_json(&facts.structural, Weight::Violation),
            "findings": notes_json(&facts.structural, Weight::Finding),
        },
        "provenance": facts.provenance.iter().map(super::note_json).collect::<Vec<_>>(),
        "edits": facts.edits.iter().map(edit_class::edit_json).collect::<Vec<_>>(),
        "floor": floors.collect::<Vec<_>>(),
        "leash": {
            "derived": facts.leash.derived.word(),
            "ceiling": facts.leash.ceiling.word(),
            "effective": facts.leash.effective.word(),
            "driver": facts.leash.driver,
        },
        "semver": {
            "class": facts.semver.map(Semver::word),
            "ceiling": facts.allowed.ceiling.map(Semver::word),
            "ceiling_from": facts.allowed.ceiling_from,
        },
        "blast": {
            "level": facts.blast.level,
            "breadth": facts.blast.breadth,
            "centrality": facts.blast.centrality,
            "sensitive": facts.blast.sensitive,
            "line_up": facts.blast.line_up,
        },
        "judge": judge_json(facts),
        "open_markers": facts.open,
        "offered": acts.collect::<Vec<_>>(),
        "closed": closed.collect::<Vec<_>>(),
    })
}

pub(super) fn judge_json(facts: &Facts) -> Value {
    let report = match &facts.judge {
        Known::Is(report) => report,
        Known::Unknown(why) => return json!({"state": "unreadable", "why": why.to_string()}),
        Known::NotSupplied | Known::NotApplicable(_) => return Value::Null,
    };
    let passed = |passed: &Option<bool>| passed.map(|passed| if passed { "pass" } else { "fail" });
    let lens: serde_json::Map<String, Value> = LENSES
        .iter()
        .zip(&report.lens)
        .map(|(name, of)| ((*name).to_owned(), passed(of).into()))
        .collect();
    let three = |names: [&str; 3], rows: &[(Foreign, Foreign, Foreign)]| -> Vec<Value> {
        let row = |(a, b, c): &(Foreign, Foreign, Foreign)| {
            let [x, y, z] = names;
            json!({x: plain(a), y: plain(b), z: plain(c)})
        };
        rows.iter().map(row).collect()
    };
    json!({
        "from": facts.judge_from,
        "state": if report.faults.is_empty() { "read" } else { "refused" },
        "status": report.status,
        "preflight": passed(&report.preflight),
        "conformance": report.conformance.iter().map(plain).collect::<Vec<_>>(),
        "lens": lens,
        "aligned": report.aligned,
        "failing": three(["scenario", "lens", "failed_check"], &report.failing),
        "gaps": three(["artifact", "location", "gap"], &report.gaps),
        "observations": three(["owner", "note", "evidence"], &report.observations),
        "questions": report.questions.iter().map(plain).collect::<Vec<_>>(),
        "blocker": report.blocker.as_ref().map(plain),
        "faults": report.faults.iter()
            .map(|(line, message)| json!({"line": line, "message": message}))
            .collect::<Vec<_>>(),
        "unknown": report.unknown.iter()
            .map(|(line, key)| json!({"line": line, "field": plain(key)}))
            .collect::<Vec<_>>(),
    })
}

/// The report in lines; the digest stands above it where both are shown.
pub(super) fn lines(facts: &Facts) -> Vec<String> {
    marked(facts).0
}

/// The same with the suites and parts that its lines speak of.
pub(super) fn marked(facts: &Facts) -> (Vec<String>, Vec<Mark>) {
    let mut marks = Vec::new();
    let cr = facts
        .cr
        .as_ref()
        .map_or_else(|| String::from("none"), plain);
    let mut out = vec![
        format!("change request {cr} ({})", facts.cr_from),
        facts.compared.first_line(),
    ];
    out.extend(judge_lines(facts));
    out.push(format!("open markers: {}", facts.open));
    out.extend(note_lines(&facts.structural));
    out.extend(note_lines(&facts.provenance));
    for (at, edit) in facts.edits.iter().enumerate() {
        let (lines, mine) = edit_class::marked(edit, at);
        let from = out.len();
        marks.extend(mine.into_iter().map(|mark| mark.moved(from)));
        out.extend(lines);
    }
    for floor in &facts.floors {
        let word = if floor.fires { "fires" } else { "shown" };
        out.push(format!("floor {} {word}: {}", floor.name, floor.why));
        if floor.name == "Clearance" {
            out.push(String::from(
                "  below `countersign spec gate`: m says what a part comes to, p proves a repair, \
                 w grants Clearance",
            ));
        }
    }
    let class = facts.semver.map_or("not known", Semver::word);
    out.push(format!(
        "class {class}, ceiling {}",
        facts.allowed.ceiling_from
    ));
    let blast = &facts.blast;
    out.push(format!(
        "blast {} (breadth {}, centrality {}, sensitive {}; {})",
        blast.level.unwrap_or("unknown"),
        blast.breadth,
        blast.centrality,
        blast.sensitive,
        blast.line_up
    ));
    let leash = &facts.leash;
    out.push(format!(
        "leash {} (derived {}, ceiling {}; {})",
        leash.effective.word(),
        leash.derived.word(),
        leash.ceiling.word(),
        leash.driver
    ));
    let closed: Vec<&str> = ACTS
        .iter()
        .copied()
        .filter(|act| !is_open(act, facts))
        .collect();
    if !closed.is_empty() {
        out.push(format!("{}: closed", closed.join(" and ")));
        out.extend(facts.closed.iter().map(|why| format!("  {why}")));
    }
    let open = ACTS.iter().filter(|act| is_open(act, facts));
    out.extend(open.map(|act| format!("{act}: open")));
    (out, marks)
}

pub(super) fn judge_lines(facts: &Facts) -> Vec<String> {
    let report = match &facts.judge {
        Known::Is(report) => report,
        Known::Unknown(why) => return vec![format!("judge: could not be read: {why}")],
        Known::NotSupplied | Known::NotApplicable(_) => {
            let says = "judge: no report; --judge names one, `countersign spec judge` runs yours";
            return vec![String::from(says)];
        }
    };
    let mut out = vec![format!("judge: {}", facts.judge_from)];
    for (line, what) in &report.faults {
        out.push(format!("x judge report, line {line}: {what}"));
    }
    for (name, passed) in LENSES.iter().zip(report.lens) {
        let word = passed.map_or("not judged", |passed| if passed { "PASS" } else { "FAIL" });
        out.push(format!("lens {name}: {word}"));
    }
    for section in &report.conformance {
        out.push(format!("! conformance: no {}", plain(section)));
    }
    let aligned = report
        .aligned
        .map_or("unknown", |aligned| if aligned { "true" } else { "false" });
    out.push(format!("ALIGNED: {aligned}"));
    for (scenario, lens, check) in &report.failing {
        out.push(format!(
            "x {} fails {}: {}",
            plain(scenario),
            plain(lens),
            plain(check)
        ));
    }
    for (artifact, place, gap) in &report.gaps {
        out.push(format!(
            "! gap in {} at {}: {}",
            plain(artifact),
            plain(place),
            plain(gap)
        ));
    }
    for (owner, note, _) in &report.observations {
        out.push(format!("observation for {}: {}", plain(owner), plain(note)));
    }
    for question in &report.questions {
        out.push(format!("? {}", plain(question)));
    }
    if let Some(blocker) = &report.blocker {
        out.push(format!("x blocker: {}", plain(blocker)));
    }
    out
}
