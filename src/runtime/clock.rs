//! Monotonic milliseconds since the session began. Nothing else reads a clock for the app.

use std::time::Instant;

/// The clock of a session; a script may put it forward.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    ahead_ms: u64,
}

impl Clock {
    /// A clock that stands at 0 now.
    #[must_use]
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
            ahead_ms: 0,
        }
    }

    /// Milliseconds now.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        let real = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        real.saturating_add(self.ahead_ms)
    }

    /// Puts the clock forward: only a key script does, so that it need not wait.
    pub fn skip(&mut self, ms: u64) {
        self.ahead_ms = self.ahead_ms.saturating_add(ms);
    }

    /// When the session began.
    #[must_use]
    pub fn started(&self) -> Instant {
        self.start
    }
}
