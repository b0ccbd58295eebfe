//! Notes: the texts that an act asks for. The title says what it ends in, so that no one takes
//! an abandonment for an approval.

use crate::app::command::Command;
use crate::app::row::{Role, Row, Span};
use crate::app::scene::Scene;
use crate::app::state::{Note, NoteKind, State};
use crate::app::subject::name_of;
use crate::model::ruling::Cause;

use super::boxes::Boxed;
use super::words;

/// Draws the note.
pub fn draw(state: &State, note: &Note, scene: &mut Scene) {
    let mut boxed = Boxed::new(state, 80);
    let room = usize::from(boxed.height);
    match note.kind {
        NoteKind::KickBack => causes(state, note, &mut boxed),
        NoteKind::Abandon => boxed.say(
            "",
            "For a criterion proven impossible. It stays in the contract, is named in every \
             report, and can never add up to a clean APPROVED.",
            Role::Text,
        ),
        NoteKind::RatifyUnseen => boxed.say(
            "",
            "The deciding evidence was not on your screen. It is recorded as exactly that.",
            Role::Warn,
        ),
        NoteKind::Tag => boxed.say(
            "",
            "verifiable: a failing assertion anybody can repeat, it blocks. consider: a \
             hypothesis, it informs. nofollow: for the record only.",
            Role::Text,
        ),
        NoteKind::AcceptPartial => boxed.say(
            "",
            "A hand-off is not a pass: the ruling says partial delivery, everywhere.",
            Role::Text,
        ),
        NoteKind::Override => boxed.say(
            "",
            "It passes against its evidence, under your name. Never green.",
            Role::Warn,
        ),
        NoteKind::Reply => boxed.say(
            "",
            "What the words mean at this gate is shown before anything is recorded.",
            Role::Text,
        ),
        NoteKind::AcceptEdit
        | NoteKind::Lift
        | NoteKind::NotApplicable
        | NoteKind::ScopeDecline
        | NoteKind::ChainClosed
        | NoteKind::ChainAccepted
        | NoteKind::Addressed
        | NoteKind::NotActionable
        | NoteKind::ThreadTicket
        | NoteKind::WaiverHolds
        | NoteKind::WaiverRefused
        | NoteKind::ScopeTicket
        | NoteKind::ScopeEscalate
        | NoteKind::Rationale => {}
    }
    boxed.gap();
    let fields = note.fields.len().max(1);
    let free = room.saturating_sub(boxed.rows.len() + fields + 3);
    let most = (free / fields).clamp(1, 8);
    for (at, (title, area)) in note.fields.iter().enumerate() {
        let active = at == note.at && !note.on_cause;
        let role = if active { Role::Strong } else { Role::Muted };
        boxed.push(Row::ours(format!(" {title}"), role));
        boxed.field(area, active, most);
    }
    boxed.gap();
    let blank = note.blank().len();
    let done = state.keys.shown(Command::NoteDone);
    let mut last = Row::ours(" ", Role::Text);
    last = if blank > 0 {
        last.and(done, Role::Muted).and(
            format!(" closed: {} to fill in", words::count(blank, "text")),
            Role::Warn,
        )
    } else {
        last.and(done, Role::Accent)
            .and(format!(" {}", ends(note.kind)), Role::Text)
    };
    last = last
        .and("   ", Role::Text)
        .and(state.keys.shown(Command::NoteLeave), Role::Accent)
        .and(" keeps the draft", Role::Muted);
    boxed.push(if boxed.width >= 70 {
        last.at_right(format!("for {} ", note.head), Role::Muted)
    } else {
        last
    });
    let (left, right) = title(note);
    boxed.put(left, right, scene);
}

