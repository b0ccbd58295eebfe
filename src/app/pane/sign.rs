//! The sign-off. The first page reads back what will be true for ever and takes the texts that
//! the rule asks for; the second is typed. `Enter` alone never signs.

use crate::app::command::Command;
use crate::app::edit::EditOrder;
use crate::app::row::{Role, Row, Span};
use crate::app::scene::Scene;
use crate::app::state::{SignOff, State};
use crate::app::subject::name_of;
use crate::app::update::sign::CHALLENGE;
use crate::app::update::writes::chosen;
use crate::model::known::Known;
use crate::model::ruling::{RootCause, Verdict};
use crate::model::standing::Standing;
use crate::model::text::Place;

use super::boxes::Boxed;
use super::chrome::verdict_role;
use super::facts::Facts;
use super::{verdict_why, words};

/// The first page.
pub fn first(facts: &Facts<'_>, sign: &SignOff, scene: &mut Scene) {
    let state = facts.state;
    let (change, pins) = (&facts.dossier.change, &facts.dossier.snapshot);
    let mut boxed = Boxed::new(state, 80);
    let mut name = facts.shown(&change.repository_name, Place::Strict, Role::Text);
    name.push(Span::ours(" ", Role::Text));
    name.extend(facts.shown(&change.key.as_str().into(), Place::Strict, Role::Text));
    name.push(Span::ours(" → ", Role::Muted));
    name.extend(facts.shown(&change.base.name, Place::Strict, Role::Text));
    boxed.spans("change", &name);
    let contract = pins.contract.map_or_else(
        || "none".to_owned(),
        |digest| digest.short().chars().take(8).collect(),
    );
    boxed.say(
        "snapshot",
        &format!(
            "head {}  tree {}  base {}  contract {contract}",
            pins.head.abbreviated(12),
            pins.tree.abbreviated(8),
            words::short(&pins.merge_base)
        ),
        Role::Text,
    );
    boxed.say("decided", &decided(facts), Role::Text);
    for line in verdict_why::still_to_know(facts).into_iter().take(3) {
        boxed.say("watch", &line, Role::Warn);
    }
    if let Known::Is(who) = &facts.dossier.who {
        let mut spans = vec![Span::ours(
            format!("{} as ", who.reach().label()),
            Role::Text,
        )];
        spans.extend(facts.shown(&who.name().into(), Place::Strict, Role::Text));
        if let Some(key) = &who.key {
            spans.push(Span::ours(
                format!(", once key {} has sealed it", key.short()),
                Role::Text,
            ));
        }
        if facts.dossier.self_ratified.known() == Some(&true) {
            spans.push(Span::ours(" · self-ratified: your own work", Role::Warn));
        }
        boxed.spans("assurance", &spans);
    }
    let mut writes = vec!["1 ruling".to_owned(), "the hand-off".to_owned()];
    writes.extend(chosen(state).iter().map(EditOrder::says));
    let writes = format!("{} · nothing is posted", writes.join(" · "));
    boxed.spans(
        "writes",
        &facts.shown(&writes.as_str().into(), Place::Prose, Role::Text),
    );
    boxed.gap();
    if sign.verdict != Verdict::Approved {
        class(sign, &mut boxed);
    }
    let active = sign.at == 1;
    let role = if active { Role::Strong } else { Role::Muted };
    boxed.push(Row::ours(" strongest remaining attack", role));
    let free = usize::from(boxed.height).saturating_sub(boxed.rows.len() + 1);
    boxed.field(&sign.attack, active, free.clamp(1, 4));
    boxed.put(
        Row::ours(
            format!("Sign off, 1 of {}: read it back", pages(sign)),
            Role::Strong,
        ),
        right(facts, sign),
        scene,
    );
}

/// How many pages the sign-off has: one more when something is written into a file.
fn pages(sign: &SignOff) -> u8 {
    if sign.writes.is_some() { 3 } else { 2 }
}

fn class(sign: &SignOff, boxed: &mut Boxed) {
    let mut spans = Vec::new();
    for class in RootCause::ALL {
        let chosen = sign.root_cause == Some(class);
        let role = match (chosen, sign.at == 0) {
            (true, true) => Role::Accent,
            (true, false) => Role::Strong,
            (false, _) => Role::Muted,
        };
        spans.push(Span::ours(if chosen { "▸" } else { " " }, Role::Accent));
        spans.push(Span::ours(format!("{} ", class.word()), role));
    }
    if let Some(last) = spans.last_mut() {
        last.text.truncate(last.text.trim_end().len());
    }
    boxed.spans("class", &spans);
}

