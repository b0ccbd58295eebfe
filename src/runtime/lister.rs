//! The list of changed files on its way to the session: who claims what is found on a thread of
//! its own, because it takes time in proportion to the list.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use crate::app::claims::Claims;
use crate::app::msg::{Answer, Msg, Trouble};
use crate::gate::floor::scope::Tracer;
use crate::model::change::FileChange;
use crate::model::contract::Contract;
use crate::model::id::Ticket;

use super::deliver::Asked;
use super::hub::Hub;

/// The files of a change as they came.
#[derive(Debug)]
pub struct Listed {
    /// Of which question.
    pub ticket: Ticket,
    /// All so far.
    pub files: Vec<FileChange>,
    /// Whether these are all.
    pub complete: bool,
    /// Why the list ends early.
    pub cut: Option<Trouble>,
}

#[derive(Debug)]
enum Job {
    Contract(Option<Box<Contract>>),
    Listed(Listed),
}

/// The handle of the thread; it ends when this is dropped.
#[derive(Debug)]
pub struct Lister(Sender<Job>);

impl Lister {
    /// Starts the thread.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(hub: Hub, asked: Arc<Mutex<Asked>>) -> std::io::Result<Self> {
        let (give, take) = channel();
        std::thread::Builder::new()
            .name("claims".into())
            .spawn(move || run(&hub, &asked, &take))?;
        Ok(Self(give))
    }

    /// Files that come from now on are compared with this contract.
    pub fn contract(&self, contract: Option<Contract>) {
        let _ = self.0.send(Job::Contract(contract.map(Box::new)));
    }

    /// Passes a list on.
    pub fn listed(&self, listed: Listed) {
        let _ = self.0.send(Job::Listed(listed));
    }
}

fn run(hub: &Hub, asked: &Mutex<Asked>, jobs: &Receiver<Job>) {
    let mut tracer: Option<Tracer> = None;
    let mut next = None;
    while let Some(job) = next.take().or_else(|| jobs.recv().ok()) {
        let listed = match job {
            Job::Contract(contract) => {
                tracer = contract.map(|contract| Tracer::new(&contract));
                continue;
            }
            Job::Listed(listed) => listed,
        };
        // a longer list of the same question makes this one old
        next = jobs.try_recv().ok();
        if let Some(Job::Listed(newer)) = &next
            && newer.ticket == listed.ticket
        {
            continue;
        }
        let Listed {
            ticket,
            files,
            complete,
            cut,
        } = listed;
        let known = files.iter().map(|file| (file.path.clone(), file.clone()));
        asked.lock().unwrap_or_else(PoisonError::into_inner).files = known.collect();
        let claims = tracer
            .as_ref()
            .map(|tracer| Claims::of(tracer.trace(&files)));
        let answer = Answer::Files {
            files,
            claims: claims.map(Box::new),
            complete,
            cut,
        };
        hub.say(Msg::Answer(ticket, Box::new(answer)));
    }
}
