//! Typed texts that are not recorded yet (TUI-7): on disk at most 32 keys or 250 ms after a
//! change, synced at most 4 s after, private, and there again after `kill -9`.
//!
//! A draft belongs to a change, an item and field (its key), and the head it was written for. It
//! goes only when it was recorded or thrown away on purpose. Each session writes a file of its
//! own; the next session on the change takes over what a dead one left. No clock is stored: a
//! counter says which text is newer.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::folders::{self, Folders};
use super::ledger_store::slug;
use crate::model::id::Digest;

/// Most keys that a crash may take.
pub const KEYS: u64 = 32;
/// Milliseconds after the first unsaved change until the file is written.
pub const SAVE_MS: u64 = 250;
/// Milliseconds after the first unsynced change until the file is synced.
pub const SYNC_MS: u64 = 4_000;

/// A typed text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Draft {
    /// Names the item and the field.
    pub key: String,
    /// The head it was written for.
    pub head: String,
    /// Counts up with every change on this change's drafts; the greater is the newer.
    pub rev: u64,
    /// The text.
    pub text: String,
}

/// The drafts of one session on one change.
#[derive(Debug)]
pub struct Drafts {
    path: PathBuf,
    /// Held while the session lives, so that no other takes its file over.
    _lock: File,
    kept: Vec<Draft>,
    rev: u64,
    keys: u64,
    unsaved_since: Option<u64>,
    unsynced_since: Option<u64>,
    damaged: Vec<PathBuf>,
}

impl Drafts {
    /// Opens a session's drafts and takes over those of dead sessions.
    ///
    /// # Errors
    /// Any failure of the file system; nothing that was there is lost by it.
    pub fn open(folders: &Folders, repository: Digest, change: &str) -> io::Result<Self> {
        let folder = folders.state.join(repository.to_string()).join("drafts");
        folders::private(&folder)?;
        let slug = slug(change);
        let left = left_behind(&folder, &slug)?;
        let (path, lock) = loop {
            let mut random = [0; 3];
            getrandom::fill(&mut random).map_err(io::Error::other)?;
            let hex: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
            let path = folder.join(format!("{slug}.{hex}.json"));
            if let Some(lock) = own(&path)?.filter(|_| !path.exists()) {
                break (path, lock);
            }
        };
        let mut drafts = Self {
            path,
            _lock: lock,
            kept: Vec::new(),
            rev: 0,
            keys: 0,
            unsaved_since: None,
            unsynced_since: None,
            damaged: Vec::new(),
        };
        drafts.take_over(left)?;
        Ok(drafts)
    }

