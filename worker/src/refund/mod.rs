//! Paying back: a request and its plan by lines, the call of the provider, and the booking of what it reports.

pub mod booking;
pub mod call;
pub mod plan;
pub mod request;
pub mod restore;
pub mod tax;
