//! Routes for organisations and their branding.

use axum::extract::State;
use axum::response::Response;
use shared::db::Db;
use strum::{EnumString, VariantNames};
use utoipa::{IntoParams, ToSchema};

use crate::cache::Cost;
use crate::error::ApiResult;
use crate::extract::{Conditional, Params, Query, ReadParams, Reader};
use crate::openapi::parameters::IfNoneMatch;
use crate::openapi::schemas;
use crate::queries::organisations;
use crate::read::listing;
use crate::response::catalog::Read;
use crate::state::AppState;
use crate::views::organisations::{MarketingEntry, OrganisationList};

#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Search {
    /// Fields of each organisation: `basic` leaves the branding out.
    #[param(inline, value_type = Option<OrganisationFields>)]
    fields: OrganisationFields,
    /// A part of the display name, with `fields=basic` also of the short name. Case and accents do not matter.
    #[param(rename = "search", inline, value_type = Option<schemas::SearchText>)]
    text: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumString, VariantNames, ToSchema)]
#[schema(rename_all = "snake_case", default = "full")]
#[strum(serialize_all = "snake_case")]
enum OrganisationFields {
    #[default]
    Full,
    Basic,
}

impl ReadParams for Search {
    fn read(params: &mut Params) -> Option<Self> {
        let text = params.folded("search");
        Some(Self { fields: params.word("fields")?.unwrap_or_default(), text })
    }
}

/// List organisations
///
/// All that match, on one page.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/organisations/",
    tag = "catalog",
    security(("reader" = [])),
    operation_id = "list_organisations",
    extensions(("x-problems" = json!(["called", "invalid_request"]))),
    params(Search, IfNoneMatch),
    responses((status = 200, body = OrganisationList, description = "The organisations."))
)]
pub async fn list(
    _: Reader,
    State(app): State<AppState>,
    Query(search): Query<Search>,
    conditional: Conditional,
) -> ApiResult<Response> {
    let query = format!("{search:?}");
    let full = search.fields == OrganisationFields::Full;
    let read = Read { app: &app, route: "organisations", query: query.clone(), visitor: None, conditional };
    read.answer(async |generation| {
        let load = async |db: &Db| organisations::list(db, &search.text, !full).await;
        let rows = app
            .cache
            .base(generation, "organisations", &query, listing::cost_of_text(&search.text), load)
            .await?;
        Ok(OrganisationList::new(rows, full))
    })
    .await
}

/// List the marketing metadata of organisations
///
/// A bare array. Organisations without metadata have no entry.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/marketing-page-metadata/",
    tag = "catalog",
    security(("reader" = [])),
    operation_id = "list_marketing_metadata",
    extensions(("x-problems" = json!(["called"]))),
    params(IfNoneMatch),
    responses((status = 200, body = Vec<MarketingEntry>, description = "An entry for each organisation with metadata."))
)]
pub async fn marketing(
    _: Reader,
    State(app): State<AppState>,
    conditional: Conditional,
) -> ApiResult<Response> {
    let read = Read { app: &app, route: "marketing", query: String::new(), visitor: None, conditional };
    read.answer(async |generation| {
        let rows =
            app.cache.base(generation, "marketing", "", Cost::Common, organisations::marketing).await?;
        Ok(rows.into_iter().map(MarketingEntry::from).collect::<Vec<_>>())
    })
    .await
}