    fn take_over(&mut self, left: Vec<(PathBuf, File)>) -> io::Result<()> {
        let mut done = Vec::new();
        for (path, lock) in left {
            match read(&path) {
                Ok(found) => {
                    self.kept.extend(found);
                    done.push((path, lock));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => done.push((path, lock)),
                Err(_) => {
                    let aside = path.with_extension("damaged");
                    if fs::rename(&path, &aside).is_ok() {
                        self.damaged.push(aside);
                        done.push((path, lock));
                    }
                }
            }
        }
        self.kept.sort_by_key(|draft| draft.rev);
        self.kept
            .dedup_by(|a, b| a.key == b.key && a.head == b.head && a.text == b.text);
        self.rev = self.kept.iter().map(|draft| draft.rev).max().unwrap_or(0);
        if !self.kept.is_empty() {
            self.save()?;
            self.sync()?;
        }
        for (path, _lock) in done {
            for name in [path.clone(), fresh(&path), locked(&path)] {
                let _ = fs::remove_file(name);
            }
        }
        Ok(())
    }

    /// What was typed and neither recorded nor thrown away, oldest first. The same key and head
    /// may stand there twice when two sessions wrote it; the later is the newer.
    #[must_use]
    pub fn list(&self) -> &[Draft] {
        &self.kept
    }

    /// Files of earlier sessions that could not be read; they were set aside under these names.
    #[must_use]
    pub fn damaged(&self) -> &[PathBuf] {
        &self.damaged
    }

    /// Keeps the text of one field. `now_ms` is any monotonic clock.
    ///
    /// # Errors
    /// When it is time to write and the file system refuses; the text is still kept in memory
    /// and the next call tries again.
    pub fn put(&mut self, key: &str, head: &str, text: &str, now_ms: u64) -> io::Result<()> {
        self.rev += 1;
        let same = |draft: &Draft| draft.key == key && draft.head == head;
        let before = self
            .kept
            .iter()
            .rposition(same)
            .map(|at| self.kept.remove(at));
        let before = before.map_or(0, |draft| draft.text.len());
        self.keys += (before.abs_diff(text.len()) as u64).max(1);
        self.kept.push(Draft {
            key: key.to_owned(),
            head: head.to_owned(),
            rev: self.rev,
            text: text.to_owned(),
        });
        self.unsaved_since.get_or_insert(now_ms);
        self.unsynced_since.get_or_insert(now_ms);
        if self.keys >= KEYS {
            self.save()?;
        }
        self.tick(now_ms)
    }

    /// Forgets a text that was recorded or thrown away on purpose.
    ///
    /// # Errors
    /// When the file system refuses; the text may then come back at the next start.
    pub fn drop(&mut self, key: &str, head: &str) -> io::Result<()> {
        let before = self.kept.len();
        self.kept
            .retain(|draft| draft.key != key || draft.head != head);
        if self.kept.len() == before {
            return Ok(());
        }
        self.save()?;
        self.sync()
    }

    /// When [`Drafts::tick`] wants to be called; `None` while everything is on disk and synced.
    #[must_use]
    pub fn due(&self) -> Option<u64> {
        let save = self
            .unsaved_since
            .map(|since| since.saturating_add(SAVE_MS));
        let sync = self
            .unsynced_since
            .map(|since| since.saturating_add(SYNC_MS));
        save.into_iter().chain(sync).min()
    }

    /// Writes and syncs what is due.
    ///
    /// # Errors
    /// When the file system refuses; the next call tries again.
    pub fn tick(&mut self, now_ms: u64) -> io::Result<()> {
        let over = |since: Option<u64>, ms| since.is_some_and(|since| now_ms >= since + ms);
        if over(self.unsynced_since, SYNC_MS) {
            return self.flush();
        }
        if over(self.unsaved_since, SAVE_MS) {
            self.save()?;
        }
        Ok(())
    }

    /// Writes and syncs everything: before leaving, suspending and the editor.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn flush(&mut self) -> io::Result<()> {
        if self.unsaved_since.is_some() {
            self.save()?;
        }
        if self.unsynced_since.is_some() {
            self.sync()?;
        }
        Ok(())
    }

    /// Writes a whole new file and puts it in the place of the old one.
    fn save(&mut self) -> io::Result<()> {
        let rows = self.kept.iter().map(|draft| {
            json!({"key": draft.key, "head": draft.head, "rev": draft.rev, "text": draft.text})
        });
        let value = json!({"v": 1, "drafts": rows.collect::<Vec<_>>()});
        let fresh = fresh(&self.path);
        let mut file = private()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&fresh)?;
        file.write_all(value.to_string().as_bytes())?;
        fs::rename(&fresh, &self.path)?;
        self.keys = 0;
        self.unsaved_since = None;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()?;
        File::open(self.path.parent().unwrap_or(Path::new(".")))?.sync_all()?;
        self.unsynced_since = None;
        Ok(())
    }
}

impl Drop for Drafts {
    fn drop(&mut self) {
        let _ = self.flush();
        if self.kept.is_empty() {
            for name in [self.path.clone(), fresh(&self.path), locked(&self.path)] {
                let _ = fs::remove_file(name);
            }
        }
    }
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    options.mode(0o600);
    options
}

fn fresh(path: &Path) -> PathBuf {
    path.with_extension("json.new")
}

fn locked(path: &Path) -> PathBuf {
    path.with_extension("lock")
}

/// The lock of a session's file, or `None` while that session lives. It dies with its process.
fn own(path: &Path) -> io::Result<Option<File>> {
    let file = private()
        .write(true)
        .create(true)
        .truncate(false)
        .open(locked(path))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Files of sessions on this change that are dead, each with its lock in our hands.
fn left_behind(folder: &Path, slug: &str) -> io::Result<Vec<(PathBuf, File)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let endings = [".json", ".json.new", ".lock"];
        let stem = endings.iter().find_map(|ending| name.strip_suffix(ending));
        let of = stem.and_then(|stem| stem.rsplit_once('.'));
        if of.is_none_or(|(of, _)| of != slug) {
            continue;
        }
        let path = folder.join(format!("{}.json", stem.unwrap_or_default()));
        if found.iter().all(|(known, _)| *known != path)
            && let Some(lock) = own(&path)?
        {
            found.push((path, lock));
        }
    }
    Ok(found)
}

