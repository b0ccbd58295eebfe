//! Markers and rulings of one change as a timeline: which round, which verdict, of which head, who
//! said it, and what is in force here (verify-gate 1.6). No clock is read: the order is that of
//! the rounds, and where that is the same, that of the threads and of the ledger.

use crate::gate::decide::Ruling;
use crate::gate::dossier::Recorded;
use crate::model::id::Oid;
use crate::model::ruling::Verdict;
use crate::model::text::Foreign;
use crate::model::thread::Channel;

use super::markers::{Marker, Reading, rounds};

/// Where a moment comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// A marker in a comment of this channel.
    Comment(Channel),
    /// A ruling in the ledger, by its number in the log.
    Ledger(u64),
}

/// Which head a moment speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// The head under review.
    Here,
    /// Another one.
    Other(Oid),
    /// None is named.
    Unnamed,
}

/// One line of the timeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moment {
    /// Where it comes from.
    pub source: Source,
    /// Who; `None` for an account that is gone.
    pub by: Option<Foreign>,
    /// Round and verdict; why a line that reaches for a marker is none.
    pub says: Result<(u32, Verdict), &'static str>,
    /// Of which head.
    pub at: At,
    /// Whether it counts for the round.
    pub counts: bool,
    /// Whether its words were changed after they were written.
    pub edited: bool,
    /// Whether its verdict is the one in force at this head.
    pub in_force: bool,
}

/// The timeline. What is not understood stands last.
#[must_use]
pub fn timeline(markers: &[Marker], rulings: &[Recorded<Ruling>], head: Oid) -> Vec<Moment> {
    let at = |tip: Option<Oid>| match tip {
        Some(tip) if tip == head => At::Here,
        Some(tip) => At::Other(tip),
        None => At::Unnamed,
    };
    let strictest = rounds(markers, 0, Some(head)).at_head;
    let said = markers.iter().map(|marker| {
        let (says, at) = match &marker.reading {
            Reading::Marker {
                round,
                verdict,
                tip,
                ..
            } => (Ok((*round, *verdict)), at(*tip)),
            Reading::Malformed(why) => (Err(*why), At::Unnamed),
        };
        let holds = says.is_ok_and(|(_, verdict)| Some(verdict) == strictest);
        Moment {
            source: Source::Comment(marker.channel),
            by: marker.author.clone(),
            says,
            at,
            counts: marker.counts && says.is_ok(),
            edited: marker.edited,
            in_force: marker.counts && at == At::Here && holds,
        }
    });
    let ruled = rulings.iter().map(|ruling| {
        let value = &ruling.value;
        let counts = !value.floor_bounce()
            && matches!(
                value.verdict(),
                Verdict::Approved | Verdict::Reroll | Verdict::Escalate
            );
        Moment {
            source: Source::Ledger(ruling.number),
            by: Some(Foreign::from(value.by())),
            says: Ok((value.round(), value.verdict())),
            at: at(Some(value.snapshot().head)),
            counts,
            edited: false,
            in_force: false,
        }
    });
    let mut out: Vec<Moment> = said.chain(ruled).collect();
    out.sort_by_key(|moment| moment.says.map_or(u32::MAX, |(round, _)| round));
    out
}
