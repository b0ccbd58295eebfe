//! `--plain`: the same session as prompts and numbered lines, for screen readers, slow lines and
//! people who like it so.
//!
//! It drives the very same machine: a typed command presses the keys that the screen would, on a
//! page so tall that nothing is cut, and prints what that page shows. So facts, refusals and
//! records are those of the screen. No cursor movement, no color, at most 79 columns; a decision
//! names its item; a line that came before its question was shown is refused.

mod carry;
pub mod command;
mod desk;
pub mod fold;
mod listen;
mod notes;
mod show;
mod writes;

use std::io;
use std::time::Duration;

use tokio::sync::mpsc::Receiver;

use crate::app::command::Command;
use crate::app::effect::Leave;
use crate::app::state::{Mode, Row};
use crate::app::update::{menus, triage};
use crate::gate::permit::Verb;
use crate::model::format::Format;
use crate::runtime::core::Core;
use crate::runtime::hub::{Hub, News};
use crate::runtime::signals;

use command::{HELP, Line, understand};
use desk::Plain;

/// Columns and rows of the page that is never cut.
pub const PAGE: (u16, u16) = (74, 600);

/// Sits down. `may_decide` says whether a terminal is on both ends.
///
/// # Errors
/// When the output is gone, or nothing can be started.
pub async fn sit(
    core: Core,
    hub: Hub,
    news: Receiver<News>,
    may_decide: bool,
) -> io::Result<(Core, Leave, Option<i32>)> {
    signals::forward(&hub)?;
    let mut plain = Plain::new(core, news, may_decide)?;
    plain.begin().await?;
    while plain.core.left().is_none() {
        plain.tell()?;
        let Some(line) = plain.ask("> ").await? else {
            plain.leave_quietly();
            break;
        };
        plain.obey(understand(&line)).await?;
    }
    let leave = plain.core.left().unwrap_or(Leave::Undecided);
    Ok((plain.core, leave, plain.signal))
}

impl Plain {
    /// Opens and says what is under review.
    async fn begin(&mut self) -> io::Result<()> {
        self.settle();
        let wishes = self.core.start()?;
        drop(wishes);
        self.until(|state| state.world.dossier.is_some() || state.world.trouble.is_some())
            .await;
        self.until(|state| state.world.settled()).await;
        self.greet()
    }

    async fn obey(&mut self, line: Line) -> io::Result<()> {
        match line {
            Line::Empty => Ok(()),
            Line::Next => self.walk(Command::OwedNext).await,
            Line::Back => self.walk(Command::OwedPrev).await,
            Line::List => self.list(),
            Line::Verdict => self.verdict(),
            Line::Help => self.help(),
            Line::Quit => self.quit().await,
            Line::Show(name) => self.show_named(&name).await,
            Line::Affirm(name) => self.verb(&name, Command::Ratify, Verb::Affirm).await,
            Line::SendBack(name) => self.verb(&name, Command::KickBack, Verb::SendBack).await,
            Line::SetAside(name) => self.verb(&name, Command::Abandon, Verb::SetAside).await,
            Line::Escalate(name) => self.menu_verb(&name, Verb::Escalate).await,
            Line::NotApplicable(name) => self.menu_verb(&name, Verb::NotApplicable).await,
            Line::Override(name) => self.menu_verb(&name, Verb::Override).await,
            Line::Run(name) => self.run(&name).await,
            Line::RunBase(name) => self.run_base(&name).await,
            Line::Stop(name) => self.run(&name).await,
            Line::Trust(name) => self.trust(&name).await,
            Line::Diff(name) => self.diff(&name).await,
            Line::Output(name) => self.output(&name).await,
            Line::Pick(name, number) => self.pick(&name, number).await,
            Line::Contract(number) => self.contract(number).await,
            Line::Format(number) => self.format(number).await,
            Line::Writes(number) => self.writes(number).await,
            Line::Carry(names) => self.carry(names.as_deref()).await,
            Line::Undo => self.undo().await,
            Line::Sign => self.sign().await,
            Line::Reread => self.reread().await,
            Line::Unknown(word) => {
                self.say(&format!("there is no command {word}. h lists all of them."))
            }
            Line::Nameless(word) => self.say(&format!(
                "closed: {word} names its item, as in {word} 2. nothing was done."
            )),
        }
    }

    fn help(&mut self) -> io::Result<()> {
        for (typed, does) in HELP {
            self.say(&format!("{typed:<9} {does}"))?;
        }
        Ok(())
    }

    /// The next or previous owed item.
    async fn walk(&mut self, command: Command) -> io::Result<()> {
        if self.shown.is_none() && matches!(self.core.state.nav.selected, Some(Row::Item(_))) {
            return self.show_selected().await;
        }
        self.enter_list();
        self.command(command);
        match &self.core.state.nav.selected {
            Some(Row::Item(_)) => self.show_selected().await,
            Some(Row::Verdict) => {
                self.say_status()?;
                self.verdict()
            }
            Some(Row::File(_)) | None => self.say_status(),
        }
    }

