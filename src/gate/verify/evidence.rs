//! Candidates of evidence for a criterion (verify-gate 1.7): lines that the change adds or removes,
//! tests found by a static scan, files that are gone, lines of the request's own text. In the
//! order of discovery of the source, commit subjects weigh on the files they touch; the request's
//! text only supports. A candidate is an offer: a person picks.

pub mod scan;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use crate::gate::floor::scope::Watched;
use crate::gate::verify::scope::tested;
use crate::model::contract::Criterion;
use crate::model::id::RepoPath;

use words::{Word, all, stems};

/// A changed file, as far as its lines are known.
#[derive(Clone, Debug)]
pub struct Text<'a> {
    /// The file.
    pub path: &'a RepoPath,
    /// Lines that only the head has: 1-based number and text, in order.
    pub added: Vec<(u32, &'a str)>,
    /// Lines that only the base has.
    pub removed: Vec<(u32, &'a str)>,
    /// Whether the file is gone at the head.
    pub gone: bool,
    /// Lines of the head that are known, changed or not; where tests are looked for.
    pub whole: Vec<(u32, &'a str)>,
    /// Subjects of the commits that touch it.
    pub commits: Vec<&'a str>,
}

/// What a candidate is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Offer {
    /// Lines at the head, 1-based, the last included.
    Lines(u32, u32),
    /// Lines at the base that the change removes.
    Removed(u32, u32),
    /// A test: its id and its line at the head.
    Test(String, u32),
    /// The whole file is gone; the first and last line it had.
    Gone(u32, u32),
    /// A line of the request's text.
    Body(u32),
}

/// One candidate.
#[derive(Clone, PartialEq, Debug)]
pub struct Offered {
    /// What.
    pub what: Offer,
    /// In which of the files given; `None` for the request's text.
    pub file: Option<usize>,
    /// How well it fits; only the order counts.
    pub score: f64,
    /// Whether the criterion names the file or the test.
    pub named: bool,
    /// Words of the criterion that it holds, as the criterion writes them.
    pub shares: Vec<String>,
}

/// Most candidates that are listed of one file.
const OF_FILE: usize = 8;

/// Weight of the lines around a line, of the file's path, of commit subjects, and of the
/// request's text, against the line itself.
const NEAR: f64 = 0.35;
const PATH: f64 = 0.45;
const SUBJECT: f64 = 0.15;
const BODY: f64 = 0.8;
/// What a named file, a named test and a named command add.
const NAMED_FILE: f64 = 12.0;
const NAMED_TEST: f64 = 24.0;
const TEST: f64 = 1.2;

/// The candidates of a criterion, best first.
#[must_use]
pub fn candidates(criterion: &Criterion, files: &[Text<'_>], body: &str) -> Vec<Offered> {
    let text = String::from_utf8_lossy(criterion.text.raw()).into_owned();
    let asked = stems(&text);
    let weights = Weights::of(&asked, files, body);
    let gone = words::says_gone(&text);
    let naming = Named::of(criterion);
    let mut out = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let named = naming.has(file.path);
        let ground = weights.ground(file) + if named { NAMED_FILE } else { 0.0 };
        let mut own = of_lines(&weights, file, named, ground, at);
        own.extend(of_tests(criterion, &weights, file, ground, at));
        if file.gone
            && let (Some(first), Some(last)) = (file.removed.first(), file.removed.last())
        {
            own.push(Offered {
                what: Offer::Gone(first.0, last.0),
                file: Some(at),
                score: ground + if gone && named { NAMED_TEST } else { 0.0 },
                named,
                shares: Vec::new(),
            });
        }
        own.sort_by(order);
        own.truncate(OF_FILE);
        out.extend(own);
    }
    out.extend(of_body(&weights, body));
    out.retain(|offer| offer.score > 0.0);
    out.sort_by(order);
    out
}

/// Best first; then by file and place, so that the order is the same every time.
fn order(a: &Offered, b: &Offered) -> std::cmp::Ordering {
    let place = |offer: &Offered| match &offer.what {
        Offer::Test(_, line) => (0, *line),
        Offer::Lines(line, _) => (1, *line),
        Offer::Gone(line, _) => (2, *line),
        Offer::Removed(line, _) => (3, *line),
        Offer::Body(line) => (4, *line),
    };
    b.score
        .total_cmp(&a.score)
        .then_with(|| {
            a.file
                .unwrap_or(usize::MAX)
                .cmp(&b.file.unwrap_or(usize::MAX))
        })
        .then_with(|| place(a).cmp(&place(b)))
}

/// How much each word of the criterion is worth: words that few places hold are worth more.
struct Weights {
    worth: BTreeMap<Word, f64>,
    spelled: BTreeMap<Word, String>,
}

impl Weights {
    fn of(asked: &[(Word, String)], files: &[Text<'_>], body: &str) -> Self {
        let mut places = 1.0_f64;
        let mut holds: BTreeMap<&Word, f64> = BTreeMap::new();
        let wanted: BTreeSet<&Word> = asked.iter().map(|(word, _)| word).collect();
        let mut count = |text: &str| {
            places += 1.0;
            let found = all(text);
            for word in &wanted {
                if found.contains(*word) {
                    *holds.entry(word).or_default() += 1.0;
                }
            }
        };
        for file in files {
            for (_, line) in file.added.iter().chain(&file.removed) {
                count(line);
            }
        }
        body.lines().for_each(&mut count);
        let worth = wanted
            .iter()
            .map(|word| {
                let held = holds.get(word).copied().unwrap_or(0.0);
                ((*word).clone(), (1.0 + places / (1.0 + held)).ln())
            })
            .collect();
        Self {
            worth,
            spelled: asked.iter().cloned().collect(),
        }
    }

    /// The worth of a text, and the words that count.
    fn score(&self, text: &str) -> (f64, BTreeSet<Word>) {
        let found: BTreeSet<Word> = all(text)
            .into_iter()
            .filter(|word| self.worth.contains_key(word))
            .collect();
        (self.sum(&found), found)
    }

    fn sum<'a>(&self, found: impl IntoIterator<Item = &'a Word>) -> f64 {
        found
            .into_iter()
            .filter_map(|word| self.worth.get(word))
            .sum()
    }

    /// What path and commits of a file are worth for everything in it.
    fn ground(&self, file: &Text<'_>) -> f64 {
        let path = String::from_utf8_lossy(file.path.as_bytes());
        let (path, _) = self.score(&path);
        let subjects = file.commits.iter().map(|subject| self.score(subject).0);
        PATH * path + SUBJECT * subjects.fold(0.0, f64::max)
    }

    fn words(&self, found: &BTreeSet<Word>) -> Vec<String> {
        let spelled = found.iter().filter_map(|word| self.spelled.get(word));
        spelled.cloned().collect()
    }
}

/// The files that a criterion's text names: as themselves, by their folder, by a glob, or by the
/// tool that reads them.
#[derive(Debug)]
pub struct Named<'a> {
    paths: Watched,
    tools: Vec<&'a str>,
}

