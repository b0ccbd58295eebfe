//! The books of a fix wave: files, rows, admission, closure, and the command.

mod admission;
mod command;
mod files;
mod results;
mod rows;
