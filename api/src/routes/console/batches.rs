//! Pages and forms for batches of enrollments and removals: a file is shown with its faults before it is submitted.

use std::collections::BTreeSet;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use minijinja::{Value, context};
use shared::messages::{BatchRow, FieldError};
use shared::staff::Role;
use uuid::Uuid;

use super::handler::{Page, Sent};
use super::page::{answer, listing, query};
use super::vouchers::course_ids;
use crate::error::{ApiError, ApiResult};
use crate::extract::{AtConsole, BatchDefaults, BatchUpload, Commander, ConsoleForm, Query, hyphenated};
use crate::queries::batches::{self as stored, Place, Recent};
use crate::queries::courses::{self, CourseName};
use crate::response::private_csv;
use crate::routes::batches::{self, BatchQuery, SHOWN};
use crate::state::App;

/// Rows that the page before submitting shows; the faults come first.
const PREVIEWED: usize = 200;

/// The organisation's latest batches, and the form for another one.
pub async fn show(page: Page) -> ApiResult<Response> {
    let Page { app, at, .. } = &page;
    at.desk.require(Role::Manager)?;
    let recent = stored::recent(&app.db, at.desk.organisation_id, app.now() - SHOWN).await?;
    let batches: Vec<Value> = recent.iter().map(recent_batch).collect();
    page.show("batches.html", context! { batches }).await
}

fn recent_batch(row: &Recent) -> Value {
    context! {
        batch_id => row.id.to_string(),
        total => row.total,
        done => row.is_done,
        failed => row.failed,
        at => row.created_at.to_rfc3339(),
    }
}

/// Shows the rows of a file with their faults. Nothing is stored yet.
pub async fn preview(sent: Sent) -> ApiResult<Response> {
    let Sent { app, commander, form, .. } = &sent;
    let (rows, own) = rows(app, commander, form).await?;
    let faulty = rows.iter().filter(|row| row.fault.is_some()).count();
    let mut shown: Vec<(usize, &BatchRow)> = (1..).zip(&rows).collect();
    shown.sort_by_key(|(number, row)| (row.fault.is_none(), *number));
    let shown = shown.into_iter().take(PREVIEWED);
    let shown: Vec<Value> = shown.map(|(number, row)| previewed(number, row, &own)).collect();
    let values = context! {
        total => rows.len(),
        faulty,
        rows => shown,
        csv => form.text("csv"),
        course => form.text("course"),
        mode => form.text("mode"),
        action => form.text("action"),
    };
    sent.show("rows.html", values).await
}

fn previewed(number: usize, row: &BatchRow, own: &[CourseName]) -> Value {
    let course = own.iter().find(|course| Some(course.id) == row.course_id);
    context! {
        number,
        email => row.email.as_str(),
        course => course.map(|course| course.openedx_course_id.as_str()),
        mode => row.mode.as_deref(),
        action => row.action.to_string(),
        fault => row.fault.as_deref(),
    }
}

/// The rows of a form, each with its fault, and the organisation's courses among theirs.
async fn rows(
    app: &App,
    commander: &Commander<AtConsole>,
    form: &ConsoleForm,
) -> ApiResult<(Vec<BatchRow>, Vec<CourseName>)> {
    let desk = &commander.caller.desk;
    desk.require(Role::Manager)?;
    let given = |name: &str| Some(form.text(name).to_owned()).filter(|text| !text.is_empty());
    if form.all("csv").count() > 1 {
        return Err(ApiError::invalid("csv", "comes beside pasted rows: send one of them"));
    }
    let course_id = match given("course") {
        Some(course) => {
            let ids = course_ids(app, &commander.caller, "course", &[course.as_str()]).await?;
            ids.first().map(Uuid::to_string)
        }
        None => None,
    };
    let batch = BatchUpload::from_csv(form.text("csv").as_bytes()).map_err(of_columns)?;
    let defaults = BatchDefaults { course_id, mode: given("mode"), action: given("action"), language: None };
    let mut rows = batches::rows(commander, batch, defaults)?;
    let named: BTreeSet<String> =
        rows.iter().filter_map(|row| row.course_id).map(|id| id.to_string()).collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    let own = courses::of_organisation(&app.db, desk.organisation_id, &named).await?;
    // The worker finds it, too; here it is seen before.
    for row in rows.iter_mut().filter(|row| row.fault.is_none()) {
        if row.course_id.is_some_and(|id| own.iter().all(|course| course.id != id)) {
            row.fault = Some("course_id is not of a course of your organisation".to_owned());
        }
    }
    Ok((rows, own))
}

/// Names the column that a fault of a file is about. On other pages a field of the same name is another one.
fn of_columns(error: ApiError) -> ApiError {
    let named = |fault: FieldError| match fault.field.as_str() {
        "body" | "rows" => fault,
        column => FieldError::new("csv", format!("is wrong: {column} {}", fault.message)),
    };
    match error {
        ApiError::InvalidRequest(faults) => ApiError::InvalidRequest(faults.into_iter().map(named).collect()),
        error => error,
    }
}

/// The form that submits the rows which its sender has seen.
pub async fn submit(sent: Sent) -> ApiResult<Redirect> {
    let sent = sent.with_key()?;
    let Sent { app, commander, form, .. } = &sent;
    let (rows, _) = rows(app, commander, form).await?;
    let submitted = batches::submit_at(commander, Some(&commander.caller.desk), rows).await?;
    Ok(sent.next(format_args!("batches/{}/?done=batch", submitted.batch_id)))
}

/// The progress of a batch, with a page of its rows.
pub async fn detail(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    let (place, id) = place(at, page.named("batch_id"))?;
    let Query(asked) = Query::<BatchQuery>::parse(&listing(visit))?;
    let batch = answer(&batches::shown(app, place, id, &asked).await?);
    let status = query(visit).text("status").to_owned();
    page.show("batch.html", context! { batch, status }).await
}

/// The rows of a batch with a status, as a file.
pub async fn download(page: Page) -> ApiResult<Response> {
    let Page { app, at, visit, .. } = &page;
    let (place, id) = place(at, page.named("batch_id"))?;
    let Query(query) = Query::<BatchQuery>::parse(visit.uri.query().unwrap_or_default())?;
    let csv = batches::all_rows(app, place, id, query.status).await?;
    let name = format!("attachment; filename=\"batch-{id}.csv\"");
    let name = HeaderValue::try_from(name).map_err(|_| ApiError::Internal)?;
    Ok((StatusCode::OK, [(header::CONTENT_DISPOSITION, name)], private_csv(csv)).into_response())
}

/// Returns the place where a manager looks for the batch that the path names.
fn place(at: &AtConsole, batch: &str) -> ApiResult<(Place, Uuid)> {
    at.desk.require(Role::Manager)?;
    let id = hyphenated(batch).ok_or(ApiError::NotFound("Batch"))?;
    Ok((Place::Organisation(at.desk.organisation_id), id))
}
