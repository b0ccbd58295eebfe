//! What is named like a skill and is none, or was not read whole.

use crate::model::id::RepoPath;

/// Why a file called `SKILL.md` is no skill that was read, or only in part.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Problem {
    /// It is a folder.
    Folder,
    /// It is a link; what it leads to is not looked at.
    Link,
    /// It is a device, a FIFO or a socket.
    Special,
    /// It cannot be read; why.
    Unreadable(String),
    /// Bytes of it are no text; they were read as `U+FFFD`.
    NotUtf8,
    /// The same bytes as another file, which is the one that counts.
    Mirror(RepoPath),
    /// The working tree no longer holds it.
    Deleted,
    /// It lies elsewhere now.
    Renamed(RepoPath),
    /// It is named like one, and is none.
    OtherName,
}

impl Problem {
    /// The kind, as a word of JSON.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Folder => "directory",
            Self::Link => "link",
            Self::Special => "special",
            Self::Unreadable(_) => "unreadable",
            Self::NotUtf8 => "not-utf8",
            Self::Mirror(_) => "mirror",
            Self::Deleted => "deleted",
            Self::Renamed(_) => "renamed",
            Self::OtherName => "other-name",
        }
    }

    /// What it is, as a fragment.
    #[must_use]
    pub fn says(&self) -> String {
        let shown = |path: &RepoPath| path.foreign().shown(crate::model::text::Place::Strict);
        match self {
            Self::Folder => "is a directory".to_owned(),
            Self::Link => "is a link, which is not followed".to_owned(),
            Self::Special => "is no regular file".to_owned(),
            Self::Unreadable(why) => format!("cannot be read: {why}"),
            Self::NotUtf8 => {
                "is not UTF-8; the bytes that are no text are read as marks".to_owned()
            }
            Self::Mirror(of) => format!("is the same as {}", shown(of)),
            Self::Deleted => "is deleted".to_owned(),
            Self::Renamed(to) => format!("is now {}", shown(to)),
            Self::OtherName => "is not named exactly SKILL.md".to_owned(),
        }
    }

    /// Whether the audit misses something because of it.
    #[must_use]
    pub fn unread(&self) -> bool {
        matches!(self, Self::Unreadable(_))
    }
}
