//! The kinds of notes: what each asks for, and what a typed answer to a thread names.

use crate::gate::decide::Answer;
use crate::model::id::RepoPath;

use super::super::state::{NoteKind, State};

impl NoteKind {
    /// The fields it asks for, by their titles.
    #[must_use]
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            Self::KickBack => &["your words for the agent"],
            Self::Abandon => &[
                "why it is impossible",
                "who takes it over (ticket, person, date)",
            ],
            Self::AcceptPartial => &["why a partial delivery is accepted"],
            Self::Lift => &["your words for the agent: it is owed again"],
            Self::AcceptEdit => &["why the edit is right"],
            Self::RatifyUnseen => &["why unseen"],
            Self::NotApplicable => &["why it does not apply"],
            Self::Override => &["why it passes against the evidence"],
            Self::ScopeDecline => &["your words for the agent: it is to be removed"],
            Self::ScopeTicket => &["which ticket, and what it says"],
            Self::ScopeEscalate => &["the question, and who can answer it"],
            Self::ChainClosed => &["the line that shows it: FILE:LINE"],
            Self::ChainAccepted => &["why it stays open"],
            Self::Addressed => &["what answers it: a commit, or FILE:LINE at the head"],
            Self::NotActionable => &["why nothing is to be done about it"],
            Self::ThreadTicket => &["which ticket, and what it says"],
            Self::Tag => &["the tag: verifiable, consider or nofollow"],
            Self::WaiverHolds => &["why the waiver holds"],
            Self::WaiverRefused => &["why it does not hold"],
            Self::Reply => &["your words to this gate"],
            Self::Rationale => &["what you looked at, and what it shows"],
        }
    }

    /// The word of its draft, and of its title.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::KickBack => "kick back",
            Self::Abandon => "abandon",
            Self::AcceptPartial => "accept partial delivery",
            Self::Lift => "lift the abandonment",
            Self::AcceptEdit => "accept the edit",
            Self::RatifyUnseen => "ratify unseen",
            Self::NotApplicable => "does not apply",
            Self::Override => "override",
            Self::ScopeDecline => "decline",
            Self::ScopeTicket => "ticket",
            Self::ScopeEscalate => "escalate",
            Self::ChainClosed => "mark closed",
            Self::ChainAccepted => "leave open",
            Self::Addressed => "mark as addressed",
            Self::NotActionable => "not actionable",
            Self::ThreadTicket => "ticket the thread",
            Self::Tag => "tag",
            Self::WaiverHolds => "accept the waiver",
            Self::WaiverRefused => "refuse the waiver",
            Self::Reply => "in your words",
            Self::Rationale => "own words as evidence",
        }
    }
}

/// A commit of the change by its digits, or a place at head.
pub(super) fn answered_by(state: &State, text: &str) -> Result<Answer, String> {
    let text = text.trim();
    let hex = text.len() >= 7 && text.chars().all(|c| c.is_ascii_hexdigit());
    if hex {
        let commits = state.dossier().and_then(|dossier| dossier.commits.known());
        let lower = text.to_ascii_lowercase();
        let found = commits.into_iter().flatten();
        let mut found = found.filter(|commit| commit.oid.to_string().starts_with(&lower));
        return match (found.next(), found.next()) {
            (Some(commit), None) => Ok(Answer::Addressed {
                commit: Some(commit.oid),
                at: None,
            }),
            (Some(_), Some(_)) => Err("Closed: several commits begin so. Type more digits.".into()),
            (None, _) => Err("Closed: no commit of this change begins so.".into()),
        };
    }
    let place = text.rsplit_once(':').and_then(|(path, line)| {
        let line: u32 = line.parse().ok().filter(|line| *line > 0)?;
        Some((RepoPath::from(path), line))
    });
    match place {
        Some(at) => Ok(Answer::Addressed {
            commit: None,
            at: Some(at),
        }),
        None => Err("Closed: name a commit of this change, or FILE:LINE at the head.".into()),
    }
}
