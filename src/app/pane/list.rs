//! The list of everything: items of all panes in walking order, then the changed files.
//!
//! Lines are cheap marks first; only those on screen become rows, so ten thousand criteria
//! cost no more than forty.

use crate::app::row::{Ground, Role, Row, Span, cut, cut_path, width, width_of};
use crate::app::scene::{Area, Panel, Title};
use crate::app::state::{self, Focus};
use crate::gate::dossier::{EditTarget, Subject};
use crate::gate::judge::{Item, Pane};
use crate::model::change::{ChangeKind, FileChange};
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::text::{Foreign, Place};

use super::facts::{self, Facts};
use super::guide;
use super::layout::{Class, class};
use super::words;

/// One line of the list, before it is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    /// The rule above a section.
    Title(Section),
    /// An item: its number in the judgment, and in its pane.
    Item(usize, usize),
    /// Why a section is empty.
    Why(Section),
    /// A changed file, by number.
    File(usize),
    /// A row of the guide.
    Guide(u8),
    /// Air.
    Blank,
}

/// A run of lines under one rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Section {
    /// Items of one pane.
    Pane(Pane),
    /// Panes 4 to 6 while none of them applies.
    Rest,
    /// The changed files.
    Files,
    /// The strip of the sample.
    Guide,
}

const SECTIONS: [Section; 7] = [
    Section::Pane(Pane::Contract),
    Section::Pane(Pane::Criteria),
    Section::Pane(Pane::Comments),
    Section::Pane(Pane::Scope),
    Section::Rest,
    Section::Pane(Pane::Verdict),
    Section::Files,
];

/// All lines of the list, in order; `airy` puts a blank row between sections.
#[must_use]
pub fn lines(facts: &Facts<'_>, airy: bool) -> Vec<Line> {
    let mut out = Vec::new();
    for section in SECTIONS {
        let lines = section_lines(facts, section);
        if lines.is_empty() {
            continue;
        }
        if airy && !out.is_empty() {
            out.push(Line::Blank);
        }
        out.push(Line::Title(section));
        out.extend(lines);
    }
    let strip = guide::strip(facts);
    if let Some(strip) = strip {
        if airy {
            out.push(Line::Blank);
        }
        out.push(Line::Title(Section::Guide));
        let count = u8::try_from(strip.len()).unwrap_or(0);
        out.extend((0..count).map(Line::Guide));
    }
    out
}

fn section_lines(facts: &Facts<'_>, section: Section) -> Vec<Line> {
    let pane = match section {
        Section::Pane(pane) => pane,
        Section::Rest => return vec![Line::Why(Section::Rest)],
        Section::Files => {
            let files = (0..facts.files().len()).map(Line::File);
            let files: Vec<Line> = if facts.state.nav.owed_only {
                Vec::new()
            } else {
                files.collect()
            };
            return if files.is_empty() {
                vec![Line::Why(Section::Files)]
            } else {
                files
            };
        }
        Section::Guide => return Vec::new(),
    };
    let owed_only = facts.state.nav.owed_only;
    let items: Vec<Line> = facts
        .judgment
        .items
        .iter()
        .enumerate()
        .filter(|(_, item)| item.pane == pane)
        .enumerate()
        .filter(|(_, (_, item))| item.owed || !owed_only)
        .map(|(place, (at, _))| Line::Item(at, place))
        .collect();
    match (items.is_empty(), pane) {
        (true, Pane::Verdict) => Vec::new(),
        (true, _) => vec![Line::Why(section)],
        (false, _) => items,
    }
}

/// Where the selected row stands among the lines.
#[must_use]
pub fn selected_line(facts: &Facts<'_>, lines: &[Line]) -> Option<usize> {
    let selected = facts.selected()?;
    let wanted = match &selected {
        state::Row::Item(subject) => {
            let items = &facts.judgment.items;
            let at = items.iter().position(|item| &item.subject == subject)?;
            return lines
                .iter()
                .position(|line| matches!(line, Line::Item(item, _) if *item == at));
        }
        state::Row::File(path) => facts.files().iter().position(|file| &file.path == path)?,
        state::Row::Verdict => return None,
    };
    lines.iter().position(|line| *line == Line::File(wanted))
}

