//! The worker's command line: `run`, and the commands of an operator.
//!
//! Why: `docs/decisions/owner-role.md`

mod books;
mod catalog_sync;
mod dead;
mod doctor;
mod documents;
mod enrollments;
mod gateways;
mod keys;
mod learners;
mod mail_records;
mod members;
mod move_in;
mod operator;
mod payments;
mod reconcile;
mod staff;
mod table;
mod vat_exchange_rates;
mod webhooks;
mod withdrawals;

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, Parser, Subcommand};
use operator::Operator;
use shared::clock::Clock;
use shared::command_line::{self, say};
use shared::db::Db;
use shared::ids::OrganisationId;
use shared::keys::Keys;
use shared::queue::Topology;
use shared::settings::{DatabaseSettings, LogSettings, QueueSettings, RedisSettings};
use shared::telemetry::{self, LogsTo};
use shared::tls::{TlsSettings, UrlError};
use shared::traces::Traces;
use store::catalog::organisations;
use tokio::signal::unix::{SignalKind, signal};

use crate::config::{Config, PlatformSettings};
use crate::platform::{self, Platform, Throttle};
use crate::runtime::context;
use crate::{Generations, catalog};

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[derive(Parser)]
#[command(
    name = "storefront-worker",
    version = command_line::version(),
    about = "Runs and administers the storefront's worker"
)]
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
    /// Apply outstanding migrations to the database; DATABASE_URL names the role that owns it, storefront_owner
    Migrate(DatabaseArgs),
    /// Close the months of an organisation's ledger
    #[command(subcommand)]
    Books(books::BooksCommand),
    /// Import, export or sync the catalog
    #[command(subcommand)]
    Catalog(CatalogCommand),
    /// Verify and export the chained documents of a seller
    #[command(subcommand)]
    Documents(documents::DocumentsCommand),
    /// Show the enrollments of an email address
    #[command(subcommand)]
    Enrollments(enrollments::EnrollmentsCommand),
    /// Manage the organisations' accounts with payment providers
    #[command(subcommand)]
    Gateways(gateways::GatewaysCommand),
    /// Manage the keys with which backends of one organisation call the api
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// Export or erase what is on record about a person
    #[command(subcommand)]
    Learners(learners::LearnersCommand),
    /// Manage the members of an organisation
    #[command(subcommand)]
    Members(members::MembersCommand),
    /// Take over the orders and codes of another shop
    #[command(subcommand)]
    MoveIn(move_in::MoveInCommand),
    /// List and close payments that need an operator
    #[command(subcommand)]
    Payments(payments::PaymentsCommand),
    /// Manage the staff of an organisation's support desk
    #[command(subcommand)]
    Staff(staff::StaffCommand),
    /// Set the exchange rates at which an organisation states its VAT in the currency of its state
    #[command(subcommand)]
    VatExchangeRates(vat_exchange_rates::VatExchangeRatesCommand),
    /// Manage where organisations receive events
    #[command(subcommand)]
    Webhooks(webhooks::WebhooksCommand),
    /// List withdrawals that wait for a person, and refuse one
    #[command(subcommand)]
    Withdrawals(withdrawals::WithdrawalsCommand),
    /// Inspect, replay or drop dead-lettered messages
    #[command(subcommand)]
    Dead(dead::DeadCommand),
    /// Check every server of the worker with harmless reads, and print what to change
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
        operator: Operator,
        #[command(flatten)]
        database: DatabaseArgs,
        #[command(flatten)]
        redis: RedisSettings,
    },
    /// Export the catalog to standard output, in the format of `import`; importing the result changes nothing
    Export(DatabaseArgs),
    /// Sync the catalog with the platform's courses, as the running worker does every CATALOG_SYNC_EVERY
    Sync(Box<catalog_sync::SyncArgs>),
}

#[derive(Subcommand)]
enum QueuesCommand {
    /// Delete the queues and exchanges, with every message in them
    Delete(QueueArgs),
}

#[derive(Subcommand)]
enum CacheCommand {
    /// Delete every key under the prefix
    Clear(RedisArgs),
}

/// Settings of a command that works on the database.
#[derive(Args)]
struct DatabaseArgs {
    #[command(flatten)]
    settings: DatabaseSettings,
    #[command(flatten)]
    tls: TlsSettings,
}

impl DatabaseArgs {
    /// The database of the command with this name.
    fn pool(&self, command: &str) -> Result<Db, UrlError> {
        shared::db::pool(&self.settings, &self.tls, &format!("storefront-worker {command}"))
    }
}

/// The organisation with a short name.
async fn organisation(db: &Db, short_name: &str) -> Result<OrganisationId, Failure> {
    let found = organisations::id(db, short_name).await?;
    found.ok_or_else(|| format!("there is no organisation {short_name}").into())
}

/// The organisation with a short name, for a command that without one is about all organisations.
async fn organisation_if_given(db: &Db, short_name: Option<&str>) -> Result<Option<OrganisationId>, Failure> {
    match short_name {
        Some(short_name) => organisation(db, short_name).await.map(Some),
        None => Ok(None),
    }
}

/// Settings of a command that works on the queues.
#[derive(Args)]
struct QueueArgs {
    #[command(flatten)]
    settings: QueueSettings,
    #[command(flatten)]
    tls: TlsSettings,
}

/// Settings of a command that works on Redis alone.
#[derive(Args)]
struct RedisArgs {
    #[command(flatten)]
    settings: RedisSettings,
    #[command(flatten)]
    tls: TlsSettings,
}

/// The definition of the command line, from which `docs/configuration.md` is made.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Parses the command line and runs the command. Returns a failure code after it has printed the error.
#[tokio::main]
pub async fn main() -> ExitCode {
    let cli: Cli = command_line::parse();
    command_line::exit_code(start(cli).await)
}

