//! Reads `If-None-Match` and `Accept-Encoding`: the caller's cached copies, and whether it accepts gzip.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};

#[derive(Debug)]
pub struct Conditional {
    if_none_match: Option<String>,
    pub accepts_gzip: bool,
}

impl<S: Sync> FromRequestParts<S> for Conditional {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        Ok(Self {
            if_none_match: text(header::IF_NONE_MATCH).map(str::to_owned),
            accepts_gzip: text(header::ACCEPT_ENCODING).is_some_and(accepts_gzip),
        })
    }
}

impl Conditional {
    /// Whether the caller's copy has this entity tag, by weak comparison, as RFC 9110 requires for If-None-Match.
    pub fn has(&self, etag: &HeaderValue) -> bool {
        let Some(known) = &self.if_none_match else { return false };
        known
            .split(',')
            .map(str::trim)
            .any(|tag| tag == "*" || Some(tag.strip_prefix("W/").unwrap_or(tag)) == etag.to_str().ok())
    }
}

/// Whether the header gives `gzip`, or `*` if it does not name gzip, a weight above zero.
fn accepts_gzip(header: &str) -> bool {
    weight_of(header, "gzip").or_else(|| weight_of(header, "*")).is_some_and(|weight| weight > 0.0)
}

/// The weight of one value in a header like `Accept`; None if the header does not name the value.
pub(super) fn weight_of(header: &str, wanted: &str) -> Option<f32> {
    header.split(',').find_map(|value| {
        let mut parts = value.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
        let weight = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok());
        named.then_some(weight.unwrap_or(1.0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_those_who_can_read_it() {
        for yes in ["gzip", "deflate, GZIP;q=0.5", "*", "br, gzip"] {
            assert!(accepts_gzip(yes), "{yes}");
        }
        for no in ["", "br", "gzip;q=0", "identity", "gzip; q=0.0", "gzip;q=0, *"] {
            assert!(!accepts_gzip(no), "{no}");
        }
    }

    #[test]
    fn a_known_tag_is_recognised_in_a_list() {
        let conditional =
            |known: &str| Conditional { if_none_match: Some(known.into()), accepts_gzip: false };
        let etag = HeaderValue::from_static("\"abc\"");
        assert!(conditional("\"x\", W/\"abc\"").has(&etag));
        assert!(conditional("*").has(&etag));
        assert!(!conditional("\"x\"").has(&etag));
    }
}
