//! What is recorded for this change, newest first: rulings, decisions, runs, assertions.

use crate::app::row::{Role, Row, Span, cut};
use crate::app::scene::{Area, Scene, Title};
use crate::app::state::Focus;
use crate::gate::dossier::{LedgerHealth, Subject};
use crate::model::oracle::Outcome;
use crate::model::text::Place;

use super::super::subject::name_of;
use super::facts::Facts;
use super::{scroll, words};

/// Draws the page.
pub fn draw(facts: &Facts<'_>, area: Area, scene: &mut Scene) {
    let rows = rows(facts, usize::from(area.width));
    let (state, role) = match &facts.dossier.ledger {
        LedgerHealth::Ok => ("ok".to_owned(), Role::Good),
        LedgerHealth::Degraded(n) => (
            format!("damaged: {}", words::count(*n as usize, "finding")),
            Role::Warn,
        ),
        LedgerHealth::Tampered(n) => (
            format!("changed: {}", words::count(*n as usize, "finding")),
            Role::Bad,
        ),
        LedgerHealth::Unknown(why) => (format!("unknown: {why}"), Role::Bad),
    };
    let count = entries(facts);
    let title = Title {
        left: Row::ours("Ledger", Role::Strong),
        right: Row::ours(state, role).and(
            format!(
                " · {}",
                words::count(count, "entry").replace("entrys", "entries")
            ),
            Role::Muted,
        ),
        focused: facts.state.nav.focus == Focus::Ledger,
    };
    scroll(facts.state, Focus::Ledger, area, title, &rows, scene);
}

fn entries(facts: &Facts<'_>) -> usize {
    let dossier = facts.dossier;
    dossier.runs.len() + dossier.decisions.len() + dossier.assertions.len() + dossier.rulings.len()
}

/// One row for each entry that stands.
fn rows(facts: &Facts<'_>, width: usize) -> Vec<Row> {
    let dossier = facts.dossier;
    let mut all: Vec<(u64, Row)> = Vec::new();
    for run in &dossier.runs {
        let (word, role) = match run.outcome {
            Outcome::Met => ("passing", Role::Text),
            Outcome::NotMet => ("failing", Role::Bad),
            Outcome::Error => ("not measured", Role::Warn),
        };
        let on = if dossier.is_base_tree(run.tree) {
            " on base"
        } else {
            ""
        };
        let what = vec![Span::ours(format!("{} {word}{on}", run.criterion), role)];
        let by = if run.from_sample {
            "the sample"
        } else {
            "tool"
        };
        let tail = format!(
            "{}  {}",
            words::short(&run.head),
            words::duration(run.duration_ms)
        );
        all.push((
            run.number,
            row(
                width,
                run.number,
                "run",
                &what,
                &[Span::ours(by, Role::Muted)],
                &tail,
            ),
        ));
    }
    for recorded in &dossier.decisions {
        let decision = &recorded.value;
        let mut what = subject(facts, decision.subject());
        what.push(Span::ours(format!(" {}", decision.word()), Role::Text));
        let by = facts.shown(&decision.by().into(), Place::Strict, Role::Text);
        let kind = match decision.carried() {
            Some(_) => "carry",
            None => "decision",
        };
        let tail = format!(
            "{}  {}",
            decision.assurance().label(),
            words::short(&decision.snapshot().head)
        );
        all.push((
            recorded.number,
            row(width, recorded.number, kind, &what, &by, &tail),
        ));
    }
    for recorded in &dossier.assertions {
        let said = &recorded.value;
        let mut what = facts.shown(&said.subject, Place::Strict, Role::Text);
        what.push(Span::ours(" ", Role::Text));
        what.extend(facts.shown(&said.verdict, Place::Strict, Role::Text));
        let tail = format!("L0  {}", words::short(&said.head));
        let by = [Span::ours("an agent, a claim", Role::Warn)];
        all.push((
            recorded.number,
            row(width, recorded.number, "assert", &what, &by, &tail),
        ));
    }
    for recorded in &dossier.rulings {
        let ruling = &recorded.value;
        let role = super::chrome::verdict_role(ruling.verdict());
        let mut what = vec![Span::ours(ruling.verdict().word(), role)];
        if ruling.partial() {
            what.push(Span::ours(" partial delivery", Role::Warn));
        }
        let by = facts.shown(&ruling.by().into(), Place::Strict, Role::Text);
        let tail = format!(
            "{}  {}",
            ruling.assurance().label(),
            words::short(&ruling.snapshot().head)
        );
        all.push((
            recorded.number,
            row(width, recorded.number, "ruling", &what, &by, &tail),
        ));
    }
    all.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    if all.is_empty() {
        return vec![Row::ours(
            " nothing is recorded for this change yet",
            Role::Muted,
        )];
    }
    all.into_iter().map(|(_, row)| row).collect()
}

fn row(width: usize, number: u64, kind: &str, what: &[Span], by: &[Span], tail: &str) -> Row {
    let by_at = width * 3 / 5;
    let mut row = Row::ours(format!("  {number:>4} "), Role::Muted)
        .and(format!("{kind:<10} "), Role::Muted)
        .spans(cut(what, by_at.saturating_sub(20)));
    row = row.to(by_at, true).spans(cut(by, width / 5));
    row.at_right(format!("{tail} "), Role::Muted)
}

/// The subject of an entry, short.
fn subject(facts: &Facts<'_>, subject: &Subject) -> Vec<Span> {
    match subject {
        Subject::Criterion(id) => vec![Span::ours(id.to_string(), Role::Text)],
        Subject::ContractEdit(target) => {
            vec![Span::ours(
                format!("edit of {}", words::target(target)),
                Role::Text,
            )]
        }
        Subject::ScopeFile(path) => facts.shown(&path.foreign(), Place::Strict, Role::Text),
        Subject::Chain(id) => facts.shown(&id.shown().into(), Place::Strict, Role::Text),
        Subject::Review(_) | Subject::Message(_) => vec![Span::ours(name_of(subject), Role::Text)],
        Subject::Assertion(entry) => {
            vec![Span::ours(
                format!("assertion {}", entry.short()),
                Role::Text,
            )]
        }
    }
}
