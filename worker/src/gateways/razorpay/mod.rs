//! Razorpay and Curlec: orders, which the buyer pays in one of several attempts. They have no idempotency keys: the
//! worker finds an order again by its receipt, our transaction's id. An order cannot be cancelled and stays payable.
//!
//! Why: `docs/decisions/orders-cannot-be-cancelled.md`

mod books;
mod shapes;

use async_trait::async_trait;
use reqwest::{Method, RequestBuilder};
use secrecy::ExposeSecret;
use serde_json::{Map, Value, json};
use shared::ids::TransactionId;
use shared::messages::PaymentStart;

use crate::gateways::{
    Amounts, BooksKey, Caller, Created, Credentials, DisputeFacts, GatewayError, NewPayment, Outcome,
    PaymentGateway, PaymentSnapshot, Profile, Provider, RefundFacts, RefundRequest, RefundsAndDisputes,
    Status, after_sale, text, unreadable,
};
use books::RazorpayBooks;
use shapes::{digest_as_id, dispute_facts, interpret, refund_facts, snapshot};

/// Disputes on one page of the account's list, which has no filter by payment, and pages read at most.
const PAGE: usize = 100;
const PAGES: usize = 20;

pub const PROFILE: Profile = Profile {
    amounts: AMOUNTS,
    has_public_key: true,
    needs_whole_address: false,
    can_cancel: false,
    provider: Some(PROVIDER),
};

const PROVIDER: Provider = Provider {
    url_setting: "RAZORPAY_URL",
    base_url: |settings| &settings.razorpay_url,
    open: |caller, credentials| Box::new(Razorpay { caller, credentials }),
    open_books: |caller, credentials| {
        Box::new(RazorpayBooks { calls: Razorpay { caller, credentials }, currency: "INR" })
    },
    books_key: BooksKey::Same,
    notification_id: digest_as_id,
    notification_kind: "event",
    interpret,
};

pub const CURLEC: Profile = Profile {
    amounts: CURLEC_AMOUNTS,
    provider: Some(Provider {
        url_setting: "CURLEC_URL",
        base_url: |settings| &settings.curlec_url,
        open_books: |caller, credentials| {
            Box::new(RazorpayBooks { calls: Razorpay { caller, credentials }, currency: "MYR" })
        },
        ..PROVIDER
    }),
    ..PROFILE
};

/// From Razorpay's list of supported currencies, which includes international cards.
const AMOUNTS: Amounts = Amounts {
    currencies: Some(&[
        "AED", "ALL", "AMD", "ARS", "AUD", "BBD", "BDT", "BHD", "BMD", "BND", "BOB", "BSD", "BWP", "BZD",
        "CAD", "CHF", "CNY", "COP", "CRC", "CZK", "DKK", "DOP", "DZD", "EGP", "ETB", "EUR", "FJD", "GBP",
        "GHS", "GMD", "GTQ", "GYD", "HKD", "HNL", "HUF", "IDR", "ILS", "INR", "JMD", "JPY", "KES", "KHR",
        "KWD", "KZT", "LAK", "LKR", "LRD", "LSL", "MAD", "MDL", "MKD", "MMK", "MNT", "MOP", "MUR", "MVR",
        "MWK", "MXN", "MYR", "NAD", "NGN", "NIO", "NOK", "NPR", "NZD", "OMR", "PEN", "PGK", "PHP", "PKR",
        "QAR", "SAR", "SCR", "SEK", "SGD", "SOS", "SSP", "SVC", "SZL", "THB", "TTD", "TZS", "USD", "UYU",
        "UZS", "YER", "ZAR",
    ]),
    digits: &[],
    least: &[("INR", 100)],
    most: 50_000_000_000,
    in_tens: true,
};

const CURLEC_AMOUNTS: Amounts = Amounts {
    currencies: Some(&["AUD", "CNY", "EUR", "GBP", "HKD", "IDR", "INR", "MYR", "SGD", "THB", "USD"]),
    digits: &[],
    least: &[("MYR", 100)],
    most: 50_000_000_000,
    in_tens: true,
};

struct Razorpay {
    caller: Caller,
    credentials: Credentials,
}

impl Razorpay {
    fn signed(&self, request: RequestBuilder) -> RequestBuilder {
        request.basic_auth(self.key_id(), Some(self.credentials.secret_key.expose_secret()))
    }

    fn key_id(&self) -> &str {
        self.credentials.public_key.as_deref().unwrap_or_default()
    }

    async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, GatewayError> {
        let build = |request: RequestBuilder| self.signed(request).query(query);
        self.caller.repeat(Method::GET, path, build).await
    }

