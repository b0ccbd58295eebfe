//! What the agent gets back: the kick-backs of a ruling in one order, with the contract named
//! first and everything quoted, never paraphrased (H05, H32, H33). It says nothing about what
//! is done while a part of it is abandoned.

use crate::model::chain::ChainId;
use crate::model::contract::{Anchors, Criterion, Source};
use crate::model::finding::FindingId;
use crate::model::id::{CriterionId, Digest, EntryId, Oid, RepoPath};
use crate::model::known::Known;
use crate::model::oracle::{Ended, Expect};
use crate::model::ruling::{Assurance, RootCause, Verdict};
use crate::model::scope::Trace;
use crate::model::standing::Standing;
use crate::model::text::{Foreign, Place};

use super::decide::{Act, Answer, Decision, Ruling};
use super::dossier::{Dossier, EditTarget, Raised, Recorded, RunFact, Subject};
use super::judge::{Item, Judgment};
use super::policy::Policy;
use super::standing::Proof;
use super::standing_facts::Facts;

/// The hand-off of one ruling.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handoff {
    /// The contract; `None` when there is none.
    pub contract: Option<ContractRef>,
    /// Short name of the repository.
    pub repository: Foreign,
    /// Key of the change.
    pub change: String,
    /// The head that was ruled.
    pub head: Oid,
    /// The base it was ruled against.
    pub base: Oid,
    /// The verdict.
    pub verdict: Verdict,
    /// The round.
    pub round: u32,
    /// By whom.
    pub by: String,
    /// What the name is worth.
    pub assurance: Assurance,
    /// The ruling's entry in the ledger and its number there.
    pub ruling: (EntryId, u64),
    /// What goes back, in the order of H05.
    pub items: Vec<HandoffItem>,
    /// Every abandoned criterion.
    pub abandoned: Vec<AbandonedNote>,
    /// Edits that the person confirmed and that wait to be committed; we commit nothing.
    pub edits_to_commit: Vec<EditToCommit>,
    /// The class, when not APPROVED.
    pub root_cause_class: Option<RootCause>,
    /// The line for the caller to pose, on REROLL.
    pub reroll_bump: Option<String>,
    /// The strongest remaining attack, in the person's words.
    pub attack: String,
    /// Whether a partial delivery is part of it.
    pub partial: bool,
    /// Whether only the floor was red, so that no round was used.
    pub floor_bounce: bool,
}

/// The contract, by path, blob and digest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContractRef {
    /// Where it lies.
    pub path: RepoPath,
    /// The blob, when it is in the repository.
    pub blob: Option<Oid>,
    /// SHA-256 of its bytes.
    pub digest: Digest,
    /// Which version was judged.
    pub source: Source,
}

/// What an item is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum About {
    /// A criterion.
    Criterion(CriterionId),
    /// What the change did to its contract.
    ContractEdit(EditTarget),
    /// A file that nothing accounts for.
    File(RepoPath),
    /// A chain: who dispatches whom.
    Chain(ChainId),
    /// An assertion.
    Assertion(EntryId),
    /// A review thread: the forge's id.
    Thread(Box<str>),
    /// A finding of simplify: a digest of what it says.
    Finding(FindingId),
}

/// One thing that goes back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandoffItem {
    /// What.
    pub about: About,
    /// The criterion's words byte for byte; empty for the rest.
    pub verbatim: Foreign,
    /// `implementation`, `evidence`, `criterion`, `question`, `decline`, `lift`; `None` for a
    /// criterion that is MISSING without an answer by the person.
    pub cause: Option<&'static str>,
    /// The person's words.
    pub text: String,
    /// What the criterion names.
    pub anchors: Anchors,
    /// Changed files that are traced to it.
    pub files: Vec<RepoPath>,
    /// The rows of the floor that failed, verbatim.
    pub rows: Vec<FailedRow>,
}