/// The list in its column: one panel for each section that is on screen.
#[must_use]
pub fn panels(facts: &Facts<'_>, area: Area) -> Vec<Panel> {
    let view = usize::from(area.height);
    let mut lines_now = lines(facts, true);
    if lines_now.len() > view || facts.state.screen.size.1 < 30 {
        lines_now = lines(facts, false);
    }
    let selected = selected_line(facts, &lines_now);
    let top = top(facts.state.nav.list_top, selected, lines_now.len(), view);
    let columns = Columns::of(facts, usize::from(area.width));
    let mut out: Vec<Panel> = Vec::new();
    let visible = lines_now.iter().enumerate().skip(top).take(view);
    for (y, (at, line)) in (area.y..).zip(visible) {
        let Line::Title(section) = line else {
            let row = row(facts, *line, &columns, Some(at) == selected);
            match out.last_mut() {
                Some(panel) => {
                    panel.rows.push(row);
                    panel.area.height += 1;
                }
                None => out.push(Panel {
                    area: Area {
                        y,
                        height: 1,
                        ..area
                    },
                    rows: vec![row],
                    ..Panel::default()
                }),
            }
            continue;
        };
        let focused = in_section(facts, &lines_now, at, selected);
        out.push(Panel {
            area: Area {
                y,
                height: 1,
                ..area
            },
            title: Some(title(facts, *section, focused)),
            ..Panel::default()
        });
    }
    let below = lines_now.len().saturating_sub(top + view);
    if let Some(first) = out.first_mut() {
        first.more.0 = top;
    }
    if let Some(last) = out.last_mut() {
        last.more.1 = below;
        mark_more(last, below);
    }
    out
}

/// The last row says how many lines are below it.
fn mark_more(panel: &mut Panel, below: usize) {
    if below > 0
        && let Some(row) = panel.rows.last_mut()
    {
        let text = format!("… {} more below ", words::number(below as u64));
        let room = usize::from(panel.area.width).saturating_sub(width(&text) + 1);
        row.left = cut(&row.left, room);
        row.right = vec![Span::ours(text, Role::Muted)];
    }
}

/// The first line that keeps the selected one (and the rule above it) in view.
fn top(wanted: usize, selected: Option<usize>, total: usize, view: usize) -> usize {
    let mut top = wanted.min(total.saturating_sub(view));
    if let Some(at) = selected {
        if at < top {
            top = at.saturating_sub(1);
        }
        let last = top + view.saturating_sub(2);
        if at > last && view > 1 {
            top = at + 2 - view;
        }
    }
    top.min(total.saturating_sub(view))
}

fn in_section(facts: &Facts<'_>, lines: &[Line], title: usize, selected: Option<usize>) -> bool {
    let Some(selected) = selected.filter(|at| *at > title) else {
        return false;
    };
    facts.state.nav.focus == Focus::List
        && !lines
            .get(title + 1..selected)
            .is_some_and(|between| between.iter().any(|line| matches!(line, Line::Title(_))))
}

/// Rows that the section of the selected item needs, its rule included.
#[must_use]
pub fn section_height(facts: &Facts<'_>) -> u16 {
    let lines = section_lines(facts, current(facts));
    u16::try_from(lines.len() + 1).unwrap_or(u16::MAX)
}

/// The section that the selected row stands in.
#[must_use]
pub fn current(facts: &Facts<'_>) -> Section {
    match facts.selected() {
        Some(state::Row::File(_)) => Section::Files,
        Some(state::Row::Item(_)) => facts.item().map_or(Section::Pane(Pane::Criteria), |item| {
            Section::Pane(item.pane)
        }),
        Some(state::Row::Verdict) | None => Section::Pane(Pane::Criteria),
    }
}

