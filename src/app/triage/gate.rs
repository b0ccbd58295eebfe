//! One gate message as it is looked at: its cursor, its view, the reply it has.

use std::sync::Arc;

use crate::app::command::Command;
use crate::gate::menu::levers::Lever;
use crate::gate::menu::reply::Scope;
use crate::gate::menu::{HOTFIX, VERDICT_MENU};
use crate::gate::report::{Given, Linted, lint};
use crate::model::known::Known;
use crate::model::menu::{Message, Reply, Row, Token};
use crate::model::text::Foreign;

/// What the upper part shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// The report above the menu.
    Report,
    /// What the linter says, and what a person has to look at.
    Lint,
    /// The whole message.
    Raw,
    /// The record of the run, where one was handed in.
    Record,
}

/// One message that waits.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The file it came in.
    pub name: Foreign,
    /// The message.
    pub message: Arc<Message>,
    /// The linter's word on it, when it is a verdict.
    pub linted: Option<Linted>,
    /// The head it is about.
    pub head: Option<String>,
    /// Index of the row under the cursor.
    pub selected: usize,
    /// First row of the upper part on screen.
    pub scroll: usize,
    /// First row of the menu on screen; it follows the cursor while there is none.
    pub menu_top: Option<usize>,
    /// What the upper part shows.
    pub view: View,
    /// The reply, once it was given and the message still stood.
    pub answer: Option<Answered>,
    /// Why nothing can be replied any more.
    pub stale: Option<String>,
    /// What the record of the run says.
    pub record: Known<Vec<String>>,
    /// Its place among those that wait, and how many they are; for its title.
    pub place: Option<(usize, usize)>,
}

/// A reply and the words it was given in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answered {
    /// What it means.
    pub reply: Reply,
    /// As typed.
    pub typed: String,
}

impl Answered {
    /// Whether it gives up a criterion.
    #[must_use]
    pub fn gives_up(&self) -> bool {
        matches!(self.reply, Reply::Token(Token::Abandon { .. }))
    }

    /// What sends it. Giving up a criterion edits the contract, so it has a key of its own.
    #[must_use]
    pub fn sends(&self) -> Command {
        if self.gives_up() {
            Command::Abandon
        } else {
            Command::Ratify
        }
    }
}

impl Gate {
    /// A message as it was read, about this head.
    #[must_use]
    pub fn new(name: Foreign, message: Arc<Message>, head: Option<String>) -> Self {
        let verdict = message
            .gate()
            .is_some_and(|gate| gate.name() == VERDICT_MENU);
        let linted = verdict.then(|| lint(message.text.raw(), &Given::default()));
        let selected = message.rows.iter().position(|row| row.recommended);
        Self {
            selected: selected.unwrap_or(0),
            name,
            linted,
            message,
            head,
            scroll: 0,
            menu_top: None,
            view: View::Report,
            answer: None,
            stale: None,
            record: Known::NotSupplied,
            place: None,
        }
    }

    /// What the upper part can show.
    #[must_use]
    pub fn views(&self) -> &'static [View] {
        match self.record {
            Known::NotSupplied => &[View::Report, View::Lint, View::Raw],
            _ => &[View::Report, View::Lint, View::Raw, View::Record],
        }
    }

    /// Shows the view that is so many places further.
    pub fn turn(&mut self, by: usize) {
        let views = self.views();
        let at = views.iter().position(|view| *view == self.view);
        let next = (at.unwrap_or(0) + by) % views.len();
        self.view = views.get(next).copied().unwrap_or(View::Report);
        self.scroll = 0;
    }

    /// Moves the cursor over the rows.
    pub fn step(&mut self, by: isize) {
        let last = self.message.rows.len().saturating_sub(1);
        self.menu_top = None;
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    /// Puts the cursor on the row of this number; whether there is one.
    pub fn select(&mut self, n: u32) -> bool {
        let at = self.message.rows.iter().position(|row| row.n == n);
        self.menu_top = None;
        self.selected = at.unwrap_or(self.selected);
        at.is_some()
    }

    /// The place of the row that ends it without an answer.
    #[must_use]
    pub fn silent(&self) -> Option<usize> {
        self.message.rows.iter().position(|row| {
            let label = String::from_utf8_lossy(row.label.raw()).to_lowercase();
            label.starts_with("finish ") || label == "stop"
        })
    }

    /// The row under the cursor, when it says that it cannot be picked.
    #[must_use]
    pub fn closed_row(&self) -> Option<u32> {
        let row = self.message.rows.get(self.selected)?;
        row.unavailable.is_some().then_some(row.n)
    }

    /// Puts the cursor on the row that ends it without an answer; whether there is one.
    pub fn select_silent(&mut self) -> bool {
        let at = self.silent();
        self.selected = at.unwrap_or(self.selected);
        at.is_some()
    }

    /// The row that takes `as a PR`.
    #[must_use]
    pub fn hotfix(&self) -> Option<&Row> {
        let hotfix = HOTFIX.as_bytes();
        let mut rows = self.message.rows.iter();
        rows.find(|row| row.label.raw().eq_ignore_ascii_case(hotfix))
    }

    /// Whether it can be picked so.
    #[must_use]
    pub fn takes_pr(&self) -> bool {
        self.hotfix().is_some_and(|row| row.unavailable.is_none())
    }

    /// Whether anything can be done here beside a pick.
    #[must_use]
    pub fn levers(&self) -> bool {
        let mut levers = Lever::ALL.into_iter();
        levers.any(|lever| lever.closed(&self.message).is_none())
    }

    /// What the key that sends would type here: the number of the row under the cursor, or the
    /// one thing that a draft asks for.
    #[must_use]
    pub fn would_type(&self) -> Option<String> {
        match self.message.rows.get(self.selected) {
            Some(row) => Some(row.n.to_string()),
            None if Scope::of(&self.message) == Scope::Draft => Some("send it".into()),
            None => None,
        }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.answer.is_some() || self.stale.is_some()
    }
}
