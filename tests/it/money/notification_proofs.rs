//! Webhooks that reach the worker's queue without a provider's proof, and those of an organisation that does not own the
//! payment.

use chrono::TimeDelta;
use harness::steps::notifications::{deliver, send, set, signature, success};
use harness::steps::payments::{EMAIL, begun, count, reference};
use harness::{ORGANISATIONS, Organisation, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::gateway::Gateway;
use shared::messages::{Message, ProviderNotification, SettleNotification};
use uuid::Uuid;

/// A worker that cannot open the signing secrets.
fn without_keys() -> Setup {
    let mut setup = Setup::selling();
    setup.worker_args.push("--notification-keys=".into());
    setup
}

/// An event that says that a payment was paid.
async fn paid(organisation: &Organisation, payment: &Value) -> String {
    let ours = payment["our_reference"].as_str().unwrap();
    success(organisation, reference(payment), ours, organisation.subunits, organisation.currency)
}

/// Publishes a notification as a sender with access to the broker can, past the api.
async fn publish(world: &World, organisation: &Organisation, body: &str, signature: &str) {
    let id: Uuid = sqlx::query_scalar("SELECT id FROM organisations WHERE short_name = $1")
        .bind(organisation.short_name)
        .fetch_one(&world.db)
        .await
        .unwrap();
    let message = json!({ "gateway": organisation.gateway, "organisation_id": id, "body": body,
        "signature": { "value": signature, "received_at": world.clock.now() } });
    let (kind, id) = (ProviderNotification::KIND, Uuid::now_v7().to_string());
    world.publish_raw(kind, &id, message.to_string().as_bytes()).await;
}

/// Lets `calls` count the calls to a provider.
async fn count_calls(world: &World, gateway: Gateway) {
    let fault = json!({ "target": gateway.name(), "kind": "delay", "delay_ms": 1, "count": 1000 });
    world.fault(fault).await;
}

/// The calls since `count_calls`; forgets them.
async fn calls(world: &World) -> u64 {
    let faults = world.sim(Method::GET, "/_sim/faults", None).await;
    world.sim(Method::DELETE, "/_sim/faults", None).await;
    1000 - faults[0]["count"].as_u64().unwrap()
}

/// All that a payment could change. A mail that goes out is in the audit log as well, of its cart.
async fn stored(world: &World) -> String {
    let sql = "SELECT json_build_array(
                   (SELECT json_agg(t ORDER BY id) FROM transactions t), (SELECT json_agg(l) FROM ledger l),
                   (SELECT json_agg(c ORDER BY id) FROM carts c),
                   (SELECT count(*) FROM audit_log WHERE entity = 'transaction'))::text";
    sqlx::query_scalar(sql).fetch_one(&world.db).await.unwrap()
}

#[tokio::test]
async fn a_forged_notification_in_the_queue_settles_nothing() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let (cart, payment) = begun(world, organisation, EMAIL).await;
            // What the worker still does for the cart before this one is recorded first.
            world.drain().await;
            let (body, before) = (paid(organisation, &payment).await, stored(world).await);
            let gateway = organisation.gateway.name();
            let (_, others) = signature(world, gateway, "whsec_of_another", &body);
            let genuine = format!("whsec_demo_{}", organisation.short_name);
            let (_, of_another_body) = signature(world, gateway, &genuine, "{}");
            for forged in ["", "0", &others, &of_another_body] {
                publish(world, organisation, &body, forged).await;
            }
            let dead = world.topology().dead();
            world
                .eventually("all are dead-lettered", async |world| world.ready_messages(&dead).await == 4)
                .await;
            for _ in 0..4 {
                let (reason, _) = world.take_message(&dead).await.unwrap();
                assert!(reason.contains("signed the notification"), "{reason}");
            }
            assert_eq!(stored(world).await, before);
            assert_eq!(world.status(&cart).await["status"], "pending_payment");
            // The genuine one is still good.
            let (_, genuine) = signature(world, gateway, &genuine, &body);
            publish(world, organisation, &body, &genuine).await;
            world.cart_becomes(&cart, "fulfilled").await;
        }
        assert_eq!(count(world, "SELECT count(*) FROM inbox").await, 4);
        assert_eq!(world.metric(r#"storefront_alerts_total{what="notification"}"#).await, Some(16.0));
        assert_eq!(world.processed("mollie", "forged").await, 4.0);
        assert_eq!(world.processed("mollie", "settled").await, 1.0);
    })
    .await;
}

