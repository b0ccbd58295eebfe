//! Acts that need words: notes, the evidence picker, the sign-off. Every text goes through the
//! same note, and so to the same drafts, as on the screen.

use std::io;
use std::time::Duration;

use crate::app::command::Command;
use crate::app::key::Key;
use crate::app::msg::Msg;
use crate::app::state::{Confirm, Focus, Mode, NoteKind, State};
use crate::app::triage::View;
use crate::app::update::{menus, triage};
use crate::gate::dossier::Subject;
use crate::gate::permit::Verb;
use crate::model::ruling::{Cause, RootCause, Verdict};
use crate::model::text::{Foreign, Place};

use super::desk::Plain;
use super::show::word_of;

/// What was typed, and whether it was ended with a dot.
struct Text {
    text: String,
    whole: bool,
}

impl Plain {
    /// Whether the name is that of the item that was shown last; says why not.
    pub(super) fn names_shown(&mut self, name: &str) -> io::Result<bool> {
        let shown = self.shown.as_ref().map(word_of);
        let same = shown.as_deref() == Some(name)
            || shown
                .as_deref()
                .is_some_and(|word| word.ends_with(&format!("/{name}")))
            || shown.as_deref() == Some(&format!("edit:{name}"));
        if !same {
            let last = shown.unwrap_or_else(|| String::from("nothing"));
            self.say(&format!(
                "closed: {last} was shown last, not {name}. type {name} to read it first."
            ))?;
        }
        Ok(same)
    }

    /// A verb of the item that was shown.
    pub(super) async fn verb(
        &mut self,
        name: &str,
        command: Command,
        verb: Verb,
    ) -> io::Result<()> {
        if !self.at_both_ends().await? || !self.names_shown(name)? {
            return Ok(());
        }
        if !matches!(self.core.state.mode, Mode::Picker(_)) {
            self.enter_card();
        }
        self.command(command);
        self.after(verb).await
    }

    /// A verb that the screen offers in its menu of all rulings.
    pub(super) async fn menu_verb(&mut self, name: &str, verb: Verb) -> io::Result<()> {
        if !self.at_both_ends().await? || !self.names_shown(name)? {
            return Ok(());
        }
        self.enter_card();
        self.command(Command::Rulings);
        // Verbs that make no sense for this item have no row.
        let rows = menus::rulings(&self.core.state);
        let at = rows.iter().position(|row| row.verb == verb);
        let Some(at) = at else {
            self.out();
            return self.say("that makes no sense for this item. nothing was done.");
        };
        if let Mode::Rulings(row) = &mut self.core.state.mode {
            *row = at;
        }
        self.command(Command::MenuDo);
        self.after(verb).await
    }

    /// What came of a verb: an entry, a refusal, a question, or a note to fill.
    async fn after(&mut self, verb: Verb) -> io::Result<()> {
        if let Mode::Confirm(Confirm::Reply(_)) = &self.core.state.mode {
            return self.reply().await;
        }
        if let Mode::Confirm(Confirm::Weak(_)) = &self.core.state.mode {
            let says = self.core.state.status.says.clone();
            let question = format!("{says} r ratifies all the same, Enter leaves it: ");
            if self.ask(&question).await?.as_deref().map(str::trim) == Some("r") {
                self.command(Command::Ratify);
            } else {
                self.out();
                return self.say("nothing was decided.");
            }
        }
        match &self.core.state.mode {
            Mode::Note(_) => self.note(verb).await,
            Mode::Confirm(_) | Mode::Rulings(_) => {
                self.say_status()?;
                self.out();
                Ok(())
            }
            _ if self.core.state.waiting.recording() => self.recorded().await,
            _ => self.say_status(),
        }
    }

    /// Fills a note and finishes it.
    async fn note(&mut self, _verb: Verb) -> io::Result<()> {
        let Mode::Note(note) = &self.core.state.mode else {
            return Ok(());
        };
        let (kind, preset) = (note.kind, note.cause);
        let titles: Vec<&'static str> = note.fields.iter().map(|(title, _)| *title).collect();
        if kind == NoteKind::KickBack && !self.ask_cause(preset).await? {
            return self.give_up();
        }
        for (at, title) in titles.iter().enumerate() {
            self.say(&format!("{title}; a line with only a dot ends them."))?;
            self.offer(at)?;
            let text = self.text().await?;
            if let Mode::Note(note) = &mut self.core.state.mode {
                note.at = at;
                note.on_cause = false;
            }
            if !self.put(text) {
                return self.give_up();
            }
        }
        self.command(Command::NoteDone);
        if let Mode::Confirm(Confirm::Reply(_)) = &self.core.state.mode {
            return self.reply().await;
        }
        if let Mode::Note(_) = &self.core.state.mode {
            self.say_status()?;
            return self.give_up();
        }
        if self.core.state.waiting.recording() {
            self.recorded().await
        } else {
            self.say_status()
        }
    }

