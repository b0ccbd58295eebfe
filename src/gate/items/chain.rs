//! The rows of the chains pane, and what the chain gate says (rulings A1, A14).

use crate::gate::chains::session::{ChainFacts, blocks, is_skill};
use crate::gate::chains::{AuditVerdict, Said};
use crate::gate::decide::Act;
use crate::gate::dossier::{Dossier, Subject};
use crate::gate::judge::{Findings, Item, Pane, TraceResult, TraceRow};
use crate::gate::permit::{Closure, Permit, Permits, Verb};
use crate::gate::standing_facts::Facts;
use crate::model::chain::{Chain, ChainId, Severity, Status};
use crate::model::known::Known;
use crate::model::standing::Standing;

use super::{already, conflict, count};

/// How many changed files are skills; `None` while the files are not known.
fn skills(dossier: &Dossier) -> Option<usize> {
    let files = dossier.files.known()?;
    Some(files.iter().filter(|file| is_skill(file)).count())
}

/// Whether the change touches skills whose chains are still being read.
pub(in crate::gate) fn unread_yet(dossier: &Dossier) -> bool {
    matches!(dossier.chains, Known::NotSupplied) && skills(dossier).is_some_and(|n| n > 0)
}

/// Why the chain gate could not be measured; nothing when it does not apply.
pub(in crate::gate) fn unmeasured(dossier: &Dossier) -> Option<String> {
    let files = dossier.files.known()?;
    if !files.iter().any(is_skill) {
        return None;
    }
    match &dossier.chains {
        Known::Unknown(why) => Some(format!("the chains could not be read: {why}")),
        Known::Is(facts) if !facts.calibration.ok() => {
            Some("the calibration of the chain audit failed, so it reports nothing".to_owned())
        }
        Known::Is(facts) => {
            let (_, verdict) = facts.verdict(files, |_| Said::Nothing);
            let touched = files.iter().filter(|file| file.new.is_some());
            let unread = facts.unread.iter();
            let count = unread
                .filter(|(path, _)| touched.clone().any(|f| &f.path == path))
                .count();
            (verdict == AuditVerdict::HarnessError).then(|| {
                format!(
                    "{} of the change cannot be read",
                    super::count(count, "skill")
                )
            })
        }
        Known::NotApplicable(_) | Known::NotSupplied => None,
    }
}

/// One row for each chain that the change touches: open ones first, as the audit lists them.
pub(in crate::gate) fn chain_items(facts: &Facts<'_>) -> Vec<Item> {
    let (Known::Is(files), Known::Is(known)) = (&facts.dossier.files, &facts.dossier.chains) else {
        return Vec::new();
    };
    let mut chains: Vec<&Chain> = known.touched(files).collect();
    chains.sort_by_key(|chain| {
        let shown = !chain.dispatches() || chain.status == Status::Closed;
        (shown, std::cmp::Reverse(chain.severity))
    });
    let mut seen = std::collections::BTreeSet::new();
    chains.retain(|chain| seen.insert(chain.id()));
    chains.into_iter().map(|chain| item(facts, chain)).collect()
}

fn item(facts: &Facts<'_>, chain: &Chain) -> Item {
    let subject = Subject::Chain(chain.id());
    let said = facts.said(&subject);
    let shown = chain.status == Status::Closed || !chain.dispatches();
    let (standing, word, owed) = match said.now.map(|d| d.value.act()) {
        Some(Act::ChainClosed { .. }) => (Standing::Ratified, "closed by you", false),
        Some(Act::ChainAccepted { .. }) => (Standing::NotApplicable, "left open", false),
        Some(Act::KickBack { .. }) => (Standing::KickedBack, "kicked back", false),
        _ if chain.status == Status::Closed => (Standing::Ratified, "CLOSED", false),
        _ if shown => (Standing::NotApplicable, "advisory", false),
        _ if said.earlier.is_some() => (Standing::Stale, "stale", true),
        _ => (Standing::Unproven, open_word(chain), true),
    };
    let close = "mark CLOSED";
    let permits = Permits::absent(subject.clone());
    let permits = if chain.status == Status::Closed {
        permits
    } else {
        let affirm = if word == "closed by you" {
            already("it is marked closed", close)
        } else {
            Permit::Locked(close)
        };
        let accept = if word == "left open" {
            already("it is left open", accepts(chain))
        } else if chain.declared_open() || !blocks(chain) {
            Permit::Open(accepts(chain))
        } else {
            Closure::new(
                "A14",
                "it is HIGH, and no text declares the gap as intended",
                "r marks it closed by a line, b sends it back.",
            )
            .of(accepts(chain))
        };
        permits
            .with(Verb::Affirm, affirm)
            .with(Verb::SendBack, Permit::Open("kick back"))
            .with(Verb::SetAside, accept)
    };
    let mut limits = Vec::new();
    if chain.status == Status::Open {
        let flags = chain.flags.iter().filter(|flag| flag.read_first());
        limits.extend(flags.map(|flag| format!("{}: read before prescribing", flag.words())));
    }
    limits.extend(conflict(facts, &subject, &said));
    Item {
        permits,
        subject,
        pane: Pane::Chains,
        standing,
        word,
        owed,
        blocks: (owed && blocks(chain)) || standing == Standing::KickedBack,
        limits,
        badge: None,
    }
}

