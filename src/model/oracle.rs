//! An oracle (CHECK + EXPECT), how a run of it ends, and what the run proves.

use std::ops::Range;

use super::id::{Digest, Oid};
use super::text::Foreign;

/// Bytes of a stream that are kept from its beginning.
pub const KEPT_HEAD: usize = 256 << 10;
/// Bytes of a stream that are kept from its end.
pub const KEPT_TAIL: usize = 1 << 20;

/// What is kept of an output of so many bytes, in words: of a flood never all (OUT-10).
#[must_use]
pub fn kept(bytes: u64) -> &'static str {
    if bytes <= (KEPT_HEAD + KEPT_TAIL) as u64 {
        "kept whole"
    } else {
        "of which head and tail are kept"
    }
}

/// The command that decides a criterion and the marker it prints on success.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Oracle {
    /// The exact bytes of the command.
    pub check: Foreign,
    /// Its line.
    pub check_line: u32,
    /// The bytes of its value in the file.
    pub check_span: Range<usize>,
    /// What must be printed.
    pub expect: Expect,
    /// Line of EXPECT, 0 where the format allows none.
    pub expect_line: u32,
    /// The bytes of the value of EXPECT in the file (empty where there is none).
    pub expect_span: Range<usize>,
}

impl Oracle {
    /// SHA-256 of the command.
    #[must_use]
    pub fn command_digest(&self) -> Digest {
        Digest::of(self.check.raw())
    }

    /// SHA-256 of what is expected, kind included.
    #[must_use]
    pub fn expect_digest(&self) -> Digest {
        match &self.expect {
            Expect::Plain(text) => Digest::of_fields(&[b"plain", text.raw()]),
            Expect::Regex { source, flags } => {
                Digest::of_fields(&[b"regex", source.raw(), flags.raw()])
            }
            Expect::ExitOnly => Digest::of_fields(&[b"exit"]),
        }
    }

    /// SHA-256 of command and expectation together: the oracle's identity.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of_fields(&[self.check.raw(), &self.expect_digest().0])
    }
}

/// What an oracle must print.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expect {
    /// A plain, case-sensitive substring of one stream.
    Plain(Foreign),
    /// `/source/flags` (format unlazy), matched by a linear-time engine.
    Regex {
        /// Between the slashes.
        source: Foreign,
        /// After the last slash.
        flags: Foreign,
    },
    /// No marker: exit 0 alone (format unlazy), with the badge `no marker`.
    ExitOnly,
}

/// How a run ended. Only `Exited(0)` can be a pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// By itself, with this status.
    Exited(i32),
    /// Killed by this signal, not by us.
    Signalled(i32),
    /// Stopped by us at its time limit.
    TimedOut,
    /// Stopped by the person, or by leaving.
    Interrupted,
    /// It never started (no bash, no checkout, refused).
    NotStarted(String),
}

/// A stream of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Where the marker was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarkerAt {
    /// In which stream.
    pub stream: Stream,
    /// At which byte of it, before SGR sequences were taken out.
    pub offset: u64,
    /// The 1-based line it starts on.
    pub line: u64,
    /// Whether a CR later on the same line overwrites it on a terminal.
    pub overwritten: bool,
}

/// What a stream of a run left behind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Captured {
    /// All bytes written.
    pub bytes: u64,
    /// SHA-256 of all of them.
    pub digest: Digest,
    /// All lines written.
    pub lines: u64,
    /// The first bytes, at most 256 KiB.
    pub head: Foreign,
    /// The last bytes, at most 1 MiB; empty while everything fits into `head`.
    pub tail: Foreign,
    /// 1-based number of the first line that `tail` begins in.
    pub tail_line: u64,
}

/// Something that makes a run worthless as evidence, whatever it printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Interference {
    /// Tracked or unignored files of the checkout changed: the count and the first few paths.
    Tree(Vec<Foreign>),
    /// Head or base moved while it ran.
    Overtaken {
        /// Head at the start.
        from: Oid,
        /// Head at the end.
        to: Oid,
    },
    /// The contract file changed while it ran.
    Contract,
    /// The oracle approved is not the oracle that stands there now.
    Oracle,
    /// Our own ledger, approvals or the gitdir changed.
    Records(String),
}

