//! `catalog import`: reads JSON Lines into the catalog's tables, all lines or none. It writes a batch while `reader` reads
//! the next one. It does not write records that have not changed since their last import.
//!
//! Why: `docs/decisions/import-digests.md`

mod check;
mod export;
pub(crate) mod outline;
pub(crate) mod prices;
mod reader;
pub(crate) mod record;
pub(crate) mod references;
pub(crate) mod rows;
mod seller;

use std::fmt;
use std::fs::File;
use std::path::Path;

pub use export::{ExportError, export};
use indicatif::{ProgressBar, ProgressStyle};
use reader::{Batch, Reader};
use serde_json::json;
use shared::clock::Clock;
use shared::operator::OperatorName;
use sqlx::{Acquire, PgConnection, Postgres};
use store::catalog::{allow_idle, generation, import, known};
use store::error::JobError;
use store::plumbing::audit::{self, Actor, Cause, Change, Entity};
use uuid::Uuid;

/// Number of bad lines that are listed with their reason; the rest is counted.
const SHOWN: usize = 100;

/// The result of an import.
#[derive(Debug, Default)]
pub struct Imported {
    /// Number of records in the file.
    pub records: usize,
    /// Number of records that were written, because they differ from the last import.
    pub changed: usize,
    /// The new catalog generation, if anything changed.
    pub generation: Option<i64>,
}

/// Reason why nothing was imported.
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
    /// Number of bad lines.
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
    db: impl Acquire<'_, Database = Postgres>,
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
    allow_idle(&mut tx).await?;
    generation::lock_writers(&mut tx).await?;
    let references = known::references(&mut tx).await?;
    let known = known::records(&mut tx).await?;
    let reader = Reader::new(file, references, known, progress.clone(), clock.clone());
    let (bad, mut imported) = write_all(&mut tx, reader, clock).await?;
    if bad.count > 0 {
        return Err(ImportError::BadLines(bad));
    }
    if imported.changed > 0 {
        imported.generation = Some(generation::raise(&mut tx, clock.now()).await?);
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

/// Writes what the reader reads. Returns its bad lines and counts.
async fn write_all(
    db: &mut PgConnection,
    mut reader: Reader,
    clock: &Clock,
) -> Result<(BadLines, Imported), ImportError> {
    let mut batch = Batch::default();
    loop {
        // At the same time: parsing costs the import nearly half as much as writing costs the database.
        let next = tokio::task::spawn_blocking(move || {
            let batch = reader.next();
            (reader, batch)
        });
        let (next, written) = tokio::join!(next, write(db, batch, clock));
        written?;
        let (returned, next) = next.map_err(std::io::Error::other)?;
        reader = returned;
        match next? {
            Some(next) => batch = next,
            None => return Ok(reader.finish()),
        }
    }
}

async fn write(db: &mut PgConnection, batch: Batch, clock: &Clock) -> Result<(), ImportError> {
    if batch.digests.is_empty() {
        return Ok(());
    }
    let digests = batch.digests.iter().map(|(kind, key, digest)| (*kind, key.as_str(), *digest));
    known::remember(db, digests).await?;
    import::write(db, batch.rows, clock.now()).await?;
    Ok(())
}
