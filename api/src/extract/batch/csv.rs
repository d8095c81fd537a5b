//! Reads a batch of enrollments and removals from a CSV.

use std::io::Read;

use ::csv::StringRecord;
use shared::messages::{FieldError, MOST_ROWS};

use super::{BatchUpload, COLUMNS, Row, too_many};
use crate::error::{ApiError, ApiResult, MOST_FAULTS};

/// The end that is added to a CSV: a record of its own, unless it falls into a quoted cell that is never closed.
const END: &str = "\n\0";

/// Returns the separator of columns. Where spreadsheets write decimal commas, their CSV has semicolons. No column's
/// name has either.
fn separator(bytes: &[u8]) -> u8 {
    let header = bytes.split(|byte| [b'\r', b'\n'].contains(byte)).next().unwrap_or_default();
    if header.contains(&b';') && !header.contains(&b',') { b';' } else { b',' }
}

/// The columns that the rows of a batch have besides, where they are shown: they are ignored, so that rows that have failed can be
/// corrected and sent again.
const SHOWN: [&str; 5] = ["row", "status", "enrollment_state", "platform_state", "message"];

/// Reads a CSV with a header row.
pub(super) fn from_csv(bytes: &[u8]) -> ApiResult<BatchUpload> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator(bytes))
        .from_reader(bytes.chain(END.as_bytes()));
    let broken = |error: ::csv::Error| ApiError::invalid("body", format!("is not valid CSV: {error}"));
    let open = || ApiError::invalid("body", "is not valid CSV: a quote is never closed");
    let is_end = |record: &StringRecord| record.len() == 1 && record.get(0) == Some(END.trim_start());
    let mut records = reader.records();
    let header = records.next().transpose().map_err(broken)?.filter(|header| !is_end(header));
    if header.iter().flatten().any(|name| name.contains(END)) {
        return Err(open());
    }
    let places = places(&header.unwrap_or_default())?;
    let (mut rows, mut is_whole) = (Vec::new(), false);
    for record in records {
        let record = record.map_err(broken)?;
        is_whole = is_end(&record);
        if is_whole {
            continue;
        }
        rows.push(row(&record, &places));
        if rows.len() > MOST_ROWS {
            return Err(too_many());
        }
    }
    if is_whole {
        Ok(BatchUpload { course_id: None, mode: None, action: None, language: None, rows })
    } else {
        Err(open())
    }
}

fn row(record: &StringRecord, places: &[&str]) -> Row {
    let mut row = Row::default();
    if record.len() != places.len() {
        row.email = Some(Err("is not readable: the row has another number of cells than the header"));
        return row;
    }
    for (text, place) in record.iter().zip(places) {
        if let (Some(cell), false) = (row.cell(place), text.trim().is_empty()) {
            *cell = Some(Ok(text.trim().to_owned()));
        }
    }
    row
}

/// The column of each cell, by the header row.
fn places(headers: &StringRecord) -> ApiResult<Vec<&'static str>> {
    let (mut places, mut errors) = (Vec::new(), Vec::new());
    for name in headers.iter().take(MOST_FAULTS) {
        let column = COLUMNS.into_iter().chain(SHOWN).find(|column| column.eq_ignore_ascii_case(name.trim()));
        match column {
            Some(column) if !places.contains(&column) => places.push(column),
            Some(_) => errors.push(FieldError::new(name, "is a column twice")),
            None => {
                let name: String = name.chars().take(100).collect();
                errors.push(FieldError::new(name, "is not a column of a batch"));
            }
        }
    }
    if !places.contains(&"email") && errors.is_empty() {
        errors.push(FieldError::new("email", "is a required column"));
    }
    if errors.is_empty() { Ok(places) } else { Err(ApiError::InvalidRequest(errors)) }
}
