//! The truth tables under `tests/truth`, row by row, and the whole space behind each of them.

use std::collections::BTreeMap;

use countersign::gate::permit::{Permit, Verb};
use countersign::gate::standing::{Case, Exempt, Proof, Ruled, stands};
use countersign::gate::verify::Status;
use countersign::gate::verify::table::{Caller, Inputs, row, row_c};
use countersign::model::ruling::Verdict;
use countersign::model::standing::Standing;

use super::words::{called, table, world};

const VERDICT: &str = include_str!("../../truth/verdict.md");

/// The source's own sentences ("Decision rules", "Circuit breakers", "Standalone invocation" of
/// its verify gate) as code, so that the table is checked against them and not against itself.
fn source(inputs: Inputs) -> &'static str {
    let Inputs {
        breaker,
        caller,
        round,
        se,
        t,
        mm,
    } = inputs;
    // "Circuit breakers ... -> ESCALATE"
    if breaker {
        return "ESCALATE";
    }
    // "From /gaze: round > 2 -> immediate ESCALATE."
    if round > 2 && matches!(caller, Caller::Gaze) {
        return "ESCALATE";
    }
    // "Any scope_overflow entry with suggested disposition ESCALATE -> ESCALATE."
    if se {
        return "ESCALATE";
    }
    // "... -> REROLL (round 1) / ESCALATE (round 2)"; "If round == 2 and any trigger fires ->
    // upgrade to ESCALATE. Never a third round."
    if t {
        return if round == 1 { "REROLL" } else { "ESCALATE" };
    }
    // "Untagged minors ... do not bounce on their own. On round 2 any untagged minor still
    // present -> ESCALATE."
    if mm && round >= 2 {
        return "ESCALATE";
    }
    // "Standalone: round > 2 -> warn and proceed"; "All lists empty AND all criteria ADDRESSED
    // -> APPROVED".
    "APPROVED"
}

fn all_inputs() -> Vec<Inputs> {
    let mut out = Vec::new();
    for bits in 0..16u32 {
        for caller in [Caller::Standalone, Caller::Gaze] {
            for round in [1, 2, 3] {
                out.push(Inputs {
                    breaker: bits & 1 != 0,
                    se: bits & 2 != 0,
                    t: bits & 4 != 0,
                    mm: bits & 8 != 0,
                    caller,
                    round,
                });
            }
        }
    }
    assert_eq!(out.len(), 96);
    out
}

fn yes(cell: &str, value: bool) -> bool {
    match cell {
        "any" => true,
        "yes" => value,
        "no" => !value,
        other => panic!("{other} is neither yes, no nor any"),
    }
}

fn row_matches(cells: &[String], inputs: Inputs) -> bool {
    let caller = match cells[2].as_str() {
        "any" => true,
        "gaze" => inputs.caller == Caller::Gaze,
        "standalone" => inputs.caller == Caller::Standalone,
        other => panic!("{other} is no caller"),
    };
    let round = match cells[3].as_str() {
        "any" => true,
        "1" => inputs.round == 1,
        "2" => inputs.round == 2,
        "2+" => inputs.round >= 2,
        "3+" => inputs.round >= 3,
        other => panic!("{other} is no round"),
    };
    caller
        && round
        && yes(&cells[1], inputs.breaker)
        && yes(&cells[4], inputs.se)
        && yes(&cells[5], inputs.t)
        && yes(&cells[6], inputs.mm)
}

#[test]
fn all_96_combinations_end_as_the_source_and_the_table_say() {
    let rows = table(VERDICT, 0);
    let mut hits: BTreeMap<usize, u32> = BTreeMap::new();
    for inputs in all_inputs() {
        let ours = row(inputs);
        assert_eq!(ours.verdict().word(), source(inputs), "{inputs:?}");
        let at = rows
            .iter()
            .position(|cells| row_matches(cells, inputs))
            .unwrap_or_else(|| panic!("no row for {inputs:?}"));
        assert_eq!(ours.name(), format!("row {}", rows[at][0]), "{inputs:?}");
        assert_eq!(ours.verdict().word(), rows[at][7], "{inputs:?}");
        *hits.entry(at).or_default() += 1;
    }
    for (at, cells) in rows.iter().enumerate() {
        let count = hits.get(&at).copied().unwrap_or(0);
        assert_eq!(count.to_string(), cells[8], "row {}", cells[0]);
    }
    for round in 4..=9 {
        for inputs in all_inputs().into_iter().filter(|i| i.round == 3) {
            assert_eq!(
                row(inputs),
                row(Inputs { round, ..inputs }),
                "later rounds are the third"
            );
        }
    }
}

