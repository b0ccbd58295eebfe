//! The session on a terminal: gather a burst, feed it, draw at most one frame, sleep.
//!
//! The loop never waits for a child, the disk or the terminal. At rest it has no timer of its
//! own and writes nothing.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::poll_immediate;
use rustix::process::{Signal, kill_current_process_group};
use termina::Event;
use tokio::sync::mpsc::Receiver;

use crate::adapters::signer::Handover;
use crate::app::effect::Leave;
use crate::app::msg::{Answer, Msg, Trouble};
use crate::app::scene::Scene;
use crate::model::id::{RepoPath, Ticket};
use crate::view::draw::draw;
use crate::view::theme::Theme;

use super::core::{Core, Wish};
use super::editor;
use super::guard::Guard;
use super::hub::{Hub, News};
use super::input::Input;
use super::keyboard::Keyboard;
use super::screen::{Screen, Sent};
use super::{clipboard, hangup, signals};

/// Most events of one burst: a flood of keys is still interrupted by news.
const BURST: usize = 512;

/// Least time between two frames that nobody waits for.
const CALM: Duration = Duration::from_millis(16);

/// The face of a session on a terminal.
pub struct Session {
    core: Core,
    theme: Theme,
    guard: Arc<Guard>,
    screen: Screen,
    input: Input,
    hub: Hub,
    news: Receiver<News>,
    keyboard: Keyboard,
    editing: Option<Editing>,
    editor: String,
    shown: Option<Scene>,
    /// When the last frame was made.
    drawn: Instant,
    /// Something came that is to be drawn with what follows it.
    due: bool,
    /// Wishes that came with a frame.
    later: Vec<Wish>,
    signal: Option<i32>,
    /// We stopped ourselves and are back; the signal that woke us is still to be told of.
    woken: bool,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

/// What a session is made of, beside the machine.
#[derive(Debug)]
pub struct Setting {
    /// The terminal, not entered yet.
    pub guard: Arc<Guard>,
    /// The looks.
    pub theme: Theme,
    /// Whether colors are taken out.
    pub colorless: bool,
    /// The command of the person's editor.
    pub editor: String,
}

impl Session {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When the terminal cannot be switched or a handler cannot be set.
    pub fn new(core: Core, setting: Setting, hub: Hub, news: Receiver<News>) -> io::Result<Self> {
        let Setting {
            guard,
            theme,
            colorless,
            editor,
        } = setting;
        signals::forward(&hub)?;
        guard.enter()?;
        let told = hub.clone();
        let screen = Screen::new(Arc::clone(&guard), colorless, move || {
            told.tell(News::Drained);
        })?;
        Ok(Self {
            core,
            theme,
            keyboard: Keyboard::new(guard.tty().try_clone()?)?,
            guard,
            screen,
            input: Input::default(),
            hub,
            news,
            editing: None,
            editor,
            shown: None,
            drawn: Instant::now(),
            due: false,
            later: Vec::new(),
            signal: None,
            woken: false,
        })
    }

    /// Runs until the person leaves or the terminal goes. The terminal is given back.
    ///
    /// # Errors
    /// When the terminal fails in another way than going away.
    pub async fn run(mut self) -> io::Result<(Core, Leave, Option<i32>)> {
        // the reader is started by a thread of its own, while the first frame is made
        let wishes = self.core.start()?;
        self.later.extend(wishes);
        let drawn = self.draw();
        if drawn.is_ok() {
            self.watch_hang_up()?;
        }
        let ended = match drawn {
            Ok(()) => self.turn().await,
            Err(error) => Err(error),
        };
        self.guard.leave();
        if let Err(error) = ended
            && self.core.left().is_none()
        {
            if is_gone(&error) {
                self.core.end(Leave::HungUp);
            } else {
                let _ = self.core.desk.close();
                return Err(error);
            }
        }
        let leave = self.core.left().unwrap_or(Leave::HungUp);
        if leave == Leave::HungUp && self.signal.is_none() {
            self.signal = Some(Signal::HUP.as_raw());
        }
        Ok((self.core, leave, self.signal))
    }

    async fn turn(&mut self) -> io::Result<()> {
        while self.core.left().is_none() {
            let burst = self.gather().await;
            let calm = self.calm(&burst);
            self.handle(burst)?;
            self.due = calm;
            if self.core.left().is_none() && !calm {
                self.draw()?;
            }
        }
        Ok(())
    }

    /// Whether a burst holds only what may be drawn later, and the last frame is too young for
    /// another one.
    fn calm(&self, burst: &Burst) -> bool {
        let waits = |news: &News| matches!(news, News::Msg(message) if self.core.can_wait(message));
        let idle = burst.news.is_empty() && !self.due;
        !idle && self.drawn.elapsed() < CALM && burst.quiet() && burst.news.iter().all(waits)
    }

