//! The worker that colors lines.

use std::path::PathBuf;
use std::sync::mpsc::Receiver;

use super::child::{Answers, plain};
use super::highlight::Highlighter;
use super::wire::{Ask, Tell, What};
use crate::adapters::git::lines::Store;
use crate::adapters::git::{GitError, open};
use crate::model::id::Oid;

/// Colors lines.
pub(super) struct ColorWorker {
    answers: Answers,
    /// The repository; it is entered at the first question.
    dir: Option<PathBuf>,
    store: Option<Store>,
    highlighter: Option<Highlighter>,
}

impl ColorWorker {
    pub(super) fn new(answers: Answers) -> Self {
        Self {
            answers,
            dir: None,
            store: None,
            highlighter: None,
        }
    }

    pub(super) fn run(&mut self, asks: &Receiver<Ask>) {
        while let Ok(ask) = asks.recv() {
            match ask.what {
                What::Enter(dir) => {
                    self.dir = Some(dir);
                    self.store = None;
                }
                What::Lines {
                    blob,
                    from,
                    to,
                    color_as: Some(name),
                } => {
                    let result = self.lines(Oid(blob), from..to, &name);
                    self.answers.end(ask.number, result);
                }
                _ => {}
            }
        }
    }

    fn lines(
        &mut self,
        blob: Oid,
        range: std::ops::Range<u32>,
        name: &[u8],
    ) -> Result<Tell, GitError> {
        if self.store.is_none()
            && let Some(dir) = &self.dir
        {
            self.store = Some(Store::new(open::enter(dir)?.objects));
        }
        let store = self.store.as_mut();
        let store =
            store.ok_or_else(|| GitError::System("no repository was entered".to_owned()))?;
        let text = store.load(blob)?;
        let highlighter = self.highlighter.get_or_insert_with(Highlighter::new);
        let colors = highlighter.color(blob, name, &text, range.clone());
        let mut colors = colors.into_iter();
        let lines = text
            .range(range)
            .map(|line| plain(line, colors.next().unwrap_or_default()));
        Ok(Tell::Lines(lines.collect()))
    }
}
