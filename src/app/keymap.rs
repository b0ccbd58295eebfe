//! Which key is which command: the built-in map, a preset, and the person's own keys over them.
//!
//! Reads `assets/keymap.toml` (compiled in) and remaps handed in by `config`; it must never read
//! a file. Clashes and unknown ids are all reported at once, with both places.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::command::{Command, Context, TABLE};
use super::key::Key;

/// The built-in keys, in TOML.
pub const BUILT_IN: &str = include_str!("../../assets/keymap.toml");

/// The sets of contexts that are read together by some mode: one key must mean one command in
/// each of them.
pub const STACKS: [&[Context]; 11] = [
    &[Context::Browse, Context::Moves, Context::Always],
    &[Context::Open, Context::Always],
    &[Context::Note, Context::Always],
    &[Context::Picker, Context::Moves, Context::Always],
    &[Context::Trust, Context::Moves, Context::Always],
    &[Context::Menu, Context::Moves, Context::Always],
    &[Context::Confirm, Context::Always],
    &[Context::Search, Context::Always],
    &[Context::Palette, Context::Always],
    &[Context::Sign, Context::Moves, Context::Always],
    &[Context::Sign, Context::Always],
];

/// Keys and commands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Keymap {
    keys: BTreeMap<Command, Vec<Key>>,
}

/// One line of the person's remap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remap {
    /// The command's id, as written.
    pub id: String,
    /// The keys, as written.
    pub keys: Vec<String>,
    /// Where, for complaints (`config.toml:12`).
    pub place: String,
}

/// What is wrong with a remap: whole fragments, one for each fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clash {
    /// Where.
    pub place: String,
    /// What, with the other place where there is one.
    pub says: String,
}

static DEFAULT: LazyLock<(Keymap, BTreeMap<String, Vec<Remap>>)> = LazyLock::new(built_in);

impl Default for Keymap {
    fn default() -> Self {
        DEFAULT.0.clone()
    }
}

impl Keymap {
    /// The built-in keys with a preset (`""` or `"default"` for none) and a remap over them.
    ///
    /// # Errors
    /// Every unknown id, unreadable key and clash, each with its place.
    pub fn build(preset: &str, remaps: &[Remap]) -> Result<Self, Vec<Clash>> {
        let mut map = Self::default();
        let mut places: BTreeMap<Command, String> = BTreeMap::new();
        let mut faults = Vec::new();
        if !matches!(preset, "" | "default") {
            match DEFAULT.1.get(preset) {
                Some(rows) => map.apply(rows, &mut places, &mut faults),
                None => faults.push(Clash {
                    place: "preset".into(),
                    says: format!(
                        "unknown preset \"{}\"; use default or {}",
                        crate::model::text::Shown::ours(preset),
                        preset_names().join(", ")
                    ),
                }),
            }
        }
        map.apply(remaps, &mut places, &mut faults);
        map.clashes(&places, &mut faults);
        if faults.is_empty() {
            Ok(map)
        } else {
            Err(faults)
        }
    }

    /// The command of a key in a list of contexts.
    #[must_use]
    pub fn command(&self, contexts: &[Context], key: Key) -> Option<Command> {
        contexts.iter().find_map(|context| {
            self.keys
                .iter()
                .find(|(command, keys)| {
                    command.entry().contexts.contains(context) && keys.contains(&key)
                })
                .map(|(command, _)| *command)
        })
    }

    /// The keys of a command, first the one that is shown.
    #[must_use]
    pub fn keys(&self, command: Command) -> &[Key] {
        self.keys.get(&command).map_or(&[], Vec::as_slice)
    }

    /// The key that the footer shows; empty when the command has none.
    #[must_use]
    pub fn shown(&self, command: Command) -> String {
        self.keys(command)
            .first()
            .map_or_else(String::new, Key::to_string)
    }

    fn apply(
        &mut self,
        rows: &[Remap],
        places: &mut BTreeMap<Command, String>,
        faults: &mut Vec<Clash>,
    ) {
        for row in rows {
            let Some(command) = Command::parse(&row.id) else {
                faults.push(Clash {
                    place: row.place.clone(),
                    says: format!(
                        "unknown command \"{}\"{}",
                        crate::model::text::Shown::ours(&row.id),
                        near(&row.id)
                    ),
                });
                continue;
            };
            let mut keys = Vec::new();
            for text in &row.keys {
                match text.parse::<Key>() {
                    Ok(key) => keys.push(key),
                    Err(no_key) => faults.push(Clash {
                        place: row.place.clone(),
                        says: format!("{}: {no_key}", row.id),
                    }),
                }
            }
            places.insert(command, row.place.clone());
            self.keys.insert(command, keys);
        }
    }

    fn clashes(&self, places: &BTreeMap<Command, String>, faults: &mut Vec<Clash>) {
        let place_of = |command: Command| {
            places
                .get(&command)
                .map_or("the built-in keymap", String::as_str)
        };
        let mut found = Vec::new();
        for stack in STACKS {
            let mut taken: BTreeMap<Key, Command> = BTreeMap::new();
            for (command, keys) in &self.keys {
                let listens = command
                    .entry()
                    .contexts
                    .iter()
                    .any(|context| stack.contains(context));
                if !listens {
                    continue;
                }
                for key in keys {
                    if let Some(first) = taken.insert(*key, *command)
                        && first != *command
                        && !found.contains(&(first, *command, *key))
                    {
                        found.push((first, *command, *key));
                    }
                }
            }
        }
        for (first, second, key) in found {
            let (one, other) = if places.contains_key(&second) {
                (second, first)
            } else {
                (first, second)
            };
            faults.push(Clash {
                place: place_of(one).to_owned(),
                says: format!("{key} is {one} here and {other} in {}", place_of(other)),
            });
        }
    }
}

