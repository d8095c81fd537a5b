//! All of the api's SQL: SELECT statements only, one file per resource. They return the rows that the views need, no
//! JSON.

pub mod banners;
pub mod batches;
pub mod carts;
pub mod contents;
pub mod courses;
pub mod desk;
pub mod documents;
pub mod enrollments;
pub mod events;
pub mod filter;
pub mod ledger;
pub mod links;
pub mod notifications;
pub mod orders;
pub mod organisation_keys;
pub mod organisations;
pub mod pricing;
pub mod programs;
pub mod reviews;
pub mod seats;
pub mod skus;
pub mod staff;
pub mod tags;
pub mod taxes;
pub mod vouchers;
pub mod withdrawals;
pub mod zones;

use shared::db::Db;

use crate::error::ApiResult;

/// The catalog generation: the number of the last committed catalog change.
pub async fn generation(db: &Db) -> ApiResult<i64> {
    Ok(sqlx::query_scalar!("SELECT generation FROM catalog_generation").fetch_one(db).await?)
}
