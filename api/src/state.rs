//! What every handler can reach.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use shared::seal::SealKey;
use sqlx::PgPool;

use crate::cache::Cache;
use crate::commands::Commands;
use crate::config::Config;
use crate::identity::Identities;

/// Shared by all requests: cloning it costs a count.
pub type AppState = Arc<App>;

pub struct App {
    pub db: PgPool,
    pub cache: Cache,
    pub commands: Commands,
    pub identities: Identities,
    pub config: Config,
    /// Open the secrets that notifications are signed with.
    pub notification_keys: Vec<SealKey>,
}

impl App {
    pub fn now(&self) -> DateTime<Utc> {
        self.cache.now()
    }
}
