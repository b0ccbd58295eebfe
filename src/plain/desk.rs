//! The machine behind the prompts: keys in, drawn pages out, news taken between two prompts.

use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Receiver;

use crate::adapters::signer::Handover;
use crate::app::command::Command;
use crate::app::effect::Leave;
use crate::app::key::Key;
use crate::app::msg::{Msg, RunNews};
use crate::app::state::{Confirm, Focus, Mode, State};
use crate::gate::dossier::Subject;
use crate::model::text::{Foreign, Place};
use crate::runtime::core::{Core, Wish};
use crate::runtime::hub::News;
use crate::runtime::lines;

use super::fold::fold;
use super::listen::Listener;

/// How long anything that was asked for may take before the prompt comes back.
const PATIENCE: Duration = Duration::from_secs(10);

/// Advice of the screen that names a key, and what one types instead.
const KEYS: [(&str, &str); 3] = [
    (
        "t shows what it would run",
        "x with its name shows what it would run",
    ),
    ("Enter lists candidates", "p with its name lists candidates"),
    ("Enter shows it", "its name alone shows it"),
];

/// A plain session.
#[derive(Debug)]
pub(super) struct Plain {
    /// The machine.
    pub(super) core: Core,
    news: Receiver<News>,
    listener: Listener,
    /// Whether a terminal is on both ends.
    pub(super) may_decide: bool,
    /// The item that was shown last.
    pub(super) shown: Option<Subject>,
    /// What happened between two prompts.
    told: Vec<String>,
    /// The signal that ends it.
    pub(super) signal: Option<i32>,
    /// Whether the input ended: nothing is asked after that, and one end is enough.
    ended: bool,
}

impl Plain {
    pub(super) fn new(core: Core, news: Receiver<News>, may_decide: bool) -> io::Result<Self> {
        Ok(Self {
            core,
            news,
            listener: Listener::start(may_decide)?,
            may_decide,
            shown: None,
            told: Vec::new(),
            signal: None,
            ended: false,
        })
    }

