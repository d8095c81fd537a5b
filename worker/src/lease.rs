//! Leases on work that one worker at a time does. A lease is a row that its holder renews; once the holder has died, it
//! ends within [`LIFETIME`]. It needs no session of the database, so that it also works behind a connection pooler.

use std::time::Duration;

use sqlx::PgPool;
use uuid::Uuid;

use crate::error::{JobError, JobResult};
use crate::store::leases;

/// How long a lease lasts after its last renewal.
const LIFETIME: Duration = Duration::from_secs(30);

const RENEWED_EVERY: Duration = Duration::from_secs(5);

/// Does the work while it holds the lease with this name. None if another worker holds it.
///
/// # Errors
/// The database is unavailable, or the lease was lost, which ends the work where it stands.
pub async fn hold<T>(db: &PgPool, name: &str, work: impl Future<Output = T>) -> JobResult<Option<T>> {
    let holder = Uuid::now_v7();
    if !leases::take(db, name, holder, LIFETIME).await? {
        return Ok(None);
    }
    let done = tokio::select! {
        done = work => done,
        () = renew(db, name, holder) => return Err(JobError::Retry(format!("the lease {name} was lost"))),
    };
    if let Err(error) = leases::release(db, name, holder).await {
        tracing::warn!(%error, name, "lease not released; other workers wait until it ends");
    }
    Ok(Some(done))
}

/// Renews a lease until it is lost.
async fn renew(db: &PgPool, name: &str, holder: Uuid) {
    let mut renewed = tokio::time::Instant::now();
    while renewed.elapsed() < LIFETIME {
        tokio::time::sleep(RENEWED_EVERY).await;
        let asked = tokio::time::Instant::now();
        match leases::renew(db, name, holder, LIFETIME).await {
            Ok(true) => renewed = asked,
            Ok(false) => return,
            Err(error) => tracing::warn!(%error, name, "lease not renewed; trying again"),
        }
    }
}
