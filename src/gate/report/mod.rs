//! The linter of verdict reports: V01 to V31 in all variants (verdict-menus 2.6 and 2.7).
//!
//! What no linter can decide stands in [`CHECKLIST`] and is never green. Rules that guess are
//! warnings; every finding names its place and what would do.

mod content;
mod envelope;
pub mod register;
mod shape;
mod structure;
mod style;

use super::menu::chase::{Class, Origin, Set};
use super::menu::{VERDICT_MENU, read};
use crate::model::menu::{Ask, Message, Opening};

pub use shape::{Section, Shape, words};

/// A report has fewer words than this, headings included.
pub const WORD_LIMIT: usize = 180;
/// How words are counted.
pub const WORD_RULE: &str = "what stands between blanks and holds a letter or a digit; from the first heading to \
     `Pick one:`, the confirmation or the end; headings count";
/// Most source lines of Context.
pub const CONTEXT_LINES: usize = 5;

/// Where a report stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// A menu follows.
    Gate,
    /// A request for `send it` follows.
    DraftGated,
    /// To be copied; nothing follows.
    Draft,
    /// Nobody is addressed; nothing follows.
    Summary,
}

impl Variant {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Gate, Self::DraftGated, Self::Draft, Self::Summary];

    /// The word of the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::DraftGated => "draft-gated",
            Self::Draft => "draft",
            Self::Summary => "summary",
        }
    }
}

/// How a hotfix came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hotfix {
    /// There was none.
    None,
    /// It was given up after it had made a branch or a worktree.
    Aborted,
    /// It is in, with a commit or a pull request.
    Returned,
    /// It is in and not pushed yet.
    Unpushed,
}

/// What is known of a report beside its text; what is not given is inferred or left unchecked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Given {
    /// Where it stands.
    pub variant: Option<Variant>,
    /// The verdict.
    pub class: Option<Class>,
    /// Where the bug's report came from.
    pub origin: Option<Origin>,
    /// Whether there is somebody to answer.
    pub addressable: Option<bool>,
    /// How a hotfix came back.
    pub hotfix: Option<Hotfix>,
}

/// How much a finding weighs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The report breaks a rule.
    Error,
    /// It looks as if it did.
    Warning,
}

/// A place in a report: a line, and characters of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Span {
    /// 1-based.
    pub line: u32,
    /// 1-based character of the line.
    pub from: u32,
    /// The character after the last one.
    pub to: u32,
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// `V01` to `V31`.
    pub id: &'static str,
    /// How much it weighs.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// What is wrong, in our words.
    pub message: String,
}

impl Finding {
    /// What would do.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        RULES
            .iter()
            .find(|rule| rule.id == self.id)
            .map_or("", |rule| rule.hint)
    }
}

/// A rule of the table.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// `V01` to `V31`.
    pub id: &'static str,
    /// What it asks for.
    pub asks: &'static str,
    /// What would do; begins with a verb.
    pub hint: &'static str,
    /// Whether it guesses, so that an honest report may raise it.
    pub heuristic: bool,
}

const fn rule(id: &'static str, asks: &'static str, hint: &'static str) -> Rule {
    Rule {
        id,
        asks,
        hint,
        heuristic: false,
    }
}

const fn guess(id: &'static str, asks: &'static str, hint: &'static str) -> Rule {
    Rule {
        id,
        asks,
        hint,
        heuristic: true,
    }
}

