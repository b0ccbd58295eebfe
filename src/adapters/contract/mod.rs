//! Contracts from their bytes: one reader for each format, one table of them.
//!
//! A reader never guesses in silence: what looks like a criterion, an attribute or a section and
//! is none is a complaint; a file without criteria is said to be so and is never an empty
//! contract. A reader never changes a byte and never opens a file.

mod abandonments;
mod attributes;
mod authorship;
mod backlog;
mod blocks;
mod complaints;
mod detect;
mod erg;
mod findings;
mod gates;
mod gauntlet;
mod gherkin;
pub mod intent;
mod interview;
mod issue_form;
mod items;
mod kiro;
mod labels;
mod lines;
mod marks;
mod openspec;
mod oracles;
mod reach;
mod scope;
mod sdd;
mod section;
mod spec_kit;
mod tasks;
mod unlazy;

use crate::model::contract::{
    Abandonment, Block, Contract, Criterion, Format, Header, ScopeEntry, State,
};
use crate::model::id::{Digest, RepoPath};
use crate::model::oracle::Expect;

use complaints::Complaints;
use lines::Line;

pub use crate::model::format::FORMATS;
pub use blocks::questions;

/// What a reader hands back.
#[derive(Debug)]
struct Parts {
    state: State,
    header: Header,
    request: Option<Block>,
    clarifications: Vec<Block>,
    criteria: Vec<Criterion>,
    scope: Vec<ScopeEntry>,
    abandonments: Vec<Abandonment>,
    abandon_at: Option<usize>,
    scope_at: Option<usize>,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            state: State::Absent,
            header: Header::default(),
            request: None,
            clarifications: Vec::new(),
            criteria: Vec::new(),
            scope: Vec::new(),
            abandonments: Vec::new(),
            abandon_at: None,
            scope_at: None,
        }
    }
}

/// Reads a contract. `forced` takes the place of detection. Total: whatever the bytes are, a
/// contract comes back, with its state and every complaint at once.
#[must_use]
pub fn read(path: &RepoPath, bytes: &[u8], forced: Option<Format>) -> Contract {
    let mut complaints = Complaints::default();
    let readable = is_text(bytes, &mut complaints);
    let lines = if readable {
        lines::split(bytes, &mut complaints)
    } else {
        Vec::new()
    };
    let (format, confidence, why) = detect::detect(path, &lines, forced);
    if format == Format::Gherkin && readable {
        // fences and comments of Markdown are none in a suite
        complaints = Complaints::default();
    }
    let mut parts = if readable {
        read_as(format, bytes, &lines, &mut complaints)
    } else {
        Parts::default()
    };
    if matches!(format, Format::Checklist | Format::Heading) {
        scope::section(&lines, &mut parts, &mut complaints);
    }
    if format == Format::Interview {
        authorship::file_name(path, &mut complaints);
    }
    bytes_said(bytes, &lines, &mut complaints);
    sizes(&parts.criteria, &mut complaints);
    let broken = complaints.has("unclosed-fence") || complaints.has("unclosed-comment");
    if broken || !readable {
        parts.state = State::Unreadable;
    }
    Contract {
        path: path.clone(),
        format,
        confidence,
        why,
        digest: Digest::of(bytes),
        state: parts.state,
        header: parts.header,
        request: parts.request,
        clarifications: parts.clarifications,
        criteria: parts.criteria,
        scope: parts.scope,
        abandonments: parts.abandonments,
        complaints: complaints.done(),
        abandon_at: parts.abandon_at,
        scope_at: parts.scope_at,
    }
}

fn read_as(format: Format, bytes: &[u8], lines: &[Line<'_>], complaints: &mut Complaints) -> Parts {
    match format {
        Format::Interview => interview::read(bytes, lines, complaints),
        Format::Unlazy => unlazy::read(lines, complaints),
        Format::Erg => erg::read(lines, complaints),
        Format::Gherkin => gherkin::read(bytes, lines, complaints),
        Format::FindingsSpec => findings::read(bytes, lines, complaints),
        Format::Backlog => backlog::read(lines, complaints),
        Format::SpecKit if detect::has_tasks(lines, tasks::Numbering::Letter) => {
            tasks::read(lines, tasks::Numbering::Letter, false, complaints)
        }
        Format::SpecKit => spec_kit::read(lines, complaints),
        Format::OpenSpec if detect::has_tasks(lines, tasks::Numbering::Dotted) => {
            tasks::read(lines, tasks::Numbering::Dotted, false, complaints)
        }
        Format::OpenSpec => openspec::read(lines, complaints),
        Format::Kiro if detect::has_requirements(lines) => kiro::read(lines, complaints),
        Format::Kiro => tasks::read(lines, tasks::Numbering::Dotted, true, complaints),
        Format::Sdd => sdd::read(bytes, lines, complaints),
        Format::GauntletSpec => gauntlet::read(lines, complaints),
        Format::IssueForm => issue_form::read(lines, complaints),
        Format::Checklist => section::read(lines, section::CHECKLIST, complaints),
        Format::Heading => section::read(lines, section::HEADING, complaints),
        Format::PrIntent => intent::read(lines),
    }
}

/// Most bytes of one criterion, its command and marker included: more is no sentence that a
/// person reads before answering for it (G15).
const CRITERION_BYTES: usize = 64 << 10;

fn sizes(criteria: &[Criterion], complaints: &mut Complaints) {
    for criterion in criteria {
        let of_oracle = criterion.oracle.as_ref().map_or(0, |oracle| {
            let expect = match &oracle.expect {
                Expect::Plain(text) => text.raw().len(),
                Expect::Regex { source, .. } => source.raw().len(),
                Expect::ExitOnly => 0,
            };
            oracle.check.raw().len() + expect
        });
        let bytes = criterion.text.raw().len() + of_oracle;
        if bytes > CRITERION_BYTES {
            complaints.error(
                "criterion-too-long",
                criterion.line,
                &format!("the criterion has {bytes} bytes, more than {CRITERION_BYTES}"),
                "say it in a few sentences",
            );
        }
    }
}

fn is_text(bytes: &[u8], complaints: &mut Complaints) -> bool {
    let utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let nul = memchr::memchr(0, bytes);
    if utf16 {
        complaints.error("utf-16", 0, "the file is UTF-16", "save it as UTF-8");
    } else if let Some(at) = nul {
        let before = bytes.get(..at).unwrap_or_default();
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        complaints.error(
            "nul",
            u32::try_from(line).unwrap_or(u32::MAX),
            "the file holds a NUL byte and is not read as text",
            "take it out",
        );
    }
    !utf16 && nul.is_none()
}

/// Bytes that other readers trip over; kept as they are.
fn bytes_said(bytes: &[u8], lines: &[Line<'_>], complaints: &mut Complaints) {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        complaints.warn(
            "bom",
            1,
            "the file starts with a byte order mark",
            "save it without",
        );
    }
    let odd = |line: &&Line<'_>| std::str::from_utf8(line.raw).is_err();
    if let Some(line) = lines.iter().find(odd) {
        complaints.warn(
            "not-utf-8",
            line.no,
            "the file holds bytes that are not UTF-8",
            "save it as UTF-8",
        );
    }
    if let Some(line) = lines
        .iter()
        .find(|line| memchr::memchr(b'\r', line.raw).is_some())
    {
        complaints.warn(
            "lone-cr",
            line.no,
            "a carriage return stands inside this line; it is no line end",
            "end lines with LF or CRLF",
        );
    }
}
