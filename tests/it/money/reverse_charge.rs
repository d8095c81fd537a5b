//! Reverse charge: a company of another EU member state declares the tax itself if VIES confirms its VAT ID within the quote's time.

use std::time::{Duration, Instant};

use harness::steps::invoices::{SHOP, paid};
use harness::steps::learner_cart::{CART, CHECKOUT, items, learner, send};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::EMAIL;
use harness::steps::refunds::{order, refund};
use harness::steps::seats::{self, assigned, pool};
use harness::steps::tax::{cents, import, rate, seller};
use harness::steps::vouchers::keyed;
use harness::{GUEST_CHECKOUT, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

use crate::invoices::{content, download, numbers, text};
use crate::tax_report::REPORT;

const QUOTE: &str = "/storeapi/discovery/quote/";

/// The number that is valid in every member state: that of VIES's own test service.
const VALID: &str = "100";

/// Makes the shop a seller in Sweden with a VAT ID, whose prices contain the tax of the buyer's country, or do not. `terms` replaces
/// fields of the seller.
pub async fn sell_from_sweden(world: &World, terms: Value) {
    world.sell().await;
    let mut own = json!({ "tax_ids": [{ "name": "Org. nr", "value": "556677-8899" }, { "name": "VAT", "value": "SE 556677889901" }] });
    own.as_object_mut().unwrap().extend(terms.as_object().unwrap().clone());
    let rates = [("SE", 25.0), ("DE", 19.0), ("FR", 20.0), ("GR", 24.0), ("GB", 20.0)];
    let rates = rates.map(|(country, percent)| rate(SHOP, country, &[("VAT", percent)]));
    import(world, &[&[seller(SHOP, "SE", own)], &rates[..]].concat()).await.unwrap();
}

/// The address of a company with this VAT ID.
fn company(country: &str, vat_id: &str) -> Value {
    json!({ "company": "Engines GmbH", "name": "Ada", "country": country, "tax_id": vat_id })
}

async fn basket(world: &World, address: Value) -> Value {
    let mut body = world.basket(SHOP).await;
    body["email"] = json!(EMAIL);
    body["billing_address"] = address;
    body
}

/// Quotes the course for an address. Returns the verdict on reverse charge, and tax and total in cents.
async fn quoted(world: &World, address: Value) -> (Value, i64, i64) {
    let mut body = basket(world, address).await;
    body.as_object_mut().unwrap().remove("email");
    let quote = world.post(QUOTE, &body).await;
    assert_eq!(quote.status, 200, "{}", quote.text);
    let quote = quote.json;
    (quote["reverse_charge"].clone(), cents(&quote["tax"]), cents(&quote["total_price"]))
}

/// What VIES was asked so far.
async fn asked(world: &World) -> Vec<Value> {
    world.sim(Method::GET, "/_sim/vies", None).await.as_array().unwrap().clone()
}

/// The status of a verdict that charges the tax.
fn charged(status: &str) -> (Value, i64, i64) {
    (json!({ "status": status }), 3_177, 19_900)
}

#[tokio::test]
async fn a_company_of_another_member_state_pays_the_net_price_and_its_invoice_says_why() {
    world(Setup::selling(), async |world| {
        sell_from_sweden(world, json!({})).await;
        let address = company("DE", &format!("de {VALID}"));
        // 199.00 contains 31.77 of German tax.
        let (verdict, tax, total) = quoted(world, address.clone()).await;
        assert_eq!((&verdict["status"], tax, total), (&json!("applied"), 0, 16_723));
        let number = verdict["consultation_number"].as_str().unwrap();
        let body = basket(world, address).await;
        let begun = world.post(GUEST_CHECKOUT, &body).await;
        assert_eq!((&begun.json["reverse_charge"], cents(&begun.json["total_price"])), (&verdict, 16_723), "{}", begun.text);
        let question = json!({ "countryCode": "DE", "vatNumber": VALID, "requesterMemberStateCode": "SE",
            "requesterNumber": "556677889901" });
        assert_eq!(asked(world).await, [question], "the checkout uses the answer of the quote");
        let cart = paid(world, &body).await;
        assert_eq!(begun.json["cart_id"], cart);
        let terms: Value = sqlx::query_scalar("SELECT tax_terms FROM carts WHERE id = $1::uuid")
            .bind(&cart).fetch_one(&world.db).await.unwrap();
        let check = &terms["vat_check"];
        assert_eq!((&check["vat_id"], &check["consultation_number"]), (&json!("DE100"), &json!(number)));
        assert!(check["checked_at"].as_str().unwrap() <= world.clock.now().to_rfc3339().as_str());

        world.drain().await;
        let scopes = [Scope::Orders, Scope::Refunds, Scope::Reports];
        let key = key(world, SHOP.short_name, &scopes).await;
        let shown = order(world, &key, &cart).await;
        assert_eq!(shown["reverse_charge"], verdict);
        let invoice = shown["documents"][0].clone();
        let said = content(world, &key, &invoice).await;
        assert_eq!(said["reverse_charge"], json!({ "vat_id": "DE100", "consultation_number": number }));
        assert_eq!((cents(&said["net"]), cents(&said["tax"]), &said["lines"][0]["rate"]), (16_723, 0, &json!(0)));
        let (_, pdf) = download(world, invoice["url"].as_str().unwrap()).await;
        let pdf = text(&pdf);
        for words in ["Reverse charge", "de 100", "SE 556677889901"] {
            assert!(pdf.contains(words), "{words} is missing: {pdf}");
        }
        let path = format!("/storeapi/payment/documents/{}/", invoice["document_id"].as_str().unwrap());
        let request = world.http.get(world.url(&path)).header("organisationapikey", &key);
        let e_invoice = Reply::read(request.header("accept", "application/xml")).await.text;
        for part in ["<cbc:ID>AE</cbc:ID>", "VATEX-EU-AE", ">DE100<", ">SE556677889901<"] {
            assert!(e_invoice.contains(part), "{part} is missing: {e_invoice}");
        }
        // A part of it goes back: the credit note is under reverse charge, too.
        let back = refund(world, &key, &cart, &json!({ "items": [0], "amount": 67.23 })).await;
        assert_eq!(back.status, 200, "{}", back.text);
        world.drain().await;
        let note = order(world, &key, &cart).await["documents"][1].clone();
        assert_eq!(content(world, &key, &note).await["reverse_charge"], said["reverse_charge"]);
        let today = world.clock.now().format("%Y-%m-%d");
        let report = get(world, &format!("{REPORT}?from={today}&to={today}&format=json"), &key).await;
        let row = json!([{ "country": "DE", "state": null, "rate": 0, "category": "AE", "currency": "USD", "net": 100,
            "tax": 0, "count": 2 }]);
        assert_eq!(report.json, row, "{}", report.text);
    })
    .await;
}

#[tokio::test]
async fn a_tax_on_top_is_left_out_and_greece_is_asked_about_under_its_own_prefix() {
    world(Setup::selling(), async |world| {
        sell_from_sweden(world, json!({ "prices_include_tax": false })).await;
        for vat_id in ["EL100", "GR 100"] {
            let (verdict, tax, total) = quoted(world, company("GR", vat_id)).await;
            assert_eq!((&verdict["status"], tax, total), (&json!("applied"), 0, 19_900));
        }
        assert_eq!(
            quoted(world, company("DE", "DE200")).await,
            (json!({ "status": "invalid" }), 3_781, 23_681)
        );
        let states: Vec<Value> =
            asked(world).await.iter().map(|question| question["countryCode"].clone()).collect();
        assert_eq!(states, ["EL", "DE"]);
    })
    .await;
}

/// The separators are those that python-stdnum 2.2 removes from a number before it reads it.
#[tokio::test]
async fn a_vat_id_is_asked_about_however_it_is_written() {
    world(Setup::selling(), async |world| {
        let own = json!({ "tax_ids": [{ "name": "VAT", "value": "SE\u{a0}5566\u{2011}7788\u{200b}9901" }] });
        sell_from_sweden(world, own).await;
        for written in [
            "DE\u{a0}1\u{202f}0\u{2009}0",
            "DE\u{200b}100\u{feff}",
            "DE\u{2010}1\u{2011}0\u{2013}0",
            "de/1.0,0",
            "ＤＥ１００",
        ] {
            let (verdict, tax, total) = quoted(world, company("DE", written)).await;
            assert_eq!((&verdict["status"], tax, total), (&json!("applied"), 0, 16_723), "{written:?}");
        }
        let question = json!({ "countryCode": "DE", "vatNumber": VALID, "requesterMemberStateCode": "SE",
            "requesterNumber": "556677889901" });
        assert_eq!(asked(world).await, [question], "one number is one question");
        // A number that tells nothing makes no company of a consumer.
        let mut body = basket(world, company("DE", " - ")).await;
        let refused = world.post(GUEST_CHECKOUT, &body).await;
        assert_eq!(
            refused.assert_problem(400, "invalid_request").faulty_fields(),
            ["billing_address.tax_id"]
        );
        body["billing_address"]["tax_id"] = json!("\u{a0}\u{200b}");
        assert_eq!(world.post(GUEST_CHECKOUT, &body).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn monaco_is_taxed_as_france_and_its_companies_are_asked_about_there() {
    world(Setup::selling(), async |world| {
        sell_from_sweden(world, json!({})).await;
        // 199.00 contains 33.17 of the French 20 percent.
        let person = json!({ "name": "Ada", "country": "MC" });
        assert_eq!(quoted(world, person).await, (Value::Null, 3_317, 19_900));
        let (verdict, tax, total) = quoted(world, company("MC", "FR100")).await;
        assert_eq!((&verdict["status"], tax, total), (&json!("applied"), 0, 16_583));
        let asked = asked(world).await;
        assert_eq!((asked.len(), &asked[0]["countryCode"]), (1, &json!("FR")), "{asked:?}");
        let refused = import(world, &[rate(SHOP, "MC", &[("TVA", 20.0)])]).await.unwrap_err();
        assert!(refused.contains("country MC has the VAT of FR"), "{refused}");
        // A seller there sells to France as at home.
        let french = json!({ "tax_ids": [{ "name": "TVA", "value": "FR41000123456" }] });
        import(world, &[seller(SHOP, "MC", french)]).await.unwrap();
        assert_eq!(quoted(world, company("FR", "FR100")).await, (Value::Null, 3_317, 19_900));
        assert_eq!(quoted(world, json!({})).await, (Value::Null, 3_317, 19_900));
        assert_eq!(quoted(world, company("DE", "DE100")).await.0["status"], "applied");
    })
    .await;
}

#[tokio::test]
async fn nothing_is_asked_unless_seller_and_buyer_are_businesses_of_two_member_states() {
    world(Setup::selling(), async |world| {
        sell_from_sweden(world, json!({})).await;
        let mut private = company("DE", "DE100");
        private.as_object_mut().unwrap().remove("company");
        let mut without_number = company("DE", "DE100");
        without_number.as_object_mut().unwrap().remove("tax_id");
        for (address, tax) in [
            (private, 3_177),
            (without_number, 3_177),
            // The seller's own country.
            (company("SE", "SE100"), 3_980),
            // Not of the EU, and of another member state than the address.
            (company("GB", "GB100"), 3_317),
            (company("DE", "FR100"), 3_177),
            (company("DE", "100"), 3_177),
            // A member state in which nothing is taxed.
            (company("IT", "IT100"), 0),
        ] {
            assert_eq!(quoted(world, address.clone()).await, (Value::Null, tax, 19_900), "{address}");
        }
        for (country, terms) in [
            ("SE", json!({ "tax_ids": [] })),
            ("SE", json!({ "tax_ids": [{ "name": "VAT", "value": "DE123456789" }] })),
            ("GB", json!({ "tax_ids": [{ "name": "VAT", "value": "GB123456789" }] })),
        ] {
            import(world, &[seller(SHOP, country, terms)]).await.unwrap();
            assert_eq!(quoted(world, company("DE", "DE100")).await, (Value::Null, 3_177, 19_900));
        }
        assert_eq!(asked(world).await, [] as [Value; 0]);
    })
    .await;
}

#[tokio::test]
async fn the_tax_is_charged_if_vies_is_slow_or_unavailable_and_the_next_quote_asks_again() {
    world(Setup::selling(), async |world| {
        sell_from_sweden(world, json!({})).await;
        let address = company("DE", "DE100");
        for silent in [
            json!({ "target": "vies", "kind": "delay", "delay_ms": 8_000 }),
            json!({ "target": "vies", "kind": "lost_answer" }),
            json!({ "target": "vies", "kind": "status", "status": 503 }),
            json!({ "target": "vies", "kind": "status", "status": 302 }),
        ] {
            world.fault(silent.clone()).await;
            let begun = Instant::now();
            assert_eq!(quoted(world, address.clone()).await, charged("unavailable"), "{silent}");
            assert!(begun.elapsed() < Duration::from_secs(4), "{silent}: the buyer waits");
        }
        // The errors that VIES answers with the status 200, and a number that it refuses to look up.
        for number in ["202", "300", "301", "302", "400", "401", "500", "501", "600", "601"] {
            assert_eq!(
                quoted(world, company("DE", &format!("DE{number}"))).await,
                charged("unavailable"),
                "{number}"
            );
        }
        assert_eq!(quoted(world, company("DE", "DE201")).await, charged("invalid"));
        world.fault(json!({ "target": "vies", "kind": "delay", "delay_ms": 8_000 })).await;
        let body = basket(world, company("FR", "FR100")).await;
        let taxed = world.post(GUEST_CHECKOUT, &body).await;
        assert_eq!(taxed.json["reverse_charge"], json!({ "status": "unavailable" }), "{}", taxed.text);
        assert_eq!(cents(&taxed.json["total_price"]), 19_900);
        assert_eq!(quoted(world, address).await.2, 16_723, "VIES is back");
        let later = world.post(GUEST_CHECKOUT, &body).await;
        assert_eq!(
            (&later.json["reverse_charge"]["status"], cents(&later.json["total_price"])),
            (&json!("applied"), 16_583)
        );
        assert_ne!(later.json["cart_id"], taxed.json["cart_id"], "another price is another order");
    })
    .await;
}

#[tokio::test]
async fn an_answer_that_proves_nothing_counts_as_none() {
    world(Setup::selling(), async |world| {
        sell_from_sweden(world, json!({})).await;
        let valid =
            json!({ "countryCode": "DE", "vatNumber": "100", "valid": true, "requestIdentifier": "WAPI1" });
        let with = |field: &str, value: Value| {
            let mut lie = valid.clone();
            lie[field] = value;
            lie.to_string()
        };
        let lies = [
            with("vatNumber", json!("999")),
            with("countryCode", json!("FR")),
            with("requestIdentifier", json!("")),
            with("requestIdentifier", Value::Null),
            with("valid", json!("true")),
            with("valid", Value::Null),
            "<html>Maintenance</html>".to_owned(),
            "{}".to_owned(),
        ];
        for lie in lies {
            let request = world.http.post(world.simulators.url("/_sim/vies/lies")).body(lie.clone());
            assert_eq!(request.send().await.unwrap().status(), 204);
            assert_eq!(quoted(world, company("DE", "DE100")).await, charged("unavailable"), "{lie}");
        }
        // Six of them were readable: VIES answers, so the circuit breaker stays closed.
        assert_eq!(quoted(world, company("DE", "DE100")).await.2, 16_723);
    })
    .await;
}

#[tokio::test]
async fn a_member_state_that_stays_silent_is_left_alone_for_a_while_and_the_others_are_not() {
    world(Setup::selling(), async |world| {
        sell_from_sweden(world, json!({})).await;
        world.fault(json!({ "target": "vies", "kind": "status", "status": 502, "count": 5 })).await;
        for _ in 0..5 {
            assert_eq!(quoted(world, company("DE", "DE100")).await, charged("unavailable"));
        }
        // VIES would answer again.
        assert_eq!(quoted(world, company("DE", "DE100")).await, charged("unavailable"));
        assert_eq!(asked(world).await, [] as [Value; 0]);
        assert_eq!(quoted(world, company("FR", "FR100")).await.2, 16_583);
    })
    .await;
}

#[tokio::test]
async fn a_key_that_may_refund_takes_the_tax_of_a_paid_order_back() {
    world(Setup::selling(), async |world| {
        sell_from_sweden(world, json!({})).await;
        let address = company("DE", "DE100");
        world.fault(json!({ "target": "vies", "kind": "status", "status": 503 })).await;
        let cart = paid(world, &basket(world, address.clone()).await).await;
        world.drain().await;
        let shop = SHOP.short_name;
        let powerless = key(world, shop, &[Scope::Orders]).await;
        let key = key(world, shop, &[Scope::Orders, Scope::Refunds, Scope::Reports]).await;
        let correct = async |key: &str, address: &Value| correct(world, key, &cart, address).await;
        let totals = |order: &Value| -> Vec<i64> { numbers(order).iter().map(|one| one.2).collect() };
        // As before, without the right to refund.
        assert_eq!(totals(&correct(&powerless, &address).await.json), [19_900]);
        world.fault(json!({ "target": "vies", "kind": "lost_answer" })).await;
        correct(&key, &address).await.assert_problem(503, "unavailable");
        let unknown = correct(&key, &company("DE", "DE200")).await;
        assert_eq!(totals(&unknown.json), [19_900; 3], "{}", unknown.text);

        let corrected = correct(&key, &address).await;
        assert_eq!(totals(&corrected.json), [19_900, 19_900, 19_900, 16_723, 19_900], "{}", corrected.text);
        let booked = async || -> Vec<(String, i64, i64)> {
            let rows = "SELECT kind, amount, tax FROM ledger WHERE cart_id = $1::uuid ORDER BY seq";
            sqlx::query_as(rows).bind(&cart).fetch_all(&world.db).await.unwrap()
        };
        world.eventually("the tax is refunded", async |_| booked().await.len() == 2).await;
        assert_eq!(booked().await[1], ("refunded".to_owned(), -3_177, -3_177));
        world.drain().await;
        let standing = order(world, &key, &cart).await;
        assert_eq!(
            (&standing["status"], &standing["items"][0]["refunded_amount"]),
            (&json!("fulfilled"), &json!(31.77))
        );
        assert_eq!(totals(&correct(&key, &address).await.json), totals(&standing), "a repeat does nothing");
        let invoice = content(world, &key, &standing["documents"][3]).await;
        assert_eq!(
            (&invoice["reverse_charge"]["vat_id"], cents(&invoice["total"])),
            (&json!("DE100"), 16_723)
        );

        // The rest goes back without tax, and is credited on the new invoice.
        let rest = refund(world, &key, &cart, &json!({})).await;
        assert_eq!((rest.status, cents(&rest.json["amount"])), (200, 16_723), "{}", rest.text);
        world.drain().await;
        assert_eq!(booked().await[2], ("refunded".to_owned(), -16_723, 0));
        let gone = order(world, &key, &cart).await;
        assert_eq!(totals(&gone)[5..], [16_723]);
        let note = content(world, &key, &gone["documents"][5]).await;
        assert_eq!((&note["refers_to"], cents(&note["tax"])), (&invoice["number"], 0));
        let today = world.clock.now().format("%Y-%m-%d");
        // The ledger's rows keep the rate at which the order was paid.
        let ledger = format!("/storeapi/reports/ledger/?format=json&from={today}&to={today}");
        let rows = get(world, &ledger, &key).await.json;
        let rates = rows.as_array().unwrap().iter().map(|row| (&row["tax_country"], &row["tax_rate"]));
        assert_eq!(rates.collect::<Vec<_>>(), [(&json!("DE"), &json!(19)); 3], "{rows}");
        let report = get(world, &format!("{REPORT}?from={today}&to={today}&format=json"), &key).await.json;
        let rows = report
            .as_array()
            .unwrap()
            .iter()
            .map(|row| (row["category"].as_str().unwrap(), &row["net"], &row["tax"], &row["count"]));
        let (zero, two, four) = (json!(0), json!(2), json!(4));
        assert_eq!(rows.collect::<Vec<_>>(), [("AE", &zero, &zero, &two), ("S", &zero, &zero, &four)]);
    })
    .await;
}

/// A paid and fulfilled order of a company whose VAT ID could not be checked.
async fn taxed_order(world: &World, mut body: Value) -> String {
    body["email"] = json!(EMAIL);
    body["billing_address"] = company("DE", "DE100");
    world.fault(json!({ "target": "vies", "kind": "status", "status": 503 })).await;
    let cart = paid(world, &body).await;
    world.drain().await;
    cart
}

/// Corrects the buyer on the invoice of an order.
async fn correct(world: &World, key: &str, cart: &str, address: &Value) -> Reply {
    let path = format!("/storeapi/payment/orders/{cart}/invoice/");
    keyed(world, Method::POST, &path, key, &json!({ "billing_address": address })).await
}

/// The total of the newest invoice of an order, in cents.
fn invoiced(order: &Value) -> i64 {
    numbers(order).iter().rfind(|document| document.1 == "invoice").unwrap().2
}

#[tokio::test]
async fn an_invoice_under_reverse_charge_keeps_its_vat_id() {
    world(Setup::selling(), async |world| {
        sell_from_sweden(world, json!({})).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds]).await;
        let taken_back = taxed_order(world, world.basket(SHOP).await).await;
        // The provider does not answer the tax refund: after an accepted one, the invoice could not be corrected.
        let silent =
            json!({ "target": "stripe", "path": "refund", "kind": "status", "status": 500, "count": 1000 });
        world.fault(silent).await;
        let corrected = correct(world, &key, &taken_back, &company("DE", "DE100")).await;
        assert_eq!(invoiced(&corrected.json), 16_723, "{}", corrected.text);
        let net = paid(world, &basket(world, company("DE", "DE100")).await).await;
        let private = json!({ "name": "Ada", "country": "DE" });
        for cart in [net, taken_back] {
            for other in [&private, &company("DE", "DE999"), &company("FR", "FR100")] {
                let refused = correct(world, &key, &cart, other).await;
                refused.assert_problem(400, "invalid_request");
                assert_eq!(refused.json["errors"][0]["field"], "billing_address", "{}", refused.text);
            }
            let mut renamed = company("DE", "DE 100");
            renamed["company"] = json!("Engines AG");
            let corrected = correct(world, &key, &cart, &renamed).await;
            assert_eq!((corrected.status, invoiced(&corrected.json)), (200, 16_723), "{}", corrected.text);
        }
    })
    .await;
}

#[tokio::test]
async fn unused_seats_give_back_their_share_without_the_tax_that_was_refunded() {
    world(Setup::selling(), async |world| {
        sell_from_sweden(world, json!({})).await;
        let key = key(world, SHOP.short_name, &[Scope::Orders, Scope::Refunds, Scope::Seats]).await;
        let cart = taxed_order(world, seats::basket(world, SHOP, EMAIL, 4).await).await;
        let corrected = correct(world, &key, &cart, &company("DE", "DE100")).await;
        let net = invoiced(&corrected.json);
        world.drain().await;
        let pool = pool(world, &key).await;
        assigned(world, &key, &pool, &["one@example.com"]).await;
        let refunded = refund(world, &key, &cart, &json!({ "items": [0] })).await;
        // Three of the four seats.
        assert_eq!(cents(&refunded.json["amount"]), (net * 3 + 2) / 4, "{}", refunded.text);
    })
    .await;
}

#[tokio::test]
async fn the_checkout_of_a_learners_cart_says_whether_the_buyer_declares_the_tax() {
    world(Setup::selling(), async |world| {
        sell_from_sweden(world, json!({})).await;
        let user = learner(world, EMAIL).await;
        let mut body = items(&[(SHOP.course, SHOP.mode)]);
        body["billing_address"] = company("DE", "DE100");
        let cart = send(world, &user, SHOP.short_name, Method::PUT, CART, Some(body)).await;
        assert_eq!(cents(&cart.json["total_price"]), 16_723, "{}", cart.text);
        let begun = send(world, &user, SHOP.short_name, Method::POST, CHECKOUT, None).await;
        assert_eq!(begun.json["reverse_charge"]["status"], "applied", "{}", begun.text);
        assert_eq!(cents(&begun.json["total_price"]), 16_723);
    })
    .await;
}
