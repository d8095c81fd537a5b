//! A learner's own cart: filled, checked out, and paid on the hosted page.

use harness::steps::demo::{FREE_COURSE, FREE_KEY, PAID_COURSE, UNPUBLISHED_COURSE};
use harness::steps::learner_cart::{CART, CHECKOUT, checkout, items, learner, put, send};
use harness::{ORGANISATIONS, Organisation, Reply, Setup, world};
use reqwest::Method;
use serde_json::{Value, json};
use shared::gateway::Gateway;

#[tokio::test]
async fn a_cart_is_filled_changed_and_emptied() {
    world(Setup::selling(), async |world| {
        let ada = learner(world, "ada@example.com").await;
        let at = async |method, body| send(world, &ada, "northwind", method, CART, body).await;
        let empty = at(Method::GET, None).await;
        assert_eq!(
            empty.json,
            json!({ "cart_id": null, "status": "open", "total_price": 0, "currency": "USD", "items": [] })
        );
        let filled = at(Method::PUT, Some(items(&[(PAID_COURSE, "verified"), (FREE_COURSE, "audit")]))).await;
        assert_eq!((filled.status, &filled.json["total_price"]), (200, &json!(199)), "{}", filled.text);
        assert_eq!(filled.json["items"].as_array().unwrap().len(), 2);
        assert_eq!(at(Method::GET, None).await.json, filled.json);
        let changed = at(Method::PUT, Some(items(&[(PAID_COURSE, "professional")]))).await;
        assert_eq!(
            (&changed.json["cart_id"], &changed.json["total_price"]),
            (&filled.json["cart_id"], &json!(349))
        );
        // An item that cannot be bought changes nothing.
        for (body, code, field) in [
            (items(&[(UNPUBLISHED_COURSE, "verified")]), "invalid_items", "items[0].id"),
            (items(&[(PAID_COURSE, "audit")]), "invalid_items", "items[0].mode"),
            (json!({ "items": [], "total": 1 }), "invalid_request", "total"),
            (json!({}), "invalid_request", "items"),
        ] {
            let reply = at(Method::PUT, Some(body)).await;
            assert_eq!(reply.assert_problem(400, code).faulty_fields(), [field]);
        }
        assert_eq!(at(Method::GET, None).await.json, changed.json);
        // Each organisation has a separate cart for the learner, and so does each learner.
        assert_eq!(send(world, &ada, "kinabalu", Method::GET, CART, None).await.json["cart_id"], Value::Null);
        let bob = learner(world, "bob@example.com").await;
        assert_eq!(
            send(world, &bob, "northwind", Method::GET, CART, None).await.json["cart_id"],
            Value::Null
        );
        let emptied = at(Method::PUT, Some(items(&[]))).await;
        assert_eq!((&emptied.json["cart_id"], &emptied.json["items"]), (&Value::Null, &json!([])));
        let reply = send(world, &ada, "northwind", Method::POST, CHECKOUT, None).await;
        reply.assert_problem(400, "empty_cart");
    })
    .await;
}

#[tokio::test]
async fn a_free_cart_is_granted_by_its_checkout() {
    world(Setup::selling(), async |world| {
        let ada = learner(world, "ada@example.com").await;
        let body = items(&[(FREE_COURSE, "audit")]);
        send(world, &ada, "northwind", Method::PUT, CART, Some(body)).await;
        let reply = send(world, &ada, "northwind", Method::POST, CHECKOUT, None).await;
        let cart = reply.json["cart_id"].as_str().unwrap().to_owned();
        assert_eq!(
            reply.json,
            json!({ "status": "enrollment_pending", "cart_id": cart, "total_price": 0, "currency": "USD",
                "redirect_url": format!("http://store.test/storeapi/payment/status/{cart}/") })
        );
        world.platform_agrees("ada@example.com", FREE_KEY, "audit", true).await;
        let path = format!("/storeapi/payment/status/{cart}/");
        let status = send(world, &ada, "northwind", Method::GET, &path, None).await;
        assert_eq!((&status.json["status"], &status.json["gateway"]), (&json!("fulfilled"), &Value::Null));
        assert_eq!(status.json["items"][0]["enrollment_state"], "enrolled");
        send(world, &ada, "northwind", Method::POST, CHECKOUT, None).await.assert_problem(400, "empty_cart");
    })
    .await;
}

