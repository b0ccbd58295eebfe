//! Where an audit is started from, and what skills are called: neither changes what it finds, and
//! no name reaches a terminal as it is.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::command::{TIDE, edit, repo};
use crate::git::repo::{Repo, run};

fn chains_from(repo: &Repo, dir: &Path, args: &[&str]) -> (i32, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .arg("chains")
        .args(args)
        .current_dir(dir)
        .env("COUNTERSIGN_HOME", repo.home().join("own"))
        .output()
        .expect("it runs");
    let text = String::from_utf8(out.stdout).expect("UTF-8, whatever the names are");
    (out.status.code().expect("an exit"), text)
}

const SCOPES: [&[&str]; 4] = [
    &[],
    &["--all"],
    &["--pr", "--base", "main"],
    &["--skill", "tide-watch"],
];

/// The golden tree on a branch that changed one skill, and changes another.
fn busy() -> Repo {
    let repo = repo("golden");
    run(&repo.top, &["checkout", "-q", "-b", "feature"]);
    edit(&repo, TIDE);
    repo.commit("tide");
    edit(&repo, "plugins/mole/skills/steel-quench/SKILL.md");
    repo
}

#[test]
fn a_folder_below_finds_what_the_top_finds() {
    let repo = busy();
    let below = repo.top.join("plugins/mole/skills/tide-watch");
    for scope in SCOPES {
        let at_top = chains_from(&repo, &repo.top, scope);
        assert_eq!(chains_from(&repo, &below, scope), at_top, "{scope:?}");
        assert!(at_top.1.contains("## Step 1"), "{scope:?}: {}", at_top.1);
    }
    // a root is named from where one stands
    let (code, text) = chains_from(&repo, &below, &["--all", "--root", "."]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("Skills audited: 1"), "{text}");
}

#[test]
fn a_detached_head_is_measured_like_a_branch() {
    let repo = busy();
    let on_branch = SCOPES.map(|scope| chains_from(&repo, &repo.top, scope));
    run(&repo.top, &["checkout", "-q", "--detach"]);
    let detached = SCOPES.map(|scope| chains_from(&repo, &repo.top, scope));
    assert_eq!(detached, on_branch);
}

#[test]
fn an_unborn_head_has_no_change_to_look_at() {
    let repo = Repo::new();
    repo.write("skills/one/SKILL.md", "# One\n");
    for args in [&[][..], &["--pr"], &["--base", "main"]] {
        let (code, text) = chains_from(&repo, &repo.top, args);
        assert_eq!(code, 10, "{args:?} {text}");
        assert!(text.starts_with("HARNESS_ERROR: "), "{args:?} {text}");
        assert!(!text.contains("skipped"), "{args:?} {text}");
    }
    for args in [&["--all"][..], &["--skill", "one"]] {
        let (code, text) = chains_from(&repo, &repo.top, args);
        assert_eq!(code, 0, "{args:?} {text}");
        assert!(text.contains("Skills audited: 1"), "{args:?} {text}");
    }
}

#[test]
fn a_skill_is_named_whole_with_or_without_its_plugin() {
    let repo = repo("golden");
    for (name, found) in [
        ("tide-watch", true),
        ("mole:tide-watch", true),
        ("watch", false),
        ("tide", false),
        ("TIDE-WATCH", false),
        ("other:tide-watch", false),
        ("skills/tide-watch", false),
        ("*", false),
        ("", false),
    ] {
        let (code, text) = chains_from(&repo, &repo.top, &["--skill", name, "--json"]);
        let document: Value = serde_json::from_str(&text).expect("one document");
        if found {
            assert_eq!(document["skills"][0]["name"], "tide-watch", "{name}");
        } else {
            assert_eq!(
                (code, &document["code"]),
                (10, &Value::from("no-such-skill")),
                "{name}"
            );
        }
    }
}

#[test]
fn no_name_reaches_a_terminal_as_it_is() {
    let repo = Repo::new();
    let text =
        "# S\n\n## Chains\n\n- → Mandatory next: `gone\u{202e}pilot`\n\n## Done When\n\n- done\n";
    let names: [&[u8]; 6] = [
        b"line\nbreak",
        b"esc\x1b[2Jape",
        "turn\u{202e}ed".as_bytes(),
        b"caf\xe9",
        b"--all",
        b"quote\"|`$(x)",
    ];
    for (number, name) in names.iter().enumerate() {
        let folder = repo.top.join("skills").join(OsStr::from_bytes(name));
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("SKILL.md"), format!("{text}{number}\n")).expect("written");
    }
    let named = "---\nname: \"a\u{1b}]0;b\u{7}\u{200b}\"\n---\n".to_owned() + text;
    repo.write("skills/named/SKILL.md", named);
    repo.commit("names");
    for form in [
        &["--all"][..],
        &["--all", "--format", "md"],
        &["--all", "--format", "map"],
    ] {
        let (_, text) = chains_from(&repo, &repo.top, form);
        let raw = |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{200b}".contains(c));
        assert!(!text.contains(raw), "{form:?} {text:?}");
        assert!(!text.contains("line\nbreak"), "{form:?} {text}");
    }
    let (_, text) = chains_from(&repo, &repo.top, &["--all", "--json"]);
    let document: Value = serde_json::from_str(&text).expect("one document");
    let skills = document["skills"].as_array().expect("skills");
    assert_eq!(skills.len(), names.len() + 1);
    assert!(!text.contains('\u{1b}'), "{text}");
}
