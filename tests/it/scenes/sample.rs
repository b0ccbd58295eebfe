//! States of the built-in sample, made by the session's own `update` and nothing else.

use countersign::app::edit::{DiffLine, EditPart, EditPlan};
use countersign::app::effect::Effect;
use countersign::app::fixture;
use countersign::app::msg::{Answer, Msg};
use countersign::app::pane::compose;
use countersign::app::state::{Focus, Mode, Row, State, Writes};
use countersign::app::update::{Setup, drew, start, update};
use countersign::gate::dossier::{Dossier, EditTarget, Subject};
use countersign::model::id::{Digest, RepoPath, Ticket};

/// A session with nothing read yet.
pub(crate) fn unread(size: (u16, u16)) -> State {
    start(Setup {
        size,
        now_ms: 10_000,
        sample: true,
        ..Setup::default()
    })
    .0
}

/// A session over these facts.
pub(crate) fn over(dossier: Dossier, size: (u16, u16)) -> State {
    let (mut state, effects) = start(Setup {
        size,
        now_ms: 10_000,
        sample: true,
        ..Setup::default()
    });
    let Some(Effect::Open(ticket)) = effects.first() else {
        panic!("a session opens the change: {effects:?}");
    };
    let effects = update(&mut state, fixture::opened(*ticket, dossier));
    settle(&mut state, effects);
    state
}

/// The sample as it opens.
pub(crate) fn sample(size: (u16, u16)) -> State {
    over(fixture::dossier(), size)
}

/// Composes, draws and answers until nothing is asked for any more. The clock stands still.
pub(crate) fn settle(state: &mut State, effects: Vec<Effect>) {
    let mut waiting = effects;
    for _ in 0..8 {
        for effect in std::mem::take(&mut waiting) {
            if let Some(answer) = answer(effect) {
                waiting.extend(update(state, answer));
            }
        }
        let scene = compose(state);
        drew(state, &scene);
        waiting.extend(update(state, Msg::Drawn(state.screen.now_ms)));
        if waiting
            .iter()
            .all(|effect| matches!(effect, Effect::Wake(_)))
        {
            return;
        }
    }
}

/// What the reader would answer; it knows one file.
fn answer(effect: Effect) -> Option<Msg> {
    let pick = |ticket: Ticket, wanted: usize| {
        let mut all = fixture::clock_awk(ticket, ticket, ticket);
        Some(all.swap_remove(wanted))
    };
    let known = RepoPath::from("lib/clock.awk");
    match effect {
        Effect::Hunks(ticket, path) if path == known => pick(ticket, 0),
        Effect::Text {
            ticket, path, side, ..
        } if path == known => pick(ticket, side as usize + 1),
        Effect::TrustCard(ticket, criterion) => Some(Msg::Answer(
            ticket,
            Box::new(Answer::Trust(Ok(Box::new(fixture::trust_card(criterion))))),
        )),
        _ => None,
    }
}

/// Types keys as people write them, drawing after each.
pub(crate) fn keys(mut state: State, keys: &str) -> State {
    for key in keys.split(' ') {
        let now = state.screen.now_ms + 1_000;
        update(&mut state, Msg::Clock(now));
        settle(&mut state, Vec::new());
        let key: countersign::app::key::Key = key.parse().expect("a key");
        let effects = update(&mut state, Msg::Key { key, repeat: false });
        settle(&mut state, effects);
    }
    state
}

/// With this criterion selected.
pub(crate) fn criterion(mut state: State, n: usize) -> State {
    state.nav.selected = Some(Row::Item(Subject::Criterion(fixture::id(n))));
    settle(&mut state, Vec::new());
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
    settle(&mut state, Vec::new());
    state
}

/// After the frame stood for a while.
pub(crate) fn later(mut state: State) -> State {
    settle(&mut state, Vec::new());
    let now = state.screen.now_ms + 1_000;
    update(&mut state, Msg::Clock(now));
    settle(&mut state, Vec::new());
    state
}

/// On the first page of the sign-off, with three edits worked out: two that can be written.
pub(crate) fn planned(mut state: State) -> State {
    let line = |sign, line, text: &str| DiffLine {
        sign,
        line,
        text: text.into(),
    };
    let part = |says: &str, lines| EditPart {
        says: says.into(),
        lines,
    };
    let evidence = "   EVIDENCE: MET exit=0 marker-found :: case 24 ok next-ok";
    let scope = "- `.github/workflows/deploy.yml` [gated 2026-10-14]";
    let plan = EditPlan {
        path: ".claude/tasks/contracts/2026-10-12-winter.md".into(),
        before: Digest::of(b"before"),
        after: Digest::of(b"after"),
        parts: vec![
            part(
                "EVIDENCE of 1",
                Ok(vec![
                    line('-', 17, "   EVIDENCE: pending"),
                    line('+', 17, evidence),
                ]),
            ),
            part(
                "file scope: .github/workflows/deploy.yml [gated]",
                Ok(vec![line('+', 66, scope)]),
            ),
            part("ABANDON: 5", Err("criterion 5 is already abandoned".into())),
        ],
    };
    if let Mode::SignOne(sign) = &mut state.mode {
        sign.writes = Some(Writes {
            plan: Some(Ok(plan)),
            ..Writes::default()
        });
    }
    state
}
