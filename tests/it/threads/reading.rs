//! What comes of the files that forges and people hand in (FRG-1 to FRG-4, FRG-6, bug-log 35).

use countersign::adapters::forge::{self, Input, prefixed};
use countersign::model::known::Known;
use countersign::model::text::{Foreign, Place};
use countersign::model::thread::{
    Account, Channel, Completeness, Resolved, ReviewWord, Side, Thread, Threads,
};

const SHA: &str = "1111111111111111111111111111111111111111";

/// Reads files by name (`inline=x.json` says what it holds) and text.
fn read(files: &[(&str, &str)]) -> Threads {
    let inputs: Vec<Input> = files
        .iter()
        .map(|(name, text)| {
            let (holds, name) = prefixed(name);
            Input {
                holds,
                name: Foreign::from(name),
                bytes: Ok(text.replace("SHA", SHA).into_bytes()),
            }
        })
        .collect();
    forge::read(&inputs)
}

fn shown(text: &Foreign) -> String {
    text.shown(Place::Strict).plain()
}

/// Each thread in a line: channel, id, author, place, forge's word, answers.
fn lines(threads: &Threads) -> Vec<String> {
    threads.threads.iter().map(line).collect()
}

fn line(thread: &Thread) -> String {
    let first = &thread.first;
    let who = first.author.login.as_ref().map_or("(gone)".into(), shown);
    let place = thread.spot.as_ref().map_or(String::new(), |spot| {
        let lines = spot
            .original()
            .map_or("file".into(), |(a, b)| format!("{a}-{b}"));
        let side = if spot.side == Side::Left { " left" } else { "" };
        format!(" {}:{lines}{side}", shown(&spot.path.foreign()))
    });
    let resolved = match &thread.resolved {
        Known::Is(Resolved::No) => "open".to_owned(),
        Known::Is(Resolved::By(Some(by))) => format!("resolved by {}", shown(by)),
        Known::Is(Resolved::By(None)) => "resolved".to_owned(),
        Known::Unknown(_) => "resolution unknown".to_owned(),
        Known::NotApplicable(_) | Known::NotSupplied => "no resolution".to_owned(),
    };
    let outdated = match thread.outdated {
        Known::Is(true) => ", outdated",
        _ => "",
    };
    let answers: Vec<&str> = thread.replies.iter().map(|r| r.id.as_ref()).collect();
    format!(
        "{} {} {who}{place}: {resolved}{outdated} {answers:?}",
        thread.channel.word(),
        thread.id
    )
}

fn states(threads: &Threads) -> [String; 3] {
    Channel::ALL.map(|channel| threads.channel(channel).says())
}

fn codes(threads: &Threads) -> Vec<String> {
    let faults = threads.faults.iter();
    faults
        .map(|f| format!("{} {}", shown(&f.at), f.code))
        .collect()
}

const GITHUB: &str = r#"[
 {"id":11,"pull_request_review_id":5,"path":"lib/tide.py","line":null,"position":null,
  "original_line":8,"original_start_line":6,"start_line":null,"side":"RIGHT",
  "original_commit_id":"SHA","commit_id":"SHA","diff_hunk":"@@ -1 +1,8 @@\n+x",
  "user":{"login":"tamsin","type":"User"},"body":"Two digits.",
  "created_at":"2026-11-02T09:00:00Z","updated_at":"2026-11-02T09:00:00Z"},
 {"id":12,"pull_request_review_id":6,"in_reply_to_id":11,"path":"lib/tide.py",
  "user":null,"body":"Done.","created_at":"2026-11-02T10:00:00Z","updated_at":"2026-11-02T11:00:00Z"},
 {"id":9007199254740993,"pull_request_review_id":5,"path":"old.py","line":3,"original_line":3,
  "side":"LEFT","position":1,"user":{"login":"lint[bot]","type":"Bot"},"body":"Why?"},
 {"id":14,"pull_request_review_id":5,"path":"README.md","line":null,"position":null,
  "subject_type":"file","user":{"login":"odo"},"body":null}
]"#;

