//! JSON and CSV of the tax report.

use rust_decimal::Decimal;
use serde::Serialize;
use utoipa::ToSchema;

use super::csv::Cell;
use super::price::{number, optional_number};
use super::report::ReportRow;
use crate::queries::taxes::TaxTotal;
use crate::words::TaxCategory;

/// The invoices of one place, rate, category and currency, less their credit notes.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TaxTotal)]
pub struct TaxTotalBody {
    /// The country whose rate applied; null outside the scope of tax.
    #[schema(pattern = "^[A-Z]{2}$", example = "DE")]
    country: Option<String>,
    /// The state of it, where one was known, in any letter case.
    state: Option<String>,
    /// All taxes together, in percent; null outside the scope of tax.
    #[serde(serialize_with = "optional_number")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 100, example = 19)]
    rate: Option<Decimal>,
    category: TaxCategory,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "EUR")]
    currency: &'static str,
    /// Without the tax. Negative if more was credited than invoiced.
    #[serde(serialize_with = "number")]
    #[schema(value_type = f64, example = 167.23)]
    net: Decimal,
    #[serde(serialize_with = "number")]
    #[schema(value_type = f64, example = 31.77)]
    tax: Decimal,
    /// Number of invoices and credit notes.
    #[schema(minimum = 1)]
    count: i64,
}

impl From<TaxTotal> for TaxTotalBody {
    fn from(total: TaxTotal) -> Self {
        Self {
            country: total.country,
            state: total.state,
            rate: total.rate,
            category: total.category,
            currency: total.currency.code(),
            net: total.net,
            tax: total.tax,
            count: total.count,
        }
    }
}

impl ReportRow for TaxTotalBody {
    const COLUMNS: &[&str] = &["country", "state", "rate", "category", "currency", "net", "tax", "count"];

    fn cells(self) -> Vec<Cell> {
        vec![
            Cell::optional_text(self.country),
            Cell::optional_text(self.state),
            Cell::optional(self.rate),
            Cell::value(self.category),
            Cell::value(self.currency),
            Cell::value(self.net),
            Cell::value(self.tax),
            Cell::value(self.count),
        ]
    }
}
