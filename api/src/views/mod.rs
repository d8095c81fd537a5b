//! JSON bodies, one file per resource. No SQL here.

pub mod courses;
pub mod organisations;
pub mod price;
