//! Loose objects, inflated here rather than by libgit2, which loops for ever on one that was cut
//! short (a full disk or a lost write leaves such files behind).

use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::{Decompress, FlushDecompress, Status};
use git2::ObjectType;

use super::{GitError, regular};
use crate::model::id::Oid;

/// Largest loose file that is read, compressed.
const LARGEST: u64 = 512 << 20;
/// Largest object, inflated.
const LARGEST_OBJECT: usize = 128 << 20;
/// A header is shorter than this.
const HEADER: usize = 64;
/// Compressed bytes that surely hold a header.
const PACKED_HEADER: u64 = 256;

/// The object folders of a repository: its own and its alternates.
#[derive(Debug)]
pub(super) struct Loose {
    folders: Vec<Folder>,
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
    /// Which of the 256 subfolders are there, so that packed objects cost nothing here.
    there: [AtomicU64; 4],
}

/// An inflated object.
#[derive(Debug)]
pub(super) struct Inflated {
    /// What it is.
    pub(super) kind: ObjectType,
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
}

impl Loose {
    /// The folder and the alternates that its file names.
    ///
    /// # Errors
    /// When the alternates file is no plain file.
    pub(super) fn new(objects: &Path) -> Result<Self, GitError> {
        let alternates = regular::read(&objects.join("info/alternates"), 1 << 20)?;
        let mut paths = vec![objects.to_path_buf()];
        for line in alternates.unwrap_or_default().split(|b| *b == b'\n') {
            if !line.is_empty() && !line.starts_with(b"#") {
                let path = PathBuf::from(std::ffi::OsString::from_vec(line.to_vec()));
                paths.push(objects.join(path));
            }
        }
        let folders = paths.into_iter().map(|path| Folder {
            path,
            there: Default::default(),
        });
        let loose = Self {
            folders: folders.collect(),
        };
        loose.refresh();
        Ok(loose)
    }

    /// Looks again which subfolders are there.
    pub(super) fn refresh(&self) {
        for folder in &self.folders {
            let mut there = [0_u64; 4];
            for entry in fs::read_dir(&folder.path).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let name = name.to_str().filter(|n| n.len() == 2);
                if let Some(byte) = name.and_then(|n| u8::from_str_radix(n, 16).ok())
                    && let Some(word) = there.get_mut(usize::from(byte >> 6))
                {
                    *word |= 1 << (byte & 63);
                }
            }
            for (word, now) in folder.there.iter().zip(there) {
                word.store(now, Ordering::Relaxed);
            }
        }
    }

    fn file(&self, oid: Oid, most: u64) -> Result<Option<Vec<u8>>, GitError> {
        let Some(first) = oid.0.first() else {
            return Ok(None);
        };
        let hex = oid.to_string();
        let (folder_name, file_name) = hex.split_at(2);
        for folder in &self.folders {
            let word = folder.there.get(usize::from(first >> 6));
            let there = word.is_some_and(|w| w.load(Ordering::Relaxed) >> (first & 63) & 1 == 1);
            if there
                && let Some(bytes) =
                    regular::start(&folder.path.join(folder_name).join(file_name), most)?
            {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    /// The kind and size that a loose object claims; `None` when it is not loose.
    ///
    /// # Errors
    /// Why it is damaged.
    pub(super) fn header(&self, oid: Oid) -> Option<Result<(ObjectType, usize), String>> {
        let file = self
            .file(oid, PACKED_HEADER)
            .map_err(|e| e.says())
            .transpose()?;
        Some(file.and_then(|bytes| {
            let (kind, size, _) = inflate(&bytes, HEADER)?;
            Ok((kind, size))
        }))
    }

    /// A loose object; `None` when it is not loose.
    ///
    /// # Errors
    /// Why it is damaged.
    pub(super) fn read(&self, oid: Oid) -> Option<Result<Inflated, String>> {
        let file = self.file(oid, LARGEST).map_err(|e| e.says()).transpose()?;
        Some(file.and_then(|packed| {
            let (kind, size, bytes) = inflate(&packed, usize::MAX)?;
            if bytes.len() != size {
                return Err("it is cut short".to_owned());
            }
            Ok(Inflated { kind, bytes })
        }))
    }
}

/// Kind, claimed size, and the body as far as `most` bytes of output reach.
fn inflate(packed: &[u8], most: usize) -> Result<(ObjectType, usize, Vec<u8>), String> {
    let broken = || "it cannot be inflated".to_owned();
    let mut stream = Decompress::new(true);
    let mut out = Vec::with_capacity(HEADER);
    stream
        .decompress_vec(packed, &mut out, FlushDecompress::None)
        .map_err(|_| broken())?;
    let (kind, size, start) = header(&out).ok_or_else(|| {
        if packed.is_empty() {
            "it is empty".to_owned()
        } else {
            broken()
        }
    })?;
    let mut body = out.split_off(start);
    if most <= HEADER {
        return Ok((kind, size, body));
    }
    if size > LARGEST_OBJECT {
        return Err(format!("it claims {size} bytes"));
    }
    // one byte more than it claims, to see that it ends there
    body.reserve_exact((size + 1).saturating_sub(body.len()));
    loop {
        let used = usize::try_from(stream.total_in()).unwrap_or(usize::MAX);
        let rest = packed.get(used..).unwrap_or_default();
        let before = (body.len(), rest.len());
        let status = stream
            .decompress_vec(rest, &mut body, FlushDecompress::None)
            .map_err(|_| broken())?;
        let used = usize::try_from(stream.total_in()).unwrap_or(usize::MAX);
        let left = packed.len().saturating_sub(used);
        if status == Status::StreamEnd || (body.len(), left) == before || body.len() > size {
            return Ok((kind, size, body));
        }
    }
}

/// `blob 12\0` and where the body starts.
fn header(out: &[u8]) -> Option<(ObjectType, usize, usize)> {
    let nul = memchr::memchr(0, out)?;
    let text = std::str::from_utf8(out.get(..nul)?).ok()?;
    let (kind, size) = text.split_once(' ')?;
    let kind = ObjectType::from_str(kind)?;
    Some((kind, size.parse().ok()?, nul + 1))
}
