//! Entries of other consoles on the same change: noticed by `stat`, said at once, read with `F5`.
//!
//! Nothing is merged under the hands: a decision counts as made in the knowledge of another only
//! when the person read it (LED-16, LED-17). A ruling is refused while something is unread.

use std::collections::BTreeSet;
use std::sync::Weak;

use crate::adapters::git::watch::{self, Watch, Watched};
use crate::adapters::ledger_store::{LedgerStore, Writer};
use crate::app::msg::{Msg, Others, Trouble};
use crate::ledger::entry::Body;
use crate::ledger::replay::{Fate, History};
use crate::model::id::EntryId;
use crate::model::text::{Foreign, Place};

use super::clerk::{Clerk, Pins};
use super::worker::Worker;

/// Watches the shards of a change.
pub(super) fn watch(
    store: &LedgerStore,
    change: &str,
    back: &Weak<Worker<Clerk>>,
) -> Option<Watch> {
    let files = store.watched(change);
    let back = Weak::clone(back);
    let moved = move || {
        if let Some(clerk) = back.upgrade() {
            clerk.ask(Clerk::look_at_others);
        }
    };
    watch::watch(Watched { files }, watch::EVERY, moved).ok()
}

impl Clerk {
    /// Reads the ledger and says what others recorded since it was read last.
    pub(super) fn look_at_others(&mut self) {
        let back = Weak::clone(&self.back);
        let Some(pins) = &mut self.pins else {
            return;
        };
        let unread = pins.unread();
        // A shard that is new since is watched as well from now on.
        pins.ledger_watch = watch(&pins.store, &pins.opened.change.key, &back);
        if let Some(others) = unread {
            self.hub.say(Msg::Others(others));
        }
    }

    /// Refuses what must not be signed without having read everything.
    pub(super) fn all_read(&mut self) -> Result<(), Trouble> {
        let unread = self.pins.as_ref().and_then(Pins::unread);
        let Some(others) = unread else {
            return Ok(());
        };
        let says = format!("{}.", others.says());
        self.hub.say(Msg::Others(others));
        Err(Trouble {
            says,
            hint: "F5 reads it.".into(),
        })
    }
}

impl Pins {
    /// What others recorded since the ledger was read.
    fn unread(&self) -> Option<Others> {
        let own = self.writer.as_ref().map(Writer::shard);
        let now = self.store.load(&self.opened.change.key);
        unread(&self.history, &now, own)
    }
}

/// Acts of people that the first reading did not have, own ones left out.
fn unread(then: &History, now: &History, own: Option<&str>) -> Option<Others> {
    let known: BTreeSet<EntryId> = then.log.iter().map(|row| row.entry.id).collect();
    let contradicts = |id: EntryId| {
        let mut between = now.conflicts.iter().flat_map(|conflict| &conflict.between);
        between.any(|(other, _)| *other == id)
    };
    let news = now.log.iter().filter(|row| {
        Some(row.entry.shard.as_str()) != own
            && !known.contains(&row.entry.id)
            && (row.fate != Fate::NotBelieved || contradicts(row.entry.id))
    });
    let mut others = Others::default();
    for row in news {
        match &row.entry.body {
            Body::Decision(decision) => {
                others.entries += 1;
                others.by.get_or_insert_with(|| shown(decision.by()));
            }
            Body::Ruling(ruling) => {
                others.entries += 1;
                let by = shown(ruling.by());
                others.ruling = Some((row.number, ruling.verdict(), by));
            }
            Body::Undo(_) | Body::Assertion(_) => others.entries += 1,
            Body::Run(_)
            | Body::Opened(_)
            | Body::Edit(_)
            | Body::Seal(_)
            | Body::Posted(_)
            | Body::Newer { .. } => {}
        }
    }
    (others.entries > 0).then_some(others)
}

fn shown(name: &str) -> String {
    Foreign::from(name).shown(Place::Strict).plain()
}
