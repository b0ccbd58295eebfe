//! What a person can do beside a pick: the list, and the words that each begins.

use super::text::Text;
use super::{Mode, Triage, Wish};
use crate::app::command::Command;
use crate::app::key::Key;
use crate::gate::menu::levers::Lever;

impl Triage {
    pub(super) fn open_levers(&mut self) {
        match self.gate() {
            Some(gate) if gate.is_settled() => self.settled(),
            Some(_) => self.mode = Mode::Levers,
            None => {}
        }
    }

    /// A digit begins the words of a lever; they are read, shown and sent like any other.
    pub(super) fn pull(&mut self, key: Key, command: Option<Command>) -> Vec<Wish> {
        if command == Some(Command::GoOut) {
            self.mode = Mode::Browse;
            return Vec::new();
        }
        let digit = key.typed().and_then(|typed| typed.to_digit(10));
        let at = digit.and_then(|n| usize::try_from(n).ok()?.checked_sub(1));
        let lever = at.and_then(|at| Lever::ALL.get(at).copied());
        let Some((lever, gate)) = lever.zip(self.gate()) else {
            return Vec::new();
        };
        if let Some(why) = lever.closed(&gate.message) {
            return self.say(format!("Closed: {why}."));
        }
        self.mode = Mode::Write(Text::of(lever.opens().to_owned()));
        self.say(format!("{}.", lever.form()))
    }
}
