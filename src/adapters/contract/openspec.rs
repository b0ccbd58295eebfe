//! OpenSpec: requirements with scenarios, deltas, and numbered tasks. The criterion is what a
//! scenario says (WHEN and THEN), not its title; a requirement without a scenario stands for
//! itself, and so does one that is removed or renamed.

use crate::model::contract::{Kind, State};

use super::Parts;
use super::complaints::Complaints;
use super::items::{self, Item, Name};
use super::lines::{Line, Veil};

/// What a section of requirements is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Section {
    /// Requirements that hold, are added or are modified.
    Holds,
    /// Requirements that are taken away.
    Removed,
    /// Requirements that get another name.
    Renamed,
}

fn section(words: &str) -> Option<Section> {
    Some(match words.to_lowercase().as_str() {
        "requirements" | "added requirements" | "modified requirements" => Section::Holds,
        "removed requirements" => Section::Removed,
        "renamed requirements" => Section::Renamed,
        _ => return None,
    })
}

/// What follows `word:` in a heading, whatever its capitals.
fn named<'a>(words: &'a str, word: &str) -> Option<&'a str> {
    let (before, after) = words.split_once(':')?;
    before
        .trim()
        .eq_ignore_ascii_case(word)
        .then(|| after.trim())
}

/// What the headings of a file show; for detection.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Shape {
    section: bool,
    delta: bool,
    requirement: bool,
    scenario: bool,
}

impl Shape {
    /// Takes one heading.
    pub(super) fn see(&mut self, level: usize, words: &str) {
        if level == 2 && section(words).is_some() {
            self.section = true;
            self.delta |= !words.eq_ignore_ascii_case("requirements");
        }
        self.requirement |= level == 3 && named(words, "requirement").is_some();
        self.scenario |= level == 4 && named(words, "scenario").is_some();
    }

    /// Whether it is a spec or a delta of one.
    pub(super) fn is_spec(self) -> bool {
        self.section && (self.requirement || self.delta)
    }

    /// Whether a scenario stands there as well.
    pub(super) fn has_scenario(self) -> bool {
        self.scenario
    }
}

/// A requirement that is being read.
struct Requirement {
    own: Item,
    scenarios: usize,
}

struct Reading<'a> {
    found: Vec<Item>,
    section: Option<Section>,
    requirement: Option<Requirement>,
    scenario: Option<Item>,
    complaints: &'a mut Complaints,
}

/// Reads a spec or a delta.
pub(super) fn read(lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    let mut reading = Reading {
        found: Vec::new(),
        section: None,
        requirement: None,
        scenario: None,
        complaints,
    };
    let mut sections = 0;
    let mut loose = None;
    for line in lines {
        if loose.is_none() && line.veil == Veil::Open && line.text.starts_with("WHEN ") {
            loose = Some(line.no);
        }
        let heading = match line.veil {
            Veil::Open => items::heading(line),
            Veil::Fence | Veil::Comment | Veil::Front => None,
        };
        match heading {
            Some((level, words)) => {
                sections += usize::from(level == 2 && section(words).is_some());
                reading.heading(level, words, line);
            }
            None if line.veil == Veil::Comment || line.is_blank() => {}
            None => reading.line(line),
        }
    }
    reading.close_requirement();
    let Reading { found, .. } = reading;
    let mut parts = Parts {
        criteria: items::criteria(found, complaints),
        ..Parts::default()
    };
    parts.state = match (parts.criteria.is_empty(), sections, loose) {
        (false, ..) => State::Found,
        (true, 0, Some(line)) => {
            complaints.error(
                "near-miss",
                line,
                "WHEN and THEN stand here, but below no requirement and no scenario",
                "write ## Requirements, ### Requirement: NAME, #### Scenario: NAME",
            );
            State::NearMiss
        }
        (true, 0, None) => {
            complaints.error(
                "no-section",
                0,
                "there is no section of requirements",
                "write ## Requirements, or ## ADDED Requirements in a delta",
            );
            State::Absent
        }
        (true, ..) => {
            complaints.error(
                "no-criteria",
                0,
                "the sections hold no requirement",
                "write ### Requirement: NAME and a scenario",
            );
            State::Empty
        }
    };
    parts
}

