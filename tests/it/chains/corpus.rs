//! The labelled corpus: every label against what the audit makes of the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use countersign::gate::chains::{Audit, AuditVerdict, Calibration, Said, audit, counts, verdict};
use countersign::model::chain::{Chain, Flag};

use super::rules::{built_in, tree};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/chains")
}

fn labels() -> toml::Table {
    let text = fs::read_to_string(root().join("labels.toml")).expect("the labels");
    text.parse().expect("good TOML")
}

/// Every regular file below a folder, sorted, with its path from there.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(&at).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("below");
                let text = fs::read_to_string(&path).expect("a text");
                out.push((name.to_str().expect("plain").to_owned(), text));
            }
        }
    }
    out.sort();
    // the same bytes under another host folder are the same skill
    let mut seen = BTreeSet::new();
    out.sort_by_key(|(path, _)| (path.starts_with('.'), path.clone()));
    out.retain(|(path, text)| !path.ends_with("/SKILL.md") || seen.insert(text.clone()));
    out
}

fn text<'t>(row: &'t toml::Value, key: &str) -> &'t str {
    row.get(key)
        .and_then(toml::Value::as_str)
        .unwrap_or_default()
}

fn rows<'t>(table: &'t toml::Value, key: &str) -> impl Iterator<Item = &'t toml::Value> {
    let list = table.get(key).and_then(toml::Value::as_array);
    list.into_iter().flatten()
}

fn strings(row: &toml::Value, key: &str) -> BTreeSet<String> {
    let plain = |value: &toml::Value| value.as_str().expect("a word").to_owned();
    rows(row, key).map(plain).collect()
}

fn numbers(row: &toml::Value, key: &str) -> Vec<u32> {
    let number = |value: &toml::Value| value.as_integer().and_then(|n| u32::try_from(n).ok());
    rows(row, key).filter_map(number).collect()
}

fn shown(text: &countersign::model::text::Foreign) -> String {
    text.raw_str().expect("plain").to_owned()
}

/// The badges that a label may name.
const BADGES: [Flag; 8] = [
    Flag::ClosedFormNoWait,
    Flag::ConditionalPassGap,
    Flag::DeclaredGroundTruth,
    Flag::DeclaredOpen,
    Flag::ForeignEnum,
    Flag::MappingTable,
    Flag::NearSignal,
    Flag::SignalOutside,
];

struct Checked {
    pairs: usize,
    labels: usize,
    wrong: Vec<String>,
    doubtful: Vec<String>,
}

impl Checked {
    fn expect(&mut self, what: &str, want: &str, got: &str, doubt: bool) {
        self.labels += 1;
        if want != got {
            let line = format!("{what}: label {want:?}, audit {got:?}");
            if doubt {
                self.doubtful.push(line);
            } else {
                self.wrong.push(line);
            }
        }
    }
}

fn check_pair(label: &toml::Value, chain: &Chain, name: &str, checked: &mut Checked) {
    let doubt = label.get("doubt").is_some();
    let mut same = |field: &str, want: &str, got: &str| {
        checked.expect(&format!("{name} {field}"), want, got, doubt);
    };
    let other = text(label, "strength_or");
    if other.is_empty() || other != chain.strength.word() {
        same("strength", text(label, "strength"), chain.strength.word());
    }
    same("pass_a", text(label, "pass_a"), chain.wait.word());
    same("pass_b", text(label, "pass_b"), chain.level.word());
    same("status", text(label, "status"), chain.status.word());
    let basis: BTreeSet<String> = chain.basis.iter().map(|b| b.code().to_owned()).collect();
    same(
        "basis",
        &format!("{:?}", strings(label, "basis")),
        &format!("{basis:?}"),
    );
    if text(label, "status") == "OPEN" {
        same("severity", text(label, "severity"), chain.severity.word());
        let flags = BADGES.iter().filter(|flag| chain.has(**flag));
        let flags: BTreeSet<String> = flags.map(|flag| flag.words().to_owned()).collect();
        same(
            "flags",
            &format!("{:?}", strings(label, "flags")),
            &format!("{flags:?}"),
        );
    }
    let of = |callee: bool| {
        let spans = chain.spans.iter().filter(move |span| span.callee == callee);
        spans.map(|span| span.line).collect::<BTreeSet<u32>>()
    };
    for (key, callee) in [
        ("edge_lines", false),
        ("signal_lines", false),
        ("verdict_lines", true),
    ] {
        let want: BTreeSet<u32> = numbers(label, key).into_iter().collect();
        let met: BTreeSet<u32> = want.intersection(&of(callee)).copied().collect();
        same(key, &format!("{want:?}"), &format!("{met:?}"));
    }
    if let Some(form) = label.get("closed_form") {
        let got = chain.closed_form.as_ref();
        let field = |get: fn(
            &countersign::model::chain::ClosedForm,
        ) -> Option<&countersign::model::text::Foreign>| {
            got.and_then(get).map(shown).unwrap_or_default()
        };
        same(
            "form",
            "is there",
            if got.is_some() { "is there" } else { "none" },
        );
        same(
            "condition",
            text(form, "condition"),
            &field(|f| f.condition.as_ref()),
        );
        same("step", text(form, "step"), &field(|f| f.step.as_ref()));
    }
}

