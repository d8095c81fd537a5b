//! Entry points of the fuzz targets in `tests/fuzzing`. cargo-fuzz sets `cfg(fuzzing)`; other builds do not have this
//! module.

use std::error::Error;

use axum::http::HeaderMap;
use chrono::DateTime;
use shared::tls::TlsSettings;

pub use crate::identity::JwtSettings;
use crate::identity::{Presented, Verifier};

/// Verifies JWTs with fixed settings.
pub struct Jwts(Verifier);

impl Jwts {
    /// # Errors
    /// The settings have a key set that cannot be used.
    pub fn new(settings: &JwtSettings) -> Result<Self, Box<dyn Error>> {
        Ok(Self(Verifier::new(settings, &TlsSettings::default())?))
    }

    /// Returns whether a token is valid at a time, in Unix seconds.
    pub fn verify(&self, token: &str, now: i64) -> bool {
        DateTime::from_timestamp(now, 0).is_some_and(|now| self.0.verify(token, now).is_some())
    }
}

/// Reads a learner's credential from the headers of a request. Returns whether there is one.
pub fn credential(headers: &HeaderMap) -> bool {
    matches!(Presented::read(headers), Ok(Some(_)))
}

/// Reads a query as each list does.
pub fn queries(query: &str) {
    crate::routes::read_queries(query);
}
