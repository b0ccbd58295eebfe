//! The guards of the verify phase and the books of its fix rounds (H38): a fold over what a
//! session called and what came back. A round is counted when a result comes, and the cap is
//! checked when a call is made.

use std::collections::BTreeMap;

/// Agents whose waves are fix rounds.
pub const FIX_AGENTS: [&str; 2] = ["implementer", "loop-implementer"];
/// The agent whose clean exit is the audit.
pub const AUDITOR: &str = "conformance-reviewer";
/// The cap when the setting is missing or no integer.
pub const CAP: u32 = 5;
/// The line that opens the escalation.
pub const MARKER: &str = "gauntlet: gate=verification-before-completion/step-6";

/// The phases, in order.
pub const PHASES: [&str; 5] = ["brainstorm", "plan", "implement", "verify", "ship"];

/// `closureReview.maxFixRounds` as it stands in a settings file: integers only, below 0 counts as
/// 0, anything else falls back.
#[must_use]
pub fn cap(text: Option<&str>) -> u32 {
    let number = text.and_then(|text| text.trim().parse::<i64>().ok());
    number.map_or(CAP, |number| {
        u32::try_from(number.max(0)).unwrap_or(u32::MAX)
    })
}

/// What `closureReview` is set to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Whether the guards block at all.
    pub enforce: bool,
    /// The cap.
    pub cap: u32,
    /// The model that an audit has to name.
    pub model: Option<String>,
    /// Where the settings were read from, for the block text.
    pub path: String,
    /// Whether this is the session of a subagent: its calls are not guarded.
    pub child: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enforce: true,
            cap: CAP,
            model: None,
            path: "not handed in".into(),
            child: false,
        }
    }
}

/// One agent of a dispatch, at any depth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sent {
    /// Its name.
    pub agent: String,
    /// The model it is given.
    pub model: Option<String>,
}

/// A call, before it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Call {
    /// A dispatch of agents.
    Subagent {
        /// A management call (status, interrupt) dispatches nothing.
        management: bool,
        /// It does not wait for results.
        asynchronous: bool,
        /// The agent of a lone call.
        lone: Option<String>,
        /// Every agent in it: lone, tasks, chain, parallel.
        sent: Vec<Sent>,
    },
    /// A call of the phase tracker.
    Phase {
        /// `start`, `complete`, `skip`, `reset`, `grant_fix_rounds`, ..
        action: String,
        /// The phase it names.
        phase: Option<String>,
        /// Whether it starts a phase again that is over.
        force: bool,
        /// Rounds of a grant, as written.
        rounds: Option<String>,
        /// The reason it gives.
        reason: Option<String>,
    },
}

/// What came back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Back {
    /// Of a dispatch.
    Subagent {
        /// Whether the call failed as a whole.
        error: bool,
        /// Each child with its exit code.
        results: Vec<(String, Option<i64>)>,
    },
    /// Of the phase tracker.
    Phase {
        /// Whether it was refused.
        error: bool,
        /// The action.
        action: String,
        /// The phase that the call named.
        phase: Option<String>,
        /// Phase and status afterwards.
        phases: BTreeMap<String, String>,
        /// Rounds granted.
        rounds: Option<u32>,
    },
}

/// Which guard speaks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Guard {
    /// Verify cannot be completed without an audit.
    Closure,
    /// An audit names the model that is set.
    ClosureModel,
    /// A lone worker runs without a worktree of its own.
    Lone,
    /// The fix rounds are used up.
    Cap,
    /// A grant that cannot be taken.
    Grant,
    /// A step that the phases do not have.
    Step,
}

impl Guard {
    /// The token in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Closure => "closure",
            Self::ClosureModel => "closure-model",
            Self::Lone => "lone-worker",
            Self::Cap => "fix-round-cap",
            Self::Grant => "grant",
            Self::Step => "phase-step",
        }
    }
}

/// What a guard says to a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Says {
    /// Nothing.
    Pass,
    /// It runs, with a warning.
    Warn(Guard, String),
    /// It must not run.
    Block(Guard, String),
}

/// The books of one session.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Session {
    /// Phase and status.
    pub phases: BTreeMap<String, String>,
    /// Whether the flow was entered; without it nothing is guarded.
    pub entered: bool,
    /// Whether an audit was seen.
    pub audited: bool,
    /// Fix rounds counted.
    pub rounds: u32,
    /// Granted rounds not spent yet.
    pub credits: u32,
}

