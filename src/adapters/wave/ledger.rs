//! Reads a findings ledger: its head, its rows, the mapping, the decision lines, and whether they
//! agree with one another.

use std::collections::{BTreeMap, BTreeSet};

use super::complaints::{Complaints, lines, shown};
use crate::gate::wave::lines as grammar;
use crate::model::id::Oid;
use crate::model::text::Foreign;
use crate::model::wave::{DecisionSays, Ledger, Row, RowStatus, count, ordinal};

const TITLE: &str = "# Ledger - loop engine";
const ROWS: [&str; 4] = ["row", "status", "attempts", "evidence"];
const MAPPING: [&str; 3] = ["row", "ac", "leg"];

/// Which part of the file a line stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Head,
    Rows,
    Mapping,
    Decisions,
}

/// Reads a ledger. What is wrong stands in its complaints; with an error among them its books
/// must not be used.
#[must_use]
pub fn read(bytes: &[u8]) -> Ledger {
    let mut complaints = Complaints::default();
    let lines = lines(bytes, &mut complaints);
    let mut reading = Reading {
        complaints,
        head: BTreeMap::new(),
        ledger: Ledger {
            spec: Foreign::default(),
            base: None,
            verification: None,
            iterations: 0,
            allowance: 0,
            pending: None,
            rows: Vec::new(),
            decisions: Vec::new(),
            complaints: Vec::new(),
        },
        mapping: Vec::new(),
        seen: BTreeSet::new(),
        tables: [false, false],
    };
    reading.title(&lines);
    let mut part = Part::Head;
    for (at, line) in lines
        .iter()
        .skip_while(|(_, l)| l.trim().is_empty())
        .skip(1)
    {
        part = reading.line(part, *at, line);
    }
    reading.head();
    reading.rows();
    reading.mapping();
    reading.agree();
    let mut ledger = reading.ledger;
    ledger.complaints = reading.complaints.done();
    ledger
}

struct Reading<'a> {
    complaints: Complaints,
    head: BTreeMap<&'static str, (u32, &'a str)>,
    ledger: Ledger,
    mapping: Vec<(u32, u32, u32)>,
    seen: BTreeSet<&'static str>,
    /// Whether the head of each table was seen.
    tables: [bool; 2],
}

/// Fields of the head as they are written.
const FIELDS: [&str; 7] = [
    "**Spec:**",
    "base:",
    "verification:",
    "checks:",
    "iterations:",
    "allowance:",
    "pending:",
];

impl<'a> Reading<'a> {
    fn title(&mut self, lines: &[(u32, &str)]) {
        let first = lines.iter().find(|(_, line)| !line.trim().is_empty());
        match first {
            Some((_, line)) if *line == TITLE => {}
            Some((at, line)) => self.complaints.error(
                "no-ledger",
                *at,
                format!("the first line is {}, not {TITLE}", shown(line)),
                "name the findings ledger, not the spec or the record",
            ),
            None => self.complaints.error(
                "empty-ledger",
                0,
                "the file is empty",
                "name the findings ledger of the run",
            ),
        }
    }

    fn line(&mut self, part: Part, at: u32, line: &'a str) -> Part {
        if line.trim().is_empty() {
            return part;
        }
        let section = match line {
            "## Leg mapping" => Some((Part::Mapping, "## Leg mapping")),
            "## Decisions" => Some((Part::Decisions, "## Decisions")),
            _ => None,
        };
        if let Some((next, name)) = section {
            if !self.seen.insert(name) {
                let message = format!("{name} stands twice");
                self.complaints
                    .error("section-twice", at, message, "keep one section");
            }
            return next;
        }
        match part {
            Part::Head if line.trim_start().starts_with('|') => {
                self.row(at, line);
                Part::Rows
            }
            Part::Head => {
                self.field(at, line);
                Part::Head
            }
            Part::Rows => {
                self.row(at, line);
                part
            }
            Part::Mapping => {
                self.map(at, line);
                part
            }
            Part::Decisions => {
                self.decision(at, line);
                part
            }
        }
    }

    fn field(&mut self, at: u32, line: &'a str) {
        let Some(name) = FIELDS.into_iter().find(|name| line.starts_with(name)) else {
            let message = format!("{} is no field of a ledger", shown(line));
            let hint = "write one of **Spec:**, base, verification, checks, iterations, \
                        allowance, pending";
            self.complaints.error("unknown-field", at, message, hint);
            return;
        };
        let value = line.get(name.len()..).unwrap_or_default().trim();
        if self.head.insert(name, (at, value)).is_some() {
            let message = format!("{name} stands twice");
            self.complaints.error(
                "field-twice",
                at,
                message,
                "keep the one that was written first",
            );
        }
    }

    fn table_head(&mut self, table: usize, line: &str, wanted: &[&str]) -> bool {
        let Some(seen) = self.tables.get_mut(table) else {
            return false;
        };
        if !*seen && grammar::cells(line).is_some_and(|cells| cells == wanted) {
            *seen = true;
            return true;
        }
        *seen && grammar::is_rule(line)
    }

