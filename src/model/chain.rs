//! Chains of skills: who hands work to whom, and whether the answer comes back.
//!
//! The words are those of the return-path gate; a name and a quoted text come from the files and
//! are therefore [`Foreign`].

use super::id::RepoPath;
use super::text::{Foreign, Place};

/// How strongly a skill says that it dispatches another one, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Strength {
    /// A cross-reference or an offer: listed, never counted (rulings A14).
    Advisory,
    /// A dispatch under a condition, or a bare arrow.
    Conditional,
    /// A dispatch that the words demand.
    Mandatory,
}

impl Strength {
    /// The word of records and JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Advisory => "advisory",
            Self::Conditional => "conditional",
            Self::Mandatory => "mandatory",
        }
    }
}

/// Whether the callee's verdict folds back into the caller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    /// The caller waits, the callee answers, no condition is dropped.
    Closed,
    /// Anything else.
    Open,
}

impl Status {
    /// The source's word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Closed => "CLOSED",
            Self::Open => "OPEN",
        }
    }
}

/// How much an open chain weighs: the higher of the caller's and the callee's tier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Utility or advisory.
    Low,
    /// Diagnostic, or the callee can answer with conditions.
    Medium,
    /// Core pipeline, or the callee can answer FAIL or ESCALATE.
    High,
}

impl Severity {
    /// The source's word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "LOW",
            Self::Medium => "MEDIUM",
            Self::High => "HIGH",
        }
    }

    /// Reads the word, in any case.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Low, Self::Medium, Self::High]
            .into_iter()
            .find(|severity| severity.word().eq_ignore_ascii_case(word))
    }
}

/// What a target is that is no skill of the tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NoSkill {
    /// Nobody carries this name.
    Phantom,
    /// An agent of the tree.
    Agent,
    /// A command of the host.
    BuiltIn,
    /// A word for a shelf of skills.
    Registry,
    /// Its file was deleted or renamed away in the working tree (rulings H16).
    Deleted,
}

impl NoSkill {
    /// The word of records and JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Phantom => "phantom",
            Self::Agent => "agent",
            Self::BuiltIn => "built-in command",
            Self::Registry => "registry term",
            Self::Deleted => "deleted",
        }
    }
}

/// Why a chain is OPEN; every reason that holds is listed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Basis {
    /// The caller's Done When does not wait.
    AMissing,
    /// It waits, and for whom is not said.
    AUnbound,
    /// It says that it does not wait.
    ANegated,
    /// The callee's Done When gives no verdict line.
    BMissing,
    /// It gives one that is too short for the profile.
    BPartial,
    /// Conditions of a CONDITIONAL_PASS can be dropped.
    CpGap,
    /// The text declares the gap as intended.
    DeclaredOpen,
    /// The callee is not there.
    UnresolvedTarget,
}

impl Basis {
    /// The code of records and JSON.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::AMissing => "A-missing",
            Self::AUnbound => "A-unbound",
            Self::ANegated => "A-negated",
            Self::BMissing => "B-missing",
            Self::BPartial => "B-partial",
            Self::CpGap => "CP-gap",
            Self::DeclaredOpen => "declared-open",
            Self::UnresolvedTarget => "unresolved-target",
        }
    }
}

/// A badge: something a reader should know, which changes no status.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Flag {
    /// The dispatch has the closed form.
    ClosedForm,
    /// It has the form, and Done When does not wait.
    ClosedFormNoWait,
    /// The source's flag for the riskiest open pattern.
    ConditionalPassGap,
    /// The callee says itself that it answers this caller.
    ConfirmedByCallee,
    /// The profile names the pair as ground truth.
    DeclaredGroundTruth,
    /// The gap is declared as intended.
    DeclaredOpen,
    /// The callee's verdict has words beside the four.
    ExtendedEnum,
    /// The callee's verdict has other words.
    ForeignEnum,
    /// A table maps results of the callee to verdicts.
    MappingTable,
    /// Done When says it in words that are not on the list.
    NearSignal,
    /// A wait stands outside Done When.
    SignalOutside,
    /// A verdict line of the callee stands outside its Done When.
    VerdictOutside,
}

