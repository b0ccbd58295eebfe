//! `countersign assert`: an agent records its own verdict. It is provisional, `by: agent`, waits
//! in the queue for a person, and can never count as a decision.

use std::io::Write as _;

use serde_json::json;

use super::Context;
use super::args::AssertArgs;
use super::exit::Exit;
use super::json::print_json;
use super::ledger::words::{shown, snapshot_json};
use super::place::{self, Here};
use super::report::Report;
use super::spec;
use crate::adapters::ledger_store::{LedgerStore, Receipt, new_id};
use crate::adapters::who;
use crate::gate::decide::TEXT_LIMIT;
use crate::gate::dossier::Assertion;
use crate::ledger::entry::{Body, Opened};
use crate::model::text::Foreign;
use crate::runtime::lines;

/// The gates that an assertion may speak about, with what one of them still needs.
const GATES: [&str; 6] = ["floor", "verify", "chains", "spec", "impl", "triage"];

/// What the reason of a spec assertion must speak of (H18).
const SPEC_WORDS: [&str; 4] = ["floor", "blast", "novelty", "confidence"];

/// Runs it.
///
/// # Errors
/// A [`Report`]: exit 1 when the assertion is refused, with every reason at once.
pub fn run(context: &Context, args: &AssertArgs) -> Result<Exit, Report> {
    let complaints = complaints(context, args);
    if !complaints.is_empty() {
        let mut report = Report::new(
            Exit::NotClear,
            "refused",
            format!("the assertion is refused: {}", complaints.join("; ")),
        );
        report
            .hints
            .push(format!("use one of the gates {}", GATES.join(", ")));
        return Err(report);
    }
    let here = place::here(&context.dir)?;
    let receipt = record(context, args, &here)?;
    if context.json {
        print_json(&json!({
            "schema": "countersign/assertion/1",
            "id": receipt.entry.to_string(),
            "number": receipt.number,
            "by": "agent",
            "gate": args.gate,
            "subject": args.subject,
            "verdict": args.verdict,
            "why": args.why,
            "snapshot": snapshot_json(&here.snapshot),
        }));
    } else {
        let mut out = lines::stdout();
        let _ = writeln!(
            out,
            "recorded as {}: {} {} {}, by agent at {}; it waits for a person",
            receipt.entry.short(),
            args.gate,
            shown(&args.subject),
            shown(&args.verdict),
            here.snapshot.head.short()
        );
    }
    Ok(Exit::Clear)
}

/// Everything that is wrong with it.
fn complaints(context: &Context, args: &AssertArgs) -> Vec<String> {
    let mut all = Vec::new();
    if !GATES.contains(&args.gate.as_str()) {
        all.push(format!("there is no gate {}", shown(&args.gate)));
    }
    let texts = [
        ("subject", &args.subject),
        ("verdict", &args.verdict),
        ("why", &args.why),
    ];
    for (name, text) in texts {
        if Foreign::from(text.as_str())
            .shown(crate::model::text::Place::Prose)
            .plain()
            .trim()
            .is_empty()
        {
            all.push(format!("{name} is empty"));
        }
        if text.len() > TEXT_LIMIT {
            all.push(format!("{name} is over {TEXT_LIMIT} bytes"));
        }
    }
    if ["spec", "impl"].contains(&args.gate.as_str()) {
        let why = args.why.to_lowercase();
        let absent: Vec<&str> = SPEC_WORDS
            .into_iter()
            .filter(|word| !why.contains(word))
            .collect();
        if !absent.is_empty() {
            all.push(format!("why does not speak of {}", absent.join(", ")));
        }
        // refused whenever approving would be closed (H18)
        if args.verdict.trim().to_lowercase().starts_with("approve") {
            all.extend(spec::approve_is_closed(context));
        }
    }
    all
}

fn record(context: &Context, args: &AssertArgs, here: &Here) -> Result<Receipt, Report> {
    let not_recorded = |why: String| {
        Report::new(Exit::CouldNotMeasure, "not-recorded", why)
            .hint("free space or permissions in the state folder, then try again")
    };
    let store = LedgerStore::new(&place::folders()?, here.repository);
    let opened = Opened {
        repository: here.repository,
        change: here.change.clone(),
        snapshot: here.snapshot.clone(),
        contract: None,
        request: None,
        by: None,
        agent_marks: who::agent_marks(),
        own_work: false,
    };
    let assertion = Assertion {
        gate: args.gate.clone(),
        subject: Foreign::from(args.subject.as_str()),
        verdict: Foreign::from(args.verdict.as_str()),
        why: Foreign::from(args.why.as_str()),
        head: here.snapshot.head,
    };
    let mut writer = store
        .writer(&store.load(&here.change), opened)
        .map_err(|error| not_recorded(error.to_string()))?;
    let still = || match place::here(&context.dir) {
        Ok(now) if now.snapshot.head == here.snapshot.head => Ok(()),
        Ok(_) => Err("the head moved meanwhile".to_owned()),
        Err(report) => Err(report.message),
    };
    let id = new_id().map_err(|error| not_recorded(error.to_string()))?;
    let receipt = writer
        .append(id, Body::Assertion(assertion), still)
        .map_err(|error| not_recorded(error.to_string()))?;
    // Only `queue` wants it, to say where the change lies.
    let _ = store.remember(&here.name, &here.change, &here.worktree);
    Ok(receipt)
}
