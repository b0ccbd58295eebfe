//! Strings of JSON: where they end, and what their escapes stand for.

/// The end of a string that starts at `at` (after its quote), and whether it holds escapes.
pub(super) fn end_of_string(bytes: &[u8], at: usize) -> Option<(usize, bool)> {
    let mut from = at;
    let mut escaped = false;
    loop {
        let rest = bytes.get(from..)?;
        let found = memchr::memchr2(b'"', b'\\', rest)?;
        if rest.get(found) == Some(&b'"') {
            return Some((from + found, escaped));
        }
        escaped = true;
        from += found + 2;
    }
}

/// The text of a string with escapes, and how many of them stand for no character.
pub(super) fn unescape(raw: &str) -> (String, usize) {
    let mut out = String::with_capacity(raw.len());
    let mut bad = 0;
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (plain, escape) = rest.split_at(at);
        out.push_str(plain);
        let code = escape.as_bytes().get(1).copied().unwrap_or(b'\\');
        let simple = match code {
            b'"' => Some('"'),
            b'\\' => Some('\\'),
            b'/' => Some('/'),
            b'b' => Some('\u{8}'),
            b'f' => Some('\u{c}'),
            b'n' => Some('\n'),
            b'r' => Some('\r'),
            b't' => Some('\t'),
            _ => None,
        };
        if let Some(character) = simple {
            out.push(character);
            rest = escape.get(2..).unwrap_or_default();
            continue;
        }
        let (character, length) = unicode(escape);
        bad += usize::from(character.is_none());
        out.push(character.unwrap_or('\u{fffd}'));
        rest = escape.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    (out, bad)
}

/// The character of `\uXXXX`, with the second half of a pair, and the length of the escape.
fn unicode(escape: &str) -> (Option<char>, usize) {
    let unit = |from: usize| {
        let escaped = escape.get(from..from + 2) == Some("\\u");
        let digits = escape.get(from + 2..from + 6).filter(|_| escaped)?;
        let hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        u32::from_str_radix(digits, 16).ok().filter(|_| hex)
    };
    let Some(first) = unit(0) else {
        // at least the backslash goes, and never half a character
        let next = escape.chars().nth(1).map_or(0, char::len_utf8);
        return (None, 1 + next);
    };
    match first {
        0xd800..=0xdbff => match unit(6) {
            Some(second @ 0xdc00..=0xdfff) => {
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                (char::from_u32(code), 12)
            }
            _ => (None, 6),
        },
        _ => (char::from_u32(first), 6),
    }
}
