//! `doctor`: what a program checks of its servers before it runs, or when something is wrong. Each check says what it
//! found, and what to change. It declares the broker's topology, as each start does, and takes back what else it writes.

mod redis;

use std::fmt::Display;
use std::time::{Duration, Instant};

use crate::db::Db;
use chrono::{DateTime, Utc};
use futures_util::{Stream, StreamExt};
use lapin::options::{BasicConsumeOptions, BasicGetOptions, BasicPublishOptions, QueueDeclareOptions};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Channel, Event};
use serde::Serialize;
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgConnection};

use crate::causes::causes;
use crate::clock::Clock;
use crate::command_line::say;
use crate::messages::{Message, Queue, ShowPayment, SyncEnrollment};
use crate::queue::{self, LinkError, REPLY_TO, Topology, connect};
use crate::schema;
use crate::settings::QueueSettings;
use crate::tls::TlsSettings;

pub use self::redis::redis;

/// Time that one check may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Clocks that differ by more make signatures and tokens fail: payment providers accept five minutes at most, and Open
/// edX's tokens none.
const SKEW_FAILS: Duration = Duration::from_secs(30);
const SKEW_WARNS: Duration = Duration::from_secs(2);

/// Result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All is well.
    Ok,
    /// It works, and an operator should look at it.
    Warning,
    /// The program cannot do a part of its work.
    Failed,
}

/// One check's result.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    /// Subject of the check.
    pub name: String,
    /// Result of the check.
    pub status: Status,
    /// Finding, and what to change.
    pub detail: String,
}

/// The results so far.
#[derive(Debug, Default)]
pub struct Checks(Vec<Check>);

impl Checks {
    /// Adds a result.
    pub fn add(&mut self, name: impl Into<String>, status: Status, detail: impl Into<String>) {
        self.0.push(Check { name: name.into(), status, detail: detail.into() });
    }

    /// Adds `good`, or the error as a failure. Returns whether it was good.
    pub fn outcome<E: Display>(
        &mut self,
        name: impl Into<String>,
        good: impl Into<String>,
        outcome: Result<(), E>,
    ) -> bool {
        match outcome {
            Ok(()) => self.add(name, Status::Ok, good),
            Err(ref error) => self.add(name, Status::Failed, error.to_string()),
        }
        outcome.is_ok()
    }

    /// Prints one line for each check, or all as JSON.
    ///
    /// # Errors
    /// At least one check failed; the text says how many.
    pub fn print(&self, json: bool) -> Result<(), String> {
        if json {
            say(serde_json::to_string_pretty(&self.0).unwrap_or_default());
        } else {
            for Check { name, status, detail } in &self.0 {
                let status = match status {
                    Status::Ok => "ok",
                    Status::Warning => "warning",
                    Status::Failed => "failed",
                };
                say(format_args!("{status:<8} {name}: {detail}"));
            }
        }
        match self.0.iter().filter(|check| check.status == Status::Failed).count() {
            0 => Ok(()),
            failed => Err(format!("{failed} of {} checks failed", self.0.len())),
        }
    }
}

/// Program that asks: each may do other things at the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Reads, publishes commands, and gets replies.
    Api,
    /// Writes, consumes commands, and publishes the rest.
    Worker,
}

impl Program {
    /// The role that deploy/roles.sql makes for it.
    fn role(self) -> &'static str {
        match self {
            Self::Api => "storefront_api",
            Self::Worker => "storefront_worker",
        }
    }
}

/// A connection of its own to a pool's database: the pool says only that its time limit has passed.
///
/// # Errors
/// The setting, the address and the cause.
pub async fn reach(setting: &str, db: &Db) -> Result<PgConnection, String> {
    let options = db.connect_options();
    let connected = tokio::time::timeout(TIMEOUT, PgConnection::connect_with(options)).await;
    let failed = |reason: String| format!("{setting} ({}): {reason}", address(options));
    let connected = connected.map_err(|_| failed("no answer in time".to_owned()))?;
    connected.map_err(|error| failed(causes(&error)))
}

fn address(options: &PgConnectOptions) -> String {
    match options.get_socket() {
        Some(folder) => folder.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    }
}

