//! Frames on their way to the terminal: swept, at most one under way, none of them awaited.
//!
//! Two guards stand behind the escaping of foreign text: the finished buffer is swept, and the
//! backend looks at every changed cell again (OUT-6). Colors are taken out here under
//! `NO_COLOR`, never by the library, which would then write a reset in the middle of a line.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc;

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Rect, Size};
use ratatui::{Frame, Terminal};

use crate::model::text::{CLUSTER_BYTES, is_hidden};
use crate::view::sweep;

use super::guard::{Guard, wait_writable};

/// What became of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sent {
    /// The terminal took all of it.
    Whole,
    /// The terminal is slow; the rest follows, and `on_drained` is called then.
    UnderWay,
    /// The one before is still under way: nothing was drawn.
    Busy,
}

/// The screen of a session.
pub struct Screen {
    terminal: Terminal<Cells>,
    bytes: Sink,
    guard: Arc<Guard>,
    colorless: bool,
    slow: SlowLane,
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").finish_non_exhaustive()
    }
}

impl Screen {
    /// A screen on a terminal that was entered. `on_drained` is called from another thread
    /// whenever a frame that was under way has reached the terminal.
    ///
    /// # Errors
    /// When the first buffer cannot be made.
    pub fn new(
        guard: Arc<Guard>,
        colorless: bool,
        on_drained: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<Self> {
        // Under `NO_COLOR` the library would write an empty sequence, which resets bold and
        // underline as well; taking colors out is our own work (bug log, traps of the stack).
        crossterm::style::force_color_output(true);
        let bytes = Sink::default();
        let (columns, rows) = guard.size();
        let backend = Cells {
            inner: CrosstermBackend::new(bytes.clone()),
            size: Size::new(columns, rows),
            cursor: None,
        };
        Ok(Self {
            terminal: Terminal::new(backend)?,
            bytes,
            slow: SlowLane::new(Arc::clone(&guard), Arc::new(on_drained)),
            guard,
            colorless,
        })
    }

    /// Whether a frame is still under way.
    pub fn busy(&mut self) -> bool {
        self.slow.busy()
    }

    /// Draws one frame.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn draw(&mut self, paint: impl FnOnce(&mut Frame<'_>)) -> io::Result<Sent> {
        if self.slow.busy() {
            return Ok(Sent::Busy);
        }
        let colorless = self.colorless;
        self.terminal.draw(|frame| {
            paint(frame);
            sweep(frame.buffer_mut(), colorless);
        })?;
        self.send()
    }

    /// Takes a new size; the next frame is drawn whole.
    ///
    /// # Errors
    /// None that the terminal causes.
    pub fn resize(&mut self, columns: u16, rows: u16) -> io::Result<()> {
        self.terminal.backend_mut().size = Size::new(columns, rows);
        self.terminal.resize(Rect::new(0, 0, columns, rows))
    }

    /// Makes the next frame a whole one, at the size the terminal has now.
    ///
    /// # Errors
    /// None that the terminal causes.
    pub fn repaint(&mut self) -> io::Result<()> {
        let (columns, rows) = self.guard.size();
        self.terminal.backend_mut().cursor = None;
        self.resize(columns, rows)
    }

    /// Sends bytes of our own (a copy) after the frames drawn so far.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<Sent> {
        self.bytes.0.borrow_mut().extend_from_slice(bytes);
        if self.slow.busy() {
            return Ok(Sent::Busy);
        }
        self.send()
    }

    fn send(&mut self) -> io::Result<Sent> {
        let bytes = self.bytes.0.take();
        let mut left = bytes.as_slice();
        while !left.is_empty() {
            match self.guard.tty().write(left) {
                Ok(written) => left = left.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.slow.take(left.to_vec())?;
                    return Ok(Sent::UnderWay);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Sent::Whole)
    }
}

/// A thread for the rest of a frame that a slow terminal did not take at once.
struct SlowLane {
    guard: Arc<Guard>,
    on_drained: Arc<dyn Fn() + Send + Sync>,
    lane: Option<(mpsc::SyncSender<Vec<u8>>, mpsc::Receiver<()>)>,
    under_way: bool,
}

