//! Lints about oracles that can pass without proving anything (contract-gates 1.11 and 1.13,
//! H34, RUN-19).

use crate::model::oracle::Expect;

use super::lint::Seen;
use super::shell::{Joint, Simple};

/// Programs that print or do nothing.
const CONSTANT: [&str; 4] = ["echo", "printf", "true", ":"];

/// Markers that many outputs hold.
const WEAK_MARKERS: [&str; 20] = [
    "ok",
    "okay",
    "done",
    "pass",
    "passed",
    "passes",
    "success",
    "successful",
    "succeeded",
    "complete",
    "completed",
    "finished",
    "yes",
    "true",
    "0",
    "good",
    "fine",
    "working",
    "works",
    "test result: ok",
];

/// Folders that exist on one machine only.
const MACHINE_FOLDERS: [&str; 8] = [
    "/home",
    "/Users",
    "/root",
    "/private",
    "/mnt",
    "/media",
    "/workspace",
    "/workspaces",
];

fn is_constant(simple: &Simple) -> bool {
    let program = simple.program();
    let compares = matches!(program, "test" | "[" | "[[")
        && !simple.args().any(|arg| {
            arg.contains('$')
                || matches!(arg, "-e" | "-f" | "-d" | "-s" | "-x" | "-r" | "-w" | "-L")
        });
    let leaves = program == "exit" && simple.args().all(|arg| arg == "0");
    let prints = CONSTANT.contains(&program) && !simple.args().any(|arg| arg.contains("$("));
    prints || compares || leaves
}

fn prints(simple: &Simple, marker: &str) -> bool {
    matches!(simple.program(), "echo" | "printf") && simple.args().any(|arg| arg.contains(marker))
        || joined_prints(simple, marker)
}

/// `echo A B` prints `A B`, though no argument holds it.
fn joined_prints(simple: &Simple, marker: &str) -> bool {
    simple.program() == "echo" && simple.args().collect::<Vec<_>>().join(" ").contains(marker)
}

/// Only prints or compares constants.
pub(super) fn tautological(seen: &Seen<'_>) -> Option<String> {
    let all = !seen.commands.is_empty() && seen.commands.iter().all(is_constant);
    all.then(|| "the command cannot fail: it only prints or compares constants".into())
}

/// The marker after `||`.
pub(super) fn marker_on_failure(seen: &Seen<'_>) -> Option<String> {
    let marker = seen.marker?;
    seen.commands
        .iter()
        .any(|simple| simple.joint == Joint::Or && prints(simple, marker))
        .then(|| "the marker is printed when the command before || fails".into())
}

/// `|| true`.
pub(super) fn forgiven(seen: &Seen<'_>) -> Option<String> {
    seen.commands
        .iter()
        .find(|simple| {
            let nothing = matches!(simple.program(), "true" | ":")
                || (simple.program() == "exit" && simple.has("0"));
            simple.joint == Joint::Or && nothing
        })
        .map(|simple| format!("|| {} turns a failure into a pass", simple.words.join(" ")))
}

fn errexit(seen: &Seen<'_>) -> bool {
    seen.commands.iter().any(|simple| {
        simple.program() == "set"
            && simple
                .args()
                .any(|arg| arg == "errexit" || (arg.starts_with('-') && arg.contains('e')))
    }) || ["bash -e", "sh -e"].iter().any(|s| seen.check.contains(s))
}

/// `;` or `&` between commands.
pub(super) fn status_of_last(seen: &Seen<'_>) -> Option<String> {
    let beside = seen.commands.iter().any(|s| s.joint == Joint::Beside);
    if beside {
        return Some("& does not wait for the command before it".into());
    }
    let blocks = ["; then", "; do", "; fi", "; done", ";;", "; else", "; elif"];
    let plain = blocks.iter().fold(seen.check.to_owned(), |text, block| {
        text.replace(block, " ")
    });
    let shapes = super::shell::commands(&plain);
    let first = |simple: &Simple| {
        let program = simple.program();
        simple.joint == Joint::Then && program != "set" && !program.is_empty()
    };
    let preceded = shapes
        .iter()
        .zip(shapes.iter().skip(1))
        .any(|(before, after)| first(after) && !quiet(before) && !gives_up(before));
    (preceded && !errexit(seen)).then(|| "; goes on whatever the command before it did".into())
}

/// `|| exit 1` before a `;`: the failure went no further.
fn gives_up(simple: &Simple) -> bool {
    simple.joint == Joint::Or && matches!(simple.program(), "exit" | "return") && !simple.has("0")
}

