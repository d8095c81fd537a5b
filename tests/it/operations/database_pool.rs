//! The pool of connections to PostgreSQL: who takes a connection next never meets what its last user has left.

use std::time::{Duration, Instant};

use futures_util::future::try_join_all;

use harness::{Setup, World, world};
use shared::db::{Db, Needs};
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, Executor, PgConnection, PgPool};

fn options(world: &World) -> PgConnectOptions {
    let url = world.worker_args.iter().find_map(|argument| argument.strip_prefix("--database-url="));
    url.expect("a database").parse().expect("a URL")
}

/// A pool of one connection, which is tested if it was not acquired within this time.
fn pool(world: &World, untested: Duration) -> Db {
    Db::new(options(world), 1, untested, Needs::Writes).expect("a pool")
}

async fn process(db: &Db) -> i32 {
    sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(db).await.expect("a connection")
}

/// Returns whether a lock of another session is free within a second.
async fn is_free(db: &PgPool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(1) {
        let free = sqlx::query_scalar("SELECT pg_try_advisory_xact_lock(1)").fetch_one(db).await;
        if free.expect("an answer") {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

#[tokio::test]
async fn a_transaction_without_a_commit_ends_when_it_is_dropped() {
    world(Setup::without_workers(), async |world| {
        let db = pool(world, Duration::from_secs(60));
        let before = process(&db).await;
        let mut transaction = db.begin().await.expect("a transaction");
        transaction.execute("SELECT pg_advisory_xact_lock(1)").await.expect("a lock");
        assert!(!is_free(&world.db).await);
        drop(transaction);
        assert!(is_free(&world.db).await, "the lock outlives its transaction");
        assert_eq!(process(&db).await, before, "the connection is used again");
    })
    .await;
}

#[tokio::test]
async fn a_statement_that_is_given_up_leaves_nothing_to_the_next_one() {
    world(Setup::without_workers(), async |world| {
        let db = pool(world, Duration::from_secs(60));
        let before = process(&db).await;
        for in_transaction in [false, true] {
            let slow = async {
                if in_transaction {
                    let mut transaction = db.begin().await?;
                    transaction.execute("SELECT pg_sleep(0.3)").await?;
                    return transaction.commit().await;
                }
                sqlx::query("SELECT pg_sleep(0.3)").execute(&db).await.map(drop)
            };
            let given_up = tokio::time::timeout(Duration::from_millis(50), slow).await;
            assert!(given_up.is_err());
            let answer: i32 = sqlx::query_scalar("SELECT 42").fetch_one(&db).await.expect("an answer");
            assert_eq!((answer, process(&db).await), (42, before));
        }
    })
    .await;
}

#[tokio::test]
async fn a_given_up_statement_that_fails_leaves_the_connection_to_the_next_one() {
    world(Setup::without_workers(), async |world| {
        let db = pool(world, Duration::from_secs(60));
        let before = process(&db).await;
        let fails = "DO $$ BEGIN PERFORM pg_sleep(0.2); RAISE 'too late'; END $$";
        for in_transaction in [false, true] {
            let failing = async {
                match in_transaction {
                    true => db.begin().await?.execute(fails).await,
                    false => db.execute(fails).await,
                }
            };
            let given_up = tokio::time::timeout(Duration::from_millis(50), failing).await;
            assert!(given_up.is_err());
            assert_eq!(process(&db).await, before);
        }
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_server_that_falls_silent_holds_nobody_for_long() {
    world(Setup { proxied: true, ..Setup::without_workers() }, async |world| {
        let db = Db::new(options(world), 8, Duration::ZERO, Needs::Writes).expect("a pool");
        // Four connections stay idle, and four are in use when the server falls silent.
        let used = try_join_all((0..8).map(|_| db.acquire())).await.expect("connections");
        let mut used = used.into_iter();
        let idle: Vec<_> = used.by_ref().take(4).collect();
        drop(idle);
        world.eventually("four are idle", async |_| db.status().available == 4).await;
        world.postgres().silence();
        let start = Instant::now();
        let refused = sqlx::query("SELECT 1").execute(&db).await;
        assert!(matches!(refused, Err(sqlx::Error::PoolTimedOut)), "{refused:?}");
        assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
        drop(used);
        world.eventually("none is waited for", async |_| db.status().size == 0).await;
        world.postgres().restore();
        world
            .eventually("all are open again", async |_| {
                let all = try_join_all((0..8).map(|_| db.acquire())).await;
                all.is_ok()
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_the_server_has_closed_fails_one_use_at_most() {
    world(Setup::without_workers(), async |world| {
        for (untested, failures) in [(Duration::from_secs(60), 1), (Duration::ZERO, 0)] {
            let db = pool(world, untested);
            let before = process(&db).await;
            let ended = sqlx::query("SELECT pg_terminate_backend($1, 5000)").bind(before);
            ended.execute(&pool(world, Duration::ZERO)).await.expect("ended");
            let mut failed = 0;
            for _ in 0..3 {
                failed += usize::from(sqlx::query("SELECT 1").execute(&db).await.is_err());
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            assert_eq!(failed, failures, "{untested:?}");
            assert_ne!(process(&db).await, before);
        }
    })
    .await;
}

#[tokio::test]
async fn who_waits_too_long_for_a_connection_gets_an_error() {
    world(Setup::without_workers(), async |world| {
        let db = pool(world, Duration::ZERO);
        let taken = db.acquire().await.expect("a connection");
        let start = Instant::now();
        let refused = sqlx::query("SELECT 1").execute(&db).await;
        assert!(matches!(refused, Err(sqlx::Error::PoolTimedOut)), "{refused:?}");
        assert!((Duration::from_secs(2)..Duration::from_secs(5)).contains(&start.elapsed()));
        drop(taken);
        process(&db).await;
    })
    .await;
}

/// As after a database was set to read only for a while: sessions keep what it was when they began.
#[tokio::test]
async fn a_session_that_turns_out_to_be_read_only_fails_one_use_at_most() {
    world(Setup::without_workers(), async |world| {
        for in_transaction in [false, true] {
            let set = |value: &str| {
                let name = &world.name;
                AssertSqlSafe(format!("ALTER DATABASE {name} SET default_transaction_read_only = {value}"))
            };
            world.db.execute(set("on")).await.expect("set");
            let db = pool(world, Duration::from_secs(60));
            let before = process(&db).await;
            let mut owner = PgConnection::connect_with(&world.owner_url.parse().expect("a URL"))
                .await
                .expect("the owner");
            owner.execute("BEGIN READ WRITE").await.expect("a transaction");
            owner.execute(set("off")).await.expect("set");
            owner.execute("COMMIT").await.expect("a commit");
            let write = async || match in_transaction {
                true => {
                    let mut transaction = db.begin().await?;
                    transaction.execute("DELETE FROM outbox").await?;
                    transaction.commit().await
                }
                false => db.execute("DELETE FROM outbox").await.map(drop),
            };
            if let Err(refused) = write().await {
                let code = refused.as_database_error().and_then(|error| error.code().map(String::from));
                assert_eq!(code.as_deref(), Some("25006"));
            }
            write().await.expect("the next session writes");
            assert_ne!(process(&db).await, before);
        }
    })
    .await;
}
