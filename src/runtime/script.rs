//! Key scripts: what `demo --script FILE` plays into a session.
//!
//! One step a line: the name of a key (`n`, `Enter`, `Ctrl-s`), or `"text"` to type, or one of
//!
//! - the id of a command (`kick-back`) - press its key, as the keymap has it
//! - `size 100x30` - the size of the screen from here on
//! - `wait WORDS` - go on when the words stand on the screen (at most a minute)
//! - `rest MS` - so many milliseconds pass before the next step, without waiting for them
//! - `screen` - print the screen
//!
//! `#` begins a comment line. Before each key the last frame stood for 400 ms by the session's
//! clock. It plays into the built-in sample only: no script decides anything real.

use crate::app::command::Command;
use crate::app::key::Key;

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Press a key.
    Press(Key),
    /// Press the key of a command.
    Do(Command),
    /// Type characters, one key each.
    Type(String),
    /// Change the size.
    Size(u16, u16),
    /// Wait for words on the screen.
    Wait(String),
    /// Let time pass.
    Rest(u64),
    /// Print the screen.
    Screen,
}

/// A line that is no step: its number and what is wrong.
pub type Complaint = (u32, String);

/// Reads a script whole.
///
/// # Errors
/// Every line that is no step.
pub fn parse(text: &str) -> Result<Vec<Step>, Vec<Complaint>> {
    let mut steps = Vec::new();
    let mut complaints = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || (line.starts_with('#') && line.len() > 1) {
            continue;
        }
        match step(line) {
            Ok(step) => steps.push(step),
            Err(why) => complaints.push((number, why)),
        }
    }
    if complaints.is_empty() {
        Ok(steps)
    } else {
        Err(complaints)
    }
}

fn step(line: &str) -> Result<Step, String> {
    if let Some(text) = line.strip_prefix('"').and_then(|l| l.strip_suffix('"')) {
        return Ok(Step::Type(text.to_owned()));
    }
    if line == "screen" {
        return Ok(Step::Screen);
    }
    if let Some(words) = line.strip_prefix("wait ") {
        return Ok(Step::Wait(words.trim().to_owned()));
    }
    if let Some(ms) = line.strip_prefix("rest ") {
        return ms
            .trim()
            .parse()
            .map(Step::Rest)
            .map_err(|_| String::from("`rest` takes milliseconds"));
    }
    if let Some(size) = line.strip_prefix("size ") {
        let (columns, rows) = size.split_once('x').ok_or("write `size 100x30`")?;
        let number = |text: &str| {
            text.trim()
                .parse::<u16>()
                .map_err(|_| "write `size 100x30`")
        };
        return Ok(Step::Size(number(columns)?, number(rows)?));
    }
    if let Some(command) = Command::parse(line) {
        return Ok(Step::Do(command));
    }
    line.parse::<Key>()
        .map(Step::Press)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_step_is_read() {
        let text = "# a comment\nsize 100x30\nn\nEnter\nCtrl-s\n\"two words\"\nwait recorded as\nrest 1000\nkick-back\nscreen\n";
        let steps = parse(text).unwrap_or_default();
        let wanted = [
            Step::Size(100, 30),
            Step::Press(Key::char('n')),
            Step::Press(Key::plain(crate::app::key::Code::Enter)),
            Step::Press(Key::ctrl('s')),
            Step::Type("two words".into()),
            Step::Wait("recorded as".into()),
            Step::Rest(1000),
            Step::Do(Command::KickBack),
            Step::Screen,
        ];
        assert_eq!(steps, wanted);
    }

    #[test]
    fn all_complaints_come_at_once_with_their_lines() {
        let complaints = parse("n\nnonsense\nsize 9\nrest x\n")
            .err()
            .unwrap_or_default();
        let lines: Vec<u32> = complaints.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 3, 4]);
    }
}
