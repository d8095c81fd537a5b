//! Query for a return of the One-Stop-Shop: what consumers in other member states were taxed.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use rust_decimal::Decimal;
use serde::Serialize;
use shared::db::Db;
use shared::ids::OrganisationId;
use shared::money::{Balance, Currency, serialize_optional_decimal};
use shared::region::Country;
use shared::tax_id;
use shared::territory::Territory;
use utoipa::ToSchema;

use super::taxes::{Sum, parts};
use crate::error::{ApiError, ApiResult};

/// What consumers in a member state have been charged in a quarter, for a return of the One-Stop-Shop; or the corrections of what they
/// were charged in an earlier one.
#[derive(Debug, Serialize, ToSchema)]
pub struct OneStopShopTotal {
    /// The member state whose rate applied. Returns write `EL` for `GR`.
    #[schema(pattern = "^[A-Z]{2}$", example = "FR")]
    country: String,
    /// The quarter of the supply, which is that of the order's first invoice.
    #[schema(pattern = "^\\d{4}-Q[1-4]$", example = "2026-Q4")]
    quarter: String,
    /// In percent. Null for corrections of an earlier quarter, which returns state without one.
    #[serde(serialize_with = "serialize_optional_decimal")]
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 100, example = 20)]
    rate: Option<Decimal>,
    #[schema(value_type = String, pattern = "^[A-Z]{3}$", example = "EUR")]
    currency: Currency,
    #[schema(value_type = f64, example = 165.83)]
    net: Balance,
    #[schema(value_type = f64, example = 33.17)]
    tax: Balance,
    /// Number of invoices and credit notes.
    #[schema(minimum = 1)]
    number: i64,
}

/// What one sum is about, in the order of the report: currency, quarter, country, rate.
type Key = (String, String, String, Option<Decimal>);

/// Sums what consumers in other member states than the seller's own were taxed from one day to another, both included, by the days that
/// the documents show: for each member state, quarter and rate. What corrects an earlier quarter has no rate.
pub async fn totals(
    db: &Db,
    organisation_id: OrganisationId,
    from: NaiveDate,
    to: NaiveDate,
) -> ApiResult<Vec<OneStopShopTotal>> {
    let mut sums: BTreeMap<Key, Sum> = BTreeMap::new();
    for part in parts(from, to) {
        for row in supplies(db, organisation_id, part).await? {
            let vat = |code: String| Country::try_from(code).ok().map(Country::of_vat);
            let country = vat(row.country).filter(|country| tax_id::is_member_state(*country));
            let Some(country) = country.filter(|country| Some(*country) != vat(row.seller)) else { continue };
            if Territory::of(country, row.state.as_deref(), row.postal_code.as_deref()).is_some() {
                continue;
            }
            let rate = Some(row.rate.normalize()).filter(|_| row.quarter == row.issued);
            let key = (row.currency, row.quarter, country.to_string(), rate);
            sums.entry(key).or_default().add(Sum { net: row.net, tax: row.tax, count: row.count });
        }
    }
    let totals = sums.into_iter().map(|((currency, quarter, country, rate), sum)| {
        let currency: Currency = currency.parse().map_err(|_| ApiError::Internal)?;
        let (net, tax) = (Balance::new(sum.net, currency), Balance::new(sum.tax, currency));
        Ok(OneStopShopTotal { country, quarter, rate, currency, net, tax, number: sum.count })
    });
    totals.collect()
}

struct Supplies {
    seller: String,
    country: String,
    state: Option<String>,
    postal_code: Option<String>,
    /// The quarter of the order's first invoice.
    quarter: String,
    /// The quarter of the documents.
    issued: String,
    rate: Decimal,
    currency: String,
    net: Decimal,
    tax: Decimal,
    count: i64,
}

async fn supplies(
    db: &Db,
    organisation_id: OrganisationId,
    (from, to): (NaiveDate, NaiveDate),
) -> ApiResult<Vec<Supplies>> {
    Ok(sqlx::query_as!(
        Supplies,
        r#"SELECT c.seller AS "seller!", c.country AS "country!", to_char(f.issued_on::date, 'YYYY"-Q"Q') AS "quarter!",
                  to_char(c.issued_on::date, 'YYYY"-Q"Q') AS "issued!", c.rate AS "rate!: Decimal", d.currency,
                  c.state, c.postal_code,
                  sum(c.sign * c.net) AS "net!: Decimal", sum(c.sign * c.tax) AS "tax!: Decimal", count(*) AS "count!"
           FROM documents d CROSS JOIN LATERAL (
               SELECT d.content #>> '{seller,country}' AS seller, d.content ->> 'tax_country' AS country, d.content ->> 'issued_on' AS issued_on,
                      d.content ->> 'tax_state' AS state, d.content #>> '{buyer,postal_code}' AS postal_code,
                      (d.content #>> '{lines,0,rate}')::numeric AS rate, CASE d.kind WHEN 'invoice' THEN 1 ELSE -1 END AS sign,
                      (d.content ->> 'net')::numeric AS net, (d.content ->> 'tax')::numeric AS tax
               OFFSET 0) c
           CROSS JOIN LATERAL (SELECT min(content ->> 'issued_on') AS issued_on FROM documents
                               WHERE cart_id = d.cart_id AND kind = 'invoice' AND state <> 'replaced' OFFSET 0) f
           WHERE d.organisation_id = $1 AND d.state = 'issued' AND (d.content ->> 'issued_on') COLLATE "C" BETWEEN $2 AND $3 AND c.rate > 0 AND c.country IS NOT NULL
           GROUP BY 1, 2, 3, 4, 5, 6, 7, 8"#,
        organisation_id as _,
        from.to_string(),
        to.to_string(),
    )
    .fetch_all(db)
    .await?)
}
