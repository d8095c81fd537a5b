//! The state that all handlers share.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use shared::db::Db;
use shared::seal::SealKey;
use texts::Texts;
use tokio_util::sync::CancellationToken;

use crate::cache::Cache;
use crate::commands::Commands;
use crate::config::Config;
use crate::identity::Identities;
use crate::mail_reports::MailReports;
use crate::violations::Violations;

/// The shared state; cloning it only increments a reference count.
pub type AppState = Arc<App>;

/// The api's connections, caches and settings.
pub struct App {
    pub db: Db,
    pub cache: Cache,
    pub commands: Commands,
    pub identities: Identities,
    pub config: Config,
    /// The keys that decrypt the signing secrets of provider notifications.
    pub notification_keys: Vec<SealKey>,
    /// The words of the pages.
    pub texts: Texts,
    /// Reads what the mail service reports; None without one.
    pub mail_reports: Option<MailReports>,
    /// What browsers have reported of the payment page.
    pub violations: Violations,
    /// Cancelled once the replica drains.
    pub draining: CancellationToken,
}

impl App {
    /// The current time, by the injected clock.
    pub fn now(&self) -> DateTime<Utc> {
        self.cache.now()
    }
}
