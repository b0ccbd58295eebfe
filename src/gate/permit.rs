//! What may be done to an item now, and the reason where not. Menus, keys and refusals are all
//! drawn from these; nothing else decides what is offered.

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
}

impl Verb {
    /// All verbs, in the order menus list them.
    pub const ALL: [Self; 7] = [
        Self::Affirm,
        Self::SendBack,
        Self::SetAside,
        Self::Escalate,
        Self::NotApplicable,
        Self::Override,
        Self::Run,
    ];
}

/// Whether a verb may be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Permit {
    /// It may; the words say what it does here (`ratify`, `accept partial delivery`).
    Open(&'static str),
    /// Only after the deciding evidence was on screen.
    Locked(&'static str),
    /// A rule forbids it: the words for the screen (ours, already complete), and the rule's code.
    Closed {
        /// What it would do.
        does: &'static str,
        /// Why not, beginning in lower case (`2 is failing`).
        why: String,
        /// The rule.
        rule: &'static str,
    },
    /// Makes no sense for this kind of item; not listed.
    Absent,
}

/// The permits of one item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Permits {
    /// Of what.
    pub subject: Subject,
    /// One for each of [`Verb::ALL`].
    pub verbs: [Permit; 7],
}

impl Permits {
    /// The permit of one verb.
    #[must_use]
    pub fn of(&self, verb: Verb) -> &Permit {
        match verb {
            Verb::Affirm => &self.verbs[0],
            Verb::SendBack => &self.verbs[1],
            Verb::SetAside => &self.verbs[2],
            Verb::Escalate => &self.verbs[3],
            Verb::NotApplicable => &self.verbs[4],
            Verb::Override => &self.verbs[5],
            Verb::Run => &self.verbs[6],
        }
    }
}
