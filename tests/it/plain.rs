//! `--plain` behind a terminal and without one: the same session as lines, with the same
//! refusals.

mod carry;
pub(crate) mod chains;
mod clones;
mod export;
mod messages;
mod overtaken;

use std::io::Write as _;
use std::process::Stdio;

use countersign::model::id::Digest;
use serde_json::Value;

use crate::git::repo::Repo;
use crate::pty::Terminal;
use crate::pty::seat::Seat;
use crate::support::{countersign_as_other_user, hand_over, known_person};

/// Tall enough that nothing scrolls away, and wider than any line may be.
const SIZE: (u16, u16) = (100, 900);

struct Talk {
    terminal: Terminal,
}

impl Talk {
    fn open(seat: &Seat) -> Self {
        Self::with(&seat.command(&["review", "--plain"]))
    }

    fn with(command: &std::process::Command) -> Self {
        let talk = Self {
            terminal: Terminal::start(command, SIZE.0, SIZE.1),
        };
        talk.prompts(1);
        talk
    }

    fn text(&self) -> String {
        self.terminal.seen().text()
    }

    /// Waits until so many prompts of every kind were shown and the last one waits.
    fn prompts(&self, count: usize) {
        let what = format!("prompt {count}");
        drop(
            self.terminal
                .until(&what, |seen| asked(&seen.text()) >= count),
        );
    }

    /// Types a line at the prompt that waits, and waits for the next one.
    fn types(&mut self, line: &str) -> String {
        let before = self.text();
        let count = asked(&before);
        self.terminal.keys(&format!("{line}\n"));
        self.prompts(count + 1);
        let after = self.text();
        let from = before.trim_end().len().min(after.len());
        after.get(from..).unwrap_or_default().to_owned()
    }

    fn says(&mut self, line: &str, wanted: &str) {
        let said = self.types(line);
        let flat: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(wanted), "{line}: no {wanted} in\n{said}");
    }

    /// The same for a ratify, again while its evidence was not on screen for long enough.
    fn affirms(&mut self, line: &str, wanted: &str) {
        let said = loop {
            let said = self.types(line);
            if !said.contains("Too fast") {
                break said;
            }
            // each try takes lines of the emulated screen, which must not run out of them
            std::thread::sleep(std::time::Duration::from_millis(50));
        };
        let flat: String = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(wanted), "{line}: no {wanted} in\n{said}");
    }

    /// A verb that asks for a text, perhaps after a choice.
    fn writes(&mut self, lines: &[&str], wanted: &str) {
        for line in &lines[..lines.len() - 1] {
            drop(self.types(line));
        }
        self.says(lines[lines.len() - 1], wanted);
    }

    /// Asks on until a run was told.
    fn told(&mut self, words: &str) {
        let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while !self.text().contains(words) {
            assert!(std::time::Instant::now() < end, "{}", self.text());
            drop(self.types(""));
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
    }
}

/// How many prompts stand there.
fn asked(text: &str) -> usize {
    let prompts = [
        "leave with ",
        "> ",
        "cause> ",
        "text> ",
        "class> ",
        "the first 6 characters of the head> ",
        "y: that is me. Enter: nothing is decided. ",
        "r records it, Enter leaves it: ",
        "a records it, Enter leaves it: ",
        "y: these lines are written when you sign. Enter: not signed. ",
    ];
    text.lines()
        .map(|line| format!("{} ", line.trim_end()))
        .filter(|line| prompts.iter().any(|prompt| line.starts_with(prompt)))
        .count()
}

fn kinds(seat: &Seat, kind: &str) -> usize {
    let wanted = format!("\"kind\":\"{kind}\"");
    let own = |line: &&String| line.contains(&wanted);
    seat.ledger().iter().filter(own).count()
}

#[test]
fn an_oracle_is_run_on_base_in_lines_and_told_apart() {
    let seat = Seat::new();
    let mut talk = Talk::open(&seat);
    drop(talk.types("4"));
    talk.says("base 4", "4 is not trusted. x with its name shows");
    drop(talk.types("x 4"));
    drop(talk.types("trust 4"));
    talk.told("told: 4 passes");
    let runs = kinds(&seat, "run");
    drop(talk.types("4"));
    talk.says("base 4", "queued 4 on base");
    talk.told("told: 4 passes on base too: it proves nothing of this change");
    assert_eq!(kinds(&seat, "run"), runs + 1, "it is recorded like any run");
    talk.says("4", "ON BASE");
    talk.says("v", "passes on base too: 4");
    talk.says("q", "leave with");
    talk.terminal.keys("y\n");
    assert_eq!(talk.terminal.ends(), 5);
}

