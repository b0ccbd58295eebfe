//! Small boxes: all rulings of an item, questions with named letters, what follows a prefix,
//! and the palette.

use crate::app::command::Command;
use crate::app::row::{Ground, Role, Row, Span, cut, cut_path, width};
use crate::app::scene::Scene;
use crate::app::state::{Confirm, Mode, Palette, State};
use crate::app::subject::name_of;
use crate::app::triage::boxes::told;
use crate::app::triage::{Answered, parts};
use crate::app::update::footer::live_commands;
use crate::app::update::menus;
use crate::app::update::triage::{gives, goes_out};
use crate::gate::dossier::Subject;
use crate::gate::menu::reply::reply;
use crate::model::format::Format;
use crate::model::known::Known;
use crate::model::text::Place;

use super::boxes::Boxed;
use super::facts::Facts;
use super::words;

/// All permits of the selected item, closed ones with their reason.
pub fn rulings(facts: &Facts<'_>, at: usize, scene: &mut Scene) {
    let state = facts.state;
    let mut boxed = Boxed::new(state, 80);
    for (number, row) in menus::rulings(state).into_iter().enumerate() {
        let live = row.closed.is_none();
        let key = match (live, row.key.is_empty()) {
            (false, _) => "–".to_owned(),
            (true, true) => (number + 1).to_string(),
            (true, false) => row.key,
        };
        let role = if live { Role::Text } else { Role::Muted };
        let mark = if number == at { "▸" } else { " " };
        let line = Row::ours(format!(" {mark} "), Role::Accent)
            .and(
                format!("{key:<3}"),
                if live { Role::Accent } else { Role::Muted },
            )
            .and(row.says, role);
        boxed.push(if number == at {
            line.on(Ground::Selected)
        } else {
            line
        });
        if let Some(why) = row.closed {
            boxed.say("   closed", &why, Role::Muted);
        }
    }
    let name = facts.subject().map(name_of).unwrap_or_default();
    let left = Row::ours(format!("Rulings for {name}"), Role::Strong);
    let right = Row::ours("from the permits of the gate", Role::Muted);
    boxed.put(left, right, scene);
}

/// Files that could be the contract, with what speaks for each.
pub fn contracts(facts: &Facts<'_>, at: usize, scene: &mut Scene) {
    let state = facts.state;
    let mut boxed = Boxed::new(state, 100);
    for (number, (path, why)) in menus::contracts(state).iter().enumerate() {
        let mark = if number == at { "▸" } else { " " };
        let key = if number < 9 {
            (number + 1).to_string()
        } else {
            String::new()
        };
        let room = usize::from(boxed.width).saturating_sub(7);
        let name = facts.shown(&path.foreign(), Place::Strict, Role::Text);
        let line = Row::ours(format!(" {mark} "), Role::Accent)
            .and(format!("{key:<3}"), Role::Accent)
            .spans(cut_path(&name, room));
        boxed.push(if number == at {
            line.on(Ground::Selected)
        } else {
            line
        });
        let why = facts.shown(&why.as_str().into(), Place::Prose, Role::Muted);
        let why: String = why.into_iter().map(|span| span.text).collect();
        boxed.say("      ", &why, Role::Muted);
    }
    boxed.gap();
    let key = |command| state.keys.shown(command);
    boxed.key(
        &key(Command::MenuDo),
        "take it as the contract; recorded, and remembered",
    );
    boxed.key(&key(Command::GoOut), "none yet: nothing is judged");
    let left = Row::ours("Which file is the contract?", Role::Strong);
    let right = Row::ours("several could be it", Role::Muted);
    boxed.put(left, right, scene);
}

/// Formats that the contract could be read as.
pub fn formats(facts: &Facts<'_>, at: usize, scene: &mut Scene) {
    let state = facts.state;
    let mut boxed = Boxed::new(state, 92);
    // on a low screen the rows before the cursor give way
    let room = usize::from(state.screen.size.1).saturating_sub(7).max(1);
    let rows = menus::formats().into_iter().enumerate();
    for (number, (format, says)) in rows.skip((at + 1).saturating_sub(room)) {
        let mark = if number == at { "▸" } else { " " };
        let name = format.map_or("detect it", Format::name);
        let line = Row::ours(format!(" {mark} "), Role::Accent)
            .and(format!("{name:<14}"), Role::Text)
            .and(says, Role::Muted);
        boxed.push(if number == at {
            line.on(Ground::Selected)
        } else {
            line
        });
    }
    boxed.gap();
    let key = |command| state.keys.shown(command);
    boxed.key(
        &key(Command::MenuDo),
        "read the contract so; decisions of this snapshot stay recorded",
    );
    boxed.key(&key(Command::GoOut), "leave it as it is");
    let left = Row::ours("Read the contract as", Role::Strong);
    let right = menus::record(state).map_or_else(String::new, |record| {
        let contract = &record.contract;
        let (name, sure) = (contract.format.name(), contract.confidence.word());
        format!("now {name}, {sure}: {}", contract.why)
    });
    boxed.put(left, Row::ours(right, Role::Muted), scene);
}

