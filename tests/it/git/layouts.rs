//! Every layout opens, or says in one sentence why not (bug-log 22, rulings A5, A12, GIT-3).

use countersign::adapters::git::GitError;
use countersign::model::snapshot::{BaseWhy, RepositoryBy, RepositoryNote};
use countersign::model::text::Foreign;

use super::repo::{Asker, Repo, order, run};

fn refusal(dir: &std::path::Path) -> GitError {
    let error = Asker::new().open(order(dir)).expect_err("it is refused");
    assert!(!error.says().is_empty() && !error.says().contains('\n'));
    assert!(!error.hint().is_empty(), "{}", error.says());
    error
}

#[test]
fn a_plain_worktree_opens_from_any_folder_of_it() {
    let repo = Repo::with_change();
    repo.write("src/deep/a.rs", "fn a() {}\n");
    let head = repo.commit("work");
    let mut asker = Asker::new();
    for dir in ["", "src", "src/deep"] {
        let opened = asker.open(order(&repo.top.join(dir))).unwrap();
        assert_eq!(opened.worktree, repo.top);
        assert_eq!(opened.snapshot.head, head);
        assert_eq!(opened.snapshot.base, repo.id("main"));
        assert_eq!(opened.snapshot.merge_base, repo.id("main"));
        assert_eq!(opened.snapshot.tree, repo.id("change^{tree}"));
        assert_eq!(opened.snapshot.base_tree, repo.id("main^{tree}"));
        assert_eq!(opened.change.key, "change");
        assert_eq!(opened.change.base.name.raw(), b"main");
        assert_eq!(opened.change.base.why, BaseWhy::OnlyCandidate);
        assert_eq!(opened.change.repository_by, RepositoryBy::Root);
        assert_eq!(opened.notes, []);
        let commits = opened.commits.known().unwrap();
        assert_eq!(commits.len(), 1);
        assert_eq!(commits[0].author.raw(), b"Mara <mara@example.org>");
        let authors: Vec<_> = opened.authors.iter().map(Foreign::raw).collect();
        assert_eq!(
            authors,
            [
                &b"Mara <mara@example.org>"[..],
                b"Agent <agent@example.org>"
            ]
        );
    }
}

#[test]
fn a_folder_may_be_named_from_where_we_stand() {
    let repo = Repo::with_change();
    repo.commit("work");
    let here = std::env::current_dir().unwrap();
    let up = "../".repeat(here.components().count());
    let relative = std::path::PathBuf::from(up).join(repo.top.strip_prefix("/").unwrap());
    assert!(relative.is_relative());
    let opened = Asker::new().open(order(&relative)).unwrap();
    assert_eq!(opened.worktree, repo.top);
}

#[test]
fn linked_worktrees_and_worktrees_of_bare_repositories_open() {
    let repo = Repo::with_change();
    repo.commit("work");
    let linked = repo.home().join("linked");
    repo.git(&[
        "worktree",
        "add",
        "-q",
        "-b",
        "other",
        linked.to_str().unwrap(),
        "change",
    ]);
    let mut asker = Asker::new();
    let opened = asker.open(order(&linked)).unwrap();
    assert_eq!(opened.change.key, "other");
    let bare = repo.home().join("bare.git");
    run(
        repo.home(),
        &[
            "clone",
            "-q",
            "--bare",
            repo.top.to_str().unwrap(),
            "bare.git",
        ],
    );
    let of_bare = repo.home().join("of-bare");
    run(
        &bare,
        &["worktree", "add", "-q", of_bare.to_str().unwrap(), "change"],
    );
    let opened = asker.open(order(&of_bare)).unwrap();
    assert_eq!(opened.change.key, "change");
    assert_eq!(opened.snapshot.head, repo.id("change"));
    assert!(matches!(refusal(&bare), GitError::Bare(_)));
    assert!(matches!(refusal(&repo.top.join(".git")), GitError::Bare(_)));
}

