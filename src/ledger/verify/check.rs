//! The reading of one shard: bytes to lines, lines to links of the chain, links to entries with
//! a grade.

use std::collections::BTreeSet;

use serde::de::IgnoredAny;

use super::{Checked, Code, Finding, Grade, Place, Shard, TextOf, Verified, origin, shown};
use crate::ledger::codec::{self, Fault, LINE_LIMIT};
use crate::ledger::entry::{Body, Entry, Head};
use crate::model::id::Digest;

/// A line that says where it stands in the chain.
struct Link {
    line: u64,
    seq: u64,
    prev: Option<Digest>,
    digest: Digest,
    entry: Option<Entry>,
}

/// The reading of one shard.
pub(super) struct Check<'a> {
    place: &'a Place<'a>,
    shard: &'a Shard,
    text_of: TextOf<'a>,
    findings: Vec<Finding>,
}

impl<'a> Check<'a> {
    pub(super) fn new(place: &'a Place<'a>, shard: &'a Shard, text_of: TextOf<'a>) -> Self {
        Self {
            place,
            shard,
            text_of,
            findings: Vec::new(),
        }
    }

    fn find(&mut self, line: u64, code: Code, detail: &str) {
        let message = if detail.is_empty() {
            code.says().to_owned()
        } else {
            format!("{}: {}", code.says(), shown(detail))
        };
        self.findings.push(Finding {
            shard: shown(&self.shard.name),
            line,
            code,
            message,
        });
    }

    pub(super) fn run(mut self, out: &mut Verified) {
        if let Some(why) = &self.shard.unreadable {
            self.find(0, Code::Unreadable, why);
        }
        if self.shard.anchors_damaged {
            self.find(0, Code::AnchorDamaged, "");
        }
        let last_anchor = self.shard.anchors.iter().map(|head| head.seq).max();
        let copies = self.shard.readings();
        if copies.is_empty() && self.shard.unreadable.is_none() {
            let missing = last_anchor.unwrap_or(0);
            self.find(0, Code::MissingShard, &format!("{missing} entries"));
        }
        if copies.len() > 1 {
            self.find(0, Code::Forked, "");
        }
        let mut seen = BTreeSet::new();
        for (index, copy) in copies.into_iter().enumerate() {
            let links = self.links(copy);
            if index == 0 {
                let own = self.shard.copies.contains(copy);
                self.anchors(&links, last_anchor, own);
            }
            self.chain(links, index == 0, &mut seen, out);
        }
        out.findings.append(&mut self.findings);
    }

