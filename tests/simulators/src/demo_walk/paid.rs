//! The paid part of the walk: for each gateway, from the basket through the signed webhook to the enrollment.

use serde_json::{Value, json};

use crate::{CHECKOUT, Offer, Walk, active, heading, rows, text};

/// Organisations of the demo catalog, their gateways, and the field of the checkout answer that starts each payment.
const ORGANISATIONS: [(&str, &str, &str); 4] = [
    ("northwind", "stripe", "client_secret"),
    ("lindgren", "mollie", "redirect_url"),
    ("saraswati", "razorpay", "order_id"),
    ("kinabalu", "curlec", "order_id"),
];

impl Walk {
    pub async fn paid(&mut self, email: &str) {
        heading("The course list once more; the walk picks its paid courses from it");
        let answer = self.get("/storeapi/discovery/courses/?fields=full&limit=100").await;
        let offers: Vec<Offer> = rows(&answer.body, "courses")
            .iter()
            .filter_map(|course| crate::offer(course, |price| price > 0.0))
            .collect();
        self.check("200, with paid courses", answer.status == 200 && !offers.is_empty());
        heading("The buyer registers on the course platform");
        let account = self.post("/_sim/users", json!({"email": email, "hint": false})).await;
        self.check("200 or 201", matches!(account.status, 200 | 201));
        let mut last = None;
        for organisation in ORGANISATIONS {
            match offers.iter().find(|offer| offer.organisation == organisation.0) {
                Some(offer) => last = Some((self.buy(email, offer, organisation).await, offer)),
                None => self.check(&format!("a course of {} to buy", organisation.0), false),
            }
        }
        let mails = format!("/_sim/emails?to={email}");
        self.eventually(&mails, "four receipts", |mails| mails.len() == 4).await;
        if let (Some((cart, offer)), false) = (last, self.key.is_empty()) {
            self.refund(email, &cart, offer).await;
            self.documents(&cart).await;
            self.events(&cart).await;
            self.voucher(email, offer).await;
            self.seats(&format!("office.{email}"), email, offer).await;
        }
    }

    /// An organisation without a provider: the buyer transfers the money, and the organisation reports it in two parts.
    pub async fn transfer(&mut self, email: &str) {
        if self.payments_key.is_empty() {
            return;
        }
        heading("A guest buys from an organisation that takes its payments itself, here as bank transfers");
        let answer = self.get("/storeapi/discovery/courses/?fields=full&limit=100&search=Borges").await;
        let offers = rows(&answer.body, "courses").iter();
        let offer = offers.filter_map(|course| crate::offer(course, |price| price > 0.0)).next();
        let Some(offer) = offer else { return self.check("a course of ateneo to buy", false) };
        let account = self.post("/_sim/users", json!({"email": email, "hint": false})).await;
        self.check("200 or 201", matches!(account.status, 200 | 201));
        let id = self.organisation_id("ateneo").await;
        let items = json!([{"type": "course", "id": offer.id, "mode": offer.mode}]);
        let body = json!({"email": email, "organisation_id": id, "items": items});
        let answer = self.post(CHECKOUT, body).await;
        let reference = text(&answer.body, "payment_reference").to_owned();
        self.check(
            "200, success, with payment_reference",
            answer.says("gateway", "external") && !reference.is_empty(),
        );
        heading("The organisation reports what its bank shows: first a part, then the rest");
        let total = answer.body.get("total_price").and_then(Value::as_f64).unwrap_or_default();
        let path = format!("/storeapi/payment/orders/{}/payments/", text(&answer.body, "cart_id"));
        for (amount, open) in [(total - 1000.0, 1000.0), (1000.0, 0.0)] {
            let report = json!({"amount": amount, "received_at": "2026-11-26T09:00:00Z", "reference": format!("{reference} {amount}")});
            let booked = self.post_with(&self.payments_key, &path, report).await;
            let left = booked.body.get("open_amount").and_then(Value::as_f64);
            self.check(&format!("200, {open} are open"), booked.status == 200 && left == Some(open));
        }
        self.platform(email, "an active enrollment", |held| active(held, &offer) == Some(true)).await;
        self.on_account(&format!("office.{email}"), id.as_deref(), &offer).await;
    }