#[test]
fn the_sample_is_worked_from_open_to_ruling_in_lines() {
    let seat = Seat::new();
    let mut talk = Talk::open(&seat);
    talk.says("r 7", "nothing was shown last");
    talk.says("n", "contract edit:7");
    talk.says("r", "closed: r names its item");
    talk.says("r 2", "edit:7 was shown last, not 2");
    talk.affirms("r 7", "acknowledged the edit of 7");
    talk.says("n", "criterion 1, passing");
    talk.affirms("r 1", "ratified 1 on run");
    talk.says("n", "criterion 2, failing");
    talk.says("o 2", "FAIL 02:30 listed 2 times, want 1 decides");
    talk.says("r 2", "Closed: 2 is failing");
    let back = ["b 2", "1", "Repeat the hour, not the boat.", "."];
    talk.writes(&back, "kicked back 2, implementation");
    talk.says("n", "An unknown harbor is refused by naming the known ones");
    talk.affirms("r 3", "p with its name lists candidates");
    talk.says("p 3", "\"CI is green\" says nothing about 3");
    talk.says("p 3 1", "picked 1");
    talk.affirms("r 3", "ratified 3 on 1 picked piece");
    talk.says("n", "criterion 4, weak");
    talk.writes(&["b 4", "", "Show that it can fail."], "");
    talk.says(".", "kicked back 4, evidence");
    talk.says("n", "criterion 5, abandoned");
    talk.affirms("r 5", "why a partial delivery is accepted");
    talk.writes(
        &["The kiosk is replaced in spring.", "."],
        "accepted partial delivery without 5",
    );
    talk.says("n", "criterion 6, stale");
    talk.says("trust 6", "shows the whole command first");
    talk.says("x 6", "tests/redraw.sh");
    drop(talk.types("trust 6"));
    talk.told("told: 6");
    drop(talk.types("6"));
    talk.affirms("r 6", "ratified 6 on run");
    drop(talk.types("7"));
    talk.writes(&["b 7", "1", "All 112 departures.", "."], "kicked back 7");
    drop(talk.types("8"));
    talk.writes(&["b 8", "2", "Show a summer run.", "."], "kicked back 8");
    talk.says("deploy.yml", "untraced");
    talk.writes(&["a deploy.yml", "HB-400 looks at it.", "."], "ticketed");
    talk.says("v", "owed: nothing. S signs.");
    drop(talk.types("S"));
    talk.writes(
        &["1", "The agent wrote the tests.", "."],
        "the first 6 characters",
    );
    talk.says("000000", "not signed; your texts are kept");
    assert_eq!(kinds(&seat, "ruling"), 0);
    drop(talk.types("S"));
    talk.writes(&["1", "."], "the first 6 characters");
    let text = talk.text();
    let at = text.find("head ").expect("the head") + 5;
    talk.terminal.keys(&format!("{}\n", &text[at..at + 6]));
    assert_eq!(talk.terminal.ends(), 1, "{}", talk.text());
    assert_eq!((kinds(&seat, "decision"), kinds(&seat, "ruling")), (10, 1));
    let text = talk.text();
    let last: Value = text
        .lines()
        .rev()
        .find_map(|line| serde_json::from_str(line).ok())
        .expect("the last JSON line");
    export::exports(&seat, last["head"].as_str().expect("a head"));
    assert!(text.contains("REROLL"), "{text}");
    for hint in [
        "Esc",
        "Ctrl-",
        "Enter all",
        "Enter signs",
        "y copy",
        "Pasting",
    ] {
        assert!(!text.contains(hint), "a key of the screen, {hint}: {text}");
    }
    for line in text
        .lines()
        .take_while(|line| !line.starts_with("countersign: "))
    {
        assert!(line.trim_end().chars().count() <= 79, "too wide: {line}");
    }
}

/// Everything owed is decided, the shortest way.
fn decides_all(talk: &mut Talk) {
    drop(talk.types("edit:7"));
    talk.affirms("r 7", "acknowledged the edit of 7");
    drop(talk.types("1"));
    talk.affirms("r 1", "ratified 1 on run");
    for id in ["2", "3", "4", "6", "7", "8"] {
        drop(talk.types(id));
        let back = [&format!("b {id}"), "1", "Not yet.", "."];
        talk.writes(&back, &format!("kicked back {id}"));
    }
    drop(talk.types("5"));
    talk.affirms("r 5", "why a partial delivery is accepted");
    talk.writes(&["The kiosk goes.", "."], "accepted partial delivery");
    drop(talk.types("deploy.yml"));
    talk.affirms("r deploy.yml", "accepted [gated] .github");
}

