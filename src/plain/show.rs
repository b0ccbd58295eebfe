//! What is printed: the greeting, the list, an item with what may be done, a page.

use std::io;

use crate::app::pane::facts::Facts;
use crate::app::pane::{rounds, since, verdict_why, words};
use crate::app::row;
use crate::app::scene::Scene;
use crate::app::state::{Focus, Row, State};
use crate::app::subject::name_of;
use crate::app::update::menus;
use crate::gate::dossier::{EditTarget, Raised, Subject};
use crate::gate::judge::Item;
use crate::gate::menu::levers::Lever;
use crate::gate::permit::{Permit, Verb};
use crate::model::known::Known;
use crate::model::ruling::Verdict;
use crate::model::snapshot::RepositoryNote;
use crate::model::text::{Foreign, Place};

use super::desk::Plain;

/// The letters of the verbs, in the order they are listed.
const LETTERS: [(Verb, &str); 8] = [
    (Verb::Affirm, "r"),
    (Verb::SendBack, "b"),
    (Verb::SetAside, "a"),
    (Verb::Escalate, "e"),
    (Verb::NotApplicable, "na"),
    (Verb::Override, "over"),
    (Verb::Run, "x"),
    (Verb::Tag, "tag"),
];

/// The name that a command uses: without blanks, so that it is one word.
pub(super) fn word_of(subject: &Subject) -> String {
    match subject {
        Subject::ContractEdit(EditTarget::Criterion(id)) => format!("edit:{id}"),
        Subject::ContractEdit(EditTarget::Whole) => "contract".into(),
        Subject::ContractEdit(EditTarget::Request) => "edit:request".into(),
        Subject::ContractEdit(EditTarget::Scope) => "edit:scope".into(),
        Subject::ContractEdit(EditTarget::Header) => "edit:header".into(),
        Subject::Assertion(entry) => entry.short(),
        Subject::Chain(id) => format!("chain:{}", id.shown().replace(" → ", ">")),
        Subject::Review(Raised::Incomplete(_)) => "comments".into(),
        Subject::Review(Raised::Thread { .. } | Raised::Finding(_)) | Subject::Message(_) => {
            name_of(subject).replace(' ', ":")
        }
        Subject::Criterion(_) | Subject::ScopeFile(_) => name_of(subject),
    }
}

fn kind_of(subject: &Subject) -> &'static str {
    match subject {
        Subject::ContractEdit(_) => "contract",
        Subject::Criterion(_) => "criterion",
        Subject::ScopeFile(_) => "file",
        Subject::Chain(_) => "chain",
        Subject::Assertion(_) => "assertion",
        Subject::Review(Raised::Thread { .. }) => "thread",
        Subject::Review(Raised::Finding(_)) => "finding",
        Subject::Review(Raised::Incomplete(_)) => "comments",
        Subject::Message(_) => "message",
    }
}