#[test]
fn row_c_is_the_disjunction_of_three() {
    let rows = table(VERDICT, 1);
    assert_eq!(rows.len(), 8);
    for cells in rows {
        let of = |at: usize| yes(&cells[at], true);
        assert_eq!(row_c(of(0), of(1), of(2)), of(3), "{cells:?}");
    }
}

#[test]
fn every_standing_has_one_status() {
    let rows = table(VERDICT, 2);
    let mut listed: Vec<_> = rows.iter().map(|cells| cells[0].as_str()).collect();
    for standing in Standing::ALL {
        let cells = rows.iter().find(|cells| cells[0] == standing.word());
        let cells = cells.unwrap_or_else(|| panic!("{} has no row", standing.word()));
        assert_eq!(Status::of(standing, false).word(), cells[1], "{standing:?}");
        assert_eq!(Status::of(standing, true), Status::Exempt);
        listed.retain(|word| *word != standing.word());
    }
    assert!(listed.is_empty(), "{listed:?} are no standings");
}

fn case_matches(cells: &[String], case: Case) -> bool {
    let is = |cell: &str, word: &str| match cell.strip_prefix("not ") {
        _ if cell == "any" || cell == word => true,
        Some(other) if !matches!(cell, "not met" | "not run" | "not applicable") => other != word,
        _ => false,
    };
    let exempt = match case.exempt {
        None => "no",
        Some(Exempt::Optional) => "optional",
        Some(Exempt::PostMerge) => "post-merge",
    };
    let ruled = match case.ruled {
        Ruled::Nothing => "nothing",
        Ruled::Ratified => "ratified",
        Ruled::Carried => "carried",
        Ruled::KickedBack => "kicked back",
        Ruled::CalledWrong => "called wrong",
        Ruled::Abandoned => "abandoned",
        Ruled::AcceptedPartial => "partial accepted",
        Ruled::Lifted => "lifted",
        Ruled::NotApplicable => "not applicable",
        Ruled::Overridden => "overridden",
    };
    let oracle = match case.proof {
        Proof::Manual => "manual",
        Proof::NotRun => "not run",
        Proof::Met => "met",
        Proof::NotMet => "not met",
        Proof::Error => "error",
    };
    is(&cells[0], exempt)
        && is(&cells[1], ruled)
        && is(&cells[2], oracle)
        && yes(&cells[3], case.earlier)
        && yes(&cells[4], case.abandoned)
        && yes(&cells[5], case.weak)
        && yes(&cells[6], case.unclaimed)
}

fn all_cases() -> Vec<Case> {
    let mut out = Vec::new();
    for proof in Proof::ALL {
        for ruled in Ruled::ALL {
            for exempt in [None, Some(Exempt::Optional), Some(Exempt::PostMerge)] {
                for bits in 0..16u8 {
                    out.push(Case {
                        proof,
                        ruled,
                        exempt,
                        earlier: bits & 1 != 0,
                        abandoned: bits & 2 != 0,
                        weak: bits & 4 != 0,
                        unclaimed: bits & 8 != 0,
                    });
                }
            }
        }
    }
    out
}

#[test]
fn all_2400_cases_of_a_criterion_stand_where_the_table_says() {
    let rows = table(include_str!("../../truth/standing.md"), 0);
    let mut hits = vec![0; rows.len()];
    for case in all_cases() {
        let at = rows
            .iter()
            .position(|cells| case_matches(cells, case))
            .unwrap_or_else(|| panic!("no row for {case:?}"));
        hits[at] += 1;
        let found = stands(case);
        let owed = if found.owed { "yes" } else { "no" };
        assert_eq!(
            (found.standing.word(), found.word, owed),
            (
                rows[at][7].as_str(),
                rows[at][8].as_str(),
                rows[at][9].as_str()
            ),
            "{case:?}"
        );
    }
    for (at, cells) in rows.iter().enumerate() {
        assert!(hits[at] > 0, "a row that nothing reaches: {cells:?}");
    }
}

/// Where the spec gate stands in the way, the page says so and what would take it out.
#[test]
fn what_the_spec_gate_holds_up_is_named_among_what_is_needed() {
    let nearest = |words: &str| {
        world(&format!("manual 1, ratify 1, {words}"))
            .judge()
            .nearest
    };
    assert_eq!(nearest("spec clear"), "");
    let both = nearest("spec both");
    assert!(
        both.contains("the spec is mended (1 violation)")
            && both.contains("granted or marked at the spec gate"),
        "{both}"
    );
    let up = nearest("spec up");
    assert!(!up.contains("is mended") && up.contains("granted"), "{up}");
}

