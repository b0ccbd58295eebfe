//! One test binary: what a user sees, through the public surface. Rules are tested where they live.

mod app;
mod attacks;
mod chains;
mod chase;
mod checkout;
mod cli;
mod contract;
mod corpus;

mod demo;
mod dependencies;
mod floor;
mod floor_run;
mod floor_table;
mod forge;
mod fuzz;
mod gate;
mod git;
mod ledger;
mod lints;
mod menu;
mod oracle;
mod plain;
mod pty;
mod report;
mod requirements;
mod scenes;
mod spec;
mod splice;
mod support;
mod tamper;
mod threads;
mod tidy;
mod truth;
pub(crate) mod verify;
mod wave;