#[test]
fn inline_comments_of_github_become_threads() {
    let threads = read(&[("a.json", GITHUB)]);
    assert_eq!(
        lines(&threads),
        [
            r#"inline 11 tamsin lib/tide.py:6-8: resolution unknown, outdated ["12"]"#,
            "inline 9007199254740993 lint[bot] old.py:3-3 left: resolution unknown []",
            "inline 14 odo README.md:file: resolution unknown []",
        ]
    );
    assert_eq!(
        states(&threads),
        ["all of them", "not supplied", "not supplied"]
    );
    let first = &threads.threads[0];
    assert_eq!(
        first.written_at.map(|oid| oid.to_string()),
        Some(SHA.into())
    );
    assert_eq!(first.first.edited, Known::Is(None));
    assert!(matches!(first.replies[0].edited, Known::Is(Some(_))));
    assert_eq!(first.replies[0].author.account, Account::Gone);
    assert_eq!(threads.threads[1].first.author.account, Account::Bot);
    assert!(codes(&threads).is_empty(), "{:?}", codes(&threads));
}

#[test]
fn a_review_that_only_carries_comments_is_no_thread() {
    let reviews = r#"[
     {"id":5,"state":"CHANGES_REQUESTED","submitted_at":"x","body":"","user":{"login":"a"}},
     {"id":6,"state":"COMMENTED","submitted_at":"2026-11-02T09:00:00Z","body":"","user":{"login":"a"}},
     {"id":7,"state":"CHANGES_REQUESTED","submitted_at":null,"body":null,"user":{"login":"b"}},
     {"id":8,"state":"PENDING","submitted_at":null,"body":"not yet","user":{"login":"b"}},
     {"id":9,"state":"APPROVED","submitted_at":null,"body":"Thanks.","user":{"login":"c"}}]"#;
    let threads = read(&[("a.json", GITHUB), ("b.json", reviews)]);
    let of: Vec<_> = lines(&threads).split_off(3);
    assert_eq!(
        of,
        [
            "review 9 c: no resolution []",
            "review 7 b: no resolution []",
        ]
    );
    // the comments of a review have its word
    let words: Vec<_> = threads.threads.iter().map(|t| t.review).collect();
    assert_eq!(words[0], Some(ReviewWord::ChangesRequested));
    assert_eq!(codes(&threads), ["$[0].submitted_at bad-time"]);
}

const GRAPHQL: &str = r#"{"data":{"repository":{"pullRequest":{
  "number":41,"state":"OPEN","title":"Tides","headRefOid":"SHA","author":{"login":"builder-7"},
  "reviewThreads":{"totalCount":3,"pageInfo":{"hasNextPage":MORE,"endCursor":"c1"},"nodes":[
   {"id":"T1","isResolved":true,"resolvedBy":{"login":"tamsin"},"isOutdated":true,
    "path":"lib/tide.py","line":null,"originalLine":8,"diffSide":"RIGHT",
    "comments":{"totalCount":2,"pageInfo":{"hasNextPage":false},"nodes":[
     {"id":"C1","databaseId":11,"author":{"login":"tamsin","__typename":"User"},"body":"Two digits.",
      "originalCommit":{"oid":"SHA"},"lastEditedAt":"2026-11-02T09:30:00Z","editor":{"login":"odo"},
      "isMinimized":true,"minimizedReason":"outdated","pullRequestReview":{"databaseId":5,"state":"CHANGES_REQUESTED"}},
     {"id":"C2","databaseId":12,"author":null,"body":"Done."}]}},
   {"id":"T2","isResolved":false,"isOutdated":false,"path":"b.py","line":2,"diffSide":"LEFT",
    "comments":{"totalCount":5,"nodes":[{"id":"C3","body":"Why?"}]}}]},
  "comments":{"totalCount":1,"nodes":[{"id":"I1","author":{"login":"ines"},"body":"hi"}]},
  "reviews":{"pageInfo":{"hasNextPage":false},"nodes":[]},
  "commits":{"totalCount":31,"nodes":[{"commit":{"oid":"SHA"}}]},
  "files":{"pageInfo":{"hasNextPage":false},"nodes":[{"path":"a/x"},{"path":"b/x"}]}}}}}"#;

