//! One child process and the thread that hears it.

use std::io::{self, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use super::keeper::Event;
use super::wire::{self, Ask, Told};

/// This very binary.
pub(super) const OURSELVES: &str = "/proc/self/exe";

/// The child that was started before anybody had a question for it.
static AHEAD: Mutex<Option<JoinHandle<io::Result<Child>>>> = Mutex::new(None);

/// Starts a child now, on a thread of its own, for the first reader that wants one: loading the
/// program takes longer than all that stands before its first question. One that nobody takes
/// ends with this process, whose end closes its pipe.
pub fn ahead() {
    let starting = std::thread::Builder::new()
        .name("reader ahead".to_owned())
        .spawn(|| command(Path::new(OURSELVES)).spawn());
    if let Ok(starting) = starting {
        let mut ahead = AHEAD.lock().unwrap_or_else(PoisonError::into_inner);
        *ahead = Some(starting);
    }
}

fn taken_ahead() -> Option<Child> {
    let starting = AHEAD
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take()?;
    starting.join().ok()?.ok()
}

fn command(program: &Path) -> Command {
    use std::os::unix::process::CommandExt as _;
    let mut command = Command::new(program);
    command
        .arg0("countersign: reader")
        .arg(super::ROLE)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(home) = std::env::var_os("HOME") {
        // for the person's own safe.directory and ignore files, nothing else
        command.env("HOME", home);
    }
    command
}

/// A running child.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    questions: ChildStdin,
}

impl Process {
    /// Starts a child; what it says becomes events of this generation.
    ///
    /// # Errors
    /// When no process or thread can be started.
    pub(super) fn start(
        program: &Path,
        generation: u64,
        events: &Sender<Event>,
    ) -> io::Result<Self> {
        let ahead = (program == Path::new(OURSELVES))
            .then(taken_ahead)
            .flatten();
        let mut child = match ahead {
            Some(child) => child,
            None => command(program).spawn()?,
        };
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe));
        };
        let events = events.clone();
        std::thread::Builder::new()
            .name("reader answers".to_owned())
            .spawn(move || {
                let mut answers = BufReader::with_capacity(64 << 10, answers);
                while let Ok(Some(told)) = wire::read::<Told>(&mut answers) {
                    if events
                        .send(Event::Told(generation, Box::new(told)))
                        .is_err()
                    {
                        return;
                    }
                }
                let _ = events.send(Event::Gone(generation));
            })?;
        Ok(Self { child, questions })
    }

    /// Its process id.
    #[must_use]
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a question; `false` when the child does not hear any more.
    pub(super) fn send(&mut self, ask: &Ask) -> bool {
        wire::write(&mut self.questions, ask).is_ok()
    }

    /// Ends it and takes it away.
    pub(super) fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
