//! Level 3: the launcher inside bubblewrap, with no network, its own processes, and no folder of
//! the person's in sight but what it needs (RUN-23, RUN-27). One for a launcher, not for each CHECK:
//! it starts slower than a CHECK.
//!
//! Of the home folder stay visible, to be read only: folders of PATH and the toolchains that the
//! passed variables name. The tool caches of the configuration stay as they are. Everything else
//! of it is an empty folder that is gone with the launcher.
//!
//! A judge sees less ([`Sight::Cold`]): folders of the system and tools, no folder that what it
//! judges lies in, and the network only where the person's policy grants it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::environment;
use super::roles::LAUNCHER;
use super::slot::{Sight, SlotSetup};

/// Where bubblewrap is looked for. PATH is not asked: a folder of it may belong to the change.
const PLACES: [&str; 3] = [
    "/usr/bin/bwrap",
    "/usr/local/bin/bwrap",
    "/run/current-system/sw/bin/bwrap",
];

/// What is always asked for.
const WALLS: [&str; 6] = [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--die-with-parent",
    "--new-session",
];

/// No network but a loopback of its own.
const ALONE: &str = "--unshare-net";

/// The whole file system, to be read only.
const HOST: [&str; 3] = ["--ro-bind", "/", "/"];

/// Folders of the system that a cold run sees: programs, libraries, what a name resolver and
/// certificates need.
const SYSTEM: [&str; 9] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/nix/store",
];

/// Devices and the process table, then folders of our own.
const OWN: [&str; 8] = [
    "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run", "--tmpfs", "/tmp",
];

/// Where our own program stands inside.
const OURSELVES: &str = "/run/countersign";

/// Toolchains by variable, with the usual folder below the home when the variable is not set.
const TOOLCHAINS: [(&str, &str); 7] = [
    ("RUSTUP_HOME", ".rustup"),
    ("GOROOT", "go"),
    ("JAVA_HOME", ".sdkman"),
    ("NVM_DIR", ".nvm"),
    ("VIRTUAL_ENV", ".venv"),
    ("PYENV_ROOT", ".pyenv"),
    ("CARGO_HOME", ".cargo/bin"),
];

/// Whether bubblewrap can put up its walls here; asked once, by putting them up around nothing.
///
/// # Errors
/// Why not.
pub(super) fn offered() -> Result<(), String> {
    static ANSWER: OnceLock<Result<(), String>> = OnceLock::new();
    ANSWER.get_or_init(tried).clone()
}

fn tried() -> Result<(), String> {
    let bwrap = program().ok_or("level 3 needs bubblewrap, which is not installed")?;
    let shell = environment::shell().ok_or("bash is not installed")?;
    let out = Command::new(bwrap)
        .args(WALLS)
        .arg(ALONE)
        .args(HOST)
        .args(OWN)
        .arg("--")
        .arg(shell)
        .args(["-c", ":"])
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| format!("bubblewrap: {error}"))?;
    if out.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&out.stderr);
    let said = said.lines().next().unwrap_or("it says nothing").trim();
    Err(format!("this host does not let bubblewrap work: {said}"))
}

fn program() -> Option<&'static Path> {
    let places = PLACES.iter().map(Path::new);
    places.into_iter().find(|place| place.is_file())
}

/// The command that starts a launcher inside, word by word.
///
/// # Errors
/// When bubblewrap or our own file is not to be had.
pub(super) fn command(setup: &SlotSetup) -> Result<Vec<OsString>, String> {
    offered()?;
    let bwrap = program().ok_or("bubblewrap is gone")?;
    let own = std::fs::canonicalize(&setup.program)
        .map_err(|error| format!("our own program is not where it was: {error}"))?;
    let mut words: Vec<OsString> = vec![bwrap.into()];
    words.extend(WALLS.iter().map(OsString::from));
    let (network, hidden) = match &setup.sight {
        Sight::Host => (false, None),
        Sight::Cold { network, hidden } => (*network, Some(hidden.as_slice())),
    };
    if !network {
        words.push(ALONE.into());
    }
    match hidden {
        None => words.extend(HOST.map(OsString::from)),
        Some(_) => {
            for folder in SYSTEM {
                words.extend(["--ro-bind-try", folder, folder].map(OsString::from));
            }
        }
    }
    words.extend(OWN.map(OsString::from));
    let mut mount = |how: &str, path: &Path| {
        words.extend([how.into(), path.into(), path.into()]);
    };
    // what a name resolver reads, should a command look a name up
    mount("--ro-bind-try", Path::new("/run/systemd/resolve"));
    let home = variable(setup, "HOME").map(PathBuf::from);
    let home = home.filter(|home| home.is_absolute() && home.parent().is_some());
    if let Some(home) = &home {
        words.extend(["--tmpfs".into(), home.into()]);
    }
    let mut tools = tools(setup, home.as_deref());
    if let Some(hidden) = hidden {
        tools.retain(|tool| !hidden.iter().any(|one| meets(tool, one)));
    }
    let mut mount = |how: &str, path: &Path| {
        words.extend([how.into(), path.into(), path.into()]);
    };
    for folder in tools.iter().chain(&setup.reads) {
        mount("--ro-bind-try", folder);
    }
    for cache in &setup.caches {
        mount("--bind-try", cache);
    }
    // one that lies inside of what is seen is covered
    for one in hidden.unwrap_or_default() {
        let seen = SYSTEM.iter().map(Path::new);
        if seen.into_iter().any(|folder| one.starts_with(folder)) {
            words.extend(["--tmpfs".into(), one.into()]);
        }
    }
    let mut mount = |how: &str, path: &Path| {
        words.extend([how.into(), path.into(), path.into()]);
    };
    mount("--bind", &setup.tree);
    mount("--bind", &setup.tmp);
    words.extend(["--ro-bind".into(), own.into(), OURSELVES.into()]);
    words.extend(["--", OURSELVES, LAUNCHER].map(OsString::from));
    Ok(words)
}

