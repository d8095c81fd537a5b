//! Statements in a shop of many orders: the rows that each reads, not only whether it scans a whole table. With the statistics of that
//! shop and with those of an empty database, as a new shop has until its first ANALYZE.

use std::fs;
use std::path::Path;

use harness::steps::payments::count;
use harness::steps::worker_program::{SETTINGS, operator};
use harness::{Setup, World, world};
use serde_json::Value;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::doctor;

const SHOP: &str = include_str!("big_shop.sql");
const BOOKS: &str = include_str!("big_books.sql");

/// Its invoices say nothing that a document has to say.
const WITHOUT_DOCUMENTS: &str =
    "SET session_replication_role = replica; DELETE FROM documents; SET session_replication_role = origin";

const ORDERS: usize = 20_000;

/// A program with the queries of its folder, under its role.
#[derive(Clone, Copy)]
enum Program {
    Api,
    Worker,
}

use Program::{Api, Worker};

/// A statement that a part of its text finds, its parameters, and the most rows that it may read.
type Statement = (&'static str, Program, &'static str, &'static str, u64);

/// `{id kind number}` is an id of the shop's rows, and `{shop}` the organisation's. *Many* is the buyer with a twentieth of the orders.
const STATEMENTS: &[Statement] = &[
    // A backlog of 2,000 deliveries.
    (
        "deliveries that are due",
        Worker,
        "FROM held CROSS JOIN LATERAL",
        "'{id 11 1}', '{id 12 1}', now() + interval '1 day', now(), 32",
        500,
    ),
    (
        "deliveries that succeeded",
        Worker,
        "array_position($2, event_id)",
        "'{id 11 1}', ARRAY['{id 10 5}'::uuid, '{id 10 10}'], now(), ARRAY[200, 200], ARRAY['', '']",
        50,
    ),
    ("endpoints with due deliveries", Worker, "WITH ready AS", "now() + interval '2 days', now(), ''", 50),
    ("work of the relay", Worker, "AS \"deliveries!\"", "ARRAY['x'], now()", 50),
    // Commands of operators.
    (
        "carts with an id",
        Worker,
        "WITH found (cart_id) AS",
        "'{id 3 77}', '{id 3 77}', NULL, NULL, ARRAY['stripe'], 51",
        50,
    ),
    (
        "carts with a reference",
        Worker,
        "WITH found (cart_id) AS",
        "NULL, 'pi_71', NULL, NULL, ARRAY['stripe'], 51",
        50,
    ),
    (
        "carts of many",
        Worker,
        "WITH found (cart_id) AS",
        "NULL, 'l19000@big.example', 'l19000@big.example', NULL, ARRAY['stripe'], 51",
        1_300,
    ),
    ("history of a cart", Worker, "split_part(a.trace, '-', 2)", "'{id 3 71}'", 50),
    // Timers: 4,000 addresses and as many carts wait for a registration, 2,000 invoices for their payment.
    (
        "backlog",
        Worker,
        "'enrollments_unconfirmed'",
        "ARRAY['razorpay'], now(), 10000, ARRAY['outbox'], 200, ARRAY['stripe', 'razorpay', 'external']",
        1_500,
    ),
    ("orders on account to be fulfilled", Worker, "AND c.fulfil_requested_at <= $1", "now(), now(), 500", 50),
    ("learners not checked", Worker, "coalesce(retirement_due_at, '-infinity')", "now(), 100", 50),
    ("progress of the searches", Worker, "searched_to, oldest AS", "", 50),
    (
        "addresses that are due in a round",
        Worker,
        "AS \"unresolved!\"",
        "ARRAY[now() - interval '4 minutes', now() - interval '20 days', now() - interval '300 days'],
         ARRAY[now(), now() - interval '19 days', now() - interval '299 days'], '', 5000",
        400,
    ),
    // A buyer with 1,000 orders, and another one.
    (
        "courses that many holds",
        Worker,
        "ORDER BY e.course_id, e.id FOR SHARE OF e",
        "1000019000, ARRAY['{id 1 78}'::uuid], '1000019000', 'l19000@big.example'",
        2_700,
    ),
    (
        "courses that a learner holds",
        Worker,
        "ORDER BY e.course_id, e.id FOR SHARE OF e",
        "1000000071, ARRAY['{id 1 72}'::uuid], '1000000071', 'l71@big.example'",
        50,
    ),
    (
        "other paid orders of many",
        Worker,
        "UNION ALL SELECT o.id, o.paid_at WHERE t.begun_at <= own.begun_at",
        "'{id 3 19501}', 'l19000@big.example', '1000019000', '{shop}'",
        5_200,
    ),
    (
        "other paid orders of a buyer",
        Worker,
        "UNION ALL SELECT o.id, o.paid_at WHERE t.begun_at <= own.begun_at",
        "'{id 3 71}', 'l71@big.example', '1000000071', '{shop}'",
        100,
    ),
    (
        "programs that many holds",
        Worker,
        "i.program_id AS \"program_id!\"",
        "1000019000, ARRAY['{id 13 1}'::uuid], '1000019000', 'l19000@big.example'",
        2_300,
    ),
    (
        "programs that a learner holds",
        Worker,
        "i.program_id AS \"program_id!\"",
        "1000000071, ARRAY['{id 13 1}'::uuid], '1000000071', 'l71@big.example'",
        100,
    ),
    // Pages: 10,000 courses, 2,000 vouchers, 2,000 withdrawals.
    (
        "numbers of a month's movements",
        Api,
        "SELECT seq AS \"seq!\" FROM ledger_of",
        "'{shop}', now() - interval '30 days', now(), false, 100000, '{}', NULL, NULL",
        900,
    ),
    (
        "numbers of a month's movements, by the day of receipt",
        Api,
        "SELECT seq AS \"seq!\" FROM ledger_of",
        "'{shop}', now() - interval '30 days', now(), true, 100000, '{payout}', 'USD', 'stripe'",
        900,
    ),
    // A month that finance closes: 750 sales, 31 payouts with each of them, an invoice for each.
    (
        "what has changed the money with a provider",
        Api,
        "FROM balance_changes($1, $2, $3)",
        "'{shop}', now() - interval '30 days', now()",
        4_800,
    ),
    (
        "what payouts have moved beside the books",
        Api,
        "amount FROM payout_gaps($1, $2, $3)",
        "'{shop}', now() - interval '30 days', now()",
        4_800,
    ),
    (
        "documents that orders lack",
        Api,
        "AS \"kind!: DocumentKind\"",
        "'{shop}', now() - interval '30 days', now(), 100",
        5_500,
    ),
    ("late money", Api, "AS \"own_day!\"", "'{shop}', now() - interval '30 days', now(), 100", 900),
    ("when the balance begins", Api, "AS \"before?\"", "'{shop}', now() - interval '30 days'", 50),
    (
        "payments that a provider works on",
        Api,
        "AS \"overdue!: Money\"",
        "'{shop}', now(), true, now(), NULL",
        50,
    ),
    (
        "movements",
        Api,
        "l.seq = ANY ($2) ORDER BY l.seq",
        "'{shop}', ARRAY[1, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000]",
        80,
    ),
    ("pools of a person", Api, "v.kind = 'seat' AND", "'{shop}', 'l71@big.example', false", 50),
    ("last page of the own courses", Api, "AS \"modes!: Json", "'{shop}', '', '', 11, 9990", 10_200),
    (
        "own courses by a text",
        Api,
        "AS \"modes!: Json",
        "'{shop}', 'c4ca4238a0b923', 'c4ca4238a0b923', 101, 0",
        150,
    ),
    (
        "number of the own courses by a text",
        Api,
        "LIKE containing($3)) LIMIT $4",
        "'{shop}', 'c4ca4238a0b923', 'c4ca4238a0b923', 1000",
        50,
    ),
    ("vouchers", Api, "ORDER BY created_at DESC, id LIMIT $4", "'{shop}', NULL, NULL, 101, 0", 110),
    ("number of vouchers", Api, "OR campaign = $3) LIMIT $4", "'{shop}', NULL, NULL, 1000", 1_000),
    ("voucher without limits", Api, "FROM voucher_sums", "ARRAY['{id 7 1}'::uuid]", 50),
    ("number of uses", Api, "FROM voucher_uses WHERE voucher_id = $1 LIMIT $2", "'{id 7 1}', 1000", 1_000),
    (
        "number of withdrawals",
        Api,
        "AND ($3::boolean IS NULL OR (waits_since IS NOT NULL) = $3) LIMIT $4) counted",
        "'{shop}', NULL, true, 1000",
        1_000,
    ),
    (
        "withdrawals that wait",
        Api,
        "ORDER BY declared_at DESC, id DESC LIMIT $4",
        "'{shop}', NULL, true, 101, 0",
        110,
    ),
    ("orders on account without access", Api, "'dead_letter', reason", "'{shop}', now(), 100, false", 600),
];

/// Rows that a statement of the worker may read while the planner guesses: it may sort a short list, but not read all that the shop has
/// sold. The lists of the api wait for the first statistics.
const MOST_UNKNOWN: u64 = 2_700;

/// The orders of an address, as the list of orders builds the statement.
const OF_ADDRESS: &str =
    "SELECT c.id FROM carts c WHERE c.organisation_id = $1 AND c.state <> 'open' AND c.email = $2
    ORDER BY c.created_at DESC, c.id DESC LIMIT 9";

#[tokio::test]
#[ignore = "slow"]
async fn no_statement_reads_much_more_than_its_answer() {
    world(Setup::without_workers(), async |world| {
        let mut db = administrator(world).await;
        // Autovacuum would collect statistics when it likes.
        sqlx::raw_sql(AssertSqlSafe(without_autovacuum(&mut db).await)).execute(&mut db).await.unwrap();
        sqlx::raw_sql("VACUUM").execute(&mut db).await.unwrap();
        sqlx::raw_sql("ANALYZE").execute(&mut db).await.unwrap();
        fill(&mut db).await;
        sqlx::raw_sql(BOOKS).execute(&mut db).await.unwrap();
        let mut faults = all(&mut db, "an empty database's statistics", false).await;

        let grown = doctor::worker(world, &[]).await;
        let detail = doctor::detail(&grown, "statistics");
        assert!(detail.contains("audit_log, ") && detail.contains("run ANALYZE"), "{detail}");
        let (done, said) =
            operator(world, &["reconcile", "--once", "--json"], &[SETTINGS, &["platform-url"]].concat())
                .await;
        let round: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}"));
        assert!(done && round["tables analyzed since they have grown"].as_u64() > Some(9), "{said}");
        let collected = doctor::worker(world, &[]).await;
        assert!(!doctor::detail(&collected, "statistics").contains("run ANALYZE"), "{collected:?}");
        assert!(count(world, "SELECT count(*) FROM pg_stats WHERE tablename = 'carts'").await > 0);
        sqlx::raw_sql("VACUUM ANALYZE").execute(&mut db).await.unwrap();
        faults.extend(all(&mut db, "its own statistics", true).await);
        faults.extend(of_round(world, &mut db).await);
        sqlx::raw_sql(WITHOUT_DOCUMENTS).execute(&mut db).await.unwrap();
        assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    })
    .await;
}

