//! `countersign menu ask`: a message as a menu on the terminal, the reply on stdout. It blocks
//! until a person answered or left, and can stand in a hook or a script.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::{asks_nothing, binding, head, json as document, message, replied};
use crate::adapters::mailbox::write_once;
use crate::adapters::who;
use crate::app::triage::{Event, Gate, Left, Triage, Wish};
use crate::cli::Context;
use crate::cli::args::AskArgs;
use crate::cli::exit::Exit;
use crate::cli::json::{print_json, to_line};
use crate::cli::report::Report;
use crate::config::{Settings, USER_FILE};
use crate::gate::menu::reply::{Binding, sent};
use crate::model::id::Digest;
use crate::model::known::Known;
use crate::model::menu::Reply;
use crate::model::text::{Foreign, Shown};
use crate::runtime::guard::{self, Guard};
use crate::runtime::lines;
use crate::runtime::page::{Setting, run as screen};

/// What each gate was bound to when it was opened.
struct Bound {
    file: PathBuf,
    digest: Digest,
    binding: Binding,
    head: Option<String>,
}

/// Runs it.
///
/// # Errors
/// A [`Report`]: no terminal, a message that cannot be read or asks nothing, a reply that could
/// not be written.
pub fn run(context: &Context, args: &AskArgs) -> Result<Exit, Report> {
    let binding = binding(&args.bound)?;
    let single = args.bound.gate.is_some() || args.bound.digest.is_some() || args.reply.is_some();
    if single && args.files.len() > 1 {
        return Err(Report::new(
            Exit::Usage,
            "usage",
            "--gate, --digest and --reply go with one message",
        )
        .hint("ask for one message, or leave them out"));
    }
    if let Some(file) = &args.reply
        && context.dir.join(file).symlink_metadata().is_ok()
    {
        return Err(taken(file));
    }
    let (gates, bound) = opened(context, args, &binding)?;
    if let [(gate, why)] = refused(&gates, &bound).as_slice()
        && gates.len() == 1
    {
        let reply = Reply::Stale(why.clone());
        let gate = gates.get(*gate);
        if let Some(gate) = gate {
            deliver(context, gate, &reply, "");
        }
        return Ok(Exit::Stale);
    }
    let settings = settings()?;
    let looks = crate::cli::sitting::looks(context, None, &settings)?;
    let guard = Guard::open(false).map_err(|why| {
        Report::new(Exit::Usage, "no-terminal", why.to_string())
            .hint("run it on a terminal; stdout may go elsewhere")
            .hint("use `menu reply FILE TEXT` to know what a reply means")
    })?;
    let mut triage = Triage::new(guard.size(), looks.ascii, settings.keys.clone(), gates);
    for (at, why) in refused(&triage.gates, &bound) {
        if let Some(gate) = triage.gates.get_mut(at) {
            gate.stale = Some(why);
        }
    }
    let setting = Setting {
        guard,
        theme: looks.theme,
        colorless: looks.colorless,
    };
    guard::on_panic(|| {});
    let verify = |_: &Triage, Wish::Verify(at): Wish| {
        Event::Verified(at, bound.get(at).and_then(|own| moved(context, own)))
    };
    let (triage, signal) = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .and_then(|runtime| runtime.block_on(screen(triage, setting, verify)))
        .map_err(|error| {
            Report::new(Exit::CouldNotMeasure, "terminal", error.to_string())
                .hint("try again, nothing was sent")
        })?;
    if let Some(number) = signal {
        std::process::exit(128 + number);
    }
    if triage.left != Some(Left::Leave) {
        return Ok(Exit::Undecided);
    }
    ended(context, args, &triage, &settings)
}

/// Reads the messages; all that cannot be asked at once.
fn opened(
    context: &Context,
    args: &AskArgs,
    binding: &Binding,
) -> Result<(Vec<Gate>, Vec<Bound>), Report> {
    let now = head(&context.dir);
    let mut gates = Vec::new();
    let mut bound = Vec::new();
    let mut silent = Vec::new();
    for file in &args.files {
        let message = message(&context.dir, file)?;
        let shown = Foreign::from(file.to_string_lossy().into_owned());
        if asks_nothing(&message) {
            silent.push(shown.shown(crate::model::text::Place::Strict).plain());
        }
        bound.push(Bound {
            file: file.clone(),
            digest: message.digest,
            binding: binding.clone(),
            head: now.clone(),
        });
        let head = binding.head.clone().or_else(|| now.clone());
        gates.push(Gate::new(shown, Arc::new(message), head));
    }
    if silent.is_empty() {
        return Ok((gates, bound));
    }
    let says = format!("nothing is asked in {}", silent.join(", "));
    Err(Report::new(Exit::Usage, "nothing-asked", says)
        .hint("look at what `menu parse` says about it"))
}

/// The gates that are stale before they are shown.
fn refused(gates: &[Gate], bound: &[Bound]) -> Vec<(usize, String)> {
    let pairs = gates.iter().zip(bound).enumerate();
    pairs
        .filter_map(|(at, (gate, own))| {
            let why = own.binding.refusal(&gate.message, own.head.as_deref())?;
            Some((at, why))
        })
        .collect()
}

