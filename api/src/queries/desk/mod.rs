//! Queries for the support desk of one organisation.

pub mod attention;
pub mod catalog;
pub mod endpoints;
pub mod figures;
pub mod order;
pub mod owed;
pub mod person;
pub mod runs;
pub mod search;
