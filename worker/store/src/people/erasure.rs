//! Erases a person: addresses, names, billing addresses, provider requests and stored answers. What was paid, refunded and
//! granted stays, under a tombstone that identifies no person.
//!
//! Why: `docs/decisions/erasure.md`

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use shared::email::Email;
use shared::ids::LearnerId;
use shared::words::EnrollmentStatus;
use sqlx::PgConnection;

use super::person::{self, Person};
use crate::error::JobResult;
use crate::plumbing::audit::{self, Cause, Change, Entity};
use crate::plumbing::locks::{self, Lock};
use crate::sales::carts::State;
use crate::sales::{gifts, waiting_list};

/// Why the end of an erased person's grants was recorded. No refund that fails restores such a grant.
const ENDED: &str = "erased";

/// Text that an open alert about an erased person's payment has in place of the address and the names.
const ERASED_NAME: &str = "(erased)";

/// Takes what identifies the buyer off carts. The rest of the query sets the address and the buyer, and names the carts. A macro, so
/// that the columns are written once and the compiler still checks each query.
macro_rules! blank_carts {
    ($rest:literal, $($value:expr),+ $(,)?) => {
        sqlx::query!(
            "UPDATE carts SET billing_address = NULL, asked_invoice = NULL, metadata = NULL,
                 tax_terms = (tax_terms - 'state' - 'vat_check') #- '{refunded,state}', " + $rest,
            $($value),+
        )
    };
}
pub(super) use blank_carts;

/// Time for which a buyer may be paying. Orders of Razorpay and Curlec stay payable for good, and must not keep the data as long;
/// a payment that comes later is booked and grants nothing.
const STILL_PAID: TimeDelta = TimeDelta::days(3);

/// Outcome for a person that was to be erased.
#[derive(Debug)]
pub enum Erased {
    /// Nothing is on record.
    Unknown,
    /// Nothing was erased, because this needs the data.
    UnderWay(Vec<String>),
    /// The id that the audit log and the tombstones name.
    Done(LearnerId),
}

/// Erases the person with an address, in the caller's transaction. While a payment, refund or dispute of the person is under
/// way, it changes nothing and names what is.
pub async fn erase_address(db: &mut PgConnection, email: &Email, cause: Cause) -> JobResult<Erased> {
    let mut person = person::find(db, email).await?;
    // In the order of the jobs: payments and carts, then the address.
    under_way(db, &person, cause.now).await?;
    locks::take(db, &[Lock::Learner(email)]).await?;
    loop {
        let needed = under_way(db, &person, cause.now).await?;
        // What was committed while this transaction waited for its locks belongs to the person, too.
        let found = person::find(db, email).await?;
        if found != person {
            person = found;
        } else if person.is_unknown() {
            return Ok(Erased::Unknown);
        } else if !needed.is_empty() {
            return Ok(Erased::UnderWay(needed));
        } else {
            return erase(db, &person, cause).await.map(Erased::Done);
        }
    }
}

