//! `ABANDON:` lines against the criteria they name (contract-gates 1.4, G15).

use std::collections::{HashMap, HashSet};

use crate::model::contract::{Abandonment, Criterion, Severity};
use crate::model::id::CriterionId;

use super::complaints::Complaints;
use super::gates::Dialect;

/// Complains about abandonments that name nothing, twice the same, or give no reason.
pub(super) fn check(
    dialect: Dialect,
    criteria: &[Criterion],
    lines: &[Abandonment],
    complaints: &mut Complaints,
) {
    let mut seen: HashMap<&CriterionId, u32> = HashMap::new();
    let known: HashSet<&CriterionId> = criteria.iter().map(|c| &c.id).collect();
    let near: HashMap<String, &CriterionId> =
        criteria.iter().map(|c| (bare(&c.id), &c.id)).collect();
    for abandonment in lines {
        let known = abandonment.id.as_ref().filter(|id| known.contains(id));
        if let Some(id) = known {
            if let Some(first) = seen.insert(id, abandonment.line) {
                complaints.error(
                    "duplicate-abandon",
                    abandonment.line,
                    &format!("criterion {id} is already abandoned on line {first}"),
                    "keep one of the two",
                );
            }
        } else {
            let severity = match dialect {
                Dialect::Interview => Severity::Error,
                Dialect::Unlazy => Severity::Warning,
            };
            unknown_abandon(severity, &near, abandonment, complaints);
        }
        if abandonment.reason.is_blank() {
            complaints.error(
                "blank-abandon",
                abandonment.line,
                "the abandonment has no reason",
                "say why, and who takes over",
            );
        }
    }
}

/// An id as a person may mistake it for another: without leading zeros and capitals.
fn bare(id: &CriterionId) -> String {
    id.as_str().trim_start_matches('0').to_ascii_lowercase()
}

fn unknown_abandon(
    severity: Severity,
    near: &HashMap<String, &CriterionId>,
    abandonment: &Abandonment,
    complaints: &mut Complaints,
) {
    let Some(id) = &abandonment.id else {
        complaints.add(
            severity,
            "unknown-abandon",
            abandonment.line,
            "the abandonment names no criterion",
            "write ABANDON:, the id, and the reason",
        );
        return;
    };
    let hint = match near.get(&bare(id)) {
        Some(id) => format!("write {id} if that one is meant"),
        None => String::from("name a criterion that stands in the contract"),
    };
    complaints.add(
        severity,
        "unknown-abandon",
        abandonment.line,
        &format!("there is no criterion {id}"),
        &hint,
    );
}