/// One section alone, the others as tabs in its rule.
#[must_use]
pub fn section(facts: &Facts<'_>, area: Area) -> Option<Panel> {
    let now = current(facts);
    let all = section_lines(facts, now);
    let view = usize::from(area.height.saturating_sub(1));
    let selected = selected_line(facts, &all);
    let top = top(facts.state.nav.list_top, selected, all.len(), view);
    let columns = Columns::of(facts, usize::from(area.width));
    let rows: Vec<Row> = all
        .iter()
        .enumerate()
        .skip(top)
        .take(view)
        .map(|(at, line)| row(facts, *line, &columns, Some(at) == selected))
        .collect();
    let below = all.len().saturating_sub(top + view);
    let focused = facts.state.nav.focus == Focus::List;
    let mut panel = Panel {
        area,
        title: Some(tabs(facts, now, focused)),
        rows,
        more: (top, below),
    };
    mark_more(&mut panel, below);
    Some(panel)
}

/// The rule of a single section: itself, then the others with what they owe.
fn tabs(facts: &Facts<'_>, now: Section, focused: bool) -> Title {
    let long = facts.state.screen.size.0 >= 78;
    let name = |section: Section| match section {
        Section::Pane(pane) => words::pane(pane),
        Section::Rest => "4 5 6",
        Section::Files => "Files",
        Section::Guide => "",
    };
    let left =
        Row::ours(name(now), Role::Strong).and(format!(" {}", amount(facts, now)), Role::Text);
    let mut right = Row::default();
    for section in SECTIONS.into_iter().filter(|section| *section != now) {
        let lines = section_lines(facts, section);
        if lines.is_empty() || matches!(section, Section::Files if !long) {
            continue;
        }
        let amount = amount(facts, section);
        let text = match (long, section) {
            (true, _) => format!("{} {amount}", name(section)),
            (false, Section::Rest) => continue,
            (false, _) => {
                let number = name(section).split(' ').next().unwrap_or_default();
                format!("{number}:{amount}")
            }
        };
        let gap = match (right.left.is_empty(), long) {
            (true, _) => "",
            (false, true) => "   ",
            (false, false) => "  ",
        };
        right = right.and(format!("{gap}{text}"), Role::Muted);
    }
    if !long {
        right = right.and("  Tab", Role::Accent);
    }
    Title {
        left,
        right,
        focused,
    }
}

/// What a tab says beside its name: the number owed, `✓` for none, `–` where it does not apply.
fn amount(facts: &Facts<'_>, section: Section) -> String {
    match section {
        Section::Pane(pane) => match (count(facts, pane), has_items(facts, pane)) {
            (0, true) => "✓".to_owned(),
            (0, false) => "–".to_owned(),
            (owed, _) => words::number(owed as u64),
        },
        Section::Rest => "–".to_owned(),
        Section::Files => words::number(facts.files().len() as u64),
        Section::Guide => String::new(),
    }
}

fn has_items(facts: &Facts<'_>, pane: Pane) -> bool {
    facts.judgment.items.iter().any(|item| item.pane == pane)
}

fn count(facts: &Facts<'_>, pane: Pane) -> usize {
    let items = facts.judgment.items.iter();
    items.filter(|item| item.pane == pane && item.owed).count()
}

fn title(facts: &Facts<'_>, section: Section, focused: bool) -> Title {
    let role = if focused { Role::Strong } else { Role::Text };
    let (left, right) = match section {
        Section::Pane(pane) => (Row::ours(words::pane(pane), role), pane_right(facts, pane)),
        Section::Rest => (
            Row::ours("4 Chains   5 Spec   6 Triage", Role::Text),
            Row::ours("do not apply", Role::Muted),
        ),
        Section::Files => (Row::ours("Files", role), files_right(facts)),
        Section::Guide => (
            Row::ours(guide::title(facts), Role::Text),
            Row::ours("o ? hides it", Role::Muted),
        ),
    };
    Title {
        left,
        right,
        focused,
    }
}

fn pane_right(facts: &Facts<'_>, pane: Pane) -> Row {
    let owed = count(facts, pane);
    let all = facts
        .judgment
        .items
        .iter()
        .filter(|item| item.pane == pane)
        .count();
    let role = if owed > 0 { Role::Text } else { Role::Muted };
    let text = match pane {
        Pane::Comments if all == 0 => return Row::ours("does not apply", Role::Muted),
        Pane::Scope => match &facts.dossier.files {
            Known::Is(files) => format!("{owed} owed of {}", words::count(files.len(), "file")),
            Known::Unknown(_) => "… owed of … files".to_owned(),
            Known::NotApplicable(_) | Known::NotSupplied => "–".to_owned(),
        },
        Pane::Contract | Pane::Verdict => format!("{owed} owed"),
        Pane::Criteria | Pane::Comments | Pane::Chains | Pane::Spec | Pane::Triage => {
            format!("{owed} owed of {}", words::number(all as u64))
        }
    };
    Row::ours(text, role)
}

