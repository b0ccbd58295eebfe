//! What a ratify rests on (verify-gate 1.7): typed evidence of this head, never "CI is green".

use crate::model::change::FileChange;
use crate::model::evidence::Evidence;
use crate::model::id::{CriterionId, Digest, EntryId, Oid, RepoPath};
use crate::model::known::Known;

use crate::gate::dossier::{Dossier, Subject};
use crate::gate::policy::Policy;
use crate::gate::standing_facts::Facts;

use super::wording::words;
use super::{Act, Answer, Refusal};

/// The oracle that a decision on this subject is bound to.
pub(super) fn oracle_of(dossier: &Dossier, subject: &Subject) -> Option<Digest> {
    let Subject::Criterion(id) = subject else {
        return None;
    };
    let record = dossier.contract.known()?;
    let oracle = record.contract.criterion(id)?.oracle.as_ref()?;
    Some(oracle.digest())
}

/// The act with its evidence checked; a runnable criterion always rests on its deciding run.
pub(super) fn with_evidence(
    dossier: &Dossier,
    policy: &Policy,
    subject: &Subject,
    act: Act,
) -> Result<Act, Refusal> {
    Ok(match act {
        Act::Ratify { evidence } => Act::Ratify {
            evidence: checked(dossier, policy, subject, evidence)?,
        },
        Act::RatifyUnseen { evidence, why } => Act::RatifyUnseen {
            evidence: checked(dossier, policy, subject, evidence)?,
            why,
        },
        other => other,
    })
}

fn checked(
    dossier: &Dossier,
    policy: &Policy,
    subject: &Subject,
    mut evidence: Vec<Evidence>,
) -> Result<Vec<Evidence>, Refusal> {
    let Subject::Criterion(id) = subject else {
        return Ok(evidence);
    };
    let deciding = deciding_run(dossier, policy, id);
    for piece in &evidence {
        good(dossier, deciding, piece)?;
    }
    if let Some(run) = deciding
        && !evidence.contains(&Evidence::Run(run))
    {
        evidence.insert(0, Evidence::Run(run));
    }
    if evidence.is_empty() {
        return Err(Refusal::Closed(format!(
            "Closed: {id} has no evidence. Enter lists the candidates."
        )));
    }
    Ok(evidence)
}

/// The run that a criterion's standing rests on.
fn deciding_run(dossier: &Dossier, policy: &Policy, id: &CriterionId) -> Option<EntryId> {
    let record = dossier.contract.known()?;
    let criterion = record.contract.criterion(id)?;
    let facts = Facts::new(dossier, policy);
    facts.proven(criterion).run.map(|run| run.entry)
}

/// Whether one piece of evidence is any (verify-gate 1.7).
fn good(dossier: &Dossier, deciding: Option<EntryId>, piece: &Evidence) -> Result<(), Refusal> {
    let refuse = |why: &str| Err(Refusal::Closed(format!("Closed: {why}.")));
    match piece {
        Evidence::Run(run) if Some(*run) == deciding => Ok(()),
        Evidence::Run(run) => refuse(&format!(
            "run {} is not the last one of this oracle on this tree",
            run.short()
        )),
        Evidence::Hunk { head, .. } if *head != dossier.snapshot.head => {
            refuse(&format!("the hunk was read at {}", head.short()))
        }
        Evidence::Hunk { path, .. } => match &dossier.files {
            Known::Is(files) if !files.iter().any(|file| touches(file, path)) => {
                refuse("the file of the hunk is not in the change")
            }
            Known::Is(_) | Known::Unknown(_) | Known::NotApplicable(_) | Known::NotSupplied => {
                Ok(())
            }
        },
        Evidence::Change { commit, path, line } => {
            under_review(dossier, *commit)?;
            at_head(dossier, path, *line)
        }
        Evidence::Test { id, .. } if id.is_blank() => refuse("the test has no name"),
        Evidence::Test { .. } => Ok(()),
        Evidence::Rationale(text) => {
            words("your rationale", text, true)?;
            match refused_as_evidence(text) {
                Some(phrase) => refuse(&format!("\"{phrase}\" is no evidence")),
                None => Ok(()),
            }
        }
    }
}

/// A commit is evidence only inside base..tip; an id that merely exists proves nothing.
fn under_review(dossier: &Dossier, commit: Oid) -> Result<(), Refusal> {
    let refuse = |why: String| Err(Refusal::Closed(format!("Closed: {why}.")));
    match &dossier.commits {
        Known::Is(commits) if commits.iter().any(|one| one.oid == commit) => Ok(()),
        Known::Is(_) => refuse(format!(
            "{} is none of the commits under review",
            commit.short()
        )),
        Known::Unknown(why) | Known::NotApplicable(why) => {
            refuse(format!("the commits under review are not known: {why}"))
        }
        Known::NotSupplied => refuse("the commits under review are not known".to_owned()),
    }
}

/// A place is evidence only in a file that the change touches.
fn at_head(dossier: &Dossier, path: &RepoPath, line: u32) -> Result<(), Refusal> {
    let refuse = |why: &str| Err(Refusal::Closed(format!("Closed: {why}.")));
    let Known::Is(files) = &dossier.files else {
        return refuse("the changed files are not known yet");
    };
    match files.iter().find(|file| touches(file, path)) {
        None => refuse("the file is not in the change"),
        Some(file) if file.new.is_some() && line == 0 => refuse("a line is missing"),
        Some(_) => Ok(()),
    }
}

/// Whether the commit and the place of an answer are of this change.
pub(super) fn answers(dossier: &Dossier, act: &Act) -> Result<(), Refusal> {
    let Act::Answer(Answer::Addressed { commit, at }) = act else {
        return Ok(());
    };
    if let Some(commit) = commit {
        under_review(dossier, *commit)?;
    }
    if let Some((path, line)) = at {
        at_head(dossier, path, *line)?;
    }
    if commit.is_none() && at.is_none() {
        return Err(Refusal::Text(
            "Closed: name the commit or the line that answers it.".into(),
        ));
    }
    Ok(())
}

fn touches(file: &FileChange, path: &RepoPath) -> bool {
    &file.path == path || file.old_path.as_ref() == Some(path)
}

/// What the gate refuses as evidence, whoever says it (verify-gate 1.7).
const NO_EVIDENCE: [&str; 10] = [
    "ci is green",
    "ci ran",
    "ci passed",
    "ci passes",
    "all checks green",
    "all checks are green",
    "all tests pass",
    "tests pass",
    "simplify ran",
    "the pr says so",
];

/// The phrase, when a rationale is that and nothing more.
fn refused_as_evidence(text: &str) -> Option<&'static str> {
    let plain: String = text
        .to_lowercase()
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect();
    let said: Vec<&str> = plain.split_whitespace().collect();
    let said = said.join(" ");
    NO_EVIDENCE
        .into_iter()
        .find(|phrase| said.contains(phrase) && said.len() <= phrase.len() + 12)
}
