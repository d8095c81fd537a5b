//! The visitor for whom a backend calls. Only the client secret unlocks these headers: any other caller could name another
//! visitor, and escape its limits.

use std::net::IpAddr;

use axum::http::HeaderMap;

use super::client_secret::by_backend;
use super::peer;
use crate::error::{ApiError, ApiResult};
use crate::identity::VisitorName;
use crate::state::App;

const ADDRESS: &str = "X-Visitor-Address";
const ID: &str = "X-Visitor-Id";

/// The visitor whom the request's headers name; none without the client secret.
///
/// # Errors
/// `InvalidRequest`, which names the header.
pub(super) fn named_by_backend(headers: &HeaderMap, app: &App) -> ApiResult<VisitorName> {
    if !by_backend(headers, app) {
        return Ok(VisitorName::default());
    }
    Ok(VisitorName { address: address(headers)?, id: visible(headers, ID)?.map(str::to_owned) })
}

fn address(headers: &HeaderMap) -> ApiResult<Option<IpAddr>> {
    let mut values = headers.get_all(ADDRESS).iter();
    let Some(value) = values.next() else { return Ok(None) };
    match value.to_str().ok().and_then(|text| peer::address(text.trim())) {
        Some(address) if values.next().is_none() => Ok(Some(address)),
        _ => Err(ApiError::invalid(ADDRESS, "must be one IPv4 or IPv6 address")),
    }
}

/// A header of 1 to 255 visible ASCII characters.
///
/// # Errors
/// `InvalidRequest` for other characters, none, too many, or a header that is sent twice.
pub(super) fn visible<'a>(headers: &'a HeaderMap, name: &str) -> ApiResult<Option<&'a str>> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let is_visible = value.as_bytes().iter().all(u8::is_ascii_graphic);
    match value.to_str() {
        Ok(text) if is_visible && (1..=255).contains(&text.len()) && values.next().is_none() => {
            Ok(Some(text))
        }
        _ => Err(ApiError::invalid(name, "must be one value of 1 to 255 visible ASCII characters")),
    }
}
