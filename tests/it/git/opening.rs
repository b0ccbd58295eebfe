//! A session on any hostile repository ends within ten seconds in lines that can be used or in a
//! sentence, whoever's repository it is.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::repo::Repo;
use crate::support::{countersign_as_other_user, hand_over};

const DEADLINE: Duration = Duration::from_secs(10);

type Ruin = fn(&Repo);

fn put(repo: &Repo, path: &str, bytes: impl AsRef<[u8]>) {
    let file = repo.top.join(path);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    let _ = std::fs::remove_file(&file);
    std::fs::write(file, bytes).expect("written");
}

fn fifo(repo: &Repo, path: &str) {
    let file = repo.top.join(path);
    let _ = std::fs::remove_file(&file);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &file, kind, mode, 0).expect("a fifo");
}

fn link(repo: &Repo, path: &str, to: &str) {
    let file = repo.top.join(path);
    let _ = std::fs::remove_file(&file);
    symlink(Path::new(to), file).expect("a link");
}

/// What is done to a repository, and its name.
const RUINS: &[(&str, Ruin)] = &[
    ("config is a fifo", |r| fifo(r, ".git/config")),
    ("HEAD is a fifo", |r| fifo(r, ".git/HEAD")),
    ("packed-refs is a fifo", |r| fifo(r, ".git/packed-refs")),
    ("index is a fifo", |r| fifo(r, ".git/index")),
    ("attributes are a fifo", |r| fifo(r, ".gitattributes")),
    ("the contract is a fifo", |r| fifo(r, "GATES.md")),
    ("the settings are a fifo", |r| fifo(r, ".countersign.toml")),
    ("shallow is a fifo", |r| fifo(r, ".git/shallow")),
    ("alternates are a fifo", |r| {
        fifo(r, ".git/objects/info/alternates");
    }),
    ("config is endless", |r| link(r, ".git/config", "/dev/zero")),
    ("HEAD is endless", |r| link(r, ".git/HEAD", "/dev/zero")),
    ("config is a folder", |r| put(r, ".git/config.d/x", "")),
    ("config is rubbish", |r| {
        put(r, ".git/config", b"\xff\0[core\n\x1b[2J");
    }),
    ("config includes itself", |r| {
        put(r, ".git/config", "[include]\n\tpath = config\n");
    }),
    ("another worktree is named", |r| {
        put(r, ".git/config", "[core]\n\tworktree = /etc\n");
    }),
    ("HEAD points to itself", |r| {
        put(r, ".git/HEAD", "ref: HEAD\n");
    }),
    ("HEAD leads out", |r| {
        put(r, ".git/HEAD", "ref: ../../etc/passwd\n");
    }),
    ("HEAD is empty", |r| put(r, ".git/HEAD", "")),
    ("HEAD names nothing", |r| {
        put(r, ".git/HEAD", "0".repeat(40) + "\n");
    }),
    ("refs in a ring", |r| {
        put(r, ".git/HEAD", "ref: refs/heads/a\n");
        put(r, ".git/refs/heads/a", "ref: refs/heads/b\n");
        put(r, ".git/refs/heads/b", "ref: refs/heads/a\n");
    }),
    ("packed-refs are rubbish", |r| {
        put(r, ".git/packed-refs", b"\xff\xff ^^^\n".repeat(5_000));
    }),
    ("the objects are gone", |r| {
        std::fs::remove_dir_all(r.top.join(".git/objects")).expect("gone");
    }),
    ("alternates lead nowhere", |r| {
        put(r, ".git/objects/info/alternates", "/nowhere\n../objects\n");
    }),
    ("a pack is rubbish", |r| {
        put(
            r,
            ".git/objects/pack/pack-1.pack",
            b"PACK\0\0\0\x02\xff\xff\xff\xff",
        );
        put(r, ".git/objects/pack/pack-1.idx", b"\xfftOc\0\0\0\x02");
    }),
    ("a commit graph is rubbish", |r| {
        put(r, ".git/objects/info/commit-graph", b"CGPH\x01\x01\xff\xff");
    }),
    (".git is a link", |r| {
        std::fs::rename(r.top.join(".git"), r.top.join("elsewhere")).expect("moved");
        link(r, ".git", "elsewhere");
    }),
    (".git is a fifo", |r| {
        std::fs::rename(r.top.join(".git"), r.top.join("elsewhere")).expect("moved");
        fifo(r, ".git");
    }),
    ("replaced objects and grafts", |r| {
        put(r, ".git/info/grafts", "0".repeat(40) + "\n");
        put(r, ".git/refs/replace/x", "rubbish\n");
    }),
    ("a lock stands", |r| put(r, ".git/index.lock", "")),
    ("the settings obey nobody", |r| {
        put(r, ".countersign.toml", b"\x1b]0;x\x07 = [\n");
    }),
];

#[test]
fn a_session_on_a_hostile_repository_ends_in_ten_seconds_in_lines_or_a_sentence() {
    let (mut opened, mut said) = (0, 0);
    for (name, ruin) in RUINS {
        let repo = Repo::with_change();
        repo.write(
            "GATES.md",
            "# Tide\n\n## Acceptance criteria\n\n- [ ] It is shown\n",
        );
        repo.commit("work");
        ruin(&repo);
        hand_over(repo.home());
        let mut child = countersign_as_other_user(repo.home())
            .args(["review", "--plain"])
            .env("COUNTERSIGN_HOME", repo.home().join("own"))
            .current_dir(&repo.top)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let end = Instant::now() + DEADLINE;
        while child.try_wait().expect("a status").is_none() {
            if Instant::now() > end {
                let _ = child.kill();
                panic!("{name}: it did not end within ten seconds");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let done = child.wait_with_output().expect("its output");
        let text = [done.stdout, done.stderr].concat();
        let text = String::from_utf8(text).unwrap_or_else(|_| panic!("{name}: not UTF-8"));
        let code = done.status.code();
        assert!(
            code.is_some_and(|code| code != 101),
            "{name}: {code:?}\n{text}"
        );
        assert!(!text.contains('\u{1b}'), "{name}: {text}");
        if text.contains("verdict: ") {
            opened += 1;
        } else {
            let sentence = text.lines().any(|line| line.split(' ').count() >= 3);
            assert!(sentence, "{name}: no sentence in {text:?}");
            said += 1;
        }
    }
    let says =
        format!("hostile repositories: {opened} opened in lines, {said} in a sentence, 0 hung\n");
    let mut out = std::io::stdout();
    std::io::Write::write_all(&mut out, says.as_bytes()).expect("printed");
    assert_eq!(opened + said, RUINS.len());
}