/// The most rows that a round of the reconciler may read when it finds nothing to do, with its gauges.
const MOST_AT_REST: i64 = 2_000;

async fn of_round(world: &World, db: &mut PgConnection) -> Option<String> {
    let arguments = [SETTINGS, &["platform-url"]].concat();
    for rounds in 0.. {
        let before = rows_read(db).await;
        for kind in [&["reconcile", "--once"][..], &["reconcile", "--once", "--dry-run"]] {
            let (done, said) = operator(world, kind, &arguments).await;
            assert!(done, "{said}");
        }
        let read = rows_read(db).await - before;
        if read <= MOST_AT_REST {
            return None;
        }
        // The first ones may find something to do.
        if rounds == 6 {
            return Some(format!(
                "a round at rest reads {read} rows, and {MOST_AT_REST} at most were expected"
            ));
        }
    }
    None
}

/// Counts the rows and index entries of this database that were read by backends that have ended.
async fn rows_read(db: &mut PgConnection) -> i64 {
    // A backend reports as it ends, and a transaction sees the figures of its first look.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let read = "SELECT ((SELECT sum(seq_tup_read) FROM pg_stat_user_tables) + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes))::bigint";
    sqlx::query_scalar(read).fetch_one(db).await.unwrap()
}

/// The administrator, who may leave out triggers.
pub async fn administrator(world: &World) -> PgConnection {
    let url = harness::setting("TEST_DATABASE_ADMIN_URL", "postgres://postgres@127.0.0.1/postgres");
    let options = url.parse::<PgConnectOptions>().unwrap().database(&world.name);
    PgConnection::connect_with(&options).await.unwrap()
}

