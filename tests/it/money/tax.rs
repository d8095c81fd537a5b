//! Tax: which rate applies, what it adds to prices or contains of them, and what the ledger books of it.

use chrono::TimeDelta;
use harness::steps::learner_cart::{CART, items, learner, send};
use harness::steps::organisation_keys::{get, key};
use harness::steps::payments::{EMAIL, cart_id, count, reference};
use harness::steps::refunds::{order, refund};
use harness::steps::tax::{cents, import, rate, seller};
use harness::steps::vouchers::voucher;
use harness::{GUEST_CHECKOUT, ORGANISATIONS, Organisation, Reply, Setup, World, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::organisation_key::Scope;

const QUOTE: &str = "/storeapi/discovery/quote/";

/// Posts a basket of the organisation's course with this billing address.
async fn post(world: &World, path: &str, organisation: &Organisation, address: Option<Value>) -> Reply {
    let mut body = world.basket(organisation).await;
    if path == GUEST_CHECKOUT {
        body["email"] = json!(EMAIL);
    }
    body["billing_address"] = json!(address);
    world.post(path, &body).await
}

/// Quotes, buys and reports the organisation's course: each of them shows this tax and total.
async fn is_taxed_everywhere(world: &World, shop: &Organisation, address: Value, (tax, total): (i64, i64)) {
    let quote = post(world, QUOTE, shop, Some(address.clone())).await.json;
    let line = &quote["items_detail"][0];
    assert_eq!((cents(&quote["tax"]), cents(&quote["total_price"])), (tax, total), "{quote}");
    assert_eq!((cents(&line["tax"]), cents(&line["price"])), (tax, shop.subunits), "{quote}");
    let begun = post(world, GUEST_CHECKOUT, shop, Some(address)).await;
    assert_eq!(begun.status, 200, "{}", begun.text);
    assert_eq!(cents(&begun.json["total_price"]), total);
    assert_eq!(begun.json["items_detail"], quote["items_detail"]);
    let cart = cart_id(&begun);
    let payment = world.payment(cart).await;
    assert_eq!(payment["amount"], total, "{payment}");
    world.at_provider("pay", reference(&payment), json!({})).await;
    world.cart_becomes(cart, "fulfilled").await;
    let key = key(world, shop.short_name, &[Scope::Orders, Scope::Reports]).await;
    let order = order(world, &key, cart).await;
    assert_eq!((cents(&order["tax"]), cents(&order["items"][0]["tax"])), (tax, tax), "{order}");
    // The seller's day can be another one than in UTC.
    let [from, to] = [-1, 1].map(|days| (world.clock.now() + TimeDelta::days(days)).format("%Y-%m-%d"));
    let path = format!("/storeapi/reports/ledger/?format=json&from={from}&to={to}");
    let row = get(world, &path, &key).await.json[0].clone();
    assert_eq!(
        (cents(&row["amount"]), cents(&row["tax"]), cents(&row["discounts"])),
        (total, tax, 0),
        "{row}"
    );
}

#[tokio::test]
async fn kosovo_is_a_country_like_others() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let [shop, mollie, ..] = &ORGANISATIONS;
        import(world, &[seller(shop, "US", json!({})), rate(shop, "XK", &[("TVSH", 18.0)])]).await.unwrap();
        // 199.00 contains 30.36 of 18 percent.
        is_taxed_everywhere(world, shop, json!({ "name": "Ada", "country": "XK" }), (3_036, 19_900)).await;
        // Mollie does not know the country; 240.00 contains 36.61.
        import(world, &[rate(mollie, "XK", &[("TVSH", 18.0)])]).await.unwrap();
        let address = json!({ "name": "Ada", "line1": "Rruga B 1", "city": "Prishtina", "country": "XK" });
        is_taxed_everywhere(world, mollie, address, (3_661, 24_000)).await;
        let body = world.basket(shop).await;
        let request = world.request(Method::POST, QUOTE).header("X-Visitor-Country", "XK");
        let quote = Reply::read(request.json(&body)).await;
        assert_eq!(cents(&quote.json["tax"]), 3_036, "{}", quote.text);
    })
    .await;
}