/// Only the running worker makes traces.
async fn start(cli: Cli) -> Result<(), Failure> {
    let (logs_to, traces) = match &cli.command {
        Command::Run(config) => {
            (LogsTo::Output, Traces::start(&config.traces, &config.tls, "storefront-worker").await?)
        }
        _ => (LogsTo::Error, None),
    };
    telemetry::start_logs(&cli.logs, logs_to, traces.as_ref())
        .map_err(|error| format!("LOG_FILTER: {error}"))?;
    let outcome = run(cli.command).await;
    if let Some(traces) = traces {
        traces.end().await;
    }
    outcome
}

async fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Run(config) => work(*config).await,
        Command::Enrollments(command) => enrollments::run(command).await,
        Command::Gateways(command) => gateways::run(command).await,
        Command::Books(command) => books::run(command).await,
        Command::Documents(command) => documents::run(command).await,
        Command::Keys(command) => keys::run(command).await,
        Command::Learners(command) => learners::run(command).await,
        Command::Members(command) => members::run(command).await,
        Command::MoveIn(command) => move_in::run(command).await,
        Command::Payments(command) => payments::run(command).await,
        Command::Staff(command) => staff::run(command).await,
        Command::VatExchangeRates(command) => vat_exchange_rates::run(command).await,
        Command::Webhooks(command) => webhooks::run(command).await,
        Command::Withdrawals(command) => withdrawals::run(command).await,
        Command::Dead(command) => dead::run(command).await,
        Command::Doctor(args) => doctor::run(*args).await,
        Command::Reconcile(args) => reconcile::run(*args).await,
        Command::Migrate(database) => migrate(&database).await,
        Command::Catalog(CatalogCommand::Import { file, operator, database, redis }) => {
            import(&file, operator, &database, &redis).await
        }
        Command::Catalog(CatalogCommand::Export(database)) => {
            let db = database.pool("export")?;
            let mut db = db.acquire().await?;
            match catalog::export(&mut *db, &mut std::io::BufWriter::new(std::io::stdout().lock())).await {
                Ok(count) => eprintln!("{count} records"),
                // A reader such as `head` has read enough.
                Err(catalog::ExportError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {}
                Err(error) => return Err(error.into()),
            }
            Ok(())
        }
        Command::Catalog(CatalogCommand::Sync(args)) => catalog_sync::run(*args).await,
        Command::Queues(QueuesCommand::Delete(QueueArgs { settings, tls })) => {
            shared::queue::check_url(&settings, &tls)?;
            let topology = Topology::new(&settings);
            let name = "storefront-worker queues";
            let connection = shared::queue::connect(&settings, &tls, &topology, name).await?;
            Ok(topology.delete(&connection.create_channel().await?).await?)
        }
        Command::Cache(CacheCommand::Clear(args)) => clear_cache(&args).await,
    }
}

async fn work(config: Config) -> Result<(), Failure> {
    let running = crate::start(config, Clock::default(), telemetry::start_metrics()?).await?;
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

async fn migrate(database: &DatabaseArgs) -> Result<(), Failure> {
    let db = database.pool("migrate")?;
    let (role, may_create) = store::role(&db).await?;
    if !may_create {
        return Err(format!(
            "DATABASE_URL: {role} cannot migrate; give the URL of storefront_owner to this command"
        )
        .into());
    }
    let migrated = shared::schema::migrate(&db).await?;
    say("the schema is up to date");
    if migrated.functions {
        say("the functions and triggers are those of this version");
    }
    if migrated.grants {
        say("the roles had lost their rights, and have them again");
    }
    if migrated.newer > 0 {
        say(format_args!("the database has {} migrations of a newer version", migrated.newer));
    }
    Ok(())
}

async fn import(
    file: &std::path::Path,
    operator: Operator,
    database: &DatabaseArgs,
    redis: &RedisSettings,
) -> Result<(), Failure> {
    let db = database.pool("import")?;
    let clock = Clock::default();
    let imported = catalog::import(&mut *db.acquire().await?, file, &clock, Some(operator.by)).await?;
    say(&imported);
    if let Some(generation) = imported.generation {
        let (client, _) = context::redis(redis, &database.tls)?;
        // The outbox also brings the generation to Redis. This copy makes the change visible a little earlier.
        if let Err(error) = Generations::new(client, Keys::new(&redis.redis_prefix)).publish(generation).await
        {
            eprintln!("warning: Redis is unavailable; the api sees the change later: {error}");
        }
    }
    Ok(())
}

async fn clear_cache(args: &RedisArgs) -> Result<(), Failure> {
    let (client, _) = context::redis(&args.settings, &args.tls)?;
    let mut connection = client.get_multiplexed_async_connection().await?;
    let mut cursor = 0_u64;
    loop {
        let (next, keys): (u64, Vec<String>) = redis::cmd("SCAN")
            .arg(cursor)
            .arg("MATCH")
            .arg(Keys::new(&args.settings.redis_prefix).pattern())
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
fn platform(
    settings: &PlatformSettings,
    redis: &RedisSettings,
    tls: &TlsSettings,
) -> Result<Platform, Failure> {
    // Fails if another part of the program has installed the same provider already, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (_, manager) = context::redis(redis, tls)?;
    let key = Keys::new(&redis.redis_prefix).platform_turns();
    let accounts = platform::service_accounts(settings)?;
    let throttle = Throttle::of(manager, key, settings.platform_calls_per_minute, &accounts);
    Ok(Platform::new(settings, Platform::client(settings, tls)?, accounts, throttle))
}
