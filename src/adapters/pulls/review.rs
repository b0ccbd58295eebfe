//! Posting a ruling as a review: the same comment, and what goes back beside the lines of the
//! change. Where a forge takes a review whole, it is one request and stands there whole or not at
//! all. GitLab has no such thing: the comments go one by one, each with a marker of its own, and
//! the ruling last; what stands there already is not sent a second time (FRG-9).

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Value, json};

use super::call::Line;
use super::post::{Done, NotPosted, comments_path, ready, reviews_path, send, standing};
use crate::gate::inline::Inline;
use crate::model::forge::{Kind, PullName};
use crate::model::id::{EntryId, Oid, RepoPath};
use crate::model::thread::Side;

/// The bytes of a review as a person reads them before they are sent: the comment, then each line
/// with what stands there.
#[must_use]
pub fn text(body: &str, inlines: &[Inline]) -> String {
    let mut out = body.trim_end().to_owned();
    for inline in inlines {
        let _ = write!(out, "\n\n{}\n{}", at(inline), inline.text);
    }
    out.push('\n');
    out
}

/// The comments as they are sent: on GitLab, where each is sent alone, with a marker of its own.
#[must_use]
pub fn marked(kind: Kind, ruling: EntryId, inlines: Vec<Inline>) -> Vec<Inline> {
    let mark = |(at, inline): (usize, Inline)| match kind {
        Kind::GitHub | Kind::Forgejo | Kind::Gitea => inline,
        Kind::GitLab => Inline {
            text: format!("{}\n\n{}", inline.text, part(ruling, at)),
            ..inline
        },
    };
    inlines.into_iter().enumerate().map(mark).collect()
}

/// The hidden line that makes one comment of a ruling known again.
fn part(ruling: EntryId, at: usize) -> String {
    format!("<!-- countersign ruling={ruling} part={} -->", at + 1)
}

/// Where a comment stands, for people.
fn at(inline: &Inline) -> String {
    let (side, line) = inline.side();
    match side {
        Side::Right => format!("at {}:{line}", path_text(&inline.path)),
        Side::Left => format!(
            "at {}:{line} before the change",
            path_text(&inline.old_path)
        ),
    }
}

/// A path as a forge takes it; bytes that are no text cannot be sent.
fn path_text(path: &RepoPath) -> String {
    path.json().0
}

/// Whether a forge can be told of this file.
#[must_use]
pub fn sayable(inline: &Inline) -> bool {
    let text = |path: &RepoPath| !path.json().1;
    text(&inline.path) && text(&inline.old_path)
}

/// Posts `body`, which holds the marker of `ruling`, with its comments at lines, as [`marked`]
/// made them.
///
/// # Errors
/// Why it was not posted.
pub fn post(
    line: &mut dyn Line,
    name: &PullName,
    ruled: Oid,
    ruling: EntryId,
    body: &str,
    inlines: &[Inline],
) -> Result<Done, NotPosted> {
    if let Some(at) = ready(line, name, ruled, ruling)? {
        return Ok(Done::Already(at));
    }
    let Some(list) = reviews_path(name) else {
        return one_by_one(line, name, ruled, ruling, body, inlines);
    };
    let comments: Vec<Value> = inlines
        .iter()
        .map(|inline| comment(name.host.kind, inline))
        .collect();
    let review = json!({
        "commit_id": ruled.to_string(),
        "event": "COMMENT",
        "body": body,
        "comments": comments,
    });
    send(line, name, &list, &review).map(Done::Posted)
}

/// One comment of a review.
fn comment(kind: Kind, inline: &Inline) -> Value {
    let (side, line) = inline.side();
    let path = path_text(&inline.path);
    match (kind, side) {
        (Kind::Forgejo | Kind::Gitea, Side::Right) => {
            json!({"path": path, "new_position": line, "body": inline.text})
        }
        (Kind::Forgejo | Kind::Gitea, Side::Left) => {
            json!({"path": path, "old_position": line, "body": inline.text})
        }
        (Kind::GitHub | Kind::GitLab, side) => {
            let side = match side {
                Side::Right => "RIGHT",
                Side::Left => "LEFT",
            };
            json!({"path": path, "line": line, "side": side, "body": inline.text})
        }
    }
}

/// The commits that GitLab counts lines between.
#[derive(Deserialize)]
struct Request {
    diff_refs: Option<Refs>,
}

#[derive(Deserialize)]
struct Refs {
    base_sha: String,
    start_sha: String,
    head_sha: String,
}

fn one_by_one(
    line: &mut dyn Line,
    name: &PullName,
    ruled: Oid,
    ruling: EntryId,
    body: &str,
    inlines: &[Inline],
) -> Result<Done, NotPosted> {
    let request = super::gitlab::request_path(name);
    let unread = |why: String| NotPosted::Unread(why);
    let answer = line.get(&request).map_err(|why| unread(why.to_string()))?;
    let read: Option<Request> = answer.read().filter(|_| answer.good());
    let refs = read.and_then(|read| read.diff_refs);
    let Some(refs) = refs.filter(|refs| refs.head_sha == ruled.to_string()) else {
        let why = "the forge does not say what its lines are counted between";
        return Err(unread(why.to_owned()));
    };
    let markers: Vec<String> = (0..inlines.len()).map(|at| part(ruling, at)).collect();
    let list = comments_path(name);
    let known = standing(line, name, &list, &markers)?;
    let mut there = known.iter().flatten().count();
    let all = inlines.len() + 1;
    let partly = |there: usize, why: NotPosted| match there {
        0 => why,
        there => NotPosted::Partly(there, all, Box::new(why)),
    };
    for (inline, known) in inlines.iter().zip(known) {
        if known.is_some() {
            continue;
        }
        let discussion = json!({
            "body": inline.text,
            "position": {
                "position_type": "text",
                "base_sha": refs.base_sha,
                "start_sha": refs.start_sha,
                "head_sha": refs.head_sha,
                "old_path": path_text(&inline.old_path),
                "new_path": path_text(&inline.path),
                "old_line": inline.old,
                "new_line": inline.new,
            },
        });
        let path = format!("{request}/discussions");
        send(line, name, &path, &discussion).map_err(|why| partly(there, why))?;
        there += 1;
    }
    let done = send(line, name, &list, &json!({"body": body}));
    done.map(Done::Posted).map_err(|why| partly(there, why))
}
