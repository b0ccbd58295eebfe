//! Private checkouts: what a run can do to one, and what the next run finds.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use countersign::adapters::checkout::{Pinned, Slot, also_runs};
use countersign::model::id::Oid;
use countersign::model::text::Foreign;

struct World {
    home: tempfile::TempDir,
    repository: git2::Repository,
    base: git2::Oid,
}

const SIGNATURE: (&str, &str) = ("Ada", "ada@example.com");

fn program() -> PathBuf {
    env!("CARGO_BIN_EXE_countersign").into()
}

/// A repository whose `main` holds `files`.
fn world(files: &[(&str, &str)]) -> World {
    world_in(tempfile::tempdir().expect("a folder"), files)
}

fn world_in(home: tempfile::TempDir, files: &[(&str, &str)]) -> World {
    let repository = git2::Repository::init(home.path().join("work")).expect("a repository");
    let base = commit(&repository, files, None);
    repository
        .reference("refs/heads/main", base, true, "")
        .expect("main");
    World {
        home,
        repository,
        base,
    }
}

/// Commits `files` (mode by name: `x:` executable, `l:` link) on top of `parent`.
fn commit(
    repository: &git2::Repository,
    files: &[(&str, &str)],
    parent: Option<git2::Oid>,
) -> git2::Oid {
    let mut index = git2::Index::new().expect("an index");
    for (path, text) in files {
        let (path, mode) = match path.split_once(':') {
            Some(("x", path)) => (path, 0o100_755),
            Some(("l", path)) => (path, 0o120_000),
            _ => (*path, 0o100_644),
        };
        let entry = git2::IndexEntry {
            ctime: git2::IndexTime::new(0, 0),
            mtime: git2::IndexTime::new(0, 0),
            dev: 0,
            ino: 0,
            mode,
            uid: 0,
            gid: 0,
            file_size: 0,
            id: repository.blob(text.as_bytes()).expect("a blob"),
            flags: 0,
            flags_extended: 0,
            path: path.as_bytes().to_vec(),
        };
        index.add(&entry).expect("added");
    }
    let tree = index.write_tree_to(repository).expect("a tree");
    let tree = repository.find_tree(tree).expect("a tree");
    let who = git2::Signature::now(SIGNATURE.0, SIGNATURE.1).expect("a signature");
    let parent = parent.map(|p| repository.find_commit(p).expect("a parent"));
    let parents: Vec<_> = parent.iter().collect();
    repository
        .commit(None, &who, &who, "one", &tree, &parents)
        .expect("a commit")
}

fn oid(id: git2::Oid) -> Oid {
    Oid(id.as_bytes().try_into().expect("20 bytes"))
}

impl World {
    fn pinned(&self, head: git2::Oid) -> Pinned {
        let tree = |id| {
            let commit = self.repository.find_commit(id).expect("a commit");
            oid(commit.tree_id())
        };
        Pinned {
            gitdir: self.repository.path().to_owned(),
            head: oid(head),
            tree: tree(head),
            base: oid(self.base),
            base_name: "main".into(),
            base_tree: tree(self.base),
        }
    }

    fn slot(&self) -> Slot {
        Slot::take(&program(), &self.home.path().join("cache"), "change").expect("a slot")
    }
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| format!("{}: {error}", path.display()))
}

const FILES: [(&str, &str); 5] = [
    (".gitignore", "build/\n"),
    ("src/a.txt", "a"),
    ("src/b.txt", "b"),
    ("x:run.sh", "#!/bin/sh\n"),
    ("l:link", "/etc/passwd"),
];

#[test]
fn the_tree_is_laid_out_and_brought_forward_with_build_outputs_kept() {
    let world = world(&FILES);
    let slot = world.slot();
    let brought = slot
        .bring(&world.pinned(world.base), false)
        .expect("brought");
    assert_eq!((brought.written, brought.removed), (5, 0));
    let tree = slot.tree();
    assert_eq!(text(&tree.join("src/a.txt")), "a");
    assert_eq!(
        fs::read_link(tree.join("link")).expect("a link"),
        Path::new("/etc/passwd")
    );
    let mode = fs::metadata(tree.join("run.sh"))
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o111, 0o111);
    fs::create_dir(tree.join("build")).expect("made");
    fs::write(tree.join("build/out"), "warm").expect("written");
    let before = fs::metadata(tree.join("src/b.txt"))
        .expect("there")
        .modified()
        .expect("a time");

    let next = [
        (".gitignore", "build/\n"),
        ("src/a.txt", "A2"),
        ("src/b.txt", "b"),
    ];
    let head = commit(&world.repository, &next, Some(world.base));
    let brought = slot.bring(&world.pinned(head), false).expect("brought");
    assert_eq!((brought.written, brought.removed), (1, 2));
    assert_eq!(text(&tree.join("src/a.txt")), "A2");
    assert!(!tree.join("run.sh").exists() && tree.join("link").symlink_metadata().is_err());
    let after = fs::metadata(tree.join("src/b.txt"))
        .expect("there")
        .modified()
        .expect("a time");
    assert_eq!(before, after, "an unchanged file keeps its time");
    assert_eq!(text(&tree.join("build/out")), "warm");
    assert!(
        slot.scan(&world.pinned(head))
            .expect("scanned")
            .changed
            .is_empty()
    );

    slot.bring(&world.pinned(head), true).expect("brought");
    assert!(!tree.join("build").exists(), "--cold empties it");
}

