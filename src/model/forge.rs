//! Which forge can be asked, and how a pull request is named. Pure: nothing is asked here.

use super::text::{Foreign, Place};

/// The interfaces that we speak.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// GitHub and GitHub Enterprise.
    GitHub,
    /// GitLab.
    GitLab,
    /// Forgejo.
    Forgejo,
    /// Gitea, which Forgejo came from: the same interface.
    Gitea,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::GitHub, Self::GitLab, Self::Forgejo, Self::Gitea];

    /// The word of the settings.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::GitHub => "github",
            Self::GitLab => "gitlab",
            Self::Forgejo => "forgejo",
            Self::Gitea => "gitea",
        }
    }

    /// The name as people write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GitHub => "GitHub",
            Self::GitLab => "GitLab",
            Self::Forgejo => "Forgejo",
            Self::Gitea => "Gitea",
        }
    }

    /// The ref under which the forge offers the head of a request.
    #[must_use]
    pub fn head_ref(self, number: u64) -> String {
        match self {
            Self::GitHub | Self::Forgejo | Self::Gitea => format!("refs/pull/{number}/head"),
            Self::GitLab => format!("refs/merge-requests/{number}/head"),
        }
    }

    /// What stands between repository and number in the address of a request's page.
    fn page(self) -> &'static str {
        match self {
            Self::GitHub => "/pull/",
            Self::GitLab => "/-/merge_requests/",
            Self::Forgejo | Self::Gitea => "/pulls/",
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
    /// Whether it is spoken to in the clear; only ever an address of this machine.
    pub plain: bool,
    /// The environment variable that the token for this host is in. The token itself is no part
    /// of any value that is kept (FRG-7).
    pub token: Option<String>,
}

/// How a host is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Through GitHub's own client, which has the person's account.
    Gh,
    /// Through GitLab's own client.
    Glab,
    /// By us, over HTTPS.
    Direct,
}

/// The hosts that everybody knows.
const KNOWN: [(&str, Kind); 3] = [
    ("github.com", Kind::GitHub),
    ("gitlab.com", Kind::GitLab),
    ("codeberg.org", Kind::Forgejo),
];

impl Host {
    /// A host without more than its name.
    #[must_use]
    fn new(name: &str, kind: Kind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            plain: false,
            token: None,
        }
    }

    /// Reads a row of the settings: `HOST KIND` or `HOST KIND VARIABLE`. `http://` before the host
    /// is taken for an address of this machine and for no other.
    #[must_use]
    pub fn parse(row: &str) -> Option<Self> {
        let mut words = row.split_ascii_whitespace();
        let (host, kind) = (words.next()?, words.next()?);
        let kind = Kind::ALL.into_iter().find(|one| one.word() == kind)?;
        let token = words.next();
        let (plain, name) = match host.strip_prefix("http://") {
            Some(name) => (true, name),
            None => (false, host),
        };
        let good = words.next().is_none()
            && is_host(name)
            && (!plain || is_this_machine(name))
            && token.is_none_or(is_variable);
        good.then(|| Self {
            plain,
            token: token.map(str::to_owned),
            ..Self::new(name, kind)
        })
    }

    /// How it is asked. First row that fits:
    ///
    /// | host | way |
    /// |---|---|
    /// | a row that names a variable or has `http://` | direct |
    /// | GitHub | gh |
    /// | GitLab | glab |
    /// | Forgejo, Gitea: no client that everybody has | direct |
    #[must_use]
    pub fn way(&self) -> Way {
        match self.kind {
            _ if self.plain || self.token.is_some() => Way::Direct,
            Kind::GitHub => Way::Gh,
            Kind::GitLab => Way::Glab,
            Kind::Forgejo | Kind::Gitea => Way::Direct,
        }
    }

    /// The row of the settings.
    #[must_use]
    pub fn row(&self) -> String {
        let scheme = if self.plain { "http://" } else { "" };
        let token = self.token.iter().map(|name| format!(" {name}"));
        let token: String = token.collect();
        format!("{scheme}{} {}{token}", self.name, self.kind.word())
    }

    /// What stands before the host in an address of one of its pages.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        if self.plain { "http" } else { "https" }
    }

    /// Where its interface is; every address that is asked directly begins with it. It ends with
    /// a slash.
    #[must_use]
    pub fn interface(&self) -> String {
        let (scheme, name) = (self.scheme(), &self.name);
        match self.kind {
            Kind::GitHub if name == "github.com" => "https://api.github.com/".to_owned(),
            Kind::GitHub => format!("{scheme}://{name}/api/v3/"),
            Kind::GitLab => format!("{scheme}://{name}/api/v4/"),
            Kind::Forgejo | Kind::Gitea => format!("{scheme}://{name}/api/v1/"),
        }
    }

    /// Where GraphQL is asked; only GitHub is.
    #[must_use]
    pub fn graphql(&self) -> String {
        match self.name.as_str() {
            "github.com" => "https://api.github.com/graphql".to_owned(),
            name => format!("{}://{name}/api/graphql", self.scheme()),
        }
    }
}

