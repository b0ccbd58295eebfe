//! A person at a session without a terminal: keys in, effects out, and a world that answers them
//! as the runtime would.

use countersign::app::edit::{DiffLine, EditOrder, EditPart, EditPlan};
use countersign::app::effect::Effect;
use countersign::app::fixture;
use countersign::app::key::Key;
use countersign::app::msg::{Answer, Appended, Msg, RunNews, TextLine};
use countersign::app::row::Row as Drawn;
use countersign::app::scene::{Area, Deciding, Extent, Scene};
use countersign::app::state::{Focus, Mode, Row, State};
use countersign::app::update::{Setup, drew, start, update};
use countersign::gate::decide::{Decision, Ruling};
use countersign::gate::dossier::{Dossier, Subject};
use countersign::model::change::{Counts, FileHunks, Hunk, HunkMethod, Shape};
use countersign::model::id::{CriterionId, Digest, Ticket};
use countersign::model::oracle::Outcome;

/// How the world answers.
#[derive(Clone, Debug)]
pub(super) struct World {
    /// Whether the disk takes entries.
    pub(super) disk_full: bool,
    /// Whether entries are answered at all.
    pub(super) disk_silent: bool,
    /// Rows of the trust page, and how many fit on the screen.
    pub(super) trust_rows: (usize, usize),
    /// Labels that decide, and how many of them are on the screen while the list has the focus.
    pub(super) labels: (Vec<String>, usize),
    /// Whether the screens are the real ones; then the rows and labels above mean nothing.
    pub(super) composed: bool,
    /// Whether the texts of lines never come.
    pub(super) texts_silent: bool,
    /// Whether no edit can be worked out.
    pub(super) edits_refused: bool,
    /// Oracles that pass when run.
    pub(super) passing: Vec<CriterionId>,
}

impl Default for World {
    fn default() -> Self {
        Self {
            disk_full: false,
            disk_silent: false,
            trust_rows: (8, 20),
            labels: (vec!["CHECK".into(), "RESULT".into(), "line 25".into()], 3),
            composed: false,
            texts_silent: false,
            edits_refused: false,
            passing: vec![fixture::id(1), fixture::id(6)],
        }
    }
}

/// A sitting.
pub(super) struct Sitting {
    pub(super) state: State,
    pub(super) now: u64,
    pub(super) world: World,
    /// Every effect, oldest first.
    pub(super) effects: Vec<Effect>,
    /// Keys pressed, typed text left out.
    pub(super) pressed: usize,
    entries: u64,
}

impl Sitting {
    /// At a change, with the first frame drawn and looked at.
    pub(super) fn at(dossier: Dossier) -> Self {
        Self::with(dossier, World::default(), Setup::default())
    }

    pub(super) fn with(dossier: Dossier, world: World, setup: Setup) -> Self {
        let (state, effects) = start(setup);
        let mut sitting = Self {
            state,
            now: 1_000,
            world,
            effects: Vec::new(),
            pressed: 0,
            entries: 10,
        };
        let Some(Effect::Open(ticket)) = effects.first().cloned() else {
            panic!("a session begins by opening: {effects:?}");
        };
        sitting.draw();
        sitting.tell(fixture::opened(ticket, dossier));
        sitting.look();
        sitting
    }

    /// One message, with everything it brings about.
    pub(super) fn tell(&mut self, msg: Msg) {
        for effect in update(&mut self.state, msg) {
            self.effects.push(effect.clone());
            for answer in self.answers(&effect) {
                self.tell(answer);
            }
        }
    }

    /// A frame reaches the terminal.
    pub(super) fn draw(&mut self) {
        let scene = self.scene();
        drew(&mut self.state, &scene);
        let now = self.now;
        self.tell(Msg::Drawn(now));
    }

    /// A frame, and time enough to read it.
    pub(super) fn look(&mut self) {
        self.draw();
        self.wait(400);
    }

    /// Time passes.
    pub(super) fn wait(&mut self, ms: u64) {
        self.now += ms;
        self.tell(Msg::Clock(self.now));
    }

