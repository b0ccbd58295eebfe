//! The command line: one file for each subcommand, one table of exit codes, one report.

pub mod args;
pub mod assert;
pub mod chains;
pub mod config;
pub mod contract;
pub mod demo;
pub mod doctor;
pub mod evidence;
pub mod exit;
pub mod floor;
pub mod floor_run;
pub mod json;
pub mod ledger;
pub mod menu;
pub mod oracles;
pub mod outcome;
pub mod papers;
pub mod place;
pub mod post;
pub mod pulls;
pub mod queue;
pub mod replies;
pub mod report;
pub mod report_lint;
pub mod review;
pub mod signals;
pub mod sitting;
pub mod spec;
pub mod threads;
pub mod trust;
pub mod verify;
pub mod wave;

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::FromArgMatches as _;
use clap::error::ErrorKind;

use args::{Cli, Command};
use exit::Exit;
use report::Report;

use crate::runtime::lines;

/// What every command gets.
#[derive(Clone, Debug)]
pub struct Context {
    /// The folder it runs in.
    pub dir: std::path::PathBuf,
    /// One JSON document instead of text.
    pub json: bool,
    /// When to color.
    pub color: args::When,
}

/// Parses the command line, runs the command and prints its failure.
#[must_use]
pub fn run() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if words.len() == 1 {
        return obey(Cli::bare());
    }
    let words = with_default_command(words);
    let cli = match parsed(&words) {
        Ok(cli) => cli,
        Err(error) => return misused(&error, wants_json(&words)).into(),
    };
    obey(cli)
}

fn obey(cli: Cli) -> ExitCode {
    if let None | Some(Command::Review(_) | Command::Demo(_)) = cli.command {
        crate::adapters::reader::ahead();
    }
    let context = Context {
        dir: cli.dir.unwrap_or_else(|| ".".into()),
        json: cli.json,
        color: cli.color,
    };
    let command = cli
        .command
        .unwrap_or(Command::Review(args::ReviewArgs::default()));
    match dispatch(&context, command) {
        Ok(exit) => exit.into(),
        Err(report) => {
            report.print(context.json);
            report.exit.into()
        }
    }
}

/// Reads the line. The tables of exit codes are made only for a line that prints help: they cost
/// more than the rest of the parser, before every first frame.
fn parsed(words: &[OsString]) -> Result<Cli, clap::Error> {
    use clap::CommandFactory as _;
    match Cli::command().try_get_matches_from(words) {
        Ok(matches) => Cli::from_arg_matches(&matches),
        Err(_) => Cli::from_arg_matches(&args::definition().try_get_matches_from(words)?),
    }
}

/// Help and version go to stdout; a line that is not understood to stderr, and with `--json` as
/// a document to stdout as well.
fn misused(error: &clap::Error, json: bool) -> Exit {
    if !error.use_stderr() {
        let _ = error.print();
        return Exit::Clear;
    }
    let _ = write!(lines::stderr(), "{error}");
    if json {
        let said = error.to_string();
        let message = match error.kind() {
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => "a subcommand is missing",
            _ => said.lines().next().unwrap_or_default(),
        };
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let report = Report::new(Exit::Usage, "usage", message)
            .hint("look at what `--help` says about this command");
        json::print_json(&report.to_json());
    }
    Exit::Usage
}

/// Whether `--json` was asked for, on a line that could not be read.
fn wants_json(words: &[OsString]) -> bool {
    let options = words.iter().take_while(|word| *word != "--");
    options.into_iter().any(|word| word == "--json")
}

fn dispatch(context: &Context, command: Command) -> Result<Exit, Report> {
    match command {
        Command::Review(args) => review::run(context, &args),
        Command::Demo(args) => demo::run(context, &args),
        Command::Contract(command) => contract::run(context, command),
        Command::Floor(command) => floor::run(context, command),
        Command::Threads(args) => threads::run(context, &args),
        Command::Verify(args) => verify::run(context, &args),
        Command::Post(args) => post::run(context, &args),
        Command::Trust(command) => trust::run(context, command),
        Command::Menu(command) => menu::run(context, &command),
        Command::Report(command) => report_lint::run(context, &command),
        Command::Chains(args) => chains::run(context, &args),
        Command::Assert(args) => assert::run(context, &args),
        Command::Queue(args) => queue::run(context, &args),
        Command::Spec(command) => spec::run(context, &command),
        Command::Ledger(command) => ledger::run(context, command),
        Command::Wave(command) => wave::run(context, &command),
        Command::Config(command) => config::run(context, &command),
        Command::Doctor => doctor::run(context),
        Command::Completions { shell } => papers::completions(shell),
        Command::Man => papers::man(),
    }
}

/// `countersign DIR` and `countersign --base X` mean `countersign review ...`: when the first
/// word that is no global flag is not a subcommand, `review` is put before it (rulings A25).
fn with_default_command(mut words: Vec<OsString>) -> Vec<OsString> {
    use clap::CommandFactory as _;
    if words.len() < 2 {
        return words;
    }
    let command = Cli::command();
    let mut at = 1;
    while let Some(word) = words.get(at).and_then(|w| w.to_str()) {
        match word {
            "-C" | "--color" => at += 2,
            "--json" => at += 1,
            _ if word.starts_with("--color=") || (word.starts_with("-C") && word.len() > 2) => {
                at += 1;
            }
            "-h" | "--help" | "-V" | "--version" | "help" => return words,
            _ if command.find_subcommand(word).is_some() => return words,
            _ => {
                words.insert(at, "review".into());
                return words;
            }
        }
    }
    if at < words.len() {
        words.insert(at, "review".into());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_words_says_what_the_parser_would_say() {
        let parsed = parsed(&["countersign".into()]).map(|cli| format!("{cli:?}"));
        assert_eq!(parsed.ok(), Some(format!("{:?}", Cli::bare())));
    }

    #[test]
    fn the_default_command_is_review() {
        let rows = [
            ("countersign", "countersign"),
            ("countersign .", "countersign review ."),
            ("countersign --base main", "countersign review --base main"),
            (
                "countersign -C x --json wt",
                "countersign -C x --json review wt",
            ),
            ("countersign demo", "countersign demo"),
            ("countersign --help", "countersign --help"),
            ("countersign -C demo queue", "countersign -C demo queue"),
        ];
        for (typed, wanted) in rows {
            let words = typed.split(' ').map(OsString::from).collect();
            let got: Vec<_> = with_default_command(words)
                .into_iter()
                .filter_map(|w| w.into_string().ok())
                .collect();
            assert_eq!(got.join(" "), wanted, "{typed}");
        }
    }
}
