//! Edits of a spec tree as bytes: a name in place of `agent`, an approval taken out, `@frozen` put
//! on and taken off, a line for a shard of our own. Each is planned on the bytes that were read,
//! and read again to prove that nothing else moved.

use serde_json::{Map, Value as Json, json};

use super::{front, gherkin};
use crate::gate::spec::approval::approval;
use crate::gate::spec::edit_class::changes;
use crate::model::id::RepoPath;
use crate::model::spec::front::{Entry, Front, Is};
use crate::model::text::Foreign;

/// Puts the name of a person where `by: agent` stands, and touches nothing else.
///
/// # Errors
/// Why it cannot be done, in words.
pub fn ratified(bytes: &[u8], gate: &str, name: &str) -> Result<Vec<u8>, String> {
    let (before, _) = front::read(bytes);
    let standing = approval(&before, gate).ok_or_else(|| format!("there is no approval.{gate}"))?;
    if !standing.by_agent() {
        return Err(format!("approval.{gate} is not an approve by an agent"));
    }
    let by = standing
        .by
        .map(|entry| entry.value.bytes.clone())
        .unwrap_or(0..0);
    let out = spliced(bytes, by, yaml(name).as_bytes())
        .ok_or_else(|| String::from("the place of `by` is not known; its line is no YAML"))?;
    let (after, _) = front::read(&out);
    let path = [b"approval".as_slice(), gate.as_bytes(), b"by"].join(&b'\0');
    let wanted: Vec<_> = flat(&before)
        .into_iter()
        .map(|(key, text)| {
            let text = if key == path {
                Some(Foreign::from(name))
            } else {
                text
            };
            (key, text)
        })
        .collect();
    if flat(&after) == wanted {
        Ok(out)
    } else {
        Err(String::from("the edit would change more than `by`"))
    }
}

/// Sets the status back to draft and takes the approval of a gate out; with the spec gate goes
/// what was built on it.
///
/// # Errors
/// Why it cannot be done, in words.
pub fn sent_back(bytes: &[u8], gate: &str) -> Result<Vec<u8>, String> {
    let (before, body) = front::read(bytes);
    let dropped: &[&str] = if gate == "spec" {
        &["spec", "impl"]
    } else {
        &["impl"]
    };
    let all = before.get("approval").ok_or("there is no approval")?;
    let gates = all.value.map().ok_or("approval is no map")?;
    let status = before.get("status").ok_or("there is no status")?;
    let gone = |key: &Foreign| dropped.iter().any(|gate| key.raw() == gate.as_bytes());
    let starts = line_starts(bytes);
    let end_of_front = starts
        .partition_point(|start| *start < body)
        .saturating_sub(1);
    let next_top = before
        .entries()
        .iter()
        .map(|entry| entry.line)
        .find(|line| *line > all.line);
    let end = next_top.map_or(end_of_front, |line| line as usize - 1);
    let mut cuts: Vec<(usize, usize)> = Vec::new();
    if gates.iter().all(|entry| gone(&entry.key)) {
        cuts.push((all.line as usize - 1, end));
    } else if gates.iter().any(|entry| entry.line == all.line) {
        return Err(String::from(
            "approval stands on one line; write it over several lines first",
        ));
    } else {
        for (at, entry) in gates
            .iter()
            .enumerate()
            .filter(|(_, entry)| gone(&entry.key))
        {
            let next = gates.get(at + 1).map_or(end, |next| next.line as usize - 1);
            cuts.push((entry.line as usize - 1, next));
        }
    }
    let mut out = bytes.to_vec();
    for (from, to) in cuts.into_iter().rev() {
        let to = without_trailing(bytes, &starts, from, to);
        let (from, to) = (at(&starts, from, bytes), at(&starts, to, bytes));
        out.drain(from..to);
    }
    let word = front::read(&out).0;
    let place = word
        .get("status")
        .map(|entry| entry.value.bytes.clone())
        .unwrap_or(0..0);
    let out = if status.value.word() == Some("draft") {
        out
    } else {
        spliced(&out, place, b"draft").ok_or("the place of `status` is not known")?
    };
    let (after, _) = front::read(&out);
    let kept = |key: &Vec<u8>| {
        !dropped.iter().any(|gate| {
            let path = [b"approval".as_slice(), gate.as_bytes()].join(&b'\0');
            key.starts_with(&path)
        }) && key != b"approval"
    };
    let wanted: Vec<_> = flat(&before)
        .into_iter()
        .filter(|(key, _)| kept(key))
        .map(|(key, text)| {
            let text = if key == b"status" {
                Some(Foreign::from("draft"))
            } else {
                text
            };
            (key, text)
        })
        .collect();
    let got: Vec<_> = flat(&after)
        .into_iter()
        .filter(|(key, _)| key != b"approval")
        .collect();
    if got == wanted {
        Ok(out)
    } else {
        Err(String::from(
            "the edit would change more than status and approval",
        ))
    }
}

