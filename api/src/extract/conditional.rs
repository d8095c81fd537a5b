//! Reads `If-None-Match` and `Accept-Encoding`: the caller's cached copies, and the compression that it prefers.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};

use crate::cache::Encoding;

#[derive(Debug)]
pub struct Conditional {
    if_none_match: Option<String>,
    pub encoding: Encoding,
}

impl<S: Sync> FromRequestParts<S> for Conditional {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let text = |name| parts.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        Ok(Self {
            if_none_match: text(header::IF_NONE_MATCH).map(str::to_owned),
            encoding: text(header::ACCEPT_ENCODING).map_or(Encoding::Identity, preferred),
        })
    }
}

impl Conditional {
    /// Returns whether the caller's copy has this entity tag, by weak comparison, as RFC 9110 requires for If-None-Match.
    pub fn has(&self, etag: &HeaderValue) -> bool {
        let Some(known) = &self.if_none_match else { return false };
        known
            .split(',')
            .map(str::trim)
            .any(|tag| tag == "*" || Some(tag.strip_prefix("W/").unwrap_or(tag)) == etag.to_str().ok())
    }
}

/// The compression that an `Accept-Encoding` header gives the greatest weight; of two with the same, the smaller one.
fn preferred(header: &str) -> Encoding {
    let weight = |encoding: Encoding| {
        let named = encoding.name().and_then(|name| weight_of(header, name));
        named.or_else(|| weight_of(header, "*").filter(|_| encoding == Encoding::Gzip)).unwrap_or(0.0)
    };
    match (weight(Encoding::Gzip), weight(Encoding::Brotli)) {
        (gzip, brotli) if brotli > 0.0 && brotli >= gzip => Encoding::Brotli,
        (gzip, _) if gzip > 0.0 => Encoding::Gzip,
        _ => Encoding::Identity,
    }
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
    fn callers_get_the_compression_that_they_prefer() {
        for gzip in ["gzip", "deflate, GZIP;q=0.5", "*", "br;q=0.5, gzip", "br;q=0, gzip", "zstd, *"] {
            assert_eq!(preferred(gzip), Encoding::Gzip, "{gzip}");
        }
        for brotli in ["br", "br, gzip", "gzip, deflate, br, zstd", "gzip;q=0, br;q=0.1"] {
            assert_eq!(preferred(brotli), Encoding::Brotli, "{brotli}");
        }
        for none in ["", "zstd", "gzip;q=0", "identity", "gzip; q=0.0", "gzip;q=0, *", "br;q=0"] {
            assert_eq!(preferred(none), Encoding::Identity, "{none}");
        }
    }

    #[test]
    fn a_known_tag_is_recognised_in_a_list() {
        let conditional =
            |known: &str| Conditional { if_none_match: Some(known.into()), encoding: Encoding::Identity };
        let etag = HeaderValue::from_static("\"abc\"");
        assert!(conditional("\"x\", W/\"abc\"").has(&etag));
        assert!(conditional("*").has(&etag));
        assert!(!conditional("\"x\"").has(&etag));
    }
}