/// The rules (2.6). V32 is a rule for who writes, not for what is written.
pub const RULES: [Rule; 31] = [
    rule(
        "V01",
        "line 1 is the marker",
        "begin with `gauntlet: gate=chase-bug/verdict-menu`",
    ),
    rule(
        "V02",
        "`recommended=` and the tag agree",
        "tag one row of a real bug and say its number on line 1",
    ),
    rule(
        "V03",
        "no marker, menu or eligibility here",
        "leave the envelope of the gate out",
    ),
    rule(
        "V04",
        "nothing between marker and report",
        "move status and transcripts out of the message",
    ),
    rule(
        "V05",
        "the headings, third level, in order",
        "write Context (or not), What is broken, Why it is broken, and the third",
    ),
    rule(
        "V06",
        "the third heading fits the verdict",
        "write `How to fix it` for a real bug, else `What happens next`",
    ),
    rule(
        "V07",
        "no other, repeated or empty section",
        "keep to the headings and say one thing below each",
    ),
    rule(
        "V08",
        "one blank line between sections",
        "leave exactly one blank line before a heading",
    ),
    rule(
        "V09",
        "a section is one paragraph or one list",
        "join the paragraphs, or choose one of the two",
    ),
    rule("V10", "Context has at most 5 lines", "cut Context first"),
    rule(
        "V11",
        "fewer than 180 words",
        "cut Context first, then the proof in Why",
    ),
    rule(
        "V12",
        "bullets for three or more",
        "write one or two facts as a sentence",
    ),
    guess(
        "V13",
        "numbers for ordered steps",
        "use numbers for steps that follow each other only",
    ),
    rule(
        "V14",
        "no code fence in the report",
        "put literal text into backticks inside a sentence",
    ),
    rule(
        "V15",
        "no arrow chains",
        "write what leads to what as a sentence",
    ),
    rule(
        "V16",
        "none of the six old labels",
        "say it as a sentence without the label",
    ),
    guess(
        "V17",
        "no other label before a colon",
        "say it as a sentence without the label",
    ),
    rule(
        "V18",
        "no shorthand of the chase",
        "say it in the words of the register",
    ),
    rule(
        "V19",
        "no numbered predicates",
        "name the constraint itself",
    ),
    rule(
        "V20",
        "`Pick one:` once, behind the report",
        "put it alone on a line right after the last section",
    ),
    rule(
        "V21",
        "the menu of this verdict",
        "offer the rows that verdict, origin and reader have",
    ),
    rule(
        "V22",
        "the message ends with its menu",
        "end a real bug with its eligibility, else with the last row",
    ),
    rule(
        "V23",
        "a request to reply `send it`, alone",
        "ask for `send it` in one paragraph after the report",
    ),
    rule(
        "V24",
        "it ends with its last section",
        "ask for nothing and address nobody",
    ),
    rule(
        "V25",
        "the last sentence names the pick, because of one thing",
        "end the third section with the pick and one because",
    ),
    guess(
        "V26",
        "no pick outside the gate",
        "name the next step instead of a row",
    ),
    guess(
        "V27",
        "a negative verdict says so",
        "say that nothing is broken, or that the cause is unknown",
    ),
    guess(
        "V28",
        "a claim, a comma, its source, a stop",
        "finish the claim first, then put comma, source and stop",
    ),
    guess(
        "V29",
        "no routine baseline",
        "leave out that tests pass and linters are silent",
    ),
    guess(
        "V30",
        "Context adds evidence only",
        "keep the failing action, the surviving explanation, what is unchecked, what is left behind",
    ),
    rule(
        "V31",
        "what a hotfix left is in its place",
        "put commit or link behind the claim of section three, what is left into Context",
    ),
];

/// What a person has to look at (2.7, H43).
pub const CHECKLIST: [&str; 8] = [
    "every fact is from this chase",
    "each component is introduced by what it does before its name",
    "a test is described only as far as it was recorded",
    "a pass that is repeated is named by its own purpose",
    "what is proposed and what was tested are kept apart",
    "what is unknown stays unknown",
    "a source is cited only when the next step needs it opened",
    "a reader without the code understands every noun",
];

/// What was found in a report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linted {
    /// Where it stands, given or inferred.
    pub variant: Variant,
    /// The set of verdicts it belongs to, when that can be told.
    pub set: Option<Set>,
    /// Its words.
    pub words: usize,
    /// In the order of the text.
    pub findings: Vec<Finding>,
}

impl Linted {
    /// Whether it breaks a rule.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        let mut all = self.findings.iter();
        all.any(|finding| finding.severity == Severity::Error)
    }
}

/// Lints a report.
#[must_use]
pub fn lint(bytes: &[u8], given: &Given) -> Linted {
    let message = read(bytes);
    let text = String::from_utf8_lossy(bytes);
    let variant = given.variant.unwrap_or_else(|| inferred(&message, &text));
    let shape = Shape::of(&text, &message, variant);
    let set = given.class.map(Class::set).or_else(|| shape.set());
    let mut linting = Linting {
        message: &message,
        shape: &shape,
        variant,
        set,
        given,
        found: Vec::new(),
    };
    envelope::check(&mut linting);
    structure::check(&mut linting);
    style::check(&mut linting);
    content::check(&mut linting);
    let mut findings = linting.found;
    findings.sort_by(|a, b| (a.span, a.id).cmp(&(b.span, b.id)));
    findings.dedup();
    Linted {
        variant,
        set,
        words: words(shape.body_text().as_str()),
        findings,
    }
}

/// The variant that a text looks like. A summary cannot be told from a draft: it is a draft.
fn inferred(message: &Message, text: &str) -> Variant {
    let marked = text
        .lines()
        .next()
        .is_some_and(|line| line.contains(VERDICT_MENU));
    if marked || message.separator.is_some() && !message.rows.is_empty() {
        Variant::Gate
    } else if message.asks.contains(&Ask::SendIt) {
        Variant::DraftGated
    } else {
        Variant::Draft
    }
}

/// A report on its way through the rules.
struct Linting<'a> {
    message: &'a Message,
    shape: &'a Shape<'a>,
    variant: Variant,
    set: Option<Set>,
    given: &'a Given,
    found: Vec<Finding>,
}

impl Linting<'_> {
    fn push(&mut self, id: &'static str, severity: Severity, span: Span, message: String) {
        self.found.push(Finding {
            id,
            severity,
            span,
            message,
        });
    }

    fn error(&mut self, id: &'static str, span: Span, message: impl Into<String>) {
        self.push(id, Severity::Error, span, message.into());
    }

    fn warn(&mut self, id: &'static str, span: Span, message: impl Into<String>) {
        self.push(id, Severity::Warning, span, message.into());
    }

    fn is_gate(&self) -> bool {
        self.variant == Variant::Gate
    }

    /// Whether line 1 is the marker of a verdict.
    fn marked(&self) -> bool {
        matches!(&self.message.opening, Opening::Gate(gate) if gate.name() == VERDICT_MENU)
    }
}
