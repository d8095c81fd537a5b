//! Routes for the vouchers of an organisation, for backends with a key of the scope `vouchers`.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use shared::messages::{ChangeVoucher, CreateVouchers, VoucherChanges};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::new_vouchers::{NewVouchers, VoucherRequest};
use crate::error::{ApiError, ApiResult};
use crate::extract::{
    Body, Commander, Fields, Params, Query, ReadFields, ReadParams, VoucherKeeper, VoucherPath,
};
use crate::openapi::parameters::{IdempotencyKey, VoucherInPath};
use crate::openapi::words;
use crate::queries::vouchers::{self, VoucherFilter};
use crate::read::listing::{self, PageParams, PageQuery};
use crate::response::private;
use crate::state::AppState;
use crate::views::envelope::Envelope;
use crate::views::vouchers::{CreatedVouchers, VoucherDetail, VoucherList};

/// Changes to a voucher. Fields that are left out stay; null removes an end or a note.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "describes shared::messages::VoucherChanges")]
pub struct ChangedVoucher {
    /// Not below the uses. A limit can be neither added nor removed.
    #[schema(minimum = 0)]
    max_uses: Option<i32>,
    /// Not below what is spent. A budget can be neither added nor removed.
    #[schema(minimum = 0, example = 500)]
    budget: Option<f64>,
    /// A time that has passed ends the voucher.
    valid_until: Option<DateTime<Utc>>,
    #[schema(max_length = 200, pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*$")]
    note: Option<String>,
}

impl ReadFields for VoucherChanges {
    fn read(fields: &mut Fields) -> Option<Self> {
        let given = |name: &str, fields: &Fields| fields.is_given(name);
        let [uses, budgeted, until, noted] =
            ["max_uses", "budget", "valid_until", "note"].map(|name| given(name, fields));
        let max_uses = fields.optional_number("max_uses", 0, i32::MAX.into());
        let (budget, valid_until) = (fields.optional("budget"), fields.optional("valid_until"));
        let note = fields.optional_text("note", 200);
        Some(Self {
            max_uses: uses.then_some(max_uses?),
            budget: budgeted.then_some(budget?),
            valid_until: until.then_some(valid_until?),
            note: noted.then_some(note?),
        })
    }
}

/// Create vouchers
///
/// All or none. An amount and a budget are in the organisation's currency. A voucher of the kind `seat` is a pool of seats that
/// were paid for elsewhere, such as by a purchase order; the service mails its code to `email`.
#[utoipa::path(
    post,
    path = "/storeapi/vouchers/",
    tag = "extensions",
    security(("key" = ["vouchers"])),
    request_body = NewVouchers,
    params(IdempotencyKey),
    operation_id = "create_vouchers",
    extensions(("x-problems" = json!(["called", "body", "command", "forbidden"]))),
    responses((status = 201, body = CreatedVouchers, description = "The vouchers."))
)]
pub async fn create(
    commander: Commander<VoucherKeeper>,
    State(app): State<AppState>,
    Body(request): Body<VoucherRequest>,
) -> ApiResult<Response> {
    let VoucherKeeper(holder) = commander.caller;
    if let Some(email) = &request.email {
        commander.reaches(email)?;
    }
    let idempotency = commander.idempotency(&request)?;
    let command = CreateVouchers {
        organisation_id: holder.organisation_id,
        key: holder.id,
        code: request.code,
        count: request.count,
        email: request.email,
        terms: request.terms,
        idempotency,
    };
    let created = commander.send(command, None).await?;
    let vouchers = vouchers::by_ids(&app.db, &created.ids).await?;
    Ok((StatusCode::CREATED, private(CreatedVouchers::new(vouchers))).into_response())
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters; `VoucherQuery` is what they are read into")]
pub struct VoucherParams {
    /// Page size. The service clamps it to 1 to 100.
    #[param(inline, value_type = Option<listing::PageSize>)]
    limit: Option<i64>,
    /// Counted from 1; a smaller number counts as 1. Pages past the end are empty.
    #[param(inline, value_type = Option<listing::PageNumber>)]
    page: Option<i64>,
    /// Only the voucher with this code, in any case.
    #[param(inline, value_type = Option<words::SearchText>)]
    code: Option<String>,
    /// Only the vouchers of this campaign.
    #[param(inline, value_type = Option<words::SearchText>)]
    campaign: Option<String>,
}

pub struct VoucherQuery {
    limit: i64,
    offset: i64,
    code: Option<String>,
    campaign: Option<String>,
}

impl ReadParams for VoucherQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let place = listing::place(params);
        let given = |text: String| (!text.is_empty()).then_some(text);
        let code = given(params.text("code")).map(|code| code.to_uppercase());
        let campaign = given(params.text("campaign"));
        let (limit, offset) = place?;
        Some(Self { limit, offset, code, campaign })
    }
}

