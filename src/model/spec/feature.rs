//! A Gherkin suite as a tree: every part with its line.

use crate::model::id::RepoPath;
use crate::model::text::Foreign;

/// One `.feature` file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suite {
    /// Where it lies.
    pub path: RepoPath,
    /// The language of its keywords, `en` unless it says otherwise.
    pub language: String,
    /// The feature; none in an empty file or one of comments only.
    pub feature: Option<Feature>,
    /// Comments, in order.
    pub comments: Vec<Comment>,
    /// What is no Gherkin; a suite with errors has no findings of its own.
    pub errors: Vec<(u32, String)>,
}

/// A comment line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    /// 1-based line.
    pub line: u32,
    /// The text from `#` on.
    pub text: Foreign,
}

/// A tag, without its `@`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// 1-based line.
    pub line: u32,
    /// The name.
    pub name: Foreign,
}

/// What keyword, name and description have in common.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Title {
    /// 1-based line of the keyword.
    pub line: u32,
    /// The keyword as written, without the colon.
    pub keyword: Foreign,
    /// The name, trimmed.
    pub name: Foreign,
    /// The lines below it, trimmed and joined by LF, blank ones at the ends left out.
    pub description: Foreign,
}

/// A feature.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Feature {
    /// Keyword, name, description.
    pub title: Title,
    /// Its tags.
    pub tags: Vec<Tag>,
    /// Steps before every scenario.
    pub background: Option<Background>,
    /// Scenarios outside any rule.
    pub scenarios: Vec<Scenario>,
    /// Rules.
    pub rules: Vec<Rule>,
}

/// A rule.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rule {
    /// Keyword, name, description.
    pub title: Title,
    /// Its tags.
    pub tags: Vec<Tag>,
    /// Steps before every scenario of it.
    pub background: Option<Background>,
    /// Its scenarios.
    pub scenarios: Vec<Scenario>,
}

/// A background.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Background {
    /// Keyword, name, description.
    pub title: Title,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// A scenario or an outline.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Scenario {
    /// Keyword, name, description.
    pub title: Title,
    /// 1-based last line.
    pub end: u32,
    /// Whether its keyword says outline.
    pub outline: bool,
    /// Its tags.
    pub tags: Vec<Tag>,
    /// Its steps.
    pub steps: Vec<Step>,
    /// Its tables of examples.
    pub examples: Vec<Examples>,
}

/// What a step is for; `And`, `But` and `*` take the kind of the step before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// What holds before.
    Given,
    /// What happens.
    When,
    /// What must hold after.
    Then,
    /// Nothing was said before it.
    Unknown,
}

/// A step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// 1-based line.
    pub line: u32,
    /// The keyword as written, trimmed.
    pub keyword: Foreign,
    /// What it is for.
    pub kind: StepKind,
    /// Its text, trimmed.
    pub text: Foreign,
    /// What hangs on it.
    pub argument: Option<Argument>,
}

/// What hangs on a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// Text between two fences.
    Doc {
        /// 1-based line of the opening fence.
        line: u32,
        /// What stands behind the opening fence.
        media: Foreign,
        /// The lines, dedented.
        text: Foreign,
    },
    /// A table.
    Table(Vec<TableRow>),
}

/// A row of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableRow {
    /// 1-based line.
    pub line: u32,
    /// The cells, unescaped and trimmed.
    pub cells: Vec<Foreign>,
}

/// A block of examples.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Examples {
    /// Keyword, name, description.
    pub title: Title,
    /// Its tags.
    pub tags: Vec<Tag>,
    /// The first row.
    pub header: Option<TableRow>,
    /// The rest.
    pub rows: Vec<TableRow>,
}

impl Suite {
    /// Every scenario with the rule it stands in, in document order.
    pub fn scenarios(&self) -> impl Iterator<Item = (Option<&Rule>, &Scenario)> {
        let feature = self.feature.iter();
        feature.flat_map(|feature| {
            let plain = feature.scenarios.iter().map(|s| (None, s));
            let ruled = feature
                .rules
                .iter()
                .flat_map(|rule| rule.scenarios.iter().map(move |s| (Some(rule), s)));
            plain.chain(ruled)
        })
    }

    /// Whether the feature itself carries a tag.
    #[must_use]
    pub fn tagged(&self, name: &str) -> bool {
        let tags = self.feature.iter().flat_map(|feature| &feature.tags);
        tags.into_iter()
            .any(|tag| tag.name.raw() == name.as_bytes())
    }
}

impl Scenario {
    /// Whether it carries a tag itself, or its rule or feature does.
    #[must_use]
    pub fn tagged(&self, name: &str, rule: Option<&Rule>, suite: &Suite) -> bool {
        let own = self.tags.iter();
        let all = own.chain(rule.into_iter().flat_map(|rule| &rule.tags));
        suite.tagged(name) || all.into_iter().any(|tag| tag.name.raw() == name.as_bytes())
    }

    /// Whether it is an outline: by its keyword or by its examples.
    #[must_use]
    pub fn is_outline(&self) -> bool {
        self.outline || !self.examples.is_empty()
    }
}
