//! Queries for the tax reports: what an organisation's invoices have taxed, less its credit notes, and what of it was paid.

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
use strum::{Display, EnumString, VariantNames};
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

// The day that a tax counts on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames, ToSchema)]
#[schema(rename_all = "snake_case", default = "issued")]
#[strum(serialize_all = "snake_case")]
pub enum TaxDay {
    #[default]
    Issued,
    Paid,
}

/// Kind of buyer. A company is one whose invoice names a company or a tax number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = TaxedBuyer)]
pub enum Buyer {
    Consumer,
    Company,
}

/// The invoices of one day, place, rate, category, kind of buyer and currency, less their credit notes; or what was paid of them on that
/// day, less what went back.
#[derive(Debug, Serialize, ToSchema)]
pub struct DailyTaxTotal {
    /// The day that the documents show, or that of the payments. A day of the seller's time zone.
    date: NaiveDate,
    /// The country whose rate applied; null outside the scope of tax.
    #[schema(pattern = "^[A-Z]{2}$", example = "FR")]
    country: Option<String>,
    /// The state of it, where one was known, in any letter case.
    state: Option<String>,
    /// All taxes together, in percent; null outside the scope of tax.
    #[serde(serialize_with = "serialize_optional_decimal")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 100, example = 20)]
    rate: Option<Decimal>,
    category: TaxCategory,
    buyer: Buyer,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "EUR")]
    currency: Currency,
    /// Without the tax. Negative if more went back than came in.
    #[schema(value_type = f64, example = 165.83)]
    net: Balance,
    #[schema(value_type = f64, example = 33.17)]
    tax: Balance,
    /// Number of invoices and credit notes, or of payments and refunds.
    #[schema(minimum = 1)]
    number: i64,
}

/// Days that one statement sums: a year of a large shop would take longer than a statement may.
const SUMMED: Days = Days::new(30);

/// What one sum is about, in the order of the report; places without a rate come last.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    date: Option<NaiveDate>,
    currency: String,
    country: Option<String>,
    place: Option<String>,
    rate: (bool, Option<Decimal>),
    category: String,
    buyer: Option<Buyer>,
}

/// Net, tax and number of documents.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub net: Decimal,
    pub tax: Decimal,
    pub count: i64,
}

impl Sum {
    pub fn add(&mut self, other: Self) {
        *self =
            Self { net: self.net + other.net, tax: self.tax + other.tax, count: self.count + other.count };
    }
}

/// The sums of one key.
struct Total {
    state: Option<String>,
    rate: Option<Decimal>,
    category: TaxCategory,
    currency: Currency,
    sum: Sum,
}

/// The parts of a time that are summed one after the other.
pub(super) fn parts(from: NaiveDate, to: NaiveDate) -> impl Iterator<Item = (NaiveDate, NaiveDate)> {
    let part = move |day: NaiveDate| (day, day.checked_add_days(SUMMED).map_or(to, |last| last.min(to)));
    std::iter::successors(Some(part(from)), move |(_, last)| {
        last.succ_opt().filter(|day| *day <= to).map(part)
    })
}

/// Sums what was taxed from one day to another, both included, by the days that the documents show.
pub async fn totals(
    db: &Db,
    organisation_id: OrganisationId,
    from: NaiveDate,
    to: NaiveDate,
) -> ApiResult<Vec<TaxTotal>> {
    let sums = summed(db, organisation_id, (from, to), None).await?;
    let totals = sums.into_iter().map(|(key, total)| TaxTotal {
        country: key.country,
        state: total.state,
        rate: total.rate,
        category: total.category,
        currency: total.currency,
        net: Balance::new(total.sum.net, total.currency),
        tax: Balance::new(total.sum.tax, total.currency),
        count: total.sum.count,
    });
    Ok(totals.collect())
}

/// Sums the same for each day, or what was paid and refunded on it.
pub async fn daily(
    db: &Db,
    organisation_id: OrganisationId,
    from: NaiveDate,
    to: NaiveDate,
    by: TaxDay,
) -> ApiResult<Vec<DailyTaxTotal>> {
    let sums = summed(db, organisation_id, (from, to), Some(by)).await?;
    let totals = sums.into_iter().filter_map(|(key, total)| {
        Some(DailyTaxTotal {
            date: key.date?,
            country: key.country,
            state: total.state,
            rate: total.rate,
            category: total.category,
            buyer: key.buyer?,
            currency: total.currency,
            net: Balance::new(total.sum.net, total.currency),
            tax: Balance::new(total.sum.tax, total.currency),
            number: total.sum.count,
        })
    });
    Ok(totals.collect())
}

async fn summed(
    db: &Db,
    organisation_id: OrganisationId,
    (from, to): (NaiveDate, NaiveDate),
    by: Option<TaxDay>,
) -> ApiResult<Vec<(Key, Total)>> {
    // The sums of each spelling of a state, which rates do not tell apart, either.
    let mut sums: BTreeMap<Key, BTreeMap<Option<String>, Sum>> = BTreeMap::new();
    for part in parts(from, to) {
        for row in rows(db, organisation_id, part, by).await? {
            let (key, state, sum) = row.read(by)?;
            sums.entry(key).or_default().entry(state).or_default().add(sum);
        }
    }
    let totals = sums.into_iter().map(|(key, spellings)| total(&key, spellings).map(|total| (key, total)));
    totals.collect()
}

