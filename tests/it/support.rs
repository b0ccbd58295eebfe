//! What several test files need: the built program in a clean environment, and another user.

use std::path::Path;
use std::process::Command;

/// The built program with a cleared environment and folders of its own below `home`.
pub(crate) fn countersign(home: &Path) -> Command {
    clean(env!("CARGO_BIN_EXE_countersign"), home)
}

/// A program with a cleared environment: PATH, HOME and our own folders below `home`, a fixed
/// locale and no terminal.
pub(crate) fn clean(program: &str, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("COUNTERSIGN_HOME", home.join("countersign"))
        .env("LANG", "C.UTF-8")
        .env("TERM", "xterm-256color")
        .stdin(std::process::Stdio::null());
    command
}

/// Whether this process is root; then tests of permissions and terminals must drop to
/// [`OTHER_UID`] or they prove nothing.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// `nobody`.
pub(crate) const OTHER_UID: &str = "65534";

/// The program run as another user when we are root, else as ourselves. The folder must be
/// that user's: see [`hand_over`].
pub(crate) fn as_other_user(program: &str, home: &Path) -> Command {
    if !is_root() {
        return clean(program, home);
    }
    let mut command = clean("setpriv", home);
    command
        .args([
            "--reuid",
            OTHER_UID,
            "--regid",
            OTHER_UID,
            "--clear-groups",
            "--",
        ])
        .arg(program);
    command
}

/// Gives a folder and everything below it to the other user when we are root.
pub(crate) fn hand_over(folder: &Path) {
    if is_root() {
        let owner = format!("{OTHER_UID}:{OTHER_UID}");
        let done = Command::new("chown")
            .arg("-R")
            .arg(owner)
            .arg(folder)
            .status();
        assert!(
            done.is_ok_and(|s| s.success()),
            "chown {}",
            folder.display()
        );
    }
}

/// The built program run as another user, from a copy in `home` that the other user can reach
/// (the build folder may lie below a folder that only we may enter).
pub(crate) fn countersign_as_other_user(home: &Path) -> Command {
    let copy = home.join("countersign-under-test");
    if !copy.exists() {
        std::fs::copy(env!("CARGO_BIN_EXE_countersign"), &copy).expect("a copy of the program");
        hand_over(home);
    }
    as_other_user(copy.to_str().expect("a plain path"), home)
}

/// As if the person had confirmed their name before: it is asked for once on a machine.
pub(crate) fn known_person(own_folders: &Path) {
    let name = Command::new("id").args(["-un"]).output().expect("id runs");
    let name = String::from_utf8_lossy(&name.stdout).into_owned();
    let state = own_folders.join("state");
    std::fs::create_dir_all(&state).expect("a folder");
    std::fs::write(state.join("who"), format!("nobody\n{name}")).expect("a file");
    hand_over(own_folders);
}
