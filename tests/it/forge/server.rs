//! A forge on a Unix socket: one answer for each question, and every question kept.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use serde_json::Value;

/// One question.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The method.
    pub(crate) method: String,
    /// The path with its query.
    pub(crate) path: String,
    /// Header lines, names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The body, where it is JSON.
    pub(crate) body: Value,
}

impl Asked {
    /// A header.
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value)
    }

    /// The page that is asked for.
    pub(crate) fn page(&self) -> usize {
        let query = self.path.split_once("&page=").map_or("1", |(_, page)| page);
        query.parse().unwrap_or(1)
    }
}

/// One answer.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    /// JSON with status 200.
    pub(crate) fn json(body: &Value) -> Self {
        Self::new(200, &body.to_string())
    }

    /// A body with a status.
    pub(crate) fn new(status: u16, body: &str) -> Self {
        let kind = ("Content-Type".into(), "application/json".into());
        Self {
            status,
            headers: vec![kind],
            body: body.as_bytes().to_vec(),
        }
    }

    /// One more header, or another value of one.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.into(), value.into()));
        self
    }

    /// A page of a list: the `link` says whether more come.
    pub(crate) fn page(items: &[Value], page: usize, length: usize) -> Self {
        let all: Vec<&[Value]> = items.chunks(length).collect();
        let body = all.get(page - 1).copied().unwrap_or_default();
        let answer = Self::json(&Value::from(body.to_vec()));
        if page < all.len() {
            answer.with("Link", "<https://elsewhere.example/next>; rel=\"next\"")
        } else {
            answer
        }
    }
}

type Rules = dyn Fn(&Asked) -> Answer + Send + Sync;

/// A forge that answers until it goes away.
pub(crate) struct Forge {
    socket: PathBuf,
    asked: Arc<Mutex<Vec<Asked>>>,
    rules: Arc<Mutex<Arc<Rules>>>,
    stop: Arc<Mutex<bool>>,
    thread: Option<JoinHandle<()>>,
}

impl Forge {
    /// Opens it below `folder`.
    pub(crate) fn new(
        folder: &Path,
        rules: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let socket = folder.join("forge.sock");
        let listener = UnixListener::bind(&socket).expect("a socket");
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let rules: Arc<Mutex<Arc<Rules>>> = Arc::new(Mutex::new(Arc::new(rules)));
        let stop = Arc::new(Mutex::new(false));
        let (kept, known, ends) = (Arc::clone(&asked), Arc::clone(&rules), Arc::clone(&stop));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if *ends.lock().expect("a flag") {
                    return;
                }
                let rules = Arc::clone(&known.lock().expect("rules"));
                if let Ok(stream) = stream {
                    serve(stream, rules.as_ref(), &kept);
                }
            }
        });
        Self {
            socket,
            asked,
            rules,
            stop,
            thread: Some(thread),
        }
    }

    /// Its socket.
    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Answers otherwise from now on.
    pub(crate) fn answers(&self, rules: impl Fn(&Asked) -> Answer + Send + Sync + 'static) {
        *self.rules.lock().expect("rules") = Arc::new(rules);
    }

    /// What was asked since the last call.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut *self.asked.lock().expect("questions"))
    }
}

impl Drop for Forge {
    fn drop(&mut self) {
        *self.stop.lock().expect("a flag") = true;
        let _ = UnixStream::connect(&self.socket);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(stream: UnixStream, rules: &Rules, kept: &Mutex<Vec<Asked>>) {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    if reader.read_line(&mut first).unwrap_or(0) == 0 {
        return;
    }
    let mut words = first.split_ascii_whitespace();
    let mut asked = Asked {
        method: words.next().unwrap_or_default().to_owned(),
        path: words.next().unwrap_or_default().to_owned(),
        headers: Vec::new(),
        body: Value::Null,
    };
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            let header = (name.to_ascii_lowercase(), value.trim().to_owned());
            asked.headers.push(header);
        }
    }
    let mut body = Vec::new();
    if let Ok(length) = asked.header("content-length").parse() {
        body.resize(length, 0);
        let _ = reader.read_exact(&mut body);
    } else if asked.header("transfer-encoding") == "chunked" {
        body = chunks(&mut reader);
    }
    asked.body = serde_json::from_slice(&body).unwrap_or_default();
    let answer = rules(&asked);
    kept.lock().expect("questions").push(asked);
    let mut out = format!("HTTP/1.1 {} Said\r\nConnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    out.push_str(&format!("Content-Length: {}\r\n\r\n", answer.body.len()));
    let mut stream = reader.into_inner();
    let _ = stream.write_all(out.as_bytes());
    let _ = stream.write_all(&answer.body);
}

fn chunks(reader: &mut impl std::io::BufRead) -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let mut line = String::new();
        let _ = reader.read_line(&mut line);
        let length = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        let mut chunk = vec![0; length + 2];
        if reader.read_exact(&mut chunk).is_err() || length == 0 {
            return all;
        }
        all.extend_from_slice(chunk.get(..length).unwrap_or_default());
    }
}
