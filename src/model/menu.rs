//! A message that waits for a person: its gate line, its menu, and what a reply to it means.
//!
//! A message is plain text written by an agent. Nothing here is trusted: labels, names and words
//! are [`Foreign`] until shown.

use super::id::Digest;
use super::text::Foreign;

/// What line 1 of a message says. A marker anywhere else says nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opening {
    /// `gauntlet: gate=SKILL/MENU`, perhaps with ` recommended=N`.
    Gate(GateLine),
    /// `gauntlet: done OUTCOME`: the run is over, nothing is asked.
    Done(Foreign),
    /// It begins as a marker and is none; why not.
    Malformed(&'static str),
    /// No marker. Older gates have none.
    Plain,
}

/// A gate line that keeps the grammar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GateLine {
    /// Lowercase letters, digits, hyphen.
    pub skill: String,
    /// The same set.
    pub menu: String,
    /// The number after `recommended=`.
    pub recommended: Option<u32>,
}

impl GateLine {
    /// `SKILL/MENU`: the name of the gate, without which run and which message.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.skill, self.menu)
    }
}

/// How the rows of a menu are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// `N. [ ] label - consequence` after `Pick one:`.
    Checkbox,
    /// `N. verb - consequence`, a hint line below.
    Verb,
    /// Two blanks, `N. course (note)`, after `Pick one:`.
    Course,
    /// `N - label: sentence`.
    Labelled,
}

impl Style {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Checkbox, Self::Verb, Self::Course, Self::Labelled];

    /// The word of `menu/1`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Checkbox => "checkbox",
            Self::Verb => "verb",
            Self::Course => "course",
            Self::Labelled => "labelled",
        }
    }
}

/// One row of a menu.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The number as written.
    pub n: u32,
    /// 1-based line of the message.
    pub line: u32,
    /// The words that name it, without number, box, tag and consequence.
    pub label: Foreign,
    /// What follows from it; empty when nothing is said.
    pub consequence: Foreign,
    /// Whether it carries `[recommended]`.
    pub recommended: bool,
    /// Whether its box is ticked; `None` without a box.
    pub ticked: Option<bool>,
    /// Why it cannot be picked, when it says so itself (` - unavailable: WHY`).
    pub unavailable: Option<Foreign>,
}

/// A row that the template has and this menu leaves out, as the hint names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotOffered {
    /// The verb.
    pub verb: Foreign,
    /// The words in brackets behind it.
    pub reason: Foreign,
}

/// The line that says whether a hotfix may be picked; real bugs only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Eligibility {
    /// 1-based line of the message.
    pub line: u32,
    /// As written.
    pub text: Foreign,
    /// Whether it says `eligible`.
    pub eligible: bool,
}

/// Something a menu must not do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// Its code.
    pub code: &'static str,
    /// 1-based line of the message.
    pub line: u32,
    /// What is wrong, in our words.
    pub message: String,
}

/// A message as it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// SHA-256 of its bytes.
    pub digest: Digest,
    /// Line 1.
    pub opening: Opening,
    /// How its rows are written; `None` when it has no menu.
    pub style: Option<Style>,
    /// The rows, in their order.
    pub rows: Vec<Row>,
    /// 1-based line of the `Pick one:` that opens the menu.
    pub separator: Option<u32>,
    /// The prose after the rows, a line each, without fences, blanks and eligibility.
    pub tail: Vec<Foreign>,
    /// The eligibility line, when there is one.
    pub eligibility: Option<Eligibility>,
    /// What the hint says is left out.
    pub not_offered: Vec<NotOffered>,
    /// What the tail asks to be typed, beside a number.
    pub asks: Vec<Ask>,
    /// Lines after the first that look like a marker: quoted, and without effect.
    pub inert: Vec<u32>,
    /// The whole message.
    pub text: Foreign,
    /// How many numbered items its `Blockers:` list has.
    pub blockers: u32,
    /// Everything it must not do.
    pub violations: Vec<Violation>,
}

/// A form of reply that a message asks for in words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ask {
    /// To reply `send it`.
    SendIt,
    /// To type `discard` before something is deleted.
    Discard,
    /// `check NAME flaky | real | ci-broken`.
    Check,
    /// `N: handle=choice, ...`, with the colon; the number before it.
    Overrides(u32),
    /// `verification command: COMMAND`.
    Command,
    /// `spec: PATH`.
    Spec,
    /// `revert conformance fix Gn`.
    Revert,
    /// A yes; everything else declines.
    Yes,
}

/// Which message a reply is for: its gate and its bytes. A reply to one can reach no other.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MessageId {
    /// `SKILL/MENU`; `None` when it has no gate line.
    pub gate: Option<Box<str>>,
    /// SHA-256 of its bytes.
    pub digest: Digest,
}

impl MessageId {
    /// For a sentence: `chase-bug/verdict-menu 4f2a1c9`.
    #[must_use]
    pub fn words(&self) -> String {
        let gate = self.gate.as_deref().unwrap_or("message");
        format!("{gate} {}", self.digest.short())
    }
}

impl Message {
    /// Its name.
    #[must_use]
    pub fn id(&self) -> MessageId {
        MessageId {
            gate: self.gate().map(|gate| gate.name().into()),
            digest: self.digest,
        }
    }

