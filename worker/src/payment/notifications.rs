//! Settles providers' stored notifications. A notification that arrives before its transaction waits for it; one that contradicts it
//! waits for an operator.

use serde_json::json;
use shared::ids::TransactionId;
use store::error::{JobError, JobResult};
use store::money::inbox::{self, StoredNotification};
use store::money::transactions::{self, Transaction};
use store::plumbing::audit::{self, Actor, Cause, Change, Entity};
use uuid::Uuid;

use super::settlement::{self, Report, Settled};
use crate::alert;
use crate::gateways::{Interpretation, PaymentSnapshot, Status, Subject};
use crate::metrics::{self, NotificationOutcome};
use crate::provider_calls::ProviderCalls;
use crate::runtime::context::Context;
use crate::sale::fulfilment::Recipient;

/// Settles a stored notification, unless its transaction does not exist yet.
///
/// # Errors
/// `Retry` if the provider must be asked about the notification and does not answer.
pub async fn process(
    ctx: &Context,
    notification: &StoredNotification,
    subject: Subject,
    id: Uuid,
) -> JobResult<()> {
    let now = ctx.clock.now();
    let cause = Cause { actor: Actor::System, command_id: id, now };
    let Subject { reference, transaction_id, interpretation } = subject;
    if matches!(interpretation, Interpretation::Nothing) {
        let mut db = ctx.db.acquire().await?;
        inbox::processed(&mut db, notification.id, None, now).await?;
        metrics::notification(notification.gateway, NotificationOutcome::Ignored);
        return Ok(());
    }
    let meant =
        transactions::meant(&ctx.db, notification.gateway, transaction_id, reference.as_deref()).await?;
    let Some(transaction) = meant else {
        metrics::notification(notification.gateway, NotificationOutcome::Unmatched);
        tracing::info!(gateway = %notification.gateway, kind = notification.kind, "notification stored; its transaction is unknown");
        return Ok(());
    };
    // Before the provider is asked: another organisation's notification must cause no call with this one's account.
    if let Some(reason) =
        settlement::foreign(&transaction, notification.gateway, notification.organisation_id)
    {
        let mut db = ctx.db.acquire().await?;
        alert::raise([inbox::park(&mut db, notification.id, transaction.id, reason).await?]);
        metrics::notification(notification.gateway, NotificationOutcome::Parked);
        return Ok(());
    }
    let snapshot = snapshot(ctx, notification, interpretation, &transaction).await?;
    let Some(snapshot) = snapshot else { return Ok(()) };
    let Transaction { id: transaction_id, cart_id, .. } = transaction;
    let recipient = match snapshot.status {
        Status::Paid if !transaction.was_charged() => Recipient::of_paid(ctx, cart_id).await,
        _ => None,
    };
    let mut tx = ctx.transaction().await?;
    let report = Report { recipient: recipient.as_ref(), ..report(ctx, notification, &snapshot, false) };
    let (outcome, alerts) = match settlement::settle(&mut tx, transaction_id, &report, cause).await? {
        Settled::Agreed(alerts) => {
            inbox::processed(&mut tx, notification.id, Some(transaction_id), now).await?;
            (NotificationOutcome::Settled, alerts)
        }
        Settled::Contradiction(reason) => (
            NotificationOutcome::Parked,
            vec![inbox::park(&mut tx, notification.id, transaction_id, reason).await?],
        ),
    };
    tx.alert(alerts);
    tx.commit().await?;
    metrics::notification(notification.gateway, outcome);
    Ok(())
}

/// Applies a parked notification in spite of its contradiction, at an operator's word. Returns the transaction's id. `reason` goes into
/// the audit log.
///
/// # Errors
/// `Retry` if the provider must be asked and does not answer, or if the notification's transaction is unknown.
pub async fn apply_parked(
    ctx: &Context,
    notification: &StoredNotification,
    subject: Subject,
    reason: &str,
    cause: Cause,
) -> JobResult<TransactionId> {
    let now = cause.now;
    let Subject { reference, transaction_id, interpretation } = subject;
    let meant =
        transactions::meant(&ctx.db, notification.gateway, transaction_id, reference.as_deref()).await?;
    let unknown = || JobError::Retry("the notification's transaction is unknown".into());
    let transaction = meant.ok_or_else(unknown)?;
    if let Some(reason) =
        settlement::foreign(&transaction, notification.gateway, notification.organisation_id)
    {
        return Err(JobError::dead(reason));
    }
    let transaction_id = transaction.id;
    let snapshot = snapshot(ctx, notification, interpretation, &transaction).await?.ok_or_else(unknown)?;
    let mut tx = ctx.transaction().await?;
    let alerts =
        match settlement::settle(&mut tx, transaction_id, &report(ctx, notification, &snapshot, true), cause)
            .await?
        {
            Settled::Agreed(alerts) => alerts,
            Settled::Contradiction(reason) => return Err(JobError::dead(reason)),
        };
    inbox::processed(&mut tx, notification.id, Some(transaction_id), now).await?;
    let detail = json!({ "event": notification.id, "reason": reason });
    let entry = Change {
        entity: Entity::Transaction,
        id: transaction_id.into(),
        from: None,
        to: "event_applied",
        detail,
    };
    audit::record(&mut tx, cause, entry).await?;
    tx.alert(alerts);
    tx.commit().await?;
    Ok(transaction_id)
}

fn report<'a>(
    ctx: &Context,
    notification: &StoredNotification,
    snapshot: &'a PaymentSnapshot,
    is_confirmed: bool,
) -> Report<'a> {
    let StoredNotification { gateway, organisation_id, .. } = *notification;
    let cart_lifetime = ctx.cart_lifetime;
    Report { gateway, organisation_id, snapshot, is_confirmed, cart_lifetime, recipient: None }
}

/// Returns the snapshot of the payment that a notification has, or else the provider's; None if the notification changes nothing.
async fn snapshot(
    ctx: &Context,
    notification: &StoredNotification,
    interpretation: Interpretation,
    transaction: &Transaction,
) -> JobResult<Option<PaymentSnapshot>> {
    Ok(match interpretation {
        Interpretation::Reported(snapshot) => Some(snapshot),
        Interpretation::AttemptOnly(snapshot) if settlement::is_of_amount(transaction, &snapshot) => {
            Some(snapshot)
        }
        Interpretation::AttemptOnly(_) | Interpretation::MustRead => {
            Some(ask(ctx, notification, transaction).await?)
        }
        Interpretation::Nothing => None,
    })
}

/// Reads the payment with the credentials of the transaction's organisation, whose notification this is.
async fn ask(
    ctx: &Context,
    notification: &StoredNotification,
    transaction: &Transaction,
) -> JobResult<PaymentSnapshot> {
    let calls = ProviderCalls::in_background(ctx);
    let later = |reason: &str| {
        JobError::Retry(format!("{} cannot be asked about a notification: {reason}", notification.gateway))
    };
    match calls.read(transaction).await {
        Ok(snapshot) => snapshot.ok_or_else(|| later("it refuses")),
        Err(JobError::Reject { reason, .. }) => Err(later(&reason)),
        Err(error) => Err(error),
    }
}
