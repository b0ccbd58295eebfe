//! The card of a criterion: what must hold, what was run, what it printed, who claims it.

use crate::app::row::{Role, Row, Span};
use crate::app::state::Running;
use crate::gate::dossier::RunFact;
use crate::gate::judge::Item;
use crate::model::contract::{Criterion, Source};
use crate::model::id::CriterionId;
use crate::model::known::Known;
use crate::model::oracle::{Expect, Interference, Oracle, Outcome, Stream, kept};
use crate::model::standing::Standing;
use crate::model::text::{Foreign, Place};

use super::card::{Depth, decided, limits};
use super::card_picked::{picked, rests};
use super::facts::Facts;
use super::sheet::{Sheet, Value, wrapped};
use super::words;

/// Fills the card.
pub fn fill(facts: &Facts<'_>, item: &Item, id: &CriterionId, depth: Depth, sheet: &mut Sheet) {
    let Some(criterion) = facts.criterion(id, usize::MAX) else {
        sheet.say(
            "",
            "this criterion is not in the contract of record",
            Role::Warn,
        );
        return;
    };
    if depth != Depth::Peek {
        of_record(facts, id, sheet);
        sheet.gap();
    }
    let told = depth != Depth::Peek && super::card::title_tells(facts, id, sheet.width);
    if depth != Depth::Peek && !told {
        whole_text(criterion, sheet);
    }
    if let Some(running) = facts.state.runs.running.get(id) {
        live(facts, id, running, criterion, sheet);
    } else if let Some(oracle) = &criterion.oracle {
        proof(facts, id, oracle, depth, sheet);
    } else {
        manual(facts, item, criterion, sheet);
    }
    if depth == Depth::Peek {
        whole_text(criterion, sheet);
    }
    picked(facts, id, sheet);
    abandoned(facts, id, sheet);
    weak(facts, item, id, sheet);
    limits(item, sheet);
    claimed(facts, id, sheet);
    decided(facts, item, sheet);
}

fn of_record(facts: &Facts<'_>, id: &CriterionId, sheet: &mut Sheet) {
    let Some(record) = facts.record() else {
        return;
    };
    let base = words::short(&facts.dossier.snapshot.merge_base);
    let edited = record.edits.iter().any(|edit| edit.id.as_ref() == Some(id));
    let same = match (&record.head_bytes, edited) {
        (_, true) => "the head edits it, which has no effect",
        (Some(_), false) => "the head says the same",
        (None, false) => "the head has no contract",
    };
    let text = match &record.source {
        Source::Base => format!("base {base}, {same}"),
        Source::FirstCommit(commit) => {
            format!(
                "new in this change, first committed in {}",
                words::short(commit)
            )
        }
        Source::Head => "the head's own version".to_owned(),
        Source::File => "a file as given".to_owned(),
    };
    let role = if edited { Role::Warn } else { Role::Text };
    let mut spans = vec![Span::ours(text, role)];
    let oracle = facts
        .criterion(id, usize::MAX)
        .and_then(|c| c.oracle.as_ref());
    if oracle.is_some() {
        let (word, role) = if facts.state.runs.trusted.contains(id) {
            ("trusted, these bytes", Role::Text)
        } else {
            ("not trusted: x shows what would run", Role::Warn)
        };
        if sheet.width >= 90 {
            spans.push(Span::ours("  ·  ", Role::Muted));
            spans.push(Span::ours(word, role));
        } else {
            sheet.spans("of record", None, &spans, None);
            sheet.say("", word, role);
            return;
        }
    }
    sheet.spans("of record", None, &spans, None);
}

/// The whole text of the criterion: it is what is ratified.
fn whole_text(criterion: &Criterion, sheet: &mut Sheet) {
    for (at, line) in lines(&criterion.text).iter().enumerate() {
        let label = if at == 0 {
            "TEXT".to_owned()
        } else {
            format!("TEXT/{}", at + 1)
        };
        let name = if at == 0 { "TEXT" } else { "" };
        let value = Value {
            text: line,
            place: Place::Prose,
            role: Role::Text,
            decides: Some(&label),
            offsets: false,
        };
        sheet.value(name, None, value);
    }
}

/// The lines of a foreign text.
#[must_use]
pub fn lines(text: &Foreign) -> Vec<Foreign> {
    let body = text.raw().strip_suffix(b"\n").unwrap_or(text.raw());
    body.split(|byte| *byte == b'\n')
        .map(Foreign::new)
        .collect()
}