impl<'a> Named<'a> {
    /// Those of a criterion.
    #[must_use]
    pub fn of(criterion: &'a Criterion) -> Self {
        let anchors = &criterion.anchors;
        let paths = anchors.paths.iter().filter_map(|path| path.raw_str());
        let paths: Vec<String> = paths.map(str::to_owned).collect();
        let commands = anchors.commands.iter().filter_map(|c| c.raw_str());
        Self {
            paths: Watched::new(&paths),
            tools: commands
                .filter_map(|c| c.split_whitespace().next())
                .collect(),
        }
    }

    /// Whether this file is one of them.
    #[must_use]
    pub fn has(&self, path: &RepoPath) -> bool {
        // `make check` speaks of the file that says what `check` is
        let file = path.file_name();
        self.paths.has(path)
            || self.tools.iter().any(|tool| match *tool {
                "make" => file == b"Makefile",
                "just" => file.eq_ignore_ascii_case(b"justfile"),
                "npm" | "pnpm" | "yarn" => file == b"package.json",
                _ => false,
            })
    }
}

/// Makes an offer of the first and last line of a side.
type Make = fn(u32, u32) -> Offer;

fn of_lines(
    weights: &Weights,
    file: &Text<'_>,
    named: bool,
    ground: f64,
    at: usize,
) -> Vec<Offered> {
    let mut out = Vec::new();
    let sides: [(_, Make); 2] = [(&file.added, Offer::Lines), (&file.removed, Offer::Removed)];
    for (lines, make) in sides {
        if file.gone {
            continue;
        }
        let scored: Vec<_> = lines.iter().map(|(_, text)| weights.score(text)).collect();
        let blank = |at: usize| lines.get(at).is_none_or(|(_, text)| text.trim().is_empty());
        for (index, (number, text)) in lines.iter().enumerate() {
            let Some((own, found)) = scored.get(index) else {
                continue;
            };
            if text.trim().len() < 2 {
                continue;
            }
            let near = |step: isize| {
                let mut found = BTreeSet::new();
                let mut here = index;
                for _ in 0..3 {
                    let Some(next) = here.checked_add_signed(step) else {
                        break;
                    };
                    if blank(next) {
                        break;
                    }
                    here = next;
                    found.extend(scored.get(next).into_iter().flat_map(|(_, f)| f.iter()));
                }
                found
            };
            let around: BTreeSet<&Word> = near(-1)
                .union(&near(1))
                .copied()
                .filter(|word| !found.contains(*word))
                .collect();
            let score = own + NEAR * weights.sum(around.iter().copied());
            if score <= 0.0 && !named {
                continue;
            }
            let mut shares = found.clone();
            shares.extend(around.into_iter().cloned());
            out.push(Offered {
                what: make(*number, *number),
                file: Some(at),
                score: score + ground,
                named,
                shares: weights.words(&shares),
            });
        }
    }
    grown(out)
}

