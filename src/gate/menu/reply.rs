//! What a reply means at the gate it was written for (verdict-menus 1.5). Total: every text has
//! exactly one meaning; digits are read only where the gate takes digits.

use super::words::{names, plain, positive};
use crate::model::menu::{
    Answer, Ask, Disposition, GateLine, Message, Opening, Reply, Row, Style, Token,
};

mod composed;
mod contract;
mod lists;
mod sent;

pub use sent::sent;

/// The kind of gate, which decides what a reply can mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// `chase-bug/verdict-menu`.
    Verdict,
    /// A draft waits for `send it`.
    Draft,
    /// More fix rounds are asked for.
    FixRounds,
    /// The menus of gatekeep.
    Gatekeep,
    /// Labelled rows: the spec gate.
    Labelled,
    /// Another message with rows or a question.
    Other,
    /// The run is over.
    Done,
}

impl Scope {
    /// The scope of a message, from its marker, else from its rows and words.
    #[must_use]
    pub fn of(message: &Message) -> Self {
        match &message.opening {
            Opening::Done(_) => return Self::Done,
            Opening::Gate(gate) if gate.name() == super::VERDICT_MENU => return Self::Verdict,
            Opening::Gate(gate) if gate.name() == super::FIX_ROUNDS => return Self::FixRounds,
            Opening::Gate(gate) if gate.skill.starts_with("gatekeep") => return Self::Gatekeep,
            Opening::Gate(_) | Opening::Malformed(_) | Opening::Plain => {}
        }
        if message.asks.contains(&Ask::SendIt) {
            return Self::Draft;
        }
        match (message.style, message.gate()) {
            (Some(Style::Verb), None) => Self::Gatekeep,
            (Some(Style::Labelled), _) => Self::Labelled,
            _ => Self::Other,
        }
    }
}

/// What a reply is bound to: it may not reach another gate, message or head.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Binding {
    /// The gate's name, `SKILL/MENU`.
    pub gate: Option<String>,
    /// The digest of the message, or its first hex digits (8 or more).
    pub digest: Option<String>,
    /// The head that the message was about, or its first hex digits (7 or more).
    pub head: Option<String>,
}

impl Binding {
    /// Why a reply bound to this must not be sent to `message` at `head`; `None` when it may.
    ///
    /// A head that was bound and cannot be looked at refuses.
    #[must_use]
    pub fn refusal(&self, message: &Message, head: Option<&str>) -> Option<String> {
        if let Some(gate) = &self.gate {
            let own = message.gate().map(GateLine::name);
            if own.as_deref() != Some(gate) {
                let own = own.unwrap_or_else(|| "no marker".to_owned());
                return Some(format!("the reply is for another gate, this one is {own}"));
            }
        }
        if let Some(digest) = &self.digest {
            let own = message.digest.to_string();
            if !begins(&own, digest, 8) {
                let short = message.digest.short();
                return Some(format!("the message is another one now, {short}"));
            }
        }
        let bound = self.head.as_ref()?;
        match head {
            Some(head) if begins(head, bound, 7) => None,
            Some(head) => {
                let short = head.get(..7).unwrap_or(head);
                Some(format!("the head moved, it is {short} now"))
            }
            None => Some("the head could not be read".to_owned()),
        }
    }

    /// What is wrong with the words of a binding, before anything is compared.
    #[must_use]
    pub fn complaints(&self) -> Vec<&'static str> {
        let hex = |text: &String, least: usize, most: usize| {
            (least..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
        };
        let mut all = Vec::new();
        if self.digest.as_ref().is_some_and(|d| !hex(d, 8, 64)) {
            all.push("a digest is 8 to 64 hex digits");
        }
        if self.head.as_ref().is_some_and(|h| !hex(h, 7, 40)) {
            all.push("a head is 7 to 40 hex digits");
        }
        all
    }
}

fn begins(whole: &str, start: &str, least: usize) -> bool {
    start.len() >= least && whole.starts_with(&start.to_ascii_lowercase())
}

/// Reads a reply.
#[must_use]
pub fn reply(message: &Message, text: &str) -> Reply {
    let bare = text.trim();
    if bare.is_empty() {
        return Reply::Empty;
    }
    let scope = Scope::of(message);
    if scope == Scope::Done {
        return invalid("the run is over, nothing waits for a reply");
    }
    let ask = Reading {
        message,
        scope,
        bare,
    };
    ask.token()
        .or_else(|| ask.number())
        .or_else(|| ask.label())
        .or_else(|| ask.as_pr())
        .or_else(|| ask.answer())
        .or_else(|| lists::overrides(&ask))
        .or_else(|| lists::ids(&ask))
        .or_else(|| composed::read(&ask))
        .unwrap_or_else(|| ask.prose())
}

/// A reply that is none.
fn invalid(why: impl Into<String>) -> Reply {
    Reply::Invalid {
        why: why.into(),
        kept: Vec::new(),
    }
}

