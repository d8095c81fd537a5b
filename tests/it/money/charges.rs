//! Buyers who were charged another amount than the lines of their order cost: less for an offer of Razorpay or Curlec, or what an
//! operator has confirmed. Refunds, receipts, documents, orders and events go by what was charged.

use harness::steps::notifications::{deliver, success};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payment_commands::payments_calling;
use harness::steps::payments::{EMAIL, cart_id, reference};
use harness::steps::refunds::{ledger, order, other_course, refund};
use harness::steps::seats::{assigned, basket, counts, pool};
use harness::steps::tax::{cents, import, rate, seller};
use harness::steps::vouchers::voucher;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Setup, World, at_each_gateway, world};
use rust_decimal::Decimal;
use serde_json::{Value, json};
use shared::organisation_key::Scope;
use texts::{Language, Texts};

use crate::invoices::content;

const SCOPES: [Scope; 6] =
    [Scope::Refunds, Scope::Orders, Scope::Events, Scope::Reports, Scope::Seats, Scope::Vouchers];

/// A guest's basket of two courses of the organisation.
async fn two_courses(world: &World, shop: &Organisation) -> Value {
    let other = other_course(world, shop).await;
    let mut body = world.basket(shop).await;
    body["email"] = json!(EMAIL);
    body["items"].as_array_mut().unwrap().push(json!({ "type": "course", "id": other, "mode": "verified" }));
    body
}

/// Buys a basket with an offer of the provider that takes half of its price off. Returns the cart, the prices with tax of its
/// lines, and what was charged, all in subunits.
async fn bought_for_half(world: &World, body: &Value) -> (String, Vec<i64>, i64) {
    let begun = world.post(GUEST_CHECKOUT, body).await;
    let cart = cart_id(&begun).to_owned();
    let (lines, total) = prices(&begun.json);
    let offer = total / 2;
    world.at_provider("pay", reference(&world.payment(&cart).await), json!({ "fee": -offer })).await;
    world.cart_becomes(&cart, "fulfilled").await;
    (cart, lines, total - offer)
}

/// The prices with tax of the lines of a checkout, and their sum.
fn prices(begun: &Value) -> (Vec<i64>, i64) {
    let (items, total) = (begun["items_detail"].as_array().unwrap(), cents(&begun["total_price"]));
    let without_tax: i64 = items.iter().map(|line| cents(&line["price"])).sum();
    let on_top = |line: &Value| if total == without_tax { 0 } else { cents(&line["tax"]) };
    let lines: Vec<i64> = items.iter().map(|line| cents(&line["price"]) + on_top(line)).collect();
    assert_eq!(lines.iter().sum::<i64>(), total, "{begun}");
    (lines, total)
}

/// The parked event about a payment, as operators name it.
async fn parked(world: &World, reference: &str) -> String {
    let find = "SELECT 'event-' || id FROM inbox WHERE parked_reason IS NOT NULL AND reference = $1";
    let found = async |world: &World| -> Option<String> {
        sqlx::query_scalar(find).bind(reference).fetch_optional(&world.db).await.unwrap()
    };
    world.eventually("the event is parked", async |world| found(world).await.is_some()).await;
    found(world).await.unwrap()
}

fn states(order: &Value) -> Vec<&str> {
    let items = order["items"].as_array().unwrap().iter();
    items.map(|item| item["enrollment_state"].as_str().unwrap()).collect()
}

/// The share of one of two lines, half-up: where both have the same remainder, the first gets the odd unit.
fn share(charged: i64, lines: &[i64]) -> i64 {
    let total: i64 = lines.iter().sum();
    (2 * charged * lines[0] + total) / (2 * total)
}

