//! Verbs joined by `+`, and `fix` with numbers of blockers: gatekeep only.

use super::{Reading, Scope, invalid, is};
use crate::gate::menu::words::{plain, positive};
use crate::model::menu::{Part, Reply, Style};

/// The verbs that the menus of gatekeep may have (verdict-menus 3.5), longest first where one
/// begins another.
pub(super) const VERBS: [&str; 15] = [
    "approve workflow run",
    "post coverage to ticket",
    "post coverage to PR",
    "merge anyway",
    "update branch",
    "show evidence",
    "fix nits",
    "approve",
    "review",
    "merge",
    "reply",
    "push",
    "wait",
    "stop",
    "fix",
];

/// Verbs that put commits on the branch.
const PUSHES: [&str; 4] = ["fix", "fix nits", "push", "update branch"];

/// Reads a composed reply; `None` when the text is words.
pub(super) fn read(ask: &Reading<'_>) -> Option<Reply> {
    if ask.scope != Scope::Gatekeep || ask.message.style != Some(Style::Verb) {
        return None;
    }
    let texts: Vec<&str> = ask.bare.split('+').map(str::trim).collect();
    let verbs: Vec<Option<Part>> = texts.iter().map(|text| part(text)).collect();
    let first = verbs.first()?.as_ref()?;
    if verbs.len() == 1 && first.ids.is_empty() {
        return Some(match offered(ask, &first.verb) {
            Ok(_) => return None,
            Err(why) => invalid(why),
        });
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut wrong = Vec::new();
    for (text, verb) in texts.iter().zip(verbs) {
        let Some(mut part) = verb else {
            wrong.push(if text.is_empty() {
                "a verb is missing beside `+`".to_owned()
            } else {
                "there is no verb of that name".to_owned()
            });
            continue;
        };
        match offered(ask, &part.verb) {
            Ok(label) => part.verb = label,
            Err(why) => wrong.push(why),
        }
        let blockers = ask.message.blockers;
        for id in part.ids.iter().filter(|id| **id > blockers) {
            wrong.push(format!(
                "there is no blocker {id}, the message lists {blockers}"
            ));
        }
        if parts.iter().any(|other| other.verb == part.verb) {
            wrong.push(format!("{} stands twice", part.verb));
        }
        parts.push(part);
    }
    let says = |list: &[&str]| {
        let named = |part: &&Part| list.iter().any(|verb| plain(verb) == plain(&part.verb));
        parts.iter().find(named).map(|part| part.verb.clone())
    };
    if let (Some(merge), Some(push)) = (says(&["merge", "merge anyway"]), says(&PUSHES)) {
        wrong.push(format!(
            "{push} changes what {merge} would merge, never both at once"
        ));
    }
    Some(if wrong.is_empty() {
        Reply::Composed(parts)
    } else {
        invalid(wrong.join("; "))
    })
}

/// A verb, and numbers behind `fix`.
fn part(text: &str) -> Option<Part> {
    let text = plain(text);
    if text == "nits" {
        return Some(Part {
            verb: "fix nits".into(),
            ids: Vec::new(),
        });
    }
    let verb = VERBS.iter().find(|verb| {
        let rest = text.strip_prefix(plain(verb).as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })?;
    let rest = text.get(verb.len()..)?.trim();
    let ids: Option<Vec<u32>> = rest
        .split([',', ' '])
        .filter(|word| !word.is_empty() && *word != "and")
        .map(positive)
        .collect();
    let ids = ids.filter(|ids| ids.is_empty() || *verb == "fix")?;
    Some(Part {
        verb: (*verb).to_owned(),
        ids,
    })
}

/// The label of the row of a verb, or why there is none.
fn offered(ask: &Reading<'_>, verb: &str) -> Result<String, String> {
    let row = ask.message.rows.iter().find(|row| is(row, verb));
    if row.is_some() {
        return Ok(verb.to_owned());
    }
    let said = ask.message.not_offered.iter().find(|omitted| {
        let name = String::from_utf8_lossy(omitted.verb.raw()).into_owned();
        plain(&name) == plain(verb)
    });
    let reason = said.map(|omitted| {
        let place = crate::model::text::Place::Strict;
        format!(" ({})", omitted.reason.shown(place))
    });
    Err(format!(
        "{verb} is not offered{}",
        reason.unwrap_or_default()
    ))
}
