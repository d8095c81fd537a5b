//! The api: a stateless HTTP service. It reads the catalog from the database and sends commands to the worker, which
//! makes all decisions and writes.

#![deny(missing_docs)]

// Cargo builds the checked queries again when their types change.
const _: &str = include_str!("../sqlx.toml");

mod cache;
pub mod cli;
mod commands;
pub mod config;
mod doctor;
mod error;
mod error_code;
mod extract;
#[cfg(fuzzing)]
pub mod fuzzing;
mod gateways;
mod identity;
mod listener;
mod mail_reports;
mod metrics;
mod openapi;
mod queries;
mod read;
mod request_log;
mod response;
mod routes;
mod server;
mod state;
mod views;
mod violations;
mod words;

pub use server::{Running, StartError, start};

/// The OpenAPI document, as a running api serves it.
pub fn openapi_document() -> serde_json::Value {
    routes::openapi_json()
}