/// Checks the database: that it answers, the role and its rights, the schema, and the clock.
pub async fn database(checks: &mut Checks, setting: &str, db: &Db, program: Program) {
    let mut connection = match reach(setting, db).await {
        Ok(connection) => connection,
        Err(reason) => return checks.add("database", Status::Failed, reason),
    };
    let begun = Instant::now();
    let asked = sqlx::query_as::<_, (String, String, i32, DateTime<Utc>, bool)>(
        "SELECT current_user::text, current_setting('server_version'), current_setting('server_version_num')::int,
                clock_timestamp(), pg_is_in_recovery()",
    );
    let (role, version, number, server_time, is_standby) = match asked.fetch_one(&mut connection).await {
        Ok(answer) => answer,
        Err(error) => return checks.add("database", Status::Failed, format!("{setting}: {error}")),
    };
    let half = begun.elapsed() / 2;
    let (status, detail) = match number {
        ..150_000 => (Status::Failed, "is too old: use 15 or later".to_owned()),
        _ if is_standby => (Status::Failed, format!("is a standby: let {setting} lead to the primary")),
        _ => (Status::Ok, "answers".to_owned()),
    };
    checks.add("database", status, format!("PostgreSQL {version} {detail}"));
    clock(checks, "the database's", server_time, half);
    match schema::lack(db).await {
        Ok(None) => checks.add("schema", Status::Ok, "has every migration of this program"),
        Ok(Some(lack)) => {
            let fix = "run `storefront-worker migrate` with the URL of storefront_owner";
            checks.add("schema", Status::Failed, format!("lacks {lack}: {fix}"));
            return;
        }
        Err(error) => checks.add("schema", Status::Failed, error.to_string()),
    }
    match rights(db, program).await {
        Ok(faults) if faults.is_empty() => {
            checks.add("database role", Status::Ok, format!("{role} may do what it has to, and no more"));
        }
        Ok(faults) => {
            let fix = match program.role() {
                own if own == role => {
                    "run deploy/roles.sql again, and `migrate` as storefront_owner".to_owned()
                }
                own => format!("{setting} names the wrong role; this program connects as {own}"),
            };
            checks.add("database role", Status::Failed, format!("{role} {}: {fix}", faults.join(", ")));
        }
        Err(error) => checks.add("database role", Status::Failed, error.to_string()),
    }
    // The api's role does not see the statistics of all tables.
    if program == Program::Worker {
        statistics(checks, &mut connection).await;
    }
}

/// Checks that the planner knows the tables: by guesses, statements read a thousand times more than they need.
async fn statistics(checks: &mut Checks, db: &mut PgConnection) {
    let asked = sqlx::query_as::<_, (bool, Vec<String>)>(
        "SELECT current_setting('autovacuum') = 'on' AND current_setting('track_counts') = 'on',
                ARRAY(SELECT grown_tables()::text)",
    );
    let (is_kept, tables) = match asked.fetch_one(db).await {
        Ok(answer) => answer,
        Err(error) => return checks.add("statistics", Status::Failed, error.to_string()),
    };
    let mut faults = Vec::new();
    if !is_kept {
        let fix = "set autovacuum and track_counts to on, PostgreSQL's defaults";
        faults.push(format!("PostgreSQL neither collects them nor removes dead rows by itself: {fix}"));
    }
    if !tables.is_empty() {
        let tables = tables.join(", ");
        faults.push(format!("missing, or of a tenth of the table: run ANALYZE ({tables})"));
    }
    let (status, detail) = match faults.is_empty() {
        true => (Status::Ok, "fit the tables".to_owned()),
        false => (Status::Warning, faults.join("; ")),
    };
    checks.add("statistics", status, detail);
}

/// Rights of the role, and its settings.
#[derive(sqlx::FromRow)]
struct Rights {
    writes: bool,
    reads: bool,
    sees_people: bool,
    owns: bool,
    is_read_only: bool,
    limits_locks: bool,
    ends_idle_transactions: bool,
}

/// Finds the faults of the role's rights and settings.
async fn rights(db: &Db, program: Program) -> Result<Vec<&'static str>, sqlx::Error> {
    let role: Rights = sqlx::query_as(
        "SELECT has_table_privilege('commands', 'INSERT') AS writes, has_table_privilege('courses', 'SELECT') AS reads,
                has_column_privilege('learners', 'email', 'SELECT') AS sees_people,
                EXISTS (SELECT FROM pg_class WHERE oid = 'courses'::regclass
                        AND pg_has_role(current_user, relowner, 'MEMBER')) AS owns,
                current_setting('default_transaction_read_only') = 'on' AS is_read_only,
                current_setting('lock_timeout') <> '0' AS limits_locks,
                current_setting('idle_in_transaction_session_timeout') <> '0' AS ends_idle_transactions",
    )
    .fetch_one(db)
    .await?;
    let (is_api, is_worker) = (program == Program::Api, program == Program::Worker);
    let faults = [
        (!role.reads, "cannot read the catalog"),
        (role.owns, "owns the tables, which only storefront_owner should"),
        (is_worker && !role.writes, "cannot write"),
        (is_worker && role.is_read_only, "is set to read only"),
        (is_worker && !role.limits_locks, "has no lock_timeout"),
        (is_worker && !role.ends_idle_transactions, "has no idle_in_transaction_session_timeout"),
        (is_api && role.writes, "can write, which only the worker should"),
        (is_api && role.sees_people, "reads learners' addresses, which only the worker should"),
        (is_api && !role.is_read_only, "is not set to read only"),
    ];
    Ok(faults.into_iter().filter_map(|(is_wrong, what)| is_wrong.then_some(what)).collect())
}

