//! Payments that an organisation takes itself: its reports settle them as a provider's notifications do.

use harness::steps::console::{self, with_console};
use harness::steps::learner_cart::{learner, send};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, cart_id, count};
use harness::steps::refunds::{ledger, order, refund};
use harness::steps::staff::{act, staff};
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use uuid::Uuid;

const SHOP: &Organisation = &ORGANISATIONS[0];
const PRICE: i64 = 199;

/// The shop takes its payments itself.
pub async fn takes_payments_itself(world: &World) {
    sqlx::query(
        "UPDATE organisations SET gateway = 'external',
             bank_transfer = '{\"lines\": [\"Northwind Institute\", \"IBAN GB33BUKB20201555555555\"], \"due_days\": 14}'
         WHERE short_name = 'northwind'",
    )
    .execute(&world.db)
    .await
    .unwrap();
}

async fn sells_itself(world: &World) {
    world.sell().await;
    takes_payments_itself(world).await;
}

/// A guest's order, and a key of its shop.
async fn ordered(world: &World) -> (String, String) {
    sells_itself(world).await;
    let own = key(world, "northwind", &[Scope::Payments, Scope::Orders, Scope::Refunds]).await;
    let answer = world.guest_checkout(SHOP, EMAIL).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    (cart_id(&answer).to_owned(), own)
}

async fn post(world: &World, key: &str, path: &str, body: &Value, idempotency: &str) -> Reply {
    let request = world.request(Method::POST, path).header("organisationapikey", key);
    Reply::read(request.header("Idempotency-Key", idempotency).json(body)).await
}

fn path(cart: &str) -> String {
    format!("/storeapi/payment/orders/{cart}/payments/")
}

fn paid(amount: impl Into<Value>, reference: &str) -> Value {
    json!({ "amount": amount.into(), "received_at": "2026-01-05T09:00:00Z", "reference": reference })
}

/// Reports a payment under a key of its own.
async fn report(world: &World, key: &str, cart: &str, amount: i64, reference: &str) -> Reply {
    post(world, key, &path(cart), &paid(amount, reference), &Uuid::now_v7().to_string()).await
}

async fn alerts(world: &World) -> i64 {
    count(world, "SELECT count(*) FROM transactions WHERE alert IS NOT NULL").await
}

#[tokio::test]
async fn a_reported_payment_is_settled_as_a_providers() {
    world(Setup::selling(), async |world| {
        sells_itself(world).await;
        let own = key(world, "northwind", &[Scope::Payments, Scope::Orders]).await;
        let capabilities = world.get("/storeapi/payment/capabilities/?organisation=northwind").await;
        assert_ne!(capabilities.status, 500);
        let answer = world.guest_checkout(SHOP, EMAIL).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let (cart, reference) =
            (cart_id(&answer).to_owned(), answer.json["payment_reference"].as_str().unwrap());
        assert_eq!((&answer.json["gateway"], reference.len()), (&json!("external"), 17));
        assert_eq!(answer.json["bank_lines"][1], "IBAN GB33BUKB20201555555555");
        // The same basket is the same payment.
        let again = world.guest_checkout(SHOP, EMAIL).await;
        assert_eq!(
            (cart_id(&again), again.json["payment_reference"].as_str()),
            (cart.as_str(), Some(reference))
        );
        let waiting = order(world, &own, &cart).await;
        assert_eq!(
            (&waiting["status"], &waiting["transfer"]["open_amount"]),
            (&json!("pending_payment"), &json!(PRICE))
        );
        assert_eq!(waiting["transfer"]["payment_reference"], reference);
        let booked = report(world, &own, &cart, PRICE, "line 1").await;
        assert_eq!((booked.status, &booked.json["open_amount"]), (200, &json!(0)), "{}", booked.text);
        world.cart_becomes(&cart, "fulfilled").await;
        assert_eq!(ledger(world, &cart).await, [("captured".to_owned(), 19_900)]);
        let order = order(world, &own, &cart).await;
        assert_eq!(order["transfer"]["payments"][0]["reference"], "line 1");
        assert_eq!(order["transfer"]["open_amount"], 0);
        assert_eq!(alerts(world).await, 0);
    })
    .await;
}

