//! Query for the tax report: what an organisation's invoices have taxed, less its credit notes.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::{Days, NaiveDate};
use rust_decimal::Decimal;
use serde::Serialize;
use shared::db::Db;
use shared::ids::OrganisationId;
use shared::money::{Balance, Currency, serialize_optional_decimal};
use shared::region::Country;
use shared::subdivision;
use utoipa::ToSchema;

use crate::error::{ApiError, ApiResult};
use crate::words::TaxCategory;

/// The invoices of one place, rate, category and currency, less their credit notes.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaxTotal {
    /// The country whose rate applied; null outside the scope of tax.
    #[schema(pattern = "^[A-Z]{2}$", example = "DE")]
    country: Option<String>,
    /// The state of it, where one was known, in any letter case.
    state: Option<String>,
    /// All taxes together, in percent; null outside the scope of tax.
    #[serde(serialize_with = "serialize_optional_decimal")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 100, example = 19)]
    rate: Option<Decimal>,
    category: TaxCategory,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "EUR")]
    currency: Currency,
    /// Without the tax. Negative if more was credited than invoiced.
    #[schema(value_type = f64, example = 167.23)]
    net: Balance,
    #[schema(value_type = f64, example = 31.77)]
    tax: Balance,
    /// Number of invoices and credit notes.
    #[schema(minimum = 1)]
    count: i64,
}

/// Days that one statement sums: a year of a large shop would take longer than a statement may.
const SUMMED: Days = Days::new(30);

/// What one sum is about: currency, country and state, rate (none last) and category, which is the order of the report.
type TotalKey = (String, Option<String>, Option<String>, (bool, Option<Decimal>), String);

/// Net, tax and number of documents.
type Sum = (Decimal, Decimal, i64);

/// Sums what was taxed from one day to another, both included, by the days that the documents show.
pub async fn totals(
    db: &Db,
    organisation_id: OrganisationId,
    from: NaiveDate,
    to: NaiveDate,
) -> ApiResult<Vec<TaxTotal>> {
    // The sums of each spelling of a state, which rates do not tell apart, either.
    let mut sums: BTreeMap<TotalKey, BTreeMap<Option<String>, Sum>> = BTreeMap::new();
    let mut first = Some(from);
    while let Some(day) = first.filter(|day| *day <= to) {
        let last = day.checked_add_days(SUMMED).map_or(to, |last| last.min(to));
        for row in totals_between(db, organisation_id, day, last).await? {
            let country = row.country.clone().and_then(|country| Country::try_from(country).ok());
            let place = country.zip(row.state.as_deref());
            let place = place.map(|(country, state)| subdivision::key(country, state));
            let key = (row.currency, row.country, place, (row.rate.is_none(), row.rate), row.category);
            let (net, tax, count) = sums.entry(key).or_default().entry(row.state).or_default();
            (*net, *tax, *count) = (*net + row.net, *tax + row.tax, *count + row.count);
        }
        first = last.succ_opt();
    }
    sums.into_iter().map(|(key, spellings)| total(key, spellings)).collect()
}

fn total(key: TotalKey, spellings: BTreeMap<Option<String>, Sum>) -> ApiResult<TaxTotal> {
    let (currency, country, _, (_, rate), category) = key;
    let currency: Currency = currency.parse().map_err(|_| ApiError::Internal)?;
    let category = category.parse().map_err(|_| ApiError::Internal)?;
    let net = spellings.values().map(|(net, ..)| *net).sum();
    let tax = spellings.values().map(|(_, tax, _)| *tax).sum();
    let count = spellings.values().map(|(.., count)| *count).sum();
    let state = spellings.into_iter().max_by_key(|(state, (.., count))| (*count, Reverse(state.clone())));
    Ok(TaxTotal {
        country,
        state: state.and_then(|(state, _)| state),
        rate: rate.filter(|_| category != TaxCategory::O).map(|rate| rate.normalize()),
        category,
        currency,
        net: Balance::new(net, currency),
        tax: Balance::new(tax, currency),
        count,
    })
}

struct TotalRow {
    currency: String,
    country: Option<String>,
    state: Option<String>,
    rate: Option<Decimal>,
    category: String,
    net: Decimal,
    tax: Decimal,
    count: i64,
}

/// All lines of a document have one rate. Credit notes have no notes, so the cart says why nothing was taxed. `OFFSET 0` has each
/// document's content read once; without it, PostgreSQL reads the content again to sort.
async fn totals_between(
    db: &Db,
    organisation_id: OrganisationId,
    from: NaiveDate,
    to: NaiveDate,
) -> ApiResult<Vec<TotalRow>> {
    Ok(sqlx::query_as!(
        TotalRow,
        r#"SELECT d.currency, c.country, c.state, c.rate AS "rate: Decimal", c.category AS "category!",
                  sum(c.sign * c.net) AS "net!: Decimal", sum(c.sign * c.tax) AS "tax!: Decimal", count(*) AS "count!"
           FROM documents d CROSS JOIN LATERAL (
               SELECT d.content ->> 'tax_country' AS country, d.content ->> 'tax_state' AS state,
                      (d.content #>> '{lines,0,rate}')::numeric AS rate,
                      CASE WHEN (d.content #>> '{lines,0,rate}')::numeric > 0 THEN 'S'
                           WHEN d.content ->> 'reverse_charge' IS NOT NULL THEN 'AE'
                           WHEN d.content ->> 'tax_country' IS NULL OR d.content -> 'taxes' = '[]' THEN 'O'
                           WHEN (SELECT k.tax_terms ->> 'note' FROM carts k WHERE k.id = d.cart_id) IS NOT NULL THEN 'E'
                           ELSE 'Z' END AS category,
                      CASE d.kind WHEN 'invoice' THEN 1 ELSE -1 END AS sign,
                      (d.content ->> 'net')::numeric AS net, (d.content ->> 'tax')::numeric AS tax
               OFFSET 0) c
           WHERE d.organisation_id = $1 AND d.state = 'issued' AND (d.content ->> 'issued_on') COLLATE "C" BETWEEN $2 AND $3
           GROUP BY 1, 2, 3, 4, 5"#,
        organisation_id as _,
        from.to_string(),
        to.to_string(),
    )
    .fetch_all(db)
    .await?)
}
