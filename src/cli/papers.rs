//! `countersign completions` and `countersign man`: printed from the same definition as help.

use std::io::{self, Write as _};

use clap_mangen::roff::{Roff, bold, roman};

use super::args;
use super::exit::{self, Exit};
use super::report::Report;

/// Prints a completion script.
///
/// # Errors
/// None today; a closed pipe is no failure.
pub fn completions(shell: clap_complete::Shell) -> Result<Exit, Report> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut args::definition(), "countersign", &mut out);
    let _ = io::stdout().lock().write_all(&out);
    Ok(Exit::Clear)
}

/// Prints the manual page: one page for all commands.
///
/// # Errors
/// When the page cannot be rendered.
pub fn man() -> Result<Exit, Report> {
    let mut out = Vec::new();
    page(&mut out).map_err(|error| Report::new(Exit::CouldNotMeasure, "man", error.to_string()))?;
    let _ = io::stdout().lock().write_all(&out);
    Ok(Exit::Clear)
}

fn page(out: &mut Vec<u8>) -> io::Result<()> {
    let mut command = args::definition();
    command.build();
    let man = clap_mangen::Man::new(command.clone());
    man.render_title(out)?;
    man.render_name_section(out)?;
    man.render_synopsis_section(out)?;
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    let mut roff = Roff::new();
    roff.control("SH", ["COMMANDS"]);
    for sub in command.get_subcommands() {
        describe(&mut roff, sub, "");
    }
    roff.control("SH", ["EXIT STATUS"]);
    for exit in Exit::ALL {
        roff.control("TP", []);
        roff.text([bold(exit.code().to_string())]);
        roff.text([roman(exit.meaning())]);
    }
    roff.control("SH", ["SCRIPTS OF KEYS"]);
    roff.text([roman(SCRIPTS)]);
    roff.to_writer(out)
}

/// One command with its own words and options, then the commands below it.
fn describe(roff: &mut Roff, command: &clap::Command, above: &str) {
    let name = format!("{above} {}", command.get_name());
    let name = name.trim_start();
    if name == "help" || command.is_hide_set() {
        return;
    }
    if command.has_subcommands() {
        for sub in command.get_subcommands() {
            if sub.get_name() != "help" {
                describe(roff, sub, name);
            }
        }
        return;
    }
    roff.control("SS", [format!("countersign {name}").as_str()]);
    if let Some(about) = command.get_about() {
        roff.text([roman(about.to_string())]);
    }
    let own = |arg: &&clap::Arg| !arg.is_global_set() && !arg.is_hide_set();
    for arg in command.get_arguments().filter(own) {
        if ["help", "version"].contains(&arg.get_id().as_str()) {
            continue;
        }
        roff.control("TP", []);
        roff.text([bold(arg.to_string())]);
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        roff.text([roman(help)]);
    }
    if let Some(rows) = exit::finer(name) {
        roff.control("PP", []);
        roff.text([roman(format!("Exit: {rows}."))]);
    }
}

/// What `demo --script` reads.
const SCRIPTS: &str = "One step a line: the name of a key (n, Enter, Ctrl-s), or \"text\" to type, \
or one of: size 100x30, the size of the screen from here on; wait WORDS, go on when the words \
stand on the screen; rest MS, let so many milliseconds pass; screen, print the screen. A line that \
begins with # is a comment. Scripts play into the built-in sample only; none decides anything real.";