#[tokio::test]
async fn the_ledger_shows_the_banks_day_beside_that_of_the_report() {
    world(Setup::selling(), async |world| {
        let (cart, own) = ordered(world).await;
        let reports = key(world, "northwind", &[Scope::Reports]).await;
        let part = json!({ "amount": 100, "received_at": "2025-12-30T23:30:00Z", "reference": "0007" });
        let rest = json!({ "amount": 99, "received_at": "2025-12-31T23:30:00Z", "reference": "0009" });
        let much = json!({ "amount": 5, "received_at": "2026-01-02T09:00:00Z", "reference": "more" });
        for (body, once) in [(part, "one"), (rest, "two"), (much, "three")] {
            let reply = post(world, &own, &path(&cart), &body, once).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
        }
        let today = world.clock.now().format("%Y-%m-%d").to_string();
        let report = format!("/storeapi/reports/ledger/?from={today}&to={today}");
        let rows = get(world, &format!("{report}&format=json"), &reports).await;
        let row = &rows.json[0];
        assert_eq!((&row["kind"], &row["day"]), (&json!("captured"), &json!(today)), "{}", rows.text);
        // In the time of the organisation, which has no seller; what came too much paid for nothing.
        assert_eq!((&row["bank_day"], &row["bank_reference"]), (&json!("2025-12-31"), &json!("0007; 0009")));
        let csv = get(world, &report, &reports).await.text;
        assert!(csv.lines().nth(1).unwrap().ends_with(",2025-12-31,0007; 0009,,false"), "{csv}");
    })
    .await;
}

#[tokio::test]
async fn parts_wait_for_the_rest_and_repeats_are_one() {
    world(Setup::selling(), async |world| {
        let (cart, own) = ordered(world).await;
        let first = post(world, &own, &path(&cart), &paid(100, "a"), "one").await;
        assert_eq!((first.status, &first.json["open_amount"]), (200, &json!(99)), "{}", first.text);
        for key in ["one", "two"] {
            let again = post(world, &own, &path(&cart), &paid(100, "a"), key).await;
            assert_eq!((again.status, &again.json), (200, &first.json), "{}", again.text);
        }
        let other = post(world, &own, &path(&cart), &paid(50, "a"), "three").await;
        assert_eq!(
            (other.status, other.json["code"].as_str()),
            (400, Some("invalid_request")),
            "{}",
            other.text
        );
        let changed = post(world, &own, &path(&cart), &paid(50, "b"), "one").await;
        assert_eq!(
            (changed.status, changed.json["code"].as_str()),
            (422, Some("idempotency_mismatch")),
            "{}",
            changed.text
        );
        let shown = order(world, &own, &cart).await;
        assert_eq!(
            (&shown["status"], &shown["transfer"]["open_amount"]),
            (&json!("pending_payment"), &json!(99))
        );
        // Two people report the rest at once, each with a key of their own.
        let rest = paid(99, "b");
        let rest_path = path(&cart);
        let (one, other) = tokio::join!(
            post(world, &own, &rest_path, &rest, "left"),
            post(world, &own, &rest_path, &rest, "right")
        );
        assert_eq!((one.status, other.status), (200, 200), "{} {}", one.text, other.text);
        world.cart_becomes(&cart, "fulfilled").await;
        assert_eq!(ledger(world, &cart).await, [("captured".to_owned(), 19_900)]);
        assert_eq!(
            (count(world, "SELECT count(*) FROM received_payments").await, alerts(world).await),
            (2, 0)
        );
    })
    .await;
}

