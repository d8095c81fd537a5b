//! The route for tags with their courses and programs.

use axum::extract::State;
use axum::response::Response;
use shared::db::Db;
use utoipa::IntoParams;

use crate::error::ApiResult;
use crate::extract::{Conditional, Params, Query, ReadParams, Reader, Visitor};
use crate::openapi::parameters::{IfNoneMatch, VisitorCountry};
use crate::openapi::schemas;
use crate::queries::tags;
use crate::read::listing;
use crate::response::catalog::{self, Read};
use crate::state::AppState;
use crate::views::price::{Pricing, Until};
use crate::views::tags::TagList;

#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TagQuery {
    /// A part of the tag's name. Case and accents do not matter.
    #[param(inline, value_type = Option<schemas::SearchText>)]
    search: String,
    /// Lists each tag's courses, the newest hundred at most.
    #[param(rename = "include_courses", value_type = Option<bool>, default = true)]
    courses: bool,
    /// Lists each tag's programs, the newest hundred at most; with both flags, also their courses.
    #[param(rename = "include_programs", value_type = Option<bool>, default = true)]
    programs: bool,
}

impl ReadParams for TagQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let search = params.folded("search");
        let (courses, programs) =
            (params.flag("include_courses", true), params.flag("include_programs", true));
        Some(Self { search, courses: courses?, programs: programs? })
    }
}

/// List tags with their courses and programs
///
/// With both include flags off this is a light list of names.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/tags/",
    tag = "catalog",
    security(("reader" = [])),
    operation_id = "list_tags",
    extensions(("x-problems" = json!(["called", "invalid_request"]))),
    params(TagQuery, VisitorCountry, IfNoneMatch),
    responses((status = 200, body = TagList, description = "All tags that match."))
)]
pub async fn list(
    _: Reader,
    State(app): State<AppState>,
    Query(query): Query<TagQuery>,
    visitor: Visitor,
    conditional: Conditional,
) -> ApiResult<Response> {
    let key = format!("{query:?}");
    let read = Read { app: &app, route: "tags", query: key.clone(), visitor: Some(visitor), conditional };
    read.answer_priced(async |generation| {
        let now = app.now();
        let load = async |db: &Db| tags::list(db, &query.search, query.courses, query.programs, now).await;
        let tagged =
            app.cache.base(generation, "tags", &key, listing::cost_of_text(&query.search), load).await?;
        let book = catalog::price_book(&app, generation).await?;
        let until = Until::default();
        let pricing = Pricing::new(&book, visitor.0, now, &until);
        Ok((TagList::new(tagged, query.courses, pricing), until.get()))
    })
    .await
}
