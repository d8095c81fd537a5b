//! Figures of `pg_stat_statements` about a world's programs, and the generic plans of those statements.

use std::collections::BTreeMap;

use harness::World;
use serde_json::Value;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use super::rows::LARGE;

/// Costs of one statement.
#[derive(Clone, Copy)]
pub struct Taken {
    pub calls: i64,
    /// Milliseconds.
    pub mean: f64,
    pub longest: f64,
    /// Pages read for each call, from PostgreSQL's memory or not.
    pub pages: f64,
    pub rows: f64,
}

/// Each statement by its text, with its parameters and constants replaced.
pub type Statements = BTreeMap<String, Taken>;

/// The administrator, in a database or in the one of their URL.
pub async fn administrator(database: Option<&str>) -> PgConnection {
    let url = harness::setting("TEST_DATABASE_ADMIN_URL", "postgres://postgres@127.0.0.1/postgres");
    let mut options: PgConnectOptions = url.parse().expect("a URL");
    if let Some(database) = database {
        options = options.database(database);
    }
    PgConnection::connect_with(&options).await.expect("the administrator's database")
}

/// Forgets what the statements of this world's database have taken.
pub async fn forget(world: &World) {
    let sql = "SELECT pg_stat_statements_reset(0, (SELECT oid FROM pg_database WHERE datname = $1), 0)";
    let mut admin = administrator(None).await;
    sqlx::query(sql)
        .bind(&world.name)
        .execute(&mut admin)
        .await
        .expect("pg_stat_statements, loaded by the server and created in the administrator's database");
}

/// Reads the costs of the programs' statements, of those that ran as often as this or more.
pub async fn read(world: &World, calls: i64) -> Statements {
    let sql = "SELECT query, sum(calls)::bigint, sum(total_exec_time) / sum(calls), max(max_exec_time),
                   (sum(shared_blks_hit + shared_blks_read) / sum(calls))::float8, (sum(rows) / sum(calls))::float8
               FROM pg_stat_statements
               WHERE dbid = (SELECT oid FROM pg_database WHERE datname = $1)
                 AND userid IN ('storefront_worker'::regrole, 'storefront_api'::regrole)
               GROUP BY query HAVING sum(calls) >= $2";
    let mut admin = administrator(None).await;
    let rows: Vec<(String, i64, f64, f64, f64, f64)> =
        sqlx::query_as(sql).bind(&world.name).bind(calls).fetch_all(&mut admin).await.expect("statements");
    let taken = |(text, calls, mean, longest, pages, rows): (String, _, _, _, _, _)| {
        (shape(&text), Taken { calls, mean, longest, pages, rows })
    };
    rows.into_iter().map(taken).filter(|(text, _)| !text.starts_with("DEALLOCATE")).collect()
}

/// A statement's text on one line, with `?` for each parameter and constant: how `pg_stat_statements` and the source
/// spell one statement alike.
fn shape(sql: &str) -> String {
    let (mut shape, mut rest) = (String::new(), sql);
    while let Some(first) = rest.chars().next() {
        let in_word = shape.ends_with(|last: char| last.is_alphanumeric() || last == '_');
        let length = match first {
            '\'' => 2 + rest[1..].find('\'').unwrap_or(rest.len() - 2),
            '$' => 1 + word(&rest[1..]),
            _ if first.is_ascii_digit() && !in_word => {
                rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len())
            }
            _ if first.is_alphabetic() && !in_word => {
                let length = word(rest);
                if !matches!(rest[..length].to_lowercase().as_str(), "true" | "false" | "null") {
                    shape.push_str(&rest[..length]);
                    rest = &rest[length..];
                    continue;
                }
                length
            }
            _ => {
                if !first.is_whitespace() {
                    shape.push(first);
                } else if !shape.ends_with(' ') {
                    shape.push(' ');
                }
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        shape.push('?');
        rest = &rest[length..];
    }
    shape.trim().to_owned()
}

/// The length of the word that a text begins with.
fn word(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// Prints the generic plan of each of these statements that scans the whole of a large table, with the worker's role.
pub async fn print_full_scans(world: &World, statements: &[Statements]) {
    let worker = world.worker_args.iter().find_map(|argument| argument.strip_prefix("--database-url="));
    let mut db = PgConnection::connect(worker.expect("a database")).await.expect("storefront_worker");
    let (mut found, mut explained) = (0, 0);
    let folder = "worker/store/.sqlx";
    for file in std::fs::read_dir(folder).expect("the folder of the project's root").flatten() {
        let text = std::fs::read_to_string(file.path()).expect("a statement");
        let statement: Value = serde_json::from_str(&text).expect("JSON");
        let sql = statement["query"].as_str().expect("a text");
        let shape = shape(sql);
        if !statements.iter().any(|statements| statements.contains_key(&shape)) {
            continue;
        }
        let parameters = statement["describe"]["parameters"]["Left"].as_array().map_or(0, Vec::len);
        let Ok(plan) = plan(&mut db, sql, parameters).await else {
            println!("not explained: {shape}");
            continue;
        };
        explained += 1;
        let scans = |line: &String| LARGE.iter().any(|table| line.contains(&format!("Seq Scan on {table} ")));
        if plan.iter().any(scans) {
            found += 1;
            println!("\nscans a whole table: {shape}\n{}", plan.join("\n"));
        }
    }
    println!(
        "\n{explained} statements explained, {found} of which scan a whole large table in their generic plan"
    );
}

async fn plan(db: &mut PgConnection, sql: &str, parameters: usize) -> Result<Vec<String>, sqlx::Error> {
    let values = vec!["NULL"; parameters].join(", ");
    let values = if values.is_empty() { values } else { format!("({values})") };
    sqlx::raw_sql(AssertSqlSafe(format!("DEALLOCATE ALL; PREPARE explained AS {sql}")))
        .execute(&mut *db)
        .await?;
    let explain = format!("EXPLAIN EXECUTE explained{values}");
    let lines = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_all(&mut *db).await?;
    lines.iter().map(|line| sqlx::Row::try_get::<String, _>(line, 0)).collect()
}
