//! The person's signing key: from our config, the environment, or their own git config; never from
//! a repository's (rulings K19).

use std::fs;
use std::path::{Path, PathBuf};

use super::armor;
use crate::model::ruling::Assurance;

/// The variable that names a key for one sitting.
const VARIABLE: &str = "COUNTERSIGN_SIGNING_KEY";

/// Largest file that is taken for a key.
const LARGEST: u64 = 64 * 1024;

/// A key that can sign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// What `ssh-keygen -f` gets.
    pub(super) file: KeyFile,
    /// The public half.
    pub(super) public: Vec<u8>,
    kind: String,
    quiet: bool,
}

/// Where the key lies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum KeyFile {
    /// A private key, or a public one whose other half an agent holds.
    Path(PathBuf),
    /// A public key written out in the setting (`key::`): the agent holds the other half.
    Written(String),
}

impl Key {
    /// Its fingerprint, as `ssh-keygen -l` prints it.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        armor::fingerprint(&self.public)
    }

    /// The bytes of its public half.
    #[must_use]
    pub fn public(&self) -> &[u8] {
        &self.public
    }

    /// What a signature by it is worth at most.
    #[must_use]
    pub fn reach(&self) -> Assurance {
        if armor::is_hardware(&self.kind) {
            Assurance::Touched
        } else {
            Assurance::Signed
        }
    }

    /// Whether it signs without a word to the person: no passphrase, no touch.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }
}

/// What names a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// A path, or `key::` and a public key.
    pub value: String,
    /// Where it stands, in words.
    pub found_in: &'static str,
}

/// Finds the key. `config` is the one in our own configuration.
///
/// # Errors
/// Why the named key cannot be used, in words; `Ok(None)` when none is named.
pub fn find(config: Option<&str>) -> Result<Option<Key>, String> {
    let variable = std::env::var(VARIABLE).ok();
    let home = etcetera::home_dir().ok();
    let git = home
        .iter()
        .flat_map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    let git: Vec<PathBuf> = git.collect();
    find_among(config, variable.as_deref(), &git, home.as_deref())
}

/// The same, with everything that is looked at handed in.
///
/// # Errors
/// As [`find`].
pub fn find_among(
    config: Option<&str>,
    variable: Option<&str>,
    git_configs: &[PathBuf],
    home: Option<&Path>,
) -> Result<Option<Key>, String> {
    let given = |value: Option<&str>, found_in| {
        let value = value.map(str::trim).filter(|value| !value.is_empty())?;
        Some(Setting {
            value: value.to_owned(),
            found_in,
        })
    };
    let git = || {
        let named = git_configs.iter().find_map(|path| in_git(path));
        given(named.as_deref(), "the global git config")
    };
    let setting = given(config, "countersign's config")
        .or_else(|| given(variable, VARIABLE))
        .or_else(git);
    match setting {
        Some(setting) => read(&setting, home)
            .map(Some)
            .map_err(|why| format!("the signing key in {}: {why}", setting.found_in)),
        None => Ok(None),
    }
}

/// `user.signingKey` of one git config file that signs by ssh.
fn in_git(path: &Path) -> Option<String> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let config = git2::Config::open(path).ok()?;
    let format = config.get_string("gpg.format").ok()?;
    (format == "ssh").then_some(())?;
    config.get_string("user.signingkey").ok()
}

fn read(setting: &Setting, home: Option<&Path>) -> Result<Key, String> {
    let value = setting.value.as_str();
    let written = value.strip_prefix("key::").or_else(|| {
        let bare = value.starts_with("ssh-") || value.starts_with("ecdsa-");
        (bare || value.starts_with("sk-")).then_some(value)
    });
    if let Some(line) = written {
        let public = armor::public(line).ok_or("it is no public key")?;
        return made(KeyFile::Written(line.to_owned()), public, true);
    }
    let path = match (value.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_), None) | (None, _) => PathBuf::from(value),
    };
    if !path.is_absolute() {
        return Err("its path must be absolute, or begin with ~/".into());
    }
    let text = small(&path).ok_or("it is not there, or no small file")?;
    if let Some(public) = armor::public(&text) {
        return made(KeyFile::Path(path), public, true);
    }
    let mut beside = path.clone().into_os_string();
    beside.push(".pub");
    let public = small(Path::new(&beside)).and_then(|line| armor::public(&line));
    let public = public.ok_or("its public half must lie beside it, with .pub at its end")?;
    let open = armor::is_open(&text) == Some(true);
    made(KeyFile::Path(path), public, open)
}

fn made(file: KeyFile, public: Vec<u8>, open: bool) -> Result<Key, String> {
    let kind = armor::kind(&public).ok_or("it is no public key")?;
    Ok(Key {
        file,
        quiet: open && !armor::is_hardware(&kind),
        kind,
        public,
    })
}

fn small(path: &Path) -> Option<String> {
    let facts = fs::metadata(path).ok()?;
    (facts.is_file() && facts.len() <= LARGEST).then_some(())?;
    fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: &str = "ssh-ed25519 \
        AAAAC3NzaC1lZDI1NTE5AAAAINjewKUXI9zm7nI8+czjK12ccNhlnDL+8R/jubGWrTRR c";

    #[test]
    fn the_key_comes_from_our_config_then_the_variable_then_the_persons_git_config() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let key = at("key.pub", PUBLIC);
        let key = key.to_str().unwrap();
        let ssh = format!("[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = {key}\n");
        let git = [at("ssh", &ssh)];
        let openpgp = [at("pgp", &format!("[user]\n\tsigningkey = {key}\n"))];
        let found = |config, variable, git: &[PathBuf]| {
            find_among(config, variable, git, Some(folder.path()))
        };
        assert!(found(Some(key), Some("/none"), &git).unwrap().is_some());
        assert!(found(None, Some("~/key.pub"), &[]).unwrap().is_some());
        assert!(found(None, None, &git).unwrap().is_some());
        assert_eq!(found(None, None, &openpgp), Ok(None));
        assert_eq!(found(Some(" "), None, &[]), Ok(None));
        let written = format!("key::{PUBLIC}");
        let key = found(Some(&written), None, &[]).unwrap().unwrap();
        assert_eq!(key.reach(), Assurance::Signed);
        assert!(key.is_quiet());
        assert_eq!(
            key.fingerprint(),
            "SHA256:QKvKN36vKWvrdPG4cFZ4a5BTg/g9wB44qcVfnGWpbVI"
        );
    }

    #[test]
    fn a_key_that_cannot_be_used_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let lonely = folder.path().join("lonely");
        fs::write(&lonely, "-----BEGIN OPENSSH PRIVATE KEY-----\n").unwrap();
        for (value, why) in [
            ("keys/mine", "must be absolute"),
            ("/no/such/key", "not there"),
            ("key::ssh-ed25519 AAAA", "no public key"),
            (lonely.to_str().unwrap(), "public half"),
        ] {
            let said = find_among(Some(value), None, &[], None).unwrap_err();
            assert!(said.contains(why), "{value}: {said}");
            assert!(said.starts_with("the signing key in countersign's config: "));
        }
    }
}
