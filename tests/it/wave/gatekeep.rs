//! The gate on a pull request: checks, comments, what a merge needs, the menu, the report.

use countersign::gate::gatekeep::checks::{Check, Effect, Ended, Evidence, Kind, effect, evidence};
use countersign::gate::gatekeep::comments::{
    Fetched, Label, Placeholder, Row, Run, State as CommentState, diff, is_placeholder,
};
use countersign::gate::gatekeep::disposition::{CheckSays, RowSays, check, is_reference};
use countersign::gate::gatekeep::facts::{
    Author, Comments, Facts, MergeState, Mergeable, Permission, State, Sync,
};
use countersign::gate::gatekeep::ids::{Contributor, Ids, prior_blocks};
use countersign::gate::gatekeep::menu::{
    NotOffered, Overlay, Verb, Verdict, Withhold, menu, verdict, withheld,
};
use countersign::gate::gatekeep::merge::{Need, Stands, checklist, ready, stands};
use countersign::gate::gatekeep::report::{self, Delivers, Item, Report};
use countersign::model::known::{Known, Reason};
use countersign::model::text::Foreign;
use countersign::model::wave::{Account, FindingId, Namespace};

fn unknown<T>() -> Known<T> {
    Known::Unknown(Reason::new("unreadable"))
}

fn green() -> Check {
    Check {
        name: "ci".into(),
        ended: Known::Is(Ended::Success),
        kind: Known::Is(Kind::RunDone),
        says: None,
    }
}

/// Everything a merge needs, on somebody else's pull request.
fn good() -> Facts {
    Facts {
        author: Author::Other,
        state: Known::Is(State::Open),
        draft: Known::Is(false),
        blockers: 0,
        nits: 1,
        permission: Known::Is(Permission::Write),
        head_pushable: Known::Is(true),
        can_update: Known::Is(true),
        mergeable: Known::Is(Mergeable::Yes),
        merge_state: Known::Is(MergeState::Other),
        review_required: Known::Is(false),
        checks: Known::Is(vec![green()]),
        local_only: false,
        local_green: Known::NotSupplied,
        stale_head: false,
        workers: true,
        rounds: Account {
            used: Known::Is(0),
            cap: Known::Is(10),
        },
        sync: Sync::Pushed,
        carried_blocks: false,
        comments: Comments::Settled,
        replies: 1,
        claims: Known::Is(true),
        provenance: Known::Is(true),
        tracked_clean: Known::Is(true),
        unmoved: Known::Is(true),
        coverage: (false, false),
    }
}

fn labels(facts: &Facts) -> String {
    let menu = menu(facts);
    let rows: Vec<String> = menu
        .rows
        .iter()
        .map(|verb| {
            let star = if *verb == menu.recommended { "*" } else { "" };
            format!("{star}{}", verb.label())
        })
        .collect();
    rows.join(", ")
}

fn closed(facts: &Facts) -> String {
    let menu = menu(facts);
    let all: Vec<String> = menu
        .not_offered
        .iter()
        .map(|(verb, why)| format!("{} ({})", verb.label(), why.words()))
        .collect();
    all.join(", ")
}

#[test]
fn the_usual_menus_are_those_of_the_source() {
    let with = |author, blockers| Facts {
        author,
        blockers,
        ..good()
    };
    let rows = [
        (
            Author::You,
            0,
            "*merge, fix nits, reply, show evidence, stop",
        ),
        (
            Author::You,
            2,
            "*fix, fix nits, review, reply, show evidence, stop",
        ),
        (
            Author::Other,
            0,
            "*approve, fix nits, merge, reply, show evidence, stop",
        ),
        (
            Author::Other,
            2,
            "*review, fix, fix nits, reply, show evidence, stop",
        ),
    ];
    for (author, blockers, wanted) in rows {
        assert_eq!(
            labels(&with(author, blockers)),
            wanted,
            "{author:?} {blockers}"
        );
    }
    let bare = Facts {
        nits: 0,
        replies: 0,
        permission: Known::Is(Permission::Read),
        ..with(Author::You, 0)
    };
    assert_eq!(labels(&bare), "show evidence, *stop");
    assert_eq!(
        closed(&bare),
        "merge (you may not write)",
        "merge is named, the empty rows are not"
    );
}