fn files_right(facts: &Facts<'_>) -> Row {
    let Known::Is(files) = &facts.dossier.files else {
        return Row::ours("…", Role::Muted);
    };
    let (mut added, mut removed, mut unknown) = (0u64, 0u64, false);
    for file in files {
        match &file.counts {
            Known::Is(counts) => {
                added += u64::from(counts.added);
                removed += u64::from(counts.removed);
            }
            Known::Unknown(_) => unknown = true,
            Known::NotApplicable(_) | Known::NotSupplied => {}
        }
    }
    let more = if unknown { " …" } else { "" };
    Row::ours(
        format!("{}   ", words::number(files.len() as u64)),
        Role::Text,
    )
    .and(format!("+{}", words::number(added)), Role::Good)
    .and(format!(" −{}{more}", words::number(removed)), Role::Bad)
}

/// Column widths that all rows of one list share.
#[derive(Clone, Copy, Debug)]
struct Columns {
    all: usize,
    id: usize,
    word: usize,
}

impl Columns {
    fn of(facts: &Facts<'_>, all: usize) -> Self {
        let (mut id, mut word) = (1, 9);
        for item in &facts.judgment.items {
            word = word.max(item.word.len());
            if let Subject::Criterion(criterion) = &item.subject {
                id = id.max(criterion.as_str().len());
            }
        }
        let word = word.min(if all >= 50 { 14 } else { 11 });
        Self {
            all,
            id: id.min(all / 5),
            word,
        }
    }
}

fn row(facts: &Facts<'_>, line: Line, columns: &Columns, selected: bool) -> Row {
    let row = match line {
        Line::Title(_) | Line::Blank => Row::default(),
        Line::Item(at, place) => facts
            .judgment
            .items
            .get(at)
            .map(|item| item_row(facts, item, place, columns, selected))
            .unwrap_or_default(),
        Line::Why(section) => why(facts, section, columns.all),
        Line::File(at) => facts
            .files()
            .get(at)
            .map(|file| file_row(facts, file, columns.all, selected))
            .unwrap_or_default(),
        Line::Guide(at) => guide::strip(facts)
            .and_then(|strip| strip.get(usize::from(at)).copied())
            .map(|text| Row::ours(format!("    {text}"), Role::Text))
            .unwrap_or_default(),
    };
    if selected {
        row.on(Ground::Selected)
    } else {
        row
    }
}

/// The mark of the selected row: full while the list has the keys.
fn pointer(facts: &Facts<'_>, selected: bool) -> Span {
    match (selected, facts.state.nav.focus == Focus::List) {
        (true, true) => Span::ours("▸", Role::Accent),
        (true, false) => Span::ours("▹", Role::Accent),
        (false, _) => Span::ours(" ", Role::Text),
    }
}

fn item_row(
    facts: &Facts<'_>,
    item: &Item,
    place: usize,
    columns: &Columns,
    selected: bool,
) -> Row {
    let unseen = item.owed && !facts.seen(&item.subject);
    let role = match (item.owed, unseen) {
        (true, true) => Role::Strong,
        (true, false) => Role::Text,
        (false, _) => Role::Muted,
    };
    let (glyph, glyph_role) =
        running(facts, item).map_or_else(|| words::glyph(item), |(glyph, _)| (glyph, Role::Accent));
    let dot = if unseen { "•" } else { " " };
    let id = id_of(item);
    let mut row = Row::default()
        .spans([pointer(facts, selected)])
        .and(dot, Role::Strong)
        .and(glyph, glyph_role)
        .and(" ", Role::Text);
    let word = running(facts, item).map_or_else(|| item.word.to_owned(), |(_, word)| word);
    let word_at = columns.all.saturating_sub(columns.word + 1);
    if let Subject::ScopeFile(path) = &item.subject {
        let room = word_at.saturating_sub(width_of(&row.left) + 1);
        let counts = facts.file(path).map(counts).unwrap_or_default();
        let counts_wide = if room > 24 { width_of(&counts) + 1 } else { 0 };
        let name = facts.shown(&path.foreign(), Place::Strict, role);
        row = row.spans(cut_path(&name, room.saturating_sub(counts_wide)));
        if counts_wide > 0 {
            row = row.to(word_at - counts_wide, false).spans(counts);
        }
    } else {
        row = row
            .and(cut_word(&id, columns.id), role)
            .to(4 + columns.id + 2, false);
        let room = word_at.saturating_sub(width_of(&row.left) + 1);
        row = row.spans(cut(&text_of(facts, item, place, role), room));
    }
    row.to(word_at, true).and(
        cut_word(&word, columns.word),
        glyph_role_for_word(item, glyph_role),
    )
}

