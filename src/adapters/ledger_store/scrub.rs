//! Takes this machine out of what an oracle printed before it goes into a line that may be
//! shared: home and folders of ours, and the host's name (LED-16, L11).

use std::path::Path;

use crate::adapters::folders::Folders;
use crate::gate::dossier::RunFact;
use crate::ledger::entry::Body;
use crate::model::oracle::{Ended, Interference};
use crate::model::text::Foreign;

/// What is replaced by what, longest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Scrub {
    words: Vec<(Vec<u8>, &'static str)>,
}

impl Scrub {
    /// The words of this machine.
    pub(super) fn of_machine(folders: &Folders) -> Self {
        let mut scrub = Self::default();
        scrub.folder(&folders.cache, "<cache>");
        scrub.folder(&folders.state, "<state>");
        scrub.folder(&folders.config, "<config>");
        if let Ok(home) = etcetera::home_dir() {
            scrub.folder(&home, "~");
        }
        let system = rustix::system::uname();
        scrub.add(system.nodename().to_bytes(), "<host>", 4);
        scrub
            .words
            .sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        scrub
    }

    fn folder(&mut self, path: &Path, by: &'static str) {
        use std::os::unix::ffi::OsStrExt as _;
        self.add(path.as_os_str().as_bytes(), by, 3);
    }

    fn add(&mut self, word: &[u8], by: &'static str, least: usize) {
        if word.len() >= least && word != b"localhost" {
            self.words.push((word.to_vec(), by));
        }
    }

    /// The body without this machine. Only runs hold what a machine wrote.
    pub(super) fn body(&self, body: Body) -> Body {
        match body {
            Body::Run(run) => Body::Run(self.run(run)),
            Body::Opened(_)
            | Body::Decision(_)
            | Body::Undo(_)
            | Body::Assertion(_)
            | Body::Ruling(_)
            | Body::Edit(_)
            | Body::Seal(_)
            | Body::Posted(_)
            | Body::Newer { .. } => body,
        }
    }

    fn run(&self, mut run: RunFact) -> RunFact {
        for (_, text, _) in &mut run.excerpt {
            *text = self.foreign(text);
        }
        for text in &mut run.survivors {
            *text = self.foreign(text);
        }
        if let Ended::NotStarted(why) = &mut run.ended {
            *why = self.text(why);
        }
        for found in &mut run.interference {
            match found {
                Interference::Tree(paths) => {
                    for path in paths {
                        *path = self.foreign(path);
                    }
                }
                Interference::Records(what) => *what = self.text(what),
                Interference::Overtaken { .. } | Interference::Contract | Interference::Oracle => {}
            }
        }
        run
    }

    fn text(&self, text: &str) -> String {
        let clean = self.bytes(text.as_bytes());
        String::from_utf8(clean).unwrap_or_else(|_| text.to_owned())
    }

    fn foreign(&self, text: &Foreign) -> Foreign {
        Foreign::new(self.bytes(text.raw()))
    }

    /// Replaces each word where no letter or digit stands on either side of it.
    fn bytes(&self, text: &[u8]) -> Vec<u8> {
        let mut out = text.to_vec();
        for (word, by) in &self.words {
            let mut clean = Vec::with_capacity(out.len());
            let mut from = 0;
            for at in memchr::memmem::find_iter(&out, word) {
                let before = at.checked_sub(1).and_then(|i| out.get(i));
                let after = out.get(at + word.len());
                let inside = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
                if inside(before) || inside(after) {
                    continue;
                }
                clean.extend_from_slice(out.get(from..at).unwrap_or_default());
                clean.extend_from_slice(by.as_bytes());
                from = at + word.len();
            }
            clean.extend_from_slice(out.get(from..).unwrap_or_default());
            out = clean;
        }
        out
    }
}