/// Folders of PATH and toolchains that the walls would hide.
fn tools(setup: &SlotSetup, home: Option<&Path>) -> Vec<PathBuf> {
    let path = variable(setup, "PATH").unwrap_or_default();
    let mut all: Vec<PathBuf> = std::env::split_paths(path).collect();
    all.extend(setup.shell.parent().map(Path::to_owned));
    for (name, usual) in TOOLCHAINS {
        let named = variable(setup, name).map(PathBuf::from);
        // of cargo's folder only the programs: its credentials lie beside them
        let named = named.map(|folder| match name {
            "CARGO_HOME" => folder.join("bin"),
            _ => folder,
        });
        all.extend(named.or_else(|| home.map(|home| home.join(usual))));
    }
    let hidden = |path: &PathBuf| {
        let below = |top: &Path| path.starts_with(top) && path != top;
        let system = || SYSTEM.iter().any(|folder| path.starts_with(folder));
        let gone = match setup.sight {
            Sight::Host => false,
            // a folder that is none of the system's: not in sight unless it is named
            Sight::Cold { .. } => path.parent().is_some() && !system() && Some(&**path) != home,
        };
        path.is_absolute() && (gone || below(Path::new("/tmp")) || home.is_some_and(below))
    };
    all.retain(hidden);
    all.sort();
    all.dedup();
    all
}

/// Whether one of two folders holds the other.
pub(super) fn meets(a: &Path, b: &Path) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

fn variable<'a>(setup: &'a SlotSetup, name: &str) -> Option<&'a OsStr> {
    let all = &setup.environment.variables;
    all.iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_os_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::oracle::environment::Environment;
    use crate::model::oracle::Isolation;

    /// The words that bring folders into sight or out of it, of a cold run.
    fn words(path: &str, network: bool) -> Vec<String> {
        let variables = [("PATH", path), ("HOME", "/home/ada")];
        let variables = variables.map(|(name, value)| (name.into(), value.into()));
        let setup = SlotSetup {
            program: std::env::current_exe().expect("a path"),
            isolation: Isolation::Network,
            tree: "/home/ada/.cache/cold/specs".into(),
            tmp: "/home/ada/.cache/cold/tmp".into(),
            caches: Vec::new(),
            reads: vec!["/srv/keys".into()],
            environment: Environment::from_list(variables.into_iter(), &[], Path::new("/t")),
            shell: "/bin/bash".into(),
            sight: Sight::Cold {
                network,
                hidden: vec!["/usr/src/change".into(), "/home/ada/work".into()],
            },
        };
        let words = command(&setup).expect("words");
        words
            .into_iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    #[cfg_attr(no_bwrap, ignore = "bubblewrap is not installed")]
    fn a_cold_run_is_shown_no_folder_of_the_change_wherever_it_lies() {
        let tools = "/usr/src/change/bin:/home/ada/work/bin:/home/ada/bin:/opt/tool:/home";
        let words = words(tools, false);
        let shown: Vec<&str> = words
            .windows(2)
            .filter(|two| two[0].starts_with("--ro-bind") || two[0] == "--bind")
            .map(|two| two[1].as_str())
            .collect();
        let system = |path: &&str| SYSTEM.contains(path) || path.starts_with("/run/");
        let mine: Vec<&str> = shown.iter().copied().filter(|path| !system(path)).collect();
        let usual = TOOLCHAINS.map(|(_, usual)| format!("/home/ada/{usual}"));
        let mut wanted: Vec<&str> = usual.iter().map(String::as_str).collect();
        wanted.extend(["/home/ada/bin", "/opt/tool"]);
        wanted.sort_unstable();
        wanted.extend([
            "/srv/keys",
            "/home/ada/.cache/cold/specs",
            "/home/ada/.cache/cold/tmp",
        ]);
        let own = mine.iter().position(|path| path.contains("countersign"));
        let before: Vec<&str> = mine
            .iter()
            .copied()
            .take(own.unwrap_or(mine.len()))
            .collect();
        assert_eq!(before, wanted);
        assert!(!shown.contains(&"/"), "the whole file system");
        // what lies inside of a folder of the system is covered by an empty one, after it
        let at = |what: [&str; 2]| words.windows(2).position(|two| two == what);
        let (usr, over) = (
            at(["--ro-bind-try", "/usr"]),
            at(["--tmpfs", "/usr/src/change"]),
        );
        assert!(usr.is_some() && usr < over, "{words:?}");
        assert!(words.iter().any(|word| word == ALONE));
    }

    #[test]
    #[cfg_attr(no_bwrap, ignore = "bubblewrap is not installed")]
    fn only_a_grant_leaves_the_network_in_reach() {
        assert!(!words("/usr/bin", true).iter().any(|word| word == ALONE));
    }
}
