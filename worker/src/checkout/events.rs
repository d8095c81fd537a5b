//! Settles providers' stored events. An event that arrives before its transaction waits for it; one that contradicts it
//! waits for an operator.

use uuid::Uuid;

use super::provider_calls::ProviderCalls;
use super::settlement::{self, Report, Settled};
use crate::alert;
use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::gateways::{About, Facts, Meaning};
use crate::store::audit::{Actor, Cause};
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
    let facts = match meaning {
        Meaning::Says(facts) => facts,
        Meaning::Attempt(facts) if is_of_amount(ctx, &facts, transaction_id).await? => facts,
        Meaning::Attempt(_) => ask(ctx, event, transaction_id).await?,
        Meaning::Ask(dispute) => Facts { dispute, ..ask(ctx, event, transaction_id).await? },
        Meaning::Nothing => return Ok(()),
    };
    let mut tx = ctx.db.begin().await?;
    let report = Report {
        gateway: event.gateway,
        organisation_id: event.organisation_id,
        facts: &facts,
        cart_lifetime: ctx.cart_lifetime,
    };
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
