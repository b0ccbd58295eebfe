//! Text to settings and keymap. Given text, reads no files; every fault of every text comes at
//! once, with line and column. A repository's own table may only tighten (rulings A13).

mod read;
mod table;

use std::collections::BTreeMap;

use crate::app::keymap::Keymap;
use crate::gate::policy::Policy;
use crate::model::forge::Host;

pub use read::read;
pub use table::{Setting, TABLE, shown};

/// The name of the user's file below the configuration folder.
pub const USER_FILE: &str = "config.toml";
/// The name of a repository's file, read at the merge base only.
pub const REPOSITORY_FILE: &str = ".countersign.toml";

/// Everything that can be set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The person's name; `None` leaves it to the user's git config, then to the account.
    pub name: Option<String>,
    /// The key that seals rulings; `None` leaves it to the variable, then to the user's git config.
    pub signing_key: Option<String>,
    /// The list of signers; `None` leaves it to the base commit, then to the user's git config.
    pub allowed_signers: Option<String>,
    /// `auto`, `dark`, `light` or `mono`.
    pub theme: String,
    /// `auto`, `unicode` or `ascii`.
    pub glyphs: String,
    /// Whether the mouse is used.
    pub mouse: bool,
    /// The editor; `None` leaves it to VISUAL, then to EDITOR.
    pub editor: Option<String>,
    /// Preset of the keymap.
    pub preset: String,
    /// The keys.
    pub keys: Keymap,
    /// How many checkouts oracles run in at once.
    pub jobs: usize,
    /// Seconds that an oracle may run.
    pub oracle_seconds: u64,
    /// Names of further variables that oracles get.
    pub oracle_env: Vec<String>,
    /// The judge of the spec gate.
    pub judge: Judge,
    /// The words and tiers of the chain audit, by name.
    pub chain_profile: String,
    /// Further hosts that may be asked for pull requests.
    pub forges: Vec<Host>,
    /// The knobs of the rules.
    pub policy: Policy,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            name: None,
            signing_key: None,
            allowed_signers: None,
            theme: "auto".into(),
            glyphs: "auto".into(),
            mouse: true,
            editor: None,
            preset: "default".into(),
            keys: Keymap::default(),
            jobs: 1,
            oracle_seconds: 120,
            oracle_env: Vec::new(),
            judge: Judge::default(),
            chain_profile: "forge".into(),
            forges: Vec::new(),
            policy: Policy::default(),
        }
    }
}

/// A command that judges specs, run cold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judge {
    /// The command; `None` when there is none.
    pub command: Option<String>,
    /// Seconds that it may run.
    pub seconds: u64,
    /// Names of further variables that it gets.
    pub variables: Vec<String>,
    /// Further files and folders that it may read.
    pub reads: Vec<String>,
    /// Whether it reaches the network.
    pub network: bool,
}

impl Default for Judge {
    fn default() -> Self {
        Self {
            command: None,
            seconds: 600,
            variables: Vec::new(),
            reads: Vec::new(),
            network: false,
        }
    }
}

/// Whose text it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The person's own file.
    User,
    /// The repository's, as it stands at the merge base.
    Repository,
}

/// One text to read.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Whose.
    pub owner: Owner,
    /// Its name in complaints, fit to be shown.
    pub name: &'a str,
    /// What it says.
    pub text: &'a str,
}

/// What was read, and where each setting comes from (the defaults left out).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    /// The settings.
    pub settings: Settings,
    /// By key: the name of the source.
    pub origins: BTreeMap<&'static str, String>,
}

/// Something wrong with a text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fault {
    /// The source's name.
    pub source: String,
    /// Line, from 1; 0 for the whole text.
    pub line: u32,
    /// Column in characters, from 1; 0 where the line is all that is known.
    pub column: u32,
    /// What is wrong, fit to be shown.
    pub says: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.source)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        write!(f, ": {}", self.says)
    }
}
