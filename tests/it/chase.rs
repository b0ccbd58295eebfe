//! The menu of a verdict: every combination of facts against an account of the rules that was
//! written apart from them, and the rendered menu read back by the reader and the linter.

use countersign::gate::menu::chase::{
    Action, CLASSES, Class, Facts, Gathered, Holds, Origin, PREDICATES, objections, recommend,
    render, rows,
};
use countersign::gate::menu::{read, reply};
use countersign::gate::report::{Given, Hotfix, Variant, lint};
use countersign::model::menu::Reply;

/// The rows by label, as the tables of 2.3 list them for each origin and reader.
fn labels(facts: &Facts) -> Vec<&'static str> {
    let name = facts.class.row().name;
    let tracked = facts.origin == Origin::Tracked;
    match (name, facts.addressable) {
        ("real", reader) => {
            let four = [
                "File a ticket",
                "Brainstorm now",
                "Implement hotfix now",
                if reader {
                    "Respond to reporter only"
                } else {
                    "Finish with rendered summary"
                },
            ];
            let kept = four.into_iter().filter(|label| match *label {
                "File a ticket" => !tracked,
                "Implement hotfix now" => !facts.aborted,
                _ => true,
            });
            kept.collect()
        }
        ("cannot-replicate", true) => vec![
            "Respond to reporter with this verdict and citation",
            "Finish without a response",
            "File a discovery ticket",
        ],
        ("cannot-replicate", false) => {
            vec!["Finish with rendered summary", "File a discovery ticket"]
        }
        (_, true) => vec![
            "Respond to reporter with this verdict and citation",
            "Finish without a response",
        ],
        (_, false) => vec!["Finish with rendered summary"],
    }
}

/// The heuristic of 2.5, read from the top.
fn tagged(facts: &Facts) -> Option<&'static str> {
    if facts.class.row().name != "real" {
        return None;
    }
    let reply = if facts.addressable {
        "Respond to reporter only"
    } else {
        "Finish with rendered summary"
    };
    let six = facts.predicates.iter().all(|holds| *holds == Holds::Yes);
    // After an abort the row is gone: the first rule is held to have failed.
    let six = six && !facts.aborted;
    // "Pressing or trivially fixable, and all six pass" / "and any fails"
    let soon = facts.pressing | facts.trivial;
    if soon {
        return Some(if six {
            "Implement hotfix now"
        } else {
            "Brainstorm now"
        });
    }
    // "Real but deferrable"
    if facts.deferrable {
        return Some(match facts.origin {
            Origin::Tracked => reply,
            Origin::Untracked => "File a ticket",
        });
    }
    // "Blocked on another party"
    facts.blocked.then_some(reply)
}

/// The eligibility line, real bugs only.
fn last_line(facts: &Facts) -> Option<String> {
    let failing = (0..6).find(|at| facts.predicates[*at] != Holds::Yes);
    (facts.class.row().name == "real").then(|| match failing {
        None => "eligible - all predicates pass".to_owned(),
        Some(at) => format!("not eligible: {}", PREDICATES[at].words),
    })
}

fn all(predicates: &[[Holds; 6]], mut check: impl FnMut(&Facts)) -> usize {
    let mut count = 0;
    for class in CLASSES.iter().map(|row| row.class) {
        // The checks are of a fix; another verdict has none.
        let own = if class == Class::RealBug {
            predicates
        } else {
            predicates.get(..1).unwrap_or_default()
        };
        for bits in 0_u8..128 {
            let bit = |n: u8| bits & (1 << n) != 0;
            for predicates in own {
                check(&Facts {
                    class,
                    origin: if bit(0) {
                        Origin::Tracked
                    } else {
                        Origin::Untracked
                    },
                    addressable: bit(1),
                    aborted: bit(2),
                    predicates: *predicates,
                    pressing: bit(3),
                    trivial: bit(4),
                    deferrable: bit(5),
                    blocked: bit(6),
                });
                count += 1;
            }
        }
    }
    count
}

fn every_predicate() -> Vec<[Holds; 6]> {
    let three = [Holds::Yes, Holds::No, Holds::Unknown];
    (0..729)
        .map(|code: usize| {
            let mut rest = code;
            std::array::from_fn(|_| {
                let one = three[rest % 3];
                rest /= 3;
                one
            })
        })
        .collect()
}

