//! Tells whether a browser that opens a link sent the request, and so expects a page.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use super::conditional::weight_of;

/// Preference for HTML over JSON. Browsers have it when they open a link; scripts and other clients, which accept
/// anything or JSON, do not.
#[derive(Clone, Copy, Debug)]
pub struct WantsPage(pub bool);

impl<S: Sync> FromRequestParts<S> for WantsPage {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let accept = parts.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
        Ok(Self(accept.is_some_and(wants_page)))
    }
}

fn wants_page(accept: &str) -> bool {
    let weight = |media_type| weight_of(accept, media_type).unwrap_or(0.0);
    weight("text/html") > weight("application/json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_that_open_a_link_want_a_page_and_other_clients_do_not() {
        for yes in ["text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"] {
            assert!(wants_page(yes), "{yes}");
        }
        for no in [
            "",
            "*/*",
            "application/json",
            "application/json, text/html;q=0.9",
            "text/html;q=0",
            "text/plain",
        ] {
            assert!(!wants_page(no), "{no}");
        }
    }
}
