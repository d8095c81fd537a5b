//! Changes of one course by the organisation that sells it: what buyers see, and prices that are its own.

use chrono::{DateTime, Utc};
use serde_json::json;
use shared::course_mode::CourseMode;
use shared::dated_price::DatedPrice;
use shared::ids::OrganisationId;
use shared::messages::CourseChanges;
use shared::money::{Currency, Money};
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::generation;
use crate::error::{JobError, JobResult};
use crate::plumbing::audit::{self, Cause, Change, Entity};

/// Changes a course, with the lock of all who write courses. A sync with the course platform keeps the changes; an import of a record
/// that differs from the last import or sync replaces them.
///
/// # Errors
/// `InvalidRequest` for a course of another organisation, a mode that it has not, a price that the course platform sets, and dated
/// prices that cannot be.
pub async fn change(
    db: &mut PgConnection,
    organisation: OrganisationId,
    changes: &CourseChanges,
    cause: Cause,
) -> JobResult<()> {
    // An import holds the lock until its end; a caller must not hold a connection as long.
    sqlx::query!("SET LOCAL lock_timeout = '1s'").execute(&mut *db).await?;
    generation::lock_writers(db).await?;
    let course = sqlx::query_scalar!(
        "UPDATE courses SET is_published = coalesce($3, is_published), hidden = coalesce($4, hidden)
         WHERE organisation_id = $1 AND openedx_course_id = $2 RETURNING id",
        organisation as _,
        changes.openedx_course_id,
        changes.is_published,
        changes.hidden,
    );
    let course = course.fetch_optional(&mut *db).await?;
    let course = course
        .ok_or_else(|| JobError::invalid("openedx_course_id", "is not a course of the organisation"))?;
    if changes.is_published.is_some() {
        // From now on the sync does with it as with any other course.
        sqlx::query!("UPDATE synced_courses SET withdrawn = false WHERE course_id = $1", course)
            .execute(&mut *db)
            .await?;
    }
    if changes.mode.is_some() {
        change_mode(db, course, changes, cause.now).await?;
        generation::refresh_prices(db, &[course], cause.now).await?;
    }
    generation::raise(db, cause.now).await?;
    let detail = json!({
        "course": changes.openedx_course_id, "is_published": changes.is_published, "hidden": changes.hidden,
        "mode": changes.mode, "price": changes.price, "dated_prices": changes.dated_prices, "visible": changes.visible,
    });
    let entry = Change { entity: Entity::Catalog, id: course, from: None, to: "changed", detail };
    audit::record(db, cause, entry).await
}

async fn change_mode(
    db: &mut PgConnection,
    course: Uuid,
    changes: &CourseChanges,
    now: DateTime<Utc>,
) -> JobResult<()> {
    let mode = sqlx::query!(
        r#"SELECT m.currency, m.price, m.dated_prices AS "dated_prices: Json<Vec<DatedPrice>>", EXISTS (
               SELECT FROM synced_courses s WHERE s.course_id = c.id AND NOT EXISTS (
                   SELECT FROM platform_organisations p
                   WHERE lower(p.org) = lower(split_part(split_part(c.openedx_course_id, ':', 2), '+', 1)) AND p.prices = 'own')) AS "is_platforms!"
           FROM course_modes m JOIN courses c ON c.id = m.course_id WHERE m.course_id = $1 AND m.slug = $2"#,
        course,
        changes.mode as _,
    );
    let mode = mode.fetch_optional(&mut *db).await?;
    let mode = mode.ok_or_else(|| JobError::invalid("mode", "is not a mode of the course"))?;
    let currency: Currency =
        mode.currency.parse().map_err(|error| JobError::dead(format!("stored currency: {error}")))?;
    let price = match changes.price {
        Some(_) if mode.is_platforms => {
            return Err(JobError::invalid(
                "price",
                "is set at the course platform; an operator can leave prices to the organisation",
            ));
        }
        Some(price) => {
            let price = Money::from_major(price, currency);
            Some(price.map_err(|error| JobError::invalid("price", format!("{error} ({currency})")))?)
        }
        None => None,
    };
    if price.is_some() || changes.dated_prices.is_some() {
        remember_price(db, course, changes.mode, now).await?;
    }
    let full = Money::from_minor(mode.price, currency)
        .map_err(|error| JobError::dead(format!("stored price: {error}")))?;
    let (stored, full) = (&mode.dated_prices, price.unwrap_or(full));
    let dated = match &changes.dated_prices {
        Some(dated) => checked(dated, stored, full, now)?,
        None => still_reducing(stored, full),
    };
    if dated != **stored {
        set_dated_prices(db, course, changes.mode, &dated).await?;
    }
    sqlx::query!(
        "UPDATE course_modes SET price = coalesce($3, price), price_order = coalesce($4, price_order), visible = coalesce($5, visible)
         WHERE course_id = $1 AND slug = $2",
        course,
        changes.mode as _,
        price.map(Money::minor),
        price.map(Money::major) as _,
        changes.visible,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Checks dated prices that a mode is to have instead of those that are stored.
fn checked(
    dated: &[DatedPrice],
    stored: &[DatedPrice],
    full: Money,
    now: DateTime<Utc>,
) -> JobResult<Vec<DatedPrice>> {
    DatedPrice::check_all(dated, full)
        .map_err(|error| JobError::invalid("dated_prices", error.to_string()))?;
    let is_over = |dated: &&DatedPrice| dated.until.is_some_and(|until| until <= now);
    match dated.iter().filter(is_over).find(|dated| !stored.contains(dated)) {
        Some(new) => Err(JobError::invalid("dated_prices", format!("{:?} is over already", new.name))),
        None => Ok(dated.to_vec()),
    }
}

/// The dated prices that reduce a full price. One that does not is no offer any more.
fn still_reducing(dated: &[DatedPrice], full: Money) -> Vec<DatedPrice> {
    let reduces = |dated: &&DatedPrice| DatedPrice::check_all(std::slice::from_ref(*dated), full).is_ok();
    dated.iter().filter(reduces).cloned().collect()
}

async fn set_dated_prices(
    db: &mut PgConnection,
    course: Uuid,
    mode: Option<CourseMode>,
    dated: &[DatedPrice],
) -> JobResult<()> {
    sqlx::query!(
        "WITH changed AS (UPDATE course_modes SET dated_prices = $3 WHERE course_id = $1 AND slug = $2)
         UPDATE courses SET has_dated_prices = $4 OR EXISTS (
             SELECT FROM course_modes m WHERE m.course_id = $1 AND m.slug <> $2 AND m.dated_prices <> '[]') WHERE id = $1",
        course,
        mode as _,
        Json(dated) as _,
        !dated.is_empty(),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Remembers what a mode costs until a change.
async fn remember_price(
    db: &mut PgConnection,
    course: Uuid,
    mode: Option<CourseMode>,
    now: DateTime<Utc>,
) -> JobResult<()> {
    sqlx::query!(
        "INSERT INTO former_prices (course_id, mode, price, currency, dated_prices, held_until)
         SELECT course_id, slug, price, currency, dated_prices, $3 FROM course_modes WHERE course_id = $1 AND slug = $2",
        course,
        mode as _,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}
