//! Typed access to the fields of a JSON document, with a complaint for each that is of the wrong
//! kind. A field that is `null` or says `unreadable` was looked for and could not be read; one that
//! is missing was not handed in. Neither is ever the harmless value.

use super::complaints::{Complaints, shown};
use super::json::{Node, Value};
use crate::model::known::{Known, Reason};
use crate::model::text::Foreign;
use crate::model::wave::count;

/// The word that a digest writes where it could not look.
pub(super) const UNREADABLE: &str = "unreadable";

/// One object of the document.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    node: Option<&'a Node>,
    name: &'static str,
}

impl<'a> Fields<'a> {
    pub(super) fn of(node: Option<&'a Node>, name: &'static str) -> Self {
        Self { node, name }
    }

    pub(super) fn raw(&self, key: &str) -> Option<&'a Node> {
        self.node.and_then(|node| node.get(key))
    }

    pub(super) fn object(&self, key: &'static str, wrong: &mut Complaints) -> Fields<'a> {
        let node = self.raw(key).filter(|node| !node.is_null());
        if let Some(node) = node
            && !matches!(node.value, Value::Object(_))
        {
            complain(wrong, node, key, "an object");
            return Fields::of(None, key);
        }
        Fields::of(node, key)
    }

    pub(super) fn is_there(&self) -> bool {
        self.node.is_some()
    }

    pub(super) fn line(&self) -> u32 {
        self.node.map_or(0, |node| node.line)
    }

    /// A field through `read`, which says what it should have been.
    pub(super) fn known<T>(
        &self,
        key: &str,
        wants: &str,
        wrong: &mut Complaints,
        read: impl Fn(&'a Node) -> Option<T>,
    ) -> Known<T> {
        let Some(node) = self.raw(key) else {
            return Known::NotSupplied;
        };
        if node.is_null() || node.text() == Some(UNREADABLE) {
            return Known::Unknown(Reason::new(format!("{}.{key} is unreadable", self.name)));
        }
        match read(node) {
            Some(value) => Known::Is(value),
            None => {
                complain(wrong, node, key, wants);
                Known::Unknown(Reason::new(format!("{}.{key} is no {wants}", self.name)))
            }
        }
    }

    pub(super) fn flag(&self, key: &str, wrong: &mut Complaints) -> Known<bool> {
        self.known(key, "true or false", wrong, |node| match node.value {
            Value::Bool(flag) => Some(flag),
            _ => None,
        })
    }

    /// A flag that counts as `false` when it is not handed in.
    pub(super) fn plain_flag(&self, key: &str, wrong: &mut Complaints) -> bool {
        self.flag(key, wrong).known() == Some(&true)
    }

    pub(super) fn number(&self, key: &str, wrong: &mut Complaints) -> Known<u32> {
        self.known(key, "a whole number", wrong, |node| match &node.value {
            Value::Number(text) => count(text),
            _ => None,
        })
    }

    /// An id: a number, or its digits as a text.
    pub(super) fn id(&self, key: &str, wrong: &mut Complaints) -> Option<u64> {
        let id = self.known(key, "an id", wrong, |node| match &node.value {
            Value::Number(text) | Value::Text(text) => text.parse::<u64>().ok(),
            _ => None,
        });
        id.known().copied()
    }

    pub(super) fn text(&self, key: &str, wrong: &mut Complaints) -> Option<&'a str> {
        let text = self.known(key, "a text", wrong, |node| node.text());
        text.known().copied()
    }

    pub(super) fn foreign(&self, key: &str, wrong: &mut Complaints) -> Option<Foreign> {
        self.text(key, wrong).map(Foreign::from)
    }

    /// One of a few words.
    pub(super) fn word<T: Clone>(
        &self,
        key: &str,
        words: &[(&str, T)],
        wrong: &mut Complaints,
    ) -> Known<T> {
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let wants = format!("one of {}", names.join(", "));
        self.known(key, &wants, wrong, |node| {
            let text = node.text()?;
            let found = words.iter().find(|(word, _)| *word == text)?;
            Some(found.1.clone())
        })
    }

    /// The items of a list; a list that is not there has none.
    pub(super) fn list(&self, key: &'static str, wrong: &mut Complaints) -> Known<Vec<Fields<'a>>> {
        self.known(key, "a list", wrong, |node| match &node.value {
            Value::List(items) => Some(items.iter().map(|i| Fields::of(Some(i), key)).collect()),
            _ => None,
        })
    }

    pub(super) fn texts(&self, key: &str, wrong: &mut Complaints) -> Vec<String> {
        let read = self.known(key, "a list of texts", wrong, |node| match &node.value {
            Value::List(items) => items
                .iter()
                .map(|item| match &item.value {
                    Value::Text(text) | Value::Number(text) => Some(text.clone()),
                    _ => None,
                })
                .collect(),
            _ => None,
        });
        read.known().cloned().unwrap_or_default()
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = (&'a str, &'a Node)> {
        let fields = match self.node.map(|node| &node.value) {
            Some(Value::Object(fields)) => fields.as_slice(),
            _ => &[],
        };
        fields.iter().map(|(key, _, node)| (key.as_str(), node))
    }
}

fn complain(wrong: &mut Complaints, node: &Node, key: &str, wants: &str) {
    let is = match &node.value {
        Value::Text(text) => format!("\"{}\"", shown(text)),
        Value::Number(text) => shown(text),
        _ => node.kind().to_owned(),
    };
    let message = format!("{key} has to be {wants} and is {is}");
    wrong.error(
        "wrong-kind",
        node.line,
        message,
        "write it so, or `unreadable` where nobody could look",
    );
}