    fn row(&mut self, at: u32, line: &str) {
        if self.table_head(0, line, &ROWS) {
            return;
        }
        match grammar::row(line, at) {
            Ok(row) => self.ledger.rows.push(row),
            Err(wrong) => {
                for message in wrong {
                    let hint = "write | row | status | attempts | evidence |";
                    self.complaints.error("bad-row", at, message, hint);
                }
            }
        }
    }

    fn map(&mut self, at: u32, line: &str) {
        if self.table_head(1, line, &MAPPING) {
            return;
        }
        let hint = "write | N | N | gatekeep |";
        match grammar::cells(line).as_deref() {
            Some([row, ac, leg]) => match (ordinal(row), ordinal(ac), *leg) {
                (Some(row), Some(ac), "gatekeep") => self.mapping.push((at, row, ac)),
                (Some(_), Some(_), leg) => {
                    let message = format!("leg {} is not gatekeep", shown(leg));
                    self.complaints.error("bad-mapping", at, message, hint);
                }
                _ => {
                    let message = "row or ac is no ordinal";
                    self.complaints.error("bad-mapping", at, message, hint);
                }
            },
            _ => {
                let message = "it is no row of the leg mapping";
                self.complaints.error("bad-mapping", at, message, hint);
            }
        }
    }

    fn decision(&mut self, at: u32, line: &str) {
        match grammar::decision(line, at) {
            Ok(decision) => self.ledger.decisions.push(decision),
            Err(why) => {
                let message = format!("it is no decision line: {why}");
                let hint = "write `row N done|failed | 1 to 200 characters | 1 to 200 characters`";
                self.complaints.error("bad-decision", at, message, hint);
            }
        }
    }

    fn value(&mut self, name: &'static str, hint: &str) -> Option<(u32, &'a str)> {
        match self.head.get(name) {
            Some((at, "")) => {
                let at = *at;
                self.complaints
                    .error("empty-field", at, format!("{name} is empty"), hint);
                None
            }
            Some(found) => Some(*found),
            None => {
                self.complaints
                    .error("no-field", 0, format!("{name} is missing"), hint);
                None
            }
        }
    }

    fn head(&mut self) {
        let spec = self.value(FIELDS[0], "write **Spec:** and the path in a code span");
        if let Some((at, text)) = spec {
            match text.strip_prefix('`').and_then(|t| t.strip_suffix('`')) {
                Some(path) if path.starts_with('/') && !path.contains('`') => {
                    self.ledger.spec = Foreign::from(path);
                }
                _ => self.complaints.error(
                    "bad-spec-path",
                    at,
                    "**Spec:** holds no absolute path in a code span",
                    "write **Spec:** `/path/of/the/spec.md`",
                ),
            }
        }
        let hint = "write the merge base, 40 hex digits";
        if let Some((at, text)) = self.value(FIELDS[1], hint) {
            self.ledger.base = Oid::parse(text);
            if self.ledger.base.is_none() {
                self.complaints
                    .error("bad-base", at, "base is no commit id", hint);
            }
        }
        if let Some((_, text)) = self.value(FIELDS[2], "write the command, or none") {
            self.ledger.verification = (text != "none").then(|| Foreign::from(text));
        }
        if let Some((at, text)) = self.value(FIELDS[3], "write checks: commands")
            && text != "commands"
        {
            let message = format!("checks is {}, not commands", shown(text));
            self.complaints
                .error("bad-checks", at, message, "write checks: commands");
        }
        if let Some(number) = self.number(FIELDS[4], "write how many dispatches there were") {
            self.ledger.iterations = number;
        }
        let hint = "set loopEngine.maxIterationsPerRow; the allowance is never guessed";
        if let Some(number) = self.number(FIELDS[5], hint) {
            self.ledger.allowance = number;
            if number == 0 {
                let at = self.head.get(FIELDS[5]).map_or(0, |(at, _)| *at);
                self.complaints
                    .error("no-allowance", at, "allowance 0 lets no row run", hint);
            }
        }
        if let Some((at, text)) = self.head.get(FIELDS[6]).copied() {
            match grammar::pending(text) {
                Ok(pending) => self.ledger.pending = Some(pending),
                Err(why) => self.complaints.error(
                    "bad-pending",
                    at,
                    format!("pending cannot be read: {why}"),
                    "write pending: ROW | gatekeep | HEAD, or take the line out",
                ),
            }
        }
    }

    fn number(&mut self, name: &'static str, hint: &str) -> Option<u32> {
        let (at, text) = self.value(name, hint)?;
        let number = count(text);
        if number.is_none() {
            let message = format!("{name} {} is no number", shown(text));
            self.complaints.error("bad-number", at, message, hint);
        }
        number
    }

