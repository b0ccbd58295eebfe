//! Chain, numbers and anchors: which lines of the shards can be believed.
//!
//! Every line that is not as this tool writes it gives a finding with shard, line and code
//! (LED-6); the other lines stay usable and nothing is dropped silently. A chain alone does not
//! see a cut tail, so anchors (number and digest of every acknowledged line) are compared as well
//! (LED-9). This module must never open a file, and never repairs anything.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::de::IgnoredAny;

use super::codec::{self, Fault, LINE_LIMIT};
use super::entry::{Body, Entry, Head};
use crate::gate::dossier::LedgerHealth;
use crate::model::id::{Digest, EntryId};
use crate::model::known::Reason;
use crate::model::text::{Foreign, Place as ShownIn};

/// Where the shards claim to belong (LED-24).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place<'a> {
    /// The repository.
    pub repository: Digest,
    /// Key of the change.
    pub change: &'a str,
}

/// What the first line of a shard names as the line before it.
#[must_use]
pub fn origin(place: &Place<'_>, shard: &str) -> Digest {
    Digest::of_fields(&[
        b"countersign shard 1",
        &place.repository.0,
        place.change.as_bytes(),
        shard.as_bytes(),
    ])
}

/// A shard as it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Its name.
    pub name: String,
    /// Its bytes. More than one copy when two differ and neither begins with the other.
    pub copies: BTreeSet<Vec<u8>>,
    /// Why it could not be read, when it could not.
    pub unreadable: Option<String>,
    /// Every line that was acknowledged here, as the anchors say.
    pub anchors: BTreeSet<Head>,
    /// Whether the anchors themselves are damaged.
    pub anchors_damaged: bool,
}

impl Shard {
    /// A shard of these bytes, without anchors.
    #[must_use]
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            name: name.into(),
            copies: BTreeSet::from([bytes.into()]),
            unreadable: None,
            anchors: BTreeSet::new(),
            anchors_damaged: false,
        }
    }
}

/// The union of two sets of shards: commutative, associative, idempotent. A copy that is the
/// beginning of another is contained in it.
#[must_use]
pub fn union(one: Vec<Shard>, other: Vec<Shard>) -> Vec<Shard> {
    let mut by_name: BTreeMap<String, Shard> = BTreeMap::new();
    for shard in one.into_iter().chain(other) {
        let Some(there) = by_name.get_mut(&shard.name) else {
            by_name.insert(shard.name.clone(), shard);
            continue;
        };
        there.copies.extend(shard.copies);
        let all = there.copies.clone();
        there.copies.retain(|copy| {
            !all.iter()
                .any(|longer| longer.len() > copy.len() && longer.starts_with(copy))
        });
        there.unreadable = there.unreadable.take().max(shard.unreadable);
        there.anchors.extend(shard.anchors);
        there.anchors_damaged |= shard.anchors_damaged;
    }
    by_name.into_values().collect()
}

/// How far one entry can be believed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Grade {
    /// It does not verify: it can make things stricter, never laxer.
    Broken,
    /// It follows the line before, and nothing vouches for it: a claim (LED-10).
    Chained,
    /// It is a line that this user's countersign acknowledged.
    Anchored,
}

impl Grade {
    /// The word for lists and JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Chained => "chained",
            Self::Anchored => "anchored",
        }
    }
}

/// An entry with its grade.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked {
    /// The entry.
    pub entry: Entry,
    /// How far it can be believed.
    pub grade: Grade,
    /// The line of the shard it stands on, 1-based.
    pub line: u64,
    /// SHA-256 of its line.
    pub digest: Digest,
}

/// What is wrong, as a closed set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each is described by `Code::says`")]
pub enum Code {
    TornTail,
    NulRun,
    EmptyShard,
    Bom,
    Crlf,
    BlankLine,
    ConflictMarker,
    OverLong,
    NotUtf8,
    NotJson,
    Fused,
    DuplicateKey,
    NewerVersion,
    UnknownKind,
    UnknownField,
    BadValue,
    MissingField,
    TextMissing,
    TextChanged,
    SeqGap,
    SeqRepeat,
    ChainBroken,
    WrongPlace,
    NotOpened,
    Rewritten,
    CutTail,
    MissingShard,
    Unanchored,
    Unacknowledged,
    AnchorDamaged,
    Forked,
    IdReused,
    Unreadable,
}

/// How much a finding weighs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Weight {
    /// The trace of a crash that lost nothing.
    Note,
    /// Damage; the rest is usable.
    Damage,
    /// Could not be looked at.
    Unreadable,
    /// Changed, cut or forged.
    Tamper,
}

