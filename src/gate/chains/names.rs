//! The names of a tree, and where a text mentions one.
//!
//! A name is matched whole: the longest run of letters, digits, `-` and `_` counts, never a part
//! of a word, of a path or of a file name.

use crate::model::chain::NoSkill;

use super::profile::Profile;

/// How a target is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Spelling {
    /// A word of the sentence.
    Bare,
    /// Between backticks, after `/`, `@` or a namespace, bold, or a link to its file.
    Marked,
}

/// What a mention names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Named {
    /// The skill with this number.
    Skill(u32),
    /// No skill; what it is instead.
    None(NoSkill),
}

/// A place where a text names a skill, or writes something as if it were one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mention {
    /// Where its spelling begins, marks included.
    pub(super) from: usize,
    /// Where the name itself stands.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where its spelling ends, marks and arguments included.
    pub(super) to: usize,
    pub(super) spelling: Spelling,
    pub(super) named: Named,
}

/// The name table: an open-addressed table over FNV hashes, so that looking up a word costs no
/// more with ten thousand names than with ten.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    slots: Vec<u32>,
    mask: usize,
    /// Name and namespace, in the order of the skills.
    entries: Vec<(&'a [u8], &'a [u8])>,
    agents: &'a [Vec<u8>],
    deleted: &'a [Vec<u8>],
}