#[test]
fn overlays_change_rows_reason_and_recommendation() {
    let failing = Check {
        ended: Known::Is(Ended::Failure),
        ..green()
    };
    let open_run = Check {
        ended: Known::Is(Ended::Pending),
        kind: Known::Is(Kind::RunOpen),
        ..green()
    };
    let held = Check {
        ended: Known::Is(Ended::Held),
        ..green()
    };
    let rows: [(&str, Facts, &str, &str); 16] = [
        (
            "merged here",
            Facts {
                state: Known::Is(State::MergedHere),
                coverage: (true, false),
                ..good()
            },
            "post coverage to ticket, show evidence, *stop",
            "",
        ),
        (
            "queued",
            Facts {
                state: Known::Is(State::Queued),
                ..good()
            },
            "*wait, show evidence, stop",
            "",
        ),
        (
            "ended",
            Facts {
                state: Known::Is(State::Ended),
                ..good()
            },
            "show evidence, *stop",
            "",
        ),
        (
            "draft of another, blockers",
            Facts {
                draft: Known::Is(true),
                blockers: 1,
                ..good()
            },
            "*review, fix, fix nits, reply, show evidence, stop",
            "merge (it is a draft)",
        ),
        (
            "own draft",
            Facts {
                author: Author::You,
                draft: Known::Is(true),
                ..good()
            },
            "*fix nits, reply, show evidence, stop",
            "merge (it is a draft)",
        ),
        (
            "draft not known",
            Facts {
                draft: unknown(),
                nits: 0,
                ..good()
            },
            "reply, show evidence, *stop",
            "approve (it is a draft), merge (it is a draft)",
        ),
        (
            "held run",
            Facts {
                checks: Known::Is(vec![held]),
                ..good()
            },
            "*approve workflow run, approve, fix nits, reply, show evidence, stop",
            "merge (a run is held)",
        ),
        (
            "blocked",
            Facts {
                merge_state: Known::Is(MergeState::Blocked),
                author: Author::You,
                ..good()
            },
            "*wait, fix nits, reply, show evidence, stop",
            "merge (blocked by GitHub)",
        ),
        (
            "blocked, review required",
            Facts {
                merge_state: Known::Is(MergeState::Blocked),
                review_required: Known::Is(true),
                ..good()
            },
            "wait, *approve, fix nits, reply, show evidence, stop",
            "merge (blocked by GitHub)",
        ),
        (
            "state unknown",
            Facts {
                merge_state: unknown(),
                ..good()
            },
            "approve, fix nits, reply, show evidence, *stop",
            "merge (merge state unknown)",
        ),
        (
            "binding check",
            Facts {
                checks: Known::Is(vec![green(), open_run]),
                ..good()
            },
            "*wait, approve, fix nits, reply, show evidence, stop",
            "merge (binding check pending)",
        ),
        (
            "failing check",
            Facts {
                checks: Known::Is(vec![green(), failing]),
                blockers: 1,
                author: Author::You,
                ..good()
            },
            "*fix, fix nits, review, reply, show evidence, stop",
            "merge (failed gate)",
        ),
        (
            "pending reviewer",
            Facts {
                comments: Comments::Pending,
                author: Author::You,
                ..good()
            },
            "*wait, fix nits, reply, merge anyway, show evidence, stop",
            "merge (reviewer run in progress)",
        ),
        (
            "source review",
            Facts {
                comments: Comments::Unreviewed,
                blockers: 1,
                ..good()
            },
            "fix, fix nits, show evidence, *stop",
            "review (the comment delta is not reviewed), reply (the comment delta is not reviewed), merge (comment source review incomplete)",
        ),
        (
            "behind",
            Facts {
                merge_state: Known::Is(MergeState::Behind),
                author: Author::You,
                ..good()
            },
            "*update branch, fix nits, reply, show evidence, stop",
            "merge (behind base)",
        ),
        (
            "unpushed, not pushable",
            Facts {
                sync: Sync::Unpushed,
                head_pushable: unknown(),
                author: Author::You,
                ..good()
            },
            "*fix nits, reply, show evidence, stop",
            "push (the head cannot be pushed to), merge (commits are not pushed)",
        ),
    ];
    for (name, facts, rows, not_offered) in rows {
        assert_eq!(labels(&facts), rows, "{name}");
        assert_eq!(closed(&facts), not_offered, "{name}");
    }
    let all = Facts {
        draft: Known::Is(true),
        merge_state: unknown(),
        comments: Comments::Unreviewed,
        ..good()
    };
    assert_eq!(menu(&all).owner, Some(Overlay::Draft), "the highest owns");
}

