//! The end of moves: the old access ends once the platform has confirmed the new one, unless a certificate keeps it.
//!
//! Why: `docs/decisions/moves.md`

use shared::ids::EnrollmentId;
use store::access::moves::{self, Confirmed};
use store::error::JobResult;
use store::money::transactions;
use store::plumbing::audit::{Actor, Cause};
use store::sales::carts;
use uuid::Uuid;

use crate::platform::Certificate;
use crate::runtime::context::Context;

/// The most moves of one round.
const BATCH: i64 = 200;

/// Completes the moves that the platform has confirmed, to one enrollment or to all, each in a transaction of its own. A move whose
/// old holder has earned a certificate meanwhile is withdrawn. Returns how many were completed.
///
/// # Errors
/// The database is unavailable. What the platform does not say leaves a move to the next round.
pub async fn complete(ctx: &Context, to: Option<EnrollmentId>) -> JobResult<u64> {
    let mut db = ctx.db.acquire().await?;
    let confirmed = moves::confirmed(&mut db, to, BATCH).await?;
    drop(db);
    let mut completed = 0;
    for open in confirmed {
        let certificate = match &open.from_username {
            Some(username) => ctx.platform.certificate(username, &open.from_course_key).await,
            None => Ok(Certificate::None),
        };
        match certificate {
            Ok(certificate) => completed += u64::from(end(ctx, &open, certificate.earned().is_some()).await?),
            Err(error) => tracing::warn!(%error, "certificate not read; the move is completed later"),
        }
    }
    Ok(completed)
}

async fn end(ctx: &Context, open: &Confirmed, is_certified: bool) -> JobResult<bool> {
    let now = ctx.clock.now();
    let mut tx = ctx.transaction().await?;
    // In the order of the jobs: the payment, then the cart.
    transactions::lock_cart(&mut tx, open.cart_id).await?;
    carts::lock(&mut tx, open.cart_id).await?;
    let is_done = if is_certified {
        let cause = Cause { actor: Actor::System, command_id: Uuid::now_v7(), now };
        moves::withdraw(&mut tx, open.cart_id, open.position, "a certificate was earned meanwhile", cause)
            .await?;
        false
    } else {
        moves::finish(&mut tx, open.cart_id, open.position, now).await?
    };
    tx.commit().await?;
    Ok(is_done)
}
