//! Seals in a session: after a ruling (and after each decision where the policy asks for it) the
//! shard's last line is signed, and the signature is an entry of its own.
//!
//! What is recorded stands whether or not it is sealed: a signature that failed is said, and the
//! name is worth what it was. `ssh-keygen` gets the terminal only when it has to ask the person
//! for something, as the editor does.

use std::sync::Arc;

use crate::adapters::git::record::Opened;
use crate::adapters::ledger_store::Writer;
use crate::adapters::signer::{self, Handover, Key, Signers};
use crate::adapters::who;
use crate::app::msg::{Answer, Sealed, Trouble};
use crate::gate::decide::{Decision, Ruling};
use crate::gate::dossier::Recorded;
use crate::gate::own_work::is_own;
use crate::ledger::codec::{decision_worth, ruling_worth};
use crate::ledger::entry::{Body, Seal};
use crate::ledger::seal::{Vouch, message};
use crate::ledger::verify::Place;
use crate::model::id::Ticket;
use crate::model::known::{Known, Reason};
use crate::model::ruling::{Assurance, Principal};

use super::clerk::Clerk;
use super::desk::Seat;
use super::hub::News;

/// What seals in one sitting.
#[derive(Debug)]
pub(super) struct Sealing {
    pub(super) signers: Arc<Signers>,
    key: Option<Key>,
}

/// A seal that waits for its signature.
#[derive(Debug)]
pub(super) struct Waiting {
    seal: Seal,
    what: What,
}

/// What is sealed, as it was recorded.
#[derive(Clone, Debug)]
pub enum What {
    /// A ruling.
    Ruling(Box<Recorded<Ruling>>),
    /// A decision.
    Decision(Box<Recorded<Decision>>),
}

impl Sealing {
    /// Key and list of this sitting, and what is wrong with them, in sentences.
    pub(super) fn find(seat: &Seat, opened: &Opened) -> (Self, Vec<String>) {
        let mut faults = Vec::new();
        let mut fault = |why: String| {
            faults.push(why);
            None
        };
        // The sample is nobody's: no key of the person has a say in it.
        let key = match seat.sample {
            true => None,
            false => signer::find(seat.signing_key.as_deref()).unwrap_or_else(&mut fault),
        };
        let list = match seat.sample {
            true => None,
            false => signer::list(seat.allowed_signers.as_deref(), &opened.signers).unwrap_or_else(
                |why| {
                    faults.push(why);
                    None
                },
            ),
        };
        let signers = Signers::new(&seat.folders, list);
        if let Some(key) = key.as_ref().filter(|key| !signers.holds(key)) {
            faults.push(match signers.found_in() {
                Some(place) => format!("{} holds no key {}", place, key.fingerprint()),
                None => "there is a signing key and no list of signers".to_owned(),
            });
        }
        let signers = Arc::new(signers);
        (Self { signers, key }, faults)
    }

    /// The person with their key.
    pub(super) fn with_key(&self, who: Known<Principal>) -> Known<Principal> {
        match who {
            Known::Is(who) => Known::Is(self.signers.with_key(who, self.key.as_ref())),
            other => other,
        }
    }
}

/// Whether who sits here made what is under review.
pub(super) fn own_work(who: &Known<Principal>, opened: &Opened) -> Known<bool> {
    let Known::Is(who) = who else {
        return Known::NotSupplied;
    };
    let mail = who::mail();
    match is_own(who.name(), mail.as_deref(), &opened.authors) {
        true => Known::Is(true),
        false if opened.commits.known().is_some() => Known::Is(false),
        false => Known::Unknown(Reason::new("not every commit under review was looked at")),
    }
}

impl Clerk {
    /// Begins to seal what was recorded last.
    pub fn seal(&mut self, ticket: Ticket, what: What) {
        match self.prepared(&what) {
            Ok((handover, seal)) => {
                self.sealing = Some(Waiting { seal, what });
                if handover.needs_terminal() {
                    return self.hub.tell(News::Seal(ticket, Box::new(handover)));
                }
                let signature = handover.sign_quietly().map_err(|error| error.to_string());
                self.sealed(ticket, signature);
            }
            Err(why) => self.not_sealed(ticket, &why),
        }
    }

    fn prepared(&self, what: &What) -> Result<(Handover, Seal), String> {
        let pins = self.pins.as_ref().ok_or("nothing is open")?;
        let key = pins.sealing.key.as_ref().ok_or("there is no signing key")?;
        let head = pins.writer.as_ref().and_then(Writer::head);
        let head = head.ok_or("nothing was recorded")?;
        let by = match what {
            What::Ruling(ruling) => ruling.value.by(),
            What::Decision(decision) => decision.value.by(),
        };
        let seal = Seal {
            shard: head.shard.clone(),
            seq: head.seq,
            line: head.line,
            by: by.to_owned(),
            signature: String::new(),
        };
        let bytes = message(&place(&pins.opened), &seal);
        let begun = signer::begin(&self.seat.folders, key, &bytes);
        let handover = begun.map_err(|error| error.to_string())?;
        Ok((handover, seal))
    }

    /// The signature came, or why it did not: it is checked like anybody's, and recorded.
    pub fn sealed(&mut self, ticket: Ticket, signature: Result<String, String>) {
        let Some(Waiting { mut seal, what }) = self.sealing.take() else {
            return self.not_sealed(ticket, "nothing was to be sealed");
        };
        let signature = match signature {
            Ok(signature) => signature,
            Err(why) => return self.not_sealed(ticket, &why),
        };
        seal.signature = signature;
        let Some(pins) = self.pins.as_ref() else {
            return self.not_sealed(ticket, "nothing is open");
        };
        let vouched = pins.sealing.signers.vouch(&place(&pins.opened), &seal);
        let (level, key) = match vouched {
            Vouch::Good(level, key) => (level, key),
            Vouch::NotListed(why) => {
                let list = pins
                    .sealing
                    .signers
                    .found_in()
                    .unwrap_or("the list of signers");
                let why = format!("{list} does not take it for {}: {why}", seal.by);
                return self.not_sealed(ticket, &why);
            }
            Vouch::Bad(why) | Vouch::Unchecked(why) => return self.not_sealed(ticket, &why),
        };
        match self.append_fact(Body::Seal(seal)) {
            Ok(receipt) => {
                let sealed = Sealed {
                    number: receipt.number,
                    level,
                    key,
                    ruling: match &what {
                        What::Ruling(ruling) => Some(Box::new(Recorded {
                            value: ruling_worth(&ruling.value, level),
                            ..(**ruling).clone()
                        })),
                        What::Decision(_) => None,
                    },
                    decision: match &what {
                        What::Ruling(_) => None,
                        What::Decision(decision) => Some(Box::new(Recorded {
                            value: decision_worth(&decision.value, level),
                            ..(**decision).clone()
                        })),
                    },
                };
                self.answer(ticket, Answer::Sealed(Ok(Box::new(sealed))));
            }
            Err(trouble) => self.not_sealed(ticket, trouble.says.trim_end_matches('.')),
        }
    }

    fn not_sealed(&mut self, ticket: Ticket, why: &str) {
        self.sealing = None;
        self.undone.push(format!("the seal: {why}"));
        let trouble = Trouble {
            says: format!("Not sealed: {why}."),
            hint: format!(
                "What was recorded stands, at {}.",
                Assurance::Present.label()
            ),
        };
        self.answer(ticket, Answer::Sealed(Err(trouble)));
    }
}

fn place(opened: &Opened) -> Place<'_> {
    Place {
        repository: opened.change.repository,
        change: &opened.change.key,
    }
}
