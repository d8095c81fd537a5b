//! Messages that the worker does not believe: every holder of the api's account at the broker can publish any command.

use std::collections::HashSet;
use std::time::Duration;

use harness::steps::demo::{FREE_COURSE, organisation};
use harness::steps::organisation_keys::{key, revoke};
use harness::steps::payments::{EMAIL, count};
use harness::steps::refunds::bought;
use harness::{ORGANISATIONS, Setup, World, world};
use lapin::BasicProperties;
use serde_json::{Value, json};
use shared::messages::Kind;
use shared::organisation_key::Scope;
use uuid::Uuid;

const REFUND: &str = "checkout.refund.v1";

fn idempotency() -> Value {
    json!({ "scope": "test", "key": Uuid::now_v7().to_string(), "request_hash": [1] })
}

fn refund(cart: &str, caller: &Value) -> Value {
    json!({ "cart_id": cart, "caller": caller, "items": null, "amount": null, "reason": null,
        "despite_dispute": false, "idempotency": idempotency() })
}

fn report(cart: &str, caller: &Value) -> Value {
    let received = json!({ "amount": "1.00", "received_at": "2026-01-01T00:00:00Z", "reference": "a" });
    json!({ "cart_id": cart, "caller": caller, "report": { "received": received }, "idempotency": idempotency() })
}

/// Waits for the one dead letter, and takes its reason.
async fn buried(world: &World) -> String {
    let dead = world.topology().dead();
    let is_there = async |world: &World| world.ready_messages(&dead).await == 1;
    world.eventually("the message is dead-lettered", is_there).await;
    world.take_message(&dead).await.unwrap().0
}

#[tokio::test]
async fn no_message_acts_as_an_operator() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, _) = bought(world, &ORGANISATIONS[0], EMAIL).await;
        let command = refund(&cart, &json!({ "operator": { "name": "Mira" } }));
        let id = Uuid::now_v7().to_string();
        world.publish_raw(REFUND, &id, command.to_string().as_bytes()).await;
        let why = buried(world).await;
        assert!(why.contains("unreadable body"), "{why}");
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 0);
    })
    .await;
}

/// A message of each kind that names a key.
fn commands_of(key: &str, organisation: &str, cart: &str, voucher: Uuid) -> Vec<(&'static str, Value)> {
    let caller = json!({ "key": { "id": key, "organisation_id": organisation } });
    let terms = json!({ "value": { "kind": "percent", "value": "100" }, "max_uses": null, "max_uses_per_buyer": null,
        "budget": null, "valid_from": null, "valid_until": null, "course_ids": [], "program_ids": [],
        "campaign": null, "note": null });
    let none: [String; 0] = [];
    vec![
        (REFUND, refund(cart, &caller)),
        ("page.report_payment.v1", report(cart, &caller)),
        (
            "page.report_document.v1",
            json!({ "document_id": cart, "caller": caller, "report": { "refused": { "reason": "no" } } }),
        ),
        (
            "page.correct_invoice.v1",
            json!({ "cart_id": cart, "caller": caller, "billing_address": {}, "idempotency": null }),
        ),
        (
            "page.act_at_desk.v1",
            json!({ "caller": caller, "action": { "send_receipt": { "cart_id": cart } }, "idempotency": null }),
        ),
        (
            "page.move_line.v1",
            json!({ "cart_id": cart, "caller": caller, "position": 0, "to": { "email": "eve@example.com" }, "reason": null,
                "waive": false, "idempotency": null }),
        ),
        (
            "page.keep_endpoint.v1",
            json!({ "caller": caller, "change": { "set": { "url": "https://crm.example/", "types": [] } } }),
        ),
        (
            "page.decide_withdrawal.v1",
            json!({ "withdrawal_id": cart, "caller": caller, "decision": "refuse", "reason": "no", "idempotency": null }),
        ),
        (
            "page.create_vouchers.v1",
            json!({ "organisation_id": organisation, "key": key, "code": "ALL-FREE", "count": 1, "terms": terms, "idempotency": null }),
        ),
        (
            "page.change_voucher.v1",
            json!({ "voucher_id": voucher, "key": key, "changes": { "note": "taken" }, "idempotency": null }),
        ),
        (
            "page.revoke_seats.v1",
            json!({ "voucher_id": voucher, "caller": { "key": key }, "emails": none, "idempotency": null }),
        ),
        (
            "page.remind_seats.v1",
            json!({ "voucher_id": voucher, "caller": { "key": key }, "emails": null, "idempotency": null }),
        ),
        (
            "page.submit_batch.v1",
            json!({ "rows": none, "seats": { "voucher_id": voucher, "caller": { "key": key } }, "idempotency": null }),
        ),
    ]
}

