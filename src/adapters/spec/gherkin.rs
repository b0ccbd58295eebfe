//! Gherkin: a file becomes a [`Suite`], with every error and its line.
//!
//! Our own parser, because the rules need what the crate of that name drops: comments, media
//! types of doc strings, and the line of an error (decision 0005).

use super::gherkin_line::{cells, heading, step, tags};
use super::languages::{Language, Opens, language};
use super::{number, without_mark};
use crate::model::id::RepoPath;
use crate::model::spec::feature::{
    Argument, Background, Comment, Examples, Feature, Rule, Scenario, Step, StepKind, Suite, Tag,
    Title,
};
use crate::model::spec::quoted;
use crate::model::text::Foreign;

/// Most errors that are told of one file.
const MOST_ERRORS: usize = 50;

/// Reads a suite. What is no Gherkin stands in its `errors`.
#[must_use]
pub fn read(path: &RepoPath, bytes: &[u8]) -> Suite {
    let mut suite = Suite {
        path: path.clone(),
        language: String::from("en"),
        feature: None,
        comments: Vec::new(),
        errors: Vec::new(),
    };
    let (bytes, _) = without_mark(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let line = before.iter().filter(|b| **b == b'\n').count() + 1;
            let what = String::from("bytes that are not UTF-8");
            suite.errors.push((number(line), what));
            return suite;
        }
    };
    let mut parser = Parser {
        suite,
        keywords: language("en"),
        tags: Vec::new(),
        at: At::Start,
        doc: None,
        kind: StepKind::Unknown,
    };
    for (index, line) in text.lines().enumerate() {
        if parser.suite.errors.len() >= MOST_ERRORS {
            break;
        }
        parser.line(number(index + 1), line.trim_end_matches('\r'));
    }
    parser.finish(number(text.lines().count()))
}

/// Where the parser stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Start,
    /// Below the keyword of something: free lines are its description.
    Text(Part),
    /// Below a step or a row: free lines are errors.
    Body(Part),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Feature,
    Rule,
    Background,
    Scenario,
    Examples,
}

struct Doc {
    fence: &'static str,
    indent: usize,
    line: u32,
    media: String,
    lines: Vec<String>,
}

struct Parser {
    suite: Suite,
    keywords: Option<&'static Language>,
    tags: Vec<Tag>,
    at: At,
    doc: Option<Doc>,
    kind: StepKind,
}

impl Parser {
    fn error(&mut self, line: u32, what: impl Into<String>) {
        self.suite.errors.push((line, what.into()));
    }

    fn line(&mut self, number: u32, raw: &str) {
        if self.doc.is_some() {
            self.doc_line(raw);
            return;
        }
        let line = raw.trim();
        if line.is_empty() {
            self.describe("");
            return;
        }
        if line.starts_with('#') {
            self.comment(number, line);
            return;
        }
        let Some(keywords) = self.keywords else {
            return;
        };
        if let Some((opens, keyword, name)) = heading(line, keywords)
            && self.may_open(opens)
        {
            self.open(opens, number, keyword, name);
        } else if line.starts_with('@') {
            self.tag_line(number, line);
        } else if self.may_step()
            && let Some((keyword, kind, text)) = step(line, keywords)
        {
            self.step(number, keyword, kind, text);
        } else if self.fence(number, raw, line) || self.row(number, line) {
        } else {
            self.free(number, line);
        }
    }

    fn comment(&mut self, number: u32, line: &str) {
        self.suite.comments.push(Comment {
            line: number,
            text: Foreign::from(line),
        });
        if self.at != At::Start || !self.tags.is_empty() {
            return;
        }
        if let Some(name) = language_named(line) {
            self.keywords = language(name);
            if self.keywords.is_none() {
                let shown = quoted(&Foreign::from(name));
                self.error(number, format!("there is no language {shown}"));
            }
            name.clone_into(&mut self.suite.language);
        }
    }

    fn tag_line(&mut self, number: u32, line: &str) {
        match tags(line, number) {
            Ok(found) => self.tags.extend(found),
            Err(why) => self.error(number, why),
        }
    }

    /// Whether the keyword opens something here; elsewhere its line is free text.
    fn may_open(&self, opens: Opens) -> bool {
        match opens {
            Opens::Feature => self.at == At::Start,
            _ => self.at != At::Start,
        }
    }

    fn may_step(&self) -> bool {
        matches!(
            self.at,
            At::Text(Part::Background | Part::Scenario)
                | At::Body(Part::Background | Part::Scenario)
        )
    }

