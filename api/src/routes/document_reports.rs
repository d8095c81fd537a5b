//! The route by which other systems report what became of the documents that they clear or issue.

use axum::extract::State;
use axum::response::Response;
use chrono::{DateTime, FixedOffset, NaiveDate};
use rust_decimal::Decimal;
use serde::Serialize;
use serde_json::Value;
use shared::ids::{CartId, DocumentId};
use shared::messages::{
    Clearance, DocumentReport, FieldError, FileBytes, FileType, ReportDocument, ReportedFile,
};
use strum::VariantNames;
use utoipa::ToSchema;

use crate::error::ApiResult;
use crate::extract::{
    Body, Caller, Commander, Desk, DocumentReporter, FieldValue, Fields, MAX_BODY, ReadFields,
};
use crate::openapi::parameters::{DocumentInPath, OrganisationName};
use crate::queries::documents::{self, DocumentStanding};
use crate::response::private;
use crate::state::AppState;

/// What another system has made of a document.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DocumentReport)]
pub struct ReportRequest {
    status: ReportedStatus,
    /// What the authority adds to a document that it has cleared.
    #[schema(nullable = false)]
    clearance: Option<ClearanceRequest>,
    /// Of a document of another program, where it is required: its number.
    #[schema(nullable = false, min_length = 1, max_length = 64, example = "2026/00417")]
    number: Option<String>,
    /// Of a document of another program, where it is required: the day that it shows.
    #[schema(nullable = false)]
    issued_on: Option<NaiveDate>,
    /// Of a document of another program, where it is required: its total, which is compared with the order's.
    #[schema(nullable = false, value_type = Option<f64>, minimum = 0, example = 199)]
    total: Option<Decimal>,
    /// Required for `refused` and `cancelled`.
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 255,
        example = "the buyer's tax number is not registered"
    )]
    reason: Option<String>,
    /// Of what was issued: the signed file, or the PDF of another program.
    #[schema(nullable = false)]
    file: Option<FileRequest>,
}

/// `issued`: an authority has cleared it, or another program has issued it. `refused`: neither; it can still be issued later.
/// `cancelled`: it was taken back after it had been issued. `requested`: what was refused or cancelled is requested anew, as another
/// document, if the order still lacks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema, strum::EnumString, VariantNames)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReportedStatus {
    Issued,
    Refused,
    Cancelled,
    Requested,
}

/// What an authority adds to a document. Each of its fields may be left out.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReportedClearance)]
pub struct ClearanceRequest {
    /// Name of its system, by which the document names the number.
    #[schema(nullable = false, min_length = 1, max_length = 40, example = "KSeF")]
    authority: Option<String>,
    /// The number under which it knows the document.
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 100,
        example = "5265877635-20261124-0100001AF629-AF"
    )]
    number: Option<String>,
    /// Time of the clearance. The document shows it in the zone that it is given in.
    #[schema(nullable = false)]
    at: Option<DateTime<FixedOffset>>,
    /// Content of the QR code that the document has to show, such as a link or a signed text.
    #[schema(nullable = false, min_length = 1, max_length = 2000)]
    qr: Option<String>,
}

impl FieldValue for ClearanceRequest {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        Fields::read_object(value, path)
    }
}

impl ReadFields for ClearanceRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (authority, number) = (text(fields, "authority", 40), text(fields, "number", 100));
        let at = fields.optional("at");
        let qr = fields.optional::<QrText>("qr").map(|payload| payload.map(|payload| payload.0));
        Some(Self { authority: authority?, number: number?, at: at?, qr: qr? })
    }
}

/// Reads a text that is not blank, if it is given.
fn text(fields: &mut Fields, name: &str, most: usize) -> Option<Option<String>> {
    let text = fields.optional_text(name, most)?;
    if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
        fields.error(name, "is blank");
        return None;
    }
    Some(text)
}

/// Content of a QR code. A signed one is longer than other texts.
struct QrText(String);

/// The most bytes of a QR code's content: what a code of the largest size holds with room to spare.
const MOST_QR: usize = 2000;

impl FieldValue for QrText {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        let wrong = |message: String| vec![FieldError::new(path, message)];
        match value {
            Value::String(text) if (1..=MOST_QR).contains(&text.len()) && !text.contains('\0') => {
                Ok(Self(text))
            }
            Value::String(_) => Err(wrong(format!("must have 1 to {MOST_QR} bytes, and none of them NUL"))),
            _ => Err(wrong("must be a string".into())),
        }
    }
}

/// A file of at most 1 MiB.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReportedFile)]
pub struct FileRequest {
    media_type: FileType,
    /// The file in base64.
    #[schema(value_type = String, format = Byte)]
    base64: FileBytes,
}

/// Maximum size of a reported file in bytes.
const MOST_BYTES: usize = 1024 * 1024;

impl FieldValue for FileBytes {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        let wrong = |message: &str| vec![FieldError::new(path, message)];
        let file = value.as_str().and_then(|text| text.parse::<Self>().ok());
        let file = file.ok_or_else(|| wrong("is not a text in base64"))?;
        match file.0.len() {
            0 => Err(wrong("is empty")),
            size if size > MOST_BYTES => Err(wrong("is larger than 1 MiB")),
            _ => Ok(file),
        }
    }
}

impl FieldValue for FileRequest {
    fn read(value: Value, path: &str) -> Result<Self, Vec<FieldError>> {
        Fields::read_object(value, path)
    }
}

