//! Which forge can be asked, and how a pull request is named. Pure: nothing is asked here.

use super::text::{Foreign, Place};

/// The interfaces that we speak.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// GitHub and GitHub Enterprise.
    GitHub,
    /// GitLab.
    GitLab,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::GitHub, Self::GitLab];

    /// The word of the settings.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::GitHub => "github",
            Self::GitLab => "gitlab",
        }
    }

    /// The name as people write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GitHub => "GitHub",
            Self::GitLab => "GitLab",
        }
    }

    /// The ref under which the forge offers the head of a request.
    #[must_use]
    pub fn head_ref(self, number: u64) -> String {
        match self {
            Self::GitHub => format!("refs/pull/{number}/head"),
            Self::GitLab => format!("refs/merge-requests/{number}/head"),
        }
    }

    /// What stands between repository and number in the address of a request's page.
    fn page(self) -> &'static str {
        match self {
            Self::GitHub => "/pull/",
            Self::GitLab => "/-/merge_requests/",
        }
    }
}

/// A host that may be asked.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Host {
    /// Its name, in lower case, with a port where it has one.
    pub name: String,
    /// What it speaks.
    pub kind: Kind,
}

/// The hosts that everybody knows.
const KNOWN: [(&str, Kind); 2] = [("github.com", Kind::GitHub), ("gitlab.com", Kind::GitLab)];

impl Host {
    /// Reads a row of the settings: `HOST KIND`.
    #[must_use]
    pub fn parse(row: &str) -> Option<Self> {
        let mut words = row.split_ascii_whitespace();
        let (name, kind) = (words.next()?, words.next()?);
        let kind = Kind::ALL.into_iter().find(|one| one.word() == kind)?;
        (words.next().is_none() && is_host(name)).then(|| Self {
            name: name.to_owned(),
            kind,
        })
    }
}

/// The hosts that may be asked: the person's own rows before the known ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hosts(Vec<Host>);

impl Hosts {
    /// The person's rows, and the known hosts behind them.
    #[must_use]
    pub fn new(own: &[Host]) -> Self {
        let known = KNOWN.map(|(name, kind)| Host {
            name: name.to_owned(),
            kind,
        });
        let mut all = own.to_vec();
        all.extend(known.into_iter().filter(|one| {
            let named = |row: &&Host| row.name == one.name;
            !own.iter().any(|row| named(&row))
        }));
        Self(all)
    }

    /// The row of a host.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Host> {
        self.0.iter().find(|host| host.name == name)
    }

    /// Their names, for a hint.
    #[must_use]
    pub fn names(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(|host| host.name.as_str()).collect();
        names.join(", ")
    }
}

/// A pull or merge request, named whole.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PullName {
    /// Where it is.
    pub host: Host,
    /// The repository: `owner/name`, with groups before it on GitLab.
    pub repository: String,
    /// Its number.
    pub number: u64,
}

impl PullName {
    /// The address of its page.
    #[must_use]
    pub fn page(&self) -> String {
        format!(
            "https://{}/{}{}{}",
            self.host.name,
            self.repository,
            self.host.kind.page(),
            self.number
        )
    }

    /// The address of its repository, for git.
    #[must_use]
    pub fn clone_address(&self) -> String {
        format!("https://{}/{}.git", self.host.name, self.repository)
    }

    /// Its key in the record (rulings A12): no branch of a fork can take another's.
    #[must_use]
    pub fn key(&self) -> String {
        match self.host.kind {
            Kind::GitHub => format!("pull/{}", self.number),
            Kind::GitLab => format!("merge-request/{}", self.number),
        }
    }
}

impl std::fmt::Display for PullName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}#{}", self.repository, self.number)
    }
}

/// What a target means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A folder of a worktree.
    Folder,
    /// A request.
    Pull(PullName),
    /// It names a request, but not one that can be asked for: why, and what helps.
    Refused(String, String),
}

