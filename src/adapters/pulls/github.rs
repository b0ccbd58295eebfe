//! What is asked of GitHub: lists by REST, review threads by GraphQL, which alone knows whether
//! one is resolved. Pages are counted by us; no address that an answer names is ever asked.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::json;

use super::call::{Answer, Line, Method, NoReply};
use super::recording::{Recording, Stopped};
use super::{BYTES, PAGES};
use crate::model::forge::PullName;

/// What is asked of every comment of a thread.
const COMMENT: &str = "id fullDatabaseId body createdAt lastEditedAt isMinimized minimizedReason \
url diffHunk author{login __typename} editor{login} commit{oid} originalCommit{oid} \
pullRequestReview{fullDatabaseId state}";

/// The threads of a request, a page of them.
fn threads_query() -> String {
    format!(
        "query($owner:String!,$name:String!,$number:Int!,$after:String){{repository(owner:$owner,\
         name:$name){{pullRequest(number:$number){{reviewThreads(first:50,after:$after){{totalCount \
         pageInfo{{hasNextPage endCursor}} nodes{{id isResolved resolvedBy{{login}} isOutdated path \
         diffSide line startLine originalLine originalStartLine comments(first:100){{totalCount \
         pageInfo{{hasNextPage endCursor}} nodes{{{COMMENT}}}}}}}}}}}}}}}"
    )
}

/// The comments of one thread, a later page.
fn comments_query() -> String {
    format!(
        "query($id:ID!,$after:String){{node(id:$id){{... on PullRequestReviewThread{{id \
         comments(first:100,after:$after){{totalCount pageInfo{{hasNextPage endCursor}} \
         nodes{{{COMMENT}}}}}}}}}}}"
    )
}

#[derive(Deserialize)]
struct Page {
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Data {
    repository: Option<Repository>,
    node: Option<Thread>,
}

#[derive(Deserialize)]
struct Repository {
    #[serde(rename = "pullRequest")]
    pull: Option<Pull>,
}

#[derive(Deserialize)]
struct Pull {
    #[serde(rename = "reviewThreads")]
    threads: Option<Threads>,
}

#[derive(Deserialize)]
struct Threads {
    #[serde(rename = "pageInfo")]
    info: Info,
    nodes: Option<Vec<Option<Thread>>>,
}

#[derive(Deserialize)]
struct Thread {
    id: Option<String>,
    comments: Option<Comments>,
}

#[derive(Deserialize)]
struct Comments {
    #[serde(rename = "pageInfo")]
    info: Info,
}

#[derive(Deserialize, Default)]
struct Info {
    #[serde(rename = "hasNextPage")]
    more: bool,
    #[serde(rename = "endCursor")]
    cursor: Option<String>,
}

impl Info {
    /// Where the next page begins, when there is one and the cursor is none that was there.
    fn next(self, seen: &mut HashSet<String>) -> Option<String> {
        let cursor = self.cursor.filter(|_| self.more)?;
        seen.insert(cursor.clone()).then_some(cursor)
    }
}

/// The path of a request.
pub(super) fn request_path(name: &PullName) -> String {
    format!("repos/{}/pulls/{}", name.repository, name.number)
}

/// Asks for all lists, each to its end.
pub(super) fn lists(line: &mut dyn Line, name: &PullName, into: &mut Recording) {
    threads(line, name, into);
    let request = request_path(name);
    let comments = format!("repos/{}/issues/{}/comments", name.repository, name.number);
    for list in [
        format!("{request}/reviews"),
        comments,
        format!("{request}/files"),
        format!("{request}/commits"),
    ] {
        pages(line, &list, into);
    }
}

/// Asks for a list, page by page, until its headers say that it ends. What stops it is kept in
/// the recording, whose last page then says that there is more.
pub(super) fn pages(line: &mut dyn Line, list: &str, into: &mut Recording) {
    let mut before = None;
    for page in 1..=PAGES {
        let path = format!("{list}?per_page=100&page={page}");
        let Some(answer) = put(line.get(&path), into, |into, answer| {
            into.take(&path, answer)
        }) else {
            return;
        };
        // a forge that gives the same page for ever does not get a thousand questions
        if !answer.more() || before.as_ref() == Some(&answer.body) {
            return;
        }
        before = Some(answer.body);
    }
}

/// Keeps an answer; gives it back when one may go on asking.
fn put(
    answer: Result<Answer, NoReply>,
    into: &mut Recording,
    take: impl FnOnce(&mut Recording, &Answer) -> bool,
) -> Option<Answer> {
    if into.stopped.is_some() {
        return None;
    }
    match answer {
        Ok(answer) => {
            let whole = take(into, &answer);
            if let Some(seconds) = answer.wait() {
                into.stopped = Some(Stopped::Wait(seconds));
            } else if into.size() > BYTES {
                into.stopped = Some(Stopped::Full);
            } else if whole && answer.good() {
                return Some(answer);
            }
            None
        }
        Err(why) => {
            into.stopped = Some(match why {
                NoReply::Wait(seconds) => Stopped::Wait(seconds),
                why => Stopped::Silent(why.to_string()),
            });
            None
        }
    }
}

/// Asks for the threads, and for the rest of those that are longer than a page.
fn threads(line: &mut dyn Line, name: &PullName, into: &mut Recording) {
    let (owner, repository) = name.repository.split_once('/').unwrap_or_default();
    let mut longer = Vec::new();
    let mut seen = HashSet::new();
    let mut after = None;
    for _ in 0..PAGES {
        let body = json!({
            "query": threads_query(),
            "variables": {"owner": owner, "name": repository, "number": name.number, "after": after},
        });
        let Some(page) = graphql(line, &body, into) else {
            return;
        };
        let pull = page.repository.and_then(|repository| repository.pull);
        let Some(threads) = pull.and_then(|pull| pull.threads) else {
            return;
        };
        for thread in threads.nodes.into_iter().flatten().flatten() {
            let info = thread.comments.map(|comments| comments.info);
            if let (Some(id), Some(info)) = (thread.id, info) {
                longer.push((id, info));
            }
        }
        after = threads.info.next(&mut seen);
        if after.is_none() {
            break;
        }
    }
    for (id, mut info) in longer {
        let mut seen = HashSet::new();
        for _ in 0..PAGES {
            let Some(after) = info.next(&mut seen) else {
                break;
            };
            let body = json!({
                "query": comments_query(),
                "variables": {"id": id, "after": after},
            });
            let Some(page) = graphql(line, &body, into) else {
                return;
            };
            let comments = page.node.and_then(|thread| thread.comments);
            info = comments.map(|comments| comments.info).unwrap_or_default();
        }
    }
}

fn graphql(line: &mut dyn Line, body: &serde_json::Value, into: &mut Recording) -> Option<Data> {
    if into.stopped.is_some() {
        return None;
    }
    let answer = line.call(Method::Post, "graphql", Some(body));
    let answer = put(answer, into, |into, answer| {
        into.take_as("POST /graphql", answer)
    })?;
    answer.read::<Page>()?.data
}
