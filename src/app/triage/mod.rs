//! The triage screen: gate messages that wait for a person, one or several, and the replies to
//! them. A reply belongs to the message it was given on and can reach no other.
//!
//! State and keys are here, the picture in [`scene`]; nothing looks at the disk. Whether a
//! message and its head still stand is asked through [`Wish::Verify`] before a reply counts, and
//! once more before it is delivered.

pub mod boxes;
mod gate;
mod levers;
pub mod parts;
pub mod scene;
pub mod text;

use crate::app::command::{Command, Context};
use crate::app::key::Key;
use crate::app::keymap::Keymap;
use crate::app::page::{Input, Page};
use crate::app::scene::Scene;
use crate::gate::menu::reply::reply;
use crate::model::menu::Reply;

pub use gate::{Answered, Gate, View};
use text::Text;

/// Most bytes of a reply.
pub const REPLY_BYTES: usize = 64 << 10;

/// What takes the keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Report and menu.
    Browse,
    /// Words are written.
    Write(Text),
    /// What can be done beside a pick.
    Levers,
    /// A reply is shown as it would be sent.
    Confirm(Answered),
}

/// Something that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// From the terminal.
    Terminal(Input),
    /// Whether the message of a gate and its head still stand: `None`, or why not.
    Verified(usize, Option<String>),
}

impl From<Input> for Event {
    fn from(given: Input) -> Self {
        Self::Terminal(given)
    }
}

impl Page for Triage {
    type Wish = Wish;
    type Event = Event;

    fn take(&mut self, event: Event) -> Vec<Wish> {
        self.feed(event)
    }

    fn ended(&self) -> Option<bool> {
        self.left.map(|left| left == Left::HungUp)
    }

    fn picture(&self) -> Scene {
        scene::compose(self)
    }
}

/// What has to be looked at outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wish {
    /// Whether this gate's message and head still stand.
    Verify(usize),
}

/// How the screen ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    /// By the person, or because everything was answered.
    Leave,
    /// The terminal went away: nothing is delivered.
    HungUp,
}

/// The whole state.
#[derive(Clone, Debug)]
pub struct Triage {
    /// Columns and rows.
    pub size: (u16, u16),
    /// Only ASCII may be drawn.
    pub ascii: bool,
    /// Which key is which command.
    pub keys: Keymap,
    /// The messages, in the order they were given.
    pub gates: Vec<Gate>,
    /// Index of the one on the screen.
    pub at: usize,
    /// What takes the keys.
    pub mode: Mode,
    /// What the last key did, when that is not plain to see.
    pub notice: Option<String>,
    /// How it ended.
    pub left: Option<Left>,
    /// The gate whose frame is on the terminal.
    drawn: Option<usize>,
    /// A reply that waits for its message to be looked at again.
    pending: Option<(usize, Answered)>,
    /// Gates still to be looked at before leaving.
    leaving: Vec<usize>,
}

impl Triage {
    /// The screen on its first gate.
    #[must_use]
    pub fn new(size: (u16, u16), ascii: bool, keys: Keymap, gates: Vec<Gate>) -> Self {
        Self {
            size,
            ascii,
            keys,
            gates,
            at: 0,
            mode: Mode::Browse,
            notice: None,
            left: None,
            drawn: None,
            pending: None,
            leaving: Vec::new(),
        }
    }

    /// The gate on the screen.
    #[must_use]
    pub fn gate(&self) -> Option<&Gate> {
        self.gates.get(self.at)
    }

    /// How many gates have their reply.
    #[must_use]
    pub fn answered(&self) -> usize {
        self.gates
            .iter()
            .filter(|gate| gate.answer.is_some())
            .count()
    }

    /// Whether the screen is too small to decide on.
    #[must_use]
    pub fn too_small(&self) -> bool {
        self.size.0 < 40 || self.size.1 < 10
    }

