//! The closed form of a dispatch:
//! `→ Mandatory next (CALLEE) when CONDITION; verdict folds back into STEP`.
//!
//! The parentheses may hold the condition instead, the callee then stands after a colon; every
//! field but the callee may be absent.

use crate::model::chain::ClosedForm;
use crate::model::text::Foreign;

use super::edges::field;
use super::names::{Mention, Names, mentions};
use super::profile::Profile;

/// What the form says beside the callee.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Form {
    pub(super) condition: Option<Foreign>,
    pub(super) step: Option<Foreign>,
}

const WORDS: &str = "mandatory next";

/// The text after `Mandatory next`, when it begins with that.
pub(super) fn after_mandatory(text: &str) -> Option<&str> {
    let bare = text.trim_start_matches([' ', '*', '_']);
    let head = bare.get(..WORDS.len())?;
    head.eq_ignore_ascii_case(WORDS)
        .then(|| &bare[WORDS.len()..])
}

/// The form around a mention, when the arrow and the words stand before it.
pub(super) fn read(text: &str, mention: &Mention) -> Option<Form> {
    let arrow = text[..mention.from].rfind('→')?;
    let lead = text[..arrow].trim_end_matches(|c: char| !c.is_alphanumeric());
    let lead = lead.rsplit(['\n', '.', ';']).next().unwrap_or_default();
    let last = lead.split_whitespace().next_back().unwrap_or_default();
    if ["no", "not", "never"]
        .iter()
        .any(|no| last.eq_ignore_ascii_case(no))
    {
        return None;
    }
    let head = after_mandatory(&text[arrow + '→'.len_utf8()..mention.from])?;
    let head = head.trim_start();
    let rest = text.get(mention.to..).unwrap_or_default();
    let mut form = Form {
        condition: None,
        step: None,
    };
    match head.strip_prefix('(') {
        // the callee in the parentheses
        Some(inner) if !inner.contains(')') => {
            let rest = rest.trim_start_matches(|c| "`*)".contains(c)).trim_start();
            let when = rest.strip_prefix("when ").map(|rest| {
                let end = rest.find(';').unwrap_or(rest.len());
                &rest[..end]
            });
            form.condition = when.and_then(field);
        }
        // the condition in the parentheses
        Some(inner) => {
            let end = inner.find(')').unwrap_or(inner.len());
            form.condition = field(&inner[..end]);
        }
        None => {}
    }
    if let Some(at) = rest.find("folds back into ") {
        let step = &rest[at + "folds back into ".len()..];
        let end = step.find(['\n', ';', '.', ',']).unwrap_or(step.len());
        form.step = field(&step[..end]);
    }
    Some(form)
}

/// The closed form of one line, where `callee` is the only skill.
pub(super) fn form_of(line: &str, callee: &str, profile: &Profile) -> Option<(String, ClosedForm)> {
    let names = Names::new([(callee.as_bytes(), b"".as_slice())].into_iter(), &[], &[]);
    let found = mentions(line, &names, profile, true);
    let mention = found.first()?;
    let form = read(line, mention)?;
    Some((
        line[mention.start..mention.end].to_owned(),
        ClosedForm {
            condition: form.condition,
            step: form.step,
        },
    ))
}
