//! Test ids by a static scan: nothing is run, no language is parsed whole. What a scan cannot see
//! (generated tests, macros) is not listed; that is said nowhere to be none.

use crate::model::id::RepoPath;

/// One test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Test {
    /// Its id as its runner writes it.
    pub id: String,
    /// 1-based line where it is named.
    pub line: u32,
    /// The last line that belongs to it, as far as is known.
    pub end: u32,
}

/// Languages by the ending of a file's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    Rust,
    Python,
    Script,
    Go,
    Java,
}

fn language(path: &RepoPath) -> Option<Language> {
    let name = path.file_name();
    let ends = |endings: &[&[u8]]| endings.iter().any(|ending| name.ends_with(ending));
    Some(if ends(&[b".rs"]) {
        Language::Rust
    } else if ends(&[b".py"]) {
        Language::Python
    } else if ends(&[
        b".js", b".jsx", b".ts", b".tsx", b".mjs", b".cjs", b".mts", b".cts",
    ]) {
        Language::Script
    } else if ends(&[b"_test.go"]) {
        Language::Go
    } else if ends(&[b".java"]) {
        Language::Java
    } else {
        return None;
    })
}

/// The tests in the lines of a file, in order. The lines may have gaps.
#[must_use]
pub fn tests(path: &RepoPath, lines: &[(u32, &str)]) -> Vec<Test> {
    let Some(language) = language(path) else {
        return Vec::new();
    };
    let file = String::from_utf8_lossy(path.as_bytes()).into_owned();
    let mut found: Vec<(Test, usize)> = Vec::new();
    let mut scan = Scan {
        file: &file,
        marked: false,
        ignored: false,
        outer: Vec::new(),
    };
    for (number, text) in lines {
        let indent = text.len() - text.trim_start().len();
        let id = match language {
            Language::Rust => scan.rust(text.trim()),
            Language::Python => scan.python(text.trim(), indent),
            Language::Script => scan.script(text.trim(), indent),
            Language::Go => scan.go(text.trim(), indent),
            Language::Java => scan.java(text.trim()),
        };
        if let Some(id) = id {
            let test = Test {
                id,
                line: *number,
                end: *number,
            };
            found.push((test, indent));
        }
    }
    let starts: Vec<u32> = found.iter().map(|(test, _)| test.line).collect();
    let ends = |at: usize, indent: usize, line: u32| {
        let next = starts.get(at + 1).copied().unwrap_or(u32::MAX);
        let mut end = line;
        let body = lines.iter().filter(|(number, _)| *number > line);
        for (number, text) in body.take_while(|(number, _)| *number < next) {
            let own = text.len() - text.trim_start().len();
            let closes = own <= indent && !text.trim().is_empty();
            // what closes further out closes something around the test
            if closes && (own < indent || !text.trim_start().starts_with(['}', ')'])) {
                break;
            }
            end = *number;
            if closes {
                break;
            }
        }
        end
    };
    found
        .iter()
        .enumerate()
        .map(|(at, (test, indent))| Test {
            end: ends(at, *indent, test.line),
            ..test.clone()
        })
        .collect()
}

struct Scan<'a> {
    file: &'a str,
    /// An attribute or annotation says that a test follows.
    marked: bool,
    /// Another says that it does not run.
    ignored: bool,
    /// What stands around: indentation and name.
    outer: Vec<(usize, String)>,
}

impl Scan<'_> {
    /// `#[test]`, `#[tokio::test]`, `#[rstest]`, then `fn name`.
    fn rust(&mut self, text: &str) -> Option<String> {
        if let Some(attribute) = text.strip_prefix("#[") {
            let path = attribute.split(['(', ']', ' ', '=']).next().unwrap_or("");
            let last = path.rsplit(':').next().unwrap_or(path);
            self.marked |= matches!(last, "test" | "rstest" | "test_case" | "quickcheck");
            self.ignored |= last == "ignore";
            return None;
        }
        if text.is_empty() || text.starts_with("//") {
            return None;
        }
        let marked = std::mem::take(&mut self.marked);
        let ignored = std::mem::take(&mut self.ignored);
        let name = name_after(text, "fn ")?;
        (marked && !ignored).then(|| name.to_owned())
    }

    /// `def test_name`, in a class `TestName` where there is one.
    fn python(&mut self, text: &str, indent: usize) -> Option<String> {
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        self.leave(indent);
        if let Some(name) = text.strip_prefix("class ").and_then(word) {
            self.outer.push((indent, name.to_owned()));
            return None;
        }
        let plain = text.strip_prefix("async ").unwrap_or(text);
        let name = plain.strip_prefix("def ").and_then(word)?;
        if !name.starts_with("test") {
            return None;
        }
        let around: String = self
            .outer
            .iter()
            .map(|(_, name)| format!("::{name}"))
            .collect();
        Some(format!("{}{around}::{name}", self.file))
    }

    /// `test("name"`, `it("name"`, inside `describe("name"`.
    fn script(&mut self, text: &str, indent: usize) -> Option<String> {
        if text.is_empty() || text.starts_with("//") {
            return None;
        }
        self.leave(indent);
        let call = text.split('(').next().unwrap_or_default();
        let mut parts = call.split('.');
        let what = parts.next().unwrap_or_default().trim();
        let skipped = parts.any(|part| matches!(part, "skip" | "todo"));
        let test = matches!(what, "test" | "it" | "specify");
        let group = matches!(what, "describe" | "context" | "suite");
        if !(test || group) {
            return None;
        }
        let name = quoted(text.get(call.len() + 1..)?)?;
        if group {
            self.outer.push((indent, name));
            return None;
        }
        let around: String = self
            .outer
            .iter()
            .map(|(_, name)| format!("{name} > "))
            .collect();
        (!skipped).then(|| format!("{around}{name}"))
    }

    /// `func TestName(t *testing.T)`, and `t.Run("name"` in it.
    fn go(&mut self, text: &str, indent: usize) -> Option<String> {
        if let Some(rest) = text.strip_prefix("func ") {
            self.outer.clear();
            let name = word(rest)?;
            let test = ["Test", "Fuzz", "Example"].iter().any(|start| {
                name.strip_prefix(start)
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_lowercase()))
            });
            if !test || name == "TestMain" {
                return None;
            }
            self.outer.push((indent, name.to_owned()));
            return Some(name.to_owned());
        }
        let (_, rest) = text.split_once(".Run(")?;
        let name = quoted(rest)?.replace(' ', "_");
        let (_, outer) = self.outer.first()?;
        Some(format!("{outer}/{name}"))
    }

    /// `@Test`, then a method, in a class.
    fn java(&mut self, text: &str) -> Option<String> {
        if let Some(annotation) = text.strip_prefix('@') {
            let name = annotation.split(['(', ' ']).next().unwrap_or("");
            self.marked |= matches!(
                name,
                "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "Property"
            );
            self.ignored |= matches!(name, "Disabled" | "Ignore");
            // annotation and method may share a line
            if !text.contains(" void ") {
                return None;
            }
        }
        if text.is_empty() || text.starts_with("//") {
            return None;
        }
        if let Some(name) = name_after(text, "class ") {
            self.outer = vec![(0, name.to_owned())];
            (self.marked, self.ignored) = (false, false);
            return None;
        }
        let marked = std::mem::take(&mut self.marked);
        let ignored = std::mem::take(&mut self.ignored);
        let before = text.split('(').next()?;
        let name = before.split_whitespace().next_back()?;
        if !marked || ignored || !text.contains('(') {
            return None;
        }
        let outer = self.outer.first().map(|(_, name)| name.as_str());
        Some(match outer {
            Some(outer) => format!("{outer}.{name}"),
            None => name.to_owned(),
        })
    }

    /// Leaves what stands around a line that is not indented below it.
    fn leave(&mut self, indent: usize) {
        self.outer.retain(|(outer, _)| *outer < indent);
    }
}