/// A red row of the floor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailedRow {
    /// The command, byte for byte.
    pub check: Foreign,
    /// What it must print; `None` for exit 0 alone.
    pub expect: Option<Foreign>,
    /// How the run ended, in the words of contract-gates 1.6 (`exit=1 (nonzero)`).
    pub ended: String,
    /// The ledger entry of the run.
    pub run: EntryId,
    /// Head it ran on.
    pub head: Oid,
    /// The deciding lines: number and text.
    pub lines: Vec<(u64, Foreign)>,
}

/// An abandoned criterion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AbandonedNote {
    /// Which.
    pub id: CriterionId,
    /// Its words.
    pub verbatim: Foreign,
    /// Why, as the contract or the person says.
    pub reason: Foreign,
    /// Who takes it over, where that was asked for on its own.
    pub handoff: Option<String>,
    /// Whether a person accepted or declared it.
    pub accepted: bool,
}

/// A confirmed edit that waits to be committed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EditToCommit {
    /// The file.
    pub path: RepoPath,
    /// What kind (`evidence`, `abandon`, `gated`, `lift`).
    pub kind: String,
    /// SHA-256 of the file after it.
    pub after: Digest,
}

impl EditToCommit {
    /// The file, the kinds and the bytes, for people.
    #[must_use]
    pub fn says(&self) -> String {
        let path = self.path.foreign().shown(Place::Strict);
        format!("{path} ({}), sha256 {}", self.kind, self.after)
    }
}

/// The hand-off of a ruling. `judgment` must be the one that was signed.
#[must_use]
pub fn handoff(
    dossier: &Dossier,
    judgment: &Judgment,
    policy: &Policy,
    ruling: &Recorded<Ruling>,
    edits_to_commit: Vec<EditToCommit>,
) -> Handoff {
    let facts = Facts::new(dossier, policy);
    let signed = &ruling.value;
    let items = items(&facts, judgment);
    let bump = (signed.verdict() == Verdict::Reroll)
        .then(|| items.first().map(|item| bump(signed.round(), item)))
        .flatten();
    Handoff {
        contract: dossier.contract.known().map(|record| ContractRef {
            path: record.contract.path.clone(),
            blob: record.blob,
            digest: record.contract.digest,
            source: record.source.clone(),
        }),
        repository: dossier.change.repository_name.clone(),
        change: dossier.change.key.clone(),
        head: signed.snapshot().head,
        base: signed.snapshot().base,
        verdict: signed.verdict(),
        round: signed.round(),
        by: signed.by().to_owned(),
        assurance: signed.assurance(),
        ruling: (ruling.entry, ruling.number),
        abandoned: abandoned(&facts, judgment),
        items,
        edits_to_commit,
        root_cause_class: signed.root_cause(),
        reroll_bump: bump,
        attack: signed.attack().to_owned(),
        partial: signed.partial(),
        floor_bounce: signed.floor_bounce(),
    }
}

/// The bump line of the source, for the caller to pose; the gate writes no ticket (H01).
fn bump(round: u32, top: &HandoffItem) -> String {
    let what = match &top.about {
        About::Criterion(id) => {
            let text = one_line(&top.verbatim);
            format!("{id} {text}")
        }
        About::ContractEdit(EditTarget::Criterion(id)) => format!("the edit of {id}"),
        About::ContractEdit(EditTarget::Whole) => "the edit of the contract".to_owned(),
        About::ContractEdit(EditTarget::Request) => "the edit of the request".to_owned(),
        About::ContractEdit(EditTarget::Scope) => "the edit of the file scope".to_owned(),
        About::ContractEdit(EditTarget::Header) => "the edit of the header".to_owned(),
        About::File(path) => path.foreign().shown(Place::Strict).plain(),
        About::Chain(id) => format!("chain {}", id.shown()),
        About::Assertion(entry) => format!("assertion {}", entry.short()),
        About::Thread(id) => format!(
            "comment {}",
            Foreign::from(id.as_ref()).shown(Place::Strict)
        ),
        About::Finding(_) => one_line(&top.verbatim),
    };
    format!(
        "note verify-reroll \u{2014} round {round}: {}",
        what.trim_end()
    )
}

