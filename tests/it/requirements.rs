//! The map from requirements to the tests that hold them: no id without a row, no row without a
//! test that exists, or the reason why it is open.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// Every requirement that has to stand in the map: prefix, and how many there are.
const ALL: [(&str, u32); 8] = [
    ("GIT", 20),
    ("TUI", 13),
    ("FRG", 12),
    ("OUT", 15),
    ("RUN", 30),
    ("WB", 8),
    ("PRC", 9),
    ("LED", 24),
];

/// Id, what it asks for, what holds it.
fn rows() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/truth/requirements.md");
    let text = fs::read_to_string(path).expect("the map");
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| id "));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [id, _, tests] = cells[..] else {
            panic!("not three cells: {line}")
        };
        (id.to_owned(), tests.to_owned())
    };
    rows.map(row).collect()
}

/// The tests of this program, as `cargo test` names them.
fn tests() -> BTreeSet<String> {
    let own = std::env::current_exe().expect("a program");
    let listed = Command::new(own).arg("--list").output().expect("it lists");
    let text = String::from_utf8_lossy(&listed.stdout).into_owned();
    let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
    names.map(str::to_owned).collect()
}

/// Whether a unit test stands in the source: `unit adapters::git::regular::name`.
fn is_unit_test(name: &str) -> bool {
    let mut parts: Vec<&str> = name.split("::").collect();
    let Some(function) = parts.pop() else {
        return false;
    };
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src")
        .join(parts.join("/"));
    let places = [source.with_extension("rs"), source.join("mod.rs")];
    let texts = places
        .iter()
        .filter_map(|place| fs::read_to_string(place).ok());
    let wanted = format!("    fn {function}() ");
    texts.into_iter().any(|text| text.contains(&wanted))
}

#[test]
fn every_requirement_names_tests_that_exist() {
    let tests = tests();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let (mut held, mut open) = (0, Vec::new());
    let mut holes = Vec::new();
    for (id, cell) in rows() {
        *seen.entry(id.clone()).or_default() += 1;
        if let Some(why) = cell.strip_prefix("open: ") {
            assert!(why.len() > 10, "{id}: a reason");
            open.push(id);
            continue;
        }
        held += 1;
        let names: Vec<&str> = cell
            .split(", ")
            .map(|name| name.trim_matches('`'))
            .collect();
        for name in names {
            let known = match name.strip_prefix("unit ") {
                Some(unit) => is_unit_test(unit),
                None => tests.contains(name),
            };
            if !known {
                holes.push(format!("{id}: there is no test {name}"));
            }
        }
    }
    for (prefix, count) in ALL {
        for number in 1..=count {
            let id = format!("{prefix}-{number}");
            match seen.get(&id) {
                Some(1) => {}
                Some(_) => holes.push(format!("{id} stands twice")),
                None => holes.push(format!("{id} is missing")),
            }
        }
    }
    assert!(holes.is_empty(), "{}", holes.join("\n"));
    let open = open.join(" ");
    let says = format!("{held} requirements held by tests, open: {open}\n");
    let mut out = std::io::stdout();
    out.write_all(says.as_bytes()).expect("printed");
}

/// The source files that start git, and why each may (GIT-1, GIT-2, rulings K18).
const STARTS_GIT: [(&str, &str); 3] = [
    (
        "src/adapters/pulls/client.rs",
        "starts gh or glab in an empty folder of ours, for a host that it names itself",
    ),
    (
        "src/adapters/sync/git.rs",
        "fetches and pushes in private repositories of ours, which it names itself",
    ),
    (
        "src/cli/doctor.rs",
        "asks it for its version, outside of any repository",
    ),
];

#[test]
fn no_source_file_starts_git_on_a_repository() {
    let mut left = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut found = Vec::new();
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                left.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            for call in [
                "Command::new(\"git",
                "Command::new(\"gh",
                "arg(\"git",
                "exec git",
            ] {
                if text.contains(call) {
                    let below = path.strip_prefix(env!("CARGO_MANIFEST_DIR"));
                    found.push(below.expect("below it").to_string_lossy().into_owned());
                }
            }
        }
    }
    found.sort();
    let may: Vec<&str> = STARTS_GIT.iter().map(|(file, _)| *file).collect();
    assert_eq!(found, may);
    // A client is told its host and starts where no repository is.
    let source = |at: usize| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(STARTS_GIT[at].0);
        fs::read_to_string(path).expect("the source")
    };
    let text = source(0);
    assert!(text.contains(".current_dir(&self.cwd)") && text.contains("\"--hostname\""));
    // Each call of git names the repository it runs in.
    let text = source(1);
    assert_eq!(text.matches("Command::new(").count(), 1);
    assert!(text.contains(".arg(\"--git-dir\")") && text.contains("git.env_clear()"));
}