    /// Takes one event.
    pub fn feed(&mut self, event: Event) -> Vec<Wish> {
        match event {
            Event::Terminal(Input::Resize(columns, rows)) => {
                self.size = (columns, rows);
                self.drawn = None;
                self.scroll_by(0);
                Vec::new()
            }
            Event::Terminal(Input::Drawn) => {
                self.drawn = Some(self.at);
                Vec::new()
            }
            Event::Terminal(Input::HungUp) => {
                self.left = Some(Left::HungUp);
                Vec::new()
            }
            Event::Verified(gate, refusal) => self.verified(gate, refusal),
            Event::Terminal(Input::Paste(text)) => {
                self.paste(&text);
                Vec::new()
            }
            Event::Terminal(Input::Key { key, repeat }) => {
                if self.pending.is_some() || !self.leaving.is_empty() {
                    return Vec::new();
                }
                self.notice = None;
                self.key(key, repeat)
            }
        }
    }

    fn say(&mut self, notice: impl Into<String>) -> Vec<Wish> {
        self.notice = Some(notice.into());
        Vec::new()
    }

    fn paste(&mut self, pasted: &str) {
        let Mode::Write(text) = &mut self.mode else {
            let key = self.shown(Command::KickBack);
            self.notice = Some(format!("A paste is text: {key} opens a box for words."));
            return;
        };
        if !text.insert(pasted, REPLY_BYTES) {
            self.notice = Some(format!(
                "A reply has at most {REPLY_BYTES} bytes; cut there."
            ));
        }
    }

    /// The key of a command, for a sentence.
    fn shown(&self, command: Command) -> String {
        self.keys.shown(command)
    }

    fn key(&mut self, key: Key, repeat: bool) -> Vec<Wish> {
        let contexts: &[Context] = match self.mode {
            Mode::Browse => &[Context::Browse, Context::Moves, Context::Always],
            Mode::Write(_) => &[Context::Note, Context::Always],
            Mode::Levers => &[Context::Menu, Context::Always],
            Mode::Confirm(_) => &[Context::Confirm, Context::Always],
        };
        let command = self.keys.command(contexts, key);
        if self.too_small() {
            if command == Some(Command::Leave) && self.mode == Mode::Browse {
                return self.leave();
            }
            return Vec::new();
        }
        match self.mode.clone() {
            Mode::Browse => self.browse(key, command, repeat),
            Mode::Write(text) => self.write(text, key, command, repeat),
            Mode::Levers => self.pull(key, command),
            Mode::Confirm(answered) => self.confirm(answered, command, repeat),
        }
    }

    fn browse(&mut self, key: Key, command: Option<Command>, repeat: bool) -> Vec<Wish> {
        let digit = command.and_then(Command::digit).map(u32::from);
        let typed = key.typed().and_then(|typed| typed.to_digit(10));
        if let Some(n) = digit.or_else(|| typed.filter(|_| command.is_none())) {
            if !self.here().is_some_and(|gate| gate.select(n)) {
                self.notice = Some(format!("There is no row {n}."));
            }
            return Vec::new();
        }
        match command {
            Some(Command::Leave | Command::Quit) => return self.leave(),
            Some(Command::OwedNext) => self.next(1),
            Some(Command::OwedPrev) => self.next(self.gates.len().saturating_sub(1)),
            Some(Command::Down) => self.move_by(1),
            Some(Command::Up) => self.move_by(-1),
            Some(Command::PageDown | Command::HalfDown) => self.scroll_by(self.page()),
            Some(Command::PageUp | Command::HalfUp) => self.scroll_by(-self.page()),
            Some(Command::Top) => self.scroll_by(isize::MIN),
            Some(Command::Bottom) => self.scroll_by(isize::MAX),
            Some(Command::PaneNext) => self.turn(1),
            Some(Command::PanePrev) => self.turn(usize::MAX),
            Some(Command::Ratify) => return self.send(repeat),
            Some(Command::PickEvidence) => return self.as_pr(repeat),
            Some(Command::KickBack) => self.open_box(),
            Some(Command::Abandon) => self.go_to_silent(),
            Some(Command::Rulings) => self.open_levers(),
            Some(Command::Undo) => self.take_back(),
            Some(Command::GoOut) => {
                let key = self.shown(Command::Leave);
                self.notice = Some(format!("Nothing was sent. {key} leaves."));
            }
            _ => {}
        }
        Vec::new()
    }

    fn here(&mut self) -> Option<&mut Gate> {
        self.gates.get_mut(self.at)
    }

    fn next(&mut self, by: usize) {
        if self.gates.len() < 2 {
            self.notice = Some("There is one gate.".into());
            return;
        }
        self.at = (self.at + by) % self.gates.len();
        self.drawn = None;
    }

