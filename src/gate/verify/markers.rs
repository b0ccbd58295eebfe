//! Markers of earlier rounds, `/verify-gate round=N verdict=V`, in all three channels, and the
//! round that they and the ledger make the next one (verify-gate 1.6, rulings A4, A21, K29).
//!
//! A marker is a claim in a comment: it can only raise the round. `tests/truth/markers.md` is
//! the table.

use crate::model::id::Oid;
use crate::model::known::Known;
use crate::model::ruling::Verdict;
use crate::model::text::Foreign;
use crate::model::thread::{Channel, Threads};

/// Highest round that a marker can name; more is no round anybody played.
const MOST: u32 = 9_999;

/// What a comment says about a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reading {
    /// A marker.
    Marker {
        /// Its round, from 1.
        round: u32,
        /// Its verdict.
        verdict: Verdict,
        /// The commit that it says was ruled.
        tip: Option<Oid>,
        /// Whether the comment begins with it, so that it is the gate's own comment.
        opens: bool,
    },
    /// It reaches for a marker and is none; why.
    Malformed(&'static str),
}

/// The markers of a comment, in order; more than one is odd and each counts. Quotations, code
/// blocks, HTML comments and `<details>` hold none.
#[must_use]
pub fn read(body: &str) -> Vec<Reading> {
    let mut found: Vec<Reading> = Vec::new();
    let mut opens = true;
    let mut of_comment = None;
    for line in said(body) {
        if let Some(named) = tip_of(line).flatten() {
            of_comment = of_comment.or(Some(named));
            if let Some(Reading::Marker { tip, .. }) = found.last_mut() {
                *tip = tip.or(Some(named));
            }
        }
        found.extend(marker(line, opens));
        opens &= line.trim().is_empty();
    }
    // a comment names one tip for all that it says
    for reading in &mut found {
        if let Reading::Marker { tip, .. } = reading {
            *tip = tip.or(of_comment);
        }
    }
    found
}

/// The lines of a comment that its author says: no quotation, code, HTML comment or fold.
fn said(body: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut folds = 0usize;
    let mut comment = false;
    let mut blank = true;
    for line in body.lines() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        if comment {
            comment = !line.contains("-->");
            continue;
        }
        let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~'));
        let run = mark.map_or(0, |mark| bare.chars().take_while(|c| *c == mark).count());
        if let Some((open, length)) = fence {
            let closes = mark == Some(open) && run >= length;
            if closes && bare.trim_end().len() == run {
                fence = None;
            }
            continue;
        }
        if let Some(mark) = mark
            && run >= 3
            && (mark == '~' || !bare.get(run..).unwrap_or_default().contains('`'))
        {
            fence = Some((mark, run));
            continue;
        }
        let lower = bare.to_ascii_lowercase();
        let inside = folds > 0;
        folds += lower.matches("<details").count();
        folds = folds.saturating_sub(lower.matches("</details").count());
        if inside || folds > 0 || lower.contains("<details") {
            continue;
        }
        if let Some((_, after)) = line.split_once("<!--") {
            comment = !after.contains("-->");
            continue;
        }
        // four blanks after a blank line are code
        let code = (indent >= 4 || line.starts_with('\t')) && blank;
        blank = bare.is_empty() || (blank && code);
        if !bare.starts_with('>') && !code {
            out.push(line);
        }
    }
    out
}

/// The marker of a line.
fn marker(line: &str, opens: bool) -> Option<Reading> {
    let bare = line.trim();
    let rest = bare.trim_start_matches(['#', '*', '_', '`', ' ', '\t']);
    let name = "/verify-gate";
    let head = rest.get(..name.len())?;
    let after = rest.get(name.len()..)?;
    if !head.eq_ignore_ascii_case(name) || after.starts_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let lower = after.to_ascii_lowercase();
    if !lower.contains("round") && !lower.contains("verdict") {
        // the command, not its marker
        return None;
    }
    let bad = |why| Some(Reading::Malformed(why));
    if head != name {
        return bad("the marker is written in small letters");
    }
    let after = after.trim_end_matches(['*', '_', '`', ' ', '\t']);
    let mut words = after.split_ascii_whitespace();
    if !after.starts_with([' ', '\t']) {
        return bad("a blank has to stand behind its name");
    }
    let Some(round) = words.next().and_then(|word| word.strip_prefix("round=")) else {
        return bad("round=N has to come first");
    };
    let Some(verdict) = words.next().and_then(|word| word.strip_prefix("verdict=")) else {
        return bad("verdict=V has to come second");
    };
    if words.next().is_some() {
        return bad("nothing may stand behind the verdict");
    }
    let digits = !round.is_empty() && round.bytes().all(|b| b.is_ascii_digit());
    let number = round
        .parse()
        .ok()
        .filter(|n| digits && (1..=MOST).contains(n));
    let Some(round) = number else {
        return bad("its round is no number from 1 to 9999");
    };
    let verdicts = [Verdict::Approved, Verdict::Reroll, Verdict::Escalate];
    let Some(verdict) = verdicts.into_iter().find(|v| v.word() == verdict) else {
        return bad("its verdict is none of APPROVED, REROLL and ESCALATE");
    };
    Some(Reading::Marker {
        round,
        verdict,
        tip: None,
        opens,
    })
}

