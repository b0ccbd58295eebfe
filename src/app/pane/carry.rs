//! The page of carry-over: what is gone, what became of the commits, and only then which decisions
//! of the earlier head may be taken over, each with its reason. The letter that carries is locked
//! until every row was on screen.

use std::collections::BTreeSet;

use crate::app::command::Command;
use crate::app::row::{Ground, Role, Row, Span};
use crate::app::scene::{Area, Scene, Title};
use crate::app::state::{CarryPage, Focus, Mode, State};
use crate::gate::carry::{Between, Earlier, Offer, Pair};
use crate::model::id::{EntryId, RepoPath};
use crate::model::known::Known;
use crate::model::snapshot::Snapshot;
use crate::model::text::Place;

use super::super::subject::name_of;
use super::facts::Facts;
use super::sheet::Sheet;
use super::{scroll, words};

/// Most files that are named in one row.
const NAMED: usize = 8;

/// A row of the page, and the decision that it is of.
pub type Line = (Row, Option<EntryId>);

/// Draws the page.
pub fn draw(facts: &Facts<'_>, area: Area, scene: &mut Scene) {
    let Mode::Carry(page) = &facts.state.mode else {
        return;
    };
    let mut rows: Vec<Row> = lines(facts, page, area.width)
        .into_iter()
        .map(|(row, _)| row)
        .collect();
    if let Some(row) = rows.get_mut(page.at) {
        row.ground = Ground::Selected;
    }
    let (marked, all) = (page.marked(&facts.judgment.offers).len(), page_total(facts));
    let head = words::short(&facts.dossier.snapshot.head);
    let title = Title {
        left: Row::ours(
            format!(
                "Carry {marked} of {} to {head}?",
                words::count(all, "decision")
            ),
            Role::Strong,
        ),
        right: Row::ours("nothing is carried by itself", Role::Muted),
        focused: true,
    };
    scroll(facts.state, Focus::Carry, area, title, &rows, scene);
}

fn page_total(facts: &Facts<'_>) -> usize {
    facts.judgment.offers.len()
}

/// What the status row says: whether the letter is open.
#[must_use]
pub fn may(state: &State, page: &CarryPage) -> (String, Role) {
    let key = state.keys.shown(Command::Carry);
    match page.closed(state) {
        None => (format!("whole page shown · {key} carries"), Role::Good),
        Some(why) => (format!("{key} {why}"), Role::Warn),
    }
}

/// The rows of the page. They are composed here and asked for again when a row is marked, so that
/// what is marked is what the row shows.
#[must_use]
pub fn lines(facts: &Facts<'_>, page: &CarryPage, width: u16) -> Vec<Line> {
    let offers = &facts.judgment.offers;
    let mut out: Vec<Line> = Vec::new();
    let mut heads: Vec<&Snapshot> = Vec::new();
    for offer in offers {
        if !heads.contains(&&offer.then) {
            heads.push(&offer.then);
        }
    }
    for then in heads {
        let mut earlier = facts.dossier.earlier.iter();
        let earlier = earlier.find(|one| one.snapshot == *then);
        let mut sheet = sheet(facts, width);
        what_lies_between(facts, then, earlier, &mut sheet);
        sheet.gap();
        out.extend(sheet.rows.into_iter().map(|row| (row, None)));
        for offer in offers.iter().filter(|offer| offer.then == *then) {
            let mut sheet = self::sheet(facts, width);
            one(facts, page, offer, &mut sheet);
            let entry = Some(offer.entry);
            out.extend(sheet.rows.into_iter().map(|row| (row, entry)));
        }
        let mut gap = self::sheet(facts, width);
        gap.push(Row::default());
        out.extend(gap.rows.into_iter().map(|row| (row, None)));
    }
    let mut last = sheet(facts, width);
    written(facts, page, &mut last);
    out.extend(last.rows.into_iter().map(|row| (row, None)));
    out
}

fn sheet(facts: &Facts<'_>, width: u16) -> Sheet {
    let airy = facts.state.screen.size.1 >= 30;
    Sheet::new(width, facts.state.screen.ascii, !airy)
}

