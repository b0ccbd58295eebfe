//! The rounds of a change on the verdict page: one row for each marker and each ruling, what is in
//! force at this head marked as such, what does not count greyed.

use crate::app::row::{Role, Row, cut};
use crate::gate::verify::markers::markers;
use crate::gate::verify::timeline::{At, Moment, Source, timeline};
use crate::model::known::Known;
use crate::model::text::Place;
use crate::model::thread::Channel;

use super::chrome::verdict_role;
use super::facts::Facts;

/// The moments; none while no comment holds a marker.
#[must_use]
pub fn moments(facts: &Facts<'_>) -> Vec<Moment> {
    let Known::Is(threads) = &facts.dossier.request.threads else {
        return Vec::new();
    };
    let authors = &facts.state.world.policy.marker_authors;
    let found = markers(&threads.threads, authors);
    if found.is_empty() {
        return Vec::new();
    }
    timeline(&found, &facts.dossier.rulings, facts.dossier.snapshot.head)
}

/// What a moment is in words, without who said it.
#[must_use]
pub fn words(moment: &Moment) -> (String, String) {
    let says = match moment.says {
        Ok((round, verdict)) => format!("round {round}  {}", verdict.word()),
        Err(why) => format!("no marker: {why}"),
    };
    let from = match &moment.source {
        Source::Comment(Channel::Inline) => "an inline comment".to_owned(),
        Source::Comment(Channel::Reviews) => "a review".to_owned(),
        Source::Comment(Channel::Conversation) => "a comment".to_owned(),
        Source::Ledger(number) => format!("the ledger, #{number}"),
    };
    let mut parts = vec![from];
    match moment.at {
        At::Here => parts.push("this head".into()),
        At::Other(oid) => parts.push(format!("another head, {}", oid.short())),
        At::Unnamed if moment.says.is_ok() => parts.push("names no head".into()),
        At::Unnamed => {}
    }
    if moment.edited {
        parts.push("edited".into());
    }
    if !moment.counts && moment.says.is_ok() {
        parts.push("does not count".into());
    }
    (says, parts.join(", "))
}

/// The rows, under a heading of their own.
pub fn rows(facts: &Facts<'_>, width: usize, out: &mut Vec<Row>) {
    let moments = moments(facts);
    if moments.is_empty() {
        return;
    }
    out.push(
        Row::ours(" ROUNDS", Role::Muted)
            .to(13, true)
            .and("markers in comments, and rulings", Role::Muted),
    );
    for moment in &moments {
        let (says, from) = words(moment);
        let role = match moment.says {
            Ok((_, verdict)) if moment.counts => verdict_role(verdict),
            Ok(_) | Err(_) => Role::Muted,
        };
        let mut spans = Row::ours(format!("{says:<20}  "), role).left;
        spans.extend(match &moment.by {
            Some(by) => facts.shown(by, Place::Strict, Role::Text),
            None => Row::ours("an account that is gone", Role::Muted).left,
        });
        spans.extend(Row::ours(format!("  {from}"), Role::Muted).left);
        let mark = if moment.in_force { "in force " } else { "" };
        let room = width.saturating_sub(4 + mark.len());
        let row = Row::ours("   ", Role::Text).spans(cut(&spans, room));
        out.push(row.at_right(mark, role));
    }
}
