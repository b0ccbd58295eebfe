//! What session and launcher say to each other.

use serde::{Deserialize, Serialize};

use crate::model::id::Digest;
use crate::model::oracle::{Captured, Ended, Expect, MarkerAt, Stream};
use crate::model::text::Foreign;

/// What a launcher is told once, before anything runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Setup {
    /// Level of isolation.
    pub(super) level: u8,
    /// The folder that CHECKs run in.
    pub(super) tree: Vec<u8>,
    /// The private TMPDIR.
    pub(super) tmp: Vec<u8>,
    /// Further folders that may be written to (tool caches).
    pub(super) caches: Vec<Vec<u8>>,
    /// The whole environment of a CHECK.
    pub(super) environment: Vec<(Vec<u8>, Vec<u8>)>,
    /// Absolute path of the shell.
    pub(super) shell: Vec<u8>,
}

/// To a launcher.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// Run this.
    Run {
        /// The command.
        check: Vec<u8>,
        /// What it must print.
        expect: WireExpect,
        /// Its limit.
        limit_ms: u64,
    },
    /// End what runs.
    Stop,
}

/// From a launcher.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Word {
    /// The wall stands (or why it does not).
    Ready(Result<(), String>),
    /// Counts and the end of the output so far.
    Output {
        /// Lines on both streams.
        lines: u64,
        /// Bytes on both streams.
        bytes: u64,
        /// The last bytes of the stream that spoke last.
        tail: Vec<u8>,
    },
    /// The run is over and nothing of it is left.
    Ended(Box<WireResult>),
}

/// The end of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct WireResult {
    pub(super) ended: WireEnded,
    pub(super) marker: Option<(bool, u64, u64, bool)>,
    pub(super) survivors: Vec<Vec<u8>>,
    /// Descendants that could not be ended.
    pub(super) alive: u32,
    pub(super) duration_ms: u64,
    pub(super) stdout: WireCaptured,
    pub(super) stderr: WireCaptured,
}

/// A stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct WireCaptured {
    bytes: u64,
    digest: [u8; 32],
    lines: u64,
    #[serde(with = "serde_bytes")]
    head: Vec<u8>,
    #[serde(with = "serde_bytes")]
    tail: Vec<u8>,
    tail_line: u64,
}

/// An end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum WireEnded {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    Interrupted,
    NotStarted(String),
}

/// An expectation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum WireExpect {
    Plain(Vec<u8>),
    Regex(Vec<u8>, Vec<u8>),
    ExitOnly,
}

impl From<&Expect> for WireExpect {
    fn from(expect: &Expect) -> Self {
        match expect {
            Expect::Plain(text) => Self::Plain(text.raw().to_vec()),
            Expect::Regex { source, flags } => {
                Self::Regex(source.raw().to_vec(), flags.raw().to_vec())
            }
            Expect::ExitOnly => Self::ExitOnly,
        }
    }
}

impl From<WireExpect> for Expect {
    fn from(wire: WireExpect) -> Self {
        match wire {
            WireExpect::Plain(text) => Self::Plain(Foreign::new(text)),
            WireExpect::Regex(source, flags) => Self::Regex {
                source: Foreign::new(source),
                flags: Foreign::new(flags),
            },
            WireExpect::ExitOnly => Self::ExitOnly,
        }
    }
}

impl From<Ended> for WireEnded {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Exited(status) => Self::Exited(status),
            Ended::Signalled(signal) => Self::Signalled(signal),
            Ended::TimedOut => Self::TimedOut,
            Ended::Interrupted => Self::Interrupted,
            Ended::NotStarted(why) => Self::NotStarted(why),
        }
    }
}

impl From<WireEnded> for Ended {
    fn from(wire: WireEnded) -> Self {
        match wire {
            WireEnded::Exited(status) => Self::Exited(status),
            WireEnded::Signalled(signal) => Self::Signalled(signal),
            WireEnded::TimedOut => Self::TimedOut,
            WireEnded::Interrupted => Self::Interrupted,
            WireEnded::NotStarted(why) => Self::NotStarted(why),
        }
    }
}

impl From<Captured> for WireCaptured {
    fn from(kept: Captured) -> Self {
        Self {
            bytes: kept.bytes,
            digest: kept.digest.0,
            lines: kept.lines,
            head: kept.head.raw().to_vec(),
            tail: kept.tail.raw().to_vec(),
            tail_line: kept.tail_line,
        }
    }
}

impl From<WireCaptured> for Captured {
    fn from(wire: WireCaptured) -> Self {
        Self {
            bytes: wire.bytes,
            digest: Digest(wire.digest),
            lines: wire.lines,
            head: Foreign::new(wire.head),
            tail: Foreign::new(wire.tail),
            tail_line: wire.tail_line,
        }
    }
}

pub(super) fn marker_to_wire(marker: MarkerAt) -> (bool, u64, u64, bool) {
    let MarkerAt {
        stream,
        offset,
        line,
        overwritten,
    } = marker;
    (stream == Stream::Stderr, offset, line, overwritten)
}

pub(super) fn marker_from_wire(wire: (bool, u64, u64, bool)) -> MarkerAt {
    let (stderr, offset, line, overwritten) = wire;
    MarkerAt {
        stream: if stderr {
            Stream::Stderr
        } else {
            Stream::Stdout
        },
        offset,
        line,
        overwritten,
    }
}

pub(super) use super::frame::{receive, send};