fn glyph_role_for_word(item: &Item, role: Role) -> Role {
    if item.owed { role } else { Role::Muted }
}

fn cut_word(text: &str, columns: usize) -> String {
    let spans = [Span::ours(text, Role::Text)];
    cut(&spans, columns)
        .into_iter()
        .map(|span| span.text)
        .collect()
}

/// Glyph and word of a criterion whose oracle is queued or running.
fn running(facts: &Facts<'_>, item: &Item) -> Option<(&'static str, String)> {
    let Subject::Criterion(id) = &item.subject else {
        return None;
    };
    let runs = &facts.state.runs;
    if let Some(run) = runs.running.get(id) {
        let seconds = facts.state.screen.now_ms.saturating_sub(run.since_ms) / 1000;
        return Some(("◐", format!("run {seconds} s")));
    }
    runs.queued.contains(id).then(|| ("○", "queued".to_owned()))
}

fn id_of(item: &Item) -> String {
    match &item.subject {
        Subject::Criterion(id) | Subject::ContractEdit(EditTarget::Criterion(id)) => id.to_string(),
        Subject::ContractEdit(
            EditTarget::Whole | EditTarget::Request | EditTarget::Scope | EditTarget::Header,
        )
        | Subject::ScopeFile(_)
        | Subject::Assertion(_) => String::new(),
    }
}

/// The text of an item's row.
fn text_of(facts: &Facts<'_>, item: &Item, place: usize, role: Role) -> Vec<Span> {
    match &item.subject {
        Subject::Criterion(id) => match facts.criterion(id, place) {
            Some(criterion) => facts.shown(&one_line(&criterion.text), Place::Prose, role),
            None => vec![Span::ours("not in the contract of record", Role::Warn)],
        },
        Subject::ContractEdit(target) => vec![Span::ours(edit_text(facts, target), role)],
        Subject::ScopeFile(path) => facts.shown(&path.foreign(), Place::Strict, role),
        Subject::Assertion(entry) => {
            let found = facts.dossier.assertions.iter().find(|a| &a.entry == entry);
            match found {
                Some(assertion) => {
                    let said = &assertion.value;
                    let mut out = vec![Span::ours(format!("{} ", said.gate), role)];
                    out = out
                        .into_iter()
                        .flat_map(|span| facts.shown(&span.text.into(), Place::Strict, role))
                        .collect();
                    out.extend(facts.shown(&said.verdict, Place::Strict, role));
                    out
                }
                None => vec![Span::ours(format!("assertion {}", entry.short()), role)],
            }
        }
    }
}

/// A criterion's text with its wrapped lines joined by blanks, for one row.
#[must_use]
pub fn one_line(text: &Foreign) -> Foreign {
    let bytes: Vec<u8> = text
        .raw()
        .iter()
        .take(2048)
        .map(|byte| if *byte == b'\n' { b' ' } else { *byte })
        .collect();
    Foreign::new(bytes)
}

