//! The triage screen: gate messages that wait for a person, one or several, and the replies to
//! them. A reply belongs to the message it was given on and can reach no other.
//!
//! State and keys are here, the picture in [`scene`]; nothing looks at the disk. Whether a
//! message and its head still stand is asked through [`Wish::Verify`] before a reply counts, and
//! once more before it is delivered.

mod boxes;
mod levers;
pub mod scene;
pub mod text;

use crate::app::key::{Code, Key};
use crate::app::page::{Input, Page};
use crate::app::scene::Scene;
use crate::gate::menu::reply::{Scope, reply};
use crate::gate::menu::{HOTFIX, VERDICT_MENU};
use crate::gate::report::{Given, Linted, lint};
use crate::model::menu::{Message, Reply, Token};
use crate::model::text::Foreign;

use text::Text;

/// Most bytes of a reply.
pub const REPLY_BYTES: usize = 64 << 10;

/// What the upper part shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// The report above the menu.
    Report,
    /// What the linter says, and what a person has to look at.
    Lint,
    /// The whole message.
    Raw,
}

/// One message that waits.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The file it came in.
    pub name: Foreign,
    /// The message.
    pub message: Message,
    /// The linter's word on it, when it is a verdict.
    pub linted: Option<Linted>,
    /// The head it is about.
    pub head: Option<String>,
    /// Index of the row under the cursor.
    pub selected: usize,
    /// First row of the upper part on screen.
    pub scroll: usize,
    /// What the upper part shows.
    pub view: View,
    /// The reply, once it was given and the message still stood.
    pub answer: Option<Answered>,
    /// Why nothing can be replied any more.
    pub stale: Option<String>,
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
}

