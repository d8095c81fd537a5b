//! Postmark's webhooks (developer docs, *Webhooks*, and the types of its client 4.0.5): without a signature, so that the URL that is set there
//! has a password.

use serde::Deserialize;
use serde_json::Value;
use shared::messages::{MailFate, MailReport};
use shared::smtp_reply::Reply;

use super::{Unread, mail_id, parse};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Webhook {
    record_type: String,
    /// Of a bounce.
    #[serde(default, rename = "Type")]
    kind: String,
    /// The server's words, for a bounce.
    #[serde(default)]
    details: String,
    #[serde(default)]
    metadata: Value,
}

/// Reads a webhook; none about what is no concern here.
pub fn read(body: &[u8]) -> Result<Vec<MailReport>, Unread> {
    parse::<Webhook>(body).map(|webhook| webhook.report().into_iter().collect())
}

impl Webhook {
    fn report(self) -> Option<MailReport> {
        let mail = mail_id(&self.metadata, None)?;
        let reply = Reply::read(&self.details);
        Some(match (self.record_type.as_str(), self.kind.as_str()) {
            ("Delivery", _) => MailReport::on_its_way(mail, MailFate::Delivered),
            ("SpamComplaint", _) | ("Bounce", "SpamComplaint") => MailReport::complained(mail),
            ("Bounce", "Transient") => MailReport::on_its_way(mail, MailFate::Deferred),
            ("Bounce", "HardBounce" | "BadEmailAddress") => MailReport::given_up(mail, reply),
            ("Bounce", "ManuallyDeactivated") => MailReport::withheld(mail, true),
            // Answers of machines, and what concerns mailing lists.
            (
                "Bounce",
                "AddressChange"
                | "AutoResponder"
                | "ChallengeVerification"
                | "OpenRelayTest"
                | "Subscribe"
                | "Unsubscribe",
            ) => return None,
            ("Bounce", _) => MailReport::bounced(mail, reply),
            _ => return None,
        })
    }
}