#[tokio::test]
async fn a_line_gives_back_its_share_of_what_was_charged_and_the_others_stay() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        for shop in ORGANISATIONS.iter().filter(|shop| !shop.can_cancel) {
            let key = key(world, shop.short_name, &SCOPES).await;
            let body = two_courses(world, shop).await;
            let (cart, lines, charged) = bought_for_half(world, &body).await;
            let own = share(charged, &lines);
            let refunded = refund(world, &key, &cart, &json!({ "items": [0] })).await;
            assert_eq!(
                (refunded.status, cents(&refunded.json["amount"]), cents(&refunded.json["remaining"])),
                (200, own, charged - own),
                "{}",
                refunded.text
            );
            let placed = order(world, &key, &cart).await;
            assert_eq!(
                (&placed["status"], states(&placed)),
                (&json!("fulfilled"), vec!["removed", "enrolled"])
            );
            // The line has nothing left.
            let again = refund(world, &key, &cart, &json!({ "items": [0] })).await;
            assert_eq!(again.assert_problem(400, "invalid_request").faulty_fields(), ["cart_id"]);
            let rest = refund(world, &key, &cart, &json!({})).await;
            assert_eq!(cents(&rest.json["amount"]), charged - own, "{}", rest.text);
            world.cart_becomes(&cart, "refunded").await;
            assert_eq!(ledger(world, &cart).await.iter().map(|(_, minor)| minor).sum::<i64>(), 0);
            assert_eq!(world.payment(&cart).await["status"], "refunded");
        }
    })
    .await;
}

#[tokio::test]
async fn unused_seats_give_back_their_share_of_what_was_charged() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[2];
        let key = key(world, shop.short_name, &SCOPES).await;
        let (cart, _, charged) = bought_for_half(world, &basket(world, shop, EMAIL, 4).await).await;
        let pool = pool(world, &key).await;
        world.platform_user("one@example.com").await;
        assigned(world, &key, &pool, &["one@example.com", "two@example.com"]).await;
        let refunded = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        assert_eq!(cents(&refunded.json["amount"]), charged / 2, "{}", refunded.text);
        assert_eq!(world.status(&cart).await["status"], "fulfilled");
        assert_eq!(counts(world, &key).await, (2, 2, 0));
        world.platform_agrees("one@example.com", shop.key, shop.mode, true).await;
    })
    .await;
}

/// The events of an order with the total that each tells.
async fn totals_told(world: &World, cart: &str) -> Vec<(String, Value)> {
    sqlx::query_as(
        "SELECT type, data -> 'total_price' FROM events WHERE data ->> 'cart_id' = $1 AND type LIKE 'order.%'
         ORDER BY at, type DESC",
    )
    .bind(cart)
    .fetch_all(&world.db)
    .await
    .unwrap()
}

#[tokio::test]
async fn receipt_invoice_order_report_and_events_say_what_was_charged() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        for (shop, is_included) in [(&ORGANISATIONS[2], false), (&ORGANISATIONS[3], true)] {
            let terms = json!({ "prices_include_tax": is_included });
            import(world, &[seller(shop, "IN", terms), rate(shop, "IN", &[("GST", 18.0)])]).await.unwrap();
            let key = key(world, shop.short_name, &SCOPES).await;
            let mut body = two_courses(world, shop).await;
            body["billing_address"] = json!({ "country": "IN" });
            let (cart, lines, charged) = bought_for_half(world, &body).await;
            world.drain().await;
            let own = share(charged, &lines);
            let placed = order(world, &key, &cart).await;
            let invoice = content(world, &key, &placed["documents"][0]).await;
            let tax = cents(&invoice["tax"]);
            let said: Vec<i64> =
                invoice["lines"].as_array().unwrap().iter().map(|line| cents(&line["total"])).collect();
            assert_eq!((cents(&invoice["total"]), said), (charged, vec![own, charged - own]));
            assert_eq!((cents(&placed["total_price"]), cents(&placed["tax"])), (charged, tax), "{placed}");
            assert_eq!(cents(&world.status(&cart).await["total_price"]), charged);

            let texts = Texts::bundled().unwrap();
            let mails = world.emails(EMAIL).await;
            let receipt = mails.iter().find(|mail| mail["text"].as_str().unwrap().contains(&cart)).unwrap();
            let receipt = receipt["text"].as_str().unwrap();
            let major = |minor: i64| {
                texts.localizer(&Language::english(), &[]).money(Decimal::new(minor, 2), shop.currency)
            };
            let on_top = |line: &Value| if is_included { 0 } else { cents(&line["tax"]) };
            for line in invoice["lines"].as_array().unwrap() {
                let price = format!(": {}", major(cents(&line["total"]) - on_top(line)));
                assert!(receipt.contains(&price), "{price} {receipt}");
            }
            assert!(receipt.contains(&format!("Total: {}", major(charged))), "{receipt}");
            assert!(receipt.contains(&major(tax)), "{receipt}");

            let events = totals_told(world, &cart).await;
            let total = |kind: &str| events.iter().find(|(of, _)| of == kind).unwrap().1.as_i64().unwrap();
            assert_eq!(total("order.pending"), lines.iter().sum::<i64>());
            assert_eq!((total("order.paid"), total("order.fulfilled")), (charged, charged));

            let today = world.clock.now().format("%Y-%m-%d");
            let report = format!("/storeapi/reports/ledger/?format=json&from={today}&to={today}");
            let row = get(world, &report, &key).await.json[0].clone();
            let without_tax = if is_included { charged } else { charged - tax };
            assert_eq!(cents(&row["list_price"]) - cents(&row["discounts"]), without_tax, "{row}");

            // The credit note takes from the line that was refunded, and from no other.
            refund(world, &key, &cart, &json!({ "items": [0] })).await;
            world.drain().await;
            let note = content(world, &key, &order(world, &key, &cart).await["documents"][1]).await;
            assert_eq!(note["lines"].as_array().unwrap().len(), 1, "{note}");
            assert_eq!(note["lines"][0]["total"], invoice["lines"][0]["total"], "{note}");
            assert_eq!(note["tax"], invoice["lines"][0]["tax"], "{note}");
            let kept = "SELECT sum(tax)::bigint FROM ledger WHERE cart_id = $1::uuid";
            let kept: i64 = sqlx::query_scalar(kept).bind(&cart).fetch_one(&world.db).await.unwrap();
            assert_eq!(kept, tax - cents(&note["tax"]));
        }
    })
    .await;
}