/// Approves a draft at the spec gate: the status, and the approval by a person, which needs no
/// reason.
///
/// # Errors
/// Why it cannot be done, in words.
pub fn approved(bytes: &[u8], name: &str) -> Result<Vec<u8>, String> {
    let (before, body) = front::read(bytes);
    let status = before.get("status").ok_or("there is no status")?;
    if status.value.word() != Some("draft") {
        return Err(String::from("only a draft is approved"));
    }
    let eol: &[u8] = if memchr::memmem::find(bytes, b"\r\n").is_some() {
        b"\r\n"
    } else {
        b"\n"
    };
    let starts = line_starts(bytes);
    let end_of_front = starts
        .partition_point(|start| *start < body)
        .saturating_sub(1);
    let mut out = bytes.to_vec();
    let block = |indent: &[u8]| {
        let deeper = [indent, indent].concat();
        let by = yaml(name);
        [
            &[indent, b"spec:", eol].concat()[..],
            &[&deeper[..], b"verdict: approve", eol].concat(),
            &[&deeper[..], b"by: ", by.as_bytes(), eol].concat(),
        ]
        .concat()
    };
    match before.get("approval") {
        None => {
            let place = at(&starts, status.line as usize, bytes);
            let new = [b"approval:", eol, &block(b"  ")].concat();
            out.splice(place..place, new);
        }
        Some(all) => {
            let gates = all.value.map().ok_or("approval is no map")?;
            let first = gates
                .first()
                .ok_or("approval is empty; take it out first")?;
            if gates.iter().any(|entry| entry.line == all.line) {
                let why = "approval stands on one line; write it over several lines first";
                return Err(String::from(why));
            }
            let from = at(&starts, first.line as usize - 1, bytes);
            let line = bytes.get(from..).unwrap_or_default();
            let indent: Vec<u8> = line.iter().copied().take_while(|b| *b == b' ').collect();
            let next_top = before
                .entries()
                .iter()
                .map(|entry| entry.line)
                .find(|l| *l > all.line);
            let end = next_top.map_or(end_of_front, |line| line as usize - 1);
            let spec = gates.iter().position(|entry| entry.key.raw() == b"spec");
            if let Some(spec) = spec.and_then(|spec| gates.get(spec).map(|entry| (spec, entry))) {
                let next = gates
                    .get(spec.0 + 1)
                    .map_or(end, |next| next.line as usize - 1);
                let cut = spec.1.line as usize - 1;
                let next = without_trailing(bytes, &starts, cut, next);
                let range = at(&starts, cut, bytes)..at(&starts, next, bytes);
                out.splice(range, block(&indent));
            } else {
                out.splice(from..from, block(&indent));
            }
        }
    }
    let place = front::read(&out).0;
    let place = place
        .get("status")
        .map(|entry| entry.value.bytes.clone())
        .unwrap_or(0..0);
    let out = spliced(&out, place, b"approved").ok_or("the place of `status` is not known")?;
    let (after, _) = front::read(&out);
    let other = |(key, text): (Vec<u8>, Option<Foreign>)| {
        let ours = key == b"approval" || key == b"status" || key.starts_with(b"approval\0spec");
        (!ours).then_some((key, text))
    };
    let kept = |front: &Front| -> Vec<_> { flat(front).into_iter().filter_map(other).collect() };
    let standing = approval(&after, "spec");
    let by = standing
        .and_then(|a| a.by)
        .and_then(|by| by.value.text().cloned());
    let is = standing.is_some_and(|a| a.is("approve")) && by == Some(Foreign::from(name));
    if is && kept(&after) == kept(&before) {
        Ok(out)
    } else {
        Err(String::from(
            "the edit would change more than status and approval",
        ))
    }
}

