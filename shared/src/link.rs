//! Signed links in emails and answers. No table stores them: the api verifies their signature, their end, and that they have the
//! version that the links of their order have now. A registration link grants nothing and never ends; a payment link shows one
//! cart, and a document link one document.

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use hmac::digest::Key;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::ids::DocumentId;
use crate::secrets::Secrets;

/// Purpose of a link. A link signed for one purpose is not valid for another.
#[derive(Clone, Copy)]
pub enum Purpose {
    /// Leads to the registration page of the organisation that it names.
    Registration,
    /// Opens the payment page of the cart that it names.
    Payment,
    /// Opens the invoice or credit note that it names.
    Document,
    /// Manages the pool of seats that it names.
    Seats,
    /// Shows that the buyer of the order that it names declares a withdrawal.
    Withdrawal,
    /// Objects to the withdrawal that it names.
    Objection,
    /// Answers for the entry of a waiting list that it names.
    WaitingList,
}

/// Subject of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Of an order, or of what the purpose names.
    pub id: Uuid,
    /// Of the links of the order to which it belongs. A correction of the order's address raises it, and so ends every link that
    /// the address before was sent.
    pub version: i32,
}

/// Version of what belongs to no order, or to one whose address was never corrected.
impl From<Uuid> for Subject {
    fn from(id: Uuid) -> Self {
        Self { id, version: 0 }
    }
}

/// Signs a link with the current secret: `{subject}.{expires, Unix seconds}.{HMAC-SHA256 of both, hex}`, with `.{version}` after
/// `expires` unless it is 0. Without a secret, the link has no signature and is never valid.
pub fn sign(
    secrets: &Secrets,
    purpose: Purpose,
    subject: impl Into<Subject>,
    expires: DateTime<Utc>,
) -> String {
    let subject = subject.into();
    let version = if subject.version == 0 { String::new() } else { format!(".{}", subject.version) };
    let signed = format!("{}.{}{version}", subject.id.simple(), expires.timestamp());
    let signature = secrets.current().map(|secret| mac(secret, purpose, &signed).finalize().into_bytes());
    format!("{signed}.{}", signature.map(hex::encode).unwrap_or_default())
}

/// Time that a link to an invoice or a credit note is valid, at least.
const DOCUMENT_LIFETIME: TimeDelta = TimeDelta::days(90);

/// The path of a document, with a link that opens it. All of one day are the same: they expire at the end of a day.
pub fn document_path(secrets: &Secrets, document: DocumentId, version: i32, now: DateTime<Utc>) -> String {
    let last_day = (now + DOCUMENT_LIFETIME).date_naive();
    let expires = last_day.and_time(NaiveTime::MIN).and_utc() + TimeDelta::days(1);
    let token = sign(secrets, Purpose::Document, Subject { id: document.into(), version }, expires);
    format!("/storeapi/payment/documents/{document}/?token={token}")
}

/// The subject that a link was signed for; None if the link was altered or has expired. It opens the subject if the links of
/// the order have the same version now.
pub fn verify(secrets: &Secrets, purpose: Purpose, link: &str, now: DateTime<Utc>) -> Option<Subject> {
    let (subject, expires) = read(secrets, purpose, link)?;
    (now.timestamp() < expires).then_some(subject)
}

/// The subject of a signed link, even an expired one. Such a link grants no access; it tells where to redirect its holder.
pub fn subject(secrets: &Secrets, purpose: Purpose, link: &str) -> Option<Uuid> {
    read(secrets, purpose, link).map(|(subject, _)| subject.id)
}

/// The subject and the expiry of a link that was not altered.
fn read(secrets: &Secrets, purpose: Purpose, link: &str) -> Option<(Subject, i64)> {
    let (signed, signature) = link.rsplit_once('.')?;
    let signature = hex::decode(signature).ok()?;
    // A replaced secret stays in the list as long as links that it has signed shall be valid.
    let is_signed = |secret| mac(secret, purpose, signed).verify_slice(&signature).is_ok();
    secrets.iter().any(is_signed).then_some(())?;
    let (id, rest) = signed.split_once('.')?;
    let (expires, version) = rest.split_once('.').unwrap_or((rest, "0"));
    Some((Subject { id: id.parse().ok()?, version: version.parse().ok()? }, expires.parse().ok()?))
}

/// HMAC keyed with the secret's digest: its length is fixed, so building the key cannot fail.
fn mac(secret: &SecretString, purpose: Purpose, signed: &str) -> Hmac<Sha256> {
    let mut key = Key::<Hmac<Sha256>>::default();
    key.iter_mut().zip(Sha256::digest(secret.expose_secret())).for_each(|(to, from)| *to = from);
    let mut mac = Hmac::<Sha256>::new(&key);
    mac.update(match purpose {
        Purpose::Registration => b"registration-link:",
        Purpose::Payment => b"payment-link:",
        Purpose::Document => b"document-link:",
        Purpose::Seats => b"seats-link:",
        Purpose::Withdrawal => b"withdrawal-link:",
        Purpose::Objection => b"objection-link:",
        Purpose::WaitingList => b"waiting-list-link:",
    });
    mac.update(signed.as_bytes());
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_holds_until_it_expires_and_not_if_it_is_altered() {
        let (secret, other) = (Secrets::of(&["one"]), Secrets::of(&["two"]));
        let (both, none) = (Secrets::of(&["two", "one"]), Secrets::of(&[]));
        let now = DateTime::from_timestamp(1_800_000_000, 0).unwrap();
        let organisation = Subject::from(Uuid::from_u128(7));
        let link = sign(&secret, Purpose::Registration, organisation, now + TimeDelta::days(1));
        let verify = |secrets, link: &str, now| verify(secrets, Purpose::Registration, link, now);
        assert_eq!(verify(&secret, &link, now), Some(organisation));
        assert_eq!(verify(&secret, &link, now + TimeDelta::days(1)), None);
        assert_eq!(subject(&secret, Purpose::Registration, &link), Some(organisation.id));
        assert_eq!(subject(&other, Purpose::Registration, &link), None);
        assert_eq!(verify(&other, &link, now), None);
        assert_eq!(verify(&both, &link, now), Some(organisation));
        let unsigned = sign(&none, Purpose::Registration, organisation, now + TimeDelta::days(1));
        assert_eq!(verify(&secret, &unsigned, now).or(verify(&none, &unsigned, now)), None);
        assert_eq!(verify(&secret, &link.replacen('7', "8", 1), now), None);
        assert_eq!(super::verify(&secret, Purpose::Payment, &link, now), None);
        let third = Subject { version: 3, ..organisation };
        let link = sign(&secret, Purpose::Registration, third, now + TimeDelta::days(1));
        assert_eq!(verify(&secret, &link, now), Some(third));
        assert_eq!(verify(&secret, &link.replacen(".3.", ".4.", 1), now), None);
        for bad in ["", ".", "a.b.c", "é.1.é0"] {
            assert_eq!(verify(&secret, bad, now), None);
        }
    }
}
