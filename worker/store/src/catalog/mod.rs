//! The catalog: its generation, import, export and synchronisation, and organisations.

pub mod course_changes;
pub mod export;
pub mod generation;
pub mod import;
pub mod organisations;
pub mod sync_state;