/// From the prompt of the sign-off to the typed digits; the digits.
fn to_the_digits(talk: &mut Talk) -> String {
    drop(talk.types("S"));
    talk.writes(&["1", "The tests are the agent's.", "."], "y: these lines");
    talk.says("y", "the first 6 characters");
    digits(talk)
}

/// The digits that the sign-off asks for.
fn digits(talk: &Talk) -> String {
    let text = talk.text();
    let at = text.find("head ").expect("the head") + 5;
    text[at..at + 6].to_owned()
}

fn contract(seat: &Seat) -> std::path::PathBuf {
    let folder = seat.worktree().join(".claude/tasks/contracts");
    let mut files = std::fs::read_dir(folder).expect("the contracts");
    files.next().expect("one").expect("an entry").path()
}

#[test]
fn edits_are_read_as_a_diff_confirmed_and_written_after_the_ruling_alone() {
    let seat = Seat::new();
    let file = contract(&seat);
    let before = std::fs::read(&file).expect("the contract");
    let mut talk = Talk::open(&seat);
    talk.says("w", "no decision of yours would write");
    decides_all(&mut talk);
    talk.says("w", "1 off EVIDENCE of 1");
    talk.says(
        "w 2",
        "2 on file scope: .github/workflows/deploy.yml [gated]",
    );
    talk.says("w 1", "1 on EVIDENCE of 1");
    let digits = to_the_digits(&mut talk);
    let text = talk.text();
    assert!(
        text.contains("+ - `.github/workflows/deploy.yml` [gated "),
        "{text}"
    );
    assert!(text.contains("+    EVIDENCE: MET exit=0"), "{text}");
    assert_eq!(
        std::fs::read(&file).expect("it"),
        before,
        "not before the ruling"
    );
    talk.terminal.keys(&format!("{digits}\n"));
    assert_eq!(talk.terminal.ends(), 1, "{}", talk.text());
    let after = std::fs::read(&file).expect("the contract");
    let digest = Digest::of(&after).to_string();
    assert_ne!(after, before);
    let ledger = seat.ledger();
    let has = |kind: &str| {
        let kind = format!("\"kind\":\"{kind}\"");
        ledger
            .iter()
            .position(|l| l.contains(&kind) && l.contains(&digest))
    };
    let (ruling, edit) = (has("ruling"), has("edit"));
    assert!(ruling.is_some() && ruling < edit, "{ruling:?} {edit:?}");
    let log = seat.command(&["ledger", "log", "--json"]).output();
    let log = log.expect("it runs");
    let log: Value = serde_json::from_slice(&log.stdout).expect("JSON");
    let said = log["entries"].as_array().expect("entries").iter();
    let mut rulings = said.filter(|entry| entry["kind"] == "ruling");
    let because = rulings.next().expect("the ruling")["because"].to_string();
    assert!(because.contains(&format!("sha256 {digest}")), "{because}");
    talk.terminal.shows("to commit");
}

/// Signs with the edits of the contract that are switched on, and leaves.
fn signs(talk: &mut Talk, edits: &[&str]) {
    decides_all(talk);
    for edit in edits {
        drop(talk.types(edit));
    }
    let digits = to_the_digits(talk);
    talk.terminal.keys(&format!("{digits}\n"));
    assert_eq!(talk.terminal.ends(), 1, "{}", talk.text());
}

fn commit(seat: &Seat, what: &str) {
    let git = ["-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null"];
    let run = |words: &[&str]| {
        let words: Vec<&str> = git.iter().chain(words).copied().collect();
        crate::git::repo::run(&seat.worktree(), &words)
    };
    drop(run(&["commit", "-q", "-a", "-m", what]));
}

#[test]
fn a_commit_of_the_own_edits_and_nothing_else_keeps_every_decision() {
    let seat = Seat::new();
    signs(&mut Talk::open(&seat), &["w 1", "w 2"]);
    commit(&seat, "what the person wrote");
    let mut talk = Talk::open(&seat);
    let greeting = talk.text();
    assert!(
        greeting.contains("own edits only, those of entry"),
        "{greeting}"
    );
    talk.says("1", "criterion 1, ratified");
    talk.says("deploy.yml", "accepted");
    talk.says("5", "criterion 5, abandoned");
    let list = talk.types("l");
    assert!(!list.contains("stale"), "{list}");
    talk.terminal.keys("q\n");
    assert_eq!(talk.terminal.ends(), 5);
    talk.terminal.shows("\"code\":\"own-edits-only\"");
}

