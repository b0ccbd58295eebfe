//! Reads a continuation record: JSON, validated whole. A record that is not in order is never
//! repaired, reset or searched for; what can still be read of its usage is kept and said.

use super::complaints::{Complaints, shown};
use super::json::{self, Node, Value};
use crate::model::id::{Digest, Oid};
use crate::model::known::{Known, Reason};
use crate::model::text::Foreign;
use crate::model::wave::{
    Account, Course, FindingId, Input, NoProgress, RunRecord, Target, WaveRecord,
};

/// The exit that every fault of a record leads to, byte for byte.
pub const UNREADABLE: &str = "stuck - run record unreadable";

/// Stages of a pass.
const STAGES: [&str; 3] = ["apply", "review", "push"];

/// Reads a record.
#[must_use]
pub fn read(bytes: &[u8]) -> RunRecord {
    let mut complaints = Complaints::default();
    let root = json::read(bytes).map_err(|faults| {
        for fault in faults {
            let hint = "restore the record as the run wrote it; it is never reset";
            complaints.error("no-json", fault.line, fault.message, hint);
        }
    });
    let unread = || Known::Unknown(Reason::new("the record cannot be read"));
    let account = || Account {
        used: unread(),
        cap: unread(),
    };
    let mut record = RunRecord {
        target: None,
        worktree: None,
        course: None,
        rounds: account(),
        syncs: account(),
        wave: None,
        assessed_head: None,
        complaints: Vec::new(),
    };
    if let Ok(root) = root {
        Reading {
            complaints: &mut complaints,
        }
        .record(&root, &mut record);
    }
    record.complaints = complaints.done();
    record
}

struct Reading<'a> {
    complaints: &'a mut Complaints,
}

