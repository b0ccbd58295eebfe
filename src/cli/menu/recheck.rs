//! `countersign menu recheck`: the six checks of a hotfix against the real change. What names of
//! files can tell speaks against a check and never for it.

use std::path::Path;

use serde_json::json;

use crate::cli::Context;
use crate::cli::contract::print;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::place;
use crate::cli::report::Report;
use crate::gate::menu::chase::PREDICATES;
use crate::gate::menu::recheck::{Sign, Touched, recheck};
use crate::model::change::{ChangeKind, FileChange};
use crate::model::id::RepoPath;
use crate::model::text::{Foreign, Place};

/// Runs it.
pub(super) fn run(
    context: &Context,
    file: Option<&Path>,
    base: Option<&str>,
) -> Result<Exit, Report> {
    let declared = match file {
        Some(file) => super::message(&context.dir, file)?.eligibility,
        None => None,
    };
    let (opened, files) = place::changed(&context.dir, base)?;
    let signs = recheck(&touched(&files));
    let against = signs.iter().any(|sign| matches!(sign, Sign::Against(_)));
    let look = signs.iter().any(|sign| matches!(sign, Sign::Look(_)));
    let contradicted = against && declared.as_ref().is_some_and(|line| line.eligible);
    if context.json {
        let rows = PREDICATES.iter().zip(&signs).map(|(predicate, sign)| {
            let (word, path) = said(sign);
            json!({
                "n": predicate.n,
                "words": predicate.words,
                "safety": predicate.safety,
                "sign": word,
                "path": path.map(|path| path.json().0),
            })
        });
        print_json(&json!({
            "schema": "countersign/menu-recheck/1",
            "base": opened.snapshot.base.to_string(),
            "head": opened.snapshot.head.to_string(),
            "declared": declared.as_ref().map(|line| {
                json!({"eligible": line.eligible, "text": plain(&line.text)})
            }),
            "predicates": rows.collect::<Vec<_>>(),
            "contradicted": contradicted,
        }));
    } else {
        let mut out = Vec::new();
        if let Some(line) = &declared {
            out.push(format!("declared: {}", plain(&line.text)));
        }
        for (predicate, sign) in PREDICATES.iter().zip(&signs) {
            let says = match sign {
                Sign::Against(path) => format!("broken by {}", plain(&path.foreign())),
                Sign::Look(path) => format!("look at {}", plain(&path.foreign())),
                Sign::None => "no name of a file speaks against it".into(),
                Sign::Declared => "stays as declared, names of files say nothing".into(),
            };
            out.push(format!("{}. {} - {says}", predicate.n, predicate.words));
        }
        if contradicted {
            out.push("the change contradicts what was declared".into());
        }
        print(&out);
    }
    Ok(if against {
        Exit::NotClear
    } else if look {
        Exit::PersonNeeded
    } else {
        Exit::Clear
    })
}

/// Both names of a file that was renamed count: the old one is gone, the new one is new.
fn touched(files: &[FileChange]) -> Vec<Touched> {
    let mut out = Vec::new();
    for file in files {
        let renamed = file.old_path.is_some();
        out.extend(file.old_path.iter().map(|path| Touched {
            path: path.clone(),
            added: false,
        }));
        out.push(Touched {
            path: file.path.clone(),
            added: file.kind == ChangeKind::Added && !renamed,
        });
    }
    out
}

fn said(sign: &Sign) -> (&'static str, Option<&RepoPath>) {
    match sign {
        Sign::Against(path) => ("against", Some(path)),
        Sign::Look(path) => ("look", Some(path)),
        Sign::None => ("none", None),
        Sign::Declared => ("declared", None),
    }
}

fn plain(text: &Foreign) -> String {
    text.shown(Place::Strict).plain()
}
