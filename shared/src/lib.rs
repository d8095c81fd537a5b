//! The definitions that the api and the worker share: messages and the queue, money and prices, identifiers, settings.
//! Contains no HTTP and no SQL.

pub mod breaker;
pub mod clock;
pub mod course_mode;
pub mod db;
pub mod email;
pub mod gateway;
pub mod ids;
pub mod keys;
pub mod link;
pub mod messages;
pub mod money;
pub mod pricing;
pub mod queue;
pub mod region;
pub mod seal;
pub mod settings;
pub mod telemetry;