fn hash(name: &[u8]) -> usize {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in name {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    usize::try_from(hash >> 20).unwrap_or(0)
}

impl<'a> Names<'a> {
    /// A table of (name, namespace) in the order of the skills; sorted lists of agents and of
    /// skills that the working tree no longer holds.
    pub(super) fn new(
        skills: impl Iterator<Item = (&'a [u8], &'a [u8])>,
        agents: &'a [Vec<u8>],
        deleted: &'a [Vec<u8>],
    ) -> Self {
        let entries: Vec<_> = skills.collect();
        let size = (entries.len() * 2 + 1).next_power_of_two();
        let mask = size - 1;
        let mut slots = vec![u32::MAX; size];
        for (number, (name, _)) in (0u32..).zip(&entries) {
            let mut at = hash(name) & mask;
            while slots[at] != u32::MAX {
                at = (at + 1) & mask;
            }
            slots[at] = number;
        }
        Self {
            slots,
            mask,
            entries,
            agents,
            deleted,
        }
    }

    /// The skill of a name: of this namespace when one is given and known, else the first.
    fn skill(&self, name: &[u8], space: Option<&[u8]>) -> Option<u32> {
        let mut at = hash(name) & self.mask;
        let mut first = None;
        while let Some(skill) = self.slots.get(at).copied()
            && let Some((known, around)) = self.entries.get(skill as usize)
        {
            if *known == name {
                if space.is_none_or(|space| *around == space) {
                    return Some(skill);
                }
                first = first.or(Some(skill));
            }
            at = (at + 1) & self.mask;
        }
        first
    }

    fn named(&self, name: &[u8], space: Option<&[u8]>) -> Option<Named> {
        if let Some(skill) = self.skill(name, space) {
            return Some(Named::Skill(skill));
        }
        let is = |list: &[Vec<u8>]| {
            list.binary_search_by(|one| one.as_slice().cmp(name))
                .is_ok()
        };
        if is(self.deleted) {
            return Some(Named::None(NoSkill::Deleted));
        }
        is(self.agents).then_some(Named::None(NoSkill::Agent))
    }
}

fn inner(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// Whether it could be the name of a skill: starts with a letter or digit, holds a letter.
fn shaped(name: &[u8]) -> bool {
    name.first().is_some_and(u8::is_ascii_alphanumeric)
        && name.last().is_some_and(u8::is_ascii_alphanumeric)
        && name.iter().any(u8::is_ascii_alphabetic)
}

/// Words in capitals with an underscore: a shelf, not a skill.
fn registry(name: &[u8]) -> bool {
    name.contains(&b'_') && !name.iter().any(u8::is_ascii_lowercase)
}

/// Every mention of a text, in order. `strict` leaves out what nobody could resolve.
pub(super) fn mentions(
    text: &str,
    names: &Names<'_>,
    profile: &Profile,
    strict: bool,
) -> Vec<Mention> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    let mut code: Option<usize> = None;
    while let Some(byte) = bytes.get(at).copied() {
        if byte == b'`' {
            code = if code.is_some() { None } else { Some(at) };
            at += 1;
        } else if byte == b'[' {
            match link(bytes, at) {
                Some((name, to)) => {
                    let spelled = Spelled {
                        from: at,
                        name,
                        space: None,
                        to,
                        marked: true,
                        explicit: true,
                    };
                    out.extend(spelled.mention(bytes, names, profile, strict));
                    at = to;
                }
                None => at += 1,
            }
        } else if inner(byte) {
            let start = at;
            while bytes.get(at).is_some_and(|byte| inner(*byte)) {
                at += 1;
            }
            let Some(spelled) = spell(bytes, start, at, code) else {
                continue;
            };
            at = at.max(spelled.name.1);
            out.extend(spelled.mention(bytes, names, profile, strict));
        } else {
            at += 1;
        }
    }
    out
}

/// `[text](../name/SKILL.md)`: the range of the name, and where the link ends.
fn link(bytes: &[u8], at: usize) -> Option<((usize, usize), usize)> {
    let line = bytes[at..].split(|byte| *byte == b'\n').next()?;
    let middle = line.windows(2).position(|pair| pair == b"](")?;
    let target = &line[middle + 2..];
    let close = target.iter().position(|byte| *byte == b')')?;
    let path = target[..close].strip_suffix(b"/SKILL.md")?;
    let name = path.rsplit(|byte| *byte == b'/').next()?;
    let end = at + middle + 2 + path.len();
    Some(((end - name.len(), end), at + middle + 2 + close + 1))
}

struct Spelled {
    from: usize,
    name: (usize, usize),
    space: Option<(usize, usize)>,
    to: usize,
    marked: bool,
    /// Written so that it can be nothing but a skill or a command.
    explicit: bool,
}

/// Reads the spelling around the run `start..end`; `None` when it is a part of something else.
fn spell(bytes: &[u8], start: usize, end: usize, code: Option<usize>) -> Option<Spelled> {
    let before = |n: usize| start.checked_sub(n).and_then(|at| bytes.get(at)).copied();
    let mut spelled = Spelled {
        from: start,
        name: (start, end),
        space: None,
        to: end,
        marked: false,
        explicit: false,
    };
    match before(1) {
        Some(b'/') => {
            if !before(2).is_none_or(opens) {
                return None;
            }
            spelled.from = start - 1;
            spelled.marked = true;
            spelled.explicit = true;
        }
        Some(b'@') if before(2).is_none_or(opens) => {
            spelled.from = start - 1;
            spelled.marked = true;
            spelled.explicit = true;
        }
        Some(b'.' | b'\\' | b'$' | b'=' | b'@' | b'#') => return None,
        Some(_) | None => {}
    }
    if bytes.get(end) == Some(&b':') && bytes.get(end + 1).is_some_and(|b| inner(*b)) {
        let mut to = end + 1;
        while bytes.get(to).is_some_and(|byte| inner(*byte)) {
            to += 1;
        }
        spelled.space = Some((start, end));
        spelled.name = (end + 1, to);
        spelled.to = to;
        spelled.marked = true;
        spelled.explicit = true;
    }
    match bytes.get(spelled.to) {
        Some(b'/' | b'\\' | b'=') => return None,
        Some(b'.')
            if bytes
                .get(spelled.to + 1)
                .is_some_and(|b| inner(*b) || *b == b'*') =>
        {
            return None;
        }
        Some(b'*')
            if bytes
                .get(spelled.to + 1)
                .is_some_and(|b| inner(*b) || *b == b'.') =>
        {
            return None;
        }
        _ => {}
    }
    if let Some(open) = code {
        // of a span of code only the head can be a target, its arguments belong to it
        if spelled.from != open + 1 {
            return None;
        }
        let rest = &bytes[spelled.to..];
        let close = rest.iter().position(|byte| *byte == b'`')?;
        let blank = rest.first().is_none_or(u8::is_ascii_whitespace);
        if close > 0 && !blank {
            return None;
        }
        spelled.from = open;
        spelled.to += close + 1;
        spelled.marked = true;
    }
    if before_is(bytes, spelled.from, b"**") {
        spelled.from -= 2;
        spelled.marked = true;
    }
    if bytes[spelled.to..].starts_with(b"**") {
        spelled.to += 2;
    }
    Some(spelled)
}

fn before_is(bytes: &[u8], at: usize, want: &[u8]) -> bool {
    bytes[..at].ends_with(want)
}

/// What may stand before the `/` of a command.
fn opens(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"`(*\"'[|>,:".contains(&byte)
}

impl Spelled {
    fn mention(
        &self,
        bytes: &[u8],
        names: &Names<'_>,
        profile: &Profile,
        strict: bool,
    ) -> Option<Mention> {
        let name = &bytes[self.name.0..self.name.1];
        let space = self.space.map(|(from, to)| &bytes[from..to]);
        let space = space.filter(|space| *space != b"skill");
        let found = names.named(name, space).filter(|named| {
            // a bare word must be a name that is hardly a word, where the profile says so
            self.marked
                || profile.bare_words
                || name.contains(&b'-')
                || matches!(named, Named::None(_))
        });
        let named = match found {
            Some(Named::None(_)) if !self.marked => return None,
            Some(named) => named,
            None if strict || !self.marked || !shaped(name) => return None,
            None => Named::None(self.kind(name, profile)?),
        };
        Some(Mention {
            from: self.from,
            start: self.name.0,
            end: self.name.1,
            to: self.to,
            spelling: if self.marked {
                Spelling::Marked
            } else {
                Spelling::Bare
            },
            named,
        })
    }

    /// What a marked word is that names nothing of the tree; `None` when it need not be a target.
    fn kind(&self, name: &[u8], profile: &Profile) -> Option<NoSkill> {
        let built_in = |one: &String| one.as_bytes() == name;
        if profile.built_ins.iter().any(built_in) {
            return Some(NoSkill::BuiltIn);
        }
        if registry(name) {
            return Some(NoSkill::Registry);
        }
        // a single word between backticks may be anything; a name of two words hardly
        let compound = name.iter().any(|byte| matches!(byte, b'-' | b'_'));
        (self.explicit || compound).then_some(NoSkill::Phantom)
    }
}