impl Code {
    /// The word in JSON and text.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.row().0
    }

    /// What it does to the whole.
    #[must_use]
    pub fn weight(self) -> Weight {
        self.row().1
    }

    /// What it means.
    #[must_use]
    pub fn says(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> (&'static str, Weight, &'static str) {
        use Weight::{Damage, Note, Tamper, Unreadable};
        match self {
            Self::TornTail => (
                "torn-tail",
                Damage,
                "the file ends inside a line; it was never acknowledged",
            ),
            Self::NulRun => ("nul-run", Damage, "NUL bytes where an entry should be"),
            Self::EmptyShard => ("empty-shard", Note, "nothing was written into the shard"),
            Self::Bom => (
                "bom",
                Damage,
                "a byte order mark was put before the first line",
            ),
            Self::Crlf => ("crlf", Damage, "the line end was changed to CRLF"),
            Self::BlankLine => ("blank-line", Damage, "a line without an entry"),
            Self::ConflictMarker => ("conflict-marker", Damage, "a merge left its marker here"),
            Self::OverLong => ("over-long", Damage, "the line is longer than any entry"),
            Self::NotUtf8 => ("not-utf8", Damage, "the line is no UTF-8"),
            Self::NotJson => ("not-json", Damage, "the line is no JSON object"),
            Self::Fused => ("fused", Damage, "more than one entry stands on the line"),
            Self::DuplicateKey => ("duplicate-key", Tamper, "a key stands there twice"),
            Self::NewerVersion => (
                "newer-version",
                Damage,
                "written by a newer version; kept, not understood",
            ),
            Self::UnknownKind => (
                "unknown-kind",
                Damage,
                "an entry of an unknown kind; kept, not understood",
            ),
            Self::UnknownField => (
                "unknown-field",
                Damage,
                "an unknown field; kept, not understood",
            ),
            Self::BadValue => ("bad-value", Damage, "a value outside its closed set"),
            Self::MissingField => ("missing-field", Damage, "a field is missing"),
            Self::TextMissing => (
                "text-missing",
                Damage,
                "a text that the entry names is not here",
            ),
            Self::TextChanged => (
                "text-changed",
                Tamper,
                "a text is not the one that the entry names",
            ),
            Self::SeqGap => ("seq-gap", Tamper, "entries are missing before this line"),
            Self::SeqRepeat => ("seq-repeat", Tamper, "the number stood there before"),
            Self::ChainBroken => (
                "chain-broken",
                Tamper,
                "the line before is not the one this entry names",
            ),
            Self::WrongPlace => (
                "wrong-place",
                Tamper,
                "the shard belongs to another repository, change or name",
            ),
            Self::NotOpened => (
                "not-opened",
                Tamper,
                "the shard does not begin with its opening",
            ),
            Self::Rewritten => (
                "rewritten",
                Tamper,
                "the line is not the one that was acknowledged",
            ),
            Self::CutTail => (
                "cut-tail",
                Tamper,
                "acknowledged entries are missing at the end",
            ),
            Self::MissingShard => ("missing-shard", Tamper, "a whole shard is missing"),
            Self::Unanchored => (
                "unanchored",
                Damage,
                "entries that nothing vouches for; they count as claims",
            ),
            Self::Unacknowledged => (
                "unacknowledged",
                Note,
                "written, never acknowledged: the session ended between; it counts as a claim",
            ),
            Self::AnchorDamaged => (
                "anchor-damaged",
                Damage,
                "the anchors of the shard are damaged",
            ),
            Self::Forked => ("forked", Tamper, "two copies of the shard differ"),
            Self::IdReused => ("id-reused", Tamper, "the entry's id stands there twice"),
            Self::Unreadable => ("unreadable", Unreadable, "the shard could not be read"),
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Finding {
    /// In which shard.
    pub shard: String,
    /// On which line, 1-based; 0 for the shard as a whole.
    pub line: u64,
    /// What.
    pub code: Code,
    /// In words, fit to be shown.
    pub message: String,
}

/// The state of the whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Every line verifies.
    Ok,
    /// Damage; the rest is usable.
    Degraded,
    /// Changed, cut or forged.
    Tampered,
    /// Something could not be read.
    CannotTell,
}

impl Status {
    /// The word for people and JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Degraded => "degraded",
            Self::Tampered => "tampered",
            Self::CannotTell => "cannot tell",
        }
    }
}

