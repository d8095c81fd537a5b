//! Organisations, as jobs need them.

use shared::ids::OrganisationId;
use shared::money::Currency;
use sqlx::PgPool;

use crate::error::{JobError, JobResult};

/// Finds an organisation by its short name, ignoring case.
pub async fn id(db: &PgPool, short_name: &str) -> JobResult<Option<OrganisationId>> {
    Ok(sqlx::query_scalar!("SELECT id FROM organisations WHERE lower(short_name) = lower($1)", short_name)
        .fetch_optional(db)
        .await?)
}

/// Facts that a payment request needs of an organisation: the name that buyers see, the URL they return to, and the gateway.
pub struct Organisation {
    pub name: String,
    pub return_url: String,
    pub gateway: Option<String>,
}

/// Reads an organisation as a seller.
pub async fn find(db: &PgPool, id: OrganisationId) -> JobResult<Option<Organisation>> {
    Ok(sqlx::query_as!(
        Organisation,
        "SELECT name, return_url, gateway FROM organisations WHERE id = $1",
        id as _
    )
    .fetch_optional(db)
    .await?)
}

/// The days within which learners may ask this organisation for a refund; None if they may not.
pub async fn refund_days(db: &PgPool, id: OrganisationId) -> JobResult<Option<i32>> {
    Ok(sqlx::query_scalar!("SELECT refund_days FROM organisations WHERE id = $1", id as _)
        .fetch_one(db)
        .await?)
}

/// The currency that an organisation sells in; None if there is no such organisation.
pub async fn currency(db: &PgPool, id: OrganisationId) -> JobResult<Option<Currency>> {
    let code = sqlx::query_scalar!("SELECT currency FROM organisations WHERE id = $1", id as _);
    let currency = code.fetch_optional(db).await?.map(|code| code.parse()).transpose();
    currency.map_err(|error| JobError::dead(format!("stored currency: {error}")))
}
