//! The files that a command also runs (RUN-7): those it names, those that these name, and the
//! entry points of the build tools it calls. Approving a line is approving what it sources.

use std::collections::BTreeMap;

use git2::Repository;

use crate::model::id::Oid;

use super::bring::Listing;
use super::gitdir::{git, to_git};
use super::role::{WireAlso, WireCommand};

/// How far names are followed.
const DEPTH: usize = 3;
/// Most files that are listed.
const MOST: usize = 200;
/// Largest file that is searched for names or counted line by line.
const READ: usize = 512 << 10;

/// Build tools and the files that they take their orders from: a name anywhere in the tree, or
/// with a slash a path from the root.
const ENTRY_POINTS: [(&[&str], &[&str]); 11] = [
    (&["make", "gmake"], &["Makefile", "makefile", "GNUmakefile"]),
    (
        &[
            "npm", "npx", "yarn", "pnpm", "bun", "node", "jest", "vitest", "tsc",
        ],
        &[
            "package.json",
            "package-lock.json",
            "yarn.lock",
            "pnpm-lock.yaml",
            ".npmrc",
            "jest.config.js",
            "vitest.config.ts",
            "tsconfig.json",
        ],
    ),
    (
        &["cargo", "rustc"],
        &[
            "Cargo.toml",
            "Cargo.lock",
            "build.rs",
            "rust-toolchain",
            "rust-toolchain.toml",
            ".cargo/config.toml",
            ".cargo/config",
        ],
    ),
    (
        &[
            "python", "python3", "pytest", "tox", "nox", "uv", "poetry", "pip",
        ],
        &[
            "conftest.py",
            "setup.py",
            "setup.cfg",
            "pyproject.toml",
            "tox.ini",
            "pytest.ini",
            "noxfile.py",
            "requirements.txt",
            "sitecustomize.py",
        ],
    ),
    (&["go"], &["go.mod", "go.sum", "go.work"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (
        &["gradle", "gradlew", "./gradlew"],
        &[
            "build.gradle",
            "build.gradle.kts",
            "settings.gradle",
            "gradlew",
        ],
    ),
    (&["mvn", "mvnw", "./mvnw"], &["pom.xml", "mvnw"]),
    (
        &["rake", "bundle", "ruby", "rspec"],
        &["Rakefile", "Gemfile", "Gemfile.lock", ".rspec"],
    ),
    (&["cmake", "ctest"], &["CMakeLists.txt"]),
    (&["deno"], &["deno.json", "deno.lock"]),
];

/// Finds them for many commands in `tree`, with their lines against `base` and their sameness in
/// the tree that stands beside the command. Every tree is listed once.
pub(super) fn find(
    source: &Repository,
    tree: Oid,
    base: Oid,
    commands: &[WireCommand],
) -> std::io::Result<Vec<Vec<WireAlso>>> {
    let now = Files::of(source, tree)?;
    let before = Files::of(source, base)?;
    let mut earlier = BTreeMap::new();
    let mut counted = BTreeMap::new();
    let mut out = Vec::new();
    for (check, since) in commands {
        let since = since.map(|oid| {
            let listed = earlier.entry(oid);
            &*listed.or_insert_with(|| Files::of(source, Oid(oid)))
        });
        let mut found = Vec::new();
        now.named_by(check, b"", 0, &mut found);
        found.sort();
        let mut rows = Vec::new();
        for path in found {
            let entry = now.0.get(&path);
            let counts = match (before.0.get(&path), entry) {
                (old, new) if old == new => None,
                (old, new) => Some(
                    *counted
                        .entry((old.copied(), new.copied()))
                        .or_insert_with(|| count(source, old, new)),
                ),
            };
            let same = match since {
                None => None,
                Some(Ok(since)) => Some(since.0.get(&path) == entry),
                // The earlier tree cannot be read: nothing is known to be the same.
                Some(Err(_)) => Some(false),
            };
            rows.push((path, counts, same));
        }
        out.push(rows);
    }
    Ok(out)
}

/// What a path is in a tree: its blob and its mode. A link with the bytes of a file is another thing.
type Blob = ([u8; 20], u32);

struct Files<'r>(BTreeMap<Vec<u8>, Blob>, &'r Repository);

impl<'r> Files<'r> {
    fn of(source: &'r Repository, tree: Oid) -> std::io::Result<Self> {
        let tree = source.find_tree(to_git(tree)?).map_err(git)?;
        let mut listing = Listing::default();
        listing.collect(source, &tree, b"", 0)?;
        let entries = listing
            .entries
            .into_iter()
            .map(|e| (e.path, (e.oid, e.mode)));
        Ok(Self(entries.collect(), source))
    }

    /// Adds what `text`, standing in a file of `folder`, names.
    fn named_by(&self, text: &[u8], folder: &[u8], depth: usize, found: &mut Vec<Vec<u8>>) {
        for word in words(text) {
            if depth == 0 {
                self.entry_points(word, found);
            }
            for path in [normal(b"", word), normal(folder, word)]
                .into_iter()
                .flatten()
            {
                self.name(&path, depth, found);
            }
        }
    }

    fn name(&self, path: &[u8], depth: usize, found: &mut Vec<Vec<u8>>) {
        if found.len() >= MOST || found.iter().any(|f| f == path) {
            return;
        }
        if self.0.contains_key(path) {
            self.add(path, depth, found);
        } else if depth == 0 {
            let mut prefix = path.to_vec();
            prefix.push(b'/');
            let below: Vec<_> = self
                .0
                .range(prefix.clone()..)
                .map(|(path, _)| path)
                .take_while(|path| path.starts_with(&prefix))
                .take(MOST)
                .cloned()
                .collect();
            for path in below {
                self.add(&path, DEPTH, found);
            }
        }
    }

    fn add(&self, path: &[u8], depth: usize, found: &mut Vec<Vec<u8>>) {
        if found.len() >= MOST || found.iter().any(|f| f == path) {
            return;
        }
        found.push(path.to_vec());
        if depth < DEPTH
            && let Some(bytes) = self.read(path)
        {
            let (folder, _) = super::writer::split(path);
            self.named_by(&bytes, folder, depth + 1, found);
        }
    }

    fn entry_points(&self, word: &[u8], found: &mut Vec<Vec<u8>>) {
        let tool = word.rsplit(|b| *b == b'/').next().unwrap_or(word);
        for (tools, files) in ENTRY_POINTS {
            if !tools.iter().any(|t| t.as_bytes() == tool) {
                continue;
            }
            for path in self.0.keys() {
                let listed = files.iter().any(|file| {
                    let file = file.as_bytes();
                    path == file
                        || path.ends_with(file)
                            && path.get(path.len() - file.len() - 1) == Some(&b'/')
                });
                if listed && found.len() < MOST && !found.contains(path) {
                    self.add(path, DEPTH - 1, found);
                }
            }
        }
    }

    fn read(&self, path: &[u8]) -> Option<Vec<u8>> {
        read(self.1, &self.0.get(path)?.0)
    }
}

fn read(source: &Repository, oid: &[u8; 20]) -> Option<Vec<u8>> {
    let blob = source.find_blob(to_git(Oid(*oid)).ok()?).ok()?;
    let bytes = blob.content();
    let text = bytes.len() <= READ && !bytes.iter().take(8000).any(|b| *b == 0);
    text.then(|| bytes.to_vec())
}

/// Words of a command or script that could be paths: split at blanks, quotes and operators.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|b| !(b.is_ascii_alphanumeric() || b"._-/+@%,~".contains(b) || *b >= 0x80))
        .filter(|word| !word.is_empty() && word.len() < 1000)
}

