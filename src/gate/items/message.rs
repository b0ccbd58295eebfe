//! The rows of gate messages: each is owed until it has its reply, and the reply belongs to its
//! bytes and to the head that is reviewed (verdict-menus 6.2, edges 35 and 45).

use crate::gate::decide::{Act, Decision};
use crate::gate::dossier::{Recorded, Still, Subject, Waiting};
use crate::gate::judge::{Findings, Item, Pane, StandingReply, TraceResult, TraceRow};
use crate::gate::menu::given::Given;
use crate::gate::menu::levers::Lever;
use crate::gate::permit::{Closure, Permit, Permits, Verb};
use crate::gate::standing_facts::Facts;
use crate::model::menu::Opening;
use crate::model::standing::Standing;

use super::{already, conflict, count, name_of};

/// What affirming does: a pick, a token, an answer, a grant; only once the message was read.
const SEND: &str = "send the reply";
/// What sending back does.
const OVERRULE: &str = "answer in your words";
/// What setting aside does.
const GIVE_UP: &str = "give a criterion up";

/// One row for each message, in the order they were handed in.
pub(in crate::gate) fn message_items(facts: &Facts<'_>) -> Vec<Item> {
    let messages = facts.dossier.messages.iter();
    messages.map(|waiting| item(facts, waiting)).collect()
}

fn item(facts: &Facts<'_>, waiting: &Waiting) -> Item {
    let subject = Subject::Message(waiting.message.id());
    let said = facts.said(&subject);
    let standing = standing(facts, &subject);
    let given = standing.map(|(_, given)| given);
    let (standing, word, owed) = match (&waiting.still, given) {
        (Still::Delivered, _) => (Standing::Ratified, "delivered", false),
        (Still::Gone(_), _) => (Standing::Stale, "gone", false),
        (Still::Waits, Some(given)) => {
            let standing = match given.verb() {
                Verb::SendBack => Standing::KickedBack,
                Verb::SetAside => Standing::Abandoned,
                _ => Standing::Ratified,
            };
            (standing, given.word(), false)
        }
        (Still::Waits, None) if said.earlier.is_some() => (Standing::Stale, "stale", true),
        (Still::Waits, None) => (Standing::Unproven, "waits", true),
    };
    let over = matches!(waiting.message.opening, Opening::Done(_));
    let closure = match (&waiting.still, given) {
        (Still::Delivered, _) => Some(Closure::new(
            "verdict-menus 6.2",
            "its reply was delivered already",
            "",
        )),
        (Still::Gone(why), _) => Some(Closure::new(
            "verdict-menus 6.2",
            why.clone(),
            "F5 reads it again.",
        )),
        (Still::Waits, None) if over => Some(Closure::new(
            "verdict-menus 1.1",
            "the run is over, nothing waits for a reply",
            "",
        )),
        (Still::Waits, _) => None,
    };
    let permits = Permits::absent(subject.clone());
    let permits = match (closure, given) {
        (Some(closure), _) => permits
            .with(Verb::Affirm, closure.clone().of(SEND))
            .with(Verb::SendBack, closure.of(OVERRULE)),
        (None, Some(given)) => {
            let done = format!("{} is {}", name_of(&subject), given.word());
            permits
                .with(Verb::Affirm, already(&done, SEND))
                .with(Verb::SendBack, already(&done, OVERRULE))
                .with(Verb::SetAside, already(&done, GIVE_UP))
        }
        (None, None) => permits
            .with(Verb::Affirm, Permit::Locked(SEND))
            .with(Verb::SendBack, Permit::Open(OVERRULE))
            .with(Verb::SetAside, give_up(waiting)),
    };
    let mut limits = Vec::new();
    if let Some(earlier) = said.earlier.filter(|_| given.is_none()) {
        let head = earlier.value.snapshot().head.short();
        limits.push(format!("it was answered for {head}, which is not the head"));
    }
    limits.extend(conflict(facts, &subject, &said));
    Item {
        permits,
        subject,
        pane: Pane::Triage,
        standing,
        word,
        owed: owed && !over,
        blocks: owed && !over,
        limits,
        badge: None,
    }
}

fn give_up(waiting: &Waiting) -> Permit {
    match Lever::Abandon.closed(&waiting.message) {
        Some(why) => Closure::new("verdict-menus 6.3", why, "").of(GIVE_UP),
        None => Permit::Open(GIVE_UP),
    }
}

/// The reply that counts for the head that is reviewed.
fn standing<'a>(
    facts: &Facts<'a>,
    subject: &Subject,
) -> Option<(&'a Recorded<Decision>, &'a Given)> {
    let now = facts.said(subject).now?;
    match now.value.act() {
        Act::Reply(given) => Some((now, given)),
        _ => None,
    }
}

/// The replies that stand and that can still reach their message.
pub(in crate::gate) fn replies(facts: &Facts<'_>) -> Vec<StandingReply> {
    let waiting = facts.dossier.messages.iter();
    let waiting = waiting.filter(|one| one.still == Still::Waits);
    waiting
        .filter_map(|one| {
            let id = one.message.id();
            let (decision, given) = standing(facts, &Subject::Message(id.clone()))?;
            Some(StandingReply {
                message: id,
                entry: decision.entry,
                by: decision.value.by().to_owned(),
                given: given.clone(),
            })
        })
        .collect()
}

/// The triage gate, as a row of the trace.
pub(in crate::gate) fn gate(found: &Findings<'_>) -> TraceRow {
    let items = || found.items.iter().filter(|item| item.pane == Pane::Triage);
    let all = items().count();
    let owed = items().filter(|item| item.owed).count();
    let gone = items().filter(|item| item.word == "gone").count();
    let (mut says, result) = match (all, owed) {
        (0, _) => (
            "does not apply: no gate message".to_owned(),
            TraceResult::Absent,
        ),
        (_, 0) => (
            format!("{}, none waits for a reply", count(all, "gate message")),
            TraceResult::Clear,
        ),
        (_, owed) => (
            format!("{owed} of {} without a reply", count(all, "gate message")),
            TraceResult::Fires,
        ),
    };
    if gone > 0 {
        says.push_str(&format!(", {gone} can't be replied to any more"));
    }
    TraceRow {
        rule: "triage",
        says,
        result,
        ids: Vec::new(),
    }
}