#[tokio::test]
async fn a_part_that_the_rest_does_not_follow_is_paid_back_and_the_order_ends() {
    world(Setup::selling(), async |world| {
        let (cart, own) = ordered(world).await;
        report(world, &own, &cart, 100, "Line 7").await;
        let act = async |what: &str, body: Value| {
            post(world, &own, &format!("{}{what}/", path(&cart)), &body, &Uuid::now_v7().to_string()).await
        };
        let cancel = async || {
            let path = format!("{}cancel/", path(&cart));
            Reply::read(world.request(Method::POST, &path).header("organisationapikey", &own)).await
        };
        let early = cancel().await;
        assert!(early.status == 400 && early.text.contains("part of its total"), "{}", early.text);
        let unknown = act("return", json!({ "reference": "line 8" })).await;
        assert_eq!(unknown.status, 400, "{}", unknown.text);
        for _ in 0..2 {
            let back = act("return", json!({ "reference": "line  7" })).await;
            assert_eq!((back.status, &back.json["open_amount"]), (200, &json!(199)), "{}", back.text);
        }
        // What was paid back is not reported again by mistake.
        let again = report(world, &own, &cart, 100, "line 7").await;
        assert_eq!(again.status, 400, "{}", again.text);
        for _ in 0..2 {
            let ended = cancel().await;
            assert_eq!(ended.status, 200, "{}", ended.text);
        }
        world.cart_becomes(&cart, "cancelled").await;
        let status = world.status(&cart).await;
        assert_eq!(status["safe_to_charge_again"], false, "a transfer can still arrive");
        assert_eq!(ledger(world, &cart).await, []);
        // The same basket is a new order.
        let other = world.guest_checkout(SHOP, EMAIL).await;
        assert_ne!(cart_id(&other), cart);
        // A surplus is paid back the same way, what pays for the order is not.
        report(world, &own, cart_id(&other), PRICE, "all").await;
        world.cart_becomes(cart_id(&other), "fulfilled").await;
        report(world, &own, cart_id(&other), 20, "tip").await;
        let path = format!("{}return/", path(cart_id(&other)));
        assert_eq!(post(world, &own, &path, &json!({ "reference": "tip" }), "tip").await.status, 200);
        let needed = post(world, &own, &path, &json!({ "reference": "all" }), "all").await;
        assert!(needed.status == 400 && needed.text.contains("refund the order"), "{}", needed.text);
    })
    .await;
}

#[tokio::test]
async fn one_bank_line_for_two_orders_is_for_a_person() {
    world(Setup::selling(), async |world| {
        let (cart, own) = ordered(world).await;
        let other = cart_id(&world.guest_checkout(SHOP, "other@example.com").await).to_owned();
        assert_eq!(post(world, &own, &path(&cart), &paid(PRICE, "line 1"), "k").await.status, 200);
        let same_key = post(world, &own, &path(&other), &paid(PRICE, "line 2"), "k").await;
        same_key.assert_problem(422, "idempotency_mismatch");
        assert_eq!(report(world, &own, &other, PRICE, "LINE 1").await.status, 200);
        let alert: String = sqlx::query_scalar("SELECT alert FROM transactions WHERE alert IS NOT NULL")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert!(alert.contains(&cart), "{alert}");
    })
    .await;
}

#[tokio::test]
async fn reports_of_one_bank_line_at_the_same_moment_see_each_other() {
    world(Setup::selling(), async |world| {
        sells_itself(world).await;
        let own = &key(world, "northwind", &[Scope::Payments]).await;
        for pair in 0..8 {
            let email = |side: &str| format!("{side}{pair}@example.com");
            let one = cart_id(&world.guest_checkout(SHOP, &email("one")).await).to_owned();
            let other = cart_id(&world.guest_checkout(SHOP, &email("other")).await).to_owned();
            let (line, same) = (format!("Line {pair}"), format!("LINE {pair}"));
            let reports = tokio::join!(
                report(world, own, &one, PRICE, &line),
                report(world, own, &other, PRICE, &same)
            );
            assert_eq!(
                (reports.0.status, reports.1.status),
                (200, 200),
                "{}{}",
                reports.0.text,
                reports.1.text
            );
            assert_eq!(alerts(world).await, pair + 1, "the later of the two names the earlier");
        }
    })
    .await;
}

#[tokio::test]
async fn money_of_a_replaced_order_is_for_a_person() {
    world(Setup::selling(), async |world| {
        sells_itself(world).await;
        let own = key(world, "northwind", &[Scope::Payments]).await;
        let user = learner(world, EMAIL).await;
        let first = world.learner_checkout(SHOP, &user).await;
        report(world, &own, cart_id(&first), 100, "a part").await;
        let mut body = world.basket(SHOP).await;
        body["items"][0]["mode"] = json!(SHOP.other_mode);
        let cookie = format!("sessionid={}", user["sessionid"].as_str().unwrap());
        let request = world.request(Method::POST, "/storeapi/discovery/checkout/").header("cookie", cookie);
        let second = Reply::read(request.json(&body)).await;
        assert_eq!(second.status, 200, "{}", second.text);
        world.cart_becomes(cart_id(&first), "cancelled").await;
        assert_eq!(alerts(world).await, 1);
        // The rest comes after all.
        report(world, &own, cart_id(&first), 99, "the rest").await;
        world.cart_becomes(cart_id(&first), "fulfilled").await;
        let alert: String = sqlx::query_scalar("SELECT alert FROM transactions WHERE alert IS NOT NULL")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert!(alert.contains("was paid"), "{alert}");
    })
    .await;
}

