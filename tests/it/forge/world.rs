//! A person with a clone, a client that is logged in, and a forge with one pull request.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::server::{Answer, Asked, Forge};
use crate::git::repo::run;
use crate::support::countersign;

/// The token of the person's client: it must not be seen anywhere.
pub(crate) const TOKEN: &str = "ghp_kelpunderthepier0123456789abcdefABCD";

const CONTRACT: &str = "# Contract: no boat leaves twice\nDate: 2026-11-02 | Slug: twice | Status: READY\n\
\n## REQUEST\nDo not list a boat twice.\n\n## CLARIFICATIONS\n- none\n\n## CRITERIA\n\
### C1\n- STATEMENT: the list has each boat once\n- CHECK: `true`\n- EXPECT: exit 0\n- EVIDENCE:\n\n\
## FILE SCOPE\n- boats.txt\n";

/// What the forge has.
#[derive(Clone)]
pub(crate) struct Pull {
    pub(crate) head: String,
    pub(crate) threads: Vec<Value>,
    pub(crate) comments: Vec<Value>,
    pub(crate) reviews: Vec<Value>,
}

/// The person, the forge, and everything between.
pub(crate) struct World {
    // the forge ends before its socket goes
    pub(crate) forge: Forge,
    folder: tempfile::TempDir,
    pub(crate) pull: Arc<Mutex<Pull>>,
}

/// A comment of a thread as GraphQL has it.
pub(crate) fn said(id: u64, by: &str, body: &str, at: &str) -> Value {
    json!({"id": format!("C_{id}"), "fullDatabaseId": id.to_string(), "body": body,
        "createdAt": "2026-11-02T09:15:00Z", "lastEditedAt": null, "isMinimized": false,
        "minimizedReason": null, "url": format!("https://github.com/harbor/ferry/pull/128#r{id}"),
        "diffHunk": "@@ -1 +1,2 @@\n east\n+west", "author": {"login": by, "__typename": "User"},
        "editor": null, "commit": {"oid": at}, "originalCommit": {"oid": at},
        "pullRequestReview": {"fullDatabaseId": "900", "state": "COMMENTED"}})
}

/// A thread at line 2 of the file that changed.
pub(crate) fn thread(id: u64, resolved: bool, outdated: bool, comments: &[Value]) -> Value {
    let line = if outdated { Value::Null } else { json!(2) };
    json!({"id": format!("T_{id}"), "isResolved": resolved,
        "resolvedBy": if resolved { json!({"login": "maren"}) } else { Value::Null },
        "isOutdated": outdated, "path": "boats.txt", "diffSide": "RIGHT", "line": line,
        "startLine": null, "originalLine": 2, "originalStartLine": null, "comments": comments})
}

