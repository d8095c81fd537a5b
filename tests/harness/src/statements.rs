//! The statements that programs send to PostgreSQL, read off the wire by a proxy.
//!
//! Source: <https://www.postgresql.org/docs/15/protocol-message-formats.html>

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use tokio::io::{self, AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{ReadHalf, WriteHalf};

/// The code in place of a version by which a client asks for TLS.
const SSL_REQUEST: i32 = 80_877_103;

/// A statement that a program has run.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The name that the program gives to its connections.
    pub program: String,
    pub sql: String,
    /// Indicates whether it is its own transaction.
    pub is_alone: bool,
}

impl Statement {
    /// Returns whether it ends with a commit.
    pub fn commits(&self) -> bool {
        self.is_alone || self.sql == "COMMIT"
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sql = self.sql.split_whitespace().collect::<Vec<_>>().join(" ");
        let indent = if self.is_alone { "" } else { "  " };
        write!(f, "{}: {indent}{sql:.150}", self.program)
    }
}

/// The statements that have passed a proxy. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Statements(Arc<Mutex<Vec<Statement>>>);

impl Statements {
    /// Returns what has passed since the last call.
    pub fn take(&self) -> Vec<Statement> {
        std::mem::take(&mut self.0.lock().expect("statements"))
    }

    /// Forwards what a client sends, and reads it.
    pub(crate) async fn forward(&self, from: &mut ReadHalf<'_>, to: &mut WriteHalf<'_>) -> io::Result<()> {
        let mut session = Session { seen: self.clone(), ..Session::default() };
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let read = from.read(&mut buffer).await?;
            if read == 0 {
                return to.shutdown().await;
            }
            session.read(&buffer[..read]);
            to.write_all(&buffer[..read]).await?;
        }
    }
}

/// A client's side of a connection.
#[derive(Default)]
struct Session {
    seen: Statements,
    /// Bytes of a message that has not arrived in full.
    rest: Vec<u8>,
    /// None before the client has named itself.
    program: Option<String>,
    prepared: HashMap<String, String>,
    bound: String,
    in_transaction: bool,
}

impl Session {
    fn read(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let mut rest = std::mem::take(&mut self.rest);
        let mut unread = rest.as_slice();
        while let Some((kind, body, after)) = message(unread, self.program.is_some()) {
            self.take(kind, body);
            unread = after;
        }
        let read = rest.len() - unread.len();
        rest.drain(..read);
        self.rest = rest;
    }

    fn take(&mut self, kind: u8, body: &[u8]) {
        match (kind, texts(body).as_slice()) {
            (0, _) if body[..4] == SSL_REQUEST.to_be_bytes() => {}
            (0, _) => {
                let parameters = texts(&body[4..]);
                let name = parameters.chunks(2).find(|pair| pair[0] == "application_name");
                self.program = Some(name.map_or(String::new(), |pair| pair[1].clone()));
            }
            (b'P', [name, sql, ..]) => drop(self.prepared.insert(name.clone(), sql.clone())),
            (b'B', [_, name, ..]) => self.bound = self.prepared.get(name).cloned().unwrap_or_default(),
            (b'E', _) => self.record(self.bound.clone()),
            (b'Q', [sql, ..]) => self.record(sql.clone()),
            _ => {}
        }
    }

    fn record(&mut self, sql: String) {
        let begins = sql == "BEGIN";
        let is_alone = !self.in_transaction && !begins;
        self.in_transaction =
            begins || self.in_transaction && !["COMMIT", "ROLLBACK"].contains(&sql.as_str());
        let program = self.program.clone().unwrap_or_default();
        self.seen.0.lock().expect("statements").push(Statement { program, sql, is_alone });
    }
}

fn texts(body: &[u8]) -> Vec<String> {
    body.split(|byte| *byte == 0).map(|text| String::from_utf8_lossy(text).into_owned()).collect()
}

/// Splits the first message off: its kind, 0 for those before the session, its body, and what follows.
fn message(bytes: &[u8], has_kind: bool) -> Option<(u8, &[u8], &[u8])> {
    let (kind, rest) =
        if has_kind { bytes.split_first().map(|(kind, rest)| (*kind, rest))? } else { (0, bytes) };
    let length = i32::from_be_bytes(rest.get(..4)?.try_into().ok()?);
    let length = usize::try_from(length).ok()?;
    Some((kind, rest.get(4..length)?, &rest[length..]))
}
