//! The explanation on the verdict page: rules, criteria, gates, what is still to know, and what
//! would be needed for the next better verdict. Nothing here decides.

use crate::app::row::{Role, Row, Span, cut, width_of, wrap_prose};
use crate::gate::decide::Act;
use crate::gate::dossier::Subject;
use crate::gate::judge::{Item, Pane, TraceResult, TraceRow};
use crate::gate::kept::Kept;
use crate::gate::verify::Status;
use crate::model::evidence::Evidence;
use crate::model::id::CriterionId;
use crate::model::known::Known;
use crate::model::oracle::Outcome;
use crate::model::text::Place;

use super::chrome::verdict_role;
use super::facts::Facts;
use super::list_row::one_line;
use super::{notes, words};

/// Rules that are told under GATES.
const GATES: [&str; 4] = ["floor", "chains", "spec", "triage"];

/// A blank row, where there is room to spare.
fn gap(facts: &Facts<'_>, out: &mut Vec<Row>) {
    if facts.state.screen.size.1 >= 30 {
        out.push(Row::default());
    }
}

/// Rules, criteria and gates.
#[must_use]
pub fn why(facts: &Facts<'_>, width: usize) -> Vec<Row> {
    let mut out = Vec::new();
    gap(facts, &mut out);
    out.push(Row::ours(" WHY", Role::Muted));
    for row in &facts.judgment.trace {
        if !GATES.contains(&row.rule) {
            let (word, role) = result(row.result);
            rule(facts, row, (word, role), width, &mut out);
        }
    }
    gap(facts, &mut out);
    criteria(facts, width, &mut out);
    gap(facts, &mut out);
    gates(facts, width, &mut out);
    super::since::rows(facts, width, &mut out);
    super::rounds::rows(facts, width, &mut out);
    out
}

fn result(result: TraceResult) -> (&'static str, Role) {
    match result {
        TraceResult::Clear => ("clear", Role::Muted),
        TraceResult::Fires => ("FIRES", Role::Bad),
        TraceResult::Nit => ("nit", Role::Muted),
        TraceResult::Unknown => ("unknown", Role::Warn),
        TraceResult::Absent => ("–", Role::Muted),
        TraceResult::Decides(verdict) => (verdict.word(), verdict_role(verdict)),
    }
}

/// A rule with what it found, wrapped, and what came of it at the right.
fn rule(
    facts: &Facts<'_>,
    row: &TraceRow,
    (word, role): (&str, Role),
    width: usize,
    out: &mut Vec<Row>,
) {
    let room = width.saturating_sub(14 + word.len() + 3).max(8);
    let text = facts.shown(&row.says.as_str().into(), Place::Prose, Role::Text);
    for (at, line) in wrap_prose(&text, room).into_iter().enumerate() {
        let name = if at == 0 { row.rule } else { "" };
        let mut drawn = Row::ours(format!("   {name}"), Role::Muted)
            .to(13, true)
            .spans(line);
        if at == 0 && !word.is_empty() {
            drawn = drawn.at_right(format!("{word} "), role);
        }
        out.push(drawn);
    }
}

/// Each criterion: what was decided, on what, and how it counts.
fn criteria(facts: &Facts<'_>, width: usize, out: &mut Vec<Row>) {
    let head = Row::ours(" CRITERIA", Role::Muted)
        .to(13, true)
        .and("where each stands", Role::Muted)
        .to(32, true)
        .and("on", Role::Muted);
    out.push(head.at_right("in the verdict ", Role::Muted));
    let items = facts
        .judgment
        .items
        .iter()
        .filter(|item| item.pane == Pane::Criteria);
    for (place, item) in items.enumerate() {
        let Subject::Criterion(id) = &item.subject else {
            continue;
        };
        let (glyph, role) = words::glyph(item);
        let status = facts
            .judgment
            .verified
            .criteria
            .iter()
            .find(|(of, _)| of == id)
            .map(|(_, status)| *status);
        let (word, status_role) = match status {
            Some(status @ Status::Addressed) => (status.word(), Role::Good),
            Some(status @ Status::Missing) => (status.word(), Role::Bad),
            Some(status @ (Status::Undecided | Status::Overridden | Status::Exempt)) => {
                (status.word(), Role::Warn)
            }
            None => ("", Role::Muted),
        };
        let mut on = basis(facts, item);
        if width_of(&on) == 0 {
            let text = facts
                .criterion(id, place)
                .map(|c| one_line(&c.text))
                .unwrap_or_default();
            on = facts.shown(&text, Place::Prose, Role::Muted);
        }
        let room = width.saturating_sub(33 + word.len() + 3);
        let row = Row::ours(format!("   {id}"), Role::Text)
            .to(13, true)
            .and(glyph, role)
            .and(format!(" {}", item.word), Role::Text)
            .to(32, true)
            .spans(cut(&on, room));
        out.push(row.at_right(format!("{word} "), status_role));
    }
}

