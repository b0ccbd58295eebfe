//! Own labels of criteria (`AC7`, `**R14 — title**`, `#3`, `1.2`), and what a heading means.

use crate::model::id::CriterionId;

/// Prefixes that make a label even without punctuation after it.
const PREFIXES: [&str; 8] = ["AC", "FR", "SC", "CHK", "REQ", "DOD", "US", "NFR"];

/// The own label at the start of a criterion's text, and where the text goes on.
pub(super) fn own(text: &str, task: bool) -> Option<(CriterionId, usize)> {
    let bold = text.len() - text.trim_start_matches(['*', '_']).len();
    let rest = text.get(bold..)?;
    if let Some(number) = rest.strip_prefix('#') {
        let digits = leading_digits(number);
        let after = number.get(digits..)?;
        let ends = after.is_empty() || after.starts_with([' ', ':', '.', ')']);
        return (digits > 0 && ends)
            .then(|| CriterionId::new(number.get(..digits)?))
            .flatten()
            .map(|id| (id, skip(text, bold + 1 + digits, bold)));
    }
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    if letters == 0 {
        return dotted(rest, task).map(|(id, at)| (id, skip(text, bold + at, bold)));
    }
    if letters > 6 {
        return None;
    }
    let word = rest.get(..letters)?;
    let known = PREFIXES.iter().any(|p| word.eq_ignore_ascii_case(p))
        || (word == "T" && leading_digits(rest.get(1..)?) >= 3);
    let gap = match rest.as_bytes().get(letters) {
        Some(b'-') => 1,
        Some(b' ') if known => 1,
        _ => 0,
    };
    let number = rest.get(letters + gap..)?;
    let mut digits = leading_digits(number);
    if digits == 0 || digits > 6 || !word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    while let Some(more) = number.get(digits..).and_then(|n| n.strip_prefix('.'))
        && leading_digits(more) > 0
    {
        digits += 1 + leading_digits(more);
    }
    if number
        .as_bytes()
        .get(digits)
        .is_some_and(u8::is_ascii_lowercase)
        && number
            .as_bytes()
            .get(digits + 1)
            .is_none_or(|b| !b.is_ascii_alphanumeric())
    {
        digits += 1;
    }
    let end = letters + gap + digits;
    let after = rest.get(end..)?;
    let closes = after.is_empty()
        || after.starts_with([':', ')', '*'])
        || after.starts_with(". ")
        || [" —", " –", " - ", " ("]
            .iter()
            .any(|dash| after.starts_with(dash));
    let blank = after.starts_with(' ');
    if !(closes || (blank && (known || bold > 0))) {
        return None;
    }
    let dash = if gap == 1 && rest.as_bytes().get(letters) == Some(&b'-') {
        "-"
    } else {
        ""
    };
    let id = CriterionId::new(&format!("{word}{dash}{}", number.get(..digits)?))?;
    Some((id, skip(text, bold + end, bold)))
}

fn leading_digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// `1.2 text`, only in task items: elsewhere it is a number.
fn dotted(rest: &str, task: bool) -> Option<(CriterionId, usize)> {
    let length = rest
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b'.')
        .count();
    let number = rest.get(..length)?.trim_end_matches('.');
    let fits = task
        && number.contains('.')
        && !number.starts_with('.')
        && rest.get(length..)?.starts_with(' ');
    fits.then(|| CriterionId::new(number).map(|id| (id, length)))
        .flatten()
}

/// Where the text starts after a label: punctuation and the closing of its emphasis are skipped.
/// When the emphasis goes on into the text, nothing is taken away.
fn skip(text: &str, at: usize, bold: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let mut after = rest.trim_start_matches([':', '.', ')']);
    if bold > 0 {
        let open = after.len();
        after = after.trim_start_matches(['*', '_']);
        if open == after.len() {
            return 0;
        }
        after = after.trim_start_matches(':');
    }
    let after = after.trim_start();
    let after = ["— ", "– ", "- "]
        .iter()
        .find_map(|dash| after.strip_prefix(dash))
        .unwrap_or(after);
    text.len() - after.len()
}

/// What a heading means for the generic readers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Means {
    /// It opens a section of criteria.
    Criteria,
    /// It reads like such a heading, but is none.
    Near,
    /// Something else.
    Other,
}

