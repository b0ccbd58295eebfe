//! What a comment weighs: tags of minors, severities, hedges, and the trigger that it would be
//! (verify-gate 1.3, 1.5, edge 14). The table is `tests/truth/comments.md`.

use crate::gate::hedge;
use crate::model::thread::{Account, Actor, Author, Channel, ReviewWord, Thread};

use super::Trigger;

/// The tags of a minor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tag {
    /// A failing assertion that anybody can reproduce.
    Verifiable,
    /// A hypothesis; the author is free to ignore it.
    Consider,
    /// For the audit trail only.
    Nofollow,
}

impl Tag {
    /// All tags.
    pub const ALL: [Self; 3] = [Self::Verifiable, Self::Consider, Self::Nofollow];

    /// The word as printed, without its colon.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Verifiable => "verifiable",
            Self::Consider => "consider",
            Self::Nofollow => "nofollow",
        }
    }

    /// The tag with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tag| tag.word() == word)
    }
}

/// Why a minor of a panel is refused (source, "Tagged minors are mandatory").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Malformed {
    /// It carries no tag.
    Untagged,
    /// It carries more than one.
    TwoTags,
    /// It hedges, and no evidence stands beside.
    Hedged,
}

impl Malformed {
    /// Why, in one fragment.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::Untagged => "a minor without a tag",
            Self::TwoTags => "more than one tag on one minor",
            Self::Hedged => "it hedges and shows nothing",
        }
    }
}

/// One remark of a comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// Its tag; the first one where there are several.
    pub tag: Option<Tag>,
    /// Why it is refused, for minors of a panel.
    pub malformed: Option<Malformed>,
    /// What it weighs while it is unresolved; `None`: it never stops anything.
    pub weight: Option<Trigger>,
    /// Its first line, as written.
    pub line: String,
}

/// What a thread is, before it is asked whether it is resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Who speaks.
    pub actor: Actor,
    /// Whether it asks for changes rather than suggesting some.
    pub blocker: bool,
    /// What it holds, in order; never empty.
    pub remarks: Vec<Remark>,
}

impl Reading {
    /// The tag of the thread: of the remark that weighs most.
    #[must_use]
    pub fn tag(&self) -> Option<Tag> {
        self.remarks.iter().filter_map(|remark| remark.tag).min()
    }

    /// Gives every remark that was refused the tag that a person says it has.
    pub fn tag_with(&mut self, tag: Tag) {
        let actor = self.actor;
        for remark in self.remarks.iter_mut().filter(|r| r.malformed.is_some()) {
            remark.tag = Some(tag);
            remark.malformed = None;
            remark.weight = match (actor, tag) {
                (Actor::Human, _) => Some(Trigger::T2),
                (_, Tag::Verifiable) => Some(Trigger::T4),
                (_, Tag::Consider | Tag::Nofollow) => None,
            };
        }
    }

    /// Whether anything fires while it is unresolved.
    #[must_use]
    pub fn weighs(&self) -> bool {
        self.remarks.iter().any(|remark| remark.weight.is_some())
    }

