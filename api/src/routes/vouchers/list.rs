//! Routes that show the vouchers of an organisation.

use axum::extract::State;
use axum::response::Response;
use shared::ids::{OrganisationId, VoucherId};
use shared::voucher::Code;
use utoipa::IntoParams;

use crate::error::{ApiError, ApiResult};
use crate::extract::{Params, Query, ReadParams, VoucherKeeper, VoucherPath};
use crate::openapi::parameters::{OrganisationName, VoucherInPath};
use crate::openapi::schemas;
use crate::queries::vouchers::{self, VoucherFilter};
use crate::read::listing::PageQuery;
use crate::response::private;
use crate::state::{App, AppState};
use crate::views::envelope::Envelope;
use crate::views::vouchers::{VoucherDetail, VoucherList};

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct VoucherQuery {
    #[param(ignore)]
    place: PageQuery,
    /// Only the voucher with this code, in any case.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    code: Option<String>,
    /// Only the vouchers of this campaign.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    campaign: Option<String>,
}

impl ReadParams for VoucherQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let place = PageQuery::read(params);
        let given = |text: String| (!text.is_empty()).then_some(text);
        let code = given(Code::folded(&params.text("code")));
        let campaign = given(params.text("campaign"));
        Some(Self { place: place?, code, campaign })
    }
}

/// List vouchers, a page at a time
///
/// For a key with the scope `vouchers`, or a manager of the organisation. Newest first, each with its uses and what they took off.
///
/// `total_count` ends at 1,000; the pages continue, and `has_more` says so.
#[utoipa::path(
    get,
    path = "/storeapi/vouchers/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["vouchers"])),
    params(PageQuery, VoucherQuery, OrganisationName),
    operation_id = "list_vouchers",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    responses((status = 200, body = VoucherList, description = "A page of vouchers."))
)]
pub async fn list(
    VoucherKeeper(desk): VoucherKeeper,
    State(app): State<AppState>,
    Query(query): Query<VoucherQuery>,
) -> ApiResult<Response> {
    Ok(private(listed(&app, desk.organisation_id, query).await?))
}

/// Lists a page of an organisation's vouchers.
pub async fn listed(
    app: &App,
    organisation_id: OrganisationId,
    query: VoucherQuery,
) -> ApiResult<VoucherList> {
    let VoucherQuery { place: PageQuery { limit, offset }, code, campaign } = query;
    let filter = VoucherFilter { organisation_id, code, campaign };
    let page = vouchers::page(&app.db, &filter, limit, offset).await?;
    let envelope = Envelope::new(page.total, limit, offset, Vec::new()).followed(page.has_more);
    Ok(VoucherList::new(page.items, envelope))
}

/// Show a voucher and its uses
///
/// A voucher of the caller's own organisation, as for `list_vouchers`. Its uses come a page at a time, newest first.
///
/// `total_count` ends at 1,000; the pages continue, and `has_more` says so.
#[utoipa::path(
    get,
    path = "/storeapi/vouchers/{voucher_id}/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["vouchers"])),
    params(VoucherInPath, PageQuery, OrganisationName),
    operation_id = "get_voucher",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden", "not_found"]))),
    responses((status = 200, body = VoucherDetail, description = "The voucher, with a page of its uses."))
)]
pub async fn detail(
    VoucherKeeper(desk): VoucherKeeper,
    State(app): State<AppState>,
    VoucherPath(id): VoucherPath,
    Query(query): Query<PageQuery>,
) -> ApiResult<Response> {
    Ok(private(shown(&app, desk.organisation_id, id, &query).await?))
}

/// A voucher with a page of its uses.
///
/// # Errors
/// `NotFound`, also for another organisation's.
pub async fn shown(
    app: &App,
    organisation_id: OrganisationId,
    id: VoucherId,
    query: &PageQuery,
) -> ApiResult<VoucherDetail> {
    let voucher = vouchers::find(&app.db, organisation_id, id).await?;
    let voucher = voucher.ok_or(ApiError::NotFound("Voucher"))?;
    let page = vouchers::uses(&app.db, &voucher, query.limit, query.offset).await?;
    let envelope = Envelope::new(page.total, query.limit, query.offset, Vec::new()).followed(page.has_more);
    Ok(VoucherDetail::new(voucher, page.items, envelope))
}
