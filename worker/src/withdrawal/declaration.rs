//! Stores a declaration and its acknowledgement before anything is judged. Whatever the order, the caller learns the same.

use chrono::{DateTime, Utc};
use shared::ids::CartId;
use shared::messages::{
    DeclareWithdrawal, DeclaredWith, JudgeWithdrawal, Mail, OrderCaller, WithdrawalReceived,
};
use sqlx::PgConnection;
use store::error::JobResult;
use store::money::withdrawals::{self, NewWithdrawal, Proof, State};
use store::plumbing::audit::{Actor, Cause};
use store::plumbing::{mails, outbox};
use store::sales::cart_items::{self, RefundableLine};
use store::sales::carts::{self, Cart};
use uuid::Uuid;

use crate::refund::request;
use crate::runtime::context::Context;

/// Stores a declaration under this id, once.
pub async fn store(ctx: &Context, declared: &DeclareWithdrawal, id: Uuid) -> JobResult<()> {
    let linked = match &declared.proof {
        DeclaredWith::Link { cart_id } => Some(*cart_id),
        DeclaredWith::Session { .. } | DeclaredWith::Nothing => None,
    };
    let named = withdrawals::named(&ctx.db, &declared.order, &declared.email, linked).await?;
    let cause = Cause { actor: actor(&declared.proof), command_id: id, now: ctx.clock.now() };
    let mut tx = ctx.transaction().await?;
    match named[..] {
        [cart_id] => about(ctx, &mut tx, declared, cart_id, cause).await?,
        [] => unmatched(&mut tx, declared, None, "no such order is known under this address", cause).await?,
        [..] => unmatched(&mut tx, declared, None, "the number is that of several orders", cause).await?,
    }
    tx.commit().await?;
    ctx.outbox.notify_one();
    Ok(())
}

/// Stores a declaration about one order.
async fn about(
    ctx: &Context,
    db: &mut PgConnection,
    declared: &DeclareWithdrawal,
    cart_id: CartId,
    cause: Cause,
) -> JobResult<()> {
    let cart = carts::lock(db, cart_id).await?;
    let Some(proof) = proof(&cart, declared) else {
        return unmatched(db, declared, Some(&cart), "the order was bought under another address", cause)
            .await;
    };
    let lines = cart_items::refundable(db, cart.id).await?;
    let is_line = |item: &u32| lines.iter().any(|line| u32::try_from(line.position) == Ok(*item));
    if declared.items.as_ref().is_some_and(|items| !items.iter().any(is_line)) {
        return unmatched(db, declared, Some(&cart), "the order has no such line", cause).await;
    }
    receive(ctx, db, declared, &cart, &lines, proof, cause).await
}

fn actor(proof: &DeclaredWith) -> Actor {
    match proof {
        DeclaredWith::Session { account, .. } => Actor::Learner(account.user_id),
        DeclaredWith::Nothing | DeclaredWith::Link { .. } => Actor::Guest,
    }
}

/// Returns the proof that the buyer of this cart declares it; None if even the address is another one.
fn proof(cart: &Cart, declared: &DeclareWithdrawal) -> Option<Proof> {
    let is_typed = cart.email == declared.email;
    match &declared.proof {
        DeclaredWith::Link { cart_id } if *cart_id == cart.id => Some(Proof::Link),
        DeclaredWith::Session { account, email } => {
            let caller = OrderCaller::Learner { account: account.clone(), email: email.clone() };
            match request::may_see(cart, &caller) {
                true => Some(Proof::Session),
                false => is_typed.then_some(Proof::None),
            }
        }
        DeclaredWith::Nothing | DeclaredWith::Link { .. } => is_typed.then_some(Proof::None),
    }
}