/// CHECK, EXPECT, RESULT and the output that decides.
fn proof(facts: &Facts<'_>, id: &CriterionId, oracle: &Oracle, depth: Depth, sheet: &mut Sheet) {
    let check = Value::strict(&oracle.check).decides("CHECK").with_offsets();
    sheet.value("CHECK", None, check);
    expect(oracle, sheet);
    let Some(run) = facts.run(id) else {
        control(facts, id, sheet);
        let (glyph, role) = words::standing(Standing::Pending);
        let text = if facts.state.runs.queued.contains(id) {
            "queued · runs after the one before it"
        } else {
            "never run on this tree · x runs it"
        };
        sheet.say_marked(
            "RESULT",
            Some((glyph, role)),
            text,
            Role::Text,
            Some("RESULT"),
        );
        return;
    };
    if depth == Depth::Peek {
        result(facts, run, oracle, depth, sheet);
        control(facts, id, sheet);
        for (number, text, decides) in &run.excerpt {
            if *decides {
                output_line(facts, *number, text, true, sheet);
            }
        }
        if run.output_bytes == 0 {
            let text = "nothing on either stream";
            sheet.say_marked("OUTPUT", None, text, Role::Text, Some("OUTPUT"));
        }
        return;
    }
    result(facts, run, oracle, depth, sheet);
    control(facts, id, sheet);
    output(facts, run, sheet);
}

/// What the same bytes did on base, where they ought to be red.
fn control(facts: &Facts<'_>, id: &CriterionId, sheet: &mut Sheet) {
    let Some(run) = facts.dossier.control(id) else {
        return;
    };
    let (says, role) = match run.outcome {
        Outcome::Met => (
            "passes there too: it proves nothing of this change",
            Role::Warn,
        ),
        Outcome::NotMet => ("red there, as it should be", Role::Text),
        Outcome::Error => ("could not be told there", Role::Warn),
    };
    let text = format!(
        "{says} · {} after {} · run {} · tree of {}",
        words::ended(&run.ended),
        words::duration(run.duration_ms),
        run.number,
        words::short(&run.head)
    );
    sheet.say_marked("ON BASE", None, &text, role, Some("ON BASE"));
}

fn expect(oracle: &Oracle, sheet: &mut Sheet) {
    match &oracle.expect {
        Expect::Plain(text) => sheet.value("EXPECT", None, Value::strict(text).decides("EXPECT")),
        Expect::Regex { source, flags } => {
            sheet.value("EXPECT", None, Value::strict(source).decides("EXPECT"));
            let text = if flags.is_blank() {
                "a pattern, matched in linear time".to_owned()
            } else {
                format!("a pattern, flags {}", flags.shown(Place::Strict))
            };
            sheet.say("", &text, Role::Muted);
        }
        Expect::ExitOnly => {
            let text = "nothing: exit 0 alone passes (no marker)";
            sheet.say_marked("EXPECT", None, text, Role::Warn, Some("EXPECT"));
        }
    }
}

fn result(facts: &Facts<'_>, run: &RunFact, oracle: &Oracle, depth: Depth, sheet: &mut Sheet) {
    let standing = match run.outcome {
        Outcome::Met => Standing::Passing,
        Outcome::NotMet => Standing::Failing,
        Outcome::Error => Standing::Error,
    };
    let (glyph, role) = words::standing(standing);
    let stale = !facts.dossier.same_tree(run.tree);
    let mark = if stale {
        words::standing(Standing::Stale)
    } else {
        (glyph, role)
    };
    let mut parts = vec![format!(
        "{} after {}",
        words::ended(&run.ended),
        words::duration(run.duration_ms)
    )];
    parts.push(match (&run.marker, &oracle.expect) {
        (_, Expect::ExitOnly) => "no marker asked for".to_owned(),
        (None, Expect::Plain(_) | Expect::Regex { .. }) => "marker absent".to_owned(),
        (Some(at), Expect::Plain(_) | Expect::Regex { .. }) => {
            let stream = match at.stream {
                Stream::Stdout => "",
                Stream::Stderr => " on stderr only",
            };
            let over = if at.overwritten {
                ", overwritten by a CR"
            } else {
                ""
            };
            format!(
                "marker found{stream}, line {}{over}",
                words::number(at.line)
            )
        }
    });
    if depth == Depth::Peek {
        parts.push(words::short(&run.head));
    } else {
        parts.push(format!("tree of {}", words::short(&run.head)));
        parts.push(words::isolation(run.isolation).to_owned());
    }
    let text_role = if stale { Role::Moved } else { Role::Text };
    sheet.say_marked(
        "RESULT",
        Some(mark),
        &parts.join(" · "),
        text_role,
        Some("RESULT"),
    );
    if stale {
        let now = words::short(&facts.dossier.snapshot.head);
        let text = format!("the head is {now} now: this run is stale · x runs it again");
        sheet.say_marked("", None, &text, Role::Moved, Some("STALE"));
    }
    if run.oracle != oracle.digest() {
        let text = "run with other bytes than those of record · x runs these";
        sheet.say_marked("", None, text, Role::Moved, Some("OTHER BYTES"));
    }
    spoiled(run, sheet);
}

