//! `countersign wave status`: where every row stands, and what may run next.

use std::path::Path;

use serde_json::json;

use super::args::BooksArgs;
use super::books::{self, Books};
use super::{document, print, progress, shown};
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::report::Report;
use crate::gate::wave::progress::Progress;
use crate::gate::wave::row::{
    Next, RowFacts, Said, Settings, Spent, Standing, escalate_after, next, said, standing,
};
use crate::model::known::Known;

/// What is asked beside the books.
pub(super) struct Asked<'a> {
    pub(super) escalate_after: Option<&'a str>,
    pub(super) model: Option<Option<String>>,
    pub(super) now: progress::Given<'a>,
}

/// Runs it.
pub(super) fn run(
    context: &Context,
    path: &Path,
    args: &BooksArgs,
    asked: Asked<'_>,
) -> Result<Exit, Report> {
    let books = books::read(context, path, args)?;
    let mut warnings = books.warnings();
    let mut settings = Settings {
        impl_model: asked.model.map_or(Known::NotSupplied, Known::Is),
        ..Settings::default()
    };
    if let Some(text) = asked.escalate_after {
        let (number, warning) = escalate_after(text);
        settings.escalate_after = number;
        warnings.extend(warning);
    }
    let said = said(&books.ledger);
    let facts: Vec<RowFacts> = books
        .ledger
        .rows
        .iter()
        .zip(&said)
        .map(|(row, said)| RowFacts::of(&books.ledger, row, said, books.misses(row)))
        .collect();
    let nexts: Vec<Next> = facts.iter().map(|facts| next(facts, &settings)).collect();
    let standing = standing(&nexts);
    let stuck = progress::of(context, books.record.as_ref(), &asked.now);
    let blocked = matches!(stuck, Some(Progress::Unchanged | Progress::Unknown(_)));
    if context.json {
        let rows = books.ledger.rows.iter().enumerate();
        let rows: Vec<_> = rows
            .filter_map(|(at, row)| {
                let item = books.spec.items.get(at);
                let (said, facts, next) = (said.get(at)?, facts.get(at)?, nexts.get(at)?);
                Some(document::row(row, item, said, facts, next))
            })
            .collect();
        let mut fields = document::of_books(&books);
        fields.push(("rows", json!(rows)));
        fields.push(("warnings", json!(warnings)));
        fields.push(("progress", progress::json(stuck.as_ref())));
        print_json(&document::document(fields));
    } else {
        let mut out = lines(&books, &said, &facts, &nexts, &warnings);
        out.extend(progress::line(books.record.as_ref(), stuck.as_ref()));
        print(&out);
    }
    Ok(match standing {
        Standing::Done => Exit::Clear,
        Standing::Open if blocked => Exit::PersonNeeded,
        Standing::Open => Exit::NotClear,
        Standing::Exhausted => Exit::PersonNeeded,
    })
}

fn lines(
    books: &Books,
    said: &[Said<'_>],
    facts: &[RowFacts],
    nexts: &[Next],
    warnings: &[String],
) -> Vec<String> {
    let ledger = &books.ledger;
    let mut out = vec![format!(
        "{} rows, {} dispatches, {} attempts allowed for each row",
        ledger.rows.len(),
        ledger.iterations,
        ledger.allowance
    )];
    if let Some(pending) = ledger.pending {
        out.push(format!(
            "row {} is under way from {}: take it up with `wave admit` before anything else",
            pending.row,
            pending.head_before.short()
        ));
    }
    for (at, row) in ledger.rows.iter().enumerate() {
        let (Some(said), Some(facts), Some(next)) = (said.get(at), facts.get(at), nexts.get(at))
        else {
            continue;
        };
        out.push(format!(
            "row {:<3} {:<6} {}/{} {:<12} {}",
            row.number,
            row.status.word(),
            row.attempts,
            facts.allowance,
            document::id_words(books.spec.items.get(at)),
            words(next, said)
        ));
    }
    if let Some(record) = &books.record {
        out.push(super::record::usage(record));
    }
    out.extend(warnings.iter().map(|warning| format!("WARNING {warning}")));
    out
}

/// What may happen to a row, in words.
fn words(next: &Next, said: &Said<'_>) -> String {
    let last = said
        .last
        .map_or_else(|| "no decision".to_owned(), |line| shown(&line.text));
    match next {
        Next::Settled => "settled".into(),
        Next::Reconcile => "under way".into(),
        Next::Exhausted(Spent::Attempts) => format!("exhausted by attempts: open - {last}"),
        Next::Exhausted(Spent::Misses) => format!("exhausted by two misses: open - {last}"),
        Next::Unknown(why) => format!("cannot be told: {why}"),
        Next::Escalate => "runs next on implModel, this attempt only".into(),
        Next::NoModel => "stuck - escalationLoop.implModel unavailable".into(),
        Next::Worker => "may run".into(),
    }
}