    fn rows(&mut self) {
        if self.ledger.rows.is_empty() {
            self.complaints.error(
                "no-rows",
                0,
                "there is no row",
                "write one row for each acceptance criterion",
            );
        }
        for (at, row) in self.ledger.rows.iter().enumerate() {
            if usize::try_from(row.number).ok() != Some(at + 1) {
                self.complaints.error(
                    "row-order",
                    row.line,
                    format!("row {} stands where row {} belongs", row.number, at + 1),
                    "keep rows in order from 1; ordinals never move",
                );
                return;
            }
        }
    }

    fn mapping(&mut self) {
        if !self.seen.contains("## Leg mapping") {
            let hint = "write ## Leg mapping with one row for each row";
            self.complaints
                .error("no-mapping", 0, "there is no ## Leg mapping", hint);
            return;
        }
        if !self.seen.contains("## Decisions") {
            let hint = "write the heading, also when no decision was made";
            self.complaints
                .error("no-decisions", 0, "there is no ## Decisions", hint);
        }
        let hint = "map row n to acceptance criterion n";
        let mut mapped = BTreeSet::new();
        for (at, row, ac) in &self.mapping {
            if row != ac {
                let message = format!("row {row} maps to {ac}");
                self.complaints.error("bad-mapping", *at, message, hint);
            }
            if !mapped.insert(*row) {
                let message = format!("row {row} is mapped twice");
                self.complaints.error("bad-mapping", *at, message, hint);
            }
            if self.ledger.row(*row).is_none() {
                let message = format!("there is no row {row}");
                self.complaints.error("bad-mapping", *at, message, hint);
            }
        }
        for row in &self.ledger.rows {
            if !mapped.contains(&row.number) {
                let message = format!("row {} is not mapped", row.number);
                self.complaints
                    .error("bad-mapping", row.line, message, hint);
            }
        }
    }

    /// Whether rows, decisions and counters say the same.
    fn agree(&mut self) {
        let mut last: BTreeMap<u32, (u32, RowStatus)> = BTreeMap::new();
        let mut escalated = BTreeSet::new();
        for line in &self.ledger.decisions {
            if self.ledger.row(line.row).is_none() {
                self.complaints.error(
                    "no-such-row",
                    line.line,
                    format!("there is no row {}", line.row),
                    "decide on rows of this ledger only",
                );
                continue;
            }
            match &line.says {
                DecisionSays::Escalated { allowance } => {
                    if !escalated.insert(line.row) {
                        self.complaints.error(
                            "escalated-twice",
                            line.line,
                            format!("row {} is escalated twice", line.row),
                            "escalate a row once",
                        );
                    }
                    if *allowance != self.ledger.allowance {
                        self.complaints.error(
                            "other-allowance",
                            line.line,
                            format!("it names allowance {allowance}, the ledger another"),
                            "keep the allowance that the run began with",
                        );
                    }
                }
                DecisionSays::Result { done: true, .. } => {
                    last.insert(line.row, (line.line, RowStatus::Done));
                }
                DecisionSays::Result { .. } | DecisionSays::Reopened { .. } => {
                    last.insert(line.row, (line.line, RowStatus::Failed));
                }
            }
        }
        let mut attempts = 0u64;
        for row in &self.ledger.rows {
            attempts += u64::from(row.attempts);
            row_agrees(row, last.get(&row.number).copied(), &mut self.complaints);
        }
        if attempts > u64::from(self.ledger.iterations) {
            let at = self.head.get("iterations:").map_or(0, |(at, _)| *at);
            self.complaints.error(
                "lost-iterations",
                at,
                format!("the rows count {attempts} attempts, the ledger fewer dispatches"),
                "restore the ledger; counters are never reset",
            );
        }
        if let Some(pending) = self.ledger.pending
            && self
                .ledger
                .row(pending.row)
                .is_none_or(|row| row.status == RowStatus::Done)
        {
            let at = self.head.get("pending:").map_or(0, |(at, _)| *at);
            self.complaints.error(
                "bad-pending",
                at,
                format!("row {} is not one that can be under way", pending.row),
                "take the dispatch up, or take the line out",
            );
        }
    }
}

/// A row and the last line about it: `done` needs a `done`, `open` none, `failed` no `done`.
fn row_agrees(row: &Row, last: Option<(u32, RowStatus)>, complaints: &mut Complaints) {
    let wrong = match (row.status, last) {
        (RowStatus::Open, Some(_)) => "it is open, and a decision stands for it",
        (RowStatus::Open, None) if row.attempts > 0 => "it is open, and was tried",
        (RowStatus::Done, None) => "it is done, and no decision says so",
        (RowStatus::Done, Some((_, RowStatus::Failed))) => "it is done, and its last line is not",
        (RowStatus::Failed, Some((_, RowStatus::Done))) => "it failed, and its last line says done",
        (RowStatus::Failed, None) if row.attempts == 0 => "it failed, and was never tried",
        _ => return,
    };
    complaints.error(
        "row-disagrees",
        row.line,
        format!("row {}: {wrong}", row.number),
        "restore the ledger; rows and decisions are written together",
    );
}
