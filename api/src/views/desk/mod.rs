//! Answers of the support desk, which are also what its pages show.

pub mod attention;
pub mod catalog;
pub mod endpoints;
pub mod order;
pub mod search;
pub mod words;
