//! A pull request as GraphQL answers it, and as `gh pr view --json` prints it: the same fields,
//! as connections there and as plain lists here.

use super::cursor::{Cursor, Kind};
use super::extent::{Extent, PageInfo};
use super::fields::{Parts, Read, author, boxed, foreign, id, oid, oid_object};
use super::gather::Gathered;
use super::rest;
use crate::model::id::{Oid, RepoPath};
use crate::model::known::{Known, Reason};
use crate::model::text::Foreign;
use crate::model::thread::{Channel, Comment, Resolved, ReviewWord, Side, Spot, Thread};

/// Most files and commits that `gh pr view` prints.
const VIEW_CAP: usize = 100;

/// The answer of a GraphQL server: `data`, and `errors` beside it.
pub(super) fn answer(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    let mut errors = 0;
    let mut data = false;
    let mut hurt: Vec<Option<Channel>> = Vec::new();
    c.object(|c, key| match key {
        "data" => {
            data = c.kind()? == Kind::Object;
            if data { find(c, into, 0) } else { c.skip() }
        }
        "errors" => {
            errors = c
                .maybe_array(|c, _| {
                    hurt.push(error(c)?);
                    Ok(())
                })?
                .unwrap_or(0);
            Ok(())
        }
        _ => c.skip(),
    })?;
    if errors > 0 {
        let message = format!("the server names {errors} errors");
        c.fault_with("server-errors", message, "look at `errors`", true);
    }
    if !data {
        let why = "an answer without data";
        c.fault_with("no-data", why, "look at `errors`", true);
        into.unreadable(None, why);
    } else if errors > 0 {
        let all = hurt.iter().any(Option::is_none);
        for (channel, extent) in Channel::ALL.into_iter().zip(into.channels()) {
            if all || hurt.contains(&Some(channel)) {
                extent.doubt("the server named errors");
            }
        }
    }
    Ok(())
}

/// The list that an error is about, where its path says so.
fn error(c: &mut Cursor<'_>) -> Read<Option<Channel>> {
    let mut channel = None;
    c.maybe_object(|c, key| {
        if key != "path" {
            return c.skip();
        }
        c.maybe_array(|c, _| {
            if let Some(step) = c.id()? {
                channel = match step.as_ref() {
                    "reviewThreads" => Some(Channel::Inline),
                    "reviews" => channel.or(Some(Channel::Reviews)),
                    "comments" => channel.or(Some(Channel::Conversation)),
                    _ => channel,
                };
            }
            Ok(())
        })
        .map(|_| ())
    })?;
    Ok(channel)
}

/// Finds the pull request below the names that a query may give to what is above it.
fn find(c: &mut Cursor<'_>, into: &mut Gathered, depth: usize) -> Read<()> {
    c.object(|c, key| {
        if c.kind()? != Kind::Object || depth > 6 {
            return c.skip();
        }
        match key {
            "node" if c.ahead(is_thread) => thread(c, into),
            "pullRequest" | "node" | "resource" => view(c, into, false),
            _ => find(c, into, depth + 1),
        }
    })
}

/// Whether the object that comes next is a review thread: a later page of its comments.
fn is_thread(c: &mut Cursor<'_>) -> bool {
    let mut thread = false;
    let mut pull = false;
    let _ = c.object(|c, key| {
        thread |= matches!(key, "comments" | "isResolved" | "isOutdated");
        pull |= matches!(
            key,
            "number" | "title" | "headRefOid" | "reviewThreads" | "reviews" | "state"
        );
        c.skip()
    });
    thread && !pull
}

/// The fields of a pull request. `printed` when `gh pr view` printed it.
pub(super) fn view(c: &mut Cursor<'_>, into: &mut Gathered, printed: bool) -> Read<()> {
    into.pull();
    c.object(|c, key| {
        match key {
            "number" => into.pull().number = c.count()?.map(u64::from),
            "state" => into.pull().state = foreign(c.text()?),
            "title" => into.pull().title = foreign(c.text()?),
            "body" => into.pull().body = foreign(c.text()?),
            "author" => into.pull().author = Some(author(c)?),
            "headRefOid" => into.pull().head = oid(c)?,
            "baseRefName" => into.pull().base_name = foreign(c.text()?),
            "mergeable" => into.pull().mergeable = foreign(c.text()?),
            "changedFiles" => into.pull().counts.files = c.count()?,
            "reviewThreads" => {
                let losses = c.losses;
                let (length, info) = list(c, |c| thread(c, into))?;
                extend(&mut into.inline, length, info.as_ref(), c.losses > losses);
            }
            "comments" => {
                let losses = c.losses;
                let (length, info) = list(c, |c| rest::conversation(c, into))?;
                let lost = c.losses > losses;
                extend(&mut into.conversation, length, info.as_ref(), lost);
            }
            "reviews" => {
                let losses = c.losses;
                let (length, info) = list(c, |c| rest::review(c, into))?;
                let lost = c.losses > losses;
                extend(&mut into.review_bodies, length, info.as_ref(), lost);
            }
            "files" => {
                let (length, info) = list(c, |c| rest::file(c, into))?;
                listed(&mut into.file_list, length, info.as_ref(), printed);
            }
            "commits" => {
                let (length, info) = list(c, |c| rest::commit(c, into))?;
                listed(&mut into.commit_list, length, info.as_ref(), printed);
            }
            _ => c.skip()?,
        }
        Ok(())
    })
}

