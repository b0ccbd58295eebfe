//! An inline comment before it is known which thread it belongs to.

use crate::model::id::{Oid, RepoPath};
use crate::model::known::Known;
use crate::model::thread::{Comment, Resolved, Side, Spot};

/// An inline comment that is not in a thread yet.
#[derive(Debug)]
pub(super) struct Loose {
    pub(super) comment: Comment,
    pub(super) review: Option<Box<str>>,
    pub(super) reply_to: Option<Box<str>>,
    /// Whether it answers what stands at the same place in the same review.
    pub(super) by_place: bool,
    pub(super) spot: Option<Spot>,
    pub(super) written_at: Option<Oid>,
    pub(super) resolved: Known<Resolved>,
    pub(super) outdated: Known<bool>,
}

/// A review, and a place in a file: path, side, first and last line.
pub(super) type Corner = (Box<str>, RepoPath, bool, Option<u32>, Option<u32>);

impl Loose {
    /// Where comments of one thread stand, when their place is all that tells.
    pub(super) fn place(&self) -> Option<Corner> {
        let (review, spot) = (self.review.as_ref()?, self.spot.as_ref()?);
        let left = spot.side == Side::Left;
        let (first, last) = (spot.original_start, spot.original_line);
        self.by_place
            .then(|| (review.clone(), spot.path.clone(), left, first, last))
    }
}
