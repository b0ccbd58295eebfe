//! The card of a chain: calibration, both passes with file and line, badges, the neighbours in the
//! tree, and the prescription, folded while a badge says read first.

use crate::app::row::{Role, Row, Span, width};
use crate::gate::chains::prescribe;
use crate::gate::judge::Item;
use crate::model::chain::{Basis, Callee, Chain, ChainId, Level, Status, Wait, Why};
use crate::model::id::RepoPath;
use crate::model::text::{Foreign, Place};

use super::card::{decided, limits, rulings};
use super::facts::Facts;
use super::sheet::Sheet;

/// Most neighbours that are drawn.
const NEAR: usize = 8;

/// The card.
pub(super) fn fill(facts: &Facts<'_>, item: &Item, id: &ChainId, sheet: &mut Sheet) {
    let Some(chain) = facts.state.chain(id) else {
        sheet.say("CHAIN", "not in the tree any more", Role::Warn);
        return;
    };
    calibration(facts, sheet);
    let status = match (chain.status, chain.declared_open()) {
        (Status::Closed, _) => ("CLOSED".to_owned(), Role::Good),
        (Status::Open, true) => (
            format!("OPEN, declared as intended · {}", chain.severity.word()),
            Role::Warn,
        ),
        (Status::Open, false) => (format!("OPEN · {}", chain.severity.word()), Role::Warn),
    };
    sheet.say_marked("STATUS", None, &status.0, status.1, Some("STATUS"));
    sheet.say("DISPATCH", chain.strength.word(), Role::Text);
    places(facts, chain, &[Why::Edge], sheet);
    wait(facts, chain, sheet);
    answer(facts, chain, sheet);
    if chain.basis.contains(&Basis::CpGap) {
        let text = "conditions of a CONDITIONAL_PASS can be dropped";
        sheet.say_marked("GAP", None, text, Role::Warn, Some("GAP"));
    }
    badges(chain, sheet);
    near(facts, chain, sheet);
    prescription(facts, item, chain, sheet);
    limits(item, sheet);
    decided(facts, item, sheet);
    rulings(item, sheet);
}

fn calibration(facts: &Facts<'_>, sheet: &mut Sheet) {
    let Some(known) = facts.dossier.chains.known() else {
        return;
    };
    let pairs = &known.calibration.pairs;
    let right = pairs.iter().filter(|seen| seen.ok()).count();
    let text = format!(
        "{right} of {} known pairs are right · profile ",
        pairs.len()
    );
    let mut spans = vec![Span::ours(text, Role::Muted)];
    let profile = Foreign::from(known.profile.as_str());
    spans.extend(facts.shown(&profile, Place::Strict, Role::Muted));
    sheet.spans("CALIBRATED", None, &spans, None);
}

/// `FILE:LINE` of the evidence of some kinds, each with the line itself between its neighbours.
fn places(facts: &Facts<'_>, chain: &Chain, kinds: &[Why], sheet: &mut Sheet) {
    for span in chain.spans.iter().filter(|span| kinds.contains(&span.why)) {
        let (file, line) = chain.place(span);
        let mut spans = facts.shown(&file.foreign(), Place::Strict, Role::Muted);
        spans.push(Span::ours(format!(":{line}"), Role::Muted));
        let why = span.why;
        if why != Why::Edge && why != Why::Wait && why != Why::Verdict {
            spans.push(Span::ours(format!("  {}", why.word()), Role::Muted));
        }
        sheet.spans("", None, &spans, None);
        excerpt(facts, (file, line), sheet);
    }
}

/// The line that is meant, lit, between the one before and the one after.
fn excerpt(facts: &Facts<'_>, (file, line): (&RepoPath, u32), sheet: &mut Sheet) {
    let known = facts.dossier.chains.known();
    let Some(lines) = known.and_then(|known| known.near.get(file)) else {
        return;
    };
    let bar = if sheet.ascii { ">" } else { "▎" };
    for (number, text) in lines.range(line.saturating_sub(1)..=line.saturating_add(1)) {
        let here = *number == line;
        if !here && text.raw().trim_ascii().is_empty() {
            continue;
        }
        let (mark, role) = if here {
            (bar, Role::Accent)
        } else {
            (" ", Role::Muted)
        };
        let first = format!("{mark}{number:>4}  ");
        let rest = format!("{mark:<wide$}", wide = width(&first));
        let lead = [first, rest].map(|text| Span::ours(text, role));
        let tone = if here { Role::Strong } else { Role::Muted };
        sheet.hanging(lead, &facts.shown(text, Place::Prose, tone), here);
    }
}

