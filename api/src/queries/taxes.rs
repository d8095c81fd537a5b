//! Query for the tax report: what an organisation's invoices have taxed, less its credit notes.

use chrono::NaiveDate;
use rust_decimal::Decimal;
use shared::db::Db;
use shared::ids::OrganisationId;
use shared::money::Currency;

use crate::error::{ApiError, ApiResult};
use crate::words::TaxCategory;

/// The documents of one place, rate, category and currency together; amounts are in major units.
pub struct TaxTotal {
    pub country: Option<String>,
    /// As most of its documents write it; the rates know no letter case, either.
    pub state: Option<String>,
    /// In percent; None outside the scope of tax.
    pub rate: Option<Decimal>,
    pub category: TaxCategory,
    pub currency: Currency,
    pub net: Decimal,
    pub tax: Decimal,
    /// Invoices and credit notes.
    pub count: i64,
}

/// Sums what was taxed from one day to another, both included, by the days that the documents show. All lines of a document have
/// one rate. Credit notes have no notes, so the cart says why nothing was taxed. `OFFSET 0` has each document's
/// content read once; without it, PostgreSQL reads the content again to sort.
pub async fn totals(
    db: &Db,
    organisation_id: OrganisationId,
    from: NaiveDate,
    to: NaiveDate,
) -> ApiResult<Vec<TaxTotal>> {
    let rows = sqlx::query!(
        r#"SELECT country, (array_agg(state ORDER BY count DESC, state))[1] AS state,
                  CASE WHEN category <> 'O' THEN rate END AS "rate: Decimal", category AS "category!", currency AS "currency!",
                  sum(net) AS "net!: Decimal", sum(tax) AS "tax!: Decimal", sum(count)::bigint AS "count!"
           FROM (SELECT d.currency, c.country, c.state, c.rate, c.category, sum(c.sign * c.net) AS net, sum(c.sign * c.tax) AS tax,
                        count(*) AS count
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
                 WHERE d.organisation_id = $1 AND (d.content ->> 'issued_on') COLLATE "C" BETWEEN $2 AND $3
                 GROUP BY 1, 2, 3, 4, 5) s
           GROUP BY currency, country, lower(state), rate, category
           ORDER BY currency, country NULLS FIRST, lower(state) NULLS FIRST, rate, category"#,
        organisation_id as _,
        from.to_string(),
        to.to_string(),
    );
    let totals = rows.fetch_all(db).await?.into_iter().map(|row| {
        let currency: Currency = row.currency.parse().map_err(|_| ApiError::Internal)?;
        // What JSON stores has no zeros at its end.
        let with_digits = |mut amount: Decimal| {
            amount.rescale(currency.digits());
            amount
        };
        Ok(TaxTotal {
            country: row.country,
            state: row.state,
            rate: row.rate.map(|rate| rate.normalize()),
            category: row.category.parse().map_err(|_| ApiError::Internal)?,
            currency,
            net: with_digits(row.net),
            tax: with_digits(row.tax),
            count: row.count,
        })
    });
    totals.collect()
}
