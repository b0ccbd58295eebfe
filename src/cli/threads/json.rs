//! `threads/1`, which `--threads` reads back.

use serde_json::{Map, Value, json};

use super::{Files, states};
use crate::gate::verify::Trigger;
use crate::gate::verify::markers::{Marker, Reading, Rounds};
use crate::gate::verify::minor::{Malformed, Tag};
use crate::gate::verify::threads::{Case, breakers, triggers};
use crate::model::id::{Oid, RepoPath};
use crate::model::known::Known;
use crate::model::ruling::Verdict;
use crate::model::text::Foreign;
use crate::model::thread::{
    Channel, Comment, Completeness, Listing, Pull, Resolved, ReviewWord, Side, Thread, Threads,
};

/// The document.
pub(in crate::cli) fn document(files: &Files, cases: &[Case], head: Option<&Oid>) -> Value {
    let threads = &files.threads;
    let channels: Map<String, Value> = Channel::ALL
        .into_iter()
        .map(|channel| (channel.word().to_owned(), extent(threads.channel(channel))))
        .collect();
    let each = threads.threads.iter().zip(cases);
    json!({
        "schema": crate::adapters::forge::SCHEMA,
        "complete": threads.complete(),
        "age": files.age,
        "channels": channels,
        "head": head.map(ToString::to_string),
        "stale": super::other_head(threads, head).is_some(),
        "pull": threads.pull.known().map(pull),
        "files": listing(&threads.files),
        "commits": listing(&threads.commits),
        "digest": threads.digest.to_string(),
        "counts": counts(threads, cases),
        "triggers": triggers(cases).iter().map(|t| t.word()).collect::<Vec<_>>(),
        "breakers": breakers(threads, cases),
        "threads": each.map(|(thread, case)| one(thread, case)).collect::<Vec<_>>(),
        "faults": threads.faults.iter().map(|fault| json!({
            "code": fault.code,
            "file": text(&fault.file),
            "at": text(&fault.at),
            "message": fault.message,
            "hint": fault.hint,
            "loses": fault.loses,
        })).collect::<Vec<_>>(),
    })
}

/// Text from outside as JSON: what is no UTF-8 is replaced, hidden characters are escaped when
/// the document is printed.
fn text(foreign: &Foreign) -> String {
    String::from_utf8_lossy(foreign.raw()).into_owned()
}

fn maybe(foreign: Option<&Foreign>) -> Option<String> {
    foreign.map(text)
}

fn extent(state: &Completeness) -> Value {
    let mut out = json!({ "state": state.word() });
    match state {
        Completeness::Partial { loaded, of, why } => {
            out["loaded"] = json!(loaded);
            out["of"] = json!(of);
            out["why"] = json!(why.to_string());
        }
        Completeness::Unreadable(why) => out["why"] = json!(why.to_string()),
        Completeness::Complete | Completeness::NotSupplied => {}
    }
    out
}

fn listing<T>(listing: &Listing<T>) -> Value {
    let mut out = extent(&listing.state);
    out["count"] = json!(listing.items.len());
    out
}

fn pull(pull: &Pull) -> Value {
    json!({
        "number": pull.number,
        "state": maybe(pull.state.as_ref()),
        "title": maybe(pull.title.as_ref()),
        "body": maybe(pull.body.as_ref()),
        "author": pull.author.as_ref().and_then(|author| maybe(author.login.as_ref())),
        "head": pull.head.map(|head| head.to_string()),
        "base": maybe(pull.base_name.as_ref()),
        "mergeable": maybe(pull.mergeable.as_ref()),
    })
}

fn counts(threads: &Threads, cases: &[Case]) -> Value {
    let state = |word: &str| {
        cases
            .iter()
            .filter(|case| case.state.word() == word)
            .count()
    };
    let marked = |word: &str| {
        let marked = |thread: &&Thread| states(thread).contains(&word);
        threads.threads.iter().filter(marked).count()
    };
    let minors = crate::gate::verify::threads::minors(cases);
    json!({
        "threads": threads.threads.len(),
        "open": cases.iter().filter(|case| case.open()).count(),
        "resolved": state("resolved"),
        "weak": state("weak"),
        "unresolved": state("unresolved"),
        "could_not_tell": state("could-not-tell"),
        "outdated": marked("outdated"),
        "minimised": marked("minimised"),
        "edited": marked("edited"),
        "deleted_account": marked("deleted-account"),
        "minors": {
            "verifiable": minors.verifiable,
            "consider": minors.consider,
            "nofollow": minors.nofollow,
            "malformed": minors.malformed,
        },
    })
}

fn path(at: &RepoPath) -> (Value, bool) {
    let (text, lossy) = at.json();
    (json!(text), lossy)
}

