//! A forge that is asked without a client of its own: over HTTPS, with a token from the variable
//! that the person's settings name, or without one.
//!
//! The token is put into one header and goes to the host of the settings and to no other (FRG-7):
//! no redirect is followed, the certificate is checked against the machine's own list, and plain
//! HTTP is spoken with an address of this machine only, past any proxy.

use std::io::{self, Read as _};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use ureq::http::{HeaderMap, HeaderValue};
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::{Agent, Proxy};

use super::call::{Answer, Line, Method, NoReply};
use crate::model::forge::{Host, Kind};
use crate::model::text::{Foreign, Place};

/// Longest wait for one answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Most bytes of one answer.
const ANSWER: u64 = 64 << 20;

/// Longest token.
const LONGEST: usize = 4096;

/// A header with a token in it. Nothing prints it.
#[derive(Clone)]
struct Token {
    header: HeaderValue,
    /// Its own bytes, to be found when a forge says them back.
    text: Vec<u8>,
}

/// Shortest token that is looked for in answers: a shorter one stands in every text by chance.
const SOUGHT: usize = 8;

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// The token that is in a variable, as this kind of forge wants it.
    fn read(variable: &str, kind: Kind) -> Result<Self, NoReply> {
        let value = std::env::var_os(variable).unwrap_or_default();
        let text = value.to_str().map(str::trim).unwrap_or_default();
        if text.is_empty() && value.is_empty() {
            return Err(NoReply::NoToken(variable.to_owned()));
        }
        let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
        if !plain || text.len() > LONGEST {
            return Err(NoReply::BadToken(variable.to_owned()));
        }
        let word = match kind {
            Kind::GitHub | Kind::GitLab => "Bearer",
            Kind::Forgejo | Kind::Gitea => "token",
        };
        let mut header = HeaderValue::from_str(&format!("{word} {text}"))
            .map_err(|_| NoReply::BadToken(variable.to_owned()))?;
        header.set_sensitive(true);
        Ok(Self {
            header,
            text: text.as_bytes().to_vec(),
        })
    }

    /// Takes the token out of what a forge said: answers are shown and kept.
    fn cleaned(&self, said: Vec<u8>) -> Vec<u8> {
        if self.text.len() < SOUGHT || memchr::memmem::find(&said, &self.text).is_none() {
            return said;
        }
        let mut clean = Vec::with_capacity(said.len());
        let mut rest = said.as_slice();
        while let Some(at) = memchr::memmem::find(rest, &self.text) {
            let (before, after) = rest.split_at(at);
            clean.extend_from_slice(before);
            clean.extend_from_slice(b"...");
            rest = after.get(self.text.len()..).unwrap_or_default();
        }
        clean.extend_from_slice(rest);
        clean
    }
}

/// A line to one host.
#[derive(Debug)]
pub(super) struct Direct {
    host: Host,
    /// Made for the first question: until then no certificate is read.
    agent: Option<Agent>,
}

impl Direct {
    pub(super) fn new(host: &Host) -> Self {
        Self {
            host: host.clone(),
            agent: None,
        }
    }

    fn unreached(&self, why: &str) -> NoReply {
        let why = Foreign::from(why).shown(Place::Strict).plain();
        NoReply::Unreached(self.host.name.clone(), why)
    }

    fn agent(&mut self) -> Result<Agent, NoReply> {
        if let Some(agent) = &self.agent {
            return Ok(agent.clone());
        }
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .https_only(!self.host.plain)
            .timeout_global(Some(PATIENCE))
            .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")));
        let config = if self.host.plain {
            config.proxy(None)
        } else {
            let tls = tls().map_err(|why| self.unreached(&why))?;
            config.proxy(Proxy::try_from_env()).tls_config(tls)
        };
        let agent = Agent::new_with_config(config.build());
        self.agent = Some(agent.clone());
        Ok(agent)
    }

    /// Where a path is. It is ours, and relative: nothing in it can name another host.
    fn address(&self, path: &str) -> String {
        if path == "graphql" {
            return self.host.graphql();
        }
        format!("{}{path}", self.host.interface())
    }

    fn token(&self) -> Result<Option<Token>, NoReply> {
        let variable = self.host.token.as_deref();
        let read = |variable| Token::read(variable, self.host.kind);
        variable.map(read).transpose()
    }

