//! `tests/truth/markers.md`, row by row.

use countersign::gate::verify::markers::{Marker, Reading, read, rounds};
use countersign::gate::verify::timeline::{At, timeline};
use countersign::model::id::Oid;
use countersign::model::ruling::Verdict;
use countersign::model::text::Foreign;
use countersign::model::thread::Channel;

const MARKERS: &str = include_str!("../../truth/markers.md");

fn tables() -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let (first, second) = MARKERS.split_once("## The next round").expect("two tables");
    (super::rules::rows(first), super::rules::rows(second))
}

#[test]
fn every_comment_reads_as_the_table_says() {
    let mut wrong = Vec::new();
    for cells in tables().0 {
        let [comment, wanted] = &cells[..] else {
            panic!("two cells: {cells:?}");
        };
        let got: Vec<String> = read(&comment.replace("\\n", "\n"))
            .into_iter()
            .map(|reading| match reading {
                Reading::Malformed(why) => format!("malformed: {why}"),
                Reading::Marker {
                    round,
                    verdict,
                    tip,
                    opens,
                } => {
                    let opens = if opens { " opens" } else { "" };
                    let tip = tip.map_or(String::new(), |tip| format!(" at {}", tip.short()));
                    format!("{round} {}{opens}{tip}", verdict.word())
                }
            })
            .collect();
        let got = if got.is_empty() {
            "-".to_owned()
        } else {
            got.join("; ")
        };
        if got != *wanted {
            wrong.push(format!("{comment}\n  wanted {wanted}\n  got    {got}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn marker(text: &str) -> Marker {
    let (counts, text) = match text.strip_prefix('!') {
        Some(text) => (false, text),
        None => (true, text),
    };
    let (text, tip) = match text.split_once('@') {
        Some((text, "here")) => (text, Some(Oid([1; 20]))),
        Some((text, _)) => (text, Some(Oid([2; 20]))),
        None => (text, None),
    };
    let reading = match text.split_once(' ') {
        Some((round, verdict)) => Reading::Marker {
            round: round.parse().expect("a round"),
            verdict: [Verdict::Approved, Verdict::Reroll, Verdict::Escalate]
                .into_iter()
                .find(|v| v.word() == verdict)
                .expect("a verdict"),
            tip,
            opens: true,
        },
        None => Reading::Malformed("x"),
    };
    Marker {
        comment: "7".into(),
        channel: Channel::Reviews,
        author: Some(Foreign::from("ines")),
        reading,
        counts,
        edited: false,
    }
}

#[test]
fn the_next_round_is_one_more_than_the_most_that_is_shown() {
    let mut wrong = Vec::new();
    for cells in tables().1 {
        let [markers, ledger, next, in_force, said] = &cells[..] else {
            panic!("five cells: {cells:?}");
        };
        let markers: Vec<Marker> = match markers.as_str() {
            "-" => Vec::new(),
            list => list.split(", ").map(marker).collect(),
        };
        let ledger = ledger.parse().expect("a number");
        let got = rounds(&markers, ledger, Some(Oid([1; 20])));
        let at_head = got.at_head.map_or("-", Verdict::word);
        let wanted: Vec<&str> = match said.as_str() {
            "-" => Vec::new(),
            list => list.split(", ").collect(),
        };
        let all_said = wanted.len() == got.odd.len()
            && wanted.iter().zip(&got.odd).all(|(w, odd)| odd.contains(w));
        if got.next.to_string() != *next || at_head != in_force || !all_said {
            wrong.push(format!("{cells:?}: got {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_timeline_says_what_is_in_force_at_this_head() {
    let head = Oid([1; 20]);
    let said = [
        "2 REROLL@here",
        "1 APPROVED@other",
        "2 APPROVED@here",
        "!3 ESCALATE@here",
    ];
    let mut markers: Vec<Marker> = said.into_iter().map(marker).collect();
    markers[1].edited = true;
    markers.push(Marker {
        reading: Reading::Malformed("no round"),
        ..marker("1 APPROVED")
    });
    let rows: Vec<String> = timeline(&markers, &[], head)
        .iter()
        .map(|moment| {
            let says = match moment.says {
                Ok((round, verdict)) => format!("{round} {}", verdict.word()),
                Err(why) => why.to_owned(),
            };
            let at = match moment.at {
                At::Here => "here",
                At::Other(_) => "other",
                At::Unnamed => "-",
            };
            let flags = [
                (moment.counts, " counts"),
                (moment.edited, " edited"),
                (moment.in_force, " in force"),
            ];
            let flags: String = flags.iter().filter(|f| f.0).map(|f| f.1).collect();
            format!("{says} {at}{flags}")
        })
        .collect();
    assert_eq!(
        rows,
        [
            "1 APPROVED other counts edited",
            "2 REROLL here counts in force",
            "2 APPROVED here counts",
            "3 ESCALATE here",
            "no round -",
        ]
    );
}