#[test]
fn own_edits_with_one_more_byte_are_another_tree() {
    let seat = Seat::new();
    signs(&mut Talk::open(&seat), &["w 2"]);
    let file = contract(&seat);
    let mut bytes = std::fs::read(&file).expect("the contract");
    bytes.extend_from_slice(b" ");
    std::fs::write(&file, bytes).expect("written");
    commit(&seat, "what the person wrote, and a blank");
    let mut talk = Talk::open(&seat);
    let greeting = talk.text();
    assert!(!greeting.contains("own edits only"), "{greeting}");
    talk.says("1", "criterion 1, stale");
}

#[test]
fn evidence_in_the_slots_and_nothing_else_keeps_every_decision() {
    let seat = Seat::new();
    let mut talk = Talk::open(&seat);
    drop(talk.types("1"));
    talk.affirms("r 1", "ratified 1 on run");
    drop(talk.types("q"));
    talk.terminal.keys("y\n");
    assert_eq!(talk.terminal.ends(), 5);
    let file = contract(&seat);
    let text = std::fs::read_to_string(&file).expect("the contract");
    let text = text.replacen("EVIDENCE: pending", "EVIDENCE: MET exit=0 marker-found", 1);
    std::fs::write(&file, text).expect("written");
    commit(&seat, "evidence");
    let mut talk = Talk::open(&seat);
    let greeting = talk.text();
    assert!(
        greeting.contains("evidence only: the contract's slots"),
        "{greeting}"
    );
    talk.says("1", "criterion 1, ratified");
}

#[test]
fn a_contract_that_moved_after_it_was_shown_is_not_written_and_nothing_is_signed() {
    let seat = Seat::new();
    let file = contract(&seat);
    let mut talk = Talk::open(&seat);
    decides_all(&mut talk);
    drop(talk.types("w 1"));
    let digits = to_the_digits(&mut talk);
    let mut moved = std::fs::read(&file).expect("the contract");
    moved.extend_from_slice(b"one more line\n");
    std::fs::write(&file, &moved).expect("written");
    talk.types(&digits);
    let text = talk.text();
    assert!(text.contains("not signed; your texts are kept"), "{text}");
    assert_eq!(kinds(&seat, "ruling"), 0);
    assert_eq!(kinds(&seat, "edit"), 0);
    assert_eq!(std::fs::read(&file).expect("it"), moved);
}

#[test]
fn without_a_ruling_no_edit_is_written_and_the_choice_is_there_again() {
    let seat = Seat::new();
    let file = contract(&seat);
    let before = std::fs::read(&file).expect("the contract");
    let mut talk = Talk::open(&seat);
    drop(talk.types("1"));
    talk.affirms("r 1", "ratified 1 on run");
    talk.says("w 1", "1 on EVIDENCE of 1");
    drop(talk.types("q"));
    talk.terminal.keys("y\n");
    assert_eq!(talk.terminal.ends(), 5);
    assert_eq!(std::fs::read(&file).expect("it"), before);
    let mut talk = Talk::open(&seat);
    talk.says("w", "1 on EVIDENCE of 1");
}

#[test]
fn a_line_that_came_before_its_question_decides_nothing() {
    let seat = Seat::new();
    let mut talk = Talk::open(&seat);
    talk.says("n", "contract edit:7");
    talk.terminal.keys("n\nr 1\n");
    drop(talk.terminal.until("a refusal", |seen| {
        seen.text()
            .contains("refused: a line came before its question")
    }));
    talk.says("l", "criterion 1, passing, owed");
    assert_eq!(kinds(&seat, "decision"), 0);
}

#[test]
fn an_input_that_ends_inside_a_text_decides_nothing() {
    let seat = Seat::new();
    let mut talk = Talk::open(&seat);
    drop(talk.types("2"));
    drop(talk.types("b 2"));
    drop(talk.types("1"));
    drop(talk.types("Repeat the hour"));
    talk.terminal.keys("\u{4}");
    drop(
        talk.terminal
            .until("kept", |seen| seen.text().contains("nothing was decided")),
    );
    assert_eq!(kinds(&seat, "decision"), 0);
}

