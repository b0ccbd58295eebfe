//! Review threads: how files are read, what comments weigh, when they are dealt with.

mod anchors;
mod command;
mod graphs;
mod reading;
mod recorded;
mod rounds;
mod rules;
