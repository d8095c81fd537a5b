//! Stores a payment provider's event once, however often it is delivered, and settles it. The api has verified its
//! signature. An event that arrives before its transaction waits for it; one that contradicts it waits for an operator.

use shared::messages::ProviderNotification;
use uuid::Uuid;

use crate::checkout::events;
use crate::context::Context;
use crate::error::{JobError, JobResult};
use crate::gateways::{self};
use crate::store::inbox::{self, NewEvent, StoredEvent};

pub async fn run(ctx: &Context, message: &ProviderNotification, id: Uuid) -> JobResult<()> {
    let ProviderNotification { gateway, organisation_id, body } = message;
    let event = gateways::read_event(*gateway, body)
        .map_err(|reason| JobError::dead(format!("the event of {gateway} {reason}")))?;
    let about = gateways::about(*gateway, &event.kind, &event.body);
    let mut db = ctx.db.acquire().await?;
    let new = NewEvent {
        gateway: *gateway,
        organisation_id: *organisation_id,
        event_id: &event.id,
        kind: &event.kind,
        body: &event.body,
        reference: about.reference.as_deref(),
        transaction_id: about.transaction_id,
    };
    let Some(id_in_inbox) = inbox::store(&mut db, &new, ctx.clock.now()).await? else { return Ok(()) };
    drop(db);
    let stored = StoredEvent {
        id: id_in_inbox,
        gateway: *gateway,
        organisation_id: *organisation_id,
        kind: event.kind,
        body: event.body,
    };
    events::process(ctx, &stored, about, id).await
}
