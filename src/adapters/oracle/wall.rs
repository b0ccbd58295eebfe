//! The wall around a launcher: it is put up once, before the first CHECK, and everything the
//! launcher starts inherits it (RUN-11, RUN-23, RUN-26). A wall that cannot be put up whole is an
//! error, never a lower one.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{
    DumpableBehavior, Resource, Rlimit, getrlimit, set_child_subreaper, set_dumpable_behavior,
    setrlimit, setsid,
};

use crate::model::oracle::Isolation;

use super::bubblewrap;
use super::wire::Setup;

/// Largest file that a CHECK may write.
const FILE_SIZE: u64 = 1 << 30;
/// How far a CHECK stands back behind the session.
const BEHIND: i32 = 5;
/// Most open files of a CHECK.
const FILES: u64 = 4096;

/// What is put up for every launcher, whatever its level: own session without a terminal, own
/// descendants, nothing inherited.
pub(super) fn bare() -> Result<(), String> {
    let said = |what: &'static str| move |error| format!("{what}: {error}");
    let _ = setsid();
    set_child_subreaper(Some(rustix::process::getpid())).map_err(said("subreaper"))?;
    no_signal_ignored().map_err(|error| format!("signals: {error}"))?;
    close_fds::set_fds_cloexec(3, &[]);
    Ok(())
}

/// What this process was started to ignore, a CHECK must not inherit (RUN-26): a handler of ours
/// is set to the default when a program is started, "ignored" is not.
fn no_signal_ignored() -> std::io::Result<()> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let Some(ignored) = ignored else {
        return Err(std::io::Error::other(
            "the kernel does not say which are ignored",
        ));
    };
    let heard = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    // 32 and 33 are the C library's own, which ignores them in whatever it starts; the one for
    // a lost reader is the runtime's, which resets it itself
    let ours = |number: &i32| ![rustix::process::Signal::PIPE.as_raw(), 32, 33].contains(number);
    let stays = |number: &i32| ignored >> (number - 1) & 1 == 1;
    for number in (1..=64).filter(stays).filter(ours) {
        signal_hook::flag::register(number, std::sync::Arc::clone(&heard))?;
    }
    Ok(())
}

/// Puts up the wall of `level`.
pub(super) fn put_up(level: Isolation, setup: &Setup) -> Result<(), String> {
    match level {
        Isolation::None => Ok(()),
        Isolation::Session => session(),
        Isolation::Files => {
            session()?;
            files(setup, &[])
        }
        Isolation::Network => {
            session()?;
            // bubblewrap stands around us: these folders are empty ones of our own
            let home = setup.environment.iter().find(|(name, _)| name == b"HOME");
            let own = [&b"/tmp"[..]]
                .into_iter()
                .chain(home.map(|(_, at)| at.as_slice()));
            files(setup, &own.collect::<Vec<_>>())
        }
    }
}

/// Whether this host offers a level; what a run asks for is tried again when it starts.
///
/// # Errors
/// Why not.
pub fn offers(level: Isolation) -> Result<(), String> {
    match level {
        Isolation::None | Isolation::Session => Ok(()),
        Isolation::Files | Isolation::Network if best() < Isolation::Files => {
            Err("this kernel has no Landlock of version 3".into())
        }
        Isolation::Files => Ok(()),
        Isolation::Network => bubblewrap::offered(),
    }
}

fn session() -> Result<(), String> {
    // the session that shows it comes first
    let _ = rustix::process::nice(BEHIND);
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|error| format!("not dumpable: {error}"))?;
    for (resource, most) in [
        (Resource::Core, 0),
        (Resource::Fsize, FILE_SIZE),
        (Resource::Nofile, FILES),
    ] {
        let hard = getrlimit(resource).maximum;
        let most = hard.map_or(most, |hard| hard.min(most));
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(resource, limit).map_err(|error| format!("limits: {error}"))?;
    }
    Ok(())
}

/// Writes only below the checkout, the private TMPDIR, the caches, and `more`.
fn files(setup: &Setup, more: &[&[u8]]) -> Result<(), String> {
    let said = |error: &dyn std::fmt::Display| format!("landlock: {error}");
    let write = AccessFs::from_write(ABI::V3);
    let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
    let mut folders = vec![path(&setup.tree), path(&setup.tmp)];
    folders.extend(setup.caches.iter().map(|cache| path(cache)));
    folders.extend(more.iter().map(|folder| path(folder)));
    let devices = [
        "/dev/null",
        "/dev/zero",
        "/dev/full",
        "/dev/random",
        "/dev/urandom",
    ];
    let device_write: BitFlags<AccessFs> = AccessFs::WriteFile | AccessFs::Truncate;
    let shared: BitFlags<AccessFs> =
        AccessFs::WriteFile | AccessFs::Truncate | AccessFs::MakeReg | AccessFs::RemoveFile;
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(write)
        .map_err(|e| said(&e))?
        .set_compatibility(CompatLevel::BestEffort)
        .scope(Scope::from_all(ABI::V6))
        .map_err(|e| said(&e))?
        .create()
        .map_err(|e| said(&e))?
        .add_rules(path_beneath_rules(folders, write))
        .map_err(|e| said(&e))?
        .add_rules(path_beneath_rules(devices, device_write))
        .map_err(|e| said(&e))?
        .add_rules(path_beneath_rules(["/dev/shm"], shared))
        .map_err(|e| said(&e))?
        .restrict_self()
        .map_err(|e| said(&e))?;
    match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        RulesetStatus::NotEnforced => Err("landlock: this kernel does not offer it".into()),
    }
}

/// The best level up to 2 that this host offers. Asks the kernel, changes nothing.
#[must_use]
pub fn best() -> Isolation {
    let offered = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(ABI::V3))
        .and_then(Ruleset::create);
    match offered {
        Ok(_) => Isolation::Files,
        Err(_) => Isolation::Session,
    }
}
