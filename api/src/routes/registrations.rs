//! The link in invitation mails. It leads to the organisation's registration page and grants nothing.

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use shared::link;

use crate::error::{ApiError, ApiResult, Problem};
use crate::extract::TextPath;
use crate::queries::organisations;
use crate::state::AppState;

/// Follow a mailed registration link
///
/// Needs no identity: the link is signed, and expires.
#[utoipa::path(
    get,
    path = "/storeapi/registrations/{signed}/",
    tag = "extensions",
    security(()),
    params(("signed" = String, Path, description = "As mailed")),
    responses(
        (status = 302, description = "To the organisation's registration page"),
        (status = 404, body = Problem, content_type = "application/problem+json", description = "Altered or expired"),
    )
)]
pub async fn follow(State(app): State<AppState>, TextPath(signed): TextPath) -> ApiResult<Response> {
    let organisation = link::verify_registration(&app.config.links.link_secret, &signed, app.now())
        .ok_or(ApiError::NotFound("Link"))?;
    let url =
        organisations::registration_url(&app.db, organisation).await?.ok_or(ApiError::NotFound("Link"))?;
    let location = HeaderValue::try_from(url).map_err(|_| ApiError::Internal)?;
    Ok((StatusCode::FOUND, [(header::LOCATION, location)]).into_response())
}
