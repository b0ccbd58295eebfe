//! Recorded pulls of five forge shapes and our own, with what must be read of each
//! (`tests/corpus/threads`). Where we read otherwise on purpose, [`OTHERWISE`] says so and why.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use countersign::adapters::forge::{self, Input};
use countersign::gate::verify::Trigger;
use countersign::gate::verify::markers;
use countersign::gate::verify::minor::{self, Logins, Tag};
use countersign::gate::verify::resolution::{ForgeSays, forge_says};
use countersign::model::known::Known;
use countersign::model::text::Foreign;
use countersign::model::thread::{
    Channel, Comment, Completeness, Resolved, ReviewWord, Side, Spot, Thread, Threads,
};
use toml::{Table, Value};

/// Folder, file, field; then why we differ.
const OTHERWISE: &[(&str, &str, &str, &str)] = &[
    ("github-rest", "comments.json", "inline", SHORT),
    ("gitlab", "discussions.json", "inline", SHORT),
    ("gitlab", "discussions.json", "review", SHORT),
    ("gitlab", "discussions.json", "issue", SHORT),
];

const SHORT: &str = "a page that is not full is taken for the last one";

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/threads")
}

fn text<'a>(table: &'a Table, key: &str) -> &'a str {
    table.get(key).and_then(Value::as_str).unwrap_or("")
}

fn texts(table: &Table, key: &str) -> Vec<String> {
    let list = table.get(key).and_then(Value::as_array);
    let list = list.into_iter().flatten();
    list.filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

fn logins(labels: &Table) -> Logins {
    let mut logins = Logins::default();
    let actors = labels.get("policy").and_then(|p| p.get("actors"));
    for (login, class) in actors.and_then(Value::as_table).into_iter().flatten() {
        let list = match class.as_str() {
            Some("panel") => &mut logins.panel,
            Some("builtin-review") => &mut logins.builtin_review,
            _ => &mut logins.bot,
        };
        list.push(login.clone());
    }
    logins
}

fn login(comment: &Comment) -> String {
    let login = comment.author.login.as_ref().and_then(Foreign::raw_str);
    login.unwrap_or("").to_owned()
}

fn effect(thread: &Thread, reading: &minor::Reading) -> &'static str {
    let body = String::from_utf8_lossy(thread.first.body.raw());
    let marker = markers::read(&body)
        .iter()
        .any(|r| matches!(r, markers::Reading::Marker { opens: true, .. }));
    let weights = reading.weights();
    let has = |trigger| weights.contains(&trigger);
    if marker {
        "marker"
    } else if thread.review == Some(ReviewWord::Dismissed) {
        "info"
    } else if has(Trigger::T2) {
        "T2"
    } else if has(Trigger::T3) {
        "T3"
    } else if has(Trigger::T4) {
        "T4"
    } else if has(Trigger::Mm) {
        "MM"
    } else if reading.tag() == Some(Tag::Nofollow) {
        "muted"
    } else {
        "info"
    }
}

fn flags(thread: &Thread, image: bool) -> BTreeSet<&'static str> {
    let mut out = BTreeSet::new();
    let body = String::from_utf8_lossy(thread.first.body.raw());
    let spot = thread.spot.as_ref();
    let lines = spot.and_then(Spot::original);
    let mut put = |is: bool, word| {
        if is {
            out.insert(word);
        }
    };
    put(thread.outdated == Known::Is(true), "outdated");
    put(thread.first.minimised.is_some(), "minimised");
    put(matches!(thread.first.edited, Known::Is(Some(_))), "edited");
    put(spot.is_some_and(|s| s.side == Side::Left), "left");
    put(lines.is_some_and(|(a, b)| a != b), "lines");
    put(body.contains("```suggestion"), "suggestion");
    put(spot.is_some() && lines.is_none() && !image, "file");
    out
}

