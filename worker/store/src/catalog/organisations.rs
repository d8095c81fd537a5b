//! Organisations, as jobs need them.

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};
use shared::db::Db;
use shared::ids::OrganisationId;
use shared::money::Currency;
use sqlx::PgExecutor;
use sqlx::types::Json;

use crate::error::{JobError, JobResult};
use crate::model::seller::{BankTransfer, OnAccount, Organisation, Seller};

/// Finds an organisation by its short name, ignoring case.
pub async fn id(db: &Db, short_name: &str) -> JobResult<Option<OrganisationId>> {
    Ok(sqlx::query_scalar!("SELECT id FROM organisations WHERE lower(short_name) = lower($1)", short_name)
        .fetch_optional(db)
        .await?)
}

/// Reads an organisation as a seller.
pub async fn find(db: &Db, id: OrganisationId) -> JobResult<Option<Organisation>> {
    Ok(sqlx::query_as!(
        Organisation,
        r#"SELECT name, return_url, gateway,
                  CASE WHEN seller IS NOT NULL THEN bank_transfer -> 'on_account' END AS "on_account: Json<OnAccount>"
           FROM organisations WHERE id = $1"#,
        id as _
    )
    .fetch_optional(db)
    .await?)
}

/// The bank account of an organisation that takes payments itself, and the day there.
pub struct OwnAccount {
    pub bank_transfer: Option<BankTransfer>,
    pub today: NaiveDate,
}

/// Reads the account to which an organisation's buyers pay.
pub async fn own_account(db: &Db, id: OrganisationId, now: DateTime<Utc>) -> JobResult<OwnAccount> {
    let row = sqlx::query!(
        r#"SELECT bank_transfer AS "bank_transfer: Json<BankTransfer>", ($2::timestamptz AT TIME ZONE day_zone(seller))::date AS "today!"
           FROM organisations WHERE id = $1"#,
        id as _,
        now,
    );
    let row = row.fetch_one(db).await?;
    Ok(OwnAccount { bank_transfer: row.bank_transfer.map(|account| account.0), today: row.today })
}

/// A moment in the time of an organisation. Its date is the organisation's day, on documents and wherever a person reads one.
///
/// Why: `docs/decisions/one-source-of-days.md`
pub async fn local(
    db: impl PgExecutor<'_>,
    id: OrganisationId,
    at: DateTime<Utc>,
) -> JobResult<DateTime<FixedOffset>> {
    let offset = sqlx::query_scalar!(
        r#"SELECT extract(epoch FROM ($2::timestamptz AT TIME ZONE day_zone(seller)) - ($2::timestamptz AT TIME ZONE 'UTC'))::integer
                  AS "seconds!" FROM organisations WHERE id = $1"#,
        id as _,
        at,
    );
    let offset = FixedOffset::east_opt(offset.fetch_one(db).await?);
    Ok(at.with_timezone(&offset.ok_or_else(|| JobError::dead("a day of more than 24 hours"))?))
}

/// An organisation whose time zone the database does not know, so that its days are those of UTC.
pub struct UnknownTimeZone {
    pub organisation: String,
    pub time_zone: String,
}

/// The organisations whose time zones this database does not know.
pub async fn unknown_time_zones(db: &Db) -> JobResult<Vec<UnknownTimeZone>> {
    Ok(sqlx::query_as!(
        UnknownTimeZone,
        r#"SELECT short_name AS organisation, seller ->> 'time_zone' AS "time_zone!" FROM organisations
           WHERE seller ->> 'time_zone' <> day_zone(seller) ORDER BY short_name"#
    )
    .fetch_all(db)
    .await?)
}

/// The organisations that charge tax.
pub async fn sellers(db: &Db) -> JobResult<Vec<Seller>> {
    let sellers = sqlx::query_scalar!(
        r#"SELECT seller AS "seller!: Json<Seller>" FROM organisations WHERE seller IS NOT NULL"#
    );
    Ok(sellers.fetch_all(db).await?.into_iter().map(|seller| seller.0).collect())
}

/// The days within which learners may ask this organisation for a refund; None if they may not.
pub async fn refund_days(db: &Db, id: OrganisationId) -> JobResult<Option<i32>> {
    Ok(sqlx::query_scalar!("SELECT refund_days FROM organisations WHERE id = $1", id as _)
        .fetch_one(db)
        .await?)
}

/// The currency that an organisation sells in; None if there is no such organisation.
pub async fn currency(db: &Db, id: OrganisationId) -> JobResult<Option<Currency>> {
    let code = sqlx::query_scalar!("SELECT currency FROM organisations WHERE id = $1", id as _);
    let currency = code.fetch_optional(db).await?.map(|code| code.parse()).transpose();
    currency.map_err(|error| JobError::dead(format!("stored currency: {error}")))
}
