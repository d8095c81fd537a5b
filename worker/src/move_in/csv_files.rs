//! Reads orders and codes of any other shop from CSV files, record by record. An error names its file and line; what the records become
//! is in `csv_rows.rs`.

use std::fs::File;
use std::path::Path;

use csv::{Reader, ReaderBuilder, StringRecord};
use serde::de::DeserializeOwned;

use super::csv_rows::{CODES, Converter, ORDERS, REFUND_REFERENCE};
use super::{ExportError, Rows};

/// Reads the files of a shop, and sends their rows on.
///
/// # Errors
/// The first line with a fault.
pub fn read(site: &str, orders: &Path, codes: Option<&Path>, rows: &mut Rows<'_>) -> Result<(), ExportError> {
    let mut converter = Converter::begin(site, rows)?;
    each(orders, ORDERS, &[REFUND_REFERENCE], |line| converter.line(line))?;
    converter.end_order()?;
    if let Some(codes) = codes {
        each(codes, CODES, &[], |line| converter.code(&line))?;
    }
    Ok(())
}

fn fault(file: &Path, line: u64, reason: impl ToString) -> ExportError {
    ExportError::Csv { file: file.display().to_string(), line, reason: reason.to_string() }
}

/// Reads a file with these columns, and perhaps further ones, record by record.
fn each<T: DeserializeOwned>(
    path: &Path,
    columns: &[&str],
    further: &[&str],
    mut take: impl FnMut(T) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut reader: Reader<File> = ReaderBuilder::new().trim(csv::Trim::All).from_reader(File::open(path)?);
    let heading = reader.headers().map_err(|error| fault(path, 1, error))?.clone();
    if heading.iter().ne(columns.iter().copied()) && heading.iter().ne([columns, further].concat()) {
        return Err(fault(path, 1, format!("the columns are not {}", columns.join(","))));
    }
    let mut record = StringRecord::new();
    loop {
        let line = reader.position().line();
        match reader.read_record(&mut record) {
            Ok(false) => return Ok(()),
            Ok(true) => {}
            Err(error) => return Err(fault(path, line, error)),
        }
        let line = record.position().map_or(line, csv::Position::line);
        let parsed =
            record.deserialize(Some(&heading)).map_err(|error| fault(path, line, reason_of(&error)))?;
        take(parsed).map_err(|error| match error {
            ExportError::Incomplete(reason) => fault(path, line, reason),
            other => other,
        })?;
    }
}

/// The reason without the position, which the caller gives.
fn reason_of(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => match err.field() {
            Some(field) => {
                let column = usize::try_from(field).unwrap_or_default() + 1;
                format!("column {column}: {}", err.kind())
            }
            None => err.kind().to_string(),
        },
        _ => error.to_string(),
    }
}
