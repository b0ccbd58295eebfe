//! Pull requests of a forge, from the question to the worktree: a server on a socket of this
//! machine or on loopback plays the forge, and the real clients of Debian ask it.

mod asking;
mod direct;
mod gitlab;
mod heads;
mod posting;
pub(crate) mod quay;
pub(crate) mod server;
pub(crate) mod world;
