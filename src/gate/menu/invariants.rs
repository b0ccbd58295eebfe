//! What a menu must not do (verdict-menus 1.4), one code for each rule.

use super::read::{SEPARATOR, TELL, TYPE, number};
use super::words::{Fenced, plain};
use crate::gate::menu::chase::{Set, set_of};
use crate::model::menu::{Message, Opening, Row, Style, Violation};
use crate::model::text::{Foreign, Place};

/// Every code with what it means.
pub const CODES: &[(&str, &str)] = &[
    ("not-utf8", "the message is not UTF-8"),
    ("marker", "line 1 begins as a marker and is none"),
    ("done-with-menu", "a run that is done asks nothing"),
    ("no-rows", "the gate of a verdict has no menu"),
    (
        "separator-absent",
        "`Pick one:` does not stand before the rows",
    ),
    ("separator-twice", "`Pick one:` stands alone on two lines"),
    ("before-rows", "text between `Pick one:` and the first row"),
    ("stray-row", "a row after the end of the rows"),
    ("mixed-styles", "rows of two layouts in one menu"),
    ("numbering", "rows are not numbered from 1 without a gap"),
    ("same-label", "two rows have one label"),
    ("recommended-twice", "two rows are tagged"),
    (
        "recommended-absent",
        "no row is tagged and this menu recommends",
    ),
    (
        "recommended-negative",
        "a tag in a menu that does not recommend",
    ),
    (
        "recommended-differs",
        "line 1 recommends another number than the tag",
    ),
    (
        "recommended-unsaid",
        "a row is tagged and line 1 does not say so",
    ),
    (
        "recommended-untagged",
        "line 1 recommends and no row is tagged",
    ),
    ("recommended-unavailable", "the tagged row cannot be picked"),
    (
        "recommended-ineligible",
        "the hotfix is tagged and the last line says not eligible",
    ),
    (
        "box-and-tag",
        "the ticked box and the tag are on different rows",
    ),
    (
        "unavailable-row",
        "a row that cannot be picked is left out, not shown",
    ),
    (
        "two-action-sets",
        "rows of a real bug and of a negative verdict in one menu",
    ),
    (
        "eligibility-absent",
        "a real bug's menu ends with its eligibility",
    ),
    (
        "eligibility-negative",
        "a negative verdict has no eligibility",
    ),
    (
        "eligibility-twice",
        "more than one line says what is eligible",
    ),
    (
        "show-evidence-absent",
        "`show evidence` is always offered here",
    ),
    (
        "show-evidence-recommended",
        "`show evidence` is never recommended",
    ),
    ("stop-absent", "`stop` is always offered here"),
    ("stop-not-last", "`stop` is the last row"),
    (
        "stop-without-consequence",
        "`stop` says what follows from it",
    ),
    ("last-not-custom", "the last row of a course menu is Custom"),
    (
        "hint-absent",
        "the line below the rows that says how to answer",
    ),
    (
        "not-offered-and-offered",
        "a row that is said not to be offered",
    ),
    (
        "not-offered-without-reason",
        "a row left out without its reason",
    ),
];

struct Check<'a> {
    message: &'a Message,
    found: Vec<Violation>,
}

/// Appends everything the message must not do, in the order of its lines.
pub(super) fn check(lines: &[&str], fenced: &[Fenced], message: &mut Message) {
    let mut check = Check {
        message,
        found: Vec::new(),
    };
    check.opening();
    check.layout(lines, fenced);
    check.numbers();
    check.tags();
    check.chase_bug(lines);
    check.gatekeep();
    check.omitted();
    let found = check.found;
    message.violations.extend(found);
    message.violations.sort_by_key(|v| v.line);
}

