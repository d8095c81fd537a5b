//! Payments that take their time: pending, authorised, expired, and late; and what the providers refuse meanwhile.

use reqwest::Method;
use serde_json::{Value, json};

use super::{World, payments::answer};

const DAY: u32 = 24 * 60 * 60;

impl World {
    async fn steer(&self, reference: &str, what: &str, body: Value) -> u16 {
        self.control(Method::POST, &format!("/_sim/payments/{reference}/{what}"), body).await.0
    }

    async fn intent(&self) -> String {
        let form = [("amount", "5000"), ("currency", "usd")];
        let (_, intent) = answer(self.stripe(Method::POST, "/payment_intents").form(&form)).await;
        intent["id"].as_str().unwrap().to_owned()
    }

    async fn intent_status(&self, id: &str) -> Value {
        answer(self.stripe(Method::GET, &format!("/payment_intents/{id}"))).await.1["status"].clone()
    }

    async fn mollie_payment(&self) -> String {
        let body = json!({"description": "A course", "amount": {"currency": "EUR", "value": "50.00"},
            "redirectUrl": "http://a"});
        let (_, payment) = answer(self.mollie(Method::POST, "/payments").json(&body)).await;
        payment["id"].as_str().unwrap().to_owned()
    }

    async fn read_mollie(&self, id: &str) -> Value {
        answer(self.mollie(Method::GET, &format!("/payments/{id}"))).await.1
    }

    async fn order(&self) -> String {
        let body = json!({"amount": 5000, "currency": "INR"});
        let (_, order) = answer(self.razorpay(Method::POST, "/orders").json(&body)).await;
        order["id"].as_str().unwrap().to_owned()
    }

    /// The order's payments, newest first, and its own status.
    async fn attempts(&self, id: &str) -> (Vec<Value>, Value) {
        let (_, attempts) = answer(self.razorpay(Method::GET, &format!("/orders/{id}/payments"))).await;
        let (_, order) = answer(self.razorpay(Method::GET, &format!("/orders/{id}"))).await;
        (attempts["items"].as_array().unwrap().clone(), order)
    }
}

#[tokio::test]
async fn stripe_takes_twelve_digits_by_card_and_fewer_by_other_means() {
    let world = World::new().await;
    let create = |amount: i64, currency: &'static str| {
        let form = [("amount", amount.to_string()), ("currency", currency.to_owned())];
        answer(world.stripe(Method::POST, "/payment_intents").form(&form))
    };
    for (currency, most) in
        [("usd", 99_999_999), ("inr", 999_999_999), ("cop", 9_999_999_999), ("idr", 999_999_999_999)]
    {
        for (amount, expected) in [(most, 200), (most + 1, 409)] {
            let (status, intent) = create(amount, currency).await;
            if amount > 999_999_999_999 {
                let code = &intent["error"]["code"];
                assert_eq!((status, code), (400, &json!("amount_too_large")), "{intent}");
                continue;
            }
            let id = intent["id"].as_str().unwrap();
            assert_eq!(world.steer(id, "pending", json!({})).await, expected, "{amount} {currency}");
        }
        let (_, intent) = create(999_999_999_999, currency).await;
        assert_eq!(world.steer(intent["id"].as_str().unwrap(), "pay", json!({})).await, 200, "{currency}");
    }
}

#[tokio::test]
async fn a_stripe_intent_waits_for_slow_methods_and_for_a_capture() {
    let world = World::new().await;
    for (method, expected, cancelled) in [
        ("debit", "processing", 400),
        ("voucher", "requires_action", 200),
        ("bank_transfer", "requires_action", 200),
    ] {
        let id = world.intent().await;
        assert_eq!(world.steer(&id, "pending", json!({"method": method})).await, 200);
        assert_eq!(world.intent_status(&id).await, expected);
        let cancel = world.stripe(Method::POST, &format!("/payment_intents/{id}/cancel"));
        assert_eq!(answer(cancel).await.0, cancelled, "{method}");
    }
    let id = world.intent().await;
    world.steer(&id, "pending", json!({"method": "voucher"})).await;
    assert_eq!(world.steer(&id, "expire", json!({})).await, 200);
    assert_eq!(world.intent_status(&id).await, "requires_payment_method");
    assert_eq!(world.steer(&id, "authorize", json!({})).await, 200);
    assert_eq!(world.intent_status(&id).await, "requires_capture");
    assert_eq!(world.steer(&id, "pay", json!({})).await, 200);
    assert_eq!(world.intent_status(&id).await, "succeeded");
}