/// The words that open a section of criteria.
const PHRASES: [&str; 12] = [
    "acceptance criteria",
    "acceptance criterion",
    "acceptance scenarios",
    "acceptance checklist",
    "exit criteria",
    "exit criterion",
    "definition of done",
    "done when",
    "done criteria",
    "success criteria",
    "completion criteria",
    "acceptance",
];

/// Reads the words of a heading; capitals, styling, numbering, a colon and a suffix after
/// punctuation do not matter.
pub(super) fn means(words: &str) -> Means {
    let plain = words
        .trim_start_matches(|c: char| !c.is_alphabetic())
        .trim_end_matches(['#', ' ', '*', '_', ':', '\t'])
        .to_lowercase();
    for phrase in PHRASES {
        let Some(tail) = plain.strip_prefix(phrase) else {
            continue;
        };
        let tail = tail.trim_start_matches(['*', '_', '`']);
        if tail.is_empty() {
            return Means::Criteria;
        }
        let spaced = tail.trim_start();
        let parted = spaced.len() < tail.len() && spaced.starts_with(['-', '/', '<', '&']);
        if parted || spaced.starts_with(['(', ':', '—', '–', '[']) {
            return Means::Criteria;
        }
        if phrase != "acceptance" {
            return Means::Near;
        }
    }
    let squeezed: String = plain.chars().filter(|c| c.is_alphanumeric()).collect();
    let near = [
        "acceptancecrit",
        "acceptencecrit",
        "acceptancescriteria",
        "acceptcrit",
        "exitcrit",
        "definitionofdone",
        "donewhen",
        "successcrit",
    ];
    let short = [
        "ac",
        "acs",
        "dod",
        "criteria",
        "requirementsandacceptancecriteria",
    ];
    if near.iter().any(|word| squeezed.starts_with(word))
        || short.contains(&squeezed.as_str())
        || squeezed.ends_with("acceptancecriteria")
    {
        return Means::Near;
    }
    Means::Other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_labels_are_found_and_cut() {
        let rows = [
            ("AC7: loads", Some(("AC7", "loads"))),
            ("AC 7 loads", Some(("AC7", "loads"))),
            ("AC-7 — loads", Some(("AC-7", "loads"))),
            ("**AC7** loads", Some(("AC7", "loads"))),
            ("**R1:** loads", Some(("R1", "loads"))),
            ("**R4a**: loads", Some(("R4a", "loads"))),
            (
                "**R14 — title** loads",
                Some(("R14", "**R14 — title** loads")),
            ),
            ("**R5 (the gate):** x", Some(("R5", "**R5 (the gate):** x"))),
            ("**FR-001**: x", Some(("FR-001", "x"))),
            ("#3 loads", Some(("3", "loads"))),
            ("T001 [P] loads", Some(("T001", "[P] loads"))),
            ("G1: loads", Some(("G1", "loads"))),
            ("S3 upload works", None),
            ("Python 3 works", None),
            ("H2: database", Some(("H2", "database"))),
            ("loads in 3 s", None),
            ("#hash", None),
        ];
        for (text, wanted) in rows {
            let got = own(text, false);
            let got = got.map(|(id, at)| (id.as_str().to_owned(), text[at..].to_owned()));
            let wanted = wanted.map(|(id, rest)| (id.to_owned(), rest.to_owned()));
            assert_eq!(got, wanted, "{text:?}");
        }
        assert_eq!(
            own("1.2 loads", true).map(|(id, _)| id),
            CriterionId::new("1.2")
        );
        assert_eq!(own("1.2 loads", false), None);
    }

    #[test]
    fn headings_mean_criteria_whatever_their_dress() {
        for words in [
            "Acceptance Criteria",
            "ACCEPTANCE CRITERIA:",
            "Acceptance criteria (issue #6, verbatim)",
            "**Acceptance Criteria**",
            "4. Exit criteria",
            "✅ Definition of Done",
            "Done When",
            "Acceptance",
            "Acceptance criteria — v2 ##",
        ] {
            assert_eq!(means(words), Means::Criteria, "{words:?}");
        }
        for words in [
            "Acceptance criteria traceability",
            "AC",
            "AcceptanceCriteria",
            "Acceptence criteria",
            "Criteria",
        ] {
            assert_eq!(means(words), Means::Near, "{words:?}");
        }
        for words in ["Acceptance of risk", "Requirements", "Plan", ""] {
            assert_eq!(means(words), Means::Other, "{words:?}");
        }
    }
}
