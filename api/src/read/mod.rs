//! Parts of requests that several routes read in the same way.

pub mod basket;
pub mod billing;
pub mod consents;
pub mod dates;
pub mod gifts;
pub mod labels;
pub mod listing;