/// A question.
pub fn confirm(facts: &Facts<'_>, question: &Confirm, scene: &mut Scene) {
    let state = facts.state;
    let mut boxed = Boxed::new(state, 64);
    let key = |command| state.keys.shown(command);
    let (left, right) = match question {
        Confirm::Lock(subject) => {
            let missing = missing(facts, subject, scene);
            boxed.say(
                "",
                &format!("Not on your screen yet: {missing}."),
                Role::Text,
            );
            boxed.gap();
            boxed.key(&key(Command::ConfirmShow), "shows it, and r is open then");
            if state.ratifies(subject) {
                boxed.key(
                    &key(Command::RatifyUnseen),
                    "ratify unseen: asks why, is recorded so",
                );
            }
            boxed.key(&key(Command::GoOut), "nothing");
            (
                Row::ours(format!("r is locked for {}", name_of(subject)), Role::Warn),
                Row::ours("not seen yet", Role::Muted),
            )
        }
        Confirm::Seen(subject) => {
            let text = "Everything that decides it was on your screen, so a ratify is not \
                        unseen and asks for no reason. Nothing was decided.";
            boxed.say("", text, Role::Text);
            boxed.gap();
            let back = format!("back to it; {} ratifies there", key(Command::Ratify));
            boxed.key(&key(Command::GoOut), &back);
            (
                Row::ours(format!("{} was seen", name_of(subject)), Role::Strong),
                Row::ours("no note opens", Role::Muted),
            )
        }
        Confirm::Who => {
            let (name, place) = recorded_as(facts);
            let mut spans = vec![Span::ours("Decisions would be recorded as ", Role::Text)];
            spans.extend(name);
            spans.push(Span::ours(format!(", from {place}."), Role::Text));
            boxed.spans("", &spans);
            boxed.gap();
            boxed.key(
                &key(Command::ConfirmLeave),
                "that is me; asked once on this machine",
            );
            boxed.key(
                &key(Command::GoOut),
                "not me: nothing is decided; set name in the config",
            );
            (
                Row::ours("Who sits here?", Role::Strong),
                Row::ours("nothing was decided", Role::Muted),
            )
        }
        Confirm::Leave => {
            let drafts = words::count(state.drafts.len(), "draft");
            let decided = words::count(facts.judgment.decided, "decision");
            boxed.say(
                "",
                &format!("{decided} recorded, {drafts} kept."),
                Role::Text,
            );
            if let Some(goes) = goes_out(facts.judgment.replies.len()) {
                boxed.say("", &goes, Role::Text);
            }
            boxed.gap();
            boxed.key(&key(Command::ConfirmLeave), "leave undecided");
            boxed.key(&key(Command::OwedNext), "the next thing you owe");
            boxed.key(&key(Command::Verdict), "the verdict as it stands");
            boxed.key(&key(Command::GoOut), "stay");
            (
                Row::ours(
                    format!("Leave with {} owed?", facts.judgment.owed),
                    Role::Strong,
                ),
                Row::ours("exit code 5", Role::Muted),
            )
        }
        Confirm::Reply(replying) => {
            let Subject::Message(id) = &replying.subject else {
                return;
            };
            let Some(gate) = state.gate_of(id) else {
                return;
            };
            let answered = Answered {
                reply: reply(&gate.message, &replying.given.text),
                typed: replying.given.text.clone(),
            };
            let columns = usize::from(boxed.width) + 2;
            let most = usize::from(boxed.height).saturating_sub(4).max(1);
            for row in told(&answered, columns, most) {
                boxed.push(row);
            }
            boxed.gap();
            boxed.key(
                &key(gives(replying)),
                "records it; it goes out when you leave",
            );
            boxed.key(&key(Command::GoOut), "back, nothing sent");
            (
                Row::ours(format!("What goes to {}", parts::name(gate)), Role::Strong),
                Row::ours(format!("message {}", id.digest.short()), Role::Muted),
            )
        }
        Confirm::Weak(subject) => {
            if let Subject::Criterion(id) = subject {
                for why in facts.dossier.weaknesses(id) {
                    boxed.say("WEAK", why, Role::Warn);
                }
            }
            boxed.gap();
            boxed.key(&key(Command::Ratify), "ratify all the same");
            boxed.key(
                &key(Command::KickBack),
                "kick back: the oracle proves too little",
            );
            boxed.key(&key(Command::GoOut), "read it again");
            (
                Row::ours(
                    format!("{} rests on weak evidence", name_of(subject)),
                    Role::Warn,
                ),
                Row::ours("read it again", Role::Muted),
            )
        }
    };
    boxed.put(left, right, scene);
}

/// The name in the record, and where it was found.
fn recorded_as(facts: &Facts<'_>) -> (Vec<Span>, &'static str) {
    match &facts.dossier.who {
        Known::Is(who) => (
            facts.shown(&who.name().into(), Place::Strict, Role::Strong),
            who.found_in.place(),
        ),
        Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => (Vec::new(), "nowhere"),
    }
}

