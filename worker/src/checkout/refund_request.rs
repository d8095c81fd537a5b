//! Checks a request for a refund, and stores it before the provider is asked. Repeats under one key find the first one.

use shared::messages::{FieldError, RefundCaller, RefundOrder, Refusal};
use shared::money::{Money, MoneyError};
use shared::refund_window::refundable_until;
use sqlx::PgConnection;
use uuid::Uuid;

use super::provider_calls;
use super::refund_plan::{self, Ask, Plan};
use super::refunds;
use crate::alert::Alert;
use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::gateways::profile;
use crate::store::audit::{Actor, Cause};
use crate::store::cart_items::RefundableLine;
use crate::store::carts::{self, Cart};
use crate::store::refunds::{self as rows, NewRefund, Origin, State};
use crate::store::transactions::{self, Transaction};
use crate::store::{bought_access, cart_items, organisations, seats};

/// A stored request.
pub struct Stored {
    pub id: Uuid,
    /// This job stored it, so the provider has not been asked before.
    pub is_new: bool,
    /// To raise now: the request has been committed.
    pub alerts: Vec<Alert>,
}

/// Who is recorded as asking for the refund.
pub fn actor(caller: &RefundCaller) -> Actor {
    match caller {
        RefundCaller::Key { id, .. } => Actor::Key(*id),
        RefundCaller::Learner { account, .. } => Actor::Learner(account.user_id),
        RefundCaller::Operator { name } => Actor::Operator(*name),
    }
}

/// Stores the request, or finds the one that was made under the same key.
///
/// # Errors
/// `CartNotFound` for another buyer's or organisation's cart; `InvalidRequest` for what cannot be refunded; `Forbidden`
/// for a learner who may not ask for it; `IdempotencyMismatch`; `InProgress` while the provider has not answered another
/// refund of the payment.
pub async fn store(ctx: &Context, command: &RefundOrder, id: Uuid, cause: Cause) -> JobResult<Stored> {
    let cart = carts::find(&ctx.db, command.cart_id).await?.filter(|cart| may_see(cart, &command.caller));
    let cart = cart.ok_or(Refusal::CartNotFound)?;
    let Some(transaction) = transactions::of_cart(&ctx.db, cart.id).await? else {
        return Err(invalid("cart_id", "was not paid: there is nothing to refund"));
    };
    let key = format!("{} {}", command.idempotency.scope, command.idempotency.key);
    let mut db = ctx.db.acquire().await?;
    let is_repeated = rows::of_request(&mut db, transaction.id, &key).await?.is_some();
    drop(db);
    // Before anything is stored: without them the refund would be made at an unknown later time.
    provider_calls::credentials(ctx, transaction.organisation_id, transaction.gateway).await?;
    if let (RefundCaller::Learner { account, .. }, false) = (&command.caller, is_repeated) {
        check_learner(ctx, &cart, command, &account.username).await?;
    }

    let mut tx = ctx.db.begin().await?;
    let mut transaction = transactions::lock(&mut tx, transaction.id).await?;
    if let Some(known) = rows::of_request(&mut tx, transaction.id, &key).await? {
        if known.request_hash.as_deref() != Some(command.idempotency.request_hash.as_slice()) {
            return Err(Refusal::IdempotencyMismatch.into());
        }
        return Ok(Stored { id: known.id, is_new: false, alerts: Vec::new() });
    }
    if rows::asked(&mut tx, transaction.id).await?.is_some() {
        return Err(Refusal::InProgress.into());
    }
    // What is planned of their seats must still be left when it is withdrawn.
    seats::lock(&mut tx, cart.id).await?;
    let lines = cart_items::refundable(&mut tx, cart.id).await?;
    let plan = plan(&transaction, &lines, command)?;
    check_upgrades(&mut tx, &cart, command, &plan, refund_plan::left(&transaction, &lines)).await?;
    let alerts = insert(&mut tx, &mut transaction, command, (id, key), &plan, cause).await?;
    // Without the acknowledgement, the refund may be stored: its caller must not hear that nothing was started.
    tx.commit().await.map_err(|error| JobError::Unknown(error.to_string()))?;
    Ok(Stored { id, is_new: true, alerts })
}

/// Whether a caller may see an order. A guest's order belongs to the learner who has proved its address.
pub fn may_see(cart: &Cart, caller: &RefundCaller) -> bool {
    match caller {
        RefundCaller::Operator { .. } => true,
        RefundCaller::Key { organisation_id, .. } => cart.organisation_id == *organisation_id,
        RefundCaller::Learner { account, email } => {
            let is_guests = cart.buyer == carts::buyer(&cart.email, None);
            cart.buyer == carts::buyer(email, Some(account))
                || is_guests && cart.email == *email && account.is_active
        }
    }
}

