//! Queries for organisations and their branding.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use uuid::Uuid;

use crate::error::ApiResult;

#[derive(Debug, Serialize, Deserialize)]
pub struct OrganisationRow {
    pub id: Uuid,
    pub name: String,
    pub short_name: String,
    pub created_at: DateTime<Utc>,
    pub logo_url: Option<String>,
    pub favicon_url: Option<String>,
    pub trademark_url: Option<String>,
}

/// Organisations whose display name, or with `short_names` also short name, contains a text. Case and accents do not
/// matter; the empty text matches all.
pub async fn list(db: &PgPool, search: &str, short_names: bool) -> ApiResult<Vec<OrganisationRow>> {
    Ok(sqlx::query_as!(
        OrganisationRow,
        "SELECT id, name, short_name, created_at, logo_url, favicon_url, trademark_url FROM organisations
         WHERE searchable(name) LIKE containing($1) OR ($2 AND searchable(short_name) LIKE containing($1))
         ORDER BY lower(name), id",
        search,
        short_names,
    )
    .fetch_all(db)
    .await?)
}

/// The organisation that a learner's request selects.
#[derive(Debug)]
pub struct SelectedOrganisation {
    pub id: Uuid,
    pub short_name: String,
    /// Indicates whether any learner has access, not only members.
    pub open: bool,
    pub gateway: Option<String>,
    /// Indicates whether credentials for the gateway are stored.
    pub configured: bool,
    pub currency: String,
    /// None if the organisation charges no tax.
    pub prices_include_tax: Option<bool>,
}

/// An organisation by its short name, in any case.
pub async fn find(db: &PgPool, short_name: &str) -> ApiResult<Option<SelectedOrganisation>> {
    Ok(sqlx::query_as!(
        SelectedOrganisation,
        r#"SELECT id, short_name, open, gateway, configured, currency,
                  (seller ->> 'prices_include_tax')::boolean AS prices_include_tax
           FROM organisations WHERE lower(short_name) = lower($1)"#,
        short_name,
    )
    .fetch_optional(db)
    .await?)
}

/// Returns whether a learner has ever registered with, enrolled with, or bought from an organisation.
pub async fn is_member(db: &PgPool, organisation_id: Uuid, platform_user_id: i64) -> ApiResult<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM organisation_members m JOIN learners l ON l.id = m.learner_id
               WHERE m.organisation_id = $1 AND l.platform_user_id = $2) AS "exists!""#,
        organisation_id,
        platform_user_id,
    )
    .fetch_one(db)
    .await?)
}

/// The URL at which an organisation's learners register.
pub async fn registration_url(db: &PgPool, id: Uuid) -> ApiResult<Option<String>> {
    Ok(sqlx::query_scalar!("SELECT registration_url FROM organisations WHERE id = $1", id)
        .fetch_optional(db)
        .await?)
}

#[derive(Debug, Serialize, Deserialize)]
pub struct MarketingRow {
    pub organisation_id: Uuid,
    pub marketing_page_metadata: serde_json::Value,
}

/// The marketing metadata of all organisations that have any.
pub async fn marketing(db: &PgPool) -> ApiResult<Vec<MarketingRow>> {
    Ok(sqlx::query_as!(
        MarketingRow,
        "SELECT id AS organisation_id, marketing_page_metadata FROM organisations
         WHERE marketing_page_metadata <> '{}' ORDER BY lower(name), id"
    )
    .fetch_all(db)
    .await?)
}
