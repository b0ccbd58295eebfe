//! The result of an audit as bytes, so that an unchanged tree is not audited again.
//!
//! Names and files are those of the skills that lie there now; a chain only holds their numbers.
//! What cannot be read as a result is none.

use serde::{Deserialize, Serialize};

use super::gather::Skill;
use crate::gate::chains::{
    Answer, Audit, Calibration, Mention, Reverse, Seen, SkillRow, Sort, Unresolved,
};
use crate::model::chain::{
    Basis, Callee, Chain, ClosedForm, Flag, Level, NoSkill, Severity, Span, Status, Strength, Wait,
    Why,
};
use crate::model::text::Foreign;

/// What was looked at first, and what was found.
#[derive(Clone, Debug)]
pub struct Results {
    /// The known pairs.
    pub calibration: Calibration,
    /// The audit.
    pub audit: Audit,
    /// Whether it was made before, of the very same things.
    pub kept: bool,
}

const STRENGTHS: [Strength; 3] = [
    Strength::Advisory,
    Strength::Conditional,
    Strength::Mandatory,
];
const STATES: [Status; 2] = [Status::Closed, Status::Open];
const SEVERITIES: [Severity; 3] = [Severity::Low, Severity::Medium, Severity::High];
const WAITS: [Wait; 4] = [Wait::Bound, Wait::Unbound, Wait::Negated, Wait::None];
const LEVELS: [Level; 4] = [Level::None, Level::Foreign, Level::Partial, Level::Full];
const SORTS: [Sort; 3] = [Sort::Embedded, Sort::InTree, Sort::Declared];
const NONES: [NoSkill; 5] = [
    NoSkill::Phantom,
    NoSkill::Agent,
    NoSkill::BuiltIn,
    NoSkill::Registry,
    NoSkill::Deleted,
];
const BASES: [Basis; 8] = [
    Basis::AMissing,
    Basis::AUnbound,
    Basis::ANegated,
    Basis::BMissing,
    Basis::BPartial,
    Basis::CpGap,
    Basis::DeclaredOpen,
    Basis::UnresolvedTarget,
];
const WHYS: [Why; 8] = [
    Why::Edge,
    Why::Wait,
    Why::NearWait,
    Why::WaitOutside,
    Why::Mapping,
    Why::Verdict,
    Why::VerdictOutside,
    Why::SaidByCallee,
];

/// The place of a value in its list; `None` for a value that the list forgot.
fn code<T: PartialEq>(list: &[T], one: &T) -> Option<u8> {
    let at = list.iter().position(|other| other == one)?;
    u8::try_from(at).ok()
}

fn value<T: Copy>(list: &[T], code: u8) -> Option<T> {
    list.get(usize::from(code)).copied()
}

fn codes<T: PartialEq>(list: &[T], some: &[T]) -> Option<Vec<u8>> {
    some.iter().map(|one| code(list, one)).collect()
}

fn values<T: Copy>(list: &[T], codes: &[u8]) -> Option<Vec<T>> {
    codes.iter().map(|code| value(list, *code)).collect()
}

#[derive(Serialize, Deserialize)]
enum To<'b> {
    Skill(u32),
    Missing(u8, #[serde(with = "serde_bytes")] &'b [u8]),
}

/// Level, words, text, first and last line, whether it is literal.
#[derive(Serialize, Deserialize)]
struct Reply<'b> {
    level: u8,
    #[serde(borrow)]
    tokens: Vec<&'b str>,
    text: &'b str,
    lines: (u32, u32),
    literal: bool,
}

type Text<'b> = Option<&'b serde_bytes::Bytes>;

#[derive(Serialize, Deserialize)]
struct Link<'b> {
    caller: u32,
    #[serde(borrow)]
    to: To<'b>,
    /// Strength, status, severity, wait, level.
    ranks: [u8; 5],
    #[serde(with = "serde_bytes")]
    basis: Vec<u8>,
    #[serde(with = "serde_bytes")]
    flags: Vec<u8>,
    wait: Text<'b>,
    verdict: Text<'b>,
    form: Option<(Text<'b>, Text<'b>)>,
    arrow: bool,
    proposals: [bool; 2],
    spans: Vec<(bool, u32, u8)>,
}

#[derive(Serialize, Deserialize)]
struct Pair<'b> {
    caller: &'b str,
    callee: &'b str,
    /// Sort and what it must be.
    ranks: [u8; 2],
    got: Option<u8>,
    basis: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct Row<'b> {
    #[serde(borrow)]
    answer: Option<Reply<'b>>,
    waits: Vec<&'b serde_bytes::Bytes>,
    handles: Vec<&'b str>,
}

