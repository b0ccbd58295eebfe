//! The queue screen: what agents asserted and no person answered, across repositories. Each row
//! opens its session, or is opened, ratified and sent back here.
//!
//! State and keys are here, the picture in [`scene`]; nothing looks at the disk. What has to be
//! read or written is asked for by a [`Wish`] and comes back as an [`Event`]. Nothing is ratified
//! that was not on the screen whole, nothing without the person's own words, and what moved since
//! it was shown is refused by whoever fulfils the wish.

mod answers;
mod boxes;
mod pages;
pub mod scene;

use crate::app::key::{Code, Key};
use crate::app::page::Input;
use crate::app::scene::Scene;
use crate::app::triage::text::Text;

pub use pages::{Line, Page, Tone};

/// Most bytes of the words of a kick-back.
pub const WORDS: usize = 16 << 10;

/// What can be done with a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opens {
    /// It is opened and answered here.
    Here,
    /// Its session opens.
    Session,
    /// Its worktree is gone or holds something else.
    Nowhere,
}

/// What became of a row since the list was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Became {
    /// It waits.
    Waits,
    /// The person answered it.
    Answered(&'static str),
    /// What it is about moved; it has to be read again.
    Moved,
}

/// A row: texts are fit to be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// `high`, `med` or `low`; `?` for what could not be read.
    pub risk: &'static str,
    /// The repository.
    pub repo: String,
    /// The change or change request.
    pub change: String,
    /// Gate, verdict and subject.
    pub asserted: String,
    /// Why the risk is what it is.
    pub why: String,
    /// The reasons of the agent.
    pub says: Vec<String>,
    /// Why ratifying is never offered, as the list was read; empty when it is.
    pub closed: Vec<String>,
    /// What can be done with it.
    pub opens: Opens,
    /// What became of it.
    pub became: Became,
}

/// What the person does with an opened row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// It stands.
    Ratify,
    /// It goes back with this cause (its index) and the words in the box.
    SendBack(usize),
}

/// What would be written, with the challenge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Line by line.
    pub lines: Vec<Line>,
    /// What has to be typed.
    pub wanted: String,
    /// First row on the screen.
    pub scroll: usize,
    /// What was typed so far.
    pub typed: String,
    /// What it is a plan for.
    pub act: Act,
}

/// Why something was not done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// In words, without an end.
    pub why: String,
    /// Whether what was shown moved since.
    pub moved: bool,
}

impl Refused {
    /// What was shown moved.
    #[must_use]
    pub fn moved(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            moved: true,
        }
    }
}

impl From<String> for Refused {
    fn from(why: String) -> Self {
        Self { why, moved: false }
    }
}

impl From<Refused> for String {
    fn from(refused: Refused) -> Self {
        refused.why
    }
}

/// What takes the keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The list.
    List,
    /// An opened row.
    Page,
    /// Cause and words of a kick-back.
    Words(Text, Option<usize>),
    /// What would be written, and the challenge.
    Confirm(Plan),
}

/// Something that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// From the terminal.
    Terminal(Input),
    /// An opened row, or why it cannot be.
    Opened(usize, Result<Page, String>),
    /// What an act would write, or why it is refused.
    Planned(usize, Result<Plan, Refused>),
    /// What was written, or why it was refused.
    Written(usize, Result<Vec<Line>, Refused>),
    /// The list as it is now, and what could not be read.
    Read(Vec<Item>),
}

impl From<Input> for Event {
    fn from(given: Input) -> Self {
        Self::Terminal(given)
    }
}

impl crate::app::page::Page for Queue {
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

/// What has to be done outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wish {
    /// Look at a row.
    Open(usize),
    /// Plan an act; the words are those of a kick-back.
    Plan(usize, Act, String),
    /// Write the plan that was shown.
    Write(usize, Act),
    /// Read the list again.
    Read,
}

/// How the screen ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    /// By the person.
    Leave,
    /// To open the session of a row; the screen comes back after it.
    Session(usize),
    /// The terminal went away.
    HungUp,
}

