//! JSON as forges and scripts deliver it, read in one pass and without a tree.
//!
//! A general reader gives up at the first bad byte. Here one bad item must not hide the others
//! (FRG-3), so an item that cannot be read is left out, named by its path, and the next one is
//! found by its brackets. Text that is cut keeps what came before the cut (FRG-2).

use std::borrow::Cow;

use super::strings::{end_of_string, unescape};

/// Deepest nesting that is followed.
const DEPTH: usize = 128;
/// Most faults that are kept; the rest is counted.
const FAULTS: usize = 200;

/// The text breaks the grammar here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Broken {
    /// What is wrong.
    pub(super) why: &'static str,
    /// Whether the text ends before the value does.
    pub(super) cut: bool,
}

type Read<T> = Result<T, Broken>;

fn broken<T>(why: &'static str) -> Read<T> {
    Err(Broken { why, cut: false })
}

fn ends<T>() -> Read<T> {
    Err(Broken {
        why: "the text ends here, before the value does",
        cut: true,
    })
}

/// A fault with its path, before it belongs to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Odd {
    pub(super) code: &'static str,
    pub(super) at: String,
    pub(super) message: String,
    pub(super) hint: &'static str,
    pub(super) loses: bool,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Index(usize),
    Key(&'a str),
}

/// What a value is, by its first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Null,
    Bool,
    Number,
    Text,
    Array,
    Object,
}