#[tokio::test]
async fn every_gateway_charges_what_the_quote_says_and_each_record_shows_the_tax() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let [stripe, mollie, razorpay, curlec] = &ORGANISATIONS;
        let on_top = json!({ "prices_include_tax": false });
        import(
            world,
            &[
                seller(stripe, "US", on_top.clone()),
                rate(stripe, "US/NY", &[("Sales tax", 8.875)]),
                seller(razorpay, "IN", on_top),
                rate(razorpay, "IN/Karnataka", &[("CGST", 9.0), ("SGST", 9.0)]),
                rate(razorpay, "IN", &[("IGST", 18.0)]),
                seller(curlec, "MY", json!({})),
                rate(curlec, "MY", &[("SST", 8.0)]),
            ],
        )
        .await
        .unwrap();
        // Half-up: 199.00 × 8.875 % = 17.66125, 240.00 × 25 / 125 = 48, 799.00 × 18 % = 143.82, 129.90 × 8 / 108 = 9.622…
        let american =
            json!({ "country": "us", "state": " ny ", "company": "Ada & Co.", "tax_id": "12-3456" });
        let swede = json!({ "name": "Ada", "line1": "Skeppsbron 1", "city": "Stockholm", "country": "SE" });
        let indian = json!({ "country": "IN", "state": "KARNATAKA" });
        for (organisation, address, tax, on_top) in [
            (stripe, american, 1766, 1766),
            (mollie, swede, 4800, 0),
            (razorpay, indian, 14_382, 14_382),
            (curlec, json!({ "city": "Kota Kinabalu" }), 962, 0),
        ] {
            is_taxed_everywhere(world, organisation, address, (tax, organisation.subunits + on_top)).await;
        }
        world.drain().await;
        let mails = world.emails(EMAIL).await;
        let receipt = |text: &str| mails.iter().any(|mail| mail["text"].as_str().unwrap().contains(text));
        assert!(receipt("\r\nTax: $17.66\r\nTotal: $216.66\r\n"), "{mails:?}");
        assert!(receipt("\r\nTotal: MYR\u{a0}129.90\r\nof which tax: MYR\u{a0}9.62\r\n"), "{mails:?}");
    })
    .await;
}

#[tokio::test]
async fn the_rate_is_that_of_the_buyers_place_and_of_the_day() {
    world(Setup::default(), async |world| {
        let shop = &ORGANISATIONS[0];
        let key = key(world, shop.short_name, &[Scope::Vouchers]).await;
        voucher(world, &key, json!({ "code": "HALF", "kind": "percent", "value": 50 })).await;
        let untaxed = post(world, QUOTE, shop, Some(json!({ "country": "DE" }))).await.json;
        assert!(untaxed.get("tax").is_none() && untaxed["items_detail"][0].get("tax").is_none(), "{untaxed}");
        let mut later = rate(shop, "DE", &[("USt", 16.0)]);
        later["valid_from"] = json!("2020-07-01");
        let mut future = rate(shop, "DE", &[("USt", 99.0)]);
        future["valid_from"] = json!("2999-01-01");
        import(
            world,
            &[
                seller(shop, "CA", json!({ "state": "ON", "prices_include_tax": false })),
                rate(shop, "DE", &[("USt", 19.0)]),
                later,
                future,
                rate(shop, "CA", &[("GST", 5.0)]),
                rate(shop, "CA/ON", &[("HST", 13.0)]),
                rate(shop, "FR", &[("TVA", 0.0)]),
            ],
        )
        .await
        .unwrap();
        let quoted = async |address: Value, visitor: &str, voucher: Option<&str>| {
            let mut body = world.basket(shop).await;
            body["billing_address"] = address;
            body["voucher"] = json!(voucher);
            let request = world.request(Method::POST, QUOTE).header("X-Visitor-Country", visitor);
            let quote = Reply::read(request.json(&body)).await.json;
            (cents(&quote["tax"]), cents(&quote["total_price"]))
        };
        for (address, visitor, percent) in [
            (json!({ "country": "DE" }), "CA", 16),
            (json!({ "country": "DE", "state": "Bayern" }), "", 16),
            (json!({ "country": "CA", "state": "on" }), "DE", 13),
            (json!({ "country": "CA", "state": "QC" }), "DE", 5),
            // A state without its country is none.
            (json!({ "state": "ON" }), "CA", 5),
            (Value::Null, "DE", 16),
            (Value::Null, "", 13),
            (json!({ "country": "FR" }), "", 0),
            (json!({ "country": "JP" }), "", 0),
        ] {
            let tax = 19_900 * percent / 100;
            assert_eq!(
                quoted(address.clone(), visitor, None).await,
                (tax, 19_900 + tax),
                "{address} from {visitor:?}"
            );
        }
        // The voucher comes first.
        assert_eq!(quoted(json!({ "country": "DE" }), "", Some("half")).await, (1592, 9950 + 1592));
    })
    .await;
}

