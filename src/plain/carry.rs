//! `carry` in lines: the same page, printed whole, and then the names that are taken over.

use std::io;
use std::time::Duration;

use crate::app::command::Command;
use crate::app::state::Mode;
use crate::app::update::carry::{offers, toggle};
use crate::model::id::EntryId;

use super::desk::Plain;
use super::show::word_of;

impl Plain {
    /// Shows what may be carried over, or carries over what is named after it was shown.
    pub(super) async fn carry(&mut self, names: Option<&str>) -> io::Result<()> {
        let shown = matches!(self.core.state.mode, Mode::Carry(_));
        match names {
            Some(names) if shown => self.carry_named(names).await,
            Some(_) => self.say("closed: carry alone shows what changed first. nothing was done."),
            None => {
                self.enter_list();
                self.command(Command::Carry);
                if !matches!(self.core.state.mode, Mode::Carry(_)) {
                    return self.say_status();
                }
                self.print_page()?;
                if offers(&self.core.state)
                    .iter()
                    .any(|one| one.carries.is_offered())
                {
                    self.say(
                        "type \"carry all\", or names as in \"carry 1 3\"; anything else carries \
                         nothing.",
                    )
                } else {
                    self.say("none of them can be carried over.")
                }
            }
        }
    }

    async fn carry_named(&mut self, names: &str) -> io::Result<()> {
        if !self.at_both_ends().await? {
            return Ok(());
        }
        let offered: Vec<(String, EntryId)> = offers(&self.core.state)
            .iter()
            .filter(|one| one.carries.is_offered())
            .map(|one| (word_of(&one.subject), one.entry))
            .collect();
        if names != "all" {
            let wanted: Vec<&str> = names.split_whitespace().collect();
            let known = |name: &&str| offered.iter().any(|(word, _)| word == name);
            if let Some(other) = wanted.iter().find(|name| !known(name)) {
                return self.say(&format!(
                    "closed: {other} is not among what can be carried over. nothing was done."
                ));
            }
            let left = offered
                .iter()
                .filter(|(word, _)| !wanted.contains(&word.as_str()));
            for (_, entry) in left {
                toggle(&mut self.core.state, *entry);
            }
        }
        // The whole page was printed; the moment that a key has to wait passes meanwhile.
        for _ in 0..5 {
            self.command(Command::Carry);
            if !self.core.state.status.says.ends_with("opens in a moment") {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        self.until(|state| state.world.carrying.queue.is_empty())
            .await;
        self.recorded().await
    }
}
