//! Gate messages that were handed in, as their files are now. They are read, never written.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::adapters::git::regular;
use crate::adapters::mailbox::{Held, held};
use crate::gate::dossier::{Still, Waiting};
use crate::gate::menu::read;
use crate::model::id::Digest;
use crate::model::menu::Message;
use crate::model::text::Foreign;

/// Most bytes of a message.
pub const LIMIT: u64 = 1 << 20;

/// A message that was handed in.
#[derive(Clone, Debug)]
pub struct Handed {
    /// Its file.
    pub file: PathBuf,
    /// The file as it was named.
    pub name: Foreign,
    /// The message as it was read first.
    pub first: Arc<Message>,
    /// Where its reply goes.
    pub reply: Option<PathBuf>,
    /// A number that goes into the reply unchanged.
    pub sequence: Option<u64>,
}

/// The message in a file.
///
/// # Errors
/// Why there is none, a fragment.
pub fn message(file: &Path) -> Result<Message, String> {
    match regular::read(file, LIMIT) {
        Ok(Some(bytes)) => Ok(read(&bytes)),
        Ok(None) => Err("the message is gone".into()),
        Err(error) => Err(format!("the message could not be read: {}", error.says())),
    }
}

/// Why a reply to the message of this digest must not count: its file holds another one by now.
///
/// # Errors
/// That, a fragment.
pub fn stands(file: &Path, digest: Digest) -> Result<(), String> {
    let now = message(file)?;
    if now.digest == digest {
        Ok(())
    } else {
        let short = now.digest.short();
        Err(format!("the message is another one now, {short}"))
    }
}

/// Every message as it is now; of one that cannot be read the bytes that were read last.
pub fn waiting(handed: &[Handed], last: &mut Vec<Arc<Message>>) -> Vec<Waiting> {
    let mut out = Vec::new();
    for (at, one) in handed.iter().enumerate() {
        let before = last.get(at).unwrap_or(&one.first);
        let (message, gone) = match message(&one.file) {
            Ok(message) => (Arc::new(message), None),
            Err(why) => (Arc::clone(before), Some(why)),
        };
        let lies = one.reply.as_deref().map_or(Held::Nothing, held);
        let still = match (gone, lies) {
            (Some(why), _) => Still::Gone(why),
            (None, Held::Reply(digest)) if digest == message.digest => Still::Delivered,
            (None, Held::Reply(_)) => {
                Still::Gone("a reply to another message lies where its own would go".into())
            }
            (None, Held::Other) => {
                Still::Gone("something else lies where its reply would go".into())
            }
            (None, Held::Nothing) => Still::Waits,
        };
        out.push(Waiting {
            file: one.name.clone(),
            message,
            still,
        });
    }
    *last = out.iter().map(|one| Arc::clone(&one.message)).collect();
    out
}
