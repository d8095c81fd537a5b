//! Programs: the paged list and detail.

use axum::extract::State;
use axum::response::Response;
use utoipa::IntoParams;

use super::catalog::{self, Read};
use super::listing;
use crate::error::{ApiError, ApiResult, Problem, ReadProblems};
use crate::extract::{Conditional, Params, ProgramPath, Query, ReadParams, Reader, Visitor};
use crate::queries::filter::Filter;
use crate::queries::programs::{self, Order};
use crate::state::AppState;
use crate::views::envelope::Envelope;
use crate::views::price::Pricing;
use crate::views::programs::{ProgramDetail, ProgramList};

/// What the list can be asked for.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters; `ProgramListQuery` is what they are read into")]
pub struct ProgramListParams {
    /// Page size, 1 to 100.
    #[param(default = 8)]
    limit: Option<i64>,
    /// Counted from 1.
    #[param(default = 1)]
    page: Option<i64>,
    /// Part of the name, description or about; case and accents do not matter.
    search: Option<String>,
    /// Short or display names of organisations, comma-separated.
    org: Option<String>,
    /// Names of tags, comma-separated; programs with any of them.
    tags: Option<String>,
    /// `created_at`, `display_name` (the name), `price` or `avg_rating`, with `.asc` or `.desc`.
    #[param(default = "created_at.desc")]
    order_by: Option<String>,
}

const ORDERS: [(&str, Order); 4] = [
    ("created_at", Order::CreatedAt),
    ("display_name", Order::Name),
    ("price", Order::Price),
    ("avg_rating", Order::AvgRating),
];

#[derive(Debug)]
pub struct ProgramListQuery(Filter<Order>);

impl ReadParams for ProgramListQuery {
    fn read(params: &mut Params) -> Option<Self> {
        listing::filter(params, &ORDERS).map(Self)
    }
}

/// Programs, a page at a time
///
/// Published programs of all organisations with their published courses.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/programs/",
    tag = "catalog",
    security(("reader" = [])),
    params(ProgramListParams, ("X-Visitor-Country" = Option<String>, Header, description = "ISO 3166 country of the visitor")),
    responses(
        (status = 200, body = ProgramList),
        ReadProblems,
    )
)]
pub async fn list(
    _: Reader,
    State(app): State<AppState>,
    Query(query): Query<ProgramListQuery>,
    visitor: Visitor,
    conditional: Conditional,
) -> ApiResult<Response> {
    let key = format!("{query:?}");
    let ProgramListQuery(filter) = query;
    let read = Read { app: &app, route: "programs", query: key.clone(), visitor: Some(visitor), conditional };
    read.answer(async |generation| {
        let now = app.now();
        let filters = filter.total_key();
        let total = programs::total(&app.db, &filter);
        let total = app.cache.base(generation, "programs-total", &filters, total).await?;
        let (programs, broken) = match filter.offset < total {
            true => {
                app.cache.base(generation, "programs", &key, programs::list(&app.db, &filter, now)).await?
            }
            false => (Vec::new(), Vec::new()),
        };
        let envelope = Envelope::new(total, filter.limit, filter.offset, broken);
        let book = catalog::price_book(&app, generation).await?;
        Ok(ProgramList::new(programs, envelope, Pricing::new(&book, visitor.0, now)))
    })
    .await
}

/// A program
#[utoipa::path(
    get,
    path = "/storeapi/discovery/program/{program_id}/",
    tag = "catalog",
    security(("reader" = [])),
    params(
        ("program_id" = uuid::Uuid, Path, description = "The program's UUID"),
        ("X-Visitor-Country" = Option<String>, Header, description = "ISO 3166 country of the visitor"),
    ),
    responses(
        (status = 200, body = ProgramDetail),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        ReadProblems,
    )
)]
pub async fn detail(
    _: Reader,
    State(app): State<AppState>,
    ProgramPath(id): ProgramPath,
    visitor: Visitor,
    conditional: Conditional,
) -> ApiResult<Response> {
    let key = id.to_string();
    let read = Read { app: &app, route: "program", query: key.clone(), visitor: Some(visitor), conditional };
    read.answer(async |generation| {
        let now = app.now();
        let load = async {
            match programs::find(&app.db, id, now).await? {
                Some(Ok(detail)) => Ok(detail),
                Some(Err(_)) => Err(ApiError::Internal),
                None => Err(ApiError::NotFound("Program")),
            }
        };
        let detail = app.cache.base(generation, "program", &key, load).await?;
        let book = catalog::price_book(&app, generation).await?;
        Ok(ProgramDetail::new(detail, Pricing::new(&book, visitor.0, now)))
    })
    .await
}
