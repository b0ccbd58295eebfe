//! The one order in which things are listed and walked: panes downwards, items in the order of
//! their source, then the changed files. Reads the state only.

use std::collections::BTreeMap;

use crate::gate::dossier::Subject;
use crate::gate::judge::{Item, Pane};
use crate::model::change::FileChange;
use crate::model::standing::Standing;
use crate::model::text::{Foreign, Place};

use super::state::{Filter, Row, State};
use super::subject::name_of;

/// A row of the list as it stands, without a copy of it.
#[derive(Clone, Copy, Debug)]
enum Line<'a> {
    Item(&'a Item),
    File(&'a FileChange),
}

impl Line<'_> {
    fn row(self) -> Row {
        match self {
            Self::Item(item) => Row::Item(item.subject.clone()),
            Self::File(file) => Row::File(file.path.clone()),
        }
    }

    fn is(self, row: &Row) -> bool {
        match (self, row) {
            (Self::Item(item), Row::Item(subject)) => &item.subject == subject,
            (Self::File(file), Row::File(path)) => &file.path == path,
            (Self::Item(_), Row::File(_) | Row::Verdict)
            | (Self::File(_), Row::Item(_) | Row::Verdict) => false,
        }
    }
}

/// The rows of the list from top to bottom. The filter never hides the selected row.
fn lines(state: &State) -> impl Iterator<Item = Line<'_>> {
    let files = state.dossier().and_then(|dossier| dossier.files.known());
    let items = items(state).filter(|item| keeps(state, item));
    let files = files.into_iter().flatten();
    let files = files.filter(|file| keeps_file(state, file));
    items.map(Line::Item).chain(files.map(Line::File))
}

/// Whether the filter leaves this item in the list.
#[must_use]
pub fn keeps(state: &State, item: &Item) -> bool {
    let kept = match &state.nav.filter {
        Filter::All => true,
        Filter::Owed => item.owed,
        Filter::Words(words) => {
            let text = match &item.subject {
                Subject::Criterion(id) => state.criterion(id).map(|c| c.text.clone()),
                Subject::Chain(id) => state.chain(id).map(|chain| {
                    let words = [
                        chain.status.word(),
                        chain.severity.word(),
                        chain.strength.word(),
                    ];
                    Foreign::from(words.join(" "))
                }),
                Subject::Review(raised) => {
                    let threads = state.dossier().map(|dossier| &dossier.request.threads);
                    let threads = threads.and_then(|threads| threads.known());
                    let found = threads.and_then(|threads| threads.find(raised));
                    found.map(|(_, thread)| thread.first.body.clone())
                }
                Subject::Message(id) => {
                    let found = state.dossier().and_then(|dossier| dossier.message(id));
                    found.map(|waiting| waiting.message.text.clone())
                }
                Subject::ContractEdit(_) | Subject::ScopeFile(_) | Subject::Assertion(_) => None,
            };
            let text = text.map(|text| text.shown(Place::Prose).plain());
            let text = text.unwrap_or_default();
            let all = [name_of(&item.subject), item.word.to_owned(), text].join("\n");
            holds(words, &all)
        }
    };
    kept || matches!(&state.nav.selected, Some(Row::Item(subject)) if *subject == item.subject)
}

/// Whether the filter leaves this file in the list.
#[must_use]
pub fn keeps_file(state: &State, file: &FileChange) -> bool {
    let kept = match &state.nav.filter {
        Filter::All => true,
        Filter::Owed => false,
        Filter::Words(words) => holds(words, &file.path.foreign().shown(Place::Strict).plain()),
    };
    kept || matches!(&state.nav.selected, Some(Row::File(path)) if *path == file.path)
}

/// Whether a text holds every one of the words, in any order.
fn holds(words: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    words.split_whitespace().all(|word| text.contains(word))
}

/// Rows of the list, as drawn from top to bottom.
#[must_use]
pub fn rows(state: &State) -> Vec<Row> {
    lines(state).map(Line::row).collect()
}

/// How many rows the list has.
#[must_use]
pub fn length(state: &State) -> usize {
    lines(state).count()
}

/// The row at this place of the list, 0-based.
#[must_use]
pub fn row_at(state: &State, place: usize) -> Option<Row> {
    lines(state).nth(place).map(Line::row)
}

/// Where a row stands in the list, 0-based.
#[must_use]
pub fn place_of(state: &State, row: &Row) -> Option<usize> {
    lines(state).position(|line| line.is(row))
}

/// How many rows the filter hides.
#[must_use]
pub fn hidden(state: &State) -> usize {
    if state.nav.filter == Filter::All {
        return 0;
    }
    let files = state
        .dossier()
        .and_then(|dossier| dossier.files.known())
        .map_or(0, Vec::len);
    (items(state).count() + files).saturating_sub(length(state))
}

