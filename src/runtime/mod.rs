//! The shell around the pure core: terminal, loop, children, and the one match on
//! [`Effect`](crate::app::effect::Effect). It never decides a verdict.

pub mod clipboard;
pub mod clock;
pub mod editor;
pub mod guard;
pub mod hangup;
pub mod hub;
pub mod input;
pub mod screen;
