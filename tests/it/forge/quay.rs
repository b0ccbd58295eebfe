//! A forge on loopback that plays a recorded pull of `tests/corpus/threads`, with commits of a real
//! repository in the place of the recorded ones; and a person with a clone of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::server::{Answer, Asked, Forge};
use crate::git::repo::run;
use crate::support::countersign;

/// The person's token; it must be seen in one header and nowhere else.
pub(crate) const TOKEN: &str = "tok-gannetsoverthebreakwater-0123456789";

const CONTRACT: &str = "# Contract: heights in metres\nDate: 2026-11-02 | Slug: height | Status: READY\n\
\n## REQUEST\nShow the height in metres.\n\n## CLARIFICATIONS\n- none\n\n## CRITERIA\n\
### C1\n- STATEMENT: heights are in metres\n- CHECK: `true`\n- EXPECT: exit 0\n- EVIDENCE:\n\n\
## FILE SCOPE\n- lib/**\n- tests/**\n- tools/**\n- docs/**\n";

/// What the forge has.
pub(crate) struct Tape {
    /// Recorded answers by what was asked.
    answers: BTreeMap<String, Value>,
    /// Commits of the recording, and those of the repository.
    pub(crate) commits: BTreeMap<&'static str, String>,
    /// What was sent, by the path it was sent to.
    pub(crate) sent: BTreeMap<String, Vec<Value>>,
}

impl Tape {
    fn load(file: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/threads");
        let text = std::fs::read_to_string(path.join(file)).expect("a recording");
        let recording: Value = serde_json::from_str(&text).expect("JSON");
        let responses = recording["responses"].as_array().expect("answers").iter();
        let answers = responses
            .map(|one| (one["request"].as_str().expect("a path").into(), one.clone()))
            .collect();
        Self {
            answers,
            commits: BTreeMap::new(),
            sent: BTreeMap::new(),
        }
    }

    /// Changes a recorded body.
    pub(crate) fn edit(&mut self, request: &str, change: impl FnOnce(&mut Value)) {
        let recorded = self.answers.get_mut(request).expect("it was recorded");
        change(&mut recorded["body"]);
        let length = recorded["body"].as_array().map(Vec::len);
        if let Some(total) = recorded["headers"].get_mut("x-total-count") {
            *total = json!(length.unwrap_or(0).to_string());
        }
    }

    /// Answers as recorded, then with what was sent meanwhile.
    pub(crate) fn answer(&mut self, asked: &Asked) -> Answer {
        if asked.method == "POST" {
            return self.take(asked);
        }
        let whole = format!("{} {}", asked.method, asked.path);
        let path = asked.path.split('?').next().unwrap_or_default();
        let none = Vec::new();
        let more = self.sent.get(path).unwrap_or(&none);
        let Some(recorded) = self.answers.get(&whole) else {
            // a list that was not recorded has what was sent to it
            return if more.is_empty() && !path.ends_with("/notes") {
                Answer::new(404, r#"{"message":"404 Not Found"}"#)
            } else {
                Answer::json(&Value::from(more.clone()))
            };
        };
        let mut body = recorded["body"].clone();
        let headers = recorded["headers"].as_object().expect("headers");
        let next = format!("page={}", asked.page() + 1);
        let next = whole.replace(&format!("page={}", asked.page()), &next);
        let last = next == whole || !self.answers.contains_key(&next);
        if let Some(list) = body.as_array_mut().filter(|_| last) {
            list.extend(more.iter().cloned());
        }
        let mut body = body.to_string();
        for (recorded, real) in &self.commits {
            body = body.replace(&recorded.repeat(20), real);
        }
        let status = recorded["status"].as_u64().expect("a status");
        let mut answer = Answer::new(u16::try_from(status).expect("a status"), &body);
        for (name, value) in headers {
            let mut value = value.as_str().expect("a header").to_owned();
            if name.starts_with("x-total") && name != "x-total-pages" {
                let total: usize = value.parse().expect("a number");
                value = (total + more.len()).to_string();
            }
            answer = answer.with(name, &value);
        }
        answer
    }

    fn take(&mut self, asked: &Asked) -> Answer {
        let number: usize = self.sent.values().map(Vec::len).sum();
        let id = 7000 + number;
        let mut kept = asked.body.clone();
        kept["id"] = json!(id);
        kept["created_at"] = json!("2026-11-03T09:15:00Z");
        kept["user"] = json!({"login": "ada"});
        if asked.path.ends_with("/discussions") {
            let position = &asked.body["position"];
            let note = json!({"id": id, "body": asked.body["body"], "system": false,
                "author": {"username": "ada"}, "position": position, "resolvable": true,
                "resolved": false, "created_at": "2026-11-03T09:15:00Z"});
            kept = json!({"id": format!("d{id}"), "notes": [note]});
        }
        if asked.path.ends_with("/discussions") {
            // every note of a discussion is one of the list of notes as well
            let notes = asked.path.replace("/discussions", "/notes");
            let note = kept["notes"][0].clone();
            self.sent.entry(notes).or_default().push(note);
        }
        let list = self.sent.entry(asked.path.clone()).or_default();
        list.push(kept.clone());
        Answer::new(201, &kept.to_string())
    }
}

/// The person, the forge, and everything between.
pub(crate) struct Quay {
    // the forge ends before its folder goes
    pub(crate) forge: Forge,
    folder: tempfile::TempDir,
    pub(crate) tape: Arc<Mutex<Tape>>,
    head_ref: &'static str,
}

/// Twelve lines, those that are named changed.
fn lines(changed: &[(usize, &str)]) -> String {
    (1..=12)
        .map(|number| {
            let other = changed.iter().find(|(at, _)| *at == number);
            other.map_or(format!("line {number}\n"), |(_, text)| format!("{text}\n"))
        })
        .collect()
}

impl Quay {
    /// Plays `file`; heads of requests are offered under `head_ref`.
    pub(crate) fn new(file: &str, head_ref: &'static str) -> Self {
        let tape = Arc::new(Mutex::new(Tape::load(file)));
        let answers = Arc::clone(&tape);
        let forge = Forge::loopback(move |asked| answers.lock().expect("the tape").answer(asked));
        let folder = tempfile::tempdir().expect("a folder");
        let quay = Self {
            forge,
            folder,
            tape,
            head_ref,
        };
        let server = quay.top().join("server");
        std::fs::create_dir(&server).expect("a folder");
        run(&server, &["init", "-q", "-b", "main"]);
        let start = [
            ("lib/height.py", lines(&[])),
            ("lib/old_height.py", lines(&[(1, "old")])),
            ("tests/test_height.py", lines(&[(1, "test")])),
        ];
        let base = quay.commit(&start);
        run(&server, &["checkout", "-q", "-b", "height"]);
        let first = quay.commit(&[
            ("lib/height.py", lines(&[(6, "six"), (8, "eight")])),
            ("tools/lint.cfg", "width = 80\n".to_owned()),
            ("docs/board.png", "picture".to_owned()),
            (".claude/tasks/contracts/height.md", CONTRACT.to_owned()),
        ]);
        let second = quay.commit(&[
            ("lib/height.py", lines(&[(6, "six cm"), (8, "eight")])),
            ("tests/test_height.py", lines(&[(4, "four")])),
        ]);
        let third = quay.commit(&[("lib/height.py", lines(&[(6, "six m"), (8, "eight")]))]);
        let mut tape = quay.tape.lock().expect("the tape");
        tape.commits
            .extend([("d4", base), ("a1", first), ("b2", second)]);
        drop(tape);
        quay.push(&third);
        run(&server, &["checkout", "-q", "main"]);
        run(&quay.top(), &["clone", "-q", "server", "clone"]);
        quay
    }

