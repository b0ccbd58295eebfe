//! The house rules that a compiler does not check: layers, doors, names, sizes.
//!
//! Sources are read as tokens, so that an import hidden in a macro body counts as well.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

/// Layer, and the layers of ours it may name (ARCHITECTURE.md).
const LAYERS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("gate", &["model"]),
    ("ledger", &["model", "gate"]),
    ("app", &["model", "gate"]),
    ("view", &["model", "gate", "app"]),
    ("config", &["model", "gate", "app", "view"]),
    ("adapters", &["model", "gate", "ledger"]),
    (
        "runtime",
        &[
            "model", "gate", "ledger", "app", "view", "config", "adapters", "plain",
        ],
    ),
    (
        "plain",
        &[
            "model", "gate", "ledger", "app", "view", "config", "adapters", "runtime",
        ],
    ),
    (
        "cli",
        &[
            "model", "gate", "ledger", "app", "view", "config", "adapters", "runtime", "plain",
        ],
    ),
];

/// Outside names that an inner layer must not speak.
const FORBIDDEN: &[(&str, &[&str])] = &[
    (
        "model",
        &[
            "serde",
            "git2",
            "ratatui",
            "crossterm",
            "tokio",
            "fs",
            "SystemTime",
            "Instant",
            "env",
        ],
    ),
    (
        "gate",
        &[
            "serde",
            "git2",
            "ratatui",
            "crossterm",
            "tokio",
            "fs",
            "SystemTime",
            "Instant",
            "env",
            "HashMap",
            "HashSet",
        ],
    ),
    (
        "ledger",
        &[
            "git2",
            "ratatui",
            "crossterm",
            "tokio",
            "fs",
            "SystemTime",
            "Instant",
            "env",
            "HashMap",
            "HashSet",
        ],
    ),
    (
        "app",
        &[
            "serde",
            "git2",
            "ratatui",
            "crossterm",
            "tokio",
            "fs",
            "SystemTime",
            "Instant",
            "env",
        ],
    ),
    (
        "view",
        &[
            "git2",
            "crossterm",
            "tokio",
            "fs",
            "SystemTime",
            "Instant",
            "env",
        ],
    ),
    (
        "config",
        &[
            "git2",
            "crossterm",
            "tokio",
            "fs",
            "SystemTime",
            "Instant",
            "env",
        ],
    ),
    ("adapters", &["ratatui", "crossterm"]),
];

/// A token that only these files may hold, and why.
const DOORS: &[(&str, &[&str], &str)] = &[
    (
        "replayed",
        &["src/gate/decide.rs", "src/ledger/codec"],
        "a decision is read back by the codec only",
    ),
    (
        "set_symbol",
        &["src/view/sweep.rs"],
        "a cell is written by the sweep only (OUT-1)",
    ),
    (
        "unsafe_code",
        &["src/adapters/sys.rs"],
        "no unsafe outside one system module (K37)",
    ),
];

/// Most code lines of one file: not blank, not a comment, not in its test module.
const FILE_LINES: usize = 520;

struct Source {
    path: PathBuf,
    name: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut waiting = vec![root().join(folder)];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(root()).expect("below the root");
                found.push(Source {
                    name: name.to_string_lossy().into_owned(),
                    text: fs::read_to_string(&path).expect("readable source"),
                    path,
                });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(
        !found.is_empty(),
        "no source in {folder}: the check looks at nothing"
    );
    found
}

/// The source without its `#[cfg(test)]` module at the end.
fn shipped(text: &str) -> &str {
    text.find("#[cfg(test)]\nmod tests")
        .map_or(text, |at| &text[..at])
}

/// Every path root that follows `crate::` (or `countersign::`), and every identifier.
fn names(text: &str, name: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let tokens: TokenStream = text.parse().unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut flat = Vec::new();
    flatten(tokens, &mut flat);
    let mut roots = BTreeSet::new();
    let mut all = BTreeSet::new();
    for (at, word) in flat.iter().enumerate() {
        if word
            .chars()
            .next()
            .is_some_and(|c| c.is_alphabetic() || c == '_')
        {
            all.insert(word.clone());
        }
        if (word == "crate" || word == "countersign")
            && flat.get(at + 1).is_some_and(|w| w == ":")
            && let Some(next) = flat.get(at + 3)
        {
            if next == "{" {
                let mut depth = 0;
                for (k, inner) in flat[at + 3..].iter().enumerate() {
                    match inner.as_str() {
                        "{" => depth += 1,
                        "}" => depth -= 1,
                        _ if depth == 1 && matches!(flat[at + 2 + k].as_str(), "{" | ",") => {
                            roots.insert(inner.clone());
                        }
                        _ => {}
                    }
                    if depth == 0 {
                        break;
                    }
                }
            } else {
                roots.insert(next.clone());
            }
        }
    }
    (roots, all)
}

