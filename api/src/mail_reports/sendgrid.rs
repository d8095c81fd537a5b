//! SendGrid's event webhook (reference, November 2026): signed with ECDSA on P-256 over time and body.

use axum::http::HeaderMap;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chrono::{DateTime, Utc};
use p256::ecdsa::signature::Verifier;
use p256::ecdsa::{Signature, VerifyingKey};
use p256::pkcs8::DecodePublicKey;
use serde::Deserialize;
use serde_json::Value;
use shared::messages::{MailFate, MailReport};
use shared::smtp_reply::Reply;

use super::{Unread, is_timely, mail_id, parse};

const SIGNATURE: &str = "x-twilio-email-event-webhook-signature";
const TIME: &str = "x-twilio-email-event-webhook-timestamp";

pub struct Sendgrid {
    key: VerifyingKey,
}

#[derive(Deserialize)]
struct Event {
    event: String,
    /// `bounce` or `blocked`, of a bounce.
    #[serde(default, rename = "type")]
    kind: String,
    /// The server's words, or SendGrid's own about what it has dropped.
    #[serde(default)]
    reason: String,
    /// The enhanced code of a bounce.
    #[serde(default)]
    status: String,
    #[serde(rename = "smtp-id")]
    message_id: Option<String>,
    /// What the mail's header named.
    #[serde(flatten)]
    named: Value,
}

impl Sendgrid {
    /// `key`: the verification key, as the settings of the webhook show it.
    pub fn new(key: &str) -> Result<Self, String> {
        let der = BASE64_STANDARD.decode(key.trim()).ok();
        let key = der.and_then(|der| VerifyingKey::from_public_key_der(&der).ok());
        Ok(Self { key: key.ok_or("is not SendGrid's verification key")? })
    }

    /// Returns whether a request can be SendGrid's, whatever its body.
    pub fn is_plausible(headers: &HeaderMap, received_at: DateTime<Utc>) -> bool {
        let is_signed = header(headers, SIGNATURE).is_some();
        is_signed && header(headers, TIME).is_some_and(|time| is_timely(time, received_at))
    }

    pub fn read(&self, headers: &HeaderMap, body: &[u8]) -> Result<Vec<MailReport>, Unread> {
        let signed = header(headers, SIGNATURE).zip(header(headers, TIME));
        let (signature, time) = signed.ok_or(Unread::Forged)?;
        let signature = BASE64_STANDARD.decode(signature).ok().and_then(|der| Signature::from_der(&der).ok());
        let signature = signature.ok_or(Unread::Forged)?;
        let signed = [time.as_bytes(), body].concat();
        self.key.verify(&signed, &signature).map_err(|_| Unread::Forged)?;
        // One that cannot be read must not hold back the others.
        let events: Vec<Value> = parse(body)?;
        let events = events.into_iter().filter_map(|event| serde_json::from_value::<Event>(event).ok());
        Ok(events.filter_map(Event::report).collect())
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

impl Event {
    fn report(self) -> Option<MailReport> {
        let mail = mail_id(&self.named, self.message_id.as_deref())?;
        let reply = match Reply::read(&self.reason) {
            Some(reply) => Some(reply.beside(Some(&self.status))),
            None => Reply::read(&self.status),
        };
        Some(match (self.event.as_str(), self.kind.as_str(), self.reason.as_str()) {
            ("delivered", ..) => MailReport::on_its_way(mail, MailFate::Delivered),
            ("deferred", ..) => MailReport::on_its_way(mail, MailFate::Deferred),
            ("bounce", "blocked", _) => MailReport::bounced(mail, reply),
            ("bounce", ..) => MailReport::given_up(mail, reply),
            // SendGrid's own lists, and faults of the mail.
            ("dropped", _, "Bounced Address" | "Invalid" | "Spam Reporting Address") => {
                MailReport::withheld(mail, true)
            }
            ("dropped", ..) => MailReport::withheld(mail, false),
            ("spamreport", ..) => MailReport::complained(mail),
            _ => return None,
        })
    }
}
