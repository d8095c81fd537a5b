//! Settles providers' stored events. An event that arrives before its transaction waits for it; one that contradicts it
//! waits for an operator.

use serde_json::json;
use store::error::{JobError, JobResult};
use store::money::inbox::{self, StoredEvent};
use store::money::transactions::{self, Transaction};
use store::plumbing::audit::{self, Actor, Cause, Change, Entity};
use uuid::Uuid;

use super::settlement::{self, Report, Settled};
use crate::alert;
use crate::gateways::{About, Facts, Meaning};
use crate::metrics::{self, Webhook};
use crate::provider_calls::ProviderCalls;
use crate::runtime::context::Context;

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
        inbox::processed(&mut db, event.id, None, now).await?;
        metrics::webhook(event.gateway, Webhook::Ignored);
        return Ok(());
    }
    let meant = transactions::meant(&ctx.db, event.gateway, transaction_id, reference.as_deref()).await?;
    let Some(transaction) = meant else {
        metrics::webhook(event.gateway, Webhook::Unmatched);
        tracing::info!(gateway = %event.gateway, kind = event.kind, "event stored; its transaction is unknown");
        return Ok(());
    };
    // Before the provider is asked: another organisation's event must cause no call with this one's account.
    if let Some(reason) = settlement::foreign(&transaction, event.gateway, event.organisation_id) {
        let mut db = ctx.db.acquire().await?;
        alert::raise([inbox::park(&mut db, event.id, transaction.id, reason).await?]);
        metrics::webhook(event.gateway, Webhook::Parked);
        return Ok(());
    }
    let (transaction_id, facts) = (transaction.id, facts(ctx, event, meaning, &transaction).await?);
    let Some(facts) = facts else { return Ok(()) };
    let mut tx = ctx.transaction().await?;
    let report = report(ctx, event, &facts, false);
    let (outcome, alerts) = match settlement::settle(&mut tx, transaction_id, &report, cause).await? {
        Settled::Agreed(alerts) => {
            inbox::processed(&mut tx, event.id, Some(transaction_id), now).await?;
            (Webhook::Settled, alerts)
        }
        Settled::Contradiction(reason) => {
            (Webhook::Parked, vec![inbox::park(&mut tx, event.id, transaction_id, reason).await?])
        }
    };
    tx.alert(alerts);
    tx.commit().await?;
    metrics::webhook(event.gateway, outcome);
    Ok(())
}

/// Applies a parked event in spite of its contradiction, at an operator's word. Returns the transaction's id. `reason` goes into
/// the audit log.
///
/// # Errors
/// `Retry` if the provider must be asked and does not answer, or if the event's transaction is unknown.
pub async fn apply_parked(
    ctx: &Context,
    event: &StoredEvent,
    about: About,
    reason: &str,
    cause: Cause,
) -> JobResult<Uuid> {
    let now = cause.now;
    let About { reference, transaction_id, meaning } = about;
    let meant = transactions::meant(&ctx.db, event.gateway, transaction_id, reference.as_deref()).await?;
    let unknown = || JobError::Retry("the event's transaction is unknown".into());
    let transaction = meant.ok_or_else(unknown)?;
    if let Some(reason) = settlement::foreign(&transaction, event.gateway, event.organisation_id) {
        return Err(JobError::dead(reason));
    }
    let transaction_id = transaction.id;
    let facts = facts(ctx, event, meaning, &transaction).await?.ok_or_else(unknown)?;
    let mut tx = ctx.transaction().await?;
    let alerts =
        match settlement::settle(&mut tx, transaction_id, &report(ctx, event, &facts, true), cause).await? {
            Settled::Agreed(alerts) => alerts,
            Settled::Contradiction(reason) => return Err(JobError::dead(reason)),
        };
    inbox::processed(&mut tx, event.id, Some(transaction_id), now).await?;
    let detail = json!({ "event": event.id, "reason": reason });
    let entry =
        Change { entity: Entity::Transaction, id: transaction_id, from: None, to: "event_applied", detail };
    audit::record(&mut tx, cause, entry).await?;
    tx.alert(alerts);
    tx.commit().await?;
    Ok(transaction_id)
}

fn report<'a>(ctx: &Context, event: &StoredEvent, facts: &'a Facts, is_confirmed: bool) -> Report<'a> {
    let StoredEvent { gateway, organisation_id, .. } = *event;
    Report { gateway, organisation_id, facts, cart_lifetime: ctx.cart_lifetime, is_confirmed }
}

/// Returns the facts that an event gives of its payment, or the provider when asked; None if it says nothing.
async fn facts(
    ctx: &Context,
    event: &StoredEvent,
    meaning: Meaning,
    transaction: &Transaction,
) -> JobResult<Option<Facts>> {
    Ok(match meaning {
        Meaning::Says(facts) => Some(facts),
        Meaning::Attempt(facts) if settlement::is_of_amount(transaction, &facts) => Some(facts),
        Meaning::Attempt(_) | Meaning::Ask => Some(ask(ctx, event, transaction).await?),
        Meaning::Nothing => None,
    })
}

/// Reads the payment with the credentials of the transaction's organisation, whose event this is.
async fn ask(ctx: &Context, event: &StoredEvent, transaction: &Transaction) -> JobResult<Facts> {
    let calls = ProviderCalls::in_background(ctx);
    let later =
        |reason: &str| JobError::Retry(format!("{} cannot be asked about an event: {reason}", event.gateway));
    match calls.read(transaction).await {
        Ok(facts) => facts.ok_or_else(|| later("it refuses")),
        Err(JobError::Reject { reason, .. }) => Err(later(&reason)),
        Err(error) => Err(error),
    }
}
