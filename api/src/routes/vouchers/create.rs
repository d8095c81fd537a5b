//! The route that creates vouchers and pools of seats.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use rust_decimal::Decimal;
use serde::Serialize;
use shared::access_period::AccessPeriod;
use shared::email::Email;
use shared::messages::{BasketItem, CreateVouchers, FieldError, MOST_SEATS, VoucherTerms, VoucherValue};
use shared::voucher::Code;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::error::ApiResult;
use crate::extract::{Body, Caller, Commander, Desk, FieldValue, Fields, ReadFields, VoucherKeeper};
use crate::openapi::parameters::{IdempotencyKey, OrganisationName};
use crate::queries::vouchers::{self, Voucher};
use crate::response::private;
use crate::state::{App, AppState};
use crate::views::vouchers::CreatedVouchers;
use crate::words;
use shared::course_mode::CourseMode;
use shared::messages::ItemKind;

/// Vouchers that one request can create.
const MOST_VOUCHERS: i64 = 1_000;

/// Uses that a voucher can allow one buyer.
const MOST_USES_PER_BUYER: i64 = 1_000;

/// Courses and programs of all vouchers of one request together.
const MOST_SCOPES: usize = 10_000;

/// Courses, or programs, that a voucher can be for.
pub const MOST_IDS: usize = 500;

/// Request to create vouchers.
#[derive(Debug, Serialize)]
pub struct VoucherRequest {
    pub code: Option<Code>,
    pub count: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<Email>,
    pub terms: VoucherTerms,
}

/// Vouchers to create.
#[derive(ToSchema)]
// A description of its own: which fields there are depends on `kind`, and the terms hold no field that is for another
// kind. A schema for each kind would be a choice, which generators of clients read badly.
#[expect(dead_code, reason = "describes what is read into a `VoucherRequest`")]
pub struct NewVouchers {
    /// Read in any case. Left out: the service generates codes of 12 characters.
    #[schema(pattern = "^\\s*[A-Za-z0-9_-]{3,40}\\s*$", example = "SPRING-26")]
    code: Option<String>,
    /// Number of vouchers with generated codes; times the courses and programs at most 10,000.
    #[schema(minimum = 1, maximum = 1000, default = 1)]
    count: Option<i64>,
    kind: words::VoucherKind,
    /// A percentage of 0.01 to 100 with two decimals, or an amount in major units of the organisation's currency. Not of the kind
    /// `seat`.
    #[schema(exclusive_minimum = 0, example = 12.5)]
    value: Option<f64>,
    /// Of the kind `seat` alone, and required there: what one seat is for.
    item: Option<SeatItem>,
    /// Of the kind `seat` alone, and required there: who gets the code, and may manage the seats.
    #[schema(format = Email, example = "ada@example.com")]
    email: Option<String>,
    /// Left out or null: no limit. Of the kind `seat`, the number of seats: 1 to 1,000.
    #[schema(minimum = 1)]
    max_uses: Option<i32>,
    /// Null: no limit.
    #[schema(minimum = 1, maximum = 1000, default = 1)]
    max_uses_per_buyer: Option<i32>,
    /// Most that all uses together may take off, in the organisation's currency. Left out or null: no limit.
    #[schema(exclusive_minimum = 0, example = 500)]
    budget: Option<f64>,
    /// Left out: now.
    valid_from: Option<DateTime<Utc>>,
    /// Left out or null: no end.
    valid_until: Option<DateTime<Utc>>,
    /// Courses that it is for. Without courses and programs: all that the organisation sells.
    #[schema(max_items = 500)]
    course_ids: Option<Vec<Uuid>>,
    #[schema(max_items = 500)]
    program_ids: Option<Vec<Uuid>>,
    /// Finds the vouchers of one campaign, also in the ledger's report.
    #[schema(max_length = 100, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    campaign: Option<String>,
    #[schema(max_length = 200, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    note: Option<String>,
    /// Of the kind `seat` alone: days of access that a seat gives, at the organisation, after the day on which it begins. Without it and
    /// `access_until`, a seat gives what the mode says.
    #[schema(minimum = 1, maximum = 36500, example = 365)]
    access_days: Option<i32>,
    /// Of the kind `seat` alone: when the access of a seat ends at the latest.
    access_until: Option<DateTime<Utc>>,
}

/// A place in a course or program.
#[derive(ToSchema)]
pub struct SeatItem {
    #[schema(rename = "type")]
    kind: ItemKind,
    #[schema(example = "ad035fc9-afd5-49f2-85d8-8ac83dd05a77")]
    id: Uuid,
    #[schema(example = "verified")]
    mode: CourseMode,
}

impl From<SeatItem> for BasketItem {
    fn from(item: SeatItem) -> Self {
        Self { kind: item.kind, id: item.id, mode: item.mode, seats: None }
    }
}

impl FieldValue for SeatItem {
    fn read(value: serde_json::Value, path: &str) -> Result<Self, Vec<FieldError>> {
        Fields::read_object(value, path)
    }
}

impl ReadFields for SeatItem {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (kind, id, mode) = (fields.required("type"), fields.required("id"), fields.required("mode"));
        Some(Self { kind: kind?, id: id?, mode: mode? })
    }
}

