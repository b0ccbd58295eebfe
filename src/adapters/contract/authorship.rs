//! The interview's own rules of authorship (contract-interview steps 1 to 4, weight per flow),
//! as warnings (H35). None of them refuses a contract.

use crate::model::contract::{Header, ScopeSays};
use crate::model::id::RepoPath;
use crate::model::text::Foreign;

use super::complaints::Complaints;
use super::marks::is_date;
use super::{Parts, blocks};

/// The flows that the interview knows.
const FLOWS: [&str; 6] = [
    "ship-feature",
    "feat",
    "bugfix",
    "hotfix",
    "init-project",
    "onboard",
];

/// Warns about header, request, clarifications, scope and the weight of the oracles.
/// `found` says which of the four sections stand in the file, in template order.
pub(super) fn interview(parts: &Parts, found: [bool; 4], complaints: &mut Complaints) {
    header(&parts.header, complaints);
    let [request, clarifications, _, scope] = found;
    if !request || parts.request.is_none() {
        complaints.warn(
            "no-request",
            0,
            "the verbatim request is missing",
            "put it under ## REQUEST",
        );
    }
    let asked = blocks::questions(&parts.clarifications);
    if asked > 3 {
        complaints.warn(
            "many-questions",
            parts.clarifications.first().map_or(0, |block| block.line),
            &format!("{asked} questions were asked, and the interview allows three"),
            "ask once, at most three questions",
        );
    }
    if !clarifications || parts.clarifications.is_empty() {
        complaints.warn(
            "no-clarifications",
            0,
            "neither questions nor the none line stand in the contract",
            "write the questions, or none — request complete",
        );
    }
    if !scope || parts.scope.is_empty() {
        complaints.warn(
            "no-scope",
            0,
            "the contract names no files",
            "list paths under ## FILE SCOPE, or repo-wide with a reason",
        );
    }
    for entry in &parts.scope {
        if entry.says == ScopeSays::RepoWide(None) {
            complaints.warn(
                "repo-wide-without-reason",
                entry.line,
                "repo-wide stands without a reason",
                "say why the whole repository is in scope",
            );
        }
    }
    weight(parts, complaints);
}

fn header(header: &Header, complaints: &mut Complaints) {
    let fields = [
        ("date", &header.date),
        ("flow", &header.flow),
        ("branch", &header.branch),
        ("status", &header.status),
    ];
    for (name, field) in fields {
        if field.as_ref().is_none_or(Foreign::is_blank) {
            complaints.warn(
                "header-field",
                0,
                &format!("the header has no {name}"),
                &format!("add {name}: to the bullets under the title"),
            );
        }
    }
    let word = header.flow.as_ref().and_then(Foreign::raw_str);
    if word.is_some_and(|word| !word.is_empty() && !FLOWS.contains(&word)) {
        complaints.warn(
            "flow-word",
            0,
            "the flow is none of those that the interview knows",
            &format!("use one of {}", FLOWS.join(", ")),
        );
    }
}

/// How many oracles a flow is expected to carry.
fn weight(parts: &Parts, complaints: &mut Complaints) {
    let flow = parts.header.flow.as_ref().and_then(Foreign::raw_str);
    let oracles = parts.criteria.iter().filter(|c| c.oracle.is_some()).count();
    let says = match (flow, oracles) {
        (Some("hotfix"), 0) => "a hotfix carries one CHECK, for build and tests; none stands here",
        (Some("hotfix"), 2..) => "a hotfix carries one CHECK, for build and tests, and no more",
        (Some("feat" | "bugfix" | "ship-feature" | "init-project"), 0) => {
            "this flow carries at least the CHECK of its test suite; none stands here"
        }
        _ => return,
    };
    complaints.warn("oracle-weight", 0, says, "match the oracles to the flow");
}

/// Warns when the file's name is not `<YYYY-MM-DD>-<slug>-<HHMM>.md`.
pub(super) fn file_name(path: &RepoPath, complaints: &mut Complaints) {
    let name = String::from_utf8_lossy(path.file_name()).into_owned();
    let fits = name.strip_suffix(".md").is_some_and(|stem| {
        let date = stem.get(..10).is_some_and(is_date);
        let rest = stem.get(10..).unwrap_or_default();
        let (slug, time) = rest.rsplit_once('-').unwrap_or(("", ""));
        let slug = slug.strip_prefix('-').unwrap_or_default();
        date && !slug.is_empty()
            && slug
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && time.len() == 4
            && time.bytes().all(|b| b.is_ascii_digit())
    });
    if !fits {
        complaints.warn(
            "file-name",
            0,
            "the file is not named <YYYY-MM-DD>-<slug>-<HHMM>.md",
            "name it so that two runs of one day never collide",
        );
    }
}