/// All entries of one change, with everything that is wrong.
#[derive(Clone, PartialEq, Debug)]
pub struct Verified {
    /// Every readable entry, by shard and line.
    pub entries: Vec<Checked>,
    /// Every finding, by shard and line.
    pub findings: Vec<Finding>,
}

impl Verified {
    /// The state of the whole.
    #[must_use]
    pub fn status(&self) -> Status {
        let worst = self.findings.iter().map(|found| found.code.weight()).max();
        match worst {
            None | Some(Weight::Note) => Status::Ok,
            Some(Weight::Damage) => Status::Degraded,
            Some(Weight::Unreadable) => Status::CannotTell,
            Some(Weight::Tamper) => Status::Tampered,
        }
    }

    /// The state as the rules want it.
    #[must_use]
    pub fn health(&self) -> LedgerHealth {
        let count = |least: Weight| {
            let found = self.findings.iter().filter(|f| f.code.weight() >= least);
            u32::try_from(found.count()).unwrap_or(u32::MAX)
        };
        match self.status() {
            Status::Ok => LedgerHealth::Ok,
            Status::Degraded => LedgerHealth::Degraded(count(Weight::Damage)),
            Status::Tampered => LedgerHealth::Tampered(count(Weight::Damage)),
            Status::CannotTell => {
                let first = self.findings.iter().find(|f| f.code == Code::Unreadable);
                LedgerHealth::Unknown(Reason::new(
                    first.map_or_else(String::new, |f| f.message.clone()),
                ))
            }
        }
    }
}

/// Finds companion texts by their digest.
pub type TextOf<'a> = &'a dyn Fn(&Digest) -> Option<Vec<u8>>;

/// Reads and checks the shards of one change.
#[must_use]
pub fn verify(place: &Place<'_>, shards: &[Shard], text_of: TextOf<'_>) -> Verified {
    let mut out = Verified {
        entries: Vec::new(),
        findings: Vec::new(),
    };
    for shard in shards {
        Check::new(place, shard, text_of).run(&mut out);
    }
    reused_ids(&mut out);
    heads_that_others_saw(shards, &mut out);
    out.findings.sort();
    out.findings.dedup();
    out
}

/// An id that stands twice: the first keeps its grade, the others are broken.
fn reused_ids(out: &mut Verified) {
    let mut known: HashMap<EntryId, (String, u64)> = HashMap::new();
    for checked in &mut out.entries {
        let here = (checked.entry.shard.clone(), checked.line);
        if let Some((shard, line)) = known.get(&checked.entry.id) {
            out.findings.push(Finding {
                shard: here.0,
                line: here.1,
                code: Code::IdReused,
                message: format!("{}: {shard}:{line}", Code::IdReused.says()),
            });
            checked.grade = Grade::Broken;
        } else {
            known.insert(checked.entry.id, here);
        }
    }
}

/// What one shard says about another: a line that somebody read must still be there.
fn heads_that_others_saw(shards: &[Shard], out: &mut Verified) {
    let lines: HashMap<(&str, u64), Digest> = out
        .entries
        .iter()
        .map(|checked| {
            (
                (checked.entry.shard.as_str(), checked.entry.seq),
                checked.digest,
            )
        })
        .collect();
    let there: BTreeSet<&str> = shards
        .iter()
        .filter(|shard| !shard.copies.is_empty())
        .map(|shard| shard.name.as_str())
        .collect();
    let mut found = Vec::new();
    for checked in out.entries.iter().filter(|c| c.grade != Grade::Broken) {
        for head in &checked.entry.after {
            let code = match lines.get(&(head.shard.as_str(), head.seq)) {
                Some(digest) if *digest == head.line => continue,
                Some(_) => Code::Rewritten,
                None if there.contains(head.shard.as_str()) => Code::CutTail,
                None => Code::MissingShard,
            };
            found.push(Finding {
                shard: shown(&head.shard),
                line: head.seq,
                code,
                message: format!(
                    "{}: {}:{} saw it up to entry {}",
                    code.says(),
                    checked.entry.shard,
                    checked.line,
                    head.seq
                ),
            });
        }
    }
    out.findings.extend(found);
}

fn shown(text: &str) -> String {
    Foreign::from(text).shown(ShownIn::Strict).plain()
}

/// A line that says where it stands in the chain.
struct Link {
    line: u64,
    seq: u64,
    prev: Option<Digest>,
    digest: Digest,
    entry: Option<Entry>,
}

/// The reading of one shard.
struct Check<'a> {
    place: &'a Place<'a>,
    shard: &'a Shard,
    text_of: TextOf<'a>,
    findings: Vec<Finding>,
}

