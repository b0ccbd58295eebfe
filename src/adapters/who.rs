//! Who sits at the terminal (rulings A11): a name from our config, else from the user's own git
//! config, else the account. Never from the repository, a flag or a variable, and never `agent`.
//!
//! A name is worth L1 at most here: it says who this tool believes to be in front of it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::folders::{self, Folders};
use crate::model::known::{Known, Reason};
use crate::model::ruling::{Assurance, NameSource, Principal};

/// Finds the person. `config_name` is the name in countersign's own configuration.
#[must_use]
pub fn find(config_name: Option<&str>) -> Known<Principal> {
    find_among(config_name, &user_git_configs(), account())
}

/// The same, with everything that is looked at handed in.
#[must_use]
pub fn find_among(
    config_name: Option<&str>,
    git_configs: &[PathBuf],
    account: Option<String>,
) -> Known<Principal> {
    let from_git = || git_configs.iter().find_map(|path| git_name(path));
    let (name, found_in) = if let Some(name) = config_name {
        (Some(name.to_owned()), NameSource::Config)
    } else if let Some(name) = from_git() {
        (Some(name), NameSource::GitConfig)
    } else {
        (account, NameSource::Account)
    };
    let Some(name) = name else {
        return Known::Unknown(Reason::new("no name is set, and the account has none"));
    };
    match Principal::new(&name, found_in, Assurance::Present) {
        Some(principal) => Known::Is(principal),
        None => Known::Unknown(Reason::new(format!(
            "the name in {} is blank, reserved, too long or holds hidden characters",
            found_in.place()
        ))),
    }
}

/// The two files of the user's own git configuration, the stronger first. `GIT_CONFIG_GLOBAL` is
/// not looked at: whoever starts us could set it.
fn user_git_configs() -> Vec<PathBuf> {
    let Ok(home) = etcetera::home_dir() else {
        return Vec::new();
    };
    vec![home.join(".gitconfig"), home.join(".config/git/config")]
}

/// `user.name` of one git config file; includes are followed as git does, links to other kinds
/// of files are not.
fn git_name(path: &Path) -> Option<String> {
    git_value(path, "user.name")
}

fn git_value(path: &Path, key: &str) -> Option<String> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let config = git2::Config::open(path).ok()?;
    let name = config.get_string(key).ok()?;
    let name = name.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The person's own mail address, from their own git configuration.
#[must_use]
pub fn mail() -> Option<String> {
    user_git_configs()
        .iter()
        .find_map(|path| git_value(path, "user.email"))
}

/// The account's name: by its number, from the table of accounts.
fn account() -> Option<String> {
    let uid = rustix::process::getuid().as_raw().to_string();
    let table = fs::read("/etc/passwd").ok()?;
    let row = table.split(|byte| *byte == b'\n').find(|row| {
        let mut columns = row.split(|byte| *byte == b':').skip(2);
        columns.next() == Some(uid.as_bytes())
    })?;
    let name = row.split(|byte| *byte == b':').next()?;
    String::from_utf8(name.to_vec()).ok()
}

/// Whether this person was confirmed on this machine before, under exactly this name.
#[must_use]
pub fn is_confirmed(folders: &Folders, who: &Principal) -> bool {
    folders::own_text(&folders.state.join("who"), 64 * 1024)
        .is_ok_and(|text| text.lines().any(|line| line == who.name()))
}

/// Keeps that the person confirmed to be this.
///
/// # Errors
/// Any failure of the file system; then the question comes again.
pub fn confirm(folders: &Folders, who: &Principal) -> io::Result<()> {
    use io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    if is_confirmed(folders, who) {
        return Ok(());
    }
    folders::private(&folders.state)?;
    let mut file = fs::OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(folders.state.join("who"))?;
    file.write_all(format!("{}\n", who.name()).as_bytes())?;
    file.sync_all()
}

/// Variables that agents' harnesses set for their children: the name is the mark, its value is
/// never looked at.
const MARKS: [&str; 14] = [
    "AGENT",
    "AIDER_MODEL",
    "AI_AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "CURSOR_AGENT",
    "CURSOR_TRACE_ID",
    "GEMINI_CLI",
    "GOOSE_TERMINAL",
    "OPENCODE",
    "OR_APP_NAME",
    "REPL_ID",
];

