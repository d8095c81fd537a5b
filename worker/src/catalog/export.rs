//! `catalog export`: writes the catalog's tables as the lines that `catalog import` reads. Importing an export
//! changes nothing.

use std::io::{self, Write};

use serde_json::Value;
use sqlx::{Acquire, Postgres};
use store::catalog::export;
use store::error::JobError;
use uuid::Uuid;

use super::record::Record;

/// Reason why an export is incomplete.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Its output takes no more, for example because the reader of a pipe has closed it.
    #[error("cannot write the catalog: {0}")]
    Output(#[from] io::Error),
    /// The database refused or failed, or a stored record does not fit the format.
    #[error("cannot read the catalog: {0}")]
    Store(#[from] JobError),
}

impl From<sqlx::Error> for ExportError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Number of courses that one query reads.
const BATCH: i64 = 500;

/// Writes every record, after the records that it refers to. Returns how many were written.
///
/// # Errors
/// The database is unavailable, a stored record does not fit the format, or the output is closed.
pub async fn export(
    db: impl Acquire<'_, Database = Postgres>,
    out: &mut impl Write,
) -> Result<usize, ExportError> {
    // One snapshot, so that records and the records that they refer to are consistent.
    let mut tx = db.begin().await?;
    export::freeze(&mut tx).await?;
    let mut count = 0;
    for lines in [
        export::organisations(&mut tx).await?,
        export::platform_organisations(&mut tx).await?,
        export::policies(&mut tx).await?,
        export::tax_rates(&mut tx).await?,
        export::rates(&mut tx).await?,
        export::tags(&mut tx).await?,
    ] {
        count += write(out, lines)?;
    }
    let mut after = Uuid::nil();
    loop {
        let ids = export::course_ids(&mut tx, after, BATCH).await?;
        let Some(last) = ids.last() else { break };
        after = *last;
        count += write(out, export::courses(&mut tx, &ids).await?)?;
    }
    for lines in [export::programs(&mut tx).await?, export::banners(&mut tx).await?] {
        count += write(out, lines)?;
    }
    out.flush()?;
    Ok(count)
}

fn write(out: &mut impl Write, lines: Vec<Value>) -> Result<usize, ExportError> {
    let count = lines.len();
    for line in lines {
        // Through the record type, so that `catalog import` can read what is written here.
        let mut record: Record = serde_json::from_value(line).map_err(JobError::from)?;
        if let Record::Course(course) = &mut record {
            course.shorten();
        }
        serde_json::to_writer(&mut *out, &record).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
    }
    Ok(count)
}