    /// The order's captured payments, oldest first: one, unless the buyer paid twice. The first is the order's: only its refunds
    /// and losses count. A late or second authorisation is given back without a capture.
    async fn captured(&self, order: &str) -> Result<Vec<Captured>, GatewayError> {
        let payments = self.get(&format!("/orders/{order}/payments"), &[]).await?;
        let captured = after_sale::read_list(&payments, "/items", |payment| {
            let is_captured = payment.get("captured")? == &Value::Bool(true);
            Some(is_captured.then(|| Captured::read(payment)))
        })?;
        let captured: Option<Vec<Captured>> = captured.into_iter().flatten().collect();
        let mut captured = captured.ok_or_else(|| unreadable("readable payment"))?;
        // Razorpay lists the newest first, and two can be of the same second.
        captured.reverse();
        captured.sort_by_key(|payment| payment.at);
        Ok(captured)
    }

    /// Adds the payments' refunds.
    async fn with_refunds(&self, mut captured: Vec<Captured>) -> Result<Vec<Captured>, GatewayError> {
        for payment in &mut captured {
            payment.refunds = self.refunds(&payment.id).await?;
        }
        Ok(captured)
    }

    /// Returns whether one of the order's payments waits to be captured.
    async fn is_authorized(&self, order: &str) -> Result<bool, GatewayError> {
        let payments = self.get(&format!("/orders/{order}/payments"), &[]).await?;
        let statuses = after_sale::read_list(&payments, "/items", |payment| {
            Some(text(payment, "/status")? == "authorized")
        })?;
        Ok(statuses.contains(&true))
    }

    async fn refunds(&self, payment: &str) -> Result<Vec<RefundFacts>, GatewayError> {
        let list = self.get(&format!("/payments/{payment}/refunds"), &[("count", "100")]).await?;
        after_sale::read_list(&list, "/items", refund_facts)
    }

    /// Adds the payments' disputes.
    async fn with_disputes(&self, mut captured: Vec<Captured>) -> Result<Vec<Captured>, GatewayError> {
        for page in 0..PAGES {
            let (count, skip) = (PAGE.to_string(), (page * PAGE).to_string());
            let list = self.get("/disputes", &[("count", &count), ("skip", &skip)]).await?;
            let disputes = after_sale::read_list(&list, "/items", |dispute| {
                let id = text(dispute, "/payment_id")?;
                let Some(nth) = captured.iter().position(|payment| payment.id == id) else {
                    return Some(None);
                };
                Some(Some((nth, dispute_facts(dispute, &captured.get(nth)?.object)?)))
            })?;
            let is_last = disputes.len() < PAGE;
            for (nth, dispute) in disputes.into_iter().flatten() {
                if let Some(payment) = captured.get_mut(nth) {
                    payment.disputes.push(dispute);
                }
            }
            if is_last {
                return Ok(captured);
            }
        }
        tracing::warn!(
            "the account has more disputes than are searched; an older one of this payment is not seen"
        );
        Ok(captured)
    }

    /// Reads what has gone back of the order's payment. Of another payment of the order, our own refunds alone count, and its
    /// disputes without what they took: the order was paid without it.
    async fn returned(&self, order: &str) -> Result<RefundsAndDisputes, GatewayError> {
        let captured = self.with_refunds(self.captured(order).await?).await?;
        let mut captured = self.with_disputes(captured).await?;
        let is_paid_twice = captured.iter().skip(1).any(Captured::is_held);
        captured.iter_mut().skip(1).for_each(Captured::leave_to_order);
        let (refunds, disputes): (Vec<_>, Vec<_>) =
            captured.into_iter().map(|payment| (payment.refunds, payment.disputes)).unzip();
        Ok(RefundsAndDisputes { refunds: refunds.concat(), disputes: disputes.concat(), is_paid_twice })
    }

    async fn order_with(&self, receipt: &str) -> Result<Option<Value>, GatewayError> {
        let found = self.get("/orders", &[("receipt", receipt)]).await?;
        Ok(found.pointer("/items/0").cloned())
    }

    /// Finds the order that an earlier send of this request created, or creates one. Every send after the first looks
    /// for an order first, because only the answer may have been lost.
    async fn order(&self, receipt: &str, request: &Value, first: bool) -> Result<Value, GatewayError> {
        let mut look = !first;
        loop {
            if look && let Some(order) = self.order_with(receipt).await? {
                return Ok(order);
            }
            let build = |call| self.signed(call).json(request);
            match self.caller.once(Method::POST, "/orders", build).await {
                Err(GatewayError::Unanswered(_)) if self.caller.may_repeat().await => look = true,
                outcome => return outcome,
            }
        }
    }
}

/// A captured payment of an order.
struct Captured {
    id: String,
    /// Time when it was created, in seconds.
    at: i64,
    subunits: i64,
    /// The provider's answer.
    object: Value,
    /// Indicates whether all of it was given back.
    is_refunded: bool,
    refunds: Vec<RefundFacts>,
    disputes: Vec<DisputeFacts>,
}

