//! Carts, which move only between the states that the schema allows.
//!
//! Why: `docs/decisions/learner-cart-reopens.md`

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;
use shared::about;
use shared::db::Db;
use shared::email::Email;
use shared::ids::{CartId, LearnerId, OrganisationId};
use shared::messages::{BillingAddress, Labels, LearnerAccount};
use shared::money::Money;
use shared::region::Country;
use shared::withdrawal::Agreed;
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};
use texts::Language;
use uuid::Uuid;

use crate::error::{JobError, JobResult};
use crate::model::line::NewContents;
use crate::model::tax::TaxTerms;
use crate::plumbing::audit::{self, Cause, Change, Entity};

pub use shared::words::CartStatus as State;

/// Origin of a cart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A cart for one checkout.
    Discovery,
    /// A cart that a learner fills over time.
    Learner,
}

/// A cart to insert, or the new contents of an open one.
pub struct NewCart<'a> {
    pub id: CartId,
    pub kind: Kind,
    pub buyer: String,
    pub email: &'a Email,
    pub learner_id: Option<LearnerId>,
    pub organisation_id: OrganisationId,
    pub country: Option<Country>,
    pub billing_address: Option<&'a BillingAddress>,
    /// As the buyer has chosen it.
    pub language: Option<&'a Language>,
    pub contents: NewContents<'a>,
}

/// A stored cart, without its lines.
pub struct Cart {
    pub id: CartId,
    pub buyer: String,
    pub email: Email,
    pub learner_id: Option<LearnerId>,
    pub organisation_id: OrganisationId,
    pub state: State,
    pub country: Option<Country>,
    /// The code of its voucher.
    pub voucher: Option<String>,
    pub total: Money,
    pub billing_address: Option<Json<BillingAddress>>,
    /// None if the buyer has no right of withdrawal.
    pub consents: Option<Json<Agreed>>,
    pub language: Language,
    pub labels: Json<Labels>,
    pub paid_at: Option<DateTime<Utc>>,
    pub fulfilled_at: Option<DateTime<Utc>>,
    /// The site that sold the order before it was moved in.
    pub former_shop: Option<String>,
    /// Indicates whether an operator has to decide before it is granted, once it is paid.
    has_block: bool,
}

impl Cart {
    /// The cart as [`move_to`] leaves it that records its payment.
    #[must_use]
    pub fn paid(self, now: DateTime<Utc>) -> Self {
        Self { state: State::Paid, paid_at: self.paid_at.or(Some(now)), ..self }
    }

    /// Returns whether a paid cart waits for an operator before it is granted.
    pub fn is_blocked(&self) -> bool {
        self.state == State::Paid && self.has_block
    }

    /// Checks that this storefront has sold the order: nothing is booked for what another shop sold.
    ///
    /// # Errors
    /// `Forbidden`, which names the shop.
    pub fn check_sold_here(&self) -> JobResult<()> {
        match &self.former_shop {
            Some(shop) => Err(JobError::forbidden(format!(
                "this order was sold by {shop} before it was moved in: ask there for a refund, a receipt or a change"
            ))),
            None => Ok(()),
        }
    }
}

/// Selects stored carts by the rest of a query. A macro, so that the columns are written once and the compiler still checks
/// each query.
macro_rules! select_carts {
    ($rest:literal, $($value:expr),+ $(,)?) => {
        sqlx::query_as!(
            Cart,
            r#"SELECT id, buyer, email AS "email: Email", learner_id, organisation_id, state AS "state: State",
                      country AS "country: Country",
                      (SELECT v.code FROM vouchers v WHERE v.id = carts.voucher_id) AS voucher,
                      (total, currency) AS "total!: Money",
                      billing_address AS "billing_address: Json<BillingAddress>", language AS "language: Language",
                      cart_labels(carts) AS "labels!: Json<Labels>", consents AS "consents: Json<Agreed>", paid_at, fulfilled_at, former_shop,
                      grant_blocked_at IS NOT NULL AS "has_block!" FROM carts "#
                + $rest,
            $($value),+
        )
    };
}

/// The beginning of a guest's key as a buyer.
pub(crate) const GUEST: &str = "guest:";

