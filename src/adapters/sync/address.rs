//! Where a ledger is shared: an address that was given or that a remote of the repository has.
//!
//! Only five ways of writing one are taken, so that nothing in it can be an option, another
//! program or another protocol: `ssh://`, `https://`, `git://`, `file://`, `host:path`, a folder.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::model::text::{Foreign, Place};

/// The protocols that git may speak, as `GIT_ALLOW_PROTOCOL` wants them. Plain HTTP is not among
/// them: it would send a password in the clear.
pub(super) const PROTOCOLS: &str = "https:ssh:file:git";

/// A checked address.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Address {
    /// Checks an address; a relative folder is taken from `base`.
    ///
    /// # Errors
    /// Why it is not taken, as a fragment.
    pub fn parse(text: &[u8], base: &Path) -> Result<Self, String> {
        let text = std::str::from_utf8(text).map_err(|_| "the address is no UTF-8".to_owned())?;
        if text.is_empty() || text.starts_with('-') {
            return Err("it is no address".into());
        }
        if text.chars().any(char::is_control) {
            return Err("there is a control character in the address".into());
        }
        if let Some((scheme, rest)) = text.split_once("://") {
            let host = rest.split('/').next().unwrap_or_default();
            let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
            return match scheme {
                "file" => Ok(Self { text: text.into() }),
                "ssh" | "https" | "git" if host.is_empty() || host.starts_with('-') => {
                    Err("the address names no host".into())
                }
                "ssh" | "https" | "git" => Ok(Self { text: text.into() }),
                "http" => Err("plain http would send a password in the clear".into()),
                _ => Err("only https, ssh, git, file and folders are taken".into()),
            };
        }
        let slash = text.find('/').unwrap_or(text.len());
        match text.find(':').filter(|colon| *colon < slash) {
            Some(colon) => {
                let (host, path) = text.split_at(colon);
                let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
                if host.is_empty() || host.starts_with('-') || path.starts_with("::") {
                    return Err("only https, ssh, git, file and folders are taken".into());
                }
                Ok(Self { text: text.into() })
            }
            None => {
                let folder = base.join(text);
                let bytes = folder.as_os_str().as_bytes().to_vec();
                String::from_utf8(bytes)
                    .map(|text| Self { text })
                    .map_err(|_| "the address is no UTF-8".to_owned())
            }
        }
    }

    /// Whether it is a folder of this machine.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        self.text.starts_with('/') || self.text.starts_with("file:")
    }

    /// As git wants it.
    pub(super) fn raw(&self) -> &str {
        &self.text
    }

    /// Fit to be shown: without a name and a password before the host.
    #[must_use]
    pub fn shown(&self) -> String {
        let text = match self.text.split_once("://") {
            Some((scheme, rest)) if scheme != "file" => {
                let end = rest.find('/').unwrap_or(rest.len());
                let (host, path) = rest.split_at(end);
                let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
                format!("{scheme}://{host}{path}")
            }
            _ => self.text.clone(),
        };
        Foreign::from(text).shown(Place::Strict).plain()
    }

    /// What a program said about this address, without what only its owner may know.
    pub(super) fn cleaned(&self, said: &str) -> String {
        let mut said = said.replace(&self.text, &self.shown());
        let secret = self.text.split_once("://").and_then(|(_, rest)| {
            let host = rest.split('/').next()?;
            host.rsplit_once('@').map(|(user, _)| user.to_owned())
        });
        let password = secret.as_deref().and_then(|user| user.split_once(':'));
        if let Some((_, password)) = password.filter(|(_, password)| !password.is_empty()) {
            said = said.replace(password, "...");
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_can_be_nothing_else_are_taken() {
        let base = Path::new("/work");
        for (given, wanted) in [
            (
                "ssh://git@forge.example/team/ledger",
                Ok("ssh://forge.example/team/ledger"),
            ),
            (
                "https://me:secret@forge.example/x.git",
                Ok("https://forge.example/x.git"),
            ),
            ("git://forge.example/x", Ok("git://forge.example/x")),
            ("file:///srv/x.git", Ok("file:///srv/x.git")),
            (
                "git@forge.example:team/x.git",
                Ok("git@forge.example:team/x.git"),
            ),
            ("/srv/x.git", Ok("/srv/x.git")),
            ("../x.git", Ok("/work/../x.git")),
            ("ext::sh -c id", Err(())),
            ("http://forge.example/x", Err(())),
            ("ssh://-oProxyCommand=id/x", Err(())),
            ("ssh://me@-oProxyCommand=id/x", Err(())),
            ("-oProxyCommand=id:x", Err(())),
            ("--upload-pack=id", Err(())),
            ("ftp://forge.example/x", Err(())),
            ("https:///x", Err(())),
            ("a\nb", Err(())),
            ("", Err(())),
        ] {
            let got = Address::parse(given.as_bytes(), base);
            match wanted {
                Ok(shown) => assert_eq!(got.expect(given).shown(), shown, "{given}"),
                Err(()) => assert!(got.is_err(), "{given}: {got:?}"),
            }
        }
    }

    #[test]
    fn a_password_is_not_repeated() {
        let text = b"https://me:hunter22@forge.example/x.git";
        let address = Address::parse(text, Path::new("/")).expect("an address");
        let said = "fatal: no access to 'https://me:hunter22@forge.example/x.git' (hunter22)";
        let clean = address.cleaned(said);
        assert!(!clean.contains("hunter22"), "{clean}");
        assert!(!format!("{address:?}").contains("hunter22"));
    }
}
