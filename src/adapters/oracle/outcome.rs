//! What a finished run is worth: what interfered with it, the lines that decide, and the fact
//! that the ledger keeps (RUN-16, RUN-21).

use std::io;
use std::path::Path;

use crate::adapters::checkout::{CheckoutError, Scanned};
use crate::adapters::evidence_store::{Stored, StoredLine};
use crate::adapters::git::discover::CAP as CONTRACT_BYTES;
use crate::adapters::git::regular;
use crate::adapters::{contract, trust};
use crate::gate::dossier::RunFact;
use crate::model::id::{CriterionId, Digest, EntryId, Oid, RepoPath};
use crate::model::oracle::{
    Captured, Ended, Expect, Interference, Isolation, MarkerAt, Outcome, RunPlace, Stream, outcome,
};
use crate::model::text::Foreign;

use super::client::{Bench, RunOrder};
use super::slot::Finished;

/// Most paths that an interference names.
const NAMED: usize = 20;
/// Most bytes of a line of an excerpt.
const LINE: usize = 400;
/// Lines of an excerpt from the beginning of the output.
const BEGIN: u64 = 2;
/// Lines of an excerpt after the deciding one.
const AFTER: u64 = 2;
/// Lines from the end that are searched for a failure.
const LOOKED_AT: u64 = 400;

/// A finished run, its output stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunDone {
    /// Whose oracle.
    pub criterion: CriterionId,
    /// Identity of the oracle.
    pub oracle: Digest,
    /// Head it ran on.
    pub head: Oid,
    /// Tree it ran on.
    pub tree: Oid,
    /// What it says.
    pub outcome: Outcome,
    /// How it ended.
    pub ended: Ended,
    /// Where the marker was.
    pub marker: Option<MarkerAt>,
    /// What spoiled it.
    pub interference: Vec<Interference>,
    /// Descendants it left, ended by us.
    pub survivors: Vec<Foreign>,
    /// The isolation in force.
    pub isolation: Isolation,
    /// Where it ran.
    pub place: RunPlace,
    /// Absolute path of the shell.
    pub shell: String,
    /// Milliseconds.
    pub duration_ms: u64,
    /// Its limit.
    pub limit_ms: u64,
    /// Standard output.
    pub stdout: Captured,
    /// Standard error.
    pub stderr: Captured,
    /// The deciding lines.
    pub excerpt: Vec<(u64, Foreign, bool)>,
}

/// What interfered with a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interferences {
    /// Each.
    pub found: Vec<Interference>,
    /// Whether the checkout is still the pinned tree.
    pub clean_tree: bool,
}

impl Interferences {
    pub(super) fn between(
        bench: &Bench,
        before: &Scanned,
        after: Result<Scanned, CheckoutError>,
        contract_before: Option<Digest>,
    ) -> Self {
        let mut found = Vec::new();
        let after = match after {
            Ok(after) => after,
            Err(error) => {
                found.push(Interference::Records(format!(
                    "the checkout could not be looked at after the run: {error}"
                )));
                return Self {
                    found,
                    clean_tree: false,
                };
            }
        };
        if !after.changed.is_empty() {
            let mut named = after.changed.clone();
            let more = named.len().saturating_sub(NAMED);
            named.truncate(NAMED);
            if more > 0 {
                named.push(Foreign::from(format!("and {more} more")));
            }
            found.push(Interference::Tree(named));
        }
        let pinned = &bench.pinned;
        let moved = |now: Option<Oid>, then: Oid| match now {
            Some(now) if now != then => Some(now),
            Some(_) => None,
            None => Some(Oid([0; 20])),
        };
        if let Some(to) = moved(after.head, pinned.head) {
            found.push(Interference::Overtaken {
                from: pinned.head,
                to,
            });
        }
        if let (Some(from), Some(to)) = (before.base, after.base)
            && from != to
        {
            found.push(Interference::Overtaken { from, to });
        }
        if fingerprint(&bench.contract) != contract_before {
            found.push(Interference::Contract);
        }
        if after.gitdir_changed {
            found.push(Interference::Records(
                "the checkout's own repository".into(),
            ));
        }
        if after.records != before.records {
            found.push(Interference::Records(
                "configuration, hooks or attributes of the repository".into(),
            ));
        }
        Self {
            found,
            clean_tree: after.changed.is_empty() && !after.gitdir_changed,
        }
    }
}

/// SHA-256 of a contract file without its EVIDENCE values; `None` when it cannot be read.
pub(super) fn fingerprint(path: &Path) -> Option<Digest> {
    let bytes = regular::read(path, CONTRACT_BYTES).ok()??;
    let read = contract::read(&RepoPath::from("contract"), &bytes, None);
    Some(trust::contract_without_evidence(&read, &bytes))
}

