//! The six checks of a hotfix looked at again on the real change (verdict-menus 2.4 and 8): what
//! the names of files can tell. It never says that a check holds, only what speaks against it.

use super::chase::PREDICATES;
use crate::model::id::RepoPath;

/// A file of the change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Touched {
    /// Where.
    pub path: RepoPath,
    /// Whether it was not there before.
    pub added: bool,
}

/// What the change says about one check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sign {
    /// This file breaks it.
    Against(RepoPath),
    /// This file has to be looked at.
    Look(RepoPath),
    /// No name speaks against it.
    None,
    /// Names of files say nothing about it; it stays as it was declared.
    Declared,
}

/// What the change says about each of the six, in their order.
#[must_use]
pub fn recheck(files: &[Touched]) -> [Sign; 6] {
    let first = |of: &dyn Fn(&Touched) -> bool| files.iter().find(|file| of(file));
    PREDICATES.map(|predicate| {
        let found = match predicate.n {
            1 => first(&|file| stores(&name(file))),
            2 => first(&|file| is_public(&name(file))),
            4 => first(&|file| file.added && !is_test(&name(file))),
            5 => first(&|file| is_dependency(&name(file))),
            _ => return Sign::Declared,
        };
        match found.map(|file| file.path.clone()) {
            None => Sign::None,
            Some(path) if predicate.n == 5 => Sign::Look(path),
            Some(path) => Sign::Against(path),
        }
    })
}

fn name(file: &Touched) -> String {
    String::from_utf8_lossy(file.path.as_bytes()).to_lowercase()
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn ending(path: &str) -> &str {
    last(path).rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Schemas of stores and migrations.
fn stores(path: &str) -> bool {
    let folders = [
        "migrations",
        "migration",
        "migrate",
        "alembic",
        "flyway",
        "liquibase",
    ];
    let files = ["schema.rb", "schema.prisma", "structure.sql"];
    path.split('/').any(|part| folders.contains(&part))
        || files.contains(&last(path))
        || ending(path) == "sql"
}

/// Interfaces that others read, and the shape of configurations.
fn is_public(path: &str) -> bool {
    let file = last(path);
    let endings = ["proto", "graphql", "gql", "thrift", "wsdl", "avsc", "xsd"];
    endings.contains(&ending(path))
        || file.starts_with("openapi")
        || file.starts_with("swagger")
        || file.ends_with(".d.ts")
        || file.ends_with(".schema.json")
}

fn is_test(path: &str) -> bool {
    let folders = ["test", "tests", "spec", "specs", "__tests__", "testdata"];
    let (stem, _) = last(path).split_once('.').unwrap_or((last(path), ""));
    let second = last(path).split('.').nth(1).unwrap_or_default();
    path.split('/')
        .rev()
        .skip(1)
        .any(|part| folders.contains(&part))
        || stem.starts_with("test_")
        || ["_test", "_spec", "-test", "-spec"]
            .iter()
            .any(|end| stem.ends_with(end))
        || matches!(second, "test" | "spec")
}

/// Manifests and lock files.
fn is_dependency(path: &str) -> bool {
    let files = [
        "cargo.toml",
        "cargo.lock",
        "package.json",
        "package-lock.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "go.mod",
        "go.sum",
        "pyproject.toml",
        "poetry.lock",
        "uv.lock",
        "requirements.txt",
        "gemfile",
        "gemfile.lock",
        "composer.json",
        "composer.lock",
        "pom.xml",
        "build.gradle",
        "mix.exs",
        "mix.lock",
    ];
    files.contains(&last(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_files_speak_against_a_check_or_say_nothing() {
        let rows = [
            ("M lib/clock.awk", ""),
            ("A tests/winter.sh", ""),
            ("A lib/clock_test.go", ""),
            ("A src/board.test.ts", ""),
            ("A lib/hours.awk", "4!lib/hours.awk"),
            ("M db/migrations/7.py", "1!db/migrations/7.py"),
            ("M Schema.prisma", "1!Schema.prisma"),
            ("M api/boats.proto", "2!api/boats.proto"),
            ("M web/openapi.yaml", "2!web/openapi.yaml"),
            ("M types/boats.d.ts", "2!types/boats.d.ts"),
            ("M config.schema.json", "2!config.schema.json"),
            ("M Cargo.toml,M Cargo.lock", "5?Cargo.toml"),
            ("M latest.go,M contests/a.rs", ""),
            ("A contests/a.rs", "4!contests/a.rs"),
        ];
        for (files, wanted) in rows {
            let touched: Vec<Touched> = files
                .split(',')
                .map(|file| Touched {
                    path: RepoPath::from(&file[2..]),
                    added: file.starts_with('A'),
                })
                .collect();
            let signs = recheck(&touched);
            let said: Vec<String> = signs
                .iter()
                .zip(1..)
                .filter_map(|(sign, n)| match sign {
                    Sign::Against(path) => Some(format!("{n}!{path:?}").replace('"', "")),
                    Sign::Look(path) => Some(format!("{n}?{path:?}").replace('"', "")),
                    Sign::None | Sign::Declared => None,
                })
                .collect();
            assert_eq!(said.join(" "), wanted, "{files}");
            assert_eq!([&signs[2], &signs[5]], [&Sign::Declared; 2]);
        }
    }
}