#[tokio::test]
async fn a_charge_above_the_prices_can_be_refunded_by_lines_to_the_last_cent() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        world.platform_user(EMAIL).await;
        at_each_gateway(async |shop| {
            let key = key(world, shop.short_name, &SCOPES).await;
            voucher(world, &key, json!({ "code": "HALF", "kind": "percent", "value": 50 })).await;
            let mut body = two_courses(world, shop).await;
            body["voucher"] = json!("HALF");
            let begun = world.post(GUEST_CHECKOUT, &body).await;
            let (cart, (lines, total)) = (cart_id(&begun).to_owned(), prices(&begun.json));
            let payment = world.payment(&cart).await;
            let ours = payment["our_reference"].as_str().unwrap();
            // The provider has charged more than was asked for, and an operator confirms it.
            world.at_provider("pay", reference(&payment), json!({ "notify": false })).await;
            let event = success(shop, reference(&payment), ours, total + 1_001, shop.currency);
            deliver(world, shop.gateway, shop.short_name, &event).await;
            let event = parked(world, reference(&payment)).await;
            let words = ["apply", &event, "--yes", "--reason", "a fee of the bank", "--by", "Mira"];
            let (done, said) = payments_calling(world, &words).await;
            assert!(done, "{said}");
            world.cart_becomes(&cart, "fulfilled").await;
            let placed = order(world, &key, &cart).await;
            assert_eq!(cents(&placed["total_price"]), total + 1_001, "{placed}");
            let own = share(total + 1_001, &lines);
            assert!(own > lines[0], "{own} of {lines:?}");
            let first = refund(world, &key, &cart, &json!({ "items": [0] })).await;
            let rest = total + 1_001 - own;
            assert_eq!(
                (cents(&first.json["amount"]), cents(&first.json["remaining"])),
                (own, rest),
                "{}",
                first.text
            );
            // All that is left is of the other line. The simulated provider has it not.
            let amount = |minor: i64| json!({ "items": [1], "amount": minor as f64 / 100.0 });
            let too_much = refund(world, &key, &cart, &amount(rest + 1)).await;
            assert_eq!(too_much.assert_problem(400, "invalid_request").faulty_fields(), ["amount"]);
            refund(world, &key, &cart, &amount(rest)).await.assert_problem(502, "gateway_error");
        })
        .await;
    })
    .await;
}
