//! Record, derived spec and ledger: what is read, and every complaint at once.

use countersign::adapters::wave::{ledger, record, spec};
use countersign::model::contract::{Complaint, Severity};
use countersign::model::known::Known;
use countersign::model::text::{Foreign, Place};
use countersign::model::wave::{Account, DecisionSays, FindingId};

use crate::truth::{Case, check};

fn complaints(all: &[Complaint]) -> String {
    let mut out = String::new();
    for c in all {
        let word = match c.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        assert!(!c.message.ends_with('.'), "{c:?}");
        assert!(!c.hint.is_empty(), "{c:?}");
        out.push_str(&format!("{word} {} {}: {}\n", c.line, c.code, c.message));
    }
    out
}

fn shown(text: &Foreign) -> String {
    text.shown(Place::Strict).plain()
}

fn ids(all: &[FindingId]) -> String {
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    all.join(" ")
}

fn number(value: &Known<u32>) -> String {
    match value {
        Known::Is(number) => number.to_string(),
        Known::NotApplicable(_) => "none yet".into(),
        Known::Unknown(_) => "unknown".into(),
        Known::NotSupplied => "not supplied".into(),
    }
}

fn render_record(case: &Case) -> String {
    let bytes = case.input.as_bytes();
    let record = record::read(bytes);
    let mut out = String::new();
    if let Some(target) = &record.target {
        out.push_str(&format!(
            "target {} {} {}\n",
            target.repository, target.number, target.base
        ));
    }
    if let Some(course) = record.course {
        out.push_str(&format!("course {}\n", course.word()));
    }
    let of = |a: &Account| format!("{}/{}", number(&a.used), number(&a.cap));
    out.push_str(&format!(
        "rounds {}, syncs {}\n",
        of(&record.rounds),
        of(&record.syncs)
    ));
    if let Some(wave) = &record.wave {
        out.push_str(&format!(
            "wave {}, counted {}, selected [{}]\n",
            wave.stage.unwrap_or("settled"),
            wave.counted,
            ids(&wave.selected)
        ));
        if let Some((spec, ledger)) = &wave.artifacts {
            out.push_str(&format!("pair {} {}\n", shown(spec), shown(ledger)));
        }
        if let Some(stuck) = &wave.no_progress {
            let inputs = match &stuck.inputs {
                Known::Is(inputs) => inputs.len().to_string(),
                Known::Unknown(_) => "unknown".into(),
                Known::NotApplicable(_) | Known::NotSupplied => "not named".into(),
            };
            out.push_str(&format!(
                "stuck on {}, inputs {inputs}\n",
                shown(&stuck.prerequisite)
            ));
        }
    }
    out.push_str(&complaints(&record.complaints));
    out
}

#[test]
fn records_read_as_the_table_says() {
    check("wave-record.md", render_record);
}

fn render_spec(case: &Case) -> String {
    let spec = spec::read(case.input.as_bytes());
    let mut out = format!("{}#{}\n", shown(&spec.repository), spec.number);
    for (at, item) in spec.items.iter().enumerate() {
        let kind = if item.nits { "nits" } else { "finding" };
        out.push_str(&format!("{} {kind} [{}]", at + 1, ids(&item.ids)));
        if item.nits {
            for (id, text) in &item.parts {
                out.push_str(&format!(" {id}={}", shown(text)));
            }
        } else {
            out.push_str(&format!(" {}", shown(&item.text)));
        }
        out.push('\n');
    }
    out.push_str(&complaints(&spec.complaints));
    out
}

#[test]
fn derived_specs_read_as_the_table_says() {
    check("wave-spec.md", render_spec);
}

