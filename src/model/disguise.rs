//! Words that pretend to be others: letters of two scripts in one word, and words that are drawn
//! like plain Latin ones (requirement OUT-12, Unicode Technical Standard 39).
//!
//! Honest texts in any language must come through without a mark, so a word is only marked when
//! it can be read as another one: every letter of it is, or looks like, an ASCII letter.

use unicode_normalization::UnicodeNormalization as _;
use unicode_script::{Script, UnicodeScript as _};
use unicode_security::confusable_detection::skeleton;

/// What is wrong with a name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Disguise {
    /// A word of it reads like this plain one and is another.
    Reads(String),
    /// A word of it mixes letters of these scripts.
    Mixes(Vec<&'static str>),
}

impl Disguise {
    /// `reads like pay`, `mixes Cyrillic and Latin letters`.
    #[must_use]
    pub fn says(&self) -> String {
        match self {
            Self::Reads(plain) => format!("reads like {plain:?} and is other letters"),
            Self::Mixes(scripts) => format!("mixes {} letters", scripts.join(" and ")),
        }
    }
}

/// Looks at a name: an id, a path, a ref, a login.
#[must_use]
pub fn of_name(name: &str) -> Option<Disguise> {
    if name.is_ascii() {
        return None;
    }
    if let Some(plain) = words(name).find_map(|word| look_alike(word, Strictness::Name)) {
        return Some(Disguise::Reads(plain));
    }
    if let Some(plain) = whole_script(name) {
        return Some(Disguise::Reads(plain));
    }
    words(name).find_map(mixes).map(Disguise::Mixes)
}

/// How many words of a line of prose or code are drawn like plain ones and are not.
#[must_use]
pub fn look_alikes(line: &str) -> u32 {
    if line.is_ascii() {
        return 0;
    }
    let found = words(line).filter(|word| look_alike(word, Strictness::Text).is_some());
    u32::try_from(found.count()).unwrap_or(u32::MAX)
}

/// How a name is drawn: two names of one drawing are drawn alike. Its own letters mean nothing.
#[must_use]
pub fn drawn_as(name: &str) -> String {
    skeleton(name).collect()
}

/// Where a word stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Strictness {
    /// In prose or code, where single Greek letters are names of quantities.
    Text,
    /// In a name.
    Name,
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_ascii())
}

/// A word that holds ASCII letters and letters of another script, each drawn like an ASCII one:
/// the plain word that it is read as.
fn look_alike(word: &str, strictness: Strictness) -> Option<String> {
    let mut ascii = false;
    let mut other = false;
    for letter in word.chars() {
        if letter.is_ascii() {
            ascii |= letter.is_ascii_alphabetic();
        } else if passes_for_ascii(letter) && !is_quantity(letter, strictness) {
            other = true;
        } else {
            return None;
        }
    }
    (ascii && other).then(|| plain_of(word)).flatten()
}

/// A name all of whose foreign letters are drawn like ASCII ones; honest names of that script
/// hold others as well.
fn whole_script(name: &str) -> Option<String> {
    let foreign = |c: &char| !c.is_ascii() && c.is_alphabetic();
    let letters = || name.chars().filter(foreign);
    if letters().count() < 2 && !letters().all(is_styled) {
        return None;
    }
    if letters().next().is_none() || !letters().all(passes_for_ascii) {
        return None;
    }
    words(name)
        .filter(|word| word.chars().any(|c| foreign(&c)))
        .find_map(plain_of)
}

/// The word as it is read, when that is plain.
fn plain_of(word: &str) -> Option<String> {
    let plain: String = word.chars().flat_map(drawn).collect();
    let fits = !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_alphanumeric());
    fits.then_some(plain)
}

/// What a character is drawn like: itself, when it is ASCII.
fn drawn(letter: char) -> Vec<char> {
    if letter.is_ascii() {
        return vec![letter];
    }
    if is_styled(letter) {
        return std::iter::once(letter).nfkc().collect();
    }
    let mut buffer = [0; 4];
    skeleton(letter.encode_utf8(&mut buffer)).collect()
}

/// Whether a letter that is none of ours passes for an ASCII one. Latin letters beyond ASCII are
/// how many languages are written.
fn passes_for_ascii(letter: char) -> bool {
    if letter.script() == Script::Latin && !is_styled(letter) {
        return false;
    }
    let drawn = drawn(letter);
    letter.is_alphanumeric() && !drawn.is_empty() && drawn.iter().all(char::is_ascii_alphanumeric)
}

/// Full-width and mathematical letters and digits.
fn is_styled(letter: char) -> bool {
    matches!(u32::from(letter), 0xff10..=0xff5a | 0x1d400..=0x1d7ff)
}

/// Greek lower-case letters are names of quantities in text, but for the one that is a bare ring.
fn is_quantity(letter: char, strictness: Strictness) -> bool {
    strictness == Strictness::Text
        && letter.script() == Script::Greek
        && letter.is_lowercase()
        && letter != 'ο'
}

