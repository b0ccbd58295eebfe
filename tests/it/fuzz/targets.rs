//! What is fed, from which seeds, and what must hold of the answer.

use std::fs;
use std::path::{Path, PathBuf};

use countersign::adapters::contract::{intent, read};
use countersign::adapters::forge::{self, Input};
use countersign::adapters::git::config::Config;
use countersign::adapters::oracle::matcher::{Matcher, Pattern};
use countersign::adapters::oracle::sgr::{Stripped, Stripper};
use countersign::adapters::spec::{front, gherkin, judge, markdown, shard};
use countersign::adapters::splice::{Edit, plan};
use countersign::adapters::wave::{
    chase, gatekeep, json, ledger, log, proposal, record as runs, report, session, spec,
};
use countersign::adapters::{chains, papers};
use countersign::config;
use countersign::gate::gatekeep::criteria::SpecAt;
use countersign::gate::verify::{claims, markers};
use countersign::gate::{hedge, menu, report as page};
use countersign::model::disguise;
use countersign::model::format::FORMATS;
use countersign::model::hidden::Marks;
use countersign::model::id::RepoPath;
use countersign::model::oracle::{Expect, Oracle, Stream};
use countersign::model::text::{Foreign, Place, is_hidden, is_whole_sequence};
use countersign::runtime::script;

/// One reader.
pub(super) struct Target {
    pub(super) name: &'static str,
    /// Folders and files below `tests`, whose files are seeds; of a truth table, its fenced parts.
    from: &'static [&'static str],
    pub(super) feed: fn(&[u8]) -> Result<(), String>,
}

const CONTRACTS: &[&str] = &[
    "corpus/hostile",
    "corpus/honest",
    "truth/contract-interview.md",
    "truth/contract-unlazy.md",
    "truth/contract-generic.md",
];
const THREADS: &[&str] = &["corpus/threads"];
const WAVE: &[&str] = &[
    "truth/wave-ledger.md",
    "truth/wave-record.md",
    "truth/wave-spec.md",
    "truth/wave-commit.md",
    "corpus/triage",
];
const SPEC: &[&str] = &[
    "truth/spec-state.md",
    "truth/spec-suite.md",
    "truth/spec-edit-class.md",
    "truth/spec-judge.md",
];

pub(super) const TARGETS: &[Target] = &[
    Target {
        name: "text made visible",
        from: CONTRACTS,
        feed: shown,
    },
    Target {
        name: "hidden and disguised",
        from: CONTRACTS,
        feed: marks,
    },
    Target {
        name: "contract, every format",
        from: CONTRACTS,
        feed: contract,
    },
    Target {
        name: "contract and splice",
        from: CONTRACTS,
        feed: splice,
    },
    Target {
        name: "criteria of a request",
        from: CONTRACTS,
        feed: request,
    },
    Target {
        name: "matcher",
        from: CONTRACTS,
        feed: matcher,
    },
    Target {
        name: "colors taken out",
        from: CONTRACTS,
        feed: colors,
    },
    Target {
        name: "ledger line",
        from: &["corpus/ledger"],
        feed: ledger_line,
    },
    Target {
        name: "forge JSON",
        from: THREADS,
        feed: threads,
    },
    Target {
        name: "markers and claims",
        from: THREADS,
        feed: comments,
    },
    Target {
        name: "front matter",
        from: SPEC,
        feed: front_matter,
    },
    Target {
        name: "feature",
        from: SPEC,
        feed: feature,
    },
    Target {
        name: "spec document and shard",
        from: SPEC,
        feed: documents,
    },
    Target {
        name: "judge report",
        from: SPEC,
        feed: judge_report,
    },
    Target {
        name: "wave documents",
        from: WAVE,
        feed: wave,
    },
    Target {
        name: "gate message and reply",
        from: &["truth/menu.md", "truth/menu-reply.md"],
        feed: message,
    },
    Target {
        name: "verdict report",
        from: &["truth/report.md", "corpus/triage"],
        feed: verdict_report,
    },
    Target {
        name: "findings and bundles",
        from: &["corpus/verify", "corpus/triage"],
        feed: handed_in,
    },
    Target {
        name: "git configuration",
        from: &["truth/contract-generic.md"],
        feed: git_config,
    },
    Target {
        name: "git path policy",
        from: CONTRACTS,
        feed: paths,
    },
    Target {
        name: "skill",
        from: &["corpus/chains", "truth/chains-edges.md"],
        feed: skill,
    },
    Target {
        name: "settings",
        from: &["truth/floor-run.md"],
        feed: settings,
    },
    Target {
        name: "script of keys",
        from: &["transcripts"],
        feed: keys,
    },
    Target {
        name: "frames of the children",
        from: &["corpus/ledger"],
        feed: frames,
    },
];

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