/// Fills the shop.
pub async fn fill(db: &mut PgConnection) {
    let shop = SHOP.replace("{orders}", &ORDERS.to_string());
    sqlx::raw_sql(AssertSqlSafe(shop)).execute(db).await.unwrap();
}

async fn without_autovacuum(db: &mut PgConnection) -> String {
    let sql = "SELECT string_agg(format('ALTER TABLE %I SET (autovacuum_enabled = false)', relname), '; ') FROM pg_stat_user_tables
               WHERE schemaname = 'public'";
    sqlx::query_scalar(sql).fetch_one(db).await.unwrap()
}

/// Runs the statements, and describes those that read too much.
async fn all(db: &mut PgConnection, with: &str, are_known: bool) -> Vec<String> {
    let shop = "SELECT id::text FROM organisations WHERE short_name = 'northwind'";
    let shop: String = sqlx::query_scalar(shop).fetch_one(&mut *db).await.unwrap();
    let mut faults = Vec::new();
    for (name, program, part, parameters, most) in STATEMENTS {
        if !are_known && matches!(program, Api) {
            continue;
        }
        let most = if are_known { *most } else { MOST_UNKNOWN.max(*most) };
        let (sql, parameters) = (text(*program, part), filled(parameters, &shop));
        faults.extend(fault(db, (name, with), *program, (&sql, &parameters), most).await);
    }
    for email in ["l19000@big.example", "l71@big.example", "nobody@big.example"] {
        let parameters = format!("'{shop}', '{email}'");
        faults.extend(fault(db, ("orders of an address", with), Api, (OF_ADDRESS, &parameters), 50).await);
    }
    faults
}

