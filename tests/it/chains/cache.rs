//! Skills that did not change are not read again, and one that might have is.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use countersign::adapters::chains::cache::Cache;
use countersign::adapters::chains::gather::{Gathered, gather};
use countersign::adapters::chains::kept::Results;

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
        let next = (number + 1) % MANY;
        let text = format!(
            "# s-{number:03}\n\n## Chains\n\n- → Mandatory next: `s-{next:03}`\n\n## Done When\n\n\
             - wait for the s-{next:03} verdict when it was {word}\n\n\
             Verdict: PASS | CONDITIONAL_PASS | FAIL | ESCALATE\n"
        );
        fs::write(self.skill(number), text).expect("written");
    }

    /// Gathers and audits so many seconds after now.
    fn audit(&self, later: i64) -> (Gathered, Results) {
        self.audit_as("forge", later, None)
    }

    fn audit_as(&self, profile: &str, later: i64, scope: Option<&[u32]>) -> (Gathered, Results) {
        let profile = built_in(profile);
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("a time");
        let now = i64::try_from(now.as_secs()).expect("a small number") + later;
        let (store, top) = (self.folder.path().join("store"), self.top());
        let cache = Cache::open(&store, &top, &profile, now);
        let mut found = gather(&top, &top, &profile, Some(&cache));
        let results = found.audit(&top, scope, &profile, Some(&cache));
        (found, results)
    }

    /// Files opened, and files taken as they were.
    fn counts(&self, later: i64) -> (usize, usize) {
        let (found, _) = self.audit(later);
        (found.opened, found.cached)
    }

    /// What is asked for again and again: whether it was kept, and what it says.
    fn says(&self) -> (bool, String) {
        let (_, results) = self.audit(10);
        (results.kept, says(&results))
    }

    /// The files of the cache with this ending.
    fn stored(&self, ending: &str) -> Vec<PathBuf> {
        let folder = self.folder.path().join("store/chains");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        paths
            .filter(|path| path.extension().is_some_and(|is| is == ending))
            .collect()
    }
}

/// Everything that an audit found.
fn says(results: &Results) -> String {
    format!("{:?} {:?}", results.calibration, results.audit)
}

fn modified(path: &Path) -> SystemTime {
    let facts = fs::metadata(path).expect("its facts");
    facts.modified().expect("a time")
}

#[test]
fn unchanged_skills_are_not_read_again_and_say_the_same() {
    let yard = Yard::new();
    assert_eq!(yard.counts(10), (MANY, 0));
    let (found, results) = yard.audit(10);
    assert_eq!((found.opened, found.cached), (0, MANY));
    let top = yard.top();
    let profile = built_in("forge");
    let mut anew = gather(&top, &top, &profile, None);
    assert_eq!((anew.opened, anew.cached), (MANY, 0));
    let anew = anew.audit(&top, None, &profile, None);
    assert_eq!((results.kept, anew.kept), (true, false));
    assert_eq!(says(&results), says(&anew));
    assert_eq!(results.audit.chains.len(), MANY);
    // what was read under other rules is not taken
    let (other, results) = yard.audit_as("generic", 10, None);
    assert_eq!((other.opened, results.kept), (MANY, false));
    assert_eq!(yard.counts(10), (0, MANY));
}

#[test]
fn a_result_is_taken_for_the_very_same_skills_and_scope_only() {
    let yard = Yard::new();
    let first = yard.says();
    assert!(!first.0);
    assert_eq!(yard.says(), (true, first.1.clone()));
    // another scope, with a result of its own that does not push the first out
    let some = |kept: bool, numbers: &[u32]| {
        let (found, results) = yard.audit_as("forge", 10, Some(numbers));
        assert_eq!((found.opened, results.kept), (0, kept), "{numbers:?}");
        assert_eq!(results.audit.chains.len(), numbers.len());
    };
    some(false, &[3]);
    some(true, &[3]);
    some(false, &[3, 4]);
    some(false, &[3]);
    assert!(yard.says().0);
    // one skill says something else, at both ends of it
    yard.write(7, "gone");
    let (kept, now) = yard.says();
    assert!(!kept && now != first.1 && now.contains("was gone"));
    assert_eq!(yard.says(), (true, now));
    yard.write(7, "sent");
    assert_eq!(yard.says(), (false, first.1.clone()));
    assert!(yard.says().0);
    // the same bytes under another name are another skill
    let moved = yard.top().join("skills/renamed");
    fs::rename(yard.top().join("skills/s-009"), &moved).expect("moved");
    let (kept, now) = yard.says();
    assert!(!kept && now != first.1 && now.contains("Phantom"));
    fs::rename(&moved, yard.top().join("skills/s-009")).expect("moved back");
    assert_eq!(yard.says(), (false, first.1.clone()));
    // an agent may change what a name means
    fs::create_dir_all(yard.top().join("agents")).expect("made");
    fs::write(yard.top().join("agents/s-500.md"), "an agent").expect("written");
    assert_eq!(yard.says(), (false, first.1));
}