    /// Everything that fires while it is unresolved, once each.
    #[must_use]
    pub fn weights(&self) -> Vec<Trigger> {
        let mut all: Vec<Trigger> = self.remarks.iter().filter_map(|r| r.weight).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Logins that are no person's, by class; the person's own settings, never the repository's.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Logins {
    /// Review panels of agents.
    pub panel: Vec<String>,
    /// The built-in review.
    pub builtin_review: Vec<String>,
    /// Other programs.
    pub bot: Vec<String>,
}

/// Who an account is. What a comment says of itself never counts (FRG-8): a remark that calls
/// itself a panel's would weigh less. Whoever can't be told is a person.
#[must_use]
pub fn actor(author: &Author, named: Option<Actor>, logins: &Logins) -> Actor {
    let login = author.login.as_ref().and_then(|l| l.raw_str());
    let listed = |list: &[String]| {
        login.is_some_and(|login| list.iter().any(|one| one.eq_ignore_ascii_case(login)))
    };
    if listed(&logins.panel) {
        Actor::Panel
    } else if listed(&logins.builtin_review) {
        Actor::BuiltinReview
    } else if listed(&logins.bot) {
        Actor::Bot
    } else if let Some(named) = named {
        named
    } else if author.account == Account::Bot {
        Actor::Bot
    } else {
        Actor::Human
    }
}

/// Reads a thread by its first comment.
#[must_use]
pub fn read(thread: &Thread, logins: &Logins) -> Reading {
    let first = &thread.first;
    let actor = actor(&first.author, thread.actor, logins);
    let body = String::from_utf8_lossy(first.body.raw());
    let severe = severity(&body).is_some_and(|severity| severity >= Severity::Medium);
    let asks = thread.review == Some(ReviewWord::ChangesRequested);
    let blocker = asks || severe;
    let mut remarks: Vec<Remark> = split(&body)
        .into_iter()
        .map(|(tags, text)| remark(actor, thread.channel, blocker, &tags, text))
        .collect();
    if first.edited_by_other() {
        // somebody else put these words there, so they excuse nothing
        for remark in &mut remarks {
            remark.weight = remark.weight.or(Some(Trigger::T2));
        }
    }
    Reading {
        actor,
        blocker,
        remarks,
    }
}

fn remark(actor: Actor, channel: Channel, blocker: bool, tags: &[Tag], text: &str) -> Remark {
    let tag = tags.first().copied();
    let minor =
        actor == Actor::Panel && (tag.is_some() || (channel == Channel::Inline && !blocker));
    let hedges = |free: &str| hedge::find(untagged(free)).is_some();
    let malformed = match tags {
        _ if !minor => None,
        [_, _, ..] => Some(Malformed::TwoTags),
        [] => Some(Malformed::Untagged),
        [Tag::Verifiable] if hedges(text) && !shows(text) => Some(Malformed::Hedged),
        [_] => None,
    };
    let weight = match (actor, tag) {
        (Actor::Human, _) => Some(Trigger::T2),
        (_, Some(Tag::Verifiable)) => Some(Trigger::T4),
        (_, Some(Tag::Consider | Tag::Nofollow)) => malformed.map(|_| Trigger::Mm),
        (_, None) if blocker => Some(Trigger::T3),
        (_, None) => malformed.map(|_| Trigger::Mm),
    };
    Remark {
        tag,
        malformed,
        weight,
        line: text.trim().lines().next().unwrap_or_default().to_owned(),
    }
}

/// The remarks of a text with their tags: each line that begins with a tag begins one. Lines of
/// code and quotations begin none; without any tag the whole text is one remark.
fn split(body: &str) -> Vec<(Vec<Tag>, &str)> {
    let mut starts: Vec<(usize, Vec<Tag>)> = Vec::new();
    let mut at = 0;
    let mut fence = false;
    for line in body.split_inclusive('\n') {
        let bare = line.trim_start();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            fence = !fence;
        } else if !fence && !bare.starts_with('>') {
            let (tags, _) = tags(line);
            if !tags.is_empty() {
                starts.push((at, tags));
            }
        }
        at += line.len();
    }
    if starts.is_empty() {
        return vec![(Vec::new(), body)];
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|(at, _)| *at).collect();
    let ends = ends.into_iter().chain([body.len()]);
    starts
        .into_iter()
        .zip(ends)
        .filter_map(|((start, tags), end)| Some((tags, body.get(start..end)?)))
        .collect()
}

/// A remark without the tags at its beginning.
fn untagged(text: &str) -> &str {
    tags(text).1
}

