//! Routes for programs: the paged list and detail.

use axum::extract::State;
use axum::response::Response;
use sqlx::PgPool;
use strum::VariantNames;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::cache::Cost;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Conditional, Params, ProgramPath, Query, ReadParams, Reader, Visitor};
use crate::openapi::parameters::{IfNoneMatch, VisitorCountry};
use crate::openapi::words;
use crate::queries::filter::Page;
use crate::queries::programs::{self, Order};
use crate::read::listing;
use crate::response::catalog::{self, Read};
use crate::state::AppState;
use crate::views::envelope::Envelope;
use crate::views::price::Pricing;
use crate::views::programs::{ProgramDetail, ProgramList};

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters; `ProgramListQuery` is what they are read into")]
pub struct ProgramListParams {
    /// Page size. The service clamps it to 1 to 100.
    #[param(inline, value_type = Option<listing::PageSize>)]
    limit: Option<i64>,
    /// Counted from 1; a smaller number counts as 1. Pages past the end are empty.
    #[param(inline, value_type = Option<listing::PageNumber>)]
    page: Option<i64>,
    /// A part of the name, description or about. Case and accents do not matter. A search
    /// without three letters or digits in a row finds its first 1,000 matches only.
    #[param(inline, value_type = Option<words::SearchText>)]
    search: Option<String>,
    /// Short or display names of organisations, comma-separated. Case, blanks and repeats do not matter.
    #[param(inline, value_type = Option<words::SearchText>)]
    org: Option<String>,
    /// Names of tags, comma-separated: programs with any of them. Case, blanks and repeats do not matter.
    #[param(inline, value_type = Option<words::SearchText>)]
    tags: Option<String>,
    /// The order of the list; `display_name` is the program's name. Programs without the value come last.
    #[param(inline, value_type = Option<ProgramOrder>)]
    order_by: Option<String>,
}

/// The values of `order_by`.
struct ProgramOrder;

impl PartialSchema for ProgramOrder {
    fn schema() -> RefOr<Schema> {
        listing::order_words(Order::VARIANTS)
    }
}

impl ToSchema for ProgramOrder {}

#[derive(Debug)]
pub struct ProgramListQuery(Page<Order>);

impl ReadParams for ProgramListQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let filters = listing::filters(params);
        listing::page(params, filters).map(Self)
    }
}

/// List programs, a page at a time
///
/// Published programs of all organisations with their published courses.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/programs/",
    tag = "catalog",
    security(("reader" = [])),
    operation_id = "list_programs",
    extensions(("x-problems" = json!(["called", "invalid_request"]))),
    params(ProgramListParams, VisitorCountry, IfNoneMatch),
    responses((status = 200, body = ProgramList, description = "A page of programs."))
)]
pub async fn list(
    _: Reader,
    State(app): State<AppState>,
    Query(query): Query<ProgramListQuery>,
    visitor: Visitor,
    conditional: Conditional,
) -> ApiResult<Response> {
    let key = format!("{query:?}");
    let ProgramListQuery(page) = query;
    let read = Read { app: &app, route: "programs", query: key.clone(), visitor: Some(visitor), conditional };
    read.answer(async |generation| {
        let now = app.now();
        let filters = page.filters.key();
        let total = async |db: &PgPool| programs::total(db, &page.filters).await;
        let total = app
            .cache
            .base(generation, "programs-total", &filters, listing::cost(&page.filters), total)
            .await?;
        let (programs, broken) = match page.offset < total {
            true => {
                let cost = listing::cost_of_page(&page);
                let programs = async |db: &PgPool| programs::list(db, &page, now).await;
                app.cache.base(generation, "programs", &key, cost, programs).await?
            }
            false => (Vec::new(), Vec::new()),
        };
        let envelope = Envelope::new(total, page.limit, page.offset, broken);
        let book = catalog::price_book(&app, generation).await?;
        Ok(ProgramList::new(programs, envelope, Pricing::new(&book, visitor.0, now)))
    })
    .await
}

/// Show a program
///
/// A published program with its published courses.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/program/{program_id}/",
    tag = "catalog",
    security(("reader" = [])),
    operation_id = "get_program",
    extensions(("x-problems" = json!(["called", "invalid_request", "not_found"]))),
    params(
        ("program_id" = uuid::Uuid, Path, description = "The program's UUID, hyphenated.", example = "cd86d467-7088-481c-88dc-0af7567e0e81"),
        VisitorCountry,
        IfNoneMatch,
    ),
    responses(
        (status = 200, body = ProgramDetail, description = "The program."),
        (status = 404, description = "`not_found`: no published program has this UUID."),
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
        let load = async |db: &PgPool| match programs::find(db, id, now).await? {
            Some(Ok(detail)) => Ok(detail),
            Some(Err(_)) => Err(ApiError::Internal),
            None => Err(ApiError::NotFound("Program")),
        };
        let detail = app.cache.base(generation, "program", &key, Cost::Common, load).await?;
        let book = catalog::price_book(&app, generation).await?;
        Ok(ProgramDetail::new(detail, Pricing::new(&book, visitor.0, now)))
    })
    .await
}
