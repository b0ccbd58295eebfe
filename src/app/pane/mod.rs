//! `compose(&State) -> Scene`: one file for each pane, each a pure function from state to rows.
