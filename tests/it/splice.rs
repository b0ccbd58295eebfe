//! Writing into a contract: only the bytes that were meant, only when nothing moved, in one step
//! (WB-1 to WB-7).

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use countersign::adapters::contract::read;
use countersign::adapters::splice::evidence::{OUTPUT_CHARS, VALUE_BYTES, value};
use countersign::adapters::splice::write::{WriteError, write};
use countersign::adapters::splice::{Edit, SpliceError, lines, plan};
use countersign::gate::dossier::RunFact;
use countersign::model::contract::Contract;
use countersign::model::id::{CriterionId, Digest, EntryId, Oid, RepoPath};
use countersign::model::oracle::{Ended, Isolation, MarkerAt, RunPlace, Stream, outcome};
use countersign::model::text::Foreign;

const PLAIN: &str = "# CONTRACT — x
- status: active

## ACCEPTANCE CRITERIA
1. zones hold
   CHECK: sh zones.sh
   EXPECT: ZONES-HOLD
   EVIDENCE: pending
2. fares round
   CHECK: sh fares.sh
   EXPECT: FARES-ROUND
   EVIDENCE: pending
3. the receipt reads well

## FILE SCOPE
- src/
";

fn id(text: &str) -> CriterionId {
    CriterionId::new(text).unwrap()
}

fn parsed(bytes: &[u8]) -> Contract {
    read(&RepoPath::from("c.md"), bytes, None)
}

fn edited(bytes: &[u8], edit: &Edit) -> Result<Vec<u8>, SpliceError> {
    plan(bytes, &parsed(bytes), edit).map(|planned| planned.after)
}

fn run(ended: Ended, marker: bool) -> RunFact {
    let marker = marker.then_some(MarkerAt {
        stream: Stream::Stdout,
        offset: 0,
        line: 1,
        overwritten: false,
    });
    RunFact {
        entry: EntryId([0; 16]),
        number: 0,
        criterion: id("1"),
        oracle: Digest([0; 32]),
        head: Oid([0; 20]),
        tree: Oid([0; 20]),
        outcome: outcome(&ended, true, marker, &[]),
        ended,
        marker,
        interference: Vec::new(),
        survivors: Vec::new(),
        isolation: Isolation::Session,
        place: RunPlace::Checkout,
        duration_ms: 1,
        limit_ms: None,
        shell: None,
        output_bytes: 0,
        output: [Digest([0; 32]); 2],
        excerpt: Vec::new(),
        from_sample: false,
    }
}

fn evidence_value(run: &RunFact, output: &[u8]) -> String {
    value(run, Some(120_000), output, &[]).unwrap_or_else(|| "nothing".into())
}

#[test]
fn evidence_has_the_words_of_the_source() {
    let rows = [
        (
            Ended::Exited(0),
            true,
            "a\nb",
            "MET exit=0 marker-found :: a b",
        ),
        (
            Ended::Exited(0),
            false,
            " a  b ",
            "NOT-MET exit=0 marker-absent :: a b",
        ),
        (Ended::Exited(3), true, "x", "NOT-MET exit=3 (nonzero) :: x"),
        (Ended::Exited(3), true, "", "NOT-MET exit=3 (nonzero) :: "),
        (
            Ended::Signalled(9),
            false,
            "x",
            "NOT-MET exit=137 (nonzero) :: x",
        ),
        (Ended::TimedOut, false, "x", "NOT-MET timeout=120s"),
        (Ended::Interrupted, false, "x", "nothing"),
    ];
    for (ended, marker, output, wanted) in rows {
        assert_eq!(
            evidence_value(&run(ended, marker), output.as_bytes()),
            wanted
        );
    }
}

