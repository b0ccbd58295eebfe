//! Every file of the hostile corpus: what is said of it, and that nothing of it reaches a
//! terminal as more than text.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use countersign::model::disguise;
use countersign::model::hidden::Marks;
use countersign::model::text::is_hidden;

use crate::git::repo::Repo;
use crate::support::{countersign_as_other_user, hand_over};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/hostile")
}

/// File, exit, words.
fn expectations() -> BTreeMap<String, (i32, String)> {
    let text = fs::read_to_string(folder().join("README.md")).expect("the table");
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains('`'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.splitn(4, '|').map(str::trim).collect();
        let [_, file, exit, says] = cells[..] else {
            panic!("{line}")
        };
        let says = says.trim_end_matches('|').trim();
        let says = says.trim_start_matches('`').trim_end_matches('`');
        (
            file.to_owned(),
            (exit.parse().expect("a number"), says.to_owned()),
        )
    };
    rows.map(row).collect()
}

fn files() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the corpus");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.into_string().expect("a name"))
        .collect();
    names.retain(|name| name != "README.md");
    names.sort();
    names
}

/// Bytes of an output that a terminal would obey, swallow or draw nothing for.
pub(crate) fn obeyed(output: &[u8]) -> Vec<String> {
    let Ok(text) = std::str::from_utf8(output) else {
        return vec!["not UTF-8".to_owned()];
    };
    let bad = text
        .chars()
        .filter(|c| is_hidden(*c) && !"\n\r".contains(*c));
    bad.map(|c| format!("U+{:04X}", u32::from(c))).collect()
}

#[test]
fn every_file_has_its_expectation_and_meets_it() {
    let expected = expectations();
    let listed: Vec<&String> = expected.keys().collect();
    assert_eq!(files().iter().collect::<Vec<_>>(), listed);
    for (file, (exit, says)) in &expected {
        for json in [false, true] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
            command.args(["contract", "show"]).arg(folder().join(file));
            if json {
                command.arg("--json");
            }
            let done = command.output().expect("it runs");
            let text = String::from_utf8_lossy(&done.stdout);
            assert_eq!(done.status.code(), Some(*exit), "{file}: {text}");
            let sent = [done.stdout.as_slice(), &done.stderr].concat();
            assert_eq!(obeyed(&sent), [] as [String; 0], "{file}, json {json}");
            assert!(
                json || text.contains(says.as_str()),
                "{file}: no {says} in\n{text}"
            );
        }
    }
}

/// All of them changed by one change, read in lines: their names, and the diff of each.
#[test]
fn nothing_of_the_corpus_is_obeyed_when_its_diff_is_read() {
    let repo = Repo::with_change();
    for file in files() {
        let bytes = fs::read(folder().join(&file)).expect("a file");
        repo.write(&format!("corpus/{file}"), bytes);
    }
    repo.write(
        "contracts/tide.md",
        "# Tide\n\n## Acceptance criteria\n\n- [ ] It is shown\n",
    );
    repo.commit("corpus");
    hand_over(repo.home());
    let mut child = countersign_as_other_user(repo.home())
        .args(["review", "--plain", "--contract", "contracts/tide.md"])
        .env("COUNTERSIGN_HOME", repo.home().join("own"))
        .current_dir(&repo.top)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut lines = String::from("l\n");
    for file in files() {
        lines.push_str(&format!("corpus/{file}\nd corpus/{file}\n"));
    }
    lines.push_str("v\nq\n");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || {
        std::io::Write::write_all(&mut stdin, lines.as_bytes()).expect("the lines are taken");
    });
    let done = child.wait_with_output().expect("it ends");
    writer.join().expect("written");
    let text = String::from_utf8_lossy(&done.stdout);
    assert_eq!(obeyed(&done.stdout), [] as [String; 0]);
    for shown in [
        "^[]52;c;",
        "<U+202E># hs.edit",
        "<hidden text: ratify me>",
        "<9B>31m",
    ] {
        assert!(text.contains(shown), "no {shown} in\n{text}");
    }
}

fn honest() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/honest")
}

/// Texts in many languages, and names: no badge beside any of them, and no mark in their prose
/// but for odd blanks, icons and line ends.
#[test]
fn no_badge_stands_beside_honest_texts() {
    let entries = fs::read_dir(honest()).expect("the corpus");
    let (mut lines, mut badges) = (0, Vec::new());
    for entry in entries {
        let path = entry.expect("an entry").path();
        let bytes = fs::read(&path).expect("a file");
        let whole = Marks::of(&bytes, true);
        if let Some(badge) = whole.badge() {
            badges.push(format!("{}: {badge}, {}", path.display(), whole.says()));
        }
        for line in bytes.split(|byte| *byte == b'\n') {
            lines += 1;
            let marks = Marks::of(line, true);
            if marks.is_loud() {
                let text = String::from_utf8_lossy(line);
                badges.push(format!("{}: {text}: {}", path.display(), marks.says()));
            }
        }
    }
    let names = fs::read_to_string(honest().join("names.txt")).expect("the names");
    for name in names.lines() {
        lines += 1;
        let marks = Marks::of_strict(&name.into());
        if let Some(disguise) = disguise::of_name(name) {
            badges.push(format!("{name}: {}", disguise.says()));
        }
        if marks.is_loud() {
            badges.push(format!("{name}: {}", marks.says()));
        }
    }
    assert!(badges.is_empty(), "{}", badges.join("\n"));
    let says = format!("honest texts: {lines} lines, 0 badges\n");
    let mut out = std::io::stdout();
    std::io::Write::write_all(&mut out, says.as_bytes()).expect("printed");
}

/// The sources of the program itself, as a real code base: the only badges stand beside what is
/// hostile on purpose.
#[test]
fn the_only_badges_in_our_own_sources_are_meant() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut left: Vec<PathBuf> = ["src", "tests/it", "assets/docs"]
        .map(|at| top.join(at))
        .into();
    let (mut files, mut flagged) = (0, Vec::new());
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                left.push(path);
                continue;
            }
            files += 1;
            let bytes = fs::read(&path).expect("a file");
            if Marks::of(&bytes, true).is_loud() {
                flagged.push(path.file_name().expect("a name").to_owned());
            }
        }
    }
    // a keyword of one language is written with a joiner of no letter
    assert_eq!(flagged, ["languages.tsv"], "of {files}");
}
