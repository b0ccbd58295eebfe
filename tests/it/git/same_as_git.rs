//! Git is the oracle: same hunks, same changed paths, same merge base, same commits.

use countersign::model::change::{FileChange, Shape};

use super::repo::{Asker, Repo, Review, run};

/// A small generator, the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

fn generated(dice: &mut Dice, lines: u64) -> Vec<String> {
    let words = [
        "    let x = y;",
        "}",
        "",
        "fn a() {",
        "    return 1;",
        "// note",
        "\tz();",
    ];
    let end = ["\n", "\n", "\n", "\r\n"];
    (0..lines)
        .map(|n| {
            let word = words[dice.roll(7) as usize];
            let unique = if dice.roll(3) == 0 {
                format!(" {n}")
            } else {
                String::new()
            };
            format!("{word}{unique}{}", end[dice.roll(4) as usize])
        })
        .collect()
}

fn edited(dice: &mut Dice, lines: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    for line in lines {
        match dice.roll(12) {
            0 => {}
            1 => out.extend([line.clone(), format!("new {}\n", dice.roll(99))]),
            2 => out.push(format!("changed {line}")),
            3 if dice.roll(4) == 0 => out.extend([line.clone(), line.clone()]),
            _ => out.push(line.clone()),
        }
    }
    if dice.roll(2) == 0
        && let Some(last) = out.last_mut()
    {
        *last = last.trim_end().to_owned();
    }
    out
}

/// The hunk headers that git prints for a path, as 0-based ranges.
fn git_hunks(repo: &Repo, path: &str) -> Vec<(u32, u32, u32, u32)> {
    let out = repo.git(&["diff", "--histogram", "-U0", "main", "change", "--", path]);
    let side = |text: &str| -> (u32, u32) {
        let (start, count) = text[1..].split_once(',').unwrap_or((&text[1..], "1"));
        let (start, count): (u32, u32) = (start.parse().unwrap(), count.parse().unwrap());
        let start = if count == 0 { start } else { start - 1 };
        (start, start + count)
    };
    out.lines()
        .filter(|l| l.starts_with("@@ "))
        .map(|l| {
            let mut parts = l.split(' ').skip(1);
            let (a, b) = (side(parts.next().unwrap()), side(parts.next().unwrap()));
            (a.0, a.1, b.0, b.1)
        })
        .collect()
}

fn our_hunks(asker: &mut Asker, file: &FileChange) -> Vec<(u32, u32, u32, u32)> {
    let (shape, hunks, _) = asker.hunks(file);
    assert_eq!(shape, Shape::Text);
    let hunks = hunks.expect("hunks").hunks;
    hunks
        .iter()
        .map(|h| (h.before.start, h.before.end, h.after.start, h.after.end))
        .collect()
}

#[test]
fn hunks_are_those_of_git_diff_histogram() {
    let repo = Repo::new();
    let mut dice = Dice(0x5eed);
    let mut olds = Vec::new();
    for n in 0..60 {
        let lines = 5 + dice.roll(120);
        let old = generated(&mut dice, lines);
        repo.write(&format!("f{n}.rs"), old.concat());
        olds.push(old);
    }
    repo.commit("old");
    repo.git(&["checkout", "-q", "-b", "change"]);
    for (n, old) in olds.iter().enumerate() {
        repo.write(&format!("f{n}.rs"), edited(&mut dice, old).concat());
    }
    repo.commit("new");
    // settings of the person or the repository that change what git prints
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "9"),
        ("diff.algorithm", "patience"),
        ("color.diff", "always"),
        ("core.autocrlf", "true"),
    ] {
        let file = repo.top.join(".git/later");
        run(
            &repo.top,
            &["config", "-f", file.to_str().unwrap(), key, value],
        );
    }
    let mut review = repo.review();
    let names: Vec<String> = review.files.iter().map(|f| f.path.json().0).collect();
    let wanted: Vec<_> = names.iter().map(|n| git_hunks(&repo, n)).collect();
    std::fs::copy(
        repo.top.join(".git/later"),
        repo.top.join(".git/config.add"),
    )
    .unwrap();
    let mut config = std::fs::read(repo.top.join(".git/config")).unwrap();
    config.extend(std::fs::read(repo.top.join(".git/later")).unwrap());
    std::fs::write(repo.top.join(".git/config"), config).unwrap();
    let mut again = repo.review();
    let mut different = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let file = review.files[at].clone();
        let ours = our_hunks(&mut review.asker, &file);
        assert_eq!(
            our_hunks(&mut again.asker, &file),
            ours,
            "{name}: settings count"
        );
        if ours != wanted[at] {
            different.push(name.clone());
        }
    }
    assert!(names.len() > 50, "{}", names.len());
    assert!(
        different.len() * 50 <= names.len(),
        "differ from git: {different:?}"
    );
}

