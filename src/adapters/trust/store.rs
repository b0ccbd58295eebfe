//! The file of approvals: JSON lines, mode 0600 in a folder 0700, appended to under a lock.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::adapters::folders;
use crate::model::id::{Digest, Oid, RepoPath};

use super::{Binding, Consent, place_word};

/// Largest file that is read.
const FILE_BYTES: u64 = 16 << 20;

/// Why approvals cannot be read or made.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// Not at the controlling terminal.
    #[error("an approval needs a person at this process's terminal")]
    NoTerminal,
    /// The file is not safely the person's own.
    #[error("{path} {why}: its approvals do not count")]
    Unsafe {
        /// The file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// A line cannot be read.
    #[error("{path} line {line} cannot be read: its approvals do not count")]
    Damaged {
        /// The file.
        path: String,
        /// 1-based.
        line: usize,
    },
    /// The file system failed.
    #[error("approvals: {0}")]
    Io(#[from] io::Error),
}

/// One approval.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Approval {
    /// Its name: the first 12 hex digits of what it binds.
    pub id: String,
    /// What it binds.
    pub binds: Digest,
    /// The same without tree and contract.
    pub identity: Digest,
    /// SHA-256 that names the repository.
    pub repository: Digest,
    /// The contract.
    pub contract: RepoPath,
    /// The criterion.
    pub criterion: String,
    /// SHA-256 of CHECK.
    pub command: Digest,
    /// SHA-256 of EXPECT.
    pub expect: Digest,
    /// SHA-256 of the contract without its EVIDENCE values.
    pub contract_blob: Digest,
    /// The tree.
    pub tree: Oid,
    /// `checkout` or `live`.
    pub place: String,
    /// The level of isolation.
    pub isolation: u8,
    /// When, in UTC; for people, never for order.
    pub granted: String,
}

/// What was approved before for the same criterion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Before {
    /// Exactly this.
    This(Approval),
    /// The same command under the same conditions, for another tree or contract text: one key
    /// renews it when nothing that it also runs differs (K15).
    OtherTree(Approval),
    /// Something else under this name.
    OtherBytes(Approval),
    /// Nothing.
    Never,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Line {
    Approved(Box<ApprovedLine>),
    Revoked { binds: String },
}

#[derive(Serialize, Deserialize)]
struct ApprovedLine {
    v: u32,
    binds: String,
    identity: String,
    repository: String,
    contract: Vec<u8>,
    criterion: String,
    command: String,
    expect: String,
    contract_blob: String,
    tree: String,
    place: String,
    shell: String,
    environment: Vec<String>,
    isolation: u8,
    granted: String,
}

/// The approvals that stand.
#[derive(Debug)]
pub struct Approvals {
    path: PathBuf,
    list: Vec<Approval>,
}

impl Approvals {
    /// Reads the approvals below the state folder; a file that does not exist holds none.
    ///
    /// # Errors
    /// When the file is not safely the person's own, damaged, or unreadable. Nothing counts then.
    pub fn open(state: &Path) -> Result<Self, TrustError> {
        let path = state.join("trust").join("approvals.jsonl");
        let mut all = Self {
            path,
            list: Vec::new(),
        };
        all.reload()?;
        Ok(all)
    }