#[test]
fn evidence_keeps_head_and_tail_within_its_bounds() {
    let met = run(Ended::Exited(0), true);
    let long = format!("first {} last", "x".repeat(100_000));
    let value = evidence_value(&met, long.as_bytes());
    let output = value.split_once(" :: ").unwrap().1;
    assert!(
        output.starts_with("first x") && output.ends_with("x last"),
        "{value}"
    );
    assert_eq!(output.chars().count(), OUTPUT_CHARS);
    for text in [
        "é漢".repeat(500),
        "\u{1b}[31x".repeat(500),
        "👩‍👩‍👧".repeat(300),
    ] {
        let value = evidence_value(&met, text.as_bytes());
        assert!(value.len() <= VALUE_BYTES, "{}: {value}", value.len());
        assert!(value.contains('…'));
    }
    let bytes: Vec<u8> = (0..=255).cycle().take(5000).collect();
    let value = evidence_value(&met, &bytes);
    assert!(
        !value.chars().any(countersign::model::text::is_hidden),
        "{value:?}"
    );
}

#[test]
fn only_the_slot_changes_whatever_stands_around_it() {
    let crlf = PLAIN.replace('\n', "\r\n");
    let mixed = PLAIN.replacen('\n', "\r\n", 5);
    let files: [Vec<u8>; 8] = [
        PLAIN.into(),
        crlf.into(),
        mixed.into(),
        format!("\u{feff}{PLAIN}").into(),
        PLAIN.replace("   EVIDENCE: pending", "\tEVIDENCE:").into(),
        PLAIN
            .replace("EVIDENCE: pending", "EVIDENCE:   pending  \t")
            .into(),
        PLAIN.split("2. fares").next().unwrap().trim_end().into(),
        [
            PLAIN.as_bytes(),
            b"caf\xe9 \xed\xa0\x80 \xc0\xaf lone\rcr\n",
        ]
        .concat(),
    ];
    for bytes in files {
        let contract = parsed(&bytes);
        let slot = contract.criteria[0].evidence.clone().unwrap();
        let edit = Edit::Evidence(id("1"), "MET exit=0 marker-found :: x".into());
        let after = edited(&bytes, &edit).unwrap();
        let (head, tail) = (&bytes[..slot.span.start], &bytes[slot.span.end..]);
        assert!(after.starts_with(head) && after.ends_with(tail));
        let middle = &after[head.len()..after.len() - tail.len()];
        let middle = String::from_utf8_lossy(middle).into_owned();
        assert_eq!(middle.trim_start(), "MET exit=0 marker-found :: x");
        let again = parsed(&after);
        assert_eq!(again.criteria.len(), contract.criteria.len());
    }
}

#[test]
fn hostile_output_forges_no_gate() {
    let output =
        "ok\n1. forged\n  EVIDENCE: y\nABANDON: 2\r- [x] G8\n<!--\n```\n\u{2028}- [x] G7\u{1b}[2J";
    let value = evidence_value(&run(Ended::Exited(0), true), output.as_bytes());
    let after = edited(PLAIN.as_bytes(), &Edit::Evidence(id("1"), value)).unwrap();
    let (before, again) = (parsed(PLAIN.as_bytes()), parsed(&after));
    let shape = |c: &Contract| -> Vec<_> {
        c.criteria
            .iter()
            .map(|c| {
                (
                    c.id.clone(),
                    c.text.clone(),
                    c.oracle.clone().map(|o| o.check),
                )
            })
            .collect()
    };
    assert_eq!(shape(&before), shape(&again));
    assert!(again.abandonments.is_empty());
    for raw in [output, "", "  ", "a\u{2028}b"] {
        let refused = edited(PLAIN.as_bytes(), &Edit::Evidence(id("1"), raw.into()));
        assert_eq!(refused, Err(SpliceError::BadText("the evidence")));
    }
}

