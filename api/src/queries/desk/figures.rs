//! Figures of an organisation for the console's start page.

use chrono::{DateTime, NaiveDate, Utc};
use shared::db::Db;
use shared::ids::{OrganisationId, VoucherId};
use shared::money::Money;

use crate::error::ApiResult;

/// One day of the organisation.
pub struct DayRow {
    pub day: NaiveDate,
    /// Paid orders, or uses of a voucher.
    pub paid: i64,
    /// Orders that ended without a payment, or uses that were given back.
    pub unpaid: i64,
}

/// The orders of the last 30 days, the oldest day first.
pub async fn days(db: &Db, organisation_id: OrganisationId, now: DateTime<Utc>) -> ApiResult<Vec<DayRow>> {
    Ok(sqlx::query_as!(
        DayRow,
        r#"WITH place AS MATERIALIZED (SELECT day_zone(seller) AS zone FROM organisations WHERE id = $1),
           paid AS (
               SELECT (paid_at AT TIME ZONE (SELECT zone FROM place))::date AS day, count(*) AS number FROM carts
               WHERE organisation_id = $1 AND paid_at > $2::timestamptz - interval '30 days' GROUP BY 1),
           unpaid AS (
               SELECT (created_at AT TIME ZONE (SELECT zone FROM place))::date AS day, count(*) AS number FROM carts
               WHERE organisation_id = $1 AND state IN ('cancelled', 'expired') AND total > 0
                 AND created_at > $2::timestamptz - interval '30 days' GROUP BY 1)
           SELECT d.day::date AS "day!", coalesce(p.number, 0) AS "paid!", coalesce(u.number, 0) AS "unpaid!"
           FROM place CROSS JOIN LATERAL generate_series(
               ($2::timestamptz AT TIME ZONE zone)::date - 29, ($2::timestamptz AT TIME ZONE zone)::date, interval '1 day') d (day)
           LEFT JOIN paid p ON p.day = d.day::date LEFT JOIN unpaid u ON u.day = d.day::date ORDER BY 1"#,
        organisation_id as _,
        now,
    )
    .fetch_all(db)
    .await?)
}

/// Money of today, in one currency.
pub struct TodayRow {
    pub orders: i64,
    pub taken: Money,
    pub refunded: Money,
}

/// Sums what came in and went back since midnight at the organisation, by currency.
pub async fn today(db: &Db, organisation_id: OrganisationId, now: DateTime<Utc>) -> ApiResult<Vec<TodayRow>> {
    Ok(sqlx::query_as!(
        TodayRow,
        r#"SELECT count(*) FILTER (WHERE kind = 'captured') AS "orders!",
                  (coalesce(sum(amount) FILTER (WHERE kind = 'captured'), 0)::bigint, currency) AS "taken!: Money",
                  (-coalesce(sum(amount) FILTER (WHERE kind = 'refunded'), 0)::bigint, currency) AS "refunded!: Money"
           FROM ledger WHERE organisation_id = $1 AND at >= (
               SELECT date_trunc('day', $2::timestamptz, day_zone(seller)) FROM organisations WHERE id = $1)
           GROUP BY currency ORDER BY currency"#,
        organisation_id as _,
        now,
    )
    .fetch_all(db)
    .await?)
}

/// The uses of a voucher in the last 30 days, the oldest day first.
pub async fn voucher_days(db: &Db, id: VoucherId, now: DateTime<Utc>) -> ApiResult<Vec<DayRow>> {
    Ok(sqlx::query_as!(
        DayRow,
        r#"WITH place AS MATERIALIZED (
               SELECT day_zone(o.seller) AS zone FROM vouchers v JOIN organisations o ON o.id = v.organisation_id WHERE v.id = $1),
           uses AS (
               SELECT (at AT TIME ZONE (SELECT zone FROM place))::date AS day, count(*) FILTER (WHERE state <> 'released') AS kept,
                      count(*) FILTER (WHERE state = 'released') AS released
               FROM voucher_uses WHERE voucher_id = $1 AND at > $2::timestamptz - interval '30 days' GROUP BY 1)
           SELECT d.day::date AS "day!", coalesce(u.kept, 0) AS "paid!", coalesce(u.released, 0) AS "unpaid!"
           FROM place CROSS JOIN LATERAL generate_series(
               ($2::timestamptz AT TIME ZONE zone)::date - 29, ($2::timestamptz AT TIME ZONE zone)::date, interval '1 day') d (day)
           LEFT JOIN uses u ON u.day = d.day::date ORDER BY 1"#,
        id as _,
        now,
    )
    .fetch_all(db)
    .await?)
}
