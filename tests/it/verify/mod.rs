//! The verify gate from its inputs to the printed verdict.

mod build;
mod bundles;
mod compare;
mod evidence;
mod given;
mod papers;
pub(crate) mod rules;