/// A reply on its way to a meaning.
struct Reading<'a> {
    message: &'a Message,
    scope: Scope,
    bare: &'a str,
}

impl Reading<'_> {
    fn asks(&self, ask: Ask) -> bool {
        self.message.asks.contains(&ask)
    }

    /// Whether a word stands in the message.
    fn named(&self, word: &str) -> bool {
        names(&String::from_utf8_lossy(self.message.text.raw()), word)
    }

    /// The fixed forms. One that belongs to another gate is refused, never passed on as words.
    fn token(&self) -> Option<Reply> {
        if self.bare == "send it" {
            return Some(if self.scope == Scope::Draft {
                Reply::Token(Token::SendIt)
            } else {
                invalid("no draft waits here, so there is nothing to send")
            });
        }
        if self.scope == Scope::Draft {
            return Some(Reply::ChangeRequest(
                "everything but the exact words `send it` changes the draft",
            ));
        }
        if self.bare == "discard" && self.message.rows.iter().all(|row| !is(row, "discard")) {
            return Some(if self.asks(Ask::Discard) {
                Reply::Token(Token::Discard)
            } else {
                invalid("nothing here asks for `discard`")
            });
        }
        if let Some(fix) = self.bare.strip_prefix("revert conformance fix ") {
            let id = fix.strip_prefix('G').and_then(positive);
            return Some(match id {
                Some(n) if self.asks(Ask::Revert) && self.named(&format!("G{n}")) => {
                    Reply::Token(Token::Revert(format!("G{n}")))
                }
                Some(_) if self.asks(Ask::Revert) => invalid("the message names no such fix"),
                Some(_) => invalid("no conformance fix can be reverted here"),
                None => return None,
            });
        }
        self.check().or_else(|| contract::abandoned(self))
    }

    /// `check NAME WORD`.
    fn check(&self) -> Option<Reply> {
        let rest = self.bare.strip_prefix("check ")?;
        let (name, word) = rest.rsplit_once(' ')?;
        let disposition = Disposition::parse(word)?;
        let name = name.trim();
        Some(if self.scope != Scope::Gatekeep {
            invalid("this gate disposes of no checks")
        } else if !self.named(name) {
            invalid("the message names no such check")
        } else {
            Reply::Token(Token::Check {
                name: name.to_owned(),
                disposition,
            })
        })
    }

    /// A bare number, in any way it is written.
    fn number(&self) -> Option<Reply> {
        let digits = bare_number(self.bare)?;
        Some(match positive(&digits) {
            Some(n) => self.numbered(n),
            None => invalid("a row is a number from 1, without a sign or a leading zero"),
        })
    }

    fn numbered(&self, n: u32) -> Reply {
        if self.scope == Scope::FixRounds && self.message.rows.is_empty() {
            return invalid("say in words how many rounds more, for example `2 more rounds`");
        }
        let rows = &self.message.rows;
        match rows.iter().filter(|row| row.n == n).count() {
            0 if rows.is_empty() => invalid("the message has no rows to pick from"),
            0 => invalid(format!("there is no row {n}, they are {}", span(rows))),
            1 => self.picked(n, false),
            _ => invalid(format!("two rows have the number {n}")),
        }
    }

    /// The row of that number, which is there once.
    fn picked(&self, n: u32, as_pr: bool) -> Reply {
        if self.asks(Ask::Overrides(n)) {
            return invalid(format!(
                "a bare {n} means nothing here; write `{n}: handle=choice`"
            ));
        }
        match self.message.row(n) {
            Some(row) if row.unavailable.is_some() => Reply::ChangeRequest(
                "that row says that it cannot be picked: a change request, not a pick",
            ),
            Some(_) => Reply::Pick { n, as_pr },
            None => invalid(format!("there is no row {n}")),
        }
    }

    /// The words of one row alone.
    fn label(&self) -> Option<Reply> {
        let n = self.labelled(self.bare)?;
        Some(match n {
            Ok(n) => self.picked(n, false),
            Err(()) => invalid("two rows have these words, type the number"),
        })
    }

    fn labelled(&self, text: &str) -> Option<Result<u32, ()>> {
        let mut rows = self.message.rows.iter().filter(|row| is(row, text));
        let first = rows.next()?;
        Some(if rows.next().is_some() {
            Err(())
        } else {
            Ok(first.n)
        })
    }

    /// A number or label with `as a PR` behind it.
    fn as_pr(&self) -> Option<Reply> {
        if self.scope != Scope::Verdict {
            return None;
        }
        let text = self.bare.strip_suffix('.').unwrap_or(self.bare);
        let at = text.len().checked_sub("as a pr".len())?;
        let suffix = text.get(at..)?;
        if !suffix.eq_ignore_ascii_case("as a pr") {
            return None;
        }
        let before = text.get(..at)?;
        let word = before.trim_end();
        let word = word.strip_suffix(',').unwrap_or(word).trim_end();
        if word.is_empty() || word.len() == before.len() {
            return None;
        }
        let n = match bare_number(word) {
            Some(digits) => positive(&digits)?,
            None => self.labelled(word)?.ok()?,
        };
        let hotfix = self.message.rows.iter().find(|row| is(row, super::HOTFIX));
        Some(match hotfix {
            Some(row) if row.n == n => self.picked(n, true),
            Some(row) => invalid(format!("`as a PR` goes with the hotfix row, {}", row.n)),
            None => invalid("`as a PR` goes with the hotfix row, which is not offered"),
        })
    }

    /// What the message asked for in words.
    fn answer(&self) -> Option<Reply> {
        let forms = [
            ("verification command:", Ask::Command),
            ("spec:", Ask::Spec),
        ];
        for (form, ask) in forms {
            let Some(rest) = self.bare.strip_prefix(form) else {
                continue;
            };
            let rest = rest.trim().to_owned();
            return Some(if !self.asks(ask) {
                invalid(format!("nothing here asks for `{form}`"))
            } else if rest.is_empty() {
                invalid(format!("`{form}` needs its value behind it"))
            } else if ask == Ask::Command {
                Reply::Answer(Answer::Command(rest))
            } else {
                Reply::Answer(Answer::Spec(rest))
            });
        }
        if let Some(read) = contract::decided(self) {
            return Some(read);
        }
        if self.asks(Ask::Yes) {
            let yes = matches!(plain(self.bare).as_str(), "yes" | "y");
            return Some(Reply::Answer(if yes { Answer::Yes } else { Answer::No }));
        }
        if self.scope == Scope::FixRounds {
            return rounds(self.bare);
        }
        None
    }

    /// Words for the agent.
    fn prose(&self) -> Reply {
        let first = self.bare.split_whitespace().next().unwrap_or_default();
        let opens = bare_number(first.trim_end_matches([',', ';', ':', '-'])).is_some();
        Reply::ChangeRequest(if opens && !self.message.rows.is_empty() {
            "a number with words beside it changes the request, it picks nothing"
        } else if self.scope == Scope::Verdict {
            "words overrule the verdict, they pick nothing"
        } else {
            "words are a change request, they pick nothing"
        })
    }
}