#[tokio::test]
async fn finance_books_payments_and_refunds_in_the_console() {
    world(with_console(), async |world| {
        let (cart, own) = ordered(world).await;
        let fay = staff(world, "northwind", "fay@example.com", &["finance"]).await;
        let page = format!("/console/northwind/orders/{cart}/");
        let shown = console::get(world, &fay, &page).await;
        assert!(shown.text.contains("Still to be paid") && shown.text.contains("$199.00"), "{}", shown.text);
        let send = async |form: &str, fields: &[(&str, &str)]| {
            let once = Uuid::now_v7().to_string();
            let fields: Vec<_> = fields.iter().copied().chain([("key", once.as_str())]).collect();
            console::post(world, &fay, &format!("{page}{form}/"), console::OWN, &fields).await
        };
        let unclear =
            send("payment", &[("amount", "1.000"), ("received_on", "2026-01-05"), ("reference", "line")])
                .await;
        assert_eq!(unclear.status, 400, "{}", unclear.text);
        let booked =
            send("payment", &[("amount", "199"), ("received_on", "2026-01-05"), ("reference", "line")]).await;
        assert_eq!(booked.status, 303, "{}", booked.text);
        world.cart_becomes(&cart, "fulfilled").await;
        let shown = console::get(world, &fay, &page).await;
        assert!(shown.text.contains("$199.00 arrived at the bank."), "{}", shown.text);
        let preview = console::get(world, &fay, &format!("{page}refund/?reason=x")).await;
        assert!(preview.text.contains("Your organisation pays the money at its bank"), "{}", preview.text);
        let asked = refund(world, &own, &cart, &json!({})).await;
        let waiting = console::get(world, &fay, "/console/northwind/").await;
        assert!(waiting.text.contains("Pay the refund at your bank"), "{}", waiting.text);
        let refund_id = asked.json["refund_id"].as_str().unwrap();
        assert_eq!(send("refund-arrived", &[("refund_id", refund_id)]).await.status, 303);
        assert_eq!(order(world, &own, &cart).await["refunds"][0]["status"], "succeeded");
        let waiting = console::get(world, &fay, "/console/northwind/").await;
        assert!(!waiting.text.contains("Pay the refund at your bank"), "{}", waiting.text);
    })
    .await;
}

#[tokio::test]
async fn too_much_and_too_late_are_for_a_person() {
    world(Setup::selling(), async |world| {
        let (cart, own) = ordered(world).await;
        let more = report(world, &own, &cart, 250, "too much").await;
        assert_eq!((more.status, &more.json["open_amount"]), (200, &json!(0)), "{}", more.text);
        world.cart_becomes(&cart, "fulfilled").await;
        assert_eq!(
            (ledger(world, &cart).await, alerts(world).await),
            (vec![("captured".to_owned(), 19_900)], 1)
        );
        let alert: String = sqlx::query_scalar("SELECT alert FROM transactions WHERE alert IS NOT NULL")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert!(alert.contains("51.00 USD more than its total"), "{alert}");

        // Three weeks after its due date, an order without any money has ended. A late transfer is honoured, and reported.
        let late = cart_id(&world.guest_checkout(SHOP, "late@example.com").await).to_owned();
        world.clock.advance(chrono::TimeDelta::days(22));
        world.cart_becomes(&late, "expired").await;
        let booked = report(world, &own, &late, PRICE, "late").await;
        assert_eq!(booked.status, 200, "{}", booked.text);
        world.cart_becomes(&late, "fulfilled").await;
        assert_eq!(alerts(world).await, 2);
    })
    .await;
}

