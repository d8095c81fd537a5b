//! Mollie: payments on Mollie's own page, amounts as decimal strings. Shapes as in the Payments API, version 2.

mod books;
mod shapes;

use async_trait::async_trait;
use reqwest::{Method, RequestBuilder};
use secrecy::ExposeSecret;
use serde_json::{Map, Value, json};
use shared::ids::TransactionId;
use shared::messages::{BillingAddress, PaymentStart};
use shared::region::Country;

use crate::gateways::{
    Amounts, BooksKey, Caller, Created, Credentials, GatewayError, NewPayment, PaymentGateway,
    PaymentSnapshot, Profile, Provider, RefundFacts, RefundRequest, RefundsAndDisputes, Status, after_sale,
    notifications, text, unreadable,
};
use shapes::{decimal, dispute_facts, interpret, refund_facts, snapshot};

pub const PROFILE: Profile = Profile {
    amounts: AMOUNTS,
    has_public_key: false,
    needs_whole_address: true,
    can_cancel: true,
    provider: Some(Provider {
        url_setting: "MOLLIE_URL",
        base_url: |settings| &settings.mollie_url,
        open: |caller, credentials| Box::new(Mollie { caller, credentials }),
        open_books: |caller, credentials| Box::new(Mollie { caller, credentials }),
        books_key: BooksKey::Needed,
        notification_id: notifications::id_in_body,
        notification_kind: "type",
        interpret,
    }),
};

/// From Mollie's list of supported currencies.
const AMOUNTS: Amounts = Amounts {
    currencies: Some(&[
        "AED", "AUD", "BGN", "BRL", "CAD", "CHF", "CZK", "DKK", "EUR", "GBP", "HKD", "HUF", "ILS", "ISK",
        "JPY", "MXN", "MYR", "NOK", "NZD", "PHP", "PLN", "RON", "SEK", "SGD", "THB", "TWD", "USD", "ZAR",
    ]),
    digits: &[("ISK", 0), ("JPY", 0)],
    least: &[],
    most: 9_999_999_999,
    in_tens: true,
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
            "metadata": metadata(payment),
        });
        // Mollie takes a whole address or none. It names countries by ISO 3166-1, which has no code of Kosovo
        // (<https://docs.mollie.com/reference/create-payment>); what it answers to XK was not tried.
        let known = |address: &&BillingAddress| address.country.is_none_or(Country::is_of_iso);
        if let (Some(address), Some(request)) =
            (payment.billing_address.filter(known), request.as_object_mut())
        {
            request.insert("billingAddress".into(), billing_address(payment.email.as_str(), address));
        }
        request
    }

    async fn create(
        &self,
        id: TransactionId,
        request: &Value,
        _first: bool,
    ) -> Result<Created, GatewayError> {
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
                disputes: after_sale::read_list(&chargebacks, "/_embedded/chargebacks", |one| {
                    dispute_facts(one, &payment)
                })?,
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

/// The metadata of a payment. Mollie takes about 1 kB of it (<https://docs.mollie.com/reference/create-payment>): labels that do not
/// fit are left out.
fn metadata(payment: &NewPayment<'_>) -> Value {
    const MOST: usize = 1_000;
    let mut fields = Map::from_iter([
        ("transaction_id".to_owned(), json!(payment.transaction_id)),
        ("cart_id".to_owned(), json!(payment.cart_id)),
    ]);
    for (name, value) in payment.labels() {
        let mut with = fields.clone();
        with.entry(name).or_insert(value.into());
        if json!(with).to_string().len() <= MOST {
            fields = with;
        }
    }
    fields.into()
}

fn billing_address(email: &str, address: &BillingAddress) -> Value {
    // Mollie requires given and family name; our addresses have one name.
    let name = address.name.as_deref().unwrap_or_default();
    let (given, family) = name.rsplit_once(' ').unwrap_or((name, name));
    let mut fields = json!({
        "givenName": given, "familyName": family, "email": email,
        "streetAndNumber": address.line1, "streetAdditional": address.line2, "city": address.city,
        "region": address.state, "postalCode": address.postal_code,
        "country": address.country.map(|country| country.to_string()),
    });
    if let Some(fields) = fields.as_object_mut() {
        // Mollie refuses an empty text.
        fields.retain(|_, value| value.as_str().is_some_and(|text| !text.is_empty()));
    }
    fields
}
