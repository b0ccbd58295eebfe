//! The gate on a pull request that a run was asked to keep: checks, comments, what a merge still
//! needs, and the menu that follows. Nothing here merges, and nothing is picked for a person.

pub mod checks;
pub mod comments;
pub mod course;
pub mod criteria;
pub mod disposition;
pub mod facts;
pub mod ids;
pub mod menu;
pub mod merge;
pub mod report;
