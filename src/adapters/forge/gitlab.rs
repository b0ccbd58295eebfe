//! Discussions, notes and merge requests as GitLab answers them.
//!
//! GitLab keeps all three channels in one list: notes with a position are inline, the others are
//! the conversation, and a review has no body of its own.

use super::cursor::Cursor;
use super::fields::{Parts, Read, author, boxed, foreign, id, oid};
use super::gather::Gathered;
use crate::model::id::{Oid, RepoPath};
use crate::model::known::{Known, Reason};
use crate::model::text::Foreign;
use crate::model::thread::{Channel, Comment, Resolved, Side, Spot, Thread};

/// Where a note points.
#[derive(Default)]
struct Position {
    head: Option<Oid>,
    base: Option<Oid>,
    old_path: Option<Foreign>,
    new_path: Option<Foreign>,
    old_line: Option<u32>,
    new_line: Option<u32>,
    start: Option<u32>,
}

fn position(c: &mut Cursor<'_>) -> Read<Option<Position>> {
    let mut at = Position::default();
    let there = c.maybe_object(|c, key| {
        match key {
            "head_sha" => at.head = oid(c)?,
            "base_sha" => at.base = oid(c)?,
            "old_path" => at.old_path = foreign(c.text()?),
            "new_path" => at.new_path = foreign(c.text()?),
            "old_line" => at.old_line = c.count()?,
            "new_line" => at.new_line = c.count()?,
            "line_range" => {
                c.maybe_object(|c, key| {
                    if key != "start" {
                        return c.skip();
                    }
                    let (mut old, mut new) = (None, None);
                    c.maybe_object(|c, key| {
                        match key {
                            "old_line" => old = c.count()?,
                            "new_line" => new = c.count()?,
                            _ => c.skip()?,
                        }
                        Ok(())
                    })?;
                    at.start = new.or(old);
                    Ok(())
                })?;
            }
            _ => c.skip()?,
        }
        Ok(())
    })?;
    Ok(there.then_some(at))
}

/// One note.
struct Note {
    comment: Comment,
    system: bool,
    position: Option<Position>,
    original: Option<Position>,
    resolvable: bool,
    resolved: Option<bool>,
    resolver: Option<Foreign>,
}

fn note(c: &mut Cursor<'_>) -> Read<Note> {
    let mut parts = Parts::default();
    let mut system = false;
    let (mut at, mut original) = (None, None);
    let mut resolvable = false;
    let mut resolved = None;
    let mut resolver = None;
    c.object(|c, key| {
        match key {
            "system" => system = c.flag()? == Some(true),
            "position" => at = position(c)?,
            "original_position" => original = position(c)?,
            "resolvable" => resolvable = c.flag()? == Some(true),
            "resolved" => resolved = c.flag()?,
            "resolved_by" => resolver = author(c)?.login,
            _ if parts.field(c, key)? => {}
            _ => c.skip()?,
        }
        Ok(())
    })?;
    Ok(Note {
        comment: parts.done(c),
        system,
        position: at,
        original,
        resolvable,
        resolved,
        resolver,
    })
}

fn spot(position: Option<Position>, original: Option<Position>) -> (Option<Spot>, Option<Oid>) {
    let Some(at) = original.or(position) else {
        return (None, None);
    };
    let left = at.new_line.is_none() && at.old_line.is_some();
    let path = if left {
        at.old_path.or(at.new_path)
    } else {
        at.new_path.or(at.old_path)
    };
    let spot = path.map(|path| Spot {
        path: RepoPath::new(path.raw().to_vec()),
        side: if left { Side::Left } else { Side::Right },
        line: None,
        start: None,
        original_line: at.new_line.or(at.old_line),
        original_start: at.start,
        excerpt: None,
    });
    (spot, at.head.or(at.base))
}

fn thread(name: Option<Box<str>>, notes: Vec<Note>) -> Option<Thread> {
    // what GitLab itself writes into a discussion is no comment
    let mut notes = notes.into_iter().filter(|note| !note.system).peekable();
    let resolvable = notes.peek().is_some_and(|note| note.resolvable);
    let mut open = false;
    let mut resolver = None;
    let mut all = Vec::new();
    let mut place = (None, None);
    for (index, note) in notes.enumerate() {
        open |= note.resolvable && note.resolved != Some(true);
        resolver = note.resolver.or(resolver);
        if index == 0 {
            place = spot(note.position, note.original);
        }
        all.push(note.comment);
    }
    let mut all = all.into_iter();
    let first = all.next()?;
    let (spot, written_at) = place;
    let resolved = match (resolvable, open) {
        (true, true) => Known::Is(Resolved::No),
        (true, false) => Known::Is(Resolved::By(resolver)),
        (false, _) => Known::NotApplicable(Reason::new("this note can't be resolved")),
    };
    Some(Thread {
        id: name.unwrap_or_else(|| first.id.clone()),
        channel: if spot.is_some() {
            Channel::Inline
        } else {
            Channel::Conversation
        },
        outdated: Known::Unknown(Reason::new("this interface does not say what is outdated")),
        spot,
        written_at,
        first,
        replies: all.collect(),
        all_replies: true,
        resolved,
        review: None,
        actor: None,
    })
}

/// One discussion.
pub(super) fn discussion(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    let mut name = None;
    let mut notes = Vec::new();
    c.object(|c, key| {
        match key {
            "id" => name = id(c)?,
            "notes" => {
                c.maybe_array(|c, _| {
                    notes.push(note(c)?);
                    Ok(())
                })?;
            }
            _ => c.skip()?,
        }
        Ok(())
    })?;
    into.threads.extend(thread(name, notes));
    Ok(())
}

/// One note of a list that does not say what answers what.
pub(super) fn single(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    let found = vec![note(c)?];
    into.threads.extend(thread(None, found));
    Ok(())
}

/// A merge request.
pub(super) fn request(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    into.pull();
    c.object(|c, key| {
        match key {
            "iid" => into.pull().number = c.count()?.map(u64::from),
            "state" => {
                let word = boxed(c.text()?);
                let word = word.map(|word| match word.as_ref() {
                    "opened" => Foreign::from("OPEN"),
                    other => Foreign::from(other.to_ascii_uppercase()),
                });
                into.pull().state = word;
            }
            "title" => into.pull().title = foreign(c.text()?),
            "description" => into.pull().body = foreign(c.text()?),
            "author" => into.pull().author = Some(author(c)?),
            "sha" => into.pull().head = oid(c)?,
            "target_branch" => into.pull().base_name = foreign(c.text()?),
            "detailed_merge_status" => into.pull().mergeable = foreign(c.text()?),
            "changes_count" => {
                let text = c.text()?;
                into.pull().counts.files = text.and_then(|text| text.parse().ok());
            }
            _ => c.skip()?,
        }
        Ok(())
    })
}