/// `Ruled tip SHA: <commit>`; the inner value is `None` when it names no commit.
fn tip_of(line: &str) -> Option<Option<Oid>> {
    let rest = line.trim().trim_start_matches(['*', '_', '`']);
    let rest = rest.strip_prefix("Ruled tip SHA")?;
    let value = rest.trim_start_matches(['*', '_']).strip_prefix(':')?;
    let value = value.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    Some(Oid::parse(value))
}

/// A marker with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Marker {
    /// The comment that holds it.
    pub comment: Box<str>,
    /// Where it stands.
    pub channel: Channel,
    /// Who wrote it; `None` for an account that is gone.
    pub author: Option<Foreign>,
    /// What it says.
    pub reading: Reading,
    /// Whether its author is one whose markers count.
    pub counts: bool,
    /// Whether its words were changed after they were written.
    pub edited: bool,
}

/// All markers, in the order of the threads. `authors` are those whose markers count; when there
/// are none, everybody's do (A21).
#[must_use]
pub fn markers(threads: &Threads, authors: &[String]) -> Vec<Marker> {
    let mut out = Vec::new();
    for thread in &threads.threads {
        for comment in thread.comments() {
            let body = String::from_utf8_lossy(comment.body.raw());
            let readings = read(&body);
            if readings.is_empty() {
                continue;
            }
            let login = comment.author.login.as_ref();
            let listed = login.and_then(Foreign::raw_str).is_some_and(|login| {
                let same = |one: &String| one.eq_ignore_ascii_case(login);
                authors.iter().any(same)
            });
            for mut reading in readings {
                // what names no tip itself was ruled at the commit of its review
                if let Reading::Marker { tip, .. } = &mut reading {
                    *tip = tip.or(thread.written_at);
                }
                out.push(Marker {
                    comment: comment.id.clone(),
                    channel: thread.channel,
                    author: comment.author.login.clone(),
                    reading,
                    counts: authors.is_empty() || listed,
                    edited: matches!(comment.edited, Known::Is(Some(_))),
                });
            }
        }
    }
    out
}

/// What markers and ledger make of the round.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rounds {
    /// How many markers count.
    pub count: u32,
    /// The highest round that one of them names.
    pub highest: u32,
    /// The round of the last ruling in the ledger, 0 without one.
    pub ledger: u32,
    /// The round that the next ruling is.
    pub next: u32,
    /// What is in force at the head: the strictest verdict that a marker gives it.
    pub at_head: Option<Verdict>,
    /// What is odd about them, in our words.
    pub odd: Vec<String>,
}

/// The next round: one more than the most that markers and ledger show.
#[must_use]
pub fn rounds(markers: &[Marker], ledger: u32, head: Option<Oid>) -> Rounds {
    let mut out = Rounds {
        ledger,
        ..Rounds::default()
    };
    let mut at_head: Vec<Verdict> = Vec::new();
    let mut older = 0u32;
    let mut malformed = 0u32;
    let mut others = 0u32;
    let mut approved_elsewhere = false;
    for marker in markers {
        let Reading::Marker {
            round,
            verdict,
            tip,
            ..
        } = &marker.reading
        else {
            malformed += 1;
            continue;
        };
        if !marker.counts {
            others += 1;
            continue;
        }
        out.count += 1;
        out.highest = out.highest.max(*round);
        match (tip, head) {
            (Some(tip), Some(head)) if *tip == head => at_head.push(*verdict),
            (Some(_), Some(_)) => {
                older += 1;
                approved_elsewhere |= *verdict == Verdict::Approved;
            }
            _ => {}
        }
    }
    out.next = 1 + out.count.max(out.highest).max(ledger);
    // Verdict is ordered from lax to strict: FAIL wins
    out.at_head = at_head.iter().max().copied();
    let conflict = at_head.iter().any(|verdict| Some(*verdict) != out.at_head);
    let mut say = |is: bool, text: String| {
        if is {
            out.odd.push(text);
        }
    };
    say(
        out.count != out.highest && out.count > 0,
        format!(
            "{} markers, and the highest names round {}",
            out.count, out.highest
        ),
    );
    if let Some(verdict) = out.at_head
        && conflict
    {
        say(
            true,
            format!(
                "markers at this head differ; {} is in force",
                verdict.word()
            ),
        );
    }
    say(
        approved_elsewhere && at_head.is_empty(),
        "an APPROVED is of another head: stale".to_owned(),
    );
    say(older > 0, format!("{older} of other heads"));
    say(
        malformed > 0,
        format!("{malformed} reach for a marker and are none"),
    );
    say(
        others > 0,
        format!("{others} of authors whose markers do not count"),
    );
    out
}
