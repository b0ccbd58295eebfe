//! Reads what is known of a pull request from one JSON document: the digest's own blocks (`pr`,
//! `viewer`, `permissions`, `status_checks`, `actions_runs`, `comments`, `truncation_notes`) and an
//! `assessment` with what the run found. Every fault with its line; nothing is guessed.

use std::collections::BTreeMap;

use super::checks;
use super::complaints::{Complaints, document};
use super::fields::Fields;
use super::json;
use super::ledger_rows;
use crate::gate::gatekeep::comments::{self, Row as CommentRow, State as CommentState};
use crate::gate::gatekeep::course::{Found, Red, Template};
use crate::gate::gatekeep::criteria::{Judged, Outcome, SpecAt, delivers, no_spec, outcome};
use crate::gate::gatekeep::facts::{
    Author, Comments, Facts, MergeState, Mergeable, Permission, State, Sync,
};
use crate::gate::gatekeep::ids::{prior_blocks, severity_blocks};
use crate::gate::gatekeep::report::{Item, Report};
use crate::model::contract::Complaint;
use crate::model::known::{Known, Reason};
use crate::model::text::Foreign;
use crate::model::wave::{Account, Course, FindingId, Namespace, sound};

/// Everything that was read.
#[derive(Clone, Debug)]
pub struct Digest {
    /// The facts of the gate.
    pub facts: Facts,
    /// What the report says.
    pub report: Report,
    /// What the exit check looks at.
    pub found: Found,
    /// Syncs used and allowed.
    pub syncs: Account,
    /// The course of the run, once picked.
    pub course: Option<Course>,
    /// The menu that is asked for; `None` for the menu of verbs.
    pub template: Option<Template>,
    /// The ledger of comments after this fetch.
    pub comments: Vec<CommentRow>,
    /// Whether comments were fetched whole.
    pub comments_complete: bool,
    /// The contract's rows, as written, and what each comes to.
    pub criteria: Vec<(Foreign, Outcome)>,
    /// Sentence and request of the review that would be posted.
    pub review: (String, String),
    /// The head of the pull request.
    pub head: Option<String>,
}

/// Reads the document.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(bytes: &[u8], look: LookAt<'_>) -> Result<(Digest, Vec<Complaint>), Vec<Complaint>> {
    let root = document(bytes)?;
    let mut wrong = Complaints::default();
    let all = Fields::of(Some(&root), "the document");
    let digest = digest(&all, look, &mut wrong);
    let complaints = wrong.done();
    if sound(&complaints) {
        Ok((digest, complaints))
    } else {
        Err(complaints)
    }
}

/// What tells whether a head holds a file: the head, and the path from the top.
pub type LookAt<'a> = &'a dyn Fn(&str, &Foreign) -> SpecAt;

