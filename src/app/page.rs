//! A screen of its own beside the session: it takes keys, wishes for what lies outside, and is
//! composed into a scene. Its loop at the terminal is [`crate::runtime::page`]'s.

use super::key::Key;
use super::scene::Scene;

/// What the terminal does to a screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A key; `repeat` when no person pressed it by itself.
    Key {
        /// Which.
        key: Key,
        /// Held, pasted or typed ahead.
        repeat: bool,
    },
    /// Pasted text.
    Paste(String),
    /// Another size.
    Resize(u16, u16),
    /// The scene is on the terminal.
    Drawn,
    /// The terminal is gone, or a signal came.
    HungUp,
}

/// A screen.
pub trait Page {
    /// What it asks of the outside; the answer is an event.
    type Wish;
    /// What it takes.
    type Event: From<Input>;

    /// Takes one event.
    fn take(&mut self, event: Self::Event) -> Vec<Self::Wish>;

    /// Whether it ended, and whether because the terminal went.
    fn ended(&self) -> Option<bool>;

    /// Its picture.
    fn picture(&self) -> Scene;
}
