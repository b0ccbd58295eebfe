//! The verdicts of a bug chase: what each needs, which rows it offers, which one it recommends
//! (verdict-menus 2.2 to 2.5).

use std::fmt;

use super::words::plain;

/// What a chase may conclude.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the table below says what each means")]
pub enum Class {
    RealBug,
    NotABug,
    IntendedBehavior,
    CannotReplicate,
    AlreadyAddressed,
    AlreadyReported,
}

/// One row of the table of verdicts.
#[derive(Clone, Copy, Debug)]
pub struct ClassRow {
    /// Which.
    pub class: Class,
    /// As it is written.
    pub name: &'static str,
    /// What must be there before it may be claimed.
    pub needs: &'static str,
    /// The kind of source that it cites; no verdict without it.
    pub cites: &'static str,
    /// What the third section gives.
    pub next: &'static str,
}

/// The table of verdicts (2.2).
pub const CLASSES: [ClassRow; 6] = [
    ClassRow {
        class: Class::RealBug,
        name: "real",
        needs: "one explanation whose test ran and did not rule it out; a blocked test is none",
        cites: "the test that passed",
        next: "the fix and its size; an unknown cost is said, the verdict stays",
    },
    ClassRow {
        class: Class::NotABug,
        name: "not-a-bug",
        needs: "what happens is what a contract says",
        cites: "a spec, a schema, a documented rule",
        next: "the right use",
    },
    ClassRow {
        class: Class::IntendedBehavior,
        name: "intended-behavior",
        needs: "somebody decided it",
        cites: "a design document, a decision record, a commit",
        next: "what follows from the decision",
    },
    ClassRow {
        class: Class::CannotReplicate,
        name: "cannot-replicate",
        needs: "the documented steps were followed without a failure, every explanation is used up \
                or blocked",
        cites: "the attempts",
        next: "the exact input that is missing",
    },
    ClassRow {
        class: Class::AlreadyAddressed,
        name: "already-addressed",
        needs: "it is fixed already",
        cites: "the commit or pull request that fixed it",
        next: "how to get it",
    },
    ClassRow {
        class: Class::AlreadyReported,
        name: "already-reported",
        needs: "the search for reports was completed and found the same cause",
        cites: "the ticket",
        next: "to follow it there; never a new ticket",
    },
];

impl Class {
    /// Its row.
    #[must_use]
    pub fn row(self) -> &'static ClassRow {
        let [first, ..] = &CLASSES;
        CLASSES
            .iter()
            .find(|row| row.class == self)
            .unwrap_or(first)
    }

    /// Reads the name, `real-bug` and `real bug` as well.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let name = match name {
            "real-bug" | "real bug" => "real",
            other => other,
        };
        let row = CLASSES.iter().find(|row| row.name == name)?;
        Some(row.class)
    }

    /// The rows it takes.
    #[must_use]
    pub fn set(self) -> Set {
        if self == Self::RealBug {
            Set::Real
        } else {
            Set::Negative
        }
    }
}

/// What a chase gathered for its verdict. Every field is what was recorded, not what is hoped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Gathered {
    /// Explanations whose test ran and did not rule them out.
    pub survived: u32,
    /// Explanations that are still open and whose test was not blocked.
    pub open: u32,
    /// Whether the documented steps were followed without a failure.
    pub steps_followed: bool,
    /// Whether the search for earlier reports was completed.
    pub search_completed: bool,
    /// Whether the source that the verdict cites was found.
    pub source_found: bool,
}

/// Why a verdict may not be claimed, in our words; empty when it may.
#[must_use]
pub fn objections(class: Class, gathered: &Gathered) -> Vec<&'static str> {
    let mut all = Vec::new();
    match class {
        Class::RealBug if gathered.survived == 0 => {
            all.push("no explanation survived a test that ran");
        }
        Class::CannotReplicate => {
            if !gathered.steps_followed {
                all.push("the documented steps were not followed to their end");
            }
            if gathered.survived > 0 {
                all.push("an explanation survived its test");
            }
            if gathered.open > 0 {
                all.push("an explanation is open and its test not blocked");
            }
        }
        Class::AlreadyReported if !gathered.search_completed => {
            all.push("the search for reports was not completed");
        }
        _ => {}
    }
    if class != Class::RealBug && !gathered.source_found {
        all.push("the source it has to cite was not found");
    }
    all
}

/// Where the report came from. It never changes during a chase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// An issue or a ticket: filing another one is not offered.
    Tracked,
    /// Pasted or free text.
    Untracked,
}

/// Rows of a real bug and of a negative verdict never stand in one menu.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Set {
    /// Of a real bug.
    Real,
    /// Of the five other verdicts.
    Negative,
}

/// A row of a verdict menu.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the table below says what each means")]
pub enum Action {
    FileTicket,
    Brainstorm,
    Hotfix,
    Respond,
    RespondVerdict,
    FinishSilent,
    FinishSummary,
    DiscoveryTicket,
}