    fn open(&mut self, opens: Opens, line: u32, keyword: &str, name: &str) {
        let title = Title {
            line,
            keyword: Foreign::from(keyword),
            name: Foreign::from(name),
            description: Foreign::default(),
        };
        let tags = std::mem::take(&mut self.tags);
        self.kind = StepKind::Unknown;
        self.end_scenario(line.saturating_sub(1));
        if opens == Opens::Feature {
            self.suite.feature = Some(Feature {
                title,
                tags,
                ..Feature::default()
            });
            self.at = At::Text(Part::Feature);
            return;
        }
        let Some(feature) = self.suite.feature.as_mut() else {
            return;
        };
        match opens {
            Opens::Feature => {}
            Opens::Rule => {
                feature.rules.push(Rule {
                    title,
                    tags,
                    ..Rule::default()
                });
                self.at = At::Text(Part::Rule);
            }
            Opens::Background => {
                let (slot, late) = match feature.rules.last_mut() {
                    Some(rule) => (&mut rule.background, !rule.scenarios.is_empty()),
                    None => (&mut feature.background, !feature.scenarios.is_empty()),
                };
                let doubled = slot.is_some();
                if !doubled && !late {
                    *slot = Some(Background {
                        title,
                        steps: Vec::new(),
                    });
                }
                self.at = At::Text(Part::Background);
                let says = [
                    (doubled, "a second Background"),
                    (late && !doubled, "a Background below a scenario"),
                    (!tags.is_empty(), "tags on a Background"),
                ];
                for (_, what) in says.into_iter().filter(|(is, _)| *is) {
                    self.error(line, what);
                }
            }
            Opens::Scenario | Opens::Outline => {
                let scenario = Scenario {
                    title,
                    end: line,
                    outline: opens == Opens::Outline,
                    tags,
                    ..Scenario::default()
                };
                match feature.rules.last_mut() {
                    Some(rule) => rule.scenarios.push(scenario),
                    None => feature.scenarios.push(scenario),
                }
                self.at = At::Text(Part::Scenario);
            }
            Opens::Examples => {
                let within = matches!(
                    self.at,
                    At::Text(Part::Scenario | Part::Examples)
                        | At::Body(Part::Scenario | Part::Examples)
                );
                let scenario = last_scenario(feature).filter(|_| within);
                match scenario {
                    Some(scenario) => {
                        scenario.examples.push(Examples {
                            title,
                            tags,
                            ..Examples::default()
                        });
                        self.at = At::Text(Part::Examples);
                    }
                    None => self.error(line, "Examples without a scenario above"),
                }
            }
        }
    }

    fn end_scenario(&mut self, line: u32) {
        if let Some(scenario) = self.suite.feature.as_mut().and_then(last_scenario)
            && scenario.end < line
        {
            scenario.end = line;
        }
    }

    fn step(&mut self, line: u32, keyword: &str, kind: Option<StepKind>, text: &str) {
        if !self.tags.is_empty() {
            self.tags.clear();
            self.error(line, "tags above a step");
        }
        self.kind = kind.unwrap_or(self.kind);
        let step = Step {
            line,
            keyword: Foreign::from(keyword),
            kind: self.kind,
            text: Foreign::from(text),
            argument: None,
        };
        if let At::Text(part) = self.at {
            self.at = At::Body(part);
        }
        if let Some(steps) = self.steps() {
            steps.push(step);
        }
    }

    fn steps(&mut self) -> Option<&mut Vec<Step>> {
        let background = self.at == At::Body(Part::Background);
        let feature = self.suite.feature.as_mut()?;
        if background {
            let slot = match feature.rules.last_mut() {
                Some(rule) => &mut rule.background,
                None => &mut feature.background,
            };
            return slot.as_mut().map(|background| &mut background.steps);
        }
        last_scenario(feature).map(|scenario| &mut scenario.steps)
    }

    fn fence(&mut self, number: u32, raw: &str, line: &str) -> bool {
        let stands = matches!(self.at, At::Body(Part::Background | Part::Scenario));
        let fence = ["\"\"\"", "```"].into_iter().find(|f| line.starts_with(f));
        let Some(fence) = fence.filter(|_| stands) else {
            return false;
        };
        let taken = self.steps().and_then(|steps| steps.last());
        if taken.is_some_and(|step| step.argument.is_some()) {
            self.error(number, "a second argument of a step");
        }
        self.doc = Some(Doc {
            fence,
            indent: raw.chars().take_while(|c| c.is_whitespace()).count(),
            line: number,
            media: line[fence.len()..].trim().to_owned(),
            lines: Vec::new(),
        });
        true
    }

    fn doc_line(&mut self, raw: &str) {
        let Some(doc) = self.doc.as_mut() else { return };
        if !raw.trim_start().starts_with(doc.fence) {
            let indent = raw
                .char_indices()
                .take(doc.indent)
                .take_while(|(_, c)| c.is_whitespace());
            let cut: usize = indent.map(|(_, c)| c.len_utf8()).sum();
            let line = raw.get(cut..).unwrap_or_default();
            let escaped = match doc.fence {
                "```" => line.replace("\\`\\`\\`", "```"),
                _ => line.replace("\\\"\\\"\\\"", "\"\"\""),
            };
            doc.lines.push(escaped);
            return;
        }
        let Some(doc) = self.doc.take() else { return };
        let argument = Argument::Doc {
            line: doc.line,
            media: Foreign::from(doc.media),
            text: Foreign::from(doc.lines.join("\n")),
        };
        if let Some(step) = self.steps().and_then(|steps| steps.last_mut()) {
            step.argument.get_or_insert(argument);
        }
    }