/// The scripts of a word that mixes more of them than any language does. Greek letters that are
/// drawn like no Latin one are names of quantities.
fn mixes(word: &str) -> Option<Vec<&'static str>> {
    let letters = || word.chars().filter(|c| c.is_alphabetic());
    let mut scripts: Vec<Script> = Vec::new();
    for letter in letters() {
        let script = letter.script();
        if !matches!(script, Script::Common | Script::Inherited) && !scripts.contains(&script) {
            scripts.push(script);
        }
    }
    if scripts.len() < 2 {
        return None;
    }
    let within = |usual: &[Script]| scripts.iter().all(|script| usual.contains(script));
    let usual: [&[Script]; 3] = [
        &[
            Script::Latin,
            Script::Han,
            Script::Hiragana,
            Script::Katakana,
        ],
        &[Script::Latin, Script::Han, Script::Bopomofo],
        &[Script::Latin, Script::Han, Script::Hangul],
    ];
    let borrowed = scripts.len() == 2
        && scripts.contains(&Script::Latin)
        && !scripts.iter().any(|script| ALIKE.contains(script));
    let quantity = within(&[Script::Latin, Script::Greek])
        && !letters().any(|c| c.script() == Script::Greek && passes_for_ascii(c));
    if usual.into_iter().any(within) || borrowed || quantity {
        return None;
    }
    let mut names: Vec<&'static str> = scripts.iter().map(|script| script.full_name()).collect();
    names.sort_unstable();
    Some(names)
}

/// Scripts with so many letters that are drawn like Latin ones that a word in both reads wrong.
const ALIKE: [Script; 6] = [
    Script::Cyrillic,
    Script::Greek,
    Script::Armenian,
    Script::Cherokee,
    Script::Coptic,
    Script::Lisu,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_read_like_others_are_marked() {
        let reads = [
            ("G\u{661}", Some("Gl")),
            ("\u{ff27}\u{ff11}", Some("G1")),
            ("\u{1d406}\u{1d7cf}", Some("G1")),
            ("\u{430}lice", Some("alice")),
            ("alic\u{435}", Some("alice")),
            ("p\u{430}y.rs", Some("pay")),
            ("\u{440}\u{430}\u{443}.rs", Some("pay")),
            ("c\u{3bf}unt", Some("count")),
            ("src/\u{441}\u{43e}\u{440}\u{443}.rs", Some("copy")),
        ];
        for (name, plain) in reads {
            let wanted = plain.map(|plain| Disguise::Reads(plain.to_owned()));
            assert_eq!(of_name(name), wanted, "{name:?}");
        }
        let mixed = of_name("x\u{430}\u{43a}\u{436}");
        assert_eq!(mixed, Some(Disguise::Mixes(vec!["Cyrillic", "Latin"])));
    }

    #[test]
    fn honest_names_in_many_languages_are_not() {
        let rows = [
            "naïve-façade.rs",
            "größe.md",
            "smörgåsbord",
            "kapı.txt",
            "ışık",
            "Łódź",
            "đường",
            "привет.md",
            "сосна.txt",
            "задача-1.md",
            "Ελλάδα.md",
            "λόγος",
            "שלום.txt",
            "مرحبا.md",
            "فصل-١٥.md",
            "हिन्दी.md",
            "ไทย.md",
            "日本語.md",
            "APIキー",
            "使用API接口.md",
            "第１章.md",
            "한국어.md",
            "Δt.rs",
            "μs.rs",
            "λ-calculus",
            "הURL",
            "e\u{301}te\u{301}",
            "δοκιμή",
        ];
        for name in rows {
            assert_eq!(of_name(name), None, "{name:?}");
        }
    }

    #[test]
    fn words_in_text_are_marked_only_when_all_of_them_reads_like_ascii() {
        let rows = [
            ("if p\u{430}y == limit {", 1),
            ("let us\u{435}r = \u{455}udo;", 2),
            ("c\u{3bf}unt += 1", 1),
            ("αmax = γ0 * Δρx + νmin", 0),
            ("оса и рак, сор", 0),
            ("SMSка, PDFки, 1С:Предприятие", 0),
            ("ＡＢＣ and 漢字API", 0),
            ("plain", 0),
        ];
        for (line, count) in rows {
            assert_eq!(look_alikes(line), count, "{line:?}");
        }
    }

    #[test]
    fn two_names_that_are_drawn_alike_are_told() {
        for (one, other) in [
            ("G1", "\u{ff27}1"),
            ("pay", "p\u{430}y"),
            ("a\u{200b}b", "ab"),
        ] {
            assert_eq!(drawn_as(one), drawn_as(other));
        }
        assert_ne!(drawn_as("pay"), drawn_as("pray"));
    }
}
