//! The rules of the audit against their tables.

use countersign::adapters::chains::profile;
use countersign::gate::chains::{
    AuditVerdict, Counts, Finding, Profile, Said, SkillText, Tree, answer, audit, closed_form,
    counts, outline, shape, verdict,
};
use countersign::model::chain::{Basis, Chain, Flag, Level, Severity, Status};
use countersign::model::id::RepoPath;

use crate::truth::{Case, check};

pub(crate) fn built_in(name: &str) -> Profile {
    let text = profile::built_in(name).expect("it is built in");
    profile::read(name, text, &|_| None).expect("a good profile")
}

/// The files of a case, each with its path.
fn files(input: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in input.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("== ") {
            let path = path.trim();
            let path = if path.contains('/') {
                path.to_owned()
            } else {
                format!("skills/{path}/SKILL.md")
            };
            files.push((path, String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
        }
    }
    files
}

pub(crate) fn tree(files: &[(String, String)], profile: &Profile) -> Tree {
    let searcher = profile.searcher();
    let mut tree = Tree::default();
    for (path, text) in files {
        if path.ends_with("/SKILL.md") {
            let read = outline(text, profile, &searcher);
            let file = RepoPath::from(path.as_str());
            tree.skills.push(SkillText::new(file, Some(read)));
        } else if let Some((_, name)) = path.rsplit_once("agents/") {
            let name = name.trim_end_matches(".md");
            tree.agents.push(name.as_bytes().to_vec());
        }
    }
    tree.agents.sort();
    tree
}

fn shown(text: &countersign::model::text::Foreign) -> String {
    text.raw_str().expect("plain").to_owned()
}

#[test]
fn dispatches_are_found_as_the_table_says() {
    let profile = built_in("forge");
    check("chains-edges.md", |case: &Case| {
        let tree = tree(&files(&case.input), &profile);
        let found = audit(&tree, None, &profile);
        let name = |number: u32| tree.skills[number as usize].name.clone();
        let mut out = String::new();
        for row in &found.reverse {
            out.push_str(&format!(
                "{} <- {} {}\n",
                name(row.callee),
                name(row.caller),
                row.line
            ));
        }
        for chain in &found.chains {
            if let countersign::model::chain::Callee::Missing(_) = chain.callee_at {
                continue;
            }
            let lines = chain.lines(countersign::model::chain::Why::Edge);
            let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
            out.push_str(&format!(
                "{} -> {} {} {}\n",
                shown(&chain.caller),
                shown(&chain.callee),
                chain.strength.word(),
                lines.join(",")
            ));
        }
        for row in &found.unresolved {
            let kind = row.kind.word();
            let target = shown(&row.name);
            out.push_str(&format!(
                "? {} {target} {kind} {}\n",
                name(row.caller),
                row.line
            ));
        }
        out
    });
}

/// A chain as the tables write it.
fn result(chain: &Chain) -> String {
    let mut words = vec![chain.status.word().to_owned()];
    words.extend(chain.basis.iter().map(|basis| basis.code().to_owned()));
    let mut flags: Vec<&str> = chain.flags.iter().map(|flag| flag.code()).collect();
    flags.retain(|flag| *flag != Flag::DeclaredOpen.code());
    if chain.read_first() {
        flags.push("read-before-prescribing");
    }
    format!("{} | {}", words.join(" "), flags.join(" "))
}

#[test]
fn answers_come_back_as_the_table_says() {
    let profile = built_in("forge");
    check("chains-return.md", |case: &Case| {
        let tree = tree(&files(&case.input), &profile);
        let found = audit(&tree, None, &profile);
        let mut out = String::new();
        for chain in &found.chains {
            let line = format!(
                "{} -> {} {}",
                shown(&chain.caller),
                shown(&chain.callee),
                result(chain)
            );
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    });
}

#[test]
fn the_map_shows_what_the_table_says() {
    let profile = built_in("forge");
    check("chains-map.md", |case: &Case| {
        let tree = tree(&files(&case.input), &profile);
        let found = audit(&tree, None, &profile);
        let name = |number: &u32| tree.skills[*number as usize].name.clone();
        let pair = |at: &usize| {
            let chain = &found.chains[*at];
            format!("{} -> {}", shown(&chain.caller), shown(&chain.callee))
        };
        let mut out = String::new();
        for finding in shape(&found, true, &profile).findings {
            let line = match &finding {
                Finding::Cycle(ring) => {
                    let ring: Vec<String> = ring.iter().map(name).collect();
                    format!("cycle {}", ring.join(" "))
                }
                Finding::Orphan(number) => format!("orphan {}", name(number)),
                Finding::NoReturn(at) => format!("no-return {}", pair(at)),
                Finding::Unhandled(at, words) => {
                    format!("unhandled {} {}", pair(at), words.join(" "))
                }
            };
            out.push_str(&line);
            out.push('\n');
        }
        // of a part of the tree nobody can say that a skill is alone
        let part = shape(&found, false, &profile).findings;
        assert!(!part.iter().any(|one| matches!(one, Finding::Orphan(_))));
        out
    });
}

#[test]
fn verdict_lines_are_read_as_the_table_says() {
    let profile = built_in("forge");
    let searcher = profile.searcher();
    check("chains-verdict-line.md", |case: &Case| {
        let text = format!("## Done When\n{}", case.input);
        let read = outline(&text, &profile, &searcher);
        let found = answer(read.parts.iter().flat_map(|part| &part.units), &profile);
        let mut words = vec![found.level.word().to_owned()];
        words.extend(found.tokens.clone());
        if found.literal {
            words.push("literal".to_owned());
        }
        words.join(" ")
    });
}

#[test]
fn closed_forms_are_read_as_the_table_says() {
    let profile = built_in("forge");
    check("chains-closed-form.md", |case: &Case| {
        match closed_form(case.input.trim_end(), "tide-check", &profile) {
            None => "none".to_owned(),
            Some((callee, form)) => {
                let field = |field: &Option<countersign::model::text::Foreign>| {
                    field.as_ref().map_or_else(|| "-".to_owned(), shown)
                };
                format!(
                    "{callee} | {} | {}",
                    field(&form.condition),
                    field(&form.step)
                )
            }
        }
    });
}

/// Rows of a table of the file, below a heading.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/truth/chains-verdict.md");
    let text = std::fs::read_to_string(path).expect("the table");
    let at = text.find(heading).expect("the heading");
    let part = text[at + heading.len()..]
        .split("\n## ")
        .next()
        .expect("a part");
    let table = part.lines().filter(|line| line.starts_with('|'));
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim_matches('|').replace("\\ ", "");
        line.split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut rows: Vec<Vec<String>> = table.map(cells).collect();
    rows.remove(1);
    rows
}

/// A tree of two: the caller of a tier, the callee with an answer.
fn pair(caller: &str, answer: &str, arrow: &str) -> Chain {
    let profile = built_in("forge");
    let texts = [
        (
            format!("skills/{caller}/SKILL.md"),
            format!("## Chains\n{arrow}\n"),
        ),
        (
            "skills/the-callee/SKILL.md".to_owned(),
            format!("## Done When\n{answer}\n"),
        ),
    ];
    let found = audit(&tree(&texts, &profile), None, &profile);
    found.chains.into_iter().next().expect("a chain")
}

#[test]
fn severity_is_the_higher_of_both_tiers() {
    let table = rows("## Severity: the higher of two tiers");
    let answers = [
        "Verdict: PASS | FAIL",
        "Verdict: PASS | CONDITIONAL_PASS",
        "Verdict: PASS",
        "Verdict: GREEN | RED",
        "- done",
    ];
    let callers = ["steel-quench", "harness-doctor", "tide-watch"];
    for (row, caller) in table[1..].iter().zip(callers) {
        for (cell, answer) in row[1..].iter().zip(answers) {
            let chain = pair(caller, answer, "- → `the-callee` when late");
            assert_eq!(chain.severity.word(), cell, "{caller}, {answer}");
        }
    }
    assert_eq!(table.len(), 4);
}

#[test]
fn what_counts_is_what_the_table_says() {
    for row in &rows("## What counts")[1..] {
        let [strength, status, said, counts_in] = row.as_slice() else {
            panic!("{row:?}")
        };
        let arrow = match strength.as_str() {
            "mandatory" => "- → Mandatory next: `the-callee`",
            "conditional" => "- → `the-callee` when late",
            _ => "- `the-callee`, see also",
        };
        let mut chain = pair("tide-watch", "Verdict: PASS | FAIL", arrow);
        match status.as_str() {
            "CLOSED" => chain.status = Status::Closed,
            "OPEN, declared" => chain.basis.push(Basis::DeclaredOpen),
            _ => {}
        }
        let said = match said.as_str() {
            "nothing" => Said::Nothing,
            "accepted as declared" => Said::Declared,
            "closed by file and line" => Said::Closed,
            "kicked back" => Said::SentBack,
            other => panic!("{other}"),
        };
        let open = counts([(&chain, said)].into_iter()).open();
        assert_eq!(open == 1, counts_in == "yes", "{row:?}");
    }
}

#[test]
fn the_verdict_is_the_strictest_row() {
    let table = rows("## The verdict");
    for row in &table[1..] {
        let [calibration, high, medium, low, unread, word, exit] = row.as_slice() else {
            panic!("{row:?}")
        };
        let number = |text: &String| text.parse::<usize>().expect("a number");
        let sums = Counts {
            high: number(high),
            medium: number(medium),
            low: number(low),
            ..Counts::default()
        };
        let got = verdict(calibration == "ok", &sums, number(unread));
        assert_eq!(got.word(), word, "{row:?}");
        let code = match got {
            AuditVerdict::Pass => "0",
            AuditVerdict::ConditionalPass | AuditVerdict::Fail => "1",
            AuditVerdict::HarnessError => "10",
        };
        assert_eq!(code, exit, "{row:?}");
    }
    // every combination, against the words of the source read one after the other
    for bits in 0u32..32 {
        let on = |bit: u32| usize::from(bits & (1 << bit) != 0);
        let sums = Counts {
            high: on(0),
            medium: on(1),
            low: on(2),
            closed: 1,
            ..Counts::default()
        };
        let want = if on(3) == 0 {
            "HARNESS_ERROR"
        } else {
            match (on(0), on(4), on(1) + on(2)) {
                (1, _, _) => "FAIL",
                (_, 1, _) => "HARNESS_ERROR",
                (_, _, 0) => "PASS",
                _ => "CONDITIONAL_PASS",
            }
        };
        assert_eq!(verdict(on(3) == 1, &sums, on(4)).word(), want, "{bits:05b}");
    }
}

#[test]
fn a_higher_severity_never_comes_from_less() {
    assert!(Severity::High > Severity::Medium && Severity::Medium > Severity::Low);
    assert!(Level::Full > Level::Partial && Level::Partial > Level::Foreign);
}
