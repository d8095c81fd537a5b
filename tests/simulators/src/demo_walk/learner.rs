//! The part of the walk that a signed-in learner takes.

use serde_json::{Value, json};

use crate::{Offer, Walk, active, heading, text};

impl Walk {
    /// With a platform session that the storefront's backend forwards.
    pub async fn signed_in(&mut self, email: &str, offer: &Offer, organisation: &str) {
        heading("A learner signs in on the course platform, and the storefront forwards the session");
        let account = self.post("/_sim/users", json!({"email": email, "hint": false})).await;
        self.check("200 or 201", matches!(account.status, 200 | 201));
        let session = text(&account.body, "sessionid");
        self.cookie = format!("sessionid={session}; orgName={}", offer.organisation);
        let probe = self.get("/storeapi/discovery/user/").await;
        let known = probe.body.get("authenticated") == Some(&Value::Bool(true));
        self.check("200, signed in under that address", known && probe.says("email", email));
        heading("The payment methods that the organisation's gateway offers");
        let answer = self.get("/storeapi/payment/capabilities/").await;
        self.check("200 and a gateway", answer.status == 200 && !text(&answer.body, "gateway").is_empty());
        heading("A free course for the signed-in learner");
        let items = json!([{"type": "course", "id": offer.id, "mode": offer.mode}]);
        let basket = json!({"organisation_id": organisation, "items": items});
        let answer = self.post("/storeapi/discovery/checkout/", basket).await;
        self.check("200, status free", answer.says("status", "free"));
        self.platform(email, "an active enrollment", |held| active(held, offer) == Some(true)).await;
        let key = offer.key.replace(':', "%3A").replace('+', "%2B");
        let answer = self.get(&format!("/storeapi/discovery/check-enrollment/{key}/")).await;
        self.check("200, enrolled", answer.body.get("enrolled") == Some(&Value::Bool(true)));
        self.own_cart(offer).await;
        heading("The signed-in learner tries the guest checkout");
        let basket = json!({"email": email, "organisation_id": organisation, "items": items});
        let answer = self.post(crate::CHECKOUT, basket).await;
        self.check("403, code guest_only", answer.refuses(403, "guest_only"));
        self.cookie.clear();
    }
}
