//! `countersign spec digest`: what a person decides about, for touched files only, above the
//! report of the gate. It is read-only and decides nothing.

use serde_json::{Value, json};

use super::args::At;
use super::facts::{Facts, Given};
use super::page::Mark;
use super::{gate, print};
use crate::adapters::spec::edits;
use crate::app::pane::words;
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::report::Report;
use crate::gate::spec::approval::approval;
use crate::gate::spec::digest::{Area, Scenarios, area};
use crate::gate::spec::edit_class::{How, Side, changes};
use crate::model::known::Known;
use crate::model::spec::Document;
use crate::model::text::{Foreign, Place};

/// The line that stands under a verdict that an agent gave itself.
pub(super) const FLAG: &str = "agent-asserted — ratify or kick back";

/// A digest.
pub(super) struct Digest {
    cr: Option<Foreign>,
    about: Option<Foreign>,
    areas: Vec<Area>,
    statuses: Vec<(Foreign, String)>,
    pub(super) suites: Vec<Scenarios>,
    bare: Vec<Foreign>,
    flag: bool,
}

/// Runs it.
pub(super) fn run(context: &Context, at: &At, given: &Given<'_>) -> Result<Exit, Report> {
    let facts = Facts::gather(context, at, given)?;
    let digest = digest(&facts);
    if context.json {
        print_json(&document(&digest));
    } else {
        let mut all = lines(&digest);
        all.push(String::new());
        all.extend(gate::lines(&facts));
        print(&all);
    }
    Ok(Exit::Clear)
}

fn plain(text: &Foreign) -> String {
    text.shown(Place::Prose).plain()
}

fn one_line(text: &Foreign) -> String {
    let lines = text.shown_lines(Place::Prose);
    let parts: Vec<String> = lines
        .iter()
        .map(|line| line.plain().trim().to_owned())
        .collect();
    parts.join(" ")
}

fn touched(facts: &Facts) -> impl Iterator<Item = &Document> {
    let roots = facts
        .tree
        .roots
        .iter()
        .filter_map(|root| root.document.known());
    let nodes = facts
        .tree
        .nodes
        .iter()
        .filter_map(|node| node.document.known());
    roots.chain(nodes)
}

/// Puts a digest together.
pub(super) fn digest(facts: &Facts) -> Digest {
    let mut flag = false;
    let mut statuses = Vec::new();
    for root in &facts.tree.roots {
        let Known::Is(document) = &root.document else {
            continue;
        };
        let status = document
            .front
            .get("status")
            .and_then(|entry| entry.value.text().cloned());
        let by: Vec<String> = ["spec", "impl"]
            .iter()
            .filter_map(|gate| {
                let approval = approval(&document.front, gate)?;
                flag |= approval.by_agent();
                let by = approval.by.and_then(|by| by.value.text().map(plain));
                let verdict = approval.verdict.and_then(|v| v.value.text().map(plain))?;
                Some(format!(
                    "{gate} {verdict}{}",
                    by.map_or(String::new(), |by| format!(" by {by}"))
                ))
            })
            .collect();
        let status = status.as_ref().map_or_else(|| String::from("none"), plain);
        let said = if by.is_empty() {
            status
        } else {
            format!("{status}; {}", by.join(", "))
        };
        statuses.push((document.path.foreign(), said));
    }
    let suites = facts.compared.pairs.iter().map(|pair| {
        let (base, head) = (edits::suite(&pair.base), edits::suite(&pair.head));
        Scenarios {
            path: pair.path.clone(),
            new: pair.base == Side::Absent,
            count: match &pair.head {
                Side::Absent => Some(0),
                _ => head
                    .filter(|s| s.errors.is_empty())
                    .map(|s| s.scenarios().count()),
            },
            changes: changes(base, head),
        }
    });
    let plan = facts.cr.as_ref().and_then(|cr| {
        let name = [cr.raw(), b".plan.md"].concat();
        let found = facts
            .compared
            .after
            .iter()
            .find(|(path, _)| path.file_name() == name);
        let bytes = found.and_then(|(_, read)| read.as_ref().ok())?;
        let plan = crate::adapters::spec::markdown::read(found?.0, bytes).ok()?;
        let heading = plan.headings.first().map(|heading| heading.text.clone());
        plan.leads.first().map(|(_, text)| text.clone()).or(heading)
    });
    let bare = facts
        .tree
        .nodes
        .iter()
        .filter(|node| node.suites.is_empty() && facts.documents.contains(&node.path));
    Digest {
        cr: facts.cr.clone(),
        about: plan,
        areas: touched(facts).map(area).collect(),
        statuses,
        suites: suites.collect(),
        bare: bare.map(|node| node.path.foreign()).collect(),
        flag,
    }
}

