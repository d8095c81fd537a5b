//! Provider webhooks: the api keeps each genuine one once and refuses everything else.

use harness::steps::notifications::{gateways, send, set, signature};
use harness::{ORGANISATIONS, Reply, Setup, World, world};
use serde_json::{Value, json};

/// Each gateway with an organisation that sells through it.
fn pairs() -> Vec<(&'static str, &'static str)> {
    ORGANISATIONS.iter().map(|organisation| (organisation.gateway.name(), organisation.short_name)).collect()
}

fn event(nth: u32) -> String {
    json!({ "id": format!("evt_{nth}"), "type": "payment.paid", "event": "order.paid", "nth": nth })
        .to_string()
}

async fn kept(world: &World) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM inbox").fetch_one(&world.db).await.unwrap()
}

#[tokio::test]
async fn a_genuine_notification_is_kept_once_however_often_it_comes() {
    world(Setup::default(), async |world| {
        for (gateway, organisation) in pairs() {
            set(world, gateway, organisation, "whsec_one", None).await;
        }
        for (nth, (gateway, organisation)) in (1..).zip(pairs()) {
            let body = event(nth);
            for _ in 0..3 {
                let signed = signature(world, gateway, "whsec_one", &body);
                let reply = send(world, gateway, organisation, signed, &body).await;
                assert_eq!(reply.status, 200, "{gateway}: {}", reply.text);
            }
            world.eventually("the event is stored", async |world| kept(world).await == i64::from(nth)).await;
        }
        let configured: i64 = sqlx::query_scalar("SELECT count(*) FROM organisations WHERE configured")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert_eq!(usize::try_from(configured).unwrap(), ORGANISATIONS.len());
    })
    .await;
}