/// The tags at the beginning of a text, and the text after them. Bullets, emphasis, backticks
/// and case do not matter; a tag in the middle of a sentence is none.
fn tags(text: &str) -> (Vec<Tag>, &str) {
    let mut found: Vec<Tag> = Vec::new();
    let mut rest = undecorated(text);
    'next: loop {
        for tag in Tag::ALL {
            let word = tag.word();
            let Some(head) = rest.get(..word.len()) else {
                continue;
            };
            if !head.eq_ignore_ascii_case(word) {
                continue;
            }
            // `**tag**:` and `**tag:**` alike; two tags may share a colon with a slash
            let after = rest.get(word.len()..).unwrap_or_default();
            let inner = after.trim_start_matches(['*', '_', '`']);
            let next = inner.strip_prefix(':').or_else(|| {
                let other = inner.strip_prefix(['/', ',', '+'])?;
                Tag::ALL
                    .iter()
                    .any(|tag| starts_with(undecorated(other), tag.word()))
                    .then_some(other)
            });
            if let Some(next) = next {
                found.push(tag);
                rest = undecorated(next);
                continue 'next;
            }
        }
        return (found, rest);
    }
}

fn starts_with(text: &str, word: &str) -> bool {
    text.get(..word.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(word))
}

/// A text without blanks, bullets, numbers and emphasis at its beginning.
fn undecorated(text: &str) -> &str {
    let mut rest = text.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0
        && let Some(after) = rest
            .get(digits..)
            .and_then(|after| after.strip_prefix(['.', ')']))
    {
        rest = after.trim_start();
    }
    loop {
        let next = rest
            .trim_start_matches(['-', '*', '+', '_', '`', '#', '\u{2022}', '(', '['])
            .trim_start();
        if next.len() == rest.len() {
            return rest;
        }
        rest = next;
    }
}

/// Whether a text shows something that can be looked at: code, or a file with a line.
fn shows(text: &str) -> bool {
    let fenced = text.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("```") || line.starts_with("~~~")
    });
    let span = text.split('`').count() > 2;
    let place = text.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.rsplit_once(':').is_some_and(|(file, line)| {
            file.contains(['.', '/']) && line.bytes().all(|b| b.is_ascii_digit())
        }) || word.contains("::")
    });
    fenced || span || place
}

/// How bad a reviewer calls it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Severity {
    Low,
    Medium,
    High,
}

/// Labels of severities, lower case.
const SEVERITIES: [(&str, Severity); 16] = [
    ("blocker", Severity::High),
    ("blocking", Severity::High),
    ("critical", Severity::High),
    ("high", Severity::High),
    ("must-fix", Severity::High),
    ("must fix", Severity::High),
    ("request-changes", Severity::High),
    ("request changes", Severity::High),
    ("major", Severity::High),
    ("medium", Severity::Medium),
    ("moderate", Severity::Medium),
    ("minor", Severity::Low),
    ("low", Severity::Low),
    ("nit", Severity::Low),
    ("nitpick", Severity::Low),
    ("info", Severity::Low),
];

/// The severity that a comment names: a label at its beginning, or a line `severity: ...`.
fn severity(body: &str) -> Option<Severity> {
    let first = body.lines().find(|line| !line.trim().is_empty())?;
    let label = |text: &str| {
        SEVERITIES.into_iter().find_map(|(word, severity)| {
            let after = text.get(word.len()..).filter(|_| starts_with(text, word))?;
            let ended = after.trim_start_matches(['*', '_', '`', ']', ')']);
            (ended.starts_with(':') || ended.len() != after.len() || ended.trim().is_empty())
                .then_some(severity)
        })
    };
    let named = body.lines().find_map(|line| {
        let line = undecorated(line);
        let after = line.get(8..).filter(|_| starts_with(line, "severity"))?;
        let value = after
            .trim_start_matches(['*', '_', '`'])
            .strip_prefix(':')?;
        let value = undecorated(value);
        let word = value
            .split(|c: char| !(c.is_ascii_alphabetic() || c == '-'))
            .next()
            .unwrap_or_default();
        SEVERITIES
            .into_iter()
            .find(|(label, _)| label.eq_ignore_ascii_case(word))
            .map(|(_, severity)| severity)
    });
    named.or_else(|| label(undecorated(first)))
}
