//! Organisations and their branding.

use axum::extract::State;
use axum::response::Response;
use utoipa::IntoParams;

use super::catalog::Read;
use crate::error::{ApiResult, ReadProblems};
use crate::extract::{Conditional, Params, Query, ReadParams, Reader};
use crate::queries::organisations;
use crate::state::AppState;
use crate::views::organisations::{MarketingEntry, OrganisationList};

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters; `Search` is what they are read into")]
pub struct OrganisationListParams {
    /// `full`, or `basic` for the identity fields only.
    #[param(default = "full")]
    fields: Option<String>,
    /// Part of the display name; in basic mode also of the short name. Case and accents do not matter.
    search: Option<String>,
}

#[derive(Debug)]
pub struct Search {
    full: bool,
    text: String,
}

impl ReadParams for Search {
    fn read(params: &mut Params) -> Option<Self> {
        let text = params.text("search");
        Some(Self { full: params.choice("fields", &[("full", true), ("basic", false)], true)?, text })
    }
}

/// Organisations
#[utoipa::path(
    get,
    path = "/storeapi/discovery/organisations/",
    tag = "catalog",
    security(("reader" = [])),
    params(OrganisationListParams),
    responses(
        (status = 200, body = OrganisationList),
        ReadProblems,
    )
)]
pub async fn list(
    _: Reader,
    State(app): State<AppState>,
    Query(search): Query<Search>,
    conditional: Conditional,
) -> ApiResult<Response> {
    let query = format!("{search:?}");
    let read = Read { app: &app, route: "organisations", query: query.clone(), visitor: None, conditional };
    read.answer(async |generation| {
        let load = organisations::list(&app.db, &search.text, !search.full);
        let rows = app.cache.base(generation, "organisations", &query, load).await?;
        Ok(OrganisationList::new(rows, search.full))
    })
    .await
}

/// Marketing metadata
///
/// A bare array; organisations without metadata are left out.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/marketing-page-metadata/",
    tag = "catalog",
    security(("reader" = [])),
    responses(
        (status = 200, body = Vec<MarketingEntry>),
        ReadProblems,
    )
)]
pub async fn marketing(
    _: Reader,
    State(app): State<AppState>,
    conditional: Conditional,
) -> ApiResult<Response> {
    let read = Read { app: &app, route: "marketing", query: String::new(), visitor: None, conditional };
    read.answer(async |generation| {
        let rows = app.cache.base(generation, "marketing", "", organisations::marketing(&app.db)).await?;
        Ok(rows.into_iter().map(MarketingEntry::from).collect::<Vec<_>>())
    })
    .await
}
