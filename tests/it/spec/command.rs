//! The commands of the spec gate on trees that lie on disk.

use std::path::Path;

use crate::support::countersign;

/// Lays files out below a folder.
pub(crate) fn lay(top: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let place = top.join(path);
        std::fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        std::fs::write(place, text).expect("written");
    }
}

/// Runs a part: exit code, document.
pub(crate) fn run(top: &Path, words: &[&str]) -> (i32, serde_json::Value) {
    let out = countersign(top)
        .current_dir(top)
        .arg("--json")
        .arg("spec")
        .args(words)
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    (out.status.code().expect("a code"), value)
}

#[test]
fn a_root_that_is_not_there_or_holds_nothing_is_no_pass() {
    let home = tempfile::tempdir().expect("a folder");
    let top = home.path();
    std::fs::create_dir(top.join("empty")).expect("a folder");
    let rows: [(&[&str], i32, &str); 5] = [
        (&["state"], 10, "no-specs"),
        (&["state", "--root", "nowhere"], 10, "no-root"),
        (&["state", "--root", "empty"], 10, "no-specs"),
        (
            &["state", "--root", "nowhere", "--allow-empty"],
            10,
            "no-root",
        ),
        (&["state", "--root", "/"], 2, "outside"),
    ];
    for (words, code, kind) in rows {
        let (exit, value) = run(top, words);
        assert_eq!((exit, &value["code"]), (code, &kind.into()), "{words:?}");
    }
    let (exit, value) = run(top, &["state", "--root", "empty", "--allow-empty"]);
    assert_eq!((exit, &value["roots"]), (0, &0.into()));
}

#[test]
fn specs_are_found_at_their_places_and_one_bad_file_hides_none() {
    let home = tempfile::tempdir().expect("a folder");
    let top = home.path();
    lay(
        top,
        &[
            (".agents/spec/spec.md", "---\nstatus: draft\n---\n"),
            (".agents/specs/a/spec.md", "---\nstatus: done\n---\n"),
            ("packages/b/.agents/spec/spec.md", "---\nstatus: [\n---\n"),
            ("node_modules/c/.agents/spec/spec.md", "no\n"),
            ("sub/.git", "gitdir: elsewhere\n"),
            ("sub/.agents/spec/spec.md", "no\n"),
            ("docs/spec.md", "no\n"),
        ],
    );
    std::fs::write(
        top.join(".agents/spec/README.md"),
        b"---\nstatus: \xff\n---\n",
    )
    .expect("written");
    let (exit, value) = run(top, &["state"]);
    assert_eq!(exit, 1);
    let told: Vec<_> = value["violations"]
        .as_array()
        .expect("violations")
        .iter()
        .map(|v| format!("{}:{} {}", v["file"], v["line"], v["code"]).replace('"', ""))
        .collect();
    assert_eq!(
        told,
        [
            ".agents/spec/README.md:0 unreadable",
            ".agents/specs/a/spec.md:2 unknown-status",
            "packages/b/.agents/spec/spec.md:3 frontmatter",
        ]
    );
    let (exit, value) = run(
        top,
        &[
            "state",
            "--root",
            ".agents/specs",
            "--files",
            "packages/b/x.md",
        ],
    );
    assert_eq!((exit, &value["roots"]), (0, &0.into()));
}