impl Check<'_> {
    fn add(&mut self, code: &'static str, line: u32, message: impl Into<String>) {
        self.found.push(Violation {
            code,
            line,
            message: message.into(),
        });
    }

    fn opening(&mut self) {
        let rows = self.message.rows.first().map(|row| row.line);
        match &self.message.opening {
            Opening::Malformed(why) => self.add("marker", 1, *why),
            Opening::Done(_) => {
                if let Some(line) = rows {
                    self.add("done-with-menu", line, "the run is done and rows follow");
                }
            }
            Opening::Gate(gate) if gate.name() == super::VERDICT_MENU && rows.is_none() => {
                self.add("no-rows", 1, "no row stands after the report");
            }
            Opening::Gate(_) | Opening::Plain => {}
        }
    }

    fn layout(&mut self, lines: &[&str], fenced: &[Fenced]) {
        let message = self.message;
        let separators: Vec<u32> = lines
            .iter()
            .zip(fenced)
            .enumerate()
            .filter(|(_, (line, f))| **f == Fenced::Outside && line.trim_end() == SEPARATOR)
            .map(|(at, _)| number(at))
            .collect();
        for line in separators.iter().skip(1) {
            self.add(
                "separator-twice",
                *line,
                "stands once, right before the menu",
            );
        }
        let (Some(style), Some(first)) = (message.style, message.rows.first()) else {
            return;
        };
        let boxed = matches!(style, Style::Checkbox | Style::Course);
        if boxed && separators.is_empty() {
            self.add(
                "separator-absent",
                first.line,
                "`Pick one:` opens this menu",
            );
        }
        if let Some(separator) = message.separator {
            let between = lines
                .iter()
                .zip(fenced)
                .enumerate()
                .take(first.line as usize - 1)
                .skip(separator as usize);
            let said: Vec<u32> = between
                .filter(|(_, (line, f))| **f != Fenced::Edge && !line.trim().is_empty())
                .map(|(at, _)| number(at))
                .collect();
            if let Some(line) = said.first() {
                self.add("before-rows", *line, "the rows follow `Pick one:` at once");
            }
        }
        for row in &message.rows {
            let own = lines
                .get(row.line as usize - 1)
                .and_then(|line| super::rows::row_of(line, row.line));
            if own.is_some_and(|(other, _)| other != style) {
                let name = style.name();
                self.add("mixed-styles", row.line, format!("the first row is {name}"));
            }
        }
        let last = message.rows.last().map_or(0, |row| row.line as usize);
        for (at, line) in lines.iter().enumerate().skip(last) {
            let row = super::rows::row_of(line, number(at));
            if row.is_some_and(|(other, _)| other == style) {
                self.add("stray-row", number(at), "it is no row of the menu");
            }
        }
        self.hints(style);
    }

    fn hints(&mut self, style: Style) {
        let message = self.message;
        let begins = |with: &str| {
            let text = |line: &Foreign| line.raw_str().is_some_and(|l| l.starts_with(with));
            message.tail.iter().any(text)
        };
        let Some(last) = message.rows.last() else {
            return;
        };
        let line = last.line.saturating_add(1);
        match style {
            Style::Verb if !begins(TYPE) => {
                self.add("hint-absent", line, "a line that begins `Type a number`");
            }
            Style::Labelled if !begins(TELL) => {
                self.add("hint-absent", line, "a line that begins `Or tell me`");
            }
            Style::Course if !is(last, "Custom") => {
                self.add("last-not-custom", last.line, "the last course is Custom");
            }
            _ => {}
        }
    }

    fn numbers(&mut self) {
        let rows = &self.message.rows;
        for (at, row) in rows.iter().enumerate() {
            let place = number(at);
            if row.n != place {
                let n = row.n;
                self.add(
                    "numbering",
                    row.line,
                    format!("row {n} stands in place {place}"),
                );
            }
            let before = rows.iter().take(at);
            let twin = before
                .filter(|other| label(other) == label(row))
                .map(|other| other.n)
                .next();
            if let Some(n) = twin {
                self.add(
                    "same-label",
                    row.line,
                    format!("row {n} has the same words"),
                );
            }
        }
    }

    fn tags(&mut self) {
        let rows = &self.message.rows;
        let tagged: Vec<&Row> = rows.iter().filter(|row| row.recommended).collect();
        for row in tagged.iter().skip(1) {
            self.add(
                "recommended-twice",
                row.line,
                "one row is recommended, or none",
            );
        }
        for row in &tagged {
            if row.unavailable.is_some() {
                self.add(
                    "recommended-unavailable",
                    row.line,
                    "it says itself that it is not",
                );
            }
        }
        for row in rows {
            if row.ticked.is_some_and(|ticked| ticked != row.recommended) {
                let says = if row.recommended {
                    "a tag without a tick"
                } else {
                    "a tick without a tag"
                };
                self.add("box-and-tag", row.line, says);
            }
        }
        let Some(gate) = self.message.gate() else {
            return;
        };
        match (gate.recommended, tagged.first()) {
            (Some(n), Some(row)) if row.n != n => {
                let tag = row.n;
                self.add(
                    "recommended-differs",
                    1,
                    format!("it says {n}, the tag is on {tag}"),
                );
            }
            (Some(n), None) => {
                self.add(
                    "recommended-untagged",
                    1,
                    format!("it says {n}, no row is tagged"),
                );
            }
            (None, Some(row)) => {
                let n = row.n;
                self.add("recommended-unsaid", 1, format!("row {n} is tagged"));
            }
            _ => {}
        }
    }

    fn chase_bug(&mut self, lines: &[&str]) {
        let message = self.message;
        let verdict = message
            .gate()
            .is_some_and(|gate| gate.name() == super::VERDICT_MENU);
        for row in &message.rows {
            if row.unavailable.is_some() && !(verdict && is(row, super::HOTFIX)) {
                self.add("unavailable-row", row.line, "only the hotfix row may stay");
            }
        }
        if !verdict || message.rows.is_empty() {
            return;
        }
        let sets: Vec<(Option<Set>, u32)> = message
            .rows
            .iter()
            .map(|row| (set_of(&label(row)), row.line))
            .collect();
        let real = sets.iter().any(|(set, _)| *set == Some(Set::Real));
        let negative = sets.iter().find(|(set, _)| *set == Some(Set::Negative));
        if let (true, Some((_, line))) = (real, negative) {
            self.add("two-action-sets", *line, "a menu is of one verdict");
        }
        let end = message.rows.last().map_or(1, |row| row.line);
        let tagged = message.rows.iter().find(|row| row.recommended);
        let lines_of_it: Vec<u32> = lines
            .iter()
            .enumerate()
            .filter(|(_, line)| super::read::eligibility(line.trim()).is_some())
            .map(|(at, _)| number(at))
            .filter(|line| *line > end)
            .collect();
        for line in lines_of_it.iter().skip(1) {
            self.add("eligibility-twice", *line, "it is said once");
        }
        match (&message.eligibility, real, tagged) {
            (None, true, _) => {
                self.add("eligibility-absent", end, "no line after the rows says it");
            }
            (Some(line), false, _) => {
                let line = line.line;
                self.add("eligibility-negative", line, "there is nothing to fix here");
            }
            (Some(said), true, Some(row)) if !said.eligible && is(row, super::HOTFIX) => {
                self.add(
                    "recommended-ineligible",
                    row.line,
                    "a failed check recommends another",
                );
            }
            _ => {}
        }
        match tagged {
            Some(row) if !real => {
                self.add(
                    "recommended-negative",
                    row.line,
                    "a negative verdict has no tag",
                );
            }
            None if real => self.add("recommended-absent", end, "a real bug's menu has one tag"),
            _ => {}
        }
    }

    /// The verb menus of gatekeep; the rows of its newer menus are not known to us.
    fn gatekeep(&mut self) {
        let message = self.message;
        let own = message
            .gate()
            .is_none_or(|gate| gate.skill.starts_with("gatekeep"));
        let (Some(Style::Verb), true, Some(last)) = (message.style, own, message.rows.last())
        else {
            return;
        };
        match message.rows.iter().find(|row| is(row, "show evidence")) {
            None => self.add("show-evidence-absent", last.line, "it is in every menu"),
            Some(row) if row.recommended => {
                self.add("show-evidence-recommended", row.line, "it decides nothing");
            }
            Some(_) => {}
        }
        match message.rows.iter().find(|row| is(row, "stop")) {
            None => self.add("stop-absent", last.line, "it is in every menu"),
            Some(row) => {
                if row.line != last.line {
                    self.add("stop-not-last", row.line, "it stands last before the hint");
                }
                if row.consequence.is_blank() {
                    self.add(
                        "stop-without-consequence",
                        row.line,
                        "say what it leaves behind",
                    );
                }
            }
        }
    }

    fn omitted(&mut self) {
        let message = self.message;
        let line = message.rows.last().map_or(1, |row| row.line + 1);
        for omitted in &message.not_offered {
            let verb = omitted.verb.shown(Place::Strict).plain();
            if message.rows.iter().any(|row| is(row, &verb)) {
                self.add("not-offered-and-offered", line, format!("{verb} is a row"));
            }
            if omitted.reason.is_blank() {
                self.add(
                    "not-offered-without-reason",
                    line,
                    format!("{verb}: why not"),
                );
            }
        }
    }
}

/// The label for comparing.
fn label(row: &Row) -> String {
    plain(&String::from_utf8_lossy(row.label.raw()))
}

fn is(row: &Row, name: &str) -> bool {
    label(row) == plain(name)
}
