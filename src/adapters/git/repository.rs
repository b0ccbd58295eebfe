//! What names a repository (rulings A12): its remote, else its oldest root commit, else its
//! folder.

use std::os::unix::ffi::OsStrExt as _;

use super::place::Place;
use crate::model::id::{Digest, Oid};
use crate::model::snapshot::RepositoryBy;

/// The name of a repository.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The id.
    pub id: Digest,
    /// What it was made from.
    pub by: RepositoryBy,
    /// A short name for the screen.
    pub short: Vec<u8>,
}

/// Names the repository. `root` is asked only when there is no usable remote.
///
/// # Errors
/// Whatever `root` says.
pub fn name<E>(
    place: &Place,
    base: &[u8],
    root: impl FnOnce() -> Result<Option<Oid>, E>,
) -> Result<Name, E> {
    let folder = place
        .worktree
        .file_name()
        .map(std::os::unix::ffi::OsStrExt::as_bytes);
    let folder = folder.unwrap_or(b"repository").to_vec();
    if let Some(url) = remote(place, base)
        .map(normalised)
        .filter(|u| !u.is_empty())
    {
        let parts: Vec<&[u8]> = url.rsplitn(3, |b| *b == b'/').collect();
        let short = match parts.as_slice() {
            [last, owner, _] if !owner.is_empty() => [owner, &b"/"[..], last].concat(),
            [last, ..] => last.to_vec(),
            [] => folder,
        };
        return Ok(Name {
            id: Digest::of(&url),
            by: RepositoryBy::Remote,
            short,
        });
    }
    Ok(match root()? {
        Some(root) => Name {
            id: Digest::of(root.to_string().as_bytes()),
            by: RepositoryBy::Root,
            short: folder,
        },
        None => Name {
            id: Digest::of(place.commondir.as_os_str().as_bytes()),
            by: RepositoryBy::Folder,
            short: folder,
        },
    })
}

/// The URL of the remote that the base comes from, else of `origin`, else of the only one.
#[must_use]
pub fn remote<'a>(place: &'a Place, base: &[u8]) -> Option<&'a [u8]> {
    let remotes = place.config.subsections("remote");
    let of_base = remotes.iter().copied().find(|name| {
        let after = base.strip_prefix(b"refs/remotes/").unwrap_or(base);
        after
            .strip_prefix(*name)
            .is_some_and(|rest| rest.starts_with(b"/"))
    });
    let origin = remotes.iter().copied().find(|name| *name == b"origin");
    let only = match remotes.as_slice() {
        [only] => Some(*only),
        _ => None,
    };
    let name = of_base.or(origin).or(only)?;
    place.config.sub("remote", name, "url")
}

/// One form for all the ways to write a remote: no scheme, no user, no password, no default
/// port, host in lower case, no `.git`, no `/` at the end.
#[must_use]
pub fn normalised(url: &[u8]) -> Vec<u8> {
    let url = url.trim_ascii();
    let scheme = memchr::memmem::find(url, b"://");
    let (kind, rest) = match scheme {
        Some(at) => (
            url.get(..at).unwrap_or_default(),
            url.get(at + 3..).unwrap_or_default(),
        ),
        None => (&b""[..], url),
    };
    let slash = memchr::memchr(b'/', rest).unwrap_or(rest.len());
    let colon = memchr::memchr(b':', rest).filter(|at| *at < slash);
    let (host, path) = match (kind, colon) {
        (b"" | b"file", None) => (&b""[..], rest),
        (b"", Some(at)) => (&rest[..at], &rest[at + 1..]),
        _ => rest.split_at(slash),
    };
    let host = memchr::memrchr(b'@', host).map_or(host, |at| &host[at + 1..]);
    let host = match kind {
        b"https" => host.strip_suffix(b":443").unwrap_or(host),
        b"http" => host.strip_suffix(b":80").unwrap_or(host),
        b"ssh" => host.strip_suffix(b":22").unwrap_or(host),
        b"git" => host.strip_suffix(b":9418").unwrap_or(host),
        _ => host,
    };
    let mut path = path;
    while let Some(shorter) = path.strip_suffix(b"/") {
        path = shorter;
    }
    path = path.strip_suffix(b".git").unwrap_or(path);
    while let Some(shorter) = path.strip_suffix(b"/") {
        path = shorter;
    }
    if host.is_empty() {
        return path.to_vec();
    }
    let path = path.trim_ascii_start();
    let path = path.strip_prefix(b"/").unwrap_or(path);
    [&host.to_ascii_lowercase(), &b"/"[..], path].concat()
}

#[cfg(test)]
mod tests {
    use super::normalised;

    #[test]
    fn one_repository_has_one_name_however_its_remote_is_written() {
        for url in [
            "https://forge.example/harbor/ferry.git",
            "https://me:secret@Forge.Example:443/harbor/ferry/",
            "git@forge.example:harbor/ferry.git",
            "ssh://git@forge.example:22/harbor/ferry",
            "git://forge.example/harbor/ferry.git/",
        ] {
            let got = normalised(url.as_bytes());
            assert_eq!(
                String::from_utf8_lossy(&got),
                "forge.example/harbor/ferry",
                "{url}"
            );
        }
        for (url, wanted) in [
            ("/srv/git/ferry.git", "/srv/git/ferry"),
            ("file:///srv/git/ferry.git/", "/srv/git/ferry"),
            ("../ferry", "../ferry"),
            ("ssh://forge.example:2222/ferry", "forge.example:2222/ferry"),
            ("", ""),
            ("/", ""),
        ] {
            let got = normalised(url.as_bytes());
            assert_eq!(String::from_utf8_lossy(&got), wanted, "{url}");
        }
    }
}