/// Checks this machine's clock against another one, which was read this long ago.
pub fn clock(checks: &mut Checks, whose: &str, theirs: DateTime<Utc>, ago: Duration) {
    let here = Clock::default().now() - chrono::TimeDelta::from_std(ago).unwrap_or_default();
    let skew = (here - theirs).abs().to_std().unwrap_or_default();
    let seconds = skew.as_secs_f64();
    let status = match skew {
        skew if skew > SKEW_FAILS => Status::Failed,
        skew if skew > SKEW_WARNS => Status::Warning,
        _ => Status::Ok,
    };
    let fix = if status == Status::Ok { "" } else { ": synchronise the clocks (NTP)" };
    checks.add("clock", status, format!("differs by {seconds:.1} s from {whose}{fix}"));
}

/// Checks the broker: that it answers, the queues, and what the user may do.
pub async fn broker(checks: &mut Checks, settings: &QueueSettings, tls: &TlsSettings, program: Program) {
    let topology = Topology::new(settings);
    let connection = match connect(settings, tls, &topology, "storefront doctor").await {
        Ok(connection) => connection,
        Err(error) => {
            let fix = "check the URL, the user's permissions, and that a worker has run once";
            let what = format!("AMQP_URL ({}): {}: {fix}", queue::addresses(settings), causes(&error));
            return checks.add("broker", Status::Failed, what);
        }
    };
    checks.add("broker", Status::Ok, "answers, and has the queues and exchanges");
    let events = connection.events_listener();
    let tried = async {
        let channel = async || connection.create_channel().await.map_err(|error| error.to_string());
        let (publishing, consuming) = (channel().await?, channel().await?);
        match program {
            Program::Api => {
                may_publish(&publishing, &topology.commands(), ShowPayment::KIND).await?;
                may_consume(&consuming, REPLY_TO, true).await.map(|()| Vec::new())
            }
            Program::Worker => {
                // Messages, retries, dead letters, and replies, which the default exchange delivers.
                for exchange in [topology.commands(), topology.retry_delay(0), topology.dead(), String::new()]
                {
                    may_publish(&publishing, &exchange, SyncEnrollment::KIND).await?;
                }
                unread(&consuming, &topology).await
            }
        }
        .map_err(|error| error.to_string())
    };
    let name = "broker permissions";
    let tried = async {
        tokio::select! {
            reason = blocked(events) => {
                let fix = "free its memory or disk (`rabbitmqctl status` names the alarm)";
                Err(format!("the broker takes no messages, because it is {reason}: {fix}"))
            }
            tried = tried => tried.map_err(|error| {
                format!("{error}: give the user the permissions of docs/operations.md")
            }),
        }
    };
    let late = |_| Err(LinkError::Timeout.to_string());
    match tokio::time::timeout(TIMEOUT, tried).await.unwrap_or_else(late) {
        Ok(unread) if unread.is_empty() => checks.add(name, Status::Ok, "the user may publish and consume"),
        Ok(unread) => {
            let unread = unread.join(", ");
            let what =
                format!("the user may publish; not tried to read, because they hold messages: {unread}");
            checks.add(name, Status::Warning, what);
        }
        Err(error) => checks.add(name, Status::Failed, error),
    }
    let _ = tokio::time::timeout(Duration::from_secs(1), connection.close(200, "bye".into())).await;
}

/// Waits until the broker says that it takes no messages from this connection, and why: it does so after the first one.
async fn blocked(mut events: impl Stream<Item = Event> + Unpin) -> String {
    while let Some(event) = events.next().await {
        if let Event::ConnectionBlocked(reason) = event {
            return reason.to_string();
        }
    }
    std::future::pending().await
}

/// Publishes a message in a transaction, and takes it back: the broker checks the permission, and no queue gets it. An error
/// names the exchange.
async fn may_publish(channel: &Channel, exchange: &str, kind: &str) -> Result<(), String> {
    let tried = async {
        channel.tx_select().await?;
        let (options, properties) = (BasicPublishOptions::default(), BasicProperties::default());
        channel.basic_publish(exchange.into(), kind.into(), options, b"", properties).await?;
        channel.tx_rollback().await
    };
    let name = if exchange.is_empty() { "amq.default" } else { exchange };
    tried.await.map_err(|error| format!("publishing to {name}: {error}"))
}

async fn may_consume(channel: &Channel, queue: &str, no_ack: bool) -> Result<(), LinkError> {
    let options = BasicConsumeOptions { no_ack, ..Default::default() };
    channel.basic_consume(queue.into(), "doctor".into(), options, FieldTable::default()).await?;
    Ok(())
}

/// Asks each empty work queue for a message, and returns the others. From a queue that holds some it would take one, and a
/// message that is given back too often is dead-lettered.
async fn unread(channel: &Channel, topology: &Topology) -> Result<Vec<String>, LinkError> {
    let mut unread = Vec::new();
    for queue in Queue::ALL {
        let name = topology.queue(*queue);
        let passive = QueueDeclareOptions { passive: true, ..Default::default() };
        let found = channel.queue_declare(name.as_str().into(), passive, FieldTable::default()).await?;
        if found.message_count() == 0 {
            channel.basic_get(name.as_str().into(), BasicGetOptions::default()).await?;
        } else {
            unread.push(name);
        }
    }
    Ok(unread)
}
