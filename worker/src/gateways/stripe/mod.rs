//! Stripe: payment intents, sent as forms with bracketed keys. Stripe keeps an idempotency key for at least 24 hours
//! and repeats the first answer to it. Shapes as in the API reference of the pinned version.

mod amounts;
mod books;
mod shapes;

use async_trait::async_trait;
use reqwest::{Method, RequestBuilder};
use secrecy::ExposeSecret;
use serde_json::{Map, Value, json};
use shared::ids::{RefundId, TransactionId};
use shared::messages::{BillingAddress, PaymentStart};

use crate::gateways::{
    BooksKey, Caller, Created, Credentials, Customer, GatewayError, NewPayment, PaymentGateway,
    PaymentSnapshot, Profile, Provider, RefundFacts, RefundRequest, RefundsAndDisputes, Status, after_sale,
    notifications, text, unreadable,
};
use shapes::{charge_snapshot, dispute_facts, interpret, refund_facts, snapshot};

pub const PROFILE: Profile = Profile {
    amounts: amounts::AMOUNTS,
    has_public_key: true,
    needs_whole_address: false,
    can_cancel: true,
    provider: Some(Provider {
        url_setting: "STRIPE_URL",
        base_url: |settings| &settings.stripe_url,
        open: |caller, credentials| Box::new(Stripe { caller, credentials }),
        open_books: |caller, credentials| Box::new(Stripe { caller, credentials }),
        books_key: BooksKey::Optional,
        notification_id: notifications::id_in_body,
        notification_kind: "type",
        interpret,
    }),
};

const VERSION: &str = "2026-10-28.endive";

struct Stripe {
    caller: Caller,
    credentials: Credentials,
}

type Form = Vec<(String, String)>;

impl Stripe {
    fn signed(&self, request: RequestBuilder) -> RequestBuilder {
        request.bearer_auth(self.credentials.secret_key.expose_secret()).header("Stripe-Version", VERSION)
    }

    /// Sends a call that must take effect once.
    async fn post(&self, path: &str, form: &Form, key: &str) -> Result<Value, GatewayError> {
        // If Stripe repeats a stored server error for a key, use another key: the failed call returned no client
        // secret, so an intent that it may have created cannot be paid.
        for key in keys(key) {
            match self.post_once(path, form, &key).await {
                Err(GatewayError::Replayed) => {}
                outcome => return outcome,
            }
        }
        Err(GatewayError::Replayed)
    }

    async fn post_once(&self, path: &str, form: &Form, key: &str) -> Result<Value, GatewayError> {
        let build = |request| self.signed(request).header("Idempotency-Key", key).form(form);
        self.caller.repeat(Method::POST, path, build).await
    }

    /// Lists objects of a payment.
    async fn list(&self, path: &str, payment: &str) -> Result<Value, GatewayError> {
        let build = |request: RequestBuilder| {
            self.signed(request).query(&[(parameter(payment), payment), ("limit", "100")])
        };
        self.caller.repeat(Method::GET, path, build).await
    }

    async fn payment(&self, reference: &str) -> Result<PaymentSnapshot, GatewayError> {
        let (path, read): (_, fn(&Value) -> Option<PaymentSnapshot>) = match is_charge(reference) {
            true => (format!("/v1/charges/{reference}"), charge_snapshot),
            false => (format!("/v1/payment_intents/{reference}"), snapshot),
        };
        let payment = self.caller.repeat(Method::GET, &path, |request| self.signed(request)).await?;
        read(&payment).ok_or_else(|| unreadable("payment"))
    }

    async fn refunds(&self, payment: &str) -> Result<Vec<RefundFacts>, GatewayError> {
        after_sale::read_list(&self.list("/v1/refunds", payment).await?, "/data", refund_facts)
    }

    async fn refund_with(&self, id: RefundId, payment: &str) -> Result<Option<RefundFacts>, GatewayError> {
        let refunds = self.refunds(payment).await.map_err(after_sale::look_failed)?;
        Ok(refunds.into_iter().find(|refund| refund.refund_id == Some(id)))
    }