#[tokio::test]
async fn what_is_not_genuine_is_refused_and_not_kept() {
    world(Setup::default(), async |world| {
        for (gateway, organisation) in pairs() {
            set(world, gateway, organisation, &format!("whsec_{organisation}"), None).await;
        }
        for (gateway, organisation) in pairs() {
            let secret = format!("whsec_{organisation}");
            let (name, good) = signature(world, gateway, &secret, &event(1));
            for (what, header, body) in [
                ("tampered", (name, good.clone()), event(2)),
                ("re-encoded", (name, good.clone()), format!(" {}", event(1))),
                ("truncated", (name, good.clone()), event(1)[..20].to_owned()),
                ("unsigned", ("x-nothing", String::new()), event(1)),
                ("empty", (name, String::new()), event(1)),
                ("cut", (name, good[..good.len() - 1].to_owned()), event(1)),
                ("another's", signature(world, gateway, "whsec_other", &event(1)), event(1)),
            ] {
                let reply = send(world, gateway, organisation, header, &body).await;
                let faulty = reply.assert_problem(400, "invalid_request").faulty_fields();
                assert_eq!(faulty, ["signature"], "{gateway} {what}");
            }
            // The right signature under another organisation's path, and under another gateway of the same
            // organisation.
            for other in pairs().into_iter().map(|(_, other)| other).filter(|other| *other != organisation) {
                let signed = signature(world, gateway, &secret, &event(1));
                send(world, gateway, other, signed, &event(1)).await.assert_problem(400, "invalid_request");
            }
        }
        // A signature that is sent twice proves nothing.
        let (name, value) = signature(world, "mollie", "whsec_lindgren", &event(1));
        let url = world.url("/storeapi/payment/notifications/mollie/lindgren/");
        let twice = world.http.post(url).header("content-type", "application/json");
        let twice = twice.header(name, &value).header(name, &value).body(event(1));
        Reply::read(twice).await.assert_problem(400, "invalid_request");
        let signed = signature(world, "stripe", "whsec_northwind", &event(1));
        send(world, "paypal", "northwind", signed.clone(), &event(1)).await.assert_problem(404, "not_found");
        send(world, "stripe", "nowhere", signed, &event(1)).await.assert_problem(400, "invalid_request");
        let large = "x".repeat(1024 * 1024 + 1);
        let signed = signature(world, "stripe", "whsec_northwind", &large);
        send(world, "stripe", "northwind", signed, &large).await.assert_problem(413, "body_too_large");
        // The signature is valid, but its timestamp is too old.
        let (name, old) = signature(world, "stripe", "whsec_northwind", &event(1));
        world.clock.advance(chrono::TimeDelta::seconds(301));
        send(world, "stripe", "northwind", (name, old), &event(1))
            .await
            .assert_problem(400, "invalid_request");
        assert_eq!(kept(world).await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_notification_that_cannot_be_kept_or_judged_is_asked_for_again() {
    let without_key = Setup { api_args: vec!["--notification-keys=".into()], ..Setup::default() };
    world(without_key, async |world| {
        set(world, "stripe", "northwind", "whsec_one", None).await;
        // This api has no key that decrypts the secret.
        let signed = signature(world, "stripe", "whsec_one", &event(1));
        send(world, "stripe", "northwind", signed, &event(1)).await.assert_problem(503, "unavailable");
    })
    .await;
    world(Setup { proxied: true, ..Setup::default() }, async |world| {
        set(world, "stripe", "northwind", "whsec_one", None).await;
        let send = async || {
            let signed = signature(world, "stripe", "whsec_one", &event(1));
            send(world, "stripe", "northwind", signed, &event(1)).await.status
        };
        world.amqp().cut();
        world.eventually("the api answers 503 without the broker", async |_| send().await == 503).await;
        world.amqp().restore();
        world.eventually("the api accepts the webhook", async |_| send().await == 200).await;
        world.eventually("the event is stored", async |world| kept(world).await == 1).await;
    })
    .await;
}

#[tokio::test]
async fn both_secrets_are_good_while_one_replaces_the_other() {
    world(Setup::default(), async |world| {
        set(world, "mollie", "lindgren", "whsec_new", Some("whsec_old")).await;
        for (nth, secret, status) in [(1, "whsec_new", 200), (2, "whsec_old", 200), (3, "whsec_older", 400)] {
            let signed = signature(world, "mollie", secret, &event(nth));
            assert_eq!(
                send(world, "mollie", "lindgren", signed, &event(nth)).await.status,
                status,
                "{secret}"
            );
        }
        set(world, "mollie", "lindgren", "whsec_new", None).await;
        let signed = signature(world, "mollie", "whsec_old", &event(4));
        send(world, "mollie", "lindgren", signed, &event(4)).await.assert_problem(400, "invalid_request");
        world.eventually("both events are stored", async |world| kept(world).await == 2).await;
    })
    .await;
}

#[tokio::test]
async fn an_unreadable_event_is_buried_with_its_reason() {
    world(Setup::default(), async |world| {
        set(world, "stripe", "northwind", "whsec_one", None).await;
        for body in ["not json", "{\"type\":\"no id\"}"] {
            let signed = signature(world, "stripe", "whsec_one", body);
            assert_eq!(send(world, "stripe", "northwind", signed, body).await.status, 200);
        }
        world.expected_dead = 2;
        world
            .eventually("both messages are dead-lettered", async |world| {
                world.ready_messages(&world.topology().dead()).await == 2
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn accounts_are_set_shown_and_checked_without_ever_being_told() {
    world(Setup::default(), async |world| {
        set(world, "stripe", "northwind", "whsec_hidden", None).await;
        let (ok, shown) = gateways(world, &["show"], "").await;
        assert!(ok && shown.contains("northwind") && shown.contains("credentials"), "{shown}");
        let (_, json) = gateways(world, &["show", "--json"], "").await;
        let rows: Value = serde_json::from_str(&json).unwrap();
        assert_eq!((rows.as_array().unwrap().len(), &rows[0]["in_use"]), (2, &json!(true)));
        let (ok, checked) = gateways(world, &["check"], "").await;
        assert!(ok && checked.contains("everything can be opened"), "{checked}");
        // A secret moved to another organisation's row cannot be decrypted there.
        sqlx::query("UPDATE notification_secrets SET organisation_id = (SELECT id FROM organisations WHERE short_name = 'lindgren')")
            .execute(&world.db)
            .await
            .unwrap();
        let (ok, checked) = gateways(world, &["check"], "").await;
        assert!(!ok && checked.contains("kept elsewhere"), "{checked}");
        for (organisation, input) in [
            ("northwind", "sk_hidden"),
            ("northwind", "{}"),
            ("northwind", r#"{"secret_key":"sk_hidden"}"#),
            ("northwind", r#"{"secret_key":"sk_hidden","public_key":"pk_1","colour":"red"}"#),
            ("nowhere", r#"{"secret_key":"sk_hidden","public_key":"pk_1"}"#),
        ] {
            let (ok, text) = gateways(world, &["set", organisation, "stripe"], input).await;
            assert!(!ok, "{input}");
            assert!(!text.contains("sk_hidden"), "{text}");
        }
        for text in [shown, json, checked] {
            assert!(!text.contains("sk_hidden") && !text.contains("whsec_hidden"), "{text}");
        }
        let plain: i64 = sqlx::query_scalar(
            "SELECT (SELECT count(*) FROM gateway_credentials WHERE position('sk_hidden'::bytea IN sealed) > 0)
                  + (SELECT count(*) FROM notification_secrets WHERE position('whsec_hidden'::bytea IN sealed) > 0)",
        )
        .fetch_one(&world.db)
        .await
        .unwrap();
        assert_eq!(plain, 0);
    })
    .await;
}

#[tokio::test]
async fn the_simulated_providers_notifications_are_genuine_unless_they_are_told_otherwise() {
    world(Setup::default(), async |world| {
        for (gateway, organisation) in pairs() {
            set(world, gateway, organisation, &format!("whsec_demo_{organisation}"), None).await;
        }
        world.simulators.set_notification_url(Some(world.url("/storeapi/payment/notifications")));
        let create = world
            .http
            .post(world.simulators.url("/stripe/v1/payment_intents"))
            .bearer_auth("sk_test_demo_northwind")
            .form(&[("amount", "19900"), ("currency", "usd"), ("metadata[transaction_id]", "ours")]);
        let intent = Reply::read(create).await.json;
        let reference = intent["id"].as_str().unwrap();
        // The fault alters the first delivery in transit, so that its signature does not match its body.
        world.fault(json!({ "target": "stripe", "kind": "tamper_notification" })).await;
        let pay = format!("/_sim/payments/{reference}/pay");
        world.sim(reqwest::Method::POST, &pay, Some(json!({}))).await;
        let deliveries = format!("/_sim/notifications?reference={reference}");
        world
            .eventually("the api refuses the altered webhook", async |world| {
                world.sim(reqwest::Method::GET, &deliveries, None).await[0]["last_status"] == 400
            })
            .await;
        assert_eq!(kept(world).await, 0);
        let refund = format!("/_sim/payments/{reference}/refund");
        world.sim(reqwest::Method::POST, &refund, Some(json!({ "copies": 3 }))).await;
        world.eventually("each event is stored once", async |world| kept(world).await == 2).await;
        let kinds: Vec<String> =
            sqlx::query_scalar("SELECT type FROM inbox ORDER BY type").fetch_all(&world.db).await.unwrap();
        assert_eq!(kinds, ["charge.refunded", "refund.created"]);
    })
    .await;
}
