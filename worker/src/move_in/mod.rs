//! Reads the export of a former shop: JSON Lines that its database's own client printed, or CSV. Checks the form; what the rows mean is
//! decided in the database.
//!
//! Why: `docs/decisions/moving-in.md`

pub mod csv_files;
mod csv_rows;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::PathBuf;

use serde_json::Value;
use store::move_in::{Chunk, Tables};
use tokio::sync::mpsc::Sender;

/// The statements that the client of the former shop's database is given.
pub const SHOP: &str = include_str!("ecommerce.sql");

/// The statements that the client of the course platform's database is given.
pub const PLATFORM: &str = include_str!("platform.sql");

/// The format that this version reads; the statements name it.
const FORMAT: u64 = 1;

/// Bytes that are read at once.
const BUFFER: usize = 256 * 1024;

/// Longest accepted line, in bytes.
const LONGEST_LINE: u64 = 4 * 1024 * 1024;

/// A part of an export, by the kinds of its first and last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Shop,
    Platform,
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
    open: Option<Part>,
    has_shop: bool,
}

/// Rows on their way to the database.
pub struct Rows<'a> {
    sender: &'a Sender<Chunk>,
    tables: Tables,
}

impl<'a> Rows<'a> {
    pub fn new(sender: &'a Sender<Chunk>, tables: Tables) -> Self {
        Self { sender, tables }
    }

    /// Adds a row of a kind.
    fn push(&mut self, kind: &str, row: &Value) -> Result<(), ExportError> {
        match self.tables.push(kind, row).map_err(ExportError::Incomplete)? {
            Some(chunk) => self.send(chunk),
            None => Ok(()),
        }
    }

    /// Sends what is left.
    ///
    /// # Errors
    /// The database takes no more.
    pub fn finish(mut self) -> Result<(), ExportError> {
        let rest: Vec<Chunk> = self.tables.rest().collect();
        rest.into_iter().try_for_each(|chunk| self.send(chunk))
    }

    fn send(&self, chunk: Chunk) -> Result<(), ExportError> {
        self.sender.blocking_send(chunk).map_err(|_| ExportError::Stopped)
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
        read_file(BufReader::with_capacity(BUFFER, input), rows, &mut progress)?;
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
        if let Some((kind, row)) = progress.take(line.trim_end()).map_err(fault)? {
            rows.push(&kind, &row).map_err(|error| match error {
                ExportError::Incomplete(reason) => fault(reason),
                other => other,
            })?;
        }
    }
}

impl Progress {
    /// A line that has a row, with its kind; None for one of the frame.
    fn take(&mut self, line: &str) -> Result<Option<(String, Value)>, String> {
        if line.contains("\\u0000") {
            return Err("holds a NUL character, which the storefront's database cannot store".to_owned());
        }
        let row: Value = line.parse().map_err(|error: serde_json::Error| not_a_line(&error.to_string()))?;
        let kind = row.get("t").and_then(Value::as_str).ok_or_else(|| not_a_line("it has no kind"))?;
        match (kind, self.open) {
            ("begin", None) => self.begin(Part::Shop, &row)?,
            ("begin_platform", None) => self.begin(Part::Platform, &row)?,
            ("end", Some(Part::Shop)) | ("end_platform", Some(Part::Platform)) => self.open = None,
            ("begin" | "begin_platform" | "end" | "end_platform", _) => {
                return Err(format!("{kind:?} comes at the wrong place"));
            }
            (_, None) => return Err("comes before the export's first line".to_owned()),
            ("account" | "enrollment", Some(Part::Shop)) => return Err(format!("{kind:?} is not of a shop")),
            (kind, Some(_)) => return Ok(Some((kind.to_owned(), row))),
        }
        Ok(None)
    }

    fn begin(&mut self, part: Part, head: &Value) -> Result<(), String> {
        if head.get("format").and_then(Value::as_u64) != Some(FORMAT) {
            return Err("was printed by the statements of another version; print them again".to_owned());
        }
        if let Some(missing) = head.get("missing").and_then(Value::as_str) {
            return Err(format!("the database is of another version: it lacks {missing}"));
        }
        if part == Part::Shop && std::mem::replace(&mut self.has_shop, true) {
            return Err("begins a second shop; read one export of it".to_owned());
        }
        self.open = Some(part);
        Ok(())
    }
}

fn not_a_line(reason: &str) -> String {
    format!("is not a line of an export: {}", reason.replace(" at line 1 column", " at column"))
}
