//! A fact that may not have been obtained: "could not look" is never "none".

use std::fmt;

/// A fact, or why there is none. There is no `Default` and no way to read it as empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Known<T> {
    /// It was looked at, and this is what stands there.
    Is(T),
    /// It was looked for and could not be read. Refuses every verdict that needs it.
    Unknown(Reason),
    /// The question does not arise for this change (no PR, so no threads).
    NotApplicable(Reason),
    /// Nobody handed it in, and the rules allow that (a nit, not a breaker).
    NotSupplied,
}

/// Why a fact is missing, in our own words: a lower-case fragment without a final stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason(pub String);

impl Reason {
    /// A reason from a fragment of our own text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<T> Known<T> {
    /// The fact when it is known.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Is(value) => Some(value),
            Self::Unknown(_) | Self::NotApplicable(_) | Self::NotSupplied => None,
        }
    }

    /// Whether it was looked for and could not be read.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }

    /// The same fact, changed by `f` where it is known.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Known<U> {
        match self {
            Self::Is(value) => Known::Is(f(value)),
            Self::Unknown(why) => Known::Unknown(why),
            Self::NotApplicable(why) => Known::NotApplicable(why),
            Self::NotSupplied => Known::NotSupplied,
        }
    }

    /// A borrowed view.
    pub fn as_ref(&self) -> Known<&T> {
        match self {
            Self::Is(value) => Known::Is(value),
            Self::Unknown(why) => Known::Unknown(why.clone()),
            Self::NotApplicable(why) => Known::NotApplicable(why.clone()),
            Self::NotSupplied => Known::NotSupplied,
        }
    }
}
