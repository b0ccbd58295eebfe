//! Reads the user's text, then the repository's, which may only tighten.

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::app::keymap::{Keymap, Remap};
use crate::model::text::Shown;

use super::table::{Setting, TABLE, Value};
use super::{Fault, Owner, Read, Settings, Source};

/// Reads all texts; with any fault nothing is taken.
///
/// # Errors
/// Every fault of every text, in the order of the texts and their lines.
pub fn read(sources: &[Source<'_>]) -> Result<Read, Vec<Fault>> {
    let mut reader = Reader {
        settings: Settings::default(),
        origins: BTreeMap::new(),
        remaps: Vec::new(),
        faults: Vec::new(),
    };
    for source in sources {
        reader.text(source);
    }
    match Keymap::build(&reader.settings.preset, &reader.remaps) {
        Ok(keys) => reader.settings.keys = keys,
        Err(clashes) => {
            for clash in clashes {
                let (source, line) = place(&clash.place);
                reader.faults.push(Fault {
                    source,
                    line,
                    column: 0,
                    says: clash.says,
                });
            }
        }
    }
    if reader.faults.is_empty() {
        return Ok(Read {
            settings: reader.settings,
            origins: reader.origins,
        });
    }
    let order = |fault: &Fault| {
        sources
            .iter()
            .position(|source| source.name == fault.source)
            .unwrap_or(sources.len())
    };
    let mut faults = reader.faults;
    faults.sort_by(|a, b| {
        (order(a), a.line, a.column, &a.says).cmp(&(order(b), b.line, b.column, &b.says))
    });
    faults.dedup();
    Err(faults)
}

struct Reader {
    settings: Settings,
    origins: BTreeMap<&'static str, String>,
    remaps: Vec<Remap>,
    faults: Vec<Fault>,
}

impl Reader {
    fn text(&mut self, source: &Source<'_>) {
        let (table, errors) = DeTable::parse_recoverable(source.text);
        for error in &errors {
            let message = Shown::ours(error.message().trim_end_matches('\n')).plain();
            self.fault(source, error.span().unwrap_or(0..0), message);
        }
        if !errors.is_empty() {
            return;
        }
        for (key, value) in table.get_ref() {
            let name: &str = key.get_ref();
            if name == "keys" && source.owner == Owner::User {
                self.keys(source, value);
                continue;
            }
            match TABLE.iter().find(|setting| setting.key == name) {
                Some(setting) => self.setting(source, setting, value),
                None => {
                    let says = format!("unknown setting \"{}\"; {}", Shown::ours(name), near(name));
                    self.fault(source, key.span(), says);
                }
            }
        }
    }

    fn setting(
        &mut self,
        source: &Source<'_>,
        setting: &'static Setting,
        spanned: &Spanned<DeValue<'_>>,
    ) {
        if source.owner == Owner::Repository && !setting.tightens {
            let says = format!(
                "{} is yours to set, not the repository's; take it out",
                setting.key
            );
            return self.fault(source, spanned.span(), says);
        }
        let mut changed = self.settings.clone();
        let taken =
            value(spanned.get_ref()).is_some_and(|value| (setting.put)(&mut changed, &value));
        if !taken {
            let says = format!("{} takes {}", setting.key, setting.takes);
            return self.fault(source, spanned.span(), says);
        }
        if source.owner == Owner::Repository
            && !(setting.stricter)(&changed.policy, &self.settings.policy)
        {
            let says = format!(
                "{} = {} would loosen it; it is {} and a repository may only tighten",
                setting.key,
                (setting.get)(&changed),
                (setting.get)(&self.settings)
            );
            return self.fault(source, spanned.span(), says);
        }
        self.settings = changed;
        self.origins.insert(setting.key, source.name.to_owned());
    }

    fn keys(&mut self, source: &Source<'_>, value: &Spanned<DeValue<'_>>) {
        let DeValue::Table(table) = value.get_ref() else {
            let says = "keys is a table: [keys], then command = \"key\"".to_owned();
            return self.fault(source, value.span(), says);
        };
        for (id, keys) in table {
            let texts: Option<Vec<String>> = match keys.get_ref() {
                DeValue::String(text) => Some(vec![text.to_string()]),
                DeValue::Array(array) => array
                    .iter()
                    .map(|key| match key.get_ref() {
                        DeValue::String(text) => Some(text.to_string()),
                        _ => None,
                    })
                    .collect(),
                _ => None,
            };
            let (line, _) = position(source.text, id.span().start);
            match texts {
                Some(keys) => self.remaps.push(Remap {
                    id: id.get_ref().to_string(),
                    keys,
                    place: format!("{}:{line}", source.name),
                }),
                None => {
                    let says = format!(
                        "{} takes a key or a list of keys",
                        Shown::ours(id.get_ref())
                    );
                    self.fault(source, keys.span(), says);
                }
            }
        }
    }

    fn fault(&mut self, source: &Source<'_>, span: Range<usize>, says: String) {
        let (line, column) = position(source.text, span.start);
        self.faults.push(Fault {
            source: source.name.to_owned(),
            line,
            column,
            says,
        });
    }
}

fn value(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::String(text) => Some(Value::Text(text.to_string())),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .ok()
            .map(Value::Number),
        DeValue::Boolean(on) => Some(Value::Switch(*on)),
        DeValue::Array(array) => array
            .iter()
            .map(|one| match one.get_ref() {
                DeValue::String(text) => Some(text.to_string()),
                DeValue::Integer(_)
                | DeValue::Float(_)
                | DeValue::Boolean(_)
                | DeValue::Datetime(_)
                | DeValue::Array(_)
                | DeValue::Table(_) => None,
            })
            .collect::<Option<_>>()
            .map(Value::Texts),
        DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}

/// Line and column of a byte, from 1.
fn position(text: &str, at: usize) -> (u32, u32) {
    let before = text.get(..at.min(text.len())).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .map_or(0, |line| line.chars().count())
        + 1;
    (
        u32::try_from(line).unwrap_or(u32::MAX),
        u32::try_from(column).unwrap_or(u32::MAX),
    )
}

/// The source and line of a remap's place.
fn place(place: &str) -> (String, u32) {
    match place.rsplit_once(':') {
        Some((source, line)) => match line.parse() {
            Ok(line) => (source.to_owned(), line),
            Err(_) => (place.to_owned(), 0),
        },
        None => (place.to_owned(), 0),
    }
}

fn near(name: &str) -> String {
    let head: String = name.chars().take(3).collect();
    let close: Vec<&str> = TABLE
        .iter()
        .map(|setting| setting.key)
        .filter(|key| key.starts_with(&head) || key.replace('-', "_") == name)
        .collect();
    if close.is_empty() {
        "countersign config print lists them".into()
    } else {
        format!("near: {}", close.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> Source<'_> {
        Source {
            owner: Owner::User,
            name: "config.toml",
            text,
        }
    }

    fn repository(text: &str) -> Source<'_> {
        Source {
            owner: Owner::Repository,
            name: ".countersign.toml",
            text,
        }
    }

    fn says(sources: &[Source<'_>]) -> Vec<String> {
        match read(sources) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn nothing_said_is_the_defaults() {
        assert_eq!(read(&[]).map(|read| read.settings), Ok(Settings::default()));
        assert_eq!(
            read(&[user("# nothing\n")]).map(|read| read.settings),
            Ok(Settings::default())
        );
    }

    #[test]
    fn every_setting_is_taken_and_says_where_it_comes_from() {
        let text = "name = \"Ada Osei\"\ntheme = \"mono\"\nseen-ms = 1_000\njobs = 2\n\
            isolation-floor = 2\napprove-level = \"L2\"\npreset = \"mnemonic\"\n[keys]\nundo = \"U\"\n";
        let read = read(&[user(text)]).expect("it is whole");
        assert_eq!(read.settings.name.as_deref(), Some("Ada Osei"));
        assert_eq!(read.settings.policy.seen_ms, 1_000);
        assert_eq!(read.settings.jobs, 2);
        assert_eq!(read.origins.len(), 7);
        let undo = crate::app::command::Command::Undo;
        assert_eq!(read.settings.keys.shown(undo), "U");
    }

    #[test]
    fn all_faults_come_at_once_with_their_places() {
        let text = "theem = \"dark\"\njobs = 0\nseen-ms = 10\nmouse = \"no\"\n[keys]\nratify = \"n\"\nkick = 3\n";
        assert_eq!(
            says(&[user(text), repository("theme = \"dark\"\n")]),
            [
                "config.toml:1:1: unknown setting \"theem\"; near: theme",
                "config.toml:2:8: jobs takes 1 to 64",
                "config.toml:3:11: seen-ms takes 300 to 60000",
                "config.toml:4:9: mouse takes true or false",
                "config.toml:6: n is ratify here and owed-next in the built-in keymap",
                "config.toml:7:8: kick takes a key or a list of keys",
                ".countersign.toml:1:9: theme is yours to set, not the repository's; take it out",
            ]
        );
    }

    #[test]
    fn the_words_of_the_chain_audit_are_the_persons() {
        let read = read(&[user("chain-profile = \"mine\"\n")]).expect("it is whole");
        assert_eq!(read.settings.chain_profile, "mine");
        // of two profiles neither is the stricter one, so that a repository has no say in it
        assert_eq!(
            says(&[
                user("chain-profile = \"../up\"\n"),
                repository("chain-profile = \"literal\"\n")
            ]),
            [
                "config.toml:1:17: chain-profile takes forge, literal, generic, or a name of \
                 letters, digits, - and _",
                ".countersign.toml:1:17: chain-profile is yours to set, not the repository's; \
                 take it out",
            ]
        );
    }

    #[test]
    fn broken_toml_names_every_place() {
        let got = says(&[user("theme = \njobs == 2\n")]);
        assert!(got.len() >= 2, "{got:?}");
        assert!(got[0].starts_with("config.toml:1:"), "{got:?}");
        assert!(got[1].starts_with("config.toml:2:"), "{got:?}");
    }

    #[test]
    fn a_repository_may_only_tighten() {
        let rows = [
            ("seen-ms = 300", "seen-ms = 500", "seen-ms = 300"),
            ("seen-ms = 900", "seen-ms = 900", "seen-ms = 899"),
            (
                "isolation-floor = 2",
                "isolation-floor = 3",
                "isolation-floor = 1",
            ),
            (
                "allow-override = false",
                "allow-override = false",
                "allow-override = true",
            ),
            (
                "abandoned-counts = false",
                "abandoned-counts = false",
                "abandoned-counts = true",
            ),
            (
                "approve-level = \"L2\"",
                "approve-level = \"L3\"",
                "approve-level = \"L1\"",
            ),
            (
                "ruling-level = \"L2\"",
                "ruling-level = \"L2\"",
                "ruling-level = \"L1\"",
            ),
        ];
        for (own, tighter, looser) in rows {
            assert_eq!(
                says(&[user(own), repository(tighter)]),
                Vec::<String>::new(),
                "{tighter}"
            );
            let loosened = says(&[user(own), repository(looser)]);
            if own != looser {
                assert_eq!(loosened.len(), 1, "{looser}");
                assert!(loosened[0].contains("would loosen it"), "{loosened:?}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[a-z\\-= \"\\[\\]\n0-9\u{202e}]{0,60}") {
            let _ = read(&[user(&text), repository(&text)]);
        }
    }
}
