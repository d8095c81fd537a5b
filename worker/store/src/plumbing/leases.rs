//! The rows of leases. All times are of the server's clock, so that the workers' clocks need not agree.

use std::time::Duration;

use shared::db::Db;
use uuid::Uuid;

/// Takes a lease that is free or has ended. False if another holder has it.
pub async fn take(db: &Db, name: &str, holder: Uuid, lifetime: Duration) -> Result<bool, sqlx::Error> {
    let taken = sqlx::query!(
        "INSERT INTO leases AS l (name, holder, until) VALUES ($1, $2, now() + make_interval(secs => $3))
         ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, until = EXCLUDED.until
         WHERE l.until <= now()",
        name,
        holder,
        lifetime.as_secs_f64()
    );
    Ok(taken.execute(db).await?.rows_affected() == 1)
}

/// Moves the end of a lease on. False if another holder has taken it.
pub async fn renew(db: &Db, name: &str, holder: Uuid, lifetime: Duration) -> Result<bool, sqlx::Error> {
    let renewed = sqlx::query!(
        "UPDATE leases SET until = now() + make_interval(secs => $3) WHERE name = $1 AND holder = $2",
        name,
        holder,
        lifetime.as_secs_f64()
    );
    Ok(renewed.execute(db).await?.rows_affected() == 1)
}

/// Ends a lease, unless another holder has taken it.
pub async fn release(db: &Db, name: &str, holder: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM leases WHERE name = $1 AND holder = $2", name, holder).execute(db).await?;
    Ok(())
}
