//! L3: a file that ends inside a line, at every byte.

use countersign::ledger::verify::{Code, Grade, Place, Shard, Status, verify};

use super::fixture::{Bench, CHANGE, figure, ratify, repository, say};

/// A shard with some decisions after its opening, and where its lines end.
fn whole() -> (Bench, String, Vec<u8>, Vec<usize>) {
    let bench = Bench::new();
    let mut writer = bench.writer("a");
    for id in 0..figure(3, 6) {
        bench.decide(&mut writer, ratify(&id.to_string()));
    }
    let shard = writer.shard().to_owned();
    let bytes = bench.bytes(&shard);
    let ends = bytes.iter().enumerate().filter(|(_, b)| **b == b'\n');
    let ends = ends.map(|(at, _)| at + 1).collect();
    (bench, shard, bytes, ends)
}

#[test]
fn a_reader_keeps_the_whole_lines_before_a_torn_one_at_every_byte() {
    let (_bench, shard, bytes, ends) = whole();
    let place = Place {
        repository: repository(),
        change: CHANGE,
    };
    for cut in 0..bytes.len() {
        let lines = ends.iter().filter(|end| **end <= cut).count();
        let read = verify(&place, &[Shard::new(&shard, &bytes[..cut])], &|_| None);
        assert_eq!(read.entries.len(), lines, "cut at {cut}");
        assert!(read.entries.iter().all(|c| c.grade == Grade::Chained));
        let good = lines.checked_sub(1).map_or(0, |last| ends[last]);
        let torn = read.findings.iter().find(|f| f.code == Code::TornTail);
        assert_eq!(
            torn.map(|f| f.line),
            (cut > good).then_some(lines as u64 + 1)
        );
    }
}

#[test]
fn a_line_torn_at_any_byte_is_set_aside_and_never_glued() {
    let (bench, shard, bytes, ends) = whole();
    let anchors = std::fs::read_to_string(bench.anchors(&shard)).unwrap();
    let anchors: Vec<&str> = anchors.split_inclusive('\n').collect();
    // Every so many bytes, and all that stand next to a line end.
    let every = usize::try_from(figure(3, 1)).unwrap();
    let near =
        |cut: &usize| cut.is_multiple_of(every) || ends.iter().any(|end| end.abs_diff(*cut) < 3);
    let cuts: Vec<usize> = (ends[1]..bytes.len()).filter(near).collect();
    for cut in &cuts {
        let cut = *cut;
        let lines = ends.iter().filter(|end| **end <= cut).count();
        let good = ends[lines - 1];
        for name in std::fs::read_dir(bench.path(&shard).parent().unwrap()).unwrap() {
            std::fs::remove_file(name.unwrap().path()).unwrap();
        }
        for name in std::fs::read_dir(bench.anchors(&shard).parent().unwrap()).unwrap() {
            std::fs::remove_file(name.unwrap().path()).unwrap();
        }
        std::fs::write(bench.path(&shard), &bytes[..cut]).unwrap();
        // Only whole lines can have been acknowledged.
        std::fs::write(bench.anchors(&shard), anchors[..lines].concat()).unwrap();

        let before = bench.load();
        assert_eq!(before.decisions.len(), lines - 1, "cut at {cut}");
        let torn = before.findings.iter().any(|f| f.code == Code::TornTail);
        assert_eq!(torn, cut > good, "cut at {cut}");
        let wanted = if torn { Status::Degraded } else { Status::Ok };
        assert_eq!(before.status, wanted, "cut at {cut}: {:?}", before.findings);

        let mut next = bench.writer("b");
        bench.decide(&mut next, ratify("other"));
        let after = bench.load();
        assert_eq!(
            after.status,
            Status::Ok,
            "cut at {cut}: {:?}",
            after.findings
        );
        assert_eq!(after.decisions.len(), lines, "cut at {cut}");
        assert_eq!(bench.bytes(&shard), &bytes[..good], "cut at {cut}");
        let sidecar = bench.path(&shard).with_extension("torn");
        if torn {
            let set_aside = std::fs::read(sidecar).unwrap();
            assert_eq!(
                set_aside,
                [&bytes[good..cut], b"\n"].concat(),
                "cut at {cut}"
            );
        } else {
            assert!(!sidecar.exists(), "cut at {cut}");
        }
    }
    say!("torn tails: {} offsets", cuts.len());
}
