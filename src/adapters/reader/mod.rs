//! The reader: a child process of the same binary that reads git and colors code.
//!
//! It can be killed at any time without loss. Whatever a hostile repository does to it (hang on
//! a FIFO, fill its memory, crash a library), the main process sees a late or missing answer,
//! kills it, starts another, and does not ask the same thing again. It writes nothing and has no
//! terminal.

pub mod child;
pub mod client;
mod colors;
mod files;
pub mod gherkin;
pub mod highlight;
mod job;
mod keeper;
mod peek;
mod process;
mod reply;
mod stream;
pub mod wire;

pub use client::{Effort, Line, Order, Question, Reader, Reply, Run, Token, TokenKind};
pub use process::ahead;

/// The hidden first argument that makes the binary a reader.
pub const ROLE: &str = "__reader";