/// List vouchers, a page at a time
///
/// Newest first, each with its uses and what they took off.
#[utoipa::path(
    get,
    path = "/storeapi/vouchers/",
    tag = "extensions",
    security(("key" = ["vouchers"])),
    params(VoucherParams),
    operation_id = "list_vouchers",
    extensions(("x-problems" = json!(["called", "invalid_request", "forbidden"]))),
    responses((status = 200, body = VoucherList, description = "A page of vouchers."))
)]
pub async fn list(
    VoucherKeeper(holder): VoucherKeeper,
    State(app): State<AppState>,
    Query(query): Query<VoucherQuery>,
) -> ApiResult<Response> {
    let filter =
        VoucherFilter { organisation_id: holder.organisation_id, code: query.code, campaign: query.campaign };
    let (total, vouchers) = vouchers::page(&app.db, &filter, query.limit, query.offset).await?;
    let envelope = Envelope::new(total, query.limit, query.offset, Vec::new());
    Ok(private(VoucherList::new(vouchers, envelope)))
}

/// Show a voucher and its uses
///
/// A voucher of the key's own organisation. Its uses come a page at a time, newest first.
#[utoipa::path(
    get,
    path = "/storeapi/vouchers/{voucher_id}/",
    tag = "extensions",
    security(("key" = ["vouchers"])),
    params(VoucherInPath, PageParams),
    operation_id = "get_voucher",
    extensions(("x-problems" = json!(["called", "invalid_request", "forbidden", "not_found"]))),
    responses((status = 200, body = VoucherDetail, description = "The voucher, with a page of its uses."))
)]
pub async fn detail(
    VoucherKeeper(holder): VoucherKeeper,
    State(app): State<AppState>,
    VoucherPath(id): VoucherPath,
    Query(query): Query<PageQuery>,
) -> ApiResult<Response> {
    show(&app, holder.organisation_id, id, &query).await
}

/// Change a voucher
///
/// The deduction and its items stay as they were promised. To end the voucher, set `valid_until` to now.
#[utoipa::path(
    put,
    path = "/storeapi/vouchers/{voucher_id}/",
    tag = "extensions",
    security(("key" = ["vouchers"])),
    request_body = ChangedVoucher,
    params(VoucherInPath, IdempotencyKey),
    operation_id = "change_voucher",
    extensions(("x-problems" = json!(["called", "body", "command", "forbidden", "not_found"]))),
    responses((status = 200, body = VoucherDetail, description = "The voucher as it is now, with the first page of its uses."))
)]
pub async fn change(
    commander: Commander<VoucherKeeper>,
    State(app): State<AppState>,
    VoucherPath(id): VoucherPath,
    Body(changes): Body<VoucherChanges>,
) -> ApiResult<Response> {
    let VoucherKeeper(holder) = commander.caller;
    let voucher = vouchers::find(&app.db, holder.organisation_id, id).await?;
    voucher.ok_or(ApiError::NotFound("Voucher"))?;
    let idempotency = commander.idempotency(&(id, &changes))?;
    commander.send(ChangeVoucher { voucher_id: id, key: holder.id, changes, idempotency }, None).await?;
    show(&app, holder.organisation_id, id, &PageQuery { limit: 8, offset: 0 }).await
}

async fn show(app: &AppState, organisation_id: Uuid, id: Uuid, query: &PageQuery) -> ApiResult<Response> {
    let voucher = vouchers::find(&app.db, organisation_id, id).await?;
    let voucher = voucher.ok_or(ApiError::NotFound("Voucher"))?;
    let (total, uses) = vouchers::uses(&app.db, &voucher, query.limit, query.offset).await?;
    let envelope = Envelope::new(total, query.limit, query.offset, Vec::new());
    Ok(private(VoucherDetail::new(voucher, uses, envelope)))
}
