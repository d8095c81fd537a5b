//! Verifies a payment provider's notification, stores it once, however often it is delivered, and settles it. A notification that arrives
//! before its transaction waits for it; one that contradicts it waits for an operator. Without a proof that the provider
//! sent it, the worker writes nothing of it.
//!
//! Why: `docs/decisions/verified-twice.md`

use secrecy::{ExposeSecret, SecretSlice};
use serde_json::json;
use shared::messages::{CheckPayment, ProviderNotification, SettleNotification};
use shared::queue::Envelope;
use shared::signature;
use store::alert::Alert;
use store::error::{JobError, JobResult};
use store::money::inbox::{self, NewNotification, StoredNotification};
use store::money::{gateways as accounts, transactions};
use store::plumbing::outbox;
use tracing::instrument;
use uuid::Uuid;

use crate::alert;
use crate::gateways::{self, Interpretation, Notification};
use crate::metrics::{self, NotificationOutcome};
use crate::payment::{notifications, settlement};
use crate::runtime::context::Context;

#[instrument(name = "job.provider_notification", skip_all)]
pub async fn run(ctx: &Context, message: &ProviderNotification, envelope: &Envelope) -> JobResult<()> {
    let ProviderNotification { gateway, body, .. } = message;
    let is_genuine = verify(ctx, message).await?;
    let notification = gateways::read_notification(*gateway, body)
        .map_err(|reason| JobError::dead(format!("the notification of {gateway} {reason}")))?;
    match is_genuine {
        true => settle(ctx, message, notification, envelope.id).await,
        false => {
            metrics::notification(*gateway, NotificationOutcome::Unproved);
            ask_provider(ctx, message, &notification).await
        }
    }
}

/// Checks that a secret of the organisation signed the notification; false if no key opens the secrets.
///
/// # Errors
/// None of the secrets made the signature: the notification is forged.
async fn verify(ctx: &Context, message: &ProviderNotification) -> JobResult<bool> {
    let ProviderNotification { gateway, organisation_id, body, signature } = message;
    let stored = accounts::notification_secrets(&ctx.db, *organisation_id, *gateway).await?;
    let opened = stored.iter().map(|secret| {
        ctx.gateways.unseal_notification(*organisation_id, *gateway, &secret.slot, &secret.sealed)
    });
    let secrets: Vec<SecretSlice<u8>> = match opened.collect() {
        Ok(secrets) => secrets,
        Err(error) => {
            tracing::error!(%gateway, organisation = %organisation_id, %error,
                "cannot decrypt webhook secret (see NOTIFICATION_KEYS); the provider is asked instead");
            return Ok(false);
        }
    };
    let secrets: Vec<&[u8]> = secrets.iter().map(|secret| secret.expose_secret()).collect();
    let (value, at) = (&signature.value, signature.received_at);
    if signature::is_genuine(*gateway, value, body.as_bytes(), &secrets, at) {
        return Ok(true);
    }
    metrics::notification(*gateway, NotificationOutcome::Forged);
    alert::raise([Alert::Notification { organisation: *organisation_id, gateway: *gateway }]);
    Err(JobError::dead(format!(
        "no secret of organisation {organisation_id} for {gateway} signed the notification"
    )))
}

async fn settle(
    ctx: &Context,
    message: &ProviderNotification,
    notification: Notification,
    id: Uuid,
) -> JobResult<()> {
    let ProviderNotification { gateway, organisation_id, .. } = *message;
    let subject = gateways::interpret(gateway, &notification.kind, &notification.body);
    let Notification { id: notification_id, kind, body } = notification;
    // Without a meaning it is needed no more, and can be about a person whom nothing here connects with it.
    let body = if matches!(subject.interpretation, Interpretation::Nothing) { json!({}) } else { body };
    let new = NewNotification {
        gateway,
        organisation_id,
        notification_id: &notification_id,
        kind: &kind,
        body: &body,
        reference: subject.reference.as_deref(),
        transaction_id: subject.transaction_id,
    };
    let Some(notification_id) = inbox::store(&ctx.db, &new, ctx.clock.now()).await? else {
        metrics::notification(gateway, NotificationOutcome::Repeated);
        return Ok(());
    };
    let stored = StoredNotification { id: notification_id, gateway, organisation_id, kind, body };
    match notifications::process(ctx, &stored, subject, id).await {
        // The job runs again at once.
        Err(error @ JobError::Conflict(_)) => Err(error),
        Err(error) => {
            metrics::notification(gateway, NotificationOutcome::Deferred);
            settle_later(ctx, notification_id, &error).await
        }
        Ok(()) => Ok(()),
    }
}

/// Leaves the rest to a message that names the stored notification, so that no queue keeps the notification's personal data.
async fn settle_later(ctx: &Context, notification_id: i64, error: &JobError) -> JobResult<()> {
    tracing::warn!(notification = notification_id, %error, "notification not settled; a later message tries again");
    let now = ctx.clock.now();
    let not_before = now + ctx.topology.delay_before(0);
    let mut db = ctx.db.acquire().await?;
    outbox::push_at(&mut db, SettleNotification { notification_id }, now, Some(not_before)).await.map(drop)
}

/// An unproved notification is no more than a reason to ask the provider about the payment that it names.
async fn ask_provider(
    ctx: &Context,
    message: &ProviderNotification,
    notification: &Notification,
) -> JobResult<()> {
    let ProviderNotification { gateway, organisation_id, .. } = *message;
    let subject = gateways::interpret(gateway, &notification.kind, &notification.body);
    if matches!(subject.interpretation, Interpretation::Nothing) {
        return Ok(());
    }
    let reference = subject.reference.as_deref();
    let meant = transactions::meant(&ctx.db, gateway, subject.transaction_id, reference).await?;
    let meant = meant.filter(|meant| settlement::foreign(meant, gateway, organisation_id).is_none());
    let Some(transaction) = meant else {
        tracing::warn!(%gateway, "notification without a proof names no payment of its organisation; ignored");
        return Ok(());
    };
    tracing::warn!(%gateway, transaction = %transaction.id, "notification without a proof; asking the provider");
    let mut db = ctx.db.acquire().await?;
    outbox::push(&mut db, CheckPayment { transaction_id: transaction.id }, ctx.clock.now()).await?;
    ctx.outbox.notify_one();
    Ok(())
}