    /// A company buys on account: it gets access and its invoice before it pays.
    async fn on_account(&mut self, email: &str, organisation_id: Option<&str>, offer: &Offer) {
        heading("A company buys on account, with access and an invoice before it pays");
        let account = self.post("/_sim/users", json!({"email": email, "hint": false})).await;
        self.check("200 or 201", matches!(account.status, 200 | 201));
        let items = json!([{"type": "course", "id": offer.id, "mode": offer.mode}]);
        let address = json!({"company": "Molinos del Sur S. A.", "country": "AR", "tax_id": "30-70000000-7"});
        let body = json!({"email": email, "organisation_id": organisation_id, "items": items,
            "billing_address": address, "pay_by": "invoice"});
        let answer = self.post(CHECKOUT, body).await;
        self.check(
            "200, success, with due_on",
            answer.says("gateway", "external") && !text(&answer.body, "due_on").is_empty(),
        );
        let cart = text(&answer.body, "cart_id").to_owned();
        self.platform(email, "an active enrollment", |held| active(held, offer) == Some(true)).await;
        heading("The order is cancelled: a credit note, and the access ends");
        let path = format!("/storeapi/payment/orders/{cart}/payments/cancel/");
        let ended = self.post_with(&self.payments_key, &path, Value::Null).await;
        self.check("200", ended.status == 200);
        self.platform(email, "no active enrollment", |held| active(held, offer) == Some(false)).await;
    }

    /// The invoice of the order and the credit note of its refund.
    async fn documents(&mut self, cart: &str) {
        heading("The order has an invoice and a credit note");
        let order = self.get_with_key(&format!("/storeapi/payment/orders/{cart}/")).await;
        let documents = rows(&order.body, "documents");
        let kinds: Vec<&str> = documents.iter().map(|document| text(document, "kind")).collect();
        self.check("200, both are listed", order.status == 200 && kinds == ["invoice", "credit_note"]);
        heading("The link in the mail opens the invoice");
        let url = documents.first().map(|document| text(document, "url").to_owned()).unwrap_or_default();
        let path = url.strip_prefix(&self.api).unwrap_or(&url).to_owned();
        let invoice = self.get(&path).await;
        self.check("200, a PDF", invoice.status == 200 && invoice.content_type == "application/pdf");
    }

    /// Shows what the organisation's systems learn of the cart.
    async fn events(&mut self, cart: &str) {
        heading("The organisation's CRM has got the order's events");
        let told = |bodies: &[Value], kind: &str| {
            bodies
                .iter()
                .any(|body| text(body, "type") == kind && body.pointer("/data/cart_id") == Some(&json!(cart)))
        };
        let all = ["order.pending", "order.paid", "order.fulfilled", "order.refunded"];
        self.eventually("/_sim/hooks?name=crm", "an event of each type", |deliveries| {
            let bodies = deliveries.iter().filter_map(|one| serde_json::from_str(text(one, "body")).ok());
            let bodies: Vec<Value> = bodies.collect();
            all.iter().all(|kind| told(&bodies, kind))
        })
        .await;
        heading("The same events are in the feed");
        let answer = self.get_with_key("/storeapi/events/?limit=1000").await;
        let feed = rows(&answer.body, "events");
        self.check(
            "200, an event of each type",
            answer.status == 200 && all.iter().all(|kind| told(feed, kind)),
        );
    }

    /// The organisation makes a voucher for one use with its key; a guest asks what the course costs with it, and uses it.
    async fn voucher(&mut self, email: &str, offer: &Offer) {
        heading("The organisation creates a voucher for one use");
        let terms = json!({"kind": "percent", "value": 20, "max_uses": 1, "campaign": "demo"});
        let answer = self.post_with_key("/storeapi/vouchers/", terms).await;
        let code = rows(&answer.body, "vouchers").first().map(|voucher| text(voucher, "code").to_owned());
        self.check("201, a code", answer.status == 201 && code.is_some());
        let id = self.organisation_id("kinabalu").await;
        let items = json!([{"type": "course", "id": offer.id, "mode": offer.mode}]);
        let mut basket = json!({"organisation_id": id, "items": items, "voucher": code});
        heading("What the course costs with it");
        let quote = self.post("/storeapi/discovery/quote/", basket.clone()).await;
        let is_accepted = quote.body.pointer("/voucher/accepted") == Some(&json!(true));
        self.check("200, accepted", quote.status == 200 && is_accepted);
        heading("A guest uses it; another one comes too late");
        if let Some(basket) = basket.as_object_mut() {
            basket.insert("email".to_owned(), json!(email));
        }
        let bought = self.post(CHECKOUT, basket.clone()).await;
        let same_price = quote.body.get("total_price") == bought.body.get("total_price");
        self.check("200, for the quoted price", bought.says("status", "success") && same_price);
        if let Some(basket) = basket.as_object_mut() {
            basket.insert("email".to_owned(), json!(format!("late.{email}")));
        }
        let late = self.post(CHECKOUT, basket).await;
        self.check("400, the voucher has no uses left", late.refuses(400, "invalid_request"));
    }

