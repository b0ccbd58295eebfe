//! Truth tables in Markdown: each file of `tests/truth` is documentation and test at once.
//!
//! A case is a heading, a block of input and a block of what must come out. Blocks are fenced by
//! five tildes, so that contracts with fences of their own can stand in them.

use std::path::Path;

/// One case.
pub(crate) struct Case {
    /// The heading above it.
    pub title: String,
    /// The word after the opening tildes of the input.
    pub form: String,
    /// The input, line ends included.
    pub input: String,
    /// What must come out, line by line.
    pub says: String,
}

/// All cases of a file in `tests/truth`.
pub(crate) fn cases(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/truth")
        .join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    let mut title = String::new();
    let mut block: Option<(String, String)> = None;
    let mut pending: Option<(String, String)> = None;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end_matches('\n');
        match (block.as_mut(), bare.strip_prefix("~~~~~")) {
            (None, Some(info)) => block = Some((info.trim().to_owned(), String::new())),
            (Some(_), Some(_)) => {
                let (form, body) = block.take().unwrap();
                if form == "says" {
                    let (form, input) = pending.take().expect("an input before every says");
                    cases.push(Case {
                        title: title.clone(),
                        form,
                        input,
                        says: body,
                    });
                } else {
                    assert!(pending.is_none(), "{title}: an input without says");
                    pending = Some((form, body));
                }
            }
            (Some((_, body)), None) => body.push_str(line),
            (None, None) => {
                if let Some(heading) = bare.strip_prefix("### ") {
                    heading.clone_into(&mut title);
                }
            }
        }
    }
    assert!(
        block.is_none() && pending.is_none(),
        "{file}: unclosed block"
    );
    assert!(!cases.is_empty(), "{file}: no cases");
    cases
}

/// Runs every case of a file through `render` and reports all that differ at once.
pub(crate) fn check(file: &str, render: impl Fn(&Case) -> String) {
    let mut wrong = Vec::new();
    for case in cases(file) {
        let got = render(&case);
        if got.trim_end() != case.says.trim_end() {
            wrong.push(format!(
                "### {}\n--- wanted\n{}--- got\n{got}",
                case.title, case.says
            ));
        }
    }
    assert!(wrong.is_empty(), "{file}:\n{}", wrong.join("\n"));
}