/// Locks the person's carts and payments, and says what is under way and needs the data: a payment, an unfulfilled paid cart,
/// a refund, a dispute, or an event that waits for an operator. Each entry names a cart.
async fn under_way(db: &mut PgConnection, person: &Person, now: DateTime<Utc>) -> JobResult<Vec<String>> {
    // In the order of a settlement: payments, then carts.
    sqlx::query!(
        "SELECT FROM transactions WHERE id = ANY ($1) ORDER BY id FOR UPDATE",
        &person.transactions as _
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!("SELECT FROM carts WHERE id = ANY ($1) ORDER BY id FOR UPDATE", &person.carts as _)
        .execute(&mut *db)
        .await?;
    Ok(sqlx::query_scalar!(
        r#"SELECT found.what || ' of cart ' || found.cart_id AS "found!" FROM (
               SELECT 'the payment' AS what, t.cart_id FROM transactions t JOIN carts c ON c.id = t.cart_id
               WHERE t.id = ANY ($1) AND t.dead_at IS NULL
                 AND (t.state = 'created' OR t.state = 'processing' AND t.on_account IS NOT NULL
                      -- After a failed try the buyer can try again.
                      OR t.state IN ('processing', 'failed') AND c.state = 'pending_payment'
                      AND (t.provider_pending_since IS NOT NULL
                           AND (t.gateway <> 'external' OR EXISTS (
                               SELECT FROM received_payments p WHERE p.transaction_id = t.id AND p.returned_at IS NULL))
                           OR t.created_at > $4))
               UNION ALL
               SELECT 'the fulfilment', c.id FROM carts c WHERE c.id = ANY ($2) AND c.state = 'paid'
               UNION ALL
               SELECT 'the invoice', d.cart_id FROM documents_due d
               WHERE d.cart_id = ANY ($2) AND NOT EXISTS (SELECT FROM documents i WHERE i.cart_id = d.cart_id)
               UNION ALL
               SELECT 'a refund', t.cart_id FROM refunds r JOIN transactions t ON t.id = r.transaction_id
               WHERE r.id = ANY ($3) AND r.state IN ('asked', 'accepted') AND r.next_check_at IS NOT NULL
               UNION ALL
               SELECT 'a withdrawal', w.cart_id FROM withdrawals w WHERE w.cart_id = ANY ($2) AND w.state = 'received'
               UNION ALL
               SELECT 'a dispute', t.cart_id FROM disputes d JOIN transactions t ON t.id = d.transaction_id
               WHERE t.id = ANY ($1) AND d.state = 'open'
               UNION ALL
               SELECT 'event-' || i.id, t.cart_id FROM inbox i JOIN transactions t ON t.id = i.transaction_id
               WHERE t.id = ANY ($1) AND i.parked_reason IS NOT NULL AND i.processed_at IS NULL
           ) found ORDER BY found.cart_id, found.what"#,
        &person.transactions as _,
        &person.carts as _,
        &person.refunds as _,
        now - STILL_PAID,
    )
    .fetch_all(db)
    .await?)
}

/// Replaces what identifies the person, in the caller's transaction. Returns the id that the audit log names. The course
/// platform is not told: enrollments end here only.
async fn erase(db: &mut PgConnection, person: &Person, cause: Cause) -> JobResult<LearnerId> {
    let tombstone = person.learner_id.unwrap_or_else(LearnerId::generate);
    let commands = person::commands(db, person).await?;
    end_access(db, person, cause).await?;
    close_carts(db, person, tombstone, cause).await?;
    release_rows_of_others(db, person).await?;
    blank_payments(db, person, tombstone).await?;
    blank_withdrawals(db, person, tombstone).await?;
    sqlx::query!("DELETE FROM commands WHERE id = ANY ($1)", &commands).execute(&mut *db).await?;
    sqlx::query!("DELETE FROM outbox WHERE body ->> 'to' = $1 OR body ->> 'email' = $1", person.email)
        .execute(&mut *db)
        .await?;
    // A row that waits is not done any more.
    sqlx::query!(
        "UPDATE batch_rows SET email = 'erased-' || $2::uuid || '@erased.invalid', state = replace(state, 'waiting', 'failed'),
             message = CASE WHEN state = 'waiting' THEN 'the person was erased' ELSE message END
         WHERE email = $1",
        person.email,
        tombstone as _,
    )
    .execute(&mut *db)
    .await?;
    // Those of carts follow them. The code stays valid, and the organisation's key manages the pool.
    sqlx::query!(
        "UPDATE vouchers SET email = 'erased-' || $2::uuid || '@erased.invalid', buyer = 'guest:erased-' || $2::uuid || '@erased.invalid'
         WHERE id = ANY ($1) AND cart_id IS NULL",
        &person.pools as _,
        tombstone as _,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "WITH mailed AS (DELETE FROM mails WHERE recipient = $1) DELETE FROM suppressed_addresses WHERE address = $1",
        person.email,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!("DELETE FROM invitations WHERE email = $1", person.email).execute(&mut *db).await?;
    waiting_list::forget(db, &person.email).await?;
    gifts::forget(db, &person.email, &person.carts, tombstone, cause.now).await?;
    sqlx::query!("DELETE FROM gateway_customers WHERE buyer = ANY ($1)", &person.buyers)
        .execute(&mut *db)
        .await?;
    forget_learner(db, tombstone, cause).await?;
    let detail = json!({ "enrollments": person.enrollments.len(), "carts": person.carts.len() });
    let entry = Change { entity: Entity::Learner, id: tombstone.into(), from: None, to: ENDED, detail };
    audit::record(db, cause, entry).await?;
    Ok(tombstone)
}

/// Ends the grants, and marks the enrollments as agreed with the platform, so that no job calls it.
async fn end_access(db: &mut PgConnection, person: &Person, cause: Cause) -> JobResult<()> {
    sqlx::query!(
        "UPDATE enrollment_grants SET ended_at = $2, ended_reason = $3 WHERE enrollment_id = ANY ($1) AND ended_at IS NULL",
        &person.enrollments as _,
        cause.now,
        ENDED,
    )
    .execute(&mut *db)
    .await?;
    let ended = sqlx::query!(
        r#"UPDATE enrollments e SET email = 'erased-' || e.id || '@erased.invalid', state = 'removed', version = e.version + 1,
               platform_version = e.version + 1, platform_state = 'synced', platform_reason = NULL, sync_lease_until = NULL,
               unresolved = false, invitation_waits = false, updated_at = $2
           FROM enrollments before WHERE e.id = ANY ($1) AND before.id = e.id
           RETURNING e.id, before.state AS "state!""#,
        &person.enrollments as _,
        cause.now,
    )
    .fetch_all(&mut *db)
    .await?;
    // The platform's reason can name the account, and a receiver's answer can repeat the event.
    sqlx::query!(
        "WITH told AS (
             UPDATE events SET data = jsonb_set(data, '{reason}', 'null') WHERE enrollment_id = ANY ($1) RETURNING id)
         UPDATE webhook_deliveries SET last_answer = NULL WHERE event_id IN (SELECT id FROM told)",
        &person.enrollments as _,
    )
    .execute(&mut *db)
    .await?;
    for enrollment in ended.iter().filter(|enrollment| enrollment.state != "removed") {
        let from = enrollment.state.parse::<EnrollmentStatus>().ok().map(Into::into);
        let (id, detail) = (enrollment.id, json!({ "why": ENDED }));
        let entry = Change { entity: Entity::Enrollment, id: id.into(), from, to: "removed", detail };
        audit::record(db, cause, entry).await?;
    }
    Ok(())
}

