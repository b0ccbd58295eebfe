//! The exit codes: one table, printed by `--help`, the man page and the tests.

/// How a command ended. The number is [`Exit::code`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exit {
    /// 0.
    Clear,
    /// 1.
    NotClear,
    /// 2.
    Usage,
    /// 3.
    PersonNeeded,
    /// 4.
    Stale,
    /// 5.
    Undecided,
    /// 10.
    CouldNotMeasure,
}

impl Exit {
    /// Every row of the table.
    pub const ALL: [Self; 7] = [
        Self::Clear,
        Self::NotClear,
        Self::Usage,
        Self::PersonNeeded,
        Self::Stale,
        Self::Undecided,
        Self::CouldNotMeasure,
    ];

    /// The process's exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        match self {
            Self::Clear => 0,
            Self::NotClear => 1,
            Self::Usage => 2,
            Self::PersonNeeded => 3,
            Self::Stale => 4,
            Self::Undecided => 5,
            Self::CouldNotMeasure => 10,
        }
    }

    /// What the code means, for help and man page.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Clear => "clear: MET, APPROVED, PASS, valid, nothing owed",
            Self::NotClear => {
                "not clear, work for the agent: UNMET, PENDING, REROLL, FAIL, violations"
            }
            Self::Usage => "usage error or malformed input: nothing was run, nothing was written",
            Self::PersonNeeded => {
                "a person is needed: ABANDONED, ESCALATE, overridden, not trusted"
            }
            Self::Stale => "stale: head, base or contract moved since it was looked at",
            Self::Undecided => "undecided: the person left before ruling",
            Self::CouldNotMeasure => "could not measure: never reported as skipped or empty",
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// The table as help prints it.
#[must_use]
pub fn table() -> String {
    let mut out = String::from("Exit codes:\n");
    for exit in Exit::ALL {
        out.push_str(&format!("  {:>2}  {}\n", exit.code(), exit.meaning()));
    }
    out
}
