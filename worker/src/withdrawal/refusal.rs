//! The refusal of a declared withdrawal by a person, with its mail to the buyer.

use shared::messages::{Mail, WithdrawalRefused};
use sqlx::PgConnection;
use store::error::JobResult;
use store::money::withdrawals::{self, Decision, State, Withdrawal};
use store::plumbing::audit::Cause;
use store::plumbing::mails;
use store::sales::carts;

/// Refuses a declaration. The order's buyer learns the reason; who declared an unmatched one may be a stranger, and learns nothing.
///
/// # Errors
/// `Retry` if it was decided meanwhile.
pub async fn refuse(
    db: &mut PgConnection,
    withdrawal: &Withdrawal,
    reason: &str,
    cause: Cause,
) -> JobResult<()> {
    let decision = Decision {
        id: withdrawal.id,
        from: withdrawal.state,
        to: State::Refused,
        reason: Some(reason),
        refund_id: None,
    };
    withdrawals::decide(db, &decision, cause).await?;
    let (State::Received, Some(cart_id)) = (withdrawal.state, withdrawal.cart_id) else { return Ok(()) };
    let cart = carts::lock(db, cart_id).await?;
    let refused = WithdrawalRefused {
        organisation_id: cart.organisation_id,
        cart_id,
        reason: reason.to_owned(),
        declared_at: withdrawal.declared_at,
    };
    let mail = Mail::WithdrawalRefused(refused);
    mails::push(db, &cart.email, mail, Some(&cart.language), cause.now).await.map(drop)
}
