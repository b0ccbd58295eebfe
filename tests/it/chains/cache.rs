//! Skills that did not change are not read again, and one that might have is.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use countersign::adapters::chains::cache::Cache;
use countersign::adapters::chains::gather::{Gathered, gather};

use super::rules::built_in;

/// As many as make a cache worth while, and one more.
const MANY: usize = 201;

struct Yard {
    folder: tempfile::TempDir,
}

impl Yard {
    fn new() -> Self {
        let yard = Self {
            folder: tempfile::tempdir().expect("a folder"),
        };
        for number in 0..MANY {
            fs::create_dir_all(yard.skill(number).parent().expect("a folder")).expect("made");
            yard.write(number, "sent");
        }
        yard
    }

    fn top(&self) -> PathBuf {
        self.folder.path().join("yard")
    }

    fn skill(&self, number: usize) -> PathBuf {
        self.top().join(format!("skills/s-{number:03}/SKILL.md"))
    }

    fn write(&self, number: usize, word: &str) {
        let text = format!("# s-{number:03}\n\n## Done When\n\n- {word}\n");
        fs::write(self.skill(number), text).expect("written");
    }

    /// Gathers so many seconds after now, or before.
    fn gather(&self, later: i64) -> Gathered {
        self.gather_as("forge", later)
    }

    fn gather_as(&self, profile: &str, later: i64) -> Gathered {
        let profile = built_in(profile);
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("a time");
        let now = i64::try_from(now.as_secs()).expect("a small number") + later;
        let store = self.folder.path().join("store");
        let cache = Cache::open(&store, &self.top(), &profile, now);
        gather(&self.top(), &self.top(), &profile, Some(&cache))
    }

    fn stored(&self) -> Vec<PathBuf> {
        let folder = self.folder.path().join("store/chains");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    }
}

fn counts(found: &Gathered) -> (usize, usize) {
    (found.opened, found.cached)
}

/// What the skills say, in their order.
fn says(found: &Gathered) -> Vec<String> {
    let skills = found.tree.skills.iter();
    skills.map(|skill| format!("{skill:?}")).collect()
}

fn modified(path: &Path) -> SystemTime {
    let facts = fs::metadata(path).expect("its facts");
    facts.modified().expect("a time")
}

#[test]
fn unchanged_skills_are_not_read_again_and_say_the_same() {
    let yard = Yard::new();
    let first = yard.gather(10);
    assert_eq!(counts(&first), (MANY, 0));
    let again = yard.gather(10);
    assert_eq!(counts(&again), (0, MANY));
    assert_eq!(says(&again), says(&first));
    // what was read under other rules is not taken
    assert_eq!(counts(&yard.gather_as("generic", 10)), (MANY, 0));
    assert_eq!(counts(&yard.gather(10)), (0, MANY));
}

#[test]
fn the_same_size_and_the_same_time_do_not_hide_a_change() {
    let yard = Yard::new();
    yard.gather(10);
    let path = yard.skill(7);
    let before = modified(&path);
    yard.write(7, "gone");
    let file = File::options().write(true).open(&path).expect("opened");
    file.set_modified(before).expect("set back");
    assert_eq!(modified(&path), before);
    let found = yard.gather(10);
    assert_eq!(counts(&found), (1, MANY - 1));
    assert!(says(&found)[7].contains("gone"));
    // another file put in its place, with the times of the first
    yard.gather(10);
    let other = path.with_extension("new");
    fs::write(&other, fs::read(&path).expect("read")).expect("written");
    fs::rename(&other, &path).expect("moved");
    assert_eq!(counts(&yard.gather(10)), (1, MANY - 1));
}

#[test]
fn what_changed_just_now_is_read_again_until_it_lay_still() {
    let yard = Yard::new();
    // a write in the same tick as the look leaves no trace in the facts: nothing is kept
    assert_eq!(counts(&yard.gather(0)), (MANY, 0));
    assert!(yard.stored().is_empty());
    assert_eq!(counts(&yard.gather(0)), (MANY, 0));
    // one file of tomorrow is never believed, the others are
    let tomorrow = SystemTime::now() + Duration::from_secs(86_400);
    let file = File::options().write(true).open(yard.skill(3));
    file.expect("opened").set_modified(tomorrow).expect("set");
    assert_eq!(counts(&yard.gather(10)), (MANY, 0));
    assert_eq!(counts(&yard.gather(10)), (1, MANY - 1));
    assert_eq!(counts(&yard.gather(10)), (1, MANY - 1));
}

#[test]
fn a_cache_that_is_torn_or_of_another_form_is_as_none() {
    let yard = Yard::new();
    yard.gather(10);
    for text in [&b""[..], b"\x01\xff\xff\xff\xff\xff", &[7; 4096]] {
        let [stored] = yard.stored().try_into().expect("one file");
        fs::write(&stored, text).expect("written");
        assert_eq!(counts(&yard.gather(10)), (MANY, 0));
        assert_eq!(counts(&yard.gather(10)), (0, MANY));
    }
    let [stored] = yard.stored().try_into().expect("one file");
    let whole = fs::read(&stored).expect("read");
    fs::write(&stored, &whole[..whole.len() / 2]).expect("torn");
    assert_eq!(counts(&yard.gather(10)), (MANY, 0));
}

#[test]
fn skills_that_went_are_not_remembered() {
    let yard = Yard::new();
    yard.gather(10);
    fs::remove_file(yard.skill(0)).expect("removed");
    let found = yard.gather(10);
    assert_eq!(counts(&found), (0, MANY - 1));
    assert!(!says(&found).iter().any(|says| says.contains("s-000")));
}
