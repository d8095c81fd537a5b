//! Environment of every job: its connections and settings, commands that take effect once, the outbox's relay, leases, the
//! platform's event bus, and the probes.

pub mod command;
pub mod context;
pub mod dead_letters;
pub mod event_bus;
pub mod lease;
pub mod probes;
pub mod relay;
pub mod transaction;
