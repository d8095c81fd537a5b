//! Rows of an export on their way into tables of the session: one for each kind, with the fields that are read as its columns
//! (`stage.sql`). The database checks their types.

use std::collections::HashMap;

use serde_json::Value;
use sqlx::PgConnection;
use sqlx::postgres::PgDatabaseError;

use crate::error::{JobError, JobResult};

/// Bytes that are handed to the database at once.
const CHUNK: usize = 256 * 1024;

/// Rows of a kind, in the text format of COPY.
pub struct Chunk {
    kind: String,
    rows: Vec<u8>,
}

impl Chunk {
    pub(super) async fn copy(self, db: &mut PgConnection) -> JobResult<()> {
        let statement = format!("COPY pg_temp.export_{} FROM STDIN", self.kind);
        let mut copy = db.copy_in_raw(&statement).await?;
        copy.send(self.rows).await?;
        copy.finish().await.map_err(|error| wrong_value(&self.kind, error))?;
        Ok(())
    }
}

/// Names the column of a value that is not of its type.
fn wrong_value(kind: &str, error: sqlx::Error) -> JobError {
    let of_database = error.as_database_error().and_then(|error| error.try_downcast_ref::<PgDatabaseError>());
    let place = of_database.filter(|error| error.code().starts_with("22")).and_then(PgDatabaseError::r#where);
    // Such as `COPY export_order, line 7, column total: "much"`; the line is one of the chunk.
    match place.and_then(|place| place.splitn(3, ", ").nth(2)) {
        Some(column) => JobError::dead(format!("a row of the kind {kind:?} has a wrong value: {column}")),
        None => error.into(),
    }
}

/// The tables that take rows, by kind.
pub struct Tables {
    tables: HashMap<String, Table>,
}

struct Table {
    columns: Vec<String>,
    rows: Vec<u8>,
}

impl Tables {
    /// Makes the tables in the session.
    pub(super) async fn create(db: &mut PgConnection) -> JobResult<Self> {
        sqlx::raw_sql(include_str!("stage.sql")).execute(&mut *db).await?;
        let columns = "SELECT substr(c.relname, 8), array_agg(a.attname::text ORDER BY a.attnum)
                       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
                       WHERE c.relnamespace = pg_my_temp_schema() AND c.relname LIKE 'export\\_%' AND a.attnum > 0 GROUP BY c.relname";
        let columns: Vec<(String, Vec<String>)> = sqlx::query_as(columns).fetch_all(db).await?;
        let tables = columns.into_iter().map(|(kind, columns)| (kind, Table { columns, rows: Vec::new() }));
        Ok(Self { tables: tables.collect() })
    }

    /// Adds a row of a kind. Returns the kind's rows once they fill a chunk.
    ///
    /// # Errors
    /// There is no such kind.
    pub fn push(&mut self, kind: &str, row: &Value) -> Result<Option<Chunk>, String> {
        let table = self.tables.get_mut(kind).ok_or_else(|| format!("has the unknown kind {kind:?}"))?;
        for (nth, column) in table.columns.iter().enumerate() {
            if nth > 0 {
                table.rows.push(b'\t');
            }
            push_value(&mut table.rows, row.get(column));
        }
        table.rows.push(b'\n');
        let is_full = table.rows.len() >= CHUNK;
        Ok(is_full.then(|| Chunk { kind: kind.to_owned(), rows: std::mem::take(&mut table.rows) }))
    }

    /// The rows that are left.
    pub fn rest(&mut self) -> impl Iterator<Item = Chunk> {
        let tables = self.tables.iter_mut().filter(|(_, table)| !table.rows.is_empty());
        tables.map(|(kind, table)| Chunk { kind: kind.clone(), rows: std::mem::take(&mut table.rows) })
    }
}

fn push_value(rows: &mut Vec<u8>, value: Option<&Value>) {
    match value {
        None | Some(Value::Null) => rows.extend_from_slice(b"\\N"),
        Some(Value::String(text)) => push_text(rows, text),
        Some(other) => push_text(rows, &other.to_string()),
    }
}

fn push_text(rows: &mut Vec<u8>, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'\\' => rows.extend_from_slice(b"\\\\"),
            b'\t' => rows.extend_from_slice(b"\\t"),
            b'\n' => rows.extend_from_slice(b"\\n"),
            b'\r' => rows.extend_from_slice(b"\\r"),
            other => rows.push(other),
        }
    }
}
