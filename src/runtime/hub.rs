//! Where everything that happens outside the loop arrives: one bounded channel.

use tokio::sync::mpsc;

use crate::adapters::signer::Handover;
use crate::app::msg::Msg;
use crate::model::id::Ticket;

/// Something from a thread, a child or the system.
#[derive(Debug)]
pub enum News {
    /// A message for the session.
    Msg(Msg),
    /// A slow terminal took the rest of a frame.
    Drained,
    /// A signal: its number.
    Signal(i32),
    /// The terminal is gone.
    HungUp,
    /// Stop like any program, as if Ctrl-Z had been pressed.
    Stop,
    /// Going on after having been stopped.
    Back,
    /// The terminal has another size.
    Resized,
    /// The editor closed: whether it ended well.
    EditorClosed(bool),
    /// A signature for which the person has to be asked on the terminal.
    Seal(Ticket, Box<Handover>),
}

/// The sending end; cheap to clone.
#[derive(Clone, Debug)]
pub struct Hub(mpsc::Sender<News>);

/// How many pieces of news may wait. Whoever produces more waits itself.
const ROOM: usize = 256;

impl Hub {
    /// A hub and its receiving end.
    #[must_use]
    pub fn new() -> (Self, mpsc::Receiver<News>) {
        let (give, take) = mpsc::channel(ROOM);
        (Self(give), take)
    }

    /// Tells from a thread; waits while the hub is full.
    pub fn tell(&self, news: News) {
        let _ = self.0.blocking_send(news);
    }

    /// Tells a message from a thread.
    pub fn say(&self, msg: Msg) {
        self.tell(News::Msg(msg));
    }

    /// Tells from a task of the loop's own thread.
    pub async fn send(&self, news: News) {
        let _ = self.0.send(news).await;
    }

    /// Tells without waiting, where a lost word does no harm because a later one repeats it.
    pub fn hint(&self, news: News) {
        let _ = self.0.try_send(news);
    }
}
