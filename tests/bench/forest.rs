//! A spec tree of a size that people have, made by rule: 6 roots, 138 nodes with their suites, 180
//! shards with everything that real ledgers hold. Used by tests and by the bench.

use std::fmt::Write as _;

/// Roots of the tree.
pub(crate) const ROOTS: usize = 6;
/// Nodes of a root, each with a suite.
pub(crate) const NODES: usize = 23;
/// Shards of a root.
pub(crate) const SHARDS: usize = 30;

/// Numbers that look random and never change.
struct Dice(u32);

impl Dice {
    fn roll(&mut self, sides: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 16) % sides
    }
}

/// Every file by path, and how many scenarios stand in them.
pub(crate) fn forest() -> (Vec<(String, String)>, usize) {
    let mut dice = Dice(2026);
    let mut files = Vec::new();
    let mut scenarios = 0;
    for root in 0..ROOTS {
        let dir = format!(".agents/specs/p{root}");
        let cr = format!("cr-{root}-{}", SHARDS - 1);
        files.push((format!("{dir}/spec.md"), spec(root, &cr)));
        for node in 0..NODES {
            let (feature, readme, count) = area(&mut dice, root, node);
            scenarios += count;
            files.push((format!("{dir}/n{node}/n{node}.feature"), feature));
            files.push((format!("{dir}/n{node}/README.md"), readme));
        }
        for shard in 0..SHARDS {
            let name = format!(
                "cr-{root}-{shard}.{:06x}.jsonl",
                0x00a0_0000 + root * 64 + shard
            );
            files.push((
                format!("{dir}/ledger/{name}"),
                lines(&mut dice, root, shard),
            ));
        }
    }
    (files, scenarios)
}

fn spec(root: usize, cr: &str) -> String {
    format!(
        "---\nstatus: implemented\nproject-path: packages/p{root}\napproval:\n  spec:\n    verdict: approve\n    by: agent\n    cause: dimension\n    why:\n      floor: none — nothing narrowed\n      blast: low\n      novelty: low\n      confidence: high — two rounds: both clean\n      cr: {cr}\n  impl:\n    verdict: approve\n    by: ada\n    cr: {cr}\n---\n# Project {root}\n\n## What\n\nBoats of pier {root}.\n"
    )
}

fn area(dice: &mut Dice, root: usize, node: usize) -> (String, String, usize) {
    let mut feature = format!("@frozen\nFeature: area {root}.{node}\n  What boats do here.\n\n");
    let mut cases = String::from("## Use Cases\n\n| Case | Scenario |\n|---|---|\n");
    let mut map = String::from("\n## Scenario map\n\n| Edge | Path | Scenario |\n|---|---|---|\n");
    let count = 3 + dice.roll(5) as usize;
    if dice.roll(3) == 0 {
        feature.push_str("  Background:\n    Given a pier\n\n");
    }
    feature.push_str("  # ── Boats ──\n\n");
    for scenario in 0..count {
        let name = format!("boat {scenario} of {root}.{node}");
        let body = match dice.roll(4) {
            0 => format!(
                "  Scenario Outline: {name}\n    Given a <kind>\n    When it leaves\n    Then <count> wait\n\n    Examples:\n      | kind  | count |\n      | ferry | 2     |\n      | cargo | 0     |\n\n"
            ),
            1 => format!(
                "  @slow\n  Scenario: {name}\n    Given a boat\n    * a crew\n    When it leaves with\n      ```json\n      {{\"usually\": true}}\n      ```\n    Then the board is empty\n\n"
            ),
            2 => format!(
                "  Example: {name}\n    Given the boats\n      | name | seats |\n      | Wyk  | 12    |\n    When one leaves\n    Then one is left\n\n"
            ),
            _ => format!(
                "  Scenario: {name}\n    Given a boat\n    When it leaves\n    Then the board is empty\n    And the lights are off\n\n"
            ),
        };
        feature.push_str(&body);
        let _ = writeln!(cases, "| case {scenario} | `Scenario: {name}` |");
        let _ = writeln!(map, "| edge {scenario} | given {scenario} | `{name}` |");
    }
    let other = dice.roll(NODES as u32);
    let readme = format!(
        "---\nspec-type: behavioral\nconcept: harbor\n---\n# Area {root}.{node}\n\nSee [another](../n{other}/README.md).\n\n{cases}{map}"
    );
    (feature, readme, count)
}

fn lines(dice: &mut Dice, root: usize, shard: usize) -> String {
    let cr = format!("cr-{root}-{shard}");
    let named = match dice.roll(8) {
        0 => format!("\"cr-ref\":\"{cr}\""),
        _ => format!("\"cr\":\"{cr}\""),
    };
    let seq = |at: u32| {
        if shard.is_multiple_of(3) {
            String::new()
        } else {
            format!("\"seq\":{at},")
        }
    };
    let mut out = format!(
        "{{{}\"kind\":\"leash\",{named},\"leash\":\"auto-spec\",\"by\":\"derived\"}}\n",
        seq(1)
    );
    let why = match dice.roll(3) {
        0 => "\"why\":\"fits\",",
        1 => "\"why\":{\"floor\":\"none\"},",
        _ => "",
    };
    let _ = writeln!(
        out,
        "{{{}\"kind\":\"gate\",{named},\"gate\":\"spec\",\"verdict\":\"approve\",\"by\":\"agent\",{why}\"frozen\":[\"n1/n1.feature\"]}}",
        seq(2)
    );
    let _ = writeln!(
        out,
        "{{{}\"kind\":\"gate\",{named},\"gate\":\"impl\",\"verdict\":\"approve\",\"by\":\"ada\"}}",
        seq(3)
    );
    for at in 0..dice.roll(4) {
        let kind = ["followup", "note", "report", "retraction"][at as usize % 4];
        let _ = writeln!(
            out,
            "{{{}\"kind\":\"{kind}\",{named},\"note\":\"{}\"}}",
            seq(4 + at),
            "x".repeat(200)
        );
    }
    // two shards of the whole tree were cut off in a verdict, as happens
    if (root, shard) == (1, 4) || (root, shard) == (2, SHARDS - 1) {
        out.push_str("{\"kind\":\"gate\",\"gate\":\"impl\",\"verdict\":\"approve\",\"why\":{\"floor\":\"none\"\n");
    }
    out
}