fn extend(extent: &mut Extent, length: usize, info: Option<&PageInfo>, lost: bool) {
    if lost {
        extent.doubt("some of it could not be read");
    }
    match info {
        Some(info) => extent.connection(length, info),
        None => extent.whole(length),
    }
}

fn listed(extent: &mut Extent, length: usize, info: Option<&PageInfo>, printed: bool) {
    extend(extent, length, info, false);
    if printed && info.is_none() && length >= VIEW_CAP {
        extent.doubt("gh pr view prints at most 100");
    }
}

/// A plain list, or a connection with `nodes` or `edges`; the latter says how it is paged.
fn list<'a>(
    c: &mut Cursor<'a>,
    mut item: impl FnMut(&mut Cursor<'a>) -> Read<()>,
) -> Read<(usize, Option<PageInfo>)> {
    if c.kind()? != Kind::Object {
        let length = c.maybe_array(|c, _| item(c))?;
        return Ok((length.unwrap_or(0), None));
    }
    let mut info = PageInfo::default();
    let mut length = 0;
    c.object(|c, key| {
        match key {
            "totalCount" => info.total = c.count()?,
            "pageInfo" => {
                c.maybe_object(|c, key| {
                    match key {
                        "hasNextPage" => info.more = c.flag()?,
                        "endCursor" => info.cursor = c.text()?.map(std::borrow::Cow::into_owned),
                        _ => c.skip()?,
                    }
                    Ok(())
                })?;
            }
            "nodes" => {
                let each = |c: &mut Cursor<'a>, _| if c.null()? { Ok(()) } else { item(c) };
                length += c.maybe_array(each)?.unwrap_or(0);
            }
            "edges" => {
                let each = |c: &mut Cursor<'a>, _| {
                    c.object(|c, key| if key == "node" { item(c) } else { c.skip() })
                };
                length += c.maybe_array(each)?.unwrap_or(0);
            }
            _ => c.skip()?,
        }
        Ok(())
    })?;
    Ok((length, Some(info)))
}

/// A comment of a review thread, with what it says of the thread.
#[derive(Default)]
struct Said {
    comments: Vec<Comment>,
    written_at: Option<Oid>,
    excerpt: Option<Foreign>,
    review: Option<ReviewWord>,
    /// The review that it belongs to.
    carrier: Option<Box<str>>,
}

/// One review thread.
fn thread(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    let mut found: Option<Box<str>> = None;
    let mut resolved: Option<bool> = None;
    let mut resolver: Option<Foreign> = None;
    let mut outdated: Option<bool> = None;
    let mut path: Option<Foreign> = None;
    let mut left = false;
    let mut lines = [None; 4];
    let mut said = Said::default();
    let mut all_replies = true;
    let mut total = None;
    c.object(|c, key| {
        match key {
            "id" => found = id(c)?,
            "isResolved" => resolved = c.flag()?,
            "resolvedBy" => resolver = author(c)?.login,
            "isOutdated" => outdated = c.flag()?,
            "path" => path = foreign(c.text()?),
            "diffSide" => left = c.text()?.is_some_and(|side| side == "LEFT"),
            "line" => lines[0] = c.count()?,
            "startLine" => lines[1] = c.count()?,
            "originalLine" => lines[2] = c.count()?,
            "originalStartLine" => lines[3] = c.count()?,
            "comments" => {
                let mut local = std::mem::take(&mut said);
                let (length, info) = list(c, |c| comment(c, &mut local))?;
                said = local;
                total = info.as_ref().and_then(|info| info.total);
                all_replies = info.is_none_or(|info| info.here(length));
            }
            _ => c.skip()?,
        }
        Ok(())
    })?;
    let mut comments = said.comments.into_iter();
    let Some(first) = comments.next() else {
        c.fault("no-comment", "a thread without a comment", true);
        return Ok(());
    };
    if let (Some(id), Some(total)) = (&found, total) {
        into.totals.insert(id.clone(), total);
    }
    if let Some(review) = said.carrier {
        into.review_of.insert(first.id.clone(), review);
    }
    into.threads.push(Thread {
        id: found.unwrap_or_else(|| first.id.clone()),
        channel: Channel::Inline,
        spot: path.map(|path| Spot {
            path: RepoPath::new(path.raw().to_vec()),
            side: if left { Side::Left } else { Side::Right },
            line: lines[0],
            start: lines[1],
            original_line: lines[2],
            original_start: lines[3],
            excerpt: said.excerpt,
        }),
        written_at: said.written_at,
        first,
        replies: comments.collect(),
        all_replies,
        resolved: match resolved {
            Some(true) => Known::Is(Resolved::By(resolver)),
            Some(false) => Known::Is(Resolved::No),
            None => Known::Unknown(Reason::new("the query did not ask for isResolved")),
        },
        outdated: match outdated {
            Some(outdated) => Known::Is(outdated),
            None => Known::Unknown(Reason::new("the query did not ask for isOutdated")),
        },
        review: said.review,
        actor: None,
    });
    Ok(())
}

