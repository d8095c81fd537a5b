//! Orders on account: a company gets its invoice at once, and pays it later.

use chrono::TimeDelta;
use harness::steps::console::{self, with_console};
use harness::steps::invoices::SHOP;
use harness::steps::learner_cart::learner;
use harness::steps::learner_checkout::checkout;
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, cart_id, count};
use harness::steps::refunds::{ledger, order, refund};
use harness::steps::seats;
use harness::steps::staff::staff;
use harness::steps::tax::{cents, import, rate, seller};
use harness::steps::vouchers::keyed;
use harness::{GUEST_CHECKOUT, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::messages::{FulfilCart, Message};
use shared::organisation_key::Scope;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::invoices::{content, download, numbers, text};

const SCOPES: [Scope; 5] = [Scope::Payments, Scope::Orders, Scope::Refunds, Scope::Seats, Scope::Events];

/// The shop sells on account by these terms, next to its gateway.
pub async fn sells_on_account(world: &World, terms: Value) {
    world.sell().await;
    import(world, &[seller(SHOP, "DE", json!({})), rate(SHOP, "DE", &[("USt", 19.0)])]).await.unwrap();
    let account =
        json!({ "lines": ["Northwind Institute", "IBAN GB33BUKB20201555555555"], "on_account": terms });
    sqlx::query("UPDATE organisations SET bank_transfer = $1 WHERE short_name = $2")
        .bind(account)
        .bind(SHOP.short_name)
        .execute(&world.db)
        .await
        .unwrap();
}

/// A company's basket that is to be paid by invoice.
async fn basket(world: &World, email: &str) -> Value {
    let mut body = world.basket(SHOP).await;
    body["email"] = json!(email);
    body["pay_by"] = json!("invoice");
    body["billing_address"] = json!({ "company": "Engines GmbH", "line1": "Hauptstraße 7", "city": "Berlin", "country": "DE", "tax_id": "DE 123456789" });
    body
}

pub async fn ordered(world: &World, email: &str) -> String {
    let answer = world.post(GUEST_CHECKOUT, &basket(world, email).await).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    cart_id(&answer).to_owned()
}

pub async fn report(world: &World, key: &str, cart: &str, amount: f64, reference: &str) -> Reply {
    let path = format!("/storeapi/payment/orders/{cart}/payments/");
    let body = json!({ "amount": amount, "received_at": "2026-01-05T09:00:00Z", "reference": reference });
    let request = world.request(Method::POST, &path).header("organisationapikey", key);
    Reply::read(request.header("Idempotency-Key", Uuid::now_v7().to_string()).json(&body)).await
}

pub async fn cancel(world: &World, key: &str, cart: &str) -> Reply {
    let path = format!("/storeapi/payment/orders/{cart}/payments/cancel/");
    Reply::read(world.request(Method::POST, &path).header("organisationapikey", key)).await
}

async fn documented(world: &World, key: &str, cart: &str, documents: usize) -> Value {
    world
        .eventually("the documents are issued", async |world| {
            order(world, key, cart).await["documents"].as_array().unwrap().len() == documents
        })
        .await;
    order(world, key, cart).await
}

/// The one mail to the buyer whose subject begins with this.
async fn mailed(world: &World, subject: &str) -> String {
    let is_it = |mail: &&Value| mail["subject"].as_str().unwrap().starts_with(subject);
    world
        .eventually("the mail is sent", async |world| {
            world.emails(EMAIL).await.iter().any(|mail| is_it(&mail))
        })
        .await;
    let mails = world.emails(EMAIL).await;
    let found: Vec<String> = mails.iter().filter(is_it).map(Value::to_string).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

/// The types of the events of an order, as they happened.
async fn told(world: &World, cart: &str) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT type FROM events WHERE data ->> 'cart_id' = $1 AND type LIKE 'order.%' ORDER BY at, type DESC",
    )
    .bind(cart)
    .fetch_all(&world.db)
    .await
    .unwrap()
}

