//! `tests/truth/spec-suite.md`.

use countersign::adapters::spec::{gherkin, tree};
use countersign::gate::spec::suite;
use countersign::model::id::RepoPath;

use super::{files, told};
use crate::truth::{self, Case};

fn judged(case: &Case) -> String {
    let text = match case.form.as_str() {
        "suite" => format!("=== n.feature\n{}", case.input),
        _ => case.input.clone(),
    };
    told(&suite::tree(&tree::build(&files(&text)), &[]))
}

#[test]
fn suites_are_judged_by_the_table() {
    truth::check("spec-suite.md", judged);
}

#[test]
fn crlf_and_a_byte_order_mark_change_nothing() {
    for case in truth::cases("spec-suite.md") {
        let forms = [
            case.input.replace('\n', "\r\n"),
            case.input.replace("feature\n", "feature\n\u{feff}"),
        ];
        for text in forms {
            let text = match case.form.as_str() {
                "suite" => format!(
                    "=== n.feature\n{}{text}",
                    if text.contains('\r') { "" } else { "\u{feff}" }
                ),
                _ => text,
            };
            let got = told(&suite::tree(&tree::build(&files(&text)), &[]));
            assert_eq!(got, case.says, "{}", case.title);
        }
    }
}

#[test]
fn no_bytes_make_the_parser_fail() {
    let pieces = [
        "Feature: a\n",
        "Rule: r\n",
        "Scenario: s\n",
        "Scenario Outline: <a>\n",
        "Background:\n",
        "Examples:\n",
        "Given a\n",
        "* b\n",
        "| a | b\n",
        "|\\|\\\n",
        "\"\"\"\n",
        "```x\n",
        "@t@u\n",
        "@ x\n",
        "# language: fr\n",
        "#\n",
        "\r",
        "  ",
        "text\n",
        "é\u{202e}\n",
        "\u{feff}",
    ];
    let mut state = 11u32;
    for _ in 0..6000 {
        let mut text = String::new();
        for _ in 0..16 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(pieces[(state >> 16) as usize % pieces.len()]);
        }
        let parsed = gherkin::read(&RepoPath::from("a.feature"), text.as_bytes());
        let lines = u32::try_from(text.lines().count()).unwrap();
        assert!(
            parsed
                .errors
                .iter()
                .all(|(line, _)| (1..=lines).contains(line)),
            "{text:?}"
        );
        let mut notes = Vec::new();
        suite::suite(&parsed, &mut notes);
        assert!(parsed.errors.is_empty() || notes.len() == parsed.errors.len());
    }
}
