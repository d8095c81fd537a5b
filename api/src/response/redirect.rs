//! Answers that lead a browser to another page.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use url::form_urlencoded;

use crate::error::{ApiError, ApiResult};
use crate::state::App;

/// The parameter of a link that has led to the platform's sign-in already.
pub const SIGNED_IN: &str = "signed_in";

/// Leads to another page, in an answer that no cache keeps.
pub fn redirect(status: StatusCode, location: &str) -> ApiResult<Response> {
    let location = HeaderValue::try_from(location).map_err(|_| ApiError::Internal)?;
    let headers =
        [(header::LOCATION, location), (header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
    Ok((status, headers).into_response())
}

/// Leads to the platform's sign-in, and from there back to a page of the api's own with the same query.
pub fn sign_in(app: &App, path: &str, query: &str) -> ApiResult<Response> {
    let back = changed_query(query, &[SIGNED_IN], &[(SIGNED_IN, "1")]);
    let back = format!("{}{path}?{back}", app.config.links.public_base_url);
    let mut page = app.config.platform_page("login");
    page.query_pairs_mut().append_pair("next", &back);
    redirect(StatusCode::FOUND, page.as_str())
}

/// A query without some of its parameters, with others added.
pub fn changed_query(query: &str, without: &[&str], with: &[(&str, &str)]) -> String {
    let kept = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| !without.contains(&name.as_ref()));
    let mut changed = form_urlencoded::Serializer::new(String::new());
    changed.extend_pairs(kept).extend_pairs(with);
    changed.finish()
}
