//! Which interface a document came from: one table, first row that fits.

use super::cursor::{Broken, Cursor, Kind};
use super::fields::Read;
use super::gather::Gathered;
use super::rest::{self, Dialect};
use super::{Holds, gitlab, ours, pull, recording};

/// A shape that is recognised.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// Our own.
    Ours,
    /// What a pull exchanged with a forge.
    Recording,
    /// The answer of a GraphQL server.
    GraphQl,
    /// What `gh pr view --json` prints.
    GhView,
    /// A merge request of GitLab.
    GitLabRequest,
    /// A pull request of a REST interface.
    PullObject,
    /// A refusal of an interface.
    Refusal,
    /// Discussions of GitLab.
    GitLabDiscussions,
    /// Notes of GitLab, without what answers what.
    GitLabNotes,
    /// Inline comments of Forgejo or Gitea.
    GiteaInline,
    /// Inline comments of GitHub.
    GitHubInline,
    /// Reviews.
    Reviews,
    /// Comments below the description.
    Conversation,
    /// Changed files.
    Files,
    /// Commits.
    Commits,
}

impl Shape {
    /// The list that it fills; `None` when it is more than one, or none.
    pub(super) fn holds(self) -> Option<Holds> {
        Some(match self {
            Self::GiteaInline | Self::GitHubInline => Holds::Inline,
            Self::Reviews => Holds::Reviews,
            Self::Conversation => Holds::Conversation,
            Self::Files => Holds::Files,
            Self::Commits => Holds::Commits,
            Self::Ours
            | Self::Recording
            | Self::GraphQl
            | Self::GhView
            | Self::GitLabRequest
            | Self::PullObject
            | Self::Refusal
            | Self::GitLabDiscussions
            | Self::GitLabNotes => return None,
        })
    }

    /// Lengths that a full page has there.
    fn pages(self) -> &'static [usize] {
        match self {
            Self::GitLabDiscussions | Self::GitLabNotes => &[20, 50, 100],
            _ => &[30, 50, 100],
        }
    }
}

/// One row: the keys that must all be there, and those of which one must be, beside `list`.
#[derive(Clone, Copy, Debug)]
pub struct ShapeRow {
    /// What it is.
    pub shape: Shape,
    /// Whether it is a list of such objects, or one such object.
    pub list: bool,
    /// All of these keys.
    pub all: &'static [&'static str],
    /// One of these keys; none are asked for when empty.
    pub any: &'static [&'static str],
}

const fn row(
    shape: Shape,
    list: bool,
    all: &'static [&'static str],
    any: &'static [&'static str],
) -> ShapeRow {
    ShapeRow {
        shape,
        list,
        all,
        any,
    }
}

/// The shapes, most specific first.
pub const SHAPES: [ShapeRow; 18] = [
    row(Shape::Ours, false, &["schema"], &[]),
    row(Shape::Recording, false, &["recorded"], &[]),
    row(Shape::GraphQl, false, &[], &["data", "errors"]),
    row(
        Shape::GhView,
        false,
        &[],
        &["headRefOid", "headRefName", "latestReviews", "baseRefName"],
    ),
    row(Shape::GhView, false, &["comments", "reviews"], &[]),
    row(Shape::GitLabRequest, false, &["iid", "target_branch"], &[]),
    row(Shape::PullObject, false, &["head", "base", "number"], &[]),
    row(
        Shape::Refusal,
        false,
        &["message"],
        &["documentation_url", "status", "error", "url", "errors"],
    ),
    row(Shape::Refusal, false, &[], &["message", "error"]),
    row(Shape::GitLabDiscussions, true, &["notes"], &[]),
    row(Shape::GitLabNotes, true, &["noteable_type"], &[]),
    row(
        Shape::GiteaInline,
        true,
        &["pull_request_review_id", "resolver"],
        &[],
    ),
    row(Shape::GitHubInline, true, &["pull_request_review_id"], &[]),
    row(
        Shape::GitHubInline,
        true,
        &["path", "diff_hunk", "body"],
        &[],
    ),
    row(
        Shape::Reviews,
        true,
        &["state"],
        &["submitted_at", "submittedAt"],
    ),
    row(
        Shape::Conversation,
        true,
        &["body"],
        &["issue_url", "created_at", "createdAt"],
    ),
    row(Shape::Files, true, &["status"], &["filename"]),
    row(Shape::Commits, true, &["sha", "commit"], &[]),
];

