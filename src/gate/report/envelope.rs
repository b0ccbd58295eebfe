//! What stands around a report: marker, menu, eligibility, confirmation (V01 to V04, V20 to V24).

use super::shape::Line;
use super::{Hotfix, Linting, Span, Variant};
use crate::gate::menu::VERDICT_MENU;
use crate::gate::menu::chase::{Action, Class, Facts, Holds, Origin, Set, rows};
use crate::gate::menu::read::{SEPARATOR, eligibility};
use crate::gate::menu::words::Fenced;
use crate::model::menu::{Opening, Row};

const FIRST: Span = Span {
    line: 1,
    from: 1,
    to: 1,
};

pub(super) fn check(lint: &mut Linting<'_>) {
    if lint.is_gate() {
        marker(lint);
        tag(lint);
        before(lint);
        separator(lint);
        action_set(lint);
        last_line(lint);
    } else {
        bare(lint);
        ending(lint);
    }
}

fn line_one(lint: &Linting<'_>) -> Span {
    lint.shape.all.first().map_or(FIRST, Line::whole)
}

fn span_of(lint: &Linting<'_>, number: u32) -> Span {
    let line = lint.shape.all.get((number as usize).saturating_sub(1));
    line.map_or(FIRST, Line::whole)
}

/// V01.
fn marker(lint: &mut Linting<'_>) {
    if lint.marked() {
        return;
    }
    let says = match &lint.message.opening {
        Opening::Malformed(why) => (*why).to_owned(),
        Opening::Gate(gate) => format!("it is the marker of {}", gate.name()),
        Opening::Done(_) => "it is a done-line".to_owned(),
        Opening::Plain => "line 1 is no marker".to_owned(),
    };
    let span = line_one(lint);
    lint.error("V01", span, says);
}

/// V02.
fn tag(lint: &mut Linting<'_>) {
    let tagged: Vec<&Row> = lint.message.rows.iter().filter(|r| r.recommended).collect();
    let said = lint.message.gate().and_then(|gate| gate.recommended);
    let first = line_one(lint);
    for row in tagged.iter().skip(1) {
        lint.error("V02", span_of(lint, row.line), "a second row is tagged");
    }
    match (said, tagged.first()) {
        (Some(n), None) => lint.error("V02", first, format!("it recommends {n}, no row is tagged")),
        (None, Some(row)) if lint.marked() => {
            lint.error(
                "V02",
                first,
                format!("row {} is tagged, line 1 does not say so", row.n),
            );
        }
        (Some(n), Some(row)) if row.n != n => {
            lint.error(
                "V02",
                first,
                format!("it recommends {n}, the tag is on {}", row.n),
            );
        }
        _ => {}
    }
    match (lint.set, tagged.first()) {
        (Some(Set::Real), None) if !lint.message.rows.is_empty() => {
            let line = lint.message.rows.first().map_or(1, |row| row.line);
            lint.error(
                "V02",
                span_of(lint, line),
                "no row is tagged, a real bug recommends one",
            );
        }
        (Some(Set::Negative), Some(row)) => {
            lint.error(
                "V02",
                span_of(lint, row.line),
                "a negative verdict recommends nothing",
            );
        }
        _ => {}
    }
}

/// V03.
fn bare(lint: &mut Linting<'_>) {
    let lines: Vec<(Span, &str)> = lint
        .shape
        .all
        .iter()
        .map(|line| (line.whole(), line.text.trim()))
        .collect();
    let rows: Vec<u32> = lint.message.rows.iter().map(|row| row.line).collect();
    let marker = format!("gauntlet: gate={VERDICT_MENU}");
    for (span, text) in lines {
        let what = if text.starts_with(&marker) {
            "the marker of the gate"
        } else if rows.contains(&span.line) {
            "a row of a menu"
        } else if eligibility(text).is_some() {
            "an eligibility line"
        } else if text == SEPARATOR {
            "the separator of a menu"
        } else {
            continue;
        };
        lint.error("V03", span, format!("{what} in a {}", lint.variant.name()));
    }
}

