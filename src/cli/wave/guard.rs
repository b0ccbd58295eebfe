//! `countersign wave guard`: what the guards of the verify phase say to the calls of a session,
//! and the books of its fix rounds.

use std::path::Path;

use serde_json::{Value, json};

use super::{SHOWN, bytes, document, print, unusable};
use crate::adapters::wave::json::{self as positioned, Node, Value as Read};
use crate::adapters::wave::session::{self, What};
use crate::cli::Context;
use crate::cli::exit::Exit;
use crate::cli::json::print_json;
use crate::cli::report::Report;
use crate::gate::wave::guard::{Guard, Says, Session, Settings, cap};
use crate::model::text::{Foreign, Place};
use crate::model::wave::sound;

/// What is handed in beside the log.
pub(super) struct Given<'a> {
    pub(super) settings: Option<&'a Path>,
    pub(super) max_fix_rounds: Option<&'a str>,
    pub(super) child: bool,
}

/// A call with what was said to it.
struct Asked {
    line: u32,
    id: String,
    says: Says,
    /// Whether nothing came back for it yet.
    open: bool,
}

/// Runs it.
pub(super) fn run(context: &Context, file: &Path, given: &Given<'_>) -> Result<Exit, Report> {
    let unread = |why: String| {
        Report::new(Exit::CouldNotMeasure, "not-read", why).hint("name the session log")
    };
    let log = session::read(&bytes(context, file).map_err(unread)?);
    if !sound(&log.complaints) {
        let message = "the session log cannot be read whole".to_owned();
        return Err(unusable(message, &[("session", &log.complaints)]));
    }
    let settings = settings(context, given)?;
    let (mut books, mut asked) = (Session::default(), Vec::<Asked>::new());
    for happened in &log.happened {
        match &happened.what {
            What::Call(call) => asked.push(Asked {
                line: happened.line,
                id: happened.id.clone(),
                says: books.ask(call, &settings),
                open: true,
            }),
            What::Back(back) => {
                books.take(back, &settings);
                let call = asked.iter_mut().rev().find(|call| call.id == happened.id);
                if let Some(call) = call {
                    call.open = false;
                }
            }
        }
    }
    let said: Vec<&Asked> = asked
        .iter()
        .filter(|call| call.says != Says::Pass)
        .collect();
    let capped = books.capped(&settings) && books.credits == 0;
    if context.json {
        let waiting = asked.iter().rev().find(|call| call.open);
        print_json(&document::document(vec![
            ("usage", json!({"rounds": books.rounds, "syncs": null})),
            ("caps", json!({"rounds": settings.cap, "syncs": null})),
            (
                "result",
                waiting.map_or(Value::Null, |call| json!(word(&call.says))),
            ),
            (
                "reason",
                waiting.map_or(Value::Null, |call| reason(&call.says)),
            ),
            (
                "guard",
                json!({
                    "entered": books.entered,
                    "audited": books.audited,
                    "window": books.window(&settings),
                    "capped": capped,
                    "credits": books.credits,
                    "phases": books.phases,
                    "calls": said.iter().take(SHOWN).map(|call| json!({
                        "line": call.line,
                        "id": call.id,
                        "result": word(&call.says),
                        "guard": guard(&call.says).map(Guard::word),
                        "reason": reason(&call.says),
                    })).collect::<Vec<_>>(),
                }),
            ),
        ]));
    } else {
        print(&lines(&books, &settings, &said, capped));
    }
    let stopped = asked
        .iter()
        .any(|call| call.open && matches!(call.says, Says::Block(..)));
    Ok(if capped {
        Exit::PersonNeeded
    } else if stopped {
        Exit::NotClear
    } else {
        Exit::Clear
    })
}

fn word(says: &Says) -> &'static str {
    match says {
        Says::Pass => "pass",
        Says::Warn(..) => "warn",
        Says::Block(..) => "block",
    }
}

fn guard(says: &Says) -> Option<Guard> {
    match says {
        Says::Pass => None,
        Says::Warn(guard, _) | Says::Block(guard, _) => Some(*guard),
    }
}

fn reason(says: &Says) -> Value {
    match says {
        Says::Pass => Value::Null,
        Says::Warn(_, why) | Says::Block(_, why) => json!(why),
    }
}

fn lines(books: &Session, settings: &Settings, said: &[&Asked], capped: bool) -> Vec<String> {
    let mut out = vec![format!(
        "{} fix rounds used against a cap of {}, {} granted rounds left",
        books.rounds, settings.cap, books.credits
    )];
    out.push(if !books.entered {
        "the flow was not entered: nothing is guarded".into()
    } else if capped {
        "the next wave is blocked: a person grants more rounds, or ends it".into()
    } else if books.window(settings) {
        "fix rounds are counted now".into()
    } else {
        "fix rounds are not counted now".into()
    });
    for call in said.iter().take(SHOWN) {
        if let (Some(guard), Says::Warn(_, why) | Says::Block(_, why)) =
            (guard(&call.says), &call.says)
        {
            let why = Foreign::from(why.as_str()).shown(Place::Prose);
            out.push(format!(
                "line {}: {} by {}: {why}",
                call.line,
                word(&call.says),
                guard.word()
            ));
        }
    }
    let more = said.len().saturating_sub(SHOWN);
    if more > 0 {
        out.push(format!("{more} more calls were warned or blocked"));
    }
    out
}

/// `piGauntlet.closureReview` of a settings file, and what the command line says instead.
fn settings(context: &Context, given: &Given<'_>) -> Result<Settings, Report> {
    let mut settings = Settings {
        child: given.child,
        ..Settings::default()
    };
    if let Some(path) = given.settings {
        let failed = |why: String| {
            let message = format!("the settings cannot be read: {why}");
            Report::new(Exit::Usage, "bad-settings", message).hint("name a settings file in JSON")
        };
        let root = positioned::read(&bytes(context, path).map_err(failed)?).map_err(|faults| {
            let says = faults
                .into_iter()
                .map(|f| format!("line {}: {}", f.line, f.message));
            failed(says.collect::<Vec<_>>().join("; "))
        })?;
        let closure = root.get("piGauntlet").and_then(|g| g.get("closureReview"));
        let of = |key: &str| closure.and_then(|closure| closure.get(key));
        settings.enforce = of("enforce").map(|e| &e.value) != Some(&Read::Bool(false));
        settings.model = of("model").and_then(Node::text).map(str::to_owned);
        settings.cap = cap(of("maxFixRounds").and_then(|rounds| match &rounds.value {
            Read::Number(text) => Some(text.as_str()),
            _ => None,
        }));
        settings.path = Foreign::from(path.to_string_lossy().into_owned())
            .shown(Place::Strict)
            .plain();
    }
    if let Some(text) = given.max_fix_rounds {
        settings.cap = cap(Some(text));
    }
    Ok(settings)
}
