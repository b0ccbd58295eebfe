//! L2: a power cut. The system calls of a session are recorded by strace and played into a model
//! of a disk that keeps only what was synced, at every call and in every legal way.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use countersign::adapters::ledger_store::new_id;
use countersign::ledger::entry::Body;
use countersign::model::id::EntryId;

use super::crash::check;
use super::fixture::{
    self, Bench, CHANGE, child, figure, kick_back, opened, ratify, say, store_at,
};

const CALLS: &str = "openat,write,writev,pwrite64,pwritev,fsync,fdatasync,sync,syncfs,rename,\
    renameat,renameat2,ftruncate,truncate,mkdir,mkdirat,rmdir,unlink,unlinkat,link,linkat,symlink,\
    symlinkat,fallocate,copy_file_range,sendfile";

/// The session that is recorded: decisions, some with a text of its own file.
#[test]
fn recorded_child() {
    let Some((count, home)) = fixture::part() else {
        return;
    };
    let store = store_at(&home);
    let mut writer = store.writer(&store.load(CHANGE), opened("a")).unwrap();
    for n in 0..count.parse::<u32>().unwrap() {
        let decision = match n % 5 {
            3 => kick_back("2", &format!("{n} {}", "long ".repeat(4_000))),
            _ => ratify("1"),
        };
        let id = new_id().unwrap();
        writer
            .append(id, Body::Decision(decision), || Ok(()))
            .unwrap();
        let line = format!("\nack {id}\n");
        std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
    }
}

/// One call that changed something, or an acknowledgement.
#[derive(Debug)]
enum Call {
    Folder(PathBuf),
    Create(PathBuf),
    Write(PathBuf, Vec<u8>),
    Cut(PathBuf, usize),
    Sync(PathBuf),
    Rename(PathBuf, PathBuf),
    Remove(PathBuf),
    Ack(EntryId),
}

/// Reads the trace; a call on the home that the model does not know ends the test.
fn calls(trace: &str, home: &Path) -> Vec<Call> {
    trace.lines().filter_map(|line| call(line, home)).collect()
}

fn call(line: &str, home: &Path) -> Option<Call> {
    let (_thread, line) = line.split_once(' ')?;
    let line = line.trim_start();
    if line.contains("<unfinished") || line.starts_with("<...") {
        let mut paths: Vec<PathBuf> = quoted(line).iter().map(|bytes| path(bytes)).collect();
        paths.extend(held(line));
        let ours = paths.iter().any(|path| path.starts_with(home));
        assert!(!ours, "two threads wrote: {line}");
        return None;
    }
    let (name, rest) = line.split_once('(')?;
    let (args, result) = rest.rsplit_once(" = ")?;
    let done: i64 = result.split([' ', '<']).next()?.parse().ok()?;
    let texts = quoted(args);
    let on = held(args);
    if name == "write" && args.starts_with("1<") {
        let text = String::from_utf8(texts.first()?.clone()).ok()?;
        let id = text.lines().find_map(|line| line.strip_prefix("ack "))?;
        return Some(Call::Ack(EntryId::parse(id).unwrap()));
    }
    let named: Vec<PathBuf> = texts.iter().map(|bytes| path(bytes)).collect();
    let target = match name {
        "write" | "fsync" | "fdatasync" | "ftruncate" => on.clone()?,
        _ => named.first()?.clone(),
    };
    if !target.starts_with(home) || done < 0 {
        return None;
    }
    Some(match name {
        "mkdir" => Call::Folder(target),
        "openat" if args.contains("O_TRUNC") => panic!("not in the model: {line}"),
        "openat" if args.contains("O_CREAT") => Call::Create(target),
        "openat" => return None,
        "write" => {
            let bytes = texts.first()?.get(..usize::try_from(done).ok()?)?.to_vec();
            Call::Write(target, bytes)
        }
        "ftruncate" => {
            let len = args.trim_end_matches(')').rsplit(", ").next()?;
            Call::Cut(target, len.parse().ok()?)
        }
        "fsync" | "fdatasync" => Call::Sync(target),
        "rename" | "renameat" | "renameat2" => Call::Rename(target, named.get(1)?.clone()),
        "unlink" => Call::Remove(target),
        _ => panic!("not in the model: {line}"),
    })
}

