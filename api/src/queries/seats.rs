//! Queries for pools of seats, and who has the seats.

use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::access_period::AccessPeriod;
use shared::db::Db;
use shared::ids::{CartId, OrganisationId, VoucherId};
use shared::messages::ItemKind;
use utoipa::ToSchema;
use uuid::Uuid;

use super::carts::Owner;
use super::{COUNTED, Page};
use crate::error::{ApiError, ApiResult};
use crate::words::SeatStatus;

/// A pool of seats.
pub struct Pool {
    pub id: VoucherId,
    pub code: String,
    pub kind: ItemKind,
    pub item: Uuid,
    pub name: String,
    pub mode: String,
    /// The cart that bought them; None if they were paid elsewhere.
    pub cart_id: Option<CartId>,
    pub seats: i32,
    pub used: i32,
    pub valid_until: Option<DateTime<Utc>>,
    pub access: AccessPeriod,
    pub created_at: DateTime<Utc>,
}

/// One seat.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeatAssignment {
    #[schema(example = "ada@example.com")]
    email: String,
    status: SeatStatus,
    at: DateTime<Utc>,
    /// Why the last mail about the seat did not arrive; null if nothing says so.
    #[schema(example = "the address does not exist (550 5.1.1)")]
    mail_failed: Option<String>,
}

/// Returns the holder of a pool.
pub async fn owner(db: &Db, id: VoucherId) -> ApiResult<Option<Owner<VoucherId>>> {
    Ok(sqlx::query_as!(
        Owner,
        r#"SELECT id, buyer AS "buyer!", organisation_id FROM vouchers WHERE id = $1 AND kind = 'seat'"#,
        id as _,
    )
    .fetch_optional(db)
    .await?)
}

/// Pools by their ids, newest first.
pub async fn by_ids(db: &Db, ids: &[VoucherId]) -> ApiResult<Vec<Pool>> {
    let rows = sqlx::query!(
        r#"SELECT v.id, v.code, v.mode AS "mode!", v.cart_id, v.max_uses AS "seats!", v.uses, v.valid_until, v.created_at,
                  coalesce(i.access_days, v.access_days) AS access_days, coalesce(i.access_until, v.access_until) AS access_until,
                  s.course_id, s.program_id, coalesce(c.display_name, p.name) AS "name!"
           FROM vouchers v JOIN voucher_scope s ON s.voucher_id = v.id
           LEFT JOIN cart_items i ON (i.cart_id, i.position) = (v.cart_id, v.position)
           LEFT JOIN courses c ON c.id = s.course_id LEFT JOIN programs p ON p.id = s.program_id
           WHERE v.id = ANY($1) AND v.kind = 'seat' ORDER BY v.created_at DESC, v.id"#,
        ids as _,
    );
    let pools = rows.fetch_all(db).await?.into_iter().map(|row| {
        let (kind, item) = match row.program_id {
            Some(program) => (ItemKind::Program, Some(program)),
            None => (ItemKind::Course, row.course_id),
        };
        Ok(Pool {
            id: row.id,
            code: row.code,
            kind,
            item: item.ok_or(ApiError::Internal)?,
            name: row.name,
            mode: row.mode,
            cart_id: row.cart_id,
            seats: row.seats,
            used: row.uses,
            valid_until: row.valid_until,
            access: AccessPeriod { days: row.access_days, until: row.access_until },
            created_at: row.created_at,
        })
    });
    pools.collect()
}

/// A page of an organisation's pools, newest first. `buyers`: only theirs.
pub async fn page(
    db: &Db,
    organisation_id: OrganisationId,
    buyers: Option<&[String]>,
    limit: i64,
    offset: i64,
) -> ApiResult<Page<Pool>> {
    let total = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM (SELECT FROM vouchers
               WHERE organisation_id = $1 AND buyer IS NOT NULL AND ($2::text[] IS NULL OR buyer = ANY($2))
               LIMIT $3) counted"#,
        organisation_id as _,
        buyers,
        COUNTED,
    );
    let total = total.fetch_one(db).await?;
    let ids = sqlx::query_scalar!(
        "SELECT id FROM vouchers
         WHERE organisation_id = $1 AND buyer IS NOT NULL AND ($2::text[] IS NULL OR buyer = ANY($2))
         ORDER BY created_at DESC, id LIMIT $3 OFFSET $4",
        organisation_id as _,
        buyers,
        limit + 1,
        offset,
    );
    let ids = Page::new(ids.fetch_all(db).await?, total, limit);
    Ok(Page { items: by_ids(db, &ids.items).await?, total, has_more: ids.has_more })
}

/// The number of assignments of a pool, including seats redeemed with the code.
pub async fn count(db: &Db, pool: VoucherId) -> ApiResult<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM voucher_uses WHERE voucher_id = $1 AND state IN ('held', 'used')"#,
        pool as _,
    )
    .fetch_one(db)
    .await?)
}

/// Lists the holders of a pool's seats, newest first.
pub async fn assignments(
    db: &Db,
    pool: VoucherId,
    limit: i64,
    offset: i64,
) -> ApiResult<Vec<SeatAssignment>> {
    Ok(sqlx::query_as!(
        SeatAssignment,
        r#"SELECT u.email, u.at, CASE
                      WHEN c.state = 'held' THEN 'pending'
                      WHEN EXISTS (SELECT FROM enrollment_grants g WHERE g.cart_id = c.id AND g.ended_at IS NULL) THEN 'enrolled'
                      ELSE 'ended' END AS "status!: SeatStatus",
                  (SELECT m.failed_reason FROM mails m WHERE m.recipient = u.email AND m.voucher_id = u.voucher_id
                     AND m.template = 'seat_assigned' AND m.created_at >= u.at ORDER BY m.created_at DESC LIMIT 1) AS mail_failed
           FROM voucher_uses u JOIN carts c ON c.id = u.cart_id
           WHERE u.voucher_id = $1 AND u.state IN ('held', 'used') ORDER BY u.at DESC, u.cart_id LIMIT $2 OFFSET $3"#,
        pool as _,
        limit,
        offset,
    )
    .fetch_all(db)
    .await?)
}