/// What the last decision on an item rests on; empty where nothing was decided.
fn basis(facts: &Facts<'_>, item: &Item) -> Vec<Span> {
    let last = facts
        .dossier
        .decisions
        .iter()
        .rev()
        .find(|decision| decision.value.subject() == &item.subject);
    let ours = |text: &str| vec![Span::ours(text, Role::Text)];
    match last.map(|decision| decision.value.act()) {
        Some(Act::Ratify { evidence }) => pieces(facts, evidence),
        Some(Act::RatifyUnseen { .. }) => ours("unseen, with a reason"),
        Some(Act::KickBack { cause, .. }) => ours(cause.word()),
        Some(Act::Abandon { .. }) => ours("partial delivery, abandoned here"),
        Some(Act::AcceptPartial { .. }) => ours("partial delivery, accepted"),
        Some(Act::Lift { .. }) => ours("the abandonment was lifted"),
        Some(Act::NotApplicable { .. }) => ours("does not apply, with a reason"),
        Some(Act::Override { .. }) => ours("against the evidence, with a reason"),
        Some(
            Act::Acknowledge
            | Act::AcceptEdit { .. }
            | Act::ChainClosed { .. }
            | Act::ChainAccepted { .. }
            | Act::ScopeAccept
            | Act::ScopeDecline { .. }
            | Act::ScopeTicket { .. }
            | Act::ScopeEscalate { .. }
            | Act::Answer(_)
            | Act::Reply(_),
        )
        | None => Vec::new(),
    }
}

/// `run 13, seen`, `bin/ferry:43, picked`.
fn pieces(facts: &Facts<'_>, evidence: &[Evidence]) -> Vec<Span> {
    let mut out = Vec::new();
    for one in evidence {
        if !out.is_empty() {
            out.push(Span::ours(" · ", Role::Muted));
        }
        match one {
            Evidence::Run(entry) => {
                let run = facts.dossier.runs.iter().find(|run| run.entry == *entry);
                let text = run.map_or_else(
                    || "a run, seen".to_owned(),
                    |run| format!("run {}, seen", run.number),
                );
                out.push(Span::ours(text, Role::Text));
            }
            Evidence::Hunk { path, line, .. }
            | Evidence::Change { path, line, .. }
            | Evidence::Test { path, line, .. } => {
                out.extend(facts.shown(&path.foreign(), Place::Strict, Role::Text));
                out.push(Span::ours(format!(":{line}, picked"), Role::Text));
            }
            Evidence::Rationale(_) => out.push(Span::ours("your own words", Role::Text)),
        }
    }
    out
}

fn gates(facts: &Facts<'_>, width: usize, out: &mut Vec<Row>) {
    out.push(
        Row::ours(" GATES", Role::Muted)
            .to(13, true)
            .and("the strictest of them is the ruling", Role::Muted),
    );
    for (at, name) in GATES.iter().enumerate() {
        for row in facts.judgment.trace.iter().filter(|row| row.rule == *name) {
            rule(facts, row, ("", Role::Muted), width, out);
        }
        if at == 0 {
            let verify = facts.judgment.verify;
            out.push(
                Row::ours("   verify", Role::Muted)
                    .to(13, true)
                    .and(verify.word(), verdict_role(verify)),
            );
        }
    }
}