impl Session {
    fn in_progress(&self, phase: &str) -> bool {
        self.phases.get(phase).is_some_and(|s| s == "in_progress")
    }

    /// Whether fix rounds are counted and capped now.
    #[must_use]
    pub fn window(&self, settings: &Settings) -> bool {
        self.entered && settings.enforce && self.in_progress("verify") && self.audited
    }

    /// Whether the next wave would be blocked by the cap, grants aside.
    #[must_use]
    pub fn capped(&self, settings: &Settings) -> bool {
        self.window(settings) && !settings.child && self.rounds >= settings.cap
    }

    /// What the guards say to a call; the first that applies. Nothing is counted here.
    #[must_use]
    pub fn ask(&self, call: &Call, settings: &Settings) -> Says {
        match call {
            Call::Phase {
                action,
                phase,
                force,
                rounds,
                reason,
            } => match action.as_str() {
                "complete" => match self.complete(phase.as_deref(), settings) {
                    Says::Pass => self.step(action, phase.as_deref(), *force, reason.as_deref()),
                    blocked => blocked,
                },
                "start" | "skip" | "substep" => {
                    self.step(action, phase.as_deref(), *force, reason.as_deref())
                }
                "grant_fix_rounds" => {
                    match self.grant(rounds.as_deref(), reason.as_deref(), settings) {
                        Ok(_) => Says::Pass,
                        Err(why) => Says::Block(Guard::Grant, why.to_owned()),
                    }
                }
                _ => Says::Pass,
            },
            Call::Subagent {
                management,
                asynchronous,
                lone,
                sent,
            } => self.dispatch(
                (*management, *asynchronous),
                lone.as_deref(),
                sent,
                settings,
            ),
        }
    }

    /// What the phases themselves refuse: an error result, the state stays (verdict-menus 4.1).
    fn step(&self, action: &str, phase: Option<&str>, force: bool, reason: Option<&str>) -> Says {
        let no = |why: String| Says::Block(Guard::Step, why);
        let status = |phase: &str| self.phases.get(phase).map(String::as_str);
        let under_way = PHASES.into_iter().find(|phase| self.in_progress(phase));
        let named = phase.filter(|phase| PHASES.contains(phase));
        match action {
            "start" => {
                let Some(phase) = named else {
                    return no("start has to name a phase".into());
                };
                if matches!(status(phase), Some("complete" | "skipped")) && !force {
                    return no(format!("{phase} is over; force starts it again"));
                }
                match under_way.filter(|other| *other != phase) {
                    Some(other) => no(format!("{other} is in progress")),
                    None => Says::Pass,
                }
            }
            "complete" => {
                let at = named.or(under_way).and_then(status);
                match at {
                    Some("complete" | "skipped") => no("that phase is over".into()),
                    _ => Says::Pass,
                }
            }
            "skip" if reason.is_none_or(|reason| reason.trim().is_empty()) => {
                no("a phase is skipped with a reason, the human's words".into())
            }
            "substep" if under_way.is_none() => no("no phase is in progress".into()),
            _ => Says::Pass,
        }
    }

    fn complete(&self, phase: Option<&str>, settings: &Settings) -> Says {
        if phase == Some("verify") && self.entered && settings.enforce && !self.audited {
            let why = format!(
                "verify cannot be completed before a {AUDITOR} ended with exit 0; \
                 piGauntlet.closureReview.enforce: false turns this off"
            );
            return Says::Block(Guard::Closure, why);
        }
        Says::Pass
    }

    fn dispatch(
        &self,
        (management, asynchronous): (bool, bool),
        lone: Option<&str>,
        sent: &[Sent],
        settings: &Settings,
    ) -> Says {
        if management || settings.child || !self.entered || !settings.enforce {
            return Says::Pass;
        }
        let model = self.model(sent, settings);
        if let Says::Block(..) = model {
            return model;
        }
        if !self.window(settings) {
            return model;
        }
        if let Some(agent) = lone.filter(|agent| FIX_AGENTS.contains(agent)) {
            let why = format!(
                "Conformance fix loop: dispatch implementers as a one-task tasks wave (tasks: \
                 [{{ agent: \"{agent}\", worktree: true, ... }}]); a lone call has no worktree of \
                 its own and leaves no diff to take over. \
                 To disable this gate, set piGauntlet.closureReview.enforce: false."
            );
            return Says::Block(Guard::Lone, why);
        }
        let fixes = sent.iter().any(|s| FIX_AGENTS.contains(&s.agent.as_str()));
        let funded = self.credits > 0 && !asynchronous;
        if fixes && self.rounds >= settings.cap && !funded {
            return Says::Block(Guard::Cap, self.cap_text(settings));
        }
        model
    }