/// What makes another world of one.
type Change = Box<dyn Fn(&mut Facts)>;

/// Many worlds, each fact with its harmless, its harmful and its unknown value.
fn worlds() -> Vec<Facts> {
    let mut all = vec![good()];
    let vary = |all: Vec<Facts>, changes: Vec<Change>| -> Vec<Facts> {
        all.iter()
            .flat_map(|facts| {
                changes.iter().map(|change| {
                    let mut facts = facts.clone();
                    change(&mut facts);
                    facts
                })
            })
            .collect()
    };
    let nop = || -> Change { Box::new(|_| {}) };
    all = vary(all, vec![nop(), Box::new(|f| f.author = Author::You)]);
    all = vary(
        all,
        vec![
            nop(),
            Box::new(|f| f.draft = Known::Is(true)),
            Box::new(|f| f.draft = unknown()),
        ],
    );
    all = vary(all, vec![nop(), Box::new(|f| f.blockers = 2)]);
    all = vary(
        all,
        vec![
            nop(),
            Box::new(|f| {
                f.nits = 0;
                f.replies = 0;
            }),
        ],
    );
    all = vary(
        all,
        vec![
            nop(),
            Box::new(|f| f.permission = Known::Is(Permission::Read)),
            Box::new(|f| f.permission = unknown()),
        ],
    );
    all = vary(
        all,
        vec![
            nop(),
            Box::new(|f| f.merge_state = Known::Is(MergeState::Blocked)),
            Box::new(|f| f.merge_state = Known::Is(MergeState::Behind)),
            Box::new(|f| f.merge_state = unknown()),
        ],
    );
    all = vary(
        all,
        vec![
            nop(),
            Box::new(|f| f.mergeable = Known::Is(Mergeable::Conflicting)),
            Box::new(|f| f.mergeable = unknown()),
        ],
    );
    all = vary(
        all,
        vec![
            nop(),
            Box::new(|f| {
                f.checks = Known::Is(vec![Check {
                    ended: Known::Is(Ended::Failure),
                    ..green()
                }]);
            }),
            Box::new(|f| {
                f.checks = Known::Is(vec![Check {
                    ended: Known::Is(Ended::Held),
                    ..green()
                }]);
            }),
            Box::new(|f| f.checks = Known::Is(vec![])),
            Box::new(|f| f.checks = unknown()),
        ],
    );
    all = vary(
        all,
        vec![
            nop(),
            Box::new(|f| f.comments = Comments::Pending),
            Box::new(|f| f.comments = Comments::NotFetched),
            Box::new(|f| f.comments = Comments::Unreviewed),
        ],
    );
    all = vary(
        all,
        vec![
            nop(),
            Box::new(|f| f.sync = Sync::Unpushed),
            Box::new(|f| f.sync = Sync::RebasedLocally),
        ],
    );
    all = vary(all, vec![nop(), Box::new(|f| f.workers = false)]);
    all
}

