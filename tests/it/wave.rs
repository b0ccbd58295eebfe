//! The books of a fix wave: files, rows, admission, closure, guards, the gate, and the command.

mod admission;
mod closure;
mod command;
mod draw;
mod events;
mod files;
mod gatekeep;
mod guard;
mod results;
mod review;
mod rows;