/// The best lines, each with its neighbours; a line next to a better one is part of that.
fn grown(mut lines: Vec<Offered>) -> Vec<Offered> {
    lines.sort_by(order);
    let mut out: Vec<Offered> = Vec::new();
    for mut line in lines {
        let span = |what: &Offer| match what {
            Offer::Lines(first, last) => Some((true, *first, *last)),
            Offer::Removed(first, last) => Some((false, *first, *last)),
            Offer::Test(..) | Offer::Gone(..) | Offer::Body(_) => None,
        };
        let Some((head, first, last)) = span(&line.what) else {
            continue;
        };
        let near = out.iter().any(|other| {
            span(&other.what).is_some_and(|(side, from, to)| {
                side == head && first + 1 >= from && last <= to.saturating_add(1)
            })
        });
        if near || out.len() >= OF_FILE {
            continue;
        }
        let (first, last) = (first.saturating_sub(1).max(1), last.saturating_add(1));
        line.what = if head {
            Offer::Lines(first, last)
        } else {
            Offer::Removed(first, last)
        };
        out.push(line);
    }
    out
}

fn of_tests(
    criterion: &Criterion,
    weights: &Weights,
    file: &Text<'_>,
    ground: f64,
    at: usize,
) -> Vec<Offered> {
    let changed: BTreeSet<u32> = file.added.iter().map(|(line, _)| *line).collect();
    let mut out = Vec::new();
    for test in scan::tests(file.path, &file.whole) {
        let touched = changed.range(test.line..=test.end).next().is_some();
        if !touched {
            continue;
        }
        let named = criterion.anchors.tests.iter().any(|anchor| {
            anchor
                .raw_str()
                .is_some_and(|anchor| is_named(anchor, &test.id))
        });
        let (own, mut found) = weights.score(&test.id);
        let body = file
            .whole
            .iter()
            .filter(|(line, _)| *line > test.line && *line <= test.end);
        let inside: BTreeSet<Word> = body
            .flat_map(|(_, text)| weights.score(text).1)
            .filter(|word| !found.contains(word))
            .collect();
        let score = TEST * own + NEAR * weights.sum(&inside);
        if score <= 0.0 && !named {
            continue;
        }
        found.extend(inside);
        out.push(Offered {
            what: Offer::Test(test.id, test.line),
            file: Some(at),
            score: score + ground + if named { NAMED_TEST } else { 0.0 },
            named,
            shares: weights.words(&found),
        });
    }
    out
}

/// Whether a name in the text of a criterion is that of a test: the same id, or its last part.
#[must_use]
pub fn is_named(anchor: &str, id: &str) -> bool {
    id == anchor || {
        let last = anchor.rsplit([':', '#', '/']).next().unwrap_or(anchor);
        let own = id.rsplit([':', '#', '.']).next().unwrap_or(id);
        !last.is_empty() && last == own
    }
}

fn of_body(weights: &Weights, body: &str) -> Vec<Offered> {
    let mut out = Vec::new();
    for (number, line) in (1_u32..).zip(body.lines()) {
        let (score, found) = weights.score(line);
        if score > 0.0 && !line.trim_start().starts_with('#') {
            out.push(Offered {
                what: Offer::Body(number),
                file: None,
                score: BODY * score,
                named: false,
                shares: weights.words(&found),
            });
        }
    }
    out
}

/// Whether a path is that of a test file: there the whole text is read for test ids.
#[must_use]
pub fn is_test_file(path: &RepoPath) -> bool {
    tested(path).is_some()
}