impl Pull {
    /// Answers one question as GitHub does; pages of threads and comments have two each.
    pub(crate) fn answer(&mut self, asked: &Asked) -> Answer {
        let path = asked.path.split('?').next().unwrap_or_default();
        let list = |items: &[Value]| Answer::page(items, asked.page(), 2);
        match (asked.method.as_str(), path) {
            ("GET", "/repos/harbor/ferry/pulls/128") => Answer::json(&self.object()),
            ("GET", "/repos/harbor/ferry/pulls/128/reviews") => list(&self.reviews),
            ("GET", "/repos/harbor/ferry/issues/128/comments") => list(&self.comments),
            ("GET", "/repos/harbor/ferry/pulls/128/files") => {
                list(&[json!({"filename": "boats.txt", "status": "modified"})])
            }
            ("GET", "/repos/harbor/ferry/pulls/128/commits") => {
                list(&[json!({"sha": self.head, "commit": {"message": "west"}})])
            }
            ("POST", "/graphql") => self.graphql(&asked.body["variables"]),
            ("POST", "/repos/harbor/ferry/issues/128/comments") => {
                let id = 7000 + self.comments.len();
                let url = format!("https://github.com/harbor/ferry/pull/128#issuecomment-{id}");
                let comment = json!({"id": id, "html_url": url, "body": asked.body["body"],
                    "issue_url": "u", "user": {"login": "ada"},
                    "created_at": "2026-11-03T09:15:00Z"});
                self.comments.push(comment.clone());
                Answer::new(201, &comment.to_string())
            }
            ("POST", "/repos/harbor/ferry/pulls/128/reviews") => {
                let id = 8000 + self.reviews.len();
                let url = format!("https://github.com/harbor/ferry/pull/128#review-{id}");
                let review = json!({"id": id, "html_url": url, "body": asked.body["body"],
                    "state": "COMMENTED", "submitted_at": "2026-11-03T09:15:00Z",
                    "commit_id": asked.body["commit_id"], "user": {"login": "ada"}});
                self.reviews.push(review.clone());
                Answer::json(&review)
            }
            _ => Answer::new(404, r#"{"message":"Not Found"}"#),
        }
    }

    fn object(&self) -> Value {
        let comments: usize = self
            .threads
            .iter()
            .map(|thread| thread["comments"].as_array().map_or(0, Vec::len))
            .sum();
        json!({"number": 128, "state": "open", "title": "West is listed", "body": "Adds west.",
            "user": {"login": "agent"}, "merged": false, "mergeable": true,
            "comments": self.comments.len(), "review_comments": comments, "changed_files": 1,
            "commits": 1, "head": {"sha": self.head, "ref": "west"}, "base": {"ref": "main"}})
    }

    fn graphql(&self, asked: &Value) -> Answer {
        let after = |name: &Value| {
            let text = name.as_str().and_then(|text| text.strip_prefix("at-"));
            text.and_then(|text| text.parse().ok()).unwrap_or(0_usize)
        };
        let page = |items: &[Value], from: usize| {
            let to = items.len().min(from + 2);
            json!({"totalCount": items.len(), "nodes": items[from..to],
                "pageInfo": {"hasNextPage": to < items.len(), "endCursor": format!("at-{to}")}})
        };
        let none = Vec::new();
        let comments = |thread: &Value, from: usize| {
            page(thread["comments"].as_array().unwrap_or(&none), from)
        };
        let from = after(&asked["after"]);
        if let Some(id) = asked["id"].as_str() {
            let thread = self.threads.iter().find(|thread| thread["id"] == id);
            let thread = thread.expect("a thread");
            let node = json!({"id": id, "comments": comments(thread, from)});
            return Answer::json(&json!({"data": {"node": node}}));
        }
        let threads: Vec<Value> = self
            .threads
            .iter()
            .map(|thread| {
                let mut thread = thread.clone();
                thread["comments"] = comments(&thread, 0);
                thread
            })
            .collect();
        let pull = json!({"reviewThreads": page(&threads, from)});
        Answer::json(&json!({"data": {"repository": {"pullRequest": pull}}}))
    }
}

impl World {
    /// Sets everything up: the request has a resolved, an outdated and an open thread.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let top = std::fs::canonicalize(folder.path()).expect("its name");
        let (server, clone) = (top.join("server"), top.join("clone"));
        std::fs::create_dir(&server).expect("a folder");
        run(&server, &["init", "-q", "-b", "main"]);
        std::fs::write(server.join("boats.txt"), "east\n").expect("a file");
        run(&server, &["add", "-A"]);
        run(&server, &["commit", "-q", "-m", "start"]);
        run(&top, &["clone", "-q", "server", "clone"]);
        let origin = "https://github.com/harbor/ferry.git";
        run(&clone, &["remote", "set-url", "origin", origin]);
        let gitconfig = format!(
            "[url \"file://{}\"]\n\tinsteadOf = {origin}\n",
            server.display()
        );
        std::fs::write(top.join(".gitconfig"), gitconfig).expect("a file");
        let pull = Arc::new(Mutex::new(Pull {
            head: String::new(),
            threads: Vec::new(),
            comments: vec![json!({"id": 1, "issue_url": "u", "body": "Please look.",
                "user": {"login": "agent"}, "created_at": "2026-11-02T09:00:00Z"})],
            reviews: vec![json!({"id": 900, "state": "COMMENTED", "body": "",
                "user": {"login": "maren"}, "submitted_at": "2026-11-02T09:15:00Z"})],
        }));
        let answers = Arc::clone(&pull);
        let forge = Forge::new(&top, move |asked| {
            answers.lock().expect("the request").answer(asked)
        });
        let world = Self {
            folder,
            forge,
            pull,
        };
        std::fs::create_dir_all(world.top().join("gh")).expect("a folder");
        let config = format!("http_unix_socket: {}\n", world.forge.socket().display());
        std::fs::write(world.top().join("gh/config.yml"), config).expect("a file");
        let head = world.push(&[("boats.txt", "east\nwest\n")]);
        let mut pull = world.pull.lock().expect("the request");
        pull.threads = vec![
            thread(
                1,
                true,
                false,
                &[
                    said(11, "maren", "is west right?", &head),
                    said(12, "agent", "it is", &head),
                    said(13, "maren", "good", &head),
                ],
            ),
            thread(2, false, true, &[said(21, "maren", "and north?", &head)]),
            thread(
                3,
                false,
                false,
                &[said(31, "maren", "blocker: west sinks", &head)],
            ),
        ];
        drop(pull);
        world
    }

