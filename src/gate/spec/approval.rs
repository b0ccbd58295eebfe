//! The standing approval of a gate, as a root's frontmatter says it, and rules 3 to 8 and 14 on it.

use super::state::{CAUSES, GATES, VERDICTS, WHY, shown};
use crate::model::id::RepoPath;
use crate::model::spec::front::{Entry, Front, Value, find};
use crate::model::spec::{Note, quoted};

/// The approval of one gate as a root's frontmatter says it.
#[derive(Clone, Copy, Debug)]
pub struct Approval<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// `verdict`.
    pub verdict: Option<&'a Entry>,
    /// `by`.
    pub by: Option<&'a Entry>,
    /// `why`, unless it is empty.
    pub why: Option<&'a Entry>,
    /// `cause`.
    pub cause: Option<&'a Entry>,
    /// The change request: `cr`, or `why.cr` as older records have it.
    pub cr: Option<&'a Value>,
}

impl Approval<'_> {
    /// Whether the verdict is that word.
    #[must_use]
    pub fn is(&self, verdict: &str) -> bool {
        self.verdict.and_then(|entry| entry.value.word()) == Some(verdict)
    }

    /// Whether an agent approved it itself.
    #[must_use]
    pub fn by_agent(&self) -> bool {
        self.is("approve") && self.by.and_then(|entry| entry.value.word()) == Some("agent")
    }
}

/// The approval of a gate, when there is one and it is a map.
#[must_use]
pub fn approval<'a>(front: &'a Front, gate: &str) -> Option<Approval<'a>> {
    let all = front.get("approval")?.value.map()?;
    approval_of(find(all, gate)?)
}

fn approval_of(entry: &Entry) -> Option<Approval<'_>> {
    let fields = entry.value.map()?;
    let why = find(fields, "why").filter(|why| !why.value.is_null());
    let of_why = why.and_then(|why| find(why.value.map()?, "cr"));
    Some(Approval {
        entry,
        verdict: find(fields, "verdict"),
        by: find(fields, "by").filter(|by| !by.value.is_null()),
        why,
        cause: find(fields, "cause").filter(|cause| !cause.value.is_null()),
        cr: find(fields, "cr").or(of_why).map(|entry| &entry.value),
    })
}

/// The approvals of a root, judged.
pub(super) fn approvals<'a>(
    path: &RepoPath,
    front: &'a Front,
    status: Option<&str>,
    notes: &mut Vec<Note>,
) -> Vec<Approval<'a>> {
    let Some(entry) = front.get("approval").filter(|entry| !entry.value.is_null()) else {
        return Vec::new();
    };
    let shape = |line: u32, what: &str| {
        let hint = "write a map: gate, then verdict, by, why";
        Note::violation(
            path,
            line,
            "approval-shape",
            format!("{what} is no map"),
            hint,
        )
    };
    let Some(gates) = entry.value.map() else {
        notes.push(shape(entry.line, "approval"));
        return Vec::new();
    };
    let mut all = Vec::new();
    for gate in gates {
        if !GATES.contains(&gate.key.raw_str().unwrap_or_default()) {
            let says = format!("there is no gate {}", quoted(&gate.key));
            let hint = "use spec or impl";
            notes.push(Note::violation(path, gate.line, "unknown-gate", says, hint));
        }
        let Some(approval) = approval_of(gate) else {
            notes.push(shape(gate.line, "a gate of approval"));
            continue;
        };
        approval_rules(path, &approval, status, notes);
        all.push(approval);
    }
    all
}

/// Rules 4 to 8 and 14 of one gate.
fn approval_rules(
    path: &RepoPath,
    approval: &Approval<'_>,
    status: Option<&str>,
    notes: &mut Vec<Note>,
) {
    let gate = quoted(&approval.entry.key);
    let line = approval.verdict.map_or(approval.entry.line, |v| v.line);
    let mut note = |line: u32, code, says: String, hint| {
        notes.push(Note::violation(path, line, code, says, hint));
    };
    let verdict = approval.verdict.and_then(|entry| entry.value.word());
    match verdict {
        Some(word) if VERDICTS.contains(&word) => {}
        _ => {
            let what = approval
                .verdict
                .map_or_else(|| String::from("none"), |v| shown(&v.value));
            let says = format!("{gate} has no verdict of the three: {what}");
            note(
                line,
                "unknown-verdict",
                says,
                "use approve, pause or reject",
            );
        }
    }
    if verdict == Some("pause") {
        if let Some(by) = approval.by {
            let says = format!("{gate} is paused and names who decided");
            note(by.line, "pause-by", says, "take by out");
        }
        let passed = match approval.entry.key.raw() {
            b"spec" => matches!(status, Some("approved" | "implemented")),
            b"impl" => status == Some("implemented"),
            _ => false,
        };
        if passed {
            let says = format!("{gate} is paused, and the status is past it");
            note(line, "pause-passed", says, "set the status back");
        }
    }
    if verdict == Some("approve") && approval.by.is_none() {
        let says = format!("{gate} is approved by nobody");
        note(line, "approve-without-by", says, "name who approved");
    }
    let agent = approval.by.filter(|by| by.value.word() == Some("agent"));
    if let Some(by) = agent
        && approval.why.is_none()
    {
        let says = format!("{gate} is by agent and gives no reason");
        let hint = "give floor, blast, novelty and confidence";
        note(by.line, "agent-without-why", says, hint);
    }
    let candidate = approval
        .entry
        .value
        .map()
        .and_then(|fields| find(fields, "cause-candidate"));
    let candidate = candidate.is_some_and(|entry| entry.value.word() == Some("true"));
    if let Some(cause) = approval.cause
        && !candidate
        && !cause
            .value
            .word()
            .is_some_and(|word| CAUSES.contains(&word))
    {
        let says = format!(
            "{gate} has a cause outside the enum: {}",
            shown(&cause.value)
        );
        let hint = "use dimension, clearance or ceiling, or declare cause-candidate: true";
        note(cause.line, "unknown-cause", says, hint);
    }
    if agent.is_some()
        && let Some(why) = approval.why
    {
        let fields = why.value.map().unwrap_or_default();
        let absent: Vec<&str> = WHY
            .into_iter()
            .filter(|name| find(fields, name).is_none())
            .collect();
        if !absent.is_empty() {
            let says = format!(
                "the reason of {gate} does not speak of {}",
                absent.join(", ")
            );
            let hint = "give floor, blast, novelty and confidence";
            notes.push(Note::finding(path, why.line, "why-incomplete", says, hint));
        }
    }
}
