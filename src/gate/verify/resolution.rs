//! Whether a review thread is dealt with: by a person, by the forge's own mark, or by what the
//! commits after it did to the place it points at. Never by wall clock (verify-gate 1.7, K49).
//!
//! The table is `tests/truth/resolution.md`; it is enumerated there against a second account.

use crate::model::id::Oid;
use crate::model::known::{Known, Reason};
use crate::model::text::Foreign;
use crate::model::thread::{Comment, Resolved, ReviewWord, Thread};

/// What the commits after a comment did to its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Touch {
    /// They changed the line itself.
    Line(Vec<Oid>),
    /// They changed lines right beside it.
    Hunk(Vec<Oid>),
    /// They changed the file elsewhere.
    File(Vec<Oid>),
    /// They removed the whole file, and no other has its content.
    Gone(Vec<Oid>),
    /// They left the file alone, or there are none.
    Untouched,
    /// There is no place to change: it is about the whole change.
    NoPlace,
    /// It can't be told, and why: the commit that was looked at is gone, or was rewritten and has
    /// no match.
    Unknown(Reason),
}

impl Touch {
    /// The commits that did it, oldest first.
    #[must_use]
    pub fn commits(&self) -> &[Oid] {
        match self {
            Self::Line(commits)
            | Self::Hunk(commits)
            | Self::File(commits)
            | Self::Gone(commits) => commits,
            Self::Untouched | Self::NoPlace | Self::Unknown(_) => &[],
        }
    }
}

/// What the person ruled on a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PersonSays {
    /// A commit, a line or a test answers it.
    Addressed,
    /// There is nothing to do about it.
    NotActionable,
    /// It is taken up elsewhere.
    Ticketed,
    /// Back to the agent.
    KickedBack,
}

/// Who marked a thread as resolved on the forge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ForgeSays {
    /// It is open there.
    Open,
    /// Somebody else than the author of the change resolved it.
    ByOther,
    /// The author of the change resolved it.
    ByAuthor,
    /// It is resolved, and it can't be told by whom.
    BySomebody,
    /// The interface does not carry it.
    Silent,
}

/// Everything the rule asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The person's ruling, where there is one.
    pub person: Option<PersonSays>,
    /// The forge's mark.
    pub forge: ForgeSays,
    /// What commits did.
    pub touch: Touch,
    /// Whether the forge calls it outdated.
    pub outdated: bool,
    /// Whether an answer names a ticket.
    pub ticket: bool,
    /// Whether a mark by the author of the change, or by nobody knows whom, counts (a knob).
    pub author_resolves: bool,
}

/// Where a thread stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum State {
    /// Dealt with.
    Resolved,
    /// Something speaks for it, and only a person can say so.
    Weak,
    /// Nothing speaks for it.
    Unresolved,
    /// It can't be told: a circuit breaker, unless a person rules.
    CouldNotTell,
}

impl State {
    /// The word as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Weak => "weak",
            Self::Unresolved => "unresolved",
            Self::CouldNotTell => "could-not-tell",
        }
    }
}

/// What a state rests on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Grade {
    /// A person's ruling.
    Person,
    /// The forge's mark.
    Forge,
    /// The line itself changed.
    Line,
    /// Lines beside it changed.
    Hunk,
    /// The file changed elsewhere.
    FileOnly,
    /// The file is gone.
    FileGone,
    /// The forge calls it outdated, nothing else.
    Outdated,
    /// An answer names a ticket.
    TicketNamed,
    /// Nothing.
    Nothing,
}

impl Grade {
    /// The word as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Forge => "forge",
            Self::Line => "line",
            Self::Hunk => "hunk",
            Self::FileOnly => "file-only",
            Self::FileGone => "file-gone",
            Self::Outdated => "outdated",
            Self::TicketNamed => "ticket-named",
            Self::Nothing => "none",
        }
    }
}

