//! Replies that lie as a file until their reader takes them away: written once, whole, and never
//! over anything (verdict-menus 6.2, edge 49).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::adapters::git::regular;
use crate::model::id::Digest;

/// Most bytes that are looked at of a reply that lies there.
const LIMIT: u64 = 1 << 20;

/// What lies where a reply would go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// Nothing.
    Nothing,
    /// A reply to the message with this digest.
    Reply(Digest),
    /// Something else, or something that cannot be read.
    Other,
}

/// Looks at the place of a reply.
#[must_use]
pub fn held(file: &Path) -> Held {
    match fs::symlink_metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Held::Nothing,
        Err(_) => return Held::Other,
        Ok(_) => {}
    }
    let bytes = regular::read(file, LIMIT).ok().flatten();
    let value: Option<Value> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let digest = value.as_ref().and_then(|value| value.get("digest"));
    match digest.and_then(Value::as_str).and_then(Digest::parse) {
        Some(digest) => Held::Reply(digest),
        None => Held::Other,
    }
}

/// Writes a line beside its place, then links it there: never twice, never half. When the process
/// dies before the link nothing is there, and afterwards all of it is.
///
/// # Errors
/// When something lies there already, or the disk says no.
pub fn write_once(file: &Path, line: &str) -> io::Result<()> {
    let folder = file.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let beside = folder.join(format!(".{name}.{}", std::process::id()));
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&beside)
        .and_then(|mut out| {
            writeln!(out, "{line}")?;
            out.sync_all()
        });
    let linked = written.and_then(|()| fs::hard_link(&beside, file));
    let _ = fs::remove_file(&beside);
    linked?;
    File::open(folder)?.sync_all()
}
