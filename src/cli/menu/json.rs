//! `menu/1` and `menu-reply/1`. Field names are the public interface; add, never rename.

use serde_json::{Value, json};

use crate::cli::contract::json::text;
use crate::gate::menu::levers::Lever;
use crate::gate::menu::reply::sent;
use crate::model::menu::{Answer, GateLine, Message, Opening, Reply, Row, Style, Token};

/// A message.
#[must_use]
pub fn message(message: &Message, head: Option<&str>) -> Value {
    let gate = message.gate().map(|gate| {
        json!({
            "skill": gate.skill,
            "menu": gate.menu,
            "recommended": gate.recommended,
        })
    });
    let done = match &message.opening {
        Opening::Done(outcome) => Some(json!({ "outcome": text(outcome) })),
        Opening::Gate(_) | Opening::Malformed(_) | Opening::Plain => None,
    };
    let tail: Vec<String> = message.tail.iter().map(text).collect();
    json!({
        "schema": "countersign/menu/1",
        "gate": gate,
        "done": done,
        "digest": message.digest.to_string(),
        "head": head,
        "style": message.style.map(Style::name),
        "rows": message.rows.iter().map(row).collect::<Vec<_>>(),
        "tail": tail.join("\n"),
        "eligibility": message.eligibility.as_ref().map(|line| text(&line.text)),
        "not_offered": message.not_offered.iter()
            .map(|omitted| json!({
                "verb": text(&omitted.verb),
                "reason": text(&omitted.reason),
            }))
            .collect::<Vec<_>>(),
        "levers": Lever::ALL
            .map(|lever| json!({
                "lever": lever.word(),
                "form": lever.form(),
                "closed": lever.closed(message),
            })),
        "inert": message.inert,
        "violations": message.violations.iter()
            .map(|v| json!({"code": v.code, "line": v.line, "message": v.message}))
            .collect::<Vec<_>>(),
    })
}

fn row(row: &Row) -> Value {
    json!({
        "n": row.n,
        "label": text(&row.label),
        "consequence": text(&row.consequence),
        "available": row.unavailable.is_none(),
        "reason": row.unavailable.as_ref().map(text),
        "recommended": row.recommended,
        "line": row.line,
    })
}

/// What a reply means, and the words to deliver; `text` is null when nothing may be delivered.
#[must_use]
pub fn reply(message: &Message, reply: &Reply, typed: &str, head: Option<&str>) -> Value {
    let mut out = json!({
        "schema": "countersign/menu-reply/1",
        "kind": reply.kind(),
        "gate": message.gate().map(GateLine::name),
        "digest": message.digest.to_string(),
        "head": head,
        "n": null,
        "label": null,
        "suffix": null,
        "verbs": [],
        "ids": [],
        "overrides": [],
        "text": sent(reply, typed),
        "reason": reason(reply),
    });
    let fields = match reply {
        Reply::Pick { n, as_pr } => json!({
            "n": n,
            "label": message.row(*n).map(|row| text(&row.label)),
            "suffix": as_pr.then_some("as a PR"),
        }),
        Reply::Composed(parts) => json!({
            "verbs": parts.iter().map(|part| part.verb.as_str()).collect::<Vec<_>>(),
            "ids": parts.iter()
                .flat_map(|part| part.ids.iter().map(u32::to_string))
                .collect::<Vec<_>>(),
        }),
        Reply::Overrides { n, pairs: all } => json!({"n": n, "overrides": pairs(all)}),
        Reply::Invalid { kept, .. } => json!({"overrides": pairs(kept)}),
        Reply::Token(Token::Check { name, disposition }) => json!({
            "check": {"name": name, "disposition": disposition.stored()},
        }),
        Reply::Token(Token::Abandon { criterion, says }) => json!({
            "criterion": {"n": criterion, "disposition": says},
        }),
        Reply::Answer(Answer::Contract(words)) => json!({"decision": words}),
        Reply::Answer(Answer::Ids(ids)) => json!({"ids": ids}),
        Reply::Answer(Answer::Rounds { rounds, .. }) => json!({"rounds": rounds}),
        Reply::Token(_)
        | Reply::Answer(_)
        | Reply::ChangeRequest(_)
        | Reply::Empty
        | Reply::Stale(_) => json!({}),
    };
    if let (Some(out), Value::Object(fields)) = (out.as_object_mut(), fields) {
        out.extend(fields);
    }
    out
}

fn pairs(pairs: &[(String, String)]) -> Value {
    pairs
        .iter()
        .map(|(handle, choice)| json!({"handle": handle, "choice": choice}))
        .collect()
}

/// Why it is what it is, in our words.
#[must_use]
pub fn reason(reply: &Reply) -> Option<String> {
    match reply {
        Reply::ChangeRequest(why) => Some((*why).to_owned()),
        Reply::Invalid { why, .. } | Reply::Stale(why) => Some(why.clone()),
        Reply::Empty => Some("only blanks: no reply".to_owned()),
        Reply::Pick { .. }
        | Reply::Composed(_)
        | Reply::Overrides { .. }
        | Reply::Token(_)
        | Reply::Answer(_) => None,
    }
}
