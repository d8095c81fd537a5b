//! XLSX (ISO/IEC 29500-1) of rows: one sheet that is sent while it is written, with a column for each field of a struct.
//!
//! Why: `docs/decisions/xlsx.md`

mod cell;
mod parts;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use rust_decimal::Decimal;
use texts::Localizer;
use zip::result::ZipError;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{DateTime, ZipWriter};

use super::csv;
use super::report::Row;
use crate::error::{ApiError, ApiResult};
use crate::request_log;
use cell::{Kind, Place, Style};

pub const MEDIA_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// Rows of a report that a sheet has room for: its 1,048,576, less the heading and a sum for each currency of ISO 4217.
pub const MOST_ROWS: usize = 1_048_576 - 1 - 180;

/// A sheet that is being written.
pub struct Sheet {
    zip: ZipWriter<StreamWriter<Ready>>,
    ready: Ready,
    columns: Vec<Column>,
    /// The number of the last row, counted from 1.
    last_row: usize,
    /// Of each currency, the sums of the columns with amounts.
    sums: BTreeMap<String, Vec<Decimal>>,
    /// The word before the sums.
    sum: String,
}

struct Column {
    field: String,
    kind: Kind,
}

/// What is written and not yet sent.
#[derive(Clone, Default)]
struct Ready(Arc<Mutex<Vec<u8>>>);

impl Write for Ready {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Ready {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Sheet {
    pub fn begin<R: Row>(localizer: &Localizer<'_>) -> ApiResult<(Self, Vec<u8>)> {
        let of = |(field, schema): (String, _)| {
            let kind = if R::AMOUNTS.contains(&&*field) { Kind::Amount } else { Kind::of(&schema) };
            Column { field, kind }
        };
        let columns: Vec<Column> = csv::fields::<R>().map(of).collect();
        let ready = Ready::default();
        let zip = ZipWriter::new_stream(ready.clone());
        let sum = localizer.message("reports-sum", &[]);
        let mut sheet = Self { zip, ready, columns, last_row: 0, sums: BTreeMap::new(), sum };
        logged(sheet.head(localizer, &localizer.message(R::TITLE, &[])))?;
        let bytes = sheet.ready.take();
        Ok((sheet, bytes))
    }

    /// The parts beside the sheet, and the sheet until its first row.
    fn head(&mut self, localizer: &Localizer<'_>, title: &str) -> Result<(), ZipError> {
        // The time of a ZIP's parts begins in 1980: the same report has the same bytes.
        let options = SimpleFileOptions::default().last_modified_time(DateTime::default());
        for (name, part) in parts::beside(title) {
            self.zip.start_file(name, options)?;
            self.zip.write_all(part.as_bytes())?;
        }
        self.zip.start_file(parts::SHEET, options)?;
        let widths = self.columns.iter().map(|column| column.kind.width());
        let mut text = parts::sheet_until_rows(localizer.direction() == "rtl", widths);
        self.last_row = 1;
        text.push_str("<row r=\"1\">");
        for (index, Column { field, kind }) in self.columns.iter().enumerate() {
            let heading = localizer.find(&format!("column-{field}"), &[]).unwrap_or_else(|| field.clone());
            let heading = if *kind == Kind::Time { format!("{heading} (UTC)") } else { heading };
            cell::text(&mut text, Place { row: 1, column: index }, Style::HEADING, &heading);
        }
        text.push_str("</row>");
        Ok(self.zip.write_all(text.as_bytes())?)
    }

    pub fn rows<R: Row>(&mut self, rows: &[R]) -> ApiResult<Vec<u8>> {
        let mut text = String::new();
        for row in rows {
            let cells = csv::cells(row, false).map_err(io::Error::from);
            self.row(&mut text, &logged(cells)?);
        }
        logged(self.zip.write_all(text.as_bytes()))?;
        Ok(self.ready.take())
    }

    fn row(&mut self, text: &mut String, cells: &::csv::StringRecord) {
        self.last_row += 1;
        let row = self.last_row;
        let _ = write!(text, "<row r=\"{row}\">");
        let (mut amounts, mut currency) = (Vec::new(), "");
        for (index, (column, value)) in self.columns.iter().zip(cells).enumerate() {
            column.kind.write(text, Place { row, column: index }, value);
            if column.kind == Kind::Amount {
                amounts.push(value.parse().unwrap_or(Decimal::ZERO));
            }
            if column.field == "currency" {
                currency = value;
            }
        }
        text.push_str("</row>");
        let none = || vec![Decimal::ZERO; amounts.len()];
        let sums = self.sums.entry(currency.to_owned()).or_insert_with(none);
        // The sum with its digits: 0 has none, and takes those of what is added.
        sums.iter_mut().zip(amounts).for_each(|(sum, amount)| *sum += amount);
    }

    /// Ends the sheet with a sum of each column with amounts for each currency.
    pub fn end(mut self) -> ApiResult<Vec<u8>> {
        let mut text = String::new();
        for (nth, (currency, sums)) in self.sums.iter().enumerate() {
            self.sum_row(&mut text, self.last_row + 2 + nth, currency, sums);
        }
        text.push_str(&parts::sheet_after_rows(Place { row: self.last_row, column: self.columns.len() - 1 }));
        logged(self.zip.write_all(text.as_bytes()))?;
        logged(self.zip.finish())?;
        Ok(self.ready.take())
    }

    /// A formula with its result, which programs show who calculate nothing.
    fn sum_row(&self, text: &mut String, row: usize, currency: &str, sums: &[Decimal]) {
        let _ = write!(text, "<row r=\"{row}\">");
        let all = |column| {
            let first = Place { row: 2, column };
            format!("{first}:{}", Place { row: self.last_row, column })
        };
        let currencies = self.columns.iter().position(|column| column.field == "currency").map(all);
        let mut sums = sums.iter();
        for (index, column) in self.columns.iter().enumerate() {
            let place = Place { row, column: index };
            if column.kind == Kind::Amount
                && let (Some(currencies), Some(sum)) = (&currencies, sums.next())
            {
                let formula = format!("SUMIFS({},{currencies},\"{currency}\")", all(index));
                cell::formula(text, place, &formula, *sum);
            } else if column.field == "currency" {
                cell::text(text, place, Style::HEADING, currency);
            } else if index == 0 {
                cell::text(text, place, Style::HEADING, &self.sum);
            }
        }
        text.push_str("</row>");
    }
}

fn logged<T, E: std::fmt::Display>(written: Result<T, E>) -> ApiResult<T> {
    written.map_err(|error| {
        request_log::failed(format_args!("the sheet cannot be written: {error}"));
        ApiError::Internal
    })
}