#[test]
fn changed_paths_and_renames_are_those_of_git() {
    let repo = Repo::new();
    let mut dice = Dice(77);
    for n in 0..80 {
        let lines = 20 + dice.roll(40);
        let text = generated(&mut dice, lines).concat();
        repo.write(
            &format!("d{}/e{}/f{n}.txt", n % 5, n % 3),
            format!("file {n}\n{text}"),
        );
    }
    repo.write("d.x", "order\n");
    repo.write("d-y", "order\n");
    repo.commit("old");
    repo.git(&["checkout", "-q", "-b", "change"]);
    for n in 0..80 {
        let path = format!("d{}/e{}/f{n}.txt", n % 5, n % 3);
        match dice.roll(5) {
            0 => {
                repo.git(&["mv", &path, &format!("d{}/f{n}.txt", n % 5)]);
            }
            1 => {
                repo.git(&["mv", &path, &format!("moved-{n}.txt")]);
            }
            2 => repo.write(&path, "other\n"),
            3 => std::fs::remove_file(repo.top.join(&path)).unwrap(),
            _ => {}
        }
    }
    repo.write("d/new.txt", "folder where d.x and d-y are\n");
    repo.commit("new");
    let raw = repo.git(&[
        "diff",
        "--raw",
        "-z",
        "-M",
        "-l0",
        "--no-abbrev",
        "main",
        "change",
    ]);
    let mut fields = raw.split('\0').peekable();
    let mut wanted = Vec::new();
    while let Some(meta) = fields.next().filter(|m| !m.is_empty()) {
        let letter = meta.rsplit(' ').next().unwrap().chars().next().unwrap();
        let first = fields.next().unwrap().to_owned();
        if letter == 'R' {
            wanted.push((fields.next().unwrap().to_owned(), Some(first)));
        } else {
            wanted.push((first, None));
        }
    }
    let Review { files, .. } = repo.review();
    let mut ours: Vec<(String, Option<String>)> = files
        .iter()
        .map(|f| (f.path.json().0, f.old_path.as_ref().map(|p| p.json().0)))
        .collect();
    ours.sort();
    wanted.sort();
    assert_eq!(ours, wanted);
}

#[test]
fn merge_base_and_commits_are_those_of_git() {
    for seed in 1..=12 {
        let repo = Repo::new();
        let mut dice = Dice(0x1000 + seed);
        let mut ids = vec![repo.commit("root").to_string()];
        let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
        for n in 0..25 {
            let recent = |dice: &mut Dice, ids: &[String]| {
                let back = dice.roll(6.min(ids.len() as u64)) as usize;
                ids[ids.len() - 1 - back].clone()
            };
            let first = recent(&mut dice, &ids);
            let second = recent(&mut dice, &ids);
            let message = format!("c{n}");
            let mut args = vec!["commit-tree", &tree, "-m", &message, "-p", &first];
            if dice.roll(3) == 0 && second != first {
                args.extend(["-p", &second]);
            }
            // clocks that lie
            let date = format!("{} +0000", 1_700_000_000 + dice.roll(500));
            let mut command = super::repo::git(&repo.top);
            let out = command
                .env("GIT_COMMITTER_DATE", date)
                .args(&args)
                .output()
                .unwrap();
            ids.push(String::from_utf8(out.stdout).unwrap().trim().to_owned());
        }
        let (base, head) = (&ids[ids.len() - 2], &ids[ids.len() - 1]);
        repo.git(&["update-ref", "refs/heads/main", base]);
        repo.git(&["update-ref", "refs/heads/change", head]);
        repo.git(&["symbolic-ref", "HEAD", "refs/heads/change"]);
        let review = repo.review();
        let best = repo.git(&["merge-base", "--all", "main", "change"]);
        let ours = review.opened.snapshot.merge_base.to_string();
        assert!(
            best.lines().any(|l| l == ours),
            "seed {seed}: {ours} among {best}"
        );
        let mut wanted: Vec<String> = repo
            .git(&["rev-list", &format!("{ours}..change")])
            .lines()
            .map(str::to_owned)
            .collect();
        let commits = review.opened.commits.known().expect("commits");
        let mut listed: Vec<String> = commits.iter().map(|c| c.oid.to_string()).collect();
        let order = listed.clone();
        listed.sort();
        wanted.sort();
        assert_eq!(listed, wanted, "seed {seed}");
        for (at, id) in order.iter().enumerate() {
            let parents = repo.git(&["rev-list", "--parents", "-1", id]);
            for parent in parents.split(' ').skip(1) {
                let place = order.iter().position(|o| o == parent);
                assert!(place.is_none_or(|p| p < at), "parents come first");
            }
        }
    }
}
