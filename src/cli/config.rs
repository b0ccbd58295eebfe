//! `countersign config`: where settings are read from, what they are, what is wrong with them.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::adapters::folders::{self, Folders};
use crate::config::{self, Owner, REPOSITORY_FILE, Source, TABLE, USER_FILE};
use crate::model::text::{Foreign, Place};
use crate::runtime::lines;
use crate::runtime::policy;

use super::Context;
use super::args::ConfigCommand;
use super::exit::Exit;
use super::json::print_json;
use super::report::Report;

/// Runs it.
///
/// # Errors
/// A [`Report`] with every fault of every file.
pub fn run(context: &Context, args: &ConfigCommand) -> Result<Exit, Report> {
    match args {
        ConfigCommand::Path => paths(context),
        ConfigCommand::Print => print(context),
        ConfigCommand::Check => check(context),
    }
}

/// The user's settings; the defaults when there is no file.
///
/// # Errors
/// A [`Report`] with every fault of the file.
pub fn user_settings() -> Result<config::Read, Report> {
    settings_in(&user_file()?)
}

/// The settings of this file; the defaults when there is none.
///
/// # Errors
/// A [`Report`] with every fault of the file.
pub fn settings_in(path: &Path) -> Result<config::Read, Report> {
    let text = text_of(path)?;
    let name = shown(path);
    let sources: Vec<Source<'_>> = text
        .iter()
        .map(|text| Source {
            owner: Owner::User,
            name: &name,
            text,
        })
        .collect();
    config::read(&sources).map_err(|faults| report(&faults))
}

fn report(faults: &[config::Fault]) -> Report {
    let count = faults.len();
    let noun = if count == 1 { "fault" } else { "faults" };
    let mut report = Report::new(
        Exit::Usage,
        "bad-config",
        format!("{count} {noun} in the configuration, nothing of it is used"),
    );
    report.hints = faults.iter().map(ToString::to_string).collect();
    report
        .hints
        .push("countersign config print lists settings and commands".into());
    report
}

fn user_file() -> Result<PathBuf, Report> {
    let folders = Folders::of_user().map_err(|error| {
        Report::new(
            Exit::CouldNotMeasure,
            "no-folders",
            format!("no folder for the configuration: {error}"),
        )
        .hint("set HOME or COUNTERSIGN_HOME")
    })?;
    Ok(folders.config.join(USER_FILE))
}

/// Most bytes of a file of settings.
const CAP: u64 = 1 << 20;

/// The text of a file; `None` when there is none.
fn text_of(path: &Path) -> Result<Option<String>, Report> {
    match folders::own_text(path, CAP) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Report::new(
            Exit::CouldNotMeasure,
            "unreadable-config",
            format!("{} could not be read: {error}", shown(path)),
        )),
    }
}

fn shown(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    Foreign::new(path.as_os_str().as_bytes())
        .shown(Place::Strict)
        .plain()
}

fn paths(context: &Context) -> Result<Exit, Report> {
    let user = user_file()?;
    let there = user.exists();
    if context.json {
        print_json(&json!({
            "schema": "countersign/config-path/1",
            "user": {"path": shown(&user), "exists": there},
            "repository": {"path": REPOSITORY_FILE, "read": "at the merge base, only to tighten"},
        }));
        return Ok(Exit::Clear);
    }
    let mut out = lines::stdout();
    let absent = if there { "" } else { "   (none yet)" };
    let _ = writeln!(out, "user        {}{absent}", shown(&user));
    let _ = writeln!(
        out,
        "repository  {REPOSITORY_FILE} at the merge base of the change; may only tighten"
    );
    Ok(Exit::Clear)
}

/// Everything that is wrong with the repository's table at the merge base.
#[must_use]
pub fn refused_by_repository(faults: Vec<String>) -> Report {
    let message = "the repository's settings at the merge base are refused, nothing is measured";
    let mut report = Report::new(Exit::CouldNotMeasure, "bad-repository-config", message);
    report.hints = faults;
    report
}