/// The key of the buyer whose attempts at a basket belong together. A guest never shares it with the learner of the
/// same address.
pub fn buyer(email: &Email, learner: Option<&LearnerAccount>) -> String {
    match learner {
        Some(learner) => learner.user_id.to_string(),
        None => format!("{GUEST}{}", email.as_str()),
    }
}

/// Reads a cart without locking it.
pub async fn find(db: impl PgExecutor<'_>, id: CartId) -> JobResult<Option<Cart>> {
    about::cart(id);
    Ok(select_carts!("WHERE id = $1", id as _).fetch_optional(db).await?)
}

/// Reads a cart and locks its row until the transaction ends.
pub async fn lock(db: &mut PgConnection, id: CartId) -> JobResult<Cart> {
    about::cart(id);
    let cart = select_carts!("WHERE id = $1 FOR UPDATE", id as _).fetch_optional(db).await?;
    cart.ok_or_else(|| JobError::dead(format!("no cart {id}")))
}

/// Locks and returns the cart that the learner fills or is paying for.
pub async fn of_learner(
    db: &mut PgConnection,
    buyer: &str,
    organisation_id: OrganisationId,
) -> JobResult<Option<Cart>> {
    Ok(select_carts!(
        "WHERE buyer = $1 AND organisation_id = $2 AND kind = 'learner' AND state IN ('open', 'pending_payment')
         FOR UPDATE",
        buyer,
        organisation_id as _,
    )
    .fetch_optional(db)
    .await?)
}

/// The hash of a cart's frozen quote.
pub async fn basket_hash(db: &mut PgConnection, id: CartId) -> JobResult<Vec<u8>> {
    Ok(sqlx::query_scalar!("SELECT basket_hash FROM carts WHERE id = $1", id as _).fetch_one(db).await?)
}

/// The taxation of a cart; None if its organisation is no seller.
pub async fn tax_terms(db: impl PgExecutor<'_>, id: CartId) -> JobResult<Option<TaxTerms>> {
    let terms = sqlx::query_scalar!(
        r#"SELECT tax_terms AS "terms: Json<TaxTerms>" FROM carts WHERE id = $1"#,
        id as _
    );
    Ok(terms.fetch_one(db).await?.map(|terms| terms.0))
}

/// Records which cart a checkout has joined, for callers who know only the checkout's own id.
pub async fn join(db: &mut PgConnection, id: Uuid, cart_id: CartId, now: DateTime<Utc>) -> JobResult<()> {
    if id == cart_id.0 {
        return Ok(());
    }
    sqlx::query!(
        "INSERT INTO joined_checkouts (id, cart_id, created_at) VALUES ($1, $2, $3)
         ON CONFLICT (id) DO UPDATE SET cart_id = excluded.cart_id",
        id,
        cart_id as _,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The cart that a checkout created or joined before it could answer.
pub async fn of_checkout(db: &Db, id: Uuid) -> JobResult<Option<CartId>> {
    Ok(sqlx::query_scalar!(
        "SELECT coalesce((SELECT id FROM carts WHERE id = $1), (SELECT cart_id FROM joined_checkouts WHERE id = $1))",
        id
    )
    .fetch_one(db)
    .await?
    .map(CartId))
}

/// Cancels a held cart of the same basket that has lost some of its grants; a new cart replaces it.
pub async fn cancel_held(db: &mut PgConnection, cart: &NewCart<'_>, cause: Cause) -> JobResult<()> {
    let held = sqlx::query_scalar!(
        "UPDATE carts SET state = 'cancelled'
         WHERE buyer = $1 AND organisation_id = $2 AND basket_hash = $3 AND kind = 'discovery' AND state = 'held'
         RETURNING id",
        cart.buyer,
        cart.organisation_id as _,
        cart.contents.basket_hash,
    )
    .fetch_all(&mut *db)
    .await?;
    for id in held {
        moved(db, id, State::Held, State::Cancelled, cause).await?;
    }
    Ok(())
}

/// Moves a cart from one state to another; the schema refuses a move that is not allowed.
pub async fn move_to(
    db: &mut PgConnection,
    id: CartId,
    from: State,
    to: State,
    cause: Cause,
) -> JobResult<()> {
    let moving = sqlx::query!(
        "WITH moved AS (
             UPDATE carts SET state = $3,
                 paid_at = CASE WHEN $3 = 'paid' THEN coalesce(paid_at, $4) ELSE paid_at END,
                 fulfilled_at = CASE WHEN $3 = 'fulfilled' THEN coalesce(fulfilled_at, $4) ELSE fulfilled_at END
             WHERE id = $1 AND state = $2 RETURNING id)
         INSERT INTO audit_log (at, entity, entity_id, actor, command_id, from_state, to_state, detail, trace)
         SELECT $4, $5, id, $6, $7, $2, $3, '{}', $8 FROM moved",
        id as _,
        from as State,
        to as State,
        cause.now,
        Entity::Cart as Entity,
        cause.actor.to_string(),
        cause.command_id,
        audit::trace(),
    );
    if moving.execute(db).await?.rows_affected() == 0 {
        return Err(JobError::Retry(format!("cart {id} is no longer {from}")));
    }
    Ok(())
}

/// Records that a fulfilled cart, which was on account, is paid.
pub async fn set_paid(db: &mut PgConnection, id: CartId, cause: Cause) -> JobResult<()> {
    sqlx::query!("UPDATE carts SET paid_at = $2 WHERE id = $1 AND paid_at IS NULL", id as _, cause.now)
        .execute(&mut *db)
        .await?;
    let entry = Change {
        entity: Entity::Cart,
        id: id.into(),
        from: Some(State::Fulfilled.into()),
        to: "invoice_paid",
        detail: json!({}),
    };
    audit::record(db, cause, entry).await
}

/// Locks and returns the carts held for this address, so that each of two concurrent removals sees what the other has
/// ended.
pub async fn held(db: &mut PgConnection, email: &Email) -> JobResult<Vec<CartId>> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM carts WHERE email = $1 AND state = 'held' ORDER BY id FOR UPDATE",
        email.as_str()
    )
    .fetch_all(db)
    .await?)
}