/// What to read before the signature: what is not known, the nearest other verdict, what is
/// written.
#[must_use]
pub fn before(facts: &Facts<'_>, width: usize) -> Vec<Row> {
    let mut out = Vec::new();
    let mut block = |title: &str, lines: Vec<(String, Role)>| {
        if lines.is_empty() {
            return;
        }
        gap(facts, &mut out);
        out.push(Row::ours(format!(" {title}"), Role::Muted));
        for (line, role) in lines {
            let text = facts.shown(&line.as_str().into(), Place::Prose, role);
            for line in wrap_prose(&text, width.saturating_sub(5).max(8)) {
                out.push(Row::ours("   ", Role::Text).spans(line));
            }
        }
    };
    let know = still_to_know(facts);
    block(
        "STILL TO KNOW",
        know.into_iter().map(|line| (line, Role::Text)).collect(),
    );
    let nearest = facts.judgment.nearest.clone();
    block(
        "NEAREST OTHER",
        Some((nearest, Role::Text))
            .into_iter()
            .filter(|(text, _)| !text.is_empty())
            .collect(),
    );
    if facts.state.world.ruled.is_none() {
        let decided = words::count(facts.dossier.decisions.len(), "decision");
        block(
            "WRITTEN WHEN YOU SIGN",
            vec![
                (
                    format!("ledger    {decided} are there; 1 ruling is added"),
                    Role::Text,
                ),
                (
                    "hand-off  one file for the agent, one to read".to_owned(),
                    Role::Text,
                ),
                (
                    "contract  only what is switched on above; nothing is posted".to_owned(),
                    Role::Text,
                ),
            ],
        );
    }
    out
}

/// What a person should know before they sign, whole fragments.
#[must_use]
pub fn still_to_know(facts: &Facts<'_>) -> Vec<String> {
    let mut out = Vec::new();
    let says = facts.judgment.hidden.says();
    let loud = facts.judgment.hidden.all().is_loud();
    out.extend(says.clone().filter(|_| loud));
    let criteria = facts.record().map(|record| &record.contract.criteria);
    let ids = criteria.into_iter().flatten().map(|c| &c.id);
    let weak: Vec<&str> = ids
        .filter(|id| !facts.dossier.weaknesses(id).is_empty())
        .map(CriterionId::as_str)
        .collect();
    if !weak.is_empty() {
        out.push(format!("weak oracle: {}", weak.join(" ")));
    }
    let passes = weak.iter().filter(|id| {
        let id = CriterionId::new(id);
        let run = id.and_then(|id| facts.dossier.control(&id));
        run.is_some_and(|run| run.outcome == Outcome::Met)
    });
    let passes: Vec<&str> = passes.copied().collect();
    if !passes.is_empty() {
        out.push(format!("passes on base too: {}", passes.join(" ")));
    }
    let unseen = facts
        .dossier
        .decisions
        .iter()
        .filter(|decision| matches!(decision.value.act(), Act::RatifyUnseen { .. }))
        .count();
    if unseen > 0 {
        out.push(format!("ratified unseen: {unseen}"));
    }
    let mut hidden = 0;
    for file in facts.files() {
        let Known::Is(counts) = &file.counts else {
            hidden += 1;
            continue;
        };
        let seen = facts.state.seen.file_lines.get(&file.path);
        let seen = seen.map_or(0, std::collections::BTreeSet::len);
        if seen < (counts.added + counts.removed) as usize {
            hidden += 1;
        }
    }
    if hidden > 0 {
        let files = words::count(hidden, "file");
        out.push(format!(
            "not all of it was on screen: {files} of the change"
        ));
    }
    out.extend(says.filter(|_| !loud));
    out.extend(facts.dossier.kept.iter().map(Kept::says));
    let beside = facts.dossier.notes.iter();
    out.extend(beside.map(|note| notes::sentence(facts, note)));
    out
}