/// Commands whose failure before a `;` matters to nobody.
fn quiet(simple: &Simple) -> bool {
    let program = simple.program();
    matches!(
        program,
        "set" | "export" | "trap" | "shopt" | "local" | "unset"
    ) || program.contains('=')
}

/// A pipeline without `pipefail`.
pub(super) fn pipe(seen: &Seen<'_>) -> Option<String> {
    if seen.check.contains("pipefail") {
        return None;
    }
    let at = seen
        .commands
        .iter()
        .rposition(|simple| simple.joint == Joint::Pipe)?;
    let before = seen.commands.get(at.checked_sub(1)?)?;
    if matches!(before.program(), "echo" | "printf") {
        return None;
    }
    let last = seen.commands.get(at)?.program();
    Some(format!("the status is that of {last}, the last command"))
}

/// A test runner with a filter that may match nothing.
pub(super) fn filter(seen: &Seen<'_>) -> Option<String> {
    seen.commands.iter().find_map(|simple| {
        let filtered = match simple.program() {
            "cargo" => {
                let mut args = simple.args();
                args.next() == Some("test") && cargo_filter(simple)
            }
            "go" => {
                simple.has("test")
                    && (simple.has("-run") || simple.args().any(|a| a.starts_with("-run=")))
            }
            "jest" | "vitest" | "mocha" | "npx" | "npm" | "yarn" | "pnpm" => {
                simple.args().any(|arg| {
                    matches!(
                        arg,
                        "-t" | "-g" | "--testNamePattern" | "--grep" | "--passWithNoTests"
                    ) || arg.starts_with("--testNamePattern=")
                })
            }
            "dotnet" => simple.has("test") && simple.has("--filter"),
            "ctest" => simple.has("-R") && !simple.args().any(|a| a.starts_with("--no-tests")),
            _ => false,
        };
        let counted = seen
            .marker
            .is_some_and(|marker| figures(marker).iter().any(|figure| figure != "0"));
        (filtered && !counted).then(|| {
            format!(
                "0 tests match the filter of {} and it still passes",
                simple.program()
            )
        })
    })
}

/// Whether `cargo test` is given a name that selects tests.
fn cargo_filter(simple: &Simple) -> bool {
    let takes_value = [
        "-p",
        "--package",
        "--test",
        "--bench",
        "--example",
        "--bin",
        "--features",
        "-F",
        "--target",
        "--manifest-path",
        "--profile",
        "-j",
        "--jobs",
        "--color",
        "--exclude",
        "--target-dir",
    ];
    let mut value = false;
    for arg in simple.args().skip(1) {
        if std::mem::take(&mut value) {
            continue;
        }
        if takes_value.contains(&arg) {
            value = true;
        } else if !arg.starts_with('-') && !arg.starts_with('+') {
            return true;
        }
    }
    false
}

/// A check that something is not there.
pub(super) fn absence(seen: &Seen<'_>) -> Option<String> {
    let searches = |simple: &Simple| {
        matches!(
            simple.program(),
            "grep" | "rg" | "egrep" | "fgrep" | "ag" | "ack"
        ) || (simple.program() == "git" && simple.has("grep"))
    };
    let found = seen.commands.iter().enumerate().any(|(at, simple)| {
        let listed = searches(simple) && (simple.has("-L") || simple.has("--files-without-match"));
        let tested = matches!(simple.program(), "test" | "[" | "[[")
            && (simple.has("!") || simple.negated)
            && simple
                .args()
                .any(|arg| matches!(arg, "-e" | "-f" | "-d" | "-s" | "-L"));
        let empty = matches!(simple.program(), "test" | "[" | "[[")
            && simple.has("-z")
            && simple.args().any(|arg| arg.contains("$("));
        let negated = simple.negated && searches(simple);
        let next = |ahead: usize| seen.commands.get(at + ahead);
        let other = |simple: &Simple| {
            simple.joint == Joint::Or && !matches!(simple.program(), "exit" | "false" | "return")
        };
        let otherwise = searches(simple)
            && (next(1).is_some_and(other)
                || (next(1).is_some_and(|s| s.joint == Joint::And) && next(2).is_some_and(other)));
        listed || tested || empty || negated || otherwise
    });
    found.then(|| "an absence check: a missing file or a wrong pattern passes as well".into())
}

