//! Dead letters that concern an organisation: its managers see them, and replay or drop them.

use std::time::Duration;

use chrono::TimeDelta;
use harness::steps::notifications::{send, set, signature};
use harness::steps::staff::{act, look, staff};
use harness::steps::worker_program::operator;
use harness::{Setup, World, world};
use serde_json::{Value, json};
use shared::queue::{Fate, visit_dead};
use shared::tls::TlsSettings;
use tokio::runtime::Handle;
use uuid::Uuid;

const ATTENTION: &str = "/storeapi/support/attention/";
const DECIDE: &str = "/storeapi/support/dead-letters/";

/// The messages in the dead-letter queue.
async fn at_broker(world: &World) -> u32 {
    world.ready_messages(&world.topology().dead()).await
}

/// The dead letters on the list of who has this cookie.
async fn listed(world: &World, cookie: &str) -> Vec<Value> {
    let reply = look(world, cookie, ATTENTION).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json["entries"].as_array().unwrap().clone()
}

/// Sends a notification of northwind's provider that the worker cannot read. Waits until it is a dead letter.
async fn unreadable(world: &World, cookie: &str) -> Value {
    let signed = signature(world, "stripe", "whsec_one", "not json");
    assert_eq!(send(world, "stripe", "northwind", signed, "not json").await.status, 200);
    world.eventually("it is listed", async |world| listed(world, cookie).await.len() == 1).await;
    listed(world, cookie).await.remove(0)
}

#[tokio::test]
async fn managers_see_a_dead_letter_of_their_organisation_and_drop_it() {
    world(Setup::default(), async |world| {
        set(world, "stripe", "northwind", "whsec_one", None).await;
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let sam = staff(world, "northwind", "sam@example.com", &["support", "finance"]).await;
        let eve = staff(world, "lindgren", "eve@lindgren.example", &["manager"]).await;
        let letter = unreadable(world, &noor).await;
        assert_eq!(
            (&letter["kind"], &letter["subject"], &letter["cart_id"]),
            (&json!("dead_letter"), &json!("payment.notification.v1"), &Value::Null)
        );
        assert!(letter["reason"].as_str().unwrap().contains("notification of stripe"), "{letter}");
        assert!(listed(world, &sam).await.is_empty() && listed(world, &eve).await.is_empty());
        let decision = |word: &str| json!({ "message_id": letter["id"], "decision": word });
        act(world, &sam, DECIDE, &decision("drop")).await.assert_problem(403, "forbidden");
        for (cookie, word) in [(&eve, "drop"), (&noor, "keep")] {
            act(world, cookie, DECIDE, &decision(word)).await.assert_problem(400, "invalid_request");
        }
        assert_eq!(at_broker(world).await, 1);
        let reply = act(world, &noor, DECIDE, &decision("drop")).await;
        assert_eq!(reply.status, 204, "{}", reply.text);
        assert_eq!((at_broker(world).await, listed(world, &noor).await.len()), (0, 0));
        act(world, &noor, DECIDE, &decision("drop")).await.assert_problem(400, "invalid_request");
        let (actor, to): (String, String) = sqlx::query_as(
            "SELECT actor, to_state FROM audit_log WHERE entity = 'message' AND entity_id = $1::uuid",
        )
        .bind(letter["id"].as_str().unwrap())
        .fetch_one(&world.db)
        .await
        .unwrap();
        assert!(actor.starts_with("staff:") && to == "dropped", "{actor} {to}");
    })
    .await;
}

