//! The four simulated payment providers.

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use super::World;

pub async fn answer(request: RequestBuilder) -> (u16, Value) {
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

impl World {
    pub fn stripe(&self, method: Method, path: &str) -> RequestBuilder {
        let url = self.simulators.url(&format!("/stripe/v1{path}"));
        self.client.request(method, url).bearer_auth("sk_test_demo_northwind")
    }

    pub fn mollie(&self, method: Method, path: &str) -> RequestBuilder {
        let url = self.simulators.url(&format!("/mollie/v2{path}"));
        self.client.request(method, url).bearer_auth("test_demo_lindgren")
    }

    pub fn razorpay(&self, method: Method, path: &str) -> RequestBuilder {
        let url = self.simulators.url(&format!("/razorpay/v1{path}"));
        let request = self.client.request(method, url);
        request.basic_auth("rzp_test_demo_saraswati", Some("demo-key-secret-saraswati"))
    }
}

#[tokio::test]
async fn stripe_makes_an_intent_once_for_a_key_and_refuses_the_key_for_another() {
    let world = World::new().await;
    let create = |amount: &str, key: &str| {
        let form = [("amount", amount), ("currency", "usd"), ("metadata[transaction_id]", "t-1")];
        answer(world.stripe(Method::POST, "/payment_intents").header("Idempotency-Key", key).form(&form))
    };
    let (status, first) = create("1999", "k").await;
    assert_eq!(
        (status, &first["status"], &first["metadata"]["transaction_id"]),
        (200, &json!("requires_payment_method"), &json!("t-1"))
    );
    assert_eq!(create("1999", "k").await.1, first);
    let (status, refused) = create("2000", "k").await;
    assert_eq!((status, &refused["error"]["type"]), (400, &json!("idempotency_error")));
    assert_ne!(create("1999", "k2").await.1["id"], first["id"]);
    let (_, listed) =
        world.control(Method::GET, "/_sim/payments?our_reference=t-1&gateway=stripe", json!({})).await;
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["create_calls"]), (2, &json!(2)));
    let path = format!("/payment_intents/{}", first["id"].as_str().unwrap());
    assert_eq!(answer(world.stripe(Method::POST, &format!("{path}/cancel"))).await.1["status"], "canceled");
    // The payment can still succeed after it was cancelled.
    let pay = format!("/_sim/payments/{}/pay", first["id"].as_str().unwrap());
    assert_eq!(world.control(Method::POST, &pay, json!({"notify": false})).await.1["status"], "paid");
    assert_eq!(answer(world.stripe(Method::GET, &path)).await.1["status"], "succeeded");
    assert_eq!(answer(world.stripe(Method::POST, &format!("{path}/cancel"))).await.0, 400);
    let unknown =
        world.client.get(world.simulators.url(&format!("/stripe/v1{path}"))).bearer_auth("sk_other");
    assert_eq!(answer(unknown).await.0, 401);
    let refund = [("payment_intent", first["id"].as_str().unwrap()), ("amount", "999")];
    assert_eq!(answer(world.stripe(Method::POST, "/refunds").form(&refund)).await.1["amount"], 999);
    let refund = [("payment_intent", first["id"].as_str().unwrap()), ("amount", "1001")];
    assert_eq!(answer(world.stripe(Method::POST, "/refunds").form(&refund)).await.0, 400);
}

