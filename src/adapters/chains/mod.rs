//! Skills on disk: which files a scope names, what stands in them, and the profiles.
//!
//! Every file is read at most once and never through a link. What cannot be read is named with
//! its kind and never ends the audit.

pub mod cache;
pub mod gather;
pub mod kept;
pub mod problem;
pub mod profile;
pub mod scope;