/// `CHECK and EXPECT edited by the change`.
#[must_use]
pub fn edit_text(facts: &Facts<'_>, target: &EditTarget) -> String {
    use crate::model::contract::EditKind;
    let edits = super::card_edit::edits(facts, target);
    let mut parts: Vec<&str> = Vec::new();
    for edit in &edits {
        let part = words::edit_part(edit.kind);
        let claim = matches!(
            edit.kind,
            EditKind::EvidencePrefilled | EditKind::EvidenceChanged | EditKind::BoxTicked
        );
        if !parts.contains(&part) && (!claim || parts.is_empty()) {
            parts.push(part);
        }
    }
    let happened = edits
        .first()
        .map_or("edited", |edit| words::edit_happened(edit.kind));
    match (target, parts.as_slice()) {
        (EditTarget::Whole, _) => format!("the contract is {happened} in the change"),
        (_, []) => format!("{} edited by the change", words::target(target)),
        (_, [one]) => format!("{one} {happened} by the change"),
        (_, [first @ .., last]) => {
            format!("{} and {last} {happened} by the change", first.join(", "))
        }
    }
}

/// `+12 −4`; `…` while unknown.
#[must_use]
pub fn counts(file: &FileChange) -> Vec<Span> {
    match &file.counts {
        Known::Is(counts) => {
            let mut out = Vec::new();
            if counts.added > 0 || counts.removed == 0 {
                let text = format!("+{}", words::number(counts.added.into()));
                out.push(Span::ours(text, Role::Good));
            }
            if counts.removed > 0 {
                let gap = if out.is_empty() { "" } else { " " };
                let text = format!("{gap}−{}", words::number(counts.removed.into()));
                out.push(Span::ours(text, Role::Bad));
            }
            out
        }
        Known::Unknown(_) => vec![Span::ours("…", Role::Muted)],
        Known::NotApplicable(_) | Known::NotSupplied => vec![Span::ours("–", Role::Muted)],
    }
}

fn kind_letter(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "A",
        ChangeKind::Deleted => "D",
        ChangeKind::Modified => "M",
        ChangeKind::Renamed => "R",
        ChangeKind::Mode => "m",
        ChangeKind::Type => "T",
    }
}

/// The mark of a file: not accounted for, the contract, claimed by the selected criterion.
fn file_mark(facts: &Facts<'_>, path: &RepoPath) -> Span {
    if facts
        .record()
        .is_some_and(|record| &record.contract.path == path)
    {
        return Span::ours("≠", Role::Bad);
    }
    let Some(scoped) = facts.scoped(path) else {
        return Span::ours(" ", Role::Text);
    };
    if scoped.overflow {
        return Span::ours("◆", Role::Warn);
    }
    match facts.claimant() {
        Some(id) if facts::claims(scoped, &id) => Span::ours("▎", Role::Accent),
        Some(_) | None => Span::ours(" ", Role::Text),
    }
}

/// A row of the file list.
#[must_use]
pub fn file_row(facts: &Facts<'_>, file: &FileChange, all: usize, selected: bool) -> Row {
    let claim = facts.scoped(&file.path).map(facts::claimants);
    let claim = claim.unwrap_or_else(|| "…".to_owned());
    let claim_wide = match all {
        0..30 => 0,
        30..50 => 6,
        _ => 10,
    };
    let counts = counts(file);
    let counts_wide = match all {
        0..30 => 6,
        30..50 => 9,
        _ => 12,
    };
    let mut row = Row::default()
        .spans([pointer(facts, selected), file_mark(facts, &file.path)])
        .and(kind_letter(file.kind), Role::Muted)
        .and(" ", Role::Text);
    let counts_at = all.saturating_sub(claim_wide + counts_wide + 1);
    let room = counts_at.saturating_sub(width_of(&row.left) + 1);
    let name = facts.shown(&file.path.foreign(), Place::Strict, Role::Text);
    row = row.spans(cut_path(&name, room));
    let counts = cut(&counts, counts_wide);
    row = row
        .to(
            (counts_at + counts_wide).saturating_sub(width_of(&counts)),
            true,
        )
        .spans(counts);
    if claim_wide > 0 {
        let role = if claim == "untraced" {
            Role::Warn
        } else {
            Role::Muted
        };
        row = row
            .to(all.saturating_sub(claim_wide), true)
            .and(cut_word(&claim, claim_wide.saturating_sub(1)), role);
    }
    row
}

