//! The shell around the pure core: terminal, loop, children, and the one match on
//! [`Effect`](crate::app::effect::Effect). It never decides a verdict.

pub mod clerk;
pub mod clipboard;
pub mod clock;
pub mod core;
pub mod deliver;
pub mod desk;
pub mod earlier;
pub mod editor;
pub mod edits;
pub mod guard;
pub mod hangup;
pub mod hub;
pub mod input;
pub mod keyboard;
pub mod lines;
pub mod lister;
mod looking;
pub mod looks;
pub mod messages;
pub mod opening;
pub mod oracles;
mod others;
pub mod page;
pub mod play;
pub mod policy;
mod recording;
pub mod request;
pub mod screen;
pub mod script;
pub mod seal;
pub mod session;
pub mod signals;
pub mod since;
pub mod typist;
pub mod worker;
