//! Texts of other servers that can name a person: where they may stay, and what becomes of them.

use harness::steps::notifications::{send, set, signature};
use harness::steps::payments::{EMAIL, begun, count, reference};
use harness::steps::people::tables_with;
use harness::steps::worker_program::operator;
use harness::{ORGANISATIONS, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

/// The LMS names the account in its refusals (`platform_calls/calls.jsonl`).
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
        let alert = world.transaction(cart).await.2.unwrap();
        assert!(alert.contains("with 400") && alert.contains(&enrollment.to_string()), "{alert}");
        assert!(!alert.contains(USERNAME), "{alert}");

        let transaction: String =
            sqlx::query_scalar("SELECT id::text FROM transactions").fetch_one(&world.db).await.unwrap();
        let (done, said) = payments(world, &["close", &transaction, "--reason", "refunded by phone"]).await;
        assert!(done, "{said}");
        let mut tables = tables_with(world, USERNAME).await;
        tables.sort();
        assert_eq!(tables, ["enrollments", "events", "learners"]);
        // Whatever an alert says of the person goes, too.
        sqlx::query("UPDATE transactions SET alert = 'the platform refuses ada_of_ockham'")
            .execute(&world.db)
            .await
            .unwrap();
        let (done, said) = operator(world, &["learners", "erase", EMAIL], &["database-url"]).await;
        assert!(done, "{said}");
        assert_eq!(tables_with(world, USERNAME).await, Vec::<String>::new());
        // It still says what an operator has to look at.
        let alert = world.transaction(cart).await.2;
        assert_eq!(alert.as_deref(), Some("the platform refuses (erased)"));
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
