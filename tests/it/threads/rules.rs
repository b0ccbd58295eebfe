//! The truth tables `comments.md` and `resolution.md`, row by row; the second also over its whole
//! space against another account of the same rule.

use std::collections::BTreeMap;

use countersign::gate::verify::Trigger;
use countersign::gate::verify::minor::{self, Logins, Malformed, Tag};
use countersign::gate::verify::resolution::{Facts, ForgeSays, PersonSays, Touch, stands};
use countersign::model::known::{Known, Reason};
use countersign::model::text::Foreign;
use countersign::model::thread::{
    Account, Actor, Author, Channel, Comment, Edited, ReviewWord, Thread,
};

const COMMENTS: &str = include_str!("../../truth/comments.md");
const RESOLUTION: &str = include_str!("../../truth/resolution.md");

/// The cells of every row below the second header line.
pub(super) fn rows(table: &str) -> Vec<Vec<String>> {
    let lines = table.lines().filter(|line| line.starts_with('|'));
    let rows: Vec<Vec<String>> = lines
        .skip(2)
        .map(|line| {
            let cells = line.trim_matches('|').split(" | ");
            cells.map(|cell| cell.trim().to_owned()).collect()
        })
        .collect();
    assert!(rows.len() > 10, "a table without rows");
    rows
}

fn thread(channel: Channel, review: Option<ReviewWord>, text: &str) -> Thread {
    Thread {
        id: "7".into(),
        channel,
        spot: None,
        written_at: None,
        first: Comment {
            id: "7".into(),
            author: Author {
                login: Some(Foreign::from("berth")),
                account: Account::Person,
            },
            body: Foreign::from(text),
            cut: 0,
            written: None,
            edited: Known::Is(None),
            minimised: None,
            url: None,
        },
        replies: Vec::new(),
        all_replies: true,
        resolved: Known::Unknown(Reason::new("not said")),
        outdated: Known::Is(false),
        review,
        actor: None,
    }
}

fn logins(class: Actor) -> Logins {
    let mut logins = Logins::default();
    let berth = vec!["Berth".to_owned()];
    match class {
        Actor::Human => {}
        Actor::Panel => logins.panel = berth,
        Actor::BuiltinReview => logins.builtin_review = berth,
        Actor::Bot => logins.bot = berth,
    }
    logins
}

fn listed<T>(all: &[T], word: impl Fn(&T) -> Option<&'static str>) -> String {
    let words: Vec<&str> = all.iter().map(|one| word(one).unwrap_or("-")).collect();
    words.join(", ")
}