#[test]
fn whatever_a_run_does_is_seen_and_mended() {
    let world = world(&FILES);
    let slot = world.slot();
    let pinned = world.pinned(world.base);
    let outside = world.home.path().join("outside");
    fs::create_dir(&outside).expect("made");
    type Act = fn(&Path, &Path);
    let rows: [(&str, Act, &[&str]); 9] = [
        ("nothing", |_, _| {}, &[]),
        (
            "an ignored file",
            |t, _| {
                fs::create_dir_all(t.join("build/x")).expect("made");
                fs::write(t.join("build/x/y"), "y").expect("written");
            },
            &[],
        ),
        (
            "same size",
            |t, _| fs::write(t.join("src/a.txt"), "z").expect("written"),
            &["src/a.txt"],
        ),
        (
            "removed",
            |t, _| fs::remove_file(t.join("src/b.txt")).expect("gone"),
            &["src/b.txt"],
        ),
        (
            "mode",
            |t, _| {
                fs::set_permissions(t.join("src/a.txt"), fs::Permissions::from_mode(0o755))
                    .expect("set");
            },
            &["src/a.txt"],
        ),
        (
            "stray",
            |t, _| {
                fs::create_dir_all(t.join("new/deep")).expect("made");
                fs::write(t.join("new/deep/er"), "").expect("written");
            },
            &["new/deep/er"],
        ),
        (
            "a planted link",
            |t, o| {
                fs::rename(t.join("src"), o.join("src")).expect("moved");
                symlink(o.join("src"), t.join("src")).expect("linked");
            },
            &["src", "src/a.txt", "src/b.txt"],
        ),
        (
            "a planted pipe",
            |t, _| {
                let path = t.join(".gitignore");
                fs::remove_file(&path).expect("gone");
                Command::new("mkfifo").arg(&path).status().expect("mkfifo");
            },
            &[".gitignore"],
        ),
        (
            "a folder for a file",
            |t, _| {
                fs::remove_file(t.join("run.sh")).expect("gone");
                fs::create_dir_all(t.join("run.sh/sub")).expect("made");
            },
            &["run.sh"],
        ),
    ];
    for (what, act, wanted) in rows {
        slot.bring(&pinned, false).expect("brought");
        assert!(
            slot.scan(&pinned).expect("scanned").changed.is_empty(),
            "{what}: clean before"
        );
        act(&slot.tree(), &outside);
        let scanned = slot.scan(&pinned).expect("scanned");
        let found: Vec<_> = scanned
            .changed
            .iter()
            .map(|f| f.raw_str().unwrap_or("?"))
            .collect();
        // A file that was moved away and is reached through the link has other marks or none.
        let found: Vec<_> = if what == "a planted link" {
            found.into_iter().filter(|f| wanted.contains(f)).collect()
        } else {
            found
        };
        if what == "a planted link" {
            assert!(found.contains(&"src"), "{what}: {found:?}");
        } else {
            assert_eq!(found, wanted, "{what}");
        }
    }
    slot.bring(&pinned, false).expect("brought");
    assert_eq!(text(&slot.tree().join("src/a.txt")), "a");
    assert_eq!(
        text(&outside.join("src/b.txt")),
        "b",
        "what was moved out is left alone"
    );
}

