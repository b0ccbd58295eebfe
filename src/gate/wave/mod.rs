//! The rules of a fix wave's books: line grammar, rows, admission, charging, closure.

pub mod lines;
pub mod row;
