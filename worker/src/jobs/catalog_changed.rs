//! Copies a committed catalog generation to Redis, where every api process watches it.

use shared::messages::CatalogChanged;
use shared::queue::Envelope;
use store::error::{JobError, JobResult};
use tracing::instrument;

use crate::runtime::context::Context;

#[instrument(name = "job.catalog_changed", skip_all, fields(generation = message.generation))]
pub async fn run(ctx: &Context, message: &CatalogChanged, _: &Envelope) -> JobResult<()> {
    ctx.generations
        .publish(message.generation)
        .await
        .map(drop)
        .map_err(|error| JobError::Retry(format!("redis: {error}")))
}
