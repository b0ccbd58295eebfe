//! Words of a text for matching: small, without endings, numbers as figures.

use std::collections::BTreeSet;

/// A word as it is compared.
pub(super) type Word = String;

/// Words that say nothing about what a text is about.
const EMPTY: [&str; 64] = [
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "does", "each", "every", "for", "from", "has", "have", "how", "if", "in", "into", "is",
    "it", "its", "must", "no", "not", "of", "on", "only", "or", "out", "shall", "should", "so",
    "still", "such", "than", "that", "the", "their", "them", "then", "there", "they", "this", "to",
    "was", "were", "what", "when", "where", "which", "who", "will", "with", "would", "you", "your",
];

const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

/// The words of a text with the form they stand in; each once.
pub(super) fn stems(text: &str) -> Vec<(Word, String)> {
    let mut out: Vec<(Word, String)> = Vec::new();
    for spelled in split(text) {
        if let Some(word) = stem(&spelled)
            && !out.iter().any(|(known, _)| *known == word)
        {
            out.push((word, spelled));
        }
    }
    out
}

/// The words of a text.
pub(super) fn all(text: &str) -> BTreeSet<Word> {
    split(text).iter().filter_map(|word| stem(word)).collect()
}

/// Whether a text says that something goes away.
pub(super) fn says_gone(text: &str) -> bool {
    let words = all(text);
    ["remov", "delet", "gone", "drop"]
        .iter()
        .any(|word| words.contains(*word))
}

/// Parts of a text: at everything but letters and digits, and where `camelCase` goes up.
fn split(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in text.chars() {
        let rises = before.is_lowercase() && c.is_uppercase();
        let turns = before.is_alphabetic() && c.is_ascii_digit();
        if (rises || turns || !c.is_alphanumeric()) && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.push(c);
        }
        before = c;
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

/// A word without capitals and ending; `None` for one that says nothing.
fn stem(word: &str) -> Option<Word> {
    let small = word.to_lowercase();
    if EMPTY.binary_search(&small.as_str()).is_ok() {
        return None;
    }
    if let Some(number) = NUMBERS.iter().position(|name| *name == small) {
        return Some(number.to_string());
    }
    if small.len() < 2 && !small.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut plain = small.as_str();
    for ending in [
        "ings", "ing", "edly", "ed", "ies", "es", "s", "ly", "er", "est",
    ] {
        if let Some(rest) = plain.strip_suffix(ending)
            && rest.chars().count() > 2
        {
            plain = rest;
            break;
        }
    }
    // `stopping` and `stop`, `live` and `lives`
    let doubled = plain.len() > 3 && {
        let bytes = plain.as_bytes();
        bytes.last() == bytes.get(bytes.len() - 2) && plain.is_ascii()
    };
    if doubled {
        plain = plain.get(..plain.len() - 1).unwrap_or(plain);
    }
    let plain = if plain.chars().count() > 3 {
        plain.strip_suffix('e').unwrap_or(plain)
    } else {
        plain
    };
    Some(plain.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_without_endings_and_dress() {
        for (text, wanted) in [
            ("stopping stops stopped", "stop"),
            ("warnsAboveThreshold", "abov threshold warn"),
            ("two_hours 2", "2 hour"),
            ("The gauge of it", "gaug"),
            ("x", ""),
        ] {
            let found: Vec<_> = all(text).into_iter().collect();
            assert_eq!(found.join(" "), wanted, "{text}");
        }
    }

    #[test]
    fn the_list_of_empty_words_is_sorted() {
        assert!(EMPTY.is_sorted());
    }
}
