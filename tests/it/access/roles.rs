//! The three database roles, which keep the api from writing and from reading what it does not show, and the worker from
//! rewriting what is on record; and the database's own list of gateways.

use harness::steps::payments::EMAIL;
use harness::steps::refunds::bought;
use harness::steps::worker_program::operator;
use harness::{Setup, World, world};
use secrecy::ExposeSecret;
use shared::gateway::Gateway;
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool};

/// The tables of which the api reads nothing. A new table is either granted to it by a migration, or listed here.
const HIDDEN_FROM_THE_API: [&str; 21] = [
    "allowed_moves",
    "batch_pace",
    "batch_syncs",
    "catalog_sync_requests",
    "catalog_sync_state",
    "commands",
    "document_series",
    "documents_due",
    "gateway_credentials",
    "gateway_customers",
    "imported_records",
    "invitations",
    "leases",
    "outbox",
    "platform_organisations",
    "registration_searches",
    "suppressed_addresses",
    "synced_courses",
    "vat_exchange_rates",
    "webhook_secrets",
    "withdrawal_lines",
];

/// The columns that the api reads of tables of which it does not read all.
const SHOWN_BY_THE_API: [(&str, &[&str]); 17] = [
    ("_sqlx_migrations", &["version", "success"]),
    ("audit_log", &["id", "at", "entity", "entity_id", "actor", "from_state", "to_state", "detail"]),
    ("batches", &["id", "total", "created_at", "done_at", "voucher_id", "organisation_id"]),
    (
        "carts",
        &[
            "id",
            "kind",
            "buyer",
            "email",
            "learner_id",
            "organisation_id",
            "state",
            "currency",
            "total",
            "billing_address",
            "created_at",
            "paid_at",
            "voucher_id",
            "tax_terms",
            "consents",
            "grant_blocked_at",
            "fulfilled_at",
            "language",
            "reference",
            "metadata",
            "link_version",
            "asked_invoice",
            "former_shop",
            "fulfil_requested_at",
        ],
    ),
    (
        "enrollment_grants",
        &[
            "id",
            "enrollment_id",
            "source",
            "cart_id",
            "mode",
            "granted_at",
            "ended_at",
            "ended_reason",
            "ends_at",
        ],
    ),
    (
        "enrollments",
        &[
            "id",
            "email",
            "course_id",
            "learner_id",
            "state",
            "mode",
            "platform_state",
            "platform_reason",
            "platform_synced_at",
            "created_at",
            "updated_at",
        ],
    ),
    (
        "inbox",
        &[
            "id",
            "gateway",
            "organisation_id",
            "type",
            "reference",
            "transaction_hint",
            "transaction_id",
            "received_at",
            "parked_reason",
            "processed_at",
        ],
    ),
    ("learners", &["id", "platform_user_id"]),
    (
        "mails",
        &[
            "id",
            "recipient",
            "created_at",
            "failed_at",
            "failed_reason",
            "template",
            "organisation_id",
            "cart_id",
            "sent_at",
            "fate",
            "voucher_id",
        ],
    ),
    (
        "moves",
        &[
            "cart_id",
            "position",
            "from_grant",
            "to_grant",
            "to_person",
            "asked_at",
            "done_at",
            "withdrawn_at",
        ],
    ),
    ("organisation_keys", &["id", "organisation_id", "secret_hash", "scopes", "revoked_at"]),
    (
        "payouts",
        &[
            "id",
            "organisation_id",
            "gateway",
            "reference",
            "state",
            "amount",
            "currency",
            "made_at",
            "bank_day",
            "bank_reference",
            "is_itemised",
            "read_at",
            "difference",
        ],
    ),
    (
        "received_payments",
        &["id", "transaction_id", "amount", "received_at", "reference", "created_at", "returned_at"],
    ),
    ("refund_lines", &["refund_id", "position", "amount", "ends_access"]),
    (
        "refunds",
        &[
            "id",
            "transaction_id",
            "origin",
            "reason",
            "amount",
            "currency",
            "state",
            "asked_at",
            "accepted_at",
            "ended_at",
            "provider_reference",
            "actor",
        ],
    ),
    (
        "transactions",
        &[
            "id",
            "cart_id",
            "created_at",
            "organisation_id",
            "gateway",
            "state",
            "amount",
            "currency",
            "region",
            "discount_pct",
            "original_price",
            "tax",
            "tax_on_top",
            "refunded_amount",
            "lost_amount",
            "disputed_at",
            "dead_at",
            "provider_pending_since",
            "provider_reference",
            "alert",
            "updated_at",
            "due_on",
            "on_account",
            "overdue_at",
        ],
    ),
    (
        "webhook_endpoints",
        &["id", "organisation_id", "url", "types", "failing_since", "disabled_at", "disabled_reason"],
    ),
];

