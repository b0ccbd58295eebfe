//! The session as a person meets it: keys in, effects out, with a world that answers.

mod beside;
mod budgets;
mod carrying;
mod chains;
mod commands;
mod deciding;
mod hostile;
mod moving;
mod signing;
mod sitting;
mod texts;
