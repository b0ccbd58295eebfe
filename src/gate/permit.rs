//! What may be done to an item now, and the reason where not. Menus, keys and refusals are all
//! drawn from these; nothing else decides what is offered.

use std::sync::Arc;

use super::dossier::Subject;

/// A verb of a person.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verb {
    /// `r`: affirm (ratify; judge as at base; accept partial delivery; accept as `[gated]`).
    Affirm,
    /// `b`: send back (kick back; decline a file; lift an abandonment).
    SendBack,
    /// `a`: set aside with a reason (abandon; accept a contract edit; ticket a file).
    SetAside,
    /// `Space`: escalate.
    Escalate,
    /// `Space`: does not apply.
    NotApplicable,
    /// `Space`: let it pass against the evidence.
    Override,
    /// `x`: run its oracle.
    Run,
    /// `Space`: give a minor the tag that it lacks.
    Tag,
}

impl Verb {
    /// All verbs, in the order menus list them.
    pub const ALL: [Self; 8] = [
        Self::Affirm,
        Self::SendBack,
        Self::SetAside,
        Self::Escalate,
        Self::NotApplicable,
        Self::Override,
        Self::Run,
        Self::Tag,
    ];

    /// Its place in [`Verb::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        match self {
            Self::Affirm => 0,
            Self::SendBack => 1,
            Self::SetAside => 2,
            Self::Escalate => 3,
            Self::NotApplicable => 4,
            Self::Override => 5,
            Self::Run => 6,
            Self::Tag => 7,
        }
    }
}

/// Whether a verb may be used, as far as the facts tell. The rules don't know what was on the
/// screen: who does, asks [`Permit::now`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Permit {
    /// It may; the words say what it does here (`abandon`, `decline`).
    Open(&'static str),
    /// It may, once the deciding evidence was on screen; the words say what it does here
    /// (`ratify`, `judge as at base`).
    Locked(&'static str),
    /// A rule forbids it.
    Closed {
        /// What it would do.
        does: &'static str,
        /// Why not, shared by everything that is closed for the same reason.
        because: Arc<Closure>,
    },
    /// Makes no sense for this kind of item; not listed.
    Absent,
}

impl Permit {
    /// The permit now that the screen is known: what is locked is open once it was `seen`.
    #[must_use]
    pub fn now(&self, seen: bool) -> Self {
        match self {
            Self::Locked(does) if seen => Self::Open(does),
            Self::Open(_) | Self::Locked(_) | Self::Closed { .. } | Self::Absent => self.clone(),
        }
    }

    /// What the verb does here; `None` when it makes no sense.
    #[must_use]
    pub fn does(&self) -> Option<&'static str> {
        match self {
            Self::Open(does) | Self::Locked(does) | Self::Closed { does, .. } => Some(does),
            Self::Absent => None,
        }
    }

    /// The refusal of a closed verb, whole (`Closed: 2 is failing. b sends it back.`).
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        match self {
            Self::Closed { because, .. } if because.way.is_empty() => {
                Some(format!("Closed: {}.", because.why))
            }
            Self::Closed { because, .. } => {
                Some(format!("Closed: {}. {}", because.why, because.way))
            }
            Self::Open(_) | Self::Locked(_) | Self::Absent => None,
        }
    }
}

/// Why a rule forbids something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Closure {
    /// Why, beginning in lower case, no final stop.
    pub why: String,
    /// The way on, a whole sentence; empty when there is none.
    pub way: String,
    /// The rule.
    pub rule: &'static str,
}

impl Closure {
    /// A closure from its parts.
    #[must_use]
    pub fn new(rule: &'static str, why: impl Into<String>, way: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            way: way.into(),
            rule,
        }
    }

    /// As the permit of a verb that would do `does`.
    #[must_use]
    pub fn of(self, does: &'static str) -> Permit {
        Permit::Closed {
            does,
            because: Arc::new(self),
        }
    }
}

/// The permits of one item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Permits {
    /// Of what.
    pub subject: Subject,
    /// One for each of [`Verb::ALL`].
    pub verbs: [Permit; 8],
}

impl Permits {
    /// Nothing makes sense for this subject yet.
    #[must_use]
    pub fn absent(subject: Subject) -> Self {
        Self {
            subject,
            verbs: [const { Permit::Absent }; 8],
        }
    }

    /// The same with one verb set.
    #[must_use]
    pub fn with(mut self, verb: Verb, permit: Permit) -> Self {
        self.verbs[verb.index()] = permit;
        self
    }

    /// The same with everything that decides closed; what makes no sense stays absent.
    #[must_use]
    pub fn closed_by(mut self, closure: &Arc<Closure>) -> Self {
        self.close(closure, None);
        self
    }

    /// Closes everything that decides, for one reason, but for one verb.
    pub fn close(&mut self, closure: &Arc<Closure>, but: Option<Verb>) {
        for verb in Verb::ALL.into_iter().filter(|verb| Some(*verb) != but) {
            let permit = &mut self.verbs[verb.index()];
            if let Some(does) = permit.does() {
                *permit = Permit::Closed {
                    does,
                    because: Arc::clone(closure),
                };
            }
        }
    }

    /// The permit of one verb.
    #[must_use]
    pub fn of(&self, verb: Verb) -> &Permit {
        &self.verbs[verb.index()]
    }
}
