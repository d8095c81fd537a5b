//! Sets up organisations with accounts at the simulated providers, and acts as buyers and providers do.

use reqwest::Method;
use serde_json::{Value, json};
use shared::gateway::Gateway;
use shared::ids::OrganisationId;
use shared::seal::{self, SealKey};
use uuid::Uuid;

use super::{GATEWAY_KEY, NOTIFICATION_KEY, Reply, World};
use simulators::payments::Account;

pub const GUEST_CHECKOUT: &str = "/storeapi/discovery/guest/checkout/";

/// An organisation of the demo catalog, its gateway, and a course mode that it sells.
#[derive(Clone, Copy, Debug)]
pub struct Organisation {
    pub short_name: &'static str,
    pub gateway: Gateway,
    pub course: &'static str,
    pub key: &'static str,
    pub mode: &'static str,
    /// Another paid mode of the course; `professional` is an upgrade.
    pub other_mode: &'static str,
    /// The price in the provider's subunits.
    pub subunits: i64,
    pub currency: &'static str,
    /// The path of the provider's script at the simulator; None if buyers pay on the provider's own page.
    pub script: Option<&'static str>,
    /// Indicates whether a failed attempt ends the payment, so that the buyer cannot retry it.
    pub fails_for_good: bool,
    /// Indicates whether the provider can cancel a payment.
    pub can_cancel: bool,
}

// A new provider needs an organisation.
const _: () = assert!(ORGANISATIONS.len() == Gateway::PROVIDERS.len());

/// One organisation for each provider.
pub const ORGANISATIONS: [Organisation; 4] = [
    Organisation {
        short_name: "northwind",
        gateway: Gateway::Stripe,
        course: "ad035fc9-afd5-49f2-85d8-8ac83dd05a77",
        key: "course-v1:Northwind+DS210+2026",
        mode: "verified",
        other_mode: "professional",
        subunits: 19_900,
        currency: "USD",
        script: Some("/stripe/v3/"),
        fails_for_good: false,
        can_cancel: true,
    },
    Organisation {
        short_name: "lindgren",
        gateway: Gateway::Mollie,
        course: "e90c8dfd-1757-4985-a549-8c3455a7996b",
        key: "course-v1:Lindgren+SNK210+2026",
        mode: "verified",
        other_mode: "professional",
        subunits: 24_000,
        currency: "EUR",
        script: None,
        fails_for_good: true,
        can_cancel: true,
    },
    Organisation {
        short_name: "saraswati",
        gateway: Gateway::Razorpay,
        course: "e5bc177b-68ce-47bf-9875-e08475ec0df9",
        key: "course-v1:Saraswati+HI-SAN110+2026",
        mode: "verified",
        other_mode: "honor",
        subunits: 79_900,
        currency: "INR",
        script: Some("/razorpay/v1/checkout.js"),
        fails_for_good: false,
        can_cancel: false,
    },
    Organisation {
        short_name: "kinabalu",
        gateway: Gateway::Curlec,
        course: "6ea9e4e2-eeee-437f-a69c-385c6a394046",
        key: "course-v1:Kinabalu+MS-PEM120+2026",
        mode: "verified",
        other_mode: "professional",
        subunits: 12_990,
        currency: "MYR",
        script: Some("/razorpay/v1/checkout.js"),
        fails_for_good: false,
        can_cancel: false,
    },
];

