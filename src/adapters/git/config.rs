//! The few values that are needed from a git configuration file. Includes are not followed, and
//! nothing in the file is ever run.

/// The values of a configuration file, in file order: section, subsection, key, value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Config {
    values: Vec<Value>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Value {
    section: String,
    subsection: Vec<u8>,
    key: String,
    value: Vec<u8>,
}

impl Config {
    /// Reads what can be read; a line that makes no sense is skipped.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let mut values = Vec::new();
        let mut section = (String::new(), Vec::new());
        let mut lines = bytes.split(|b| *b == b'\n');
        while let Some(line) = lines.next() {
            let mut rest = line.trim_ascii();
            if rest.first() == Some(&b'[') {
                match header(rest) {
                    Some((name, subsection, after)) => {
                        section = (name, subsection);
                        rest = after.trim_ascii();
                    }
                    None => continue,
                }
            }
            if rest.is_empty() || matches!(rest.first(), Some(b'#' | b';')) {
                continue;
            }
            let at = rest.iter().position(|b| *b == b'=').unwrap_or(rest.len());
            let (key, value) = rest.split_at(at);
            let mut text = Vec::new();
            let mut piece = value.strip_prefix(b"=").map(<[u8]>::to_vec);
            let mut quoted = false;
            while let Some(raw) = piece.take() {
                if unquote(&raw, &mut text, &mut quoted) {
                    piece = lines.next().map(<[u8]>::to_vec);
                }
            }
            values.push(Value {
                section: section.0.clone(),
                subsection: section.1.clone(),
                key: String::from_utf8_lossy(key.trim_ascii()).to_lowercase(),
                value: if at == rest.len() {
                    b"true".to_vec()
                } else {
                    text
                },
            });
        }
        Self { values }
    }

    /// The last value of `section.key`.
    #[must_use]
    pub fn get(&self, section: &str, key: &str) -> Option<&[u8]> {
        self.values
            .iter()
            .rfind(|v| v.section == section && v.subsection.is_empty() && v.key == key)
            .map(|v| v.value.as_slice())
    }

    /// All values of `section.key`, in file order.
    pub fn all<'a>(&'a self, section: &'a str, key: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.values
            .iter()
            .filter(move |v| v.section == section && v.subsection.is_empty() && v.key == key)
            .map(|v| v.value.as_slice())
    }

    /// The last value of `section.subsection.key`.
    #[must_use]
    pub fn sub(&self, section: &str, subsection: &[u8], key: &str) -> Option<&[u8]> {
        self.values
            .iter()
            .rfind(|v| v.section == section && v.subsection == subsection && v.key == key)
            .map(|v| v.value.as_slice())
    }

    /// The subsections of a section, each once, in file order.
    #[must_use]
    pub fn subsections(&self, section: &str) -> Vec<&[u8]> {
        let mut out: Vec<&[u8]> = Vec::new();
        for value in self.values.iter().filter(|v| v.section == section) {
            if !value.subsection.is_empty() && !out.contains(&value.subsection.as_slice()) {
                out.push(&value.subsection);
            }
        }
        out
    }

    /// Whether `section.key` is set to something true.
    #[must_use]
    pub fn truthy(&self, section: &str, key: &str) -> bool {
        self.get(section, key).is_some_and(|value| {
            let value = value.to_ascii_lowercase();
            !matches!(value.as_slice(), b"" | b"false" | b"no" | b"off" | b"0")
        })
    }
}

/// `[name "sub"]` and what follows it.
fn header(line: &[u8]) -> Option<(String, Vec<u8>, &[u8])> {
    let body = line.strip_prefix(b"[")?;
    let mut name = Vec::new();
    let mut sub = Vec::new();
    let mut at = 0;
    let mut in_quotes = false;
    while let Some(byte) = body.get(at) {
        match (in_quotes, byte) {
            (false, b']') => {
                let name = String::from_utf8_lossy(name.trim_ascii()).to_lowercase();
                return match name.split_once('.') {
                    Some((first, second)) if sub.is_empty() => Some((
                        first.to_owned(),
                        second.as_bytes().to_vec(),
                        &body[at + 1..],
                    )),
                    _ => Some((name, sub, &body[at + 1..])),
                };
            }
            (true, b'\\') => {
                at += 1;
                sub.push(*body.get(at)?);
            }
            (_, b'"') => in_quotes = !in_quotes,
            (true, _) => sub.push(*byte),
            (false, _) => name.push(*byte),
        }
        at += 1;
    }
    None
}

/// Appends the value of one line; `true` when it goes on in the next.
fn unquote(raw: &[u8], out: &mut Vec<u8>, quoted: &mut bool) -> bool {
    let raw = raw.strip_suffix(b"\r").unwrap_or(raw);
    let mut bytes = if out.is_empty() {
        raw.trim_ascii_start()
    } else {
        raw
    }
    .iter();
    let mut keep = out.len();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => match bytes.next() {
                None => return true,
                Some(b'n') => out.push(b'\n'),
                Some(b't') => out.push(b'\t'),
                Some(other) => out.push(*other),
            },
            b'"' => *quoted = !*quoted,
            b'#' | b';' if !*quoted => break,
            other => out.push(*other),
        }
        if *quoted || !byte.is_ascii_whitespace() {
            keep = out.len();
        }
    }
    out.truncate(keep);
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_git_reads_them() {
        let text =
            b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n[remote \"or\\\"igin\"]\n\
            url = https://x.example/a.git ; note\n\turl = \"b # c\" \n[branch.main]\nmerge=x\n\
            [extensions] objectFormat = sha256\n[core]\n  worktree = /a \\\nb\n  flag\n# [x]\n";
        let config = Config::parse(text);
        assert_eq!(config.get("core", "bare"), Some(&b"false"[..]));
        assert!(!config.truthy("core", "bare") && config.truthy("core", "flag"));
        assert_eq!(
            config.sub("remote", b"or\"igin", "url"),
            Some(&b"b # c"[..])
        );
        assert_eq!(config.subsections("remote"), [&b"or\"igin"[..]]);
        assert_eq!(config.sub("branch", b"main", "merge"), Some(&b"x"[..]));
        assert_eq!(
            config.get("extensions", "objectformat"),
            Some(&b"sha256"[..])
        );
        assert_eq!(config.get("core", "worktree"), Some(&b"/a b"[..]));
    }

    #[test]
    fn rubbish_is_no_panic() {
        for text in [
            &b"["[..],
            b"[a \"",
            b"[a \"\\",
            b"=\\",
            b"x = \"",
            b"\xff\xfe[]=\n[]",
        ] {
            let _ = Config::parse(text);
        }
    }
}
