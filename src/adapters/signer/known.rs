//! Good seals, remembered: `ssh-keygen` is asked once for each and not once in every process.
//!
//! A name is the digest of list, message and signature, so that another list, another line or
//! another signature is another question. What depends on the time of the check is never
//! remembered, nor is anything but a good answer. The folder is the person's own and as private as
//! the anchors: whoever can write there needs no seal.

use std::fs;
use std::path::{Path, PathBuf};

use crate::adapters::folders;
use crate::ledger::seal::Vouch;
use crate::model::id::Digest;
use crate::model::ruling::Assurance;

/// Where the answers about seals under one list are kept; none where they may change with time.
#[derive(Debug)]
pub(super) struct Remembered(Option<PathBuf>);

impl Remembered {
    /// For answers by this list.
    pub(super) fn of(folder: &Path, list: &[u8]) -> Self {
        let list = String::from_utf8_lossy(list).to_ascii_lowercase();
        // a certificate has a time of its own
        let timed = list.contains("valid-") || list.contains("cert-authority");
        Self((!timed).then(|| folder.join("known")))
    }

    /// The answer that was given before.
    pub(super) fn get(&self, name: &Digest) -> Option<Vouch> {
        let file = self.0.as_ref()?.join(name.to_string());
        let text = fs::read_to_string(file).ok()?;
        let (level, key) = text.strip_suffix('\n')?.split_once(' ')?;
        let level = match level {
            "L2" => Assurance::Signed,
            "L3" => Assurance::Touched,
            _ => return None,
        };
        key.starts_with("SHA256:")
            .then(|| Vouch::Good(level, key.to_owned()))
    }

    /// Keeps a good answer. One that cannot be kept is asked for again.
    pub(super) fn put(&self, name: &Digest, found: &Vouch) {
        let (Some(folder), Vouch::Good(level, key)) = (&self.0, found) else {
            return;
        };
        let text = format!("{} {key}\n", level.label());
        let made = folders::private(folder).and_then(|()| {
            let new = folder.join(format!("{name}.{}.new", std::process::id()));
            fs::write(&new, text)?;
            fs::rename(new, folder.join(name.to_string()))
        });
        drop(made);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_good_answers_that_no_time_changes_are_kept() {
        let home = tempfile::tempdir().expect("a folder");
        let (one, two) = (Digest::of(b"1"), Digest::of(b"2"));
        let good = Vouch::Good(Assurance::Touched, "SHA256:abc".into());
        let known = Remembered::of(home.path(), b"ada ssh-ed25519 AAAA");
        assert_eq!(known.get(&one), None);
        known.put(&one, &good);
        assert_eq!(known.get(&one), Some(good.clone()));
        for bad in [
            Vouch::Bad("no".into()),
            Vouch::NotListed("no".into()),
            Vouch::Unchecked("no".into()),
        ] {
            known.put(&two, &bad);
            assert_eq!(known.get(&two), None);
        }
        for option in [
            "valid-before=\"2030\"",
            "Valid-After=\"2020\"",
            "cert-authority",
        ] {
            let list = format!("ada {option} ssh-ed25519 AAAA");
            let timed = Remembered::of(home.path(), list.as_bytes());
            assert_eq!(timed.get(&one), None);
            timed.put(&two, &good);
            assert_eq!(known.get(&two), None);
        }
        // A file that somebody broke is no answer.
        let file = home.path().join("known").join(one.to_string());
        for text in ["", "L3", "L3 SHA256:abc", "L4 SHA256:abc\n", "L3 abc\n"] {
            fs::write(&file, text).expect("written");
            assert_eq!(known.get(&one), None, "{text:?}");
        }
    }
}