    /// One line of ours, folded.
    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        self.say_indented(text, 2)
    }

    /// One line; the lines after it begin with so many blanks.
    pub(super) fn say_indented(&mut self, text: &str, indent: usize) -> io::Result<()> {
        let mut out = lines::stdout();
        for line in fold(text, indent) {
            writeln!(out, "{line}")?;
        }
        out.flush()
    }

    /// What the status row says, with keys that are no commands here put into words.
    pub(super) fn say_status(&mut self) -> io::Result<()> {
        let mut status = self.core.state.status.says.clone();
        for (key, words) in KEYS {
            status = status.replace(key, words);
        }
        self.say(&status)
    }

    /// Asks a question and waits for its line; `None` at the end of the input. News is taken
    /// meanwhile and told later, never inside a question.
    pub(super) async fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        if self.ended {
            return Ok(None);
        }
        if self.listener.refuse_early_lines()? {
            self.say("refused: a line came before its question was shown. nothing was done.")?;
        }
        // Who cannot answer on a terminal is not asked: the output is only read.
        if self.may_decide {
            let mut out = lines::stdout();
            write!(out, "{question}")?;
            out.flush()?;
        }
        self.listener.want();
        let line = self.next_line().await?;
        self.ended = line.is_none();
        if line.is_none() && self.may_decide {
            // Nobody pressed Enter: what follows begins a line of its own.
            writeln!(lines::stdout())?;
        }
        Ok(line)
    }

    async fn next_line(&mut self) -> io::Result<Option<String>> {
        loop {
            tokio::select! {
                biased;
                line = self.listener.line() => return line,
                news = self.news.recv() => match news {
                    Some(news) => self.hear(news),
                    None => return Ok(None),
                },
            }
            if self.core.left().is_some() {
                return Ok(None);
            }
        }
    }

    /// Tells what happened since the last prompt.
    pub(super) fn tell(&mut self) -> io::Result<()> {
        self.take_news();
        for told in std::mem::take(&mut self.told) {
            self.say(&format!("told: {told}"))?;
        }
        Ok(())
    }

    fn take_news(&mut self) {
        while let Ok(news) = self.news.try_recv() {
            self.hear(news);
        }
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Msg(message) => {
                let worth = matches!(
                    message,
                    Msg::Run(RunNews::Ended { .. })
                        | Msg::World(_)
                        | Msg::Others(_)
                        | Msg::ChildLost(_)
                );
                let before = self.core.state.status.says.clone();
                self.feed([message]);
                let now = &self.core.state.status.says;
                if worth && *now != before {
                    self.told.push(now.clone());
                }
            }
            News::Signal(number) => {
                self.signal = Some(number);
                self.feed([Msg::Hangup]);
                self.core.end(Leave::HungUp);
            }
            News::HungUp => self.core.end(Leave::HungUp),
            // Between two prompts the terminal is free: nobody reads from it.
            News::Seal(ticket, handover) => {
                let signature = on_terminal(&handover).map_err(|error| error.to_string());
                self.core.desk.sealed(ticket, signature);
            }
            News::Drained | News::Stop | News::Back | News::Resized | News::EditorClosed(_) => {}
        }
    }

    pub(super) fn feed(&mut self, messages: impl IntoIterator<Item = Msg>) {
        for wish in self.core.feed(messages) {
            match wish {
                Wish::Copy(_)
                | Wish::Editor(..)
                | Wish::Edit(..)
                | Wish::Repaint
                | Wish::Suspend => {}
            }
        }
    }

    /// The page as it is now counts as shown: it is printed right after, or was before.
    pub(super) fn settle(&mut self) {
        for _ in 0..2 {
            let _ = self.core.scene();
            let now = self.core.clock.now_ms();
            self.feed([Msg::Drawn(now)]);
        }
    }

    /// Presses a key on the page as it was shown.
    pub(super) fn press(&mut self, key: Key) {
        self.settle();
        self.feed([Msg::Key { key, repeat: false }]);
        self.settle();
    }

    /// Presses the key of a command, as the person's keymap has it.
    pub(super) fn command(&mut self, command: Command) {
        if let Some(key) = self.core.state.keys.keys(command).first().copied() {
            self.press(key);
        }
    }

    /// One level out of whatever is open.
    pub(super) fn out(&mut self) {
        let command = match &self.core.state.mode {
            Mode::Note(_) | Mode::SignOne(_) => Command::NoteLeave,
            Mode::SignEdits(_) | Mode::SignTwo(_) => Command::SignBack,
            Mode::Search(_) => Command::SearchLeave,
            Mode::Palette(_) => Command::PaletteLeave,
            Mode::Browse
            | Mode::Prefix(_)
            | Mode::Matches { .. }
            | Mode::Picker(_)
            | Mode::Rulings(_)
            | Mode::Contracts(_)
            | Mode::Formats(_)
            | Mode::Confirm(_)
            | Mode::Trust(_)
            | Mode::Carry(_)
            | Mode::Help(_)
            | Mode::Inspect(_) => Command::GoOut,
        };
        self.command(command);
    }

    /// Takes news until the state is so, or patience ends.
    pub(super) async fn until(&mut self, ready: impl Fn(&State) -> bool) {
        let end = Instant::now() + PATIENCE;
        loop {
            self.settle();
            if ready(&self.core.state) || self.core.left().is_some() {
                return;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            if let Ok(Some(news)) = tokio::time::timeout(left, self.news.recv()).await {
                self.hear(news);
            }
        }
    }

    /// Waits until an act is on disk, or is not, and says which.
    pub(super) async fn recorded(&mut self) -> io::Result<()> {
        self.until(|state| !state.waiting.recording()).await;
        let owed = self
            .core
            .state
            .world
            .judgment
            .as_ref()
            .map_or(0, |j| j.owed);
        let status = self.core.state.status.says.clone();
        self.say(&format!("{status}. owed {owed}."))
    }

    /// Back to the list, whatever was open.
    pub(super) fn enter_list(&mut self) {
        for _ in 0..6 {
            let browsing = matches!(self.core.state.mode, Mode::Browse);
            if browsing && self.core.state.nav.focus == Focus::List {
                return;
            }
            self.out();
        }
    }

    /// Into the card of the selected item; never past it into the evidence picker, which would
    /// leave the item's own text unread.
    pub(super) fn enter_card(&mut self) {
        if self.core.state.nav.focus != Focus::Card {
            self.enter_list();
            self.command(Command::GoIn);
        }
        if matches!(self.core.state.mode, Mode::Picker(_)) {
            self.out();
            self.core.state.nav.focus = Focus::Card;
            self.settle();
        }
    }

    /// The input ended: nothing more can be asked.
    pub(super) fn leave_quietly(&mut self) {
        if self.core.left().is_none() {
            let ending = self.core.state.ending();
            self.core.end(ending);
        }
    }

    /// Whether a decision is possible here at all; says why not.
    pub(super) async fn at_both_ends(&mut self) -> io::Result<bool> {
        if !self.may_decide {
            self.say("closed: there is no terminal on both ends; this reads and cannot decide.")?;
            return Ok(false);
        }
        self.who().await
    }

    /// Asks once on a machine whether the person is who they would be recorded as (A11).
    async fn who(&mut self) -> io::Result<bool> {
        let world = &self.core.state.world;
        let who = world.dossier.as_ref().and_then(|d| d.who.known());
        let Some(who) = who.filter(|_| !world.confirmed && !world.sample) else {
            return Ok(true);
        };
        let name = Foreign::from(who.name()).shown(Place::Strict).plain();
        let place = who.found_in.place();
        self.say(&format!(
            "decisions would be recorded as {name}, from {place}."
        ))?;
        let said = self
            .ask("y: that is me. Enter: nothing is decided. ")
            .await?;
        if said.as_deref().map(str::trim) != Some("y") {
            self.say("nothing was decided. set `name` in the config to be recorded otherwise.")?;
            return Ok(false);
        }
        self.core.state.mode = Mode::Confirm(Confirm::Who);
        self.command(Command::ConfirmLeave);
        Ok(true)
    }
}

/// Lets `ssh-keygen` speak with the person.
fn on_terminal(handover: &Handover) -> io::Result<String> {
    let status = handover.on_terminal()?.status()?;
    if status.success() {
        return handover.signature();
    }
    Err(io::Error::other("no signature was made"))
}