/// Labels and what follows, in the order of the menus (2.3). `FinishSummary` is in both sets.
pub const ACTIONS: [(Action, Option<Set>, &str, &str); 8] = [
    (
        Action::FileTicket,
        Some(Set::Real),
        "File a ticket",
        "/skill:shape-ticket, seeded with this evidence.",
    ),
    (
        Action::Brainstorm,
        Some(Set::Real),
        "Brainstorm now",
        "/skill:brainstorming with this evidence as the seed.",
    ),
    (
        Action::Hotfix,
        Some(Set::Real),
        super::HOTFIX,
        "follow ../hotfix.md; add \"as a PR\" for a PR.",
    ),
    (
        Action::Respond,
        Some(Set::Real),
        "Respond to reporter only",
        "",
    ),
    (
        Action::RespondVerdict,
        Some(Set::Negative),
        "Respond to reporter with this verdict and citation",
        "",
    ),
    (
        Action::FinishSilent,
        Some(Set::Negative),
        "Finish without a response",
        "",
    ),
    (
        Action::FinishSummary,
        None,
        "Finish with rendered summary",
        "",
    ),
    (
        Action::DiscoveryTicket,
        Some(Set::Negative),
        "File a discovery ticket",
        "/skill:shape-ticket, seeded with what's missing.",
    ),
];

impl Action {
    /// The label of its row.
    #[must_use]
    pub fn label(self) -> &'static str {
        ACTIONS
            .iter()
            .find(|row| row.0 == self)
            .map_or("", |row| row.2)
    }

    /// What follows, as the row says it.
    #[must_use]
    pub fn consequence(self) -> &'static str {
        ACTIONS
            .iter()
            .find(|row| row.0 == self)
            .map_or("", |row| row.3)
    }

    /// The action of a label, compared without case and final stop.
    #[must_use]
    pub fn of(label: &str) -> Option<Self> {
        let label = plain(label);
        let row = ACTIONS.iter().find(|row| plain(row.2) == label)?;
        Some(row.0)
    }
}

/// The set that a label belongs to alone.
#[must_use]
pub fn set_of(label: &str) -> Option<Set> {
    let action = Action::of(label)?;
    ACTIONS.iter().find(|row| row.0 == action)?.1
}

/// One of the six checks that a fix must pass to be a hotfix (2.4).
#[derive(Clone, Copy, Debug)]
pub struct Predicate {
    /// 1 to 6.
    pub n: usize,
    /// Whether failing it makes the row unavailable; else it is only not recommended.
    pub safety: bool,
    /// As the eligibility line names it.
    pub words: &'static str,
}

/// The six of them. They predict the shape of a fix; whoever reviews it looks again.
pub const PREDICATES: [Predicate; 6] = [
    Predicate {
        n: 1,
        safety: true,
        words: "no change of schema, migration or stored data",
    },
    Predicate {
        n: 2,
        safety: true,
        words: "no change of a public interface, a contract or the shape of a configuration",
    },
    Predicate {
        n: 3,
        safety: true,
        words: "reverting one commit takes everything back",
    },
    Predicate {
        n: 4,
        safety: false,
        words: "existing code only, the one new file is the test",
    },
    Predicate {
        n: 5,
        safety: false,
        words: "dependencies as they are, or one small bump whose notes name the symptom",
    },
    Predicate {
        n: 6,
        safety: false,
        words: "the existing tests can hold the evidence",
    },
];

/// What is known of one check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// It passes.
    Yes,
    /// It fails.
    No,
    /// Nobody could tell. It counts as a failure.
    Unknown,
}

impl Holds {
    /// The word in a document.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}

/// The facts that a menu is made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The verdict.
    pub class: Class,
    /// Where the report came from.
    pub origin: Origin,
    /// Whether there is somebody to answer.
    pub addressable: bool,
    /// Whether a hotfix was given up after it had made a branch or a worktree.
    pub aborted: bool,
    /// The six checks.
    pub predicates: [Holds; 6],
    /// A break that users meet, lost data, or security.
    pub pressing: bool,
    /// A fix of a line or two.
    pub trivial: bool,
    /// Real, and it can wait.
    pub deferrable: bool,
    /// It waits for somebody else.
    pub blocked: bool,
}

impl Facts {
    /// The first check that does not pass.
    #[must_use]
    pub fn failing(&self) -> Option<&'static Predicate> {
        self.first(|_| true)
    }

    /// The first safety check that does not pass: the hotfix cannot be picked.
    #[must_use]
    pub fn unsafe_because(&self) -> Option<&'static Predicate> {
        self.first(|predicate| predicate.safety)
    }

    fn first(&self, of: impl Fn(&Predicate) -> bool) -> Option<&'static Predicate> {
        let rows = PREDICATES.iter().zip(self.predicates);
        rows.filter(|(predicate, _)| of(predicate))
            .find(|(_, holds)| *holds != Holds::Yes)
            .map(|(predicate, _)| predicate)
    }
}

