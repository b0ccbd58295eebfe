//! What is asked of GitLab: the request and its discussions, which carry all three channels.

use super::call::Line;
use super::github::pages;
use super::recording::Recording;
use crate::model::forge::PullName;

/// The path of a request.
pub(super) fn request_path(name: &PullName) -> String {
    format!(
        "projects/{}/merge_requests/{}",
        name.repository.replace('/', "%2F"),
        name.number
    )
}

/// Asks for all lists, each to its end.
pub(super) fn lists(line: &mut dyn Line, name: &PullName, into: &mut Recording) {
    pages(line, &format!("{}/discussions", request_path(name)), into);
}
