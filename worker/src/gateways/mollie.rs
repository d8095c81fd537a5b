//! Mollie: payments on Mollie's own page, amounts as decimal strings. Shapes as in the Payments API, version 2.

use async_trait::async_trait;
use reqwest::{Method, RequestBuilder};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use shared::messages::{BillingAddress, PaymentStart};
use shared::money::Currency;
use uuid::Uuid;

use super::{
    Amounts, Caller, Closure, Created, Credentials, DisputeFacts, EventSubject, GatewayError, Interpretation,
    NewPayment, Outcome, PaymentGateway, PaymentSnapshot, Profile, RefundFacts, RefundRequest, RefundStatus,
    RefundsAndDisputes, Status, after_sale, events, text, unreadable,
};

pub const PROFILE: Profile = Profile {
    amounts: AMOUNTS,
    has_public_key: false,
    needs_whole_address: true,
    can_cancel: true,
    url_setting: "MOLLIE_URL",
    base_url: |settings| &settings.mollie_url,
    open: |caller, credentials| Box::new(Mollie { caller, credentials }),
    event_id: events::id_in_body,
    event_kind: "type",
    interpret,
};

/// From Mollie's list of supported currencies.
const AMOUNTS: Amounts = Amounts {
    currencies: &[
        "AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS", "ISK",
        "JPY", "MXN", "MYR", "NOK", "NZD", "PHP", "PLN", "RON", "SEK", "SGD", "THB", "TWD", "USD", "ZAR",
    ],
    digits: &[("ISK", 0), ("JPY", 0)],
    least: &[],
    most: 9_999_999_999,
};

/// Maximum length of a description, in characters.
const DESCRIPTION: usize = 255;

struct Mollie {
    caller: Caller,
    credentials: Credentials,
}

impl Mollie {
    fn signed(&self, request: RequestBuilder) -> RequestBuilder {
        request.bearer_auth(self.credentials.secret_key.expose_secret())
    }

    async fn get(&self, path: &str) -> Result<Value, GatewayError> {
        self.caller.repeat(Method::GET, path, |call| self.signed(call)).await
    }

    async fn refunds(&self, payment: &str) -> Result<Vec<RefundFacts>, GatewayError> {
        let list = self.get(&format!("/payments/{payment}/refunds?limit=250")).await?;
        after_sale::read_list(&list, "/_embedded/refunds", refund_facts)
    }
}

#[async_trait]
impl PaymentGateway for Mollie {
    fn request(&self, payment: &NewPayment<'_>) -> Value {
        let mut request = json!({
            "amount": { "currency": payment.currency, "value": decimal(payment.subunits, payment.currency) },
            "description": payment.description.chars().take(DESCRIPTION).collect::<String>(),
            "redirectUrl": payment.return_url,
            "cancelUrl": payment.return_url,
            "metadata": { "transaction_id": payment.transaction_id, "cart_id": payment.cart_id },
        });
        if let (Some(address), Some(request)) = (payment.billing_address, request.as_object_mut()) {
            request.insert("billingAddress".into(), billing_address(payment.email.as_str(), address));
        }
        request
    }

    async fn create(&self, id: Uuid, request: &Value, _first: bool) -> Result<Created, GatewayError> {
        let key = id.to_string();
        let build = |call| self.signed(call).header("Idempotency-Key", &key).json(request);
        let made = self.caller.repeat(Method::POST, "/payments", build).await?;
        let snapshot = snapshot(&made).ok_or_else(|| unreadable("payment"))?;
        let page = text(&made, "/_links/checkout/href").ok_or_else(|| unreadable("checkout page"))?;
        let start =
            PaymentStart::Redirect { redirect_url: page.to_owned(), payment_id: snapshot.reference.clone() };
        Ok(Created { snapshot, start, customer: None })
    }

    async fn read(&self, reference: &str) -> Result<PaymentSnapshot, GatewayError> {
        let payment = self.get(&format!("/payments/{reference}")).await?;
        let mut snapshot = snapshot(&payment).ok_or_else(|| unreadable("payment"))?;
        if snapshot.status == Status::Paid {
            let chargebacks = self.get(&format!("/payments/{reference}/chargebacks?limit=250")).await;
            let chargebacks = chargebacks.map_err(after_sale::look_failed)?;
            snapshot.after_sale = Some(RefundsAndDisputes {
                refunds: self.refunds(reference).await.map_err(after_sale::look_failed)?,
                disputes: after_sale::read_list(&chargebacks, "/_embedded/chargebacks", dispute_facts)?,
                is_paid_twice: false,
            });
        }
        Ok(snapshot)
    }

