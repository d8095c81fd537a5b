//! Provider events that do not match, arrive early, or report disputes; and jobs whose worker dies.

use harness::steps::demo::{FREE_COURSE, UNKNOWN_ID};
use harness::steps::notifications::{deliver, send, signature, success};
use harness::steps::payments::{begun, count};
use harness::steps::worker_program::{WorkerProcess, operator};
use harness::{ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};

const EMAIL: &str = "ada@example.com";

/// A cart that waits for its payment: its id, the provider's reference, and the storefront's transaction id.
async fn pending(world: &World, organisation: &Organisation, email: &str) -> (String, String, String) {
    let (cart, payment) = begun(world, organisation, email).await;
    let text = |name: &str| payment[name].as_str().unwrap().to_owned();
    (cart, text("reference"), text("our_reference"))
}

async fn parked(world: &World) -> Vec<String> {
    sqlx::query_scalar("SELECT parked_reason FROM inbox WHERE parked_reason IS NOT NULL ORDER BY id")
        .fetch_all(&world.db)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_payment_whose_fulfilment_fails_is_settled_once_and_fulfilled_by_a_job_of_its_own() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        let (cart, reference, _) = pending(world, &ORGANISATIONS[0], EMAIL).await;
        for statement in [
            "CREATE SEQUENCE tries",
            "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 PERFORM nextval('tries'); RAISE EXCEPTION 'no grant today'; END $$",
            "CREATE TRIGGER fail BEFORE INSERT ON enrollment_grants FOR EACH ROW EXECUTE FUNCTION fail()",
        ] {
            sqlx::query(statement).execute(&world.db).await.unwrap();
        }
        world.at_provider("pay", &reference, json!({})).await;
        let tries = async |world: &World| -> i64 {
            sqlx::query_scalar("SELECT last_value FROM tries").fetch_one(&world.db).await.unwrap()
        };
        world.eventually("the job tries again", async |world| tries(world).await > 2).await;
        let captured = "SELECT count(*) FROM ledger WHERE kind = 'captured'";
        let standing =
            (world.transaction(&cart).await.0, count(world, captured).await, parked(world).await.len());
        assert_eq!(standing, ("succeeded".to_owned(), 1, 0));
        assert!(world.on_platform(EMAIL, ORGANISATIONS[0].key).await.is_none());

        sqlx::query("DROP TRIGGER fail ON enrollment_grants").execute(&world.db).await.unwrap();
        world.cart_becomes(&cart, "fulfilled").await;
        world.platform_agrees(EMAIL, ORGANISATIONS[0].key, ORGANISATIONS[0].mode, true).await;
        assert_eq!(count(world, captured).await, 1, "settled once");
    })
    .await;
}

#[tokio::test]
async fn an_event_that_contradicts_its_transaction_is_parked_and_grants_nothing() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for (nth, organisation) in (0..).zip(&ORGANISATIONS) {
            let (cart, reference, ours) = pending(world, organisation, EMAIL).await;
            let wrong = [
                success(organisation, &reference, &ours, organisation.subunits - 1, organisation.currency),
                success(organisation, &reference, &ours, organisation.subunits, "SEK"),
                success(organisation, "another_one", &ours, organisation.subunits, organisation.currency),
            ];
            for body in &wrong {
                // Delivered twice, parked once.
                for _ in 0..2 {
                    assert_eq!(
                        deliver(world, organisation.gateway, organisation.short_name, body).await.status,
                        200
                    );
                }
            }
            world
                .eventually("all events are parked", async |world| parked(world).await.len() == 3 * (nth + 1))
                .await;
            assert_eq!(world.status(&cart).await["status"], "pending_payment");
            assert_eq!(world.transaction(&cart).await.0, "processing");
            // The parked events do not hold up the genuine one.
            let right =
                success(organisation, &reference, &ours, organisation.subunits, organisation.currency);
            deliver(world, organisation.gateway, organisation.short_name, &right).await;
            world.cart_becomes(&cart, "fulfilled").await;
        }
        // An operator lists the parked events and closes one.
        let (ok, listed) = operator(world, &["payments", "list", "--json"], &["database-url"]).await;
        let cases: Vec<Value> = serde_json::from_str(&listed).unwrap();
        assert!(ok && cases.len() == 12 && listed.contains("another_one"), "{listed}");
        let id = cases[0]["id"].as_str().unwrap();
        let close = ["payments", "close", id, "--reason", "not ours", "--by", "Mira"];
        let (ok, text) = operator(world, &close, &["database-url"]).await;
        assert!(ok, "{text}");
        let (ok, text) = operator(world, &close, &["database-url"]).await;
        assert!(!ok && text.contains("has no open alert"), "{text}");
        world
            .eventually("the metric counts the parked events", async |world| {
                let alerts = world.metric(r#"storefront_alerts_total{what="event"}"#).await;
                world.waiting("events_parked").await == 11 && alerts > Some(0.0)
            })
            .await;
        assert!(world.processed("mollie", "parked").await >= 3.0);
    })
    .await;
}