impl Gate {
    /// A message as it was read, about this head.
    #[must_use]
    pub fn new(name: Foreign, message: Message, head: Option<String>) -> Self {
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
            view: View::Report,
            answer: None,
            stale: None,
        }
    }

    fn is_settled(&self) -> bool {
        self.answer.is_some() || self.stale.is_some()
    }
}

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
    pub fn new(size: (u16, u16), ascii: bool, gates: Vec<Gate>) -> Self {
        Self {
            size,
            ascii,
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
            self.notice = Some("A paste is text: b opens a box for words.".into());
            return;
        };
        if !text.insert(pasted, REPLY_BYTES) {
            self.notice = Some(format!(
                "A reply has at most {REPLY_BYTES} bytes; cut there."
            ));
        }
    }

    fn key(&mut self, key: Key, repeat: bool) -> Vec<Wish> {
        if self.too_small() {
            if key == Key::char('q') && self.mode == Mode::Browse {
                return self.leave();
            }
            return Vec::new();
        }
        match self.mode.clone() {
            Mode::Browse => self.browse(key, repeat),
            Mode::Write(text) => self.write(text, key, repeat),
            Mode::Levers => self.levers(key),
            Mode::Confirm(answered) => self.confirm(answered, key, repeat),
        }
    }

    fn browse(&mut self, key: Key, repeat: bool) -> Vec<Wish> {
        match (key.code, key.ctrl) {
            (Code::Char('q'), false) => return self.leave(),
            (Code::Char('n'), false) => self.next(1),
            (Code::Char('N'), false) => self.next(self.gates.len().saturating_sub(1)),
            (Code::Char('j') | Code::Down, false) => self.move_by(1),
            (Code::Char('k') | Code::Up, false) => self.move_by(-1),
            (Code::PageDown, _) | (Code::Char('d'), true) => self.scroll_by(self.page()),
            (Code::PageUp, _) | (Code::Char('u'), true) => self.scroll_by(-self.page()),
            (Code::Char('J'), false) => self.scroll_by(1),
            (Code::Char('K'), false) => self.scroll_by(-1),
            (Code::Tab, false) => self.turn(if key.shift { 2 } else { 1 }),
            (Code::Char(digit @ '1'..='9'), false) => self.go_to_row(digit),
            (Code::Char('r'), false) => return self.send(repeat),
            (Code::Char('p'), false) => return self.as_pr(repeat),
            (Code::Char('b'), false) => self.open_box(),
            (Code::Char('a'), false) => self.go_to_silent(),
            (Code::Char('m'), false) => self.open_levers(),
            (Code::Char('u'), false) => self.take_back(),
            (Code::Esc, _) => {
                self.notice = Some("Nothing was sent. q leaves.".into());
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
            let last = gate.message.rows.len().saturating_sub(1);
            gate.selected = gate.selected.saturating_add_signed(by).min(last);
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
            let views = [View::Report, View::Lint, View::Raw];
            let at = views
                .iter()
                .position(|view| *view == gate.view)
                .unwrap_or(0);
            gate.view = views
                .get((at + by) % views.len())
                .copied()
                .unwrap_or(View::Report);
            gate.scroll = 0;
        }
    }

    fn go_to_row(&mut self, digit: char) {
        let n = digit.to_digit(10).unwrap_or(0);
        let found = self
            .gate()
            .and_then(|gate| gate.message.rows.iter().position(|row| row.n == n));
        match (found, self.here()) {
            (Some(at), Some(gate)) => gate.selected = at,
            _ => self.notice = Some(format!("There is no row {n}.")),
        }
    }

    /// To the row that ends it without an answer.
    fn go_to_silent(&mut self) {
        let found = self.gate().and_then(|gate| {
            gate.message.rows.iter().position(|row| {
                let label = String::from_utf8_lossy(row.label.raw()).to_lowercase();
                label.starts_with("finish ") || label == "stop"
            })
        });
        match (found, self.here()) {
            (Some(at), Some(gate)) => {
                gate.selected = at;
                self.notice = Some("r sends this row.".into());
            }
            _ => self.notice = Some("This menu has no row that ends it.".into()),
        }
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
            "Nothing can be sent here any more. n next gate, q leaves.".into()
        } else {
            "This gate has its reply. u takes it back.".into()
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
            return self.say("That key came too fast. Press r again.");
        }
        let row = gate.message.rows.get(gate.selected);
        match row {
            Some(row) => {
                let typed = row.n.to_string();
                self.given(&typed)
            }
            None if Scope::of(&gate.message) == Scope::Draft => {
                self.mode = Mode::Confirm(Answered {
                    reply: reply(&gate.message, "send it"),
                    typed: "send it".into(),
                });
                Vec::new()
            }
            None => self.say("There are no rows here. b opens a box for words."),
        }
    }

    fn as_pr(&mut self, repeat: bool) -> Vec<Wish> {
        let found = self.gate().and_then(|gate| {
            let label = |raw: &[u8]| raw.eq_ignore_ascii_case(HOTFIX.as_bytes());
            let row = gate
                .message
                .rows
                .iter()
                .find(|row| label(row.label.raw()))?;
            Some((row.n, gate.is_settled()))
        });
        match found {
            Some((_, true)) => {
                self.settled();
                Vec::new()
            }
            Some(_) if repeat || self.drawn != Some(self.at) => {
                self.say("That key came too fast. Press p again.")
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
                self.say("That row cannot be picked. b says in words what to change.")
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

    fn write(&mut self, mut text: Text, key: Key, repeat: bool) -> Vec<Wish> {
        let finish = matches!((key.code, key.ctrl), (Code::Char('s' | 'd'), true))
            || (key.code == Code::Enter && key.alt);
        if finish {
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
        if key.code == Code::Esc {
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

    fn confirm(&mut self, answered: Answered, key: Key, repeat: bool) -> Vec<Wish> {
        // giving up a criterion edits the contract, so it has a key of its own
        let sends = if answered.gives_up() { 'a' } else { 'r' };
        match key.code {
            Code::Char(pressed) if pressed == sends && !key.ctrl && !repeat => {
                self.mode = Mode::Browse;
                self.pending = Some((self.at, answered));
                vec![Wish::Verify(self.at)]
            }
            Code::Esc => {
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
                self.notice = Some("Answered. It goes out when you leave; u takes it back.".into());
                self.at = next;
                self.drawn = None;
                Vec::new()
            }
            None if self.gates.len() == 1 => {
                self.left = Some(Left::Leave);
                Vec::new()
            }
            None => self.say("Every gate is answered. q delivers, u takes this one back."),
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
