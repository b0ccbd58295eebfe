//! Between threads and the repository: what the reader is asked, and what its answers mean.

use serde_bytes::ByteBuf;

use crate::adapters::git::threads::{Asked, CONFIDENCES, Found, Question, Touched};
use crate::gate::verify::resolution::Touch;
use crate::gate::verify::threads::{Anchor, Confidence, Looked};
use crate::model::id::{Oid, RepoPath};
use crate::model::known::{Known, Reason};
use crate::model::snapshot::Snapshot;
use crate::model::text::Foreign;
use crate::model::thread::{Side, Spot, Thread};

/// Most places of one question, so that each is answered in time.
pub const AT_ONCE: usize = 500;

/// The question for some threads; those without a place are left out.
#[must_use]
pub fn question<'a>(
    threads: impl IntoIterator<Item = &'a Thread>,
    snapshot: &Snapshot,
) -> Question {
    let asked = |thread: &Thread| {
        let spot = thread.spot.as_ref()?;
        Some(Asked {
            path: ByteBuf::from(spot.path.as_bytes().to_vec()),
            left: spot.side == Side::Left,
            lines: spot.original(),
            at: thread.written_at.map(|oid| oid.0),
            excerpt: last_line(spot).map(ByteBuf::from),
        })
    };
    Question {
        base: snapshot.base.0,
        merge_base: snapshot.merge_base.0,
        head: snapshot.head.0,
        places: threads.into_iter().filter_map(asked).collect(),
    }
}

/// The last line of the excerpt, without its sign: the one that was commented.
fn last_line(spot: &Spot) -> Option<Vec<u8>> {
    let excerpt = spot.excerpt.as_ref().map(Foreign::raw)?;
    let mut lines = excerpt.split(|b| *b == b'\n').rev();
    let line = lines.find(|line| !line.is_empty() && !line.starts_with(b"\\"))?;
    match line.split_first() {
        Some((b'+' | b'-' | b' ', rest)) => Some(rest.to_vec()),
        _ => None,
    }
}

/// What an answer means.
#[must_use]
pub fn looked(found: Found) -> Looked {
    let commits = |raw: Vec<[u8; 20]>| raw.into_iter().map(Oid).collect();
    Looked {
        anchor: match found.anchor {
            Ok((path, lines, grade)) => Known::Is(Anchor {
                path: RepoPath::new(path.into_vec()),
                lines,
                grade: CONFIDENCES
                    .get(usize::from(grade))
                    .copied()
                    .unwrap_or(Confidence::Detached),
            }),
            Err(why) => Known::Unknown(Reason::new(why)),
        },
        touch: match found.touch {
            Touched::Line(raw) => Touch::Line(commits(raw)),
            Touched::Hunk(raw) => Touch::Hunk(commits(raw)),
            Touched::File(raw) => Touch::File(commits(raw)),
            Touched::Gone(raw) => Touch::Gone(commits(raw)),
            Touched::Untouched => Touch::Untouched,
            Touched::Unknown(why) => Touch::Unknown(Reason::new(why)),
        },
    }
}

/// Looks at all threads, some at a time; `ask` has one question answered. What could not be
/// looked at is unknown, thread by thread.
pub fn look_at_all(
    threads: &[Thread],
    snapshot: &Snapshot,
    ask: impl Fn(Question) -> Result<Vec<Found>, String>,
) -> Vec<Looked> {
    let mut out: Vec<Looked> = threads
        .iter()
        .map(|thread| Looked::not(thread, "nobody looked into the repository"))
        .collect();
    let placed: Vec<usize> = (0..threads.len())
        .filter(|at| threads.get(*at).is_some_and(|t| t.spot.is_some()))
        .collect();
    for some in placed.chunks(AT_ONCE) {
        let asked = || some.iter().filter_map(|at| threads.get(*at));
        let found: Vec<Looked> = match ask(question(asked(), snapshot)) {
            Ok(found) => found.into_iter().map(looked).collect(),
            Err(why) => asked().map(|thread| Looked::not(thread, &why)).collect(),
        };
        for (at, looked) in some.iter().zip(found) {
            if let Some(slot) = out.get_mut(*at) {
                *slot = looked;
            }
        }
    }
    out
}
