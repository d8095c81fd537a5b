//! The waiting list of a full course: an address joins it, and the link of its mails opens the page on which it confirms that, leaves,
//! or declines the place that it is offered.

use axum::extract::{RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use shared::email::Email;
use shared::link::Purpose;
use shared::messages::{AnswerWaitingList, JoinWaitingList, WaitingAnswer};
use texts::Language;
use url::form_urlencoded;
use utoipa::ToSchema;
use uuid::Uuid;

use super::withdrawal_page::read_form;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Body, Commander, Fields, LearnerOrBackend, ReadFields, WantsPage, opened};
use crate::openapi::parameters::VisitorName;
use crate::openapi::schemas;
use crate::queries::waiting_list::{self, Standing};
use crate::response::private;
use crate::state::{App, AppState};
use crate::views::{pages, waiting_list as view};

const PAGE: &str = "/storeapi/discovery/waiting-list/";

/// A request for a place on a waiting list.
#[derive(ToSchema)]
#[schema(as = WaitingListRequest)]
pub struct JoinRequest {
    /// The course, which is full.
    course_id: Uuid,
    /// The address of a guest, which is asked by mail. A learner has one already.
    #[schema(value_type = Option<String>, format = Email, example = "ada@example.com")]
    email: Option<Email>,
    /// The language of the mails, such as `de`. Left out: that of the learner, else of the organisation.
    #[schema(value_type = Option<String>, example = "de")]
    language: Option<Language>,
}

impl ReadFields for JoinRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (course_id, email) = (fields.required("course_id"), fields.optional("email"));
        let language = fields.optional("language");
        Some(Self { course_id: course_id?, email: email?, language: language? })
    }
}

/// The same words for every address, on the list or not.
#[derive(Serialize, ToSchema)]
#[schema(as = WaitingListReply)]
pub struct JoinReply {
    /// `waiting`: the learner is on the list. `confirmation_sent`: the address gets a mail, and is on the list once it has confirmed.
    #[schema(example = "confirmation_sent")]
    status: &'static str,
}

/// Join the waiting list of a course
///
/// For a course that is full. A learner whose address is confirmed waits from now on; any other address gets a mail with a link on which
/// it confirms that it wants to wait. When a place is free, the next address gets a mail with a code for it alone, which holds the place
/// for `PLACE_OFFERED_FOR`. An address that waits already, or has a place, gets the same answer.
#[utoipa::path(
    post,
    path = "/storeapi/discovery/waiting-list/",
    tag = "extensions",
    security(("client" = []), ("learner" = []), ("client_for_learner" = [])),
    params(VisitorName),
    request_body = JoinRequest,
    operation_id = "join_waiting_list",
    extensions(("x-problems" = json!(["called", "body", "forbidden", "not_found"]))),
    responses((status = 202, body = JoinReply, description = "The request is received."))
)]
pub async fn join(
    commander: Commander<LearnerOrBackend>,
    State(app): State<AppState>,
    Body(request): Body<JoinRequest>,
) -> ApiResult<Response> {
    let LearnerOrBackend(learner) = &commander.caller;
    let JoinRequest { course_id, email, language } = request;
    let (email, is_proved) = match (learner, email) {
        (Some(learner), None) => (learner.0.email.clone(), learner.account().is_active),
        (Some(_), Some(_)) => return Err(ApiError::invalid("email", "is the learner's; leave it out")),
        (None, Some(email)) => (email, false),
        (None, None) => return Err(ApiError::invalid("email", "is missing")),
    };
    commander.limited_by(&email)?;
    commander.reaches(&email)?;
    match waiting_list::is_full(&app.db, course_id, app.now()).await? {
        Some(true) => {}
        Some(false) => return Err(ApiError::invalid("course_id", "has places: they can be bought")),
        None => return Err(ApiError::NotFound("Course")),
    }
    send(&app, JoinWaitingList { course_id, email, language, is_proved }).await?;
    let status = if is_proved { "waiting" } else { "confirmation_sent" };
    Ok((StatusCode::ACCEPTED, private(JoinReply { status })).into_response())
}

