//! The person's own editor on a text of theirs. Its command comes from our config or their
//! environment, never from a repository (rulings K19).

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::adapters::folders;
use crate::adapters::signer::Handover;
use crate::gate::decide::TEXT_LIMIT;

/// The command: `$VISUAL`, else `$EDITOR`, else `vi`; `configured` wins over all.
#[must_use]
pub fn command(configured: Option<&str>) -> String {
    let from = |name| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
    configured
        .map(str::to_owned)
        .filter(|text| !text.trim().is_empty())
        .or_else(|| from("VISUAL"))
        .or_else(|| from("EDITOR"))
        .unwrap_or_else(|| String::from("vi"))
}

/// A text on its way through an editor: a file that only the person can read, removed with this.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
}

impl Draft {
    /// Puts the text into a file below `folder`.
    ///
    /// # Errors
    /// Any failure of the file system.
    pub fn new(folder: &Path, text: &str) -> io::Result<Self> {
        folders::private(folder)?;
        let mut name = [0; 8];
        getrandom::fill(&mut name).map_err(io::Error::other)?;
        let path = folder.join(format!("text-{:016x}.md", u64::from_le_bytes(name)));
        let mut file = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        let draft = Self { path };
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        Ok(draft)
    }

    /// The child to start, on the terminal; nothing of ours but the descriptors. It stands in our
    /// private folder: neither a program nor a settings file of the change is found beside it.
    ///
    /// # Errors
    /// When the terminal's descriptor cannot be copied.
    pub fn child(&self, command: &str) -> io::Result<tokio::process::Command> {
        let mut child = tokio::process::Command::new("/bin/sh");
        child
            .arg("-c")
            .arg(format!("{command} \"$@\""))
            .arg(command)
            .arg(&self.path)
            .current_dir(self.path.parent().unwrap_or(Path::new("/")))
            .stdin(Stdio::inherit())
            .stdout(Stdio::from(terminal()?))
            .stderr(Stdio::from(terminal()?));
        Ok(child)
    }

    /// What the editor left, without the one line end that editors add.
    ///
    /// # Errors
    /// When it is no text, too long, or cannot be read.
    pub fn read(&self) -> io::Result<String> {
        let mut text = String::new();
        let limit = TEXT_LIMIT as u64 + 1;
        File::open(&self.path)?
            .take(limit)
            .read_to_string(&mut text)?;
        if text.len() > TEXT_LIMIT {
            return Err(io::Error::other("the text is over 64 KiB"));
        }
        if text.ends_with('\n') {
            text.pop();
        }
        Ok(text)
    }
}

/// The child for a file of the person's worktree, at a line. It stands in our private folder, so
/// that no settings file of a reviewed repository is found beside it.
///
/// # Errors
/// When the folder or the terminal's descriptor cannot be had.
pub fn file(
    command: &str,
    folder: &Path,
    file: &Path,
    line: u32,
) -> io::Result<tokio::process::Command> {
    folders::private(folder)?;
    let mut child = tokio::process::Command::new("/bin/sh");
    child
        .arg("-c")
        .arg(format!("{command} \"$@\""))
        .arg(command)
        .args(at_line(command, file, line))
        .current_dir(folder)
        .stdin(Stdio::inherit())
        .stdout(Stdio::from(terminal()?))
        .stderr(Stdio::from(terminal()?));
    Ok(child)
}

/// The child that asks the person for what a signature needs.
///
/// # Errors
/// When there is no `ssh-keygen` or the terminal's descriptor cannot be had.
pub fn signature(handover: &Handover) -> io::Result<tokio::process::Command> {
    let mut tty = terminal()?;
    tty.write_all(b"countersign: ssh-keygen seals what was recorded\r\n")?;
    let mut child = tokio::process::Command::from(handover.on_terminal()?);
    child
        .stdin(Stdio::from(terminal()?))
        .stdout(Stdio::from(terminal()?))
        .stderr(Stdio::from(tty));
    Ok(child)
}

/// The arguments that open a file at a line, in the way of the editor; an unknown one gets the
/// file alone.
fn at_line(command: &str, file: &Path, line: u32) -> Vec<OsString> {
    const PLUS: [&str; 13] = [
        "vi",
        "vim",
        "nvim",
        "view",
        "nano",
        "emacs",
        "emacsclient",
        "micro",
        "kak",
        "joe",
        "ne",
        "mg",
        "ed",
    ];
    const COLON: [&str; 4] = ["hx", "helix", "subl", "zed"];
    let program = command.split_whitespace().next().unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default();
    let colon = |file: &Path| {
        let mut place = file.as_os_str().to_owned();
        place.push(format!(":{line}"));
        place
    };
    if PLUS.contains(&name) {
        vec![format!("+{line}").into(), file.into()]
    } else if COLON.contains(&name) {
        vec![colon(file)]
    } else if name == "code" || name == "codium" {
        vec!["--goto".into(), colon(file)]
    } else {
        vec![file.into()]
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// A description of the terminal of its own, so that the child does not inherit our
/// non-blocking one.
fn terminal() -> io::Result<File> {
    File::options().read(true).write(true).open("/dev/tty")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_comes_back_and_the_file_is_gone() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let dir = folder.path().join("drafts");
        let draft = Draft::new(&dir, "one\ntwo")?;
        let path = draft.path.clone();
        fs::write(&path, "three\n")?;
        assert_eq!(draft.read()?, "three");
        drop(draft);
        assert!(!path.exists());
        Ok(())
    }

    #[test]
    fn every_editor_is_told_the_line_in_its_own_way() {
        let file = Path::new("/w/a b.rs");
        for (command, wanted) in [
            ("vim", vec!["+7", "/w/a b.rs"]),
            ("/usr/bin/nano -R", vec!["+7", "/w/a b.rs"]),
            ("hx", vec!["/w/a b.rs:7"]),
            ("code --wait", vec!["--goto", "/w/a b.rs:7"]),
            ("my-editor", vec!["/w/a b.rs"]),
        ] {
            assert_eq!(at_line(command, file, 7), wanted, "{command}");
        }
    }

    #[test]
    fn a_text_that_is_too_long_is_refused_and_not_cut() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let draft = Draft::new(folder.path(), "")?;
        fs::write(&draft.path, "x".repeat(TEXT_LIMIT + 1))?;
        assert!(draft.read().is_err());
        Ok(())
    }
}
