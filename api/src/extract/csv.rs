//! Tells whether the caller asks for CSV.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use super::conditional::weight_of;

/// Whether the caller names `text/csv` in `Accept`, and does not prefer JSON.
#[derive(Clone, Copy, Debug)]
pub struct WantsCsv(pub bool);

impl<S: Sync> FromRequestParts<S> for WantsCsv {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let accept = parts.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
        Ok(Self(accept.is_some_and(wants_csv)))
    }
}

fn wants_csv(accept: &str) -> bool {
    let weight = |media_type| weight_of(accept, media_type).unwrap_or(0.0);
    weight("text/csv") > weight("application/json")
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
