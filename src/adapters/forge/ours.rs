//! Our own `threads/1`: what `countersign threads --json` prints can be given back to it.

use super::cursor::{Cursor, Kind};
use super::fields::{Parts, Read, account_of, author, boxed, foreign, oid};
use super::gather::{Gathered, actor};
use crate::model::id::{Oid, RepoPath};
use crate::model::known::{Known, Reason};
use crate::model::text::{Foreign, Place};
use crate::model::thread::{
    Account, Actor, Author, Channel, Comment, Resolved, ReviewWord, Side, Spot, Thread,
};

/// The value of `schema`.
pub const SCHEMA: &str = "countersign/threads/1";

/// The document.
pub(super) fn document(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    let mut complete: Option<bool> = None;
    let mut channels: [Option<bool>; 3] = [None; 3];
    let mut lengths = [0usize; 3];
    let mut totals: [Option<u32>; 3] = [None; 3];
    let mut lost = [false; 3];
    c.object(|c, key| {
        match key {
            "schema" => {
                let schema = c.text()?;
                if schema.as_deref() != Some(SCHEMA) {
                    let why = "this schema is not countersign/threads/1";
                    c.fault_with(
                        "other-schema",
                        why,
                        "look at the version that wrote it",
                        true,
                    );
                }
            }
            "complete" if c.kind()? == Kind::Object => {
                c.object(|c, key| {
                    let at = Channel::ALL.iter().position(|ch| ch.word() == key);
                    match at {
                        Some(at) => {
                            let (said, of) = state(c)?;
                            if let Some(slot) = channels.get_mut(at) {
                                *slot = Some(said);
                            }
                            if let Some(slot) = totals.get_mut(at) {
                                *slot = of;
                            }
                        }
                        None => c.skip()?,
                    }
                    Ok(())
                })?;
            }
            "complete" => complete = c.flag()?,
            "channels" => {
                c.maybe_object(|c, key| {
                    let at = Channel::ALL.iter().position(|ch| ch.word() == key);
                    match at.and_then(|at| channels.get_mut(at)) {
                        Some(slot) => *slot = Some(state(c)?.0),
                        None => c.skip()?,
                    }
                    Ok(())
                })?;
            }
            "pull" => pull(c, into)?,
            "threads" => {
                c.maybe_array(|c, _| {
                    let losses = c.losses;
                    let found = match thread(c) {
                        Ok(found) => found,
                        Err(broken) => {
                            // nobody knows of which channel it was
                            lost = [true; 3];
                            return Err(broken);
                        }
                    };
                    let at = Channel::ALL.iter().position(|ch| *ch == found.channel);
                    if c.losses > losses
                        && let Some(slot) = at.and_then(|at| lost.get_mut(at))
                    {
                        *slot = true;
                    }
                    if let Some(length) = at.and_then(|at| lengths.get_mut(at)) {
                        *length += 1;
                    }
                    into.threads.push(found);
                    Ok(())
                })?;
            }
            _ => c.skip()?,
        }
        Ok(())
    })?;
    let extents = [
        &mut into.inline,
        &mut into.review_bodies,
        &mut into.conversation,
    ];
    let said = channels.into_iter().zip(totals).zip(lengths);
    for ((extent, ((said, of), length)), lost) in extents.into_iter().zip(said).zip(lost) {
        extent.said(length, said.or(complete), of);
        if lost {
            extent.doubt("some of it could not be read");
        }
    }
    Ok(())
}

/// `"complete"`, or an object with `state`, or with `loaded` and `of`; and how many there are.
fn state(c: &mut Cursor<'_>) -> Read<(bool, Option<u32>)> {
    if c.kind()? != Kind::Object {
        return Ok((c.text()?.is_some_and(|word| word == "complete"), None));
    }
    let mut word = None;
    let (mut loaded, mut of) = (None, None);
    c.object(|c, key| {
        match key {
            "state" => word = c.text()?.map(|word| word == "complete"),
            "loaded" => loaded = c.count()?,
            "of" => of = c.count()?,
            _ => c.skip()?,
        }
        Ok(())
    })?;
    let counted = matches!((loaded, of), (Some(loaded), Some(of)) if loaded >= of);
    Ok((word.unwrap_or(counted), of))
}

fn pull(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    c.maybe_object(|c, key| {
        match key {
            "number" => into.pull().number = c.count()?.map(u64::from),
            "state" => into.pull().state = foreign(c.text()?),
            "title" => into.pull().title = foreign(c.text()?),
            "body" => into.pull().body = foreign(c.text()?),
            "author" => into.pull().author = Some(name(c)?),
            "head" => into.pull().head = oid(c)?,
            "base" => into.pull().base_name = foreign(c.text()?),
            "mergeable" => into.pull().mergeable = foreign(c.text()?),
            _ => c.skip()?,
        }
        Ok(())
    })
    .map(|_| ())
}

