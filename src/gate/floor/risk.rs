//! Why a changed file stands high in the list, whatever accounts for it: what runs, who may do
//! what, what is pulled in, what no longer tests.

use crate::model::change::{ChangeKind, FileChange};
use crate::model::id::RepoPath;
use crate::model::scope::Risk;

/// The risk of a changed file by its path before and after. Whether it is the contract is for
/// the caller to say.
#[must_use]
pub fn of(file: &FileChange) -> Risk {
    let before = file.old_path.as_ref();
    let new = by_path(&file.path);
    let old = before.map_or(Risk::Plain, by_path);
    let gone = match file.kind {
        ChangeKind::Deleted => is_test(&file.path),
        ChangeKind::Renamed => before.is_some_and(is_test) && !is_test(&file.path),
        ChangeKind::Added | ChangeKind::Modified | ChangeKind::Mode | ChangeKind::Type => false,
    };
    let test = if gone { Risk::DeletedTest } else { Risk::Plain };
    new.min(old).min(test)
}

/// Folders whose files are run by automation.
const CI_FOLDERS: [&str; 9] = [
    ".github/workflows/",
    ".github/actions/",
    ".circleci/",
    ".buildkite/",
    ".gitlab/",
    ".ci/",
    ".woodpecker/",
    ".forgejo/workflows/",
    ".gitea/workflows/",
];

/// Files that are run by automation.
const CI_FILES: [&str; 11] = [
    ".gitlab-ci.yml",
    ".travis.yml",
    ".drone.yml",
    ".cirrus.yml",
    "jenkinsfile",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    ".goreleaser.yml",
    ".goreleaser.yaml",
    "release.config.js",
    ".releaserc",
];

/// Files that say who or what may do what.
const PERMISSION_FILES: [&str; 14] = [
    "codeowners",
    "owners",
    ".countersign.toml",
    ".gitmodules",
    ".gitattributes",
    ".mcp.json",
    "settings.local.json",
    "sudoers",
    ".npmrc",
    ".pypirc",
    ".netrc",
    "dependabot.yml",
    "renovate.json",
    "deny.toml",
];

/// Files that pin what is pulled in.
const LOCK_FILES: [&str; 17] = [
    "cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "pipfile.lock",
    "go.sum",
    "gemfile.lock",
    "composer.lock",
    "flake.lock",
    "mix.lock",
];

/// Files that build and test commands start from.
const BUILD_FILES: [&str; 26] = [
    "makefile",
    "gnumakefile",
    "justfile",
    "taskfile.yml",
    "build.rs",
    "cargo.toml",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "tox.ini",
    "noxfile.py",
    "conftest.py",
    "go.mod",
    "cmakelists.txt",
    "meson.build",
    "build.gradle",
    "build.gradle.kts",
    "pom.xml",
    "rakefile",
    "gemfile",
    "dockerfile",
    "flake.nix",
    "rust-toolchain.toml",
    "jest.config.js",
    "vitest.config.ts",
];

fn by_path(path: &RepoPath) -> Risk {
    let whole = String::from_utf8_lossy(path.as_bytes()).to_ascii_lowercase();
    let name = whole.rsplit('/').next().unwrap_or_default();
    if CI_FOLDERS.iter().any(|folder| whole.starts_with(folder)) || CI_FILES.contains(&name) {
        return Risk::Ci;
    }
    let agent_settings = whole.starts_with(".claude/settings") || whole == ".github/settings.yml";
    if agent_settings || PERMISSION_FILES.contains(&name) {
        return Risk::Permission;
    }
    if LOCK_FILES.contains(&name) {
        return Risk::Lock;
    }
    let configured = whole == ".cargo/config.toml" || whole == ".cargo/config";
    if configured || BUILD_FILES.contains(&name) || name.starts_with("dockerfile.") {
        return Risk::Build;
    }
    Risk::Plain
}

/// Whether a path is a test by its folder or the marks in its name.
#[must_use]
pub fn is_test(path: &RepoPath) -> bool {
    let whole = String::from_utf8_lossy(path.as_bytes()).to_ascii_lowercase();
    let (folders, name) = whole.rsplit_once('/').unwrap_or(("", &whole));
    let folder = folders.split('/').any(|part| {
        matches!(
            part,
            "test" | "tests" | "spec" | "specs" | "__tests__" | "e2e"
        )
    });
    let stem = name.split('.').next().unwrap_or_default();
    folder
        || stem.starts_with("test_")
        || stem == "test"
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || stem.ends_with("-test")
        || name.contains(".test.")
        || name.contains(".spec.")
        || name.ends_with(".feature")
        || name.ends_with(".bats")
}