/// The strings of a call, from strace's `-xx` form.
fn quoted(args: &str) -> Vec<Vec<u8>> {
    args.split('"')
        .skip(1)
        .step_by(2)
        .map(|hex| {
            hex.split("\\x")
                .skip(1)
                .map(|two| u8::from_str_radix(two, 16).unwrap())
                .collect()
        })
        .collect()
}

/// The path behind the first descriptor of a call.
fn held(args: &str) -> Option<PathBuf> {
    let (_, rest) = args.split_once('<')?;
    let (hex, _) = rest.split_once('>')?;
    let bytes: Option<Vec<u8>> = hex
        .split("\\x")
        .skip(1)
        .map(|two| u8::from_str_radix(two.get(..2)?, 16).ok())
        .collect();
    Some(path(&bytes?))
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// Something on the disk, as programs see it and as it is after the power comes back.
#[derive(Clone, Debug)]
enum Node {
    Folder {
        now: BTreeMap<String, usize>,
        synced: BTreeMap<String, usize>,
    },
    File {
        now: Vec<u8>,
        synced: Vec<u8>,
    },
}

/// What a power cut leaves of that which was not synced. Each is legal.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Cut {
    /// Nothing.
    Nothing,
    /// New names, with empty or old files behind them.
    Names,
    /// New names, and the first half of what was written.
    Halves,
    /// New bytes in files whose names were synced.
    Bytes,
    /// All of it, as after a kill.
    Everything,
    /// What lies below this folder is kept whole, all else is lost.
    Only(&'static str),
}

const CUTS: [Cut; 8] = [
    Cut::Nothing,
    Cut::Names,
    Cut::Halves,
    Cut::Bytes,
    Cut::Everything,
    Cut::Only("ledger"),
    Cut::Only("anchors"),
    Cut::Only("texts"),
];

struct Disk {
    home: PathBuf,
    nodes: Vec<Node>,
}

impl Disk {
    fn new(home: &Path) -> Self {
        let root = Node::Folder {
            now: BTreeMap::new(),
            synced: BTreeMap::new(),
        };
        Self {
            home: home.into(),
            nodes: vec![root],
        }
    }

    fn find(&self, path: &Path) -> Option<usize> {
        let mut at = 0;
        for name in path.strip_prefix(&self.home).unwrap() {
            let Node::Folder { now, .. } = &self.nodes[at] else {
                return None;
            };
            at = *now.get(name.to_str().unwrap())?;
        }
        Some(at)
    }

    fn names(&mut self, path: &Path) -> (&mut BTreeMap<String, usize>, String) {
        let folder = self.find(path.parent().unwrap()).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        match &mut self.nodes[folder] {
            Node::Folder { now, .. } => (now, name),
            Node::File { .. } => panic!("a file holds {}", path.display()),
        }
    }

    fn add(&mut self, path: &Path, node: Node) {
        if self.find(path).is_some() {
            return;
        }
        let id = self.nodes.len();
        self.nodes.push(node);
        let (names, name) = self.names(path);
        names.insert(name, id);
    }

    fn file(&mut self, path: &Path) -> &mut Vec<u8> {
        let id = self.find(path).unwrap();
        match &mut self.nodes[id] {
            Node::File { now, .. } => now,
            Node::Folder { .. } => panic!("a folder is written: {}", path.display()),
        }
    }

    fn play(&mut self, call: &Call) {
        match call {
            Call::Folder(path) => self.add(
                path,
                Node::Folder {
                    now: BTreeMap::new(),
                    synced: BTreeMap::new(),
                },
            ),
            Call::Create(path) => self.add(
                path,
                Node::File {
                    now: Vec::new(),
                    synced: Vec::new(),
                },
            ),
            Call::Write(path, bytes) => self.file(path).extend_from_slice(bytes),
            Call::Cut(path, len) => self.file(path).truncate(*len),
            Call::Sync(path) => {
                let id = self.find(path).unwrap();
                match &mut self.nodes[id] {
                    Node::File { now, synced } => synced.clone_from(now),
                    Node::Folder { now, synced } => synced.clone_from(now),
                }
            }
            Call::Rename(from, to) => {
                let (names, name) = self.names(from);
                let id = names.remove(&name).unwrap();
                let (names, name) = self.names(to);
                names.insert(name, id);
            }
            Call::Remove(path) => {
                let (names, name) = self.names(path);
                names.remove(&name).unwrap();
            }
            Call::Ack(_) => {}
        }
    }

    /// Writes out what is there after the cut.
    fn after(&self, cut: Cut, home: &Path) {
        self.write(0, cut, home, false);
    }

    fn write(&self, id: usize, cut: Cut, path: &Path, kept: bool) {
        let kept = kept
            || cut == Cut::Everything
            || matches!(cut, Cut::Only(name) if path.ends_with(name));
        match &self.nodes[id] {
            Node::Folder { now, synced } => {
                let names = kept || matches!(cut, Cut::Names | Cut::Halves);
                if id > 0 {
                    std::fs::create_dir(path).unwrap();
                    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
                    std::fs::set_permissions(path, private).unwrap();
                }
                for (name, id) in if names { now } else { synced } {
                    self.write(*id, cut, &path.join(name), kept);
                }
            }
            Node::File { now, synced } => {
                let bytes = match cut {
                    _ if kept => now.clone(),
                    Cut::Bytes => now.clone(),
                    Cut::Halves if now.starts_with(synced) => {
                        now[..synced.len() + (now.len() - synced.len()) / 2].to_vec()
                    }
                    _ => synced.clone(),
                };
                let mut options = std::fs::OpenOptions::new();
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
                let mut file = options.write(true).create_new(true).open(path).unwrap();
                file.write_all(&bytes).unwrap();
            }
        }
    }
}

#[test]
#[cfg_attr(no_strace, ignore = "no strace")]
fn a_power_cut_at_any_call_loses_nothing_that_was_acknowledged() {
    let bench = Bench::new();
    let home = bench.home.path().canonicalize().unwrap();
    let trace = tempfile::NamedTempFile::new().unwrap();
    let count = figure(4, 50);
    let command = child("ledger::power::recorded_child", &count.to_string(), &home);
    let mut strace = std::process::Command::new("strace");
    strace
        .args(["-f", "-y", "-xx", "-s", "1000000", "-e"])
        .arg(format!("trace={CALLS}"))
        .arg("-o")
        .arg(trace.path())
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        strace.env(name, value.unwrap());
    }
    let output = strace.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let calls = calls(&std::fs::read_to_string(trace.path()).unwrap(), &home);
    let acked = |calls: &[Call]| -> Vec<EntryId> {
        let ids = calls.iter().filter_map(|call| match call {
            Call::Ack(id) => Some(*id),
            _ => None,
        });
        ids.collect()
    };
    assert_eq!(acked(&calls).len() as u64, count);

    let mut disk = Disk::new(&home);
    let mut states = 0;
    for at in 0..=calls.len() {
        for cut in CUTS {
            let bench = Bench::new();
            disk.after(cut, bench.home.path());
            let what = format!("{cut:?} before call {at}: {:?}", calls.get(at));
            check(&bench, &acked(&calls[..at]), &what);
            states += 1;
        }
        if let Some(call) = calls.get(at) {
            disk.play(call);
        }
    }
    say!(
        "power cut: {count} decisions, {} calls, {states} disks",
        calls.len()
    );
}