impl Plain {
    /// What is under review, for whom, and where it stands.
    pub(super) fn greet(&mut self) -> io::Result<()> {
        let world = &self.core.state.world;
        if let Some(trouble) = &world.trouble {
            let text = format!("{} {}", trouble.says, trouble.hint);
            return self.say(text.trim_end());
        }
        let (Some(dossier), Some(judgment)) = (&world.dossier, &world.judgment) else {
            return self.say("nothing was opened.");
        };
        let change = &dossier.change;
        let branch = change.branch.as_ref().map_or_else(
            || String::from("detached"),
            |branch| branch.shown(Place::Strict).plain(),
        );
        let round = dossier
            .round
            .known()
            .map_or("…".into(), ToString::to_string);
        let who = dossier.who.known().map_or_else(
            || String::from("nobody known"),
            |who| format!("{}, {}", who.name(), who.reach().label()),
        );
        let ends: Vec<&str> = judgment.can_end.iter().map(|v| v.word()).collect();
        let mut lines = vec![
            format!(
                "countersign, plain. {}, {branch} to {}, round {round}.",
                change.repository_name.shown(Place::Strict),
                change.base.name.shown(Place::Strict),
            ),
            format!(
                "head {}, base {}. you: {who}.",
                dossier.snapshot.head.short(),
                dossier.snapshot.base.short()
            ),
        ];
        let end = if ends.is_empty() {
            String::new()
        } else {
            format!(", can end {}", ends.join(" or "))
        };
        lines.push(format!(
            "verdict: {}{end}. owed: {}.",
            judgment.ruling.word(),
            judgment.owed
        ));
        if matches!(judgment.ruling, Verdict::CouldNotMeasure | Verdict::Stale) {
            lines.push(format!("nothing can be signed. {}", judgment.nearest));
        }
        if judgment.hidden.all().is_loud() {
            lines.extend(judgment.hidden.says().map(|says| format!("{says}.")));
        }
        if matches!(dossier.contract, Known::NotSupplied) && dossier.candidates.is_empty() {
            lines.push("no contract was found: --contract names one.".to_owned());
        }
        if !dossier.candidates.is_empty() {
            let count = dossier.candidates.len();
            lines.push(format!(
                "{count} files could be the contract: c lists them, c N takes one."
            ));
        }
        let here = dossier.snapshot.head;
        if let Some(there) = dossier.request.other_head(here) {
            lines.push(format!(
                "forge: the forge's head is {}, this is {}; nothing is decided or signed.",
                there.short(),
                here.short()
            ));
        }
        for kept in &dossier.kept {
            lines.push(format!("{}: decisions hold.", kept.says()));
        }
        let all = judgment.offers.len();
        let offered = judgment
            .offers
            .iter()
            .filter(|one| one.carries.is_offered());
        match offered.count() {
            _ if all == 0 => {}
            0 => lines.push(format!(
                "{} for an earlier head stay stale. carry says why.",
                words::count(all, "decision")
            )),
            some => lines.push(format!(
                "{some} of {} for an earlier head can be carried over. carry shows what changed.",
                words::count(all, "decision")
            )),
        }
        if !dossier.notes.is_empty() {
            let codes: Vec<&str> = dossier.notes.iter().map(RepositoryNote::code).collect();
            lines.push(format!(
                "notes on the repository: {}. v tells them.",
                codes.join(", ")
            ));
        }
        lines.push(String::from(
            "nothing runs until you ask. n next owed, l list, v verdict, h help, q leave.",
        ));
        for line in lines {
            self.say(&line)?;
        }
        Ok(())
    }

    /// Files that could be the contract, numbered.
    pub(super) fn candidates(&mut self) -> io::Result<()> {
        let files = menus::contracts(&self.core.state).to_vec();
        for (number, (path, why)) in (1..).zip(files) {
            let path = path.foreign().shown(Place::Strict);
            let why = Foreign::from(why).shown(Place::Prose);
            self.say_indented(&format!("{number:>3} {path}: {why}"), 6)?;
        }
        Ok(())
    }

    /// Every item, one line each.
    pub(super) fn list(&mut self) -> io::Result<()> {
        let Some(judgment) = &self.core.state.world.judgment else {
            return self.say("nothing was opened.");
        };
        let lines: Vec<String> = judgment
            .items
            .iter()
            .map(|item| {
                let owed = if item.owed { "owed" } else { "-" };
                let text = self.title(&item.subject);
                format!(
                    "{} {}, {}, {owed}: {text}",
                    kind_of(&item.subject),
                    word_of(&item.subject),
                    item.word
                )
            })
            .collect();
        for line in lines {
            self.say(&line)?;
        }
        Ok(())
    }

