//! Reads the session log of a harness as the calls and results that the guards look at: JSON
//! Lines, either one event a line (`tool_call`, `tool_result`) or the messages of a session with
//! its branches. Of branches only the one that ends in the last line counts.

use std::collections::{BTreeMap, HashMap};

use super::complaints::Complaints;
use super::json::{self, Node, Value};
use crate::gate::wave::guard::{Back, Call, Sent};
use crate::model::contract::Complaint;
use crate::model::wave::count;

/// One thing that happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// A call was made.
    Call(Call),
    /// Something came back.
    Back(Back),
}

/// It, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Happened {
    /// 1-based line.
    pub line: u32,
    /// The id of the call.
    pub id: String,
    /// What.
    pub what: What,
}

/// A session log.
#[derive(Clone, Debug)]
pub struct Log {
    /// What happened, in order.
    pub happened: Vec<Happened>,
    /// What is wrong with it.
    pub complaints: Vec<Complaint>,
}

/// Reads a session log. Lines that speak of other tools are no fault; lines that are no JSON are.
#[must_use]
pub fn read(bytes: &[u8]) -> Log {
    let mut complaints = Complaints::default();
    let mut nodes: Vec<(u32, Node)> = Vec::new();
    for (at, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let at = u32::try_from(at + 1).unwrap_or(u32::MAX);
        if line.trim_ascii().is_empty() {
            continue;
        }
        match json::read(line) {
            Ok(node) => nodes.push((at, node)),
            Err(faults) => {
                for fault in faults {
                    let hint = "hand in the session log whole";
                    complaints.error("no-json", at, fault.message, hint);
                }
            }
        }
    }
    let branch = branch(&nodes);
    let mut happened = Vec::new();
    let mut calls: HashMap<String, Call> = HashMap::new();
    for (at, node) in nodes.iter().filter(|(at, _)| branch.contains(at)) {
        for (id, what) in entries(node, &calls) {
            if let What::Call(call) = &what {
                calls.insert(id.clone(), call.clone());
            }
            happened.push(Happened {
                line: *at,
                id,
                what,
            });
        }
    }
    Log {
        happened,
        complaints: complaints.done(),
    }
}

/// Lines on the way from the first to the last entry; every line when they name no parents.
fn branch(nodes: &[(u32, Node)]) -> std::collections::BTreeSet<u32> {
    let id = |node: &Node| node.get("id").and_then(Node::text).map(str::to_owned);
    let parent = |node: &Node| node.get("parentId").and_then(Node::text).map(str::to_owned);
    let all = || nodes.iter().map(|(at, _)| *at).collect();
    if nodes.iter().all(|(_, node)| node.get("parentId").is_none()) {
        return all();
    }
    let by_id: HashMap<String, usize> = nodes
        .iter()
        .enumerate()
        .filter_map(|(at, (_, node))| Some((id(node)?, at)))
        .collect();
    let mut out = std::collections::BTreeSet::new();
    let tree = |node: &Node| node.get("parentId").is_some();
    let mut at = nodes.iter().rposition(|(_, node)| tree(node));
    while let Some(index) = at {
        let Some((line, node)) = nodes.get(index) else {
            break;
        };
        if !out.insert(*line) {
            break;
        }
        at = parent(node).and_then(|parent| by_id.get(&parent).copied());
    }
    out
}

