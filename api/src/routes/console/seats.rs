//! Pages and forms for pools of seats.

use axum::response::{Redirect, Response};
use minijinja::context;
use serde_json::{Value, json};
use shared::ids::VoucherId;
use shared::messages::{DeskCaller, SeatsCaller};
use shared::staff::Role;

use super::handler::{Page, Sent};
use super::page::{answer, listing};
use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, ConsoleForm, Fields, Query, ReadFields, SeatsManager, hyphenated};
use crate::queries::seats as pools;
use crate::read::listing::PageQuery;
use crate::routes::seats::{self, PoolQuery};
use crate::state::App;
use crate::views::envelope::Envelope;
use crate::views::seats::SeatPools;

/// The pools of the organisation.
pub async fn show(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Manager)?;
    let Query(PageQuery { limit, offset }) = Query::parse(&listing(visit))?;
    let found = pools::page(&app.db, at.desk.organisation_id, None, limit, offset).await?;
    let envelope = Envelope::new(found.total, limit, offset, Vec::new()).followed(found.has_more);
    let found = SeatPools::new(found.items, envelope);
    page.show("seats.html", context! { found => answer(&found) }).await
}

/// A pool: who has its seats, or how a batch of addresses proceeds.
pub async fn detail(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    let manager = manager(app, at, page.named("voucher_id")).await?;
    let Query(query) = Query::<PoolQuery>::parse(&listing(visit))?;
    let pool = seats::shown(app, manager.voucher_id, &query).await?;
    page.show("pool.html", context! { pool => answer(&pool) }).await
}

/// The manager of a pool of their organisation.
async fn manager(app: &App, at: &AtConsole, pool: &str) -> ApiResult<SeatsManager> {
    const NOT_FOUND: ApiError = ApiError::NotFound("Pool of seats");
    at.desk.require(Role::Manager)?;
    let voucher_id = hyphenated(pool).map(VoucherId).ok_or(NOT_FOUND)?;
    let owner = pools::owner(&app.db, voucher_id).await?.ok_or(NOT_FOUND)?;
    match at.desk.caller() {
        DeskCaller::Staff(member) if owner.organisation_id == at.desk.organisation_id => {
            Ok(SeatsManager { voucher_id, caller: SeatsCaller::Staff(member) })
        }
        _ => Err(NOT_FOUND),
    }
}

/// The forms of a pool.
pub async fn act(sent: Sent) -> ApiResult<Redirect> {
    let Sent { app, commander, form, .. } = &sent;
    let manager = manager(app, &commander.caller, sent.named("voucher_id")).await?;
    let done = match sent.named("action") {
        "assign" => {
            let submitted = seats::assign_as(commander, &manager, emails(form)?).await?;
            format!("batch_id={}&done=assigned", submitted.batch_id)
        }
        "revoke" => {
            let answer = seats::revoke_as(commander, &manager, emails(form)?).await?;
            match answer.revoked.first() {
                Some((_, true)) => "done=freed".to_owned(),
                Some((_, false)) => "done=revoked".to_owned(),
                None => "done=no-seat".to_owned(),
            }
        }
        "remind" => {
            let all = Fields::read_object(json!({}), "").map_err(ApiError::InvalidRequest)?;
            let answer = seats::remind_as(commander, &manager, all).await?;
            let done = if answer.reminded.is_empty() { "none-reminded" } else { "reminded" };
            format!("done={done}")
        }
        _ => return Err(ApiError::NotFound("Form")),
    };
    Ok(sent.next(format_args!("seats/{}/?{done}", manager.voucher_id)))
}

/// The addresses of a form, as the body of the route would say them: one a line, or with commas or semicolons.
fn emails<T: ReadFields>(form: &ConsoleForm) -> ApiResult<T> {
    let separators = |letter: char| letter.is_whitespace() || letter == ',' || letter == ';';
    let emails: Vec<&str> = form.text("emails").split(separators).filter(|text| !text.is_empty()).collect();
    let body: Value = json!({ "emails": emails });
    Fields::read_object(body, "").map_err(ApiError::InvalidRequest)
}
