//! Small values that every forge has: accounts, ids, bodies, words.

use std::borrow::Cow;

use super::cursor::{Broken, Cursor};
use crate::model::id::Oid;
use crate::model::known::{Known, Reason};
use crate::model::text::Foreign;
use crate::model::thread::{Account, Author, BODY_CAP, Comment, Edited};

pub(super) type Read<T> = Result<T, Broken>;

/// The login that stands for a deleted account.
const GHOST: &str = "ghost";

/// A text as it came.
pub(super) fn foreign(text: Option<Cow<'_, str>>) -> Option<Foreign> {
    text.map(|text| Foreign::from(text.into_owned()))
}

/// An id as it came.
pub(super) fn boxed(text: Option<Cow<'_, str>>) -> Option<Box<str>> {
    text.map(|text| text.into_owned().into_boxed_str())
}

/// An id that has to be there.
pub(super) fn id(c: &mut Cursor<'_>) -> Read<Option<Box<str>>> {
    Ok(boxed(c.id()?).filter(|id| !id.is_empty()))
}

/// A commit id; another text is named.
pub(super) fn oid(c: &mut Cursor<'_>) -> Read<Option<Oid>> {
    let Some(text) = c.text()?.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let oid = Oid::parse(&text);
    if oid.is_none() {
        c.fault(
            "bad-commit",
            "this is no full commit id of 40 digits",
            false,
        );
    }
    Ok(oid)
}

/// The commit of `{"oid": ...}`.
pub(super) fn oid_object(c: &mut Cursor<'_>) -> Read<Option<Oid>> {
    let mut found = None;
    c.maybe_object(|c, key| {
        if key == "oid" {
            found = oid(c)?;
            Ok(())
        } else {
            c.skip()
        }
    })?;
    Ok(found)
}

/// An account, in the words of any forge. Null is one that is gone.
pub(super) fn author(c: &mut Cursor<'_>) -> Read<Author> {
    let mut login: Option<Foreign> = None;
    let mut account = Account::Person;
    let present = c.maybe_object(|c, key| {
        match key {
            "login" | "username" => login = foreign(c.text()?).filter(|l| !l.is_blank()),
            "type" | "__typename" => {
                if c.text()?.is_some_and(|t| t.eq_ignore_ascii_case("bot")) {
                    account = Account::Bot;
                }
            }
            "is_bot" | "bot" => {
                if c.flag()? == Some(true) {
                    account = Account::Bot;
                }
            }
            _ => c.skip()?,
        }
        Ok(())
    })?;
    Ok(account_of(login.filter(|_| present), account))
}

/// The account of a login: gone without one, a program by the marks that forges put into it.
pub(super) fn account_of(login: Option<Foreign>, account: Account) -> Author {
    let name = login.as_ref().and_then(Foreign::raw_str).unwrap_or("");
    let marked = name.ends_with("[bot]") || name.starts_with("app/");
    let account = if login.is_none() || name.eq_ignore_ascii_case(GHOST) {
        Account::Gone
    } else if marked {
        Account::Bot
    } else {
        account
    };
    Author { login, account }
}

/// The parts of a comment, in the words of any forge, as they come by.
#[derive(Default, Debug)]
pub(super) struct Parts {
    pub(super) id: Option<Box<str>>,
    /// The number of a comment that GraphQL names by another id.
    pub(super) number: Option<Box<str>>,
    pub(super) author: Option<Author>,
    body: Option<Foreign>,
    cut: u64,
    pub(super) written: Option<Foreign>,
    updated: Option<Foreign>,
    edited_at: Option<Foreign>,
    includes_edit: Option<bool>,
    editor: Option<Option<Foreign>>,
    minimised: bool,
    minimised_why: Option<Foreign>,
    url: Option<Foreign>,
}