    /// Waits for the first thing to happen and takes everything that has happened by then.
    async fn gather(&mut self) -> Burst {
        let mut sleep = self.core.sleep_ms();
        if self.due {
            let left = CALM.saturating_sub(self.drawn.elapsed()).as_millis();
            let left = u64::try_from(left).unwrap_or(0) + 1;
            sleep = Some(sleep.map_or(left, |sleep| sleep.min(left)));
        }
        let mut burst = Burst::default();
        tokio::select! {
            biased;
            news = self.news.recv() => burst.news.extend(news),
            event = typed(&mut self.keyboard, &self.editing) => burst.take(event),
            () = doze(sleep) => self.core.woken(),
        }
        while burst.news.len() < BURST
            && let Ok(news) = self.news.try_recv()
        {
            burst.news.push(news);
        }
        while burst.events.len() < BURST
            && !burst.gone
            && let Some(event) = poll_immediate(typed(&mut self.keyboard, &self.editing)).await
        {
            burst.take(event);
        }
        burst
    }

    fn handle(&mut self, burst: Burst) -> io::Result<()> {
        if burst.gone {
            self.hung_up();
        }
        let now = self.core.clock.now_ms();
        let mut messages = Vec::new();
        for news in burst.news {
            match news {
                News::Msg(message) => messages.push(message),
                News::Drained => {
                    self.screen.raw(&[])?;
                    messages.push(Msg::Drawn(now));
                }
                News::Signal(number) => self.signalled(number),
                News::HungUp => self.hung_up(),
                News::Stop => self.suspend()?,
                News::Back => self.back()?,
                News::Resized => {
                    let (columns, rows) = self.guard.size();
                    self.screen.resize(columns, rows)?;
                    messages.push(Msg::Resize(columns, rows));
                }
                News::Seal(ticket, handover) => self.hand_over(ticket, handover)?,
                News::EditorClosed(well) => messages.extend(self.take_text(well)?),
            }
        }
        messages.extend(self.input.messages(burst.events, now));
        let mut wishes = std::mem::take(&mut self.later);
        wishes.extend(self.core.feed(messages));
        for wish in wishes {
            self.grant(wish)?;
        }
        Ok(())
    }

    fn grant(&mut self, wish: Wish) -> io::Result<()> {
        match wish {
            Wish::Editor(ticket, text) => self.open_editor(ticket, &text),
            Wish::Edit(path, line) => self.open_file(&path, line),
            Wish::Copy(text) => match clipboard::sequence(&text) {
                Some(bytes) => self.screen.raw(&bytes).map(|_| ()),
                None => Ok(()),
            },
            Wish::Repaint => {
                self.shown = None;
                self.guard.leave();
                self.guard.enter()?;
                self.screen.repaint()
            }
            Wish::Suspend => self.suspend(),
        }
    }