#[tokio::test]
async fn a_refund_has_arrived_when_the_organisation_says_so() {
    world(Setup::selling(), async |world| {
        let (cart, own) = ordered(world).await;
        report(world, &own, &cart, PRICE, "all").await;
        world.cart_becomes(&cart, "fulfilled").await;
        let asked = refund(world, &own, &cart, &json!({})).await;
        assert_eq!((asked.status, &asked.json["status"]), (200, &json!("accepted")), "{}", asked.text);
        world.cart_becomes(&cart, "refunded").await;
        let id = asked.json["refund_id"].as_str().unwrap();
        let end = format!("/storeapi/payment/orders/{cart}/refunds/{id}/");
        let status = async || order(world, &own, &cart).await["refunds"][0]["status"].clone();
        assert_eq!(status().await, "accepted");
        for attempt in ["one", "one", "two"] {
            let ended = post(world, &own, &end, &json!({ "status": "succeeded" }), attempt).await;
            assert_eq!(ended.status, 200, "{}", ended.text);
        }
        assert_eq!(status().await, "succeeded");
        // It came back from the bank.
        let failed = post(world, &own, &end, &json!({ "status": "failed" }), "three").await;
        assert_eq!((failed.status, status().await), (200, json!("failed")), "{}", failed.text);
        let entries: Vec<i64> = ledger(world, &cart).await.into_iter().map(|entry| entry.1).collect();
        assert_eq!(entries, [19_900, -19_900, 19_900]);
        let unknown = format!("/storeapi/payment/orders/{cart}/refunds/{}/", Uuid::now_v7());
        let refused = post(world, &own, &unknown, &json!({ "status": "succeeded" }), "four").await;
        assert_eq!(refused.status, 400, "{}", refused.text);
    })
    .await;
}

#[tokio::test]
async fn bad_reports_and_foreign_ones_book_nothing() {
    world(Setup::selling(), async |world| {
        let (cart, own) = ordered(world).await;
        for (body, field) in [
            (json!({}), "amount"),
            (paid(0, "x"), "amount"),
            (paid(-1, "x"), "amount"),
            (paid(1.001, "x"), "amount"),
            (paid(1, " "), "reference"),
            (json!({ "amount": 1, "received_at": "2099-01-01T00:00:00Z", "reference": "x" }), "received_at"),
        ] {
            let refused = post(world, &own, &path(&cart), &body, &Uuid::now_v7().to_string()).await;
            assert_eq!(refused.status, 400, "{body} {}", refused.text);
            assert!(refused.text.contains(field), "{body} {}", refused.text);
        }
        let request = world.request(Method::POST, &path(&cart)).header("organisationapikey", &own);
        let without = Reply::read(request.json(&paid(1, "x"))).await;
        assert_eq!(without.status, 400, "{}", without.text);
        let foreign = key(world, "lindgren", &[Scope::Payments]).await;
        assert_eq!(report(world, &foreign, &cart, PRICE, "x").await.status, 404);
        let unscoped = key(world, "northwind", &[Scope::Orders]).await;
        assert_eq!(report(world, &unscoped, &cart, PRICE, "x").await.status, 403);
        // An order that a provider charges is reported by its provider alone.
        let lindgren = cart_id(&world.guest_checkout(&ORGANISATIONS[1], EMAIL).await).to_owned();
        let refused = report(world, &foreign, &lindgren, 240, "x").await;
        assert!(refused.status == 400 && refused.text.contains("mollie"), "{}", refused.text);
        assert_eq!(count(world, "SELECT count(*) FROM received_payments").await, 0);
        // No provider sends notifications for it.
        let notified = world.request(Method::POST, "/storeapi/payment/notifications/external/northwind/");
        assert_eq!(Reply::read(notified.json(&json!({}))).await.status, 404);
        // Finance staff report it at the same route; support does not.
        let support = staff(world, "northwind", "noor@example.com", &["support"]).await;
        assert_eq!(act(world, &support, &path(&cart), &paid(PRICE, "x")).await.status, 403);
        let finance = staff(world, "northwind", "fay@example.com", &["finance"]).await;
        let booked = act(world, &finance, &path(&cart), &paid(PRICE, "x")).await;
        assert_eq!(booked.status, 200, "{}", booked.text);
        world.cart_becomes(&cart, "fulfilled").await;
        let body = world.basket(SHOP).await;
        sqlx::query("UPDATE organisations SET bank_transfer = NULL").execute(&world.db).await.unwrap();
        let mut body = body;
        body["email"] = json!("new@example.com");
        let unready = world.post(GUEST_CHECKOUT, &body).await;
        unready.assert_problem(500, "not_configured");
    })
    .await;
}