/// A check that put a pipe or a device in the place of the file that leads to its repository held
/// up its session and every later one of the change.
#[test]
fn what_stands_in_the_place_of_the_way_to_its_repository_holds_nobody_up() {
    let (send, seen) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let world = world(&FILES);
        let slot = world.slot();
        let pinned = world.pinned(world.base);
        let link = slot.tree().join(".git");
        for kind in ["a pipe", "a device", "a folder", "nothing", "another file"] {
            slot.bring(&pinned, false).expect("brought");
            assert!(link.is_file(), "{kind}: it is there again");
            fs::remove_file(&link).expect("gone");
            match kind {
                "a pipe" => {
                    Command::new("mkfifo").arg(&link).status().expect("mkfifo");
                }
                "a device" => symlink("/dev/zero", &link).expect("linked"),
                "a folder" => fs::create_dir(&link).expect("made"),
                "another file" => fs::write(&link, "gitdir: /\n").expect("written"),
                _ => {}
            }
            let scanned = slot.scan(&pinned).expect("scanned");
            send.send((kind, scanned.gitdir_changed)).expect("heard");
        }
    });
    for wanted in ["a pipe", "a device", "a folder", "nothing", "another file"] {
        let found = seen.recv_timeout(std::time::Duration::from_secs(20));
        assert_eq!(found, Ok((wanted, true)));
    }
}

#[test]
fn a_link_in_place_of_a_folder_is_never_written_through() {
    let world = world(&FILES);
    let slot = world.slot();
    slot.bring(&world.pinned(world.base), false)
        .expect("brought");
    let outside = world.home.path().join("outside");
    fs::create_dir(&outside).expect("made");
    fs::remove_dir_all(slot.tree().join("src")).expect("gone");
    symlink(&outside, slot.tree().join("src")).expect("linked");
    let next = [("src/a.txt", "evil"), ("src/c.txt", "evil")];
    let head = commit(&world.repository, &next, Some(world.base));
    slot.bring(&world.pinned(head), false).expect("brought");
    assert_eq!(text(&slot.tree().join("src/c.txt")), "evil");
    assert_eq!(fs::read_dir(&outside).expect("read").count(), 0);
}

#[test]
fn names_that_lead_out_are_refused_and_listed() {
    let world = world(&FILES);
    let slot = world.slot();
    // libgit2 refuses to make such trees, so this one is made of bytes.
    let blob = world.repository.blob(b"evil").expect("a blob");
    let mut bytes = Vec::new();
    for name in [&b".GIT"[..], b"..", b"a", b"git~1"] {
        bytes.extend_from_slice(b"100644 ");
        bytes.extend_from_slice(name);
        bytes.push(0);
        bytes.extend_from_slice(blob.as_bytes());
    }
    let odb = world.repository.odb().expect("objects");
    let tree = odb.write(git2::ObjectType::Tree, &bytes).expect("written");
    let pinned = Pinned {
        tree: oid(tree),
        ..world.pinned(world.base)
    };
    let brought = slot.bring(&pinned, false).expect("brought");
    let refused: Vec<_> = brought
        .refused
        .iter()
        .map(|(p, _)| p.as_bytes().to_vec())
        .collect();
    assert_eq!(refused, [&b".GIT"[..], b"..", b"git~1"]);
    assert_eq!(text(&slot.tree().join("a")), "evil");
    assert!(slot.tree().join(".git").is_file());
}

#[test]
fn twenty_thousand_files_are_written_and_checked() {
    let names: Vec<_> = (0..20_000).map(|n| format!("d{}/f{n}", n % 97)).collect();
    let files: Vec<_> = names.iter().map(|n| (n.as_str(), "same")).collect();
    // In memory where there is such a folder: some file systems take milliseconds for each file.
    let memory = Path::new("/dev/shm");
    let home = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    let world = world_in(home.expect("a folder"), &files);
    let slot = world.slot();
    let brought = slot
        .bring(&world.pinned(world.base), false)
        .expect("brought");
    assert_eq!(brought.written, 20_000);

    assert!(
        slot.scan(&world.pinned(world.base))
            .expect("scanned")
            .changed
            .is_empty()
    );
}

#[test]
fn git_works_inside_and_finds_only_our_repository() {
    let world = world(&FILES);
    let mut next = FILES.to_vec();
    next[1].1 = "changed";
    let head = commit(&world.repository, &next, Some(world.base));
    let slot = world.slot();
    slot.bring(&world.pinned(head), false).expect("brought");
    let git = |arguments: &str| {
        let out = Command::new("git")
            .args(arguments.split(' '))
            .current_dir(slot.tree())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "maintenance.auto")
            .env("GIT_CONFIG_VALUE_0", "false")
            .output()
            .expect("git runs");
        String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr)
    };
    assert_eq!(git("status --porcelain"), "");
    assert_eq!(git("diff --name-only main...HEAD"), "src/a.txt\n");
    assert_eq!(git("rev-parse HEAD"), format!("{head}\n"));
    assert_eq!(git("ls-files src"), "src/a.txt\nsrc/b.txt\n");
    assert_eq!(git("remote"), "");
    assert!(
        !slot
            .scan(&world.pinned(head))
            .expect("scanned")
            .gitdir_changed
    );
    git("config core.fsmonitor /bin/true");
    assert!(
        slot.scan(&world.pinned(head))
            .expect("scanned")
            .gitdir_changed
    );
    slot.bring(&world.pinned(head), false).expect("brought");
    assert!(
        !slot
            .scan(&world.pinned(head))
            .expect("scanned")
            .gitdir_changed,
        "laid out anew"
    );
}