fn title(note: &Note) -> (Row, Row) {
    let name = name_of(&note.subject);
    let text = |text: String| Row::ours(text, Role::Strong);
    match note.kind {
        NoteKind::KickBack => (
            text(format!("Kick back {name}")),
            Row::ours("to the agent, when you sign", Role::Muted),
        ),
        NoteKind::Abandon => (
            Row::ours(
                format!("Abandon {name}: this is not an approval"),
                Role::Warn,
            ),
            Row::ours("never green", Role::Warn),
        ),
        NoteKind::AcceptPartial => (
            text(format!("Accept partial delivery: {name}")),
            Row::ours("never complete", Role::Warn),
        ),
        NoteKind::Lift => (
            text(format!("Lift the abandonment of {name}")),
            Row::ours("owed again", Role::Muted),
        ),
        NoteKind::AcceptEdit => (
            text(format!("Accept {name} as [gated]")),
            Row::ours("written when you sign", Role::Muted),
        ),
        NoteKind::RatifyUnseen => (
            Row::ours(format!("Ratify {name} unseen"), Role::Warn),
            Row::ours("recorded so", Role::Warn),
        ),
        NoteKind::NotApplicable => (
            text(format!("{name} does not apply")),
            Row::ours("recorded under your name", Role::Muted),
        ),
        NoteKind::Override => (
            Row::ours(format!("Override {name} against the evidence"), Role::Warn),
            Row::ours("never green", Role::Warn),
        ),
        NoteKind::ScopeDecline => (
            text(format!("Decline {name}")),
            Row::ours("the agent removes it", Role::Muted),
        ),
        NoteKind::ScopeTicket => (
            text(format!("Ticket {name}")),
            Row::ours("countersign opens no ticket", Role::Muted),
        ),
        NoteKind::ScopeEscalate => (
            text(format!("Escalate {name}")),
            Row::ours("up to somebody with the authority", Role::Muted),
        ),
        NoteKind::ChainClosed => (
            text(format!("Mark {name} CLOSED")),
            Row::ours("by a line of one of its skills", Role::Muted),
        ),
        NoteKind::ChainAccepted => (
            text(format!("Leave {name} open")),
            Row::ours("recorded under your name", Role::Muted),
        ),
        NoteKind::Addressed => (
            text(format!("Mark {name} as addressed")),
            Row::ours("recorded under your name", Role::Muted),
        ),
        NoteKind::NotActionable => (
            text(format!("Nothing is to be done about {name}")),
            Row::ours("recorded under your name", Role::Muted),
        ),
        NoteKind::ThreadTicket => (
            text(format!("Ticket {name}")),
            Row::ours("countersign opens no ticket", Role::Muted),
        ),
        NoteKind::Tag => (
            text(format!("Give {name} the tag that it lacks")),
            Row::ours("recorded under your name", Role::Muted),
        ),
        NoteKind::WaiverHolds => (
            text(format!("Accept the waiver of {name}")),
            Row::ours("recorded under your name", Role::Muted),
        ),
        NoteKind::WaiverRefused => (
            text(format!("Refuse the waiver of {name}")),
            Row::ours("it counts as not applied", Role::Muted),
        ),
        NoteKind::Reply => (
            text(format!("In your words to {name}")),
            Row::ours("goes out when you leave", Role::Muted),
        ),
        NoteKind::Rationale => (
            text(format!("Your own words as evidence of {name}")),
            Row::ours("picked, not decided", Role::Muted),
        ),
    }
}

fn ends(kind: NoteKind) -> &'static str {
    match kind {
        NoteKind::KickBack => "kicks it back",
        NoteKind::Abandon => "abandons it",
        NoteKind::AcceptPartial => "accepts the partial delivery",
        NoteKind::Lift => "lifts the abandonment",
        NoteKind::AcceptEdit => "accepts the edit",
        NoteKind::RatifyUnseen => "ratifies it unseen",
        NoteKind::NotApplicable => "rules that it does not apply",
        NoteKind::Override => "overrides",
        NoteKind::ScopeDecline => "declines it",
        NoteKind::ScopeTicket => "tickets it",
        NoteKind::ScopeEscalate => "escalates it",
        NoteKind::ChainClosed => "marks it closed",
        NoteKind::ChainAccepted => "leaves it open",
        NoteKind::Addressed => "marks it as addressed",
        NoteKind::NotActionable => "rules that nothing is to be done",
        NoteKind::ThreadTicket => "tickets it",
        NoteKind::Tag => "tags it",
        NoteKind::WaiverHolds => "accepts the waiver",
        NoteKind::WaiverRefused => "refuses the waiver",
        NoteKind::Reply => "shows what it means",
        NoteKind::Rationale => "picks your words",
    }
}

/// The four causes, the chosen one marked, and what it means.
fn causes(state: &State, note: &Note, boxed: &mut Boxed) {
    let mut row = Row::ours(" ", Role::Text);
    for (number, cause) in (1..).zip(Cause::ALL) {
        let chosen = cause == note.cause;
        let mark = if chosen { "▸" } else { " " };
        let role = match (chosen, note.on_cause) {
            (true, true) => Role::Accent,
            (true, false) => Role::Strong,
            (false, _) => Role::Muted,
        };
        let gap = if boxed.width >= 70 { "   " } else { " " };
        let key = if note.on_cause {
            format!("{number} ")
        } else {
            String::new()
        };
        row = row
            .and(mark, Role::Accent)
            .and(format!("{key}{}{gap}", cause.word()), role);
    }
    // the digits are text while the words have the keys
    if !note.on_cause {
        let tab = state.keys.shown(Command::NoteField);
        row = row.at_right(format!("{tab} chooses "), Role::Accent);
    }
    boxed.push(row);
    let means = match note.cause {
        Cause::Implementation => "the change does not do it",
        Cause::Evidence => "the oracle proves nothing, or nothing shows it",
        Cause::Criterion => "the contract is wrong: ESCALATE, and no further agent round",
        Cause::Question => "you ask, the agent answers",
    };
    let (preset, why) = state.preset_cause(&note.subject);
    let mut spans = vec![Span::ours(means, Role::Text)];
    if preset == note.cause {
        spans.push(Span::ours(format!(" · preset: {why}"), Role::Muted));
    }
    boxed.spans("", &spans);
}
