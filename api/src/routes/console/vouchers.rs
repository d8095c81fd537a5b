//! Pages and forms for vouchers.

use axum::http::header;
use axum::response::{IntoResponse, Redirect, Response};
use minijinja::context;
use serde::Serialize;
use serde_json::{Map, Value, json};
use shared::ids::VoucherId;
use shared::messages::VoucherChanges;
use shared::staff::Role;
use utoipa::ToSchema;
use uuid::Uuid;

use super::chart::chart;
use super::form::number;
use super::handler::{Page, Sent};
use super::page::{answer, listing, query, words};
use super::times;
use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, ConsoleForm, Fields, Query, hyphenated};
use crate::queries::courses;
use crate::queries::desk::figures;
use crate::queries::vouchers::{self as stored, Batch};
use crate::read::listing::PageQuery;
use crate::routes::vouchers::change::change_at;
use crate::routes::vouchers::create::{MOST_IDS, VoucherRequest, create_at};
use crate::routes::vouchers::list::{self, VoucherQuery};
use crate::state::App;
use crate::views::csv;

/// The vouchers of the organisation, and the form for new ones.
pub async fn show(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Manager)?;
    let Query(asked) = Query::<VoucherQuery>::parse(&listing(visit))?;
    let listed = list::listed(app, at.desk.organisation_id, asked).await?;
    let query = query(visit);
    let values = context! {
        found => answer(&listed),
        code => query.text("code"),
        campaign => query.text("campaign"),
    };
    page.show("vouchers.html", values).await
}

/// The form that creates vouchers.
pub async fn create(sent: Sent) -> ApiResult<Redirect> {
    let Sent { app, commander, form, .. } = &sent;
    let at = &commander.caller;
    at.desk.require(Role::Manager)?;
    let request = new_vouchers(app, at, form).await?;
    let created = create_at(app, commander, &at.desk, request).await?;
    let n = created.len();
    Ok(match created.as_slice() {
        [only] => sent.next(format_args!("vouchers/{}/?done=vouchers&n={n}", only.id)),
        [first, ..] => sent.next(format_args!("vouchers/codes/?with={}&done=vouchers&n={n}", first.id)),
        [] => sent.next("vouchers/"),
    })
}

/// Reads what a form creates, as the body of the route would say it.
async fn new_vouchers(app: &App, at: &AtConsole, form: &ConsoleForm) -> ApiResult<VoucherRequest> {
    let mut body = Map::new();
    for name in ["code", "kind", "campaign", "note"] {
        if !form.text(name).is_empty() {
            body.insert(name.to_owned(), json!(form.text(name)));
        }
    }
    insert_numbers(&mut body, form, &["value", "count", "max_uses", "max_uses_per_buyer", "budget"])?;
    // Left empty, it is no limit; left out of the request, it would be 1.
    body.entry("max_uses_per_buyer").or_insert(Value::Null);
    for name in ["valid_from", "valid_until"] {
        if !form.text(name).is_empty() {
            body.insert(name.to_owned(), json!(times::read(app, at, form.text(name)).await?));
        }
    }
    let names: Vec<&str> = form.text("courses").split_whitespace().collect();
    let ids = course_ids(app, at, "courses", &names).await?;
    body.insert("course_ids".to_owned(), json!(ids));
    Fields::read_object(body.into(), "").map_err(ApiError::InvalidRequest)
}

/// The ids of the organisation's courses with these keys or ids.
///
/// # Errors
/// `InvalidRequest`, which names the field, for too many courses and for one that the organisation has not.
pub(super) async fn course_ids(
    app: &App,
    at: &AtConsole,
    field: &str,
    names: &[&str],
) -> ApiResult<Vec<Uuid>> {
    if names.len() > MOST_IDS {
        return Err(ApiError::invalid(field, format!("must be at most {MOST_IDS}")));
    }
    let known = courses::of_organisation(&app.db, at.desk.organisation_id, names).await?;
    let id = |name: &&str| {
        let found = known.iter().find(|course| course.is_named(name));
        found.map(|course| course.id).ok_or_else(|| {
            let name: String = name.chars().take(100).collect();
            ApiError::invalid(field, format!("has no course {name} of yours"))
        })
    };
    names.iter().map(id).collect()
}

