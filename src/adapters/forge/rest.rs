//! Lists as the REST interfaces of GitHub, Forgejo and Gitea answer them.

use super::cursor::Cursor;
use super::fields::{Parts, Read, boxed, foreign, id, oid};
use super::gather::Gathered;
use super::loose::Loose;
use crate::model::id::{Oid, RepoPath};
use crate::model::known::{Known, Reason};
use crate::model::text::Foreign;
use crate::model::thread::{Channel, Resolved, ReviewWord, Side, Spot};

/// Which dialect a list speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    GitHub,
    Gitea,
}

/// The fields of an inline comment beside those of any comment.
#[derive(Default)]
struct Inline {
    parts: Parts,
    review: Option<Box<str>>,
    reply_to: Option<Box<str>>,
    path: Option<Foreign>,
    excerpt: Option<Foreign>,
    commit: Option<Oid>,
    original_commit: Option<Oid>,
    position: Option<Option<u32>>,
    original_position: Option<u32>,
    line: Option<Option<u32>>,
    start: Option<u32>,
    original_line: Option<u32>,
    original_start: Option<u32>,
    left: bool,
    whole_file: bool,
    resolver: Option<Foreign>,
    extra: Option<u32>,
}

impl Inline {
    fn field(&mut self, c: &mut Cursor<'_>, key: &str) -> Read<()> {
        match key {
            "pull_request_review_id" => self.review = id(c)?,
            "in_reply_to_id" => self.reply_to = id(c)?,
            "path" => self.path = foreign(c.text()?),
            "diff_hunk" => self.excerpt = foreign(c.text()?),
            "commit_id" => self.commit = oid(c)?,
            "original_commit_id" => self.original_commit = oid(c)?,
            "position" => self.position = Some(c.count()?),
            "original_position" => self.original_position = c.count()?,
            "line" => self.line = Some(c.count()?),
            "start_line" => self.start = c.count()?,
            "original_line" => self.original_line = c.count()?,
            "original_start_line" => self.original_start = c.count()?,
            "side" => self.left = c.text()?.is_some_and(|side| side == "LEFT"),
            "subject_type" => self.whole_file = c.text()?.is_some_and(|kind| kind == "file"),
            "extra_lines_count" => self.extra = c.count()?,
            "resolver" => {
                let resolver = super::fields::author(c)?;
                self.resolver = resolver.login;
            }
            _ if self.parts.field(c, key)? => {}
            _ => c.skip()?,
        }
        Ok(())
    }

    /// GitHub nulls `position` and `line` of what is outdated; a comment on a whole file has
    /// neither.
    fn outdated(&self) -> Known<bool> {
        if self.whole_file {
            return Known::Is(false);
        }
        match self.line.or(self.position) {
            Some(place) => Known::Is(place.is_none()),
            None => Known::Unknown(Reason::new("the input does not say whether it is outdated")),
        }
    }

    fn github(self, c: &mut Cursor<'_>) -> Loose {
        let outdated = self.outdated();
        let lines = self.original_line.is_some() || self.line.flatten().is_some();
        let from_excerpt = match (&self.excerpt, self.original_position) {
            (Some(excerpt), Some(_)) if !lines && !self.whole_file => last_line(excerpt),
            _ => None,
        };
        let left = self.left || from_excerpt.is_some_and(|(_, left)| left);
        Loose {
            review: self.review,
            reply_to: self.reply_to,
            by_place: false,
            written_at: self.original_commit.or(self.commit),
            resolved: Known::Unknown(Reason::new("this interface does not carry resolution")),
            outdated,
            spot: self.path.map(|path| Spot {
                path: RepoPath::new(path.raw().to_vec()),
                side: if left { Side::Left } else { Side::Right },
                line: self.line.flatten(),
                start: self.start,
                original_line: self.original_line.or(from_excerpt.map(|(line, _)| line)),
                original_start: self.original_start,
                excerpt: self.excerpt,
            }),
            comment: self.parts.done(c),
        }
    }

    /// Gitea counts lines where GitHub counts rows of the diff: `position` at head,
    /// `original_position` at base. Comments of one review at one line are one conversation; the
    /// resolver stands at its first.
    fn gitea(self, c: &mut Cursor<'_>) -> Loose {
        let extra = self.extra.unwrap_or(0);
        let at = |line: Option<u32>| line.filter(|line| *line > 0);
        let (new, old) = (at(self.position.flatten()), at(self.original_position));
        let (side, line) = match (new, old) {
            (Some(line), _) => (Side::Right, Some(line)),
            (None, Some(line)) => (Side::Left, Some(line)),
            (None, None) => (Side::Right, None),
        };
        Loose {
            review: self.review,
            reply_to: None,
            by_place: true,
            written_at: self.original_commit.or(self.commit),
            resolved: Known::Is(match self.resolver {
                Some(login) => Resolved::By(Some(login)),
                None => Resolved::No,
            }),
            outdated: Known::Unknown(Reason::new("this interface does not say what is outdated")),
            spot: self.path.map(|path| Spot {
                path: RepoPath::new(path.raw().to_vec()),
                side,
                line: None,
                start: None,
                original_line: line.map(|line| line.saturating_add(extra)),
                original_start: line.filter(|_| extra > 0),
                excerpt: self.excerpt,
            }),
            comment: self.parts.done(c),
        }
    }
}