    /// The folder of everything.
    pub(crate) fn top(&self) -> PathBuf {
        std::fs::canonicalize(self.folder.path()).expect("its name")
    }

    /// The person's clone.
    pub(crate) fn clone_dir(&self) -> PathBuf {
        self.top().join("clone")
    }

    /// Pushes another head of the request, on top of main; the one before is gone.
    pub(crate) fn push(&self, files: &[(&str, &str)]) -> String {
        let server = self.top().join("server");
        run(&server, &["checkout", "-q", "--detach", "main"]);
        let folder = server.join(".claude/tasks/contracts");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("twice.md"), CONTRACT).expect("a file");
        for (name, text) in files {
            std::fs::write(server.join(name), text).expect("a file");
        }
        run(&server, &["add", "-A"]);
        run(&server, &["commit", "-q", "-m", "west"]);
        let head = run(&server, &["rev-parse", "HEAD"]);
        run(&server, &["update-ref", "refs/pull/128/head", &head]);
        run(&server, &["checkout", "-q", "main"]);
        self.pull
            .lock()
            .expect("the request")
            .head
            .clone_from(&head);
        head
    }

    /// The program in the clone, with the client logged in.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        self.command_in(&self.clone_dir(), words)
    }

    /// The same in another folder.
    pub(crate) fn command_in(&self, dir: &Path, words: &[&str]) -> Command {
        let mut command = countersign(&self.top());
        command
            .args(words)
            .env("GH_CONFIG_DIR", self.top().join("gh"))
            .env("GH_TOKEN", TOKEN)
            .current_dir(dir);
        command
    }

    /// As if the person had confirmed their name before.
    pub(crate) fn person(&self) {
        let name = Command::new("id").args(["-un"]).output().expect("id runs");
        let state = self.top().join("countersign/state");
        std::fs::create_dir_all(&state).expect("a folder");
        std::fs::write(state.join("who"), name.stdout).expect("a file");
    }

    /// Every line of the ledger.
    pub(crate) fn ledger(&self) -> Vec<String> {
        let mut left = vec![self.top().join("countersign/state")];
        let mut lines = Vec::new();
        while let Some(folder) = left.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    left.push(path);
                } else if path.extension().is_some_and(|end| end == "jsonl") {
                    let text = std::fs::read_to_string(path).expect("a shard");
                    lines.extend(text.lines().map(str::to_owned));
                }
            }
        }
        lines
    }

    /// Runs it.
    pub(crate) fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("it runs")
    }

    /// Runs it with `--json`; the exit and the document.
    pub(crate) fn json(&self, words: &[&str]) -> (i32, Value) {
        let out = self.run(&[words, &["--json"]].concat());
        let text = String::from_utf8_lossy(&out.stdout);
        let value = serde_json::from_str(&text).unwrap_or_else(|error| {
            panic!("{error}: {text} {}", String::from_utf8_lossy(&out.stderr))
        });
        (out.status.code().unwrap_or(-1), value)
    }

    /// Worktrees that are there now.
    pub(crate) fn worktrees(&self) -> Vec<PathBuf> {
        let pulls = self.top().join("countersign/cache/pulls");
        let homes = std::fs::read_dir(pulls).into_iter().flatten().flatten();
        homes
            .flat_map(|home| {
                std::fs::read_dir(home.path().join("trees"))
                    .into_iter()
                    .flatten()
            })
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .collect()
    }

    /// Every file below the folder that holds these bytes.
    pub(crate) fn files_with(&self, text: &str) -> Vec<PathBuf> {
        let mut left = vec![self.top()];
        let mut found = Vec::new();
        while let Some(folder) = left.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                let kind = entry.file_type().expect("a kind");
                if kind.is_dir() {
                    left.push(path);
                } else if kind.is_file() {
                    let bytes = std::fs::read(&path).unwrap_or_default();
                    if memchr::memmem::find(&bytes, text.as_bytes()).is_some() {
                        found.push(path);
                    }
                }
            }
        }
        found
    }
}