/// Places without the VAT of their countries: Directive 2006/112/EC, article 6. Rates of Madeira and the Azores: article 105.
#[tokio::test]
async fn a_postal_code_tells_places_without_their_countrys_tax_and_those_with_a_rate_of_their_own() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let mut madeira = rate(shop, "PT/Madeira", &[("IVA", 22.0)]);
        madeira["postal_codes"] = json!(["90", "91", "92", "93", "94"]);
        let countries = [("ES", 21.0), ("PT", 23.0), ("DE", 19.0), ("FR", 20.0), ("GF", 3.0), ("FI", 25.5)];
        let mut records = vec![seller(shop, "ES", json!({ "prices_include_tax": false })), madeira];
        records.extend(countries.map(|(country, percent)| rate(shop, country, &[("IVA", percent)])));
        import(world, &records).await.unwrap();
        for (address, per_mille) in [
            (json!({ "country": "ES", "postal_code": "28001" }), 210),
            (json!({ "country": "ES", "postal_code": "E-35 001" }), 0),
            (json!({ "country": "ES", "state": "Canarias" }), 0),
            (json!({ "country": "ES", "postal_code": "51001" }), 0),
            (json!({ "country": "DE", "postal_code": "27498" }), 0),
            (json!({ "country": "DE", "postal_code": "35037" }), 190),
            (json!({ "country": "PT", "postal_code": "1000-001" }), 230),
            (json!({ "country": "PT", "postal_code": "9000-001" }), 220),
            (json!({ "country": "PT", "state": "madeira" }), 220),
            (json!({ "country": "FR", "postal_code": "98000" }), 200),
            (json!({ "country": "FR", "postal_code": "97400" }), 200),
            (json!({ "country": "FR", "postal_code": "97300" }), 30),
            (json!({ "country": "FI", "postal_code": "22100" }), 255),
        ] {
            let quote = post(world, QUOTE, shop, Some(address.clone())).await.json;
            let exact = f64::from(per_mille) * 19_900.0 / 1000.0;
            assert_eq!(cents(&quote["tax"]), exact.round() as i64, "{address}: {quote}");
        }
        let address = json!({ "name": "Ada", "country": "ES", "postal_code": "38001" });
        is_taxed_everywhere(world, shop, address, (0, 19_900)).await;
        world.drain().await; // the report is made of documents
        let key = key(world, shop.short_name, &[Scope::Reports]).await;
        let [from, to] = [-1, 1].map(|days| (world.clock.now() + TimeDelta::days(days)).format("%Y-%m-%d"));
        let report =
            get(world, &format!("/storeapi/reports/taxes/?format=json&from={from}&to={to}"), &key).await;
        assert!(report.text.contains("Canary Islands"), "{}", report.text);
        // The operator's own rate, such as IGIC, comes before the table of territories.
        let mut canaries = rate(shop, "ES/Canarias", &[("IGIC", 7.0)]);
        canaries["postal_codes"] = json!(["35", "38"]);
        import(world, &[canaries.clone()]).await.unwrap();
        let address = json!({ "country": "ES", "postal_code": "38001" });
        let quote = post(world, QUOTE, shop, Some(address)).await.json;
        assert_eq!(cents(&quote["tax"]), 1_393, "{quote}");
        for (codes, fault) in [
            (json!(["35", "-"]), "\"-\" is not the beginning of a postal code"),
            (json!("35"), "expected a sequence"),
        ] {
            canaries["postal_codes"] = codes;
            let refused = import(world, &[canaries.clone()]).await.unwrap_err();
            assert!(refused.contains(fault), "{refused}");
        }
        let mut nowhere = rate(shop, "ES", &[("IVA", 21.0)]);
        nowhere["postal_codes"] = json!(["35"]);
        let refused = import(world, &[nowhere]).await.unwrap_err();
        assert!(refused.contains("postal_codes are of a state, which is missing"), "{refused}");
    })
    .await;
}