#[derive(Serialize, Deserialize)]
struct Stored<'b> {
    #[serde(borrow)]
    pairs: Vec<Pair<'b>>,
    #[serde(borrow)]
    chains: Vec<Link<'b>>,
    reverse: Vec<(u32, u32, u32)>,
    #[serde(borrow)]
    unresolved: Vec<(u32, Text<'b>, u8, u32)>,
    mentions: Vec<(u32, u32, u32)>,
    #[serde(borrow)]
    rows: Vec<Row<'b>>,
}

fn bytes(text: &Foreign) -> &serde_bytes::Bytes {
    serde_bytes::Bytes::new(text.raw())
}

fn text(of: Option<&Foreign>) -> Text<'_> {
    of.map(bytes)
}

fn foreign(of: Text<'_>) -> Option<Foreign> {
    of.map(|bytes| Foreign::new(bytes.to_vec()))
}

/// The bytes of a result.
pub(super) fn write(results: &Results) -> Option<Vec<u8>> {
    let Results {
        calibration, audit, ..
    } = results;
    let pair = |seen| -> Option<Pair<'_>> {
        let seen: &Seen = seen;
        Some(Pair {
            caller: &seen.caller,
            callee: &seen.callee,
            ranks: [code(&SORTS, &seen.sort)?, code(&STATES, &seen.expect)?],
            got: match &seen.got {
                Some(got) => Some(code(&STATES, got)?),
                None => None,
            },
            basis: codes(&BASES, &seen.basis)?,
        })
    };
    let ends = audit.callers.iter().zip(&audit.callees);
    let links = audit.chains.iter().zip(ends);
    let row = |row| -> Option<Row<'_>> {
        let row: &SkillRow = row;
        Some(Row {
            answer: match &row.answer {
                Some(answer) => Some(Reply {
                    level: code(&LEVELS, &answer.level)?,
                    tokens: answer.tokens.iter().map(String::as_str).collect(),
                    text: &answer.text,
                    lines: answer.lines,
                    literal: answer.literal,
                }),
                None => None,
            },
            waits: row.waits.iter().map(bytes).collect(),
            handles: row.handles.iter().map(String::as_str).collect(),
        })
    };
    let unresolved = |row| -> Option<_> {
        let row: &Unresolved = row;
        Some((
            row.caller,
            text(Some(&row.name)),
            code(&NONES, &row.kind)?,
            row.line,
        ))
    };
    let stored = Stored {
        pairs: calibration.pairs.iter().map(pair).collect::<Option<_>>()?,
        chains: links
            .map(|(chain, (caller, callee))| link(chain, *caller, *callee))
            .collect::<Option<_>>()?,
        reverse: { audit.reverse.iter() }
            .map(|row| (row.callee, row.caller, row.line))
            .collect(),
        unresolved: audit
            .unresolved
            .iter()
            .map(unresolved)
            .collect::<Option<_>>()?,
        mentions: { audit.mentions.iter() }
            .map(|row| (row.caller, row.callee, row.line))
            .collect(),
        rows: audit.skills.iter().map(row).collect::<Option<_>>()?,
    };
    postcard::to_stdvec(&stored).ok()
}

fn link(chain: &Chain, caller: u32, callee: Option<u32>) -> Option<Link<'_>> {
    let span = |span: &Span| Some((span.callee, span.line, code(&WHYS, &span.why)?));
    Some(Link {
        caller,
        to: match (&chain.callee_at, callee) {
            (Callee::Skill(_), Some(number)) => To::Skill(number),
            (Callee::Missing(kind), None) => To::Missing(code(&NONES, kind)?, chain.callee.raw()),
            (Callee::Skill(_), None) | (Callee::Missing(_), Some(_)) => return None,
        },
        ranks: [
            code(&STRENGTHS, &chain.strength)?,
            code(&STATES, &chain.status)?,
            code(&SEVERITIES, &chain.severity)?,
            code(&WAITS, &chain.wait)?,
            code(&LEVELS, &chain.level)?,
        ],
        basis: codes(&BASES, &chain.basis)?,
        flags: codes(&Flag::ALL, &chain.flags)?,
        wait: text(chain.wait_text.as_ref()),
        verdict: text(chain.verdict_text.as_ref()),
        form: { chain.closed_form.as_ref() }
            .map(|form| (text(form.condition.as_ref()), text(form.step.as_ref()))),
        arrow: chain.arrow,
        proposals: chain.proposal_only,
        spans: chain.spans.iter().map(span).collect::<Option<_>>()?,
    })
}