#[tokio::test]
async fn a_key_that_a_message_names_must_be_valid_and_of_the_organisation() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let [northwind, lindgren] = [&ORGANISATIONS[0], &ORGANISATIONS[1]];
        let (cart, _) = bought(world, northwind, EMAIL).await;
        let (own, other) = (northwind.short_name, lindgren.short_name);
        let revoked = key(world, own, &[Scope::Refunds]).await;
        revoke(world, &revoked).await;
        let foreign = key(world, other, &[Scope::Refunds]).await;
        let valid = key(world, own, &[Scope::Refunds]).await;
        let id_of = |key: &str| key[3..15].to_owned();
        let own = organisation(world, own).await;
        let named: HashSet<_> =
            commands_of("", &own, &cart, Uuid::nil()).iter().map(|(kind, _)| *kind).collect();
        let of_keys: HashSet<_> = Kind::all().filter(|kind| kind.has_key).map(|kind| kind.name).collect();
        assert_eq!(named, of_keys);
        let voucher: Uuid = sqlx::query_scalar(
            "INSERT INTO vouchers (id, organisation_id, code, kind, percent, currency, valid_from, created_at)
             VALUES (gen_random_uuid(), $1::uuid, 'SPRING', 'percent', 10, 'USD', now(), now()) RETURNING id",
        )
        .bind(&own)
        .fetch_one(&world.db)
        .await
        .unwrap();
        for wrong in [id_of(&revoked), id_of(&foreign), "0123456789ab".to_owned()] {
            for (kind, command) in commands_of(&wrong, &own, &cart, voucher) {
                let answer = world.ask_raw(kind, Uuid::now_v7(), &command).await;
                assert_eq!(answer["Err"]["code"], "forbidden", "{kind}: {answer}");
            }
        }
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 0);
        assert_eq!(
            count(world, "SELECT count(*) FROM vouchers WHERE code <> 'SPRING' OR note IS NOT NULL").await,
            0
        );
        let caller = json!({ "key": { "id": id_of(&valid), "organisation_id": own } });
        let answer = world.ask_raw(REFUND, Uuid::now_v7(), &refund(&cart, &caller)).await;
        assert!(answer["Ok"]["refund_id"].is_string(), "{answer}");
        world.cart_becomes(&cart, "refunded").await;
    })
    .await;
}

#[tokio::test]
async fn an_answer_goes_to_its_caller_and_into_no_queue() {
    world(Setup::default(), async |world| {
        let target = world.topology().unrouted();
        let command =
            json!({ "email": EMAIL, "course_id": FREE_COURSE, "mode": "audit", "idempotency": null });
        let properties = BasicProperties::default()
            .with_type("enrollment.grant.v1".into())
            .with_message_id(Uuid::now_v7().to_string().as_str().into())
            .with_reply_to(target.as_str().into());
        world.publish_with(properties, command.to_string().as_bytes()).await;
        let why = buried(world).await;
        assert!(why.contains("reply_to"), "{why}");
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(world.ready_messages(&target).await, 0);
        assert_eq!(count(world, "SELECT count(*) FROM enrollments").await, 0);
    })
    .await;
}
