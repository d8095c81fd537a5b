//! Invoices: the commands that correct the buyer on one, and that report what another system has made of one.

use std::fmt;
use std::str::FromStr;

use base64::prelude::BASE64_STANDARD;
use base64::{DecodeError, Engine};
use chrono::{DateTime, FixedOffset, NaiveDate};
use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use strum::{EnumString, IntoStaticStr, VariantNames};

use super::{BillingAddress, CallerKey, DeskCaller, Idempotency, OrderCaller};
use crate::ids::{CartId, DocumentId};

/// Issues the invoice of an order anew, for another buyer. The money does not move, unless the buyer is to declare the tax: a member of
/// the staff who may not pay it back asks finance by it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CorrectInvoice {
    pub cart_id: CartId,
    pub caller: OrderCaller,
    pub billing_address: BillingAddress,
    pub idempotency: Option<Idempotency>,
}

impl CorrectInvoice {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        self.caller.key()
    }
}

/// Reports what became of a document that another system clears or issues.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReportDocument {
    pub document_id: DocumentId,
    pub caller: DeskCaller,
    pub report: DocumentReport,
}

impl ReportDocument {
    pub(super) fn key_to_check(&self) -> Option<CallerKey> {
        self.caller.key_to_check()
    }
}

/// Report about a document.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentReport {
    /// An authority has cleared it.
    Cleared {
        clearance: Clearance,
        file: Option<ReportedFile>,
    },
    /// Another program has issued it.
    Issued {
        number: String,
        issued_on: NaiveDate,
        total: Decimal,
        file: Option<ReportedFile>,
    },
    Refused {
        reason: String,
    },
    /// It was taken back where it was issued.
    Cancelled {
        reason: String,
    },
    /// It was refused or cancelled, and is to be requested anew.
    Requested,
}

/// Facts that an authority adds to a document which it clears. Not every authority has each of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clearance {
    /// Name of its system, such as KSeF.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<String>,
    /// The number under which it knows the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// Time of the clearance, as its clock shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<DateTime<FixedOffset>>,
    /// Content of the QR code that the document must show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qr: Option<String>,
}

/// A file that another system has made of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedFile {
    pub media_type: FileType,
    pub bytes: FileBytes,
}

/// The bytes of a file; as text in base64.
#[derive(Clone, PartialEq, Eq)]
pub struct FileBytes(pub Vec<u8>);

impl FromStr for FileBytes {
    type Err = DecodeError;

    fn from_str(text: &str) -> Result<Self, DecodeError> {
        BASE64_STANDARD.decode(text).map(Self)
    }
}

impl fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

impl Serialize for FileBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for FileBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Media type of a reported file.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, EnumString, IntoStaticStr, VariantNames,
)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum FileType {
    #[serde(rename = "application/pdf")]
    #[strum(serialize = "application/pdf")]
    Pdf,
    #[serde(rename = "application/xml")]
    #[strum(serialize = "application/xml")]
    Xml,
    #[serde(rename = "application/json")]
    #[strum(serialize = "application/json")]
    Json,
    /// A signed JSON object, such as that of India's portal.
    #[serde(rename = "application/jose")]
    #[strum(serialize = "application/jose")]
    Jose,
}
