//! What lies beside the change is said and never judged (GIT-4, GIT-6, GIT-7, GIT-8, GIT-18), and
//! commits with absurd metadata open like others (GIT-17).

use std::os::unix::ffi::OsStrExt as _;

use countersign::adapters::reader::{Question, Reply};
use countersign::model::id::RepoPath;
use countersign::model::snapshot::{Look, RepositoryNote, SomePaths};

use super::repo::{Asker, Repo, git};

fn asked(asker: &mut Asker, question: Question) -> Vec<RepositoryNote> {
    let ticket = asker.ask(question);
    match asker.reply(ticket) {
        Reply::Notes(notes) => notes,
        other => panic!("{other:?}"),
    }
}

fn paths(all: &[&str]) -> SomePaths {
    SomePaths {
        first: all.iter().map(|path| RepoPath::from(*path)).collect(),
        total: u32::try_from(all.len()).unwrap(),
    }
}

#[test]
fn uncommitted_untracked_and_nested_are_named_apart() {
    let repo = Repo::with_change();
    repo.write("a.txt", "a\n");
    repo.commit("work");
    let mut asker = Asker::new();
    asker.open(repo.order()).unwrap();
    let look = || Question::Worktree(repo.top.clone());
    assert_eq!(asked(&mut asker, look()), []);
    repo.write("a.txt", "dirt\n");
    repo.write("README.md", "staged\n");
    repo.git(&["add", "README.md"]);
    repo.write("new.txt", "new\n");
    repo.write("own/.git/HEAD", "ref: refs/heads/main\n");
    repo.write("own/x", "x\n");
    for part in ["bare/objects", "bare/refs"] {
        std::fs::create_dir_all(repo.top.join(part)).unwrap();
    }
    repo.write("bare/HEAD", "ref: refs/heads/main\n");
    assert_eq!(
        asked(&mut asker, look()),
        [
            RepositoryNote::Uncommitted(paths(&["README.md", "a.txt"])),
            RepositoryNote::Untracked(paths(&["new.txt"])),
            RepositoryNote::Nested(paths(&["bare/", "own/"])),
        ]
    );
    for n in 0..40 {
        repo.write(&format!("many-{n:02}"), "");
    }
    let notes = asked(&mut asker, look());
    let Some(many) = notes.iter().find(|note| note.code() == "untracked") else {
        panic!("{notes:?}")
    };
    let many = many.paths().unwrap();
    assert_eq!((many.first.len(), many.total), (32, 41));
}

#[test]
fn names_in_the_tree_that_mislead_are_named() {
    let repo = Repo::with_change();
    let blob = repo.id("HEAD:README.md");
    let index = |path: &[u8], mode: &str, id: &str| {
        let mut info = format!("{mode},{id},").into_bytes();
        info.extend(path);
        let done = git(&repo.top)
            .args([
                "-c",
                "core.protectNTFS=false",
                "update-index",
                "--add",
                "--cacheinfo",
            ])
            .arg(std::ffi::OsStr::from_bytes(&info))
            .status();
        assert!(done.unwrap().success());
    };
    let plain = blob.to_string();
    for path in [
        "Makefile".as_bytes(),
        b"makefile",
        "caf\u{e9}".as_bytes(),
        "cafe\u{301}".as_bytes(),
        b"b\xe4d",
        b"fine/HEAD",
        b"data/HEAD",
        b"data/objects/x",
        b"data/refs/x",
        b"sub/git~1/x",
    ] {
        index(path, "100644", &plain);
    }
    index(b"deep/module", "160000", &repo.id("HEAD").to_string());
    repo.git(&["commit", "-q", "-m", "names"]);
    let mut asker = Asker::new();
    let opened = asker.open(repo.order()).unwrap();
    let question = Question::Names(repo.top.clone(), opened.snapshot.tree);
    let [nested, colliding, odd, submodules] = &asked(&mut asker, question)[..] else {
        panic!("four notes")
    };
    assert_eq!(
        *nested,
        RepositoryNote::Nested(paths(&["sub/git~1", "data"]))
    );
    let names = ["cafe\u{301}", "caf\u{e9}", "Makefile", "makefile"];
    assert_eq!(*colliding, RepositoryNote::Colliding(paths(&names)));
    let bytes = SomePaths {
        first: vec![RepoPath::new(b"b\xe4d".to_vec())],
        total: 1,
    };
    assert_eq!(*odd, RepositoryNote::NotUtf8(bytes));
    assert_eq!(*submodules, RepositoryNote::Submodules);
}

#[test]
fn a_tree_that_cannot_be_looked_at_is_not_one_without_notes() {
    let repo = Repo::with_change();
    let mut asker = Asker::new();
    asker.open(repo.order()).unwrap();
    let nothing = repo.id("HEAD:README.md");
    let notes = asked(&mut asker, Question::Names(repo.top.clone(), nothing));
    assert!(
        matches!(&notes[..], [RepositoryNote::NotLooked(Look::Tree, _)]),
        "{notes:?}"
    );
}

#[test]
fn absurd_dates_and_names_of_commits_open_like_others() {
    let repo = Repo::with_change();
    let (tree, parent) = (repo.git(&["write-tree"]), repo.id("HEAD"));
    for (author, message) in [
        ("Mara <m@example.org> 99999999999999999999 +9999", "far"),
        ("Mara <m@example.org> -1 -0000", "before"),
        (" <> 0 +0000", "nobody"),
        ("Mara no mail at all", "none"),
        (
            "Mara <m@example.org> 1 +0000",
            "ends\r\nSigned-off-by: a\r\n\u{1b}[2J",
        ),
    ] {
        let text = format!(
            "tree {tree}\nparent {parent}\nauthor {author}\ncommitter {author}\n\n{message}\n"
        );
        repo.write("commit.txt", text);
        let id = repo.git(&[
            "hash-object",
            "-t",
            "commit",
            "--literally",
            "-w",
            "commit.txt",
        ]);
        std::fs::remove_file(repo.top.join("commit.txt")).unwrap();
        repo.git(&["update-ref", "refs/heads/change", &id]);
        let mut order = repo.order();
        order.base = Some("main".to_owned());
        let opened = Asker::new()
            .open(order)
            .unwrap_or_else(|e| panic!("{author}: {e}"));
        assert_eq!(opened.snapshot.head.to_string(), id);
        assert_eq!(opened.commits.known().map(Vec::len), Some(1), "{author}");
    }
}
