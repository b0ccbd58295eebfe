//! Posting a ruling, the one thing that is ever written to a forge. It is pinned to the head that
//! was ruled, and done once: every post carries a hidden marker, which is looked for first (FRG-9).

use serde::Deserialize;
use serde_json::{Value, json};

use super::call::{Answer, Line, Method, NoReply};
use super::pages::Reach;
use super::{NotAsked, PAGES, head};
use crate::model::forge::{Kind, PullName};
use crate::model::id::{EntryId, Oid};
use crate::model::text::{Foreign, Place};

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Done {
    /// It stands there now; its address, as the forge says.
    Posted(String),
    /// It stood there before; its address.
    Already(String),
}

/// Why it was not posted. No decision is touched by any of it.
#[derive(Debug, thiserror::Error)]
pub enum NotPosted {
    /// The forge could not be read.
    #[error("{0}")]
    NotAsked(#[from] NotAsked),
    /// The forge has another head than the one that was ruled.
    #[error("the forge's head is {there}, ruled was {ruled}")]
    OtherHead {
        /// What the forge has.
        there: String,
        /// What was ruled.
        ruled: String,
    },
    /// Whether it was posted before cannot be told.
    #[error("whether it stands there already could not be read: {0}")]
    Unread(String),
    /// The forge refused.
    #[error("the forge answered with status {0}{1}")]
    Refused(u16, String),
    /// Some of it stands there, the rest does not.
    #[error("{0} of {1} comments stand there, then {2}; trying again sends the rest")]
    Partly(usize, usize, Box<NotPosted>),
    /// It was sent, and nobody knows what became of it.
    #[error("it was sent, and no answer came: {0}; look at the page before you try again")]
    Unknown(NoReply),
}

/// The hidden line that makes a post known again.
#[must_use]
pub fn marker(ruling: EntryId) -> String {
    format!("<!-- countersign ruling={ruling} -->")
}

/// Posts `body`, which holds the marker of `ruling`, below a request.
///
/// # Errors
/// Why it was not posted.
pub fn post(
    line: &mut dyn Line,
    name: &PullName,
    ruled: Oid,
    ruling: EntryId,
    body: &str,
) -> Result<Done, NotPosted> {
    if let Some(at) = ready(line, name, ruled, ruling)? {
        return Ok(Done::Already(at));
    }
    let list = comments_path(name);
    send(line, name, &list, &json!({"body": body})).map(Done::Posted)
}

/// Asks for the head, which must be the ruled one, and for where the ruling stands already, in
/// whichever form.
pub(super) fn ready(
    line: &mut dyn Line,
    name: &PullName,
    ruled: Oid,
    ruling: EntryId,
) -> Result<Option<String>, NotPosted> {
    let there = head(line, name)?;
    if there != Some(ruled) {
        return Err(NotPosted::OtherHead {
            there: there.map_or("not named".to_owned(), |there| there.abbreviated(12)),
            ruled: ruled.abbreviated(12),
        });
    }
    let marker = marker(ruling);
    let mut lists = vec![comments_path(name)];
    lists.extend(reviews_path(name));
    for list in lists {
        let found = standing(line, name, &list, std::slice::from_ref(&marker))?;
        if let Some(at) = found.into_iter().flatten().next() {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Where comments on the whole change are listed and sent.
pub(super) fn comments_path(name: &PullName) -> String {
    match name.host.kind {
        Kind::GitHub => format!("repos/{}/issues/{}/comments", name.repository, name.number),
        Kind::GitLab => format!("{}/notes", super::gitlab::request_path(name)),
        Kind::Forgejo | Kind::Gitea => super::gitea::comments_path(name),
    }
}

/// Where reviews are; GitLab has none, its notes are all of it.
pub(super) fn reviews_path(name: &PullName) -> Option<String> {
    match name.host.kind {
        Kind::GitHub => Some(format!("{}/reviews", super::github::request_path(name))),
        Kind::GitLab => None,
        Kind::Forgejo | Kind::Gitea => {
            Some(format!("{}/reviews", super::gitea::request_path(name)))
        }
    }
}

/// Sends one thing; the address where it stands.
pub(super) fn send(
    line: &mut dyn Line,
    name: &PullName,
    path: &str,
    what: &Value,
) -> Result<String, NotPosted> {
    let sent = line.call(Method::Post, path, Some(what));
    let answer = sent.map_err(NotPosted::Unknown)?;
    let read: Option<Comment> = answer.read();
    if !answer.good() {
        return Err(refused(&answer, read.and_then(Comment::says)));
    }
    Ok(address(name, read.as_ref()))
}

#[derive(Deserialize)]
struct Comment {
    id: Option<u64>,
    html_url: Option<String>,
    body: Option<String>,
    message: Option<Value>,
    errors: Option<Value>,
}

impl Comment {
    /// A refusal in the forge's words: a text, or lists of them by field.
    fn says(self) -> Option<String> {
        let told = [self.message, self.errors].into_iter().flatten();
        let told: Vec<String> = told
            .map(|said| match said {
                Value::String(text) => text,
                said => said.to_string(),
            })
            .collect();
        (!told.is_empty()).then(|| told.join(" "))
    }
}

/// The address of a comment; the page alone when the forge names an address elsewhere.
fn address(name: &PullName, comment: Option<&Comment>) -> String {
    let page = name.page();
    let said = comment.and_then(|comment| comment.html_url.as_ref());
    let id = comment.and_then(|comment| comment.id);
    match (said, id) {
        (Some(said), _) if said.starts_with(&page) => {
            Foreign::from(said.as_str()).shown(Place::Strict).plain()
        }
        (_, Some(id)) if name.host.kind == Kind::GitLab => format!("{page}#note_{id}"),
        _ => page,
    }
}

/// Where each of these markers stands in a list already.
pub(super) fn standing(
    line: &mut dyn Line,
    name: &PullName,
    list: &str,
    markers: &[String],
) -> Result<Vec<Option<String>>, NotPosted> {
    let mut found = vec![None; markers.len()];
    let mut reach = Reach::default();
    let size = match name.host.kind {
        Kind::GitHub | Kind::GitLab => "per_page=100",
        Kind::Forgejo | Kind::Gitea => "limit=50",
    };
    for page in 1..=PAGES {
        let path = format!("{list}?{size}&page={page}");
        let answer = line
            .get(&path)
            .map_err(|why| NotPosted::Unread(why.to_string()))?;
        if !answer.good() {
            return Err(NotPosted::Unread(format!("status {}", answer.status)));
        }
        let comments: Option<Vec<Comment>> = answer.read().filter(|_| answer.cut.is_none());
        let Some(comments) = comments else {
            let why = "the answer is no list of comments";
            return Err(NotPosted::Unread(why.to_owned()));
        };
        for comment in &comments {
            let body = comment.body.as_deref().unwrap_or_default().trim_end();
            let at = markers.iter().position(|marker| body.ends_with(marker));
            if let Some(found) = at.and_then(|at| found.get_mut(at)) {
                found.get_or_insert_with(|| address(name, Some(comment)));
            }
        }
        if found.iter().all(Option::is_some) || !reach.goes_on(&answer) {
            return Ok(found);
        }
    }
    Err(NotPosted::Unread("the list does not end".to_owned()))
}

fn refused(answer: &Answer, says: Option<String>) -> NotPosted {
    let says = says.map(|says| Foreign::from(says).shown(Place::Strict).plain());
    let says = says.map_or(String::new(), |says| format!(": {says}"));
    NotPosted::Refused(answer.status, says)
}