impl PageInfo {
    /// Whether all of a connection is here.
    fn here(&self, length: usize) -> bool {
        match (self.more, self.total) {
            (Some(more), _) => !more,
            (None, Some(total)) => usize::try_from(total).is_ok_and(|total| length >= total),
            (None, None) => false,
        }
    }
}

fn comment(c: &mut Cursor<'_>, said: &mut Said) -> Read<()> {
    let mut parts = Parts::default();
    let mut commit = None;
    let mut original = None;
    c.object(|c, key| {
        match key {
            "commit" => commit = oid_object(c)?,
            "originalCommit" => original = oid_object(c)?,
            "diffHunk" => {
                let excerpt = foreign(c.text()?);
                said.excerpt = said.excerpt.take().or(excerpt);
            }
            "pullRequestReview" => {
                let (mut word, mut number, mut name) = (None::<Box<str>>, None, None);
                c.maybe_object(|c, key| {
                    match key {
                        "state" => word = boxed(c.text()?),
                        "databaseId" | "fullDatabaseId" => number = id(c)?.or(number.take()),
                        "id" => name = id(c)?,
                        _ => c.skip()?,
                    }
                    Ok(())
                })?;
                let word = word.map(|word| ReviewWord::parse(&word));
                said.review = said.review.or(word);
                said.carrier = said.carrier.take().or(number).or(name);
            }
            _ if parts.field(c, key)? => {}
            _ => c.skip()?,
        }
        Ok(())
    })?;
    said.written_at = said.written_at.or(original).or(commit);
    said.comments.push(parts.done(c));
    Ok(())
}

/// A pull request as REST answers it (GitHub, Forgejo, Gitea).
pub(super) fn object(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    into.pull();
    let mut merged = false;
    c.object(|c, key| {
        match key {
            "number" => into.pull().number = c.count()?.map(u64::from),
            "state" => {
                let state = c.text()?.map(|state| state.to_ascii_uppercase());
                into.pull().state = state.map(Foreign::from);
            }
            "merged" => merged = c.flag()? == Some(true),
            "title" => into.pull().title = foreign(c.text()?),
            "body" => into.pull().body = foreign(c.text()?),
            "user" => into.pull().author = Some(author(c)?),
            "comments" => into.pull().counts.conversation = c.count()?,
            "review_comments" => into.pull().counts.inline = c.count()?,
            "changed_files" => into.pull().counts.files = c.count()?,
            "commits" => into.pull().counts.commits = c.count()?,
            "mergeable" => {
                let word = c
                    .flag()?
                    .map(|m| if m { "MERGEABLE" } else { "CONFLICTING" });
                into.pull().mergeable = word.map(Foreign::from);
            }
            "head" => {
                c.maybe_object(|c, key| {
                    if key == "sha" {
                        into.pull().head = oid(c)?;
                        Ok(())
                    } else {
                        c.skip()
                    }
                })?;
            }
            "base" => {
                c.maybe_object(|c, key| {
                    if key == "ref" {
                        into.pull().base_name = foreign(c.text()?);
                        Ok(())
                    } else {
                        c.skip()
                    }
                })?;
            }
            _ => c.skip()?,
        }
        Ok(())
    })?;
    if merged {
        into.pull().state = Some(Foreign::from("MERGED"));
    }
    Ok(())
}