#[tokio::test]
async fn a_notification_that_cannot_be_verified_is_a_reason_to_ask_the_provider_and_no_more() {
    world(without_keys(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let (cart, payment) = begun(world, organisation, EMAIL).await;
            let body = paid(organisation, &payment).await;
            count_calls(world, organisation.gateway).await;
            publish(world, organisation, &body, "any").await;
            world
                .eventually("the provider is asked", async |world| {
                    world.sim(Method::GET, "/_sim/faults", None).await[0]["count"].as_u64() < Some(1000)
                })
                .await;
            calls(world).await;
            // What it says is not believed: the payment is open.
            publish(world, organisation, &body, "any").await;
            world.drain().await;
            assert_eq!(world.status(&cart).await["status"], "pending_payment");
            world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
            publish(world, organisation, &body, "any").await;
            world.cart_becomes(&cart, "fulfilled").await;
        }
        assert_eq!(count(world, "SELECT count(*) FROM inbox").await, 0);
        // One that names another organisation's payment asks no provider.
        let (organisation, other) = (&ORGANISATIONS[2], &ORGANISATIONS[3]);
        let (_, payment) = begun(world, organisation, "bob@example.com").await;
        count_calls(world, organisation.gateway).await;
        publish(world, other, &paid(organisation, &payment).await, "any").await;
        world.drain().await;
        assert_eq!(calls(world).await, 0);
        assert_eq!(world.processed("mollie", "unproved").await, 3.0);
    })
    .await;
}

#[tokio::test]
async fn a_worker_that_cannot_verify_asks_the_provider() {
    world(without_keys(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let (cart, payment) = begun(world, organisation, EMAIL).await;
            world.at_provider("pay", reference(&payment), json!({})).await;
            world.cart_becomes(&cart, "fulfilled").await;
        }
        assert_eq!(count(world, "SELECT count(*) FROM inbox").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_notification_that_waited_in_the_queue_is_still_genuine() {
    world(Setup { workers: 0, ..Setup::selling() }, async |world| {
        world.sell().await;
        let body = json!({ "id": "evt_1", "type": "invoice.paid" }).to_string();
        assert_eq!(deliver(world, Gateway::Stripe, "northwind", &body).await.status, 200);
        world.clock.advance(TimeDelta::hours(1));
        world.start_worker().await;
        world
            .eventually("the event is stored", async |world| {
                count(world, "SELECT count(*) FROM inbox").await == 1
            })
            .await;
    })
    .await;
}

/// An event for which the worker has to read the payment.
fn refund_event(organisation: &Organisation, payment: &Value) -> String {
    let (theirs, ours) = (reference(payment), payment["our_reference"].as_str().unwrap());
    match organisation.gateway {
        Gateway::External => panic!("no provider signs for it"),
        Gateway::Stripe => json!({ "id": "evt_refund", "type": "charge.refunded", "data": { "object": {
            "id": "ch_1", "payment_intent": theirs, "metadata": { "transaction_id": ours } } } }),
        Gateway::Mollie => {
            json!({ "id": "event_refund", "type": "refund.refunded", "_embedded": { "entity": {
            "id": "re_1", "paymentId": theirs, "metadata": { "transaction_id": ours } } } })
        }
        Gateway::Razorpay | Gateway::Curlec => json!({ "event": "refund.processed", "payload": { "payment": {
            "entity": { "id": "pay_1", "order_id": theirs, "notes": { "transaction_id": ours } } } } }),
    }
    .to_string()
}

#[tokio::test]
async fn an_event_that_names_another_organisations_payment_asks_no_provider() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for (nth, organisation) in ORGANISATIONS.iter().enumerate() {
            let (_, payment) = begun(world, organisation, EMAIL).await;
            let (gateway, other) = (organisation.gateway.name(), ORGANISATIONS[(nth + 1) % 4].short_name);
            set(world, gateway, other, "whsec_other", None).await;
            let before = stored(world).await;
            count_calls(world, organisation.gateway).await;
            let body = refund_event(organisation, &payment);
            let signed = signature(world, gateway, "whsec_other", &body);
            assert_eq!(send(world, gateway, other, signed, &body).await.status, 200);
            world
                .eventually("the event is parked", async |world| {
                    let parked =
                        "SELECT count(*) FROM inbox WHERE parked_reason LIKE '%another organisation%'";
                    usize::try_from(count(world, parked).await).unwrap() == nth + 1
                })
                .await;
            assert_eq!(calls(world).await, 0, "{gateway}");
            assert_eq!(stored(world).await, before);
        }
    })
    .await;
}

#[tokio::test]
async fn an_event_that_cannot_be_settled_yet_waits_without_its_body() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let (cart, payment) = begun(world, organisation, EMAIL).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        world.fault(json!({ "target": "stripe", "kind": "status", "status": 500, "count": 1000 })).await;
        world.at_provider("refund", reference(&payment), json!({})).await;
        let third = world.topology().retry_delay(2);
        world.eventually("it waits for a retry", async |world| world.ready_messages(&third).await > 0).await;
        let (_, body) = world.take_message(&third).await.unwrap();
        let message: SettleNotification = serde_json::from_slice(&body).unwrap();
        assert_eq!(
            serde_json::to_value(&message).unwrap(),
            json!({ "notification_id": message.notification_id })
        );
        world.sim(Method::DELETE, "/_sim/faults", None).await;
        world.publish_raw(SettleNotification::KIND, &Uuid::now_v7().to_string(), &body).await;
        world.cart_becomes(&cart, "refunded").await;
    })
    .await;
}