#[tokio::test]
async fn an_order_is_settled_by_its_own_amount_whatever_the_buyer_paid_for_it() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in ORGANISATIONS.iter().filter(|organisation| !organisation.can_cancel) {
            // The buyer bears a fee, or uses an offer; the worker learns of it by events, or by asking.
            for (nth, (fee, notify)) in
                [(118, true), (-500, true), (118, false), (-500, false)].into_iter().enumerate()
            {
                let email = format!("buyer{nth}@example.com");
                let (cart, reference, _) = pending(world, organisation, &email).await;
                // An attempt that failed names the other amount as well.
                world.at_provider("fail", &reference, json!({ "fee": fee })).await;
                world.at_provider("pay", &reference, json!({ "fee": fee, "notify": notify })).await;
                if !notify {
                    world.clock.advance(chrono::TimeDelta::minutes(2));
                }
                world.cart_becomes(&cart, "fulfilled").await;
                assert_eq!(world.transaction(&cart).await, ("succeeded".to_owned(), 0, None));
            }
        }
        assert_eq!(parked(world).await, Vec::<String>::new());
        world
            .eventually("every event is processed", async |world| {
                let open = "SELECT count(*) FROM inbox WHERE processed_at IS NULL";
                sqlx::query_scalar::<_, i64>(open).fetch_one(&world.db).await.unwrap() == 0
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn an_event_of_another_shop_on_the_account_is_closed_after_an_hour() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let (unknown, subunits, currency) = (UNKNOWN_ID, organisation.subunits, organisation.currency);
            for (reference, ours) in [("tr_of_another_shop", ""), ("tr_of_ours", unknown)] {
                let body = success(organisation, reference, ours, subunits, currency);
                let reply = deliver(world, organisation.gateway, organisation.short_name, &body).await;
                assert_eq!(reply.status, 200);
            }
        }
        let open = async |world: &World| -> Vec<String> {
            sqlx::query_scalar("SELECT reference FROM inbox WHERE processed_at IS NULL ORDER BY reference")
                .fetch_all(&world.db)
                .await
                .unwrap()
        };
        world.eventually("all events are stored", async |world| open(world).await.len() == 8).await;
        // Only those that name a transaction of ours count as waiting.
        world
            .eventually("the gauge counts them", async |world| world.waiting("events_unmatched").await == 4)
            .await;
        assert!(world.processed("mollie", "unmatched").await >= 1.0);
        world.clock.advance(chrono::TimeDelta::minutes(50));
        tokio::time::sleep(std::time::Duration::from_millis(600)).await;
        assert_eq!(open(world).await.len(), 8);
        world.clock.advance(chrono::TimeDelta::minutes(20));
        world
            .eventually("the other shop's events are closed", async |world| {
                open(world).await == ["tr_of_ours"; 4]
            })
            .await;
    })
    .await;
}

#[tokio::test]
async fn an_event_of_another_organisation_moves_nothing() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        // Razorpay and Curlec have the same format: an event signed for the one must not affect the other one's
        // order.
        let (organisation, other) = (&ORGANISATIONS[2], &ORGANISATIONS[3]);
        let (cart, reference, ours) = pending(world, organisation, EMAIL).await;
        let body = success(organisation, &reference, &ours, organisation.subunits, organisation.currency);
        assert_eq!(deliver(world, other.gateway, other.short_name, &body).await.status, 200);
        world.eventually("the event is parked", async |world| parked(world).await.len() == 1).await;
        assert_eq!(world.status(&cart).await["status"], "pending_payment");
        // Sent to the other organisation's URL, the signature is not valid.
        let secret = format!("whsec_demo_{}", other.short_name);
        let header = signature(world, organisation.gateway.name(), &secret, &body);
        let reply = send(world, organisation.gateway.name(), organisation.short_name, header, &body).await;
        reply.assert_problem(400, "invalid_request");
    })
    .await;
}