#[test]
fn in_every_world_the_menu_keeps_its_laws() {
    let worlds = worlds();
    assert_eq!(worlds.len(), 2 * 3 * 2 * 2 * 3 * 4 * 3 * 5 * 4 * 3 * 2);
    for facts in worlds {
        let menu = menu(&facts);
        let has = |verb: Verb| menu.rows.contains(&verb);
        let named = |verb: Verb| {
            menu.not_offered
                .iter()
                .find(|(v, _)| *v == verb)
                .map(|(_, why)| *why)
        };
        let mut unique = menu.rows.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), menu.rows.len(), "{facts:?}");
        assert!(
            has(menu.recommended)
                && menu.recommended != Verb::ShowEvidence
                && menu.recommended != Verb::MergeAnyway
        );
        assert!(has(Verb::ShowEvidence), "{facts:?}");
        assert_eq!(menu.rows.last(), Some(&Verb::Stop), "{facts:?}");
        assert!(
            menu.rows.iter().all(|verb| named(*verb).is_none()),
            "never offered and not offered"
        );
        // a merge is a row exactly when everything is met, and is named otherwise
        assert_eq!(
            has(Verb::Merge),
            ready(&facts) && verdict(&facts) == Verdict::Mergeable,
            "{facts:?}"
        );
        assert_ne!(has(Verb::Merge), named(Verb::Merge).is_some(), "{facts:?}");
        if verdict(&facts) != Verdict::Mergeable {
            assert_ne!(menu.recommended, Verb::Merge, "{facts:?}");
        }
        if facts.nits == 0 {
            assert!(
                !has(Verb::FixNits) && named(Verb::FixNits).is_none(),
                "dropped silently"
            );
        }
        if facts.author == Author::You {
            assert!(!has(Verb::Approve), "nobody approves their own");
        }
        let draft = facts.draft.known() != Some(&false);
        if facts.merge_state.known().is_none() && !draft && menu.owner == Some(Overlay::MergeState)
        {
            assert!(!has(Verb::Wait), "no wait row for an unknown state");
            assert_eq!(menu.recommended, Verb::Stop, "{facts:?}");
            assert_eq!(
                named(Verb::Merge),
                Some(NotOffered::Withheld(Withhold::MergeStateUnknown))
            );
        }
        if has(Verb::MergeAnyway) {
            assert!(
                facts.comments == Comments::Pending
                    && facts.blockers == 0
                    && facts.permission == Known::Is(Permission::Write)
            );
        }
        if !facts.workers {
            assert!(!has(Verb::Fix) && !has(Verb::FixNits));
        }
        let text = report::menu_lines(&menu);
        assert_eq!(
            text.iter()
                .filter(|line| line.ends_with("[recommended]"))
                .count(),
            1
        );
        assert!(
            text.last()
                .is_some_and(|line| line.starts_with("Type a number"))
        );
    }
}