/// Whether a row has these words as its label.
fn is(row: &Row, label: &str) -> bool {
    plain(&String::from_utf8_lossy(row.label.raw())) == plain(label)
}

/// `1 to 4`, or the numbers there are.
fn span(rows: &[Row]) -> String {
    let all: Vec<String> = rows.iter().map(|row| row.n.to_string()).collect();
    match all.as_slice() {
        [] => "none".to_owned(),
        [only] => format!("only {only}"),
        [first, .., last] if rows.iter().zip(1..).all(|(row, n)| row.n == n) => {
            format!("{first} to {last}")
        }
        _ => all.join(", "),
    }
}

/// The digits of a text that is a number and nothing else: blanks around it, a `.` or `)` behind
/// it, digits of full width.
fn bare_number(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_suffix(['.', ')']).unwrap_or(text).trim_end();
    let digit = |c: char| match u32::from(c) {
        0x30..=0x39 => Some(c),
        code @ 0xff10..=0xff19 => char::from_u32(code - 0xff10 + 0x30),
        _ => None,
    };
    let digits: Option<String> = text.chars().map(digit).collect();
    digits.filter(|d| !d.is_empty())
}

/// Words that say no; with one of them nothing is granted.
const DENIES: [&str; 12] = [
    "no", "not", "don't", "dont", "never", "stop", "without", "deny", "refuse", "decline",
    "instead", "unless",
];
/// Small numbers in words.
const NUMBERS: [(&str, u32); 10] = [
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
];

/// `N more rounds` somewhere in a text that does not say no and asks nothing.
fn rounds(text: &str) -> Option<Reply> {
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || "'-.".contains(c)))
        .map(|word| word.trim_matches('.'))
        .filter(|word| !word.is_empty())
        .collect();
    let counts: Vec<Option<u32>> = words
        .iter()
        .enumerate()
        .filter(|(_, word)| matches!(**word, "round" | "rounds"))
        .map(|(at, _)| {
            let before = words.get(..at).unwrap_or_default().iter().rev();
            let number = before.copied().find(|word| {
                !matches!(*word, "more" | "extra" | "further" | "fix" | "additional")
            })?;
            let named = NUMBERS.iter().find(|(name, _)| *name == number);
            named.map(|(_, n)| *n).or_else(|| positive(number))
        })
        .collect();
    let denied = words.iter().any(|word| DENIES.contains(word)) || text.trim_end().ends_with('?');
    let refused = "say one number of rounds, from 1, for example `2 more rounds`";
    match counts.as_slice() {
        [] => None,
        _ if denied => None,
        [Some(rounds)] => Some(Reply::Answer(Answer::Rounds {
            rounds: *rounds,
            words: text.to_owned(),
        })),
        _ => Some(invalid(refused)),
    }
}
