//! The rules of a fix wave's books: line grammar, rows, admission, charging, closure.

pub mod admission;
pub mod charge;
pub mod closure;
pub mod commit;
pub mod events;
pub mod evidence;
pub mod guard;
pub mod lines;
pub mod native;
pub mod progress;
pub mod range;
pub mod repair;
pub mod row;