#[tokio::test]
async fn a_paid_cart_leads_to_the_gateways_page_or_ours() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, "ada@example.com").await;
        for organisation in &ORGANISATIONS {
            put(world, &ada, organisation).await;
            let reply = checkout(world, &ada, organisation).await;
            assert_eq!(
                (reply.status, &reply.json["status"], &reply.json["gateway"], &reply.json["currency"]),
                (
                    200,
                    &json!("payment_required"),
                    &json!(organisation.gateway.name()),
                    &json!(organisation.currency)
                ),
                "{}",
                reply.text
            );
            let cart = reply.json["cart_id"].as_str().unwrap();
            let payment = world.payment(cart).await;
            assert_eq!(payment["amount"], organisation.subunits);
            let url = reply.json["redirect_url"].as_str().unwrap();
            let expected = match organisation.script {
                Some(_) => format!("http://store.test/storeapi/payment/pay/{cart}/?token="),
                None => world.simulators.url(&format!("/{}/checkout/", organisation.gateway)),
            };
            assert!(url.starts_with(&expected), "{url}");
            // A second checkout returns the same payment attempt.
            assert_eq!(checkout(world, &ada, organisation).await.json["cart_id"], cart);
            assert_eq!(world.payment(cart).await["create_calls"], 1);
            let pending = send(world, &ada, organisation.short_name, Method::GET, CART, None).await;
            assert_eq!(
                (&pending.json["cart_id"], &pending.json["status"]),
                (&json!(cart), &json!("pending_payment"))
            );
            world.at_provider("pay", payment["reference"].as_str().unwrap(), json!({})).await;
            world.platform_agrees("ada@example.com", organisation.key, organisation.mode, true).await;
            checkout(world, &ada, organisation).await.assert_problem(400, "empty_cart");
        }
    })
    .await;
}

#[tokio::test]
async fn other_items_in_a_cart_that_is_being_paid_begin_a_new_one() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, "ada@example.com").await;
        for organisation in &ORGANISATIONS {
            put(world, &ada, organisation).await;
            let first = checkout(world, &ada, organisation).await;
            let first = first.json["cart_id"].as_str().unwrap();
            // The same items change nothing.
            let same = put(world, &ada, organisation).await;
            assert_eq!(
                (&same.json["cart_id"], &same.json["status"]),
                (&json!(first), &json!("pending_payment"))
            );
            let other = Organisation { mode: organisation.other_mode, ..*organisation };
            let changed = put(world, &ada, &other).await;
            assert_eq!(changed.json["status"], "open", "{}", changed.text);
            assert_ne!(changed.json["cart_id"], first);
            assert_eq!(world.status(first).await["status"], "cancelled");
            let expected = if organisation.can_cancel { "cancelled" } else { "superseded" };
            assert_eq!(world.transaction(first).await.0, expected);
        }
    })
    .await;
}

