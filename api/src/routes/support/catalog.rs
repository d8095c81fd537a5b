//! Routes with which managers look after the courses of their organisation.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use rust_decimal::Decimal;
use serde::Serialize;
use shared::course_mode::CourseMode;
use shared::dated_price::DatedPrice;
use shared::email::Email;
use shared::messages::{CourseChanges, DeskAction};
use utoipa::{IntoParams, ToSchema};

use super::act;
use crate::error::ApiResult;
use crate::extract::{
    Body, Commander, Desk, Fields, OwnCatalogReader, Params, Query, ReadFields, ReadParams, with_plus,
};
use crate::openapi::parameters::{IdempotencyKey, OrganisationName};
use crate::openapi::schemas;
use crate::queries::desk::catalog::{self, Wanted};
use crate::read::listing::PageQuery;
use crate::response::private;
use crate::state::{App, AppState};
use crate::views::desk::catalog::OwnCourseList;
use crate::views::envelope::Envelope;

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OwnCoursesQuery {
    #[param(ignore)]
    place: PageQuery,
    /// A part of the name or of the course key.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    text: String,
}

impl ReadParams for OwnCoursesQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let place = PageQuery::read(params);
        Some(Self { text: params.text("text").trim().to_owned(), place: place? })
    }
}

/// The most dated prices of a mode.
const MOST_DATED: usize = 50;

/// Changes of a course. What is left out stays as it is.
#[derive(Debug, Serialize, ToSchema)]
pub struct CourseChangeRequest {
    #[schema(max_length = 255, example = "course-v1:Northwind+DS101+2026")]
    openedx_course_id: String,
    /// Unpublished courses are neither shown nor sold.
    is_published: Option<bool>,
    /// Hidden courses are in no list.
    hidden: Option<bool>,
    /// The mode that `price`, `dated_prices` and `visible` are for.
    mode: Option<CourseMode>,
    /// The new price, in the mode's currency. Orders that were placed keep theirs.
    #[schema(value_type = Option<f64>, minimum = 0, example = 49.99)]
    price: Option<Decimal>,
    /// All dated prices that the mode then has; `[]` for none. A new one must not be over.
    #[schema(value_type = Option<Vec<DatedPrice>>, max_items = 50)]
    #[serde(skip_serializing_if = "Option::is_none")]
    dated_prices: Option<Vec<DatedPrice>>,
    /// Invisible modes are not sold.
    visible: Option<bool>,
}

impl ReadFields for CourseChangeRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let openedx_course_id = fields.required("openedx_course_id");
        let (is_published, hidden) = (fields.optional("is_published"), fields.optional("hidden"));
        let mode: Option<Option<CourseMode>> = fields.optional("mode");
        let (price, visible): (Option<Option<Decimal>>, Option<Option<bool>>) =
            (fields.optional("price"), fields.optional("visible"));
        let dated_prices: Option<Option<Vec<DatedPrice>>> = fields.optional_list("dated_prices", MOST_DATED);
        let is_about_mode = price.flatten().is_some()
            || dated_prices.as_ref().is_some_and(Option::is_some)
            || visible.flatten().is_some();
        if mode == Some(None) && is_about_mode {
            fields.error("mode", "is required for prices and for what is visible");
        }
        Some(Self {
            openedx_course_id: openedx_course_id?,
            is_published: is_published?,
            hidden: hidden?,
            mode: mode?,
            price: price?,
            dated_prices: dated_prices?,
            visible: visible?,
        })
    }
}

/// List the own courses, a page at a time
///
/// For a key with the scope `support`, or a manager of the organisation. Published or not, each with its modes and prices, by name.
///
/// `total_count` ends at 1,000; the pages continue, and `has_more` says so.
#[utoipa::path(
    get,
    path = "/storeapi/support/courses/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(PageQuery, OwnCoursesQuery, OrganisationName),
    operation_id = "list_own_courses",
    extensions(("x-problems" = json!(["called", "invalid_request", "organisation_not_found", "forbidden"]))),
    responses((status = 200, body = OwnCourseList, description = "A page of courses."))
)]
pub async fn list(
    OwnCatalogReader(desk): OwnCatalogReader,
    State(app): State<AppState>,
    Query(query): Query<OwnCoursesQuery>,
) -> ApiResult<Response> {
    Ok(private(listed(&app, &desk, &query).await?))
}

/// A page of the courses of a desk's organisation.
pub async fn listed(app: &App, desk: &Desk, query: &OwnCoursesQuery) -> ApiResult<OwnCourseList> {
    let PageQuery { limit, offset } = query.place;
    let (text, key) = (&query.text, &with_plus(&query.text));
    let wanted = Wanted { organisation_id: desk.organisation_id, text, key, limit, offset };
    let page = catalog::list(&app.db, &wanted).await?;
    let envelope = Envelope::new(page.total, limit, offset, Vec::new()).followed(page.has_more);
    Ok(OwnCourseList::new(page.items, envelope))
}

/// Change a course
///
/// What buyers see of it, and the price of a mode where the organisation sets its own. A sync with the course
/// platform keeps the changes; an import of a record that differs from the last import or sync replaces them. Needs the role manager.
#[utoipa::path(
    post,
    path = "/storeapi/support/courses/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrganisationName, IdempotencyKey),
    request_body = CourseChangeRequest,
    operation_id = "change_course",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden"]))),
    responses((status = 204, description = "The catalog shows the changes within seconds."))
)]
pub async fn change(
    commander: Commander<Desk>,
    Body(request): Body<CourseChangeRequest>,
) -> ApiResult<StatusCode> {
    act::act(&commander, &commander.caller, request.action(), None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// An address that waits for a place.
#[derive(Debug, Serialize, ToSchema)]
pub struct FirstRequest {
    #[schema(max_length = 255, example = "course-v1:Northwind+DS101+2026")]
    openedx_course_id: String,
    #[schema(value_type = String, format = Email, example = "ada@example.com")]
    email: Email,
}

impl ReadFields for FirstRequest {
    fn read(fields: &mut Fields) -> Option<Self> {
        let (openedx_course_id, email) = (fields.required("openedx_course_id"), fields.required("email"));
        Some(Self { openedx_course_id: openedx_course_id?, email: email? })
    }
}

impl FirstRequest {
    pub fn action(self) -> DeskAction {
        DeskAction::PutFirst { openedx_course_id: self.openedx_course_id, email: self.email }
    }
}

/// Put an address first on a waiting list
///
/// It is offered the next place of the course that is free, before those that joined earlier. Needs the role manager.
#[utoipa::path(
    post,
    path = "/storeapi/support/courses/waiting-list/first/",
    tag = "extensions",
    security(("learner" = []), ("client_for_learner" = []), ("key" = ["support"])),
    params(OrganisationName, IdempotencyKey),
    request_body = FirstRequest,
    operation_id = "put_first_on_waiting_list",
    extensions(("x-problems" = json!(["called", "body", "command", "organisation_not_found", "forbidden"]))),
    responses((status = 204, description = "It is the next."))
)]
pub async fn put_first(
    commander: Commander<Desk>,
    Body(request): Body<FirstRequest>,
) -> ApiResult<StatusCode> {
    act::act(&commander, &commander.caller, request.action(), None).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl CourseChangeRequest {
    pub fn action(self) -> DeskAction {
        let Self { openedx_course_id, is_published, hidden, mode, price, dated_prices, visible } = self;
        DeskAction::ChangeCourse(CourseChanges {
            openedx_course_id,
            is_published,
            hidden,
            mode,
            price,
            dated_prices,
            visible,
        })
    }
}
