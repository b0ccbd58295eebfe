//! A bundle of the corpus laid out: its commits, its files, placeholders filled in.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// The corpus.
pub(super) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/verify")
}

pub(super) fn text<'a>(table: &'a Table, key: &str) -> &'a str {
    table.get(key).and_then(Value::as_str).unwrap_or("")
}

pub(super) fn number(table: &Table, key: &str) -> Option<i64> {
    table.get(key).and_then(Value::as_integer)
}

pub(super) fn tables<'a>(table: &'a Table, key: &str) -> Vec<&'a Table> {
    let list = table.get(key).and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_table)
        .collect()
}

pub(super) fn texts(table: &Table, key: &str) -> Vec<String> {
    let list = table.get(key).and_then(Value::as_array);
    let texts = list.into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// Text, mode.
type Files = BTreeMap<String, (String, u32)>;

/// A repository with the commits of a bundle.
pub(super) struct Laid {
    pub(super) made: BTreeMap<String, git2::Oid>,
    place: PathBuf,
    gone: Vec<git2::Oid>,
}

impl Laid {
    /// Makes the commits and the branches.
    pub(super) fn new(place: &Path, bundle: &Table, contract: &str, absent: &[String]) -> Self {
        let repo = git2::Repository::init(place).expect("a repository");
        let mut laid = Self {
            made: BTreeMap::new(),
            place: place.to_owned(),
            gone: Vec::new(),
        };
        let mut files: BTreeMap<String, Files> = BTreeMap::new();
        let mut last: Option<String> = None;
        let mut gone = Vec::new();
        for (at, commit) in tables(bundle, "commit").into_iter().enumerate() {
            let name = text(commit, "name").to_owned();
            let parents = match commit.get("parents") {
                Some(_) => texts(commit, "parents"),
                None => last.iter().cloned().collect(),
            };
            let mut own = parents
                .first()
                .and_then(|parent| files.get(parent).cloned())
                .unwrap_or_default();
            for path in texts(commit, "delete") {
                own.remove(&path);
            }
            let given = commit.get("files").and_then(Value::as_table);
            for (path, body) in given.into_iter().flatten() {
                let body = body.as_str().expect("a text");
                let body = body.replace("{contract}", contract);
                let mode = own.get(path).map_or(0o100_644, |(_, mode)| *mode);
                own.insert(path.clone(), (body, mode));
            }
            let modes = commit.get("modes").and_then(Value::as_table);
            for (path, mode) in modes.into_iter().flatten() {
                let mode = u32::from_str_radix(mode.as_str().expect("a mode"), 8).expect("octal");
                own.get_mut(path).expect("a file").1 = mode;
            }
            let id = laid.commit(&repo, commit, at, &parents, &own);
            if commit.get("absent").and_then(Value::as_bool) == Some(true) || absent.contains(&name)
            {
                gone.push(id);
            }
            laid.made.insert(name.clone(), id);
            files.insert(name.clone(), own);
            last = Some(name);
        }
        let refs = bundle["refs"].as_table().expect("refs");
        for (branch, commit) in refs {
            let branch = format!("refs/heads/{branch}");
            let id = laid.made[commit.as_str().expect("a commit")];
            repo.reference(&branch, id, true, "laid out")
                .expect("a branch");
        }
        let pr = bundle["pr"].as_table().expect("a request");
        let head = format!("refs/heads/{}", text(pr, "head"));
        repo.set_head(&head).expect("a head");
        let mut force = git2::build::CheckoutBuilder::new();
        repo.checkout_head(Some(force.force()))
            .expect("checked out");
        laid.gone = gone;
        laid
    }

    /// Takes the commits away that are said to be absent.
    pub(super) fn lose(&self) {
        for id in &self.gone {
            let hex = id.to_string();
            let (folder, file) = hex.split_at(2);
            let path = self.place.join(".git/objects").join(folder).join(file);
            fs::remove_file(path).expect("a loose object");
        }
    }

    fn commit(
        &self,
        repo: &git2::Repository,
        commit: &Table,
        at: usize,
        parents: &[String],
        files: &Files,
    ) -> git2::Oid {
        let mut index = git2::Index::new().expect("an index");
        for (path, (body, mode)) in files {
            index
                .add(&git2::IndexEntry {
                    ctime: git2::IndexTime::new(0, 0),
                    mtime: git2::IndexTime::new(0, 0),
                    dev: 0,
                    ino: 0,
                    mode: *mode,
                    uid: 0,
                    gid: 0,
                    file_size: 0,
                    id: repo.blob(body.as_bytes()).expect("a blob"),
                    flags: 0,
                    flags_extended: 0,
                    path: path.as_bytes().to_vec(),
                })
                .expect("added");
        }
        let tree = index.write_tree_to(repo).expect("a tree");
        let tree = repo.find_tree(tree).expect("a tree");
        let at = i64::try_from(at).expect("small");
        let written = number(commit, "at").unwrap_or(1000 * (at + 1));
        let when = number(commit, "committed_at").unwrap_or(written);
        let login = text(commit, "author");
        let who = |seconds| {
            let time = git2::Time::new(1_793_606_400 + seconds, 0);
            git2::Signature::new(login, &format!("{login}@forge.example"), &time).expect("a name")
        };
        let above: Vec<git2::Commit<'_>> = parents
            .iter()
            .map(|name| repo.find_commit(self.made[name]).expect("a parent"))
            .collect();
        let above: Vec<&git2::Commit<'_>> = above.iter().collect();
        let message = self.filled(text(commit, "message"));
        repo.commit(None, &who(written), &who(when), &message, &tree, &above)
            .expect("a commit")
    }

    /// A text with the ids of commits in the place of their names.
    pub(super) fn filled(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for (name, id) in &self.made {
            let id = id.to_string();
            out = out.replace(&format!("{{sha:{name}}}"), &id);
            out = out.replace(&format!("{{short:{name}}}"), &id[..10]);
        }
        out
    }

    /// Checks another commit out, as the head that was judged then.
    pub(super) fn stand_at(&self, branch: &str, commit: &str) {
        let repo = git2::Repository::open(&self.place).expect("a repository");
        let name = format!("refs/heads/{branch}");
        repo.reference(&name, self.made[commit], true, "moved")
            .expect("a branch");
        repo.set_head(&name).expect("a head");
        let mut force = git2::build::CheckoutBuilder::new();
        repo.checkout_head(Some(force.force().remove_untracked(true)))
            .expect("checked out");
    }
}