#[test]
fn each_need_alone_holds_a_merge_back() {
    assert!(ready(&good()));
    type Spoilt = (Need, Stands, fn(&mut Facts));
    let changes: [Spoilt; 25] = [
        (Need::Open, Stands::Unmet, |f| {
            f.state = Known::Is(State::Ended);
        }),
        (Need::Open, Stands::Unknown, |f| f.state = unknown()),
        (Need::NoDraft, Stands::Unmet, |f| f.draft = Known::Is(true)),
        (Need::NoDraft, Stands::Unknown, |f| f.draft = unknown()),
        (Need::Permission, Stands::Unmet, |f| {
            f.permission = Known::Is(Permission::Read);
        }),
        (Need::Permission, Stands::Unknown, |f| {
            f.permission = unknown();
        }),
        (Need::Blockers, Stands::Unmet, |f| f.blockers = 1),
        (Need::Evidence, Stands::Unmet, |f| f.stale_head = true),
        (Need::Evidence, Stands::Unknown, |f| f.local_only = true),
        (Need::Claims, Stands::Unmet, |f| f.claims = Known::Is(false)),
        (Need::Claims, Stands::Unknown, |f| f.claims = unknown()),
        (Need::Provenance, Stands::Unknown, |f| {
            f.provenance = unknown();
        }),
        (Need::Mergeable, Stands::Unmet, |f| {
            f.mergeable = Known::Is(Mergeable::Conflicting);
        }),
        (Need::Mergeable, Stands::Unknown, |f| {
            f.mergeable = unknown();
        }),
        (Need::NotBehind, Stands::Unmet, |f| {
            f.merge_state = Known::Is(MergeState::Behind);
        }),
        (Need::Checks, Stands::Unknown, |f| f.checks = unknown()),
        (Need::MergeState, Stands::Unmet, |f| {
            f.merge_state = Known::Is(MergeState::Blocked);
        }),
        (Need::MergeState, Stands::Unknown, |f| {
            f.merge_state = unknown();
        }),
        (Need::Comments, Stands::Unmet, |f| {
            f.comments = Comments::Pending;
        }),
        (Need::Comments, Stands::Unknown, |f| {
            f.comments = Comments::NotFetched;
        }),
        (Need::SourceReview, Stands::Unmet, |f| {
            f.comments = Comments::Unreviewed;
        }),
        (Need::Pushed, Stands::Unmet, |f| {
            f.sync = Sync::RebasedLocally;
        }),
        (Need::TrackedClean, Stands::Unmet, |f| {
            f.tracked_clean = Known::Is(false);
        }),
        (Need::Unmoved, Stands::Unmet, |f| {
            f.unmoved = Known::Is(false);
        }),
        (Need::Unmoved, Stands::Unknown, |f| f.unmoved = unknown()),
    ];
    for (need, wanted, change) in changes {
        let mut facts = good();
        change(&mut facts);
        assert_eq!(stands(need, &facts), wanted, "{need:?}");
        assert!(!ready(&facts), "{need:?} {wanted:?}");
        assert_eq!(checklist(&facts).len(), Need::ALL.len());
    }
}