impl ReadFields for VoucherRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let kind: Option<String> = fields.required("kind");
        if kind.as_deref() == Some("seat") {
            return seats(fields);
        }
        let code = fields.optional("code");
        let count = fields.optional_number("count", 1, MOST_VOUCHERS);
        let value = value(kind.as_deref(), fields);
        let max_uses = fields.optional_number("max_uses", 1, i32::MAX.into());
        let per_buyer = fields.is_given("max_uses_per_buyer");
        let max_uses_per_buyer = fields.optional_number("max_uses_per_buyer", 1, MOST_USES_PER_BUYER);
        let budget = fields.optional("budget");
        let course_ids = fields.optional_list("course_ids", MOST_IDS);
        let program_ids = fields.optional_list("program_ids", MOST_IDS);
        let common = Common::read(fields);
        let (code, count): (Option<Code>, Option<u32>) = (code?, count?);
        let (course_ids, program_ids) = (course_ids?.unwrap_or_default(), program_ids?.unwrap_or_default());
        let named: usize = course_ids.len() + program_ids.len();
        if usize::try_from(count.unwrap_or(1)).is_ok_and(|count| count * named > MOST_SCOPES) {
            fields.error("count", format!("times the courses and programs must be at most {MOST_SCOPES}"));
            return None;
        }
        if let (Some(_), Some(2..)) = (&code, count) {
            fields.error("count", "is for generated codes only");
            return None;
        }
        let max_uses_per_buyer = max_uses_per_buyer?.or((!per_buyer).then_some(1));
        let Common { valid_from, valid_until, campaign, note } = common?;
        let terms = VoucherTerms {
            value: value?,
            max_uses: max_uses?,
            max_uses_per_buyer,
            budget: budget?,
            valid_from,
            valid_until,
            course_ids,
            program_ids,
            campaign,
            note,
            access: AccessPeriod::default(),
        };
        Some(Self { code, count: count.unwrap_or(1), email: None, terms })
    }
}

/// Reads a pool of seats.
fn seats(fields: &mut Fields) -> Option<VoucherRequest> {
    let code = fields.optional("code");
    let item: Option<SeatItem> = fields.required("item");
    let email = fields.required("email");
    let seats = fields.optional_number("max_uses", 1, MOST_SEATS.into());
    let days = fields.optional_number("access_days", 1, AccessPeriod::MOST_DAYS.into());
    let until = fields.optional("access_until");
    let common = Common::read(fields);
    let Some(seats) = seats? else {
        fields.error("max_uses", "is required");
        return None;
    };
    let Common { valid_from, valid_until, campaign, note } = common?;
    let access = AccessPeriod { days: days?, until: until? };
    // After the end of the access, a seat is worth nothing.
    let valid_until = valid_until.into_iter().chain(access.until).min();
    let terms = VoucherTerms {
        valid_from,
        valid_until,
        campaign,
        note,
        access,
        ..VoucherTerms::seats(item?.into(), seats)
    };
    Some(VoucherRequest { code: code?, count: 1, email: Some(email?), terms })
}

/// The fields that vouchers of all kinds have.
struct Common {
    valid_from: Option<DateTime<Utc>>,
    valid_until: Option<DateTime<Utc>>,
    campaign: Option<String>,
    note: Option<String>,
}

impl Common {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (valid_from, valid_until) = (fields.optional("valid_from"), fields.optional("valid_until"));
        let (campaign, note) = (fields.optional_text("campaign", 100), fields.optional_text("note", 200));
        Some(Self { valid_from: valid_from?, valid_until: valid_until?, campaign: campaign?, note: note? })
    }
}

fn value(kind: Option<&str>, fields: &mut Fields) -> Option<VoucherValue> {
    let value: Option<Decimal> = fields.required("value");
    let (kind, value) = (kind?, value?);
    let is_percentage =
        value > Decimal::ZERO && value <= Decimal::ONE_HUNDRED && value.normalize().scale() <= 2;
    match kind {
        "percent" if is_percentage => Some(VoucherValue::Percent(value)),
        "percent" => {
            fields.error("value", "must be a percentage of 0.01 to 100 with at most two decimals");
            None
        }
        "amount" => Some(VoucherValue::Amount(value)),
        _ => {
            fields.error("kind", "must be percent, amount or seat");
            None
        }
    }
}

/// Create vouchers
///
/// For a key with the scope `vouchers`, or a manager of the organisation. All or none. An amount and a budget are in the organisation's currency. A voucher of the kind `seat` is a pool of seats that
/// were paid for elsewhere, such as by a purchase order; the service mails its code to `email`.
#[utoipa::path(
    post,
    path = "/storeapi/vouchers/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["vouchers"])),
    request_body = NewVouchers,
    params(OrganisationName, IdempotencyKey),
    operation_id = "create_vouchers",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden"]))),
    responses((status = 201, body = CreatedVouchers, description = "The vouchers."))
)]
pub async fn create(
    commander: Commander<VoucherKeeper>,
    State(app): State<AppState>,
    Body(request): Body<VoucherRequest>,
) -> ApiResult<Response> {
    let created = create_at(&app, &commander, &commander.caller.0, request).await?;
    Ok((StatusCode::CREATED, private(CreatedVouchers::new(created))).into_response())
}

/// Creates vouchers for a caller at a desk.
///
/// # Errors
/// As the route.
pub async fn create_at<C: Caller>(
    app: &App,
    commander: &Commander<C>,
    desk: &Desk,
    request: VoucherRequest,
) -> ApiResult<Vec<Voucher>> {
    if let Some(email) = &request.email {
        commander.reaches(email)?;
    }
    let idempotency = commander.idempotency(&request)?;
    let command = CreateVouchers {
        organisation_id: desk.organisation_id,
        keeper: desk.caller().into(),
        code: request.code,
        count: request.count,
        email: request.email,
        terms: request.terms,
        idempotency,
    };
    let created = commander.send(command, None).await?;
    vouchers::by_ids(&app.db, &created.ids).await
}
