//! Routes for programs: the paged list and detail.

use axum::extract::State;
use axum::response::Response;
use shared::db::Db;
use utoipa::IntoParams;

use crate::cache::Cost;
use crate::error::{ApiError, ApiResult};
use crate::extract::{Conditional, Params, ProgramPath, Query, ReadParams, Reader, Visitor};
use crate::openapi::parameters::{IfNoneMatch, VisitorCountry};
use crate::openapi::schemas;
use crate::queries::filter::{Filters, Page};
use crate::queries::programs::{self, Order};
use crate::read::listing::{self, PageQuery, Sorting};
use crate::response::catalog::{self, Read};
use crate::state::AppState;
use crate::views::envelope::Envelope;
use crate::views::price::{Pricing, Until};
use crate::views::programs::{ProgramDetail, ProgramList};

type OrderBy = Sorting<Order>;

#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProgramListQuery {
    #[param(ignore)]
    place: PageQuery,
    /// A part of the name, description or about. Case and accents do not matter. A search
    /// without three letters or digits in a row finds its first 1,000 matches only.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    search: String,
    /// Short or display names of organisations, comma-separated. Case, blanks and repeats do not matter.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    org: Vec<String>,
    /// Names of tags, comma-separated: programs with any of them. Case, blanks and repeats do not matter.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    tags: Vec<String>,
    /// The order of the list; `display_name` is the program's name. Programs without the value come last.
    #[param(inline, value_type = Option<OrderBy>)]
    order_by: OrderBy,
}

impl ReadParams for ProgramListQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let search = params.folded("search");
        let [org, tags] = ["org", "tags"].map(|name| params.folded_list(name));
        let (place, order_by) = (PageQuery::read(params), listing::sorting(params));
        Some(Self { place: place?, search, org, tags, order_by: order_by? })
    }
}

impl From<ProgramListQuery> for Page<Order> {
    fn from(query: ProgramListQuery) -> Self {
        let ProgramListQuery { place, search, org, tags, order_by } = query;
        let filters = Filters { search, organisations: org, tags, ..Filters::default() };
        let PageQuery { limit, offset } = place;
        Self { filters, order: order_by.by, descending: order_by.descending, limit, offset }
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
    params(PageQuery, ProgramListQuery, VisitorCountry, IfNoneMatch),
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
    let page = Page::from(query);
    let read = Read { app: &app, route: "programs", query: key.clone(), visitor: Some(visitor), conditional };
    read.answer_priced(async |generation| {
        let now = app.now();
        let filters = page.filters.key();
        let total = async |db: &Db| programs::total(db, &page.filters).await;
        let total = app
            .cache
            .base(generation, "programs-total", &filters, listing::cost(&page.filters), total)
            .await?;
        let (programs, broken) = match page.offset < total {
            true => {
                let cost = listing::cost_of_page(&page);
                let programs = async |db: &Db| programs::list(db, &page, now).await;
                app.cache.base(generation, "programs", &key, cost, programs).await?
            }
            false => (Vec::new(), Vec::new()),
        };
        let envelope = Envelope::new(total, page.limit, page.offset, broken);
        let book = catalog::price_book(&app, generation).await?;
        let until = Until::default();
        let pricing = Pricing::new(&book, visitor.0, now, &until);
        Ok((ProgramList::new(programs, envelope, pricing), until.get()))
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
    read.answer_priced(async |generation| {
        let now = app.now();
        let load = async |db: &Db| match programs::find(db, id, now).await? {
            Some(Ok(detail)) => Ok(detail),
            Some(Err(_)) => Err(ApiError::Internal),
            None => Err(ApiError::NotFound("Program")),
        };
        let detail = app.cache.base(generation, "program", &key, Cost::Common, load).await?;
        let book = catalog::price_book(&app, generation).await?;
        let until = Until::default();
        let pricing = Pricing::new(&book, visitor.0, now, &until);
        Ok((ProgramDetail::new(detail, pricing), until.get()))
    })
    .await
}
