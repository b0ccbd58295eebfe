//! Gate messages and replies by their truth tables, `tests/truth/menu.md` and `menu-reply.md`.

use std::collections::BTreeSet;

use countersign::gate::menu::given::given;
use countersign::gate::menu::invariants::CODES;
use countersign::gate::menu::read::opening;
use countersign::gate::menu::reply::sent;
use countersign::gate::menu::{Binding, read, reply};
use countersign::model::menu::{Answer, Ask, Message, Opening, Reply, Row, Token};
use countersign::model::text::{Foreign, Place};

use crate::truth::{self, Case};

fn shown(text: &Foreign) -> String {
    text.shown(Place::Prose).plain()
}

fn opened(opening: &Opening) -> String {
    match opening {
        Opening::Gate(gate) => match gate.recommended {
            Some(n) => format!("gate {} {n}", gate.name()),
            None => format!("gate {}", gate.name()),
        },
        Opening::Done(outcome) => format!("done {}", shown(outcome)),
        Opening::Malformed(_) => "malformed".to_owned(),
        Opening::Plain => "plain".to_owned(),
    }
}

fn row(row: &Row) -> String {
    let boxed = match row.ticked {
        Some(true) => "x",
        Some(false) => "_",
        None => "",
    };
    let tag = if row.recommended { "*" } else { "" };
    let mark = format!("{boxed}{tag} ");
    let mark = if mark == " " { "" } else { &mark };
    let mut out = format!("{} {mark}{}", row.n, shown(&row.label));
    if !row.consequence.is_blank() {
        out.push_str(&format!(" | {}", shown(&row.consequence)));
    }
    if let Some(why) = &row.unavailable {
        out.push_str(&format!(" | not: {}", shown(why)));
    }
    out
}

fn ask(ask: Ask) -> String {
    match ask {
        Ask::SendIt => "asks send-it".to_owned(),
        Ask::Overrides(n) => format!("asks overrides {n}"),
        other => format!("asks {other:?}").to_lowercase(),
    }
}

fn says(message: &Message) -> String {
    let mut out = vec![opened(&message.opening)];
    out.extend(message.style.map(|style| style.name().to_owned()));
    out.extend(message.rows.iter().map(row));
    out.extend(message.tail.iter().map(|line| format!("> {}", shown(line))));
    out.extend(message.eligibility.iter().map(|line| shown(&line.text)));
    let omitted = message.not_offered.iter();
    out.extend(omitted.map(|o| format!("not offered {} ({})", shown(&o.verb), shown(&o.reason))));
    if message.blockers > 0 {
        out.push(format!("blockers {}", message.blockers));
    }
    out.extend(message.asks.iter().map(|one| ask(*one)));
    out.extend(message.inert.iter().map(|line| format!("inert {line}")));
    let faults = message.violations.iter();
    out.extend(faults.map(|v| format!("! {} {}", v.line, v.code)));
    out.join("\n")
}

fn case(case: &Case) -> String {
    match case.form.as_str() {
        "marker" => {
            let lines = case.input.lines().map(|line| opened(&opening(line)));
            lines.collect::<Vec<_>>().join("\n")
        }
        "crlf" => says(&read(case.input.replace('\n', "\r\n").as_bytes())),
        _ => says(&read(case.input.as_bytes())),
    }
}

#[test]
fn messages_are_read_as_the_table_says() {
    truth::check("menu.md", case);
}

fn pairs(pairs: &[(String, String)]) -> String {
    let all: Vec<String> = pairs.iter().map(|(h, c)| format!(" {h}={c}")).collect();
    all.concat()
}

fn meaning(reply: &Reply) -> String {
    match reply {
        Reply::Pick { n, as_pr: true } => format!("pick {n} as a PR"),
        Reply::Pick { n, as_pr: false } => format!("pick {n}"),
        Reply::Composed(parts) => {
            let parts = parts.iter().map(|part| {
                let ids = part.ids.iter().map(|id| format!(" {id}"));
                format!("{}{}", part.verb, ids.collect::<String>())
            });
            format!("composed {}", parts.collect::<Vec<_>>().join(" + "))
        }
        Reply::Overrides { n, pairs: all } => format!("overrides {n}{}", pairs(all)),
        Reply::Token(Token::SendIt) => "token send it".into(),
        Reply::Token(Token::Discard) => "token discard".into(),
        Reply::Token(Token::Check { name, disposition }) => {
            format!("token check {name} {}", disposition.typed())
        }
        Reply::Token(Token::Revert(id)) => format!("token revert {id}"),
        Reply::Token(Token::Abandon { criterion, says }) => {
            format!("token criterion {criterion} {says}")
        }
        Reply::Answer(Answer::Contract(words)) => format!("answer contract {words}"),
        Reply::Answer(Answer::Command(text)) => format!("answer command {text}"),
        Reply::Answer(Answer::Spec(text)) => format!("answer spec {text}"),
        Reply::Answer(Answer::Rounds { rounds, .. }) => format!("answer {rounds} rounds"),
        Reply::Answer(Answer::Ids(ids)) => format!("answer ids {}", ids.join(" ")),
        Reply::Answer(Answer::Yes) => "answer yes".into(),
        Reply::Answer(Answer::No) => "answer no".into(),
        Reply::Invalid { kept, .. } if !kept.is_empty() => format!("invalid, keeps{}", pairs(kept)),
        other => other.kind().into(),
    }
}

