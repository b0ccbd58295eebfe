//! Files that are handed in beside a change: findings of earlier phases (`findings/1`) and a
//! caller's bundle (`bundle/1`), as JSON or YAML. Every fault is told at once, with its place.

use serde_json::{Map, Value};

use crate::gate::verify::scoped::Checks;
use crate::model::finding::{
    Adherence, CallerBundle, Findings, Phase, PhaseEnd, Simplify, SimplifyState, Telemetry,
    Violation,
};
use crate::model::id::RepoPath;
use crate::model::text::{Foreign, Place};

mod yaml;

/// Largest file that is read.
pub const PAPER_CAP: u64 = 16 << 20;
/// Schema of a file of findings.
pub const FINDINGS: &str = "countersign/findings/1";
/// Schema of a caller's bundle.
pub const BUNDLE: &str = "countersign/bundle/1";

/// Everything that is wrong with a file, in its order: place and message.
pub type Faults = Vec<(String, String)>;

/// Reads findings.
///
/// # Errors
/// Every fault.
pub fn findings(bytes: &[u8]) -> Result<Findings, Faults> {
    let value = parse(bytes)?;
    let mut reader = Reader::default();
    let mut out = Findings::default();
    let top = reader.object("$", &value, &["schema", "simplify", "adherence"]);
    reader.schema(top.as_ref(), FINDINGS);
    if let Some(top) = top {
        for (at, item) in reader.list("$.simplify", top.get("simplify")) {
            out.simplify.extend(reader.simplify(&at, item));
        }
        if let Some(given) = top.get("adherence").filter(|value| !value.is_null()) {
            out.adherence = reader.adherence(given);
        }
    }
    reader.done(out)
}

/// Reads a caller's bundle.
///
/// # Errors
/// Every fault.
pub fn bundle(bytes: &[u8]) -> Result<CallerBundle, Faults> {
    let value = parse(bytes)?;
    let mut reader = Reader::default();
    let keys = [
        "schema",
        "caller",
        "gate_session_id",
        "pr",
        "ticket",
        "phases",
        "telemetry",
        "workspace",
    ];
    let top = reader.object("$", &value, &keys);
    reader.schema(top.as_ref(), BUNDLE);
    let mut out = CallerBundle {
        caller: Foreign::default(),
        gaze: false,
        session: None,
        pr: None,
        ticket: None,
        phases: Vec::new(),
        telemetry: None,
        clean: None,
    };
    if let Some(top) = top {
        if let Some(caller) = reader.text("$.caller", top.get("caller"), true) {
            out.gaze = caller.raw() == b"gaze";
            if !out.gaze && caller.raw() != b"standalone" {
                reader.fault("$.caller", "it is none of gaze and standalone");
            }
            out.caller = caller;
        }
        out.session = reader.text("$.gate_session_id", top.get("gate_session_id"), false);
        out.ticket = reader.text("$.ticket", top.get("ticket"), false);
        match top.get("pr") {
            None | Some(Value::Null) => {}
            Some(value) => match value.as_u64() {
                Some(number) => out.pr = Some(number),
                None => reader.fault("$.pr", "it is no number"),
            },
        }
        for (at, item) in reader.list("$.phases", top.get("phases")) {
            out.phases.extend(reader.phase(&at, item));
        }
        if let Some(given) = top.get("telemetry").filter(|value| !value.is_null()) {
            out.telemetry = reader.telemetry(given);
        }
        if let Some(given) = top.get("workspace").filter(|value| !value.is_null()) {
            let words = ["clean", "contaminated"];
            out.clean = reader
                .word("$.workspace", Some(given), &words)
                .map(|at| at == 0);
        }
    }
    reader.done(out)
}