impl<'a> Check<'a> {
    fn new(place: &'a Place<'a>, shard: &'a Shard, text_of: TextOf<'a>) -> Self {
        Self {
            place,
            shard,
            text_of,
            findings: Vec::new(),
        }
    }

    fn find(&mut self, line: u64, code: Code, detail: &str) {
        let message = if detail.is_empty() {
            code.says().to_owned()
        } else {
            format!("{}: {}", code.says(), shown(detail))
        };
        self.findings.push(Finding {
            shard: shown(&self.shard.name),
            line,
            code,
            message,
        });
    }

    fn run(mut self, out: &mut Verified) {
        if let Some(why) = &self.shard.unreadable {
            self.find(0, Code::Unreadable, why);
        }
        if self.shard.anchors_damaged {
            self.find(0, Code::AnchorDamaged, "");
        }
        let last_anchor = self.shard.anchors.iter().map(|head| head.seq).max();
        if self.shard.copies.is_empty() && self.shard.unreadable.is_none() {
            let missing = last_anchor.unwrap_or(0);
            self.find(0, Code::MissingShard, &format!("{missing} entries"));
        }
        if self.shard.copies.len() > 1 {
            self.find(0, Code::Forked, "");
        }
        let mut copies: Vec<&Vec<u8>> = self.shard.copies.iter().collect();
        copies.sort_by_key(|copy| std::cmp::Reverse(copy.len()));
        for (index, copy) in copies.into_iter().enumerate() {
            let links = self.links(copy);
            if index == 0 {
                self.anchors(&links, last_anchor);
            }
            self.chain(links, index == 0, out);
        }
        out.findings.append(&mut self.findings);
    }

