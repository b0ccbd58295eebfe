//! The names of everything an append does to the disk, so that a failure can say where it
//! happened and a test can make it happen there.

use std::fmt;
use std::io;

/// One step of an append, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// Creating the folders and the shard.
    Open,
    /// Taking the lock.
    Lock,
    /// Reading the end of the shard.
    ReadTail,
    /// Copying a torn line to the sidecar.
    Sidecar,
    /// Cutting the torn line from the shard.
    Cut,
    /// Writing a companion text.
    Text,
    /// Writing the line.
    Write,
    /// Taking back a line that was not written or not synced whole.
    Rollback,
    /// Syncing the line.
    Sync,
    /// Syncing the folder of a new shard.
    FolderSync,
    /// Writing the anchor.
    Anchor,
    /// Syncing the anchor.
    AnchorSync,
    /// Syncing the folder of new anchors.
    AnchorFolderSync,
    /// Telling the caller that it is recorded.
    Acknowledge,
}

impl Step {
    /// Every step.
    pub const ALL: [Self; 14] = [
        Self::Open,
        Self::Lock,
        Self::ReadTail,
        Self::Sidecar,
        Self::Cut,
        Self::Text,
        Self::Write,
        Self::Rollback,
        Self::Sync,
        Self::FolderSync,
        Self::Anchor,
        Self::AnchorSync,
        Self::AnchorFolderSync,
        Self::Acknowledge,
    ];
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "create the ledger shard",
            Self::Lock => "lock the ledger shard",
            Self::ReadTail => "read the ledger shard",
            Self::Sidecar => "set a torn line aside",
            Self::Cut => "cut a torn line",
            Self::Text => "store a long text",
            Self::Write => "write the entry",
            Self::Rollback => "take the entry back",
            Self::Sync => "sync the entry",
            Self::FolderSync => "sync the ledger folder",
            Self::Anchor => "write the anchor",
            Self::AnchorSync => "sync the anchor",
            Self::AnchorFolderSync => "sync the anchor folder",
            Self::Acknowledge => "finish",
        })
    }
}

/// What becomes of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It is taken.
    Go,
    /// Only so many bytes of it are written; has a meaning for writes alone.
    Short(usize),
}

/// Is told of every step before it is taken.
pub trait Steps: Send + fmt::Debug {
    /// The step is about to be taken.
    ///
    /// # Errors
    /// The step is not taken and counts as failed with this error.
    fn before(&mut self, step: Step) -> io::Result<Fate>;
}

/// Every step is taken.
#[derive(Clone, Copy, Debug)]
pub struct NoFaults;

impl Steps for NoFaults {
    fn before(&mut self, _: Step) -> io::Result<Fate> {
        Ok(Fate::Go)
    }
}