    fn model(&self, sent: &[Sent], settings: &Settings) -> Says {
        let Some(wanted) = &settings.model else {
            return Says::Pass;
        };
        let mut says = Says::Pass;
        for audit in sent.iter().filter(|sent| sent.agent == AUDITOR) {
            match &audit.model {
                None => {
                    let why = format!("{AUDITOR} has to be dispatched with model: {wanted}");
                    return Says::Block(Guard::ClosureModel, why);
                }
                Some(model) if model != wanted => {
                    let why = format!("{AUDITOR} runs on {model}, closureReview.model is {wanted}");
                    says = Says::Warn(Guard::ClosureModel, why);
                }
                Some(_) => {}
            }
        }
        says
    }

    fn cap_text(&self, settings: &Settings) -> String {
        format!(
            "Conformance fix loop: {} fix round(s) used against a cap of {} (granted rounds \
             included); escalate to the human. When the human approves more, record it with \
             phase_tracker action grant_fix_rounds, the number of rounds and the human's own words \
             as the reason. The cap is piGauntlet.closureReview.maxFixRounds (settings: {}). Start \
             the escalation message with the line: {MARKER}",
            self.rounds, settings.cap, settings.path
        )
    }

    /// Whether a grant can be taken now: the rounds it gives.
    ///
    /// # Errors
    /// The first reason against it, in the source's order.
    pub fn grant(
        &self,
        rounds: Option<&str>,
        reason: Option<&str>,
        settings: &Settings,
    ) -> Result<u32, &'static str> {
        /// The largest integer that every reader of JSON holds exactly.
        const SAFE: u64 = (1 << 53) - 1;
        let number = rounds
            .and_then(|text| text.parse::<u64>().ok())
            .filter(|number| (1..=SAFE).contains(number))
            .ok_or("rounds is no positive whole number")?;
        if reason.is_none_or(|reason| reason.trim().is_empty()) {
            return Err("a grant needs the human's words as its reason");
        }
        if !self.capped(settings) {
            return Err("the cap does not block now, so there is nothing to grant");
        }
        if self.credits > 0 {
            return Err("granted rounds are left; grants cannot be stacked");
        }
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// Takes what came back. Grants count from history alone, no setting is read for them.
    pub fn take(&mut self, back: &Back, settings: &Settings) {
        match back {
            Back::Subagent { error, results } => {
                let fix = |(agent, _): &(String, Option<i64>)| FIX_AGENTS.contains(&agent.as_str());
                if !error && results.iter().any(fix) && self.window(settings) {
                    self.credits = self.credits.saturating_sub(1);
                    self.rounds = self.rounds.saturating_add(1);
                }
                let audit =
                    |(agent, exit): &(String, Option<i64>)| agent == AUDITOR && *exit == Some(0);
                if !error && results.iter().any(audit) {
                    self.audited = true;
                }
            }
            Back::Phase { error: true, .. } => {}
            Back::Phase {
                action,
                phase,
                phases,
                rounds,
                ..
            } => self.phase(action, phase.as_deref(), phases, *rounds),
        }
    }

    fn phase(
        &mut self,
        action: &str,
        phase: Option<&str>,
        phases: &BTreeMap<String, String>,
        rounds: Option<u32>,
    ) {
        let implementing = self.in_progress("implement");
        if !phases.is_empty() {
            self.phases.clone_from(phases);
        }
        match action {
            "reset" => *self = Self::default(),
            "start" => {
                if self.in_progress("brainstorm") {
                    self.entered = true;
                }
                let named = phase.map_or(!implementing, |phase| phase == "implement");
                if named && self.in_progress("implement") {
                    self.rounds = 0;
                    self.credits = 0;
                }
            }
            "grant_fix_rounds" => self.credits = rounds.unwrap_or(0),
            _ => {}
        }
    }
}