    /// Splits the bytes into lines and reads each.
    fn links(&mut self, bytes: &[u8]) -> Vec<Link> {
        let mut links = Vec::new();
        if bytes.is_empty() && self.shard.anchors.is_empty() {
            self.find(0, Code::EmptyShard, "");
        }
        let body = match bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) => {
                self.find(1, Code::Bom, "");
                rest
            }
            None => bytes,
        };
        let mut rest = body;
        let mut number = 0;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            number += 1;
            let (line, after) = rest.split_at(end);
            self.line(number, line, &mut links);
            rest = after.get(1..).unwrap_or_default();
        }
        if !rest.is_empty() {
            let nul = rest.iter().all(|byte| *byte == 0);
            let code = if nul { Code::NulRun } else { Code::TornTail };
            self.find(number + 1, code, &format!("{} bytes", rest.len()));
        }
        links
    }

    fn line(&mut self, number: u64, raw: &[u8], links: &mut Vec<Link>) {
        let mut line = raw;
        if let Some(cut) = line.strip_suffix(b"\r") {
            self.find(number, Code::Crlf, "");
            line = cut;
        }
        if line.contains(&0) {
            self.find(number, Code::NulRun, "");
            let from = line.iter().position(|b| *b != 0).unwrap_or(line.len());
            line = line.get(from..).unwrap_or_default();
            if line.is_empty() {
                return;
            }
        }
        if line.is_empty() {
            return self.find(number, Code::BlankLine, "");
        }
        if line.len() >= LINE_LIMIT {
            return self.find(number, Code::OverLong, &format!("{} bytes", line.len()));
        }
        let marks: [&[u8]; 4] = [b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||"];
        if marks.iter().any(|mark| line.starts_with(mark)) {
            return self.find(number, Code::ConflictMarker, "");
        }
        let Ok(text) = std::str::from_utf8(line) else {
            return self.find(number, Code::NotUtf8, "");
        };
        let pieces = documents(text);
        if pieces.len() > 1 {
            self.find(number, Code::Fused, &format!("{} entries", pieces.len()));
        }
        for piece in pieces {
            self.piece(number, piece, links);
        }
    }

    fn piece(&mut self, number: u64, text: &str, links: &mut Vec<Link>) {
        let parsed = codec::parse(text, &self.shard.name, self.text_of);
        for fault in &parsed.faults {
            let (code, detail) = coded(fault);
            self.find(number, code, &detail);
        }
        if let Some(seq) = parsed.seq {
            links.push(Link {
                line: number,
                seq,
                prev: parsed.prev,
                digest: Digest::of(text.as_bytes()),
                entry: parsed.entry,
            });
        }
    }

    fn anchors(&mut self, links: &[Link], last_anchor: Option<u64>) {
        let last = links.iter().map(|link| link.seq).max().unwrap_or(0);
        let Some(anchor) = last_anchor else {
            match links.len() {
                0 => {}
                1 => self.find(1, Code::Unacknowledged, ""),
                n => self.find(1, Code::Unanchored, &format!("{n} lines")),
            }
            return;
        };
        if anchor > last {
            let line = links.last().map_or(0, |link| link.line);
            let missing = anchor - last;
            self.find(line + 1, Code::CutTail, &format!("{missing} entries"));
        }
        let beyond: Vec<u64> = links
            .iter()
            .filter(|link| link.seq > anchor)
            .map(|link| link.line)
            .collect();
        match beyond.as_slice() {
            [] => {}
            [line] => self.find(*line, Code::Unacknowledged, ""),
            [line, ..] => {
                let count = beyond.len();
                self.find(*line, Code::Unanchored, &format!("{count} lines"));
            }
        }
    }

    fn chain(&mut self, links: Vec<Link>, first_copy: bool, out: &mut Verified) {
        let mut wanted_seq = 1u64;
        let mut wanted_prev = origin(self.place, &self.shard.name);
        let mut whole = true;
        for link in links {
            let before = self.findings.len();
            if link.seq > wanted_seq {
                let missing = link.seq - wanted_seq;
                self.find(link.line, Code::SeqGap, &format!("{missing} entries"));
            } else if link.seq < wanted_seq {
                self.find(link.line, Code::SeqRepeat, &link.seq.to_string());
            }
            if link.prev != Some(wanted_prev) {
                let first = wanted_seq == 1;
                let code = if first {
                    Code::WrongPlace
                } else {
                    Code::ChainBroken
                };
                self.find(link.line, code, "");
            }
            if link.seq == 1 {
                self.opening(&link);
            }
            let anchor = |head: &&Head| head.seq == link.seq;
            let mut anchors = self.shard.anchors.iter().filter(anchor).peekable();
            let any = anchors.peek().is_some();
            let anchored = anchors.any(|head| head.line == link.digest);
            if any && !anchored {
                self.find(link.line, Code::Rewritten, "");
            }
            whole &= self.findings.len() == before;
            wanted_seq = link.seq.saturating_add(1);
            wanted_prev = link.digest;
            if let Some(entry) = link.entry {
                let grade = match (anchored && first_copy, whole && first_copy) {
                    (true, _) => Grade::Anchored,
                    (false, true) => Grade::Chained,
                    (false, false) => Grade::Broken,
                };
                out.entries.push(Checked {
                    entry,
                    grade,
                    line: link.line,
                    digest: link.digest,
                });
            }
        }
    }

    fn opening(&mut self, link: &Link) {
        match link.entry.as_ref().map(|entry| &entry.body) {
            Some(Body::Opened(opened)) => {
                let ours = opened.repository == self.place.repository
                    && opened.change == self.place.change;
                if !ours {
                    self.find(link.line, Code::WrongPlace, "");
                }
            }
            Some(Body::Newer { .. }) | None => {}
            Some(
                Body::Run(_)
                | Body::Decision(_)
                | Body::Undo(_)
                | Body::Assertion(_)
                | Body::Ruling(_)
                | Body::Edit(_),
            ) => self.find(link.line, Code::NotOpened, ""),
        }
    }
}

/// The JSON documents that stand on one line; the line itself when it is not just that.
fn documents(line: &str) -> Vec<&str> {
    let mut stream = serde_json::Deserializer::from_str(line).into_iter::<IgnoredAny>();
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some(next) = stream.next() {
        let to = stream.byte_offset();
        match (next, line.get(from..to)) {
            (Ok(_), Some(piece)) => pieces.push(piece),
            _ => return vec![line],
        }
        from = to;
    }
    if pieces.len() > 1 && from == line.len() {
        pieces
    } else {
        vec![line]
    }
}

fn coded(fault: &Fault) -> (Code, String) {
    match fault {
        Fault::NotJson(why) => (Code::NotJson, why.clone()),
        Fault::DuplicateKey(key) => (Code::DuplicateKey, key.clone()),
        Fault::NewerVersion(version) => (Code::NewerVersion, format!("version {version}")),
        Fault::UnknownKind(kind) => (Code::UnknownKind, kind.clone()),
        Fault::UnknownField(field) => (Code::UnknownField, field.clone()),
        Fault::BadValue(field) => (Code::BadValue, field.clone()),
        Fault::MissingField(field) => (Code::MissingField, field.clone()),
        Fault::TextMissing(digest) => (Code::TextMissing, digest.short()),
        Fault::TextChanged(digest) => (Code::TextChanged, digest.short()),
    }
}
