//! The metrics that the api and the worker have in common: the name and meaning of each, and how it is recorded. Each
//! counter begins at 0, because Prometheus cannot see a rise of one that appears with its first event.

use crate::db::Db;
use metrics::{Unit, counter, describe_counter, describe_gauge, gauge};
use strum::{IntoStaticStr, VariantArray};

use crate::publish_error::PublishError;

const BUILD_INFO: &str = "storefront_build_info";
const DATABASE_CONNECTIONS: &str = "storefront_database_connections";
const DATABASE_CONNECTIONS_MAX: &str = "storefront_database_connections_max";
const DATABASE_FAILURES_TOTAL: &str = "storefront_database_failures_total";
const BROKER_UP: &str = "storefront_broker_up";
const BROKER_FAILURES_TOTAL: &str = "storefront_broker_failures_total";
const PUBLISH_FAILURES_TOTAL: &str = "storefront_publish_failures_total";
const BREAKERS_OPEN: &str = "storefront_breakers_open";
const BREAKER_FAILURES_TOTAL: &str = "storefront_breaker_failures_total";

/// Reason why there was no connection to the database: none became free or could be made in time, or it was lost or refused.
const TIMEOUT: &str = "timeout";
const CONNECTION: &str = "connection";

/// The commit that the program was built from: `STOREFRONT_COMMIT` in the environment of the build.
pub const COMMIT: &str = match option_env!("STOREFRONT_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

/// A program's connections to the broker. The names of the variants are the label `connection`.
#[derive(Clone, Copy, Debug, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum BrokerConnection {
    /// Publishes messages; the api's also receives the answers.
    Publisher,
    /// Takes messages from the work queues.
    Consumer,
}

/// Describes these metrics to the recorder, and says which program this is. Call it once the recorder is installed.
pub fn describe(program: &'static str, connections: &[BrokerConnection]) {
    describe_gauge!(BUILD_INFO, "Always 1; the labels say which version of which program this is");
    describe_gauge!(DATABASE_CONNECTIONS, Unit::Count, "Connections to the database, by pool and use");
    describe_gauge!(DATABASE_CONNECTIONS_MAX, Unit::Count, "Connections that a pool may open");
    describe_counter!(
        DATABASE_FAILURES_TOTAL,
        Unit::Count,
        "Requests and jobs that got no connection to the database or lost it, by reason"
    );
    describe_gauge!(BROKER_UP, "Whether the connection to the broker is in use: 1 or 0");
    describe_counter!(
        BROKER_FAILURES_TOTAL,
        Unit::Count,
        "Connections to the broker that were lost or could not be made"
    );
    describe_counter!(
        PUBLISH_FAILURES_TOTAL,
        Unit::Count,
        "Messages that the broker has not confirmed, by reason"
    );
    describe_gauge!(BREAKERS_OPEN, Unit::Count, "Open circuit breakers, by server");
    describe_counter!(
        BREAKER_FAILURES_TOTAL,
        Unit::Count,
        "Calls behind a circuit breaker that failed or took too long, by server"
    );
    gauge!(BUILD_INFO, "program" => program, "version" => env!("CARGO_PKG_VERSION"), "commit" => COMMIT)
        .set(1.0);
    for reason in [TIMEOUT, CONNECTION] {
        counter!(DATABASE_FAILURES_TOTAL, "reason" => reason).increment(0);
    }
    for connection in connections {
        broker_up(*connection, false);
        counter!(BROKER_FAILURES_TOTAL, "connection" => <&str>::from(connection)).increment(0);
    }
    for reason in PublishError::VARIANTS {
        counter!(PUBLISH_FAILURES_TOTAL, "reason" => <&str>::from(reason)).increment(0);
    }
}

/// Sets how many connections a pool has. Call it for each answer of `/metrics`.
pub fn database(pool: &'static str, db: &Db) {
    let status = db.status();
    let set = |gauge: metrics::Gauge, count: usize| gauge.set(u32::try_from(count).unwrap_or(u32::MAX));
    set(gauge!(DATABASE_CONNECTIONS, "pool" => pool, "state" => "idle"), status.available);
    let used = status.size.saturating_sub(status.available);
    set(gauge!(DATABASE_CONNECTIONS, "pool" => pool, "state" => "used"), used);
    set(gauge!(DATABASE_CONNECTIONS_MAX, "pool" => pool), status.max_size);
}

/// Counts an error of the database if it means that a connection was missing: the pool is in full use, or the database
/// cannot be reached.
pub fn database_error(error: &sqlx::Error) {
    let reason = match error {
        sqlx::Error::PoolTimedOut => TIMEOUT,
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) => CONNECTION,
        sqlx::Error::Database(error) if error.code().is_some_and(|code| is_of_connection(&code)) => {
            CONNECTION
        }
        _ => return,
    };
    counter!(DATABASE_FAILURES_TOTAL, "reason" => reason).increment(1);
}

/// SQLSTATE classes 08 (connection) and 53 (resources, such as too many connections), and 57P (the server stops).
fn is_of_connection(code: &str) -> bool {
    ["08", "53", "57P"].iter().any(|class| code.starts_with(class))
}

/// Says whether a connection to the broker is in use.
pub fn broker_up(connection: BrokerConnection, up: bool) {
    gauge!(BROKER_UP, "connection" => <&str>::from(connection)).set(if up { 1.0 } else { 0.0 });
}

/// Counts a connection to the broker that was lost or could not be made.
pub fn broker_failure(connection: BrokerConnection) {
    counter!(BROKER_FAILURES_TOTAL, "connection" => <&str>::from(connection)).increment(1);
}

/// Counts a message that the broker has not confirmed.
pub fn publish_failure(reason: PublishError) {
    counter!(PUBLISH_FAILURES_TOTAL, "reason" => <&str>::from(reason)).increment(1);
}

/// Makes the metrics of the circuit breakers of a server begin at 0.
pub fn breaker(server: &'static str) {
    gauge!(BREAKERS_OPEN, "server" => server).increment(0.0);
    counter!(BREAKER_FAILURES_TOTAL, "server" => server).increment(0);
}

/// Counts a circuit breaker that has opened (1) or closed (-1).
pub fn breakers_open(server: &'static str, change: f64) {
    gauge!(BREAKERS_OPEN, "server" => server).increment(change);
}

/// Counts a call behind a circuit breaker that failed or took too long.
pub fn breaker_failure(server: &'static str) {
    counter!(BREAKER_FAILURES_TOTAL, "server" => server).increment(1);
}