/// Puts `@frozen` on the feature, or takes it off.
///
/// # Errors
/// Why it cannot be done, in words.
pub fn frozen(path: &RepoPath, bytes: &[u8], on: bool) -> Result<Vec<u8>, String> {
    let suite = gherkin::read(path, bytes);
    if let Some((line, why)) = suite.errors.first() {
        return Err(format!("no Gherkin, line {line}: {why}"));
    }
    let feature = suite.feature.as_ref().ok_or("there is no feature")?;
    if suite.tagged("frozen") == on {
        return Err(format!(
            "it is {} already",
            if on { "frozen" } else { "not frozen" }
        ));
    }
    let starts = line_starts(bytes);
    let eol: &[u8] = if memchr::memmem::find(bytes, b"\r\n").is_some() {
        b"\r\n"
    } else {
        b"\n"
    };
    let line_of = |line: u32| {
        let from = at(&starts, line as usize - 1, bytes);
        from..at(&starts, line as usize, bytes)
    };
    let mut out = bytes.to_vec();
    if on {
        let first = feature
            .tags
            .first()
            .map_or(feature.title.line, |tag| tag.line);
        let range = line_of(first);
        let text = bytes.get(range.clone()).unwrap_or_default();
        let mark = if text.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        let blanks = text
            .iter()
            .skip(mark)
            .take_while(|b| matches!(b, b' ' | b'\t'))
            .count();
        let place = range.start + mark;
        let indent = bytes
            .get(place..place + blanks)
            .unwrap_or_default()
            .to_vec();
        let new = if feature.tags.is_empty() {
            [&indent[..], b"@frozen", eol].concat()
        } else {
            [&indent[..], b"@frozen "].concat()
        };
        let cut = if feature.tags.is_empty() {
            place
        } else {
            place + blanks
        };
        out.splice(place..cut, new);
    } else {
        let tags = feature
            .tags
            .iter()
            .filter(|tag| tag.name.raw() == b"frozen");
        let mut lines: Vec<u32> = tags.map(|tag| tag.line).collect();
        lines.dedup();
        for line in lines.into_iter().rev() {
            let mut range = line_of(line);
            let text = out.get(range.clone()).unwrap_or_default();
            // a byte order mark stays where it is
            range.start += if text.starts_with(b"\xef\xbb\xbf") {
                3
            } else {
                0
            };
            let text = out.get(range.clone()).unwrap_or_default().to_vec();
            out.splice(range, untagged(&text));
        }
    }
    let after = gherkin::read(path, &out);
    let moved = changes(Some(&suite), Some(&after));
    if after.errors.is_empty() && after.tagged("frozen") == on && moved.is_empty() {
        Ok(out)
    } else {
        Err(String::from("the edit would change more than the tag"))
    }
}

/// A line of tags without `@frozen`; nothing when no other tag stands on it.
fn untagged(line: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(line).into_owned();
    let mut kept = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("@frozen") {
        let (before, after) = rest.split_at(at);
        let after = &after[7..];
        let whole = after
            .chars()
            .next()
            .is_none_or(|c| c.is_whitespace() || c == '@');
        if whole {
            kept.push_str(before);
            rest = after.trim_start_matches([' ', '\t']);
        } else {
            kept.push_str(before);
            kept.push_str("@frozen");
            rest = after;
        }
    }
    kept.push_str(rest);
    if kept.trim().is_empty() {
        Vec::new()
    } else {
        let body = kept.trim_end_matches(['\r', '\n']);
        let end = &kept[body.len()..];
        format!("{}{end}", body.trim_end_matches([' ', '\t'])).into_bytes()
    }
}

/// What a gate line of ours says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GateLine<'a> {
    /// The change request.
    pub cr: Option<&'a str>,
    /// `spec` or `impl`.
    pub gate: &'a str,
    /// `approve` or `reject`.
    pub verdict: &'a str,
    /// The person.
    pub by: &'a str,
    /// One of the four causes of a correction.
    pub cause: Option<&'a str>,
    /// Why.
    pub why: Option<&'a str>,
    /// Suites frozen, relative to the root.
    pub frozen: &'a [String],
    /// The line it answers: shard and 1-based line.
    pub answers: Option<(String, u32)>,
}

/// The line, with its line end.
#[must_use]
pub fn gate_line(line: &GateLine<'_>) -> String {
    let mut map = Map::new();
    map.insert("seq".into(), 1.into());
    map.insert("kind".into(), "gate".into());
    if let Some(cr) = line.cr {
        map.insert("cr".into(), cr.into());
    }
    map.insert("gate".into(), line.gate.into());
    map.insert("verdict".into(), line.verdict.into());
    map.insert("by".into(), line.by.into());
    if let Some(cause) = line.cause {
        map.insert("correction-cause".into(), cause.into());
    }
    if let Some(why) = line.why {
        map.insert("why".into(), why.into());
    }
    if line.verdict == "approve" {
        map.insert("frozen".into(), json!(line.frozen));
    }
    if let Some((shard, at)) = &line.answers {
        map.insert("answers".into(), format!("{shard}:{at}").into());
    }
    format!("{}\n", Json::Object(map))
}