/// The invoice of an order has its due date, reference and account: in its content, as a PDF and as an e-invoice.
async fn invoice_says_how_to_pay(world: &World, own: &str, order: &Value, checkout: &Value) {
    let due = checkout["due_on"].as_str().unwrap();
    let said = content(world, own, &order["documents"][0]).await;
    assert_eq!(
        (&said["payment"]["due_on"], &said["payment"]["reference"], cents(&said["total"])),
        (&checkout["due_on"], &checkout["payment_reference"], 19_900)
    );
    let url = order["documents"][0]["url"].as_str().unwrap();
    let (_, pdf) = download(world, url).await;
    let reference = checkout["payment_reference"].as_str().unwrap();
    for words in ["Due date", reference, "IBAN GB33BUKB20201555555555"] {
        assert!(text(&pdf).contains(words), "{words} is missing: {}", text(&pdf));
    }
    let path =
        format!("/storeapi/payment/documents/{}/", order["documents"][0]["document_id"].as_str().unwrap());
    let request = world.http.get(world.url(&path)).header("organisationapikey", own);
    let e_invoice = Reply::read(request.header("accept", "application/xml")).await.text;
    for part in
        [format!("<cbc:DueDate>{due}</cbc:DueDate>"), format!("<cbc:PaymentID>{reference}</cbc:PaymentID>")]
    {
        assert!(e_invoice.contains(&part), "{part} is missing: {e_invoice}");
    }
}

#[tokio::test]
async fn a_company_has_access_and_its_invoice_before_it_pays() {
    world(Setup::selling(), async |world| {
        sells_on_account(world, json!({ "grant": "now", "due_days": 20 })).await;
        let own = key(world, SHOP.short_name, &SCOPES).await;
        world.platform_user(EMAIL).await;
        let body = basket(world, EMAIL).await;
        let answer = world.post(GUEST_CHECKOUT, &body).await;
        let due = (world.clock.now() + TimeDelta::days(20)).format("%Y-%m-%d").to_string();
        assert_eq!(
            (answer.status, &answer.json["gateway"], &answer.json["due_on"]),
            (200, &json!("external"), &json!(due)),
            "{}",
            answer.text
        );
        let cart = cart_id(&answer).to_owned();
        world.cart_becomes(&cart, "fulfilled").await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
        assert_eq!(ledger(world, &cart).await, [], "nothing is paid");

        let standing = documented(world, &own, &cart, 1).await;
        assert_eq!(
            (&standing["status"], &standing["paid_at"], cents(&standing["transfer"]["open_amount"])),
            (&json!("fulfilled"), &Value::Null, 19_900)
        );
        assert_eq!(
            (&standing["transfer"]["on_account"], &standing["transfer"]["overdue"]),
            (&json!(true), &json!(false))
        );
        invoice_says_how_to_pay(world, &own, &standing, &answer.json).await;
        let reference = answer.json["payment_reference"].as_str().unwrap();
        let mail = mailed(world, "Your invoice from").await;
        for words in [reference, "IBAN GB33BUKB20201555555555", "is attached"] {
            assert!(mail.contains(words), "{words} is missing: {mail}");
        }

        // A part waits, the rest pays the order: one receipt, and no second invoice.
        assert_eq!(report(world, &own, &cart, 99.0, "one").await.json["open_amount"], 100);
        assert_eq!(cancel(world, &own, &cart).await.status, 400, "a part has arrived");
        assert_eq!(report(world, &own, &cart, 100.0, "two").await.json["open_amount"], 0);
        assert_eq!(ledger(world, &cart).await, [("captured".to_owned(), 19_900)]);
        mailed(world, "Your receipt from").await;
        let paid = documented(world, &own, &cart, 1).await;
        assert_eq!((&paid["status"], paid["paid_at"].is_string()), (&json!("fulfilled"), true));
        assert_eq!(told(world, &cart).await, ["order.pending", "order.fulfilled", "order.paid"]);
        // It is refunded as any other.
        let back = refund(world, &own, &cart, &json!({})).await;
        assert_eq!(back.status, 200, "{}", back.text);
        assert_eq!(numbers(&documented(world, &own, &cart, 2).await)[1].1, "credit_note");
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
    })
    .await;
}

