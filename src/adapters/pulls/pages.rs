//! Lists that come in pages, each read to its end. Pages are counted by us; no address that an
//! answer names is ever asked.

use serde::de::IgnoredAny;

use super::call::{Answer, Line, NoReply};
use super::recording::{Recording, Stopped};
use super::{BYTES, PAGES};

/// How far one list was read.
#[derive(Clone, Default, Debug)]
pub(super) struct Reach {
    items: u64,
    before: Option<Vec<u8>>,
}

impl Reach {
    /// Whether another page is to be asked for after this one: its headers say so, or count more
    /// than came. A forge that gives the same page for ever does not get a thousand questions.
    pub(super) fn goes_on(&mut self, answer: &Answer) -> bool {
        let here = answer.read::<Vec<IgnoredAny>>();
        let here = here.map_or(0, |items| items.len() as u64);
        self.items = self.items.saturating_add(here);
        let counted = answer.total().is_some_and(|total| total > self.items);
        let more = answer.more() || counted && here > 0;
        more && self.before.replace(answer.body.clone()).as_ref() != Some(&answer.body)
    }
}

/// Asks for a list, page by page, until its headers say that it ends. `size` asks for the length
/// of a page. What stops it is kept in the recording, whose last page then says that there is more.
pub(super) fn pages(
    line: &mut dyn Line,
    list: &str,
    size: &str,
    into: &mut Recording,
    each: &mut dyn FnMut(&Answer),
) {
    let mut reach = Reach::default();
    for page in 1..=PAGES {
        let path = format!("{list}?{size}&page={page}");
        let Some(answer) = put(line.get(&path), into, |into, answer| {
            into.take(&path, answer)
        }) else {
            return;
        };
        each(&answer);
        if !reach.goes_on(&answer) {
            return;
        }
    }
}

/// Keeps an answer; gives it back when one may go on asking.
pub(super) fn put(
    answer: Result<Answer, NoReply>,
    into: &mut Recording,
    take: impl FnOnce(&mut Recording, &Answer) -> bool,
) -> Option<Answer> {
    if into.stopped.is_some() {
        return None;
    }
    match answer {
        Ok(answer) => {
            let whole = take(into, &answer);
            if let Some(seconds) = answer.wait() {
                into.stopped = Some(Stopped::Wait(seconds));
            } else if into.size() > BYTES {
                into.stopped = Some(Stopped::Full);
            } else if whole && answer.good() {
                return Some(answer);
            }
            None
        }
        Err(why) => {
            into.stopped = Some(match why {
                NoReply::Wait(seconds) => Stopped::Wait(seconds),
                why => Stopped::Silent(why.to_string()),
            });
            None
        }
    }
}