/// An account: a login, or an object as forges write it.
fn name(c: &mut Cursor<'_>) -> Read<Author> {
    match c.kind()? {
        Kind::Object => author(c),
        _ => Ok(account_of(foreign(c.text()?), Account::Person)),
    }
}

/// A comment's own fields, and those of the thread that it begins.
#[derive(Default)]
struct Fields {
    parts: Parts,
    account: Option<Account>,
    author: Option<Author>,
    edited: Option<Option<Option<Foreign>>>,
    minimised: Option<Foreign>,
}

impl Fields {
    fn field(&mut self, c: &mut Cursor<'_>, key: &str) -> Read<bool> {
        match key {
            "author" => self.author = Some(name(c)?),
            "account" => {
                let words = [Account::Person, Account::Bot, Account::Gone];
                let word = c.text()?;
                let word = word.as_deref();
                self.account = words.into_iter().find(|a| Some(a.word()) == word);
            }
            "written" => self.parts.written = super::fields::time(c)?,
            "edited" => {
                // false: not edited; true: nobody says by whom; null: not known
                self.edited = match c.kind()? {
                    Kind::Null => {
                        c.null()?;
                        None
                    }
                    Kind::Bool => c.flag()?.map(|yes| yes.then_some(None)),
                    _ => Some(Some(foreign(c.text()?))),
                };
            }
            "minimised" => self.minimised = foreign(c.text()?),
            _ => return self.parts.field(c, key),
        }
        Ok(true)
    }

    fn done(mut self, c: &mut Cursor<'_>) -> Comment {
        self.parts.author = self.author.map(|author| match self.account {
            Some(account) => account_of(author.login, account),
            None => author,
        });
        let mut comment = self.parts.done(c);
        if let Some(edited) = self.edited {
            comment.edited = Known::Is(edited.map(|by| crate::model::thread::Edited { by }));
        }
        comment.minimised = self.minimised.or(comment.minimised);
        comment
    }
}

/// What is said of where a thread points.
#[derive(Default)]
struct Anchor {
    path: Option<Foreign>,
    left: bool,
    line: Option<u32>,
    start: Option<u32>,
    original_line: Option<u32>,
    original_start: Option<u32>,
    written_at: Option<Oid>,
    excerpt: Option<Foreign>,
}

fn anchor(c: &mut Cursor<'_>) -> Read<Anchor> {
    let mut at = Anchor::default();
    c.maybe_object(|c, key| {
        match key {
            "path" => at.path = at.path.take().or(foreign(c.text()?)),
            // the path at the commit it was written at, where that is another one
            "original_path" => {
                let path = foreign(c.text()?);
                at.path = path.or(at.path.take());
            }
            "side" => {
                at.left = c
                    .text()?
                    .is_some_and(|side| side.eq_ignore_ascii_case("left"));
            }
            "line" => at.line = c.count()?,
            "start_line" => at.start = c.count()?,
            "original_line" => at.original_line = c.count()?,
            "original_start_line" => at.original_start = c.count()?,
            "commit" => at.written_at = oid(c)?,
            "excerpt" => at.excerpt = foreign(c.text()?),
            _ => c.skip()?,
        }
        Ok(())
    })?;
    Ok(at)
}

/// What a resolution can rest on, as we print it.
const BY: [&str; 5] = ["person", "forge", "commit", "reply", "none"];

/// The words for the state of a thread.
const STATES: [&str; 7] = [
    "open",
    "resolved",
    "outdated",
    "minimised",
    "edited",
    "deleted-account",
    "unknown",
];

/// What a thread says of its resolution.
#[derive(Default)]
struct Resolution {
    resolved: Option<bool>,
    by: Option<Foreign>,
}

fn resolution(c: &mut Cursor<'_>) -> Read<Resolution> {
    let mut said = Resolution::default();
    c.maybe_object(|c, key| {
        match key {
            "resolved" => said.resolved = c.flag()?,
            "resolved_by" => said.by = foreign(c.text()?).or(said.by.take()),
            // what rests on nothing but an account names it here
            "by" => {
                let word = c.text()?.filter(|word| !BY.contains(&word.as_ref()));
                said.by = said.by.take().or(foreign(word));
            }
            _ => c.skip()?,
        }
        Ok(())
    })?;
    Ok(said)
}

