//! Courses: the paged list and detail.

use axum::extract::State;
use axum::response::Response;
use utoipa::IntoParams;

use super::catalog::{self, Read};
use super::listing;
use crate::error::{ApiError, ApiResult, Problem, ReadProblems};
use crate::extract::{Conditional, CourseKeyPath, Params, Query, ReadParams, Reader, Visitor};
use crate::queries::courses::{self, Order};
use crate::queries::filter::Filter;
use crate::state::AppState;
use crate::views::courses::{CourseDetail, CourseList};
use crate::views::envelope::Envelope;
use crate::views::price::Pricing;

/// What the list can be asked for. Values out of bounds are clamped; blanks and repeats in lists do not matter.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters; `CourseListQuery` is what they are read into")]
pub struct CourseListParams {
    /// Page size, 1 to 100.
    #[param(default = 8)]
    limit: Option<i64>,
    /// Counted from 1.
    #[param(default = 1)]
    page: Option<i64>,
    /// Part of the name, short description or overview; case and accents do not matter.
    search: Option<String>,
    /// Short or display names of organisations, comma-separated.
    org: Option<String>,
    /// Names of tags, comma-separated; courses with any of them.
    tags: Option<String>,
    /// `created_at`, `display_name`, `start`, `end`, `price` or `avg_rating`, with `.asc` or `.desc`; courses without a
    /// value come last. Prices are compared as displayed, without conversion.
    #[param(default = "created_at.desc")]
    order_by: Option<String>,
    /// `light` or `full`.
    #[param(default = "light")]
    fields: Option<String>,
}

const ORDERS: [(&str, Order); 6] = [
    ("created_at", Order::CreatedAt),
    ("display_name", Order::DisplayName),
    ("start", Order::Start),
    ("end", Order::End),
    ("price", Order::Price),
    ("avg_rating", Order::AvgRating),
];

#[derive(Debug)]
pub struct CourseListQuery {
    filter: Filter<Order>,
    full: bool,
}

impl ReadParams for CourseListQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let filter = listing::filter(params, &ORDERS);
        let full = params.choice("fields", &[("light", false), ("full", true)], false);
        Some(Self { filter: filter?, full: full? })
    }
}

/// Courses, a page at a time
///
/// Published courses that are not hidden, of all organisations, each priced by its own organisation's policy.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/courses/",
    tag = "catalog",
    security(("reader" = [])),
    params(CourseListParams, ("X-Visitor-Country" = Option<String>, Header, description = "ISO 3166 country of the visitor")),
    responses(
        (status = 200, body = CourseList),
        ReadProblems,
    )
)]
pub async fn list(
    _: Reader,
    State(app): State<AppState>,
    Query(query): Query<CourseListQuery>,
    visitor: Visitor,
    conditional: Conditional,
) -> ApiResult<Response> {
    let key = format!("{query:?}");
    let CourseListQuery { filter, full } = query;
    let read = Read { app: &app, route: "courses", query: key.clone(), visitor: Some(visitor), conditional };
    read.answer(async |generation| {
        let now = app.now();
        let filters = filter.total_key();
        let total = courses::total(&app.db, &filter);
        let total = app.cache.base(generation, "courses-total", &filters, total).await?;
        let (courses, broken) = match filter.offset < total {
            true => {
                let page = courses::list(&app.db, &filter, full, now);
                app.cache.base(generation, "courses", &key, page).await?
            }
            // Finding out that nothing is left would mean to walk past everything.
            false => (Vec::new(), Vec::new()),
        };
        let envelope = Envelope::new(total, filter.limit, filter.offset, broken);
        let book = catalog::price_book(&app, generation).await?;
        Ok(CourseList::new(courses, full, envelope, Pricing::new(&book, visitor.0, now), now))
    })
    .await
}

/// How much of a course is asked for.
pub struct DetailQuery {
    summary: bool,
}

impl ReadParams for DetailQuery {
    fn read(params: &mut Params) -> Option<Self> {
        Some(Self { summary: params.choice("fields", &[("full", false), ("summary", true)], false)? })
    }
}

/// A course
///
/// Also hidden ones, which no list shows.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/course/{openedx_course_id}/",
    tag = "catalog",
    security(("reader" = [])),
    params(
        ("openedx_course_id" = String, Path, description = "The course key, URL-encoded", example = "course-v1:Northwind+DS101+2026"),
        ("fields" = Option<String>, Query, description = "`summary`: without the structure, and total_minutes is 0"),
        ("X-Visitor-Country" = Option<String>, Header, description = "ISO 3166 country of the visitor"),
    ),
    responses(
        (status = 200, body = CourseDetail),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        ReadProblems,
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
        let load = async {
            match courses::find(&app.db, &key, !summary, now).await? {
                Some(Ok(detail)) => Ok(detail),
                Some(Err(_)) => Err(ApiError::Internal),
                None => Err(ApiError::NotFound("Course")),
            }
        };
        let detail = app.cache.base(generation, "course", &query, load).await?;
        let book = catalog::price_book(&app, generation).await?;
        Ok(CourseDetail::new(detail, summary, Pricing::new(&book, visitor.0, now), now))
    })
    .await
}
