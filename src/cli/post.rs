//! Posting the ruling of a pull request, as a comment or as a review with comments at lines:
//! offered at the end of its session, and `countersign post`. The address and every byte are shown
//! first, a person types which of both, and a post that fails is a notice: the ruling stands as it
//! is recorded.

use std::io::{self, BufRead as _, Write as _};

use super::Context;
use super::args::{PostArgs, VerifyArgs};
use super::exit::Exit;
use super::place::{entered, folders};
use super::pulls::{Found, Ready};
use super::report::Report;
use super::verify::{self, Gathered, Given};
use crate::adapters::ledger_store::{LedgerStore, new_id};
use crate::adapters::pulls;
use crate::adapters::pulls::cache::Cache;
use crate::adapters::pulls::post::{Done, marker, post};
use crate::adapters::pulls::review;
use crate::adapters::trust::Consent;
use crate::gate::handoff::handoff;
use crate::gate::inline::{self, Inline};
use crate::gate::judge::judge;
use crate::gate::verify::VerdictState;
use crate::ledger::entry::{Body, Opened, Posted};
use crate::model::change::FileChange;
use crate::model::forge::Kind;
use crate::model::id::{Digest, EntryId, Oid};
use crate::model::text::{Foreign, Place};
use crate::model::thread::Side;
use crate::plain::fold::fold_to;
use crate::runtime::lines;

/// What is to be posted.
struct Comment {
    ruling: EntryId,
    head: Oid,
    body: String,
}

/// Runs it.
///
/// # Errors
/// A [`Report`]: no pull request, no ruling at its head, no terminal, or not posted.
pub fn run(context: &Context, args: &PostArgs) -> Result<Exit, Report> {
    let args = VerifyArgs {
        target: Some(args.target.clone()),
        ..VerifyArgs::default()
    };
    let given = Given::read(context, &args)?;
    let Some(found) = given.pull.clone() else {
        let message = "only a pull request has a place to post to";
        return Err(Report::new(Exit::Usage, "target", message)
            .hint("name one: 128, owner/name#128, or the address of its page"));
    };
    let Found::Pull(ready) = found.as_ref() else {
        return Ok(Exit::Undecided);
    };
    at_terminal()?;
    match offer(ready, &given)? {
        Some(says) => {
            say(&says);
            Ok(Exit::Clear)
        }
        None => {
            say("nothing was posted");
            Ok(Exit::Undecided)
        }
    }
}

/// At the end of a session that ruled: offers it on a terminal. Gives back what to say of a
/// failure, a whole sentence.
#[must_use]
pub fn at_end(found: &Found, given: &Given) -> Option<String> {
    let Found::Pull(ready) = found else {
        return None;
    };
    at_terminal().ok()?;
    match offer(ready, given) {
        Ok(said) => {
            say(said.as_deref().unwrap_or("nothing was posted"));
            None
        }
        Err(report) => Some(format!("the post: {}", report.message)),
    }
}

fn at_terminal() -> Result<(), Report> {
    Consent::at_terminal(&[&io::stdin(), &io::stderr()])
        .map(|_| ())
        .map_err(|_| {
            let message = "posting needs a person who reads what is posted";
            Report::new(Exit::Usage, "no-terminal", message).hint("run it on a terminal")
        })
}

