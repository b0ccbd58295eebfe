//! Review threads as a forge keeps them: what was said, where, and what the forge says of it.
//!
//! Nothing here is an order, a decision or evidence (FRG-8). Times are kept as they were written
//! and never used for order or freshness (FRG-6).

use super::id::{Digest, Oid, RepoPath};
use super::known::{Known, Reason};
use super::text::Foreign;

/// Most bytes of one comment that are kept; the rest is counted (FRG-3).
pub const BODY_CAP: usize = 256 << 10;

/// Everything that was handed in about one pull or merge request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Threads {
    /// Threads in the order of the input: inline, reviews, conversation.
    pub threads: Vec<Thread>,
    /// How much of each channel is here, in the order of [`Channel::ALL`].
    pub channels: [Completeness; 3],
    /// The request itself, where a file held it.
    pub pull: Known<Pull>,
    /// The paths that the forge lists as changed.
    pub files: Listing<RepoPath>,
    /// The commits that the forge lists.
    pub commits: Listing<Oid>,
    /// What could not be read or is odd, in input order.
    pub faults: Vec<Fault>,
    /// SHA-256 over the set of comments, independent of their order (FRG-4).
    pub digest: Digest,
}

impl Threads {
    /// How much of a channel is here.
    #[must_use]
    pub fn channel(&self, channel: Channel) -> &Completeness {
        let [inline, reviews, conversation] = &self.channels;
        match channel {
            Channel::Inline => inline,
            Channel::Reviews => reviews,
            Channel::Conversation => conversation,
        }
    }

    /// Whether all three channels are here to their ends.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.channels
            .iter()
            .all(|state| *state == Completeness::Complete)
    }
}

/// Where comments live on a forge. A verdict may stand in any of the three (verify-gate 1.6).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Channel {
    /// Comments at a line or a file of the diff.
    Inline,
    /// Bodies of reviews.
    Reviews,
    /// Comments below the description.
    Conversation,
}

impl Channel {
    /// All of them, in the order they are listed.
    pub const ALL: [Self; 3] = [Self::Inline, Self::Reviews, Self::Conversation];

    /// The word as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Inline => "inline",
            Self::Reviews => "review",
            Self::Conversation => "issue",
        }
    }
}

/// How much of a list is here. "All" needs a proof: a short last page, a count, or a flag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Completeness {
    /// To its end.
    Complete,
    /// Some of it; a verdict that needs all can't be APPROVED (K34).
    Partial {
        /// How many are here.
        loaded: u32,
        /// How many there are, where that is said.
        of: Option<u32>,
        /// Why it counts as partial.
        why: Reason,
    },
    /// No file held it.
    NotSupplied,
    /// A file was to hold it and could not be read.
    Unreadable(Reason),
}

impl Completeness {
    /// The word as printed in `threads/1`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Partial { .. } => "partial",
            Self::NotSupplied => "not-supplied",
            Self::Unreadable(_) => "unreadable",
        }
    }

    /// The state in one fragment, for people.
    #[must_use]
    pub fn says(&self) -> String {
        match self {
            Self::Complete => "all of them".to_owned(),
            Self::Partial {
                loaded,
                of: Some(of),
                why,
            } => format!("{loaded} of {of}: {why}"),
            Self::Partial {
                loaded,
                of: None,
                why,
            } => format!("{loaded}, perhaps more: {why}"),
            Self::NotSupplied => "not supplied".to_owned(),
            Self::Unreadable(why) => format!("could not be read: {why}"),
        }
    }
}

/// A list of the forge with its completeness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing<T> {
    /// What is here.
    pub items: Vec<T>,
    /// How much of it that is.
    pub state: Completeness,
}

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            state: Completeness::NotSupplied,
        }
    }
}

/// The pull or merge request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pull {
    /// Its number on the forge.
    pub number: Option<u64>,
    /// `OPEN`, `CLOSED`, `MERGED` or another word, in capitals; `None` when none was given.
    pub state: Option<Foreign>,
    /// Its title.
    pub title: Option<Foreign>,
    /// Its description.
    pub body: Option<Foreign>,
    /// Who opened it.
    pub author: Option<Author>,
    /// The head that the forge has.
    pub head: Option<Oid>,
    /// The name of the branch it goes to.
    pub base_name: Option<Foreign>,
    /// Whether the forge says that it can be merged (`MERGEABLE`, `CONFLICTING`, ...).
    pub mergeable: Option<Foreign>,
    /// How many of each the forge counts.
    pub counts: Counts,
}

/// How many there are, as the forge says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Inline comments.
    pub inline: Option<u32>,
    /// Comments below the description.
    pub conversation: Option<u32>,
    /// Changed files.
    pub files: Option<u32>,
    /// Commits.
    pub commits: Option<u32>,
}

/// A comment with what was answered to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// The forge's id of the thread, else of its first comment.
    pub id: Box<str>,
    /// Where it lives.
    pub channel: Channel,
    /// Where it points; `None` for what is said about the whole change.
    pub spot: Option<Spot>,
    /// The commit that was looked at when it was written.
    pub written_at: Option<Oid>,
    /// The first comment.
    pub first: Comment,
    /// The answers, in the order of the forge.
    pub replies: Vec<Comment>,
    /// Whether all answers are here.
    pub all_replies: bool,
    /// Whether the forge marks it as resolved. Unknown where the interface does not carry it.
    pub resolved: Known<Resolved>,
    /// Whether the forge calls it outdated.
    pub outdated: Known<bool>,
    /// The verdict of the review it belongs to.
    pub review: Option<ReviewWord>,
    /// What our own format says about the actor (`human`, `panel`, ...), where it does.
    pub actor: Option<Actor>,
}