    /// The learner's customer id at Stripe: the known one, or that of a new customer.
    async fn customer(&self, id: TransactionId, request: &Value) -> Result<Option<String>, GatewayError> {
        let Some(customer) = request.get("customer").and_then(Value::as_object) else { return Ok(None) };
        let (key, mut fields) = (format!("{id}-customer"), form(customer));
        if let Some(known) = text(request, "/customer/id") {
            fields.retain(|(name, _)| name != "id");
            if !fields.is_empty()
                && let Err(error) = self.post(&format!("/v1/customers/{known}"), &fields, &key).await
            {
                // The payment does not depend on the address. If Stripe no longer knows the customer, it says so when
                // the intent is created.
                tracing::warn!(%error, "billing address of a customer not stored at Stripe");
            }
            return Ok(Some(known.to_owned()));
        }
        let made = self.post("/v1/customers", &fields, &key).await?;
        Ok(Some(text(&made, "/id").ok_or_else(|| unreadable("id of the customer"))?.to_owned()))
    }

    /// Lets the page offer the customer's saved means of payment, save another one, and remove one. The page works without
    /// it, so a failure does not fail the payment.
    async fn customer_session(&self, id: TransactionId, customer: &str) -> Option<String> {
        let mut form = vec![("customer".to_owned(), customer.to_owned())];
        let element = "components[payment_element]";
        form.push((format!("{element}[enabled]"), "true".to_owned()));
        form.extend(FEATURES.map(|(name, value)| (format!("{element}[features][{name}]"), value.to_owned())));
        match self.post("/v1/customer_sessions", &form, &format!("{id}-session")).await {
            Ok(session) => text(&session, "/client_secret").map(str::to_owned),
            Err(error) => {
                tracing::warn!(%error, "no customer session; the page offers no saved means of payment");
                None
            }
        }
    }
}

/// Returns whether a payment is a charge without an intent, as a former shop has made it with the same account.
fn is_charge(payment: &str) -> bool {
    payment.starts_with("ch_") || payment.starts_with("py_")
}

/// The parameter that names a payment in lists and refunds.
fn parameter(payment: &str) -> &'static str {
    if is_charge(payment) { "charge" } else { "payment_intent" }
}

/// The idempotency keys of one call, in the order in which they are used.
fn keys(first: &str) -> [String; 3] {
    [first.to_owned(), format!("{first}-2"), format!("{first}-3")]
}

/// Features that a customer session allows. Each is off unless it is asked for.
const FEATURES: [(&str, &str); 4] = [
    ("payment_method_redisplay", "enabled"),
    ("payment_method_save", "enabled"),
    // The buyer is present at each later payment.
    ("payment_method_save_usage", "on_session"),
    ("payment_method_remove", "enabled"),
];

/// The texts of an object as a form, without blank ones: Stripe refuses an empty text.
fn form(fields: &Map<String, Value>) -> Form {
    let texts = fields.iter().filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    texts.filter(|(_, text)| !text.trim().is_empty()).collect()
}

/// The address as fields of a customer. Not as `shipping` of the intent, which every page with the client secret can
/// read.
fn address_fields(address: &BillingAddress) -> impl Iterator<Item = (String, Value)> {
    let BillingAddress { name: _, company: _, tax_id: _, line1, line2, city, state, postal_code, country } =
        address;
    let country = country.map(|country| country.to_string());
    let fields = [
        ("line1", line1.clone()),
        ("line2", line2.clone()),
        ("city", city.clone()),
        ("state", state.clone()),
        ("postal_code", postal_code.clone()),
        ("country", country),
    ];
    fields.into_iter().filter_map(|(name, value)| Some((format!("address[{name}]"), json!(value?))))
}

