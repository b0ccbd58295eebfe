//! Files beside a spec tree that its gate reads: judge reports, the registry of plugins, the list
//! of sensitive paths.

use serde_json::Value;

use super::front;
use crate::gate::spec::provenance::{Plugin, Registry, Squad};
use crate::model::id::RepoPath;
use crate::model::known::{Known, Reason};
use crate::model::spec::front::Front;
use crate::model::text::{Foreign, Place};

/// The fields of a judge report: the whole file as YAML or JSON, or the one fenced block of a
/// Markdown file that holds them. Lines are those of the file.
#[must_use]
pub fn fields(bytes: &[u8]) -> Front {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Front::Broken {
            line: 1,
            why: String::from("bytes that are not UTF-8"),
        };
    };
    let mut blocks: Vec<(u32, String)> = Vec::new();
    let mut open: Option<(u32, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let fence = line.trim_start().starts_with("```");
        match (&mut open, fence) {
            (None, true) => open = Some((super::number(index + 1), String::new())),
            (Some(_), true) => blocks.extend(open.take()),
            (Some((_, body)), false) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, false) => {}
        }
    }
    blocks.retain(|(_, body)| body.contains("STATUS") && body.contains("ALIGNED"));
    match blocks.as_slice() {
        [] => front::map(text, 0),
        [(line, body)] => front::map(body, *line),
        [_, (line, _), ..] => Front::Broken {
            line: *line,
            why: String::from("it holds more than one report"),
        },
    }
}

/// Reads the registry of plugins.
#[must_use]
pub fn registry(path: &RepoPath, read: Option<Result<Vec<u8>, String>>) -> Known<Registry> {
    let bytes = match read {
        None => return Known::NotSupplied,
        Some(Err(why)) => return Known::Unknown(Reason::new(why)),
        Some(Ok(bytes)) => bytes,
    };
    let value: Value = match serde_json::from_slice(&bytes) {
        Ok(value) => value,
        Err(error) => {
            let why = Foreign::from(error.to_string())
                .shown(Place::Strict)
                .plain();
            return Known::Unknown(Reason::new(why));
        }
    };
    let Some(plugins) = value.get("sdd-plugins").and_then(Value::as_array) else {
        return Known::NotSupplied;
    };
    let text =
        |value: Option<&Value>| Foreign::from(value.and_then(Value::as_str).unwrap_or_default());
    let list = |value: Option<&Value>| -> Vec<Foreign> {
        let items = value.and_then(Value::as_array).into_iter().flatten();
        items.filter_map(Value::as_str).map(Foreign::from).collect()
    };
    let keys = |value: Option<&Value>| -> Vec<(Foreign, bool)> {
        let entries = value.and_then(Value::as_object).into_iter().flatten();
        let named =
            |value: &Value| value.is_null() || value.as_str().is_some_and(|s| !s.is_empty());
        entries
            .map(|(key, value)| (Foreign::from(key.as_str()), named(value)))
            .collect()
    };
    let squad = |squad: &Value| Squad {
        types: list(squad.get("artifact-types")),
        roles: keys(squad.get("roles")),
        governances: keys(squad.get("governances"))
            .into_iter()
            .map(|(key, _)| key)
            .collect(),
    };
    let plugin = |plugin: &Value| Plugin {
        name: text(plugin.get("name")),
        squads: plugin
            .get("squads")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(squad)
            .collect(),
    };
    Known::Is(Registry {
        path: Some(path.clone()),
        plugins: plugins.iter().map(plugin).collect(),
    })
}

/// The paths of a list of sensitive paths: every text in it.
///
/// # Errors
/// When it is no TOML.
pub fn sensitive(bytes: &[u8]) -> Result<Vec<String>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| String::from("it is not UTF-8"))?;
    let table: toml::Table = text.parse().map_err(|_| String::from("it is no TOML"))?;
    let mut out = Vec::new();
    let mut waiting: Vec<toml::Value> = table.into_iter().map(|(_, value)| value).collect();
    while let Some(value) = waiting.pop() {
        match value {
            toml::Value::String(text) => out.push(text),
            toml::Value::Array(items) => waiting.extend(items),
            toml::Value::Table(table) => waiting.extend(table.into_iter().map(|(_, v)| v)),
            _ => {}
        }
    }
    out.sort();
    Ok(out)
}