#[tokio::test]
async fn the_country_of_a_cart_is_the_one_it_was_filled_with() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = world.platform_user("ada@example.com").await;
        let cookie = format!("sessionid={}", ada["sessionid"].as_str().unwrap());
        let request = world
            .request(Method::PUT, CART)
            .header("cookie", &cookie)
            .header("orgName", "northwind")
            .header("X-Visitor-Country", "IN")
            .json(&items(&[(PAID_COURSE, "verified")]));
        let filled = Reply::read(request).await;
        let price = filled.json["total_price"].as_f64().unwrap();
        assert!(price < 199.0, "{}", filled.text);
        // The country header of a learner's own request sets no price, neither here nor at the checkout.
        let own = |method, path: &str| {
            world
                .http
                .request(method, world.url(path))
                .header("cookie", &cookie)
                .header("origin", "http://store.test")
                .header("orgName", "northwind")
                .header("X-Visitor-Country", "BR")
        };
        let reply = Reply::read(own(Method::POST, CHECKOUT)).await;
        assert_eq!(reply.json["total_price"].as_f64(), Some(price), "{}", reply.text);
        let refilled = Reply::read(own(Method::PUT, CART).json(&items(&[(PAID_COURSE, "verified")]))).await;
        assert_eq!(refilled.json["total_price"], 199, "{}", refilled.text);
        let wrong = own(Method::PUT, CART).header("clientapisecret", "wrong").json(&items(&[]));
        Reply::read(wrong).await.assert_problem(401, "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn a_cart_is_shown_to_its_learner_the_backend_and_the_holder_of_its_link() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let (ada, bob) = (learner(world, "ada@example.com").await, learner(world, "bob@example.com").await);
        let organisation = &ORGANISATIONS[0];
        put(world, &ada, organisation).await;
        let reply = checkout(world, &ada, organisation).await;
        let cart = reply.json["cart_id"].as_str().unwrap();
        let token = reply.json["redirect_url"].as_str().unwrap().split_once("token=").unwrap().1;
        let open = async |path: String| Reply::read(world.http.get(world.url(&path))).await;
        for route in ["status", "pay"] {
            let path = format!("/storeapi/payment/{route}/{cart}/");
            assert_eq!(send(world, &ada, "northwind", Method::GET, &path, None).await.status, 200);
            send(world, &bob, "northwind", Method::GET, &path, None).await.assert_problem(404, "not_found");
            assert_eq!(open(format!("{path}?token={token}")).await.status, 200);
            open(path.clone()).await.assert_problem(401, "unauthenticated");
            open(format!("{path}?token=x{token}")).await.assert_problem(401, "unauthenticated");
            let by_backend = world.get(&path).await.status;
            assert_eq!(by_backend, if route == "status" { 200 } else { 401 });
            // The link of one cart opens no other cart.
            put(world, &bob, organisation).await;
            let other = checkout(world, &bob, organisation).await;
            let other = other.json["cart_id"].as_str().unwrap();
            let path = format!("/storeapi/payment/{route}/{other}/?token={token}");
            open(path).await.assert_problem(401, "unauthenticated");
        }
        world.clock.advance(chrono::TimeDelta::minutes(31));
        let late = open(format!("/storeapi/payment/pay/{cart}/?token={token}")).await;
        late.assert_problem(401, "unauthenticated");
        world.get("/storeapi/payment/status/nothing/").await.assert_problem(400, "invalid_request");
        let unknown = format!("/storeapi/payment/status/{}/", harness::steps::demo::UNKNOWN_ID);
        world.get(&unknown).await.assert_problem(404, "not_found");
    })
    .await;
}