    /// The verdict and the rules behind it.
    pub(super) fn verdict(&mut self) -> io::Result<()> {
        let Some(judgment) = &self.core.state.world.judgment else {
            return self.say("nothing was opened.");
        };
        let ends: Vec<&str> = judgment.can_end.iter().map(|v| v.word()).collect();
        let owed: Vec<String> = judgment
            .items
            .iter()
            .filter(|item| item.owed)
            .map(|item| word_of(&item.subject))
            .collect();
        let mut lines = vec![format!("verdict: {}.", judgment.ruling.word())];
        if !ends.is_empty() {
            lines.push(format!("it can end {}.", ends.join(" or ")));
        }
        lines.extend(
            judgment
                .trace
                .iter()
                .map(|row| format!("  {}: {}, {}", row.rule, row.says, result_word(row.result))),
        );
        if !judgment.nearest.is_empty() {
            lines.push(format!("nearest other: {}", judgment.nearest));
        }
        if let Some(facts) = Facts::of(&self.core.state) {
            let know = verdict_why::still_to_know(&facts).into_iter();
            lines.extend(know.map(|line| format!("still to know: {line}")));
            if let Known::Is(found) = &facts.state.world.since {
                let groups = since::groups(found).into_iter();
                lines.extend(groups.flat_map(|(name, _, paths)| {
                    paths.iter().map(move |path| {
                        let path = path.foreign().shown(Place::Strict);
                        format!("since the last round, {name}: {path}")
                    })
                }));
            }
            lines.extend(rounds::moments(&facts).iter().map(|moment| {
                let (says, from) = rounds::words(moment);
                let by = moment.by.as_ref().map_or_else(
                    || "an account that is gone".to_owned(),
                    |by| by.shown(Place::Strict).plain(),
                );
                let force = if moment.in_force { ", in force" } else { "" };
                format!("{says}, {by}, {from}{force}")
            }));
        }
        lines.push(if owed.is_empty() {
            "owed: nothing. S signs.".into()
        } else {
            format!("owed: {}", owed.join(" "))
        });
        for line in lines {
            self.say_indented(&line, 4)?;
        }
        Ok(())
    }

    /// The item of this name.
    pub(super) async fn show_named(&mut self, name: &str) -> io::Result<()> {
        let Some(subject) = self.find(name) else {
            return self.say(&format!("there is no item {name}. l lists all of them."));
        };
        self.enter_list();
        self.core.state.nav.selected = Some(Row::Item(subject));
        self.show_selected().await
    }

    /// The item that a name means; a name that is both an edit's and a criterion's means the one
    /// that was shown.
    pub(super) fn find(&self, name: &str) -> Option<Subject> {
        let items = &self.core.state.world.judgment.as_ref()?.items;
        let named = |item: &&Item| word_of(&item.subject) == name;
        let ends = |item: &&Item| word_of(&item.subject).ends_with(&format!("/{name}"));
        let mut shorter = items.iter().filter(ends);
        let short = shorter.next().filter(|_| shorter.next().is_none());
        let found = items.iter().find(named).or(short)?;
        Some(found.subject.clone())
    }

    /// The selected item: what decides it, numbered, and what may be done.
    pub(super) async fn show_selected(&mut self) -> io::Result<()> {
        let Some(Row::Item(subject)) = self.core.state.nav.selected.clone() else {
            return self.say_status();
        };
        self.enter_card();
        // What decides may still be on its way; a page without it would lock the item.
        self.until(State::diff_settled).await;
        let head = match self.core.state.world.judgment.as_ref() {
            Some(judgment) => judgment.item(&subject).map(|item| item.word),
            None => None,
        };
        let head = format!(
            "{} {}, {}: {}",
            kind_of(&subject),
            word_of(&subject),
            head.unwrap_or("gone"),
            self.title(&subject)
        );
        self.say(&head)?;
        self.print_page()?;
        self.shown = Some(subject.clone());
        self.permits(&subject)
    }

    /// The focused page, its rows numbered.
    pub(super) fn print_page(&mut self) -> io::Result<()> {
        let scene = self.core.scene();
        let whole = self.core.state.nav.focus == Focus::Triage && scene.overlay.is_none();
        let panels = scene.panels.iter().filter(|_| whole);
        let all: Vec<row::Row> = panels.flat_map(|panel| panel.rows.clone()).collect();
        let rows = if whole { &all } else { page(&scene) };
        let rows: Vec<String> = rows
            .iter()
            .map(text_of)
            .take_while(|text| text.trim() != "RULINGS")
            .filter(|text| !text.trim().is_empty())
            .collect();
        for (number, text) in (1..).zip(rows) {
            let text = text.trim_end();
            self.say_indented(&format!("{number:>3} {}", text.trim_start()), 6)?;
        }
        self.settle();
        Ok(())
    }

