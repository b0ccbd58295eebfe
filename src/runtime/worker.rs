//! A thread that does one thing after the other, for work that may block: the ledger, the
//! opening of a change, the hand-off. Leaving waits for what was begun (TUI-11).

use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

/// How many jobs may wait.
const ROOM: usize = 64;

type Job<T> = Box<dyn FnOnce(&mut T) + Send>;

/// The thread's handle.
pub struct Worker<T> {
    give: Option<SyncSender<Job<T>>>,
    thread: Option<JoinHandle<()>>,
}

impl<T> std::fmt::Debug for Worker<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").finish_non_exhaustive()
    }
}

impl<T: 'static> Worker<T> {
    /// Starts a thread; `make` builds what the jobs work on, inside it.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(
        name: &'static str,
        make: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<Self> {
        let (give, take) = sync_channel::<Job<T>>(ROOM);
        let thread = std::thread::Builder::new()
            .name(name.into())
            .spawn(move || {
                let mut tools = make();
                while let Ok(job) = take.recv() {
                    job(&mut tools);
                }
            })?;
        Ok(Self {
            give: Some(give),
            thread: Some(thread),
        })
    }

    /// Adds a job; `false` when there are too many or the thread is gone.
    pub fn ask(&self, job: impl FnOnce(&mut T) + Send + 'static) -> bool {
        self.give
            .as_ref()
            .is_some_and(|give| give.try_send(Box::new(job)).is_ok())
    }

    /// Finishes every job that was added and ends the thread.
    pub fn finish(&mut self) {
        self.give = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaving_waits_for_every_job_in_order() -> io::Result<()> {
        let (give, take) = std::sync::mpsc::channel();
        let mut worker = Worker::start("test", move || give)?;
        for number in 0..20 {
            assert!(worker.ask(move |give| {
                let _ = give.send(number);
            }));
        }
        worker.finish();
        assert_eq!(
            take.iter().collect::<Vec<i32>>(),
            (0..20).collect::<Vec<_>>()
        );
        Ok(())
    }
}