fn read(path: &Path) -> io::Result<Vec<Draft>> {
    use io::Read as _;
    let file = private().read(true).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(64 * 1024 * 1024).read_to_end(&mut bytes)?;
    let value: Value = serde_json::from_slice(&bytes)?;
    let one = |row: &Value| {
        let text = |key: &str| Some(row.get(key)?.as_str()?.to_owned());
        Some(Draft {
            key: text("key")?,
            head: text("head")?,
            rev: row.get("rev")?.as_u64()?,
            text: text("text")?,
        })
    };
    let rows = value.get("drafts").and_then(Value::as_array);
    rows.and_then(|rows| rows.iter().map(one).collect())
        .ok_or_else(|| io::Error::other("not a file of drafts"))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Desk(tempfile::TempDir);

    impl Desk {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }
        fn open(&self) -> Drafts {
            let home = self.0.path();
            let folders = Folders {
                config: home.join("config"),
                state: home.join("state"),
                cache: home.join("cache"),
            };
            Drafts::open(&folders, Digest::of(b"r"), "fix/it").unwrap()
        }
        /// What lies on disk now, as another process would read it.
        fn on_disk(drafts: &Drafts) -> Vec<String> {
            let found = read(&drafts.path).unwrap_or_default();
            found.into_iter().map(|draft| draft.text).collect()
        }
    }

    fn texts(drafts: &Drafts) -> Vec<&str> {
        drafts
            .list()
            .iter()
            .map(|draft| draft.text.as_str())
            .collect()
    }

    #[test]
    fn a_text_is_written_after_32_keys_or_a_quarter_second() {
        let desk = Desk::new();
        let mut drafts = desk.open();
        for n in 1..=31usize {
            drafts.put("2/why", "abc", &"x".repeat(n), 0).unwrap();
        }
        assert!(Desk::on_disk(&drafts).is_empty());
        assert_eq!(drafts.due(), Some(SAVE_MS));
        drafts.put("2/why", "abc", &"x".repeat(32), 0).unwrap();
        assert_eq!(Desk::on_disk(&drafts), ["x".repeat(32)]);
        assert_eq!(drafts.due(), Some(SYNC_MS));
        drafts.put("2/why", "abc", "y", 1_000).unwrap();
        drafts.tick(1_249).unwrap();
        drafts.put("2/why", "abc", "yz", 1_249).unwrap();
        drafts.tick(1_250).unwrap();
        assert_eq!(Desk::on_disk(&drafts), ["yz"]);
        drafts.tick(4_000).unwrap();
        assert_eq!(drafts.due(), None);
    }

    #[test]
    fn texts_survive_their_session_and_go_only_on_purpose() {
        let desk = Desk::new();
        let mut drafts = desk.open();
        drafts.put("1/why", "abc", "first", 0).unwrap();
        drafts.put("2/why", "abc", "second", 0).unwrap();
        drop(drafts);
        let mut drafts = desk.open();
        assert_eq!(texts(&drafts), ["first", "second"]);
        drafts.drop("1/why", "another head").unwrap();
        drafts.drop("1/why", "abc").unwrap();
        drop(drafts);
        assert_eq!(texts(&desk.open()), ["second"]);
    }

    #[test]
    fn a_living_session_keeps_its_file_and_two_texts_for_one_field_are_both_kept() {
        let desk = Desk::new();
        let mut one = desk.open();
        one.put("1/why", "abc", "from one", 0).unwrap();
        one.flush().unwrap();
        let mut two = desk.open();
        assert!(two.list().is_empty());
        two.put("1/why", "abc", "from two", 0).unwrap();
        drop((one, two));
        let mut both = desk.open();
        let mut found = texts(&both);
        found.sort_unstable();
        assert_eq!(found, ["from one", "from two"]);
        both.put("1/why", "abc", "joined", 0).unwrap();
        assert_eq!(texts(&both).last(), Some(&"joined"));
        both.drop("1/why", "abc").unwrap();
        drop(both);
        assert!(desk.open().list().is_empty());
    }

    #[test]
    fn a_damaged_file_is_set_aside_and_nothing_is_left_over_otherwise() {
        let desk = Desk::new();
        let mut drafts = desk.open();
        drafts.put("1", "abc", "text", 0).unwrap();
        drafts.flush().unwrap();
        let path = drafts.path.clone();
        drop(drafts);
        fs::write(&path, "{\"v\":1,\"dra").unwrap();
        let drafts = desk.open();
        assert_eq!(drafts.damaged().len(), 1);
        drop(drafts);
        let left: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    fn drafts_are_private() {
        use std::os::unix::fs::MetadataExt as _;
        let desk = Desk::new();
        let mut drafts = desk.open();
        drafts.put("1", "abc", "text", 0).unwrap();
        drafts.flush().unwrap();
        assert_eq!(fs::metadata(&drafts.path).unwrap().mode() & 0o777, 0o600);
    }
}
