//! Gate messages: their marker and menu, and what a reply means (verdict-menus 1).
//!
//! Everything here is total: any bytes are a message, any text is a reply.

pub mod chase;
pub mod given;
pub mod invariants;
pub mod levers;
pub mod read;
pub mod recheck;
pub mod reply;
mod rows;
pub(in crate::gate) mod words;

pub use read::read;
pub use reply::{Binding, Scope, reply};

/// The gate of a verdict.
pub const VERDICT_MENU: &str = "chase-bug/verdict-menu";
/// The gate that asks for more fix rounds.
pub const FIX_ROUNDS: &str = "verification-before-completion/step-6";
/// The row that stays visible when it cannot be picked, and takes `as a PR`.
pub const HOTFIX: &str = "Implement hotfix now";
