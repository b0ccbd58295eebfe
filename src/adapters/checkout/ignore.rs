//! Which untracked files the tree's own `.gitignore` files call ignored. The rules come from the
//! pinned tree, never from the checkout, where a CHECK could plant anything.
//!
//! A rule that cannot be read ignores nothing: the file is then reported, which is the safe side.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use globset::{GlobBuilder, GlobMatcher};

/// The rules of one tree.
#[derive(Debug, Default)]
pub(super) struct Ignores {
    /// By folder, outermost first.
    folders: Vec<(Vec<u8>, Vec<Rule>)>,
}

#[derive(Debug)]
struct Rule {
    glob: GlobMatcher,
    keeps: bool,
    folder_only: bool,
    /// Against the path from the rule's folder; else against the last component alone.
    anchored: bool,
}

impl Ignores {
    /// Reads the `.gitignore` files of a tree: folder (without a slash at the end, empty for the
    /// root) and bytes.
    #[must_use]
    pub(super) fn read(files: &[(Vec<u8>, Vec<u8>)]) -> Self {
        let mut folders: Vec<_> = files
            .iter()
            .map(|(folder, bytes)| {
                let lines = bytes.split(|b| *b == b'\n');
                (folder.clone(), lines.filter_map(rule).collect())
            })
            .collect();
        folders.sort_by_key(|(folder, _): &(Vec<u8>, Vec<Rule>)| folder.len());
        Self { folders }
    }

    /// Whether a path is ignored, given that no folder above it is.
    #[must_use]
    pub(super) fn ignores(&self, path: &[u8], is_folder: bool) -> bool {
        let mut ignored = false;
        let name = path.rsplit(|b| *b == b'/').next().unwrap_or(path);
        for (folder, rules) in &self.folders {
            let below = match path.strip_prefix(folder.as_slice()) {
                Some(rest) if folder.is_empty() => rest,
                Some([b'/', rest @ ..]) => rest,
                _ => continue,
            };
            for rule in rules {
                let text = if rule.anchored { below } else { name };
                if (is_folder || !rule.folder_only) && rule.glob.is_match(OsStr::from_bytes(text)) {
                    ignored = !rule.keeps;
                }
            }
        }
        ignored
    }
}

fn rule(line: &[u8]) -> Option<Rule> {
    let mut text = std::str::from_utf8(line.strip_suffix(b"\r").unwrap_or(line)).ok()?;
    while text.ends_with(' ') && !text.ends_with("\\ ") {
        text = text.strip_suffix(' ')?;
    }
    if text.is_empty() || text.starts_with('#') {
        return None;
    }
    let keeps = text.starts_with('!');
    let text = text.strip_prefix('!').unwrap_or(text);
    let folder_only = text.ends_with('/');
    let text = text.strip_suffix('/').unwrap_or(text);
    let anchored = text.contains('/');
    let text = text.strip_prefix('/').unwrap_or(text);
    if text.is_empty() {
        return None;
    }
    // Braces mean nothing in `.gitignore`.
    let text = text.replace('{', "\\{").replace('}', "\\}");
    let glob = GlobBuilder::new(&text)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .ok()?
        .compile_matcher();
    Some(Rule {
        glob,
        keeps,
        folder_only,
        anchored,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_mean_what_they_mean_to_git() {
        let root = b"# comment\n\ntarget/\n*.log\n!keep.log\n/only-root\nsrc/gen/*.rs\n**/deep\nlogs/**\na{b}\n\\#name\nend \\ \n".to_vec();
        let nested = b"!x.log\nlocal\n".to_vec();
        let ignores = Ignores::read(&[(b"sub".to_vec(), nested), (Vec::new(), root)]);
        let rows: [(&str, bool, bool); 19] = [
            ("target", true, true),
            ("target", false, false),
            ("a/target", true, true),
            ("x.log", false, true),
            ("a/b/x.log", false, true),
            ("keep.log", false, false),
            ("sub/x.log", false, false),
            ("sub/local", false, true),
            ("local", false, false),
            ("only-root", false, true),
            ("a/only-root", false, false),
            ("src/gen/a.rs", false, true),
            ("src/gen/b/a.rs", false, false),
            ("x/src/gen/a.rs", false, false),
            ("p/q/deep", false, true),
            ("logs/a/b", false, true),
            ("a{b}", false, true),
            ("ab", false, false),
            ("#name", false, true),
        ];
        for (path, folder, wanted) in rows {
            assert_eq!(ignores.ignores(path.as_bytes(), folder), wanted, "{path}");
        }
    }
}
