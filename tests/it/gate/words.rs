//! The words in which the truth tables state facts, and the reading of their Markdown.

use countersign::gate::decide::Act;
use countersign::gate::dossier::{EditTarget, LedgerHealth, Moved, Raised, Subject};
use countersign::gate::spec::sum::SpecSum;
use countersign::model::contract::{Complaint, EditKind, Severity};
use countersign::model::evidence::Evidence;
use countersign::model::known::Known;
use countersign::model::oracle::{Isolation, Outcome};
use countersign::model::ruling::{Assurance, Cause};
use countersign::model::scope::Trace;

use super::world::*;

/// The rows of the `nth` table (from 0) of a Markdown file, as trimmed cells.
pub(crate) fn table(markdown: &str, nth: usize) -> Vec<Vec<String>> {
    let mut tables: Vec<Vec<Vec<String>>> = Vec::new();
    let mut inside = false;
    for line in markdown.lines() {
        let Some(row) = line.strip_prefix('|').and_then(|l| l.strip_suffix('|')) else {
            inside = false;
            continue;
        };
        if !inside {
            tables.push(Vec::new());
            inside = true;
        }
        let cells = row.split('|').map(|cell| cell.trim().to_owned()).collect();
        tables.last_mut().expect("a table").push(cells);
    }
    let mut rows = tables.into_iter().nth(nth).expect("that table");
    rows.drain(..2);
    assert!(!rows.is_empty(), "an empty table proves nothing");
    rows
}

/// The world that a cell of facts describes.
pub(crate) fn world(facts: &str) -> World {
    facts.split(", ").fold(World::new(), |world, fact| {
        let words: Vec<&str> = fact.split(' ').collect();
        told(world, &words)
    })
}

fn told(world: World, words: &[&str]) -> World {
    match words {
        ["manual", id] => world.manual(id),
        ["runnable", id] => world.runnable(id),
        ["optional"] => world.optional(),
        ["post-merge"] => world.post_merge(),
        ["abandoned", id] => world.abandoned(id),
        ["weak", id] => world.weak(id),
        ["met", id] => world.ran(id, Outcome::Met),
        ["red", id] => world.ran(id, Outcome::NotMet),
        ["error", id] => world.ran(id, Outcome::Error),
        ["met", id, "elsewhere"] => world.ran_on(id, Outcome::Met, oid(0x99)),
        ["edited", id] => world.edited(EditKind::CheckChanged, Some(id)),
        ["new", "contract"] => world.edited(EditKind::NewInChange, None),
        ["untracked", "contract"] => world.edited(EditKind::Untracked, None),
        ["dirty", "contract"] => world.edited(EditKind::Uncommitted, None),
        ["request", "changed"] => world.edited(EditKind::RequestChanged, None),
        ["overflow", path] => world.overflow(path),
        ["traced", path] => world.scoped(path, vec![Trace::Scope(3)], false),
        ["asserted"] => world.asserted(oid(0xaa)).0,
        ["asserted", "elsewhere"] => world.asserted(oid(0x01)).0,
        ["push"] => world.pushed(),
        ["ratify", id] => world.decided(&criterion(id), because("bin/ferry does it")),
        ["unseen", id] => world.decided(
            &criterion(id),
            Act::RatifyUnseen {
                evidence: vec![Evidence::Rationale("bin/ferry does it".into())],
                why: "the kiosk is offline".into(),
            },
        ),
        ["back", id] => world.decided(&criterion(id), back(Cause::Implementation)),
        ["wrong", id] => world.decided(&criterion(id), back(Cause::Criterion)),
        ["partial", id] => world.decided(
            &criterion(id),
            Act::AcceptPartial {
                reason: "the kiosk is gone".into(),
            },
        ),
        ["lift", id] => world.decided(
            &criterion(id),
            Act::Lift {
                text: "The kiosk is still there.".into(),
            },
        ),
        ["abandon", id] => world.decided(
            &criterion(id),
            Act::Abandon {
                reason: "no such kiosk".into(),
                handoff: "HB-311".into(),
            },
        ),
        ["n/a", id] => world.decided(
            &criterion(id),
            Act::NotApplicable {
                why: "no kiosk here".into(),
            },
        ),
        ["override", id] => world.decided(
            &criterion(id),
            Act::Override {
                why: "the test is broken".into(),
            },
        ),
        ["ack", id] => world.decided(&edit_of(id), Act::Acknowledge),
        ["accept", id] => world.decided(
            &edit_of(id),
            Act::AcceptEdit {
                why: "agreed".into(),
            },
        ),
        ["send", id] => world.decided(&edit_of(id), back(Cause::Implementation)),
        ["wrong", "edit", id] => world.decided(&edit_of(id), back(Cause::Criterion)),
        ["read", "contract"] => {
            world.decided(&Subject::ContractEdit(EditTarget::Whole), Act::Acknowledge)
        }
        ["take", path] => world.decided(&file(path), Act::ScopeAccept),
        ["ticket", path] => world.decided(
            &file(path),
            Act::ScopeTicket {
                text: "HB-1".into(),
            },
        ),
        ["decline", path] => world.decided(
            &file(path),
            Act::ScopeDecline {
                text: "Remove it.".into(),
            },
        ),
        ["escalate", path] => world.decided(
            &file(path),
            Act::ScopeEscalate {
                text: "Who owns it?".into(),
            },
        ),
        _ => circumstance(world, words),
    }
}

