//! Answers that many routes give in the same way.

pub mod catalog;
mod redirect;

use axum::Json;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

pub use redirect::{SIGNED_IN, changed_query, redirect, sign_in};

/// An answer that no cache may store, because it is meant for one learner only.
pub fn private(body: impl Serialize) -> Response {
    ([(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))], Json(body)).into_response()
}

/// The same for a text in CSV with a header row.
pub fn private_csv(text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8; header=present")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, text).into_response()
}
