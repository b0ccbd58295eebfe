//! The fixed rows: two above, two below. Content never draws here, and nothing
//! here is ever drawn by content (OUT-9).

use crate::app::command::Command;
use crate::app::row::{Role, Row, Span, cut, width, width_of};
use crate::app::scene::Scene;
use crate::app::state::{Mode, State};
use crate::app::update::seen::Ready;
use crate::gate::judge::{Judgment, Pane};
use crate::model::known::Known;
use crate::model::ruling::Verdict;
use crate::model::text::{Foreign, Place};

use super::facts::Facts;
use super::keys;
use super::layout::{Class, class};
use super::{carry, trust, words, writes};

/// The first of the rows, long ones first, that fits; else the last, which the drawing cuts.
fn first_that_fits(columns: usize, rows: impl Iterator<Item = Row>) -> Row {
    let mut last = Row::default();
    for row in rows {
        let (left, right) = (width_of(&row.left), width_of(&row.right));
        let gap = if right == 0 { 1 } else { 4 };
        if left + right + gap <= columns {
            return padded(row);
        }
        last = row;
    }
    padded(last)
}

/// One blank at the right edge.
fn padded(mut row: Row) -> Row {
    if !row.right.is_empty() {
        row.right.push(Span::ours(" ", Role::Text));
    }
    row
}

/// Joins parts with `gap` blanks, one blank before the first.
fn parts(gap: usize, parts: Vec<Vec<Span>>) -> Vec<Span> {
    let mut out = Vec::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let blanks = if out.is_empty() { 1 } else { gap };
        out.push(Span::ours(" ".repeat(blanks), Role::Text));
        out.extend(part);
    }
    out
}

fn said(label: &str, value: impl Into<String>, role: Role) -> Vec<Span> {
    let mut out = Vec::new();
    if !label.is_empty() {
        out.push(Span::ours(format!("{label} "), Role::Muted));
    }
    out.push(Span::ours(value, role));
    out
}

/// The two rows above.
#[must_use]
pub fn head(state: &State, facts: Option<&Facts<'_>>) -> Vec<Row> {
    let columns = usize::from(state.screen.size.0);
    let Some(facts) = facts else {
        return vec![
            first_that_fits(columns, [unread_name(state)].into_iter()),
            unread_gates(),
        ];
    };
    vec![
        first_that_fits(columns, (0..8).map(|level| name_row(facts, level))),
        first_that_fits(columns, (0..8).map(|level| gate_row(facts, level))),
    ]
}

fn unread_name(state: &State) -> Row {
    let what = match &state.world.trouble {
        Some(_) => "nothing was opened",
        None => "reading …",
    };
    Row::ours(" countersign", Role::Strong)
        .and("   ", Role::Text)
        .and(what, Role::Muted)
}

fn unread_gates() -> Row {
    padded(
        Row::ours(" …", Role::Muted)
            .at_right("… owed   … decided   verdict  ", Role::Muted)
            .at_right("…", Role::Strong),
    )
}

/// Row 1: which change, which snapshot, who am I. Each level leaves out a little more.
fn name_row(facts: &Facts<'_>, level: usize) -> Row {
    let dossier = facts.dossier;
    let pins = &dossier.snapshot;
    let gap = if level < 4 { 3 } else { 2 };
    let mut left = Vec::new();
    if level < 1 {
        left.push(said("", "countersign", Role::Muted));
    }
    left.push(repository(facts, level >= 5));
    if level < 6 {
        left.push(branches(facts, level < 3));
    }
    let label = if level < 5 { "head" } else { "" };
    left.push(said(label, words::short(&pins.head), Role::Strong));
    if level < 2 {
        left.push(said("base", words::short(&pins.merge_base), Role::Text));
    }
    let round = match &dossier.round {
        Known::Is(round) if level < 5 => format!("round {round} of 2"),
        Known::Is(round) => format!("round {round}"),
        Known::Unknown(_) => "round …".to_owned(),
        Known::NotApplicable(_) | Known::NotSupplied => String::new(),
    };
    if !round.is_empty() && level < 7 {
        left.push(said("", round, Role::Text));
    }
    Row {
        left: parts(gap, left),
        right: who(facts, level),
        ..Row::default()
    }
}

fn repository(facts: &Facts<'_>, short: bool) -> Vec<Span> {
    let change = &facts.dossier.change;
    let name = &change.repository_name;
    let name = match name.raw().iter().rposition(|byte| *byte == b'/') {
        Some(at) if short => Foreign::new(&name.raw()[at + 1..]),
        Some(_) | None => name.clone(),
    };
    let mut out = facts.shown(&name, Place::Strict, Role::Strong);
    let key = Foreign::from(change.key.as_str());
    if change.branch.as_ref() != Some(&key) {
        out.push(Span::ours(" ", Role::Text));
        out.extend(facts.shown(&key, Place::Strict, Role::Strong));
    }
    out
}

