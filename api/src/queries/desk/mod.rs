//! Queries for the support desk of one organisation.

pub mod attention;
pub mod catalog;
pub mod endpoints;
pub mod figures;
pub mod order;
pub mod person;
pub mod search;
