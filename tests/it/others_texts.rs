//! Texts of other servers that can name a person: where they may stay, and what becomes of them.

use harness::{ORGANISATIONS, Setup, World, blank_database, migrations, world};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::notifications::{send, set, signature};
use crate::payments::{EMAIL, begun, count, reference};
use crate::people::tables_with;
use crate::worker_program::operator;

/// The LMS names the account in its refusals (`tests/platform_calls/calls.jsonl`).
const USERNAME: &str = "ada_of_ockham";

async fn payments(world: &World, words: &[&str]) -> (bool, String) {
    operator(world, &[&["payments"], words].concat(), &["database-url"]).await
}

#[tokio::test]
async fn what_the_platform_says_of_a_learner_stays_with_the_enrollment_and_goes_with_the_person() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        // The test fails if a log has it.
        world.secrets.lock().unwrap().push(USERNAME.to_owned());
        world.new_platform_user(json!({ "email": EMAIL, "username": USERNAME })).await;
        let organisation = &ORGANISATIONS[0];
        let full = json!({ "course_id": organisation.key, "full": true });
        world.sim(Method::POST, "/_sim/courses", Some(full)).await;
        let (cart, payment) = &begun(world, organisation, EMAIL).await;
        world.at_provider("pay", reference(payment), json!({})).await;
        let refused = "SELECT count(*) FROM enrollments WHERE platform_state = 'refused'";
        world.eventually("the refusal is on record", async |world| count(world, refused).await == 1).await;
        let (enrollment, reason): (uuid::Uuid, String) =
            sqlx::query_as("SELECT id, platform_reason FROM enrollments").fetch_one(&world.db).await.unwrap();
        assert!(reason.starts_with("400: ") && reason.contains(USERNAME), "{reason}");
        let alarm = world.transaction(cart).await.2.unwrap();
        assert!(alarm.contains("with 400") && alarm.contains(&enrollment.to_string()), "{alarm}");
        assert!(!alarm.contains(USERNAME), "{alarm}");

        let transaction: String =
            sqlx::query_scalar("SELECT id::text FROM transactions").fetch_one(&world.db).await.unwrap();
        let (done, said) = payments(world, &["close", &transaction, "--reason", "refunded by phone"]).await;
        assert!(done, "{said}");
        let mut tables = tables_with(world, USERNAME).await;
        tables.sort();
        assert_eq!(tables, ["enrollments", "events", "learners"]);
        // An alert of an older version, which had the text.
        sqlx::query("UPDATE transactions SET alarm = 'the platform refuses ada_of_ockham'")
            .execute(&world.db)
            .await
            .unwrap();
        let (done, said) = operator(world, &["learners", "erase", EMAIL], &["database-url"]).await;
        assert!(done, "{said}");
        assert_eq!(tables_with(world, USERNAME).await, Vec::<String>::new());
        // It still says what an operator has to look at.
        let alarm = world.transaction(cart).await.2;
        assert_eq!(alarm.as_deref(), Some("the platform refuses (erased)"));
    })
    .await;
}

/// Returns what Stripe sends of a customer of the same account, who has bought nothing here.
fn of_a_stranger() -> String {
    let customer = json!({ "id": "cus_1", "object": "customer", "email": EMAIL, "name": "Ada Lovelace" });
    json!({ "id": "evt_1", "object": "event", "type": "customer.updated", "data": { "object": customer } })
        .to_string()
}

#[tokio::test]
async fn an_event_that_means_nothing_is_known_again_and_keeps_no_body() {
    world(Setup::selling(), async |world| {
        set(world, "stripe", "northwind", "whsec_1", None).await;
        let body = of_a_stranger();
        for _ in 0..2 {
            let header = signature(world, "stripe", "whsec_1", &body);
            assert_eq!(send(world, "stripe", "northwind", header, &body).await.status, 200);
        }
        let done = "SELECT count(*) FROM inbox WHERE processed_at IS NOT NULL";
        world.eventually("the event is processed", async |world| count(world, done).await == 1).await;
        let body: Value = sqlx::query_scalar("SELECT body FROM inbox").fetch_one(&world.db).await.unwrap();
        assert_eq!(body, json!({}));
        assert_eq!(tables_with(world, EMAIL).await, Vec::<String>::new());
    })
    .await;
}