/// Cancels held carts without live grants: all their enrollments were cancelled.
pub async fn cancel_emptied(db: &mut PgConnection, email: &Email, cause: Cause) -> JobResult<()> {
    let cancelled = sqlx::query_scalar!(
        "UPDATE carts SET state = 'cancelled' WHERE email = $1 AND state = 'held' AND NOT EXISTS (
             SELECT FROM enrollment_grants g WHERE g.cart_id = carts.id AND g.ended_at IS NULL)
         RETURNING id",
        email.as_str(),
    )
    .fetch_all(&mut *db)
    .await?;
    for id in cancelled {
        moved(db, id, State::Held, State::Cancelled, cause).await?;
    }
    Ok(())
}

/// Expires a batch of open carts that were last filled before `before`.
pub async fn expire_open(
    db: &mut PgConnection,
    before: DateTime<Utc>,
    limit: i64,
    cause: Cause,
) -> JobResult<u64> {
    let expired = sqlx::query_scalar!(
        "UPDATE carts SET state = 'expired' WHERE id = ANY (ARRAY(
             SELECT id FROM carts WHERE state = 'open' AND created_at < $1
             ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED))
         RETURNING id",
        before,
        limit,
    )
    .fetch_all(&mut *db)
    .await?;
    for id in &expired {
        moved(db, *id, State::Open, State::Expired, cause).await?;
    }
    Ok(expired.len() as u64)
}

/// Deletes a batch of old joined checkouts, which no caller asks about any more. Returns how many.
pub async fn forget_joined(db: &mut PgConnection, before: DateTime<Utc>) -> Result<u64, sqlx::Error> {
    let gone = sqlx::query!(
        "DELETE FROM joined_checkouts WHERE id = ANY (ARRAY(
             SELECT id FROM joined_checkouts WHERE created_at < $1 ORDER BY created_at LIMIT 10000))",
        before,
    );
    Ok(gone.execute(db).await?.rows_affected())
}

async fn moved(db: &mut PgConnection, id: CartId, from: State, to: State, cause: Cause) -> JobResult<()> {
    let entry = Change {
        entity: Entity::Cart,
        id: id.into(),
        from: Some(from.into()),
        to: to.into(),
        detail: json!({}),
    };
    audit::record(db, cause, entry).await
}
