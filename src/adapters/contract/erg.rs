//! `%erg` tickets (verify-gate 1.1): header lines, a log, and a free body whose exit criteria are
//! read by the rules of the acceptance headings. The file is never written (H01).

use crate::model::contract::State;
use crate::model::text::Foreign;

use super::complaints::Complaints;
use super::lines::{Line, Veil};
use super::{Parts, marks, section};

const LOG: &str = "--- log ---";
const BODY: &str = "--- body ---";

/// Header keys that every ticket has.
const REQUIRED: [&str; 3] = ["Title", "Created", "Author"];
/// Header keys that a ticket may have; the last two are of older ones.
const KNOWN: [&str; 9] = [
    "Title",
    "Created",
    "Author",
    "Closed",
    "Blocked-by",
    "Superseded-by",
    "Label",
    "Status",
    "Tag",
];

/// Whether the line is the magic of a ticket.
pub(super) fn is_magic(line: &Line<'_>) -> bool {
    let version = line.text.strip_prefix("%erg ");
    version.is_some_and(|version| matches!(version.trim(), "0.1" | "v1"))
}

/// Whether the line begins like the magic of any version.
pub(super) fn is_near_magic(line: &Line<'_>) -> bool {
    line.text.starts_with("%erg")
}

/// Reads a ticket.
pub(super) fn read(lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    if !lines.first().is_some_and(is_magic) {
        complaints.warn(
            "erg-version",
            1,
            "the first line is not %erg 0.1 or %erg v1",
            "write %erg 0.1",
        );
    }
    let at = |from: usize, wanted: &str| {
        let rest = lines.get(from..).unwrap_or_default();
        let found = rest.iter().position(|line| line.text == wanted);
        found.map(|found| from + found)
    };
    let log = at(0, LOG);
    let body = log.and_then(|log| at(log + 1, BODY));
    let (Some(log), Some(body)) = (log, body) else {
        complaints.error(
            "erg-parts",
            0,
            "there is no --- log --- with a --- body --- below it, so there is no body to read",
            "write both separators, each on a line of its own",
        );
        return Parts {
            state: State::Unreadable,
            ..Parts::default()
        };
    };
    let head = lines.get(..log).unwrap_or_default();
    let entries = lines.get(log + 1..body).unwrap_or_default();
    let rest = lines.get(body + 1..).unwrap_or_default();
    let mut parts = section::read(rest, section::ERG, complaints);
    header(head, &mut parts, complaints);
    for line in entries.iter().filter(|line| !line.is_blank()) {
        if !is_log_line(line.trimmed()) {
            complaints.warn(
                "erg-log",
                line.no,
                "this is no line of a log: time, actor, verb",
                "write YYYY-MM-DDThh:mmZ ACTOR VERB",
            );
        }
    }
    parts
}

fn header(head: &[Line<'_>], parts: &mut Parts, complaints: &mut Complaints) {
    let mut seen: Vec<&str> = Vec::new();
    let mut gap = false;
    for line in head.iter().skip(1) {
        let text = line.text.as_ref();
        if line.is_blank() {
            gap = true;
            continue;
        }
        let pair = text.split_once(':').map(|(key, value)| (key, value.trim()));
        let known = pair.and_then(|(key, value)| {
            let key = KNOWN.into_iter().find(|known| *known == key)?;
            Some((key, value))
        });
        let Some((key, value)) = known else {
            complaints.warn(
                "erg-header",
                line.no,
                "this is no header line of a ticket",
                "use Title, Created, Author, Closed, Blocked-by, Superseded-by or Label",
            );
            continue;
        };
        if std::mem::take(&mut gap) {
            complaints.warn(
                "erg-gap",
                line.no,
                "a blank line stands inside the header",
                "take it out",
            );
        }
        let once = REQUIRED.contains(&key) || matches!(key, "Closed" | "Status");
        if once && seen.contains(&key) {
            complaints.warn(
                "erg-header-twice",
                line.no,
                &format!("{key} stands there twice; the first counts"),
                "keep one",
            );
            continue;
        }
        seen.push(key);
        let says = Foreign::from(value);
        match key {
            "Title" => parts.header.slug = Some(says),
            "Created" => parts.header.date = Some(says),
            "Closed" if !value.is_empty() => {
                parts.header.status = Some(Foreign::from("closed"));
            }
            "Status" => parts.header.status = parts.header.status.take().or(Some(says)),
            _ => {}
        }
    }
    for key in REQUIRED.into_iter().filter(|key| !seen.contains(key)) {
        complaints.warn(
            "erg-header-missing",
            0,
            &format!("the ticket has no {key}"),
            "add the header line",
        );
    }
}

/// `YYYY-MM-DDThh:mmZ SP actor SP verb [SP detail]`.
fn is_log_line(text: &str) -> bool {
    let mut words = text.split(' ');
    let time = words.next().unwrap_or_default();
    let clock = time.get(10..).unwrap_or_default().as_bytes();
    let digits = |at: usize| clock.get(at).is_some_and(u8::is_ascii_digit);
    let timed = time.get(..10).is_some_and(marks::is_date)
        && clock.len() == 7
        && clock.first() == Some(&b'T')
        && digits(1)
        && digits(2)
        && clock.get(3) == Some(&b':')
        && digits(4)
        && digits(5)
        && clock.get(6) == Some(&b'Z');
    let actor = words.next().is_some_and(|word| !word.is_empty());
    let verb = words.next().is_some_and(|word| !word.is_empty());
    timed && actor && verb
}

/// Whether a line below the criteria is metadata of the ticket.
pub(super) fn is_footer(text: &str) -> bool {
    let plain = text.trim_start_matches('*');
    ["Ticket-ref:", "Parent tracker:", "Depends on:"]
        .iter()
        .any(|word| plain.starts_with(word))
}

/// Whether any of the lines is open text; for detection.
pub(super) fn has_parts(lines: &[Line<'_>]) -> bool {
    let open = |wanted: &str| {
        lines
            .iter()
            .any(|line| line.veil == Veil::Open && line.text == wanted)
    };
    open(LOG) && open(BODY)
}
