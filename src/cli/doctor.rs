//! `countersign doctor`: what this machine offers and what is missing. It changes nothing and
//! runs nothing but `git --version`.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::adapters::folders::{self, Folders};
use crate::adapters::oracle::{environment, wall};
use crate::adapters::signer;
use crate::adapters::who;
use crate::model::known::Known;
use crate::model::oracle::Isolation;
use crate::runtime::guard;
use crate::runtime::lines;

use super::Context;
use super::config;
use super::exit::Exit;
use super::json::print_json;
use super::report::Report;

/// One thing that was looked at.
struct Look {
    what: &'static str,
    /// Whether reviewing works with it as it is.
    fine: bool,
    says: String,
    /// What helps, beginning with a verb; empty when nothing has to.
    hint: &'static str,
}

/// Runs it.
///
/// # Errors
/// None; what is missing is listed and makes the exit 1.
pub fn run(context: &Context) -> Result<Exit, Report> {
    let looks = [
        terminal(),
        person(),
        signing(),
        state(),
        settings(),
        bash(),
        isolation(),
        git(),
    ];
    if context.json {
        print_json(&json!({
            "schema": "countersign/doctor/1",
            "version": env!("CARGO_PKG_VERSION"),
            "looks": looks.iter().map(to_json).collect::<Vec<_>>(),
        }));
    } else {
        let mut out = lines::stdout();
        let _ = writeln!(out, "countersign {}", env!("CARGO_PKG_VERSION"));
        for look in &looks {
            let mark = if look.fine { "ok" } else { "missing" };
            let _ = writeln!(out, "{:<10} {mark:<8} {}", look.what, look.says);
            if !look.hint.is_empty() {
                let _ = writeln!(out, "{:<19} {}", "", look.hint);
            }
        }
    }
    Ok(if looks.iter().all(|look| look.fine) {
        Exit::Clear
    } else {
        Exit::NotClear
    })
}

fn to_json(look: &Look) -> Value {
    json!({"what": look.what, "fine": look.fine, "says": look.says, "hint": look.hint})
}

fn terminal() -> Look {
    let term = std::env::var("TERM").unwrap_or_else(|_| "unset".into());
    let dumb = matches!(term.as_str(), "" | "dumb" | "unset");
    let (fine, says) = match guard::controlling_input() {
        Ok(()) if dumb => (false, format!("it cannot draw (TERM is {term})")),
        Ok(()) if io::stdout().is_terminal() => (true, format!("TERM is {term}")),
        Ok(()) => (
            true,
            format!("TERM is {term}; stdout goes elsewhere and takes the JSON line"),
        ),
        Err(why) => (false, why.to_string()),
    };
    Look {
        what: "terminal",
        fine,
        says,
        hint: if fine {
            ""
        } else {
            "use --plain, or start it in a terminal"
        },
    }
}

fn person() -> Look {
    let name = config::user_settings()
        .ok()
        .and_then(|read| read.settings.name);
    match who::find(name.as_deref()) {
        Known::Is(person) => Look {
            what: "you",
            fine: true,
            says: format!(
                "{}, {}, from {}",
                person.name(),
                person.assurance.label(),
                person.found_in.place()
            ),
            hint: "",
        },
        Known::Unknown(why) | Known::NotApplicable(why) => Look {
            what: "you",
            fine: false,
            says: why.to_string(),
            hint: "set name in config.toml, or user.name in your global git config",
        },
        Known::NotSupplied => Look {
            what: "you",
            fine: false,
            says: "no name was found".into(),
            hint: "set name in config.toml, or user.name in your global git config",
        },
    }
}

fn signing() -> Look {
    let settings = config::user_settings().ok().map(|read| read.settings);
    let key = settings.as_ref().and_then(|s| s.signing_key.clone());
    let list = settings.as_ref().and_then(|s| s.allowed_signers.clone());
    let hint = "see Levels in assets/docs/ledger.md";
    let (fine, says) = match (signer::find(key.as_deref()), signer::keygen()) {
        (Err(why), _) => (false, why),
        (Ok(None), _) => (true, "no signing key: rulings are L1 present".to_owned()),
        (Ok(Some(_)), None) => (false, "ssh-keygen is not installed".to_owned()),
        (Ok(Some(key)), Some(_)) => {
            let named = format!("key {}, {}", key.fingerprint(), key.reach().label());
            match signer::list(list.as_deref(), &Known::NotSupplied) {
                Err(why) => (false, why),
                Ok(None) => (
                    true,
                    format!("{named}; signers come from the base of a change alone"),
                ),
                Ok(Some(list)) if list.holds(key.public()) => (true, named),
                Ok(Some(list)) => (
                    false,
                    format!("{named}; {} does not hold it", list.found_in),
                ),
            }
        }
    };
    Look {
        what: "signing",
        fine,
        says,
        hint: if fine { "" } else { hint },
    }
}