/// A place in a JSON text.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    path: Vec<Step<'a>>,
    /// What is wrong so far.
    pub(super) odd: Vec<Odd>,
    /// Faults beyond the most that are kept.
    pub(super) more: usize,
    /// Faults with which something was lost.
    pub(super) losses: usize,
    /// Whether the text ended in the middle.
    pub(super) cut: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            path: Vec::new(),
            odd: Vec::new(),
            more: 0,
            losses: 0,
            cut: false,
        }
    }

    /// Names something that is wrong at the current path.
    pub(super) fn fault(&mut self, code: &'static str, message: impl Into<String>, loses: bool) {
        self.fault_with(code, message, "", loses);
    }

    /// The same with a hint.
    pub(super) fn fault_with(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        hint: &'static str,
        loses: bool,
    ) {
        self.losses += usize::from(loses);
        if self.odd.len() >= FAULTS {
            self.more += 1;
            return;
        }
        let at = self.path();
        self.odd.push(Odd {
            code,
            at,
            message: message.into(),
            hint,
            loses,
        });
    }

    /// The path of the value that is read, `$[3].user.login`.
    pub(super) fn path(&self) -> String {
        let mut out = String::from("$");
        for step in &self.path {
            match step {
                Step::Index(index) => out.push_str(&format!("[{index}]")),
                Step::Key(key) => {
                    out.push('.');
                    out.push_str(key);
                }
            }
        }
        out
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// Skips blanks and returns the next byte.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.bytes();
        while let Some(byte) = bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    /// Whether nothing but blanks is left.
    pub(super) fn at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Steps over a byte between two documents, where there is one of these.
    pub(super) fn step_over(&mut self, byte: u8) {
        if self.peek() == Some(byte) {
            self.at += 1;
        }
    }

    /// What the next value is.
    pub(super) fn kind(&mut self) -> Read<Kind> {
        match self.peek() {
            Some(b'"') => Ok(Kind::Text),
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b't' | b'f') => Ok(Kind::Bool),
            Some(b'n') => Ok(Kind::Null),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(_) => broken("no value begins with this character"),
            None => ends(),
        }
    }

    /// Runs `look` on a copy that stands at the same place; nothing is consumed or kept.
    pub(super) fn ahead<T>(&self, look: impl FnOnce(&mut Cursor<'a>) -> T) -> T {
        let mut copy = Cursor::new(self.text);
        copy.at = self.at;
        look(&mut copy)
    }

    /// Reads an object: `field` gets each key with the cursor before its value, which it must
    /// read or skip. A key that comes twice is named, and its later values are skipped.
    pub(super) fn object(
        &mut self,
        mut field: impl FnMut(&mut Self, &str) -> Read<()>,
    ) -> Read<()> {
        if self.kind()? != Kind::Object {
            return broken("an object was expected");
        }
        self.enter()?;
        let mut seen: Vec<Cow<'a, str>> = Vec::new();
        let mut filter = 0u64;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            if self.peek() != Some(b'"') {
                return if self.at_end() {
                    ends()
                } else {
                    broken("a key was expected")
                };
            }
            let (raw, escaped) = self.string()?;
            let key = if escaped {
                Cow::Owned(unescape(raw).0)
            } else {
                Cow::Borrowed(raw)
            };
            if self.peek() != Some(b':') {
                return if self.at_end() {
                    ends()
                } else {
                    broken("a colon was expected after the key")
                };
            }
            self.at += 1;
            self.path.push(Step::Key(raw));
            let bit = 1u64 << (key.bytes().fold(7u8, |h, b| h.wrapping_mul(31) ^ b) & 63);
            if filter & bit != 0 && seen.contains(&key) {
                self.fault_with(
                    "duplicate-key",
                    "this key stands here a second time, so it is not known which counts",
                    "write every key of an object once",
                    true,
                );
                self.skip()?;
            } else {
                filter |= bit;
                field(self, &key)?;
                seen.push(key);
            }
            self.path.pop();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(_) => return broken("a comma or the end of the object was expected"),
                None => return ends(),
            }
        }
    }

    /// Reads an array: `item` gets the cursor before each value, which it must read or skip. An
    /// item that breaks the grammar is named and left out, and the next one is looked for.
    /// Returns how many items there were, the lost ones included.
    pub(super) fn array(
        &mut self,
        mut item: impl FnMut(&mut Self, usize) -> Read<()>,
    ) -> Read<usize> {
        if self.kind()? != Kind::Array {
            return broken("a list was expected");
        }
        self.enter()?;
        let depth = self.path.len();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(0);
        }
        let mut index = 0;
        loop {
            self.peek();
            let start = self.at;
            self.path.push(Step::Index(index));
            if let Err(fault) = item(self, index) {
                let here = self.path.len();
                self.fault_with(
                    if fault.cut { "cut" } else { "broken-item" },
                    fault.why,
                    "fetch it again",
                    true,
                );
                debug_assert!(here > depth);
                self.path.truncate(depth);
                if fault.cut || !self.resume(start) {
                    self.cut = true;
                    self.at = self.text.len();
                    return Ok(index + 1);
                }
            }
            self.path.truncate(depth);
            index += 1;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(index);
                }
                Some(_) if self.resume(start) => {
                    self.fault("broken-item", "a comma was expected after this item", true);
                }
                Some(_) | None => {
                    if !self.cut {
                        self.fault("cut", "the list ends without its bracket", true);
                    }
                    self.cut = true;
                    self.at = self.text.len();
                    return Ok(index);
                }
            }
        }
    }

    /// Goes into an object or a list.
    fn enter(&mut self) -> Read<()> {
        if self.path.len() >= DEPTH {
            return broken("it is nested more than 128 deep");
        }
        self.at += 1;
        Ok(())
    }

    /// Finds the comma or bracket that ends the item at `start`, by brackets and strings alone.
    fn resume(&mut self, start: usize) -> bool {
        let bytes = self.bytes();
        let (mut at, mut open) = (start, 0usize);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => match end_of_string(bytes, at + 1) {
                    Some((end, _)) => at = end,
                    None => return false,
                },
                b'[' | b'{' => open += 1,
                b']' if open == 0 => break,
                // a brace that closes nothing ends no item of a list
                b'}' if open == 0 => {}
                b']' | b'}' => open -= 1,
                b',' if open == 0 => break,
                _ => {}
            }
            at += 1;
        }
        self.at = at;
        at < bytes.len()
    }

    /// Steps over a value, which is checked on the way.
    pub(super) fn skip(&mut self) -> Read<()> {
        match self.kind()? {
            Kind::Null => self.word("null"),
            Kind::Bool => self.boolean().map(|_| ()),
            Kind::Number => self.number().map(|_| ()),
            Kind::Text => self.string().map(|_| ()),
            Kind::Array | Kind::Object => self.skip_nested(),
        }
    }

    /// Steps over a list or an object without recursion.
    fn skip_nested(&mut self) -> Read<()> {
        // one bit for each level: whether it is an object
        let mut levels: Vec<bool> = Vec::new();
        let mut value = true;
        loop {
            if value {
                match self.kind()? {
                    kind @ (Kind::Array | Kind::Object) => {
                        if self.path.len() + levels.len() >= DEPTH {
                            return broken("it is nested more than 128 deep");
                        }
                        self.at += 1;
                        levels.push(kind == Kind::Object);
                        let close = if kind == Kind::Object { b'}' } else { b']' };
                        if self.peek() == Some(close) {
                            value = false;
                        } else if kind == Kind::Object {
                            self.key()?;
                        }
                        continue;
                    }
                    _ => self.skip()?,
                }
            }
            value = true;
            let Some(object) = levels.last().copied() else {
                return Ok(());
            };
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    if object {
                        self.key()?;
                    }
                }
                Some(b'}') if object => {
                    self.at += 1;
                    levels.pop();
                    value = false;
                }
                Some(b']') if !object => {
                    self.at += 1;
                    levels.pop();
                    value = false;
                }
                Some(_) => return broken("a comma or a closing bracket was expected"),
                None => return ends(),
            }
            if !value && levels.is_empty() {
                return Ok(());
            }
        }
    }

    fn key(&mut self) -> Read<()> {
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(_) => return broken("a key was expected"),
            None => return ends(),
        };
        match self.peek() {
            Some(b':') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => broken("a colon was expected after the key"),
            None => ends(),
        }
    }

    fn word(&mut self, word: &str) -> Read<()> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.starts_with(word) {
            self.at += word.len();
            Ok(())
        } else if word.starts_with(rest) {
            ends()
        } else {
            broken("this is no JSON value")
        }
    }

    fn boolean(&mut self) -> Read<bool> {
        let yes = self.peek() == Some(b't');
        self.word(if yes { "true" } else { "false" })?;
        Ok(yes)
    }

    /// The digits of a number, as they stand there.
    fn number(&mut self) -> Read<&'a str> {
        self.peek();
        let bytes = self.bytes().get(self.at..).unwrap_or_default();
        let part = |b: &u8| !matches!(b, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let length = bytes.iter().position(part).unwrap_or(bytes.len());
        let text = self.text.get(self.at..self.at + length).unwrap_or_default();
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return broken("this is no number");
        }
        self.at += length;
        Ok(text)
    }

    /// A string without its quotes, and whether it holds escapes.
    fn string(&mut self) -> Read<(&'a str, bool)> {
        let start = self.at + 1;
        match end_of_string(self.bytes(), start) {
            Some((end, escaped)) => {
                self.at = end + 1;
                Ok((self.text.get(start..end).unwrap_or_default(), escaped))
            }
            None => ends(),
        }
    }

    /// A text; `None` for null, or for another kind of value, which is named.
    pub(super) fn text(&mut self) -> Read<Option<Cow<'a, str>>> {
        match self.kind()? {
            Kind::Text => {
                let (raw, escaped) = self.string()?;
                if !escaped {
                    return Ok(Some(Cow::Borrowed(raw)));
                }
                let (text, bad) = unescape(raw);
                if bad > 0 {
                    let message = format!("{bad} escapes stand for no character");
                    self.fault("bad-escape", message, false);
                }
                Ok(Some(Cow::Owned(text)))
            }
            Kind::Null => self.word("null").map(|()| None),
            _ => self.wrong("a text"),
        }
    }

    /// An id: a text or a number, kept as written.
    pub(super) fn id(&mut self) -> Read<Option<Cow<'a, str>>> {
        match self.kind()? {
            Kind::Number => self.number().map(|n| Some(Cow::Borrowed(n))),
            _ => self.text(),
        }
    }

    /// A line number or a count; anything that is none is named and `None`.
    pub(super) fn count(&mut self) -> Read<Option<u32>> {
        match self.kind()? {
            Kind::Number => {
                let digits = self.number()?;
                let count = digits.parse().ok();
                if count.is_none() {
                    let message = "this is no number from 0 to 4294967295";
                    self.fault("bad-number", message, false);
                }
                Ok(count)
            }
            Kind::Null => self.word("null").map(|()| None),
            _ => self.wrong("a number"),
        }
    }

    /// A yes or no; `None` for null or anything else.
    pub(super) fn flag(&mut self) -> Read<Option<bool>> {
        match self.kind()? {
            Kind::Bool => self.boolean().map(Some),
            Kind::Null => self.word("null").map(|()| None),
            _ => self.wrong("true or false"),
        }
    }

    /// Whether the next value is null; if so it is read.
    pub(super) fn null(&mut self) -> Read<bool> {
        if self.kind()? == Kind::Null {
            self.word("null")?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Reads an object, or null, or names what stands there instead.
    pub(super) fn maybe_object(
        &mut self,
        field: impl FnMut(&mut Self, &str) -> Read<()>,
    ) -> Read<bool> {
        match self.kind()? {
            Kind::Object => self.object(field).map(|()| true),
            Kind::Null => self.word("null").map(|()| false),
            _ => self.wrong::<()>("an object").map(|_| false),
        }
    }

    /// Reads a list, or null, or names what stands there instead.
    pub(super) fn maybe_array(
        &mut self,
        item: impl FnMut(&mut Self, usize) -> Read<()>,
    ) -> Read<Option<usize>> {
        match self.kind()? {
            Kind::Array => self.array(item).map(Some),
            Kind::Null => self.word("null").map(|()| None),
            _ => self.wrong::<()>("a list").map(|_| None),
        }
    }

    fn wrong<T>(&mut self, wanted: &str) -> Read<Option<T>> {
        self.skip()?;
        self.fault("wrong-type", format!("{wanted} was expected"), true);
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(json: &str) -> (Vec<String>, Vec<String>, bool) {
        let mut cursor = Cursor::new(json);
        let mut out = Vec::new();
        let ended = cursor.array(|c, _| {
            let mut body = None;
            c.object(|c, key| {
                if key == "body" {
                    body = c.text()?;
                    Ok(())
                } else {
                    c.skip()
                }
            })?;
            out.push(body.unwrap_or_default().into_owned());
            Ok(())
        });
        assert!(ended.is_ok(), "{ended:?}");
        let odd = cursor.odd.iter();
        let odd = odd.map(|o| format!("{} {}", o.at, o.code)).collect();
        (out, odd, cursor.cut)
    }

    #[test]
    fn one_bad_item_hides_no_other() {
        let json =
            r#"[{"body":"a"},{"body":nope},{"body":"b","x":[1,{"y":[]}]},{"body":7},{"body":"c"}]"#;
        let (out, odd, cut) = texts(json);
        assert_eq!(out, ["a", "b", "", "c"]);
        assert_eq!(odd, ["$[1].body broken-item", "$[3].body wrong-type"]);
        assert!(!cut);
    }

    #[test]
    fn brackets_that_close_nothing_end_the_reading_and_not_the_reader() {
        for json in [
            r#"[{"body":"a"}},{"body":"b"}]"#,
            r#"[{"body":"a"}}]"#,
            "[}",
            "[}]",
            "[1}}}",
            "[},}",
        ] {
            let (out, odd, _) = texts(json);
            assert!(!odd.is_empty(), "{json}");
            assert!(out.len() <= 2, "{json}");
        }
        let (out, _, _) = texts(r#"[{"body":"a"}},{"body":"b"}]"#);
        assert_eq!(out, ["a", "b"]);
    }

    #[test]
    fn what_came_before_a_cut_stays() {
        let whole = r#"[{"body":"a"},{"body":"b\n"},{"body":"c","deep":{"k":[true,null,-1.5e3]}}]"#;
        for end in 1..whole.len() {
            let Some(json) = whole.get(..end) else {
                continue;
            };
            let (out, odd, cut) = texts(json);
            assert!(cut && !odd.is_empty(), "{json}");
            assert!(out.len() <= 3, "{json}");
        }
        assert_eq!(texts(whole).1, Vec::<String>::new());
    }

    #[test]
    fn escapes_pairs_and_halves_of_pairs() {
        let json = r#"[{"body":"\u00e9\ud83d\ude00\"\/"},{"body":"x\ud800y"},{"body":"\q\u12"}]"#;
        let (out, odd, _) = texts(json);
        assert_eq!(out, ["é😀\"/", "x\u{fffd}y", "\u{fffd}\u{fffd}12"]);
        assert_eq!(odd, ["$[1].body bad-escape", "$[2].body bad-escape"]);
    }

    #[test]
    fn a_key_that_comes_twice_is_named_and_the_first_counts() {
        let (out, odd, _) = texts(r#"[{"body":"a","body":"b"},{"b\u006fdy":"c","body":"d"}]"#);
        assert_eq!(out, ["a", "c"]);
        assert_eq!(odd, ["$[0].body duplicate-key", "$[1].body duplicate-key"]);
    }

    #[test]
    fn depth_is_bounded_and_the_next_item_is_found() {
        let deep = format!("{}{}", "[".repeat(400), "]".repeat(400));
        let json = format!(r#"[{{"x":{deep},"body":"a"}},{{"body":"b"}}]"#);
        let (out, odd, cut) = texts(&json);
        assert_eq!(out, ["b"]);
        assert_eq!(odd, ["$[0].x broken-item"]);
        assert!(!cut);
    }
}
