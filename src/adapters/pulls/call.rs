//! One question to a forge and its answer, however it travels.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The shortest wait when a forge asks for one and does not say how long (FRG-5).
pub const WAIT: u64 = 60;

/// How it is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Only reads.
    Get,
    /// Sends a body. A query of GraphQL reads; everything else writes.
    Post,
}

impl Method {
    /// The word of the protocol.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// What a forge answered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body as it came.
    pub body: Vec<u8>,
    /// Why the body is not all of it.
    pub cut: Option<&'static str>,
}

impl Answer {
    /// A header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Whether the status is one of success.
    #[must_use]
    pub fn good(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// What we need of the body; everything else in it may be as odd as it likes (FRG-3).
    #[must_use]
    pub fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_slice(&self.body).ok()
    }

    /// Whether the list goes on after this page, by its headers.
    #[must_use]
    pub fn more(&self) -> bool {
        let link = self
            .header("link")
            .map(|link| link.contains("rel=\"next\""));
        let page = self
            .header("x-next-page")
            .map(|next| !next.trim().is_empty());
        link.or(page).unwrap_or(false)
    }

    /// How many seconds the forge wants to be left alone; `None` when it does not (FRG-5).
    ///
    /// Only an answer of refusal asks for it: `retry-after` in seconds, else the time at which
    /// the quota that is used up begins again, else a minute.
    #[must_use]
    pub fn wait(&self) -> Option<u64> {
        let number = |name: &str| self.header(name).and_then(|n| n.trim().parse::<u64>().ok());
        let used_up = ["x-ratelimit-remaining", "ratelimit-remaining"]
            .into_iter()
            .any(|name| number(name) == Some(0));
        let after = number("retry-after");
        let limited = self.status == 429
            || (matches!(self.status, 403 | 503) && (used_up || after.is_some()))
            || (self.good() && used_up && self.names_a_limit());
        if !limited {
            return None;
        }
        let reset = number("x-ratelimit-reset")
            .or_else(|| number("ratelimit-reset"))
            .filter(|_| used_up)
            .and_then(|at| at.checked_sub(now()));
        Some(after.or(reset).unwrap_or(WAIT).max(1))
    }

    /// Whether an answer of GraphQL is the refusal of a used up quota, which has status 200.
    fn names_a_limit(&self) -> bool {
        let limited = |error: &Fault| error.kind.as_deref() == Some("RATE_LIMITED");
        self.read::<Faults>()
            .is_some_and(|body| body.errors.iter().any(limited))
    }
}

#[derive(Deserialize)]
struct Faults {
    #[serde(default)]
    errors: Vec<Fault>,
}

#[derive(Deserialize)]
struct Fault {
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// Seconds since 1970; only for how long to wait.
pub(super) fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoReply {
    /// The client is not installed.
    #[error("{0} is not installed")]
    NoProgram(&'static str),
    /// The client has no account for this host.
    #[error("{0} is not logged in to {1}")]
    NoAccount(&'static str, String),
    /// It failed otherwise; its words, fit to be shown.
    #[error("{0} could not ask {1}: {2}")]
    Failed(&'static str, String, String),
    /// No answer in time.
    #[error("{0} did not answer in {1} s")]
    Silent(String, u64),
    /// The forge asked to be left alone, and the time is not over.
    #[error("it wants to be asked again in {0} s at the earliest")]
    Wait(u64),
}

impl NoReply {
    /// What helps.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NoProgram(program) => {
                format!("install {program}, or hand the threads in as files: `--threads FILE`")
            }
            Self::NoAccount(program, host) => {
                format!("run `{program} auth login --hostname {host}` yourself")
            }
            Self::Failed(..) | Self::Silent(..) | Self::Wait(_) => {
                "try again later, or use --offline to go on with what was read before".to_owned()
            }
        }
    }
}

/// A line to one forge. Questions are asked one after another, never side by side (FRG-5).
pub trait Line {
    /// Asks one question.
    ///
    /// # Errors
    /// Why there is no answer at all; a refusal of the forge is an answer.
    fn call(&mut self, method: Method, path: &str, body: Option<&Value>)
    -> Result<Answer, NoReply>;

    /// Reads.
    ///
    /// # Errors
    /// As [`Line::call`].
    fn get(&mut self, path: &str) -> Result<Answer, NoReply> {
        self.call(Method::Get, path, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&str, String)], body: &str) -> Answer {
        Answer {
            status,
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
            body: body.as_bytes().to_vec(),
            cut: None,
        }
    }

    /// Status, headers, body, and the wait in seconds.
    type Row<'a> = (
        u16,
        Vec<(&'a str, String)>,
        &'a str,
        Option<std::ops::RangeInclusive<u64>>,
    );

    #[test]
    fn a_forge_is_left_alone_for_as_long_as_it_says() {
        let zero = || ("x-ratelimit-remaining", "0".to_owned());
        let soon = || ("x-ratelimit-reset", (now() + 500).to_string());
        let limited = r#"{"errors":[{"type":"RATE_LIMITED"}]}"#;
        let rows: [Row<'_>; 10] = [
            (200, vec![], "{}", None),
            (200, vec![zero(), soon()], "{}", None),
            (200, vec![zero(), soon()], limited, Some(490..=500)),
            (403, vec![], "{}", None),
            (403, vec![zero(), soon()], "{}", Some(490..=500)),
            (403, vec![zero()], "{}", Some(60..=60)),
            (
                403,
                vec![("retry-after", "7".to_owned())],
                "{}",
                Some(7..=7),
            ),
            (429, vec![], "{}", Some(60..=60)),
            (
                429,
                vec![("retry-after", "soon".to_owned())],
                "{}",
                Some(60..=60),
            ),
            (404, vec![zero()], "{}", None),
        ];
        for (status, headers, body, wanted) in rows {
            let got = answer(status, &headers, body).wait();
            match wanted {
                None => assert_eq!(got, None, "{status} {headers:?}"),
                Some(range) => assert!(
                    got.is_some_and(|got| range.contains(&got)),
                    "{status} {headers:?}: {got:?}"
                ),
            }
        }
    }
}
