//! Entries of a sitting. Before any entry of a person the heads are read again under the ledger's
//! lock, and before a reply its message; an entry is refused when they are not what the person
//! looked at (GIT-11, verdict-menus 6.2).

use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use crate::adapters::git::heads;
use crate::adapters::ledger_store::{NotRecorded, Receipt, new_id};
use crate::adapters::reader::{Question, Reader};
use crate::app::msg::{Msg, Trouble};
use crate::ledger::entry::Body;
use crate::model::id::Oid;
use crate::model::menu::MessageId;

use super::clerk::{Clerk, HeadsReply};
use super::messages;

/// How long the heads may take to be read before an entry is refused.
const HEADS_PATIENCE: Duration = Duration::from_secs(5);

impl Clerk {
    /// Appends an entry of the person: the heads are read again under the lock.
    ///
    /// # Errors
    /// The sentence for the status row.
    pub fn append(&mut self, body: Body) -> Result<Receipt, Trouble> {
        self.append_with(body, true, None)
    }

    /// Appends what a tool found (a run): it says for itself which head it was on.
    ///
    /// # Errors
    /// The sentence for the status row.
    pub fn append_fact(&mut self, body: Body) -> Result<Receipt, Trouble> {
        self.append_with(body, false, None)
    }

    /// The file that a message came in.
    fn file_of(&self, id: &MessageId) -> Option<PathBuf> {
        let mut all = self.seat.messages.iter().zip(&self.messages);
        let found = all.find(|(_, message)| message.digest == id.digest);
        found.map(|(handed, _)| handed.file.clone())
    }

    pub(super) fn append_with(
        &mut self,
        body: Body,
        look: bool,
        message: Option<&MessageId>,
    ) -> Result<Receipt, Trouble> {
        let file = message.and_then(|id| self.file_of(id));
        let mut gone = None;
        let Self {
            pins,
            reader,
            heads,
            undone,
            ..
        } = self;
        let pins = pins.as_mut().ok_or_else(|| Trouble {
            says: "nothing is open.".into(),
            hint: String::new(),
        })?;
        let id = new_id().map_err(|error| not_recorded(&error.to_string()))?;
        let mut moved = None;
        let question = pins.opened.heads();
        let (head, base) = (pins.opened.snapshot.head, pins.opened.snapshot.base);
        let reader = reader.clone();
        let still = || {
            if !look {
                return Ok(());
            }
            if let Some(id) = message {
                let stands = match &file {
                    Some(file) => messages::stands(file, id.digest),
                    None => Err("the message was not handed in".to_owned()),
                };
                if let Err(why) = stands {
                    gone = Some(why.clone());
                    return Err(why);
                }
            }
            let answer = ask_now(reader.as_deref(), heads, question)?;
            let now = answer.head.map(Oid);
            let base_now = answer.base.map(Oid);
            let stays = now == Some(head) && base_now.is_none_or(|now| now == base);
            let says = match now {
                Some(now) if now != head => format!("the head moved to {}", now.short()),
                None => "the head is gone".to_owned(),
                Some(_) => "the base moved".to_owned(),
            };
            moved = Some(answer);
            if stays { Ok(()) } else { Err(says) }
        };
        let result = match pins.writer() {
            Ok(writer) => writer.append(id, body, still),
            Err(error) => Err(error),
        };
        if look && result.is_ok() {
            undone.extend(pins.keep());
        }
        if let (Some(id), Some(why)) = (message, gone) {
            self.hub.say(Msg::Message(id.clone(), why));
        }
        if let Some(answer) = moved {
            let moved = pins.moved(&answer);
            if moved.any() {
                self.hub.say(Msg::World(moved));
            }
        }
        result.map_err(|error| match error {
            NotRecorded::Refused(why) => Trouble {
                says: format!("{why} as you decided."),
                hint: "F5 reads the change again.".into(),
            },
            NotRecorded::Failed { .. } | NotRecorded::Changed(_) => {
                not_recorded(&error.to_string())
            }
        })
    }
}

/// Asks the reader and waits: whoever holds the ledger's lock has nothing better to do.
fn ask_now(
    reader: Option<&Reader>,
    heads: &Receiver<HeadsReply>,
    question: heads::Question,
) -> Result<Box<heads::Answer>, String> {
    while heads.try_recv().is_ok() {}
    let reader = reader.ok_or("the reader is not there")?;
    reader.ask(super::desk::HEADS_NOW, Question::Heads(question));
    match heads.recv_timeout(HEADS_PATIENCE) {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(error.says()),
        Err(_) => Err("head and base could not be read in time".into()),
    }
}

fn not_recorded(why: &str) -> Trouble {
    let why = why.strip_prefix("not recorded: ").unwrap_or(why);
    Trouble {
        says: format!("{why}."),
        hint: "Press the key again to try again.".into(),
    }
}
