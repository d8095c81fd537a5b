//! Reports of mail services about a mail, signed as each service signs them. The fields are those of the services' documentation (November
//! 2026): Mailgun's user manual, *Webhook Payloads*; Postmark's *Bounce*, *Delivery* and *Spam complaint webhook*; Twilio's *Event Webhook
//! Reference* for SendGrid, whose signature its package @sendgrid/eventwebhook 8.0.0 verifies.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use hmac::{Hmac, KeyInit, Mac};
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use p256::pkcs8::EncodePublicKey;
use serde_json::{Value, json};
use sha2::Sha256;

/// Mailgun's webhook signing key, and the password in the URL of Postmark's webhook.
pub const SECRET: &str = "a-secret-of-mail-services-in-tests";

/// The services, by their names in `MAIL_SERVICE`.
pub const SERVICES: [&str; 3] = ["mailgun", "postmark", "sendgrid"];

/// What a service reports.
#[derive(Clone, Copy, Debug)]
pub enum Report {
    Deferred,
    Delivered,
    /// The address does not exist.
    Gone,
    /// The mailbox is full.
    Full,
    Complained,
    /// The reader has opened the mail.
    Opened,
}

/// A request of a service.
pub struct Request {
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

/// The value of `MAIL_REPORT_KEY`.
pub fn key(service: &str) -> String {
    match service {
        "sendgrid" => {
            let key = signing_key();
            STANDARD.encode(key.verifying_key().to_public_key_der().unwrap().as_bytes())
        }
        _ => SECRET.to_owned(),
    }
}

/// A service's report about a mail that it has accepted.
pub fn report(service: &str, report: Report, mail_id: &str, to: &str, at: DateTime<Utc>) -> Request {
    let time = at.timestamp().to_string();
    match service {
        "mailgun" => mailgun(mailgun_event(report, mail_id, to), &time),
        "postmark" => {
            let credentials = STANDARD.encode(format!("storefront:{SECRET}"));
            let body = postmark_record(report, mail_id, to).to_string();
            Request { headers: vec![("authorization", format!("Basic {credentials}"))], body }
        }
        _ => sendgrid(&json!([sendgrid_event(report, mail_id, to)]), &time),
    }
}

fn mailgun(event: Value, time: &str) -> Request {
    let token = "dfaa5ffb9a3a4ab1b7f1a02ef1a6dd4ea0c8ba5d1b4b3b8c1d";
    let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    let signature = hex::encode(mac.chain_update(time).chain_update(token).finalize().into_bytes());
    let signature = json!({ "timestamp": time, "token": token, "signature": signature });
    Request { headers: Vec::new(), body: json!({ "signature": signature, "event-data": event }).to_string() }
}

fn mailgun_event(report: Report, mail_id: &str, to: &str) -> Value {
    let (event, severity, reason, code, message) = match report {
        Report::Deferred => ("failed", "temporary", "generic", 451, "4.7.1 Greylisted, try again later"),
        Report::Delivered => ("delivered", "", "", 250, "OK"),
        Report::Gone => (
            "failed",
            "permanent",
            "bounce",
            550,
            "5.1.1 The email account that you tried to reach does not exist.",
        ),
        Report::Full => ("failed", "permanent", "bounce", 552, "5.2.2 Mailbox full"),
        Report::Complained => ("complained", "", "", 0, ""),
        Report::Opened => ("opened", "", "", 0, ""),
    };
    let mut event = json!({
        "id": "CPgfbmQMTCKtHW6uIWtuVe", "event": event, "recipient": to, "recipient-domain": "example.com",
        "message": { "headers": { "to": to, "message-id": "20260203192638.000be97f99f8cea1@sample.mailgun.example" }, "size": 341 },
        "user-variables": { "mail_id": mail_id },
    });
    if !severity.is_empty() {
        event["severity"] = severity.into();
        event["reason"] = reason.into();
    }
    if code > 0 {
        event["delivery-status"] =
            json!({ "code": code, "message": message, "attempt-no": 1, "description": "" });
    }
    event
}

fn postmark_record(report: Report, mail_id: &str, to: &str) -> Value {
    let bounce = |kind: &str, code: u32, details: &str| json!({ "RecordType": "Bounce", "ID": 42, "Type": kind, "TypeCode": code, "Details": details, "Email": to, "Inactive": true });
    let mut record = match report {
        Report::Deferred => bounce("Transient", 2, "smtp;451 4.7.1 Greylisted, try again later"),
        Report::Delivered => json!({ "RecordType": "Delivery", "Recipient": to, "Details": "250 2.0.0 OK" }),
        Report::Gone => bounce(
            "HardBounce",
            1,
            "smtp;550 5.1.1 The email account that you tried to reach does not exist.",
        ),
        Report::Full => bounce("SoftBounce", 4096, "smtp;552 5.2.2 Mailbox full"),
        Report::Complained => {
            json!({ "RecordType": "SpamComplaint", "Type": "SpamComplaint", "TypeCode": 512, "Email": to })
        }
        Report::Opened => json!({ "RecordType": "Open", "Recipient": to, "FirstOpen": true }),
    };
    record["MessageID"] = "883953f4-6105-42a2-a16a-77a8eac79483".into();
    record["Metadata"] = json!({ "mail_id": mail_id });
    record
}

/// SendGrid signs what it sends byte by byte, its last line break included.
fn sendgrid(events: &Value, time: &str) -> Request {
    let body = format!("{events}\r\n");
    let signature: Signature = signing_key().sign(format!("{time}{body}").as_bytes());
    let headers = vec![
        ("X-Twilio-Email-Event-Webhook-Signature", STANDARD.encode(signature.to_der())),
        ("X-Twilio-Email-Event-Webhook-Timestamp", time.to_owned()),
    ];
    Request { headers, body }
}

fn sendgrid_event(report: Report, mail_id: &str, to: &str) -> Value {
    let mut event = match report {
        Report::Deferred => {
            json!({ "event": "deferred", "response": "451 4.7.1 Greylisted, try again later", "attempt": "1" })
        }
        Report::Delivered => json!({ "event": "delivered", "response": "250 OK" }),
        Report::Gone => {
            json!({ "event": "bounce", "type": "bounce", "status": "5.1.1", "bounce_classification": "Invalid Address",
            "reason": "550 5.1.1 The email account that you tried to reach does not exist." })
        }
        Report::Full => {
            json!({ "event": "bounce", "type": "blocked", "status": "5.2.2", "reason": "552 5.2.2 Mailbox full" })
        }
        Report::Complained => json!({ "event": "spamreport" }),
        Report::Opened => json!({ "event": "open", "useragent": "Mozilla/5.0" }),
    };
    event["email"] = to.into();
    event["mail_id"] = mail_id.into();
    event["sg_event_id"] = "ZGVsaXZlcmVkLTAtMTIzNDU2Nzg".into();
    event["sg_message_id"] = "14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0".into();
    event
}

/// A key for tests alone.
fn signing_key() -> SigningKey {
    SigningKey::from_slice(&[7; 32]).unwrap()
}