#[test]
fn every_comment_weighs_what_the_table_says() {
    let mut wrong = Vec::new();
    for cells in rows(COMMENTS) {
        let [class, channel, review, text, tag, weighs, refused] = &cells[..] else {
            panic!("seven cells: {cells:?}");
        };
        let class = Actor::parse(class).expect("a class");
        let channel = Channel::ALL.into_iter().find(|c| c.word() == channel);
        let review = (review == "asks").then_some(ReviewWord::ChangesRequested);
        let thread = thread(
            channel.expect("a channel"),
            review,
            &text.replace("\\n", "\n"),
        );
        let reading = minor::read(&thread, &logins(class));
        assert_eq!(reading.actor, class);
        let got = [
            listed(&reading.remarks, |r| r.tag.map(Tag::word)),
            listed(&reading.remarks, |r| r.weight.map(Trigger::word)),
            listed(&reading.remarks, |r| r.malformed.map(Malformed::says)),
        ];
        if got != [tag.as_str(), weighs.as_str(), refused.as_str()] {
            wrong.push(format!(
                "{text}\n  wanted {tag} | {weighs} | {refused}, got {got:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_class_comes_from_the_account_and_the_settings_and_never_from_the_words() {
    let none = Logins::default();
    let author = |login: Option<&str>, account| Author {
        login: login.map(Foreign::from),
        account,
    };
    let rows = [
        (author(Some("maren"), Account::Person), None, Actor::Human),
        (author(Some("lint"), Account::Bot), None, Actor::Bot),
        (author(None, Account::Gone), None, Actor::Human),
        (
            author(Some("maren"), Account::Person),
            Some(Actor::Panel),
            Actor::Panel,
        ),
    ];
    for (author, named, wanted) in rows {
        assert_eq!(minor::actor(&author, named, &none), wanted, "{author:?}");
    }
    let claims = thread(Channel::Inline, None, "## /review-pr\nconsider: a table");
    assert_eq!(minor::read(&claims, &none).actor, Actor::Human);
    // words that somebody else put there excuse nothing, whoever the account is
    let weights = |text: &str, by: &str| {
        let mut edited = thread(Channel::Inline, None, text);
        edited.first.edited = Known::Is(Some(Edited {
            by: Some(Foreign::from(by)),
        }));
        minor::read(&edited, &logins(Actor::Panel)).weights()
    };
    assert_eq!(weights("consider: a table", "berth"), []);
    assert_eq!(weights("consider: a table", "builder-7"), [Trigger::T2]);
    assert_eq!(weights("Rename this.", "builder-7"), [Trigger::Mm]);
}

const PERSONS: [(&str, Option<PersonSays>); 5] = [
    ("-", None),
    ("addressed", Some(PersonSays::Addressed)),
    ("not-actionable", Some(PersonSays::NotActionable)),
    ("ticketed", Some(PersonSays::Ticketed)),
    ("kicked-back", Some(PersonSays::KickedBack)),
];
const FORGES: [(&str, ForgeSays); 5] = [
    ("open", ForgeSays::Open),
    ("by-other", ForgeSays::ByOther),
    ("by-author", ForgeSays::ByAuthor),
    ("by-somebody", ForgeSays::BySomebody),
    ("silent", ForgeSays::Silent),
];

fn touches() -> Vec<(&'static str, Touch)> {
    vec![
        ("line", Touch::Line(Vec::new())),
        ("hunk", Touch::Hunk(Vec::new())),
        ("file", Touch::File(Vec::new())),
        ("gone", Touch::Gone(Vec::new())),
        ("untouched", Touch::Untouched),
        ("no-place", Touch::NoPlace),
        ("unknown", Touch::Unknown(Reason::new("gone"))),
    ]
}

/// The sentences of the source and of K49 as code: what addresses a comment, strongest first.
fn account(facts: &Facts) -> &'static str {
    if let Some(person) = facts.person {
        return if person == PersonSays::KickedBack {
            "unresolved"
        } else {
            "resolved"
        };
    }
    let marked = match facts.forge {
        ForgeSays::ByOther => return "resolved",
        ForgeSays::ByAuthor | ForgeSays::BySomebody => true,
        ForgeSays::Open | ForgeSays::Silent => false,
    };
    // "marked resolved", where the settings trust whoever marked it
    if marked && facts.author_resolves {
        return "resolved";
    }
    match facts.touch {
        // "changed the cited file/line"
        Touch::Line(_) => "resolved",
        Touch::Hunk(_) => "weak",
        // "cannot access" is no answer
        Touch::Unknown(_) => "could-not-tell",
        // "file-only weak"
        Touch::File(_) | Touch::Gone(_) => "weak",
        // "outdated alone", or an answer with a ticket: a person has to look
        Touch::Untouched | Touch::NoPlace if facts.outdated || facts.ticket => "weak",
        Touch::Untouched | Touch::NoPlace => "unresolved",
    }
}

#[test]
fn all_1400_cases_of_a_thread_stand_where_the_table_says() {
    let table = rows(RESOLUTION);
    let mut met: BTreeMap<usize, usize> = BTreeMap::new();
    let mut cases = 0;
    for (person_word, person) in PERSONS {
        for (forge_word, forge) in FORGES {
            for (touch_word, touch) in touches() {
                for bits in 0..8u8 {
                    let [outdated, ticket, author_resolves] =
                        [1, 2, 4].map(|bit: u8| bits & bit != 0);
                    let yes = |is| if is { "yes" } else { "no" };
                    let input = [
                        person_word,
                        forge_word,
                        touch_word,
                        yes(outdated),
                        yes(ticket),
                        yes(author_resolves),
                    ];
                    let fits = |row: &Vec<String>| {
                        let cells = row.iter().zip(input);
                        cells
                            .into_iter()
                            .all(|(cell, is)| cell == "any" || cell == is)
                    };
                    let at = table.iter().position(fits).expect("a row that fits");
                    *met.entry(at).or_default() += 1;
                    let facts = Facts {
                        person,
                        forge,
                        touch: touch.clone(),
                        outdated,
                        ticket,
                        author_resolves,
                    };
                    let (state, grade) = stands(&facts);
                    assert_eq!(
                        [state.word(), grade.word()],
                        [table[at][6].as_str(), table[at][7].as_str()],
                        "{input:?}"
                    );
                    assert_eq!(state.word(), account(&facts), "{input:?}");
                    cases += 1;
                }
            }
        }
    }
    assert_eq!(cases, 1400);
    assert_eq!(met.len(), table.len(), "a row that nothing meets");
}
