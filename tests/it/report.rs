//! Verdict reports: the corpus of `tests/corpus/triage` with what is said of each file, the truth
//! table `tests/truth/report.md`, and the false alarms of the rules that guess.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use countersign::gate::menu::chase::{Class, Origin};
use countersign::gate::report::{Given, Hotfix, Linted, RULES, Severity, Variant, lint, words};

use crate::truth::{self, Case};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/triage")
}

/// What the words of a table row give: `gate real tracked unaddressable aborted`.
fn given(text: &str) -> Given {
    let mut given = Given::default();
    for word in text.split_whitespace() {
        let variant = Variant::ALL.into_iter().find(|v| v.name() == word);
        let class = Class::parse(word);
        match word {
            "tracked" => given.origin = Some(Origin::Tracked),
            "untracked" => given.origin = Some(Origin::Untracked),
            "addressable" => given.addressable = Some(true),
            "unaddressable" => given.addressable = Some(false),
            "no-hotfix" => given.hotfix = Some(Hotfix::None),
            "aborted" => given.hotfix = Some(Hotfix::Aborted),
            "returned" => given.hotfix = Some(Hotfix::Returned),
            "unpushed" => given.hotfix = Some(Hotfix::Unpushed),
            _ if variant.is_some() => given.variant = variant,
            _ if class.is_some() => given.class = class,
            _ => panic!("{word} in {text}"),
        }
    }
    given
}

/// The findings as `V12:7`, warnings with a `?` behind.
fn found(linted: &Linted) -> Vec<String> {
    let all = linted.findings.iter();
    all.map(|finding| {
        let mark = if finding.severity == Severity::Warning {
            "?"
        } else {
            ""
        };
        format!("{}{mark}:{}", finding.id, finding.span.line)
    })
    .collect()
}

struct Row {
    file: String,
    given: Given,
    words: usize,
    says: Vec<String>,
}

/// The table in the corpus's README.
fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(folder().join("README.md")).expect("the table");
    let rows = text.lines().filter(|line| line.contains(".md |"));
    rows.map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, file, with, words, says, _] = cells[..] else {
            panic!("{line}")
        };
        Row {
            file: file.to_owned(),
            given: given(with),
            words: words.parse().expect("a number"),
            says: says.split_whitespace().map(str::to_owned).collect(),
        }
    })
    .collect()
}

fn files() -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    for group in ["golden", "older", "honest"] {
        for entry in std::fs::read_dir(folder().join(group)).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            files.insert(format!("{group}/{}", name.to_string_lossy()));
        }
    }
    files
}

fn linted(row: &Row) -> Linted {
    let bytes = std::fs::read(folder().join(&row.file)).expect("a report");
    lint(&bytes, &row.given)
}

