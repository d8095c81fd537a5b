//! Months whose books are closed: what is booked later counts to the month after, by the trigger of the ledger.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use serde_json::json;
use shared::ids::OrganisationId;
use sqlx::{PgConnection, PgExecutor};

use crate::error::JobResult;
use crate::plumbing::audit::{self, Cause, Change, Entity};

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
    .execute(&mut *db)
    .await?;
    keep_balances(&mut *db, organisation_id, month).await?;
    let detail = json!({ "month": month.format("%Y-%m").to_string() });
    let change = Change { entity: Entity::Books, id: organisation_id.0, from: None, to: "closed", detail };
    audit::record(db, cause, change).await?;
    Ok(Closing::Closed)
}

/// Stores what is with each provider at the end of a month that was closed now: that of the last one, and what has changed since. The
/// first month adds up all that was booked before.
async fn keep_balances(
    db: &mut PgConnection,
    organisation_id: OrganisationId,
    month: NaiveDate,
) -> JobResult<()> {
    sqlx::query!(
        "WITH last AS (
             SELECT month, before FROM closed_months WHERE organisation_id = $1 AND month < $2 ORDER BY month DESC LIMIT 1)
         INSERT INTO closed_balances (organisation_id, month, gateway, currency, amount)
         SELECT $1, $2, b.gateway, b.currency, sum(b.amount)
         FROM (SELECT k.gateway, k.currency, k.amount FROM closed_balances k JOIN last ON k.month = last.month
               WHERE k.organisation_id = $1
               UNION ALL
               SELECT c.gateway, c.currency, c.amount
               FROM balance_changes($1, coalesce((SELECT before FROM last), '-infinity'),
                                    (SELECT before FROM closed_months WHERE organisation_id = $1 AND month = $2)) c
               WHERE c.gateway <> 'external') b
         GROUP BY b.gateway, b.currency",
        organisation_id as _,
        month,
    )
    .execute(db)
    .await?;
    Ok(())
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
