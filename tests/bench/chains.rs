//! P18: the chain audit of thousands of skills, beside a walk that reads them and one that only
//! asks for their facts.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use countersign::adapters::chains::cache::Cache;
use countersign::adapters::chains::gather::gather;
use countersign::adapters::chains::profile;
use countersign::gate::chains::{Profile, shape};

/// Skills of the large tree.
const MANY: usize = 10_000;

/// Numbers that look random and never change.
struct Dice(u32);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        usize::try_from(self.0 >> 12).unwrap_or(0) % sides.max(1)
    }
}

const WORDS: [&str; 24] = [
    "harbor", "ledger", "berth", "tide", "season", "ferry", "notice", "window", "crane", "signal",
    "manifest", "pilot", "route", "cargo", "shelf", "winter", "quay", "anchor", "record", "queue",
    "table", "folder", "report", "deck",
];

fn prose(dice: &mut Dice, words: usize) -> String {
    let word = |_| WORDS[dice.roll(WORDS.len())];
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

/// A skill of 10 to 80 lines of prose; six in ten name earlier ones, one in three answers.
fn skill(dice: &mut Dice, name: &str, earlier: &[String]) -> String {
    let mut text = format!(
        "---\nname: {name}\ndescription: {}\nallowed-tools: Read, Grep\n---\n\n# {}\n\n",
        prose(dice, 18),
        prose(dice, 3)
    );
    for line in 0..10 + dice.roll(70) {
        let _ = match line % 9 {
            0 => write!(text, "\n## {}\n\n", prose(dice, 2)),
            4 => writeln!(text, "- `{}` {}", WORDS[dice.roll(24)], prose(dice, 9)),
            8 => writeln!(text, "\n{}\n", prose(dice, 14)),
            _ => writeln!(text, "{}", prose(dice, 12)),
        };
    }
    let mut waits = String::new();
    if !earlier.is_empty() && dice.roll(10) < 6 {
        text.push_str("\n## Chains\n\n");
        for _ in 0..1 + dice.roll(3) {
            let to = match dice.roll(50) {
                0 => "gone-99999",
                _ => &earlier[dice.roll(earlier.len())],
            };
            let _ = match dice.roll(3) {
                0 => writeln!(text, "- → Mandatory next: `{to}`"),
                1 => writeln!(text, "- → `{to}` when {}", prose(dice, 3)),
                _ => writeln!(text, "- [{to}](../{to}/SKILL.md)"),
            };
            if dice.roll(2) == 0 {
                let _ = writeln!(waits, "- wait for the {to} verdict");
            }
        }
    }
    let _ = write!(text, "\n## Done When\n\n- {}\n{waits}", prose(dice, 9));
    if dice.roll(3) == 0 {
        text.push_str("\nVerdict: PASS | CONDITIONAL_PASS | FAIL | ESCALATE\n");
    }
    text
}

/// A tree of skills, in a folder of its own, with times that lie back.
struct Made {
    folder: tempfile::TempDir,
    bytes: u64,
    ended: Instant,
}

impl Made {
    fn of(many: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut dice = Dice(2026);
        let mut names: Vec<String> = Vec::with_capacity(many);
        let mut bytes = 0;
        for number in 0..many {
            let name = format!("{}-{number:05}", WORDS[dice.roll(WORDS.len())]);
            let text = skill(&mut dice, &name, &names);
            let place = folder.path().join("tree/skills").join(&name);
            fs::create_dir_all(&place).expect("made");
            fs::write(place.join("SKILL.md"), &text).expect("written");
            bytes += text.len() as u64;
            names.push(name);
        }
        Self {
            folder,
            bytes,
            ended: Instant::now(),
        }
    }

    fn top(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    /// Waits until the files are older than a cache asks for.
    fn settle(&self) {
        while self.ended.elapsed() < Duration::from_secs(4) {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn forge() -> Profile {
    let text = profile::built_in("forge").expect("built in");
    profile::read("forge", text, &|_| None).expect("a good profile")
}

/// Walks with two threads, which take folders in turn, and does `each` with every skill.
fn walk(top: &Path, each: impl Fn(&Path) -> u64 + Sync) -> u64 {
    let below = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let folders = below(&top.join("skills"));
    let next = AtomicUsize::new(0);
    let sum = Mutex::new(0);
    let run = || {
        let mut own = 0;
        while let Some(folder) = folders.get(next.fetch_add(1, Ordering::Relaxed)) {
            own += below(folder).iter().map(|file| each(file)).sum::<u64>();
        }
        *sum.lock().expect("whole") += own;
    };
    std::thread::scope(|scope| {
        scope.spawn(run);
        run();
    });
    sum.into_inner().expect("whole")
}

fn reading(top: &Path) -> u64 {
    walk(top, |file| fs::read(file).expect("a file").len() as u64)
}

fn asking(top: &Path) -> u64 {
    walk(top, |file| fs::symlink_metadata(file).expect("facts").len())
}

/// The whole audit, as `countersign chains --all` makes it; how many chains.
fn audited(top: &Path, profile: &Profile, cache: Option<&Path>) -> (usize, usize) {
    let now = jiff::Timestamp::now().as_second();
    let cache = cache.map(|cache| Cache::open(cache, top, profile, now));
    let mut found = gather(top, top, profile, cache.as_ref());
    let results = found.audit(top, None, profile, cache.as_ref());
    assert!(results.calibration.ok());
    let _ = shape(&results.audit, true, profile);
    (results.audit.chains.len(), found.cached)
}

/// The least of some times: what the machine's other work added is in all the others.
fn least(times: Vec<Duration>) -> Duration {
    times.into_iter().min().unwrap_or_default()
}

fn timed(act: impl FnOnce()) -> Duration {
    let start = Instant::now();
    act();
    start.elapsed()
}

/// In turn, so that a busy machine slows all down; prints the least of each and the two quotients.
#[divan::bench(sample_count = 1, sample_size = 1, args = [MANY])]
fn p18(many: usize) {
    let made = Made::of(many);
    let (top, profile) = (made.top(), forge());
    let store = made.folder.path().join("cache");
    made.settle();
    let (chains, _) = audited(&top, &profile, Some(&store));
    let (again, cached) = audited(&top, &profile, Some(&store));
    assert_eq!((again, cached), (chains, many));
    let mut times: [Vec<Duration>; 4] = std::array::from_fn(|_| Vec::new());
    for _ in 0..21 {
        times[0].push(timed(|| assert_eq!(reading(&top), made.bytes)));
        times[1].push(timed(|| {
            assert_eq!(audited(&top, &profile, None).0, chains);
        }));
        times[2].push(timed(|| assert_eq!(asking(&top), made.bytes)));
        times[3].push(timed(|| {
            assert_eq!(audited(&top, &profile, Some(&store)), (chains, many));
        }));
    }
    let [read, fresh, stat, known] = times.map(least).map(|time| time.as_secs_f64() * 1e3);
    let _ = writeln!(
        std::io::stdout(),
        "\n{many} skills, {chains} chains, {} kB: walk and read {read:.1} ms, audit {fresh:.1} ms \
         ({:.2}); stat walk {stat:.1} ms, audit of unchanged ones {known:.1} ms ({:.2})",
        made.bytes / 1024,
        fresh / read,
        known / stat,
    );
}

/// The largest memory of the program, without a cache and with one.
#[divan::bench(sample_count = 1, sample_size = 1, args = [2_500, 5_000, MANY])]
fn memory(many: usize) {
    let made = Made::of(many);
    made.settle();
    let peaks = [(); 3].map(|()| peak(&made));
    let _ = writeln!(
        std::io::stdout(),
        "\n{many} skills, {} kB: first {} kB, unchanged {} kB",
        made.bytes / 1024,
        peaks[0],
        peaks[2]
    );
}

/// Peak resident kilobytes of one run, looked at until it ends.
fn peak(made: &Made) -> u64 {
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["chains", "--all", "--format", "map"])
        .current_dir(made.top())
        .env("COUNTERSIGN_HOME", made.folder.path().join("own"))
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().expect("a child").is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.trim().strip_suffix(" kB"));
        most = most.max(number.and_then(|n| n.parse().ok()).unwrap_or(0));
        std::thread::yield_now();
    }
    most
}
