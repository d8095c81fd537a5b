//! The refund of an accepted withdrawal: stored in the transaction that accepts it, and asked from the provider after that.

use rust_decimal::Decimal;
use shared::ids::{CartId, RefundId};
use shared::messages::Idempotency;
use store::error::{JobError, JobResult};
use store::money::transactions;
use store::money::withdrawals::{self, Decision, State, Withdrawal};
use store::plumbing::audit::{Actor, Cause};
use store::sales::cart_items;

use crate::refund::request::{self, Request, Requester};
use crate::runtime::context::Context;

/// Terms on which a declaration is accepted.
pub struct Acceptance<'a> {
    pub withdrawal: &'a Withdrawal,
    pub actor: Actor,
    /// In major units; None: all that is left of the lines.
    pub amount: Option<Decimal>,
    pub reason: Option<&'a str>,
}

/// Accepts a declaration, and pays back. A person can also accept one of an order that cost nothing.
///
/// # Errors
/// As [`request::store`].
pub async fn accept(ctx: &Context, acceptance: &Acceptance<'_>, cause: Cause) -> JobResult<()> {
    let Acceptance { withdrawal, actor, amount, reason } = *acceptance;
    let cart_id = withdrawal.cart_id.ok_or_else(|| JobError::dead("a withdrawal of an unknown order"))?;
    if transactions::of_cart(&ctx.db, cart_id).await?.is_none() {
        let mut tx = ctx.transaction().await?;
        let decision = Decision {
            id: withdrawal.id,
            from: withdrawal.state,
            to: State::Accepted,
            reason,
            refund_id: None,
        };
        withdrawals::decide(&mut tx, &decision, cause).await?;
        return tx.commit().await;
    }
    let items = positions(ctx, withdrawal, cart_id).await?;
    let idempotency = Idempotency {
        scope: "withdrawal".to_owned(),
        key: withdrawal.id.to_string(),
        request_hash: withdrawal.id.as_bytes().to_vec(),
    };
    let request = Request {
        cart_id,
        requester: Requester::Withdrawal { id: withdrawal.id, from: withdrawal.state, actor },
        items: Some(&items),
        amount,
        reason,
        despite_dispute: false,
        idempotency: &idempotency,
    };
    let id = RefundId::generate();
    request::store(ctx, &request, id, Cause { command_id: id.into(), ..cause }).await.map(drop)
}

/// The lines that a withdrawal declares: those that it names, or all that were not refunded.
async fn positions(ctx: &Context, withdrawal: &Withdrawal, cart_id: CartId) -> JobResult<Vec<u32>> {
    let of = |position: i32| u32::try_from(position).ok();
    let positions: Vec<u32> = match &withdrawal.items {
        Some(items) => items.iter().copied().filter_map(of).collect(),
        None => {
            let mut db = ctx.db.acquire().await?;
            let lines = cart_items::refundable(&mut db, cart_id).await?;
            lines.iter().filter(|line| !line.is_settled).filter_map(|line| of(line.position)).collect()
        }
    };
    if positions.is_empty() {
        return Err(JobError::invalid(
            "decision",
            "accepts nothing: no line that the withdrawal declares is left to pay back",
        ));
    }
    Ok(positions)
}
