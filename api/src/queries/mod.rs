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
pub mod former_prices;
pub mod ledger;
pub mod links;
pub mod months;
pub mod notifications;
pub mod offers;
pub mod one_stop_shop;
pub mod orders;
pub mod organisation_keys;
pub mod organisations;
pub mod payouts;
pub mod pricing;
pub mod programs;
pub mod reviews;
pub mod seats;
pub mod skus;
pub mod staff;
pub mod tags;
pub mod taxes;
pub mod vouchers;
pub mod waiting_list;
pub mod withdrawals;
pub mod zones;

use shared::db::Db;

use crate::error::ApiResult;

/// Limit at which the total of a long list ends: counting all of it would take longer than reading a page.
pub const COUNTED: i64 = 1_000;

/// A page of a list whose total ends at [`COUNTED`].
pub struct Page<T> {
    pub items: Vec<T>,
    pub total: i64,
    pub has_more: bool,
}

impl<T> Page<T> {
    /// The first `limit` of these items; one more of them was read, if there is one.
    pub fn new(mut items: Vec<T>, total: i64, limit: i64) -> Self {
        let shown = usize::try_from(limit).unwrap_or_default();
        let has_more = items.len() > shown;
        items.truncate(shown);
        Self { items, total, has_more }
    }
}

/// The catalog generation: the number of the last committed catalog change.
pub async fn generation(db: &Db) -> ApiResult<i64> {
    Ok(sqlx::query_scalar!("SELECT generation FROM catalog_generation").fetch_one(db).await?)
}
