//! Sets up an organisation's endpoint for events, renews its secret or removes it, for a manager.

use chrono::{DateTime, Utc};
use secrecy::ExposeSecret;
use serde_json::json;
use shared::event;
use shared::messages::{DeskCaller, EndpointChange, KeepEndpoint, KeptEndpoint, Refusal};
use shared::staff::Role;
use sqlx::PgConnection;
use store::error::{JobError, JobResult};
use store::events::endpoints;
use store::people::staff;
use store::plumbing::audit::Cause;
use tracing::instrument;
use uuid::Uuid;

use crate::runtime::command::CommandContext;
use crate::runtime::context::Context;
use crate::webhooks::SecretError;

/// The most endpoints that managers set up: each can hold a delivery for its time limit.
const MOST: i64 = 20;

/// The longest URL, as the schema has it.
const LONGEST_URL: usize = 2_000;

#[instrument(name = "job.keep_endpoint", skip_all)]
pub async fn run(
    ctx: &Context,
    command: &KeepEndpoint,
    command_ctx: &CommandContext,
) -> JobResult<KeptEndpoint> {
    let DeskCaller::Staff(member) = &command.caller else {
        let detail = "this needs a person in the role manager".to_owned();
        return Err(Refusal::Forbidden { detail }.into());
    };
    staff::check(&ctx.db, member, Role::Manager).await?;
    let cause = Cause { actor: (&command.caller).into(), command_id: command_ctx.id, now: ctx.clock.now() };
    let mut tx = ctx.transaction().await?;
    let kept = change(ctx, &mut tx, command, cause).await?;
    // The stored answer lacks the secret: who has not got it makes another one.
    let stored = KeptEndpoint { secret: None, ..kept.clone() };
    command_ctx.finish(&mut *tx, &stored, ctx.clock.now()).await?;
    tx.commit().await?;
    Ok(kept)
}

async fn change(
    ctx: &Context,
    db: &mut PgConnection,
    command: &KeepEndpoint,
    cause: Cause,
) -> JobResult<KeptEndpoint> {
    let organisation = command.caller.organisation_id();
    let (endpoint_id, is_new) = match &command.change {
        EndpointChange::Set { url, types } => {
            let url = ctx.webhooks.parse_url(url).map_err(|fault| JobError::invalid("url", fault))?;
            if url.as_str().len() > LONGEST_URL {
                return Err(JobError::invalid("url", format!("is longer than {LONGEST_URL} bytes")));
            }
            check(types)?;
            let endpoints_before = endpoints::count(db, organisation).await?;
            let set = endpoints::set(db, organisation, url.as_str(), types, cause).await?;
            if set.is_new && endpoints_before >= MOST {
                return Err(JobError::invalid(
                    "url",
                    format!("would be more than the {MOST} endpoints of an organisation"),
                ));
            }
            (set.id, set.is_new)
        }
        EndpointChange::Rotate { endpoint_id } | EndpointChange::Remove { endpoint_id } => {
            if !endpoints::lock(db, *endpoint_id, organisation).await? {
                return Err(JobError::invalid("endpoint_id", "is not an endpoint of the organisation"));
            }
            (*endpoint_id, false)
        }
    };
    let needs_secret = match &command.change {
        EndpointChange::Set { .. } => is_new,
        EndpointChange::Rotate { .. } => {
            endpoints::note(db, endpoint_id, json!({ "secret": "rotated" }), cause).await?;
            true
        }
        EndpointChange::Remove { .. } => {
            endpoints::remove(db, endpoint_id, cause).await?;
            false
        }
    };
    let secret = if needs_secret { Some(renew(ctx, db, endpoint_id, cause.now).await?) } else { None };
    Ok(KeptEndpoint { endpoint_id, secret })
}

async fn renew(
    ctx: &Context,
    db: &mut PgConnection,
    endpoint: Uuid,
    now: DateTime<Utc>,
) -> JobResult<String> {
    let made = ctx.webhooks.new_secret(endpoint).map_err(|error| match error {
        SecretError::NoKey => JobError::from(Refusal::NotConfigured { detail: error.to_string() }),
        error => JobError::Retry(error.to_string()),
    });
    let (secret, sealed) = made?;
    endpoints::set_secret(db, endpoint, &sealed, now).await?;
    Ok(secret.expose_secret().to_owned())
}

fn check(types: &[String]) -> JobResult<()> {
    match types.iter().find(|name| !event::TYPES.contains(&name.as_str())) {
        Some(unknown) => Err(JobError::invalid("types", format!("has no type of events {unknown}"))),
        None => Ok(()),
    }
}