#[test]
fn facts_end_in_the_rulings_of_the_table() {
    let mut faults = Vec::new();
    for cells in table(include_str!("../../truth/ruling.md"), 0) {
        let judgment = world(&cells[0]).judge();
        let words = |verdicts: &[Verdict]| {
            verdicts
                .iter()
                .map(|v| v.word())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let sign: Vec<Verdict> = judgment
            .signing
            .iter()
            .filter(|row| row.closed.is_none())
            .map(|row| row.verdict)
            .collect();
        let found = [
            judgment.verify.word().to_owned(),
            judgment.ruling.word().to_owned(),
            words(&judgment.can_end),
            words(&sign),
        ];
        if found[..] != cells[1..] {
            faults.push(format!(
                "{}\n  want {:?}\n  have {found:?}",
                cells[0],
                &cells[1..]
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn says(permit: &Permit) -> String {
    match permit {
        Permit::Open(does) => format!("open: {does}"),
        Permit::Locked(does) => format!("locked: {does}"),
        Permit::Closed { because, .. } => format!("closed: {}", because.why),
        Permit::Absent => "–".into(),
    }
}

#[test]
fn items_permit_what_the_table_says() {
    let mut faults = Vec::new();
    for cells in table(include_str!("../../truth/permits.md"), 0) {
        let judgment = world(&cells[0]).judge();
        let item = judgment
            .items
            .iter()
            .find(|item| called(&item.subject) == cells[1])
            .unwrap_or_else(|| panic!("no item {} in {}", cells[1], cells[0]));
        assert_eq!(item.permits.subject, item.subject);
        let found: Vec<String> = Verb::ALL
            .into_iter()
            .map(|verb| says(item.permits.of(verb)))
            .collect();
        if found != cells[2..] {
            faults.push(format!(
                "{} [{}]\n  want {:?}\n  have {found:?}",
                cells[0],
                cells[1],
                &cells[2..]
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn owed_counts_the_stops_of_n() {
    for cells in table(include_str!("../../truth/owed.md"), 0) {
        let judgment = world(&cells[0]).judge();
        let stops: Vec<String> = judgment
            .items
            .iter()
            .filter(|item| item.owed)
            .map(|item| called(&item.subject))
            .collect();
        let comma = stops
            .iter()
            .any(|stop| stop.contains(' ') || stop.len() > 1);
        let joined = stops.join(if comma { ", " } else { " " });
        assert_eq!(joined, cells[1], "{}", cells[0]);
        assert_eq!(judgment.owed, stops.len(), "{}", cells[0]);
        assert_eq!(judgment.decided.to_string(), cells[2], "{}", cells[0]);
        let panes: Vec<_> = judgment.items.iter().map(|item| item.pane).collect();
        assert!(panes.is_sorted(), "n walks downwards: {}", cells[0]);
    }
}

#[test]
fn what_a_program_writes_needs_no_edge_and_what_has_a_risk_of_its_own_does() {
    use super::world::{World, file};
    use countersign::gate::policy::Policy;
    use countersign::model::known::Known;
    use countersign::model::scope::Risk;
    let world = |risk: Risk| {
        let mut world = World::new().overflow("web/app.lock");
        if let Known::Is(scope) = &mut world.dossier.scope {
            for file in &mut scope.files {
                file.risk = risk;
            }
        }
        world
    };
    let owed = |world: &World| {
        let judgment = world.judge();
        judgment
            .items
            .iter()
            .any(|item| item.subject == file("web/app.lock"))
    };
    for (risk, made) in [
        (Risk::Plain, true),
        (Risk::Lock, true),
        (Risk::Ci, false),
        (Risk::Permission, false),
        (Risk::DeletedTest, false),
        (Risk::Contract, false),
        (Risk::Build, false),
    ] {
        let mut world = world(risk);
        assert!(owed(&world), "{risk:?}");
        world.policy.scope_generated = vec!["web/*.lock".into()];
        assert_eq!(owed(&world), !made, "{risk:?}");
        world.policy.scope_generated = vec!["*.lock".into()];
        assert!(owed(&world), "a star stays inside one part of a path");
    }
    let mut watched = world(Risk::Lock);
    watched.policy.scope_generated = vec!["web/".into()];
    watched.policy.scope_watch = vec!["web/".into()];
    assert!(owed(&watched), "what is watched is owed whatever writes it");
    let own = Policy {
        scope_generated: vec!["web/".into()],
        ..Policy::default()
    };
    assert_eq!(Policy::default().tightened(&own).scope_generated.len(), 0);
    assert_eq!(own.tightened(&Policy::default()).scope_generated, ["web/"]);
}