/// The marker in the command, other than printed after `&&`.
pub(super) fn echoes(seen: &Seen<'_>) -> Option<String> {
    let marker = seen.marker.filter(|marker| marker.chars().count() >= 2)?;
    let all = seen.check.matches(marker).count();
    let earned: usize = seen
        .commands
        .iter()
        .filter(|simple| simple.joint == Joint::And && prints(simple, marker))
        .map(|simple| simple.words.join(" ").matches(marker).count())
        .sum();
    (all > earned).then(|| "the marker stands in the command itself".into())
}

/// A marker that proves little.
pub(super) fn weak_marker(seen: &Seen<'_>) -> Option<String> {
    let marker = seen.marker?.trim();
    let lower = marker.to_lowercase();
    let lower = lower.trim_matches(|c: char| c.is_ascii_punctuation());
    if WEAK_MARKERS.contains(&lower) {
        return Some("many outputs hold this marker".into());
    }
    (marker.chars().count() < 4).then(|| "the marker is shorter than four characters".into())
}

/// Figures of a text: runs of digits that stand alone, thousands and decimals included.
pub(super) fn figures(text: &str) -> Vec<String> {
    text.split(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '(' | ')' | '"' | '`' | '\'' | '=' | '/' | ':' | '<' | '>'
            )
    })
    .map(|word| {
        word.trim_matches(|c: char| {
            matches!(
                c,
                ',' | '.' | ';' | '!' | '?' | '%' | '$' | '€' | '*' | '~' | '+'
            )
        })
    })
    .filter(|word| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '_'))
    })
    .map(str::to_owned)
    .collect()
}

/// A figure of the request or the criterion in the marker.
pub(super) fn copied_figure(seen: &Seen<'_>) -> Option<String> {
    let marker = seen.marker?;
    let request = seen.contract.request.as_ref().map(|block| &block.text);
    let mut supplied: Vec<String> = Vec::new();
    for text in [Some(&seen.criterion.text), request].into_iter().flatten() {
        supplied.extend(figures(&String::from_utf8_lossy(text.raw())));
    }
    let figure = figures(marker)
        .into_iter()
        .find(|figure| supplied.contains(figure))?;
    Some(format!("the figure {figure} is supplied, not computed"))
}

/// The criterion names something, the command nothing of it.
pub(super) fn names_no_artifact(seen: &Seen<'_>) -> Option<String> {
    let anchors = &seen.criterion.anchors;
    let named: Vec<&str> = [&anchors.paths, &anchors.tests, &anchors.commands]
        .into_iter()
        .flatten()
        .filter_map(|anchor| anchor.raw_str())
        .collect();
    if named.is_empty() {
        return None;
    }
    let hit = named.iter().any(|name| {
        let bare = name.trim_end_matches(['/', '*']);
        let file = bare.rsplit('/').next().unwrap_or(bare);
        let stem = file.split('.').next().unwrap_or(file);
        let last = name.rsplit("::").next().unwrap_or(name);
        [*name, bare, file, last]
            .iter()
            .chain((stem.len() > 3).then_some(&stem))
            .any(|part| !part.is_empty() && seen.check.contains(part))
    });
    (!hit).then(|| format!("the command names none of the {} things named", named.len()))
}

/// No marker at all.
pub(super) fn no_marker(seen: &Seen<'_>) -> Option<String> {
    (seen.oracle.expect == Expect::ExitOnly).then(|| "no marker is asked for".into())
}

/// `/usr/bin/x/` as a marker of unlazy.
pub(super) fn path_as_regex(seen: &Seen<'_>) -> Option<String> {
    let Expect::Regex { source, .. } = &seen.oracle.expect else {
        return None;
    };
    let mut escaped = false;
    let mut class = false;
    let inner = source.raw().iter().any(|byte| {
        let hit = *byte == b'/' && !escaped && !class;
        class = match byte {
            b'[' if !escaped => true,
            b']' if !escaped => false,
            _ => class,
        };
        escaped = *byte == b'\\' && !escaped;
        hit
    });
    inner.then(|| "the marker is read as a regular expression, though it looks like a path".into())
}

/// A marker such as `exit 0`: no command prints it, and exit 0 is asked for in any case.
pub(super) fn exit_as_text(seen: &Seen<'_>) -> Option<String> {
    let Expect::Plain(marker) = &seen.oracle.expect else {
        return None;
    };
    let text = String::from_utf8_lossy(marker.raw()).to_lowercase();
    let mut words = text
        .split([' ', '=', ':', '\t'])
        .filter(|word| !word.is_empty());
    let exit = matches!(words.next(), Some("exit" | "exits" | "rc" | "status"));
    let rest: Vec<&str> = words.collect();
    let code = matches!(rest.as_slice(), [.., last] if last.parse::<u8>().is_ok());
    let short = rest.len() <= 3;
    (exit && code && short)
        .then(|| "the output must hold this very text; exit 0 is asked for in any case".into())
}