/// V04.
fn before(lint: &mut Linting<'_>) {
    let has_heading = !lint.shape.sections.is_empty();
    let skip = usize::from(
        lint.shape
            .all
            .first()
            .is_some_and(|line| line.text.starts_with("gauntlet:")),
    );
    let end = if has_heading { lint.shape.start } else { 0 };
    let said: Vec<Span> = lint
        .shape
        .all
        .iter()
        .take(end)
        .skip(skip)
        .filter(|line| !line.is_blank())
        .map(Line::whole)
        .collect();
    for span in said {
        lint.error("V04", span, "text before the first heading");
    }
}

/// V20.
fn separator(lint: &mut Linting<'_>) {
    let all: Vec<Span> = lint
        .shape
        .all
        .iter()
        .filter(|line| line.fenced == Fenced::Outside && line.text.trim_end() == SEPARATOR)
        .map(Line::whole)
        .collect();
    let own = lint.message.separator;
    for span in all.iter().filter(|span| Some(span.line) != own) {
        lint.error(
            "V20",
            *span,
            "`Pick one:` stands alone on another line as well",
        );
    }
    match own {
        None => {
            let span = lint.shape.end_span();
            lint.error("V20", span, "no `Pick one:` after the last section");
        }
        Some(line) => {
            let third = lint.shape.third().map(|section| section.heading.number);
            if third.is_some_and(|third| third > line) {
                lint.error(
                    "V20",
                    span_of(lint, line),
                    "it stands before the third section",
                );
            }
        }
    }
}

/// V21: the rows are those of a verdict, an origin and a reader that agree with what was given.
fn action_set(lint: &mut Linting<'_>) {
    let Some(first) = lint.message.rows.first() else {
        let span = lint.shape.end_span();
        lint.error("V21", span, "there is no menu");
        return;
    };
    let span = span_of(lint, first.line);
    let mut unknown = Vec::new();
    let actions: Vec<Option<Action>> = lint
        .message
        .rows
        .iter()
        .map(|row| {
            let label = String::from_utf8_lossy(row.label.raw());
            let action = Action::of(&label);
            if action.is_none() {
                unknown.push(row.n);
            }
            action
        })
        .collect();
    for n in &unknown {
        lint.error("V21", span, format!("row {n} is no row of a verdict menu"));
    }
    let Some(actions) = actions.into_iter().collect::<Option<Vec<Action>>>() else {
        return;
    };
    if candidates(lint).iter().any(|facts| rows(facts) == actions) {
        return;
    }
    let labels: Vec<String> = candidates(lint)
        .first()
        .map(rows)
        .unwrap_or_default()
        .iter()
        .map(|action| action.label().to_owned())
        .collect();
    let one = candidates(lint).len() == 1;
    let wanted = if one {
        format!("the rows are {}", labels.join(", "))
    } else {
        "no verdict, origin and reader have these rows".to_owned()
    };
    lint.error("V21", span, wanted);
}

/// Every combination that agrees with what was given and inferred.
fn candidates(lint: &Linting<'_>) -> Vec<Facts> {
    let classes: Vec<Class> = match (lint.given.class, lint.set) {
        (Some(class), _) => vec![class],
        (None, Some(Set::Real)) => vec![Class::RealBug],
        (None, Some(Set::Negative)) => vec![Class::NotABug, Class::CannotReplicate],
        (None, None) => vec![Class::RealBug, Class::NotABug, Class::CannotReplicate],
    };
    let origins = match lint.given.origin {
        Some(origin) => vec![origin],
        None => vec![Origin::Tracked, Origin::Untracked],
    };
    let readers = match lint.given.addressable {
        Some(addressable) => vec![addressable],
        None => vec![true, false],
    };
    let aborts = match lint.given.hotfix {
        Some(hotfix) => vec![hotfix == Hotfix::Aborted],
        None => vec![false, true],
    };
    let mut all: Vec<Facts> = Vec::new();
    for class in &classes {
        for origin in &origins {
            for addressable in &readers {
                for aborted in &aborts {
                    let facts = Facts {
                        class: *class,
                        origin: *origin,
                        addressable: *addressable,
                        aborted: *aborted,
                        predicates: [Holds::Yes; 6],
                        pressing: false,
                        trivial: false,
                        deferrable: false,
                        blocked: false,
                    };
                    if !all.iter().any(|other| rows(other) == rows(&facts)) {
                        all.push(facts);
                    }
                }
            }
        }
    }
    all
}

