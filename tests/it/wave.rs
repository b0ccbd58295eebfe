//! The books of a fix wave: files, rows, admission, closure, and the command.

mod command;
mod files;
mod rows;
