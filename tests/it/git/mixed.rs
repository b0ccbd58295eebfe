//! One change with everything that tools crash on or lose (bug-log 17, 18, 20, 23, 24).

use countersign::model::change::{ChangeKind, Counts, HunkMethod, Shape};
use countersign::model::id::RepoPath;
use countersign::model::text::{Foreign, Place};

use super::repo::Repo;

fn mixed() -> Repo {
    let repo = Repo::new();
    repo.write("crlf.txt", "one\r\ntwo\r\nthree\r\n");
    repo.write("open.txt", "one\ntwo");
    repo.write("moved.rs", "fn a() {}\nfn b() {}\nfn c() {}\nfn d() {}\n");
    repo.write(
        "same name.txt",
        "alpha\nbeta\ngamma\ndelta\nepsilon\nzeta\neta\ntheta\n",
    );
    repo.write("run.sh", "#!/bin/sh\n");
    repo.write("gone.txt", "gone\n");
    repo.write("file-then-link", "text\n");
    repo.write("picture.bin", b"\x89PNG\0\x01");
    repo.write("dashes.sql", "-- a\n--- b\n+++ c\n");
    repo.write("deep/a/b/c.txt", "deep\n");
    std::os::unix::fs::symlink("one", repo.top.join("link")).unwrap();
    repo.commit("start");
    repo.git(&["checkout", "-q", "-b", "change"]);
    repo.write("crlf.txt", "one\r\ntwo\nthree\r\n");
    repo.write("open.txt", "one\ntwo\n");
    repo.git(&["mv", "moved.rs", "renamed.rs"]);
    std::fs::create_dir(repo.top.join("sub")).unwrap();
    repo.git(&["mv", "same name.txt", "sub/same name.txt"]);
    repo.write(
        "sub/same name.txt",
        "alpha\nbeta\ngamma\nDELTA\nepsilon\nzeta\neta\ntheta\n",
    );
    repo.git(&["update-index", "--chmod=+x", "run.sh"]);
    std::fs::remove_file(repo.top.join("gone.txt")).unwrap();
    std::fs::remove_file(repo.top.join("file-then-link")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", repo.top.join("file-then-link")).unwrap();
    std::fs::remove_file(repo.top.join("link")).unwrap();
    std::os::unix::fs::symlink("two", repo.top.join("link")).unwrap();
    repo.write("picture.bin", b"\x89PNG\0\x02\x03");
    repo.write("empty.txt", "");
    repo.write("bidi.rs", "// \u{202e}evil\u{200b}\n");
    repo.write("dashes.sql", "-- a\n--- b\n+++ C\n@@ -1 +1 @@ Binary\n");
    repo.write("long.txt", [&[b'x'; 5 << 20][..], b"\nshort\n"].concat());
    repo.write(".gitattributes", "*.txt binary\n");
    std::fs::set_permissions(
        repo.top.join("run.sh"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    repo.git(&["add", "-A"]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&[
        "update-index",
        "--add",
        "--cacheinfo",
        &format!("160000,{head},module"),
    ]);
    repo.git(&["commit", "-q", "-m", "mix"]);
    repo
}

#[test]
fn each_kind_of_change_is_a_row_with_its_shape() {
    let repo = mixed();
    let review = repo.review();
    let rows = [
        ("crlf.txt", ChangeKind::Modified, (1, 1)),
        ("open.txt", ChangeKind::Modified, (1, 1)),
        ("sub/same name.txt", ChangeKind::Renamed, (1, 1)),
        ("gone.txt", ChangeKind::Deleted, (0, 1)),
        ("bidi.rs", ChangeKind::Added, (1, 0)),
        ("dashes.sql", ChangeKind::Modified, (2, 1)),
        ("long.txt", ChangeKind::Added, (2, 0)),
    ];
    for (path, kind, (added, removed)) in rows {
        let file = review.file(path);
        assert_eq!(file.kind, kind, "{path}");
        assert_eq!(review.shape(path), &Shape::Text, "{path}");
        assert_eq!(
            file.counts.known(),
            Some(&Counts { added, removed }),
            "{path}"
        );
    }
    let renamed = review.file("renamed.rs");
    assert_eq!(renamed.kind, ChangeKind::Renamed);
    assert_eq!(renamed.old_path, Some(RepoPath::from("moved.rs")));
    assert_eq!(renamed.counts.known(), Some(&Counts::default()));
    assert_eq!(review.file("run.sh").kind, ChangeKind::Mode);
    assert_eq!(review.shape("empty.txt"), &Shape::Empty);
    assert_eq!(review.shape("picture.bin"), &Shape::Binary(6, 7));
    let target = |text: &str| Some(Foreign::from(text));
    assert_eq!(
        review.shape("link"),
        &Shape::Symlink(target("one"), target("two"))
    );
    assert_eq!(review.file("file-then-link").kind, ChangeKind::Type);
    assert_eq!(
        review.shape("file-then-link"),
        &Shape::Symlink(None, target("/etc/passwd"))
    );
    assert_eq!(
        review.shape("module"),
        &Shape::Submodule(None, Some(repo.id("main")))
    );
    let hides = |path: &str| review.file(path).marks.known().map(|marks| marks.says());
    assert_eq!(hides("bidi.rs").as_deref(), Some("1 bidi, 1 zero-width"));
    assert_eq!(hides("crlf.txt").as_deref(), Some(""));
    assert_eq!(hides("file-then-link").as_deref(), Some(""));
    assert_eq!(hides("picture.bin"), None);
    assert_eq!(review.files.len(), 15, "{:?}", review.files);
}

#[test]
fn lines_come_with_their_bytes_and_a_cut_that_is_counted() {
    let repo = mixed();
    let mut review = repo.review();
    let blob = |path: &str| review.file(path).new.unwrap().oid;
    let (long, crlf, open, bidi) = (
        blob("long.txt"),
        blob("crlf.txt"),
        review.file("open.txt").old.unwrap().oid,
        blob("bidi.rs"),
    );
    let asker = &mut review.asker;
    let lines = asker.lines(&"long.txt".into(), long, 0..10, true);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0].text.raw().len(), 64 << 10);
    assert_eq!(lines[0].cut, (5 << 20) - (64 << 10));
    assert_eq!(lines[1].text.raw(), b"short");
    let lines = asker.lines(&"crlf.txt".into(), crlf, 0..2, false);
    assert_eq!(lines[0].text.raw(), b"one\r");
    assert_eq!(lines[1].text.raw(), b"two");
    let lines = asker.lines(&"open.txt".into(), open, 1..9, false);
    assert!(lines.len() == 1 && lines[0].no_newline);
    let lines = asker.lines(&"bidi.rs".into(), bidi, 0..1, true);
    assert_eq!(
        lines[0].text.shown(Place::Prose).plain(),
        "// <U+202E>evil<U+200B>"
    );
    assert_eq!(lines[0].tokens[0].range.start, 0);
    assert!(asker.lines(&"bidi.rs".into(), bidi, 5..9, false).is_empty());
}

#[test]
fn large_files_are_read_and_compared_in_time() {
    let repo = Repo::with_change();
    let table = |mark: &str| -> String {
        (0..500_000)
            .map(|n| format!("row {n} {mark} of a table that is long enough\n"))
            .collect()
    };
    repo.write("table.csv", table("a"));
    repo.commit("table");
    repo.git(&["branch", "-f", "main", "change"]);
    repo.write("table.csv", table("b"));
    repo.commit("other table");
    let mut review = repo.review();
    let file = review.file("table.csv").clone();
    let (shape, hunks, counts) = review.asker.hunks(&file);
    assert_eq!(shape, Shape::Text);
    assert_eq!((counts.added, counts.removed), (500_000, 500_000));
    let hunks = hunks.unwrap();
    assert!(matches!(
        hunks.method,
        HunkMethod::Myers | HunkMethod::Xdiff | HunkMethod::Whole
    ));
    let last = review
        .asker
        .lines(&file.path, file.new.unwrap().oid, 499_999..500_001, false);
    assert_eq!(last.len(), 1);
    assert!(last[0].text.raw().starts_with(b"row 499999 b"));
}