/// The deciding rows of an item that were never on screen.
fn missing(facts: &Facts<'_>, subject: &Subject, scene: &Scene) -> String {
    let rows = scene.deciding.as_ref().map(|deciding| {
        let missing = deciding.missing.iter();
        missing
            .filter(|label| !facts.was_on_screen(subject, label))
            .cloned()
            .collect::<Vec<_>>()
    });
    match rows {
        Some(rows) if rows.len() > 4 => {
            let first: Vec<String> = rows.iter().take(4).cloned().collect();
            format!("{} and {} more", first.join(", "), rows.len() - 4)
        }
        Some(rows) if !rows.is_empty() => rows.join(", "),
        Some(_) | None => "the deciding rows, or not for long enough".to_owned(),
    }
}

/// What can follow a prefix.
pub fn prefix(state: &State, prefix: char, scene: &mut Scene) {
    let mut boxed = Boxed::new(state, 60);
    let live = live_commands(state);
    if live.is_empty() {
        boxed.say("", "a letter: a to z", Role::Text);
    }
    let columns = if boxed.width >= 50 { 2 } else { 1 };
    for pair in live.chunks(columns) {
        let mut row = Row::default();
        for (at, one) in pair.iter().enumerate() {
            let closed = one.closed.is_some();
            let role = if closed { Role::Muted } else { Role::Text };
            row = row
                .to(at * usize::from(boxed.width) / 2 + 1, true)
                .and(format!("{:<5}", one.keys), Role::Accent)
                .and(one.label.clone(), role);
        }
        boxed.push(row);
    }
    let name = match prefix {
        'o' => "o …  open",
        'M' => "M …  set a mark",
        _ => "' …  jump to a mark",
    };
    let right = Row::ours("one key, Esc cancels", Role::Muted);
    boxed.put(Row::ours(name, Role::Strong), right, scene);
}

/// Commands by name.
pub fn palette(state: &State, palette: &Palette, scene: &mut Scene) {
    let mut boxed = Boxed::new(state, 80);
    boxed.field(&palette.input, true, 1);
    if let Some(row) = boxed.rows.first_mut()
        && let Some(mark) = row.left.first_mut()
    {
        " : ".clone_into(&mut mark.text);
    }
    let rows = menus::palette(state);
    let view = usize::from(boxed.height).saturating_sub(1).clamp(1, 14);
    let top = (palette.at + 1).saturating_sub(view);
    let count = rows.len();
    let inside = usize::from(boxed.width);
    for (at, live) in rows.into_iter().enumerate().skip(top).take(view) {
        let mark = if at == palette.at { "▸" } else { " " };
        let role = if live.closed.is_some() {
            Role::Muted
        } else {
            Role::Text
        };
        let tail = match &live.closed {
            Some(why) => cut(&[Span::ours(format!("– {why}"), Role::Muted)], inside / 2),
            None => vec![Span::ours(live.keys.clone(), Role::Accent)],
        };
        let room = inside.saturating_sub(4 + crate::app::row::width_of(&tail) + 2);
        let words = cut(&[Span::ours(live.label, role)], room);
        let mut row = Row::ours(format!(" {mark} "), Role::Accent).spans(words);
        row.right = tail;
        row.right.push(Span::ours(" ", Role::Text));
        boxed.push(if at == palette.at {
            row.on(Ground::Selected)
        } else {
            row
        });
    }
    if count == 0 {
        boxed.say("", "no command is called that", Role::Muted);
    }
    let right = Row::ours(
        format!("{} fit", words::count(count, "command")),
        Role::Muted,
    );
    boxed.put(Row::ours("Commands", Role::Strong), right, scene);
    debug_assert!(width(":") == 1);
}

/// The box of the mode, if it has one.
pub fn draw(facts: &Facts<'_>, scene: &mut Scene) {
    let state = facts.state;
    match &state.mode {
        Mode::Rulings(at) => rulings(facts, *at, scene),
        Mode::Contracts(at) => contracts(facts, *at, scene),
        Mode::Formats(at) => formats(facts, *at, scene),
        Mode::Inspect(top) => super::inspect::draw(state, *top, scene),
        Mode::Confirm(question) => confirm(facts, question, scene),
        Mode::Prefix(letter) => prefix(state, *letter, scene),
        Mode::Palette(open) => palette(state, open, scene),
        Mode::Note(note) => super::note::draw(state, note, scene),
        Mode::SignOne(sign) => super::sign::first(facts, sign, scene),
        Mode::SignTwo(sign) => super::sign::second(facts, sign, scene),
        Mode::Browse
        | Mode::Search(_)
        | Mode::Matches { .. }
        | Mode::Picker(_)
        | Mode::Trust(_)
        | Mode::Carry(_)
        | Mode::SignEdits(_)
        | Mode::Help(_) => {}
    }
}
