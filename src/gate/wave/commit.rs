//! The message of a result commit: subject, pending tuple, iteration, rows, decisions
//! (fix-wave `### Admission`, step 2). All faults at once.

use std::collections::BTreeSet;

use super::lines;
use crate::model::text::{Foreign, Place};
use crate::model::wave::{DecisionLine, DecisionSays, Ledger, Pending, Row, RowStatus};

/// What a result commit serializes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Serialized {
    /// The row that was dispatched.
    pub target: Row,
    /// Other open rows that the same work closed.
    pub extras: Vec<Row>,
    /// One decision for each row, the target's first.
    pub decisions: Vec<DecisionLine>,
}

/// Reads the message against the ledger that dispatched `pending`.
///
/// # Errors
/// Everything that is wrong with it, as fragments.
pub fn read(message: &[u8], ledger: &Ledger, pending: Pending) -> Result<Serialized, Vec<String>> {
    let Ok(text) = std::str::from_utf8(message) else {
        return Err(vec!["the message is not UTF-8".into()]);
    };
    let mut reading = Reading {
        wrong: Vec::new(),
        ledger,
        pending,
    };
    let found = reading.message(text.trim_end_matches('\n'));
    match found {
        Some(found) if reading.wrong.is_empty() => Ok(found),
        _ => Err(reading.wrong),
    }
}

struct Reading<'a> {
    wrong: Vec<String>,
    ledger: &'a Ledger,
    pending: Pending,
}

fn shown(text: &str) -> String {
    let cut: String = text.chars().take(80).collect();
    Foreign::from(cut).shown(Place::Strict).plain()
}