#[tokio::test]
async fn an_event_that_comes_before_its_transaction_waits_for_it() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let organisation = &ORGANISATIONS[0];
        let (cart, reference, ours) = pending(world, organisation, EMAIL).await;
        // Simulates an event that arrives before the transaction's commit.
        let hidden = "UPDATE transactions SET gateway = 'mollie', provider_reference = 'hidden'";
        sqlx::query(hidden).execute(&world.db).await.unwrap();
        let mut body: Value = serde_json::from_str(&success(
            organisation,
            &reference,
            &ours,
            organisation.subunits,
            organisation.currency,
        ))
        .unwrap();
        body["data"]["object"]["metadata"] = json!({});
        let body = body.to_string();
        for _ in 0..2 {
            assert_eq!(
                deliver(world, organisation.gateway, organisation.short_name, &body).await.status,
                200
            );
        }
        let unknown =
            json!({ "id": "evt_unknown", "type": "invoice.paid", "data": { "object": { "id": "in_1" } } });
        assert_eq!(
            deliver(world, organisation.gateway, organisation.short_name, &unknown.to_string()).await.status,
            200
        );
        world
            .eventually("both events are stored, the unknown one as processed", async |world| {
                let kept: Vec<(String, bool)> =
                    sqlx::query_as("SELECT type, processed_at IS NOT NULL FROM inbox ORDER BY type")
                        .fetch_all(&world.db)
                        .await
                        .unwrap();
                kept == [("invoice.paid".to_owned(), true), ("payment_intent.succeeded".to_owned(), false)]
            })
            .await;
        sqlx::query("UPDATE transactions SET gateway = 'stripe', provider_reference = $1")
            .bind(&reference)
            .execute(&world.db)
            .await
            .unwrap();
        world.clock.advance(chrono::TimeDelta::seconds(40));
        world.cart_becomes(&cart, "fulfilled").await;
    })
    .await;
}

#[tokio::test]
async fn a_provider_whose_answer_does_not_fit_calls_an_operator_and_holds_up_no_other_payment() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let (cart, reference, _) = pending(world, organisation, EMAIL).await;
            sqlx::query("UPDATE transactions SET amount = amount - 100 WHERE cart_id = $1::uuid")
                .bind(&cart)
                .execute(&world.db)
                .await
                .unwrap();
            let again = world.guest_checkout(organisation, EMAIL).await;
            again.assert_problem(502, "gateway_error");
            let alert = world.transaction(&cart).await.2.unwrap();
            assert!(alert.contains("disagrees"), "{alert}");
            // Later queries give the same answer, and a webhook does not settle the payment either.
            world.clock.advance(chrono::TimeDelta::seconds(70));
            world.at_provider("pay", &reference, json!({})).await;
            world.eventually("the event is parked", async |world| !parked(world).await.is_empty()).await;
            sqlx::query("DELETE FROM inbox").execute(&world.db).await.unwrap();
            assert_eq!(world.status(&cart).await["status"], "pending_payment");
            let other = pending(world, organisation, "bob@example.com").await;
            world.at_provider("pay", &other.1, json!({})).await;
            world.cart_becomes(&other.0, "fulfilled").await;
        }
    })
    .await;
}

#[tokio::test]
async fn events_in_the_wrong_order_lead_to_the_same_end() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let (cart, reference, ours) = pending(world, organisation, EMAIL).await;
            // The refund's webhook arrives before the payment's.
            world.at_provider("pay", &reference, json!({ "notify": false })).await;
            world.at_provider("refund", &reference, json!({ "copies": 2 })).await;
            world.cart_becomes(&cart, "refunded").await;
            let body = success(organisation, &reference, &ours, organisation.subunits, organisation.currency);
            deliver(world, organisation.gateway, organisation.short_name, &body).await;
            world
                .eventually("every event is processed", async |world| {
                    let open: i64 =
                        sqlx::query_scalar("SELECT count(*) FROM inbox WHERE processed_at IS NULL")
                            .fetch_one(&world.db)
                            .await
                            .unwrap();
                    open == 0
                })
                .await;
            assert_eq!(world.transaction(&cart).await.0, "refunded");
        }
        let live = "SELECT count(*) FROM enrollment_grants WHERE ended_at IS NULL";
        let live: i64 = sqlx::query_scalar(live).fetch_one(&world.db).await.unwrap();
        assert_eq!(live, 0);
    })
    .await;
}