impl Reading<'_> {
    fn wrong(&mut self, line: u32, message: String, hint: &str) {
        self.complaints.error("bad-record", line, message, hint);
    }

    /// A field that must be there; `null` counts as there.
    fn field<'n>(&mut self, node: &'n Node, path: &str) -> Option<&'n Node> {
        let key = path.rsplit('.').next().unwrap_or(path);
        let found = node.get(key);
        if found.is_none() {
            self.wrong(
                node.line,
                format!("{path} is missing"),
                "write every field when the record is created; absent is not null",
            );
        }
        found
    }

    fn mistyped(&mut self, node: &Node, path: &str, wanted: &str) {
        let right_kind = wanted.contains(node.kind().trim_start_matches("a "));
        let message = if right_kind {
            format!("{path} is not {wanted}")
        } else {
            format!("{path} is {}, not {wanted}", node.kind())
        };
        self.wrong(node.line, message, &format!("write {wanted}"));
    }

    fn record(&mut self, root: &Node, record: &mut RunRecord) {
        if !matches!(root.value, Value::Object(_)) {
            self.mistyped(root, "the record", "an object");
            return;
        }
        record.target = self
            .field(root, "consent")
            .and_then(|consent| self.field(consent, "consent.target"))
            .and_then(|target| self.target(target));
        if let Some(worktree) = self.field(root, "worktree") {
            record.worktree = self.absolute(worktree, "worktree");
        }
        if let Some(course) = self.field(root, "course") {
            record.course = self.course(course);
        }
        if let Some(repair) = self.field(root, "repair") {
            let picked = record.course.is_some();
            record.rounds = self.account(repair, "rounds", picked);
            record.syncs = self.account(repair, "syncs", picked);
            if let Some(wave) = self.field(repair, "repair.wave") {
                record.wave = self.wave(wave);
                if record.wave.is_some() && !picked {
                    let message = "repair.wave is set, and no course was picked".into();
                    self.wrong(wave.line, message, "file work needs a pick of a person");
                }
            }
        }
        if let Some(deadline) = self.field(root, "deadline")
            && !matches!(
                deadline.value,
                Value::Null | Value::Text(_) | Value::Number(_)
            )
        {
            self.mistyped(deadline, "deadline", "null, a string or a number");
        }
        if let Some(head) = self.field(root, "approved_head") {
            self.commit_or_null(head, "approved_head");
        }
        if let Some(done) = self.field(root, "cleanup_done")
            && !matches!(done.value, Value::Bool(_))
        {
            self.mistyped(done, "cleanup_done", "true or false");
        }
        if let Some(head) = root.get("assessed_head") {
            record.assessed_head = self.commit_or_null(head, "assessed_head");
        }
    }

    /// A field by any of its names: the schema of the target is not published, so the names that
    /// the forge uses are read as well. Two names at once are refused.
    fn named<'n>(&mut self, node: &'n Node, names: [&str; 2]) -> Option<&'n Node> {
        let found: Vec<&Node> = names.iter().filter_map(|name| node.get(name)).collect();
        let [first, second] = names;
        match found[..] {
            [one] => Some(one),
            [] => {
                let message = format!("consent.target.{first} is missing");
                self.wrong(node.line, message, "write repo, number and base");
                None
            }
            _ => {
                let message = format!("consent.target has both {first} and {second}");
                self.wrong(node.line, message, "keep one of them");
                None
            }
        }
    }

    fn target(&mut self, node: &Node) -> Option<Target> {
        let repository = self.named(node, ["repo", "repository"]).and_then(|repo| {
            let text = repo.text().unwrap_or_default();
            let plain = |part: &str| !part.is_empty() && !part.contains(['/', ' ']);
            let whole = text
                .split_once('/')
                .is_some_and(|(a, b)| plain(a) && plain(b));
            if !whole {
                self.mistyped(repo, "consent.target.repo", "owner/repo as a string");
            }
            whole.then(|| text.to_lowercase())
        });
        let number = self.named(node, ["number", "pr"]).and_then(|number| {
            let read = match &number.value {
                Value::Number(text) | Value::Text(text) => crate::model::wave::ordinal(text),
                _ => None,
            };
            if read.is_none() {
                let message = "consent.target.number is no positive whole number".into();
                self.wrong(
                    number.line,
                    message,
                    "write it without sign or leading zero",
                );
            }
            read
        });
        let base = self.named(node, ["base", "baseRefName"]).and_then(|base| {
            let text = base.text().filter(|text| !text.trim().is_empty());
            if text.is_none() {
                self.mistyped(base, "consent.target.base", "a branch name as a string");
            }
            text.map(str::to_owned)
        });
        Some(Target {
            repository: repository?,
            number: number?,
            base: base?,
        })
    }

    fn course(&mut self, node: &Node) -> Option<Course> {
        if node.is_null() {
            return None;
        }
        let course = Course::ALL
            .into_iter()
            .find(|course| node.text() == Some(course.word()));
        if course.is_none() {
            let message = "course is none of null, assess, deliver, deliver-nits".into();
            self.wrong(node.line, message, "only a direct pick of a person sets it");
        }
        course
    }

    fn account(&mut self, repair: &Node, what: &str, picked: bool) -> Account {
        let used = format!("repair.{what}_used");
        let cap = format!("repair.{what}_cap");
        let unknown = |what: &str| Known::Unknown(Reason::new(format!("{what} cannot be read")));
        let number = |node: &Node| match &node.value {
            Value::Number(text) => crate::model::wave::count(text),
            _ => None,
        };
        let used_read = self.field(repair, &used).and_then(|node| {
            let read = number(node);
            if read.is_none() {
                self.mistyped(node, &used, "a whole number from 0");
            }
            read
        });
        let cap_read = match self.field(repair, &cap) {
            None => unknown(&cap),
            Some(node) if node.is_null() && picked => {
                let message = format!("{cap} is null, and a course was picked");
                let hint = "set closureReview.maxFixRounds; caps are frozen at the first pick";
                self.wrong(node.line, message, hint);
                unknown(&cap)
            }
            Some(node) if node.is_null() => {
                Known::NotApplicable(Reason::new("no course was picked yet"))
            }
            Some(node) => match number(node) {
                Some(cap) => Known::Is(cap),
                None => {
                    self.mistyped(node, &cap, "a whole number from 0, or null before a pick");
                    unknown(&cap)
                }
            },
        };
        Account {
            used: used_read.map_or_else(|| unknown(&used), Known::Is),
            cap: cap_read,
        }
    }

    fn wave(&mut self, node: &Node) -> Option<WaveRecord> {
        if node.is_null() {
            return None;
        }
        if !matches!(node.value, Value::Object(_)) {
            self.mistyped(node, "repair.wave", "null or an object");
            return None;
        }
        let present = |key: &str| node.get(key).filter(|value| !value.is_null());
        let stage = present("stage").and_then(|stage| {
            let known = STAGES.into_iter().find(|word| stage.text() == Some(*word));
            if known.is_none() {
                let message = "repair.wave.stage is none of apply, review, push".into();
                self.wrong(stage.line, message, "write the stage, or null when settled");
            }
            known
        });
        let mut round_start_head = None;
        for key in ["pre_wave_head", "round_start_head"] {
            let path = format!("repair.wave.{key}");
            match present(key) {
                Some(head) => {
                    let head = self.commit_or_null(head, &path);
                    if key == "round_start_head" {
                        round_start_head = head;
                    }
                }
                None if stage.is_some() => {
                    let message = format!("{path} is missing in a pass under way");
                    self.wrong(node.line, message, "write it before the first dispatch");
                }
                None => {}
            }
        }
        let counted = self.counted(node, stage.is_some());
        let selected = present("selected_ids").map_or_else(Vec::new, |ids| self.ids(ids));
        let artifacts = self.artifacts(node);
        let no_progress = present("no_progress").and_then(|node| self.no_progress(node));
        Some(WaveRecord {
            stage,
            round_start_head,
            counted,
            selected,
            artifacts,
            no_progress,
        })
    }

    fn counted(&mut self, wave: &Node, under_way: bool) -> bool {
        let head = wave.get("counted_head").filter(|head| !head.is_null());
        if let Some(head) = head {
            self.commit_or_null(head, "repair.wave.counted_head");
        }
        let counted = match wave.get("counted").map(|node| (node, &node.value)) {
            Some((_, Value::Bool(counted))) => *counted,
            Some((_, Value::Null)) | None if !under_way => false,
            Some((node, _)) => {
                self.mistyped(node, "repair.wave.counted", "true or false");
                return false;
            }
            None => {
                let message = "repair.wave.counted is missing in a pass under way".into();
                self.wrong(wave.line, message, "write false before the first dispatch");
                return false;
            }
        };
        if counted != head.is_some() {
            let message = "repair.wave.counted and counted_head do not say the same".into();
            let hint = "write both when a round is charged, neither before";
            self.wrong(wave.line, message, hint);
        }
        counted
    }

    fn ids(&mut self, node: &Node) -> Vec<FindingId> {
        let Value::List(items) = &node.value else {
            self.mistyped(node, "repair.wave.selected_ids", "a list of ids");
            return Vec::new();
        };
        let mut ids = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for item in items {
            match item
                .text()
                .and_then(FindingId::parse)
                .filter(|id| id.is_work())
            {
                Some(id) if seen.insert(id) => ids.push(id),
                Some(id) => {
                    let message = format!("{id} is selected twice");
                    self.wrong(item.line, message, "select an id once");
                }
                None => {
                    let message = "repair.wave.selected_ids holds something that is no id".into();
                    self.wrong(item.line, message, "write ids such as \"P3\"");
                }
            }
        }
        ids
    }

    fn artifacts(&mut self, wave: &Node) -> Option<(Foreign, Foreign)> {
        let of = |key: &str| wave.get(key).filter(|value| !value.is_null());
        match (of("spec"), of("ledger")) {
            (None, None) => None,
            (Some(spec), Some(ledger)) => {
                let spec = self.absolute(spec, "repair.wave.spec");
                let ledger = self.absolute(ledger, "repair.wave.ledger");
                spec.zip(ledger)
            }
            (one, _) => {
                let lost = if one.is_some() { "ledger" } else { "spec" };
                let message = format!("the locator repair.wave.{lost} is lost");
                let hint = "restore the record; the pair is written together and never recreated";
                self.wrong(wave.line, message, hint);
                None
            }
        }
    }

    fn absolute(&mut self, node: &Node, path: &str) -> Option<Foreign> {
        let text = node.text().filter(|text| text.starts_with('/'));
        if text.is_none() {
            self.mistyped(node, path, "an absolute path as a string");
        }
        text.map(Foreign::from)
    }

    fn commit_or_null(&mut self, node: &Node, path: &str) -> Option<Oid> {
        if node.is_null() {
            return None;
        }
        let oid = node.text().and_then(Oid::parse);
        if oid.is_none() {
            self.mistyped(node, path, "a commit id of 40 hex digits, or null");
        }
        oid
    }

    fn no_progress(&mut self, node: &Node) -> Option<NoProgress> {
        let mut text = |key: &str| {
            let path = format!("repair.wave.no_progress.{key}");
            let found = self.field(node, &path)?;
            if found.text().is_none_or(|text| text.trim().is_empty()) {
                self.mistyped(found, &path, "a string that says something");
                return None;
            }
            found.text().map(Foreign::from)
        };
        let (prerequisite, observed, result) =
            (text("prerequisite"), text("observed"), text("result"));
        let inputs = match node.get("inputs") {
            None => Known::NotSupplied,
            Some(node) => self.inputs(node),
        };
        Some(NoProgress {
            prerequisite: prerequisite?,
            observed: observed?,
            result: result?,
            inputs,
        })
    }

    fn inputs(&mut self, node: &Node) -> Known<Vec<Input>> {
        let unread = || Known::Unknown(Reason::new("the named inputs cannot be read"));
        let Value::List(items) = &node.value else {
            self.mistyped(node, "repair.wave.no_progress.inputs", "a list");
            return unread();
        };
        let mut inputs = Vec::new();
        for item in items {
            let of = |key: &str| item.get(key).and_then(Node::text);
            let input = match (of("file"), of("command"), of("name")) {
                (Some(file), None, None) => {
                    let digest = match item.get("sha256") {
                        Some(node) if node.is_null() => Some(None),
                        Some(node) => node.text().and_then(Digest::parse).map(Some),
                        None => None,
                    };
                    digest.map(|digest| Input::File(Foreign::from(file), digest))
                }
                (None, Some(command), None) => Some(Input::Command(Foreign::from(command))),
                (None, None, Some(name)) => {
                    of("value").map(|value| Input::Other(Foreign::from(name), Foreign::from(value)))
                }
                _ => None,
            };
            match input {
                Some(input) => inputs.push(input),
                None => {
                    let message = "an input names no file with sha256, no command, no name with \
                                   value"
                        .to_owned();
                    let hint =
                        "write {\"file\", \"sha256\"}, {\"command\"} or {\"name\", \"value\"}";
                    self.wrong(item.line, message, hint);
                }
            }
        }
        if inputs.len() == items.len() {
            Known::Is(inputs)
        } else {
            unread()
        }
    }
}