#[tokio::test]
async fn a_state_has_one_rate_from_a_day_however_its_name_is_written() {
    world(Setup::without_workers(), async |world| {
        let [shop, other, ..] = &ORGANISATIONS;
        let from = |place: &str, day: &str| {
            let mut rate = rate(shop, place, &[("QST", 9.975)]);
            rate["valid_from"] = json!(day);
            rate
        };
        // In one file, and in another one than the first spelling.
        let both = import(world, &[from("CA/Québec", "2020-01-01"), from("CA/QC", "2020-01-01")]).await;
        assert!(both.unwrap_err().contains("line 2"));
        import(world, &[from("CA/Québec", "2020-01-01"), from("DE/Zone A", "2020-01-01")]).await.unwrap();
        for (second, refused) in [
            (from("CA/QC", "2020-01-01"), Some("Québec")),
            (from("CA/ca-qc", "2020-01-01"), Some("Québec")),
            (from("CA/Que\u{301}bec", "2020-01-01"), Some("Québec")),
            (from("DE/zone-a", "2020-01-01"), Some("Zone A")),
            // The same name, the next rate, another state, the whole country, another country, another seller.
            (from("CA/QUÉBEC", "2020-01-01"), None),
            (from("CA/QC", "2021-01-01"), None),
            (from("CA/ON", "2020-01-01"), None),
            (from("CA", "2020-01-01"), None),
            (from("US/QC", "2020-01-01"), None),
            (rate(other, "CA/QC", &[("QST", 9.975)]), None),
        ] {
            let imported = import(world, std::slice::from_ref(&second)).await;
            match refused {
                None => assert_eq!(imported, Ok(()), "{second}"),
                Some(name) => {
                    let reason = format!("has a rate from 2020-01-01 under the name {name:?}: use this name");
                    assert!(imported.as_ref().is_err_and(|error| error.contains(&reason)), "{imported:?}");
                }
            }
        }
    })
    .await;
}

