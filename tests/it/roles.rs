//! The two database roles: they alone keep the api from writing and from reading secrets.

use harness::{Setup, world};
use secrecy::ExposeSecret;
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
            "SELECT provider_answer FROM transactions",
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