    /// The gate line, when line 1 is one.
    #[must_use]
    pub fn gate(&self) -> Option<&GateLine> {
        match &self.opening {
            Opening::Gate(gate) => Some(gate),
            Opening::Done(_) | Opening::Malformed(_) | Opening::Plain => None,
        }
    }

    /// The only row with this number; `None` as well when two rows share it.
    #[must_use]
    pub fn row(&self, n: u32) -> Option<&Row> {
        let mut rows = self.rows.iter().filter(|row| row.n == n);
        let first = rows.next()?;
        rows.next().is_none().then_some(first)
    }

    /// The only row that is tagged.
    #[must_use]
    pub fn recommended(&self) -> Option<&Row> {
        let mut rows = self.rows.iter().filter(|row| row.recommended);
        let first = rows.next()?;
        rows.next().is_none().then_some(first)
    }
}

/// What a reply means at the gate it was written for. Every text means exactly one of these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// One row.
    Pick {
        /// Its number.
        n: u32,
        /// `as a PR`, on the hotfix row.
        as_pr: bool,
    },
    /// Several verbs, or one with numbers of its own.
    Composed(Vec<Part>),
    /// `N: handle=choice, ...`: what is not named keeps its recommendation.
    Overrides {
        /// The number before the colon.
        n: u32,
        /// In their order.
        pairs: Vec<(String, String)>,
    },
    /// A fixed form of words that means one thing.
    Token(Token),
    /// What the message asked for in words.
    Answer(Answer),
    /// Anything else: words for the agent, never a row.
    ChangeRequest(&'static str),
    /// Only blanks: no reply.
    Empty,
    /// It can be meant as a reply and is none; nothing is sent.
    Invalid {
        /// Why, and what would do.
        why: String,
        /// Overrides that were right and stay.
        kept: Vec<(String, String)>,
    },
    /// The message, its gate or the head is another than the reply was written for.
    Stale(String),
}

/// A verb of a composed reply, with the numbers behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The label of the row.
    pub verb: String,
    /// Numbers of blockers.
    pub ids: Vec<u32>,
}

/// A fixed form of words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// `send it`.
    SendIt,
    /// `discard`.
    Discard,
    /// `check NAME WORD`.
    Check {
        /// The check.
        name: String,
        /// What it is held for.
        disposition: Disposition,
    },
    /// `revert conformance fix Gn`.
    Revert(String),
    /// `criterion N deferred: WHERE` or `criterion N deviates: WHY`: it edits the contract.
    Abandon {
        /// The criterion's number.
        criterion: u32,
        /// `deferred: WHERE` or `deviates: WHY`.
        says: String,
    },
}

/// What a person holds a red check for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disposition {
    /// It fails by chance.
    Flaky,
    /// It is right.
    Real,
    /// The machinery around it is broken.
    CiBroken,
}

impl Disposition {
    /// The word that is typed.
    #[must_use]
    pub fn typed(self) -> &'static str {
        match self {
            Self::Flaky => "flaky",
            Self::Real => "real",
            Self::CiBroken => "ci-broken",
        }
    }

    /// The value that the record stores.
    #[must_use]
    pub fn stored(self) -> &'static str {
        match self {
            Self::Flaky => "flaky",
            Self::Real => "real",
            Self::CiBroken => "ci-infrastructure-broken",
        }
    }

    /// Reads the typed word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Flaky, Self::Real, Self::CiBroken]
            .into_iter()
            .find(|one| one.typed() == word)
    }
}

/// What a message asked for in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The command that verifies.
    Command(String),
    /// The spec.
    Spec(String),
    /// So many rounds more, with the words of the person.
    Rounds {
        /// How many.
        rounds: u32,
        /// The words that go with it.
        words: String,
    },
    /// What is decided about a contract exception, in words.
    Contract(String),
    /// Items of a list.
    Ids(Vec<String>),
    /// Yes.
    Yes,
    /// No.
    No,
}

/// What a reply is that may be delivered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// One row.
    Pick,
    /// Several verbs.
    Composed,
    /// A list of choices.
    Overrides,
    /// A fixed form of words.
    Token,
    /// What the message asked for in words.
    Answer,
    /// Words for the agent.
    ChangeRequest,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Pick,
        Self::Composed,
        Self::Overrides,
        Self::Token,
        Self::Answer,
        Self::ChangeRequest,
    ];

    /// The word of `menu-reply/1`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Pick => "pick",
            Self::Composed => "composed",
            Self::Overrides => "overrides",
            Self::Token => "token",
            Self::Answer => "answer",
            Self::ChangeRequest => "change-request",
        }
    }
}

impl Reply {
    /// What it is, when it may be delivered.
    #[must_use]
    pub fn deliverable(&self) -> Option<Kind> {
        match self {
            Self::Pick { .. } => Some(Kind::Pick),
            Self::Composed(_) => Some(Kind::Composed),
            Self::Overrides { .. } => Some(Kind::Overrides),
            Self::Token(_) => Some(Kind::Token),
            Self::Answer(_) => Some(Kind::Answer),
            Self::ChangeRequest(_) => Some(Kind::ChangeRequest),
            Self::Empty | Self::Invalid { .. } | Self::Stale(_) => None,
        }
    }

    /// The word of `menu-reply/1`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Invalid { .. } => "invalid",
            Self::Stale(_) => "stale",
            other => other.deliverable().map_or("invalid", Kind::word),
        }
    }
}
