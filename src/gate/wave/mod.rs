//! The rules of a fix wave's books: line grammar, rows, admission.

pub mod admission;
pub mod commit;
pub mod evidence;
pub mod lines;
pub mod row;
