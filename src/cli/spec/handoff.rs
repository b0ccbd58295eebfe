//! What the agent is told after a change, a reject or a kick back at the spec gate (H23): a file as
//! JSON and the same as Markdown, beside the hand-offs of sessions. Words of the person and names
//! stand in it as they were typed and as they are in the tree.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::adapters::folders::private;
use crate::adapters::ledger_store::LedgerStore;
use crate::cli::place;
use crate::model::id::{Digest, RepoPath};

/// The schema's name.
const SCHEMA: &str = "countersign/spec-handoff/1";

/// A hand-off.
#[derive(Clone, Debug)]
pub(super) struct Handoff {
    /// `change`, `reject` or `kick-back`.
    pub verb: &'static str,
    /// `spec` or `impl`.
    pub gate: &'static str,
    /// The root document.
    pub document: RepoPath,
    /// SHA-256 of the document as it was decided about.
    pub seen: Digest,
    /// The change request.
    pub cr: Option<String>,
    /// One of the four causes of a correction.
    pub cause: String,
    /// What has to change.
    pub why: String,
    /// Who said so.
    pub by: String,
    /// Files that carry what is dropped.
    pub carries: Vec<RepoPath>,
}

impl Handoff {
    fn json(&self) -> Value {
        let path = |path: &RepoPath| path.json().0;
        json!({
            "schema": SCHEMA,
            "verb": self.verb,
            "gate": self.gate,
            "spec": {"path": path(&self.document), "digest": self.seen.to_string()},
            "cr": self.cr,
            "cause": self.cause,
            "text": self.why,
            "by": self.by,
            "carries": self.carries.iter().map(path).collect::<Vec<_>>(),
        })
    }

    fn markdown(&self) -> String {
        let plain = super::acts::plain;
        let cr = self.cr.as_deref().unwrap_or("none");
        let mut out = format!(
            "# {} at the {} gate\n\n- spec: `{}`, SHA-256 {}\n- change request: {cr}\n- cause: {}\n- by: {}\n\n",
            self.verb,
            self.gate,
            plain(&self.document),
            self.seen,
            self.cause,
            self.by
        );
        for line in self.why.lines() {
            out.push_str(&format!("> {line}\n"));
        }
        if !self.carries.is_empty() {
            out.push_str("\nThese files carry what is dropped:\n\n");
            for path in &self.carries {
                out.push_str(&format!("- `{}`\n", plain(path)));
            }
        }
        out
    }

    /// Writes both files; says where, or why not. What was recorded stands either way.
    pub(super) fn write(&self, top: &Path) -> String {
        match self.written(top) {
            Ok(path) => format!("hand-off: {}", super::look::shown(&path)),
            Err(why) => format!("! the hand-off was not written: {why}"),
        }
    }

    fn written(&self, top: &Path) -> Result<PathBuf, String> {
        let here = place::here(top).map_err(|report| report.message)?;
        let folders = place::folders().map_err(|report| report.message)?;
        let store = LedgerStore::new(&folders, here.repository);
        let folder = store.folder().join("handoff");
        let said = |error: std::io::Error| error.to_string();
        private(&folder).map_err(said)?;
        let text = format!("{:#}\n", self.json());
        let name = format!("spec-{}-{}", self.verb, Digest::of(text.as_bytes()).short());
        let put = |ending: &str, text: &str| -> std::io::Result<PathBuf> {
            let place = folder.join(format!("{name}.{ending}"));
            let mut file = tempfile::Builder::new().tempfile_in(&folder)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&place).map_err(|error| error.error)?;
            Ok(place)
        };
        put("json", &text).map_err(said)?;
        put("md", &self.markdown()).map_err(said)
    }
}
