//! What the change hides or disguises: totals for the header and the ruling (OUT-11), and badges
//! beside the items they stand in (OUT-12). Nothing here closes anything: a person reads it.

use std::collections::BTreeMap;

use crate::model::disguise::{self, Disguise};
use crate::model::hidden::Marks;
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::oracle::Expect;
use crate::model::text::{Foreign, Place};
use crate::model::thread::{Thread, Threads};

use super::dossier::{Dossier, Raised, Subject};
use super::items::target;
use super::standing_facts::Facts;

/// What is hidden, by where it stands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// In the added lines and link targets of the change.
    pub change: Marks,
    /// Changed files whose lines could not be looked at, or have not been yet.
    pub unread: usize,
    /// In the contract of record.
    pub contract: Marks,
    /// In names: repository, branches, paths, authors and subjects of commits, logins.
    pub names: Marks,
}

impl Totals {
    /// All of them.
    #[must_use]
    pub fn all(&self) -> Marks {
        self.change.plus(self.contract).plus(self.names)
    }

    /// `hidden characters: 2 bidi in the change, 1 zero-width in names`; `None` where there are
    /// none and everything was looked at.
    #[must_use]
    pub fn says(&self) -> Option<String> {
        let places = [
            (self.change, "the change"),
            (self.contract, "the contract"),
            (self.names, "names"),
        ];
        let mut parts: Vec<String> = places
            .into_iter()
            .map(|(marks, place)| (marks.says(), place))
            .filter(|(says, _)| !says.is_empty())
            .map(|(says, place)| format!("{says} in {place}"))
            .collect();
        match self.unread {
            0 => {}
            1 => parts.push("1 file not looked at".to_owned()),
            files => parts.push(format!("{files} files not looked at")),
        }
        (!parts.is_empty()).then(|| format!("hidden characters: {}", parts.join(", ")))
    }
}

/// The totals of a change.
#[must_use]
pub fn totals(dossier: &Dossier) -> Totals {
    let mut out = Totals::default();
    let mut names: Vec<Foreign> = vec![
        dossier.change.repository_name.clone(),
        dossier.change.base.name.clone(),
    ];
    names.extend(dossier.change.branch.clone());
    for file in dossier.files.known().into_iter().flatten() {
        match &file.marks {
            Known::Is(marks) => out.change = out.change.plus(*marks),
            Known::Unknown(_) => out.unread += 1,
            Known::NotApplicable(_) | Known::NotSupplied => {}
        }
        for path in [Some(&file.path), file.old_path.as_ref()] {
            names.extend(path.filter(|path| !is_plain(path)).map(RepoPath::foreign));
        }
    }
    if let Known::Is(record) = &dossier.contract {
        out.contract = Marks::of(record.bytes.raw(), true);
    }
    for commit in dossier.commits.known().into_iter().flatten() {
        names.push(commit.author.clone());
        out.names = out.names.plus(Marks::of(commit.subject.raw(), false));
    }
    if let Known::Is(facts) = &dossier.request.threads {
        out.names = out.names.plus(facts.logins);
    }
    let names = names.iter().map(of_name);
    out.names = names.fold(out.names, Marks::plus);
    out
}

/// What is hidden in the logins of all comments.
pub(super) fn of_logins(threads: &Threads) -> Marks {
    let comments = threads.threads.iter().flat_map(Thread::comments);
    let logins = comments.filter_map(|comment| comment.author.login.as_ref());
    logins.map(of_name).fold(Marks::default(), Marks::plus)
}

fn is_plain(path: &RepoPath) -> bool {
    path.as_bytes()
        .iter()
        .all(|byte| (b' '..=b'~').contains(byte))
}

/// A name: what is hidden in it, and whether it is disguised as a whole.
fn of_name(name: &Foreign) -> Marks {
    let marks = Marks::of_strict(name);
    let disguised = name
        .raw_str()
        .is_some_and(|n| disguise::of_name(n).is_some());
    Marks {
        look_alikes: marks.look_alikes.max(u32::from(disguised)),
        ..marks
    }
}

/// The badge of an item, and what it means, a fragment for each text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Badge {
    /// One word: `bidi`, `hidden`, `look-alike` or `mixed`, the worst that there is.
    pub word: Option<&'static str>,
    /// `CHECK hides 2 bidi`, `the path reads like "pay" and is other letters`.
    pub says: Vec<String>,
}

/// The words of badges, worst first.
const WORDS: [&str; 4] = ["bidi", "hidden", "look-alike", "mixed"];

impl Badge {
    /// The badge of a thread: of everything that is said in it and of who says it.
    #[must_use]
    pub fn of_thread(thread: &Thread) -> Self {
        let mut out = Self::default();
        let mut bodies = Marks::default();
        for comment in thread.comments() {
            bodies = bodies.plus(Marks::of(comment.body.raw(), false));
            if let Some(login) = &comment.author.login {
                out.name("a login", login);
            }
        }
        out.marks("what it says", bodies);
        out
    }

    fn word(&mut self, word: &'static str) {
        let rank = |word: &str| WORDS.iter().position(|known| *known == word);
        if self.word.is_none_or(|known| rank(word) < rank(known)) {
            self.word = Some(word);
        }
    }

    fn marks(&mut self, what: &str, marks: Marks) {
        if let Some(word) = marks.badge() {
            self.word(word);
            self.says
                .push(format!("{what} hides {}", marks.loud().says()));
        }
    }

    fn name(&mut self, what: &str, name: &Foreign) {
        self.marks(
            what,
            Marks {
                look_alikes: 0,
                ..Marks::of_strict(name)
            },
        );
        let Some(disguise) = name.raw_str().and_then(disguise::of_name) else {
            return;
        };
        self.word(match &disguise {
            Disguise::Reads(_) => "look-alike",
            Disguise::Mixes(_) => "mixed",
        });
        self.says.push(format!("{what} {}", disguise.says()));
    }

