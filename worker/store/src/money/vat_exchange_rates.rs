//! Exchange rates by day, at which organisations state their VAT in the currency of their state.

use chrono::{DateTime, NaiveDate, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::json;
use shared::db::Db;
use shared::ids::OrganisationId;
use shared::money::Currency;
use sqlx::PgConnection;

use crate::error::JobResult;
use crate::model::document::Sale;
use crate::model::seller::Issuer;
use crate::model::vat_conversion::{Conversion, DayRate};
use crate::plumbing::audit::{self, Cause, Change, Entity};

/// The most days that a rate may be older than the supply. Weekends and holidays have none.
const OLDEST: i32 = 7;

/// A rate to set: one of `base` is `rate` of `quote`.
pub struct NewRate<'a> {
    pub base: Currency,
    pub quote: Currency,
    pub day: NaiveDate,
    pub rate: Decimal,
    pub source: &'a str,
}

/// A rate on record.
#[derive(Debug, Serialize)]
pub struct StoredRate {
    pub base: String,
    pub quote: String,
    pub day: NaiveDate,
    pub rate: Decimal,
    pub source: String,
    pub set_at: DateTime<Utc>,
    pub set_by: String,
}

/// The rate at which the invoice of a sale states the VAT of the seller's state: the newest one up to the day of the supply, or up to the
/// present day where that waits for the payment. What another program issues is converted there.
pub async fn conversion(db: &mut PgConnection, sale: &Sale) -> JobResult<Conversion> {
    let seller = &sale.seller;
    let home = seller.country.of_vat();
    let is_at_home = sale.tax_terms.as_ref().is_some_and(|terms| terms.country == home);
    let is_due =
        is_at_home && seller.documents != Issuer::External && sale.lines.iter().any(|line| line.tax > 0);
    let base = sale.charged.currency();
    let quote = seller.vat_currency.filter(|quote| is_due && *quote != base);
    let Some(quote) = quote else { return Ok(Conversion::NotNeeded) };
    let found = sqlx::query!(
        "SELECT rate, day, source FROM vat_exchange_rates
         WHERE organisation_id = $1 AND base = $2 AND quote = $3 AND day BETWEEN $4::date - $5::integer AND $4
         ORDER BY day DESC LIMIT 1",
        sale.organisation_id as _,
        base.code(),
        quote.code(),
        sale.supplied_on.unwrap_or(sale.today),
        OLDEST,
    )
    .fetch_optional(db)
    .await?;
    Ok(found.map_or(Conversion::Missing, |found| {
        Conversion::At(DayRate {
            currency: quote,
            rate: found.rate.normalize(),
            day: found.day,
            source: found.source,
        })
    }))
}

/// Sets the rate of a day, in the place of one that it has, and makes the documents due that wait for one.
pub async fn set(
    db: &mut PgConnection,
    organisation_id: OrganisationId,
    new: &NewRate<'_>,
    cause: Cause,
) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO vat_exchange_rates (organisation_id, base, quote, day, rate, source, set_at, set_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (organisation_id, base, quote, day) DO UPDATE
         SET rate = excluded.rate, source = excluded.source, set_at = excluded.set_at, set_by = excluded.set_by",
        organisation_id as _,
        new.base.code(),
        new.quote.code(),
        new.day,
        new.rate,
        new.source,
        cause.now,
        cause.actor.to_string(),
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "UPDATE documents_due d SET next_attempt_at = $2 FROM carts c
         WHERE c.id = d.cart_id AND c.organisation_id = $1 AND d.awaits_rate",
        organisation_id as _,
        cause.now,
    )
    .execute(&mut *db)
    .await?;
    let detail = json!({
        "base": new.base, "quote": new.quote, "day": new.day, "rate": new.rate.to_string(), "source": new.source,
    });
    let change = Change { entity: Entity::Books, id: organisation_id.0, from: None, to: "rate_set", detail };
    audit::record(db, cause, change).await
}

/// The rates of an organisation, latest first.
pub async fn list(db: &Db, organisation_id: OrganisationId, limit: i64) -> JobResult<Vec<StoredRate>> {
    let rates = sqlx::query_as!(
        StoredRate,
        r#"SELECT base AS "base!", quote AS "quote!", day, rate, source, set_at, set_by FROM vat_exchange_rates
           WHERE organisation_id = $1 ORDER BY day DESC, base, quote LIMIT $2"#,
        organisation_id as _,
        limit,
    );
    Ok(rates.fetch_all(db).await?)
}
