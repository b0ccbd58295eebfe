//! The launcher: restricts itself once, then serves CHECK after CHECK for one checkout. It must
//! stay single-threaded (Landlock binds the thread that asked for it) and never touch git.

use std::process::ExitCode;
use std::time::Duration;

use crate::model::oracle::Isolation;

use super::roles::socket_from_stdin;
use super::run::run;
use super::wall;
use super::wire::{self, Order, Setup, Word};

/// The main of a launcher: stdin is its socket.
pub(super) fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> std::io::Result<()> {
    let _ = rustix::thread::set_name(c"cs-launcher");
    let mut link = socket_from_stdin()?;
    let setup: Setup = wire::receive(&mut link)?;
    let level = Isolation::of_level(setup.level);
    let standing = match level {
        Some(level) => wall::bare().and_then(|()| wall::put_up(level, &setup)),
        None => Err(format!("there is no level {}", setup.level)),
    };
    let refused = standing.is_err();
    wire::send(&mut link, &Word::Ready(standing))?;
    if refused {
        return Ok(());
    }
    loop {
        match wire::receive(&mut link)? {
            Order::Stop => {}
            Order::Run {
                check,
                expect,
                limit_ms,
            } => {
                let limit = Duration::from_millis(limit_ms);
                let result = run(&setup, &mut link, &check, &expect.into(), limit)?;
                wire::send(&mut link, &Word::Ended(Box::new(result)))?;
            }
        }
    }
}