#[tokio::test]
async fn the_payment_page_lets_in_its_own_and_the_providers_script_alone() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, "ada@example.com").await;
        sqlx::query("UPDATE courses SET display_name = '</script><b>Data & \"SQL\"</b>'")
            .execute(&world.db)
            .await
            .unwrap();
        for organisation in &ORGANISATIONS {
            let Some(script) = organisation.script else { continue };
            put(world, &ada, organisation).await;
            let reply = checkout(world, &ada, organisation).await;
            let path =
                reply.json["redirect_url"].as_str().unwrap().strip_prefix("http://store.test").unwrap();
            let response = world.http.get(world.url(path)).send().await.unwrap();
            let policy = response.headers()["content-security-policy"].to_str().unwrap().to_owned();
            assert_eq!(response.headers()["cache-control"], "no-store");
            assert_eq!(response.headers()["x-content-type-options"], "nosniff");
            let simulators = world.simulators.url("");
            for part in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", &simulators] {
                assert!(policy.contains(part), "{policy}");
            }
            assert!(
                !policy.contains("unsafe-eval") && !policy.contains("script-src 'unsafe-inline'"),
                "{policy}"
            );
            let html = response.text().await.unwrap().replace("&#x2f;", "/");
            assert!(html.contains("width=device-width"), "{html}");
            // The page shows a course's name as text, not as markup.
            assert!(!html.contains("<b>Data"), "{html}");
            assert!(html.contains("&lt;b&gt;Data"), "{html}");
            assert!(html.contains(&world.simulators.url(script)), "{html}");
            // The hosts that the real script needs.
            let needed: &[&str] = match organisation.gateway {
                Gateway::Stripe => {
                    &["https://*.js.stripe.com", "https://hooks.stripe.com", "https://api.stripe.com"]
                }
                _ => &[
                    "https://api.razorpay.com",
                    "https://cdn.razorpay.com",
                    "https://lumberjack.razorpay.com",
                    "https://lumberjack-metrics.razorpay.com",
                    "style-src 'unsafe-inline'",
                ],
            };
            for part in needed {
                assert!(policy.contains(part), "{part} is not in {policy}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn what_the_payment_page_keeps_out_is_counted_and_raises_one_alert_for_each_host() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, "ada@example.com").await;
        put(world, &ada, &ORGANISATIONS[0]).await;
        let reply = checkout(world, &ada, &ORGANISATIONS[0]).await;
        let path = reply.json["redirect_url"].as_str().unwrap().strip_prefix("http://store.test").unwrap();
        let page = world.http.get(world.url(path)).send().await.unwrap();
        let policies: Vec<_> =
            page.headers().get_all("content-security-policy").iter().map(|policy| policy.to_str().unwrap()).collect();
        // Browsers report attempts to frame a page by a policy without `report-to` alone.
        assert!(policies[0].ends_with("; report-uri /storeapi/payment/violations/; report-to violations"), "{policies:?}");
        assert_eq!(policies[1..], ["frame-ancestors 'none'; report-uri /storeapi/payment/violations/"]);
        assert_eq!(page.headers()["reporting-endpoints"], "violations=\"/storeapi/payment/violations/\"");

        let alerts = r#"storefront_alerts_total{what="payment_page"}"#;
        let before = world.metric(alerts).await.unwrap();
        let of = |directive: &str, blocked: &str| json!({ "effective-directive": directive, "blocked-uri": blocked });
        let evil = json!({ "csp-report": of("script-src-elem", "https://evil.example/skimmer.js?token=secret") });
        let list = json!([{ "type": "csp-violation", "body": { "effectiveDirective": "connect-src", "blockedURL": "https://evil.example/" } }]);
        let extension = json!({ "csp-report": {
            "effective-directive": "script-src-elem", "blocked-uri": "inline", "source-file": "moz-extension" } });
        for (media_type, body) in [
            ("application/csp-report", evil.to_string()),
            ("application/reports+json", list.to_string()),
            ("application/csp-report", list.to_string()),
            ("application/csp-report", extension.to_string()),
            ("text/plain", "no report".to_owned()),
            ("application/csp-report", "x".repeat(300 * 1024)),
        ] {
            let request = world.http.post(world.url("/storeapi/payment/violations/")).header("content-type", media_type);
            let answer = request.body(body).send().await.unwrap();
            assert_eq!((answer.status().as_u16(), answer.bytes().await.unwrap().len()), (204, 0), "{media_type}");
        }
        for (directive, by, number) in
            [("script-src-elem", "page", 1.0), ("connect-src", "page", 2.0), ("script-src-elem", "browser", 1.0)]
        {
            let counter = format!(r#"storefront_policy_violations_total{{directive="{directive}",by="{by}"}}"#);
            assert_eq!(world.metric(&counter).await, Some(number), "{counter}");
        }
        // One for each directive and host; what an extension adds is none.
        assert_eq!(world.metric(alerts).await.unwrap() - before, 2.0);
    })
    .await;
}

#[tokio::test]
async fn the_payment_page_hands_the_billing_details_to_the_providers_script() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, "ada@example.com").await;
        let organisation = &ORGANISATIONS[0];
        let mut body = items(&[(organisation.course, organisation.mode)]);
        body["billing_address"] = json!({ "name": "Ada Lovelace", "line1": "12 St James's Square", "line2": "",
            "city": "London", "country": "GB" });
        send(world, &ada, organisation.short_name, Method::PUT, CART, Some(body)).await;
        let reply = checkout(world, &ada, organisation).await;
        let path = reply.json["redirect_url"].as_str().unwrap().strip_prefix("http://store.test").unwrap();
        let page = Reply::read(world.http.get(world.url(path))).await.text;
        let (_, data) = page.split_once("type=\"application/json\"").unwrap();
        let data = data.split_once('>').unwrap().1.split_once("</script>").unwrap().0;
        let data: Value = serde_json::from_str(data).unwrap();
        let expected = json!({ "name": "Ada Lovelace", "email": "ada@example.com",
            "address": { "line1": "12 St James's Square", "city": "London", "country": "GB" } });
        assert_eq!(data["billing_details"], expected);
        // Of the line, of the total, and on the button.
        assert_eq!(page.matches("$199.00").count(), 3, "{page}");
    })
    .await;
}

