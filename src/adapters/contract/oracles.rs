//! From CHECK and EXPECT to an oracle; what may not run is refused while it is read (RUN-6).

use std::ops::Range;

use crate::model::contract::EvidenceClaim;
use crate::model::id::CriterionId;
use crate::model::oracle::{Expect, Oracle};
use crate::model::text::{Foreign, Place};

use super::complaints::Complaints;
use super::gates::Dialect;

/// Most bytes of a command (RUN-6).
const CHECK_BYTES: usize = 8 * 1024;
/// Most bytes of a regular expression (unlazy).
const REGEX_BYTES: usize = 1000;

/// The value of an attribute line.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The bytes, trimmed.
    pub(super) value: Vec<u8>,
    /// Its line.
    pub(super) line: u32,
    /// Its bytes in the file.
    pub(super) span: Range<usize>,
}

/// The oracle of a criterion, or what is wrong with its halves (contract-gates 1.4, G7).
pub(super) fn oracle(
    id: &CriterionId,
    check: Option<&Slot>,
    expect: Option<&Slot>,
    dialect: Dialect,
    complaints: &mut Complaints,
) -> Option<Oracle> {
    let blank = check.or(expect);
    let filled = |slot: Option<&Slot>| slot.cloned().filter(|slot| !slot.value.is_empty());
    let (check, expect) = (filled(check), filled(expect));
    let (check, expect) = match (check, expect, blank) {
        (None, None, None) => return None,
        (None, None, Some(slot)) => {
            complaints.error(
                "blank-oracle",
                slot.line,
                &format!("the oracle of criterion {id} is blank"),
                "write CHECK and EXPECT, or take both out",
            );
            return None;
        }
        (None, Some(slot), _) => {
            complaints.error(
                "expect-without-check",
                slot.line,
                &format!("criterion {id} has an EXPECT and no CHECK"),
                "add the command, or take EXPECT out",
            );
            return None;
        }
        (Some(slot), None, _) if dialect == Dialect::Interview => {
            complaints.error(
                "check-without-expect",
                slot.line,
                &format!("criterion {id} has a CHECK and no EXPECT"),
                "add a marker that is printed only on success",
            );
            return None;
        }
        (Some(check), expect, _) => (check, expect),
    };
    refuse_check(&check, complaints);
    let fallback = check.span.end..check.span.end;
    let (says, expect_line, expect_span) = match expect {
        None => (Expect::ExitOnly, 0, fallback),
        Some(slot) => {
            let says = match dialect {
                Dialect::Interview => Expect::Plain(Foreign::new(slot.value.clone())),
                Dialect::Unlazy => pattern(&slot, complaints),
            };
            refuse_hidden("expect-hidden", "EXPECT", &slot, complaints);
            (says, slot.line, slot.span)
        }
    };
    Some(Oracle {
        check: Foreign::new(check.value),
        check_line: check.line,
        check_span: check.span,
        expect: says,
        expect_line,
        expect_span,
    })
}

fn refuse_check(check: &Slot, complaints: &mut Complaints) {
    if check.value.len() > CHECK_BYTES {
        complaints.error(
            "check-too-long",
            check.line,
            &format!(
                "the command has {} bytes, more than {CHECK_BYTES}",
                check.value.len()
            ),
            "move it into a script",
        );
    }
    refuse_hidden("check-hidden", "CHECK", check, complaints);
    if check.value.ends_with(b"\\") {
        complaints.error(
            "check-continues",
            check.line,
            "the command ends with a backslash, but a value is one line",
            "write the command on one line",
        );
    }
}

fn refuse_hidden(code: &'static str, what: &'static str, slot: &Slot, complaints: &mut Complaints) {
    let shown = Foreign::new(slot.value.clone()).shown(Place::Strict);
    if shown.hidden() == 0 {
        return;
    }
    let marks: Vec<_> = shown
        .pieces()
        .iter()
        .filter(|piece| piece.mark)
        .map(|piece| piece.text.as_str())
        .take(3)
        .collect();
    let count = shown.hidden();
    let plural = if count == 1 { "" } else { "s" };
    complaints.error(
        code,
        slot.line,
        &format!(
            "{what} holds {count} hidden character{plural}: {}",
            marks.join(" ")
        ),
        "take them out, or move the command into a script",
    );
}

/// A marker of unlazy: `/source/flags` or plain text.
fn pattern(slot: &Slot, complaints: &mut Complaints) -> Expect {
    let plain = || Expect::Plain(Foreign::new(slot.value.clone()));
    let Some(text) = std::str::from_utf8(&slot.value)
        .ok()
        .and_then(|text| text.strip_prefix('/'))
    else {
        return plain();
    };
    let Some((source, flags)) = text.rsplit_once('/') else {
        return plain();
    };
    if source.is_empty() || !flags.bytes().all(|b| b.is_ascii_lowercase()) {
        return plain();
    }
    if unescaped_slash(source) {
        complaints.warn(
            "path-read-as-regex",
            slot.line,
            "the marker looks like a path and is read as a regular expression",
            "escape the inner slashes, or leave out the first",
        );
    }
    let bad_flag = flags.bytes().find(|b| !b"dgimsuvy".contains(b));
    let compiled = regex::RegexBuilder::new(source)
        .size_limit(1 << 20)
        .case_insensitive(flags.contains('i'))
        .multi_line(flags.contains('m'))
        .dot_matches_new_line(flags.contains('s'))
        .build();
    if source.len() > REGEX_BYTES {
        complaints.error(
            "regex-too-long",
            slot.line,
            &format!("the regular expression has more than {REGEX_BYTES} bytes"),
            "shorten it",
        );
    } else if let Some(flag) = bad_flag {
        complaints.error(
            "regex-flag",
            slot.line,
            &format!("the flag {} is unknown", char::from(flag)),
            "use i, m, s or none",
        );
    } else if compiled.is_err() {
        complaints.error(
            "regex",
            slot.line,
            "the regular expression cannot be compiled by a linear-time engine",
            "write it without look-around and back-references, or use plain text",
        );
    }
    Expect::Regex {
        source: Foreign::from(source),
        flags: Foreign::from(flags),
    }
}

fn unescaped_slash(source: &str) -> bool {
    let mut escaped = false;
    let mut class = false;
    source.chars().any(|c| {
        let hit = c == '/' && !escaped && !class;
        match c {
            '[' if !escaped => class = true,
            ']' if !escaped => class = false,
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        hit
    })
}

/// What the value of an EVIDENCE line claims.
pub(super) fn claim(value: &[u8]) -> EvidenceClaim {
    if value.is_empty() || value.eq_ignore_ascii_case(b"pending") {
        EvidenceClaim::Pending
    } else if value == b"MET" || value.starts_with(b"MET ") {
        EvidenceClaim::Met
    } else if value.starts_with(b"NOT-MET") {
        EvidenceClaim::NotMet
    } else {
        EvidenceClaim::Other
    }
}