impl Reading<'_> {
    fn message(&mut self, text: &str) -> Option<Serialized> {
        let mut lines = text.split('\n').map(|l| l.strip_suffix('\r').unwrap_or(l));
        let subject = lines.next().unwrap_or_default();
        let claimed = self.subject(subject);
        let body: Vec<&str> = lines.collect();
        let Some(("", body)) = body.split_first().map(|(first, rest)| (*first, rest)) else {
            self.wrong
                .push("no body stands below the subject and a blank line".into());
            return None;
        };
        let mut parts = body.split(|line| line.is_empty());
        let opening = parts.next().unwrap_or_default();
        self.opening(opening);
        let rows = self.rows(parts.next().unwrap_or_default());
        let decisions = self.decisions(parts.next().unwrap_or_default());
        if parts.next().is_some() {
            self.wrong
                .push("something stands below the decisions".into());
        }
        let (target, extras) = self.targets(rows, claimed)?;
        self.agree(&target, &extras, &decisions);
        Some(Serialized {
            target,
            extras,
            decisions,
        })
    }

    /// `loop: row <n> <done|failed>`.
    fn subject(&mut self, subject: &str) -> Option<RowStatus> {
        let row = self.pending.row;
        let status = subject
            .strip_prefix(&format!("loop: row {row} "))
            .and_then(RowStatus::parse)
            .filter(|status| *status != RowStatus::Open);
        if status.is_none() {
            self.wrong.push(format!(
                "the subject reads {}, not loop: row {row} done or failed",
                shown(subject)
            ));
        }
        status
    }

    fn opening(&mut self, lines: &[&str]) {
        let wanted = [
            format!("pending: {}", lines::pending_text(self.pending)),
            format!("iteration: {}", self.ledger.iterations),
        ];
        for (at, wanted) in wanted.iter().enumerate() {
            match lines.get(at) {
                Some(line) if line == wanted => {}
                Some(line) => self.wrong.push(format!(
                    "line {} of the body reads {}, not {wanted}",
                    at + 1,
                    shown(line)
                )),
                None => self
                    .wrong
                    .push(format!("line {} of the body is not {wanted}", at + 1)),
            }
        }
        if lines.len() > wanted.len() {
            self.wrong
                .push("no blank line stands below the iteration".into());
        }
    }

    fn rows(&mut self, lines: &[&str]) -> Vec<Row> {
        let mut rows = Vec::new();
        for line in lines {
            match lines::row(line, 0) {
                Ok(row) => rows.push(row),
                Err(wrong) => {
                    let wrong = wrong.join(", ");
                    self.wrong.push(format!("row {}: {wrong}", shown(line)));
                }
            }
        }
        if lines.is_empty() {
            self.wrong.push("no row stands in the body".into());
        }
        rows
    }

    fn decisions(&mut self, lines: &[&str]) -> Vec<DecisionLine> {
        let mut decisions = Vec::new();
        for line in lines {
            match lines::decision(line, 0) {
                Ok(decision) if matches!(decision.says, DecisionSays::Result { .. }) => {
                    decisions.push(decision);
                }
                Ok(_) => self.wrong.push(format!(
                    "decision {} is not the worker's to write",
                    shown(line)
                )),
                Err(why) => self.wrong.push(format!("decision {}: {why}", shown(line))),
            }
        }
        decisions
    }

    fn targets(&mut self, rows: Vec<Row>, claimed: Option<RowStatus>) -> Option<(Row, Vec<Row>)> {
        let wanted = self.pending.row;
        let mut rows = rows.into_iter();
        let target = rows.next()?;
        if target.number != wanted {
            self.wrong
                .push(format!("the first row is {}, not {wanted}", target.number));
        }
        if claimed.is_some_and(|claimed| claimed != target.status)
            || target.status == RowStatus::Open
        {
            self.wrong.push(format!(
                "row {wanted} is {}, the subject says otherwise",
                target.status.word()
            ));
        }
        let saved = self.ledger.row(wanted).map_or(0, |row| row.attempts);
        if target.attempts != saved.saturating_add(1) {
            self.wrong.push(format!(
                "row {wanted} counts {} attempts, not {}",
                target.attempts,
                saved.saturating_add(1)
            ));
        }
        let extras: Vec<Row> = rows.collect();
        let mut seen = BTreeSet::from([wanted]);
        for extra in &extras {
            let number = extra.number;
            if !seen.insert(number) {
                self.wrong.push(format!("row {number} stands twice"));
                continue;
            }
            match self.ledger.row(number) {
                None => self.wrong.push(format!("there is no row {number}")),
                Some(row) if row.status != RowStatus::Open => self
                    .wrong
                    .push(format!("row {number} comes along and is not open")),
                Some(row) => {
                    if extra.status != RowStatus::Done {
                        self.wrong
                            .push(format!("row {number} comes along and is not done"));
                    }
                    if extra.attempts != row.attempts {
                        self.wrong
                            .push(format!("row {number} comes along with other attempts"));
                    }
                }
            }
        }
        Some((target, extras))
    }

    /// One decision for each row, the target's first, with the status of its row.
    fn agree(&mut self, target: &Row, extras: &[Row], decisions: &[DecisionLine]) {
        if decisions
            .first()
            .is_none_or(|first| first.row != target.number)
        {
            self.wrong.push(format!(
                "the first decision is not about row {}",
                target.number
            ));
        }
        for row in std::iter::once(target).chain(extras) {
            let mut about = decisions.iter().filter(|line| line.row == row.number);
            match (about.next(), about.next()) {
                (None, _) => self
                    .wrong
                    .push(format!("no decision stands for row {}", row.number)),
                (Some(_), Some(_)) => self
                    .wrong
                    .push(format!("several decisions stand for row {}", row.number)),
                (Some(line), None) => {
                    let done = matches!(line.says, DecisionSays::Result { done: true, .. });
                    if done != (row.status == RowStatus::Done) {
                        self.wrong.push(format!(
                            "row {} is {}, its decision says otherwise",
                            row.number,
                            row.status.word()
                        ));
                    }
                }
            }
        }
        for line in decisions {
            let known = line.row == target.number || extras.iter().any(|e| e.number == line.row);
            if !known {
                self.wrong.push(format!(
                    "a decision stands for row {}, which is not serialized",
                    line.row
                ));
            }
        }
    }
}
