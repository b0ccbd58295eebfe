//! Pull requests of a forge, from the question to the worktree: a server on a Unix socket of this
//! machine plays the forge, and the real client of Debian asks it.

mod asking;
mod posting;
pub(crate) mod server;
pub(crate) mod world;
