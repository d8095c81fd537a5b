//! Where the visitor is, as the trusted backend says. Its own address says nothing about its visitors.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use shared::region::Country;

use crate::error::ApiError;
use crate::state::AppState;

const HEADER: &str = "x-visitor-country";

/// For routes that have proved the client secret: the header is believed.
#[derive(Clone, Copy, Debug)]
pub struct Visitor(pub Option<Country>);

impl FromRequestParts<AppState> for Visitor {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> Result<Self, ApiError> {
        let Some(value) = parts.headers.get(HEADER) else { return Ok(Self(None)) };
        let text = value.to_str().unwrap_or("?").trim();
        match text.parse() {
            Ok(country) => Ok(Self(Some(country))),
            // Content delivery networks say T1 for Tor, and nothing where they do not know.
            Err(_)
                if text.is_empty()
                    || (text.len() == 2 && text.chars().all(|c| c.is_ascii_alphanumeric())) =>
            {
                Ok(Self(None))
            }
            Err(error) => Err(ApiError::invalid("X-Visitor-Country", error.to_string())),
        }
    }
}