/// Why a section is empty, and what would fill it (screens.md, empty states).
fn why(facts: &Facts<'_>, section: Section, columns: usize) -> Row {
    let narrow = columns < 50;
    let owed_only = facts.state.nav.owed_only;
    let (mark, text, role) = match section {
        _ if owed_only && section != Section::Rest => (
            " ",
            "hidden by the filter \"owed\" · f ends it".to_owned(),
            Role::Muted,
        ),
        Section::Pane(Pane::Contract) => contract_why(facts),
        Section::Pane(Pane::Criteria) => criteria_why(facts),
        Section::Pane(Pane::Comments) => (
            "–",
            "no pull request, so no threads".to_owned(),
            Role::Muted,
        ),
        Section::Pane(Pane::Scope) => scope_why(facts),
        Section::Pane(Pane::Chains) => ("–", "no SKILL.md is touched".to_owned(), Role::Muted),
        Section::Pane(Pane::Spec) => ("–", "no spec tree".to_owned(), Role::Muted),
        Section::Pane(Pane::Triage) => ("–", "no gate message".to_owned(), Role::Muted),
        Section::Pane(Pane::Verdict) | Section::Guide => (" ", String::new(), Role::Muted),
        Section::Rest if narrow => ("–", "no SKILL.md, spec, message".to_owned(), Role::Muted),
        Section::Rest => (
            "–",
            "no SKILL.md, no spec tree, no gate message".to_owned(),
            Role::Muted,
        ),
        Section::Files => match &facts.dossier.files {
            Known::Is(_) => ("–", "no file is changed".to_owned(), Role::Muted),
            Known::Unknown(why) => ("▲", format!("unknown: {why}"), Role::Warn),
            Known::NotApplicable(why) => ("–", why.to_string(), Role::Muted),
            Known::NotSupplied => ("…", "not read yet".to_owned(), Role::Muted),
        },
    };
    Row::ours(format!("  {mark} "), role).and(text, role)
}

fn contract_why(facts: &Facts<'_>) -> (&'static str, String, Role) {
    match &facts.dossier.contract {
        Known::Is(_) => (
            "✓",
            "untouched: the change does not edit it".to_owned(),
            Role::Muted,
        ),
        Known::Unknown(why) => ("▲", format!("unreadable: {why}"), Role::Bad),
        Known::NotApplicable(why) => ("–", why.to_string(), Role::Muted),
        Known::NotSupplied => (
            "–",
            "no contract found: --contract names one".to_owned(),
            Role::Warn,
        ),
    }
}

fn criteria_why(facts: &Facts<'_>) -> (&'static str, String, Role) {
    match &facts.dossier.contract {
        Known::Is(record) => {
            let errors = record.contract.errors().count();
            if errors > 0 {
                let text = format!("{}: nothing is judged", words::count(errors, "error"));
                ("▲", text, Role::Bad)
            } else {
                (
                    "–",
                    "the contract names no criterion".to_owned(),
                    Role::Warn,
                )
            }
        }
        Known::Unknown(why) => ("▲", format!("unknown: {why}"), Role::Bad),
        Known::NotApplicable(_) | Known::NotSupplied => {
            ("–", "none without a contract".to_owned(), Role::Muted)
        }
    }
}

fn scope_why(facts: &Facts<'_>) -> (&'static str, String, Role) {
    match &facts.dossier.scope {
        Known::Is(_) => (
            "✓",
            "every changed file is accounted for".to_owned(),
            Role::Muted,
        ),
        Known::Unknown(why) => ("▲", format!("unknown: {why}"), Role::Warn),
        Known::NotApplicable(why) => ("–", why.to_string(), Role::Muted),
        Known::NotSupplied => ("–", "no FILE SCOPE to compare with".to_owned(), Role::Muted),
    }
}

/// How many lines the list has and how many are in view, for movement.
#[must_use]
pub fn extent(facts: &Facts<'_>) -> (usize, usize) {
    let (columns, rows) = facts.state.screen.size;
    let view = usize::from(rows.saturating_sub(4));
    let total = match class(columns, rows) {
        Class::Wide | Class::Two => lines(facts, false).len(),
        Class::One | Class::Tiny | Class::Small => section_lines(facts, current(facts)).len(),
    };
    (total, view)
}