#[tokio::test]
async fn a_mollie_payment_expires_after_15_minutes_unless_it_waits() {
    let world = World::new().await;
    let (open, pending, transfer) =
        (world.mollie_payment().await, world.mollie_payment().await, world.mollie_payment().await);
    world.steer(&pending, "pending", json!({})).await;
    world.steer(&transfer, "pending", json!({"method": "bank_transfer"})).await;
    assert_eq!(world.control(Method::POST, "/_sim/clock", json!({"seconds": 14 * 60})).await.0, 204);
    assert_eq!(world.read_mollie(&open).await["status"], "open");
    world.control(Method::POST, "/_sim/clock", json!({"seconds": 2 * 60})).await;
    assert_eq!(world.read_mollie(&open).await["status"], "expired");
    assert_eq!(world.read_mollie(&pending).await["status"], "pending");
    assert_eq!(world.read_mollie(&transfer).await["status"], "open");
    world.control(Method::POST, "/_sim/clock", json!({"seconds": 13 * DAY})).await;
    assert_eq!(world.read_mollie(&transfer).await["status"], "expired");
    // The money can still arrive.
    assert_eq!(world.steer(&transfer, "pay", json!({})).await, 200);
    assert_eq!(world.read_mollie(&transfer).await["status"], "paid");
}

#[tokio::test]
async fn mollie_cancels_only_what_is_cancelable() {
    let world = World::new().await;
    for (what, method, status, expected) in [
        ("pending", "redirect", "open", 422),
        ("pending", "debit", "pending", 422),
        ("pending", "bank_transfer", "open", 200),
        ("authorize", "debit", "authorized", 200),
    ] {
        let id = world.mollie_payment().await;
        assert_eq!(world.steer(&id, what, json!({"method": method})).await, 200);
        let payment = world.read_mollie(&id).await;
        assert_eq!((&payment["status"], &payment["isCancelable"]), (&json!(status), &json!(expected == 200)));
        assert_eq!(
            answer(world.mollie(Method::DELETE, &format!("/payments/{id}"))).await.0,
            expected,
            "{method}"
        );
    }
}

#[tokio::test]
async fn an_order_has_several_payments_and_captures_one() {
    let world = World::new().await;
    let id = world.order().await;
    world.steer(&id, "fail", json!({})).await;
    world.steer(&id, "authorize", json!({})).await;
    let (attempts, order) = world.attempts(&id).await;
    assert_eq!((&attempts[0]["status"], &attempts[0]["captured"]), (&json!("authorized"), &json!(false)));
    assert_eq!(
        (attempts.len(), &order["status"], &order["amount_paid"]),
        (2, &json!("attempted"), &json!(0))
    );
    world.steer(&id, "pay", json!({})).await;
    // The attempt that had failed is authorised late: the order is paid already, so it is given back.
    assert_eq!(world.steer(&id, "authorize", json!({"late": true})).await, 200);
    let (attempts, order) = world.attempts(&id).await;
    assert_eq!((&attempts[0]["status"], &order["status"]), (&json!("captured"), &json!("paid")));
    assert_eq!((&attempts[1]["status"], &attempts[1]["captured"]), (&json!("refunded"), &json!(false)));
    assert_eq!((&order["amount_paid"], &order["attempts"]), (&json!(5000), &json!(2)));
}

#[tokio::test]
async fn a_failed_attempt_of_an_order_can_succeed_late_or_be_given_back() {
    let world = World::new().await;
    let id = world.order().await;
    world.steer(&id, "fail", json!({})).await;
    let failed = world.attempts(&id).await.0[0]["id"].clone();
    world.steer(&id, "pay", json!({"late": true})).await;
    let (attempts, _) = world.attempts(&id).await;
    assert_eq!((&attempts[0]["id"], &attempts[0]["status"]), (&failed, &json!("captured")));
    let id = world.order().await;
    world.steer(&id, "authorize", json!({})).await;
    assert_eq!(world.steer(&id, "expire", json!({})).await, 200);
    let (attempts, order) = world.attempts(&id).await;
    assert_eq!((&attempts[0]["status"], &order["status"]), (&json!("refunded"), &json!("attempted")));
}

