//! Repositories that attack: none of their programs runs, none of their files hangs us, and what
//! is damaged is said (requirements GIT-1 to GIT-8, bug-log 20, 27).

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use countersign::adapters::git::GitError;
use countersign::adapters::reader::{Question, Reply};
use countersign::model::change::Shape;
use countersign::model::id::Ticket;
use countersign::model::known::Known;
use countersign::model::snapshot::RepositoryNote;

use super::repo::{Asker, Repo, Review, order};
use crate::support;

/// A program that leaves a mark below `marks` and does what its caller expects of it.
fn canary(repo: &Repo, name: &str, then: &str) -> String {
    let file = repo.home().join(format!("canary-{name}"));
    let marks = repo.home().join("marks");
    std::fs::create_dir_all(&marks).unwrap();
    let script = format!("#!/bin/sh\n: > '{}/{name}'\n{then}\n", marks.display());
    std::fs::write(&file, script).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file.to_str().unwrap().to_owned()
}

fn fired(repo: &Repo) -> BTreeSet<String> {
    let marks = std::fs::read_dir(repo.home().join("marks")).unwrap();
    marks
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect()
}

fn disarm(repo: &Repo) {
    for name in fired(repo) {
        std::fs::remove_file(repo.home().join("marks").join(name)).unwrap();
    }
}

