//! A key as people write it: `n`, `G`, `Ctrl-s`, `Shift-Tab`, `F5`, `Space`.

/// One key press.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
}