#[tokio::test]
async fn a_buyer_who_bears_the_fee_pays_more_than_the_order() {
    let world = World::new().await;
    let id = world.order().await;
    world.steer(&id, "pay", json!({"fee": 118})).await;
    let (attempts, order) = world.attempts(&id).await;
    assert_eq!((&attempts[0]["amount"], &attempts[0]["fee"]), (&json!(5118), &json!(118)));
    assert_eq!((&order["amount"], &order["amount_paid"]), (&json!(5000), &json!(5118)));
    // With an offer, less.
    let id = world.order().await;
    world.steer(&id, "pay", json!({"fee": -500})).await;
    let (attempts, order) = world.attempts(&id).await;
    let seen = (&attempts[0]["amount"], &order["amount"], &order["amount_paid"], &order["status"]);
    assert_eq!(seen, (&json!(4500), &json!(5000), &json!(4500), &json!("paid")));
}

#[tokio::test]
async fn stripe_refuses_unknown_parameters_and_empty_texts() {
    let world = World::new().await;
    let session = [("customer", "cus_1"), ("components[payment_element][features][colour]", "red")];
    let (status, refused) = answer(world.stripe(Method::POST, "/customer_sessions").form(&session)).await;
    assert_eq!((status, &refused["error"]["code"]), (400, &json!("parameter_unknown")));
    let customer = [("name", ""), ("email", "ada@example.com")];
    let (status, refused) = answer(world.stripe(Method::POST, "/customers").form(&customer)).await;
    assert_eq!((status, &refused["error"]["code"]), (400, &json!("parameter_invalid_empty")));
    for (name, value, code) in [
        ("colour", "red", "parameter_unknown"),
        ("shipping[address][line9]", "a", "parameter_unknown"),
        ("description", "", "parameter_invalid_empty"),
        ("shipping[address][line2]", "", "parameter_invalid_empty"),
    ] {
        let form = [("amount", "5000"), ("currency", "usd"), (name, value)];
        let (status, refused) = answer(world.stripe(Method::POST, "/payment_intents").form(&form)).await;
        assert_eq!((status, &refused["error"]["code"]), (400, &json!(code)), "{name}");
        assert_eq!(refused["error"]["param"], name);
    }
    let id = world.intent().await;
    let read = world.stripe(Method::GET, &format!("/payment_intents/{id}?expand[]=latest_charge&colour=red"));
    assert_eq!(answer(read).await.1["error"]["code"], "parameter_unknown");
}

#[tokio::test]
async fn a_charge_is_an_id_unless_the_request_expands_it() {
    let world = World::new().await;
    let id = world.intent().await;
    world.steer(&id, "pay", json!({})).await;
    let (_, plain) = answer(world.stripe(Method::GET, &format!("/payment_intents/{id}"))).await;
    let expanded = world.stripe(Method::GET, &format!("/payment_intents/{id}?expand[]=latest_charge"));
    let (_, expanded) = answer(expanded).await;
    assert_eq!(expanded["latest_charge"]["id"], plain["latest_charge"]);
}

#[tokio::test]
async fn stripe_repeats_a_keys_first_answer_for_a_day_also_a_failure() {
    let world = World::new().await;
    let create = || {
        let form = [("amount", "5000"), ("currency", "usd")];
        world.stripe(Method::POST, "/payment_intents").header("Idempotency-Key", "k").form(&form)
    };
    world.fault(json!({"target": "stripe", "kind": "status", "status": 500})).await;
    assert_eq!(create().send().await.unwrap().status(), 500);
    let again = create().send().await.unwrap();
    assert_eq!(
        (again.status().as_u16(), &again.headers()["idempotent-replayed"]),
        (500, &"true".parse().unwrap())
    );
    world.control(Method::POST, "/_sim/clock", json!({"seconds": DAY})).await;
    let (status, first) = answer(create()).await;
    assert_eq!(status, 200);
    assert_eq!(answer(create()).await.1, first);
    world.control(Method::POST, "/_sim/clock", json!({"seconds": DAY})).await;
    assert_ne!(answer(create()).await.1["id"], first["id"], "the key is forgotten");
}