/// A repository whose configuration, attributes and hooks name programs everywhere.
fn armed() -> Repo {
    let repo = Repo::with_change();
    repo.write("a.txt", "one\n");
    repo.write("b.dat", "one\n");
    repo.commit("first");
    repo.write("a.txt", "two\n");
    repo.write("b.dat", "two\n");
    repo.commit("second");
    let set = |key: &str, value: &str| {
        repo.git(&["config", key, value]);
    };
    for (key, name, then) in [
        ("diff.external", "external", ""),
        ("diff.spy.textconv", "textconv", "cat \"$1\""),
        ("diff.spy.command", "driver", ""),
        ("filter.spy.clean", "clean", "cat"),
        ("filter.spy.smudge", "smudge", "cat"),
        ("core.sshCommand", "ssh", "exit 1"),
        ("core.pager", "pager", "cat"),
        ("core.editor", "editor", ""),
        ("core.askPass", "askpass", ""),
        ("gpg.program", "gpg", ""),
        ("core.alternateRefsCommand", "alternates", ""),
        ("credential.helper", "credential", ""),
        ("core.fsmonitor", "fsmonitor", "exit 1"),
        ("alias.status", "alias", ""),
    ] {
        set(key, &canary(&repo, name, then));
    }
    let hooks = repo.home().join("hooks");
    std::fs::create_dir(&hooks).unwrap();
    for hook in [
        "post-index-change",
        "post-checkout",
        "reference-transaction",
        "pre-commit",
    ] {
        let body = std::fs::read(canary(&repo, hook, "")).unwrap();
        std::fs::write(hooks.join(hook), body).unwrap();
        std::fs::set_permissions(hooks.join(hook), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    set("core.hooksPath", hooks.to_str().unwrap());
    std::fs::create_dir_all(repo.top.join(".git/info")).unwrap();
    repo.write(
        ".git/info/attributes",
        "*.txt diff=spy filter=spy\n*.dat filter=spy\n",
    );
    // dirty, so that git looks into the files
    repo.write("a.txt", "dirt\n");
    repo.write("b.dat", "dart\n");
    repo
}

/// A reader that runs as another user when we are root, so that its rights are real.
fn as_other_user(repo: &Repo) -> Asker {
    if !support::is_root() {
        return Asker::new();
    }
    let copy = repo.home().join("countersign-under-test");
    std::fs::copy(env!("CARGO_BIN_EXE_countersign"), &copy).unwrap();
    let script = repo.home().join("as-other-user");
    let text = format!(
        "#!/bin/sh\nexport HOME='{2}'\nexec setpriv --reuid {0} --regid {0} --clear-groups -- '{1}' \"$@\"\n",
        support::OTHER_UID,
        copy.display(),
        repo.home().display()
    );
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    support::hand_over(repo.home());
    Asker::with(script.to_str().unwrap())
}

/// Everything that a session asks.
fn look_at_everything(asker: &mut Asker, dir: &Path) {
    let opened = asker.open(order(dir)).expect("it opens");
    for file in asker.files() {
        let (_, hunks, _) = asker.hunks(&file);
        assert!(hunks.is_some(), "{file:?}");
        for entry in [file.old, file.new].into_iter().flatten() {
            assert!(!asker.lines(&file.path, entry.oid, 0..9, true).is_empty());
        }
    }
    let ticket = asker.ask(Question::Heads(opened.heads()));
    let Reply::Heads(Ok(heads)) = asker.reply(ticket) else {
        panic!("heads");
    };
    assert_eq!(heads.head, Some(opened.snapshot.head.0));
    let ticket = asker.ask(Question::Worktree(opened.worktree.clone()));
    let Reply::Notes(notes) = asker.reply(ticket) else {
        panic!("notes");
    };
    let totals = notes.iter().filter_map(RepositoryNote::paths);
    assert_eq!(totals.map(|paths| paths.total).sum::<u32>(), 2, "{notes:?}");
}

#[test]
fn no_program_of_the_repository_runs() {
    let repo = armed();
    let mut asker = as_other_user(&repo);
    // positive control: everyday git runs them
    for args in [
        &["status"][..],
        &["diff"],
        &["diff", "--no-ext-diff"],
        &["log", "-p", "--textconv", "-1"],
        &["checkout", "--", "b.dat"],
        &[
            "-c",
            "core.fsmonitor=false",
            "-c",
            "diff.external=",
            "diff",
            "--no-ext-diff",
        ],
    ] {
        let _ = support::as_other_user("git", repo.home())
            .current_dir(&repo.top)
            .args(args)
            .output();
    }
    let control = fired(&repo);
    for name in [
        "external",
        "clean",
        "smudge",
        "fsmonitor",
        "post-index-change",
    ] {
        assert!(
            control.contains(name),
            "the control fires {name}: {control:?}"
        );
    }
    repo.write("b.dat", "dart\n");
    support::hand_over(repo.home());
    disarm(&repo);
    look_at_everything(&mut asker, &repo.top);
    assert_eq!(fired(&repo), BTreeSet::new());
}

#[test]
fn a_bare_repository_hidden_in_the_tree_is_data_and_no_way_in() {
    let repo = Repo::with_change();
    repo.write("fixture/HEAD", "ref: refs/heads/main\n");
    repo.write("fixture/config", "[core]\n\tbare = true\n");
    repo.write("fixture/objects/info/x", "");
    repo.write("fixture/refs/heads/x", "");
    repo.commit("work");
    let Review { files, .. } = repo.review();
    assert_eq!(files.len(), 4);
    let inside = Asker::new()
        .open(order(&repo.top.join("fixture")))
        .unwrap_err();
    assert!(matches!(inside, GitError::Bare(_)), "{inside}");
}

#[test]
fn the_way_into_a_repository_must_lead_back() {
    let repo = Repo::with_change();
    repo.commit("work");
    let other = repo.home().join("other");
    let refused = |why: &str| {
        let error = Asker::new().open(order(&other)).unwrap_err();
        assert!(matches!(error, GitError::Identity(..)), "{why}: {error}");
        assert!(error.says().contains(why), "{why}: {error}");
    };
    std::fs::create_dir(&other).unwrap();
    let dot_git = other.join(".git");
    std::fs::write(&dot_git, format!("gitdir: {}/.git\n", repo.top.display())).unwrap();
    refused("does not point back");
    std::fs::write(&dot_git, "gitdir: /nowhere\n").unwrap();
    refused("is not there");
    std::fs::write(&dot_git, "rubbish\n").unwrap();
    refused("does not say gitdir");
    std::fs::remove_file(&dot_git).unwrap();
    std::os::unix::fs::symlink(repo.top.join(".git"), &dot_git).unwrap();
    refused("is a symbolic link");
    std::fs::remove_file(&dot_git).unwrap();
    repo.git(&[
        "worktree",
        "add",
        "-q",
        "-b",
        "w",
        repo.home().join("w").to_str().unwrap(),
    ]);
    std::fs::copy(repo.home().join("w/.git"), &dot_git).unwrap();
    refused("belongs to another worktree");
    repo.git(&["config", "core.worktree", "/etc"]);
    let error = Asker::new().open(repo.order()).unwrap_err();
    assert!(error.says().contains("core.worktree"), "{error}");
}

fn fifo(path: &Path) {
    let _ = std::fs::remove_file(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

#[test]
fn a_fifo_anywhere_ends_in_an_answer() {
    // those that nobody needs to open
    for harmless in [
        ".gitattributes",
        ".git/included",
        ".git/index",
        ".git/info/attributes",
    ] {
        let repo = Repo::with_change();
        repo.commit("work");
        repo.git(&["config", "include.path", "included"]);
        fifo(&repo.top.join(harmless));
        let started = Instant::now();
        let opened = Asker::new().open(repo.order());
        assert!(opened.is_ok(), "{harmless}: {opened:?}");
        assert!(started.elapsed() < Duration::from_secs(10), "{harmless}");
    }
    for needed in [
        ".git/config",
        ".git/HEAD",
        ".git/packed-refs",
        ".git/refs/heads/change",
        ".git/objects/info/alternates",
    ] {
        let repo = Repo::with_change();
        repo.commit("work");
        fifo(&repo.top.join(needed));
        let started = Instant::now();
        let error = Asker::new().open(repo.order()).unwrap_err();
        assert!(error.says().contains("is a FIFO"), "{needed}: {error}");
        assert!(started.elapsed() < Duration::from_secs(10), "{needed}");
    }
}

#[test]
fn a_reader_that_hangs_is_replaced_and_not_asked_again() {
    let repo = Repo::with_change();
    repo.write("a.txt", "text\n");
    repo.commit("work");
    fifo(&repo.top.join(".gitignore"));
    let mut review = repo.review();
    let (first, asker) = (review.asker.reader.pid(), &mut review.asker);
    for wanted in ["took longer", "is not asked again"] {
        let started = Instant::now();
        let ticket = asker.ask(Question::Worktree(repo.top.clone()));
        let Reply::Notes(notes) = asker.reply(ticket) else {
            panic!("no notes");
        };
        let why = notes[0].reason().expect("it could not look").to_string();
        assert!(why.contains(wanted), "{why}");
        assert!(started.elapsed() < Duration::from_secs(10));
    }
    let file = review.files[0].clone();
    let (shape, hunks, _) = asker.hunks(&file);
    assert!(shape == Shape::Text && hunks.is_some());
    assert_ne!(asker.reader.pid(), first);
}

#[test]
fn a_reader_that_is_killed_in_the_middle_of_a_question_is_replaced() {
    let repo = Repo::with_change();
    let text: String = (0..200_000).map(|n| format!("line {n}\n")).collect();
    repo.write("a.txt", &text);
    repo.commit("work");
    let mut review = repo.review();
    let file = review.files[0].clone();
    for round in 0..5 {
        let ticket = review.asker.ask(Question::Hunks {
            path: file.path.clone(),
            old: file.old,
            new: file.new,
        });
        let pid = i32::try_from(review.asker.reader.pid()).unwrap();
        let pid = rustix::process::Pid::from_raw(pid).expect("a child");
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        let Reply::Hunks { counts, hunks, .. } = review.asker.reply(ticket) else {
            panic!("no hunks");
        };
        assert!(hunks.is_ok(), "round {round}: {hunks:?}");
        assert_eq!(counts.added, 200_000, "round {round}");
    }
    let colored = review
        .asker
        .lines(&file.path, file.new.unwrap().oid, 5..7, true);
    assert_eq!(colored[0].text.raw(), b"line 5");
}

#[test]
fn a_binary_that_is_no_reader_is_said() {
    let repo = Repo::with_change();
    let mut asker = Asker::with("/bin/false");
    let error = asker.open(repo.order()).unwrap_err();
    assert!(
        matches!(error, GitError::Died(_) | GitError::NoReader(_)),
        "{error}"
    );
    let error = Asker::with("/no/such/binary")
        .open(repo.order())
        .unwrap_err();
    assert!(matches!(error, GitError::NoReader(_)), "{error}");
}

/// The loose file of an object.
fn loose(repo: &Repo, name: &str) -> std::path::PathBuf {
    let id = repo.id(name).to_string();
    repo.top.join(".git/objects").join(&id[..2]).join(&id[2..])
}

fn replace(file: &Path, bytes: &[u8]) {
    std::fs::remove_file(file).unwrap();
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn missing_and_damaged_objects_are_said_and_never_empty() {
    let repo = Repo::with_change();
    for name in ["gone", "cut", "zero", "forged", "fine", "shown"] {
        repo.write(
            &format!("{name}.txt"),
            format!("text of {name}\n").repeat(40),
        );
    }
    repo.commit("work");
    let blob = |name: &str| loose(&repo, &format!("change:{name}.txt"));
    let (fine, shown) = (std::fs::read(blob("fine")).unwrap(), blob("shown"));
    std::fs::remove_file(blob("gone")).unwrap();
    let cut = std::fs::read(blob("cut")).unwrap();
    replace(&blob("cut"), &cut[..cut.len() / 2]);
    replace(&blob("zero"), b"");
    // a whole object under another object's name
    replace(&blob("forged"), &fine);
    replace(&shown, &fine);
    let mut review = repo.review();
    for name in ["gone", "cut", "zero", "forged", "shown"] {
        let shape = review.shape(&format!("{name}.txt"));
        assert!(matches!(shape, Shape::Missing(_)), "{name}: {shape:?}");
    }
    assert_eq!(review.shape("fine.txt"), &Shape::Text);
    // shown at once, and taken back when its bytes turn out to be others
    let file = review.file("shown.txt").clone();
    let ticket = review.asker.ask(Question::Hunks {
        path: file.path.clone(),
        old: file.old,
        new: file.new,
    });
    let first = review.asker.reply(ticket);
    assert!(
        matches!(
            &first,
            Reply::Hunks {
                shape: Shape::Text | Shape::Missing(_),
                ..
            }
        ),
        "{first:?}"
    );
    let why = loop {
        match review.asker.reply(Ticket(1)) {
            Reply::Hunks {
                shape: Shape::Missing(why),
                ..
            } => break why,
            Reply::Files { .. } => {}
            other => panic!("{other:?}"),
        }
    };
    assert!(why.contains("do not hash to its name"), "{why}");
}

#[test]
fn a_missing_tree_or_commit_is_no_short_list() {
    let repo = Repo::with_change();
    repo.write("a/x.txt", "x\n");
    repo.write("b/y.txt", "y\n");
    repo.commit("work");
    std::fs::remove_file(loose(&repo, "change:b")).unwrap();
    let mut asker = Asker::new();
    asker.open(repo.order()).unwrap();
    let ticket = Ticket(1);
    loop {
        if let Reply::Files {
            cut: Some(error),
            complete: true,
            ..
        } = asker.reply(ticket)
        {
            assert!(matches!(error, GitError::Missing(..)), "{error}");
            break;
        }
    }
    std::fs::remove_file(loose(&repo, "change^{tree}")).unwrap();
    let error = Asker::new().open(repo.order()).unwrap_err();
    assert!(matches!(error, GitError::Missing(..)), "{error}");
    std::fs::remove_file(loose(&repo, "change")).unwrap();
    let error = Asker::new().open(repo.order()).unwrap_err();
    assert!(error.says().contains("the commit"), "{error}");
}

#[test]
fn odd_names_and_odd_commits_come_through_byte_for_byte() {
    let repo = Repo::with_change();
    let names: Vec<Vec<u8>> = vec![
        b"-rf".to_vec(),
        b"--output=x".to_vec(),
        b":(glob)*".to_vec(),
        b"new\nline".to_vec(),
        b"\x1b[31mred".to_vec(),
        b"\xff\xfe".to_vec(),
        "r\u{202e}lo".into(),
        "tag\u{e0041}".into(),
        b"\"quoted\"\\".to_vec(),
        b" blank ".to_vec(),
        vec![b'n'; 255],
    ];
    use std::os::unix::ffi::OsStrExt as _;
    for name in &names {
        std::fs::write(repo.top.join(std::ffi::OsStr::from_bytes(name)), "x\n").unwrap();
    }
    repo.commit("work");
    let tree = repo.git(&["rev-parse", "change^{tree}"]);
    let parent = repo.git(&["rev-parse", "change"]);
    let text = format!(
        "tree {tree}\nparent {parent}\nauthor A\x1b[31m\u{202e}evil <> 99999999999999999999 +9999\n\
         committer  <> -1 -1200\n\nsubject \x1b]0;x\x07\n"
    );
    std::fs::write(repo.home().join("commit"), text).unwrap();
    let file = repo.home().join("commit");
    let odd = repo.git(&[
        "hash-object",
        "-t",
        "commit",
        "-w",
        "--literally",
        file.to_str().unwrap(),
    ]);
    repo.git(&["update-ref", "refs/heads/change", &odd]);
    let review = repo.review();
    let listed: BTreeSet<Vec<u8>> = review
        .files
        .iter()
        .map(|f| f.path.as_bytes().to_vec())
        .collect();
    assert_eq!(listed, names.into_iter().collect());
    let Known::Is(commits) = &review.opened.commits else {
        panic!("commits")
    };
    let last = commits.last().unwrap();
    assert_eq!(last.author.raw(), "A\x1b[31m\u{202e}evil <>".as_bytes());
    assert_eq!(last.subject.raw(), b"subject \x1b]0;x\x07");
}

const CONTRACT: &str = ".claude/tasks/contracts/2026-10-12-x-0900.md";

fn contract_of(repo: &Repo) -> String {
    match repo.review().opened.contract {
        Known::Unknown(why) => why.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_contract_that_cannot_be_read_is_never_no_contract() {
    let repo = Repo::with_change();
    repo.write(
        CONTRACT,
        format!("# CONTRACT — x\n{}", "x".repeat((16 << 20) + 1)),
    );
    repo.commit("too large");
    assert!(contract_of(&repo).contains("at most"));

    let repo = Repo::with_change();
    repo.write("secret", "# CONTRACT — x\n");
    let link = repo.top.join(CONTRACT);
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", link).unwrap();
    repo.commit("a link");
    assert!(contract_of(&repo).contains("is a symbolic link"));
}