/// The last migration with texts of others in alerts.
const BEFORE: i64 = 20_261_205_090_100;

const TOLD: &str = "paid, and the platform refuses course-v1:A+B+C: 400: no; user 'ada_of_ockham'";

async fn insert_past(db: &PgPool) {
    let past = "
        INSERT INTO organisations (id, short_name, name, registration_url, return_url, gateway, currency, created_at)
        VALUES ('00000000-0000-0000-0000-000000000001', 'northwind', 'Northwind', 'http://a', 'http://a', 'stripe', 'USD', now());
        INSERT INTO carts (id, kind, buyer, email, organisation_id, state, basket_hash, currency, total, created_at)
        SELECT id, 'discovery', 'guest:ada@example.com', 'ada@example.com', '00000000-0000-0000-0000-000000000001', 'cancelled',
               '\\x00', 'USD', 1, now() FROM unnest(ARRAY['00000000-0000-0000-0000-00000000000a',
                   '00000000-0000-0000-0000-00000000000b', '00000000-0000-0000-0000-00000000000c']::uuid[]) id;
        INSERT INTO transactions (id, cart_id, organisation_id, gateway, state, amount, currency, discount_pct, original_price,
            provider_request, created_at, updated_at, alarm)
        SELECT id, id, organisation_id, 'stripe', 'cancelled', 1, 'USD', 0, 1, '{}', now(), now(), CASE right(id::text, 1)
            WHEN 'a' THEN 'TOLD' WHEN 'b' THEN 'TOLD; bought twice: cart 1 was paid for the same' ELSE 'the order was paid' END FROM carts;
        INSERT INTO audit_log (at, entity, entity_id, actor, command_id, to_state, detail)
        SELECT now(), 'transaction', id, 'operator:Mira', id, 'succeeded', jsonb_build_object('closed', alarm, 'reason', 'done')
        FROM transactions;
        INSERT INTO inbox (gateway, organisation_id, event_id, type, body, received_at, processed_at)
        SELECT 'stripe', '00000000-0000-0000-0000-000000000001', nth, 'customer.updated', '{\"email\": \"ada@example.com\"}', now(),
               CASE nth WHEN '1' THEN now() END FROM unnest(ARRAY['1', '2']) nth";
    let past = past.replace("TOLD", &TOLD.replace('\'', "''"));
    sqlx::raw_sql(sqlx::AssertSqlSafe(past)).execute(db).await.unwrap();
}

#[tokio::test]
async fn the_migration_takes_the_platforms_texts_out_of_alerts_and_the_audit_log() {
    blank_database(async |db| {
        let migrations = migrations().await;
        migrations.run_to(BEFORE, db).await.unwrap();
        insert_past(db).await;
        migrations.run(db).await.unwrap();
        let left = "paid, and the platform refuses course-v1:A+B+C";
        let both = format!("{left}; bought twice: cart 1 was paid for the same");
        let expected = [left, &both, "the order was paid"];
        for column in [
            "SELECT alarm FROM transactions ORDER BY id",
            "SELECT detail ->> 'closed' FROM audit_log WHERE detail ->> 'reason' = 'done' ORDER BY entity_id",
        ] {
            let texts: Vec<String> = sqlx::query_scalar(column).fetch_all(db).await.unwrap();
            assert_eq!(texts, expected, "{column}");
        }
        // An event that waits is needed to process it.
        let bodies: Vec<Value> =
            sqlx::query_scalar("SELECT body FROM inbox ORDER BY event_id").fetch_all(db).await.unwrap();
        assert_eq!(bodies, [json!({}), json!({ "email": EMAIL })]);
        // The audit log cannot be rewritten after it.
        let error = sqlx::query("UPDATE audit_log SET detail = '{}'").execute(db).await.unwrap_err();
        assert!(error.to_string().contains("append-only"), "{error}");
    })
    .await;
}