#[async_trait]
impl PaymentGateway for Stripe {
    fn request(&self, payment: &NewPayment<'_>) -> Value {
        let mut intent = json!({
            "amount": payment.subunits.to_string(),
            "currency": payment.currency.to_lowercase(),
            "automatic_payment_methods[enabled]": "true",
            "receipt_email": payment.email.as_str(),
            "description": payment.description,
            "metadata[transaction_id]": payment.transaction_id,
            "metadata[cart_id]": payment.cart_id,
        });
        if let Some(fields) = intent.as_object_mut() {
            // Stripe refuses brackets in names, which carts of earlier versions can have.
            for (name, value) in payment.labels().filter(|(name, _)| !name.contains(['[', ']'])) {
                fields.entry(format!("metadata[{name}]")).or_insert(value.into());
            }
        }
        let customer = payment.customer.as_ref().map(|Customer { name, reference }| {
            let mut customer = match reference {
                Some(known) => Map::from_iter([("id".to_owned(), json!(known))]),
                None => Map::from_iter([
                    ("email".to_owned(), json!(payment.email.as_str())),
                    ("name".to_owned(), json!(name)),
                ]),
            };
            customer.extend(payment.billing_address.into_iter().flat_map(address_fields));
            customer
        });
        json!({ "intent": intent, "customer": customer })
    }

    async fn create(
        &self,
        id: TransactionId,
        request: &Value,
        _first: bool,
    ) -> Result<Created, GatewayError> {
        let customer = self.customer(id, request).await?;
        let mut intent = request.get("intent").and_then(Value::as_object).map(form).unwrap_or_default();
        intent.extend(customer.iter().map(|customer| ("customer".to_owned(), customer.clone())));
        let made = self.post("/v1/payment_intents", &intent, &id.to_string()).await?;
        let session = match &customer {
            Some(customer) => self.customer_session(id, customer).await,
            None => None,
        };
        let secret = text(&made, "/client_secret").ok_or_else(|| unreadable("client_secret"))?;
        Ok(Created {
            snapshot: snapshot(&made).ok_or_else(|| unreadable("payment intent"))?,
            start: PaymentStart::Intent {
                client_secret: secret.to_owned(),
                publishable_key: self.credentials.public_key.clone().unwrap_or_default(),
                customer_session_client_secret: session,
            },
            customer,
        })
    }

    async fn read(&self, reference: &str) -> Result<PaymentSnapshot, GatewayError> {
        let mut snapshot = self.payment(reference).await?;
        if snapshot.status == Status::Paid {
            let disputes = self.list("/v1/disputes", reference).await.map_err(after_sale::look_failed)?;
            snapshot.after_sale = Some(RefundsAndDisputes {
                refunds: self.refunds(reference).await.map_err(after_sale::look_failed)?,
                disputes: after_sale::read_list(&disputes, "/data", |one| dispute_facts(one, &snapshot))?,
                is_paid_twice: false,
            });
        }
        Ok(snapshot)
    }

    async fn cancel(&self, reference: &str) -> Result<PaymentSnapshot, GatewayError> {
        let path = format!("/v1/payment_intents/{reference}/cancel");
        // Without an idempotency key: Stripe would repeat the first answer to it for a day, also a refusal that is no longer
        // true. To cancel twice does no harm.
        let build = |request| self.signed(request).form(&Form::new());
        match self.caller.repeat(Method::POST, &path, build).await {
            Ok(intent) => snapshot(&intent).ok_or_else(|| unreadable("payment intent")),
            // The buyer has paid in the meantime, or the payment is being processed.
            Err(GatewayError::Refused { .. }) => self.read(reference).await,
            Err(error) => Err(error),
        }
    }

    async fn refund(&self, refund: &RefundRequest<'_>) -> Result<RefundFacts, GatewayError> {
        if refund.is_repeated
            && let Some(made) = self.refund_with(refund.id, refund.payment).await?
        {
            return Ok(made);
        }
        let form: Form = vec![
            (parameter(refund.payment).to_owned(), refund.payment.to_owned()),
            ("amount".to_owned(), refund.subunits.to_string()),
            ("metadata[refund_id]".to_owned(), refund.id.to_string()),
        ];
        for key in keys(refund.key) {
            match self.post_once("/v1/refunds", &form, &key).await {
                Ok(made) => return refund_facts(&made).ok_or_else(|| unreadable("refund")),
                // The call that Stripe remembers as failed may have paid the money back.
                Err(GatewayError::Replayed) => {
                    if let Some(made) = self.refund_with(refund.id, refund.payment).await? {
                        return Ok(made);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Err(GatewayError::Replayed)
    }
}
