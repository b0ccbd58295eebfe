//! `tests/truth/spec-state.md` and the laws of frontmatter.

use countersign::adapters::spec::{front, tree};
use countersign::gate::spec::{approval, state};
use countersign::model::spec::front::{Front, find};
use countersign::model::text::Foreign;

use super::{files, told};
use crate::truth::{self, Case};

/// What stands around a root in the form `root`.
const AROUND: &str = "=== ledger/c1.aaaaaa.jsonl
{\"seq\":1,\"kind\":\"gate\",\"cr\":\"c1\",\"gate\":\"spec\",\"verdict\":\"approve\",\"by\":\"ada\"}
{\"seq\":2,\"kind\":\"gate\",\"cr\":\"c1\",\"gate\":\"impl\",\"verdict\":\"approve\",\"by\":\"ada\"}
=== n/n.feature
Feature: n
";

fn judged(case: &Case) -> String {
    let mut words = case.form.split(' ');
    let form = words.next().unwrap_or_default();
    let mut cr = None;
    let mut text = match form {
        "root" => format!("{AROUND}=== spec.md\n{}", case.input),
        "node" => format!("=== n/README.md\n{}", case.input),
        _ => case.input.clone(),
    };
    for word in words {
        match word {
            "crlf" => text = text.replace('\n', "\r\n"),
            "bom" => text = text.replace("md\n---", "md\n\u{feff}---"),
            word => cr = word.strip_prefix("cr=").map(Foreign::from),
        }
    }
    told(&state::tree(&tree::build(&files(&text)), cr.as_ref()))
}

#[test]
fn roots_and_nodes_are_judged_by_the_table() {
    truth::check("spec-state.md", judged);
}

#[test]
fn the_bytes_of_a_value_are_its_own_in_every_form() {
    let forms = [
        "---\napproval:\n  spec:\n    by: agent\n---\n",
        "\u{feff}---\r\napproval:\r\n  spec:\r\n    by: agent\r\n---\r\n",
        "---\napproval: { spec: { verdict: approve, by: agent } }\n---\n",
        "---\napproval:\n    spec:\n        by:   agent   # for now\n---\n",
        "---\nnäme: ü — {\napproval:\n  spec:\n    why:\n      floor: none: nothing\n    by: agent\n---\n",
        "---\napproval:\n  spec:\n    by: 'agent'\n---\n",
    ];
    for form in forms {
        let (front, _) = front::read(form.as_bytes());
        let approval =
            approval::approval(&front, "spec").unwrap_or_else(|| panic!("{form} {front:?}"));
        let by = approval.by.expect("by");
        let bytes = by.value.bytes.clone();
        let text = form.get(bytes).expect("a place");
        assert!(text == "agent" || text == "'agent'", "{form}: {text:?}");
    }
}

#[test]
fn no_bytes_make_the_reader_of_frontmatter_fail() {
    let pieces = [
        "---\n",
        "a: b\n",
        "a: b: c\n",
        "  - x\n",
        "\t",
        "{",
        "}",
        "&a ",
        "*a",
        "'",
        "\"",
        ": ",
        "? ",
        "!!t ",
        "|\n",
        "\u{feff}",
        "\r\n",
        "é",
        "#",
        "@x: `y`\n",
    ];
    let mut state = 7u32;
    for _ in 0..4000 {
        let mut text = String::from("---\n");
        for _ in 0..12 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(pieces[(state >> 16) as usize % pieces.len()]);
        }
        text.push_str("\n---\n");
        let (front, body) = front::read(text.as_bytes());
        assert!(body <= text.len());
        if let Front::Read { entries, .. } = front {
            let _ = find(&entries, "a").map(|entry| {
                assert!(entry.value.bytes.end <= text.len(), "{text:?}");
                assert!(text.get(entry.value.bytes.clone()).is_some(), "{text:?}");
            });
        }
    }
}
