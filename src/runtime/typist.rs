//! The thread that keeps typed texts (TUI-7). The loop never waits for it while a person types;
//! leaving, suspending, the editor and a panic do, for a moment.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use crate::adapters::drafts::Drafts;

use super::clock::Clock;

/// How long a flush may hold up whoever asked for it.
const PATIENCE: Duration = Duration::from_millis(500);
/// How many texts may wait.
const ROOM: usize = 256;

enum Order {
    Open(Box<Drafts>, String),
    Put(String, String),
    Drop(String),
    Flush(SyncSender<()>),
    Close(SyncSender<()>),
}

/// The thread's handle; cheap to clone.
#[derive(Clone, Debug)]
pub struct Typist(SyncSender<Order>);

impl Typist {
    /// Starts the thread.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(clock: Clock) -> io::Result<Self> {
        let (give, take) = sync_channel(ROOM);
        std::thread::Builder::new()
            .name("drafts".into())
            .spawn(move || work(&take, clock))?;
        Ok(Self(give))
    }

    /// Texts go there from now on, as written for this head.
    pub fn open(&self, drafts: Drafts, head: String) {
        let _ = self.0.send(Order::Open(Box::new(drafts), head));
    }

    /// Keeps a text.
    pub fn put(&self, key: String, text: String) {
        let _ = self.0.send(Order::Put(key, text));
    }

    /// Forgets a text that was recorded or thrown away.
    pub fn drop_text(&self, key: String) {
        let _ = self.0.send(Order::Drop(key));
    }

    /// Everything typed so far is on disk after this, or the disk did not answer in time.
    pub fn flush_now(&self) {
        self.wait_for(Order::Flush);
    }

    /// The same for the last time: a file without texts goes.
    pub fn close(&self) {
        self.wait_for(Order::Close);
    }

    fn wait_for(&self, order: impl FnOnce(SyncSender<()>) -> Order) {
        let (done, wait) = sync_channel(1);
        if self.0.try_send(order(done)).is_ok() {
            let _ = wait.recv_timeout(PATIENCE);
        }
    }
}

fn work(orders: &Receiver<Order>, clock: Clock) {
    let mut open: Option<(Drafts, String)> = None;
    loop {
        let due = open.as_ref().and_then(|(drafts, _)| drafts.due());
        let order = match due {
            Some(at) => {
                let left = Duration::from_millis(at.saturating_sub(clock.now_ms()));
                match orders.recv_timeout(left) {
                    Ok(order) => Some(order),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => return,
                }
            }
            None => match orders.recv() {
                Ok(order) => Some(order),
                Err(_) => return,
            },
        };
        let now = clock.now_ms();
        match (order, &mut open) {
            (Some(Order::Open(drafts, head)), _) => open = Some((*drafts, head)),
            (Some(Order::Put(key, text)), Some((drafts, head))) => {
                let _ = drafts.put(&key, head, &text, now);
            }
            (Some(Order::Drop(key)), Some((drafts, head))) => {
                let _ = drafts.drop(&key, head);
            }
            (Some(Order::Put(..) | Order::Drop(_)), None) => {}
            (Some(Order::Flush(done)), open) => {
                if let Some((drafts, _)) = open {
                    let _ = drafts.flush();
                }
                let _ = done.send(());
            }
            (Some(Order::Close(done)), _) => {
                drop(open.take());
                let _ = done.send(());
            }
            (None, Some((drafts, _))) => {
                let _ = drafts.tick(now);
            }
            (None, None) => {}
        }
    }
}