#[tokio::test]
async fn a_learner_whose_payment_has_died_finds_the_cart_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, "ada@example.com").await;
        let organisation = &ORGANISATIONS[1];
        put(world, &ada, organisation).await;
        let first = checkout(world, &ada, organisation).await;
        let first = first.json["cart_id"].as_str().unwrap();
        let payment = world.payment(first).await;
        // With Mollie a failed payment is final.
        world.at_provider("fail", payment["reference"].as_str().unwrap(), json!({})).await;
        world.cart_becomes(first, "cancelled").await;
        let again = send(world, &ada, organisation.short_name, Method::GET, CART, None).await;
        assert_eq!((&again.json["status"], &again.json["total_price"]), (&json!("open"), &json!(240)));
        assert_ne!(again.json["cart_id"], first);
        let second = checkout(world, &ada, organisation).await;
        assert_eq!(second.json["cart_id"], again.json["cart_id"]);
        // The same happens if the provider refuses the payment.
        let organisation = &ORGANISATIONS[0];
        put(world, &ada, organisation).await;
        world
            .fault(json!({ "target": "stripe", "path": "payment_intents", "kind": "status", "status": 400 }))
            .await;
        checkout(world, &ada, organisation).await.assert_problem(502, "gateway_error");
        assert_eq!(checkout(world, &ada, organisation).await.json["status"], "payment_required");
    })
    .await;
}

#[tokio::test]
async fn a_cart_whose_payment_nobody_knows_any_more_expires_and_does_not_open_again() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        let ada = learner(world, "ada@example.com").await;
        let organisation = &ORGANISATIONS[0];
        put(world, &ada, organisation).await;
        let cart = checkout(world, &ada, organisation).await.json["cart_id"].as_str().unwrap().to_owned();
        // Simulates a change of the provider account.
        let lost = "UPDATE transactions SET provider_reference = provider_reference || 'x'";
        sqlx::query(lost).execute(&world.db).await.unwrap();
        world.clock.advance(chrono::TimeDelta::days(4));
        world.cart_becomes(&cart, "expired").await;
        let (state, _, alert) = world.transaction(&cart).await;
        assert!(state == "superseded" && alert.unwrap().contains("does not know"), "{state}");
        let open: i64 = sqlx::query_scalar("SELECT count(*) FROM carts WHERE state = 'open'")
            .fetch_one(&world.db)
            .await
            .unwrap();
        assert_eq!(open, 0);
    })
    .await;
}

#[tokio::test]
async fn a_payment_that_its_provider_does_not_know_any_more_holds_up_no_other_payment() {
    world(Setup::selling(), async |world| {
        world.sell().await;
        for organisation in &ORGANISATIONS {
            let email = format!("{}@example.com", organisation.short_name);
            let user = world.platform_user(&email).await;
            let first = world.learner_checkout(organisation, &user).await;
            let first = first.json["cart_id"].as_str().unwrap().to_owned();
            // Simulates a change of the provider account.
            let lost = "UPDATE transactions SET provider_reference = provider_reference || 'x'";
            sqlx::query(lost).execute(&world.db).await.unwrap();
            let second = world.learner_checkout(organisation, &user).await;
            assert_eq!((second.status, &second.json["status"]), (200, &json!("success")), "{}", second.text);
            assert_ne!(second.json["cart_id"], first);
            assert!(world.transaction(&first).await.2.unwrap().contains("does not know"));
            assert_eq!(world.status(&first).await["safe_to_charge_again"], false);
        }
    })
    .await;
}