    /// Reads the file again.
    ///
    /// # Errors
    /// As [`Approvals::open`].
    pub fn reload(&mut self) -> Result<(), TrustError> {
        self.list.clear();
        let file = match open_options().open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        self.check_safe(&file)?;
        let mut text = String::new();
        file.take(FILE_BYTES).read_to_string(&mut text)?;
        let mut list: Vec<Approval> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            match serde_json::from_str(line).ok().and_then(read_line) {
                Some(Read::Approved(approval)) => {
                    let approval = *approval;
                    list.retain(|a| a.binds != approval.binds);
                    list.push(approval);
                }
                Some(Read::Revoked(binds)) => list.retain(|a| a.binds != binds),
                None => {
                    return Err(TrustError::Damaged {
                        path: self.path.display().to_string(),
                        line: index + 1,
                    });
                }
            }
        }
        self.list = list;
        Ok(())
    }

    /// Every approval that stands, oldest first.
    #[must_use]
    pub fn list(&self) -> &[Approval] {
        &self.list
    }

    /// Where they are kept, to tell whether a run changed them (RUN-24).
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The approval that allows exactly this.
    #[must_use]
    pub fn covers(&self, binding: &Binding) -> Option<&Approval> {
        let binds = binding.digest();
        self.list.iter().find(|a| a.binds == binds)
    }

    /// What was approved before for this criterion.
    #[must_use]
    pub fn before(&self, binding: &Binding) -> Before {
        if let Some(approval) = self.covers(binding) {
            return Before::This(approval.clone());
        }
        let identity = binding.identity();
        let newest = |wanted: &dyn Fn(&Approval) -> bool| {
            self.list.iter().rev().find(|a| wanted(a)).cloned()
        };
        if let Some(approval) = newest(&|a| a.identity == identity) {
            return Before::OtherTree(approval);
        }
        let same_name = newest(&|a| {
            a.repository == binding.repository
                && a.contract == binding.contract
                && a.criterion == binding.criterion.as_str()
        });
        same_name.map_or(Before::Never, Before::OtherBytes)
    }

    /// The ids of all criteria that some approval names: what need not be looked at is not.
    #[must_use]
    pub fn criteria(&self) -> std::collections::BTreeSet<&str> {
        self.list.iter().map(|a| a.criterion.as_str()).collect()
    }

    /// Stores an approval, fsynced before it returns.
    ///
    /// # Errors
    /// When it cannot be stored safely.
    pub fn grant(&mut self, binding: &Binding, _: &Consent) -> Result<Approval, TrustError> {
        let line = Line::Approved(Box::new(ApprovedLine {
            v: 1,
            binds: binding.digest().to_string(),
            identity: binding.identity().to_string(),
            repository: binding.repository.to_string(),
            contract: binding.contract.as_bytes().to_vec(),
            criterion: binding.criterion.to_string(),
            command: binding.command.to_string(),
            expect: binding.expect.to_string(),
            contract_blob: binding.contract_blob.to_string(),
            tree: binding.tree.to_string(),
            place: place_word(binding.place).into(),
            shell: binding.shell.clone(),
            environment: binding.environment.clone(),
            isolation: binding.isolation.level(),
            granted: jiff::Timestamp::now()
                .strftime("%Y-%m-%d %H:%M")
                .to_string(),
        }));
        self.append(&[line])?;
        self.covers(binding)
            .cloned()
            .ok_or_else(|| TrustError::Io(io::Error::other("the approval cannot be read back")))
    }

    /// Takes back the approvals that `which` names; how many there were.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub fn revoke(&mut self, which: impl Fn(&Approval) -> bool) -> Result<usize, TrustError> {
        let lines: Vec<_> = self
            .list
            .iter()
            .filter(|a| which(a))
            .map(|a| Line::Revoked {
                binds: a.binds.to_string(),
            })
            .collect();
        if !lines.is_empty() {
            self.append(&lines)?;
        }
        Ok(lines.len())
    }

    fn append(&mut self, lines: &[Line]) -> Result<(), TrustError> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        folders::private(folder)?;
        let mut options = open_options();
        let mut file = options
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&self.path)?;
        self.check_safe(&file)?;
        file.lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let mut out = String::new();
        if !text.is_empty() && !text.ends_with('\n') {
            return Err(TrustError::Damaged {
                path: self.path.display().to_string(),
                line: text.lines().count(),
            });
        }
        for line in lines {
            out.push_str(&serde_json::to_string(line).map_err(io::Error::other)?);
            out.push('\n');
        }
        file.write_all(out.as_bytes())?;
        file.sync_all()?;
        File::open(folder)?.sync_all()?;
        drop(file);
        self.reload()
    }

    fn check_safe(&self, file: &File) -> Result<(), TrustError> {
        let facts = file.metadata()?;
        let ours = rustix::process::geteuid().as_raw();
        let why = if !facts.is_file() {
            "is no file"
        } else if facts.uid() != ours {
            "belongs to another user"
        } else if facts.mode() & 0o077 != 0 {
            "can be read or written by others"
        } else if facts.len() > FILE_BYTES {
            "is too large"
        } else {
            return Ok(());
        };
        Err(TrustError::Unsafe {
            path: self.path.display().to_string(),
            why: why.into(),
        })
    }
}

fn open_options() -> fs::OpenOptions {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut options = File::options();
    options.read(true).custom_flags(flags.bits() as i32);
    options
}

enum Read {
    Approved(Box<Approval>),
    Revoked(Digest),
}