#[tokio::test]
async fn the_database_refuses_moves_that_are_none_and_a_second_payment_of_one_cart() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (cart, reference, _) = pending(world, &ORGANISATIONS[0], EMAIL).await;
        world.at_provider("pay", &reference, json!({})).await;
        world.cart_becomes(&cart, "fulfilled").await;
        for (sql, constraint) in [
            ("UPDATE transactions SET state = 'processing'", "transactions_moves"),
            ("UPDATE transactions SET state = 'cancelled'", "transactions_moves"),
            ("UPDATE transactions SET state = 'refunded'", "transactions_refunded_in_full"),
            ("UPDATE carts SET state = 'pending_payment'", "carts_moves"),
            ("UPDATE carts SET state = 'cancelled'", "carts_cancelled_unpaid"),
            (
                "INSERT INTO transactions (id, cart_id, organisation_id, gateway, provider_reference, state, amount, currency,
                     discount_pct, original_price, provider_request, created_at, updated_at)
                 SELECT gen_random_uuid(), cart_id, organisation_id, gateway, 'other', 'created', amount, currency,
                     discount_pct, original_price, '{}', now(), now() FROM transactions",
                "transactions_cart_key",
            ),
        ] {
            let error = sqlx::query(sql).execute(&world.db).await.unwrap_err();
            assert_eq!(error.as_database_error().unwrap().constraint(), Some(constraint), "{sql}");
        }
    })
    .await;
}

#[tokio::test]
#[ignore = "slow"]
async fn a_checkout_whose_worker_dies_is_taken_up_by_the_next_one() {
    let setup = Setup { workers: 0, api_args: vec!["--ask-deadline=10s".into()], ..Setup::selling() };
    world(setup, async |world| {
        world.sell().await;
        // The provider answers late, and by then no worker is left.
        for organisation in &ORGANISATIONS {
            let target = organisation.gateway.name();
            world.fault(json!({ "target": target, "kind": "delay", "delay_ms": 1500 })).await;
            let worker = WorkerProcess::start(world);
            // Answered once it has started.
            let grant = json!({ "email": EMAIL, "course_id": FREE_COURSE, "mode": "audit" });
            assert_eq!(
                world.post_patiently("/storeapi/enrollments/client/enroll/", &grant).await.status,
                200
            );
            let killed = async {
                world
                    .eventually("the transaction is committed", async |world| {
                        let open = "SELECT count(*) FROM transactions WHERE state = 'created'";
                        sqlx::query_scalar::<_, i64>(open).fetch_one(&world.db).await.unwrap() == 1
                    })
                    .await;
                drop(worker);
            };
            let mut body = world.basket(organisation).await;
            body["email"] = json!(EMAIL);
            let key = format!("key-{target}");
            let ask = async |world: &World| {
                let request = world.request(Method::POST, harness::GUEST_CHECKOUT).json(&body);
                Reply::read(request.header("Idempotency-Key", &key)).await
            };
            let (first, ()) = tokio::join!(ask(world), killed);
            assert!(first.status >= 500, "{}", first.text);
            world.start_worker().await;
            world.clock.advance(chrono::TimeDelta::seconds(40));
            let again = ask(world).await;
            assert_eq!((again.status, &again.json["status"]), (200, &json!("success")), "{}", again.text);
            let cart = again.json["cart_id"].as_str().unwrap();
            let payment = world.payment(cart).await;
            world.at_provider("pay", payment["reference"].as_str().unwrap(), json!({})).await;
            world.cart_becomes(cart, "fulfilled").await;
            assert_eq!(ask(world).await.json, again.json);
            world.workers.pop().unwrap().shutdown().await;
        }
        let all = world.sim(Method::GET, "/_sim/payments", None).await;
        assert_eq!(all.as_array().unwrap().len(), ORGANISATIONS.len(), "{all}");
        world.start_worker().await;
    })
    .await;
}
