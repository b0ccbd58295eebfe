//! The formats of contracts: one row each, the most specific first.

/// A format that a reader exists for. [`FORMATS`] is the table of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    /// `# CONTRACT` files of the contract interview.
    Interview,
    /// `- [ ] ID: outcome` gate files of unlazy.
    Unlazy,
    /// `%erg` tickets: the exit criteria of their body.
    Erg,
    /// Gherkin suites: one criterion for each scenario.
    Gherkin,
    /// Derived specs of selected findings.
    FindingsSpec,
    /// Task files of Backlog.md: `#n` items between markers.
    Backlog,
    /// spec-kit: user stories, `FR-` and `SC-` bullets, `T` tasks.
    SpecKit,
    /// OpenSpec: requirements, scenarios, deltas, numbered tasks.
    OpenSpec,
    /// Kiro: requirements in EARS form, numbered tasks.
    Kiro,
    /// Spec nodes of SDD: the rows of their use cases.
    Sdd,
    /// Specs of gauntlet: rows with a disposition.
    GauntletSpec,
    /// The text that an issue form of GitHub makes.
    IssueForm,
    /// Task lists under an acceptance heading.
    Checklist,
    /// Bullets, numbers or prose under an acceptance or exit-criteria heading.
    Heading,
    /// The description of a request that has no ticket: its intent and its test plan (H02).
    PrIntent,
}

/// One format that can be read.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// Which.
    pub format: Format,
    /// Its name on the command line and in JSON.
    pub name: &'static str,
    /// One line on what it reads.
    pub description: &'static str,
}

/// Every format, the most specific first.
pub const FORMATS: [Reader; 15] = [
    Reader {
        format: Format::Interview,
        name: "interview",
        description: "# CONTRACT files: numbered criteria with CHECK, EXPECT and EVIDENCE",
    },
    Reader {
        format: Format::Unlazy,
        name: "unlazy",
        description: "gate files: - [ ] ID: outcome, with CHECK, EXPECT and EVIDENCE",
    },
    Reader {
        format: Format::Erg,
        name: "erg",
        description: "%erg tickets: the exit criteria of their body",
    },
    Reader {
        format: Format::Gherkin,
        name: "gherkin",
        description: "suites: one criterion for each scenario",
    },
    Reader {
        format: Format::FindingsSpec,
        name: "findings-spec",
        description: "derived specs of selected findings: one work item each",
    },
    Reader {
        format: Format::Backlog,
        name: "backlog",
        description: "task files of Backlog.md: - [ ] #1 text between markers",
    },
    Reader {
        format: Format::SpecKit,
        name: "spec-kit",
        description: "FR- and SC- bullets, scenarios of user stories, T001 tasks",
    },
    Reader {
        format: Format::OpenSpec,
        name: "openspec",
        description: "requirements with scenarios, deltas, numbered tasks",
    },
    Reader {
        format: Format::Kiro,
        name: "kiro",
        description: "requirements in EARS form, numbered tasks",
    },
    Reader {
        format: Format::Sdd,
        name: "sdd",
        description: "spec nodes: the rows of their use cases",
    },
    Reader {
        format: Format::GauntletSpec,
        name: "gauntlet-spec",
        description: "rows of a ticket, each with a disposition",
    },
    Reader {
        format: Format::IssueForm,
        name: "issue-form",
        description: "what an issue form makes: ### Label and its answer",
    },
    Reader {
        format: Format::Checklist,
        name: "checklist",
        description: "task lists, under an acceptance heading where there is one",
    },
    Reader {
        format: Format::Heading,
        name: "heading",
        description: "bullets, numbers or prose under an acceptance or exit-criteria heading",
    },
    Reader {
        format: Format::PrIntent,
        name: "pr-intent",
        description: "a description without a ticket: its paragraphs and its test plan",
    },
];

impl Format {
    /// Its name on the command line and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        FORMATS
            .iter()
            .find(|reader| reader.format == self)
            .map_or("", |reader| reader.name)
    }

    /// The format with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        FORMATS
            .iter()
            .find(|reader| reader.name == name)
            .map(|reader| reader.format)
    }
}