/// The shape of an object with these keys.
pub(super) fn of(list: bool, keys: &[String]) -> Option<Shape> {
    let has = |key: &&str| keys.iter().any(|k| k == key);
    SHAPES
        .iter()
        .filter(|row| row.list == list)
        .find(|row| row.all.iter().all(has) && (row.any.is_empty() || row.any.iter().any(has)))
        .map(|row| row.shape)
}

/// Reads all documents of a file: one, several behind each other, or one on each line.
pub(super) fn documents(c: &mut Cursor<'_>, holds: Option<Holds>, into: &mut Gathered) {
    while !c.at_end() {
        if let Err(fault) = document(c, holds, into, 0) {
            let code = if fault.cut { "cut" } else { "not-json" };
            c.fault_with(code, fault.why, "fetch it again", true);
            into.doubt_all(holds, "a file is cut or broken");
            return;
        }
        if c.cut {
            into.doubt_all(holds, "a file is cut or broken");
            return;
        }
        c.step_over(b',');
    }
}

pub(super) fn document(
    c: &mut Cursor<'_>,
    holds: Option<Holds>,
    into: &mut Gathered,
    depth: usize,
) -> Read<()> {
    match c.kind()? {
        Kind::Object => object(c, holds, into),
        Kind::Array => match c.ahead(first_kind) {
            // pages, as `--slurp` prints them
            Some(Kind::Array) if depth < 2 => c
                .array(|c, _| document(c, holds, into, depth + 1))
                .map(|_| ()),
            Some(Kind::Object) => list(c, holds, into),
            None => empty(c, holds, into),
            Some(_) => {
                c.fault_with(
                    "unknown-shape",
                    "this is no list of comments",
                    "give the answer as it came",
                    true,
                );
                into.unreadable(holds, "a list of something else");
                c.skip()
            }
        },
        _ => {
            let why = "this is no list or object";
            c.fault_with("unknown-shape", why, "give the answer as it came", true);
            into.unreadable(holds, why);
            c.skip()
        }
    }
}

/// Ends a look ahead.
const LOOKED: Broken = Broken { why: "", cut: true };

/// What the first item of a list is; `None` for an empty list.
fn first_kind(c: &mut Cursor<'_>) -> Option<Kind> {
    let mut first = None;
    let _ = c.array(|c, _| {
        first = first.or(c.kind().ok());
        // only the first is of interest
        Err(LOOKED)
    });
    first
}

/// The keys of the object that comes next, or of the first of a list.
fn keys(c: &mut Cursor<'_>) -> Vec<String> {
    let mut keys = Vec::new();
    let mut read = |c: &mut Cursor<'_>| {
        c.object(|c, key| {
            keys.push(key.to_owned());
            // these say it alone, and what follows is long
            if matches!(key, "schema" | "recorded" | "data") {
                return Err(LOOKED);
            }
            c.skip()
        })
    };
    let _ = match c.kind() {
        Ok(Kind::Array) => {
            let mut once = false;
            c.array(|c, _| {
                if !std::mem::replace(&mut once, true) {
                    read(c)?;
                }
                Err(LOOKED)
            })
            .map(|_| ())
        }
        Ok(Kind::Object) => read(c),
        _ => Ok(()),
    };
    keys
}

/// An empty list is of the kind that the person said; else nobody knows of which.
fn empty(c: &mut Cursor<'_>, holds: Option<Holds>, into: &mut Gathered) -> Read<()> {
    c.skip()?;
    match holds {
        Some(_) => {
            let said = into.paging.clone();
            into.extent(holds).page(0, &[30, 50, 100], said.as_ref());
        }
        None => {
            c.fault_with(
                "empty-list",
                "an empty list does not say what it is a list of",
                "put inline=, review= or issue= before the file's name",
                false,
            );
        }
    }
    Ok(())
}

