//! Every setting as one table: key, what it says, how a value is taken, and whether a
//! repository may tighten it. `config print`, the manual page and the checks are made from it.

use crate::gate::floor::scope;
use crate::gate::policy::Policy;
use crate::model::forge::Host;
use crate::model::oracle::Isolation;
use crate::model::ruling::{Assurance, NameSource, Principal};

use super::Settings;

/// A value of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    /// A string.
    Text(String),
    /// A whole number.
    Number(i64),
    /// `true` or `false`.
    Switch(bool),
    /// A list of strings.
    Texts(Vec<String>),
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its key.
    pub key: &'static str,
    /// What it does, a fragment.
    pub does: &'static str,
    /// What it takes.
    pub takes: &'static str,
    /// Whether a repository may set it, to something stricter.
    pub tightens: bool,
    /// Puts a value into the settings; `false` when it is none that it takes.
    pub(super) put: fn(&mut Settings, &Value) -> bool,
    /// The value as printed.
    pub(super) get: fn(&Settings) -> String,
    /// Whether the first is at least as strict as the second.
    pub(super) stricter: fn(&Policy, &Policy) -> bool,
}

fn text<'a>(value: &'a Value, allowed: &[&str]) -> Option<&'a str> {
    match value {
        Value::Text(text) if allowed.is_empty() || allowed.contains(&text.as_str()) => Some(text),
        Value::Text(_) | Value::Number(_) | Value::Switch(_) | Value::Texts(_) => None,
    }
}

fn set<T>(into: &mut T, value: Option<T>) -> bool {
    match value {
        Some(value) => {
            *into = value;
            true
        }
        None => false,
    }
}

fn switch(value: &Value) -> Option<bool> {
    match value {
        Value::Switch(on) => Some(*on),
        Value::Text(_) | Value::Number(_) | Value::Texts(_) => None,
    }
}

fn number(value: &Value, from: i64, to: i64) -> Option<u64> {
    match value {
        Value::Number(number) if (from..=to).contains(number) => u64::try_from(*number).ok(),
        Value::Number(_) | Value::Text(_) | Value::Switch(_) | Value::Texts(_) => None,
    }
}

fn level(value: &Value) -> Option<Assurance> {
    let label = text(value, &[])?;
    [Assurance::Present, Assurance::Signed, Assurance::Touched]
        .into_iter()
        .find(|level| level.label() == label)
}

fn own_text(value: &Value) -> Option<Option<String>> {
    let text = text(value, &[])?;
    let plain = !text.chars().any(crate::model::text::is_hidden) && text.len() <= 1024;
    plain.then(|| Some(text.to_owned()).filter(|text| !text.trim().is_empty()))
}

/// Names of variables, at most as many as a person can read on a card.
fn names(value: &Value) -> Option<Vec<String>> {
    let Value::Texts(texts) = value else {
        return None;
    };
    let name = |text: &String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let digit = text.starts_with(|c: char| c.is_ascii_digit());
        !text.is_empty() && text.len() <= 128 && text.chars().all(plain) && !digit
    };
    (texts.len() <= 64 && texts.iter().all(name)).then(|| {
        let mut names = texts.clone();
        names.sort();
        names.dedup();
        names
    })
}

/// Absolute paths, sorted, each once.
fn places(value: &Value) -> Option<Vec<String>> {
    let Value::Texts(texts) = value else {
        return None;
    };
    let place = |text: &String| {
        let plain = !text.chars().any(crate::model::text::is_hidden);
        let up = text.split('/').any(|part| part == "..");
        text.len() <= 1024 && plain && text.len() > 1 && text.starts_with('/') && !up
    };
    (texts.len() <= 64 && texts.iter().all(place)).then(|| {
        let mut places = texts.clone();
        places.sort();
        places.dedup();
        places
    })
}

/// Logins of a forge, sorted, each once.
fn logins(value: &Value) -> Option<Vec<String>> {
    let Value::Texts(texts) = value else {
        return None;
    };
    let login = |text: &String| {
        let plain = |c: char| c.is_alphanumeric() || "-_.[]/".contains(c);
        !text.is_empty() && text.len() <= 128 && text.chars().all(plain)
    };
    (texts.len() <= 256 && texts.iter().all(login)).then(|| {
        let mut logins = texts.clone();
        logins.sort();
        logins.dedup();
        logins
    })
}

/// Hosts that may be asked for requests.
fn hosts(value: &Value) -> Option<Vec<Host>> {
    let Value::Texts(texts) = value else {
        return None;
    };
    let rows = texts.iter().map(|text| Host::parse(text));
    (texts.len() <= 64).then(|| rows.collect())?
}