impl Flag {
    /// All, in the order they are printed.
    pub const ALL: [Self; 12] = [
        Self::ClosedForm,
        Self::ClosedFormNoWait,
        Self::ConditionalPassGap,
        Self::ConfirmedByCallee,
        Self::DeclaredGroundTruth,
        Self::DeclaredOpen,
        Self::ExtendedEnum,
        Self::ForeignEnum,
        Self::MappingTable,
        Self::NearSignal,
        Self::SignalOutside,
        Self::VerdictOutside,
    ];

    /// The code of records and JSON.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::ClosedForm => "closed-form",
            Self::ClosedFormNoWait => "closed-form-no-wait",
            Self::ConditionalPassGap => "conditional-pass-gap",
            Self::ConfirmedByCallee => "confirmed-by-callee",
            Self::DeclaredGroundTruth => "declared-ground-truth",
            Self::DeclaredOpen => "declared-open",
            Self::ExtendedEnum => "extended-enum",
            Self::ForeignEnum => "foreign-enum",
            Self::MappingTable => "mapping-table",
            Self::NearSignal => "near-signal",
            Self::SignalOutside => "signal-outside",
            Self::VerdictOutside => "verdict-outside",
        }
    }

    /// The words a person reads.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::ClosedForm => "closed form",
            Self::ClosedFormNoWait => "closed-form, no wait",
            Self::ConditionalPassGap => "CONDITIONAL_PASS gap",
            Self::ConfirmedByCallee => "said by the callee",
            Self::DeclaredGroundTruth => "declared ground truth",
            Self::DeclaredOpen => "declared-open",
            Self::ExtendedEnum => "extended enum",
            Self::ForeignEnum => "foreign enum",
            Self::MappingTable => "mapping-table evidence",
            Self::NearSignal => "near-signal",
            Self::SignalOutside => "signal outside Done When",
            Self::VerdictOutside => "verdict outside Done When",
        }
    }

    /// Whether a person should read the texts before a prescription is given (rulings H14).
    #[must_use]
    pub fn read_first(self) -> bool {
        matches!(
            self,
            Self::NearSignal
                | Self::MappingTable
                | Self::ForeignEnum
                | Self::SignalOutside
                | Self::VerdictOutside
        )
    }
}

/// Pass A: what the caller's Done When says about waiting for this callee.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wait {
    /// It waits for this callee.
    Bound,
    /// It waits, and for whom is not said.
    Unbound,
    /// It says that it does not wait.
    Negated,
    /// Nothing.
    None,
}

impl Wait {
    /// The word of JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Bound => "bound",
            Self::Unbound => "unbound",
            Self::Negated => "negated",
            Self::None => "none",
        }
    }
}

/// Pass B: how much of a verdict line the callee's Done When gives, least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// No choice of verdicts.
    None,
    /// A choice of other words.
    Foreign,
    /// PASS and at least one other of the four.
    Partial,
    /// All four.
    Full,
}

impl Level {
    /// The word of JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Foreign => "foreign",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }
}

/// Why a line is part of the evidence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Why {
    /// The dispatch.
    Edge,
    /// The wait, or its denial.
    Wait,
    /// A wait that binds nobody, or in other words.
    NearWait,
    /// A wait outside Done When.
    WaitOutside,
    /// A table of results.
    Mapping,
    /// The callee's verdict line.
    Verdict,
    /// A verdict line outside the callee's Done When.
    VerdictOutside,
    /// Where the callee names this caller.
    SaidByCallee,
}

impl Why {
    /// The word of JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Edge => "dispatch",
            Self::Wait => "pass A",
            Self::NearWait => "near pass A",
            Self::WaitOutside => "pass A outside Done When",
            Self::Mapping => "mapping table",
            Self::Verdict => "pass B",
            Self::VerdictOutside => "pass B outside Done When",
            Self::SaidByCallee => "said by the callee",
        }
    }
}