/// Shows it, asks, posts, records; what was done, or nothing when the person does not want it.
fn offer(ready: &Ready, given: &Given) -> Result<Option<String>, Report> {
    let gathered = verify::gather(given)?;
    let comment = comment(&gathered)?;
    let name = &ready.name;
    say(&format!("would be posted to {}", name.page()));
    lines_of(&comment.body);
    sized(&comment.body, comment.head);
    let inlines = match inlines(&gathered, given, &comment, name.host.kind) {
        Ok(inlines) => inlines,
        Err(why) => {
            say(&format!("lines of the change could not be read: {why}"));
            Vec::new()
        }
    };
    let whole = review::text(&comment.body, &inlines);
    let word = if inlines.is_empty() {
        typed("type post and Enter to post exactly this, Enter alone leaves it:")
    } else {
        say(&format!(
            "as a review it has {} beside it:",
            counted(inlines.len())
        ));
        lines_of(
            whole
                .strip_prefix(comment.body.trim_end())
                .unwrap_or(&whole)
                .trim(),
        );
        sized(&whole, comment.head);
        typed(
            "type post and Enter to post the comment alone, review and Enter to post it with \
             these, Enter alone leaves it:",
        )
    };
    let as_review = match word.as_str() {
        "post" => false,
        "review" if !inlines.is_empty() => true,
        _ => return Ok(None),
    };
    let not_posted = |why: String| {
        let message = format!("not posted: {why}; the ruling stands as it is recorded");
        Report::new(Exit::CouldNotMeasure, "not-posted", message).hint(format!(
            "run `countersign post {}` to try again",
            name.page()
        ))
    };
    let cache = folders().and_then(|folders| {
        Cache::open(&folders.cache).map_err(|error| not_posted(error.to_string()))
    })?;
    cache
        .may_ask(&name.host.name)
        .map_err(|why| not_posted(why.to_string()))?;
    let mut line = pulls::line(name, &cache.empty());
    let line = line.as_mut();
    let (ruled, ruling, body) = (comment.head, comment.ruling, &comment.body);
    let (done, bytes) = if as_review {
        (
            review::post(line, name, ruled, ruling, body, &inlines),
            &whole,
        )
    } else {
        (post(line, name, ruled, ruling, body), body)
    };
    let done = done.map_err(|why| not_posted(why.to_string()))?;
    let at = match done {
        Done::Already(at) => return Ok(Some(format!("it stands there already: {at}"))),
        Done::Posted(at) => at,
    };
    let posted = Posted {
        ruling: comment.ruling,
        to: name.page(),
        at: at.clone(),
        head: comment.head,
        bytes: Digest::of(bytes.as_bytes()),
    };
    Ok(Some(match record(&gathered, given, posted) {
        Ok(number) => format!("posted: {at}, recorded as entry {number}"),
        Err(why) => format!("posted: {at}; that could not be recorded: {why}"),
    }))
}

/// The comment of the last ruling, when it is one of this head.
fn comment(gathered: &Gathered) -> Result<Comment, Report> {
    let (verdict, lines) = verify::comment(gathered);
    let ruled = verdict.ruled.as_ref().filter(|ruling| {
        verdict.state != VerdictState::Stale
            && ruling.value.snapshot().head == gathered.dossier.snapshot.head
    });
    let Some(ruling) = ruled else {
        let message = "nobody ruled on this head, so there is nothing to post";
        return Err(Report::new(Exit::Undecided, "not-ruled", message)
            .hint("open a session on the pull request first"));
    };
    let mark = marker(ruling.entry);
    Ok(Comment {
        ruling: ruling.entry,
        head: ruling.value.snapshot().head,
        body: format!("{}\n\n{mark}\n", lines.join("\n")),
    })
}

