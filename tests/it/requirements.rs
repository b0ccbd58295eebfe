//! The map from requirements to the tests that hold them: no id without a row, no row without a
//! test that exists, or the reason why it is open.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

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

/// The rows of the log of faults elsewhere that stand in the table: those of the reader, the
/// screen and the runs, and the traps of the libraries below the screen.
const FAULTS: [&str; 20] = [
    "1", "2", "3", "4", "5", "6", "15", "16", "17", "18", "19", "20", "22", "23", "24", "25", "27",
    "28", "29", "34",
];
const TRAPS: u32 = 7;

/// Id, what it asks for, what holds it.
fn rows(table: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/truth");
    let text = fs::read_to_string(path.join(table)).expect("the map");
    let rows = text.lines().filter(|line| {
        line.starts_with("| ") && !line.starts_with("| id ") && !line.starts_with("| row ")
    });
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
    for (id, cell) in rows("requirements.md") {
        *seen.entry(id.clone()).or_default() += 1;
        if let Some(why) = cell.strip_prefix("open: ") {
            assert!(why.len() > 10, "{id}: a reason");
            open.push(id);
            continue;
        }
        held += 1;
        unknown(&id, &cell, &tests, &mut holes);
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

/// Names of a row that are no tests.
fn unknown(id: &str, cell: &str, tests: &BTreeSet<String>, holes: &mut Vec<String>) {
    for name in cell.split(", ").map(|name| name.trim_matches('`')) {
        let known = match name.strip_prefix("unit ") {
            Some(unit) => is_unit_test(unit),
            None => tests.contains(name),
        };
        if !known {
            holes.push(format!("{id}: there is no test {name}"));
        }
    }
}

#[test]
fn every_fault_of_other_tools_names_tests_that_exist() {
    let tests = tests();
    let mut holes = Vec::new();
    let rows = rows("bug-log.md");
    let ids: Vec<&str> = rows.iter().map(|(id, _)| id.as_str()).collect();
    let traps: Vec<String> = (1..=TRAPS).map(|n| format!("trap {n}")).collect();
    let traps = traps.iter().map(String::as_str);
    let wanted: Vec<&str> = FAULTS.into_iter().chain(traps).collect();
    assert_eq!(ids, wanted);
    for (id, cell) in &rows {
        unknown(id, cell, &tests, &mut holes);
    }
    assert!(holes.is_empty(), "{}", holes.join("\n"));
    let says = format!("{} faults of other tools held by tests\n", rows.len());
    let mut out = std::io::stdout();
    out.write_all(says.as_bytes()).expect("printed");
}

#[test]
fn every_attack_that_was_tried_names_tests_that_exist() {
    let tests = tests();
    let mut holes = Vec::new();
    let rows = rows("attempts.md");
    for (at, (id, cell)) in rows.iter().enumerate() {
        let number = id.trim_end_matches(" *");
        assert_eq!(number, (at + 1).to_string(), "{id}");
        unknown(id, cell, &tests, &mut holes);
    }
    assert!(holes.is_empty(), "{}", holes.join("\n"));
    let says = format!("{} attacks that were tried held by tests\n", rows.len());
    let mut out = std::io::stdout();
    out.write_all(says.as_bytes()).expect("printed");
}

/// The list of `.ci/mutations` keeps up with the sources: each fault has one place, and names tests
/// that exist (PRC-5). Whether they catch it is what the script says.
#[test]
fn every_seeded_fault_has_its_place_and_names_tests_that_exist() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = fs::read_to_string(top.join("tests/seeded/bugs.txt")).expect("the list");
    let tests = tests();
    let (mut holes, mut seeded) = (Vec::new(), 0);
    for block in list.split("\n\n").filter(|block| block.starts_with("bug ")) {
        seeded += 1;
        let mut fields: BTreeMap<&str, String> = BTreeMap::new();
        let mut last = "";
        for line in block.lines() {
            let field = line.split_once(' ').map_or("", |(field, _)| field);
            if ["bug", "file", "old", "new", "test"].contains(&field) {
                last = field;
                fields.insert(field, line[field.len() + 1..].to_owned());
            } else if let Some(text) = fields.get_mut(last) {
                text.push('\n');
                text.push_str(line);
            }
        }
        let of = |field: &str| fields.get(field).cloned().unwrap_or_default();
        let source = fs::read_to_string(top.join(of("file"))).unwrap_or_default();
        let times = source.matches(&of("old")).count();
        if times != 1 || !of("new").contains("SEEDED") {
            holes.push(format!("{}: its text stands {times} times", of("bug")));
        }
        unknown(&of("bug"), &of("test"), &tests, &mut holes);
    }
    assert!(holes.is_empty(), "{}", holes.join("\n"));
    assert!(seeded >= 40, "{seeded}");
}

/// Addresses are text: nothing here opens one (FRG-12). A remote is asked by git, a forge by the
/// person's own client or, at a host that the settings name, by the one file that speaks HTTPS.
#[test]
fn no_source_file_opens_an_address() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut waiting = vec![top.join("src")];
    let mut read = 0;
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let inside = fs::read_dir(&path).expect("a folder");
            waiting.extend(inside.map(|entry| entry.expect("an entry").path()));
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        read += 1;
        for word in [
            "xdg-open",
            "sensible-browser",
            "x-www-browser",
            "TcpStream",
            "BROWSER",
        ] {
            assert!(!text.contains(word), "{}: {word}", path.display());
        }
        let speaks = text.contains("ureq");
        let may = path.ends_with("adapters/pulls/direct.rs");
        assert!(may || !speaks, "{}: speaks HTTPS", path.display());
    }
    assert!(read > 100);
    let lock = fs::read_to_string(top.join("Cargo.lock")).expect("the lock file");
    for client in ["reqwest", "hyper", "curl", "webbrowser", "opener"] {
        assert!(!lock.contains(&format!("name = \"{client}\"")), "{client}");
    }
}