#[test]
fn graphql_pages_carry_resolution_and_prove_their_end() {
    let one = GRAPHQL.replace("MORE", "true");
    let threads = read(&[("a.json", &one)]);
    assert_eq!(
        lines(&threads),
        [
            r#"inline T1 tamsin lib/tide.py:8-8: resolved by tamsin, outdated ["12"]"#,
            "inline T2 (gone) b.py:2-2 left: open []",
            "issue I1 ines: no resolution []",
        ]
    );
    let first = &threads.threads[0];
    assert!(first.first.edited_by_other());
    assert_eq!(
        first.first.minimised.as_ref().map(shown),
        Some("outdated".into())
    );
    assert_eq!(first.review, Some(ReviewWord::ChangesRequested));
    // octo.nvim: 31 commits of which the first page came; 3 threads of which 2 came
    assert_eq!(
        states(&threads),
        [
            "2 of 3: some answers are missing",
            "all of them",
            "all of them"
        ]
    );
    assert_eq!(
        threads.commits.state.says(),
        "1 of 31: the forge counts more"
    );
    assert_eq!(threads.files.state, Completeness::Complete);
    let paths = threads.files.items.iter().map(|p| shown(&p.foreign()));
    assert_eq!(paths.collect::<Vec<_>>(), ["a/x", "b/x"]);
    assert!(!threads.threads[1].all_replies);
    assert_eq!(codes(&threads), ["$ cut-thread"]);
    let pull = threads.pull.known().expect("a pull request");
    assert_eq!(
        (pull.number, pull.head.map(|h| h.to_string())),
        (Some(41), Some(SHA.into()))
    );

    // the same cursor again is a server that does not move on
    let twice = read(&[("a.json", &one), ("b.json", &one)]);
    assert!(!twice.complete());
    assert!(codes(&twice).contains(&"$ repeated-id".to_owned()));
}

#[test]
fn an_answer_with_errors_is_never_a_success() {
    let rows = [
        (
            r#"{"data":{"repository":{"pullRequest":{"comments":{"totalCount":0,"nodes":[]}}}},"errors":[{"message":"x"}]}"#,
            "$ server-errors",
        ),
        (
            r#"{"data":null,"errors":[{"message":"x"}]}"#,
            "$ server-errors",
        ),
        (
            r#"{"message":"Not Found","documentation_url":"u"}"#,
            "$ refused",
        ),
        ("<!DOCTYPE html><html>", "$ not-json"),
        ("", "$ empty-file"),
        ("nope", "$ not-json"),
        ("{\"what\":1}", "$ unknown-shape"),
        ("[1,2]", "$ unknown-shape"),
        ("[{\"x\":1}]", "$ unknown-shape"),
    ];
    for (text, code) in rows {
        let threads = read(&[("a.json", text)]);
        assert!(!threads.complete(), "{text}");
        assert_eq!(
            codes(&threads).first().map(String::as_str),
            Some(code),
            "{text}"
        );
        let none = threads.channels.contains(&Completeness::Complete);
        assert!(!none, "{text}: {:?}", threads.channels);
    }
}

#[test]
fn a_list_that_is_cut_keeps_what_came_and_says_so() {
    for end in (20..GITHUB.len()).step_by(7) {
        let threads = read(&[("a.json", &GITHUB[..end])]);
        assert!(!threads.complete());
        let inline = threads.channel(Channel::Inline);
        assert_ne!(*inline, Completeness::Complete, "cut at {end}");
        assert!(!codes(&threads).is_empty(), "cut at {end}");
    }
}

