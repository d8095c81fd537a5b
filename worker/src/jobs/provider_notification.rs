//! Verifies a payment provider's notification, settles it, and stores it once, however often it is delivered. A notification that arrives
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
use store::money::gateways as accounts;
use store::money::inbox::{self, Fate, Meant, Notification};
use store::plumbing::outbox;
use tracing::instrument;
use uuid::Uuid;

use crate::alert;
use crate::gateways::{self, Interpretation, Subject};
use crate::metrics::{self, NotificationOutcome};
use crate::payment::notifications;
use crate::runtime::context::Context;

#[instrument(name = "job.provider_notification", skip_all)]
pub async fn run(ctx: &Context, message: &ProviderNotification, envelope: &Envelope) -> JobResult<()> {
    let ProviderNotification { gateway, organisation_id, .. } = *message;
    let is_genuine = verify(ctx, message).await?;
    let gateways::Notification { id, kind, body } = gateways::read_notification(gateway, &message.body)
        .map_err(|reason| JobError::dead(format!("the notification of {gateway} {reason}")))?;
    let Subject { reference, charge, transaction_id, interpretation } =
        gateways::interpret(gateway, &kind, &body);
    // Without a meaning it is needed no more, and can be about a person whom nothing here connects with it.
    let body = if matches!(interpretation, Interpretation::Nothing) { json!({}) } else { body };
    let notification = Notification {
        gateway,
        organisation_id,
        notification_id: id,
        kind,
        body,
        reference,
        charge,
        transaction_id,
    };
    if is_genuine {
        return settle(ctx, &notification, interpretation, envelope.id).await;
    }
    metrics::notification(gateway, NotificationOutcome::Unproved);
    match interpretation {
        Interpretation::Nothing => Ok(()),
        _ => ask_provider(ctx, &notification).await,
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
    notification: &Notification,
    interpretation: Interpretation,
    id: Uuid,
) -> JobResult<()> {
    match notifications::process(ctx, notification, interpretation, id).await {
        // The job runs again at once.
        Err(error @ JobError::Conflict(_)) => Err(error),
        Err(error) => settle_later(ctx, notification, &error).await,
        Ok(()) => Ok(()),
    }
}

/// Stores the notification, and leaves the rest to a message that names it, so that no queue keeps the notification's personal data.
async fn settle_later(ctx: &Context, notification: &Notification, error: &JobError) -> JobResult<()> {
    let now = ctx.clock.now();
    let mut tx = ctx.transaction().await?;
    // The attempt that has failed may have been committed all the same.
    let Some(notification_id) = inbox::store(&mut *tx, notification, &Fate::Waits, now).await? else {
        return Ok(());
    };
    let not_before = now + ctx.topology.delay_before(0);
    outbox::push_at(&mut tx, SettleNotification { notification_id }, now, Some(not_before)).await?;
    tx.commit().await?;
    metrics::notification(notification.gateway, NotificationOutcome::Deferred);
    tracing::warn!(notification = notification_id, %error, "notification not settled; a later message tries again");
    Ok(())
}

/// An unproved notification is no more than a reason to ask the provider about the payment that it names.
async fn ask_provider(ctx: &Context, notification: &Notification) -> JobResult<()> {
    let gateway = notification.gateway;
    let meant = inbox::meant(&ctx.db, notification).await?;
    let meant = meant.filter(|meant| notifications::foreign(meant, notification).is_none());
    let Some(Meant { transaction, .. }) = meant else {
        tracing::warn!(%gateway, "notification without a proof names no payment of its organisation; ignored");
        return Ok(());
    };
    tracing::warn!(%gateway, transaction = %transaction.id, "notification without a proof; asking the provider");
    let mut db = ctx.db.acquire().await?;
    outbox::push(&mut db, CheckPayment { transaction_id: transaction.id }, ctx.clock.now()).await?;
    ctx.outbox.notify_one();
    Ok(())
}
