//! A ruling is sealed on the terminal: the passphrase goes to `ssh-keygen`, nothing of it to us,
//! and a wrong one costs the seal and never the ruling.

use std::process::Command;

use serde_json::Value;

use super::Terminal;
use super::seat::Seat;
use crate::support::hand_over;

/// What is typed of the sample's head.
const HEAD: &str = "06e474";

const PASSPHRASE: &str = "kelp under a pier";

/// A seat with a key of the person that wants a passphrase, and a list that holds it.
fn seat() -> Seat {
    let seat = Seat::new();
    let home = seat.home();
    let key = home.join("throw-away");
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-C", "", "-N", PASSPHRASE, "-f"])
        .arg(&key)
        .status()
        .expect("ssh-keygen runs");
    assert!(made.success());
    let public = std::fs::read_to_string(key.with_extension("pub")).expect("a key");
    let list = home.join("signers");
    std::fs::write(&list, format!("nobody {public}")).expect("a list");
    let config = home.join("config");
    std::fs::create_dir_all(&config).expect("a folder");
    let text = format!(
        "name = \"nobody\"\nruling-level = \"L2\"\nsigning-key = \"{}\"\nallowed-signers = \"{}\"\n",
        key.display(),
        list.display()
    );
    std::fs::write(config.join("config.toml"), text).expect("a config");
    hand_over(&home);
    seat
}

/// Signs ESCALATE and answers the question for the passphrase; the last JSON line.
fn signs(seat: &Seat, typed: &str, says: &str) -> Value {
    let mut terminal = Terminal::start(&seat.command(&["review"]), 160, 45);
    super::seat::wait_until_read(&terminal);
    terminal.shows("L2 signed");
    terminal.press_until("S", "Sign off, 1 of 2");
    terminal.keys("a boat that leaves twice");
    terminal.shows("a boat that leaves twice");
    terminal.press_until("\u{13}", "Sign off, 2 of 2");
    for typed in 1..=HEAD.len() {
        // key by key: each is pressed on the page that shows the one before
        let typed = HEAD.get(..typed).unwrap_or_default();
        let (_, key) = typed.split_at(typed.len() - 1);
        terminal.keys(key);
        terminal.shows(&format!("head  {typed}▏"));
    }
    terminal.press_until("\r", "passphrase");
    terminal.shows("countersign: ssh-keygen seals what was recorded");
    for _ in 0..3 {
        terminal.keys(&format!("{typed}\n"));
        let ends = |seen: &super::Seen| {
            let text = seen.text();
            text.contains(says) || text.contains("incorrect passphrase")
        };
        drop(terminal.until(says, ends));
        if terminal.seen().text().contains(says) {
            break;
        }
    }
    terminal.shows(says);
    terminal.keys_until_gone("q");
    assert_eq!(terminal.ends(), 3);
    let seen = terminal.seen();
    let text = seen.text().replace('\n', "");
    assert!(!String::from_utf8_lossy(&seen.bytes).contains(PASSPHRASE));
    let from = text.find("{\"schema\"").expect("the JSON line");
    serde_json::from_str(text[from..].trim()).expect("JSON")
}

#[test]
#[cfg_attr(no_ssh_keygen, ignore = "ssh-keygen is missing")]
fn a_key_with_a_passphrase_seals_the_ruling_after_it_was_recorded() {
    let seat = seat();
    let json = signs(&seat, PASSPHRASE, "sealed as entry");
    assert_eq!(json["ruling"]["assurance"], "L2");
    assert_eq!(json["ruling"]["state"], "ruled");
    let done = seat
        .command(&["ledger", "verify"])
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{text}");
    assert!(
        text.contains("signed by nobody, L2, 1 entry, key SHA256:"),
        "{text}"
    );
    let ledger = seat.ledger().join("\n");
    assert!(!ledger.contains(PASSPHRASE));
}

#[test]
#[cfg_attr(no_ssh_keygen, ignore = "ssh-keygen is missing")]
fn a_wrong_passphrase_costs_the_seal_and_never_the_ruling() {
    let seat = seat();
    let json = signs(&seat, "not this one", "Not sealed: ");
    assert_eq!(json["ruling"]["assurance"], "L1");
    assert_eq!(
        json["ruling"]["state"], "unsealed",
        "the policy asks for L2"
    );
    let undone = json["undone"][0].as_str().expect("a sentence");
    assert!(undone.starts_with("the seal: "), "{undone}");
    let ledger = seat.ledger();
    let of = |kind: &str| {
        let kind = format!("\"kind\":\"{kind}\"");
        ledger.iter().filter(|line| line.contains(&kind)).count()
    };
    assert_eq!((of("ruling"), of("seal")), (1, 0));
}
