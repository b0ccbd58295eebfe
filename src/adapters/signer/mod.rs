//! Signatures by `ssh-keygen -Y` and by nothing else (rulings K24): over our own bytes, from our
//! own private folder, with an environment that we made.
//!
//! The key is the person's own (K19). The list of signers is the person's own or that of the base
//! commit, never that of the head: it belongs to those who are judged (LED-11). A signature that
//! could not be checked counts for nothing and is never an error.

mod armor;
mod key;
mod known;
mod list;
mod run;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

pub use key::{Key, Setting, find, find_among};
pub use list::{FILE, List, list};
pub use run::{Handover, keygen};

use known::Remembered;

use crate::adapters::folders::{self, Folders};
use crate::ledger::entry::Seal;
use crate::ledger::seal::{Vouch, message};
use crate::ledger::verify::Place;
use crate::model::id::Digest;
use crate::model::ruling::{Assurance, NameSource, Principal, SigningKey};

/// Whoever knows the signers: checks seals, each once, and keeps good answers for later processes.
#[derive(Debug)]
pub struct Signers {
    list: Option<List>,
    folder: PathBuf,
    known: Mutex<BTreeMap<Digest, Vouch>>,
}

impl Signers {
    /// With this list; without one nothing is good.
    #[must_use]
    pub fn new(folders: &Folders, list: Option<List>) -> Self {
        Self {
            list,
            folder: folder(folders),
            known: Mutex::default(),
        }
    }

    /// Where the list was found, fit to be shown.
    #[must_use]
    pub fn found_in(&self) -> Option<&str> {
        self.list.as_ref().map(|list| list.found_in.as_str())
    }

    /// Whether the list holds this key at all, for whatever name.
    #[must_use]
    pub fn holds(&self, key: &Key) -> bool {
        self.list
            .as_ref()
            .is_some_and(|list| list.holds(&key.public))
    }

    /// The person with what a seal by this key would be worth.
    #[must_use]
    pub fn with_key(&self, mut who: Principal, key: Option<&Key>) -> Principal {
        who.key = key.filter(|key| self.holds(key)).map(|key| SigningKey {
            fingerprint: key.fingerprint(),
            reach: key.reach(),
        });
        who
    }

    /// Asks `ssh-keygen` whether a seal is good for the name that it carries.
    #[must_use]
    pub fn vouch(&self, place: &Place<'_>, seal: &Seal) -> Vouch {
        let Some(list) = &self.list else {
            return Vouch::Unchecked("there is no list of signers".into());
        };
        let bytes = message(place, seal);
        let key = Digest::of_fields(&[
            list.text(),
            seal.by.as_bytes(),
            &bytes,
            seal.signature.as_bytes(),
        ]);
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key) {
            return known.clone();
        }
        let kept = Remembered::of(&self.folder, list.text());
        let found = kept.get(&key).unwrap_or_else(|| {
            let found = self.ask(list, &bytes, seal);
            kept.put(&key, &found);
            found
        });
        lock().insert(key, found.clone());
        found
    }

    fn ask(&self, list: &List, bytes: &[u8], seal: &Seal) -> Vouch {
        let Some(signature) = armor::signature(&seal.signature) else {
            return Vouch::Bad("it is no signature of this kind".into());
        };
        // What may not be a person's name cannot be on the list either.
        if Principal::new(&seal.by, NameSource::Config, Assurance::Claimed).is_none() {
            return Vouch::NotListed("nobody can have this name".into());
        }
        let made = folders::private(&self.folder);
        let asked = made.and_then(|()| {
            run::verify(&self.folder, list.text(), &seal.by, &seal.signature, bytes)
        });
        match asked {
            Ok(run::Answer::Good) => {
                let level = if signature.touched {
                    Assurance::Touched
                } else {
                    Assurance::Signed
                };
                Vouch::Good(level, armor::fingerprint(&signature.public))
            }
            Ok(run::Answer::NotListed(why)) => Vouch::NotListed(why),
            Ok(run::Answer::Bad(why)) => Vouch::Bad(why),
            Err(error) => Vouch::Unchecked(error.to_string()),
        }
    }
}

/// The private folder in which `ssh-keygen` works.
fn folder(folders: &Folders) -> PathBuf {
    folders.state.join("signing")
}

/// Begins a signature over a message: the folder with the bytes, and how it is to be made.
///
/// # Errors
/// Any failure of the file system, or no `ssh-keygen`.
pub fn begin(folders: &Folders, key: &Key, bytes: &[u8]) -> io::Result<Handover> {
    let folder = folder(folders);
    folders::private(&folder)?;
    Handover::new(&folder, key, bytes)
}
