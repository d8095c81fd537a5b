//! Money that an organisation waits for: transfers, and invoices of orders on account.

use chrono::{DateTime, NaiveDate, Utc};
use shared::db::Db;
use shared::ids::{CartId, OrganisationId};
use shared::money::{Currency, Money};

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
    /// None of a payment that a provider works on.
    pub due_on: Option<NaiveDate>,
    pub placed_at: DateTime<Utc>,
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

/// What is owed that a list or a sum is about.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwedFilter {
    /// Payments that a provider still works on, instead of transfers and invoices.
    pub is_pending: bool,
    /// Only of orders that were placed before.
    pub before: Option<DateTime<Utc>>,
    pub currency: Option<Currency>,
}

/// Lists a page of the orders whose money an organisation waits for, the longest due first; those that a provider works on, the oldest.
pub async fn page(
    db: &Db,
    organisation_id: OrganisationId,
    filter: OwedFilter,
    now: DateTime<Utc>,
    limit: i64,
    offset: i64,
) -> ApiResult<Vec<Owed>> {
    Ok(sqlx::query_as!(
        Owed,
        r#"SELECT c.id, c.email, nullif(concat_ws(', ', c.billing_address ->> 'company', c.billing_address ->> 'name'), '') AS name,
                  c.reference, t.provider_reference AS payment_reference, t.due_on, c.created_at AS placed_at,
                  coalesce(t.due_on < ($2::timestamptz AT TIME ZONE day_zone(o.seller))::date, false) AS "is_overdue!",
                  t.on_account IS NOT NULL AS "is_on_account!", (t.amount, t.currency) AS "total!: Money",
                  (t.amount - p.arrived, t.currency) AS "open!: Money"
           FROM organisations o
           CROSS JOIN LATERAL (
               SELECT id, cart_id, amount, currency, due_on, on_account, provider_reference, created_at
               FROM transactions WHERE NOT $5 AND organisation_id = o.id AND gateway = 'external' AND state = 'processing'
                  AND dead_at IS NULL AND due_on IS NOT NULL
               UNION ALL
               SELECT id, cart_id, amount, currency, due_on, on_account, provider_reference, created_at
               FROM transactions WHERE $5 AND organisation_id = o.id AND provider_pending_since IS NOT NULL
                  AND state IN ('created', 'processing') AND dead_at IS NULL AND gateway <> 'external') t
           JOIN carts c ON c.id = t.cart_id
           CROSS JOIN LATERAL (SELECT coalesce(sum(r.amount), 0)::bigint AS arrived FROM received_payments r
                               WHERE r.transaction_id = t.id AND r.returned_at IS NULL) p
           WHERE o.id = $1 AND ($6::timestamptz IS NULL OR t.created_at < $6) AND ($7::text IS NULL OR t.currency = $7)
           ORDER BY t.due_on, t.id LIMIT $3 OFFSET $4"#,
        organisation_id as _,
        now,
        limit,
        offset,
        filter.is_pending,
        filter.before,
        filter.currency.map(Currency::code),
    )
    .fetch_all(db)
    .await?)
}

/// Sums what an organisation waits for, by currency.
pub async fn sums(
    db: &Db,
    organisation_id: OrganisationId,
    filter: OwedFilter,
    now: DateTime<Utc>,
) -> ApiResult<Vec<OwedSum>> {
    Ok(sqlx::query_as!(
        OwedSum,
        r#"SELECT count(*) AS "orders!", (sum(open)::bigint, currency) AS "open!: Money",
                  count(*) FILTER (WHERE is_overdue) AS "overdue_orders!",
                  (coalesce(sum(open) FILTER (WHERE is_overdue), 0)::bigint, currency) AS "overdue!: Money"
           FROM (SELECT t.currency, coalesce(t.due_on < ($2::timestamptz AT TIME ZONE day_zone(o.seller))::date, false) AS is_overdue,
                        t.amount - coalesce((SELECT sum(r.amount) FROM received_payments r
                                             WHERE r.transaction_id = t.id AND r.returned_at IS NULL), 0) AS open
                 FROM organisations o
                 CROSS JOIN LATERAL (
                     SELECT id, amount, currency, due_on, created_at FROM transactions WHERE NOT $3 AND organisation_id = o.id AND gateway = 'external' AND state = 'processing'
                        AND dead_at IS NULL AND due_on IS NOT NULL
                     UNION ALL
                     SELECT id, amount, currency, due_on, created_at FROM transactions WHERE $3 AND organisation_id = o.id AND provider_pending_since IS NOT NULL
                        AND state IN ('created', 'processing') AND dead_at IS NULL AND gateway <> 'external') t
                 WHERE o.id = $1 AND ($4::timestamptz IS NULL OR t.created_at < $4) AND ($5::text IS NULL OR t.currency = $5)) owed
           GROUP BY currency ORDER BY currency"#,
        organisation_id as _,
        now,
        filter.is_pending,
        filter.before,
        filter.currency.map(Currency::code),
    )
    .fetch_all(db)
    .await?)
}