fn numbers(from: usize, to: usize) -> String {
    let one = |n| format!(r#"{{"id":{n},"issue_url":"u","body":"b","user":{{"login":"a"}}}}"#);
    let all: Vec<String> = (from..to).map(one).collect();
    format!("[{}]", all.join(","))
}

#[test]
fn a_full_last_page_needs_a_proof() {
    let issue = |files: &[(&str, &str)]| read(files).channel(Channel::Conversation).says();
    let full = numbers(0, 100);
    let partly = "100, perhaps more: a full last page need not be the last";
    assert_eq!(issue(&[("a", &full)]), partly);
    assert_eq!(
        issue(&[("a", &numbers(0, 30))]),
        partly.replace("100", "30")
    );
    assert_eq!(issue(&[("a", &numbers(0, 31))]), "all of them");
    assert_eq!(issue(&[("a", &numbers(0, 0))]), "not supplied");
    assert_eq!(issue(&[("issue=a", "[]")]), "all of them");
    // a short page, or an empty one, behind it is the proof
    assert_eq!(
        issue(&[("a", &full), ("b", &numbers(100, 103))]),
        "all of them"
    );
    assert_eq!(issue(&[("a", &full), ("issue=b", "[]")]), "all of them");
    // pages as `--slurp` prints them, and behind each other as `--paginate` does
    let slurped = format!("[{full},{}]", numbers(100, 103));
    assert_eq!(issue(&[("a", &slurped)]), "all of them");
    let behind = format!("{full}{}", numbers(100, 103));
    assert_eq!(issue(&[("a", &behind)]), "all of them");
    // so is the count of the pull request, which can also prove the opposite
    let pull =
        |n: u32| format!(r#"{{"number":1,"head":{{"sha":"SHA"}},"base":{{}},"comments":{n}}}"#);
    assert_eq!(issue(&[("p", &pull(100)), ("a", &full)]), "all of them");
    assert_eq!(
        issue(&[("p", &pull(214)), ("a", &full)]),
        "100 of 214: the forge counts more"
    );
    // a page that came twice
    assert_eq!(
        issue(&[("a", &full), ("b", &numbers(99, 103))]),
        "104, perhaps more: some ids came twice"
    );
}

#[test]
fn headers_of_a_recording_prove_what_a_body_cannot() {
    let recording = |head: &str, status: u32, kind: &str| {
        let body = numbers(0, 30);
        format!(
            r#"{{"recorded":"github-rest","responses":[{{"request":"GET /repos/a/b/issues/1/comments?page=1",
             "status":{status},"headers":{{"content-type":"{kind}"{head}}},"body":{body}}}]}}"#
        )
    };
    let rows = [
        ("", 200, "application/json", "all of them"),
        (
            r#","link":"<u?page=2>; rel=\"next\"""#,
            200,
            "application/json",
            "30, perhaps more: it says that there is more",
        ),
        (
            r#","link":"<u?page=1>; rel=\"prev\"""#,
            200,
            "application/json",
            "all of them",
        ),
        (
            r#","x-next-page":"2","x-total":"43""#,
            200,
            "application/json",
            "30 of 43: the forge counts more",
        ),
        (
            "",
            403,
            "application/json",
            "could not be read: the forge answered with status 403",
        ),
        (
            "",
            200,
            "text/html",
            "could not be read: the forge answered with something else than JSON",
        ),
    ];
    for (head, status, kind, wanted) in rows {
        let threads = read(&[("r", &recording(head, status, kind))]);
        assert_eq!(
            threads.channel(Channel::Conversation).says(),
            wanted,
            "{head} {status}"
        );
    }
}

#[test]
fn answers_without_their_comment_and_loops_are_shown_and_said() {
    let text = r#"[
     {"id":2,"pull_request_review_id":1,"in_reply_to_id":1,"path":"a","body":"b"},
     {"id":3,"pull_request_review_id":1,"in_reply_to_id":1,"path":"a","body":"c"},
     {"id":4,"pull_request_review_id":1,"in_reply_to_id":5,"path":"a","body":"d"},
     {"id":5,"pull_request_review_id":1,"in_reply_to_id":4,"path":"a","body":"e"},
     {"id":6,"pull_request_review_id":1,"in_reply_to_id":6,"path":"a","body":"f"}]"#;
    let threads = read(&[("a", text)]);
    let ids = threads.threads.iter().flat_map(Thread::comments);
    let mut ids: Vec<_> = ids.map(|c| c.id.to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["2", "3", "4", "5", "6"]);
    assert_eq!(
        lines(&threads)[0],
        r#"inline 2 (gone) a:file: resolution unknown ["3"]"#
    );
    assert_eq!(codes(&threads), ["$ reply-without-parent"]);
    assert!(!threads.complete());
}

