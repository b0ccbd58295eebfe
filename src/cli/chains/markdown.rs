//! The report as Markdown for a comment: verdict first, prescriptions to copy.

use super::text::{basis, open, read_first, says, severity};
use super::{Findings, shown};
use crate::gate::chains::prescribe;
use crate::model::chain::Status;

/// The whole report.
pub(super) fn report(found: &Findings) -> Vec<String> {
    let word = found
        .verdict
        .map_or("skipped", crate::gate::chains::AuditVerdict::word);
    let mut out = vec![format!("## Chains: {word}"), String::new()];
    let right = found
        .calibration
        .pairs
        .iter()
        .filter(|seen| seen.ok())
        .count();
    out.push(format!(
        "Calibration: {right} of {} known pairs are right (profile {}).",
        found.calibration.pairs.len(),
        plain(&found.profile.name)
    ));
    if !found.calibration.ok() {
        for seen in found.calibration.pairs.iter().filter(|seen| !seen.ok()) {
            out.push(format!(
                "- {} → {} must be {}, came out as {}",
                seen.caller,
                seen.callee,
                seen.expect.word(),
                seen.got.map_or("no dispatch", Status::word)
            ));
        }
        return out;
    }
    let sums = &found.counts;
    out.push(format!(
        "{} skills, {} closed, {} open ({} HIGH, {} MEDIUM, {} LOW), {} advisory.",
        found.audited().len(),
        sums.closed,
        sums.open(),
        sums.high,
        sums.medium,
        sums.low,
        sums.advisory
    ));
    for (path, problem) in &found.gathered.problems {
        out.push(format!(
            "- `{}` {}",
            code(&shown(&path.foreign())),
            problem.says()
        ));
    }
    out.push(String::new());
    if !found.chains().is_empty() {
        out.push("| caller | callee | status | severity | strength | basis |".to_owned());
        out.push("|---|---|---|---|---|---|".to_owned());
        for chain in found.chains() {
            out.push(format!(
                "| `{}` | `{}` | {} | {} | {} | {} |",
                code(&shown(&chain.caller)),
                code(&shown(&chain.callee)),
                chain.status.word(),
                severity(chain),
                chain.strength.word(),
                basis(chain)
            ));
        }
        out.push(String::new());
    }
    for chain in open(found) {
        out.push(format!(
            "### `{}` → `{}` ({})",
            code(&shown(&chain.caller)),
            code(&shown(&chain.callee)),
            chain.severity.word()
        ));
        out.push(String::new());
        if let Some(line) = read_first(chain) {
            out.push(plain(&line));
            out.push(String::new());
        }
        let lines = prescribe(chain).lines();
        if lines.is_empty() {
            out.push("Declared open in the text.".to_owned());
        } else {
            out.push("~~~~text".to_owned());
            out.extend(lines);
            out.push("~~~~".to_owned());
        }
        out.push(String::new());
    }
    let findings: Vec<String> = found
        .shape
        .findings
        .iter()
        .map(|finding| format!("- {}", plain(&says(found, finding))))
        .collect();
    if !findings.is_empty() {
        out.push("### Map".to_owned());
        out.push(String::new());
        out.extend(findings);
        out.push(String::new());
    }
    out.push(format!("**Verdict: {word}**"));
    out
}

/// Fit to stand between backticks of a table.
fn code(text: &str) -> String {
    text.replace('`', "'").replace('|', "\\|")
}

/// Fit to stand in a sentence: nothing of it is markup.
fn plain(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "`*_[]<>|#\\@".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