/// What is recorded of a reply means at its message what was typed there, and every reply that
/// may be delivered can be recorded.
fn recorded(message: &Message, read: &Reply, typed: &str) {
    match (given(message, typed), read.deliverable()) {
        (Ok(reply), Some(kind)) => {
            assert_eq!(reply.kind, kind, "{typed}");
            assert_eq!(given(message, &reply.text), Ok(reply.clone()), "{typed}");
        }
        (Err(why), None) => assert!(!why.is_empty(), "{typed}"),
        (found, kind) => panic!("{typed}: {found:?}, {kind:?}"),
    }
}

#[test]
fn replies_mean_what_the_table_says() {
    truth::check("menu-reply.md", |case| {
        let (message, replies) = case.input.split_once("-----\n").expect("a line of hyphens");
        let message = read(message.as_bytes());
        let typed = |line: &str| {
            let text = line.replace("\\n", "\n").replace("\\r", "\r");
            text.replace("\\t", "\t").replace("\\s", " ")
        };
        let meanings = replies.lines().map(|line| {
            let typed = typed(line);
            let read = reply(&message, &typed);
            again(&message, &read, &typed);
            recorded(&message, &read, &typed);
            meaning(&read)
        });
        meanings.collect::<Vec<_>>().join("\n")
    });
}

/// What is delivered means the same when the agent's side reads it.
fn again(message: &Message, read: &Reply, typed: &str) {
    if let Some(text) = sent(read, typed) {
        assert_eq!(
            meaning(&reply(message, &text)),
            meaning(read),
            "{typed} {text}"
        );
    } else {
        assert!(
            matches!(read.kind(), "empty" | "invalid" | "stale"),
            "{typed}"
        );
    }
}

/// A stale reply is refused whatever it says (edge 35, 45): by gate, by message, by head.
#[test]
fn a_reply_is_bound_to_its_gate_its_message_and_its_head() {
    let message = read(b"gauntlet: gate=chase-bug/verdict-menu\n\nPick one:\n1. [ ] Finish.\n");
    let digest = message.digest.to_string();
    let head = "7c41d09aa0000000000000000000000000000000";
    let bound = |gate: &str, digest: &str, head: &str| Binding {
        gate: (!gate.is_empty()).then(|| gate.to_owned()),
        digest: (!digest.is_empty()).then(|| digest.to_owned()),
        head: (!head.is_empty()).then(|| head.to_owned()),
    };
    let own = "chase-bug/verdict-menu";
    let rows = [
        (bound("", "", ""), Some(head), true),
        (bound(own, &digest, head), Some(head), true),
        (bound(own, &digest[..12], "7c41d09"), Some(head), true),
        (
            bound(own, &digest.to_uppercase(), "7C41D09"),
            Some(head),
            true,
        ),
        (bound("", "", ""), None, true),
        (bound("gatekeep/course", "", ""), Some(head), false),
        (bound("", "0123456789ab", ""), Some(head), false),
        (bound("", &digest[..4], ""), Some(head), false),
        (bound("", "", "a83be10"), Some(head), false),
        (bound("", "", "7c41d09"), None, false),
        (bound("", "", "7c4"), Some(head), false),
    ];
    for (binding, head, sent) in rows {
        let refusal = binding.refusal(&message, head);
        assert_eq!(refusal.is_none(), sent, "{binding:?} {head:?} {refusal:?}");
    }
    let plain = read(b"no marker");
    assert!(bound(own, "", "").refusal(&plain, None).is_some());
    assert_eq!(bound("", "xyz", "7c4").complaints().len(), 2);
    assert!(bound("", &digest, head).complaints().is_empty());
}

#[test]
fn every_fault_has_a_row_and_a_description() {
    let text: Vec<String> = truth::cases("menu.md")
        .into_iter()
        .map(|c| c.says)
        .collect();
    let said: BTreeSet<&str> = text
        .iter()
        .flat_map(|says| says.lines())
        .filter_map(|line| line.strip_prefix("! ")?.split(' ').nth(1))
        .collect();
    let listed: BTreeSet<&str> = CODES.iter().map(|(code, _)| *code).collect();
    assert_eq!(listed.len(), CODES.len(), "two rules share a code");
    let unlisted: Vec<_> = said.difference(&listed).collect();
    assert!(unlisted.is_empty(), "{unlisted:?}");
    let unseen: Vec<_> = listed
        .difference(&said)
        .filter(|c| **c != "not-utf8")
        .collect();
    assert!(unseen.is_empty(), "no row shows {unseen:?}");
}

#[test]
fn bytes_that_are_no_text_are_a_message_with_a_fault() {
    let message = read(b"gauntlet: gate=chase-bug/verdict-menu\n\nPick one:\n1. [ ] \xff\n");
    assert_eq!(message.rows.len(), 1);
    let faults: Vec<_> = message
        .violations
        .iter()
        .map(|v| (v.line, v.code))
        .collect();
    assert!(faults.contains(&(4, "not-utf8")), "{faults:?}");
    assert!(read(b"").rows.is_empty());
    assert!(read(b"\n").violations.is_empty());
}
