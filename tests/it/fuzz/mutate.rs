//! Damage with a fixed start: flips, cuts, doublings, splices of two seeds, and words that mean
//! something to one reader or another.

/// Most bytes of an input.
pub(super) const LARGEST: usize = 48 << 10;

/// Words of all formats, and bytes that terminals obey.
const WORDS: [&[u8]; 58] = [
    b"\n",
    b"\r\n",
    b"\r",
    b"\t",
    b"\0",
    b"\x1b[2J",
    b"\xff\xfe",
    b"\xc2\x9b",
    b"\xed\xa0\x80",
    "\u{202e}".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{feff}".as_bytes(),
    "\u{e0041}".as_bytes(),
    "e\u{301}\u{301}".as_bytes(),
    "漢".as_bytes(),
    "👩\u{200d}👧".as_bytes(),
    b"# ",
    b"## ",
    b"## ACCEPTANCE CRITERIA\n",
    b"## FILE SCOPE\n",
    b"1. ",
    b"- [ ] ",
    b"- [x] ",
    b"   CHECK: ",
    b"   EXPECT: ",
    b"   EVIDENCE: ",
    b"ABANDON: 1 ",
    b"[gated 2026-01-01]",
    b"```\n",
    b"~~~~\n",
    b"<!--",
    b"-->",
    b"> ",
    b"---\n",
    b"key: value\n",
    b"\"",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"null",
    b"true",
    b"-1",
    b"1e400",
    b"9007199254740993",
    b"\\ud800",
    b"\\u0000",
    b"/(a+)+$/",
    b"Feature: x\n",
    b"  Scenario: y\n",
    b"    Given z\n",
    b"\"\"\"\n",
    b"| a | b |\n",
    b"@tag ",
    b"../../etc/passwd",
    b"$(touch pwned)",
];

/// A generator of damaged inputs.
pub(super) struct Mutator {
    state: u64,
    seeds: Vec<Vec<u8>>,
}

impl Mutator {
    /// The start is the target's name, so that each has inputs of its own.
    pub(super) fn new(name: &str, seeds: Vec<Vec<u8>>) -> Self {
        let start = |sum: u64, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self {
            state: name.bytes().fold(0xcbf2_9ce4_8422_2325, start) | 1,
            seeds,
        }
    }

    pub(super) fn seeds(&self) -> usize {
        self.seeds.len()
    }

    /// xorshift64*
    fn roll(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: usize) -> usize {
        if end == 0 {
            return 0;
        }
        (self.roll() % end as u64) as usize
    }

    fn seed(&mut self) -> Vec<u8> {
        let at = self.below(self.seeds.len());
        self.seeds[at].clone()
    }

    /// The next input: first every seed as it is, then damage of one to twelve steps.
    pub(super) fn next_input(&mut self, number: u64) -> Vec<u8> {
        if let Some(seed) = usize::try_from(number).ok().and_then(|n| self.seeds.get(n)) {
            let mut whole = seed.clone();
            whole.truncate(LARGEST);
            return whole;
        }
        let mut input = self.seed();
        input.truncate(LARGEST);
        for _ in 0..=self.below(12) {
            self.damage(&mut input);
        }
        input.truncate(LARGEST);
        input
    }

    fn damage(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len() + 1);
        match self.below(10) {
            0 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << (self.state & 7);
                }
            }
            1 => input.truncate(at),
            2 => {
                let end = (at + 1 + self.below(40)).min(input.len());
                drop(input.drain(at.min(end)..end));
            }
            3 => {
                let end = (at + 1 + self.below(200)).min(input.len());
                let part = input[at.min(end)..end].to_vec();
                let times = 1 + self.below(3);
                for _ in 0..times {
                    input.splice(at..at, part.iter().copied());
                }
            }
            4 => {
                let other = self.seed();
                let from = self.below(other.len() + 1);
                let end = (from + self.below(600)).min(other.len());
                input.splice(at..at, other[from..end].iter().copied());
            }
            5 => {
                let byte = self.roll() as u8;
                input.insert(at, byte);
            }
            6 => {
                let times = 1 << self.below(11);
                let word = WORDS[self.below(WORDS.len())];
                let many = word.repeat(times.min(LARGEST / word.len()));
                input.splice(at..at, many);
            }
            7 => {
                // two lines change places
                let mut lines: Vec<&[u8]> = input.split(|byte| *byte == b'\n').collect();
                let count = lines.len();
                let (one, two) = (self.state as usize % count, at % count);
                lines.swap(one, two);
                *input = lines.join(&b'\n');
            }
            _ => {
                let word = WORDS[self.below(WORDS.len())];
                input.splice(at..at, word.iter().copied());
            }
        }
    }
}