    fn alike(&mut self, what: &str, other: &Foreign) {
        self.word("look-alike");
        self.says.push(format!(
            "{what} is drawn like {}, which is another",
            other.shown(Place::Strict)
        ));
    }
}

/// Badges of all items of one change.
pub(super) struct Badges<'f, 'a> {
    facts: &'f Facts<'a>,
    dossier: &'a Dossier,
    /// Ids and changed paths by how they are drawn, where one of them is no ASCII.
    drawn: BTreeMap<String, Vec<Foreign>>,
}

impl<'f, 'a> Badges<'f, 'a> {
    pub(super) fn new(facts: &'f Facts<'a>) -> Self {
        let dossier = facts.dossier;
        let mut drawn: BTreeMap<String, Vec<Foreign>> = BTreeMap::new();
        let paths = || dossier.files.known().into_iter().flatten().map(|f| &f.path);
        let criteria = dossier.contract.known().map(|r| &r.contract.criteria);
        let ids = || criteria.into_iter().flatten().map(|c| c.id.as_str());
        let ascii = paths().all(|path| path.as_bytes().is_ascii()) && ids().all(str::is_ascii);
        if !ascii {
            let mut put = |kind: char, name: &str| {
                let drawn = drawn
                    .entry(format!("{kind}{}", disguise::drawn_as(name)))
                    .or_default();
                drawn.push(Foreign::from(name));
            };
            ids().for_each(|id| put('i', id));
            let texts = paths().filter_map(|path| std::str::from_utf8(path.as_bytes()).ok());
            texts.for_each(|path| put('p', path));
        }
        Self {
            facts,
            dossier,
            drawn,
        }
    }

    /// Another name that is drawn like this one.
    fn twin(&self, kind: char, name: &str) -> Option<&Foreign> {
        if self.drawn.is_empty() {
            return None;
        }
        let alike = self
            .drawn
            .get(&format!("{kind}{}", disguise::drawn_as(name)))?;
        alike.iter().find(|other| {
            other.raw() != name.as_bytes() && !(name.is_ascii() && other.raw().is_ascii())
        })
    }

    /// The badge of one.
    pub(super) fn of(&self, subject: &Subject) -> Badge {
        let mut out = Badge::default();
        match subject {
            Subject::Criterion(id) => {
                let name = Foreign::from(id.as_str());
                out.name("the id", &name);
                if let Some(twin) = self.twin('i', id.as_str()) {
                    out.alike("the id", twin);
                }
                if let Some(criterion) = self.facts.criterion(id) {
                    out.marks("the text", Marks::of(criterion.text.raw(), false));
                    if let Some(oracle) = &criterion.oracle {
                        out.marks("CHECK", Marks::of_strict(&oracle.check));
                        match &oracle.expect {
                            Expect::Plain(text) | Expect::Regex { source: text, .. } => {
                                out.marks("EXPECT", Marks::of_strict(text));
                            }
                            Expect::ExitOnly => {}
                        }
                    }
                }
            }
            Subject::ContractEdit(part) => {
                let record = self.dossier.contract.known();
                let edits = record.into_iter().flat_map(|record| &record.edits);
                let mine = edits.filter(|edit| target(edit) == *part);
                let texts = mine.filter_map(|edit| edit.new.as_ref());
                let marks = texts.map(|text| Marks::of(text.raw(), false));
                out.marks("the new text", marks.fold(Marks::default(), Marks::plus));
            }
            Subject::ScopeFile(path) => self.path(path, &mut out),
            Subject::Chain(id) => {
                out.name("the caller's name", &id.caller);
                out.name("the callee's name", &id.callee);
            }
            Subject::Assertion(entry) => {
                let all = self.dossier.assertions.iter();
                if let Some(said) = all.clone().find(|said| said.entry == *entry) {
                    out.marks("the subject", Marks::of(said.value.subject.raw(), false));
                    out.marks("the verdict", Marks::of_strict(&said.value.verdict));
                    out.marks("the reason", Marks::of(said.value.why.raw(), false));
                }
            }
            Subject::Review(raised) => self.raised(raised, &mut out),
            Subject::Message(id) => {
                if let Some(waiting) = self.dossier.message(id) {
                    let text = waiting.message.text.raw();
                    out.marks("the message", Marks::of(text, false));
                }
            }
        }
        out
    }

    fn path(&self, path: &RepoPath, out: &mut Badge) {
        let name = path.foreign();
        out.name("the path", &name);
        if let Some(twin) = name.raw_str().and_then(|name| self.twin('p', name)) {
            out.alike("the path", twin);
        }
        let file = self.dossier.file(path);
        match file.map(|file| &file.marks) {
            Some(Known::Is(marks)) => out.marks("what it adds", *marks),
            Some(Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied) | None => {}
        }
    }

    fn raised(&self, raised: &Raised, out: &mut Badge) {
        let request = &self.dossier.request;
        match raised {
            Raised::Thread { .. } => {
                let threads = request.threads.known();
                let badge = threads.and_then(|all| all.badges.get(all.find(raised)?.0));
                out.clone_from(badge.unwrap_or(&Badge::default()));
            }
            Raised::Finding(id) => {
                let findings = request.findings.known();
                if let Some(finding) = findings.and_then(|findings| findings.simplify_of(id)) {
                    out.marks("what it says", Marks::of(finding.finding.raw(), false));
                }
            }
            Raised::Incomplete(_) => {}
        }
    }
}
