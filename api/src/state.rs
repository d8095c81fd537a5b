//! What every handler can reach.

use std::sync::Arc;

use shared::clock::Clock;
use sqlx::PgPool;

use crate::cache::Cache;
use crate::commands::Commands;
use crate::config::Config;

#[derive(Clone)]
pub struct AppState {
    pub db: PgPool,
    pub cache: Cache,
    pub commands: Commands,
    pub config: Arc<Config>,
    pub clock: Clock,
}