/// The name of a file of the person's, without its ending.
fn plain_name(value: &Value) -> Option<String> {
    let name = text(value, &[])?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    ((1..=64).contains(&name.len()) && name.chars().all(plain)).then(|| name.to_owned())
}

/// Patterns of FILE SCOPE, at most as many as a person can read.
fn patterns(value: &Value) -> Option<Vec<String>> {
    let Value::Texts(texts) = value else {
        return None;
    };
    let pattern = |text: &String| {
        let plain = !text.chars().any(crate::model::text::is_hidden);
        text.len() <= 256 && plain && scope::can_watch(text)
    };
    (texts.len() <= 64 && texts.iter().all(pattern)).then(|| texts.clone())
}

/// Patterns of FILE SCOPE, sorted, each once.
fn sorted(value: &Value) -> Option<Vec<String>> {
    let mut patterns = patterns(value)?;
    patterns.sort();
    patterns.dedup();
    Some(patterns)
}

/// A name that may stand in the record: `agent` is reserved (rulings A11).
fn own_name(value: &Value) -> Option<Option<String>> {
    let name = own_text(value)?;
    let fits =
        |name: &String| Principal::new(name, NameSource::Config, Assurance::Present).is_some();
    name.as_ref().is_none_or(fits).then_some(name)
}

fn never(_: &Policy, _: &Policy) -> bool {
    false
}

