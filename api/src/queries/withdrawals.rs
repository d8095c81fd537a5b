//! Queries for withdrawals.

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::ids::{CartId, OrganisationId, RefundId};
use uuid::Uuid;

use super::{COUNTED, Page};
use crate::error::ApiResult;
use crate::words::{WithdrawalProof, WithdrawalStatus};

/// Filter of a list of withdrawals; None filters nothing.
pub struct Filter {
    pub organisation_id: OrganisationId,
    pub status: Option<WithdrawalStatus>,
    pub waiting: Option<bool>,
}

pub struct WithdrawalRow {
    pub id: Uuid,
    pub cart_id: Option<CartId>,
    pub status: WithdrawalStatus,
    pub proof: WithdrawalProof,
    pub named_order: String,
    pub email: String,
    pub name: String,
    pub items: Option<Vec<i32>>,
    pub declared_at: DateTime<Utc>,
    pub judge_at: Option<DateTime<Utc>>,
    pub waits_since: Option<DateTime<Utc>>,
    pub waits_because: Option<String>,
    pub objected_at: Option<DateTime<Utc>>,
    pub decided_at: Option<DateTime<Utc>>,
    pub reason: Option<String>,
    pub refund_id: Option<RefundId>,
}

/// Selects withdrawals by the rest of a query. A macro, so that the columns are written once and the compiler still checks each
/// query.
macro_rules! select_withdrawals {
    ($rest:literal, $($value:expr),+ $(,)?) => {
        sqlx::query_as!(
            WithdrawalRow,
            r#"SELECT id, cart_id, state AS "status: WithdrawalStatus", proof AS "proof: WithdrawalProof", named_order, email, name,
                      items, declared_at, judge_at, waits_since, waits_because, objected_at, decided_at, reason, refund_id
               FROM withdrawals "#
                + $rest,
            $($value),+
        )
    };
}

/// A page of an organisation's withdrawals, newest first.
pub async fn page(db: &Db, filter: &Filter, limit: i64, offset: i64) -> ApiResult<Page<WithdrawalRow>> {
    let status = filter.status.map(<&str>::from);
    let total = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM (SELECT FROM withdrawals
               WHERE organisation_id = $1 AND ($2::text IS NULL OR state = $2)
                 AND ($3::boolean IS NULL OR (waits_since IS NOT NULL) = $3) LIMIT $4) counted"#,
        filter.organisation_id as _,
        status,
        filter.waiting,
        COUNTED,
    );
    let total = total.fetch_one(db).await?;
    let rows = select_withdrawals!(
        "WHERE organisation_id = $1 AND ($2::text IS NULL OR state = $2)
           AND ($3::boolean IS NULL OR (waits_since IS NOT NULL) = $3)
         ORDER BY declared_at DESC, id DESC LIMIT $4 OFFSET $5",
        filter.organisation_id as _,
        status,
        filter.waiting,
        limit + 1,
        offset,
    );
    Ok(Page::new(rows.fetch_all(db).await?, total, limit))
}

/// A withdrawal of an organisation.
pub async fn find(db: &Db, organisation_id: OrganisationId, id: Uuid) -> ApiResult<Option<WithdrawalRow>> {
    let row = select_withdrawals!("WHERE organisation_id = $1 AND id = $2", organisation_id as _, id);
    Ok(row.fetch_optional(db).await?)
}

/// The withdrawals of an order, newest first.
pub async fn of_order(db: &Db, cart_id: CartId) -> ApiResult<Vec<WithdrawalRow>> {
    let rows = select_withdrawals!("WHERE cart_id = $1 ORDER BY declared_at DESC, id DESC", cart_id as _);
    Ok(rows.fetch_all(db).await?)
}

/// Returns when a withdrawal was declared; None if there is none with this id.
pub async fn declared_at(db: &Db, id: Uuid) -> ApiResult<Option<DateTime<Utc>>> {
    let declared = sqlx::query_scalar!("SELECT declared_at FROM withdrawals WHERE id = $1", id);
    Ok(declared.fetch_optional(db).await?)
}

/// A withdrawal to which the holder of an order's address objects.
pub struct Contested {
    pub cart_id: Option<CartId>,
    /// Indicates whether the holder can still object.
    pub is_open: bool,
}

/// The withdrawal to which a link objects; None if there is none.
pub async fn contested(db: &Db, id: Uuid) -> ApiResult<Option<Contested>> {
    let row = sqlx::query_as!(
        Contested,
        r#"SELECT cart_id AS "cart_id: CartId", state = 'received' AND proof = 'none' AND objected_at IS NULL AS "is_open!"
           FROM withdrawals WHERE id = $1"#,
        id,
    );
    Ok(row.fetch_optional(db).await?)
}
