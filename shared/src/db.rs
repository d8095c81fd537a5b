//! The pool of connections to PostgreSQL. It connects on first use, so that a program can start before its database. No SQL
//! of the storefront here.

mod executor;
mod pools;

use std::fmt;
use std::io::ErrorKind;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use deadpool::managed::{
    BuildError, Manager, Metrics, Object, Pool, PoolError, QueueMode, RecycleError, RecycleResult, WeakPool,
};
use deadpool::{Runtime, Status};
use scopeguard::{ScopeGuard, guard};
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection as _, Executor as _, PgConnection, Row as _};
use tokio::runtime::Handle;

pub use pools::{busy_pool, pool, replica_pool};

/// Time to wait for one of the pool's connections, so that callers get an error quickly during an outage.
const WAIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Time to acquire a connection in all. A caller that has waited has half of it left to open one: with less, after an outage each
/// caller of a busy pool could give up before its connection is open.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(4);

/// Time that the test of a connection may take.
const TEST_TIMEOUT: Duration = Duration::from_secs(1);

/// Time that it may take to end what a user of a connection has left open, such as a statement that was given up.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(10);

/// An idle connection is closed after this time since it was opened, so that processes of the server end and return their
/// memory, also when a burst had opened more connections than are needed after it.
const LIFETIME: Duration = Duration::from_secs(30 * 60);

/// A connection to a server that falls short of what the pool needs is closed after this time since it was opened: it serves
/// while there is no other server, and not for long after that.
const SECOND_BEST: Duration = Duration::from_secs(1);

/// Pause between searches for connections to close.
const SWEEP: Duration = Duration::from_secs(60);

/// Pause after a server that is starting has refused a connection. Each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// The longest of these pauses.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// A pool of connections. Clones share it. As an executor, it runs each statement on any connection.
///
/// sqlx's own pool tests each connection that is returned, with a round trip that costs as much as a small statement. This one
/// tests only those whose last use did not end cleanly: see [`Connection`].
#[derive(Clone)]
pub struct Db(Pool<Server>);

/// A connection of the pool, for several statements. Unless its last use succeeded as a statement of the pool or as a
/// transaction, it is tested before it returns to the pool.
pub struct Connection(ScopeGuard<Acquired, fn(Acquired)>);

/// Connection that [`give_back`] returns to the pool.
struct Acquired {
    connection: Object<Server>,
    last_use: LastUse,
}

#[derive(Clone, Copy)]
enum LastUse {
    Succeeded,
    Unknown,
    OpenTransaction,
}

/// A transaction. Dropped without a commit, it has no effect. It holds no other one: `begin` of the connection within it would
/// not make a savepoint, because sqlx does not know that it has begun.
#[must_use = "a transaction has no effect until it is committed"]
pub struct Transaction(Connection);

/// Demand of a pool on its server. While the primary is unavailable, a name, a proxy or a pooler can lead to a standby.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Any server that answers.
    Reads,
    /// The primary, whose reads see the latest writes.
    LatestReads,
    /// A session that may write.
    Writes,
}

impl Needs {
    /// Tests a connection. True if its server or session falls short.
    async fn fall_short(self, connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
        let question = match self {
            Self::Reads => return connection.ping().await.map(|()| false),
            Self::LatestReads => "SELECT pg_is_in_recovery()",
            Self::Writes => "SELECT current_setting('transaction_read_only')::bool",
        };
        sqlx::raw_sql(question).fetch_one(connection).await?.try_get(0)
    }
}

/// Connects to the server, and tests connections.
struct Server {
    options: PgConnectOptions,
    untested: Duration,
    needs: Needs,
}

/// A connection of the pool.
struct Opened {
    connection: PgConnection,
    /// As the server was when it was opened.
    falls_short: bool,
}

impl Manager for Server {
    type Type = Opened;
    type Error = sqlx::Error;

    /// Connects, also to a server that is just starting: [`ACQUIRE_TIMEOUT`] ends this.
    async fn create(&self) -> Result<Opened, sqlx::Error> {
        let pauses = ExponentialBuilder::new()
            .with_min_delay(FIRST_PAUSE)
            .with_max_delay(LONGEST_PAUSE)
            .without_max_times();
        let connect = async || PgConnection::connect_with(&self.options).await;
        let mut connection = connect.retry(pauses).when(is_starting).await?;
        let falls_short = self.needs.fall_short(&mut connection).await?;
        Ok(Opened { connection, falls_short })
    }

    async fn recycle(&self, opened: &mut Opened, past: &Metrics) -> RecycleResult<sqlx::Error> {
        if opened.falls_short && past.age() > SECOND_BEST {
            return Err(RecycleError::message(FALLS_SHORT));
        }
        if past.last_used() >= self.untested {
            opened.connection.ping().await?;
        }
        Ok(())
    }
}

const FALLS_SHORT: &str = "it leads to a standby, or its session is read-only";

/// Returns whether a server refuses connections as one that is starting does.
fn is_starting(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error.kind() == ErrorKind::ConnectionRefused,
        sqlx::Error::Database(error) => error.is_transient_in_connect_phase(),
        _ => false,
    }
}

