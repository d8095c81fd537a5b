//! Months whose books are closed: what is booked later counts to the month after, by the trigger of the ledger.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use shared::ids::OrganisationId;
use sqlx::{PgConnection, PgExecutor};

use crate::error::JobResult;
use crate::plumbing::audit::Cause;

/// A month whose books are closed, together with all months before.
#[derive(Debug, Serialize)]
pub struct ClosedMonth {
    /// The first day of the month.
    pub month: NaiveDate,
    pub closed_at: DateTime<Utc>,
    pub closed_by: String,
}

/// What became of closing a month.
pub enum Closing {
    Closed,
    /// The month, or a later one, is closed already.
    Before(ClosedMonth),
    /// The month ends at this time.
    NotOver(DateTime<Utc>),
}

/// Closes the books of a month, named by its first day. Waits for bookings under way, and makes later ones wait.
pub async fn close(
    db: &mut PgConnection,
    organisation_id: OrganisationId,
    month: NaiveDate,
    cause: Cause,
) -> JobResult<Closing> {
    let end = sqlx::query_scalar!(
        r#"SELECT day_begins(($2::date + interval '1 month')::date, day_zone(seller)) AS "end!"
           FROM organisations WHERE id = $1 FOR UPDATE"#,
        organisation_id as _,
        month,
    );
    let end = end.fetch_one(&mut *db).await?;
    if end > cause.now {
        return Ok(Closing::NotOver(end));
    }
    if let Some(last) = list(&mut *db, organisation_id).await?.into_iter().next()
        && last.month >= month
    {
        return Ok(Closing::Before(last));
    }
    sqlx::query!(
        "INSERT INTO closed_months (organisation_id, month, before, closed_at, closed_by) VALUES ($1, $2, $3, $4, $5)",
        organisation_id as _,
        month,
        end,
        cause.now,
        cause.actor.to_string(),
    )
    .execute(db)
    .await?;
    Ok(Closing::Closed)
}

/// The closed months of an organisation, latest first.
pub async fn list(db: impl PgExecutor<'_>, organisation_id: OrganisationId) -> JobResult<Vec<ClosedMonth>> {
    let months = sqlx::query_as!(
        ClosedMonth,
        "SELECT month, closed_at, closed_by FROM closed_months WHERE organisation_id = $1 ORDER BY month DESC",
        organisation_id as _,
    );
    Ok(months.fetch_all(db).await?)
}
