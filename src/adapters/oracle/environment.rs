//! What a CHECK is given: an absolute shell and a list of variables, made from an allow-list
//! (RUN-9, rulings K11, K12). Nothing outside the list passes, and a few names never pass even
//! when the person's own configuration lists them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Where bash is looked for, in this order. PATH is not asked: a folder of the person's PATH may
/// belong to the change.
const SHELLS: [&str; 4] = [
    "/bin/bash",
    "/usr/bin/bash",
    "/usr/local/bin/bash",
    "/run/current-system/sw/bin/bash",
];

/// Variables that pass as they are.
const PASSED: [&str; 14] = [
    "PATH",
    "HOME",
    "RUSTUP_HOME",
    "CARGO_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "GOMODCACHE",
    "GOCACHE",
    "JAVA_HOME",
    "NVM_DIR",
    "VIRTUAL_ENV",
    "PYENV_ROOT",
    "npm_config_cache",
];

/// Variables with a value of ours.
const FIXED: [(&str, &str); 2] = [("LANG", "C.UTF-8"), ("TERM", "dumb")];

/// Beginnings and parts of names that never pass, in upper case.
const NEVER: [&str; 22] = [
    "GIT_",
    "SSH_",
    "GPG_",
    "DBUS_",
    "XDG_RUNTIME",
    "DISPLAY",
    "WAYLAND",
    "XAUTHORITY",
    "TMUX",
    "COUNTERSIGN",
    "LD_",
    "BASH_ENV",
    "BASH_FUNC",
    "PROMPT_COMMAND",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "CREDENTIAL",
    "API_KEY",
    "PRIVATE_KEY",
    "PROXY",
];

/// The environment of a CHECK.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Environment {
    /// Names and values, sorted by name.
    pub variables: Vec<(OsString, OsString)>,
    /// Names that the configuration asked for and that never pass.
    pub refused: Vec<String>,
    policy: Vec<String>,
}

impl Environment {
    /// Made from the variables of this process, with `more` names of the person's configuration
    /// and the private TMPDIR.
    #[must_use]
    pub fn from_process(more: &[String], tmp: &Path) -> Self {
        Self::from_list(std::env::vars_os(), more, tmp)
    }

    /// The same from a given list.
    #[must_use]
    pub fn from_list(
        all: impl Iterator<Item = (OsString, OsString)>,
        more: &[String],
        tmp: &Path,
    ) -> Self {
        let refused: Vec<_> = more.iter().filter(|n| never(n)).cloned().collect();
        let mut variables: Vec<_> = all
            .filter(|(name, value)| passes(name, more) && !value.as_bytes().contains(&0))
            .collect();
        for (name, value) in FIXED {
            variables.push((name.into(), value.into()));
        }
        for name in ["TMPDIR", "TMP", "TEMP"] {
            variables.push((name.into(), tmp.as_os_str().to_owned()));
        }
        if !variables.iter().any(|(name, _)| name == "PATH") {
            variables.push(("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()));
        }
        variables.sort();
        variables.dedup_by(|a, b| a.0 == b.0);
        Self {
            variables,
            refused,
            policy: policy(more),
        }
    }

    /// The names that may pass, whether they are set just now or not: what an approval binds, the
    /// same in every terminal.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.policy.clone()
    }

    /// The names that are set, for the trust card.
    #[must_use]
    pub fn present(&self) -> Vec<String> {
        let name = |(name, _): &(OsString, OsString)| name.to_string_lossy().into_owned();
        self.variables.iter().map(name).collect()
    }
}

fn policy(more: &[String]) -> Vec<String> {
    let listed = PASSED.iter().map(|name| (*name).to_owned());
    let mut names: Vec<_> = listed
        .chain(more.iter().filter(|name| !never(name)).cloned())
        .chain(["LANG", "TERM", "TMPDIR", "TMP", "TEMP"].map(String::from))
        .collect();
    names.sort();
    names.dedup();
    names
}

fn passes(name: &OsStr, more: &[String]) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    let fixed = FIXED.iter().any(|(fixed, _)| *fixed == name);
    let ours = matches!(name, "TMPDIR" | "TMP" | "TEMP");
    let listed = PASSED.contains(&name) || more.iter().any(|m| m == name);
    listed && !fixed && !ours && !never(name)
}

fn never(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    NEVER.iter().any(|part| {
        if part.ends_with('_') {
            upper.starts_with(part)
        } else {
            upper.contains(part)
        }
    })
}

/// The absolute path of bash, or `None`: then nothing runs, another shell is never taken (K11).
#[must_use]
pub fn shell() -> Option<PathBuf> {
    SHELLS.iter().map(PathBuf::from).find(|path| {
        std::fs::metadata(path)
            .is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_list_passes_and_secrets_never_do() {
        let all = [
            ("PATH", "/bin"),
            ("HOME", "/home/x"),
            ("CARGO_HOME", "/c"),
            ("TERM", "xterm"),
            ("GIT_DIR", "/g"),
            ("GITHUB_TOKEN", "t"),
            ("SSH_AUTH_SOCK", "/s"),
            ("https_proxy", "p"),
            ("DISPLAY", ":0"),
            ("LD_PRELOAD", "x.so"),
            ("EDITOR", "vi"),
            ("MY_TOOL", "1"),
        ]
        .map(|(n, v)| (OsString::from(n), OsString::from(v)));
        let more = ["MY_TOOL", "GITHUB_TOKEN", "GIT_DIR"].map(String::from);
        let made = Environment::from_list(all.into_iter(), &more, Path::new("/t"));
        let lines: Vec<_> = made
            .variables
            .iter()
            .map(|(n, v)| format!("{}={}", n.to_string_lossy(), v.to_string_lossy()))
            .collect();
        assert_eq!(
            lines,
            [
                "CARGO_HOME=/c",
                "HOME=/home/x",
                "LANG=C.UTF-8",
                "MY_TOOL=1",
                "PATH=/bin",
                "TEMP=/t",
                "TERM=dumb",
                "TMP=/t",
                "TMPDIR=/t"
            ]
        );
        assert_eq!(made.refused, ["GITHUB_TOKEN", "GIT_DIR"]);
        let elsewhere = Environment::from_list(std::iter::empty(), &more, Path::new("/u"));
        assert_eq!(
            made.names(),
            elsewhere.names(),
            "an approval holds in every terminal"
        );
    }
}