/// Reads a map of scoped checks (`.idh-checks.json`).
///
/// # Errors
/// Every fault.
pub fn checks(bytes: &[u8]) -> Result<Checks, Faults> {
    let value = parse(bytes)?;
    let mut reader = Reader::default();
    let keys = ["default_branch", "full_target", "targets", "rules"];
    let top = reader.object("$", &value, &keys);
    let mut out = Checks {
        full: String::new(),
        targets: Vec::new(),
        rules: Vec::new(),
    };
    if let Some(top) = top {
        drop(reader.text("$.default_branch", top.get("default_branch"), true));
        out.full = reader.plain("$.full_target", top.get("full_target"));
        out.targets = reader.plains("$.targets", top.get("targets"));
        let mut seen = std::collections::BTreeSet::new();
        if !out.targets.iter().all(|target| seen.insert(target)) {
            reader.fault("$.targets", "one stands there twice");
        }
        for (at, item) in reader.list("$.rules", top.get("rules")) {
            let Some(rule) = reader.object(&at, item, &["paths", "targets"]) else {
                continue;
            };
            let paths = reader.plains(&format!("{at}.paths"), rule.get("paths"));
            if paths.iter().any(|path| path.starts_with('/')) {
                reader.fault(&format!("{at}.paths"), "a path is not relative");
            }
            let targets = reader.plains(&format!("{at}.targets"), rule.get("targets"));
            if !targets.iter().all(|target| out.targets.contains(target)) {
                reader.fault(&format!("{at}.targets"), "one is none of the targets");
            }
            out.rules.push((paths, targets));
        }
    }
    reader.done(out)
}

fn parse(bytes: &[u8]) -> Result<Value, Faults> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| vec![("$".to_owned(), "bytes that are not UTF-8".to_owned())])?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with(['{', '[']) {
        return serde_json::from_str(text).map_err(|error| {
            let place = format!("line {}", error.line());
            vec![(place, format!("it is no JSON: {error}"))]
        });
    }
    yaml::value(text).map_err(|(line, why)| vec![(format!("line {line}"), why)])
}

#[derive(Default)]
struct Reader {
    faults: Faults,
}

impl Reader {
    fn fault(&mut self, at: &str, what: impl Into<String>) {
        self.faults.push((at.to_owned(), what.into()));
    }

    fn done<T>(self, value: T) -> Result<T, Faults> {
        if self.faults.is_empty() {
            Ok(value)
        } else {
            Err(self.faults)
        }
    }

    fn schema(&mut self, top: Option<&Map<String, Value>>, wanted: &str) {
        let Some(top) = top else { return };
        match top.get("schema").and_then(Value::as_str) {
            Some(given) if given == wanted => {}
            Some(given) => {
                let given = Foreign::from(given).shown(Place::Strict).plain();
                self.fault("$.schema", format!("it is {given}, not {wanted}"));
            }
            None => self.fault("$.schema", format!("it is missing; it has to be {wanted}")),
        }
    }

    fn object(&mut self, at: &str, value: &Value, keys: &[&str]) -> Option<Map<String, Value>> {
        let Value::Object(map) = value else {
            self.fault(at, "it is no object");
            return None;
        };
        for key in map.keys().filter(|key| !keys.contains(&key.as_str())) {
            let key = Foreign::from(key.as_str()).shown(Place::Strict).plain();
            self.fault(&format!("{at}.{key}"), "no such key is known");
        }
        Some(map.clone())
    }

