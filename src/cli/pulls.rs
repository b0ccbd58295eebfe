//! A target that is a pull request: what the forge says of it is asked or taken from the cache,
//! its head is fetched, and a worktree of ours is laid. A folder stays a folder, and then nobody
//! is asked anything.

use std::path::{Path, PathBuf};

use super::Context;
use super::args::PullArgs;
use super::config::user_settings;
use super::exit::Exit;
use super::place::folders;
use super::report::Report;
use crate::adapters::forge::{self, FILE_CAP, Input};
use crate::adapters::pulls::cache::{Cache, Kept};
use crate::adapters::pulls::place::{Clone, Home, Laid, clone_at};
use crate::adapters::pulls::{self, NotAsked};
use crate::adapters::sync::Address;
use crate::model::forge::{Hosts, PullName, Target, target};
use crate::model::known::Known;
use crate::model::text::{Foreign, Place};
use crate::runtime::lines;

/// What a target turned out to be.
#[derive(Debug)]
pub enum Found {
    /// A folder.
    Folder(PathBuf),
    /// A request, ready to be looked at.
    Pull(Box<Ready>),
}

/// A request that was read and laid out.
#[derive(Debug)]
pub struct Ready {
    /// Its name.
    pub name: PullName,
    /// The worktree; it goes when this goes, unless it is kept.
    pub laid: Laid,
    /// What the forge said.
    pub kept: Kept,
    /// What a person has to know of how it was read, in sentences.
    pub notes: Vec<String>,
}

impl Found {
    /// The folder to look at.
    #[must_use]
    pub fn dir(&self) -> PathBuf {
        match self {
            Self::Folder(dir) => dir.clone(),
            Self::Pull(ready) => ready.laid.tree(),
        }
    }

    /// Files with threads: what the forge said, then those that were given.
    #[must_use]
    pub fn threads(&self, given: &[String]) -> Vec<String> {
        let own = match self {
            Self::Folder(_) => None,
            Self::Pull(ready) => Some(ready.kept.file.to_string_lossy().into_owned()),
        };
        own.into_iter().chain(given.iter().cloned()).collect()
    }

    /// Says on stderr how a request was read.
    pub fn tell(&self) {
        use std::io::Write as _;
        if let Self::Pull(ready) = self {
            let mut out = lines::stderr();
            for note in &ready.notes {
                let _ = writeln!(out, "countersign: {note}");
            }
        }
    }
}

/// Finds out what a target is, and gets a request ready.
///
/// # Errors
/// A [`Report`]: it names a request that cannot be had.
pub fn find(
    context: &Context,
    given: Option<&Path>,
    how: &PullArgs,
    base: Option<&str>,
) -> Result<Found, Report> {
    let Some(text) = given.and_then(Path::to_str) else {
        return Ok(Found::Folder(
            context.dir.join(given.unwrap_or(Path::new("."))),
        ));
    };
    // most targets cannot be anything else
    if !text.contains(['#', ':']) && !text.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(Found::Folder(context.dir.join(text)));
    }
    let here = clone_at(&context.dir);
    let hosts = Hosts::new(&user_settings()?.settings.forges);
    match target(text, here.as_ref().map(|here| here.remote.as_str()), &hosts) {
        Target::Folder => Ok(Found::Folder(context.dir.join(text))),
        Target::Refused(why, hint) => Err(Report::new(Exit::Usage, "target", why).hint(hint)),
        Target::Pull(name) => ready(name, here, how, base).map(Box::new).map(Found::Pull),
    }
}