/// Why the reply of a gate must not count: its file or the head is another by now.
fn moved(context: &Context, own: &Bound) -> Option<String> {
    let Ok(now) = message(&context.dir, &own.file) else {
        return Some("the message is gone".into());
    };
    if now.digest != own.digest {
        return Some(format!(
            "the message is another one now, {}",
            now.digest.short()
        ));
    }
    let head = head(&context.dir);
    if let Some(why) = own.binding.refusal(&now, head.as_deref()) {
        return Some(why);
    }
    match (&own.head, &head) {
        (Some(then), Some(head)) if then != head => {
            let short = head.get(..7).unwrap_or(head);
            Some(format!("the head moved, it is {short} now"))
        }
        (Some(_), None) => Some("the head could not be read".into()),
        _ => None,
    }
}

fn settings() -> Result<Settings, Report> {
    let folders = crate::cli::place::folders()?;
    Ok(crate::cli::config::settings_in(&folders.config.join(USER_FILE))?.settings)
}

/// What a gate came to.
fn outcome(gate: &Gate) -> (Option<Reply>, &str) {
    match (&gate.answer, &gate.stale) {
        (_, Some(why)) => (Some(Reply::Stale(why.clone())), ""),
        (Some(answered), None) => (Some(answered.reply.clone()), answered.typed.as_str()),
        (None, None) => (None, ""),
    }
}

fn exit_of(gate: &Gate) -> Exit {
    outcome(gate)
        .0
        .map_or(Exit::Undecided, |reply| replied(&reply))
}

/// Delivers what was answered.
fn ended(
    context: &Context,
    args: &AskArgs,
    triage: &Triage,
    settings: &Settings,
) -> Result<Exit, Report> {
    if let [gate] = triage.gates.as_slice() {
        let (reply, typed) = outcome(gate);
        let Some(reply) = reply else {
            return Ok(Exit::Undecided);
        };
        if let Some(file) = &args.reply
            && sent(&reply, typed).is_some()
        {
            let mut value = document::reply(&gate.message, &reply, typed, gate.head.as_deref());
            if let Some(fields) = value.as_object_mut() {
                fields.insert("sequence".into(), json!(args.sequence));
                fields.insert("actor".into(), json!(actor(settings)));
            }
            write_once(&context.dir.join(file), &to_line(&value)).map_err(|error| {
                if error.kind() == std::io::ErrorKind::AlreadyExists {
                    taken(file)
                } else {
                    Report::new(
                        Exit::CouldNotMeasure,
                        "reply-not-written",
                        error.to_string(),
                    )
                    .hint("nothing was sent; name a place that can be written")
                }
            })?;
        }
        deliver(context, gate, &reply, typed);
        return Ok(replied(&reply));
    }
    batch(context, &triage.gates);
    let strict = [Exit::Stale, Exit::Undecided, Exit::NotClear];
    let exits: Vec<Exit> = triage.gates.iter().map(exit_of).collect();
    let first = strict.into_iter().find(|exit| exits.contains(exit));
    Ok(first.unwrap_or(Exit::Clear))
}

/// One reply on stdout: the words to deliver, or the document.
fn deliver(context: &Context, gate: &Gate, reply: &Reply, typed: &str) {
    if context.json {
        let head = gate.head.as_deref();
        print_json(&document::reply(&gate.message, reply, typed, head));
    } else if let Some(text) = sent(reply, typed) {
        let _ = writeln!(lines::stdout(), "{}", harmless(&text));
    }
    if let Reply::Stale(why) = reply {
        let _ = writeln!(
            lines::stderr(),
            "countersign: stale: {why}; nothing was sent"
        );
    }
}

/// The words with everything hidden but line ends made visible.
fn harmless(text: &str) -> String {
    let lines = Foreign::from(text).shown_lines(crate::model::text::Place::Prose);
    let lines: Vec<String> = lines.iter().map(Shown::plain).collect();
    lines.join("\n")
}

/// Every gate with its reply, in the order the messages were given.
fn batch(context: &Context, gates: &[Gate]) {
    let rows: Vec<Value> = gates
        .iter()
        .map(|gate| {
            let (reply, typed) = outcome(gate);
            let mut value = match reply {
                Some(reply) => document::reply(&gate.message, &reply, typed, gate.head.as_deref()),
                None => json!({"kind": null, "digest": gate.message.digest.to_string()}),
            };
            if let Some(fields) = value.as_object_mut() {
                fields.shift_remove("schema");
                let name = String::from_utf8_lossy(gate.name.raw()).into_owned();
                fields.insert("file".into(), json!(name));
            }
            value
        })
        .collect();
    if context.json {
        print_json(&json!({"schema": "countersign/menu-batch/1", "replies": rows}));
        return;
    }
    let mut out = lines::stdout();
    for gate in gates {
        let (reply, typed) = outcome(gate);
        let name = gate.name.shown(crate::model::text::Place::Strict);
        let says = match &reply {
            None => "unanswered".to_owned(),
            Some(Reply::Stale(why)) => format!("stale: {why}"),
            Some(reply) => {
                let text = sent(reply, typed).unwrap_or_default();
                format!("{}: {}", reply.kind(), harmless(&text).replace('\n', " "))
            }
        };
        let _ = writeln!(out, "{name}\t{says}");
    }
}

/// The name of the person, from their own settings and never from the message.
fn actor(settings: &Settings) -> Option<String> {
    match who::find(settings.name.as_deref()) {
        Known::Is(who) => Some(who.name().to_owned()),
        Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => None,
    }
}

fn taken(file: &Path) -> Report {
    let shown = Foreign::from(file.to_string_lossy().into_owned());
    let shown = shown.shown(crate::model::text::Place::Strict);
    Report::new(
        Exit::Usage,
        "reply-exists",
        format!("{shown} exists; a reply is written once"),
    )
    .hint("let the reader take it away, or name another file")
}