#[test]
fn what_is_odd_in_one_comment_hides_no_other() {
    let long = "x".repeat(300 << 10);
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let text = format!(
        r#"[{{"id":1,"issue_url":"u","body":"{long}","user":null}},
        {{"id":2,"issue_url":"u","body":"half \ud800","created_at":"2026-06-30T23:59:60Z"}},
        {{"id":3,"issue_url":"u","body":"a","body":"b"}},
        {{"id":4,"issue_url":"u","x":{deep},"body":"deep"}},
        {{"id":5,"issue_url":"u","body":["?"]}},
        {{"id":6,"issue_url":"u","body":tru}},
        {{"issue_url":"u","body":"no id"}},
        {{"id":8,"issue_url":"u","body":"last"}}]"#
    );
    let threads = read(&[("a.json", &text)]);
    let ids: Vec<_> = threads.threads.iter().map(|t| t.id.as_ref()).collect();
    assert_eq!(ids, ["1", "2", "3", "5", "$[6]", "8"]);
    assert_eq!(threads.threads[0].first.body.raw().len(), 256 << 10);
    assert_eq!(threads.threads[0].first.cut, 44 << 10);
    assert_eq!(
        codes(&threads),
        [
            "$[0].body long-body",
            "$[1].body bad-escape",
            "$[2].body duplicate-key",
            "$[3].x broken-item",
            "$[4].body wrong-type",
            "$[5].body broken-item",
            "$[6] no-id",
        ]
    );
    assert!(!threads.complete());
    let bytes = Input {
        holds: None,
        name: Foreign::from("b"),
        bytes: Ok(b"[{\"id\":1,\"issue_url\":\"u\",\"body\":\"\xff\"}]".to_vec()),
    };
    let threads = forge::read(&[bytes]);
    assert_eq!(codes(&threads), ["$ not-utf8"]);
    assert_eq!(threads.threads.len(), 1);
}

#[test]
fn gitlab_discussions_are_threads_of_two_channels() {
    let text = r#"[
     {"id":"d1","notes":[
      {"id":1,"type":"DiffNote","body":"One day late.","author":{"username":"odo"},"system":false,
       "resolvable":true,"resolved":true,"resolved_by":{"username":"odo"},
       "position":{"head_sha":"SHA","base_sha":"SHA","old_path":"a","new_path":"b",
        "old_line":null,"new_line":9,"line_range":{"start":{"new_line":7},"end":{"new_line":9}}}},
      {"id":2,"type":"DiffNote","body":"Done.","author":{"username":"b"},"resolvable":true,"resolved":true}]},
     {"id":"d2","notes":[{"id":3,"system":true,"body":"changed the title","author":{"username":"b"}}]},
     {"id":"d3","notes":[{"id":4,"body":"Thanks","author":{"username":"ghost"},"resolvable":false}]},
     {"id":"d4","notes":[{"id":5,"body":"gone","author":{"username":"t"},"resolvable":true,"resolved":false,
       "position":{"head_sha":"SHA","old_path":"a","new_path":"a","old_line":4,"new_line":null}}]}]"#;
    let threads = read(&[("a", text)]);
    assert_eq!(
        lines(&threads),
        [
            r#"inline d1 odo b:7-9: resolved by odo ["2"]"#,
            "inline d4 t a:4-4 left: open []",
            "issue d3 ghost: no resolution []",
        ]
    );
    assert_eq!(
        states(&threads),
        ["all of them", "all of them", "all of them"]
    );
    let merge = r#"{"iid":44,"target_branch":"main","state":"opened","sha":"SHA","author":{"username":"b"}}"#;
    let threads = read(&[("m", merge)]);
    let pull = threads.pull.known().expect("a merge request");
    assert_eq!(pull.state.as_ref().map(shown), Some("OPEN".into()));
}