/// The rule: the first row that fits, strongest first.
#[must_use]
pub fn stands(facts: &Facts) -> (State, Grade) {
    match facts.person {
        Some(PersonSays::Addressed | PersonSays::NotActionable | PersonSays::Ticketed) => {
            return (State::Resolved, Grade::Person);
        }
        Some(PersonSays::KickedBack) => return (State::Unresolved, Grade::Person),
        None => {}
    }
    match (facts.forge, &facts.touch) {
        (ForgeSays::ByOther, _) => (State::Resolved, Grade::Forge),
        (ForgeSays::ByAuthor | ForgeSays::BySomebody, _) if facts.author_resolves => {
            (State::Resolved, Grade::Forge)
        }
        (_, Touch::Line(_)) => (State::Resolved, Grade::Line),
        (_, Touch::Hunk(_)) => (State::Weak, Grade::Hunk),
        (_, Touch::Unknown(_)) => (State::CouldNotTell, Grade::Nothing),
        (_, Touch::File(_)) => (State::Weak, Grade::FileOnly),
        (_, Touch::Gone(_)) => (State::Weak, Grade::FileGone),
        _ if facts.outdated => (State::Weak, Grade::Outdated),
        _ if facts.ticket => (State::Weak, Grade::TicketNamed),
        (_, Touch::Untouched | Touch::NoPlace) => (State::Unresolved, Grade::Nothing),
    }
}

/// What the forge says, seen from the author of the change.
#[must_use]
pub fn forge_says(thread: &Thread, author: Option<&Foreign>) -> ForgeSays {
    if thread.review == Some(ReviewWord::Dismissed) {
        return ForgeSays::BySomebody;
    }
    match &thread.resolved {
        Known::Is(Resolved::No) => ForgeSays::Open,
        Known::Is(Resolved::By(Some(by))) => match author {
            Some(author) if same_login(author, by) => ForgeSays::ByAuthor,
            Some(_) => ForgeSays::ByOther,
            // the author of the change is not named, so it may be them
            None => ForgeSays::BySomebody,
        },
        Known::Is(Resolved::By(None)) => ForgeSays::BySomebody,
        Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => ForgeSays::Silent,
    }
}

/// Whether two logins are one account; forges ignore case.
#[must_use]
pub fn same_login(one: &Foreign, other: &Foreign) -> bool {
    one.raw().eq_ignore_ascii_case(other.raw())
}

/// Whether an answer names a ticket: an issue number, a path below `tickets/`, or an address of
/// an issue. It only says where to look (FRG-8).
#[must_use]
pub fn names_ticket(replies: &[Comment]) -> bool {
    replies
        .iter()
        .any(|reply| ticket_in(&String::from_utf8_lossy(reply.body.raw())))
}

fn ticket_in(text: &str) -> bool {
    let digits = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let number = |mark: &str| {
        text.match_indices(mark)
            .any(|(at, _)| text.get(at + mark.len()..).is_some_and(digits))
    };
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('>'));
    let hash = lines.flat_map(str::split_whitespace).any(|word| {
        let word = word.trim_start_matches(['(', '[', '"']);
        let tail = word.rsplit_once('#').map(|(before, tail)| {
            let plain = |c: char| c.is_alphanumeric() || "-_./".contains(c);
            (before.chars().all(plain), tail)
        });
        tail.is_some_and(|(plain, tail)| plain && digits(tail))
    });
    hash || number("tickets/") || number("/issues/") || number("/tickets/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_are_seen_in_answers_and_not_in_quotations() {
        let rows = [
            ("Moved to #112.", true),
            ("see quay/tideboard#112", true),
            ("(#9)", true),
            ("done in tickets/0044-tides.erg", true),
            ("https://forge.example/a/b/issues/7", true),
            ("> Moved to #112", false),
            ("## 3 points", false),
            ("colour #fff and c#", false),
            ("will do", false),
        ];
        for (text, wanted) in rows {
            assert_eq!(ticket_in(text), wanted, "{text}");
        }
    }
}