#[test]
fn what_limits_the_view_is_said() {
    let repo = Repo::with_change();
    repo.write(".gitmodules", "");
    repo.commit("work");
    repo.git(&["checkout", "-q", "--detach"]);
    repo.git(&["replace", "main", "change"]);
    repo.git(&["config", "core.sparseCheckout", "true"]);
    repo.git(&["config", "extensions.partialClone", "origin"]);
    repo.git(&["config", "core.repositoryFormatVersion", "1"]);
    repo.write(".git/info/grafts", "");
    let other = Repo::new();
    let objects = format!("{}\n", other.top.join(".git/objects").display());
    repo.write(".git/objects/info/alternates", objects);
    let opened = Asker::new().open(repo.order()).unwrap();
    assert_eq!(
        opened.notes,
        [
            RepositoryNote::Partial,
            RepositoryNote::Sparse,
            RepositoryNote::Replaced,
            RepositoryNote::Grafts,
            RepositoryNote::Alternates,
            RepositoryNote::Submodules,
            RepositoryNote::Detached,
        ]
    );
    let head = repo.id("change").abbreviated(12);
    assert_eq!(opened.change.key, format!("detached-{head}"));
    assert_eq!(opened.change.branch, None);
}

#[test]
fn a_shallow_clone_opens_where_its_history_is_enough() {
    let repo = Repo::new();
    for n in 0..9 {
        repo.commit(&format!("old {n}"));
    }
    repo.git(&["checkout", "-q", "-b", "change"]);
    for n in 0..6 {
        repo.commit(&format!("work {n}"));
    }
    repo.git(&["checkout", "-q", "main"]);
    repo.commit("main goes on");
    let url = format!("file://{}", repo.top.display());
    let clone = |name: &str, depth: &str| {
        run(
            repo.home(),
            &[
                "clone",
                "-q",
                "--no-single-branch",
                "--depth",
                depth,
                &url,
                name,
            ],
        );
        let dir = repo.home().join(name);
        run(&dir, &["checkout", "-q", "change"]);
        dir
    };
    let mut asker = Asker::new();
    let enough = asker.open(order(&clone("enough", "7"))).unwrap();
    assert_eq!(enough.notes, [RepositoryNote::Shallow]);
    assert_eq!(enough.snapshot.merge_base, repo.id("change~6"));
    assert_eq!(enough.change.base.why, BaseWhy::OriginHead);
    let error = refusal(&clone("short", "3"));
    assert_eq!(error, GitError::CutHistory);
}

#[test]
fn what_cannot_be_reviewed_says_so() {
    let repo = Repo::new();
    let error = refusal(&repo.top);
    assert_eq!(error, GitError::Unborn(b"refs/heads/main".to_vec()));
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(refusal(empty.path()), GitError::NotRepository(_)));
    assert!(matches!(
        refusal(&empty.path().join("none")),
        GitError::File(..)
    ));
    let odd = repo.home().join("odd");
    run(
        repo.home(),
        &["init", "-q", "--object-format=sha256", "odd"],
    );
    assert!(matches!(refusal(&odd), GitError::Format(_)));
    repo.commit("root");
    repo.git(&["checkout", "-q", "--orphan", "lone"]);
    repo.commit("another root");
    assert_eq!(refusal(&repo.top), GitError::Unrelated);
    repo.git(&["branch", "-q", "-D", "main"]);
    assert_eq!(refusal(&repo.top), GitError::NoBase);
}

