//! What can be wrong with a ledger: one table of codes, weights and words.

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
    FalseHead,
    IdReused,
    SealElsewhere,
    SealBroken,
    SealNotListed,
    SealUnchecked,
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
            Self::FalseHead => (
                "false-head",
                Tamper,
                "it claims to have read a line that is not the one acknowledged there",
            ),
            Self::IdReused => ("id-reused", Tamper, "the entry's id stands there twice"),
            Self::SealElsewhere => (
                "seal-elsewhere",
                Tamper,
                "the seal is of a line that is not there, or not whole",
            ),
            Self::SealBroken => (
                "seal-broken",
                Tamper,
                "the seal is no signature of this line",
            ),
            Self::SealNotListed => (
                "seal-not-listed",
                Damage,
                "the seal counts for nothing: the list of signers does not take it",
            ),
            Self::SealUnchecked => (
                "seal-unchecked",
                Note,
                "the seal was not checked, and counts for nothing",
            ),
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