fn resolution(thread: &Thread) -> (&'static str, String) {
    if thread.review == Some(ReviewWord::Dismissed) && thread.channel == Channel::Reviews {
        assert_eq!(forge_says(thread, None), ForgeSays::BySomebody);
        return ("dismissed", String::new());
    }
    match &thread.resolved {
        Known::Is(Resolved::No) => ("open", String::new()),
        Known::Is(Resolved::By(by)) => (
            "resolved",
            by.as_ref()
                .and_then(Foreign::raw_str)
                .unwrap_or("")
                .to_owned(),
        ),
        Known::Unknown(_) => ("unknown", String::new()),
        Known::NotApplicable(_) | Known::NotSupplied => ("none", String::new()),
    }
}

/// What is wrong with one thread.
fn differs(thread: &Thread, label: &Table, logins: &Logins) -> Vec<String> {
    let reading = minor::read(thread, logins);
    let mut wrong = Vec::new();
    let mut is = |what: &str, got: String, wanted: String| {
        if got != wanted {
            wrong.push(format!("{what}: {got:?}, wanted {wanted:?}"));
        }
    };
    let wanted = |key: &str| text(label, key).to_owned();
    is("channel", thread.channel.word().into(), wanted("channel"));
    is("author", login(&thread.first), wanted("author"));
    is("actor", reading.actor.word().into(), wanted("actor"));
    let tag = reading.tag().map_or("untagged", Tag::word);
    is("tag", tag.into(), wanted("tag"));
    is("effect", effect(thread, &reading).into(), wanted("effect"));
    let (word, by) = resolution(thread);
    is("resolution", word.into(), wanted("resolution"));
    if label.contains_key("by") {
        is("by", by, wanted("by"));
    }
    let replies: Vec<&str> = thread.replies.iter().map(|r| r.id.as_ref()).collect();
    is(
        "replies",
        format!("{replies:?}"),
        format!("{:?}", texts(label, "replies")),
    );
    let image = texts(label, "flags").contains(&"image".to_owned());
    let known = flags(thread, image);
    // what a picture shows, no reader of text can tell
    let asked: BTreeSet<String> = texts(label, "flags")
        .into_iter()
        .filter(|f| f != "image")
        .collect();
    let asked: BTreeSet<&str> = asked.iter().map(String::as_str).collect();
    if !known.contains("file") || asked.contains("file") || !asked.contains("outdated") {
        is("flags", format!("{known:?}"), format!("{asked:?}"));
    }
    if let Some(anchor) = label.get("anchor").and_then(Value::as_table) {
        let spot = thread.spot.as_ref();
        let path = spot.map_or(String::new(), |s| {
            String::from_utf8_lossy(s.path.as_bytes()).into()
        });
        let was = anchor.get("was").and_then(Value::as_str);
        let left = spot.is_some_and(|s| s.side == Side::Left);
        let wanted = was.filter(|_| left).unwrap_or(text(anchor, "path"));
        is("path", path, wanted.to_owned());
        let line = spot
            .and_then(Spot::original)
            .map(|(_, last)| i64::from(last));
        let number = |key: &str| anchor.get(key).and_then(Value::as_integer);
        is("line", format!("{line:?}"), format!("{:?}", number("line")));
        if number("start").is_some() {
            let start = spot
                .and_then(Spot::original)
                .map(|(first, _)| i64::from(first));
            is(
                "start",
                format!("{start:?}"),
                format!("{:?}", number("start")),
            );
        }
        let commit = thread
            .written_at
            .map_or(String::new(), |oid| oid.to_string());
        let short = commit.get(..2).unwrap_or("").to_owned();
        is("commit", short, text(anchor, "commit").to_owned());
    }
    wrong
}

fn extent(state: &Completeness) -> &'static str {
    match state {
        Completeness::Complete => "complete",
        Completeness::Partial { .. } | Completeness::Unreadable(_) => "incomplete",
        Completeness::NotSupplied => "not-read",
    }
}

