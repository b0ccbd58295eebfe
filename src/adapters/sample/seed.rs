//! What the sample's ledger holds when a person opens it: runs that its set-up recorded, marked
//! as the sample's own. They let the first minute show evidence without running anything.

use std::io;
use std::path::Path;

use git2::Oid as GitOid;

use crate::adapters::evidence_store::EvidenceStore;
use crate::adapters::folders::Folders;
use crate::adapters::git::{open, record};
use crate::adapters::ledger_store::{LedgerStore, new_id};
use crate::adapters::oracle::capture::Capture;
use crate::adapters::oracle::matcher::{Matcher, Pattern};
use crate::adapters::oracle::outcome::excerpt;
use crate::gate::dossier::RunFact;
use crate::ledger::entry::{Body, Opened};
use crate::model::contract::ContractOfRecord;
use crate::model::id::{CriterionId, Oid};
use crate::model::known::Known;
use crate::model::oracle::{Captured, Ended, Isolation, Outcome, RunPlace, Stream};

use super::Layout;

/// A run as the set-up saw it.
struct Made {
    criterion: &'static str,
    /// Which commit of the layout it ran on.
    stage: usize,
    exit: i32,
    stdout: &'static [u8],
    stderr: &'static [u8],
    duration_ms: u64,
}

const RUNS: [Made; 4] = [
    Made {
        criterion: "6",
        stage: 1,
        exit: 0,
        stdout: include_bytes!("../../../assets/demo/runs/6.out"),
        stderr: b"",
        duration_ms: 4100,
    },
    Made {
        criterion: "1",
        stage: 3,
        exit: 0,
        stdout: include_bytes!("../../../assets/demo/runs/1.out"),
        stderr: b"",
        duration_ms: 212,
    },
    Made {
        criterion: "2",
        stage: 3,
        exit: 1,
        stdout: include_bytes!("../../../assets/demo/runs/2.out"),
        stderr: b"",
        duration_ms: 304,
    },
    Made {
        criterion: "4",
        stage: 3,
        exit: 0,
        stdout: include_bytes!("../../../assets/demo/runs/4.out"),
        stderr: include_bytes!("../../../assets/demo/runs/4.err"),
        duration_ms: 6,
    },
];

/// Writes the runs into the ledger of the sample's own folders.
pub(super) fn seed(layout: &Layout) -> io::Result<()> {
    let opened = look(&layout.worktree)?;
    let Known::Is(record) = &opened.contract else {
        return Err(io::Error::other("the sample's contract is not found"));
    };
    let store = LedgerStore::new(&layout.folders, opened.change.repository);
    let history = store.load(&opened.change.key);
    let mut writer = store
        .writer(
            &history,
            Opened {
                repository: opened.change.repository,
                change: opened.change.key.clone(),
                snapshot: opened.snapshot.clone(),
                contract: Some(record.contract.path.clone()),
                request: None,
                by: None,
                agent_marks: Vec::new(),
                own_work: false,
            },
        )
        .map_err(io::Error::other)?;
    for made in &RUNS {
        let id = new_id()?;
        let fact = fact(made, layout, record, id)?;
        writer
            .append(id, Body::Run(fact), || Ok(()))
            .map_err(io::Error::other)?;
    }
    Ok(())
}

fn look(worktree: &Path) -> io::Result<record::Opened> {
    let order = open::Order {
        dir: worktree.to_path_buf(),
        base: None,
        pull_request_base: None,
        contracts: Vec::new(),
        picked: None,
        format: None,
        memory: None,
        request: None,
    };
    let found = open::enter(worktree).and_then(|entered| open::open(&order, &entered));
    let found = found.map_err(|error| io::Error::other(error.says()))?;
    Ok(record::opened(found))
}

fn fact(
    made: &Made,
    layout: &Layout,
    record: &ContractOfRecord,
    entry: crate::model::id::EntryId,
) -> io::Result<RunFact> {
    let missing = || io::Error::other(format!("criterion {} has no oracle", made.criterion));
    let id = CriterionId::new(made.criterion).ok_or_else(missing)?;
    let criterion = record.contract.criterion(&id).ok_or_else(missing)?;
    let oracle = criterion.oracle.as_ref().ok_or_else(missing)?;
    let pattern = Pattern::compile(&oracle.expect).map_err(|e| io::Error::other(e.0))?;
    let mut matcher = Matcher::new(&pattern, Stream::Stdout);
    matcher.feed(made.stdout);
    let marker = matcher.finish();
    let [stdout, stderr] = [captured(made.stdout), captured(made.stderr)];
    let evidence = EvidenceStore::new(&layout.folders.state);
    evidence.put(&stdout)?;
    evidence.put(&stderr)?;
    let commit = layout.commits[made.stage];
    Ok(RunFact {
        entry,
        number: 0,
        criterion: id,
        oracle: oracle.digest(),
        head: ours(commit)?,
        tree: ours(tree_of(layout, commit)?)?,
        outcome: if made.exit == 0 && marker.is_some() {
            Outcome::Met
        } else {
            Outcome::NotMet
        },
        ended: Ended::Exited(made.exit),
        marker,
        interference: Vec::new(),
        survivors: Vec::new(),
        isolation: Isolation::Session,
        place: RunPlace::Checkout,
        duration_ms: made.duration_ms,
        limit_ms: None,
        shell: None,
        output_bytes: stdout.bytes + stderr.bytes,
        output: [stdout.digest, stderr.digest],
        excerpt: excerpt(marker, &stdout, &stderr),
        from_sample: true,
    })
}

fn captured(bytes: &[u8]) -> Captured {
    let mut capture = Capture::default();
    capture.feed(bytes);
    capture.finish()
}

fn tree_of(layout: &Layout, commit: GitOid) -> io::Result<GitOid> {
    git2::Repository::open(&layout.repository)
        .and_then(|repository| Ok(repository.find_commit(commit)?.tree_id()))
        .map_err(io::Error::other)
}

fn ours(oid: GitOid) -> io::Result<Oid> {
    Oid::parse(&oid.to_string()).ok_or_else(|| io::Error::other("an object id"))
}

/// Whether these folders are a sample's: nothing in them is a person's record.
#[must_use]
pub fn is_sample(folders: &Folders) -> bool {
    folders
        .state
        .parent()
        .is_some_and(|home| home.join(MARK).is_file())
}

/// The file that marks a sample's folders.
pub(super) const MARK: &str = "sample";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::sample::lay_out;
    use crate::gate::dossier::LedgerHealth;

    #[test]
    fn the_sample_opens_with_four_runs_of_its_own() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let layout = lay_out(&dir.path().join("a"))?;
        let opened = look(&layout.worktree)?;
        let store = LedgerStore::new(&layout.folders, opened.change.repository);
        let history = store.load(&opened.change.key);
        assert_eq!(history.health, LedgerHealth::Ok);
        let rows: Vec<_> = history
            .runs
            .iter()
            .map(|run| (run.criterion.as_str(), run.outcome, run.from_sample))
            .collect();
        assert_eq!(
            rows,
            [
                ("6", Outcome::Met, true),
                ("1", Outcome::Met, true),
                ("2", Outcome::NotMet, true),
                ("4", Outcome::Met, true),
            ]
        );
        let deciding = |at: usize| history.runs[at].excerpt.iter().find(|l| l.2).map(|l| l.0);
        assert_eq!(deciding(2), Some(210));
        assert!(history.decisions.is_empty());
        assert!(is_sample(&layout.folders));
        Ok(())
    }
}
