//! Level 3: the launcher inside bubblewrap, with no network, its own processes, and no folder of
//! the person's in sight but what it needs (RUN-23, RUN-27). One for a launcher, not for each CHECK:
//! it starts slower than a CHECK.
//!
//! Of the home folder stay visible, to be read only: folders of PATH and the toolchains that the
//! passed variables name. The tool caches of the configuration stay as they are. Everything else
//! of it is an empty folder that is gone with the launcher.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::environment;
use super::roles::LAUNCHER;
use super::slot::SlotSetup;

/// Where bubblewrap is looked for. PATH is not asked: a folder of it may belong to the change.
const PLACES: [&str; 3] = [
    "/usr/bin/bwrap",
    "/usr/local/bin/bwrap",
    "/run/current-system/sw/bin/bwrap",
];

/// What is always asked for.
const WALLS: [&str; 15] = [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-net",
    "--die-with-parent",
    "--new-session",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
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
        .args(["/run", "--"])
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
    words.extend(["/run", "--tmpfs", "/tmp"].map(OsString::from));
    let mut mount = |how: &str, path: &Path| {
        words.extend([how.into(), path.into(), path.into()]);
    };
    // what a name resolver reads, should a command look a name of this host up
    mount("--ro-bind-try", Path::new("/run/systemd/resolve"));
    let home = variable(setup, "HOME").map(PathBuf::from);
    let home = home.filter(|home| home.is_absolute() && home.parent().is_some());
    if let Some(home) = &home {
        words.extend(["--tmpfs".into(), home.into()]);
    }
    let mut mount = |how: &str, path: &Path| {
        words.extend([how.into(), path.into(), path.into()]);
    };
    for folder in tools(setup, home.as_deref()) {
        mount("--ro-bind-try", &folder);
    }
    for folder in &setup.reads {
        mount("--ro-bind-try", folder);
    }
    for cache in &setup.caches {
        mount("--bind-try", cache);
    }
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
        path.is_absolute() && (below(Path::new("/tmp")) || home.is_some_and(below))
    };
    all.retain(hidden);
    all.sort();
    all.dedup();
    all
}

fn variable<'a>(setup: &'a SlotSetup, name: &str) -> Option<&'a OsStr> {
    let all = &setup.environment.variables;
    all.iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_os_str())
}