/// The codes and names of ISO 3166-2.
#[tokio::test]
async fn a_state_is_known_by_its_codes_and_names_and_an_unknown_one_is_refused_where_the_tax_depends_on_it() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let own = seller(shop, "CA", json!({ "prices_include_tax": false }));
        let rates = [
            rate(shop, "CA", &[("GST", 5.0)]),
            rate(shop, "CA/Québec", &[("GST", 5.0), ("QST", 9.975)]),
            rate(shop, "DE", &[("USt", 19.0)]),
        ];
        import(world, &[&[own], &rates[..]].concat()).await.unwrap();
        let key = key(world, shop.short_name, &[Scope::Orders]).await;
        let quoted = async |country: &str, state: &str| {
            let mut body = world.basket(shop).await;
            body["billing_address"] = json!({ "country": country, "state": state });
            world.post(QUOTE, &body).await
        };
        for (country, state, tax) in [
            ("CA", "Québec", 29.80),
            ("CA", "Que\u{301}bec", 29.80),
            ("CA", "quebec", 29.80),
            ("CA", "QC", 29.80),
            ("CA", "ca-qc", 29.80),
            ("CA", "Ontario", 9.95),
            ("CA", "CA-ON", 9.95),
            ("CA", "", 9.95),
            // No rate of the country depends on the state.
            ("DE", "Bavaria", 37.81),
        ] {
            let quote = quoted(country, state).await;
            assert_eq!(quote.json["tax"], json!(tax), "{state:?} in {country}: {}", quote.text);
        }
        for state in ["Quebek", "Bayern", "US-NY", "-"] {
            let refused = quoted("CA", state).await;
            let fields = refused.assert_problem(400, "invalid_request").faulty_fields();
            assert_eq!(fields, ["billing_address.state"], "{state}");
        }
        let mut body = world.basket(shop).await;
        body["email"] = json!(EMAIL);
        body["billing_address"] = json!({ "country": "CA", "state": "Quebek" });
        world.post(GUEST_CHECKOUT, &body).await.assert_problem(400, "invalid_request");
        assert_eq!(count(world, "SELECT count(*) FROM carts").await, 0);
        // The order keeps what its buyer wrote; its tax is that of the place as the rate names it.
        body["billing_address"]["state"] = json!("QC");
        let begun = world.post(GUEST_CHECKOUT, &body).await;
        let shown = order(world, &key, cart_id(&begun)).await;
        assert_eq!(shown["billing_address"]["state"], "QC");
        let named = "SELECT count(*) FROM carts WHERE tax_terms ->> 'state' = 'Québec'";
        assert_eq!(count(world, named).await, 1);
    })
    .await;
}

#[tokio::test]
async fn refunds_of_every_size_take_all_the_tax_back_and_a_failed_one_returns_it() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let terms = json!({ "prices_include_tax": false });
        import(world, &[seller(shop, "US", terms), rate(shop, "US", &[("Sales tax", 8.875)])]).await.unwrap();
        let key = key(world, shop.short_name, &[Scope::Refunds, Scope::Orders]).await;
        let begun = post(world, GUEST_CHECKOUT, shop, None).await;
        let cart = cart_id(&begun);
        let payment = world.payment(cart).await;
        world.at_provider("pay", reference(&payment), json!({})).await;
        world.cart_becomes(cart, "fulfilled").await;
        let booked = async || -> Vec<(String, i64, i64)> {
            let rows =
                sqlx::query_as("SELECT kind, amount, tax FROM ledger WHERE cart_id = $1::uuid ORDER BY seq");
            rows.bind(cart).fetch_all(&world.db).await.unwrap()
        };
        let row = |kind: &str, amount, tax| (kind.to_owned(), amount, tax);
        let part = refund(world, &key, cart, &json!({ "items": [], "amount": 100 })).await;
        assert_eq!(part.status, 200, "{}", part.text);
        assert_eq!(booked().await[1], row("refunded", -10000, -815));
        // More than the price without its tax can be given back, and no more than was paid.
        let more = refund(world, &key, cart, &json!({ "items": [0], "amount": 116.67 })).await;
        more.assert_problem(400, "invalid_request");
        let rest = refund(world, &key, cart, &json!({})).await;
        assert_eq!((rest.status, cents(&rest.json["amount"])), (200, 11_666), "{}", rest.text);
        assert_eq!(booked().await[2], row("refunded", -11666, -951));
        world.cart_becomes(cart, "refunded").await;
        let id: String = sqlx::query_scalar("SELECT provider_reference FROM refunds WHERE id = $1::uuid")
            .bind(rest.json["refund_id"].as_str())
            .fetch_one(&world.db)
            .await
            .unwrap();
        world.sim(Method::POST, &format!("/_sim/refunds/{id}/fail"), Some(json!({}))).await;
        world.eventually("the failure is booked", async |_| booked().await.len() == 4).await;
        assert_eq!(booked().await[3], row("refund_failed", 11_666, 951));
        assert_eq!(order(world, &key, cart).await["items"][0]["refunded_amount"], 100);
    })
    .await;
}