impl RunDone {
    pub(super) fn new(
        bench: &Bench,
        order: &RunOrder,
        finished: Finished,
        spoiled: Interferences,
    ) -> Self {
        let pinned = bench.pinned_on(order.ground);
        let needs_marker = order.oracle.expect != Expect::ExitOnly;
        let mut ended = finished.ended;
        if finished.alive > 0 && matches!(ended, Ended::Exited(_)) {
            ended = Ended::NotStarted(format!(
                "{} of its processes could not be ended",
                finished.alive
            ));
        }
        Self {
            outcome: outcome(&ended, needs_marker, finished.marker, &spoiled.found),
            criterion: order.binding.criterion.clone(),
            oracle: order.oracle.digest(),
            head: pinned.head,
            tree: pinned.tree,
            excerpt: excerpt(finished.marker, &finished.stdout, &finished.stderr),
            ended,
            marker: finished.marker,
            interference: spoiled.found,
            survivors: finished.survivors,
            isolation: bench.settings.isolation,
            place: bench.place_on(order.ground),
            shell: order.binding.shell.clone(),
            duration_ms: finished.duration_ms,
            limit_ms: bench.settings.limit.as_millis() as u64,
            stdout: finished.stdout,
            stderr: finished.stderr,
        }
    }

    /// The same run without its evidence: it cannot be a pass.
    pub(super) fn not_stored(self, error: &io::Error) -> Self {
        let why = format!("its output could not be stored: {error}");
        Self {
            outcome: Outcome::Error,
            ended: Ended::NotStarted(why),
            ..self
        }
    }

    /// The fact for the ledger entry with this id and number.
    #[must_use]
    pub fn fact(&self, entry: EntryId, number: u64) -> RunFact {
        RunFact {
            entry,
            number,
            criterion: self.criterion.clone(),
            oracle: self.oracle,
            head: self.head,
            tree: self.tree,
            outcome: self.outcome,
            ended: self.ended.clone(),
            marker: self.marker,
            interference: self.interference.clone(),
            survivors: self.survivors.clone(),
            isolation: self.isolation,
            place: self.place,
            duration_ms: self.duration_ms,
            limit_ms: Some(self.limit_ms),
            shell: Some(self.shell.clone()).filter(|shell| !shell.is_empty()),
            output_bytes: self.stdout.bytes + self.stderr.bytes,
            output: [self.stdout.digest, self.stderr.digest],
            excerpt: self.excerpt.clone(),
            from_sample: false,
        }
    }
}

/// The lines worth showing without opening the whole output: how it begins, and the line that
/// decides with its neighbors. The marker's line decides; without one, the last line that tells
/// of a failure, else the last line, of stdout, or of stderr where stdout is empty.
pub(in crate::adapters) fn excerpt(
    marker: Option<MarkerAt>,
    stdout: &Captured,
    stderr: &Captured,
) -> Vec<(u64, Foreign, bool)> {
    let output = match marker {
        Some(at) if at.stream == Stream::Stderr => stderr,
        Some(_) => stdout,
        None if stdout.bytes > 0 => stdout,
        None => stderr,
    };
    let stored = Stored::of(output);
    let Some(last) = output.lines.checked_sub(1) else {
        return Vec::new();
    };
    let deciding = match marker {
        Some(at) => at.line.saturating_sub(1).min(last),
        None => last_failure(&stored, last).unwrap_or(last),
    };
    let first = 0..BEGIN.min(deciding.saturating_sub(1));
    let around = deciding.saturating_sub(1)..(deciding + AFTER + 1).min(output.lines);
    first
        .chain(around)
        .flat_map(|number| {
            let line = stored.lines_of(number..number + 1).into_iter().next();
            line.map(|line| (number, line))
        })
        .filter_map(|(number, line)| match line {
            StoredLine::Line(text) => {
                let mut bytes = text.raw().to_vec();
                bytes.truncate(LINE);
                Some((number + 1, Foreign::new(bytes), number == deciding))
            }
            StoredLine::NotKept => None,
        })
        .collect()
}

/// The last line, among the last few hundred, that tells of a failure in the words that test
/// programs use.
fn last_failure(stored: &Stored, last: u64) -> Option<u64> {
    const WORDS: [&[u8]; 8] = [
        b"fail",
        b"error",
        b"panicked",
        b"not ok",
        b"assert",
        b"expected",
        b"fatal",
        b"denied",
    ];
    let from = last.saturating_sub(LOOKED_AT);
    let lines = stored.lines_of(from..last + 1);
    let tells = |line: &StoredLine| match line {
        StoredLine::Line(text) => {
            let lower = text.raw().to_ascii_lowercase();
            WORDS
                .iter()
                .any(|word| memchr::memmem::find(&lower, word).is_some())
        }
        StoredLine::NotKept => false,
    };
    let at = lines.iter().rposition(tells)?;
    Some(from + at as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_tells_of_the_failure_decides() {
        let captured = |text: &str| {
            let mut capture = super::super::capture::Capture::default();
            capture.feed(text.as_bytes());
            capture.finish()
        };
        let none = captured("");
        let shown = |out: &str| -> Vec<(u64, bool)> {
            let lines = excerpt(None, &captured(out), &none);
            lines
                .into_iter()
                .map(|(n, _, decides)| (n, decides))
                .collect()
        };
        let long = format!("a\nb\n{}FAIL x\n8 of 9\nexit 1\n", "row\n".repeat(207));
        assert_eq!(
            shown(&long),
            [
                (1, false),
                (2, false),
                (209, false),
                (210, true),
                (211, false),
                (212, false)
            ]
        );
        assert_eq!(shown("one\ntwo\n"), [(1, false), (2, true)]);
        assert_eq!(shown("error: x\n"), [(1, true)]);
        assert_eq!(shown(""), []);
    }
}