fn what_lies_between(
    facts: &Facts<'_>,
    then: &Snapshot,
    earlier: Option<&Earlier>,
    sheet: &mut Sheet,
) {
    let now = &facts.dossier.snapshot;
    let heads = format!("{} → {}", words::short(&then.head), words::short(&now.head));
    sheet.say("HEAD", &heads, Role::Strong);
    let between = match earlier.map(|one| &one.between) {
        Some(Known::Is(between)) => between,
        Some(Known::Unknown(why) | Known::NotApplicable(why)) => {
            let says = format!("the two heads could not be compared: {why}");
            sheet.say_marked(
                "GONE FIRST",
                Some(("…", Role::Warn)),
                &says,
                Role::Warn,
                None,
            );
            return;
        }
        Some(Known::NotSupplied) | None => {
            let says = "this head was not compared: it is too long ago";
            sheet.say_marked(
                "GONE FIRST",
                Some(("…", Role::Warn)),
                says,
                Role::Warn,
                None,
            );
            return;
        }
    };
    gone(facts, between, sheet);
    range(facts, between, sheet);
    if between.changed.is_empty() {
        sheet.say("FILES", "each adds and removes the same lines", Role::Text);
    } else {
        files(
            facts,
            "FILES",
            "changed otherwise: ",
            &between.changed,
            None,
            sheet,
        );
    }
    if then.base == now.base && then.merge_base == now.merge_base {
        sheet.say("BASE", "the same", Role::Text);
    } else if between.base_total == 0 {
        let says = format!(
            "{} → {}, no file of it is under this branch yet",
            words::short(&then.base),
            words::short(&now.base)
        );
        sheet.say("BASE", &says, Role::Moved);
    } else {
        let total = usize::try_from(between.base_total).unwrap_or(usize::MAX);
        let says = format!(
            "{} → {}, {} changed: ",
            words::short(&then.merge_base),
            words::short(&now.merge_base),
            words::count(total, "file")
        );
        files(facts, "BASE", &says, &between.base, Some(total), sheet);
    }
}

/// What is gone stands first, also when nothing is.
fn gone(facts: &Facts<'_>, between: &Between, sheet: &mut Sheet) {
    let dropped = between.pairs().iter().filter(|pair| pair.now.is_none());
    let dropped: Vec<&Pair> = dropped.collect();
    if between.gone.is_empty() && dropped.is_empty() {
        sheet.say(
            "GONE FIRST",
            "nothing was removed, nothing was dropped",
            Role::Text,
        );
        return;
    }
    let mut label = "GONE FIRST";
    for pair in dropped {
        let mut spans = vec![Span::ours("dropped ", Role::Bad)];
        spans.push(Span::ours(oid(pair.then), Role::Strong));
        spans.push(Span::ours("  ", Role::Text));
        spans.extend(facts.shown(&pair.subject, Place::Strict, Role::Text));
        sheet.spans(label, Some(("−", Role::Bad)), &spans, None);
        label = "";
    }
    for path in &between.gone {
        let mut spans = vec![Span::ours("no longer changed: ", Role::Bad)];
        spans.extend(facts.shown(&path.foreign(), Place::Strict, Role::Text));
        sheet.spans(label, Some(("−", Role::Bad)), &spans, None);
        label = "";
    }
}

fn oid(oid: Option<crate::model::id::Oid>) -> String {
    oid.map_or_else(|| "-------".to_owned(), |oid| words::short(&oid))
}