    fn headers(&self, token: Option<&Token>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let accept = match self.host.kind {
            Kind::GitHub => {
                let version = HeaderValue::from_static("2022-11-28");
                headers.insert("x-github-api-version", version);
                "application/vnd.github+json"
            }
            Kind::GitLab | Kind::Forgejo | Kind::Gitea => "application/json",
        };
        headers.insert("accept", HeaderValue::from_static(accept));
        if let Some(token) = token {
            headers.insert("authorization", token.header.clone());
        }
        headers
    }

    fn failed(&self, error: &ureq::Error) -> NoReply {
        match error {
            ureq::Error::Timeout(_) => NoReply::Silent(self.host.name.clone(), PATIENCE.as_secs()),
            error => self.unreached(&error.to_string()),
        }
    }
}

/// Certificates of the machine, as its other programs trust them.
fn tls() -> Result<TlsConfig, String> {
    let found = rustls_native_certs::load_native_certs();
    let own = found.certs.iter();
    let own = own.map(|der| Certificate::from_der(der).to_owned());
    let certificates: Vec<Certificate<'static>> = own.collect();
    if certificates.is_empty() {
        return Err("this machine has no list of certificates (SSL_CERT_FILE names one)".into());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(TlsConfig::builder()
        .unversioned_rustls_crypto_provider(provider)
        .root_certs(RootCerts::Specific(Arc::new(certificates)))
        .build())
}

impl Line for Direct {
    fn call(
        &mut self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Answer, NoReply> {
        let token = self.token()?;
        let headers = self.headers(token.as_ref());
        let agent = self.agent()?;
        let address = self.address(path);
        let sent = match (method, body) {
            (Method::Get, _) => {
                let mut request = agent.get(&address);
                if let Some(all) = request.headers_mut() {
                    all.extend(headers);
                }
                request.call()
            }
            (Method::Post, body) => {
                let mut request = agent.post(&address);
                if let Some(all) = request.headers_mut() {
                    all.extend(headers);
                }
                let text = body.map(Value::to_string).unwrap_or_default();
                request.content_type("application/json").send(&text)
            }
        };
        let mut reply = sent.map_err(|error| self.failed(&error))?;
        let mut answer = Answer {
            status: reply.status().as_u16(),
            ..Answer::default()
        };
        let clean = |said: Vec<u8>| match &token {
            Some(token) => token.cleaned(said),
            None => said,
        };
        for (name, value) in reply.headers() {
            let value = clean(value.as_bytes().to_vec());
            let value = String::from_utf8_lossy(&value).trim().to_owned();
            answer.headers.push((name.as_str().to_owned(), value));
        }
        let mut stream = reply.body_mut().as_reader().take(ANSWER + 1);
        match stream.read_to_end(&mut answer.body) {
            Ok(_) if answer.body.len() as u64 > ANSWER => {
                answer.cut = Some("it is longer than 64 MiB");
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                let host = self.host.name.clone();
                return Err(NoReply::Silent(host, PATIENCE.as_secs()));
            }
            Err(_) => answer.cut = Some("it ended before all of it came"),
        }
        answer.body = clean(answer.body);
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_never_printed_and_no_path_leads_to_another_host() {
        let host = Host::parse("git.example gitea A_TOKEN").expect("a row");
        let mut header = HeaderValue::from_static("token sesame");
        header.set_sensitive(true);
        let text = b"sesame-sesame".to_vec();
        let header = header.clone();
        let token = Token { header, text };
        assert_eq!(format!("{token:?}"), "Token");
        let said = b"a sesame-sesame-sesame-sesame b sesame".to_vec();
        assert_eq!(token.cleaned(said), b"a ...-... b sesame");
        let header = &token.header;
        assert!(!format!("{header:?}").contains("sesame"));
        let line = Direct::new(&host);
        assert!(!format!("{line:?}").contains("sesame"));
        for path in [
            "repos/a/b/pulls/7",
            "@evil.example/x",
            "//evil.example",
            ".evil",
        ] {
            let address = line.address(path);
            assert!(
                address.starts_with("https://git.example/api/v1/"),
                "{address}"
            );
        }
    }
}
