//! `doctor`: checks every server of the api with harmless reads, and says what an operator has to change.

use shared::clock::Clock;
use shared::command_line::Faults;
use shared::db::Db;
use shared::doctor::{self, Checks, Program, Status};
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::queries;
use crate::server;

/// Reads from the replica of the catalog.
async fn check_replica(replica: &Db) -> Result<(), String> {
    const SETTING: &str = "CATALOG_DATABASE_URL";
    doctor::reach(SETTING, replica).await?;
    queries::generation(replica).await.map(drop).map_err(|error| format!("{SETTING}: {error}"))
}

/// Runs the checks.
///
/// # Errors
/// Settings are not valid.
pub async fn run(config: Config) -> Result<Checks, Faults> {
    let stop = CancellationToken::new();
    let _ends = stop.clone().drop_guard();
    let (app, _) = server::connect(config, Clock::default(), &stop)?;
    let (config, mut checks) = (&app.config, Checks::default());
    doctor::database(&mut checks, "DATABASE_URL", &app.db, Program::Api).await;
    if let Some(replica) = app.cache.catalog_replica() {
        checks.outcome("catalog replica", "answers", check_replica(replica).await);
    }
    doctor::broker(&mut checks, &config.queue, &config.tls, Program::Api).await;
    doctor::redis(&mut checks, &config.redis, &config.tls, Program::Api).await;
    app.identities.check(&mut checks).await;
    if !config.client_api_secret.is_set() {
        let what = "CLIENT_API_SECRET is empty: no backend is let in";
        checks.add("client secret", Status::Warning, what);
    }
    if app.notification_keys.is_empty() {
        let what = "NOTIFICATION_KEYS is empty: every webhook is refused";
        checks.add("webhook keys", Status::Warning, what);
    }
    Ok(checks)
}
