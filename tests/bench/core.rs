//! Figures for what must stay fast; see performance in ARCHITECTURE.md.

mod chains;
mod contract;
mod dispatch;
mod git;
mod judge;
mod ledger;
mod spec;
mod verify;

fn main() {
    divan::main();
}
