//! Gate messages of a session: what was handed in at its beginning, and the replies that go out
//! at its end. A reply is in the ledger before it goes out, and goes out once.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::args::ReviewArgs;
use super::exit::Exit;
use super::json::to_line;
use super::menu::json as document;
use super::menu::{asks_nothing, head, message};
use super::report::Report;
use crate::adapters::mailbox::{Held, held, write_once};
use crate::app::effect::Leave;
use crate::gate::dossier::{Dossier, Still};
use crate::gate::judge::{Judgment, StandingReply};
use crate::gate::menu::reply::reply;
use crate::model::id::Digest;
use crate::model::text::{Foreign, Place};
use crate::runtime::messages::{self, Handed};

/// Reads the messages that were named; everything that is wrong with them at once.
///
/// # Errors
/// A [`Report`].
pub fn handed(dir: &Path, args: &ReviewArgs) -> Result<Vec<Handed>, Report> {
    let mut wrong = Vec::new();
    let mut pair = |what: &str, count: usize| {
        if count > 0 && count != args.menu.len() {
            wrong.push(format!(
                "{count} {what} for {} --menu: one for each, in the same order",
                args.menu.len()
            ));
        }
    };
    pair("--reply", args.reply.len());
    pair("--sequence", args.sequence.len());
    let mut all: Vec<Handed> = Vec::new();
    for (at, file) in args.menu.iter().enumerate() {
        let name = Foreign::from(file.to_string_lossy().into_owned());
        let shown = name.shown(Place::Strict).plain();
        let read = match message(dir, file) {
            Ok(read) => read,
            Err(report) => {
                wrong.push(report.message);
                continue;
            }
        };
        if asks_nothing(&read) {
            wrong.push(format!("nothing is asked in {shown}"));
        }
        if all.iter().any(|other| other.first.digest == read.digest) {
            wrong.push(format!("{shown} holds a message that was named before"));
        }
        let reply = args.reply.get(at).map(|file| absolute(dir, file));
        if let Some(place) = &reply {
            let taken = match held(place) {
                Held::Nothing => false,
                Held::Reply(digest) => digest != read.digest,
                Held::Other => true,
            };
            if taken {
                wrong.push(format!(
                    "{} exists and is no reply to {shown}; a reply is written once",
                    path(place)
                ));
            }
            if all.iter().any(|other| other.reply.as_ref() == Some(place)) {
                wrong.push(format!("two replies would go to {}", path(place)));
            }
        }
        all.push(Handed {
            file: absolute(dir, file),
            name,
            first: Arc::new(read),
            reply,
            sequence: args.sequence.get(at).copied(),
        });
    }
    if wrong.is_empty() {
        return Ok(all);
    }
    Err(Report::new(Exit::Usage, "menu", wrong.join("; "))
        .hint("look at each message with `menu parse`"))
}

fn absolute(dir: &Path, file: &Path) -> PathBuf {
    let file = dir.join(file);
    std::path::absolute(&file).unwrap_or(file)
}

fn path(path: &Path) -> String {
    let text = Foreign::from(path.to_string_lossy().into_owned());
    text.shown(Place::Strict).plain()
}

/// What became of the messages.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    /// One document for each message, as of `menu-reply/1`.
    pub replies: Vec<Value>,
    /// A line for each reply that stands.
    pub lines: Vec<String>,
    /// Replies that did not go out, each a sentence.
    pub undone: Vec<String>,
}

/// Delivers what stands. Message and head are looked at once more before; a reply whose message
/// or head is another by now goes nowhere.
#[must_use]
pub fn deliver(
    handed: &[Handed],
    dir: &Path,
    facts: Option<(&Dossier, &Judgment)>,
    leave: Leave,
) -> Sent {
    let mut sent = Sent::default();
    let Some((dossier, judgment)) = facts else {
        return sent;
    };
    for (one, waiting) in handed.iter().zip(&dossier.messages) {
        let id = waiting.message.id();
        let standing = judgment.replies.iter().find(|reply| reply.message == id);
        let mut value = match standing {
            Some(standing) => document::reply(
                &waiting.message,
                &reply(&waiting.message, &standing.given.text),
                &standing.given.text,
                Some(&dossier.snapshot.head.to_string()),
            ),
            None => json!({
                "kind": null,
                "gate": id.gate,
                "digest": id.digest.to_string(),
            }),
        };
        let mut put = |key: &str, field: Value| {
            if let Some(fields) = value.as_object_mut() {
                fields.insert(key.to_owned(), field);
            }
        };
        put("file", json!(String::from_utf8_lossy(waiting.file.raw())));
        if let Some(standing) = standing {
            put("sequence", json!(one.sequence));
            put("actor", json!(standing.by));
            put("entry", json!(standing.entry.to_string()));
        }
        let outcome = match (standing, &waiting.still) {
            (None, Still::Delivered) => Ok(one.reply.as_deref().map(path)),
            (None, _) => Ok(None),
            (Some(standing), _) => {
                let line = to_line(&value);
                let went = go(one, dir, dossier, id.digest, leave, &line);
                let name = waiting.file.shown(Place::Strict);
                match &went {
                    Ok(to) => sent
                        .lines
                        .push(says(&name.plain(), standing, to.as_deref())),
                    Err(why) => sent.undone.push(format!(
                        "the reply to {name}: {why}; it is recorded, nothing was sent"
                    )),
                }
                went
            }
        };
        let (delivered, why) = match outcome {
            Ok(to) => (to, None),
            Err(why) => (None, Some(why)),
        };
        if let Some(fields) = value.as_object_mut() {
            fields.shift_remove("schema");
            fields.insert("delivered".into(), json!(delivered));
            fields.insert("not_delivered".into(), json!(why));
        }
        sent.replies.push(value);
    }
    sent
}

fn says(name: &str, standing: &StandingReply, to: Option<&str>) -> String {
    let text = Foreign::from(standing.given.text.as_str());
    let text = text.shown(Place::Strict).plain();
    let to = to.map_or_else(
        || "in the last line of JSON".to_owned(),
        |to| Foreign::from(to).shown(Place::Strict).plain(),
    );
    format!("{name}: {}, {text}: {to}", standing.given.word())
}

/// Writes one reply, where it has a place to go to.
fn go(
    one: &Handed,
    dir: &Path,
    dossier: &Dossier,
    digest: Digest,
    leave: Leave,
    line: &str,
) -> Result<Option<String>, String> {
    if leave == Leave::HungUp {
        return Err("the terminal went away".into());
    }
    messages::stands(&one.file, digest)?;
    let pinned = dossier.snapshot.head.to_string();
    match head(dir) {
        Some(now) if now == pinned => {}
        Some(now) => {
            let short = now.get(..7).unwrap_or(&now);
            return Err(format!("the head moved, it is {short} now"));
        }
        None => return Err("the head could not be read".into()),
    }
    let Some(place) = &one.reply else {
        return Ok(None);
    };
    match write_once(place, line) {
        Ok(()) => Ok(Some(path(place))),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(format!("{} exists by now", path(place)))
        }
        Err(error) => Err(format!("{} was not written: {error}", path(place))),
    }
}