#[tokio::test]
async fn a_learners_cart_shows_the_tax_and_the_capabilities_say_where_it_is() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let shop = &ORGANISATIONS[0];
        let user = learner(world, EMAIL).await;
        let said = async || {
            let path = "/storeapi/payment/capabilities/";
            let reply = send(world, &user, shop.short_name, Method::GET, path, None).await;
            reply.json["prices_include_tax"].clone()
        };
        assert_eq!(said().await, Value::Null);
        import(world, &[seller(shop, "US", json!({})), rate(shop, "GB", &[("VAT", 20.0)])]).await.unwrap();
        assert_eq!(said().await, true);
        let mut body = items(&[(shop.course, shop.mode)]);
        body["billing_address"] = json!({ "country": "GB" });
        let cart = send(world, &user, shop.short_name, Method::PUT, CART, Some(body)).await;
        assert_eq!(cents(&cart.json["items"][0]["tax"]), 3317, "{}", cart.text);
        let shown = send(world, &user, shop.short_name, Method::GET, CART, None).await;
        assert_eq!(shown.json, cart.json);
    })
    .await;
}

#[tokio::test]
async fn wrong_sellers_and_rates_are_refused_by_name() {
    world(Setup::without_workers(), async |world| {
        let shop = &ORGANISATIONS[0];
        for (terms, fault) in [
            (json!({ "time_zone": "Mars/Olympus" }), "seller: time_zone \"Mars/Olympus\""),
            (json!({ "invoice_prefix": "TOOLONG" }), "seller: invoice_prefix \"TOOLONG\""),
            (json!({ "invoice_prefix": "in" }), "seller: invoice_prefix \"in\""),
            (json!({ "invoice_prefix": "CN" }), "are the same"),
            (json!({ "fiscal_year_starts": 13 }), "fiscal_year_starts 13"),
            (json!({ "city": " " }), "seller: city is empty"),
            (json!({ "fax": "1" }), "unknown field `fax`"),
            (json!({ "phone": "12" }), "seller: phone is not a number"),
            (json!({ "contact_name": " " }), "seller: contact_name is not 1 to 100"),
            (
                json!({ "service_code": { "scheme": "HSN", "code": "9" } }),
                "seller: service_code: code \"9\" of HSN is not 4 to 8 digits",
            ),
        ] {
            let refused = import(world, &[seller(shop, "US", terms)]).await.unwrap_err();
            assert!(refused.contains(fault), "{refused}");
        }
        let component = |rate: f64| ("T", rate);
        for (record, fault) in [
            (rate(shop, "US", &[]), "components has 0 entries"),
            (rate(shop, "US", &[component(1.0); 4]), "components has 4 entries"),
            (rate(shop, "US", &[component(60.0), component(41.0)]), "add up to 101 percent"),
            (rate(shop, "US", &[component(1.00001)]), "rate 1.00001"),
            (rate(shop, "US", &[component(-1.0)]), "rate -1"),
            (rate(shop, "US", &[("", 1.0)]), "name of a component is empty"),
            (rate(shop, "USA", &[component(1.0)]), "two-letter country code"),
            (rate(shop, "US/ ", &[component(1.0)]), "state is empty"),
        ] {
            let refused = import(world, &[record]).await.unwrap_err();
            assert!(refused.contains(fault), "{refused}");
        }
    })
    .await;
}
