//! `countersign trust`.

use super::Context;
use super::args::TrustCommand;
use super::exit::Exit;
use super::report::Report;

/// Runs it.
///
/// # Errors
/// A [`Report`].
pub fn run(context: &Context, args: TrustCommand) -> Result<Exit, Report> {
    let _ = (context, args);
    Err(Report::new(Exit::Usage, "not-built", "not built yet"))
}