fn check_tree(label: &toml::Value, checked: &mut Checked) {
    let name = text(label, "name");
    let profile = built_in(text(label, "profile"));
    let files = files(&root().join(name));
    let read = tree(&files, &profile);
    let found: Audit = audit(&read, None, &profile);
    let skill = |number: u32| shown(&found.skills[number as usize].name);

    let listed: BTreeSet<String> = rows(label, "skill")
        .map(|row| text(row, "name").to_owned())
        .collect();
    let got: BTreeSet<String> = found.skills.iter().map(|row| shown(&row.name)).collect();
    checked.expect(
        &format!("{name} skills"),
        &format!("{listed:?}"),
        &format!("{got:?}"),
        false,
    );
    for row in rows(label, "skill") {
        let of = found
            .skills
            .iter()
            .find(|s| shown(&s.name) == text(row, "name"));
        let answer = of.and_then(|skill| skill.answer.as_ref());
        let level = answer.map_or("missing", |answer| answer.level.word());
        let what = format!("{name} {} pass B", text(row, "name"));
        checked.expect(&what, text(row, "verdict_level"), level, false);
        let file = of.map(|skill| skill.file.json().0).unwrap_or_default();
        checked.expect(&what, text(row, "file"), &file, false);
    }

    let mut chains: BTreeMap<(String, String), &Chain> = BTreeMap::new();
    for chain in &found.chains {
        chains.insert((shown(&chain.caller), shown(&chain.callee)), chain);
    }
    let mut reverse: BTreeSet<(String, String)> = BTreeSet::new();
    for row in &found.reverse {
        reverse.insert((skill(row.callee), skill(row.caller)));
    }
    for pair in rows(label, "pair") {
        checked.pairs += 1;
        let key = (
            text(pair, "caller").to_owned(),
            text(pair, "callee").to_owned(),
        );
        let what = format!("{name}: {} → {}", key.0, key.1);
        if text(pair, "strength") == "reverse" {
            let has = reverse.contains(&key) && !chains.contains_key(&key);
            checked.expect(&what, "reverse", if has { "reverse" } else { "not" }, false);
            continue;
        }
        match chains.remove(&key) {
            Some(chain) => check_pair(pair, chain, &what, checked),
            None => {
                let doubt = pair.get("doubt").is_some();
                checked.expect(&what, "found", "not found", doubt);
            }
        }
    }
    for key in chains.keys() {
        checked
            .wrong
            .push(format!("{name}: {} → {} has no label", key.0, key.1));
    }
    for row in rows(label, "absent") {
        let key = (
            text(row, "caller").to_owned(),
            text(row, "callee").to_owned(),
        );
        let has = found
            .chains
            .iter()
            .any(|c| (shown(&c.caller), shown(&c.callee)) == key);
        let what = format!("{name}: {} → {}", key.0, key.1);
        checked.expect(
            &what,
            "absent",
            if has { "found" } else { "absent" },
            row.get("doubt").is_some(),
        );
    }
    let unresolved: BTreeSet<String> = rows(label, "unresolved")
        .map(|row| {
            let target = text(row, "target").trim_start_matches('/');
            let target = target.rsplit(':').next().unwrap_or_default();
            format!(
                "{} {target} {} {}",
                text(row, "caller"),
                text(row, "kind"),
                numbers_of(row)
            )
        })
        .collect();
    let got: BTreeSet<String> = found
        .unresolved
        .iter()
        .map(|row| {
            format!(
                "{} {} {} {}",
                skill(row.caller),
                shown(&row.name),
                row.kind.word(),
                row.line
            )
        })
        .collect();
    checked.expect(
        &format!("{name} unresolved"),
        &format!("{unresolved:?}"),
        &format!("{got:?}"),
        false,
    );

    let sums = counts(found.chains.iter().map(|chain| (chain, Said::Nothing)));
    let calibrated = Calibration::of(&read, &profile).ok();
    let word = verdict(calibrated, &sums, 0).word();
    checked.expect(
        &format!("{name} verdict"),
        text(label, "verdict"),
        word,
        false,
    );
    let summary = label.get("summary").expect("a summary");
    let sum = |key: &str| {
        summary
            .get(key)
            .and_then(toml::Value::as_integer)
            .unwrap_or(-1)
    };
    let got = [sums.closed, sums.high, sums.medium, sums.low, sums.advisory];
    let want = ["closed", "high", "medium", "low", "advisory"].map(sum);
    checked.expect(
        &format!("{name} summary"),
        &format!("{want:?}"),
        &format!("{got:?}"),
        name == "house" || name == "wild",
    );
    let literal = built_in("literal");
    let read = tree(&files, &literal);
    let calibrated = Calibration::of(&read, &literal).ok();
    let word = if calibrated {
        AuditVerdict::Pass
    } else {
        AuditVerdict::HarnessError
    }
    .word();
    checked.expect(
        &format!("{name} literal"),
        text(label, "literal"),
        word,
        false,
    );
}

fn numbers_of(row: &toml::Value) -> i64 {
    row.get("line")
        .and_then(toml::Value::as_integer)
        .unwrap_or(-1)
}

#[test]
fn every_label_of_the_corpus_is_what_the_audit_says() {
    let labels = toml::Value::Table(labels());
    let mut checked = Checked {
        pairs: 0,
        labels: 0,
        wrong: Vec::new(),
        doubtful: Vec::new(),
    };
    let mut skills = 0;
    for tree in rows(&labels, "tree") {
        skills += rows(tree, "skill").count();
        check_tree(tree, &mut checked);
    }
    let mut lines = vec![format!(
        "{skills} skills, {} pairs, {} labels: {} differ, {} of them in doubt",
        checked.pairs,
        checked.labels,
        checked.wrong.len() + checked.doubtful.len(),
        checked.doubtful.len()
    )];
    lines.extend(
        checked
            .doubtful
            .iter()
            .map(|line| format!("in doubt: {line}")),
    );
    let _ = writeln!(std::io::stdout(), "{}", lines.join("\n"));
    assert!(checked.wrong.is_empty(), "{}", checked.wrong.join("\n"));
}