impl Db {
    /// A pool of at most `size` connections, which opens none yet. One that was acquired within `untested` is not tested before
    /// its next use, and one that falls short of `needs` is soon replaced.
    ///
    /// # Errors
    /// None in practice: the pool has a runtime for its timeouts.
    pub fn new(
        options: PgConnectOptions,
        size: u32,
        untested: Duration,
        needs: Needs,
    ) -> Result<Self, BuildError> {
        let pool = Pool::builder(Server { options, untested, needs })
            .max_size(usize::try_from(size).unwrap_or(usize::MAX))
            .queue_mode(QueueMode::Lifo)
            .wait_timeout(Some(WAIT_TIMEOUT))
            .recycle_timeout(Some(TEST_TIMEOUT))
            .runtime(Runtime::Tokio1)
            .build()?;
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(close_old(pool.weak()));
        }
        Ok(Self(pool))
    }

    /// Acquires a connection.
    ///
    /// # Errors
    /// `PoolTimedOut` if none became free within two seconds, or if none could be opened within four; or the reason why the
    /// server cannot be used.
    pub async fn acquire(&self) -> Result<Connection, sqlx::Error> {
        let acquired = tokio::time::timeout(ACQUIRE_TIMEOUT, self.0.get()).await;
        let connection = acquired.map_err(|_| sqlx::Error::PoolTimedOut)?.map_err(|error| match error {
            PoolError::Backend(error) => error,
            PoolError::Closed => sqlx::Error::PoolClosed,
            _ => sqlx::Error::PoolTimedOut,
        })?;
        Ok(Connection(guard(Acquired { connection, last_use: LastUse::Unknown }, give_back)))
    }

    /// Begins a transaction.
    ///
    /// # Errors
    /// As [`Self::acquire`].
    pub async fn begin(&self) -> Result<Transaction, sqlx::Error> {
        let mut connection = self.acquire().await?;
        connection.0.last_use = LastUse::OpenTransaction;
        connection.execute("BEGIN").await?;
        Ok(Transaction(connection))
    }

    /// Numbers of connections: idle, in use, and at most.
    pub fn status(&self) -> Status {
        self.0.status()
    }

    /// The address and the credentials that connections are opened with.
    pub fn connect_options(&self) -> &PgConnectOptions {
        &self.0.manager().options
    }
}

impl Transaction {
    /// Commits.
    ///
    /// # Errors
    /// The commit failed, or its answer was lost.
    pub async fn commit(mut self) -> Result<(), sqlx::Error> {
        self.0.execute("COMMIT").await?;
        self.0.0.last_use = LastUse::Succeeded;
        Ok(())
    }

    /// Undoes all that the transaction has done.
    ///
    /// # Errors
    /// The connection was lost, which ends the transaction, too.
    pub async fn rollback(mut self) -> Result<(), sqlx::Error> {
        self.0.execute("ROLLBACK").await?;
        self.0.0.last_use = LastUse::Succeeded;
        Ok(())
    }
}

/// Closes idle connections that are old, while the pool exists.
async fn close_old(pool: WeakPool<Server>) {
    loop {
        tokio::time::sleep(SWEEP).await;
        let Some(pool) = pool.upgrade() else { return };
        pool.retain(|_, past| past.age() < LIFETIME);
    }
}

/// Returns a connection to the pool, once what its user has left open has ended; closes it if that fails.
fn give_back(Acquired { mut connection, last_use }: Acquired) {
    if let LastUse::Succeeded = last_use {
        return;
    }
    // Nothing can be awaited outside of a runtime.
    let Ok(runtime) = Handle::try_current() else { return drop(Object::take(connection)) };
    runtime.spawn(async move {
        let Some(pool) = Object::pool(&connection) else { return };
        let needs = pool.manager().needs;
        let ending = async {
            match end(&mut connection.connection, last_use, needs).await {
                // Of the statement that was given up.
                Err(sqlx::Error::Database(_)) => end(&mut connection.connection, last_use, needs).await,
                ended => ended,
            }
        };
        let ended = tokio::time::timeout(CLEANUP_TIMEOUT, ending).await;
        if let Err(error) = ended.unwrap_or_else(|_| Err(sqlx::Error::Io(ErrorKind::TimedOut.into()))) {
            tracing::warn!(%error, "connection to the database lost");
            drop(Object::take(connection));
        }
    });
}

/// Ends what the last use has left open. The reason for its failure may be that the server takes no more writes, which only the
/// caller has seen: the connection is then of no more use.
async fn end(connection: &mut PgConnection, last_use: LastUse, needs: Needs) -> Result<(), sqlx::Error> {
    if let LastUse::OpenTransaction = last_use {
        connection.execute("ROLLBACK").await?;
    }
    match needs.fall_short(connection).await? {
        false => Ok(()),
        true => Err(sqlx::Error::Protocol(FALLS_SHORT.to_owned())),
    }
}

impl Deref for Connection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.0.connection.connection
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.0.connection.connection
    }
}

impl Deref for Transaction {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.0
    }
}

impl DerefMut for Transaction {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.0
    }
}

impl fmt::Debug for Db {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Db").field(&self.status()).finish()
    }
}

/// Returns whether the database answers within a second.
pub async fn answers(db: &Db) -> bool {
    let ping = async { db.acquire().await?.ping().await };
    matches!(tokio::time::timeout(Duration::from_secs(1), ping).await, Ok(Ok(())))
}