#[tokio::test]
async fn a_replayed_letter_is_processed_once_its_reason_is_gone_and_listed_again_otherwise() {
    world(Setup::default(), async |world| {
        set(world, "stripe", "northwind", "whsec_one", None).await;
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        // Signed with a secret that the organisation does not have yet.
        let body = json!({ "id": "evt_1", "type": "customer.created", "data": { "object": {} } }).to_string();
        let organisation = harness::steps::demo::organisation(world, "northwind").await;
        let (_, value) = signature(world, "stripe", "whsec_two", &body);
        let signed = json!({ "value": value, "received_at": world.clock.now() });
        let message = json!({ "gateway": "stripe", "organisation_id": organisation, "body": body, "signature": signed });
        let id = Uuid::now_v7().to_string();
        world.publish_raw("payment.notification.v1", &id, message.to_string().as_bytes()).await;
        world.eventually("it is listed", async |world| listed(world, &noor).await.len() == 1).await;
        let first = listed(world, &noor).await.remove(0);
        assert_eq!(first["id"], json!(id));
        let replay = json!({ "message_id": id, "decision": "replay" });
        world.clock.advance(TimeDelta::seconds(5));
        assert_eq!(act(world, &noor, DECIDE, &replay).await.status, 204);
        world
            .eventually("it is dead again", async |world| {
                listed(world, &noor).await.first().is_some_and(|letter| letter["since"] != first["since"])
            })
            .await;
        set(world, "stripe", "northwind", "whsec_two", None).await;
        assert_eq!(act(world, &noor, DECIDE, &replay).await.status, 204);
        world
            .eventually("the notification is stored", async |world| {
                let kept = "SELECT count(*) FROM inbox WHERE type = 'customer.created'";
                harness::steps::payments::count(world, kept).await == 1
            })
            .await;
        assert_eq!((at_broker(world).await, listed(world, &noor).await.len()), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn what_an_operator_or_the_broker_has_deleted_leaves_the_list() {
    let setup = Setup { worker_args: vec!["--reconcile-every=100ms".into()], ..Setup::default() };
    world(setup, async |world| {
        set(world, "stripe", "northwind", "whsec_one", None).await;
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let letter = unreadable(world, &noor).await;
        let id = letter["id"].as_str().unwrap();
        let settings = ["amqp-url", "queue-prefix", "retry-delays", "database-url"];
        let (done, said) = operator(world, &["dead", "drop", id], &settings).await;
        assert!(done && said.contains("1 dropped"), "{said}");
        assert!(listed(world, &noor).await.is_empty());
        let letter = unreadable(world, &noor).await;
        // As the broker does after its time, without asking.
        let (done, said) = operator(world, &["dead", "drop", "--all"], &settings).await;
        assert!(done, "{said}");
        sqlx::query(
            "INSERT INTO dead_letters (id, organisation_id, kind, reason, died_at)
             SELECT $1::uuid, id, 'payment.notification.v1', 'unreadable', $2 FROM organisations WHERE short_name = 'northwind'",
        )
        .bind(letter["id"].as_str().unwrap())
        .bind(world.clock.now())
        .execute(&world.db)
        .await
        .unwrap();
        let replay = json!({ "message_id": letter["id"], "decision": "replay" });
        let reply = act(world, &noor, DECIDE, &replay).await;
        assert_eq!(reply.assert_problem(400, "invalid_request").faulty_fields(), ["message_id"]);
        assert_eq!(listed(world, &noor).await.len(), 1);
        world.clock.advance(TimeDelta::days(15));
        world.eventually("it is forgotten", async |world| listed(world, &noor).await.is_empty()).await;
    })
    .await;
}

#[tokio::test]
async fn a_decision_waits_for_an_operator_who_is_reading_the_letters() {
    world(Setup::default(), async |world| {
        set(world, "stripe", "northwind", "whsec_one", None).await;
        let noor = staff(world, "northwind", "noor@example.com", &["manager"]).await;
        let letter = unreadable(world, &noor).await;
        let (settings, tls) = (world.queue_settings(), TlsSettings::default());
        let reading = tokio::task::spawn_blocking(move || {
            Handle::current().block_on(visit_dead(&settings, &tls, 10, |_| {
                std::thread::sleep(Duration::from_secs(2));
                Fate::Keep
            }))
        });
        world.eventually("the operator holds it", async |world| at_broker(world).await == 0).await;
        let decision = json!({ "message_id": letter["id"], "decision": "drop" });
        let reply = act(world, &noor, DECIDE, &decision).await;
        assert_eq!(reply.status, 204, "{}", reply.text);
        assert_eq!(reading.await.unwrap().unwrap().len(), 1, "the operator has read it");
        assert_eq!((at_broker(world).await, listed(world, &noor).await.len()), (0, 0));
    })
    .await;
}