async fn fault(
    db: &mut PgConnection,
    (name, with): (&str, &str),
    program: Program,
    (sql, parameters): (&str, &str),
    most: u64,
) -> Option<String> {
    // The roles' settings in deploy/roles.sql.
    let plans = match program {
        Api => "force_custom_plan",
        Worker => "force_generic_plan",
    };
    let prepare = format!(
        "BEGIN; SET LOCAL plan_cache_mode = {plans}; SET LOCAL jit = off; SET LOCAL max_parallel_workers_per_gather = 0;
         PREPARE explained AS {sql}"
    );
    sqlx::raw_sql(AssertSqlSafe(prepare))
        .execute(&mut *db)
        .await
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let parameters = if parameters.is_empty() { String::new() } else { format!("({parameters})") };
    let explain = format!("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE explained {parameters}");
    let row = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_one(&mut *db).await;
    let row = row.unwrap_or_else(|error| panic!("{name}: {error}"));
    sqlx::raw_sql("ROLLBACK; DEALLOCATE explained").execute(&mut *db).await.unwrap();
    let plan: Value = sqlx::Row::get(&row, 0);
    let read = rows(&plan[0]["Plan"]);
    (read > most).then(|| {
        format!("{name}, with {with}, reads {read} rows, and {most} at most were expected: {plan:#}")
    })
}

/// Counts the rows that the scans of a plan have read, those that their filters have dropped included.
fn rows(node: &Value) -> u64 {
    let number = |name: &str| node[name].as_f64().unwrap_or_default();
    let kind = node["Node Type"].as_str().unwrap_or_default();
    let reads =
        kind.ends_with("Scan") && !matches!(kind, "Subquery Scan" | "Bitmap Index Scan" | "Function Scan");
    let dropped = ["Rows Removed by Filter", "Rows Removed by Index Recheck"].map(number).iter().sum::<f64>();
    let own = if reads { (number("Actual Rows") + dropped) * number("Actual Loops") } else { 0.0 };
    own as u64 + node["Plans"].as_array().into_iter().flatten().map(rows).sum::<u64>()
}

/// The text of the only statement of a program with this part, whatever the spaces between its words.
fn text(program: Program, part: &str) -> String {
    let folder = match program {
        Api => "api/.sqlx",
        Worker => "worker/store/.sqlx",
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let texts = fs::read_dir(folder).unwrap().map(|file| {
        let file: Value = serde_json::from_str(&fs::read_to_string(file.unwrap().path()).unwrap()).unwrap();
        file["query"].as_str().unwrap().to_owned()
    });
    let found: Vec<String> =
        texts.filter(|text| text.split_whitespace().collect::<Vec<_>>().join(" ").contains(part)).collect();
    assert_eq!(found.len(), 1, "{part}: {found:#?}");
    found.into_iter().next().unwrap()
}

/// Parameters with the ids that they name.
fn filled(parameters: &str, shop: &str) -> String {
    let mut filled = parameters.replace("{shop}", shop);
    while let Some((before, rest)) = filled.split_once("{id ") {
        let (id, after) = rest.split_once('}').unwrap();
        let (kind, nth) = id.split_once(' ').unwrap();
        let (kind, nth): (u64, u64) = (kind.parse().unwrap(), nth.parse().unwrap());
        let id = format!("{:08x}-{:04x}-7{kind:03x}-8000-000000000000", nth >> 16, nth & 0xffff);
        filled = format!("{before}{id}{after}");
    }
    filled
}
