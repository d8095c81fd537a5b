//! The worker's command line: `run`, and the commands of an operator.

mod catalog_sync;
mod dead;
mod doctor;
mod enrollments;
mod gateways;
mod keys;
mod members;
mod payments;
mod reconcile;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use secrecy::ExposeSecret;
use shared::clock::Clock;
use shared::keys::Keys;
use shared::queue::Topology;
use shared::settings::{DatabaseSettings, LogSettings, QueueSettings, RedisSettings};
use shared::telemetry;
use tokio::signal::unix::{SignalKind, signal};

use crate::config::{Config, PlatformSettings};
use crate::platform::{Platform, Throttle};
use crate::store::addresses::{self, Rewritten};
use crate::{Generations, catalog};

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Parser)]
#[command(name = "storefront-worker", version, about = "Runs and administers the storefront's worker")]
struct Cli {
    #[command(flatten)]
    logs: LogSettings,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Consume messages until SIGTERM
    Run(Box<Config>),
    /// Apply outstanding migrations to the database
    Migrate(DatabaseSettings),
    /// Import, export or sync the catalog
    #[command(subcommand)]
    Catalog(CatalogCommand),
    /// Show the enrollments of an email address
    #[command(subcommand)]
    Enrollments(enrollments::EnrollmentsCommand),
    /// Manage the organisations' accounts with payment providers
    #[command(subcommand)]
    Gateways(gateways::GatewaysCommand),
    /// Manage the keys with which backends of one organisation call the api
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// Manage the members of an organisation
    #[command(subcommand)]
    Members(members::MembersCommand),
    /// List and close payments that need an operator
    #[command(subcommand)]
    Payments(payments::PaymentsCommand),
    /// Inspect, replay or drop dead-lettered messages
    #[command(subcommand)]
    Dead(dead::DeadCommand),
    /// Check that the course platform accepts the service account, and print what to change if it does not
    Doctor(Box<doctor::DoctorArgs>),
    /// Run the reconciler, which finds missed work, as the running worker does every RECONCILE_EVERY
    Reconcile(Box<reconcile::ReconcileArgs>),
    /// Delete the queues of this QUEUE_PREFIX
    #[command(subcommand)]
    Queues(QueuesCommand),
    /// Clear the cache in Redis under this REDIS_PREFIX
    #[command(subcommand)]
    Cache(CacheCommand),
}

#[derive(Subcommand)]
enum CatalogCommand {
    /// Import a catalog from a JSON Lines file: every record or, if one line is invalid, none
    Import {
        /// Path of the file
        file: PathBuf,
        #[command(flatten)]
        database: DatabaseSettings,
        #[command(flatten)]
        redis: RedisSettings,
    },
    /// Export the catalog to standard output, in the format of `import`; importing the result changes nothing
    Export(DatabaseSettings),
    /// Sync the catalog with the platform's courses, as the running worker does every CATALOG_SYNC_EVERY
    Sync(Box<catalog_sync::SyncArgs>),
}

#[derive(Subcommand)]
enum QueuesCommand {
    /// Delete the queues and exchanges, with every message in them
    Delete(QueueSettings),
}

#[derive(Subcommand)]
enum CacheCommand {
    /// Delete every key under the prefix
    Clear(RedisSettings),
}

