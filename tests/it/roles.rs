//! The two database roles, which alone keep the api from writing and from reading secrets, and the database's own list of
//! gateways.

use harness::{Setup, world};
use secrecy::ExposeSecret;
use shared::gateway::Gateway;
use sqlx::{Connection, PgConnection};

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
            "SELECT FROM gateway_credentials", "SELECT FROM commands", "SELECT FROM outbox", "SELECT FROM audit_log",
            "SELECT FROM inbox", "SELECT FROM gateway_customers", "SELECT provider_request FROM transactions",
            "SELECT provider_answer FROM transactions", "SELECT request_key FROM refunds",
        ] {
            let error = sqlx::query(secret).execute(&mut api).await.unwrap_err();
            assert_eq!(error.as_database_error().unwrap().code().unwrap(), "42501", "{secret}");
        }
        assert!(sqlx::query("SELECT state, dead_at FROM transactions").execute(&mut api).await.is_ok());
        assert!(sqlx::query("SELECT FROM notification_secrets").execute(&mut api).await.is_ok());
        let plans: String = sqlx::query_scalar("SHOW plan_cache_mode").fetch_one(&mut api).await.unwrap();
        assert_eq!(plans, "force_custom_plan");
    })
    .await;
}

#[tokio::test]
async fn every_table_with_a_gateway_takes_the_known_ones_and_no_other() {
    world(Setup { apis: 0, workers: 0, ..Setup::default() }, async |world| {
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT table_name::text FROM information_schema.columns
             WHERE table_schema = 'public' AND column_name = 'gateway'",
        )
        .fetch_all(&world.db)
        .await
        .unwrap();
        assert_eq!(tables.len(), 7, "{tables:?}");
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
