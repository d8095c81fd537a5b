//! Money that an organisation waits for: transfers, and invoices of orders on account.

use chrono::{DateTime, NaiveDate, Utc};
use shared::db::Db;
use shared::ids::{CartId, OrganisationId};
use shared::money::Money;

use crate::error::ApiResult;

/// An order whose money has not arrived, or not all of it.
pub struct Owed {
    pub id: CartId,
    pub email: String,
    /// As on the invoice: the company, the person.
    pub name: Option<String>,
    /// The order's name in the buyer's systems.
    pub reference: Option<String>,
    pub payment_reference: Option<String>,
    pub due_on: NaiveDate,
    pub is_overdue: bool,
    pub is_on_account: bool,
    pub total: Money,
    pub open: Money,
}

/// The money that is owed in one currency.
pub struct OwedSum {
    pub orders: i64,
    pub open: Money,
    pub overdue_orders: i64,
    pub overdue: Money,
}

/// Lists a page of the orders whose money an organisation waits for, the longest due first.
pub async fn page(
    db: &Db,
    organisation_id: OrganisationId,
    now: DateTime<Utc>,
    limit: i64,
    offset: i64,
) -> ApiResult<Vec<Owed>> {
    Ok(sqlx::query_as!(
        Owed,
        r#"SELECT c.id, c.email, nullif(concat_ws(', ', c.billing_address ->> 'company', c.billing_address ->> 'name'), '') AS name,
                  c.reference, t.provider_reference AS payment_reference, t.due_on AS "due_on!",
                  t.due_on < ($2::timestamptz AT TIME ZONE day_zone(o.seller))::date AS "is_overdue!",
                  t.on_account IS NOT NULL AS "is_on_account!", (t.amount, t.currency) AS "total!: Money",
                  (t.amount - p.arrived, t.currency) AS "open!: Money"
           FROM organisations o JOIN transactions t ON t.organisation_id = o.id JOIN carts c ON c.id = t.cart_id
           CROSS JOIN LATERAL (SELECT coalesce(sum(r.amount), 0)::bigint AS arrived FROM received_payments r
                               WHERE r.transaction_id = t.id AND r.returned_at IS NULL) p
           WHERE o.id = $1 AND t.gateway = 'external' AND t.state = 'processing' AND t.dead_at IS NULL AND t.due_on IS NOT NULL
           ORDER BY t.due_on, t.id LIMIT $3 OFFSET $4"#,
        organisation_id as _,
        now,
        limit,
        offset,
    )
    .fetch_all(db)
    .await?)
}

/// Sums what an organisation waits for, by currency.
pub async fn sums(db: &Db, organisation_id: OrganisationId, now: DateTime<Utc>) -> ApiResult<Vec<OwedSum>> {
    Ok(sqlx::query_as!(
        OwedSum,
        r#"SELECT count(*) AS "orders!", (sum(open)::bigint, currency) AS "open!: Money",
                  count(*) FILTER (WHERE is_overdue) AS "overdue_orders!",
                  (coalesce(sum(open) FILTER (WHERE is_overdue), 0)::bigint, currency) AS "overdue!: Money"
           FROM (SELECT t.currency, t.due_on < ($2::timestamptz AT TIME ZONE day_zone(o.seller))::date AS is_overdue,
                        t.amount - coalesce((SELECT sum(r.amount) FROM received_payments r
                                             WHERE r.transaction_id = t.id AND r.returned_at IS NULL), 0) AS open
                 FROM organisations o JOIN transactions t ON t.organisation_id = o.id
                 WHERE o.id = $1 AND t.gateway = 'external' AND t.state = 'processing' AND t.dead_at IS NULL
                   AND t.due_on IS NOT NULL) owed
           GROUP BY currency ORDER BY currency"#,
        organisation_id as _,
        now,
    )
    .fetch_all(db)
    .await?)
}
