//! Who may sign: a list in OpenSSH's form of allowed signers. The first of these that is named or
//! there counts, and it alone: the file that our config names; the repository's own as it stands
//! at the base; the file that the person's git config names. Never one of the head.

use std::fs;
use std::path::{Path, PathBuf};

use super::armor;
use crate::model::known::Known;
use crate::model::text::Foreign;

/// The repository's own list, read at the merge base.
pub const FILE: &str = ".countersign.signers";

/// Largest list.
const LARGEST: u64 = 4 * 1024 * 1024;

/// A list of signers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct List {
    text: Vec<u8>,
    /// Where it was found, fit to be shown.
    pub found_in: String,
}

impl List {
    /// A list of these bytes.
    #[must_use]
    pub fn new(text: impl Into<Vec<u8>>, found_in: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            found_in: found_in.into(),
        }
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Whether a line of it names this key. What the line allows is `ssh-keygen`'s to say.
    #[must_use]
    pub fn holds(&self, public: &[u8]) -> bool {
        let text = String::from_utf8_lossy(&self.text);
        let named = |line: &str| {
            let mut words = line.split_ascii_whitespace();
            words.any(|word| armor::from_base64(word).as_deref() == Some(public))
        };
        let lines = text.lines().map(str::trim);
        lines.filter(|line| !line.starts_with('#')).any(named)
    }
}

/// Finds the list. `config` is the path in our own configuration, `base` the repository's list.
///
/// # Errors
/// Why the list that counts cannot be read, in words; then there is none.
pub fn list(config: Option<&str>, base: &Known<Foreign>) -> Result<Option<List>, String> {
    let home = etcetera::home_dir().ok();
    let git = home
        .iter()
        .flat_map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    let git: Vec<PathBuf> = git.collect();
    list_among(config, base, &git, home.as_deref())
}

fn list_among(
    config: Option<&str>,
    base: &Known<Foreign>,
    git_configs: &[PathBuf],
    home: Option<&Path>,
) -> Result<Option<List>, String> {
    if let Some(path) = config.map(str::trim).filter(|path| !path.is_empty()) {
        return file(path, home, "countersign's config").map(Some);
    }
    match base {
        Known::Is(text) => return Ok(Some(List::new(text.raw(), format!("{FILE} of the base")))),
        Known::Unknown(why) => return Err(format!("{FILE} of the base: {why}")),
        Known::NotApplicable(_) | Known::NotSupplied => {}
    }
    let named = git_configs.iter().find_map(|config| {
        fs::metadata(config).ok().filter(fs::Metadata::is_file)?;
        let config = git2::Config::open(config).ok()?;
        config.get_string("gpg.ssh.allowedsignersfile").ok()
    });
    match named {
        Some(path) => file(&path, home, "the global git config").map(Some),
        None => Ok(None),
    }
}

fn file(path: &str, home: Option<&Path>, named_in: &str) -> Result<List, String> {
    let full = match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_), None) | (None, _) => PathBuf::from(path),
    };
    let told = |why: &str| Err(format!("the list of signers in {named_in}: {why}"));
    if !full.is_absolute() {
        return told("its path must be absolute, or begin with ~/");
    }
    let facts = fs::metadata(&full).ok();
    if !facts.is_some_and(|facts| facts.is_file() && facts.len() <= LARGEST) {
        return told("it is not there, or no file of a fitting size");
    }
    match fs::read(&full) {
        Ok(text) => Ok(List::new(text, format!("the list named in {named_in}"))),
        Err(error) => told(&error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::known::Reason;

    #[test]
    fn the_persons_own_list_counts_then_the_bases_then_the_one_of_their_git_config() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let own = at("own", "ada ssh-ed25519 AAAA\n");
        let global = at("global", "");
        let git = format!(
            "[gpg \"ssh\"]\n\tallowedSignersFile = {}\n",
            global.display()
        );
        let git = [at("git", &git)];
        let base = Known::Is(Foreign::from("bo ssh-ed25519 BBBB\n"));
        let none = Known::NotApplicable(Reason::new("not there"));
        let own = own.to_str();
        let found = |config, base: &Known<Foreign>, git: &[PathBuf]| {
            let found = list_among(config, base, git, Some(folder.path()));
            found.map(|list| list.map(|list| list.found_in))
        };
        let says = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(
            found(own, &base, &git),
            says("the list named in countersign's config")
        );
        assert_eq!(
            found(None, &base, &git),
            says(".countersign.signers of the base")
        );
        assert_eq!(
            found(None, &none, &git),
            says("the list named in the global git config")
        );
        assert_eq!(found(None, &none, &[]), Ok(None));
        // What was named and cannot be read is no reason to take a weaker one.
        assert!(found(Some("/no/such"), &base, &git).is_err());
        let unknown = Known::Unknown(Reason::new("damaged"));
        assert!(found(None, &unknown, &git).is_err());
    }
}