/// Cancels carts that were not paid, and takes the buyer off all of them. The country stays, for reports on taxes.
async fn close_carts(
    db: &mut PgConnection,
    person: &Person,
    tombstone: LearnerId,
    cause: Cause,
) -> JobResult<()> {
    let closed = sqlx::query!(
        r#"UPDATE carts c SET state = 'cancelled' FROM carts before
           WHERE c.id = ANY ($1) AND before.id = c.id AND c.state IN ('open', 'held', 'pending_payment')
           RETURNING c.id, before.state AS "state: State""#,
        &person.carts as _,
    )
    .fetch_all(&mut *db)
    .await?;
    for cart in closed {
        let (id, from, detail) = (cart.id, Some(cart.state.into()), json!({ "why": ENDED }));
        let entry = Change { entity: Entity::Cart, id: id.into(), from, to: State::Cancelled.into(), detail };
        audit::record(db, cause, entry).await?;
    }
    blank_carts!(
        "email = 'erased-' || $2::uuid || '@erased.invalid',
         buyer = CASE WHEN buyer LIKE 'guest:%' THEN 'guest:erased-' || $2::uuid || '@erased.invalid'
                      ELSE 'erased-' || $2::uuid END
         WHERE id = ANY ($1)",
        &person.carts as _,
        tombstone as _,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "UPDATE moves SET reason = NULL WHERE cart_id = ANY ($1) AND by_learner",
        &person.carts as _,
    )
    .execute(&mut *db)
    .await?;
    let carts: Vec<String> = person.carts.iter().map(|id| id.to_string()).collect();
    // A receiver's answer can repeat the event. Documents are kept; who has to issue one reads it by its route.
    sqlx::query!(
        "WITH told AS (
             UPDATE events SET data = data - ARRAY['metadata', 'document', 'e_invoice']
             WHERE data ? 'metadata' AND data ->> 'cart_id' = ANY ($1)
                OR type = 'document.requested' AND data ->> 'cart_id' = ANY ($1) RETURNING id)
         UPDATE webhook_deliveries SET last_answer = NULL WHERE event_id IN (SELECT id FROM told)",
        &carts,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes the address off what other learners did under it. Everything else stays theirs: what they bought, and their access.
async fn release_rows_of_others(db: &mut PgConnection, person: &Person) -> JobResult<()> {
    // A learner has one enrollment in a course, so these placeholders are unique in a course.
    sqlx::query!(
        "UPDATE enrollments SET email = 'learner-' || learner_id || '@moved.invalid'
         WHERE id = ANY ($1)",
        &person.enrollments_of_others as _,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "UPDATE carts c SET email = coalesce(l.email, 'learner-' || l.id || '@moved.invalid'),
             buyer = CASE WHEN buyer = 'guest:' || $2 THEN 'guest:learner-' || l.id || '@moved.invalid' ELSE buyer END
         FROM unnest($1::uuid[], $3::uuid[]) AS theirs (cart_id, learner_id) JOIN learners l ON l.id = theirs.learner_id
         WHERE c.id = theirs.cart_id",
        &person.carts_of_others.iter().map(|(cart, _)| *cart).collect::<Vec<_>>() as _,
        person.email,
        &person.carts_of_others.iter().map(|(_, learner)| *learner).collect::<Vec<_>>() as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Amounts, references, states and the ledger stay. A repeat of a learner's refund finds nothing any more, and needs the
/// learner's cart, which it does not find either.
async fn blank_payments(db: &mut PgConnection, person: &Person, tombstone: LearnerId) -> JobResult<()> {
    sqlx::query!(
        "UPDATE transactions SET provider_request = '{}', provider_answer = NULL,
             alert = regexp_replace(alert, $2, $3, 'gi')
         WHERE id = ANY ($1)",
        &person.transactions as _,
        names(db, person).await?,
        ERASED_NAME,
    )
    .execute(&mut *db)
    .await?;
    // A line of a bank statement can hold a name.
    sqlx::query!(
        "UPDATE received_payments SET reference = 'erased-' || id WHERE transaction_id = ANY ($1)",
        &person.transactions as _,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "UPDATE refunds SET reason = NULL, actor = 'erased-' || $2::uuid,
             request_key = CASE WHEN request_key IS NOT NULL THEN 'erased ' || id END
         WHERE id = ANY ($1) AND origin = 'learner'",
        &person.refunds as _,
        tombstone as _,
    )
    .execute(&mut *db)
    .await?;
    // What is not processed is needed to process it; the retention job blanks it later.
    sqlx::query!(
        "UPDATE inbox SET body = '{}' WHERE processed_at IS NOT NULL AND (transaction_id = ANY ($1) OR transaction_hint = ANY ($1))",
        &person.transactions as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Removes the person from withdrawals. What was declared, when, and what became of it stay; so does the name of another buyer, who
/// has typed the person's address in a declaration about an own order.
async fn blank_withdrawals(db: &mut PgConnection, person: &Person, tombstone: LearnerId) -> JobResult<()> {
    sqlx::query!(
        "UPDATE withdrawals SET email = 'erased-' || $2::uuid || '@erased.invalid', named_order = coalesce(cart_id::text, ''),
             name = CASE WHEN proof <> 'none' AND cart_id <> ALL ($3) THEN name ELSE '' END,
             reason = CASE WHEN proof <> 'none' AND cart_id <> ALL ($3) THEN reason END
         WHERE id = ANY ($1)",
        &person.withdrawals,
        tombstone as _,
        &person.carts as _,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// A regular expression for the person's address and the account's names, as whole words.
async fn names(db: &mut PgConnection, person: &Person) -> JobResult<String> {
    let learner = sqlx::query!("SELECT username, name FROM learners WHERE id = $1", person.learner_id as _);
    let learner = learner.fetch_optional(db).await?;
    let names = learner.map(|learner| [learner.username, learner.name]).into_iter().flatten();
    let escaped = names.chain([person.email.clone()]).filter(|name| !name.trim().is_empty()).map(|name| {
        let escape = |c: char| (!c.is_alphanumeric()).then_some('\\').into_iter().chain([c]);
        name.chars().flat_map(escape).collect::<String>()
    });
    Ok(format!(r"(?<!\w)(?:{})(?!\w)", escaped.collect::<Vec<_>>().join("|")))
}

/// Frees the account's id and address, so that the account starts afresh if it comes back. Platform user ids are positive.
async fn forget_learner(db: &mut PgConnection, learner_id: LearnerId, cause: Cause) -> JobResult<()> {
    sqlx::query!("DELETE FROM organisation_members WHERE learner_id = $1", learner_id as _)
        .execute(&mut *db)
        .await?;
    sqlx::query!("DELETE FROM staff WHERE learner_id = $1", learner_id as _).execute(&mut *db).await?;
    sqlx::query!(
        "UPDATE learners SET platform_user_id = least(0, (SELECT min(platform_user_id) FROM learners)) - 1,
             username = 'erased-' || id, email = NULL, former_email = NULL, name = '', language = NULL,
             updated_at = $2
         WHERE id = $1",
        learner_id as _,
        cause.now,
    )
    .execute(db)
    .await?;
    Ok(())
}