impl Target {
    /// Every file below its places, in order; of a truth table each fenced part.
    pub(super) fn seeds(&self) -> Vec<Vec<u8>> {
        let mut files = Vec::new();
        for place in self.from {
            collect(&tests().join(place), &mut files);
        }
        files.sort();
        let mut out = Vec::new();
        for file in files {
            let bytes = fs::read(&file).unwrap_or_default();
            let table = file.components().any(|part| part.as_os_str() == "truth");
            match std::str::from_utf8(&bytes) {
                Ok(text) if table => out.extend(fenced(text)),
                Ok(_) | Err(_) => out.push(bytes),
            }
        }
        out
    }
}

fn collect(at: &Path, files: &mut Vec<PathBuf>) {
    if at.is_file() {
        files.push(at.to_owned());
        return;
    }
    for entry in fs::read_dir(at).into_iter().flatten().flatten() {
        collect(&entry.path(), files);
    }
}

/// The parts of a truth table between fences, and the whole of it.
fn fenced(text: &str) -> Vec<Vec<u8>> {
    let mut out = vec![text.as_bytes().to_vec()];
    let mut part: Option<Vec<&str>> = None;
    for line in text.lines() {
        if line.starts_with("```") || line.starts_with("~~~") {
            match part.take() {
                Some(lines) => out.push((lines.join("\n") + "\n").into_bytes()),
                None => part = Some(Vec::new()),
            }
        } else if let Some(lines) = &mut part {
            lines.push(line);
        }
    }
    out
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn shown(bytes: &[u8]) -> Result<(), String> {
    let text = Foreign::new(bytes);
    for place in [Place::Strict, Place::Prose] {
        for line in text.shown_lines(place).iter().chain([&text.shown(place)]) {
            for piece in line.pieces() {
                let through = piece.text.chars().filter(|c| is_hidden(*c));
                let joiners = ['\u{200c}', '\u{200d}', '\u{fe0f}'];
                let odd = through.filter(|c| place == Place::Strict || !joiners.contains(c));
                let whole = |c: &char| ('\u{e0020}'..='\u{e007f}').contains(c);
                let odd: Vec<char> = odd
                    .filter(|c| !(whole(c) && piece.text.contains('\u{1f3f4}')))
                    .collect();
                if !odd.is_empty() {
                    return Err(format!("{odd:?} came through in {place:?}"));
                }
            }
        }
    }
    Ok(())
}

fn marks(bytes: &[u8]) -> Result<(), String> {
    for line in bytes.split(|byte| *byte == b'\n') {
        let counted = Marks::of(line, false).hidden;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let drawn = Foreign::new(line).shown(Place::Prose).kinds();
        if counted != drawn {
            return Err(format!("{counted:?} counted, {drawn:?} drawn"));
        }
        let name = String::from_utf8_lossy(line);
        if let Some(disguise) = disguise::of_name(&name) {
            drop(disguise.says());
        }
        drop(disguise::drawn_as(&name));
        let _ = is_whole_sequence(&name);
    }
    Ok(())
}

fn contract(bytes: &[u8]) -> Result<(), String> {
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() + 1;
    for format in FORMATS.iter().map(|row| Some(row.format)).chain([None]) {
        for name in [
            "GATES.md",
            "specs/001/spec.md",
            "a.feature",
            "backlog/task-1.md",
        ] {
            let found = read(&RepoPath::from(name), bytes, format);
            for criterion in &found.criteria {
                if criterion.line == 0 || criterion.end_line < criterion.line {
                    return Err(format!("{format:?}: lines {}", criterion.line));
                }
                if criterion.end_line as usize > lines {
                    return Err(format!("{format:?}: a line after the last"));
                }
            }
            for complaint in &found.complaints {
                if complaint.line as usize > lines {
                    return Err(format!("{format:?}: a complaint after the last line"));
                }
            }
        }
    }
    Ok(())
}

/// Only the slot changes: whatever else stands there stays, byte for byte, and the oracles that
/// are read back are those that were there.
fn splice(bytes: &[u8]) -> Result<(), String> {
    let path = RepoPath::from("c.md");
    let before = read(&path, bytes, None);
    for criterion in before.criteria.iter().take(8) {
        let edit = Edit::Evidence(criterion.id.clone(), "NOT-MET exit=1 :: 1 of 2".into());
        let Ok(planned) = plan(bytes, &before, &edit) else {
            continue;
        };
        let after = read(&path, &planned.after, None);
        let oracles = |of: &countersign::model::contract::Contract| {
            let all = of.criteria.iter();
            all.map(|c| (c.id.clone(), c.oracle.as_ref().map(Oracle::digest)))
                .collect::<Vec<_>>()
        };
        if oracles(&before) != oracles(&after) {
            return Err(format!("{}: other oracles after the write", criterion.id));
        }
        let same = bytes
            .iter()
            .zip(&planned.after)
            .take_while(|(a, b)| a == b)
            .count();
        let tail = bytes
            .iter()
            .rev()
            .zip(planned.after.iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        let changed = bytes.len().saturating_sub(same + tail);
        if changed > 4_096 {
            return Err(format!("{}: {changed} bytes changed", criterion.id));
        }
    }
    Ok(())
}

fn request(bytes: &[u8]) -> Result<(), String> {
    drop(intent::of_request(Some(42), &Foreign::new(bytes)));
    drop(claims::read(&text_of(bytes), &text_of(bytes)));
    Ok(())
}

/// The answer does not depend on where a read ends, and a plain marker is found as by a search.
fn matcher(bytes: &[u8]) -> Result<(), String> {
    let cut = bytes
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(bytes.len().min(40));
    let (first, rest) = bytes.split_at(cut);
    let expects = [
        Expect::Plain(Foreign::new(first)),
        Expect::Regex {
            source: Foreign::new(first),
            flags: Foreign::from("im"),
        },
    ];
    for expect in expects {
        let Ok(pattern) = Pattern::compile(&expect) else {
            continue;
        };
        let whole = {
            let mut matcher = Matcher::new(&pattern, Stream::Stdout);
            matcher.feed(rest);
            matcher.finish()
        };
        for size in [1, 7, 4_093] {
            let mut matcher = Matcher::new(&pattern, Stream::Stdout);
            rest.chunks(size).for_each(|chunk| matcher.feed(chunk));
            let parts = matcher.finish();
            if parts != whole {
                return Err(format!("in parts of {size} {parts:?}, whole {whole:?}"));
            }
        }
    }
    Ok(())
}

fn colors(bytes: &[u8]) -> Result<(), String> {
    let (mut stripper, mut out) = (Stripper::default(), Stripped::default());
    for part in bytes.chunks(61) {
        stripper.feed(part, &mut out);
    }
    stripper.finish(&mut out);
    Ok(())
}

fn ledger_line(bytes: &[u8]) -> Result<(), String> {
    for line in text_of(bytes).lines().take(40) {
        drop(countersign::ledger::codec::parse(line, "a.jsonl", &|_| {
            None
        }));
    }
    Ok(())
}

fn threads(bytes: &[u8]) -> Result<(), String> {
    let input = Input {
        holds: None,
        name: Foreign::from("threads.json"),
        bytes: Ok(bytes.to_vec()),
    };
    let found = forge::read(&[input]);
    match found.threads.iter().find(|thread| thread.id.is_empty()) {
        Some(_) => Err("a thread without an id".to_owned()),
        None => Ok(()),
    }
}

fn comments(bytes: &[u8]) -> Result<(), String> {
    let text = text_of(bytes);
    drop(markers::read(&text));
    drop(claims::read(&text, &text));
    drop(hedge::find(&text));
    Ok(())
}

fn front_matter(bytes: &[u8]) -> Result<(), String> {
    let (_, lines) = front::read(bytes);
    if lines > bytes.len() + 1 {
        return Err("more than there is".to_owned());
    }
    Ok(())
}

fn feature(bytes: &[u8]) -> Result<(), String> {
    drop(gherkin::read(&RepoPath::from("a.feature"), bytes));
    Ok(())
}

fn documents(bytes: &[u8]) -> Result<(), String> {
    drop(markdown::read(&RepoPath::from("a.md"), bytes));
    drop(shard::read(&RepoPath::from("a.jsonl"), bytes));
    Ok(())
}

fn judge_report(bytes: &[u8]) -> Result<(), String> {
    drop(countersign::gate::spec::judge_report::read(&judge::fields(
        bytes,
    )));
    drop(judge::sensitive(bytes));
    drop(judge::registry(
        &RepoPath::from("r.toml"),
        Some(Ok(bytes.to_vec())),
    ));
    Ok(())
}

fn wave(bytes: &[u8]) -> Result<(), String> {
    drop(proposal::read(bytes));
    drop(ledger::read(bytes));
    drop(chase::read(bytes));
    drop(runs::read(bytes));
    drop(spec::read(bytes));
    drop(log::read(bytes));
    drop(json::read(bytes));
    drop(report::read(bytes));
    drop(session::read(bytes));
    drop(gatekeep::read(bytes, &|_, _| SpecAt::Missing));
    Ok(())
}

fn message(bytes: &[u8]) -> Result<(), String> {
    let found = menu::read::read(bytes);
    for line in text_of(bytes).lines().take(12) {
        drop(menu::reply::reply(&found, line));
    }
    Ok(())
}

fn verdict_report(bytes: &[u8]) -> Result<(), String> {
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
    let linted = page::lint(bytes, &page::Given::default());
    match linted.findings.iter().find(|v| v.span.line > lines) {
        Some(_) => Err("a violation after the last line".to_owned()),
        None => Ok(()),
    }
}

fn handed_in(bytes: &[u8]) -> Result<(), String> {
    drop(papers::findings(bytes));
    drop(papers::bundle(bytes));
    Ok(())
}

fn git_config(bytes: &[u8]) -> Result<(), String> {
    drop(Config::parse(bytes));
    Ok(())
}

/// No path, however it is written, comes out longer or with other bytes than it went in.
fn paths(bytes: &[u8]) -> Result<(), String> {
    for line in bytes.split(|byte| *byte == b'\n') {
        let path = RepoPath::new(line);
        if path.as_bytes() != line {
            return Err("a path changed".to_owned());
        }
        let (text, lossy) = path.json();
        if lossy == std::str::from_utf8(line).is_ok() && !line.is_empty() {
            return Err(format!("{text:?} says lossy {lossy}"));
        }
        let _ = countersign::adapters::git::refs::well_formed(line);
    }
    Ok(())
}

fn skill(bytes: &[u8]) -> Result<(), String> {
    drop(chains::profile::read("x", &text_of(bytes), &|_| None));
    drop(front::read(bytes));
    Ok(())
}

fn settings(bytes: &[u8]) -> Result<(), String> {
    let text = text_of(bytes);
    let source = config::Source {
        owner: config::Owner::Repository,
        name: ".countersign.toml",
        text: &text,
    };
    drop(config::read(&[source]));
    Ok(())
}

fn keys(bytes: &[u8]) -> Result<(), String> {
    drop(script::parse(&text_of(bytes)));
    for line in text_of(bytes).lines().take(40) {
        drop(countersign::plain::command::understand(line));
    }
    Ok(())
}

fn frames(bytes: &[u8]) -> Result<(), String> {
    use countersign::adapters::reader::wire::{Ask, Told, read};
    drop(read::<Told>(&mut &bytes[..]));
    drop(read::<Ask>(&mut &bytes[..]));
    let mut framed = (bytes.len() as u32).to_le_bytes().to_vec();
    framed.extend_from_slice(bytes);
    drop(read::<Told>(&mut framed.as_slice()));
    drop(read::<Ask>(&mut framed.as_slice()));
    Ok(())
}
