//! What is asked of Forgejo and Gitea: inline comments come review by review there, and answers to
//! one stand at the same place in the same review.

use serde::Deserialize;

use super::call::Line;
use super::pages::{pages, put};
use super::recording::Recording;
use crate::model::forge::PullName;

/// The length of a page; more is not given.
const SIZE: &str = "limit=50";

#[derive(Deserialize)]
struct Review {
    id: Option<u64>,
    state: Option<String>,
}

/// The path of a request.
pub(super) fn request_path(name: &PullName) -> String {
    format!("repos/{}/pulls/{}", name.repository, name.number)
}

/// The path of the comments below its description.
pub(super) fn comments_path(name: &PullName) -> String {
    format!("repos/{}/issues/{}/comments", name.repository, name.number)
}

/// Asks for all lists, each to its end.
pub(super) fn lists(line: &mut dyn Line, name: &PullName, into: &mut Recording) {
    let list = format!("{}/reviews", request_path(name));
    let mut reviews = Vec::new();
    pages(line, &list, SIZE, into, &mut |answer| {
        let page: Option<Vec<Review>> = answer.read();
        reviews.extend(page.into_iter().flatten());
    });
    for review in reviews {
        // somebody was asked to look, and has not yet
        if review.state.as_deref() == Some("REQUEST_REVIEW") {
            continue;
        }
        let Some(id) = review.id else {
            continue;
        };
        if into.stopped.is_some() {
            return;
        }
        let path = format!("{list}/{id}/comments");
        put(line.get(&path), into, |into, answer| {
            into.take(&path, answer)
        });
    }
    if into.stopped.is_none() {
        pages(line, &comments_path(name), SIZE, into, &mut |_| {});
    }
}
