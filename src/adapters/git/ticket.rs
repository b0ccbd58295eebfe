//! The ticket that a request names, in the pinned trees: by the number that it closes, by a path
//! that it mentions, by the number in its title (verify-gate 1.2).

use serde_bytes::ByteBuf;

use super::discover::{FoundContract, Pins};
use super::open::{Asked, Entered};
use super::{GitError, versions};

/// Folders of tickets.
const FOLDERS: [&str; 2] = ["tickets", "tickets/closed"];

/// The ticket that a request closes. It has to be there at the head; several are for the person.
///
/// # Errors
/// Trees that are missing or damaged.
pub(super) fn claimed(
    entered: &Entered,
    pins: &Pins<'_>,
    numbers: &[String],
) -> Result<FoundContract, GitError> {
    let mut all = Vec::new();
    for number in numbers {
        let found = with_number(entered, pins, number)?;
        if found.is_empty() {
            return Ok(FoundContract::Dangling(number.clone()));
        }
        all.extend(found);
    }
    one_of(entered, pins, all, "the request closes it")
}

/// The contract that a request mentions; none when it mentions nothing that is there.
///
/// # Errors
/// Trees that are missing or damaged.
pub(super) fn mentioned(
    entered: &Entered,
    pins: &Pins<'_>,
    asked: &Asked,
) -> Result<FoundContract, GitError> {
    let mut all = Vec::new();
    for path in &asked.mentions {
        let path = path.trim_start_matches("./").as_bytes();
        let entry = entered.objects.entry(pins.tree, path)?;
        if entry.is_some_and(|entry| !entry.is_tree()) {
            all.push(path.to_vec());
        }
    }
    let why = if all.is_empty() {
        if let Some(number) = &asked.subject {
            all = with_number(entered, pins, number)?;
        }
        "the title of the request names it"
    } else {
        "the request mentions it"
    };
    one_of(entered, pins, all, why)
}

fn one_of(
    entered: &Entered,
    pins: &Pins<'_>,
    mut all: Vec<Vec<u8>>,
    why: &str,
) -> Result<FoundContract, GitError> {
    all.sort();
    all.dedup();
    match all.as_slice() {
        [] => Ok(FoundContract::None),
        [path] => versions::record(entered, pins, path, why.to_owned()),
        several => Ok(FoundContract::Several(
            several
                .iter()
                .map(|path| (ByteBuf::from(path.clone()), why.to_owned()))
                .collect(),
        )),
    }
}

/// Tickets at the head whose name begins with a number, leading noughts aside.
fn with_number(entered: &Entered, pins: &Pins<'_>, number: &str) -> Result<Vec<Vec<u8>>, GitError> {
    let wanted = number.trim_start_matches('0');
    let mut found = Vec::new();
    for folder in FOLDERS {
        let Some(tree) = entered.objects.entry(pins.tree, folder.as_bytes())? else {
            continue;
        };
        if !tree.is_tree() {
            continue;
        }
        for entry in entered.objects.tree(tree.oid)? {
            let name = String::from_utf8_lossy(&entry.name).into_owned();
            let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
            let rest = name.get(digits.len()..).unwrap_or_default();
            let ticket = rest.starts_with(['-', '.', '_'])
                && (name.ends_with(".erg") || name.ends_with(".md"));
            if !entry.is_tree() && ticket && digits.trim_start_matches('0') == wanted {
                found.push([folder.as_bytes(), b"/", &entry.name].concat());
            }
        }
    }
    Ok(found)
}