/// Names of the presets, `default` left out.
#[must_use]
pub fn preset_names() -> Vec<&'static str> {
    DEFAULT.1.keys().map(String::as_str).collect()
}

/// Ids that begin or end alike, for a complaint.
fn near(id: &str) -> String {
    let close: Vec<&str> = TABLE
        .iter()
        .map(|row| row.id)
        .filter(|known| {
            let shorter = id.len().min(known.len());
            shorter >= 3 && (known.contains(id) || id.contains(known))
                || id.chars().take(3).eq(known.chars().take(3))
        })
        .take(3)
        .collect();
    if close.is_empty() {
        "; countersign config print lists them".into()
    } else {
        format!("; near: {}", close.join(", "))
    }
}

/// Reads the compiled-in file; a test proves that nothing in it is left out or unreadable.
fn built_in() -> (Keymap, BTreeMap<String, Vec<Remap>>) {
    let table: toml::Table = BUILT_IN.parse().unwrap_or_default();
    let rows = |value: Option<&toml::Value>, place: &str| -> Vec<Remap> {
        let Some(table) = value.and_then(toml::Value::as_table) else {
            return Vec::new();
        };
        table
            .iter()
            .map(|(id, keys)| Remap {
                id: id.clone(),
                keys: texts(keys),
                place: place.to_owned(),
            })
            .collect()
    };
    let mut map = Keymap {
        keys: BTreeMap::new(),
    };
    map.apply(
        &rows(table.get("keys"), "the built-in keymap"),
        &mut BTreeMap::new(),
        &mut Vec::new(),
    );
    let presets = table
        .get("presets")
        .and_then(toml::Value::as_table)
        .map(|presets| {
            presets
                .iter()
                .map(|(name, keys)| {
                    let place = format!("the preset {name}");
                    (name.clone(), rows(Some(keys), &place))
                })
                .collect()
        })
        .unwrap_or_default();
    (map, presets)
}

fn texts(value: &toml::Value) -> Vec<String> {
    value
        .as_array()
        .map(|keys| {
            keys.iter()
                .filter_map(toml::Value::as_str)
                .map(str::to_owned)
                .collect()
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remap(id: &str, key: &str, line: u32) -> Remap {
        Remap {
            id: id.into(),
            keys: vec![key.into()],
            place: format!("config.toml:{line}"),
        }
    }

    #[test]
    fn the_built_in_file_names_every_command_and_no_other_and_has_no_clash() {
        let table: toml::Table = BUILT_IN.parse().expect("the asset is TOML");
        let named = table["keys"].as_table().expect("a table");
        for row in TABLE {
            assert!(named.contains_key(row.id), "{} has no key", row.id);
            assert!(
                !Keymap::default().keys(row.command).is_empty(),
                "{}",
                row.id
            );
        }
        assert_eq!(named.len(), TABLE.len());
        assert_eq!(Keymap::build("", &[]), Ok(Keymap::default()));
        for preset in preset_names() {
            assert!(Keymap::build(preset, &[]).is_ok(), "{preset}");
        }
    }

    #[test]
    fn the_mnemonic_preset_kicks_back_with_k() {
        let map = Keymap::build("mnemonic", &[]).expect("no clash");
        let browse = [Context::Browse, Context::Moves];
        assert_eq!(
            map.command(&browse, Key::char('k')),
            Some(Command::KickBack)
        );
        assert_eq!(map.command(&browse, Key::char('b')), None);
    }

    #[test]
    fn all_faults_of_a_remap_come_at_once_with_both_places() {
        let rows = [
            remap("ratify", "n", 3),
            remap("kick-bakc", "b", 4),
            remap("undo", "Ctrl-", 5),
            remap("abandon", "j", 6),
        ];
        let faults = Keymap::build("", &rows).expect_err("four faults");
        let says: Vec<String> = faults
            .iter()
            .map(|fault| format!("{}: {}", fault.place, fault.says))
            .collect();
        assert_eq!(says.len(), 4, "{says:#?}");
        assert!(says[0].starts_with("config.toml:4: unknown command \"kick-bakc\"; near:"));
        assert!(says[1].starts_with("config.toml:5: undo: \"Ctrl-\" names no key"));
        assert!(says.contains(
            &"config.toml:3: n is ratify here and owed-next in the built-in keymap".to_owned()
        ));
        assert!(says.contains(
            &"config.toml:6: j is abandon here and down in the built-in keymap".to_owned()
        ));
    }

    #[test]
    fn two_remaps_that_clash_name_both_lines() {
        let rows = [remap("ratify", "F9", 3), remap("kick-back", "F9", 8)];
        let faults = Keymap::build("", &rows).expect_err("a clash");
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].place, "config.toml:8");
        assert_eq!(
            faults[0].says,
            "F9 is kick-back here and ratify in config.toml:3"
        );
    }
}