/// What of an expected identity the record does not match; each a fragment.
#[must_use]
pub fn mismatches(
    target: &Target,
    repository: Option<&str>,
    number: Option<u32>,
    base: Option<&str>,
) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Some(wanted) = repository
        && wanted.to_lowercase() != target.repository
    {
        wrong.push(format!(
            "it belongs to {}, not {}",
            shown(&target.repository),
            shown(wanted)
        ));
    }
    if let Some(wanted) = number
        && wanted != target.number
    {
        wrong.push(format!("it belongs to #{}, not #{wanted}", target.number));
    }
    if let Some(wanted) = base
        && wanted != target.base
    {
        wrong.push(format!(
            "its base is {}, not {}",
            shown(&target.base),
            shown(wanted)
        ));
    }
    wrong
}

/// What a later copy of a record lost or reset against an earlier one; each a fragment.
/// `step` is what one obstacle `deliver` adds to a cap (twice `maxFixRounds`), when it is known.
#[must_use]
pub fn resets(before: &RunRecord, after: &RunRecord, step: Option<u32>) -> Vec<String> {
    let mut wrong = Vec::new();
    if before.target.is_some() && before.target != after.target {
        wrong.push("consent.target changed; it is immutable".to_owned());
    }
    if before.course.is_some() && after.course.is_none() {
        wrong.push("course was picked and is gone".into());
    }
    for (name, old, new) in [
        ("rounds", &before.rounds, &after.rounds),
        ("syncs", &before.syncs, &after.syncs),
    ] {
        match (&old.used, &new.used) {
            (Known::Is(old), Known::Is(new)) if new < old => {
                wrong.push(format!("repair.{name}_used went from {old} to {new}"));
            }
            (Known::Is(old), new) if new.known().is_none() => {
                wrong.push(format!("repair.{name}_used was {old} and cannot be read"));
            }
            _ => {}
        }
        match (&old.cap, &new.cap) {
            (Known::Is(old), Known::Is(new)) if new < old => {
                wrong.push(format!(
                    "repair.{name}_cap went from {old} to {new}; it is frozen"
                ));
            }
            (Known::Is(old), Known::Is(new))
                if step.is_some_and(|step| {
                    (new - old).checked_rem(step).unwrap_or(new - old) != 0
                }) =>
            {
                wrong.push(format!(
                    "repair.{name}_cap went from {old} to {new}, which no number of picks adds"
                ));
            }
            (Known::Is(old), new) if new.known().is_none() => {
                wrong.push(format!("repair.{name}_cap was {old} and cannot be read"));
            }
            _ => {}
        }
    }
    let artifacts = |record: &RunRecord| record.wave.as_ref().and_then(|w| w.artifacts.clone());
    if artifacts(before).is_some() && artifacts(before) != artifacts(after) {
        wrong.push("the locators of spec and ledger changed or are gone".into());
    }
    wrong
}