/// Folders of one machine.
pub(super) fn machine_path(seen: &Seen<'_>) -> Option<String> {
    let boundary = |at: usize| {
        seen.check
            .get(..at)
            .and_then(|before| before.chars().next_back())
            .is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '.' | '-' | '_' | '}' | '/'))
    };
    let below = |at: usize| {
        seen.check
            .get(at..)
            .is_some_and(|after| after.starts_with('/'))
    };
    let folder = MACHINE_FOLDERS.iter().find(|folder| {
        seen.check
            .match_indices(**folder)
            .any(|(at, found)| boundary(at) && below(at + found.len()))
    });
    if let Some(folder) = folder {
        return Some(format!("{folder} is a folder of one machine"));
    }
    let drive = seen.commands.iter().flat_map(|s| &s.words).any(|word| {
        let mut chars = word.chars();
        chars.next().is_some_and(|c| c.is_ascii_alphabetic())
            && chars.next() == Some(':')
            && chars.next() == Some('\\')
    });
    drive.then(|| "a drive letter is of one machine".into())
}

/// Commands that change the tree.
pub(super) fn writes_tree(seen: &Seen<'_>) -> Option<String> {
    seen.commands.iter().find_map(|simple| {
        let target = simple.writes.iter().find(|target| {
            !target.starts_with("/dev/") && !target.starts_with("/tmp/") && !target.contains('$')
        });
        if target.is_some() {
            return Some("the command writes into a file with >".into());
        }
        let program = simple.program();
        let git = program == "git"
            && [
                "commit", "checkout", "reset", "stash", "clean", "switch", "restore", "rebase",
                "merge", "pull", "apply", "add", "rm", "mv", "tag",
            ]
            .iter()
            .any(|verb| simple.args().find(|arg| !arg.starts_with('-')) == Some(verb));
        let edits = match program {
            "rm" | "mv" | "cp" | "ln" | "touch" | "mkdir" | "tee" | "truncate" | "patch" | "dd"
            | "install" => !simple.args().any(|arg| {
                arg.starts_with("/tmp/")
                    || arg.contains("mktemp")
                    || arg.contains("TMPDIR")
                    || arg.contains("$tmp")
                    || arg.contains("/dev/null")
            }),
            "sed" | "perl" => simple.args().any(|arg| {
                arg == "--in-place"
                    || (arg.starts_with("-i") && !arg.starts_with("-int"))
                    || arg == "-pi"
            }),
            "npm" | "pnpm" | "yarn" => {
                simple.has("install") || simple.has("ci") || simple.has("add")
            }
            "make" => simple.has("install") || simple.has("clean"),
            "cargo" => {
                simple.has("fix")
                    || simple.has("clean")
                    || (simple.has("fmt") && !simple.has("--check"))
            }
            "gofmt" => simple.has("-w"),
            "prettier" => simple.has("--write"),
            _ => false,
        };
        (git || edits).then(|| format!("{program} changes files of the tree"))
    })
}

/// Commands that fetch.
pub(super) fn network(seen: &Seen<'_>) -> Option<String> {
    seen.commands.iter().find_map(|simple| {
        let program = simple.program();
        let fetches = match program {
            "curl" | "wget" | "npx" | "uvx" | "pipx" | "ssh" | "scp" | "gh" | "bunx" => true,
            "pip" | "pip3" | "npm" | "pnpm" | "yarn" | "cargo" | "go" | "gem" | "apt-get"
            | "brew" => {
                simple.has("install")
                    || simple.has("ci")
                    || simple.has("add")
                    || simple.has("download")
            }
            "git" => ["clone", "fetch", "pull", "push", "ls-remote"]
                .iter()
                .any(|verb| simple.has(verb)),
            "docker" => simple.has("pull") || simple.has("build") || simple.has("run"),
            _ => false,
        };
        let local = simple.args().any(|arg| {
            arg.contains("localhost") || arg.contains("127.0.0.1") || arg.contains("file://")
        });
        (fetches && !local).then(|| format!("{program} needs the network"))
    })
}

/// An odd number of quotes.
pub(super) fn open_quote(seen: &Seen<'_>) -> Option<String> {
    let mut quote = None;
    let mut escaped = false;
    for c in seen.check.chars() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match (quote, c) {
            (None | Some('"'), '\\') => escaped = true,
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    quote.map(|_| "a quote is never closed".into())
}