/// No wall of ours was measured elsewhere, so that the program is not built there (RUN-30).
#[test]
fn elsewhere_than_on_linux_it_is_not_built() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = fs::read_to_string(top.join("src/lib.rs")).expect("the library");
    let refused = "#[cfg(not(target_os = \"linux\"))]\ncompile_error!(";
    assert!(library.contains(refused));
    let page = fs::read_to_string(top.join("SECURITY.md")).expect("the page");
    assert!(page.contains("- Linux alone."));
}

/// What SECURITY.md owes its readers (PRC-9): every level that the program prints, the limits, and
/// a way to report.
#[test]
fn the_security_page_names_every_level_and_limit() {
    use countersign::model::oracle::Isolation;
    use countersign::model::ruling::Assurance;
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(top.join("SECURITY.md")).expect("the page");
    let assurances = [
        Assurance::Claimed,
        Assurance::Present,
        Assurance::Signed,
        Assurance::Touched,
    ];
    for level in assurances {
        assert!(page.contains(&format!("| {} ", level.label())), "{level:?}");
    }
    let walls = [
        Isolation::None,
        Isolation::Session,
        Isolation::Files,
        Isolation::Network,
    ];
    for wall in walls {
        assert!(page.contains(&format!("| {} ", wall.level())), "{wall:?}");
    }
    for heading in [
        "# Security",
        "## Who attacks",
        "## Assurance levels",
        "## Isolation levels of oracles",
        "## Known limits",
        "## Reporting",
    ] {
        let found = page.lines().any(|line| line == heading);
        assert!(found, "no {heading}");
    }
    assert!(page.contains("privately") && page.contains("named test"));
}

/// What decides, what is recorded, what makes text visible, what writes into files, what matches.
const NEVER_PANICS: [&str; 8] = [
    "src/ledger",
    "src/gate/decide",
    "src/gate/decide.rs",
    "src/adapters/splice",
    "src/adapters/oracle/matcher.rs",
    "src/adapters/oracle/sgr.rs",
    "src/model/text.rs",
    "src/model/hidden.rs",
];

/// Words before a `[` that is no index.
const KEYWORDS: [&str; 15] = [
    "in", "for", "mut", "as", "return", "else", "match", "if", "let", "dyn", "const", "ref",
    "break", "move", "static",
];

/// Calls that can panic, and indexing, in a stream of tokens.
fn can_panic(tokens: TokenStream, found: &mut Vec<String>) {
    let (mut earlier, mut before) = (String::new(), String::new());
    for token in tokens {
        let now = match &token {
            TokenTree::Ident(name) => name.to_string(),
            TokenTree::Punct(mark) => mark.as_char().to_string(),
            TokenTree::Literal(_) => "0".to_owned(),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => "}".to_owned(),
            TokenTree::Group(_) => ")".to_owned(),
        };
        let words = ["panic", "unreachable", "todo", "unsafe"];
        let method = earlier == "." && ["unwrap", "expect"].contains(&before.as_str());
        let called = matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis);
        if words.contains(&now.as_str()) || (method && called) {
            found.push(format!("{before}{now}"));
        }
        if let TokenTree::Group(group) = token {
            let named = before.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == ')');
            if group.delimiter() == Delimiter::Bracket
                && named
                && earlier != "'"
                && !KEYWORDS.contains(&before.as_str())
            {
                found.push(format!("{before}[{}]", group.stream()));
            }
            can_panic(group.stream(), found);
        }
        earlier = std::mem::replace(&mut before, now);
    }
}

#[test]
fn what_decides_has_no_way_to_panic() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut left: Vec<_> = NEVER_PANICS.iter().map(|place| top.join(place)).collect();
    let (mut files, mut wrong) = (0, Vec::new());
    while let Some(path) = left.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder");
            left.extend(entries.map(|entry| entry.expect("an entry").path()));
            continue;
        }
        files += 1;
        let text = fs::read_to_string(&path).expect("a source file");
        let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
        let mut found = Vec::new();
        can_panic(shipped.parse().expect("tokens"), &mut found);
        wrong.extend(
            found
                .iter()
                .map(|what| format!("{}: {what}", path.display())),
        );
    }
    assert!(files > 20, "{files} files were looked at");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let manifest = fs::read_to_string(top.join("Cargo.toml")).expect("the manifest");
    assert!(manifest.contains("unsafe_code = \"deny\""));
    let release = manifest
        .split("[profile.release]")
        .nth(1)
        .unwrap_or_default();
    let release = release.split("\n[").next().unwrap_or_default();
    assert!(release.contains("overflow-checks = true"));
}

/// The check above sees what it is there to see.
#[test]
fn a_way_to_panic_is_seen() {
    for text in [
        "fn f() { x.unwrap(); }",
        "fn f() { a[0]; }",
        "fn f() { g()[i]; }",
    ] {
        let mut found = Vec::new();
        can_panic(text.parse().expect("tokens"), &mut found);
        assert_eq!(found.len(), 1, "{text}");
    }
    let mut found = Vec::new();
    let fine = "#[a] fn f(x: &[u8]) -> [u8; 2] { for y in [1] { vec![y]; } let [a, b] = z; }";
    can_panic(fine.parse().expect("tokens"), &mut found);
    assert_eq!(found, [] as [String; 0]);
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