fn total(key: &Key, spellings: BTreeMap<Option<String>, Sum>) -> ApiResult<Total> {
    let category = key.category.parse().map_err(|_| ApiError::Internal)?;
    let mut sum = Sum::default();
    spellings.values().for_each(|part| sum.add(*part));
    let state = spellings.into_iter().max_by_key(|(state, sum)| (sum.count, Reverse(state.clone())));
    Ok(Total {
        state: state.and_then(|(state, _)| state),
        rate: key.rate.1.filter(|_| category != TaxCategory::O).map(|rate| rate.normalize()),
        category,
        currency: key.currency.parse().map_err(|_| ApiError::Internal)?,
        sum,
    })
}

struct TotalRow {
    date: Option<NaiveDate>,
    currency: String,
    country: Option<String>,
    state: Option<String>,
    rate: Option<Decimal>,
    category: String,
    is_company: bool,
    net: Decimal,
    tax: Decimal,
    count: i64,
}

impl TotalRow {
    fn read(self, by: Option<TaxDay>) -> ApiResult<(Key, Option<String>, Sum)> {
        let country = self.country.clone().and_then(|country| Country::try_from(country).ok());
        let place = country.zip(self.state.as_deref());
        let currency: Currency = self.currency.parse().map_err(|_| ApiError::Internal)?;
        // What the ledger has is in minor units.
        let unit = if by == Some(TaxDay::Paid) {
            Decimal::from(10_i64.pow(currency.digits()))
        } else {
            Decimal::ONE
        };
        let buyer = if self.is_company { Buyer::Company } else { Buyer::Consumer };
        let key = Key {
            date: self.date,
            currency: self.currency,
            country: self.country,
            place: place.map(|(country, state)| subdivision::key(country, state)),
            rate: (self.rate.is_none(), self.rate),
            category: self.category,
            buyer: by.map(|_| buyer),
        };
        Ok((key, self.state, Sum { net: self.net / unit, tax: self.tax / unit, count: self.count }))
    }
}

/// All lines of a document have one rate. Credit notes have no notes, so the cart says why nothing was taxed. A payment counts under the
/// invoice that was valid when it was booked, or else the first, and a refund under its credit note. The last `OFFSET 0` has each document's content read once;
/// without it, PostgreSQL reads the content again to sort.
async fn rows(
    db: &Db,
    organisation_id: OrganisationId,
    (from, to): (NaiveDate, NaiveDate),
    by: Option<TaxDay>,
) -> ApiResult<Vec<TotalRow>> {
    Ok(sqlx::query_as!(
        TotalRow,
        r#"SELECT CASE WHEN $4 THEN d.day::date END AS date, d.currency AS "currency!", c.country, c.state, c.rate AS "rate: Decimal",
                  c.category AS "category!", $4 AND c.is_company AS "is_company!", sum(coalesce(d.net, c.sign * c.net)) AS "net!: Decimal",
                  sum(coalesce(d.tax, c.sign * c.tax)) AS "tax!: Decimal", count(*) AS "count!"
           FROM (SELECT kind, cart_id, currency, content, content ->> 'issued_on' AS day, NULL::numeric AS net, NULL::numeric AS tax
                 FROM documents
                 WHERE NOT $5 AND organisation_id = $1 AND state = 'issued' AND (content ->> 'issued_on') COLLATE "C" BETWEEN $2::text AND $3::text
                 UNION ALL
                 SELECT n.kind, l.cart_id, l.currency, n.content, (l.received_at AT TIME ZONE o.zone)::date::text, l.amount - l.tax, l.tax
                 FROM (SELECT day_zone(seller) AS zone FROM organisations WHERE id = $1 AND $5) o
                 JOIN ledger l ON l.organisation_id = $1 AND l.kind IN ('captured', 'refunded', 'refund_failed')
                    AND l.received_at >= day_begins($2::text::date, o.zone) AND l.received_at < day_begins($3::text::date + 1, o.zone)
                 CROSS JOIN LATERAL (SELECT kind, content FROM documents WHERE cart_id = l.cart_id AND state <> 'replaced' AND (kind = 'invoice' OR refund_id = l.refund_id)
                                     ORDER BY refund_id IS NULL, CASE WHEN l.kind = 'captured' AND issued_at <= l.at THEN -version ELSE version END LIMIT 1) n) d
           CROSS JOIN LATERAL (
               SELECT d.content ->> 'tax_country' AS country, d.content ->> 'tax_state' AS state,
                      (d.content #>> '{lines,0,rate}')::numeric AS rate,
                      CASE WHEN (d.content #>> '{lines,0,rate}')::numeric > 0 THEN 'S'
                           WHEN d.content ->> 'reverse_charge' IS NOT NULL THEN 'AE'
                           WHEN d.content ->> 'tax_country' IS NULL OR d.content -> 'taxes' = '[]' THEN 'O'
                           WHEN (SELECT k.tax_terms ->> 'note' FROM carts k WHERE k.id = d.cart_id) IS NOT NULL THEN 'E'
                           ELSE 'Z' END AS category,
                      coalesce(d.content #>> '{buyer,company}', d.content #>> '{buyer,tax_id}') IS NOT NULL AS is_company,
                      CASE d.kind WHEN 'invoice' THEN 1 ELSE -1 END AS sign,
                      (d.content ->> 'net')::numeric AS net, (d.content ->> 'tax')::numeric AS tax
               OFFSET 0) c
           GROUP BY 1, 2, 3, 4, 5, 6, 7"#,
        organisation_id as _,
        from.to_string(),
        to.to_string(),
        by.is_some(),
        by == Some(TaxDay::Paid),
    )
    .fetch_all(db)
    .await?)
}