fn branches(facts: &Facts<'_>, why: bool) -> Vec<Span> {
    let change = &facts.dossier.change;
    let mut out = match &change.branch {
        Some(branch) => facts.shown(branch, Place::Strict, Role::Text),
        None => vec![Span::ours("detached", Role::Warn)],
    };
    out.push(Span::ours(" → ", Role::Muted));
    out.extend(facts.shown(&change.base.name, Place::Strict, Role::Text));
    if why {
        out.push(Span::ours(
            format!(" ({})", change.base.why.word()),
            Role::Muted,
        ));
    }
    out
}

fn who(facts: &Facts<'_>, level: usize) -> Vec<Span> {
    let Known::Is(person) = &facts.dossier.who else {
        return vec![Span::ours("nobody is known here", Role::Warn)];
    };
    let mut out = Vec::new();
    if level < 2 {
        out.push(Span::ours("you ", Role::Muted));
    }
    let name = facts.shown(&person.name().into(), Place::Strict, Role::Text);
    // on the narrowest screens the head is worth more than the end of a name
    out.extend(if level < 7 { name } else { cut(&name, 12) });
    out.push(Span::ours("  ", Role::Text));
    if let Some(key) = person.key.as_ref().filter(|_| level < 2) {
        out.push(Span::ours("key ", Role::Muted));
        out.push(Span::ours(key.short().to_owned(), Role::Text));
        out.push(Span::ours("  ", Role::Text));
    }
    let label = person.reach().label();
    let word = assurance(person.reach());
    out.push(Span::ours(
        if level < 3 {
            format!("{label} {word}")
        } else {
            label.to_owned()
        },
        Role::Text,
    ));
    out
}

fn assurance(assurance: crate::model::ruling::Assurance) -> &'static str {
    use crate::model::ruling::Assurance;
    match assurance {
        Assurance::Claimed => "claimed",
        Assurance::Present => "present",
        Assurance::Signed => "signed",
        Assurance::Touched => "touched",
    }
}

/// The role of a verdict.
#[must_use]
pub fn verdict_role(verdict: Verdict) -> Role {
    match verdict {
        Verdict::Approved => Role::Good,
        Verdict::Undecided => Role::Strong,
        Verdict::Reroll | Verdict::CouldNotMeasure => Role::Bad,
        Verdict::Escalate => Role::Warn,
        Verdict::Stale => Role::Moved,
    }
}

/// Whether gate messages were handed in.
fn triages(judgment: &Judgment) -> bool {
    judgment.items.iter().any(|item| item.pane == Pane::Triage)
}

/// The triage gate: how many messages wait for a reply.
fn triage(judgment: &Judgment) -> Vec<Span> {
    let items = || {
        let all = judgment.items.iter();
        all.filter(|item| item.pane == Pane::Triage)
    };
    let (all, owed) = (items().count(), items().filter(|item| item.owed).count());
    match (all, owed) {
        (0, _) => said("triage", "–", Role::Muted),
        (_, 0) => said("triage", "✓", Role::Good),
        (all, owed) => said("triage", format!("{owed} of {all}"), Role::Text),
    }
}

/// Row 2: what is owed, what the verdict is now. The verdict is its last word at every size.
fn gate_row(facts: &Facts<'_>, level: usize) -> Row {
    let judgment = facts.judgment;
    let gap = if level < 4 { 3 } else { 2 };
    let (floor, floor_role) = words::floor(&judgment.floor);
    let mut left = Vec::new();
    if level < 6 {
        let label = if level < 5 { "floor" } else { "" };
        left.push(said(label, floor, floor_role));
    }
    if level < 5 {
        left.push(said(
            "verify",
            judgment.verify.word(),
            verdict_role(judgment.verify),
        ));
    }
    let chains = || {
        let (word, role) = words::chains(&judgment.chains);
        said("chains", word, role)
    };
    match level {
        0 => {
            left.push(chains());
            let (word, role) = words::spec(&judgment.spec);
            left.push(said("spec", word, role));
            left.push(triage(judgment));
        }
        1..=3 if judgment.spec.known().is_some_and(|word| *word != "clear") => {
            let (word, role) = words::spec(&judgment.spec);
            left.push(said("spec", word, role));
        }
        1..=3 if triages(judgment) => left.push(triage(judgment)),
        1..=3 if judgment.chains.known().is_some() => left.push(chains()),
        1..=3 => left.push(said("others", "–", Role::Muted)),
        _ => {}
    }
    if let Some(hidden) = hidden(judgment, level) {
        left.push(hidden);
    }
    let mut right = Vec::new();
    if level < 7 {
        right.push(counted(judgment.owed, "owed", Role::Strong));
    }
    if level < 6 {
        right.push(counted(judgment.decided, "decided", Role::Text));
    }
    let open = facts.state.world.ruled.is_none() && judgment.ruling == Verdict::Undecided;
    if level < 3 && open && !judgment.can_end.is_empty() {
        let ends: Vec<&str> = judgment.can_end.iter().map(|end| end.word()).collect();
        right.push(said("can end", ends.join(", "), Role::Text));
    }
    let pad = if level < 4 { "verdict " } else { "verdict" };
    let signed = facts.state.world.ruled;
    let signed = facts
        .dossier
        .rulings
        .iter()
        .find(|r| Some(r.entry) == signed);
    match signed.map(|ruling| ruling.value.verdict()) {
        Some(verdict) => right.push(said("signed", verdict.word(), bold(verdict))),
        None => right.push(said(pad, judgment.ruling.word(), bold(judgment.ruling))),
    }
    let mut right = parts(gap, right);
    if let Some(first) = right.first_mut() {
        first.text.clear();
    }
    Row {
        left: parts(gap, left),
        right,
        ..Row::default()
    }
}