#[test]
fn every_menu_is_the_one_that_the_rules_ask_for() {
    let count = all(&every_predicate(), |facts| {
        let own: Vec<&str> = rows(facts).into_iter().map(Action::label).collect();
        assert_eq!(own, labels(facts), "{facts:?}");
        let tag = recommend(facts).map(|r| r.action.label());
        assert_eq!(tag, tagged(facts), "{facts:?}");
        assert!(tag.is_none_or(|tag| own.contains(&tag)), "{facts:?}");
    });
    assert_eq!(count, 128 * (729 + 5));
}

/// The rendered menu keeps every invariant, its tag survives renumbering (edges 2 to 4), and the
/// linter takes it. Only what nobody declared has no tag, and is said.
#[test]
fn every_rendered_menu_is_read_back_without_a_fault() {
    let mut some = vec![[Holds::Yes; 6]];
    for at in 0..6 {
        for holds in [Holds::No, Holds::Unknown] {
            let mut one = [Holds::Yes; 6];
            one[at] = holds;
            some.push(one);
        }
    }
    all(&some, |facts| {
        let menu = render(facts);
        let real = facts.class == Class::RealBug;
        let third = if real {
            "### How to fix it\n\nMend it. Choose it because it is late."
        } else {
            "### What happens next\n\nNothing. Respond because it is late."
        };
        let text = format!(
            "{}\n\n### What is broken\n\nTwo boats.\n\n### Why it is broken\n\nNothing is broken.\
             \n\n{third}\n\n{menu}",
            menu.marker
        );
        let message = read(text.as_bytes());
        let faults: Vec<&str> = message.violations.iter().map(|v| v.code).collect();
        let undeclared = real && tagged(facts).is_none();
        let wanted: &[&str] = if undeclared {
            &["recommended-absent"]
        } else {
            &[]
        };
        assert_eq!(faults, wanted, "{facts:?}\n{text}");
        let read_back: Vec<String> = message
            .rows
            .iter()
            .map(|row| String::from_utf8_lossy(row.label.raw()).into_owned())
            .collect();
        assert_eq!(read_back, labels(facts));
        let said = message.eligibility.as_ref();
        let said = said.map(|line| String::from_utf8_lossy(line.text.raw()).into_owned());
        assert_eq!(said, last_line(facts), "{facts:?}");
        let safe = facts.predicates[..3]
            .iter()
            .all(|holds| *holds == Holds::Yes);
        for row in &message.rows {
            let hotfix = row.label.raw() == b"Implement hotfix now";
            assert_eq!(row.unavailable.is_some(), hotfix && !safe, "{facts:?}");
            let kind = reply(&message, &row.n.to_string());
            assert_eq!(
                matches!(kind, Reply::Pick { .. }),
                row.unavailable.is_none(),
                "{facts:?}"
            );
        }
        let given = Given {
            variant: Some(Variant::Gate),
            class: Some(facts.class),
            origin: Some(facts.origin),
            addressable: Some(facts.addressable),
            hotfix: Some(if facts.aborted {
                Hotfix::Aborted
            } else {
                Hotfix::None
            }),
        };
        let linted = lint(text.as_bytes(), &given);
        let sure: Vec<&str> = linted
            .findings
            .iter()
            .filter(|finding| !["V25"].contains(&finding.id))
            .map(|finding| finding.id)
            .collect();
        let wanted: &[&str] = if undeclared { &["V02"] } else { &[] };
        assert_eq!(sure, wanted, "{facts:?}\n{text}");
    });
}

/// `tests/truth/chase.md`: what has to be gathered before a verdict may be claimed.
#[test]
fn a_verdict_is_claimed_on_what_was_gathered_only() {
    let mut rows = 0;
    for line in include_str!("../truth/chase.md").lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, class, gathered, says, _] = cells[..] else {
            continue;
        };
        let Some(class) = Class::parse(class) else {
            continue;
        };
        let count = |word: &str| {
            let found = gathered
                .split(", ")
                .find_map(|part| part.strip_prefix(word));
            found.map_or(0, |n| n.trim().parse().expect("a number"))
        };
        let has = |word: &str| gathered.split(", ").any(|part| part == word);
        let facts = Gathered {
            survived: count("survived"),
            open: count("open"),
            steps_followed: has("steps"),
            search_completed: has("search"),
            source_found: has("source"),
        };
        let found = objections(class, &facts).join("; ");
        assert_eq!(found, says, "{line}");
        rows += 1;
    }
    assert!(rows >= 12, "{rows} rows");
}