#[test]
fn a_skill_that_the_working_tree_lost_is_part_of_what_is_asked() {
    let yard = Yard::new();
    let profile = built_in("forge");
    let (store, top) = (yard.folder.path().join("store"), yard.top());
    let cache = Cache::open(&store, &top, &profile, i64::MAX);
    let names = |of: &[&[u8]]| of.iter().map(|name| name.to_vec()).collect();
    let audit_with = |agents: &[&[u8]], deleted: &[&[u8]]| {
        let mut found = gather(&top, &top, &profile, Some(&cache));
        (found.agents, found.deleted) = (names(agents), names(deleted));
        found.audit(&top, None, &profile, Some(&cache)).kept
    };
    let audit = |deleted: &[&[u8]]| audit_with(&[], deleted);
    assert!(!audit(&[]));
    assert!(audit(&[]));
    assert!(!audit(&[b"s-900"]));
    assert!(audit(&[b"s-900"]));
    assert!(!audit(&[b"s-90", b"0"]));
    // an agent of that name is no lost skill
    assert!(!audit_with(&[b"s-90"], &[b"0"]));
    assert!(!audit_with(&[b"deleted"], &[]));
    assert!(!audit_with(&[], &[b"deleted"]));
}

#[test]
fn the_same_size_and_the_same_time_do_not_hide_a_change() {
    let yard = Yard::new();
    yard.audit(10);
    let path = yard.skill(7);
    let before = modified(&path);
    yard.write(7, "gone");
    let file = File::options().write(true).open(&path).expect("opened");
    file.set_modified(before).expect("set back");
    assert_eq!(modified(&path), before);
    let (found, results) = yard.audit(10);
    assert_eq!((found.opened, found.cached), (1, MANY - 1));
    assert!(!results.kept && says(&results).contains("was gone"));
    // another file put in its place, with the times of the first
    yard.audit(10);
    let other = path.with_extension("new");
    fs::write(&other, fs::read(&path).expect("read")).expect("written");
    fs::rename(&other, &path).expect("moved");
    assert_eq!(yard.counts(10), (1, MANY - 1));
}

#[test]
fn what_changed_just_now_is_read_again_until_it_lay_still() {
    let yard = Yard::new();
    // a write in the same tick as the look leaves no trace in the facts: nothing of it is kept
    assert_eq!(yard.counts(0), (MANY, 0));
    assert!(yard.stored("facts").is_empty());
    assert_eq!(yard.counts(0), (MANY, 0));
    // one file of tomorrow is never believed, the others are
    let tomorrow = SystemTime::now() + Duration::from_secs(86_400);
    let file = File::options().write(true).open(yard.skill(3));
    file.expect("opened").set_modified(tomorrow).expect("set");
    assert_eq!(yard.counts(10), (MANY, 0));
    assert_eq!(yard.counts(10), (1, MANY - 1));
    // what it says is what was said of: the result may be taken, the bytes were looked at
    let (found, results) = yard.audit(10);
    assert_eq!((found.opened, results.kept), (1, true));
    yard.write(3, "gone");
    let (found, results) = yard.audit(10);
    assert_eq!((found.opened, results.kept), (1, false));
    assert!(says(&results).contains("was gone"));
}

#[test]
fn a_cache_that_is_torn_or_of_another_form_is_as_none() {
    let yard = Yard::new();
    let (_, first) = yard.says();
    for ending in ["facts", "parts", "all"] {
        let [stored] = yard.stored(ending).try_into().expect("one file");
        let whole = fs::read(&stored).expect("read");
        let mut turned = whole.clone();
        *turned.last_mut().expect("a byte") ^= 1;
        for bytes in [
            &b""[..],
            b"\x01\xff\xff\xff\xff\xff",
            &[7; 4096],
            &whole[..whole.len() / 2],
            &turned,
        ] {
            fs::write(&stored, bytes).expect("written");
            // the parts are not asked for while the result stands
            if ending == "parts" {
                for result in yard.stored("all") {
                    fs::remove_file(result).expect("removed");
                }
            }
            let (found, results) = yard.audit(10);
            assert_eq!(says(&results), first, "{ending}");
            match ending {
                "facts" => assert_eq!((found.opened, results.kept), (MANY, true)),
                "parts" => assert_eq!((found.opened, results.kept), (MANY, false)),
                _ => assert_eq!((found.opened, results.kept), (0, false)),
            }
            // after that it is whole again
            yard.audit(10);
            let (found, results) = yard.audit(10);
            assert_eq!((found.opened, results.kept), (0, true), "{ending}");
        }
    }
}

#[test]
fn skills_that_went_are_not_remembered() {
    let yard = Yard::new();
    yard.audit(10);
    fs::remove_file(yard.skill(0)).expect("removed");
    let (found, results) = yard.audit(10);
    assert_eq!((found.opened, found.cached), (0, MANY - 1));
    assert!(!results.kept);
    assert!(!found.skills.iter().any(|skill| skill.name == "s-000"));
}
