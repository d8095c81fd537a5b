//! `catalog import`: reads JSON Lines into the catalog's tables, all lines or none. It works in batches and keeps
//! only keys and names in memory. It does not write records that have not changed since their last import.

mod check;
mod export;
pub(crate) mod outline;
pub(crate) mod record;
pub(crate) mod references;
pub(crate) mod rows;

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use shared::clock::Clock;
use shared::operator::OperatorName;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::error::JobError;
use crate::store::audit::{self, Actor, Cause, Change, Entity};
use crate::store::catalog;
use crate::store::import;
use crate::store::import::{Batch, References};
pub use export::export;
use record::Record;

/// A batch is written once it has this many records or bytes.
const BATCH: usize = 500;
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// Longest accepted line, in bytes; no course record is longer.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

/// How many bad lines are listed with their reason; the rest is counted.
const SHOWN: usize = 100;

/// The result of an import.
#[derive(Debug, Default)]
pub struct Imported {
    /// How many records the file has.
    pub records: usize,
    /// How many of them were written, because they differ from the last import.
    pub changed: usize,
    /// The new catalog generation, if anything changed.
    pub generation: Option<i64>,
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read.
    #[error("cannot read the file: {0}")]
    File(#[from] std::io::Error),
    /// Some lines are not valid records.
    #[error("nothing was imported: {0}")]
    BadLines(BadLines),
    /// The database refused or failed.
    #[error("nothing was imported: {0}")]
    Store(#[from] JobError),
}

impl From<sqlx::Error> for ImportError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// The bad lines of a file: their count, and number and reason of the first ones.
#[derive(Debug, Default)]
pub struct BadLines {
    /// How many lines are bad.
    pub count: usize,
    /// The first of them: line number from 1, and reason.
    pub shown: Vec<(usize, String)>,
}

impl BadLines {
    fn push(&mut self, line: usize, reason: String) {
        self.count += 1;
        if self.shown.len() < SHOWN {
            self.shown.push((line, reason));
        }
    }
}

impl fmt::Display for BadLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bad lines", self.count)?;
        for (line, reason) in &self.shown {
            write!(f, "\n  line {line}: {reason}")?;
        }
        match self.count - self.shown.len() {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} records read, {} changed", self.records, self.changed)
    }
}

/// Imports one file in one transaction. The audit log keeps it under the name of the operator who asked for it.
///
/// # Errors
/// Every bad line, or a failure of the file or the database. Nothing is imported then.
pub async fn import(
    db: &PgPool,
    file: &Path,
    clock: &Clock,
    by: Option<OperatorName>,
) -> Result<Imported, ImportError> {
    let file = File::open(file)?;
    let progress = ProgressBar::new(file.metadata()?.len());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {elapsed} {msg}") {
        progress.set_style(style);
    }
    let mut tx = db.begin().await?;
    catalog::lock_writers(&mut tx).await?;
    let mut importer = Importer {
        references: import::load_references(&mut tx).await?,
        bad: BadLines::default(),
        batch: Vec::new(),
        batch_bytes: 0,
        seen: HashSet::new(),
        imported: Imported::default(),
        clock: clock.clone(),
    };
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = (&mut lines).take(LONGEST_LINE + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        progress.inc(read as u64);
        if read as u64 > LONGEST_LINE {
            let reason =
                format!("is longer than {} MiB; the rest of the file was not read", LONGEST_LINE >> 20);
            importer.bad.push(number, reason);
            break;
        }
        importer.line(&mut tx, number, &line).await?;
    }
    importer.flush(&mut tx).await?;
    let Importer { bad, mut imported, .. } = importer;
    if bad.count > 0 {
        return Err(ImportError::BadLines(bad));
    }
    if imported.changed > 0 {
        imported.generation = Some(catalog::raise_generation(&mut tx, clock.now()).await?);
        if let Some(by) = by {
            let detail = json!({ "records": imported.records, "changed": imported.changed });
            let entry =
                Change { entity: Entity::Catalog, id: Uuid::nil(), from: None, to: "imported", detail };
            let actor = Actor::Operator(by);
            let cause = Cause { actor, command_id: Uuid::now_v7(), now: clock.now() };
            audit::record(&mut tx, cause, entry).await?;
        }
    }
    tx.commit().await?;
    progress.finish_and_clear();
    Ok(imported)
}

struct Importer {
    references: References,
    bad: BadLines,
    batch: Vec<Read>,
    batch_bytes: usize,
    /// Kinds and keys of the records read so far in this file.
    seen: HashSet<(&'static str, String)>,
    imported: Imported,
    clock: Clock,
}

/// A record that has passed the checks.
struct Read {
    record: Record,
    kind: &'static str,
    key: String,
    digest: Vec<u8>,
}

impl Importer {
    async fn line(&mut self, db: &mut PgConnection, number: usize, line: &[u8]) -> Result<(), ImportError> {
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        let text = std::str::from_utf8(line).map_err(|_| "is not UTF-8".to_owned());
        let read = text.and_then(|line| Record::read(line.trim())).and_then(|mut record| {
            self.references.check(&mut record)?;
            self.digested(record)
        });
        match read {
            Ok(read) => self.batch.push(read),
            Err(reason) => self.bad.push(number, reason),
        }
        self.imported.records += 1;
        self.batch_bytes += line.len();
        let full = self.batch.len() >= BATCH || self.batch_bytes >= BATCH_BYTES;
        if full { self.flush(db).await } else { Ok(()) }
    }

    fn digested(&mut self, mut record: Record) -> Result<Read, String> {
        if let Record::ExchangeRate(rate) = &mut record {
            rate.as_of.get_or_insert(self.clock.now().date_naive());
        }
        let digest = record.digest()?;
        let (kind, key) = record.key();
        if !self.seen.insert((kind, key.clone())) {
            return Err(format!("{kind} {key} appears twice in this file"));
        }
        for review in record.reviews() {
            if !self.seen.insert(("review", review.id.to_string())) {
                return Err(format!("review {} appears twice in this file", review.id));
            }
        }
        Ok(Read { record, kind, key, digest })
    }

    async fn flush(&mut self, db: &mut PgConnection) -> Result<(), ImportError> {
        let batch = std::mem::take(&mut self.batch);
        self.batch_bytes = 0;
        // After the first bad line nothing is written: the rest of the file is only checked, to report every bad
        // line.
        if batch.is_empty() || self.bad.count > 0 {
            return Ok(());
        }
        let digests = batch.iter().map(|read| (read.kind, read.key.as_str(), read.digest.as_slice()));
        let changed = import::remember_changed(db, digests).await?;
        let mut rows = Batch::default();
        for (read, changed) in batch.into_iter().zip(changed) {
            if changed {
                self.imported.changed += 1;
                rows.add(&read.record, &self.references).map_err(JobError::dead)?;
            }
        }
        import::write(db, rows, self.clock.now()).await?;
        Ok(())
    }
}
