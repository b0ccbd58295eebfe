//! What the items add up to: which inputs of the decision table are settled, which a person can
//! still change, and every verdict that is left (rulings A1, A2, K03).

use crate::model::ruling::Verdict;

use super::verify::table::{Caller, Inputs, Row, row, row_c};

/// The sums.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// A circuit breaker.
    pub(super) breaker: bool,
    /// The round.
    pub(super) round: u32,
    /// A criterion is MISSING, whatever the person does about the others.
    pub(super) missing: bool,
    /// Criteria that are resolved.
    pub(super) resolved: usize,
    /// Criteria that the person can still resolve.
    pub(super) open_criteria: usize,
    /// Abandonments of the contract that nobody answered.
    pub(super) unaccepted: usize,
    /// A file was escalated.
    pub(super) escalated: bool,
    /// A criterion or an edit was called wrong.
    pub(super) wrong: bool,
    /// Something that is no criterion went back to the agent: a declined file, an edit of the
    /// contract, an assertion. It enters the ruling, not the verify verdict (A1).
    pub(super) sent_back: bool,
    /// Items that are no criteria and are undecided.
    pub(super) open_others: usize,
    /// Who asks.
    pub(super) caller: Caller,
    /// One of T2 to T6 fires.
    pub(super) review_t: bool,
    /// A malformed minor is there.
    pub(super) mm: bool,
    /// Triggers of the review that only a person can tell.
    pub(super) open_review: usize,
    /// Chains that are owed, or still being read: they enter the ruling, not the verify verdict.
    pub(super) owed_chains: usize,
    /// HIGH chains of touched skills that are open and that nobody closed (A1).
    pub(super) chains_open: usize,
    /// The change touches specs that are still being read: they enter the ruling, not the verify
    /// verdict.
    pub(super) spec_unread: bool,
    /// The spec gate has work for the agent (A1).
    pub(super) spec_back: bool,
    /// The spec gate needs a person: Clearance, or an edit that cannot be classified (A1).
    pub(super) spec_up: bool,
    /// Facts that are still being read.
    pub(super) reading: bool,
    /// A criterion passes against the evidence.
    pub(super) overridden: bool,
}

/// One way in which things can end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct End {
    t: bool,
    c: bool,
    back: bool,
    up: bool,
}

impl Tally {
    /// Every verdict of the verify gate that is left, laxest first.
    pub(super) fn verify(&self) -> Vec<Verdict> {
        self.verdicts(|end| self.word(self.row(end.t, end.c)))
    }

    /// Every ruling that is left, laxest first.
    pub(super) fn ruling(&self) -> Vec<Verdict> {
        self.verdicts(|end| self.ruled(self.row(end.t || end.back, end.c), end.up))
    }

    /// What it is when it is signed as it stands: everything undecided counts as not done.
    pub(super) fn signed(&self) -> Verdict {
        let open = self.open_criteria > 0 || self.reading || self.open_review > 0;
        let t = self.settled_t() || open || self.resolved == 0;
        let read = self.owed_chains == 0 && !self.spec_unread;
        let back = self.goes_back() || self.open_others > 0 || !read;
        let c = row_c(self.escalated, self.wrong, self.unaccepted > 0);
        self.ruled(self.row(t || back, c), self.spec_up)
    }

    /// T1 and row C's input when everything undecided counts as not done; an abandonment nobody
    /// accepted prints as MISSING as well (A2).
    pub(super) fn signed_parts(&self) -> (bool, bool) {
        let open = self.open_criteria > 0 || self.unaccepted > 0 || self.reading;
        let t1 = self.settled_t1() || open || self.resolved == 0;
        (t1, row_c(self.escalated, self.wrong, self.unaccepted > 0))
    }

    /// The row of the verify gate when everything undecided counts as not done.
    pub(super) fn signed_row(&self) -> Row {
        let (t1, c) = self.signed_parts();
        self.row(t1 || self.review_t || self.open_review > 0, c)
    }

    /// Whether the agent has work, whatever the criteria say.
    pub(super) fn goes_back(&self) -> bool {
        self.sent_back || self.chains_open > 0 || self.spec_back
    }

    /// The row on what is settled, for the trace.
    pub(super) fn settled_row(&self) -> Row {
        self.row(self.settled_t(), self.settled_c())
    }

    /// Whether one of T1 to T6 fires on what is settled.
    pub(super) fn settled_t(&self) -> bool {
        self.settled_t1() || self.review_t
    }

    /// Whether T1 fires on what is settled.
    pub(super) fn settled_t1(&self) -> bool {
        let hope = self.open_criteria > 0 || self.unaccepted > 0 || self.reading;
        self.missing || (self.resolved == 0 && !hope)
    }

    /// Whether row C's input holds on what is settled.
    pub(super) fn settled_c(&self) -> bool {
        row_c(self.escalated, self.wrong, false)
    }

    fn row(&self, t: bool, c: bool) -> Row {
        row(Inputs {
            breaker: self.breaker,
            caller: self.caller,
            round: self.round,
            se: c,
            t,
            mm: self.mm,
        })
    }

    /// A row's verdict. What was overridden never sums to APPROVED (A2, product.md) and is up to
    /// somebody with the authority, whatever else is wrong: more failing is never laxer.
    fn word(&self, row: Row) -> Verdict {
        if self.overridden {
            row.verdict().max(Verdict::Escalate)
        } else {
            row.verdict()
        }
    }

    /// The same as a ruling: what the spec gate leaves to a person is never laxer than that.
    fn ruled(&self, row: Row, up: bool) -> Verdict {
        let word = self.word(row);
        if up {
            word.max(Verdict::Escalate)
        } else {
            word
        }
    }

    fn verdicts(&self, word: impl Fn(End) -> Verdict) -> Vec<Verdict> {
        let open = self.open_criteria > 0 || self.open_review > 0;
        let may_t = open || self.unaccepted > 0 || self.reading;
        let others = self.open_others > 0 || self.reading;
        let may_back = others || self.owed_chains > 0 || self.spec_unread;
        // an open criterion may still be called wrong (K03); a thread or a waiver may not
        let may_c = self.open_criteria > 0 || self.unaccepted > 0 || others;
        let mut out = Vec::new();
        for t in options(self.settled_t(), may_t) {
            for c in options(self.settled_c(), may_c) {
                for back in options(self.goes_back(), may_back) {
                    for up in options(self.spec_up, self.spec_unread) {
                        out.push(word(End { t, c, back, up }));
                    }
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// What an input is, and what it can still become: triggers come, they do not go.
fn options(settled: bool, may: bool) -> impl Iterator<Item = bool> {
    [settled, settled || may].into_iter()
}