    /// Draws when the scene differs from the one on the terminal; once more when having been
    /// seen changed words (`locked`, the dot of an unseen row).
    fn draw(&mut self) -> io::Result<()> {
        for _ in 0..2 {
            if self.editing.is_some() || self.screen.busy() {
                return Ok(());
            }
            self.drawn = Instant::now();
            let scene = self.core.scene();
            let changed = self.shown.as_ref() != Some(&scene);
            if changed {
                let theme = &self.theme;
                let sent = self.screen.draw(|frame| draw(&scene, theme, frame))?;
                self.shown = Some(scene);
                if sent != Sent::Whole {
                    return Ok(());
                }
            }
            let now = self.core.clock.now_ms();
            let wishes = self.core.feed([Msg::Drawn(now)]);
            self.later.extend(wishes);
            // news that came meanwhile brings a frame of its own
            if !changed || !self.core.state.seen.grew || !self.news.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn watch_hang_up(&self) -> io::Result<()> {
        let (hub, drafts) = (self.hub.clone(), self.core.desk.drafts());
        hangup::watch(move || hub.tell(News::HungUp), move || drafts.flush_now())
    }

    fn signalled(&mut self, number: i32) {
        let interrupt = number == Signal::INT.as_raw() || number == Signal::QUIT.as_raw();
        if interrupt && self.editing.is_some() {
            return;
        }
        self.signal = Some(number);
        let _ = self.core.feed([Msg::Hangup]);
        self.core.end(Leave::HungUp);
    }

    fn hung_up(&mut self) {
        let _ = self.core.feed([Msg::Hangup]);
        self.core.end(Leave::HungUp);
    }

    /// Gives the terminal back, stops the whole group, and goes on when it is continued.
    fn suspend(&mut self) -> io::Result<()> {
        if self.editing.is_some() {
            let _ = kill_current_process_group(Signal::STOP);
            return Ok(());
        }
        self.core.desk.drafts().flush_now();
        self.guard.leave();
        self.woken = true;
        let _ = kill_current_process_group(Signal::STOP);
        self.come_back()
    }

    /// Somebody else stopped and continued us: the terminal may hold anything.
    fn back(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.woken) || self.editing.is_some() {
            return Ok(());
        }
        self.guard.leave();
        self.come_back()
    }

    fn come_back(&mut self) -> io::Result<()> {
        self.guard.enter()?;
        self.screen.repaint()?;
        self.shown = None;
        let (columns, rows) = self.guard.size();
        let _ = self
            .core
            .feed([Msg::Resize(columns, rows), Msg::Focus(true)]);
        Ok(())
    }

    fn open_editor(&mut self, ticket: Ticket, text: &str) -> io::Result<()> {
        let draft = match editor::Draft::new(&self.core.desk.texts(), text) {
            Ok(draft) => draft,
            Err(error) => {
                self.refuse_editor(ticket, &error);
                return Ok(());
            }
        };
        let child = draft.child(&self.editor);
        match self.start_editor(child, Editing::Text(ticket, draft))? {
            Ok(()) => {}
            Err(error) => self.refuse_editor(ticket, &error),
        }
        Ok(())
    }

    /// The person's own copy of a file, in their editor.
    fn open_file(&mut self, path: &RepoPath, line: u32) -> io::Result<()> {
        let texts = self.core.desk.texts();
        let found = self.core.desk.copy_of(path);
        let child = found.and_then(|file| editor::file(&self.editor, &texts, &file, line));
        let started = match child {
            Ok(child) => self.start_editor(Ok(child), Editing::File)?,
            Err(error) => Err(error),
        };
        if let Err(error) = started {
            self.core.refuse(format!("Not opened: {error}."));
        }
        Ok(())
    }

    /// Gives the terminal to a child; the inner result says why it did not start.
    fn start_editor(
        &mut self,
        child: io::Result<tokio::process::Command>,
        editing: Editing,
    ) -> io::Result<io::Result<()>> {
        self.core.desk.drafts().flush_now();
        self.guard.leave();
        match child.and_then(|mut command| command.spawn()) {
            Ok(mut child) => {
                let hub = self.hub.clone();
                self.editing = Some(editing);
                tokio::spawn(async move {
                    let well = child.wait().await.is_ok_and(|status| status.success());
                    hub.send(News::EditorClosed(well)).await;
                });
                Ok(Ok(()))
            }
            Err(error) => {
                self.come_back()?;
                Ok(Err(error))
            }
        }
    }

    /// `ssh-keygen` asks the person for passphrase or touch.
    fn hand_over(&mut self, ticket: Ticket, handover: Box<Handover>) -> io::Result<()> {
        // The words before its prompt belong to the terminal, not to our screen.
        self.guard.leave();
        let child = editor::signature(&handover);
        let started = self.start_editor(child, Editing::Seal(ticket, handover))?;
        if let Err(error) = started {
            self.core.desk.sealed(ticket, Err(error.to_string()));
        }
        Ok(())
    }

    fn take_text(&mut self, well: bool) -> io::Result<Option<Msg>> {
        let (ticket, draft) = match self.editing.take() {
            Some(Editing::Text(ticket, draft)) => (ticket, draft),
            Some(Editing::Seal(ticket, handover)) => {
                self.come_back()?;
                let made = handover.signature().map_err(|error| error.to_string());
                self.core.desk.sealed(ticket, made);
                return Ok(None);
            }
            Some(Editing::File) => {
                self.come_back()?;
                return Ok(None);
            }
            None => return Ok(None),
        };
        let text = if well {
            draft.read()
        } else {
            Err(io::Error::other("the editor ended with a failure"))
        };
        self.come_back()?;
        let answer = Answer::Edited(text.map_err(|error| editor_trouble(&error)));
        Ok(Some(Msg::Answer(ticket, Box::new(answer))))
    }

    fn refuse_editor(&mut self, ticket: Ticket, error: &io::Error) {
        let answer = Answer::Edited(Err(editor_trouble(error)));
        let _ = self.core.answer(ticket, answer);
    }
}

/// What the editor has the terminal for.
#[derive(Debug)]
enum Editing {
    /// A text of the person, for whoever asked for it.
    Text(Ticket, editor::Draft),
    /// Their copy of a file.
    File,
    /// A signature.
    Seal(Ticket, Box<Handover>),
}

fn editor_trouble(error: &io::Error) -> Trouble {
    Trouble {
        says: format!("The text is as before: {error}."),
        hint: "Set VISUAL to the editor you want.".into(),
    }
}

/// What one turn of the loop works on.
#[derive(Debug, Default)]
struct Burst {
    news: Vec<News>,
    events: Vec<Event>,
    /// The terminal sends nothing any more.
    gone: bool,
}

impl Burst {
    fn take(&mut self, event: Option<Event>) {
        match event {
            Some(event) => self.events.push(event),
            None => self.gone = true,
        }
    }

    /// Whether nobody pressed anything.
    fn quiet(&self) -> bool {
        self.events.is_empty() && !self.gone
    }
}

/// The next event; nothing while the terminal belongs to an editor.
async fn typed(keyboard: &mut Keyboard, editing: &Option<Editing>) -> Option<Event> {
    match editing {
        Some(_) => std::future::pending().await,
        None => keyboard.next().await,
    }
}

async fn doze(ms: Option<u64>) {
    match ms {
        Some(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
        None => std::future::pending().await,
    }
}

fn is_gone(error: &io::Error) -> bool {
    let gone = [
        rustix::io::Errno::IO,
        rustix::io::Errno::PIPE,
        rustix::io::Errno::NXIO,
    ];
    error
        .raw_os_error()
        .is_some_and(|code| gone.iter().any(|errno| errno.raw_os_error() == code))
}
