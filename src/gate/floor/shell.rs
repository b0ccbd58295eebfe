//! A shell command taken apart far enough for lints: simple commands and what joins them. It is
//! no shell: it never decides what a command does, only how it looks.

/// What stands before a simple command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Joint {
    /// Nothing.
    Start,
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `;` or a line end.
    Then,
    /// `|` or `|&`.
    Pipe,
    /// `&`.
    Beside,
}

/// One simple command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Simple {
    /// What joins it to the one before.
    pub joint: Joint,
    /// Whether `!` negates it.
    pub negated: bool,
    /// Its words without quotes; assignments and keywords before them left out.
    pub words: Vec<String>,
    /// Targets of `>` and `>>`.
    pub writes: Vec<String>,
    /// How many groups, substitutions and blocks it lies in.
    pub depth: usize,
}

impl Simple {
    /// The program, without its folder.
    pub(super) fn program(&self) -> &str {
        let word = self.words.first().map_or("", String::as_str);
        word.rsplit('/').next().unwrap_or(word)
    }

    /// The words after the program.
    pub(super) fn args(&self) -> impl Iterator<Item = &str> {
        self.words.iter().skip(1).map(String::as_str)
    }

    /// Whether one of the arguments is exactly this.
    pub(super) fn has(&self, word: &str) -> bool {
        self.args().any(|arg| arg == word)
    }
}

/// Words that only structure a script.
const KEYWORDS: [&str; 14] = [
    "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "time", "{", "}", "(", ")",
];

/// Most levels of `bash -c` and substitutions that are looked into.
const DEEPEST: usize = 4;

/// The simple commands in order. A script given to `bash -c` is taken apart as well.
pub(super) fn commands(text: &str) -> Vec<Simple> {
    let mut out = Vec::new();
    Reader::new(text).read(0, &mut out);
    out
}

struct Reader {
    chars: Vec<char>,
    at: usize,
}

impl Reader {
    fn new(text: &str) -> Self {
        Self {
            chars: text.chars().collect(),
            at: 0,
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn read(&mut self, level: usize, out: &mut Vec<Simple>) {
        let mut depth = level;
        let mut now = Draft::new(Joint::Start, depth);
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' => {
                    now.end_word();
                    self.at += 1;
                }
                '#' if now.word.is_none() => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                '&' | '|' | ';' | '\n' if !self.redirects(c) => {
                    let joint = self.joint(c);
                    now.finish(level, out);
                    now = Draft::new(joint, depth);
                }
                '(' | ')' if now.word.is_none() || c == ')' => {
                    depth = if c == '(' {
                        depth + 1
                    } else {
                        depth.saturating_sub(1)
                    };
                    now.end_word();
                    now.depth = now.depth.max(depth);
                    self.at += 1;
                }
                '&' => self.at += 1,
                '>' | '<' => self.redirect(&mut now),
                _ => self.word_part(c, level, &mut now),
            }
        }
        now.finish(level, out);
    }

    /// Whether this `&` belongs to a redirection (`&>`, or after `>`).
    fn redirects(&self, c: char) -> bool {
        c == '&' && self.peek(1) == Some('>')
    }

    fn joint(&mut self, c: char) -> Joint {
        let double = self.peek(1) == Some(c);
        self.at += if double || (c == '|' && self.peek(1) == Some('&')) {
            2
        } else {
            1
        };
        match (c, double) {
            ('&', true) => Joint::And,
            ('|', true) => Joint::Or,
            ('&', false) => Joint::Beside,
            ('|', false) => Joint::Pipe,
            _ => Joint::Then,
        }
    }

    fn redirect(&mut self, now: &mut Draft) {
        let out = self.peek(0) == Some('>');
        if now
            .word
            .as_deref()
            .is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()))
        {
            now.word = None;
        }
        now.end_word();
        while self.peek(0).is_some_and(|c| matches!(c, '>' | '<' | '|')) {
            self.at += 1;
        }
        if self.peek(0) == Some('&') {
            self.at += 1;
            while self
                .peek(0)
                .is_some_and(|c| c.is_ascii_alphanumeric() || c == '-')
            {
                self.at += 1;
            }
            return;
        }
        now.target = Some(out);
    }

    fn word_part(&mut self, c: char, level: usize, now: &mut Draft) {
        let word = now.word.get_or_insert_with(String::new);
        match c {
            '\\' => {
                word.extend(self.peek(1));
                self.at += 2;
            }
            '\'' => {
                self.at += 1;
                while let Some(c) = self.peek(0) {
                    self.at += 1;
                    if c == '\'' {
                        break;
                    }
                    word.push(c);
                }
            }
            '"' => {
                self.at += 1;
                while let Some(c) = self.peek(0) {
                    if c == '"' {
                        self.at += 1;
                        break;
                    }
                    if c == '\\' {
                        word.extend(self.peek(1));
                        self.at += 2;
                    } else if c == '$' && self.peek(1) == Some('(') {
                        let inner = self.substitution(1);
                        now.substitute(&inner, level);
                        return self.rest_of_quote(level, now);
                    } else {
                        word.push(c);
                        self.at += 1;
                    }
                }
            }
            '$' if self.peek(1) == Some('(') => {
                let inner = self.substitution(1);
                now.substitute(&inner, level);
            }
            '`' => {
                self.at += 1;
                let start = self.at;
                while self.peek(0).is_some_and(|c| c != '`') {
                    self.at += 1;
                }
                let inner: String = self
                    .chars
                    .get(start..self.at)
                    .unwrap_or_default()
                    .iter()
                    .collect();
                self.at += 1;
                now.substitute(&inner, level);
            }
            _ => {
                word.push(c);
                self.at += 1;
            }
        }
    }

    /// The rest of a double-quoted word after a substitution in it.
    fn rest_of_quote(&mut self, level: usize, now: &mut Draft) {
        while let Some(c) = self.peek(0) {
            if c == '"' {
                self.at += 1;
                return;
            }
            if c == '$' && self.peek(1) == Some('(') {
                let inner = self.substitution(1);
                now.substitute(&inner, level);
                continue;
            }
            if c == '\\' {
                self.at += 1;
            }
            if let Some(word) = &mut now.word {
                word.extend(self.peek(0));
            }
            self.at += 1;
        }
    }

    /// The text inside `$( ... )`; `skip` bytes stand before its parenthesis.
    fn substitution(&mut self, skip: usize) -> String {
        self.at += skip + 1;
        let start = self.at;
        let mut depth = 1;
        let mut quote = None;
        while let Some(c) = self.peek(0) {
            match (quote, c) {
                (None, '\'' | '"') => quote = Some(c),
                (Some(open), c) if open == c => quote = None,
                (None, '(') => depth += 1,
                (None, ')') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            self.at += 1;
        }
        let inner = self.chars.get(start..self.at).unwrap_or_default();
        let inner = inner.iter().collect();
        self.at += 1;
        inner
    }
}

