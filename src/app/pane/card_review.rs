//! The card of what a review raised: a thread with its answers, states, place and suggestion; a
//! finding of simplify; and that comments are missing.

use crate::app::row::{Role, Row, Span};
use crate::gate::dossier::Raised;
use crate::gate::judge::Item;
use crate::gate::request::ThreadFacts;
use crate::gate::verify::resolution::Touch;
use crate::gate::verify::threads::{Case, states};
use crate::model::finding::SimplifyState;
use crate::model::known::Known;
use crate::model::text::{Foreign, Place};
use crate::model::thread::{Channel, Comment, Thread};

use super::card::{decided, limits, rulings};
use super::facts::Facts;
use super::sheet::{Sheet, Value};

/// The card.
pub(super) fn fill(facts: &Facts<'_>, item: &Item, raised: &Raised, sheet: &mut Sheet) {
    match raised {
        Raised::Thread { .. } => thread(facts, raised, sheet),
        Raised::Finding(id) => {
            let findings = facts.dossier.request.findings.known();
            match findings.and_then(|findings| findings.simplify_of(id)) {
                Some(finding) => {
                    sheet.value("FINDING", None, prose(&finding.finding, "FINDING"));
                    sheet.say("WEIGHT", finding.severity(), Role::Text);
                    if let Some(file) = &finding.file {
                        let mut spans = facts.shown(&file.foreign(), Place::Strict, Role::Text);
                        if let Some(line) = finding.line {
                            spans.push(Span::ours(format!(":{line}"), Role::Text));
                        }
                        sheet.spans("AT", None, &spans, None);
                    }
                    if let SimplifyState::Waived(why) = &finding.state {
                        sheet.value("WAIVER", None, prose(why, "WAIVER"));
                    }
                }
                None => sheet.say("FINDING", "not among the findings any more", Role::Warn),
            }
        }
        Raised::Incomplete(_) => {
            let text = "Not all comments are here. Acknowledged, single decisions are open; the \
                        verdict can not be APPROVED before all of them are.";
            sheet.say_marked("COMMENTS", None, text, Role::Warn, Some("COMMENTS"));
            if let Some(threads) = facts.dossier.request.threads.known() {
                for channel in Channel::ALL {
                    let says = threads.threads.channel(channel).says();
                    sheet.say(channel.word(), &says, Role::Text);
                }
            }
        }
    }
    limits(item, sheet);
    decided(facts, item, sheet);
    rulings(item, sheet);
}

fn thread(facts: &Facts<'_>, raised: &Raised, sheet: &mut Sheet) {
    let Some((threads, at, thread)) = facts.thread(raised) else {
        return sheet.say("THREAD", "not among the threads any more", Role::Warn);
    };
    let case = facts.judgment.verified.cases.get(at);
    let case = case.or_else(|| threads.cases.get(at));
    said(facts, &thread.first, "SAYS", sheet);
    for (number, reply) in (1..).zip(&thread.replies) {
        sheet.gap();
        said(facts, reply, &format!("REPLY {number}"), sheet);
    }
    if !thread.all_replies {
        sheet.say("REPLIES", "answers are missing", Role::Warn);
    }
    sheet.gap();
    if let Some(case) = case {
        weight(case, sheet);
        place(facts, threads, thread, case, sheet);
        standing(case, sheet);
    }
    let marks = states(thread);
    sheet.say("FORGE", &marks.join(", "), Role::Muted);
}

/// One comment: who, and every word of it.
fn said(facts: &Facts<'_>, comment: &Comment, label: &str, sheet: &mut Sheet) {
    let mut who = match &comment.author.login {
        Some(login) => facts.shown(login, Place::Strict, Role::Strong),
        None => vec![Span::ours("(account gone)", Role::Muted)],
    };
    who.push(Span::ours(
        format!(" · {}", comment.author.account.word()),
        Role::Muted,
    ));
    if let Known::Is(Some(edited)) = &comment.edited {
        who.push(Span::ours(" · edited", Role::Warn));
        if let Some(by) = &edited.by {
            who.push(Span::ours(" by ", Role::Warn));
            who.extend(facts.shown(by, Place::Strict, Role::Warn));
        }
    }
    if let Some(why) = &comment.minimised {
        who.push(Span::ours(" · hidden on the forge: ", Role::Muted));
        who.extend(facts.shown(why, Place::Strict, Role::Muted));
    }
    sheet.spans(label, None, &who, None);
    let (before, suggestion) = suggested(&comment.body);
    sheet.value("", None, prose(&before, label));
    if let Some(suggestion) = suggestion {
        let title = [Span::ours("suggested instead:", Role::Muted)];
        sheet.spans("", None, &title, None);
        let value = Value {
            role: Role::Text,
            ..prose(&suggestion, label)
        };
        sheet.value("", None, value);
    }
    if comment.cut > 0 {
        let text = format!("{} bytes more were cut off", comment.cut);
        sheet.say("", &text, Role::Warn);
    }
}

