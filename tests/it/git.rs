//! Git as a person has it: odd layouts, odd files, hostile repositories, and what the reader
//! says of each.

mod beside;
mod contracts;
mod hostile;
mod layouts;
mod mixed;
mod movement;
mod opening;
pub(crate) mod repo;
mod same_as_git;
