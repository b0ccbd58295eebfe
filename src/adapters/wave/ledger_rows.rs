//! Reads the ledger of comments and the fresh fetch that it is compared with.

use super::complaints::Complaints;
use super::fields::Fields;
use crate::gate::gatekeep::comments::{
    Fetched, Label, Placeholder, Row, Run, State, is_placeholder,
};
use crate::model::known::{Known, Reason};
use crate::model::text::{Foreign, Place};
use crate::model::wave::{FindingId, Namespace};

/// The rows so far, and the comments of the fetch; `None` when they could not be read.
pub(super) fn read(
    all: &Fields<'_>,
    said: &Fields<'_>,
    wrong: &mut Complaints,
) -> (Vec<Row>, Option<Vec<Fetched>>) {
    let rows = said.list("comment_ledger", wrong).known().cloned();
    let rows = rows.unwrap_or_default();
    let rows = rows.iter().filter_map(|row| ledger_row(row, wrong));
    let rows: Vec<Row> = rows.collect();
    let ours = said.texts("own_comments", wrong);
    let ours: Vec<u64> = ours.iter().filter_map(|id| id.parse().ok()).collect();
    let banners = said.texts("banners", wrong);
    let runs = said.object("reviewer_runs", wrong);
    let block = all.object("comments", wrong);
    let mut fetched = Vec::new();
    let mut whole = block.is_there();
    for key in ["inline", "top_level"] {
        let Some(list) = block.list(key, wrong).known().cloned() else {
            whole = false;
            continue;
        };
        for comment in list {
            let id = comment.id("id", wrong);
            let time = comment.text("updated_at", wrong);
            let (Some(id), Some(time)) = (id, time) else {
                let hint = "every comment has id and updated_at";
                let message = "a comment cannot be told apart";
                wrong.error("bad-comment", comment.line(), message, hint);
                continue;
            };
            let bot = comment.text("user_type", wrong) == Some("Bot");
            let body = comment.text("body", wrong).unwrap_or_default();
            let starts: Vec<&str> = banners.iter().map(String::as_str).collect();
            let placeholder =
                is_placeholder(bot, body, &starts).then(|| placeholder(&runs, id, wrong));
            fetched.push(Fetched {
                comment: id,
                updated_at: time.to_owned(),
                ours: ours.contains(&id),
                placeholder,
            });
        }
    }
    (rows, whole.then_some(fetched))
}

/// How the run behind a banner ended; one that is not named is not known.
fn placeholder(runs: &Fields<'_>, comment: u64, wrong: &mut Complaints) -> Placeholder {
    let key = comment.to_string();
    let run = runs
        .pairs()
        .find(|(name, _)| *name == key)
        .map(|(_, node)| Fields::of(Some(node), "reviewer_runs"));
    let Some(run) = run else {
        return Placeholder {
            run: Known::Unknown(Reason::new("its run is not named")),
            waited: false,
        };
    };
    let conclusion = run.known("conclusion", "a text", wrong, |node| node.text());
    let over = run.flag("over", wrong);
    Placeholder {
        run: match (over, conclusion) {
            (Known::Is(false), _) => Known::Is(None),
            (Known::Is(true), Known::Is("success")) => Known::Is(Some(Run::Success)),
            (Known::Is(true), Known::Is(other)) => {
                let other = Foreign::from(other).shown(Place::Strict).plain();
                Known::Is(Some(Run::Other(other)))
            }
            _ => Known::Unknown(Reason::new("its run is unreadable")),
        },
        waited: run.plain_flag("waited", wrong),
    }
}

fn ledger_row(row: &Fields<'_>, wrong: &mut Complaints) -> Option<Row> {
    let id = row.text("id", wrong).and_then(FindingId::parse);
    let id = id.filter(|id| id.namespace == Namespace::Comment);
    let comment = row.id("comment", wrong);
    let time = row.text("updated_at", wrong);
    let state = row.text("state", wrong).unwrap_or_default();
    let reply = row.text("reply", wrong).unwrap_or_default();
    let state = state_of(state, reply);
    let (Some(id), Some(comment), Some(time), Some(state)) = (id, comment, time, state) else {
        let message = "a row of the comment ledger is malformed";
        let hint = "write id (C1), comment, updated_at and one of the states";
        wrong.error("bad-row", row.line(), message, hint);
        return None;
    };
    Some(Row {
        number: id.number,
        comment,
        updated_at: time.to_owned(),
        state,
    })
}

/// The states as the ledger writes them; only the three labels carry a reply.
fn state_of(state: &str, reply: &str) -> Option<State> {
    let number = |text: &str, letter: char| {
        let id = FindingId::parse(text)?;
        (id.namespace.letter() == letter).then_some(id.number)
    };
    let reply = || Foreign::from(reply).shown(Place::Prose).plain();
    Some(match state {
        "already-addressed" => State::Triaged(Label::AlreadyAddressed, reply()),
        "reasonable" => State::Triaged(Label::Reasonable, reply()),
        "judgment-call" => State::Triaged(Label::JudgmentCall, reply()),
        "new" => State::New,
        "withdrawn" => State::Withdrawn,
        "pending" => State::Pending,
        other => {
            if let Some(new) = other.strip_prefix("superseded by ") {
                State::Superseded(number(new, 'C')?)
            } else if let Some(prior) = other.strip_prefix("represented by ") {
                State::Represented(number(prior, 'R')?)
            } else {
                let inner = other.strip_prefix("reviewer failed (")?.strip_suffix(')')?;
                State::Failed(Foreign::from(inner).shown(Place::Strict).plain())
            }
        }
    })
}