fn render_ledger(case: &Case) -> String {
    let ledger = ledger::read(case.input.as_bytes());
    let mut out = format!(
        "iterations {} allowance {} verification {}\n",
        ledger.iterations,
        ledger.allowance,
        ledger
            .verification
            .as_ref()
            .map_or_else(|| "none".into(), shown)
    );
    if let Some(pending) = ledger.pending {
        let head = pending.head_before.short();
        out.push_str(&format!("pending {} from {head}\n", pending.row));
    }
    for row in &ledger.rows {
        let status = row.status.word();
        let evidence = shown(&row.evidence);
        out.push_str(&format!(
            "row {} {status} {} [{evidence}]\n",
            row.number, row.attempts
        ));
    }
    for line in &ledger.decisions {
        let says = match &line.says {
            DecisionSays::Result { done, .. } => format!("done {done}"),
            DecisionSays::Escalated { allowance } => format!("escalated {allowance}"),
            DecisionSays::Reopened { ids: open, why, .. } => {
                format!("reopened [{}] {why}", ids(open))
            }
        };
        let route = line.says.route().map_or("", |route| route.word());
        let text = format!("decision {} {says} {route}", line.row);
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out.push_str(&complaints(&ledger.complaints));
    out
}

#[test]
fn ledgers_read_as_the_table_says() {
    check("wave-ledger.md", render_ledger);
}

const HEAD: &str = "# Ledger - loop engine\n**Spec:** `/tmp/s`\n\
    base: 1111111111111111111111111111111111111111\nverification: none\nchecks: commands\n";

#[test]
fn five_megabytes_are_read_whole() {
    let rows = 40_000u32;
    let mut text = format!("{HEAD}iterations: {rows}\nallowance: 4\n\n");
    text.push_str("| row | status | attempts | evidence |\n|---|---|---|---|\n");
    for n in 1..=rows {
        text.push_str(&format!(
            "| {n} | failed | 1 | pytest -q tests/test_{n}.py; red |\n"
        ));
    }
    text.push_str("\n## Leg mapping\n\n| row | ac | leg |\n|---|---|---|\n");
    for n in 1..=rows {
        text.push_str(&format!("| {n} | {n} | gatekeep |\n"));
    }
    text.push_str("\n## Decisions\n");
    for n in 1..=rows {
        text.push_str(&format!(
            "row {n} failed | tried the obvious fix | it is still red\n"
        ));
    }
    assert!(text.len() > 5_000_000, "{}", text.len());
    let ledger = ledger::read(text.as_bytes());
    assert_eq!(ledger.rows.len(), rows as usize);
    assert!(ledger.is_sound(), "{:?}", ledger.complaints.first());
    let said = countersign::gate::wave::row::said(&ledger);
    assert!(said.iter().all(|said| said.last.is_some()));
    let mut nits = String::from(
        "# Findings spec - gatekeep-pr a/b#1\n## Scope\nx\n## Acceptance criteria\n- [ ] fix nits: P1: a",
    );
    for n in 2..=rows {
        nits.push_str(&format!(
            "; P{n}: a word; and another; about P{}: here",
            n - 1
        ));
    }
    let spec = spec::read(nits.as_bytes());
    assert_eq!(spec.items[0].parts.len(), rows as usize);
}

#[test]
fn no_bytes_make_a_reader_stumble() {
    let good = format!("{HEAD}iterations: 0\nallowance: 4\n\n| 1 | open | 0 | |\n");
    for cut in 0..good.len() {
        let _ = ledger::read(&good.as_bytes()[..cut]);
        let _ = spec::read(&good.as_bytes()[..cut]);
        let _ = record::read(&good.as_bytes()[..cut]);
    }
    let odd: [&[u8]; 5] = [
        b"\xff\xfe",
        b"{\"a\":\"\\ud800\"}",
        b"| | | |",
        b"\r\r\n",
        b"row 1 done |",
    ];
    for bytes in odd {
        assert!(!ledger::read(bytes).is_sound());
        assert!(!record::read(bytes).is_sound());
        assert!(!sound(&spec::read(bytes).complaints));
    }
}

fn sound(all: &[Complaint]) -> bool {
    countersign::model::wave::sound(all)
}

#[test]
fn an_identity_is_compared_part_by_part() {
    let text = r#"{"consent":{"target":{"repo":"Ferry/Dock","number":42,"base":"Main"}}}"#;
    let target = record::read(text.as_bytes()).target.expect("a target");
    let compare = |repo, number, base| record::mismatches(&target, repo, number, base).len();
    assert_eq!(compare(Some("ferry/DOCK"), Some(42), Some("Main")), 0);
    assert_eq!(compare(None, None, None), 0);
    assert_eq!(compare(Some("ferry/deck"), Some(43), Some("main")), 3);
}

#[test]
fn a_later_copy_may_grow_and_never_shrinks() {
    let with = |used: &str, cap: &str, course: &str| {
        let text = format!(
            r#"{{"consent":{{"target":{{"repo":"a/b","number":1,"base":"m"}}}},"worktree":"/w",
            "course":{course},"repair":{{"rounds_used":{used},"rounds_cap":{cap},"syncs_used":0,
            "syncs_cap":{cap},"wave":null}},"deadline":null,"approved_head":null,"cleanup_done":false}}"#
        );
        record::read(text.as_bytes())
    };
    let old = with("3", "10", "\"deliver\"");
    assert!(old.is_sound(), "{:?}", old.complaints);
    let rows = [
        (with("3", "10", "\"deliver\""), 0),
        (with("4", "20", "\"assess\""), 0),
        (with("4", "15", "\"deliver\""), 2),
        (with("2", "10", "\"deliver\""), 1),
        (with("3", "8", "\"deliver\""), 2),
        (with("3", "10", "null"), 1),
        (with("\"3\"", "10", "\"deliver\""), 1),
        (record::read(b"{}"), 6),
    ];
    for (new, wanted) in rows {
        let lost = record::resets(&old, &new, Some(10));
        assert_eq!(lost.len(), wanted, "{lost:?}");
    }
}
