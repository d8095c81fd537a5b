//! Seats in the walk: a company buys them, opens the link in its mail, assigns them and takes one back.

use serde_json::json;

use crate::{CHECKOUT, Offer, Walk, active, heading, rows, text};

impl Walk {
    /// `buyer` is the address of a company, and `person` one with an account at the course platform.
    pub async fn seats(&mut self, buyer: &str, person: &str, offer: &Offer) {
        heading("A company buys three seats in a course");
        let id = self.organisation_id(&offer.organisation).await;
        let items = json!([{"type": "course", "id": offer.id, "mode": offer.mode, "seats": 3}]);
        let address = json!({"company": "Engines & Sons", "country": "MY"});
        let basket =
            json!({"email": buyer, "organisation_id": id, "items": items, "billing_address": address});
        let answer = self.post(CHECKOUT, basket).await;
        self.check("200, success", answer.says("status", "success"));
        let cart = text(&answer.body, "cart_id").to_owned();
        self.pay_newest("curlec").await;
        let status = format!("/storeapi/payment/status/{cart}/");
        self.eventually_one(&status, "200, fulfilled", |cart| text(cart, "status") == "fulfilled").await;
        heading("The mail with the code links the page on which the company manages its seats");
        let mails = format!("/_sim/emails?to={buyer}");
        self.eventually(&mails, "a mail with the link", |mails| {
            mails.iter().any(|mail| link(mail).is_some())
        })
        .await;
        let mails = self.get(&mails).await;
        let mut links = mails.body.as_array().into_iter().flatten().filter_map(link);
        let Some((pool, token)) = links.next_back() else { return self.check("a link", false) };
        let path = format!("/storeapi/seats/{pool}/");

        heading("The company assigns seats: to an address with an account, and to one without");
        let new = format!("new.{buyer}");
        let emails = json!({"emails": [person, new]});
        let answer = self.post(&format!("{path}assign/?token={token}"), emails).await;
        self.check("202, two addresses", answer.status == 202);
        let batch = text(&answer.body, "batch_id").to_owned();
        let results = ["enrolled", "pending_registration"];
        self.eventually_one(
            &format!("{path}?token={token}&batch_id={batch}"),
            "200, both are done",
            |pool| {
                let batch = pool.get("batch").cloned().unwrap_or_default();
                let states = rows(&batch, "rows").iter().map(|row| text(row, "enrollment_state"));
                states.eq(results)
            },
        )
        .await;
        self.platform(person, "an active enrollment", |held| active(held, offer) == Some(true)).await;
        heading("It takes back the seat of the address that has not registered; the seat is free again");
        let answer = self.post(&format!("{path}revoke/?token={token}"), json!({"emails": [new]})).await;
        let freed = answer.body.pointer("/revoked/0/freed") == Some(&json!(true));
        self.check("200, freed", answer.status == 200 && freed);
        let pool = self.get(&format!("{path}?token={token}")).await;
        self.check("200, two of three seats left", pool.body.get("left") == Some(&json!(2)));
        heading("The organisation refunds the seats that are left; the one that is taken stays");
        let path = format!("/storeapi/payment/orders/{cart}/refunds/");
        let answer = self.post_with_key(&path, json!({"items": [0]})).await;
        let is_partial = answer.body.get("remaining").and_then(serde_json::Value::as_f64) > Some(0.0);
        self.check("200, succeeded, a third remains", answer.says("status", "succeeded") && is_partial);
        self.platform(person, "still an active enrollment", |held| active(held, offer) == Some(true)).await;
    }
}

/// The pool and the token of the link in a mail.
fn link(mail: &serde_json::Value) -> Option<(String, String)> {
    let line = text(mail, "text").lines().find(|line| line.contains("voucher_id="))?;
    let url: url::Url = line.trim().parse().ok()?;
    let value = |wanted: &str| {
        url.query_pairs().find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
    };
    Some((value("voucher_id")?, value("token")?))
}