/// The worker's or the api's connection with nothing but its role.
async fn connect(url: &str) -> PgConnection {
    PgConnection::connect(url).await.unwrap()
}

fn worker_url(world: &World) -> String {
    let url = world.worker_args.iter().find_map(|argument| argument.strip_prefix("--database-url="));
    url.unwrap().to_owned()
}

/// Fails the test unless the role may not run the statement.
async fn refused(db: &mut PgConnection, statement: &str) {
    let error = sqlx::query(AssertSqlSafe(statement)).execute(db).await.expect_err(statement);
    assert_eq!(error.as_database_error().unwrap().code().unwrap(), "42501", "{statement}: {error}");
}

#[tokio::test]
async fn the_apis_role_cannot_write_and_cannot_read_secrets() {
    world(Setup::without_workers(), async |world| {
        let url = world.api_config.database.database_url.expose_secret();
        let mut api = PgConnection::connect(url).await.unwrap();
        let role: String = sqlx::query_scalar("SELECT current_user::text").fetch_one(&mut api).await.unwrap();
        assert_eq!(role, "storefront_api");
        // Even when it lifts the role's read-only default.
        sqlx::query("SET default_transaction_read_only = off").execute(&mut api).await.unwrap();
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = 'public' AND c.relkind IN ('r', 'S')",
        )
        .fetch_all(&world.db)
        .await
        .unwrap();
        assert!(tables.len() > 25, "{tables:?}");
        for table in &tables {
            let writable: bool = sqlx::query_scalar(
                "SELECT has_table_privilege('storefront_api', $1::regclass, 'INSERT, UPDATE, DELETE, TRUNCATE')",
            )
            .bind(table)
            .fetch_one(&world.db)
            .await
            .unwrap();
            assert!(!writable, "{table}");
        }
        for statement in ["INSERT INTO tags (name) VALUES ('x')", "DELETE FROM courses", "CREATE TABLE x ()"] {
            assert!(sqlx::query(statement).execute(&mut api).await.is_err(), "{statement}");
        }
        for secret in [
            "SELECT FROM gateway_credentials",
            "SELECT FROM commands",
            "SELECT body FROM inbox",
            "SELECT provider_request FROM transactions",
            "SELECT provider_answer FROM transactions",
            "SELECT request_key FROM refunds",
            "SELECT email FROM learners",
            "SELECT sealed FROM webhook_secrets",
            "SELECT * FROM carts",
            "SELECT analyze_grown_tables()",
        ] {
            refused(&mut api, secret).await;
        }
        assert!(sqlx::query("SELECT state, dead_at FROM transactions").execute(&mut api).await.is_ok());
        assert!(sqlx::query("SELECT sealed FROM notification_secrets").execute(&mut api).await.is_ok());
        let plans: String = sqlx::query_scalar("SHOW plan_cache_mode").fetch_one(&mut api).await.unwrap();
        assert_eq!(plans, "force_custom_plan");
    })
    .await;
}

/// The columns that a role reads of each table, in the order of the table; None if all.
async fn readable(db: &PgPool, role: &str) -> Vec<(String, Option<Vec<String>>)> {
    sqlx::query_as(
        "SELECT c.relname::text,
                CASE WHEN NOT has_table_privilege($1, c.oid, 'SELECT')
                THEN ARRAY(SELECT a.attname::text FROM pg_attribute a
                           WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
                             AND has_column_privilege($1, c.oid, a.attnum, 'SELECT') ORDER BY a.attname) END
         FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
         ORDER BY 1",
    )
    .bind(role)
    .fetch_all(db)
    .await
    .unwrap()
}

#[tokio::test]
async fn each_table_and_column_is_granted_to_the_api_or_hidden_from_it_on_purpose() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        let tables = readable(&world.db, "storefront_api").await;
        let hidden: Vec<&str> = tables
            .iter()
            .filter(|(_, columns)| columns.as_ref().is_some_and(Vec::is_empty))
            .map(|(table, _)| table.as_str())
            .collect();
        assert_eq!(hidden, HIDDEN_FROM_THE_API);
        let in_part: Vec<(&str, Vec<&str>)> = tables
            .iter()
            .filter_map(|(table, columns)| Some((table.as_str(), columns.as_ref()?)))
            .filter(|(_, columns)| !columns.is_empty())
            .map(|(table, columns)| (table, columns.iter().map(String::as_str).collect()))
            .collect();
        let mut expected = Vec::new();
        for (table, columns) in SHOWN_BY_THE_API {
            let mut columns = columns.to_vec();
            columns.sort_unstable();
            expected.push((table, columns));
        }
        assert_eq!(in_part, expected);
    })
    .await;
}

