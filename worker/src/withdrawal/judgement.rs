//! Automatic judgement of a declaration: it is accepted within the period while the right was not lost, and otherwise waits for a
//! person of the organisation. Nothing is refused here.

use shared::messages::Refusal;
use shared::withdrawal::{Agreed, Kind};
use store::error::{JobError, JobResult};
use store::money::transactions;
use store::money::withdrawals::{self, State, Withdrawal};
use store::plumbing::audit::{Actor, Cause};
use store::sales::carts::{self, Cart};
use store::sales::{cart_items, gifts};
use uuid::Uuid;

use super::refund::{self, Acceptance};
use crate::runtime::context::Context;

/// Verdict on a declaration.
enum Verdict {
    Accept,
    /// A person of the organisation decides, because of this.
    Person(String),
    /// A server that is needed is unavailable.
    Later(String),
}

/// Judges a declaration whose time has come.
pub async fn judge(ctx: &Context, id: Uuid, cause_id: Uuid) -> JobResult<()> {
    let Some(withdrawal) = withdrawals::find(&ctx.db, id).await? else { return Ok(()) };
    let cause = Cause { actor: Actor::System, command_id: cause_id, now: ctx.clock.now() };
    let (State::Received, Some(_), Some(cart_id)) =
        (withdrawal.state, withdrawal.judge_at, withdrawal.cart_id)
    else {
        return Ok(());
    };
    let cart = carts::find(&ctx.db, cart_id).await?;
    let cart = cart.ok_or_else(|| JobError::dead("a withdrawal without its cart"))?;
    let verdict = match verdict(ctx, &withdrawal, &cart).await? {
        Verdict::Accept => accept(ctx, &withdrawal, cause).await?,
        verdict => Some(verdict),
    };
    match verdict {
        None | Some(Verdict::Accept) => Ok(()),
        Some(Verdict::Person(because)) => {
            withdrawals::leave_to_person(&ctx.db, id, &because, cause.now).await
        }
        Some(Verdict::Later(reason)) => {
            tracing::warn!(withdrawal = %id, reason, "withdrawal not judged; judged again later");
            Ok(())
        }
    }
}

/// Pays back what is left of the lines. Returns what else becomes of the declaration if that cannot be done by itself.
async fn accept(ctx: &Context, withdrawal: &Withdrawal, cause: Cause) -> JobResult<Option<Verdict>> {
    let acceptance = Acceptance { withdrawal, actor: cause.actor, amount: None, reason: None };
    match refund::accept(ctx, &acceptance, cause).await {
        Ok(()) => Ok(None),
        Err(JobError::Reject { refusal: Refusal::InProgress | Refusal::NotConfigured { .. }, reason }) => {
            Ok(Some(Verdict::Later(reason)))
        }
        Err(JobError::Reject { refusal: Refusal::InvalidRequest { errors }, .. }) => {
            let because = errors.first().map(|error| format!("{} {}", error.field, error.message));
            Ok(Some(Verdict::Person(because.unwrap_or_default())))
        }
        Err(JobError::Reject { refusal: Refusal::Forbidden { detail }, .. }) => {
            Ok(Some(Verdict::Person(detail)))
        }
        Err(error) => Err(error),
    }
}

async fn verdict(ctx: &Context, withdrawal: &Withdrawal, cart: &Cart) -> JobResult<Verdict> {
    let person = |because: &str| Ok(Verdict::Person(because.to_owned()));
    let Some(agreed) = cart.consents.as_deref() else {
        return person("the order was sold without terms of withdrawal");
    };
    let Some(paid_at) = cart.paid_at else { return person("the order is not paid") };
    if transactions::of_cart(&ctx.db, cart.id).await?.is_none_or(|transaction| !transaction.was_charged()) {
        return person("the order is not paid");
    }
    let ends = withdrawals::ends(&ctx.db, cart.organisation_id, paid_at, agreed.days).await?;
    if withdrawal.declared_at >= ends {
        return Ok(Verdict::Person(format!("declared after the period, which ended at {ends}")));
    }
    let mut db = ctx.db.acquire().await?;
    let lines = cart_items::refundable(&mut db, cart.id).await?;
    let declared = withdrawal.items.as_deref().unwrap_or_default();
    if lines.iter().any(|line| line.seats.is_some() && declared.contains(&line.position)) {
        return match gifts::is_taken(&mut db, cart.id).await? {
            None => person("a line is of seats, which have no right of withdrawal"),
            Some(true) => person("a line is a gift that is taken"),
            Some(false) => Ok(Verdict::Accept),
        };
    }
    lost(ctx, withdrawal, cart, agreed).await
}

/// Checks whether the right was lost before the declaration.
async fn lost(ctx: &Context, withdrawal: &Withdrawal, cart: &Cart, agreed: &Agreed) -> JobResult<Verdict> {
    if !(agreed.begin_now && agreed.loses_right) {
        return Ok(Verdict::Accept);
    }
    if agreed.kind == Kind::DigitalContent {
        // Fulfilment has sent the receipt, which confirms the consents.
        return Ok(match withdrawal.access_begun && cart.fulfilled_at.is_some() {
            true => {
                Verdict::Person("the right was lost when the access began, as the buyer agreed".to_owned())
            }
            false => Verdict::Accept,
        });
    }
    for (username, course) in
        withdrawals::accounts(&ctx.db, cart.id, withdrawal.items.as_deref().unwrap_or_default()).await?
    {
        match ctx.platform.certificate(&username, &course).await {
            Ok(certificate) if certificate.earned().is_some() => {
                return Ok(Verdict::Person(format!(
                    "{course} is performed in full: its certificate was issued"
                )));
            }
            Ok(_) => {}
            Err(error) => return Ok(Verdict::Later(format!("certificate in {course} not read: {error}"))),
        }
    }
    Ok(Verdict::Accept)
}