#[tokio::test]
async fn the_payment_page_shows_the_account_and_what_is_left() {
    world(Setup::selling(), async |world| {
        sells_itself(world).await;
        let own = key(world, "northwind", &[Scope::Payments]).await;
        let user = learner(world, EMAIL).await;
        let answer = world.learner_checkout(SHOP, &user).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let cart = cart_id(&answer);
        report(world, &own, cart, 100, "a part").await;
        let page = format!("/storeapi/payment/pay/{cart}/");
        let page = send(world, &user, "northwind", Method::GET, &page, None).await;
        assert_eq!(page.status, 200, "{}", page.text);
        for text in ["IBAN GB33BUKB20201555555555", "100.00", "99.00", "RF"] {
            assert!(page.text.contains(text), "{text}: {}", page.text);
        }
    })
    .await;
}

#[tokio::test]
async fn a_transfer_is_no_longer_waited_for_within_an_hour_of_its_last_day() {
    world(Setup::selling(), async |world| {
        let (cart, _) = ordered(world).await;
        world.clock.advance(chrono::TimeDelta::days(20));
        world
            .eventually("it is checked", async |world| {
                let due: i64 =
                    sqlx::query_scalar("SELECT count(*) FROM transactions WHERE next_check_at <= $1")
                        .bind(world.clock.now())
                        .fetch_one(&world.db)
                        .await
                        .unwrap();
                due == 0
            })
            .await;
        let over: chrono::DateTime<chrono::Utc> =
            sqlx::query_scalar("SELECT (due_on + 8)::timestamp AT TIME ZONE 'UTC' FROM transactions")
                .fetch_one(&world.db)
                .await
                .unwrap();
        let last = over - chrono::TimeDelta::minutes(5);
        world.clock.advance(last - world.clock.now());
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        assert_eq!(count(world, "SELECT count(*) FROM carts WHERE state = 'expired'").await, 0);
        world.clock.advance(chrono::TimeDelta::minutes(66));
        world.cart_becomes(&cart, "expired").await;
    })
    .await;
}

#[tokio::test]
async fn who_pays_by_transfer_is_mailed_the_account_once_and_the_order_shows_it_until_the_money_is_there() {
    world(Setup::selling(), async |world| {
        let (cart, own) = ordered(world).await;
        let reference = world.guest_checkout(SHOP, EMAIL).await.json["payment_reference"].clone();
        let reference = reference.as_str().unwrap();
        world.drain().await;
        let mails = async |world: &World| {
            let mails = world.emails(EMAIL).await;
            let asks = |mail: &&Value| mail["subject"].as_str().unwrap().contains("How to pay");
            mails.iter().filter(asks).map(|mail| mail["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        world.eventually("the mail", async |world| mails(world).await.len() == 1).await;
        let told = mails(world).await.remove(0);
        for words in ["Northwind Institute", "IBAN GB33BUKB20201555555555", reference, "$199.00", "by ", &cart] {
            assert!(told.contains(words), "{words}: {told}");
        }
        let status = world.status(&cart).await;
        let due = order(world, &own, &cart).await["transfer"].clone();
        let expected = json!({ "payment_reference": reference, "bank_lines": ["Northwind Institute", "IBAN GB33BUKB20201555555555"],
            "due_on": due["due_on"], "open_amount": 199 });
        assert_eq!(status["transfer"], expected);
        assert_eq!(due["bank_lines"], expected["bank_lines"]);
        // The page of the order, which the guest opens by its link.
        let (secrets, until) = (&world.api_config.links.link_secret, world.clock.now() + chrono::TimeDelta::minutes(5));
        let token = shared::link::sign(secrets, shared::link::Purpose::Payment, cart.parse::<Uuid>().unwrap(), until);
        let page = async |world: &World| {
            let path = world.url(&format!("/storeapi/payment/status/{cart}/?token={token}"));
            let page = Reply::read(world.http.get(path).header("accept", "text/html")).await;
            assert_eq!(page.status, 200, "{}", page.text);
            page.text
        };
        let shown = page(world).await;
        for words in ["IBAN GB33BUKB20201555555555", "RF", "199.00", "waiting for your transfer"] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
        assert!(!shown.contains("do not pay again") && !shown.contains("http-equiv"), "{shown}");
        report(world, &own, &cart, 100, "a part").await;
        assert_eq!(world.status(&cart).await["transfer"]["open_amount"], 99);
        assert!(page(world).await.contains("99.00"));
        report(world, &own, &cart, 99, "the rest").await;
        world.cart_becomes(&cart, "fulfilled").await;
        assert_eq!(world.status(&cart).await.get("transfer"), None);
        assert!(!page(world).await.contains("IBAN"));
        world.drain().await;
        assert_eq!(mails(world).await.len(), 1, "once");
    })
    .await;
}