/// The wall between a run and the person's machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Isolation {
    /// 0: nothing.
    None,
    /// 1: new session, no terminal, null stdin, scrubbed environment, limits, descendants killed.
    Session,
    /// 2: and writes limited to the checkout (Landlock).
    Files,
    /// 3: and no network, own process table.
    Network,
}

impl Isolation {
    /// The level of a number.
    #[must_use]
    pub fn of_level(level: u8) -> Option<Self> {
        match level {
            0 => Some(Self::None),
            1 => Some(Self::Session),
            2 => Some(Self::Files),
            3 => Some(Self::Network),
            _ => None,
        }
    }

    /// The level's number.
    #[must_use]
    pub fn level(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Session => 1,
            Self::Files => 2,
            Self::Network => 3,
        }
    }
}

/// Where a run took place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunPlace {
    /// A private checkout of the pinned tree.
    Checkout,
    /// The person's own worktree (`--live`).
    Live,
}

/// Which tree a run is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ground {
    /// That of the head: the run is evidence.
    Head,
    /// That of the merge base: the run is a negative control (RUN-20) and never evidence.
    Base,
}

/// What a run says about its criterion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Exited by itself with 0, the marker present where one is asked for, nothing interfered.
    Met,
    /// Ran to an end that is not a pass.
    NotMet,
    /// It could not be told (not started, interrupted, interfered).
    Error,
}

/// The verdict of a run: the rule of choices.md (RUN-16), in one place. `needs_marker` is false
/// only for [`Expect::ExitOnly`].
#[must_use]
pub fn outcome(
    ended: &Ended,
    needs_marker: bool,
    marker: Option<MarkerAt>,
    interference: &[Interference],
) -> Outcome {
    match ended {
        Ended::NotStarted(_) | Ended::Interrupted => Outcome::Error,
        Ended::Signalled(_) | Ended::TimedOut => Outcome::NotMet,
        Ended::Exited(status) if *status != 0 => Outcome::NotMet,
        Ended::Exited(_) if needs_marker && marker.is_none() => Outcome::NotMet,
        Ended::Exited(_) if !interference.is_empty() => Outcome::Error,
        Ended::Exited(_) => Outcome::Met,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_never_said_to_be_kept_whole() {
        let most = 1_310_720;
        assert_eq!(kept(most), "kept whole");
        assert_eq!(kept(most + 1), "of which head and tail are kept");
    }

    #[test]
    fn only_one_end_is_a_pass() {
        let marker = Some(MarkerAt {
            stream: Stream::Stdout,
            offset: 0,
            line: 1,
            overwritten: false,
        });
        let spoiled = [Interference::Contract];
        let rows = [
            (Ended::Exited(0), true, marker, false, Outcome::Met),
            (Ended::Exited(0), true, None, false, Outcome::NotMet),
            (Ended::Exited(0), false, None, false, Outcome::Met),
            (Ended::Exited(0), true, marker, true, Outcome::Error),
            (Ended::Exited(0), true, None, true, Outcome::NotMet),
            (Ended::Exited(1), true, marker, false, Outcome::NotMet),
            (Ended::Signalled(9), true, marker, false, Outcome::NotMet),
            (Ended::TimedOut, true, marker, false, Outcome::NotMet),
            (Ended::Interrupted, true, marker, false, Outcome::Error),
            (
                Ended::NotStarted("x".into()),
                true,
                marker,
                false,
                Outcome::Error,
            ),
        ];
        for (ended, needs, marker, spoil, wanted) in rows {
            let spoiled = if spoil { &spoiled[..] } else { &[] };
            assert_eq!(outcome(&ended, needs, marker, spoiled), wanted, "{ended:?}");
        }
    }
}
