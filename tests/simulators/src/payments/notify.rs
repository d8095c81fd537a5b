//! Signed webhooks about a payment, delivered as the providers do: repeated until the receiver accepts them.

use std::{sync::Arc, time::Duration};

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use super::{Payment, events::Event, record};
use crate::{
    faults::{Kind, Suffering, Target, pause},
    state::Simulation,
};

/// The delays between two attempts; real providers wait longer, and retry for days.
const RETRIES: [Duration; 6] = [
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(10),
];

/// A webhook and the outcome of its delivery.
#[derive(Clone, Debug)]
pub struct Delivery {
    pub reference: String,
    event_id: String,
    kind: String,
    attempts: u32,
    last_status: Option<u16>,
}

impl Delivery {
    pub fn shown(&self) -> Value {
        json!({"event_id": self.event_id, "type": self.kind, "attempts": self.attempts, "last_status": self.last_status})
    }
}

/// Sends the webhooks in the background; each copy delivers the same event.
pub fn send(simulation: &Arc<Simulation>, payment: &Payment, events: Vec<Event>, copies: u32) {
    for event in events {
        record::webhook(payment.provider, &event.body);
        send_one(simulation, payment, Arc::new(event), copies);
    }
}

fn send_one(simulation: &Arc<Simulation>, payment: &Payment, event: Arc<Event>, copies: u32) {
    let place = format!("/{} {}", payment.organisation, event.kind);
    let kinds = [
        Kind::DropNotification,
        Kind::DuplicateNotification,
        Kind::DelayNotification,
        Kind::TamperNotification,
    ];
    let suffering = simulation.state().faults.take(Target::Provider(payment.provider), &place, &kinds);
    let copies = match suffering {
        Some(Suffering::DropNotification) => 0,
        Some(Suffering::DuplicateNotification) => copies + 1,
        _ => copies,
    };
    for _ in 0..copies {
        let (simulation, payment, event) = (simulation.clone(), payment.clone(), event.clone());
        let suffering = suffering.clone();
        tokio::spawn(async move { deliver(&simulation, &payment, &event, suffering).await });
    }
}

async fn deliver(simulation: &Simulation, payment: &Payment, event: &Event, suffering: Option<Suffering>) {
    let Some(url) = simulation.notification_url() else { return };
    let url = format!("{url}/{}/{}/", payment.provider.name(), payment.organisation);
    let account = simulation.state().accounts.iter().find(|account| payment.is_of(account)).cloned();
    let Some(account) = account else { return };
    let at = record_delivery(simulation, payment, event);
    if let Some(Suffering::DelayNotification(delay)) = suffering {
        pause(simulation, delay).await;
    }
    let body = match suffering {
        Some(Suffering::TamperNotification) => event.body.replacen('1', "2", 1),
        _ => event.body.clone(),
    };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::new();
    let sign = payment.provider.profile().signature;
    for wait in RETRIES {
        let (name, signature) = sign(&account.notification_secret, &event.body);
        let request = client.post(&url).header("content-type", "application/json").header(name, signature);
        let sent = request.timeout(Duration::from_secs(5)).body(body.clone()).send().await;
        let status = sent.ok().map(|answer| answer.status().as_u16());
        if let Some(delivery) = simulation.state().payments.deliveries.get_mut(at) {
            delivery.attempts += 1;
            delivery.last_status = status;
        }
        if status.is_some_and(|status| (200..300).contains(&status)) || simulation.stop.is_cancelled() {
            return;
        }
        pause(simulation, wait).await;
    }
}

/// Adds the delivery to those that a test sees, and returns its position.
fn record_delivery(simulation: &Simulation, payment: &Payment, event: &Event) -> usize {
    let deliveries = &mut simulation.state().payments.deliveries;
    deliveries.push(Delivery {
        reference: payment.reference.clone(),
        event_id: event.id.clone(),
        kind: event.kind.clone(),
        attempts: 0,
        last_status: None,
    });
    deliveries.len() - 1
}

/// The HMAC-SHA256 of a text, in hexadecimal digits.
pub fn hmac(secret: &str, text: &str) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return String::new() };
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}