fn entries(node: &Node, calls: &HashMap<String, Call>) -> Vec<(String, What)> {
    let text = |node: &Node, key: &str| node.get(key).and_then(Node::text).map(str::to_owned);
    match text(node, "type").as_deref() {
        Some("tool_call") => {
            let id = text(node, "toolCallId").unwrap_or_default();
            let name = text(node, "toolName").unwrap_or_default();
            let call = node.get("input").and_then(|input| call(&name, input));
            call.map(|call| (id, What::Call(call)))
                .into_iter()
                .collect()
        }
        Some("tool_result") => result(node, calls).into_iter().collect(),
        Some("message") => {
            let Some(message) = node.get("message") else {
                return Vec::new();
            };
            match text(message, "role").as_deref() {
                Some("toolResult") => result(message, calls).into_iter().collect(),
                Some("assistant") => {
                    let Some(Value::List(parts)) = message.get("content").map(|c| &c.value) else {
                        return Vec::new();
                    };
                    let made = parts
                        .iter()
                        .filter(|part| text(part, "type").as_deref() == Some("toolCall"));
                    made.filter_map(|part| {
                        let name = text(part, "name")?;
                        let made = call(&name, part.get("arguments")?)?;
                        Some((text(part, "id").unwrap_or_default(), What::Call(made)))
                    })
                    .collect()
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}

fn is_true(node: &Node, key: &str) -> bool {
    node.get(key)
        .is_some_and(|flag| flag.value == Value::Bool(true))
}

fn call(name: &str, input: &Node) -> Option<Call> {
    let text = |key: &str| input.get(key).and_then(Node::text).map(str::to_owned);
    match name {
        "subagent" => {
            let mut sent = Vec::new();
            collect(input, 0, &mut sent);
            Some(Call::Subagent {
                management: input.get("action").is_some_and(|action| !action.is_null()),
                asynchronous: is_true(input, "async"),
                lone: text("agent"),
                sent,
            })
        }
        "phase_tracker" => Some(Call::Phase {
            action: text("action").unwrap_or_default(),
            phase: text("phase"),
            force: is_true(input, "force"),
            rounds: input.get("rounds").and_then(|rounds| match &rounds.value {
                Value::Number(text) => Some(text.clone()),
                _ => None,
            }),
            reason: text("reason"),
        }),
        _ => None,
    }
}

/// Deepest nesting of a dispatch that is walked.
const DEEPEST: usize = 8;

/// Every agent of a dispatch: the lone one, and those of tasks, chain and parallel at any depth.
fn collect(node: &Node, depth: usize, sent: &mut Vec<Sent>) {
    if let Some(agent) = node.get("agent").and_then(Node::text) {
        let model = node.get("model").and_then(Node::text).map(str::to_owned);
        sent.push(Sent {
            agent: agent.to_owned(),
            model,
        });
    }
    if depth >= DEEPEST {
        return;
    }
    for key in ["tasks", "chain", "parallel"] {
        match node.get(key).map(|inner| (&inner.value, inner)) {
            Some((Value::List(items), _)) => {
                for item in items {
                    collect(item, depth + 1, sent);
                }
            }
            Some((Value::Object(_), inner)) => collect(inner, depth + 1, sent),
            _ => {}
        }
    }
}

fn result(node: &Node, calls: &HashMap<String, Call>) -> Option<(String, What)> {
    let id = node.get("toolCallId").and_then(Node::text);
    let id = id.unwrap_or_default().to_owned();
    let details = node.get("details");
    let refused = details
        .and_then(|d| d.get("error"))
        .is_some_and(|e| !e.is_null());
    let error = is_true(node, "isError") || refused;
    match node.get("toolName").and_then(Node::text)? {
        "subagent" => Some((
            id,
            What::Back(Back::Subagent {
                error,
                results: results(details),
            }),
        )),
        "phase_tracker" => {
            let made = match calls.get(&id) {
                Some(Call::Phase {
                    action,
                    phase,
                    rounds,
                    ..
                }) => Some((action.clone(), phase.clone(), rounds.clone())),
                _ => None,
            };
            let said = details.and_then(|d| d.get("action")).and_then(Node::text);
            let rounds = details.and_then(|d| d.get("rounds")).and_then(number);
            let (action, phase, asked) = made.unwrap_or_default();
            Some((
                id,
                What::Back(Back::Phase {
                    error,
                    action: said.map_or(action, str::to_owned),
                    phase,
                    phases: phases(details),
                    rounds: rounds.or_else(|| asked.as_deref().and_then(count)),
                }),
            ))
        }
        _ => None,
    }
}

fn number(node: &Node) -> Option<u32> {
    match &node.value {
        Value::Number(text) => count(text),
        _ => None,
    }
}

fn results(details: Option<&Node>) -> Vec<(String, Option<i64>)> {
    let Some(Value::List(items)) = details.and_then(|d| d.get("results")).map(|r| &r.value) else {
        return Vec::new();
    };
    let child = |item: &Node| {
        let agent = item.get("agent").and_then(Node::text)?;
        let exit = item.get("exitCode").and_then(|exit| match &exit.value {
            Value::Number(text) => text.parse().ok(),
            _ => None,
        });
        Some((agent.to_owned(), exit))
    };
    items.iter().filter_map(child).collect()
}

fn phases(details: Option<&Node>) -> BTreeMap<String, String> {
    let Some(Value::Object(fields)) = details.and_then(|d| d.get("phases")).map(|p| &p.value)
    else {
        return BTreeMap::new();
    };
    let status = |node: &Node| {
        let inner = node.get("status").and_then(Node::text);
        inner.or(node.text()).map(str::to_owned)
    };
    let all = fields.iter();
    all.filter_map(|(name, _, node)| Some((name.clone(), status(node)?)))
        .collect()
}