fn insert_numbers(body: &mut Map<String, Value>, form: &ConsoleForm, names: &[&str]) -> ApiResult<()> {
    for name in names {
        if !form.text(name).is_empty() {
            body.insert((*name).to_owned(), number(form, name)?);
        }
    }
    Ok(())
}

/// Row of the file of codes.
#[derive(Serialize, ToSchema)]
struct CodeRow {
    #[serde(serialize_with = "csv::value")]
    code: String,
}

/// The codes of vouchers that were created together, or of a campaign: to copy, and as a file.
pub async fn codes(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Manager)?;
    let query = query(visit);
    let (with, campaign) = (query.text("with"), query.text("campaign"));
    let batch = match campaign.is_empty() {
        true => Batch::With(voucher_id(with)?),
        false => Batch::Campaign(campaign),
    };
    let codes = stored::codes(&app.db, at.desk.organisation_id, batch).await?;
    if codes.is_empty() {
        return Err(ApiError::NotFound("Voucher"));
    }
    if query.text("format") == "csv" {
        let text = csv::table(codes.into_iter().map(|code| CodeRow { code }))?;
        let headers = [
            (header::CONTENT_TYPE, "text/csv; charset=utf-8; header=present"),
            (header::CONTENT_DISPOSITION, "attachment; filename=\"vouchers.csv\""),
            (header::CACHE_CONTROL, "no-store"),
        ];
        return Ok((headers, text).into_response());
    }
    page.show("codes.html", context! { codes, with, campaign }).await
}

/// A voucher with a page of its uses.
pub async fn detail(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    at.desk.require(Role::Manager)?;
    let id = voucher_id(page.named("voucher_id"))?;
    let Query(place) = Query::<PageQuery>::parse(&listing(visit))?;
    let voucher = list::shown(app, at.desk.organisation_id, id, &place).await?;
    let days = figures::voucher_days(&app.db, id, app.now()).await?;
    let values = context! {
        voucher => answer(&voucher),
        chart => chart(&days, "voucher", &words(app, visit).localizer()),
    };
    page.show("voucher.html", values).await
}

fn voucher_id(text: &str) -> ApiResult<VoucherId> {
    hyphenated(text).map(VoucherId).ok_or(ApiError::NotFound("Voucher"))
}

/// The form that changes a voucher.
pub async fn change(sent: Sent) -> ApiResult<Redirect> {
    let Sent { app, commander, form, .. } = &sent;
    let at = &commander.caller;
    at.desk.require(Role::Manager)?;
    let id = voucher_id(sent.named("voucher_id"))?;
    let changes = changes(app, at, form).await?;
    change_at(app, commander, &at.desk, id, changes).await?;
    Ok(sent.next(format_args!("vouchers/{id}/?done=voucher")))
}

/// Reads what a form changes, as the body of the route would say it: only what its sender has changed, so that it undoes nothing
/// that another manager has changed meanwhile.
async fn changes(app: &App, at: &AtConsole, form: &ConsoleForm) -> ApiResult<VoucherChanges> {
    let mut body = Map::new();
    if form.text("end") == "yes" {
        // The time of the page: the form says the same when it is sent again.
        body.insert("valid_until".to_owned(), json!(form.text("at")));
    } else {
        let is_changed = |name: &&str| form.text(name) != form.text(&format!("was_{name}"));
        for name in ["max_uses", "budget"].into_iter().filter(is_changed) {
            body.insert(name.to_owned(), number(form, name)?);
        }
        let given = |name: &str| Some(form.text(name)).filter(|text| !text.is_empty());
        if is_changed(&"valid_until") {
            let until = match given("valid_until") {
                Some(until) => json!(times::read(app, at, until).await?),
                None => Value::Null,
            };
            body.insert("valid_until".to_owned(), until);
        }
        if is_changed(&"note") {
            body.insert("note".to_owned(), given("note").into());
        }
    }
    Fields::read_object(body.into(), "").map_err(ApiError::InvalidRequest)
}
