//! States of the built-in sample, without a running session.

use std::collections::BTreeSet;

use countersign::app::fixture;
use countersign::app::keymap::Keymap;
use countersign::app::msg::{Answer, Msg};
use countersign::app::state::{
    DiffStore, FileView, Focus, Mode, Nav, Row, RunBoard, ScreenFacts, SeenBoard, State, Status,
    Waiting, World,
};
use countersign::gate::dossier::{Dossier, EditTarget, Subject};
use countersign::gate::judge::judge;
use countersign::gate::policy::Policy;
use countersign::model::id::{RepoPath, Ticket};
use countersign::model::known::Known;

/// A state with nothing read yet.
pub(crate) fn unread(size: (u16, u16)) -> State {
    State {
        world: World {
            dossier: None,
            judgment: None,
            policy: Policy::default(),
            trouble: None,
            picked: Default::default(),
            sample: true,
            sitting: Vec::new(),
            ruled: None,
        },
        diff: DiffStore {
            context: 3,
            ..DiffStore::default()
        },
        runs: RunBoard::default(),
        nav: Nav::default(),
        seen: SeenBoard::default(),
        mode: Mode::Browse,
        drafts: Default::default(),
        status: Status::default(),
        screen: ScreenFacts {
            size,
            now_ms: 10_000,
            deaf_until_ms: 0,
            focused: true,
            ascii: false,
            mouse: true,
        },
        waiting: Waiting::default(),
        keys: Keymap::default(),
    }
}

/// A state over these facts.
pub(crate) fn over(dossier: Dossier, size: (u16, u16)) -> State {
    let mut state = unread(size);
    state.world.judgment = Some(Box::new(judge(&dossier, &state.world.policy)));
    state.world.dossier = Some(Box::new(dossier));
    state.runs.trusted = [1, 2, 4, 7].map(fixture::id).into_iter().collect();
    lines(&mut state);
    state
}

/// The sample as it opens.
pub(crate) fn sample(size: (u16, u16)) -> State {
    let mut state = over(fixture::dossier(), size);
    state.status = Status {
        says:
            "opened at 7c7c7c7 · contract, criteria and diff read in 41 ms · nothing has been run"
                .into(),
        refusal: false,
    };
    state
}

/// Puts the hunks and lines of one file into the store.
fn lines(state: &mut State) {
    for msg in fixture::clock_awk(Ticket(1), Ticket(2), Ticket(3)) {
        let Msg::Answer(_, answer) = msg else {
            continue;
        };
        match *answer {
            Answer::Hunks {
                path,
                shape,
                hunks,
                counts: _,
            } => {
                let view = FileView {
                    shape: Known::Is(shape),
                    hunks: hunks.map_or(Known::NotSupplied, Known::Is),
                    lines: Default::default(),
                    asked: Vec::new(),
                };
                state.diff.files.insert(path, view);
            }
            Answer::Text {
                path,
                side,
                from,
                lines,
            } => {
                let view = state.diff.files.get_mut(&path).expect("hunks came first");
                for (number, line) in (from..).zip(lines) {
                    view.lines.insert((side, number), line);
                }
            }
            _ => {}
        }
    }
}

/// With this criterion selected.
pub(crate) fn criterion(mut state: State, n: usize) -> State {
    state.nav.selected = Some(Row::Item(Subject::Criterion(fixture::id(n))));
    state
}

/// With the contract edit selected.
pub(crate) fn edit(mut state: State) -> State {
    let target = EditTarget::Criterion(fixture::id(7));
    state.nav.selected = Some(Row::Item(Subject::ContractEdit(target)));
    state
}

/// With a file outside scope selected.
pub(crate) fn scope(mut state: State) -> State {
    let path = RepoPath::from(".github/workflows/deploy.yml");
    state.nav.selected = Some(Row::Item(Subject::ScopeFile(path)));
    state
}

/// With the keys in this part.
pub(crate) fn focus(mut state: State, focus: Focus) -> State {
    state.nav.focus = focus;
    state
}

/// With everything that decides the selection seen long ago.
pub(crate) fn seen(mut state: State) -> State {
    let scene = countersign::app::pane::compose(&state);
    if let Some(deciding) = scene.deciding {
        let mut all: BTreeSet<String> = deciding.shown.into_iter().collect();
        all.extend(deciding.missing);
        state.seen.rows.insert(deciding.subject.clone(), all);
        state.seen.complete_since.insert(deciding.subject, 1_000);
    }
    state
}