    fn row(&mut self, number: u32, line: &str) -> bool {
        if !line.starts_with('|') {
            return false;
        }
        let row = cells(line, number);
        let width = row.cells.len();
        let first = match self.at {
            At::Text(Part::Examples) | At::Body(Part::Examples) => {
                self.at = At::Body(Part::Examples);
                let scenario = self.suite.feature.as_mut().and_then(last_scenario);
                let Some(examples) = scenario.and_then(|scenario| scenario.examples.last_mut())
                else {
                    return true;
                };
                match &examples.header {
                    None => {
                        examples.header = Some(row);
                        return true;
                    }
                    Some(header) => {
                        let first = header.cells.len();
                        examples.rows.push(row);
                        first
                    }
                }
            }
            At::Body(Part::Background | Part::Scenario) => {
                let step = self.steps().and_then(|steps| steps.last_mut());
                let Some(step) = step else { return true };
                match &mut step.argument {
                    None => {
                        step.argument = Some(Argument::Table(vec![row]));
                        return true;
                    }
                    Some(Argument::Table(rows)) => {
                        let first = rows.first().map_or(width, |row| row.cells.len());
                        rows.push(row);
                        first
                    }
                    Some(Argument::Doc { .. }) => {
                        self.error(number, "a second argument of a step");
                        return true;
                    }
                }
            }
            _ => return false,
        };
        if first != width {
            let what = format!("a row of {width} cells in a table of {first}");
            self.error(number, what);
        }
        true
    }

    /// A line that is nothing else: a description where one may stand.
    fn free(&mut self, number: u32, line: &str) {
        if !self.tags.is_empty() {
            self.tags.clear();
            self.error(number, "tags above a line that takes none");
            return;
        }
        match self.at {
            At::Text(_) => self.describe(line),
            At::Start => self.error(number, "expected a Feature line"),
            At::Body(Part::Examples) => {
                self.error(number, "expected a row, Examples, a scenario or a rule");
            }
            At::Body(_) => self.error(number, "expected a step, a table, a scenario or a rule"),
        }
    }

    fn describe(&mut self, line: &str) {
        let At::Text(part) = self.at else { return };
        let Some(feature) = self.suite.feature.as_mut() else {
            return;
        };
        let title = match part {
            Part::Feature => Some(&mut feature.title),
            Part::Rule => feature.rules.last_mut().map(|rule| &mut rule.title),
            Part::Background => match feature.rules.last_mut() {
                Some(rule) => rule.background.as_mut(),
                None => feature.background.as_mut(),
            }
            .map(|background| &mut background.title),
            Part::Scenario => last_scenario(feature).map(|scenario| &mut scenario.title),
            Part::Examples => last_scenario(feature)
                .and_then(|scenario| scenario.examples.last_mut())
                .map(|examples| &mut examples.title),
        };
        if let Some(title) = title {
            let mut text = title.description.raw().to_vec();
            text.extend_from_slice(line.as_bytes());
            text.push(b'\n');
            title.description = Foreign::new(text);
        }
    }

    fn finish(mut self, last: u32) -> Suite {
        if let Some(doc) = &self.doc {
            let (line, fence) = (doc.line, doc.fence);
            self.error(line, format!("the doc string is never closed by {fence}"));
        }
        if let Some(tag) = self.tags.first() {
            let line = tag.line;
            self.error(line, "tags at the end of the file");
        }
        self.end_scenario(last);
        if let Some(feature) = self.suite.feature.as_mut() {
            trim(&mut feature.title);
            feature
                .background
                .iter_mut()
                .for_each(|b| trim(&mut b.title));
            feature.scenarios.iter_mut().for_each(trim_scenario);
            for rule in &mut feature.rules {
                trim(&mut rule.title);
                rule.background.iter_mut().for_each(|b| trim(&mut b.title));
                rule.scenarios.iter_mut().for_each(trim_scenario);
            }
        }
        self.suite
    }
}

fn last_scenario(feature: &mut Feature) -> Option<&mut Scenario> {
    match feature.rules.last_mut() {
        Some(rule) => rule.scenarios.last_mut(),
        None => feature.scenarios.last_mut(),
    }
}

fn trim(title: &mut Title) {
    let trimmed = title.description.raw().trim_ascii().to_vec();
    title.description = Foreign::new(trimmed);
}

fn trim_scenario(scenario: &mut Scenario) {
    trim(&mut scenario.title);
    for examples in &mut scenario.examples {
        trim(&mut examples.title);
    }
}
/// The language that a comment names: `# language: de`. It counts before the first heading.
#[must_use]
pub fn language_named(comment: &str) -> Option<&str> {
    let said = comment.trim_start_matches('#').trim_start();
    let name = said.strip_prefix("language")?.trim_start();
    name.strip_prefix(':').map(str::trim)
}

/// How many bytes of a line without its indentation are its keyword, colon included, and whether
/// that is one of a heading; none where the language is not known.
#[must_use]
pub fn keyword(line: &str, name: &str) -> Option<(usize, bool)> {
    let known = language(name)?;
    match heading(line, known) {
        Some((_, word, _)) => Some((word.len() + 1, true)),
        None => step(line, known).map(|(word, _, _)| (word.len(), false)),
    }
}
