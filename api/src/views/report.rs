//! The forms of a report, row by row.

use serde::Serialize;
use strum::{EnumString, VariantNames};
use utoipa::{PartialSchema, ToSchema};

use super::csv;
use crate::error::{ApiError, ApiResult};

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
    pub fn begin<R: PartialSchema>(self) -> ApiResult<String> {
        match self {
            Self::Csv => csv::header::<R>(),
            Self::Json => Ok("[".into()),
        }
    }

    /// Some rows; `is_first` says whether none came before them.
    pub fn rows<R: Serialize>(self, rows: impl IntoIterator<Item = R>, is_first: bool) -> ApiResult<String> {
        if let Self::Csv = self {
            return csv::rows(rows);
        }
        let mut text = String::new();
        for (index, row) in rows.into_iter().enumerate() {
            text.push_str(if is_first && index == 0 { "\n" } else { ",\n" });
            text.push_str(&serde_json::to_string(&row).map_err(|_| ApiError::Internal)?);
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
