//! Declarations of withdrawal: with and without proof, judged by themselves and by a person.

use chrono::{DateTime, TimeDelta, Utc};
use harness::steps::demo::UNKNOWN_ID;
use harness::steps::events::{endpoint, received};
use harness::steps::invoices::sell_with_tax;
use harness::steps::learner_cart::learner;
use harness::steps::organisation_keys::key;
use harness::steps::payments::{EMAIL, cart_id, count, reference};
use harness::steps::refunds::{entry, ledger, order, other_course};
use harness::steps::withdrawals::{
    DECLARE, all_consents, bought, declaration, declare, declare_as, declare_by_link, declared, mails, offer,
    service, token, waits,
};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Reply, Setup, World, at_each_gateway, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use uuid::Uuid;

const STRANGER: &str = "mallory@example.com";

async fn becomes(world: &World, cart: &str, status: &str) -> Value {
    world
        .eventually(&format!("the withdrawal is {status}"), async |world| {
            declared(world, cart).await.first().is_some_and(|one| one["state"] == status)
        })
        .await;
    declared(world, cart).await.remove(0)
}

#[tokio::test]
async fn a_withdrawal_by_the_receipts_link_pays_back_and_ends_the_access() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        at_each_gateway(async |organisation| {
            offer(world, organisation, service()).await;
            let cart = bought(world, organisation, EMAIL, all_consents()).await;
            world.platform_agrees(EMAIL, organisation.key, organisation.mode, true).await;
            let token = token(world, EMAIL, &cart).await;
            let reply = declare_by_link(world, &token, &declaration(&cart, EMAIL)).await;
            assert_eq!((reply.status, &reply.json["status"]), (202, &json!("received")), "{}", reply.text);
            world.cart_becomes(&cart, "refunded").await;
            world.platform_agrees(EMAIL, organisation.key, organisation.mode, false).await;
            let stored = becomes(world, &cart, "accepted").await;
            assert_eq!((&stored["proof"], &stored["items"]), (&json!("link"), &json!([0])));
            let booked =
                [entry("captured", organisation.subunits), entry("refunded", -organisation.subunits)];
            assert_eq!(ledger(world, &cart).await, booked);
            let origin: String = sqlx::query_scalar("SELECT origin FROM refunds WHERE id = $1::uuid")
                .bind(stored["refund_id"].as_str())
                .fetch_one(&world.db)
                .await
                .unwrap();
            assert_eq!(origin, "withdrawal");
            let local = "SELECT to_char($1::timestamptz AT TIME ZONE day_zone(seller), 'HH24:MI:SS \"UTC\"')
                         FROM organisations WHERE short_name = $2";
            let at: DateTime<Utc> = reply.json["declared_at"].as_str().unwrap().parse().unwrap();
            let at: String = sqlx::query_scalar(local)
                .bind(at)
                .bind(organisation.short_name)
                .fetch_one(&world.db)
                .await
                .unwrap();
            world
                .eventually("it is acknowledged, with its content and time", async |world| {
                    mails(world, EMAIL, &["received your withdrawal", &cart, "Ada Lovelace", EMAIL, &at])
                        .await
                        .len()
                        == 1
                })
                .await;
            assert!(mails(world, EMAIL, &["objection"]).await.is_empty());
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_withdrawal_has_its_credit_note_and_its_events() {
    world(Setup::selling(), async |world| {
        sell_with_tax(world).await;
        let shop = &ORGANISATIONS[0];
        offer(world, shop, service()).await;
        endpoint(world, "northwind", "shop").await;
        let key = key(world, "northwind", &[Scope::Orders]).await;
        let cart = bought(world, shop, EMAIL, all_consents()).await;
        let before = order(world, &key, &cart).await;
        let until: DateTime<Utc> = before["withdrawable_until"].as_str().unwrap().parse().unwrap();
        let days = (until - world.clock.now()).num_days();
        assert!((14..=16).contains(&days), "{until}");
        let token = token(world, EMAIL, &cart).await;
        declare_by_link(world, &token, &declaration(&cart, EMAIL)).await;
        world.cart_becomes(&cart, "refunded").await;
        world
            .eventually("a credit note", async |world| {
                let documents = order(world, &key, &cart).await["documents"].clone();
                documents.as_array().unwrap().iter().any(|one| one["kind"] == "credit_note")
            })
            .await;
        world
            .eventually("an event of each state", async |world| {
                let events = received(world, "shop").await;
                let bodies = events
                    .iter()
                    .filter_map(|event| serde_json::from_str::<Value>(event["body"].as_str()?).ok());
                let states = bodies
                    .filter(|body| body["type"] == "order.withdrawn" && body["data"]["cart_id"] == cart);
                let states: Vec<Value> =
                    states.map(|body| body["data"]["withdrawal_status"].clone()).collect();
                states.contains(&json!("received"))
                    && states.contains(&json!("accepted"))
                    && states.len() == 2
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn a_declaration_in_the_last_second_counts_while_every_server_is_unavailable() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let user = world.platform_user(EMAIL).await;
        offer(world, shop, service()).await;
        let key = key(world, "northwind", &[Scope::Orders]).await;
        let cart = bought(world, shop, EMAIL, all_consents()).await;
        world.platform_agrees(EMAIL, shop.key, shop.mode, true).await;
        let token = token(world, EMAIL, &cart).await;
        let order = order(world, &key, &cart).await;
        let ends: DateTime<Utc> = order["withdrawable_until"].as_str().unwrap().parse().unwrap();
        for (target, status) in [("platform", 503), ("stripe", 500), ("smtp", 451)] {
            world
                .fault(json!({ "target": target, "kind": "status", "status": status, "count": 100_000 }))
                .await;
        }
        // The clock moves in whole seconds, so this lands within the last second or the one before.
        world.clock.advance(ends - world.clock.now() - TimeDelta::seconds(1));
        let reply = declare_by_link(world, &token, &declaration(&cart, EMAIL)).await;
        assert_eq!(reply.status, 202, "{}", reply.text);
        let at: DateTime<Utc> = reply.json["declared_at"].as_str().unwrap().parse().unwrap();
        assert!(at < ends && ends - at < TimeDelta::seconds(3), "{at} {ends}");
        becomes(world, &cart, "received").await;
        assert_eq!(count(world, "SELECT count(*) FROM mails").await, 1);
        world.clock.advance(TimeDelta::hours(1));
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        assert_eq!(declared(world, &cart).await[0]["state"], "received");
        world.no_faults().await;
        world.clock.advance(TimeDelta::hours(1));
        becomes(world, &cart, "accepted").await;
        world.clock.advance(TimeDelta::hours(2));
        world.cart_becomes(&cart, "refunded").await;
        world.platform_agrees(EMAIL, shop.key, shop.mode, false).await;
        world
            .eventually("the acknowledgement arrives", async |world| {
                mails(world, EMAIL, &["received your withdrawal"]).await.len() == 1
            })
            .await;
        drop(user);
        // A second later it would have been too late to be judged by itself.
        let late = bought(world, shop, "late@example.com", all_consents()).await;
        world.clock.advance(TimeDelta::days(17));
        let session = learner(world, "late@example.com").await;
        declare_as(world, &session, &declaration(&late, "late@example.com")).await;
        assert!(waits(world, &late).await.contains("after the period"));
    })
    .await;
}

#[tokio::test]
async fn what_is_declared_twice_counts_once_and_one_line_can_be_declared_alone() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        offer(world, shop, service()).await;
        let other = other_course(world, shop).await;
        let mut body = world.basket(shop).await;
        body["items"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "type": "course", "id": other, "mode": "verified" }));
        (body["email"], body["consents"]) = (json!(EMAIL), all_consents());
        let cart = cart_id(&world.post(GUEST_CHECKOUT, &body).await).to_owned();
        world.at_provider("pay", reference(&world.payment(&cart).await), json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        let token = token(world, EMAIL, &cart).await;
        let mut one = declaration(&cart, EMAIL);
        for (position, status) in [(json!(1.5), 400), (json!(-1.0), 400), (json!(1), 202), (json!(1.0), 202)]
        {
            one["items"] = json!([position]);
            assert_eq!(declare_by_link(world, &token, &one).await.status, status, "{position}");
        }
        becomes(world, &cart, "accepted").await;
        let refunded = "SELECT count(*) FROM refunds WHERE state IN ('accepted', 'succeeded')";
        world.eventually("one refund", async |world| count(world, refunded).await == 1).await;
        assert_ne!(world.status(&cart).await["status"], "refunded");
        // The rest of the order, and again.
        for _ in 0..2 {
            assert_eq!(declare_by_link(world, &token, &declaration(&cart, EMAIL)).await.status, 202);
        }
        world.cart_becomes(&cart, "refunded").await;
        world.drain().await;
        assert_eq!((declared(world, &cart).await.len(), count(world, refunded).await), (2, 2));
        world
            .eventually("two acknowledgements", async |world| {
                mails(world, EMAIL, &["received your withdrawal"]).await.len() == 2
            })
            .await;
        // A message that the broker delivers again declares nothing either.
        let message = json!({ "order": cart, "email": EMAIL, "name": "Ada", "items": null,
            "declared_at": world.clock.now(), "proof": { "link": { "cart_id": cart } } });
        let id = Uuid::now_v7().to_string();
        for _ in 0..2 {
            world.publish_raw("page.declare_withdrawal.v1", &id, message.to_string().as_bytes()).await;
        }
        world.drain().await;
        assert_eq!(declared(world, &cart).await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn without_proof_it_is_carried_out_a_day_later_unless_the_buyer_objects() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        offer(world, shop, service()).await;
        let (kept, ended) = (
            bought(world, shop, EMAIL, all_consents()).await,
            bought(world, shop, "bob@example.com", all_consents()).await,
        );
        for (cart, email) in [(&kept, EMAIL), (&ended, "bob@example.com")] {
            assert_eq!(declare(world, &declaration(cart, email)).await.status, 202);
            let stored = becomes(world, cart, "received").await;
            assert_eq!(stored["proof"], "none");
        }
        world
            .eventually("an acknowledgement with a link to object", async |world| {
                mails(world, EMAIL, &["received your withdrawal", "/objection/?token="]).await.len() == 1
            })
            .await;
        let mail = mails(world, EMAIL, &["/objection/?token="]).await.remove(0);
        let text = mail["text"].as_str().unwrap();
        let link = text.split_whitespace().find(|word| word.contains("/objection/")).unwrap();
        let path = link.strip_prefix("http://store.test").unwrap();
        let page = world.http.get(world.url(path)).send().await.unwrap();
        assert_eq!(page.status(), 200);
        assert!(page.text().await.unwrap().contains("I did not declare this"));
        assert_eq!(declared(world, &kept).await[0]["objected_at"], Value::Null, "looking objects to nothing");
        let objected = world.http.post(world.url(path)).send().await.unwrap();
        assert_eq!(objected.status(), 200);
        assert!(waits(world, &kept).await.contains("not theirs"));
        let again = world.http.post(world.url(path)).send().await.unwrap();
        assert!(again.text().await.unwrap().contains("nothing to object to"));
        // A token of one purpose does nothing for another.
        let stolen = path.split_once("token=").unwrap().1;
        declare_by_link(world, stolen, &declaration(&kept, EMAIL))
            .await
            .assert_problem(401, "unauthenticated");
        world.clock.advance(TimeDelta::hours(23));
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        assert_eq!(declared(world, &ended).await[0]["state"], "received");
        world.clock.advance(TimeDelta::minutes(61));
        becomes(world, &ended, "accepted").await;
        world.cart_becomes(&ended, "refunded").await;
        assert_eq!(declared(world, &kept).await[0]["state"], "received");
        // The buyer's own declaration counts after all, from the first moment.
        let token = token(world, EMAIL, &kept).await;
        declare_by_link(world, &token, &declaration(&kept, EMAIL)).await;
        let stored = becomes(world, &kept, "accepted").await;
        assert_eq!((&stored["proof"], declared(world, &kept).await.len()), (&json!("link"), 1));
    })
    .await;
}

#[tokio::test]
async fn a_wrong_address_or_an_unknown_order_gets_the_same_words_and_no_mail() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        offer(world, shop, service()).await;
        let cart = bought(world, shop, EMAIL, all_consents()).await;
        let known = declare(world, &declaration(&cart, EMAIL)).await;
        let wrong = declare(world, &declaration(&cart, STRANGER)).await;
        let unknown = declare(world, &declaration(UNKNOWN_ID, STRANGER)).await;
        let number = declare(world, &declaration("NW26-000001", STRANGER)).await;
        for reply in [&wrong, &unknown, &number] {
            assert_eq!(reply.status, known.status);
            for field in ["status", "detail"] {
                assert_eq!(reply.json[field], known.json[field]);
            }
            assert_eq!(reply.json.as_object().unwrap().len(), 3);
        }
        // A learner's session proves nothing about another's order.
        let mallory = learner(world, STRANGER).await;
        declare_as(world, &mallory, &declaration(&cart, STRANGER)).await;
        world.drain().await;
        assert_eq!(count(world, "SELECT count(*) FROM withdrawals WHERE state = 'unmatched'").await, 4);
        assert_eq!(count(world, "SELECT count(*) FROM withdrawals WHERE organisation_id IS NULL").await, 2);
        assert_eq!(count(world, "SELECT count(*) FROM refunds").await, 0);
        assert!(world.emails(STRANGER).await.is_empty());
        world
            .eventually("the buyer is told once", async |world| {
                mails(world, EMAIL, &["received your withdrawal"]).await.len() == 1
            })
            .await;
        for (body, field) in [
            (json!({ "order": "", "email": EMAIL, "name": "Ada" }), "order"),
            (json!({ "order": "x".repeat(65), "email": EMAIL, "name": "Ada" }), "order"),
            (json!({ "order": cart, "email": "ada", "name": "Ada" }), "email"),
            (json!({ "order": cart, "email": EMAIL, "name": " " }), "name"),
            (json!({ "order": cart, "email": EMAIL, "name": "Ada", "items": [] }), "items"),
            (json!({ "order": cart, "email": EMAIL, "name": "Ada", "items": [-1] }), "items[0]"),
        ] {
            assert_eq!(
                declare(world, &body).await.assert_problem(400, "invalid_request").faulty_fields(),
                [field]
            );
        }
        Reply::read(world.http.post(world.url(DECLARE)).json(&declaration(&cart, EMAIL)))
            .await
            .assert_problem(401, "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn digital_content_that_the_buyer_has_waits_for_a_person_and_what_waits_for_a_registration_does_not() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        world.platform_user(EMAIL).await;
        offer(world, shop, json!({ "kind": "digital_content", "days": 14 })).await;
        sqlx::query("UPDATE courses SET starts_at = now() - interval '1 year'")
            .execute(&world.db)
            .await
            .unwrap();
        let begun = bought(world, shop, EMAIL, all_consents()).await;
        world.platform_agrees(EMAIL, shop.key, shop.mode, true).await;
        let synced =
            "SELECT count(*) FROM enrollments WHERE platform_state = 'synced' AND learner_id IS NOT NULL";
        world.eventually("the access is confirmed", async |world| count(world, synced).await == 1).await;
        let waiting = bought(world, shop, "new@example.com", all_consents()).await;
        for (cart, email) in [(&begun, EMAIL), (&waiting, "new@example.com")] {
            let token = token(world, email, cart).await;
            declare_by_link(world, &token, &declaration(cart, email)).await;
        }
        assert!(waits(world, &begun).await.contains("lost when the access began"));
        becomes(world, &waiting, "accepted").await;
        world.cart_becomes(&waiting, "refunded").await;
        world.platform_agrees(EMAIL, shop.key, shop.mode, true).await;
    })
    .await;
}

#[tokio::test]
async fn a_service_that_is_performed_waits_for_a_person_and_without_the_acknowledgement_it_does_not() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        offer(world, shop, service()).await;
        for (email, consents) in
            [("done@example.com", all_consents()), ("free@example.com", json!({ "begin_now": true }))]
        {
            world.platform_user(email).await;
            let cart = bought(world, shop, email, consents).await;
            world.platform_agrees(email, shop.key, shop.mode, true).await;
            let certificate = json!({ "email": email, "course_id": shop.key, "status": "downloadable" });
            world.sim(Method::POST, "/_sim/certificates", Some(certificate)).await;
            let token = token(world, email, &cart).await;
            declare_by_link(world, &token, &declaration(&cart, email)).await;
            if email.starts_with("done") {
                assert!(waits(world, &cart).await.contains("performed in full"));
            } else {
                becomes(world, &cart, "accepted").await;
            }
        }
    })
    .await;
}
