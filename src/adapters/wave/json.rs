//! JSON with the line of every value, so that a complaint can name its place. A key that stands
//! twice in one object is an error: two readers might take two different values from it.

/// Deepest nesting that is read.
const DEEPEST: usize = 64;

/// A value with its 1-based line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Where it begins.
    pub line: u32,
    /// What it is.
    pub value: Value,
}

/// A JSON value; numbers keep their text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it is written.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Node>),
    /// An object in order, with the line of each key.
    Object(Vec<(String, u32, Node)>),
}

/// What is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// 1-based line.
    pub line: u32,
    /// A lower-case fragment.
    pub message: String,
}

impl Node {
    /// A field of an object; `None` when it is no object or has no such key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Object(fields) => fields
                .iter()
                .find(|(name, ..)| name == key)
                .map(|(.., node)| node),
            _ => None,
        }
    }

    /// The text of a string.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.value == Value::Null
    }

    /// What kind of value it is, in words.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Object(_) => "an object",
        }
    }
}

/// Reads one document.
///
/// # Errors
/// The first place that is no JSON, or every key that stands twice.
pub fn read(bytes: &[u8]) -> Result<Node, Vec<Fault>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = Reader {
        bytes,
        at: 0,
        line: 1,
        twice: Vec::new(),
    };
    let node = reader.document().map_err(|fault| vec![fault])?;
    if reader.twice.is_empty() {
        Ok(node)
    } else {
        Err(reader.twice)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
    twice: Vec<Fault>,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Node, Fault> {
        let node = self.value(0)?;
        self.blanks();
        match self.peek() {
            None => Ok(node),
            Some(_) => Err(self.fault("something stands after the end of the document")),
        }
    }

    fn fault(&self, message: &str) -> Fault {
        Fault {
            line: self.line,
            message: message.to_owned(),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => self.line = self.line.saturating_add(1),
                b' ' | b'\t' | b'\r' => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        self.blanks();
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn value(&mut self, depth: usize) -> Result<Node, Fault> {
        self.blanks();
        if depth > DEEPEST {
            return Err(self.fault("it is nested too deeply"));
        }
        let line = self.line;
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            Some(_) => return Err(self.fault("this is no JSON value")),
            None => return Err(self.fault("it ends before the document is whole")),
        };
        Ok(Node { line, value })
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return Err(self.fault("this is no JSON value"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn object(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut fields: Vec<(String, u32, Node)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        if self.take(b'}') {
            return Ok(Value::Object(fields));
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(self.fault("a key in quotes is expected here"));
            }
            let line = self.line;
            let key = self.string()?;
            if !self.take(b':') {
                return Err(self.fault("a colon is expected here"));
            }
            let node = self.value(depth + 1)?;
            if !seen.insert(key.clone()) {
                let shown = crate::model::text::Foreign::from(key.as_str());
                let shown = shown.shown(crate::model::text::Place::Strict);
                self.twice.push(Fault {
                    line,
                    message: format!("the key {shown} stands twice"),
                });
            }
            fields.push((key, line, node));
            if self.take(b'}') {
                return Ok(Value::Object(fields));
            }
            if !self.take(b',') {
                return Err(self.fault("a comma or } is expected here"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.take(b']') {
                return Ok(Value::List(items));
            }
            if !self.take(b',') {
                return Err(self.fault("a comma or ] is expected here"));
            }
        }
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        while let Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        let text = self.bytes.get(start..self.at).unwrap_or_default();
        let text = std::str::from_utf8(text).unwrap_or_default();
        let whole = text.strip_prefix('-').unwrap_or(text);
        let led = whole.len() > 1
            && whole.starts_with('0')
            && whole.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if led || text.parse::<f64>().is_err() {
            return Err(self.fault("this is no JSON number"));
        }
        Ok(Value::Number(text.to_owned()))
    }

    /// Always hops over the next quotation mark that is not escaped.
    fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') => self.at += 2,
                Some(byte) if byte < 0x20 => {
                    return Err(self.fault("a string holds a raw control character"));
                }
                Some(_) => self.at += 1,
                None => return Err(self.fault("a string does not end")),
            }
        }
        let raw = self.bytes.get(start..self.at).unwrap_or_default();
        serde_json::from_slice(raw).map_err(|_| self.fault("a string cannot be read"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> Vec<(u32, String)> {
        let faults = read(text.as_bytes()).err().unwrap_or_default();
        faults.into_iter().map(|f| (f.line, f.message)).collect()
    }

    #[test]
    fn values_know_their_line() {
        let node = read(b"\xef\xbb\xbf{\n \"a\": [1,\n  {\"b\": \"x\\u00e9\\n\"}]\n}\n").unwrap();
        let a = node.get("a").unwrap();
        assert_eq!(a.line, 2);
        let Value::List(items) = &a.value else {
            panic!("{a:?}")
        };
        assert_eq!(items[1].line, 3);
        assert_eq!(items[1].get("b").unwrap().text(), Some("xé\n"));
    }

    #[test]
    fn what_is_no_json_is_named_by_line() {
        let rows = [
            ("", 1, "it ends before the document is whole"),
            ("{\n\"a\": 0123}", 2, "this is no JSON number"),
            ("{\n\"a\" 1}", 2, "a colon is expected here"),
            (
                "{\"a\": 1} x",
                1,
                "something stands after the end of the document",
            ),
            ("[1\n2]", 2, "a comma or ] is expected here"),
            (
                "{\"a\": \"x\ny\"}",
                1,
                "a string holds a raw control character",
            ),
            ("\"abc", 1, "a string does not end"),
            ("\"abc\\", 1, "a string does not end"),
            ("\"\\x\"", 1, "a string cannot be read"),
            ("nul", 1, "this is no JSON value"),
            ("{\"a\": 1,\n\"a\": 2}", 2, "the key a stands twice"),
        ];
        for (text, line, message) in rows {
            assert_eq!(wrong(text), [(line, message.to_owned())], "{text:?}");
        }
        assert_eq!(wrong(&"[".repeat(1000)).len(), 1);
    }
}
