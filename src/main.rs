//! Parse, run, exit.
fn main() -> std::process::ExitCode {
    countersign::cli::run()
}