/// A line of another kind, with its line end: `freeze`, `unfreeze`, `correction`.
#[must_use]
pub fn other_line(kind: &str, cr: Option<&str>, by: &str, more: &[(&str, Json)]) -> String {
    let mut map = Map::new();
    map.insert("seq".into(), 1.into());
    map.insert("kind".into(), kind.into());
    if let Some(cr) = cr {
        map.insert("cr".into(), cr.into());
    }
    map.insert("by".into(), by.into());
    for (key, value) in more {
        map.insert((*key).to_owned(), value.clone());
    }
    format!("{}\n", Json::Object(map))
}

/// The name of a new shard of ours.
#[must_use]
pub fn shard_name(cr: Option<&str>, random: [u8; 3]) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '-'
        }
    };
    let stem: String = cr.unwrap_or("no-cr").chars().map(plain).collect();
    let stem = stem.trim_start_matches(['.', '-']);
    let [a, b, c] = random;
    format!(
        "{}.{a:02x}{b:02x}{c:02x}.jsonl",
        if stem.is_empty() { "no-cr" } else { stem }
    )
}

fn spliced(bytes: &[u8], place: std::ops::Range<usize>, new: &[u8]) -> Option<Vec<u8>> {
    if place.is_empty() {
        return None;
    }
    let mut out = bytes.get(..place.start)?.to_vec();
    out.extend_from_slice(new);
    out.extend_from_slice(bytes.get(place.end..)?);
    Some(out)
}

/// A name as a YAML value.
fn yaml(name: &str) -> String {
    let inner = |c: char| c.is_alphanumeric() || " ._-".contains(c);
    let starts = name.chars().next().is_some_and(char::is_alphabetic);
    let ends = name.chars().next_back().is_some_and(|c| c != ' ');
    let lower = name.to_lowercase();
    let word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    if starts && ends && name.chars().all(inner) && !word.contains(&lower.as_str()) {
        name.to_owned()
    } else {
        Json::from(name).to_string()
    }
}

/// Every scalar with its path, parts divided by NUL; maps and lists as parents of theirs.
fn flat(front: &Front) -> Vec<(Vec<u8>, Option<Foreign>)> {
    let mut out = Vec::new();
    flat_entries(front.entries(), &[], &mut out);
    out
}

fn flat_entries(entries: &[Entry], under: &[u8], out: &mut Vec<(Vec<u8>, Option<Foreign>)>) {
    for entry in entries {
        let mut path = under.to_vec();
        if !path.is_empty() {
            path.push(0);
        }
        path.extend_from_slice(entry.key.raw());
        flat_value(&entry.value.is, path, out);
    }
}

fn flat_value(value: &Is, path: Vec<u8>, out: &mut Vec<(Vec<u8>, Option<Foreign>)>) {
    match value {
        Is::Map(entries) => {
            out.push((path.clone(), None));
            flat_entries(entries, &path, out);
        }
        Is::List(values) => {
            out.push((path.clone(), None));
            for value in values {
                flat_value(&value.is, path.clone(), out);
            }
        }
        Is::Text(text, _) => out.push((path, Some(text.clone()))),
        Is::Null | Is::Other => out.push((path, None)),
    }
}

fn line_starts(bytes: &[u8]) -> Vec<usize> {
    let breaks = bytes.iter().enumerate().filter(|(_, b)| **b == b'\n');
    std::iter::once(0)
        .chain(breaks.map(|(at, _)| at + 1))
        .collect()
}

fn at(starts: &[usize], line: usize, bytes: &[u8]) -> usize {
    starts.get(line).copied().unwrap_or(bytes.len())
}

/// The end of a cut without the blank lines and comments that stand before what follows.
fn without_trailing(bytes: &[u8], starts: &[usize], from: usize, to: usize) -> usize {
    let mut to = to;
    while to > from + 1 {
        let line = bytes
            .get(at(starts, to - 1, bytes)..at(starts, to, bytes))
            .unwrap_or_default();
        let bare = line.trim_ascii();
        if bare.is_empty() || bare.starts_with(b"#") {
            to -= 1;
        } else {
            break;
        }
    }
    to
}

/// The suites that a change request froze, relative to the root, as its gate lines say.
#[must_use]
pub fn frozen_by(
    shards: &[crate::model::known::Known<crate::model::spec::shard::Shard>],
    gate: &str,
    cr: Option<&Foreign>,
) -> Vec<String> {
    let lines = crate::gate::spec::ledger::lines(shards, gate, cr);
    let mut out: Vec<String> = lines
        .iter()
        .flat_map(|said| &said.gate.frozen)
        .filter_map(|text| text.raw_str().map(str::to_owned))
        .collect();
    out.sort();
    out.dedup();
    out
}
