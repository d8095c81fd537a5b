//! Settles providers' notifications, each stored with what became of it. A notification that arrives before its transaction waits
//! for it; one that contradicts it waits for an operator.

use serde_json::json;
use shared::ids::TransactionId;
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::money::inbox::{self, Fate, Meant, Notification};
use store::money::transactions::Transaction;
use store::plumbing::audit::{self, Actor, Cause, Change, Entity};
use uuid::Uuid;

use super::settlement::{self, Report, Settled};
use crate::alert;
use crate::gateways::{Interpretation, PaymentSnapshot, Status};
use crate::metrics::{self, NotificationOutcome};
use crate::provider_calls::ProviderCalls;
use crate::runtime::context::Context;
use crate::sale::fulfilment::Recipient;

/// Settles a notification, unless its transaction does not exist yet, and stores it with what became of it. `id` is that of the message
/// that causes it.
///
/// # Errors
/// `Retry` if the provider must be asked about the notification and does not answer. It is not stored then.
pub async fn process(
    ctx: &Context,
    notification: &Notification,
    interpretation: Interpretation,
    id: Uuid,
) -> JobResult<()> {
    if matches!(interpretation, Interpretation::Nothing) {
        return store(ctx, notification, Fate::Processed(None), NotificationOutcome::Ignored).await;
    }
    let Some(meant) = inbox::meant(&ctx.db, notification).await? else {
        tracing::info!(gateway = %notification.gateway, kind = notification.kind, "notification stored; its transaction is unknown");
        return store(ctx, notification, Fate::Waits, NotificationOutcome::Unmatched).await;
    };
    if meant.is_repeated {
        metrics::notification(notification.gateway, NotificationOutcome::Repeated);
        return Ok(());
    }
    // Before the provider is asked: another organisation's notification must cause no call with this one's account.
    if let Some(reason) = foreign(&meant, notification) {
        let fate = Fate::Parked(meant.transaction.id, reason);
        return store(ctx, notification, fate, NotificationOutcome::Parked).await;
    }
    match snapshot(ctx, notification, interpretation, &meant.transaction).await? {
        Some(snapshot) => settle(ctx, notification, meant, &snapshot, id).await,
        None => Ok(()),
    }
}

/// Stores a notification that changes no payment.
async fn store(
    ctx: &Context,
    notification: &Notification,
    fate: Fate,
    outcome: NotificationOutcome,
) -> JobResult<()> {
    let stored = inbox::store(&ctx.db, notification, &fate, ctx.clock.now()).await?;
    let outcome = if stored.is_some() { outcome } else { NotificationOutcome::Repeated };
    alert::raise(stored.and_then(|id| parked(id, fate)));
    metrics::notification(notification.gateway, outcome);
    Ok(())
}

/// Settles what a notification says of its payment and fulfils a paid order. If anything stands against the fulfilment, settles the
/// payment without it: a job of its own tries again.
async fn settle(
    ctx: &Context,
    notification: &Notification,
    meant: Meant,
    snapshot: &PaymentSnapshot,
    id: Uuid,
) -> JobResult<()> {
    let cause = Cause { actor: Actor::System, command_id: id, now: ctx.clock.now() };
    let transaction_id = meant.transaction.id;
    let report = report(ctx, notification, snapshot, false);
    if snapshot.status == Status::Paid
        && !meant.transaction.was_charged()
        && let Some(recipient) = Recipient::of_paid(ctx, meant).await
    {
        let with_fulfilment = Report { recipient: Some(&recipient), ..report };
        match settle_once(ctx, notification, transaction_id, &with_fulfilment, cause).await {
            Err(error) if !matches!(error, JobError::Conflict(_)) => {
                tracing::warn!(%error, "order not fulfilled with its settlement; a job of its own tries again");
            }
            settled => return settled,
        }
    }
    settle_once(ctx, notification, transaction_id, &report, cause).await
}

/// Settles a report, and stores its notification, in one transaction.
async fn settle_once(
    ctx: &Context,
    notification: &Notification,
    transaction_id: TransactionId,
    report: &Report<'_>,
    cause: Cause,
) -> JobResult<()> {
    let mut tx = ctx.transaction().await?;
    let (outcome, fate) = match settlement::settle(&mut tx, transaction_id, report, cause).await? {
        Settled::Agreed(alerts) => {
            tx.alert(alerts);
            (NotificationOutcome::Settled, Fate::Processed(Some(transaction_id)))
        }
        Settled::Contradiction(reason) => (NotificationOutcome::Parked, Fate::Parked(transaction_id, reason)),
    };
    // After the transaction's lock, so that two settlements of one payment take the two in the same order.
    let outcome = match inbox::store(&mut *tx, notification, &fate, cause.now).await? {
        Some(id) => {
            tx.alert(parked(id, fate));
            tx.commit().await?;
            outcome
        }
        // Another delivery of it was faster: without a commit, this one has no effect.
        None => NotificationOutcome::Repeated,
    };
    metrics::notification(notification.gateway, outcome);
    Ok(())
}

/// The alert for a stored notification; None unless it is parked.
fn parked(id: i64, fate: Fate) -> Option<Alert> {
    match fate {
        Fate::Parked(transaction, reason) => Some(Alert::Parked { id, transaction, reason }),
        Fate::Waits | Fate::Processed(_) => None,
    }
}

/// Reason why a notification cannot be about the transaction that it means: its account is another organisation's or gateway's.
pub fn foreign(meant: &Meant, notification: &Notification) -> Option<String> {
    settlement::foreign(&meant.transaction, notification.gateway, notification.organisation_id)
}

/// Applies a parked notification in spite of its contradiction, at an operator's word. Returns the transaction's id. `reason` goes into
/// the audit log.
///
/// # Errors
/// `Retry` if the provider must be asked and does not answer, or if the notification's transaction is unknown.
pub async fn apply_parked(
    ctx: &Context,
    id: i64,
    notification: &Notification,
    interpretation: Interpretation,
    reason: &str,
    cause: Cause,
) -> JobResult<TransactionId> {
    let unknown = || JobError::Retry("the notification's transaction is unknown".into());
    let meant = inbox::meant(&ctx.db, notification).await?.ok_or_else(unknown)?;
    if let Some(reason) = foreign(&meant, notification) {
        return Err(JobError::dead(reason));
    }
    let transaction = meant.transaction;
    let transaction_id = transaction.id;
    let snapshot = snapshot(ctx, notification, interpretation, &transaction).await?.ok_or_else(unknown)?;
    let mut tx = ctx.transaction().await?;
    let report = report(ctx, notification, &snapshot, true);
    let alerts = match settlement::settle(&mut tx, transaction_id, &report, cause).await? {
        Settled::Agreed(alerts) => alerts,
        Settled::Contradiction(reason) => return Err(JobError::dead(reason)),
    };
    inbox::processed(&mut tx, id, transaction_id, cause.now).await?;
    let detail = json!({ "event": id, "reason": reason });
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
    notification: &Notification,
    snapshot: &'a PaymentSnapshot,
    is_confirmed: bool,
) -> Report<'a> {
    let Notification { gateway, organisation_id, .. } = *notification;
    let cart_lifetime = ctx.cart_lifetime;
    Report { gateway, organisation_id, snapshot, is_confirmed, cart_lifetime, recipient: None }
}

/// Returns the snapshot of the payment that a notification has, or else the provider's; None if the notification changes nothing.
async fn snapshot(
    ctx: &Context,
    notification: &Notification,
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
    notification: &Notification,
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
