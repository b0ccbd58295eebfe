//! Lists: `N: handle=choice, ...` and sets of items.

use super::{Reading, Scope, invalid};
use crate::gate::menu::words::{after_number, lines, positive};
use crate::model::menu::{Answer, Ask, Reply};

/// The choices that a list may name (verdict-menus 4.4 and 5); `alt-N` and `custom(TEXT)` beside.
const CHOICES: [&str; 5] = [
    "accept",
    "fix-now",
    "accept-into-spec",
    "rescope-into-spec",
    "follow-up",
];

/// Reads `N: handle=choice, ...`; what is right stays when something is wrong.
pub(super) fn overrides(ask: &Reading<'_>) -> Option<Reply> {
    let (n, rest) = after_number(ask.bare)?;
    let listed = rest.trim_start().strip_prefix(':')?.trim();
    let wanted: Vec<u32> = ask.message.asks.iter().filter_map(number).collect();
    if !listed.contains('=') {
        let bare = wanted.contains(&n) && listed.is_empty();
        return bare.then(|| invalid(format!("after `{n}:` stands handle=choice")));
    }
    if wanted.is_empty() {
        return Some(invalid("this gate takes no list of choices"));
    }
    if !wanted.contains(&n) {
        return Some(invalid(format!(
            "a list is taken by row {}, not by {n}",
            all(&wanted)
        )));
    }
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut wrong = Vec::new();
    for item in commas(listed) {
        let item = item.trim();
        let Some((handle, choice)) = item.split_once('=') else {
            wrong.push("an item is handle=choice".to_owned());
            continue;
        };
        let (handle, choice) = (handle.trim(), choice.trim());
        let shown = crate::model::text::Foreign::from(handle);
        let shown = shown.shown(crate::model::text::Place::Strict);
        if pairs.iter().any(|(other, _)| other == handle) {
            wrong.push(format!("{shown} stands twice"));
        } else if !ask.named(handle) {
            wrong.push(format!("the message names no {shown}"));
        } else if !known(choice) {
            wrong.push(format!(
                "{shown} takes {}, alt-N or custom(TEXT)",
                CHOICES.join(", ")
            ));
        } else {
            pairs.push((handle.to_owned(), choice.to_owned()));
        }
    }
    Some(if wrong.is_empty() {
        Reply::Overrides { n, pairs }
    } else {
        Reply::Invalid {
            why: wrong.join("; "),
            kept: pairs,
        }
    })
}

fn number(ask: &Ask) -> Option<u32> {
    match ask {
        Ask::Overrides(n) => Some(*n),
        _ => None,
    }
}

fn all(numbers: &[u32]) -> String {
    let all: Vec<String> = numbers.iter().map(u32::to_string).collect();
    all.join(" or ")
}

fn known(choice: &str) -> bool {
    let custom = choice
        .strip_prefix("custom(")
        .and_then(|text| text.strip_suffix(')'))
        .is_some_and(|text| !text.trim().is_empty());
    let alternative = choice.strip_prefix("alt-").and_then(positive).is_some();
    custom || alternative || CHOICES.contains(&choice)
}

/// Split at commas outside brackets.
fn commas(text: &str) -> Vec<&str> {
    let mut depth = 0_u32;
    text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .collect()
}

/// Reads `all`, `P1-P4`, `P1,P3`, `all but P2` where the message lists such items.
pub(super) fn ids(ask: &Reading<'_>) -> Option<Reply> {
    if ask.scope != Scope::Other {
        return None;
    }
    let items = items(ask);
    if items.is_empty() {
        return None;
    }
    let (all, listed) = match ask.bare.strip_prefix("all") {
        Some("") => return Some(Reply::Answer(Answer::Ids(items))),
        Some(rest) => (true, rest.trim_start().strip_prefix("but ")?),
        None => (false, ask.bare),
    };
    let mut named = Vec::new();
    for part in listed.split(',') {
        let part = part.trim();
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let first = from.trim().strip_prefix('P').and_then(positive)?;
        let last = to.trim().strip_prefix('P').and_then(positive)?;
        if last < first || last - first > 999 {
            return Some(invalid("a range goes up"));
        }
        named.extend((first..=last).map(|n| format!("P{n}")));
    }
    let absent: Vec<&str> = named
        .iter()
        .filter(|id| !items.contains(id))
        .map(String::as_str)
        .collect();
    if !absent.is_empty() {
        return Some(invalid(format!(
            "the message lists no {}",
            absent.join(", ")
        )));
    }
    let chosen = items
        .into_iter()
        .filter(|id| named.contains(id) != all)
        .collect();
    Some(Reply::Answer(Answer::Ids(chosen)))
}

/// `P1`, `P2`, ... that open a line of the message.
fn items(ask: &Reading<'_>) -> Vec<String> {
    let text = String::from_utf8_lossy(ask.message.text.raw());
    let mut found = Vec::new();
    for line in lines(&text) {
        let line = line.trim_start_matches([' ', '-', '*', '[', '|']);
        let Some((n, _)) = line.strip_prefix('P').and_then(after_number) else {
            continue;
        };
        let id = format!("P{n}");
        if !found.contains(&id) {
            found.push(id);
        }
    }
    found
}