#[test]
fn every_report_of_the_corpus_lints_as_its_row_says() {
    let rows = rows();
    let named: BTreeSet<String> = rows.iter().map(|row| row.file.clone()).collect();
    assert_eq!(named, files());
    assert_eq!(rows.len(), 28, "three golden, five older, twenty honest");
    let mut wrong = Vec::new();
    for row in &rows {
        let linted = linted(row);
        let found = found(&linted);
        if found != row.says || linted.words != row.words {
            wrong.push(format!(
                "{}: {} words, {}",
                row.file,
                linted.words,
                found.join(" ")
            ));
        }
        let kind = row.file.split('/').next().expect("a folder");
        assert_eq!(
            linted.has_errors(),
            kind == "older",
            "{}: {found:?}",
            row.file
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// On twenty honest reports every warning is a false alarm; they are counted and printed.
#[test]
fn false_alarms_of_the_rules_that_guess_are_counted() {
    let mut alarms: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut reports = 0;
    for row in rows().iter().filter(|row| row.file.starts_with("honest/")) {
        reports += 1;
        for finding in linted(row).findings {
            let says = format!("{}:{}", row.file, finding.span.line);
            alarms.entry(finding.id).or_default().push(says);
        }
    }
    let total: usize = alarms.values().map(Vec::len).sum();
    let mut says = format!("{total} false alarms on {reports} honest reports\n");
    for rule in RULES.iter().filter(|rule| rule.heuristic) {
        let own = alarms.get(rule.id).map(Vec::as_slice).unwrap_or_default();
        says.push_str(&format!("  {} {} {}\n", rule.id, own.len(), own.join(" ")));
    }
    std::io::stdout()
        .write_all(says.as_bytes())
        .expect("printed");
    assert_eq!(reports, 20);
    let guesses: BTreeSet<&str> = RULES.iter().filter(|r| r.heuristic).map(|r| r.id).collect();
    let sure: Vec<_> = alarms.keys().filter(|id| !guesses.contains(*id)).collect();
    assert!(sure.is_empty(), "a rule that is sure: {alarms:?}");
    assert!(total <= 4, "{says}");
}

/// A case: the words of what is given behind the form, the report below.
fn case(case: &Case) -> String {
    let text = if case.form.contains("crlf") {
        case.input.replace('\n', "\r\n")
    } else {
        case.input.clone()
    };
    let with = case.form.replace("crlf", "").replace("report", "");
    found(&lint(text.as_bytes(), &given(&with))).join("\n")
}

#[test]
fn reports_lint_as_the_table_says() {
    truth::check("report.md", case);
}

#[test]
fn every_rule_has_a_row_that_raises_it() {
    let cases = truth::cases("report.md");
    let raised: BTreeSet<&str> = cases
        .iter()
        .flat_map(|case| case.says.lines())
        .filter_map(|line| line.split([':', '?']).next())
        .collect();
    for (rule, number) in RULES.iter().zip(1..) {
        assert_eq!(rule.id, format!("V{number:02}"));
        assert!(raised.contains(rule.id), "no row raises {}", rule.id);
        assert!(
            !rule.asks.is_empty() && !rule.hint.is_empty(),
            "{}",
            rule.id
        );
    }
}

/// Edge 7: 179 words pass, 180 do not; a mark alone is no word.
#[test]
fn a_report_has_fewer_than_180_words() {
    let report = |filler: usize| {
        let body = vec!["boat"; filler].join(" ");
        format!(
            "### What is broken\n\n{body} - ## ...\n\n### Why it is broken\n\nIt is late.\n\n\
             ### How to fix it\n\nSail on.\n"
        )
    };
    let headings = words(&report(0));
    assert_eq!(headings, 3 + 4 + 3 + 4 + 2);
    for (filler, ids) in [(179 - headings, vec![]), (180 - headings, vec!["V11"])] {
        let text = report(filler);
        let linted = lint(text.as_bytes(), &given("draft real"));
        let found: Vec<_> = linted.findings.iter().map(|f| f.id).collect();
        assert_eq!(found, ids, "{} words", linted.words);
    }
}

/// Every finding stands in the text and has a hint; any text is linted.
#[test]
fn findings_point_into_the_text_whatever_it_is() {
    let mut texts: Vec<Vec<u8>> = files()
        .iter()
        .map(|file| std::fs::read(folder().join(file)).expect("a report"))
        .collect();
    texts.push(Vec::new());
    texts.push(b"\n\n".to_vec());
    texts.push(b"### \xff\n```\n".to_vec());
    texts.push("### What is broken\n\n→ `ünclosed -> Proof: [a](b\n".into());
    let whole = texts.clone();
    for text in &whole {
        let half = text.len() / 2;
        texts.push(text.get(..half).unwrap_or_default().to_vec());
        texts.push(text.get(half..).unwrap_or_default().to_vec());
    }
    for text in &texts {
        for variant in Variant::ALL {
            let given = Given {
                variant: Some(variant),
                hotfix: Some(Hotfix::Unpushed),
                ..Given::default()
            };
            let linted = lint(text, &given);
            let shown = String::from_utf8_lossy(text).into_owned();
            let lines: Vec<&str> = shown.split('\n').collect();
            for finding in &linted.findings {
                let line = lines.get(finding.span.line as usize - 1).copied();
                let width = line.unwrap_or_default().chars().count() + 1;
                let span = finding.span;
                assert!(
                    span.from <= span.to && span.to as usize <= width,
                    "{finding:?}"
                );
                assert!(!finding.hint().is_empty());
            }
        }
    }
}