    async fn cancel(&self, reference: &str) -> Result<PaymentSnapshot, GatewayError> {
        let build = |call| self.signed(call);
        match self.caller.repeat(Method::DELETE, &format!("/payments/{reference}"), build).await {
            Ok(payment) => snapshot(&payment).ok_or_else(|| unreadable("payment")),
            // Not every method and state allows it: the buyer may be at the bank's page.
            Err(GatewayError::Refused { .. }) => {
                let snapshot = self.read(reference).await?;
                let status = if snapshot.status == Status::Open { Status::Pending } else { snapshot.status };
                Ok(PaymentSnapshot { status, ..snapshot })
            }
            Err(error) => Err(error),
        }
    }

    async fn refund(&self, refund: &RefundRequest<'_>) -> Result<RefundFacts, GatewayError> {
        if refund.is_repeated {
            let made = self.refunds(refund.payment).await.map_err(after_sale::look_failed)?;
            if let Some(made) = made.into_iter().find(|made| made.refund_id == Some(refund.id)) {
                return Ok(made);
            }
        }
        let body = json!({
            "amount": { "currency": refund.currency, "value": decimal(refund.subunits, refund.currency) },
            "description": "Refund",
            "metadata": { "refund_id": refund.id },
        });
        let build = |call| self.signed(call).header("Idempotency-Key", refund.key).json(&body);
        let path = format!("/payments/{}/refunds", refund.payment);
        let made = self.caller.repeat(Method::POST, &path, build).await.map_err(|error| match error {
            // The caller knows every other 409 as not answered.
            GatewayError::Refused { status: 409, .. } => GatewayError::Duplicate,
            error => error,
        })?;
        refund_facts(&made).ok_or_else(|| unreadable("refund"))
    }
}

fn refund_facts(refund: &Value) -> Option<RefundFacts> {
    Some(RefundFacts {
        reference: text(refund, "/id")?.to_owned(),
        refund_id: after_sale::our_refund(refund, "/metadata/refund_id"),
        subunits: subunits(refund.get("amount")?)?.0,
        status: match text(refund, "/status")? {
            "refunded" => RefundStatus::Succeeded,
            "failed" | "canceled" => RefundStatus::Failed,
            _ => RefundStatus::Accepted,
        },
    })
}

/// A chargeback takes the money at once, and gives it back if it is reversed.
fn dispute_facts(chargeback: &Value) -> Option<DisputeFacts> {
    let amount = subunits(chargeback.get("amount")?)?.0;
    let is_reversed = text(chargeback, "/reversedAt").is_some();
    Some(DisputeFacts {
        reference: text(chargeback, "/id")?.to_owned(),
        subunits: amount,
        outcome: if is_reversed { Outcome::Won } else { Outcome::Lost(amount) },
    })
}

fn billing_address(email: &str, address: &BillingAddress) -> Value {
    // Mollie requires given and family name; our addresses have one name.
    let name = address.name.as_deref().unwrap_or_default().trim();
    let (given, family) = name.rsplit_once(' ').unwrap_or((name, name));
    let mut fields = json!({
        "givenName": given, "familyName": family, "email": email,
        "streetAndNumber": address.line1, "streetAdditional": address.line2, "city": address.city,
        "region": address.state, "postalCode": address.postal_code,
        "country": address.country.map(|country| country.to_string()),
    });
    if let Some(fields) = fields.as_object_mut() {
        // Mollie refuses an empty text.
        fields.retain(|_, value| value.as_str().is_some_and(|text| !text.trim().is_empty()));
    }
    fields
}

/// `129.99`, or `5000` for JPY.
fn decimal(subunits: i64, currency: &str) -> String {
    let digits = currency.parse().map_or(2, |currency: Currency| AMOUNTS.digits(currency));
    Decimal::new(subunits, digits).to_string()
}

/// Reads a money object: its value in subunits, and its currency.
fn subunits(money: &Value) -> Option<(i64, String)> {
    let currency = text(money, "/currency")?;
    let digits = AMOUNTS.digits(currency.parse().ok()?);
    let value: Decimal = text(money, "/value")?.parse().ok()?;
    let subunits = value.checked_mul(Decimal::from(10_i64.pow(digits)))?;
    Some((subunits.is_integer().then(|| subunits.to_i64())??, currency.to_owned()))
}