#[test]
fn a_name_is_confirmed_at_its_first_use_and_never_again() {
    let seat = Seat::of_nobody_known();
    let mut talk = Talk::open(&seat);
    drop(talk.types("1"));
    talk.says("r 1", "y: that is me");
    talk.says("", "nothing was decided");
    assert_eq!(kinds(&seat, "decision"), 0);
    talk.says("r 1", "from the account. y: that is me");
    drop(talk.types("y"));
    if kinds(&seat, "decision") == 0 {
        talk.affirms("r 1", "ratified 1 on run");
    }
    let mut again = Talk::open(&seat);
    drop(again.types("2"));
    let back = ["b 2", "1", "Repeat the hour.", "."];
    again.writes(&back, "kicked back 2, implementation");
}

#[test]
fn no_flag_no_variable_and_no_repository_says_who_decides() {
    let repo = Repo::with_change();
    repo.write("a.md", "# A\n\n## Acceptance criteria\n\n- [ ] it sails\n");
    repo.write(".countersign.toml", "name = \"Mallory\"\n");
    repo.git(&["config", "user.name", "Mallory"]);
    repo.commit("a contract");
    hand_over(repo.home());
    let mut command = review(&repo);
    for name in ["GIT_AUTHOR_NAME", "USER", "LOGNAME", "GIT_CONFIG_COUNT"] {
        command.env(name, "1");
    }
    command.env("GIT_CONFIG_KEY_0", "user.name");
    command.env("GIT_CONFIG_VALUE_0", "Mallory");
    let talk = Talk::with(&command);
    let text = talk.text();
    assert!(
        text.contains("you: ") && !text.contains("Mallory"),
        "{text}"
    );
    let mut flagged = review(&repo);
    flagged.arg("--by").arg("Mallory");
    let refused = flagged.output().expect("it runs");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn one_end_of_the_input_leaves_from_anywhere() {
    let seat = Seat::new();
    for lines in [&[][..], &["2", "b 2"], &["2", "b 2", "1", "half a"], &["q"]] {
        let mut talk = Talk::open(&seat);
        for line in lines {
            drop(talk.types(line));
        }
        talk.terminal.keys("\u{4}");
        assert_eq!(talk.terminal.ends(), 5, "{lines:?}: {}", talk.text());
    }
    assert_eq!(kinds(&seat, "decision"), 0);
    assert!(seat.drafts().contains("half a"));
}

#[test]
fn a_draft_of_a_killed_session_is_read_out_and_kept_or_thrown_away() {
    let seat = Seat::new();
    let mut terminal = seat.open();
    terminal.press_until("n", "RESULT");
    terminal.keys("b");
    terminal.shows("Ctrl-s kick back");
    terminal.keys("half a thought, then the power went");
    crate::pty::wait_for("a draft", || seat.drafts().contains("half a thought"));
    terminal.signal(rustix::process::Signal::KILL);
    let _ = terminal.ends();
    let mut again = seat.open();
    again.shows("a draft is kept for criterion 1");
    again.press_until("n", "RESULT");
    again.shows("DRAFT");
    again.keys("b");
    again.shows("your draft, as you left it");
    again.shows("half a thought");
    again.keys("\u{1b}");
    again.shows("draft of 1 kept");
    again.signal(rustix::process::Signal::KILL);
    let _ = again.ends();
    let mut talk = Talk::open(&seat);
    drop(talk.types("1"));
    drop(talk.types("b 1"));
    talk.says("", "| half a thought");
    talk.says("-", "thrown away, on disk as well");
    talk.terminal.keys("\u{4}");
    assert_eq!(talk.terminal.ends(), 5);
    assert!(!seat.drafts().contains("half"), "{}", seat.drafts());
}

#[test]
fn what_an_agent_asserted_is_ratified_or_kicked_back_and_leaves_the_queue() {
    let seat = Seat::new();
    for subject in ["criterion 1", "all criteria"] {
        seat.asserts(subject);
    }
    let queue = || {
        let said = seat
            .command(&["queue", "--json"])
            .output()
            .expect("it runs");
        let value: Value = serde_json::from_slice(&said.stdout).expect("JSON");
        let items = value["items"].as_array().expect("items").len();
        (said.status.code(), items)
    };
    assert_eq!(queue(), (Some(3), 2));
    let mut talk = Talk::open(&seat);
    let list = talk.types("l");
    let names: Vec<String> = list
        .lines()
        .filter_map(|line| line.strip_prefix("assertion "))
        .filter_map(|rest| Some(rest.split(',').next()?.to_owned()))
        .collect();
    assert_eq!(names.len(), 2, "{list}");
    talk.says(&names[0], "a claim by an agent: it decides nothing");
    talk.affirms(&format!("r {}", names[0]), "ratified assertion");
    drop(talk.types(&names[1]));
    let back = [&format!("b {}", names[1]), "2", "It proves nothing.", "."];
    talk.writes(&back, "kicked back assertion");
    assert_eq!(queue(), (Some(0), 0));
    let decisions: Vec<String> = seat
        .ledger()
        .into_iter()
        .filter(|line| line.contains("\"kind\":\"decision\""))
        .collect();
    assert_eq!(decisions.len(), 2);
    for line in decisions {
        assert!(
            line.contains("\"assertion\":") && line.contains("\"by\":\""),
            "{line}"
        );
        assert!(!line.contains("\"by\":\"agent\""), "{line}");
    }
}

/// A repository with this table of settings on `main`, another one at the head, and a contract.
fn with_settings(at_base: &str, at_head: &str) -> Repo {
    let repo = Repo::new();
    repo.write(".countersign.toml", at_base);
    repo.commit("start");
    repo.git(&["checkout", "-q", "-b", "change"]);
    repo.write(".countersign.toml", at_head);
    repo.write("a.md", "# A\n\n## Acceptance criteria\n\n- [ ] it sails\n");
    repo.commit("a contract");
    known_person(&repo.home().join("own"));
    hand_over(repo.home());
    repo
}

#[test]
fn settings_of_the_repository_are_read_at_the_merge_base_and_only_tighten() {
    let repo = with_settings("allow-override = false\n", "allow-override = true\n");
    let mut talk = Talk::with(&review(&repo));
    talk.says("over 1", "nothing was shown last");
    drop(talk.types("1"));
    talk.says("over 1", "Closed");
    let mut print = countersign_as_other_user(repo.home());
    print
        .args(["config", "print", "--json"])
        .env("COUNTERSIGN_HOME", repo.home().join("own"))
        .current_dir(&repo.top);
    let said = print.output().expect("it runs");
    let value: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let rows = value["settings"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["key"] == "allow-override");
    let row = row.expect("the knob");
    assert_eq!(row["value"], "false");
    let from = row["from"].as_str().expect("a source");
    assert!(from.starts_with(".countersign.toml at "), "{from}");
}

#[test]
fn a_watched_file_is_owed_although_the_contract_claims_it() {
    let claims = "# A\n\n## Acceptance criteria\n\n- [ ] `a.md` says how it sails\n";
    for (settings, owed) in [("scope-watch = [\"*.md\"]\n", true), ("", false)] {
        let repo = Repo::new();
        repo.write(".countersign.toml", settings);
        repo.commit("start");
        repo.git(&["checkout", "-q", "-b", "change"]);
        repo.write("contracts/c.md", claims);
        repo.write("a.md", "it sails\n");
        repo.commit("what was asked for");
        known_person(&repo.home().join("own"));
        hand_over(repo.home());
        let mut talk = Talk::with(&review(&repo));
        let list = talk.types("l");
        assert_eq!(list.contains("a.md, watched"), owed, "{settings}: {list}");
        if owed {
            drop(talk.types("a.md"));
            talk.affirms("r a.md", "accepted [gated] a.md");
        }
    }
}

#[test]
fn settings_that_loosen_are_told_by_line_and_nothing_is_measured() {
    let repo = with_settings("seen-ms = 500\nabandoned-counts = true\n", "");
    let mut talk = Talk::with(&review(&repo));
    let text: String = talk.text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("verdict: could not measure"), "{text}");
    talk.says(
        "v",
        ".countersign.toml:2:20: abandoned-counts = true would loosen it",
    );
}