/// Whether a host with its port is an address that never leaves this machine. A name is none:
/// somebody else may say what it stands for.
fn is_this_machine(host: &str) -> bool {
    let name = host.split_once(':').map_or(host, |(name, _)| name);
    let address = name.parse::<std::net::Ipv4Addr>();
    address.is_ok_and(|address| address.is_loopback())
}

/// A name that an environment variable can have.
fn is_variable(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    name.len() <= 64 && name.bytes().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// The hosts that may be asked: the person's own rows before the known ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hosts(Vec<Host>);

impl Hosts {
    /// The person's rows, and the known hosts behind them.
    #[must_use]
    pub fn new(own: &[Host]) -> Self {
        let known = KNOWN.map(|(name, kind)| Host::new(name, kind));
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
            "{}://{}/{}{}{}",
            self.host.scheme(),
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
            Kind::GitHub | Kind::Forgejo | Kind::Gitea => format!("pull/{}", self.number),
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
/// | `https://host/owner/name/pull/128`, `.../pulls/128`, `.../-/merge_requests/128` | that one |
/// | the same with `http://`, when the settings name that address of this machine so | that one |
/// | any other `http://...`, a page of another kind | refused |
/// | everything else | a folder |
#[must_use]
pub fn target(text: &str, remote: Option<&str>, hosts: &Hosts) -> Target {
    let refused = |why: String, hint: &str| Target::Refused(why, hint.to_owned());
    if text.starts_with(['/', '.', '~']) {
        return Target::Folder;
    }
    if let Some((scheme, rest)) = text.split_once("://") {
        return match scheme {
            "https" => page(rest, hosts, false),
            "http" if is_this_machine(rest.split('/').next().unwrap_or_default()) => {
                page(rest, hosts, true)
            }
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
        Kind::GitHub | Kind::Forgejo | Kind::Gitea => parts == 2,
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
fn page(rest: &str, hosts: &Hosts, plain: bool) -> Target {
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = host.to_ascii_lowercase();
    if hosts.find(&host).is_some_and(|row| row.plain != plain) {
        return Target::Refused(
            format!("your settings name {} with another scheme", shown(&host)),
            "give the address as the row of `forges` has it".to_owned(),
        );
    }
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
            Host::parse("http://127.0.0.1:3000 gitea TIDE_TOKEN").expect("a row"),
        ];
        let hosts = Hosts::new(&own);
        let here = Some("github.com/harbor/ferry");
        let lab = Some("git.example/harbor/boats/ferry");
        let rows: [(&str, Option<&str>, &str); 35] = [
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
            (
                "https://codeberg.org/a/b/pulls/7/files",
                None,
                "https://codeberg.org/a/b/pulls/7",
            ),
            ("https://codeberg.org/a/b/pull/7", None, "refused"),
            (
                "http://127.0.0.1:3000/a/b/pulls/7",
                None,
                "http://127.0.0.1:3000/a/b/pulls/7",
            ),
            (
                "7",
                Some("127.0.0.1:3000/a/b"),
                "http://127.0.0.1:3000/a/b/pulls/7",
            ),
            ("https://127.0.0.1:3000/a/b/pulls/7", None, "refused"),
            ("http://127.0.0.1:3001/a/b/pulls/7", None, "refused"),
            ("http://git.example/a/b/-/merge_requests/7", None, "refused"),
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
        for (good, way) in [
            ("git.example gitlab", Way::Glab),
            ("127.0.0.1:3000 github", Way::Gh),
            ("git.example gitlab TIDE_TOKEN", Way::Direct),
            ("github.com github GH_TOKEN_2", Way::Direct),
            ("git.example forgejo", Way::Direct),
            ("git.example gitea _T", Way::Direct),
            ("http://127.0.0.1:3000 gitea", Way::Direct),
            ("http://127.9.9.9 github T", Way::Direct),
        ] {
            let host = Host::parse(good).expect(good);
            assert_eq!((host.row().as_str(), host.way()), (good, way));
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
            "a.example github 1X",
            "a.example github X=Y",
            "a.example github X Y",
            "http://a.example gitea",
            "http://localhost:3000 gitea",
            "http://10.0.0.1 gitea",
            "http://127.0.0.1@a.example gitea",
            "https://a.example gitea",
        ] {
            assert!(Host::parse(bad).is_none(), "{bad}");
        }
        for (row, rest) in [
            ("github.com github T", "https://api.github.com/"),
            ("ghe.example github T", "https://ghe.example/api/v3/"),
            (
                "git.example:8443 gitlab T",
                "https://git.example:8443/api/v4/",
            ),
            ("http://127.0.0.1:3 forgejo T", "http://127.0.0.1:3/api/v1/"),
        ] {
            assert_eq!(Host::parse(row).expect(row).interface(), rest);
        }
        // the person's own row wins
        let own = [Host::parse("github.com gitlab").expect("a row")];
        let hosts = Hosts::new(&own);
        assert_eq!(hosts.find("github.com").map(|h| h.kind), Some(Kind::GitLab));
    }
}