/// Programs that drive other programs: agents, and tools that type for somebody.
const DRIVERS: [&str; 11] = [
    "aider",
    "amp",
    "claude",
    "codex",
    "cursor-agent",
    "expect",
    "gemini",
    "goose",
    "opencode",
    "script",
    "xdotool",
];

/// Marks of an agent in the environment and among our ancestors, as a hint that is recorded and
/// shown and that decides nothing (LED-14).
#[must_use]
pub fn agent_marks() -> Vec<String> {
    let variables = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    marks_among(variables, &ancestors())
}

/// The same, with everything that is looked at handed in.
#[must_use]
pub fn marks_among(variables: impl Iterator<Item = String>, ancestors: &[String]) -> Vec<String> {
    let mut found: Vec<String> = variables
        .filter(|name| MARKS.contains(&name.as_str()))
        .collect();
    let drives = |name: &&String| DRIVERS.contains(&name.as_str());
    let programs = ancestors.iter().filter(drives);
    found.extend(programs.map(|name| format!("started by {name}")));
    found.sort();
    found.dedup();
    found
}

/// The programs above this process, nearest first, as the system names them.
fn ancestors() -> Vec<String> {
    let mut names = Vec::new();
    let mut pid = std::os::unix::process::parent_id();
    while pid > 1 && names.len() < 32 {
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else {
            break;
        };
        let (Some(open), Some(close)) = (stat.find('('), stat.rfind(')')) else {
            break;
        };
        names.extend(stat.get(open + 1..close).map(str::to_owned));
        let parent = stat.get(close + 1..).unwrap_or_default();
        match parent
            .split_whitespace()
            .nth(1)
            .and_then(|id| id.parse().ok())
        {
            Some(parent) => pid = parent,
            None => break,
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(found: &Known<Principal>) -> Option<(&str, NameSource)> {
        found.known().map(|p| (p.name(), p.found_in))
    }

    #[test]
    fn the_name_comes_from_our_config_then_git_then_the_account() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join("gitconfig");
        fs::write(
            &git,
            "[user]\n\tname = Ada Osei\n\temail = ada@example.org\n",
        )
        .unwrap();
        let blank = folder.path().join("blank");
        fs::write(&blank, "[user]\n\tname =\n").unwrap();
        let account = || Some("maren".to_owned());
        let git = [blank.clone(), git];
        let check = |config, git: &[PathBuf], wanted| {
            let found = find_among(config, git, account());
            assert_eq!(named(&found), wanted, "{config:?}");
        };
        check(Some("Cy"), &git, Some(("Cy", NameSource::Config)));
        check(None, &git, Some(("Ada Osei", NameSource::GitConfig)));
        check(None, &[blank], Some(("maren", NameSource::Account)));
        let not_a_file = [folder.path().to_owned()];
        check(None, &not_a_file, Some(("maren", NameSource::Account)));
        check(Some("agent"), &git, None);
        assert!(find_among(None, &[], None).is_unknown());
    }

    #[test]
    fn a_name_is_asked_for_once() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let folders = Folders {
            config: home.join("config"),
            state: home.join("state"),
            cache: home.join("cache"),
        };
        let who = |name| Principal::new(name, NameSource::Config, Assurance::Present).unwrap();
        assert!(!is_confirmed(&folders, &who("Ada")));
        confirm(&folders, &who("Ada")).unwrap();
        assert!(is_confirmed(&folders, &who("Ada")));
        assert!(!is_confirmed(&folders, &who("Ad")));
    }

    #[test]
    fn marks_of_agents_are_named_and_their_values_are_not() {
        let variables = ["PATH", "CLAUDECODE", "HOME"].map(str::to_owned);
        let marks = marks_among(variables.into_iter(), &["bash".into(), "codex".into()]);
        assert_eq!(marks, ["CLAUDECODE", "started by codex"]);
    }

    #[test]
    fn our_own_ancestors_can_be_named() {
        assert!(!ancestors().is_empty());
    }
}
