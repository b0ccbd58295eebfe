//! The page of the sign-off that shows every line that signing takes out of a file and puts in.

use crate::app::command::Command;
use crate::app::edit::{EditPart, EditPlan};
use crate::app::row::{Role, Row, Span};
use crate::app::scene::{Area, Scene, Title};
use crate::app::state::{Focus, Mode, State};
use crate::app::update::writes;
use crate::model::text::Place;

use super::facts::Facts;
use super::sheet::{Sheet, wrapped};
use super::{scroll, words};

/// Draws the page.
pub fn draw(facts: &Facts<'_>, area: Area, scene: &mut Scene) {
    let Mode::SignEdits(sign) = &facts.state.mode else {
        return;
    };
    let plan = sign.writes.as_ref().and_then(|writes| writes.plan.as_ref());
    let rows = match plan {
        None => vec![Row::ours(
            " … working out what would be written",
            Role::Muted,
        )],
        Some(Err(trouble)) => refused(facts, &trouble.says, &trouble.hint, area.width),
        Some(Ok(plan)) => rows(facts, plan, area.width),
    };
    let title = Title {
        left: Row::ours("Sign off, 2 of 3: what is written", Role::Strong),
        right: Row::ours("nothing is written before you sign", Role::Muted),
        focused: true,
    };
    scroll(facts.state, Focus::Writes, area, title, &rows, scene);
}

/// What the status row says: whether the page can be confirmed.
#[must_use]
pub fn may(state: &State) -> (String, Role) {
    let key = state.keys.shown(Command::SignNow);
    match writes::closed(state) {
        None => (format!("whole page shown · {key} goes on"), Role::Good),
        Some(why) => (format!("{key} closed: {why}"), Role::Warn),
    }
}

fn refused(facts: &Facts<'_>, says: &str, hint: &str, width: u16) -> Vec<Row> {
    let mut sheet = Sheet::new(width, facts.state.screen.ascii, false);
    let says = facts.shown(&says.into(), Place::Prose, Role::Bad);
    sheet.spans("REFUSED", Some(("▲", Role::Bad)), &says, None);
    let hint = facts.shown(&hint.into(), Place::Prose, Role::Text);
    sheet.spans("", None, &hint, None);
    sheet.rows
}

fn rows(facts: &Facts<'_>, plan: &EditPlan, width: u16) -> Vec<Row> {
    let airy = facts.state.screen.size.1 >= 30;
    let mut sheet = Sheet::new(width, facts.state.screen.ascii, !airy);
    let path = facts.shown(&plan.path.foreign(), Place::Strict, Role::Strong);
    sheet.spans("FILE", None, &path, None);
    let none = plan.before == plan.after;
    let about = if none {
        "nothing of it can be written; the reasons stand below".to_owned()
    } else {
        format!(
            "sha256 {} becomes {} · not committed: that is yours to do",
            plan.before.short(),
            plan.after.short()
        )
    };
    sheet.say("", &about, if none { Role::Warn } else { Role::Text });
    for part in &plan.parts {
        sheet.gap();
        one(facts, part, width, &mut sheet);
    }
    sheet.rows
}

fn one(facts: &Facts<'_>, part: &EditPart, width: u16, sheet: &mut Sheet) {
    let says = facts.shown(&part.says.as_str().into(), Place::Prose, Role::Text);
    sheet.spans("EDIT", None, &says, None);
    let lines = match &part.lines {
        Ok(lines) => lines,
        Err(why) => {
            let why = format!("left out: {why}");
            let why = facts.shown(&why.as_str().into(), Place::Prose, Role::Warn);
            sheet.spans("", Some(("▲", Role::Warn)), &why, None);
            return;
        }
    };
    if lines.is_empty() {
        sheet.say("", "the file says so already", Role::Muted);
    }
    let columns = usize::from(width).saturating_sub(11).max(8);
    for line in lines {
        let role = if line.sign == '+' {
            Role::Good
        } else {
            Role::Bad
        };
        let pieces = wrapped(
            facts.state.screen.ascii,
            &line.text,
            Place::Strict,
            Role::Text,
            columns,
        );
        for (at, piece) in pieces.into_iter().enumerate() {
            let head = if at == 0 {
                vec![
                    Span::ours(
                        format!("{:>7} ", words::number(u64::from(line.line))),
                        Role::Muted,
                    ),
                    Span::ours(format!("{} ", line.sign), role),
                ]
            } else {
                vec![Span::ours("          ", Role::Muted)]
            };
            sheet.push(Row::default().spans(head).spans(piece.spans));
        }
    }
}
