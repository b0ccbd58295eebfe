//! What was handed in beside the repository, put together for the rules: threads of the request,
//! findings, the caller. Nothing is judged here.

use std::sync::Arc;

use crate::adapters::contract::intent;
use crate::adapters::git::open::Asked;
use crate::adapters::git::record::Opened;
use crate::adapters::papers;
use crate::gate::dossier::Dossier;
use crate::gate::policy::Policy;
use crate::gate::request::{Request, ThreadFacts};
use crate::gate::verify::claims;
use crate::gate::verify::markers::{markers, rounds};
use crate::gate::verify::round_after;
use crate::gate::verify::scoped::Checks;
use crate::gate::verify::threads::Looked;
use crate::model::finding::{CallerBundle, Findings};
use crate::model::known::{Known, Reason};
use crate::model::thread::Threads;

/// What was handed in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inputs {
    /// The threads; does not apply without a request.
    pub threads: Known<Threads>,
    /// Findings.
    pub findings: Known<Findings>,
    /// Who calls.
    pub caller: Known<CallerBundle>,
    /// The round that was given.
    pub round: Option<u32>,
}

impl Default for Inputs {
    fn default() -> Self {
        let none = Request::default();
        Self {
            threads: match none.threads {
                Known::NotApplicable(why) => Known::NotApplicable(why),
                _ => Known::NotSupplied,
            },
            findings: Known::NotSupplied,
            caller: Known::NotSupplied,
            round: None,
        }
    }
}

impl Inputs {
    /// What the request says of its ticket, for the one who looks for it; `None` without one.
    #[must_use]
    pub fn asked(&self) -> Option<Asked> {
        let pull = &self.threads.known()?.pull;
        pull.known()?;
        let claims = claims::of_pull(pull);
        Some(Asked {
            closes: claims.closes,
            mentions: claims.mentions,
            subject: claims.subject,
        })
    }

    /// The base of the request, where it names one.
    #[must_use]
    pub fn base(&self) -> Option<String> {
        let pull = self.threads.known()?.pull.known()?;
        pull.base_name.as_ref()?.raw_str().map(str::to_owned)
    }
}

/// Lets the description stand in where there is no ticket (H02).
pub fn stand_in(opened: &mut Opened, inputs: &Inputs) {
    let Some(pull) = inputs.threads.known().and_then(|all| all.pull.known()) else {
        return;
    };
    let none = matches!(opened.contract, Known::NotSupplied);
    if !none || opened.dangling.is_some() {
        return;
    }
    let Some(body) = &pull.body else { return };
    if let Some(record) = intent::of_request(pull.number, body) {
        opened.snapshot.contract = Some(record.contract.digest);
        opened.contract = Known::Is(record);
    }
}

/// The request as the rules see it.
#[must_use]
pub fn request(inputs: &Inputs, opened: &Opened, looked: &[Looked], policy: &Policy) -> Request {
    let claims = match &inputs.threads {
        Known::Is(threads) => claims::of_pull(&threads.pull),
        Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => {
            claims::Claims::default()
        }
    };
    let threads = match &inputs.threads {
        Known::Is(threads) => {
            Known::Is(Arc::new(ThreadFacts::new(threads.clone(), looked, policy)))
        }
        Known::Unknown(why) => Known::Unknown(why.clone()),
        Known::NotApplicable(why) => Known::NotApplicable(why.clone()),
        Known::NotSupplied => Known::Unknown(Reason::new("the threads were not loaded")),
    };
    Request {
        threads,
        findings: shared(&inputs.findings),
        caller: shared(&inputs.caller),
        asserted: inputs.round,
        claims,
        checks: checks(opened),
        dangling: opened.dangling.clone(),
    }
}

/// The map of scoped checks, as far as it can be read.
fn checks(opened: &Opened) -> Known<Arc<Checks>> {
    match &opened.checks {
        Known::Is(text) => match papers::checks(text.raw()) {
            Ok(map) => Known::Is(Arc::new(map)),
            Err(faults) => {
                let first = faults.first().map(|(at, why)| format!("{at}: {why}"));
                Known::Unknown(Reason::new(format!(
                    ".idh-checks.json could not be read: {}",
                    first.unwrap_or_default()
                )))
            }
        },
        Known::Unknown(why) => Known::Unknown(why.clone()),
        Known::NotApplicable(why) => Known::NotApplicable(why.clone()),
        Known::NotSupplied => Known::NotSupplied,
    }
}

fn shared<T: Clone>(known: &Known<T>) -> Known<Arc<T>> {
    match known {
        Known::Is(value) => Known::Is(Arc::new(value.clone())),
        Known::Unknown(why) => Known::Unknown(why.clone()),
        Known::NotApplicable(why) => Known::NotApplicable(why.clone()),
        Known::NotSupplied => Known::NotSupplied,
    }
}

/// Puts the request into a dossier; markers can only raise the round (A4, K29).
pub fn put(dossier: &mut Dossier, request: Request, policy: &Policy) {
    if let Known::Is(facts) = &request.threads {
        let markers = markers(&facts.threads, &policy.marker_authors);
        let ledger = round_after(&dossier.rulings).saturating_sub(1);
        let head = Some(dossier.snapshot.head);
        dossier.round = Known::Is(rounds(&markers, ledger, head).next);
    }
    dossier.request = request;
}