fn state() -> Look {
    let looked = Folders::of_user().and_then(|ours| {
        folders::private(&ours.state)?;
        Ok(ours.state)
    });
    match looked {
        Ok(folder) => Look {
            what: "state",
            fine: true,
            says: format!("{}, which only you can write", folder.display()),
            hint: "",
        },
        Err(error) => Look {
            what: "state",
            fine: false,
            says: error.to_string(),
            hint: "set HOME, or COUNTERSIGN_HOME to a folder of your own",
        },
    }
}

fn settings() -> Look {
    match config::user_settings() {
        Ok(_) => Look {
            what: "settings",
            fine: true,
            says: "read".into(),
            hint: "",
        },
        Err(report) => Look {
            what: "settings",
            fine: false,
            says: report.message,
            hint: "run countersign config check",
        },
    }
}

fn bash() -> Look {
    match environment::shell() {
        Some(path) => Look {
            what: "bash",
            fine: true,
            says: path.display().to_string(),
            hint: "",
        },
        None => Look {
            what: "bash",
            fine: false,
            says: "not installed: no oracle can run".into(),
            hint: "install bash; no other shell will do",
        },
    }
}

fn isolation() -> Look {
    let level = wall::best();
    let (says, hint) = match level {
        Isolation::None => ("level 0: none", "use a newer Linux kernel"),
        Isolation::Session => (
            "level 1: own session, no terminal, no secrets; files are not limited",
            "use a Linux kernel with Landlock (5.19 or newer) for level 2",
        ),
        Isolation::Files => (
            "level 2: writes limited to the checkout; the network is open",
            "",
        ),
        Isolation::Network => ("level 3: no network, own process table", ""),
    };
    let further = match wall::offers(Isolation::Network) {
        Ok(()) => "level 3 for whoever asks: no network, own processes".to_owned(),
        Err(why) => format!("no level 3: {why}"),
    };
    Look {
        what: "isolation",
        fine: level >= Isolation::Session,
        says: format!("{says}; {further}"),
        hint,
    }
}

/// Whether this `git version` has the fixes of July 2025 (GIT-20); `None` for a text that names
/// no version.
fn mended(version: &str) -> Option<bool> {
    /// Minor version of git 2, and its first patch with the fixes.
    const FIRST: [(u32, u32); 8] = [
        (43, 7),
        (44, 4),
        (45, 4),
        (46, 4),
        (47, 3),
        (48, 2),
        (49, 1),
        (50, 1),
    ];
    let number = version.split_whitespace().nth(2)?;
    let mut parts = number.split('.').map(str::parse::<u32>);
    let (major, minor) = (parts.next()?.ok()?, parts.next()?.ok()?);
    let patch = parts.next().and_then(Result::ok).unwrap_or(0);
    let row = FIRST.iter().find(|(of, _)| *of == minor);
    Some(match row {
        _ if major != 2 => major > 2,
        Some((_, first)) => patch >= *first,
        None => minor > 50,
    })
}

/// git is not needed to review; oracles often call it.
fn git() -> Look {
    let asked = Command::new("git")
        .arg("--version")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    match asked {
        Ok(output) if output.status.success() => {
            let says = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            let hint = if mended(&says) == Some(false) {
                "update git: this one runs programs of a hostile clone (CVE-2025-48384)"
            } else {
                ""
            };
            Look {
                what: "git",
                fine: true,
                says,
                hint,
            }
        }
        Ok(_) | Err(_) => Look {
            what: "git",
            fine: true,
            says: "not found; reviewing needs none, oracles may".into(),
            hint: "",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_git_with_known_holes_are_told_from_mended_ones() {
        for (version, wanted) in [
            ("git version 2.50.1", Some(true)),
            ("git version 2.50.0", Some(false)),
            ("git version 2.47.3", Some(true)),
            ("git version 2.47.2 (Apple Git-154)", Some(false)),
            ("git version 2.39.5", Some(false)),
            ("git version 2.51.0.rc1", Some(true)),
            ("git version 3.0.0", Some(true)),
            ("no version", None),
        ] {
            assert_eq!(mended(version), wanted, "{version}");
        }
    }
}
