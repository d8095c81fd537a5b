//! The route by which pages on other hosts, such as the course platform's catalog, show what courses cost.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use shared::db::Db;
use utoipa::IntoParams;

use crate::cache::Cost;
use crate::error::ApiResult;
use crate::extract::{Conditional, Params, Peer, Query, ReadParams, Visitor, with_plus};
use crate::identity::VisitorName;
use crate::openapi::parameters::{IfNoneMatch, VisitorCountry};
use crate::queries::offers;
use crate::response::catalog::{self, Read};
use crate::state::AppState;
use crate::views::offers::{Market, OfferList};
use crate::views::price::{Pricing, Until};

/// Most courses of one request: as many as a page of the platform's catalog shows.
const MOST: usize = 50;

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct OfferQuery {
    /// Key of a course; repeated for several, 50 at most.
    #[param(rename = "course", required = false, max_items = 50)]
    courses: Vec<String>,
}

impl ReadParams for OfferQuery {
    fn read(params: &mut Params) -> Option<Self> {
        let mut courses: Vec<String> =
            params.texts("course", MOST).iter().map(|key| with_plus(key)).collect();
        courses.sort_unstable();
        courses.dedup();
        Some(Self { courses })
    }
}

/// Show what courses cost
///
/// For pages on any host: it needs no credential and ignores those that arrive, and the answer depends on the visitor's country
/// alone. An address may ask `RATE_LIMIT_PER_MINUTE` times a minute. The page for buying is
/// `/storeapi/payment/buy/?course=KEY&mode=MODE`, or with `program=ID`.
#[utoipa::path(
    get,
    path = "/storeapi/discovery/offers/",
    tag = "extensions",
    security(()),
    operation_id = "list_offers",
    extensions(("x-problems" = json!(["invalid_request", "rate_limited", "internal_error", "unavailable"]))),
    params(OfferQuery, VisitorCountry, IfNoneMatch),
    responses((status = 200, body = OfferList, description = "What the published ones of the courses cost.", headers(
        ("Access-Control-Allow-Origin" = String, description = "`*`: a page of any origin may read it, without credentials."),
    )))
)]
pub async fn list(
    State(app): State<AppState>,
    Peer(peer): Peer,
    Query(OfferQuery { courses }): Query<OfferQuery>,
    visitor: Visitor,
    conditional: Conditional,
) -> ApiResult<Response> {
    app.identities.limits.visitor(&VisitorName { address: Some(peer), id: None })?;
    let key = format!("{courses:?}");
    let read = Read { app: &app, route: "offers", query: key.clone(), visitor: Some(visitor), conditional };
    let answer = read.answer_priced(async |generation| {
        let now = app.now();
        let load = async |db: &Db| offers::courses_on_sale(db, &courses, now).await;
        let found = app.cache.base(generation, "offers", &key, Cost::Rare, load).await?;
        let mut owners: Vec<_> = found.iter().map(|course| course.organisation_id).collect();
        owners
            .extend(found.iter().flat_map(|course| &course.programs).map(|program| program.organisation_id));
        let place = format!("{key} {:?}", visitor.0);
        let load = async |db: &Db| offers::taxes(db, &owners, visitor.0, now).await;
        let taxes = app.cache.base(generation, "offer-taxes", &place, Cost::Rare, load).await?;
        let book = catalog::price_book(&app, generation).await?;
        let until = Until::default();
        let pricing = Pricing::new(&book, visitor.0, now, &until);
        Ok((OfferList::new(found, Market { pricing, taxes: &taxes }), until.get()))
    });
    let mut answer = answer.await?;
    answer.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    Ok(answer)
}