/// What the change hides, by kind where there is room; only what honest texts hardly hold, and
/// that something was not looked at.
fn hidden(judgment: &Judgment, level: usize) -> Option<Vec<Span>> {
    let all = judgment.hidden.all();
    let count = all.hidden.loud().saturating_add(all.look_alikes);
    match (count, judgment.hidden.unread, level) {
        (0, 0, _) => None,
        (0, _, 0..=3) => Some(said("hidden", "…", Role::Muted)),
        (0, _, _) => None,
        (_, _, 0..=1) => Some(said("hidden", all.loud().says(), Role::Warn)),
        (_, _, 2..=5) => Some(said("hidden", words::number(count.into()), Role::Warn)),
        (_, _, _) => Some(said("", format!("!{count}"), Role::Warn)),
    }
}

fn bold(verdict: Verdict) -> Role {
    verdict_role(verdict)
}

fn counted(value: usize, word: &str, role: Role) -> Vec<Span> {
    let role = if value == 0 { Role::Muted } else { role };
    vec![
        Span::ours(words::number(value as u64), role),
        Span::ours(format!(" {word}"), Role::Muted),
    ]
}

/// The two rows below.
#[must_use]
pub fn foot(state: &State, facts: Option<&Facts<'_>>) -> Vec<Row> {
    vec![status(state, facts), footer(state)]
}

/// Last but one: what just happened; may I decide.
fn status(state: &State, facts: Option<&Facts<'_>>) -> Row {
    let columns = usize::from(state.screen.size.0);
    let role = if state.status.refusal {
        Role::Warn
    } else {
        Role::Text
    };
    let says = words::shown(
        state.screen.ascii,
        &Foreign::from(state.status.says.as_str()),
        Place::Prose,
        role,
    );
    let left = match search_bar(state) {
        Some(bar) => bar,
        None => Row::ours(" ", Role::Text).spans(says),
    };
    let may = facts.map_or_else(
        || {
            vec![
                (
                    "decisions open when head, base and contract are known".to_owned(),
                    Role::Muted,
                ),
                ("decisions are off".to_owned(), Role::Muted),
            ]
        },
        |facts| may(facts),
    );
    let mut row = left.clone();
    for (text, role) in may {
        row = Row {
            right: vec![Span::ours(text, role)],
            ..left.clone()
        };
        if width_of(&row.right) + width_of(&row.left).min(columns / 3) + 3 <= columns {
            break;
        }
    }
    padded(row)
}

/// The search that is typed or shown, in place of the last event.
fn search_bar(state: &State) -> Option<Row> {
    let shown = |words: &str| {
        words::shown(
            state.screen.ascii,
            &words.into(),
            Place::Strict,
            Role::Strong,
        )
    };
    match &state.mode {
        Mode::Search(field) => Some(
            Row::ours(" /", Role::Accent)
                .spans(shown(&field.0.lines().join(" ")))
                .and("▏", Role::Accent),
        ),
        Mode::Matches { words, hits, at } => {
            let place = if hits.is_empty() { 0 } else { at + 1 };
            let key = state.keys.shown(Command::GoOut);
            Some(Row::ours(" /", Role::Accent).spans(shown(words)).and(
                format!("  {place} of {} · {key} ends", hits.len()),
                Role::Muted,
            ))
        }
        Mode::Browse
        | Mode::Prefix(_)
        | Mode::Note(_)
        | Mode::Picker(_)
        | Mode::Rulings(_)
        | Mode::Contracts(_)
        | Mode::Formats(_)
        | Mode::Confirm(_)
        | Mode::Trust(_)
        | Mode::Carry(_)
        | Mode::SignOne(_)
        | Mode::SignEdits(_)
        | Mode::SignTwo(_)
        | Mode::Help(_)
        | Mode::Inspect(_)
        | Mode::Palette(_) => None,
    }
}