/// The limits of <https://docs.stripe.com/metadata>, <https://razorpay.com/docs/api/orders/create/> and
/// <https://docs.mollie.com/reference/create-payment>.
#[tokio::test]
async fn each_provider_refuses_metadata_beyond_its_limits() {
    let world = World::new().await;
    let long = |length: usize| "x".repeat(length);
    for (name, value, status) in [
        ("utm_source".to_owned(), long(500), 200),
        (long(40), "mail".to_owned(), 200),
        ("utm[source]".to_owned(), "mail".to_owned(), 400),
        (String::new(), "mail".to_owned(), 400),
        (long(41), "mail".to_owned(), 400),
        ("utm_source".to_owned(), long(501), 400),
    ] {
        let name = format!("metadata[{name}]");
        let form = [("amount", "1999"), ("currency", "usd"), (name.as_str(), value.as_str())];
        let (answered, body) = answer(world.stripe(Method::POST, "/payment_intents").form(&form)).await;
        assert_eq!(answered, status, "{name}: {body}");
    }
    let pairs = |count: usize, length: usize| -> Value {
        (0..count).map(|nth| (nth.to_string(), json!(long(length)))).collect::<serde_json::Map<_, _>>().into()
    };
    let mut many: Vec<_> = (0..51).map(|nth| (format!("metadata[{nth}]"), "x")).collect();
    many.extend([("amount".to_owned(), "1999"), ("currency".to_owned(), "usd")]);
    assert_eq!(answer(world.stripe(Method::POST, "/payment_intents").form(&many)).await.0, 400);
    for (notes, status) in [(pairs(15, 256), 200), (pairs(16, 1), 400), (pairs(1, 257), 400)] {
        let order = json!({ "amount": 19_900, "currency": "INR", "receipt": "t-3", "notes": notes });
        assert_eq!(answer(world.razorpay(Method::POST, "/orders").json(&order)).await.0, status, "{notes}");
    }
    for (metadata, status) in [(pairs(1, 1_000), 201), (pairs(1, 1_024), 422)] {
        let payment = json!({ "amount": { "currency": "EUR", "value": "129.99" }, "description": "A course",
            "redirectUrl": "http://store.test/back", "metadata": metadata });
        assert_eq!(answer(world.mollie(Method::POST, "/payments").json(&payment)).await.0, status);
    }
}

#[tokio::test]
async fn mollie_has_a_page_on_which_a_buyer_pays_and_goes_back() {
    let world = World::new().await;
    let body = json!({"amount": {"currency": "EUR", "value": "129.99"}, "description": "A course",
        "redirectUrl": "http://store.test/back", "metadata": {"transaction_id": "t-2"}});
    let (status, payment) = answer(world.mollie(Method::POST, "/payments").json(&body)).await;
    assert_eq!(
        (status, &payment["status"], &payment["amount"]["value"]),
        (201, &json!("open"), &json!("129.99"))
    );
    let page = payment["_links"]["checkout"]["href"].as_str().unwrap();
    assert!(world.client.get(page).send().await.unwrap().text().await.unwrap().contains("129.99 EUR"));
    let paid = world.client.post(format!("{page}/pay")).send().await.unwrap();
    assert_eq!(
        (paid.status().as_u16(), paid.headers()["location"].to_str().unwrap()),
        (303, "http://store.test/back")
    );
    let path = format!("/payments/{}", payment["id"].as_str().unwrap());
    assert_eq!(answer(world.mollie(Method::GET, &path)).await.1["status"], "paid");
    assert_eq!(answer(world.mollie(Method::DELETE, &path)).await.0, 422);
    for wrong in ["129.9", "129.999", "-1.00", "0.00", "x"] {
        let mut body = body.clone();
        body["amount"]["value"] = json!(wrong);
        assert_eq!(answer(world.mollie(Method::POST, "/payments").json(&body)).await.0, 422, "{wrong}");
    }
    // Countries have their codes of ISO 3166-1, which has none of Kosovo.
    for (address, status) in [
        (json!({ "city": "Wien", "country": "AT" }), 201),
        (json!({ "city": "Prishtina", "country": "XK" }), 422),
        (json!({ "city": " ", "country": "AT" }), 422),
    ] {
        let mut body = body.clone();
        body["billingAddress"] = address.clone();
        assert_eq!(answer(world.mollie(Method::POST, "/payments").json(&body)).await.0, status, "{address}");
    }
    let refund = json!({"amount": {"currency": "EUR", "value": "29.99"}});
    assert_eq!(answer(world.mollie(Method::POST, &format!("{path}/refunds")).json(&refund)).await.0, 201);
    assert_eq!(answer(world.mollie(Method::GET, &path)).await.1["amountRefunded"]["value"], "29.99");
}

