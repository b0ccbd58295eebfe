//! Verdicts, causes and the people who give them.

use super::id::{Digest, RepoPath};

/// The verdict of the verify gate, and the words that are never printed as one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// Everything that the rules ask for is there.
    Approved,
    /// An undecided item could still change it.
    Undecided,
    /// Back to the agent.
    Reroll,
    /// Up to a person with the authority.
    Escalate,
    /// Something moved since it was looked at.
    Stale,
    /// The gate could not be measured.
    CouldNotMeasure,
}

impl Verdict {
    /// The token as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Approved => "APPROVED",
            Self::Undecided => "undecided",
            Self::Reroll => "REROLL",
            Self::Escalate => "ESCALATE",
            Self::Stale => "stale",
            Self::CouldNotMeasure => "could not measure",
        }
    }
}

/// Why something goes back (product.md, the decisions).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Cause {
    /// The change does not do it.
    Implementation,
    /// The oracle proves nothing, or nothing shows it.
    Evidence,
    /// The contract is wrong: goes to ESCALATE, no further agent round.
    Criterion,
    /// The person asks.
    Question,
}

impl Cause {
    /// All causes in the order of the note's digits.
    pub const ALL: [Self; 4] = [
        Self::Implementation,
        Self::Evidence,
        Self::Criterion,
        Self::Question,
    ];

    /// The word as recorded.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Implementation => "implementation",
            Self::Evidence => "evidence",
            Self::Criterion => "criterion",
            Self::Question => "question",
        }
    }

    /// The cause with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.word() == word)
    }
}

/// Root cause classes of the verify gate, assigned when the verdict is not APPROVED.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RootCause {
    /// The agent did it wrong or did not show it.
    AgentError,
    /// The contract was derived wrongly.
    ExtractorError,
    /// The original material was wrong before.
    OriginalError,
    /// An input was missing or unreadable.
    MissingData,
    /// Anything else; the rationale says what.
    Other,
}

impl RootCause {
    /// All classes in the source's order.
    pub const ALL: [Self; 5] = [
        Self::AgentError,
        Self::ExtractorError,
        Self::OriginalError,
        Self::MissingData,
        Self::Other,
    ];

    /// The class as printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::AgentError => "Agent Error",
            Self::ExtractorError => "Extractor Error",
            Self::OriginalError => "Original Error",
            Self::MissingData => "Missing Data",
            Self::Other => "Other",
        }
    }
}

/// How much a name is worth (choices.md, Assurance).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Assurance {
    /// L0: a name in a line.
    Claimed,
    /// L1: this tool, this terminal, two steps.
    Present,
    /// L2: an SSH signature by a listed key.
    Signed,
    /// L3: a touch on a hardware key.
    Touched,
}

impl Assurance {
    /// `L0` to `L3`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Claimed => "L0",
            Self::Present => "L1",
            Self::Signed => "L2",
            Self::Touched => "L3",
        }
    }
}

/// A file as the confirmed edits of a ruling leave it, byte for byte (rulings K05).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileEdit {
    /// The file.
    pub path: RepoPath,
    /// SHA-256 of its bytes with all of them.
    pub after: Digest,
}

/// The person at the terminal. Built only from our config, the user's git config or the account
/// (rulings A11); `agent` is reserved and refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Principal {
    name: String,
    /// Where the name was found.
    pub found_in: NameSource,
    /// What the name is worth.
    pub assurance: Assurance,
    /// The key that seals what they record, when a list of signers holds it.
    pub key: Option<SigningKey>,
}

/// A key that seals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SigningKey {
    /// Its fingerprint, as `ssh-keygen -l` prints it.
    pub fingerprint: String,
    /// What a seal by it is worth: L2, or L3 for a key in hardware that was touched.
    pub reach: Assurance,
}

impl SigningKey {
    /// A few characters of the fingerprint, for the header.
    #[must_use]
    pub fn short(&self) -> &str {
        let digits = self.fingerprint.strip_prefix("SHA256:");
        digits.and_then(|digits| digits.get(..6)).unwrap_or("?")
    }
}

/// Where the person's name was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameSource {
    /// countersign's own config.
    Config,
    /// The user's global git config.
    GitConfig,
    /// The account of the operating system.
    Account,
}

impl NameSource {
    /// Where that is, in words.
    #[must_use]
    pub fn place(self) -> &'static str {
        match self {
            Self::Config => "countersign's config",
            Self::GitConfig => "the global git config",
            Self::Account => "the account",
        }
    }
}

impl Principal {
    /// The person, or `None` when the name is blank, reserved, over 128 bytes or holds a hidden
    /// character.
    #[must_use]
    pub fn new(name: &str, found_in: NameSource, assurance: Assurance) -> Option<Self> {
        let name = name.trim();
        let fits = !name.is_empty() && name.len() <= 128;
        let plain = !name.chars().any(super::text::is_hidden);
        let reserved = ["agent", "tool", "countersign"]
            .iter()
            .any(|word| name.eq_ignore_ascii_case(word));
        (fits && plain && !reserved).then(|| Self {
            name: name.to_owned(),
            found_in,
            assurance,
            key: None,
        })
    }

    /// What a ruling of theirs can come to: with its seal, when there is a key.
    #[must_use]
    pub fn reach(&self) -> Assurance {
        let key = self.key.as_ref().map(|key| key.reach);
        key.map_or(self.assurance, |reach| reach.max(self.assurance))
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_and_hidden_names_are_refused() {
        let named = |name| Principal::new(name, NameSource::Config, Assurance::Present);
        for bad in ["", "  ", "agent", "Agent", " AGENT ", "a\u{202e}b", "a\nb"] {
            assert_eq!(named(bad), None, "{bad:?}");
        }
        assert_eq!(
            named(" Ada Osei ").map(|p| p.name().to_owned()),
            Some("Ada Osei".into())
        );
    }
}
