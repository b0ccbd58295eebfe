//! A small box of text: words for a reply.

use crate::app::key::{Code, Key};

/// Text and the byte the cursor stands before.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Text {
    /// The words.
    pub text: String,
    /// A character boundary of it.
    pub cursor: usize,
}

impl Text {
    /// The cursor behind these words.
    #[must_use]
    pub fn of(text: String) -> Self {
        Self {
            cursor: text.len(),
            text,
        }
    }

    /// Inserts as much as fits below `most` bytes; `false` when something was left out.
    pub fn insert(&mut self, words: &str, most: usize) -> bool {
        let words = words.replace("\r\n", "\n").replace('\r', "\n");
        let mut room = most.saturating_sub(self.text.len()).min(words.len());
        while !words.is_char_boundary(room) {
            room -= 1;
        }
        let part = words.get(..room).unwrap_or_default();
        self.text.insert_str(self.cursor, part);
        self.cursor += part.len();
        part.len() == words.len()
    }

    /// Takes a key; `false` when it did not fit.
    pub fn key(&mut self, key: Key, most: usize) -> bool {
        if key.ctrl || key.alt {
            return true;
        }
        match key.code {
            Code::Char(character) => {
                return self.insert(character.encode_utf8(&mut [0; 4]), most);
            }
            Code::Enter => return self.insert("\n", most),
            Code::Backspace => {
                if let Some(before) = self.before() {
                    self.text.replace_range(before..self.cursor, "");
                    self.cursor = before;
                }
            }
            Code::Delete => {
                if let Some(after) = self.after() {
                    self.text.replace_range(self.cursor..after, "");
                }
            }
            Code::Left => self.cursor = self.before().unwrap_or(self.cursor),
            Code::Right => self.cursor = self.after().unwrap_or(self.cursor),
            Code::Home => self.cursor = self.line_start(),
            Code::End => {
                let rest = self.text.get(self.cursor..).unwrap_or_default();
                self.cursor += rest.find('\n').unwrap_or(rest.len());
            }
            _ => {}
        }
        true
    }

    fn line_start(&self) -> usize {
        let before = self.text.get(..self.cursor).unwrap_or_default();
        before.rfind('\n').map_or(0, |at| at + 1)
    }

    fn before(&self) -> Option<usize> {
        let before = self.text.get(..self.cursor)?;
        before.char_indices().next_back().map(|(at, _)| at)
    }

    fn after(&self) -> Option<usize> {
        let next = self.text.get(self.cursor..)?.chars().next()?;
        Some(self.cursor + next.len_utf8())
    }
}