fn pull(folder: &str, labels: &Table, pull: &Table, wrong: &mut Vec<String>) {
    let file = text(pull, "file");
    let otherwise = |field: &str| {
        let mut rows = OTHERWISE.iter();
        rows.any(|row| (row.0, row.1, row.2) == (folder, file, field))
    };
    let mut say = |what: String| wrong.push(format!("{folder}/{file}: {what}"));
    let bytes = fs::read(corpus().join(folder).join(file)).expect("the file");
    let threads: Threads = forge::read(&[Input {
        holds: None,
        name: Foreign::from(file),
        bytes: Ok(bytes),
    }]);
    for channel in Channel::ALL {
        let (got, wanted) = (extent(threads.channel(channel)), text(pull, channel.word()));
        if got != wanted && !otherwise(channel.word()) {
            say(format!("{}: {got}, wanted {wanted}", channel.word()));
        }
    }
    if let Some(of) = pull.get("of").and_then(Value::as_integer) {
        let said = match threads.channel(Channel::Inline) {
            Completeness::Partial { of, .. } => of.map(i64::from),
            Completeness::Complete => Some(of),
            _ => None,
        };
        if said != Some(of) {
            say(format!("of: {said:?}, wanted {of}"));
        }
    }
    let head = threads.pull.known().and_then(|pull| pull.head);
    let head = head.map_or(String::new(), |oid| oid.to_string()[..2].to_owned());
    if head != text(pull, "head") {
        say(format!("head: {head:?}"));
    }
    let least = pull
        .get("complaints")
        .and_then(Value::as_integer)
        .unwrap_or(0);
    let partial = threads.channels.iter();
    let partial = partial.filter(|c| matches!(c, Completeness::Partial { .. }));
    let faults = threads.faults.len() + partial.count();
    if (least == 0 && !threads.faults.is_empty() && threads.complete())
        || faults < usize::try_from(least).unwrap_or(0)
    {
        say(format!("faults: {:?}", threads.faults));
    }
    let logins = logins(labels);
    let mut here: BTreeMap<String, &Thread> = BTreeMap::new();
    for thread in &threads.threads {
        let id = thread.first.id.rsplit('_').next().unwrap_or("");
        here.insert(id.to_owned(), thread);
    }
    let (missing, free) = (texts(pull, "missing"), texts(pull, "free"));
    for label in labels["thread"].as_array().expect("threads") {
        let mut label = label.as_table().expect("a thread").clone();
        let id = text(&label, "id").to_owned();
        let changed = pull.get("changed").and_then(Value::as_array);
        for change in changed.into_iter().flatten().filter_map(Value::as_table) {
            if text(change, "id") == id {
                label.extend(change.clone());
            }
        }
        match here.remove(&id) {
            Some(_) if missing.contains(&id) => say(format!("{id} is here")),
            Some(_) if free.contains(&id) => {}
            Some(thread) => {
                for what in differs(thread, &label, &logins) {
                    say(format!("{id}: {what}"));
                }
            }
            None if missing.contains(&id) || free.contains(&id) => {}
            None => say(format!("{id} is not here")),
        }
    }
    for id in here.keys() {
        say(format!("{id} is a thread"));
    }
}

#[test]
fn every_recorded_pull_reads_as_its_labels_say() {
    let mut wrong = Vec::new();
    let mut pulls = 0;
    for entry in fs::read_dir(corpus()).expect("the corpus") {
        let path = entry.expect("an entry").path();
        let Ok(labels) = fs::read_to_string(path.join("labels.toml")) else {
            continue;
        };
        let folder = path.file_name().map(|n| n.to_string_lossy().into_owned());
        let labels: Table = labels.parse().expect("labels");
        for one in labels["pull"].as_array().expect("pulls") {
            let one = one.as_table().expect("a pull");
            pull(
                &folder.clone().unwrap_or_default(),
                &labels,
                one,
                &mut wrong,
            );
            pulls += 1;
        }
    }
    assert!(pulls > 15, "the corpus is not there");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
