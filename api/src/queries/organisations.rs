//! Queries for organisations and their branding.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use shared::db::Db;
use shared::ids::OrganisationId;
use shared::withdrawal;
use sqlx::types::Json;
use texts::Language;

use crate::error::ApiResult;

#[derive(Debug, Serialize, Deserialize)]
pub struct OrganisationRow {
    pub id: OrganisationId,
    pub name: String,
    pub short_name: String,
    pub created_at: DateTime<Utc>,
    pub logo_url: Option<String>,
    pub favicon_url: Option<String>,
    pub trademark_url: Option<String>,
}

/// Organisations whose display name, or with `short_names` also short name, contains a text. Case and accents do not
/// matter; the empty text matches all.
pub async fn list(db: &Db, search: &str, short_names: bool) -> ApiResult<Vec<OrganisationRow>> {
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
    pub id: OrganisationId,
    pub short_name: String,
    /// Indicates whether any learner has access, not only members.
    pub open: bool,
    pub gateway: Option<String>,
    /// Indicates whether credentials for the gateway are stored.
    pub configured: bool,
    pub currency: String,
    /// None if the organisation charges no tax.
    pub prices_include_tax: Option<bool>,
    /// Indicates whether companies, or some of them, can buy on account.
    pub on_account: bool,
    /// None if it offers no right of withdrawal.
    pub withdrawal: Option<Json<withdrawal::Terms>>,
}

/// An organisation by its short name, in any case.
pub async fn find(db: &Db, short_name: &str) -> ApiResult<Option<SelectedOrganisation>> {
    Ok(sqlx::query_as!(
        SelectedOrganisation,
        r#"SELECT id, short_name, open, gateway, configured, currency,
                  (seller ->> 'prices_include_tax')::boolean AS prices_include_tax,
                  coalesce(bank_transfer ? 'on_account' AND seller IS NOT NULL, false) AS "on_account!", withdrawal AS "withdrawal: Json<withdrawal::Terms>"
           FROM organisations WHERE lower(short_name) = lower($1)"#,
        short_name,
    )
    .fetch_optional(db)
    .await?)
}

/// An organisation as a seller, with the pages of its own shop.
#[derive(Debug)]
pub struct SellerPages {
    pub id: OrganisationId,
    pub short_name: String,
    pub name: String,
    /// The page to which the platform's upgrade buttons lead.
    pub buy_url: Option<String>,
    /// The terms of sale, to which a buyer must agree.
    pub terms_url: Option<String>,
    /// In which its learners read, the most important first.
    pub languages: Vec<Language>,
}

/// The pages of an organisation's shop.
pub async fn pages(db: &Db, id: OrganisationId) -> ApiResult<Option<SellerPages>> {
    let row = sqlx::query!(
        r#"SELECT id AS "id: OrganisationId", short_name, name, buy_url, withdrawal ->> 'terms_url' AS terms_url, languages
           FROM organisations WHERE id = $1"#,
        id as _,
    );
    Ok(row.fetch_optional(db).await?.map(|row| SellerPages {
        id: row.id,
        short_name: row.short_name,
        name: row.name,
        buy_url: row.buy_url,
        terms_url: row.terms_url,
        languages: Language::known(&row.languages),
    }))
}

/// An organisation from which a learner has bought.
pub struct BuyersSeller {
    /// The page that lists orders.
    pub orders_url: Option<String>,
    pub languages: Vec<Language>,
}

/// The only organisation from which these buyers have bought; None if there are several, or none.
pub async fn only_seller(db: &Db, buyers: &[String]) -> ApiResult<Option<BuyersSeller>> {
    let rows = sqlx::query!(
        "SELECT orders_url, languages FROM organisations o
         WHERE EXISTS (SELECT FROM carts c WHERE c.organisation_id = o.id AND c.buyer = ANY($1) AND c.state <> 'open')
         ORDER BY id LIMIT 2",
        buyers,
    );
    Ok(match rows.fetch_all(db).await?.as_slice() {
        [only] => Some(BuyersSeller {
            orders_url: only.orders_url.clone(),
            languages: Language::known(&only.languages),
        }),
        _ => None,
    })
}

/// Returns whether a learner, who stands for these buyers, has ever enrolled with or bought from an organisation, or was added by an
/// operator.
pub async fn is_member(
    db: &Db,
    organisation_id: OrganisationId,
    platform_user_id: i64,
    buyers: &[String],
) -> ApiResult<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM organisation_members m JOIN learners l ON l.id = m.learner_id
               WHERE m.organisation_id = $1 AND l.platform_user_id = $2)
           OR EXISTS (SELECT FROM buyers_of($1) buyer WHERE buyer = ANY($3)) AS "exists!""#,
        organisation_id as _,
        platform_user_id,
        buyers,
    )
    .fetch_one(db)
    .await?)
}

/// The URL at which an organisation's learners register.
pub async fn registration_url(db: &Db, id: OrganisationId) -> ApiResult<Option<String>> {
    Ok(sqlx::query_scalar!("SELECT registration_url FROM organisations WHERE id = $1", id as _)
        .fetch_optional(db)
        .await?)
}

#[derive(Debug, Serialize, Deserialize)]
pub struct MarketingRow {
    pub organisation_id: OrganisationId,
    pub marketing_page_metadata: serde_json::Value,
}

/// The marketing metadata of all organisations that have any.
pub async fn marketing(db: &Db) -> ApiResult<Vec<MarketingRow>> {
    Ok(sqlx::query_as!(
        MarketingRow,
        "SELECT id AS organisation_id, marketing_page_metadata FROM organisations
         WHERE marketing_page_metadata <> '{}' ORDER BY lower(name), id"
    )
    .fetch_all(db)
    .await?)
}
