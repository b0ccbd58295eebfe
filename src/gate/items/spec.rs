//! What the spec gate adds to a ruling (rulings A1). It is read beside the session; until then the
//! ruling is open, and what could not be read is never nothing.

use crate::gate::dossier::Dossier;
use crate::gate::judge::{Findings, TraceResult, TraceRow};
use crate::gate::spec::sum::{SpecSum, is_spec};
use crate::model::known::{Known, Reason};

use super::count;

/// Whether the change touches files that look like specs; `None` while its files are not known.
/// Asked once for a judgment: it goes through every file.
pub(in crate::gate) fn touched(dossier: &Dossier) -> Option<bool> {
    Some(dossier.files.known()?.iter().any(is_spec))
}

/// Whether the change touches specs that are still being read.
pub(in crate::gate) fn unread_yet(found: &Findings<'_>) -> bool {
    matches!(found.dossier.spec, Known::NotSupplied) && found.touches_spec == Some(true)
}

/// Why the spec gate could not be measured; nothing when it does not apply.
pub(in crate::gate) fn unmeasured(dossier: &Dossier, touched: Option<bool>) -> Option<String> {
    match &dossier.spec {
        Known::Unknown(why) if touched == Some(true) => {
            Some(format!("the spec gate could not be looked at: {why}"))
        }
        _ => None,
    }
}

/// What it says, when it says something.
pub(in crate::gate) fn sum<'d>(found: &Findings<'d>) -> Option<&'d SpecSum> {
    let applies = found.touches_spec == Some(true);
    let sum = found.dossier.spec.known().map(|sum| &**sum);
    sum.filter(|_| applies)
}

/// Its word, for lists of gates.
pub(in crate::gate) fn word_of(found: &Findings<'_>) -> Known<&'static str> {
    match (found.touches_spec, &found.dossier.spec) {
        (Some(false), _) => Known::NotApplicable(Reason::new("the change touches no spec")),
        (None, _) | (_, Known::NotSupplied) => Known::NotSupplied,
        (_, Known::Is(sum)) => Known::Is(sum.word()),
        (_, Known::Unknown(why)) => Known::Unknown(why.clone()),
        (_, Known::NotApplicable(why)) => Known::NotApplicable(why.clone()),
    }
}

/// Its row in the trace.
pub(in crate::gate) fn gate(found: &Findings<'_>) -> TraceRow {
    let row = |says: String, result: TraceResult| TraceRow {
        rule: "spec",
        says,
        result,
        ids: Vec::new(),
    };
    let dossier = found.dossier;
    match found.touches_spec {
        None => {
            let says = "not computed: the changed files are not known".to_owned();
            return row(says, TraceResult::Unknown);
        }
        Some(false) => {
            let says = "does not apply: the change touches no spec.md and no .feature".to_owned();
            return row(says, TraceResult::Absent);
        }
        Some(true) => {}
    }
    match &dossier.spec {
        Known::NotSupplied => row(
            "the specs are still being read".into(),
            TraceResult::Unknown,
        ),
        Known::Unknown(why) => row(why.to_string(), TraceResult::Unknown),
        Known::NotApplicable(why) => row(why.to_string(), TraceResult::Absent),
        Known::Is(sum) => {
            let all: Vec<&str> = sum.up.iter().chain(&sum.back).map(String::as_str).collect();
            match all.as_slice() {
                [] => row("nothing speaks against the spec".into(), TraceResult::Clear),
                all => row(
                    format!("{}: {}", sum.word(), all.join("; ")),
                    TraceResult::Fires,
                ),
            }
        }
    }
}

/// What it would take for the spec gate to stand in nobody's way.
pub(in crate::gate) fn needs(found: &Findings<'_>) -> Vec<String> {
    let Some(sum) = sum(found) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    if !sum.back.is_empty() {
        out.push(format!("the spec is mended ({})", sum.back.join("; ")));
    }
    if !sum.up.is_empty() {
        let says = "what narrows its suites is undone, granted or marked at the spec gate";
        out.push(says.to_owned());
    }
    out
}

/// Why the ruling is not better, in words.
pub(in crate::gate) fn whys(found: &Findings<'_>) -> Vec<String> {
    let Some(sum) = sum(found) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    if !sum.up.is_empty() {
        out.push(String::from("the spec gate needs Clearance"));
    }
    if !sum.back.is_empty() {
        let n = sum.back.len();
        out.push(format!("the spec gate has {}", count(n, "objection")));
    }
    out
}