/// Reads a target. `remote` is the normalised remote of the repository that one stands in
/// (`host/owner/name`), where there is one. First row that fits:
///
/// | target | means |
/// |---|---|
/// | what begins with `/`, `.` or `~` | a folder |
/// | `128`, `#128` | that number in the repository of `remote` |
/// | `owner/name#128` | that number there, on the host of `remote`, else on github.com |
/// | `https://host/owner/name/pull/128`, `.../-/merge_requests/128` | that one |
/// | `http://...`, a page of another kind | refused |
/// | everything else | a folder |
#[must_use]
pub fn target(text: &str, remote: Option<&str>, hosts: &Hosts) -> Target {
    let refused = |why: String, hint: &str| Target::Refused(why, hint.to_owned());
    if text.starts_with(['/', '.', '~']) {
        return Target::Folder;
    }
    if let Some((scheme, rest)) = text.split_once("://") {
        return match scheme {
            "https" => page(rest, hosts),
            "http" => refused(
                "plain http would show what is asked, and to whom".to_owned(),
                "give the address with https",
            ),
            _ => refused(
                format!("{} is no page of a request", shown(text)),
                "give the https address of its page",
            ),
        };
    }
    let (before, digits) = match text.split_once('#') {
        Some((before, digits)) => (before, digits),
        None => ("", text),
    };
    let Some(number) = number(digits) else {
        return Target::Folder;
    };
    let ours = remote.and_then(|remote| remote.split_once('/'));
    let (host, repository) = if before.is_empty() {
        match ours {
            Some(ours) => ours,
            None => {
                return refused(
                    format!("{} names a request, but no repository", shown(text)),
                    "stand in a clone of its repository, or write owner/name#number; `./NAME` \
                     is a folder",
                );
            }
        }
    } else {
        let host = ours.map_or("github.com", |(host, _)| host);
        (host, before)
    };
    named(host, repository, number, hosts)
}

fn named(host: &str, repository: &str, number: u64, hosts: &Hosts) -> Target {
    let Some(row) = hosts.find(host) else {
        return Target::Refused(
            format!("{} is no forge that we know", shown(host)),
            format!(
                "add `forges = [\"HOST KIND\"]` to your settings; known are {}",
                hosts.names()
            ),
        );
    };
    let parts = repository.split('/').count();
    let depth = match row.kind {
        Kind::GitHub => parts == 2,
        Kind::GitLab => parts >= 2,
    };
    if !depth || !repository.split('/').all(is_part) {
        return Target::Refused(
            format!("{} is no name of a repository", shown(repository)),
            "write owner/name".to_owned(),
        );
    }
    Target::Pull(PullName {
        host: row.clone(),
        repository: repository.to_owned(),
        number,
    })
}

/// The address of a page, without its scheme.
fn page(rest: &str, hosts: &Hosts) -> Target {
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.to_ascii_lowercase();
    let kind = hosts.find(&host).map_or(Kind::GitHub, |row| row.kind);
    let Some((repository, tail)) = path.split_once(kind.page()) else {
        return Target::Refused(
            format!("{} is no page of a request", shown(rest)),
            format!("its address has {} before the number", kind.page()),
        );
    };
    let digits = tail.split('/').next().unwrap_or_default();
    match number(digits) {
        Some(number) => named(&host, repository, number, hosts),
        None => Target::Refused(
            format!("{} is no number of a request", shown(digits)),
            "give the address of its page".to_owned(),
        ),
    }
}

fn shown(text: &str) -> String {
    Foreign::from(text).shown(Place::Strict).plain()
}

/// A number from 1 on, as forges count.
fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.len() <= 10 && text.bytes().all(|b| b.is_ascii_digit());
    (digits && !text.starts_with('0')).then(|| text.parse().ok())?
}

