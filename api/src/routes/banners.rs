//! The route for banners that run now.

use axum::extract::State;
use axum::response::Response;
use shared::db::Db;
use utoipa::IntoParams;

use crate::cache::Cost;
use crate::error::ApiResult;
use crate::extract::{Conditional, Params, Query, ReadParams, Reader};
use crate::openapi::parameters::IfNoneMatch;
use crate::openapi::schemas;
use crate::queries::banners;
use crate::response::catalog::Read;
use crate::state::AppState;
use crate::views::banners::BannerList;

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BannerQuery {
    /// Short or display names of organisations, comma-separated. Case, blanks and repeats do not matter.
    #[param(rename = "org", inline, value_type = Option<schemas::SearchText>)]
    organisations: Vec<String>,
}

impl ReadParams for BannerQuery {
    fn read(params: &mut Params) -> Option<Self> {
        Some(Self { organisations: params.folded_list("org") })
    }
}

/// List the current banners
///
/// In the order of their positions.
#[utoipa::path(
    get,
    path = "/storeapi/banner/list/",
    tag = "catalog",
    security(("reader" = [])),
    operation_id = "list_banners",
    extensions(("x-problems" = json!(["called", "invalid_request"]))),
    params(BannerQuery, IfNoneMatch),
    responses((status = 200, body = BannerList, description = "The banners that run now."))
)]
pub async fn list(
    _: Reader,
    State(app): State<AppState>,
    Query(BannerQuery { organisations }): Query<BannerQuery>,
    conditional: Conditional,
) -> ApiResult<Response> {
    let now = app.now();
    let key = format!("{organisations:?}");
    // Banners begin and end without a change of the generation, so the cache key contains the minute.
    let query = format!("{key} {}", now.timestamp() / 60);
    let read = Read { app: &app, route: "banners", query, visitor: None, conditional };
    read.answer(async |generation| {
        let cost = if organisations.is_empty() { Cost::Common } else { Cost::Rare };
        let load = async |db: &Db| banners::list(db, &organisations, now).await;
        let banners = app.cache.base(generation, "banners", &key, cost, load).await?;
        Ok(BannerList::new(banners, now))
    })
    .await
}