impl Reading<'_> {
    fn heading(&mut self, level: usize, words: &str, line: &Line<'_>) {
        match level {
            1 | 2 => {
                self.close_requirement();
                self.section = if level == 2 { section(words) } else { None };
            }
            3 => {
                self.close_requirement();
                self.requirement(words, line);
            }
            4 if self.requirement.is_some() => {
                self.close_scenario();
                match named(words, "scenario") {
                    Some(title) => {
                        let name = Name::Title(title.to_owned());
                        self.scenario = Some(Item::new(name, line, "", Kind::Scenario));
                    }
                    None => self.odd(line, "a heading of this level is a scenario"),
                }
            }
            _ if self.section.is_some() => self.line(line),
            _ => {}
        }
    }

    fn requirement(&mut self, words: &str, line: &Line<'_>) {
        if self.section.is_none() {
            return;
        }
        let Some(title) = named(words, "requirement") else {
            self.odd(line, "a heading of this level is a requirement");
            return;
        };
        let text = match self.section {
            Some(Section::Removed) => words,
            _ => "",
        };
        let name = Name::Title(title.to_owned());
        self.requirement = Some(Requirement {
            own: Item::new(name, line, text, Kind::Manual),
            scenarios: 0,
        });
    }

    fn odd(&mut self, line: &Line<'_>, what: &str) {
        self.complaints.warn(
            "odd-heading",
            line.no,
            &format!("{what}, and this is none; it is not read"),
            "write ### Requirement: NAME or #### Scenario: NAME",
        );
    }

    fn line(&mut self, line: &Line<'_>) {
        if self.section == Some(Section::Renamed) {
            self.renamed(line);
        } else if let Some(scenario) = &mut self.scenario {
            scenario.extend(line);
        } else if let Some(requirement) = &mut self.requirement {
            requirement.own.extend(line);
        }
    }

    /// `- FROM: ...` opens a pair, `- TO: ...` ends it.
    fn renamed(&mut self, line: &Line<'_>) {
        let text = items::listed(line).map_or(line.trimmed(), |(_, text)| text);
        let plain = text.trim_matches('`');
        if let Some(from) = named(plain, "from") {
            let title = from.trim_matches(['`', '#', ' ']);
            let title = named(title, "requirement").unwrap_or(title);
            let name = Name::Title(title.to_owned());
            self.found.push(Item::new(name, line, text, Kind::Manual));
        } else if named(plain, "to").is_some()
            && let Some(item) = self.found.last_mut()
        {
            item.text.push('\n');
            item.text.push_str(text);
            item.end_line = line.no;
        }
    }

    fn close_scenario(&mut self) {
        let Some(scenario) = self.scenario.take() else {
            return;
        };
        if scenario.text.is_empty() {
            self.complaints.error(
                "empty-scenario",
                scenario.line,
                "the scenario says nothing",
                "write its WHEN and THEN",
            );
            return;
        }
        let lower = scenario.text.to_lowercase();
        if !(lower.contains("when") && lower.contains("then")) {
            self.complaints.warn(
                "no-when-then",
                scenario.line,
                "the scenario has no WHEN and THEN",
                "write - **WHEN** and - **THEN**",
            );
        }
        if let Some(requirement) = &mut self.requirement {
            requirement.scenarios += 1;
        }
        self.found.push(scenario);
    }

    fn close_requirement(&mut self) {
        self.close_scenario();
        let Some(Requirement { own, scenarios }) = self.requirement.take() else {
            return;
        };
        if self.section == Some(Section::Removed) {
            self.found.push(own);
        } else if scenarios == 0 {
            self.complaints.warn(
                "no-scenario",
                own.line,
                "the requirement has no scenario; its own words are the criterion",
                "write #### Scenario: NAME",
            );
            self.found.push(own);
        }
    }
}