/// The word at the start of a text.
fn word(text: &str) -> Option<&str> {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    text.get(..end).filter(|word| !word.is_empty())
}

/// The word after a keyword that stands by itself in the text.
fn name_after<'a>(text: &'a str, keyword: &str) -> Option<&'a str> {
    let at = text.match_indices(keyword).find(|(at, _)| {
        let before = text.get(..*at).and_then(|text| text.chars().next_back());
        before.is_none_or(char::is_whitespace)
    })?;
    word(text.get(at.0 + keyword.len()..)?)
}

/// The text in the quotes that a text begins with.
fn quoted(text: &str) -> Option<String> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| "\"'`".contains(*c))?;
    let mut out = String::new();
    let mut escaped = false;
    for c in text.chars().skip(1) {
        match c {
            _ if escaped => {
                out.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            c if c == quote => return Some(out),
            c => out.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(path: &str, text: &str) -> Vec<String> {
        let lines: Vec<(u32, &str)> = (1..).zip(text.lines()).collect();
        tests(&RepoPath::from(path), &lines)
            .into_iter()
            .map(|test| format!("{} {}-{}", test.id, test.line, test.end))
            .collect()
    }

    #[test]
    fn rust_tests_have_an_attribute() {
        let text = "#[test]\nfn a() {\n    b();\n}\n\n#[tokio::test]\n#[should_panic]\n\
                    pub async fn c() {}\n#[test]\n#[ignore]\nfn d() {}\nfn test_e() {}\n\
                    #[derive(Debug)]\nstruct T;\n";
        assert_eq!(ids("a.rs", text), ["a 2-4", "c 8-8"]);
    }

    #[test]
    fn python_tests_are_named_so() {
        let text = "class TestA:\n    def test_b(self):\n        pass\n\n    def helper(self):\n        \
                    pass\nasync def test_c():\n    pass\ndef tested_d(): pass\ndef e(): pass\n";
        let wanted = [
            "a.py::TestA::test_b 2-4",
            "a.py::test_c 7-8",
            "a.py::tested_d 9-9",
        ];
        assert_eq!(ids("a.py", text), wanted);
    }

    #[test]
    fn script_tests_are_calls_with_a_name() {
        let text = "describe('a', () => {\n  it(\"b's\", () => {\n    x(test);\n  });\n  \
                    it.skip('c', f);\n});\ntest.only(`d`, f);\ntestify('e');\nit(name, f);\n";
        assert_eq!(ids("a.ts", text), ["a > b's 2-4", "d 7-7"]);
    }

    #[test]
    fn go_tests_are_functions_and_their_runs() {
        let text = "func TestA(t *testing.T) {\n\tt.Run(\"b c\", func(t *testing.T) {})\n}\n\
                    func Testify() {}\nfunc TestMain(m *testing.M) {}\nfunc helper() {}\n";
        assert_eq!(ids("a_test.go", text), ["TestA 1-1", "TestA/b_c 2-2"]);
        assert!(ids("a.go", text).is_empty());
    }

    #[test]
    fn java_tests_have_an_annotation() {
        let text = "class ATest {\n    @Test\n    void b() {\n    }\n    @Test void c() {}\n    \
                    @Disabled\n    @Test\n    void d() {}\n    void e() {}\n}\n";
        assert_eq!(ids("ATest.java", text), ["ATest.b 3-4", "ATest.c 5-5"]);
    }
}