/// The state of `r` for the selected item: long words first, then shorter ones.
fn may(facts: &Facts<'_>) -> Vec<(String, Role)> {
    let state = facts.state;
    if let Mode::Trust(page) = &state.mode {
        return vec![trust::may(state, page)];
    }
    if let Mode::Carry(page) = &state.mode {
        return vec![carry::may(state, page)];
    }
    if let Mode::SignEdits(_) = &state.mode {
        return vec![writes::may(state)];
    }
    // While a text is typed or a table is read, r is a letter or nothing.
    if matches!(
        state.mode,
        Mode::Note(_)
            | Mode::Search(_)
            | Mode::SignOne(_)
            | Mode::SignTwo(_)
            | Mode::Help(_)
            | Mode::Inspect(_)
            | Mode::Palette(_)
    ) {
        return vec![(String::new(), Role::Muted)];
    }
    let key = state.keys.shown(Command::Ratify);
    let seen = facts.subject().is_some_and(|subject| facts.seen(subject));
    let short = |word: &str, role| (format!("{key} {word}"), role);
    match state.ready() {
        Ready::Nothing => vec![(String::new(), Role::Muted)],
        Ready::Open(does) if seen => vec![
            (format!("evidence seen · {key} open: {does}"), Role::Good),
            (format!("{key} open: {does}"), Role::Good),
            short("open", Role::Good),
        ],
        Ready::Open(does) => vec![
            (format!("{key} open: {does}"), Role::Good),
            short("open", Role::Good),
        ],
        Ready::Soon(_) => vec![short("opens in a moment", Role::Warn)],
        Ready::Locked(says) => reasons(&key, "locked", &says, Role::Warn, false),
        Ready::Closed(says) => reasons(&key, "closed", &says, Role::Bad, seen),
    }
}

/// A sentence of a refusal behind the key: whole, without its way on, the word alone.
fn reasons(key: &str, word: &str, says: &str, role: Role, seen: bool) -> Vec<(String, Role)> {
    let head = ["Closed: ", "Locked: "]
        .iter()
        .find_map(|head| says.strip_prefix(head))
        .unwrap_or(says);
    let first = head
        .split(". ")
        .next()
        .unwrap_or(head)
        .trim_end_matches('.');
    let mut out = Vec::new();
    if seen {
        out.push((format!("evidence seen · {key} {word}: {first}"), role));
    }
    out.push((format!("{key} {word}: {first}"), role));
    out.push((format!("{key} {word}"), role));
    out
}

/// Last: what can I press now. As many as fit; help is always the last.
fn footer(state: &State) -> Row {
    let columns = usize::from(state.screen.size.0);
    let gap = if columns >= 100 { 3 } else { 2 };
    let keys = keys::live(state);
    let wide = |shown: &keys::Shown| width(&shown.key) + width(&shown.words) + 1;
    let tail = keys.last().map_or(0, |shown| wide(shown) + gap);
    let mut row = Row::ours(" ", Role::Text);
    let count = keys.len();
    let mut cut = false;
    for (at, shown) in keys.into_iter().enumerate() {
        let last = at + 1 == count;
        let used = width_of(&row.left) + if at == 0 { 0 } else { gap };
        let reserve = if last { 0 } else { tail };
        cut = cut || (!last && used + wide(&shown) + reserve + 1 > columns);
        if cut && !last || used + wide(&shown) > columns {
            continue;
        }
        if at > 0 {
            row = row.and(" ".repeat(gap), Role::Text);
        }
        row = row.and(shown.key, shown.role);
        if !shown.words.is_empty() {
            row = row.and(format!(" {}", shown.words), Role::Muted);
        }
    }
    row
}

/// Below 40x10: one line, and the verdict where there is room for it.
pub fn too_small(state: &State, facts: Option<&Facts<'_>>, scene: &mut Scene) {
    let (columns, rows) = state.screen.size;
    let columns = usize::from(columns);
    if rows == 0 || columns == 0 {
        return;
    }
    let texts = [
        " Too small: 40x10 is needed. Nothing is decided meanwhile.",
        " Too small: 40x10 is needed.",
        " Too small",
    ];
    scene.head = vec![first_that_fits(
        columns,
        texts.map(|text| Row::ours(text, Role::Warn)).into_iter(),
    )];
    if rows >= 2 && class(state.screen.size.0, rows) == Class::Small {
        scene.head.push(facts.map_or_else(unread_gates, |facts| {
            first_that_fits(columns, (0..8).map(|level| gate_row(facts, level)))
        }));
    }
}