/// The settings in force here: the person's own, and in a repository what its table at the merge
/// base tightens. Outside of one, the person's own alone.
fn in_force(context: &Context) -> Result<config::Read, Report> {
    let mut read = user_settings()?;
    let Ok(opened) = super::place::opened(&context.dir, None, Vec::new()) else {
        return Ok(read);
    };
    let own = read.settings.policy.clone();
    let (policy, faults) = policy::in_force(&own, &opened.policy);
    if !faults.is_empty() {
        return Err(refused_by_repository(faults));
    }
    let before = read.settings.clone();
    read.settings.policy = policy;
    for setting in TABLE {
        if config::shown(&before, setting) != config::shown(&read.settings, setting) {
            let origin = format!(
                "{REPOSITORY_FILE} at {}",
                opened.snapshot.merge_base.short()
            );
            read.origins.insert(setting.key, origin);
        }
    }
    Ok(read)
}

fn print(context: &Context) -> Result<Exit, Report> {
    let read = in_force(context)?;
    let value = |setting| config::shown(&read.settings, setting);
    let origin = |key| read.origins.get(key).map_or("default", String::as_str);
    if context.json {
        let settings: Vec<_> = TABLE
            .iter()
            .map(|setting| {
                json!({
                    "key": setting.key,
                    "value": value(setting),
                    "from": origin(setting.key),
                    "takes": setting.takes,
                    "does": setting.does,
                    "repository_may_tighten": setting.tightens,
                })
            })
            .collect();
        let keys: serde_json::Map<String, serde_json::Value> = crate::app::command::TABLE
            .iter()
            .map(|row| {
                let keys: Vec<String> = read
                    .settings
                    .keys
                    .keys(row.command)
                    .iter()
                    .map(ToString::to_string)
                    .collect();
                (row.id.to_owned(), json!(keys))
            })
            .collect();
        print_json(&json!({
            "schema": "countersign/config/1",
            "settings": settings,
            "keys": keys,
        }));
        return Ok(Exit::Clear);
    }
    let set = |setting| Some(value(setting)).filter(|value| !value.is_empty());
    let mut out = lines::stdout();
    for setting in TABLE {
        let tightens = if setting.tightens {
            "; a repository may tighten it"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "{:<17}{:<10}{}\n{:<17}{}; takes {}{tightens}",
            setting.key,
            set(setting).unwrap_or_else(|| "not set".into()),
            origin(setting.key),
            "",
            setting.does,
            setting.takes
        );
    }
    let _ = writeln!(out, "\n[keys]");
    for row in crate::app::command::TABLE {
        let keys: Vec<String> = read
            .settings
            .keys
            .keys(row.command)
            .iter()
            .map(ToString::to_string)
            .collect();
        let _ = writeln!(out, "{:<19}{:<24}{}", row.id, keys.join(" "), row.does);
    }
    Ok(Exit::Clear)
}

fn check(context: &Context) -> Result<Exit, Report> {
    let user = user_file()?;
    let own = context.dir.join(REPOSITORY_FILE);
    let texts = [
        (Owner::User, shown(&user), text_of(&user)?),
        (Owner::Repository, shown(&own), text_of(&own)?),
    ];
    let sources: Vec<Source<'_>> = texts
        .iter()
        .filter_map(|(owner, name, text)| {
            Some(Source {
                owner: *owner,
                name,
                text: text.as_deref()?,
            })
        })
        .collect();
    config::read(&sources).map_err(|faults| report(&faults))?;
    let names: Vec<&str> = sources.iter().map(|source| source.name).collect();
    if context.json {
        print_json(&json!({"schema": "countersign/config-check/1", "read": names, "faults": []}));
        return Ok(Exit::Clear);
    }
    let mut out = lines::stdout();
    for name in &names {
        let _ = writeln!(out, "ok  {name}");
    }
    if names.is_empty() {
        let _ = writeln!(out, "ok  no file yet, the defaults hold");
    }
    Ok(Exit::Clear)
}