    /// Words to a gate: what they mean, and one more answer.
    async fn reply(&mut self) -> io::Result<()> {
        let Mode::Confirm(Confirm::Reply(replying)) = &self.core.state.mode else {
            return Ok(());
        };
        let gives = triage::gives(replying);
        let letter = if gives == Command::Abandon { "a" } else { "r" };
        self.print_page()?;
        let question = format!("{letter} records it, Enter leaves it: ");
        if self.ask(&question).await?.as_deref().map(str::trim) == Some(letter) {
            // what it means was printed; the moment that a key has to wait passes meanwhile
            for _ in 0..5 {
                self.command(gives);
                if !self.core.state.status.says.starts_with("Too fast") {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            return self.recorded_or_not().await;
        }
        self.out();
        if let Mode::Note(_) = &self.core.state.mode {
            return self.give_up();
        }
        self.say("nothing was decided.")
    }

    async fn recorded_or_not(&mut self) -> io::Result<()> {
        if self.core.state.waiting.recording() {
            self.recorded().await
        } else {
            self.say_status()
        }
    }

    /// The row of a gate message that `r` sends.
    fn choose(&mut self, name: &str, number: Option<usize>) -> io::Result<()> {
        self.enter_card();
        let Some(number) = number else {
            return self.print_page();
        };
        let row = u32::try_from(number).unwrap_or(u32::MAX);
        if !self.core.state.select_row(row) {
            return self.say("there is no row of that number.");
        }
        self.settle();
        self.say(&format!("row {number} is chosen. r {name} sends it."))
    }

    /// Another view of a gate message, printed.
    fn view(&mut self, views: &[View]) -> io::Result<()> {
        self.enter_card();
        for view in views {
            self.core.state.view_gate(*view);
            self.settle();
            self.print_page()?;
        }
        self.core.state.view_gate(View::Report);
        self.settle();
        Ok(())
    }

    fn give_up(&mut self) -> io::Result<()> {
        self.out();
        self.say("nothing was decided; what you typed is kept as a draft.")
    }

    async fn ask_cause(&mut self, preset: Cause) -> io::Result<bool> {
        let words: Vec<String> = (1..)
            .zip(Cause::ALL)
            .map(|(number, cause)| {
                let preset = if cause == preset { " (preset)" } else { "" };
                format!("{number} {}{preset}", cause.word())
            })
            .collect();
        self.say(&format!("cause: {}", words.join(", ")))?;
        let Some(line) = self.ask("cause> ").await? else {
            return Ok(false);
        };
        let chosen = match line.trim() {
            "" => Some(preset),
            typed => typed
                .parse::<usize>()
                .ok()
                .and_then(|number| Cause::ALL.get(number.wrapping_sub(1)).copied())
                .or_else(|| Cause::parse(typed)),
        };
        let Some(chosen) = chosen else {
            self.say("that is none of the causes.")?;
            return Ok(false);
        };
        if let Mode::Note(note) = &mut self.core.state.mode {
            note.cause = chosen;
        }
        Ok(true)
    }

    /// Lines up to a dot. Where the input ends before the dot, the text is a draft and no more.
    async fn text(&mut self) -> io::Result<Text> {
        let mut lines: Vec<String> = Vec::new();
        let mut whole = false;
        while !whole {
            match self.ask("text> ").await? {
                Some(line) if line.trim() == "." => whole = true,
                Some(line) if line.trim() == "-" && lines.is_empty() => {
                    self.command(Command::NoteDrop);
                    self.say_status()?;
                }
                Some(line) => lines.push(line),
                None => break,
            }
        }
        let text = lines.join("\n");
        Ok(Text { text, whole })
    }

    /// Reads the draft of a field out, where there is one: what is typed is added to it.
    fn offer(&mut self, at: usize) -> io::Result<()> {
        let lines = match &self.core.state.mode {
            Mode::Note(note) => note.fields.get(at).map(|(_, area)| area.lines().to_vec()),
            Mode::SignOne(sign) => Some(sign.attack.lines().to_vec()),
            _ => None,
        };
        let lines = lines.unwrap_or_default();
        if lines.iter().all(|line| line.trim().is_empty()) {
            return Ok(());
        }
        let how = match &self.core.state.mode {
            Mode::Note(note) if note.kind == NoteKind::ChainClosed => {
                "the line that comes nearest; a dot at once takes it, what you type takes its \
                 place:"
            }
            Mode::Note(note) if matches!(note.subject, Subject::Chain(_)) => {
                "the prescription or your draft, which what you type is added to; a dot at once \
                 takes it as it is, a minus at once throws it away:"
            }
            _ => {
                "your draft, which what you type is added to; a dot at once keeps it, a minus at \
                 once throws it away:"
            }
        };
        self.say(how)?;
        for line in lines {
            let shown = Foreign::from(line).shown(Place::Prose).plain();
            self.say_indented(&format!("  | {shown}"), 4)?;
        }
        Ok(())
    }

    /// Puts a text into the field that takes it; whether one can go on with it.
    fn put(&mut self, text: Text) -> bool {
        let Text { text, whole } = text;
        let drafted = match &self.core.state.mode {
            Mode::Note(note) => note.fields.get(note.at).map(|(_, area)| area),
            Mode::SignOne(sign) => Some(&sign.attack),
            _ => None,
        };
        let drafted =
            drafted.is_some_and(|area| area.lines().iter().any(|line| !line.trim().is_empty()));
        let blank = text.trim().is_empty();
        // a place is one place: what is typed is not added to what was offered
        let replaces = match &mut self.core.state.mode {
            Mode::Note(note) if note.kind == NoteKind::ChainClosed && !blank => {
                note.fields.get_mut(note.at).map(|(_, area)| area)
            }
            _ => None,
        };
        let drafted = match replaces {
            Some(area) => {
                area.select_all();
                area.cut();
                false
            }
            None => drafted,
        };
        if !blank {
            let text = if drafted { format!("\n{text}") } else { text };
            self.feed([Msg::Paste(text)]);
        }
        whole && (drafted || !blank)
    }

    /// Candidates of evidence, or one of them picked.
    pub(super) async fn pick(&mut self, name: &str, number: Option<usize>) -> io::Result<()> {
        if !self.names_shown(name)? {
            return Ok(());
        }
        if let Some(Subject::Message(_)) = &self.shown {
            return self.choose(name, number);
        }
        if !matches!(self.core.state.mode, Mode::Picker(_)) {
            self.enter_card();
            self.command(Command::PickEvidence);
            self.pause().await;
        }
        let Mode::Picker(picker) = &mut self.core.state.mode else {
            return self.say_status();
        };
        match number {
            None => {
                let rows: Vec<String> = (1..)
                    .zip(&picker.candidates)
                    .map(|(number, c)| format!("{number:>3} {}: {} {}", c.grade, c.says, c.why))
                    .collect();
                for row in rows {
                    self.say_indented(row.trim_end(), 6)?;
                }
                self.say(&format!("p {name} N picks one; r {name} then rules on it."))
            }
            Some(number) if (1..=picker.candidates.len()).contains(&number) => {
                picker.at = number - 1;
                self.command(Command::Down);
                self.command(Command::Up);
                self.until(State::diff_settled).await;
                self.print_diff()?;
                self.say(&format!("picked {number}. r {name} rules on it."))
            }
            Some(_) => self.say("there is no candidate of that number."),
        }
    }

    /// What the change does where the item claims it.
    pub(super) async fn diff(&mut self, name: &str) -> io::Result<()> {
        if !self.names_shown(name)? {
            return Ok(());
        }
        if let Some(Subject::Message(_)) = &self.shown {
            return self.view(&[View::Lint]);
        }
        self.enter_card();
        self.command(Command::HunkNext);
        self.until(State::diff_settled).await;
        self.print_page()?;
        self.enter_list();
        Ok(())
    }

    /// The whole output of the item's last run, as stored.
    pub(super) async fn output(&mut self, name: &str) -> io::Result<()> {
        if !self.names_shown(name)? {
            return Ok(());
        }
        if let Some(Subject::Message(_)) = &self.shown {
            let record = self.core.state.open_gate();
            let record = record.is_some_and(|(_, gate)| gate.views().contains(&View::Record));
            let views: &[View] = if record {
                &[View::Raw, View::Record]
            } else {
                &[View::Raw]
            };
            return self.view(views);
        }
        self.enter_card();
        self.command(Command::Open);
        self.command(Command::OpenOutput);
        if self.core.state.nav.focus != Focus::Output {
            return self.say_status();
        }
        self.until(|state| state.waiting.open.is_empty()).await;
        self.print_page()?;
        let extent = self.core.state.seen.measured.parts.get(&Focus::Output);
        let rest = extent.map_or(0, |extent| extent.total.saturating_sub(extent.rows));
        if rest > 0 {
            self.say(&format!("{rest} more lines are not printed here."))?;
        }
        self.enter_list();
        Ok(())
    }

    fn print_diff(&mut self) -> io::Result<()> {
        let scene = self.core.scene();
        let rows: Vec<String> = scene
            .panels
            .iter()
            .skip(1)
            .flat_map(|panel| &panel.rows)
            .map(|row| row.plain().trim_end().to_owned())
            .filter(|text| !text.is_empty())
            .collect();
        for row in rows {
            self.say_indented(&row, 6)?;
        }
        Ok(())
    }

    /// The sign-off: read back, two answers, and the typed part of the head.
    pub(super) async fn sign(&mut self) -> io::Result<()> {
        if !self.at_both_ends().await? {
            return Ok(());
        }
        self.enter_list();
        self.command(Command::Sign);
        let Mode::SignOne(sign) = &self.core.state.mode else {
            return self.say_status();
        };
        let (verdict, preset) = (sign.verdict, sign.root_cause);
        self.print_page()?;
        if verdict != Verdict::Approved && !self.ask_class(preset).await? {
            return self.unsigned();
        }
        self.say("strongest remaining attack; a line with only a dot ends it.")?;
        self.offer(0)?;
        let text = self.text().await?;
        if let Mode::SignOne(sign) = &mut self.core.state.mode {
            sign.at = 1;
        }
        if !self.put(text) {
            return self.unsigned();
        }
        self.command(Command::NoteDone);
        if matches!(self.core.state.mode, Mode::SignEdits(_)) && !self.confirm_edits().await? {
            return self.unsigned();
        }
        if !matches!(self.core.state.mode, Mode::SignTwo(_)) {
            self.say_status()?;
            return self.unsigned();
        }
        self.print_page()?;
        let Some(line) = self.ask("the first 6 characters of the head> ").await? else {
            return self.unsigned();
        };
        for character in line.trim().chars().take(6) {
            self.press(Key::char(character));
        }
        self.command(Command::SignNow);
        if !self.core.state.waiting.recording() && self.core.state.world.ruled.is_none() {
            self.say_status()?;
            return self.unsigned();
        }
        self.until(|state| state.world.ruled.is_some() || !state.waiting.recording())
            .await;
        self.until(|state| state.waiting.open.is_empty()).await;
        self.say_status()?;
        if self.core.state.world.ruled.is_none() {
            return self.unsigned();
        }
        self.command(Command::Leave);
        self.leave_quietly();
        Ok(())
    }

    async fn ask_class(&mut self, preset: Option<RootCause>) -> io::Result<bool> {
        let words: Vec<String> = (1..)
            .zip(RootCause::ALL)
            .map(|(number, class)| {
                let preset = if Some(class) == preset {
                    " (preset)"
                } else {
                    ""
                };
                format!("{number} {}{preset}", class.word())
            })
            .collect();
        self.say(&format!("root cause: {}", words.join(", ")))?;
        let Some(line) = self.ask("class> ").await? else {
            return Ok(false);
        };
        let chosen = match line.trim() {
            "" => preset,
            typed => typed
                .parse::<usize>()
                .ok()
                .and_then(|number| RootCause::ALL.get(number.wrapping_sub(1)).copied()),
        };
        if let (Mode::SignOne(sign), Some(chosen)) = (&mut self.core.state.mode, chosen) {
            sign.root_cause = Some(chosen);
        }
        Ok(chosen.is_some())
    }

    fn unsigned(&mut self) -> io::Result<()> {
        self.enter_list();
        self.say("not signed; your texts are kept.")
    }

    /// Lets answers come that a press asked for.
    async fn pause(&mut self) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        self.until(State::diff_settled).await;
    }
}