impl SlowLane {
    fn new(guard: Arc<Guard>, on_drained: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self {
            guard,
            on_drained,
            lane: None,
            under_way: false,
        }
    }

    fn busy(&mut self) -> bool {
        if self.under_way
            && let Some((_, done)) = &self.lane
            && done.try_recv().is_ok()
        {
            self.under_way = false;
        }
        self.under_way
    }

    fn take(&mut self, rest: Vec<u8>) -> io::Result<()> {
        if self.lane.is_none() {
            let (give, take) = mpsc::sync_channel::<Vec<u8>>(1);
            let (done, drained) = mpsc::sync_channel(1);
            let (guard, tell) = (Arc::clone(&self.guard), Arc::clone(&self.on_drained));
            std::thread::Builder::new()
                .name("slow-terminal".into())
                .stack_size(64 * 1024)
                .spawn(move || {
                    while let Ok(rest) = take.recv() {
                        write_slowly(&guard, &rest);
                        if done.send(()).is_err() {
                            return;
                        }
                        tell();
                    }
                })?;
            self.lane = Some((give, drained));
        }
        if let Some((give, _)) = &self.lane {
            self.under_way = give.try_send(rest).is_ok();
        }
        Ok(())
    }
}

/// Writes until done; a terminal that is gone ends it (the watcher ends the session).
fn write_slowly(guard: &Guard, mut rest: &[u8]) {
    while !rest.is_empty() {
        match guard.tty().write(rest) {
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if wait_writable(guard.tty(), None).is_err() {
                    return;
                }
            }
            Err(_) => return,
        }
    }
}

/// Whether a cell may carry this: short, and nothing that a terminal obeys or draws invisibly
/// (joiners and the emoji selector inside a cluster belong to it, OUT-4).
fn fits(symbol: &str) -> bool {
    if let [byte] = symbol.as_bytes() {
        return (b' '..=b'~').contains(byte);
    }
    !symbol.is_empty()
        && symbol.len() <= CLUSTER_BYTES
        && symbol.chars().enumerate().all(|(at, character)| {
            let joins = matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe0f}');
            !is_hidden(character) || (joins && at > 0)
        })
}

/// A buffer that the backend writes into.
#[derive(Clone, Default)]
struct Sink(Rc<RefCell<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The second guard, and a backend that asks the terminal nothing and tells it nothing twice.
struct Cells {
    inner: CrosstermBackend<Sink>,
    size: Size,
    /// Whether the cursor shows, once the terminal was told.
    cursor: Option<bool>,
}

static REFUSED: Cell = Cell::new("\u{fffd}");

impl Backend for Cells {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        if content.peek().is_none() {
            return Ok(());
        }
        self.inner.draw(content.map(|(x, y, cell)| {
            let cell = if fits(cell.symbol()) { cell } else { &REFUSED };
            (x, y, cell)
        }))
    }
    fn hide_cursor(&mut self) -> io::Result<()> {
        if self.cursor.replace(false) == Some(false) {
            return Ok(());
        }
        self.inner.hide_cursor()
    }
    fn show_cursor(&mut self) -> io::Result<()> {
        if self.cursor.replace(true) == Some(true) {
            return Ok(());
        }
        self.inner.show_cursor()
    }
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(Position::ORIGIN)
    }
    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }
    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }
    fn clear_region(&mut self, kind: ClearType) -> io::Result<()> {
        self.inner.clear_region(kind)
    }
    fn size(&self) -> io::Result<Size> {
        Ok(self.size)
    }
    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize {
            columns_rows: self.size,
            pixels: Size::ZERO,
        })
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_carries_what_a_terminal_obeys() {
        for symbol in [
            "\u{1b}",
            "\u{1b}[2J",
            "a\u{202e}",
            "\u{200d}",
            "\u{9b}",
            "\n",
            "",
        ] {
            assert!(!fits(symbol), "{symbol:?}");
        }
        let pile = format!("e{}", "\u{301}".repeat(1000));
        assert!(!fits(&pile));
    }

    #[test]
    fn what_people_write_stays() {
        for symbol in ["a", " ", "~", "é", "漢", "👩\u{200d}👩\u{200d}👧", "✗", "▸"] {
            assert!(fits(symbol), "{symbol:?}");
        }
    }
}