/// Foreign text on one line, line ends and runs of blanks as one blank.
fn one_line(text: &Foreign) -> String {
    let lines: Vec<String> = text
        .shown_lines(Place::Prose)
        .iter()
        .map(ToString::to_string)
        .collect();
    let words: Vec<&str> = lines.iter().flat_map(|l| l.split_whitespace()).collect();
    words.join(" ")
}

/// Missing criteria in contract order, then edits of the contract, files, assertions (H05).
fn items(facts: &Facts<'_>, judgment: &Judgment) -> Vec<HandoffItem> {
    let mut out: Vec<(u8, HandoffItem)> = judgment
        .items
        .iter()
        .filter_map(|item| goes_back(facts, item))
        .collect();
    out.sort_by_key(|(rank, _)| *rank);
    out.into_iter().map(|(_, item)| item).collect()
}

fn goes_back(facts: &Facts<'_>, item: &Item) -> Option<(u8, HandoffItem)> {
    let said = facts.said(&item.subject).now.map(|d| &d.value);
    let words = said.and_then(sent_back);
    match &item.subject {
        Subject::Criterion(id) => {
            let criterion = facts.criterion(id)?;
            let missing = matches!(item.standing, Standing::Failing | Standing::Error);
            let (cause, text) = match words {
                Some((cause, text)) => (Some(cause), text),
                None if missing => (None, String::new()),
                None => return None,
            };
            Some((0, of_criterion(facts, criterion, cause, text)))
        }
        Subject::ContractEdit(target) => {
            words.map(|words| (1, plain(About::ContractEdit(target.clone()), words)))
        }
        Subject::ScopeFile(path) => words.map(|words| (2, plain(About::File(path.clone()), words))),
        Subject::Chain(id) => words.map(|words| (3, plain(About::Chain(id.clone()), words))),
        Subject::Assertion(entry) => words.map(|words| (3, plain(About::Assertion(*entry), words))),
        Subject::Review(raised) => of_review(facts, item, raised, words),
        // a reply goes to its own gate, never to the agent of this change
        Subject::Message(_) => None,
    }
}

