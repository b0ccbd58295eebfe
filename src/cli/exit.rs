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
                "not clear, work for the agent: UNMET, PENDING, REROLL, FAIL, violations, refused"
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

/// What the codes mean for one command (`ledger verify`), where that is more than the table says.
#[must_use]
pub fn finer(command: &str) -> Option<&'static str> {
    Some(match command {
        "review" | "demo" => {
            "0 APPROVED, 1 REROLL, 3 ESCALATE, overridden or partial delivery, 5 left without a \
             ruling, or 4 when something moved; 128 and its number when a signal ended it"
        }
        "contract show" => {
            "0 criteria found or prose, 1 absent, empty or near-miss, 2 errors in the file, \
             10 unreadable"
        }
        "contract diff" => "0 the change left its contract alone, 3 it did not",
        "floor status" => "0 MET, 1 UNMET or PENDING, 3 ABANDONED, 10 could not measure",
        "floor run" => {
            "0 MET, 1 UNMET or PENDING, 3 ABANDONED or nothing approved, 10 could not measure"
        }
        "threads" => {
            "0 nothing that counts is open, 1 something is, 3 only what a person has to confirm, \
             2 no file given, 4 the forge has another head, 10 comments are missing or could not be read"
        }
        "verify" => {
            "0 APPROVED, 1 REROLL, 3 ESCALATE, overridden or partial delivery, 4 the head moved \
             after an APPROVED, 5 undecided, 2 a bundle that cannot be read, 10 could not measure"
        }
        "post" => {
            "0 posted, or it stands there already, 2 no pull request or no terminal, 5 not wanted, \
             or nobody ruled on this head, 10 not posted"
        }
        "trust list" => "always 0 when the store can be read",
        "trust show" => "0 everything is approved, 3 something waits for an approval",
        "menu parse" => "0 a message that asks, without a fault, 1 faults, or nothing is asked",
        "menu recheck" => {
            "0 nothing speaks against a check, 1 a file breaks one, 3 a dependency has to be looked \
             at, 10 there is no base to compare with"
        }
        "menu draw" => "0 drawn, 2 the facts are malformed",
        "menu ask" => {
            "0 pick, token, composed, overrides or answer, 1 change request, 2 no terminal or \
             nothing is asked, 4 stale, 5 left without a reply; of a batch the first of 4, 5, 1"
        }
        "menu reply" => {
            "0 pick, token, composed, overrides or answer, 1 change request, 2 empty or invalid, \
             4 another gate, message or head"
        }
        "report lint" => "0 no error, warnings perhaps, 1 errors",
        "chains" => {
            "0 PASS or a truly empty scope, 1 CONDITIONAL_PASS or FAIL, 10 HARNESS_ERROR: the \
             scope, a file in it or the calibration failed, or no skill has that name"
        }
        "assert" => "0 recorded, 1 refused, 10 not recorded",
        "queue" => "0 nothing waits, 3 something waits, 10 a ledger could not be read",
        "spec state" => {
            "0 legal, 1 violations, 10 no spec was found, or one could not be looked at"
        }
        "spec edit-class" => {
            "0 every edit clears itself, 3 one asks for clearance or cannot be classified, \
             10 there is no base to compare with"
        }
        "spec refs" => {
            "0 use cases are covered, 1 one is not, 10 there is no base to compare with; \
             references only warn"
        }
        "spec gate" => {
            "0 approving is open, 1 there is work for the agent, 3 only a person can allow it, \
             10 there is no base to compare with"
        }
        "spec queue" => "0 nothing waits, 3 something waits, 10 a tree could not be read",
        "spec digest" => "0 printed, 10 there is no base to compare with",
        "spec suite" => "0 the form holds, 1 violations, 10 no suite was found",
        "ledger verify" => "0 ok, 1 degraded, 3 tampered, 10 cannot tell",
        "ledger replay" => {
            "0 every ruling follows, 1 degraded, 3 tampered or a ruling does not follow, \
             10 cannot tell"
        }
        "wave status" => {
            "0 every row is done, 1 a row is open, 3 every row that is not done is exhausted or \
             nothing changed since the no-progress checkpoint, \
             10 record, spec or ledger unreadable"
        }
        "wave admit" => {
            "0 admitted, 1 a miss, 2 the ledger waits for something else, 3 the round stops, \
             4 the head moved meanwhile, 10 cannot tell, or record, spec or ledger unreadable"
        }
        "wave native" => {
            "0 done: one commit, 1 open: no commit, 3 the round stops, 4 the head moved meanwhile, \
             10 cannot tell"
        }
        "wave repair" => {
            "0 it may be written, stands there already, or the claim is closed, 1 not compared, not \
             arrived or not closed, 2 no proposal, 4 head or description moved, 10 unreadable"
        }
        "wave closure" => {
            "0 nothing stays open, 1 something is carried, 2 no report or a bad head, 4 the head \
             does not descend from the pushed one, 10 record, spec or ledger unreadable"
        }
        "wave guard" => {
            "0 nothing is blocked, 1 a call without a result is blocked, 3 the fix rounds are used \
             up, 10 the log cannot be read"
        }
        "wave record" => "0 in order, 4 not the run that was asked for, 10 unreadable",
        "ledger sync" => {
            "0 the remote has everything and so have we, 1 something is damaged, 2 no remote, or \
             nothing that others could know this repository by, 3 the remote or the ledger was \
             tampered with, 10 not reached, or entries are unpublished"
        }
        "ledger export" => {
            "0 printed, 1 the ledger is degraded, 3 tampered, 5 `in-toto` without a ruling, \
             10 cannot tell"
        }
        _ => return None,
    })
}