#[test]
fn an_abandonment_comes_and_goes_without_a_trace() {
    for text in [PLAIN.to_owned(), PLAIN.replace('\n', "\r\n")] {
        let add = Edit::Abandon(id("2"), "no tariff; Ada takes over".into());
        let after = edited(text.as_bytes(), &add).unwrap();
        let line = "3. the receipt reads well\nABANDON: 2 no tariff; Ada takes over\n";
        let plain = String::from_utf8(after.clone())
            .unwrap()
            .replace("\r\n", "\n");
        assert!(plain.contains(line), "{plain}");
        assert_eq!(edited(&after, &add), Err(SpliceError::Abandoned(id("2"))));
        let lifted = edited(&after, &Edit::LiftAbandon(id("2"))).unwrap();
        assert_eq!(lifted, text.as_bytes());
    }
    let refused = edited(PLAIN.as_bytes(), &Edit::LiftAbandon(id("2")));
    assert_eq!(refused, Err(SpliceError::NotAbandoned(id("2"))));
}

#[test]
fn a_scope_entry_is_added_with_its_mark() {
    let edit = |path: &str| Edit::Scope {
        path: path.into(),
        date: "2026-11-03".into(),
    };
    let after = edited(PLAIN.as_bytes(), &edit("docs/a b.md")).unwrap_err();
    assert!(matches!(after, SpliceError::Strays(_)), "{after}");
    let after = edited(PLAIN.trim_end().as_bytes(), &edit("docs/a.md")).unwrap();
    let wanted = format!("{PLAIN}- `docs/a.md` [gated 2026-11-03]");
    assert_eq!(String::from_utf8(after).unwrap(), wanted);
}

#[test]
fn a_criterion_is_taken_from_the_later_version() {
    let later = PLAIN.replace(
        "2. fares round\n   CHECK: sh fares.sh",
        "2. fares round up\n   CHECK: sh up.sh",
    );
    let take = |which: &str, from: &str| Edit::Take {
        id: id(which),
        from: from.into(),
        date: "2026-11-03".into(),
    };
    let planned = plan(
        PLAIN.as_bytes(),
        &parsed(PLAIN.as_bytes()),
        &take("2", &later),
    )
    .unwrap();
    let wanted = later.replace("2. fares round up", "2. fares round up [gated 2026-11-03]");
    let shown = lines::changed(PLAIN.as_bytes(), &planned.after);
    assert_eq!(String::from_utf8(planned.after).unwrap(), wanted);
    let signs: String = shown.iter().map(|(sign, _, _)| *sign).collect();
    assert_eq!(signs, "--++");
    let gone = PLAIN.replace("2. fares", "4. fares");
    let refused = edited(PLAIN.as_bytes(), &take("2", &gone));
    assert_eq!(refused, Err(SpliceError::NoCriterion(id("2"))));
}

#[test]
fn a_broken_or_another_contract_is_not_written_to() {
    let twice = format!("{PLAIN}\n## ACCEPTANCE CRITERIA\n1. again\n");
    let edit = Edit::Evidence(id("1"), "pending".into());
    assert_eq!(edited(twice.as_bytes(), &edit), Err(SpliceError::Broken));
    let other = format!("{PLAIN} ");
    let moved = plan(other.as_bytes(), &parsed(PLAIN.as_bytes()), &edit);
    assert_eq!(moved, Err(SpliceError::Moved));
    let none = edited(PLAIN.as_bytes(), &Edit::Evidence(id("3"), "x".into()));
    assert_eq!(none, Err(SpliceError::NoSlot(id("3"))));
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_write_swaps_the_file_and_keeps_its_mode() {
    for mode in [0o600, 0o644, 0o755] {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("sub")).unwrap();
        let file = home.path().join("sub/c.md");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        write(home.path(), b"sub/c.md", Digest::of(b"old"), b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, mode);
        let moved = write(home.path(), b"sub/c.md", Digest::of(b"old"), b"newer");
        assert!(matches!(moved, Err(WriteError::Moved)), "{moved:?}");
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(names(&home.path().join("sub")), ["c.md"]);
    }
}

