//! A guest's order under another address, where the first one was mistyped. What waits for the address moves; what somebody has
//! access to under it does not.

use serde_json::json;
use shared::email::Email;
use shared::ids::{CartId, EnrollmentId};
use sqlx::PgConnection;

use super::bought_access;
use super::enrollments::{self, Grants, Holder, Source};
use super::sync_queue::SyncAt;
use crate::error::{JobError, JobResult};
use crate::money::withdrawals;
use crate::plumbing::audit::{self, Cause, Change, Entity};
use crate::plumbing::mail_fates;
use crate::sales::carts::{self, Cart, State};
use crate::sales::{cart_items, seats};

/// Gives a locked guest's cart to another address. Its waiting grants and mails move; the worker then looks the address up, and
/// invites it if it has no account. What the address before was sent opens nothing any more: its links have ended, its pools of
/// seats have new codes, and what it has declared waits for a person. The invoice stays as it is.
///
/// # Errors
/// `InvalidRequest` for an account's order, one that waits for its payment or has ended, and if somebody has access by it.
pub async fn readdress(db: &mut PgConnection, cart: &Cart, to: &Email, cause: Cause) -> JobResult<()> {
    check(db, cart, to).await?;
    sqlx::query!(
        "UPDATE carts SET email = $2, buyer = $3, link_version = link_version + 1 WHERE id = $1",
        cart.id as _,
        to.as_str(),
        carts::buyer(to, None),
    )
    .execute(&mut *db)
    .await?;
    mail_fates::readdress(db, cart.id, to, cause.now).await?;
    seats::hand_over(db, cart, to, cause.now).await?;
    withdrawals::doubt(db, cart.id, "the order's address was corrected after it", cause.now).await?;
    let source = take_waiting(db, cart.id, cause).await?;
    if let Some(source) = source {
        let courses = cart_items::courses(db, cart.id).await?;
        let holder = Holder::Unresolved;
        let language = Some(&cart.language);
        let grants = Grants { email: to, holder, source, courses: &courses, language, sync_at: SyncAt::Now };
        enrollments::grant(db, &grants, cause).await?;
    }
    mail_fates::forget_invitations(db, cart.organisation_id, &cart.email).await?;
    // No addresses: the audit log keeps what it has for good.
    let entry = Change {
        entity: Entity::Cart,
        id: cart.id.into(),
        from: None,
        to: "address_corrected",
        detail: json!({}),
    };
    audit::record(db, cause, entry).await
}

async fn check(db: &mut PgConnection, cart: &Cart, to: &Email) -> JobResult<()> {
    if cart.email == *to {
        return Err(JobError::invalid("email", "is the order's address already"));
    }
    if cart.buyer != carts::buyer(&cart.email, None) {
        return Err(JobError::invalid(
            "cart_id",
            "was bought by an account, whose owner changes the address at the course platform",
        ));
    }
    if !matches!(cart.state, State::Held | State::Paid | State::Fulfilled) {
        return Err(JobError::invalid(
            "cart_id",
            "waits for its payment or has ended; only an order that is complete can be corrected",
        ));
    }
    let found = sqlx::query!(
        r#"SELECT EXISTS (SELECT FROM enrollment_grants g JOIN enrollments e ON e.id = g.enrollment_id
                          WHERE g.cart_id = $1 AND g.ended_at IS NULL AND (e.state = 'enrolled'
                              OR EXISTS (SELECT FROM enrollment_grants r WHERE r.rests_on = g.id)
                              OR EXISTS (SELECT FROM cart_items i WHERE i.rests_on = g.id)))
                      OR EXISTS (SELECT FROM moves WHERE cart_id = $1) AS "is_used!",
                  EXISTS (SELECT FROM carts c JOIN carts other ON other.organisation_id = c.organisation_id
                              AND other.basket_hash = c.basket_hash AND other.buyer = $2
                          WHERE c.id = $1 AND c.state = 'held' AND other.state IN ('open', 'pending_payment', 'held')) AS "is_there!""#,
        cart.id as _,
        carts::buyer(to, None),
    )
    .fetch_one(db)
    .await?;
    if found.is_used {
        return Err(JobError::invalid(
            "cart_id",
            "has opened a course under this address already, or was upgraded or moved",
        ));
    }
    if found.is_there {
        return Err(JobError::invalid("email", "has the same order already"));
    }
    Ok(())
}

/// Takes the waiting grants off a cart, so that it can grant its courses anew. Returns their source; None if it has granted nothing
/// yet.
async fn take_waiting(db: &mut PgConnection, cart_id: CartId, cause: Cause) -> JobResult<Option<Source>> {
    let taken = sqlx::query!(
        "DELETE FROM enrollment_grants WHERE cart_id = $1 AND ended_at IS NULL RETURNING enrollment_id, source",
        cart_id as _,
    )
    .fetch_all(&mut *db)
    .await?;
    let enrollments: Vec<EnrollmentId> = taken.iter().map(|grant| grant.enrollment_id).collect();
    bought_access::settle_rows(db, &enrollments, SyncAt::Now, cause).await?;
    Ok(taken.first().map(|grant| match grant.source.as_str() {
        "free" => Source::FreeCart(cart_id),
        _ => Source::PaidCart(cart_id),
    }))
}
