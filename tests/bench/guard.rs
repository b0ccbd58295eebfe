//! Fixed scripts whose instructions are counted by callgrind: opening a session, and one `j`, on
//! ten files (S), a hundred (M) and two thousand (L). `.ci/instructions` runs it and compares the counts.
//!
//! Only what happens inside a function named `guarded_*` is counted.

use countersign::app::fixture;
use countersign::app::key::Key;
use countersign::app::msg::Msg;
use countersign::app::pane::compose;
use countersign::app::scene::Scene;
use countersign::app::state::State;
use countersign::app::update::{Setup, drew, start, update};
use countersign::gate::dossier::Dossier;
use countersign::model::change::{ChangeKind, Counts, Entry, FileChange, Shape};
use countersign::model::hidden::Marks;
use countersign::model::id::{Oid, RepoPath, Ticket};
use countersign::model::known::Known;
use countersign::model::scope::{Risk, ScopedFile, Trace};
use countersign::view::draw::paint;
use countersign::view::theme::{Depth, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

const SIZE: (u16, u16) = (120, 40);

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (script, files) = match words[..] {
        [script, "S", ..] => (script, 10),
        [script, "M", ..] => (script, 100),
        [script, "L", ..] => (script, 2_000),
        // cargo starts every bench without words of ours: then all of them run once
        _ => {
            for files in [10, 2_000] {
                opened(files);
                key(&mut opened(files).0);
            }
            return;
        }
    };
    match script {
        "start" => drop(opened(files)),
        _ => {
            let (mut state, _) = opened(files);
            key(&mut state);
        }
    }
}

fn opened(files: usize) -> (State, Scene) {
    guarded_start(dossier(files))
}

fn key(state: &mut State) {
    let mut buffer = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    let theme = theme();
    let first = guarded_key(state, &theme, &mut buffer);
    assert!(!first.panels.is_empty());
}

fn theme() -> Theme {
    Theme::builtin("dark", Depth::True).unwrap_or_else(Theme::plain)
}

#[inline(never)]
fn guarded_start(dossier: Dossier) -> (State, Scene) {
    let (mut state, _) = start(Setup {
        size: SIZE,
        ..Setup::default()
    });
    update(&mut state, fixture::opened(Ticket::default(), dossier));
    let scene = compose(&state);
    let mut buffer = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    paint(&scene, &theme(), &mut buffer);
    drew(&mut state, &scene);
    update(&mut state, Msg::Drawn(1));
    (state, scene)
}

#[inline(never)]
fn guarded_key(state: &mut State, theme: &Theme, buffer: &mut Buffer) -> Scene {
    update(
        state,
        Msg::Key {
            key: Key::char('j'),
            repeat: false,
        },
    );
    let scene = compose(state);
    paint(&scene, theme, buffer);
    drew(state, &scene);
    update(state, Msg::Drawn(2));
    scene
}

/// The sample's facts with this many changed files, none of them outside scope.
fn dossier(files: usize) -> Dossier {
    let mut dossier = fixture::dossier();
    let path = |at: usize| RepoPath::new(format!("src/part_{:03}/file_{at:05}.rs", at / 20));
    let entry = |at: usize, side: u8| Entry {
        oid: Oid([side ^ at.to_le_bytes()[0]; 20]),
        mode: 0o100_644,
    };
    dossier.files = Known::Is(
        (0..files)
            .map(|at| FileChange {
                path: path(at),
                old_path: None,
                kind: ChangeKind::Modified,
                old: Some(entry(at, 1)),
                new: Some(entry(at, 2)),
                shape: Known::Is(Shape::Text),
                counts: Known::Is(Counts {
                    added: 90,
                    removed: 9,
                }),
                marks: Known::Is(Marks::default()),
            })
            .collect(),
    );
    if let Known::Is(scope) = &mut dossier.scope {
        scope.files = (0..files)
            .map(|at| ScopedFile {
                path: path(at),
                traces: vec![Trace::Scope(60)],
                risk: Risk::Plain,
                overflow: false,
            })
            .collect();
    }
    dossier
}
