//! The child that reads the reviewed repository and writes checkouts: one question, one answer,
//! then it is ended.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use git2::Repository;
use landlock::{
    ABI, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, path_beneath_rules,
};
use serde::{Deserialize, Serialize};

use crate::adapters::oracle::frame;
use crate::model::id::Oid;

use super::bring::{SlotFolder, bring};
use super::gitdir::{self, History};
use super::lay::lay;
use super::manifest::Manifest;
use super::writer::Root;
use super::{Pinned, also_runs, scan};

/// First argument of this child.
pub const CHECKOUT: &str = "__checkout";

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WirePinned {
    gitdir: Vec<u8>,
    head: [u8; 20],
    tree: [u8; 20],
    base: [u8; 20],
    base_name: String,
    base_tree: [u8; 20],
}

impl From<&Pinned> for WirePinned {
    fn from(pinned: &Pinned) -> Self {
        Self {
            gitdir: super::bytes(&pinned.gitdir),
            head: pinned.head.0,
            tree: pinned.tree.0,
            base: pinned.base.0,
            base_name: pinned.base_name.clone(),
            base_tree: pinned.base_tree.0,
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    Bring {
        pinned: WirePinned,
        slot: Vec<u8>,
        cold: bool,
    },
    Lay {
        repository: Vec<u8>,
        tree: [u8; 20],
        branch: String,
        folder: Vec<u8>,
    },
    Scan {
        pinned: WirePinned,
        slot: Option<Vec<u8>>,
        live: Option<Vec<u8>>,
    },
    AlsoRuns {
        pinned: WirePinned,
        commands: Vec<WireCommand>,
    },
}

/// A command, and the tree of an earlier approval.
pub(super) type WireCommand = (Vec<u8>, Option<[u8; 20]>);

/// Path, lines added and removed, and whether it is the same in the earlier tree.
pub(super) type WireAlso = (Vec<u8>, Option<(u32, u32)>, Option<bool>);

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    Brought {
        written: usize,
        removed: usize,
        refused: Vec<(Vec<u8>, String)>,
        submodules: usize,
    },
    Scanned {
        records: [u8; 32],
        changed: Vec<Vec<u8>>,
        gitdir_changed: bool,
        head: Option<[u8; 20]>,
        base: Option<[u8; 20]>,
    },
    AlsoRuns(Vec<Vec<WireAlso>>),
    Refused(String),
}

/// The main of this child: stdin is its socket.
#[must_use]
pub fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> std::io::Result<()> {
    let _ = rustix::thread::set_name(c"cs-checkout");
    let _ = rustix::process::setsid();
    let mut link = crate::adapters::oracle::roles::socket_from_stdin()?;
    let request = frame::receive(&mut link)?;
    let answer = match request {
        Request::Bring { pinned, slot, cold } => {
            let slot = path(&slot);
            write_only_below(&slot);
            on_repository(&pinned, |source| do_bring(source, &pinned, slot, cold))
        }
        Request::Lay {
            repository,
            tree,
            branch,
            folder,
        } => {
            let folder = path(&folder);
            write_only_below(&folder);
            let opened = gitdir::open(&path(&repository)).map_err(gitdir::git);
            opened
                .and_then(|source| lay(&folder, &source, Oid(tree), &branch))
                .map_or_else(
                    |error| Answer::Refused(error.to_string()),
                    |brought| Answer::Brought {
                        written: brought.written,
                        removed: brought.removed,
                        refused: brought.refused,
                        submodules: brought.submodules,
                    },
                )
        }
        Request::Scan { pinned, slot, live } => {
            write_only_below(Path::new("/nonexistent"));
            do_scan(&pinned, slot.as_deref(), live.as_deref())
        }
        Request::AlsoRuns { pinned, commands } => {
            write_only_below(Path::new("/nonexistent"));
            on_repository(&pinned, |source| {
                let (tree, base) = (Oid(pinned.tree), Oid(pinned.base_tree));
                also_runs::find(source, tree, base, &commands).map(Answer::AlsoRuns)
            })
        }
    };
    frame::send(&mut link, &answer)
}

/// A second guard behind the writer's own: where the kernel offers it, this child can write below
/// one folder only.
fn write_only_below(folder: &Path) {
    let write = AccessFs::from_write(ABI::V3);
    let _ = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(write)
        .and_then(Ruleset::create)
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules([folder], write)))
        .and_then(landlock::RulesetCreated::restrict_self);
}

fn on_repository(
    pinned: &WirePinned,
    then: impl FnOnce(&Repository) -> std::io::Result<Answer>,
) -> Answer {
    let opened = gitdir::open(&path(&pinned.gitdir)).map_err(gitdir::git);
    opened
        .and_then(|source| then(&source))
        .unwrap_or_else(|error| Answer::Refused(error.to_string()))
}

fn do_bring(
    source: &Repository,
    pinned: &WirePinned,
    slot: PathBuf,
    cold: bool,
) -> std::io::Result<Answer> {
    let history = History {
        source,
        head: Oid(pinned.head),
        base: Oid(pinned.base),
        base_name: &pinned.base_name,
        tree: Oid(pinned.tree),
    };
    let brought = bring(&SlotFolder(slot), &history, cold)?;
    Ok(Answer::Brought {
        written: brought.written,
        removed: brought.removed,
        refused: brought.refused,
        submodules: brought.submodules,
    })
}

fn do_scan(pinned: &WirePinned, slot: Option<&[u8]>, live: Option<&[u8]>) -> Answer {
    let (mut changed, mut gitdir_changed) = (Vec::new(), false);
    if let Some(slot) = slot {
        let slot = SlotFolder(path(slot));
        let Some(manifest) = Manifest::load(&slot.manifest()) else {
            return Answer::Refused("the checkout's manifest is gone".into());
        };
        match Root::open(&slot.tree()) {
            Ok(root) => changed = scan::changes(&root, &manifest),
            Err(error) => return Answer::Refused(format!("the checkout is gone: {error}")),
        }
        let pointer = format!("gitdir: {}\n", slot.gitdir().display());
        gitdir_changed = gitdir::digest(&slot.gitdir()).0 != manifest.gitdir
            || !gitdir::leads_there(&slot.tree().join(".git"), &pointer);
    }
    let source = gitdir::open(&path(&pinned.gitdir)).ok();
    let resolve = |spec: &str| {
        let source = source.as_ref()?;
        let object = source.revparse_single(spec).ok()?;
        let commit = object.peel_to_commit().ok()?;
        commit.id().as_bytes().try_into().ok()
    };
    if let (Some(source), Some(live)) = (&source, live) {
        match scan::live(source, Oid(pinned.tree), &path(live)) {
            Ok(differs) => changed = differs,
            Err(error) => return Answer::Refused(format!("the worktree cannot be read: {error}")),
        }
    }
    let records = source.as_ref().map_or([0; 32], gitdir::records);
    Answer::Scanned {
        records,
        changed,
        gitdir_changed,
        head: resolve("HEAD"),
        base: resolve(&pinned.base_name),
    }
}

fn path(bytes: &[u8]) -> PathBuf {
    OsStr::from_bytes(bytes).into()
}