impl Thread {
    /// All comments, the first one first.
    pub fn comments(&self) -> impl Iterator<Item = &Comment> {
        std::iter::once(&self.first).chain(&self.replies)
    }
}

/// The kinds of commenters that rules tell apart (verify-gate 1.5).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Actor {
    /// A person; whoever can't be told is one.
    Human,
    /// A review panel of agents (`/review-pr`, `/review-pr-prose`).
    Panel,
    /// The built-in review (`/review`).
    BuiltinReview,
    /// Another program.
    Bot,
}

impl Actor {
    /// All classes.
    pub const ALL: [Self; 4] = [Self::Human, Self::Panel, Self::BuiltinReview, Self::Bot];

    /// The word as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Panel => "panel",
            Self::BuiltinReview => "builtin-review",
            Self::Bot => "bot",
        }
    }

    /// The class with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|actor| actor.word() == word)
    }
}

/// What the forge says about a thread's end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Resolved {
    /// Open.
    No,
    /// Marked as resolved; by whom, where that is said.
    By(Option<Foreign>),
}

/// The verdict of a review.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReviewWord {
    /// It approves.
    Approved,
    /// It asks for changes.
    ChangesRequested,
    /// It only comments.
    Commented,
    /// It was taken back by someone with the right to.
    Dismissed,
    /// A word that we do not know.
    Other,
}

impl ReviewWord {
    /// Reads a forge's word, in any case.
    #[must_use]
    pub fn parse(word: &str) -> Self {
        let same = |other: &str| word.eq_ignore_ascii_case(other);
        if same("APPROVED") || same("APPROVE") {
            Self::Approved
        } else if same("CHANGES_REQUESTED") || same("REQUEST_CHANGES") {
            Self::ChangesRequested
        } else if same("COMMENTED") || same("COMMENT") {
            Self::Commented
        } else if same("DISMISSED") {
            Self::Dismissed
        } else {
            Self::Other
        }
    }

    /// The word as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::ChangesRequested => "changes-requested",
            Self::Commented => "commented",
            Self::Dismissed => "dismissed",
            Self::Other => "other",
        }
    }
}

/// One comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// The forge's id, as written there (ids pass 2^53).
    pub id: Box<str>,
    /// Who wrote it.
    pub author: Author,
    /// What it says, at most [`BODY_CAP`] bytes.
    pub body: Foreign,
    /// Bytes that were cut off.
    pub cut: u64,
    /// When, as the forge wrote it.
    pub written: Option<Foreign>,
    /// Whether it was changed after it was written, and by whom.
    pub edited: Known<Option<Edited>>,
    /// Why it is hidden on the forge, where it is.
    pub minimised: Option<Foreign>,
    /// Its page.
    pub url: Option<Foreign>,
}

/// A change of a comment's text after the fact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edited {
    /// Who did it; `None` where the forge does not say.
    pub by: Option<Foreign>,
}

impl Comment {
    /// Whether somebody else than its author changed what it says.
    #[must_use]
    pub fn edited_by_other(&self) -> bool {
        match &self.edited {
            Known::Is(Some(Edited { by: Some(by) })) => self.author.login.as_ref() != Some(by),
            Known::Is(_) | Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => {
                false
            }
        }
    }
}

/// Who wrote something.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Author {
    /// The login; `None` for an account that is gone.
    pub login: Option<Foreign>,
    /// What kind of account the forge says it is.
    pub account: Account,
}

/// Kinds of accounts on a forge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Account {
    /// A person's, or nothing that says otherwise.
    Person,
    /// A program's.
    Bot,
    /// Deleted.
    Gone,
}

impl Account {
    /// The word as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Bot => "bot",
            Self::Gone => "gone",
        }
    }
}

/// Where a thread points. Lines are 1-based.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The path, at the commit it was written at.
    pub path: RepoPath,
    /// The side of the diff.
    pub side: Side,
    /// Last line, in the forge's newest version; `None` when outdated or for the whole file.
    pub line: Option<u32>,
    /// First line there, of several.
    pub start: Option<u32>,
    /// Last line, at the commit it was written at.
    pub original_line: Option<u32>,
    /// First line there, of several.
    pub original_start: Option<u32>,
    /// The excerpt of the diff that the forge keeps with it.
    pub excerpt: Option<Foreign>,
}

impl Spot {
    /// The lines it was written at, first and last; `None` for the whole file.
    #[must_use]
    pub fn original(&self) -> Option<(u32, u32)> {
        let (last, first) = match self.original_line {
            Some(last) => (last, self.original_start),
            None => (self.line?, self.start),
        };
        Some((first.unwrap_or(last).min(last), last))
    }
}

/// A side of a diff.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// Before the change.
    Left,
    /// After it.
    Right,
}

/// Something in the input that could not be read, or is odd.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// A stable kebab-case code.
    pub code: &'static str,
    /// The file it stands in, as it was named.
    pub file: Foreign,
    /// Where in it, as a JSON path (`$[3].user.login`).
    pub at: Foreign,
    /// What is wrong, a lower-case fragment.
    pub message: String,
    /// What to do, beginning with a verb.
    pub hint: &'static str,
    /// Whether something is lost with it, so that the list is not complete.
    pub loses: bool,
}
