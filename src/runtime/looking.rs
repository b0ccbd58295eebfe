//! Where the threads that were handed in point in the pinned trees: asked of the reader, waited
//! for on the desk's own thread.

use std::time::Duration;

use crate::adapters::forge::places;
use crate::adapters::git::record::Opened;
use crate::adapters::reader::Question;
use crate::gate::verify::threads::Looked;
use crate::model::known::Known;

use super::clerk::Clerk;
use super::desk::BESIDE;

/// How long the places of some threads may take to be looked at.
const PATIENCE: Duration = Duration::from_secs(20);

impl Clerk {
    /// Looks where the threads that were handed in point. What could not be looked at is unknown,
    /// thread by thread.
    pub(super) fn look(&self, opened: &Opened) -> Vec<Looked> {
        let Known::Is(all) = &self.seat.inputs.threads else {
            return Vec::new();
        };
        while self.threads.try_recv().is_ok() {}
        places::look_at_all(&all.threads, &opened.snapshot, |question| {
            let reader = self.reader.as_ref().ok_or("there is no reader")?;
            reader.ask(BESIDE, Question::Threads(Box::new(question)));
            match self.threads.recv_timeout(PATIENCE) {
                Ok(found) => found.map_err(|error| error.says()),
                Err(_) => Err("the reader did not answer in time".to_owned()),
            }
        })
    }
}