/// `3 ratified, 4 kicked back`.
fn decided(facts: &Facts<'_>) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    let here = facts.dossier.decisions.iter();
    let here = here.filter(|one| facts.dossier.holds(one.value.snapshot()));
    for decision in here {
        let word = decision.value.word();
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    if counts.is_empty() {
        return "nothing".to_owned();
    }
    let parts: Vec<String> = counts
        .into_iter()
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    parts.join(", ")
}

fn right(facts: &Facts<'_>, sign: &SignOff) -> Row {
    let round = match &facts.dossier.round {
        Known::Is(round) => format!(" · round {round}"),
        Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => String::new(),
    };
    Row::ours(sign.verdict.word(), verdict_role(sign.verdict)).and(round, Role::Muted)
}

/// Criteria that the ruling leaves out, blank between them.
fn abandoned(facts: &Facts<'_>) -> String {
    let ids: Vec<String> = facts
        .judgment
        .items
        .iter()
        .filter(|item| item.standing == Standing::Abandoned)
        .map(|item| name_of(&item.subject))
        .collect();
    ids.join(" ")
}

/// The second page.
pub fn second(facts: &Facts<'_>, sign: &SignOff, scene: &mut Scene) {
    let state = facts.state;
    let mut boxed = Boxed::new(state, 80);
    let head = facts.dossier.snapshot.head.abbreviated(12);
    boxed.spans(
        "",
        &[
            Span::ours("The verdict will be  ", Role::Text),
            Span::ours(sign.verdict.word(), verdict_role(sign.verdict)),
            Span::ours("  for head  ", Role::Text),
            Span::ours(head, Role::Strong),
        ],
    );
    boxed.gap();
    boxed.say(
        "",
        &if state.screen.plain {
            format!("Type the first {CHALLENGE} characters of the head.")
        } else {
            format!(
                "Type the first {CHALLENGE} characters of the head. Pasting does not work here."
            )
        },
        Role::Text,
    );
    let row = u16::try_from(boxed.rows.len()).unwrap_or(0);
    boxed.push(
        Row::ours("     head  ", Role::Muted)
            .and(sign.typed.clone(), Role::Strong)
            .and("▏", Role::Accent),
    );
    let typed = u16::try_from(sign.typed.chars().count()).unwrap_or(0);
    boxed.cursor = Some((11 + typed, row));
    boxed.gap();
    if let Some(plan) = sign.plan().filter(|plan| plan.before != plan.after) {
        let mut spans = vec![Span::ours("Written, once it is signed: ", Role::Text)];
        spans.extend(facts.shown(&plan.path.foreign(), Place::Strict, Role::Text));
        spans.push(Span::ours(
            format!(", sha256 {}", plan.after.short()),
            Role::Muted,
        ));
        boxed.spans("", &spans);
    }
    let partial = abandoned(facts);
    if !partial.is_empty() {
        let are = if partial.contains(' ') { "are" } else { "is" };
        let text = format!("Partial delivery: {partial} {are} abandoned. Every output names it.");
        boxed.say("", &text, Role::Warn);
    }
    boxed.say(
        "",
        "Until \"recorded\" appears nothing is signed; after it, a correction is a new ruling \
         and this one stays. The head is read once more at that moment.",
        Role::Muted,
    );
    if !state.screen.plain {
        boxed.gap();
        boxed.push(last_keys(state, sign));
    }
    boxed.put(
        Row::ours(
            format!("Sign off, {0} of {0}: type it", pages(sign)),
            Role::Strong,
        ),
        right(facts, sign),
        scene,
    );
}

/// The keys that end the last page.
fn last_keys(state: &State, sign: &SignOff) -> Row {
    let missing = CHALLENGE.saturating_sub(sign.typed.chars().count());
    let key = state.keys.shown(Command::SignNow);
    let back = state.keys.shown(Command::SignBack);
    let mut row = Row::ours(" ", Role::Text);
    row = if missing > 0 {
        row.and(key, Role::Muted).and(
            format!(
                " signs (closed: {} missing)",
                words::count(missing, "character")
            ),
            Role::Warn,
        )
    } else {
        row.and(key, Role::Accent).and(" signs", Role::Text)
    };
    row.and("   ", Role::Text)
        .and(back, Role::Accent)
        .and(format!(" back to 1 of {}", pages(sign)), Role::Muted)
}
