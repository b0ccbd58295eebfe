//! Reads the proposal of a description repair, by the source's field names.

use super::complaints::{Complaints, document};
use super::fields::Fields;
use super::json;
use crate::gate::wave::repair::Proposal;
use crate::model::contract::Complaint;
use crate::model::id::Oid;
use crate::model::wave::{FindingId, sound};

/// Reads it.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(bytes: &[u8]) -> Result<Proposal, Vec<Complaint>> {
    let root = document(bytes)?;
    let mut wrong = Complaints::default();
    let all = Fields::of(Some(&root), "the proposal");
    let mut text = |key: &'static str| {
        let text = all.text(key, &mut wrong).map(str::to_owned);
        if text.is_none() && all.raw(key).and_then(json::Node::text).is_none() {
            let message = format!("{key} is missing");
            wrong.error(
                "missing",
                all.line(),
                message,
                "write every field of a proposal",
            );
        }
        text.unwrap_or_default()
    };
    let finding = text("finding_id");
    let head = text("assessed_head");
    let (body, old, new) = (text("original_body"), text("old_text"), text("new_text"));
    let (replacement, evidence) = (text("replacement_body"), text("source_evidence"));
    let mut ids = |key: &'static str| {
        let texts = all.texts(key, &mut wrong);
        let mut out = Vec::new();
        for text in texts {
            match FindingId::parse(&text) {
                Some(id) => out.push(id),
                None => {
                    let line = all.raw(key).map_or(0, |node| node.line);
                    let message = format!("{} is no id", super::complaints::shown(&text));
                    wrong.error("bad-id", line, message, "write ids such as \"P1\"");
                }
            }
        }
        out
    };
    let (contributors, claims) = (ids("contributor_ids"), ids("claim_ids"));
    let id = FindingId::parse(&finding);
    if id.is_none() && !finding.is_empty() {
        let line = all.raw("finding_id").map_or(0, |node| node.line);
        wrong.error(
            "bad-id",
            line,
            "finding_id is no id",
            "write one such as \"P1\"",
        );
    }
    if Oid::parse(&head).is_none() && !head.is_empty() {
        let line = all.raw("assessed_head").map_or(0, |node| node.line);
        let message = "assessed_head is no commit id of 40 hex digits";
        wrong.error("bad-head", line, message, "write it in full");
    }
    let proposal = id.map(|finding| Proposal {
        finding,
        contributors,
        claims,
        head,
        body,
        old,
        new,
        replacement,
        evidence,
    });
    if let Some(proposal) = &proposal
        && wrong.is_empty()
    {
        for fault in proposal.faults() {
            wrong.error("no-proposal", all.line(), fault, "draft it again");
        }
    }
    let complaints = wrong.done();
    match proposal {
        Some(proposal) if sound(&complaints) => Ok(proposal),
        _ => Err(complaints),
    }
}