/// The commits of both heads, each beside the one that does the same.
fn range(facts: &Facts<'_>, between: &Between, sheet: &mut Sheet) {
    let pairs = match &between.commits {
        Known::Is(pairs) => pairs,
        Known::Unknown(why) | Known::NotApplicable(why) => {
            let says = format!("could not be made: {why}");
            sheet.say("RANGE-DIFF", &says, Role::Warn);
            return;
        }
        Known::NotSupplied => return,
    };
    let mut label = "RANGE-DIFF";
    for (at, pair) in (1..).zip(pairs.iter().filter(|pair| pair.now.is_some())) {
        let (sign, role) = match (pair.same, pair.then) {
            (true, _) => ("=", Role::Good),
            (false, Some(_)) => ("!", Role::Warn),
            (false, None) => ("+", Role::Warn),
        };
        let mut spans = vec![Span::ours(
            format!("{at}: {} ", oid(pair.then)),
            Role::Muted,
        )];
        spans.push(Span::ours(sign, role));
        spans.push(Span::ours(format!(" {}  ", oid(pair.now)), Role::Muted));
        spans.extend(facts.shown(&pair.subject, Place::Strict, Role::Text));
        sheet.spans(label, None, &spans, None);
        label = "";
    }
    if label == "RANGE-DIFF" {
        sheet.say(label, "no commit is under review any more", Role::Warn);
    }
}

fn files(
    facts: &Facts<'_>,
    label: &str,
    says: &str,
    paths: &[RepoPath],
    total: Option<usize>,
    sheet: &mut Sheet,
) {
    let mut spans = vec![Span::ours(says, Role::Moved)];
    for (at, path) in paths.iter().take(NAMED).enumerate() {
        if at > 0 {
            spans.push(Span::ours(", ", Role::Muted));
        }
        spans.extend(facts.shown(&path.foreign(), Place::Strict, Role::Text));
    }
    let more = total
        .unwrap_or(paths.len())
        .saturating_sub(paths.len().min(NAMED));
    if more > 0 {
        spans.push(Span::ours(
            format!(" and {} more", words::number(more as u64)),
            Role::Muted,
        ));
    }
    sheet.spans(label, None, &spans, None);
}

/// One decision and what becomes of it.
fn one(facts: &Facts<'_>, page: &CarryPage, offer: &Offer, sheet: &mut Sheet) {
    let offered = offer.carries.is_offered();
    let (label, mark) = match (offered, page.out.contains(&offer.entry)) {
        (true, false) => ("carries", ("⇢", Role::Moved)),
        (true, true) => ("not now", ("○", Role::Muted)),
        (false, _) => ("stale", ("~", Role::Moved)),
    };
    let strong = if offered { Role::Strong } else { Role::Text };
    let mut spans = vec![Span::ours(name_of(&offer.subject), strong)];
    spans.push(Span::ours(format!(" {}", offer.did), Role::Text));
    spans.push(Span::ours(" by ", Role::Muted));
    spans.extend(facts.shown(&offer.by.as_str().into(), Place::Strict, Role::Text));
    spans.push(Span::ours(
        format!(" · entry {} · ", offer.number),
        Role::Muted,
    ));
    let role = if offered { Role::Muted } else { Role::Moved };
    spans.extend(facts.shown(&offer.why.as_str().into(), Place::Strict, role));
    sheet.spans(label, Some(mark), &spans, None);
}

/// What would be recorded.
fn written(facts: &Facts<'_>, page: &CarryPage, sheet: &mut Sheet) {
    let marked = page.marked(&facts.judgment.offers);
    let heads: BTreeSet<String> = facts
        .judgment
        .offers
        .iter()
        .filter(|offer| marked.contains(&offer.entry))
        .map(|offer| words::short(&offer.then.head))
        .collect();
    let heads: Vec<String> = heads.into_iter().collect();
    if marked.is_empty() {
        return sheet.say("WRITTEN", "nothing", Role::Text);
    }
    let noun = if marked.len() == 1 {
        "entry"
    } else {
        "entries"
    };
    let mut spans = vec![Span::ours(
        format!(
            "{} {noun}, carried from {}, by ",
            marked.len(),
            heads.join(" and ")
        ),
        Role::Text,
    )];
    let who = facts.dossier.who.known().map_or("nobody", |who| who.name());
    spans.extend(facts.shown(&who.into(), Place::Strict, Role::Text));
    let undo = facts.state.keys.shown(Command::Undo);
    let last = format!(". They count as carried, not as ratified; {undo} takes each back.");
    spans.push(Span::ours(last, Role::Text));
    sheet.spans("WRITTEN", None, &spans, None);
}
