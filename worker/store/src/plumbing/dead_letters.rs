//! Dead letters that concern an organisation. The messages are at the broker; these rows say whose they are, so that its managers
//! find them. A letter that concerns no organisation has no row, and stays with operators.

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::ids::OrganisationId;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::error::JobResult;

/// Subject of a message, by which its organisation is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    Organisation(Uuid),
    Order(Uuid),
    Payment(Uuid),
    Refund(Uuid),
    Withdrawal(Uuid),
    Enrollment(Uuid),
    Mail(Uuid),
    /// A batch of seats; others belong to no organisation.
    Batch(Uuid),
    Endpoint(Uuid),
    /// A provider's notification, by its number.
    Notification(i64),
    /// A course by the course platform's key.
    Course(&'a str),
}

impl Subject<'_> {
    fn word(self) -> &'static str {
        match self {
            Self::Organisation(_) => "organisation",
            Self::Order(_) => "order",
            Self::Payment(_) => "payment",
            Self::Refund(_) => "refund",
            Self::Withdrawal(_) => "withdrawal",
            Self::Enrollment(_) => "enrollment",
            Self::Mail(_) => "mail",
            Self::Batch(_) => "batch",
            Self::Endpoint(_) => "endpoint",
            Self::Notification(_) => "notification",
            Self::Course(_) => "course",
        }
    }

    fn id(self) -> Option<Uuid> {
        match self {
            Self::Organisation(id)
            | Self::Order(id)
            | Self::Payment(id)
            | Self::Refund(id)
            | Self::Withdrawal(id)
            | Self::Enrollment(id)
            | Self::Mail(id)
            | Self::Batch(id)
            | Self::Endpoint(id) => Some(id),
            Self::Notification(_) | Self::Course(_) => None,
        }
    }
}

/// A letter to insert.
pub struct NewLetter<'a> {
    /// The id of the message.
    pub id: Uuid,
    pub kind: &'a str,
    pub subject: Subject<'a>,
    /// Without addresses.
    pub reason: &'a str,
}

/// Inserts a letter, or renews one that was replayed and is dead again. False if its subject belongs to no organisation, or is a mail
/// that waits for a person by itself.
pub async fn insert(db: &Db, new: &NewLetter<'_>, now: DateTime<Utc>) -> JobResult<bool> {
    let (number, course) = match new.subject {
        Subject::Notification(number) => (Some(number), None),
        Subject::Course(key) => (None, Some(key)),
        _ => (None, None),
    };
    let inserted = sqlx::query!(
        "WITH owner (organisation_id, cart_id) AS (
             SELECT id, NULL::uuid FROM organisations WHERE $6 = 'organisation' AND id = $2
             UNION ALL SELECT organisation_id, id FROM carts WHERE $6 = 'order' AND id = $2
             UNION ALL SELECT organisation_id, cart_id FROM transactions WHERE $6 = 'payment' AND id = $2
             UNION ALL SELECT t.organisation_id, t.cart_id FROM refunds r JOIN transactions t ON t.id = r.transaction_id
                       WHERE $6 = 'refund' AND r.id = $2
             UNION ALL SELECT organisation_id, cart_id FROM withdrawals WHERE $6 = 'withdrawal' AND id = $2
             UNION ALL SELECT c.organisation_id, NULL FROM enrollments e JOIN courses c ON c.id = e.course_id
                       WHERE $6 = 'enrollment' AND e.id = $2
             UNION ALL SELECT organisation_id, cart_id FROM mails WHERE $6 = 'mail' AND id = $2 AND failed_at IS NULL
             UNION ALL SELECT v.organisation_id, NULL FROM batches b JOIN vouchers v ON v.id = b.voucher_id
                       WHERE $6 = 'batch' AND b.id = $2
             UNION ALL SELECT organisation_id, NULL FROM webhook_endpoints WHERE $6 = 'endpoint' AND id = $2
             UNION ALL SELECT i.organisation_id, t.cart_id FROM inbox i LEFT JOIN transactions t ON t.id = i.transaction_id
                       WHERE $6 = 'notification' AND i.id = $3
             UNION ALL SELECT organisation_id, NULL FROM courses WHERE $6 = 'course' AND openedx_course_id = $4)
         INSERT INTO dead_letters (id, organisation_id, cart_id, kind, reason, died_at)
         SELECT $1, w.organisation_id, c.id, $5, $7, $8
         FROM owner w JOIN organisations o ON o.id = w.organisation_id LEFT JOIN carts c ON c.id = w.cart_id
         ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, died_at = excluded.died_at",
        new.id,
        new.subject.id(),
        number,
        course,
        new.kind,
        new.subject.word(),
        new.reason,
        now,
    );
    Ok(inserted.execute(db).await?.rows_affected() > 0)
}

/// Takes a letter off an organisation's list. Returns the kind of its message; None if the organisation has no such letter.
pub async fn take(
    db: &mut PgConnection,
    id: Uuid,
    organisation_id: OrganisationId,
) -> JobResult<Option<String>> {
    Ok(sqlx::query_scalar!(
        "DELETE FROM dead_letters WHERE id = $1 AND organisation_id = $2 RETURNING kind",
        id,
        organisation_id as _,
    )
    .fetch_optional(db)
    .await?)
}

/// Takes letters off the lists of all organisations, after an operator has decided about them.
pub async fn remove(db: &mut PgConnection, ids: &[Uuid]) -> JobResult<()> {
    sqlx::query!("DELETE FROM dead_letters WHERE id = ANY ($1)", ids).execute(db).await?;
    Ok(())
}

/// Forgets letters that died before a time, whose messages the broker has deleted. Returns how many.
pub async fn forget(db: &Db, before: DateTime<Utc>) -> JobResult<u64> {
    let forgotten = sqlx::query!("DELETE FROM dead_letters WHERE died_at < $1", before);
    Ok(forgotten.execute(db).await?.rows_affected())
}
