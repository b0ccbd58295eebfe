//! Specs of gauntlet (verdict-menus 3.2): rows of a ticket, word for word, each with what the spec
//! says of it on the next line. A row stays owed whatever is said of it; the person sees both.

use crate::gate::gatekeep::disposition::RowSays;
use crate::model::contract::{Disposition, DispositionToken, Kind, State};
use crate::model::text::Foreign;

use super::complaints::Complaints;
use super::items::{self, Item, Name};
use super::labels::{self, Means};
use super::lines::{Line, Veil};
use super::{Parts, section};

const TOKENS: [DispositionToken; 5] = [
    DispositionToken::InScope,
    DispositionToken::Deviates,
    DispositionToken::Deferred,
    DispositionToken::Venue,
    DispositionToken::Elsewhere,
];

/// The disposition that an indented line is, with what follows its token.
pub(super) fn disposition<'a>(line: &'a Line<'_>) -> Option<(DispositionToken, &'a str)> {
    if line.indent() < 2 {
        return None;
    }
    let text = items::listed(line).map_or(line.trimmed(), |(_, text)| text);
    let text = text.trim_matches(['`', '*']);
    TOKENS.into_iter().find_map(|token| {
        let rest = text.strip_prefix(token.word())?;
        match (token, rest.strip_prefix(':')) {
            (DispositionToken::InScope, None) if rest.trim().is_empty() => Some((token, "")),
            (DispositionToken::InScope, _) | (_, None) => None,
            (_, Some(says)) => Some((token, says.trim())),
        }
    })
}

/// The reason of a section that says there are no criteria: `none - REASON`.
fn none<'a>(line: &'a Line<'_>) -> Option<&'a str> {
    let text = items::listed(line).map_or(line.trimmed(), |(_, text)| text);
    let rest = text.strip_prefix("none")?.trim_start();
    let reason = rest.strip_prefix(['-', '—', '–'])?.trim();
    (!reason.is_empty()).then_some(reason)
}

/// Reads a spec.
pub(super) fn read(lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    let mut found: Vec<Item> = Vec::new();
    let mut inside = false;
    let mut heading = None;
    let mut reason: Option<(u32, String)> = None;
    for line in lines.iter().filter(|line| line.veil == Veil::Open) {
        if let Some((level, words)) = items::heading(line) {
            if level <= 2 {
                inside = level == 2 && labels::means(words) == Means::Criteria && heading.is_none();
                heading = heading.or(inside.then_some(line.no));
            }
            continue;
        }
        if !inside || line.is_blank() {
            continue;
        }
        if let Some(task) = items::task(line).filter(|_| line.indent() < 2) {
            let mut item = Item::new(Name::Position, line, task.body, Kind::Task);
            if let Some((id, at)) = labels::own(task.body, true) {
                item.name = Name::Own(id);
                item.text = task.body.get(at..).unwrap_or_default().to_owned();
            }
            item.tick = items::ticked(&task, line, complaints);
            found.push(item);
        } else if let Some(says) = none(line).filter(|_| found.is_empty()) {
            reason = Some((line.no, says.to_owned()));
        } else if let Some(item) = found.last_mut()
            && line.indent() >= 2
        {
            if let Some((token, says)) = disposition(line) {
                said(item, token, says, line, complaints);
            }
            item.extend(line);
        }
    }
    if found.is_empty() && reason.is_none() {
        return section::read(lines, section::HEADING, complaints);
    }
    for item in found.iter().filter(|item| item.disposition.is_none()) {
        let looks = item.text.lines().nth(1).filter(|line| line.contains(':'));
        if let Some(text) = looks
            && let Err(why) = RowSays::read(text)
            && text.split(':').next().is_some_and(|word| word.len() < 12)
        {
            complaints.warn(
                "disposition",
                item.line,
                &format!("the line below the row is no disposition: {why}"),
                "use in-scope, deviates: WHY, deferred: WHERE, venue: ENV - WHAT, elsewhere: REPO",
            );
        }
    }
    let mut parts = Parts {
        criteria: items::criteria(found, complaints),
        ..Parts::default()
    };
    parts.state = if parts.criteria.is_empty() {
        let (line, why) = reason.unwrap_or((heading.unwrap_or(0), String::from("nothing")));
        complaints.error(
            "no-criteria",
            line,
            &format!("the spec says it has no criteria: {}", shown(&why)),
            "name the ticket that has them",
        );
        State::Empty
    } else {
        State::Found
    };
    parts
}

fn shown(text: &str) -> String {
    Foreign::from(text)
        .shown(crate::model::text::Place::Strict)
        .plain()
}

fn said(
    item: &mut Item,
    token: DispositionToken,
    says: &str,
    line: &Line<'_>,
    complaints: &mut Complaints,
) {
    if item.disposition.is_some() {
        complaints.warn(
            "disposition-twice",
            line.no,
            "the row already has a disposition; the first counts",
            "keep one",
        );
        return;
    }
    let whole = match token {
        DispositionToken::InScope => token.word().to_owned(),
        _ => format!("{}: {says}", token.word()),
    };
    if let Err(why) = RowSays::read(&whole) {
        complaints.warn(
            "disposition",
            line.no,
            &format!("the disposition does not hold: {why}"),
            "say it in full, or leave the row in scope",
        );
    }
    item.disposition = Some(Disposition {
        token,
        says: Foreign::from(says),
        line: line.no,
    });
}
