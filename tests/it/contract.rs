//! What the readers make of contracts: `tests/truth/contract-*.md`.

use countersign::adapters::contract::read;
use countersign::model::contract::{Contract, Format, Severity};
use countersign::model::id::RepoPath;
use countersign::model::oracle::Expect;
use countersign::model::text::{Foreign, Place};

use crate::truth::{self, Case};

/// The frame around a snippet of criteria: complete, so that only the snippet can be wrong.
pub(crate) const FRAME: &str = "# CONTRACT — ferry-fares
- date: 2026-11-02 | flow: onboard | branch: fares
- status: active

## REQUEST (verbatim — IMMUTABLE)
Charge the right fare.

## CLARIFICATIONS
none — request complete

## FILE SCOPE
src/

## ACCEPTANCE CRITERIA
";
pub(crate) const NAME: &str = ".claude/tasks/contracts/2026-11-02-ferry-fares-0915.md";

fn text(foreign: &Foreign) -> String {
    foreign.shown(Place::Strict).plain()
}

/// `\r`, `\t`, `\0`, `\u{..}` and `\x..` of an input stand for those bytes; `\e` ends the file
/// without a line end.
pub(crate) fn bytes(input: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = input;
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let after = &rest[at + 1..];
        let (byte, length): (Vec<u8>, usize) = match after.as_bytes().first() {
            Some(b'r') => (vec![b'\r'], 1),
            Some(b't') => (vec![b'\t'], 1),
            Some(b'0') => (vec![0], 1),
            Some(b'e') => return out,
            Some(b'u') => {
                let close = after.find('}').unwrap();
                let code = u32::from_str_radix(&after[2..close], 16).unwrap();
                let character = char::from_u32(code).unwrap();
                (character.to_string().into_bytes(), close + 1)
            }
            Some(b'x') => (vec![u8::from_str_radix(&after[1..3], 16).unwrap()], 3),
            _ => (vec![b'\\'], 0),
        };
        out.extend(byte);
        rest = &after[length..];
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

fn rendered(contract: &Contract, offset: u32) -> String {
    let line = |line: u32| if line == 0 { 0 } else { line - offset };
    let mut out = vec![format!("{:?}", contract.state).to_lowercase()];
    for criterion in &contract.criteria {
        let mut row = format!(
            "{} {:?} {}-{}: {}",
            criterion.id,
            criterion.kind,
            line(criterion.line),
            line(criterion.end_line),
            text(&criterion.text)
        );
        if let Some(ticked) = criterion.ticked {
            row.push_str(if ticked { " [x]" } else { " [ ]" });
        }
        for (flag, word) in [
            (criterion.optional, " optional"),
            (criterion.post_merge, " post-merge"),
            (!criterion.gated.is_empty(), " gated"),
        ] {
            if flag {
                row.push_str(word);
            }
        }
        out.push(row);
        if let Some(oracle) = &criterion.oracle {
            let expect = match &oracle.expect {
                Expect::Plain(marker) => text(marker),
                Expect::Regex { source, flags } => format!("/{}/{}", text(source), text(flags)),
                Expect::ExitOnly => "(exit 0)".into(),
            };
            out.push(format!("  {} -> {expect}", text(&oracle.check)));
        }
        if let Some(slot) = &criterion.evidence {
            out.push(format!("  {:?}: {}", slot.claim, text(&slot.value)));
        }
    }
    for abandonment in &contract.abandonments {
        let id = abandonment.id.as_ref().map_or("-", |id| id.as_str());
        out.push(format!("abandon {id}: {}", text(&abandonment.reason)));
    }
    for complaint in &contract.complaints {
        let word = match complaint.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        out.push(format!(
            "{word} {} {}",
            line(complaint.line),
            complaint.code
        ));
    }
    out.join("\n")
}

fn case(case: &Case) -> String {
    let (form, path) = case.form.split_once(' ').unwrap_or((&case.form, ""));
    let body = bytes(&case.input);
    match form {
        "criteria" => {
            let mut all = FRAME.as_bytes().to_vec();
            all.extend(body);
            let offset = u32::try_from(FRAME.lines().count()).unwrap();
            rendered(&read(&RepoPath::from(NAME), &all, None), offset)
        }
        "file" => {
            let path = if path.is_empty() { NAME } else { path };
            rendered(&read(&RepoPath::from(path), &body, None), 0)
        }
        name => {
            let format = Format::parse(name).expect("a format");
            rendered(&read(&RepoPath::from("x.md"), &body, Some(format)), 0)
        }
    }
}

#[test]
fn interview_contracts_read_as_documented() {
    truth::check("contract-interview.md", case);
}