/// A result from its bytes, for the skills that it was made of.
pub(super) fn read(bytes: &[u8], skills: &[Skill]) -> Option<Results> {
    let stored: Stored<'_> = postcard::from_bytes(bytes).ok()?;
    if stored.rows.len() != skills.len() {
        return None;
    }
    let inside = |number: u32| ((number as usize) < skills.len()).then_some(number);
    let mut audit = Audit::default();
    audit.chains.reserve(stored.chains.len());
    for link in &stored.chains {
        let (callee, chain) = chain(link, skills)?;
        audit.callers.push(link.caller);
        audit.callees.push(callee);
        audit.chains.push(chain);
    }
    for (callee, caller, line) in stored.reverse {
        audit.reverse.push(Reverse {
            callee: inside(callee)?,
            caller: inside(caller)?,
            line,
        });
    }
    for (caller, name, kind, line) in stored.unresolved {
        audit.unresolved.push(Unresolved {
            caller: inside(caller)?,
            name: foreign(name)?,
            kind: value(&NONES, kind)?,
            line,
        });
    }
    for (caller, callee, line) in stored.mentions {
        audit.mentions.push(Mention {
            caller: inside(caller)?,
            callee: inside(callee)?,
            line,
        });
    }
    audit.skills.reserve(skills.len());
    for (row, skill) in stored.rows.into_iter().zip(skills) {
        let waits = row.waits.into_iter();
        audit.skills.push(SkillRow {
            name: Foreign::from(skill.name.as_str()),
            file: skill.file.clone(),
            answer: match row.answer {
                Some(reply) => Some(answer(reply)?),
                None => None,
            },
            waits: waits.map(|text| Foreign::new(text.to_vec())).collect(),
            handles: row.handles.into_iter().map(str::to_owned).collect(),
        });
    }
    let pairs = stored.pairs.iter();
    Some(Results {
        calibration: Calibration {
            pairs: pairs.map(seen).collect::<Option<_>>()?,
        },
        audit,
        kept: true,
    })
}

fn answer(reply: Reply<'_>) -> Option<Answer> {
    Some(Answer {
        level: value(&LEVELS, reply.level)?,
        tokens: reply.tokens.into_iter().map(str::to_owned).collect(),
        text: reply.text.to_owned(),
        lines: reply.lines,
        literal: reply.literal,
    })
}

fn seen(pair: &Pair<'_>) -> Option<Seen> {
    let [sort, expect] = pair.ranks;
    Some(Seen {
        caller: pair.caller.to_owned(),
        callee: pair.callee.to_owned(),
        sort: value(&SORTS, sort)?,
        expect: value(&STATES, expect)?,
        got: match pair.got {
            Some(got) => Some(value(&STATES, got)?),
            None => None,
        },
        basis: values(&BASES, &pair.basis)?,
    })
}

fn chain(link: &Link<'_>, skills: &[Skill]) -> Option<(Option<u32>, Chain)> {
    let caller = skills.get(link.caller as usize)?;
    let (number, callee, callee_at) = match link.to {
        To::Skill(number) => {
            let skill = skills.get(number as usize)?;
            let name = Foreign::from(skill.name.as_str());
            (Some(number), name, Callee::Skill(skill.file.clone()))
        }
        To::Missing(kind, name) => {
            let kind = value(&NONES, kind)?;
            (None, Foreign::new(name), Callee::Missing(kind))
        }
    };
    let [strength, status, severity, wait, level] = link.ranks;
    let mut spans = Vec::with_capacity(link.spans.len());
    for (callee, line, why) in &link.spans {
        spans.push(Span {
            callee: *callee,
            line: *line,
            why: value(&WHYS, *why)?,
        });
    }
    let chain = Chain {
        caller: Foreign::from(caller.name.as_str()),
        caller_file: caller.file.clone(),
        callee,
        callee_at,
        strength: value(&STRENGTHS, strength)?,
        status: value(&STATES, status)?,
        severity: value(&SEVERITIES, severity)?,
        basis: values(&BASES, &link.basis)?,
        flags: values(&Flag::ALL, &link.flags)?,
        wait: value(&WAITS, wait)?,
        wait_text: foreign(link.wait),
        level: value(&LEVELS, level)?,
        verdict_text: foreign(link.verdict),
        closed_form: link.form.map(|(condition, step)| ClosedForm {
            condition: foreign(condition),
            step: foreign(step),
        }),
        arrow: link.arrow,
        spans,
        proposal_only: link.proposals,
    };
    Some((number, chain))
}