#[test]
fn without_a_terminal_it_reads_and_cannot_decide() {
    let seat = Seat::new();
    let mut child = seat
        .command(&["review", "--plain"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin
        .write_all(b"1\nr 1\nx 1\nb 2\nu\nS\nv\nq\ny\n")
        .expect("the lines are taken");
    drop(stdin);
    let done = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(done.status.code(), Some(5), "{text}");
    assert!(text.contains("criterion 1, passing"), "{text}");
    let refused = text
        .matches("closed: there is no terminal on both ends")
        .count();
    assert_eq!(refused, 5, "{text}");
    let last: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert_eq!((&last["exit"], &last["decided"]), (&5.into(), &0.into()));
    assert_eq!(kinds(&seat, "decision"), 0);
}

#[test]
fn what_was_decided_in_an_earlier_sitting_can_be_taken_back_until_it_is_signed() {
    let seat = Seat::new();
    let mut talk = Talk::open(&seat);
    drop(talk.types("1"));
    talk.affirms("r 1", "ratified 1 on run");
    drop(talk.types("q"));
    talk.terminal.keys("y\n");
    assert_eq!(talk.terminal.ends(), 5);
    let mut talk = Talk::open(&seat);
    talk.says("1", "criterion 1, ratified");
    talk.says("u", "undone");
    talk.says("1", "criterion 1, passing");
    talk.says("u", "nothing of yours to take back");
    assert_eq!((kinds(&seat, "decision"), kinds(&seat, "undo")), (1, 1));
}

#[test]
fn two_consoles_at_once_keep_both_answers_and_the_stricter_one_counts() {
    let seat = Seat::new();
    let (mut one, mut two) = (Talk::open(&seat), Talk::open(&seat));
    drop(one.types("1"));
    drop(two.types("1"));
    one.affirms("r 1", "ratified 1 on run");
    two.told("told: another console recorded 1 entry");
    two.writes(&["b 1", "1", "Not the 25th.", "."], "kicked back 1");
    assert_eq!(kinds(&seat, "decision"), 2);
    one.told("told: another console recorded 1 entry");
    one.says("S", "Closed: another console recorded 1 entry");
    drop(one.types("F5"));
    let shown = one.types("1");
    let flat: String = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("criterion 1, kicked back"), "{shown}");
    for words in ["conflict: ", "ratified by", "kicked back by"] {
        assert!(flat.contains(words), "{words}: {shown}");
    }
    assert!(
        flat.contains("the stricter counts until it is decided again"),
        "{shown}"
    );
    // Who has read both settles it.
    one.affirms("r 1", "ratified 1 on run");
    drop(two.types("F5"));
    let shown = two.types("1");
    assert!(shown.contains("criterion 1, ratified"), "{shown}");
    assert!(!shown.contains("conflict:"), "{shown}");
    let checked = seat
        .command(&["ledger", "verify"])
        .output()
        .expect("it runs");
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
}

#[test]
fn a_ruling_in_one_console_is_said_in_the_other_and_nothing_is_signed_over_it() {
    let seat = Seat::new();
    let (mut one, mut two) = (Talk::open(&seat), Talk::open(&seat));
    decides_all(&mut one);
    drop(two.types("F5"));
    drop(two.types("S"));
    two.writes(
        &["1", "The tests are the agent's.", "."],
        "the first 6 characters",
    );
    let digits = digits(&two);
    drop(one.types("S"));
    one.writes(
        &["1", "The tests are the agent's.", "."],
        "the first 6 characters",
    );
    one.terminal.keys(&format!("{digits}\n"));
    assert_eq!(one.terminal.ends(), 1, "{}", one.text());
    // Whether the news or the signature comes first: it is refused.
    drop(two.types(&digits));
    two.told("another console signed REROLL as entry");
    assert_eq!(kinds(&seat, "ruling"), 1, "{}", two.text());
    two.says("S", "Closed: another console signed REROLL");
    two.says("F5", "read again");
    two.says("v", "verdict: ESCALATE");
}

/// A repository whose change brings two contracts, handed over to the other user.
fn two_contracts() -> Repo {
    let repo = Repo::with_change();
    for (name, says) in [("one", "the ferry sails"), ("two", "the harbor is lit")] {
        repo.write(
            &format!("contracts/{name}.md"),
            format!("# The ferry\n\n## Acceptance criteria\n\n- [ ] {says}\n"),
        );
    }
    repo.commit("two contracts");
    known_person(&repo.home().join("own"));
    hand_over(repo.home());
    repo
}

fn review(repo: &Repo) -> std::process::Command {
    let mut command = countersign_as_other_user(repo.home());
    command
        .args(["review", "--plain"])
        .env("COUNTERSIGN_HOME", repo.home().join("own"))
        .current_dir(&repo.top);
    command
}

#[test]
fn an_empty_floor_is_met_and_said_to_be_empty() {
    let repo = two_contracts();
    let mut command = review(&repo);
    command.args(["--contract", "contracts/one.md"]);
    let done = command.stdin(Stdio::null()).output().expect("it runs");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let last: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["gates"]["floor"], "MET", "{text}");
    assert_eq!(last["gates"]["floor_empty"], true, "{text}");
}