    /// With the key of the organisation that sold the cart.
    async fn refund(&mut self, email: &str, cart: &str, offer: &Offer) {
        heading("The organisation refunds the last order with its key");
        let path = format!("/storeapi/payment/orders/{cart}/refunds/");
        let answer = self.post_with_key(&path, json!({"reason": "the buyer changed their mind"})).await;
        self.check("200, succeeded", answer.says("status", "succeeded"));
        self.platform(email, "the refunded course inactive", |held| active(held, offer) == Some(false)).await;
        let mails = format!("/_sim/emails?to={email}");
        self.eventually(&mails, "a fifth mail, of the refund", |mails| mails.len() == 5).await;
        heading("Another refund of the same order");
        let answer = self.post_with_key(&path, json!({})).await;
        self.check("400, code invalid_request", answer.refuses(400, "invalid_request"));
    }

    /// Returns the cart's id.
    async fn buy(
        &mut self,
        email: &str,
        offer: &Offer,
        (organisation, gateway, start): (&str, &str, &str),
    ) -> String {
        heading(&format!("A guest checkout of a paid course of {organisation}, through {gateway}"));
        let id = self.organisation_id(organisation).await;
        let items = json!([{"type": "course", "id": offer.id, "mode": offer.mode}]);
        let mut basket = json!({"email": email, "organisation_id": id, "items": items});
        // Its buyers have a right of withdrawal, unless they are known to live outside of the EU.
        if let (Some(basket), "lindgren") = (basket.as_object_mut(), organisation) {
            basket.insert("consents".to_owned(), json!({"terms": true, "begin_now": true}));
        }
        let answer = self.post(CHECKOUT, basket).await;
        let ready = answer.says("status", "success") && answer.says("gateway", gateway);
        self.check(&format!("200, success, with {start}"), ready && !text(&answer.body, start).is_empty());
        let cart = text(&answer.body, "cart_id").to_owned();
        let status = format!("/storeapi/payment/status/{cart}/");
        let pending = self.get(&status).await;
        self.check("200, pending_payment: no access yet", pending.says("status", "pending_payment"));
        heading("The buyer pays at the provider, which sends the api a signed webhook");
        self.pay_newest(gateway).await;
        self.eventually_one(&status, "200, fulfilled", |cart| text(cart, "status") == "fulfilled").await;
        self.platform(email, "an active enrollment", |held| active(held, offer) == Some(true)).await;
        cart
    }

    /// The id of the organisation with a short name.
    pub async fn organisation_id(&mut self, name: &str) -> Option<String> {
        let all = self.get(&format!("/storeapi/discovery/organisations/?fields=basic&search={name}")).await;
        rows(&all.body, "organisations").first().map(|one| text(one, "id").to_owned())
    }

    /// Pays the newest payment at a provider.
    pub async fn pay_newest(&mut self, gateway: &str) {
        let payments = self.get(&format!("/_sim/payments?gateway={gateway}")).await;
        let newest =
            payments.body.as_array().and_then(|payments| payments.last()).cloned().unwrap_or_default();
        let paid = self.post(&format!("/_sim/payments/{}/pay", text(&newest, "reference")), json!({})).await;
        self.check("200, paid", paid.says("status", "paid"));
    }

    /// Fills a learner's own cart and opens the hosted payment page. A learner must be signed in.
    pub async fn own_cart(&mut self, offer: &Offer) {
        heading("The learner fills a cart and checks it out");
        let items = json!([{"type": "course", "id": offer.id, "mode": "verified"}]);
        let cart = self.put("/storeapi/payment/cart/", json!({"items": items})).await;
        self.check(
            "200, priced",
            cart.status == 200 && cart.body.get("total_price").and_then(Value::as_f64) > Some(0.0),
        );
        let answer = self.post_nothing("/storeapi/payment/checkout/").await;
        self.check("200, payment_required", answer.says("status", "payment_required"));
        let page = text(&answer.body, "redirect_url").to_owned();
        let path = page.strip_prefix(&self.api).unwrap_or(&page).to_owned();
        let page = self.get(&path).await;
        self.check("200, the payment page", page.status == 200 && page.content_type.starts_with("text/html"));
    }
}
