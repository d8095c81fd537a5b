//! The forms of a report, row by row.

use serde::Serialize;
use strum::{EnumString, VariantNames};
use texts::Localizer;
use utoipa::{PartialSchema, ToSchema};

use super::csv;
use super::xlsx::{self, Sheet};
use crate::error::{ApiError, ApiResult};
use crate::queries::ledger::Movement;
use crate::queries::one_stop_shop::OneStopShopTotal;
use crate::queries::payouts::{Payout, PayoutMovement};
use crate::queries::taxes::{DailyTaxTotal, TaxTotal};

// The form in which a report is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames, ToSchema)]
#[schema(rename_all = "snake_case", default = "csv")]
#[strum(serialize_all = "snake_case")]
pub enum Format {
    #[default]
    Csv,
    Json,
    Xlsx,
}

impl Format {
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Json => "application/json",
            Self::Xlsx => xlsx::MEDIA_TYPE,
        }
    }

    /// The name of the file that a browser stores.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Xlsx => "xlsx",
        }
    }

    /// Checks that the form has room for this many rows.
    ///
    /// # Errors
    /// `InvalidRequest`.
    pub fn check_room(self, rows: usize) -> ApiResult<()> {
        if self == Self::Xlsx && rows > xlsx::MOST_ROWS {
            let fault = format!(
                "has room for {} rows, and the report has {rows}; ask for less time or another format",
                xlsx::MOST_ROWS
            );
            return Err(ApiError::invalid("format", fault));
        }
        Ok(())
    }
}

/// The bytes of a workbook.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
pub struct XlsxFile(());

/// A row of a report: a struct whose schema says what its fields are.
pub trait Row: Serialize + PartialSchema {
    /// The message with the report's title.
    const TITLE: &'static str;
    /// The fields with amounts of `currency`.
    const AMOUNTS: &'static [&'static str];
}

impl Row for Movement {
    const TITLE: &'static str = "reports-ledger";
    const AMOUNTS: &'static [&'static str] =
        &["amount", "tax", "list_price", "discounts", "voucher_discount"];
}

impl Row for Payout {
    const TITLE: &'static str = "payouts-title";
    const AMOUNTS: &'static [&'static str] = &[
        "amount",
        "payments",
        "refunds",
        "disputes",
        "fees",
        "returned",
        "other",
        "rounding",
        "difference",
        "fee_tax",
    ];
}

impl Row for PayoutMovement {
    const TITLE: &'static str = "payouts-movements";
    const AMOUNTS: &'static [&'static str] = &["gross", "fee", "fee_tax", "net"];
}

impl Row for TaxTotal {
    const TITLE: &'static str = "reports-taxes";
    const AMOUNTS: &'static [&'static str] = &["net", "tax"];
}

impl Row for DailyTaxTotal {
    const TITLE: &'static str = "reports-taxes-days";
    const AMOUNTS: &'static [&'static str] = &["net", "tax"];
}

impl Row for OneStopShopTotal {
    const TITLE: &'static str = "reports-taxes-oss";
    const AMOUNTS: &'static [&'static str] = &["net", "tax"];
}

/// A report that is being written. Each step returns the bytes that are ready.
pub enum Report {
    Csv,
    Json { is_empty: bool },
    Xlsx(Box<Sheet>),
}

impl Report {
    /// Begins a report; the reader's language is that of a sheet's headings.
    pub fn begin<R: Row>(format: Format, localizer: &Localizer<'_>) -> ApiResult<(Self, Vec<u8>)> {
        Ok(match format {
            Format::Csv => (Self::Csv, csv::header::<R>()?.into()),
            Format::Json => (Self::Json { is_empty: true }, b"[".into()),
            Format::Xlsx => {
                let (sheet, bytes) = Sheet::begin::<R>(localizer)?;
                (Self::Xlsx(Box::new(sheet)), bytes)
            }
        })
    }

    pub fn rows<R: Row>(&mut self, rows: Vec<R>) -> ApiResult<Vec<u8>> {
        match self {
            Self::Csv => Ok(csv::rows(rows)?.into()),
            Self::Json { is_empty } => {
                let mut text = Vec::new();
                for row in rows {
                    let begin: &[u8] = if std::mem::take(is_empty) { b"\n" } else { b",\n" };
                    text.extend_from_slice(begin);
                    serde_json::to_writer(&mut text, &row).map_err(|_| ApiError::Internal)?;
                }
                Ok(text)
            }
            Self::Xlsx(sheet) => sheet.rows(&rows),
        }
    }

    pub fn end(self) -> ApiResult<Vec<u8>> {
        match self {
            Self::Csv => Ok(Vec::new()),
            Self::Json { .. } => Ok(b"\n]\n".into()),
            Self::Xlsx(sheet) => sheet.end(),
        }
    }
}