/// All items, in walking order: as drawn.
pub fn items(state: &State) -> impl Iterator<Item = &Item> {
    let items = state
        .world
        .judgment
        .as_ref()
        .map(|judgment| &judgment.items);
    let (plain, sorted) = match &state.nav.order {
        None => (items, None),
        Some(order) => (None, items.map(|items| in_order(items, order))),
    };
    let sorted = sorted.into_iter().flatten();
    let sorted = sorted.filter_map(move |at| items.and_then(|items| items.get(at)));
    plain.into_iter().flatten().chain(sorted)
}

/// The numbers of the items, pane by pane, in an order that was taken before; what came since
/// stands last in its pane.
#[must_use]
pub fn in_order(items: &[Item], order: &[Subject]) -> Vec<usize> {
    let places: BTreeMap<&Subject, usize> = order.iter().zip(0..).collect();
    let place = |item: &Item| places.get(&item.subject).copied().unwrap_or(usize::MAX);
    let mut numbers: Vec<usize> = (0..items.len()).collect();
    numbers.sort_by_key(|at| items.get(*at).map(|item| (item.pane, place(item))));
    numbers
}

/// What is owed first, and there the worse standing first, as things stand now.
#[must_use]
pub fn by_standing(state: &State) -> Vec<Subject> {
    let items = state
        .world
        .judgment
        .as_ref()
        .map(|judgment| &judgment.items);
    let mut items: Vec<&Item> = items.into_iter().flatten().collect();
    items.sort_by_key(|item| (!item.owed, rank(item.standing)));
    items.into_iter().map(|item| item.subject.clone()).collect()
}

fn rank(standing: Standing) -> u8 {
    match standing {
        Standing::Error => 0,
        Standing::Failing => 1,
        Standing::KickedBack => 2,
        Standing::Stale => 3,
        Standing::Pending => 4,
        Standing::Unproven => 5,
        Standing::Abandoned => 6,
        Standing::Overridden => 7,
        Standing::Passing => 8,
        Standing::Carried => 9,
        Standing::Ratified => 10,
        Standing::NotApplicable => 11,
    }
}

/// Whether `n` stops at an item: owed, and its oracle is not running.
#[must_use]
pub fn stops(state: &State, item: &Item) -> bool {
    item.owed
        && match &item.subject {
            Subject::Criterion(id) => !state.runs.running.contains_key(id),
            Subject::ContractEdit(_)
            | Subject::ScopeFile(_)
            | Subject::Chain(_)
            | Subject::Assertion(_)
            | Subject::Review(_)
            | Subject::Message(_) => true,
        }
}

/// Where `n` (`forward`) or `N` goes from the selection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// To this item.
    To(Subject),
    /// There is none in this direction; so many on the other side.
    End(usize),
    /// Nothing is owed at all.
    NothingOwed,
}

/// The next step of the walk.
#[must_use]
pub fn step(state: &State, forward: bool) -> Step {
    let all: Vec<&Item> = items(state).collect();
    let here = state
        .subject()
        .and_then(|subject| all.iter().position(|item| &item.subject == subject));
    // A file row stands below all items, the verdict below everything.
    let here = here.or(match state.nav.selected {
        Some(Row::File(_) | Row::Verdict) => Some(all.len()),
        Some(Row::Item(_)) | None => None,
    });
    let stop = |item: &&&Item| stops(state, item);
    let found = match (here, forward) {
        (None, true) => all.iter().find(stop),
        (None, false) => all.iter().rev().find(stop),
        (Some(at), true) => all.iter().skip(at.saturating_add(1)).find(stop),
        (Some(at), false) => all.iter().take(at).rev().find(stop),
    };
    match found {
        Some(item) => Step::To(item.subject.clone()),
        None => {
            let left = all.iter().filter(stop).count();
            if all.iter().any(|item| item.owed) {
                Step::End(left)
            } else {
                Step::NothingOwed
            }
        }
    }
}

/// The first item of the walk.
#[must_use]
pub fn first_owed(state: &State) -> Option<Subject> {
    items(state)
        .find(|item| stops(state, item))
        .map(|item| item.subject.clone())
}

/// The last item of the walk.
#[must_use]
pub fn last_owed(state: &State) -> Option<Subject> {
    items(state)
        .filter(|item| stops(state, item))
        .last()
        .map(|item| item.subject.clone())
}

/// The row that a pane's digit selects: its first owed item, else its first.
#[must_use]
pub fn pane_row(state: &State, pane: Pane) -> Option<Row> {
    let of_pane = || items(state).filter(|item| item.pane == pane);
    of_pane()
        .find(|item| item.owed)
        .or_else(|| of_pane().next())
        .map(|item| Row::Item(item.subject.clone()))
}

/// The row's name inside a sentence.
#[must_use]
pub fn row_name(row: &Row) -> String {
    match row {
        Row::Item(subject) => name_of(subject),
        Row::File(path) => path.foreign().shown(Place::Strict).plain(),
        Row::Verdict => "the verdict".into(),
    }
}