/// What setting aside does.
fn accepts(chain: &Chain) -> &'static str {
    if chain.declared_open() {
        "accept declared-open"
    } else {
        "leave open"
    }
}

fn open_word(chain: &Chain) -> &'static str {
    match (chain.declared_open(), chain.severity) {
        (true, _) => "declared",
        (false, Severity::High) => "OPEN high",
        (false, Severity::Medium) => "OPEN med",
        (false, Severity::Low) => "OPEN low",
    }
}

/// What people said of the chains.
fn said_of(found: &Findings<'_>, id: &ChainId) -> Said {
    let item = found
        .items
        .iter()
        .find(|item| matches!(&item.subject, Subject::Chain(i) if i == id));
    match item.map(|item| (item.standing, item.word)) {
        Some((Standing::Ratified, "closed by you")) => Said::Closed,
        Some((Standing::NotApplicable, "left open")) => Said::Declared,
        Some((Standing::KickedBack, _)) => Said::SentBack,
        Some(_) | None => Said::Nothing,
    }
}

/// The chain gate, as a row of the trace.
pub(in crate::gate) fn gate(found: &Findings<'_>) -> TraceRow {
    let row = |says: String, result: TraceResult| TraceRow {
        rule: "chains",
        says,
        result,
        ids: Vec::new(),
    };
    let dossier = found.dossier;
    let Some(n) = skills(dossier) else {
        let says = "not computed: the changed files are not known".to_owned();
        return row(says, TraceResult::Unknown);
    };
    if n == 0 {
        let says = "does not apply: the change touches no SKILL.md".to_owned();
        return row(says, TraceResult::Absent);
    }
    match &dossier.chains {
        Known::Is(facts) => judged(found, facts, &row),
        Known::NotSupplied => row(
            "the chains are still being read".to_owned(),
            TraceResult::Unknown,
        ),
        Known::Unknown(why) => row(why.to_string(), TraceResult::Unknown),
        Known::NotApplicable(why) => row(why.to_string(), TraceResult::Absent),
    }
}

fn judged(
    found: &Findings<'_>,
    facts: &ChainFacts,
    row: &dyn Fn(String, TraceResult) -> TraceRow,
) -> TraceRow {
    let files = found
        .dossier
        .files
        .known()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let (sums, verdict) = facts.verdict(files, |id| said_of(found, id));
    let known = facts.calibration.pairs.len();
    let right = facts
        .calibration
        .pairs
        .iter()
        .filter(|seen| seen.ok())
        .count();
    let says = if facts.calibration.ok() {
        let mut says = format!(
            "{}: {} of {} open",
            verdict.word(),
            sums.open(),
            count(sums.evaluated(), "chain")
        );
        for (n, what) in [
            (sums.high, "HIGH"),
            (sums.countersigned, "closed by a person"),
            (sums.accepted, "accepted as declared"),
            (sums.advisory, "advisory"),
        ] {
            if n > 0 {
                says.push_str(&format!(", {n} {what}"));
            }
        }
        says
    } else {
        format!(
            "{}: {right} of {known} known pairs are right",
            verdict.word()
        )
    };
    let result = match verdict {
        AuditVerdict::Pass => TraceResult::Clear,
        AuditVerdict::ConditionalPass => TraceResult::Nit,
        AuditVerdict::Fail => TraceResult::Fires,
        AuditVerdict::HarnessError => TraceResult::Unknown,
    };
    row(says, result)
}

/// The verdict of the chain gate in one word; `None` when it does not apply.
pub(in crate::gate) fn verdict_of(found: &Findings<'_>) -> Known<AuditVerdict> {
    let reason = |text: &str| crate::model::known::Reason::new(text);
    match (skills(found.dossier), &found.dossier.chains) {
        (None, _) => Known::NotSupplied,
        (Some(0), _) => Known::NotApplicable(reason("the change touches no SKILL.md")),
        (Some(_), Known::Is(facts)) => {
            let files = found
                .dossier
                .files
                .known()
                .map(Vec::as_slice)
                .unwrap_or_default();
            Known::Is(facts.verdict(files, |id| said_of(found, id)).1)
        }
        (Some(_), Known::Unknown(why)) => Known::Unknown(why.clone()),
        (Some(_), Known::NotApplicable(why)) => Known::NotApplicable(why.clone()),
        (Some(_), Known::NotSupplied) => Known::NotSupplied,
    }
}
