//! Settles providers' stored events. An event that arrives before its transaction waits for it; one that contradicts it
//! waits for an operator.

use serde_json::{Value, json};
use uuid::Uuid;

use super::provider_calls::ProviderCalls;
use super::settlement::{self, Report, Settled};
use crate::alert;
use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::gateways::{About, Facts, Meaning};
use crate::store::audit::{self, Actor, Cause, Change, Entity};
use crate::store::inbox::{self, StoredEvent};
use crate::store::transactions;

/// Settles a stored event, unless its transaction does not exist yet.
///
/// # Errors
/// `Retry` if the provider must be asked about the event and does not answer.
pub async fn process(ctx: &Context, event: &StoredEvent, about: About, id: Uuid) -> JobResult<()> {
    let now = ctx.clock.now();
    let cause = Cause { actor: Actor::System, command_id: id, now };
    let About { reference, transaction_id, meaning } = about;
    if matches!(meaning, Meaning::Nothing) {
        let mut db = ctx.db.acquire().await?;
        return inbox::processed(&mut db, event.id, None, now).await;
    }
    let meant = transactions::meant(&ctx.db, event.gateway, transaction_id, reference.as_deref()).await?;
    let Some(transaction_id) = meant else {
        tracing::info!(gateway = %event.gateway, kind = event.kind, "event stored; its transaction is unknown");
        return Ok(());
    };
    let Some(facts) = facts(ctx, event, meaning, transaction_id).await? else { return Ok(()) };
    let mut tx = ctx.db.begin().await?;
    let report = report(ctx, event, &facts, false);
    let alerts = match settlement::settle(&mut tx, transaction_id, &report, cause).await? {
        Settled::Agreed(alerts) => {
            inbox::processed(&mut tx, event.id, Some(transaction_id), now).await?;
            alerts
        }
        Settled::Contradiction(reason) => {
            vec![inbox::park(&mut tx, event.id, transaction_id, reason).await?]
        }
    };
    tx.commit().await?;
    alert::raise(alerts);
    ctx.outbox.notify_one();
    Ok(())
}

/// Applies a parked event in spite of its contradiction, at an operator's word, which `detail` puts into the audit log.
/// Returns the transaction's id.
///
/// # Errors
/// `Retry` if the provider must be asked and does not answer, or if the event's transaction is unknown.
pub async fn apply_parked(
    ctx: &Context,
    event: &StoredEvent,
    about: About,
    detail: &Value,
) -> JobResult<Uuid> {
    let now = ctx.clock.now();
    let cause = Cause { actor: Actor::Operator, command_id: Uuid::now_v7(), now };
    let About { reference, transaction_id, meaning } = about;
    let meant = transactions::meant(&ctx.db, event.gateway, transaction_id, reference.as_deref()).await?;
    let unknown = || JobError::Retry("the event's transaction is unknown".into());
    let transaction_id = meant.ok_or_else(unknown)?;
    let facts = facts(ctx, event, meaning, transaction_id).await?.ok_or_else(unknown)?;
    let mut tx = ctx.db.begin().await?;
    let alerts =
        match settlement::settle(&mut tx, transaction_id, &report(ctx, event, &facts, true), cause).await? {
            Settled::Agreed(alerts) => alerts,
            Settled::Contradiction(reason) => return Err(JobError::dead(reason)),
        };
    inbox::processed(&mut tx, event.id, Some(transaction_id), now).await?;
    let mut detail = detail.clone();
    if let Some(detail) = detail.as_object_mut() {
        detail.insert("event".into(), json!(event.id));
    }
    let entry =
        Change { entity: Entity::Transaction, id: transaction_id, from: None, to: "event_applied", detail };
    audit::record(&mut tx, cause, entry).await?;
    tx.commit().await?;
    alert::raise(alerts);
    ctx.outbox.notify_one();
    Ok(transaction_id)
}

fn report<'a>(ctx: &Context, event: &StoredEvent, facts: &'a Facts, is_confirmed: bool) -> Report<'a> {
    let StoredEvent { gateway, organisation_id, .. } = *event;
    Report { gateway, organisation_id, facts, cart_lifetime: ctx.cart_lifetime, is_confirmed }
}

/// What an event says of its payment, or the provider when asked; None if it says nothing.
async fn facts(
    ctx: &Context,
    event: &StoredEvent,
    meaning: Meaning,
    transaction_id: Uuid,
) -> JobResult<Option<Facts>> {
    Ok(match meaning {
        Meaning::Says(facts) => Some(facts),
        Meaning::Attempt(facts) if is_of_amount(ctx, &facts, transaction_id).await? => Some(facts),
        Meaning::Attempt(_) => Some(ask(ctx, event, transaction_id).await?),
        Meaning::Ask => Some(ask(ctx, event, transaction_id).await?),
        Meaning::Nothing => None,
    })
}

async fn is_of_amount(ctx: &Context, facts: &Facts, transaction_id: Uuid) -> JobResult<bool> {
    let transaction = transactions::find(&ctx.db, transaction_id).await?;
    Ok(transaction.is_some_and(|transaction| settlement::is_of_amount(&transaction, facts)))
}

/// Reads the payment with the credentials of the transaction's own organisation; `settle` then detects an event that
/// another organisation's account sent.
async fn ask(ctx: &Context, event: &StoredEvent, transaction_id: Uuid) -> JobResult<Facts> {
    let transaction = transactions::find(&ctx.db, transaction_id).await?;
    let transaction = transaction.ok_or_else(|| JobError::Retry("its transaction is missing".into()))?;
    let calls = ProviderCalls::in_background(ctx);
    let later =
        |reason: &str| JobError::Retry(format!("{} cannot be asked about an event: {reason}", event.gateway));
    match calls.read(&transaction).await {
        Ok(facts) => facts.ok_or_else(|| later("it refuses")),
        Err(JobError::Reject { reason, .. }) => Err(later(&reason)),
        Err(error) => Err(error),
    }
}