fn anchor(thread: &Thread, case: &Case) -> Value {
    let Some(spot) = &thread.spot else {
        return Value::Null;
    };
    let (original, lossy) = path(&spot.path);
    let mut out = json!({
        "path": original,
        "line": spot.line,
        "start_line": spot.start,
        "grade": Value::Null,
        "side": match spot.side { Side::Left => "left", Side::Right => "right" },
        "original_path": original,
        "original_line": spot.original_line,
        "original_start_line": spot.original_start,
        "commit": thread.written_at.map(|oid| oid.to_string()),
        "excerpt": maybe(spot.excerpt.as_ref()),
    });
    if lossy {
        out["lossy"] = json!(true);
    }
    match &case.looked.anchor {
        Known::Is(at) => {
            out["path"] = path(&at.path).0;
            out["line"] = json!(at.lines.map(|(_, last)| last));
            out["start_line"] = json!(at.lines.map(|(first, _)| first));
            out["grade"] = json!(at.grade.word());
        }
        Known::Unknown(why) => out["unknown"] = json!(why.to_string()),
        Known::NotApplicable(_) | Known::NotSupplied => {}
    }
    out
}

fn comment(comment: &Comment) -> Value {
    json!({
        "id": comment.id,
        "author": maybe(comment.author.login.as_ref()),
        "account": comment.author.account.word(),
        "body": text(&comment.body),
        "cut": comment.cut,
        "written": maybe(comment.written.as_ref()),
        "edited": match &comment.edited {
            Known::Is(Some(edited)) => match &edited.by {
                Some(by) => json!(text(by)),
                None => json!(true),
            },
            Known::Is(None) => json!(false),
            Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => Value::Null,
        },
        "minimised": maybe(comment.minimised.as_ref()),
        "url": maybe(comment.url.as_ref()),
    })
}

fn one(thread: &Thread, case: &Case) -> Value {
    let mut out = json!({
        "id": thread.id,
        "channel": thread.channel.word(),
        "author": Value::Null,
        "actor": case.reading.actor.word(),
        "tag": case.reading.tag().map(Tag::word),
        "blocker": case.reading.blocker,
        "fires": case.fires().iter().map(|t| t.word()).collect::<Vec<_>>(),
        "remarks": case.reading.remarks.iter().map(|remark| json!({
            "tag": remark.tag.map(Tag::word),
            "malformed": remark.malformed.map(Malformed::says),
            "weight": remark.weight.map(Trigger::word),
        })).collect::<Vec<_>>(),
        "anchor": anchor(thread, case),
        "state": states(thread).first(),
        "states": states(thread),
        "resolution": resolution(thread, case),
        "outdated": thread.outdated.known(),
        "review": thread.review.map(ReviewWord::word),
        "all_replies": thread.all_replies,
        "comment": thread.first.id,
    });
    let first = comment(&thread.first);
    for key in [
        "author",
        "account",
        "body",
        "cut",
        "written",
        "edited",
        "minimised",
        "url",
    ] {
        out[key] = first[key].clone();
    }
    out["replies"] = thread.replies.iter().map(comment).collect();
    out
}

fn resolution(thread: &Thread, case: &Case) -> Value {
    use crate::gate::verify::resolution::{Grade, Touch};
    let by = match case.grade {
        Grade::Person => "person",
        Grade::Forge | Grade::Outdated => "forge",
        Grade::Line | Grade::Hunk | Grade::FileOnly | Grade::FileGone => "commit",
        Grade::TicketNamed => "reply",
        Grade::Nothing => "none",
    };
    let (resolved, resolver) = match &thread.resolved {
        Known::Is(Resolved::By(by)) => (Some(true), maybe(by.as_ref())),
        Known::Is(Resolved::No) => (Some(false), None),
        Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => (None, None),
    };
    let commits = case.looked.touch.commits().iter();
    let mut out = json!({
        "state": case.state.word(),
        "by": by,
        "grade": case.grade.word(),
        "commits": commits.map(ToString::to_string).collect::<Vec<_>>(),
        "resolved": resolved,
        "resolved_by": resolver,
    });
    if let Touch::Unknown(why) = &case.looked.touch {
        out["unknown"] = json!(why.to_string());
    }
    out
}

/// The markers of earlier rounds, in the order of the threads.
pub(in crate::cli) fn markers(markers: &[Marker]) -> Value {
    let one = |marker: &Marker| {
        let mut out = json!({
            "comment": marker.comment,
            "channel": marker.channel.word(),
            "author": maybe(marker.author.as_ref()),
            "counts": marker.counts,
            "edited": marker.edited,
        });
        match &marker.reading {
            Reading::Marker {
                round,
                verdict,
                tip,
                ..
            } => {
                out["round"] = json!(round);
                out["verdict"] = json!(verdict.word());
                out["tip"] = json!(tip.map(|tip| tip.to_string()));
                out["malformed"] = Value::Null;
            }
            Reading::Malformed(why) => out["malformed"] = json!(why),
        }
        out
    };
    markers.iter().map(one).collect()
}

/// What they make of the round.
pub(in crate::cli) fn rounds(rounds: &Rounds) -> Value {
    json!({
        "count": rounds.count,
        "highest": rounds.highest,
        "ledger": rounds.ledger,
        "next": rounds.next,
        "in_force": rounds.at_head.map(Verdict::word),
        "odd": rounds.odd,
    })
}