    async fn quit(&mut self) -> io::Result<()> {
        self.enter_list();
        self.command(Command::Leave);
        if self.core.left().is_some() {
            return Ok(());
        }
        let owed = self
            .core
            .state
            .world
            .judgment
            .as_ref()
            .map_or(0, |j| j.owed);
        let decided = self
            .core
            .state
            .world
            .judgment
            .as_ref()
            .map_or(0, |j| j.decided);
        let replies = self.core.state.world.judgment.as_ref();
        let goes = triage::goes_out(replies.map_or(0, |judgment| judgment.replies.len()));
        let goes = goes.map_or_else(String::new, |goes| format!("{goes} "));
        let question = format!(
            "leave with {owed} undecided? {decided} decisions recorded. {goes}y leaves, Enter \
             stays: "
        );
        if self.ask(&question).await?.as_deref().map(str::trim) == Some("y") {
            self.command(Command::ConfirmLeave);
        } else {
            self.out();
        }
        Ok(())
    }

    async fn undo(&mut self) -> io::Result<()> {
        if !self.at_both_ends().await? {
            return Ok(());
        }
        self.enter_list();
        self.command(Command::Undo);
        self.recorded().await
    }

    /// Files that could be the contract, or one of them taken.
    async fn contract(&mut self, number: Option<usize>) -> io::Result<()> {
        let files = menus::contracts(&self.core.state).to_vec();
        if files.is_empty() {
            return self.say("which file is the contract is no question here.");
        }
        let Some(number) = number else {
            return self.candidates();
        };
        if !self.at_both_ends().await? {
            return Ok(());
        }
        if !(1..=files.len()).contains(&number) {
            return self.say("there is no file of that number.");
        }
        self.enter_list();
        self.command(Command::PickEvidence);
        if let Mode::Contracts(at) = &mut self.core.state.mode {
            *at = number - 1;
        }
        self.command(Command::MenuDo);
        self.until(|state| !state.world.rereading && state.world.settled())
            .await;
        self.shown = None;
        self.greet()
    }

    /// Formats that the contract could be read as, or one of them taken.
    async fn format(&mut self, number: Option<usize>) -> io::Result<()> {
        if menus::record(&self.core.state).is_none() {
            return self.say("there is no contract to read in another way.");
        }
        let formats = menus::formats();
        let Some(number) = number else {
            for (number, (format, says)) in (1..).zip(formats) {
                let name = format.map_or("detect it", Format::name);
                self.say(&format!("{number:>3} {name}: {says}"))?;
            }
            return Ok(());
        };
        if !self.at_both_ends().await? {
            return Ok(());
        }
        if !(1..=formats.len()).contains(&number) {
            return self.say("there is no format of that number.");
        }
        self.enter_list();
        self.command(Command::OpenFormat);
        if let Mode::Formats(at) = &mut self.core.state.mode {
            *at = number - 1;
        }
        self.command(Command::MenuDo);
        self.until(|state| !state.world.rereading && state.world.settled())
            .await;
        self.shown = None;
        self.greet()
    }

    async fn reread(&mut self) -> io::Result<()> {
        self.enter_list();
        self.command(Command::ReRead);
        self.until(|state| !state.world.rereading && state.world.settled())
            .await;
        self.shown = None;
        self.say_status()
    }

    /// Runs the oracle of an item, or shows what would run first.
    async fn run(&mut self, name: &str) -> io::Result<()> {
        if !self.at_both_ends().await? || !self.names_shown(name)? {
            return Ok(());
        }
        self.enter_card();
        self.command(Command::Run);
        if !matches!(self.core.state.mode, Mode::Trust(_)) {
            return self.say_status();
        }
        self.until(|state| match &state.mode {
            Mode::Trust(page) => page.card.is_some(),
            _ => true,
        })
        .await;
        if !matches!(self.core.state.mode, Mode::Trust(_)) {
            return self.say_status();
        }
        self.say("not trusted. all of this would run as you:")?;
        self.print_page()?;
        self.say(&format!(
            "type \"trust {name}\" to run it; Enter for not now."
        ))
    }

    /// Runs the oracle of an item on base; trust comes first, and is that for the head.
    async fn run_base(&mut self, name: &str) -> io::Result<()> {
        if !self.at_both_ends().await? || !self.names_shown(name)? {
            return Ok(());
        }
        self.enter_card();
        self.command(Command::RunBase);
        self.say_status()
    }

    async fn trust(&mut self, name: &str) -> io::Result<()> {
        if !self.at_both_ends().await? || !self.names_shown(name)? {
            return Ok(());
        }
        if !matches!(self.core.state.mode, Mode::Trust(_)) {
            return self.say(&format!("closed: x {name} shows the whole command first."));
        }
        // The whole command was printed and its item typed by name; the moment that a key has to
        // wait passes meanwhile.
        for _ in 0..5 {
            self.command(Command::TrustRun);
            let waits = matches!(self.core.state.mode, Mode::Trust(_));
            if !waits || !self.core.state.status.says.starts_with("Too fast") {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        if matches!(self.core.state.mode, Mode::Trust(_)) {
            self.say_status()?;
            self.out();
            return Ok(());
        }
        self.until(|state| !state.waiting.trusting()).await;
        self.say_status()?;
        self.say("go on; the result is told between two prompts.")
    }
}
