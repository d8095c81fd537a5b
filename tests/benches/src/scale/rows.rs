//! Loads the rows of a size with set-based SQL, as the administrator, who may leave out triggers.

use std::time::Instant;

use chrono::{DateTime, Utc};
use harness::World;
use sqlx::{AssertSqlSafe, PgConnection};

use super::statements;

/// Tables that grow with the orders.
pub const LARGE: [&str; 20] = [
    "learners",
    "organisation_members",
    "enrollments",
    "enrollment_grants",
    "carts",
    "cart_items",
    "cart_courses",
    "joined_checkouts",
    "transactions",
    "ledger",
    "inbox",
    "audit_log",
    "commands",
    "documents",
    "vouchers",
    "voucher_uses",
    "withdrawals",
    "events",
    "courses",
    "course_modes",
];

/// A connection that loads rows of a size, as of a time.
pub struct Loader {
    db: PgConnection,
    orders: u64,
    now: DateTime<Utc>,
}

impl Loader {
    pub async fn connect(world: &World, orders: u64) -> Self {
        Self { db: statements::administrator(Some(&world.name)).await, orders, now: world.clock.now() }
    }

    /// Loads all rows, and leaves the tables as autovacuum would.
    pub async fn load(&mut self) {
        self.run("indexes and constraints set aside", include_str!("set_aside.sql")).await;
        for part in include_str!("rows.sql").split("-- part: ").skip(1) {
            let (name, sql) = part.split_once('\n').expect("a name and its statements");
            self.run(name, sql).await;
        }
        self.run("indexes and constraints back", include_str!("put_back.sql")).await;
        let begun = Instant::now();
        for tenth in 0..10 {
            let sql = include_str!("passed_through.sql").replace("{tenth}", &format!("0.{tenth}"));
            self.execute(&sql).await;
            self.execute("VACUUM ANALYZE outbox").await;
            self.execute("VACUUM ANALYZE commands").await;
        }
        shown("messages and commands passed through", begun);
        self.run("VACUUM ANALYZE", "VACUUM ANALYZE").await;
    }

    /// Runs a step and prints how long it took.
    pub async fn run(&mut self, name: &str, sql: &str) {
        let begun = Instant::now();
        self.execute(sql).await;
        shown(name, begun);
    }

    async fn execute(&mut self, sql: &str) {
        let sql = sql.replace("{orders}", &self.orders.to_string()).replace("{now}", &self.now.to_rfc3339());
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut self.db).await.expect("loaded");
    }
}

fn shown(name: &str, begun: Instant) {
    println!("  {:>6.1} s  {name}", begun.elapsed().as_secs_f64());
}

/// Prints the large tables with their rows and their sizes with indexes.
pub async fn print_sizes(world: &World) {
    let sql = "SELECT relname::text, greatest(reltuples, 0)::bigint, pg_table_size(oid) / 1048576, pg_indexes_size(oid) / 1048576
               FROM pg_class WHERE relname = ANY ($1) AND relkind = 'r' ORDER BY pg_total_relation_size(oid) DESC";
    let tables: Vec<(String, i64, i64, i64)> =
        sqlx::query_as(sql).bind(LARGE.as_slice()).fetch_all(&world.db).await.expect("sizes");
    println!("\n{:<22} {:>11} {:>10} {:>11}", "table", "rows", "table MiB", "indexes MiB");
    for (name, rows, table, indexes) in tables {
        println!("{name:<22} {rows:>11} {table:>10} {indexes:>11}");
    }
}

/// Full scans of each large table so far, by all backends that have ended or been idle for a while.
pub async fn full_scans(world: &World) -> Vec<(String, i64)> {
    let sql = "SELECT relname::text, seq_scan FROM pg_stat_user_tables WHERE relname = ANY ($1) ORDER BY 1";
    sqlx::query_as(sql).bind(LARGE.as_slice()).fetch_all(&world.db).await.expect("scans")
}