impl Parts {
    /// Reads a field that any comment can have; false when it is none.
    pub(super) fn field(&mut self, c: &mut Cursor<'_>, key: &str) -> Read<bool> {
        match key {
            "id" => self.id = id(c)?,
            "databaseId" | "fullDatabaseId" => {
                self.number = id(c)?.or_else(|| self.number.take());
            }
            "user" | "author" => self.author = Some(author(c)?),
            "body" => self.body(c)?,
            "created_at" | "createdAt" | "submitted_at" | "submittedAt" => {
                self.written = time(c)?;
            }
            "updated_at" => self.updated = time(c)?,
            "lastEditedAt" | "last_edited_at" => self.edited_at = time(c)?,
            "includesCreatedEdit" => self.includes_edit = c.flag()?,
            "editor" => self.editor = Some(author(c)?.login),
            "isMinimized" => self.minimised = c.flag()? == Some(true),
            "minimizedReason" => self.minimised_why = foreign(c.text()?),
            "html_url" | "url" => {
                let url = foreign(c.text()?);
                if key == "html_url" || self.url.is_none() {
                    self.url = url;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The body; null is empty, as forges mean it.
    pub(super) fn body(&mut self, c: &mut Cursor<'_>) -> Read<()> {
        let text = c.text()?.unwrap_or_default();
        let mut end = text.len().min(BODY_CAP);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.cut = (text.len() - end) as u64;
        if self.cut > 0 {
            let message = format!("the comment is {} bytes long, the rest is cut", text.len());
            c.fault("long-body", message, false);
        }
        self.body = Some(Foreign::new(match text {
            Cow::Borrowed(text) => text.as_bytes().get(..end).unwrap_or_default().to_vec(),
            Cow::Owned(mut text) => {
                text.truncate(end);
                text.into_bytes()
            }
        }));
        Ok(())
    }

    /// Whether it says anything.
    pub(super) fn says_something(&self) -> bool {
        self.body.as_ref().is_some_and(|body| !body.is_blank())
    }

    /// The comment. One without an id is called by its place, and named.
    pub(super) fn done(self, c: &mut Cursor<'_>) -> Comment {
        let id = self.number.or(self.id).unwrap_or_else(|| {
            let why = "a comment without an id; it is called by its place";
            c.fault("no-id", why, false);
            c.path().into_boxed_str()
        });
        let changed = match (&self.edited_at, self.includes_edit) {
            (Some(_), _) | (None, Some(true)) => Some(true),
            (None, Some(false)) => Some(false),
            (None, None) => match (&self.written, &self.updated) {
                (Some(written), Some(updated)) => Some(written != updated),
                _ => None,
            },
        };
        let edited = match changed {
            Some(true) => Known::Is(Some(Edited {
                by: self.editor.flatten(),
            })),
            Some(false) => Known::Is(None),
            None => Known::Unknown(Reason::new("the input does not say whether it was edited")),
        };
        Comment {
            id,
            author: self.author.unwrap_or(Author {
                login: None,
                account: Account::Gone,
            }),
            body: self.body.unwrap_or_default(),
            cut: self.cut,
            written: self.written,
            edited,
            minimised: self.minimised.then(|| {
                self.minimised_why
                    .unwrap_or_else(|| Foreign::from("no reason given"))
            }),
            url: self.url,
        }
    }
}

/// A time as it was written; one that is none is named. It is never used for order (FRG-6).
pub(super) fn time(c: &mut Cursor<'_>) -> Read<Option<Foreign>> {
    let Some(text) = c.text()? else {
        return Ok(None);
    };
    if !is_time(&text) {
        c.fault(
            "bad-time",
            "this is no RFC 3339 time; it is only shown",
            false,
        );
    }
    Ok(Some(Foreign::from(text.into_owned())))
}

/// Whether a text is an RFC 3339 time with an offset. A leap second is one.
pub(super) fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let shape = b"dddd-dd-ddtdd:dd:dd";
    let fits = |(byte, form): (&u8, &u8)| match form {
        b'd' => byte.is_ascii_digit(),
        b't' => matches!(byte, b'T' | b't' | b' '),
        other => byte == other,
    };
    let Some(rest) = bytes.get(shape.len()..) else {
        return false;
    };
    if !bytes.iter().zip(shape).all(fits) {
        return false;
    }
    let two = |at: usize| {
        let digits = text.get(at..at + 2);
        digits.and_then(|d| d.parse::<u32>().ok()).unwrap_or(99)
    };
    let in_range = (1..=12).contains(&two(5))
        && (1..=31).contains(&two(8))
        && two(11) < 24
        && two(14) < 60
        && two(17) <= 60;
    let fraction = rest.strip_prefix(b".").map_or(Some(rest), |digits| {
        let count = digits.iter().take_while(|b| b.is_ascii_digit()).count();
        digits.get(count..).filter(|_| count > 0)
    });
    let offset = |rest: &[u8]| match rest {
        b"Z" | b"z" => true,
        [b'+' | b'-', a, b, b':', c, d] => [a, b, c, d].iter().all(|d| d.is_ascii_digit()),
        _ => false,
    };
    in_range && fraction.is_some_and(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_checked_and_never_refused() {
        for good in [
            "2026-11-02T09:15:00Z",
            "2026-11-02T09:15:00.123+02:00",
            "2016-12-31T23:59:60Z",
            "2026-11-02 09:15:00z",
        ] {
            assert!(is_time(good), "{good}");
        }
        for bad in [
            "",
            "2026-11-02",
            "2026-13-02T09:15:00Z",
            "2026-11-02T24:15:00Z",
            "2026-11-02T09:15:00",
            "2026-11-02T09:15:00.Z",
            "2026-11-02T09:15:00+2",
            "yesterday",
        ] {
            assert!(!is_time(bad), "{bad}");
        }
    }

    #[test]
    fn accounts_are_told_by_what_the_forge_says() {
        let rows = [
            (r#"{"login":"maren"}"#, "person"),
            (r#"{"login":"maren","type":"User"}"#, "person"),
            (r#"{"login":"lint","type":"Bot"}"#, "bot"),
            (r#"{"login":"lint","__typename":"Bot"}"#, "bot"),
            (r#"{"login":"lint","is_bot":true}"#, "bot"),
            (r#"{"username":"lint","bot":true}"#, "bot"),
            (r#"{"login":"lint[bot]"}"#, "bot"),
            (r#"{"login":"app/lint"}"#, "bot"),
            (r#"{"login":"Ghost","id":-1}"#, "gone"),
            (r#"{"login":""}"#, "gone"),
            (r#"{"login":null}"#, "gone"),
            ("null", "gone"),
        ];
        for (json, word) in rows {
            let found = author(&mut Cursor::new(json));
            assert_eq!(found.map(|a| a.account.word()), Ok(word), "{json}");
        }
    }
}
