//! Links to orders, and to what belongs to one.

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::gateway::Gateway;
use shared::ids::CartId;
use shared::link::Subject;
use uuid::Uuid;

use crate::error::JobResult;

/// Subject and present version for which a link to an order, or to a document, pool of seats or withdrawal of one, is signed.
pub async fn subject(db: &Db, id: impl Into<Uuid>) -> JobResult<Subject> {
    let id = id.into();
    let version = sqlx::query_scalar!(r#"SELECT link_version($1) AS "version!""#, id).fetch_one(db).await?;
    Ok(Subject { id, version })
}

/// An order that its buyer can pay.
pub struct Unpaid {
    pub gateway: Gateway,
    pub cart_id: CartId,
}

/// The newest order of each gateway since a moment that waits for its payment.
pub async fn newest_unpaid(db: &Db, since: DateTime<Utc>) -> JobResult<Vec<Unpaid>> {
    Ok(sqlx::query_as!(
        Unpaid,
        r#"SELECT DISTINCT ON (t.gateway) t.gateway AS "gateway: Gateway", t.cart_id
           FROM carts c JOIN transactions t ON t.cart_id = c.id
           WHERE c.state = 'pending_payment' AND c.created_at > $1 AND t.dead_at IS NULL
             AND c.email NOT LIKE '%@erased.invalid'
           ORDER BY t.gateway, c.created_at DESC"#,
        since
    )
    .fetch_all(db)
    .await?)
}