    fn move_by(&mut self, by: isize) {
        if let Some(gate) = self.here() {
            gate.step(by);
        }
    }

    fn page(&self) -> isize {
        let rows = scene::layout(self).upper;
        isize::try_from(rows.saturating_sub(1).max(1)).unwrap_or(1)
    }

    fn scroll_by(&mut self, by: isize) {
        let layout = scene::layout(self);
        let most = layout.total.saturating_sub(layout.upper);
        if let Some(gate) = self.here() {
            gate.scroll = gate.scroll.saturating_add_signed(by).min(most);
        }
    }

    fn turn(&mut self, by: usize) {
        if let Some(gate) = self.here() {
            let places = gate.views().len();
            gate.turn(by.min(places - 1));
        }
    }

    /// To the row that ends it without an answer.
    fn go_to_silent(&mut self) {
        let key = self.shown(Command::Ratify);
        self.notice = Some(if self.here().is_some_and(Gate::select_silent) {
            format!("{key} sends this row.")
        } else {
            "This menu has no row that ends it.".into()
        });
    }

    fn open_box(&mut self) {
        match self.gate() {
            Some(gate) if gate.is_settled() => self.settled(),
            Some(_) => self.mode = Mode::Write(Text::default()),
            None => {}
        }
    }

    fn settled(&mut self) {
        let stale = self.gate().is_some_and(|gate| gate.stale.is_some());
        self.notice = Some(if stale {
            let (next, leave) = (self.shown(Command::OwedNext), self.shown(Command::Leave));
            format!("Nothing can be sent here any more. {next} next gate, {leave} leaves.")
        } else {
            let undo = self.shown(Command::Undo);
            format!("This gate has its reply. {undo} takes it back.")
        });
    }

    fn take_back(&mut self) {
        let taken = self.here().and_then(|gate| gate.answer.take());
        self.notice = Some(match taken {
            Some(_) => "Taken back: nothing was sent.".into(),
            None => "There is nothing to take back.".into(),
        });
    }

    /// What the row under the cursor, or the one thing this gate asks for, would send.
    fn send(&mut self, repeat: bool) -> Vec<Wish> {
        let Some(gate) = self.gate() else {
            return Vec::new();
        };
        if gate.is_settled() {
            self.settled();
            return Vec::new();
        }
        if repeat || self.drawn != Some(self.at) {
            let key = self.shown(Command::Ratify);
            return self.say(format!("That key came too fast. Press {key} again."));
        }
        match gate.would_type() {
            Some(typed) => self.given(&typed),
            None => {
                let key = self.shown(Command::KickBack);
                self.say(format!(
                    "There are no rows here. {key} opens a box for words."
                ))
            }
        }
    }

    fn as_pr(&mut self, repeat: bool) -> Vec<Wish> {
        let found = self.gate().and_then(|gate| {
            let row = gate.hotfix()?;
            Some((row.n, gate.is_settled()))
        });
        match found {
            Some((_, true)) => {
                self.settled();
                Vec::new()
            }
            Some(_) if repeat || self.drawn != Some(self.at) => {
                let key = self.shown(Command::PickEvidence);
                self.say(format!("That key came too fast. Press {key} again."))
            }
            Some((n, false)) => self.given(&format!("{n} as a PR")),
            None => self.say("`as a PR` goes with the hotfix row, which is not here."),
        }
    }

    /// A reply was given: what it means decides whether it goes out, is shown first, or is none.
    fn given(&mut self, typed: &str) -> Vec<Wish> {
        let Some(gate) = self.gate() else {
            return Vec::new();
        };
        let meaning = reply(&gate.message, typed);
        match &meaning {
            Reply::Pick { .. } => {
                self.pending = Some((
                    self.at,
                    Answered {
                        reply: meaning,
                        typed: typed.to_owned(),
                    },
                ));
                vec![Wish::Verify(self.at)]
            }
            Reply::Invalid { why, .. } => {
                let why = why.clone();
                self.say(format!("Not sent: {why}."))
            }
            Reply::Empty => self.say("Only blanks: nothing to send."),
            Reply::ChangeRequest(_) if typed.parse::<u32>().is_ok() => {
                let key = self.shown(Command::KickBack);
                self.say(format!(
                    "That row cannot be picked. {key} says in words what to change."
                ))
            }
            _ => {
                self.mode = Mode::Confirm(Answered {
                    reply: meaning,
                    typed: typed.to_owned(),
                });
                Vec::new()
            }
        }
    }

