//! Routes for courses: the paged list and detail.

use axum::extract::State;
use axum::response::Response;
use shared::db::Db;
use strum::{EnumString, VariantNames};
use utoipa::{IntoParams, ToSchema};

use crate::cache::Cost;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Conditional, CourseKeyPath, Params, Query, ReadParams, Reader, Visitor};
use crate::openapi::parameters::{CourseKeyInPath, IfNoneMatch, VisitorCountry};
use crate::openapi::schemas;
use crate::queries::courses::{self, Order};
use crate::queries::filter::{Filters, Page};
use crate::read::listing::{self, PageQuery, Sorting};
use crate::response::catalog::{self, Read};
use crate::state::AppState;
use crate::views::courses::{CourseDetail, CourseList};
use crate::views::envelope::Envelope;
use crate::views::price::{Pricing, Until};

type OrderBy = Sorting<Order>;

#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CourseListQuery {
    #[param(ignore)]
    place: PageQuery,
    /// A part of the name, short description or overview. Case and accents do not matter. A search
    /// without three letters or digits in a row finds its first 1,000 matches only.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    search: String,
    /// Short or display names of organisations, comma-separated. Case, blanks and repeats do not matter.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    org: Vec<String>,
    /// Names of tags, comma-separated: courses with any of them. Case, blanks and repeats do not matter.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    tags: Vec<String>,
    /// Codes of languages, comma-separated: courses in any of them. `pt` does not find `pt-BR`. Case, blanks and repeats
    /// do not matter. An extension of the interface.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    language: Vec<String>,
    /// The order of the list. Courses without the value come last. Prices are compared as displayed, without conversion.
    #[param(inline, value_type = Option<OrderBy>)]
    order_by: OrderBy,
    /// Fields of each course.
    #[param(inline, value_type = Option<ListFields>)]
    fields: ListFields,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames, ToSchema)]
#[schema(rename_all = "snake_case", default = "light")]
#[strum(serialize_all = "snake_case")]
enum ListFields {
    #[default]
    Light,
    Full,
}

impl ReadParams for CourseListQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let search = params.folded("search");
        let [org, tags, language] = ["org", "tags", "language"].map(|name| params.folded_list(name));
        let (place, order_by) = (PageQuery::read(params), listing::sorting(params));
        let fields = params.word("fields")?.unwrap_or_default();
        Some(Self { place: place?, search, org, tags, language, order_by: order_by?, fields })
    }
}

impl From<CourseListQuery> for Page<Order> {
    fn from(query: CourseListQuery) -> Self {
        let CourseListQuery { place, search, org, tags, language, order_by, fields: _ } = query;
        // Codes of languages are ASCII.
        let filters = Filters { search, organisations: org, tags, languages: language };
        let PageQuery { limit, offset } = place;
        Self { filters, order: order_by.by, descending: order_by.descending, limit, offset }
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
    params(PageQuery, CourseListQuery, VisitorCountry, IfNoneMatch),
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
    let full = query.fields == ListFields::Full;
    let page = Page::from(query);
    let read = Read { app: &app, route: "courses", query: key.clone(), visitor: Some(visitor), conditional };
    read.answer_priced(async |generation| {
        let now = app.now();
        let filters = page.filters.key();
        let total = async |db: &Db| courses::total(db, &page.filters).await;
        let total = app
            .cache
            .base(generation, "courses-total", &filters, listing::cost(&page.filters), total)
            .await?;
        let (courses, broken) = match page.offset < total {
            true => {
                let courses = async |db: &Db| courses::list(db, &page, full, now).await;
                app.cache.base(generation, "courses", &key, listing::cost_of_page(&page), courses).await?
            }
            // Past the end PostgreSQL would scan all rows only to return none.
            false => (Vec::new(), Vec::new()),
        };
        let envelope = Envelope::new(total, page.limit, page.offset, broken);
        let book = catalog::price_book(&app, generation).await?;
        let until = Until::default();
        let pricing = Pricing::new(&book, visitor.0, now, &until);
        Ok((CourseList::new(courses, full, envelope, pricing, now), until.get()))
    })
    .await
}

/// Level of detail that the caller requests of a course.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DetailQuery {
    /// With `summary`, `course_structure` is null and `total_minutes` is 0.
    #[param(inline, value_type = Option<DetailFields>)]
    fields: DetailFields,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames, ToSchema)]
#[schema(rename_all = "snake_case", default = "full")]
#[strum(serialize_all = "snake_case")]
enum DetailFields {
    #[default]
    Full,
    Summary,
}

impl ReadParams for DetailQuery {
    fn read(params: &mut Params) -> Option<Self> {
        Some(Self { fields: params.word("fields")?.unwrap_or_default() })
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
    params(CourseKeyInPath, DetailQuery, VisitorCountry, IfNoneMatch),
    responses(
        (status = 200, body = CourseDetail, description = "The course."),
        (status = 404, description = "`not_found`: no published course has this key."),
    )
)]
pub async fn detail(
    _: Reader,
    State(app): State<AppState>,
    CourseKeyPath(key): CourseKeyPath,
    Query(DetailQuery { fields }): Query<DetailQuery>,
    visitor: Visitor,
    conditional: Conditional,
) -> ApiResult<Response> {
    let summary = fields == DetailFields::Summary;
    let query = format!("{key} summary={summary}");
    let read = Read { app: &app, route: "course", query: query.clone(), visitor: Some(visitor), conditional };
    read.answer_priced(async |generation| {
        let now = app.now();
        let load = async |db: &Db| match courses::find(db, &key, !summary, now).await? {
            Some(Ok(detail)) => Ok(detail),
            Some(Err(_)) => Err(ApiError::Internal),
            None => Err(ApiError::NotFound("Course")),
        };
        let detail = app.cache.base(generation, "course", &query, Cost::Common, load).await?;
        let book = catalog::price_book(&app, generation).await?;
        let until = Until::default();
        let pricing = Pricing::new(&book, visitor.0, now, &until);
        Ok((CourseDetail::new(detail, summary, pricing, now), until.get()))
    })
    .await
}