fn digest(all: &Fields<'_>, look: LookAt<'_>, wrong: &mut Complaints) -> Digest {
    let block = |name: &'static str, wrong: &mut Complaints| {
        let block = all.object(name, wrong);
        if !block.is_there() {
            let hint = "hand in the digest's own block of that name";
            wrong.error("no-block", 0, format!("the block {name} is missing"), hint);
        }
        block
    };
    let pr = block("pr", wrong);
    let viewer = block("viewer", wrong);
    let permissions = block("permissions", wrong);
    let said = block("assessment", wrong);
    let template = template(&said, wrong);
    let checks = checks::read(all, &said, wrong);
    let (rows, complete, comment_state) = talk(all, &said, wrong);
    let spec = spec(&said, look, wrong);
    let criteria = match &spec {
        Some((_, Some(_))) => {
            criteria(&said, wrong);
            Vec::new()
        }
        _ => criteria(&said, wrong),
    };
    let (mut blockers, nits) = findings(&said, &criteria, wrong);
    if let Some((_, Some(blocker))) = &spec {
        blockers.push(blocker.clone());
    }
    let head = pr.text("headRefOid", wrong).map(str::to_owned);
    let assessed = said.text("head", wrong).map(str::to_owned);
    let same_head = match (&head, &assessed) {
        (Some(head), Some(assessed)) => Known::Is(head.eq_ignore_ascii_case(assessed)),
        _ => Known::Unknown(Reason::new("pr.headRefOid or assessment.head is missing")),
    };
    let evidence_head = said.text("evidence_head", wrong);
    let stale_head = match (&head, evidence_head) {
        (Some(head), Some(evidence)) => !head.eq_ignore_ascii_case(evidence),
        _ => same_head.known() != Some(&true),
    };
    let local = said.object("local", wrong);
    let outcomes: Vec<Outcome> = criteria.iter().map(|row| row.1.clone()).collect();
    let does = said.foreign("does", wrong).unwrap_or_default();
    let coverage = said.object("coverage", wrong);
    let number = |list: &[Item]| u32::try_from(list.len()).unwrap_or(u32::MAX);
    let rounds = account(&said, "rounds", wrong);
    let syncs = account(&said, "syncs", wrong);
    let replies = rows.iter().filter(|row| row.state.reply().is_some());
    let replies = u32::try_from(replies.count()).unwrap_or(u32::MAX);
    let facts = Facts {
        author: match viewer.flag("is_author", wrong) {
            Known::Is(true) => Author::You,
            _ => Author::Other,
        },
        state: state(&pr, &said, wrong),
        draft: pr.flag("isDraft", wrong),
        blockers: number(&blockers),
        nits: number(&nits),
        permission: permissions.word(
            "viewer_permission",
            &[
                ("ADMIN", Permission::Write),
                ("MAINTAIN", Permission::Write),
                ("WRITE", Permission::Write),
                ("TRIAGE", Permission::Read),
                ("READ", Permission::Read),
                ("NONE", Permission::Read),
            ],
            wrong,
        ),
        head_pushable: permissions.flag("head_pushable", wrong),
        can_update: permissions.flag("can_update_branch", wrong),
        mergeable: mergeable(&pr, wrong),
        merge_state: merge_state(&permissions, &said, wrong),
        review_required: pr.known("reviewDecision", "a text", wrong, |node| {
            node.text().map(|word| word == "REVIEW_REQUIRED")
        }),
        checks,
        local_only: local.plain_flag("only", wrong),
        local_green: local.flag("green", wrong),
        stale_head,
        workers: said.plain_flag("workers", wrong),
        rounds,
        sync: said
            .word(
                "sync",
                &[
                    ("pushed", Sync::Pushed),
                    ("unpushed", Sync::Unpushed),
                    ("rebased-locally", Sync::RebasedLocally),
                ],
                wrong,
            )
            .known()
            .copied()
            .unwrap_or(Sync::Unpushed),
        carried_blocks: said.flag("carried_blocks", wrong).known() != Some(&false),
        comments: comment_state,
        replies,
        claims: said.flag("claims", wrong),
        provenance: said.flag("provenance", wrong),
        tracked_clean: said.flag("tracked_clean", wrong),
        unmoved: same_head,
        coverage: (
            coverage.plain_flag("ticket", wrong),
            coverage.plain_flag("pr", wrong),
        ),
    };
    let report = Report {
        delivers: delivers(does, &outcomes, said.raw("criteria").is_some()),
        comments: said.text("comments_line", wrong).map(|line| {
            let shown = Foreign::from(line).shown(crate::model::text::Place::Strict);
            shown.plain()
        }),
        nits,
        blockers,
        sync: said.foreign("sync_record", wrong),
        check: said.foreign("check", wrong),
    };
    let review = said.object("review", wrong);
    let words = |key: &str, wrong: &mut Complaints| {
        let text = review.foreign(key, wrong).unwrap_or_default();
        text.shown(crate::model::text::Place::Prose).plain()
    };
    Digest {
        review: (words("summary", wrong), words("ask", wrong)),
        found: found(&said, wrong),
        course: said
            .word(
                "course",
                &Course::ALL.map(|course| (course.word(), course)),
                wrong,
            )
            .known()
            .copied(),
        facts,
        report,
        syncs,
        template,
        comments: rows,
        comments_complete: complete,
        criteria,
        head,
    }
}

fn template(said: &Fields<'_>, wrong: &mut Complaints) -> Option<Template> {
    let words = Template::ALL.map(|template| (template.word(), Some(template)));
    let mut words = words.to_vec();
    words.push(("verbs", None));
    let read = said.word("menu", &words, wrong);
    read.known().copied().flatten()
}

fn state(pr: &Fields<'_>, said: &Fields<'_>, wrong: &mut Complaints) -> Known<State> {
    let own = said.word(
        "own_merge",
        &[
            ("none", None),
            ("queued", Some(State::Queued)),
            ("merged", Some(State::MergedHere)),
        ],
        wrong,
    );
    let own = own.known().copied().flatten();
    let words = [("OPEN", "open"), ("MERGED", "merged"), ("CLOSED", "closed")];
    pr.word("state", &words, wrong)
        .map(|state| match (state, own) {
            ("open", Some(State::Queued)) => State::Queued,
            ("open", _) => State::Open,
            ("merged", Some(_)) => State::MergedHere,
            _ => State::Ended,
        })
}

fn mergeable(pr: &Fields<'_>, wrong: &mut Complaints) -> Known<Mergeable> {
    let words = [
        ("MERGEABLE", Some(Mergeable::Yes)),
        ("CONFLICTING", Some(Mergeable::Conflicting)),
        ("UNKNOWN", None),
    ];
    let known = pr.word("mergeable", &words, wrong);
    settled(known, "the forge says UNKNOWN")
}

