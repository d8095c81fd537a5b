//! Leases on work that one worker at a time does. A lease is a row that its holder renews; once the holder has died, it
//! ends within [`LIFETIME`]. It needs no session of the database, so that it also works behind a connection pooler.

use std::time::Duration;

use shared::db::Db;
use store::error::{JobError, JobResult};
use store::plumbing::leases;
use tokio::time::{Instant, sleep, timeout_at};
use uuid::Uuid;

/// Time that a lease lasts after its last renewal.
const LIFETIME: Duration = Duration::from_secs(30);

const RENEWED_EVERY: Duration = Duration::from_secs(5);

/// Does the work while it holds the lease with this name. None if another worker holds it.
///
/// # Errors
/// The database is unavailable, or the lease was lost, which ends the work at once.
pub async fn hold<T>(db: &Db, name: &str, work: impl Future<Output = T>) -> JobResult<Option<T>> {
    let (holder, until) = (Uuid::now_v7(), Instant::now() + LIFETIME);
    if !leases::take(db, name, holder, LIFETIME).await? {
        return Ok(None);
    }
    let done = tokio::select! {
        done = work => done,
        () = renew(db, name, holder, until) => return Err(JobError::Retry(format!("the lease {name} was lost"))),
    };
    if let Err(error) = leases::release(db, name, holder).await {
        tracing::warn!(%error, name, "lease not released; other workers wait until it ends");
    }
    Ok(Some(done))
}

/// Renews a lease until it is lost; `until` is its end. A renewal that has not succeeded by then counts as lost: another
/// worker may have taken the lease.
async fn renew(db: &Db, name: &str, holder: Uuid, mut until: Instant) {
    let attempt = async || {
        sleep(RENEWED_EVERY).await;
        (Instant::now(), leases::renew(db, name, holder, LIFETIME).await)
    };
    while let Ok((asked, renewed)) = timeout_at(until, attempt()).await {
        match renewed {
            Ok(true) => until = asked + LIFETIME,
            Ok(false) => return,
            Err(error) => tracing::warn!(%error, name, "lease not renewed; trying again"),
        }
    }
}

#[cfg(test)]
mod tests {
    use shared::db::Needs;
    use sqlx::postgres::PgConnectOptions;

    use super::*;

    #[tokio::test]
    async fn a_lease_whose_renewal_hangs_is_lost_at_its_end() {
        // Connections to it are opened, and never answered.
        let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = silent.local_addr().expect("an address").port();
        let server = PgConnectOptions::new().host("127.0.0.1").port(port).username("x");
        let db = Db::new(server, 1, Duration::ZERO, Needs::Writes).expect("a pool");
        let end = Instant::now() + RENEWED_EVERY + Duration::from_secs(1);
        renew(&db, "test", Uuid::nil(), end).await;
        assert!(end.elapsed() < Duration::from_secs(1), "{:?}", end.elapsed());
    }
}
