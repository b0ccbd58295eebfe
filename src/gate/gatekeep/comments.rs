//! The ledger of comments against a fresh fetch: what is kept, minted, superseded, withdrawn. A
//! fetch that is not complete withdraws nothing.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::known::Known;

/// How a comment was triaged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Label {
    /// It was dealt with before.
    AlreadyAddressed,
    /// It asks for something reasonable.
    Reasonable,
    /// People may differ.
    JudgmentCall,
}

/// Where a row of the ledger stands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum State {
    /// Triaged, with a drafted reply.
    Triaged(Label, String),
    /// Minted and not triaged yet.
    New,
    /// Edited: a later row stands for it.
    Superseded(u32),
    /// Gone from a complete fetch.
    Withdrawn,
    /// A reviewer's placeholder, and its run is not known to be over.
    Pending,
    /// The reviewer's run ended otherwise.
    Failed(String),
    /// An item of the selected prior review.
    Represented(u32),
}

impl State {
    /// Whether a reply may be posted for it: only what was triaged has one.
    #[must_use]
    pub fn reply(&self) -> Option<&str> {
        match self {
            Self::Triaged(_, reply) => Some(reply),
            _ => None,
        }
    }

    /// The state as the ledger writes it.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Triaged(Label::AlreadyAddressed, _) => "already-addressed".into(),
            Self::Triaged(Label::Reasonable, _) => "reasonable".into(),
            Self::Triaged(Label::JudgmentCall, _) => "judgment-call".into(),
            Self::New => "new".into(),
            Self::Superseded(by) => format!("superseded by C{by}"),
            Self::Withdrawn => "withdrawn".into(),
            Self::Pending => "pending".into(),
            Self::Failed(conclusion) => format!("reviewer failed ({conclusion})"),
            Self::Represented(item) => format!("represented by R{item}"),
        }
    }

    /// Whether it holds a merge back.
    #[must_use]
    pub fn withholds(&self) -> bool {
        matches!(self, Self::Pending | Self::New)
    }
}

/// A row: the comment and the time it was minted against.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The number after `C`.
    pub number: u32,
    /// The comment's id on the forge.
    pub comment: u64,
    /// Its `updated_at` when the row was minted.
    pub updated_at: String,
    /// Where it stands.
    pub state: State,
}

/// A comment as it was fetched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fetched {
    /// Its id.
    pub comment: u64,
    /// Its `updated_at`.
    pub updated_at: String,
    /// Whether this run posted it.
    pub ours: bool,
    /// What a placeholder says, when it is one.
    pub placeholder: Option<Placeholder>,
}

/// The working banner of a reviewer's bot. Only the account's kind makes it one: text is
/// forgeable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placeholder {
    /// How its run ended; known and `None` while it goes on.
    pub run: Known<Option<Run>>,
    /// Whether the one deadline of waiting is over.
    pub waited: bool,
}

/// How a reviewer's run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Run {
    /// It succeeded, and the banner still stands.
    Success,
    /// Another conclusion.
    Other(String),
}

/// Whether a comment is a placeholder: of a bot account, and its first line opens with a banner.
#[must_use]
pub fn is_placeholder(bot: bool, body: &str, banners: &[&str]) -> bool {
    let first = body.lines().next().unwrap_or_default();
    bot && banners.iter().any(|banner| first.starts_with(banner))
}

fn of_placeholder(placeholder: &Placeholder) -> State {
    match &placeholder.run {
        Known::Is(Some(Run::Other(conclusion))) => State::Failed(conclusion.clone()),
        Known::Is(Some(Run::Success)) if placeholder.waited => {
            State::Failed("stale placeholder".into())
        }
        _ => State::Pending,
    }
}

/// The ledger after a fetch, and whether a merge is held back by it.
#[must_use]
pub fn diff(rows: &[Row], fetched: &[Fetched], complete: bool) -> (Vec<Row>, bool) {
    let mut out: Vec<Row> = rows.to_vec();
    let mut next = rows.iter().map(|row| row.number).max().unwrap_or(0);
    let mut live: BTreeMap<u64, usize> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        if !matches!(row.state, State::Superseded(_)) {
            live.insert(row.comment, at);
        }
    }
    let mut seen = BTreeSet::new();
    for comment in fetched {
        seen.insert(comment.comment);
        let known = live.get(&comment.comment).copied();
        let same = known
            .and_then(|at| rows.get(at))
            .is_some_and(|row| row.updated_at == comment.updated_at);
        let pending = comment.placeholder.as_ref().map(of_placeholder);
        match (known, same) {
            (Some(at), true) => {
                if let (Some(state), Some(row)) = (pending, out.get_mut(at)) {
                    row.state = state;
                }
            }
            (None, _) if comment.ours => {}
            (known, _) => {
                next += 1;
                if let Some(row) = known.and_then(|at| out.get_mut(at)) {
                    row.state = State::Superseded(next);
                }
                out.push(Row {
                    number: next,
                    comment: comment.comment,
                    updated_at: comment.updated_at.clone(),
                    state: pending.unwrap_or(State::New),
                });
            }
        }
    }
    if complete {
        for (comment, at) in &live {
            if !seen.contains(comment)
                && let Some(row) = out.get_mut(*at)
            {
                row.state = State::Withdrawn;
            }
        }
    }
    let withheld = !complete || out.iter().any(|row| row.state.withholds());
    (out, withheld)
}
