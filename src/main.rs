//! Parse, run, exit. A hidden first word makes this file one of its own children instead.

use std::process::ExitCode;

fn main() -> ExitCode {
    match countersign::adapters::role_of_this_process() {
        Some(role) => role(),
        None => countersign::cli::run(),
    }
}
