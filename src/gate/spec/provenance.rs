//! Who produced what: the form of `produced-by`, whether its plugin is there, and whether every
//! role resolves (G20). It is only reported; nothing here is ever written.

use crate::model::id::RepoPath;
use crate::model::known::Known;
use crate::model::spec::front::Is;
use crate::model::spec::{Document, Note, quoted};
use crate::model::text::Foreign;

/// The roles of production; the last is an older name.
pub const ROLES: [&str; 6] = [
    "spec-producer",
    "solution-producer",
    "spec-judge",
    "impl-producer",
    "impl-judge",
    "plan-producer",
];
/// Governances that a squad may bind.
const GOVERNANCES: [&str; 6] = [
    "oracle-spec",
    "builder-spec",
    "architect-spec",
    "oracle-impl",
    "builder-impl",
    "architect-impl",
];
/// The plugin whose agents are the defaults.
const DEFAULT: &str = "sdd";

/// The registry of plugins of a repository.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Registry {
    /// Where it lies.
    pub path: Option<RepoPath>,
    /// The plugins.
    pub plugins: Vec<Plugin>,
}

/// A plugin of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Plugin {
    /// Its name.
    pub name: Foreign,
    /// Its squads.
    pub squads: Vec<Squad>,
}

/// A squad of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Squad {
    /// The artifact types it serves.
    pub types: Vec<Foreign>,
    /// Roles with whether their value is a name or null.
    pub roles: Vec<(Foreign, bool)>,
    /// Keys of its governances.
    pub governances: Vec<Foreign>,
}

/// Judges the `produced-by` of a document.
pub fn document(document: &Document, registry: &Known<Registry>, notes: &mut Vec<Note>) {
    let path = &document.path;
    let Some(entry) = document
        .front
        .get("produced-by")
        .filter(|e| !e.value.is_null())
    else {
        return;
    };
    let Is::Map(roles) = &entry.value.is else {
        let says = "produced-by is no map of roles";
        let hint = "write role: <plugin>:<agent>";
        notes.push(Note::violation(
            path,
            entry.line,
            "provenance-form",
            says,
            hint,
        ));
        return;
    };
    for role in roles {
        if !ROLES.contains(&role.key.raw_str().unwrap_or_default()) {
            let says = format!("there is no role {}", quoted(&role.key));
            let hint = "use one of the five roles";
            notes.push(Note::violation(
                path,
                role.line,
                "provenance-role",
                says,
                hint,
            ));
        }
        let plugin = role.value.word().and_then(qualified);
        let Some(plugin) = plugin else {
            let shown = role
                .value
                .text()
                .map_or_else(|| String::from("no name"), quoted);
            let says = format!(
                "{} is produced by {shown}, not <plugin>:<agent>",
                quoted(&role.key)
            );
            let hint = "name the plugin before the agent";
            notes.push(Note::violation(
                path,
                role.line,
                "provenance-form",
                says,
                hint,
            ));
            continue;
        };
        if plugin == DEFAULT {
            continue;
        }
        let known = match registry {
            Known::Is(registry) => registry
                .plugins
                .iter()
                .any(|p| p.name.raw() == plugin.as_bytes()),
            Known::NotApplicable(_) | Known::NotSupplied => false,
            Known::Unknown(why) => {
                let says = format!("whether the plugin is there is not known: {why}");
                let hint = "mend the registry of plugins";
                notes.push(Note::finding(
                    path,
                    role.line,
                    "provenance-unknown",
                    says,
                    hint,
                ));
                continue;
            }
        };
        if !known {
            let says = format!(
                "[unavailable] {} is not installed here",
                quoted(&Foreign::from(plugin))
            );
            let hint = "leave it: it is valid history";
            notes.push(Note::finding(
                path,
                role.line,
                "provenance-unavailable",
                says,
                hint,
            ));
        }
    }
}

/// The plugin of `<plugin>:<agent>`.
fn qualified(text: &str) -> Option<&str> {
    let (plugin, agent) = text.split_once(':')?;
    let fits = |name: &str| {
        let edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        edge(name.chars().next())
            && edge(name.chars().next_back())
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    (fits(plugin) && fits(agent)).then_some(plugin)
}

/// Judges the registry: every role has a producer, no artifact type has two.
pub fn registry(registry: &Known<Registry>, path: &RepoPath, notes: &mut Vec<Note>) {
    let registry = match registry {
        Known::Is(registry) => registry,
        Known::Unknown(why) => {
            let says = format!("the registry of plugins cannot be read: {why}");
            let hint = "mend it; no producer resolves until then";
            notes.push(Note::violation(path, 0, "provenance-registry", says, hint));
            return;
        }
        Known::NotApplicable(_) | Known::NotSupplied => return,
    };
    let mut note = |code, says: String, hint| {
        notes.push(Note::violation(path, 0, code, says, hint));
    };
    let mut owners: Vec<(&Foreign, &Foreign)> = Vec::new();
    for plugin in &registry.plugins {
        for squad in &plugin.squads {
            for (role, resolves) in &squad.roles {
                if !ROLES.contains(&role.raw_str().unwrap_or_default()) {
                    let says = format!(
                        "{} binds the unknown role {}",
                        quoted(&plugin.name),
                        quoted(role)
                    );
                    note("provenance-role", says, "use one of the five roles");
                } else if !resolves {
                    let says = format!(
                        "the role {} of {} resolves to no producer",
                        quoted(role),
                        quoted(&plugin.name)
                    );
                    note(
                        "provenance-unresolved",
                        says,
                        "name an agent, or null for the default",
                    );
                }
            }
            for key in &squad.governances {
                if !GOVERNANCES.contains(&key.raw_str().unwrap_or_default()) {
                    let says = format!(
                        "{} binds the unknown governance {}",
                        quoted(&plugin.name),
                        quoted(key)
                    );
                    note("provenance-role", says, "use a governance that is known");
                }
            }
            for kind in &squad.types {
                if let Some((_, other)) = owners.iter().find(|(known, _)| *known == kind) {
                    let says = format!(
                        "{} is served by {} and by {}",
                        quoted(kind),
                        quoted(other),
                        quoted(&plugin.name)
                    );
                    note("provenance-ambiguous", says, "let one squad serve it");
                }
                owners.push((kind, &plugin.name));
            }
        }
    }
}