/// A simple command while it is read.
struct Draft {
    joint: Joint,
    words: Vec<String>,
    writes: Vec<String>,
    word: Option<String>,
    target: Option<bool>,
    inner: Vec<Simple>,
    depth: usize,
}

impl Draft {
    fn new(joint: Joint, depth: usize) -> Self {
        Self {
            joint,
            words: Vec::new(),
            writes: Vec::new(),
            word: None,
            target: None,
            inner: Vec::new(),
            depth,
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.target.take() {
            Some(true) => self.writes.push(word),
            Some(false) => {}
            None => self.words.push(word),
        }
    }

    fn substitute(&mut self, inner: &str, level: usize) {
        if let Some(word) = &mut self.word {
            word.push_str("$(");
            word.push_str(inner);
            word.push(')');
        }
        if level < DEEPEST {
            Reader::new(inner).read(level + 1, &mut self.inner);
        }
    }

    fn finish(mut self, level: usize, out: &mut Vec<Simple>) {
        self.end_word();
        let mut words = self.words;
        let mut negated = false;
        while let Some(first) = words.first() {
            let assigns = first.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            });
            match first.as_str() {
                "!" => negated = !negated,
                "for" | "case" => words.clear(),
                word if KEYWORDS.contains(&word) => {}
                _ if assigns && words.len() > 1 => {}
                _ => break,
            }
            if !words.is_empty() {
                words.remove(0);
            }
        }
        while words
            .last()
            .is_some_and(|word| word == "}" || word == "fi" || word == "done")
            && words.len() > 1
        {
            words.pop();
        }
        out.append(&mut self.inner);
        let script = inline_script(&words).filter(|_| level < DEEPEST);
        if words.is_empty() && self.writes.is_empty() {
            return;
        }
        out.push(Simple {
            joint: self.joint,
            negated,
            words,
            writes: self.writes,
            depth: self.depth,
        });
        if let Some(script) = script {
            Reader::new(&script).read(level + 1, out);
        }
    }
}

/// The script of `bash -c SCRIPT`.
fn inline_script(words: &[String]) -> Option<String> {
    let shell = words.first()?.rsplit('/').next()?;
    if !matches!(shell, "bash" | "sh" | "zsh" | "dash") {
        return None;
    }
    let flag = words
        .iter()
        .position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))?;
    words.get(flag + 1).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_joints_are_told_apart() {
        let rows = [
            ("make test && echo OK", "make test / And echo OK"),
            ("a | b -x || true", "a / Pipe b -x / Or true"),
            ("a; echo 'x; y' && b", "a / Then echo x; y / And b"),
            ("! grep -q x f", "! grep -q x f"),
            ("X=1 a > out 2>&1", "a >out"),
            ("a &>/dev/null && b", "a >/dev/null / And b"),
            ("test \"$(wc -l < f)\" = 3", "wc -l / test $(wc -l < f) = 3"),
            ("bash -c 'a || b' && c", "bash -c a || b / a / Or b / And c"),
            ("(cd x && make) && echo M", "cd x / And make / And echo M"),
            ("if a; then b; fi", "a / Then b"),
            ("cat <<< \"$x\" | grep y", "cat / Pipe grep y"),
            ("a \\| b", "a | b"),
            ("a & echo M", "a / Beside echo M"),
            ("", ""),
            ("'", ""),
            ("$(", "$()"),
        ];
        for (text, wanted) in rows {
            let got: Vec<_> = commands(text)
                .iter()
                .map(|simple| {
                    let mut out = match simple.joint {
                        Joint::Start => String::new(),
                        joint => format!("{joint:?} "),
                    };
                    if simple.negated {
                        out.push_str("! ");
                    }
                    out.push_str(&simple.words.join(" "));
                    for write in &simple.writes {
                        out.push_str(&format!(" >{write}"));
                    }
                    out
                })
                .collect();
            assert_eq!(got.join(" / "), wanted, "{text}");
        }
    }
}
