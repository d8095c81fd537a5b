//! Amazon SES, which reports through SNS (their developer guides, November 2026). SNS signs what it sends with RSA, and names the URL of the
//! certificate: it is fetched from the region's own host alone.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chrono::{DateTime, Utc};
use moka::future::Cache as Moka;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use serde::Deserialize;
use serde_json::{Value, json};
use shared::messages::{MailFate, MailReport};
use shared::smtp_reply::Reply;
use url::Url;
use webpki::EndEntityCert;
use webpki::ring::RSA_PKCS1_2048_8192_SHA256;

use super::{MAIL_ID, NEWEST, OLDEST, Unread, mail_id, parse};

/// Time limit of a call to SNS.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The largest certificate in bytes; SNS's have 2 KiB.
const LARGEST: usize = 16 * 1024;

/// Number of certificates that are kept, and how long: SNS changes its certificate once a year or so.
const KEPT: u64 = 8;
const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// SES's word for an address on the account's own list.
const SUPPRESSED: &str = "OnAccountSuppressionList";

/// Length of the random name of a certificate.
const NAME: usize = 32;

pub struct Ses {
    topic: String,
    /// The host of SNS in the topic's region.
    host: String,
    http: reqwest::Client,
    /// As DER.
    certificates: Moka<Url, Arc<[u8]>>,
}

/// What SNS sends. `Token` and `SubscribeURL` are those of a confirmation.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Sent {
    #[serde(rename = "Type")]
    kind: String,
    message: String,
    message_id: String,
    subject: Option<String>,
    timestamp: String,
    topic_arn: String,
    token: Option<String>,
    #[serde(rename = "SubscribeURL")]
    subscribe_url: Option<String>,
    signature_version: String,
    signature: String,
    #[serde(rename = "SigningCertURL")]
    certificate_url: String,
}

impl Ses {
    /// `key`: the ARN of the topic to which SES publishes.
    pub fn new(key: &str, http: reqwest::Client) -> Result<Self, String> {
        let host = match key.split(':').collect::<Vec<_>>()[..] {
            ["arn", partition, "sns", region, account, name]
                if is_word(region) && !account.is_empty() && !name.is_empty() =>
            {
                domain(partition).map(|domain| format!("sns.{region}.{domain}"))
            }
            _ => None,
        };
        let host = host.ok_or("is not the ARN of an SNS topic")?;
        let certificates = Moka::builder().max_capacity(KEPT).time_to_live(KEPT_FOR).build();
        Ok(Self { topic: key.to_owned(), host, http, certificates })
    }

    pub async fn read(&self, body: &[u8], received_at: DateTime<Utc>) -> Result<Vec<MailReport>, Unread> {
        let sent: Sent = parse(body)?;
        let url = self.certificate_url(&sent, received_at)?;
        let certificate = self.certificate(url).await?;
        if !sent.is_signed_by(&certificate) {
            return Err(Unread::Forged);
        }
        match sent.kind.as_str() {
            // SES's first message, which says that the topic works, is a text.
            "Notification" => {
                let event = serde_json::from_str::<Event>(&sent.message).ok();
                Ok(event.and_then(Event::report).into_iter().collect())
            }
            "SubscriptionConfirmation" => self.confirm(&sent).await,
            _ => {
                tracing::warn!("the subscription to the reports of the mail service has ended: no more come");
                Ok(Vec::new())
            }
        }
    }

    /// The URL of the certificate, if everything but the signature is in order.
    fn certificate_url(&self, sent: &Sent, received_at: DateTime<Utc>) -> Result<Url, Unread> {
        if sent.topic_arn != self.topic || !is_timely(&sent.timestamp, received_at) {
            return Err(Unread::Forged);
        }
        if sent.signature_version == "1" {
            return Err(Unread::Refused(
                "is signed with SHA-1; set the topic's attribute SignatureVersion to 2",
            ));
        }
        let url = Url::parse(&sent.certificate_url).map_err(|_| Unread::Forged)?;
        let name =
            url.path().strip_prefix("/SimpleNotificationService-").and_then(|name| name.strip_suffix(".pem"));
        let is_named = name.is_some_and(|name| name.len() == NAME && is_word(name));
        if is_named && self.is_own(&url) && url.query().is_none() { Ok(url) } else { Err(Unread::Forged) }
    }

