//! A key as people write it: `n`, `G`, `Ctrl-s`, `Shift-Tab`, `F5`, `Space`.
//!
//! [`Key`]'s `Display` and `FromStr` are inverse to each other; help, footer, keymap file and
//! key scripts all use this one spelling. It must never read a terminal event.

use std::fmt;
use std::str::FromStr;

use crate::model::text::is_hidden;

/// One key press.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// Which.
    pub code: Code,
    /// With Control held.
    pub ctrl: bool,
    /// With Alt held.
    pub alt: bool,
    /// With Shift held; never set together with a letter (that is `Char('G')`).
    pub shift: bool,
}

/// The key without its modifiers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "each variant is the name on the key")]
pub enum Code {
    Char(char),
    F(u8),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
}

/// Names of the keys that are no characters.
const NAMED: [(Code, &str); 14] = [
    (Code::Char(' '), "Space"),
    (Code::Enter, "Enter"),
    (Code::Esc, "Esc"),
    (Code::Tab, "Tab"),
    (Code::Backspace, "Backspace"),
    (Code::Delete, "Delete"),
    (Code::Up, "Up"),
    (Code::Down, "Down"),
    (Code::Left, "Left"),
    (Code::Right, "Right"),
    (Code::Home, "Home"),
    (Code::End, "End"),
    (Code::PageUp, "PageUp"),
    (Code::PageDown, "PageDown"),
];

impl Key {
    /// A plain character.
    #[must_use]
    pub fn char(character: char) -> Self {
        Self::plain(Code::Char(character))
    }

    /// A key without modifiers.
    #[must_use]
    pub fn plain(code: Code) -> Self {
        Self {
            code,
            ctrl: false,
            alt: false,
            shift: false,
        }
    }

    /// `Ctrl-` and a letter.
    #[must_use]
    pub fn ctrl(character: char) -> Self {
        Self {
            ctrl: true,
            ..Self::char(character)
        }
    }

    /// The character that this key types into a text, if it types one.
    #[must_use]
    pub fn typed(self) -> Option<char> {
        match self.code {
            Code::Char(character) if !self.ctrl && !self.alt => Some(character),
            Code::Char(_)
            | Code::F(_)
            | Code::Enter
            | Code::Esc
            | Code::Tab
            | Code::Backspace
            | Code::Delete
            | Code::Up
            | Code::Down
            | Code::Left
            | Code::Right
            | Code::Home
            | Code::End
            | Code::PageUp
            | Code::PageDown => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, name) in [
            (self.ctrl, "Ctrl-"),
            (self.alt, "Alt-"),
            (self.shift, "Shift-"),
        ] {
            if held {
                f.write_str(name)?;
            }
        }
        if let Some((_, name)) = NAMED.iter().find(|(code, _)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            Code::Char(character) if is_hidden(character) => {
                write!(f, "U+{:04X}", u32::from(character))
            }
            Code::Char(character) => write!(f, "{character}"),
            Code::F(number) => write!(f, "F{number}"),
            Code::Enter
            | Code::Esc
            | Code::Tab
            | Code::Backspace
            | Code::Delete
            | Code::Up
            | Code::Down
            | Code::Left
            | Code::Right
            | Code::Home
            | Code::End
            | Code::PageUp
            | Code::PageDown => Ok(()),
        }
    }
}

/// A text that names no key.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{0}\" names no key; write a character, Enter, Space, F5, Ctrl-s, Alt-Enter, Shift-Tab")]
pub struct NoKey(pub String);

impl FromStr for Key {
    type Err = NoKey;

    fn from_str(text: &str) -> Result<Self, NoKey> {
        let no_key = || NoKey(crate::model::text::Shown::ours(text).plain());
        let mut key = Self::plain(Code::Esc);
        let mut rest = text;
        for (held, name) in [
            (&mut key.ctrl, "Ctrl-"),
            (&mut key.alt, "Alt-"),
            (&mut key.shift, "Shift-"),
        ] {
            if let Some(after) = rest.strip_prefix(name)
                && !after.is_empty()
            {
                *held = true;
                rest = after;
            }
        }
        key.code = code(rest).ok_or_else(no_key)?;
        if let Code::Char(character) = key.code
            && key.shift
        {
            if !character.is_ascii_alphabetic() {
                return Err(no_key());
            }
            key.code = Code::Char(character.to_ascii_uppercase());
            key.shift = false;
        }
        Ok(key)
    }
}

fn code(text: &str) -> Option<Code> {
    let mut characters = text.chars();
    if let (Some(only), None) = (characters.next(), characters.next()) {
        return (!is_hidden(only) && only != ' ').then_some(Code::Char(only));
    }
    if let Some((code, _)) = NAMED.iter().find(|(_, name)| *name == text) {
        return Some(*code);
    }
    if let Some(number) = text.strip_prefix('F') {
        let number: u8 = number.parse().ok()?;
        return (1..=35).contains(&number).then_some(Code::F(number));
    }
    let hex = text.strip_prefix("U+")?;
    let character = char::from_u32(u32::from_str_radix(hex, 16).ok()?)?;
    is_hidden(character).then_some(Code::Char(character))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_key() -> impl Strategy<Value = Key> {
        let named = proptest::sample::select(NAMED.map(|(code, _)| code).to_vec());
        let code = prop_oneof![
            any::<char>().prop_map(Code::Char),
            (1u8..=35).prop_map(Code::F),
            named
        ];
        (code, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(code, ctrl, alt, shift)| {
            Key {
                code,
                ctrl,
                alt,
                shift: shift && !matches!(code, Code::Char(_)),
            }
        })
    }

    proptest! {
        #[test]
        fn every_key_reads_back_as_it_is_written(key in any_key()) {
            prop_assert_eq!(key.to_string().parse::<Key>(), Ok(key));
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in ".{0,12}") {
            let _ = text.parse::<Key>();
        }
    }

    #[test]
    fn keys_are_read_as_people_write_them() {
        let rows = [
            ("n", Key::char('n')),
            ("Space", Key::char(' ')),
            ("Ctrl-s", Key::ctrl('s')),
            ("Ctrl--", Key::ctrl('-')),
            ("-", Key::char('-')),
            ("Shift-g", Key::char('G')),
            ("F5", Key::plain(Code::F(5))),
        ];
        for (text, key) in rows {
            assert_eq!(text.parse(), Ok(key), "{text}");
        }
        for bad in ["", "  ", "Ctrl-", "F0", "F99", "nn", "Shift-1", "U+0041"] {
            assert!(bad.parse::<Key>().is_err(), "{bad:?}");
        }
    }
}