impl ReadFields for FileRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (media_type, base64) = (fields.required::<String>("media_type"), fields.required("base64"));
        let media_type = media_type.and_then(|word| {
            let known = word.parse().ok();
            if known.is_none() {
                fields.error("media_type", format!("is not one of {}", FileType::VARIANTS.join(", ")));
            }
            known
        });
        Some(Self { media_type: media_type?, base64: base64? })
    }
}

impl ReadFields for ReportRequest {
    /// The file in base64, and the rest.
    const MOST: usize = MOST_BYTES.div_ceil(3) * 4 + MAX_BODY;

    fn read(fields: &mut Fields) -> Option<Self> {
        let word: Option<String> = fields.required("status");
        let status = word.and_then(|word| {
            let known = word.parse().ok();
            if known.is_none() {
                fields.error("status", format!("is not one of {}", ReportedStatus::VARIANTS.join(", ")));
            }
            known
        });
        let clearance = fields.optional("clearance");
        let number = text(fields, "number", 64);
        let (issued_on, total) = (fields.optional("issued_on"), fields.optional("total"));
        let reason = text(fields, "reason", 255);
        let file = fields.optional("file");
        let request = Self {
            status: status?,
            clearance: clearance?,
            number: number?,
            issued_on: issued_on?,
            total: total?,
            reason: reason?,
            file: file?,
        };
        request.check(fields);
        Some(request)
    }
}

impl ReportRequest {
    /// Notes which fields are missing, or not of this report.
    fn check(&self, fields: &mut Fields) {
        let by_program = self.by_program();
        let is_issued = self.status == ReportedStatus::Issued;
        let has_reason = matches!(self.status, ReportedStatus::Refused | ReportedStatus::Cancelled);
        let given = [
            ("clearance", self.clearance.is_some(), is_issued && !by_program, false),
            ("number", self.number.is_some(), is_issued, by_program),
            ("issued_on", self.issued_on.is_some(), is_issued, by_program),
            ("total", self.total.is_some(), is_issued, by_program),
            ("file", self.file.is_some(), is_issued, false),
            ("reason", self.reason.is_some(), has_reason, has_reason),
        ];
        for (name, is_given, may_be, must_be) in given {
            if is_given && !may_be {
                fields.error(name, "is not a field of this report");
            } else if !is_given && must_be {
                fields.error(name, "is required");
            }
        }
        if self.total.is_some_and(|total| total < Decimal::ZERO) {
            fields.error("total", "must not be negative");
        }
    }

    /// Indicates whether another program has issued the document, and no authority has cleared it.
    fn by_program(&self) -> bool {
        self.status == ReportedStatus::Issued
            && (self.number.is_some() || self.issued_on.is_some() || self.total.is_some())
    }
}

impl From<ReportRequest> for DocumentReport {
    fn from(request: ReportRequest) -> Self {
        let ReportRequest { status, clearance, number, issued_on, total, reason, file } = request;
        let reason = reason.unwrap_or_default();
        let file = file.map(|file| ReportedFile { media_type: file.media_type, bytes: file.base64 });
        match (status, number, issued_on, total) {
            (ReportedStatus::Refused, ..) => Self::Refused { reason },
            (ReportedStatus::Cancelled, ..) => Self::Cancelled { reason },
            (ReportedStatus::Requested, ..) => Self::Requested,
            (ReportedStatus::Issued, Some(number), Some(issued_on), Some(total)) => {
                Self::Issued { number, issued_on, total, file }
            }
            (ReportedStatus::Issued, ..) => {
                let clearance = clearance.map(|added| Clearance {
                    authority: added.authority,
                    number: added.number,
                    at: added.at,
                    qr: added.qr,
                });
                Self::Cleared { clearance: clearance.unwrap_or_default(), file }
            }
        }
    }
}

/// Report what became of a document
///
/// For a seller whose documents an authority clears, or another program issues: each is asked for by the event `document.requested`.
/// The buyer gets it once it is reported as issued. The same report again changes nothing, and one that contradicts what is on record
/// is refused. Finance staff report it, too.
#[utoipa::path(
    post,
    path = "/storeapi/payment/documents/{document_id}/report/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["documents"])),
    params(DocumentInPath, OrganisationName),
    request_body = ReportRequest,
    operation_id = "report_document",
    extensions(("x-problems" = json!(["called", "body", "command", "contradiction", "forbidden", "not_found", "organisation_not_found"]))),
    responses((status = 200, body = DocumentStanding, description = "The report is on record."))
)]
pub async fn report(
    commander: Commander<DocumentReporter>,
    State(app): State<AppState>,
    Body(request): Body<ReportRequest>,
) -> ApiResult<Response> {
    let DocumentReporter { desk, document_id, cart_id } = &commander.caller;
    send(&commander, desk, *document_id, *cart_id, request).await?;
    Ok(private(documents::standing(&app.db, *document_id).await?))
}

/// Sends a report about a document of an order.
pub async fn send<C: Caller>(
    commander: &Commander<C>,
    desk: &Desk,
    document_id: DocumentId,
    cart_id: CartId,
    request: ReportRequest,
) -> ApiResult<()> {
    let command = ReportDocument { document_id, caller: desk.caller(), report: request.into() };
    commander.send(command, Some(cart_id)).await
}
