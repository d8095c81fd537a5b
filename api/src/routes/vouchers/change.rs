//! The route that changes a voucher.

use axum::extract::State;
use axum::response::Response;
use shared::ids::VoucherId;
use shared::messages::{ChangeVoucher, VoucherChanges};

use super::list::shown;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Body, Caller, Commander, Desk, Fields, ReadFields, VoucherKeeper, VoucherPath};
use crate::openapi::parameters::{IdempotencyKey, OrganisationName, VoucherInPath};
use crate::queries::vouchers;
use crate::read::listing;
use crate::response::private;
use crate::state::{App, AppState};
use crate::views::vouchers::VoucherDetail;

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

/// Change a voucher
///
/// For a key with the scope `vouchers`, or a manager of the organisation. The deduction and its items stay as they were promised. To end the voucher, set `valid_until` to now.
#[utoipa::path(
    put,
    path = "/storeapi/vouchers/{voucher_id}/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["vouchers"])),
    request_body = VoucherChanges,
    params(VoucherInPath, OrganisationName, IdempotencyKey),
    operation_id = "change_voucher",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden", "not_found"]))),
    responses((status = 200, body = VoucherDetail, description = "The voucher as it is now, with the first page of its uses."))
)]
pub async fn change(
    commander: Commander<VoucherKeeper>,
    State(app): State<AppState>,
    VoucherPath(id): VoucherPath,
    Body(changes): Body<VoucherChanges>,
) -> ApiResult<Response> {
    let desk = &commander.caller.0;
    change_at(&app, &commander, desk, id, changes).await?;
    Ok(private(shown(&app, desk.organisation_id, id, &listing::FIRST).await?))
}

/// Changes a voucher for a caller at a desk.
///
/// # Errors
/// As the route.
pub async fn change_at<C: Caller>(
    app: &App,
    commander: &Commander<C>,
    desk: &Desk,
    id: VoucherId,
    changes: VoucherChanges,
) -> ApiResult<()> {
    let voucher = vouchers::find(&app.db, desk.organisation_id, id).await?;
    voucher.ok_or(ApiError::NotFound("Voucher"))?;
    let idempotency = commander.idempotency(&(id, &changes))?;
    let keeper = desk.caller().into();
    commander.send(ChangeVoucher { voucher_id: id, keeper, changes, idempotency }, None).await?;
    Ok(())
}
