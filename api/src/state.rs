//! What every handler can reach.

use std::sync::Arc;

use shared::clock::Clock;
use sqlx::PgPool;

use crate::cache::Cache;
use crate::commands::Commands;
use crate::config::Config;

/// Shared by all requests: cloning it costs a count.
pub type AppState = Arc<App>;

pub struct App {
    pub db: PgPool,
    pub cache: Cache,
    pub commands: Commands,
    pub config: Config,
    pub clock: Clock,
}
