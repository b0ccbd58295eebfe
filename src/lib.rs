//! The terminal where a person puts the last signature under work that coding agents did.
//!
#![doc = include_str!("../ARCHITECTURE.md")]

#[cfg(not(target_os = "linux"))]
compile_error!("countersign is built for Linux: elsewhere none of its walls around a check stands");

pub mod adapters;
pub mod app;
pub mod cli;
pub mod config;
pub mod gate;
pub mod ledger;
pub mod model;
pub mod plain;
pub mod runtime;
pub mod view;