fn read_line(line: Line) -> Option<Read> {
    match line {
        Line::Revoked { binds } => Digest::parse(&binds).map(Read::Revoked),
        Line::Approved(line) => {
            let binds = Digest::parse(&line.binds)?;
            Some(Read::Approved(Box::new(Approval {
                id: binds.short(),
                binds,
                identity: Digest::parse(&line.identity)?,
                repository: Digest::parse(&line.repository)?,
                contract: RepoPath::new(line.contract),
                criterion: line.criterion,
                command: Digest::parse(&line.command)?,
                expect: Digest::parse(&line.expect)?,
                contract_blob: Digest::parse(&line.contract_blob)?,
                tree: Oid::parse(&line.tree)?,
                place: line.place,
                isolation: line.isolation,
                granted: line.granted,
            })))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::id::CriterionId;
    use crate::model::oracle::{Isolation, RunPlace};
    use std::os::unix::fs::PermissionsExt as _;

    fn binding() -> Binding {
        Binding {
            repository: Digest::of(b"repository"),
            contract: RepoPath::from("contract.md"),
            criterion: CriterionId::ordinal(1),
            command: Digest::of(b"make test"),
            expect: Digest::of(b"ok"),
            contract_blob: Digest::of(b"contract"),
            tree: Oid([1; 20]),
            place: RunPlace::Checkout,
            shell: "/bin/bash".into(),
            environment: vec!["PATH".into()],
            isolation: Isolation::Session,
        }
    }

    #[test]
    fn any_difference_asks_again() {
        let home = tempfile::tempdir().expect("a folder");
        let mut all = Approvals::open(home.path()).expect("opens");
        let granted = binding();
        assert_eq!(all.before(&granted), Before::Never);
        all.grant(&granted, &Consent::for_test()).expect("granted");
        let rows: [(&str, Binding); 11] = [
            (
                "repository",
                Binding {
                    repository: Digest::of(b"x"),
                    ..binding()
                },
            ),
            (
                "contract",
                Binding {
                    contract: "other.md".into(),
                    ..binding()
                },
            ),
            (
                "criterion",
                Binding {
                    criterion: CriterionId::ordinal(2),
                    ..binding()
                },
            ),
            (
                "command",
                Binding {
                    command: Digest::of(b"make test "),
                    ..binding()
                },
            ),
            (
                "expect",
                Binding {
                    expect: Digest::of(b"o"),
                    ..binding()
                },
            ),
            (
                "blob",
                Binding {
                    contract_blob: Digest::of(b"y"),
                    ..binding()
                },
            ),
            (
                "tree",
                Binding {
                    tree: Oid([2; 20]),
                    ..binding()
                },
            ),
            (
                "place",
                Binding {
                    place: RunPlace::Live,
                    ..binding()
                },
            ),
            (
                "shell",
                Binding {
                    shell: "/usr/bin/bash".into(),
                    ..binding()
                },
            ),
            (
                "environment",
                Binding {
                    environment: vec!["PATH".into(), "X".into()],
                    ..binding()
                },
            ),
            (
                "isolation",
                Binding {
                    isolation: Isolation::Files,
                    ..binding()
                },
            ),
        ];
        for (what, other) in rows {
            assert!(all.covers(&other).is_none(), "{what}");
            let renewable = matches!(all.before(&other), Before::OtherTree(_));
            assert_eq!(renewable, matches!(what, "tree" | "blob"), "{what}");
        }
        let again = Approvals::open(home.path()).expect("opens");
        assert!(matches!(again.before(&granted), Before::This(_)));
    }

    #[test]
    fn a_file_that_others_can_touch_counts_for_nothing() {
        let home = tempfile::tempdir().expect("a folder");
        let mut all = Approvals::open(home.path()).expect("opens");
        all.grant(&binding(), &Consent::for_test())
            .expect("granted");
        for mode in [0o666, 0o640, 0o604] {
            fs::set_permissions(all.path(), fs::Permissions::from_mode(mode)).expect("chmod");
            assert!(
                matches!(Approvals::open(home.path()), Err(TrustError::Unsafe { .. })),
                "{mode:o}"
            );
        }
        fs::set_permissions(all.path(), fs::Permissions::from_mode(0o600)).expect("chmod");
        let real = home.path().join("elsewhere");
        fs::rename(all.path(), &real).expect("moved");
        std::os::unix::fs::symlink(&real, all.path()).expect("linked");
        assert!(Approvals::open(home.path()).is_err());
    }

    #[test]
    fn what_is_taken_back_is_gone_and_damage_is_said() {
        let home = tempfile::tempdir().expect("a folder");
        let mut all = Approvals::open(home.path()).expect("opens");
        let approval = all
            .grant(&binding(), &Consent::for_test())
            .expect("granted");
        assert_eq!(all.revoke(|a| a.id == approval.id).expect("revoked"), 1);
        assert!(
            Approvals::open(home.path())
                .expect("opens")
                .list()
                .is_empty()
        );
        fs::write(all.path(), "{\"kind\":\"approved\"}\n").expect("written");
        assert!(matches!(
            Approvals::open(home.path()),
            Err(TrustError::Damaged { line: 1, .. })
        ));
    }

    #[test]
    fn without_a_terminal_there_is_no_consent() {
        let file = File::open("/dev/null").expect("opens");
        assert!(Consent::at_terminal(&[&file]).is_err());
        assert!(Consent::at_terminal(&[]).is_err());
    }
}
