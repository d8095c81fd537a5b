//! Mailgun's webhooks (user manual, *Webhook Payloads*, November 2026): signed with HMAC-SHA256 over time and token, but not over what they
//! say. So nothing is taken of them but the fate of a mail of ours.

use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use serde_json::Value;
use sha2::Sha256;
use shared::messages::{MailFate, MailReport};
use shared::smtp_reply::Reply;

use super::{Unread, is_timely, mail_id, parse};

pub struct Mailgun {
    key: Hmac<Sha256>,
}

#[derive(Deserialize)]
struct Webhook {
    signature: Signature,
    #[serde(rename = "event-data")]
    event: Event,
}

#[derive(Deserialize)]
struct Signature {
    timestamp: String,
    token: String,
    /// Of 64 hexadecimal digits.
    signature: String,
}

#[derive(Deserialize)]
struct Event {
    event: String,
    #[serde(default)]
    severity: String,
    #[serde(default)]
    reason: String,
    #[serde(default, rename = "delivery-status")]
    status: Status,
    #[serde(default, rename = "user-variables")]
    variables: Value,
    #[serde(default)]
    message: Value,
}

#[derive(Default, Deserialize)]
struct Status {
    code: Option<u16>,
    message: Option<String>,
    #[serde(rename = "enhanced-code")]
    enhanced: Option<String>,
}

impl Mailgun {
    /// `key`: the account's HTTP webhook signing key.
    pub fn new(key: &str) -> Result<Self, String> {
        let key = (!key.is_empty()).then(|| Hmac::new_from_slice(key.as_bytes()).ok()).flatten();
        Ok(Self { key: key.ok_or("is not Mailgun's webhook signing key")? })
    }

    pub fn read(&self, body: &[u8], received_at: DateTime<Utc>) -> Result<Vec<MailReport>, Unread> {
        let Webhook { signature, event } = parse(body)?;
        if !self.is_genuine(&signature) || !is_timely(&signature.timestamp, received_at) {
            return Err(Unread::Forged);
        }
        Ok(event.report().into_iter().collect())
    }

    fn is_genuine(&self, signature: &Signature) -> bool {
        let Ok(mac) = hex::decode(&signature.signature) else { return false };
        let signed = self.key.clone().chain_update(&signature.timestamp).chain_update(&signature.token);
        signed.verify_slice(&mac).is_ok()
    }
}

impl Event {
    fn report(self) -> Option<MailReport> {
        let message_id = self.message.pointer("/headers/message-id").and_then(Value::as_str);
        let mail = mail_id(&self.variables, message_id)?;
        Some(match (self.event.as_str(), self.severity.as_str()) {
            ("delivered", _) => MailReport::on_its_way(mail, MailFate::Delivered),
            ("failed", "temporary") => MailReport::on_its_way(mail, MailFate::Deferred),
            // Mailgun's own list.
            ("failed", _) if self.reason.starts_with("suppress-") => {
                MailReport::withheld(mail, self.reason != "suppress-unsubscribe")
            }
            ("failed", _) if self.reason == "bounce" => MailReport::given_up(mail, self.status.reply()),
            ("failed", _) => MailReport::bounced(mail, self.status.reply()),
            ("rejected", _) => MailReport::withheld(mail, false),
            ("complained", _) => MailReport::complained(mail),
            _ => return None,
        })
    }
}

impl Status {
    /// The server's reply, whose text can repeat its code. Mailgun's own codes, such as 605, are none.
    fn reply(&self) -> Option<Reply> {
        let code = self.code.filter(|code| (400..600).contains(code))?;
        let text = self.message.as_deref().unwrap_or_default();
        let text = text.strip_prefix(&code.to_string()).unwrap_or(text);
        Some(Reply::of(code, text.trim_start_matches([' ', '-'])).beside(self.enhanced.as_deref()))
    }
}