/// A thread or a finding that is to be dealt with, in its own words.
fn of_review(
    facts: &Facts<'_>,
    item: &Item,
    raised: &Raised,
    words: Option<(&'static str, String)>,
) -> Option<(u8, HandoffItem)> {
    let request = &facts.dossier.request;
    let (about, verbatim) = match raised {
        Raised::Thread { id, .. } => {
            let (_, thread) = request.threads.known()?.find(raised)?;
            (About::Thread(id.clone()), thread.first.body.clone())
        }
        Raised::Finding(id) => {
            let finding = request.findings.known()?.simplify_of(id)?;
            (About::Finding(*id), finding.finding.clone())
        }
        Raised::Incomplete(_) => return None,
    };
    if words.is_none() && !(item.blocks && item.standing == Standing::Failing) {
        return None;
    }
    let mut out = plain(about, words.unwrap_or(("unresolved", String::new())));
    out.verbatim = verbatim;
    Some((1, out))
}

/// The cause and the words of an act that sends something back.
fn sent_back(decision: &Decision) -> Option<(&'static str, String)> {
    match decision.act() {
        Act::KickBack { cause, text } => Some((cause.word(), text.clone())),
        Act::Lift { text } => Some(("lift", text.clone())),
        Act::ScopeDecline { text } => Some(("decline", text.clone())),
        Act::Answer(Answer::WaiverRefused { why }) => Some(("waiver refused", why.clone())),
        Act::Acknowledge
        | Act::AcceptEdit { .. }
        | Act::Ratify { .. }
        | Act::RatifyUnseen { .. }
        | Act::Abandon { .. }
        | Act::AcceptPartial { .. }
        | Act::NotApplicable { .. }
        | Act::Override { .. }
        | Act::ChainClosed { .. }
        | Act::ChainAccepted { .. }
        | Act::ScopeAccept
        | Act::ScopeTicket { .. }
        | Act::ScopeEscalate { .. }
        | Act::Answer(_)
        | Act::Reply(_) => None,
    }
}

fn plain(about: About, (cause, text): (&'static str, String)) -> HandoffItem {
    HandoffItem {
        about,
        verbatim: Foreign::default(),
        cause: Some(cause),
        text,
        anchors: Anchors::default(),
        files: Vec::new(),
        rows: Vec::new(),
    }
}

fn of_criterion(
    facts: &Facts<'_>,
    criterion: &Criterion,
    cause: Option<&'static str>,
    text: String,
) -> HandoffItem {
    let traced = Trace::Criterion(criterion.id.clone());
    let files = match &facts.dossier.scope {
        Known::Is(scope) => scope
            .files
            .iter()
            .filter(|file| file.traces.contains(&traced))
            .map(|file| file.path.clone())
            .collect(),
        Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => Vec::new(),
    };
    let proven = facts.proven(criterion);
    let red = matches!(proven.proof, Proof::NotMet | Proof::Error);
    HandoffItem {
        about: About::Criterion(criterion.id.clone()),
        verbatim: criterion.text.clone(),
        cause,
        text,
        anchors: criterion.anchors.clone(),
        files,
        rows: proven
            .run
            .filter(|_| red)
            .and_then(|run| failed_row(criterion, run))
            .into_iter()
            .collect(),
    }
}

fn failed_row(criterion: &Criterion, run: &RunFact) -> Option<FailedRow> {
    let oracle = criterion.oracle.as_ref()?;
    Some(FailedRow {
        check: oracle.check.clone(),
        expect: match &oracle.expect {
            Expect::Plain(text) => Some(text.clone()),
            Expect::Regex { source, flags } => {
                let mut text = vec![b'/'];
                text.extend_from_slice(source.raw());
                text.push(b'/');
                text.extend_from_slice(flags.raw());
                Some(Foreign::new(text))
            }
            Expect::ExitOnly => None,
        },
        ended: ended(run),
        run: run.entry,
        head: run.head,
        lines: run
            .excerpt
            .iter()
            .filter(|(_, _, decides)| *decides)
            .map(|(line, text, _)| (*line, text.clone()))
            .collect(),
    })
}

fn ended(run: &RunFact) -> String {
    match &run.ended {
        Ended::Exited(0) if !run.interference.is_empty() => "exit=0, interfered".to_owned(),
        Ended::Exited(0) => "exit=0 marker-absent".to_owned(),
        Ended::Exited(status) => format!("exit={status} (nonzero)"),
        Ended::Signalled(signal) => format!("signal={signal}"),
        Ended::TimedOut => "timeout".to_owned(),
        Ended::Interrupted => "interrupted".to_owned(),
        Ended::NotStarted(why) => format!("not started: {why}"),
    }
}

fn abandoned(facts: &Facts<'_>, judgment: &Judgment) -> Vec<AbandonedNote> {
    judgment
        .items
        .iter()
        .filter(|item| item.standing == Standing::Abandoned)
        .filter_map(|item| {
            let Subject::Criterion(id) = &item.subject else {
                return None;
            };
            let said = facts.said(&item.subject).now.map(|d| d.value.act());
            let own = match said {
                Some(Act::Abandon { reason, handoff }) => Some((reason, handoff)),
                _ => None,
            };
            Some(AbandonedNote {
                id: id.clone(),
                verbatim: facts.criterion(id)?.text.clone(),
                reason: match (own, facts.abandonment(id)) {
                    (Some((reason, _)), _) => Foreign::from(reason.as_str()),
                    (None, Some(abandonment)) => abandonment.reason.clone(),
                    (None, None) => Foreign::default(),
                },
                handoff: own.map(|(_, handoff)| handoff.clone()),
                accepted: !item.owed,
            })
        })
        .collect()
}