/// A value that is not in the list forbids nothing by itself, and is no approval either.
fn merge_state(
    permissions: &Fields<'_>,
    said: &Fields<'_>,
    wrong: &mut Complaints,
) -> Known<MergeState> {
    if said.flag("refreshed", wrong).known() == Some(&false) {
        return Known::Unknown(Reason::new("the last refresh failed"));
    }
    let known = permissions.known("merge_state_status", "a text", wrong, |node| {
        Some(match node.text()? {
            "UNKNOWN" => None,
            "BLOCKED" => Some(MergeState::Blocked),
            "BEHIND" => Some(MergeState::Behind),
            _ => Some(MergeState::Other),
        })
    });
    settled(known, "the forge says UNKNOWN")
}

fn settled<T>(known: Known<Option<T>>, why: &str) -> Known<T> {
    match known {
        Known::Is(Some(value)) => Known::Is(value),
        Known::Is(None) => Known::Unknown(Reason::new(why)),
        Known::Unknown(why) => Known::Unknown(why),
        Known::NotApplicable(why) => Known::NotApplicable(why),
        Known::NotSupplied => Known::NotSupplied,
    }
}

/// A cap that is `null` was not set yet; one that is missing is not known.
fn account(said: &Fields<'_>, key: &'static str, wrong: &mut Complaints) -> Account {
    let pair = said.object(key, wrong);
    let unset = pair.raw("cap").is_some_and(json::Node::is_null);
    let cap = if unset {
        Known::NotApplicable(Reason::new("no course was picked"))
    } else {
        pair.number("cap", wrong)
    };
    Account {
        used: pair.number("used", wrong),
        cap,
    }
}

/// The comments of the fetch, folded over the ledger that is handed in.
fn talk(
    all: &Fields<'_>,
    said: &Fields<'_>,
    wrong: &mut Complaints,
) -> (Vec<CommentRow>, bool, Comments) {
    let (rows, fetched) = ledger_rows::read(all, said, wrong);
    let whole = matches!(all.list("truncation_notes", wrong), Known::Is(notes) if notes.is_empty());
    let complete = fetched.is_some() && whole;
    let fetched = fetched.unwrap_or_default();
    let (rows, _) = comments::diff(&rows, &fetched, complete);
    let pending = rows.iter().any(|row| row.state == CommentState::Pending);
    let new = rows.iter().any(|row| row.state == CommentState::New);
    let unreviewed = said.flag("sources_reviewed", wrong).known() == Some(&false);
    let state = if !complete {
        Comments::NotFetched
    } else if pending {
        Comments::Pending
    } else if new || unreviewed {
        Comments::Unreviewed
    } else {
        Comments::Settled
    };
    (rows, complete, state)
}

/// The spec that the description names, and the blocker that it comes to when the assessed head
/// does not hold it. It is looked at; nobody is asked whether it is there.
fn spec(
    said: &Fields<'_>,
    look: LookAt<'_>,
    wrong: &mut Complaints,
) -> Option<(Foreign, Option<Item>)> {
    let path = said.foreign("spec", wrong)?;
    let at = match said.text("head", wrong) {
        Some(head) => look(head, &path),
        None => SpecAt::Unknown("no assessed head was handed in".into()),
    };
    let blocker = no_spec(&path, &at);
    if blocker.is_some()
        && said
            .list("criteria", wrong)
            .known()
            .is_some_and(|l| !l.is_empty())
    {
        let message = "rows of a spec that is not there count for nothing";
        wrong.warn("no-spec", said.line(), message, "restore the spec first");
    }
    Some((path, blocker))
}

fn criteria(said: &Fields<'_>, wrong: &mut Complaints) -> Vec<(Foreign, Outcome)> {
    let words = [
        ("covered", Judged::Covered),
        ("gap", Judged::Gap),
        ("wording", Judged::Wording),
    ];
    let rows = said.list("criteria", wrong).known().cloned();
    let rows = rows.unwrap_or_default();
    rows.iter()
        .map(|row| {
            let text = row.foreign("text", wrong).unwrap_or_default();
            let judged = row.word("judged", &words, wrong);
            let disposition = row.text("disposition", wrong).unwrap_or("in-scope");
            (text, outcome(disposition, &judged))
        })
        .collect()
}