/// A line that the result rests on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Span {
    /// Whether it is a line of the callee's file.
    pub callee: bool,
    /// 1-based.
    pub line: u32,
    /// What it shows.
    pub why: Why,
}

/// The fields of a closed form: each may be absent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ClosedForm {
    /// When it dispatches.
    pub condition: Option<Foreign>,
    /// Into which step the verdict folds back.
    pub step: Option<Foreign>,
}

/// The other end of a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A skill of the tree: its file.
    Skill(RepoPath),
    /// No skill of the tree.
    Missing(NoSkill),
}

/// The name of a chain: who dispatches whom.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChainId {
    /// Who dispatches.
    pub caller: Foreign,
    /// Who is dispatched.
    pub callee: Foreign,
}

impl ChainId {
    /// The name as people read it.
    #[must_use]
    pub fn shown(&self) -> String {
        let [caller, callee] = [&self.caller, &self.callee].map(|name| name.shown(Place::Strict));
        format!("{caller} → {callee}")
    }
}

/// An ordered pair of skills.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    /// Who dispatches.
    pub caller: Foreign,
    /// The caller's file.
    pub caller_file: RepoPath,
    /// Who is dispatched.
    pub callee: Foreign,
    /// Where it is.
    pub callee_at: Callee,
    /// How strongly.
    pub strength: Strength,
    /// Whether the answer comes back.
    pub status: Status,
    /// The weight it has, or would have, when open.
    pub severity: Severity,
    /// Why it is open; empty when CLOSED.
    pub basis: Vec<Basis>,
    /// Badges.
    pub flags: Vec<Flag>,
    /// Pass A.
    pub wait: Wait,
    /// The text of Pass A, when there is one.
    pub wait_text: Option<Foreign>,
    /// Pass B.
    pub level: Level,
    /// The text of Pass B, when there is one.
    pub verdict_text: Option<Foreign>,
    /// The closed form, when the dispatch has it.
    pub closed_form: Option<ClosedForm>,
    /// Whether the dispatch is an arrow of a chain section, so that it can be replaced there.
    pub arrow: bool,
    /// Lines of evidence, in file order, the caller's first.
    pub spans: Vec<Span>,
    /// Whether edits of the caller, and of the callee, are proposals only (rulings A19).
    pub proposal_only: [bool; 2],
}

impl Chain {
    /// Its name.
    #[must_use]
    pub fn id(&self) -> ChainId {
        ChainId {
            caller: self.caller.clone(),
            callee: self.callee.clone(),
        }
    }

    /// Whether it may count for the verdict: a dispatch, not a cross-reference (rulings A14).
    #[must_use]
    pub fn dispatches(&self) -> bool {
        self.strength > Strength::Advisory
    }

    /// Whether a person should read the texts before a prescription (rulings H14).
    #[must_use]
    pub fn read_first(&self) -> bool {
        self.status == Status::Open && self.flags.iter().any(|flag| flag.read_first())
    }

    /// Whether a badge is on it.
    #[must_use]
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }

    /// Whether the text itself declares the gap as intended.
    #[must_use]
    pub fn declared_open(&self) -> bool {
        self.basis.contains(&Basis::DeclaredOpen)
    }

    /// The file and the line of a piece of evidence.
    #[must_use]
    pub fn place<'c>(&'c self, span: &Span) -> (&'c RepoPath, u32) {
        match (&self.callee_at, span.callee) {
            (Callee::Skill(file), true) => (file, span.line),
            (Callee::Skill(_) | Callee::Missing(_), _) => (&self.caller_file, span.line),
        }
    }

    /// The lines of one kind, ascending.
    pub fn lines(&self, why: Why) -> impl Iterator<Item = u32> + '_ {
        let of = self.spans.iter().filter(move |span| span.why == why);
        of.map(|span| span.line)
    }
}