    fn write(
        &mut self,
        mut text: Text,
        key: Key,
        command: Option<Command>,
        repeat: bool,
    ) -> Vec<Wish> {
        if command == Some(Command::NoteDone) {
            if repeat {
                return self.say("That key came too fast. Press it again.");
            }
            let Some(gate) = self.gate() else {
                return Vec::new();
            };
            let meaning = reply(&gate.message, &text.text);
            return match meaning {
                Reply::Empty => self.say("Only blanks: nothing to send."),
                Reply::Invalid { why, .. } => self.say(format!("Not sent: {why}.")),
                other => {
                    self.mode = Mode::Confirm(Answered {
                        reply: other,
                        typed: text.text,
                    });
                    Vec::new()
                }
            };
        }
        if command == Some(Command::NoteDrop) {
            self.mode = Mode::Write(Text::default());
            return self.say("Thrown away.");
        }
        if matches!(command, Some(Command::NoteLeave | Command::Quit)) {
            let lost = !text.text.trim().is_empty();
            self.mode = Mode::Browse;
            return if lost {
                self.say("The words were not sent.")
            } else {
                Vec::new()
            };
        }
        let room = text.key(key, REPLY_BYTES);
        self.mode = Mode::Write(text);
        if room {
            Vec::new()
        } else {
            self.say(format!("A reply has at most {REPLY_BYTES} bytes."))
        }
    }

    fn confirm(&mut self, answered: Answered, command: Option<Command>, repeat: bool) -> Vec<Wish> {
        match command {
            Some(pressed) if pressed == answered.sends() && !repeat => {
                self.mode = Mode::Browse;
                self.pending = Some((self.at, answered));
                vec![Wish::Verify(self.at)]
            }
            Some(Command::GoOut | Command::Quit) => {
                self.mode = Mode::Write(Text::of(answered.typed));
                self.say("Nothing was sent.")
            }
            _ => Vec::new(),
        }
    }

    fn verified(&mut self, at: usize, refusal: Option<String>) -> Vec<Wish> {
        let pending = self.pending.take_if(|(gate, _)| *gate == at);
        let stale = refusal.is_some();
        if let Some(gate) = self.gates.get_mut(at) {
            if let Some(why) = refusal {
                gate.answer = None;
                gate.stale = Some(why);
            } else if let Some((_, answered)) = pending {
                gate.answer = Some(answered);
            }
        }
        if !self.leaving.is_empty() {
            self.leaving.retain(|gate| *gate != at);
            if self.leaving.is_empty() {
                self.left = Some(Left::Leave);
            }
            return Vec::new();
        }
        if stale {
            return self.say("Nothing was sent: the reply was for what stood there before.");
        }
        let next = self.gates.iter().position(|gate| !gate.is_settled());
        match next {
            Some(next) => {
                let undo = self.shown(Command::Undo);
                self.notice = Some(format!(
                    "Answered. It goes out when you leave; {undo} takes it back."
                ));
                self.at = next;
                self.drawn = None;
                Vec::new()
            }
            None if self.gates.len() == 1 => {
                self.left = Some(Left::Leave);
                Vec::new()
            }
            None => {
                let (leave, undo) = (self.shown(Command::Leave), self.shown(Command::Undo));
                self.say(format!(
                    "Every gate is answered. {leave} delivers, {undo} takes this one back."
                ))
            }
        }
    }

    /// Leaves; what was answered is looked at once more first.
    fn leave(&mut self) -> Vec<Wish> {
        let answered: Vec<usize> = (0..self.gates.len())
            .filter(|at| {
                self.gates
                    .get(*at)
                    .is_some_and(|gate| gate.answer.is_some())
            })
            .collect();
        if answered.is_empty() {
            self.left = Some(Left::Leave);
            return Vec::new();
        }
        self.leaving.clone_from(&answered);
        answered.into_iter().map(Wish::Verify).collect()
    }
}

#[cfg(test)]
mod tests;
