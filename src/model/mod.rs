//! The nouns of countersign: plain values, no IO, no clock, no wire format.
//!
//! Everything here can be built in a test with a literal. What came from outside is a
//! [`Foreign`](text::Foreign); what may be missing is a [`Known`](known::Known).

pub mod chain;
pub mod change;
pub mod contract;
pub mod disguise;
pub mod evidence;
pub mod finding;
pub mod forge;
pub mod format;
pub mod hidden;
pub mod id;
pub mod known;
pub mod menu;
pub mod oracle;
pub mod ruling;
pub mod scope;
pub mod snapshot;
pub mod spec;
pub mod standing;
pub mod text;
pub mod thread;
pub mod wave;
