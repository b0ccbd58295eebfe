//! Everything that was exchanged with a forge about one request, answer by answer, in the form
//! that [`crate::adapters::forge`] reads.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::call::Answer;
use crate::model::forge::Kind;

/// Headers that are kept: those that say how a list goes on, and of what kind a body is.
const KEPT: [&str; 5] = [
    "link",
    "x-next-page",
    "x-total",
    "x-total-count",
    "content-type",
];

/// A recording that grows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recording {
    text: String,
    answers: usize,
    /// Why it was not asked to the end; `None` when it was.
    pub stopped: Option<Stopped>,
}

/// Why the asking stopped before its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// The forge asked to be left alone for so many seconds.
    Wait(u64),
    /// There was no answer; why, fit to be shown.
    Silent(String),
    /// What came is as much as a file may have.
    Full,
}

impl Stopped {
    /// As a fragment.
    #[must_use]
    pub fn says(&self) -> String {
        match self {
            Self::Wait(seconds) => {
                format!("the forge wants to be asked again in {seconds} s at the earliest")
            }
            Self::Silent(why) => why.clone(),
            Self::Full => "the answers are longer than what is read".to_owned(),
        }
    }
}

impl Recording {
    /// An empty one.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self {
            text: format!("{{\"recorded\":\"{}\",\"responses\":[", kind.word()),
            answers: 0,
            stopped: None,
        }
    }

    /// Takes an answer to a question that reads; says whether its body is whole JSON.
    pub fn take(&mut self, path: &str, answer: &Answer) -> bool {
        self.take_as(&format!("GET /{path}"), answer)
    }

    /// The same with the request named whole.
    pub fn take_as(&mut self, request: &str, answer: &Answer) -> bool {
        let text = std::str::from_utf8(&answer.body).ok();
        // only the brackets count here: one odd string must not take a page with it (FRG-3)
        let json = |text: &&str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        let body = text.filter(|_| answer.cut.is_none()).filter(json);
        let kept = answer
            .headers
            .iter()
            .filter(|(name, _)| KEPT.contains(&name.as_str()));
        let mut headers: serde_json::Map<String, Value> = kept
            .map(|(name, text)| (name.clone(), Value::from(text.as_str())))
            .collect();
        if body.is_none() {
            // what is no whole JSON says so, whatever its header claims (FRG-2)
            headers.insert("content-type".into(), "application/octet-stream".into());
        }
        if self.answers > 0 {
            self.text.push(',');
        }
        self.answers += 1;
        let _ = write!(
            self.text,
            "\n{{\"request\":{},\"status\":{},\"headers\":{},\"body\":",
            json!(request),
            answer.status,
            Value::Object(headers),
        );
        // as it came: a number that is too long for us stays what it is
        self.text.push_str(body.map_or("null", str::trim));
        self.text.push('}');
        body.is_some()
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.text.len() as u64
    }

    /// The file.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}\n]}}\n", self.text)
    }
}