fn prose<'a>(text: &'a Foreign, label: &'a str) -> Value<'a> {
    Value {
        place: Place::Prose,
        ..Value::strict(text).decides(label)
    }
}

/// A comment's text and the lines that it suggests, where it has a suggestion block.
fn suggested(body: &Foreign) -> (Foreign, Option<Foreign>) {
    let raw = body.raw();
    let text = String::from_utf8_lossy(raw);
    let mut before = String::new();
    let mut inside = String::new();
    let mut block = false;
    let mut any = false;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if !block && bare.starts_with("```suggestion") {
            (block, any) = (true, true);
        } else if block && bare.starts_with("```") {
            block = false;
        } else if block {
            inside.push_str(line);
        } else {
            before.push_str(line);
        }
    }
    if any {
        (before.into(), Some(inside.into()))
    } else {
        (body.clone(), None)
    }
}

fn weight(case: &Case, sheet: &mut Sheet) {
    let mut parts = vec![case.reading.actor.word().to_owned()];
    if let Some(tag) = case.reading.tag() {
        parts.push(format!("{}:", tag.word()));
    }
    if case.reading.blocker {
        parts.push("blocker".to_owned());
    }
    let fires: Vec<&str> = case.fires().iter().map(|one| one.word()).collect();
    parts.push(if fires.is_empty() {
        "stops nothing".to_owned()
    } else {
        format!("fires {}", fires.join(" "))
    });
    sheet.say_marked(
        "WEIGHT",
        None,
        &parts.join(" · "),
        Role::Text,
        Some("WEIGHT"),
    );
}

fn place(
    facts: &Facts<'_>,
    _threads: &ThreadFacts,
    thread: &Thread,
    case: &Case,
    sheet: &mut Sheet,
) {
    let Some(spot) = &thread.spot else {
        return sheet.say("AT", "the whole change", Role::Text);
    };
    let (path, lines, grade, role) = match &case.looked.anchor {
        Known::Is(at) => {
            let role = match at.grade.word() {
                "exact" | "moved" => Role::Text,
                _ => Role::Warn,
            };
            (&at.path, at.lines, at.grade.word(), role)
        }
        Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => {
            (&spot.path, spot.original(), "not looked up", Role::Warn)
        }
    };
    let mut spans = facts.shown(&path.foreign(), Place::Strict, Role::Text);
    if let Some((first, last)) = lines {
        let lines = if first == last {
            format!(":{last}")
        } else {
            format!(":{first}-{last}")
        };
        spans.push(Span::ours(lines, Role::Text));
    }
    spans.push(Span::ours(format!(" · {grade}"), role));
    sheet.spans("AT", None, &spans, None);
}

fn standing(case: &Case, sheet: &mut Sheet) {
    let mut text = format!("{} ({})", case.state.word(), case.grade.word());
    for commit in case.looked.touch.commits() {
        text.push_str(&format!(" {}", commit.short()));
    }
    if let Touch::Unknown(why) = &case.looked.touch {
        text.push_str(&format!(": {why}"));
    }
    sheet.say_marked("STANDS", None, &text, Role::Text, Some("STANDS"));
}

/// The first line of what was raised, for a row of the list.
pub(super) fn line(facts: &Facts<'_>, raised: &Raised, role: Role) -> Vec<Span> {
    match raised {
        Raised::Thread { .. } => {
            let Some((_, _, thread)) = facts.thread(raised) else {
                return vec![Span::ours("a thread that is gone", role)];
            };
            let mut out = match &thread.first.author.login {
                Some(login) => facts.shown(login, Place::Strict, Role::Muted),
                None => vec![Span::ours("(account gone)", Role::Muted)],
            };
            out.push(Span::ours(" ", role));
            out.extend(facts.shown(&first_line(&thread.first.body), Place::Strict, role));
            out
        }
        Raised::Finding(id) => {
            let findings = facts.dossier.request.findings.known();
            match findings.and_then(|findings| findings.simplify_of(id)) {
                Some(finding) => facts.shown(&first_line(&finding.finding), Place::Strict, role),
                None => vec![Span::ours("a finding that is gone", role)],
            }
        }
        Raised::Incomplete(_) => vec![Span::ours("not all comments are here", role)],
    }
}

fn first_line(text: &Foreign) -> Foreign {
    let raw = text.raw();
    let mut lines = raw.split(|byte| *byte == b'\n');
    let line = lines.find(|line| !line.trim_ascii().is_empty());
    Foreign::new(line.unwrap_or_default().trim_ascii().to_vec())
}

/// The heading of the card.
pub(super) fn heading(facts: &Facts<'_>, raised: &Raised) -> Row {
    Row::default().spans(line(facts, raised, Role::Strong))
}