/// What makes a run worthless or strange; each decides.
fn spoiled(run: &RunFact, sheet: &mut Sheet) {
    for (at, spoiled) in run.interference.iter().enumerate() {
        let text = match spoiled {
            Interference::Tree(paths) => {
                format!(
                    "the checkout changed while it ran, {}",
                    words::count(paths.len(), "path")
                )
            }
            Interference::Overtaken { from, to } => format!(
                "overtaken: started on {}, head is {}",
                words::short(from),
                words::short(to)
            ),
            Interference::Contract => "the contract changed while it ran".to_owned(),
            Interference::Oracle => "the oracle changed after it was approved".to_owned(),
            Interference::Records(what) => format!("our records changed: {what}"),
        };
        let label = format!("SPOILED {}", at + 1);
        sheet.say_marked("", Some(("▲", Role::Bad)), &text, Role::Bad, Some(&label));
    }
    if !run.survivors.is_empty() {
        let text = format!(
            "{} left running and killed",
            words::count(run.survivors.len(), "process").replace("processs", "processes")
        );
        sheet.say_marked("", None, &text, Role::Warn, Some("SURVIVORS"));
    }
    if run.from_sample {
        sheet.say(
            "",
            "made by the sample's own set-up, not by you",
            Role::Muted,
        );
    }
}

/// The excerpt: line numbers, the deciding line marked.
fn output(facts: &Facts<'_>, run: &RunFact, sheet: &mut Sheet) {
    sheet.gap();
    if run.output_bytes == 0 {
        sheet.say_marked(
            "OUTPUT",
            None,
            "nothing on either stream",
            Role::Text,
            Some("OUTPUT"),
        );
        return;
    }
    let head = Row::ours(" OUTPUT", Role::Muted)
        .to(sheet.indent, true)
        .and(
            format!(
                "{} of {}",
                words::count(run.excerpt.len(), "line"),
                words::bytes(run.output_bytes)
            ),
            Role::Muted,
        );
    let keys = if facts.state.screen.plain {
        ""
    } else if sheet.width >= 70 {
        "Enter all   y copy "
    } else {
        "Enter all "
    };
    sheet.push(head.at_right(keys, Role::Accent));
    let mut before = 0;
    for (number, text, decides) in &run.excerpt {
        if *number > before + 1 && before > 0 {
            let hidden = number - before - 1;
            let text = format!(
                "      …  {}, {}",
                words::count(hidden as usize, "line"),
                kept(run.output_bytes)
            );
            sheet.push(Row::ours(text, Role::Muted));
        }
        output_line(facts, *number, text, *decides, sheet);
        before = *number;
    }
}

/// One line of output with its number; wrapped, never cut, when it decides.
pub fn output_line(
    facts: &Facts<'_>,
    number: u64,
    text: &Foreign,
    decides: bool,
    sheet: &mut Sheet,
) {
    let ascii = facts.state.screen.ascii;
    let room = sheet.width.saturating_sub(if decides { 18 } else { 10 });
    let rows = wrapped(ascii, text, Place::Prose, Role::Text, room.max(8));
    let many = rows.len();
    for (at, piece) in rows.into_iter().enumerate() {
        let digits = if at == 0 {
            number.to_string()
        } else {
            String::new()
        };
        let mark = if decides { "»" } else { " " };
        let mut row = Row::ours(mark, Role::Accent)
            .and(format!("{digits:>6}  "), Role::Muted)
            .spans(piece.spans);
        if decides {
            row = row.decides(format!("line {number}"));
            if at == 0 {
                row = row.at_right("decides ", Role::Accent);
            }
        } else if at == 0 && many > 1 {
            row.left.push(Span::ours("…", Role::Muted));
        }
        sheet.push(row);
        if !decides {
            break;
        }
    }
}

