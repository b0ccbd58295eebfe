//! The verify gate: the 96-row decision table over its inputs (verify-gate 1.5).