/// Open findings as blockers and nits, in order, items of a prior review first. A gap that no
/// finding names becomes a blocker of its own.
fn findings(
    said: &Fields<'_>,
    criteria: &[(Foreign, Outcome)],
    wrong: &mut Complaints,
) -> (Vec<Item>, Vec<Item>) {
    let mut rubric = BTreeMap::new();
    for (severity, node) in said.object("rubric", wrong).pairs() {
        match node.text() {
            Some("blocker") => rubric.insert(severity.to_owned(), true),
            Some("nit") => rubric.insert(severity.to_owned(), false),
            _ => {
                let message = "a severity maps to blocker or nit";
                wrong.error("wrong-kind", node.line, message, "write one of the two");
                None
            }
        };
    }
    let own = said.plain_flag("own", wrong);
    let mut named = std::collections::BTreeSet::new();
    let mut seen = std::collections::BTreeSet::new();
    let mut prior: [Vec<Item>; 2] = [Vec::new(), Vec::new()];
    let mut fresh: [Vec<Item>; 2] = [Vec::new(), Vec::new()];
    let list = said.list("findings", wrong);
    if list.known().is_none() {
        let hint = "hand in the open findings; an empty list when there are none";
        wrong.error("no-findings", said.line(), "findings is no list", hint);
    }
    for finding in list.known().cloned().unwrap_or_default() {
        let id = finding.text("id", wrong).and_then(FindingId::parse);
        match id {
            Some(id) if !id.is_work() => {
                let message = format!("{id} is no id of a blocker or nit");
                wrong.error(
                    "bad-id",
                    finding.line(),
                    message,
                    "mint a P or an L id for it",
                );
            }
            Some(id) if !seen.insert(id) => {
                let message = format!("{id} stands twice");
                wrong.error("id-twice", finding.line(), message, "one defect is one id");
            }
            Some(_) => {}
            None => {
                let message = "a finding has no id";
                wrong.error(
                    "bad-id",
                    finding.line(),
                    message,
                    "write one such as \"P1\"",
                );
            }
        }
        named.extend(finding.number("criterion", wrong).known().copied());
        let of_review = finding.object("prior", wrong);
        let item = Item {
            text: finding.foreign("text", wrong).unwrap_or_default(),
            locator: finding.foreign("locator", wrong).unwrap_or_default(),
            last_decision: finding.foreign("last_decision", wrong),
        };
        let blocks = if of_review.is_there() {
            let changes = of_review.plain_flag("changes_requested", wrong);
            prior_blocks(changes, own)
        } else {
            let severity = finding.text("severity", wrong).unwrap_or_default();
            severity_blocks(severity, &rubric)
        };
        let group = if of_review.is_there() {
            &mut prior
        } else {
            &mut fresh
        };
        if let Some(list) = group.get_mut(usize::from(!blocks)) {
            list.push(item);
        }
    }
    let [mut blockers, mut nits] = prior;
    let [more_blockers, more_nits] = fresh;
    blockers.extend(more_blockers);
    nits.extend(more_nits);
    for (at, (text, outcome)) in (1u32..).zip(criteria) {
        if let Outcome::Gap(why) = outcome
            && !named.contains(&at)
        {
            let words = text.shown(crate::model::text::Place::Strict);
            blockers.push(Item {
                text: format!("The criterion \"{words}\" is a gap: {why}.").into(),
                locator: format!("criterion {at}").into(),
                last_decision: None,
            });
        }
    }
    (blockers, nits)
}

fn found(said: &Fields<'_>, wrong: &mut Complaints) -> Found {
    let stuck = said.object("exit", wrong);
    let list = |key: &'static str, wrong: &mut Complaints| {
        let list = stuck.list(key, wrong);
        list.known().cloned().unwrap_or_default()
    };
    let reds = list("red", wrong).into_iter().map(|red| Red {
        check: red.foreign("check", wrong).unwrap_or_default(),
        twice: red.plain_flag("before", wrong) && !red.plain_flag("repaired", wrong),
        lead: red.flag("lead", wrong).known() != Some(&false),
        rerun: red.plain_flag("rerun", wrong),
    });
    let reds = reds.collect();
    let row = stuck.object("exhausted", wrong);
    let lost = stuck.object("lost_push", wrong);
    Found {
        record_bad: stuck.plain_flag("record_bad", wrong),
        reds,
        needs: stuck.foreign("needs", wrong),
        contract_exception: stuck.foreign("contract_exception", wrong),
        no_progress: stuck.foreign("no_progress", wrong),
        guard: stuck.foreign("guard", wrong),
        no_model: stuck.plain_flag("no_model", wrong),
        exhausted: row.number("row", wrong).known().map(|number| {
            let ids = row.texts("ids", wrong);
            let ids = ids.iter().filter_map(|id| FindingId::parse(id));
            let ids: Vec<String> = ids
                .filter(|id| id.namespace != Namespace::Comment)
                .map(|id| id.to_string())
                .collect();
            (*number, ids.join(", "))
        }),
        lost_push: lost.foreign("branch", wrong).map(|branch| {
            let to = lost.foreign("destination", wrong).unwrap_or_default();
            (branch, to)
        }),
    }
}