    fn permits(&mut self, subject: &Subject) -> io::Result<()> {
        let word = word_of(subject);
        let Some(item) = self
            .core
            .state
            .world
            .judgment
            .as_ref()
            .and_then(|judgment| judgment.item(subject))
        else {
            return Ok(());
        };
        let mut open = Vec::new();
        let mut closed: Vec<(String, Vec<String>)> = Vec::new();
        let message = matches!(subject, Subject::Message(_));
        for (verb, letter) in LETTERS {
            if message && verb == Verb::SetAside {
                continue;
            }
            match item.permits.of(verb) {
                Permit::Open(does) | Permit::Locked(does) => {
                    open.push(format!("{letter} {word} {does}"));
                }
                Permit::Closed { because, .. } => {
                    let why = &because.why;
                    let row = format!("{letter} {word}");
                    match closed.iter_mut().find(|(known, _)| known == why) {
                        Some((_, rows)) => rows.push(row),
                        None => closed.push((why.clone(), vec![row])),
                    }
                }
                Permit::Absent => {}
            }
        }
        if message && !open.is_empty() {
            open.push(format!("p {word} N choose row N"));
            open.push(format!("a {word} choose the row that ends it"));
        }
        let forms: Vec<&str> = match self.core.state.open_gate().filter(|_| !open.is_empty()) {
            Some((_, gate)) => {
                let levers = Lever::ALL.into_iter();
                let there = levers.filter(|lever| lever.closed(&gate.message).is_none());
                there.map(Lever::form).collect()
            }
            None => Vec::new(),
        };
        if !open.is_empty() {
            self.say(&format!("open: {}.", open.join(", ")))?;
        }
        if !forms.is_empty() {
            self.say(&format!("b {word} takes as well: {}.", forms.join("; ")))?;
        }
        if !closed.is_empty() {
            let closed: Vec<String> = closed
                .into_iter()
                .map(|(why, rows)| format!("{}, because {why}", rows.join(", ")))
                .collect();
            self.say(&format!("closed: {}.", closed.join("; ")))?;
        }
        Ok(())
    }

    /// The first line of what a review raised, as the list of the session shows it.
    fn raised(&self, subject: &Subject) -> String {
        let Some(facts) = Facts::of(&self.core.state) else {
            return String::new();
        };
        let spans = crate::app::pane::list_row::subject_line(&facts, subject);
        spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// The text of an item, its first line.
    fn title(&self, subject: &Subject) -> String {
        match subject {
            Subject::Criterion(id) => self
                .core
                .state
                .criterion(id)
                .and_then(|criterion| {
                    let lines = criterion.text.shown_lines(Place::Prose);
                    lines.first().map(ToString::to_string)
                })
                .unwrap_or_default(),
            Subject::ContractEdit(_) => "the change edits its own contract".into(),
            Subject::ScopeFile(_) => "changed, and the contract does not account for it".into(),
            Subject::Chain(_) => "whether the verdict comes back".into(),
            Subject::Assertion(_) => "asserted by an agent".into(),
            Subject::Review(_) | Subject::Message(_) => self.raised(subject),
        }
    }
}

/// The rows of the panel that takes the keys, or of the box over it.
pub(super) fn page(scene: &Scene) -> &[row::Row] {
    if let Some(overlay) = &scene.overlay {
        return &overlay.rows;
    }
    let focused =
        |panel: &&crate::app::scene::Panel| panel.title.as_ref().is_some_and(|title| title.focused);
    let panel = scene.panels.iter().find(focused).or(scene.panels.first());
    panel.map(|panel| panel.rows.as_slice()).unwrap_or_default()
}

fn text_of(row: &row::Row) -> String {
    let join = |spans: &[row::Span]| spans.iter().map(|s| s.text.as_str()).collect::<String>();
    let (left, right) = (join(&row.left), join(&row.right));
    if right.trim().is_empty() {
        left
    } else {
        format!("{}  {}", left.trim_end(), right.trim())
    }
}

fn result_word(result: crate::gate::judge::TraceResult) -> &'static str {
    use crate::gate::judge::TraceResult;
    match result {
        TraceResult::Clear => "clear",
        TraceResult::Fires => "fires",
        TraceResult::Nit => "a nit",
        TraceResult::Unknown => "unknown",
        TraceResult::Absent => "does not apply",
        TraceResult::Decides(verdict) => verdict.word(),
    }
}
