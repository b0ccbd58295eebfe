//! The knobs in force: the person's own, tightened by the repository's table as it stands at the
//! merge base (rulings A13). The head's version is never read: it belongs to those who are judged.

use crate::config::{self, Owner, REPOSITORY_FILE, Source};
use crate::gate::policy::Policy;
use crate::model::known::Known;
use crate::model::text::Foreign;

/// The knobs, and everything that is wrong with the repository's table. With a fault nothing of
/// that table counts, and nothing is measured either: it may have asked for more.
#[must_use]
pub fn in_force(own: &Policy, table: &Known<Foreign>) -> (Policy, Vec<String>) {
    let text = match table {
        Known::Is(text) => text.raw(),
        Known::Unknown(why) => return (own.clone(), vec![format!("{REPOSITORY_FILE}: {why}")]),
        Known::NotApplicable(_) | Known::NotSupplied => return (own.clone(), Vec::new()),
    };
    let Ok(text) = std::str::from_utf8(text) else {
        let fault = format!("{REPOSITORY_FILE}: it is not UTF-8");
        return (own.clone(), vec![fault]);
    };
    let source = Source {
        owner: Owner::Repository,
        name: REPOSITORY_FILE,
        text,
    };
    match config::read(&[source]) {
        Ok(read) => (own.tightened(&read.settings.policy), Vec::new()),
        Err(faults) => (
            own.clone(),
            faults.iter().map(ToString::to_string).collect(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::known::Reason;
    use crate::model::oracle::Isolation;

    fn of(text: &str) -> (Policy, Vec<String>) {
        in_force(&Policy::default(), &Known::Is(Foreign::from(text)))
    }

    #[test]
    fn the_stricter_of_both_holds_for_each_knob() {
        let own = Policy {
            seen_ms: 900,
            ..Policy::default()
        };
        let text = "seen-ms = 500\nisolation-floor = 2\nallow-override = false\n";
        let (both, faults) = in_force(&own, &Known::Is(Foreign::from(text)));
        assert_eq!(faults, Vec::<String>::new());
        assert_eq!(both.seen_ms, 900, "the person's own is stricter");
        assert_eq!(both.isolation_floor, Isolation::Files);
        assert!(!both.allow_override);
    }

    #[test]
    fn what_is_watched_is_the_sum_of_both() {
        let own = Policy {
            scope_watch: vec!["b/".into()],
            ..Policy::default()
        };
        let table = Known::Is(Foreign::from("scope-watch = [\"c/*.sql\", \"a\"]\n"));
        assert_eq!(in_force(&own, &table).0.scope_watch, ["a", "b/", "c/*.sql"]);
        for bad in [
            "scope-watch = [\"/\"]",
            "scope-watch = [\"a{\"]",
            "scope-watch = \"a\"",
        ] {
            let (policy, faults) = of(bad);
            assert_eq!((policy, faults.len()), (Policy::default(), 1), "{bad}");
        }
    }

    #[test]
    fn what_loosens_or_cannot_be_read_is_told_by_line_and_changes_nothing() {
        let rows = [
            ("abandoned-counts = true\n", ".countersign.toml:1:20: "),
            ("seen-ms = 500\nname = \"M\"\n", ".countersign.toml:2:8: "),
            ("seen-ms = \n", ".countersign.toml:1:"),
        ];
        for (text, begins) in rows {
            let (policy, faults) = of(text);
            assert_eq!(policy, Policy::default(), "{text}");
            assert!(faults[0].starts_with(begins), "{faults:?}");
        }
        let unknown = Known::Unknown(Reason::new("the tree is damaged"));
        let (_, faults) = in_force(&Policy::default(), &unknown);
        assert_eq!(faults, [".countersign.toml: the tree is damaged"]);
        assert_eq!(of("").1.len(), 0);
    }
}