fn thread(c: &mut Cursor<'_>) -> Read<Thread> {
    let mut fields = Fields::default();
    let mut named: Option<Actor> = None;
    let mut channel: Option<Channel> = None;
    let mut at = Anchor::default();
    let mut marks: Vec<Box<str>> = Vec::new();
    let mut said = Resolution::default();
    let mut outdated: Option<bool> = None;
    let mut review: Option<ReviewWord> = None;
    let mut all_replies = true;
    let mut replies = Vec::new();
    let (mut original, mut commit) = (None, None);
    let mut comment: Option<Box<str>> = None;
    c.object(|c, key| {
        match key {
            "actor" => named = actor(c)?,
            "channel" => channel = channel_of(c)?,
            "anchor" => at = anchor(c)?,
            "original_commit" => original = oid(c)?,
            "commit" => commit = oid(c)?,
            "state" => {
                let word = boxed(c.text()?);
                if let Some(word) = &word
                    && !STATES.contains(&word.as_ref())
                {
                    let shown = Foreign::from(word.as_ref()).shown(Place::Strict);
                    let message = format!("{shown} is no state of a thread");
                    c.fault_with("unknown-state", message, "write open or resolved", false);
                }
                marks.extend(word);
            }
            "states" => {
                c.maybe_array(|c, _| {
                    marks.extend(boxed(c.text()?));
                    Ok(())
                })?;
            }
            "resolution" => said = resolution(c)?,
            "outdated" => outdated = c.flag()?,
            "all_replies" => all_replies = c.flag()? != Some(false),
            "comment" => comment = super::fields::id(c)?,
            "review" | "review_state" => {
                review = c
                    .text()?
                    .map(|word| ReviewWord::parse(&word.replace('-', "_")));
            }
            "replies" => match c.kind()? {
                // a count alone: the answers themselves are elsewhere
                Kind::Number => all_replies = c.count()?.unwrap_or(0) == 0,
                _ => {
                    c.maybe_array(|c, index| {
                        let mut fields = Fields::default();
                        c.object(|c, key| {
                            if fields.field(c, key)? {
                                Ok(())
                            } else {
                                c.skip()
                            }
                        })?;
                        fields.parts.or_ordinal(index);
                        replies.push(fields.done(c));
                        Ok(())
                    })?;
                }
            },
            _ if fields.field(c, key)? => {}
            _ => c.skip()?,
        }
        Ok(())
    })?;
    let marked = |word: &str| marks.iter().any(|mark| mark.as_ref() == word);
    if marked("minimised") && fields.minimised.is_none() {
        fields.minimised = Some(Foreign::from("no reason given"));
    }
    let resolved = said
        .resolved
        .or(marked("resolved").then_some(true))
        .or(marked("open").then_some(false))
        .or(marked("outdated").then_some(false));
    let outdated = outdated.or(marked("outdated").then_some(true));
    let mut first = fields.done(c);
    let name = first.id.clone();
    first.id = comment.unwrap_or(first.id);
    let channel = channel.unwrap_or(match (&at.path, review) {
        (Some(_), _) => Channel::Inline,
        (None, Some(_)) => Channel::Reviews,
        (None, None) => Channel::Conversation,
    });
    Ok(Thread {
        id: name,
        channel,
        spot: at.path.map(|path| Spot {
            path: RepoPath::new(path.raw().to_vec()),
            side: if at.left { Side::Left } else { Side::Right },
            line: at.line,
            start: at.start,
            original_line: at.original_line,
            original_start: at.original_start,
            excerpt: at.excerpt,
        }),
        written_at: original.or(at.written_at).or(commit),
        first,
        replies,
        all_replies,
        resolved: match resolved {
            Some(true) => Known::Is(Resolved::By(said.by)),
            _ if channel != Channel::Inline => {
                Known::NotApplicable(Reason::new("only threads at a place can be resolved"))
            }
            Some(false) => Known::Is(Resolved::No),
            None => Known::Unknown(Reason::new("the file does not say whether it is resolved")),
        },
        outdated: match outdated {
            Some(outdated) => Known::Is(outdated),
            None => Known::Unknown(Reason::new("the file does not say whether it is outdated")),
        },
        review,
        actor: named,
    })
}

fn channel_of(c: &mut Cursor<'_>) -> Read<Option<Channel>> {
    let Some(word) = c.text()? else {
        return Ok(None);
    };
    let channel = Channel::ALL.into_iter().find(|ch| ch.word() == word);
    if channel.is_none() {
        let shown = Foreign::from(word.into_owned()).shown(Place::Strict);
        let message = format!("{shown} is no channel; it is told from the anchor");
        let hint = "write inline, review or issue";
        c.fault_with("unknown-channel", message, hint, false);
    }
    Ok(channel)
}

impl Parts {
    /// Numbers an answer that has no id.
    pub(super) fn or_ordinal(&mut self, index: usize) {
        if self.id.is_none() && self.number.is_none() {
            self.id = Some(format!("reply-{}", index + 1).into_boxed_str());
        }
    }
}