/// Takes the same steps at all gateways, at the same time: they wait for providers and for the reconciler. Not for steps that move
/// the clock or remove faults, which the gateways share.
pub async fn at_each_gateway(steps: impl AsyncFn(&'static Organisation)) {
    const ALL: &[Organisation] = &ORGANISATIONS;
    futures_util::future::join_all(ALL.iter().map(|organisation| steps(organisation))).await;
}

impl World {
    /// Configures each organisation's account, and sends the providers' webhooks to the first api.
    pub async fn sell(&self) {
        for account in Account::demo() {
            let gateway: Gateway = account.provider.name().parse().expect("a gateway");
            let organisation: OrganisationId =
                sqlx::query_scalar("SELECT id FROM organisations WHERE short_name = $1")
                    .bind(&account.organisation)
                    .fetch_one(&self.db)
                    .await
                    .expect("an organisation");
            let mut credentials = match account.key_secret.as_str() {
                "" => {
                    json!({ "secret_key": account.key, "public_key": format!("pk_{}", account.organisation) })
                }
                secret => json!({ "secret_key": secret, "public_key": account.key }),
            };
            // Mollie shows settlements to an organisation's token alone.
            if gateway == Gateway::Mollie {
                credentials["books_key"] = json!(format!("access_{}", account.key));
            }
            self.seal_credentials(organisation, gateway, &credentials).await;
            let key: SealKey = NOTIFICATION_KEY.parse().expect("a key");
            let place = seal::notification_place(organisation, gateway, "current");
            let sealed = key.seal(&place, account.notification_secret.as_bytes()).expect("sealed");
            sqlx::query("INSERT INTO notification_secrets VALUES ($1, $2, 'current', $3, $4, now())")
                .bind(organisation)
                .bind(gateway.name())
                .bind(sealed.key_id)
                .bind(sealed.bytes)
                .execute(&self.db)
                .await
                .expect("a secret");
            sqlx::query("UPDATE organisations SET configured = true WHERE id = $1")
                .bind(organisation)
                .execute(&self.db)
                .await
                .expect("configured");
        }
        self.simulators.set_notification_url(Some(self.url("/storeapi/payment/notifications")));
    }

    /// Replaces the credentials of an organisation's account.
    pub async fn set_credentials(&self, shop: &Organisation, credentials: &Value) {
        let organisation = sqlx::query_scalar("SELECT id FROM organisations WHERE short_name = $1")
            .bind(shop.short_name)
            .fetch_one(&self.db)
            .await
            .expect("an organisation");
        self.seal_credentials(organisation, shop.gateway, credentials).await;
    }

    async fn seal_credentials(&self, organisation: OrganisationId, gateway: Gateway, credentials: &Value) {
        let key: SealKey = GATEWAY_KEY.parse().expect("a key");
        let place = seal::credentials_place(organisation, gateway);
        let sealed = key.seal(&place, credentials.to_string().as_bytes()).expect("sealed");
        sqlx::query(
            "INSERT INTO gateway_credentials VALUES ($1, $2, $3, $4, now())
             ON CONFLICT (organisation_id, gateway) DO UPDATE SET key_id = excluded.key_id, sealed = excluded.sealed",
        )
        .bind(organisation)
        .bind(gateway.name())
        .bind(sealed.key_id)
        .bind(sealed.bytes)
        .execute(&self.db)
        .await
        .expect("credentials");
    }

    /// A basket with the organisation's course.
    pub async fn basket(&self, organisation: &Organisation) -> Value {
        let organisation_id: Uuid = sqlx::query_scalar("SELECT id FROM organisations WHERE short_name = $1")
            .bind(organisation.short_name)
            .fetch_one(&self.db)
            .await
            .expect("an organisation");
        let items = json!([{ "type": "course", "id": organisation.course, "mode": organisation.mode }]);
        json!({ "organisation_id": organisation_id, "items": items })
    }

    /// Checks out the organisation's course as a guest with this address.
    pub async fn guest_checkout(&self, organisation: &Organisation, email: &str) -> Reply {
        let mut body = self.basket(organisation).await;
        body["email"] = json!(email);
        self.post(GUEST_CHECKOUT, &body).await
    }

    /// Checks out the organisation's course as a signed-in learner.
    pub async fn learner_checkout(&self, organisation: &Organisation, user: &Value) -> Reply {
        let cookie = format!("sessionid={}", user["sessionid"].as_str().expect("a session"));
        let request = self.request(Method::POST, "/storeapi/discovery/checkout/").header("cookie", cookie);
        Reply::read(request.json(&self.basket(organisation).await)).await
    }

    /// The provider's payments for a cart, oldest first, as `/_sim/payments` lists them.
    pub async fn payments(&self, cart_id: &str) -> Vec<Value> {
        let ours: Vec<Uuid> = sqlx::query_scalar("SELECT id FROM transactions WHERE cart_id = $1::uuid")
            .bind(cart_id)
            .fetch_all(&self.db)
            .await
            .expect("transactions");
        let mut payments = Vec::new();
        for id in ours {
            let found = self.sim(Method::GET, &format!("/_sim/payments?our_reference={id}"), None).await;
            payments.extend(found.as_array().cloned().unwrap_or_default());
        }
        payments
    }

    /// The provider's only payment for a cart.
    pub async fn payment(&self, cart_id: &str) -> Value {
        let mut payments = self.payments(cart_id).await;
        assert_eq!(payments.len(), 1, "payments of {cart_id}: {payments:?}");
        payments.pop().expect("a payment")
    }

    /// The provider's reference of the payment that a checkout's answer starts.
    pub async fn payment_told(&self, answer: &Reply) -> String {
        let told = &answer.json;
        let reference = [&told["order_id"], &told["payment_id"]].into_iter().find_map(Value::as_str);
        let secret = told["client_secret"].as_str().and_then(|secret| secret.split("_secret").next());
        reference.or(secret).expect("something to pay").to_owned()
    }

    /// Does to a payment at the provider what the buyer or the merchant does: `pay`, `fail` or `refund`.
    pub async fn at_provider(&self, what: &str, reference: &str, how: Value) {
        self.sim(Method::POST, &format!("/_sim/payments/{reference}/{what}"), Some(how)).await;
    }

    /// The answer of the status route.
    pub async fn status(&self, cart_id: &str) -> Value {
        let reply = self.get(&format!("/storeapi/payment/status/{cart_id}/")).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json
    }

    /// Waits until the status route shows the cart with this status.
    pub async fn cart_becomes(&self, cart_id: &str, status: &str) {
        self.eventually(&format!("the cart is {status}"), async |world| {
            world.status(cart_id).await["status"] == status
        })
        .await;
    }

    /// The cart's only transaction: its state, the refunded amount in minor units, and its alert if it has one.
    pub async fn transaction(&self, cart_id: &str) -> (String, i64, Option<String>) {
        sqlx::query_as("SELECT state, refunded_amount, alert FROM transactions WHERE cart_id = $1::uuid")
            .bind(cart_id)
            .fetch_one(&self.db)
            .await
            .expect("a transaction")
    }
}
