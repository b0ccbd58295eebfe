//! A screen of its own on a terminal: one burst of keys, at most one frame, sleep.

use std::io;
use std::sync::Arc;

use futures_util::future::poll_immediate;
use rustix::process::{Signal, kill_current_process_group};
use tokio::sync::mpsc::Receiver;

use crate::app::msg::Msg;
use crate::app::page::{Input as Given, Page};
use crate::app::scene::Scene;
use crate::view::draw::draw;
use crate::view::theme::Theme;

use super::clock::Clock;
use super::guard::Guard;
use super::hub::{Hub, News};
use super::input::Input;
use super::keyboard::Keyboard;
use super::screen::Screen;
use super::{hangup, signals};

/// Most events of one burst.
const BURST: usize = 512;

/// The terminal and the looks.
#[derive(Debug)]
pub struct Setting {
    /// The terminal, not entered yet.
    pub guard: Arc<Guard>,
    /// The looks.
    pub theme: Theme,
    /// Whether colors are taken out.
    pub colorless: bool,
}

struct Desk<P, V> {
    page: P,
    setting: Setting,
    screen: Screen,
    keyboard: Keyboard,
    input: Input,
    news: Receiver<News>,
    clock: Clock,
    answer: V,
    shown: Option<Scene>,
    signal: Option<i32>,
    /// We stopped ourselves; the signal that woke us is still to be told of.
    woken: bool,
}

/// Runs the screen until the person leaves or the terminal goes; the terminal is given back.
/// `answer` does what the screen wishes for and says what came of it.
///
/// # Errors
/// When the terminal fails.
pub async fn run<P: Page>(
    page: P,
    setting: Setting,
    answer: impl FnMut(&P, P::Wish) -> P::Event,
) -> io::Result<(P, Option<i32>)> {
    let (hub, news) = Hub::new();
    signals::forward(&hub)?;
    setting.guard.enter()?;
    let guard = Arc::clone(&setting.guard);
    let ended = begin(page, setting, &hub, news, answer).await;
    guard.leave();
    ended
}

async fn begin<P: Page>(
    page: P,
    setting: Setting,
    hub: &Hub,
    news: Receiver<News>,
    answer: impl FnMut(&P, P::Wish) -> P::Event,
) -> io::Result<(P, Option<i32>)> {
    let told = hub.clone();
    let screen = Screen::new(Arc::clone(&setting.guard), setting.colorless, move || {
        told.tell(News::Drained);
    })?;
    let gone = hub.clone();
    hangup::watch(move || gone.tell(News::HungUp), || {})?;
    let mut desk = Desk {
        keyboard: Keyboard::new(setting.guard.tty().try_clone()?)?,
        page,
        setting,
        screen,
        input: Input::default(),
        news,
        clock: Clock::start(),
        answer,
        shown: None,
        signal: None,
        woken: false,
    };
    desk.draw()?;
    while desk.page.ended().is_none() {
        desk.turn().await?;
        desk.draw()?;
    }
    Ok((desk.page, desk.signal))
}

impl<P: Page, V: FnMut(&P, P::Wish) -> P::Event> Desk<P, V> {
    async fn turn(&mut self) -> io::Result<()> {
        let mut events = Vec::new();
        let mut news = Vec::new();
        tokio::select! {
            biased;
            one = self.news.recv() => news.extend(one),
            one = self.keyboard.next() => match one {
                Some(event) => events.push(event),
                None => news.push(News::HungUp),
            },
        }
        while events.len() < BURST
            && let Some(Some(event)) = poll_immediate(self.keyboard.next()).await
        {
            events.push(event);
        }
        for one in news {
            self.told(&one)?;
        }
        let now = self.clock.now_ms();
        for message in self.input.messages(events, now) {
            let event = match message {
                Msg::Key { key, repeat } => Given::Key { key, repeat },
                Msg::Paste(text) => Given::Paste(text),
                _ => continue,
            };
            self.feed(event);
        }
        Ok(())
    }

    fn feed(&mut self, given: Given) {
        let mut waiting = self.page.take(given.into());
        while let Some(wish) = waiting.pop() {
            let event = (self.answer)(&self.page, wish);
            waiting.extend(self.page.take(event));
        }
    }

    fn told(&mut self, news: &News) -> io::Result<()> {
        match news {
            News::HungUp => self.feed(Given::HungUp),
            News::Signal(number) => {
                self.signal = Some(*number);
                self.feed(Given::HungUp);
            }
            News::Resized => {
                let (columns, rows) = self.setting.guard.size();
                self.screen.resize(columns, rows)?;
                self.shown = None;
                self.feed(Given::Resize(columns, rows));
            }
            News::Drained => {
                self.screen.raw(&[])?;
                self.feed(Given::Drawn);
            }
            News::Stop => {
                self.setting.guard.leave();
                self.woken = true;
                let _ = kill_current_process_group(Signal::STOP);
                self.come_back()?;
            }
            News::Back if std::mem::take(&mut self.woken) => {}
            News::Back => {
                self.setting.guard.leave();
                self.come_back()?;
            }
            News::Msg(_) | News::EditorClosed(_) | News::Seal(..) => {}
        }
        Ok(())
    }

    fn come_back(&mut self) -> io::Result<()> {
        self.setting.guard.enter()?;
        self.screen.repaint()?;
        self.shown = None;
        let (columns, rows) = self.setting.guard.size();
        self.feed(Given::Resize(columns, rows));
        Ok(())
    }

    /// Draws until the scene is the one on the terminal: what was wished for once it was drawn
    /// may have changed it.
    fn draw(&mut self) -> io::Result<()> {
        loop {
            if self.page.ended() == Some(true) || self.screen.busy() {
                return Ok(());
            }
            let scene = self.page.picture();
            if self.shown.as_ref() != Some(&scene) {
                let theme = &self.setting.theme;
                let sent = self.screen.draw(|frame| draw(&scene, theme, frame))?;
                self.shown = Some(scene);
                if sent != super::screen::Sent::Whole {
                    return Ok(());
                }
            }
            self.feed(Given::Drawn);
            if self.shown.as_ref() == Some(&self.page.picture()) {
                return Ok(());
            }
        }
    }
}
