//! What a typed line means. A decision names its item; anything else is said to be unknown,
//! never guessed.

/// One line, understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// The next owed item.
    Next,
    /// The previous owed item.
    Back,
    /// All items.
    List,
    /// The verdict and why.
    Verdict,
    /// The commands.
    Help,
    /// Leave.
    Quit,
    /// Show an item again.
    Show(String),
    /// Affirm the item of this name.
    Affirm(String),
    /// Send it back.
    SendBack(String),
    /// Set it aside.
    SetAside(String),
    /// Escalate it.
    Escalate(String),
    /// It does not apply.
    NotApplicable(String),
    /// Let it pass against the evidence.
    Override(String),
    /// Run its oracle, or ask for trust first.
    Run(String),
    /// Run its oracle on base.
    RunBase(String),
    /// Stop its run.
    Stop(String),
    /// Trust its oracle, after the whole command was shown.
    Trust(String),
    /// Read the change, as far as the item is concerned.
    Diff(String),
    /// Read the whole output of its last run.
    Output(String),
    /// Pick a candidate of evidence: the item, and the number.
    Pick(String, Option<usize>),
    /// Take one of several files as the contract: its number.
    Contract(Option<usize>),
    /// Formats that the contract could be read as, or the number of one.
    Format(Option<usize>),
    /// Edits that signing could write, or the switch of one: its number.
    Writes(Option<usize>),
    /// Decisions of an earlier head: shown, or the named ones carried over.
    Carry(Option<String>),
    /// Take back the last decision.
    Undo,
    /// Sign.
    Sign,
    /// Read everything again.
    Reread,
    /// Nothing was typed.
    Empty,
    /// None of these: the first word.
    Unknown(String),
    /// A command that names its item, without a name: the command.
    Nameless(&'static str),
}

/// The commands, for `h`: what to type, and what it does.
pub const HELP: [(&str, &str); 26] = [
    ("n", "the next thing you owe; N the one before"),
    ("l", "the list of everything"),
    ("ID", "the item of that name again"),
    ("r ID", "affirm it: ratify, judge as at base, accept"),
    ("b ID", "send it back to the agent, with your words"),
    (
        "a ID",
        "set it aside with a reason: this is not an approval",
    ),
    ("e ID", "escalate it"),
    ("na ID", "it does not apply, with a reason"),
    ("over ID", "let it pass against the evidence, with a reason"),
    (
        "p ID [N]",
        "candidates of evidence, or pick the Nth; of a message, row N",
    ),
    (
        "d ID",
        "read the change as far as it belongs to the item; of a message, the lint",
    ),
    (
        "o ID",
        "read the whole output of its last run; of a message, all of it",
    ),
    (
        "x ID",
        "run its oracle; the first time, read it and trust it",
    ),
    (
        "trust ID",
        "trust the command that was just shown, and run it",
    ),
    (
        "base ID",
        "run the same on base, where it ought to be red; never evidence",
    ),
    ("stop ID", "stop its run"),
    ("c [N]", "files that could be the contract, or take the Nth"),
    ("f [N]", "formats to read the contract as, or take the Nth"),
    (
        "w [N]",
        "edits of the contract that signing could write, or switch the Nth",
    ),
    (
        "carry",
        "decisions of an earlier head that can be taken over; then carry all, or carry ID ID",
    ),
    ("u", "take back the last decision"),
    ("v", "the verdict, and why"),
    ("S", "sign"),
    ("F5", "read everything again"),
    ("q", "leave"),
    ("h", "these lines"),
];

/// Understands one line.
#[must_use]
pub fn understand(line: &str) -> Line {
    let line = line.trim();
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let name = rest.trim().to_owned();
    let named = |make: fn(String) -> Line, word: &'static str| {
        if name.is_empty() {
            Line::Nameless(word)
        } else {
            make(name.clone())
        }
    };
    match (word, name.is_empty()) {
        ("", _) => Line::Empty,
        ("n", true) => Line::Next,
        ("N", true) => Line::Back,
        ("l", true) => Line::List,
        ("v", true) => Line::Verdict,
        ("h" | "?" | "help", true) => Line::Help,
        ("q", true) => Line::Quit,
        ("u", true) => Line::Undo,
        ("S", true) => Line::Sign,
        ("F5" | "R", true) => Line::Reread,
        ("r", _) => named(Line::Affirm, "r"),
        ("b", _) => named(Line::SendBack, "b"),
        ("a", _) => named(Line::SetAside, "a"),
        ("e", _) => named(Line::Escalate, "e"),
        ("na", _) => named(Line::NotApplicable, "na"),
        ("over", _) => named(Line::Override, "over"),
        ("x", _) => named(Line::Run, "x"),
        ("base", _) => named(Line::RunBase, "base"),
        ("stop", _) => named(Line::Stop, "stop"),
        ("trust", _) => named(Line::Trust, "trust"),
        ("d", _) => named(Line::Diff, "d"),
        ("o", _) => named(Line::Output, "o"),
        ("c", true) => Line::Contract(None),
        ("c", false) if name.parse::<usize>().is_ok() => Line::Contract(name.parse().ok()),
        ("f", true) => Line::Format(None),
        ("f", false) if name.parse::<usize>().is_ok() => Line::Format(name.parse().ok()),
        ("w", true) => Line::Writes(None),
        ("w", false) if name.parse::<usize>().is_ok() => Line::Writes(name.parse().ok()),
        ("carry", true) => Line::Carry(None),
        ("carry", false) => Line::Carry(Some(name)),
        ("p", true) => Line::Nameless("p"),
        ("p", false) => pick(&name),
        (_, true) => Line::Show(word.to_owned()),
        _ => Line::Unknown(word.to_owned()),
    }
}

fn pick(rest: &str) -> Line {
    if let Some((name, number)) = rest.rsplit_once(' ')
        && let Ok(number) = number.parse()
    {
        return Line::Pick(name.trim().to_owned(), Some(number));
    }
    Line::Pick(rest.to_owned(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_without_its_item_is_none() {
        for word in ["r", "b", "a", "x", "base", "trust", "e", "na", "over", "p"] {
            assert_eq!(understand(word), Line::Nameless(word), "{word}");
        }
    }

    #[test]
    fn lines_are_understood_or_said_to_be_unknown() {
        let rows = [
            ("n", Line::Next),
            (" r 2 ", Line::Affirm("2".into())),
            ("b deploy.yml", Line::SendBack("deploy.yml".into())),
            ("p 3", Line::Pick("3".into(), None)),
            ("p 3 1", Line::Pick("3".into(), Some(1))),
            ("2", Line::Show("2".into())),
            ("c", Line::Contract(None)),
            ("carry", Line::Carry(None)),
            ("carry 1 3", Line::Carry(Some("1 3".into()))),
            ("c 2", Line::Contract(Some(2))),
            ("f", Line::Format(None)),
            ("f 3", Line::Format(Some(3))),
            ("c x", Line::Unknown("c".into())),
            ("w", Line::Writes(None)),
            ("w 2", Line::Writes(Some(2))),
            ("w x", Line::Unknown("w".into())),
            ("", Line::Empty),
            ("n 2", Line::Unknown("n".into())),
            ("ratify 2", Line::Unknown("ratify".into())),
            ("S", Line::Sign),
            ("s", Line::Show("s".into())),
        ];
        for (typed, wanted) in rows {
            assert_eq!(understand(typed), wanted, "{typed:?}");
        }
    }
}
