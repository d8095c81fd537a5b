//! The feed of events, and their deliveries to the endpoints of organisations.

pub mod deliveries;
pub mod endpoints;
pub mod feed;
