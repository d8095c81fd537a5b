//! The forms of a report, row by row.

use serde::Serialize;
use strum::{EnumString, VariantNames};
use utoipa::ToSchema;

use super::csv::{self, Cell};

/// A row of a report: serialised in JSON, and its cells in CSV.
pub trait ReportRow: Serialize {
    const COLUMNS: &[&str];

    /// As many as there are columns.
    fn cells(self) -> Vec<Cell>;
}

// The form in which a report is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames, ToSchema)]
#[schema(rename_all = "snake_case", default = "csv")]
#[strum(serialize_all = "snake_case")]
pub enum Format {
    #[default]
    Csv,
    Json,
}

impl Format {
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Json => "application/json",
        }
    }

    /// The name of the file that a browser stores.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// Returns the text before the first row.
    pub fn begin<R: ReportRow>(self) -> String {
        match self {
            Self::Csv => csv::header(R::COLUMNS),
            Self::Json => "[".into(),
        }
    }

    /// Some rows; `is_first` says whether none came before them.
    ///
    /// # Errors
    /// A row cannot be written as JSON.
    pub fn rows<R: ReportRow>(
        self,
        rows: impl IntoIterator<Item = R>,
        is_first: bool,
    ) -> serde_json::Result<String> {
        let mut text = String::new();
        for (index, row) in rows.into_iter().enumerate() {
            match self {
                Self::Csv => csv::push_row(&mut text, row.cells()),
                Self::Json => {
                    text.push_str(if is_first && index == 0 { "\n" } else { ",\n" });
                    text.push_str(&serde_json::to_string(&row)?);
                }
            }
        }
        Ok(text)
    }

    /// Returns the text after the last row.
    pub fn end(self) -> String {
        match self {
            Self::Csv => String::new(),
            Self::Json => "\n]\n".into(),
        }
    }
}