#[tokio::test]
async fn access_waits_for_the_payment_where_the_organisation_says_so() {
    world(Setup::selling(), async |world| {
        let companies = json!([{ "tax_id": "de-123.456.789", "grant": "paid", "due_days": 5 }]);
        sells_on_account(world, json!({ "companies": companies })).await;
        let own = key(world, SHOP.short_name, &SCOPES).await;
        let user = learner(world, EMAIL).await;
        let mut body = basket(world, EMAIL).await;
        body.as_object_mut().unwrap().remove("email");
        let check_out = async |body: &Value| {
            let answer = checkout(world, &user, body, &[]).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            answer
        };
        let answer = check_out(&body).await;
        let cart = cart_id(&answer).to_owned();
        let waiting = documented(world, &own, &cart, 1).await;
        assert_eq!(waiting["status"], "pending_payment");
        assert_eq!(check_out(&body).await.json["cart_id"], cart, "the same order");
        let said = content(world, &own, &waiting["documents"][0]).await;
        assert_eq!(said["supplied_on"], Value::Null, "nothing is supplied yet");
        // Another basket is another order: the invoice stands.
        body.as_object_mut().unwrap().remove("pay_by");
        assert_ne!(check_out(&body).await.json["cart_id"], cart);
        // Long after it was due, too.
        world.clock.advance(TimeDelta::days(13));
        world
            .eventually("the invoice is overdue", async |world| {
                order(world, &own, &cart).await["transfer"]["overdue"] == true
            })
            .await;
        assert_eq!(order(world, &own, &cart).await["status"], "pending_payment");
        report(world, &own, &cart, 199.0, "late").await;
        world.cart_becomes(&cart, "fulfilled").await;
        assert_eq!(documented(world, &own, &cart, 1).await["transfer"]["overdue"], false);
        assert_eq!(
            told(world, &cart).await,
            ["order.pending", "order.overdue", "order.paid", "order.fulfilled"]
        );
        let overdue: Value = sqlx::query_scalar("SELECT data FROM events WHERE type = 'order.overdue'")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert_eq!(
            (&overdue["open_amount"], &overdue["due_on"]),
            (&json!(19_900), &waiting["transfer"]["due_on"])
        );
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_order_has_a_credit_note_and_no_access() {
    world(Setup::selling(), async |world| {
        sells_on_account(world, json!({ "grant": "now" })).await;
        let own = key(world, SHOP.short_name, &SCOPES).await;
        world.platform_user(EMAIL).await;
        let cart = ordered(world, EMAIL).await;
        world.cart_becomes(&cart, "fulfilled").await;
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, true).await;
        documented(world, &own, &cart, 1).await;
        for _ in 0..2 {
            assert_eq!(cancel(world, &own, &cart).await.status, 200);
        }
        let ended = documented(world, &own, &cart, 2).await;
        assert_eq!(ended["status"], "cancelled");
        let note = content(world, &own, &ended["documents"][1]).await;
        assert_eq!(
            (&note["kind"], &note["refers_to"], cents(&note["total"]), &note["payment"]),
            (&json!("credit_note"), &ended["documents"][0]["number"], 19_900, &Value::Null)
        );
        world.platform_agrees(EMAIL, SHOP.key, SHOP.mode, false).await;
        assert_eq!(told(world, &cart).await, ["order.pending", "order.fulfilled", "order.closed"]);
        assert_eq!(cents(&ended["transfer"]["open_amount"]), 0);
        mailed(world, "Your invoice from Northwind Institute was cancelled").await;
        // Money that comes after all is paid back, and opens nothing, also after the last check of the payment.
        report(world, &own, &cart, 199.0, "late").await;
        assert_eq!(count(world, "SELECT count(*) FROM transactions WHERE alert IS NOT NULL").await, 1);
        world.clock.advance(TimeDelta::days(2));
        let unchecked = "SELECT count(*) FROM transactions WHERE next_check_at IS NOT NULL";
        world.eventually("the last check", async |world| count(world, unchecked).await == 0).await;
        world.drain().await;
        assert_eq!(order(world, &own, &cart).await["status"], "cancelled");
        assert_eq!(ledger(world, &cart).await, []);
    })
    .await;
}

#[tokio::test]
async fn a_corrected_invoice_says_what_is_still_to_be_paid() {
    world(Setup::selling(), async |world| {
        sells_on_account(world, json!({ "grant": "now" })).await;
        let own = key(world, SHOP.short_name, &SCOPES).await;
        let body = basket(world, EMAIL).await;
        let cart = cart_id(&world.post(GUEST_CHECKOUT, &body).await).to_owned();
        documented(world, &own, &cart, 1).await;
        let correct = async |name: &str| {
            let mut address = body["billing_address"].clone();
            address["company"] = json!(name);
            let path = format!("/storeapi/payment/orders/{cart}/invoice/");
            keyed(world, Method::POST, &path, &own, &json!({ "billing_address": address })).await
        };
        let unpaid = async |order: &Value, nth: usize| {
            let said = content(world, &own, &order["documents"][nth]).await;
            (said["unpaid"] == true, said["payment"].is_object())
        };
        let reports = key(world, SHOP.short_name, &[Scope::Reports]).await;
        let [from, to] = [-1, 1].map(|days| (world.clock.now() + TimeDelta::days(days)).format("%Y-%m-%d"));
        let ledger = format!("/storeapi/reports/ledger/?format=json&from={from}&to={to}");
        // The number of the newest invoice, which stands.
        let stands = |order: &Value| {
            let documents = order["documents"].as_array().unwrap();
            documents.iter().rfind(|one| one["kind"] == "invoice").unwrap()["number"].clone()
        };
        let renamed = correct("Engines AG").await;
        assert_eq!(renamed.status, 200, "{}", renamed.text);
        // The new invoice, and the credit note for the unpaid one.
        assert_eq!(
            (unpaid(&renamed.json, 1).await, unpaid(&renamed.json, 2).await),
            ((true, true), (true, false))
        );
        report(world, &own, &cart, 99.0, "one").await;
        let partly = correct("Engines SE").await;
        assert!(partly.status == 400 && partly.text.contains("partially paid"), "{}", partly.text);
        report(world, &own, &cart, 100.0, "two").await;
        let booked = async || get(world, &ledger, &reports).await.json[0]["document_number"].clone();
        assert_eq!(booked().await, stands(&renamed.json));
        let paid = correct("Engines SE").await.json;
        assert_eq!(booked().await, stands(&paid));
        assert_eq!((unpaid(&paid, 3).await, unpaid(&paid, 4).await), ((false, false), (false, false)));
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_order_revokes_its_seats_also_those_that_others_have() {
    world(Setup::selling(), async |world| {
        sells_on_account(world, json!({ "grant": "now" })).await;
        let own = key(world, SHOP.short_name, &SCOPES).await;
        let mut body = seats::basket(world, SHOP, "other@example.com", 3).await;
        let invoiced = basket(world, "other@example.com").await;
        for field in ["pay_by", "billing_address"] {
            body[field] = invoiced[field].clone();
        }
        let seats = cart_id(&world.post(GUEST_CHECKOUT, &body).await).to_owned();
        world.cart_becomes(&seats, "fulfilled").await;
        assert_eq!(
            cart_id(&world.post(GUEST_CHECKOUT, &body).await),
            seats,
            "a repetition is the same order, though its courses are open"
        );
        let pool = seats::pool(world, &own).await;
        world.platform_user("one@example.com").await;
        seats::assigned(world, &own, &pool, &["one@example.com", "two@example.com"]).await;
        world.platform_agrees("one@example.com", SHOP.key, SHOP.mode, true).await;
        assert_eq!(cancel(world, &own, &seats).await.status, 200);
        assert_eq!(seats::counts(world, &own).await.2, 0, "none is left");
        world.platform_agrees("one@example.com", SHOP.key, SHOP.mode, false).await;
        documented(world, &own, &seats, 2).await;
    })
    .await;
}

#[tokio::test]
async fn only_companies_that_the_organisation_names_or_allows_buy_on_account() {
    world(Setup::selling(), async |world| {
        sells_on_account(world, json!({ "companies": [{ "tax_id": "DE123456789", "grant": "now" }] })).await;
        let body = basket(world, EMAIL).await;
        let offered = async |tax_id: Value| {
            let mut quote = body.clone();
            quote.as_object_mut().unwrap().retain(|field, _| field != "email");
            quote["billing_address"]["tax_id"] = tax_id;
            world.post("/storeapi/discovery/quote/", &quote).await.json["pay_by"].clone()
        };
        assert_eq!(offered(json!("de123456789")).await, json!(["invoice"]));
        assert_eq!((offered(json!("DE1")).await, offered(Value::Null).await), (Value::Null, Value::Null));
        let refused = async |change: &dyn Fn(&mut Value), field: &str| {
            let mut body = body.clone();
            change(&mut body);
            let answer = world.post(GUEST_CHECKOUT, &body).await;
            answer.assert_problem(400, "invalid_request");
            assert_eq!(answer.json["errors"][0]["field"], field, "{}", answer.text);
        };
        refused(&|body| body["pay_by"] = json!("cash"), "pay_by").await;
        refused(&|body| body["billing_address"]["company"] = json!(" "), "billing_address.company").await;
        refused(&|body| body["billing_address"] = Value::Null, "billing_address.company").await;
        refused(&|body| body["billing_address"]["tax_id"] = json!("DE1"), "pay_by").await;
        refused(&|body| body["billing_address"]["tax_id"] = Value::Null, "pay_by").await;
        sqlx::query("UPDATE organisations SET bank_transfer = bank_transfer - 'on_account'")
            .execute(&world.db)
            .await
            .unwrap();
        refused(&|_| {}, "pay_by").await;
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 0, "nothing is written");
    })
    .await;
}

#[tokio::test]
async fn finance_staff_see_an_invoice_as_overdue_and_cancel_it() {
    world(with_console(), async |world| {
        sells_on_account(world, json!({ "grant": "now", "due_days": 0 })).await;
        let own = key(world, SHOP.short_name, &SCOPES).await;
        world.platform_user(EMAIL).await;
        let cart = ordered(world, EMAIL).await;
        world.cart_becomes(&cart, "fulfilled").await;
        documented(world, &own, &cart, 1).await;
        world.clock.advance(TimeDelta::days(2));
        world
            .eventually("the invoice is overdue", async |world| {
                told(world, &cart).await.contains(&"order.overdue".into())
            })
            .await;
        let fay = staff(world, SHOP.short_name, "fay@example.com", &["finance"]).await;
        let path = format!("/console/northwind/orders/{cart}/");
        let page = console::get(world, &fay, &path).await.text;
        for words in ["Overdue", "Cancel this order"] {
            assert!(page.contains(words), "{words} is missing: {page}");
        }
        let once = Uuid::now_v7().to_string();
        let form = format!("{path}payment-cancelled/");
        let done = console::post(world, &fay, &form, console::OWN, &[("key", once.as_str())]).await;
        assert_eq!(done.status, 303, "{}", done.text);
        documented(world, &own, &cart, 2).await;
        let page = console::get(world, &fay, &path).await.text;
        assert!(!page.contains("Cancel this order"), "{page}");
    })
    .await;
}

#[tokio::test]
async fn an_invoice_that_only_a_report_can_settle_is_not_checked_for_ever() {
    world(Setup::selling(), async |world| {
        sells_on_account(world, json!({ "grant": "now" })).await;
        ordered(world, EMAIL).await;
        for days in [0, 1, 10] {
            world.clock.advance(TimeDelta::days(days) + TimeDelta::minutes(1));
            world
                .eventually("nothing is due", async |world| {
                    count(world, "SELECT count(*) FROM transactions WHERE next_check_at IS NOT NULL").await
                        == 0
                })
                .await;
        }
    })
    .await;
}

#[tokio::test]
async fn an_order_on_account_whose_message_was_lost_is_found_among_all_that_wait_for_their_payment() {
    let setup = Setup { worker_args: vec!["--reconcile-every=200ms".into()], ..Setup::selling() };
    world(setup, async |world| {
        sells_on_account(world, json!({ "grant": "now" })).await;
        world.platform_user(EMAIL).await;
        let losing = format!(
            "CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM outbox WHERE id = NEW.id; RETURN NULL; END $$;
             CREATE TRIGGER lose AFTER INSERT ON outbox FOR EACH ROW WHEN (NEW.type = '{}') EXECUTE FUNCTION lose()",
            FulfilCart::KIND
        );
        sqlx::raw_sql(AssertSqlSafe(losing)).execute(&world.db).await.unwrap();
        let cart = ordered(world, EMAIL).await;
        sqlx::raw_sql("DROP TRIGGER lose ON outbox").execute(&world.db).await.unwrap();
        let state = "SELECT count(*) FROM carts WHERE state = 'pending_payment' AND fulfil_requested_at IS NOT NULL";
        assert_eq!(count(world, state).await, 1);
        world.clock.advance(TimeDelta::minutes(6));
        world.cart_becomes(&cart, "fulfilled").await;
    })
    .await;
}
