//! `countersign doctor`.

use super::Context;
use super::exit::Exit;
use super::report::Report;

/// Runs it.
///
/// # Errors
/// A [`Report`].
pub fn run(context: &Context) -> Result<Exit, Report> {
    let _ = context;
    Err(Report::new(Exit::Usage, "not-built", "not built yet"))
}