fn wait(facts: &Facts<'_>, chain: &Chain, sheet: &mut Sheet) {
    let (says, role) = match chain.wait {
        Wait::Bound => ("the caller waits for it", Role::Good),
        Wait::Unbound => ("the caller waits, and says for nobody", Role::Warn),
        Wait::Negated => ("the caller says that it does not wait", Role::Bad),
        Wait::None => ("nothing in Done When waits for it", Role::Bad),
    };
    sheet.say_marked("A", None, says, role, Some("A"));
    let kinds = [Why::Wait, Why::NearWait, Why::WaitOutside, Why::Mapping];
    places(facts, chain, &kinds, sheet);
}

fn answer(facts: &Facts<'_>, chain: &Chain, sheet: &mut Sheet) {
    let (says, role) = match (&chain.callee_at, chain.level) {
        (Callee::Missing(kind), _) => (format!("no such skill: {}", kind.word()), Role::Bad),
        (_, Level::Full) => (
            "the callee answers with all four verdicts".to_owned(),
            Role::Good,
        ),
        (_, Level::Partial) => (
            "the callee answers with some of the verdicts".to_owned(),
            Role::Good,
        ),
        (_, Level::Foreign) => ("the callee answers in other words".to_owned(), Role::Warn),
        (_, Level::None) => ("the callee gives no verdict line".to_owned(), Role::Bad),
    };
    sheet.say_marked("B", None, &says, role, Some("B"));
    let kinds = [Why::Verdict, Why::VerdictOutside, Why::SaidByCallee];
    places(facts, chain, &kinds, sheet);
}

fn badges(chain: &Chain, sheet: &mut Sheet) {
    let words: Vec<&str> = chain.flags.iter().map(|flag| flag.words()).collect();
    if !words.is_empty() {
        sheet.say("BADGES", &words.join(", "), Role::Text);
    }
}

/// The other chains of the caller, and those of the callee, as a tree.
fn near(facts: &Facts<'_>, chain: &Chain, sheet: &mut Sheet) {
    let Some(known) = facts.dossier.chains.known() else {
        return;
    };
    let of = |name: &Foreign| {
        let found = known.chains.iter().filter(|other| other.caller == *name);
        found.collect::<Vec<&Chain>>()
    };
    sheet.gap();
    let mut title = vec![Span::ours(" AS A TREE  ", Role::Muted)];
    title.extend(facts.shown(&chain.caller, Place::Strict, Role::Text));
    sheet.push(Row::default().spans(title));
    let mut left = NEAR;
    let own = of(&chain.caller);
    for (at, other) in own.iter().enumerate() {
        let last = at + 1 == own.len();
        if left == 0 {
            let more = own.len() - at;
            sheet.push(Row::ours(format!("   … {more} more"), Role::Muted));
            return;
        }
        left -= 1;
        let this = other.callee == chain.callee;
        branch(
            facts,
            other,
            if last { "└─" } else { "├─" },
            "   ",
            this,
            sheet,
        );
        let below = if this { of(&chain.callee) } else { Vec::new() };
        let indent = if last { "      " } else { "   │  " };
        for (at, under) in below.iter().enumerate().take(left) {
            let mark = if at + 1 == below.len() {
                "└─"
            } else {
                "├─"
            };
            branch(facts, under, mark, indent, false, sheet);
        }
    }
}

fn branch(
    facts: &Facts<'_>,
    chain: &Chain,
    mark: &str,
    indent: &str,
    this: bool,
    sheet: &mut Sheet,
) {
    let role = if this { Role::Strong } else { Role::Text };
    let word = match (chain.status, chain.declared_open()) {
        (Status::Closed, _) => "CLOSED".to_owned(),
        (Status::Open, true) => "OPEN, declared".to_owned(),
        (Status::Open, false) => format!("OPEN {}", chain.severity.word().to_lowercase()),
    };
    let mut row = Row::ours(format!("{indent}{mark} "), Role::Muted).spans(facts.shown(
        &chain.callee,
        Place::Strict,
        role,
    ));
    row = row.and(format!("  {word}, {}", chain.strength.word()), Role::Muted);
    sheet.push(row);
}

fn prescription(facts: &Facts<'_>, item: &Item, chain: &Chain, sheet: &mut Sheet) {
    let lines = prescribe(chain).lines();
    if lines.is_empty() {
        return;
    }
    sheet.gap();
    sheet.push(Row::ours(" PRESCRIPTION", Role::Muted).and("  text only", Role::Muted));
    // a badge says read first: the lines above were read once they were on screen (H14)
    if chain.read_first() && !facts.seen(&item.subject) {
        let text = "folded: a badge says read first. Enter shows the lines above whole.";
        sheet.say("", text, Role::Warn);
        return;
    }
    let indent = std::mem::replace(&mut sheet.indent, 3);
    for line in lines {
        let bare = line.trim_start();
        // a line that is wrapped stays below its beginning
        let lead = " ".repeat(line.len() - bare.len());
        let lead = [lead.clone(), lead].map(|text| Span::ours(text, Role::Text));
        let spans = facts.shown(&Foreign::from(bare), Place::Prose, Role::Text);
        sheet.hanging(lead, &spans, true);
    }
    sheet.indent = indent;
}
