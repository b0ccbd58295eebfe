//! What a pull exchanged with a forge, answer by answer. Unlike a bare body it proves where a
//! list ends: by the status, by `link`, `x-next-page` and the totals in the headers.

use super::Holds;
use super::cursor::Cursor;
use super::extent::Paging;
use super::fields::Read;
use super::gather::Gathered;
use super::shape;

/// What one answer says beside its body.
#[derive(Default, Debug)]
struct Head {
    request: String,
    status: Option<u32>,
    link: Option<String>,
    next: Option<String>,
    total: Option<u32>,
    kind: Option<String>,
}

fn head(c: &mut Cursor<'_>) -> Head {
    let mut head = Head::default();
    let _ = c.object(|c, key| {
        match key {
            "request" => head.request = c.text()?.unwrap_or_default().into_owned(),
            "status" => head.status = c.count()?,
            "headers" => {
                c.maybe_object(|c, key| {
                    let value = c.id()?.map(std::borrow::Cow::into_owned);
                    match key.to_ascii_lowercase().as_str() {
                        "link" => head.link = value,
                        "x-next-page" => head.next = value,
                        "x-total" | "x-total-count" => {
                            head.total = value.and_then(|v| v.parse().ok());
                        }
                        "content-type" => head.kind = value,
                        _ => {}
                    }
                    Ok(())
                })?;
            }
            _ => c.skip()?,
        }
        Ok(())
    });
    head
}

/// The list that a path of a REST interface names.
fn holds(request: &str) -> Option<Holds> {
    let path = request.split_once(' ').map_or(request, |(_, path)| path);
    let path = path.split('?').next().unwrap_or_default();
    let mut parts = path.trim_end_matches('/').rsplit('/');
    let (last, before, above) = (parts.next()?, parts.next(), parts.next());
    Some(match last {
        "comments" if above == Some("issues") => Holds::Conversation,
        "comments" if above == Some("pulls") || above == Some("reviews") => Holds::Inline,
        "reviews" if before.is_some() => Holds::Reviews,
        "files" => Holds::Files,
        "commits" => Holds::Commits,
        _ => return None,
    })
}

impl Head {
    fn paging(&self) -> Paging {
        let by_link = self.link.as_ref().map(|link| link.contains("rel=\"next\""));
        let by_page = self.next.as_ref().map(|next| !next.trim().is_empty());
        Paging {
            // a list that ends on its first page carries no link at all
            more: by_link.or(by_page).unwrap_or(false),
            list: self
                .request
                .split('?')
                .next()
                .unwrap_or_default()
                .to_owned(),
            total: self.total,
        }
    }

    /// Why the body is not to be used.
    fn refused(&self) -> Option<String> {
        if let Some(status) = self.status
            && !(200..300).contains(&status)
        {
            return Some(format!("the forge answered with status {status}"));
        }
        let kind = self.kind.as_deref().unwrap_or("json");
        if kind.contains("json") {
            None
        } else {
            Some("the forge answered with something else than JSON".to_owned())
        }
    }
}

/// The document.
pub(super) fn document(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    c.object(|c, key| match key {
        "recorded" => {
            let who = c.text()?;
            into.by_review |= who.is_some_and(|who| matches!(who.as_ref(), "forgejo" | "gitea"));
            Ok(())
        }
        "responses" => c.maybe_array(|c, _| response(c, into)).map(|_| ()),
        _ => c.skip(),
    })
}

fn response(c: &mut Cursor<'_>, into: &mut Gathered) -> Read<()> {
    let head = c.ahead(head);
    let holds = holds(&head.request);
    if let Some(why) = head.refused() {
        c.fault_with(
            "refused",
            why.as_str(),
            "fetch it with the rights it asks for",
            true,
        );
        into.unreadable(holds, &why);
        return c.skip();
    }
    into.paging = Some(head.paging());
    let read = c.object(|c, key| match key {
        "body" => shape::document(c, holds, into, 0),
        _ => c.skip(),
    });
    into.paging = None;
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_lists() {
        let rows = [
            (
                "GET /repos/a/b/pulls/7/comments?page=2",
                Some(Holds::Inline),
            ),
            (
                "GET /api/v1/repos/a/b/pulls/7/reviews/5/comments",
                Some(Holds::Inline),
            ),
            (
                "GET /repos/a/b/issues/7/comments",
                Some(Holds::Conversation),
            ),
            (
                "GET /repos/a/b/pulls/7/reviews?per_page=100",
                Some(Holds::Reviews),
            ),
            ("GET /repos/a/b/pulls/7/files", Some(Holds::Files)),
            ("GET /repos/a/b/pulls/7/commits", Some(Holds::Commits)),
            ("GET /repos/a/b/pulls/7", None),
            ("POST /graphql", None),
            ("", None),
        ];
        for (request, wanted) in rows {
            assert_eq!(holds(request), wanted, "{request}");
        }
    }
}
