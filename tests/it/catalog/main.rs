//! The catalog, and the form of the interface: its document, and its answers to faulty and to unusual requests.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a failure here is a failed test, also in its helpers"
)]

mod bad_input;
mod catalog;
mod catalog_import;
mod catalog_replica;
mod catalog_sync;
mod countries;
mod dated_prices;
mod odd_requests;
mod offers;
mod openapi;
mod plans;
mod prices;
mod programs;
mod refusals;
mod search;
mod skus;
mod unread_answers;
mod visitors;