/// The whole state.
#[derive(Clone, Debug)]
pub struct Queue {
    /// Columns and rows.
    pub size: (u16, u16),
    /// Only ASCII may be drawn.
    pub ascii: bool,
    /// The rows, by risk.
    pub items: Vec<Item>,
    /// How many repositories were looked at.
    pub repositories: usize,
    /// Who decides, or why nobody can.
    pub by: Result<String, String>,
    /// The causes of a kick-back, with what each means.
    pub causes: &'static [(&'static str, &'static str)],
    /// Index of the row under the cursor.
    pub at: usize,
    /// The opened row.
    pub page: Option<Page>,
    /// What takes the keys.
    pub mode: Mode,
    /// What the last key did, when that is not plain to see.
    pub notice: Option<String>,
    /// How it ended.
    pub left: Option<Left>,
    /// Whether the present picture is on the terminal.
    drawn: bool,
    /// What is asked for once the picture that says so is on the terminal.
    next: Option<Wish>,
    /// Whether an answer is awaited.
    busy: bool,
}

impl Queue {
    /// The screen on its first row.
    #[must_use]
    pub fn new(size: (u16, u16), ascii: bool, items: Vec<Item>, repositories: usize) -> Self {
        Self {
            size,
            ascii,
            items,
            repositories,
            by: Err(String::from("nobody is known")),
            causes: &[],
            at: 0,
            page: None,
            mode: Mode::List,
            notice: None,
            left: None,
            drawn: false,
            next: None,
            busy: false,
        }
    }

    /// The row under the cursor.
    #[must_use]
    pub fn item(&self) -> Option<&Item> {
        self.items.get(self.at)
    }