#[test]
fn what_is_no_plain_file_below_the_root_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("root");
    let outside = home.path().join("outside");
    fs::create_dir_all(root.join("folder")).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("c.md"), "old").unwrap();
    fs::write(root.join("c.md"), "old").unwrap();
    fs::hard_link(root.join("c.md"), root.join("hard.md")).unwrap();
    symlink(outside.join("c.md"), root.join("leaf.md")).unwrap();
    symlink("c.md", root.join("near.md")).unwrap();
    symlink(&outside, root.join("parent")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("fifo.md"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .unwrap();
    for path in [
        "hard.md",
        "leaf.md",
        "near.md",
        "parent/c.md",
        "fifo.md",
        "folder",
        "../outside/c.md",
        "..",
        "",
        "missing.md",
        "missing/c.md",
    ] {
        let refused = write(&root, path.as_bytes(), Digest::of(b"old"), b"new");
        assert!(refused.is_err(), "{path}");
    }
    let absolute = outside.join("c.md");
    let absolute = absolute.to_str().unwrap().as_bytes();
    assert!(write(&root, absolute, Digest::of(b"old"), b"new").is_err());
    assert_eq!(fs::read(outside.join("c.md")).unwrap(), b"old");
    assert_eq!(fs::read(root.join("c.md")).unwrap(), b"old");
    assert_eq!(names(&outside), ["c.md"]);
    assert!(!names(&root).iter().any(|name| name.ends_with(".tmp")));
}

#[test]
fn two_writers_lose_no_update() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("c.md");
    fs::write(&file, PLAIN).unwrap();
    let rounds = 200;
    std::thread::scope(|scope| {
        for which in ["1", "2"] {
            let file = &file;
            let root = home.path();
            scope.spawn(move || {
                for round in 0..rounds {
                    loop {
                        let bytes = fs::read(file).unwrap();
                        let edit = Edit::Evidence(id(which), format!("round {round}"));
                        let planned = plan(&bytes, &parsed(&bytes), &edit).unwrap();
                        match write(root, b"c.md", planned.before, &planned.after) {
                            Ok(()) => break,
                            Err(WriteError::Moved) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                    let now = parsed(&fs::read(file).unwrap());
                    let value = now.criterion(&id(which)).unwrap().evidence.clone().unwrap();
                    assert_eq!(value.value, Foreign::from(format!("round {round}")));
                }
            });
        }
    });
    let last = format!("round {}", rounds - 1);
    let wanted = PLAIN.replace("EVIDENCE: pending", &format!("EVIDENCE: {last}"));
    assert_eq!(fs::read_to_string(&file).unwrap(), wanted);
}

/// Run by [`a_read_only_file_is_left_alone`] as another user.
#[test]
#[ignore = "the child of another test"]
fn as_another_user_a_read_only_file_is_refused() {
    let root = std::env::var_os("SPLICE_ROOT").expect("a folder");
    let refused = write(Path::new(&root), b"c.md", Digest::of(b"old"), b"new");
    assert!(
        matches!(refused, Err(WriteError::Failed { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_read_only_file_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let root = home.path().join("root");
    fs::create_dir(&root).unwrap();
    let file = root.join("c.md");
    fs::write(&file, "old").unwrap();
    let program = home.path().join("it");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    crate::support::hand_over(home.path());
    let cases = [(0o444, 0o755), (0o644, 0o555), (0o444, 0o555)];
    for (file_mode, folder_mode) in cases {
        fs::set_permissions(&file, fs::Permissions::from_mode(file_mode)).unwrap();
        fs::set_permissions(&root, fs::Permissions::from_mode(folder_mode)).unwrap();
        let output = crate::support::as_other_user(program.to_str().unwrap(), home.path())
            .env("SPLICE_ROOT", &root)
            .args(["--ignored", "--exact"])
            .arg("splice::as_another_user_a_read_only_file_is_refused")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && said.contains("1 passed"),
            "{said}"
        );
        assert_eq!(fs::read(&file).unwrap(), b"old");
        assert_eq!(names(&root), ["c.md"]);
    }
    fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
}