/// Reads a payment from an answer or an event.
fn snapshot(payment: &Value) -> Option<PaymentSnapshot> {
    let status = match text(payment, "/status")? {
        "paid" => Status::Paid,
        "failed" => Status::Closed(Closure::Failed),
        "canceled" => Status::Closed(Closure::Cancelled),
        "expired" => Status::Closed(Closure::Expired),
        "pending" | "authorized" => Status::Pending,
        // The buyer has the bank details, and 12 days to pay.
        "open" if text(payment, "/method") == Some("banktransfer") => Status::Pending,
        _ => Status::Open,
    };
    let (amount, currency) = subunits(payment.get("amount")?)?;
    // The merchant can capture a part of an authorised payment at Mollie's dashboard.
    let captured = payment.get("amountCaptured").and_then(subunits).map(|(captured, _)| captured);
    Some(PaymentSnapshot {
        reference: text(payment, "/id")?.to_owned(),
        transaction_id: text(payment, "/metadata/transaction_id").and_then(|id| id.parse().ok()),
        status,
        subunits: amount,
        currency,
        paid_less: captured.filter(|captured| status == Status::Paid && (1..amount).contains(captured)),
        after_sale: None,
    })
}

fn interpret(kind: &str, event: &Value) -> EventSubject {
    let entity = event.pointer("/_embedded/entity").unwrap_or(&Value::Null);
    // A refund and a chargeback name their payment. The simple payload has no entity: a link to it may name the payment, and its
    // own id may be that of a refund or chargeback on record.
    let reference = text(entity, "/paymentId")
        .or_else(|| text(entity, "/id").filter(|id| id.starts_with("tr_")))
        .or_else(|| text(event, "/_links/entity/href")?.split('/').find(|part| part.starts_with("tr_")))
        .or_else(|| text(event, "/entityId"))
        .map(str::to_owned);
    let interpretation = match kind {
        "payment.paid" | "payment.failed" | "payment.canceled" | "payment.expired" => {
            // Without the payment in the event, the worker must read it.
            snapshot(entity).map_or(Interpretation::MustRead, Interpretation::Reported)
        }
        "payment.pending" | "payment.authorized" => Interpretation::MustRead,
        kind if kind.starts_with("refund.") || kind.starts_with("chargeback.") => Interpretation::MustRead,
        _ => Interpretation::Nothing,
    };
    let transaction_id = text(entity, "/metadata/transaction_id").and_then(|id| id.parse().ok());
    EventSubject { reference, transaction_id, interpretation }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_texts_with_their_currencys_digits() {
        for (subunits, currency, expected) in
            [(12_999, "EUR", "129.99"), (5, "EUR", "0.05"), (5000, "JPY", "5000")]
        {
            assert_eq!(decimal(subunits, currency), expected);
            let money = json!({ "currency": currency, "value": expected });
            assert_eq!(super::subunits(&money), Some((subunits, currency.to_owned())));
        }
        for (value, currency) in [("1.999", "EUR"), ("x", "EUR"), ("5.5", "JPY"), ("1", "XXX")] {
            assert_eq!(super::subunits(&json!({ "currency": currency, "value": value })), None);
        }
    }

    #[test]
    fn an_event_names_its_payment_whichever_payload_it_has() {
        let full =
            json!({ "entityId": "re_1", "_embedded": { "entity": { "id": "re_1", "paymentId": "tr_1" } } });
        let link = "https://api.mollie.com/v2/payments/tr_1/refunds/re_1";
        let linked = json!({ "entityId": "re_1", "_links": { "entity": { "href": link } } });
        let simple = json!({ "entityId": "re_1", "_links": { "self": { "href": "https://api.mollie.com/v2/events/e" } } });
        for (event, expected) in [(full, "tr_1"), (linked, "tr_1"), (simple, "re_1")] {
            let subject = interpret("refund.refunded", &event);
            assert_eq!(subject.reference.as_deref(), Some(expected), "{event}");
            assert!(matches!(subject.interpretation, Interpretation::MustRead));
        }
    }

    #[test]
    fn each_status_of_a_refund_has_its_state_and_a_reversed_chargeback_is_won() {
        for (status, expected) in [
            ("queued", RefundStatus::Accepted),
            ("pending", RefundStatus::Accepted),
            ("processing", RefundStatus::Accepted),
            ("refunded", RefundStatus::Succeeded),
            ("failed", RefundStatus::Failed),
            ("canceled", RefundStatus::Failed),
        ] {
            let amount = json!({ "currency": "EUR", "value": "9.00" });
            let refund = json!({ "id": "re_1", "amount": amount, "status": status, "metadata": null });
            assert_eq!(refund_facts(&refund).unwrap().status, expected, "{status}");
        }
        for (reversed, expected) in [(Value::Null, Outcome::Lost(900)), (json!("2026-01-01"), Outcome::Won)] {
            let amount = json!({ "currency": "EUR", "value": "9.00" });
            let chargeback = json!({ "id": "chb_1", "amount": amount, "reversedAt": reversed });
            assert_eq!(dispute_facts(&chargeback).unwrap().outcome, expected);
        }
    }
}
