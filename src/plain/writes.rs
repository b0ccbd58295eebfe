//! Edits of the contract in lines: which there could be, switching them, and the diff that is
//! read and confirmed before a signature.

use std::io;
use std::time::Duration;

use crate::app::command::Command;
use crate::app::edit::EditOrder;
use crate::app::state::{Mode, Row, Writes};
use crate::app::update::menus::{self, VerdictAct};
use crate::app::update::writes::closed;
use crate::model::text::{Foreign, Place};

use super::desk::Plain;

impl Plain {
    /// The edits that signing could write, or one of them switched on or off.
    pub(super) async fn writes(&mut self, number: Option<usize>) -> io::Result<()> {
        if menus::only_read(&self.core.state) {
            return self.say("a ticket file is only read; what you decide stays in the ledger.");
        }
        let orders = menus::orders(&self.core.state);
        if orders.is_empty() {
            return self.say("no decision of yours would write into the contract.");
        }
        if let Some(number) = number {
            if !self.at_both_ends().await? {
                return Ok(());
            }
            let Some(order) = number.checked_sub(1).and_then(|at| orders.get(at)) else {
                return self.say("there is no edit of that number.");
            };
            self.switch(&order.name())?;
        }
        for (number, order) in (1..).zip(&orders) {
            let on = self.core.state.nav.writes.contains(&order.name());
            let state = if on { "on " } else { "off" };
            self.say_indented(&format!("{number:>3} {state} {}", shown(order)), 8)?;
        }
        self.say("w N switches one; S shows those that are on as a diff before it signs.")
    }

    /// Presses Enter on the row of this edit on the verdict page, as on the screen.
    fn switch(&mut self, name: &str) -> io::Result<()> {
        self.enter_list();
        self.core.state.nav.selected = Some(Row::Verdict);
        self.command(Command::Verdict);
        let rows = menus::verdict(&self.core.state);
        let at = rows
            .iter()
            .position(|row| matches!(&row.act, VerdictAct::Write(of, _) if of == name));
        match at {
            Some(at) => {
                self.core.state.nav.cursor = at;
                self.command(Command::GoIn);
            }
            None => self.say("nothing can be written now.")?,
        }
        self.enter_list();
        Ok(())
    }

    /// Prints what would be written, to the end, and asks for it; whether the sign-off goes on.
    pub(super) async fn confirm_edits(&mut self) -> io::Result<bool> {
        self.until(|state| match &state.mode {
            Mode::SignEdits(sign) => sign.writes.as_ref().is_none_or(|w| w.plan.is_some()),
            _ => true,
        })
        .await;
        loop {
            self.print_page()?;
            let Mode::SignEdits(sign) = &self.core.state.mode else {
                self.say_status()?;
                return Ok(false);
            };
            let left = sign.writes.as_ref().and_then(Writes::unseen);
            if left.is_none_or(|rows| rows == 0) {
                break;
            }
            self.command(Command::PageDown);
        }
        let question = "y: these lines are written when you sign. Enter: not signed. ";
        if self.ask(question).await?.as_deref().map(str::trim) != Some("y") {
            return Ok(false);
        }
        // The moment that a key has to wait passes meanwhile.
        for _ in 0..20 {
            self.command(Command::SignNow);
            if !closed(&self.core.state).is_some_and(|why| why.starts_with("too fast")) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        if matches!(self.core.state.mode, Mode::SignTwo(_)) {
            return Ok(true);
        }
        self.say_status()?;
        Ok(false)
    }
}

fn shown(order: &EditOrder) -> String {
    Foreign::from(order.says()).shown(Place::Prose).plain()
}