    fn list<'a>(&mut self, at: &str, value: Option<&'a Value>) -> Vec<(String, &'a Value)> {
        match value {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(items)) => items
                .iter()
                .enumerate()
                .map(|(index, item)| (format!("{at}[{index}]"), item))
                .collect(),
            Some(_) => {
                self.fault(at, "it is no list");
                Vec::new()
            }
        }
    }

    fn text(&mut self, at: &str, value: Option<&Value>, needed: bool) -> Option<Foreign> {
        match value {
            Some(Value::String(text)) if needed && text.trim().is_empty() => {
                self.fault(at, "it is empty");
                None
            }
            Some(Value::String(text)) => Some(Foreign::from(text.as_str())),
            Some(Value::Number(number)) => Some(Foreign::from(number.to_string())),
            None | Some(Value::Null) if !needed => None,
            None | Some(Value::Null) => {
                self.fault(at, "it is missing");
                None
            }
            Some(_) => {
                self.fault(at, "it is no text");
                None
            }
        }
    }

    /// A text without blanks.
    fn plain(&mut self, at: &str, value: Option<&Value>) -> String {
        let text = self.text(at, value, true);
        let text = text.as_ref().and_then(Foreign::raw_str).unwrap_or_default();
        if text.contains(char::is_whitespace) {
            self.fault(at, "it holds a blank");
        }
        text.to_owned()
    }

    /// A list of such texts that is not empty.
    fn plains(&mut self, at: &str, value: Option<&Value>) -> Vec<String> {
        let items = self.list(at, value);
        if items.is_empty() {
            self.fault(at, "it is empty");
        }
        items
            .into_iter()
            .map(|(at, item)| self.plain(&at, Some(item)))
            .collect()
    }

    /// One of some words; by its place among them.
    fn word(&mut self, at: &str, value: Option<&Value>, words: &[&str]) -> Option<usize> {
        let given = self.text(at, value, true)?;
        let found = words.iter().position(|word| given.raw() == word.as_bytes());
        if found.is_none() {
            self.fault(at, format!("it is none of {}", words.join(", ")));
        }
        found
    }

    fn file(&mut self, at: &str, value: Option<&Value>) -> Option<RepoPath> {
        let text = self.text(at, value, false)?;
        let raw = text.raw().strip_prefix(b"./").unwrap_or(text.raw());
        Some(RepoPath::new(raw.to_vec()))
    }

    fn simplify(&mut self, at: &str, value: &Value) -> Option<Simplify> {
        let keys = ["finding", "severity", "state", "rationale", "file", "line"];
        let map = self.object(at, value, &keys)?;
        let finding = self.text(&format!("{at}.finding"), map.get("finding"), true);
        let severities = ["must-fix", "nice-to-have"];
        let severity = self.word(&format!("{at}.severity"), map.get("severity"), &severities);
        let states = ["applied", "not-applied", "waived"];
        let state = self.word(&format!("{at}.state"), map.get("state"), &states);
        let file = self.file(&format!("{at}.file"), map.get("file"));
        let line = match map.get("line") {
            None | Some(Value::Null) => None,
            Some(value) => {
                let line = value.as_u64().and_then(|line| u32::try_from(line).ok());
                if line.is_none_or(|line| line == 0) {
                    self.fault(&format!("{at}.line"), "it is no line number");
                }
                line
            }
        };
        let waived = state == Some(2);
        let rationale = self.text(&format!("{at}.rationale"), map.get("rationale"), waived);
        if rationale.is_some() && state.is_some() && !waived {
            self.fault(&format!("{at}.rationale"), "only a waived finding has one");
        }
        Some(Simplify {
            finding: finding?,
            must_fix: severity? == 0,
            state: match (state?, rationale) {
                (0, _) => SimplifyState::Applied,
                (1, _) => SimplifyState::NotApplied,
                (_, rationale) => SimplifyState::Waived(rationale?),
            },
            file,
            line,
        })
    }

    fn adherence(&mut self, value: &Value) -> Option<Adherence> {
        let map = self.object("$.adherence", value, &["result", "violations"])?;
        let result = self.word("$.adherence.result", map.get("result"), &["PASS", "FAIL"]);
        let mut violations = Vec::new();
        for (at, item) in self.list("$.adherence.violations", map.get("violations")) {
            let Some(map) = self.object(&at, item, &["rule_ref", "file", "severity"]) else {
                continue;
            };
            let rule = self.text(&format!("{at}.rule_ref"), map.get("rule_ref"), true);
            let weights = ["blocking", "nit"];
            let weight = self.word(&format!("{at}.severity"), map.get("severity"), &weights);
            let file = self.file(&format!("{at}.file"), map.get("file"));
            if let (Some(rule), Some(weight)) = (rule, weight) {
                violations.push(Violation {
                    rule,
                    file,
                    blocking: weight == 0,
                });
            }
        }
        Some(Adherence {
            passed: result? == 0,
            violations,
        })
    }

    fn telemetry(&mut self, value: &Value) -> Option<Telemetry> {
        let map = self.object("$.telemetry", value, &["wall_s", "tokens"])?;
        let mut number = |key: &str| {
            let found = map.get(key).and_then(Value::as_u64);
            if found.is_none() {
                self.fault(&format!("$.telemetry.{key}"), "it is no whole number");
            }
            found
        };
        let (wall_s, tokens) = (number("wall_s"), number("tokens"));
        Some(Telemetry {
            wall_s: wall_s?,
            tokens: tokens?,
        })
    }

    fn phase(&mut self, at: &str, value: &Value) -> Option<Phase> {
        let map = self.object(at, value, &["phase", "result"])?;
        let number = map.get("phase").and_then(Value::as_u64);
        let number = number.filter(|number| (2..=5).contains(number));
        if number.is_none() {
            self.fault(&format!("{at}.phase"), "it is no phase from 2 to 5");
        }
        let words: Vec<&str> = PhaseEnd::ALL.iter().map(|end| end.word()).collect();
        let ended = self.word(&format!("{at}.result"), map.get("result"), &words);
        Some(Phase {
            number: u8::try_from(number?).ok()?,
            ended: PhaseEnd::ALL.get(ended?).copied()?,
        })
    }
}
