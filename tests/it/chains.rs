//! The chain audit: rules as tables, the labelled corpus, scopes, the command.

mod cache;
mod command;
mod corpus;
mod places;
mod rules;
pub(crate) mod session;