fn plan(transaction: &Transaction, lines: &[RefundableLine], command: &RefundOrder) -> JobResult<Plan> {
    let currency = transaction.total.currency();
    if !transaction.was_charged() {
        return Err(invalid("cart_id", "was not paid: there is nothing to refund"));
    }
    let amount = command.amount.map(|amount| Money::from_major(amount, currency)).transpose();
    let amount = amount.map_err(|error: MoneyError| invalid("amount", &format!("{error} ({currency})")))?;
    let ask = Ask { items: command.items.as_deref(), amount };
    let plan = refund_plan::plan(lines, refund_plan::left(transaction, lines), currency, &ask)
        .map_err(|errors| JobError::from(Refusal::InvalidRequest { errors }))?;
    let amount = Money::from_minor(plan.amount, currency).map_err(|e| invalid("amount", &e.to_string()))?;
    if let Err(error) = profile(transaction.gateway).amounts.exact(amount) {
        return Err(invalid("amount", &error.to_string()));
    }
    Ok(plan)
}

/// A line on which a later purchase rests must be refunded after it: otherwise the buyer would keep the better mode for the
/// price of the difference. A refund of all that is `left` of the payment ends the access of every line.
async fn check_upgrades(
    db: &mut PgConnection,
    cart: &Cart,
    command: &RefundOrder,
    plan: &Plan,
    left: i64,
) -> JobResult<()> {
    let ends = |position: i32| {
        plan.amount >= left || plan.lines.iter().any(|line| line.ends_access && line.position == position)
    };
    let with_upgrades = bought_access::lines_with_upgrades(db, cart.id).await?;
    let errors: Vec<FieldError> = with_upgrades
        .into_iter()
        .filter(|position| ends(*position))
        .map(|line| {
            let index = command
                .items
                .as_deref()
                .and_then(|items| items.iter().position(|position| i32::try_from(*position) == Ok(line)));
            let index = index.map_or(line.to_string(), |index| index.to_string());
            FieldError::new(
                format!("items[{index}]"),
                "was upgraded by a later purchase; refund that one first",
            )
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(Refusal::InvalidRequest { errors }.into()) }
}

async fn insert(
    db: &mut PgConnection,
    transaction: &mut Transaction,
    command: &RefundOrder,
    (id, key): (Uuid, String),
    plan: &Plan,
    cause: Cause,
) -> JobResult<Vec<Alert>> {
    let amount = Money::from_minor(plan.amount, transaction.total.currency())
        .map_err(|error| JobError::dead(format!("a refund {error}")))?;
    let new = NewRefund {
        id,
        transaction_id: transaction.id,
        origin: match &command.caller {
            RefundCaller::Key { .. } => Origin::Api,
            RefundCaller::Learner { .. } => Origin::Learner,
            RefundCaller::Operator { .. } => Origin::Operator,
        },
        actor: cause.actor.to_string(),
        request: Some((key, &command.idempotency.request_hash)),
        reason: command.reason.as_deref(),
        amount,
        // What cost nothing needs no provider.
        state: if plan.amount == 0 { State::Succeeded } else { State::Asked },
        reference: None,
        lines: &plan.lines,
    };
    rows::insert(db, &new, cause).await?;
    seats::withdraw_for(db, id).await?;
    if plan.amount > 0 {
        return Ok(Vec::new());
    }
    let refund = rows::get(db, id).await?;
    refunds::book(db, transaction, &refund, None, &plan.lines, cause).await
}

/// A learner may refund lines within the organisation's window, and not after a certificate.
async fn check_learner(ctx: &Context, cart: &Cart, command: &RefundOrder, username: &str) -> JobResult<()> {
    if command.amount.is_some() || command.items.as_ref().is_some_and(Vec::is_empty) {
        return Err(invalid("amount", "can be given by the organisation alone; name the items"));
    }
    let refund_days = organisations::refund_days(&ctx.db, cart.organisation_id).await?;
    let mut db = ctx.db.acquire().await?;
    let lines = cart_items::refundable(&mut db, cart.id).await?;
    let is_chosen = |line: &RefundableLine| {
        command
            .items
            .as_ref()
            .is_none_or(|items| items.iter().any(|p| i32::try_from(*p) == Ok(line.position)))
    };
    let chosen: Vec<&RefundableLine> = lines.iter().filter(|line| is_chosen(line)).collect();
    for line in &chosen {
        let until = refundable_until(cart.paid_at, line.starts_at, refund_days);
        if until.is_none_or(|until| until < ctx.clock.now()) {
            return Err(forbidden(match until {
                None => "the organisation refunds no purchases at a learner's request".to_owned(),
                Some(until) => format!("line {} could be refunded until {until}", line.position),
            }));
        }
    }
    let positions: Vec<i32> = chosen.iter().map(|line| line.position).collect();
    let courses = cart_items::course_keys(&mut db, cart.id, &positions).await?;
    drop(db);
    for course in courses {
        let certificate = ctx.platform.certificate(username, &course).await.map_err(|error| {
            JobError::Retry(format!("certificate in {course} not read, refund not started: {error}"))
        })?;
        if let Some(status) = certificate.earned() {
            return Err(forbidden(format!("the learner's certificate in {course} is {status}")));
        }
    }
    Ok(())
}

fn forbidden(detail: String) -> JobError {
    Refusal::Forbidden { detail }.into()
}

fn invalid(field: &str, message: &str) -> JobError {
    Refusal::InvalidRequest { errors: vec![FieldError::new(field, message)] }.into()
}