#[test]
fn one_of_several_contracts_is_taken_recorded_and_remembered() {
    let repo = two_contracts();
    let mut talk = Talk::with(&review(&repo));
    assert!(talk.text().contains("2 files could be the contract"));
    talk.says("c", "2 contracts/two.md");
    talk.says("c 3", "there is no file of that number");
    talk.says("c 2", "countersign, plain. repo");
    talk.says("l", "owed: the harbor is lit");
    talk.says("c", "no question here");
    drop(talk.types("q"));
    talk.terminal.keys("y\n");
    assert_eq!(talk.terminal.ends(), 5);
    let mut talk = Talk::with(&review(&repo));
    assert!(
        !talk.text().contains("could be the contract"),
        "{}",
        talk.text()
    );
    talk.says("l", "owed: the harbor is lit");
}

#[test]
fn commands_are_the_same_whatever_the_keymap_says() {
    let seat = Seat::new();
    let folder = seat.home().join("config");
    std::fs::create_dir_all(&folder).expect("a folder");
    let keys = "preset = \"mnemonic\"\n[keys]\nratify = [\"F7\"]\n";
    std::fs::write(folder.join("config.toml"), keys).expect("a file");
    let mut talk = Talk::open(&seat);
    drop(talk.types("1"));
    talk.affirms("r 1", "ratified 1 on run");
    drop(talk.types("2"));
    let back = ["b 2", "1", "Repeat the hour.", "."];
    talk.writes(&back, "kicked back 2, implementation");
}

