//! Routes for courses: the paged list and detail.

use axum::extract::State;
use axum::response::Response;
use sqlx::PgPool;
use strum::VariantNames;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::cache::Cost;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Conditional, CourseKeyPath, Params, Query, ReadParams, Reader, Visitor};
use crate::openapi::parameters::{CourseKeyInPath, IfNoneMatch, VisitorCountry};
use crate::openapi::words;
use crate::queries::courses::{self, Order};
use crate::queries::filter::{Filters, Page};
use crate::read::listing;
use crate::response::catalog::{self, Read};
use crate::state::AppState;
use crate::views::courses::{CourseDetail, CourseList};
use crate::views::envelope::Envelope;
use crate::views::price::Pricing;

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters; `CourseListQuery` is what they are read into")]
pub struct CourseListParams {
    /// Page size. The service clamps it to 1 to 100.
    #[param(inline, value_type = Option<listing::PageSize>)]
    limit: Option<i64>,
    /// Counted from 1; a smaller number counts as 1. Pages past the end are empty.
    #[param(inline, value_type = Option<listing::PageNumber>)]
    page: Option<i64>,
    /// A part of the name, short description or overview. Case and accents do not matter. A search
    /// without three letters or digits in a row finds its first 1,000 matches only.
    #[param(inline, value_type = Option<words::SearchText>)]
    search: Option<String>,
    /// Short or display names of organisations, comma-separated. Case, blanks and repeats do not matter.
    #[param(inline, value_type = Option<words::SearchText>)]
    org: Option<String>,
    /// Names of tags, comma-separated: courses with any of them. Case, blanks and repeats do not matter.
    #[param(inline, value_type = Option<words::SearchText>)]
    tags: Option<String>,
    /// Codes of languages, comma-separated: courses in any of them. `pt` does not find `pt-BR`. Case, blanks and repeats
    /// do not matter. An extension of the interface.
    #[param(inline, value_type = Option<words::SearchText>)]
    language: Option<String>,
    /// The order of the list. Courses without the value come last. Prices are compared as displayed, without conversion.
    #[param(inline, value_type = Option<CourseOrder>)]
    order_by: Option<String>,
    /// Fields of each course.
    #[param(inline, value_type = Option<ListFields>)]
    fields: Option<String>,
}

/// The values of `order_by`.
struct CourseOrder;

impl PartialSchema for CourseOrder {
    fn schema() -> RefOr<Schema> {
        listing::order_words(Order::VARIANTS)
    }
}

impl ToSchema for CourseOrder {}

/// The values of `fields` in the list.
struct ListFields;

impl PartialSchema for ListFields {
    fn schema() -> RefOr<Schema> {
        words::choice(["light", "full"], "light")
    }
}

impl ToSchema for ListFields {}

/// The values of `fields` in detail.
struct DetailFields;

impl PartialSchema for DetailFields {
    fn schema() -> RefOr<Schema> {
        words::choice(["full", "summary"], "full")
    }
}

impl ToSchema for DetailFields {}

#[derive(Debug)]
pub struct CourseListQuery {
    page: Page<Order>,
    full: bool,
}

impl ReadParams for CourseListQuery {
    fn read(params: &mut Params) -> Option<Self> {
        // Codes of languages are ASCII.
        let languages = params.folded_list("language");
        let filters = Filters { languages, ..listing::filters(params) };
        let page = listing::page(params, filters);
        let full = params.choice("fields", &[("light", false), ("full", true)], false);
        Some(Self { page: page?, full: full? })
    }
}

/// List courses, a page at a time
///
/// Published courses of all organisations that are not hidden. Each is priced by the policy of its own organisation.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/courses/",
    tag = "catalog",
    security(("reader" = [])),
    operation_id = "list_courses",
    extensions(("x-problems" = json!(["called", "invalid_request"]))),
    params(CourseListParams, VisitorCountry, IfNoneMatch),
    responses((status = 200, body = CourseList, description = "A page of courses."))
)]
pub async fn list(
    _: Reader,
    State(app): State<AppState>,
    Query(query): Query<CourseListQuery>,
    visitor: Visitor,
    conditional: Conditional,
) -> ApiResult<Response> {
    let key = format!("{query:?}");
    let CourseListQuery { page, full } = query;
    let read = Read { app: &app, route: "courses", query: key.clone(), visitor: Some(visitor), conditional };
    read.answer(async |generation| {
        let now = app.now();
        let filters = page.filters.key();
        let total = async |db: &PgPool| courses::total(db, &page.filters).await;
        let total = app
            .cache
            .base(generation, "courses-total", &filters, listing::cost(&page.filters), total)
            .await?;
        let (courses, broken) = match page.offset < total {
            true => {
                let courses = async |db: &PgPool| courses::list(db, &page, full, now).await;
                app.cache.base(generation, "courses", &key, listing::cost_of_page(&page), courses).await?
            }
            // Past the end PostgreSQL would scan all rows only to return none.
            false => (Vec::new(), Vec::new()),
        };
        let envelope = Envelope::new(total, page.limit, page.offset, broken);
        let book = catalog::price_book(&app, generation).await?;
        Ok(CourseList::new(courses, full, envelope, Pricing::new(&book, visitor.0, now), now))
    })
    .await
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters; `DetailQuery` is what they are read into")]
pub struct DetailParams {
    /// With `summary`, `course_structure` is null and `total_minutes` is 0.
    #[param(inline, value_type = Option<DetailFields>)]
    fields: Option<String>,
}

/// Level of detail that the caller requests of a course.
pub struct DetailQuery {
    summary: bool,
}

impl ReadParams for DetailQuery {
    fn read(params: &mut Params) -> Option<Self> {
        Some(Self { summary: params.choice("fields", &[("full", false), ("summary", true)], false)? })
    }
}

/// Show a course
///
/// Any published course, also a hidden one, which no list shows.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/course/{openedx_course_id}/",
    tag = "catalog",
    security(("reader" = [])),
    operation_id = "get_course",
    extensions(("x-problems" = json!(["called", "invalid_request", "not_found"]))),
    params(CourseKeyInPath, DetailParams, VisitorCountry, IfNoneMatch),
    responses(
        (status = 200, body = CourseDetail, description = "The course."),
        (status = 404, description = "`not_found`: no published course has this key."),
    )
)]
pub async fn detail(
    _: Reader,
    State(app): State<AppState>,
    CourseKeyPath(key): CourseKeyPath,
    Query(DetailQuery { summary }): Query<DetailQuery>,
    visitor: Visitor,
    conditional: Conditional,
) -> ApiResult<Response> {
    let query = format!("{key} summary={summary}");
    let read = Read { app: &app, route: "course", query: query.clone(), visitor: Some(visitor), conditional };
    read.answer(async |generation| {
        let now = app.now();
        let load = async |db: &PgPool| match courses::find(db, &key, !summary, now).await? {
            Some(Ok(detail)) => Ok(detail),
            Some(Err(_)) => Err(ApiError::Internal),
            None => Err(ApiError::NotFound("Course")),
        };
        let detail = app.cache.base(generation, "course", &query, Cost::Common, load).await?;
        let book = catalog::price_book(&app, generation).await?;
        Ok(CourseDetail::new(detail, summary, Pricing::new(&book, visitor.0, now), now))
    })
    .await
}