/// The rows of the menu, in their order; what is left out renumbers the rest (2.3).
#[must_use]
pub fn rows(facts: &Facts) -> Vec<Action> {
    match (facts.class.set(), facts.addressable) {
        (Set::Real, addressable) => {
            let mut rows = Vec::new();
            if facts.origin == Origin::Untracked {
                rows.push(Action::FileTicket);
            }
            rows.push(Action::Brainstorm);
            if !facts.aborted {
                rows.push(Action::Hotfix);
            }
            rows.push(answer(addressable));
            rows
        }
        (Set::Negative, addressable) => {
            let mut rows = if addressable {
                vec![Action::RespondVerdict, Action::FinishSilent]
            } else {
                vec![Action::FinishSummary]
            };
            if facts.class == Class::CannotReplicate {
                rows.push(Action::DiscoveryTicket);
            }
            rows
        }
    }
}

fn answer(addressable: bool) -> Action {
    if addressable {
        Action::Respond
    } else {
        Action::FinishSummary
    }
}

/// Which row is recommended, and which rule of 2.5 says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recommended {
    /// The row.
    pub action: Action,
    /// 1 to 5.
    pub rule: u8,
    /// Why, as the third section may say it.
    pub because: &'static str,
}

/// The rules of 2.5 from the top; `None` for a negative verdict, and for a real bug of which
/// nobody said that it presses, is small, can wait or waits for others.
#[must_use]
pub fn recommend(facts: &Facts) -> Option<Recommended> {
    if facts.class.set() == Set::Negative {
        return None;
    }
    let all_pass = facts.failing().is_none() && !facts.aborted;
    let of = |action, rule, because| {
        Some(Recommended {
            action,
            rule,
            because,
        })
    };
    if (facts.pressing || facts.trivial) && all_pass {
        return of(
            Action::Hotfix,
            1,
            if facts.pressing {
                "it presses and all six checks hold"
            } else {
                "the fix is small and all six checks hold"
            },
        );
    }
    if facts.pressing {
        return of(
            Action::Brainstorm,
            2,
            "it presses and a check does not hold",
        );
    }
    if facts.trivial {
        return of(
            Action::Brainstorm,
            3,
            "the fix is small and a check does not hold",
        );
    }
    if facts.deferrable {
        return match facts.origin {
            Origin::Untracked => of(Action::FileTicket, 4, "it is real and can wait"),
            Origin::Tracked => of(
                answer(facts.addressable),
                4,
                "it is real, can wait, and has its ticket",
            ),
        };
    }
    if facts.blocked {
        return of(answer(facts.addressable), 5, "it waits for somebody else");
    }
    None
}

/// A menu made from facts, with what belongs before and behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rendered {
    /// Line 1 of the message.
    pub marker: String,
    /// The rows.
    pub rows: Vec<String>,
    /// The last line; real bugs only.
    pub eligibility: Option<String>,
}

impl fmt::Display for Rendered {
    /// From `Pick one:` to the end of the fence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n\n```text", super::read::SEPARATOR)?;
        for row in &self.rows {
            writeln!(f, "{row}")?;
        }
        if let Some(line) = &self.eligibility {
            writeln!(f, "\n{line}")?;
        }
        writeln!(f, "```")
    }
}

/// The menu of these facts: numbered after omission, one row tagged where a rule recommends.
#[must_use]
pub fn render(facts: &Facts) -> Rendered {
    let recommended = recommend(facts).map(|r| r.action);
    let unsafe_because = facts.unsafe_because();
    let mut tagged = None;
    let rows = rows(facts)
        .into_iter()
        .zip(1..)
        .map(|(action, n)| {
            let tag = recommended == Some(action);
            let blocked = unsafe_because.filter(|_| action == Action::Hotfix);
            if tag {
                tagged = Some(n);
            }
            row(action, n, tag, blocked)
        })
        .collect();
    let number = tagged.map_or_else(String::new, |n: u32| format!(" recommended={n}"));
    Rendered {
        marker: format!("gauntlet: gate={}{number}", super::VERDICT_MENU),
        rows,
        eligibility: (facts.class.set() == Set::Real).then(|| match facts.failing() {
            None => "eligible - all predicates pass".to_owned(),
            Some(predicate) => format!("not eligible: {}", predicate.words),
        }),
    }
}

fn row(action: Action, n: u32, tag: bool, blocked: Option<&Predicate>) -> String {
    let mark = if tag { 'x' } else { ' ' };
    let label = action.label();
    let end = if tag { " [recommended]" } else { "" };
    let consequence = action.consequence();
    match blocked {
        Some(predicate) => format!(
            "{n}. [{mark}] {label} - unavailable: {}{end}",
            predicate.words
        ),
        None if consequence.is_empty() => format!("{n}. [{mark}] {label}.{end}"),
        None => format!("{n}. [{mark}] {label} - {consequence}{end}"),
    }
}