/// The line that an excerpt ends at, and whether it is on the left side: a comment always stands
/// at the last row of its excerpt.
fn last_line(excerpt: &Foreign) -> Option<(u32, bool)> {
    let text = excerpt.raw_str()?;
    let mut rows = text.lines();
    let (mut old, mut new) = header(rows.next()?)?;
    let mut last = None;
    for row in rows {
        match row.as_bytes().first() {
            Some(b'-') => {
                last = Some((old, true));
                old += 1;
            }
            Some(b'+') => {
                last = Some((new, false));
                new += 1;
            }
            Some(b'\\') => {}
            Some(_) | None => {
                last = Some((new, false));
                old += 1;
                new += 1;
            }
        }
    }
    last
}

/// The first lines of `@@ -a,b +c,d @@`.
fn header(row: &str) -> Option<(u32, u32)> {
    let mut words = row.strip_prefix("@@ ")?.split(' ');
    let start = |word: &str| word.split(',').next().and_then(|n| n.parse().ok());
    let old = start(words.next()?.strip_prefix('-')?)?;
    let new = start(words.next()?.strip_prefix('+')?)?;
    Some((old, new))
}

/// One inline comment.
pub(super) fn inline(c: &mut Cursor<'_>, dialect: Dialect, into: &mut Gathered) -> Read<()> {
    let mut found = Inline::default();
    c.object(|c, key| found.field(c, key))?;
    if found.path.is_none() {
        c.fault("no-path", "an inline comment without a path", false);
    }
    into.loose.push(match dialect {
        Dialect::GitHub => found.github(c),
        Dialect::Gitea => found.gitea(c),
    });
    Ok(())
}

/// One comment below the description.
pub(super) fn conversation(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    let mut parts = Parts::default();
    c.object(|c, key| {
        if parts.field(c, key)? {
            Ok(())
        } else {
            c.skip()
        }
    })?;
    let comment = parts.done(c);
    into.alone(Channel::Conversation, comment, None, None);
    Ok(())
}

/// One review. What only carries inline comments is no thread of its own.
pub(super) fn review(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    let mut parts = Parts::default();
    let mut state: Option<Box<str>> = None;
    let mut commit = None;
    let mut dismissed = false;
    let mut announced = None;
    c.object(|c, key| {
        match key {
            "state" => state = boxed(c.text()?),
            "commit_id" => commit = oid(c)?,
            "commit" => commit = super::fields::oid_object(c)?,
            "comments_count" => announced = c.count()?,
            "dismissed" => dismissed = c.flag()? == Some(true),
            _ if parts.field(c, key)? => {}
            _ => c.skip()?,
        }
        Ok(())
    })?;
    let word = state.as_deref().unwrap_or("");
    into.gitea |= announced.is_some();
    if let Some(announced) = announced.filter(|_| !word.eq_ignore_ascii_case("PENDING")) {
        into.announced = into.announced.saturating_add(announced);
    }
    if word.eq_ignore_ascii_case("PENDING") || word.eq_ignore_ascii_case("REQUEST_REVIEW") {
        return Ok(());
    }
    let word = if dismissed {
        ReviewWord::Dismissed
    } else {
        ReviewWord::parse(word)
    };
    if word == ReviewWord::Other {
        c.fault(
            "unknown-state",
            "a review with a state that is not known",
            false,
        );
    }
    let thread = parts.says_something();
    let comment = parts.done(c);
    into.review(comment, word, commit, thread);
    Ok(())
}

/// One changed file.
pub(super) fn file(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    let mut path = None;
    c.object(|c, key| match key {
        "filename" | "path" => {
            path = foreign(c.text()?);
            Ok(())
        }
        _ => c.skip(),
    })?;
    match path {
        Some(path) => into.files.push(RepoPath::new(path.raw().to_vec())),
        None => c.fault("no-path", "a changed file without a path", true),
    }
    Ok(())
}

/// One commit.
pub(super) fn commit(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    let mut found = None;
    c.object(|c, key| {
        match key {
            "sha" | "oid" | "id" => {
                if let Some(id) = oid(c)? {
                    found = Some(id);
                }
            }
            "commit" if found.is_none() => found = super::fields::oid_object(c)?,
            _ => c.skip()?,
        }
        Ok(())
    })?;
    match found {
        Some(id) => into.commits.push(id),
        None => c.fault("no-id", "a commit without an id", true),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_an_old_comment_is_the_last_row_of_its_excerpt() {
        let rows = [
            ("@@ -1,2 +1,3 @@\n a\n+b\n+c", Some((3, false))),
            ("@@ -7,3 +7,2 @@ fn x\n a\n-b\n-c", Some((9, true))),
            ("@@ -0,0 +1 @@\n+a\n\\ No newline", Some((1, false))),
            ("no header", None),
            ("", None),
        ];
        for (text, wanted) in rows {
            assert_eq!(last_line(&Foreign::from(text)), wanted, "{text:?}");
        }
    }
}