    /// Returns whether a URL leads to SNS in the topic's region.
    fn is_own(&self, url: &Url) -> bool {
        let place = (url.scheme(), url.host_str(), url.port(), url.username(), url.password());
        place == ("https", Some(self.host.as_str()), None, "", None) && url.fragment().is_none()
    }

    /// The certificate at a URL. Concurrent requests share one fetch.
    async fn certificate(&self, url: Url) -> Result<Arc<[u8]>, Unread> {
        let fetched = async {
            let pem = self.get(url.clone()).await?;
            CertificateDer::from_pem_slice(&pem).map(|der| Arc::from(&*der)).map_err(|_| Unread::Unanswered)
        };
        self.certificates.try_get_with_by_ref(&url, fetched).await.map_err(|unread| *unread)
    }

    /// Confirms the subscription of this address to the operator's topic.
    async fn confirm(&self, sent: &Sent) -> Result<Vec<MailReport>, Unread> {
        let url = sent.subscribe_url.as_deref().and_then(|url| Url::parse(url).ok());
        let url = url.filter(|url| self.is_own(url)).ok_or(Unread::Forged)?;
        self.get(url).await?;
        tracing::info!("subscribed to the reports of the mail service");
        Ok(Vec::new())
    }

    async fn get(&self, url: Url) -> Result<Vec<u8>, Unread> {
        let failed = |error: reqwest::Error| {
            tracing::warn!(error = %error.without_url(), host = self.host, "SNS does not answer");
            Unread::Unanswered
        };
        let mut answer = self.http.get(url).timeout(TIMEOUT).send().await.map_err(failed)?;
        match answer.status() {
            status if status.is_success() => {}
            // It knows no such certificate or token: the message names one that was made up.
            status if status.is_client_error() => return Err(Unread::Forged),
            status => {
                tracing::warn!(%status, host = self.host, "SNS refuses a request");
                return Err(Unread::Unanswered);
            }
        }
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(failed)? {
            body.extend_from_slice(&chunk);
            if body.len() > LARGEST {
                return Err(Unread::Unanswered);
            }
        }
        Ok(body)
    }
}