#[test]
fn gitea_comments_are_each_their_own() {
    let text = r#"[
     {"id":1,"body":"a","user":{"login":"ines"},"resolver":null,"pull_request_review_id":5,
      "path":"src/low.js","position":4,"original_position":0,"original_commit_id":"SHA"},
     {"id":2,"body":"b","user":{"login":"b"},"resolver":{"login":"ines"},"pull_request_review_id":6,
      "path":"src/low.js","position":4,"original_position":0,"extra_lines_count":1},
     {"id":3,"body":"c","user":{"login":"b"},"resolver":null,"pull_request_review_id":6,
      "path":"src/low.js","position":0,"original_position":4}]"#;
    let threads = read(&[("a", text)]);
    assert_eq!(
        lines(&threads),
        [
            "inline 1 ines src/low.js:4-4: open []",
            "inline 2 b src/low.js:4-5: resolved by ines []",
            "inline 3 b src/low.js:4-4 left: open []",
        ]
    );
}

#[test]
fn gh_view_has_no_inline_comments_and_caps_its_lists() {
    let files: Vec<String> = (0..100).map(|n| format!(r#"{{"path":"f{n}"}}"#)).collect();
    let text = format!(
        r#"{{"number":7,"headRefOid":"SHA","state":"OPEN","author":{{"login":"app/dep","is_bot":true}},
         "comments":[{{"id":"I1","author":{{"login":"ines"}},"body":"hi","includesCreatedEdit":true}}],
         "reviews":[{{"id":"R1","author":{{"login":"t"}},"body":"no","state":"CHANGES_REQUESTED",
           "submittedAt":"2026-11-02T09:00:00Z","commit":{{"oid":"SHA"}}}}],
         "files":[{}]}}"#,
        files.join(",")
    );
    let threads = read(&[("v", &text)]);
    assert_eq!(
        lines(&threads),
        [
            "review R1 t: no resolution []",
            "issue I1 ines: no resolution []"
        ]
    );
    assert_eq!(
        states(&threads),
        ["not supplied", "all of them", "all of them"]
    );
    assert_eq!(
        threads.files.state.says(),
        "100, perhaps more: gh pr view prints at most 100"
    );
    assert!(matches!(
        threads.threads[1].first.edited,
        Known::Is(Some(_))
    ));
}

#[test]
fn the_digest_is_of_the_set_and_of_every_word() {
    let one = numbers(0, 5);
    let same = read(&[("a", &one)]).digest;
    let apart = read(&[("a", &numbers(3, 5)), ("b", &numbers(0, 3))]).digest;
    assert_eq!(same, apart);
    let other = read(&[("a", &one.replacen("\"b\"", "\"B\"", 1))]).digest;
    assert_ne!(same, other);
    assert_ne!(same, read(&[("a", &numbers(0, 4))]).digest);
}

#[test]
fn a_list_under_another_name_is_not_taken_for_it() {
    let threads = read(&[("inline=a", &numbers(0, 3))]);
    assert_eq!(codes(&threads), ["$ other-list"]);
    assert_eq!(
        states(&threads)[0],
        "could not be read: another list was given in its place"
    );
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(256))]

    /// Whatever stands in a file, reading ends, and what is broken is never all there.
    #[test]
    fn no_bytes_stop_the_reader(
        at in 0usize..1_200,
        cut in 0usize..40,
        put in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..12),
    ) {
        for text in [GITHUB, GRAPHQL] {
            let mut bytes = text.as_bytes().to_vec();
            let at = at.min(bytes.len());
            let end = (at + cut).min(bytes.len());
            bytes.splice(at..end, put.iter().copied());
            let threads = forge::read(&[Input {
                holds: None,
                name: Foreign::from("a"),
                bytes: Ok(bytes),
            }]);
            for thread in &threads.threads {
                proptest::prop_assert!(!thread.id.is_empty());
            }
        }
    }
}
