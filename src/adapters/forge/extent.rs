//! How much of a list is here, and what proves it: a short last page, a count, a flag, a header.

use std::collections::{BTreeMap, HashSet};

use crate::model::known::Reason;
use crate::model::thread::Completeness;

/// How much of one list is here, as far as the files tell.
#[derive(Default, Debug)]
pub(super) struct Extent {
    seen: bool,
    loaded: u32,
    of: Option<u32>,
    /// Lengths of pages, in the order they came.
    pages: Vec<usize>,
    sizes: &'static [usize],
    /// What a connection or our own format said last: whether that was the end.
    ended: Option<bool>,
    cursors: HashSet<String>,
    /// What headers said of each list: how many are here, how many there are, whether more come.
    lists: BTreeMap<String, (u32, Option<u32>, bool)>,
    doubts: Vec<&'static str>,
    unreadable: Option<String>,
}

impl Extent {
    /// A page of a list.
    pub(super) fn page(&mut self, length: usize, sizes: &'static [usize], said: Option<&Paging>) {
        self.seen = true;
        self.pages.push(length);
        self.sizes = sizes;
        self.add(length);
        if let Some(Paging { list, more, total }) = said {
            let length = u32::try_from(length).unwrap_or(u32::MAX);
            let known = self.lists.entry(list.clone()).or_default();
            known.0 = known.0.saturating_add(length);
            known.1 = total.or(known.1);
            known.2 = *more;
            let all = self.lists.values();
            self.ended = Some(all.clone().all(|(_, _, more)| !more));
            // what is missing of one list is not made up for by another
            self.of = all
                .map(|(here, total, _)| total.map(|total| total.max(*here)))
                .sum();
        }
    }

    /// A whole list, by an interface that follows all pages itself.
    pub(super) fn whole(&mut self, length: usize) {
        self.seen = true;
        self.ended = Some(true);
        self.add(length);
    }

    /// A page of a connection.
    pub(super) fn connection(&mut self, length: usize, info: &PageInfo) {
        self.seen = true;
        self.add(length);
        self.of = info.total.or(self.of);
        if let Some(cursor) = &info.cursor
            && info.more == Some(true)
            && !self.cursors.insert(cursor.clone())
        {
            self.doubt("the same page came twice");
        }
        self.ended = match info.more {
            Some(more) => Some(!more),
            None if info.total.is_some() => None,
            None => {
                self.doubt("neither pageInfo nor totalCount says where it ends");
                None
            }
        };
    }

    /// What our own format says of a list.
    pub(super) fn said(&mut self, length: usize, complete: Option<bool>, of: Option<u32>) {
        self.seen = true;
        self.add(length);
        self.of = of;
        if complete.is_none() {
            self.doubt("the file does not say whether it is complete");
        }
        self.ended = complete;
    }

    /// Whether a file held any of it.
    pub(super) fn seen(&self) -> bool {
        self.seen
    }

    fn add(&mut self, length: usize) {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        self.loaded = self.loaded.saturating_add(length);
    }

    pub(super) fn doubt(&mut self, why: &'static str) {
        self.seen = true;
        if !self.doubts.contains(&why) {
            self.doubts.push(why);
        }
    }

    pub(super) fn unreadable(&mut self, why: &str) {
        self.unreadable = Some(why.to_owned());
    }

    /// Whether nothing of it was seen, or nothing speaks against all of it being here.
    pub(super) fn whole_or_none(&self) -> bool {
        matches!(
            self.state(usize::MAX, None),
            Completeness::Complete | Completeness::NotSupplied
        )
    }

    /// Whether the last page may not be the last: it is as full as pages get.
    fn full(&self) -> bool {
        let Some((last, before)) = self.pages.split_last() else {
            return false;
        };
        let alone = before.is_empty();
        let size = |size: &usize| {
            if alone {
                last % size == 0
            } else {
                last == size
            }
        };
        let longest = before.iter().max().copied().unwrap_or(usize::MAX);
        *last > 0 && (self.sizes.iter().any(size) || *last >= longest)
    }

    /// What is proven: `have` comments are here, `count` is what the forge counts of them.
    pub(super) fn state(&self, have: usize, count: Option<u32>) -> Completeness {
        if let Some(why) = &self.unreadable {
            return Completeness::Unreadable(Reason::new(why.as_str()));
        }
        if !self.seen {
            return Completeness::NotSupplied;
        }
        let have = u32::try_from(have).unwrap_or(u32::MAX);
        let missing = count
            .filter(|count| *count > have)
            .map(|count| (have, count))
            .or_else(|| {
                let of = self.of.filter(|of| *of > self.loaded);
                of.map(|of| (self.loaded, of))
            });
        let partial = |why: &str| Completeness::Partial {
            loaded: missing.map_or(self.loaded, |(loaded, _)| loaded),
            of: missing.map(|(_, of)| of).or(self.of),
            why: Reason::new(why),
        };
        if let Some(doubt) = self.doubts.first() {
            partial(doubt)
        } else if missing.is_some() {
            partial("the forge counts more")
        } else if self.ended == Some(false) {
            partial("it says that there is more")
        } else if count.is_none() && self.of.is_none() && self.ended.is_none() && self.full() {
            partial("a full last page need not be the last")
        } else {
            Completeness::Complete
        }
    }
}

/// What an answer says of its page, outside of its body.
#[derive(Clone, Debug)]
pub(super) struct Paging {
    /// Which list it is a page of.
    pub(super) list: String,
    pub(super) more: bool,
    pub(super) total: Option<u32>,
}

/// What a connection says of its pages.
#[derive(Default, Debug)]
pub(super) struct PageInfo {
    pub(super) more: Option<bool>,
    pub(super) cursor: Option<String>,
    pub(super) total: Option<u32>,
}
