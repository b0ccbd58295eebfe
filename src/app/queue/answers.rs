//! What comes back from outside, and where it leads.

use super::{Act, Became, Line, Mode, Page, Plan, Queue, Refused};

impl Queue {
    pub(super) fn opened(&mut self, at: usize, page: Result<Page, String>) {
        self.busy = false;
        self.drawn = false;
        self.notice = None;
        match page {
            Ok(page) => {
                self.at = at;
                self.page = Some(page);
                self.mode = Mode::Page;
            }
            Err(why) => {
                self.page = None;
                self.mode = Mode::List;
                self.say(format!("Not opened: {why}."));
            }
        }
    }

    pub(super) fn planned(&mut self, at: usize, plan: Result<Plan, Refused>) {
        self.busy = false;
        self.drawn = false;
        self.notice = None;
        match plan {
            Ok(plan) => self.mode = Mode::Confirm(plan),
            Err(why) => self.refused(at, &why),
        }
    }

    pub(super) fn written(&mut self, at: usize, lines: Result<Vec<Line>, Refused>) {
        self.busy = false;
        self.drawn = false;
        self.notice = None;
        let act = match &self.mode {
            Mode::Confirm(plan) => Some(plan.act),
            _ => None,
        };
        match lines {
            Ok(lines) => {
                let how = match act {
                    Some(Act::SendBack(_)) => "kicked back",
                    _ => "ratified",
                };
                if let Some(item) = self.items.get_mut(at) {
                    item.became = Became::Answered(how);
                }
                self.page = Some(Page::new(format!("{how} by you"), lines, Vec::new()).done());
                self.mode = Mode::Page;
                self.say(format!(
                    "{how}. n goes to the next, Esc to the list.",
                    how = capital(how)
                ));
            }
            Err(why) => self.refused(at, &why),
        }
    }

    /// A refusal: the page is stale, so it is closed and has to be opened again.
    fn refused(&mut self, at: usize, refused: &Refused) {
        if refused.moved {
            if let Some(item) = self.items.get_mut(at) {
                item.became = Became::Moved;
            }
            self.page = None;
            self.mode = Mode::List;
        } else {
            self.mode = Mode::Page;
        }
        self.say(format!("{}.", capital(&refused.why)));
    }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}
