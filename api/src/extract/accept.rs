//! Tells which of two media types the caller prefers.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use super::conditional::weight_of;

/// Preference of a caller that names `text/csv` in `Accept`, and does not prefer JSON.
#[derive(Clone, Copy, Debug)]
pub struct WantsCsv(pub bool);

impl<S: Sync> FromRequestParts<S> for WantsCsv {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(accept(parts).is_some_and(wants_csv)))
    }
}

/// Preference of a caller for JSON over a PDF.
#[derive(Clone, Copy, Debug)]
pub struct WantsJson(pub bool);

impl<S: Sync> FromRequestParts<S> for WantsJson {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let prefers = |accept| prefers(accept, "application/json", "application/pdf");
        Ok(Self(accept(parts).is_some_and(prefers)))
    }
}

fn accept(parts: &Parts) -> Option<&str> {
    parts.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok())
}

fn wants_csv(accept: &str) -> bool {
    prefers(accept, "text/csv", "application/json")
}

fn prefers(accept: &str, media_type: &str, to: &str) -> bool {
    let weight = |media_type| weight_of(accept, media_type).unwrap_or(0.0);
    weight(media_type) > weight(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_is_for_those_who_name_it() {
        for yes in
            ["text/csv", "text/csv; charset=utf-8", "text/csv, */*", "application/json;q=0.5, text/csv"]
        {
            assert!(wants_csv(yes), "{yes}");
        }
        for no in
            ["", "*/*", "text/*", "application/json", "text/csv;q=0", "application/json, text/csv;q=0.9"]
        {
            assert!(!wants_csv(no), "{no}");
        }
    }
}