    /// How many rows wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        let waits = |item: &&Item| item.risk != "?" && !matches!(item.became, Became::Answered(_));
        self.items.iter().filter(waits).count()
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
                self.drawn = false;
                if let Some(page) = &mut self.page {
                    page.resized();
                }
                self.scroll_by(0);
            }
            Event::Terminal(Input::Drawn) => {
                self.drawn = true;
                self.looked();
                if let Some(wish) = self.next.take() {
                    self.busy = true;
                    return vec![wish];
                }
            }
            Event::Terminal(Input::HungUp) => self.left = Some(Left::HungUp),
            Event::Terminal(Input::Paste(text)) => self.paste(&text),
            Event::Opened(at, page) => self.opened(at, page),
            Event::Planned(at, plan) => self.planned(at, plan),
            Event::Written(at, lines) => self.written(at, lines),
            Event::Read(items) => {
                self.busy = false;
                self.items = items;
                self.at = self.at.min(self.items.len().saturating_sub(1));
                self.page = None;
                self.mode = Mode::List;
                self.notice = Some(String::from("The list is as it is now."));
            }
            Event::Terminal(Input::Key { key, repeat }) => {
                if self.next.is_none() && !self.busy {
                    self.notice = None;
                    self.key(key, repeat);
                }
            }
        }
        Vec::new()
    }

    fn say(&mut self, notice: impl Into<String>) {
        self.notice = Some(notice.into());
    }

    /// Asks for something once the person can see that it is being done.
    fn ask(&mut self, wish: Wish, notice: &str) {
        self.say(notice);
        self.drawn = false;
        self.next = Some(wish);
    }

    /// Counts the rows of the opened page that are on the terminal.
    fn looked(&mut self) {
        if self.too_small() || self.mode != Mode::Page {
            return;
        }
        let layout = scene::layout(self);
        if let Some(page) = &mut self.page {
            page.looked(&layout.of_line, layout.rows);
        }
    }

    fn paste(&mut self, pasted: &str) {
        match &mut self.mode {
            Mode::Words(text, _) => {
                if !text.insert(pasted, WORDS) {
                    self.say(format!("At most {WORDS} bytes; cut there."));
                }
            }
            Mode::Confirm(_) => self.say("A paste confirms nothing: type it."),
            Mode::List | Mode::Page => self.say("A paste is text; keys decide here."),
        }
    }

    fn key(&mut self, key: Key, repeat: bool) {
        if self.too_small() {
            if key == Key::char('q') {
                self.left = Some(Left::Leave);
            }
            return;
        }
        match self.mode.clone() {
            Mode::List => self.list(key, repeat),
            Mode::Page => self.on_page(key, repeat),
            Mode::Words(text, cause) => self.words(text, cause, key, repeat),
            Mode::Confirm(plan) => self.confirm(plan, key, repeat),
        }
    }

    fn list(&mut self, key: Key, repeat: bool) {
        match (key.code, key.ctrl) {
            (Code::Char('q'), false) => self.left = Some(Left::Leave),
            (Code::Char('j') | Code::Down, false) => self.move_by(1),
            (Code::Char('k') | Code::Up, false) => self.move_by(-1),
            (Code::Char('g') | Code::Home, false) => self.at = 0,
            (Code::Char('G') | Code::End, false) => {
                self.at = self.items.len().saturating_sub(1);
            }
            (Code::Char('n'), false) => self.next_waiting(),
            (Code::Enter | Code::Char('l') | Code::Right, false) => self.enter(repeat),
            (Code::Char('r' | 'b'), false) => {
                self.say("Locked: it was not opened. Enter opens it.");
            }
            (Code::Char('R') | Code::F(5), false) => self.ask(Wish::Read, "Reading the list."),
            (Code::Esc, _) => self.say("q leaves."),
            _ => {}
        }
    }

    fn move_by(&mut self, by: isize) {
        let last = self.items.len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(by).min(last);
    }

    /// To the next row that waits, from the top again after the end.
    fn next_waiting(&mut self) {
        let waits = |item: &Item| {
            item.risk != "?" && item.opens != Opens::Nowhere && item.became == Became::Waits
        };
        let all = self.items.len();
        let found = (1..=all)
            .map(|by| (self.at + by) % all.max(1))
            .find(|at| self.items.get(*at).is_some_and(waits));
        match found {
            Some(at) => {
                self.at = at;
                self.page = None;
                self.mode = Mode::List;
            }
            None => self.say("Nothing else waits. R reads the list again, q leaves."),
        }
    }

    fn enter(&mut self, repeat: bool) {
        let Some(item) = self.item() else {
            return self.say("Nothing waits.");
        };
        if let Became::Answered(how) = item.became {
            return self.say(format!("It was {how}. n goes to the next."));
        }
        match item.opens {
            Opens::Here => self.ask(Wish::Open(self.at), "Reading its change."),
            Opens::Session if repeat => self.say("That key came too fast. Press it again."),
            Opens::Session => self.left = Some(Left::Session(self.at)),
            Opens::Nowhere => {
                self.say("It cannot be opened: its worktree is gone or holds another branch.");
            }
        }
    }

    fn on_page(&mut self, key: Key, repeat: bool) {
        let page = isize::try_from(scene::layout(self).rows.len()).unwrap_or(1);
        match (key.code, key.ctrl) {
            (Code::Char('j') | Code::Down, false) => self.scroll_by(1),
            (Code::Char('k') | Code::Up, false) => self.scroll_by(-1),
            (Code::PageDown | Code::Char(' '), _) | (Code::Char('d' | 'f'), true) => {
                self.scroll_by((page - 1).max(1));
            }
            (Code::PageUp, _) | (Code::Char('u' | 'b'), true) => self.scroll_by(1 - page.max(2)),
            (Code::Char('g') | Code::Home, false) => self.scroll_by(isize::MIN / 2),
            (Code::Char('G') | Code::End, false) => self.scroll_by(isize::MAX / 2),
            (Code::Esc | Code::Char('h' | 'q') | Code::Left, false) => {
                self.mode = Mode::List;
                self.page = None;
            }
            (Code::Char('n'), false) => self.next_waiting(),
            (Code::Char('r'), false) => self.ratify(repeat),
            (Code::Char('b'), false) => self.send_back(repeat),
            (Code::Char('R') | Code::F(5), false) => {
                self.ask(Wish::Open(self.at), "Reading its change.");
            }
            _ => {}
        }
    }

    fn scroll_by(&mut self, by: isize) {
        let layout = scene::layout(self);
        let most = layout.total.saturating_sub(layout.room);
        match (&mut self.mode, &mut self.page) {
            (Mode::Confirm(plan), _) => {
                plan.scroll = plan.scroll.saturating_add_signed(by).min(most);
            }
            (_, Some(page)) => page.scroll = page.scroll.saturating_add_signed(by).min(most),
            _ => {}
        }
    }

    /// Why nothing can be decided on the opened page now, or nothing.
    fn held(&self, repeat: bool) -> Option<String> {
        let page = self.page.as_ref()?;
        if let Err(why) = &self.by {
            return Some(format!("Refused: {why}."));
        }
        if let Some(rows) = page.unseen() {
            return Some(format!(
                "Locked: {rows} lines were not on screen. PgDn shows them."
            ));
        }
        (repeat || !self.drawn).then(|| String::from("That key came too fast. Press it again."))
    }

    /// Whether ratifying is open, locked or closed, in words.
    #[must_use]
    pub fn state_of_ratify(&self) -> (&'static str, String) {
        let Some(page) = &self.page else {
            return ("locked", String::from("it was not opened"));
        };
        if let Some(first) = page.closed.first() {
            let more = match page.closed.len() {
                1 => String::new(),
                all => format!(" and {} more", all - 1),
            };
            return ("closed", format!("{first}{more}"));
        }
        match page.unseen() {
            Some(rows) => ("locked", format!("{rows} lines were not on screen")),
            None => ("open", String::new()),
        }
    }

    fn ratify(&mut self, repeat: bool) {
        let Some(page) = &self.page else { return };
        if !page.closed.is_empty() {
            let why = page.closed.join("; ");
            return self.say(format!("Closed: {why}."));
        }
        match self.held(repeat) {
            Some(why) => self.say(why),
            None => {
                let wish = Wish::Plan(self.at, Act::Ratify, String::new());
                self.ask(wish, "Looking whether it moved.");
            }
        }
    }

    fn send_back(&mut self, repeat: bool) {
        match self.held(repeat) {
            Some(why) => self.say(why),
            None if self.page.is_some() => self.mode = Mode::Words(Text::default(), None),
            None => {}
        }
    }

    fn words(&mut self, mut text: Text, cause: Option<usize>, key: Key, repeat: bool) {
        let finish = matches!((key.code, key.ctrl), (Code::Char('s' | 'd'), true))
            || (key.code == Code::Enter && key.alt);
        let all = self.causes.len().max(1);
        if finish {
            if repeat {
                return self.say("That key came too fast. Press it again.");
            }
            let Some(cause) = cause else {
                return self.say("Tab picks one of the causes first.");
            };
            if text.text.trim().is_empty() {
                return self.say("It needs words: what has to change.");
            }
            let wish = Wish::Plan(self.at, Act::SendBack(cause), text.text.trim().to_owned());
            self.mode = Mode::Words(text, Some(cause));
            return self.ask(wish, "Looking whether it moved.");
        }
        match key.code {
            Code::Esc => {
                let lost = !text.text.trim().is_empty();
                self.mode = Mode::Page;
                if lost {
                    self.say("Left as it is; the words are gone.");
                }
            }
            Code::Tab => {
                let next = match (cause, key.shift) {
                    (None, false) => 0,
                    (None, true) => all - 1,
                    (Some(at), false) => (at + 1) % all,
                    (Some(at), true) => (at + all - 1) % all,
                };
                self.mode = Mode::Words(text, Some(next));
            }
            _ => {
                let room = text.key(key, WORDS);
                self.mode = Mode::Words(text, cause);
                if !room {
                    self.say(format!("At most {WORDS} bytes."));
                }
            }
        }
    }

    fn confirm(&mut self, mut plan: Plan, key: Key, repeat: bool) {
        match (key.code, key.ctrl) {
            (Code::Esc, _) => {
                self.mode = Mode::Page;
                self.say("Left as it is.");
            }
            (Code::Enter, false) if plan.typed == plan.wanted && !repeat => {
                let wish = Wish::Write(self.at, plan.act);
                self.mode = Mode::Confirm(plan);
                self.ask(wish, "Writing.");
            }
            (Code::Enter, false) => self.say(format!("Type {} first.", plan.wanted)),
            (Code::PageDown | Code::Down, _) => self.scroll_by(1),
            (Code::PageUp | Code::Up, _) => self.scroll_by(-1),
            (Code::Backspace, _) => {
                plan.typed.pop();
                self.mode = Mode::Confirm(plan);
            }
            (Code::Char(_), false) if repeat => {
                self.say("That key came too fast. Type it again.");
            }
            (Code::Char(c), false) if plan.typed.chars().count() < plan.wanted.chars().count() => {
                plan.typed.push(c);
                self.mode = Mode::Confirm(plan);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