/// A criterion without an oracle: a person judges, on evidence they pick.
fn manual(facts: &Facts<'_>, item: &Item, criterion: &Criterion, sheet: &mut Sheet) {
    let (glyph, role) = words::glyph(item);
    let rests = rests(facts, &criterion.id);
    let pieces = || words::count(rests.pieces.len(), "piece");
    let text = match (rests.pieces.is_empty(), rests.open) {
        (false, true) => format!("{} picked, not ruled on yet", pieces()),
        (false, false) => format!("no oracle; {}, as ratified", pieces()),
        (true, _) => "no oracle; nothing picked yet · p lists what could be".to_owned(),
    };
    sheet.say_marked("EVIDENCE", Some((glyph, role)), &text, Role::Text, None);
    let anchors = &criterion.anchors;
    let named: Vec<&Foreign> = anchors.paths.iter().chain(&anchors.tests).collect();
    for (at, name) in named.iter().take(6).enumerate() {
        let label = if at == 0 { "NAMES" } else { "" };
        sheet.value(label, None, Value::strict(name));
    }
    if criterion.ticked == Some(true) {
        sheet.say(
            "",
            "its box is ticked in the file, which proves nothing",
            Role::Muted,
        );
    }
}

fn abandoned(facts: &Facts<'_>, id: &CriterionId, sheet: &mut Sheet) {
    let found = facts
        .record()
        .and_then(|record| record.contract.abandonment(id));
    let Some(abandonment) = found else {
        return;
    };
    sheet.gap();
    let reason = Value {
        place: Place::Prose,
        ..Value::strict(&abandonment.reason).decides("ABANDON")
    };
    sheet.value("ABANDON", Some(("⊘", Role::Warn)), reason);
    let text = format!(
        "declared impossible in the contract, line {}; a hand-off is not a pass",
        abandonment.line
    );
    sheet.say("", &text, Role::Muted);
}

/// Why a pass would be weak; what the limits below say already is not said twice.
fn weak(facts: &Facts<'_>, item: &Item, id: &CriterionId, sheet: &mut Sheet) {
    let lints = facts
        .dossier
        .standing_lints()
        .filter(|(of, lint)| *of == id && (lint.weakens || !item.limits.contains(&lint.message)));
    for (at, (_, lint)) in lints.enumerate() {
        if at == 0 {
            sheet.gap();
        }
        let (name, role) = if lint.weakens {
            ("WEAK", Role::Warn)
        } else {
            ("NOTE", Role::Text)
        };
        let label = format!("lint {}", at + 1);
        sheet.say_marked(name, None, &lint.message, role, Some(&label));
    }
}

/// Most files that a card names; the list has all of them.
const NAMED: usize = 12;

fn claimed(facts: &Facts<'_>, id: &CriterionId, sheet: &mut Sheet) {
    sheet.gap();
    let mut spans: Vec<Span> = Vec::new();
    let files = facts.claimed(id);
    let more = files.len().saturating_sub(NAMED);
    for file in files.take(NAMED) {
        if !spans.is_empty() {
            spans.push(Span::ours(" · ", Role::Muted));
        }
        spans.extend(facts.shown(&file.path.foreign(), Place::Strict, Role::Text));
        let view = facts.state.diff.files.get(&file.path);
        if let Some(Known::Is(hunks)) = view.map(|view| &view.hunks) {
            let text = format!(" {}", words::count(hunks.hunks.len(), "hunk"));
            spans.push(Span::ours(text, Role::Muted));
        }
    }
    if more > 0 {
        let text = format!(" · {} more files", words::number(more as u64));
        spans.push(Span::ours(text, Role::Muted));
    }
    if let (true, Known::Unknown(why)) = (spans.is_empty(), &facts.dossier.scope) {
        sheet.say("CLAIMED BY", &format!("unknown: {why}"), Role::Muted);
    } else if spans.is_empty() {
        sheet.say("CLAIMED BY", "nothing in this change", Role::Warn);
    } else {
        sheet.spans("CLAIMED BY", None, &spans, None);
    }
}

/// The card while its oracle runs.
fn live(
    facts: &Facts<'_>,
    id: &CriterionId,
    running: &Running,
    criterion: &Criterion,
    sheet: &mut Sheet,
) {
    if let Some(oracle) = &criterion.oracle {
        let check = Value::strict(&oracle.check).decides("CHECK").with_offsets();
        sheet.value("CHECK", None, check);
        expect(oracle, sheet);
    }
    let text = format!(
        "{} so far, {} · stopped after {} s · x stops it now",
        words::count(running.lines as usize, "line"),
        words::bytes(running.bytes),
        running.limit_ms / 1000
    );
    sheet.say_marked(
        if facts.state.runs.control.contains(id) {
            "ON BASE"
        } else {
            "RUNNING"
        },
        Some(("◐", Role::Accent)),
        &text,
        Role::Text,
        Some("RESULT"),
    );
    sheet.gap();
    let first = running.lines.saturating_sub(running.tail.len() as u64) + 1;
    for (number, line) in (first..).zip(&running.tail) {
        output_line(facts, number, line, false, sheet);
    }
    sheet.say(
        "",
        "a match of EXPECT counts only after exit 0",
        Role::Muted,
    );
}
