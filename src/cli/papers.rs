//! `countersign completions` and `countersign man`: printed from the same definition as help.

use std::io::Write as _;

use clap::CommandFactory as _;

use super::args::Cli;
use super::exit::Exit;
use super::report::Report;

/// Prints a completion script.
///
/// # Errors
/// None today; a closed pipe is no failure.
pub fn completions(shell: clap_complete::Shell) -> Result<Exit, Report> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "countersign", &mut out);
    let _ = std::io::stdout().lock().write_all(&out);
    Ok(Exit::Clear)
}

/// Prints the manual page.
///
/// # Errors
/// When the page cannot be rendered.
pub fn man() -> Result<Exit, Report> {
    let mut out = Vec::new();
    clap_mangen::Man::new(Cli::command())
        .render(&mut out)
        .map_err(|error| Report::new(Exit::CouldNotMeasure, "man", error.to_string()))?;
    let _ = std::io::stdout().lock().write_all(&out);
    Ok(Exit::Clear)
}
