//! The threads as lines for people.

use super::states;
use crate::gate::verify::markers::{Marker, Reading, Rounds};
use crate::gate::verify::resolution::{State, Touch};
use crate::gate::verify::threads::{Case, breakers, triggers};
use crate::model::id::Oid;
use crate::model::known::Known;
use crate::model::text::{Foreign, Place};
use crate::model::thread::{Channel, Comment, Thread, Threads};

/// Most characters of a comment in a line.
const WIDTH: usize = 96;

/// Everything, open threads first in the order of the input.
pub(super) fn lines(threads: &Threads, cases: &[Case], head: &Result<Oid, String>) -> Vec<String> {
    let open = cases.iter().filter(|case| case.open()).count();
    let mut out = vec![format!(
        "{}, {open} open",
        counted(threads.threads.len(), "thread")
    )];
    for channel in Channel::ALL {
        let state = threads.channel(channel).says();
        out.push(format!("{}: {state}", channel.word()));
    }
    match head {
        Ok(head) => out.push(format!("looked at {head}")),
        Err(why) => out.push(format!("NOT LOOKED: {why}")),
    }
    if let Some(forge) = super::other_head(threads, head.as_ref().ok()) {
        out.push(format!("STALE: the forge has {forge}"));
    }
    let fires: Vec<&str> = triggers(cases).iter().map(|t| t.word()).collect();
    if !fires.is_empty() {
        out.push(format!("fires {}", fires.join(" ")));
    }
    for breaker in breakers(threads, cases) {
        out.push(format!("BREAKER: {breaker}"));
    }
    let shown = |open: bool| cases.iter().filter(move |case| case.open() == open);
    for case in shown(true).chain(shown(false)) {
        if let Some(thread) = threads.threads.get(case.at) {
            out.push(String::new());
            out.extend(one(thread, case));
        }
    }
    if !threads.faults.is_empty() {
        out.push(String::new());
    }
    for fault in &threads.faults {
        let hint = if fault.hint.is_empty() {
            String::new()
        } else {
            format!(" ({})", fault.hint)
        };
        out.push(format!(
            "{} {}: {}{hint}",
            strict(&fault.file),
            strict(&fault.at),
            fault.message
        ));
    }
    out
}

/// The markers of earlier rounds, one line each, and the round that is next.
pub(super) fn markers(markers: &[Marker], rounds: &Rounds) -> Vec<String> {
    let mut out = vec![String::new()];
    for marker in markers {
        let who = marker
            .author
            .as_ref()
            .map_or("(account gone)".to_owned(), strict);
        let place = format!(
            "{} {}",
            marker.channel.word(),
            strict(&Foreign::from(marker.comment.as_ref()))
        );
        let says = match &marker.reading {
            Reading::Malformed(why) => format!("no marker: {why}"),
            Reading::Marker {
                round,
                verdict,
                tip,
                ..
            } => {
                let at = tip.map_or(String::new(), |tip| format!(" at {}", tip.short()));
                format!("round {round} {}{at}", verdict.word())
            }
        };
        let not = if marker.counts {
            ""
        } else {
            ", does not count"
        };
        let edited = if marker.edited { ", edited" } else { "" };
        out.push(format!("marker {place} by {who}: {says}{not}{edited}"));
    }
    let in_force = rounds.at_head.map_or(String::new(), |verdict| {
        format!(", {} is in force at this head", verdict.word())
    });
    out.push(format!("next round: {}{in_force}", rounds.next));
    out.extend(rounds.odd.iter().map(|odd| format!("  {odd}")));
    out
}

fn one(thread: &Thread, case: &Case) -> Vec<String> {
    let mut head = vec![
        strict(&Foreign::from(thread.id.as_ref())),
        who(&thread.first),
        case.reading.actor.word().to_owned(),
    ];
    if let Some(tag) = case.reading.tag() {
        head.push(format!("{}:", tag.word()));
    }
    if case.reading.blocker {
        head.push("blocker".to_owned());
    }
    head.push(place(thread, case));
    let fires: Vec<&str> = case.fires().iter().map(|trigger| trigger.word()).collect();
    let mut state = format!("  {}", case.state.word());
    if case.state != State::Unresolved {
        state.push_str(&format!(" ({})", case.grade.word()));
    }
    if !fires.is_empty() {
        state.push_str(&format!(", fires {}", fires.join(" ")));
    }
    let marks: Vec<&str> = states(thread).into_iter().skip(1).collect();
    if !marks.is_empty() {
        state.push_str(&format!(", {}", marks.join(", ")));
    }
    if let Touch::Unknown(why) = &case.looked.touch
        && case.state == State::CouldNotTell
    {
        state.push_str(&format!(": {why}"));
    }
    for commit in case.looked.touch.commits() {
        state.push_str(&format!(" {}", commit.short()));
    }
    let mut out = vec![head.join(" "), state, format!("  {}", said(&thread.first))];
    for reply in &thread.replies {
        out.push(format!("  > {}: {}", who(reply), said(reply)));
    }
    if !thread.all_replies {
        out.push("  > answers are missing".to_owned());
    }
    out
}

fn place(thread: &Thread, case: &Case) -> String {
    let Some(spot) = &thread.spot else {
        return format!("on the change ({})", thread.channel.word());
    };
    match &case.looked.anchor {
        Known::Is(at) => {
            let path = at.path.foreign().shown(Place::Strict);
            let lines = at.lines.map_or(String::new(), |(first, last)| {
                if first == last {
                    format!(":{last}")
                } else {
                    format!(":{first}-{last}")
                }
            });
            format!("{path}{lines} ({})", at.grade.word())
        }
        Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => {
            let path = spot.path.foreign().shown(Place::Strict);
            match spot.original() {
                Some((_, last)) => format!("{path}:{last} (not looked up)"),
                None => format!("{path} (not looked up)"),
            }
        }
    }
}

fn who(comment: &Comment) -> String {
    match &comment.author.login {
        Some(login) => strict(login),
        None => "(account gone)".to_owned(),
    }
}

/// The first line of a comment, cut to a width.
fn said(comment: &Comment) -> String {
    let lines = comment.body.shown_lines(Place::Prose);
    let plain = lines.iter().map(|line| line.plain().trim().to_owned());
    let mut filled = plain.filter(|line| !line.is_empty() && line != "^M");
    let first = filled.next().unwrap_or_else(|| "(empty)".to_owned());
    let more = filled.next().is_some() || first.chars().count() > WIDTH;
    let cut: String = first.chars().take(WIDTH).collect();
    if more { format!("{cut} ...") } else { cut }
}

fn strict(text: &Foreign) -> String {
    text.shown(Place::Strict).plain()
}

fn counted(count: usize, word: &str) -> String {
    if count == 1 {
        format!("1 {word}")
    } else {
        format!("{count} {word}s")
    }
}
