//! Queries for regional policies and exchange rates. They load all rows, which are few and needed for every price.

use std::collections::HashMap;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use shared::db::Db;
use shared::ids::OrganisationId;
use shared::pricing::{ExchangeRate, Policy, RegionalTerms};

use crate::error::ApiResult;

/// The data that turns a stored price into the one that a visitor sees.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PriceBook {
    pub policies: HashMap<OrganisationId, Policy>,
    pub rates: Vec<ExchangeRate>,
}

/// Loads the price book. An invalid row is logged and left out.
pub async fn load(db: &Db) -> ApiResult<PriceBook> {
    let mut book = PriceBook::default();
    let policies = sqlx::query!(
        r#"SELECT p.organisation_id AS "organisation_id!", p.enabled AS "enabled!", c.country AS "country?", c.percent_off AS "percent_off?: Decimal",
                  c.display_currency AS "display_currency?"
           FROM pricing_policies p LEFT JOIN pricing_policy_countries c USING (organisation_id)"#
    )
    .fetch_all(db)
    .await?;
    for row in policies {
        let policy = book.policies.entry(row.organisation_id).or_default();
        policy.enabled = row.enabled;
        let (Some(country), Some(percent_off)) = (row.country, row.percent_off) else { continue };
        let display_currency = row.display_currency.and_then(|code| code.parse().ok());
        match country.parse() {
            Ok(country) => {
                policy.countries.insert(country, RegionalTerms { percent_off, display_currency });
            }
            Err(error) => tracing::error!(%error, country, "invalid stored price policy; ignored"),
        }
    }
    let rates = sqlx::query!("SELECT base, quote, rate, as_of FROM exchange_rates").fetch_all(db).await?;
    for row in rates {
        match (row.base.parse(), row.quote.parse()) {
            (Ok(base), Ok(quote)) => {
                book.rates.push(ExchangeRate { base, quote, rate: row.rate, as_of: row.as_of });
            }
            _ => tracing::error!(row.base, row.quote, "invalid stored exchange rate; ignored"),
        }
    }
    Ok(book)
}
