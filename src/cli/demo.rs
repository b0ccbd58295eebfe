//! `countersign demo`.

use super::Context;
use super::args::DemoArgs;
use super::exit::Exit;
use super::report::Report;

/// Runs it.
///
/// # Errors
/// A [`Report`].
pub fn run(context: &Context, args: &DemoArgs) -> Result<Exit, Report> {
    let _ = (context, args);
    Err(Report::new(Exit::Usage, "not-built", "not built yet"))
}
