//! Working through the queue of spec verdicts at a terminal: open one, then ratify it or send it
//! back. Nothing is decided before it was opened, nothing when its bytes moved since, and nothing
//! without the person's own words at the controlling terminal.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, Write as _};
use std::path::PathBuf;

use super::acts::{self, CAUSES, Opened, Plan};
use super::print;
use super::queue::{Asserted, gather};
use crate::adapters::trust::Consent;
use crate::adapters::who;
use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::ruling::Principal;
use crate::runtime::lines;

/// The desk: what waits, and what was opened.
struct Desk {
    items: Vec<Asserted>,
    /// What was opened, by place and gate.
    opened: BTreeMap<(PathBuf, RepoPath, &'static str), Opened>,
    judge: Option<PathBuf>,
    who: Known<Principal>,
    dirs: Vec<PathBuf>,
    gate: Option<String>,
}

/// Works through the queue, when both ends are the person's terminal; else it only says so.
pub(in crate::cli) fn sit(
    items: Vec<Asserted>,
    dirs: &[PathBuf],
    gate: Option<&str>,
    name: Option<&str>,
) {
    if items.is_empty() {
        return;
    }
    if Consent::at_terminal(&[&io::stdin(), &io::stdout()]).is_err() {
        print(&[String::from(
            "ratifying needs a person: run this on a terminal",
        )]);
        return;
    }
    let mut desk = Desk {
        items,
        opened: BTreeMap::new(),
        judge: None,
        who: who::find(name),
        dirs: dirs.to_vec(),
        gate: gate.map(str::to_owned),
    };
    desk.help();
    while let Some(line) = typed("queue> ") {
        if !desk.act(line.trim()) {
            break;
        }
    }
}

/// A line that the person typed; none at the end of the input.
pub(super) fn typed(prompt: &str) -> Option<String> {
    let mut out = lines::stdout();
    let _ = write!(out, "{prompt}");
    let _ = out.flush();
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line.trim_end_matches(['\r', '\n']).to_owned()),
    }
}

pub(super) fn say(text: impl Into<String>) {
    print(&[text.into()]);
}

impl Desk {
    fn help(&self) {
        let by = match &self.who {
            Known::Is(person) => format!("you decide as {}", person.name()),
            Known::Unknown(why) => format!("nothing can be decided: {why}"),
            Known::NotApplicable(_) | Known::NotSupplied => String::from("nothing can be decided"),
        };
        print(&[
            by,
            String::from(
                "o N opens, r N ratifies, b N sends back, j FILE names the judge report of what",
            ),
            String::from("is opened next, s lists, q leaves"),
        ]);
    }

    fn act(&mut self, line: &str) -> bool {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "q" => return false,
            "" => {}
            "s" => self.list(),
            "j" => {
                self.judge = (!rest.is_empty()).then(|| PathBuf::from(rest));
                say("the report is read when an item is opened");
            }
            "o" | "r" | "b" => {
                let at = rest.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
                match at.filter(|at| *at < self.items.len()) {
                    None => say(format!(
                        "name an item by its number, 1 to {}",
                        self.items.len()
                    )),
                    Some(at) => match word {
                        "o" => self.open(at),
                        "r" => self.ratify(at),
                        _ => self.send_back(at),
                    },
                }
            }
            _ => self.help(),
        }
        true
    }

    fn list(&mut self) {
        self.items = gather(&self.dirs).0;
        let gate = self.gate.as_deref();
        self.items
            .retain(|item| gate.is_none_or(|gate| gate == item.waits.gate));
        super::queue::sort(&mut self.items);
        let lines: Vec<String> = self
            .items
            .iter()
            .enumerate()
            .map(|(at, item)| format!("{:>2}  {}", at + 1, item.line()))
            .collect();
        if lines.is_empty() {
            say("nothing waits");
        } else {
            print(&lines);
        }
    }

    fn key(&self, at: usize) -> Option<(PathBuf, RepoPath, &'static str)> {
        let item = self.items.get(at)?;
        Some((item.top.clone(), item.root.dir.clone(), item.waits.gate))
    }

    fn open(&mut self, at: usize) {
        let (Some(item), Some(key)) = (self.items.get(at), self.key(at)) else {
            return;
        };
        match acts::open(item, self.judge.as_deref()) {
            Err(why) => say(why),
            Ok(opened) => {
                print(&opened.lines);
                self.opened.insert(key, opened);
            }
        }
    }

    /// What was opened.
    fn shown(&self, at: usize) -> Result<(&Asserted, &Opened), String> {
        let item = self.items.get(at).ok_or("there is no such item")?;
        let key = self.key(at).ok_or("there is no such item")?;
        let opened = self.opened.get(&key).ok_or("locked: it was not opened")?;
        Ok((item, opened))
    }

    fn person(&self) -> Result<&Principal, String> {
        match &self.who {
            Known::Is(person) => Ok(person),
            Known::Unknown(why) => Err(format!("refused: {why}")),
            Known::NotApplicable(_) | Known::NotSupplied => {
                Err(String::from("refused: nobody is known"))
            }
        }
    }

    fn ratify(&mut self, at: usize) {
        match self.ratified(at) {
            Ok(()) => {
                if let Some(key) = self.key(at) {
                    self.opened.remove(&key);
                }
                self.list();
            }
            Err(why) => say(why),
        }
    }

    fn ratified(&self, at: usize) -> Result<(), String> {
        let (item, opened) = self.shown(at)?;
        let person = self.person()?.name();
        let plan = acts::ratify(item, opened, person)?;
        written(item, opened, &plan, person)
    }

    fn send_back(&mut self, at: usize) {
        match self.sent_back(at) {
            Ok(()) => self.list(),
            Err(why) => say(why),
        }
    }

    fn sent_back(&self, at: usize) -> Result<(), String> {
        let (item, opened) = self.shown(at)?;
        let person = self.person()?.name();
        // what moved is said before words are asked for
        acts::unmoved(item, opened)?;
        let (cause, why) = cause_and_words()?;
        let plan = acts::send_back(item, opened, person, (cause, &why))?;
        written(item, opened, &plan, person)
    }
}

/// Shows a plan, asks for its challenge, writes it.
fn written(item: &Asserted, opened: &Opened, plan: &Plan, by: &str) -> Result<(), String> {
    print(&plan.lines);
    challenged(&plan.typed, by)?;
    print(&acts::write_plan(item, opened, plan)?);
    Ok(())
}

/// Asks for the challenge.
pub(super) fn challenged(wanted: &str, by: &str) -> Result<(), String> {
    let answer = typed(&format!(
        "type {wanted} to record it as {by}, or Enter to leave it> "
    ));
    if answer.as_deref().map(str::trim) == Some(wanted) {
        Ok(())
    } else {
        Err(String::from("left as it is"))
    }
}

/// Asks for one of the four causes of a correction and for its words.
pub(super) fn cause_and_words() -> Result<(&'static str, String), String> {
    for (number, (word, means)) in CAUSES.iter().enumerate() {
        say(format!("{}  {word}: {means}", number + 1));
    }
    let cause = typed("cause (1 to 4)> ").and_then(|n| n.trim().parse::<usize>().ok());
    let cause = cause
        .and_then(|n| CAUSES.get(n.checked_sub(1)?))
        .ok_or("left as it is: no cause")?;
    let why = typed("what has to change> ").unwrap_or_default();
    if why.trim().is_empty() {
        return Err(String::from("left as it is: it needs its words"));
    }
    Ok((cause.0, why.trim().to_owned()))
}
