//! Notifications of payment providers, signed as the provider signs them.

use std::process::Stdio;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;
use shared::gateway::Gateway;
use tokio::io::AsyncWriteExt;

use crate::steps::worker_program;
use crate::{NOTIFICATION_KEY, Organisation, Reply, World};

/// Runs `gateways` with text on standard input. Returns whether it succeeded, and its output.
pub async fn gateways(world: &World, words: &[&str], input: &str) -> (bool, String) {
    let mut command =
        worker_program::command(world, &[&["gateways"], words].concat(), &["database-url", "gateway-keys"]);
    command.arg(format!("--notification-keys={NOTIFICATION_KEY}")).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).await.unwrap();
    let output = child.wait_with_output().await.unwrap();
    (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

/// Sets the secrets of an organisation's notifications.
pub async fn set(world: &World, gateway: &str, organisation: &str, secret: &str, previous: Option<&str>) {
    let account = json!({ "secret_key": "sk_hidden", "public_key": "pk_1", "notification_secret": secret,
        "previous_notification_secret": previous });
    let (ok, text) = gateways(world, &["set", organisation, gateway], &account.to_string()).await;
    assert!(ok, "{text}");
}

fn hmac(secret: &str, text: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The signature header with which a provider signs a body.
pub fn signature(world: &World, gateway: &str, secret: &str, body: &str) -> (&'static str, String) {
    match gateway.parse::<Gateway>().unwrap() {
        Gateway::External => panic!("no provider signs for it"),
        Gateway::Stripe => {
            let time = world.clock.now().timestamp();
            ("Stripe-Signature", format!("t={time},v1={}", hmac(secret, &format!("{time}.{body}"))))
        }
        Gateway::Mollie => ("X-Mollie-Signature", format!("sha256={}", hmac(secret, body))),
        Gateway::Razorpay | Gateway::Curlec => ("X-Razorpay-Signature", hmac(secret, body)),
    }
}

/// Sends a notification with its signature header.
pub async fn send(
    world: &World,
    gateway: &str,
    organisation: &str,
    header: (&str, String),
    body: &str,
) -> Reply {
    let url = world.url(&format!("/storeapi/payment/notifications/{gateway}/{organisation}/"));
    let request = world.http.post(url).header("content-type", "application/json").header(header.0, header.1);
    Reply::read(request.body(body.to_owned())).await
}

/// A success event in the format of the organisation's provider.
pub fn success(
    organisation: &Organisation,
    reference: &str,
    ours: &str,
    subunits: i64,
    currency: &str,
) -> String {
    let value = format!("{}.{:02}", subunits / 100, subunits % 100);
    let body = match organisation.gateway {
        Gateway::External => panic!("no provider sends notifications for it"),
        Gateway::Stripe => {
            json!({ "id": format!("evt_{subunits}{currency}{reference}"), "type": "payment_intent.succeeded",
            "data": { "object": { "id": reference, "object": "payment_intent", "status": "succeeded", "amount": subunits,
                "amount_received": subunits, "currency": currency.to_lowercase(), "metadata": { "transaction_id": ours } } } })
        }
        Gateway::Mollie => {
            json!({ "id": format!("event_{subunits}{currency}{reference}"), "type": "payment.paid",
            "_embedded": { "entity": { "id": reference, "status": "paid", "metadata": { "transaction_id": ours },
                "amount": { "currency": currency, "value": value } } } })
        }
        Gateway::Razorpay | Gateway::Curlec => {
            json!({ "event": "order.paid", "payload": { "order": { "entity": {
            "id": reference, "amount": subunits, "amount_paid": subunits, "currency": currency, "receipt": ours,
            "status": "paid", "notes": [] } } } })
        }
    };
    body.to_string()
}

/// Delivers an event to an organisation, signed with the organisation's secret.
pub async fn deliver(world: &World, gateway: Gateway, organisation: &str, body: &str) -> Reply {
    let secret = format!("whsec_demo_{organisation}");
    let header = signature(world, gateway.name(), &secret, body);
    send(world, gateway.name(), organisation, header, body).await
}
