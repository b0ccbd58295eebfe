//! Which deleted and added paths are one file under another name.
//!
//! Three passes: the same object; the only candidate of the same base name; and, within a
//! budget, the best score. A score is the share of common bytes among lines (mechanisms 2), and
//! a name is said to have moved from a half on, as git says.

use std::collections::HashMap;

use super::objects::Objects;
use super::walk::Difference;
use crate::model::id::Oid;

/// Most pairs of deleted and added paths that are compared by content.
const BUDGET: usize = 1_000_000;
/// Largest file whose content is compared.
const LARGEST: u64 = 8 << 20;
const LINE: usize = 64;

/// A pair: index of the deletion, index of the addition.
pub type Pair = (usize, usize);

/// Finds the pairs among `files`.
#[must_use]
pub fn pairs(objects: &Objects, files: &[Difference]) -> Vec<Pair> {
    let side = |old: bool| -> Vec<usize> {
        let wanted = |f: &Difference| match (&f.old, &f.new) {
            (Some(e), None) => old && is_file(e.mode),
            (None, Some(e)) => !old && is_file(e.mode),
            _ => false,
        };
        (0..files.len())
            .filter(|i| files.get(*i).is_some_and(wanted))
            .collect()
    };
    let mut pass = Pass {
        objects,
        files,
        gone: side(true),
        come: side(false),
        pairs: Vec::new(),
        prints: HashMap::new(),
        sizes: HashMap::new(),
    };
    if pass.gone.is_empty() || pass.come.is_empty() {
        return Vec::new();
    }
    pass.same_object();
    pass.same_name();
    pass.best_score();
    pass.pairs
}

fn is_file(mode: u32) -> bool {
    matches!(mode & 0o170_000, 0o100_000 | 0o120_000)
}

struct Pass<'a> {
    objects: &'a Objects,
    files: &'a [Difference],
    gone: Vec<usize>,
    come: Vec<usize>,
    pairs: Vec<Pair>,
    prints: HashMap<Oid, Option<Print>>,
    sizes: HashMap<Oid, u64>,
}

/// The lines of a file as (hash, length, how often), sorted.
struct Print {
    lines: Vec<(u64, u32, u32)>,
    size: u64,
}