/// Stores a declaration about an order, and its acknowledgement. Lines that are declared already are not declared again.
async fn receive(
    ctx: &Context,
    db: &mut PgConnection,
    declared: &DeclareWithdrawal,
    cart: &Cart,
    lines: &[RefundableLine],
    proof: Proof,
    cause: Cause,
) -> JobResult<()> {
    let chosen = chosen(lines, declared.items.as_deref());
    let earlier = withdrawals::declared(db, cart.id).await?;
    let new: Vec<i32> =
        chosen.iter().copied().filter(|p| earlier.iter().all(|line| line.position != *p)).collect();
    if proof != Proof::None {
        for line in earlier.iter().filter(|line| line.is_unproved && chosen.contains(&line.position)) {
            withdrawals::prove(db, line.withdrawal_id, proof, cause.now).await?;
            judge_now(db, line.withdrawal_id, cause.now).await?;
        }
    }
    let nothing_left = new.is_empty() && earlier.is_empty();
    // Also what a person has yet to look at is declared once.
    if new.is_empty() && (!nothing_left || withdrawals::waits_about_nothing(db, cart.id).await?) {
        return Ok(());
    }
    let is_proved = proof != Proof::None;
    let judge_at = if is_proved { cause.now } else { declared.declared_at + ctx.withdrawal_delay };
    let withdrawal = NewWithdrawal {
        id: cause.command_id,
        organisation_id: Some(cart.organisation_id),
        cart_id: Some(cart.id),
        state: State::Received,
        proof,
        named_order: &declared.order,
        email: &declared.email,
        name: &declared.name,
        items: Some(&new),
        declared_at: declared.declared_at,
        judge_at: (!nothing_left).then_some(judge_at),
        waits_because: nothing_left.then_some("nothing is left to withdraw from"),
    };
    if !withdrawals::insert(db, &withdrawal, cause).await? {
        return Ok(());
    }
    acknowledge(db, declared, cart, &withdrawal, cause).await?;
    if is_proved && !nothing_left { judge_now(db, cause.command_id, cause.now).await } else { Ok(()) }
}

/// The lines that are declared: of the named ones, or of all, those that were not refunded. A part that the organisation kept of a
/// refund stays kept.
fn chosen(lines: &[RefundableLine], items: Option<&[u32]>) -> Vec<i32> {
    let is_named = |line: &RefundableLine| {
        items.is_none_or(|items| items.iter().any(|item| i32::try_from(*item) == Ok(line.position)))
    };
    let is_chosen = |line: &&RefundableLine| !line.is_settled && is_named(line);
    lines.iter().filter(is_chosen).map(|line| line.position).collect()
}

/// Acknowledges a declaration at the order's address, and at that of the session which declares it. Anyone can type another one.
async fn acknowledge(
    db: &mut PgConnection,
    declared: &DeclareWithdrawal,
    cart: &Cart,
    stored: &NewWithdrawal<'_>,
    cause: Cause,
) -> JobResult<()> {
    let names = cart_items::lines(&mut *db, cart.id, cart.total.currency()).await?;
    let is_declared = |nth: &usize| {
        stored.items.is_some_and(|items| items.iter().any(|position| usize::try_from(*position) == Ok(*nth)))
    };
    let items = names.into_iter().enumerate().filter(|(nth, _)| is_declared(nth));
    let received = WithdrawalReceived {
        organisation_id: cart.organisation_id,
        cart_id: cart.id,
        withdrawal_id: stored.id,
        email: declared.email.clone(),
        name: declared.name.clone(),
        items: items.map(|(_, item)| item.name).collect(),
        declared_at: declared.declared_at,
        is_proved: stored.proof != Proof::None,
        judged_at: stored.judge_at.unwrap_or(cause.now),
    };
    let mail = Mail::WithdrawalReceived(Box::new(received));
    if let DeclaredWith::Session { email, .. } = &declared.proof
        && *email == declared.email
        && *email != cart.email
    {
        mails::push(db, email, mail.clone(), Some(&cart.language), cause.now).await?;
    }
    mails::push(db, &cart.email, mail, Some(&cart.language), cause.now).await
}

async fn judge_now(db: &mut PgConnection, id: Uuid, now: DateTime<Utc>) -> JobResult<()> {
    outbox::push(db, JudgeWithdrawal { withdrawal_id: id }, now).await.map(drop)
}

/// Stores a declaration for a person, who finds out what it concerns. No mail is sent about it.
async fn unmatched(
    db: &mut PgConnection,
    declared: &DeclareWithdrawal,
    cart: Option<&Cart>,
    because: &str,
    cause: Cause,
) -> JobResult<()> {
    let items = declared.items.as_ref();
    let items: Option<Vec<i32>> =
        items.map(|items| items.iter().filter_map(|item| i32::try_from(*item).ok()).collect());
    let withdrawal = NewWithdrawal {
        id: cause.command_id,
        organisation_id: cart.map(|cart| cart.organisation_id),
        cart_id: cart.map(|cart| cart.id),
        state: State::Unmatched,
        proof: Proof::None,
        named_order: &declared.order,
        email: &declared.email,
        name: &declared.name,
        items: items.as_deref(),
        declared_at: declared.declared_at,
        judge_at: None,
        waits_because: Some(because),
    };
    withdrawals::insert(db, &withdrawal, cause).await.map(drop)
}