#[test]
fn the_base_is_chosen_by_rule_and_never_by_branch_configuration() {
    let repo = Repo::with_change();
    let head = repo.commit("work");
    repo.git(&["branch", "topic", "main"]);
    repo.git(&["config", "branch.change.merge", "refs/heads/topic"]);
    repo.git(&["config", "branch.change.remote", "."]);
    let mut asker = Asker::new();
    let base = |asker: &mut Asker, typed: Option<&str>| {
        let mut order = repo.order();
        order.base = typed.map(str::to_owned);
        asker.open(order).map(|o| {
            let name = String::from_utf8_lossy(o.change.base.name.raw()).into_owned();
            (name, o.change.base.why, o.snapshot.base)
        })
    };
    let main = repo.id("main");
    let only = ("main".to_owned(), BaseWhy::OnlyCandidate, main);
    assert_eq!(base(&mut asker, None), Ok(only));
    for typed in [
        "topic",
        "heads/topic",
        "refs/heads/topic",
        "HEAD~1",
        "change^",
        "HEAD~1^0",
    ] {
        let (name, why, oid) = base(&mut asker, Some(typed)).unwrap();
        assert_eq!(
            (name.as_str(), why, oid),
            (typed, BaseWhy::Flag, main),
            "{typed}"
        );
    }
    for typed in [main.to_string(), main.abbreviated(9)] {
        assert_eq!(base(&mut asker, Some(&typed)).unwrap().2, main, "{typed}");
    }
    repo.git(&["tag", "-a", "-m", "x", "v1", "main"]);
    assert_eq!(base(&mut asker, Some("v1")).unwrap().2, main);
    for bad in ["none", "main~9", "HEAD^3"] {
        assert_eq!(
            base(&mut asker, Some(bad)),
            Err(GitError::NoRef(bad.into())),
            "{bad}"
        );
    }
    for bad in [
        "-x",
        "@{u}",
        "main@{1}",
        "a..b",
        "--upload-pack=x",
        "a b",
        "../x",
        "",
    ] {
        let said = base(&mut asker, Some(bad)).unwrap_err();
        assert!(
            matches!(said, GitError::BadRef(_) | GitError::NoRef(_)),
            "{bad}: {said}"
        );
    }
    repo.git(&["branch", "master", "main"]);
    let both = vec!["main".to_owned(), "master".to_owned()];
    assert_eq!(base(&mut asker, None), Err(GitError::AmbiguousBase(both)));
    repo.git(&["update-ref", "refs/remotes/origin/trunk", "main"]);
    repo.git(&[
        "symbolic-ref",
        "refs/remotes/origin/HEAD",
        "refs/remotes/origin/trunk",
    ]);
    repo.git(&["pack-refs", "--all"]);
    let trunk = ("origin/trunk".to_owned(), BaseWhy::OriginHead, main);
    assert_eq!(base(&mut asker, None), Ok(trunk));
    assert_ne!(main, head);
}

#[test]
fn a_repository_is_named_by_its_remote_else_its_root() {
    let repo = Repo::with_change();
    repo.commit("work");
    let mut asker = Asker::new();
    let by_root = asker.open(repo.order()).unwrap().change;
    assert_eq!(by_root.repository_by, RepositoryBy::Root);
    let root = repo.id("main").to_string();
    assert_eq!(
        by_root.repository,
        countersign::model::id::Digest::of(root.as_bytes())
    );
    repo.git(&[
        "remote",
        "add",
        "origin",
        "git@forge.example:harbor/ferry.git",
    ]);
    let by_remote = asker.open(repo.order()).unwrap().change;
    assert_eq!(by_remote.repository_by, RepositoryBy::Remote);
    assert_eq!(by_remote.repository_name.raw(), b"harbor/ferry");
    repo.git(&[
        "remote",
        "set-url",
        "origin",
        "https://u:p@Forge.example/harbor/ferry",
    ]);
    assert_eq!(
        asker.open(repo.order()).unwrap().change.repository,
        by_remote.repository
    );
}

#[test]
fn merge_base_and_root_are_remembered_in_the_folder_that_is_given() {
    let repo = Repo::with_change();
    repo.commit("work");
    let memory = repo.home().join("state/known");
    let mut order = repo.order();
    order.memory = Some(memory.clone());
    let first = Asker::new().open(order.clone()).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(&memory)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let (base, head) = (first.snapshot.base, first.snapshot.head);
    assert_eq!(
        names,
        [format!("base-{base}-{head}"), format!("root-{head}")]
    );
    // the answer is taken from there, and a broken one is found again
    std::fs::write(memory.join(&names[0]), head.to_string()).unwrap();
    assert_eq!(
        Asker::new()
            .open(order.clone())
            .unwrap()
            .snapshot
            .merge_base,
        head
    );
    std::fs::write(memory.join(&names[0]), "rubbish").unwrap();
    assert_eq!(Asker::new().open(order).unwrap().snapshot.merge_base, base);
}
