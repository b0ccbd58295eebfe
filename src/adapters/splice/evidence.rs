//! The text of an EVIDENCE slot (contract-gates 1.6, rulings A20): the prefixes of the source byte
//! for byte, then head, ellipsis and tail of the output. The only place that words one; it must
//! never put a byte into a contract that a terminal obeys.

use std::path::Path;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::adapters::folders::Folders;
use crate::adapters::oracle::sgr::{Stripped, Stripper};
use crate::gate::dossier::RunFact;
use crate::model::oracle::{Ended, Interference, Outcome};
use crate::model::text::{Foreign, Place};

/// Most characters of output in a slot (rulings A20).
pub const OUTPUT_CHARS: usize = 140;
/// Most bytes of a slot (WB-5).
pub const VALUE_BYTES: usize = 300;

/// The text of the slot of a run that printed `output`, or `None` when the run says nothing about
/// its criterion. `limit_ms` is the limit it ran under; where it is not known, a timed-out run's
/// own duration is as near. Each of `hide` is replaced: folders of this machine do not belong into
/// a contract.
#[must_use]
pub fn value(
    run: &RunFact,
    limit_ms: Option<u64>,
    output: &[u8],
    hide: &[(String, &str)],
) -> Option<String> {
    let prefix = match (&run.ended, run.outcome) {
        (Ended::NotStarted(_) | Ended::Interrupted, _) => return None,
        (Ended::TimedOut, _) => {
            let limit = limit_ms.unwrap_or(run.duration_ms / 1000 * 1000);
            return Some(format!("NOT-MET timeout={}s", limit as f64 / 1000.0));
        }
        (Ended::Signalled(signal), _) => format!("NOT-MET exit={} (nonzero)", 128 + signal),
        (Ended::Exited(0), Outcome::Met) if run.marker.is_some() => {
            "MET exit=0 marker-found".into()
        }
        (Ended::Exited(0), Outcome::Met) => "MET exit=0".into(),
        (Ended::Exited(0), Outcome::NotMet) => "NOT-MET exit=0 marker-absent".into(),
        (Ended::Exited(0), Outcome::Error) => {
            let spoiled: Vec<_> = run.interference.iter().map(interference).collect();
            let spoiled = spoiled.join("; ");
            return Some(fit("NOT-MET exit=0 interfered :: ", &spoiled));
        }
        (Ended::Exited(status), _) => format!("NOT-MET exit={status} (nonzero)"),
    };
    let mut text = plain(output);
    for (from, to) in hide {
        if from.len() > 1 {
            text = text.replace(from.as_str(), to);
        }
    }
    Some(fit(&format!("{prefix} :: "), &text))
}

/// The folders of this machine that a slot does not name, with what stands for them.
#[must_use]
pub fn machine_words(worktree: &Path, folders: &Folders) -> Vec<(String, &'static str)> {
    let home = std::env::var("HOME").unwrap_or_default();
    vec![
        (worktree.display().to_string(), "."),
        (folders.cache.display().to_string(), "."),
        (home, "~"),
    ]
}

/// What spoiled a run, in words fit to be shown.
#[must_use]
pub fn interference(spoiled: &Interference) -> String {
    match spoiled {
        Interference::Tree(paths) => {
            let paths: Vec<_> = paths
                .iter()
                .map(|path| path.shown(Place::Strict).plain())
                .collect();
            format!("tree: {}", paths.join(", "))
        }
        Interference::Overtaken { to, .. } => format!("overtaken by {}", to.short()),
        Interference::Contract => "contract".into(),
        Interference::Oracle => "oracle".into(),
        Interference::Records(what) => format!("records: {what}"),
    }
}

/// Output on one line: colors taken out, blanks squeezed, every other hidden character shown. Of a
/// long one the ends only.
fn plain(output: &[u8]) -> String {
    let (mut stripper, mut stripped) = (Stripper::default(), Stripped::default());
    stripper.feed(output, &mut stripped);
    stripper.finish(&mut stripped);
    for byte in &mut stripped.bytes {
        if matches!(*byte, b'\r' | b'\n' | b'\t') {
            *byte = b' ';
        }
    }
    // Only the ends are shown, so only they are made fit to be shown.
    let most = 4 * OUTPUT_CHARS * 8;
    if stripped.bytes.len() > 2 * most {
        let tail = stripped.bytes.split_off(stripped.bytes.len() - most);
        stripped.bytes.truncate(most);
        stripped.bytes.push(b' ');
        stripped.bytes.extend(tail);
    }
    let shown = Foreign::new(stripped.bytes).shown(Place::Strict).plain();
    let words = shown.split(' ').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Prefix and text; of a long text head and tail, cut between what a person sees as characters.
fn fit(prefix: &str, text: &str) -> String {
    let room = VALUE_BYTES.saturating_sub(prefix.len());
    if text.chars().count() <= OUTPUT_CHARS && text.len() <= room {
        return format!("{prefix}{text}");
    }
    let ellipsis = '…';
    let clusters: Vec<&str> = text.graphemes(true).collect();
    let (mut head, mut tail) = (0, clusters.len());
    let (mut bytes, mut chars) = (ellipsis.len_utf8(), 1);
    loop {
        let from_head = head <= clusters.len() - tail;
        let next = if from_head { head } else { tail - 1 };
        let Some(cluster) = clusters.get(next).filter(|_| head < tail) else {
            break;
        };
        (bytes, chars) = (bytes + cluster.len(), chars + cluster.chars().count());
        if bytes > room || chars > OUTPUT_CHARS {
            break;
        }
        if from_head {
            head += 1;
        } else {
            tail -= 1;
        }
    }
    let first = clusters.get(..head).unwrap_or_default().concat();
    let last = clusters.get(tail..).unwrap_or_default().concat();
    format!("{prefix}{first}{ellipsis}{last}")
}
