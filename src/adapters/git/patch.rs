//! What two trees differ in, as a digest that does not depend on where in a file the lines stand:
//! two commits of one digest change the same, whatever they are based on.

use std::ops::Range;
use std::rc::Rc;

use sha2::{Digest as _, Sha256};

use super::GitError;
use super::hunks::{self, Effort};
use super::lines::{Store, Text};
use super::walk::{self, Difference};
use crate::model::change::Entry;
use crate::model::id::Oid;

/// Most paths that are compared.
const PATHS: usize = 2_000;

/// The digest of what lies between two trees; `None` when nothing does.
pub(super) fn of(
    store: &mut Store,
    old: Option<Oid>,
    new: Oid,
) -> Result<Option<[u8; 32]>, GitError> {
    let mut changed: Vec<Difference> = Vec::new();
    walk::differences(store.objects(), old, Some(new), &mut |difference| {
        changed.push(difference);
        changed.len() <= PATHS
    })?;
    if changed.is_empty() {
        return Ok(None);
    }
    let mut hasher = Sha256::new();
    let mut put = |bytes: &[u8]| {
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    for difference in &changed {
        put(&difference.path);
        let mode = |entry: Option<Entry>| entry.map_or(0, |e| e.mode);
        put(&mode(difference.old).to_le_bytes());
        put(&mode(difference.new).to_le_bytes());
        let text = [difference.old, difference.new];
        let regular = |mode: u32| mode & 0o170_000 == 0o100_000;
        if !text.iter().flatten().all(|e| regular(e.mode)) {
            text.iter().flatten().for_each(|e| put(&e.oid.0));
            continue;
        }
        let [old, new] = text.map(|entry| entry.map(|e| store.load(e.oid)));
        let (old, new) = (old.transpose()?, new.transpose()?);
        let left = old.as_ref().map_or(&b""[..], |t| t.bytes());
        let right = new.as_ref().map_or(&b""[..], |t| t.bytes());
        for hunk in &hunks::hunks(left, right, Effort::Best).hunks {
            let lines = |text: &Option<Rc<Text>>, range: Range<u32>| {
                let whole = |n| text.as_ref().and_then(|t| t.whole(n)).unwrap_or(b"");
                range.flat_map(|n| whole(n).to_vec()).collect::<Vec<u8>>()
            };
            put(&lines(&old, hunk.before.clone()));
            put(&lines(&new, hunk.after.clone()));
        }
    }
    Ok(Some(hasher.finalize().into()))
}