#[test]
fn moved_heads_are_seen() {
    let world = world(&FILES);
    world
        .repository
        .set_head("refs/heads/main")
        .expect("a head");
    let pinned = world.pinned(world.base);
    let slot = world.slot();
    slot.bring(&pinned, false).expect("brought");
    assert_eq!(slot.scan(&pinned).expect("scanned").head, Some(pinned.head));
    let head = commit(&world.repository, &FILES[..2], Some(world.base));
    world
        .repository
        .reference("refs/heads/main", head, true, "")
        .expect("moved");
    let scanned = slot.scan(&pinned).expect("scanned");
    assert_eq!(
        (scanned.head, scanned.base),
        (Some(oid(head)), Some(oid(head)))
    );
}

#[test]
fn a_slot_in_use_is_not_taken_twice() {
    let world = world(&FILES);
    let first = world.slot();
    let second = world.slot();
    assert_ne!(first.tree(), second.tree());
    let tree = first.tree();
    drop(first);
    assert_eq!(world.slot().tree(), tree);
}

#[test]
fn what_a_command_also_runs_is_listed() {
    let base = [
        ("tests/a.sh", ". lib/b.sh\n"),
        ("lib/b.sh", "one\ntwo\n"),
        ("Makefile", "test:\n"),
        ("package.json", "{}"),
        ("crates/x/build.rs", "fn main() {}"),
        ("Cargo.toml", "[package]"),
        ("other.txt", "x"),
    ];
    let mut next = base;
    next[1].1 = "one\n2\nthree\n";
    next[3].1 = "{ }";
    let world = world(&base);
    let head = commit(&world.repository, &next, Some(world.base));
    let pinned = world.pinned(head);
    let rows: [(&str, &[(&str, bool)]); 5] = [
        (
            "sh tests/a.sh && echo ok",
            &[("lib/b.sh", true), ("tests/a.sh", false)],
        ),
        ("make test", &[("Makefile", false)]),
        ("npm test", &[("package.json", true)]),
        (
            "cargo test -q",
            &[("Cargo.toml", false), ("crates/x/build.rs", false)],
        ),
        ("echo ok", &[]),
    ];
    for (check, wanted) in rows {
        let found = also_runs(
            &program(),
            &pinned,
            Some(pinned.base_tree),
            &Foreign::from(check),
        )
        .expect("found");
        let found: Vec<_> = found
            .iter()
            .map(|(path, counts, same)| {
                assert_eq!(*same, Some(counts.is_none()), "{check}");
                (
                    String::from_utf8_lossy(path.as_bytes()).into_owned(),
                    counts.is_some(),
                )
            })
            .collect();
        let wanted: Vec<_> = wanted.iter().map(|(p, c)| ((*p).to_owned(), *c)).collect();
        assert_eq!(found, wanted, "{check}");
    }
    let found = also_runs(&program(), &pinned, None, &Foreign::from("sh lib/b.sh")).expect("found");
    let counts = found
        .first()
        .and_then(|(_, counts, _)| *counts)
        .expect("counted");
    assert_eq!((counts.added, counts.removed), (2, 1));
}

#[test]
fn a_file_with_another_mode_or_kind_is_no_file_that_stayed() {
    let world = world(&[("run.sh", "lib.sh"), ("lib.sh", "echo\n")]);
    for now in ["x:run.sh", "l:run.sh"] {
        let files = [(now, "lib.sh"), ("lib.sh", "echo\n")];
        let pinned = world.pinned(commit(&world.repository, &files, Some(world.base)));
        let check = Foreign::from("sh ./run.sh");
        let found = also_runs(&program(), &pinned, Some(pinned.base_tree), &check).expect("found");
        let (_, counts, same) = found
            .iter()
            .find(|(path, ..)| path.as_bytes() == b"run.sh")
            .expect("listed");
        assert!(counts.expect("it is in the change").is_nothing(), "{now}");
        assert_eq!(*same, Some(false), "{now}");
    }
}