#[tokio::test]
async fn razorpay_finds_an_order_by_its_receipt() {
    let world = World::new().await;
    let body = json!({"amount": 49900, "currency": "INR", "receipt": "t-3", "notes": {}});
    let (status, order) = answer(world.razorpay(Method::POST, "/orders").json(&body)).await;
    assert_eq!((status, &order["status"], &order["notes"]), (200, &json!("created"), &json!([])));
    let (_, found) = answer(world.razorpay(Method::GET, "/orders?receipt=t-3")).await;
    assert_eq!((&found["count"], &found["items"][0]["id"]), (&json!(1), &order["id"]));
    assert_eq!(answer(world.razorpay(Method::GET, "/orders?receipt=t-4")).await.1["count"], 0);
    let reference = order["id"].as_str().unwrap();
    assert_eq!(
        world.control(Method::POST, &format!("/_sim/payments/{reference}/fail"), json!({})).await.1["status"],
        "failed"
    );
    assert_eq!(
        answer(world.razorpay(Method::GET, &format!("/orders/{reference}"))).await.1["status"],
        "attempted"
    );
    world.control(Method::POST, &format!("/_sim/payments/{reference}/pay"), json!({})).await;
    let (_, attempts) = answer(world.razorpay(Method::GET, &format!("/orders/{reference}/payments"))).await;
    assert_eq!(attempts["items"][0]["status"], "captured");
    let refund = format!("/payments/{}/refund", attempts["items"][0]["id"].as_str().unwrap());
    assert_eq!(answer(world.razorpay(Method::POST, &refund).json(&json!({}))).await.1["amount"], 49900);
    assert_eq!(answer(world.razorpay(Method::POST, &refund).json(&json!({}))).await.0, 400);
    // Another account, even at the sister provider, cannot see the order.
    let curlec = world.client.get(world.simulators.url(&format!("/curlec/v1/orders/{reference}")));
    let curlec = curlec.basic_auth("rzp_test_demo_kinabalu", Some("demo-key-secret-kinabalu"));
    assert_eq!(answer(curlec).await.0, 400);
    let stranger = world.client.get(world.simulators.url(&format!("/curlec/v1/orders/{reference}")));
    assert_eq!(answer(stranger.basic_auth("rzp_test_demo_kinabalu", Some("wrong"))).await.0, 401);
}

#[tokio::test]
async fn a_lost_answer_leaves_the_payment_made() {
    let world = World::new().await;
    world.fault(json!({"target": "stripe", "kind": "lost_answer"})).await;
    let form = [("amount", "500"), ("currency", "usd"), ("metadata[transaction_id]", "t-4")];
    assert!(world.stripe(Method::POST, "/payment_intents").form(&form).send().await.is_err());
    let (_, listed) = world.control(Method::GET, "/_sim/payments?our_reference=t-4", json!({})).await;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    world.fault(json!({"target": "mollie", "kind": "status", "status": 503})).await;
    assert_eq!(answer(world.mollie(Method::GET, "/payments/tr_x")).await.0, 503);
    assert_eq!(world.control(Method::POST, "/_sim/payments/tr_x/pay", json!({})).await.0, 404);
}

#[tokio::test]
async fn an_account_opened_later_takes_payments_and_no_other_organisation_can_use_its_key() {
    let world = World::new().await;
    let open = |organisation: &str, key: &str| {
        let account = json!({"gateway": "stripe", "organisation": organisation, "secret_key": key,
            "public_key": "pk_acme", "notification_secret": "whsec_acme"});
        world.control(Method::POST, "/_sim/accounts", account)
    };
    let create = |key: &str| {
        let url = world.simulators.url("/stripe/v1/payment_intents");
        let form = [("amount", "1999"), ("currency", "usd")];
        answer(world.client.post(url).bearer_auth(key).form(&form))
    };
    assert_eq!(create("sk_acme").await.0, 401);
    assert_eq!(open("acme", "sk_acme").await.0, 204);
    assert_eq!(create("sk_acme").await.0, 200);
    // A new key replaces the old one.
    assert_eq!(open("acme", "sk_acme_2").await.0, 204);
    assert_eq!((create("sk_acme").await.0, create("sk_acme_2").await.0), (401, 200));
    assert_eq!(open("other", "sk_acme_2").await.0, 400);
    let (_, accounts) = world.control(Method::GET, "/_sim/accounts", json!({})).await;
    assert_eq!(accounts.as_array().map(Vec::len), Some(5));
}