/// What goes back, at lines that the forge has in its diff.
fn inlines(
    gathered: &Gathered,
    given: &Given,
    comment: &Comment,
    kind: Kind,
) -> Result<Vec<Inline>, String> {
    let (dossier, policy) = (&gathered.dossier, &gathered.policy);
    let ruled = dossier
        .rulings
        .iter()
        .find(|one| one.entry == comment.ruling);
    let Some(ruled) = ruled else {
        return Ok(Vec::new());
    };
    let handoff = handoff(dossier, &judge(dossier, policy), policy, ruled, Vec::new());
    let remarks = inline::remarks(dossier, &handoff);
    let Some(files) = dossier.files.known().filter(|_| !remarks.is_empty()) else {
        return Ok(Vec::new());
    };
    let (ear, opened) = entered(&given.dir, given.base.as_deref(), given.contracts.clone())
        .map_err(|report| report.message)?;
    if opened.snapshot.head != comment.head {
        return Err("the head moved".to_owned());
    }
    let mut found = Vec::new();
    for remark in remarks {
        let is = |file: &&FileChange| match remark.side {
            Side::Right => file.path == remark.path,
            Side::Left => file.old_path.as_ref().unwrap_or(&file.path) == &remark.path,
        };
        let Some(file) = files.iter().find(is) else {
            continue;
        };
        let hunks = ear.hunks(file)?;
        found.extend(hunks.and_then(|hunks| remark.at(file, &hunks)));
    }
    found.retain(review::sayable);
    Ok(review::marked(kind, comment.ruling, found))
}

fn counted(number: usize) -> String {
    match number {
        1 => "1 comment".to_owned(),
        number => format!("{number} comments"),
    }
}

/// Every line of what would be posted, behind a bar; what goes on from the line before has a
/// colon instead.
fn lines_of(text: &str) {
    let columns = columns();
    let mut out = io::stderr().lock();
    for line in text.lines() {
        for (at, part) in fold_to(&shown(line), 0, columns - 5).iter().enumerate() {
            let bar = if at == 0 { '|' } else { ':' };
            let _ = writeln!(out, "  {bar} {part}");
        }
    }
}

fn sized(text: &str, head: Oid) {
    say(&format!(
        "{} bytes, sha256 {}, for the head {}",
        text.len(),
        Digest::of(text.as_bytes()).short(),
        head.abbreviated(12)
    ));
}

fn record(gathered: &Gathered, given: &Given, posted: Posted) -> Result<u64, String> {
    let change = &gathered.opened.change;
    let store = LedgerStore::new(&given.folders, change.repository);
    let opened = Opened {
        repository: change.repository,
        change: change.key.clone(),
        snapshot: gathered.opened.snapshot.clone(),
        contract: None,
        request: None,
        by: None,
        agent_marks: Vec::new(),
        own_work: false,
    };
    let mut writer = store
        .writer(&store.load(&change.key), opened)
        .map_err(|error| error.to_string())?;
    let id = new_id().map_err(|error| error.to_string())?;
    // what happened on the forge happened, wherever the head is by now
    let receipt = writer
        .append(id, Body::Posted(posted), || Ok(()))
        .map_err(|error| error.to_string())?;
    Ok(receipt.number)
}

fn shown(text: &str) -> String {
    Foreign::from(text).shown(Place::Strict).plain()
}

/// Columns of the terminal.
fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stderr());
    size.map_or(80, |size| usize::from(size.ws_col)).max(20)
}

/// Everything goes to stderr: stdout is the JSON line's.
fn say(text: &str) {
    let text = fold_to(&format!("countersign: {text}"), 2, columns() - 1);
    let _ = writeln!(lines::stderr(), "{}", text.join("\n"));
}

fn typed(prompt: &str) -> String {
    let mut err = lines::stderr();
    let _ = write!(err, "{} ", fold_to(prompt, 2, columns() - 10).join("\n"));
    let _ = err.flush();
    let mut line = String::new();
    let _ = io::stdin().lock().read_line(&mut line);
    line.trim().to_owned()
}

/// What a session on a request looked at, for the one who posts its ruling.
///
/// # Errors
/// As [`Given::read`].
pub fn given(
    context: &Context,
    found: &Found,
    args: &super::args::ReviewArgs,
) -> Result<Given, Report> {
    let args = VerifyArgs {
        target: Some(found.dir()),
        threads: args.threads.clone(),
        findings: args.findings.clone(),
        bundle: args.bundle.clone(),
        contract: args.contract.clone(),
        base: args.base.clone(),
        ..VerifyArgs::default()
    };
    Given::read(context, &args)
}
