//! The record of a person: reading, erasing and forgetting it.

pub mod erasure;
pub mod learners;
pub mod person;
pub mod retention;
pub mod staff;