fn ready(
    name: PullName,
    here: Option<Clone>,
    how: &PullArgs,
    base: Option<&str>,
) -> Result<Ready, Report> {
    let folders = folders()?;
    let own = |error: std::io::Error| {
        Report::new(Exit::CouldNotMeasure, "cache", error.to_string())
            .hint("look at the cache folder: `countersign config path`")
    };
    let cache = Cache::open(&folders.cache).map_err(own)?;
    let mut notes = Vec::new();
    let kept = if how.offline {
        let kept = cache.kept(&name).ok_or_else(|| {
            let message = format!("{name} was never asked for, so there is nothing offline");
            Report::new(Exit::CouldNotMeasure, "offline", message).hint("leave --offline out")
        })?;
        notes.push(format!(
            "offline: {name} as {} said {}",
            name.host.name,
            ago(kept.age)
        ));
        kept
    } else {
        let (kept, stopped) = asked(&cache, &name).map_err(|why| not_asked(&cache, &name, &why))?;
        if let Some(why) = stopped {
            notes.push(format!("not all of {name} was read: {why}"));
        }
        kept
    };
    let home = Home::open(&folders.cache, &name).map_err(own)?;
    let no_place = |why: &pulls::place::NoPlace| {
        let message = format!("{name}: {why}");
        Report::new(Exit::CouldNotMeasure, "no-place", message).hint(why.hint())
    };
    if !how.offline {
        let to = match base {
            Some(base) => base.trim_start_matches("origin/").to_owned(),
            None => base_of(&kept).ok_or_else(|| {
                let message = format!("{} does not say where {name} goes", name.host.name);
                Report::new(Exit::CouldNotMeasure, "no-base", message).hint("give --base")
            })?,
        };
        let from = address(&name, here)?;
        home.fetch(&name, &from, &to)
            .map_err(|why| no_place(&why))?;
    }
    let program = std::env::current_exe().map_err(own)?;
    let mut laid = home.lay(&program, &name).map_err(|why| no_place(&why))?;
    for (path, why) in &laid.refused {
        let path = Foreign::new(path.as_bytes().to_vec());
        notes.push(format!(
            "{} was not laid out: {why}",
            path.shown(Place::Strict)
        ));
    }
    if how.keep {
        laid.keep().map_err(own)?;
        notes.push(format!("the worktree stays: {}", laid.tree().display()));
    }
    Ok(Ready {
        name,
        laid,
        kept,
        notes,
    })
}

/// Asks the forge and keeps the answers; with what stopped it, if it was not read to the end.
fn asked(cache: &Cache, name: &PullName) -> Result<(Kept, Option<String>), NotAsked> {
    cache.may_ask(&name.host.name)?;
    let mut line = pulls::line(name, &cache.empty());
    let recording = match pulls::ask(line.as_mut(), name) {
        Err(NotAsked::Wait { host, seconds }) => {
            cache.leave_alone(&host, seconds)?;
            return Err(NotAsked::Wait { host, seconds });
        }
        answered => answered?,
    };
    let kept = cache.keep(name, &recording)?;
    Ok((kept, recording.stopped.map(|why| why.says())))
}

fn not_asked(cache: &Cache, name: &PullName, why: &NotAsked) -> Report {
    let mut report = Report::new(Exit::CouldNotMeasure, "forge", why.to_string()).hint(why.hint());
    if let Some(kept) = cache.kept(name) {
        report = report.hint(format!("use --offline for what it said {}", ago(kept.age)));
    }
    report
}

/// The branch that the request goes to.
fn base_of(kept: &Kept) -> Option<String> {
    let read = forge::read(&[Input {
        holds: None,
        name: Foreign::from("forge"),
        bytes: super::contract::file::regular(&kept.file, FILE_CAP),
    }]);
    let Known::Is(pull) = read.pull else {
        return None;
    };
    pull.base_name?.raw_str().map(str::to_owned)
}

/// Where git fetches from: the clone's own remote when it is that repository, so that the
/// person's way of logging in is used.
fn address(name: &PullName, here: Option<Clone>) -> Result<Address, Report> {
    let whole = format!("{}/{}", name.host.name, name.repository);
    match here.filter(|here| here.remote.eq_ignore_ascii_case(&whole)) {
        Some(here) => Ok(here.address),
        None => Address::parse(name.clone_address().as_bytes(), Path::new("/"))
            .map_err(|why| Report::new(Exit::Usage, "target", why)),
    }
}

/// An age as people say it.
#[must_use]
pub fn ago(seconds: u64) -> String {
    match seconds {
        0..=59 => "just now".to_owned(),
        60..=7199 => format!("{} minutes ago", seconds / 60),
        7200..=172_799 => format!("{} hours ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}