/// V22.
fn last_line(lint: &mut Linting<'_>) {
    let all = &lint.shape.all;
    let last = all
        .iter()
        .rev()
        .find(|line| !line.is_blank() && line.fenced != Fenced::Edge);
    let Some((span, text)) = last.map(|line| (line.whole(), line.text.trim())) else {
        return;
    };
    let row = lint.message.rows.last();
    match lint.set {
        Some(Set::Real) if eligibility(text).is_none() => {
            lint.error(
                "V22",
                span,
                "the last line is not the eligibility of the hotfix",
            );
        }
        Some(Set::Negative) if row.is_none_or(|row| row.line > span.line) => {
            lint.error("V22", span, "the last line is no row");
        }
        Some(Set::Negative) => {
            let label = row.map(|row| row.line);
            let wrapped = lint.message.tail.is_empty() && lint.message.eligibility.is_none();
            if label != Some(span.line) && !wrapped {
                lint.error("V22", span, "text after the last row");
            }
        }
        _ => {}
    }
}

/// V23 and V24.
fn ending(lint: &mut Linting<'_>) {
    let all = &lint.shape.all;
    let mentions: Vec<Span> = all
        .iter()
        .filter_map(|line| {
            let at = line.text.find("send it")?;
            Some(line.span(at, at + "send it".len()))
        })
        .collect();
    if lint.variant == Variant::DraftGated {
        match &lint.shape.request {
            None => {
                let span = mentions.first().copied();
                let says = if span.is_some() {
                    "the request stands inside the report, not behind it"
                } else {
                    "nothing asks to reply `send it`"
                };
                let span = span.unwrap_or_else(|| lint.shape.end_span());
                lint.error("V23", span, says);
            }
            Some(lines) => {
                let text: Vec<&str> = all
                    .get(lines.clone())
                    .unwrap_or_default()
                    .iter()
                    .map(|line| line.text)
                    .collect();
                let text = text.join(" ");
                let explicit = text.contains("`send it`") || text.contains("\"send it\"");
                let span = all.get(lines.start).map_or(FIRST, Line::whole);
                if !explicit || !text.to_lowercase().contains("reply") {
                    lint.error(
                        "V23",
                        span,
                        "it does not ask to reply the exact words `send it`",
                    );
                }
                for other in mentions.iter().filter(|m| (m.line as usize) <= lines.start) {
                    lint.error("V23", *other, "`send it` inside the report");
                }
            }
        }
        return;
    }
    for span in mentions {
        lint.error("V24", span, "it asks for `send it`, nothing is sent here");
    }
    if lint.variant != Variant::Summary {
        return;
    }
    let mut found = Vec::new();
    for section in &lint.shape.sections {
        for sentence in section.sentences() {
            let lower = super::register::prose(&sentence.text).to_lowercase();
            let asks = [
                "please",
                "can you",
                "could you",
                "would you",
                "let us know",
                "let me know",
            ];
            let tells = ["you can", "you need", "you must", "you should", "reply "];
            let channel = [
                "slack",
                "e-mail to",
                "email to",
                "comment on the",
                "post this",
            ];
            if asks.iter().chain(&tells).any(|words| lower.contains(words)) {
                found.push((sentence.span, true, "a summary addresses nobody"));
            } else if channel.iter().any(|words| lower.contains(words)) {
                found.push((sentence.span, true, "a summary names no channel"));
            } else if super::register::words(&lower)
                .iter()
                .filter_map(|word| lower.get(word.clone()))
                .any(|word| matches!(word, "you" | "your"))
            {
                found.push((sentence.span, false, "it seems to speak to somebody"));
            }
        }
    }
    for (span, sure, says) in found {
        if sure {
            lint.error("V24", span, says);
        } else {
            lint.warn("V24", span, says);
        }
    }
}
