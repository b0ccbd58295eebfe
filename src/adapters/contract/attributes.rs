//! The attribute lines of gates: `CHECK:`, `EXPECT:`, `EVIDENCE:`, and what only looks like one
//! (G6). A look-alike is never dropped in silence.

use super::lines::{Line, list_marker};

/// An attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Key {
    /// The command.
    Check,
    /// The marker.
    Expect,
    /// The slot.
    Evidence,
}

impl Key {
    /// As written.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Check => "CHECK",
            Self::Expect => "EXPECT",
            Self::Evidence => "EVIDENCE",
        }
    }

    const ALL: [Self; 3] = [Self::Check, Self::Expect, Self::Evidence];
}

/// What a line is as an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Looks {
    /// Blanks, the key, a colon; the value starts at this byte of the line.
    Attribute(Key, usize),
    /// The same without blanks before it: an error in every case.
    Unindented(Key),
    /// It looks like one, for this reason.
    Near(Key, &'static str),
}

/// Reads a line as an attribute.
pub(super) fn looks(line: &Line<'_>) -> Option<Looks> {
    let lead = line.lead();
    let body = line.raw.get(lead..).unwrap_or_default();
    for key in Key::ALL {
        if let Some(rest) = body.strip_prefix(key.word().as_bytes())
            && rest.first() == Some(&b':')
        {
            return Some(if lead == 0 {
                Looks::Unindented(key)
            } else {
                Looks::Attribute(key, lead + key.word().len() + 1)
            });
        }
    }
    near(&line.text)
}

fn near(text: &str) -> Option<Looks> {
    let blank = |c: char| c.is_whitespace() || crate::model::text::is_hidden(c);
    let plain = text.trim_start_matches([' ', '\t']);
    let body = plain.trim_start_matches(blank);
    let odd_blank = plain.len() != body.len();
    let marker = list_marker(body.as_bytes()).unwrap_or(0);
    let body = body.get(marker..)?.trim_start_matches(blank);
    let body = body.trim_start_matches(['*', '_', '`']);
    let length = body.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, rest) = body.split_at_checked(length)?;
    let after = rest.trim_start_matches(['*', '_', '`']);
    let spaced = after.trim_start_matches(blank);
    let colon = spaced.chars().next()?;
    if !matches!(
        colon,
        ':' | '\u{ff1a}' | '\u{fe55}' | '\u{2236}' | '\u{a789}'
    ) {
        return None;
    }
    let key = Key::ALL
        .into_iter()
        .find(|key| word.eq_ignore_ascii_case(key.word()))
        .or_else(|| misspelt(word))?;
    let why = if misspelt(word).is_some() {
        "the key is misspelt"
    } else if word != key.word() {
        "the key is not in capitals"
    } else if colon != ':' {
        "the colon is not the ASCII one"
    } else if spaced.len() != after.len() {
        "a blank stands before the colon"
    } else if odd_blank {
        "the blanks before it are not ASCII ones"
    } else {
        "it is styled or a list item"
    };
    Some(Looks::Near(key, why))
}

/// A word in capitals that is one letter off a key, or a longer form of it.
fn misspelt(word: &str) -> Option<Key> {
    if word.len() < 4 || !word.bytes().all(|b| b.is_ascii_uppercase()) {
        return None;
    }
    Key::ALL.into_iter().find(|key| {
        let right = key.word();
        word != right
            && (one_off(word, right)
                || ["S", "ED"]
                    .iter()
                    .any(|tail| word.strip_suffix(tail) == Some(right)))
    })
}

/// Whether one letter is missing, too many, wrong, or swapped with its neighbor.
fn one_off(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let tail = |at: usize, bt: usize| a.get(at..).unwrap_or(b"") == b.get(bt..).unwrap_or(b"");
    tail(same + 1, same)
        || tail(same, same + 1)
        || tail(same + 1, same + 1)
        || (a.get(same) == b.get(same + 1)
            && a.get(same + 1) == b.get(same)
            && tail(same + 2, same + 2))
}
