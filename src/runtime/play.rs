//! A session without a terminal, played from a key script into a screen in memory. For the
//! built-in sample and tests; it passes through the same update, compose and hands.

use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tokio::sync::mpsc::Receiver;

use crate::app::effect::Leave;
use crate::app::key::Key;
use crate::app::msg::Msg;
use crate::view::{Theme, paint, sweep};

use super::core::{Core, Wish};
use super::hub::News;
use super::script::Step;

/// How long a frame stands before the next key, by the session's clock.
const LOOK_MS: u64 = 400;
/// How long `wait` waits.
const WAIT: Duration = Duration::from_secs(60);

/// A player.
#[derive(Debug)]
pub struct Player {
    core: Core,
    news: Receiver<News>,
    size: (u16, u16),
    text: String,
    copied: Vec<String>,
}

/// Why a script stopped early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stuck {
    /// What it waited for.
    pub words: String,
    /// The screen at that time.
    pub screen: String,
}

impl Player {
    /// A player that did not begin.
    #[must_use]
    pub fn new(core: Core, news: Receiver<News>, size: (u16, u16)) -> Self {
        Self {
            core,
            news,
            size,
            text: String::new(),
            copied: Vec::new(),
        }
    }

    /// Plays all steps (or until the session ends), handing every printed screen to `print`.
    ///
    /// # Errors
    /// When words did not appear within a minute.
    pub async fn play(
        mut self,
        steps: &[Step],
        mut print: impl FnMut(&str),
    ) -> Result<(Core, Leave), Stuck> {
        self.draw();
        let wishes = self.core.start().map_err(|error| Stuck {
            words: error.to_string(),
            screen: String::new(),
        })?;
        self.grant(wishes);
        for step in steps {
            if self.core.left().is_some() {
                break;
            }
            match step {
                Step::Press(key) => self.press(*key),
                Step::Do(command) => {
                    if let Some(key) = self.core.state.keys.keys(*command).first().copied() {
                        self.press(key);
                    }
                }
                Step::Type(text) => text.chars().for_each(|c| self.press(Key::char(c))),
                Step::Size(columns, rows) => self.resize(*columns, *rows),
                Step::Wait(words) => self.wait(words).await?,
                Step::Rest(ms) => {
                    self.core.clock.skip(*ms);
                    self.settle();
                }
                Step::Screen => {
                    self.settle();
                    print(&self.text);
                }
            }
        }
        let leave = self.core.left().unwrap_or(Leave::Undecided);
        Ok((self.core, leave))
    }

    fn press(&mut self, key: Key) {
        self.core.clock.skip(LOOK_MS);
        let wishes = self.core.feed([Msg::Key { key, repeat: false }]);
        self.grant(wishes);
        self.settle();
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.size = (columns, rows);
        let wishes = self.core.feed([Msg::Resize(columns, rows)]);
        self.grant(wishes);
        self.settle();
    }

    async fn wait(&mut self, words: &str) -> Result<(), Stuck> {
        let end = Instant::now() + WAIT;
        loop {
            self.settle();
            if self.text.contains(words) {
                return Ok(());
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || self.core.left().is_some() {
                return Err(Stuck {
                    words: words.to_owned(),
                    screen: self.text.clone(),
                });
            }
            let nap = self.core.sleep_ms().map_or(left, Duration::from_millis);
            let nap = nap.min(left).min(Duration::from_millis(250));
            match tokio::time::timeout(nap, self.news.recv()).await {
                Ok(Some(news)) => self.hear(news),
                Ok(None) | Err(_) => self.core.woken(),
            }
        }
    }

    /// Takes all news and draws until nothing changes any more.
    fn settle(&mut self) {
        while let Ok(news) = self.news.try_recv() {
            self.hear(news);
        }
        let wishes = self.core.feed([]);
        self.grant(wishes);
        for _ in 0..3 {
            if !self.draw() {
                return;
            }
        }
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Msg(message) => {
                let wishes = self.core.feed([message]);
                self.grant(wishes);
            }
            News::Drained
            | News::Signal(_)
            | News::HungUp
            | News::Stop
            | News::Back
            | News::Resized
            | News::EditorClosed(_)
            | News::Seal(..) => {}
        }
    }

    fn grant(&mut self, wishes: Vec<Wish>) {
        for wish in wishes {
            match wish {
                Wish::Copy(text) => self.copied.push(text),
                Wish::Editor(..) | Wish::Edit(..) | Wish::Repaint | Wish::Suspend => {}
            }
        }
    }

    /// Draws; whether the screen changed.
    fn draw(&mut self) -> bool {
        let scene = self.core.scene();
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.size.0, self.size.1));
        paint(&scene, &Theme::plain(), &mut buffer);
        sweep(&mut buffer, true);
        let now = self.core.clock.now_ms();
        let wishes = self.core.feed([Msg::Drawn(now)]);
        self.grant(wishes);
        let text = text_of(&buffer);
        let changed = text != self.text;
        self.text = text;
        changed
    }
}

/// The rows of a buffer without blanks at their ends.
fn text_of(buffer: &Buffer) -> String {
    let mut out = String::new();
    for row in buffer.content.chunks(usize::from(buffer.area.width).max(1)) {
        let mut line = String::new();
        let mut covered = 0;
        for cell in row {
            if covered > 0 {
                covered -= 1;
                continue;
            }
            line.push_str(cell.symbol());
            covered = unicode_width::UnicodeWidthStr::width(cell.symbol()).saturating_sub(1);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
