//! Courses: the paged list and detail.

use std::str::FromStr;

use axum::extract::State;
use axum::response::Response;
use utoipa::IntoParams;

use super::catalog::{self, Read};
use crate::error::{ApiError, ApiResult, Problem};
use crate::extract::{ClientSecret, Conditional, CourseKeyPath, Params, Query, ReadParams, Visitor};
use crate::queries::courses::{self, Filter, Order};
use crate::state::AppState;
use crate::views::courses::{CourseDetail, CourseList};
use crate::views::price::Pricing;

/// What the list can be asked for. Values out of bounds are clamped; blanks and repeats in lists do not matter.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters; `Filter` is what they are read into")]
pub struct CourseListParams {
    /// Page size, 1 to 100.
    #[param(default = 8)]
    limit: Option<i64>,
    /// Counted from 1.
    #[param(default = 1)]
    page: Option<i64>,
    /// Part of the name, short description or overview; case does not matter.
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

const ORDERS: &str = "created_at, display_name, start, end, price or avg_rating, each with .asc or .desc";

struct OrderBy(Order, bool);

impl FromStr for OrderBy {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (field, direction) = text.split_once('.').ok_or(())?;
        let order = match field {
            "created_at" => Order::CreatedAt,
            "display_name" => Order::DisplayName,
            "start" => Order::Start,
            "end" => Order::End,
            "price" => Order::Price,
            "avg_rating" => Order::AvgRating,
            _ => return Err(()),
        };
        match direction {
            "asc" => Ok(Self(order, false)),
            "desc" => Ok(Self(order, true)),
            _ => Err(()),
        }
    }
}

#[derive(PartialEq, Eq)]
enum Fields {
    Light,
    Full,
}

impl FromStr for Fields {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "light" => Ok(Self::Light),
            "full" => Ok(Self::Full),
            _ => Err(()),
        }
    }
}

/// Pages beyond this are empty whatever the catalog holds, and the offset still fits.
const LAST_PAGE: i64 = 1_000_000_000;

impl ReadParams for Filter {
    fn read(params: &mut Params) -> Option<Self> {
        let limit = params.clamped("limit", 8, 1, 100);
        let page = params.clamped("page", 1, 1, LAST_PAGE);
        let pattern = catalog::contains(&params.text("search"));
        let (organisations, tags) = (params.list("org"), params.list("tags"));
        let order = params.choice("order_by", OrderBy(Order::CreatedAt, true), ORDERS);
        let fields = params.choice("fields", Fields::Light, "light or full");
        let (limit, OrderBy(order, descending)) = (limit?, order?);
        Some(Self {
            pattern,
            organisations,
            tags,
            order,
            descending,
            full: fields? == Fields::Full,
            limit,
            offset: (page? - 1) * limit,
        })
    }
}

/// Courses, a page at a time
///
/// Published courses that are not hidden, of all organisations, each priced by its own organisation's policy.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/courses/",
    tag = "catalog",
    params(CourseListParams, ("X-Visitor-Country" = Option<String>, Header, description = "ISO 3166 country of the visitor")),
    responses(
        (status = 200, body = CourseList),
        (status = 304, description = "The caller's copy is current"),
        (status = 400, body = Problem, content_type = "application/problem+json"),
        (status = 401, body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn list(
    _: ClientSecret,
    State(app): State<AppState>,
    Query(filter): Query<Filter>,
    visitor: Visitor,
    conditional: Conditional,
) -> ApiResult<Response> {
    let query = format!("{filter:?}");
    let read = Read { app: &app, route: "courses", query: query.clone(), visitor, conditional };
    read.answer(async |generation| {
        let now = app.clock.now();
        let page =
            app.cache.base(generation, "courses", &query, courses::list(&app.db, &filter, now)).await?;
        let book = catalog::price_book(&app, generation).await?;
        let pricing = Pricing { book: &book, country: visitor.0, today: now.date_naive() };
        Ok(CourseList::new(page, &filter, pricing, now))
    })
    .await
}

/// How much of a course is asked for.
pub struct DetailFields {
    summary: bool,
}

impl ReadParams for DetailFields {
    fn read(params: &mut Params) -> Option<Self> {
        match params.text("fields").as_str() {
            "" | "full" => Some(Self { summary: false }),
            "summary" => Some(Self { summary: true }),
            _ => {
                params.error("fields", "is not one of full or summary");
                None
            }
        }
    }
}

/// A course
///
/// Also hidden ones, which no list shows.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/course/{openedx_course_id}/",
    tag = "catalog",
    params(
        ("openedx_course_id" = String, Path, description = "The course key, URL-encoded", example = "course-v1:Northwind+DS101+2026"),
        ("fields" = Option<String>, Query, description = "`summary`: without the structure, and total_minutes is 0"),
        ("X-Visitor-Country" = Option<String>, Header, description = "ISO 3166 country of the visitor"),
    ),
    responses(
        (status = 200, body = CourseDetail),
        (status = 304, description = "The caller's copy is current"),
        (status = 400, body = Problem, content_type = "application/problem+json"),
        (status = 401, body = Problem, content_type = "application/problem+json"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json"),
    )
)]
pub async fn detail(
    _: ClientSecret,
    State(app): State<AppState>,
    CourseKeyPath(key): CourseKeyPath,
    Query(DetailFields { summary }): Query<DetailFields>,
    visitor: Visitor,
    conditional: Conditional,
) -> ApiResult<Response> {
    let query = format!("{key} summary={summary}");
    let read = Read { app: &app, route: "course", query: query.clone(), visitor, conditional };
    read.answer(async |generation| {
        let now = app.clock.now();
        let load = async {
            match courses::find(&app.db, &key, !summary, now).await? {
                Some(Ok(detail)) => Ok(detail),
                Some(Err(_)) => Err(ApiError::Internal),
                None => Err(ApiError::NotFound("Course")),
            }
        };
        let detail = app.cache.base(generation, "course", &query, load).await?;
        let book = catalog::price_book(&app, generation).await?;
        let pricing = Pricing { book: &book, country: visitor.0, today: now.date_naive() };
        Ok(CourseDetail::new(detail, summary, pricing, now))
    })
    .await
}