fn flatten(tokens: TokenStream, into: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    proc_macro2::Delimiter::Brace => ("{", "}"),
                    proc_macro2::Delimiter::Parenthesis => ("(", ")"),
                    proc_macro2::Delimiter::Bracket => ("[", "]"),
                    proc_macro2::Delimiter::None => ("", ""),
                };
                into.push(open.into());
                flatten(group.stream(), into);
                into.push(close.into());
            }
            TokenTree::Ident(ident) => into.push(ident.to_string()),
            TokenTree::Punct(punct) => into.push(punct.as_char().to_string()),
            TokenTree::Literal(_) => into.push("\"".into()),
        }
    }
}

fn layer_of(name: &str) -> Option<&str> {
    name.strip_prefix("src/")?
        .split('/')
        .next()
        .map(|first| first.trim_end_matches(".rs"))
}

#[test]
fn layers_name_only_what_lies_below_them() {
    let ours: BTreeSet<&str> = LAYERS.iter().map(|(layer, _)| *layer).collect();
    let mut faults = Vec::new();
    for source in sources("src") {
        let Some(layer) = layer_of(&source.name).filter(|l| !matches!(*l, "lib" | "main")) else {
            continue;
        };
        let Some((_, may)) = LAYERS.iter().find(|(name, _)| *name == layer) else {
            faults.push(format!("{}: {layer} is no layer", source.name));
            continue;
        };
        let (roots, all) = names(shipped(&source.text), &source.name);
        for root in roots.iter().filter(|r| ours.contains(r.as_str())) {
            if root != layer && !may.contains(&root.as_str()) {
                faults.push(format!("{}: {layer} names {root}", source.name));
            }
        }
        for (_, words) in FORBIDDEN.iter().filter(|(name, _)| *name == layer) {
            for word in words.iter().filter(|w| all.contains(**w)) {
                faults.push(format!("{}: {layer} speaks of {word}", source.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_door_has_one_key() {
    let mut faults = Vec::new();
    for source in sources("src") {
        let (_, all) = names(&source.text, &source.name);
        for (word, files, why) in DOORS {
            let allowed = files.iter().any(|file| source.name.starts_with(file));
            if all.contains(*word) && !allowed {
                faults.push(format!("{}: {word}: {why}", source.name));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn files_say_what_they_are_for_and_stay_small() {
    let mut faults = Vec::new();
    for source in sources("src").into_iter().chain(sources("tests")) {
        if !source.text.starts_with("//!") {
            faults.push(format!("{}: does not open with //!", source.name));
        }
        let stem = source
            .path
            .file_stem()
            .map(|s| s.to_string_lossy().into_owned());
        if stem.is_some_and(|s| {
            [
                "util", "utils", "helper", "helpers", "common", "manager", "misc",
            ]
            .contains(&s.as_str())
        }) {
            faults.push(format!("{}: a name that says nothing", source.name));
        }
        let code = shipped(&source.text)
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with("//"))
            .count();
        if source.name.starts_with("src/") && code > FILE_LINES {
            faults.push(format!(
                "{}: {code} code lines, at most {FILE_LINES}",
                source.name
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn machine_paths_do_not_ship() {
    let mut faults = Vec::new();
    let machine = ["/ro", "ot/"].concat();
    for source in sources("src").into_iter().chain(sources("tests")) {
        if source.text.contains(&machine) {
            faults.push(format!("{}: a machine path", source.name));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn only_the_agreed_folders_stand_at_the_top() {
    let allowed = ["src", "assets", "tests", "screenshots", "target"];
    for entry in fs::read_dir(root()).expect("a readable root") {
        let entry = entry.expect("a readable entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() && !name.starts_with('.') {
            assert!(
                allowed.contains(&name.as_str()),
                "{name} is not a folder of this project"
            );
        }
    }
}

#[test]
fn the_layer_check_sees_a_hidden_import() {
    let text = "macro_rules! m { () => { crate::adapters::x() } } use crate::{gate::a, cli::{b}};";
    let (roots, _) = names(text, "text");
    assert_eq!(
        roots.into_iter().collect::<Vec<_>>(),
        ["adapters", "cli", "gate"]
    );
}