fn object(c: &mut Cursor<'_>, holds: Option<Holds>, into: &mut Gathered) -> Read<()> {
    let keys = c.ahead(keys);
    match of(false, &keys) {
        Some(Shape::Ours) => ours::document(c, into),
        Some(Shape::Recording) => recording::document(c, into),
        Some(Shape::GraphQl) => pull::answer(c, into),
        Some(Shape::GhView) => pull::view(c, into, true),
        Some(Shape::GitLabRequest) => gitlab::request(c, into),
        Some(Shape::PullObject) => pull::object(c, into),
        Some(Shape::Refusal) => {
            let why = "the interface refused, this is its message and no data";
            c.fault_with("refused", why, "fetch it with the rights it asks for", true);
            into.unreadable(holds, why);
            c.skip()
        }
        _ => {
            let why = "no interface that we know answers with this object";
            c.fault_with("unknown-shape", why, "give the answer as it came", true);
            into.unreadable(holds, why);
            c.skip()
        }
    }
}

fn list(c: &mut Cursor<'_>, holds: Option<Holds>, into: &mut Gathered) -> Read<()> {
    let keys = c.ahead(keys);
    let shape = of(true, &keys);
    let shape = shape.or(match holds {
        Some(Holds::Inline) => Some(Shape::GitHubInline),
        Some(Holds::Reviews) => Some(Shape::Reviews),
        Some(Holds::Conversation) => Some(Shape::Conversation),
        Some(Holds::Files) => Some(Shape::Files),
        Some(Holds::Commits) => Some(Shape::Commits),
        None => None,
    });
    let Some(shape) = shape else {
        // pages of GraphQL, or several documents in one list
        if of(false, &keys).is_some() {
            return c.array(|c, _| object(c, holds, into)).map(|_| ());
        }
        let why = "no interface that we know answers with such a list";
        c.fault_with("unknown-shape", why, "say what it is: inline=FILE", true);
        into.unreadable(holds, why);
        return c.skip();
    };
    if let (Some(said), Some(is)) = (holds, shape.holds())
        && said != is
    {
        let message = format!("it was given as {}, and is {}", said.word(), is.word());
        c.fault_with("other-list", message, "give it under its own name", true);
        into.unreadable(holds, "another list was given in its place");
    }
    let losses = c.losses;
    let length = c.array(|c, _| match shape {
        Shape::GitLabDiscussions => gitlab::discussion(c, into),
        Shape::GitLabNotes => gitlab::single(c, into),
        Shape::GiteaInline => rest::inline(c, Dialect::Gitea, into),
        Shape::GitHubInline => rest::inline(c, Dialect::GitHub, into),
        Shape::Reviews => rest::review(c, into),
        Shape::Conversation => rest::conversation(c, into),
        Shape::Files => rest::file(c, into),
        Shape::Commits => rest::commit(c, into),
        Shape::Ours
        | Shape::Recording
        | Shape::GraphQl
        | Shape::GhView
        | Shape::GitLabRequest
        | Shape::PullObject
        | Shape::Refusal => c.skip(),
    })?;
    if c.losses > losses {
        let why = "some of it could not be read";
        match shape.holds() {
            Some(holds) => into.extent(Some(holds)).doubt(why),
            None => into
                .channels()
                .into_iter()
                .for_each(|extent| extent.doubt(why)),
        }
    }
    let said = into.paging.clone();
    match shape.holds() {
        Some(holds) => into
            .extent(Some(holds))
            .page(length, shape.pages(), said.as_ref()),
        None => {
            for extent in into.channels() {
                extent.page(length, shape.pages(), said.as_ref());
            }
            if shape == Shape::GitLabNotes {
                let why = "a list of notes does not say what answers what";
                c.fault_with("no-threads", why, "give the discussions instead", false);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_can_be_met() {
        for (at, row) in SHAPES.iter().enumerate() {
            let mut keys: Vec<String> = row.all.iter().map(|k| (*k).to_owned()).collect();
            keys.extend(row.any.first().map(|k| (*k).to_owned()));
            assert_eq!(of(row.list, &keys), Some(row.shape), "row {at}");
        }
        assert_eq!(of(true, &["x".to_owned()]), None);
    }
}