    /// A key without anything around it.
    pub(super) fn raw(&mut self, key: &str, repeat: bool) {
        let key: Key = key.parse().expect("a key");
        self.tell(Msg::Key { key, repeat });
    }

    /// Keys as a person presses them, each after a look at the screen.
    pub(super) fn keys(&mut self, keys: &str) {
        for key in keys.split_whitespace() {
            self.pressed += 1;
            self.raw(key, false);
            self.look();
        }
    }

    /// Text typed into a field.
    pub(super) fn types(&mut self, text: &str) {
        for character in text.chars() {
            self.tell(Msg::Key {
                key: Key::char(character),
                repeat: false,
            });
        }
        self.look();
    }

    pub(super) fn status(&self) -> &str {
        &self.state.status.says
    }

    pub(super) fn subject(&self) -> Option<Subject> {
        self.state.subject().cloned()
    }

    pub(super) fn decisions(&self) -> Vec<&Decision> {
        self.effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Decide(_, decision) => Some(&**decision),
                _ => None,
            })
            .collect()
    }

    pub(super) fn rulings(&self) -> Vec<&Ruling> {
        self.effects
            .iter()
            .filter_map(|effect| match effect {
                Effect::Rule(_, ruling) => Some(&**ruling),
                _ => None,
            })
            .collect()
    }

    /// Every title and row of the real screen, as text.
    pub(super) fn screen(&self) -> String {
        let scene = countersign::app::pane::compose(&self.state);
        let titles = scene.panels.iter().filter_map(|panel| panel.title.as_ref());
        let titles = titles.map(|title| text(&title.left));
        let rows = scene.panels.iter().flat_map(|panel| &panel.rows).map(text);
        titles.chain(rows).collect::<Vec<_>>().join("\n")
    }

    pub(super) fn mode(&self) -> &'static str {
        self.state.mode.name()
    }

    /// What the screen would show: the deciding rows of the selected item, the trust page.
    pub(super) fn scene(&self) -> Scene {
        if self.world.composed {
            return countersign::app::pane::compose(&self.state);
        }
        let mut scene = Scene {
            size: self.state.screen.size,
            ..Scene::default()
        };
        if let Some(Row::Item(subject)) = &self.state.nav.selected {
            let (labels, fit) = &self.world.labels;
            let fit = if self.state.nav.focus == Focus::List {
                *fit
            } else {
                labels.len()
            };
            scene.deciding = Some(Deciding {
                subject: subject.clone(),
                shown: labels.iter().take(fit).cloned().collect(),
                missing: labels.iter().skip(fit).cloned().collect(),
            });
        }
        if let Mode::SignEdits(sign) = &self.state.mode
            && let Some(page) = &sign.writes
        {
            let (total, rows) = self.world.trust_rows;
            scene.measured.parts.insert(
                Focus::Writes,
                Extent {
                    area: Area::default(),
                    top: page.top.min(total.saturating_sub(rows)),
                    rows: rows.min(total),
                    total,
                },
            );
        }
        if let Mode::Trust(page) = &self.state.mode
            && page.card.is_some()
        {
            let (total, rows) = self.world.trust_rows;
            scene.measured.parts.insert(
                Focus::Trust,
                Extent {
                    area: Area::default(),
                    top: page.top.min(total.saturating_sub(rows)),
                    rows: rows.min(total),
                    total,
                },
            );
        }
        scene
    }

    fn next_entry(&mut self) -> u64 {
        self.entries += 1;
        self.entries
    }

    fn answers(&mut self, effect: &Effect) -> Vec<Msg> {
        let one = |ticket: Ticket, answer| vec![Msg::Answer(ticket, Box::new(answer))];
        match effect {
            Effect::Decide(ticket, _) | Effect::Undo(ticket, _) | Effect::Rule(ticket, _) => {
                if self.world.disk_silent {
                    return Vec::new();
                }
                let number = self.next_entry();
                let result = if self.world.disk_full {
                    Err(countersign::app::msg::Trouble {
                        says: "no space left.".into(),
                        hint: "Enter tries again.".into(),
                    })
                } else {
                    Ok(Box::new(match effect {
                        Effect::Decide(_, decision) => Appended::Decision(Box::new(
                            fixture::recorded(number, (**decision).clone()),
                        )),
                        Effect::Undo(_, undo) => Appended::Undo {
                            entry: fixture::recorded(number, ()).entry,
                            number,
                            of: undo.entry(),
                        },
                        Effect::Rule(_, ruling) => Appended::Ruling(Box::new(fixture::recorded(
                            number,
                            (**ruling).clone(),
                        ))),
                        _ => return Vec::new(),
                    }))
                };
                one(*ticket, Answer::Recorded(result))
            }
            Effect::Plan(ticket, orders) => one(
                *ticket,
                Answer::Planned(Ok(Box::new(planned(orders, self.world.edits_refused)))),
            ),
            Effect::TrustCard(ticket, id) => one(
                *ticket,
                Answer::Trust(Ok(Box::new(fixture::trust_card(id.clone())))),
            ),
            Effect::Trust(ticket, id, _) => one(*ticket, Answer::Trusted(Ok(id.clone()))),
            Effect::HandOff(ticket) => one(
                *ticket,
                Answer::HandedOff(Ok(vec!["handoff-r1.json".into(), "handoff-r1.md".into()])),
            ),
            Effect::Run(ids) => ids.clone().iter().flat_map(|id| self.runs(id)).collect(),
            Effect::Hunks(ticket, path) => one(
                *ticket,
                Answer::Hunks {
                    path: path.clone(),
                    shape: Shape::Text,
                    hunks: Ok(FileHunks {
                        hunks: vec![Hunk {
                            before: 57..58,
                            after: 58..60,
                        }],
                        before_lines: 100,
                        after_lines: 101,
                        method: HunkMethod::Histogram,
                    }),
                    counts: Counts {
                        added: 2,
                        removed: 1,
                    },
                    first: Vec::new(),
                },
            ),
            Effect::Text { .. } if self.world.texts_silent => Vec::new(),
            Effect::Text {
                ticket,
                path,
                side,
                lines,
                ..
            } => one(
                *ticket,
                Answer::Text {
                    path: path.clone(),
                    side: *side,
                    from: lines.start,
                    lines: lines
                        .clone()
                        .map(|line| TextLine {
                            text: format!("line {line}").into(),
                            no_newline: false,
                            tokens: Vec::new(),
                        })
                        .collect(),
                },
            ),
            _ => Vec::new(),
        }
    }

    fn runs(&mut self, id: &CriterionId) -> Vec<Msg> {
        let number = self.next_entry();
        let outcome = if self.world.passing.contains(id) {
            Outcome::Met
        } else {
            Outcome::NotMet
        };
        let at = id.as_str().parse().expect("the sample's ids are numbers");
        let dossier = fixture::dossier();
        let record = dossier.contract.known().expect("the sample's contract");
        let fact = fixture::run(record, at, number, fixture::HEAD, outcome);
        vec![
            Msg::Run(RunNews::Queued(id.clone())),
            Msg::Run(RunNews::Started {
                criterion: id.clone(),
                at_ms: self.now,
                limit_ms: 120_000,
            }),
            Msg::Run(RunNews::Ended {
                criterion: id.clone(),
                result: Ok(Box::new(fixture::recorded(number, fact))),
            }),
        ]
    }
}

/// What edits come to in this world: one line each.
fn planned(orders: &[EditOrder], refused: bool) -> EditPlan {
    let part = |order: &EditOrder| EditPart {
        says: order.says(),
        lines: if refused {
            Err("it was not run on this tree".into())
        } else {
            Ok(vec![DiffLine {
                sign: '+',
                line: 9,
                text: "   EVIDENCE: MET".into(),
            }])
        },
    };
    let before = Digest::of(b"before");
    EditPlan {
        path: "contract.md".into(),
        before,
        after: if refused {
            before
        } else {
            Digest::of(b"after")
        },
        parts: orders.iter().map(part).collect(),
    }
}

/// A drawn row as text.
pub(super) fn text(row: &Drawn) -> String {
    let spans = row.left.iter().chain(&row.right);
    spans.map(|span| span.text.as_str()).collect()
}