/// The definition of the command line, from which `docs/configuration.md` is made.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Parses the command line and runs the command. Returns a failure code after it has printed the error.
#[tokio::main]
pub async fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Err(error) = telemetry::start_logs(&cli.logs) {
        eprintln!("error: LOG_FILTER: {error}");
        return ExitCode::FAILURE;
    }
    match run(cli.command).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(config) => work(*config).await,
        Command::Enrollments(command) => enrollments::run(command).await,
        Command::Gateways(command) => gateways::run(command).await,
        Command::Keys(command) => keys::run(command).await,
        Command::Members(command) => members::run(command).await,
        Command::Payments(command) => payments::run(command).await,
        Command::Dead(command) => dead::run(command).await,
        Command::Doctor(args) => doctor::run(*args).await,
        Command::Reconcile(args) => reconcile::run(*args).await,
        Command::Migrate(database) => migrate(&database).await,
        Command::Catalog(CatalogCommand::Import { file, database, redis }) => {
            import(&file, &database, &redis).await
        }
        Command::Catalog(CatalogCommand::Export(database)) => {
            let db = shared::db::pool(&database, "storefront-worker export")?;
            let count = catalog::export(&db, &mut std::io::BufWriter::new(std::io::stdout().lock())).await?;
            eprintln!("{count} records");
            Ok(())
        }
        Command::Catalog(CatalogCommand::Sync(args)) => catalog_sync::run(*args).await,
        Command::Queues(QueuesCommand::Delete(settings)) => {
            let topology = Topology::new(&settings);
            let connection = shared::queue::connect(&settings, &topology, "storefront-worker queues").await?;
            Ok(topology.delete(&connection.create_channel().await?).await?)
        }
        Command::Cache(CacheCommand::Clear(settings)) => clear_cache(&settings).await,
    }
}

async fn work(config: Config) -> Result<(), Failure> {
    let running = crate::start(config, Clock::default()).await?;
    tracing::info!(internal = %running.internal, "worker started");
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => {}
        result = tokio::signal::ctrl_c() => result?,
    }
    tracing::info!("worker stopping: finishing the jobs under way");
    running.shutdown().await;
    Ok(())
}

async fn migrate(settings: &DatabaseSettings) -> Result<(), Failure> {
    let db = shared::db::pool(settings, "storefront-worker migrate")?;
    sqlx::migrate!("../migrations").run(&db).await?;
    println!("the schema is up to date");
    let Rewritten { changed, left } = addresses::rewrite_domains(&db).await?;
    if changed > 0 {
        println!("{changed} addresses with an international domain are stored in punycode now");
    }
    if left > 0 {
        eprintln!(
            "warning: {left} addresses stay unconverted: also stored in punycode, or with an invalid domain"
        );
    }
    Ok(())
}

async fn import(
    file: &std::path::Path,
    database: &DatabaseSettings,
    redis: &RedisSettings,
) -> Result<(), Failure> {
    let db = shared::db::pool(database, "storefront-worker import")?;
    let clock = Clock::default();
    let imported = catalog::import(&db, file, &clock).await?;
    println!("{imported}");
    if let Some(generation) = imported.generation {
        let client = redis::Client::open(redis.redis_url.expose_secret())?;
        // The outbox also brings the generation to Redis. This copy makes the change visible a little earlier.
        if let Err(error) = Generations::new(client, Keys::new(&redis.redis_prefix)).publish(generation).await
        {
            eprintln!("warning: Redis is unavailable; the api sees the change later: {error}");
        }
    }
    Ok(())
}

async fn clear_cache(settings: &RedisSettings) -> Result<(), Failure> {
    let client = redis::Client::open(settings.redis_url.expose_secret())?;
    let mut connection = client.get_multiplexed_async_connection().await?;
    let mut cursor = 0_u64;
    loop {
        let (next, keys): (u64, Vec<String>) = redis::cmd("SCAN")
            .arg(cursor)
            .arg("MATCH")
            .arg(Keys::new(&settings.redis_prefix).pattern())
            .arg("COUNT")
            .arg(1000)
            .query_async(&mut connection)
            .await?;
        if !keys.is_empty() {
            redis::cmd("UNLINK").arg(keys).query_async::<()>(&mut connection).await?;
        }
        cursor = next;
        if cursor == 0 {
            return Ok(());
        }
    }
}

/// The course platform, for a command that asks it. Its calls count toward the limit that all workers share.
fn platform(settings: &PlatformSettings, redis: &RedisSettings) -> Result<Platform, Failure> {
    // Fails if another part of the program has installed the same provider already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = redis::Client::open(redis.redis_url.expose_secret())?;
    let manager = redis::aio::ConnectionManager::new_lazy_with_config(client, Default::default())?;
    let key = Keys::new(&redis.redis_prefix).platform_throttle();
    Ok(Platform::new(settings, Throttle::new(manager, key, settings.platform_calls_per_minute))?)
}
