//! The built-in sample, laid out and opened by another user, behind a terminal.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::Terminal;
use crate::support::{countersign_as_other_user, hand_over, known_person};

/// A sample that was laid out.
pub(crate) struct Seat {
    folder: TempDir,
}

impl Seat {
    /// Lays it out below a folder of its own; the person's name was confirmed before.
    pub(crate) fn new() -> Self {
        let seat = Self::of_nobody_known();
        known_person(&seat.home());
        seat
    }

    /// The same on a machine where nobody's name was confirmed yet.
    pub(crate) fn of_nobody_known() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        hand_over(folder.path());
        let seat = Self { folder };
        let done = countersign_as_other_user(seat.folder.path())
            .args(["demo", "--lay-out"])
            .arg(seat.folder.path().join("sample"))
            .output()
            .expect("it runs");
        assert!(done.status.success(), "{done:?}");
        seat
    }

    /// The worktree under review.
    pub(crate) fn worktree(&self) -> PathBuf {
        self.folder.path().join("sample/ferry-42")
    }

    /// countersign's own folders.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("sample/countersign")
    }

    /// An agent's verdict, put into the queue by the program's own command.
    pub(crate) fn asserts(&self, subject: &str) {
        let words = [
            "assert",
            "--gate",
            "verify",
            "--subject",
            subject,
            "--verdict",
            "APPROVED",
            "--why",
            "the run is green",
        ];
        let said = self.command(&words).output().expect("it runs");
        assert_eq!(said.status.code(), Some(0), "{said:?}");
    }

    /// The program in the worktree, with the sample's folders.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = countersign_as_other_user(self.folder.path());
        command
            .args(words)
            .env("COUNTERSIGN_HOME", self.home())
            .current_dir(self.worktree());
        command
    }

    /// A session on a terminal of 100 by 30, opened.
    pub(crate) fn open(&self) -> Terminal {
        let terminal = Terminal::start(&self.command(&["review"]), 100, 30);
        wait_until_read(&terminal);
        terminal
    }

    /// Every line of the ledger.
    pub(crate) fn ledger(&self) -> Vec<String> {
        let files = files_below(&self.home(), "jsonl").into_iter();
        files
            .filter(|file| file.components().any(|part| part.as_os_str() == "ledger"))
            .flat_map(|file| {
                let text = std::fs::read_to_string(file).expect("a shard");
                text.lines().map(str::to_owned).collect::<Vec<_>>()
            })
            .collect()
    }

    /// The texts of all drafts on disk.
    pub(crate) fn drafts(&self) -> String {
        let files = files_below(&self.home(), "json").into_iter();
        files
            .filter(|file| file.components().any(|part| part.as_os_str() == "drafts"))
            .map(|file| std::fs::read_to_string(file).unwrap_or_default())
            .collect()
    }
}

fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Waits until the session on the sample was opened and has read its change.
pub(crate) fn wait_until_read(terminal: &Terminal) {
    terminal.shows("opened at");
    wait_until_listed(terminal);
}

/// Waits until every changed file of the sample is listed. Leaving before that is another end: it
/// could not be measured.
pub(crate) fn wait_until_listed(terminal: &Terminal) {
    drop(terminal.until("the list of files", |seen| {
        let text = seen.text();
        text.contains("owed of 7 files") && !text.contains("files so far")
    }));
}
