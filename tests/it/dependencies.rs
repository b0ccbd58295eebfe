//! What is built in: licenses that may be shipped, one registry, one copy of the screen crates.

use std::process::Command;

/// Licenses that may be shipped under MIT or Apache-2.0.
const LICENSES: &[&str] = &[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "0BSD",
    "BSL-1.0",
    "CC0-1.0",
    "Unlicense",
    "Unicode-3.0",
    "MPL-2.0",
    "WTFPL",
];

/// Crates that must stand in the tree once: two copies of one do not know each other's types.
const ONCE: &[&str] = &[
    "ratatui",
    "ratatui-core",
    "crossterm",
    "unicode-width",
    "git2",
    "rustix",
];

/// Crates that must not come in, and why.
const NEVER: &[(&str, &str)] = &[
    (
        "tui-textarea",
        "it is stuck on an old ratatui; ratatui-textarea goes on",
    ),
    ("openssl-sys", "no TLS library of the system"),
    (
        "fancy-regex",
        "onig is the faster highlighter (rulings K22)",
    ),
    ("terminal-colorsaurus", "no terminal queries (rulings K21)"),
];

/// Name, license and place of every crate that is really built.
fn built_in() -> Vec<(String, String, String)> {
    let out = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--locked",
            "--offline",
            "--prefix",
            "none",
            "--no-dedupe",
        ])
        .args(["--edges", "normal,build,dev", "--format", "{p}\t{l}\t{r}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let mut rows: Vec<_> = text
        .lines()
        .filter_map(|line| {
            let (package, license) = line.split_once('\t')?;
            let license = license.split('\t').next()?;
            let name = package.split(' ').next()?;
            Some((name.to_owned(), license.to_owned(), package.to_owned()))
        })
        .filter(|(name, _, _)| name != "countersign")
        .collect();
    rows.sort();
    rows.dedup();
    assert!(rows.len() > 100, "the check looks at nothing");
    rows
}

/// Whether an SPDX expression can be met: every `AND` part has an allowed `OR` choice.
fn may_ship(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ");
    plain.split(" AND ").all(|part| {
        part.split(" OR ")
            .any(|choice| LICENSES.contains(&choice.trim()))
    })
}

#[test]
fn every_crate_may_be_shipped_and_comes_from_the_registry() {
    let mut faults = Vec::new();
    for (name, license, package) in built_in() {
        if !may_ship(&license) {
            faults.push(format!("{name}: license {license:?}"));
        }
        // cargo names a folder or a repository behind the version, the registry never
        if package.contains("(http") || package.contains("(git") || package.contains("(/") {
            faults.push(format!("{name}: does not come from the registry"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_tree_holds_one_copy_of_what_must_be_one_and_none_of_what_must_not_be() {
    let crates = built_in();
    for name in ONCE {
        assert_eq!(
            crates.iter().filter(|(n, _, _)| n == name).count(),
            1,
            "{name}"
        );
    }
    for (name, why) in NEVER {
        assert!(!crates.iter().any(|(n, _, _)| n == name), "{name}: {why}");
    }
}

#[test]
fn a_license_is_read_as_written() {
    let rows = [
        ("MIT OR Apache-2.0", true),
        ("MIT/Apache-2.0", true),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("MIT AND GPL-3.0-only", false),
        ("EUPL-1.2", false),
    ];
    for (expression, wanted) in rows {
        assert_eq!(may_ship(expression), wanted, "{expression}");
    }
}
