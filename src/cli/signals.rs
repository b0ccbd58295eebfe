//! INT, TERM and HUP for commands without a screen: noticed, not obeyed at once, so that runs can
//! be ended first (RUN-25).

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{SignalKind, signal};

/// Whether one of them came.
#[derive(Debug)]
pub struct Signals {
    came: Arc<AtomicBool>,
}

impl Signals {
    /// Listens from now on, for as long as this process lives.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn listen() -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let mut streams = {
            let _inside = runtime.enter();
            [
                signal(SignalKind::interrupt())?,
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
            ]
        };
        let came = Arc::new(AtomicBool::new(false));
        let noted = Arc::clone(&came);
        std::thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                runtime.block_on(async {
                    let [int, term, hup] = &mut streams;
                    loop {
                        tokio::select! {
                            _ = int.recv() => {}
                            _ = term.recv() => {}
                            _ = hup.recv() => {}
                        }
                        noted.store(true, Ordering::SeqCst);
                    }
                });
            })?;
        Ok(Self { came })
    }

    /// Whether one came.
    #[must_use]
    pub fn came(&self) -> bool {
        self.came.load(Ordering::SeqCst)
    }
}
