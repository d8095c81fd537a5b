//! Reads the export of a former shop: JSON Lines that its database's own client printed, or CSV. Checks the form; what the rows mean is
//! decided in the database.
//!
//! Why: `docs/decisions/moving-in.md`

pub mod csv_files;
mod csv_rows;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::PathBuf;

use serde::Deserialize;
use strum::{EnumString, IntoStaticStr};
use tokio::sync::mpsc::Sender;

/// The statements that the client of the former shop's database is given.
pub const SHOP: &str = include_str!("ecommerce.sql");

/// The statements that the client of the course platform's database is given.
pub const PLATFORM: &str = include_str!("platform.sql");

/// The format that this version reads; the statements name it.
const FORMAT: u32 = 1;

/// Bytes that are handed to the database at once.
const CHUNK: usize = 256 * 1024;

/// Longest accepted line, in bytes.
const LONGEST_LINE: u64 = 4 * 1024 * 1024;

/// Kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum Kind {
    Begin,
    BeginPlatform,
    End,
    EndPlatform,
    Site,
    Product,
    User,
    Order,
    Line,
    Payment,
    Refund,
    RefundLine,
    Refunded,
    Code,
    CodeUse,
    Range,
    ProgramOffer,
    Basket,
    Answer,
    Account,
    Enrollment,
}

/// The part of a line that says what it is.
#[derive(Deserialize)]
struct Head {
    t: String,
    format: Option<u32>,
    missing: Option<String>,
}

/// Reason why an export cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A file cannot be read.
    #[error("cannot read the export: {0}")]
    File(#[from] io::Error),
    /// A line is not one that the statements print.
    #[error("line {line}: {reason}")]
    Line { line: usize, reason: String },
    /// A line of a CSV file has a fault.
    #[error("{file}, line {line}: {reason}")]
    Csv { file: String, line: u64, reason: String },
    /// A part of the export is missing.
    #[error("{0}")]
    Incomplete(String),
    /// The database takes no more rows; it has its own reason.
    #[error("the database has stopped reading")]
    Stopped,
}

/// Which parts have begun and ended, and how many lines were read, over all files.
#[derive(Default)]
struct Progress {
    lines: usize,
    /// The last begin without its end.
    open: Option<Kind>,
    has_shop: bool,
}

/// Rows on their way to the database.
pub struct Rows<'a> {
    sender: &'a Sender<Vec<u8>>,
    chunk: Vec<u8>,
    number: usize,
}

impl<'a> Rows<'a> {
    pub fn new(sender: &'a Sender<Vec<u8>>) -> Self {
        Self { sender, chunk: Vec::with_capacity(CHUNK + 4096), number: 0 }
    }

    /// Adds a row of a kind, as JSON.
    fn push(&mut self, kind: &str, json: &str) -> Result<(), ExportError> {
        self.number += 1;
        store::move_in::push_row(&mut self.chunk, self.number, kind, json);
        if self.chunk.len() < CHUNK { Ok(()) } else { self.send() }
    }

    /// Sends what is left.
    ///
    /// # Errors
    /// The database takes no more.
    pub fn send(&mut self) -> Result<(), ExportError> {
        let full = std::mem::replace(&mut self.chunk, Vec::with_capacity(CHUNK + 4096));
        self.sender.blocking_send(full).map_err(|_| ExportError::Stopped)
    }
}

/// Reads what databases' clients printed, `-` as the standard input. `has_shop` tells whether the shop's rows come from elsewhere.
///
/// # Errors
/// The first line that is none, or what is missing.
pub fn read(files: &[PathBuf], has_shop: bool, rows: &mut Rows<'_>) -> Result<(), ExportError> {
    let mut progress = Progress { has_shop, ..Progress::default() };
    for file in files {
        let input: Box<dyn io::Read> =
            if file.as_os_str() == "-" { Box::new(io::stdin()) } else { Box::new(File::open(file)?) };
        read_file(BufReader::with_capacity(CHUNK, input), rows, &mut progress)?;
    }
    let incomplete = |reason: &str| Err(ExportError::Incomplete(reason.to_owned()));
    match (progress.open, progress.has_shop) {
        (Some(_), _) => incomplete("the export ends early: its last line is missing"),
        (None, false) => incomplete("the export has nothing of the shop"),
        (None, true) => Ok(()),
    }
}

fn read_file(
    mut file: impl BufRead,
    rows: &mut Rows<'_>,
    progress: &mut Progress,
) -> Result<(), ExportError> {
    let mut line = String::new();
    loop {
        line.clear();
        let number = progress.lines + 1;
        let fault = |reason: String| ExportError::Line { line: number, reason };
        let read = file.by_ref().take(LONGEST_LINE).read_line(&mut line).map_err(|error| {
            if error.kind() == io::ErrorKind::InvalidData {
                fault("is not UTF-8; give the client --default-character-set=utf8mb4".to_owned())
            } else {
                error.into()
            }
        })?;
        if read == 0 {
            return Ok(());
        }
        progress.lines = number;
        if let Some(kind) = progress.take(line.trim_end()).map_err(fault)? {
            rows.push(kind.into(), line.trim_end())?;
        }
    }
}

impl Progress {
    /// The kind of a line that has a row; None for one of the frame.
    fn take(&mut self, line: &str) -> Result<Option<Kind>, String> {
        if line.contains("\\u0000") {
            return Err("holds a NUL character, which the storefront's database cannot store".to_owned());
        }
        let head: Head = serde_json::from_str(line).map_err(|error| {
            format!(
                "is not a line of an export: {}",
                error.to_string().replace(" at line 1 column", " at column")
            )
        })?;
        let kind: Kind = head.t.parse().map_err(|_| format!("has the unknown kind {:?}", head.t))?;
        match (kind, self.open) {
            (Kind::Begin | Kind::BeginPlatform, None) => {
                self.begin(kind, &head)?;
                Ok(None)
            }
            (Kind::End, Some(Kind::Begin)) | (Kind::EndPlatform, Some(Kind::BeginPlatform)) => {
                self.open = None;
                Ok(None)
            }
            (Kind::Begin | Kind::BeginPlatform | Kind::End | Kind::EndPlatform, _) => {
                Err(format!("{:?} comes at the wrong place", head.t))
            }
            (_, None) => Err("comes before the export's first line".to_owned()),
            (Kind::Account | Kind::Enrollment, Some(Kind::Begin)) => {
                Err(format!("{:?} is not of a shop", head.t))
            }
            (kind, Some(_)) => Ok(Some(kind)),
        }
    }

    fn begin(&mut self, kind: Kind, head: &Head) -> Result<(), String> {
        if head.format != Some(FORMAT) {
            return Err("was printed by the statements of another version; print them again".to_owned());
        }
        if let Some(missing) = &head.missing {
            return Err(format!("the database is of another version: it lacks {missing}"));
        }
        if kind == Kind::Begin && std::mem::replace(&mut self.has_shop, true) {
            return Err("begins a second shop; read one export of it".to_owned());
        }
        self.open = Some(kind);
        Ok(())
    }
}
