//! The terminal where a person puts the last signature under work that coding agents did.
//!
#![doc = include_str!("../ARCHITECTURE.md")]

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