impl Captured {
    fn read(payment: &Value) -> Option<Self> {
        Some(Self {
            id: text(payment, "/id")?.to_owned(),
            at: payment.get("created_at")?.as_i64()?,
            subunits: payment.get("amount")?.as_i64()?,
            object: payment.clone(),
            is_refunded: text(payment, "/status")? == "refunded",
            refunds: Vec::new(),
            disputes: Vec::new(),
        })
    }

    /// Returns whether the provider holds money of it: neither a refund nor a dispute has taken all.
    fn is_held(&self) -> bool {
        let lost = self.disputes.iter().map(|dispute| match dispute.outcome {
            Outcome::Lost(subunits) => subunits,
            Outcome::Open(_) | Outcome::Won => 0,
        });
        !self.is_refunded && lost.sum::<i64>() < self.subunits
    }

    /// Leaves of another payment than the order's what concerns the order. An open dispute does, because the seller has to answer
    /// it; a lost one ends without a loss of the order.
    fn leave_to_order(&mut self) {
        self.refunds.retain(|refund| refund.refund_id.is_some());
        for dispute in &mut self.disputes {
            dispute.outcome = match dispute.outcome {
                Outcome::Open(_) => Outcome::Open(0),
                Outcome::Lost(_) | Outcome::Won => Outcome::Won,
            };
        }
    }
}

/// The notes of an order: at most 15 (<https://razorpay.com/docs/api/orders/create/>), so labels beyond are left out.
fn notes(payment: &NewPayment<'_>) -> Value {
    const MOST: usize = 15;
    let mut notes = Map::from_iter([
        ("transaction_id".to_owned(), json!(payment.transaction_id)),
        ("cart_id".to_owned(), json!(payment.cart_id)),
    ]);
    for (name, value) in payment.labels() {
        if notes.len() < MOST {
            notes.entry(name).or_insert(value.into());
        }
    }
    notes.into()
}

#[async_trait]
impl PaymentGateway for Razorpay {
    fn request(&self, payment: &NewPayment<'_>) -> Value {
        json!({
            "amount": payment.subunits,
            "currency": payment.currency,
            "receipt": payment.transaction_id,
            // Accept late authorisations for the longest possible time: 7200 minutes, five days.
            "payment": { "capture": "automatic", "capture_options": {
                "automatic_expiry_period": 7200, "manual_expiry_period": 7200, "refund_speed": "normal" } },
            "notes": notes(payment),
        })
    }

    async fn create(&self, id: TransactionId, request: &Value, first: bool) -> Result<Created, GatewayError> {
        let order = self.order(&id.to_string(), request, first).await?;
        let snapshot = snapshot(&order).ok_or_else(|| unreadable("order"))?;
        let start = PaymentStart::Order {
            order_id: snapshot.reference.clone(),
            key_id: self.key_id().to_owned(),
            amount: snapshot.subunits,
        };
        Ok(Created { snapshot, start, customer: None })
    }

    async fn read(&self, reference: &str) -> Result<PaymentSnapshot, GatewayError> {
        let order = self.get(&format!("/orders/{reference}"), &[]).await?;
        let mut snapshot = snapshot(&order).ok_or_else(|| unreadable("order"))?;
        if snapshot.status == Status::Paid {
            snapshot.after_sale = Some(self.returned(reference).await.map_err(after_sale::look_failed)?);
        } else if text(&order, "/status") == Some("attempted") && self.is_authorized(reference).await? {
            snapshot.status = Status::Pending;
        }
        Ok(snapshot)
    }

    async fn cancel(&self, reference: &str) -> Result<PaymentSnapshot, GatewayError> {
        self.read(reference).await
    }

    async fn refund(&self, refund: &RefundRequest<'_>) -> Result<RefundFacts, GatewayError> {
        let mut captured = self.captured(refund.payment).await.map_err(after_sale::look_failed)?;
        if refund.is_repeated || captured.len() > 1 {
            captured = self.with_refunds(captured).await.map_err(after_sale::look_failed)?;
        }
        let mut made = captured.iter().flat_map(|payment| &payment.refunds);
        if let Some(made) = made.find(|made| made.refund_id == Some(refund.id)) {
            return Ok(made.clone());
        }
        let payment = captured.first().ok_or_else(|| unreadable("captured payment"))?;
        let body = json!({
            "amount": refund.subunits,
            "receipt": refund.id,
            "notes": { "refund_id": refund.id },
        });
        let build = |call| self.signed(call).header("X-Refund-Idempotency", refund.key).json(&body);
        let path = format!("/payments/{}/refund", payment.id);
        let made = self.caller.repeat(Method::POST, &path, build).await?;
        refund_facts(&made).ok_or_else(|| unreadable("refund"))
    }
}