/// A name of a host that can be nothing else: no option, no path, no user.
fn is_host(text: &str) -> bool {
    let (name, port) = text.split_once(':').unwrap_or((text, "443"));
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    !name.is_empty()
        && name.len() <= 253
        && name.chars().all(plain)
        && !name.starts_with(['-', '.'])
        && port.parse::<u16>().is_ok_and(|port| port > 0)
}

/// A part of a repository's name.
fn is_part(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !text.is_empty()
        && text.len() <= 255
        && text.chars().all(plain)
        && !text.starts_with(['-', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_means_what_the_table_says() {
        let own = [
            Host::parse("git.example gitlab").expect("a row"),
            Host::parse("ghe.example:8443 github").expect("a row"),
        ];
        let hosts = Hosts::new(&own);
        let here = Some("github.com/harbor/ferry");
        let lab = Some("git.example/harbor/boats/ferry");
        let rows: [(&str, Option<&str>, &str); 28] = [
            ("128", here, "https://github.com/harbor/ferry/pull/128"),
            ("#128", here, "https://github.com/harbor/ferry/pull/128"),
            (
                "128",
                lab,
                "https://git.example/harbor/boats/ferry/-/merge_requests/128",
            ),
            ("128", None, "refused"),
            ("128", Some("unknown.example/a/b"), "refused"),
            ("0", here, "folder"),
            ("0128", here, "folder"),
            ("12345678901", here, "folder"),
            ("./128", here, "folder"),
            ("/tmp/a#7", here, "folder"),
            (".", here, "folder"),
            ("ferry", here, "folder"),
            ("a/b#7", None, "https://github.com/a/b/pull/7"),
            ("a/b#7", lab, "https://git.example/a/b/-/merge_requests/7"),
            ("a/b#x", None, "folder"),
            ("a#7", None, "refused"),
            ("a/b/c#7", here, "refused"),
            (
                "a/b/c#7",
                lab,
                "https://git.example/a/b/c/-/merge_requests/7",
            ),
            ("-a/b#7", here, "refused"),
            ("a/..#7", here, "refused"),
            (
                "https://github.com/a/b/pull/7",
                None,
                "https://github.com/a/b/pull/7",
            ),
            (
                "https://GitHub.com/a/b/pull/7/files?w=1#d",
                None,
                "https://github.com/a/b/pull/7",
            ),
            (
                "https://ghe.example:8443/a/b/pull/7",
                None,
                "https://ghe.example:8443/a/b/pull/7",
            ),
            ("https://me@github.com/a/b/pull/7", None, "refused"),
            ("https://github.com/a/b/issues/7", None, "refused"),
            ("http://github.com/a/b/pull/7", None, "refused"),
            ("ext::sh -c id#7", here, "refused"),
            ("ssh://github.com/a/b/pull/7", None, "refused"),
        ];
        for (text, remote, wanted) in rows {
            let got = match target(text, remote, &hosts) {
                Target::Folder => "folder".to_owned(),
                Target::Pull(name) => name.page(),
                Target::Refused(why, hint) => {
                    assert!(!why.is_empty() && !hint.is_empty(), "{text}");
                    "refused".to_owned()
                }
            };
            assert_eq!(got, wanted, "{text} in {remote:?}");
        }
    }

    #[test]
    fn a_row_of_the_settings_names_a_host_and_nothing_else() {
        for good in ["git.example gitlab", "127.0.0.1:3000 github"] {
            assert!(Host::parse(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "git.example",
            "git.example svn",
            "-x github",
            "a/b github",
            "a@b github",
            "A.example github",
            "a.example:0 github",
            "a.example github x",
        ] {
            assert!(Host::parse(bad).is_none(), "{bad}");
        }
        // the person's own row wins
        let own = [Host::parse("github.com gitlab").expect("a row")];
        let hosts = Hosts::new(&own);
        assert_eq!(hosts.find("github.com").map(|h| h.kind), Some(Kind::GitLab));
    }
}