/// A word as a path from the root; `None` when it leaves the tree.
fn normal(folder: &[u8], word: &[u8]) -> Option<Vec<u8>> {
    let mut parts: Vec<&[u8]> = folder
        .split(|b| *b == b'/')
        .filter(|p| !p.is_empty())
        .collect();
    for part in word.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join(&b'/'))
}

fn count(source: &Repository, old: Option<&Blob>, new: Option<&Blob>) -> (u32, u32) {
    let text = |blob: Option<&Blob>| {
        blob.and_then(|blob| read(source, &blob.0))
            .unwrap_or_default()
    };
    let (old, new) = (text(old), text(new));
    let input = imara_diff::InternedInput::new(
        imara_diff::sources::byte_lines(old.as_slice()),
        imara_diff::sources::byte_lines(new.as_slice()),
    );
    let diff = imara_diff::Diff::compute(imara_diff::Algorithm::Histogram, &input);
    (diff.count_additions(), diff.count_removals())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_paths_are_found_in_commands() {
        let check = b"for h in A; do sh ./tests/a.sh --x \"lib/b c\" && . ../up; done|python3 -m t";
        let found: Vec<_> = words(check).filter_map(|w| normal(b"", w)).collect();
        for wanted in [&b"tests/a.sh"[..], b"lib/b", b"python3"] {
            assert!(found.iter().any(|f| f == wanted), "{wanted:?}");
        }
        assert_eq!(
            normal(b"tests", b"../lib/x").as_deref(),
            Some(&b"lib/x"[..])
        );
        assert_eq!(normal(b"tests", b"../../x"), None);
    }
}