#[test]
fn a_check_does_what_the_account_says_in_every_case() {
    let ends = [
        Ended::Success,
        Ended::Neutral,
        Ended::Failure,
        Ended::Pending,
        Ended::Held,
    ];
    let states = [
        Known::Is(MergeState::Other),
        Known::Is(MergeState::Behind),
        Known::Is(MergeState::Blocked),
        unknown(),
    ];
    let kinds = [
        Known::Is(Kind::Status),
        Known::Is(Kind::RunDone),
        Known::Is(Kind::RunOpen),
        unknown(),
    ];
    let says = [
        None,
        Some(CheckSays::Flaky),
        Some(CheckSays::Real),
        Some(CheckSays::CiBroken),
    ];
    let locals = [
        Known::Is(true),
        Known::Is(false),
        unknown(),
        Known::NotSupplied,
    ];
    for ended in ends.into_iter().map(Known::Is).chain([unknown()]) {
        for state in &states {
            for kind in &kinds {
                for said in says {
                    for local in &locals {
                        let check = Check {
                            name: "c".into(),
                            ended: ended.clone(),
                            kind: kind.clone(),
                            says: said,
                        };
                        // "binding (BLOCKED/UNKNOWN/unreadable state, .., unreadable kind, or a check
                        // run whose Actions run is not completed or cannot be matched)"
                        let forge_quiet = *state == Known::Is(MergeState::Other)
                            || *state == Known::Is(MergeState::Behind);
                        let settled =
                            *kind == Known::Is(Kind::Status) || *kind == Known::Is(Kind::RunDone);
                        let local_ok = *local == Known::Is(true);
                        let wanted = match (&ended, said) {
                            (Known::Is(Ended::Success), _) => Effect::Green,
                            (Known::Is(Ended::Neutral), _) => Effect::None,
                            (Known::Is(Ended::Held), _) => Effect::Held,
                            (Known::Is(Ended::Failure), None) => Effect::Undispositioned,
                            (Known::Is(Ended::Failure), Some(CheckSays::Flaky)) => Effect::None,
                            (Known::Is(Ended::Failure), Some(CheckSays::CiBroken)) if local_ok => {
                                Effect::None
                            }
                            (Known::Is(Ended::Failure), Some(_)) => Effect::Blocks,
                            (Known::Is(Ended::Pending), _) if forge_quiet && settled => {
                                Effect::None
                            }
                            _ => Effect::Binds,
                        };
                        assert_eq!(
                            effect(&check, state, local),
                            wanted,
                            "{check:?} {state:?} {local:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn evidence_is_the_first_row_that_applies() {
    let failing = || Check {
        ended: Known::Is(Ended::Failure),
        ..green()
    };
    let broken = || Check {
        says: Some(CheckSays::CiBroken),
        ..failing()
    };
    let pending = || Check {
        ended: Known::Is(Ended::Pending),
        kind: Known::Is(Kind::RunOpen),
        ..green()
    };
    let loose = || Check {
        ended: Known::Is(Ended::Pending),
        kind: Known::Is(Kind::Status),
        ..green()
    };
    let with = |checks: Vec<Check>, local: Known<bool>| {
        let facts = Facts {
            checks: Known::Is(checks),
            local_green: local,
            ..good()
        };
        let (row, counts) = evidence(&facts);
        (row, counts.known().copied())
    };
    assert_eq!(with(vec![green()], unknown()), (Evidence::Ci, Some(true)));
    assert_eq!(
        with(vec![green(), loose()], unknown()),
        (Evidence::Ci, Some(true))
    );
    assert_eq!(
        with(vec![green(), pending()], Known::Is(true)),
        (Evidence::Pending, Some(false))
    );
    assert_eq!(
        with(vec![green(), failing()], Known::Is(true)),
        (Evidence::Failed, Some(false))
    );
    assert_eq!(
        with(vec![broken()], Known::Is(false)),
        (Evidence::Failed, Some(false))
    );
    assert_eq!(
        with(vec![broken()], Known::Is(true)),
        (Evidence::Fallback, Some(true))
    );
    assert_eq!(
        with(vec![], Known::Is(true)),
        (Evidence::Fallback, Some(true))
    );
    assert_eq!(
        with(vec![], unknown()),
        (Evidence::None, Some(false)),
        "no check is no green check"
    );
    let none = Facts {
        checks: unknown(),
        ..good()
    };
    assert_eq!(evidence(&none).0, Evidence::Pending);
    assert_eq!(withheld(&none), Some(Withhold::BindingCheckPending));
}

#[test]
fn typed_words_are_read_and_nothing_else() {
    let rows = [
        ("check unit tests flaky", Some(("unit tests", "flaky"))),
        ("check ci real", Some(("ci", "real"))),
        (
            "check ci ci-broken",
            Some(("ci", "ci-infrastructure-broken")),
        ),
        ("check flaky", None),
        ("check  flaky", None),
        ("check ci Flaky", None),
        ("check ci flaky.", None),
        ("ci flaky", None),
    ];
    for (text, wanted) in rows {
        assert_eq!(
            check(text).map(|(name, says)| (name, says.stored())),
            wanted,
            "{text}"
        );
    }
    let rows = [
        ("in-scope", true),
        ("deviates: the depot owns it", true),
        ("deviates:", false),
        ("deferred: #12", true),
        ("deferred: ferry/dock#12", true),
        ("deferred: WIN-204, next week", true),
        ("deferred: doc/specs/winter.md", true),
        ("deferred: https://example.org/i/3", true),
        ("deferred: later, as agreed in the tracker", false),
        ("deferred: # 12", false),
        ("deferred: #0", false),
        ("deferred: a-12", false),
        ("deferred: https://", false),
        ("deferred:", false),
        ("venue: staging - the banner shows", true),
        ("venue: production - the banner shows", false),
        ("venue: staging", false),
        ("elsewhere: ferry/deck", true),
        ("done", false),
    ];
    for (text, wanted) in rows {
        assert_eq!(RowSays::read(text).is_ok(), wanted, "{text}");
    }
    assert!(is_reference("see (ferry/dock#7)."));
}

fn fetched(comment: u64, at: &str) -> Fetched {
    Fetched {
        comment,
        updated_at: at.into(),
        ours: false,
        placeholder: None,
    }
}

#[test]
fn the_comment_ledger_follows_a_fetch_and_forgets_nothing_by_accident() {
    let triaged = CommentState::Triaged(Label::Reasonable, "will do".into());
    let row = |number, comment, state: &CommentState| Row {
        number,
        comment,
        updated_at: "t1".into(),
        state: state.clone(),
    };
    let rows = vec![
        row(1, 10, &triaged),
        row(2, 11, &triaged),
        row(3, 12, &triaged),
    ];
    let fresh = [
        fetched(10, "t1"),
        fetched(11, "t2"),
        fetched(13, "t1"),
        Fetched {
            ours: true,
            ..fetched(14, "t1")
        },
    ];
    let (after, withheld) = diff(&rows, &fresh, true);
    let states: Vec<&CommentState> = after.iter().map(|row| &row.state).collect();
    assert_eq!(
        states,
        [
            &triaged,
            &CommentState::Superseded(4),
            &CommentState::Withdrawn,
            &CommentState::New,
            &CommentState::New
        ]
    );
    assert_eq!(
        (after[3].number, after[3].comment, after[4].comment),
        (4, 11, 13)
    );
    assert!(withheld, "a new comment was not looked at");
    assert_eq!(
        after[1].state.reply(),
        None,
        "a superseded row has no reply"
    );
    let (after, withheld) = diff(&rows, &[fetched(10, "t1")], false);
    assert!(
        after.iter().all(|row| row.state == triaged),
        "an incomplete fetch withdraws nothing"
    );
    assert!(withheld);
    let (again, _) = diff(&diff(&rows, &fresh, true).0, &fresh, true);
    assert_eq!(again.len(), 5, "the same fetch twice mints nothing twice");
}

#[test]
fn placeholders_are_of_bots_only_and_pend_until_their_run_ended() {
    let banners = ["_Working on it"];
    assert!(is_placeholder(true, "_Working on it_\nmore", &banners));
    assert!(
        !is_placeholder(false, "_Working on it_", &banners),
        "anybody can paste a banner"
    );
    assert!(!is_placeholder(true, "text\n_Working on it_", &banners));
    let state = |run: Known<Option<Run>>, waited| {
        let comment = Fetched {
            placeholder: Some(Placeholder { run, waited }),
            ..fetched(1, "t")
        };
        diff(&[], &[comment], true).0[0].state.clone()
    };
    assert_eq!(state(Known::Is(None), true), CommentState::Pending);
    assert_eq!(state(unknown(), true), CommentState::Pending);
    assert_eq!(
        state(Known::Is(Some(Run::Success)), false),
        CommentState::Pending
    );
    assert_eq!(
        state(Known::Is(Some(Run::Success)), true),
        CommentState::Failed("stale placeholder".into())
    );
    assert_eq!(
        state(Known::Is(Some(Run::Other("timed_out".into()))), false),
        CommentState::Failed("timed_out".into())
    );
}

#[test]
fn ids_are_minted_once_and_keep_everybody_who_found_it() {
    let id = |text: &str| FindingId::parse(text).expect("an id");
    let by = |source: &str, text: &str| Contributor {
        source: source.into(),
        id: id(text),
    };
    let mut ids = Ids::after([id("P1"), id("P7"), id("L2")]);
    let first = ids.mint(Namespace::Finding, by("report-1", "F1"));
    assert_eq!(first, id("P8"), "above every id there ever was");
    assert_eq!(
        ids.mint(Namespace::Finding, by("report-1", "F1")),
        first,
        "the same again is the same"
    );
    assert!(ids.join(first, by("review-9", "R2")));
    assert_eq!(
        ids.mint(Namespace::Finding, by("review-9", "R2")),
        first,
        "a prior item is reused"
    );
    assert_eq!(
        ids.mint(Namespace::Contract, by("report-1", "F2")),
        id("L3")
    );
    assert!(
        !ids.join(id("L3"), by("review-9", "R2")),
        "one contributor, one finding"
    );
    assert_eq!(ids.contributors(first).count(), 2);
    assert_eq!(
        [
            prior_blocks(true, false),
            prior_blocks(false, true),
            prior_blocks(false, false)
        ],
        [true, true, false]
    );
}

#[test]
fn the_report_stands_bottom_up_and_leaves_out_what_is_empty() {
    let text = |t: &str| Foreign::from(t);
    let item = |t: &str, at: &str, last: Option<&str>| Item {
        text: text(t),
        locator: text(at),
        last_decision: last.map(Foreign::from),
    };
    let facts = Facts {
        author: Author::You,
        blockers: 1,
        ..good()
    };
    let report = Report {
        delivers: Delivers {
            does: text("Adds the winter timetable."),
            covered: Some(3),
            deferred: vec![text("#12"), text("WIN-4"), text("#12")],
            deviates: 1,
            ..Delivers::default()
        },
        comments: None,
        nits: vec![item("A name is misspelt.", "src/a.rs:3", None)],
        blockers: vec![item(
            "The last boat is missing, so people wait.",
            "src/table.rs:40",
            Some("row 1 failed | a | b"),
        )],
        sync: None,
        check: None,
    };
    let lines = report::lines(&report, verdict(&facts), &menu(&facts));
    let wanted = [
        "Delivers: Adds the winter timetable. 3 rows covered; 2 deferred to #12; 1 deferred to WIN-4; 1 deviating per spec.",
        "",
        "Nits:",
        "- A name is misspelt. (src/a.rs:3)",
        "1 nits open - fix nits to take them",
        "",
        "Blockers:",
        "1. The last boat is missing, so people wait. (src/table.rs:40)",
        "",
        "Verdict: fixable - 1 blocker(s)",
        "",
        "1. fix - send a wave over the open blockers               [recommended]",
    ];
    assert_eq!(lines[..wanted.len()], wanted);
    let body = report::review_body(
        "One thing is left.",
        &report.blockers,
        "Please add the last boat.",
    );
    assert_eq!(
        body[2],
        "1. The last boat is missing, so people wait. (src/table.rs:40) open - row 1 failed | a | b"
    );
    assert_eq!(
        report::verdict_line(Verdict::Withheld(Withhold::BehindBase), None),
        "fixable - behind base"
    );
    assert_eq!(
        report::verdict_line(Verdict::Mergeable, Some(&text("ci / test"))),
        "mergeable - CI green on the assessed head (ci / test)"
    );
}

#[test]
fn items_are_prose_without_ids_grades_or_hedges() {
    assert!(report::lint("The last boat is missing, so people wait.").is_empty());
    let rows = [
        ("P3 is critical.", 2),
        ("It probably fails.", 1),
        ("[Moderate] the boat is gone.", 2),
        ("The boat — gone.", 1),
        ("no end", 1),
        ("One. Two. Three.", 1),
    ];
    for (text, faults) in rows {
        assert_eq!(
            report::lint(text).len(),
            faults,
            "{text}: {:?}",
            report::lint(text)
        );
    }
}