/// The table.
pub const TABLE: &[Setting] = &[
    Setting {
        key: "name",
        does: "your name in the record; else the one of your git config, else the account's",
        takes: "a name of at most 128 bytes without hidden characters, not agent or tool",
        tightens: false,
        put: |settings, value| set(&mut settings.name, own_name(value)),
        get: |settings| settings.name.clone().unwrap_or_default(),
        stricter: never,
    },
    Setting {
        key: "signing-key",
        does: "the key that seals your rulings (L2; L3 with a key in hardware)",
        takes: "an absolute path of a key or of its .pub, or key:: and a public key",
        tightens: false,
        put: |settings, value| set(&mut settings.signing_key, own_text(value)),
        get: |settings| settings.signing_key.clone().unwrap_or_default(),
        stricter: never,
    },
    Setting {
        key: "allowed-signers",
        does: "the list of keys and the names that each may sign for",
        takes: "an absolute path of a file as ssh-keygen takes it",
        tightens: false,
        put: |settings, value| set(&mut settings.allowed_signers, own_text(value)),
        get: |settings| settings.allowed_signers.clone().unwrap_or_default(),
        stricter: never,
    },
    Setting {
        key: "theme",
        does: "the colors",
        takes: "auto, dark, light or mono",
        tightens: false,
        put: |settings, value| {
            let name = text(value, &["auto", "dark", "light", "mono"]);
            set(&mut settings.theme, name.map(str::to_owned))
        },
        get: |settings| settings.theme.clone(),
        stricter: never,
    },
    Setting {
        key: "glyphs",
        does: "the signs of standings; auto takes ASCII where Unicode is not sure to show",
        takes: "auto, unicode or ascii",
        tightens: false,
        put: |settings, value| {
            let name = text(value, &["auto", "unicode", "ascii"]);
            set(&mut settings.glyphs, name.map(str::to_owned))
        },
        get: |settings| settings.glyphs.clone(),
        stricter: never,
    },
    Setting {
        key: "mouse",
        does: "whether the mouse scrolls and selects; it never decides",
        takes: "true or false",
        tightens: false,
        put: |settings, value| set(&mut settings.mouse, switch(value)),
        get: |settings| settings.mouse.to_string(),
        stricter: never,
    },
    Setting {
        key: "editor",
        does: "the editor for long texts; else VISUAL, else EDITOR",
        takes: "a command",
        tightens: false,
        put: |settings, value| set(&mut settings.editor, own_text(value)),
        get: |settings| settings.editor.clone().unwrap_or_default(),
        stricter: never,
    },
    Setting {
        key: "preset",
        does: "the keymap that [keys] remaps; mnemonic kicks back with k",
        takes: "default or mnemonic",
        tightens: false,
        put: |settings, value| {
            let name = text(value, &["default", "mnemonic"]);
            set(&mut settings.preset, name.map(str::to_owned))
        },
        get: |settings| settings.preset.clone(),
        stricter: never,
    },
    Setting {
        key: "jobs",
        does: "how many private checkouts oracles run in at once",
        takes: "1 to 64",
        tightens: false,
        put: |settings, value| {
            let jobs = number(value, 1, 64).and_then(|jobs| usize::try_from(jobs).ok());
            set(&mut settings.jobs, jobs)
        },
        get: |settings| settings.jobs.to_string(),
        stricter: never,
    },
    Setting {
        key: "oracle-seconds",
        does: "how long an oracle may run; a contract cannot raise it",
        takes: "1 to 86400",
        tightens: false,
        put: |settings, value| set(&mut settings.oracle_seconds, number(value, 1, 86_400)),
        get: |settings| settings.oracle_seconds.to_string(),
        stricter: never,
    },
    Setting {
        key: "oracle-env",
        does: "names of further variables that oracles get; secrets and git's own never pass",
        takes: "a list of at most 64 names",
        tightens: false,
        put: |settings, value| set(&mut settings.oracle_env, names(value)),
        get: |settings| settings.oracle_env.join(" "),
        stricter: never,
    },
    Setting {
        key: "judge",
        does: "a command that judges specs, cold: copies of spec.md and suites, level 3, on a key",
        takes: "a command for bash that prints its report",
        tightens: false,
        put: |settings, value| set(&mut settings.judge.command, own_text(value)),
        get: |settings| settings.judge.command.clone().unwrap_or_default(),
        stricter: never,
    },
    Setting {
        key: "judge-seconds",
        does: "how long the judge may run",
        takes: "1 to 86400",
        tightens: false,
        put: |settings, value| set(&mut settings.judge.seconds, number(value, 1, 86_400)),
        get: |settings| settings.judge.seconds.to_string(),
        stricter: never,
    },
    Setting {
        key: "judge-network",
        does: "whether the judge reaches the network; what it reads may leave with it",
        takes: "true or false",
        tightens: false,
        put: |settings, value| set(&mut settings.judge.network, switch(value)),
        get: |settings| settings.judge.network.to_string(),
        stricter: never,
    },
    Setting {
        key: "judge-env",
        does: "names of further variables that the judge gets; secrets and git's own never pass",
        takes: "a list of at most 64 names",
        tightens: false,
        put: |settings, value| set(&mut settings.judge.variables, names(value)),
        get: |settings| settings.judge.variables.join(" "),
        stricter: never,
    },
    Setting {
        key: "judge-reads",
        does: "files and folders of yours that the judge may read, its own program and keys say",
        takes: "a list of at most 64 absolute paths, none that the change lies in",
        tightens: false,
        put: |settings, value| set(&mut settings.judge.reads, places(value)),
        get: |settings| settings.judge.reads.join(" "),
        stricter: never,
    },
    Setting {
        key: "chain-profile",
        does: "the words and tiers of the chain audit: built in, or profiles/NAME.toml beside this",
        takes: "forge, literal, generic, or a name of letters, digits, - and _",
        tightens: false,
        put: |settings, value| set(&mut settings.chain_profile, plain_name(value)),
        get: |settings| settings.chain_profile.clone(),
        stricter: never,
    },
    Setting {
        key: "forges",
        does: "further hosts that may be asked for pull requests, and what each speaks",
        takes: "a list of at most 64 rows: HOST, one of github, gitlab, forgejo and gitea, and the \
                variable that a token is in, if it is to be asked without gh or glab",
        tightens: false,
        put: |settings, value| set(&mut settings.forges, hosts(value)),
        get: |settings| {
            let rows: Vec<String> = settings.forges.iter().map(Host::row).collect();
            rows.join(", ")
        },
        stricter: never,
    },
    Setting {
        key: "seen-ms",
        does: "milliseconds that deciding evidence must be on screen before a ratify",
        takes: "300 to 60000",
        tightens: true,
        put: |settings, value| set(&mut settings.policy.seen_ms, number(value, 300, 60_000)),
        get: |settings| settings.policy.seen_ms.to_string(),
        stricter: |new, old| new.seen_ms >= old.seen_ms,
    },
    Setting {
        key: "isolation-floor",
        does: "the weakest wall an oracle may run behind; a host without it refuses",
        takes: "1 to 3",
        tightens: true,
        put: |settings, value| {
            let levels = [Isolation::Session, Isolation::Files, Isolation::Network];
            let level = number(value, 1, 3).and_then(|level| {
                levels
                    .into_iter()
                    .find(|one| u64::from(one.level()) == level)
            });
            set(&mut settings.policy.isolation_floor, level)
        },
        get: |settings| settings.policy.isolation_floor.level().to_string(),
        stricter: |new, old| new.isolation_floor >= old.isolation_floor,
    },
    Setting {
        key: "allow-override",
        does: "whether a person may let a criterion pass against its evidence",
        takes: "true or false",
        tightens: true,
        put: |settings, value| set(&mut settings.policy.allow_override, switch(value)),
        get: |settings| settings.policy.allow_override.to_string(),
        stricter: |new, old| !new.allow_override || old.allow_override,
    },
    Setting {
        key: "abandoned-counts",
        does: "whether an accepted abandonment may sum to APPROVED",
        takes: "true or false",
        tightens: true,
        put: |settings, value| set(&mut settings.policy.abandoned_counts, switch(value)),
        get: |settings| settings.policy.abandoned_counts.to_string(),
        stricter: |new, old| !new.abandoned_counts || old.abandoned_counts,
    },
    Setting {
        key: "approve-level",
        does: "the least assurance of a ruling of APPROVED",
        takes: "L1, L2 or L3",
        tightens: true,
        put: |settings, value| set(&mut settings.policy.approve_level, level(value)),
        get: |settings| settings.policy.approve_level.label().to_owned(),
        stricter: |new, old| new.approve_level >= old.approve_level,
    },
    Setting {
        key: "ruling-level",
        does: "the least assurance of any other ruling",
        takes: "L1, L2 or L3",
        tightens: true,
        put: |settings, value| set(&mut settings.policy.ruling_level, level(value)),
        get: |settings| settings.policy.ruling_level.label().to_owned(),
        stricter: |new, old| new.ruling_level >= old.ruling_level,
    },
    Setting {
        key: "seal-decisions",
        does: "whether each decision is sealed at once, not only the ruling",
        takes: "true or false",
        tightens: true,
        put: |settings, value| set(&mut settings.policy.seal_decisions, switch(value)),
        get: |settings| settings.policy.seal_decisions.to_string(),
        stricter: |new, old| new.seal_decisions || !old.seal_decisions,
    },
    Setting {
        key: "allow-self",
        does: "whether an author or committer of a change may rule on it",
        takes: "true or false",
        tightens: true,
        put: |settings, value| set(&mut settings.policy.allow_self, switch(value)),
        get: |settings| settings.policy.allow_self.to_string(),
        stricter: |new, old| !new.allow_self || old.allow_self,
    },
    Setting {
        key: "panel-logins",
        does: "logins of review panels; their comments count by tag",
        takes: "a list of at most 256 logins",
        tightens: false,
        put: |settings, value| set(&mut settings.policy.logins.panel, logins(value)),
        get: |settings| settings.policy.logins.panel.join(" "),
        stricter: never,
    },
    Setting {
        key: "builtin-review-logins",
        does: "logins of the built-in review; its blockers count",
        takes: "a list of at most 256 logins",
        tightens: false,
        put: |settings, value| set(&mut settings.policy.logins.builtin_review, logins(value)),
        get: |settings| settings.policy.logins.builtin_review.join(" "),
        stricter: never,
    },
    Setting {
        key: "bot-logins",
        does: "logins of other programs, beside those the forge marks; their blockers count",
        takes: "a list of at most 256 logins",
        tightens: false,
        put: |settings, value| set(&mut settings.policy.logins.bot, logins(value)),
        get: |settings| settings.policy.logins.bot.join(" "),
        stricter: never,
    },
    Setting {
        key: "marker-authors",
        does: "logins whose round markers count; everybody's do when there are none",
        takes: "a list of at most 256 logins",
        tightens: false,
        put: |settings, value| set(&mut settings.policy.marker_authors, logins(value)),
        get: |settings| settings.policy.marker_authors.join(" "),
        stricter: never,
    },
    Setting {
        key: "scope-watch",
        does: "paths and globs of files that a person answers for, whatever the contract claims",
        takes: "a list of at most 64 paths or globs",
        tightens: true,
        put: |settings, value| {
            // A later table adds to an earlier one: nobody takes a file out of sight.
            let watch = &mut settings.policy.scope_watch;
            let added = patterns(value).map(|added| watch.extend(added));
            watch.sort();
            watch.dedup();
            added.is_some()
        },
        get: |settings| settings.policy.scope_watch.join(" "),
        stricter: |new, old| {
            old.scope_watch
                .iter()
                .all(|one| new.scope_watch.contains(one))
        },
    },
    Setting {
        key: "scope-generated",
        does: "paths and globs of generated and lock files, which no criterion has to name",
        takes: "a list of at most 64 paths or globs",
        tightens: false,
        put: |settings, value| set(&mut settings.policy.scope_generated, sorted(value)),
        get: |settings| settings.policy.scope_generated.join(" "),
        stricter: never,
    },
    Setting {
        key: "author-resolves",
        does: "whether the author of a change may resolve review threads on their own",
        takes: "true or false",
        tightens: true,
        put: |settings, value| set(&mut settings.policy.author_resolves, switch(value)),
        get: |settings| settings.policy.author_resolves.to_string(),
        stricter: |new, old| !new.author_resolves || old.author_resolves,
    },
];

/// A setting's value as printed; empty when nothing is set.
#[must_use]
pub fn shown(settings: &Settings, setting: &Setting) -> String {
    (setting.get)(settings)
}