/// What surrounds the items.
fn circumstance(mut world: World, words: &[&str]) -> World {
    let facts = &mut world.dossier;
    match words {
        ["round", "unknown"] => facts.round = unknown(),
        ["round", n] => facts.round = Known::Is(n.parse().expect("a round")),
        ["policy", "abandoned"] => world.policy.abandoned_counts = true,
        ["policy", "no", "override"] => world.policy.allow_override = false,
        ["level", "L2"] => world.policy.approve_level = Assurance::Signed,
        ["live", "level"] => world.policy.isolation_floor = Isolation::Network,
        ["no", "contract"] => {
            facts.contract = Known::NotSupplied;
            facts.snapshot.contract = None;
        }
        ["contract", "unknown"] => facts.contract = unknown(),
        ["contract", "broken"] => world.record().contract.complaints.push(Complaint {
            severity: Severity::Error,
            code: "duplicate-id",
            line: 3,
            message: "3 twice".into(),
            hint: String::new(),
        }),
        ["files", "unknown"] => facts.files = unknown(),
        ["files", "unread"] => facts.files = Known::NotSupplied,
        ["files", "empty"] => facts.files = Known::Is(Vec::new()),
        ["scope", "unknown"] => facts.scope = unknown(),
        ["tampered"] => facts.ledger = LedgerHealth::Tampered(1),
        ["degraded"] => facts.ledger = LedgerHealth::Degraded(1),
        ["ledger", "unknown"] => {
            facts.ledger = LedgerHealth::Unknown(countersign::model::known::Reason::new("no disk"));
        }
        ["spec", says] => {
            let file = change(".agents/specs/harbor/n/n.feature");
            if let Known::Is(files) = &mut facts.files {
                files.push(file);
            }
            let sum = |back: &[&str], up: &[&str]| {
                let words = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
                Known::Is(std::sync::Arc::new(SpecSum {
                    head: facts.snapshot.head,
                    back: words(back),
                    up: words(up),
                }))
            };
            facts.spec = match *says {
                "reading" => Known::NotSupplied,
                "unknown" => unknown(),
                "clear" => sum(&[], &[]),
                "back" => sum(&["1 violation"], &[]),
                "up" => sum(&[], &["Clearance: 1 part was changed"]),
                "both" => sum(&["1 violation"], &["Clearance: 1 part was changed"]),
                other => panic!("spec {other}"),
            };
        }
        ["tip", "unknown"] => facts.moved = unknown(),
        ["nobody"] => facts.who = Known::NotSupplied,
        ["head", "moved"] => {
            facts.moved = Known::Is(Moved {
                head: Some(oid(0x77)),
                ..Moved::default()
            });
        }
        ["base", "moved"] => {
            facts.moved = Known::Is(Moved {
                base: Some(oid(0x78)),
                ..Moved::default()
            });
        }
        ["gone"] => {
            facts.moved = Known::Is(Moved {
                worktree_gone: true,
                ..Moved::default()
            });
        }
        other => panic!("no such words: {other:?}"),
    }
    world
}

/// How the tables name an item.
pub(crate) fn called(subject: &Subject) -> String {
    match subject {
        Subject::Criterion(id) => id.to_string(),
        Subject::ContractEdit(EditTarget::Criterion(id)) => format!("edit {id}"),
        Subject::ContractEdit(EditTarget::Whole) => "the contract".into(),
        Subject::ContractEdit(EditTarget::Request) => "the request".into(),
        Subject::ContractEdit(EditTarget::Scope) => "the file scope".into(),
        Subject::ContractEdit(EditTarget::Header) => "the header".into(),
        Subject::ScopeFile(path) => String::from_utf8_lossy(path.as_bytes()).into_owned(),
        Subject::Chain(id) => id.shown(),
        Subject::Assertion(_) => "assertion".into(),
        Subject::Review(Raised::Thread { id, .. }) => format!("thread {id}"),
        Subject::Review(Raised::Finding(_)) => "finding".into(),
        Subject::Review(Raised::Incomplete(_)) => "comments".into(),
        Subject::Message(id) => format!("message {}", id.digest.short()),
    }
}