fn document(digest: &Digest) -> Value {
    let what: Vec<Value> = digest
        .areas
        .iter()
        .map(|area| json!({"path": area.path.json().0, "what": area.what.as_ref().map(one_line)}))
        .collect();
    let scenarios: Vec<Value> = digest
        .suites
        .iter()
        .map(|suite| {
            let names = |how: How| -> Vec<String> {
                let mine = suite.changes.iter().filter(|change| change.how == how);
                mine.map(|change| format!("{} {}", change.part, plain(&change.name)))
                    .collect()
            };
            json!({
                "path": suite.path.json().0,
                "new": suite.new,
                "count": suite.count,
                "added": names(How::Added),
                "modified": names(How::Modified),
                "removed": names(How::Removed),
            })
        })
        .chain(
            digest
                .bare
                .iter()
                .map(|path| json!({"path": plain(path), "count": 0})),
        )
        .collect();
    let each = |line: u32, text: &Foreign, area: &Area| json!({"path": area.path.json().0, "line": line, "text": one_line(text)});
    let decisions = digest.areas.iter().flat_map(|area| {
        area.decisions
            .iter()
            .map(move |(line, text)| each(*line, text, area))
    });
    let open = digest.areas.iter().flat_map(|area| {
        area.open
            .iter()
            .map(move |marker| each(marker.line, &marker.text, area))
    });
    json!({
        "schema": "countersign/spec-digest/1",
        "cr": {
            "id": digest.cr.as_ref().map(plain),
            "about": digest.about.as_ref().map(one_line),
        },
        "what": what,
        "status": digest.statuses.iter()
            .map(|(path, said)| json!({"path": plain(path), "status": said}))
            .collect::<Vec<_>>(),
        "scenarios": scenarios,
        "decisions": decisions.collect::<Vec<_>>(),
        "open": open.collect::<Vec<_>>(),
        "flag": digest.flag.then_some(FLAG),
    })
}

/// The digest in lines, its sections in their order.
pub(super) fn lines(digest: &Digest) -> Vec<String> {
    marked(digest).0
}

/// The same with the suites and parts that its lines speak of.
pub(super) fn marked(digest: &Digest) -> (Vec<String>, Vec<Mark>) {
    let mut marks = Vec::new();
    let cr = digest
        .cr
        .as_ref()
        .map_or_else(|| String::from("none"), plain);
    let about = digest
        .about
        .as_ref()
        .map_or(String::new(), |about| format!(": {}", one_line(about)));
    let mut out = vec![format!("CR  {cr}{about}")];
    let none = |out: &mut Vec<String>, empty: bool| {
        if empty {
            out.push(String::from("  none"));
        }
    };
    out.push(String::from("What"));
    for area in &digest.areas {
        let what = area
            .what
            .as_ref()
            .map_or_else(|| String::from("(no ## What)"), one_line);
        out.push(format!("  {}: {what}", plain(&area.path.foreign())));
    }
    none(&mut out, digest.areas.is_empty());
    out.push(String::from("Status"));
    for (path, said) in &digest.statuses {
        out.push(format!("  {}: {said}", plain(path)));
    }
    none(&mut out, digest.statuses.is_empty());
    out.push(String::from("Scenarios"));
    for (at, suite) in digest.suites.iter().enumerate() {
        let path = plain(&suite.path.foreign());
        let count = suite.count.map_or_else(
            || String::from("cannot be parsed"),
            |count| words::count(count, "scenario"),
        );
        marks.push(Mark::of(out.len(), at));
        out.push(format!(
            "  {path}: {}{count}, +{} ~{} -{}",
            if suite.new { "new, " } else { "" },
            suite.counted(How::Added),
            suite.counted(How::Modified),
            suite.counted(How::Removed)
        ));
        for (part, change) in suite.changes.iter().enumerate() {
            let sign = sign(change.how);
            marks.push(Mark {
                part: Some(part),
                ..Mark::of(out.len(), at)
            });
            let hint = change
                .hint
                .map_or(String::new(), |hint| format!(" ({hint})"));
            out.push(format!(
                "    {sign} {} {}{hint}",
                change.part,
                plain(&change.name)
            ));
        }
    }
    out.extend(
        digest
            .bare
            .iter()
            .map(|path| format!("  {}: zero scenarios", plain(path))),
    );
    none(&mut out, digest.suites.is_empty() && digest.bare.is_empty());
    out.push(String::from("Key decisions"));
    let decisions: Vec<String> = digest
        .areas
        .iter()
        .flat_map(|area| {
            area.decisions
                .iter()
                .map(|(_, text)| format!("  {}", one_line(text)))
        })
        .collect();
    none(&mut out, decisions.is_empty());
    out.extend(decisions);
    out.push(String::from("Open items"));
    let open: Vec<String> = digest
        .areas
        .iter()
        .flat_map(|area| {
            area.open.iter().map(|marker| {
                let path = plain(&area.path.foreign());
                format!("  {path}:{}: {}", marker.line, one_line(&marker.text))
            })
        })
        .collect();
    none(&mut out, open.is_empty());
    out.extend(open);
    if digest.flag {
        out.push(FLAG.to_owned());
    }
    (out, marks)
}

/// The sign of a changed part.
pub(super) fn sign(how: How) -> &'static str {
    match how {
        How::Added => "+",
        How::Modified => "~",
        How::Removed => "-",
    }
}
