//! What a person said of a check or a criterion, as it is typed and as it is stored.

/// What a person says of a failing check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CheckSays {
    /// It lifts the blocker at the next render.
    Flaky,
    /// It blocks until green.
    Real,
    /// It blocks until a local run is green.
    CiBroken,
}

impl CheckSays {
    /// Every disposition.
    pub const ALL: [Self; 3] = [Self::Flaky, Self::Real, Self::CiBroken];

    /// The word as typed.
    #[must_use]
    pub fn typed(self) -> &'static str {
        match self {
            Self::Flaky => "flaky",
            Self::Real => "real",
            Self::CiBroken => "ci-broken",
        }
    }

    /// The word as stored.
    #[must_use]
    pub fn stored(self) -> &'static str {
        match self {
            Self::Flaky => "flaky",
            Self::Real => "real",
            Self::CiBroken => "ci-infrastructure-broken",
        }
    }
}

/// Reads `check <name> flaky|real|ci-broken`; the name may hold blanks.
#[must_use]
pub fn check(text: &str) -> Option<(&str, CheckSays)> {
    let (name, word) = text.trim().strip_prefix("check ")?.rsplit_once(' ')?;
    let says = CheckSays::ALL
        .into_iter()
        .find(|says| says.typed() == word)?;
    let name = name.trim();
    (!name.is_empty()).then_some((name, says))
}

/// What the contract says of one of its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowSays {
    /// Required as written.
    InScope,
    /// Intentionally different; why.
    Deviates(String),
    /// Elsewhere, later; where.
    Deferred(String),
    /// Observable only in an environment.
    Venue(String),
    /// A row of another repository.
    Elsewhere(String),
}

impl RowSays {
    /// Reads a disposition token with what follows it.
    ///
    /// # Errors
    /// Why it is none, or why it counts as a gap.
    pub fn read(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        if text == "in-scope" {
            return Ok(Self::InScope);
        }
        let (word, rest) = text
            .split_once(':')
            .ok_or("it is none of in-scope, deviates, deferred, venue, elsewhere")?;
        let rest = rest.trim();
        match word {
            "deviates" if rest.is_empty() => Err("deviates says no why"),
            "deviates" => Ok(Self::Deviates(rest.to_owned())),
            "deferred" if !is_reference(rest) => {
                Err("deferred names no issue, ticket, spec or address")
            }
            "deferred" => Ok(Self::Deferred(rest.to_owned())),
            "venue" => match rest.split_once(" - ") {
                Some((place, seen)) if !place.trim().is_empty() && !seen.trim().is_empty() => {
                    if place.trim().eq_ignore_ascii_case("production") {
                        Err("venue is never production")
                    } else {
                        Ok(Self::Venue(rest.to_owned()))
                    }
                }
                _ => Err("venue names no environment and observation"),
            },
            "elsewhere" if rest.is_empty() => Err("elsewhere names no repository"),
            "elsewhere" => Ok(Self::Elsewhere(rest.to_owned())),
            _ => Err("it is none of in-scope, deviates, deferred, venue, elsewhere"),
        }
    }
}

/// Whether a text names a place where something deferred is kept: `#N`, `owner/repo#N`,
/// `ABC-123`, a spec path or an address.
#[must_use]
pub fn is_reference(text: &str) -> bool {
    let trimmed = |word: &str| {
        word.trim_matches(['(', ')', '[', ']', '<', '>', '`', ',', ';', '.', '"', '\''])
            .to_owned()
    };
    text.split_whitespace().map(trimmed).any(|word| {
        let number = |digits: &str| crate::model::wave::ordinal(digits).is_some();
        if let Some((before, digits)) = word.rsplit_once('#') {
            let plain = before.is_empty()
                || before.split_once('/').is_some_and(|(owner, name)| {
                    !owner.is_empty() && !name.is_empty() && !name.contains('/')
                });
            if plain && number(digits) {
                return true;
            }
        }
        if let Some((key, digits)) = word.split_once('-')
            && key.len() >= 2
            && key
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
            && key.bytes().next().is_some_and(|b| b.is_ascii_uppercase())
            && number(digits)
        {
            return true;
        }
        let address = ["https://", "http://"]
            .into_iter()
            .find_map(|s| word.strip_prefix(s));
        if address.is_some_and(|rest| rest.contains('.') && !rest.starts_with('.')) {
            return true;
        }
        word.contains('/') && word.ends_with(".md") && !word.contains("://")
    })
}