#[tokio::test]
async fn the_workers_role_owns_nothing_and_cannot_rewrite_what_is_on_record() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &harness::ORGANISATIONS[0], EMAIL).await;
        let owned: Vec<String> = sqlx::query_scalar(
            "SELECT relname::text FROM pg_class WHERE relowner = 'storefront_worker'::regrole
             UNION SELECT proname::text FROM pg_proc WHERE proowner = 'storefront_worker'::regrole
             UNION SELECT extname::text FROM pg_extension WHERE extowner = 'storefront_worker'::regrole
             UNION SELECT typname::text FROM pg_type WHERE typowner = 'storefront_worker'::regrole
             UNION SELECT datname::text FROM pg_database
                   WHERE datname = current_database() AND datdba = 'storefront_worker'::regrole",
        )
        .fetch_all(&world.db)
        .await
        .unwrap();
        assert_eq!(owned, [""; 0]);
        let mut worker = connect(&worker_url(world)).await;
        for statement in [
            "ALTER TABLE audit_log DISABLE TRIGGER audit_log_append_only",
            "ALTER TABLE audit_log DISABLE TRIGGER ALL",
            "DROP TRIGGER ledger_append_only ON ledger",
            "DROP TABLE audit_log",
            "TRUNCATE audit_log",
            "TRUNCATE ledger",
            "SET session_replication_role = replica",
            "UPDATE audit_log SET actor = 'client'",
            "DELETE FROM audit_log",
            "UPDATE ledger SET amount = 1",
            "DELETE FROM ledger",
            "DELETE FROM transactions",
            "DELETE FROM refunds",
            "DELETE FROM refund_lines",
            "DELETE FROM disputes",
            "INSERT INTO allowed_moves VALUES ('carts', 'refunded', 'open')",
            "DROP FUNCTION refuse_rewriting() CASCADE",
            "CREATE OR REPLACE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
            "CREATE TABLE mine ()",
            "SELECT checksum FROM _sqlx_migrations",
            "DELETE FROM _sqlx_migrations",
            "SET ROLE storefront_owner",
        ] {
            refused(&mut worker, statement).await;
        }
        let booked: i64 = sqlx::query_scalar("SELECT count(*) FROM ledger WHERE cart_id = $1::uuid")
            .bind(&cart)
            .fetch_one(&mut worker)
            .await
            .unwrap();
        assert_eq!(booked, 1);
    })
    .await;
}

#[tokio::test]
async fn a_table_of_a_later_migration_is_the_workers_to_use_and_hidden_from_the_api() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        sqlx::raw_sql("CREATE TABLE later (id serial PRIMARY KEY)").execute(&world.db).await.unwrap();
        let mut worker = connect(&worker_url(world)).await;
        for statement in [
            "INSERT INTO later DEFAULT VALUES",
            "UPDATE later SET id = 7",
            "SELECT id FROM later",
            "DELETE FROM later",
        ] {
            sqlx::query(statement).execute(&mut worker).await.unwrap();
        }
        let mut api = connect(world.api_config.database.database_url.expose_secret()).await;
        refused(&mut api, "SELECT id FROM later").await;
    })
    .await;
}

#[tokio::test]
async fn migrating_as_the_worker_is_refused_with_the_reason() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        let (done, said) = operator(world, &["migrate"], &["database-url"]).await;
        assert!(!done && said.contains("storefront_worker cannot migrate"), "{said}");
        assert!(said.contains("storefront_owner"), "{said}");
    })
    .await;
}

#[tokio::test]
async fn every_table_with_a_gateway_takes_the_known_ones_alone() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT table_name::text FROM information_schema.columns
             WHERE table_schema = 'public' AND column_name = 'gateway'",
        )
        .fetch_all(&world.db)
        .await
        .unwrap();
        assert_eq!(tables.len(), 10, "{tables:?}");
        for table in &tables {
            // A row of nothing but a gateway: PostgreSQL checks the name first, and then misses the other columns.
            let refusal = async |name: &str| {
                let insert = format!("INSERT INTO {table} (gateway) VALUES ($1)");
                let insert = sqlx::query(sqlx::AssertSqlSafe(insert)).bind(name);
                let error = insert.execute(&world.db).await.unwrap_err();
                let error = error.as_database_error().unwrap();
                (error.code().unwrap().into_owned(), error.constraint().map(str::to_owned))
            };
            for gateway in Gateway::ALL {
                assert_eq!(refusal(gateway.name()).await, ("23502".into(), None), "{table} {gateway}");
            }
            for unknown in ["", "Stripe", "paypal"] {
                let expected = ("23514".into(), Some("gateway_name_known".into()));
                assert_eq!(refusal(unknown).await, expected, "{table} {unknown}");
            }
        }
    })
    .await;
}
