//! The rules above the sections of the list: their names, and what each of them owes.

use crate::app::row::{Role, Row};
use crate::app::scene::Title;
use crate::gate::judge::Pane;
use crate::model::known::Known;

use super::facts::Facts;
use super::list::{SECTIONS, Section, section_lines};
use super::{guide, words};

/// The rule of a single section: itself, then the others with what they owe.
pub(super) fn tabs(facts: &Facts<'_>, now: Section, focused: bool) -> Title {
    let long = facts.state.screen.size.0 >= 78;
    let name = |section: Section| match section {
        Section::Pane(pane) => pane_name(facts, pane).to_owned(),
        Section::Rest => {
            let numbers = rest(facts)
                .into_iter()
                .map(|pane| words::pane(pane).split(' '));
            let numbers: Vec<_> = numbers.filter_map(|mut words| words.next()).collect();
            numbers.join(" ")
        }
        Section::Beside => "Beside".to_owned(),
        Section::Files => "Files".to_owned(),
        Section::Guide => String::new(),
    };
    let left =
        Row::ours(name(now), Role::Strong).and(format!(" {}", amount(facts, now)), Role::Text);
    let mut right = Row::default();
    for section in SECTIONS.into_iter().filter(|section| *section != now) {
        let lines = section_lines(facts, section);
        if lines.is_empty() || matches!(section, Section::Files | Section::Beside if !long) {
            continue;
        }
        let amount = amount(facts, section);
        let text = match (long, section) {
            (true, _) => format!("{} {amount}", name(section)),
            (false, Section::Rest) => continue,
            (false, _) => {
                let name = name(section);
                let number = name.split(' ').next().unwrap_or_default();
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
        Section::Beside => words::number(facts.dossier.notes.len() as u64),
        Section::Files => words::number(facts.files().len() as u64),
        Section::Guide => String::new(),
    }
}

/// The panes of 4 to 6 that have no section of their own.
pub(super) fn rest(facts: &Facts<'_>) -> Vec<Pane> {
    let mut panes = Vec::new();
    if !chains_apply(facts) {
        panes.push(Pane::Chains);
    }
    if !has_items(facts, Pane::Spec) {
        panes.push(Pane::Spec);
    }
    if !has_items(facts, Pane::Triage) {
        panes.push(Pane::Triage);
    }
    panes
}

/// The name of a pane. Verdicts that agents gave themselves stand in pane 5, whatever their gate.
fn pane_name(facts: &Facts<'_>, pane: Pane) -> &'static str {
    if pane == Pane::Spec && has_items(facts, pane) {
        "5 Asserted by agents"
    } else {
        words::pane(pane)
    }
}

/// Whether the change touches a skill, as far as it is known: no frame passes over all files.
pub(super) fn chains_apply(facts: &Facts<'_>) -> bool {
    match facts.judgment.chains {
        Known::Is(_) | Known::Unknown(_) => true,
        Known::NotSupplied => facts.dossier.files.known().is_some(),
        Known::NotApplicable(_) => has_items(facts, Pane::Chains),
    }
}

fn has_items(facts: &Facts<'_>, pane: Pane) -> bool {
    facts.judgment.items.iter().any(|item| item.pane == pane)
}

fn count(facts: &Facts<'_>, pane: Pane) -> usize {
    let items = facts.judgment.items.iter();
    items.filter(|item| item.pane == pane && item.owed).count()
}

/// The rule above a section.
pub(super) fn title(facts: &Facts<'_>, section: Section, focused: bool) -> Title {
    let role = if focused { Role::Strong } else { Role::Text };
    let (left, right) = match section {
        Section::Pane(pane) => (
            Row::ours(pane_name(facts, pane), role),
            pane_right(facts, pane),
        ),
        Section::Rest => {
            let panes = rest(facts);
            let names: Vec<_> = panes.iter().map(|pane| words::pane(*pane)).collect();
            let (says, role) = if facts.state.touches_spec() == Some(true) {
                ("5 shows the digest", Role::Accent)
            } else if names.len() == 1 {
                ("does not apply", Role::Muted)
            } else {
                ("do not apply", Role::Muted)
            };
            (
                Row::ours(names.join("   "), Role::Text),
                Row::ours(says, role),
            )
        }
        Section::Beside => (
            Row::ours("Beside the change", Role::Text),
            Row::ours("not judged", Role::Muted),
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
            Known::Is(files) if facts.dossier.still_listing() => {
                format!("… owed of {} so far", words::count(files.len(), "file"))
            }
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