/// The domain of a partition of Amazon's cloud.
fn domain(partition: &str) -> Option<&'static str> {
    match partition {
        "aws" | "aws-us-gov" => Some("amazonaws.com"),
        "aws-cn" => Some("amazonaws.com.cn"),
        "aws-eusc" => Some("amazonaws.eu"),
        _ => None,
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_timely(timestamp: &str, received_at: DateTime<Utc>) -> bool {
    let at = DateTime::parse_from_rfc3339(timestamp).map(DateTime::<Utc>::from);
    at.is_ok_and(|at| received_at - at <= OLDEST && at - received_at <= NEWEST)
}

impl Sent {
    /// The fields that are signed, in their order; SNS leaves out those that a message lacks.
    fn signed(&self) -> String {
        let fields = match self.kind.as_str() {
            "Notification" => [
                ("Message", Some(&self.message)),
                ("MessageId", Some(&self.message_id)),
                ("Subject", self.subject.as_ref()),
                ("Timestamp", Some(&self.timestamp)),
                ("TopicArn", Some(&self.topic_arn)),
                ("Type", Some(&self.kind)),
                ("", None),
            ],
            _ => [
                ("Message", Some(&self.message)),
                ("MessageId", Some(&self.message_id)),
                ("SubscribeURL", self.subscribe_url.as_ref()),
                ("Timestamp", Some(&self.timestamp)),
                ("Token", self.token.as_ref()),
                ("TopicArn", Some(&self.topic_arn)),
                ("Type", Some(&self.kind)),
            ],
        };
        fields.into_iter().filter_map(|(name, value)| Some(format!("{name}\n{}\n", value?))).collect()
    }

    fn is_signed_by(&self, certificate: &[u8]) -> bool {
        let Ok(signature) = BASE64_STANDARD.decode(&self.signature) else { return false };
        let certificate = CertificateDer::from(certificate);
        EndEntityCert::try_from(&certificate).is_ok_and(|certificate| {
            certificate
                .verify_signature(RSA_PKCS1_2048_8192_SHA256, self.signed().as_bytes(), &signature)
                .is_ok()
        })
    }
}

/// What SES says, as a notification of an identity or as an event of a configuration set.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    #[serde(alias = "notificationType")]
    event_type: String,
    mail: SentMail,
    #[serde(default)]
    bounce: Bounce,
    #[serde(default)]
    complaint: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SentMail {
    /// Tags of the mail's header; each has a list of values.
    #[serde(default)]
    tags: Value,
    /// Headers of the mail, if the identity's notifications include them.
    #[serde(default)]
    common_headers: Value,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Bounce {
    bounce_type: String,
    bounce_sub_type: String,
    /// Recipients; a mail of the storefront has one.
    bounced_recipients: Vec<Recipient>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Recipient {
    status: Option<String>,
    diagnostic_code: Option<String>,
}

impl Event {
    fn report(self) -> Option<MailReport> {
        let tagged = self.mail.tags.pointer(&format!("/{MAIL_ID}/0")).cloned();
        let message_id = self.mail.common_headers.get("messageId").and_then(Value::as_str);
        let mail = mail_id(&json!({ MAIL_ID: tagged }), message_id)?;
        Some(match self.event_type.as_str() {
            "Delivery" => MailReport::on_its_way(mail, MailFate::Delivered),
            "DeliveryDelay" => MailReport::on_its_way(mail, MailFate::Deferred),
            "Bounce" if self.bounce.is_of_responder() => return None,
            "Bounce" if self.bounce.is_suppressed() => MailReport::withheld(mail, true),
            "Bounce" if self.bounce.bounce_type == "Permanent" => {
                MailReport::given_up(mail, self.bounce.reply())
            }
            "Bounce" => MailReport::bounced(mail, self.bounce.reply()),
            "Reject" => MailReport::withheld(mail, false),
            "Complaint" if self.complaint.get("complaintSubType").is_some_and(|kind| kind == SUPPRESSED) => {
                MailReport::withheld(mail, true)
            }
            "Complaint" if self.is_of_spam() => MailReport::complained(mail),
            _ => return None,
        })
    }
}

impl Event {
    /// Returns whether the reader has marked the mail as spam. The kinds are those of IANA's registry *Mail Feedback Report Type Values*; some
    /// reports name none.
    fn is_of_spam(&self) -> bool {
        let kind = self.complaint.get("complaintFeedbackType").and_then(Value::as_str);
        kind.is_none_or(|kind| ["abuse", "fraud"].contains(&kind))
    }
}

impl Bounce {
    /// SES reports an absence notice, which has no codes, as a bounce as well.
    fn is_of_responder(&self) -> bool {
        let is_unclear = self.bounce_type == "Undetermined"
            || (self.bounce_type.as_str(), self.bounce_sub_type.as_str()) == ("Transient", "General");
        is_unclear
            && self.bounced_recipients.iter().all(|one| one.status.is_none() && one.diagnostic_code.is_none())
    }

    fn reply(&self) -> Option<Reply> {
        let recipient = self.bounced_recipients.first()?;
        let status = recipient.status.as_deref();
        match recipient.diagnostic_code.as_deref().and_then(Reply::read) {
            Some(reply) => Some(reply.beside(status)),
            None => status.and_then(Reply::read),
        }
    }

    /// SES itself sends nothing to such an address any more.
    fn is_suppressed(&self) -> bool {
        [SUPPRESSED, "Suppressed"].contains(&self.bounce_sub_type.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    const TOPIC: &str = "arn:aws:sns:eu-central-1:123456789012:storefront-mails";

    #[derive(Deserialize)]
    struct Vectors {
        certificate: String,
        messages: HashMap<String, Value>,
    }

    fn vectors() -> Vectors {
        serde_json::from_str(include_str!("ses.json")).unwrap()
    }

    /// A reader that has fetched the certificate.
    async fn reader(vectors: &Vectors) -> Ses {
        let ses = Ses::new(TOPIC, reqwest::Client::new()).unwrap();
        let url = vectors.messages["gone"]["SigningCertURL"].as_str().unwrap().parse().unwrap();
        let der = CertificateDer::from_pem_slice(vectors.certificate.as_bytes()).unwrap();
        ses.certificates.insert(url, Arc::from(&*der)).await;
        ses
    }

    async fn read(ses: &Ses, message: &Value) -> Result<Vec<MailReport>, Unread> {
        let at = DateTime::parse_from_rfc3339("2026-11-30T12:01:00Z").unwrap();
        ses.read(message.to_string().as_bytes(), at.into()).await
    }

    #[tokio::test]
    async fn each_kind_of_report_is_read() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let vectors = vectors();
        let ses = reader(&vectors).await;
        let mail = "0198c0de-0000-7000-8000-00000000000a".parse().unwrap();
        let bounced = |quoted: &str| MailReport::bounced(mail, Reply::read(quoted));
        for (name, report) in [
            ("delivery", Some(MailReport::on_its_way(mail, MailFate::Delivered))),
            ("without_subject", Some(MailReport::on_its_way(mail, MailFate::Delivered))),
            ("delay", Some(MailReport::on_its_way(mail, MailFate::Deferred))),
            ("gone", Some(bounced("550 5.1.1"))),
            ("full", Some(bounced("552 5.2.2"))),
            ("suppressed", Some(MailReport::withheld(mail, true))),
            ("rejected", Some(MailReport::withheld(mail, false))),
            ("complaint", Some(MailReport::complained(mail))),
            ("complaint_before", Some(MailReport::withheld(mail, true))),
            ("not_spam", None),
            ("absent", None),
            ("first_message", None),
            ("opened", None),
        ] {
            let read = read(&ses, &vectors.messages[name]).await;
            assert_eq!(read, Ok(report.into_iter().collect()), "{name}");
        }
    }

    #[tokio::test]
    async fn forged_messages_are_refused_before_anything_is_fetched() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let vectors = vectors();
        let ses = reader(&vectors).await;
        let own = "https://sns.eu-central-1.amazonaws.com";
        let name = "SimpleNotificationService-0123456789abcdef0123456789abcdef.pem";
        for (field, value) in [
            ("TopicArn", "arn:aws:sns:eu-central-1:123456789012:another".to_owned()),
            ("Message", "{}".into()),
            ("Timestamp", "2026-11-29T12:00:00.000Z".into()),
            ("Signature", "AAAA".into()),
            ("SigningCertURL", format!("{own}/{name}?x=1")),
            ("SigningCertURL", format!("{own}/other/{name}")),
            ("SigningCertURL", format!("{own}:444/{name}")),
            ("SigningCertURL", format!("http://sns.eu-central-1.amazonaws.com/{name}")),
            ("SigningCertURL", format!("https://sns.eu-central-1.amazonaws.com.example/{name}")),
            ("SigningCertURL", format!("https://sns.us-east-1.amazonaws.com/{name}")),
        ] {
            let mut forged = vectors.messages["gone"].clone();
            forged[field] = value.clone().into();
            assert_eq!(read(&ses, &forged).await, Err(Unread::Forged), "{field}: {value}");
        }
        let mut elsewhere = vectors.messages["confirmation"].clone();
        elsewhere["SubscribeURL"] = "https://sns.example/".into();
        assert_eq!(read(&ses, &elsewhere).await, Err(Unread::Forged));
        assert!(matches!(read(&ses, &vectors.messages["first_version"]).await, Err(Unread::Refused(_))));
    }

    #[test]
    fn the_host_is_that_of_the_topic() {
        for (topic, host) in [
            (TOPIC, Some("sns.eu-central-1.amazonaws.com")),
            ("arn:aws-cn:sns:cn-north-1:1:mails", Some("sns.cn-north-1.amazonaws.com.cn")),
            ("arn:aws-eusc:sns:eusc-de-east-1:1:mails", Some("sns.eusc-de-east-1.amazonaws.eu")),
            ("arn:aws:sqs:eu-central-1:1:mails", None),
            ("arn:aws:sns:evil.example/:1:mails", None),
            ("mails", None),
        ] {
            let ses = Ses::new(topic, reqwest::Client::new()).ok();
            assert_eq!(ses.as_ref().map(|ses| ses.host.as_str()), host, "{topic}");
        }
    }
}
