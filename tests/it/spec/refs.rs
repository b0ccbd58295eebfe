//! `tests/truth/spec-refs.md`, through the command, in a repository of each case.

use crate::git::repo::Repo;
use crate::support::countersign;
use crate::truth::{self, Case};

const PLACE: &str = ".agents/specs/h/";

fn judged(case: &Case) -> String {
    let repo = Repo::new();
    let files = super::files(&case.input).all;
    repo.write(".agents/specs/h/spec.md", "---\nstatus: draft\n---\n");
    repo.write("docs/there.md", "x");
    let side = |side: &str| {
        for (path, read) in &files {
            let path = String::from_utf8_lossy(path.as_bytes()).into_owned();
            if let Some(path) = path.strip_prefix(side) {
                repo.write(
                    &path.replacen("@/", PLACE, 1),
                    read.as_ref().expect("bytes"),
                );
            }
        }
    };
    side("base ");
    repo.commit("start");
    repo.git(&["checkout", "-q", "-b", "change"]);
    for (path, _) in files.iter() {
        let path = String::from_utf8_lossy(path.as_bytes()).into_owned();
        if let Some(path) = path.strip_prefix("base ") {
            std::fs::remove_file(repo.top.join(path.replacen("@/", PLACE, 1))).expect("removed");
        }
    }
    side("head ");
    let out = countersign(repo.home())
        .current_dir(&repo.top)
        .args(["--json", "spec", "refs"])
        .output()
        .expect("it runs");
    let value: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let mut told = Vec::new();
    for (list, mark) in [("violations", "x"), ("findings", "!")] {
        for note in value[list].as_array().unwrap_or_else(|| panic!("{value}")) {
            let file = note["file"]
                .as_str()
                .expect("a file")
                .replacen(PLACE, "@/", 1);
            let line = note["line"].as_u64().expect("a line");
            let code = note["code"].as_str().expect("a code");
            told.push((file.clone(), line, format!("{mark} {file}:{line} {code}\n")));
        }
    }
    let violations = told.iter().any(|(.., text)| text.starts_with('x'));
    assert_eq!(out.status.code(), Some(i32::from(violations)));
    told.sort();
    let told: String = told.into_iter().map(|(.., text)| text).collect();
    if told.is_empty() {
        String::from("legal\n")
    } else {
        told
    }
}

#[test]
fn references_and_use_cases_are_judged_by_the_table() {
    truth::check("spec-refs.md", judged);
}