impl Pass<'_> {
    fn oid(&self, index: usize, old: bool) -> Oid {
        let entry = self
            .files
            .get(index)
            .and_then(|f| if old { f.old } else { f.new });
        entry.map_or(Oid([0; 20]), |e| e.oid)
    }

    fn name(&self, index: usize) -> &[u8] {
        let path = self
            .files
            .get(index)
            .map_or(&b""[..], |f| f.path.as_slice());
        path.rsplit(|b| *b == b'/').next().unwrap_or(path)
    }

    fn take(&mut self, pair: Pair) {
        self.pairs.push(pair);
        self.gone.retain(|i| *i != pair.0);
        self.come.retain(|i| *i != pair.1);
    }

    fn same_object(&mut self) {
        let mut by_oid: HashMap<Oid, Vec<usize>> = HashMap::new();
        for index in &self.gone {
            by_oid
                .entry(self.oid(*index, true))
                .or_default()
                .push(*index);
        }
        let mut taken = Vec::new();
        for index in &self.come {
            let Some(from) = by_oid.get_mut(&self.oid(*index, false)) else {
                continue;
            };
            let same = from.iter().position(|g| self.name(*g) == self.name(*index));
            if !from.is_empty() {
                taken.push((from.remove(same.unwrap_or(0)), *index));
            }
        }
        self.take_all(taken);
    }

    fn take_all(&mut self, taken: Vec<Pair>) {
        let gone: std::collections::HashSet<usize> = taken.iter().map(|p| p.0).collect();
        let come: std::collections::HashSet<usize> = taken.iter().map(|p| p.1).collect();
        self.gone.retain(|i| !gone.contains(i));
        self.come.retain(|i| !come.contains(i));
        self.pairs.extend(taken);
    }

    fn same_name(&mut self) {
        let mut by_name: HashMap<Vec<u8>, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for index in &self.gone {
            by_name
                .entry(self.name(*index).to_vec())
                .or_default()
                .0
                .push(*index);
        }
        for index in &self.come {
            by_name
                .entry(self.name(*index).to_vec())
                .or_default()
                .1
                .push(*index);
        }
        let mut only: Vec<Pair> = by_name
            .into_values()
            .filter_map(|(gone, come)| match (gone.as_slice(), come.as_slice()) {
                ([a], [b]) => Some((*a, *b)),
                _ => None,
            })
            .collect();
        only.sort_unstable();
        for pair in only {
            if self.score(pair) >= 0.75 {
                self.take(pair);
            }
        }
    }

    fn best_score(&mut self) {
        if self.gone.len().saturating_mul(self.come.len()) > BUDGET {
            return;
        }
        let mut scored = Vec::new();
        for gone in self.gone.clone() {
            for come in self.come.clone() {
                let score = self.score((gone, come));
                if score >= 0.5 {
                    let same_name = self.name(gone) == self.name(come);
                    scored.push((score, same_name, gone, come));
                }
            }
        }
        scored.sort_by(|a, b| {
            let by_score = b.0.total_cmp(&a.0).then(b.1.cmp(&a.1));
            by_score.then((a.2, a.3).cmp(&(b.2, b.3)))
        });
        for (_, _, gone, come) in scored {
            if self.gone.contains(&gone) && self.come.contains(&come) {
                self.take((gone, come));
            }
        }
    }

    fn score(&mut self, (gone, come): Pair) -> f64 {
        let (a, b) = (self.oid(gone, true), self.oid(come, false));
        let (small, large) = {
            let (x, y) = (self.size(a), self.size(b));
            (x.min(y), x.max(y))
        };
        let modes = |i: usize, old: bool| {
            let entry = self
                .files
                .get(i)
                .and_then(|f| if old { f.old } else { f.new });
            entry.map_or(0, |e| e.mode & 0o170_000)
        };
        let links = modes(gone, true) != 0o100_000 || modes(come, false) != 0o100_000;
        if small == 0 || large > small.saturating_mul(2) || large > LARGEST || links {
            return 0.0;
        }
        self.print(a);
        self.print(b);
        match (self.prints.get(&a), self.prints.get(&b)) {
            (Some(Some(x)), Some(Some(y))) => common(x, y),
            _ => 0.0,
        }
    }

    fn size(&mut self, oid: Oid) -> u64 {
        let objects = self.objects;
        *self
            .sizes
            .entry(oid)
            .or_insert_with(|| objects.size(oid, "the file content").unwrap_or(0))
    }

    fn print(&mut self, oid: Oid) {
        let objects = self.objects;
        self.prints
            .entry(oid)
            .or_insert_with(|| objects.blob(oid).ok().map(|blob| print(blob.bytes())));
    }
}

fn print(bytes: &[u8]) -> Print {
    let mut lines = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let window = rest.get(..LINE).unwrap_or(rest);
        let length = memchr::memchr(b'\n', window).map_or(window.len(), |at| at + 1);
        let (line, after) = rest.split_at(length);
        rest = after;
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in line {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        lines.push((hash, u32::try_from(length).unwrap_or(u32::MAX), 1));
    }
    lines.sort_unstable();
    lines.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        if same {
            kept.2 += next.2;
        }
        same
    });
    Print {
        lines,
        size: bytes.len() as u64,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share of at most 8 MiB")]
fn common(a: &Print, b: &Print) -> f64 {
    let (mut left, mut right) = (a.lines.iter().peekable(), b.lines.iter().peekable());
    let mut bytes = 0_u64;
    while let (Some(x), Some(y)) = (left.peek(), right.peek()) {
        match (x.0, x.1).cmp(&(y.0, y.1)) {
            std::cmp::Ordering::Less => drop(left.next()),
            std::cmp::Ordering::Greater => drop(right.next()),
            std::cmp::Ordering::Equal => {
                bytes += u64::from(x.1) * u64::from(x.2.min(y.2));
                left.next();
                right.next();
            }
        }
    }
    bytes as f64 / a.size.max(b.size).max(1) as f64
}