    /// Splits the bytes into lines and reads each.
    fn links(&mut self, bytes: &[u8]) -> Vec<Link> {
        let mut links = Vec::new();
        if bytes.is_empty() && self.shard.anchors.is_empty() {
            self.find(0, Code::EmptyShard, "");
        }
        let body = match bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) => {
                self.find(1, Code::Bom, "");
                rest
            }
            None => bytes,
        };
        let mut rest = body;
        let mut number = 0;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            number += 1;
            let (line, after) = rest.split_at(end);
            self.line(number, line, &mut links);
            rest = after.get(1..).unwrap_or_default();
        }
        if !rest.is_empty() {
            let nul = rest.iter().all(|byte| *byte == 0);
            let code = if nul { Code::NulRun } else { Code::TornTail };
            self.find(number + 1, code, &format!("{} bytes", rest.len()));
        }
        links
    }

    fn line(&mut self, number: u64, raw: &[u8], links: &mut Vec<Link>) {
        let mut line = raw;
        if let Some(cut) = line.strip_suffix(b"\r") {
            self.find(number, Code::Crlf, "");
            line = cut;
        }
        if line.contains(&0) {
            self.find(number, Code::NulRun, "");
            let from = line.iter().position(|b| *b != 0).unwrap_or(line.len());
            line = line.get(from..).unwrap_or_default();
            if line.is_empty() {
                return;
            }
        }
        if line.is_empty() {
            return self.find(number, Code::BlankLine, "");
        }
        if line.len() >= LINE_LIMIT {
            return self.find(number, Code::OverLong, &format!("{} bytes", line.len()));
        }
        let marks: [&[u8]; 4] = [b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||"];
        if marks.iter().any(|mark| line.starts_with(mark)) {
            return self.find(number, Code::ConflictMarker, "");
        }
        let Ok(text) = std::str::from_utf8(line) else {
            return self.find(number, Code::NotUtf8, "");
        };
        let pieces = documents(text);
        if pieces.len() > 1 {
            self.find(number, Code::Fused, &format!("{} entries", pieces.len()));
        }
        for piece in pieces {
            self.piece(number, piece, links);
        }
    }

    fn piece(&mut self, number: u64, text: &str, links: &mut Vec<Link>) {
        let parsed = codec::parse(text, &self.shard.name, self.text_of);
        for fault in &parsed.faults {
            let (code, detail) = coded(fault);
            self.find(number, code, &detail);
        }
        if let Some(seq) = parsed.seq {
            links.push(Link {
                line: number,
                seq,
                prev: parsed.prev,
                digest: Digest::of(text.as_bytes()),
                entry: parsed.entry,
            });
        }
    }

    /// Compares the lines with the anchors. What others hold beyond them was never written here,
    /// so that nothing of it can be the end of a session that was cut short.
    fn anchors(&mut self, links: &[Link], last_anchor: Option<u64>, own: bool) {
        let last = links.iter().map(|link| link.seq).max().unwrap_or(0);
        let Some(anchor) = last_anchor else {
            match links.len() {
                _ if !own => {}
                0 => {}
                1 => self.find(1, Code::Unacknowledged, ""),
                n => self.find(1, Code::Unanchored, &format!("{n} lines")),
            }
            return;
        };
        if anchor > last {
            let line = links.last().map_or(0, |link| link.line);
            let missing = anchor - last;
            self.find(line + 1, Code::CutTail, &format!("{missing} entries"));
        }
        let beyond: Vec<u64> = links
            .iter()
            .filter(|link| link.seq > anchor)
            .map(|link| link.line)
            .collect();
        match beyond.as_slice() {
            [] => {}
            [line] if own => self.find(*line, Code::Unacknowledged, ""),
            [line, ..] => {
                let count = beyond.len();
                self.find(*line, Code::Unanchored, &format!("{count} lines"));
            }
        }
    }

    /// Grades the entries of one copy. Of a copy that differs from the first only the lines count
    /// that the first has not; they are claims where nothing of the shard was acknowledged here,
    /// and broken where the first copy holds what was.
    fn chain(
        &mut self,
        links: Vec<Link>,
        first_copy: bool,
        seen: &mut BTreeSet<Digest>,
        out: &mut Verified,
    ) {
        let claims = first_copy || self.shard.anchors.is_empty();
        let mut wanted_seq = 1u64;
        let mut wanted_prev = origin(self.place, &self.shard.name);
        let mut whole = true;
        for link in links {
            let before = self.findings.len();
            if link.seq > wanted_seq {
                let missing = link.seq - wanted_seq;
                self.find(link.line, Code::SeqGap, &format!("{missing} entries"));
            } else if link.seq < wanted_seq {
                self.find(link.line, Code::SeqRepeat, &link.seq.to_string());
            }
            if link.prev != Some(wanted_prev) {
                let first = wanted_seq == 1;
                let code = if first {
                    Code::WrongPlace
                } else {
                    Code::ChainBroken
                };
                self.find(link.line, code, "");
            }
            if link.seq == 1 {
                self.opening(&link);
            }
            let anchor = |head: &&Head| head.seq == link.seq;
            let mut anchors = self.shard.anchors.iter().filter(anchor).peekable();
            let any = anchors.peek().is_some();
            let anchored = anchors.any(|head| head.line == link.digest);
            if any && !anchored {
                self.find(link.line, Code::Rewritten, "");
            }
            whole &= self.findings.len() == before;
            wanted_seq = link.seq.saturating_add(1);
            wanted_prev = link.digest;
            if !seen.insert(link.digest) && !first_copy {
                continue;
            }
            if let Some(entry) = link.entry {
                let grade = match (anchored && first_copy, whole && claims) {
                    (true, _) => Grade::Anchored,
                    (false, true) => Grade::Chained,
                    (false, false) => Grade::Broken,
                };
                out.entries.push(Checked {
                    entry,
                    grade,
                    line: link.line,
                    digest: link.digest,
                    whole: whole && first_copy,
                    seals: Vec::new(),
                });
            }
        }
    }

    fn opening(&mut self, link: &Link) {
        match link.entry.as_ref().map(|entry| &entry.body) {
            Some(Body::Opened(opened)) => {
                let ours = opened.repository == self.place.repository
                    && opened.change == self.place.change;
                if !ours {
                    self.find(link.line, Code::WrongPlace, "");
                }
            }
            Some(Body::Newer { .. }) | None => {}
            Some(
                Body::Run(_)
                | Body::Decision(_)
                | Body::Undo(_)
                | Body::Assertion(_)
                | Body::Ruling(_)
                | Body::Edit(_)
                | Body::Seal(_)
                | Body::Posted(_),
            ) => self.find(link.line, Code::NotOpened, ""),
        }
    }
}

/// The JSON documents that stand on one line; the line itself when it is not just that.
fn documents(line: &str) -> Vec<&str> {
    let mut stream = serde_json::Deserializer::from_str(line).into_iter::<IgnoredAny>();
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some(next) = stream.next() {
        let to = stream.byte_offset();
        match (next, line.get(from..to)) {
            (Ok(_), Some(piece)) => pieces.push(piece),
            _ => return vec![line],
        }
        from = to;
    }
    if pieces.len() > 1 && from == line.len() {
        pieces
    } else {
        vec![line]
    }
}

fn coded(fault: &Fault) -> (Code, String) {
    match fault {
        Fault::NotJson(why) => (Code::NotJson, why.clone()),
        Fault::DuplicateKey(key) => (Code::DuplicateKey, key.clone()),
        Fault::NewerVersion(version) => (Code::NewerVersion, format!("version {version}")),
        Fault::UnknownKind(kind) => (Code::UnknownKind, kind.clone()),
        Fault::UnknownField(field) => (Code::UnknownField, field.clone()),
        Fault::BadValue(field) => (Code::BadValue, field.clone()),
        Fault::MissingField(field) => (Code::MissingField, field.clone()),
        Fault::TextMissing(digest) => (Code::TextMissing, digest.short()),
        Fault::TextChanged(digest) => (Code::TextChanged, digest.short()),
    }
}