    fn commit(&self, files: &[(&str, String)]) -> String {
        let server = self.top().join("server");
        for (name, text) in files {
            let path = server.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        run(&server, &["add", "-A"]);
        run(&server, &["commit", "-q", "-m", "height"]);
        run(&server, &["rev-parse", "HEAD"])
    }

    /// The head of the request is this commit now.
    pub(crate) fn push(&self, head: &str) {
        let server = self.top().join("server");
        run(&server, &["update-ref", self.head_ref, head]);
        let mut tape = self.tape.lock().expect("the tape");
        tape.commits.insert("c3", head.to_owned());
    }

    /// The clone's remote is this address; git gets it from the folder all the same.
    pub(crate) fn remote(&self, host: &str) {
        let address = format!("https://{host}/quay/tideboard.git");
        let clone = self.top().join("clone");
        run(&clone, &["remote", "set-url", "origin", &address]);
        let server = self.top().join("server");
        let text = format!(
            "[url \"file://{}\"]\n\tinsteadOf = {address}\n",
            server.display()
        );
        std::fs::write(self.top().join(".gitconfig"), text).expect("a file");
    }

    /// The person's settings.
    pub(crate) fn settings(&self, text: &str) {
        let folder = self.top().join("countersign/config");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("config.toml"), text).expect("a file");
    }

    /// The folder of everything.
    pub(crate) fn top(&self) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).expect("its name")
    }

    /// As if the person had confirmed their name before.
    pub(crate) fn person(&self) {
        super::world::person(&self.top());
    }

    /// Every file below the folder that holds these bytes.
    pub(crate) fn files_with(&self, text: &str) -> Vec<PathBuf> {
        super::world::files_with(&self.top(), text)
    }

    /// The program in the clone.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = countersign(&self.top());
        command.args(words).current_dir(self.top().join("clone"));
        command
    }
}

/// Runs it with `--json`; the exit, the document, and what it said beside it.
pub(crate) fn json_of(command: &mut Command) -> (i32, Value, String) {
    let out: Output = command.arg("--json").output().expect("it runs");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let text = String::from_utf8_lossy(&out.stdout);
    let value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text} {said}"));
    (out.status.code().unwrap_or(-1), value, said)
}

/// Every thread in a line: first comment, where it is, whether the forge calls it resolved, how the
/// commits answer it, answers.
pub(crate) fn threads_of(found: &Value) -> Vec<String> {
    let threads = found["threads"].as_array().expect("threads").iter();
    threads
        .map(|one| {
            let word = |value: &Value| match value {
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            let anchor = &one["anchor"];
            let place = match anchor.as_object() {
                None => one["channel"].as_str().unwrap_or_default().to_owned(),
                Some(_) => format!(
                    "{}:{} {}",
                    word(&anchor["path"]),
                    word(&anchor["line"]),
                    word(&anchor["grade"])
                ),
            };
            let resolution = &one["resolution"];
            format!(
                "{} {place}, resolved {}, commits {}, answers {}",
                word(&one["comment"]),
                word(&resolution["resolved"]),
                word(&resolution["grade"]),
                one["replies"].as_array().map_or(0, Vec::len)
            )
        })
        .collect()
}