#[test]
fn what_was_decided_on_is_held_by_a_private_ref() {
    let seat = Seat::new();
    let kept = seat.worktree().join("../ferry/.git/refs/countersign/keep");
    let mut talk = Talk::open(&seat);
    drop(talk.types("1"));
    assert!(!kept.exists(), "nothing is written before a decision");
    talk.affirms("r 1", "ratified 1 on run");
    let refs = std::fs::read_dir(&kept).expect("the refs");
    let held: Vec<String> = refs
        .map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).expect("a ref"))
        .collect();
    assert_eq!(held.len(), 2, "head and merge base: {held:?}");
    let head =
        std::fs::read_to_string(seat.worktree().join("../ferry/.git/refs/heads/feat/winter"));
    assert!(held.contains(&head.expect("the branch")), "{held:?}");
}

#[test]
fn a_ticket_is_never_written_to_and_its_acts_stay_in_the_ledger() {
    for name in ["plan/0007.erg", "tickets/0007.md"] {
        let repo = Repo::with_change();
        let ticket = "# CONTRACT — winter\n\n- status: active\n\n## ACCEPTANCE CRITERIA\n\n1. It sails.\n   CHECK: echo sails\n   EXPECT: sails\n   EVIDENCE: pending\n2. It is lit.\n";
        repo.write(name, ticket);
        repo.commit("a ticket");
        known_person(&repo.home().join("own"));
        hand_over(repo.home());
        let mut command = review(&repo);
        command.args(["--contract", name]);
        let mut talk = Talk::with(&command);
        drop(talk.types("2"));
        let abandon = ["a 2", "No lamp is made.", ".", "The harbor office.", "."];
        talk.writes(&abandon, "abandoned 2");
        talk.says("w", "a ticket file is only read");
        let bytes = std::fs::read_to_string(repo.top.join(name)).expect("the ticket");
        assert_eq!(bytes, ticket, "{name}");
    }
}

#[test]
fn a_second_round_says_what_happened_since_the_first_after_a_force_push_too() {
    let seat = Seat::new();
    signs(&mut Talk::open(&seat), &["w 2"]);
    std::fs::write(seat.worktree().join("more.txt"), "more\n").expect("written");
    let git = ["-c", "safe.directory=*", "-c", "core.hooksPath=/dev/null"];
    for words in [
        &[
            "checkout",
            "-q",
            "main",
            "--",
            ".github/workflows/deploy.yml",
        ][..],
        &["add", "-A"],
        &["commit", "-q", "--amend", "-m", "another history"],
    ] {
        let words: Vec<&str> = git.iter().chain(words).copied().collect();
        drop(crate::git::repo::run(&seat.worktree(), &words));
    }
    let mut talk = Talk::open(&seat);
    let said = talk.types("v");
    let at = |text: &str| said.find(text);
    let gone = at("since the last round, gone: .github/workflows/deploy.yml");
    let unasked = at("since the last round, unasked: more.txt");
    assert!(gone.is_some() && gone < unasked, "{said}");
}
