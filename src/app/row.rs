//! Rows of the screen as roles and text. Code names a [`Role`]; themes map roles to looks.

use crate::model::text::Shown;

/// What a piece of text says (screens.md, visual language). Never a colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Read this.
    Text,
    /// Titles, unseen rows.
    Strong,
    /// Chrome, units, decided rows.
    Muted,
    /// Focus, selection mark, keys, claims.
    Accent,
    /// Ratified, closed.
    Good,
    /// Failing, kicked back, tampered.
    Bad,
    /// Weak, locked, waits for a ruling.
    Warn,
    /// Stale, carried.
    Moved,
    /// Our mark for a hidden character; content can never get it.
    Foreign,
    /// A search hit.
    Match,
    /// A changed word in an added line.
    WordAdded,
    /// A changed word in a removed line.
    WordRemoved,
    /// Highlighted code, by kind of token.
    Code(CodeRole),
}

/// Kinds of tokens in highlighted code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "each variant is the name of a kind of token")]
pub enum CodeRole {
    Comment,
    String,
    Number,
    Keyword,
    Type,
    Function,
    Constant,
    Punctuation,
}

/// The ground that a row stands on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Ground {
    /// The terminal's own.
    #[default]
    Plain,
    /// The row that the keys act on.
    Selected,
    /// A line only at head.
    Added,
    /// A line only at base.
    Removed,
}

/// A run of text in one role. Built from our own words or from [`Shown`], never from raw text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// Printable text.
    pub text: String,
    /// What it says.
    pub role: Role,
}

/// One row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Row {
    /// From the left.
    pub left: Vec<Span>,
    /// Against the right edge; cut first when there is no room, unless `left` is longer.
    pub right: Vec<Span>,
    /// What it stands on.
    pub ground: Ground,
    /// Whether it decides: it must have been on screen before a ratify.
    pub decides: Option<&'static str>,
}

impl Span {
    /// Our own words.
    #[must_use]
    pub fn ours(text: impl Into<String>, role: Role) -> Self {
        Self {
            text: text.into(),
            role,
        }
    }
}

impl Row {
    /// A row of our own words in one role.
    #[must_use]
    pub fn ours(text: impl Into<String>, role: Role) -> Self {
        Self {
            left: vec![Span::ours(text, role)],
            ..Self::default()
        }
    }

    /// Appends escaped foreign text; its marks get [`Role::Foreign`].
    pub fn push_shown(&mut self, shown: &Shown, role: Role) {
        for piece in shown.pieces() {
            self.left.push(Span {
                text: piece.text.clone(),
                role: if piece.mark { Role::Foreign } else { role },
            });
        }
    }

    /// The row's text without roles.
    #[must_use]
    pub fn plain(&self) -> String {
        self.left
            .iter()
            .chain(&self.right)
            .map(|span| span.text.as_str())
            .collect()
    }
}
