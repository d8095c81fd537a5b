//! Copies a committed catalog generation to Redis, where every api process watches it.

use shared::messages::CatalogChanged;
use store::error::{JobError, JobResult};

use crate::runtime::context::Context;

pub async fn run(ctx: &Context, message: &CatalogChanged) -> JobResult<()> {
    ctx.generations
        .publish(message.generation)
        .await
        .map_err(|error| JobError::Retry(format!("redis: {error}")))
}