/// Open the page of a waiting list
///
/// For browsers. The link of a mail opens it: the address confirms that it wants to wait, leaves, or takes or declines a place.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/waiting-list/",
    tag = "extensions",
    security(()),
    params(("token" = Option<String>, Query, description = "That of the mailed link.")),
    operation_id = "open_waiting_list_page",
    extensions(("x-problems" = json!(["rate_limited", "internal_error", "unavailable"])), ("x-pages" = json!(true))),
    responses((status = 200, body = String, content_type = "text/html", description = "The page."))
)]
pub async fn page(State(app): State<AppState>, wanted: WantsPage, RawQuery(query): RawQuery) -> Response {
    let shown = show(&app, &wanted, query.as_deref(), None).await;
    shown.unwrap_or_else(|error| pages::problem(error, &wanted.localizer(&app.texts, None)))
}

/// Answer on the page of a waiting list
///
/// For browsers. Its buttons confirm, leave, or decline.
#[utoipa::path(
    post,
    path = "/storeapi/discovery/waiting-list/page/",
    tag = "extensions",
    security(()),
    params(("token" = Option<String>, Query, description = "That of the mailed link.")),
    request_body(content((inline(schemas::AnyObject) = "application/x-www-form-urlencoded")), description = "The button."),
    operation_id = "answer_waiting_list",
    extensions(("x-problems" = json!(["invalid_request", "request_timeout", "body_too_large", "unsupported_media_type", "rate_limited", "internal_error", "unavailable"])), ("x-pages" = json!(true))),
    responses((status = 200, body = String, content_type = "text/html", description = "The page, after the answer."))
)]
pub async fn answer(
    State(app): State<AppState>,
    wanted: WantsPage,
    RawQuery(query): RawQuery,
    request: Request,
) -> Response {
    let shown = async {
        let answer = read_answer(request).await?;
        show(&app, &wanted, query.as_deref(), Some(answer)).await
    };
    shown.await.unwrap_or_else(|error| pages::problem(error, &wanted.localizer(&app.texts, None)))
}

async fn read_answer(request: Request) -> ApiResult<WaitingAnswer> {
    let body = read_form(request).await?;
    match field(&body, "answer").as_deref() {
        Some("confirm") => Ok(WaitingAnswer::Confirm),
        Some("leave") => Ok(WaitingAnswer::Leave),
        _ => Err(ApiError::invalid("answer", "must be confirm or leave")),
    }
}

fn field(encoded: &[u8], name: &str) -> Option<String> {
    form_urlencoded::parse(encoded).find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

/// The page of the link's entry, as it is after the answer, if there is one.
async fn show(
    app: &App,
    wanted: &WantsPage,
    query: Option<&str>,
    answer: Option<WaitingAnswer>,
) -> ApiResult<Response> {
    let token = field(query.unwrap_or_default().as_bytes(), "token").unwrap_or_default();
    let mut entry = None;
    if let Some(entry_id) = opened(app, Purpose::WaitingList, &token).await? {
        app.identities.limits.link(entry_id)?;
        entry = waiting_list::entry(&app.db, entry_id, app.now()).await?;
        if let (Some(entry), Some(answer)) = (entry.as_mut(), answer) {
            send(app, AnswerWaitingList { entry_id, answer }).await?;
            entry.standing = match (answer, &entry.standing) {
                (WaitingAnswer::Confirm, Standing::Unconfirmed) => Standing::Waiting,
                (WaitingAnswer::Confirm, standing) => standing.clone(),
                (WaitingAnswer::Leave, _) => Standing::Ended,
            };
        }
    }
    let language = entry.as_ref().and_then(|entry| entry.language.as_ref());
    let localizer = wanted.localizer(&app.texts, language);
    let token: String = form_urlencoded::byte_serialize(token.as_bytes()).collect();
    view::page(entry.as_ref(), &format!("{PAGE}page/?token={token}"), &localizer)
}

/// Hands a task to the worker. Once this returns, the broker has it on disk.
async fn send(app: &App, task: impl shared::messages::Task) -> ApiResult<()> {
    app.commands.send_task(task).await.map_err(|_| ApiError::Unavailable)
}
